"""Films show what frames show, and what does not move is computed once."""

from __future__ import annotations

import numpy as np
import pytest
from examples import gallery

import pellucid as pl
from pellucid import images as im
from pellucid.driver.film import MAX_PLANES, Film
from pellucid.driver.kernel import Kernel
from pellucid.driver.view import checked_view
from pellucid.ir.expr import Expr, topological
from pellucid.ir.nest import all_roots

SIZE = (67, 41)
MOVING = [path for path in gallery.files() if gallery.load(path).picture.time_varying]


@pl.animation
def marbled(t):
    """Dear veins that stand still, under a light that moves with the rows and over time."""

    def sample(p):
        veins = pl.exp(pl.sin(p.x * 3.1 + pl.sin(p.y * p.x * 1.7) * 2.3) * 0.7)
        return veins * (0.5 + 0.5 * pl.cos(p.y * 0.9 + t))

    return pl.image(sample)


def film_of(
    picture: object, zoom: float = 9.0, form: str = "straight", **options: str
) -> tuple[Film, Kernel]:
    kernel = pl.compile(picture, **options)
    return Film(kernel, checked_view(SIZE, zoom=zoom, precision=kernel.options.precision), form), kernel


@pytest.mark.parametrize("numerics", ["exact", "relaxed"])
@pytest.mark.parametrize("path", MOVING, ids=lambda path: path.stem)
def test_films_of_the_gallery_show_what_frames_show(path, numerics):
    film, kernel = film_of(gallery.load(path).picture, 40.0, numerics=numerics)
    for time in (0.0, 0.7):
        assert np.array_equal(film.frame(time), kernel.render(SIZE, zoom=40.0, time=time))


@pytest.mark.parametrize("form", ["straight", "premultiplied"])
@pytest.mark.parametrize("options", [{"precision": "f64"}, {"backend": "c"}, {"numerics": "exact"}])
def test_films_have_every_option(form, options):
    film, kernel = film_of(marbled, form=form, **options)
    assert film.parts is not None
    draw = kernel.render if form == "straight" else kernel.premultiplied
    for time in (0.0, 0.7):
        assert np.array_equal(film.frame(time), draw(SIZE, zoom=9.0, time=time))


class Counted:
    """Code, and how often it has run."""

    def __init__(self, code) -> None:
        self.code, self.runs = code, 0

    def run(self, *arguments, **options) -> None:
        self.runs += 1
        self.code.run(*arguments, **options)


def operators(nest) -> set[Expr]:
    """What is computed for each pixel."""
    roots = topological(all_roots(nest.body))
    both = max((e.free for e in roots), key=int.bit_count)
    return {e for e in roots if e.args and e.free == both and e.op != "load"}


def test_P19_what_does_not_move_is_computed_once_per_animation():
    film, kernel = film_of(marbled, numerics="exact")
    assert film.parts is not None
    still, moving = Counted(film.parts.still), Counted(film.parts.moving)
    film.parts = film.parts._replace(still=still, moving=moving)
    for k in range(60):
        frame = film.frame(k / 25)
    assert np.array_equal(frame, kernel.render(SIZE, zoom=9.0, time=59 / 25))
    assert (still.runs, moving.runs) == (1, 60)
    veins, light = (operators(nest) for nest in film.parts.nests)
    # The index of the pixel apart, nothing is computed by both.
    assert not {e for e in veins & light if e.type.is_float}
    per_frame = len(veins) + len(light)
    assert len(veins) > 2 * len(light)
    assert still.runs * len(veins) + moving.runs * len(light) < 0.4 * 60 * per_frame


@pytest.mark.parametrize(
    "picture",
    [
        im.swirl(3.0, im.checkerboard(1, im.black, im.white)),
        im.animation(lambda t: im.turn(t, im.checkerboard(1, im.black, im.white))),
    ],
)
def test_pictures_of_which_nothing_dear_stands_still_are_not_cut(picture):
    film, kernel = film_of(picture)
    assert film.parts is None
    assert np.array_equal(film.frame(0.3), kernel.render(SIZE, zoom=9.0, time=0.3))


def test_there_are_never_more_planes_than_that():
    @pl.animation
    def many(t):
        return pl.image(
            lambda p: sum(pl.exp(pl.sin(p.x * p.y * (0.3 + 0.1 * k))) * pl.sin(t * k) for k in range(1, 20))
        )

    film, kernel = film_of(many)
    assert film.parts is not None
    assert len(film.parts.planes) == MAX_PLANES
    assert np.array_equal(film.frame(0.3), kernel.render(SIZE, zoom=9.0, time=0.3))


def test_parameters_and_samples_of_a_view_hold_for_all_frames():
    gain = pl.param("gain", 1.0, 0.0, 4.0)

    @pl.animation
    def picture(t):
        return pl.image(lambda p: pl.exp(pl.sin(p.x * p.y * 1.3)) * gain * pl.cos(t))

    kernel = pl.compile(picture)
    for samples in (1, 2):
        look = {"zoom": 9.0, "params": {"gain": 0.3}, "samples": samples}
        film = Film(kernel, checked_view(SIZE, **look))
        assert np.array_equal(film.frame(0.3), kernel.render(SIZE, time=0.3, **look))
