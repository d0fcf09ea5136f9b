"""Basic blocks of a function, and the codes of root that they become.

A block with one predecessor stands in its predecessor's stream. Another one is a code, whose parameters are the
variables that are live there. What follows a call is the code of a closure, with the live variables in its frame.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple, TypeAlias

from pellucid.staging.front.returns import Returns
from pellucid.staging.front.source import Source
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

K = "$k"
"""The continuation."""


class Go(NamedTuple):
    """Go on with a block."""

    to: PythonBlock


class BlockBranch(NamedTuple):
    """Go on with one of two blocks."""

    test: str
    yes: PythonBlock
    no: PythonBlock


class Return(NamedTuple):
    """Return a variable, and the parameters that were changed in place."""

    value: str
    changed: tuple[str, ...] = ()


class CallSite(NamedTuple):
    """Call a code and bind its result, and what it changed in place.

    A dynamic call is not unfolded, and neither is what it returns to; `returns` is the time of that otherwise.
    """

    result: str
    changed: tuple[str, ...]
    code: RootCode
    args: tuple[str, ...]
    to: PythonBlock
    returns: Returns | None
    dynamic: bool


class Fail(NamedTuple):
    """Raise the error whose message a variable is."""

    message: str


End: TypeAlias = Go | BlockBranch | Return | CallSite | Fail


class PythonBlock:
    """Instructions without a jump, and how they end."""

    def __init__(self, line: int) -> None:
        self.line = line
        self.body: list[Instruction] = []
        self.end: End | None = None
        self.live: frozenset[str] = frozenset()
        self.entries = 0

    def next(self) -> tuple[PythonBlock, ...]:
        """The blocks that may follow."""
        match self.end:
            case Go(to) | CallSite(to=to):
                return (to,)
            case BlockBranch(_, yes, no):
                return yes, no
            case _:
                return ()

    def before(self, live: frozenset[str]) -> frozenset[str]:
        """The variables that are live before the block, of those after it."""
        match self.end:
            case BlockBranch(test):
                live |= {test}
            case Return(value, changed):
                live = frozenset({value, *changed})
            case Fail(value):
                live = frozenset({value})
            case CallSite(result, changed, _, args):
                live = (live - {result, *changed}) | set(args)
            case _:
                pass
        for one in reversed(self.body):
            if isinstance(one, RootPrim | Const):
                live -= {one.name}
            live |= set(used(one))
        return live


class Blocks:
    """The blocks of one function while they are written."""

    def __init__(self, source: Source, code: RootCode) -> None:
        self._source = source
        self._code = code
        self.now: PythonBlock | None = PythonBlock(source.tree.lineno)
        self._entry = self.now
        self._count = 0
        self._names: Counter[str] = Counter()
        self.line = source.tree.lineno
        """The line of what is written."""

    # ---- writing ----

    def temporary(self) -> str:
        """A new variable, whose name tells the line to the generator."""
        self._count += 1
        return f"${self.line}_{self._count}"

    def put(self, instruction: Instruction) -> None:
        """Write an instruction; what follows a jump is dropped."""
        if self.now is not None:
            self.now.body.append(instruction)

    def const(self, value: Any) -> str:
        """A variable that is a constant."""
        name = self.temporary()
        self.put(Const(name, value))
        return name

    def prim(self, primitive: str, *args: str, to: str | None = None, point: str | None = None) -> str:
        """A variable that is the result of a primitive."""
        name = to or self.temporary()
        self.put(RootPrim(name, primitive, args, point))
        return name

    def end(self, end: End, then: PythonBlock | None) -> None:
        """End the block that is being written, and go on with another one."""
        if self.now is not None:
            self.now.end = end
        self.now = then

    def call(
        self,
        code: RootCode,
        *args: str,
        line: int,
        changed: tuple[str, ...] = (),
        returns: Returns | None = None,
        dynamic: bool = False,
    ) -> str:
        """The variable of what a call returns; it binds others to what was changed in place."""
        made, after = self.temporary(), PythonBlock(line)
        if self.now is None:
            return made
        self.end(CallSite(made, changed, code, args, after, returns, dynamic), after)
        return made

    # ---- codes ----

    def finish(self) -> None:
        """Make the blocks the body of the function's code."""
        order = self._reached()
        changed = True
        while changed:
            changed = False
            for block in reversed(order):
                after = frozenset[str]().union(*(one.live for one in block.next()))
                live = block.before(after)
                if live != block.live:
                    block.live, changed = live, True
        unbound = sorted(self._entry.live - set(self._code.params))
        if unbound:
            name = unbound[0]
            node = self._source.first_use(name)
            raise self._source.error(
                node, f"{name!r} may be used before it has a value", "give it a value before the branch"
            )
        codes: dict[PythonBlock, RootCode] = {}
        for block in order:
            if block.entries > 1:
                name = self._name(block)
                codes[block] = RootCode(name, (K, *sorted(block.live)))
        self._code.body = self._stream(self._entry, codes)
        for block, code in codes.items():
            code.body = self._stream(block, codes)

    def _name(self, block: PythonBlock) -> str:
        """A name for a code: the function's, and a line; a number tells those of one line apart."""
        name = f"{self._source.name}:{block.line}"
        self._names[name] += 1
        return name if self._names[name] == 1 else f"{name}'{self._names[name]}"

    def _reached(self) -> list[PythonBlock]:
        """The blocks that are reached, with their numbers of predecessors."""
        order: dict[PythonBlock, None] = {}
        waiting = [self._entry]
        while waiting:
            block = waiting.pop()
            if block in order:
                continue
            order[block] = None
            for one in block.next():
                one.entries += 1
                waiting.append(one)
        return list(order)

    def _stream(self, block: PythonBlock, codes: dict[PythonBlock, RootCode]) -> tuple[Instruction, ...]:
        """The stream that begins with a block."""
        out: list[Instruction] = []
        while True:
            out += block.body
            match block.end:
                case Go(to) if to in codes:
                    return (*out, *self._jump(codes[to], (K, *codes[to].params[1:])))
                case Go(to):
                    block = to
                case BlockBranch(test, yes, no):
                    out.append(RootIf(test, self._arm(yes, codes)))
                    if no in codes:
                        return (*out, *self._jump(codes[no], codes[no].params))
                    block = no
                case Return(value, changed):
                    target = self.temporary()
                    return (*out, RootPrim(target, "car", (K,)), Jump(target, (K, value, *changed)))
                case CallSite():
                    return (*out, *self._called(block.end, codes))
                case Fail(message):
                    target = self.temporary()
                    return (*out, RootPrim(target, "error", (message,)), Jump(target, ()))
                case None:
                    raise AssertionError

    def _arm(self, block: PythonBlock, codes: dict[PythonBlock, RootCode]) -> tuple[Instruction, ...]:
        """The stream of an arm."""
        return self._jump(codes[block], codes[block].params) if block in codes else self._stream(block, codes)

    def _jump(self, code: RootCode, args: tuple[str, ...]) -> tuple[Instruction, ...]:
        """A jump to a code."""
        target = self.temporary()
        return Const(target, code), Jump(target, args)

    def _called(self, call: CallSite, codes: dict[PythonBlock, RootCode]) -> tuple[Instruction, ...]:
        """A call: a closure of what follows, or this function's own continuation where only a return follows."""
        result, changed, code, args, to, returns, dynamic = call
        out: list[Instruction] = []
        after = K
        if to.body or to.end != Return(result, changed):
            name = self._name(to)
            live = [K, *sorted(to.live - {result, *changed})]
            rest = RootCode(name, ("$self", result, *changed))
            frame = self.temporary()
            body: list[Instruction] = [RootPrim(frame, "cdr", ("$self",))]
            for one in live:
                body.append(RootPrim(one, "car", (frame,)))
                more = self.temporary()
                body.append(RootPrim(more, "cdr", (frame,)))
                frame = more
            rest.body = (*body, *self._arm(to, codes))
            frame = self.temporary()
            out.append(Const(frame, None))
            for one in reversed(live):
                more = self.temporary()
                out.append(RootPrim(more, "cons", (one, frame), f"{name}.{one}.{frame}"))
                frame = more
            target, after = self.temporary(), self.temporary()
            out += [Const(target, rest), RootPrim(after, "close", (target, frame), f"{name}.{after}")]
            if returns is not None:
                out.append(Lift(after, returns, (after, *args)))
        if dynamic:
            out += [Lift(after), Const(INLINE, False)]
        target = self.temporary()
        return (*out, Const(target, code), Jump(target, (after, *args)))
