"""Nests of any depth are printed, read, checked and run."""

import numpy as np
import pytest

from pellucid.ir import expr as E
from pellucid.ir import interp, path
from pellucid.ir import nest as N
from pellucid.ir import types as T
from pellucid.ir.expr import Buffer, const, index
from pellucid.ir.parse import parse_nest
from pellucid.ir.text import print_nest
from pellucid.ir.verify import verify_kernel

DEPTH = 3000
OUT = Buffer("out", T.i32, 2)
ZERO, ONE = const(0, T.i32), const(1, T.i32)
COUNT = E.param("count", T.i32)


def around(kind: str, k: int, body: N.Block) -> N.Statement:
    match kind:
        case "for":
            return N.For(index(f"i{k}"), ZERO, ONE, body)
        case "if":
            return N.If(E.apply("lt", COUNT, const(k, T.i32)), body)
        case _:
            return N.Alloc({Buffer(f"t{k}", T.i32, 1): ONE}, body)


def deep(kind: str) -> N.Kernel:
    more = E.apply("add", E.load(OUT, ZERO), COUNT)
    body: N.Block = (N.Store(OUT, ZERO, more), N.Store(OUT, ONE, ONE))
    for k in range(DEPTH):
        body = (around(kind, k, body),)
    return N.Kernel("k", (COUNT,), (OUT,), body)


@pytest.mark.parametrize("kind", ["for", "if", "alloc"])
def test_a_nest_of_three_thousand_blocks(kind: str):
    kernel = deep(kind)
    text = print_nest(kernel)
    assert text.count("\n") == DEPTH + 4
    again = parse_nest(text, {"out": OUT, **{b.name: b for b in N.scratch(kernel.body)}})
    assert N.same(again.body, kernel.body)
    verify_kernel(again)
    # What is stored once is stored once: nothing is begun a second time with more room.
    memory = {OUT: np.array([5, 0], np.int32)}
    interp.run(again, {"count": -3}, memory)
    assert memory[OUT].tolist() == [2, 1]


def test_paths_lead_into_a_deep_nest():
    kernel = deep("if")
    *_, (before, _), (last, store) = path.walk(kernel.body)
    assert len(last) == DEPTH + 1
    assert path.at(kernel.body, last) is store
    one = path.replace_at(kernel.body, last, ())
    assert len([*path.walk(one)]) == DEPTH + 1
    two = path.replace_at(one, before, (store, store))
    assert path.at(two, last) is store


@pytest.mark.parametrize("operator", ["sin", "add", "choose"])
def test_twenty_thousand_terms_within_terms_are_printed_and_read(operator: str):
    real, store = E.param("x", T.f32), Buffer("real", T.f32, 1)
    term = real
    for _ in range(20_000):
        match operator:
            case "sin":
                term = E.apply("sin", term)
            case "add":
                term = E.apply("add", const(1.0, T.f32), term)
            case _:
                term = E.apply("choose", E.apply("lt", term, real), real, term)
    kernel = N.Kernel("k", (real,), (store,), (N.Store(store, ZERO, term),))
    text = print_nest(kernel)
    assert max(map(len, text.splitlines())) < 4000
    assert print_nest(parse_nest(text)) == text
    assert len(repr(term)) > 20_000
