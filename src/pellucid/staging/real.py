"""Real numbers known only at run time: the arithmetic of Python's floats, in 64 bits, and the rows of the table.

Beside `value`, whose integers and truths they meet. On plain numbers the same functions give, bit for bit, what
compiled code gives.
"""

from __future__ import annotations

from typing import Any, NoReturn

from ..base.errors import StagingError
from ..base.kinds import takes
from ..base.operators import Arithmetic, Comparison, Equality
from ..base.source_location import caller
from ..ir import types as T
from ..ir.expr import Expr, const
from ..ir.interp import fold
from ..ir.prim import row
from .folding import node
from .value import NUMBER, Cyclic, Dynamic, Staged, expression, of


class Real(Arithmetic[Any], Comparison[Any], Equality[Any], Dynamic):
    """A real number known only at run time.

    >>> from .specialize import unknown
    >>> unknown("x", T.f64) * 2 + 1
    Dynamic($x:f64 * 2.0:f64 + 1.0:f64)
    """

    __slots__ = ()

    def _combined(self, row: str, one: Any, other: Any) -> Any:
        """The result of a row on this and another number; integers become real numbers."""
        return binary(row, one, other)

    def __neg__(self) -> Any:
        """The opposite."""
        return of(node("neg", self.expr))

    def __pos__(self) -> Any:
        """The number itself."""
        return self

    def __float__(self) -> float:
        """Refuse: it is not a number yet."""
        return _refuse("a number that is known only at run time is needed now", "use pl.sin, not math.sin")

    def __floordiv__(self, other: Any) -> Any:
        """Refuse: Python's own rounds in a way of its own."""
        return _refuse("real numbers are not divided with //", "write pl.floor(x / y)")

    def __mod__(self, other: Any) -> Any:
        """Refuse, likewise."""
        return _refuse("real numbers have no %", "write x - y * pl.floor(x / y)")

    def __pow__(self, other: Any) -> Any:
        """Refuse, likewise."""
        return _refuse("real numbers have no **", "write x * x, or pl.pow(x, y)")

    def __round__(self, digits: int = 0) -> Any:
        """Refuse, likewise."""
        return _refuse("real numbers are not rounded by Python", "write pl.round(x), or to_integer(x)")

    __rfloordiv__, __rmod__, __rpow__ = __floordiv__, __mod__, __pow__


def _refuse(what: str, fix: str) -> NoReturn:
    place, line = caller()
    raise StagingError(f"{what} in {line!r}", place=place, fix=fix)


def real(value: Any) -> Expr:
    """Any number as an expression of 64-bit reals."""
    if isinstance(value, Staged):
        return node("convert", expression(value), attr=T.f64)
    return const(float(value), T.f64)


def binary(op: str, a: Any, b: Any) -> Any:
    """A row of two numbers of which one is a real; NotImplemented beside what is no number."""
    if not all(isinstance(x, int | float | Cyclic | Real) for x in (a, b)):
        return NotImplemented
    return of(node(op, real(a), real(b)))


def call(op: str, *args: Any, attr: Any = None) -> Any:
    """A row of the operator table on numbers, staged or not; of whole numbers and reals the result is a real.

    >>> call("sqrt", 2), call("to_integer", -2.5, attr=T.i64)
    (1.4142135623730951, -2)
    """
    letters = row(op).letters
    whole = "F" not in letters and all(isinstance(a, int | Cyclic) for a in args)
    nodes = [expression(a) if whole else real(a) for a in args]
    if all(n.op == "const" for n in nodes):
        types = tuple(n.type for n in nodes)
        return fold(op, nodes, attr if attr is not None else row(op).result_type(types), attr)
    return of(node(op, *nodes, attr=attr))


@takes(x=NUMBER)
def to_integer(x: Any) -> Any:
    """A real number cut to a whole one, towards zero; beyond 64 bits it saturates, and no number gives the lowest.

    >>> to_integer(-2.9)
    -2
    """
    return x if isinstance(x, int | Cyclic) else call("to_integer", x, attr=T.i64)


def bits_of(x: Any, bits: int = 32) -> Any:
    """The bits of the nearest float of 32 or 64 bits, as an integer; of 64 bits with a sign.

    >>> hex(bits_of(1.0)), hex(bits_of(1.0, 64))
    ('0x3f800000', '0x3ff0000000000000')
    """
    if bits == 64:
        return of(node("bitcast", real(x), attr=T.i64))
    short = node("convert", real(x), attr=T.f32)
    return of(node("bitcast", short, attr=T.u32))


def of_bits(word: Any, bits: int = 32) -> Any:
    """The real number whose bits as a float these are.

    >>> of_bits(0x3F800000), of_bits(0x3FF0000000000000, 64)
    (1.0, 1.0)
    """
    if bits == 64:
        return of(node("bitcast", expression(word), attr=T.f64))
    short = node("bitcast", node("convert", expression(word), attr=T.u32), attr=T.f32)
    return of(node("convert", short, attr=T.f64))
