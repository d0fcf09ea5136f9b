"""`filter` from the words to the file."""

from __future__ import annotations

import numpy as np
import pytest

import pellucid as pl
from pellucid import signals as sg
from pellucid.base.errors import InputError

EFFECTS = """
import pellucid as pl
from pellucid import signals as sg

@pl.effect
def softer(x, rate):
    return sg.control("gain", 0.5) * x

@pl.effect
def swap(left, right, rate):
    return right, left

@pl.effect
def echo(x, rate):
    return sg.rec(lambda y: x + 0.5 * sg.delay(y, rate // 1000))

@pl.effect
def loud(x, rate):
    return 8.0 * x
"""
SAMPLES = np.random.default_rng(4).integers(-8000, 8000, (40, 2)).astype("<i2")


@pytest.fixture
def effects(written):
    recording = sg.Recording(SAMPLES, "pcm_s16le", channels=2, rate=8000)
    sg.render_audio(recording, "in.wav")
    return written("effects.py", EFFECTS, kernel=False)


def result(path="out.wav"):
    found = sg.read_audio(path)
    data = sg.samples(found, frames=found.frames, rate=found.rate)
    return found, np.round(data * 32768).astype(int)


def test_an_effect_is_done_to_each_channel_and_the_file_stays_what_it_was(pellucid, effects):
    assert pellucid("filter", f"{effects}:softer", "in.wav", "-o", "out.wav") == (0, "", "")
    found, data = result()
    assert (found.format, found.rate, found.frames) == ("pcm_s16le", 8000, 40)
    assert (data == np.floor(SAMPLES * 0.5 + 0.5)).all()
    assert pellucid("filter", f"{effects}:softer", "in.wav", "-o", "out.wav", "--param", "gain=1") == (
        0,
        "",
        "",
    )
    assert (result()[1] == SAMPLES).all()


def test_an_effect_takes_all_channels_and_rings_on(pellucid, effects):
    assert pellucid("filter", f"{effects}:swap", "in.wav", "-o", "out.wav", "--format", "f32le") == (
        0,
        "",
        "",
    )
    found, data = result()
    assert found.format == "pcm_f32le"
    assert (data == SAMPLES[:, ::-1]).all()
    words = ["filter", f"{effects}:echo", "in.wav", "-o", "out.wav", "--tail", "0.01", "--format", "f64le"]
    assert pellucid(*words) == (0, "", "")
    expected = np.zeros((120, 2))
    for k in range(120):
        expected[k] = (SAMPLES[k] / 32768 if k < 40 else 0) + (0.5 * expected[k - 8] if k >= 8 else 0)
    found = sg.read_audio("out.wav")
    assert (sg.samples(found, frames=120, rate=8000) == expected).all()


def test_what_is_too_loud_is_told(pellucid, effects):
    status, out, err = pellucid("filter", f"{effects}:loud", "in.wav", "-o", "out.wav")
    assert (status, out) == (0, "")
    assert "warning: loud is too loud, at most" in err


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (
            ["EFFECTS:softer", "-o", "out.wav"],
            "no file of sound was named; name one after FILE.py, such as in.wav",
        ),
        (["EFFECTS:softer", "nothing.wav", "-o", "out.wav"], "nothing.wav: "),
        (["EFFECTS:sofetr", "in.wav", "-o", "out.wav"], "has no effect 'sofetr'; did you mean 'softer'"),
        (["EFFECTS:softer", "in.wav", "-o", "out.wav", "--tail", "-1"], "tail: -1"),
        (["EFFECTS:softer", "in.wav", "-o", "out.wav", "--param", "gian=1"], "did you mean 'gain'"),
        (
            ["EFFECTS:softer", "in.wav", "-o", "out.wav", "--format", "s17"],
            "no format of sound is called 's17'",
        ),
        (["EFFECTS:softer", "in.wav", "-o", "out.mp3"], "no file of sound ends in '.mp3'"),
        (["EFFECTS:softer", "effects.py", "-o", "out.wav"], "effects.py: is not a WAV file"),
    ],
)
def test_what_cannot_be_filtered_is_refused_in_a_sentence(pellucid, effects, words, why):
    from pathlib import Path

    status, out, err = pellucid("filter", *(w.replace("EFFECTS", str(effects)) for w in words))
    assert (status != 0, out) == (True, "")
    assert why in err
    assert not Path("out.wav").exists()


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda: pl.effect(lambda rate: rate), "an effect takes a signal and the sample rate; write"),
        (lambda: pl.effect(lambda x, *, rate: x), "<lambda>: an effect takes a signal and the sample rate; write"),
        (lambda: pl.filter_audio(pl.effect(lambda x, rate: x), "in.wav", "out.wav", tail=float("nan")),
         "tail: nan is not 0 to 1048576 seconds; give seconds, such as 2.5"),
        (lambda: pl.effect(lambda a, b, rate: a)(sg.noise(), rate=8000), "takes 2 channels, and the sound has 1"),
        (lambda: pl.effect(lambda x, rate: None)(sg.noise(), rate=8000), "None is no sound; give a signal"),
        (lambda: pl.effect(lambda x, rate: (x, x))(sg.noise(), sg.noise(), rate=8000),
         "gives several signals for each of 2 channels; give one"),
        (lambda: pl.filter_audio(lambda x, rate: x, "in.wav", "out.wav"), "is not an effect; write @pl.effect above"),
    ],
)  # fmt: skip
def test_what_is_no_effect_is_refused(make, why):
    with pytest.raises(InputError, match=why):
        make()


def test_an_effect_gives_channels_in_a_list_too_and_a_file_may_be_empty(tmp_path):
    source, target = tmp_path / "in.wav", tmp_path / "out.wav"
    pl.render_audio(sg.noise(), source, seconds=0, rate=8000)
    wide = pl.effect(lambda x, rate: [x, -x])
    assert pl.filter_audio(wide, source, target) == 0
    assert (pl.read_audio(target).frames, len(pl.read_audio(target).channels)) == (0, 2)
    assert pl.filter_audio(wide, source, target, tail=0.5) == 0
    assert pl.read_audio(target).frames == 4000
