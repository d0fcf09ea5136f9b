"""Feedback: general recursion, which the paper left to a higher-order system (Draves 1997, "Signals").

A diagram may lead back to where it began, if there is a delay on the way. Everything recursive is written with it:
filters with infinite response, echoes, plucked strings, oscillators that modulate themselves.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, cast

from ..base.errors import InputError
from ..base.kinds import FUNCTION, takes
from ..base.source_location import caller
from .node import SignalNode, Tick, reached
from .signal import Signal, as_signal, joined


class Feedback(SignalNode):
    """The wire that leads back: what it is wired to is known only when the rest of the diagram is there."""

    name = "feedback"
    leads_back = True

    def sample(self, tick: Tick) -> Any:
        """The sample of what it is wired to."""
        if not self.inputs:
            place, _ = caller()
            raise InputError(
                "a sample is asked of a signal that is not whole yet",
                place=f"{place}: rec",
                fix="wire it in the body, and ask what rec returns",
            )
        return tick.sample(self.inputs[0])

    def rewired(self, inputs: tuple[SignalNode, ...]) -> Feedback:
        """A wire that leads back from something else, or from nothing yet."""
        found = Feedback()
        found.inputs = inputs
        return found


def parameters_of(function: Callable[..., Any]) -> int:
    """The number of positional parameters; 0 for a function that does not tell, as some of Python's own."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except ValueError:
        return 0
    return sum(p.kind not in (p.KEYWORD_ONLY, p.VAR_KEYWORD) for p in parameters)


@takes(body=FUNCTION)
def rec(body: Callable[..., Any]) -> Any:
    """The signal y for which ``y = body(y)``; with several parameters, the tuple of signals for which that holds.

    On every way from a parameter back to itself there must be a delay. Raises InputError where there is none, or where
    the body gives another number of signals.

    >>> from pellucid import signals as sg
    >>> echo = rec(lambda y: sg.constant(1) + sg.delay1(y, 0))
    >>> echo.take(4)
    [1, 2, 3, 4]
    """
    place, _ = caller()
    count = parameters_of(body)
    wires = [Feedback() for _ in range(count)]
    found = body(*(Signal(wire, {}) for wire in wires))
    results = cast("tuple[Any, ...]", found if isinstance(found, tuple) else (found,))
    if not count or len(results) != count:
        raise InputError(
            f"the body takes {count} signals and gives {len(results)}",
            place=f"{place}: rec",
            fix="give back one signal for each parameter",
        )
    nodes, states = joined(*(as_signal(r) for r in results))
    for wire, node in zip(wires, nodes, strict=True):
        wire.inputs = (node,)
    for wire in wires:
        if wire in reached(wire.inputs, now=True):
            raise InputError(
                "a loop of the diagram has no delay, so that its sample would need itself",
                place=f"{place}: rec",
                fix="put delay1 or delay on the wire that leads back",
            )
    parts = [dict.fromkeys(reached([wire])) for wire in wires]
    made = tuple(
        Signal(w, {n: s for n, s in states.items() if n in part})
        for w, part in zip(wires, parts, strict=True)
    )
    return made if count > 1 else made[0]
