# Written by `python -m tools.stubs` from the registries: change those.
# Of what is Any, either type of a word may be meant; the one that comes first then is part of the other.
# pyright: reportOverlappingOverload=false, reportUnsupportedDunderAll=false
# mypy: disable-error-code="overload-overlap,misc"

"""Pellucid: a run-time compiler for pixels and samples that you can see through.

Images are functions of continuous space and time; every picture is compiled for exactly the case at hand.

>>> import pellucid as pl
>>> from pellucid import images as im
>>> pl.render(im.checkerboard(10, im.black, im.white), size=(40, 20)).shape
(20, 40, 4)
"""

from typing import Any

from . import algebra as algebra
from . import backends as backends
from . import canvas as canvas
from . import conversion as conversion
from . import document as document
from . import driver as driver
from . import images as images
from . import ir as ir
from . import loops as loops
from . import notebook as notebook
from . import pixels as pixels
from . import reasoning as reasoning
from . import rewriting as rewriting
from . import signals as signals
from . import staging as staging
from . import tracing as tracing
from .base.errors import PellucidError as PellucidError
from .base.view import View as View
from .canvas.blocks import to_dask as to_dask
from .canvas.codes import pack as pack
from .canvas.codes import unpack as unpack
from .canvas.convert import convert as convert
from .canvas.draw import animate as animate
from .canvas.draw import render as render
from .canvas.draw import save as save
from .canvas.explaining import explain as explain
from .canvas.exporting import export as export
from .canvas.show import show as show
from .canvas.store import store as store
from .conversion.plan import plan_conversion as plan_conversion
from .driver import compile as compile
from .driver import export_c as export_c
from .driver.codes import compile_code as compile_code
from .driver.fit import fit as fit
from .driver.session import Session as Session
from .driver.tiling import explain_tiles as explain_tiles
from .images import animation as animation
from .images import image as image
from .images.evaluation import sample as sample
from .notebook.widget import explore as explore
from .signals import effect as effect
from .signals import filter_audio as filter_audio
from .signals import read_audio as read_audio
from .signals import render_audio as render_audio
from .signals import voice as voice
from .studio.tiles import serve as serve
from .tracing import Complex as Complex
from .tracing import Point as Point
from .tracing import Vector3 as Vector3
from .tracing import clamp as clamp
from .tracing import fraction as fraction
from .tracing import iterate as iterate
from .tracing import load as load
from .tracing import param as param
from .tracing import sign as sign
from .tracing import smoothstep as smoothstep
from .tracing import to_integer as to_integer
from .tracing import where as where

__version__: str
__all__: list[str] = ['Complex', 'PellucidError', 'Point', 'Session', 'Vector3', 'View', 'animate', 'animation', 'clamp', 'compile', 'compile_code', 'convert', 'effect', 'explain', 'explain_tiles', 'explore', 'export', 'export_c', 'filter_audio', 'fit', 'fraction', 'image', 'iterate', 'load', 'pack', 'param', 'plan_conversion', 'read_audio', 'render', 'render_audio', 'sample', 'save', 'serve', 'show', 'sign', 'smoothstep', 'store', 'to_dask', 'to_integer', 'unpack', 'voice', 'where']

def abs(x: Any, /) -> Any:
    """The magnitude of x; of the lowest integer, itself."""
def acos(x: Any, /) -> Any:
    """The angle in radians, from 0 to pi, whose cosine is x; NaN beyond 1."""
def add(x: Any, y: Any, /) -> Any:
    """The sum x + y."""
def asin(x: Any, /) -> Any:
    """The angle in radians, from -pi/2 to pi/2, whose sine is x; NaN beyond 1."""
def atan(x: Any, /) -> Any:
    """The angle in radians, from -pi/2 to pi/2, whose tangent is x."""
def atan2(x: Any, y: Any, /) -> Any:
    """The angle in radians, from -pi to pi, of the point (y first, x second) from the positive x axis."""
def bitcast(x: Any, /) -> Any:
    """The bits of x read as another type of the same width."""
def cbrt(x: Any, /) -> Any:
    """The cube root of x."""
def ceil(x: Any, /) -> Any:
    """The smallest integer not below x."""
def choose(x: Any, y: Any, z: Any, /) -> Any:
    """x if the condition holds, else y; the other is not evaluated."""
def cos(x: Any, /) -> Any:
    """The cosine of x radians."""
def cos_near(x: Any, /) -> Any:
    """The cosine of x radians, without the long way for large angles: as good up to a million (f32) or 2**48 (f64), as if x
    were off by half a unit in its last place up to 2**22 or 2**51, and beyond that any number from -1 to 1.
    """
def cosh(x: Any, /) -> Any:
    """The hyperbolic cosine of x."""
def cospi(x: Any, /) -> Any:
    """The cosine of x half turns."""
def div(x: Any, y: Any, /) -> Any:
    """The quotient x / y of floats."""
def eq(x: Any, y: Any, /) -> Any:
    """Whether x = y."""
def exp(x: Any, /) -> Any:
    """e to the x."""
def exp2(x: Any, /) -> Any:
    """Two to the x."""
def expm1(x: Any, /) -> Any:
    """e to the x, less 1, precisely near 0."""
def floor(x: Any, /) -> Any:
    """The largest integer not above x."""
def floor_div(x: Any, y: Any, /) -> Any:
    """The integer quotient rounded down; 0 when y is 0."""
def fma(x: Any, y: Any, z: Any, /) -> Any:
    """x * y + z with one rounding."""
def hypot(x: Any, y: Any, /) -> Any:
    """The length of the vector (x, y), without overflow on the way."""
def le(x: Any, y: Any, /) -> Any:
    """Whether x <= y."""
def lerp(x: Any, y: Any, z: Any, /) -> Any:
    """a + w * (b - a): a at w = 0, b (within a step) at w = 1."""
def log(x: Any, /) -> Any:
    """The natural logarithm of x."""
def log10(x: Any, /) -> Any:
    """The logarithm of x to base 10."""
def log1p(x: Any, /) -> Any:
    """The natural logarithm of 1 + x, precisely near 0."""
def log2(x: Any, /) -> Any:
    """The logarithm of x to base 2."""
def lt(x: Any, y: Any, /) -> Any:
    """Whether x < y."""
def max(x: Any, y: Any, /) -> Any:
    """x if x > y, else y."""
def min(x: Any, y: Any, /) -> Any:
    """x if x < y, else y."""
def mod(x: Any, y: Any, /) -> Any:
    """The integer x minus y times the floored quotient, with the sign of y; x when y is 0."""
def mul(x: Any, y: Any, /) -> Any:
    """The product x * y."""
def ne(x: Any, y: Any, /) -> Any:
    """Whether x differs from y."""
def neg(x: Any, /) -> Any:
    """The negation -x."""
def pow(x: Any, y: Any, /) -> Any:
    """x to the y, as in IEEE 754: NaN for a negative x and a y that is not whole; 1 when y is 0 or x is 1."""
def pow_near(x: Any, y: Any, /) -> Any:
    """x to the y for pictures: the error grows with the result's exponent, x counts as at least the smallest normal number,
    and the result stays normal.
    """
def round(x: Any, /) -> Any:
    """x rounded to the nearest integer, ties to even."""
def shift_left(x: Any, y: Any, /) -> Any:
    """x times two to the y; 0 when y is negative or at least the width."""
def shift_left_in(x: Any, y: Any, /) -> Any:
    """x times two to the y, for y proved to be within the width."""
def shift_right(x: Any, y: Any, /) -> Any:
    """x shifted right, keeping the sign of signed types; all out when y is negative or at least the width."""
def shift_right_in(x: Any, y: Any, /) -> Any:
    """x shifted right, keeping the sign of signed types, for y proved to be within the width."""
def sin(x: Any, /) -> Any:
    """The sine of x radians."""
def sin_near(x: Any, /) -> Any:
    """The sine of x radians, without the long way for large angles: as good up to a million (f32) or 2**48 (f64), as if x
    were off by half a unit in its last place up to 2**22 or 2**51, and beyond that any number from -1 to 1.
    """
def sinh(x: Any, /) -> Any:
    """The hyperbolic sine of x."""
def sinpi(x: Any, /) -> Any:
    """The sine of x half turns."""
def smooth(x: Any, /) -> Any:
    """x * x * (3 - 2 * x): from 0 to 1 with level ends as x goes from 0 to 1."""
def sqrt(x: Any, /) -> Any:
    """The square root of x, correctly rounded; NaN below zero."""
def sub(x: Any, y: Any, /) -> Any:
    """The difference x - y."""
def tan(x: Any, /) -> Any:
    """The tangent of x radians."""
def tan_near(x: Any, /) -> Any:
    """The tangent of x radians, without the long way for large angles: as good up to a million (f32) or 2**48 (f64), as if x
    were off by half a unit in its last place up to 2**22 or 2**51, and beyond that any number.
    """
def tanh(x: Any, /) -> Any:
    """The hyperbolic tangent of x."""
def trunc(x: Any, /) -> Any:
    """x rounded towards zero."""
def truncate_in(x: Any, /) -> Any:
    """The float x truncated to an integer type, for x proved to be within its range."""
def xor(x: Any, y: Any, /) -> Any:
    """The bits set in one of x and y."""
