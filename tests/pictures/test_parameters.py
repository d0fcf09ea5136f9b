"""Parameters, views and times are arguments: changing one never compiles, and what is out of range is refused."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image as Pillow

import pellucid as pl
from pellucid.backends.c import CBackend
from pellucid.backends.llvm import LlvmBackend
from pellucid.backends.numpy import NumpyBackend
from pellucid.base.errors import InputError
from pellucid.driver import compiled, forget
from pellucid.driver import kernel as driver
from pellucid.driver.cache import Cache

BACKENDS = {"llvm": LlvmBackend, "c": CBackend, "numpy": NumpyBackend}


@pytest.fixture
def counted(monkeypatch):
    """What has been compiled and traced while the test runs, one word for each time."""
    done = []

    def counting(word, function):
        def counted(*args, **named):
            done.append(word)
            return function(*args, **named)

        return counted

    for name, backend in BACKENDS.items():
        monkeypatch.setattr(backend, "compile", counting(name, backend.compile))
    monkeypatch.setattr(driver, "build", counting("traced", driver.build))
    # Beside it, others may draw the same picture and keep its code in the folder that all workers share.
    nothing = Cache(None)
    monkeypatch.setattr(compiled, "cache", lambda: nothing)
    forget()
    return done


def waves(strength=None, pitch=None):
    """A field with two parameters that moves; a number takes the place of a parameter."""
    strength = pl.param("strength", 0.5, 0, 2) if strength is None else strength
    pitch = pl.param("pitch", 3.0, 1, 9) if pitch is None else pitch
    return pl.animation(
        lambda t: pl.image(lambda p: 0.5 + 0.25 * strength * pl.sin(pitch * p.x + 2 * t) * pl.cos(p.y))
    )


def formula(size, center=(0, 0), zoom=1.0, time=0.0, strength=0.5, pitch=3.0):
    width, height = size
    x = center[0] + (np.arange(width) + 0.5 - width / 2) / zoom
    y = center[1] - (np.arange(height)[:, None] + 0.5 - height / 2) / zoom
    return np.floor(255 * (0.5 + 0.25 * strength * np.sin(pitch * x + 2 * time) * np.cos(y)) + 0.5)


VIEWS = [
    {},
    {"center": (3, -0.5)},
    {"zoom": 17.0},
    {"time": 0.7},
    {"size": (1, 1)},
    {"size": (33, 5), "center": (-1, 2), "zoom": 0.3, "time": -4},
    {"params": {"strength": 0}},
    {"params": {"strength": 2, "pitch": 9}, "time": 1.5},
    {"params": {"pitch": 1}},
]


@pytest.mark.parametrize("backend", BACKENDS)
def test_nothing_that_is_looked_at_is_compiled_in(counted, backend):
    kernel = pl.compile(waves(), backend=backend)
    assert counted == ["traced", backend]
    drawn = {}
    for n, change in enumerate(VIEWS):
        view = {"size": (24, 16), "zoom": 6.0, **change}
        plain = {k: v for k, v in view.items() if k != "params"}
        drawn[n] = kernel.render(**view)
        assert abs(drawn[n][..., 0] - formula(**plain, **view.get("params", {}))).max() <= 1
        # The picture itself may be given instead of its kernel; an equal program is the same program.
        np.testing.assert_array_equal(pl.render(waves(), **view, backend=backend), drawn[n])
    assert [word for word in counted if word != "traced"] == [backend]
    assert (drawn[0] != drawn[6]).any()


def test_how_many_samples_are_taken_is_not_compiled_in_either(counted):
    kernel = pl.compile(waves())
    for samples in (2, 3, 8):
        kernel.render((8, 6), samples=samples, params={"pitch": 1 + samples})
    kernel.premultiplied((8, 6))
    assert counted.count("llvm") <= counted.count("traced") == 3


@pytest.mark.parametrize("numerics", ["exact", "relaxed"])
def test_a_parameter_means_the_number_in_its_place(numerics):
    view = {"size": (40, 30), "zoom": 7.0, "time": 0.3, "numerics": numerics}
    for strength, pitch in ((0.5, 3.0), (2.0, 1.0), (0.1, 7.3)):
        params = {"strength": strength, "pitch": pitch}
        with_params = pl.render(waves(), **view, params=params)
        with_numbers = pl.render(waves(strength, pitch), **view)
        assert abs(with_params.astype(int) - with_numbers).max() <= 1
        assert abs(with_params.astype(int) - with_numbers).max() <= 1
    same = pl.render(waves(), **view, params={"strength": 0.5, "pitch": 3.0})
    np.testing.assert_array_equal(pl.render(waves(), **view), same)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("precision", ["f32", "f64"])
@pytest.mark.parametrize(("low", "high"), [(0, 0.1), (0.3, 1), (-0.7, -0.1), (-1, 0), (0, 0), (1e-300, 0.5)])
def test_both_ends_of_a_range_belong_to_it(backend, precision, low, high):
    edge = pl.param("edge", high, low, high)
    # Whether a bound can be told from the range alone or not, it is true.
    picture = pl.image(lambda p: pl.where((low <= edge) & (edge <= high), 0.4 + 0.6 * edge * edge, 0.0))
    for value in (low, high, None):
        pixels = pl.render(
            picture, 2, params={} if value is None else {"edge": value}, backend=backend, precision=precision
        )
        wanted = 0.4 + 0.6 * (high if value is None else value) ** 2
        assert abs(pixels[..., 0] - 255 * wanted).max() <= 1


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"strength": 2.001}, "strength.*2.001.*0.0 .. 2.0"),
        ({"strength": -1e-9}, "strength.*0.0 .. 2.0"),
        ({"pitch": math.nan}, "pitch.*nan"),
        ({"pitch": math.inf}, "pitch.*inf"),
        ({"pitch": -math.inf}, "pitch.*inf"),
        ({"pitch": "3"}, "pitch.*'3'"),
        ({"pitch": None}, "pitch.*None"),
        ({"pich": 3}, "pich.*did you mean 'pitch'"),
        ([("pitch", 3)], "not a mapping"),
    ],
)
def test_what_is_out_of_range_is_refused(params, message):
    kernel = pl.compile(waves())
    for draw in (
        lambda: pl.render(waves(), 8, params=params),
        lambda: kernel.render((8, 8), params=params),
        lambda: kernel.premultiplied((8, 8), params=params, samples=2),
    ):
        with pytest.raises(InputError, match=message):
            draw()


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        (("x y", 1), "'x y' cannot name"),
        (("zoom", 1), "'zoom' cannot name"),
        (("a", math.nan), "nan"),
        (("a", 3, 0, 1), "3"),
        (("a", 0.5, 1, 0), r"no number is in 1 \.\. 0"),
        (("a", 0.5, math.nan, 1), "nan"),
    ],
)
def test_a_parameter_that_cannot_be_is_refused_where_it_is_declared(declared, message):
    with pytest.raises(InputError, match=message):
        pl.param(*declared)


FILE = """
import pellucid as pl
level = pl.param("level", 0.25, 0, 1)
picture = pl.image(lambda p: level + 0 * p.x)
"""


@pytest.fixture
def command(tmp_path, monkeypatch, capfd):
    """Runs `pellucid render` on the file above with a parameter; its status, its errors, and the gray it drew."""
    from pellucid.cli import main

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    Path("level.py").write_text(FILE, encoding="utf-8")

    def run(*words):
        Path("a.png").unlink(missing_ok=True)
        status = main(["render", "level.py", "-o", "a.png", "--size", "4", *words])
        out, err = capfd.readouterr()
        assert out == ""
        if not Path("a.png").exists():
            return status, err, None
        with Pillow.open("a.png") as drawn:
            return status, err, drawn.convert("RGB").getpixel((1, 1))[0]

    return run


def test_the_command_line_sets_parameters(command):
    assert command() == (0, "", 64)
    assert command("--param", "level=1") == (0, "", 255)
    assert command("--param", "level=0.5") == (0, "", 128)
    assert command("--param", "level=0") == (0, "", 0)


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("level=2", "level: 2.0 is not in 0.0 .. 1.0"),
        ("level=-0.1", "level: -0.1 is not in 0.0 .. 1.0"),
        ("level=nan", "level"),
        ("level=inf", "level"),
        ("levle=0.5", "did you mean 'level'"),
        ("level", "level"),
        ("level=much", "'much' is not a number"),
    ],
)
def test_the_command_line_refuses_in_one_line(command, word, said):
    status, err, drawn = command("--param", word)
    assert (status, drawn) == (2, None)
    assert err.count("\n") == 1
    assert said in err
