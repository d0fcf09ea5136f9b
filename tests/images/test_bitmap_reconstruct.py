"""Reconstruction against the definitions written out in NumPy, point by point; and what the residue looks like (P5)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pellucid import images as im
from pellucid.base.errors import InputError
from pellucid.images.array2 import Array2, Raster
from pellucid.images.bitmap import Bitmap
from pellucid.images.color import Color
from pellucid.images.reconstruct import EDGES, FILTERS, sampler
from pellucid.images.texel import Texels, element_of, layout_named
from pellucid.ir import expr as E
from pellucid.ir import types as T
from pellucid.reasoning.infer import infer
from pellucid.tracing import Point, Value, flatten, where

SIZES = [(1, 1), (1, 4), (5, 1), (2, 2), (3, 2), (4, 4), (7, 5)]


# ---- the definitions, written out ----


def tap(colors: np.ndarray, i: int, j: int, edge: str) -> np.ndarray:
    """The color at any column and row, also outside."""
    height, width = colors.shape[:2]
    if edge == "transparent" and not (0 <= i < width and 0 <= j < height):
        return np.zeros(4)

    def inside(k: int, n: int) -> int:
        if edge == "wrap":
            return k % n
        if edge == "mirror":
            k %= 2 * n
            return k if k < n else 2 * n - 1 - k
        return min(max(k, 0), n - 1)

    return colors[inside(j, height), inside(i, width)]


def weights(filter: str, s: float) -> dict[int, float]:
    if filter == "nearest":
        return {0 if s < 0.5 else 1: 1.0}
    if filter == "bilinear":
        return {0: 1 - s, 1: s}
    # Catmull and Rom: the tangent at each point is half the step between its neighbors.
    return {
        -1: (-(s**3) + 2 * s**2 - s) / 2,
        0: (3 * s**3 - 5 * s**2 + 2) / 2,
        1: (-3 * s**3 + 4 * s**2 + s) / 2,
        2: (s**3 - s**2) / 2,
    }


def reference(colors: np.ndarray, x: float, y: float, filter: str, edge: str) -> np.ndarray:
    height, width = colors.shape[:2]
    if edge == "crop" and not (-width / 2 <= x < width / 2 and -height / 2 < y <= height / 2):
        return np.zeros(4)
    u, v = x + width / 2 - 0.5, height / 2 - 0.5 - y
    i, j = int(np.floor(u)), int(np.floor(v))
    total = np.zeros(4)
    for di, a in weights(filter, u - i).items():
        for dj, b in weights(filter, v - j).items():
            total = total + a * b * tap(colors, i + di, j + dj, edge)
    if filter == "bicubic":
        total[3] = min(max(total[3], 0), 1)
        total[:3] = np.clip(total[:3], 0, total[3])
    return total


def picture(width: int, height: int) -> tuple[np.ndarray, im.Image]:
    stored = np.random.default_rng(width * 100 + height).integers(0, 256, (height, width, 4), np.uint8)
    stored[..., :3] = np.minimum(stored[..., :3], stored[..., 3:])
    return stored / 255, im.bitmap(stored, alpha="premultiplied")


def points(width: int, height: int) -> tuple[np.ndarray, np.ndarray]:
    # Away from the steps of nearest, where rounding decides.
    draw = np.random.default_rng(1)
    x = draw.uniform(-1.6 * width - 3, 1.6 * width + 3, 400)
    y = draw.uniform(-1.6 * height - 3, 1.6 * height + 3, 400)
    return x.astype(np.float32), y.astype(np.float32)


@pytest.mark.parametrize("filter", FILTERS)
@pytest.mark.parametrize("edge", EDGES)
@pytest.mark.parametrize(("width", "height"), SIZES)
def test_every_filter_and_edge(width: int, height: int, filter: str, edge: str):
    colors, bitmap = picture(width, height)
    x, y = points(width, height)
    got = bitmap.reconstruct(filter, edge).at(x, y)
    want = [reference(colors, float(a), float(b), filter, edge) for a, b in zip(x, y, strict=True)]
    assert np.allclose(got, want, atol=2e-5)


@pytest.mark.parametrize("filter", FILTERS)
@pytest.mark.parametrize("edge", EDGES)
def test_every_filter_passes_through_the_pixels(filter: str, edge: str):
    colors, bitmap = picture(6, 5)
    x, y = np.arange(6) - 2.5, 2 - np.arange(5)[:, None]
    assert np.allclose(bitmap.reconstruct(filter, edge).at(x, y), colors, atol=1e-6)


def test_pixels_of_a_view_of_the_same_size_are_the_very_bytes():
    colors, bitmap = picture(6, 5)
    x, y = np.arange(6) - 2.5, 2 - np.arange(5)[:, None]
    assert np.array_equal(np.floor(bitmap.at(x, y) * 255 + 0.5), np.rint(colors * 255))


def test_the_corners_of_four_pixels_are_where_they_belong():
    # Erratum: at (0, 0) the result is the lower left pixel, at (1, 0) the lower right one.
    names = {"lower left": 10, "lower right": 20, "upper left": 30, "upper right": 40}
    bitmap = im.bitmap(np.uint8([[30, 40], [10, 20]]))
    at = {"lower left": (0, 0), "lower right": (1, 0), "upper left": (0, 1), "upper right": (1, 1)}
    for corner, (x, y) in at.items():
        assert np.rint(bitmap.at(x - 0.5, y - 0.5)[0] * 255) == names[corner]
    assert np.rint(bitmap.at(-0.25, -0.5)[0] * 255 * 4) == 3 * 10 + 20
    assert np.rint(bitmap.at(-0.5, -0.25)[0] * 255 * 4) == 3 * 10 + 30


def test_positions_are_rounded_down_left_of_the_first_pixel():
    # Erratum: truncation would take a point left of the first column for one right of it.
    bitmap = im.bitmap(np.uint8([[255, 255]]))
    alpha = bitmap.at(np.array([-1.75, -1.5, -1.25, -1.0, -0.75, -0.5]), 0.0)[:, 3]
    assert np.allclose(alpha, [0, 0, 0.25, 0.5, 0.75, 1])
    assert np.allclose(bitmap.at(-np.array([-1.75, -1.5, -1.25, -1.0, -0.75, -0.5]), 0.0)[:, 3], alpha)


def test_nothing_is_outside():
    _, bitmap = picture(4, 3)
    far = np.array([-1e30, -1e9, -3e3, -2.6, 2.6, 70.0, 1e9, 1e30, np.inf, -np.inf, np.nan])
    for filter in FILTERS:
        for edge in ("transparent", "crop"):
            outside = bitmap.reconstruct(filter, edge)
            margin = 1.0 if filter == "bicubic" else 0.0
            beyond = far[np.abs(far) != 2.6] if margin else far
            assert not outside.at(beyond, 0.0).any()
            assert not outside.at(0.0, beyond).any()


@pytest.mark.parametrize("filter", FILTERS)
@pytest.mark.parametrize("edge", EDGES)
@given(x=st.floats(width=32), y=st.floats(width=32))
def test_any_point_gives_a_color(filter: str, edge: str, x: float, y: float):
    _, bitmap = picture(4, 3)
    r, g, b, a = bitmap.reconstruct(filter, edge).at(x, y)
    assert 0 <= a <= 1 + 1e-6
    for c in (r, g, b):
        assert -1e-6 <= c <= a + 1e-6


def test_in_linear_light():
    bitmap = im.bitmap(np.uint8([[0, 255]]))
    half = bitmap.reconstruct("bilinear", "clamp", "linear").at(0.0, 0.0)
    # The stored number whose light is half that of white.
    assert np.allclose(half, [0.735357, 0.735357, 0.735357, 1.0], atol=1e-5)
    stored = np.uint8([[[200, 100, 50, 128], [200, 100, 50, 128]]])
    same = im.bitmap(stored)
    assert np.allclose(same.reconstruct(space="linear").at(0.1, 0.0), same.at(0.1, 0.0), atol=1e-4)


def test_linear_light_of_half_transparent_colors():
    stored = np.uint8([[[255, 0, 0, 255], [0, 0, 255, 51]]])
    got = im.bitmap(stored).reconstruct(space="linear", edge="clamp").at(0.0, 0.0)
    alpha = (1 + 0.2) / 2
    light = np.array([1.0, 0.0, 0.2]) / 2 / alpha
    srgb = np.where(light <= 0.0031308, light * 12.92, 1.055 * light ** (1 / 2.4) - 0.055)
    assert np.allclose(got, [*(srgb * alpha), alpha], atol=1e-5)


@pytest.mark.parametrize("word", ["filter", "edge", "space"])
def test_other_names_are_refused(word: str):
    with pytest.raises(InputError, match=f"no {word} is called 'bilinaer'"):
        sampler(Array2(1, 1, lambda i, j: Color(0, 0, 0)), **{word: "bilinaer"})


def test_words_of_the_vocabulary_check_them_too():
    with pytest.raises(Exception, match="did you mean 'bilinear'"):
        im.reconstruct(np.zeros((2, 2), np.uint8), "bilinaer")


# ---- arrays that are computed ----


def test_a_function_of_column_and_row():
    made = Array2(3, 2, lambda i, j: Color(i / 2, j, 0.0, 1.0))
    got = im.reconstruct(made, "nearest").at(np.arange(3) - 1, 0.5 - np.arange(2)[:, None])
    assert np.array_equal(got[..., 0], [[0, 0.5, 1], [0, 0.5, 1]])
    assert np.array_equal(got[..., 1], [[0, 0, 0], [1, 1, 1]])


def test_the_function_is_asked_inside_only():
    def checked(i, j):
        inside = (0 <= i) & (i < 4) & (0 <= j) & (j < 3)
        return Color(where(inside, 0.0, np.nan), 0.0, 0.0, 1.0)

    made = Array2(4, 3, checked)
    x, y = points(4, 3)
    for filter in FILTERS:
        for edge in EDGES:
            assert np.isfinite(im.reconstruct(made, filter, edge).at(x, y)).all()


def test_sizes_without_pixels_are_refused():
    for size in ((0, 1), (1, 0), (-3, 3)):
        with pytest.raises(InputError, match="is no size of an array"):
            Array2(*size, lambda i, j: Color(0, 0, 0))
    with pytest.raises(InputError, match="gives 2 numbers instead of a color"):
        im.reconstruct(Array2(2, 2, lambda i, j: (i, j))).at(0, 0)


def test_pixels_that_reach_beyond_their_buffer_are_refused():
    buffer = E.Buffer("small", T.u8, 11)
    with pytest.raises(InputError, match="reach beyond its 11 elements"):
        Raster(4, 3, layout_named("gray8"), buffer)


# ---- the residue ----


def residue(bitmap, *arguments) -> list[E.Expr]:
    x, y = (Value(E.param(n, T.f32)) for n in "xy")
    made = bitmap.reconstruct(*arguments)(Point(x, y))
    return [leaf.expr for leaf in flatten(made)[0] if isinstance(leaf, Value)]


def test_fast_loads_are_pairs_under_one_condition():
    buffer = E.Buffer("texels", T.u32, 64 * 32)
    bitmap = Bitmap(Raster(64, 32, layout_named("rgba"), buffer, premultiplied=True))
    roots = residue(bitmap)
    # Each channel is scaled once, after one choice that all four share.
    conditions = set()
    for root in roots:
        assert root.op == "mul"
        choice, scale = root.args
        assert scale.attr == float(np.float32(1 / 255))
        assert choice.op == "choose"
        conditions.add(choice.args[0])
    assert len(conditions) == 1
    fast = E.topological([root.args[0].args[1] for root in roots])
    loads = [n for n in fast if n.op == "load"]
    assert len(loads) == 4
    positions = [n.args[0] for n in loads]
    pairs = [(p, q) for p in positions for q in positions if q.op == "add" and q.args[0] is p]
    assert [q.args[1].attr for _, q in pairs].count(1) == 2
    assert {n.op for n in fast if n.op in ("choose", "div", "floor_div", "mod")} == set()


def test_fast_loads_are_inside_by_their_facts():
    for layout, width, height in (("rgba", 64, 32), ("bgr24", 5, 7), ("gray8", 2, 2)):
        chosen = layout_named(layout)
        element = element_of(chosen)
        size = width * height * Texels(chosen, element).step
        bitmap = Bitmap(Raster(width, height, chosen, E.Buffer("texels", element, size)))
        roots = residue(bitmap)
        fast = [root.args[0].args[1] for root in roots if root.op == "mul"]
        facts = infer(fast)
        loads = [n for n in E.topological(fast) if n.op == "load"]
        assert loads
        assert all(facts[n.args[0]].within(0, size - 1) for n in loads)


def test_clamped_edges_need_no_branch():
    bitmap = Bitmap(Raster(64, 32, layout_named("rgba"), E.Buffer("texels", T.u32, 2048)))
    for edge in ("clamp", "mirror"):
        nodes = E.topological(residue(bitmap, "bilinear", edge))
        assert "choose" not in {n.op for n in nodes}
        assert sum(n.op == "load" for n in nodes) == 4


def test_gray_is_mixed_once():
    bitmap = Bitmap(Raster(64, 32, layout_named("gray8"), E.Buffer("texels", T.u8, 2048)))
    nodes = E.topological(residue(bitmap, "bilinear", "clamp"))
    assert sum(n.op == "lerp" for n in nodes) == 3
