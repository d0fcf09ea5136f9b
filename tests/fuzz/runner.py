"""Run fuzzers with fresh seeds, shrink what they find, and keep it in the corpus that the gate replays.

`scripts/fuzz` calls this. Each fuzzer runs in a process of its own (`worker.py`), as many at a time as there are
processors, and gets its share of the time. A process that dies of a signal, or that works at one case for longer than
a minute, is a finding as well: its case is shrunk by checking candidates in further processes.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import secrets
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path

from tests.fuzz.contract import CORPUS, fuzzer, names
from tests.fuzz.worker import MAX_FINDINGS, failure

HANG = 60.0
"""Seconds that one case may take before its process is stopped: a hundred times what the slowest check should."""
SHRINKING = 60.0
"""Seconds that may be spent on making one finding smaller."""


def say(text: str) -> None:
    """Write a line at once, for a person who waits."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


@dataclass
class Finding:
    """A case that failed, made small, and what was raised."""

    case: str
    told: str


@dataclass
class Outcome:
    """What one fuzzer did in its time."""

    name: str
    counts: Counter[str] = field(default_factory=Counter[str])
    findings: list[Finding] = field(default_factory=list[Finding])
    trouble: str = ""
    """Why it could not be run to its end; nothing if it was."""


class FuzzerError(Exception):
    """A fuzzer itself fails, where it makes a case."""


def smallest(case: str, candidates: Callable[[str], Iterator[str]], fails: Callable[[str], bool]) -> str:
    """A case that still fails and none of whose candidates does, or the best within `SHRINKING` seconds."""
    end = time.monotonic() + SHRINKING
    smaller = True
    try:
        while smaller:
            smaller = False
            for candidate in candidates(case):
                if time.monotonic() > end:
                    return case
                if candidate != case and fails(candidate):
                    case, smaller = candidate, True
                    break
    except Exception:  # noqa: BLE001 - a fault of what makes smaller cases must not lose what was found
        say(f"fuzz: a case cannot be made smaller:\n{traceback.format_exc()}")
    return case


def shrunk(name: str, case: str, told: str) -> Finding:
    """A finding of a process that lived, made small in this process."""
    warnings.simplefilter("error")
    made = fuzzer(name)
    first = failure(made, case)
    if first is None:
        return Finding(case, told + "\n(it does not fail when it is run again by itself)\n")
    kind = type(first)
    small = smallest(case, made.shrink, lambda c: type(failure(made, c)) is kind)
    error = failure(made, small)
    return Finding(small, f"{type(error).__name__}: {error}\n\n{told}")


def died(name: str, case: str, folder: Path) -> Callable[[str], bool]:
    """A predicate: True if the process that checks a case is ended by a signal or takes too long."""
    path = folder / "candidate.txt"

    def fails(candidate: str) -> bool:
        path.write_text(candidate, encoding="utf-8")
        try:
            done = subprocess.run(
                [sys.executable, "-m", "tests.fuzz.worker", name, str(path)],
                capture_output=True,
                timeout=HANG,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return True
        return done.returncode < 0

    return fails


def worked(name: str, seed: int, first: int, seconds: float, folder: Path) -> str:
    """Run one process; how it ended badly, or nothing. Raises FuzzerError if no case is to blame."""
    command = [
        sys.executable,
        "-m",
        "tests.fuzz.worker",
        name,
        str(seed),
        str(first),
        str(seconds),
        str(folder),
    ]
    current, errors = folder / "current.txt", folder / "errors.txt"
    # Libraries say much about broken files; a pipe that nobody reads would be full, and the process would wait.
    with (
        errors.open("wb") as said_to,
        subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=said_to) as process,
    ):
        began = time.time()
        while True:
            try:
                process.wait(timeout=2)
                break
            except subprocess.TimeoutExpired:
                since = max(began, current.stat().st_mtime if current.exists() else began)
                if time.time() - since > HANG:
                    process.kill()
                    process.wait()
                    return f"one case took longer than {HANG:.0f} seconds"
    said = errors.read_text(encoding="utf-8", errors="replace")
    if process.returncode < 0:
        return f"the process was ended by {signal.Signals(-process.returncode).name}\n{said}"
    if process.returncode:
        raise FuzzerError(said)
    return ""


def explored(name: str, seed: int, seconds: float) -> Outcome:
    """Run a fuzzer for some seconds, in as many processes one after the other as faults make necessary."""
    outcome = Outcome(name)
    try:
        _explore(outcome, seed, seconds)
    except FuzzerError as error:
        outcome.trouble = str(error)
    return outcome


def _explore(outcome: Outcome, seed: int, seconds: float) -> None:
    """Fill in what a fuzzer did, until the time is up or there are findings enough."""
    name, end, first = outcome.name, time.monotonic() + seconds, 0
    while len(outcome.findings) < MAX_FINDINGS and (left := end - time.monotonic()) > 0:
        with tempfile.TemporaryDirectory(prefix="pellucid-fuzz-") as made:
            folder = Path(made)
            trouble = worked(name, seed, first, left, folder)
            progress = folder / "progress.json"
            state = json.loads(progress.read_text()) if progress.exists() else {"next": first, "counts": {}}
            outcome.counts.update(state["counts"])
            first = state["next"] + 1
            for path in sorted(folder.glob("finding-*.json")):
                found = json.loads(path.read_text())
                outcome.findings.append(shrunk(name, found["case"], found["told"]))
            if trouble:
                case = (folder / "current.txt").read_text(encoding="utf-8")
                fails = died(name, case, folder)
                small = smallest(case, fuzzer(name).shrink, fails) if fails(case) else case
                outcome.findings.append(Finding(small, trouble))


def kept(name: str, finding: Finding, corpus: Path) -> Path:
    """Write a finding into the corpus, where the gate replays it."""
    digest = hashlib.sha256(finding.case.encode()).hexdigest()[:12]
    path = corpus / name.rpartition(".")[2] / f"{digest}.txt"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(finding.case, encoding="utf-8")
    return path


def main(arguments: list[str] | None = None) -> int:
    """Run the fuzzers that were named, or all; 1 if there is a finding."""
    parser = argparse.ArgumentParser(prog="scripts/fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--corpus", type=Path, default=CORPUS)
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args(arguments)
    chosen = options.names or names()
    for name in chosen:
        if "." not in name and name not in names():
            sys.stderr.write(f"fuzz: no fuzzer is called {name!r}; there are {', '.join(names())}\n")
            return 2
    seed = secrets.randbelow(2**32) if options.seed is None else options.seed
    jobs = max(1, min(options.jobs, len(chosen)))
    weights = {name: float(getattr(fuzzer(name), "WEIGHT", 1)) for name in chosen}
    share = options.seconds * jobs / sum(weights.values())
    say(f"fuzz: seed {seed}, {len(chosen)} fuzzers, {share:.0f} s for one of weight 1, {jobs} at a time")
    # What takes longest begins first, so that no processor waits at the end.
    longest = sorted(chosen, key=lambda name: -weights[name])
    found = 0
    with tempfile.TemporaryDirectory(prefix="pellucid-cache-", ignore_cleanup_errors=True) as cache:
        os.environ["PELLUCID_CACHE_DIR"] = cache
        with ThreadPoolExecutor(jobs) as pool:
            begun = [pool.submit(explored, name, seed, share * weights[name]) for name in longest]
            for outcome in (one.result() for one in as_completed(begun)):
                counts = ", ".join(f"{count:,} {what}" for what, count in sorted(outcome.counts.items()))
                say(f"{outcome.name}: {counts}; {len(outcome.findings)} findings")
                if outcome.trouble:
                    found += 1
                    say(f"fuzz: {outcome.name} could not be run:\n{outcome.trouble}")
                for finding in outcome.findings:
                    found += 1
                    path = kept(outcome.name, finding, options.corpus)
                    say(f"\nfinding of {outcome.name}, kept as {path}:\n{finding.told}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
