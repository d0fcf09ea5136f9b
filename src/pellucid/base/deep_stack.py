"""The deep-stack runner: work that recurses more deeply than Python's stack allows gets a larger stack.

Ground floor. Work that walks a picture runs where it is called; if it runs out of stack there, it runs again in a
thread with a stack of its own, some sixty times as deep. What runs out of that too calls itself without end.
"""

from __future__ import annotations

import contextvars
import ctypes
import sys
import threading
from collections.abc import Callable
from typing import Any, TypeVar

from .errors import TraceError
from .source_location import innermost

Result = TypeVar("Result")

MAX_CALLS = 60_000
"""Calls within calls in the thread with more room."""

STACK = 512 << 20
"""Bytes of its stack: addresses, of which only those that are reached take memory."""

_state = threading.local()
_lock = threading.Lock()


def with_deep_stack(work: Callable[[], Result]) -> Result:
    """Run `work`, with a stack for recursion some sixty times as deep as Python usually allows.

    If it does not fit into the stack at hand, `work` is run a second time, from its beginning. Raises TraceError for
    work that does not come to an end in the larger one either, and whatever `work` raises.

    >>> def depth(n): return n and 1 + depth(n - 1)
    >>> with_deep_stack(lambda: depth(20000))
    20000
    """
    if getattr(_state, "inside", False):
        return work()
    _state.inside = True
    try:
        return work()
    except RecursionError as error:
        place = innermost(error)
    finally:
        _state.inside = False
    return _deep(work, place)


def in_deep_stack(work: Callable[[], Result]) -> Result:
    """Run `work` once, on that stack from the beginning: for work that must not be begun twice.

    Raises TraceError for work that does not come to an end, and whatever `work` raises.
    """
    if getattr(_state, "inside", False):
        return work()
    return _deep(work, None)


def _deep(work: Callable[[], Result], place: str | None) -> Result:
    try:
        return _elsewhere(work)
    except RecursionError:
        raise TraceError(
            "the picture calls itself without end, or is nested too deeply",
            place=place,
            fix="end a recursion by a condition on Python's own numbers, or write a loop or pl.iterate",
        ) from None


def _elsewhere(work: Callable[[], Result]) -> Result:
    outcome: list[Any] = []
    failure: list[BaseException] = []
    context = contextvars.copy_context()

    def run() -> None:
        _state.inside = True
        try:
            outcome.append(context.run(work))
        except BaseException as error:  # noqa: BLE001 - it is raised again in the thread that waits
            failure.append(error)

    with _lock:
        stack, depth = threading.stack_size(STACK), sys.getrecursionlimit()
        sys.setrecursionlimit(max(depth, MAX_CALLS))
        try:
            thread = threading.Thread(target=run, name="pellucid room", daemon=True)
            try:
                thread.start()
            except RuntimeError as error:
                raise RecursionError("no memory for a larger stack") from error
            finally:
                threading.stack_size(stack)
            _wait(thread)
        finally:
            sys.setrecursionlimit(depth)
    if failure:
        raise failure[0]
    return outcome[0]


def _wait(thread: threading.Thread) -> None:
    try:
        thread.join()
    except KeyboardInterrupt:
        # The work stops where it is, too.
        ident = ctypes.c_ulong(thread.ident or 0)
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ident, ctypes.py_object(KeyboardInterrupt))
        thread.join(1.0)
        raise
