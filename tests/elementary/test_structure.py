"""How the elementary functions are built: of simple rows only, with shared parts, and short where it counts."""

from __future__ import annotations

import numpy as np
import pytest

from pellucid.ir import types as T
from pellucid.ir.expr import Expr, apply, param, topological
from pellucid.ir.interp import evaluate
from pellucid.ir.prim import row, table
from pellucid.ir.prims import arcs, circular, exponential, logarithm, power

ROWS = [r for family in (arcs, circular, exponential, logarithm, power) for r in family.ROWS]
both = pytest.mark.parametrize("type_", T.FLOATS, ids=str)
FREE = {"const", "param", "bitcast"}


def arguments(name: str, type_: T.Type) -> list[Expr]:
    return [param(f"x{k}", type_) for k in range(row(name).arity)]


def body(name: str, type_: T.Type) -> Expr:
    made = row(name).body
    assert made is not None
    return made(*arguments(name, type_))


def taken(roots: list[Expr], low: float, high: float) -> int:
    """Operations on the path that arguments in a range take: of choices that all of them make alike, one arm."""
    draw = np.random.default_rng(40)
    names = [n for n in topological(roots) if n.op == "param"]
    values = {n: draw.uniform(low, high, 200).astype(n.type.dtype) for n in names}
    choices = [n for n in topological(roots) if n.op == "choose"]
    decided = {}
    for node, condition in zip(choices, evaluate([n.args[0] for n in choices], values), strict=True):
        if condition.all() or not condition.any():
            decided[node] = 1 if condition.all() else 2
    seen: set[Expr] = set()
    stack = list(roots)
    while stack:
        node = stack.pop()
        if node not in seen:
            seen.add(node)
            stack += (node.args[0], node.args[decided[node]]) if node in decided else node.args
    return sum(n.op not in FREE and n not in decided for n in seen)


@both
@pytest.mark.parametrize("name", [r.name for r in ROWS])
def test_bodies_consist_of_rows_without_a_body(name, type_):
    for node in topological([body(name, type_)]):
        assert node.op in ("const", "param") or table()[node.op].body is None
        assert node.op != "load"


@both
@pytest.mark.parametrize("name", [r.name for r in ROWS])
def test_shift_amounts_and_other_partial_rows_are_surely_in_range(name, type_):
    reasoning = pytest.importorskip("pellucid.reasoning.infer")
    facts = reasoning.infer([body(name, type_)])
    for node in topological([body(name, type_)]):
        domain = table()[node.op].domain if node.op in table() else None
        if domain is not None:
            types = tuple(a.type for a in node.args)
            known = [facts[a] for a in node.args]
            assert domain(types, *known, *([node.attr] if node.attr is not None else [])), node


@both
def test_sine_and_cosine_share_reduction_and_polynomials(type_):
    sine, cosine = body("sin", type_), body("cos", type_)
    more = set(topological([cosine])) - set(topological([sine]))
    assert sorted(n.op for n in more if n.op not in FREE) == ["add", "and", "choose", "xor"]


@both
def test_the_long_way_of_large_angles_is_under_one_condition(type_):
    roots = [body("sin", type_), body("cos", type_)]
    far = [
        n
        for n in topological(roots)
        if n.op == "choose" and n.args[0].op == "lt" and n.args[0].args[1].op == "abs"
    ]
    assert len({n.args[0] for n in far}) == 1
    assert len(far) == 2


BUDGET = {
    ("sin",): 23,
    ("sin", "cos"): 27,
    ("sin_near", "cos_near"): 27,
    ("exp",): 14,
    ("exp2",): 13,
    ("log",): 21,
    ("atan2",): 28,
    ("hypot",): 6,
    ("pow",): 67,
    ("pow_near",): 37,
}


@pytest.mark.parametrize("names", BUDGET, ids="+".join)
def test_operations_on_the_common_path_in_single_precision(names):
    assert taken([body(n, T.f32) for n in names], 0.5, 4.0) <= BUDGET[names]


@pytest.mark.parametrize("name", ["sin", "cos", "exp", "exp2", "sin_near", "cospi", "atan2"])
def test_the_common_path_in_single_precision_stays_in_32_bits(name):
    # Wider types appear on the long way only.
    root = body(name, T.f32)
    wide = [n for n in topological([root]) if n.type.bits == 64]
    users = {n for n in topological([root]) if any(a in wide for a in n.args) and n not in wide}
    assert all(u.op == "convert" for u in users)


def test_bodies_are_built_the_same_each_time():
    x = param("x", T.f32)
    assert body("sin", T.f32) is body("sin", T.f32)
    assert apply("sin", x) is apply("sin", x)
