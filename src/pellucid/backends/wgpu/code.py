"""A picture on the GPU: its shader compiled and its data copied once, and a frame drawn and copied back.

Above `device`.
"""

from __future__ import annotations

import struct
from typing import Any

import numpy as np

from ..port import Arguments, Calling, Memory
from ..registry import PrintedShader
from .device import Device

SIDE = 8
"""Pixels of a workgroup's side, as the shader says."""
_FORMATS = {"f32": "f", "i32": "i", "u32": "I", "bool": "I"}


class WgpuCode:
    """A compiled shader."""

    def __init__(self, device: Device, shader: PrintedShader, calling: Calling) -> None:
        """Compile; raises BackendError with what the driver complains of."""
        self.calling, self._device, self._shader = calling, device, shader
        self._frame: tuple[int, Any] = 0, None
        """The bytes of the pixels' memory on the GPU, and that."""
        wgpu = device.wgpu
        with device.speaking("shader") as gpu:
            module = gpu.create_shader_module(code=shader.text)
            self._pipeline = gpu.create_compute_pipeline(
                layout="auto", compute={"module": module, "entry_point": "main"}
            )
            data = b"".join(_words(b.data) for b in shader.buffers.values())
            device.check(len(data), "load", "its tables and bitmaps have", "use smaller ones")
            self._data = (
                gpu.create_buffer_with_data(data=data, usage=wgpu.BufferUsage.STORAGE) if data else None
            )

    def run(self, arguments: Arguments, memory: Memory, *, threads: int | None = None) -> None:
        """Draw once; see `port.Code`. The GPU has its own threads, whatever `threads` says.

        Raises BackendError for a frame that is larger than its buffers.
        """
        calling, device = self.calling, self._device
        by_name = dict(zip((p.attr for p in calling.params), calling.values(arguments), strict=True))
        out = calling.arrays(memory)[0]
        device.check(out.nbytes, "size", "the frame has", "draw it in parts")
        values = [by_name[p.attr].item() for p in self._shader.params.values()]
        words = "".join(_FORMATS[p.type.name] for p in self._shader.params.values())
        view = struct.pack(f"<{words}I", *values, 0)
        width, height = (by_name[p.attr].item() for p in self._shader.size)
        usage = device.wgpu.BufferUsage
        with device.speaking("frame") as gpu:
            if self._frame[0] != out.nbytes:
                pixels = gpu.create_buffer(size=out.nbytes, usage=usage.STORAGE | usage.COPY_SRC)
                self._frame = out.nbytes, pixels
            pixels = self._frame[1]
            # Uniforms fill whole rows of 16 bytes.
            view += bytes(-len(view) % 16)
            bound = [gpu.create_buffer_with_data(data=view, usage=usage.UNIFORM), pixels]
            bound += [] if self._data is None else [self._data]
            group = gpu.create_bind_group(
                layout=self._pipeline.get_bind_group_layout(0),
                entries=[{"binding": k, "resource": {"buffer": b}} for k, b in enumerate(bound)],
            )
            encoder = gpu.create_command_encoder()
            work = encoder.begin_compute_pass()
            work.set_pipeline(self._pipeline)
            work.set_bind_group(0, group)
            work.dispatch_workgroups(-(-width // SIDE), -(-height // SIDE))
            work.end()
            gpu.queue.submit([encoder.finish()])
            found = gpu.queue.read_buffer(pixels)
        out[:] = np.frombuffer(found, out.dtype)[: len(out)]


def _words(data: Any) -> bytes:
    """A buffer's data, as whole words."""
    found = np.ascontiguousarray(data).tobytes()
    return found + bytes(-len(found) % 4)
