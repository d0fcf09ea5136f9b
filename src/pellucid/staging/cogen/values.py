"""Values while an extension is written: a binding time, and Python expressions for what is known of the value.

A structure of one size is taken apart into its parts (variable splitting). Its leaves are: for a dynamic value the
name of its residual variable; for a static one the value; for a cyclic integer base, quotient and remainder; for a
control stack, and for a structure of no fixed size, one object (`packing` in `arguments` says what it holds).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from pellucid.base.errors import StagingError
from pellucid.staging.root.program import Jump, Lift, RootPrim
from pellucid.staging.times.lattice import CYCLIC, STATIC, Constant, Stack, Time, TimeGraph

Watch: TypeAlias = Callable[[str, RootPrim | Lift | Jump, list[Time], Time], None]
"""Told of each instruction of each pattern: the code's name, the times of what it takes, that of its result.

Of a jump that returns, it is told for each value: the time of the value, and the one that is wanted.
"""


class TimedValue:
    """A value of the interpreter, as the extension holds it."""

    __slots__ = ("halves", "lifted", "own", "time")

    def __init__(
        self, time: Time, own: tuple[str, ...] = (), halves: tuple[TimedValue, TimedValue] | None = None
    ) -> None:
        self.time = time
        self.own = own
        self.halves = halves
        self.lifted = ""
        """What this value was before it was lifted, if that was a closure: its values cannot be taken any more."""

    @property
    def lifts_from(self) -> str:
        """What `lifted` says of the value after it is lifted; empty for one that is no closure."""
        if isinstance(self.time, Stack):
            return "a control stack"
        code = self.time.code if isinstance(self.time, TimeGraph) else None
        return f"a closure of {code.name}" if code is not None else ""

    def leaves(self) -> list[str]:
        """The Python expressions of all its leaves, in order."""
        return [leaf for part in parts(self) for leaf in part.own]


class ControlPointer(TimedValue):
    """The code pointer of a control stack: a jump to it returns."""

    __slots__ = ("stack",)

    def __init__(self, stack: TimedValue) -> None:
        super().__init__(STATIC, ())
        self.stack = stack


class CodePointer(TimedValue):
    """The code of a closure, taken from it."""

    __slots__ = ("closure",)

    def __init__(self, time: Time, closure: TimedValue) -> None:
        super().__init__(time)
        self.closure = closure


class StaticAtom(TimedValue):
    """A static value that is known to be no pair."""

    __slots__ = ()


class NeedsCopyError(StagingError):
    """A lift that is no base case: it takes a call to a lifter, which the writer inserts."""

    def __init__(self, value: TimedValue, to: Time) -> None:
        super().__init__(f"no lift of {value.time} to {to}", place="lift", fix="lift where the value is made")
        self.value = value
        self.to = to


def is_split(time: Time) -> bool:
    """Whether values of a time are taken apart."""
    return isinstance(time, TimeGraph) and not time.packed


def fresh(time: Time, name: Callable[[], str]) -> TimedValue:
    """A value of a time in new Python variables."""
    if isinstance(time, TimeGraph) and not time.packed:
        return TimedValue(time, (), (fresh(time.car, name), fresh(time.cdr, name)))
    if time.is_fixed:
        return TimedValue(time)
    return TimedValue(time, (name(), name(), name()) if time is CYCLIC else (name(),))


def parts(value: TimedValue) -> list[TimedValue]:
    """The parts that are not taken apart, in order."""
    if value.halves is None:
        return [value]
    found: list[TimedValue] = []
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if one.halves is None:
            found.append(one)
        else:
            waiting += one.halves[::-1]
    return found


def lifted_closures(value: TimedValue) -> Iterator[tuple[tuple[str, ...], str]]:
    """The parts of a value that are lifted closures: the halves that lead there, and what they were."""
    if not any(part.lifted for part in parts(value)):
        return
    # One part may stand at several places, and is told for each.
    waiting: list[tuple[tuple[str, ...], TimedValue]] = [((), value)]
    while waiting:
        path, one = waiting.pop()
        if one.halves is not None:
            car, cdr = one.halves
            waiting += [((*path, "cdr"), cdr), ((*path, "car"), car)]
        elif one.lifted:
            yield path, one.lifted


def part_at(value: TimedValue, path: Sequence[str]) -> TimedValue:
    """The part of a value that some halves lead to, or what is packed around it."""
    for name in path:
        if value.halves is None:
            break
        value = value.halves[name == "cdr"]
    return value


def path_to(value: TimedValue, part: TimedValue) -> tuple[str, ...] | None:
    """The halves that lead from a value to a part of it."""
    if value is part:
        return ()
    if value.halves is not None:
        for name, half in zip(("car", "cdr"), value.halves, strict=True):
            found = path_to(half, part)
            if found is not None:
                return (name, *found)
    return None


def repacks(one: Time, other: Time, seen: frozenset[tuple[Time, Time]] = frozenset()) -> bool:
    """Whether a value of one time, packed, is the same object as one of the other: points do not matter."""
    if one == other or (one, other) in seen:
        return True
    if isinstance(one, Constant):
        return other is STATIC or (isinstance(other, TimeGraph) and other.nodes[0].atom)
    if not (isinstance(one, TimeGraph) and isinstance(other, TimeGraph)) or one.closure != other.closure:
        return False
    seen |= {(one, other)}
    return (
        one.nodes[0].atom <= other.nodes[0].atom
        and repacks(one.car, other.car, seen)
        and repacks(one.cdr, other.cdr, seen)
    )


def holds(time: Time, *kinds: type[Time] | Time) -> bool:
    """Whether a time, or one inside of it, is among some."""

    def among(one: object) -> bool:
        return any(one is kind or (isinstance(kind, type) and isinstance(one, kind)) for kind in kinds)

    if isinstance(time, TimeGraph):
        return any(among(field) for node in time.nodes for field in (node.car, node.cdr))
    return among(time)
