"""Pictures in notebooks: bytes for the cell, sliders that draw again, and a clear word without ipywidgets."""

from __future__ import annotations

import io
import sys
import types
import warnings
from dataclasses import dataclass, field

import numpy as np
import pytest
from PIL import Image

from pellucid.base.errors import InputError, MissingExtraError
from pellucid.canvas.show import show
from pellucid.notebook import png_bytes, sliders


@dataclass
class Span:
    default: float
    low: float
    high: float


@dataclass
class Flat:
    """One gray: the sum of its parameters and ten times the time."""

    time_varying: bool = True
    params: dict = field(default_factory=lambda: {"a": Span(20.0, 0.0, 100.0), "b": Span(3.0, 1.0, 9.0)})
    calls: list = field(default_factory=list)

    def render(
        self, size, center=(0.0, 0.0), zoom=1.0, time=0.0, samples=1, threads=None, params=None, out=None
    ):
        self.calls.append((params, time))
        given = {name: span.default for name, span in self.params.items()} | dict(params or {})
        return np.full((size[1], size[0], 4), int(sum(given.values()) + 10 * time), np.uint8)

    premultiplied = render


def gray(png):
    with Image.open(io.BytesIO(png)) as picture:
        return int(np.asarray(picture)[0, 0, 0])


def test_png_bytes_are_a_png_of_the_view():
    png = png_bytes(Flat(), (12, 7), time=2.0)
    assert gray(png) == 43
    with Image.open(io.BytesIO(png)) as picture:
        assert picture.size == (12, 7)
    with pytest.raises(InputError, match="zoom"):
        png_bytes(Flat(), zoom=0)


def test_sliders_draw_again_when_they_move():
    pytest.importorskip("ipywidgets")
    with warnings.catch_warnings():
        # Outside of a notebook the widgets' own packages complain about what they find.
        warnings.simplefilter("ignore", DeprecationWarning)
        box = sliders(Flat(), 8, seconds=4.0)
        picture, a, b, moment = box.children
        assert gray(picture.value) == 23
        assert (a.description, a.min, a.max, a.value) == ("a", 0.0, 100.0, 20.0)
        assert (moment.description, moment.max) == ("time", 4.0)
        a.value = 50.0
        assert gray(picture.value) == 53
        b.value = 5.0
        moment.value = 2.0
        assert gray(picture.value) == 75


def test_sliders_start_where_they_are_told():
    pytest.importorskip("ipywidgets")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        box = sliders(Flat(time_varying=False), 8, params={"b": 7.0})
        assert [child.description for child in box.children[1:]] == ["a", "b"]
        assert gray(box.children[0].value) == 27


def test_without_ipywidgets_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    with pytest.raises(
        MissingExtraError, match=r"sliders need ipywidgets; run: pip install 'pellucid\[notebook\]'"
    ):
        sliders(Flat())


def test_show_in_a_notebook_displays_the_png(monkeypatch):
    published = []
    display = types.SimpleNamespace(publish_display_data=published.append)
    shell = types.SimpleNamespace(kernel=object())
    monkeypatch.setitem(
        sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: shell, display=display)
    )
    show(Flat(), 8)
    (data,) = published
    assert gray(data["image/png"]) == 23


def shown(picture):
    """What IPython shows of a value at the end of a cell, without any extension."""
    return pytest.importorskip("IPython.core.formatters").DisplayFormatter().format(picture)[0]


def test_pictures_show_themselves():
    from pellucid import images as im

    data = shown(im.checkerboard(10, im.red, im.blue))
    with Image.open(io.BytesIO(data["image/png"])) as picture:
        assert (picture.size, getattr(picture, "n_frames", 1)) == ((400, 300), 1)
    assert "image/png" not in shown(im.image(lambda p: (p.x, p.y)))


def test_animations_show_moving():
    from pellucid import images as im

    turning = im.turn(im.seconds, im.checkerboard(10, im.red, im.blue)).framed(16)
    with Image.open(io.BytesIO(shown(turning)["image/png"])) as picture:
        assert picture.size == (16, 16)
        assert picture.n_frames > 10
    still = im.animation(lambda t: im.udisk).framed(16)
    with Image.open(io.BytesIO(shown(still)["image/png"])) as picture:
        assert getattr(picture, "n_frames", 1) == 1


def test_a_large_framed_animation_moves_in_small_frames():
    from pellucid import images as im
    from pellucid.notebook import moving_png_bytes

    disk = im.animation(lambda t: im.image(lambda p: (p.x - 0.1 * t) ** 2 + p.y**2 < 1))
    for size, wanted in (
        ((1600, 900), (400, 225)),
        ((300, 1200), (75, 300)),
        ((2000, 1), (400, 1)),
        ((40, 30), (40, 30)),
    ):
        with Image.open(io.BytesIO(shown(disk.framed(size, width=4.0))["image/png"])) as picture:
            assert picture.size == wanted
    # The whole frame is shown, and who asks for a size gets it.
    with Image.open(io.BytesIO(shown(disk.framed((1600, 900), width=4.0))["image/png"])) as picture:
        row = np.asarray(picture.convert("RGB"))[112, :, 0]
    assert (row != row[0]).sum() == pytest.approx(200, abs=2)
    with Image.open(io.BytesIO(moving_png_bytes(disk.framed((1600, 900)), (500, 400), fps=2))) as picture:
        assert picture.size == (500, 400)


def test_colors_show_a_swatch_of_straight_color_beside_their_call():
    from pellucid import images as im
    from pellucid.images import Color

    assert "rgb(100% 0% 0% / 100%)" in shown(im.red)["text/html"]
    half = shown(0.5 * Color(1, 0.5, 0))["text/html"]
    assert "rgb(100% 50% 0% / 50%)" in half
    assert "<code>Color(0.5, 0.25, 0.0, 0.5)</code>" in half
    assert "rgb(0% 0% 0% / 0%)" in shown(Color(0, 0, 0, 0))["text/html"]
    import pellucid as pl

    assert "text/html" not in shown(Color(pl.param("red", 0.5), 0, 0))
