"""Every rule, on instances drawn at random: exact ones bit for bit, the others within their bound."""

from __future__ import annotations

import random

import pytest

from pellucid.rewriting.rule import AnyRule, Computed, Rule, all_rules
from tests.rules.instances import check, instances

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


WRONG = (
    Rule("wrong-sign", "exact", "sub(x, neg(y))", "sub(x, y)", "number"),
    Rule("wrong-zero", "exact", "add(x, 0.0)", "x", "float"),
    Rule("wrong-nan", "exact", "le(x, x)", "true", "number", "at_least_zero(x)"),
    Rule("wrong-order", "exact", "min(x, y)", "x", "number", "never_above(x, y)"),
    Rule("wrong-turn", "exact", "neg(sub(x, y))", "sub(y, x)", "float"),
    Rule("wrong-shift", "exact", "floor_div(x, K)", "shift_left_in(x, log2(K))", "integer", "power_of_two(K)"),
    Rule("wrong-mask", "exact", "and(x, K)", "x", "integer", "low_mask(K)"),
    Rule("wrong-product", "reassociating", "mul(x, div(y, x))", "x", "float"),
    Rule("wrong-root", "reassociating", "sqrt(mul(x, x))", "x", "float"),
    Rule("wrong-arm", "exact", "choose(not(c), x, y)", "choose(c, x, y)"),
)


@pytest.mark.parametrize("rule", WRONG, ids=lambda r: r.name)
def test_a_wrong_rule_is_caught(rule: Rule):
    # `le(x, x)` is right wherever its guard holds: the one planted rule that must survive.
    if rule.name == "wrong-nan":
        for instance in instances(rule, random.Random(0)):
            check(instance)
        return
    with pytest.raises(AssertionError):
        for instance in instances(rule, random.Random(0), per_type=20):
            for seed in range(4):
                check(instance, seed)
