"""Past every limit that `docs/limits.md` states there is one error, soon. `test_limits.py` reads the page."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from pellucid.base.errors import PellucidError

from .exceeding import BEYOND, EXCEED

SECONDS = 30.0
"""Processor time after which a search counts as one without a bound; `bench/refusing.py` says how soon each refuses."""


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", EXCEED)
def test_past_a_limit_there_is_one_error_soon(name: str, tmp_path: Path):
    begin = time.process_time()
    with pytest.raises(PellucidError) as caught:
        EXCEED[name](tmp_path)
    assert len(str(caught.value)) < 1000
    # Processor time: other work on the machine is not this program's.
    assert time.process_time() - begin < SECONDS
    assert not [path for path in tmp_path.iterdir() if path.suffix == ".part"]


@pytest.mark.parametrize("name", BEYOND)
def test_past_some_limits_nothing_is_refused(name: str, tmp_path: Path):
    assert BEYOND[name](tmp_path)
