"""Being interrupted or terminated: the work unwinds by itself, and where it cannot, it is ended from outside.

Wraps every command. Python acts on a signal between two of its own instructions; a picture that loops for minutes in
machine code gives it none. So a thread waits beside it: it hears of the signal at once, gives the work some time to
unwind, and then removes what is unfinished and ends the process.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import NoReturn

#: Seconds that the work has to unwind by itself.
PATIENCE = 2.0


@contextmanager
def stoppable() -> Generator[None]:
    """Within it, Ctrl-C raises `KeyboardInterrupt`, being terminated `SystemExit`, and both end the process in time.

    Outside of the main thread, where no signals arrive, it does nothing.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    signals = [known for name in ("SIGTERM", "SIGHUP") if (known := getattr(signal, name, None)) is not None]
    before = {
        known: signal.signal(known, _leave) for known in signals if signal.getsignal(known) == signal.SIG_DFL
    }
    heard, told = os.pipe()
    os.set_blocking(told, False)
    done = threading.Event()
    previous = signal.set_wakeup_fd(told, warn_on_full_buffer=False)
    threading.Thread(target=_listen, args=(heard, done), name="pellucid stopping", daemon=True).start()
    try:
        yield
    finally:
        done.set()
        signal.set_wakeup_fd(previous)
        for known, handler in before.items():
            signal.signal(known, handler)
        # The listener reads the end of the pipe, and closes its side of it.
        os.close(told)


def _leave(number: int, frame: FrameType | None) -> NoReturn:
    del frame
    raise SystemExit(128 + number)


def _listen(heard: int, done: threading.Event) -> None:
    try:
        while numbers := os.read(heard, 1):
            if numbers[0] in (signal.SIGINT, signal.SIGTERM) and not done.wait(PATIENCE):
                _end(numbers[0])
    finally:
        os.close(heard)


def _end(number: int) -> NoReturn:
    atomic = sys.modules.get("pellucid.base.atomic")
    for path in list(getattr(atomic, "unfinished", ())):
        with suppress(OSError):
            if Path(path).is_dir():
                import shutil

                shutil.rmtree(path)
            else:
                Path(path).unlink()
    if number == signal.SIGINT:
        with suppress(OSError):
            os.write(2, b"pellucid: interrupted\n")
    os._exit(128 + number)
