"""A parameter is what was declared, not its name: two of one name never pass for each other."""

import itertools

import numpy as np
import pytest

import pellucid as pl
from pellucid import images as im
from pellucid.base.errors import InputError
from pellucid.driver.session import Session

BOARD = im.checkerboard(10, im.red, im.blue)


def picture(*params):
    """One swirl within another, as many as there are parameters."""
    found = BOARD
    for p in params:
        found = im.swirl(p, found)
    return found


def test_two_declarations_of_one_name_are_refused_with_both_places():
    one = pl.param("a", 50.0, low=10, high=100)
    other = pl.param("a", 60.0, low=20, high=200)
    for source in (picture(one, other), pl.image(lambda p: p.x * one > other), im.turn(one * other, BOARD)):
        with pytest.raises(InputError) as caught:
            pl.compile(source)
        assert str(caught.value).count("test_declarations.py:") == 2
        assert "50.0 in 10.0 .. 100.0" in str(caught.value)
        assert "60.0 in 20.0 .. 200.0" in str(caught.value)


@pytest.mark.parametrize(
    ("one", "other"),
    list(itertools.combinations([(2.0, 1.0, 3.0), (2.5, 1.0, 3.0), (2.0, 0.0, 3.0), (2.0, 1.0, 4.0)], 2)),
)
def test_each_part_of_a_declaration_counts_wherever_two_meet(one, other):
    a, b = pl.param("v", *one), pl.param("v", *other)
    with pytest.raises(InputError, match="two parameters of this name"):
        pl.compile(picture(a, b))
    with pytest.raises(InputError, match="two parameters of this name"):
        pl.image(lambda p: p.x * a + b).at(1.0, 2.0)
    assert pl.compile(picture(a, pl.param("v", *one))).params["v"].default == one[0], "what is equal is one"


def test_another_declaration_changes_no_picture_that_is_there():
    source = picture(pl.param("k", 50.0, low=10, high=100) * 1.0)
    before = pl.render(source, (32, 32))
    pl.param("k", 2.0, low=0.0, high=3.0)
    assert np.array_equal(pl.compile(source).render((32, 32)), before)
    known = pl.compile(source).params["k"]
    assert (known.default, known.low, known.high) == (50.0, 10.0, 100.0)


def test_a_picture_made_again_has_its_own_range():
    for high in (10.0, 100.0, 30.0):
        source = picture(pl.param("rad", 5.0, low=1.0, high=high))
        assert pl.render(source, (16, 16), params={"rad": high}).shape == (16, 16, 4)
        with pytest.raises(InputError):
            pl.render(source, (16, 16), params={"rad": high + 1.0})


def test_a_session_tells_declarations_apart():
    with Session((16, 16)) as session:
        for default, high in ((5.0, 10.0), (6.0, 10.0), (5.0, 100.0), (5.0, 10.0)):
            source = picture(pl.param("s", default, low=1.0, high=high))
            assert np.array_equal(
                session.update(source).pixels, pl.compile(source, numerics="exact").render((16, 16))
            )
            session.update(source, params={"s": high})
            with pytest.raises(InputError):
                session.update(source, params={"s": high + 1.0})
            session.update(source, params={})


def test_a_parameter_may_be_called_as_the_coordinates_are():
    x = pl.param("x", 10.0)
    assert pl.image(lambda p: p.x + x).at(1.0, 2.0) == 11.0
    assert pl.image(lambda p: p.x + x).at(1.0, 2.0, params={"x": 5.0}) == 6.0
