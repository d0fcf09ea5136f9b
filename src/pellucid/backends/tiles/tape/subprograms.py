"""Loop subprograms: the bodies of iterations, as straight-line code beside the tape that calls them.

A tape has no jumps. It calls an iteration by linkage instructions: `pass` copies an argument to a place of the
subprogram, `loop` runs the subprogram until no lane is active, and `take` copies a result. Each `pass` is an operand of
the next one, so that tape simplification needs no rule for iterations. Subprograms are not simplified. Their branch
masks are ordinary rows of the table, on batches and on intervals.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ....base.errors import BackendError
from ....base.record import record
from ....ir import expr as E
from ....ir import prim as table
from ....ir import types as T
from ....ir.bits import state_bits
from ....ir.expr import Buffer, Expr, parts
from .key import Key

PASS, PASS_MASK = (Key(op, (T.boolean, T.boolean), T.boolean) for op in ("pass", "mask"))
PASSES = {t: Key("pass", (t, T.boolean), T.boolean) for t in T.FLOATS}
LOOP = Key("loop", (T.boolean,), T.boolean)
"""Linkage instructions: pass an argument, pass the branch mask, and run the subprogram.

`PASSES` pass floats, because a uniform NaN has no interval.
"""


class WholeType(NamedTuple):
    """The pool entry for the interval of all values of a type."""

    type: T.Type


class SubprogramInstruction(NamedTuple):
    """An instruction of a subprogram; references below zero are of the pool, others of the subprogram."""

    key: Key
    result: int
    operands: tuple[int, ...]


class TapeScope(ABC):
    """Straight-line code that is being written: a tape, or a subprogram."""

    def __init__(self, pool: ConstantPool, varying: int, places: dict[Expr, int]) -> None:
        self.pool, self.varying, self.places = pool, varying, places
        self.loops: dict[Expr, Subprogram] = {}
        self.conditions: dict[Expr, tuple[Expr, bool]] = {}

    def place(self, operand: Item) -> int:
        """The reference of an expression that is written, or of an entry of the pool."""
        if isinstance(operand, Expr) and operand.free:
            return self.places[operand]
        return self.pool.place(operand)

    @property
    def running(self) -> int:
        """The reference of the branch mask."""
        return self.place(E.TRUE)

    @abstractmethod
    def add(self, key: Key, operands: tuple[int, ...]) -> int:
        """Write an instruction; gives the reference of its result."""

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
        raise BackendError(f"a tape has no {node.op}", place="tiles", fix="compile it by LLVM")
    return Key(node.op, types, node.type, len(types) > 1 and node.args[0] is node.args[1])


class Subprogram(TapeScope):
    """The code of an iteration: up to the test for its end, from there on, and for intervals that stop early.

    The first references are fixed: the components of the state, and then the other arguments. When the subprogram is
    written, `slots` has the slot of each reference, and `size` is the number of slots.
    """

    def __init__(self, pool: ConstantPool, node: Expr) -> None:
        depth, count = node.attr
        super().__init__(pool, state_bits(depth), {})
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
        """The reference of the mask of lanes that have not stopped."""
        return self._running

    @property
    def instructions(self) -> list[SubprogramInstruction]:
        """All instructions."""
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
        """A new reference whose slot is its own."""
        self._fixed.append(self._new())
        return self._fixed[-1]

    def _new(self) -> int:
        self._count += 1
        return self._count - 1

    def finish(self, node: Expr, *, counted: bool) -> None:
        """Write the instructions of an iteration: the test for its end, and the step of active lanes."""
        init, step, stop, _ = parts(node)
        truths = (T.boolean, T.boolean, T.boolean)
        self.write(ordered([stop], self))
        if stop is not E.FALSE:
            # Lanes that were active and do not stop.
            stopped = self.place(stop), self.place(E.FALSE), self.running
            self.put(Key("choose", truths, T.boolean), stopped, self.running)
        self._instructions = self.step
        self.write(ordered(step, self))
        following = [self.place(x) for x in step]
        states = range(len(init))
        # Components step simultaneously: copy one that is read after it is written.
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
        """Write a value to the active lanes of a state."""
        self.put(Key("choose", (T.boolean, type_, type_), type_), (self.running, then, state), state)

    def _settle(self) -> None:
        """Assign a slot to every reference; a slot is free again after its last use."""
        slots = {x: k for k, x in enumerate(self._fixed)}
        free: list[int] = []
        used = len(slots)
        for instruction in reversed([*self.stop, *self.step]):
            # Unused results have a slot as well.
            for x in (instruction.result, *instruction.operands):
                if x >= 0 and x not in slots:
                    slots[x] = free.pop() if free else used
                    used = max(used, slots[x] + 1)
                if x == instruction.result and slots[x] >= len(self._fixed):
                    free.append(slots[x])
        self.slots, self.size = slots, used


@record
class SubprogramLink:
    """The pool entry for the offset of a place of a subprogram."""

    body: Subprogram
    reference: int


Item = Expr | Buffer | WholeType | SubprogramLink | Subprogram
"""An entry of a pool."""


@dataclass(slots=True)
class ConstantPool:
    """Uniform values and other constant entries, in order; references are minus one, minus two, and so on."""

    items: list[Item]
    places: dict[Any, int]

    def place(self, item: Item) -> int:
        """The reference of an entry, which is added if it is missing."""
        found = self.places.get(item)
        if found is None:
            self.items.append(item)
            found = self.places[item] = -len(self.items)
        return found


def iteration(node: Expr, scope: TapeScope) -> int:
    """Write the call of an iteration; gives the reference of the instruction that runs it."""
    init, _, _, limit = parts(node)
    body = Subprogram(scope.pool, node)
    counted = not limit.free
    # The first `pass` has none before it, and takes a reference that is never uniform.
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
    """The reference of an iteration's branch mask: lanes that are active around it and select its arm of a choice."""
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
    """The conditions under which iterations are needed, each with the truth that it must have."""
    found: dict[Expr, tuple[Expr, bool] | None] = dict.fromkeys(roots)
    for node in reversed(nodes):
        around = found[node]
        for k, x in enumerate(needs(node)):
            condition = around
            if node.op == "choose" and k > 0 and node.args[0].free:
                condition = (node.args[0], k == 1)
            # A node that is needed under two conditions is needed unconditionally.
            found[x] = condition if found.get(x, condition) == condition else None
    return {x: condition for x, condition in found.items() if condition is not None and x.op == "iterate"}


def captures(node: Expr) -> list[Expr]:
    """The largest varying expressions that the body of an iteration uses and that are invariant in it."""
    _, step, stop, _ = parts(node)
    # States of this iteration and of inner ones; outer ones have a greater depth.
    inside = 0
    for depth in range(node.attr[0] + 1):
        inside |= state_bits(depth)
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
    """The expressions that are written before a node."""
    if node.op != "iterate":
        return node.args
    init, _, _, limit = parts(node)
    return *init, limit, *captures(node)


def ordered(roots: Iterable[Expr], scope: TapeScope) -> list[Expr]:
    """The varying expressions that are not written yet, operands before users, each soon before its first use."""
    found: list[Expr] = []
    seen = set(scope.places)
    varying = scope.varying
    # Nodes that wait for operands, and the operands of each that are left; the roots are at the bottom.
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
    """The expressions that are written before an iteration, among them its condition."""
    condition = scope.conditions.get(node)
    return needs(node) if condition is None else (condition[0], *needs(node))
