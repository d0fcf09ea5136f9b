"""Every rule, on instances drawn at random: exact ones bit for bit, the others within their bound."""

from __future__ import annotations

import random

import pytest
from tests.rules.instances import MODE, check, instances

from pellucid.rewriting.builder import Trace
from pellucid.rewriting.expand import expand
from pellucid.rewriting.rule import AnyRule, Computed, Rule
from pellucid.rewriting.ruleset import all_rules
from pellucid.rewriting.simplify import simplify

RULES = all_rules()


@pytest.mark.parametrize("rule", RULES, ids=lambda r: r.name)
def test_both_sides_mean_the_same(rule: AnyRule):
    count = 0
    for instance in instances(rule, random.Random(rule.name)):
        for seed in range(2):
            check(instance, seed)
        count += 1
    assert count, f"{rule.name} never fired"


@pytest.mark.parametrize("rule", RULES, ids=lambda r: r.name)
def test_a_rule_says_why(rule: AnyRule):
    assert rule.doc.endswith(".")
    if isinstance(rule, Computed):
        assert rule.examples


@pytest.mark.parametrize("rule", RULES, ids=lambda r: r.name)
def test_a_rule_fires_in_its_place(rule: AnyRule):
    """No rule stands in the shadow of others: on some term it is the one that fires."""
    for instance in instances(rule, random.Random(rule.name), per_type=400, tries=8000):
        trace = Trace()
        if rule.label == "approximate":
            expand([instance.before], ranges=instance.ranges, trace=trace)
        else:
            simplify([instance.before], numerics=MODE[rule.label], ranges=instance.ranges, trace=trace)
        if rule.name in trace.fired:
            return
    raise AssertionError(f"{rule.name} never fires: what it does is done before")


WRONG = (
    Rule("wrong-sign", "exact", "sub(x, neg(y))", "sub(x, y)", "number"),
    Rule("wrong-zero", "exact", "add(x, 0.0)", "x", "float"),
    Rule("wrong-nan", "exact", "le(x, x)", "true", "number"),
    Rule("wrong-order", "exact", "min(x, y)", "y", "number", "never_above(x, y)"),
    Rule("wrong-turn", "exact", "neg(sub(x, y))", "sub(y, x)", "float"),
    Rule(
        "wrong-shift", "exact", "floor_div(x, K)", "shift_left_in(x, log2(K))", "integer", "power_of_two(K)"
    ),
    Rule("wrong-mask", "exact", "and(x, K)", "x", "integer", "power_of_two(K)"),
    Rule("wrong-product", "reassociating", "mul(x, div(y, x))", "x", "float"),
    Rule("wrong-root", "reassociating", "sqrt(mul(x, x))", "x", "float"),
    Rule("wrong-arm", "exact", "choose(not(c), x, y)", "choose(c, x, y)"),
)


def check_all(rule: Rule) -> None:
    for instance in instances(rule, random.Random(0), per_type=20):
        for seed in range(4):
            check(instance, seed)


@pytest.mark.parametrize("rule", WRONG, ids=lambda r: r.name)
def test_a_wrong_rule_is_caught(rule: Rule):
    with pytest.raises(AssertionError):
        check_all(rule)
