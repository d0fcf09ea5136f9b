"""The paper on Pan, section 2, against formulas of NumPy: requirements P1 to P4 and P9."""

from __future__ import annotations

import numpy as np
import pytest

from pellucid import images as im
from pellucid.base.errors import VocabularyError
from pellucid.ir import types as T
from pellucid.tracing import Point, Value, tracing
from pellucid.tracing import functions as F

RANDOM = np.random.default_rng(5)
X, Y = RANDOM.uniform(-6, 6, (2, 400))
R, THETA = np.hypot(X, Y), np.arctan2(Y, X)


def at(picture, x=X, y=Y, **more):
    return picture.at(x, y, precision="f64", **more)


def checker(x, y):
    return (np.floor(x) + np.floor(y)) % 2 == 0


# ---- P1: images of anything, lifting, const, empty, cond, over ----


@pytest.mark.parametrize(
    ("value", "kind"),
    [(im.red, "color"), (True, "region"), (0.5, "field"), ((1.0, 2.0, 3.0), "structure")],
)
def test_p1_an_image_has_values_of_any_type(value, kind):
    assert im.image(lambda p: value).kind == kind


def test_p1_a_tuple_is_a_fine_value():
    both = im.lift(lambda a, b: (a, b), im.x, im.checker)
    x, inside = at(both)
    assert np.array_equal(x, X)
    assert np.array_equal(inside, checker(X, Y))


def test_p1_lifting_applies_a_function_point_by_point():
    made = im.lift(lambda a, b, c: a * b - F.min(c, 0.5), im.x, im.y, im.r)
    assert np.allclose(at(made), X * Y - np.minimum(R, 0.5))


def test_p1_const_is_the_same_everywhere_and_empty_is_invisible():
    assert np.array_equal(at(im.const(im.teal)), np.tile([0, 128 / 255, 128 / 255, 1], (len(X), 1)))
    assert not at(im.empty).any()


def test_p1_cond_chooses_point_by_point():
    made = im.cond(im.x < im.y, im.x * 2, im.y + 1)
    assert np.allclose(at(made), np.where(X < Y, X * 2, Y + 1))


def test_p1_a_function_may_return_another_image_which_is_sampled_there():
    assert np.array_equal(at(im.image(lambda p: im.checker)), checker(X, Y))


def test_p1_a_function_of_two_arguments_gets_the_coordinates():
    assert np.allclose(at(im.image(lambda x, y: x - 2 * y)), X - 2 * Y)


def test_p1_operators_of_fields_and_regions_are_pointwise():
    assert np.allclose(at((1 - im.x) / (2 + abs(im.y)) % 3), (1 - X) / (2 + abs(Y)) % 3)
    assert np.allclose(at(-(im.x**2)), -(X**2))
    assert np.array_equal(at((im.x <= 1) ^ (im.y >= im.x)), (X <= 1) ^ (Y >= X))
    assert np.array_equal(at(im.udisk - im.checker), (R < 1) & ~checker(X, Y))


# ---- P2: colors ----


def test_p2_lerp_weighs_the_first_color():
    w = np.linspace(0, 1, 7)
    a, b = np.array([0.2, 0.1, 0.4, 0.5]), np.array([0.0, 0.9, 0.3, 1.0])
    made = im.lift(lambda w: im.lerp_color(w, im.Color(*a), im.Color(*b)), im.x)
    assert np.allclose(at(made, w, 0 * w), w[:, None] * a + (1 - w[:, None]) * b)


def test_p2_over_is_the_formula_of_the_paper():
    top, bottom = np.array([0.2, 0.1, 0.4, 0.5]), np.array([0.0, 0.9, 0.3, 1.0])
    made = im.over(im.const(im.Color(*top)), im.const(im.Color(*bottom)))
    assert np.allclose(at(made)[0], top + (1 - top[3]) * bottom)


@pytest.mark.parametrize("mixer", ["lerp", "over"])
def test_p2_lerp_and_over_keep_the_invariants_of_colors(mixer):
    alpha = RANDOM.uniform(0, 1, (2, 500, 1))
    a, b = np.concatenate([RANDOM.uniform(0, 1, (2, 500, 3)) * alpha, alpha], axis=2).astype(np.float32)
    w = RANDOM.uniform(0, 1, 500).astype(np.float32)
    w[:20], a[:10, 3], b[:10, 3] = np.repeat([0, 1], 10), 1, 1

    from pellucid.ir import expr as E
    from pellucid.ir.interp import evaluate
    from pellucid.tracing.tracer import lift

    with tracing():
        names = [E.param(f"c{k}", T.f32) for k in range(9)]
        first, second = (im.Color(*map(Value, names[k : k + 4])) for k in (0, 4))
        made = im.lerp_color(Value(names[8]), first, second) if mixer == "lerp" else first.over(second)
        roots = [lift(c) for c in made]
    result = np.stack(evaluate(roots, dict(zip(names, [*a.T, *b.T, w], strict=True))), axis=-1)
    tolerance = 2.0**-23
    assert (result >= 0).all()
    assert (result <= 1 + tolerance).all()
    assert (result[:, :3] <= result[:, 3:] + tolerance).all()


def test_p2_exactly_one_color_is_invisible():
    assert im.invisible == im.Color(0, 0, 0, 0)
    assert im.rgba(0.7, 0.2, 0.1, 0) == im.invisible


# ---- P3: transforms, and images by their inverses ----


def moved(transform, x=1.5, y=-0.5):
    p = transform(Point(x, y))
    return np.array([p.x, p.y], float)


def test_p3_transforms_of_points():
    c, s = np.cos(0.7), np.sin(0.7)
    assert np.allclose(moved(im.translate((2, 3))), [3.5, 2.5])
    assert np.allclose(moved(im.scale((2, 3))), [3, -1.5])
    assert np.allclose(moved(im.uscale(2)), [3, -1])
    assert np.allclose(moved(im.rotate(0.7)), [1.5 * c + 0.5 * s, -0.5 * c + 1.5 * s])


def test_p3_swirling_makes_a_full_turn_at_its_radius():
    assert np.allclose(moved(im.swirling(4), 4, 0), [4, 0])
    assert np.allclose(moved(im.swirling(4), 2, 0), [-2, 0])
    assert np.allclose(moved(im.swirling(4), 1, 0), [0, 1])


@pytest.mark.parametrize(
    ("picture", "inverse"),
    [
        (lambda i: im.move((0.3, -1.2), i), im.translate((-0.3, 1.2))),
        (lambda i: im.stretch((2, -0.5), i), im.scale((0.5, -2))),
        (lambda i: im.ustretch(2.5, i), im.uscale(1 / 2.5)),
        (lambda i: im.turn(0.9, i), im.rotate(-0.9)),
        (lambda i: im.swirl(7, i), im.swirling(-7)),
    ],
)
def test_p3_images_are_transformed_by_the_inverse(picture, inverse):
    image = im.x + 3 * im.y
    assert np.allclose(at(picture(image)), at(im.warp(inverse, image)))


def test_p3_moving_to_the_right_shows_further_right():
    assert im.move((2, 1), im.udisk).at([2, -2], [1, -1]).tolist() == [True, False]


def test_p3_turning_is_counterclockwise():
    assert im.turn(np.pi / 2, im.move((2, 0), im.udisk)).at([0, 0], [2, -2]).tolist() == [True, False]


def test_p3_stretching_enlarges():
    assert im.ustretch(3, im.udisk).at([2.9, 3.1], 0).tolist() == [True, False]


# ---- P4: checkers ----


def test_p4_checker_is_the_parity_of_the_floors_also_left_of_the_origin():
    x, y = np.meshgrid(np.arange(-4, 4) + 0.5, np.arange(-4, 4) + 0.25)
    assert np.array_equal(im.checker.at(x, y), (np.floor(x).astype(int) + np.floor(y).astype(int)) % 2 == 0)


@pytest.mark.parametrize("size", [1, 10, 0.3, 7.7])
def test_p4_both_forms_of_the_checkerboard_are_identical(size):
    x, y = np.meshgrid(np.arange(-64, 64) + 0.5, np.arange(-64, 64) + 0.5)
    scaled_points = im.checkerboard(size, im.black, im.white)
    stretched = im.ustretch(size, im.cond(im.checker, im.const(im.black), im.const(im.white)))
    assert np.array_equal(scaled_points.at(x, y), stretched.at(x, y))


# ---- P9: animations and behaviors ----


def checkturn(t):
    return im.turn(t, im.checkerboard(10, im.red, im.blue))


def test_p9_an_animation_is_a_function_of_time():
    turning = im.animation(checkturn)
    x, y = X * 10, Y * 10
    for t in (0.0, 1.25):
        c, s = np.cos(-t), np.sin(-t)
        red = checker((x * c - y * s) / 10, (y * c + x * s) / 10)
        assert np.array_equal(at(turning, x, y, time=t)[:, 0] == 1, red)


def test_p9_speedup_multiplies_time():
    fast = im.animation(checkturn).speedup(2)
    assert np.array_equal(at(fast, time=0.6), at(im.animation(checkturn), time=1.2))
    assert im.behavior(lambda t: t * t).speedup(3)(2.0) == 36.0


def test_p9_behaviors_of_any_type_make_animations_where_words_take_numbers():
    same = im.turn(im.seconds, im.checkerboard(10, im.red, im.blue))
    assert isinstance(same, im.Animation)
    assert np.array_equal(at(same, time=0.8), at(im.animation(checkturn), time=0.8))
    moving = im.move((im.seconds * 2, 1 - im.seconds), im.udisk)
    assert moving.at(4.0, -1.0, time=2.0)
    assert im.cond(im.seconds > 1, im.red, im.blue).at(0, 0, time=2.0).tolist() == [1, 0, 0, 1]


def test_p9_words_of_an_animation_are_animations():
    grown = im.animation(lambda t: im.disk(1 + t)).move((1, 0)) & im.checker
    assert isinstance(grown, im.Animation)
    assert np.array_equal(at(grown, time=1.0), (np.hypot(X - 1, Y) < 2) & checker(X, Y))


def test_p9_a_still_image_is_an_animation_that_does_not_vary():
    assert im.animation(im.checker).time_varying is False
    assert im.animation(lambda t: im.checker).time_varying is False
    assert im.animation(checkturn).time_varying is True
    assert im.checker.time_varying is False


def test_p9_a_function_that_gives_no_image_is_refused():
    with pytest.raises(VocabularyError, match="returns nothing; return an image"):
        im.animation(lambda t: None).at(0, 0)
