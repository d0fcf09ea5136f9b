"""Programs of root as data: codes, instructions, pairs.

A code has parameters and a stream of instructions that ends with a jump. Closures are pairs of a code and what it
needs. `reading` makes codes of text, `writing` text of codes, `machine` runs them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

from pellucid.base.errors import StagingError

MAKING_PAIRS = frozenset({"cons", "close"})
"""The primitives that make pairs."""
INLINE = "$inline"
"""Setting this variable tells the compiler generator whether to unfold the next jump."""


class RootPrim(NamedTuple):
    """Binds a variable to what a primitive makes of variables.

    Pairs with the same `point` are of one type for the compiler generator; without one, each place is its own. The
    point of any other primitive is the place that its errors name, instead of the code.
    """

    name: str
    primitive: str
    args: tuple[str, ...]
    point: str | None = None

    @property
    def place(self) -> str | None:
        """The place that errors name, instead of the code; None for a primitive that makes pairs."""
        return None if self.primitive in MAKING_PAIRS else self.point


class Const(NamedTuple):
    """Binds a variable to a constant, which may be a code."""

    name: str
    value: Any


class RootIf(NamedTuple):
    """Goes on with another stream where a variable is true."""

    test: str
    stream: tuple[Instruction, ...]


class Jump(NamedTuple):
    """Hands control and values to the code that a variable is bound to."""

    target: str
    args: tuple[str, ...]


class Lift(NamedTuple):
    """Tells the compiler generator to forget what is known of a variable; running a program ignores it.

    Parameters: `to` is the binding time that is left, dynamic if None, or what makes it of those of `args`: a code or
    a function. A lift with a `delay` of 1 is one of the residual program, where `to` is given the values of `args`.
    """

    name: str
    to: Any = None
    args: tuple[str, ...] = ()
    delay: int = 0


class ByRule(NamedTuple):
    """A function that makes the time of a lift, with the words of `LIFT_RULES` that make it."""

    words: tuple[str, ...]
    rule: Callable[..., Any]

    def __call__(self, *times: Any) -> Any:
        """The time, from those of the arguments."""
        return self.rule(*times)


LIFT_RULES: dict[str, Callable[..., ByRule]] = {}
"""What makes such a function of words; the first word is its name here."""
Instruction: TypeAlias = RootPrim | Const | RootIf | Jump | Lift


class RootCode:
    """A code pointer: it is itself only, and the codes it jumps to are constants in its body."""

    __slots__ = ("body", "name", "params")

    def __init__(self, name: str, params: tuple[str, ...], body: tuple[Instruction, ...] = ()) -> None:
        self.name = name
        self.params = params
        self.body = body

    @property
    def owns_frame(self) -> bool:
        """Whether its closures have a frame that no other code may read: its first instruction is `frame`."""
        first = self.body[0] if self.body else None
        return isinstance(first, RootPrim) and first.primitive == "frame"

    def __repr__(self) -> str:
        """Its name."""
        return self.name


class Pair:
    """Two values; a closure is told from other pairs by `closure`."""

    __slots__ = ("car", "cdr", "closure")

    def __init__(self, car: Any, cdr: Any, *, closure: bool = False) -> None:
        self.car = car
        self.cdr = cdr
        self.closure = closure


def linked(*values: Any) -> Pair | None:
    """The list of some values: pairs that end with None.

    >>> linked(1, 2).cdr.car
    2
    """
    made = None
    for value in reversed(values):
        made = Pair(value, made)
    return made


def unlinked(pairs: Any) -> list[Any]:
    """The values of a list of pairs.

    >>> unlinked(linked(1, 2))
    [1, 2]
    """
    values: list[Any] = []
    while isinstance(pairs, Pair):
        values.append(pairs.car)
        pairs = pairs.cdr
    if pairs is not None:
        raise StagingError(f"a list ends with {pairs!r}", place="root", fix="end it with nil")
    return values


def check(code: RootCode) -> None:
    """Raise the error of a code that uses what is not bound, or whose streams do not end with their only jump."""
    if len(set(code.params)) != len(code.params):
        raise StagingError("a parameter is named twice", place=code.name, fix="give each a name of its own")
    # One set for all streams: what an arm binds is taken out at its end, so that a long program takes no longer a line.
    bound, made = set(code.params), list[str]()
    waiting = [(code.body, 0, 0)]
    while waiting:
        stream, at, mark = waiting.pop()
        if not stream or stream[-1].__class__ is not Jump:
            raise _endless(code)
        end = len(stream)
        while at < end:
            instruction = stream[at]
            at += 1
            # A union would be made anew for each instruction.
            if isinstance(instruction, (RootPrim, Const)):
                if isinstance(instruction, RootPrim) and not bound.issuperset(instruction.args):
                    raise _unbound(code, instruction, bound)
                name = instruction.name
                if name not in bound:
                    bound.add(name)
                    made.append(name)
            elif not bound.issuperset(used(instruction)):
                raise _unbound(code, instruction, bound)
            elif isinstance(instruction, RootIf):
                waiting += [(stream, at, mark), (instruction.stream, 0, len(made))]
                break
            elif at < end and isinstance(instruction, Jump):
                raise _endless(code)
        else:
            bound.difference_update(made[mark:])
            del made[mark:]


def _unbound(code: RootCode, instruction: Instruction, bound: set[str]) -> StagingError:
    """The error of a variable that is used before it is bound."""
    name = next(one for one in used(instruction) if one not in bound)
    return StagingError(f"{name!r} is not bound", place=code.name, fix="bind it before it is used")


def _endless(code: RootCode) -> StagingError:
    """The error of a stream whose only jump is not its end."""
    return StagingError("a stream has no jump at its end", place=code.name, fix="end it with one jump")


def used(instruction: Instruction) -> tuple[str, ...]:
    """The variables that an instruction reads."""
    match instruction:
        case RootPrim(_, _, args):
            return args
        case RootIf(test, _):
            return (test,)
        case Jump(target, args):
            return (target, *args)
        case Lift(name, _, args):
            return (name, *args)
        case Const():
            return ()


def reified(code: Any) -> Pair | None:
    """The text of a code as data: a list of `code`, its name, its parameters and its instructions.

    >>> reified(RootCode("f", ("k",), (Jump("k", ("k",)),))).cdr.car
    'f'
    """
    if not isinstance(code, RootCode):
        raise TypeError(f"no code: {code!r}")
    return linked("code", code.name, linked(*code.params), linked(*map(_reified, code.body)))


def _reified(instruction: Instruction) -> Pair | None:
    """An instruction as data."""
    match instruction:
        case RootPrim(name, primitive, args, point):
            return linked("prim", name, primitive if point is None else linked(primitive, point), *args)
        case Const(name, value):
            return linked("const", name, value)
        case RootIf(test, stream):
            return linked("if", test, linked(*map(_reified, stream)))
        case Jump(target, args):
            return linked("jump", target, *args)
        case Lift(name, to, args, delay):
            return linked("lift", name, to, linked(*args), delay)


def reflected(data: Any) -> RootCode:
    """The code whose text is given as data, the other way around than `reified`.

    >>> reflected(reified(RootCode("f", ("k",), (Jump("k", ("k",)),)))).params
    ('k',)
    """
    match unlinked(data):
        case ["code", str(name), params, body]:
            code = RootCode(name, tuple(unlinked(params)), tuple(map(_reflected, unlinked(body))))
        case found:
            raise StagingError(
                f"no text of a code: {found!r}",
                place="reflect",
                fix="give a list of code, name, parameters, body",
            )
    check(code)
    return code


def _reflected(data: Any) -> Instruction:
    """The instruction that is given as data."""
    match unlinked(data):
        case ["prim", str(name), str(primitive), *args]:
            return RootPrim(name, primitive, tuple(args))
        case ["prim", str(name), Pair(car=primitive, cdr=Pair(car=point)), *args]:
            return RootPrim(name, primitive, tuple(args), point)
        case ["const", str(name), value]:
            return Const(name, value)
        case ["if", str(test), stream]:
            return RootIf(test, tuple(map(_reflected, unlinked(stream))))
        case ["jump", str(target), *args]:
            return Jump(target, tuple(args))
        case ["lift", str(name), to, args, int(delay)]:
            return Lift(name, to, tuple(unlinked(args)), delay)
        case found:
            raise StagingError(
                f"no instruction: {found!r}", place="reflect", fix="write prim, const, if, jump or lift"
            )
