"""Operators: the arithmetic and the order of Python's numbers, spelled out once for what is written down, not computed.

Ground floor. Symbolic scalars, staged reals, terms of bodies, arrays of the algebra, signals and what changes with time
take them from here; each says in `_combined` what two operands make.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

R = TypeVar("R")


class Arithmetic(Generic[R]):
    """Sums, differences, products and quotients, by the names of their rows in the operator table.

    >>> class Unknown(Arithmetic[str]):
    ...     __str__ = lambda self: "x"
    ...     _combined = lambda self, row, one, other: f"{row}({one}, {other})"
    >>> 2 - Unknown()
    'sub(2, x)'
    """

    __slots__ = ()

    if TYPE_CHECKING:
        # No abstract class: to ask whether a number is of one takes five times as long, and tracing does little else.
        def _combined(self, row: str, one: Any, other: Any) -> R:
            """The result of a row on this and another operand; NotImplemented where it takes no such operand."""
            ...

    def __add__(self, other: Any) -> R:
        """The sum."""
        return self._combined("add", self, other)

    def __radd__(self, other: Any) -> R:
        """The sum."""
        return self._combined("add", other, self)

    def __sub__(self, other: Any) -> R:
        """The difference."""
        return self._combined("sub", self, other)

    def __rsub__(self, other: Any) -> R:
        """The difference."""
        return self._combined("sub", other, self)

    def __mul__(self, other: Any) -> R:
        """The product."""
        return self._combined("mul", self, other)

    def __rmul__(self, other: Any) -> R:
        """The product."""
        return self._combined("mul", other, self)

    def __truediv__(self, other: Any) -> R:
        """The quotient; of reals by zero it is infinite, where Python's own raises an error."""
        return self._combined("div", self, other)

    def __rtruediv__(self, other: Any) -> R:
        """The quotient."""
        return self._combined("div", other, self)


class Comparison(Generic[R]):
    """Less and more, as values; beside `Arithmetic`, whose `_combined` makes them."""

    __slots__ = ()

    def __lt__(self: Any, other: Any) -> R:
        """Whether less."""
        return self._combined("lt", self, other)

    def __le__(self: Any, other: Any) -> R:
        """Whether less or equal."""
        return self._combined("le", self, other)

    def __gt__(self: Any, other: Any) -> R:
        """Whether greater."""
        return self._combined("lt", other, self)

    def __ge__(self: Any, other: Any) -> R:
        """Whether greater or equal."""
        return self._combined("le", other, self)


class Equality(Generic[R]):
    """Equality as a value, which is no truth of Python and no key of a dictionary; beside `Arithmetic` likewise."""

    __slots__ = ()
    __hash__ = object.__hash__

    def __eq__(self: Any, other: object) -> R:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Whether equal."""
        return self._combined("eq", self, other)

    def __ne__(self: Any, other: object) -> R:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Whether not equal."""
        return self._combined("ne", self, other)
