"""Rules as statements for a solver: for each choice of types, what is known and that both sides are equal.

A part of `tools.rule_status`. The names of a rule become symbols, constants among them; predicates and builders mean
what `tools.solver` says of them.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import z3
from tools import solver
from tools.solver import Term, Typed, constant, f16, meaning, symbol

from pellucid.base.errors import IrError
from pellucid.ir import prim as table
from pellucid.ir import types as T
from pellucid.rewriting.right_sides import BUILDERS
from pellucid.rewriting.rule import KINDS, Call, Name, Number, Pattern, Rule, parse

TIMEOUT = 4_000
"""Milliseconds for one statement."""
ODD = frozenset(("sin", "tan", "sinpi", "asin", "atan", "sinh", "tanh", "cbrt"))
EVEN = frozenset(("cos", "cospi", "cosh"))


class Beyond(Exception):  # noqa: N818 - it is no error that a rule has no form that a solver takes
    """The rule cannot be stated."""


def decide(known: Iterable[Term], claim: Term) -> z3.CheckSatResult:
    """Whether something tells the sides apart: unsat is a proof."""
    one = z3.Solver()
    one.set("timeout", TIMEOUT)
    one.add(*known, z3.Not(claim))
    return one.check()


@dataclass
class Statement:
    """One way to give types to a rule: choices among types are made in the order of `path`, and noted there."""

    rule: Rule
    path: list[int]
    taken: list[int] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    bound: dict[str, Typed] = field(default_factory=dict)
    known: list[Term] = field(default_factory=list)

    def choose(self, options: list[T.Type]) -> T.Type:
        """One of some types: the one that the path says, else the first."""
        if not options:
            raise IrError("no type fits")
        k = self.path[len(self.taken)] if len(self.taken) < len(self.path) else 0
        self.taken.append(k)
        self.sizes.append(len(options))
        return options[k]

    def term(self, pattern: Pattern, type_: T.Type) -> Typed:
        """A part of the left side, of a type."""
        if isinstance(pattern, Name):
            found = self.bound.setdefault(pattern.text, (type_, symbol(pattern.text, type_)))
            if found[0] is not type_:
                raise IrError("a name with two types")
            return found
        if isinstance(pattern, Number):
            t = T.boolean if isinstance(pattern.value, bool) else type_
            if t is not type_:
                raise IrError("a truth where a number is wanted")
            return t, constant(pattern.value, t)
        row = table.row(pattern.name)
        letters: dict[str, T.Type] = {}
        if row.result == "@":
            fitting = [t for t in T.ALL if pattern.name != "bitcast" or t.bits == type_.bits]
            letters[row.letters[0]] = self.choose([t for t in fitting if t in table.CLASSES[row.letters[0]]])
        elif row.result != "B" or "B" in row.letters:
            letters[row.result] = type_
        elif type_ is not T.boolean:
            raise IrError("a condition where a number is wanted")
        return self.operator(pattern, letters, type_)

    def operator(self, pattern: Call, letters: dict[str, T.Type], type_: T.Type | None) -> Typed:
        """An operator of the left side; types of letters that are not known yet are chosen."""
        row = table.row(pattern.name)
        for letter, a in zip(row.letters, pattern.args, strict=True):
            if isinstance(a, Name) and a.text in self.bound:
                letters.setdefault(letter, self.bound[a.text][0])
        args: list[Typed] = []
        for letter, a in zip(row.letters, pattern.args, strict=True):
            if letter == "B":
                letters[letter] = T.boolean
            if letter not in letters:
                letters[letter] = self.choose(self.options(letter))
            if letters[letter] not in (*table.CLASSES[letter], f16):
                raise IrError("a type that is not for the operator")
            args.append(self.term(a, letters[letter]))
        result = type_ or (T.boolean if row.result == "B" else letters[row.result])
        return result, self.applied(pattern.name, args, result)

    def options(self, letter: str) -> list[T.Type]:
        """The types that a letter may stand for; half floats are tried as well."""
        return list(table.CLASSES[letter]) + ([f16] if T.f32 in table.CLASSES[letter] else [])

    def applied(self, op: str, args: list[Typed], result: T.Type) -> Term:
        """An operator on terms; what the functions that are any here have in common is known of each use."""
        values = [a for _, a in args]
        if op in ODD | EVEN and self.rule.name != f"{op}-neg":
            function = z3.Function(f"{op}.{args[0][0]}", values[0].sort(), values[0].sort())
            mirrored = z3.fpNeg(function(values[0])) if op in ODD else function(values[0])
            self.known.append(function(z3.fpNeg(values[0])) == mirrored)
        return meaning(op, [t for t, _ in args], result, values)

    def built(self, pattern: Pattern, like: T.Type, node: T.Type) -> Typed:
        """A part of the right side."""
        if isinstance(pattern, Name):
            return self.bound[pattern.text]
        if isinstance(pattern, Number):
            t = T.boolean if isinstance(pattern.value, bool) else like
            return t, constant(pattern.value, t)
        if pattern.name in BUILDERS:
            if pattern.name not in solver.BUILDERS:
                raise Beyond(pattern.name)
            args = [self.built(a, like, node) for a in pattern.args]
            found, known = solver.BUILDERS[pattern.name](node, *args)
            self.known += known
            return found
        row = table.row(pattern.name)
        built = {
            k: self.built(a, like, node) for k, a in enumerate(pattern.args) if not isinstance(a, Number)
        }
        for k, a in enumerate(pattern.args):
            if isinstance(a, Number):
                siblings = [built[m][0] for m in built if row.letters[m] == row.letters[k]]
                built[k] = self.built(a, siblings[0] if siblings else like, node)
        args = [built[k] for k in range(len(pattern.args))]
        own = (
            node
            if row.result == "@"
            else None
            if row.result == "B"
            else args[row.letters.index(row.result)][0]
        )
        result = own or T.boolean
        return result, self.applied(pattern.name, args, result)

    def claim(self, first: T.Type) -> tuple[list[Term], Term, list[T.Type]]:
        """What is known, that both sides are equal, and the types of the operands; the last operand's type is given."""
        lhs, rhs = _call(self.rule.lhs), parse(self.rule.rhs)
        row = table.row(lhs.name)
        if row.result == "@":
            # A half float holds the bounds of small integers alone.
            integers = (T.i8, T.i16, T.u8) if first is f16 else T.INTEGERS
            fitting = list(T.ALL if lhs.name == "convert" else integers)
            same = [t for t in T.ALL if t.bits == first.bits]
            target = self.choose(same if lhs.name == "bitcast" else fitting)
            node, before = target, self.applied(lhs.name, [self.term(lhs.args[0], first)], target)
            last = first
        else:
            letters = {row.letters[-1]: first}
            node, before = self.operator(lhs, letters, None)
            last = letters[row.letters[-1]]
        for text in self.rule.when.split(" and ") if self.rule.when else ():
            call = _call(text)
            if call.name not in solver.PREDICATES:
                raise Beyond(call.name)
            operands = [self.bound[a.text] for a in call.args if isinstance(a, Name)]
            self.known.append(solver.PREDICATES[call.name](operands[0][0], *(v for _, v in operands)))
        made, after = self.built(rhs, node if isinstance(rhs, Number) else last, node)
        if made is not node:
            # A builder that gives nothing for these types.
            raise IrError("the sides differ in type")
        return self.known, before == after, [t for t, _ in self.bound.values()] or [last]


def _call(text: str) -> Call:
    found = parse(text)
    if not isinstance(found, Call):
        raise Beyond(text)
    return found


def statements(rule: Rule) -> Iterator[tuple[list[Term], Term, list[T.Type]]]:
    """The rule for every choice of types."""
    letter = table.row(rule.head).letters[-1]
    kinds = KINDS[rule.on]
    firsts = [t for t in table.CLASSES[letter] if t.kind in kinds]
    if "float" in kinds and T.f32 in firsts:
        firsts.append(f16)
    for first in firsts:
        path: list[int] = []
        while True:
            one = Statement(rule, path)
            with contextlib.suppress(IrError):
                yield one.claim(first)
            # The next choice of types, as an odometer.
            path = one.taken
            while path and path[-1] + 1 == one.sizes[len(path) - 1]:
                path = path[:-1]
            if not path:
                break
            path[-1] += 1


def operators(rule: Rule) -> Iterator[str]:
    """The operators and builders of both sides."""
    stack = [parse(rule.lhs), parse(rule.rhs)]
    while stack:
        p = stack.pop()
        if isinstance(p, Call):
            yield p.name
            stack += p.args


def functions(rule: Rule) -> Iterator[str]:
    """The builders and predicates that a rule names."""
    yield from (op for op in operators(rule) if op in BUILDERS)
    for text in rule.when.split(" and ") if rule.when else ():
        yield text.removeprefix("not ").partition("(")[0]
