"""A plucked string: noise goes round in a delay line and is smoothed a little each time (Karplus and Strong, 1983)."""

import pellucid as pl
from pellucid import signals as sg


def string(frequency, rate, decay=0.996):
    """As many samples of noise as there are in a period, and the mean of two neighbors back into the line."""
    period = round(rate / frequency - 0.5)
    burst = sg.noise(period).take(period)

    def body(y):
        line = sg.delay(y, period, burst)
        return 0.5 * decay * (line + sg.delay1(line, 0.0))

    return sg.rec(body)


@pl.voice
def pluck(rate):
    return string(220, rate)


@pl.voice
def chord(rate):
    low, middle, high = (0.4 * string(f, rate) for f in (220, 275, 330))
    return low + 0.5 * middle, high + 0.5 * middle


sound = chord
