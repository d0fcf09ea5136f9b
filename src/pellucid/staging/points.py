"""Memo points: the state of a loop where its test is dynamic, and how what grows there is made to come back.

Under `loop_specializer`. A step of a loop returns the next state, or says that it goes on by itself in two arms or by
a jump.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, cast

from ..base.errors import StagingError
from ..base.record import record
from ..base.source_location import caller
from ..ir.expr import Expr
from . import bitcache
from .folding import node, number
from .same import canonical
from .value import Cyclic, integer

State = tuple[Any, ...]

MAX_STEPS = 4096
"""Turns of a loop that are unrolled without a test at run time."""
MAX_VARIANTS = 64
"""Variants of a loop."""
MAX_CASES = 64
"""Cases that all the values before a loop are split into together."""
DISTANCES = 4
"""Distances of a value from another that shares a quotient with it; with more of them they share it no longer."""
REACH = 8
"""Turns that the bit cache looks ahead for the next use of a word."""
IDLE = 2
"""Turns that use no further word, after which it stops looking."""


class Narrower(Exception):  # noqa: N818 - it is no error: the loop is tried again
    """A value is known more finely than its loop moves it and asks for: it would come back late, or never."""

    def __init__(self, quotients: list[Expr], times: int) -> None:
        """Know `times` the quotients instead of the quotients."""
        super().__init__(quotients, times)
        self.quotients, self.times = quotients, times


@record
class Fork:
    """What a step that ends in `fork` returns: the loop goes on in each arm by itself."""

    condition: Any
    then: Callable[[], Any]
    orelse: Callable[[], Any]


@record
class DynamicCall:
    """What `dynamic_call` returns: the loop goes on by a jump."""

    state: Any


def as_state(result: Any, count: int) -> State:
    """What a step returned as the next state of so many values."""
    state: Any = result if count != 1 else (result,)
    if not isinstance(state, tuple) or len(cast("State", state)) != count:
        place, _ = caller()
        raise StagingError(
            f"a step of a loop over {count} values returns {result!r}", place=place, fix="return as many"
        )
    return cast("State", state)


@dataclass(slots=True)
class Header:
    """A memo point: its number, its names, where they come from, and the state there."""

    variant: int
    names: tuple[Expr, ...]
    origins: tuple[Expr, ...]
    key: tuple[Any, ...]
    state: State
    lines: bitcache.Lines


@dataclass(slots=True)
class Widening:
    """What was seen of each leaf of a loop's state at its memo points.

    Its base, its distances from leaves before it, and the remainder that it had first.
    """

    first: dict[int, int] = field(default_factory=dict[int, int])

    bases: dict[int, int] = field(default_factory=dict[int, int])
    distances: dict[int, set[int]] = field(default_factory=dict[int, "set[int]"])

    def widened(self, found: State) -> State:
        """The leaves of a state with what grows from turn to turn made dynamic, so that its static part comes back.

        Where a base differs from that at earlier memo points, what both are multiples of is kept (lifting "cyc → D" of
        1996); where one value moves away from another that it shared a quotient with, they share it no more.
        """
        leaves: list[Any] = []
        first: dict[Expr, int] = {}
        for k, leaf in enumerate(found):
            new = leaf
            if isinstance(leaf, Cyclic):
                q, base = leaf.quotient, leaf.base
                shift = leaf.remainder // base
                away = shift - first.setdefault(q, shift)
                seen = self.distances.setdefault(k, set())
                seen.add(away)
                common = self.bases[k] = math.gcd(self.bases.get(k, base), base)
                if len(seen) > DISTANCES:
                    new = integer(((node("add", q, number(shift)), base),), leaf.remainder % base)
                elif common != base:
                    new = integer(((node("mul", q, number(base // common)), common),), leaf.remainder)
            leaves.append(new)
        return tuple(leaves)


@dataclass(slots=True)
class Path:
    """The turns that are unrolled from a memo point to here, and by their keys where each state stands.

    `places` tell the states that are surely one; `alike` those before a branch of which memo points would make one.
    """

    states: list[State] = field(default_factory=list[State])
    places: dict[Any, int] = field(default_factory=dict[Any, int])
    branched: int = 0
    alike: set[Any] = field(default_factory=set[Any])
    widening: Widening = field(default_factory=Widening)

    def add(self, leaves: State, key: Any) -> None:
        """One turn more."""
        self.places[key] = len(self.states)
        self.states.append(leaves)

    def branch(self) -> Path:
        """The way so far, from which an arm of a branch goes on."""
        widening = Widening(
            dict(self.widening.first),
            dict(self.widening.bases),
            {k: set(seen) for k, seen in self.widening.distances.items()},
        )
        alike = {canonical(widening.widened(leaves)).key for leaves in self.states[self.branched :]}
        return Path([*self.states], dict(self.places), len(self.states), self.alike | alike, widening)

    def straight_from(self, key: Any) -> bool:
        """Whether a state was passed with no branch at run time between it and here."""
        return self.places.get(key, -1) >= self.branched

    def passed(self, leaves: State) -> bool:
        """Whether a state like this one was passed before a branch."""
        return bool(self.alike) and canonical(self.widening.widened(leaves)).key in self.alike
