"""Machine code gives the bits that the interpreter gives, whichever way each lane of a vector goes."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from tests.elementary import reference as R
from tests.elementary.test_structure import ROWS

from pellucid.ir import expr as E
from pellucid.ir import nest as N
from pellucid.ir import types as T
from pellucid.ir.expr import Buffer
from pellucid.ir.prim import row
from pellucid.loops.analysis.placement import place
from pellucid.rewriting.expand import expand

COUNT = 1500


def llvm():
    from pellucid.backends.llvm import LlvmBackend

    return LlvmBackend()


def c():
    from pellucid.backends.c import CBackend

    return CBackend()


@functools.cache
def arguments(type_: T.Type, arity: int) -> list[np.ndarray]:
    """Spicy and random numbers; common ones in long runs, with a rare one now and then among them."""
    draw = np.random.default_rng(70)
    common = draw.uniform(0.1, 3, COUNT)
    mixed = np.where(
        draw.uniform(size=COUNT) < 0.03, draw.choice([0.0, 1e9, -2.0, np.inf, 1e-39], COUNT), common
    )
    wide = np.exp(draw.uniform(-60, 60, COUNT)) * draw.choice([-1, 1], COUNT)
    parts = [
        R.spicy(type_),
        R.random_bits(type_, COUNT, 71),
        *(p.astype(type_.dtype) for p in (common, mixed, wide)),
    ]
    numbers = np.concatenate(parts)
    return [numbers, draw.permutation(numbers)][:arity]


@pytest.mark.parametrize("type_", T.FLOATS, ids=str)
@pytest.mark.parametrize("backend", [llvm, c], ids=["llvm", "c"])
@pytest.mark.parametrize("name", [r.name for r in ROWS])
def test_the_same_bits_as_the_interpreter(name, backend, type_):
    columns = arguments(type_, row(name).arity)
    size = len(columns[0])
    inputs = [Buffer(f"in{k}", type_, size, column) for k, column in enumerate(columns)]
    i = E.index("i")
    (value,) = expand([E.apply(name, *(E.load(b, i) for b in inputs))], "exact")
    out = Buffer("out", type_, size)
    loop = N.For(i, E.const(0, T.i32), E.const(size, T.i32), (N.Store(out, i, value),), N.lanes(16))
    kernel, _ = place(N.Kernel("elementary", (), (out,), (loop,)))
    found = np.zeros(size, type_.dtype)
    backend().compile(kernel, {}).run({}, {out: found})
    expected = R.compute(name, *columns)
    word = np.dtype(f"u{type_.dtype.itemsize}")
    same = (found.view(word) == expected.view(word)) | (np.isnan(found) & np.isnan(expected))
    wrong = np.flatnonzero(~same)
    assert not len(wrong), [(*(float(x[k]) for x in columns), found[k], expected[k]) for k in wrong[:5]]
