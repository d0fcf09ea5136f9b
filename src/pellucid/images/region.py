"""Regions: images of truths, and their algebra (*Functional Images*). The operators & | ^ ~ - work too."""

from __future__ import annotations

import math
from functools import reduce
from typing import Any

from ..tracing import Point
from ..tracing import functions as F
from .color import INVISIBLE
from .image import NEARER, Image, constant
from .pattern import even
from .signature import positive
from .word import value, word

_SOURCE = "Functional Images"


@value("Image Bool", source=_SOURCE)
def everywhere() -> Image:
    """The region that is the whole plane."""
    return constant(True)


@value("Image Bool", source=_SOURCE)
def nowhere() -> Image:
    """The region that is empty."""
    return constant(False)


@value("Image Bool", source=_SOURCE)
def udisk() -> Image:
    """The unit disk: the points nearer to the origin than 1."""
    return Image(lambda p: p.dot(p) < 1.0).measured(Image(lambda p: p.r - 1.0))


@word("Length -> Image Bool", ranges={"radius": positive}, example="disk(1.5)")
def disk(radius: Any) -> Image:
    """The points nearer to the origin than that."""
    return Image(lambda p: p.dot(p) < radius * radius).measured(Image(lambda p: p.r - radius))


@word("Angle -> Image Bool", example="half_plane(pi / 6)")
def half_plane(angle: Any) -> Image:
    """The points on the side of the origin to which that direction points."""
    c, s = F.cos(angle), F.sin(angle)
    return Image(lambda p: p.x * c + p.y * s > 0).measured(Image(lambda p: -(p.x * c + p.y * s)))


@word("Length -> Image Bool", ranges={"inner": (0, 1)}, example="annulus(0.5)", source=_SOURCE, width=3)
def annulus(inner: Any) -> Image:
    """The unit disk without the disk of radius `inner`."""
    # Without a hole its edge is no edge.
    ring = Image(lambda p: F.where(inner > 0.0, F.max(p.r - 1.0, inner - p.r), p.r - 1.0))
    return Image(lambda p: (p.dot(p) < 1.0) & ~(p.dot(p) < inner * inner)).measured(ring)


@word("Integer -> Image Bool", ranges={"count": (1, math.inf)}, example="rad_reg(7)", source=_SOURCE)
def rad_reg(count: Any) -> Image:
    """Wedges about the origin, `count` inside and as many outside, starting above the positive x axis."""
    return Image(lambda p: even(F.floor(p.theta * (count / math.pi))))


@word(
    "Length -> Integer -> Image Bool",
    ranges={"inner": (0, 1), "count": (1, math.inf)},
    example="wedge_annulus(0.25, 10)",
    source=_SOURCE,
    width=3,
)
def wedge_annulus(inner: Any, count: Any) -> Image:
    """The annulus cut into wedges."""
    return annulus(inner) & rad_reg(count)


# ---- algebra ----


def _all(regions: tuple[Image, ...], p: Point, start: Any, sign: str) -> Any:
    from .image import SIGNS

    result = start
    for region in regions:
        result = SIGNS[sign](result, region(p))
    return result


def _of_all(regions: tuple[Image, ...], sign: str) -> Image | None:
    """The signed distance from regions combined, if that from each of them is known."""
    measures = [region.measure for region in regions if region.measure is not None]
    if not regions or len(measures) < len(regions):
        return None
    return Image(lambda p: reduce(NEARER[sign], [measure(p) for measure in measures]))


@word(
    "Image Bool... -> Image Bool",
    example="union(move((1, 0), udisk), move((-1, 0), udisk), udisk)",
    source=_SOURCE,
)
def union(*regions: Image) -> Image:
    """The points inside any of the regions; of no regions, nowhere."""
    return Image(lambda p: _all(regions, p, False, "|")).measured(_of_all(regions, "|"))


@word(
    "Image Bool... -> Image Bool",
    example="intersect(move((0.5, 0), udisk), move((-0.5, 0), udisk))",
    source=_SOURCE,
)
def intersect(*regions: Image) -> Image:
    """The points inside all of the regions; of no regions, everywhere."""
    return Image(lambda p: _all(regions, p, True, "&")).measured(_of_all(regions, "&"))


@word(
    "Image Bool... -> Image Bool",
    example="xor(move((0.5, 0), udisk), move((-0.5, 0), udisk))",
    source=_SOURCE,
)
def xor(*regions: Image) -> Image:
    """The points inside an odd number of the regions."""
    return Image(lambda p: _all(regions, p, False, "^")).measured(_of_all(regions, "^"))


@word(
    "Image Bool -> Image Bool -> Image Bool",
    example="subtract(udisk, move((0.5, 0), udisk))",
    source=_SOURCE,
    receiver="region",
)
def subtract(region: Image, other: Image) -> Image:
    """The points inside the region and outside of the other."""
    return region - other


@word("Image Bool -> Image Bool", example="complement(udisk)", source=_SOURCE)
def complement(region: Image) -> Image:
    """The points outside of the region."""
    return ~region


@word(
    "Length -> Image Bool -> Image Bool",
    example="shift_xor(2.6, alt_rings)",
    source=_SOURCE,
    width=20,
)
def shift_xor(distance: Any, region: Image) -> Image:
    """The exclusive or of the region moved left and right by a distance."""
    offset = Point(distance, 0.0)
    return Image(lambda p: region(p + offset) ^ region(p - offset))


@word(
    "Count -> Length -> Image Bool -> Image Bool",
    ranges={"copies": (1, 1024)},
    example="xorgon(8, 7 / 4, alt_rings)",
    source=_SOURCE,
    width=14,
)
def xorgon(copies: int, distance: Any, region: Image) -> Image:
    """The exclusive or of copies of the region, moved to the corners of a regular polygon about the origin."""
    offsets = [Point.polar(distance, 2 * math.pi * k / copies) for k in range(copies)]

    def overlaid(p: Point) -> Any:
        result: Any = region(p - offsets[0])
        for offset in offsets[1:]:
            result = result ^ region(p - offset)
        return result

    return Image(overlaid)


# ---- from regions to colors ----


@word(
    "Image Bool -> Image Color -> Image Color",
    example="crop(wedge_annulus(0.25, 10), rings(yellow, blue, 0.1))",
    source=_SOURCE,
    width=3,
)
def crop(region: Image, image: Image) -> Image:
    """The image inside of the region, invisible outside."""
    return Image(lambda p: F.where(region(p), image(p), INVISIBLE))


@word("Image Color -> Image Bool -> Image Color", example="fill(tomato, rad_reg(7))")
def fill(paint: Image, region: Image) -> Image:
    """The region painted with a color or another image, invisible outside."""
    return Image(lambda p: F.where(region(p), paint(p), INVISIBLE))
