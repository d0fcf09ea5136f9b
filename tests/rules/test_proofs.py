"""Every exact rule on integers and booleans, proved by a solver for all operands of eight bits."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
import z3
from tests.rules.instances import Instance, draw_one, instances, types_for

from pellucid.ir import expr as E
from pellucid.ir import types as T
from pellucid.ir.expr import Expr
from pellucid.rewriting.rule import KINDS, Computed, Rule
from pellucid.rewriting.ruleset import all_rules

WORDS = (T.i8, T.u8, T.boolean)


def divided(signed: bool, a: Any, b: Any) -> Any:
    """The quotient rounded down, 0 for a divisor of 0: an independent statement."""
    if not signed:
        return z3.If(b == 0, z3.BitVecVal(0, a.size()), z3.UDiv(a, b))
    quotient, rest = a / b, z3.SRem(a, b)
    down = z3.And(rest != 0, (rest < 0) != (b < 0))
    return z3.If(b == 0, z3.BitVecVal(0, a.size()), z3.If(down, quotient - 1, quotient))


def less(signed: bool, a: Any, b: Any) -> Any:
    return a < b if signed else z3.ULT(a, b)


def shifted(left: bool, signed: bool, a: Any, b: Any) -> Any:
    bits = a.size()
    out = z3.BitVecVal(0, bits) if left or not signed else a >> (bits - 1)
    inside = z3.And(b >= 0, b < bits) if signed else z3.ULT(b, bits)
    return z3.If(inside, (a << b) if left else (a >> b) if signed else z3.LShR(a, b), out)


def meaning(node: Expr, args: list[Any]) -> Any:
    """What an operator does to words, stated without the operator table."""
    first = node.args[0].type
    signed = first.kind == "signed"
    logic = first is T.boolean
    table: dict[str, Callable[..., Any]] = {
        "add": lambda a, b: a + b,
        "sub": lambda a, b: a - b,
        "mul": lambda a, b: a * b,
        "neg": lambda a: -a,
        "abs": lambda a: z3.If(a < 0, -a, a),
        "min": lambda a, b: z3.If(less(signed, a, b), a, b),
        "max": lambda a, b: z3.If(less(signed, b, a), a, b),
        "floor_div": lambda a, b: divided(signed, a, b),
        "mod": lambda a, b: a - divided(signed, a, b) * b,
        "and": z3.And if logic else lambda a, b: a & b,
        "or": z3.Or if logic else lambda a, b: a | b,
        "xor": z3.Xor if logic else lambda a, b: a ^ b,
        "not": z3.Not if logic else lambda a: ~a,
        "shift_left": lambda a, b: shifted(True, signed, a, b),
        "shift_left_in": lambda a, b: shifted(True, signed, a, b),
        "shift_right": lambda a, b: shifted(False, signed, a, b),
        "lt": lambda a, b: less(signed, a, b),
        "le": lambda a, b: z3.Not(less(signed, b, a)),
        "eq": lambda a, b: a == b,
        "ne": lambda a, b: a != b,
        "choose": z3.If,
        "convert": lambda a: converted(a, first, node.type),
        "bitcast": lambda a: a,
    }
    # The bare shift to the right is only written where the amount is known to be within the width.
    table["shift_right_in"] = table["shift_right"]
    return table[node.op](*args)


def converted(a: Any, source: T.Type, target: T.Type) -> Any:
    if target is T.boolean:
        return a if source is T.boolean else a != 0
    if source is T.boolean:
        return z3.If(a, z3.BitVecVal(1, target.bits), z3.BitVecVal(0, target.bits))
    if target.bits <= source.bits:
        return z3.Extract(target.bits - 1, 0, a)
    more = target.bits - source.bits
    return z3.SignExt(more, a) if source.kind == "signed" else z3.ZeroExt(more, a)


def leaf(node: Expr) -> Any:
    if node.op == "const":
        return z3.BoolVal(node.attr) if node.type is T.boolean else z3.BitVecVal(node.attr, node.type.bits)
    return z3.Bool(node.attr) if node.type is T.boolean else z3.BitVec(node.attr, node.type.bits)


def prove(instance: Instance) -> None:
    """Raise AssertionError with the operands that tell the two sides apart, if there are any."""
    values: dict[Expr, Any] = {}
    nodes = E.topological([instance.before, instance.after])
    for node in nodes:
        values[node] = meaning(node, [values[a] for a in node.args]) if node.args else leaf(node)
    solver = z3.Solver()
    solver.set("timeout", 20000)
    for p in E.params(nodes):
        facts = instance.ranges.get(p)
        if facts is not None:
            signed = p.type.kind == "signed"
            x, lo, hi = values[p], z3.BitVecVal(facts.lo, p.type.bits), z3.BitVecVal(facts.hi, p.type.bits)
            solver.add(z3.Not(less(signed, x, lo)), z3.Not(less(signed, hi, x)))
            if facts.modulus > 1:
                solver.add(z3.URem(x - facts.residue, z3.BitVecVal(facts.modulus, p.type.bits)) == 0)
    solver.add(values[instance.before] != values[instance.after])
    found = solver.check()
    assert found == z3.unsat, f"{instance}: {found} {solver.model() if found == z3.sat else ''}"


def is_of_words(instance: Instance) -> bool:
    return all(
        n.type.bits <= 8 and not n.type.is_float for n in E.topological([instance.before, instance.after])
    )


def integer_rules() -> list[Rule | Computed]:
    integral = {"signed", "unsigned", "bool"}
    return [r for r in all_rules() if r.label == "exact" and set(KINDS[r.on]) & integral]


@pytest.mark.parametrize("rule", integer_rules(), ids=lambda r: r.name)
def test_holds_for_all_words_of_eight_bits(rule: Rule | Computed):
    rng = random.Random(rule.name)
    if isinstance(rule, Computed):
        found = [i for i in instances(rule, rng) if is_of_words(i)]
    else:
        found = []
        for type_ in [t for t in types_for(rule) if t in WORDS]:
            drawn = (draw_one(rule, type_, rng) for _ in range(400))
            fitting = (i for i in drawn if i is not None and is_of_words(i))
            found += [i for _, i in zip(range(3), fitting, strict=False)]
    assert found, f"{rule.name} never fired on words of eight bits"
    for instance in found:
        prove(instance)


@pytest.mark.parametrize(
    "rule",
    [
        Rule("wrong-absorption", "exact", "and(x, or(y, x))", "y", "integer"),
        Rule("wrong-mask", "exact", "mod(x, K)", "and(x, K)", "integer", "power_of_two(K)"),
        Rule("wrong-sign", "exact", "abs(neg(x))", "x", "signed"),
        Rule("wrong-order", "exact", "not(lt(x, y))", "lt(y, x)", "bool"),
    ],
    ids=lambda r: r.name,
)
def test_a_wrong_rule_is_refuted(rule: Rule):
    def prove_some() -> None:
        rng = random.Random(0)
        for _ in range(400):
            instance = draw_one(rule, types_for(rule)[0], rng)
            if instance is not None and is_of_words(instance):
                prove(instance)

    with pytest.raises(AssertionError, match="sat"):
        prove_some()
