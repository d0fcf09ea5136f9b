"""A view is one value: every verb takes it, keywords override it, pictures carry it, and an error is the same."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import io
import math
import pickle

import numpy as np
import pytest

import pellucid as pl
from pellucid import images as im
from pellucid.base.errors import InputError
from pellucid.base.view import ViewArguments, looked_at
from pellucid.canvas.show import png_of
from pellucid.canvas.source import DrawArguments
from pellucid.cli import main
from pellucid.driver.session import Session
from pellucid.notebook import png_bytes, sliders

RADIUS = pl.param("radius", 3.0, low=1.0, high=9.0)
MOVING = pl.animation(
    lambda t: im.move((t, 0.0), im.crop(im.disk(RADIUS), im.checkerboard(1, im.red, im.blue)))
)
VIEW = pl.View((9, 6), center=(0.5, -1.0), zoom=2.0, time=0.25, samples=2, threads=1, params={"radius": 2.0})
OTHER = {
    "size": (5, 4),
    "center": (1.0, 1.0),
    "zoom": 3.0,
    "time": 1.5,
    "samples": 1,
    "threads": 2,
    "params": {"radius": 1.5},
}
"""Another value for each field."""
WRONG = [
    ({"size": (0, 5)}, "size: 0x5 has no pixels"),
    ({"size": "12x12"}, "size: '12x12' is not a pair"),
    ({"size": (1 << 21, 4)}, "size: 2097152x4 is too large"),
    ({"center": (math.nan, 0)}, "center: nan is not a finite number"),
    ({"center": 3}, "center: 3 is not a pair"),
    ({"zoom": 0}, "zoom: 0 pixels per unit; give a positive number"),
    ({"zoom": None}, "zoom: None is not a number"),
    ({"zoom": 1e38}, "zoom: 1e[+]38 is out of range for f32"),
    ({"time": "now"}, "time: 'now' is not a number"),
    ({"time": -2e12}, "time: -2e[+]12 is too large for f32"),
    ({"samples": 0}, "samples: 0 is out of range; give a whole number from 1 to"),
    ({"samples": 2.0}, r"samples: 2\.0 is not a whole number"),
    ({"threads": 0}, "threads: 0 is out of range"),
    ({"threads": "all"}, "threads: 'all' is not a whole number"),
    ({"params": [1]}, r"params: \[1\] is not a mapping"),
    ({"params": {"radius": math.nan}}, r"params\['radius'\]: nan is not a finite number"),
    ({"params": {"radios": 2.0}}, "radios"),
]


def _shown(picture: object, **given: object) -> bytes:
    stream = io.StringIO()
    pl.show(picture, mode="ascii", stream=stream, **given)
    return stream.getvalue().encode()


def _saved(picture: object, **given: object) -> bytes:
    file = "saved.npy"
    pl.save(picture, file, **given)
    return np.load(file).tobytes()


def _animated(picture: object, **given: object) -> bytes:
    file = "animated.npy"
    pl.animate(picture, file, seconds=0.2, fps=10, **given)
    return np.load(file).tobytes()


def _in_session(picture: object, **given: object) -> bytes:
    with Session() as session:
        return session.update(picture, **given).pixels.tobytes()


def _session(picture: object, **given: object) -> bytes:
    with Session(**given) as session:
        return session.update(picture).pixels.tobytes()


VERBS = {
    "render": lambda picture, **given: pl.render(picture, **given).tobytes(),
    "render a format": lambda picture, **given: pl.render(picture, format="rgb565", **given).tobytes(),
    "kernel": lambda picture, **given: pl.compile(picture).render(**given).tobytes(),
    "kernel premultiplied": lambda picture, **given: pl.compile(picture).premultiplied(**given).tobytes(),
    "save": _saved,
    "animate": _animated,
    "show": _shown,
    "png_of": png_of,
    "png_bytes": png_bytes,
    "explain_tiles": lambda picture, **given: pl.explain_tiles(picture, **given).pixels.tobytes(),
    "explain": lambda picture, **given: str(pl.explain(picture, **given)).encode(),
    "update": _in_session,
    "Session": _session,
}
SESSIONS = ("update", "Session")


def fit(verb: str, view: pl.View = VIEW) -> pl.View:
    """The view, as far as a verb takes one: sessions draw one sample for each pixel."""
    return view.replace(samples=1) if verb in SESSIONS else view


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_takes_a_view_or_its_fields_and_a_field_overrides(verb, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    draw, view = VERBS[verb], fit(verb)
    wanted = draw(MOVING, **view.arguments())
    assert draw(MOVING, view=view) == wanted
    for name, value in OTHER.items():
        changed = view.replace(**{name: value})
        got = draw(MOVING, **{**view.arguments(), name: value})
        assert draw(MOVING, view=view, **{name: value}) == got, name
        assert draw(MOVING, view=changed) == got, name
        if verb not in ("explain", "show") and (name, verb) != ("samples", "update"):
            assert (got == wanted) == (changed == view or name == "threads"), name


@pytest.mark.parametrize("verb", [verb for verb in VERBS if verb not in SESSIONS])
def test_a_picture_carries_its_view_into_every_verb(verb, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    draw, carrying = VERBS[verb], MOVING.framed(view=VIEW)
    assert carrying.view == VIEW
    assert MOVING.view is None
    assert draw(carrying) == draw(MOVING, view=VIEW)
    assert draw(carrying, zoom=4.0) == draw(MOVING, view=VIEW.replace(zoom=4.0))
    assert draw(carrying, view=pl.View(7)) == draw(MOVING, view=pl.View(7))
    assert draw(carrying, size=(18, 18)) == draw(MOVING, view=VIEW.replace((18, 18), zoom=4.0))


@pytest.mark.parametrize("verb", VERBS)
def test_a_mistake_is_the_same_in_a_view_and_beside_it(verb, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for wrong, message in WRONG:
        if verb == "update" and None in wrong.values():
            continue  # in a session, None leaves things as they are
        found = []
        for given in (
            lambda wrong=wrong: wrong,
            lambda wrong=wrong: {"view": fit(verb), **wrong},
            lambda wrong=wrong: {"view": fit(verb).replace(**wrong)},
        ):
            with pytest.raises(InputError, match=message) as caught:
                VERBS[verb](MOVING, **given())
            found.append(str(caught.value))
        place = found[0].split(":")[0].split(" ")[0].split("[")[0]
        assert place == next(iter(wrong))
        # What else is wrong with a view, such as the resolution, may depend on its other fields.
        assert found[1] == found[2]
    for view in ("near", 3, {"zoom": 2.0}, (4, 4), pl.View):
        with pytest.raises(
            InputError, match=r"view: .* is not a view; give one, such as pl.View\(zoom=4.0\)"
        ):
            VERBS[verb](MOVING, view=view)
    with pytest.raises(TypeError, match="unexpected keyword argument 'zom'; did you mean 'zoom'"):
        VERBS[verb](MOVING, zom=2.0)


@pytest.mark.parametrize(
    "verb",
    [pl.render, pl.save, pl.animate, pl.show, pl.explain, pl.explain_tiles, png_of, png_bytes, sliders,
     Session.update, Session, pl.View.replace, pl.compile(im.udisk).render],
)  # fmt: skip
def test_every_signature_lists_every_field(verb):
    parameters = inspect.signature(verb).parameters
    assert {"size", *ViewArguments.__annotations__} <= set(parameters)
    assert all(p.kind is not p.VAR_KEYWORD for p in parameters.values())
    assert "zoom: float = ..." in str(inspect.signature(verb))


def test_drawing_takes_what_a_view_takes():
    assert set(ViewArguments.__annotations__) == {f.name for f in dataclasses.fields(pl.View)} - {"size"}
    assert set(ViewArguments.__annotations__) < set(DrawArguments.__annotations__)


def test_a_view_is_a_value():
    again = pl.View(**VIEW.arguments())
    assert again == VIEW
    assert hash(again) == hash(VIEW)
    assert pickle.loads(pickle.dumps(VIEW)) == copy.deepcopy(VIEW) == VIEW
    assert eval(repr(VIEW), {"View": pl.View}) == VIEW
    assert VIEW.replace() is VIEW
    assert VIEW != VIEW.replace(params={})
    with pytest.raises(dataclasses.FrozenInstanceError):
        VIEW.zoom = 2.0
    with pytest.raises(TypeError):
        VIEW.params["radius"] = 1.0
    params = {"radius": 2.0}
    view = pl.View(params=params)
    params["radius"] = 5.0
    assert view.params == {"radius": 2.0}
    assert looked_at(None, None, {}, VIEW) is VIEW


def test_a_carried_view_is_no_part_of_the_picture():
    still = im.checkerboard(1, im.red, im.blue)
    seen = still.framed(8, zoom=4.0)
    assert type(seen) is type(still)
    assert repr(seen) == repr(still)
    assert im.move((1, 1), seen).view is None
    assert seen.framed(time=1.0).view == pl.View(8, zoom=4.0, time=1.0)
    assert pl.compile(seen).view == seen.view
    assert pl.compile(still).view is None
    assert still.framed((8, 4), width=2.0).view == pl.View((8, 4), zoom=4.0)
    with pytest.raises(InputError, match="zoom"):
        still.framed(zoom=-1)
    for width, message in (
        (0, "width: 0 units show nothing"),
        (math.inf, "width: inf"),
        ("wide", "width: 'wide'"),
    ):
        with pytest.raises(InputError, match=message):
            still.framed(width=width)
    with pytest.raises(InputError, match="width: the zoom says that already"):
        still.framed(width=1.0, zoom=2.0)


def test_sessions_are_moved_by_views_and_by_what_pictures_carry():
    with Session((9, 6), zoom=2.0) as session:
        assert session.view == pl.View((9, 6), zoom=2.0)
        session.update(MOVING.framed(view=VIEW))
        moved = VIEW.replace(samples=1, threads=None)
        assert session.view == moved
        session.update(zoom=5.0)
        # An edit that leaves the view alone leaves the viewer where he is.
        session.update(im.turn(0.1, MOVING).framed(view=VIEW))
        assert session.view == moved.replace(zoom=5.0)
        session.update(MOVING.framed(view=VIEW.replace(zoom=1.0)), time=7.0)
        assert session.view == moved.replace(zoom=1.0, time=7.0)
        session.update(view=pl.View(4))
        assert session.view == pl.View(4)
        session.update(MOVING.framed(view=VIEW.replace((40, 40), zoom=20.0, samples=1)))
        assert session.view.zoom == 2.0, "all of the frame is shown"
        session.update(view=pl.View(4))
        session.update(MOVING.framed(view=VIEW.replace((40, 40), zoom=10.0, samples=1)), size=(20, 80))
        assert session.view == VIEW.replace((20, 80), zoom=5.0, samples=1, threads=None), (
            "in the size that is given"
        )
        session.update(view=pl.View(4))
        with pytest.raises(InputError, match="samples: a session draws one sample for each pixel"):
            session.update(view=pl.View(4, samples=2))
        assert session.view == pl.View(4)


def test_sliders_begin_at_the_view():
    pytest.importorskip("ipywidgets")
    box = sliders(MOVING, view=VIEW)
    radius, time = box.children[1:]
    assert (radius.value, time.value) == (2.0, 0.25)
    assert bytes(box.children[0].value) == png_bytes(MOVING, view=VIEW)


def test_the_command_line_draws_what_the_picture_carries(tmp_path, capsys):
    file = tmp_path / "picture.py"
    file.write_text(
        "import pellucid as pl\nfrom pellucid import images as im\n"
        "picture = im.checkerboard(1, im.red, im.blue).framed((9, 6), zoom=2.0, samples=2)\n"
    )
    board = im.checkerboard(1, im.red, im.blue)
    for words, view in (
        ([], pl.View((9, 6), zoom=2.0, samples=2)),
        (["--zoom", "3"], pl.View((9, 6), zoom=3.0, samples=2)),
        (["--size", "18x18", "--samples", "1"], pl.View((18, 18), zoom=4.0)),
        (["--size", "4x3", "--zoom", "2", "--samples", "1"], pl.View((4, 3), zoom=2.0)),
    ):
        out = tmp_path / "out.npy"
        assert main(["render", str(file), "-o", str(out), *words]) == 0
        np.testing.assert_array_equal(np.load(out), pl.render(board, view=view))
    assert main(["explain", str(file), "--tiles"]) == 0
    assert "9x6 filled" in capsys.readouterr().out
    assert main(["explain", str(file), "--stage", "inlined"]) == 0
    assert "samples" in capsys.readouterr().out
    assert main(["explain", str(file), "--stage", "inlined", "--samples", "1"]) == 0
    assert "samples" not in capsys.readouterr().out


def test_the_former_name_of_the_first_time_still_works(tmp_path):
    path = tmp_path / "film.npy"
    with pytest.warns(DeprecationWarning, match="time=") as caught:
        pl.animate(MOVING, path, (9, 6), seconds=0.1, fps=10, start=0.5)
    assert caught[0].filename == __file__
    np.testing.assert_array_equal(np.load(path)[0], pl.render(MOVING, (9, 6), time=0.5))
