"""Every back end passes the suite that is published for back ends."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from pellucid.backends.conformance import WIDTHS, agree, backend_suite, row_kernel, same_bits, spicy
from pellucid.backends.port import Backend
from pellucid.ir import nest as N
from pellucid.ir import prim as table
from pellucid.ir import types as T

from .conftest import back_ends


def checks():
    for name, make in back_ends().items():
        widths = WIDTHS if name.startswith("llvm") else (1,)
        if name in ("llvm-sse2", "llvm-avx2"):
            widths = (3, 16)
        # On single rows, the NumPy back end would be compared with itself.
        only = ["program"] if name == "numpy" else []
        for title, check in backend_suite(make, widths=widths, only=only):
            yield pytest.param(check, id=f"{name}: {title}")


@pytest.mark.parametrize("check", list(checks()))
def test_a_back_end_does_what_the_interpreter_does(check: Callable[[], None]):
    check()


# The suite itself must be able to fail: each of these is a mistake that a back end could make.


class Wrong:
    """The interpreter, with its results spoiled."""

    name = "wrong"

    def __init__(self, spoil: Callable[[np.ndarray], np.ndarray]) -> None:
        self.spoil = spoil

    def compile(self, kernel, ranges):
        from pellucid.backends.numpy import NumpyBackend

        code, spoil = NumpyBackend().compile(kernel, ranges), self.spoil

        class Code:
            def run(self, arguments, memory, *, threads=None):
                code.run(arguments, memory)
                for b in kernel.outputs:
                    memory[b][:] = spoil(memory[b])

        return Code()


def flush_denormals(values: np.ndarray) -> np.ndarray:
    return np.where(np.abs(values) < np.finfo(values.dtype).tiny, values.dtype.type(0) * values, values)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda v: np.nextafter(v, v.dtype.type(0)),
        lambda v: v + v.dtype.type(0),
        flush_denormals,
        lambda v: np.where(np.isnan(v), v.dtype.type(0), v),
    ],
    ids=["one bit", "minus zero", "denormals", "nan"],
)
def test_the_suite_sees_a_small_difference(spoil):
    kernel, memory = row_kernel(table.row("mul"))
    floats = tuple(b for b in kernel.outputs if b.type.is_float)
    body = tuple(s for s in kernel.body if isinstance(s.body[0], N.Store) and s.body[0].buffer in floats)
    only = N.Kernel(kernel.name, (), floats, body)
    wrong: Backend = Wrong(spoil)
    with np.errstate(all="ignore"), pytest.raises(AssertionError, match="is np"):
        agree(wrong, only, {}, {b: memory[b] for b in floats})


def test_the_suite_sees_a_store_too_many():
    failures = 0
    for _, check in backend_suite(lambda: Wrong(lambda v: np.roll(v, 1)), only=["masked", "any length"]):
        with pytest.raises(AssertionError):
            check()
        failures += 1
    assert failures


@pytest.mark.parametrize("type_", T.ALL)
def test_spicy_values_hold_the_extremes(type_: T.Type):
    values = spicy(type_).tolist()
    assert type_.low in values
    assert type_.high in values
    assert 0 in values


def test_same_bits_tells_zeros_apart_and_nans_not():
    a = np.array([0x7FC00000, 0x80000000], np.uint32).view(np.float32)
    b = np.array([0xFFC12345, 0x80000000], np.uint32).view(np.float32)
    assert same_bits(a, b)
    assert not same_bits(a, np.float32([np.nan, 0.0]))
    assert not same_bits(a, a.astype(np.float64))
