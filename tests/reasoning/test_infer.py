"""Facts hold: for every row, at every node, for all values that the leaves may take."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.rules.instances import Draw, environment, values
from tests.rules.programs import program

from pellucid.backends.tiles.tape import rows as rows_of_tapes
from pellucid.ir import expr as E
from pellucid.ir import interp
from pellucid.ir import prim as table
from pellucid.ir import types as T
from pellucid.ir.expr import Expr
from pellucid.ir.facts import Facts, neighbor
from pellucid.ir.parse import parse_expr
from pellucid.reasoning.infer import FactsOf, infer


def check(roots: list[Expr], ranges: dict[Expr, Facts], seed: int = 0) -> None:
    """Raise AssertionError where a node has a value that its facts exclude."""
    nodes = E.topological(roots)
    known = infer(roots, ranges)
    env = environment(nodes, ranges, seed, tame=False)
    for node, found in zip(nodes, interp.evaluate(nodes, env), strict=True):
        facts = known[node]
        for k, value in enumerate(np.ravel(found)):
            if not facts.contains(value.item()):
                inputs = (
                    [np.ravel(known)[k] for known in interp.evaluate(list(node.args), env)]
                    if node.args
                    else []
                )
                raise AssertionError(f"{node!r} is {value!r} of {inputs}, outside of {facts}; {ranges}")


@pytest.mark.parametrize(
    "row", dict.fromkeys([*table.table().values(), *rows_of_tapes.ROWS]), ids=lambda r: r.name
)
def test_every_row_on_every_range(row: table.Prim):
    rng = random.Random(row.name)
    for _ in range(40):
        draw = Draw(rng, tame=False)
        letters = {letter: rng.choice(table.CLASSES[letter]) for letter in sorted(set(row.letters))}
        args = [draw.leaf(f"p{k}", letters[letter]) for k, letter in enumerate(row.letters)]
        if row.domain is not None:
            draw.ranges[args[-1]] = Facts(0, 7)
        targets = [None]
        if row.result == "@":
            allowed = row.targets or (lambda _, __: True)
            targets = [t for t in T.ALL if allowed(args[0].type, t)]
        for target in targets:
            node = E.apply(row.name, *args, attr=target)
            check([node], draw.ranges, rng.randrange(1000))


@given(st.integers(0, 10**9))
def test_every_node_of_a_program(seed: int):
    roots, draw = program(random.Random(seed), 15)
    check(roots, draw.ranges)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("$x:f32 * $x:f32", Facts(0.0, 4.0)),
        ("fma($x:f32, $x:f32, $u:f32)", Facts(0.0, 5.0)),
        ("sqrt($x:f32 * $x:f32)", Facts(0.0, 2.0)),
        ("abs($x:f32) - 1.0", Facts(-1.0, 1.0)),
        ("$k:u8 * 3:u8 + 1:u8", Facts(0, 255)),
        ("convert.i32($k:u8) * 4 + 1", Facts(1, 1021, modulus=4, residue=1)),
        ("(convert.i32($k:u8) * 4 + 1) & 3", Facts(1, 1, modulus=0, residue=1)),
        ("bitcast.u32($u:f32)", Facts(0, 0x3F800000)),
        ("lerp($u:f32, 0.0, $u:f32)", Facts(0.0, 1.0)),
        ("$p:f32", Facts(T.f32.low, T.f32.high, False, True)),
    ],
)
def test_facts_are_as_tight_as_they_should_be(text: str, expected: Facts):
    ranges = {E.param("x", T.f32): Facts(-1.0, 2.0), E.param("u", T.f32): Facts(0.0, 1.0)}
    (root,) = parse_expr(text)
    assert infer([root], ranges)[root] == expected


def test_facts_of_nodes_made_later():
    x = E.param("x", T.f32)
    facts = FactsOf({x: Facts(0.0, 1.0)})
    assert facts(x).within(0, 1)
    assert facts(E.apply("add", x, x)).within(0, 2)


def test_a_deep_expression_does_not_exhaust_the_stack():
    x = E.param("x", T.f32)
    for _ in range(50_000):
        x = E.apply("neg", x)
    assert FactsOf()(x).finite


def test_the_value_of_a_loop_is_its_start_or_a_step():
    text = "iterate 0 (0) to (mod(@0.0:i32 + 1, 10)) until @0.0:i32 == 5 limit $n:i32 end.0"
    (root,) = parse_expr(text)
    assert infer([root])[root].within(0, 9)


@pytest.mark.parametrize("type_", T.FLOATS)
def test_neighbors(type_: T.Type):
    for value in values(type_, None, np.random.default_rng(0), tame=False):
        for direction in (-math.inf, math.inf):
            with np.errstate(all="ignore"):
                expected = np.nextafter(value, type_.dtype.type(direction))
            assert neighbor(type_, float(value), direction) == expected


# ---- a fault would be found ----


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("add", lambda t, _, a, b: Facts(a.lo + b.lo, a.hi, minus_zero=True)),
        ("mul", lambda t, _, a, b: Facts(a.lo * b.lo, a.hi * b.hi, minus_zero=True)),
        ("abs", lambda t, _, a: Facts(1, max(abs(a.lo), abs(a.hi)))),
        ("floor", lambda t, _, a: Facts(float(math.floor(a.lo)), float(math.floor(a.hi)))),
        ("mod", lambda t, _, a, b: Facts(0, max(abs(b.lo), abs(b.hi)))),
        ("convert", lambda t, _, a: Facts(a.lo, a.hi, minus_zero=True)),
    ],
)
def test_a_wrong_transfer_function_is_caught(name: str, wrong, monkeypatch: pytest.MonkeyPatch):
    row = table.row(name)
    changed = object.__new__(table.Prim)
    for field in table.Prim.__dataclass_fields__:
        object.__setattr__(changed, field, getattr(row, field))
    object.__setattr__(changed, "facts", wrong)
    monkeypatch.setitem(table._known, name, changed)
    with pytest.raises(AssertionError):
        test_every_row_on_every_range(changed)
