"""Loop subprograms: what iterations repeat, as straight lines of instructions beside the tape that they belong to.

A tape has no jumps. An iteration is a row of its instructions: each value that goes in is passed to a place of the
body, one instruction runs the body until no lane moves any more, and each component that somebody wants is taken from
its place. What goes in is a chain, so that to shorten a tape nobody has to know of iterations. The body's own lines
are not shortened, and all that is special about them is their order: which lanes are still running, and what those
that have stopped keep, is said by rows of the table, to batches and to boxes alike.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ....base.errors import BackendError
from ....ir import expr as E
from ....ir import prim as table
from ....ir import types as T
from ....ir.expr import Buffer, Expr, parts
from .key import Key

PASS, PASS_MASK = (Key(op, (T.boolean, T.boolean), T.boolean) for op in ("pass", "mask"))
PASSES = {t: Key("pass", (t, T.boolean), T.boolean) for t in T.FLOATS}
LOOP = Key("loop", (T.boolean,), T.boolean)
"""Instructions of iterations: a value goes in, the lanes that matter go in, and the body is run.

Floats go in by `PASSES`: a uniform one that is NaN is no box.
"""


class WholeType(NamedTuple):
    """In a pool, the box of everything of a type."""

    type: T.Type


class SubprogramInstruction(NamedTuple):
    """An instruction of a body; references below zero are of the pool, the others of the body."""

    key: Key
    result: int
    operands: tuple[int, ...]


class TapeScope(ABC):
    """A straight line that is being written: of a tape, or of a body."""

    def __init__(self, pool: ConstantPool, varying: int, places: dict[Expr, int]) -> None:
        self.pool, self.varying, self.places = pool, varying, places
        self.loops: dict[Expr, Subprogram] = {}
        self.conditions: dict[Expr, tuple[Expr, bool]] = {}

    def place(self, operand: Item) -> int:
        """The reference of what has been written, or goes into the pool."""
        if isinstance(operand, Expr) and operand.free:
            return self.places[operand]
        return self.pool.place(operand)

    @property
    def running(self) -> int:
        """Which lanes matter."""
        return self.place(E.TRUE)

    @abstractmethod
    def add(self, key: Key, operands: tuple[int, ...]) -> int:
        """Write an instruction; the reference of its result."""

    def write(self, nodes: Iterable[Expr]) -> None:
        """Write expressions, operands before users.

        Raises BackendError where something is no operator.
        """
        for node in nodes:
            self.places[node] = self._written(node)

    def _written(self, node: Expr) -> int:
        if node.op == "iterate":
            return iteration(node, self)
        args: tuple[Item, ...] = node.args
        if node.op == "get":
            args = (node.args[0], SubprogramLink(self.loops[node.args[0]], node.attr))
        elif node.op == "load":
            args = (node.args[0], node.attr)
        return self.add(key_of(node), tuple([self.place(x) for x in args]))


def key_of(node: Expr) -> Key:
    """The key of a node that is no iteration.

    Raises BackendError where it is no operator.
    """
    types = tuple([a.type for a in node.args])
    if node.op == "get":
        return Key("take", (T.boolean,), T.boolean if node.type is T.boolean else T.u32)
    if node.op == "load":
        return Key("load", types, node.type)
    if node.op not in table.table():
        raise BackendError(f"a tape has no {node.op}", place="tilevm", fix="compile it by LLVM")
    return Key(node.op, types, node.type, len(types) > 1 and node.args[0] is node.args[1])


class Subprogram(TapeScope):
    """The lines of an iteration: up to where it may stop, from there on, and what boxes do when they give up.

    The first references are fixed: the components of the state, then what else stays or comes in. `slots` tells of each
    reference where it is, once the body is written, and `size` how many slots that are.
    """

    def __init__(self, pool: ConstantPool, node: Expr) -> None:
        depth, count = node.attr
        super().__init__(pool, E.index_bit(f"state {depth}"), {})
        self.stop: list[SubprogramInstruction] = []
        self.step: list[SubprogramInstruction] = []
        self.lost: list[SubprogramInstruction] = []
        self._instructions = self.stop
        self._fixed: list[int] = []
        self._count = 0
        self.limit = 0
        self.slots: dict[int, int] = {}
        self.size = 0
        for k in range(count):
            self.places[E.state(depth, k, node.args[k].type)] = self.fixed()
        self._running = self.fixed()

    @property
    def running(self) -> int:
        """Which lanes have not stopped."""
        return self._running

    @property
    def instructions(self) -> list[SubprogramInstruction]:
        """All of them."""
        return [*self.stop, *self.step, *self.lost]

    def add(self, key: Key, operands: tuple[int, ...]) -> int:
        """Write an instruction with a new result."""
        result = self._new()
        self._instructions.append(SubprogramInstruction(key, result, operands))
        return result

    def put(self, key: Key, operands: tuple[int, ...], result: int) -> None:
        """Write an instruction whose result takes the place of another."""
        self._instructions.append(SubprogramInstruction(key, result, operands))

    def fixed(self) -> int:
        """A reference that keeps its place."""
        self._fixed.append(self._new())
        return self._fixed[-1]

    def _new(self) -> int:
        self._count += 1
        return self._count - 1

    def finish(self, node: Expr, *, counted: bool) -> None:
        """Write the lines of an iteration: lanes that stop, steps of those that go on."""
        init, step, stop, _ = parts(node)
        truths = (T.boolean, T.boolean, T.boolean)
        self.write(ordered([stop], self))
        if stop is not E.FALSE:
            # Which lanes were running and do not stop.
            stopped = self.place(stop), self.place(E.FALSE), self.running
            self.put(Key("choose", truths, T.boolean), stopped, self.running)
        self._instructions = self.step
        self.write(ordered(step, self))
        following = [self.place(x) for x in step]
        states = range(len(init))
        # All components step at once: none is read that has stepped already.
        for k, x in enumerate(following):
            if x in states and x < k:
                following[k] = self.add(Key("splat", (step[k].type,), step[k].type), (x,))
        for k, (x, b) in enumerate(zip(following, step, strict=True)):
            if x == k:
                continue
            if counted and stop is E.FALSE:
                self.put(Key("splat", (b.type,), b.type), (x,), k)
            else:
                self._choose(b.type, x, k)
        self._instructions = self.lost
        for k in states:
            self._choose(init[k].type, self.place(WholeType(init[k].type)), k)
        self._settle()

    def _choose(self, type_: T.Type, then: int, state: int) -> None:
        """Lanes that run take a value, the others keep theirs."""
        self.put(Key("choose", (T.boolean, type_, type_), type_), (self.running, then, state), state)

    def _settle(self) -> None:
        """Find a slot for every reference, each free again after its last use."""
        slots = {x: k for k, x in enumerate(self._fixed)}
        free: list[int] = []
        used = len(slots)
        for instruction in reversed([*self.stop, *self.step]):
            # What is read by nobody has a slot as well.
            for x in (instruction.result, *instruction.operands):
                if x >= 0 and x not in slots:
                    slots[x] = free.pop() if free else used
                    used = max(used, slots[x] + 1)
                if x == instruction.result and slots[x] >= len(self._fixed):
                    free.append(slots[x])
        self.slots, self.size = slots, used


@dataclass(frozen=True, slots=True)
class SubprogramLink:
    """In a pool, the way from there to a place of a body."""

    body: Subprogram
    reference: int


Item = Expr | Buffer | WholeType | SubprogramLink | Subprogram
"""What a pool has entries of."""


@dataclass(slots=True)
class ConstantPool:
    """What does not vary, in order; references are minus one, minus two, and so on."""

    items: list[Item]
    places: dict[Any, int]

    def place(self, item: Item) -> int:
        """The reference of an entry, which is made if there is none."""
        found = self.places.get(item)
        if found is None:
            self.items.append(item)
            found = self.places[item] = -len(self.items)
        return found


def iteration(node: Expr, scope: TapeScope) -> int:
    """Write an iteration; the reference of the instruction that runs it."""
    init, _, _, limit = parts(node)
    body = Subprogram(scope.pool, node)
    counted = not limit.free
    # The first has nothing before it, and names what never is uniform.
    token = 0

    def enter(key: Key, value: int, place: int) -> None:
        nonlocal token
        token = scope.add(key, (value, token, scope.place(SubprogramLink(body, place))))

    enter(PASS_MASK, _wanted(node, scope), body.running)
    for k, x in enumerate(init):
        enter(PASSES.get(x.type, PASS), scope.place(x), k)
    for x in captures(node):
        body.places[x] = body.fixed()
        enter(PASSES.get(x.type, PASS), scope.place(x), body.places[x])
    if not counted:
        count, bound = body.fixed(), body.fixed()
        zero, one = (E.const(k, T.i32) for k in (0, 1))
        enter(PASS, scope.place(zero), count)
        enter(PASS, scope.place(limit), bound)
        below = body.add(Key("lt", (T.i32, T.i32), T.boolean), (count, bound))
        body.put(Key("and", (T.boolean, T.boolean), T.boolean), (body.running, below), body.running)
        body.put(Key("add", (T.i32, T.i32), T.i32), (count, body.place(one)), count)
        limit = E.const(T.i32.high, T.i32)
    body.limit = scope.place(limit)
    body.finish(node, counted=counted)
    scope.loops[node] = body
    return scope.add(LOOP, (token, scope.place(body)))


def _wanted(node: Expr, scope: TapeScope) -> int:
    """Which lanes of an iteration matter: those that run around it, and want the arm of a choice that it stands in."""
    condition = scope.conditions.get(node)
    if condition is None:
        return scope.running
    condition, positive = condition
    truth = scope.place(condition)
    if positive:
        return truth
    truths = (T.boolean, T.boolean, T.boolean)
    return scope.add(Key("choose", truths, T.boolean), (truth, scope.place(E.FALSE), scope.place(E.TRUE)))


def conditions(nodes: Sequence[Expr], roots: Iterable[Expr]) -> dict[Expr, tuple[Expr, bool]]:
    """For iterations that are wanted only where a condition holds, or does not: the condition, and which of both."""
    found: dict[Expr, tuple[Expr, bool] | None] = dict.fromkeys(roots)
    for node in reversed(nodes):
        around = found[node]
        for k, x in enumerate(needs(node)):
            condition = around
            if node.op == "choose" and k > 0 and node.args[0].free:
                condition = (node.args[0], k == 1)
            # What is wanted for two reasons is wanted anyway.
            found[x] = condition if found.get(x, condition) == condition else None
    return {x: condition for x, condition in found.items() if condition is not None and x.op == "iterate"}


def captures(node: Expr) -> list[Expr]:
    """What varies, and what an iteration's body uses but nothing in it can change: the largest such expressions."""
    _, step, stop, _ = parts(node)
    # States of the iteration and of those inside; an iteration around has a greater depth.
    inside = 0
    for depth in range(node.attr[0] + 1):
        inside |= E.index_bit(f"state {depth}")
    found: dict[Expr, None] = {}
    seen: set[Expr] = set()
    stack = [stop, *reversed(step)]
    while stack:
        x = stack.pop()
        if x in seen or not x.free:
            continue
        seen.add(x)
        if x.free & inside:
            stack.extend(reversed(x.args))
        else:
            found[x] = None
    return list(found)


def needs(node: Expr) -> tuple[Expr, ...]:
    """What has to be written before a node is."""
    if node.op != "iterate":
        return node.args
    init, _, _, limit = parts(node)
    return *init, limit, *captures(node)


def ordered(roots: Iterable[Expr], scope: TapeScope) -> list[Expr]:
    """What varies in a scope and is not written, operands before users, each soon before its first use."""
    found: list[Expr] = []
    seen = set(scope.places)
    varying = scope.varying
    # Whose operands are walked, and those of each that are left; below them all are the roots.
    path: list[Expr] = []
    ways: list[Iterator[Expr]] = []
    way = iter(roots)
    while True:
        # The first operand first: chains of minima and sums grow on that side.
        for node in way:
            if node not in seen and node.free & varying:
                seen.add(node)
                path.append(node)
                ways.append(way)
                way = iter(node.args if node.op != "iterate" else _entered(node, scope))
                break
        else:
            if not path:
                return found
            found.append(path.pop())
            way = ways.pop()


def _entered(node: Expr, scope: TapeScope) -> tuple[Expr, ...]:
    """What has to be written before an iteration is, which lanes it runs in besides."""
    condition = scope.conditions.get(node)
    return needs(node) if condition is None else (condition[0], *needs(node))
