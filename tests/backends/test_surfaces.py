"""Smooth pictures with many samples: bit for bit the means of all of them, of which few are computed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.table.surfaces import EXACT, Near, near, products
from tests.turns import NIGHTLY

import pellucid as pl
from pellucid.backends.tiles.supersample import bounds
from pellucid.backends.tiles.supersample.resolve import SumStep
from pellucid.backends.tiles.taylor.models import LINEAR, PLACES, Enclosure, TaylorModel
from pellucid.driver.frame import FrameVariant
from pellucid.ir import types as T
from pellucid.ir.expr import param
from pellucid.ir.interp import evaluate
from pellucid.ir.intervals.interval import Interval
from pellucid.ir.intervals.notation import Term

SMOOTH = FrameVariant("straight", True)


def waves(p: Any) -> tuple[Any, Any, Any, Any]:
    """Of all rows that a picture of curves is made of, some."""
    r = pl.sqrt(p.x * p.x + p.y * p.y + 0.1)
    a = pl.atan2(p.y, p.x + 3.0)
    red = 0.5 + 0.4 * pl.sin(3.0 * r)
    green = pl.exp(-r) * pl.cos(a)
    blue = pl.clamp(pl.log(r + 1.0), 0.0, 1.0)
    return red, pl.abs(green), blue, 1.0


@pytest.mark.parametrize("precision", ["f32", "f64"])
@pytest.mark.parametrize(("samples", "fewer"), [(2, 1), (3, 3), (4, 5), (16, 15)])
def test_a_picture_of_curves_costs_few_samples(precision, samples, fewer):
    tiles, llvm = (pl.compile(pl.image(waves), backend=b, precision=precision) for b in ("tiles", "llvm"))
    view = {"zoom": 60.0, "center": (0.3, 0.2), "samples": samples}
    size = (323, 197) if samples < 16 else (163, 97)
    tiles.render((1, 1), **view)
    before = tiles.code(SMOOTH).counts.samples
    assert np.array_equal(tiles.render(size, **view), llvm.render(size, **view))
    spent = tiles.code(SMOOTH).counts.samples - before
    assert spent <= size[0] * size[1] * samples**2 / fewer


def test_a_tolerance_is_kept_by_surfaces():
    kernel = pl.compile(pl.image(waves), backend="tiles")
    view = {"zoom": 20.0, "samples": 4}
    kernel.render((1, 1), **view)
    spent = [kernel.code(SMOOTH).counts.samples]
    frames = []
    for tolerance in (0.0, 1 / 255):
        frames.append(kernel.render((200, 120), tolerance=tolerance, **view))
        spent.append(kernel.code(SMOOTH).counts.samples)
    assert np.abs(frames[0].astype(int) - frames[1]).max() <= 1
    assert spent[2] - spent[1] < (spent[1] - spent[0]) / 2


# ---- random pictures ----


def grown(draw: np.random.Generator, leaves: list[Any], steps: int) -> list[Any]:
    """Values made of others, most of them smooth, none of which grows without bounds."""
    values = list(leaves)

    def pick() -> Any:
        return values[int(draw.integers(0, len(values)))]

    def number(low: float = -2.0, high: float = 2.0) -> float:
        return float(np.round(draw.uniform(low, high), 2))

    choices: list[Callable[[], Any]] = [
        lambda: pick() + pick() * number(),
        lambda: pick() * pick() * 0.5,
        lambda: pick() - number() * pick(),
        lambda: pl.sin(pick() * number(-6, 6) + number()),
        lambda: pl.cos(pick() * number(-6, 6)),
        lambda: pl.exp(pl.min(pick(), 2.0) * number(-1, 1)),
        lambda: pl.log(pl.abs(pick()) + number(0.05, 2)),
        lambda: pl.sqrt(pl.abs(pick()) + number(0.01, 1)),
        lambda: pl.atan2(pick(), pick() + number()),
        lambda: pick() / (pl.abs(pick()) + number(0.1, 2)),
        lambda: pl.max(pick(), pick()),
        lambda: pl.min(pick(), pick() + number()),
        lambda: pl.abs(pick() + number()),
        lambda: pl.where(pick() < pick(), pick(), pick()),
        lambda: pick() * 2.0 - pl.floor(pick() * 2.0),
        lambda: (pl.abs(pick()) + number(0.01, 1)) ** number(0.3, 3.0),
        lambda: pl.clamp(pick(), 0.0, 1.0),
    ]
    for _ in range(steps):
        made = choices[int(draw.integers(0, len(choices)))]()
        values.append(made)
    return values


def random_picture(seed: int) -> Any:
    """A picture of four channels, sometimes with alpha."""

    def sample(p: Any) -> tuple[Any, Any, Any, Any]:
        draw = np.random.default_rng(seed)
        values = grown(draw, [p.x, p.y], int(draw.integers(3, 25)))
        alpha = pl.clamp(values[-4], 0.0, 1.0) if len(values) > 8 and seed % 3 == 0 else 1.0
        return values[-1], values[-2] * alpha, values[-3], alpha

    return pl.image(sample)


@pytest.mark.parametrize("part", range(4))
def test_random_pictures_are_the_means_of_all_samples(part):
    # In the last one, all channels of a tile are uniform but for their sums.
    for seed in [*range(250 if NIGHTLY else 2), 214]:
        number = 1000 * part + seed
        options = {"precision": ("f32", "f64")[seed % 2], "numerics": ("exact", "relaxed")[part % 2]}
        tiles, llvm = (pl.compile(random_picture(number), backend=b, **options) for b in ("tiles", "llvm"))
        for samples in (3, 4, 8):
            view = {"zoom": (9.0, 31.0, 90.0)[number % 3], "center": (0.21, -0.4), "samples": samples}
            assert np.array_equal(tiles.render((53, 38), **view), llvm.render((53, 38), **view)), number


# ---- sums ----

UPDATES = [
    (SumStep("add", (0,)),),
    (SumStep("sub", (0,)),),
    (SumStep("fma", (0, 1)),),
    (SumStep("add", (0,)), SumStep("sub", (1,))),
    (SumStep("fma", (0, 1)), SumStep("add", (1,))),
]


def form(k: int, t: T.Type) -> tuple[Enclosure, list[Any]]:
    """A form of params, and these."""
    own = [param(f"part{k}_{n}", t) for n in range(4 + PLACES)]
    lo, hi, middle, *rest = map(Term, own)
    return Enclosure(Interval(lo, hi), TaylorModel(middle, tuple(rest[:-1]), rest[-1])), own


def sums_outside(
    endpoints: Callable[..., Any],
    update: tuple[SumStep, ...],
    side: int,
    t: T.Type,
    draw: np.random.Generator,
) -> int:
    """The number of sums of samples, added up as frames do it, that are outside of their endpoints."""
    count = 500
    from_middle = np.array([(2 * n - (side - 1)) / max(side - 1, 1) for n in range(side)])
    x, y, z = 0.25, -0.5, 0.0625 * float(np.mean(from_middle**2))
    given: list[Near] = [near(t, count, draw) for _ in range(2)]
    forms = [form(k, t) for k in range(2)]
    leaves = {
        leaf: v.astype(t.dtype)
        for (_, own), one in zip(forms, given, strict=True)
        for leaf, v in zip(own, one.leaves(), strict=True)
    }
    places = [param(n, t) for n in ("x", "y", "z", "count")]
    leaves |= {p: np.array(v, t.dtype) for p, v in zip(places, (x, y, z, side * side), strict=True)}
    found = endpoints(update, [f for f, _ in forms], [Term(p) for p in places[:3]], Term(places[3]))
    low, high = (np.broadcast_to(e, count).astype(EXACT) for e in evaluate([e.expr for e in found], leaves))
    total = np.zeros(count, t.dtype)
    inside = np.ones(count, bool)
    for row in range(side):
        for column in range(side):
            u, v = from_middle[[column, row]]
            spot = np.array([x + 0.25 * u, y + 0.25 * v, u, v], EXACT)[:, None] * np.ones((LINEAR, count))
            values = []
            for one in given:
                assert one.middle is not None
                assert one.factors is not None
                assert one.error is not None
                there = one.middle + (one.factors.astype(EXACT) * products(spot)).sum(0)
                # Always to one side: errors that cancel out show nothing.
                value = (there + one.error.astype(EXACT) * (1 - 1e-6)).astype(t.dtype)
                inside &= (np.abs(value - there) <= one.error) & (value >= one.lo) & (value <= one.hi)
                values.append(value)
            for step in update:
                terms = [values[k] for k in step.values]
                if step.op == "fma":
                    total = (terms[0].astype(EXACT) * terms[1] + total).astype(t.dtype)
                else:
                    total = total + terms[0] if step.op == "add" else total - terms[0]
    return int((inside & np.isfinite(low) & ~((total >= low) & (total <= high))).sum())


@pytest.mark.parametrize("side", [1, 2, 5, 16])
@pytest.mark.parametrize("update", UPDATES)
def test_sums_of_samples_are_between_their_endpoints(update, side):
    for seed in range(20 if NIGHTLY else 2):
        assert sums_outside(bounds.sum_endpoints, update, side, T.f32, np.random.default_rng(seed)) == 0


def _changed(change: Callable[[Enclosure], Enclosure]) -> Callable[..., Any]:
    def endpoints(update: Any, values: list[Enclosure], place: Any, count: Any) -> Any:
        return bounds.sum_endpoints(update, [change(v) for v in values], place, count)

    return endpoints


def _without_spread(update: Any, values: list[Enclosure], place: list[Term], count: Term) -> Any:
    return bounds.sum_endpoints(update, values, [*place[:2], count.lift(0.0)], count)


def _sure(v: Enclosure) -> Enclosure:
    return v._replace(model=v.model._replace(error=v.middle.lift(0.0)))


WRONG = {"the spread of samples": _without_spread, "errors": _changed(_sure)}


@pytest.mark.parametrize("mistake", WRONG)
def test_a_sum_that_forgets_something_is_seen(mistake):
    draw = np.random.default_rng(1)
    assert any(sums_outside(WRONG[mistake], UPDATES[0], 5, T.f32, draw) for _ in range(5))


def test_a_sum_that_forgets_rounding_is_seen(monkeypatch):
    draw = np.random.default_rng(1)
    monkeypatch.setattr(bounds, "ROUNDING", {T.f32: 0.0, T.f64: 0.0})
    monkeypatch.setattr(bounds, "off", lambda exact, _size, _roundings: exact)
    assert any(sums_outside(bounds.sum_endpoints, UPDATES[0], 16, T.f32, draw) for _ in range(5))
