"""Functions of NumPy by what they are here: rows of the operator table, or operators of Python.

Below `tracer`, whose symbolic values NumPy hands such functions to. A function that has the name of a row is that row.
"""

from __future__ import annotations

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
OPERATORS = {
    "greater": "gt",
    "greater_equal": "ge",
    "remainder": "mod",
    "floor_divide": "floordiv",
    "bitwise_and": "and_",
    "bitwise_or": "or_",
    "bitwise_xor": "xor",
    "left_shift": "lshift",
    "right_shift": "rshift",
    "invert": "invert",
}
"""Functions that are operators, by their name in the module `operator`; the types tell which rows these are."""
