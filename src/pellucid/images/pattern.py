"""Patterns that fill the plane: stripes, checkers, rings, gaskets, waves."""

from __future__ import annotations

from typing import Any

from ..tracing import functions as F
from .image import Image
from .signature import positive
from .word import value, word

_PAPER = "Functional Images"


def even(x: Any) -> Any:
    """Whether a whole number, held in a float, is even."""
    half = x * 0.5
    return half == F.floor(half)


@value("Image Bool", source=_PAPER)
def vstrip() -> Image:
    """The vertical strip of width 1 about the origin."""
    return Image(lambda p: abs(p.x) <= 0.5)


@value("Image Bool", source="Pan 2.3", width=8)
def checker() -> Image:
    """Squares of side 1, alternately inside and outside."""
    # The parity is found in floats: a conversion to integers and back would cost more than it saves.
    return Image(lambda p: even(F.floor(p.x) + F.floor(p.y)))


@word(
    "Length -> Image a -> Image a -> Image a",
    ranges={"size": positive},
    example="checkerboard(1, black, white)",
    source="Pan 2.3",
    width=8,
)
def checkerboard(size: Any, first: Image, second: Image) -> Image:
    """Squares of that side, alternately of the first and of the second image or color."""

    def board(p: Any) -> Any:
        return F.where(checker(p / size), first(p), second(p))

    return Image(board)
