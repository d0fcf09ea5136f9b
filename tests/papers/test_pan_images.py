"""What the Pan paper asks of images (section 2), one test per row of docs/lineage.md."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image as Pillow
from tests.memory import traced

import pellucid as pl
from pellucid import images as im
from pellucid.driver.frame import build
from pellucid.images import Color, Image
from pellucid.ir import types as T
from pellucid.ir.expr import topological
from pellucid.ir.nest import For, Store, all_roots, walk
from pellucid.tracing import Point

X, Y = np.meshgrid(np.linspace(-3.7, 4.1, 37), np.linspace(-2.9, 3.3, 29))
fractions = st.floats(0, 1, width=32)


@st.composite
def colors(draw):
    a = draw(fractions)
    return Color(*(draw(st.floats(0, a, width=32)) for _ in range(3)), a)


def channels(picture, x=X, y=Y, **options):
    return picture.at(x, y, **options)


def test_P1_images_are_functions_of_points():
    field = pl.image(lambda p: p.x * 2 + p.y)
    region = pl.image(lambda p: p.x < p.y)
    color = pl.image(lambda p: Color(p.x % 1, 0.0, 0.0, 1.0))
    assert (field.kind, region.kind, color.kind) == ("field", "region", "color")
    np.testing.assert_allclose(field.at(X, Y), X * 2 + Y, rtol=1e-6, atol=1e-6)
    np.testing.assert_array_equal(region.at(X, Y), X < Y)
    lifted = im.lift(lambda a, b: a * a + b, field, field)
    np.testing.assert_allclose(lifted.at(X, Y), (X * 2 + Y) ** 2 + X * 2 + Y, rtol=1e-5, atol=1e-5)
    chosen = im.cond(region, im.const(im.red), im.const(im.blue))
    assert (channels(chosen)[..., 0] == (X < Y)).all()
    assert (channels(im.empty) == 0).all()
    over = im.over(im.fade(0.5, im.const(im.red)), im.const(im.blue))
    np.testing.assert_allclose(channels(over)[0, 0], [0.5, 0, 0.5, 1], atol=1e-6)
    assert isinstance(over, Image)


@given(fractions, colors(), colors())
def test_P2_mixing_and_overlaying_keep_the_invariants(w, c1, c2):
    mixed = im.lerp_color(w, c1, c2)
    over = im.over_color(c1, c2)
    for c in (mixed, over):
        r, g, b, a = c
        assert -1e-6 <= min(r, g, b)
        assert max(r, g, b) <= a + 1e-6
        assert a <= 1 + 1e-6
    for k, x in enumerate(mixed):
        assert x == pytest.approx(w * list(c1)[k] + (1 - w) * list(c2)[k], abs=1e-6)
    for k, x in enumerate(over):
        assert x == pytest.approx(list(c1)[k] + (1 - c1.a) * list(c2)[k], abs=1e-6)


def test_P2_weights_the_first_color_and_one_color_is_invisible():
    assert tuple(im.lerp_color(1.0, im.red, im.blue)) == (1, 0, 0, 1)
    assert tuple(im.lerp_color(0.0, im.red, im.blue)) == (0, 0, 1, 1)
    assert tuple(im.invisible) == (0, 0, 0, 0)


def test_P3_transforms_and_their_images():
    p = Point(0.6, -1.1)
    moved = im.translate((2, 3))(p)
    assert (moved.x, moved.y) == pytest.approx((2.6, 1.9))
    turned = im.rotate(0.7)(p)
    c, s = math.cos(0.7), math.sin(0.7)
    assert (turned.x, turned.y) == pytest.approx((0.6 * c + 1.1 * s, -1.1 * c + 0.6 * s))
    scaled = im.scale((2, 5))(p)
    assert (scaled.x, scaled.y) == pytest.approx((1.2, -5.5))
    full = im.swirling(100)(Point(100.0, 0.0))
    assert (full.x, full.y) == pytest.approx((100, 0), abs=1e-4), "a full turn at that distance"
    half = im.swirling(100)(Point(50.0, 0.0))
    assert (half.x, half.y) == pytest.approx((-50, 0), abs=1e-4)
    field = pl.image(lambda q: q.x * 10 + q.y)
    for picture, inverse in (
        (im.move((2, 3), field), lambda x, y: (x - 2, y - 3)),
        (im.stretch((2, 5), field), lambda x, y: (x / 2, y / 5)),
        (im.ustretch(4, field), lambda x, y: (x / 4, y / 4)),
        (im.turn(0.7, field), lambda x, y: (x * c + y * s, y * c - x * s)),
    ):
        u, v = inverse(X, Y)
        np.testing.assert_allclose(picture.at(X, Y), u * 10 + v, rtol=1e-5, atol=1e-4)
    r = np.hypot(X, Y) * 2 * np.pi / 7
    u, v = X * np.cos(r) + Y * np.sin(r), Y * np.cos(r) - X * np.sin(r)
    np.testing.assert_allclose(im.swirl(7, field).at(X, Y), u * 10 + v, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("size", [1, 2.5, 10])
def test_P4_both_forms_of_the_checkerboard_are_one_picture(size):
    scaled = pl.image(lambda p: pl.where(im.checker(Point(p.x / size, p.y / size)), im.red, im.blue))
    stretched = im.ustretch(size, im.cond(im.checker, im.const(im.red), im.const(im.blue)))
    direct = im.checkerboard(size, im.red, im.blue)
    pixels = [pl.render(picture, size=(80, 60), zoom=1.3) for picture in (scaled, stretched, direct)]
    np.testing.assert_array_equal(pixels[0], pixels[1])
    np.testing.assert_array_equal(pixels[0], pixels[2])
    expected = (np.floor(X) + np.floor(Y)) % 2 == 0
    np.testing.assert_array_equal(im.checker.at(X, Y), expected)


def test_P5_bilinear_reconstruction_is_centered_and_never_out_of_range():
    corners = im.bilerp(im.red, im.lime, im.blue, im.white)
    for (x, y), c in {(0, 0): im.red, (1, 0): im.lime, (0, 1): im.blue, (1, 1): im.white}.items():
        np.testing.assert_allclose(
            channels(corners, np.float64([[x]]), np.float64([[y]]))[0, 0], list(c), atol=1e-6
        )
    pixels = np.random.default_rng(1).integers(0, 256, (5, 7, 4), dtype=np.uint8)
    pixels[..., 3] = 255
    picture = im.bitmap(pixels)
    # At the centers of pixels the picture is the pixels; row 0 is on top, the middle at the origin.
    rows, columns = np.mgrid[0:5, 0:7]
    there = channels(picture, columns - 3.0, 2.0 - rows)
    np.testing.assert_allclose(there * 255, pixels, atol=1e-3)
    # Erratum: truncation let points between -1 and 0 in, and read one column too far.
    assert (channels(picture, np.float64([[-9.0, 4.5, 0, 0]]), np.float64([[0, 0, 3.5, -9.0]])) == 0).all()
    half = channels(picture, np.float64([[0.5]]), np.float64([[0.0]]))[0, 0]
    np.testing.assert_allclose(half * 255, (pixels[2, 3].astype(float) + pixels[2, 4]) / 2, atol=1e-3)


@pytest.mark.parametrize(("mode", "bytes_per_pixel"), [("RGB", 3), ("L", 1), ("P", 1)])
def test_P6_files_are_read_in_place_by_address_arithmetic(tmp_path, mode, bytes_per_pixel):
    width, height = 7, 5
    rng = np.random.default_rng(2)
    shape = (height, width, 3) if mode == "RGB" else (height, width)
    picture = Pillow.fromarray(rng.integers(0, 256, shape, dtype=np.uint8), None if mode != "P" else "L")
    if mode == "P":
        picture = picture.convert("P")
    path = tmp_path / "picture.bmp"
    picture.save(path)
    photo = im.read_image(path)
    frame = build(photo, T.f32)
    loads = [n for n in topological(all_roots(frame.kernel.body)) if n.op == "load"]
    assert loads
    assert {type(s) for s in walk(frame.kernel.body)} == {For, Store}, "the subscripts are in the nest itself"
    row_bytes = (bytes_per_pixel * width + 3) & -4
    pixels = next(n.attr for n in loads if n.attr.type is T.u8)
    assert pixels.data.base is not None, "a view of the file's own bytes"
    assert row_bytes * (height - 1) < pixels.size <= row_bytes * height, "with the padding of its rows"
    drawn = pl.render(photo, size=(width, height))
    np.testing.assert_array_equal(drawn[..., :3], np.asarray(picture.convert("RGB")))


def test_P7_bytes_round_trip():
    ramp = np.zeros((1, 256, 4), np.uint8)
    ramp[0, :, 0], ramp[0, :, 1], ramp[0, :, 2], ramp[0, :, 3] = np.arange(256), np.arange(256)[::-1], 7, 255
    for precision in ("f32", "f64"):
        for numerics in ("exact", "relaxed"):
            drawn = pl.render(im.bitmap(ramp), size=(256, 1), precision=precision, numerics=numerics)
            np.testing.assert_array_equal(drawn, ramp)


def test_P8_gray_over_color_needs_no_copy(tmp_path):
    side = 1500
    gray = np.add.outer(np.arange(side), np.arange(side)).astype(np.uint8)
    color = np.full((side, side, 4), 128, np.uint8)
    paths = tmp_path / "gray.bmp", tmp_path / "color.bmp"
    Pillow.fromarray(gray).save(paths[0])
    Pillow.fromarray(color, "RGBA").save(paths[1])
    small = pl.render(im.over(im.bitmap(color[:4, :4]), im.bitmap(gray[:4, :4])), size=(4, 4))
    assert small.shape == (4, 4, 4)
    out = np.empty((side, side, 4), np.uint8)
    with traced() as memory:
        top, bottom = (im.read_image(p) for p in reversed(paths))
        pl.render(im.over(top, bottom), size=(side, side), out=out)
    # The files are in memory once. One expanded copy of the gray picture would take 9 MB more; compiling the overlay
    # takes some of its own.
    assert memory.peak - sum(path.stat().st_size for path in paths) < 6e6, f"{memory.peak / 1e6:.1f} MB"


def test_P9_animations_and_behaviors():
    @pl.animation
    def checkturn(t):
        return im.turn(t, im.checkerboard(10, im.red, im.blue))

    still = im.checkerboard(10, im.red, im.blue)
    assert checkturn.time_varying
    assert not still.time_varying
    np.testing.assert_array_equal(
        pl.render(checkturn, size=(60, 40), time=0.5), pl.render(im.turn(0.5, still), size=(60, 40))
    )
    fast = checkturn.speedup(2)
    np.testing.assert_array_equal(
        pl.render(fast, size=(60, 40), time=0.25), pl.render(checkturn, size=(60, 40), time=0.5)
    )


def test_P10_view_time_and_size_are_arguments_of_one_kernel():
    @pl.animation
    def moving(t):
        return im.move((t, 0), im.image(lambda p: p.x + 0.25 * p.y))

    kernel = pl.compile(moving)
    compiled = {id(v) for v in kernel._versions.values()}
    for size, center, zoom, time in (
        ((8, 6), (0, 0), 9.0, 0.0),
        ((5, 9), (0.5, -1), 4.0, 0.25),
        ((1, 1), (0, 0), 1.0, 1.0),
    ):
        w, h = size
        x = center[0] + (np.arange(w) + 0.5 - w / 2) / zoom
        y = center[1] - (np.arange(h)[:, None] + 0.5 - h / 2) / zoom
        expected = np.floor(np.clip((x - time) + 0.25 * y, 0, 1) * 255 + 0.5)
        drawn = kernel.render(size, center=center, zoom=zoom, time=time)
        assert np.abs(drawn[..., 0].astype(float) - expected).max() <= 1
        assert (drawn[..., 3] == 255).all()
    assert {id(v) for v in kernel._versions.values()} == compiled, "nothing was compiled again"


def test_P11_everything_that_can_be_displayed():
    """The seven kinds of the paper, each by its pixels, and whether it varies in time."""
    red, blue = (255, 0, 0, 255), (0, 0, 255, 255)

    def packed(is_red):
        return pl.where(is_red, im.packed_color(255, 0, 0), im.packed_color(0, 0, 255))

    board = im.checkerboard(1, im.red, im.blue)
    blinking = im.animation(lambda t: im.cond(Image(lambda p: t < 0.5), im.const(im.red), im.const(im.blue)))
    kinds = {
        "DisplayFun": (pl.compile(board), False),
        "DisplayFun over time": (pl.compile(blinking), True),
        "ImageB ColorRef": (im.animation(lambda t: Image(lambda p: packed(t < 0.5))), True),
        "ImageB Color": (blinking, True),
        "Image Color": (board, False),
        "Image ColorRef": (Image(lambda p: packed(im.checker(p))), False),
        "DImage": (im.discrete(lambda i, j: packed((i + j) % 2 == 0)), False),
        "DImageB": (im.discrete_animation(lambda ms: lambda i, j: packed(ms < 500)), True),
    }
    for name, (thing, expected) in kinds.items():
        source, varying = im.displayable(thing)
        assert varying is expected, name
        assert source.time_varying is expected, name
        early, late = (pl.render(source, (6, 4), time=t).reshape(-1, 4) for t in (0.25, 0.75))
        if expected:
            assert {tuple(c) for c in early} == {red}, name
            assert {tuple(c) for c in late} == {blue}, name
        else:
            assert {tuple(c) for c in early} == {red, blue}, name
            assert (early == late).all(), name


def test_P11_alpha_is_discarded_where_the_target_has_none():
    half = Image(lambda p: (0.25, 0.0, 0.125, 0.5))
    assert pl.render(half, (1, 1), format="rgb24").tolist() == [64, 0, 32]
    with pytest.raises(pl.PellucidError, match="is not a picture"):
        im.displayable(3.5j)
