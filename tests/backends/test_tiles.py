"""The tile machine draws what every other back end draws, bit for bit, whatever the size of the frame."""

from __future__ import annotations

import numpy as np
import pytest
from examples import gallery
from tests.kernels import kernel_of
from tests.turns import pictures_by_turns

import pellucid as pl
from pellucid import images as im
from pellucid.backends.tiles.abi import INVARIANT, TABULATED
from pellucid.driver.frame import FrameVariant

SIZES = [(1, 1), (5, 3), (16, 16), (17, 33), (64, 65), (300, 40), (257, 511)]
FILES = gallery.files()


def drawn(picture: object, size: tuple[int, int], backend: str, **options: str) -> np.ndarray:
    """A frame by a back end, seen as its author meant it."""
    kernel = pl.compile(picture, backend=backend, **options)
    return kernel.render(size, zoom=max(size) / 8, center=(0.31, -0.17), time=0.7, threads=2)


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_frames_of_any_size_are_right_to_the_last_pixel(size):
    picture = im.swirl(3.0, im.checkerboard(1, im.black, im.white))
    assert np.array_equal(drawn(picture, size, "tiles"), drawn(picture, size, "llvm"))


@pytest.mark.one_in(3)
@pictures_by_turns(FILES, 1)
def test_pictures_of_the_gallery_have_the_same_bits(path, numerics, precision):
    shown = gallery.load(path)
    options = {"numerics": numerics, "precision": precision}
    view = {"center": shown.center, "zoom": 97 / shown.width, "time": shown.time}
    tiles = pl.compile(shown.picture, backend="tiles", **options)
    expected = pl.compile(shown.picture, backend="llvm", **options).render((97, 61), **view)
    assert np.array_equal(tiles.render((97, 61), **view), expected)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("samples", [1, 3])
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_pictures_of_the_gallery_have_the_same_bits_with_tiles_and_without(path, samples):
    shown = gallery.load(path)
    view = {"center": shown.center, "zoom": 83 / shown.width, "time": shown.time, "samples": samples}
    kernel = kernel_of(shown.picture, "tiles")
    expected = kernel.render((83, 47), **view, threads=2)
    code = kernel.code(FrameVariant("straight", samples > 1))
    before, code.tiled = code.counts, False
    for threads in (1, 2):
        assert np.array_equal(kernel.render((83, 47), **view, threads=threads), expected)
    assert (code.counts.filled, code.counts.interval_steps) == (before.filled, before.interval_steps)


def test_most_of_a_picture_of_regions_is_filled_and_the_rest_has_short_tapes():
    picture = im.annulus(0.9)
    for k in range(12):
        picture = picture | im.move((2.0 * np.cos(k), 2.0 * np.sin(k)), im.disk(0.3))
    kernel = pl.compile(picture, backend="tiles")
    expected = pl.compile(picture).render((1024, 1024), zoom=128)
    assert np.array_equal(kernel.render((1024, 1024), zoom=128), expected)
    code = kernel.code(FrameVariant())
    counts = code.counts
    assert counts.filled > 0.7 * 1024 * 1024
    assert 2 * counts.leaf_steps / counts.leaves < len(code.tape)


@pytest.mark.parametrize("samples", [1, 2])
def test_the_interval_of_a_square_is_not_that_of_a_product(samples):
    """Both are one row on the same types; whichever comes first, each has its own instruction."""

    @pl.image
    def after(p):
        return pl.fma(pl.max(pl.fma(p.x, p.x, p.y), 8.0), 0.05, 0.1)

    @pl.image
    def before(p):
        shifted = pl.fma(p.x, 0.5, -0.1)
        return pl.max(pl.fma(shifted, shifted, p.y), 0.5)

    view = {"zoom": 16.0, "samples": samples}
    for picture in (after, before):
        tiles, llvm = (pl.compile(picture, backend=name, numerics="exact") for name in ("tiles", "llvm"))
        assert np.array_equal(tiles.render((64, 48), **view), llvm.render((64, 48), **view))


@pl.image
def stripes(p):
    """What varies along rows only, up to the word."""
    return im.Color(pl.sin(p.x * 3.0) * 0.5 + 0.5, 0.3, 0.7, 1.0)


@pl.image
def bars(p):
    """A truth that varies along columns only."""
    return pl.floor(p.y * 2.0) % 2.0 < 1.0


@pl.image
def grid(p):
    """Truths of both kinds, and of places."""
    return ((p.x % 1.0 < 0.1) | (p.y % 1.0 < 0.1)) ^ (p.x < p.y)


@pl.image
def cross(p):
    """Numbers of both kinds, chosen by truths of both kinds."""
    near = pl.where(p.x * p.x < 1.0, pl.cos(p.y), p.y * p.y)
    far = pl.where(p.y < 0.5, pl.exp(p.x), near)
    return im.Color(near * 0.5, far * 0.25, near * far, 1.0)


LINES = [stripes, bars, grid, cross, im.move((0.5, 0.5), cross), im.over(im.fill(im.red, bars), cross)]


@pytest.mark.parametrize("precision", ["f32", "f64"])
@pytest.mark.parametrize("numerics", ["exact", "relaxed"])
@pytest.mark.parametrize("picture", LINES, ids=["stripes", "bars", "grid", "cross", "moved", "over"])
def test_what_varies_along_rows_or_columns_only_is_a_line(picture, numerics, precision):
    options = {"numerics": numerics, "precision": precision}
    for size in [(67, 41), (256, 130)]:
        assert np.array_equal(
            drawn(picture, size, "tiles", **options), drawn(picture, size, "llvm", **options)
        )
    code = pl.compile(picture, backend="tiles", **options).code(FrameVariant())
    assert (code.tape.flags & INVARIANT).any()


def layers(count: int) -> object:
    """Discs of which so many cross in the middle, each half transparent."""
    picture = im.const(im.white)
    for k in range(count):
        angle = 2.0 * np.pi * k / count
        disc = im.move((np.cos(angle), np.sin(angle)), im.disk(1.0))
        picture = im.over(im.fill(im.rgba(0.2 * k % 1.0, 0.9 - 0.1 * k, 0.3, 0.5), disc), picture)
    return picture


@pl.image
def looked_at(p):
    """What changes with truths only, and is a place as well."""
    side = pl.where(p.x * p.y < 0.3, pl.where(p.x + p.y < 0.1, 0.25, 0.5), 1.0)
    shade = pl.where(p.x * side < p.y, side, side * 0.5)
    return im.Color(shade, side * shade, 1.0 - shade, 1.0)


@pl.image
def odd(p):
    """Numbers that are none in some cases, of which one is never met."""
    a = pl.where(p.x * p.x + p.y < 1.0, 1.0, -1.0)
    b = pl.where(p.x * p.x + p.y < 1.1, 0.0, 1.0)
    return im.Color(pl.sqrt(a), pl.sqrt(a) / b, a / (a + b), 1.0)


FLATS = [*(layers(count) for count in range(2, 8)), odd]


@pytest.mark.parametrize("precision", ["f32", "f64"])
@pytest.mark.parametrize("numerics", ["exact", "relaxed"])
@pytest.mark.parametrize("picture", FLATS, ids=[*(f"{n} discs" for n in range(2, 8)), "odd"])
def test_what_changes_with_few_truths_only_is_worked_out_for_all_cases(picture, numerics, precision):
    options = {"numerics": numerics, "precision": precision}
    for size in [(67, 41), (256, 130), (640, 500)]:
        assert np.array_equal(
            drawn(picture, size, "tiles", **options), drawn(picture, size, "llvm", **options)
        )
    code = pl.compile(picture, backend="tiles", **options).code(FrameVariant())
    assert (code.tape.flags & TABULATED).any()


def test_what_somebody_else_reads_is_not_flat():
    for size in [(67, 41), (256, 130)]:
        assert np.array_equal(drawn(looked_at, size, "tiles"), drawn(looked_at, size, "llvm"))
    code = pl.compile(looked_at, backend="tiles").code(FrameVariant())
    assert not (code.tape.flags & TABULATED).any()


@pl.image
def cells(p):
    """What leaves want is the same, but for the numbers that are one value in each of them."""
    shade = (pl.floor(p.x) + 8.0 * pl.floor(p.y) + 40.0) / 100.0
    odd = pl.floor(p.x + pl.floor(p.y)) % 2.0 < 1.0
    wave = pl.sin(p.x * p.y * 3.0) * 0.01
    return im.Color(shade + wave, pl.where(odd, wave + shade, shade - wave), pl.where(odd, 1.0, 0.0), 1.0)


@pytest.mark.parametrize("precision", ["f32", "f64"])
@pytest.mark.parametrize("picture", [cells, im.move((0.25, 0.5), cells)], ids=["cells", "moved"])
def test_leaves_that_want_the_same_of_other_numbers_have_tapes_of_their_own(picture, precision):
    for zoom in (16.0, 32.0, 64.0):
        frames = [
            pl.compile(picture, backend=name, precision=precision).render((256, 192), zoom=zoom)
            for name in ("tiles", "llvm")
        ]
        assert np.array_equal(*frames)


@pytest.mark.parametrize("size", [(2064, 2080), (4112, 1040), (2100, 2100)], ids=str)
def test_frames_that_no_cache_holds_are_right_and_nothing_beyond_them_is_touched(size):
    picture = im.over(im.fill(im.red, im.swirl(2.0, im.checker)), layers(5))
    expected = pl.compile(picture).render(size, zoom=size[0] / 7)
    kernel = pl.compile(picture, backend="tiles")
    room = np.full(expected.size + 4096, 77, np.uint8)
    begin = -room.ctypes.data % 64
    out = room[begin : begin + expected.size].reshape(expected.shape)
    for threads in (1, 2):
        out[:] = 0
        assert np.array_equal(kernel.render(size, zoom=size[0] / 7, threads=threads, out=out), expected)
        assert (np.delete(room, slice(begin, begin + expected.size)) == 77).all()
