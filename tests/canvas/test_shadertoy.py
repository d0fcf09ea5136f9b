"""Shaders for Shadertoy, in a browser and wrapped as that site does: they compile, and draw what the CPU draws."""

from __future__ import annotations

import numpy as np
import pytest
from examples import gallery
from playwright.sync_api import Page
from tests.canvas.conftest import SIZE
from tools.browser import canvas_pixels, visit
from tools.shadertoy import hosted

import pellucid as pl
from pellucid import images as im
from pellucid.backends.shade import Pixel, shadertoy
from pellucid.driver.frame import COLUMN, HEIGHT, OUT, ROW, WIDTH
from pellucid.ir import expr as E
from pellucid.ir import types as T
from pellucid.ir.expr import Buffer, apply, const
from pellucid.ir.nest import For, Kernel, Store

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("browser")]
DOZEN = (
    "swirled_checkerboard", "clock", "julia", "truchet", "circle_limit_rings", "lava", "mountains", "spheres",
    "bilerp", "dithered_moon", "neon", "planet",
)  # fmt: skip


def drawn(window: Page, folder, shader: str) -> np.ndarray:
    """The pixels of a shader, row 0 on top, without alpha, which Shadertoy does not show."""
    page = folder / "toy.html"
    page.write_text(hosted(shader, SIZE), encoding="utf-8")
    visit(window, page)
    said = window.evaluate("document.querySelector('#status').textContent")
    assert not said
    return np.frombuffer(canvas_pixels(window), np.uint8).reshape(SIZE[1], SIZE[0], 4)[::-1, :, :3]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", DOZEN)
def test_a_shader_draws_the_pixels_of_the_cpu(window, tmp_path, name):
    picture = gallery.load(next(p for p in gallery.files() if p.stem == name))
    view = picture.view.replace(SIZE, zoom=picture.view.zoom * SIZE[0] / picture.view.size[0])
    pl.export(picture.picture, tmp_path / "a.glsl", view=view)
    found = drawn(window, tmp_path, (tmp_path / "a.glsl").read_text())
    right = pl.render(picture.picture, view=view)[..., :3]
    beyond = (np.abs(found.astype(int) - right).max(axis=2) > 1).sum()
    assert beyond <= SIZE[0] * SIZE[1] / 1000


@pytest.fixture
def toy(tmp_path) -> str:
    twist = pl.param("größe", 100.0, 20.0, 400.0)
    picture = im.swirl(twist, im.checkerboard(10, im.black, im.white))
    center = (np.float64(3), -2)
    pl.export(picture, tmp_path / "a.glsl", SIZE, zoom=2, center=center, time=-1, title="größe \\")
    return (tmp_path / "a.glsl").read_text(encoding="utf-8")


def test_a_view_is_drawn_as_it_was_exported(window, tmp_path, toy):
    right = pl.render(
        im.swirl(100.0, im.checkerboard(10, im.black, im.white)), SIZE, zoom=2, center=(3.0, -2.0)
    )
    off = (drawn(window, tmp_path, toy) != right[..., :3]).any(axis=2)
    assert off.sum() <= 10


def test_parameters_are_uniforms_where_the_host_says_so(window, tmp_path, toy):
    # The host of the test sets none: without a twist, there is no swirl.
    found = drawn(window, tmp_path, f"#define PARAMETERS\n{toy}")
    assert (found != drawn(window, tmp_path, toy)).any()


def test_a_shader_that_does_not_compile_is_told(window, tmp_path, toy):
    with pytest.raises(AssertionError, match="undeclared"):
        drawn(window, tmp_path, toy.replace("color =", "colour ="))


def test_tables_may_hold_what_is_no_number(window, tmp_path):
    table = Buffer("table", T.f32, 4, np.array([np.inf, -np.inf, np.nan, 0.5], np.float32))
    value = E.load(table, apply("min", COLUMN, const(3, T.i32)))
    word = apply("bitcast", value, attr=T.u32)
    # Of the last bits only a few are shown, since a NaN may be any.
    shown = apply("shift_right_in", word, const(23, T.u32))
    position = apply("add", apply("mul", ROW, WIDTH), COLUMN)
    zero = const(0, T.i32)
    body = (For(ROW, zero, HEIGHT, (For(COLUMN, zero, WIDTH, (Store(OUT, position, shown),)),)),)
    made = shadertoy(
        Kernel("k", (WIDTH, HEIGHT), (OUT,), body),
        {},
        Pixel(COLUMN, ROW, WIDTH, HEIGHT),
        {"width": "int(iResolution.x)", "height": "int(iResolution.y)"},
        {},
    )
    found = drawn(window, tmp_path, made.text)
    assert found[0, :4, 0].tolist() == [0xFF, 0xFF, 0xFF, 0x7E]
    assert (found[0, :4, 1] & 1).tolist() == [0, 1, 0, 0]
