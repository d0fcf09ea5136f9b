"""Bands: a picture drawn and packed some rows at a time, so that saving takes the memory of a few of them.

Between `draw` and the formats that are written from the top to the bottom, `png` and `tiff`. The caller draws a band
while threads pack those before it. A band has the bits that the whole picture has there.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from pellucid.base.record import record
from pellucid.driver.threads import thread_pool

if TYPE_CHECKING:
    from concurrent.futures import Future

Samples = np.ndarray[Any, Any]
T = TypeVar("T")
R = TypeVar("R")

BYTES = 1 << 22
"""Bytes of a band, about: drawing one costs far more than the call, and a few of them fit into the caches."""
PIECE = 1 << 20
"""Bytes of a part of a band that is packed by itself: this takes milliseconds, and the files are hardly larger."""
_ROWS = 8
"""Rows of a band are a multiple of it, as kernels hand so many to a thread."""
EFFORT = 4
"""The level of zlib: a third of the time of its own default, for files about a fifth larger."""


def rows_of_band(width: int, pixel: int, most: int | None = None) -> int:
    """The rows of a band, or of so many bytes, of a picture that is so many pixels wide, each of so many bytes.

    >>> rows_of_band(20_000, 4), rows_of_band(1 << 20, 4)
    (48, 8)
    """
    most = BYTES if most is None else most
    return max(most // (width * pixel) // _ROWS, 1) * _ROWS


def _quiet(done: int) -> None:
    """Tell nobody."""


@record
class Bands:
    """A picture from the top to the bottom: `draw` gives so many rows from a first one on.

    Rows have the shape (rows, width, channels). `progress` is told the number of rows done.
    """

    width: int
    height: int
    channels: int
    dtype: np.dtype[Any]
    draw: Callable[[int, int], Samples]
    threads: int = 1
    progress: Callable[[int], None] = _quiet

    @classmethod
    def of(cls, samples: Samples) -> Bands:
        """The bands of a picture that is drawn already, of shape (height, width, channels)."""
        height, width, channels = samples.shape
        return cls(width, height, channels, samples.dtype, lambda top, rows: samples[top : top + rows])

    @property
    def rows(self) -> int:
        """The rows of a band."""
        return rows_of_band(self.width, self.channels * self.dtype.itemsize)

    def packed(self, pack: Callable[[Samples], R], rows: int | None = None) -> Iterator[R]:
        """Each band, of so many rows, packed by threads, in their order."""
        if (rows or self.rows) >= self.height:
            whole = self.draw(0, self.height)
            yield from self._pieces(pack, whole) if rows is None else [pack(whole)]
            self.progress(self.height)
            return
        rows = rows or self.rows
        tops = range(0, self.height, rows)
        drawn = (self.draw(top, min(rows, self.height - top)) for top in tops)
        for top, made in zip(tops, in_order(pack, drawn, self.threads), strict=True):
            yield made
            self.progress(min(top + rows, self.height))

    def _pieces(self, pack: Callable[[Samples], R], band: Samples) -> list[R]:
        """A band that is all there is, packed in pieces, so that all threads take part."""
        rows = rows_of_band(self.width, self.channels * self.dtype.itemsize, PIECE)
        tops = range(0, self.height, rows)
        made: dict[int, R] = {}

        def one(k: int) -> None:
            made[k] = pack(band[tops[k] : tops[k] + rows])

        thread_pool(len(tops), one, self.threads)
        return [made[k] for k in range(len(tops))]


def in_order(work: Callable[[T], R], items: Iterable[T], threads: int) -> Iterator[R]:
    """The work done for each item by so many threads, in the order of the items, of which few are waiting at a time.

    >>> list(in_order(abs, iter([-3, 2, -1]), 2))
    [3, 2, 1]
    """
    # Only what is larger than one band needs it.
    from concurrent.futures import ThreadPoolExecutor

    waiting: deque[Future[R]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        try:
            for item in items:
                waiting.append(pool.submit(work, item))
                if len(waiting) > threads:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for made in waiting:
                made.cancel()
