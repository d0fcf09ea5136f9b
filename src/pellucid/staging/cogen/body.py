"""The body of an extension: the code's instructions one by one, what is static computed, the rest emitted.

An extension has up to five functions. B runs the body. J is what a jump calls: it is B up to a dynamic test, where it
takes back what it emitted and calls M instead. M looks the arguments up in the memo table. C makes a residual closure
of it. T is a stream under a dynamic test. `wrapping` writes M and C.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Sequence
from functools import partial
from typing import Any

from pellucid.base.errors import StagingError
from pellucid.staging.cogen import rules
from pellucid.staging.cogen.copying import closed, opened, rebuilt, taken
from pellucid.staging.cogen.extension import Extension
from pellucid.staging.cogen.generator import Generator
from pellucid.staging.cogen.lifting import dynamic, lifted, lifted_by, stacked, static
from pellucid.staging.cogen.session import target
from pellucid.staging.cogen.values import (
    ControlPointer,
    NeedsCopyError,
    TimedValue,
    fresh,
    part_at,
    parts,
    path_to,
)
from pellucid.staging.cogen.writing import Writer, worded
from pellucid.staging.root.program import (
    INLINE,
    Const,
    Instruction,
    Jump,
    Lift,
    RootCode,
    RootIf,
    RootPrim,
    used,
)
from pellucid.staging.times.lattice import (
    CYCLIC,
    DYNAMIC,
    STATIC,
    Constant,
    Pointer,
    Stack,
    Time,
    TimeGraph,
    is_static,
)

Streams = tuple[Instruction, ...]
Names = dict[str, TimedValue]
_VARIABLE = re.compile(r"[a-zA-Z_]\w*_\d+")
_MAX_DEPTH = 60
"""Nested blocks of one function; Python takes 100."""
_MAX_CALLS = 8
"""Functions that call each other; a jump after that waits."""


class Body:
    """Writes the functions B, J and T of one extension."""

    def __init__(self, generator: Generator, owner: Extension) -> None:
        self._generator = generator
        self._owner = owner
        # One that no jump led to yet begins anew: the number must not change when calls were written by it.
        owner.depth = owner.depth or 1
        self._functions: list[str] = []
        self._count = 0
        self._jumping: Jump | None = None
        self.names: Names = {
            name: fresh(time, partial(self._parameter, name))
            for name, time in zip(owner.code.params, owner.times, strict=True)
        }
        for (name, *path), closure in owner.lifted.items():
            part_at(self.names[name], path).lifted = closure
        self._args = "".join(f", {leaf}" for value in self.names.values() for leaf in value.leaves())
        self._write("B", demand=False)
        if owner.branches:
            self._write("J", demand=True)

    def text(self) -> str:
        """The functions."""
        return "\n".join(self._functions)

    def _parameter(self, name: str) -> str:
        """A Python variable for a leaf of a parameter."""
        self._count += 1
        return f"{worded(name)}_{self._count}"

    def _write(self, letter: str, *, demand: bool) -> None:
        """Write one function."""
        to = Writer(self._generator, self._owner, f"{letter}{self._owner.number}", self._args, self._count)
        if demand:
            to.put("mark = len(out)")
        self._stream(to, self._owner.code.body, 0, dict(self.names), None, demand)
        self._wrote(to)

    def _wrote(self, to: Writer) -> None:
        """Keep a function that is written."""
        self._functions.append("\n".join(to.lines))
        self._owner.places[to.name] = array("i", to.places)

    # ---- streams ----

    def _stream(
        self, to: Writer, stream: Streams, at: int, names: Names, inline: bool | None, demand: bool
    ) -> None:
        """Write a stream from some instruction on; all of it ends with `return`."""
        while True:
            instruction = stream[at]
            mark = len(to.lines)
            try:
                match instruction:
                    case Const(name, value):
                        if name == INLINE:
                            inline = bool(value)
                        else:
                            names[name] = _constant(to, value)
                    case RootPrim(name):
                        to.at(instruction)
                        values = [names[one] for one in instruction.args]
                        self._generator.spend(values)
                        _refuse_parts(to, instruction, values)
                        found = rules.result_of(to, instruction, values)
                        self._tell(instruction, values, found)
                        if isinstance(found, rules.TimeSplit):
                            self._split(to, found, name, stream, at + 1, names, inline, demand)
                            return
                        names[name] = found
                    case Lift():
                        self._lift(to, instruction, names)
                    case RootIf(test, then):
                        if self._test(to, names[test], then, names, inline, demand):
                            return
                    case Jump():
                        self._jump(to, instruction, names, inline)
                        return
            except NeedsCopyError as need:
                del to.lines[mark:]
                self._copied(to, need, stream, at, names, inline, demand)
                return
            at += 1

    def _tell(
        self,
        instruction: RootPrim | Lift,
        values: list[TimedValue],
        found: TimedValue | rules.TimeSplit | None,
    ) -> None:
        """Tell whoever watches of an instruction."""
        watch = self._generator.watch
        if watch is not None:
            made = found.time if isinstance(found, TimedValue) else DYNAMIC
            watch(self._owner.code.name, instruction, [one.time for one in values], made)

    def _lift(self, to: Writer, lift: Lift, names: Names) -> None:
        """Write a lift, or what emits one that is the residual program's."""
        value = names[lift.name]
        if not lift.delay:
            made = lifted(to, value, target(lift.to, tuple(names[one].time for one in lift.args)))
            names[lift.name] = made
            self._tell(lift, [value], made)
            return
        value = names[lift.name] = lifted(to, value)
        args = "".join(f"{static(to, names[one])}, " for one in lift.args)
        goal = to.literal(lift.to)
        to.put(f"rt.later({to.out}, {value.own[0]}, {goal}, ({args}), {lift.delay})")

    def _test(
        self,
        to: Writer,
        value: TimedValue,
        then: Streams,
        names: Names,
        inline: bool | None,
        demand: bool,
    ) -> bool:
        """Write a test and the stream under it; whether nothing follows."""
        time = value.time
        if isinstance(time, Constant) and not time.value:
            return False
        condition = _truth(value)
        if condition is None:
            self._stream(to, then, 0, dict(names), inline, demand)
            return True
        if condition:
            to.put(f"if {condition}:")
            with to.indented():
                self._stream(to, then, 0, dict(names), inline, demand)
            return False
        if demand:
            self._owner.branches = True
            to.put(f"del out[mark:]; M{self._owner.number}(out{self._args}); return")
            return True
        self._owner.branches = True
        if time is CYCLIC:
            base, quotient, remainder = value.own
            to.put(f"if {remainder} % {base} != 0:")
            with to.indented():
                self._stream(to, then, 0, dict(names), inline, demand)
            value = TimedValue(DYNAMIC, (f"rt.plus({to.out}, {quotient}, {remainder} // {base})",))
        inner = to.variable("out")
        to.put(f"{inner} = []; {to.out}.append(new(If, ({dynamic(to, value)}, {inner})))")
        self._branch(to, inner, then, names, inline)
        return False

    def _branch(self, to: Writer, inner: str, then: Streams, names: Names, inline: bool | None) -> None:
        """Write the function of the stream under a dynamic test: it fails by itself."""
        needed = {one: names[one] for one in _read(then, 0) if one in names}
        stacks = [one.stack for one in needed.values() if isinstance(one, ControlPointer)]
        leaves = dict.fromkeys(
            leaf
            for value in [*needed.values(), *stacks]
            for leaf in value.leaves()
            if _VARIABLE.fullmatch(leaf) and not leaf.startswith("G_")
        )
        name = f"T{self._owner.number}_{len(self._functions)}_{to.variable('t')}"
        args = "".join(f", {leaf}" for leaf in leaves)
        to.put(f"waiting.append(({name}, ({inner}{args},)))")
        writer = Writer(self._generator, self._owner, name, args, to.count)
        self._stream(writer, then, 0, dict(names), inline, demand=False)
        self._wrote(writer)

    def _split(
        self,
        to: Writer,
        split: rules.TimeSplit,
        name: str,
        stream: Streams,
        at: int,
        names: Names,
        inline: bool | None,
        demand: bool,
    ) -> None:
        """Write what follows under both outcomes of a static test: once here, and once as a code of its own."""
        to.put(f"if {split.test}:")
        with to.indented():
            value = split.yes()
            if to.depth() < _MAX_DEPTH:
                self._stream(to, stream, at, {**names, name: value}, inline, demand)
            else:
                self._rest(to, stream, at, {**names, name: value}, inline)
        self._rest(to, stream, at, {**names, name: split.no()}, inline)

    def _rest(self, to: Writer, stream: Streams, at: int, names: Names, inline: bool | None) -> None:
        """Write a jump to the rest of a stream, as a code of what it reads."""
        needed = [one for one in _read(stream, at) if one in names]
        args, before = _captured(to, needed, names)
        key = (id(stream), at, tuple(args), tuple(before), inline)
        code = self._generator.made.get(key)
        if code is None:
            head = () if inline is None else (Const(INLINE, inline),)
            code = RootCode(
                self._generator.code_name(self._owner.code), tuple(args), (*before, *head, *stream[at:])
            )
            self._generator.made[key] = code
        self._go(to, code, [names[one] for one in args], None)

    # ---- jumps ----

    def _jump(self, to: Writer, jump: Jump, names: Names, inline: bool | None) -> None:
        """Write a jump: to a code that is known, back to a control stack, or in the residual program."""
        goal = names[jump.target]
        self._jumping = jump
        args = [names[one] for one in jump.args]
        if isinstance(goal, ControlPointer):
            self._return(to, goal, args, inline)
            return
        code = goal.time.code if isinstance(goal.time, Pointer) else None
        if isinstance(goal.time, Constant):
            if not isinstance(goal.time.value, RootCode):
                to.put(f"raise TypeError({f'a jump to {goal.time}'!r})")
                return
            code = goal.time.value
        if code is not None:
            self._go(to, code, args, inline)
            return
        self._leave(to, goal, args)

    def _leave(self, to: Writer, goal: TimedValue, args: list[TimedValue]) -> None:
        """Write a jump of the residual program."""
        name = dynamic(to, goal)
        leaves = "".join(f"{dynamic(to, one)}, " for one in args)
        to.put(f"{to.out}.append(new(Jump, ({name}, ({leaves}))))")
        to.put("return")

    def _go(self, to: Writer, code: RootCode, args: list[TimedValue], inline: bool | None) -> None:
        """Write a jump to the extension for some arguments."""
        if len(args) != len(code.params):
            raise StagingError(
                f"{len(args)} values for the {len(code.params)} parameters of {code.name}",
                place=to.place,
                fix="match them",
            )
        for at, one in enumerate(args):
            if isinstance(one, ControlPointer):
                args[at] = lifted(to, one)
            elif self._generator.is_crowded(code) and _is_nested(one.time, code):
                args[at] = stacked(to, one, Stack((DYNAMIC,) * (len(_code(one.time).params) - 1)))
        owner = self._generator.extension(code, tuple(one.time for one in args))
        self._generator.hand(owner, args)
        owner.depth = owner.depth or self._owner.depth + 1
        leaves = "".join(f", {leaf}" for one in args for leaf in one.leaves())
        if inline is False:
            to.put(f"M{owner.number}({to.out}{leaves})")
        else:
            function = f"{'B' if inline else 'J'}{owner.number}"
            # Calls lead further from the entry, and at most so far.
            if owner.depth > self._owner.depth and owner.depth % _MAX_CALLS:
                to.put(f"{function}({to.out}{leaves})")
            else:
                to.put(f"waiting.append(({function}, ({to.out}{leaves},)))")
        to.put("return")

    def _return(self, to: Writer, goal: ControlPointer, args: list[TimedValue], inline: bool | None) -> None:
        """Write a jump to a control stack's extension, with its frame and what is returned."""
        stack = goal.stack
        if not args or args[0].own != stack.own or not isinstance(stack.time, Stack):
            # The continuation was lifted since its code was taken.
            self._leave(to, goal, args)
            return
        returns = stack.time.returns
        if len(args) - 1 != len(returns):
            raise StagingError(
                f"{len(args) - 1} values are returned where {len(returns)} are expected",
                place=to.place,
                fix="lift to a stack with a time for each",
            )
        if self._generator.watch is not None and self._jumping is not None:
            for one, time in zip(args[1:], returns, strict=True):
                self._generator.watch(self._owner.code.name, self._jumping, [one.time], time)
        given = [lifted(to, one, time) for one, time in zip(args[1:], returns, strict=True)]
        leaves = "".join(f", {leaf}" for one in given for leaf in one.leaves())
        name = stack.own[0]
        if inline is False:
            to.put(f"{name}[0].memo({to.out}, *{name}[1:]{leaves})")
        else:
            to.put(
                f"waiting.append(({name}[0].{'body' if inline else 'jump'}, ({to.out}, *{name}[1:]{leaves})))"
            )
        to.put("return")

    # ---- lifts that are no base case ----

    def _copied(
        self,
        to: Writer,
        need: NeedsCopyError,
        stream: Streams,
        at: int,
        names: Names,
        inline: bool | None,
        demand: bool,
    ) -> None:
        """Write a call of the lifter of a value's part; the rest of the stream is its continuation."""
        found = {
            name: path for name, value in names.items() if (path := path_to(value, need.value)) is not None
        }
        if not found:
            raise StagingError(need.message, place=to.place, fix="lift the structure where it is made")
        live = [one for one in _read(stream, at) if one in names]
        live += [one for one in list(found)[:1] if not any(name in live for name in found)]
        live, before = _captured(to, live, names)
        changed = {name: path for name, path in found.items() if name in live}
        key = (
            id(stream),
            at,
            tuple(live),
            tuple(before),
            tuple(changed.items()),
            need.value.time,
            need.to,
            inline,
        )
        calling = self._generator.calls.get(key)
        if calling is None:
            rest = RootCode(self._generator.code_name(self._owner.code), ("$self", "$r"))
            head = () if inline is None else (Const(INLINE, inline),)
            parts_made = [one for name, path in changed.items() for one in rebuilt(name, path, names[name])]
            rest.body = (*opened(live), *parts_made, *before, *head, *stream[at:])
            if need.to is DYNAMIC and need.value.lifts_from:
                self._generator.copied[rest] = lifted_by(to, need.value)
            name, path = next(iter(changed.items()))
            lifter = self._generator.lifter(need.value.time, need.to)
            calling = (*taken(name, path), *closed(rest, live), Lift("$k", Stack((need.to,))))
            calling += (Const("$l", lifter), Jump("$l", ("$k", "$p")))
            self._generator.calls[key] = calling
        self._stream(to, calling, 0, dict(names), None, demand)


def _constant(to: Writer, value: Any) -> TimedValue:
    """The value of a constant: a number or a text is static, so that those that differ share an extension."""
    if value is None or isinstance(value, bool | RootCode):
        return TimedValue(Constant(value))
    return TimedValue(STATIC, (to.literal(value),))


def _code(time: Time) -> RootCode:
    """The code of a closure."""
    code = time.code if isinstance(time, TimeGraph) else None
    return code or RootCode("", ("self",))


def _is_nested(time: Time, callee: RootCode) -> bool:
    """Whether a time is that of a continuation in a recursion: of others inside of others, or with a control stack."""
    if not isinstance(time, TimeGraph) or time.packed or time.code in {None, callee}:
        return False
    fields = [field for node in time.nodes for field in (node.car, node.cdr)]
    stacks = [one for one in fields if isinstance(one, Stack)]
    if any(one is STATIC for stack in stacks for one in stack.returns):
        # What it leads to wants to know its value: a control stack of ours would forget that.
        return False
    return sum(node.closure for node in time.nodes) > 2 or bool(stacks)


def _truth(value: TimedValue) -> str | None:
    """The Python test whether a value is true; None if it always is, empty if that is dynamic."""
    time = value.time
    if (
        isinstance(value, ControlPointer)
        or time.is_fixed
        or isinstance(time, Stack)
        or value.halves is not None
    ):
        return None
    if isinstance(time, TimeGraph):
        return f"{value.own[0]}.__class__ is tuple or {value.own[0]}" if time.nodes[0].atom else None
    return value.own[0] if is_static(time) else ""


def _read(stream: Streams, at: int) -> list[str]:
    """The variables that a stream reads from some instruction on, before it binds them."""
    found: dict[str, None] = {}
    waiting: list[tuple[Streams, int, frozenset[str]]] = [(stream, at, frozenset())]
    while waiting:
        one, first, bound = waiting.pop()
        for instruction in one[first:]:
            found.update(dict.fromkeys(name for name in used(instruction) if name not in bound))
            if isinstance(instruction, RootPrim | Const):
                bound |= {instruction.name}
            elif isinstance(instruction, RootIf):
                waiting.append((instruction.stream, 0, bound))
    return sorted(found)


def _captured(to: Writer, needed: list[str], names: Names) -> tuple[list[str], list[RootPrim]]:
    """The variables to hand on for some that are needed: a control pointer is taken from its stack again."""
    before: list[RootPrim] = []
    live = dict.fromkeys(needed)
    for name in needed:
        value = names[name]
        if isinstance(value, ControlPointer):
            stack = next((one for one, other in names.items() if other is value.stack), None)
            if stack is None:
                raise StagingError(
                    f"{name} is used after the continuation it is of", place=to.place, fix="take the car last"
                )
            del live[name]
            live[stack] = None
            before.append(RootPrim(name, "car", (stack,)))
    return list(live), before


def _refuse_parts(to: Writer, instruction: RootPrim, values: Sequence[TimedValue]) -> None:
    """Raise the error of values that are taken from a closure after it is lifted: it has a frame of its own then."""
    if instruction.primitive != "cdr":
        return
    value = values[0]
    closure = value.lifts_from if isinstance(value.time, Stack) else value.lifted
    if closure:
        raise StagingError(
            f"{instruction.args[0]} is {closure}, and its values are taken here",
            place=to.place,
            fix="take its values before it is lifted, or its code after that: the residual closure has another frame",
        )


def leaves_of(body: Body) -> tuple[list[TimedValue], int]:
    """The parts of an extension's arguments, in the order of its Python parameters; how many the first one has."""
    values = [parts(value) for value in body.names.values()]
    return [part for one in values for part in one], len(values[0]) if values else 0
