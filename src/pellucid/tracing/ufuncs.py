"""Functions of NumPy by what they are here: rows of the operator table, or operators of Python.

Below `tracer`, `staging` and the signals, whose values NumPy hands such functions to. A function that has the name of a
row is that row.
"""

from __future__ import annotations

import operator
from typing import Any

ROWS = {
    "absolute": "abs",
    "fabs": "abs",
    "negative": "neg",
    "subtract": "sub",
    "multiply": "mul",
    "divide": "div",
    "true_divide": "div",
    "minimum": "min",
    "maximum": "max",
    "power": "pow",
    "arctan2": "atan2",
    "arctan": "atan",
    "arcsin": "asin",
    "arccos": "acos",
    "rint": "round",
    "less": "lt",
    "less_equal": "le",
    "equal": "eq",
    "not_equal": "ne",
}
"""Functions whose row has another name."""
_python: Any = operator
OPERATORS: dict[str, Any] = {
    "add": _python.add, "subtract": _python.sub, "multiply": _python.mul, "divide": _python.truediv,
    "floor_divide": _python.floordiv, "remainder": _python.mod, "left_shift": _python.lshift,
    "right_shift": _python.rshift, "bitwise_and": _python.and_, "bitwise_or": _python.or_,
    "bitwise_xor": _python.xor, "invert": _python.invert, "less": _python.lt, "less_equal": _python.le,
    "greater": _python.gt, "greater_equal": _python.ge, "equal": _python.eq, "not_equal": _python.ne,
}  # fmt: skip
"""Functions that are operators of Python. Where they are no rows, the types of the operands tell which they are."""
