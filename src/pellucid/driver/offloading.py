"""Offloading: frames that take a processor long are drawn by a GPU, if that is sooner and the bits are the same.

Under `choosing`, for the back end "auto". Pixels come back to the processor's memory, so a frame has to take longer
than the copy; and the driver, its context and the compilation of PTX take a second, so frames have to have taken longer
than that. Then a frame is drawn by both. A GPU whose bits differ is not asked again, nor is one whose driver fails.
"""

from __future__ import annotations

import time as clock
from dataclasses import replace

import numpy as np

from ..backends.port import Arguments, Code, Memory
from ..base.deep_stack import with_deep_stack
from ..base.errors import BackendError
from .frame import OUT, Frame
from .kernel import code_of
from .options import Options

CUDA = "cuda"
MIN_FRAME_MS = 10.0
"""Milliseconds that a frame takes at least. What calls, launches and copies take varies by about one."""
MIN_SPENT_MS = 2000.0
"""Milliseconds that frames have taken before a GPU is tried."""
COPY_NS = 0.4
"""Nanoseconds to copy a byte of pixels back, into memory that the driver has not pinned."""
MIN_SPEEDUP = 2.0
"""How many times as long as the copy alone a frame must take."""
TRIES = 2
"""Frames by which a GPU is measured: the first one makes memory."""


class Offload:
    """Whether a GPU draws the frames of a picture.

    >>> from pellucid import images as im
    >>> from .frame import FrameVariant
    >>> from .kernel import Kernel
    >>> frame = Kernel(im.udisk, Options(), now=False).frame(FrameVariant())
    >>> found = Offload(frame, Options())
    >>> [found.is_due(40.0, 1 << 20) for _ in range(51)].index(True), found.is_due(1.0, 1 << 20)
    (49, False)
    """

    def __init__(self, frame: Frame, options: Options) -> None:
        self._frame, self._options = frame, options
        self._spent_ms = 0.0
        self._is_refused = False
        self.code: Code | None = None

    def is_due(self, ms: float, pixels: int) -> bool:
        """Whether it is time to try, after another frame of so many pixels that took the processor so long."""
        copy_ms = 4e-6 * COPY_NS * pixels
        if self._is_refused or ms < max(MIN_FRAME_MS, MIN_SPEEDUP * copy_ms):
            return False
        self._spent_ms += ms
        return self._spent_ms >= MIN_SPENT_MS

    def tried(self, arguments: Arguments, memory: Memory) -> float | None:
        """The milliseconds that the GPU takes for a frame, which the processor has drawn; None if it is not to draw."""
        self._spent_ms = 0.0
        pixels = memory[OUT]
        again = {**memory, OUT: np.empty_like(pixels)}
        times: list[float] = []
        try:
            if self.code is None:
                options = replace(self._options, backend=CUDA)
                self.code = with_deep_stack(lambda: code_of(self._frame, options))
            for _ in range(TRIES):
                began = clock.perf_counter()
                self.code.run(arguments, again)
                times.append(1e3 * (clock.perf_counter() - began))
        except BackendError:
            self.refuse()
            return None
        if not np.array_equal(again[OUT], pixels):
            self.refuse()
            return None
        return min(times)

    def refuse(self) -> None:
        """Draw no more by the GPU."""
        self._is_refused, self.code = True, None
