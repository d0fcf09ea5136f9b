"""From Python functions to expressions: symbolic values, their operators, and the functions that take them."""

from .functions import clamp, fraction, iterate, load, sign, smoothstep, to_integer, where
from .structures import Complex, Point, flatten
from .tracer import Param, Value, call, convert, is_symbolic, param, real_type, static, tracing

__all__ = [
    "Complex",
    "Param",
    "Point",
    "Value",
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
