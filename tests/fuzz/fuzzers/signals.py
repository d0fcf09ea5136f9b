"""Random block diagrams: block by block = one call, compiled = the interpreter, in every format of sound.

A diagram is a tree of boxes with one loop around it, whose numbers may be infinite or NaN. Which NaN a sample is, by
its sign and payload, is not promised: every NaN is taken for the same.
"""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from tests.fuzz.contract import NotACase

import pellucid as pl
from pellucid import signals as sg
from pellucid.pixels import FORMATS
from pellucid.signals.pcm import pcm

FRAMES = 24
LEAVES = ("y", "noise", "count")
NUMBERS = (0.5, -0.25, 2.0, -3.0, 1e300, 5e-324, 0.0, -0.0)
TWO = {"+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "max": pl.max}
ONE = ("delay1", "delay", "scan", "filter", "floor", "choose", "tiles")


def _tree(rng: random.Random, depth: int) -> Any:
    if depth == 0 or rng.random() < 0.2:
        return rng.choice([*LEAVES, rng.choice(NUMBERS)])
    if rng.random() < 0.5:
        return [rng.choice([*TWO]), _tree(rng, depth - 1), _tree(rng, depth - 1)]
    return [rng.choice(ONE), _tree(rng, depth - 1)]


def _formats() -> list[str]:
    found = []
    for name in FORMATS:
        if name.startswith("pcm_"):
            try:
                pcm(name, 1)
            except pl.PellucidError:
                continue
            found.append(name)
    return found


def generate(rng: random.Random) -> str:
    """Make a diagram, a format and cuts between blocks."""
    cuts = sorted({rng.randint(1, FRAMES - 1) for _ in range(rng.randint(0, 3))})
    return json.dumps(
        {
            "tree": _tree(rng, rng.randint(1, 4)),
            "format": rng.choice(_formats()),
            "cuts": cuts,
            "planar": rng.random() < 0.3,
        }
    )


def _signal(tree: Any, leaves: Mapping[str, Any]) -> Any:
    match tree:
        case str() if tree in leaves:
            return leaves[tree]
        case int() | float():
            return sg.constant(float(tree))
        case [str(op), a, b] if op in TWO:
            return sg.map2(TWO[op], _signal(a, leaves), _signal(b, leaves))
        case ["delay1", a]:
            return sg.delay1(_signal(a, leaves), 0.5)
        case ["delay", a]:
            return sg.delay(_signal(a, leaves), 3, 0.25)
        case ["scan", a]:
            return sg.scan(_signal(a, leaves), 1.0, lambda r, x: x - r)
        case ["filter", a]:
            return sg.filter(_signal(a, leaves), [0.5, 2.0], [0.0, 1.0])
        case ["floor", a]:
            return sg.map(lambda x: x - pl.floor(x), _signal(a, leaves))
        case ["choose", a]:
            return sg.map(lambda x: sg.choose(x < 0.25, lambda: x, lambda: -x), _signal(a, leaves))
        case ["tiles", a]:
            # What is summed up in tiles has no delay line: noise, by the value of the tree beside it.
            return sg.sum_tile(0.0, sg.noise(5), 3) * _signal(a, leaves)
        case _:
            raise NotACase(str(tree))


def _made(tree: Any) -> Any:
    def body(y: Any) -> Any:
        return _signal(tree, {"y": sg.delay1(y, 0.5), "noise": sg.noise(3), "count": 1.0 * sg.count()})

    return sg.rec(body)


def _played(player: sg.Player, frames: int, sound: str) -> bytes:
    """The bytes of the next frames, in which every NaN is the same."""
    data = player.play(frames).tobytes()
    if not sound.startswith("pcm_f"):
        return data
    order = {"le": "<", "be": ">"}[sound[-2:]]
    samples = np.frombuffer(data, f"{order}f{int(sound[5:7]) // 8}").copy()
    samples[np.isnan(samples)] = np.nan
    return samples.tobytes()


def check(case: str) -> Mapping[str, int]:
    """Play it in one call and in blocks, by machine code and by the interpreter."""
    given = json.loads(case)
    sound = given["format"]
    channels, options = (
        (given["tree"], ["delay1", given["tree"]]),
        {"format": sound, "planar": False},
    )
    players = [sg.Player(*map(_made, channels), backend=b, meter=True, **options) for b in ("llvm", "numpy")]
    whole = [_played(p, FRAMES, sound) for p in players]
    assert whole[0] == whole[1], "machine code and the interpreter differ"
    assert repr(players[0].peak) == repr(players[1].peak), "their peaks differ"
    player = sg.Player(*map(_made, channels), meter=True, **options)
    ends = [0, *given["cuts"], FRAMES]
    blocks = b"".join(_played(player, b - a, sound) for a, b in itertools.pairwise(ends))
    assert blocks == whole[0], "block by block differs from one call"
    if given["planar"]:
        planar = _played(sg.Player(*map(_made, channels), format=sound, planar=True), FRAMES, sound)
        size, half = len(planar) // (2 * FRAMES), len(planar) // 2
        turns = b"".join(planar[h + k * size : h + (k + 1) * size] for k in range(FRAMES) for h in (0, half))
        assert turns == whole[0], "planar differs"
    return {sound: 1, "blocks": len(ends) - 1}


def shrink(case: str) -> Iterator[str]:
    """Subtrees, fewer cuts."""
    given = json.loads(case)
    tree = given["tree"]
    if isinstance(tree, list):
        for part in tree[1:]:
            yield json.dumps({**given, "tree": part})
        for k in range(1, len(tree)):
            for small in ("y", 0.5):
                if tree[k] != small:
                    yield json.dumps({**given, "tree": [*tree[:k], small, *tree[k + 1 :]]})
    for k in range(len(given["cuts"])):
        yield json.dumps({**given, "cuts": given["cuts"][:k] + given["cuts"][k + 1 :]})
    if given["planar"]:
        yield json.dumps({**given, "planar": False})
