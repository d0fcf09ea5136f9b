"""Derivations: the global moves replayed in primitive steps, on an instance with a few iterations.

White proves the global moves from the primitive ones by induction on the iterations. A theorem's clauses license a
move for all counts; what stands here shows, on request, how it comes about for a small one, and every step is checked
by its own theorem. A ledger that ends with a refusal says how far the primitive moves go.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ...ir.expr import Expr, apply, const
from ...ir.facts import Facts
from ...ir.nest import For, If, Kernel
from ...ir.path import Path, at, replace_at
from ...reasoning.known import known_at
from ...reasoning.span import span
from .ledger import Ledger
from .registry import named
from .tactic import State, make

Ranges = Mapping[Expr, Facts] | None


class Replay:
    """Primitive moves made one after the other; `broken` as soon as one is refused, and then nothing more is made."""

    def __init__(self, kernel: Kernel, ranges: Ranges) -> None:
        self.state = State(kernel, ranges or {}, Ledger())
        self.broken = False

    def step(self, move: str, path: Path, **options: Any) -> None:
        """One primitive move at a site."""
        if not self.broken:
            self.state, done = make(self.state, named(move), path, **options)
            self.broken = not done

    def unroll(self, path: Path) -> None:
        """A loop over constants in single iterations."""
        self.step("unroll_all", path)

    def roll(self, path: Path, index: Expr, period: int) -> None:
        """Instances of so many statements each, as a loop again."""
        self.step("roll_all", path, period=period, index=index)

    def rise(self, path: Path, by: int) -> None:
        """A statement past so many others before it, one at a time."""
        for k in range(1, by + 1):
            self.step("interchange", moved(path, -k))

    def part(self, path: Path, first: int, second: int, trips: int) -> None:
        """Iterations of two parts each, so many statements long, into all first parts and then all second ones."""
        for k in range(1, trips):
            for s in range(first):
                self.rise(moved(path, k * (first + second) + s), k * second)

    def mix(self, path: Path, first: int, second: int, trips: int) -> None:
        """Undo `part`: each second part goes up to its own first part."""
        for k in range(trips - 1):
            for s in range(second):
                self.rise(moved(path, trips * first + k * second + s), (trips - 1 - k) * first)


def moved(path: Path, by: int) -> Path:
    """The path of the statement that stands so many places further on in the same block."""
    number, position = path[-1]
    return (*path[:-1], (number, position + by))


def few(kernel: Kernel, path: Path, trips: int, ranges: Ranges) -> Kernel:
    """The kernel with so few iterations of the loop at a path, from its first one if that is a known number."""
    loop = at(kernel.body, path)
    assert isinstance(loop, For)  # noqa: S101 - the move was proved here
    facts = known_at(kernel.body, path, ranges).facts(loop.lo)
    start = int(max(facts.lo, min(0, facts.hi)))
    lo, hi = (const(start + k, loop.index.type) for k in (0, trips))
    return replace(kernel, body=replace_at(kernel.body, path, (replace(loop, lo=lo, hi=hi),)))


def join_loops(kernel: Kernel, path: Path, *, ranges: Ranges = None, trips: int = 3, **_: Any) -> Ledger:
    """Unroll both loops, move each iteration of the second up to its own of the first, roll."""
    second = moved(path, 1)
    instance = few(few(kernel, path, trips, ranges), second, trips, ranges)
    a, b = at(instance.body, path), at(instance.body, second)
    assert isinstance(a, For) and isinstance(b, For)  # noqa: S101, PT018 - the move was proved here
    replay = Replay(instance, ranges)
    replay.unroll(second)
    replay.unroll(path)
    replay.mix(path, len(a.body), len(b.body), trips)
    replay.roll(path, a.index, len(a.body) + len(b.body))
    return replay.state.ledger


def split_loop(kernel: Kernel, path: Path, *, ranges: Ranges = None, trips: int = 3, **_: Any) -> Ledger:
    """Unroll, move each first part up past the second parts before it, roll both."""
    around, position = path[:-1], path[-1][1]
    instance = few(kernel, around, trips, ranges)
    loop = at(instance.body, around)
    assert isinstance(loop, For)  # noqa: S101 - the move was proved here
    first, second = position, len(loop.body) - position
    replay = Replay(instance, ranges)
    replay.unroll(around)
    replay.part(around, first, second, trips)
    # The second first: so the statements of the first are where they were.
    replay.roll(moved(around, trips * first), loop.index, second)
    replay.roll(around, loop.index, first)
    return replay.state.ledger


def interchange_loops(
    kernel: Kernel, path: Path, *, ranges: Ranges = None, trips: int = 3, **_: Any
) -> Ledger:
    """Unroll both loops of a square of iterations, move row by row into columns, roll both the other way around."""
    inner_path = (*path, (0, 0))
    instance = few(few(kernel, path, trips, ranges), inner_path, trips, ranges)
    outer, inner = at(instance.body, path), at(instance.body, inner_path)
    assert isinstance(outer, For) and isinstance(inner, For)  # noqa: S101, PT018 - the move was proved here
    size = len(inner.body)
    replay = Replay(instance, ranges)
    replay.unroll(inner_path)
    replay.unroll(path)
    # What is in row k and column c goes up past everything of later columns in the rows before.
    for k in range(1, trips):
        for c in range(trips):
            for s in range(size):
                replay.rise(moved(path, (k * trips + c) * size + s), k * (trips - 1 - c) * size)
    for c in reversed(range(trips)):
        replay.roll(moved(path, c * trips * size), outer.index, size)
    replay.roll(path, inner.index, 1)
    return replay.state.ledger


def move_code(kernel: Kernel, path: Path, *, ranges: Ranges = None, trips: int = 3, **_: Any) -> Ledger:
    """Unroll, move all copies to the front, compress them to one, roll the rest.

    Where the rest uses what the statement sets, a copy cannot pass it: there the theorem goes beyond the small steps.
    A loop without bounds has no instance of a few iterations.
    """
    around, position = path[:-1], path[-1][1]
    if not isinstance(at(kernel.body, around), For):
        return Ledger()
    instance = few(kernel, around, trips, ranges)
    loop = at(instance.body, around)
    assert isinstance(loop, For)  # noqa: S101 - the move was proved here
    size = len(loop.body)
    replay = Replay(instance, ranges)
    replay.unroll(around)
    for k in range(trips):
        replay.rise(moved(around, k * size + position), k * (size - 1) + position)
    for _k in range(trips - 1):
        replay.step("compress", around)
    if size > 1:
        replay.roll(moved(around, 1), loop.index, size - 1)
    return replay.state.ledger


def join_conditional(
    kernel: Kernel, path: Path, *, ranges: Ranges = None, trips: int = 2, **_: Any
) -> Ledger:
    """Unroll, decide every test, roll what is left: where the test changes after every `trips` iterations."""
    loop = at(kernel.body, path)
    assert isinstance(loop, For) and isinstance(loop.body[0], If)  # noqa: S101, PT018 - the move was proved here
    here = known_at(kernel.body, path, ranges)
    part = span(loop.body[0].condition, loop, here.facts, here.inside([loop]).facts)
    assert part is not None  # noqa: S101 - the move was proved here
    sides = [part.lo is not loop.lo, part.hi is not loop.hi]
    instance = few(kernel, path, trips * (1 + sum(sides)), ranges)
    small = at(instance.body, path)
    assert isinstance(small, For)  # noqa: S101 - a loop with other bounds
    first = small.lo.attr + trips * sides[0]
    stands_for = _within(small, first if sides[0] else None, first + trips if sides[1] else None)
    test = replace(loop.body[0], condition=stands_for if part.holds else apply("not", stands_for))
    instance = replace(instance, body=replace_at(instance.body, path, (replace(small, body=(test,)),)))
    replay = Replay(instance, ranges)
    replay.unroll(path)
    return _decided(replay, path, small, test, part.holds, sides, trips)


def _within(loop: For, first: int | None, last: int | None) -> Expr:
    """The test that an index is at least one number and below another."""
    x = loop.index
    tests = [apply("le", const(first, x.type), x)] if first is not None else []
    tests += [apply("lt", x, const(last, x.type))] if last is not None else []
    return tests[0] if len(tests) == 1 else apply("and", *tests)


def _decided(
    replay: Replay, path: Path, loop: For, test: If, holds: bool, sides: list[bool], trips: int
) -> Ledger:
    """Every test of an unrolled loop decided, the last one first, and what is left in each part rolled."""
    runs = [False] * sides[0] + [True] + [False] * sides[1]
    arms = [test.then if inside is holds else test.orelse for inside in runs]
    for k in reversed(range(trips * len(runs))):
        replay.step("simplify_if", moved(path, k))
    places = [moved(path, trips * sum(len(arm) for arm in arms[:k])) for k in range(len(arms))]
    for place, arm in reversed(list(zip(places, arms, strict=True))):
        if arm:
            replay.roll(place, loop.index, len(arm))
    return replay.state.ledger
