"""Every column of every row of the operator table is executed: meaning, facts, laws, spelling, domain, error, text."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace

import numpy as np
import pytest

from pellucid.backends.conformance import domain_bounds, same_bits, signatures, spicy
from pellucid.base.errors import IrError
from pellucid.ir import expr as E
from pellucid.ir import interp
from pellucid.ir import prim as table
from pellucid.ir import types as T
from pellucid.ir.facts import Facts, exactly, top
from pellucid.ir.parse import parse_expr
from pellucid.ir.prim import Laws, Prim
from pellucid.ir.text import print_expr

from .conftest import ROWS, TYPED, broken_claim, combinations, compute, named, random_pairs

ROUNDS = 16
each_row = pytest.mark.parametrize("prim", ROWS, ids=named)
each_typed = pytest.mark.parametrize(("prim", "types", "attr"), TYPED, ids=named)


# ---- name, doc, signature ----


@each_row
def test_the_doc_is_one_sentence(prim: Prim):
    assert re.fullmatch(r"[^\n]+[^.\n]\.", prim.doc)
    assert len(prim.doc) <= 240
    assert ". " not in prim.doc


@each_row
def test_the_signature_accepts_its_types_and_no_others(prim: Prim):
    accepted = {types for types, _ in signatures(prim)}
    assert accepted
    attr = next(a for _, a in signatures(prim))
    everything = list(itertools.product(T.ALL, repeat=prim.arity))
    refused = [types for types in everything if types not in accepted]
    for types in refused:
        with pytest.raises(IrError, match=rf"^{prim.name}: "):
            prim.result_type(types, attr)
    with pytest.raises(IrError, match="operands, not"):
        prim.result_type((T.f32,) * (prim.arity + 1), attr)


@pytest.mark.parametrize("prim", [p for p in ROWS if p.result == "@"], ids=named)
def test_a_conversion_makes_its_targets_and_no_others(prim: Prim):
    allowed = set(signatures(prim))
    for types in {types for types, _ in allowed}:
        for target in T.ALL:
            if (types, target) in allowed:
                assert prim.result_type(types, target) is target
            else:
                with pytest.raises(IrError, match="does not make"):
                    prim.result_type(types, target)
        with pytest.raises(IrError, match="type to convert to"):
            prim.result_type(types)


# ---- meaning ----


@each_typed
def test_the_meaning_is_total_and_of_the_right_type(prim: Prim, types, attr):
    columns = combinations(types, 600)
    found = compute(prim, types, attr, columns)
    assert found.dtype == prim.result_type(types, attr).dtype
    assert found.shape == columns[0].shape


@each_typed
def test_the_meaning_goes_element_by_element(prim: Prim, types, attr):
    columns = combinations(types, 40, seed=9)
    together = compute(prim, types, attr, columns)
    params = [E.param(f"p{k}", t) for k, t in enumerate(types)]
    node = E.apply(prim.name, *params, attr=attr)
    one_by_one = [
        interp.evaluate([node], dict(zip(params, values, strict=True)))[0]
        for values in zip(*columns, strict=True)
    ]
    assert same_bits(np.array(one_by_one, together.dtype).reshape(together.shape), np.array(together))


@each_typed
def test_folding_is_the_meaning(prim: Prim, types, attr):
    columns = combinations(types, 25, seed=3)
    result = prim.result_type(types, attr)
    expected = compute(prim, types, attr, columns)
    folded = [
        interp.fold(
            prim.name, [E.const(v.item(), t) for v, t in zip(values, types, strict=True)], result, attr
        )
        for values in zip(*columns, strict=True)
    ]
    assert same_bits(np.array(folded, result.dtype), np.array(expected))


@pytest.mark.parametrize(("prim", "types", "attr"), [t for t in TYPED if t[0].body is not None], ids=named)
def test_a_body_is_of_rows_that_have_none_in_the_end(prim: Prim, types, attr):
    params = tuple(E.param(f"p{k}", t) for k, t in enumerate(types))
    todo, seen = [interp.expand(prim.name, params, attr)], set()
    assert todo[0].type is prim.result_type(types, attr)
    while todo:
        for node in E.topological([todo.pop()]):
            row = table.table().get(node.op)
            if row is not None and row.body is not None and node not in seen:
                seen.add(node)
                assert node.op != prim.name, "a body that contains its own row never ends"
                extra = node.type if row.result == "@" else None
                todo.append(interp.expand(node.op, node.args, extra))
    assert len(seen) < 100


# ---- facts ----


@each_typed
def test_the_facts_hold(prim: Prim, types, attr):
    assert broken_claim(prim, types, attr, ROUNDS) is None


@each_typed
def test_the_facts_of_a_result_are_of_its_type(prim: Prim, types, attr):
    result = prim.result_type(types, attr)
    whole = top(result)
    for facts, _ in random_pairs(prim, types, ROUNDS):
        claim = prim.transfer(result, types, *facts)
        assert whole.lo <= claim.lo <= claim.hi <= whole.hi
        if not result.is_float:
            assert not claim.nan
            assert not claim.minus_zero


@each_typed
def test_the_facts_of_constants_hold_their_result(prim: Prim, types, attr):
    result = prim.result_type(types, attr)
    columns = combinations(types, 150, seed=4)
    for *operands, value in zip(*columns, compute(prim, types, attr, columns), strict=True):
        facts = [exactly(t, v.item()) for t, v in zip(types, operands, strict=True)]
        assert prim.transfer(result, types, *facts).contains(value.item()), (operands, value)


MISTAKES = {
    "no NaN": lambda f: Facts(f.lo, f.hi, False, f.minus_zero),
    "no minus zero": lambda f: Facts(f.lo, f.hi, f.nan, False),
    "too low": lambda f: Facts(f.lo, f.lo, f.nan, f.minus_zero),
    "too high": lambda f: Facts(f.hi, f.hi, f.nan, f.minus_zero),
    "a residue that is not there": lambda f: Facts(f.lo, f.hi, modulus=2, residue=int(f.lo) % 2),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_wrong_facts_would_be_seen(mistake: str):
    change = MISTAKES[mistake]
    integers = "residue" in mistake
    caught = tried = 0
    for prim, types, attr in TYPED:
        result = prim.result_type(types, attr)
        if prim.facts is None or prim.body is not None or result is T.boolean or result.is_float is integers:
            continue
        tried += 1
        right = prim.facts
        wrong = replace(prim, facts=lambda *a, right=right: change(right(*a)))
        caught += broken_claim(wrong, types, attr, 6) is not None
    # Conversions from bool cannot be NaN, sums of integers are of any residue, and so on: not every row can be wrong.
    assert caught > tried / 3


# ---- laws ----


def kind_of(type_: T.Type) -> str:
    return "float" if type_.is_float else "bool" if type_ is T.boolean else "integer"


LAWFUL = [
    (p, t) for p in ROWS if p.laws != Laws() for t in dict.fromkeys(types[0] for types, _ in signatures(p))
]
each_lawful = pytest.mark.parametrize(("prim", "type_"), LAWFUL, ids=named)


def value_of(prim: Prim, type_: T.Type, *columns: np.ndarray) -> np.ndarray:
    count = max(len(np.atleast_1d(c)) for c in columns)
    full = [np.ascontiguousarray(np.broadcast_to(c, count)) for c in columns]
    return np.array(compute(prim, (type_,) * prim.arity, None, full))


def constant(value: float, type_: T.Type) -> np.ndarray:
    return np.array([E.const(value, type_).attr], type_.dtype)


@each_lawful
def test_the_laws_hold(prim: Prim, type_: T.Type):
    kind, laws = kind_of(type_), prim.laws
    x, y = combinations((type_, type_), 4000)
    if kind in laws.commutes:
        assert same_bits(value_of(prim, type_, x, y), value_of(prim, type_, y, x))
    if kind in laws.associates:
        a, b, c = combinations((type_,) * 3, 4000)
        left = value_of(prim, type_, value_of(prim, type_, a, b), c)
        assert same_bits(left, value_of(prim, type_, a, value_of(prim, type_, b, c)))
    values = spicy(type_)
    for law, holds in ((laws.identity, values), (laws.absorbing, None)):
        if kind in law:
            e = constant(law[kind], type_)
            sides = [(values, e)] + ([(e, values)] if kind in laws.commutes else [])
            for a, b in sides:
                expected = np.broadcast_to(e, values.shape) if holds is None else values
                assert same_bits(value_of(prim, type_, a, b), np.ascontiguousarray(expected))
    if kind in laws.idempotent:
        assert same_bits(value_of(prim, type_, values, values), values)


@pytest.mark.parametrize("prim", [p for p in ROWS if p.laws != Laws()], ids=named)
def test_laws_are_stated_for_kinds_that_the_row_takes(prim: Prim):
    kinds = {kind_of(types[0]) for types, _ in signatures(prim)}
    laws = prim.laws
    assert prim.arity == 2
    stated = {*laws.commutes, *laws.associates, *laws.identity, *laws.absorbing, *laws.idempotent}
    assert stated <= kinds


# ---- spelling, domain, cost ----


@pytest.mark.parametrize("prim", [p for p in ROWS if p.body is None], ids=named)
@pytest.mark.parametrize("language", ["llvm", "c", "glsl", "wgsl"])
def test_there_is_a_spelling_for_every_kind(prim: Prim, language: str):
    for types, _ in signatures(prim):
        template = prim.spelling(language, types[0].kind)
        operands = {int(k) for k in re.findall(r"\{(\d)\}", template)}
        assert operands == set(range(prim.arity)), "every operand is used"


@pytest.mark.parametrize("prim", [p for p in ROWS if p.domain is not None], ids=named)
def test_a_partial_row_is_partial_and_has_a_use(prim: Prim):
    for types, attr in signatures(prim):
        extra = (attr,) if attr is not None else ()
        assert not prim.domain(types, *map(top, types), *extra)
        assert domain_bounds(prim, types, attr) is not None


@each_row
def test_the_cost_is_a_number_of_cycles(prim: Prim):
    assert 0 < prim.cost < 1000


# ---- error ----


@pytest.mark.parametrize("prim", [p for p in ROWS if "f32" in p.ulp and "f64" in p.ulp], ids=named)
def test_the_stated_error_holds_against_the_wider_type(prim: Prim):
    # What the row gives in f64 is within an ulp or two of f64, which is nothing in f32.
    narrow, wide = (T.f32,) * prim.arity, (T.f64,) * prim.arity
    draw = np.random.default_rng(17)
    scales = 10.0 ** draw.integers(-6, 4, 20000)
    columns = [(draw.normal(size=20000) * scales).astype(np.float32) for _ in narrow]
    found = compute(prim, narrow, None, columns).astype(np.float64)
    exact = compute(prim, wide, None, [c.astype(np.float64) for c in columns])
    with np.errstate(all="ignore"):
        near = np.abs(exact.astype(np.float32))
        spacing = np.maximum(np.spacing(near), np.spacing(np.nextafter(near, np.float32(0)))).astype(
            np.float64
        )
        error = np.abs(found - exact) / spacing
    normal = np.isfinite(found) & np.isfinite(exact)
    assert normal.mean() > 0.3
    assert error[normal].max() <= prim.ulp["f32"] + 0.01
    # Where one is no number, so is the other; where one overflows, the other is beyond the narrow type.
    assert (np.isnan(found) == np.isnan(exact)).all()
    assert (np.abs(exact[np.isinf(found)]) >= float(T.f32.high)).all()


@each_row
def test_errors_are_stated_of_types_that_the_row_takes(prim: Prim):
    names = {types[0].name for types, _ in signatures(prim)}
    assert set(prim.ulp) <= names
    assert all(0.5 <= bound < 4 for bound in prim.ulp.values())


# ---- text ----


@each_typed
def test_it_prints_and_reads_back(prim: Prim, types, attr):
    params = [E.param(f"p{k}", t) for k, t in enumerate(types)]
    node = E.apply(prim.name, *params, attr=attr)
    assert parse_expr(print_expr(node)) == [node]


def test_symbols_are_told_apart():
    symbols = [p.symbol for p in ROWS if p.symbol]
    assert len({s for s, _ in symbols}) == len(symbols)


# ---- the table ----


def test_a_name_is_taken_once():
    with pytest.raises(IrError, match="already in the operator table"):
        table.register(ROWS[0])


def test_a_row_without_meaning_or_spelling_is_refused():
    with pytest.raises(IrError, match="either a ref or a body"):
        Prim("nothing", "Nothing.", "N -> N")
    with pytest.raises(IrError, match="needs a spelling"):
        Prim("silent", "Silent.", "N -> N", ref=np.negative)
    with pytest.raises(IrError, match="either a ref or a body"):
        replace(ROWS[0], ref=np.add, body=lambda a: a)


def test_an_unknown_row_is_met_with_a_hint():
    name = ROWS[0].name
    with pytest.raises(IrError, match=rf"did you mean '{name}'"):
        table.row(name + "x")
