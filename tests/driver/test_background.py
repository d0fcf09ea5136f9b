"""Work in the background: jobs that fail, and threads that are begun again for whoever asks later."""

import threading
from collections.abc import Callable
from types import FrameType

import pytest

from pellucid.driver.background import Background, close_all


class _Owner:
    """Jobs in the order in which they are asked for."""

    def __init__(self) -> None:
        self.jobs: list[Callable[[], None]] = []
        self.broken = False
        self.background = Background(self._plan, "test")

    def ask(self, job: Callable[[], None]) -> None:
        self.jobs.append(job)
        self.background.wake()

    def _plan(self) -> Callable[[], None] | None:
        if self.broken:
            raise ValueError("no plan")
        return self.jobs.pop(0) if self.jobs else None


def test_what_is_asked_for_beside_a_job_that_fails_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    monkeypatch.setattr(threading, "excepthook", lambda args: told.append(str(args.exc_value)))
    owner = _Owner()
    for early in (True, False):
        asked, done = threading.Event(), threading.Event()

        def failing(asked: threading.Event = asked) -> None:
            asked.wait(30)
            raise ValueError("the first job")

        owner.jobs += [failing, done.set] if early else [failing]
        owner.background.wake()
        if not early:
            owner.ask(done.set)
        asked.set()
        assert done.wait(30)
    assert told == ["the first job"] * 2
    owner.background.close()


def test_a_plan_that_fails_is_asked_again_when_it_is_woken(monkeypatch: pytest.MonkeyPatch) -> None:
    told, done = threading.Event(), threading.Event()
    monkeypatch.setattr(threading, "excepthook", lambda _: told.set())
    owner = _Owner()
    owner.broken = True
    owner.background.wake()
    assert told.wait(30)
    owner.broken = False
    owner.ask(done.set)
    assert done.wait(30)
    owner.background.close()


def test_what_is_closed_says_so_and_does_nothing() -> None:
    owner, done = _Owner(), threading.Event()
    assert not owner.background.closed
    close_all()
    assert owner.background.closed
    owner.ask(done.set)
    assert not done.wait(0.05)


def _ended_at(last: int) -> bool:
    """Whether a thread that is ended by itself, after so many lines that it runs, is gone; False if it runs fewer."""
    lines, ended, ready = 0, False, threading.Event()

    def trace(frame: FrameType, event: str, _: object) -> Callable[..., object]:
        nonlocal lines, ended
        if ready.is_set() and event == "line" and not ended:
            lines += 1
            if lines > last:
                ended = True
                owner.background._end()
        return trace

    threading.settrace(trace)
    owner = _Owner()
    threading.settrace(None)  # pyright: ignore[reportArgumentType]
    thread = owner.background._thread
    assert thread is not None
    ready.set()
    owner.ask(lambda: None)
    thread.join(0.2)
    if not ended:
        owner.background.close()
        return False
    thread.join(10)
    assert not thread.is_alive(), f"after {last} lines"
    return True


def test_a_thread_may_be_ended_by_itself_at_any_line():
    """Its owner may be collected while it collects garbage."""
    assert all(_ended_at(last) for last in range(6))
    assert not all(_ended_at(last) for last in range(6, 100))
