"""A sine and its cosine are made at once, and each has the bits that it has alone."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

import pellucid as pl
from pellucid import images as im
from pellucid.backends.tiles.machine.running import kernels
from pellucid.backends.tiles.sizes import LANES, VECTORS
from pellucid.backends.tiles.tape.key import VARIANTS, Key
from pellucid.driver.frame import FrameVariant
from pellucid.ir import types as T

CALL = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4, ctypes.c_int64)


@pl.image
def turned(p):
    """Both of a value that varies, and both of lines."""
    a = p.x * p.y + pl.sqrt(p.x * p.x + 1.0)
    return im.Color(pl.sin(a) * pl.cos(a), pl.cos(p.x) + pl.sin(p.x), pl.sin(p.y) * pl.cos(p.y) + 0.5, 1.0)


@pl.image
def crossed(p):
    """Pairs whose parts are far apart, and cross; of one there are two users."""
    a, b = p.x * p.y, p.x + p.y * p.y
    one, two = pl.cos(a), pl.cos(b)
    three, four = pl.sin(b) * one, pl.sin(a) * two
    return im.Color(three * 0.5 + 0.5, four * one, pl.sin(a) + pl.sin(b), 1.0)


@pl.image
def chosen(p):
    """Here one is wanted, there the other; and a region in which the angle is one value."""
    a = pl.where(p.x < 0.5, pl.floor(p.y), p.y * p.x)
    both = pl.sin(a) * 0.5 + pl.cos(a)
    return im.Color(pl.where(p.y < 0.2, pl.sin(a), pl.cos(a)), pl.where(p.x > 1.0, both, 0.25), 0.3, 1.0)


@pl.image
def iterated(p):
    """Both before an iteration, in it, and behind it."""
    a = p.x * p.y

    def step(z):
        return pl.sin(z) + pl.cos(z) * pl.sin(a)

    z = pl.iterate(step, pl.cos(a), until=lambda z: z > 1.2, limit=9)
    return im.Color(z * 0.4, pl.sin(z) + pl.cos(z), 0.0, 1.0)


@pl.image
def huge(p):
    """Angles of all sizes, and such as are none."""
    a = pl.exp(p.x * 40.0) / p.y
    return im.Color(pl.sin(a) * 0.5 + 0.5, pl.cos(a) * 0.5 + 0.5, pl.sin(1.0 / p.x) * pl.cos(1.0 / p.x), 1.0)


PICTURES = {"turned": turned, "crossed": crossed, "chosen": chosen, "iterated": iterated, "huge": huge}


@pytest.mark.parametrize("precision", ["f32", "f64"])
@pytest.mark.parametrize("numerics", ["exact", "relaxed"])
@pytest.mark.parametrize("picture", PICTURES.values(), ids=PICTURES)
def test_pairs_have_the_bits_of_machine_code(picture, numerics, precision):
    options = {"numerics": numerics, "precision": precision}
    tiles, llvm = (pl.compile(picture, backend=name, **options) for name in ("tiles", "llvm"))
    code = tiles.code(FrameVariant())
    assert any(key.beside for key in code.tape.keys)
    for size in [(67, 41), (256, 130)]:
        expected = llvm.render(size, zoom=size[0] / 8)
        for tiled in (True, False):
            code.tiled = tiled
            assert np.array_equal(tiles.render(size, zoom=size[0] / 8), expected)


def test_the_second_comes_right_behind_the_first():
    made = pl.compile(crossed, backend="tiles").code(FrameVariant()).tape
    found = [made.keys[k] for k in made.codes]
    first = [k for k, key in enumerate(found) if key.beside and len(key.types) == 2]
    assert len(first) == 2
    for k in first:
        assert (found[k].op, found[k].beside) == (found[k + 1].beside, found[k + 1].op)
        assert made.operands[k, 0] == made.operands[k + 1, 0]
    # Nothing reads what comes later.
    places = 4 + np.arange(len(made))
    assert (made.operands < places[:, None]).all()


@pytest.mark.parametrize("type_", [T.f32, T.f64], ids=str)
@pytest.mark.parametrize("uniform", [False, True])
@pytest.mark.parametrize(("one", "two"), [("sin", "cos"), ("cos_near", "sin_near"), ("sinpi", "cospi")])
def test_each_of_a_pair_is_what_it_is_alone(one, two, uniform, type_):
    alone = [Key(op, (type_,), type_) for op in (one, two)]
    first = Key(one, (type_, type_), type_, beside=two)
    second = Key(two, (type_, type_, type_), type_, beside=one)
    table = kernels(type_.bits // 8, None)
    codes = table.opcodes([*alone, first, second])

    def run(key: Key, mask: int, *places: np.ndarray) -> None:
        call = CALL(int(table.batches[codes[key] + mask]))
        places += (places[0],) * (4 - len(places))
        call(*[x.ctypes.data for x in places], places[0].nbytes)

    def batch() -> np.ndarray:
        # Vectors are read and written whole, where they are whole.
        room = np.zeros((LANES + 1) * VECTORS, type_.dtype)
        begin = -room.ctypes.data // room.itemsize % LANES
        return room[begin : begin + LANES * VECTORS]

    assert VARIANTS > 3
    angle, result, beside, expected, other = (batch() for _ in range(5))
    angle[:] = np.random.default_rng(7).normal(0.0, 30.0, len(angle))
    angle[:6] = (0.0, -0.0, np.inf, np.nan, 1e30, -1e-30)
    if uniform:
        angle[:] = angle[20]
    run(alone[0], int(uniform), expected, angle)
    run(alone[1], int(uniform), other, angle)
    run(first, int(uniform), result, angle, beside)
    assert (result.tobytes(), beside.tobytes()) == (expected.tobytes(), other.tobytes())
    for known in (0, 2):
        result[:] = 0.0
        run(second, int(uniform) + known, result, angle, expected, beside)
        assert result.tobytes() == other.tobytes()
