"""Ctrl-C in a session interrupts where it may, and nowhere else."""

import os
import signal
import threading
import time

import pytest

from pellucid.cli.hops.interrupts import interrupting


def press(after: float = 0.0) -> None:
    threading.Timer(after, os.kill, (os.getpid(), signal.SIGINT)).start()


def test_what_is_allowed_to_be_interrupted_is():
    with interrupting() as interrupts:
        for _ in range(3):
            press(0.05)
            start = time.monotonic()
            with pytest.raises(KeyboardInterrupt), interrupts.allowed():
                time.sleep(20)
            assert time.monotonic() - start < 10


def twice() -> None:
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(20)


def test_elsewhere_it_does_nothing():
    with interrupting() as interrupts:
        os.kill(os.getpid(), signal.SIGINT)
        with pytest.raises(KeyboardInterrupt), interrupts.allowed():
            twice()
        # The second of two, while the first one is being reported.
        os.kill(os.getpid(), signal.SIGINT)


def test_a_wait_that_no_signal_has_reached_is_woken():
    """As in the moment before C waits for a key: the signal is noted, and nothing ends the wait."""
    with interrupting() as interrupts:
        heard, told = os.pipe()
        # A signal that another thread takes is noted in the same way.
        threading.Timer(0.2, signal.raise_signal, (signal.SIGINT,)).start()
        try:
            with pytest.raises(KeyboardInterrupt), interrupts.allowed():
                os.read(heard, 1)
        finally:
            os.close(told)
            os.close(heard)


def test_everything_is_as_before_afterwards():
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGUSR1)
    with interrupting():
        assert signal.getsignal(signal.SIGINT) is not before[0]
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGUSR1)) == before
    assert not [t for t in threading.enumerate() if t.name == "pellucid interrupts"]
