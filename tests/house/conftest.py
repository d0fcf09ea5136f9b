"""What the tests of the house share: the syntax of files, while they run."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from . import parsed


@pytest.fixture(scope="package", autouse=True)
def syntax() -> Generator[None]:
    """Keep the syntax of files as long as tests of this folder run."""
    yield
    parsed.forget()
