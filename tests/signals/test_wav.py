"""WAV files against Python's own `wave`, against FFmpeg by PyAV, and against files that are broken in every way."""

from __future__ import annotations

import contextlib
import io
import os
import struct
import wave
from pathlib import Path

import av
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pellucid as pl
from pellucid import signals as sg
from pellucid.base.errors import FileError, InputError
from pellucid.signals import wav

RATE = 8000
IN_WAV = ["pcm_u8", "pcm_s16le", "pcm_s24le", "pcm_s24in32le", "pcm_s32le", "pcm_f32le", "pcm_f64le"]


def tones(channels: int) -> tuple[sg.Signal, ...]:
    def tone(k: int) -> sg.Signal:
        phase = sg.scan(sg.constant(0.01 * (k + 1)), 0.0, lambda p, step: pl.fraction(p + step))
        return 0.9 * sg.map(lambda p: pl.sinpi(2.0 * p), phase)

    return tuple(tone(k) for k in range(channels))


@pytest.mark.parametrize("format", IN_WAV)
@pytest.mark.parametrize("channels", [1, 2, 3])
def test_what_is_written_is_read(tmp_path: Path, format: str, channels: int):
    path = tmp_path / "a.wav"
    frames = 101
    peak = pl.render_audio(tones(channels), path, seconds=frames / RATE, rate=RATE, format=format)
    assert 0.8 < peak <= 0.9
    found = pl.read_audio(path)
    assert (found.format, found.rate, len(found.channels), found.frames) == (format, RATE, channels, frames)
    size = path.stat().st_size
    assert struct.unpack("<I", path.read_bytes()[4:8]) == (size - 8,)
    assert size % 2 == 0
    exact = sg.samples(tones(channels), frames=frames)
    bits = {"u8": 8, "s16": 16, "s24": 24, "s32": 32, "f32": 24, "f64": 53}[format[4:7].rstrip("l")]
    assert np.abs(sg.samples(found, frames=frames, rate=RATE) - exact).max() <= 0.5**bits * 1.01


@pytest.mark.parametrize(("format", "width"), [("u8", 1), ("s16le", 2), ("s24", 3), ("pcm_s32le", 4)])
@pytest.mark.parametrize("channels", [1, 2])
def test_the_wave_module_reads_the_same(tmp_path: Path, format: str, width: int, channels: int):
    path = tmp_path / "a.wav"
    pl.render_audio(tones(channels), path, seconds=50 / RATE, rate=RATE, format=format)
    with wave.open(str(path)) as file:
        assert (file.getnchannels(), file.getsampwidth(), file.getframerate()) == (channels, width, RATE)
        assert file.getnframes() == 50
        data = file.readframes(50)
    recording = pl.read_audio(path)
    assert sg.Player(*recording.channels, format=recording.format).play(50).tobytes() == data


@pytest.mark.parametrize("width", [1, 2, 3, 4])
@pytest.mark.parametrize("channels", [1, 2])
def test_what_the_wave_module_writes_is_read(tmp_path: Path, width: int, channels: int):
    data = np.random.default_rng(width).bytes(width * channels * 33)
    path = tmp_path / "a.wav"
    with wave.open(str(path), "wb") as file:
        file.setparams((channels, width, 44100, 33, "NONE", ""))
        file.writeframes(data)
    found = pl.read_audio(path)
    assert (found.rate, found.frames) == (44100, 33)
    assert sg.Player(*found.channels, format=found.format).play(33).tobytes() == data


# FFmpeg takes 24 bits of 32 for 24 bits alone.
@pytest.mark.parametrize("format", [n for n in IN_WAV if n != "pcm_s24in32le"])
@pytest.mark.parametrize("channels", [1, 2, 6])
def test_ffmpeg_reads_the_same(tmp_path: Path, format: str, channels: int):
    path = tmp_path / "a.wav"
    pl.render_audio(tones(channels), path, seconds=64 / RATE, rate=RATE, format=format)
    with av.open(str(path)) as file:
        (stream,) = file.streams
        assert (stream.rate, stream.channels) == (RATE, channels)
        decoded = np.concatenate([f.to_ndarray().ravel() for f in file.decode(audio=0)])
    kind = {"f": 1.0, "u": 1 << 7, "i": 1 << (8 * decoded.dtype.itemsize - 1)}[decoded.dtype.kind]
    levels = (decoded.astype(np.float64) - (128 if decoded.dtype.kind == "u" else 0)) / kind
    recording = pl.read_audio(path)
    assert (levels.reshape(64, channels) == sg.samples(recording, frames=64, rate=RATE)).all()


# ---- files of samples alone ----


@pytest.mark.parametrize("planar", [False, True])
def test_raw_files_have_any_format_and_order(tmp_path: Path, planar: bool):
    # More frames than one block, so that planes are written in turns.
    frames = 70000
    for format in ("pcm_s16be", "s24be", "f32be"):
        path = tmp_path / "a.raw"
        pl.render_audio(tones(2), path, seconds=frames / RATE, rate=RATE, format=format, planar=planar)
        name = format if format.startswith("pcm_") else f"pcm_{format}"
        assert path.read_bytes() == sg.Player(*tones(2), format=name, planar=planar).play(frames).tobytes()
        found = pl.read_audio(path, format=name, channels=2, rate=RATE, planar=planar)
        assert found.frames == frames


# ---- what it says of itself ----


def wave_file(*chunks: tuple[bytes, bytes], size: int | None = None) -> bytes:
    body = b"".join(n + struct.pack("<I", len(d)) + d + b"\0" * (len(d) % 2) for n, d in chunks)
    return b"RIFF" + struct.pack("<I", len(body) + 4 if size is None else size) + b"WAVE" + body


def fmt(tag=1, channels=1, rate=8000, bits=16, align=None, more=b"") -> tuple[bytes, bytes]:
    align = channels * bits // 8 if align is None else align
    return b"fmt ", struct.pack("<HHIIHH", tag, channels, rate, rate * align, align, bits) + more


def extensible(valid=24, tag=1, bits=32, guid=wav._GUID, channels=1) -> tuple[bytes, bytes]:
    more = struct.pack("<HHIH", 22, valid, 4, tag) + guid
    return fmt(0xFFFE, channels, bits=bits, more=more)


DATA = b"data", bytes(range(24))


def test_chunks_that_are_not_known_are_passed_over():
    data = wave_file((b"LIST", b"odd"), fmt(), (b"junk", b""), DATA, (b"after", b""))
    kind, samples = wav._parsed(memoryview(data), "a.wav")
    assert (kind.format, bytes(samples)) == ("pcm_s16le", DATA[1])


@pytest.mark.parametrize(
    ("chunk", "format"),
    [
        (extensible(), "pcm_s24in32le"),
        (extensible(valid=32), "pcm_s32le"),
        (extensible(valid=20, bits=24), "pcm_s24le"),
        (extensible(valid=32, tag=3), "pcm_f32le"),
        (extensible(valid=16, bits=16, channels=2), "pcm_s16le"),
        (fmt(3, bits=64, more=b"\0\0"), "pcm_f64le"),
    ],
)
def test_extensible_formats_are_read(chunk, format: str):
    kind, _ = wav._parsed(memoryview(wave_file(chunk, DATA)), "a.wav")
    assert kind.format == format


def test_data_of_a_pipe_go_to_the_end():
    data = wave_file(fmt(), DATA, size=0xFFFFFFFF)
    piped = data[: data.index(b"data")] + b"data" + b"\xff" * 4 + bytes(7)
    _, samples = wav._parsed(memoryview(piped), "a.wav")
    assert bytes(samples) == bytes(6)


BROKEN = [
    (b"", "is not a WAV file; give a format, such as pcm_s16le"),
    (b"RIFF\0\0\0\0AVI ", "is not a WAV file"),
    (b"RIFX\0\0\0\0WAVE", "is RIFX, which is not read; convert it to RIFF"),
    (b"RF64\0\0\0\0WAVE", "is RF64, which is not read"),
    (wave_file(), "is no whole WAV file: it says no format"),
    (wave_file(fmt()), "it has no samples"),
    (wave_file(DATA), "its samples come before their format"),
    (wave_file((b"fmt ", b"short")), "its format takes 5 bytes, not 16"),
    (wave_file(fmt(0xFFFE), DATA), "its extensible format takes 16 bytes, not 40"),
    (wave_file(extensible(guid=bytes(14)), DATA), "holds samples of a private kind"),
    (wave_file(fmt(2, bits=4), DATA), "holds samples of kind 2 with 4 of 4 bits; convert it to PCM"),
    (wave_file(fmt(1, bits=12), DATA), "holds samples of kind 1 with 12 of 12 bits"),
    (wave_file(extensible(valid=0), DATA), "with 0 of 32 bits"),
    (wave_file(extensible(valid=40), DATA), "with 40 of 32 bits"),
    (wave_file(fmt(channels=0), DATA), "has 0 channels; give 1 to 8"),
    (wave_file(fmt(channels=9), DATA), "has 9 channels"),
    (wave_file(fmt(rate=0), DATA), "its rate is 0"),
    (wave_file(fmt(align=3), DATA), "a frame of 1 samples of 16 bits takes 3 bytes"),
    (wave_file(fmt(), (b"data", b"odd")), "3 bytes of samples are no whole number of frames of 2"),
    (wave_file(fmt(), DATA)[:-3], "it has 21 of 24 bytes of samples"),
    (wave_file(fmt(), (b"LIST", bytes(9)))[:-4], "it ends within the chunk 'LIST'"),
]  # fmt: skip


@pytest.mark.parametrize(("data", "why"), BROKEN)
def test_a_broken_file_is_refused_in_a_sentence(tmp_path: Path, data: bytes, why: str):
    path = tmp_path / "broken.wav"
    path.write_bytes(data)
    with pytest.raises(FileError, match=why) as refused:
        pl.read_audio(path)
    assert "broken.wav: " in str(refused.value)


@given(st.integers(0, 120), st.integers(0, 255), st.integers(0, 200))
def test_no_byte_that_is_changed_or_missing_makes_it_crash(at: int, byte: int, cut: int):
    whole = bytearray(wave_file((b"LIST", b"odd"), extensible(), DATA))
    whole[at % len(whole)] = byte
    with contextlib.suppress(FileError):
        kind, samples = wav._parsed(memoryview(bytes(whole[: len(whole) - cut % 90])), "a.wav")
        assert sg.Recording(samples, kind.format, channels=kind.channels).frames <= len(whole)


def test_files_that_are_not_there_or_are_options_are_refused(tmp_path: Path):
    with pytest.raises(FileError, match=r"none\.wav: is not there"):
        pl.read_audio(tmp_path / "none.wav")
    with pytest.raises(FileError, match="is not a file but a folder"):
        pl.read_audio(tmp_path)
    path = tmp_path / "a.raw"
    path.write_bytes(bytes(5))
    with pytest.raises(FileError, match="5 bytes are no whole number of frames of 2"):
        pl.read_audio(path, format="pcm_s16le")
    with pytest.raises(InputError, match="a WAV file says itself how many channels it has"):
        pl.read_audio(path, channels=2)


# ---- what is asked for ----


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ({}, "seconds: the sound has no end; say how many, such as 2.5"),
        ({"seconds": -1}, "seconds: -1 is not a finite number from 0 up"),
        ({"seconds": float("nan")}, "seconds: nan is not a finite number"),
        ({"seconds": "long"}, "seconds: 'long' is not a finite number"),
        ({"seconds": 1e12}, "1e\\+12 seconds are too many"),
        ({"seconds": 60000, "rate": 48000}, "bytes are more than WAV can hold; write a .raw file"),
        ({"seconds": 1, "rate": 0}, "rate: 0 is out of range; give 1 to"),
        ({"seconds": 1, "rate": 44100.5}, r"rate: 44100\.5 is out of range"),
        ({"seconds": 1, "channels": 0}, "channels: 0 is not a whole number from 1 to 65536"),
        ({"seconds": 1, "channels": 9}, "9 channels are not supported"),
        ({"seconds": 1, "format": "mp3"}, "no format of sound is called 'mp3'"),
        ({"seconds": 1, "format": "pcm_s16bee"}, "did you mean 'pcm_s16be'"),
        ({"seconds": 1, "format": "s16be"}, "WAV has no pcm_s16be; give one of .*, or write a .raw file"),
        ({"seconds": 1, "planar": True}, "WAV has channels by turns; write a .raw file"),
        ({"seconds": 1, "backend": "gpu"}, "'gpu' is not known"),
        ({"seconds": 1, "path": "a.mp3"}, "no file of sound ends in '.mp3'; end it in .wav"),
        ({"seconds": 1, "path": "a"}, "has no suffix"),
        ({"seconds": 1, "sound": "hum"}, "'hum' is no sound; give a signal"),
        ({"seconds": 1, "sound": ()}, "is no sound"),
        ({"seconds": 1, "sound": pl.voice(lambda rate: rate)}, "48000 is no sound"),
        ({"seconds": 1, "sound": tones(2), "channels": 3}, "the sound has 2 channels, not 3"),
        (
            {"sound": sg.Recording(bytes(4), "pcm_u8"), "rate": 8000},
            "the recording has 48000 frames a second",
        ),
    ],
)
def test_what_makes_no_sense_is_refused_before_anything_is_written(tmp_path, monkeypatch, words, why):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=why):
        pl.render_audio(words.pop("sound", sg.noise()), words.pop("path", "a.wav"), **words)
    assert list(tmp_path.iterdir()) == []


def test_a_voice_takes_the_rate():
    with pytest.raises(InputError, match="a voice takes one parameter, the sample rate"):
        pl.voice(lambda rate, seed: sg.noise(seed))


def test_a_render_that_is_broken_off_leaves_nothing(tmp_path: Path):
    path = tmp_path / "a.wav"
    path.write_bytes(b"before")

    def stop(done: int, frames: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pl.render_audio(sg.noise(), path, seconds=1, progress=stop)
    assert path.read_bytes() == b"before"
    assert [p.name for p in tmp_path.iterdir()] == ["a.wav"]


def test_progress_counts_frames_and_a_recording_has_an_end(tmp_path: Path):
    told: list[tuple[int, int]] = []
    pl.render_audio(sg.noise(), tmp_path / "a.wav", seconds=1.5, progress=lambda *x: told.append(x))
    assert told == [(32768, 72000), (65536, 72000), (72000, 72000)]
    (again,) = pl.read_audio(tmp_path / "a.wav").channels
    pl.render_audio(0.5 * again, tmp_path / "b.wav", channels=2)
    assert pl.read_audio(tmp_path / "b.wav").frames == 72000
    assert pl.render_audio(2.0 * again, tmp_path / "c.wav") > 1
    pl.render_audio(sg.noise(), tmp_path / "empty.wav", seconds=0)
    assert pl.read_audio(tmp_path / "empty.wav").frames == 0


def test_headers_are_what_wave_writes():
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setparams((2, 2, 44100, 0, "NONE", ""))
        file.writeframes(bytes(40))
    assert out.getvalue()[:44] == wav.header("pcm_s16le", 2, 44100, 10)


@pytest.mark.parametrize("options", [{}, {"format": "pcm_u8"}])
def test_what_has_no_end_or_is_too_large_is_refused_before_it_is_read(tmp_path: Path, options):
    pipe, sparse = tmp_path / "pipe.wav", tmp_path / "sparse.wav"
    os.mkfifo(pipe)
    with sparse.open("wb") as file:
        file.truncate(6 << 30)
    for path, why in (
        (pipe, "is not a file but a pipe"),
        ("/dev/zero", "is not a file but a device"),
        (tmp_path, "is not a file but a folder"),
        (sparse, "has 6.* GiB, more than 4"),
    ):
        with pytest.raises(FileError, match=why):
            pl.read_audio(path, **options)
