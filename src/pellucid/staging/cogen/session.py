"""What a compiler runs on: the memo table, the work that waits, and the parts of lifts that depend on static values.

A generated function gets the stream that it extends, as a list, and the leaves of its arguments. It calls another one
only in a chain of bounded length, and puts it on the list of waiting work otherwise, so that no depth of the
interpreter's recursion is one of Python.
"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import count
from traceback import walk_tb
from typing import Any

from pellucid.base.errors import PellucidError, StagingError, brief
from pellucid.staging.cogen.extension import Extension
from pellucid.staging.cogen.frames import Known
from pellucid.staging.cogen.growths import GrowthError, grown
from pellucid.staging.root.machine import run
from pellucid.staging.root.primitives import PRIMITIVES
from pellucid.staging.root.program import Const, Instruction, Jump, Lift, Pair, RootCode, RootIf, RootPrim
from pellucid.staging.times.lattice import (
    CYCLIC,
    DYNAMIC,
    STATIC,
    Field,
    Node,
    Stack,
    Time,
    TimeGraph,
)

FAILURES = (TypeError, ValueError, LookupError, ArithmeticError, AttributeError, PellucidError)
"""The errors of the interpreter's own static part."""
PLAIN = frozenset({int, str, type(None), Pair, RootCode})
"""The classes whose values are their own keys."""

new: Callable[..., Any] = vars(tuple)["__new__"]
"""Makes an instruction of its fields: the constructor of its class takes twice as long."""
Stream = list[Instruction]


def key_of(value: Any) -> Any:
    """A key of a static value: equal only for values that no program can tell apart."""
    kind = value.__class__
    if kind in PLAIN:
        return value
    if kind is float:
        return (float, struct.pack("d", value))
    if kind is tuple:
        return (tuple, *map(key_of, value))
    if kind is bool:
        return (bool, value)
    return value if isinstance(value, Time) else (kind, id(value))


class CompilerSession:
    """One compiler at work; `begin` starts anew."""

    def __init__(self, most: int, deepest: int) -> None:
        self.table: dict[Any, RootCode] = {}
        self.waiting: list[tuple[Callable[..., None], tuple[Any, ...]]] = []
        """Functions to call, with their arguments."""
        self.streams: dict[RootCode, Stream] = {}
        self.fresh: Iterator[int] = count(1)
        self.owners: dict[Any, Extension] = {}
        self.most = most
        self._deepest = deepest
        self._pairs: dict[Any, Pair] = {}
        self._shared: dict[Any, tuple[int, RootPrim]] = {}
        self._kept: list[Any] = []
        self._keys: dict[int, Any] = {}
        """Those of the values that are kept, by identity."""
        self._alike: dict[Any, object] = {}
        """The objects that stand for vectors, by their structure."""
        self._walked = 0
        self._made: Counter[Extension] = Counter()
        """The codes that each extension made."""
        self.known: Known = {}
        self.factors: dict[str, int] = {}
        """The factors of quotients, by the variable of the product."""
        self.amounts: dict[str, int] = {}
        """The terms added to quotients, by the variable of the sum."""

    def begin(self) -> None:
        """Forget the last run."""
        self.table.clear()
        self.waiting.clear()
        self.streams.clear()
        self._pairs.clear()
        self._shared.clear()
        self._kept.clear()
        self._keys.clear()
        self._alike.clear()
        self.known.clear()
        self.factors.clear()
        self.amounts.clear()
        self._walked = 0
        self._made.clear()
        self.fresh = count(1)

    def name(self, stem: str) -> str:
        """A new residual variable."""
        return f"{stem}{next(self.fresh)}"

    # ---- emitting ----

    def const(self, out: Stream, value: Any) -> str:
        """Emit a constant (lift case 1)."""
        name = f"c{next(self.fresh)}"
        out.append(new(Const, (name, value)))
        return name

    def prim(self, out: Stream, stem: str, primitive: str, *args: str, point: str | None = None) -> str:
        """Emit a primitive."""
        name = f"{stem}{next(self.fresh)}"
        out.append(new(RootPrim, (name, primitive, args, point)))
        return name

    def jump(self, out: Stream, code: RootCode, args: tuple[str, ...]) -> None:
        """Emit a jump to a code."""
        name = f"j{next(self.fresh)}"
        out.append(new(Const, (name, code)))
        out.append(new(Jump, (name, args)))

    def plus(self, out: Stream, name: str, amount: int) -> str:
        """Emit the sum of a variable and a number, once in a stream."""
        return name if amount == 0 else self._shared_once(out, "+", name, amount, self.amounts)

    def _shared_once(self, out: Stream, primitive: str, name: str, amount: int, notes: dict[str, int]) -> str:
        """What a stream has computed already of a quotient and a number, or computes now; the number is kept."""
        key = (id(out), primitive, name, amount)
        found = self._shared.get(key)
        if found is not None:
            at, instruction = found
            # It may have been taken back since.
            if at < len(out) and out[at] is instruction:
                return instruction[0]
        number, made = f"c{next(self.fresh)}", f"q{next(self.fresh)}"
        instruction = new(RootPrim, (made, primitive, (name, number), None))
        out.append(new(Const, (number, amount)))
        out.append(instruction)
        self._shared[key] = (len(out) - 1, instruction)
        notes[made] = amount
        return made

    def cyclic(self, out: Stream, base: int, quotient: str, remainder: int) -> str:
        """Emit what a cyclic integer is (lift case 2)."""
        if base != 1:
            quotient = self._shared_once(out, "*", quotient, base, self.factors)
        return self._shared_once(out, "+", quotient, remainder, self.amounts) if remainder else quotient

    def scaled(
        self, out: Stream, factor: int, base: int, quotient: str, remainder: int
    ) -> tuple[int, str, int]:
        """A cyclic integer, multiplied; by zero it is the constant zero."""
        if factor == 0:
            return 1, self.const(out, 0), 0
        if base == 1 and remainder == 0:
            return factor, quotient, 0
        product = PRIMITIVES["*"].meaning
        return product(base, factor), quotient, product(remainder, factor)

    def later(self, out: Stream, name: str, to: Any, args: tuple[Any, ...], delay: int) -> None:
        """Emit a lift of the residual program."""
        out.append(Lift(name, target(to, args), (), delay - 1))

    def access(
        self, out: Stream, stem: str, primitive: str, memory: Any, *args: str, point: str | None
    ) -> str:
        """Emit a load from a memory that is known, or a store: each memory has primitives of its own."""
        return self.prim(out, stem, f"{primitive}@{memory.name}", *args, point=point)

    def applied(
        self,
        out: Stream,
        named: Callable[[Any, int], str],
        function: Any,
        names: tuple[str, ...],
        rest: Any,
        *,
        point: str | None,
    ) -> str:
        """Emit a primitive that is known, on a list of residual variables."""
        found = list(names)
        while rest.__class__ is tuple:
            found.append(rest[0])
            rest = rest[1]
        name = f"v{next(self.fresh)}"
        out.append(new(RootPrim, (name, named(function, len(found)), tuple(found), point)))
        return name

    def _place(self, error: Exception) -> str:
        """The place of an error, as a code with a line; empty where no line is known."""
        frames = [each for each in walk_tb(error.__traceback__) if each[0].f_globals.get("rt") is self]
        if not frames:
            return ""
        frame, line = frames[-1]
        number = int(frame.f_code.co_name[1:].partition("_")[0])
        owner = next((one for one in self.owners.values() if one.number == number), None)
        return owner.place(frame, line) if owner is not None else ""

    def fail(self, out: Stream, error: Exception, code: str = "") -> None:
        """End a stream with the error that its static part raised, in a code that names its line."""
        place = getattr(error, "place", None) or code
        shown = error.args[0] if isinstance(error, KeyError) and error.args else error
        text = getattr(error, "message", None) or (
            "a half of what is no pair" if isinstance(error, AttributeError) else str(shown)
        )
        message = self.const(out, f"{place}: {text}" if place else text)
        name = self.prim(out, "e", "error", message)
        out.append(new(Jump, (name, ())))

    # ---- static values ----

    def cons(self, car: Any, cdr: Any, closure: bool = False) -> Pair:
        """The static pair of two values: equal ones are one object, so that keys are cheap."""
        key = (car.__class__, key_of(car), cdr.__class__, key_of(cdr), closure)
        found = self._pairs.get(key)
        if found is None:
            found = self._pairs[key] = Pair(car, cdr, closure=closure)
        return found

    def key(self, value: Any) -> Any:
        """The key of a static value, which is kept as long as the table.

        A vector is walked once, however often its key is wanted, and has an object for it that is cheap to compare.
        """
        kind = value.__class__
        if kind in PLAIN:
            return value
        found = self._keys.get(id(value))
        if found is None:
            self._kept.append(value)
            found = key_of(value)
            if kind is tuple:
                found = self._alike.setdefault(found, object())
            self._keys[id(value)] = found
        return found

    # ---- keys and normalization of what is packed ----

    def walk(
        self, nodes: tuple[Node, ...], field: Field, value: Any, names: dict[str, int], deep: int = 0
    ) -> Any:
        """The key of a packed value; `names` numbers its residual variables as they appear, which is its aliasing."""
        if field is DYNAMIC:
            return names.setdefault(value, len(names))
        if field is STATIC:
            return value if value.__class__ in PLAIN else self.key(value)
        if field is CYCLIC:
            return value[0], names.setdefault(value[1], len(names)), value[2]
        if isinstance(field, int):
            spine: list[Any] = []
            while isinstance(field, int):
                if value.__class__ is not tuple:
                    spine.append((None, self.key(value)))
                    self._walked += len(spine)
                    return tuple(spine)
                _, _, car, cdr, _ = nodes[field]
                if car is DYNAMIC:
                    if cdr == field:
                        # A list of any length: all of it but its last pair.
                        while value[1].__class__ is tuple:
                            spine.append(names.setdefault(value[0], len(names)))
                            value = value[1]
                    spine.append(names.setdefault(value[0], len(names)))
                else:
                    spine.append(self.walk(nodes, car, value[0], names, deep))
                field, value = cdr, value[1]
            spine.append(self.walk(nodes, field, value, names, deep))
            self._walked += len(spine)
            return tuple(spine)
        if isinstance(field, Stack):
            owner: Extension = value[0]
            self._walked += len(value)
            if deep > self._deepest:
                raise GrowthError(
                    f"{owner.code.name}: the control stack has more than {self._deepest} frames",
                    f"lift the continuation of {owner.code.name} to dynamic: the recursion is over something dynamic",
                    owner.code.name,
                )
            key: list[Any] = [owner.number]
            at = 1
            for time in owner.frame:
                one = value[at]
                at += 1
                if time is DYNAMIC:
                    key.append(names.setdefault(one, len(names)))
                elif time is STATIC:
                    key.append(one if one.__class__ in PLAIN else self.key(one))
                elif time is CYCLIC:
                    key.append((one, names.setdefault(value[at], len(names)), value[at + 1]))
                    at += 2
                elif isinstance(time, TimeGraph):
                    key.append(self.walk(time.nodes, 0, one, names, deep + 1))
                else:
                    key.append(self.walk((), time, one, names, deep + 1))
            return tuple(key)
        return None

    def normal(
        self, field: Field, nodes: tuple[Node, ...], value: Any, shifts: dict[Any, Any], out: Stream
    ) -> Any:
        """A packed value with its cyclic integers normalized."""
        if field is CYCLIC:
            return self.shifted(out, shifts, *value)
        if isinstance(field, int):
            halves: list[tuple[int, Any]] = []
            while isinstance(field, int) and value.__class__ is tuple:
                halves.append((field, self.normal(nodes[field].car, nodes, value[0], shifts, out)))
                field, value = nodes[field].cdr, value[1]
            if not isinstance(field, int):
                value = self.normal(field, nodes, value, shifts, out)
            for _, half in reversed(halves):
                value = (half, value)
            return value
        if isinstance(field, Stack):
            owner: Extension = value[0]
            flat: list[Any] = [owner]
            for time, one in _grouped(owner, value):
                made = self.normal(0 if isinstance(time, TimeGraph) else time, _nodes(time), one, shifts, out)
                flat += made if time is CYCLIC else [made]
            return tuple(flat)
        return value

    def shifted(
        self, out: Stream, shifts: dict[Any, Any], base: int, quotient: str, remainder: int
    ) -> tuple[int, str, int]:
        """A cyclic integer with its remainder below the base; what shares its quotient is shifted by as much."""
        found = shifts.get(quotient)
        if found is None:
            amount = remainder // base
            found = shifts[quotient] = (amount, self.plus(out, quotient, amount))
        return base, found[1], remainder - base * found[0]

    # ---- codes ----

    def code(self, key: Any, owner: Extension, names: dict[str, int]) -> tuple[RootCode, Stream]:
        """A new residual code of an extension, under a key."""
        self._made[owner] += 1
        code = RootCode(f"{owner.code.name}_{len(self.table) + 1}", tuple(names))
        if self._made[owner] > self.most or len(names) > _MAX_REGISTERS or self._walked > _MAX_WALKED:
            raise self._grown(owner, key[0])
        self.table[key] = code
        stream: Stream = []
        self.streams[code] = stream
        return code, stream

    def _grown(self, owner: Extension, number: int) -> GrowthError:
        """The error of an extension that is wanted too often, or of what wants it: best one that names a line."""
        if ":" not in owner.code.name:
            placed = [one for one, made in self._made.items() if ":" in one.code.name and made > _MAX_PLACED]
            if placed:
                owner = max(placed, key=self._made.__getitem__)
                number = owner.number
        return grown(owner, [one[1:] for one in self.table if one[0] == number])

    def entered(
        self, key: Any, owner: Extension, names: dict[str, int], count: int
    ) -> tuple[Stream, list[str]]:
        """The stream of a new residual closure's code, after what restores its registers (unlift), and its values.

        Parameters: `count` as in `saved`; a frame with other values is for this code alone.
        """
        given = [self.name("a") for _ in owner.code.params[1:]]
        code, stream = self.code(key, owner, names)
        own = self.name("self")
        code.params = (own, *given)
        frame = self.prim(stream, "f", "cdr" if len(names) == count else "frame", own)
        for at, name in enumerate(names):
            stream.append(new(RootPrim, (name, "car", (frame,), None)))
            if at < len(names) - 1:
                frame = self.prim(stream, "f", "cdr", frame)
        return stream, given

    def saved(self, out: Stream, key: Any, names: dict[str, int], closure: str, count: int) -> str:
        """Emit a residual closure of a code: its residual code, and each register of its frame once.

        Parameters: `count` is the number of values in the frame that it had, if all of these were dynamic.
        """
        frame = self.const(out, None)
        for name in reversed(names):
            frame = self.prim(out, "f", "cons", name, frame)
        made = self.prim(out, "k", "close", self.const(out, self.table[key]), frame)
        if len(names) != count:
            self.known[made] = closure
        return made

    def finish(self, entry: RootCode) -> None:
        """Make the streams the bodies of their codes."""
        if self.factors:
            from pellucid.staging.cogen.premultiplying import premultiply

            premultiply(entry, self.streams, self.factors, self.amounts, self.name)
        for code, stream in self.streams.items():
            code.body = frozen(stream)

    def work(self) -> None:
        """Do what waits until nothing does."""
        waiting = self.waiting
        for step in range(1, _MAX_STEPS):
            if not waiting:
                return
            if not step % _LOOK and next(self.fresh) > _MAX_EMITTED:
                break
            # What `_step` does, without a call for each: there are one or two for each instruction that is left.
            function, args = waiting.pop()
            try:
                function(*args)
            except FAILURES as error:
                self.fail(args[0], error, self._place(error))
        raise self._endless()

    def _step(self, function: Any, args: tuple[Any, ...]) -> None:
        """Do one thing that waited; where it fails, the program fails when it runs."""
        try:
            function(*args)
        except FAILURES as error:
            self.fail(args[0], error, self._place(error))

    def _endless(self) -> GrowthError:
        """The error of an unfolding without end: what the function that comes most often is given."""
        jobs: dict[Any, list[tuple[Any, ...]]] = {}
        for _ in range(1000):
            if not self.waiting:
                break
            function, args = self.waiting.pop()
            if function in self.owners:
                jobs.setdefault(function, []).append(args[1:])
            self._step(function, args)
        function, given = max(jobs.items(), key=lambda item: len(item[1]))
        owner = self.owners[function]
        placed = ":" in owner.code.name or max(self._made.values(), default=0) <= _MAX_PLACED
        return grown(owner, given[-3:]) if placed else self._grown(owner, owner.number)


_MAX_PLACED = 3
"""Codes of an extension that one may well have, and not go on with without end."""
_MAX_REGISTERS = 2000
"""Residual variables of one code; a structure that grows without end has as many within a second."""
_MAX_WALKED = 1_000_000
"""Elements of structures in the keys of one compilation: half a second, and more where they are nested deep."""
_MAX_STEPS = 400_000
"""Calls of what waits in one compilation, each of some jumps: about half a second."""
_MAX_EMITTED = 500_000
"""Residual variables of one compilation: about a second."""
_LOOK = 1024
"""Calls after which they are counted."""


def _nodes(time: Time) -> tuple[Node, ...]:
    """The nodes of a time, if it is a structure."""
    return time.nodes if isinstance(time, TimeGraph) else ()


def _grouped(owner: Extension, value: tuple[Any, ...]) -> Iterator[tuple[Time, Any]]:
    """The parts of a control stack's first frame, with their times."""
    at = 1
    for time in owner.frame:
        if time is CYCLIC:
            yield time, value[at : at + 3]
            at += 3
        else:
            yield time, value[at]
            at += 1


def frozen(stream: Stream) -> tuple[Instruction, ...]:
    """A stream as the body of a code: what follows a test is a tuple too."""
    instruction: Any
    for at, instruction in enumerate(stream):
        if instruction.__class__ is RootIf:
            stream[at] = new(RootIf, (instruction[0], frozen(instruction[1])))
    return tuple(stream)


def target(to: Any, args: tuple[Any, ...]) -> Any:
    """The time that a lift leads to, from that of its arguments or their values."""
    if to is None or isinstance(to, Time):
        return DYNAMIC if to is None else to
    made = run(to, *args) if isinstance(to, RootCode) else to(*args)
    if not isinstance(made, Time):
        raise StagingError(f"a lift to {brief(made)}", place="lift", fix="give a procedure that makes a time")
    return made
