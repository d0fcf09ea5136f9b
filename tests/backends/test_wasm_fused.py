"""Fused operations in WebAssembly: rounded once, as the CPU rounds them, up to the ends of the numbers."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.turns import NIGHTLY
from tests.webassembly import called

from pellucid.backends.llvm import LlvmBackend
from pellucid.backends.llvm.function import Function
from pellucid.backends.port import layout
from pellucid.backends.wasm import ENTRY, compiled, completed, machine, written
from pellucid.ir import expr as E
from pellucid.ir import nest as N
from pellucid.ir.nest import Kernel
from pellucid.ir.parse import parse_nest

FUSED = """
kernel fused():
  output out: {type}[{count}]
  input x: {type}[{count}]
  input y: {type}[{count}]
  input z: {type}[{count}]
  for i in 0 .. {count}{how}:
    out[i] := fma(x[i], y[i], z[i])
"""
KINDS = {"f32": (np.float32, np.uint32), "f64": (np.float64, np.uint64)}


def with_data(kernel: Kernel, data: dict[str, np.ndarray]) -> Kernel:
    """The kernel with data for its inputs."""

    def loaded(roots: list[E.Expr]) -> tuple[E.Expr, ...]:
        done: dict[E.Expr, E.Expr] = {}
        for n in E.topological(roots):
            args = tuple(done[a] for a in n.args)
            if n.op == "load":
                buffer = E.Buffer(n.attr.name, n.attr.type, n.attr.size, data[n.attr.name])
                done[n] = E.load(bound.setdefault(n.attr.name, buffer), *args)
            else:
                done[n] = E.rebuild(n, args)
        return tuple(done[r] for r in roots)

    bound: dict[str, E.Buffer] = {}
    return Kernel(kernel.name, kernel.params, kernel.outputs, N.rewrite(kernel.body, loaded))


def differing(type_: str, how: str, x: np.ndarray, y: np.ndarray, z: np.ndarray) -> int:
    """How many fused operations have other bits than the CPU's; one NaN is like another.

    Not few of them must be other than a product and a sum.
    """
    real, word = KINDS[type_]
    text = FUSED.format(type=type_, count=len(x), how=how)
    kernel = with_data(parse_nest(text), {"x": x, "y": y, "z": z})
    plan = layout(kernel, {})
    text = Function(plan, plan.phases[0], {}, machine(), ENTRY).text()
    sections, places = completed(compiled(text, exact=True), plan, ENTRY)
    found = called(written(sections, b""), places, len(x), real)
    memory = {kernel.outputs[0]: np.zeros(len(x), real)}
    LlvmBackend().compile(kernel, {}).run({}, memory)
    (right,) = memory.values()
    with np.errstate(all="ignore"):
        twice = x * y + z
    numbers = ~np.isnan(right)
    assert (twice != right)[numbers].sum() > len(x) // 200
    alike = np.where(numbers, found.view(word) == right.view(word), np.isnan(found))
    return int((~alike).sum())


def hard_numbers() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Operands in f32 of all sizes and signs, with sums that nearly cancel and ties in the last digit."""
    draw = np.random.default_rng(7)
    x, y, z = draw.integers(0, 1 << 32, (3, 4096), dtype=np.uint32).view(np.float32)
    # Products near to z, and halves of its last digit.
    x[:1024], y[:1024] = draw.uniform(1, 2, (2, 1024))
    z[:1024] = -(x[:1024] * y[:1024]) * draw.choice([1, 1 + 2**-23, 2**24, 2**-24, 2**25], 1024)
    x[1024:1536] = draw.integers(1, 1 << 12, 512)
    y[1024:1536] = np.float32(0.5) ** draw.integers(0, 30, 512)
    z[1024:1536] = draw.integers(1, 1 << 24, 512)
    x[1536:1544] = [np.inf, -np.inf, 0, -0.0, 1e-45, 3e38, -3e38, 0]
    return x, y, z


@pytest.mark.parametrize("how", ["", " by 4 lanes", " by 16 lanes"])
def test_a_fused_operation_is_rounded_once(how):
    assert differing("f32", how, *hard_numbers()) == 0


def digits(draw: np.random.Generator, count: int) -> np.ndarray:
    """Digits after the first of f64: random, few, or all set but for a few."""
    found = draw.integers(0, 1 << 52, count, dtype=np.uint64)
    places = draw.integers(0, 53, count).astype(np.uint64)
    found = np.where(draw.random(count) < 0.5, found >> places << places, found)
    full = np.uint64((1 << 52) - 1) ^ (np.uint64(1) << places >> np.uint64(1))
    return np.where(draw.random(count) < 0.1, full, found)


def numbers_of(draw: np.random.Generator, exponents: np.ndarray) -> np.ndarray:
    """Numbers of f64 with exponents as they stand in their bits, which are brought to the ends if they lie beyond."""
    signs = draw.integers(0, 2, len(exponents), dtype=np.uint64) << np.uint64(63)
    placed = np.clip(exponents, 0, 2046).astype(np.uint64) << np.uint64(52)
    return (digits(draw, len(exponents)) | placed | signs).view(np.float64)


def hard_numbers_of_f64(seed: int, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Operands of which a quarter is any bits; of the rest, products are as large as z, often near the ends."""
    draw = np.random.default_rng(seed)
    first = draw.integers(0, 2047, count)
    ends = [0, 0, -1074, -1022, 1023, -960, -1100, -1050, 1000]
    total = draw.choice(ends, count) + draw.integers(-60, 60, count)
    x, y = numbers_of(draw, first), numbers_of(draw, total + 2046 - first)
    z = numbers_of(draw, total + 1023 + draw.integers(-115, 115, count))
    quarter = count // 4
    x[:quarter], y[:quarter], z[:quarter] = draw.integers(0, 1 << 64, (3, quarter), dtype=np.uint64).view(
        np.float64
    )
    with np.errstate(all="ignore"):
        near = slice(quarter, 2 * quarter)
        z[near] = -(x[near] * y[near]) * draw.choice([1, 1 + 2**-52, 1 - 2**-53, 2**53, 2**-53], quarter)
    return x, y, z


@settings(max_examples=50 if NIGHTLY else 2, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from(["", " by 2 lanes", " by 4 lanes"]))
def test_a_fused_operation_of_f64_is_rounded_once(seed, how):
    assert differing("f64", how, *hard_numbers_of_f64(seed, 1 << 14)) == 0


LEAST, NORMAL = 2.0**-1074, 2.0**-1022
EDGES = [
    0.0, LEAST, 3 * LEAST, NORMAL / 2, NORMAL - LEAST, NORMAL, NORMAL + LEAST, 2 * NORMAL, 2.0**-969, 2.0**-538,
    2.0**-537, 2.0**-511, 2.0**-54, 2.0**-53, 0.5, 1 - 2.0**-53, 1.0, 1 + 2.0**-52, 1.5, 3.0, 2.0**53 - 1, 2.0**53,
    2.0**512, 2.0**512 * (1 - 2.0**-53), 2.0**970, 2.0**999, 2.0**1000, 2.0**1001, 2.0**1023,
    float(np.finfo(np.float64).max), np.inf, np.nan,
]  # fmt: skip


def test_a_fused_operation_of_f64_is_rounded_once_at_the_ends():
    edges = [*EDGES, *(-e for e in EDGES)]
    triples = itertools.product(edges if NIGHTLY else edges[::2], edges, edges)
    x, y, z = np.array(list(triples)).T.copy()
    assert (
        differing("f64", " by 4 lanes", x[: len(x) // 4 * 4], y[: len(x) // 4 * 4], z[: len(x) // 4 * 4]) == 0
    )
