"""Quotients of cyclic integers that are kept multiplied by their base, where the residual program uses them so.

A cyclic integer is base * quotient + remainder. While it is generated, a program keeps the quotient, since that is
what shows that two integers share theirs. What is left multiplies it at each use as a number (Draves 1996, Section 6).
Here each variable gets a constraint from each use: a product with a number wants the multiple, sums and tests of zero
are as good for it, and any other use wants the quotient. Variables that are handed to each other have one answer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from math import gcd
from typing import Any, TypeAlias

from pellucid.staging.cogen.session import new
from pellucid.staging.root.program import Const, Jump, RootCode, RootIf, RootPrim, used

Stream: TypeAlias = "list[Any]"
Variable: TypeAlias = "tuple[RootCode, str]"


def premultiply(
    entry: RootCode,
    streams: dict[RootCode, Stream],
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
    rewritings: dict[RootCode, _Rewriting] = {}
    for base, variables, sources in _Program(entry, streams, factors, amounts).multiples():
        for code, variable in variables:
            if code not in rewritings:
                rewritings[code] = _Rewriting(factors, amounts, name)
            rewritings[code].kept[variable] = base
        for code, source in sources:
            rewritings[code].sources.add(source)
    for code, rewriting in rewritings.items():
        streams[code] = rewriting.body(code, streams[code], streams)


class _Uses:
    """The uses of variables in one code."""

    def __init__(self) -> None:
        self.plain: set[str] = set()
        """Those of which the number itself is wanted."""
        self.products: list[tuple[str, int, bool]] = []
        """What is multiplied, the factors, and whether the product is made in each turn: in no branch."""
        self.sums: dict[str, str] = {}
        self.jumps: list[tuple[RootCode, tuple[str, ...]]] = []


class _Program:
    """The uses of all codes, and the codes that are values: what those are given comes from anywhere."""

    def __init__(
        self,
        entry: RootCode,
        streams: dict[RootCode, Stream],
        factors: dict[str, int],
        amounts: dict[str, int],
    ) -> None:
        self._uses = {code: _Uses() for code in streams}
        self._values = {entry}
        self._parents: dict[Variable, Variable] = {}
        for code, stream in streams.items():
            self._read(self._uses[code], stream, factors, amounts)

    def multiples(self) -> Iterator[tuple[int, list[Variable], list[Variable]]]:
        """The classes of variables that are kept as multiples: of what, their variables, and where these come from."""
        moved, plain = self._linked()
        if not moved:
            return
        products: dict[Variable, list[tuple[RootCode, int, bool]]] = {}
        for code, uses in self._uses.items():
            for source, factor, always in uses.products:
                if source not in uses.plain and (code, source) in self._parents:
                    products.setdefault(self._find((code, source)), []).append((code, factor, always))
        bases = {root: gcd(*(factor for _, factor, _ in found)) for root, found in products.items()}
        classes: dict[Variable, list[Variable]] = {root: [] for root, base in bases.items() if base > 1}
        for variable in self._parents if classes else ():
            root = self._find(variable)
            if root in classes:
                classes[root].append(variable)
        for root, variables in classes.items():
            if moved.isdisjoint(variables) or not plain.isdisjoint(variables):
                continue
            sources = [one for one in variables if self._is_source(*one)]
            saved = [(code, always) for code, factor, always in products[root] if factor == bases[root]]
            if self._is_worth_it(saved, sources):
                yield bases[root], variables, sources

    def _linked(self) -> tuple[set[Variable], set[Variable]]:
        """Link what has one answer; the variables that are handed on, and those of which the number is wanted."""
        moved: set[Variable] = set()
        plain: set[Variable] = set()
        for code, uses in self._uses.items():
            for made, source in uses.sums.items():
                if source in uses.plain:
                    plain.add((code, made))
                elif made in uses.plain:
                    plain.add((code, source))
                else:
                    self._link((code, made), (code, source))
            for target, args in uses.jumps:
                if target in self._values:
                    plain.update([(code, arg) for arg in args])
                    continue
                wanted = self._uses[target].plain
                for param, arg in zip(target.params, args, strict=True):
                    if arg in uses.plain:
                        plain.add((target, param))
                    elif param in wanted:
                        plain.add((code, arg))
                    else:
                        moved.add((code, arg))
                        self._link((target, param), (code, arg))
        return moved, plain

    def _link(self, one: Variable, other: Variable) -> None:
        """Give two variables one answer."""
        parents = self._parents
        parents.setdefault(one, one)
        parents.setdefault(other, other)
        parents[self._find(one)] = self._find(other)

    def _find(self, variable: Variable) -> Variable:
        """The variable that stands for all with the same answer."""
        parents = self._parents
        while (above := parents[variable]) != variable:
            parents[variable] = variable = parents[above]
        return variable

    def _is_source(self, code: RootCode, name: str) -> bool:
        """Whether a variable has its value from outside of its class."""
        return name not in self._uses[code].sums and (name not in code.params or code in self._values)

    def _is_worth_it(self, saved: list[tuple[RootCode, bool]], sources: list[Variable]) -> bool:
        """Whether a multiple is kept: it takes a product for each source, and saves one where it is what is used."""
        each_turn = Counter([code for code, always in saved if always])
        taken = Counter([code for code, _ in sources])
        return len(saved) >= len(sources) and all(
            # What is done in each turn must not be for what comes after the loop.
            each_turn[code] >= number or not self._comes_back(code)
            for code, number in taken.items()
        )

    def _comes_back(self, code: RootCode) -> bool:
        """Whether a code is in a loop of jumps."""
        seen: set[RootCode] = set()
        waiting = [target for target, _ in self._uses[code].jumps]
        while waiting:
            each = waiting.pop()
            if each is code:
                return True
            if each not in seen:
                seen.add(each)
                waiting += [target for target, _ in self._uses[each].jumps]
        return False

    def _read(self, uses: _Uses, stream: Stream, factors: dict[str, int], amounts: dict[str, int]) -> None:
        """Take note of what a code does; what a stream binds comes before the streams in it."""
        plain = uses.plain
        held: dict[str, RootCode] = {}
        waiting = [stream]
        for one in waiting:
            for instruction in one:
                kind = instruction.__class__
                if kind is RootPrim:
                    name, word, args, _ = instruction
                    # A closure's code takes registers of these names from its frame: those are no sums.
                    if word == "+" and name in amounts:
                        uses.sums[name] = args[0]
                    elif word == "*" and name in factors:
                        uses.products.append((args[0], factors[name], one is stream))
                    elif word != "zero?":
                        plain.update(args)
                elif kind is Const:
                    if instruction[1].__class__ is RootCode:
                        held[instruction[0]] = instruction[1]
                elif kind is Jump:
                    goal, args = instruction
                    target = held.get(goal)
                    if target in self._uses:
                        uses.jumps.append((target, args))
                        self._values.update([held[arg] for arg in args if arg in held])
                    else:
                        plain.update(used(instruction))
                elif kind is RootIf:
                    plain.add(instruction[0])
                    waiting.append(instruction[1])
                else:
                    plain.update(used(instruction))
        self._values.update([code for name, code in held.items() if name in plain])


class _Rewriting:
    """A code on multiples: `kept` are the variables that are some, with their bases."""

    def __init__(self, factors: dict[str, int], amounts: dict[str, int], name: Callable[[str], str]) -> None:
        self.kept: dict[str, int] = {}
        self.sources: set[str] = set()
        """Those that come from outside as quotients."""
        self._factors = factors
        self._amounts = amounts
        self._name = name
        self._changed: set[str] = set()
        """The variables whose uses change."""

    def body(self, code: RootCode, stream: Stream, streams: dict[RootCode, Stream]) -> Stream:
        """The stream of the code; what comes after the multiples of parameters is a code of its own.

        So a loop that begins at the code is the same loop as the one that it leads to.
        """
        self._changed.update(self.kept)
        out: Stream = []
        self._append(out, stream, {})
        given = [param for param in code.params if param in self.sources]
        if not given:
            return out
        inner = RootCode(f"{code.name}_0", code.params)
        streams[inner] = out
        first: Stream = []
        renamed: dict[str, str] = {}
        for param in given:
            self._multiply(first, param, renamed)
        link = self._name("j")
        first.append(new(Const, (link, inner)))
        first.append(new(Jump, (link, tuple([renamed.get(param, param) for param in code.params]))))
        return first

    def _multiply(self, out: Stream, source: str, renamed: dict[str, str]) -> None:
        """Append the multiple of a quotient from outside."""
        factor, made = self._name("c"), self._name("p")
        out += [new(Const, (factor, self.kept[source])), new(RootPrim, (made, "*", (source, factor), None))]
        renamed[source] = made

    def _append(self, out: Stream, stream: Stream, renamed: dict[str, str]) -> None:
        """Append a stream on multiples."""
        sources, isdisjoint, append = self.sources, self._changed.isdisjoint, out.append
        for instruction in stream:
            kind = instruction.__class__
            if kind is RootPrim:
                if isdisjoint(instruction[2]):
                    append(instruction)
                else:
                    self._prim(out, instruction, renamed)
            elif kind is RootIf:
                test, inner = instruction
                branch: Stream = []
                self._append(branch, inner, renamed.copy())
                append(new(RootIf, (renamed.get(test, test), branch)))
                continue
            elif kind is Jump:
                goal, args = instruction
                append(new(Jump, (goal, tuple([renamed.get(one, one) for one in args]))))
                continue
            else:
                append(instruction)
            if instruction[0] in sources:
                self._multiply(out, instruction[0], renamed)

    def _prim(self, out: Stream, instruction: Any, renamed: dict[str, str]) -> None:
        """Append a primitive on what is a multiple now: the number of a product or sum stands right before it."""
        made, word, point = instruction[0], instruction[1], instruction[3]
        args: tuple[str, ...] = instruction[2]
        known = (self._factors if word == "*" else self._amounts if word == "+" else {}).get(made)
        base = None if known is None else self.kept.get(args[0])
        if known is None or base is None:
            out.append(new(RootPrim, (made, word, tuple([renamed.get(one, one) for one in args]), point)))
            return
        one: str = renamed.get(args[0], args[0])
        if known == base and word == "*":
            out.pop()
            renamed[made] = one
            self._changed.add(made)
            return
        number = known * base if word == "+" else known // base
        out[-1] = new(Const, (args[1], number))
        out.append(new(RootPrim, (made, word, (one, args[1]), point)))
