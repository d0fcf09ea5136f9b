"""The graph of a loop's variants while it is made, and where what moves in it comes from.

Under `loop_specializer`. Values that can be split by cases before the loop are those that go from turn to turn by
static steps; of data, which turns compute, nothing can be known beforehand.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from ..ir.expr import Expr
from . import residual as R
from .points import Header
from .session import SpecializerSession
from .structure import advanced


@dataclass(slots=True)
class PointGraph:
    """The variants of a loop, their memo points by key, and of which names others are known multiples."""

    session: SpecializerSession
    headers: dict[tuple[Any, ...], Header] = field(default_factory=dict[tuple[Any, ...], Header])
    variants: list[R.Variant] = field(default_factory=list[R.Variant])
    multiples: dict[Expr, Expr] = field(default_factory=dict[Expr, Expr])

    def origins(self, q: Expr, factor: int) -> list[tuple[Expr | None, int]]:
        """What has to be split before the loop, and how finely, to know a quotient modulo a factor."""
        origin = self.origin(q)
        if origin is None:
            return [(None, factor)]
        return [(x, factor // math.gcd(k, factor)) for x, k in linear(origin) if k % factor]

    def header_of(self, q: Expr) -> tuple[Header, int] | None:
        """The memo point that a name belongs to, and its number there."""
        for header in self.headers.values():
            for k, name in enumerate(header.names):
                if name is q:
                    return header, k
        return None

    def origin(self, q: Expr) -> Expr | None:
        """The value before the loop that a quotient stands on; None if it is data."""
        session = self.session
        found = self.header_of(q)
        if found is not None:
            header, k = found
            return self.origin(header.origins[k]) if self.advances(header.variant, k) else None
        if q in session.parts:
            return self.origin(session.parts[q])
        return q if session.depth_of(q) <= session.depth else None

    def advances(self, variant: int, k: int) -> bool:
        """Whether a name goes from turn to turn by static steps only."""
        names = {n for v in self.variants for n in v.names}
        jumps = [s for v in self.variants for s in R.walk(v.code) if isinstance(s, R.Goto)]
        given = [s.values[k] for s in jumps if s.variant == variant]
        if given:
            return all(advanced(value)[0] in names for value in given)
        # No turn comes back to it: it advances if the turns after it go on with it.
        name = self.variants[variant].names[k]
        return any(advanced(value)[0] is name for s in jumps for value in s.values)

    def before(self, q: Expr) -> list[Expr] | None:
        """The parameters and names that a moving quotient stood on before the loop.

        None if there is something else among them, or something of which the base was set or asked for.
        """
        found = self.header_of(q)
        if found is not None:
            header, k = found
            return self.before(header.origins[k])
        session = self.session
        names = [self.multiples.get(x, x) for x, _ in linear(q)]
        for x in names:
            settled = x.op != "param" or x in session.parts or x in session.kept
            if settled or session.depth_of(x) >= session.depth:
                return None
        return names


def linear(value: Expr) -> list[tuple[Expr, int]]:
    """The terms that add up to an expression, but for a constant.

    >>> from pellucid.ir.expr import param
    >>> from pellucid.staging.folding import WHOLE, node, number
    >>> a, b = param("a", WHOLE), param("b", WHOLE)
    >>> linear(node("sub", node("mul", a, number(40)), node("add", b, number(3))))
    [($a:i64, 40), ($b:i64, -1)]
    """
    match value.op:
        case "const":
            return []
        case "add" | "sub":
            sign = 1 if value.op == "add" else -1
            return [*linear(value.args[0]), *((q, sign * k) for q, k in linear(value.args[1]))]
        case "mul" if value.args[1].op == "const":
            return [(q, k * value.args[1].attr) for q, k in linear(value.args[0])]
        case "neg":
            return [(q, -k) for q, k in linear(value.args[0])]
        case _:
            return [(value, 1)]
