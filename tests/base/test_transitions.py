"""Calls of the last release: they mean what they meant, and say what to write."""

from __future__ import annotations

import inspect
import re
import warnings

import numpy as np
import pytest

import pellucid as pl
from pellucid import images as im
from pellucid.driver.kernel import FORMER_ORDER

RADIUS = pl.param("radius", 3.0, low=1.0, high=9.0)
KERNEL = pl.compile(
    pl.animation(lambda t: im.move((t, 0.0), im.crop(im.disk(RADIUS), im.checkerboard(1, im.red, im.blue)))),
    backend="numpy",
)
VALUES = {
    "center": (0.5, -1.0),
    "zoom": 2.0,
    "time": 0.25,
    "samples": 2,
    "threads": 1,
    "params": {"radius": 2.0},
    "out": None,
    "tolerance": None,
    "error": None,
}


def test_the_former_order_has_every_argument_that_there_was():
    assert tuple(VALUES) == FORMER_ORDER
    known = inspect.signature(KERNEL.render).parameters
    assert all(known[name].kind is inspect.Parameter.KEYWORD_ONLY for name in FORMER_ORDER)


@pytest.mark.parametrize("draw", [KERNEL.render, KERNEL.premultiplied])
@pytest.mark.parametrize("count", range(1, len(VALUES) + 1))
def test_arguments_by_position_draw_as_by_name_and_warn(draw, count):
    names = FORMER_ORDER[:count]
    out = np.zeros((6, 9, 4), np.uint8)
    given = {name: out if name == "out" else VALUES[name] for name in names}
    shown = ", ".join(f"{name}=..." for name in names)
    wanted = re.escape(f"write {draw.__name__}(size, {shown})") + "$"
    with pytest.warns(DeprecationWarning, match=wanted) as caught:
        drawn = draw((9, 6), *given.values())
    assert caught[0].filename == __file__
    assert (drawn is out) == ("out" in names)
    with warnings.catch_warnings(action="error"):
        np.testing.assert_array_equal(drawn, draw((9, 6), **{**given, "out": None}))


def test_what_no_call_could_mean_is_an_error():
    with pytest.raises(TypeError, match="multiple values for argument 'zoom'"):
        KERNEL.render(8, (0.0, 0.0), 2.0, zoom=3.0)
    with pytest.raises(TypeError, match="at most 10 arguments by position"):
        KERNEL.render(8, *VALUES.values(), None)
    with pytest.raises(TypeError, match="unexpected keyword argument 'precision'"):
        KERNEL.render(8, precision="f64")
    with pytest.raises(TypeError, match="unexpected keyword argument 'zoomm'; did you mean 'zoom'"):
        KERNEL.render(8, zoomm=2.0)
