"""The GPU: found once, asked for all that it can do, and spoken with by one thread at a time.

The only file that imports wgpu. What a driver refuses becomes one sentence.
"""

from __future__ import annotations

import importlib
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from functools import cache
from typing import Any

from ...base.errors import BackendError, installed

SYSTEMS = ("Vulkan", "Metal", "DX12")
"""What is asked for a GPU. OpenGL is left out: its compute shaders have too few buffers in places."""


class Device:
    """A GPU that shaders run on; `name` is what its driver calls it, `is_software` whether it is a CPU in truth."""

    def __init__(self, wgpu: Any, adapter: Any) -> None:
        limits = adapter.limits
        # What is not asked for is as little as any GPU has.
        wanted = {
            name: limits[name]
            for name in ("max-buffer-size", "max-storage-buffer-binding-size")
            if name in limits
        }
        self.wgpu, self.lock = wgpu, threading.Lock()
        self.device: Any = adapter.request_device_sync(required_limits=wanted)
        self.name = str(adapter.info["device"])
        self.is_software = adapter.info["adapter_type"] == "CPU"
        self.most = int(min(wanted.values(), default=1 << 27))
        """Bytes of the largest buffer of a shader."""

    def check(self, size: int, place: str, what: str, fix: str) -> None:
        """Raise BackendError for more bytes than a buffer has."""
        if size > self.most:
            rule = f"{what} {size} bytes, and a buffer of {self.name} at most {self.most}"
            raise BackendError(rule, place=place, fix=f"{fix}, or use backend='llvm'")

    @contextmanager
    def speaking(self, place: str) -> Generator[Any]:
        """The device for one thread, with what its driver refuses as BackendError; `place` is what is tried."""
        wgpu = self.wgpu
        with self.lock:
            try:
                yield self.device
            except (wgpu.GPUError, RuntimeError) as problem:
                told = " ".join(str(problem).split())
                raise BackendError(
                    f"{self.name} refuses it: {told[:300]}", place=place, fix="use backend='llvm'"
                ) from problem


@cache
def device() -> Device:
    """The GPU that the system prefers.

    Raises BackendError where there is none, and MissingExtraError without the package.
    """
    with installed("wgpu", "or use backend='llvm'", extra="gpu"):
        wgpu: Any = importlib.import_module("wgpu")
        extras: Any = importlib.import_module("wgpu.backends.wgpu_native.extras")
    # A program that has asked for a GPU before has its own wishes.
    with suppress(RuntimeError):
        extras.set_instance_extras(backends=SYSTEMS)
    try:
        adapter = wgpu.gpu.request_adapter_sync(power_preference="high-performance")
        return Device(wgpu, adapter)
    except (RuntimeError, wgpu.GPUError) as problem:
        told = " ".join(str(problem).split())
        fix = "install a driver with Vulkan, or use backend='llvm'"
        raise BackendError(f"there is no GPU for it: {told[:200]}", place="wgpu", fix=fix) from problem
