"""Each fuzzer runs for a moment from a fixed seed; every case that was ever found stays mended; the runner finds."""

from __future__ import annotations

import itertools
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from tests.fuzz.contract import CORPUS, LateError, NotACase, case_of, checked, demand_soon, fuzzer, names
from tests.fuzz.runner import main

SECONDS = 1.5
"""How long each fuzzer runs in the gate: all of them together stay a small part of it."""
KEPT = sorted(CORPUS.glob("*/*.txt"))


@pytest.mark.parametrize("name", names())
def test_nothing_is_found_from_a_fixed_seed(name: str):
    made, counts, end, index = fuzzer(name), Counter[str](), time.monotonic() + SECONDS, 0
    while time.monotonic() < end or not index:
        case = made.generate(case_of(name, 0, index))
        try:
            counts.update(checked(made, case))
        except NotACase:
            pass
        except Exception as error:
            raise AssertionError(f"{name}, seed 0, case {index}:\n{case}") from error
        index += 1
    assert sum(counts.values()) > 0, "a fuzzer that exercises nothing finds nothing"


@pytest.mark.parametrize("name", names())
def test_every_case_can_be_made_smaller(name: str):
    made = fuzzer(name)
    for index in range(3):
        case = made.generate(case_of(name, 1, index))
        smaller = list(itertools.islice(made.shrink(case), 500))
        assert all(isinstance(one, str) for one in smaller)
        assert set(smaller) - {case}, "a fuzzer that makes nothing smaller shows large findings"


@pytest.mark.parametrize("path", KEPT, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_what_was_found_stays_mended(path: Path):
    assert path.parent.name in names()
    checked(fuzzer(path.parent.name), path.read_text(encoding="utf-8"))


# --- the runner, by fuzzers with known faults: this module is one, for faults that raise


def generate(rng: random.Random) -> str:
    """Some letters, with an x among them now and then."""
    return "".join(rng.choice("abcdefghx") for _ in range(10))


def check(case: str) -> Mapping[str, int]:
    """Fail if there is an x."""
    assert "x" not in case
    return {"letters": len(case)}


def shrink(case: str) -> Iterator[str]:
    """Leave out one letter."""
    for i in range(len(case)):
        yield case[:i] + case[i + 1 :]


def test_the_runner_shrinks_what_it_finds_and_keeps_it(tmp_path, capsys):
    assert main(["--seconds", "2", "--seed", "7", "--corpus", str(tmp_path), "tests.fuzz.test_fuzz"]) == 1
    (path,) = tmp_path.glob("test_fuzz/*.txt")
    assert path.read_text() == "x"
    assert "AssertionError" in capsys.readouterr().out


def test_the_runner_survives_a_native_fault(tmp_path, capsys):
    assert main(["--seconds", "3", "--seed", "7", "--corpus", str(tmp_path), "tests.fuzz.faulty"]) == 1
    assert {path.read_text() for path in tmp_path.glob("faulty/*.txt")} == {"x"}
    assert "SIGABRT" in capsys.readouterr().out


def test_what_cannot_be_made_smaller_is_not_lost(tmp_path, capsys, monkeypatch):
    def shrink(case: str) -> Iterator[str]:
        yield case
        raise TypeError(case)

    monkeypatch.setattr("tests.fuzz.test_fuzz.shrink", shrink)
    assert main(["--seconds", "2", "--seed", "7", "--corpus", str(tmp_path), "tests.fuzz.test_fuzz"]) == 1
    assert all("x" in path.read_text() for path in tmp_path.glob("test_fuzz/*.txt"))
    assert "TypeError" in capsys.readouterr().out


def test_a_name_that_is_no_fuzzer_is_refused(capsys):
    assert main(["sideways"]) == 2
    assert "no fuzzer is called 'sideways'" in capsys.readouterr().err


def test_cases_are_the_same_in_every_process():
    program = "from tests.fuzz.contract import case_of; print(case_of('a', 1, 2).random())"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert float(done.stdout) == case_of("a", 1, 2).random()


class Slow:
    """A fuzzer whose cases are late for a number of times."""

    def __init__(self, late: int) -> None:
        self.late = late

    def check(self, _case: str) -> Mapping[str, int]:
        self.late -= 1
        demand_soon(time.process_time() - (5.0 if self.late >= 0 else 0.0), 2.0, "it is late")
        return {"in time": 1}

    generate = staticmethod(generate)
    shrink = staticmethod(shrink)


def test_a_case_is_late_that_is_late_twice():
    assert checked(Slow(0), "a") == checked(Slow(1), "a") == {"in time": 1}
    with pytest.raises(LateError, match=r"it is late: 5\.\d s"):
        checked(Slow(2), "a")
