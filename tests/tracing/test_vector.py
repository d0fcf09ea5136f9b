"""Vectors of three: against NumPy, in pictures that trace, and refused where the operands are none."""

from __future__ import annotations

import numpy as np
import pytest

import pellucid as pl
from pellucid import images as im
from pellucid.base.errors import PellucidError

DRAW = np.random.default_rng(0).uniform(-2, 2, (20, 2, 3))


@pytest.mark.parametrize(("a", "b"), DRAW.tolist())
def test_operations_are_those_of_numpy(a: list[float], b: list[float]):
    v, w = pl.Vector3(*a), pl.Vector3(*b)
    x, y = np.array(a), np.array(b)
    unit = y / np.linalg.norm(y)
    assert [*(v + w)] == pytest.approx(x + y)
    assert [*(v - w)] == [*(v - tuple(b))] == [*(tuple(a) - w)] == pytest.approx(x - y)
    assert [*(v * 2)] == [*(2 * v)] == [*(v / 0.5)] == [*-(v * -2)] == pytest.approx(2 * x)
    assert v.dot(w) == pytest.approx(x @ y)
    assert [*v.cross(w)] == pytest.approx(np.cross(x, y))
    assert v.length == abs(v) == pytest.approx(np.linalg.norm(x))
    assert [*w.normalize()] == pytest.approx(unit)
    assert [*v.reflect(w.normalize())] == pytest.approx(x - 2 * (x @ unit) * unit)
    assert [v[0], v[1], v[2]] == a


def test_a_reflected_ray_keeps_its_length_and_its_angle():
    normal, ray = pl.Vector3(1, 2, -2).normalize(), pl.Vector3(0.3, -0.8, 0.1)
    thrown = ray.reflect(normal)
    assert thrown.length == pytest.approx(ray.length)
    assert thrown.dot(normal) == pytest.approx(-ray.dot(normal))


def test_no_direction_is_no_direction():
    assert [*pl.Vector3(0, 0, 0).normalize()] == [0, 0, 0]
    drawn = im.image(lambda p: pl.Vector3(p.x * 0, p.y * 0, 0).normalize().length)
    assert drawn.at(1, 1) == 0


def test_a_lit_ball_is_that_of_numpy():
    light = pl.Vector3(-1, 2, 2).normalize()

    @pl.image
    def ball(p: pl.Point) -> object:
        normal = pl.Vector3(p.x, p.y, pl.sqrt(pl.clamp(1 - p.dot(p), 0, 1)))
        return pl.where(p.r < 1, pl.clamp(normal.dot(light), 0, 1), 0.0)

    x, y = np.meshgrid(np.linspace(-0.7, 0.7, 9), np.linspace(-0.7, 0.7, 9))
    z = np.sqrt(1 - x * x - y * y)
    assert np.allclose(ball.at(x, y), np.clip((-x + 2 * y + 2 * z) / 3, 0, 1), atol=1e-6)


def test_a_ray_marches_to_a_sphere():
    center = pl.Vector3(0.2, -0.1, 4)

    @pl.image
    def depth(p: pl.Point) -> object:
        ray = pl.Vector3(p.x, p.y, 1).normalize()
        at, _ = pl.iterate(
            lambda state: (state[0] + ray * state[1], (state[0] + ray * state[1] - center).length - 1),
            (pl.Vector3(0.0, 0.0, 0.0), center.length - 1),
            until=lambda state: state[1] < 1e-5,
            limit=100,
        )
        return at.length

    for x, y in ((0.0, 0.0), (0.1, 0.05), (-0.05, -0.1)):
        ray = np.array([x, y, 1]) / np.linalg.norm([x, y, 1])
        along = ray @ np.array([*center])
        hit = along - np.sqrt(along**2 - np.dot([*center], [*center]) + 1)
        assert depth.at(x, y, precision="f64") == pytest.approx(hit, abs=1e-4)


def test_a_condition_chooses_between_vectors():
    field = im.image(lambda p: pl.where(p.x < 0, pl.Vector3(1, 2, 3), pl.Vector3(4, 5, 6)).y)
    assert field.at([-1, 1], 0).tolist() == [2, 5]


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (lambda v: v * v, r"vectors have no \*.*write a\.dot"),
        (lambda v: v / (1, 2, 3), "vectors have no /"),
        (lambda v: v + 1, "1 is not a vector; give a Vector3 or three numbers"),
        (lambda v: v.dot((1, 2)), r"\(1, 2\) is not a vector"),
        (lambda v: v.cross(pl.Point(1, 2)), "is not a vector"),
        (lambda v: v[3], "a vector has no part 3"),
        (lambda v: v.w, "a vector has no 'w'; it has x, y, z and length"),
        (lambda v: v.reflect("x"), "'x' is not a vector"),
    ],
)
def test_what_is_no_operand_is_refused(wrong, told: str):
    with pytest.raises(PellucidError, match=told):
        wrong(pl.Vector3(1, 2, 3))
