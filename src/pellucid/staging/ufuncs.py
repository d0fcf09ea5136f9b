"""Functions of NumPy that are operators of Python: what they are where one operand is a number of NumPy.

Below `value` and the signals, whose `__array_ufunc__` asks here.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..tracing.ufuncs import OPERATORS


def by_operator(ufunc: Any, method: str, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """The result of Python's operator in place of a function of NumPy on numbers; NotImplemented where there is none.

    >>> by_operator(np.multiply, "__call__", (np.float32(0.5), 3), {})
    1.5
    """
    operation = OPERATORS.get(ufunc.__name__) if method == "__call__" and not options else None
    if operation is None or any(isinstance(x, np.ndarray) and x.ndim for x in inputs):
        return NotImplemented
    return operation(*(x.item() if isinstance(x, np.generic) else x for x in inputs))
