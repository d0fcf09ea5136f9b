"""Quotients of cyclic integers that are kept multiplied by their base, where the residual program uses them so.

A cyclic integer is base * quotient + remainder. While it is generated, a program keeps the quotient, since that is
what shows that two integers share theirs. What is left multiplies it at each use as a number (Draves 1996, Section 6).
Here each variable gets a constraint from each use: a product with a number wants the multiple, sums and tests of zero
are as good for it, and any other use wants the quotient. Variables that are handed to each other have one answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import gcd
from typing import Any, TypeAlias, cast

from pellucid.staging.root.program import Code, Const, If, Jump, Prim, used

Stream: TypeAlias = "list[Any]"
Variable: TypeAlias = "tuple[Code, str]"


class _Class:
    """Variables that are handed to each other: what their uses ask for."""

    def __init__(self) -> None:
        self.parent: _Class | None = None
        self.base = 0
        """The greatest number that all factors are multiples of."""
        self.products = 0
        self.sources: list[Variable] = []
        """Where a quotient comes from outside of the class."""
        self.is_number = False
        """Whether some use wants the quotient itself."""
        self.moved = False
        """Whether a jump hands one of them to another."""

    @property
    def root(self) -> _Class:
        """The one that stands for all that are united with this one."""
        found = self
        while found.parent is not None:
            found = found.parent
        return found

    def unite(self, other: _Class) -> None:
        """Make two classes one."""
        one, more = self.root, other.root
        if one is more:
            return
        more.parent = one
        one.base = gcd(one.base, more.base)
        one.products += more.products
        one.sources += more.sources
        one.is_number |= more.is_number
        one.moved |= more.moved

    @property
    def is_multiple(self) -> bool:
        """Whether the multiple is kept: it takes a product for each source, and saves one at each use."""
        return not self.is_number and self.moved and self.base > 1 and self.products >= len(self.sources)


def premultiply(
    entry: Code,
    streams: dict[Code, Stream],
    factors: dict[str, int],
    amounts: dict[str, int],
    name: Callable[[str], str],
) -> None:
    """Keep multiples of quotients in a program, where its uses ask for them.

    Parameters: `factors` are those of the variables that are a quotient times a number, `amounts` those that are one
    and a number, and `name` makes a new variable.
    """
    classes = _Constraints(entry, streams, factors, amounts).classes
    kept = {key: one.root.base for key, one in classes.items() if one.root.is_multiple}
    if not kept:
        return
    sources = {key for one in classes.values() if one.root.is_multiple for key in one.root.sources}
    for code, stream in streams.items():
        renamed: dict[str, str] = {}
        first: Stream = []
        for param in code.params:
            if (code, param) in sources:
                _multiply(first, param, kept[code, param], renamed, name)
        stream[:] = first + _rewritten(code, stream, kept, sources, factors, amounts, renamed, name)


class _Constraints:
    """What the uses of all variables ask for."""

    def __init__(
        self, entry: Code, streams: dict[Code, Stream], factors: dict[str, int], amounts: dict[str, int]
    ) -> None:
        self.classes: dict[Variable, _Class] = {}
        self._streams = streams
        values = {entry, *_values(streams)}
        for code in values & streams.keys():
            for param in code.params:
                self._of(code, param).sources.append((code, param))
        for code, stream in streams.items():
            targets: dict[str, Code] = {}
            for instruction in _all(stream):
                if isinstance(instruction, Const):
                    if isinstance(instruction.value, Code):
                        targets[instruction.name] = instruction.value
                    self._of(code, instruction.name).sources.append((code, instruction.name))
                elif isinstance(instruction, Jump):
                    target = targets.get(instruction.target)
                    if target is None or target in values or target not in streams:
                        self._numbers(code, used(instruction))
                        continue
                    for arg, param in zip(instruction.args, target.params, strict=True):
                        self._of(code, arg).unite(self._of(target, param))
                        self._of(code, arg).root.moved = True
                elif isinstance(instruction, Prim):
                    self._prim(code, instruction, factors, amounts)
                else:
                    self._numbers(code, used(instruction))

    def _prim(self, code: Code, prim: Prim, factors: dict[str, int], amounts: dict[str, int]) -> None:
        """Take note of what a primitive asks for."""
        name, args = prim.name, prim.args
        if name in factors:
            one = self._of(code, args[0]).root
            one.base = gcd(one.base, factors[name])
            one.products += 1
        elif name in amounts:
            self._of(code, name).unite(self._of(code, args[0]))
            return
        elif prim.primitive != "zero?":
            self._numbers(code, args)
        self._of(code, name).sources.append((code, name))

    def _numbers(self, code: Code, names: tuple[str, ...]) -> None:
        """Take note of uses that want the quotients."""
        for name in names:
            self._of(code, name).root.is_number = True

    def _of(self, code: Code, name: str) -> _Class:
        """The class of a variable."""
        found = self.classes.get((code, name))
        if found is None:
            found = self.classes[code, name] = _Class()
        return found.root


def _all(stream: Stream) -> Iterator[Any]:
    """The instructions of a stream and of those in it; what a stream binds comes before those in it."""
    waiting = [stream]
    for one in waiting:
        yield from one
        waiting += [cast("Stream", each.stream) for each in one if isinstance(each, If)]


def _values(streams: dict[Code, Stream]) -> Iterator[Code]:
    """The codes that are not only jumped to."""
    for stream in streams.values():
        held: dict[str, Code] = {}
        for instruction in _all(stream):
            if isinstance(instruction, Const) and isinstance(instruction.value, Code):
                held[instruction.name] = instruction.value
            elif held:
                read = instruction.args if isinstance(instruction, Jump) else used(instruction)
                yield from (held[name] for name in read if name in held)


def _multiply(
    out: Stream, source: str, base: int, renamed: dict[str, str], name: Callable[[str], str]
) -> None:
    """Append the multiple of a quotient from outside."""
    factor, made = name("c"), name("p")
    out += [Const(factor, base), Prim(made, "*", (source, factor))]
    renamed[source] = made


def _rewritten(
    code: Code,
    stream: Stream,
    kept: dict[Variable, int],
    sources: set[Variable],
    factors: dict[str, int],
    amounts: dict[str, int],
    renamed: dict[str, str],
    name: Callable[[str], str],
) -> Stream:
    """A stream on multiples."""
    out: Stream = []
    for instruction in stream:
        match instruction:
            case Prim(made, _, (one, number)) if made in factors and (code, one) in kept:
                if factors[made] == kept[code, one]:
                    renamed[made] = renamed.get(one, one)
                else:
                    out[-1] = Const(number, factors[made] // kept[code, one])
                    out.append(Prim(made, "*", (renamed.get(one, one), number)))
            case Prim(made, _, (one, number)) if made in amounts and (code, one) in kept:
                out[-1] = Const(number, amounts[made] * kept[code, one])
                out.append(Prim(made, "+", (renamed.get(one, one), number)))
            case Prim(made) | Const(made):
                if isinstance(instruction, Prim):
                    read = tuple([renamed.get(one, one) for one in instruction.args])
                    instruction = instruction._replace(args=read)  # noqa: PLW2901 - the same on multiples
                out.append(instruction)
                if (code, made) in sources:
                    _multiply(out, made, kept[code, made], renamed, name)
            case If(test, inner):
                made = cast("Stream", inner)
                made[:] = _rewritten(code, made, kept, sources, factors, amounts, dict(renamed), name)
                out.append(If(renamed.get(test, test), inner))
            case Jump(target, args):
                out.append(Jump(target, tuple([renamed.get(one, one) for one in args])))
            case _:
                out.append(instruction)
    return out
