"""Noise: hashes as written down in NumPy, stated ranges, smoothness, statistics, and the same pictures every time."""

from __future__ import annotations

import numpy as np
import pytest

import pellucid as pl
from pellucid import images as im
from pellucid.base.errors import VocabularyError
from pellucid.images import hashing
from pellucid.ir import expr as E
from pellucid.ir import types as T
from pellucid.ir.interp import evaluate
from pellucid.tracing import Point, Value

LATTICE_NOISES = ["value_noise", "perlin_noise", "simplex_noise"]
NOISES = [(name, z) for name in LATTICE_NOISES for z in (None, 0.37)]


def make(name: str, z: float | None, seed: int = 0) -> im.Image:
    return getattr(im, name)(seed, z)


def scattered(count: int, seed: int = 0, size: float = 500.0) -> tuple[np.ndarray, np.ndarray]:
    draw = np.random.default_rng(seed)
    return draw.uniform(-size, size, count), draw.uniform(-size, size, count)


# ---- hashes ----


def mixed(h: np.ndarray) -> np.ndarray:
    h = h.astype(np.uint32)
    with np.errstate(over="ignore"):
        h = (h ^ (h >> np.uint32(16))) * np.uint32(0x7FEB352D)
        h = (h ^ (h >> np.uint32(15))) * np.uint32(0x846CA68B)
    return h ^ (h >> np.uint32(16))


def test_symbolic_hashes_and_static_ones_are_the_same():
    x = E.param("x", T.u32)
    words = np.random.default_rng(0).integers(0, 1 << 32, 1000).astype(np.uint32)
    symbolic = evaluate([hashing.mixed(Value(x)).expr], {x: words})[0]
    assert np.array_equal(symbolic, [hashing.mixed(int(w)) for w in words])
    assert np.array_equal(symbolic, mixed(words))


def test_every_bit_changes_half_of_the_bits():
    words = np.random.default_rng(1).integers(0, 1 << 32, 4000).astype(np.uint32)
    before = mixed(words)
    for bit in range(32):
        changed = before ^ mixed(words ^ np.uint32(1 << bit))
        flips = np.unpackbits(changed.view(np.uint8)).reshape(-1, 32).mean(axis=0)
        assert 0.4 < flips.min() < flips.max() < 0.6


def test_mixing_loses_nothing():
    some = mixed(np.arange(1 << 20, dtype=np.uint32))
    assert len(np.unique(some)) == 1 << 20


def test_points_of_a_lattice_have_hashes_of_their_own():
    i, j = E.param("i", T.i32), E.param("j", T.i32)
    h = hashing.Lattice(Value(i), Value(j), hashing.layer(3))(0, 0).expr
    x, y = np.meshgrid(np.arange(-600, 600), np.arange(-400, 400))
    found = evaluate([h], {i: x, j: y})[0].ravel()
    # Words drawn at random would meet about 100 times.
    assert found.size - len(np.unique(found)) == 0
    counts, _ = np.histogram(found, bins=256, range=(0, 1 << 32))
    expected = found.size / 256
    assert ((counts - expected) ** 2 / expected).sum() < 340  # chi square of 255 freedoms: 1 in 4000 above
    right = evaluate([h], {i: x + 1, j: y})[0].ravel()
    assert abs(np.corrcoef(found / 2**32, right / 2**32)[0, 1]) < 0.005


def test_a_step_in_the_lattice_is_the_neighbor():
    for layer in (hashing.layer(5), hashing.layer(5, Value(E.const(7, T.i32)))):
        made = hashing.Lattice(-3, 12, layer)
        for right, up in ((1, 0), (-2, 1), (0, -1)):
            there = hashing.Lattice(-3 + right, 12 + up, layer)(0, 0)
            assert evaluate([made(right, up).expr], {}) == evaluate([there.expr], {})


def test_layers_of_symbolic_and_static_heights_are_the_same():
    k = E.param("k", T.f32)
    symbolic = evaluate([hashing.layer(9, Value(k)).expr], {k: np.float32([-2, 0, 5])})[0]
    assert symbolic.tolist() == [hashing.layer(9, z) for z in (-2, 0, 5)]


def test_directions_go_everywhere():
    h = E.param("h", T.u32)
    x, y = hashing.direction_of(Value(h))
    words = np.arange(0, 1 << 32, 1 << 14, dtype=np.uint64).astype(np.uint32)
    dx, dy = evaluate([x.expr, y.expr], {h: words})
    length = np.hypot(dx, dy)
    assert length.min() >= 1 - 1e-6
    assert length.max() <= 1.0608
    turns, _ = np.histogram(np.arctan2(dy, dx), bins=16)
    assert turns.min() > 0.85 * turns.mean()
    assert abs(dx.mean()) < 1e-3
    assert abs(dy.mean()) < 1e-3


def test_edges_of_the_cube_are_twelve():
    h, axes = E.param("h", T.u32), np.eye(3)
    words = np.random.default_rng(0).integers(0, 1 << 32, 12_000).astype(np.uint32)
    parts = [
        evaluate(
            [hashing.edge_product(Value(h), *(Value(E.const(c, T.f32)) for c in axis)).expr], {h: words}
        )[0]
        for axis in axes
    ]
    edges, counts = np.unique(np.stack(parts, -1), axis=0, return_counts=True)
    assert len(edges) == 12
    assert (np.abs(edges).sum(axis=1) == 2).all()
    assert counts.min() > 850


# ---- fields ----


@pytest.mark.parametrize(("name", "z"), NOISES)
def test_range_and_statistics(name: str, z: float | None):
    values = make(name, z).at(*scattered(60_000))
    assert -1 <= values.min() < -0.6
    assert 0.6 < values.max() <= 1
    assert abs(values.mean()) < 0.02
    assert 0.2 < values.std() < 0.6


@pytest.mark.parametrize(("name", "z"), NOISES)
def test_the_range_is_kept_where_all_slopes_agree(name: str, z: float | None):
    # Among many cells there are some where nearly all corners pull the same way.
    i = np.arange(300) - 150.0
    worst = max(abs(make(name, z, seed).at(i[:, None] + 0.5, i + 0.5)).max() for seed in range(3))
    assert 0.7 < worst <= 1


@pytest.mark.parametrize(("name", "z"), NOISES)
def test_smooth(name: str, z: float | None):
    noise = make(name, z)
    x, y = scattered(4000, 3, 20)
    step = 1e-4
    # Lines through cells and exactly along and across their borders.
    for px, py in ((x, y), (np.rint(x), y), (x, np.rint(y)), (np.rint(x), np.rint(y))):
        for dx, dy in ((step, 0), (0, step), (step, step)):
            here, there = (noise.at(px + s * dx, py + s * dy, precision="f64") for s in (-1, 1))
            middle = noise.at(px, py, precision="f64")
            assert np.abs(there - here).max() < 2 * step * 12
            # No kink: the second difference is of the order of the step squared.
            assert np.abs(there - 2 * middle + here).max() < step**2 * 200


@pytest.mark.parametrize("name", LATTICE_NOISES)
def test_smooth_along_the_third_axis(name: str):
    x, y = scattered(500, 4, 20)
    step = 1e-4
    for z in (0.3, 1.0, -2.0, 7.5):
        here, middle, there = (make(name, z + s * step).at(x, y, precision="f64") for s in (-1, 0, 1))
        assert 0 < np.abs(there - here).max() < 2 * step * 12
        assert np.abs(there - 2 * middle + here).max() < step**2 * 200


@pytest.mark.parametrize("name", LATTICE_NOISES)
def test_seeds_and_distant_layers_are_unrelated(name: str):
    x, y = scattered(20_000, 5)
    fields = [make(name, None, s).at(x, y) for s in (0, 1, 2, -1)]
    fields += [make(name, z, 0).at(x, y) for z in (2.5, 7.25, 100.5)]
    related = np.corrcoef(fields) - np.eye(len(fields))
    assert np.abs(related).max() < 0.03


@pytest.mark.parametrize(("name", "z"), NOISES)
def test_places_far_apart_are_unrelated(name: str, z: float | None):
    noise = make(name, z)
    x, y = scattered(20_000, 6)
    here = noise.at(x, y)
    for dx, dy in ((7, 0), (0, 7), (256, 0), (256, 256), (-13, 8)):
        assert abs(np.corrcoef(here, noise.at(x + dx, y + dy))[0, 1]) < 0.03


@pytest.mark.parametrize(("name", "z"), NOISES)
def test_anywhere(name: str, z: float | None):
    far = np.array([0.0, -0.0, 1e-30, -1e-30, 2.0**20 + 0.5, -(2.0**20), 1e9, -1e9])
    assert np.isfinite(make(name, z).at(far[:, None], far)).all()


@pytest.mark.parametrize("name", LATTICE_NOISES)
def test_no_grain_along_the_axes(name: str):
    noise = make(name, None)
    x, y = scattered(40_000, 8)
    step = 0.25
    spread = [
        (noise.at(x + step * np.cos(a), y + step * np.sin(a)) - noise.at(x, y)).std()
        for a in np.linspace(0, np.pi, 8, endpoint=False)
    ]
    assert max(spread) / min(spread) < 1.25


def reference_value_noise(x: np.ndarray, y: np.ndarray, seed: int) -> np.ndarray:
    """The definition in plain NumPy."""
    start = mixed(np.array([seed + 0x2545F491]))
    layer = mixed(start)[0]

    def at(i: np.ndarray, j: np.ndarray) -> np.ndarray:
        words = (i * 0x1B2BA2D9 + j * 0x4229F603 + int(layer)) & 0xFFFFFFFF
        return (mixed(words) >> np.uint32(8)) / 2**24

    i, j = np.floor(x).astype(np.int64), np.floor(y).astype(np.int64)
    fx, fy = x - i, y - j
    s, t = (f**3 * (6 * f**2 - 15 * f + 10) for f in (fx, fy))
    low = at(i, j) * (1 - s) + at(i + 1, j) * s
    high = at(i, j + 1) * (1 - s) + at(i + 1, j + 1) * s
    return 2 * (low * (1 - t) + high * t) - 1


@pytest.mark.parametrize("seed", [0, 1, 77])
def test_value_noise_by_its_definition(seed: int):
    x, y = scattered(3000, seed, 100)
    got = im.value_noise(seed).at(x, y, precision="f64")
    assert np.allclose(got, reference_value_noise(x, y, seed), atol=1e-9)


def test_the_same_pictures_every_time():
    # Written down once: a change in them changes the pictures of everyone.
    at = ([0.3, 12.7, -5.25], [4.1, -0.6, 100.125])
    drawn = {
        "value": im.value_noise().at(*at),
        "perlin": im.perlin_noise().at(*at),
        "perlin in space": im.perlin_noise(4, 1.5).at(*at),
        "simplex": im.simplex_noise().at(*at),
        "simplex in space": im.simplex_noise(4, 1.5).at(*at),
        "nearest": im.cellular().at(*at),
        "cell": im.cellular("cell").at(*at),
        "fbm": im.fbm(im.perlin_noise()).at(*at),
    }
    for name, values in drawn.items():
        assert np.allclose(values, GOLDEN[name], atol=2e-6), (name, values.tolist())


GOLDEN: dict[str, list[float]] = {
    "value": [-0.306656, 0.36581, -0.508736],
    "perlin": [0.097223, 0.208313, 0.206473],
    "perlin in space": [0.468912, -0.482972, -0.04149],
    "simplex": [0.854359, 0.905562, -0.451435],
    "simplex in space": [0.36232, 0.315636, -0.093425],
    "nearest": [0.270869, 0.412715, 0.11319],
    "cell": [0.261627, 0.972725, 0.832783],
    "fbm": [-0.052099, 0.031616, -0.003214],
}


# ---- cells ----


def points_of_cells(seed: int, jitter: float, size: int) -> np.ndarray:
    cells = np.mgrid[-size:size, -size:size].reshape(2, -1)
    start = mixed(np.array([seed + 0x2545F491]))
    words = (
        cells[0].astype(np.int64) * 0x1B2BA2D9 + cells[1].astype(np.int64) * 0x4229F603 + int(mixed(start)[0])
    )
    h = mixed(words & 0xFFFFFFFF)
    stray = np.stack([h & np.uint32(0xFFFF), h >> np.uint32(16)]) / 65536
    return (cells + 0.5 + jitter * (stray - 0.5)).T


@pytest.mark.parametrize("jitter", [0.0, 0.5, 1.0])
def test_cells_against_all_points(jitter: float):
    points = points_of_cells(2, jitter, 12)
    x, y = scattered(1500, 1, 6)
    distances = np.sort(np.hypot(x[:, None] - points[:, 0], y[:, None] - points[:, 1]), axis=1)
    nearest, second = distances[:, 0], np.minimum(distances[:, 1], 1.5)
    for feature, want in (("nearest", nearest), ("second", second), ("edge", second - nearest)):
        got = im.cellular(feature, jitter, 2).at(x, y, precision="f64")
        assert np.allclose(got, want, atol=1e-9)


def test_ranges_of_cells():
    x, y = scattered(50_000, 2)
    for feature, high in (("nearest", 2**0.5), ("second", 1.5), ("edge", 1.5), ("cell", 1.0)):
        values = im.cellular(feature).at(x, y)
        assert 0 <= values.min() < 0.2
        assert 0.5 * high < values.max() <= high + 1e-6


def test_each_cell_has_one_number():
    x, y = scattered(4000, 9, 4)
    points = points_of_cells(0, 1.0, 8)
    owner = np.hypot(x[:, None] - points[:, 0], y[:, None] - points[:, 1]).argmin(axis=1)
    values = im.cellular("cell").at(x, y, precision="f64")
    for cell in np.unique(owner):
        assert len(np.unique(values[owner == cell])) == 1
    assert len(np.unique(values)) == len(np.unique(owner))


def test_cells_are_continuous():
    x, y = scattered(5000, 3, 10)
    for px, py in ((x, y), (np.rint(x * 2) / 2, y), (x, np.rint(y * 2) / 2)):
        for feature in ("nearest", "second", "edge"):
            field = im.cellular(feature)
            near, far = (field.at(px + d, py + d, precision="f64") for d in (-1e-5, 1e-5))
            assert np.abs(near - far).max() < 1e-4


# ---- tiles without a seam ----


@pytest.mark.parametrize("z", [None, 0.37])
@pytest.mark.parametrize("period", [(1, 1), (3, 5), (4, 8), (4096, 4096)])
def test_a_periodic_noise_repeats_bit_for_bit(period: tuple[int, int], z: float | None):
    noise = im.periodic_noise(period, 5, seed=3, z=z)
    x, y = (np.rint(c * 64) / 64 for c in scattered(2000, 1, 20))
    here = noise.at(x, y)
    assert here.std() > 0.02
    for columns, rows in ((1, 0), (0, 1), (-3, 2)):
        assert np.array_equal(here, noise.at(x + columns * period[0], y + rows * period[1]))


def test_a_periodic_noise_repeats_no_sooner():
    noise = im.periodic_noise((6, 10), 3)
    x, y = scattered(4000, 2, 20)
    for dx, dy in ((1, 0), (2, 0), (3, 0), (0, 2), (0, 5), (3, 5)):
        assert np.abs(noise.at(x, y) - noise.at(x + dx, y + dy)).max() > 0.1


@pytest.mark.parametrize("z", [None, 0.37])
def test_within_its_first_period_it_is_the_noise(z: float | None):
    x, y = (np.abs(c) + 1.0 for c in scattered(3000, 4))
    assert np.array_equal(
        im.periodic_noise((1024, 2048), seed=7, z=z).at(x, y), im.perlin_noise(7, z).at(x, y)
    )


def test_the_edges_of_a_drawn_tile_meet():
    tile = im.periodic_noise((4, 2), 6) * 0.5 + 0.5
    twice = pl.render(tile, (256, 128), zoom=32.0)
    assert np.array_equal(twice[:64, :128], twice[64:, 128:])
    levels = twice[:64, :128, 0].astype(int)
    inside, across = np.abs(np.diff(levels, axis=1)), np.abs(levels[:, 0] - levels[:, -1])
    assert across.max() <= inside.max()


def test_ranges_of_periodic_noise():
    x, y = scattered(20_000, 1, 50)
    for octaves in (1, 4, 12):
        values = im.periodic_noise((64, 64), octaves).at(x, y)
        assert -1 <= values.min() < -0.3
        assert 0.3 < values.max() <= 1


def test_a_period_is_two_whole_numbers():
    for wrong, told in (
        ((1.5, 2), "1.5; give a pair of whole"),
        ((0, 1), "0; give"),
        ((1, 5000), "5000; give"),
    ):
        with pytest.raises(VocabularyError, match=f"period is {told}"):
            im.periodic_noise(wrong)
    with pytest.raises(VocabularyError, match="period is not known in advance"):
        im.image(lambda p: im.periodic_noise((p.x, 2))(p)).at(0, 0)
    with pytest.raises(VocabularyError, match="period is 4, not a point; give a pair"):
        im.periodic_noise(4)


# ---- many scales ----


def test_octaves_by_their_definition():
    c, s = np.cos(0.65), np.sin(0.65)
    field = im.Image(lambda p: p.x * 0.01 + p.y * 0.002)
    x, y = 3.0, -2.0
    shapes = {"fbm": lambda v: v, "turbulence": abs, "ridged": lambda v: (1 - abs(v)) ** 2}
    for name, shape in shapes.items():
        total, weight, px, py = 0.0, 1.0, x, y
        for _ in range(4):
            total += weight * shape(px * 0.01 + py * 0.002)
            weight *= 0.6
            px, py = px * 1.9, py * 1.9
            px, py = px * c - py * s + 17.3, px * s + py * c - 8.9
        want = total / sum(0.6**k for k in range(4))
        assert getattr(im, name)(field, 4, 0.6, 1.9).at(x, y, precision="f64") == pytest.approx(want)


@pytest.mark.parametrize("octaves", [1, 3, 8])
def test_ranges_of_many_scales(octaves: int):
    x, y = scattered(20_000, 1, 50)
    for noise in (im.value_noise(), im.perlin_noise(), im.simplex_noise()):
        assert np.abs(noise.fbm(octaves).at(x, y)).max() <= 1
        for made in (noise.turbulence(octaves), noise.ridged(octaves)):
            values = made.at(x, y)
            assert 0 <= values.min() < values.max() <= 1


def test_more_octaves_add_detail_only():
    x, y = scattered(5000, 1, 50)
    coarse, fine = (im.perlin_noise().fbm(n).at(x, y) for n in (4, 5))
    assert 0 < np.abs(coarse - fine).std() < 0.05
    assert np.corrcoef(coarse, fine)[0, 1] > 0.95


def test_one_octave_is_the_noise():
    x, y = scattered(100)
    assert np.array_equal(im.perlin_noise().fbm(1).at(x, y), im.perlin_noise().at(x, y))


def test_time_as_the_third_coordinate():
    boiling = im.perlin_noise(z=im.seconds)
    assert boiling.time_varying
    x, y = scattered(50)
    still = im.perlin_noise(z=1.25).at(x, y)
    assert np.allclose(boiling.at(x, y, 1.25), still, atol=1e-6)


def test_octaves_out_of_range_are_refused():
    for wrong in ({"octaves": 0}, {"octaves": 17}, {"gain": 1.5}, {"lacunarity": 0.5}):
        with pytest.raises(VocabularyError, match=next(iter(wrong))):
            im.fbm(im.perlin_noise(), **wrong)
    with pytest.raises(VocabularyError, match="jitter"):
        im.cellular("edge", 1.5)
    with pytest.raises(VocabularyError, match="feature"):
        im.cellular("nearst")


def test_no_tables():
    p = Point(Value(E.param("x", T.f32)), Value(E.param("y", T.f32)))
    for name, z in NOISES:
        nodes = E.topological([make(name, z)(p).expr])
        assert not any(n.op == "load" for n in nodes)
        assert len(nodes) < 400


def test_a_noise_in_space_costs_its_layers_once_per_frame():
    x, y, t = (E.param(n, T.f32) for n in ("x", "y", "t"))
    field = im.perlin_noise(z=im.seconds).sample(Value(t), Point(Value(x), Value(y)))
    multiplied = [n for n in E.topological([field.expr]) if n.op == "mul" and n.type is T.u32]
    varying = [n for n in multiplied if {x, y} & set(E.topological([n]))]
    # Two for the place in the lattice, and two for each of eight corners.
    assert len(varying) == 2 + 16
