"""Fixes for constructs of Python that ask a symbolic value for what is not known while tracing.

The construct is read from the user's own file, so that the error shows the user's expression as it has to be.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from ..base.construct import Construct, construct
from ..ir import prim as table

TRUTH = (
    "write where(condition, a, b) for `a if condition else b`, & | ~ for and, or, not, "
    "and (a < x) & (x < b) for a < x < b"
)
REAL = "use pellucid's own sin, sqrt, … instead of those of math"
WHOLE = "use pellucid.to_integer(x), or floor(x)"
INDEX = "use where(...), or load from a table"
PARTS = "unpack a point as p.x, p.y"

_ROWS = {"fabs": "abs"}
"""Functions of `math` whose row has another name."""


def of_truth() -> str:
    """The fix for a construct that needs a truth, such as `if`, `and` or `max`."""
    return _found(_of_truth) or TRUTH


def of_real() -> str:
    """The fix for a function that needs a number of Python."""
    return _found(_of_real) or REAL


def of_whole() -> str:
    """The fix for `int`."""
    return (
        _found(lambda here: f"write pl.to_integer({_arguments(here)})" if here.call() == "int" else None)
        or WHOLE
    )


def of_index() -> str:
    """The fix for an index, or of a count of turns."""
    return _found(_of_index) or INDEX


def of_parts() -> str:
    """The fix for going through a number as through a list."""
    return _found(_of_parts) or PARTS


def _found(suggest: Callable[[Construct], str | None]) -> str | None:
    here = construct()
    return suggest(here) if here is not None else None


def _of_truth(here: Construct) -> str | None:
    node = here.node
    if isinstance(node, ast.Call):
        return _of_call(here)
    if isinstance(node, ast.Compare) and len(node.ops) > 1:
        return f"write {_apart(node)} instead of {here}"
    if isinstance(node, ast.UnaryOp):
        return f"write ~({ast.unparse(node.operand)}) instead of `not`"
    logical = here.nearest(ast.BoolOp)
    if isinstance(logical, ast.BoolOp):
        sign, said = (" & ", "and") if isinstance(logical.op, ast.And) else (" | ", "or")
        return f"write {sign.join(map(_operand, logical.values))} instead of `{said}`"
    # Python says of some tests that the whole statement asks, of others that the condition does.
    asking = here.nearest(ast.IfExp, ast.If, ast.While)
    if isinstance(asking, ast.IfExp):
        test, then, orelse = (ast.unparse(part) for part in (asking.test, asking.body, asking.orelse))
        return f"write pl.where({test}, {then}, {orelse}) instead of `if` and `else`"
    if isinstance(asking, ast.If):
        test = ast.unparse(asking.test)
        return f"write pl.where({test}, a, b), with a value for either case, instead of `if {test}:`"
    if isinstance(asking, ast.While):
        test = ast.unparse(asking.test)
        return (
            f"write pl.iterate(step, init, until), which goes on pixel by pixel, instead of `while {test}:`"
        )
    if here.nearest(ast.Assert):
        return "leave the assertion out, or make it of Python's own numbers"
    if here.nearest(ast.comprehension, ast.ListComp, ast.GeneratorExp):
        return "go through all of them, and choose with pl.where"
    return None


def _of_call(here: Construct) -> str | None:
    node, name = here.node, here.call()
    if not isinstance(node, ast.Call) or name is None:
        return None
    if name in ("max", "min") and len(node.args) >= 2:
        written = ast.unparse(node.args[-1])
        for one in reversed(node.args[:-1]):
            written = f"pl.{name}({ast.unparse(one)}, {written})"
        return f"write {written} instead of {here}"
    return {
        "max": "fold the list with pl.max(a, b)",
        "min": "fold the list with pl.min(a, b)",
        "sorted": "put two numbers in order as pl.min(a, b), pl.max(a, b)",
        "any": "join the conditions with |",
        "all": "join the conditions with &",
        "bool": f"leave bool() out: {_arguments(here)} is a condition, or compare it, as in x > 0",
    }.get(name)


def _of_real(here: Construct) -> str | None:
    name = here.call()
    if name is None:
        return None
    if name == "float":
        return f"leave float() out: {_arguments(here)} is a real number already"
    module, _, function = name.rpartition(".")
    row = _ROWS.get(function, function)
    if row not in table.table() or module not in ("", "math", "cmath"):
        return None
    return f"write pl.{row}({_arguments(here)}) instead of {here}"


def _of_index(here: Construct) -> str | None:
    if here.call() == "range":
        return "count to a number of Python, or write pl.iterate(step, init, limit=n) for each pixel's turns"
    if isinstance(here.node, ast.Subscript):
        return "choose with pl.where, or keep the table in a buffer and write pl.load(buffer, position)"
    return None


def _of_parts(here: Construct) -> str | None:
    if here.call() in ("sum", "max", "min", "list", "tuple", "sorted", "enumerate"):
        return f"{_arguments(here)} is one number: a point's are p.x and p.y, a color's c.r, c.g, c.b and c.a"
    return None


def _arguments(here: Construct) -> str:
    return ", ".join(map(ast.unparse, here.node.args)) if isinstance(here.node, ast.Call) else str(here)


def _apart(node: ast.Compare) -> str:
    """A chain of comparisons as single ones."""
    sides: Sequence[ast.expr] = [node.left, *node.comparators]
    pairs = zip(sides, node.ops, sides[1:], strict=False)
    return " & ".join(f"({ast.unparse(ast.Compare(a, [op], [b]))})" for a, op, b in pairs)


def _operand(node: ast.expr) -> str:
    return (
        f"({ast.unparse(node)})"
        if isinstance(node, ast.Compare | ast.BoolOp | ast.IfExp)
        else ast.unparse(node)
    )
