"""The studio as people start it, and a browser that opens it."""

from __future__ import annotations

import http.client
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from tools.browser import PATIENCE

expect.set_options(timeout=1000 * PATIENCE)

TEXT = """from pellucid import images as im

turns = 0.6
picture = im.swirl(3, im.checkerboard(0.5, im.midnightblue, im.gold)).turn(turns).framed(width=6)
"""


class Studio:
    """A process of `pellucid studio`, and the address that it printed."""

    def __init__(self, file: Path, port: int = 0, words: Sequence[str] = ()) -> None:
        words = words or ["studio", "--no-browser", "--port", str(port)]
        # Where a browser would be opened, nothing is.
        self.process = subprocess.Popen(
            [sys.executable, "-m", "pellucid", *words, str(file)],
            env={**os.environ, "BROWSER": "true"},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)/\?token=(\S+)", line)
        assert found, line + self.process.stdout.read()
        self.address, self.port, self.token = found[0], int(found[1]), found[2]
        self.folder = file.parent

    def admitted(self) -> str:
        """The cookie that the token is changed into."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        connection.request("GET", f"/?token={self.token}")
        cookie = connection.getresponse().getheader("set-cookie")
        connection.close()
        assert cookie
        return cookie.partition(";")[0]

    def stop(self, number: int = signal.SIGINT) -> tuple[int, str]:
        """Send a signal; the exit status, and what was printed."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        said = self.process.communicate(timeout=20)[0]
        return self.process.returncode, said


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    """A studio for all tests that leave it as it was; it serves `folder`, and `cookie` lets a browser in."""
    path = tmp_path_factory.mktemp("studio") / "in" / "picture.py"
    path.parent.mkdir()
    path.write_text(TEXT, "utf-8")
    made = Studio(path)
    yield made
    made.stop(signal.SIGKILL)


@pytest.fixture(scope="session")
def cookie(shared: Studio) -> str:
    return shared.admitted()


@pytest.fixture
def studio(tmp_path: Path) -> Iterator[Studio]:
    """A studio of one test, which nobody opened yet."""
    (tmp_path / "picture.py").write_text(TEXT, "utf-8")
    made = Studio(tmp_path / "picture.py")
    yield made
    made.stop(signal.SIGKILL)


@pytest.fixture
def file(shared: Studio, request: pytest.FixtureRequest) -> Path:
    """A document of one test in the shared studio."""
    path = shared.folder / request.node.name / "picture.py"
    path.parent.mkdir()
    path.write_text(TEXT, "utf-8")
    return path


@pytest.fixture
def page(browser: Browser, shared: Studio, cookie: str, file: Path) -> Iterator[Page]:
    """The page of the studio with its first exact picture; what its console complains of is a failure."""
    context = browser.new_context(viewport={"width": 1000, "height": 700})
    name, _, value = cookie.partition("=")
    context.add_cookies([{"name": name, "value": value, "url": f"http://127.0.0.1:{shared.port}"}])
    made = context.new_page()
    made.set_default_timeout(1000 * PATIENCE)
    complaints: list[str] = []
    made.on("pageerror", lambda error: complaints.append(str(error)))
    made.goto(f"http://127.0.0.1:{shared.port}/?file={file.relative_to(shared.folder)}")
    made.wait_for_selector('.pellucid[data-exact="true"]')
    yield made
    context.close()
    assert not complaints


def free_port() -> int:
    with socket.socket() as made:
        made.bind(("127.0.0.1", 0))
        return made.getsockname()[1]
