"""Random staged programs against what they mean: residual on the rest = program on everything, refusals included.

A program is a reduction, a copy or a loop by order over samples of a random layout, with a random part of it known. The
ends are ragged half of the time.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from tests.fuzz.contract import NotACase, demand_soon

from pellucid import signals as sg
from pellucid.base.errors import InputError, StagingError
from pellucid.staging import Memory, cyclic, lift, load_sample, loop, specialize

SECONDS = 10.0
"""Processor time after which specializing counts as a search without a bound, on any machine."""
KINDS = ("sum", "tiles", "copy", "pairs", "order", "both")


def generate(rng: random.Random) -> str:
    """Make a program and its arguments."""
    stride = rng.choice([1, 3, 4, 5, 8, 10, 12, 16, 24])
    base = rng.choice([1, 4, 8, 16, 32])
    return json.dumps(
        {
            "kind": rng.choice(KINDS), "word": rng.choice([8, 16, 32]), "size": rng.randint(1, stride),
            "stride": stride, "base": base, "start": rng.randint(0, 6),
            "length": rng.randint(0, 6) * stride if rng.random() < 0.5 else rng.randint(-3, 24),
            "tile": rng.randint(1, 4), "step": rng.randint(1, 3), "known": rng.random() < 0.5,
            "lifted": rng.random() < 0.5, "static": rng.random() < 0.2,
        }
    )  # fmt: skip


def _program(case: Mapping[str, Any], memory: Memory, out: Memory, start: Any, stop: Any) -> Any:
    size, stride, kind = case["size"], case["stride"], case["kind"]
    # Another signal from where the first one starts, or one of which all is known.
    other = _ends(case) if case.get("static") else (start, stop)
    if kind in ("order", "both"):
        # A sum that ends by order, alone or together with a count.
        def done(p: Any, n: Any, r: Any) -> Any:
            return (p >= stop) & (n >= case["tile"] if kind == "both" else True)

        def step(p: Any, n: Any, r: Any) -> Any:
            return p + stride, n + case["step"], r * 3 + load_sample(memory, p, size) & 0xFFFFFF

        return loop(done, step, lift(start) if case.get("lifted") else start, lift(0), lift(1))
    source = sg.memory(memory, start, stop, size, stride)
    if kind == "copy":
        sg.copy(source, sg.memory(out, *other, size, stride))
        return 0
    if kind == "tiles":
        source = sg.sum_tile(0, source, case["tile"])
    if kind == "pairs":
        source = source + sg.memory(memory, *other, max(1, size // 2), stride)
    return sg.reduce(source, 1, lambda r, x: r * 3 + x & 0xFFFFFF)


def _ends(case: Mapping[str, Any]) -> tuple[int, int]:
    """The bit addresses from which to which the samples are."""
    return case["start"] * case["base"], (case["start"] + case["length"]) * case["base"]


def _outcome(run: Any) -> Any:
    try:
        return run()
    except InputError:
        return "refused"


def _endless(case: Mapping[str, Any]) -> bool:
    """Whether specializing the program is refused: it goes from a known address on, to one that is not known."""
    return case["kind"] in ("order", "both") and case["known"] and not case.get("lifted")


def check(case: str) -> Mapping[str, int]:
    """Run the program on everything, and its residual program on the rest."""
    given = json.loads(case)
    word, base = given["word"], given["base"]
    try:
        start, stop = _ends(given)
        if stop < 0 or not 1 <= given["size"] <= given["stride"] or min(given["tile"], given["step"]) < 1:
            raise NotACase(case)
    except KeyError:
        raise NotACase(case) from None
    # Beyond the end of the memory a program on everything is refused, and a residual one reads some word.
    count = (max(start, stop) + given["stride"] * 8 + 1024) // word + 2
    kind = {8: np.uint8, 16: np.uint16, 32: np.uint32}[word]
    data = np.random.default_rng(7).integers(0, 1 << word, count, dtype=np.uint64).astype(kind)
    plain, found = np.zeros_like(data), np.zeros_like(data)
    expected = _outcome(
        lambda: _program(given, Memory("m", word, data), Memory("out", word, plain), start, stop)
    )
    first = start if given["known"] else cyclic(base, "start")
    begin = time.process_time()
    try:
        residual = _outcome(
            lambda: specialize(
                lambda m, o, a, b: _program(given, m, o, a, b), Memory("m", word), Memory("out", word), first,
                cyclic(base, "stop"),
            )
        )  # fmt: skip
    except StagingError as error:
        residual = str(error)
    demand_soon(begin, SECONDS, "specializing it takes too long")
    if isinstance(residual, str) and residual != "refused":
        assert _endless(given), f"a program that ends is refused: {residual}"
        assert "p goes on as" in residual, f"another value is named: {residual}"
        return {"refused to specialize": 1}
    assert not _endless(given) or residual == "refused", "a loop without end is specialized"
    if residual == "refused":
        assert expected == "refused", "the specializer refuses what the program does"
        return {"refused early": 1}
    arrays = {n: {"m": data, "out": found}[n] for n in residual.memories}
    ends = {"start": given["start"], "stop": given["start"] + given["length"]}
    ends = {p.attr: ends[p.attr] for p in residual.kernel.params}
    got = _outcome(lambda: residual(arrays, **ends))
    assert got == expected, f"{got} and not {expected}"
    assert expected == "refused" or (plain == found).all(), "another memory"
    return {"refused at the call": 1} if got == "refused" else {given["kind"]: 1}


def shrink(case: str) -> Iterator[str]:
    """Smaller numbers."""
    given = json.loads(case)
    for name in ("length", "start", "tile", "step", "size", "stride"):
        for value in (1, given[name] // 2, given[name] - 1):
            if 0 <= value < given[name]:
                yield json.dumps({**given, name: value})
    plain = {"kind": "sum", "word": 32, "base": 32, "known": True, "static": False, "lifted": True}
    for name, value in plain.items():
        if given.get(name, value) != value:
            yield json.dumps({**given, name: value})
