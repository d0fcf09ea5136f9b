"""What a fuzzer is: a file of `tests/fuzz/fuzzers` with three functions.

`generate(rng)` makes one case as text, with everything that is needed to run it again. `check(case)` runs it, returns
counts of what was exercised, and raises on a finding. `shrink(case)` yields smaller cases, the most drastic first. A
constant `WEIGHT` (1 where there is none) says how large a share of the time it gets.
`runner.py` runs fuzzers in processes of their own, `test_fuzz.py` runs each for a moment and replays the corpus.
"""

from __future__ import annotations

import importlib
import random
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Protocol, cast

FOLDER = Path(__file__).parent
CORPUS = FOLDER / "corpus"


class NotACase(Exception):  # noqa: N818 - it says what the text is, and is no fault
    """The text is not a valid case: a candidate of `shrink` that went too far."""


class LateError(AssertionError):
    """A case took more processor time than it may."""


def demand_soon(begin: float, seconds: float, told: str) -> None:
    """Refuse what took so many seconds of the process since `begin`, which is a `time.process_time()`."""
    if time.process_time() - begin >= seconds:
        raise LateError(f"{told}: {time.process_time() - begin:.1f} s")


class Fuzzer(Protocol):
    """A module of `tests/fuzz/fuzzers`."""

    def generate(self, rng: random.Random) -> str:
        """Make one case."""
        ...

    def check(self, case: str) -> Mapping[str, int]:
        """Run a case: the counts of what was exercised; raises on a finding."""
        ...

    def shrink(self, case: str) -> Iterator[str]:
        """Yield smaller cases."""
        ...


def names() -> list[str]:
    """Names of all fuzzers, found by listing their folder."""
    return sorted(path.stem for path in (FOLDER / "fuzzers").glob("*.py"))


def fuzzer(name: str) -> Fuzzer:
    """The fuzzer of that name; a dotted name is any module with the three functions."""
    module = name if "." in name else f"tests.fuzz.fuzzers.{name}"
    return cast("Fuzzer", importlib.import_module(module))


def checked(made: Fuzzer, case: str) -> Mapping[str, int]:
    """Run a case; one that is late is run once more.

    A collection of garbage and other threads of the process take processor time too. What is late by itself is late
    twice.
    """
    try:
        return made.check(case)
    except LateError:
        return made.check(case)


def case_of(name: str, seed: int, index: int) -> random.Random:
    """The source of randomness of one case: the same for the same name, seed and index, on every machine."""
    return random.Random(f"{name} {seed} {index}")
