"""Staged values: integers of which a part is known, and dynamic values of any type.

A `Cyclic` integer is ``sum of base_k * quotient_k + remainder``: the bases and the remainder are static, the quotients
dynamic (Draves 1997, section "Cyclic Integers"). One quotient is the paper's ⟨base, quotient, remainder⟩; a dynamic
integer is ⟨1, d, 0⟩; a static one is a plain `int`. Remainders are not brought into 0 .. base until a memo point (late
normalization), so that values which differ by a static amount are known to.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..base.errors import StagingError
from ..base.kinds import ArgumentKind, takes
from ..base.source_location import caller
from ..ir import types as T
from ..ir.expr import Expr, const
from .folding import WHOLE, node, number, opposite, power_of_two
from .session import current
from .ufuncs import by_operator

Terms = tuple[tuple[Expr, int], ...]


TERMS = 32
"""Terms of an integer at most; the address of a sample has up to six."""


def integer(terms: Terms, remainder: int) -> Cyclic | int:
    """The integer of these terms; a plain `int` when none is left.

    Terms of one quotient are added up, and what the cases around know of a quotient is put in.
    """
    session = current()
    if session is not None:
        session.work += 1
    found: dict[Expr, int] = {}
    for q, b in terms:
        quotient, base = q, b
        while session is not None and quotient in session.splits:
            split = session.splits[quotient]
            if base % split.divisor:
                break
            base //= split.divisor
            remainder += base * split.residue
            base *= split.factor
            quotient = split.quotient
        if quotient.op == "const":
            remainder += base * quotient.attr
        elif quotient.op == "neg":
            found[quotient.args[0]] = found.get(quotient.args[0], 0) - base
        else:
            found[quotient] = found.get(quotient, 0) + base
    left = tuple((q, b) for q, b in found.items() if b)
    if len(left) <= TERMS:
        return Cyclic(left, remainder) if left else remainder
    # A sum over many samples: its terms are not told apart any more, so that the next sum takes no longer.
    total = Cyclic(left, remainder)
    return Cyclic(((total.quotient, total.base),), remainder)


class Staged:
    """A value that is not wholly known; it has no truth of its own."""

    __slots__ = ()

    def __bool__(self) -> bool:
        """Refuse: Python's own `if` and `while` cannot wait for run time."""
        place, line = caller()
        raise StagingError(
            f"a value that is known only at run time decides Python's own control flow in {line!r}",
            place=place,
            fix="use choose, fork or loop, and &, | and negate on conditions",
        )

    def __index__(self) -> int:
        """Refuse: a dynamic value is no index of a Python sequence."""
        place, _ = caller()
        raise StagingError(
            "a value that is known only at run time is needed now", place=place, fix="make it static"
        )

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        """Python's own operator where one side is a number of NumPy; other functions of NumPy are refused."""
        found = by_operator(ufunc, method, inputs, options)
        if found is NotImplemented:
            place, line = caller()
            raise StagingError(
                f"numpy.{ufunc.__name__} is asked of a value that is known only at run time in {line!r}",
                place=place,
                fix=f"use pl.{ufunc.__name__}, choose, or an operator of Python",
            )
        return found

    def __abs__(self) -> Any:
        """The magnitude."""
        return self.__call_row__("abs", (self,))

    def __call_row__(self, name: str, args: tuple[Any, ...]) -> Any:
        """A row of the operator table on this and other numbers: so `pl.sin` takes staged values."""
        from .real import call

        return call(name, *args)

    __hash__ = object.__hash__


class Dynamic(Staged):
    """A value known only at run time that is no integer: a truth, or a `Real` (integers are `Cyclic`)."""

    __slots__ = ("expr",)

    def __init__(self, expr: Expr) -> None:
        self.expr = expr

    def __repr__(self) -> str:
        """The expression."""
        return f"Dynamic({self.expr!r})"

    def _with(self, op: str, other: Any) -> Any:
        right = other.expr if isinstance(other, Dynamic) else const(other, self.expr.type)
        return of(node(op, self.expr, right))

    def _number(self) -> Any:
        """A truth as Python counts it: 0 or 1."""
        return of(node("choose", self.expr, number(1), number(0)))

    def __add__(self, other: Any) -> Any:
        return self._number() + other

    def __sub__(self, other: Any) -> Any:
        return self._number() - other

    def __rsub__(self, other: Any) -> Any:
        return other - self._number()

    def __mul__(self, other: Any) -> Any:
        return self._number() * other

    __radd__, __rmul__ = __add__, __mul__

    def __and__(self, other: Any) -> Any:
        """And; a static false decides."""
        if isinstance(other, bool):
            return self if other else False
        return self._with("and", other)

    def __or__(self, other: Any) -> Any:
        """Or; a static true decides."""
        if isinstance(other, bool):
            return True if other else self
        return self._with("or", other)

    __rand__, __ror__ = __and__, __or__

    def __eq__(self, other: object) -> Any:
        """Equality, as a truth at run time."""
        return self._with("eq", other)

    def __ne__(self, other: object) -> Any:
        """Its opposite."""
        return negate(self == other)

    __hash__ = object.__hash__


class Cyclic(Staged):
    """An integer with static bases and remainder and dynamic quotients.

    >>> from pellucid.ir.expr import param
    >>> i = Cyclic(((param("q", WHOLE), 32),), 40)
    >>> (i + 5) % 32, i // 8
    (13, 4*q + 5)
    """

    __slots__ = ("remainder", "terms")

    def __init__(self, terms: Terms, remainder: int) -> None:
        self.terms, self.remainder = terms, remainder

    @property
    def base(self) -> int:
        """The largest number that divides all bases: the value is known modulo it."""
        return math.gcd(*(b for _, b in self.terms))

    @property
    def quotient(self) -> Expr:
        """The dynamic part, divided by the base."""
        base = self.base
        total: Expr | None = None
        for q, b in self.terms:
            k = b // base
            if total is None:
                total = q if k == 1 else node("mul", q, number(k))
            elif k < 0:
                total = node("sub", total, q if k == -1 else node("mul", q, number(-k)))
            else:
                total = node("add", total, q if k == 1 else node("mul", q, number(k)))
        assert total is not None  # noqa: S101 - an integer without terms is an int
        return total

    @property
    def expr(self) -> Expr:
        """The value itself: base * quotient + remainder, one product for all values that share it (premultiplied)."""
        base, q = self.base, self.quotient
        return node("add", q if base == 1 else node("mul", q, number(base)), number(self.remainder))

    def __repr__(self) -> str:
        """The linear form."""
        names = ["(…)" if q.args else str(q.attr) for q, _ in self.terms]
        parts = [n if b == 1 else f"{b}*{n}" for n, (_, b) in zip(names, self.terms, strict=True)]
        return " + ".join([*parts, str(self.remainder)] if self.remainder else parts)

    # ---- sums and products ----

    def __add__(self, other: float | Cyclic) -> Any:
        """The bases and quotients stay, the remainder moves (1997, rules for addition and multiplication)."""
        if isinstance(other, Cyclic):
            return integer((*self.terms, *other.terms), self.remainder + other.remainder)
        if not isinstance(other, int):
            return _as_real("add", self, other)
        return integer(self.terms, self.remainder + int(other))

    __radd__ = __add__

    def __mul__(self, other: float | Cyclic) -> Any:
        """Bases and remainder are scaled; a negative scale negates the quotient; by zero it is zero."""
        if isinstance(other, Cyclic):
            return of(node("mul", self.expr, other.expr))
        if not isinstance(other, int):
            return _as_real("mul", self, other)
        return integer(tuple((q, b * other) for q, b in self.terms), self.remainder * other)

    __rmul__ = __mul__

    def __neg__(self) -> Any:
        """The opposite."""
        return self * -1

    def __sub__(self, other: float | Cyclic) -> Any:
        """The difference; static where the quotients cancel."""
        return self + (-other)

    def __rsub__(self, other: float) -> Any:
        """Likewise."""
        return -self + other

    def __truediv__(self, other: float | Cyclic) -> Any:
        """The quotient as a real number."""
        return _as_real("div", self, other)

    def __rtruediv__(self, other: float) -> Any:
        """Likewise."""
        return _as_real("div", other, self)

    # ---- division ----

    def _divisible(self, by: int) -> bool:
        """Whether all bases are multiples of a number; if not, the cases that would make them so are requested."""
        session = current()
        if all(b % by == 0 for _, b in self.terms):
            if session is not None:
                for q, b in self.terms:
                    session.asked.setdefault(q, set()).add((by, b))
            return True
        if session is not None:
            session.request_split((q, by // math.gcd(b, by)) for q, b in self.terms)
        return False

    def __floordiv__(self, other: int | Cyclic) -> Any:
        """The quotient, rounded down; partially static where the divisor divides the bases."""
        if isinstance(other, Cyclic):
            return of(node("floor_div", self.expr, other.expr))
        by = _divisor(other)
        if by < 0:
            return -self // -by
        if self._divisible(by):
            return integer(tuple((q, b // by) for q, b in self.terms), self.remainder // by)
        if by & (by - 1) == 0:
            return of(node("shift_right", self.expr, number(by.bit_length() - 1)))
        return of(node("floor_div", self.expr, number(by)))

    def __mod__(self, other: int | Cyclic) -> Any:
        """The remainder, from 0 up to the divisor; static where the divisor divides the bases."""
        if isinstance(other, Cyclic):
            return of(node("mod", self.expr, other.expr))
        by = _divisor(other)
        if by > 0 and self._divisible(by):
            return self.remainder % by
        if by > 0 and by & (by - 1) == 0:
            return of(node("and", self.expr, number(by - 1)))
        return of(node("mod", self.expr, number(by)))

    def __rfloordiv__(self, other: int) -> Any:
        """A static number divided."""
        return of(node("floor_div", number(other), self.expr))

    def __rmod__(self, other: int) -> Any:
        """Likewise."""
        return of(node("mod", number(other), self.expr))

    # ---- bits ----

    def __rshift__(self, other: int | Cyclic) -> Any:
        """A static shift is a division."""
        if isinstance(other, int):
            return self // power_of_two(other)
        return of(node("shift_right", self.expr, other.expr))

    def __lshift__(self, other: int | Cyclic) -> Any:
        """A static shift is a product."""
        if isinstance(other, int):
            return self * power_of_two(other)
        return of(node("shift_left", self.expr, other.expr))

    def __rlshift__(self, other: int) -> Any:
        """A static number shifted."""
        return of(node("shift_left", number(other), self.expr))

    def __rrshift__(self, other: int) -> Any:
        """Likewise."""
        return of(node("shift_right", number(other), self.expr))

    def __and__(self, other: int | Cyclic) -> Any:
        """A static mask of low bits is a remainder."""
        if isinstance(other, int) and other >= 0 and other & (other + 1) == 0:
            return self % (other + 1)
        return self._bits("and", other)

    def __or__(self, other: int | Cyclic) -> Any:
        """Bits of either."""
        return self._bits("or", other)

    def __xor__(self, other: int | Cyclic) -> Any:
        """Bits of one."""
        return self._bits("xor", other)

    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__

    def __invert__(self) -> Any:
        """All bits changed."""
        return -self - 1

    def _bits(self, op: str, other: int | Cyclic) -> Any:
        return of(node(op, self.expr, expression(other)))

    # ---- comparisons ----

    def __eq__(self, other: object) -> Any:
        """Static where the difference is, or where the remainders exclude it; else a test of the quotients."""
        if not isinstance(other, int | Cyclic):
            return _as_real("eq", self, other) if isinstance(other, float | Dynamic) else False
        difference: Any = self - other
        if isinstance(difference, int):
            return difference == 0
        base = difference.base
        if isinstance(other, Cyclic):
            _align(self, other)
        if difference.remainder % base:
            return False
        bound = -difference.remainder // base
        return Dynamic(_compare("eq", difference, bound)) if _fits(bound) else False

    def __ne__(self, other: object) -> Any:
        """Its opposite."""
        return negate(self == other)

    def __lt__(self, other: float | Cyclic) -> Any:
        """Order: the quotients decide, and the static remainders say by how much."""
        if not isinstance(other, int | Cyclic):
            return _as_real("lt", self, other)
        difference: Any = self - other
        if isinstance(difference, int):
            return difference < 0
        # b q + r < 0 is q < -r / b, and q < ceiling of that.
        bound = -(difference.remainder // difference.base)
        return Dynamic(_compare("lt", difference, bound)) if _fits(bound) else bound > 0

    def __ge__(self, other: float | Cyclic) -> Any:
        """Its opposite."""
        return _as_real("le", other, self) if not isinstance(other, int | Cyclic) else negate(self < other)

    def __gt__(self, other: float | Cyclic) -> Any:
        """Order the other way round."""
        return _as_real("lt", other, self) if not isinstance(other, int | Cyclic) else -self < -other

    def __le__(self, other: float | Cyclic) -> Any:
        """Its opposite."""
        return _as_real("le", self, other) if not isinstance(other, int | Cyclic) else negate(self > other)

    __hash__ = object.__hash__


def _as_real(op: str, a: Any, b: Any) -> Any:
    """An operation with a real number beside an integer."""
    from .real import binary

    return binary(op, a, b)


def _divisor(by: int) -> int:
    if by == 0:
        place, _ = caller()
        raise StagingError(
            "an integer is divided by a static zero", place=place, fix="divide by another number"
        )
    if not _fits(by) and by & (by - 1):
        place, _ = caller()
        raise StagingError(f"a divisor of more than 64 bits, {by}", place=place, fix="integers have 64 bits")
    return by


def _fits(value: int) -> bool:
    """Whether a number is one at run time."""
    return WHOLE.low <= value <= WHOLE.high


def _align(a: Cyclic, b: Cyclic) -> None:
    """Request that the coarser of two compared values be known as finely as the other."""
    session = current()
    if session is not None:
        fine = math.lcm(a.base, b.base)
        session.request_split((q, fine // math.gcd(base, fine)) for side in (a, b) for q, base in side.terms)


def _compare(op: str, difference: Cyclic, bound: int) -> Expr:
    """quotient op bound, with what is subtracted in the quotient on the other side."""
    base = difference.base
    left = tuple((q, b // base) for q, b in difference.terms if b > 0)
    right = tuple((q, -b // base) for q, b in difference.terms if b < 0)
    if op == "eq" and not left:
        left, right, bound = right, left, -bound
    a, b = expression(integer(left, max(-bound, 0))), expression(integer(right, max(bound, 0)))
    return node(op, a, b)


# ---- between the stages ----

INTEGER = ArgumentKind(
    "an integer", lambda x: isinstance(x, int | np.integer | Cyclic), "give a whole number, or a staged one"
)
NUMBER = ArgumentKind(
    "a number", lambda x: isinstance(x, int | float | np.number | np.bool | Staged), "give a number"
)


def of(expr: Expr) -> Any:
    """An expression as a staged value: an integer, or a dynamic value of another type."""
    if expr.op == "const":
        return expr.attr
    if expr.type.is_integer:
        return integer(((node("convert", expr, attr=WHOLE), 1),), 0)
    session = current()
    if session is not None:
        session.work += 1
    if expr.type.is_float:
        from .real import Real

        return Real(expr)
    return Dynamic(expr)


def expression(value: Any) -> Expr:
    """Any scalar as an expression (the paper's reification)."""
    if isinstance(value, Cyclic | Dynamic):
        return value.expr
    if isinstance(value, bool):
        return const(value, T.boolean)
    if isinstance(value, float):
        return const(value, T.f64)
    return number(int(value))


@takes(condition=NUMBER)
def negate(condition: Any) -> Any:
    """The opposite of a condition, static or not.

    >>> negate(False)
    True
    """
    if isinstance(condition, Dynamic):
        return Dynamic(opposite(condition.expr))
    return not condition
