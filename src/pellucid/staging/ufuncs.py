"""Functions of NumPy that are operators of Python: what they are where one operand is a number of NumPy.

Below `value` and the signals, whose `__array_ufunc__` asks here.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

_python: Any = operator
_OPERATORS: dict[str, Any] = {
    "add": _python.add, "subtract": _python.sub, "multiply": _python.mul, "divide": _python.truediv,
    "floor_divide": _python.floordiv, "remainder": _python.mod, "left_shift": _python.lshift,
    "right_shift": _python.rshift, "bitwise_and": _python.and_, "bitwise_or": _python.or_,
    "bitwise_xor": _python.xor, "less": _python.lt, "less_equal": _python.le, "greater": _python.gt,
    "greater_equal": _python.ge, "equal": _python.eq, "not_equal": _python.ne,
}  # fmt: skip


def by_operator(ufunc: Any, method: str, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """The result of Python's operator in place of a function of NumPy on numbers; NotImplemented where there is none.

    >>> by_operator(np.multiply, "__call__", (np.float32(0.5), 3), {})
    1.5
    """
    operation = _OPERATORS.get(ufunc.__name__) if method == "__call__" and not options else None
    if operation is None or any(isinstance(x, np.ndarray) and x.ndim for x in inputs):
        return NotImplemented
    return operation(*(x.item() if isinstance(x, np.generic) else x for x in inputs))
