"""Row writers: write rows of pixels to a frame, through the caches or past them.

A frame larger than the caches is written by non-temporal stores: a cached store would first read what it overwrites.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, auto

from ...jit.assembly import Function, Value
from ..abi import FrameWord, FrameWriter
from ..sizes import LANES

LINE_BYTES = 4 * LANES
"""Bytes of 16 pixels, and of a line of most caches."""
STREAM_THRESHOLD = 1 << 24
"""Bytes of a frame from which on it is written past the caches."""


class StoreMode(Enum):
    """The mode of writing 16 pixels: through the caches, or past them."""

    CACHED = auto()
    STREAMED = auto()


def is_streamed(place: int, width: int, height: int) -> bool:
    """Whether a frame at an address is written past the caches: it is large, and each row begins with a line.

    >>> is_streamed(0, 4096, 4096), is_streamed(4, 4096, 4096), is_streamed(0, 1024, 1024)
    (True, False, False)
    """
    return 4 * width * height >= STREAM_THRESHOLD and place % LINE_BYTES == 4 * width % LINE_BYTES == 0


def store_row(f: Function, value: Value, place: Value, left: Value, mode: StoreMode) -> None:
    """Write 16 pixels, or those that are left in the row."""
    if mode is StoreMode.STREAMED:
        f.stream(value, place, LINE_BYTES)
        return
    whole = left >= LANES
    with f.when(whole):
        f.store(value, place, align=4)
    with f.when(whole ^ 1):
        lanes = f.lanes("i32", range(LANES))
        mask = lanes < f.splat(left.to("i32"), LANES)
        f.call(f"llvm.masked.store.v{LANES}i32.p0", value, place, f.number(4, "i32"), mask)


def store_rows(
    f: Function, w: FrameWriter, rows: Callable[[StoreMode], None], *, narrow: Value | None = None
) -> None:
    """Write rows in the mode of the frame; rows that are `narrow`, under 16 pixels, are never streamed."""
    streamed = w.word(FrameWord.STREAMED).differs(0)
    if narrow is not None:
        streamed = streamed & (narrow ^ 1)
    with f.when(streamed ^ 1):
        rows(StoreMode.CACHED)
    with f.when(streamed):
        rows(StoreMode.STREAMED)


def finish_stores(f: Function, w: FrameWriter) -> None:
    """Order non-temporal stores before the end of the task."""
    with f.when(w.word(FrameWord.STREAMED).differs(0)):
        f.emit("fence seq_cst")
