"""One row is enough: an operator that exists only in this file runs everywhere, and its mistakes are found."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pytest

from pellucid.backends.c import CBackend
from pellucid.backends.conformance import backend_suite, same_bits
from pellucid.backends.llvm import LlvmBackend
from pellucid.backends.port import Backend
from pellucid.ir import expr as E
from pellucid.ir import interp
from pellucid.ir import prim as table
from pellucid.ir import types as T
from pellucid.ir.facts import Facts, top
from pellucid.ir.parse import parse_expr
from pellucid.ir.prim import Laws, Prim
from pellucid.ir.text import print_expr

from .conftest import broken_claim, combinations, compute


def midpoint_facts(t: T.Type, _: tuple[T.Type, ...], a: Facts, b: Facts) -> Facts:
    return Facts((a.lo + b.lo) // 2, (a.hi + b.hi) // 2)


def midpoint(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return (a & b) + ((a ^ b) >> a.dtype.type(1))


ROW = Prim(
    "midpoint",
    "The mean of x and y, rounded down.",
    "I I -> I",
    ref=midpoint,
    facts=midpoint_facts,
    laws=Laws(commutes=("integer",), idempotent=("integer",)),
    llvm={
        kind: "{r}.b = and {T} {0}, {1}\n{r}.x = xor {T} {0}, {1}\n"
        f"{{r}}.h = {shift} {{T}} {{r}}.x, {{#1}}\nadd {{T}} {{r}}.b, {{r}}.h"
        for kind, shift in (("signed", "ashr"), ("unsigned", "lshr"))
    },
    c={"any": "({T})(({U})({0} & {1}) + ({U})(({0} ^ {1}) >> 1))"},
)

BACKENDS: list[Callable[[], Backend]] = [LlvmBackend, *([CBackend] if shutil.which("cc") else [])]


@pytest.fixture
def registered(request: pytest.FixtureRequest) -> Iterator[Prim]:
    """A row while the test runs: the good one, or the one that the test is given."""
    prim = getattr(request, "param", ROW)
    table.table()
    table.register(prim)
    yield prim
    table.unregister(prim.name)


def suite(make: Callable[[], Backend]) -> Callable[[], None]:
    widths = (1,) if make is CBackend else (1, 16)
    ((_, check),) = backend_suite(make, widths=widths, only=[f"row {ROW.name}"])
    return check


@pytest.mark.parametrize("make", BACKENDS)
def test_every_back_end_runs_it(make, registered: Prim):
    suite(make)()


@pytest.mark.parametrize("type_", T.INTEGERS, ids=str)
def test_it_folds_prints_and_reads_back(registered: Prim, type_: T.Type):
    node = E.apply("midpoint", E.param("x", type_), E.const(6, type_))
    assert parse_expr(print_expr(node)) == [node]
    four, six = E.const(4, type_), E.const(6, type_)
    assert interp.fold("midpoint", [four, six], type_) == 5


@pytest.mark.parametrize("type_", T.INTEGERS, ids=str)
def test_its_facts_and_laws_hold(registered: Prim, type_: T.Type):
    assert broken_claim(registered, (type_, type_), None, 30) is None
    x, y = combinations((type_, type_), 2000)
    assert same_bits(
        compute(registered, (type_,) * 2, None, [x, y]), compute(registered, (type_,) * 2, None, [y, x])
    )
    assert same_bits(np.array(compute(registered, (type_,) * 2, None, [x, x])), x)


WRONG_LLVM = {
    "operands exchanged with a shift": replace(
        ROW, llvm={k: v.replace("{r}.x, {#1}", "{0}, {#1}") for k, v in ROW.llvm.items()}
    ),
    "the shift of the other sign": replace(
        ROW, llvm={"signed": ROW.llvm["unsigned"], "unsigned": ROW.llvm["signed"]}
    ),
    "one too many": replace(ROW, llvm={k: v.replace("and", "or") for k, v in ROW.llvm.items()}),
}
WRONG_C = {
    "no promotion in mind": replace(ROW, c={"any": "({T})(({0} + {1}) >> 1)"}),
    "an operand used twice": replace(ROW, c={"any": "({T})(({U})({0} & {0}) + ({U})(({0} ^ {1}) >> 1))"}),
}


@pytest.mark.parametrize("registered", WRONG_LLVM.values(), ids=WRONG_LLVM, indirect=True)
def test_a_wrong_spelling_for_llvm_is_found(registered: Prim):
    with pytest.raises(AssertionError, match="llvm: row_midpoint"):
        suite(LlvmBackend)()


@pytest.mark.parametrize("registered", WRONG_C.values(), ids=WRONG_C, indirect=True)
def test_a_wrong_spelling_for_c_is_found(registered: Prim):
    with pytest.raises(AssertionError, match="c: row_midpoint"):
        suite(CBackend)()


WRONG_FACTS = {
    "one too high at the bottom": lambda t, _, a, b: Facts(-(-(a.lo + b.lo) // 2), (a.hi + b.hi) // 2),
    "the ends of one operand": lambda t, _, a, b: a,
    "a residue kept": lambda t, _, a, b: Facts(
        (a.lo + b.lo) // 2, (a.hi + b.hi) // 2, modulus=a.modulus, residue=a.residue
    ),
}


@pytest.mark.parametrize("mistake", WRONG_FACTS)
def test_wrong_facts_are_found(mistake: str):
    wrong = replace(ROW, facts=WRONG_FACTS[mistake])
    table.register(wrong)
    try:
        assert any(broken_claim(wrong, (t, t), None, 60) for t in T.INTEGERS)
    finally:
        table.unregister(wrong.name)


def test_facts_that_know_nothing_hold():
    ignorant = replace(ROW, facts=lambda t, _, a, b: top(t))
    table.register(ignorant)
    try:
        assert all(broken_claim(ignorant, (t, t), None, 10) is None for t in T.INTEGERS)
    finally:
        table.unregister(ignorant.name)
