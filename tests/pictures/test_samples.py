"""Several samples to a pixel, and what becomes of alpha: against means and quotients written down in NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image as Pillow

import pellucid as pl
from pellucid import images as im

SIZE, ZOOM, CENTER = (40, 28), 5.0, (0.37, -0.21)


def points(size=SIZE, zoom=ZOOM, center=CENTER, finer=1):
    """The points of the pixels, or of so many by so many samples in each, row by row from the top left."""
    (width, height), (cx, cy) = size, center
    across = cx + ((np.arange(width * finer) + 0.5) / finer - width / 2) / zoom
    down = cy - ((np.arange(height * finer) + 0.5) / finer - height / 2) / zoom
    return np.meshgrid(across, down)


def to_light(stored):
    """sRGB as IEC 61966-2-1 has it; within a step of a byte of its whole range."""
    return np.where(stored <= 0.04045, stored / 12.92, ((np.maximum(stored, 0.04045) + 0.055) / 1.055) ** 2.4)


def to_stored(light):
    return np.where(
        light <= 0.0031308, light * 12.92, 1.055 * np.maximum(light, 0.0031308) ** (1 / 2.4) - 0.055
    )


def bent(premultiplied, curve):
    """Premultiplied colors, of whose straight components a curve was taken; opaque without an alpha."""
    colors, a = premultiplied[..., :3], premultiplied[..., 3:]
    if not a.shape[-1]:
        return curve(colors)
    return np.concatenate(
        [curve(np.divide(colors, a, where=a > 0, out=np.zeros_like(colors))) * a, a], axis=-1
    )


def means(values, n):
    """The means of blocks of n by n, in light."""
    return bent(averages(bent(values, to_light), n), to_stored)


def averages(values, n):
    height, width = (side // n for side in values.shape[:2])
    return values.reshape(height, n, width, n, -1).mean(axis=(1, 3))


def bytes_of(values):
    return np.floor(255 * np.clip(values, 0, 1) + 0.5)


def off(pixels, wanted):
    return abs(pixels.astype(float) - wanted).max()


@pl.image
def glass(p):
    """A smooth picture that is more or less transparent, and at one place not there at all."""
    a = pl.clamp(0.5 + 0.6 * pl.sin(p.x), 0.0, 1.0)
    red, green = 0.5 + 0.5 * pl.cos(p.y), 0.5 + 0.5 * pl.sin(0.5 * p.x * p.y)
    return im.Color(red * a, green * a, 0.25 * a, a)


def glass_formula(x, y):
    a = np.clip(0.5 + 0.6 * np.sin(x), 0, 1)
    red, green = 0.5 + 0.5 * np.cos(y), 0.5 + 0.5 * np.sin(0.5 * x * y)
    return np.stack([red * a, green * a, 0.25 * a, a], axis=-1)


def straight(premultiplied):
    a = premultiplied[..., 3:]
    colors = np.divide(premultiplied[..., :3], a, where=a > 0, out=np.zeros_like(premultiplied[..., :3]))
    return np.concatenate([colors, a], axis=-1)


OPTIONS = [{}, {"numerics": "exact", "precision": "f64"}, {"backend": "numpy"}, {"backend": "c"}]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_samples_are_the_mean_of_shifted_pictures(n, options):
    kernel = pl.compile(glass, **options)
    shifts = ((np.arange(n) + 0.5) / n - 0.5) / ZOOM
    shifted = [
        kernel.premultiplied(SIZE, center=(CENTER[0] + dx, CENTER[1] + dy), zoom=ZOOM)
        for dx in shifts
        for dy in shifts
    ]
    drawn = kernel.premultiplied(SIZE, center=CENTER, zoom=ZOOM, samples=n)
    together = np.mean([bent(s / 255, to_light) for s in shifted], axis=0)
    # The bytes of a color of which little is seen say little of it.
    assert off(drawn, bytes_of(bent(together, to_stored))) <= (1 if n == 1 else 3)
    wanted = means(glass_formula(*points(finer=n)), n)
    assert off(drawn, bytes_of(wanted)) <= 1


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("n", [1, 3])
def test_straight_colors_are_those_of_the_mean_and_not_the_mean_of_those(n, options):
    drawn = pl.render(glass, SIZE, center=CENTER, zoom=ZOOM, samples=n, **options)
    wanted = straight(means(glass_formula(*points(finer=n)), n))
    assert off(drawn[..., 3], bytes_of(wanted[..., 3])) <= 1
    seen = wanted[..., 3] > 1 / 64
    assert off(drawn[seen], bytes_of(wanted[seen])) <= 1
    # In a pixel of which little is seen, rounding in single precision is divided by little.
    assert off(drawn * wanted[..., 3:], bytes_of(wanted) * wanted[..., 3:]) <= 1
    assert (wanted[..., 3] == 0).any()
    assert not drawn[wanted[..., 3] == 0].any()


@pytest.mark.one_in(2)
@pytest.mark.parametrize("n", [2, 5])
def test_back_ends_average_alike(n):
    for options in ({}, {"numerics": "exact"}, {"precision": "f64"}):
        for form in ("straight", "premultiplied"):
            drawn = [
                pl.render(glass, SIZE, zoom=ZOOM, samples=n, alpha=form, backend=b, **options)
                for b in ("llvm", "numpy", "c")
            ]
            np.testing.assert_array_equal(drawn[0], drawn[1])
            np.testing.assert_array_equal(drawn[0], drawn[2])


KINDS = {
    "region": (
        pl.image(lambda p: p.y < pl.sin(p.x)),
        lambda x, y: np.repeat((y < np.sin(x))[..., None], 3, -1),
    ),
    "field": (
        pl.image(lambda p: 0.5 + 0.5 * pl.sin(p.x * p.y)),
        lambda x, y: np.repeat((0.5 + 0.5 * np.sin(x * y))[..., None], 3, -1),
    ),
    "packed": (
        im.discrete(
            lambda i, j: pl.where((i + j) % 2 == 0, im.packed_color(255, 128, 0), im.packed_color(0, 0, 255))
        ),
        lambda x, y: (
            np.where(
                ((np.floor(x) + np.floor(y)) % 2 == 0)[..., None],
                np.array([255, 128, 0]),
                np.array([0, 0, 255]),
            )
            / 255
        ),
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_picture_is_averaged(kind):
    picture, formula = KINDS[kind]
    assert picture.kind == kind
    for n in (1, 3):
        drawn = pl.render(picture, SIZE, center=CENTER, zoom=ZOOM, samples=n)
        assert off(drawn[..., :3], bytes_of(means(formula(*points(finer=n)).astype(float), n))) <= 1
        assert (drawn[..., 3] == 255).all()


# ---- edges ----


def test_a_checkerboard_of_half_pixels_is_gray():
    board = im.checkerboard(0.5, im.black, im.white)
    gray = round(255 * float(to_stored(np.array(0.5))))
    assert set(np.unique(pl.render(board, 16, samples=2)[..., 0])) == {gray} == {188}
    assert set(np.unique(pl.render(board, 16, samples=8)[..., 0])) == {gray}


def test_light_adds_up_and_what_is_stored_does_not():
    """A far checkerboard is as bright as the same one near: its mean light, whatever is between."""
    board = im.turn(0.4, im.checkerboard(1, im.Color(0.9, 0.3, 0.1), im.Color(0.0, 0.6, 1.0)))
    near = to_light(pl.render(board, 240, zoom=12, samples=1) / 255)[..., :3].mean((0, 1))
    far = to_light(pl.render(board, 16, zoom=0.8, samples=16) / 255)[..., :3].mean((0, 1))
    assert abs(near - far).max() < 0.01


@pytest.mark.parametrize("n", [2, 4, 8])
def test_edges_are_as_gray_as_they_are_covered(n):
    size, zoom = (48, 32), 0.8
    board = im.turn(0.3, im.checkerboard(10, im.black, im.white))
    x, y = points(size, zoom, finer=64)
    u, v = x * np.cos(-0.3) - y * np.sin(-0.3), x * np.sin(-0.3) + y * np.cos(-0.3)
    covered = averages(((np.floor(u / 10) + np.floor(v / 10)) % 2 != 0).astype(float), 64)[..., 0]
    drawn = to_light(pl.render(board, size, zoom=zoom, center=CENTER, samples=n)[..., 0] / 255)
    inside = (covered == 0) | (covered == 1)
    np.testing.assert_array_equal(drawn[inside], covered[inside])
    assert 0.1 < inside.mean() < 0.9
    error = abs(drawn - covered)[~inside]
    assert error.max() <= 1 / n
    assert error.mean() <= 0.25 / n
    assert set(np.round(drawn * n * n).astype(int).ravel()) <= set(range(n * n + 1))
    # One sample is off by far more: the average does what it is for.
    single = pl.render(board, size, zoom=zoom, center=CENTER)[..., 0] / 255
    assert abs(single - covered)[~inside].mean() > 2 * error.mean()


def test_the_edge_of_a_cut_out_has_its_color_and_no_fringe():
    disk = im.crop(im.disk(10), im.const(im.red))
    drawn = pl.render(disk, 32, samples=4)
    partly = (drawn[..., 3] > 0) & (drawn[..., 3] < 255)
    assert partly.sum() > 20
    assert (drawn[partly][:, :3] == (255, 0, 0)).all()
    multiplied = pl.render(disk, 32, samples=4, alpha="premultiplied")
    np.testing.assert_array_equal(multiplied[..., 0], multiplied[..., 3])
    assert multiplied[..., 3].sum() / 255 == pytest.approx(np.pi * 100, rel=0.01)


# ---- alpha ----


def test_both_forms_of_alpha_are_the_same_picture():
    forms = [pl.render(glass, SIZE, zoom=ZOOM, alpha=form) for form in ("straight", "premultiplied")]
    colors, multiplied = (f.astype(float) for f in forms)
    np.testing.assert_array_equal(colors[..., 3], multiplied[..., 3])
    # Three roundings, each of half a step, are between the two.
    assert abs(colors[..., :3] * colors[..., 3:] / 255 - multiplied[..., :3]).max() <= 1.5
    assert (multiplied[..., :3] <= multiplied[..., 3:]).all()


def test_laying_pictures_over_one_another_is_what_a_viewer_does(tmp_path):
    """A file with alpha on a ground of a viewer is the picture over that ground."""
    ground = np.array([0.2, 0.9, 0.4])
    pl.save(glass, tmp_path / "glass.png", SIZE, zoom=ZOOM)
    with Pillow.open(tmp_path / "glass.png") as opened:
        file = np.asarray(opened)
        viewer = Pillow.new("RGBA", SIZE, (51, 230, 102, 255))
        viewer.alpha_composite(opened.convert("RGBA"))
    np.testing.assert_array_equal(file, pl.render(glass, SIZE, zoom=ZOOM))
    over = pl.render(im.over(glass, im.const(im.Color(*ground))), SIZE, zoom=ZOOM)
    assert (over[..., 3] == 255).all()
    assert off(np.asarray(viewer)[..., :3], over[..., :3]) <= 2


@pytest.mark.parametrize("alpha", [0.5, 1 / 255, 0.001, 1e-7, 1e-30, 0.0])
@pytest.mark.parametrize("precision", ["f32", "f64"])
def test_the_faintest_color_keeps_its_hue(alpha, precision):
    faint = pl.image(lambda p: im.Color(alpha, alpha * 0.5 + 0 * p.x, 0.0, alpha))
    pixel = pl.render(faint, 1, precision=precision)[0, 0].tolist()
    assert pixel == ([255, 128, 0, round(255 * alpha)] if alpha else [0, 0, 0, 0])
