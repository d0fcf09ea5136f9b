"""Codes in memory: made once for all threads that ask, kept while used, and none of a making that failed."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from pellucid.driver.compiled import Codes


def test_threads_that_ask_for_one_code_make_it_once():
    codes, made = Codes(), []
    gate = threading.Barrier(4)

    def make() -> object:
        made.append(threading.get_ident())
        return object()

    def ask() -> object:
        gate.wait(timeout=30)
        return codes.get("key", make)

    with ThreadPoolExecutor(4) as pool:
        found = [task.result() for task in [pool.submit(ask) for _ in range(4)]]
    assert len(made) == 1
    assert len({*map(id, found)}) == 1


def test_one_that_is_being_made_does_not_keep_another_from_being_made():
    codes, begun, go = Codes(), threading.Event(), threading.Event()

    def slow() -> str:
        begun.set()
        assert go.wait(timeout=30)
        return "slow"

    with ThreadPoolExecutor(1) as pool:
        task = pool.submit(codes.get, "slow", slow)
        assert begun.wait(timeout=30)
        # A making may itself ask for another code.
        assert codes.get("quick", lambda: codes.get("part", lambda: "part") + " of quick") == "part of quick"
        go.set()
        assert task.result(timeout=30) == "slow"


def test_a_making_that_fails_is_tried_again():
    codes = Codes()

    def fail() -> str:
        raise ValueError("not today")

    with pytest.raises(ValueError, match="not today"):
        codes.get("key", fail)
    assert codes.get("key", lambda: "made") == "made"


def test_the_code_that_was_used_longest_ago_goes():
    codes = Codes(most=2)
    for key in ("a", "b", "a", "c"):
        codes.get(key, key.upper)
    assert len(codes) == 2
    assert codes.get("a", lambda: "again") == "A"
    assert codes.get("b", lambda: "again") == "again"
    codes.forget()
    assert len(codes) == 0
    assert codes.get("a", lambda: "again") == "again"


def test_a_child_that_was_forked_during_a_making_is_not_kept_waiting():
    codes, begun, go = Codes(), threading.Event(), threading.Event()
    codes.get("there", lambda: "there")

    def slow() -> str:
        begun.set()
        assert go.wait(timeout=30)
        return "slow"

    with ThreadPoolExecutor(1) as pool:
        task = pool.submit(codes.get, "slow", slow)
        assert begun.wait(timeout=30)
        # As the child finds itself: those who made something are gone.
        codes.unlock()
        assert codes.get("slow", lambda: "by the child") == "by the child"
        assert codes.get("there", lambda: "again") == "there"
        go.set()
        task.result(timeout=30)
