"""Colors, color spaces, gradients and adjustments."""

from __future__ import annotations

import colorsys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pellucid import images as im
from pellucid.base.errors import TraceError
from pellucid.images import spaces
from pellucid.images.css import NAMED, parse_color

part = st.floats(0, 1)
tau = 2 * np.pi


# ---- names and notation ----


def test_there_are_148_named_colors_and_the_invisible_one_under_two_names():
    assert len(NAMED) == 150
    assert {name for name, color in NAMED.items() if color.a == 0} == {"invisible", "transparent"}


@pytest.mark.parametrize(
    ("name", "digits"),
    [
        ("rebeccapurple", "#663399"),
        ("AliceBlue", "#F0F8FF"),
        ("yellowgreen", "#9acd32"),
        ("lime", "#0f0"),
        ("papayawhip", "#ffefd5ff"),
        ("lightgoldenrodyellow", "#fafad2"),
    ],
)
def test_names_and_digits_agree(name, digits):
    assert parse_color(name) == parse_color(digits)
    assert getattr(im, name.lower()) == im.color(digits)


def test_named_colors_agree_with_pillow():
    image_color = pytest.importorskip("PIL.ImageColor")
    for name, color in NAMED.items():
        if color.a == 1:
            assert tuple(round(c * 255) for c in list(color)[:3]) == image_color.getrgb(name), name


def test_digits_with_alpha_are_premultiplied():
    assert np.allclose(list(im.color("#ff000080")), [128 / 255, 0, 0, 128 / 255])


def test_words_take_colors_by_name():
    assert np.array_equal(im.const("teal").at(0, 0), im.const(im.teal).at(0, 0))


# ---- spaces ----


@given(part)
def test_linear_light_and_back(x):
    assert spaces.from_linear(spaces.to_linear(x)) == pytest.approx(x, abs=1e-7)


def test_linear_light_is_the_curve_of_the_standard():
    assert spaces.to_linear(0.04045) == pytest.approx(0.04045 / 12.92)
    assert spaces.to_linear(0.5) == pytest.approx(((0.5 + 0.055) / 1.055) ** 2.4)
    assert [spaces.to_linear(x) for x in (0.0, 1.0)] == pytest.approx([0, 1])


@given(part, part, part)
def test_oklab_and_back(r, g, b):
    assert spaces.from_oklab(*spaces.to_oklab(r, g, b)) == pytest.approx((r, g, b), abs=1e-5)


@given(part, part, part)
def test_oklch_is_oklab_in_polar_coordinates(r, g, b):
    lightness, chroma, hue = spaces.to_oklch(r, g, b)
    assert spaces.to_oklab(r, g, b) == pytest.approx(
        (lightness, chroma * np.cos(hue), chroma * np.sin(hue)), abs=1e-9
    )


def test_oklab_of_known_colors():
    # Values published with the definition of the space.
    assert spaces.to_oklab(1.0, 1.0, 1.0) == pytest.approx((1, 0, 0), abs=1e-4)
    assert spaces.to_oklab(1.0, 0.0, 0.0) == pytest.approx((0.62796, 0.22486, 0.12585), abs=1e-4)
    assert spaces.to_oklab(0.0, 0.0, 1.0) == pytest.approx((0.45201, -0.03246, -0.31153), abs=1e-4)


@given(part, part, part)
def test_hsv_agrees_with_the_standard_library(h, s, v):
    assert spaces.from_hsv(h * tau, s, v) == pytest.approx(colorsys.hsv_to_rgb(h, s, v), abs=1e-9)


@given(part, part, part)
def test_hsl_agrees_with_the_standard_library(h, s, l):  # noqa: E741 - the usual letters
    assert spaces.from_hsl(h * tau, s, l) == pytest.approx(colorsys.hls_to_rgb(h, l, s), abs=1e-9)


@given(part, part, part)
def test_hsv_and_back(r, g, b):
    assert spaces.from_hsv(*spaces.to_hsv(r, g, b)) == pytest.approx((r, g, b), abs=1e-6)


# ---- gradients ----


def along(picture, x):
    return picture.at(np.array(x, float), 0.0, precision="f64")


def test_stops_are_spread_evenly_and_held_beyond_the_ends():
    made = im.linear_gradient((0, 0), (4, 0), [im.black, im.red, im.white])
    assert np.allclose(along(made, [-1, 0, 1, 2, 3, 4, 9])[:, 0], [0, 0, 0.5, 1, 1, 1, 1])
    assert np.allclose(along(made, [-1, 0, 1, 2, 3, 4, 9])[:, 1], [0, 0, 0, 0, 0.5, 1, 1])


def test_stops_may_have_positions_and_hard_edges():
    stops = [(0.0, im.black), (0.5, im.black), (0.5, im.white), (1.0, im.white)]
    made = im.linear_gradient((0, 0), (1, 0), stops)
    assert along(made, [0.2, 0.499, 0.501, 0.9])[:, 0].tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize(
    ("spread", "expected"),
    [("pad", [0, 0.25, 1, 1]), ("repeat", [0.75, 0.25, 0.25, 0.5]), ("reflect", [0.25, 0.25, 0.75, 0.5])],
)
def test_beyond_the_ends_a_gradient_is_held_repeated_or_reflected(spread, expected):
    made = im.linear_gradient((0, 0), (1, 0), [im.black, im.white], spread=spread)
    assert np.allclose(along(made, [-0.25, 0.25, 1.25, 2.5])[:, 0], expected)


@pytest.mark.parametrize("space", ["srgb", "linear", "oklab", "oklch"])
def test_every_space_has_the_stops_at_their_places(space):
    made = im.linear_gradient((0, 0), (2, 0), ["#204080", "#e07020", "#f0f0c0"], space)
    expected = [[0x20, 0x40, 0x80], [0xE0, 0x70, 0x20], [0xF0, 0xF0, 0xC0]]
    assert np.allclose(along(made, [0, 1, 2])[:, :3] * 255, expected, atol=0.05)


def test_the_middle_of_a_gradient_of_light_is_the_mean_of_light():
    made = im.linear_gradient((0, 0), (2, 0), [im.black, im.white], "linear")
    assert np.allclose(along(made, [1])[0, 0], spaces.from_linear(0.5))


def test_in_oklch_the_hue_goes_the_shorter_way():
    made = im.linear_gradient((0, 0), (2, 0), [im.oklch(0.7, 0.1, -3.0), im.oklch(0.7, 0.1, 3.0)], "oklch")
    hue = spaces.to_oklch(*along(made, [1])[0, :3].tolist())[2]
    assert abs(hue) == pytest.approx(np.pi, abs=1e-3)


@pytest.mark.parametrize("space", ["srgb", "linear", "oklab", "oklch"])
def test_what_fades_out_leaves_no_tint(space):
    made = im.linear_gradient((0, 0), (2, 0), [im.red, im.invisible], space)
    assert np.allclose(along(made, [1]), [[0.5, 0, 0, 0.5]], atol=1e-4)


def test_radial_and_conic_gradients_and_ramps():
    radial = im.radial_gradient((1, 0), 2, [im.black, im.white])
    assert np.allclose(along(radial, [1, 2, -1, 9])[:, 0], [0, 0.5, 1, 1])
    conic = im.conic_gradient((0, 0), 0, [im.black, im.white])
    assert np.allclose(conic.at([0, -1, 0], [1, 0, -1], precision="f64")[:, 0], [0.25, 0.5, 0.75])
    assert np.allclose(along(im.ramp([im.black, im.white], im.x * 0.5), [0, 1, 3])[:, 0], [0, 0.5, 1])


# ---- adjustments ----

RANDOM = np.random.default_rng(2)
X, Y = RANDOM.uniform(-1, 1, (2, 300))
PICTURE = im.lift(lambda x, y: im.rgba(abs(x), abs(y), im.abs(x * y), 0.5 + 0.5 * y), im.x, im.y)
RGBA = PICTURE.at(X, Y, precision="f64")
ALPHA = RGBA[:, 3:]
STRAIGHT = RGBA[:, :3] / ALPHA


def changed(picture):
    result = picture.at(X, Y, precision="f64")
    return result[:, :3] / result[:, 3:], result[:, 3:]


def test_fade_multiplies_opacity_also_by_a_field():
    assert np.allclose(PICTURE.fade(0.25).at(X, Y, precision="f64"), RGBA * 0.25)
    faded = im.fade(abs(im.x), PICTURE).at(X, Y, precision="f64")
    assert np.allclose(faded, RGBA * abs(X)[:, None])


@pytest.mark.parametrize(
    "picture",
    [
        im.brighten(1.0, PICTURE),
        im.contrast(1, PICTURE),
        im.saturate(1, PICTURE),
        im.turn_hue(0, PICTURE),
        im.gamma(1, PICTURE),
        im.tint(0, im.red, PICTURE),
    ],
    ids=repr,
)
def test_an_adjustment_by_nothing_changes_nothing(picture):
    straight, alpha = changed(picture)
    assert np.allclose(alpha, ALPHA)
    assert np.allclose(straight, STRAIGHT, atol=2e-5)


def test_adjustments_are_their_formulas():
    assert np.allclose(changed(im.invert(PICTURE))[0], 1 - STRAIGHT)
    assert np.allclose(changed(im.contrast(2, PICTURE))[0], np.clip(0.5 + 2 * (STRAIGHT - 0.5), 0, 1))
    assert np.allclose(changed(im.gamma(2, PICTURE))[0], STRAIGHT**2, atol=1e-9)
    assert np.allclose(changed(im.posterize(3, PICTURE))[0], np.round(STRAIGHT * 2) / 2)
    tinted = changed(im.tint(0.5, im.white, PICTURE))[0]
    assert np.allclose(tinted, (STRAIGHT + 1) / 2)


def linear(x):
    return np.where(x <= 0.04045, x / 12.92, ((x + 0.055) / 1.055) ** 2.4)


def test_light_is_multiplied_and_weighed():
    light = linear(STRAIGHT)
    bright = linear(changed(im.brighten(1.5, PICTURE))[0])
    assert np.allclose(bright, np.clip(1.5 * light, 0, 1), atol=1e-6)
    weighed = light @ [0.2126, 0.7152, 0.0722]
    assert np.allclose(im.luminance(PICTURE).at(X, Y, precision="f64"), weighed * ALPHA[:, 0])
    gray = changed(im.grayscale(PICTURE))[0]
    assert np.allclose(linear(gray), weighed[:, None].repeat(3, axis=1), atol=1e-6)


def test_gray_has_no_saturation_and_hues_turn_full_circle():
    gray = changed(im.saturate(0, PICTURE))[0]
    assert np.ptp(gray, axis=1).max() < 1e-3
    around = changed(im.turn_hue(tau, PICTURE))[0]
    assert np.allclose(around, STRAIGHT, atol=2e-5)


def test_alpha_is_the_field_of_opacity():
    assert np.allclose(im.alpha(PICTURE).at(X, Y, precision="f64"), ALPHA[:, 0])


# ---- operators ----


def test_a_color_is_divided_as_it_is_multiplied():
    assert list(im.color("#336699") / 2) == list(im.color("#336699") * 0.5)
    picture = im.image(lambda p: im.red / (1 + p.x))
    assert picture.at([0, 1, 3], 0).tolist() == [[1, 0, 0, 1], [0.5, 0, 0, 0.5], [0.25, 0, 0, 0.25]]


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (lambda c: c / 0, "colors have no / .*; divide a color by a number that is not 0"),
        (lambda c: c / c, "colors have no / .*; divide a color by a number, or"),
        (lambda c: 2 / c, "colors have no / .*; divide a color by a number"),
        (lambda c: 1 + c, "colors have no [+] .*; give two colors"),
        (lambda c: 1 - c, "colors have no - .*; give two colors"),
        (lambda c: -c, "colors have no - .*; write color.map_straight.* for the inverse"),
        (lambda c: c**2, r"colors have no \*\* .*; change the components"),
        (lambda c: 2**c, r"colors have no \*\* .*; change the components"),
        (lambda c: c // 2, "colors have no // .*; change the components"),
        (lambda c: c % 2, "colors have no % .*; change the components"),
        (lambda c: c < im.red, "colors have no < .*; colors have no order; compare components"),
        (lambda c: c >= 1, "colors have no >= .*; colors have no order"),
    ],
)
def test_what_is_no_color_is_refused_with_the_way_out(wrong, told: str):
    with pytest.raises(TraceError, match=told):
        wrong(im.teal)
