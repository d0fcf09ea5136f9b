"""Every rule of the core has a nest or a node that breaks it, and is refused for it."""

from __future__ import annotations

import pytest

from pellucid.backends.conformance.programs import PROGRAMS
from pellucid.base.errors import IrError
from pellucid.ir import expr as E
from pellucid.ir import nest as N
from pellucid.ir import types as T
from pellucid.ir.expr import Buffer
from pellucid.ir.parse import parse_nest
from pellucid.ir.verify import checking, verify_exprs, verify_kernel

X, COUNT = E.param("x", T.f32), E.param("count", T.i32)
COLUMN, ROW = E.index("i"), E.index("j")
ZERO, ONE = E.const(0, T.i32), E.const(1, T.i32)
OUT = Buffer("out", T.i32, 8)


def node(
    op: str, args: tuple[E.Expr, ...], type_: T.Type, attr: object = None, free: int | None = None
) -> E.Expr:
    """A node made by hand, outside of the table of nodes, as a bug would make it."""
    made = E.Expr.__new__(E.Expr)
    made.op, made.args, made.type, made.attr = op, args, type_, attr
    made.free = free if free is not None else 0
    if free is None:
        for a in args:
            made.free |= a.free
    made.holds = E.held(args) | (E.LOADS if op == "load" else E.ITERATIONS if op == "iterate" else 0)
    made.id = 1 << 60
    return made


def loop(init, step, stop, limit, *, depth: int = 0, free: int = 0) -> E.Expr:
    return node("iterate", (*init, *step, stop, limit), init[0].type, (depth, len(init)), free)


STATE = E.state(0, 0, T.f32)
INNER = E.iterate([X], [E.apply("neg", STATE)], E.FALSE, ONE, 0)[0].args[0]
DEEP = E.apply("add", E.get(E.iterate([STATE], [E.state(5, 0, T.f32)], E.FALSE, ONE, 5)[0].args[0], 0), STATE)

BAD_NODES = {
    "an operand is younger": node("neg", (node("neg", (X,), T.f32),), T.f32),
    "a leaf has operands": node("param", (X,), T.f32, "y"),
    "a load has the type of its buffer": node("load", (COLUMN,), T.f32, OUT),
    "a position is i32 or i64": node("load", (X,), T.i32, OUT),
    "stop is a bool": loop([X], [X], X, ONE),
    "limit an i32": loop([X], [X], E.TRUE, X),
    "a component changes its type": loop([X], [ONE], E.TRUE, ONE),
    "must not depend on the iteration's own state": loop([STATE], [X], E.TRUE, ONE, free=STATE.free),
    "smaller depth": loop([X], [DEEP], E.FALSE, ONE),
    "get takes a component": node("get", (X,), T.f32, 0),
    "get takes a component of": node("get", (INNER,), T.i32, 0),
    "is f32 where the table says bool": node("lt", (X, X), T.f32),
    "operands differ in type": node("add", (X, ONE), T.f32),
    "takes 2 operands": node("add", (X,), T.f32),
    "no operator is called": node("adhoc", (X,), T.f32),
    "wrong set of free indices": node("neg", (E.apply("convert", COLUMN, attr=T.f32),), T.f32, free=0),
}


@pytest.mark.parametrize("why", BAD_NODES)
def test_a_bad_node_is_refused(why: str):
    with pytest.raises(IrError, match=why):
        verify_exprs([BAD_NODES[why]])


def kernel(*body: N.Statement, params: tuple[E.Expr, ...] = (COUNT, X)) -> N.Kernel:
    return N.Kernel("bad", params, (OUT,), body)


def each(index: E.Expr, *body: N.Statement, lo: E.Expr = ZERO, hi: E.Expr = COUNT) -> N.For:
    return N.For(index, lo, hi, body)


CONDITION = E.apply("lt", COUNT, ONE)
PICK = E.apply("choose", CONDITION, ONE, ZERO)
STRANGER = Buffer("stranger", T.i32, 8)

BAD_NESTS = {
    "let .*depends on an index that is not in scope": kernel(N.Let(E.apply("neg", COLUMN))),
    "store to out .*not in scope": kernel(N.Store(OUT, COLUMN, ONE)),
    "for .*not in scope": kernel(each(ROW, lo=COLUMN)),
    "if .*not in scope": kernel(N.If(E.apply("lt", COLUMN, ONE), (), ())),
    "alloc .*not in scope": kernel(N.Alloc({STRANGER: COLUMN}, ())),
    "once: keeps no value": kernel(each(ROW, N.Once(1, (), ()))),
    "alloc: allocates no array": kernel(N.Alloc({}, (N.Store(OUT, ZERO, ONE),))),
    "repeat .*not in scope": kernel(N.Repeat(E.iterate([COLUMN], [COLUMN], E.TRUE, ONE, 0)[0].args[0], ())),
    "the index i is already a loop's": kernel(each(COLUMN, each(COLUMN))),
    "the bounds have the type of the index": kernel(each(COLUMN, hi=E.const(3, T.i64))),
    "a repeat is the place of an iterate": kernel(N.Repeat(E.apply("neg", X))),
    "a condition is a bool, not i32": kernel(N.If(COUNT, (), ())),
    "while: a condition is a bool, not i32": kernel(N.While(COUNT, ())),
    "while .*not in scope": kernel(N.While(E.apply("lt", COLUMN, ONE), ())),
    "a select is a choose on the branch's own condition": kernel(
        N.If(E.apply("lt", ONE, COUNT), (), (), (PICK,))
    ),
    "a select is a choose": kernel(N.If(CONDITION, (), (), (COUNT,))),
    "stranger: is not an output": kernel(N.Store(STRANGER, ZERO, ONE)),
    "a f32 does not go into": kernel(N.Store(OUT, ZERO, X)),
    "let .*not in scope here": kernel(
        each(COLUMN, N.Let(E.apply("neg", COLUMN))), N.Let(E.apply("neg", COLUMN))
    ),
    "state": kernel(N.Let(E.apply("neg", STATE))),
}


@pytest.mark.parametrize("why", BAD_NESTS)
def test_a_bad_nest_is_refused(why: str):
    with pytest.raises(IrError, match=why if why != "state" else "not in scope"):
        verify_kernel(BAD_NESTS[why])


def test_an_undeclared_parameter_is_refused_when_every_node_is_checked(monkeypatch: pytest.MonkeyPatch):
    nest = kernel(N.Store(OUT, ZERO, E.apply("add", COUNT, E.param("other", T.i32))))
    verify_kernel(nest)
    monkeypatch.setenv("PELLUCID_CHECK", "2")
    with pytest.raises(IrError, match="undeclared parameter other"):
        verify_kernel(nest)


def test_good_nests_pass_at_every_level(monkeypatch: pytest.MonkeyPatch):
    for level in ("0", "1", "2"):
        monkeypatch.setenv("PELLUCID_CHECK", level)
        assert checking() == int(level)
        for program in PROGRAMS:
            verify_kernel(parse_nest(program.text.replace("WIDTH", "4")))


@pytest.mark.parametrize("text", ["", "no", "-1"])
def test_a_level_that_is_no_number_is_none(text: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PELLUCID_CHECK", text)
    assert checking() == 0


@pytest.mark.parametrize(("kind", "count"), [("vector", 1), ("lanes", 0), ("seq", -1)])
def test_a_way_of_running_a_loop_that_is_none_is_refused(kind: str, count: int):
    with pytest.raises(IrError, match="no way of running a loop"):
        N.How(kind, count)
