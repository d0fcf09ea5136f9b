"""Every public function, given something of the wrong kind, says so in one error of pellucid, and never in Python's.

The cases are made from the registry of words and from the signatures of public functions: for each parameter, every
kind of thing that is not of its type.
"""

from __future__ import annotations

import inspect
import math

import numpy as np
import pytest
from tests.fuzz.pictures import names

import pellucid as pl
from pellucid import images as im
from pellucid.base.errors import PellucidError
from pellucid.images.animation import Behavior
from pellucid.images.word import WORDS, Parameter, Word

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
@pytest.mark.parametrize("word", [w for w in WORDS.values() if w.name != "from_buffer"], ids=lambda w: w.name)
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
}


@pytest.mark.parametrize("name", CALLS)
def test_a_public_function_refuses_what_is_of_the_wrong_kind(name: str):
    call = CALLS[name]
    call()
    for parameter in inspect.signature(getattr(pl, name)).parameters.values():
        for kind, wrong in WRONG.items():
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
