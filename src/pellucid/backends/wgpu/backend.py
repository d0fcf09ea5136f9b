"""The back end "wgpu": pictures as compute shaders, by the printer that the driver lends."""

from __future__ import annotations

from ...ir.nest import Kernel
from ..port import Ranges, layout
from ..registry import Lent, Printer
from .code import WgpuCode
from .device import Device, device

EVERYWHERE = False
EXACT = False
"""Shaders compute in f32, and drivers may round as they like."""


class WgpuBackend:
    """Compiles the nests of pictures to WGSL, which the driver of the GPU compiles."""

    name = "wgpu"

    def __init__(self, device: Device, printed: Printer) -> None:
        self._device, self._printed = device, printed

    def compile(self, kernel: Kernel, ranges: Ranges) -> WgpuCode:
        """The code of a placed nest that draws a picture; see `port.Backend`.

        Raises BackendError for other programs, and for what WGSL cannot express.
        """
        shader = self._printed(kernel, ranges)
        return WgpuCode(self._device, shader, layout(kernel, ranges).calling)


def make(lent: Lent) -> WgpuBackend:
    """The back end on the GPU that the system prefers.

    Raises BackendError where there is none, and MissingExtraError without the package.
    """
    return WgpuBackend(device(), lent.printed)
