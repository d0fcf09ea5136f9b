"""A browser without a window, for pages that this project writes: Chromium, spoken to through a pipe.

Used by the tests of pages and by `bench/live.py`. It needs Chromium on the path and nothing else.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

NAMES = ("chromium", "chromium-browser", "google-chrome")
OPTIONS = (
    "--headless", "--remote-debugging-pipe", "--no-sandbox", "--no-first-run", "--disable-quic", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--disable-gpu-watchdog",
)  # fmt: skip
LLVMPIPE = ("--use-gl=angle", "--use-angle=gl-egl", "--ignore-gpu-blocklist")
"""Options for Mesa's renderer in place of Chromium's own, where Mesa is installed."""
PATIENCE = 20.0
"""Seconds that an answer of the browser may take."""


def browser() -> str | None:
    """The path of Chromium or Chrome; None if there is none."""
    return next((found for name in NAMES if (found := shutil.which(name))), None)


class Browser:
    """A running browser with one page of a given size; a context manager, which ends it."""

    def __init__(self, size: tuple[int, int] = (256, 256), options: Sequence[str] = ()) -> None:
        path = browser()
        if path is None:
            raise FileNotFoundError("there is no Chromium on the path")
        self._profile = tempfile.TemporaryDirectory(prefix="pellucid-browser-", ignore_cleanup_errors=True)
        to_read, self._to = os.pipe()
        self._from, to_write = os.pipe()

        def pipes() -> None:
            # The browser reads commands from 3 and writes answers to 4.
            os.dup2(os.dup(to_read), 3)
            os.dup2(os.dup(to_write), 4)

        # Copies above 4, so that neither end is written over by the other.
        to_read, to_write = (_above(fd) for fd in (to_read, to_write))
        self._process = subprocess.Popen(
            [path, *OPTIONS, *options, f"--user-data-dir={self._profile.name}", "about:blank"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            preexec_fn=pipes,  # noqa: PLW1509 - the pipes must have these numbers in the child
            close_fds=False,
        )
        os.close(to_read)
        os.close(to_write)
        self._number, self._rest = 0, b""
        self._session: str | None = None
        targets = self.call("Target.getTargets")["targetInfos"]
        page = next(t["targetId"] for t in targets if t["type"] == "page")
        self._session = self.call("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        self.resize(size)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait(20)
        os.close(self._to)
        os.close(self._from)
        self._profile.cleanup()

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """The answer to a command of the protocol."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            answer = json.loads(self._next())
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]

    def _next(self) -> bytes:
        while b"\0" not in self._rest:
            data = os.read(self._from, 1 << 20)
            if not data:
                raise RuntimeError("the browser has ended")
            self._rest += data
        found, _, self._rest = self._rest.partition(b"\0")
        return found

    def resize(self, size: tuple[int, int]) -> None:
        """Give the page a size in pixels."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=size[0], height=size[1], deviceScaleFactor=1, mobile=False,
        )  # fmt: skip

    def open(self, path: Path, address: str = "") -> None:
        """Open a page, and wait until it is loaded."""
        # Only what follows # differs: then the page would stay as it is.
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=path.resolve().as_uri() + address)
        self.wait("document.readyState === 'complete'")

    def run(self, script: str) -> Any:
        """The value of an expression of JavaScript, of a promise what it comes to."""
        found = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in found:
            raise RuntimeError(json.dumps(found["exceptionDetails"])[:500])
        return found["result"].get("value")

    def wait(self, condition: str) -> None:
        """Wait until an expression of JavaScript is true; raises TimeoutError if it does not become so."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if self.run(f"Boolean({condition})"):
                return
            time.sleep(0.02)
        raise TimeoutError(
            f"never true: {condition}; the page says: {self.run('document.body?.innerText')!r}"
        )

    def screenshot(self) -> bytes:
        """What the page shows, as PNG."""
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])

    def pixels(self) -> bytes:
        """The pixels of the page's canvas of WebGL2, four bytes each, the lowest row first."""
        script = """(() => { const canvas = document.querySelector("canvas"), gl = canvas.getContext("webgl2");
          const found = new Uint8Array(4 * canvas.width * canvas.height);
          gl.readPixels(0, 0, canvas.width, canvas.height, gl.RGBA, gl.UNSIGNED_BYTE, found);
          let text = "";
          for (let i = 0; i < found.length; i += 8190) text += String.fromCharCode(...found.subarray(i, i + 8190));
          return btoa(text); })()"""
        return base64.b64decode(self.run(script))

    def key(self, key: str) -> None:
        """Press a key and let it go."""
        for kind in ("keyDown", "keyUp"):
            text = key if len(key) == 1 and kind == "keyDown" else ""
            self.call("Input.dispatchKeyEvent", type=kind, key=key, text=text)

    def mouse(self, kind: str, x: float, y: float, **more: Any) -> None:
        """An event of the mouse: mousePressed, mouseMoved, mouseReleased or mouseWheel."""
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)


def _above(descriptor: int) -> int:
    """The same file under a number above 10."""
    import fcntl

    found = fcntl.fcntl(descriptor, fcntl.F_DUPFD, 10)
    os.close(descriptor)
    os.set_inheritable(found, True)
    return found
