"""The image algebra: arrays with coordinate sets, written down as on paper, made fast by proven moves.

Arrays come in and go out as NumPy arrays. A program says what each operation is at every point; `compile` makes one
loop nest of it, and `Program.explain` shows how. Source: White, section 2.3; Ritter, Wilson and Davidson.

>>> from pellucid import algebra as alg
>>> import numpy as np
>>> a, h, i = alg.array("a", (4, 6), "u8"), alg.array("h", 256, "i64"), alg.index("i", 256)
>>> h[i] = alg.sum(alg.chi(a == i))
>>> alg.run(h, a=np.full((4, 6), 3, np.uint8))[:5]
array([ 0,  0,  0, 24,  0])
"""

from .array import Array, array, chi, coordinate, index, maximum, minimum, pointwise, scalar, where
from .blocks import halo, map_blocks
from .operation import Coordinates
from .program import Program, compile, run
from .template import (
    additive_maximum,
    additive_minimum,
    convolve,
    correlate,
    dilate,
    erode,
    max,
    mean,
    median,
    min,
    restrict,
    shift,
    sum,
    translate,
)

__all__ = [
    "Array",
    "Coordinates",
    "Program",
    "additive_maximum",
    "additive_minimum",
    "array",
    "chi",
    "compile",
    "convolve",
    "coordinate",
    "correlate",
    "dilate",
    "erode",
    "halo",
    "index",
    "map_blocks",
    "max",
    "maximum",
    "mean",
    "median",
    "min",
    "minimum",
    "pointwise",
    "restrict",
    "run",
    "scalar",
    "shift",
    "sum",
    "translate",
    "where",
]
