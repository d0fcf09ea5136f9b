"""Echoes from side to side: two delay lines that lead to each other."""

import pellucid as pl
from pellucid import signals as sg


def ping_pong(dry, rate, seconds=0.3, loss=0.6):
    """A signal and its echoes, by turns on the left and on the right."""
    samples = round(seconds * rate)

    def body(left, right):
        return dry + loss * sg.delay(right, samples), loss * sg.delay(left, samples)

    return sg.rec(body)


@pl.voice
def sound(rate):
    """A click; put a recording in its place: (dry,) = pl.read_audio("voice.wav").channels."""
    click = sg.map(lambda n: sg.choose(n < rate // 500, lambda: 0.8, lambda: 0.0), sg.count())
    return ping_pong(click, rate)
