"""Pictures that were drawn before: drawn again without being traced, until something that they read has changed."""

from __future__ import annotations

import numpy as np
import pytest

import pellucid as pl
from pellucid import images as im
from pellucid.driver import forget, kernels
from pellucid.driver import kernel as driver
from pellucid.driver.known import MAX_KNOWN

SHARE = 0.25


@pytest.fixture
def traced(monkeypatch):
    """The pictures that have been traced while the test runs."""
    done = []
    build = driver.build

    def counted(source, *rest):
        done.append(source)
        return build(source, *rest)

    monkeypatch.setattr(driver, "build", counted)
    forget()
    return done


def test_a_picture_is_traced_once(traced):
    picture = im.swirl(3, im.checkerboard(1, im.red, im.blue))
    for zoom in (2.0, 3.0):
        for _ in range(3):
            pl.render(picture, 16, zoom=zoom)
    assert traced == [picture]


def test_each_precision_has_its_own(traced):
    picture = im.checkerboard(1, im.red, im.blue)
    for _ in range(2):
        pl.render(picture, 16)
        pl.render(picture, 16, precision="f64")
    assert traced == [picture, picture]


@pytest.mark.parametrize("verb", ["render", "save"])
def test_a_global_that_changes_changes_the_picture(traced, monkeypatch, tmp_path, verb):
    picture = pl.image(lambda p: p.x * 0 + SHARE)

    def level():
        if verb == "render":
            return pl.render(picture, 1)[0, 0, 0]
        pl.save(picture, tmp_path / "it.npy", 1)
        return np.load(tmp_path / "it.npy")[0, 0, 0]

    assert (level(), level()) == (64, 64)
    monkeypatch.setitem(globals(), "SHARE", 1.0)
    assert level() == 255
    assert traced == [picture, picture]


def test_a_picture_that_counts_how_often_it_is_made_is_traced_each_time(traced):
    turns = 0

    @pl.image
    def counting(p):
        nonlocal turns
        turns += 1
        return p.x * 0 + turns / 255

    first = pl.render(counting, 1)[0, 0, 0]
    assert pl.render(counting, 1)[0, 0, 0] > first


def test_a_view_is_that_of_the_picture():
    picture = im.udisk.framed(16, zoom=4)
    for _ in range(2):
        assert pl.render(picture).shape == (16, 16, 4)
        assert pl.render(picture.framed((8, 4))).shape == (4, 8, 4)


def test_the_last_ones_are_kept():
    forget()
    for k in range(MAX_KNOWN + 5):
        pl.render(im.disk(1 + k), 2)
    assert len(kernels) == MAX_KNOWN
    forget()
    assert len(kernels) == 0
