"""One process that runs the cases of one fuzzer: what `runner.py` starts, so that a native fault costs one process.

The case at hand stands in `current.txt` of the work folder before it is checked; a process that dies leaves it there.
Each finding is written at once as a file of its own, counts when the time is up.

    python -m tests.fuzz.worker NAME SEED FIRST SECONDS FOLDER    runs cases from number FIRST on
    python -m tests.fuzz.worker NAME FILE                         checks the case in a file
"""

from __future__ import annotations

import json
import sys
import time
import traceback
import warnings
from collections import Counter
from pathlib import Path

from tests.fuzz.contract import Fuzzer, NotACase, case_of, checked, fuzzer

MAX_FINDINGS = 5
"""A fuzzer that found this many stops: more of them would mostly be the same fault."""


def failure(made: Fuzzer, case: str) -> BaseException | None:
    """The exception that a case raises; None if it passes or is no case."""
    try:
        checked(made, case)
    except NotACase:
        return None
    except Exception as error:  # noqa: BLE001 - whatever it is, it is the finding
        return error
    return None


def told(error: BaseException) -> str:
    """The traceback of a finding as text."""
    return "".join(traceback.format_exception(error))


def campaign(name: str, seed: int, first: int, seconds: float, folder: Path) -> None:
    """Run cases until the time is up; findings and counts are left in the folder."""
    made, counts = fuzzer(name), Counter[str]()
    current, progress = folder / "current.txt", folder / "progress.json"
    end, index, findings = time.monotonic() + seconds, first, 0
    written = time.monotonic()
    while time.monotonic() < end and findings < MAX_FINDINGS:
        case = made.generate(case_of(name, seed, index))
        current.write_text(case, encoding="utf-8")
        index += 1
        try:
            counts.update(checked(made, case))
            counts["cases"] += 1
        except NotACase:
            counts["no cases"] += 1
        except Exception as error:  # noqa: BLE001 - whatever it is, it is the finding
            (folder / f"finding-{index}.json").write_text(json.dumps({"case": case, "told": told(error)}))
            findings += 1
        if time.monotonic() - written > 1:
            progress.write_text(json.dumps({"next": index, "counts": counts}))
            written = time.monotonic()
    progress.write_text(json.dumps({"next": index, "counts": counts}))


def main() -> None:
    """Run a campaign, or check one case."""
    warnings.simplefilter("error")
    if len(sys.argv) == 3:
        error = failure(fuzzer(sys.argv[1]), Path(sys.argv[2]).read_text(encoding="utf-8"))
        if error is not None:
            raise SystemExit(told(error))
        return
    name, seed, first, seconds, folder = sys.argv[1:]
    campaign(name, int(seed), int(first), float(seconds), Path(folder))


if __name__ == "__main__":
    main()
