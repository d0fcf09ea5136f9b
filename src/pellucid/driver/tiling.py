"""Tiling: into which tiles the tile machine divides a picture, as numbers, as text and as a picture of its own.

Beside `report`, for the back end "tiles": a tile of one color is filled, and any other runs a tape, the shorter the
more was decided above it. A frame is drawn once, by a machine that notes its tiles.
"""

from __future__ import annotations

from typing import Unpack

import numpy as np
from numpy.typing import NDArray

from ..backends.tiles.machine.running import TileCode, TileCounts
from ..base.errors import BackendError
from ..base.record import record
from ..base.tracebacks import door
from ..base.view import View, ViewArguments, spelled_out
from .frame import OUT, FrameVariant, PictureSource
from .kernel import Kernel, checked_source, code_of
from .options import Options
from .view import carried, check_known_params, checked_view, pixels_of

BARS, MAX_BAR = 12, 40
"""Lines of a histogram, and the characters of its longest bar."""
OUTLINED = 8
"""The smallest side of a tile that gets an outline."""
COLD, HOT, LINE = (24, 56, 140), (250, 120, 30), (255, 255, 255)
"""Colors of the shortest and the longest tape, and of outlines."""


@record(slots=False)
class Tiles:
    """The tiles of a frame. ``str(tiles)`` is the readable page, `image` the picture.

    tiles   a line for each: column, row and side in pixels, and the length of its tape, which is 0 if it was filled.
    length  instructions of the whole tape.
    counts  what the frame cost: batches and their instructions, intervals and theirs, pixels filled, and samples.
    pixels  the frame itself.
    """

    tiles: NDArray[np.int32]
    length: int
    counts: TileCounts
    pixels: NDArray[np.uint8]

    def areas(self) -> dict[int, int]:
        """The number of pixels by the length of their tape; under 0 those that were filled.

        >>> from pellucid import images as im
        >>> explain_tiles(im.checkerboard(32, im.red, im.blue), 64).areas()
        {0: 4096}
        """
        height, width = self.pixels.shape[:2]
        x, y, side, length = self.tiles.T
        inside = (np.minimum(x + side, width) - x) * (np.minimum(y + side, height) - y)
        lengths = np.unique(length)
        return {int(n): int(inside[length == n].sum()) for n in lengths}

    def __str__(self) -> str:
        """The share that was filled, and the lengths of the tapes of the rest, by area."""
        areas = self.areas()
        height, width = self.pixels.shape[:2]
        whole = width * height
        filled = areas.pop(0, 0)
        lines = [
            f"{len(self.tiles)} tiles; {filled / whole:.1%} of {width}x{height} filled",
            f"the whole tape has {self.length} instructions",
        ]
        if self.counts.samples:
            lines.append(f"{self.counts.samples / whole:.3g} samples for each pixel")
        if not areas:
            return "\n".join(lines) + "\n"
        lines += ["", "length of tape, and how much of the picture has it"]
        step = max(1, -(-max(areas) // BARS))
        bars = [0] * (max(areas) // step + 1)
        for length, area in areas.items():
            bars[length // step] += area
        for k, area in enumerate(bars):
            if area:
                bar = "#" * max(1, round(MAX_BAR * area / max(bars)))
                lines.append(f"{k * step:6} .. {(k + 1) * step - 1:<6} {area / whole:7.2%}  {bar}")
        return "\n".join(lines) + "\n"

    def image(self) -> NDArray[np.uint8]:
        """Pixels of shape (height, width, 4): what was filled as it is, the rest from blue to orange by length."""
        found = self.pixels.copy()
        longest = max(1, int(self.tiles[:, 3].max(initial=0)))
        for x, y, side, length in self.tiles.tolist():
            part = found[y : y + side, x : x + side]
            if length:
                share = length / longest
                part[..., :3] = [round(a + share * (b - a)) for a, b in zip(COLD, HOT, strict=True)]
                part[..., 3] = 255
            if side >= OUTLINED:
                for edge in (part[0], part[:, 0]):
                    edge[..., :3] = edge[..., :3] // 2 + np.array(LINE, np.uint8) // 2
                    edge[..., 3] = 255
        return found


@spelled_out(ViewArguments)
@door
def explain_tiles(
    picture: PictureSource,
    size: tuple[int, int] | int | None = None,
    *,
    view: View | None = None,
    numerics: str = "relaxed",
    precision: str = "f32",
    **arguments: Unpack[ViewArguments],
) -> Tiles:
    """The tiles that the back end "tiles" divides a frame into; the frame is drawn once.

    Raises InputError as `render` does, and BackendError for a picture that is no tape.

    >>> from pellucid import images as im
    >>> print(explain_tiles(im.checkerboard(64, im.red, im.blue), 128)) # doctest: +ELLIPSIS
    4 tiles; 100.0% of 128x128 filled
    the whole tape has ... instructions
    <BLANKLINE>
    """
    options = Options(numerics, precision, "tiles")
    source = checked_source(picture)
    seen = checked_view(size, view=view, framed=carried(source), precision=precision, **arguments)
    kernel = Kernel(source, options, now=False)
    frame = kernel.frame(FrameVariant("straight", seen.samples != 1))
    check_known_params(seen.params, frame.params)
    code = code_of(frame, kernel.options)
    if not isinstance(code, TileCode):
        raise BackendError("is no tape", place="picture", fix="see `explain` without tiles")
    pixels = pixels_of(seen.size)
    before = code.counts
    memory = {OUT: pixels.reshape(-1).view(np.uint32)}
    tiles = code.trace(kernel.values(seen, params=frame.params), memory, threads=seen.threads)
    order = np.lexsort((tiles[:, 0], tiles[:, 1]))
    counts = TileCounts(*[a - b for a, b in zip(code.counts, before, strict=True)])
    return Tiles(tiles[order], len(code.tape), counts, pixels)
