"""What can be displayed (P11), and parameters."""

from __future__ import annotations

import numpy as np
import pytest

import pellucid
from pellucid import images as im
from pellucid.tracing import Point

X, Y = np.meshgrid(np.arange(-3, 3) + 0.5, np.arange(-3, 3) + 0.5)


def dimage(i, j):
    return im.packed_color(i * 40, j * 40, 7)


def packed(i, j):
    return (0xFF000000 | (i * 40 & 255) << 16 | (j * 40 & 255) << 8 | 7).astype(np.uint32)


DISPLAYABLE = {
    "Image Color": (lambda: im.const(im.red), False, "color"),
    "Image Bool": (lambda: im.checker, False, "region"),
    "Image Number": (lambda: im.x, False, "field"),
    "Image ColorRef": (lambda: im.const(im.discrete(dimage)), False, "packed"),
    "DImage": (lambda: im.discrete(dimage), False, "packed"),
    "ImageB Color": (lambda: im.turn(im.seconds, im.yb_rings.move((1, 0))), True, "color"),
    "ImageB ColorRef": (lambda: im.move((im.seconds, 0), im.discrete(dimage)), True, "packed"),
    "DImageB": (
        lambda: im.discrete_animation(lambda ms: lambda i, j: im.packed_color(ms, i, j)),
        True,
        "packed",
    ),
    "still as animation": (lambda: im.animation(im.checker), False, "region"),
    "Color": (lambda: im.red, False, "color"),
    "Behavior of numbers": (lambda: im.seconds / 2, True, "field"),
}


@pytest.mark.parametrize("name", DISPLAYABLE)
def test_p11_a_source_and_whether_it_varies(name):
    make, varies, kind = DISPLAYABLE[name]
    source, time_varying = im.displayable(make())
    assert time_varying is varies
    assert source.kind == kind
    source.sample(0.5, Point(0.5, 0.5))
    assert im.displayable(source) == (source, varies)


def test_p11_other_sources_pass_as_they_are():
    class Source:
        time_varying = True

        def sample(self, time, point):
            return time

    source = Source()
    assert im.displayable(source) == (source, True)


def test_p11_a_discrete_image_is_made_of_unit_squares_also_below_zero():
    assert np.array_equal(
        im.discrete(dimage).at(X, Y), packed(np.floor(X).astype(int), np.floor(Y).astype(int))
    )
    assert len(np.unique(im.discrete(dimage).at(np.linspace(-1, 0.999, 40), 0.0))) == 2


def test_p11_a_discrete_animation_counts_milliseconds():
    ticking = im.discrete_animation(lambda ms: lambda i, j: ms)
    times = [ticking.at(0, 0, time=t).item() for t in (0.0, 0.0009, 0.001, 1.5)]
    assert times == [0, 0, 1, 1500]


def test_static_packed_literals_keep_all_their_bits():
    assert im.discrete(lambda i, j: 0xFFFF8000).at(0, 0) == 0xFFFF8000
    two = im.discrete(lambda i, j: pellucid.where(i > 0, 0xFFFF8000, 0x80FFFFFF)).at([0.5, 1.5], 0.5)
    assert two.tolist() == [0x80FFFFFF, 0xFFFF8000]


def test_pictures_are_marked_as_such_for_those_who_look_for_pictures():
    assert im.checker.__pellucid_picture__
    assert im.animation(im.checker).__pellucid_picture__


def test_parameters_are_numbers_wherever_words_take_numbers():
    radius = pellucid.param("tests_disk_radius", 1.0, 0, 10)
    made = im.disk(radius)
    assert made.at(2.0, 0.0) == np.False_
    assert made.at(2.0, 0.0, params={"tests_disk_radius": 3.0}) == np.True_


def test_a_picture_is_sampled_once_for_equal_points():
    """Composing pictures makes a DAG; tracing it must not take as long as the tree has leaves."""
    count = 0

    @im.image
    def base(p):
        nonlocal count
        count += 1
        return p.x > p.y

    picture = base
    for _ in range(30):
        picture = picture ^ im.move((1, 0), picture)
    picture.at(0.0, 0.0)
    assert count < 200
