"""The distance from a region, where what made the region knows it, and light that fades with the distance.

A region is a truth at each point, from which no distance follows. So the words whose distance is known tell it to the
regions that they make (`Image.measured`), and combining, moving and turning regions keeps it. Above `shape`, whose
fields are distances from the start.
"""

from __future__ import annotations

from typing import Any

from ..base.errors import VocabularyError
from ..base.source_location import caller
from ..tracing import Point, clamp
from .image import KINDS, Image
from .signature import positive
from .word import word


@word("Image -> Image Number", example="distance(disk(1) | move((1.2, 0), disk(0.6)))", receiver="shape")
def distance(shape: Image) -> Image:
    """The signed distance from a region in units of the plane, negative inside; a field is its own distance.

    Known of `disk`, `udisk`, `annulus`, `half_plane`, `vstrip` and of `sdf_inside` and `sdf_stroke`, whose fields are
    taken as they are; exact still if they are moved, turned, stretched by `ustretch`, complemented, or combined by
    `xor`. It may be understated inside a union, outside an intersection or a difference, and within the line of a
    stroke. Raises VocabularyError for any other region, such as a text or a comparison of fields, and for colors.

    >>> from .region import disk
    >>> distance(~disk(2)).at([0, 5], 0)
    array([ 2., -3.], dtype=float32)
    """
    return _distance(shape, "distance")


@word(
    "Image -> Length -> Image Color -> Image Color",
    ranges={"radius": positive},
    receiver="shape",
    example="stack(fill(white, disk(0.7)), glow(disk(0.7), 1, gold), midnightblue)",
)
def glow(shape: Image, radius: Any, paint: Image) -> Image:
    """The light around a shape: all of `paint` inside, then as the square of the way left to `radius` from the edge.

    The shape is a region whose `distance` is known, or a signed distance, such as `sdf_heart(3)`. To be laid under the
    shape and over a background. Raises VocabularyError as `distance` does.

    >>> from .color import Color
    >>> from .region import disk
    >>> glow(disk(1), 2, Color(1, 0, 0)).at([0, 1, 2, 3], 0)[:, 3]
    array([1.  , 1.  , 0.25, 0.  ], dtype=float32)
    """
    field = _distance(shape, "glow")

    def light(p: Point) -> Any:
        left = 1.0 - clamp(field(p) * (1.0 / radius), 0.0, 1.0)
        return paint(p) * (left * left)

    return Image(light)


def _distance(shape: Image, word: str) -> Image:
    place = f"{caller()[0]}: {word}"
    if shape.kind == "field":
        return shape
    if shape.kind != "region":
        raise VocabularyError(
            f"shape is {KINDS[shape.kind]}, neither a region nor a distance",
            place=place,
            fix="give disk(1), say",
        )
    if shape.measure is None:
        raise VocabularyError(
            f"the distance from {shape!r} is not known, only where its inside is",
            place=place,
            fix="make it of disk, half_plane and sdf_inside(field), or give the distance itself, such as sdf_box(2, 1)",
        )
    return shape.measure
