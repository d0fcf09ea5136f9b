"""Filters with poles: second-order sections, of which biquads are one each, and one pole.

Biquads are those of Robert Bristow-Johnson ("Cookbook formulae for audio equalizer biquad filter coefficients", a W3C
note), under the names that Web Audio has for them. Sections are computed as SciPy's `sosfilt` computes them: transposed
direct form II, in its order of operations.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any, cast

import numpy as np

from ..base.errors import InputError, brief, did_you_mean
from ..base.kinds import FLOAT, TEXT, ArgumentKind, takes
from ..base.source_location import caller
from ..tracing import functions as rows
from .delays import delay1
from .feedback import rec
from .signal import SIGNAL, Signal, as_signal, mapped

Coefficients = tuple[Any, Any, Any, Any, Any]
BUTTERWORTH = math.sqrt(0.5)
"""The Q of a second-order Butterworth filter, and of a shelf of slope 1."""
MIN_FREQUENCY, MAX_FREQUENCY = 1e-6, 0.499
"""The range, in parts of the sample rate, to which a frequency that is a signal is limited."""
MIN_QUALITY = 1e-3
"""The least Q, to which one that is a signal is limited."""
MAX_GAIN = 1000
"""Decibels of gain at most, far from where a float overflows."""


def number_kind(noun: str, test: Callable[[Any], bool], fix: str) -> ArgumentKind:
    """The finite numbers that pass a test."""
    return ArgumentKind(noun, lambda thing: FLOAT.test(thing) and test(thing), fix)


def _or_signal(kind: ArgumentKind) -> ArgumentKind:
    """A kind of numbers, or a signal of them."""
    return ArgumentKind(
        kind.noun, lambda x: isinstance(x, Signal) or kind.test(x), f"{kind.fix}, or a signal"
    )


RATE = number_kind("a sample rate", lambda rate: rate > 0, "give hertz, such as 48000")
_QUALITY = number_kind("a quality above 0", lambda q: q > 0, "give a number such as 0.7071")
_GAIN = number_kind(
    f"a gain of -{MAX_GAIN} to {MAX_GAIN} dB", lambda gain: abs(gain) <= MAX_GAIN, "give decibels"
)


@takes(kind=TEXT, rate=RATE, Q=_QUALITY, gain=_GAIN)
def biquad_coefficients(
    kind: str, frequency: float, *, rate: float, Q: float = BUTTERWORTH, gain: float = 0.0
) -> tuple[float, float, float, float, float]:
    """The coefficients (b0, b1, b2, a1, a2) of a biquad, for an a0 of 1.

    `kind` is one of lowpass, highpass, bandpass (0 dB at its peak), notch, allpass, peaking, lowshelf and highshelf;
    `frequency` is in hertz, above 0 and below half of the `rate`; `Q` above 0 is the quality, and `gain` in decibels is
    that of peaking and of the shelves. Raises InputError for anything else.

    >>> [round(c, 4) for c in biquad_coefficients("lowpass", 1000, rate=48000)]
    [0.0039, 0.0078, 0.0039, -1.8153, 0.831]
    """
    formula = _formula(kind)
    _check_frequency(frequency, rate)
    found = formula(*_common(float(frequency) / float(rate), float(Q), float(gain)))
    return cast("tuple[float, float, float, float, float]", _normalized(found))


@takes(signal=SIGNAL, kind=TEXT, rate=RATE, Q=_or_signal(_QUALITY), gain=_or_signal(_GAIN))
def biquad(
    signal: Signal, kind: str, frequency: Any, *, rate: float, Q: Any = BUTTERWORTH, gain: Any = 0.0
) -> Signal:
    """A signal through a biquad, as `biquad_coefficients` has them; `frequency`, `Q` and `gain` may be signals.

    A frequency that is a signal is limited to 0.000001 to 0.499 of the rate, such a Q to 0.001 and more, and such a
    gain to -1000 to 1000 decibels. Raises InputError as `biquad_coefficients` does.

    >>> from pellucid import signals as sg
    >>> click = sg.delay1(sg.constant(0.0), 1.0)
    >>> [round(x, 4) for x in biquad(click, "lowpass", 4000, rate=48000).take(4)]
    [0.0495, 0.1623, 0.2335, 0.2213]
    """
    if not any(isinstance(x, Signal) for x in (frequency, Q, gain)):
        return _section(signal, _known(biquad_coefficients(kind, frequency, rate=rate, Q=Q, gain=gain)))
    formula = _formula(kind)
    if not isinstance(frequency, Signal):
        _check_frequency(frequency, rate)

    def coefficients(frequency: Any, quality: Any, gain: Any) -> Coefficients:
        quality = rows.max(quality * 1.0, MIN_QUALITY)
        gain = rows.clamp(gain * 1.0, float(-MAX_GAIN), float(MAX_GAIN))
        return _normalized(formula(*_common(_limited(frequency, rate), quality, gain)))

    return _section(signal, mapped(coefficients, frequency, Q, gain))


@takes(signal=SIGNAL)
def sosfilt(signal: Signal, sos: Any) -> Signal:
    """A signal through second-order sections, one after another, as SciPy designs them: an array of shape (n, 6).

    Each row is (b0, b1, b2, 1, a1, a2). Raises InputError for another shape, for an a0 that is not 1, and for what is
    not finite.

    >>> from pellucid import signals as sg
    >>> sosfilt(sg.count(1) * 1.0, [[0.5, 0.5, 0.0, 1.0, 0.0, 0.0]]).take(3)
    [0.5, 1.5, 2.5]
    """
    place = f"{caller()[0]}: sosfilt"
    try:
        given = np.asarray(sos)
    except ValueError:
        given = np.zeros(0)
    sections = given.astype(np.float64) if given.dtype.kind in "iuf" else np.zeros(0)
    if sections.ndim != 2 or sections.shape[1:] != (6,):
        raise InputError(
            f"{brief(sos)} is not an array of shape (n, 6)",
            place=place,
            fix="design it with scipy.signal's output='sos'",
        )
    if not np.isfinite(sections).all() or not (sections[:, 3] == 1).all():
        raise InputError(
            "a section is not finite, or its a0 is not 1",
            place=place,
            fix="divide each row by its fourth number",
        )
    for b0, b1, b2, _, a1, a2 in cast("list[list[float]]", sections.tolist()):
        signal = _section(signal, _known((b0, b1, b2, a1, a2)))
    return signal


@takes(signal=SIGNAL, rate=RATE, kind=TEXT)
def onepole(signal: Signal, frequency: Any, *, rate: float, kind: str = "lowpass") -> Signal:
    """A signal through a filter of one pole, lowpass or highpass, of 6 dB an octave; `frequency` may be a signal.

    y = x + exp(-2 pi f / rate) (y' - x), of which highpass is what is left of x. Raises InputError for a frequency that
    is not above 0 and below half of the rate, and for another kind.

    >>> from pellucid import signals as sg
    >>> [round(x, 3) for x in onepole(sg.constant(1.0), 1000, rate=8000).take(3)]
    [0.544, 0.792, 0.905]
    """
    if kind not in ("lowpass", "highpass"):
        raise _unknown(kind, ["lowpass", "highpass"])

    def pole(frequency: Any) -> Any:
        return rows.exp(_limited(frequency, rate) * (-2.0 * math.pi))

    if isinstance(frequency, Signal):
        poles = mapped(pole, frequency)
    else:
        _check_frequency(frequency, rate)
        # What is known now is computed now, by Python.
        poles = as_signal(math.exp(-2.0 * math.pi * float(frequency) / rate))
    low = toward(signal, poles, 0.0)
    return low if kind == "lowpass" else signal - low


def toward(signal: Signal, pole: Signal, first: Any) -> Signal:
    """The signal y for which y = x + p (y' - x), where y' is the sample before, at first `first`."""

    def step(x: Any, p: Any, before: Any) -> Any:
        return x + p * (before - x)

    def body(y: Signal) -> Signal:
        return mapped(step, signal, pole, delay1(y, first))

    return rec(body)


# ---- sections ----


def _section(x: Signal, coefficients: Signal) -> Signal:
    """One second-order section; each sample of `coefficients` is a tuple of five."""

    def body(y: Signal) -> Signal:
        inner = delay1(mapped(_inner, coefficients, x, y), 0.0)
        return mapped(_output, coefficients, x, delay1(mapped(_outer, coefficients, x, y, inner), 0.0))

    return rec(body)


def _output(c: Coefficients, x: Any, z: Any) -> Any:
    return c[0] * x + z


def _outer(c: Coefficients, x: Any, y: Any, z: Any) -> Any:
    return c[1] * x - c[3] * y + z


def _inner(c: Coefficients, x: Any, y: Any) -> Any:
    return c[2] * x - c[4] * y


def _known(coefficients: Coefficients) -> Signal:
    """Coefficients for ever: static for the specializer."""
    return mapped(lambda: coefficients)


# ---- the cookbook ----

_Formula = Callable[[Any, Any, Any], tuple[Any, ...]]


def _common(frequency: Any, Q: Any, gain: Any) -> tuple[Any, Any, Any]:
    """The cosine of w0, alpha and A of the cookbook, for a frequency in parts of the rate; numbers of any stage."""
    angle = frequency * (2.0 * math.pi)
    return rows.cos(angle), rows.sin(angle) / (2.0 * Q), rows.exp(gain * (math.log(10.0) / 40.0))


def _normalized(given: tuple[Any, ...]) -> Coefficients:
    b0, b1, b2, a0, a1, a2 = given
    return b0 / a0, b1 / a0, b2 / a0, a1 / a0, a2 / a0


def _shelf(cos: Any, alpha: Any, A: Any, sign: float) -> tuple[Any, ...]:
    """A shelf: low for a sign of 1, high for -1."""
    c, root = sign * cos, 2.0 * rows.sqrt(A) * alpha
    up, down = A + 1.0, A - 1.0
    return (
        A * (up - down * c + root),
        sign * 2.0 * A * (down - up * c),
        A * (up - down * c - root),
        up + down * c + root,
        sign * -2.0 * (down + up * c),
        up + down * c - root,
    )


_KINDS: dict[str, _Formula] = {
    "lowpass": lambda c, al, A: ((1 - c) / 2, 1 - c, (1 - c) / 2, 1 + al, -2.0 * c, 1 - al),
    "highpass": lambda c, al, A: ((1 + c) / 2, -1 - c, (1 + c) / 2, 1 + al, -2.0 * c, 1 - al),
    "bandpass": lambda c, al, A: (al, 0.0, -1.0 * al, 1 + al, -2.0 * c, 1 - al),
    "notch": lambda c, al, A: (1.0, -2.0 * c, 1.0, 1 + al, -2.0 * c, 1 - al),
    "allpass": lambda c, al, A: (1 - al, -2.0 * c, 1 + al, 1 + al, -2.0 * c, 1 - al),
    "peaking": lambda c, al, A: (1 + al * A, -2.0 * c, 1 - al * A, 1 + al / A, -2.0 * c, 1 - al / A),
    "lowshelf": lambda c, al, A: _shelf(c, al, A, 1.0),
    "highshelf": lambda c, al, A: _shelf(c, al, A, -1.0),
}


def _formula(kind: str) -> _Formula:
    if kind not in _KINDS:
        raise _unknown(kind, _KINDS)
    return _KINDS[kind]


def _limited(frequency: Any, rate: float) -> Any:
    """A frequency that is a sample, in parts of the rate; what is no number is as low as can be."""
    return rows.clamp(frequency * (1.0 / rate), MIN_FREQUENCY, MAX_FREQUENCY)


def _check_frequency(frequency: Any, rate: float) -> None:
    if not FLOAT.test(frequency) or not 0 < frequency < rate / 2:
        place, _ = caller()
        raise InputError(
            f"{brief(frequency)} is not a frequency above 0 and below {rate / 2:g}",
            place=f"{place}: frequency",
            fix="give hertz below half of the sample rate",
        )


def _unknown(kind: str, known: Iterable[str]) -> InputError:
    place, _ = caller()
    return InputError(
        f"no filter is called {kind!r}",
        place=f"{place}: kind",
        fix=did_you_mean(kind, known) or f"give one of {', '.join(known)}",
    )
