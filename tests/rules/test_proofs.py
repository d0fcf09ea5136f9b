"""Every exact rule on integers and booleans as it is applied: instances, for all operands of eight bits."""

from __future__ import annotations

import random

import pytest
import z3
from tests.rules.instances import Instance, draw_one, instances, types_for
from tools import solver

from pellucid.ir import expr as E
from pellucid.ir import types as T
from pellucid.rewriting.rule import KINDS, Computed, Rule
from pellucid.rewriting.ruleset import all_rules

WORDS = (T.i8, T.u8, T.boolean)


def prove(instance: Instance) -> None:
    """Raise AssertionError with the operands that tell the two sides apart, if there are any."""
    nodes = E.topological([instance.before, instance.after])
    values = dict(zip(nodes, solver.values(nodes), strict=True))
    one = z3.Solver()
    one.set("timeout", 20000)
    for p in E.params(nodes):
        facts = instance.ranges.get(p)
        if facts is not None:
            x, lo, hi = values[p], z3.BitVecVal(facts.lo, p.type.bits), z3.BitVecVal(facts.hi, p.type.bits)
            one.add(z3.Not(solver.less(p.type, x, lo)), z3.Not(solver.less(p.type, hi, x)))
            if facts.modulus > 1:
                one.add(z3.URem(x - facts.residue, z3.BitVecVal(facts.modulus, p.type.bits)) == 0)
    one.add(values[instance.before] != values[instance.after])
    found = one.check()
    assert found == z3.unsat, f"{instance}: {found} {one.model() if found == z3.sat else ''}"


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
