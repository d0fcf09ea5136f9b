"""Quotients of cyclic integers that are kept multiplied by their base, where the residual program uses them so.

A cyclic integer is base * quotient + remainder. While it is generated, a program keeps the quotient, since that is
what shows that two integers share theirs. What is left multiplies it at each use as a number (Draves 1996, Section 6).
Here each variable gets a constraint from each use: a product with a number wants the multiple, sums and tests of zero
are as good for it, and any other use wants the quotient. Variables that are handed to each other have one answer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from math import gcd
from typing import Any, TypeAlias

from pellucid.staging.cogen.extension import new
from pellucid.staging.root.program import Code, Const, If, Jump, Prim, used

Stream: TypeAlias = "list[Any]"
Variable: TypeAlias = "tuple[Code, str]"


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
    if all(abs(factor) == 1 for factor in factors.values()):
        return
    program = _Program(entry, streams, factors, amounts)
    kept: dict[Variable, int] = {}
    sources: set[Variable] = set()
    seen: set[Variable] = set()
    for code, uses in program.uses.items():
        for wanted in uses.products:
            if wanted not in uses.plain and (code, wanted) not in seen:
                found = _Class(program, code, wanted)
                seen |= found.variables
                if found.is_multiple:
                    kept.update(dict.fromkeys(found.variables, found.base))
                    sources.update(found.sources)
    for code in dict.fromkeys([code for code, _ in kept]):
        renamed: dict[str, str] = {}
        first: Stream = []
        for param in code.params:
            if (code, param) in sources:
                _multiply(first, param, kept[code, param], renamed, name)
        stream = streams[code]
        stream[:] = first + _rewritten(code, stream, kept, sources, factors, amounts, renamed, name)


class _Uses:
    """What one code does with its variables."""

    def __init__(self, code: Code) -> None:
        self.params = {name: at for at, name in enumerate(code.params)}
        self.plain: set[str] = set()
        """Those of which the number itself is wanted."""
        self.products: dict[str, list[tuple[int, bool]]] = {}
        """The factors, and whether the product is made in each turn: in no branch."""
        self.sums: dict[str, str] = {}
        self.summed: dict[str, list[str]] = {}
        self.jumps: list[tuple[Code, tuple[str, ...]]] = []
        self.callers: list[tuple[Code, tuple[str, ...]]] = []


class _Program:
    """The uses of all codes, and the codes that are values: what those are given comes from anywhere."""

    def __init__(
        self, entry: Code, streams: dict[Code, Stream], factors: dict[str, int], amounts: dict[str, int]
    ) -> None:
        self.uses = {code: _Uses(code) for code in streams}
        self.values = {entry}
        for code, stream in streams.items():
            self._read(self.uses[code], stream, factors, amounts)
        for code, uses in self.uses.items():
            for target, args in uses.jumps:
                self.uses[target].callers.append((code, args))

    def comes_back(self, code: Code) -> bool:
        """Whether a code is in a loop of jumps."""
        seen: set[Code] = set()
        waiting = [target for target, _ in self.uses[code].jumps]
        while waiting:
            each = waiting.pop()
            if each is code:
                return True
            if each not in seen:
                seen.add(each)
                waiting += [target for target, _ in self.uses[each].jumps]
        return False

    def _read(self, uses: _Uses, stream: Stream, factors: dict[str, int], amounts: dict[str, int]) -> None:
        """Take note of what a code does; what a stream binds comes before the streams in it."""
        plain = uses.plain
        held: dict[str, Code] = {}
        waiting = [stream]
        for one in waiting:
            for instruction in one:
                kind = instruction.__class__
                if kind is Prim:
                    name, word, args, _ = instruction
                    if name in amounts:
                        uses.sums[name] = args[0]
                        uses.summed.setdefault(args[0], []).append(name)
                    elif name in factors:
                        uses.products.setdefault(args[0], []).append((factors[name], one is stream))
                    elif word != "zero?":
                        plain.update(args)
                elif kind is Const:
                    if instruction[1].__class__ is Code:
                        held[instruction[0]] = instruction[1]
                elif kind is Jump:
                    goal, args = instruction
                    target = held.get(goal)
                    if target in self.uses:
                        uses.jumps.append((target, args))
                        self.values.update([held[arg] for arg in args if arg in held])
                    else:
                        plain.update(used(instruction))
                elif kind is If:
                    plain.add(instruction[0])
                    waiting.append(instruction[1])
                else:
                    plain.update(used(instruction))
        self.values.update([code for name, code in held.items() if name in plain])


class _Class:
    """The variables that are handed to each other with one of them, and what their uses ask for."""

    def __init__(self, program: _Program, code: Code, name: str) -> None:
        self.variables: set[Variable] = set()
        self.base = 0
        """The greatest number that all factors are multiples of."""
        self.sources: list[Variable] = []
        """Where a quotient comes from outside of the class."""
        self.is_multiple = False
        """Whether the multiple is kept: it takes a product for each source, and saves one where it is what is used."""
        products: list[tuple[Code, int, bool]] = []
        moved = False
        waiting = [(code, name)]
        while waiting:
            key = waiting.pop()
            if key in self.variables:
                continue
            self.variables.add(key)
            code, name = key
            uses = program.uses[code]
            if name in uses.plain:
                return
            factors = uses.products.get(name, ())
            products += [(code, *each) for each in factors]
            self.base = gcd(self.base, *(factor for factor, _ in factors))
            if self.base == 1:
                return
            if name in uses.sums:
                waiting.append((code, uses.sums[name]))
            elif name in uses.params and code not in program.values:
                waiting += [(caller, args[uses.params[name]]) for caller, args in uses.callers]
            else:
                self.sources.append(key)
            waiting += [(code, one) for one in uses.summed.get(name, ())]
            for target, args in uses.jumps:
                if name in args:
                    moved = True
                    if target in program.values:
                        return
                    waiting += [
                        (target, p) for p, arg in zip(target.params, args, strict=True) if arg == name
                    ]
        saved = [(code, always) for code, factor, always in products if factor == self.base]
        each_turn = Counter([code for code, always in saved if always])
        taken = Counter([code for code, _ in self.sources])
        self.is_multiple = (
            moved
            and len(saved) >= len(self.sources)
            # What is done in each turn must not be for what comes after the loop.
            and all(
                each_turn[code] >= number or not program.comes_back(code) for code, number in taken.items()
            )
        )


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
        kind = instruction.__class__
        if kind is Prim:
            made, word, args, point = instruction
            known = factors.get(made) or amounts.get(made)
            base = None if known is None else kept.get((code, args[0]))
            if known is not None and base is not None:
                # The number stands before what uses it, and nothing else does.
                one = renamed.get(args[0]) or args[0]
                if made in amounts:
                    out[-1] = new(Const, (args[1], known * base))
                    out.append(new(Prim, (made, word, (one, args[1]), point)))
                elif known == base:
                    out.pop()
                    renamed[made] = one
                else:
                    out[-1] = new(Const, (args[1], known // base))
                    out.append(new(Prim, (made, word, (one, args[1]), point)))
                continue
            if not renamed.keys().isdisjoint(args):
                read = tuple([renamed.get(one, one) for one in args])
                instruction = new(Prim, (made, word, read, point))  # noqa: PLW2901 - the same on multiples
            out.append(instruction)
            if (code, made) in sources:
                _multiply(out, made, kept[code, made], renamed, name)
        elif kind is Const:
            out.append(instruction)
            if (code, instruction[0]) in sources:
                _multiply(out, instruction[0], kept[code, instruction[0]], renamed, name)
        elif kind is If:
            test, inner = instruction
            inner[:] = _rewritten(code, inner, kept, sources, factors, amounts, renamed.copy(), name)
            out.append(new(If, (renamed.get(test, test), inner)))
        elif kind is Jump:
            goal, args = instruction
            out.append(new(Jump, (goal, tuple([renamed.get(one, one) for one in args]))))
        else:
            out.append(instruction)
    return out
