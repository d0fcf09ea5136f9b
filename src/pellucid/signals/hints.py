"""Hints for names that people of sound look for, with what to write here: one table.

Beside `vocabulary`; asked for names that `pellucid.signals` does not have. A line holds the names that mean one thing, a
bar, and what to write; `sg` is `pellucid.signals`, `pl` is `pellucid`.
"""

# ruff: noqa: E501 - a table to be read, a line for each thing
from __future__ import annotations

from ..base.errors import UnknownWordError, did_you_mean
from ..base.hints import hints_of
from ..base.source_location import caller

_TABLE = """
sin sine sinosc osc oscillator tone cos cosine | write sg.map(lambda t: pl.sinpi(2 * t), phase), where phase is sg.scan(sg.constant(frequency / rate), 0.0, lambda t, step: pl.fraction(t + step))
saw sawtooth phasor phase | write sg.scan(sg.constant(frequency / rate), 0.0, lambda t, step: pl.fraction(t + step)), which goes from 0 up to 1 and begins again
square pulse triangle | write sg.map over a phase, such as lambda t: pl.where(t < 0.5, 1.0, -1.0); a phase is sg.scan(sg.constant(frequency / rate), 0.0, lambda t, step: pl.fraction(t + step))
fm fmosc fmoscillator | write sg.fm_osc, or see bell.py among the examples
white whitenoise random rand | write sg.noise()
lowpass highpass bandpass notch peaking lowshelf highshelf allpass lpf hpf bpf | write sg.biquad(signal, "{name}", frequency, rate=rate); sg.onepole is the cheaper one
eq equalizer | write a sum or a chain of sg.biquad(signal, "peaking", frequency, rate=rate, gain=decibels)
iir sos lfilter | write sg.sosfilt(signal, sos), with what SciPy designs
fir convolve convolution | write sg.filter(signal, kernel, prefix)
env envelope adr asr | write sg.adsr, or sg.ramp for one stage
follower rms level meter | write sg.envelope_follower; Player(..., meter=True) tells the peak
glide lag slew portamento | write sg.smooth(signal, ...)
gain volume amplify amp scale | write 0.5 * signal
mix add sum | write a + b, with each as loud as it is to be
pan stereo | give two signals from the voice, one for each channel
echo comb reverb | write sg.rec(lambda y: signal + 0.5 * sg.delay(y, samples, 0.0)); the example echo.py does
vibrato chorus flanger doppler | write sg.variable_delay with a delay that moves
clip limiter saturate distortion tanh | write sg.map(pl.tanh, signal), or sg.map(lambda x: pl.clamp(x, -1, 1), signal)
karplus pluck string | see the plucked string of the documents: sg.rec and sg.delay
sample table wavetable lookup | write sg.lut(sg.Cells(name, numbers), signal)
play listen speaker | write pl.render_audio(voice, "sound.wav", seconds=1), or sg.Player for blocks that go on
save write export | write pl.render_audio(voice, "sound.wav", seconds=1)
read load open file input | write sg.read_audio(path); sg.live is for what comes block by block
"""

HINTS = hints_of(_TABLE)
"""The hint for each name that people look for; `{name}` stands for that name."""
_BY_LETTERS = {"lpf": "lowpass", "hpf": "highpass", "bpf": "bandpass"}


def unknown(name: str, among: list[str]) -> UnknownWordError:
    """The error for a name that is no word of signals: what to write instead, or the word that is nearest.

    >>> print(unknown("lpf", []).fix)
    write sg.biquad(signal, "lowpass", frequency, rate=rate); sg.onepole is the cheaper one
    """
    plain = name.lower().replace("_", "")
    fix = HINTS.get(plain, "").replace("{name}", _BY_LETTERS.get(plain, plain))
    fix = fix or did_you_mean(name, among) or "see help(pellucid.signals) for what there is"
    return UnknownWordError(f"signals have no {name!r}", place=caller()[0], fix=fix)
