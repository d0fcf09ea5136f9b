"""Every public function, given something of the wrong kind, says so in one error of pellucid, and never in Python's.

The cases are made from the registry of words and from the signatures of public functions: for each parameter, every
kind of thing that is not of its type.
"""

from __future__ import annotations

import inspect
import io
import math

import numpy as np
import pytest
from tests.fuzz.pictures import names

import pellucid as pl
from pellucid import images as im
from pellucid.base.errors import PellucidError
from pellucid.images.animation import Behavior
from pellucid.images.word import Parameter, Word, words
from pellucid.ir import types as T
from pellucid.ir.expr import Buffer

WRONG = {
    "None": None,
    "a string": "sideways",
    "a list": [1, [2]],
    "an object": object(),
    "NaN": math.nan,
    "infinity": math.inf,
    "an array": np.zeros((2, 3)),
    "a huge number": 10**400,
    "a truth": True,
    "a picture": im.fill(im.tomato, im.udisk),
    "a color": im.tomato,
    "a point": pl.Point(1, 2),
    "a class": int,
    "a number": 2.5,
    "a dictionary": {"x": 1},
    "bytes": b"12",
}
SAMPLES = {
    "Image Color": im.checkerboard(1, im.red, im.blue),
    "Image Bool": im.udisk,
    "Image Number": im.r,
    "Image a": im.checkerboard(1, im.red, im.blue),
    "Image": im.r,
    "Color": im.red,
    "Point": (0.5, 0.75),
    "Transform": lambda p: p,
    "Function": lambda p: p,
    "Stops": [im.red, im.blue],
    "Truth": True,
    "Any": np.zeros((2, 2, 4), np.uint8),
}


def sample(parameter: Parameter) -> object:
    """Something that a parameter takes."""
    type_, limits = parameter.slot.text.removesuffix("..."), parameter.limits
    if type_ == "Text":
        return limits[0] if isinstance(limits, tuple) else "nearest"
    if type_ in ("Count", "Integer"):
        return 4
    return SAMPLES.get(type_, 0.5)


def drawn(value: object) -> None:
    """Look at what a word gave: what is wrong may show only when it is used."""
    if isinstance(value, im.Image | im.Animation):
        value.at([0.25, -3.0], [0.5, 2.0])
    elif callable(value) and not isinstance(value, Behavior):
        value(pl.Point(0.25, 0.5))


# What memory is given to `from_buffer` is asked in tests/images/test_packed.py.
@pytest.mark.parametrize(
    "word", [w for w in words().values() if w.name != "from_buffer"], ids=lambda w: w.name
)
def test_a_word_refuses_what_is_of_the_wrong_kind(word: Word):
    for k, parameter in enumerate(word.parameters):
        for kind, wrong in WRONG.items():
            # A class may be called like a function; what it then says is its own.
            if kind == "a class" and parameter.slot.text.startswith(("Function", "Transform")):
                continue
            given = [sample(p) for p in word.parameters]
            given[k] = wrong
            try:
                drawn(word.function(*given))
            except PellucidError:
                continue
            except Exception as error:  # noqa: BLE001 - the one thing that must not be
                pytest.fail(f"{word.name}({parameter.name}={kind}): {type(error).__name__}: {error}")


PICTURE = im.fill(im.tomato, im.udisk)
CALLS = {
    "View": pl.View,
    "render": lambda **given: pl.render(**{"picture": PICTURE, "size": (4, 3), **given}),
    "compile": lambda **given: pl.compile(**{"picture": PICTURE, **given}),
    "explain": lambda **given: pl.explain(**{"picture": PICTURE, **given}),
    "export_c": lambda **given: pl.export_c(**{"picture": PICTURE, **given}),
    "param": lambda **given: pl.param(**{"name": "a", "default": 0.5, **given}),
    "clamp": lambda **given: pl.clamp(**{"x": 0.5, "low": 0.0, "high": 1.0, **given}),
    "smoothstep": lambda **given: pl.smoothstep(**{"low": 0.0, "high": 1.0, "x": 0.5, **given}),
    "where": lambda **given: pl.where(**{"condition": True, "then": 1, "orelse": 2, **given}),
    "iterate": lambda **given: pl.iterate(**{"step": lambda s: s, "init": 1, "limit": 3, **given}),
    "image": lambda **given: pl.image(**{"function": lambda p: p.x, **given}),
    "animation": lambda **given: pl.animation(**{"function": lambda t: PICTURE, **given}),
    "fraction": lambda **given: pl.fraction(**{"x": 0.5, **given}),
    "sign": lambda **given: pl.sign(**{"x": 0.5, **given}),
    "to_integer": lambda **given: pl.to_integer(**{"x": 0.5, **given}),
    "load": lambda **given: pl.load(**{"buffer": Buffer("b", T.f32, 4), "position": 1, **given}),
    "explain_tiles": lambda **given: pl.explain_tiles(**{"picture": PICTURE, "size": (4, 3), **given}),
    "save": lambda **given: pl.save(**{"picture": PICTURE, "path": "a.png", "size": (4, 3), **given}),
    "show": lambda **given: pl.show(
        **{"picture": PICTURE, "size": (4, 3), "mode": "ascii", "stream": io.StringIO(), **given}
    ),
    "animate": lambda **given: pl.animate(
        **{"picture": PICTURE, "path": "a.gif", "size": (4, 3), "seconds": 0.1, **given}
    ),
}
# Calls of methods and operators that are right.
KERNEL = pl.compile(PICTURE)
METHODS = {
    "Kernel.render": (KERNEL.render, {"view": None, "size": (4, 3), "center": (0, 0), "zoom": 1.0, "time": 0.0,
                                      "samples": 1, "threads": 1, "params": {}, "out": None,
                                      "tolerance": None, "error": None}),
    "Point.dot": (pl.Point(1, 2).dot, {"other": (1, 2)}),
    "Point.cross": (pl.Point(1, 2).cross, {"other": (1, 2)}),
    "Image.at": (PICTURE.at, {"x": [0.5, 1], "y": [0.5, 1]}),
    "Image.at of a point": (lambda *, p: PICTURE.at(p), {"p": pl.Point(1, 2)}),
    "Image of a point": (lambda *, p: PICTURE(p), {"p": pl.Point(1, 2)}),
    "round": (lambda *, digits: pl.image(lambda p: round(p.x, digits)).at([1.0], [2.0]), {"digits": 2}),
    "power": (lambda *, by: pl.image(lambda p: pl.where(p.x > 0, p.x**by, p.x)).at([1.0], [2.0]), {"by": 2}),
    "where": (lambda *, a: pl.image(lambda p: pl.where(p.x > 0, a, 0.5)).at([1.0], [2.0]), {"a": 2.0}),
}  # fmt: skip
MORE = {
    "ragged": [1, [2, 3]], "three": (1, 2, 3), "pair of texts": ("a", "b"), "complex": 1j,
    "view of much": np.broadcast_to(np.uint8(1), (2**20, 2**20)), "objects": np.array([[None, 1]], object),
    "other shape": np.zeros((7, 5)),
}  # fmt: skip


@pytest.mark.parametrize("name", METHODS)
def test_a_method_refuses_what_is_of_the_wrong_kind(name: str):
    method, right = METHODS[name]
    method(**right)
    for parameter in right:
        for kind, wrong in (WRONG | MORE).items():
            try:
                method(**right | {parameter: wrong})
            except PellucidError:
                continue
            except TypeError as error:
                # An operator between two things is told by Python, in the caller's own line.
                if not str(error).startswith("unsupported operand type(s) for **"):
                    pytest.fail(f"{name}({parameter}={kind}): {error}")
            except Exception as error:  # noqa: BLE001 - the one thing that must not be
                pytest.fail(f"{name}({parameter}={kind}): {type(error).__name__}: {error}")


@pytest.mark.filterwarnings("ignore:animate:DeprecationWarning")
@pytest.mark.parametrize("name", CALLS)
def test_a_public_function_refuses_what_is_of_the_wrong_kind(name: str, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    call = CALLS[name]
    call()
    for parameter in inspect.signature(getattr(pl, name)).parameters.values():
        for kind, wrong in WRONG.items():
            # A class may be called like a function; what it then says is its own.
            if kind == "a class" and parameter.name == "progress":
                continue
            try:
                call(**{parameter.name: wrong})
            except PellucidError:
                continue
            except Exception as error:  # noqa: BLE001 - the one thing that must not be
                pytest.fail(f"{name}({parameter.name}={kind}): {type(error).__name__}: {error}")


@pytest.mark.parametrize("name", ["sin", "sqrt", "atan2", "min", "floor", "fma"])
def test_a_function_of_numbers_refuses_what_is_none(name: str):
    function = names()[name]
    arity = {"atan2": 2, "min": 2, "fma": 3}.get(name, 1)
    for kind, wrong in WRONG.items():
        if kind in ("a picture", "an array"):
            continue
        try:
            function(*[wrong] * arity)
        except PellucidError:
            continue
        except Exception as error:  # noqa: BLE001 - the one thing that must not be
            pytest.fail(f"{name}({kind}): {type(error).__name__}: {error}")
