"""The library of the paper under its names, made of the nodes below (Draves 1997, figures "sig" and "fir").

Everything here is a combinator of combinators: what a function is mapped over, a filter of delays, an oscillator of a
table and a running sum.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..base.errors import InputError
from ..base.kinds import FUNCTION, each, instance, takes, whole
from ..base.source_location import caller
from ..ir import types as T
from ..staging import Memory, choose
from ..staging.value import Staged
from .delays import delay1, scan
from .feedback import rec
from .signal import SIGNAL, Signal, as_signal, mapped, type_of

_TABLE = instance("a memory", Memory, fix="give a Memory or Cells")
_WEIGHTS = each(instance("a number", int, float, Staged, np.integer, np.floating), "a list of numbers")


@takes(signal=SIGNAL)
def get(signal: Signal) -> Any:
    """The first sample of a signal.

    >>> from pellucid import signals as sg
    >>> get(sg.constant(3))
    3
    """
    return signal.get()


@takes(signal=SIGNAL)
def put(signal: Signal, sample: Any) -> None:
    """Store the first sample of a signal in memory.

    Raises InputError for a signal that is not in memory.

    >>> import numpy as np
    >>> from pellucid import signals as sg
    >>> out = np.zeros(1, np.uint8)
    >>> put(sg.memory(sg.Memory("out", 8, out), 4, 8, 4, 4), 9)
    >>> out
    array([144], dtype=uint8)
    """
    signal.put(sample)


@takes(signal=SIGNAL)
def next(signal: Signal) -> Signal:
    """A signal without its first sample.

    >>> from pellucid import signals as sg
    >>> get(next(sg.count()))
    1
    """
    return signal.next()


@takes(signal=SIGNAL)
def endp(signal: Signal) -> Any:
    """Whether a signal has no samples; true of one without an end, so that a conjunction asks the others.

    >>> from pellucid import signals as sg
    >>> endp(sg.constant(3))
    True
    """
    return signal.endp()


@takes(function=FUNCTION)
def map(function: Callable[[Any], Any], signal: Signal) -> Signal:
    """A function of every sample of a signal.

    >>> from pellucid import signals as sg
    >>> map(lambda x: x * x, sg.count()).take(4)
    [0, 1, 4, 9]
    """
    return mapped(function, signal)


@takes(function=FUNCTION)
def map2(function: Callable[[Any, Any], Any], one: Signal, other: Signal) -> Signal:
    """A function of the samples of two signals, as long as both.

    >>> from pellucid import signals as sg
    >>> map2(lambda x, y: x * y, sg.count(), sg.count(1)).take(3)
    [0, 2, 6]
    """
    return mapped(function, one, other)


def where(condition: Any, then: Any, orelse: Any) -> Signal:
    """The samples of one signal where those of a condition are true, and of another one elsewhere.

    Each may be a number for a constant signal. A condition of numbers is true where they are not 0.

    >>> from pellucid import signals as sg
    >>> where(sg.count() > 1, sg.count(), -1).take(4)
    [-1, -1, 2, 3]
    """
    return mapped(_chosen, condition, then, orelse)


def _chosen(condition: Any, then: Any, orelse: Any) -> Any:
    truth = condition if type_of(condition) is T.boolean else condition != 0
    return choose(truth, lambda: then, lambda: orelse)


@takes(table=_TABLE)
def lut(table: Memory, signal: Signal) -> Signal:
    """The entries of a table, at the places that are the samples of a signal: words of memory, or cells.

    A sample outside of the table is an error; once it is specialized, some entry is taken.

    >>> import numpy as np
    >>> from pellucid import signals as sg
    >>> lut(sg.Cells("squares", np.arange(9) ** 2), sg.count()).take(4)
    [0, 1, 4, 9]
    """
    return mapped(table.load, signal)


@takes(kernel=_WEIGHTS, prefix=_WEIGHTS)
def filter(signal: Signal, kernel: Sequence[Any], prefix: Sequence[Any]) -> Signal:
    """A weighted sum of the samples before: the last one, the one before that, and so on, as many as there are weights.

    `prefix` is what was there before the signal began, the last first: one for each weight. A filter is delays, maps
    and sums (thesis, figure "fircode"; 1997, figure "fir"). Raises InputError for another number of them.

    >>> from pellucid import signals as sg
    >>> filter(sg.count(1), [2, 5, 2], [0, 0, 0]).take(5)
    [0, 2, 9, 18, 27]
    """
    if len(kernel) != len(prefix) or not len(kernel):
        place, _ = caller()
        raise InputError(
            f"a filter has {len(kernel)} weights and {len(prefix)} samples before the first",
            place=place,
            fix="give as many of both, and at least one",
        )
    total: Signal | None = None
    for weight, before in zip(kernel, prefix, strict=True):
        signal = delay1(signal, before)
        term = mapped(_product(weight), signal)
        total = term if total is None else total + term
    assert total is not None  # noqa: S101 - there is a weight
    return total


def _product(weight: Any) -> Callable[[Any], Any]:
    return lambda x: x * weight


@takes(fraction=whole(0, 47), table=_TABLE, size=whole(0, 47), depth=whole(0, 63))
def fm_osc(
    frequency: Signal, fraction: int, table: Memory, size: int, modulator: Signal, depth: int
) -> Signal:
    """A wave table read at a phase that a frequency adds up to, shifted by a modulator: an FM oscillator in integers.

    The phase counts in 2 to the -`fraction` places of the table, which has 2 to the `size` entries; the modulator is
    shifted down by `depth` bits and moves the place. The first sample is that of a phase of 0.

    >>> import numpy as np
    >>> from pellucid import signals as sg
    >>> ramp = sg.Cells("ramp", np.arange(16))
    >>> fm_osc(sg.constant(6), 2, ramp, 4, sg.constant(0), 0).take(5)
    [0, 1, 3, 4, 6]
    >>> fm_osc(sg.constant(6), 2, ramp, 4, sg.constant(64), 4).take(5)
    [4, 5, 7, 8, 10]
    """
    turn, places = (1 << (size + fraction)) - 1, (1 << size) - 1

    def advanced(phase: Any, by: Any) -> Any:
        return (phase + by) & turn

    def place(phase: Any, by: Any) -> Any:
        return ((phase >> fraction) + (by >> depth)) & places

    phase = delay1(scan(as_signal(frequency), 0, advanced), 0)
    return lut(table, mapped(place, phase, as_signal(modulator)))


@takes(fraction=whole(0, 47), table=_TABLE, size=whole(0, 47), depth=whole(0, 63))
def wavrec(frequency: Signal, fraction: int, table: Memory, size: int, depth: int, first: Any = 0) -> Signal:
    """A wave table that modulates itself: `fm_osc` whose modulator is its own last sample, at first `first`.

    >>> import numpy as np
    >>> from pellucid import signals as sg
    >>> wavrec(sg.constant(4), 2, sg.Cells("ramp", np.arange(16)), 4, 1).take(5)
    [0, 1, 2, 4, 6]
    """

    def body(y: Signal) -> Signal:
        return fm_osc(frequency, fraction, table, size, delay1(y, first), depth)

    return rec(body)
