"""What messages say to write instead of what an interpreter cannot hold.

`expressions` refuses functions as values, and functions of Python that have no translation; the words are here.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping
from typing import Any

CALLABLE = (
    "call functions that `def` makes, or abs, apply, bool, dict, float, int, isinstance, len, list, max, min, "
    "tuple"
)
"""Functions that an interpreter may call."""
_ROWS = {
    math.fabs: "abs(x)", math.pow: "apply('pow.f64', x, y)", math.atan2: "apply('atan2.f64', y, x)",
    **{one: f"apply('{one.__name__}.f64', x)" for one in (math.sin, math.cos, math.exp, math.log, math.sqrt)},
    **{one: f"int(apply('{one.__name__}.f64', x))" for one in (math.floor, math.ceil, math.trunc)},
}  # fmt: skip
CALLS: Mapping[Any, str] = {
    **dict.fromkeys(
        (range, enumerate, zip, reversed), "use it in `for ... in ...`, or append the items to a list"
    ),
    **dict.fromkeys((sum, any, all, sorted, map, filter, set, print), "write a loop"),
    **{one: f"write {text}" for one, text in _ROWS.items()},
    round: "write int(apply('round.f64', x))",
    divmod: "write x // y and x % y",
    pow: "multiply, or write apply('pow.f64', x, y)",
}
"""For functions of Python that it may not call by themselves, what to write."""
INSTEAD: Mapping[type[ast.AST], str] = {
    ast.Lambda: "write a function with `def` at the top of the file, and call it by its name; "
    "where one of several is wanted, hand on a text that names it, and branch",
    ast.ListComp: "write a loop that appends",
    ast.SetComp: "write a loop",
    ast.DictComp: "write a loop that assigns entries",
    ast.GeneratorExp: "write a loop",
    ast.Await: "write plain calls",
    ast.Yield: "return a tuple or a list",
    ast.YieldFrom: "return a tuple or a list",
    ast.NamedExpr: "assign the variable on a line before",
    ast.Starred: "name the items one by one",
    ast.Set: "write a tuple",
}
"""For expressions that it may not have, what to write."""


def branched(name: str) -> str:
    """What to write instead of a function as a value.

    >>> branched("square")
    "call it, or hand on a text and branch where it is called: if which == 'square': y = square(x)"
    """
    return f"call it, or hand on a text and branch where it is called: if which == {name!r}: y = {name}(x)"
