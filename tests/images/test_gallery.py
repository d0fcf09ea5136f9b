"""The gallery: every file makes a picture, says what it shows, and is worth looking at."""

from __future__ import annotations

import ast
import importlib.util
from pathlib import Path

import numpy as np
import pytest

import pellucid
from pellucid import images as im

EXAMPLES = Path(__file__).parents[2] / "examples"


def gallery():
    found = importlib.util.spec_from_file_location("gallery", EXAMPLES / "gallery" / "__init__.py")
    module = importlib.util.module_from_spec(found)
    import sys

    sys.modules["gallery"] = module
    found.loader.exec_module(module)
    return module


GALLERY = gallery()
FILES = GALLERY.files()


def named(path):
    return path.stem


def test_there_are_at_least_fifty_pictures_with_names_of_their_own():
    assert len(FILES) >= 50
    assert len({path.stem for path in FILES}) == len(FILES)


@pytest.mark.parametrize("path", FILES, ids=named)
def test_a_file_of_the_gallery_makes_a_picture(path):
    shown = GALLERY.load(path)
    assert isinstance(shown.picture, im.Image | im.Animation)
    assert shown.picture.kind in ("color", "region", "field", "packed")
    assert shown.title
    assert "\n" not in shown.title
    x = shown.center[0] + (np.arange(24) + 0.5 - 12) * shown.width / 24
    y = shown.center[1] + (np.arange(24) + 0.5 - 12) * shown.width / 24
    values = np.asarray(shown.picture.at(x, y[:, None], time=shown.time), float)
    assert np.isfinite(values).all()
    assert np.ptp(values.reshape(576, -1), axis=0).max() > 0.3, "nothing to see in this view"
    if shown.picture.kind == "color":
        # Premultiplied colors, up to rounding.
        assert values.min() > -0.01
        assert values[..., 3].max() < 1.01
        assert (values[..., :3] <= values[..., 3:] + 0.01).all()
    assert shown.picture.time_varying or shown.loop is None


@pytest.mark.one_in(3)
@pytest.mark.parametrize("path", FILES, ids=named)
def test_a_picture_of_the_gallery_is_no_plain_fill_in_its_view(path):
    """At least 5 percent of the pixels differ from the most frequent color."""
    picture = GALLERY.load(path).picture
    width, height = picture.view.size
    pixels = pellucid.render(picture, (72, round(72 * height / width)))
    words = np.ascontiguousarray(pixels).view(np.uint32)
    assert np.unique(words, return_counts=True)[1].max() <= 0.95 * words.size


@pytest.mark.parametrize("path", FILES, ids=named)
def test_a_file_of_the_gallery_is_short(path):
    code = path.read_text(encoding="utf-8")
    assert len(code.splitlines()) <= 120
    assert ast.get_docstring(ast.parse(code))


def test_an_animation_that_loops_ends_where_it_began():
    x, y = np.meshgrid(np.linspace(-3, 3, 15), np.linspace(-3, 3, 15))
    for path in FILES:
        shown = GALLERY.load(path)
        if shown.loop is None or shown.name == "clock":
            continue
        first, last = (
            shown.picture.at(x, y, time=t, precision="f64").astype(float) for t in (0.05, 0.05 + shown.loop)
        )
        assert np.allclose(first, last, atol=1e-6), shown.name


@pytest.mark.parametrize("path", FILES, ids=named)
def test_a_picture_of_the_gallery_is_rendered_as_it_is_meant(path):
    """The compiled picture and the interpreter agree, but for a few pixels on edges."""
    shown = GALLERY.load(path)
    side = 40
    zoom = side / shown.width
    kernel = pellucid.compile(shown.picture, numerics="exact")
    pixels = kernel.premultiplied((side, side), center=shown.center, zoom=zoom, time=shown.time)
    offsets = (np.arange(side) + 0.5 - side / 2) / zoom
    meant = shown.picture.at(
        shown.center[0] + offsets, shown.center[1] - offsets[:, None], time=shown.time, precision="f32"
    )
    if shown.picture.kind == "packed":
        meant = np.stack([meant >> shift & 255 for shift in (16, 8, 0, 24)], axis=-1) / 255
    elif shown.picture.kind != "color":
        gray = np.clip(meant.astype(float), 0, 1)
        meant = np.stack([gray, gray, gray, np.ones_like(gray)], axis=-1)
    far = abs(pixels / 255 - np.clip(meant, 0, 1)).max(axis=-1) > 2 / 255
    assert far.mean() < 0.02
