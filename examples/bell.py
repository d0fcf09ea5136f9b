"""A bell by frequency modulation: one oscillator moves the phase of another, both fade (Chowning, 1973)."""

import pellucid as pl
from pellucid import signals as sg


def phase(frequency, rate):
    """From 0 up to 1 and again, so many times a second."""
    return sg.scan(sg.constant(frequency / rate), 0.0, lambda p, step: pl.fraction(p + step))


def fading(seconds, rate):
    """From 1 down, to a half after so many seconds."""
    factor = 0.5 ** (1 / (seconds * rate))
    return sg.rec(lambda y: factor * sg.delay1(y, 1.0))


def sine(p, shift=0.0):
    return pl.sinpi(2.0 * p + shift)


@pl.voice
def bell(rate):
    modulator = sg.map(sine, phase(280, rate)) * fading(0.5, rate) * sg.control("depth", 3.0)
    return 0.8 * sg.map2(sine, phase(200, rate), modulator) * fading(0.8, rate)


@pl.voice
def feedback(rate):
    """An oscillator that modulates itself, and so is no sine any more."""

    def body(y):
        return sg.map2(sine, phase(110, rate), 0.4 * sg.delay1(y, 0.0))

    return 0.5 * sg.rec(body)


sound = bell
