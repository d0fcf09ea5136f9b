"""Text as a region of the plane: letters without pixels, to be moved, colored and zoomed like any other region.

Letters are drawn once by Pillow, large and with soft edges; the region is where the softness, read bilinearly, is at
least one half. With ``outlines=True`` the curves of the font itself decide, at any magnification (`outline`).
"""

from __future__ import annotations

import io
import itertools
import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..base.errors import FileError, InputError, installed
from ..base.opening import contents
from ..tracing import Point
from .arrays import in_place_raster
from .image import Image
from .reconstruct import sampler
from .signature import positive
from .word import word

if TYPE_CHECKING:
    from PIL.ImageFont import FreeTypeFont

MAX_PIXELS = 1 << 26
"""Maximum pixels of the drawing of letters."""
_MEASURE, _FEW = 1000, 40
"""Pixels of a line: where letters are measured, and where they are told apart at first."""
_LEADING = 1.2
# A letter that no font has, to find out how a font draws those it lacks.
_NOWHERE = "\U0010ffff"


class TextLine(NamedTuple):
    """One line: its letters, where its base line begins, and how far along each stands, in units of their size."""

    letters: str
    x: float
    y: float
    places: list[float]


class Setting(NamedTuple):
    """Text that has been set: its lines, and half of the width and height of the block, whose middle is the origin."""

    lines: list[TextLine]
    half_width: float
    half_height: float


@word(
    "Text -> Length -> Text -> Text -> Count -> Truth -> Image Bool",
    ranges={"size": positive, "align": ("left", "center", "right"), "detail": (8, 4096)},
    example='text("pellucid")',
    width=5,
)
def text(
    letters: str,
    size: Any = 1.0,
    font: str = "",
    align: str = "center",
    detail: int = 512,
    outlines: bool = False,
) -> Image:
    """The inside of letters, in lines of one or more, with the middle of the block at the origin.

    `size` is the height from one ascender to the next descender, about; `font` the path of a TrueType or OpenType file
    (without one, the font that comes with Pillow); `detail` how many pixels high letters are drawn before they are cut
    out: corners are sharp to one part in `detail`. With `outlines`, the curves of the font are used as they are (needs
    the extra ``pellucid[text]``). Raises FileError for a font that cannot be read, InputError for a letter it lacks.

    >>> text("o").at([0, -0.22], -0.03)
    array([False,  True])
    """
    data = _font_bytes(font)
    place = font or "the font of Pillow"
    measure = _open(data, _MEASURE, place)
    _require_letters(letters, _open(data, _FEW, place), measure, place)
    setting = _set(letters, measure, align)
    if outlines:
        from .outline import inside_outlines

        inside = inside_outlines(setting, data, place)
        return Image(lambda p: inside(p / size))
    drawn = _draw(setting, _open(data, detail, place), detail)
    sample = sampler(in_place_raster(drawn, "gray8", "letters"), "bilinear", "clamp")
    return Image(lambda p: sample(Point(p.x * (detail / size), p.y * (detail / size))).r >= 0.5)


def _font_bytes(font: str) -> bytes:
    if not font:
        with installed("Pillow"):
            from PIL import ImageFont

        bundled: Any = ImageFont.load_default(_MEASURE)
        if not isinstance(bundled, ImageFont.FreeTypeFont):
            raise FileError("cannot draw outlines", place="Pillow", fix="install a Pillow with FreeType")
        stream: Any = bundled.path
        return stream.getvalue()
    return contents(font, "a TrueType or OpenType font")


def _open(data: bytes, size: int, place: str) -> FreeTypeFont:
    with installed("Pillow"):
        from PIL import ImageFont

    try:
        # The plain layout: the same everywhere, whatever other libraries Pillow was built with.
        return ImageFont.truetype(io.BytesIO(data), size, layout_engine=ImageFont.Layout.BASIC)
    except (OSError, ValueError) as error:
        fix = "give the path of a TrueType or OpenType font"
        raise FileError(f"is not a font ({error})", place=place, fix=fix) from None


def _require_letters(letters: str, few: FreeTypeFont, measure: FreeTypeFont, place: str) -> None:
    """Nothing, if a font has all letters, lines apart; raises InputError that names the first that it lacks."""
    # What a font lacks it draws as it draws any such letter; nearly all differ from that in few pixels already.
    lack = _shape(_NOWHERE, few)
    if not any(lack[1]):
        return
    for letter in sorted(set(letters) - {"\n"}):
        if _shape(letter, few) == lack and _shape(letter, measure) == _shape(_NOWHERE, measure):
            raise InputError(
                f"{place} has no letter {letter!r}",
                place="text",
                fix="give a font that has, as in font='…ttf'",
            )


def _set(letters: str, measure: FreeTypeFont, align: str) -> Setting:
    rows = letters.split("\n")
    widths = [measure.getlength(row) / _MEASURE for row in rows]
    ascent, descent = (m / _MEASURE for m in measure.getmetrics())
    half_width = max(widths) / 2
    half_height = (ascent + descent + _LEADING * (len(rows) - 1)) / 2
    shift = {"left": 0.0, "center": 0.5, "right": 1.0}[align]
    lines = [
        TextLine(
            row,
            (2 * half_width - width) * shift - half_width,
            half_height - ascent - _LEADING * k,
            _places(row, measure),
        )
        for k, (row, width) in enumerate(zip(rows, widths, strict=True))
    ]
    return Setting(lines, half_width, half_height)


def _shape(letter: str, font: FreeTypeFont) -> tuple[tuple[int, int], bytes]:
    mask: Any = font.getmask(letter)
    return mask.size, bytes(mask)


def _places(row: str, measure: FreeTypeFont) -> list[float]:
    # From one letter to the next it is as far as both are long together, which counts kerning, without the next.
    lengths: dict[str, float] = {}
    places, x = [0.0], 0.0
    for pair in map("".join, itertools.pairwise(row)):
        if pair not in lengths:
            lengths[pair] = (measure.getlength(pair) - measure.getlength(pair[1])) / _MEASURE
        x += lengths[pair]
        places.append(x)
    return places[: len(row)]


def _draw(setting: Setting, font: FreeTypeFont, detail: int) -> np.ndarray[Any, Any]:
    with installed("Pillow"):
        from PIL import Image as Pillow
        from PIL import ImageDraw

    # Letters may lean out of their block; an even number of pixels keeps its middle between two of them.
    margin = 0.5
    columns = 2 * math.ceil((setting.half_width + margin) * detail)
    rows = 2 * math.ceil((setting.half_height + margin) * detail)
    if columns * rows > MAX_PIXELS:
        raise InputError(
            f"{columns} by {rows} pixels of letters are too many",
            place="text",
            fix="give less detail, or shorter text",
        )
    picture = Pillow.new("L", (columns, rows))
    pen = ImageDraw.Draw(picture)
    for line in setting.lines:
        for letter, x in zip(line.letters, line.places, strict=True):
            at = (columns / 2 + (line.x + x) * detail, rows / 2 - line.y * detail)
            pen.text(at, letter, fill=255, font=font, anchor="ls")
    return np.asarray(picture)
