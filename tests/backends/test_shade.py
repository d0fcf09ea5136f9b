"""Nests as text for GPUs: pictures of the gallery have both spellings, and what no shader can do is refused."""

from __future__ import annotations

import re

import numpy as np
import pytest
from examples import gallery

from pellucid import images as im
from pellucid.backends.shade import Pixel, compute, fragment, offsets, shadertoy
from pellucid.backends.shade.programs import MAX_TEXELS, MAX_TEXTURES, MAX_WORDS
from pellucid.base.errors import BackendError
from pellucid.driver.frame import COLUMN, HEIGHT, OUT, ROW, WIDTH, FrameVariant
from pellucid.driver.shading import shading
from pellucid.ir import expr as E
from pellucid.ir import types as T
from pellucid.ir.expr import Buffer, apply, const
from pellucid.ir.interp import evaluate
from pellucid.ir.nest import For, Kernel, Statement, Store, While
from pellucid.ir.parse import parse_expr
from pellucid.rewriting.unfused import unfused

PIXEL = Pixel(COLUMN, ROW, WIDTH, HEIGHT)
BOTH = pytest.mark.parametrize("printed", [fragment, compute])
WHOLE = re.compile(r"[-+]?\b12582912|1\.2582912e\+07")
"""What drivers fold when it is added and taken away again."""


def kernel(value: E.Expr, *inside: Statement) -> Kernel:
    """A kernel that stores a value into each pixel."""
    zero = const(0, T.i32)
    position = apply("add", apply("mul", ROW, WIDTH), COLUMN)
    pixel = (*inside, Store(OUT, position, value))
    body = (For(ROW, zero, HEIGHT, (For(COLUMN, zero, WIDTH, pixel),)),)
    return Kernel("k", (WIDTH, HEIGHT), (OUT,), body)


def loaded(buffer: Buffer) -> E.Expr:
    """An element as a pixel."""
    return apply("convert", E.load(buffer, COLUMN), attr=T.u32)


def zeros(name: str, type_: T.Type, size: int) -> Buffer:
    return Buffer(name, type_, size, np.zeros(size, type_.dtype))


@pytest.mark.slow
@pytest.mark.one_in(3)
@pytest.mark.parametrize("path", gallery.files(), ids=lambda path: path.stem)
def test_pictures_of_the_gallery_are_shaders(path):
    made = shading(gallery.load(path).picture)
    for shader in (made.fragment(), made.compute()):
        assert not WHOLE.search(shader.text)
        assert "inf" not in re.findall(r"\binf\b|\bnan\b", shader.text)
        assert shader.text.count("{") == shader.text.count("}")
        assert " word = " in shader.text or "word: u32 = " in shader.text


@pytest.mark.smoke
def test_a_picture_is_printed_with_its_parameters_and_size():
    text = shading(im.swirl(100, im.checkerboard(10, im.black, im.white))).fragment().text
    assert [*re.findall(r"uniform \w+ (\w+);", text)] == [
        "p_center_x", "p_center_y", "p_scale", "p_width", "p_height", "zero",
    ]  # fmt: skip


def test_samples_are_a_loop_of_the_shader():
    shader = shading(im.udisk, FrameVariant("straight", True)).fragment()
    assert "for (int n1 = 0;" in shader.text
    assert "p_samples" in shader.params


def test_buffers_are_packed_one_after_the_other():
    a, b = zeros("a", T.u8, 5), zeros("b", T.f32, 3)
    total = apply("add", loaded(a), apply("bitcast", E.load(b, COLUMN), attr=T.u32))
    assert offsets([a, b]) == {a: 0, b: 2}
    text = compute(kernel(total), {}, PIXEL).text
    assert "(data[0 + at1 / 4] >> (u32(at1 % 4) * 8u)) & 255u" in text
    assert "bitcast<f32>(data[2 + at2])" in text


@BOTH
def test_buffers_of_the_same_data_are_one(printed):
    letters = np.arange(8, dtype=np.uint8)
    twice = [Buffer("letters", T.u8, 8, letters.copy()) for _ in range(2)]
    other = Buffer("letters", T.u8, 8, letters + 1)
    total = loaded(other)
    for buffer in twice:
        total = apply("add", total, loaded(buffer))
    found = printed(kernel(total), {}, PIXEL).buffers.values()
    assert sorted(b.data[0] for b in found) == [0, 1]


# ---- what is refused ----


@BOTH
def test_numbers_of_64_bits_are_refused_with_the_row(printed):
    value = apply("convert", apply("convert", COLUMN, attr=T.f64), attr=T.f32)
    with pytest.raises(
        BackendError, match=r"^convert: computes with f64, and .* has only bool, i32, u32, f32"
    ):
        printed(kernel(apply("bitcast", value, attr=T.u32)), {}, PIXEL)


@BOTH
def test_a_loop_that_a_pixel_has_not_is_refused(printed):
    nest = kernel(const(0, T.u32), While(const(False, T.boolean), ()))
    with pytest.raises(BackendError, match=r"^while: is a statement that no shader of one pixel has"):
        printed(nest, {}, PIXEL)


@BOTH
def test_a_buffer_without_data_is_refused(printed):
    with pytest.raises(BackendError, match=r"^load: loads u8 from 'given', which a shader cannot"):
        printed(kernel(loaded(Buffer("given", T.u8, 8))), {}, PIXEL)


@BOTH
def test_a_partial_row_without_a_proof_is_refused(printed):
    value = apply("truncate_in", apply("bitcast", COLUMN, attr=T.f32), attr=T.i32)
    with pytest.raises(BackendError, match=r"^truncate_in: .* not proved"):
        printed(kernel(apply("convert", value, attr=T.u32)), {}, PIXEL)


def test_a_bitmap_that_no_texture_holds_is_refused():
    with pytest.raises(BackendError, match=rf"'big' has {MAX_TEXELS + 1} elements, and a texture at most"):
        fragment(kernel(loaded(zeros("big", T.u8, MAX_TEXELS + 1))), {}, PIXEL)


def test_more_bitmaps_than_textures_are_refused():
    value = loaded(zeros("b", T.u8, 1))
    for k in range(1, MAX_TEXTURES + 1):
        # Those of the same data would be one.
        value = apply("add", value, loaded(Buffer(f"b{k}", T.u8, 1, np.array([k], np.uint8))))
    with pytest.raises(BackendError, match=r"are 17 buffers, and WebGL2 has 16 textures"):
        fragment(kernel(value), {}, PIXEL)


def test_more_data_than_a_buffer_of_webgpu_is_refused():
    with pytest.raises(BackendError, match=r"have 33554433 words, and a buffer of WebGPU at most 33554432"):
        compute(kernel(loaded(zeros("big", T.u32, MAX_WORDS + 1))), {}, PIXEL)


def test_a_bitmap_in_shadertoy_is_refused_with_the_way_out():
    given = {"width": "1", "height": "1"}
    assert (
        "const uint b1[2] = uint[2](0u, 0u);"
        in shadertoy(kernel(loaded(zeros("small", T.u8, 2))), {}, PIXEL, given, {}).text
    )
    with pytest.raises(BackendError, match=r"have 5000 elements, .* room for 4096; export a page"):
        shadertoy(kernel(loaded(zeros("photo", T.u8, 5000))), {}, PIXEL, given, {})


def test_a_refusal_names_the_place_of_the_picture():
    picture = im.bitmap(np.zeros((4097, 4096, 4), np.uint8))
    with pytest.raises(BackendError, match=r"load: .* a texture at most"):
        shading(picture).fragment()


# ---- unfusing ----


@pytest.mark.parametrize(
    "text",
    [
        "fma($x:f32, 0.6366197466850281, 12582912.0) - 12582912.0",
        "bitcast.u32(fma($x:f32, 0.6366197466850281, 12582912.0))",
        "bitcast.u32($x:f32 + 12582912.0)",
        "bitcast.i32($x:f32 + 12582912.0) - 1262485504",
    ],
)
def test_whole_numbers_are_the_same_without_the_constant(text: str):
    roots = parse_expr(text)
    x = E.param("x", T.f32)
    values = np.linspace(-4000, 4000, 100_003, dtype=np.float32)
    (before,), (after,) = (evaluate(r, {x: values}) for r in (roots, unfused(roots)))
    # Between two whole numbers either is the nearest: the product is rounded once more here.
    assert (before != after).mean() < 1e-3
    assert np.abs(before.astype(np.float64) - after).max() <= 1


def test_a_multiple_is_taken_away_as_exactly_as_by_a_fused_operation():
    roots = parse_expr(
        "fma(fma($x:f32, 0.6366197466850281, 12582912.0) - 12582912.0, -1.5707963705062866, $x:f32)"
    )
    x = E.param("x", T.f32)
    values = np.linspace(0, 6000, 100_003, dtype=np.float32)
    (before,), (after,) = (evaluate(r, {x: values}) for r in (roots, unfused(roots)))
    # Between two whole numbers either may be taken, and the rest is then a quarter turn less.
    alike = np.abs(before - after) < 1
    assert alike.mean() > 0.999
    assert np.abs(before - after)[alike].max() <= 2**-24


def test_the_rest_of_a_product_is_what_rounding_lost():
    roots = parse_expr("fma($x:f32, $y:f32, neg($x:f32 * $y:f32))")
    given = {
        E.param(n, T.f32): np.random.default_rng(k).uniform(0.5, 2, 10_000).astype(np.float32)
        for k, n in enumerate("xy")
    }
    (before,), (after,) = (evaluate(r, given) for r in (roots, unfused(roots)))
    assert np.abs(before - after).max() <= 2**-47
    assert np.abs(before).max() > 2**-25
