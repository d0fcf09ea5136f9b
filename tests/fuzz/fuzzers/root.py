"""Random root programs by every tier: the machine, templates, LLVM and nests give the same values and refusals."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator, Mapping

import numpy as np
from tests.fuzz.contract import NotACase
from tests.fuzz.roots import program
from tests.fuzz.tiers import UNTOLD, Call, compare, meant

from pellucid.base.errors import StagingError, TextError
from pellucid.staging import Memory
from pellucid.staging.root.program import linked
from pellucid.staging.root.reading import read_sugar

_WORDS = 8


def generate(rng: random.Random) -> str:
    """Make a program and arguments for it."""
    text = program(rng)
    scalars = [
        rng.choice([0, 1, -1, 5, 255, -7, 1 << 33, rng.randint(-99, 99)])
        for _ in range(text.split(")")[0].count("x"))
    ]
    return json.dumps(
        {
            "text": text, "fuel": rng.choice([1, 3, 10, 40]), "scalars": scalars,
            "list": [rng.randint(-5, 5) for _ in range(rng.randint(0, 3))], "data": rng.random() < 0.3,
            "word": rng.choice([8, 12, 32]), "arena": rng.choice([1 << 20, 1200, 6000]),
        }
    )  # fmt: skip


def check(case: str) -> Mapping[str, int]:
    """Run it by each tier."""
    given = json.loads(case)
    try:
        codes = read_sugar(given["text"])
        entry, scalars, kind = (
            codes["f0"],
            given["scalars"],
            {8: np.uint8, 12: np.uint16, 32: np.uint32}[given["word"]],
        )
    except (KeyError, TextError, StagingError):
        raise NotACase(case) from None
    args = [given["fuel"], *scalars, linked(*given["list"])]
    if len(args) != len(entry.params) - 2:
        raise NotACase(case)
    memory = Memory("m", given["word"])
    words = (np.arange(_WORDS, dtype=np.uint32) * 77 & memory.mask).astype(kind)
    kinds = ["data" if given["data"] else "integer"] * (1 + len(scalars)) + ["data"]
    if "(cons" not in given["text"] and "(close" not in given["text"]:
        # Of numbers only: there the list is a number as well.
        args[-1], kinds = len(given["list"]), ["integer"] * len(kinds)
    call = Call([None, *args], [memory, *kinds], memory, words)
    expected = meant(entry, call)
    if expected.outcome[0] in UNTOLD:
        return {expected.outcome[0]: 1}
    return Counter({expected.outcome[0]: 1}) + compare(entry, call, expected, given["arena"])


def shrink(case: str) -> Iterator[str]:
    """Fewer lines, and smaller arguments."""
    given = json.loads(case)
    lines = given["text"].split("\n")
    for size in (8, 4, 2, 1):
        for at in range(0, len(lines), size):
            yield json.dumps({**given, "text": "\n".join(lines[:at] + lines[at + size :])})
    for name, value in (
        ("fuel", 1),
        ("list", given["list"][1:]),
        ("data", False),
        ("word", 32),
        ("arena", 1 << 20),
    ):
        if given[name] != value:
            yield json.dumps({**given, name: value})
    for k, number in enumerate(given["scalars"]):
        if number:
            yield json.dumps({**given, "scalars": [*given["scalars"][:k], 0, *given["scalars"][k + 1 :]]})
