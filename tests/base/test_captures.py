"""What functions capture: each kind of variable is noticed when it changes, and what cannot be told is not guessed."""

from __future__ import annotations

import functools
import math
import random

import numpy as np
import pytest

import pellucid as pl
from pellucid import images as im
from pellucid.base import captures as captured
from pellucid.base.captures import captures

SPEED = 3.0
SIZES = [1, 2]
WORDS = {"a": 1}


def named():
    return SPEED * SIZES[0] + WORDS["a"]


def through():
    return named() + math.pi


def enclosing(value):
    def inner():
        return value

    def change(other):
        nonlocal value
        value = other

    return inner, change


def test_what_is_unchanged_holds():
    found = captures(through)
    assert found is not None
    assert found.hold()


def test_a_global_behind_another_function_is_noticed(monkeypatch):
    found = captures(through)
    assert found is not None
    monkeypatch.setitem(globals(), "SPEED", 4.0)
    assert not found.hold()


def test_a_global_that_appears_is_noticed(monkeypatch):
    found = captures(lambda: max(1, 2))
    assert found is not None
    monkeypatch.setitem(globals(), "max", min)
    assert not found.hold()


@pytest.mark.parametrize("change", [lambda: SIZES.append(3), lambda: SIZES.__setitem__(0, 5)])
def test_lists_are_noticed(change):
    found, before = captures(through), list(SIZES)
    assert found is not None
    change()
    try:
        assert not found.hold()
    finally:
        SIZES[:] = before


@pytest.mark.parametrize("change", [{"b": 2}, {"a": 7}])
def test_dictionaries_are_noticed(monkeypatch, change):
    found = captures(through)
    assert found is not None
    for name, value in change.items():
        monkeypatch.setitem(WORDS, name, value)
    assert not found.hold()


def test_a_variable_around_is_noticed():
    inner, change = enclosing(1)
    found = captures(inner)
    assert found is not None
    assert found.hold()
    change(2)
    assert not found.hold()


def test_another_body_of_a_function_is_noticed():
    def one():
        return 1

    found = captures(functools.partial(one))
    assert found is not None
    one.__code__ = (lambda: 2).__code__
    assert not found.hold()


class Mutable:
    value = 1


def importing():
    import math as numbers

    return numbers.pi


@pytest.mark.parametrize(
    "thing",
    [
        importing,
        lambda: open("anything").read(),  # noqa: SIM115, PTH123 - it is never called
        lambda: random.random() + 1,
        lambda: np.random.default_rng().random(),
        enclosing(np.zeros(3))[0],
        enclosing(Mutable())[0],
        enclosing(iter([1]))[0],
        Mutable,
        Mutable(),
        im.bitmap(np.zeros((2, 2, 4), np.uint8)),
    ],
)
def test_what_cannot_be_told_has_no_captures(thing):
    assert captures(thing) is None


def test_too_many_variables_have_none(monkeypatch):
    monkeypatch.setattr(captured, "MAX_CAPTURED", 20)
    assert captures(enclosing(list(range(30)))[0]) is None


def test_pictures_of_words_have_captures():
    picture = im.swirl(1, im.over(im.disk(1).fill(im.red), im.checkerboard(2, im.black, im.white)))
    moving = pl.animation(lambda t: im.turn(t * SPEED, picture))
    for each in (picture, moving, picture.framed(64)):
        found = captures(each)
        assert found is not None
        assert found.hold()
