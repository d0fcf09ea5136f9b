"""The live view: its frames, what cannot be drawn, and the widget."""

from __future__ import annotations

import gc
import io
import re
import sys
import threading
import warnings

import numpy as np
import pytest
from PIL import Image

import pellucid as pl
from pellucid import images as im
from pellucid.base.errors import InputError, MissingExtraError
from pellucid.notebook import Explorer, explore, widget

TWIST = pl.param("twist", 100.0, low=20.0, high=400.0)
PICTURE = im.swirl(TWIST, im.checkerboard(10, im.red, im.blue))


@pytest.fixture
def explorer():
    made = Explorer(PICTURE, pl.View((48, 32)))
    yield made
    made.close()


def asked(**changed):
    usual = {"viewer": "v", "id": 1, "exact": False, "size": [48, 32], "center": [0, 0], "zoom": 1, "time": 0}
    return {**usual, **changed}


def test_an_exact_frame_is_what_render_draws(explorer):
    told, (data,) = explorer.answer(asked(exact=True, zoom=0.5, center=[3, -2], params={"twist": 30}))
    assert (told["kind"], told["format"], told["id"], told["viewer"]) == ("frame", "raw", 1, "v")
    drawn = pl.render(PICTURE, (48, 32), zoom=0.5, center=(3, -2), params={"twist": 30}, numerics="exact")
    assert np.array_equal(np.frombuffer(data, np.uint8).reshape(32, 48, 4), drawn)
    assert explorer.view == pl.View((48, 32), zoom=0.5, center=(3, -2), params={"twist": 30})


def test_samples_of_the_view_are_those_of_exact_frames():
    made = Explorer(PICTURE, pl.View((24, 16), samples=3))
    _, (data,) = made.answer(asked(exact=True, size=[24, 16]))
    made.close()
    drawn = pl.render(PICTURE, (24, 16), samples=3, numerics="exact")
    assert np.array_equal(np.frombuffer(data, np.uint8).reshape(16, 24, 4), drawn)


def test_a_moving_frame_is_small_and_near(explorer):
    told, (data,) = explorer.answer(asked(size=[24, 16]))
    assert (told["format"], told["size"]) == ("jpeg", [24, 16])
    with Image.open(io.BytesIO(data)) as picture:
        near = np.asarray(picture.convert("RGB")).astype(int)
    drawn = pl.render(PICTURE, (24, 16), zoom=0.5, numerics="exact")[..., :3]
    assert np.abs(near - drawn).mean() < 12
    # A frame that passed by is not where the view is.
    assert explorer.view.size == (48, 32)


def test_a_moving_frame_that_is_not_opaque_has_its_alpha_below():
    made = Explorer(im.crop(im.disk(20), im.const(im.red)), pl.View((64, 48)))
    told, (data,) = made.answer(asked(size=[64, 48]))
    made.close()
    assert (told["format"], told["size"]) == ("masked", [64, 48])
    with Image.open(io.BytesIO(data)) as picture:
        both = np.asarray(picture.convert("RGB")).astype(int)
    drawn = pl.render(im.crop(im.disk(20), im.const(im.red)), (64, 48), numerics="exact").astype(int)
    assert np.abs(both[48:, :, 0] - drawn[..., 3]).mean() < 4
    inside = drawn[..., 3] == 255
    assert np.abs(both[:48][inside] - drawn[..., :3][inside]).mean() < 8
    assert both[48, 0].tolist() == [0, 0, 0]
    assert both[72, 32].tolist() == [255, 255, 255]


def test_a_screen_with_more_pixels_sees_the_same_and_the_view_stays_as_large(explorer):
    _, (data,) = explorer.answer(asked(exact=True, size=[96, 64], zoom=0.1, center=[3, -2]))
    drawn = pl.render(PICTURE, (96, 64), zoom=0.2, center=(3, -2), numerics="exact")
    assert np.array_equal(np.frombuffer(data, np.uint8).reshape(64, 96, 4), drawn)
    assert explorer.view == pl.View((48, 32), zoom=0.1, center=(3, -2))
    explorer.answer(asked(exact=True, size=[37, 25], zoom=0.1, center=[3, -2]))
    assert explorer.view == pl.View((48, 32), zoom=0.1, center=(3, -2))


def test_a_front_end_that_comes_later_begins_where_the_view_rests(explorer):
    explorer.answer(asked(zoom=9))
    assert explorer.setup()["zoom"] == 1
    explorer.answer(asked(exact=True, zoom=3, center=[1, 2], params={"twist": 50}))
    setup = explorer.setup()
    assert (setup["zoom"], setup["center"], setup["params"][0]["value"]) == (3, [1, 2], 50)
    assert setup["home"] == {"center": [0, 0], "zoom": 1}


def sessions():
    return [each for each in threading.enumerate() if each.name == "pellucid session"]


def test_there_is_a_session_while_somebody_looks(explorer):
    before = len(sessions())
    explorer.answer(asked())
    assert len(sessions()) == before + 1
    explorer.leave()
    assert len(sessions()) == before
    assert explorer.answer(asked())[0]["kind"] == "frame"
    explorer.close()
    assert len(sessions()) == before
    told, _ = explorer.answer(asked())
    assert told["text"] == "explore: the live view is closed; run the cell again"


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"zoom": 0}, "zoom"),
        ({"zoom": float("nan")}, "zoom"),
        ({"center": [float("inf"), 0]}, "center"),
        ({"size": [0, 3]}, "size"),
        ({"params": {"twist": 1e9}}, "twist"),
        ({"params": {"twits": 1}}, "twist"),
        ({"center": None}, "center|not whole"),
        ({"size": []}, "not whole"),
    ],
)
def test_what_cannot_be_drawn_is_told_and_nothing_is_lost(explorer, changed, words):
    told, data = explorer.answer(asked(**changed))
    assert (told["kind"], data) == ("trouble", [])
    assert re.search(words, told["text"])
    assert explorer.answer(asked())[0]["kind"] == "frame"


def test_a_front_end_begins_with_the_view_and_finite_ranges():
    endless = im.disk(pl.param("radius", 3.0, low=0.0))
    made = Explorer(
        im.turn(im.seconds, endless), pl.View((8, 8), zoom=2.0, params={"radius": 4.0}), seconds=3.0
    )
    setup = made.setup()
    made.close()
    assert (setup["size"], setup["zoom"], setup["moves"], setup["seconds"]) == ([8, 8], 2.0, True, 3.0)
    assert setup["home"] == {"center": [0.0, 0.0], "zoom": 2.0}
    assert setup["params"] == [{"name": "radius", "low": 0.0, "high": 9.0, "value": 4.0}]


def test_bad_input_is_refused_at_once():
    with pytest.raises(InputError, match="is not a picture"):
        explore("swirl")
    with pytest.raises(InputError, match="zoom"):
        explore(PICTURE, zoom=-1)
    for seconds in (0, -1, float("nan"), "long", 10**400):
        with pytest.raises(InputError, match="seconds: "):
            explore(PICTURE, seconds=seconds)
    with pytest.raises(
        InputError, match="params: the picture has no parameter 'twits'; did you mean 'twist'"
    ):
        explore(PICTURE, zoom=1.0, params={"twits": 3.0})
    with pytest.raises(InputError, match="precision: 'f16' is not known"):
        explore(PICTURE, precision="f16")


def test_what_a_picture_raises_is_raised_at_once_and_leaves_no_session():
    @pl.image
    def broken(p):
        raise ValueError("mine")

    before = threading.active_count()
    with pytest.raises(ValueError, match="mine"):
        explore(broken, 8, zoom=1.0)
    gc.collect()
    assert threading.active_count() == before


def test_without_anywidget_the_extra_is_named(monkeypatch):
    widget._widget_class.cache_clear()
    monkeypatch.setitem(sys.modules, "anywidget", None)
    with pytest.raises(
        MissingExtraError, match=r"explore needs anywidget; run: pip install 'pellucid\[notebook\]'"
    ):
        explore(PICTURE)
    widget._widget_class.cache_clear()


def test_a_kernel_is_explored_in_its_precision_and_view():
    kernel = pl.compile(PICTURE.framed((48, 32), zoom=2.0), precision="f64")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        for made, precision in ((explore(kernel), "f64"), (explore(kernel, precision="f32"), "f32")):
            assert made.explorer.options.precision == precision
            assert made.view == pl.View((48, 32), zoom=2.0)
            made.close()


def test_the_widget_answers_and_holds_a_still_picture():
    with warnings.catch_warnings():
        # Outside of a notebook the widgets' own packages complain about what they find.
        warnings.simplefilter("ignore", DeprecationWarning)
        made = explore(PICTURE, (48, 32))
        sent = []
        made.send = lambda message, buffers: sent.append((message, buffers))
        made._heard(made, asked(id=7, exact=True, zoom=2), [])
        assert made.setup["zoom"] == 2
        bundle = made._repr_mimebundle_()[0]
        made._heard(made, {"kind": "leave", "viewer": "v"}, [])
        assert made.explorer._session is None
        made.close()
    assert [(message["id"], message["kind"]) for message, _ in sent] == [(7, "frame")]
    assert made.view.zoom == 2
    with Image.open(io.BytesIO(bundle["image/png"])) as picture:
        shown = np.asarray(picture.convert("RGBA"))
    assert np.array_equal(shown, pl.render(PICTURE, (48, 32), zoom=2, numerics="exact"))


def test_a_front_end_gets_an_answer_when_drawing_fails_in_a_way_that_nobody_knows(monkeypatch):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        made = explore(PICTURE, (48, 32))
        sent = []
        made.send = lambda message, buffers: sent.append(message)
        monkeypatch.setattr(made.explorer, "_pixels", lambda *_: 1 // 0)
        with pytest.raises(ZeroDivisionError):
            made._heard(made, asked(id=7), [])
        monkeypatch.undo()
        made.close()
    (told,) = sent
    assert (told["kind"], told["id"], told["viewer"]) == ("trouble", 7, "v")
    assert "ZeroDivisionError" in told["text"]
