"""Ctrl-C in a session: it interrupts what is being done, never the session, and it is never lost.

Between the terminal and `cli.hops`. Python notes a signal and acts on it between two of its instructions; two moments
are bad. One is while it reports the interrupt before: there it would end the session. The other is the moment before
it waits for a key, in C: nothing would wake it until one is typed. So a thread that hears of every signal wakes it.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType

SOON = 0.1
"""Seconds after which a Ctrl-C that Python has not acted on is brought to its mind again."""
MAX_WAKES = 20
"""Times that the main thread is woken for one Ctrl-C; machine code acts on it as soon as it returns."""


class Interrupts:
    """Handles Ctrl-C while it is in force: `KeyboardInterrupt` where that is `allowed`, elsewhere nothing."""

    def __init__(self) -> None:
        self._open = False
        self._acted = threading.Event()

    @contextmanager
    def allowed(self) -> Generator[None]:
        """Within it, Ctrl-C raises KeyboardInterrupt."""
        self._open = True
        try:
            yield
        finally:
            self._open = False

    def act(self, number: int, frame: FrameType | None) -> None:
        """Be interrupted, once."""
        del number, frame
        self._acted.set()
        if self._open:
            self._open = False
            raise KeyboardInterrupt

    def listen(self, heard: int, main: int) -> None:
        """Wake the main thread until it has acted on what was heard; the end of the pipe ends it."""
        while numbers := os.read(heard, 64):
            for _ in range(MAX_WAKES if signal.SIGINT in numbers else 0):
                if self._acted.wait(SOON):
                    break
                signal.pthread_kill(main, signal.SIGUSR1)
            self._acted.clear()
        os.close(heard)


@contextmanager
def interrupting() -> Generator[Interrupts]:
    """Within it, Ctrl-C does what the given `Interrupts` say; outside of the main thread nothing changes."""
    interrupts = Interrupts()
    if threading.current_thread() is not threading.main_thread():
        yield interrupts
        return
    wakes = hasattr(signal, "pthread_kill")
    heard, told = os.pipe()
    os.set_blocking(told, False)
    # Nobody ends the process for being slow to unwind; see `cli.stopping`.
    previous = signal.set_wakeup_fd(told if wakes else -1, warn_on_full_buffer=False)
    before = {signal.SIGINT: signal.signal(signal.SIGINT, interrupts.act)}
    if wakes:
        # Nothing is done for this signal: that it comes is enough.
        before[signal.SIGUSR1] = signal.signal(signal.SIGUSR1, lambda number, frame: None)
    words = (heard, threading.get_ident())
    listener = threading.Thread(target=interrupts.listen, args=words, name="pellucid interrupts", daemon=True)
    listener.start()
    try:
        yield interrupts
    finally:
        signal.set_wakeup_fd(previous)
        os.close(told)
        listener.join()
        for known, handler in before.items():
            signal.signal(known, handler)
