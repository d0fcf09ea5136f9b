"""Effects for any sound: `pellucid filter effects.py:dub in.wav -o out.wav --tail 3`; and a voice to try them on."""

import numpy as np

import pellucid as pl
from pellucid import signals as sg


def sine(frequency, rate, start=0.0):
    """From -1 to 1, so many times a second."""
    phase = sg.scan(sg.constant(frequency / rate), start, lambda p, step: pl.fraction(p + step))
    return pl.sinpi(2.0 * phase)


@pl.effect
def chorus(x, rate):
    """Three voices that drift a little, as players of one part do."""
    voices = [
        sg.variable_delay(x, rate * (0.018 + 0.004 * sine(speed, rate, start)), rate // 20, "cubic")
        for speed, start in ((0.31, 0.0), (0.43, 0.33), (0.59, 0.66))
    ]
    return 0.5 * x + 0.25 * (voices[0] + voices[1] + voices[2])


@pl.effect
def wah(x, rate):
    """A filter that opens when one plays louder."""
    loudness = sg.envelope_follower(x, attack=0.005, release=0.15, rate=rate)
    return 2.0 * sg.biquad(x, "bandpass", 300.0 + 6000.0 * loudness, rate=rate, Q=3.0)


@pl.effect
def dub(x, rate):
    """Echoes that grow darker as they fade, on a tape that is not quite steady."""
    amount = sg.control("echo", 0.6, ramp=rate // 50)
    time = rate * (0.375 + 0.0006 * sine(0.7, rate))

    def body(y):
        tape = sg.variable_delay(y, time, rate)
        dark = sg.biquad(sg.biquad(tape, "lowpass", 2200, rate=rate), "highpass", 180, rate=rate)
        return x + amount * pl.tanh(dark)

    return 0.7 * sg.rec(body)


@pl.voice
def notes(rate):
    """A few notes of a minor chord, plucked by an envelope."""
    beats = sg.count() * (4.0 / rate)
    note = pl.floor(beats)
    gate = beats - note < 0.12
    pitches = sg.Cells("pitches", 110.0 * 2.0 ** (np.array([0, 7, 12, 15, 19, 15, 12, 7]) / 12))
    frequency = sg.lut(pitches, sg.map(sg.to_integer, note) & 7)
    phase = sg.rec(lambda p: pl.fraction(sg.delay1(p, 0.0) + frequency * (1.0 / rate)))
    envelope = sg.adsr(gate, attack=0.003, decay=0.2, sustain=0.2, release=0.5, rate=rate)
    saw = 2.0 * phase - 1.0
    return 0.5 * sg.biquad(saw, "lowpass", 200.0 + 3000.0 * envelope**2, rate=rate, Q=2.0) * envelope


effect = dub
sound = notes
