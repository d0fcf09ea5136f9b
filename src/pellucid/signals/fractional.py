"""Delays that move, and that are no whole number of samples: for chorus, flanger, vibrato and strings in tune.

A delay line is read between its samples, by a polynomial through those around (Laakso and others, "Splitting the unit
delay", 1996).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import partial
from typing import Any

from ..base.errors import InputError, brief, did_you_mean
from ..base.kinds import FLOAT, TEXT, takes, whole
from ..base.source_location import caller
from ..staging import to_integer
from ..staging.real import call
from ..tracing import functions as rows
from .delays import MAX_DELAY, Ring, line
from .node import Later, SignalNode, Tick
from .signal import SIGNAL, Signal, as_number, as_signal

At = Callable[[int], Any]


class VariableDelay(Later, Ring):
    """A delay line whose second input is how many samples ago its sample is."""

    name = "variable delay"

    def __init__(self, length: int, interpolation: str, inputs: tuple[SignalNode, ...]) -> None:
        self.length, self.interpolation, self.inputs = length, interpolation, inputs

    @property
    def now(self) -> tuple[SignalNode, ...]:
        """The signal of delays."""
        return self.inputs[1:]

    def sample(self, tick: Tick) -> Any:
        """The value at the delay, between two samples."""
        cells, count = tick.states[self]
        least, between = INTERPOLATIONS[self.interpolation]
        asked = as_number(tick.sample(self.inputs[1]), "a delay") * 1.0
        ago = rows.clamp(asked, float(least), float(self.length))
        if self.interpolation == "nearest":
            ago = call("floor", ago + 0.5)
        before = call("floor", ago)
        start = count - to_integer(before)
        return between(lambda k: cells.load((start - k) & (len(cells) - 1)), ago - before)

    def key(self, state: Any) -> Hashable:
        """The length, the interpolation, and the state of the ring."""
        return self.length, self.interpolation, super().key(state)

    def rewired(self, inputs: tuple[SignalNode, ...]) -> VariableDelay:
        """A delay of the same length and interpolation of other signals."""
        return VariableDelay(self.length, self.interpolation, inputs)


def _nearest(at: At, part: Any) -> Any:
    return at(0)


def _linear(at: At, part: Any) -> Any:
    later, earlier = at(0), at(1)
    return later + part * (earlier - later)


def _cubic(at: At, part: Any) -> Any:
    """Lagrange's polynomial through four samples."""
    f, up, down, far = part, part + 1.0, part - 1.0, part - 2.0
    return (
        f * down * far * (-1.0 / 6.0) * at(-1)
        + up * down * far * 0.5 * at(0)
        + up * f * far * -0.5 * at(1)
        + up * f * down * (1.0 / 6.0) * at(2)
    )


INTERPOLATIONS: dict[str, tuple[int, Callable[[At, Any], Any]]] = {
    "nearest": (1, _nearest),
    "linear": (1, _linear),
    "cubic": (2, _cubic),
}
"""The ways to read between samples, each with the least delay that it can give."""


@takes(signal=SIGNAL, maximum=whole(2, MAX_DELAY), interpolation=TEXT)
def variable_delay(signal: Signal, samples: Any, maximum: int, interpolation: str = "linear") -> Signal:
    """A signal so many samples later, at most `maximum`: a number of them that need not be whole, or a signal of such.

    `interpolation` says what is between two samples: nearest is one of them, linear lies on a line, cubic on a
    polynomial of third degree, which keeps more of the treble. Delays below 1 sample (below 2 for cubic) are taken as
    that, so that a diagram may lead back through one. At first there is silence. Raises InputError for a number that is
    beyond the range, or another interpolation.

    >>> from pellucid import signals as sg
    >>> variable_delay(sg.count(1), 1.25, 4).take(4)
    [0.0, 0.75, 1.75, 2.75]
    >>> variable_delay(sg.count(1), sg.count() * 0.5, 4, "nearest").take(6)
    [0.0, 1.0, 2.0, 2.0, 3.0, 3.0]
    """
    place, _ = caller()
    if interpolation not in INTERPOLATIONS:
        raise InputError(
            f"no interpolation is called {brief(interpolation)}",
            place=f"{place}: variable_delay",
            fix=did_you_mean(interpolation, INTERPOLATIONS) or f"give one of {', '.join(INTERPOLATIONS)}",
        )
    least = INTERPOLATIONS[interpolation][0]
    if not isinstance(samples, Signal):
        if not FLOAT.test(samples) or not least <= samples <= maximum:
            raise InputError(
                f"a delay of {brief(samples)} samples",
                place=f"{place}: variable_delay",
                fix=f"give {least} to {maximum}, or a signal",
            )
        samples = float(samples)
    make = partial(VariableDelay, maximum, interpolation)
    # The polynomial reaches up to two samples beyond.
    return line(make, maximum + 3, 0.0, signal, as_signal(samples))
