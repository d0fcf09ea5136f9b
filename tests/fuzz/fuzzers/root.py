"""Random root programs by every tier: the machine, templates, LLVM and nests give the same values and refusals."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
from tests.fuzz.contract import NotACase
from tests.fuzz.roots import program

from pellucid.base.errors import BackendError, InputError, StagingError, TextError
from pellucid.driver.codes import compile_code
from pellucid.staging import Memory
from pellucid.staging.root.flow import INTEGERS
from pellucid.staging.root.lowering import lowered
from pellucid.staging.root.machine import run
from pellucid.staging.root.nests import nest, parameters
from pellucid.staging.root.primitives import PRIMITIVES
from pellucid.staging.root.program import Code, Pair, linked
from pellucid.staging.root.reading import read_sugar

_MOST_JUMPS = 3000
_WORDS = 8
_REFUSALS = {"large": "more than 64 bits", "endless": "no end after", "full": "more pairs live"}
"""Refusals of their own, by what they say."""


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


def plain(value: Any) -> Any:
    """A value that compares by its parts."""
    if isinstance(value, Pair):
        out: list[Any] = ["closure"] if value.closure else []
        while isinstance(value, Pair):
            out.append(plain(value.car))
            value = value.cdr
        return [*out, plain(value)]
    return (type(value).__name__, value.name if isinstance(value, Code) else repr(value))


def outcome(call: Any) -> Any:
    """What a call gives, or the class of its refusal."""
    try:
        return "value", plain(call())
    except InputError as error:
        return ("full" if "an arena" in str(error) else "outside"), None
    except StagingError as error:
        return next((word for word in _REFUSALS if _REFUSALS[word] in str(error)), "refused"), None


@contextmanager
def small_numbers() -> Generator[None]:
    """While the machine runs, products and shifts that are far too large for all others are refused at once."""
    usual = {name: PRIMITIVES[name] for name in ("*", "<<")}

    def bounded(meaning: Any) -> Any:
        def bounded_meaning(one: Any, other: Any) -> Any:
            made = meaning(one, other)
            if isinstance(made, int) and abs(made) >> 4000:
                raise StagingError("more than 64 bits")
            return made

        return bounded_meaning

    try:
        PRIMITIVES.update({name: row._replace(meaning=bounded(row.meaning)) for name, row in usual.items()})
        yield
    finally:
        PRIMITIVES.update(usual)


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
    start = (np.arange(_WORDS, dtype=np.uint32) * 77 & memory.mask).astype(kind)
    meant = start.copy()
    data = Memory("m", given["word"], meant)
    with small_numbers():
        expected = outcome(lambda: run(entry, data, *args, memories={"m": data}, most=_MOST_JUMPS))
    if expected[0] in ("endless", "large"):
        return {expected[0]: 1}
    kinds = ["data" if given["data"] else "integer"] * (1 + len(scalars)) + ["data"]
    if "(cons" not in given["text"] and "(close" not in given["text"]:
        # Of numbers only: there the list is a number as well.
        args[-1], kinds = len(given["list"]), ["integer"] * len(kinds)
        data.data[:] = start
        with small_numbers():
            expected = outcome(lambda: run(entry, data, *args, memories={"m": data}, most=_MOST_JUMPS))
        if expected[0] in ("endless", "large"):
            return {expected[0]: 1}
    counts = Counter[str]({expected[0]: 1})
    for tier in ("quick", "llvm"):
        words = start.copy()
        try:
            made = compile_code(
                entry, memory, *kinds, memories={"m": memory}, tier=tier, arena=given["arena"]
            )
        except (StagingError, BackendError):
            counts[f"no {tier}"] += 1
            continue
        found = outcome(lambda made=made, words=words: made(words, *args, memories={"m": words}))
        if found[0] in ("large", "full"):
            counts[found[0]] += 1
            continue
        assert found == expected, f"{tier}: {found} and not {expected}"
        assert (words == meant).all(), f"{tier}: other words in memory"
        counts[tier] += 1
    if set(kinds) == {"integer"} and expected[0] == "value" and not counts["large"]:
        counts += _by_nest(entry, memory, args, start, expected, meant)
    return counts


def _by_nest(
    entry: Code, memory: Memory, args: list[int], start: Any, expected: Any, meant: Any
) -> Counter[str]:
    """Compare the nest, run by its interpreter, where there is one."""
    given = [memory, *[INTEGERS] * len(args)]
    form = lowered(entry, given, memories={"m": memory})
    try:
        residual = nest(form, entry.params[1:])
    except StagingError:
        return Counter({"no nest": 1})
    words = start.copy()
    values = dict(zip(parameters(entry.params[2:]), args, strict=True))
    found = residual(
        dict.fromkeys(residual.memories, words), **{p.attr: values[p.attr] for p in residual.kernel.params}
    )
    assert ("value", plain(found)) == expected, f"nest: {found} and not {expected}"
    assert (words == meant).all(), "nest: other words in memory"
    return Counter({"nest": 1})


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
