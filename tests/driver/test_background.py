"""Work in the background: jobs that fail, and threads that are begun again for whoever asks later."""

import threading
from collections.abc import Callable

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
