"""Instances of rules: terms that match a rule's left side, drawn with types, ranges and constants at random.

Nothing here knows a rule by name: patterns are instantiated from the signatures of the operator table.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from pellucid.base.errors import IrError
from pellucid.ir import expr as E
from pellucid.ir import interp
from pellucid.ir import prim as table
from pellucid.ir import types as T
from pellucid.ir.expr import Expr
from pellucid.ir.facts import Facts
from pellucid.ir.parse import parse_expr
from pellucid.ir.verify import verify_exprs
from pellucid.rewriting import rule as R
from pellucid.rewriting.builder import Builder

POINTS = 400
MODE = {"exact": "exact", "reassociating": "relaxed", "approximate": "near"}
FLOATS = (
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    1.5,
    2.0,
    3.0,
    255.0,
    0.1,
    -7.25,
    1e-3,
    1e6,
    float("inf"),
    float("-inf"),
    float("nan"),
)
TAME_CONSTANTS = (1.0, -1.0, 0.5, 2.0, 3.0, 255.0, 0.1, -7.25)


@dataclass
class Instance:
    """A term, what its parameters range over, and what the rule made of it."""

    rule: R.AnyRule
    before: Expr
    after: Expr
    ranges: dict[Expr, Facts]

    def __str__(self) -> str:
        return f"{self.rule.name}: {self.before!r}  ->  {self.after!r}  with {self.ranges}"


@dataclass
class Draw:
    """Random choices for one instance."""

    rng: random.Random
    tame: bool
    ranges: dict[Expr, Facts] = field(default_factory=dict)
    bound: dict[str, Expr] = field(default_factory=dict)

    def type_of(self, letter: str) -> T.Type:
        return self.rng.choice(table.CLASSES[letter])

    def leaf(self, name: str, type_: T.Type) -> Expr:
        p = E.param(name, type_)
        found = self.range_of(type_)
        if found is not None:
            self.ranges[p] = found
        return p

    def range_of(self, type_: T.Type) -> Facts | None:
        rng = self.rng
        if type_ is T.boolean:
            return None
        if self.tame:
            lo = max(type_.low, rng.choice((0, 1, 2, -1, -4)))
            hi = lo + rng.choice((0, 1, 2, 4))
            if not type_.is_float:
                return Facts(lo, hi)
            return Facts(float(lo), float(hi), False, lo <= 0 <= hi and rng.random() < 0.5)
        if rng.random() < 0.3:
            return None
        if type_.is_float:
            lo = float(type_.dtype.type(rng.choice((0.0, 0.0, 0.25, -1.0, -4.0, -300.0, 2.0, 7.0))))
            hi = float(type_.dtype.type(lo + rng.choice((0.0, 1.0, 3.5, 254.0))))
            return Facts(lo, hi, False, lo <= 0 <= hi and rng.random() < 0.5)
        lo = max(int(type_.low), rng.choice((0, 0, 1, 5, -3, -100)))
        hi = min(int(type_.high), lo + rng.choice((0, 1, 3, 100)))
        if rng.random() < 0.3 and hi > lo:
            return Facts(lo, hi, modulus=2, residue=lo % 2)
        return Facts(lo, hi)

    def operand(self, name: str, type_: T.Type) -> Expr:
        """What a name may stand for: mostly a parameter, sometimes a small term of which something is known."""
        rng = self.rng
        p = self.leaf(name, type_)
        if rng.random() < 0.6:
            return p
        if type_.is_float:
            word = self.leaf(f"{name}_word", rng.choice(T.INTEGERS))
            return rng.choice(
                [E.apply(op, p) for op in ("floor", "abs", "neg", "sqrt", "sin")]
                + [E.apply("convert", word, attr=type_), E.apply("mul", p, p)]
            )
        if type_ is T.boolean:
            x, y = self.leaf(f"{name}_left", T.f32), self.leaf(f"{name}_right", T.f32)
            return rng.choice([E.apply("lt", x, y), E.apply("not", p)])
        k = E.const(rng.randrange(1, 8), type_)
        return rng.choice(
            [E.apply(op, p, k) for op in ("and", "mod", "shift_left_in", "shift_right_in", "mul")]
        )

    def constant(self, type_: T.Type) -> Expr:
        rng = self.rng
        if type_.is_float:
            return E.const(rng.choice(TAME_CONSTANTS if self.tame else FLOATS), type_)
        if type_ is T.boolean:
            return E.const(rng.random() < 0.5, type_)
        bits = type_.bits
        pool = (
            0,
            1,
            2,
            3,
            4,
            7,
            8,
            15,
            100,
            255,
            -1,
            -2,
            bits - 1,
            bits,
            bits + 1,
            int(type_.low),
            int(type_.high),
        )
        return E.const(rng.choice((*pool, 1 << rng.randrange(bits))), type_)

    def term(self, pattern: R.Pattern, type_: T.Type) -> Expr:
        if isinstance(pattern, R.Name):
            found = self.bound.get(pattern.text)
            if found is None:
                found = self.constant(type_) if pattern.constant else self.operand(pattern.text, type_)
                self.bound[pattern.text] = found
            if found.type is not type_:
                raise IrError("a name with two types")
            return found
        if isinstance(pattern, R.Number):
            return E.const(pattern.value, T.boolean if isinstance(pattern.value, bool) else type_)
        row = table.row(pattern.name)
        letters: dict[str, T.Type] = {}
        if row.result not in "@B" or "B" in row.letters:
            letters[row.result] = type_
        elif row.result == "B" and type_ is not T.boolean:
            raise IrError("a condition where a number is wanted")
        for letter, a in zip(row.letters, pattern.args, strict=True):
            if isinstance(a, R.Name) and a.text in self.bound:
                letters.setdefault(letter, self.bound[a.text].type)
        args = [
            self.term(a, T.boolean if letter == "B" else letters.setdefault(letter, self.type_of(letter)))
            for letter, a in zip(row.letters, pattern.args, strict=True)
        ]
        return E.apply(pattern.name, *args, attr=type_ if row.result == "@" else None)


def _root(draw: Draw, pattern: R.Call, type_: T.Type) -> Expr:
    """The instance whose head's last operand has that type."""
    row = table.row(pattern.name)
    if row.result == "@":
        target = draw.rng.choice(
            [t for t in T.ALL if t.bits == type_.bits] if pattern.name == "bitcast" else T.ALL
        )
        (argument,) = pattern.args
        return E.apply(pattern.name, draw.term(argument, type_), attr=target)
    letters = {row.letters[-1]: type_}
    args = [
        draw.term(a, T.boolean if letter == "B" else letters.setdefault(letter, draw.type_of(letter)))
        for letter, a in zip(row.letters, pattern.args, strict=True)
    ]
    return E.apply(pattern.name, *args)


def types_for(rule: R.Rule) -> list[T.Type]:
    """The types on which a rule may fire."""
    letter = table.row(rule.head).letters[-1]
    return [t for t in table.CLASSES[letter] if t.kind in R.KINDS[rule.on]]


def draw_one(rule: R.Rule, type_: T.Type, rng: random.Random) -> Instance | None:
    """One instance on which the rule fires, or None where the draw was out of luck."""
    draw = Draw(rng, rule.label != "exact")
    lhs = R.parse(rule.lhs)
    assert isinstance(lhs, R.Call)
    try:
        before = _root(draw, lhs, type_)
    except IrError:
        return None
    return fired(rule, before, draw.ranges)


def fired(rule: R.AnyRule, before: Expr, ranges: dict[Expr, Facts]) -> Instance | None:
    """What the rule makes of a term, if it fires."""
    builder = Builder(MODE[rule.label], ranges)
    kind = before.args[-1].type.kind
    ready = (
        rule.compiled(kind) if isinstance(rule, R.Rule) else [rule.fire] if kind in R.KINDS[rule.on] else []
    )
    for fire in ready:
        after = fire(builder, before)
        if after is not None and after is not before:
            return Instance(rule, before, after, ranges)
    return None


def instances(
    rule: R.AnyRule, rng: random.Random, *, per_type: int = 4, tries: int = 400
) -> Iterator[Instance]:
    """Instances of a rule on every type that it is for."""
    if isinstance(rule, R.Computed):
        for text in rule.examples:
            (before,) = parse_expr(text)
            found = _within(rule, before)
            if found is not None:
                yield found
        return
    for type_ in types_for(rule):
        found = 0
        for _ in range(tries):
            one = draw_one(rule, type_, rng)
            if one is not None:
                yield one
                found += 1
                if found == per_type:
                    break


def _within(rule: R.Computed, before: Expr) -> Instance | None:
    """The first node of an example on which the rule fires."""
    for node in E.topological([before]):
        if node.op in E.STRUCTURAL or (node.op not in rule.heads and rule.heads != R.ANY_HEAD):
            continue
        if found := fired(rule, node, {}):
            return found
    return None


# ---- values ----


def values(type_: T.Type, facts: Facts | None, rng: np.random.Generator, *, tame: bool) -> np.ndarray:
    """Values of a type within facts: spicy ones first, then random ones of every magnitude."""
    if type_ is T.boolean:
        return rng.random(POINTS) < 0.5
    if type_.is_float:
        spicy = np.array([*FLOATS, type_.high, type_.low, 5e-324, 1e-40, 0.49999997, 2.0**24, 2.0**31])
        wild = np.ldexp(rng.standard_normal(POINTS), rng.integers(-40, 40, POINTS))
        mild = rng.uniform(-8, 8, POINTS)
        drawn = mild if tame else np.concatenate([spicy, wild, np.round(mild), mild])
    else:
        pool = (0, 1, 2, 3, 7, 8, 255, -1, -2, int(type_.low), int(type_.high))
        spicy = np.array([v for v in pool if type_.low <= v <= type_.high], dtype=type_.dtype)
        drawn = np.concatenate(
            [spicy, rng.integers(int(type_.low), int(type_.high), POINTS, dtype=type_.dtype, endpoint=True)]
        )
    with np.errstate(all="ignore"):
        drawn = drawn.astype(type_.dtype)
    if facts is None and type_.is_float:
        facts = Facts(type_.low, type_.high, False, True)
    if tame and type_.is_float:
        facts = Facts(max(facts.lo, -8.0), min(facts.hi, 8.0), False, facts.minus_zero)
    if facts is not None:
        if type_.is_float:
            inside = facts.lo + rng.random(POINTS) * (min(facts.hi, 1e30) - max(facts.lo, -1e30))
            drawn = np.concatenate([drawn, np.clip(inside.astype(type_.dtype), facts.lo, facts.hi)])
        else:
            inside = rng.integers(int(facts.lo), int(facts.hi), 200, dtype=type_.dtype, endpoint=True)
            drawn = np.concatenate([drawn, inside])
        drawn = np.array([v for v in drawn if facts.contains(v.item())], dtype=type_.dtype)
    return rng.choice(drawn, POINTS)


def environment(
    nodes: list[Expr], ranges: Mapping[Expr, Facts], seed: int, *, tame: bool
) -> dict[Expr, np.ndarray]:
    """Values for every parameter that the nodes reach."""
    rng = np.random.default_rng(seed)
    return {p: values(p.type, ranges.get(p), rng, tame=tame) for p in E.params(nodes)}


def same_bits(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Where two arrays have the same bits, NaN being NaN."""
    a, b = np.broadcast_arrays(a, b)
    if a.dtype.kind != "f":
        return a == b
    return (np.isnan(a) & np.isnan(b)) | ((a == b) & (np.signbit(a) == np.signbit(b)))


def check(instance: Instance, seed: int = 0) -> None:
    """Raise AssertionError where the two sides of an instance differ by more than the rule's label allows."""
    before, after = instance.before, instance.after
    assert after.type is before.type, instance
    verify_exprs([after])
    exact = instance.rule.label == "exact"
    env = environment([before, after], instance.ranges, seed, tame=not exact)
    inner = E.topological([before])
    found, expected, *steps = interp.evaluate([after, before, *inner], env)
    found, expected = np.broadcast_arrays(found, expected)
    if exact or not before.type.is_float:
        good = same_bits(found, expected)
    else:
        # The same real number: off by some roundings of the largest number on the way.
        scale = np.ones(expected.shape)
        for node, step in zip(inner, steps, strict=True):
            if node.type.is_float:
                scale = np.maximum(scale, np.abs(step.astype(np.float64)))
        with np.errstate(all="ignore"):
            far = np.abs(found.astype(np.float64) - expected.astype(np.float64))
            unit = float(np.finfo(before.type.dtype).eps)
            good = (far <= 64 * unit * scale) | ~np.isfinite(expected) | ~np.isfinite(scale)
    if not good.all():
        at = int(np.argmin(np.broadcast_to(good, found.shape).ravel()))
        inputs = {p.attr: np.ravel(v)[at] for p, v in env.items()}
        raise AssertionError(f"{instance}\n{expected.ravel()[at]!r} became {found.ravel()[at]!r} at {inputs}")
