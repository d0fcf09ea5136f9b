"""The arguments of words as Python types: one for each type of a signature, under the same name.

The stubs that editors and type checkers read are written with these by ``python -m tools.stubs``. A type whose name is
that of a class here has ``Like`` after it, and what may change with time has ``Moving`` before it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from ..tracing import Point, Value
from .animation import Animation, Behavior
from .color import Color
from .image import Image

Number: TypeAlias = float | Value
Length: TypeAlias = Number
Angle: TypeAlias = Number
Fraction: TypeAlias = Number
Integer: TypeAlias = Number
Count: TypeAlias = int
Text: TypeAlias = str
Truth: TypeAlias = bool
PointLike: TypeAlias = Point | complex | tuple[Number, Number] | list[float]
ColorLike: TypeAlias = Color | str
ImageLike: TypeAlias = Image | Color | Point | str | Number
Function: TypeAlias = Callable[..., Any]
Transform: TypeAlias = Callable[[Point], Point]
TransformLike: TypeAlias = Callable[[Point], Point | tuple[Any, Any]]
Stops: TypeAlias = Sequence[ColorLike] | Sequence[tuple[Number, ColorLike]]

Picture: TypeAlias = Image | Animation
"""The result of a word of which an argument may move: an animation if one does."""
MovingNumber: TypeAlias = Number | Behavior
MovingPoint: TypeAlias = PointLike | Behavior | tuple[MovingNumber, MovingNumber]
MovingColor: TypeAlias = ColorLike | Behavior
MovingImage: TypeAlias = ImageLike | Behavior
MovingTransform: TypeAlias = TransformLike | Behavior
MovingStops: TypeAlias = Stops | Behavior

GIVEN = {
    "Number": ("Number", "MovingNumber"),
    "Length": ("Length", "MovingNumber"),
    "Angle": ("Angle", "MovingNumber"),
    "Fraction": ("Fraction", "MovingNumber"),
    "Integer": ("Integer", "MovingNumber"),
    "Point": ("PointLike", "MovingPoint"),
    "Color": ("ColorLike", "MovingColor"),
    "Image": ("ImageLike", "MovingImage"),
    "Transform": ("TransformLike", "MovingTransform"),
    "Stops": ("Stops", "MovingStops"),
    "Count": ("Count", "Count"),
    "Text": ("Text", "Text"),
    "Truth": ("Truth", "Truth"),
    "Function": ("Function", "Function"),
    "Any": ("Any", "Any"),
    "Animation": ("MovingImage", "MovingImage"),
    "Behavior": ("MovingNumber", "MovingNumber"),
}
"""The Python types of what a type of a signature takes: while nothing moves, and when something may."""
RESULTS = {"Image": ("Image", "Picture"), "Color": ("Color", "Color | Behavior")}
"""The Python types of what a word gives; other types of results are made of what never moves, or are behaviors too."""
