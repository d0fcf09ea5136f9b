"""The search for garbage waits, and what was made meanwhile counts as old, unless somebody keeps objects out of it."""

from __future__ import annotations

import subprocess
import sys

import pytest

# In a process of its own, in which nothing else is frozen.
PROGRAM = """
import gc, sys
from pellucid.base.gc_pause import gc_paused
kept = [object]
if sys.argv[1] == "frozen":
    gc.collect()
    gc.freeze()
before = gc.get_freeze_count()
with gc_paused():
    assert not gc.isenabled()
    made = [[] for _ in range(20_000)]
assert gc.isenabled()
old = gc.get_objects(generation=2)
print(any(each is made for each in old), any(each is kept for each in old), before > 0, gc.get_freeze_count() > 0)
"""


@pytest.mark.parametrize(
    ("kind", "told"), [("usual", "True True False False"), ("frozen", "False False True True")]
)
def test_what_was_made_is_old_and_what_was_frozen_stays_so(kind: str, told: str):
    done = subprocess.run([sys.executable, "-c", PROGRAM, kind], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == told
