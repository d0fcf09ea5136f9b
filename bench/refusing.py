"""How soon each stated limit refuses what exceeds it: the processor time of the programs of `tests/house/exceeding.py`.

A refusal is to be there within 2 seconds. Prints each limit with the time its refusal took, the slowest first, and checks
that each one is a refusal.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.house.exceeding import EXCEED

from pellucid.base.errors import PellucidError


def refusal(name: str) -> float:
    """The seconds of processor time until the program that exceeds this limit is refused."""
    with tempfile.TemporaryDirectory() as folder:
        begin = time.process_time()
        try:
            EXCEED[name](Path(folder))
        except PellucidError:
            return time.process_time() - begin
    raise SystemExit(f"{name}: not refused")


def main() -> None:
    """Print the table."""
    took = {name: min(refusal(name) for _ in range(3)) for name in EXCEED}
    for name, seconds in sorted(took.items(), key=lambda each: -each[1]):
        print(f"{seconds:7.3f} s  {name}")


if __name__ == "__main__":
    main()
