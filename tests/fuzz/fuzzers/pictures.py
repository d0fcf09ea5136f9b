"""Random pictures in random views on every back end: the same bits as NumPy's, exact or relaxed, f32 or f64."""

from __future__ import annotations

import ast
import json
import random
from collections.abc import Iterator, Mapping

import numpy as np
from tests.fuzz.contract import NotACase
from tests.fuzz.pictures import KINDS, Maker, faults_of_its_own, picture

import pellucid as pl
from pellucid.base.errors import PellucidError

WEIGHT = 5
"""A picture is compiled three times."""
ZOOMS = (1.0, 4.0, 9.7, 9.7, 0.31, 1e3, 1e-4, 1e-10, 1e30)
CENTERS = ((0.0, 0.0), (0.0, 0.0), (0.25, -0.5), (3e6, -2e6), (-1.0, 0.125))
TIMES = (0.0, 0.75, -7.7, 1e12)


def generate(rng: random.Random) -> str:
    """A picture that the vocabulary accepts, and how it is looked at."""
    while True:
        text = Maker(rng, rng.choice((2, 4, 6, 9))).image(rng.choice(KINDS))
        try:
            with faults_of_its_own():
                picture(text)
        except (PellucidError, NotACase):
            continue
        except Exception:  # noqa: BLE001 - whatever else a word raises, `check` finds
            break
        break
    zoom = rng.choice(ZOOMS)
    asked = {
        "picture": text,
        "size": [rng.choice((1, 2, 5, 16, 17, 33)), rng.choice((1, 2, 3, 9))],
        "zoom": zoom,
        "center": rng.choice(CENTERS) if zoom < 1e9 else (0.0, 0.0),
        "time": rng.choice(TIMES),
        "samples": rng.choice((1, 1, 1, 1, 2, 3)),
        "threads": rng.choice((1, 2)),
        "numerics": rng.choice(("exact", "relaxed")),
        "precision": rng.choice(("f32", "f32", "f64")),
        "alpha": rng.choice(("render", "premultiplied")),
        "backends": ["llvm", "tiles", *(["c"] if rng.random() < 0.1 else [])],
    }
    return json.dumps(asked, indent=1)


def check(case: str) -> Mapping[str, int]:
    """Draw the picture on all back ends and compare."""
    try:
        asked = json.loads(case)
        text = asked["picture"]
    except (ValueError, KeyError) as problem:
        raise NotACase from problem
    try:
        with faults_of_its_own():
            made = picture(text)
    except (SyntaxError, PellucidError) as problem:
        raise NotACase from problem
    with faults_of_its_own():
        drawn = {name: _drawn(made, asked, name) for name in ("numpy", *asked["backends"])}
    refused = {name: str(e) for name, e in drawn.items() if isinstance(e, PellucidError)}
    if refused:
        assert len(refused) == len(drawn), f"some back ends refuse it: {refused}"
        assert len(set(refused.values())) == 1, f"for different reasons: {refused}"
        return {"refusals": 1}
    for name, pixels in drawn.items():
        np.testing.assert_array_equal(pixels, drawn["numpy"], err_msg=name)
    return {"pictures": 1, f"{asked['numerics']} pictures": 1, "frames": len(drawn)}


def _drawn(made: object, asked: dict, backend: str) -> np.ndarray | PellucidError:
    """The pixels, or why there are none."""
    view = {name: asked[name] for name in ("zoom", "time", "samples", "threads")}
    try:
        kernel = pl.compile(made, numerics=asked["numerics"], precision=asked["precision"], backend=backend)
        return getattr(kernel, asked["alpha"])(tuple(asked["size"]), center=tuple(asked["center"]), **view)
    except PellucidError as problem:
        return problem


PLAIN = {
    "size": [1, 1],
    "zoom": 1.0,
    "center": [0.0, 0.0],
    "time": 0.0,
    "samples": 1,
    "threads": 1,
    "numerics": "exact",
    "precision": "f32",
    "alpha": "render",
}
"""The plainest way to look at a picture."""


def shrink(case: str) -> Iterator[str]:
    """Fewer back ends, parts of the expression, plainer views."""
    asked = json.loads(case)

    def but(**changed: object) -> str:
        return json.dumps({**asked, **changed}, indent=1)

    if len(asked["backends"]) > 1:
        yield from (but(backends=[backend]) for backend in asked["backends"])
    yield from (but(picture=part) for part in _parts(asked["picture"]))
    yield from (but(**{name: value}) for name, value in PLAIN.items() if asked[name] != value)
    width, height = asked["size"]
    if width > 1:
        yield but(size=[width // 2, height])
    if height > 1:
        yield but(size=[width, height // 2])


def _parts(text: str) -> Iterator[str]:
    """The expression with one node replaced by one of those below it, or by something plain; short ones first."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(text, mode="eval")):
        if not isinstance(node, ast.expr):
            continue
        before, after = text[: node.col_offset], text[node.end_col_offset :]
        for below in ast.walk(node):
            if below is not node and isinstance(below, ast.expr):
                found.add(before + text[below.col_offset : below.end_col_offset] + after)
        found |= {before + plain + after for plain in ("1.0", "checker", "r", "red")}
    yield from sorted((f for f in found if len(f) < len(text)), key=lambda f: (len(f), f))
