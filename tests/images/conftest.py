"""What the tests of images share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder of third-party pictures and programs that are not part of the project."""
    named = os.environ.get("PELLUCID_TEST_DATA", "")
    if not named or not Path(named).is_dir():
        pytest.skip("PELLUCID_TEST_DATA names no folder of third-party test data")
    return Path(named)
