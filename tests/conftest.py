"""What all tests share: the profiles of Hypothesis, and a home for caches that is not the user's."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import tempfile
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings
from tests.turns import by_turns

from pellucid.backends.c import compiler

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Playwright

ROOT = Path(__file__).parent.parent
NOBODY = 65534

# The gate draws the same examples every time: a failure is the change's. The nightly profile explores.
settings.register_profile(
    "gate",
    deadline=None,
    derandomize=True,
    max_examples=24,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "nightly",
    deadline=None,
    max_examples=200,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "gate"))

# Exported C compiles without a warning, so what the tests compile must: users build it with flags of their own.
compiler.LANGUAGE = (*compiler.LANGUAGE, "-Wall", "-Wextra", "-Werror")


# What a shell starts in the background is deaf to Ctrl-C, and so would be the programs that the tests interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_configure(config: pytest.Config) -> None:
    """Keep compiled code of this run away from the user's cache; the workers of one run share theirs.

    Modules compile already when they are imported, before there are fixtures; what an earlier run kept is not found.
    """
    if not hasattr(config, "workerinput"):
        folder = tempfile.TemporaryDirectory(prefix="pellucid-cache-", ignore_cleanup_errors=True)
        os.environ["PELLUCID_CACHE_DIR"] = folder.name
        config.add_cleanup(folder.cleanup)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect without searches for garbage, then or later: all that is imported and collected lives to the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave to the nightly run what the gate takes by turns, unless a test is asked for by name."""
    if not any("::" in argument for argument in config.args):
        items[:], left = by_turns(items)
        config.hook.pytest_deselected(items=left)


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    """What starts browsers; there can be one in a process."""
    # Here, since tests on other Pythons and packages have no browser.
    from playwright.sync_api import sync_playwright

    with sync_playwright() as started:
        yield started


@pytest.fixture(scope="session")
def browser(playwright: Playwright) -> Iterator[Browser]:
    """Chromium."""
    from tools.browser import chromium

    made = chromium(playwright)
    yield made
    made.close()


@pytest.fixture(scope="session")
def root() -> Path:
    """The top of the checkout."""
    return ROOT


@pytest.fixture
def protected() -> Generator[Path]:
    """A folder that may be read but not written to: the administrator is an ordinary user meanwhile."""
    # Not below the folder of the other tests, which is closed to everybody but its owner.
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o555)
    administrator = os.geteuid() == 0
    if administrator:
        os.seteuid(NOBODY)
    yield folder
    if administrator:
        os.seteuid(0)
    folder.chmod(0o700)
    shutil.rmtree(folder)
