"""`render-audio` from the words to the file."""

from __future__ import annotations

import io
import wave

import pytest

VOICES = """
import pellucid as pl
from pellucid import signals as sg

@pl.voice
def hum(rate):
    return sg.constant(100 / rate)

@pl.voice
def loud(rate):
    return sg.constant(4.0), sg.constant(-0.5)

def plain(rate):
    return sg.noise()

_hidden = sg.noise()
"""


@pytest.fixture
def voices(written):
    return written("voices.py", VOICES, kernel=False)


def test_a_voice_is_rendered_at_the_rate_that_was_asked_for(pellucid, voices):
    words = ["--seconds", "1/100", "--rate", "8000", "--channels", "2"]
    assert pellucid("render-audio", f"{voices}:hum", "-o", "out.wav", *words) == (0, "", "")
    with wave.open("out.wav") as file:
        assert file.getparams()[:4] == (2, 2, 8000, 80)
        assert set(file.readframes(80)) == set((round(100 / 8000 * 32768)).to_bytes(2, "little"))


def test_what_is_too_loud_is_told(pellucid, voices):
    words = ["render-audio", f"{voices}:loud", "-o", "out.wav", "--seconds", "0.01"]
    status, out, err = pellucid(*words)
    assert (status, out) == (0, "")
    why = "loud is too loud, at most 4, and was cut off at 1; multiply it by 0.25, or write pcm_f32le"
    assert err == f"pellucid: warning: {why}\n"
    assert pellucid(*words, "--format", "f32le") == (0, "", "")


def test_raw_files_and_standard_output(voices, capfdbinary):
    from pathlib import Path

    from pellucid.cli import main

    words = ["render-audio", f"{voices}:loud", "--seconds", "2/48000", "--format", "f32le"]
    assert main([*words, "--planar", "-o", "out.raw"]) == 0
    assert Path("out.raw").read_bytes().hex() == "00008040" * 2 + "000000bf" * 2
    capfdbinary.readouterr()
    words = ["render-audio", f"{voices}:hum", "-o", "-", "--seconds", "0.1"]
    assert main(words) == 0
    with wave.open(io.BytesIO(capfdbinary.readouterr().out)) as file:
        assert file.getnframes() == 4800


def test_the_sounds_of_a_file_are_listed(pellucid, voices):
    assert pellucid("render-audio", voices, "--list") == (0, "hum\nloud\n", "")


@pytest.mark.parametrize(
    ("words", "status", "why"),
    [
        (["voices.py", "-o", "a.wav"], 2, "voices.py: has 2 sounds (hum, loud); choose one: voices.py:hum"),
        (["voices.py:hmu", "-o", "a.wav"], 2, "has no sound 'hmu'; did you mean 'hum'?"),
        (["voices.py:plain", "-o", "a.wav"], 2, "plain is a function, not a sound; write @pl.voice above it"),
        (["voices.py:", "-o", "a.wav"], 2, "a name is missing after the colon; write voices.py or voices.py:sound"),
        (["voices.py:hum"], 2, "no file to write was named; add -o OUT.wav, or -o - for standard output"),
        (["voices.py:hum", "-o", "a.wav"], 2, "seconds: the sound has no end; say how many"),
        (["voices.py:hum", "-o", "a.wav", "--seconds", "x"], 2, "'x' is not a number"),
        (["voices.py:hum", "-o", "a.wav", "--seconds", "-1"], 2, "seconds: -1.0 is not a finite number"),
        (["voices.py:hum", "-o", "a.wav", "--rate", "1.5"], 2, "'1.5' is not a whole number"),
        (["voices.py:hum", "-o", "a.ogg", "--seconds", "1"], 2, "no file of sound ends in '.ogg'"),
        (["voices.py:hum", "-o", "a.wav", "--seconds", "1", "--param", "x=1"], 2, "no control is called 'x'"),
        (["none.py", "-o", "a.wav"], 1, "none.py: is not there"),
        (["voices.py:hum", "-o", "none/a.wav", "--seconds", "1"], 1, "make the folder 'none' first"),
    ],
)  # fmt: skip
def test_what_cannot_be_rendered_is_one_line(pellucid, voices, words, status, why):
    found, out, err = pellucid("render-audio", *words)
    assert (found, out) == (status, "")
    assert why in err
    assert err.count("\n") == 1


def test_a_file_without_sounds_says_how_to_make_one(pellucid, written):
    written("empty.py", "x = 3\n", kernel=False)
    _, _, err = pellucid("render-audio", "empty.py", "-o", "a.wav")
    assert "has no sounds; define one, such as: sound = 0.1 * sg.noise()" in err


def test_the_error_of_a_voice_names_its_line(pellucid, written):
    text = "import pellucid as pl\n@pl.voice\ndef broken(rate):\n    return rate / 0\n"
    written("broken.py", text, kernel=False)
    status, _, err = pellucid("render-audio", "broken.py", "-o", "a.wav", "--seconds", "1")
    assert (status, err) == (1, "pellucid: broken.py:4: ZeroDivisionError: division by zero\n")


@pytest.mark.parametrize("name", ["pluck", "bell", "bell:feedback", "echo"])
def test_the_examples_sound(pellucid, root, tmp_path, name):
    file, _, voice = name.partition(":")
    word = f"{root / 'examples' / file}.py" + (f":{voice}" if voice else "")
    out = tmp_path / "out.wav"
    words = ["-o", str(out), "--seconds", "0.2", "--rate", "8000"]
    if name == "bell":
        words += ["--param", "depth=5"]
    assert pellucid("render-audio", word, *words) == (0, "", "")
    with wave.open(str(out)) as sound:
        assert len(set(sound.readframes(1600))) > 100 or name == "echo"
