"""From Python functions to expressions: symbolic values, their operators, and the functions that take them."""

from .functions import clamp, fraction, iterate, load, sign, smoothstep, to_integer, where
from .params import Param, param
from .session import real_type, tracing
from .structures import Complex, Point, flatten
from .tracer import Value, call, convert, is_symbolic, static
from .vector import Vector3

__all__ = [
    "Complex",
    "Param",
    "Point",
    "Value",
    "Vector3",
    "call",
    "clamp",
    "convert",
    "flatten",
    "fraction",
    "is_symbolic",
    "iterate",
    "load",
    "param",
    "real_type",
    "sign",
    "smoothstep",
    "static",
    "to_integer",
    "tracing",
    "where",
]
