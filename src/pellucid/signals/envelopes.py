"""Envelopes: what moves slowly - smoothed and ramped values, attack and decay, the loudness of a sound.

Times are in seconds beside a `rate`, or in samples where no rate is needed.
"""

from __future__ import annotations

import math
import operator
from typing import Any

from ..base.kinds import FLOAT, takes, whole
from ..ir import types as T
from ..staging import choose
from ..tracing import functions as rows
from .delays import delay1
from .feedback import rec
from .filters import RATE, number_kind, toward
from .signal import SIGNAL, Signal, as_signal, mapped, type_of

MAX_RAMP = 1 << 31
"""Samples that a ramp takes at most, as many as a block may have."""
_TIME = number_kind("a time of 0 or more", lambda seconds: seconds >= 0, "give seconds, such as 0.01")
_LEVEL = number_kind("0 to 1", lambda level: 0 <= level <= 1, "give a part of 1")


@takes(signal=SIGNAL, seconds=_TIME, rate=RATE, first=FLOAT)
def smooth(signal: Signal, seconds: float, *, rate: float, first: float = 0.0) -> Signal:
    """A signal that follows another one, from `first` on, as a capacitor is charged: a one-pole smoother.

    `seconds` is the time constant: after it 63 % of a jump are done, after five of it 99 %. Raises InputError for a
    time that is negative.

    >>> from pellucid import signals as sg
    >>> [round(x, 3) for x in smooth(sg.constant(1.0), 0.001, rate=2000).take(3)]
    [0.393, 0.632, 0.777]
    """
    return toward(signal, as_signal(_pole(seconds, rate)), float(first))


@takes(signal=SIGNAL, samples=whole(1, MAX_RAMP), first=FLOAT)
def ramp(signal: Signal, samples: int, first: float) -> Signal:
    """A signal that follows another one in straight lines: each new value is reached after so many samples.

    It begins at `first`. A value that changes on the way begins a new line from where the old one is. This takes the
    clicks out of controls (`control` has it as its option).

    >>> from pellucid import signals as sg
    >>> step = sg.map(lambda n: sg.choose(n < 2, lambda: 0.0, lambda: 1.0), sg.count())
    >>> ramp(step, 4, 0.0).take(7)
    [0.0, 0.0, 0.25, 0.5, 0.75, 1.0, 1.0]
    """

    def advance(x: Any, value: Any, target: Any, step: Any, left: Any) -> tuple[Any, ...]:
        x = x * 1.0
        new = x != target
        step = choose(new, lambda: (x - value) * (1.0 / samples), lambda: step)
        left = choose(new, lambda: float(samples), lambda: left)
        # The last step ends at the value itself, whatever the sum of the others has lost.
        value = choose(left > 1.0, lambda: value + step, lambda: x)
        return value, x, step, rows.max(left - 1.0, 0.0)

    start = float(first)

    def body(value: Signal, target: Signal, step: Signal, left: Signal) -> tuple[Signal, ...]:
        before = [delay1(value, start), delay1(target, start), delay1(step, 0.0), delay1(left, 0.0)]
        return _parts(mapped(advance, signal, *before), 4)

    return rec(body)[0]


@takes(gate=SIGNAL, attack=_TIME, decay=_TIME, sustain=_LEVEL, release=_TIME, rate=RATE)
def adsr(gate: Signal, *, attack: float, decay: float, sustain: float, release: float, rate: float) -> Signal:
    """An envelope: up to 1 once the gate is above 0, down to `sustain` while it stays there, and to 0 after it.

    All are straight lines: up takes `attack` seconds, down `decay`, and a fall from 1 to 0 takes `release`. A gate that
    opens again begins a new attack from where the envelope is. Raises InputError for a time that is negative, or a
    sustain that is not 0 to 1.

    >>> from pellucid import signals as sg
    >>> gate = sg.map(lambda n: n < 6, sg.count())
    >>> adsr(gate, attack=2, decay=2, sustain=0.5, release=4, rate=1).take(9)
    [0.5, 1.0, 0.75, 0.5, 0.5, 0.5, 0.25, 0.0, 0.0]
    """
    level = float(sustain)
    up, down, off = (1.0 / max(_samples(time, rate), 1.0) for time in (attack, decay, release))
    down *= 1.0 - level

    def advance(gate: Any, was_on: Any, value: Any, rising: Any) -> tuple[Any, ...]:
        on = gate if type_of(gate) is T.boolean else gate > 0
        rising = choose(on, lambda: choose(was_on > 0.0, lambda: rising, lambda: 1.0), lambda: 0.0)
        higher, lower = rows.min(value + up, 1.0), rows.max(value - down, level)
        released = rows.max(value - off, 0.0)
        held = choose(rising > 0.0, lambda: higher, lambda: lower)
        value = choose(on, lambda: held, lambda: released)
        rising = choose(value < 1.0, lambda: rising, lambda: 0.0)
        return value, choose(on, lambda: 1.0, lambda: 0.0), rising

    def body(value: Signal, was_on: Signal, rising: Signal) -> tuple[Signal, ...]:
        before = [delay1(was_on, 0.0), delay1(value, 0.0), delay1(rising, 0.0)]
        return _parts(mapped(advance, gate, *before), 3)

    return rec(body)[0]


@takes(signal=SIGNAL, attack=_TIME, release=_TIME, rate=RATE)
def envelope_follower(signal: Signal, *, attack: float, release: float, rate: float) -> Signal:
    """The loudness of a signal: its magnitude, followed with a time constant of `attack` seconds up, `release` down.

    Compressors, gates and auto-wahs are made of it. Raises InputError for a time that is negative.

    >>> from pellucid import signals as sg
    >>> burst = sg.map(lambda n: sg.choose(n < 2, lambda: -1.0, lambda: 0.0), sg.count())
    >>> [round(x, 3) for x in envelope_follower(burst, attack=0, release=0.001, rate=2000).take(4)]
    [1.0, 1.0, 0.607, 0.368]
    """
    up, down = _pole(attack, rate), _pole(release, rate)

    def step(x: Any, before: Any) -> Any:
        size = abs(x * 1.0)
        return size + choose(size > before, lambda: up, lambda: down) * (before - size)

    def body(y: Signal) -> Signal:
        return mapped(step, signal, delay1(y, 0.0))

    return rec(body)


def _parts(signal: Signal, count: int) -> tuple[Signal, ...]:
    """The parts of samples that are tuples."""
    return tuple(mapped(operator.itemgetter(k), signal) for k in range(count))


def _pole(seconds: float, rate: float) -> float:
    """The factor by which a difference shrinks in one sample, for a time constant."""
    samples = _samples(seconds, rate)
    return math.exp(-1.0 / samples) if samples else 0.0


def _samples(seconds: float, rate: float) -> float:
    return float(seconds) * float(rate)
