"""The column of Taylor models: the rule of each row that has one, by the row's name.

The operator table knows nothing of Taylor models; this back end adds what it knows of rows here, and nowhere else. A
row without an entry gets the rule of its short body, or its interval only: see `taylor.rules`.
"""

from __future__ import annotations

import math

from ....ir.intervals.notation import Term, fma
from ....ir.prims.power import log2_near
from . import models
from .models import Rule, exponential, logarithm, powers, waves


def _pow_units(x: Term, _: Term) -> Term:
    return x.lift(8.0)


def _pow_near_units(x: Term, y: Term) -> Term:
    """The logarithm is off by a few units, and the relative error of the power is the exponent times as large."""
    return fma(abs(y * log2_near(x)), 8.0, 8.0)


COLUMN: dict[str, Rule] = {
    "add": models.add,
    "sub": models.sub,
    "mul": models.mul,
    "div": models.div,
    "fma": models.fused,
    "neg": models.neg,
    "abs": models.absolute,
    "min": models.smaller,
    "max": models.larger,
    "sqrt": models.rooted,
    "choose": models.chosen,
    "convert": models.converted,
    "sin": waves("sin", "cos_near", 1),
    "cos": waves("cos", "sin_near", -1),
    "sin_near": waves("sin_near", "cos_near", 1),
    "cos_near": waves("cos_near", "sin_near", -1),
    "sinpi": waves("sinpi", "cospi", 1, 2.0),
    "cospi": waves("cospi", "sinpi", -1, 2.0),
    "atan": models.arc,
    "atan2": models.angle,
    "exp": exponential("exp", 1.0, 4),
    "exp2": exponential("exp2", math.log(2), 4),
    "log": logarithm("log", 1.0, 8),
    "log2": logarithm("log2", 1 / math.log(2), 8),
    "log10": logarithm("log10", 1 / math.log(10), 8),
    "pow": powers("pow", _pow_units),
    "pow_near": powers("pow_near", _pow_near_units),
}
"""Rules by name of their rows: functions ``(result type, interval, *enclosures) -> TaylorModel``."""
