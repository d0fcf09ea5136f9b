"""Nodes: one object per structure, right types and free indices, forgotten when nobody needs them."""

from __future__ import annotations

import gc
import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.diff.programs import Program, joined, programs

from pellucid.base.errors import IrError
from pellucid.ir import expr as E
from pellucid.ir import nest as N
from pellucid.ir import types as T
from pellucid.ir.bits import state_bits
from pellucid.ir.expr import Buffer

X, Y = E.param("x", T.f32), E.param("y", T.f32)
COLUMN, ROW = E.index("i"), E.index("j")


def test_equal_structures_are_one_node():
    def build() -> E.Expr:
        return E.apply("add", E.apply("mul", X, Y), E.apply("mul", X, Y))

    assert build() is build()
    assert build().args[0] is build().args[1]
    assert E.size([build()]) == 4


@given(programs(count=1))
def test_rebuilding_gives_the_same_nodes(parts: list[Program]):
    for root in N.all_roots(joined(parts)[0].body):
        done: dict[E.Expr, E.Expr] = {}
        for node in E.topological([root]):
            done[node] = E.rebuild(node, tuple(done[a] for a in node.args))
        assert done[root] is root


@given(programs(count=1))
def test_operands_come_before_users(parts: list[Program]):
    roots = N.all_roots(joined(parts)[0].body)
    order = E.topological(roots)
    place = {n: k for k, n in enumerate(order)}
    assert len(place) == len(order)
    assert all(place[a] < place[n] for n in order for a in n.args)
    assert set(roots) <= set(order)


@given(programs(count=1))
def test_a_node_knows_what_appears_in_it(parts: list[Program]):
    for root in N.all_roots(joined(parts)[0].body):
        for node in E.topological([root]):
            below = E.topological([node])
            ops = {n.op for n in below}
            assert bool(node.holds & E.LOADS) == ("load" in ops), node
            assert bool(node.holds & E.ITERATIONS) == ("iterate" in ops), node
            assert E.params([node]) == sorted((n for n in below if n.op == "param"), key=lambda n: n.attr)


def test_uniforms_are_found_however_many_there_are():
    many = [E.param(f"one of many {k}", t) for k in range(80) for t in (T.f32, T.f64)]
    sums = [E.apply("add", a, b) for a, b in zip(many, many[2:], strict=False)]
    for a, b, node in zip(many, many[2:], sums, strict=False):
        assert E.params([node]) == sorted((a, b), key=lambda n: n.attr)
    assert set(E.params(sums)) == set(many)
    assert E.params([E.const(1, T.f32), COLUMN]) == []


@given(programs(count=1))
def test_free_indices_are_those_that_occur(parts: list[Program]):
    for root in N.all_roots(joined(parts)[0].body):
        for node in E.topological([root]):
            seen = occurring(node)
            assert node.free == sum(seen), node


def occurring(node: E.Expr) -> set[int]:
    """The bits of indices and states that occur in a node and are not bound in it, by plain recursion."""
    if node.op in ("index", "state"):
        return {node.free}
    if node.op == "iterate":
        init, step, stop, limit = E.parts(node)
        inner = set().union(*(occurring(a) for a in (*step, stop)))
        outer = set().union(*(occurring(a) for a in (*init, limit)))
        return outer | {bit for bit in inner if not bit & state_bits(node.attr[0])}
    return set().union(*(occurring(a) for a in node.args)) if node.args else set()


# ---- constants ----


def test_zeros_differ_by_sign_and_nans_do_not():
    assert E.const(0.0, T.f32) is not E.const(-0.0, T.f32)
    assert E.const(math.nan, T.f32) is E.const(-math.nan, T.f32)
    assert E.const(1, T.f32) is E.const(1.0, T.f32)
    assert E.const(1, T.i32) is not E.const(1, T.u32)
    assert E.const(True, T.boolean) is E.const(1, T.boolean)


@pytest.mark.parametrize("type_", T.INTEGERS, ids=str)
@given(value=st.integers(-(1 << 70), 1 << 70))
def test_integers_wrap(type_: T.Type, value: int):
    found = E.const(value, type_).attr
    assert type_.low <= found <= type_.high
    assert (found - value) % (1 << type_.bits) == 0


@given(st.floats(allow_nan=False))
def test_floats_round(value: float):
    with np.errstate(over="ignore"):
        assert E.const(value, T.f32).attr == float(np.float32(value))
    assert E.const(value, T.f64).attr == value


# ---- refusals ----


def test_a_node_has_no_truth_value():
    with pytest.raises(IrError, match="no truth value"):
        bool(X)


@pytest.mark.parametrize(
    ("build", "why"),
    [
        (lambda: E.apply("add", X, E.param("n", T.i32)), "operands differ in type"),
        (lambda: E.apply("add", X), "takes 2 operands, not 1"),
        (lambda: E.apply("addd", X, Y), "did you mean 'add'"),
        (lambda: E.apply("floor_div", X, Y), "does not take f32"),
        (lambda: E.apply("convert", X), "needs the type to convert to"),
        (lambda: E.load(Buffer("b", T.f32, 3), X), "a position is i32 or i64, not f32"),
        (lambda: Buffer("b", T.f32, 0), "at least one element"),
        (lambda: Buffer("b", T.f32, 2, np.float32([1])), "not 2 elements"),
        (lambda: Buffer("b", T.f32, 1, np.float64([1])), "not 1 elements of f32"),
        (lambda: E.iterate([], [], E.TRUE, E.const(1, T.i32), 0), "as many steps"),
        (lambda: E.iterate([X], [COLUMN], E.TRUE, E.const(1, T.i32), 0), "starts as f32 but steps to i32"),
        (lambda: E.iterate([X], [X], X, E.const(1, T.i32), 0), "stop is a bool"),
        (lambda: E.iterate([X], [X], E.TRUE, X, 0), "limit an i32"),
        (lambda: T.named("f31"), "did you mean 'f32'"),
    ],
)
def test_what_makes_no_sense_is_refused(build, why: str):
    with pytest.raises(IrError, match=why):
        build()


# ---- iterations ----


def test_equal_iterations_are_one_node_however_deep_their_surroundings():
    def loop() -> E.Expr:
        s = E.state(0, 0, T.f32)
        return E.iterate([X], [E.apply("mul", s, Y)], E.apply("lt", Y, s), E.const(9, T.i32), 0)[0]

    assert loop() is loop()
    assert loop().free == 0
    assert E.next_depth(loop()) == 1


# ---- walks ----


def test_substitution_keeps_sharing():
    shared = E.apply("mul", X, X)
    root = E.apply("add", shared, E.apply("neg", shared))
    (new,) = E.substitute([root], {X: Y})
    assert new.args[0] is new.args[1].args[0]
    assert E.params([new]) == [Y]
    assert E.substitute([root], {}) == [root]


def test_uses_are_counted_with_roots():
    shared = E.apply("mul", X, X)
    root = E.apply("add", shared, shared)
    assert E.uses([root, shared]) == {root: 1, shared: 3, X: 2}


def test_a_deep_expression_does_not_exhaust_the_stack():
    x = X
    for k in range(20_000):
        x = E.apply("add", x, E.const(k, T.f32))
    assert E.size([x]) == 40_001
    (changed,) = E.substitute([x], {X: Y})
    assert E.params([changed]) == [Y]


# ---- forgetting ----


def test_what_nobody_needs_is_forgotten():
    gc.collect()
    E.sweep()
    before = E.count()
    kept = E.apply("mul", X, E.const(12345.678, T.f32))
    chain = X
    for k in range(3000):
        chain = E.apply("add", chain, E.const(1e6 + k + 0.375, T.f32))
    assert E.count() >= before + 6000
    del chain
    dead = E.sweep()
    assert dead >= 6000
    assert E.count() <= before + 10
    assert E.apply("mul", X, E.const(12345.678, T.f32)) is kept


def test_forgetting_happens_by_itself(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(E, "_sweep_at", E.count() + 500)
    for k in range(4000):
        E.apply("add", X, E.const(2e6 + k, T.f32))
        if k == 600:
            monkeypatch.setattr(E, "_sweep_at", E.count() + 500)
    assert E.count() < 400_000


def test_nodes_in_use_survive():
    roots = [E.apply("add", X, E.const(3e6 + k, T.f32)) for k in range(100)]
    texts = [repr(r) for r in roots]
    E.sweep()
    assert [repr(r) for r in roots] == texts
    assert all(E.apply("add", X, E.const(3e6 + k, T.f32)) is r for k, r in enumerate(roots))


def test_types_are_themselves_after_pickling():
    assert all(pickle.loads(pickle.dumps(t)) is t for t in T.ALL)


@pytest.mark.parametrize("type_", [T.f32, T.f64])
def test_there_is_one_nan_and_its_bits_do_not_depend_on_which_came_first(type_: T.Type):
    E.sweep()
    for first in (-math.nan, math.nan, float(np.uint32(0xFFC00001).view(np.float32))):
        node = E.const(first, type_)
        assert math.copysign(1.0, node.attr) == 1.0
        assert E.const(math.nan, type_) is node
        del node
        E.sweep()
