"""Simplification as a whole: same meaning, in simplest form at once, and in time linear in the graph."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.rules.instances import environment, same_bits
from tests.rules.programs import program

from pellucid.base.deep_stack import with_deep_stack
from pellucid.base.errors import IrError
from pellucid.ir import expr as E
from pellucid.ir import interp
from pellucid.ir import prim as table
from pellucid.ir import types as T
from pellucid.ir.expr import Expr
from pellucid.ir.facts import Facts
from pellucid.ir.parse import parse_expr
from pellucid.ir.text import print_expr
from pellucid.ir.verify import verify_exprs
from pellucid.rewriting.builder import Builder, Trace
from pellucid.rewriting.expand import expand
from pellucid.rewriting.rule import Rule
from pellucid.rewriting.ruleset import RuleSet
from pellucid.rewriting.simplify import run, simplify

seeds = st.integers(0, 10**9)
ROW, COLUMN = E.index("j"), E.index("i")
ORDER = (ROW.free, COLUMN.free)


def shown(text: str, **options) -> str:
    """The simplified text of expressions."""
    return print_expr(*simplify(parse_expr(text), **options))


def agree(before: list[Expr], after: list[Expr], ranges: dict[Expr, Facts]) -> None:
    """Raise AssertionError where roots differ in a bit."""
    verify_exprs(after)
    env = environment([*before, *after], ranges, 0, tame=False)
    values = interp.evaluate([*before, *after], env)
    for old, new, expected, found in zip(before, after, values, values[len(before) :], strict=False):
        assert old.type is new.type
        assert same_bits(expected, found).all(), f"{old!r}\n became\n{new!r}\n with {ranges}"


@given(seeds)
def test_exact_keeps_every_bit(seed: int):
    roots, draw = program(random.Random(seed), 25)
    agree(roots, simplify(roots, numerics="exact", ranges=draw.ranges), draw.ranges)


@given(seeds)
def test_expansion_keeps_every_bit(seed: int):
    roots, draw = program(random.Random(seed), 8)
    agree(roots, expand(roots, "exact", ranges=draw.ranges), draw.ranges)


@given(seeds)
def test_relaxed_stays_within_rounding(seed: int):
    roots, draw = program(random.Random(seed), 20, continuous=True)
    after = expand(simplify(roots, ranges=draw.ranges), ranges=draw.ranges)
    inner = E.topological([*roots, *after])
    env = environment(inner, draw.ranges, 0, tame=True)
    values = interp.evaluate([*roots, *after, *inner], env)
    scale = 1.0
    for node, value in zip(inner, values[2 * len(roots) :], strict=True):
        scale = max(scale, float(np.max(np.abs(value)))) if node.type.is_float else scale
    for k, root in enumerate(roots):
        far = np.max(np.abs(values[k].astype(np.float64) - values[len(roots) + k]))
        assert far <= 1e-4 * scale, f"{root!r}\n became\n{after[k]!r}"


@given(seeds, st.sampled_from(["exact", "relaxed"]), st.booleans())
def test_simplifying_again_changes_nothing(seed: int, numerics: str, continuous: bool):
    roots, draw = program(random.Random(seed), 25, continuous=continuous)
    once = simplify(roots, numerics=numerics, ranges=draw.ranges)
    twice = simplify(once, numerics=numerics, ranges=draw.ranges)
    assert all(a is b for a, b in zip(once, twice, strict=True)), (
        f"{print_expr(*once)}\n became\n{print_expr(*twice)}"
    )


@given(seeds)
def test_never_more_work(seed: int):
    roots, draw = program(random.Random(seed), 25)
    after = simplify(roots, numerics="exact", ranges=draw.ranges)
    assert E.size(after) <= E.size(roots) + 4


# ---- linear in the graph ----


def test_a_shared_term_is_rewritten_once():
    """The tree of this graph has 2**60 leaves."""
    x = E.param("x", T.f32)
    for _ in range(60):
        x = E.apply("min", E.apply("max", x, E.const(0.5, T.f32)), E.apply("sin", x))
    trace = Trace()
    simplify([x], trace=trace)
    assert trace.visits <= 2 * E.size([x])


@pytest.mark.parametrize("op", ["add", "mul", "min", "hypot"])
@pytest.mark.parametrize("numerics", ["exact", "relaxed"])
def test_visits_grow_with_the_graph(op: str, numerics: str):
    visits: list[int] = []
    for size in (200, 400, 800):
        x = E.param("x", T.f32)
        y = E.param("y", T.f32)
        for k in range(size):
            x = E.apply(op, x, E.apply("sin", E.apply("add", y, E.const(k, T.f32))))
        trace = Trace()
        simplify([x], numerics=numerics, trace=trace)
        visits.append(trace.visits)
    assert visits[2] <= 2.1 * visits[1] <= 4.5 * visits[0]


def test_deep_expressions_do_not_exhaust_the_stack():
    x = E.param("x", T.f32)
    for k in range(20_000):
        x = E.apply("sin" if k % 3 == 0 else "sqrt", x)
    simplify([x])
    y = E.param("y", T.i32)
    for _ in range(5_000):
        y = E.apply("xor", y, E.apply("add", y, E.const(1, T.i32)))
    simplify([y])


def test_rules_that_chase_each_other_are_reported():
    pair = (
        Rule("there", "exact", "sin(x)", "cos(x)", "float"),
        Rule("back", "exact", "cos(x)", "sin(neg(neg(neg(x))))", "float"),
    )
    builder = Builder("exact", rules=RuleSet(pair))
    with pytest.raises(IrError, match="come to an end"):
        with_deep_stack(lambda: run(builder, parse_expr("sin($x:f32)")))


def test_an_unknown_mode_is_refused():
    with pytest.raises(IrError, match="fast"):
        simplify(parse_expr("$x:f32"), numerics="fast")


# ---- the same program gives the same bits whatever was built before ----


def test_order_does_not_depend_on_history():
    text = "$b:f32 * $x:f32 + $a:f32 * $y:f32 + sin($c:f32) + $d:f32"
    first = shown(text)
    for name in "zyxwvutsrqponmlkjihgfedcba":
        E.apply("sin", E.param(name, T.f32))
    reordered = "$d:f32 + (sin($c:f32) + $y:f32 * $a:f32) + $x:f32 * $b:f32"
    assert shown(reordered) == shown(text) == first


# ---- iteration ----


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("iterate 0 ($x:f32) to (@0.0:f32 + 1.0) until true limit 10 end.0", "$x:f32"),
        ("iterate 0 ($x:f32) to (@0.0:f32 + 1.0) until 4.0 < @0.0:f32 limit 3 - 3 end.0", "$x:f32"),
        (
            "iterate 0 ($x:f32, $y:f32) to (@0.0:f32 + 1.0, @0.1:f32 * 1.0) until 4.0 < @0.0:f32 limit 9 end.1",
            "$y:f32",
        ),
    ],
)
def test_an_iteration_that_changes_nothing_is_its_start(text: str, expected: str):
    assert shown(text) == expected


def test_the_body_of_an_iteration_is_simplified():
    text = "iterate 0 ($x:f32) to (@0.0:f32 * 1.0 + 0.0 * $y:f32 + 1.0) until 4.0 < @0.0:f32 limit 10 end.0"
    assert shown(text) == print_expr(
        *parse_expr("iterate 0 ($x:f32) to (@0.0:f32 + 1.0) until 4.0 < @0.0:f32 limit 10 end.0")
    )


ENDS = " until 4.0 < @0.1:f32 limit 9 end."


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # Equal from the start, and as far as they step alike.
        (
            "iterate 0 (0.0, $y:f32, 0.0) to (sin(@0.0:f32), @0.1:f32 * @0.2:f32, sin(@0.2:f32))"
            + ENDS
            + "2",
            "iterate 0 (0.0, $y:f32) to (sin(@0.0:f32), @0.0:f32 * @0.1:f32)" + ENDS + "0",
        ),
        # Each is the other one, in turns.
        (
            "iterate 0 (1.0, $y:f32, 1.0) to (sin(@0.2:f32), @0.0:f32 - @0.2:f32, sin(@0.0:f32))"
            + ENDS
            + "2",
            "iterate 0 (1.0, $y:f32) to (sin(@0.0:f32), @0.0:f32 - @0.0:f32)" + ENDS + "0",
        ),
        # As many steps as are made.
        ("iterate 0 (0, $x:f32) to (@0.0:i32 + 1, sin(@0.1:f32)) until false limit 9 end.0", "9:i32"),
        ("iterate 0 (0.0, $x:f32) to (@0.0:f32 + 1.0, sin(@0.1:f32)) until false limit 9 end.0", "9.0"),
    ],
)
def test_components_that_are_equal_or_count_are_known(text: str, expected: str):
    (found,) = simplify(parse_expr(text), numerics="exact")
    (again,) = simplify(parse_expr(expected), numerics="exact")
    assert found is again
    verify_exprs([found])


@pytest.mark.parametrize(
    "text",
    [
        "iterate 0 (0.0, 0.0) to (@0.0:f32 + 1.0, @0.1:f32 + 2.0) until 4.0 < @0.0:f32 limit 9 end.1",
        "iterate 0 (0.0, -0.0) to (@0.0:f32 * $x:f32, @0.1:f32 * $x:f32) until 4.0 < @0.0:f32 limit 9 end.1",
        # It may end before; it may not begin; a float counts no further.
        "iterate 0 (0.0, $x:f32) to (@0.0:f32 + 1.0, sin(@0.1:f32)) until @0.1:f32 < 0.5 limit 9 end.0",
        "iterate 0 (0, $x:f32) to (@0.0:i32 + 1, sin(@0.1:f32)) until false limit $n:i32 end.0",
        "iterate 0 (0.0, $x:f32) to (@0.0:f32 + 1.0, sin(@0.1:f32)) until false limit 16777217 end.0",
        "iterate 0 (-0.0, $x:f32) to (@0.0:f32 + 1.0, sin(@0.1:f32)) until false limit 9 end.0",
        "iterate 0 (false, $x:f32) to (not(@0.0:bool), sin(@0.1:f32)) until false limit 9 end.0",
        "iterate 0 (0.0, $x:f32) to (@0.1:f32 + 1.0, sin(@0.1:f32)) until false limit 9 end.0",
    ],
)
def test_components_that_differ_stay(text: str):
    (found,) = simplify(parse_expr(text), numerics="exact")
    assert found.op == "get"
    assert found.args[0].attr == parse_expr(text)[0].args[0].attr


@pytest.mark.parametrize("seed", range(40))
def test_iterations_with_components_alike_mean_the_same(seed: int):
    draw = random.Random(seed)
    depths = (0, draw.choice([0, 1]))
    x, few = E.param("x", T.f32), E.param("few", T.i32)

    def iteration(depth: int, leaves: list[Expr]) -> list[Expr]:
        count = draw.randint(2, 5)
        states = [E.state(depth, k, T.f32) for k in range(count)]

        def step() -> Expr:
            op = draw.choice(["add", "sub", "mul", "min"])
            return E.apply(op, draw.choice(states), draw.choice([*states, *leaves]))

        init = [draw.choice([x, E.const(0, T.f32), E.const(1, T.f32)]) for _ in states]
        several = [step() for _ in range(draw.randint(1, 2))]
        steps = [draw.choice(several) if draw.random() < 0.7 else step() for _ in states]
        stop = draw.choice([E.FALSE, E.apply("lt", E.const(9, T.f32), draw.choice(states))])
        return list(E.iterate(init, steps, stop, draw.choice([few, E.const(3, T.i32)]), depth))

    inner = iteration(0, [x])
    outer = iteration(depths[1], [x, *inner])
    roots = [*outer, *inner]
    ranges = {few: Facts(0, 6)}
    found = simplify(roots, numerics="exact", ranges=ranges)
    verify_exprs(found)
    assert simplify(found, numerics="exact", ranges=ranges) == found
    values = {
        x: np.float32([0.0, -0.0, 1.0, 0.5, -3.0, np.inf, np.nan]),
        few: np.int32([0, 1, 2, 3, 4, 5, 6]),
    }
    for new, old in zip(interp.evaluate(found, values), interp.evaluate(roots, values), strict=True):
        assert same_bits(new, old).all()


@pytest.mark.parametrize("numerics", ["exact", "relaxed"])
@pytest.mark.parametrize(
    "text",
    [
        "exp2(if $c:bool then 1.0 else log2($x:f32))",
        "sin(exp2(if $c:bool then 1.0 else (if $d:bool then 2.0 else $x:f32)))",
    ],
)
def test_a_row_that_a_rule_moves_into_a_choice_is_expanded_too(text, numerics):
    rows = table.table()
    nodes = E.topological(expand(parse_expr(text), numerics))
    assert [n.op for n in nodes if n.op in rows and rows[n.op].body is not None] == []


def test_products_that_are_multiplied_out_meet_their_like_terms_at_once():
    text = "min($y:u8, 255:u8) - ($y:u8 << $x:u8) + 64:u8 * ($y:u8 + 8:u8)"
    assert shown(text, numerics="exact") == "$y:u8 * 65:u8 - ($y:u8 << $x:u8)"


def test_residues_may_need_all_bits_of_a_word():
    assert shown("($z:i64 << 63:i64) == 1:i64", numerics="exact") == "false"


def test_a_blend_whose_ends_are_too_far_apart_is_no_number():
    x, y = E.param("x", T.f32), E.param("y", T.f32)
    blend = E.apply("lerp", E.const(0.0, T.f32), x, y)
    ranges = {p: Facts(-3e38, 3e38, False, False) for p in (x, y)}
    (after,) = simplify([blend], numerics="exact", ranges=ranges)
    found, expected = interp.evaluate([after, blend], {x: np.float32(3e38), y: np.float32(-3e38)})
    assert np.isnan(expected)
    assert np.isnan(found)
