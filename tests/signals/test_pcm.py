"""Levels and samples: every format of sound against arithmetic written here, and all of it staged and unstaged."""

from __future__ import annotations

import math
import struct

import numpy as np
import pytest

from pellucid import signals as sg
from pellucid.base.errors import InputError
from pellucid.pixels import FORMATS, pack, sound
from pellucid.signals import pcm

SOUNDS = [n for n in FORMATS if n.startswith("pcm_")]
LEVELS = [
    0.0, 0.5, -0.25, 0.1, -0.7, 1.0, -1.0, 0.999999, 1.5, -7.0, 1e-9, -1e-9,
    math.nan, math.inf, -math.inf, 1 / 255, 3.0517578125e-05, -1.52587890625e-05,
]  # fmt: skip


def expected(name: str, level: float) -> bytes:
    """One sample, by hand."""
    order = "big" if name.endswith("be") else "little"
    short = name.removeprefix("pcm_").removesuffix("le").removesuffix("be")
    if short[0] == "f":
        code = {"f32": "f", "f64": "d"}[short]
        return np.array(level, f"{'>' if order == 'big' else '<'}{code}").tobytes()
    bits, container = {
        "u8": (8, 8), "s16": (16, 16), "s24": (24, 24), "s24in32": (24, 32), "s24low32": (24, 32), "s32": (32, 32),
    }[short]  # fmt: skip
    half = 1 << (bits - 1)
    number = (
        0 if math.isnan(level) else min(max(math.floor(min(max(level, -2), 2) * half + 0.5), -half), half - 1)
    )
    if short[0] == "u":
        number += half
    if short == "s24in32":
        number <<= 8
    if short == "s24low32":
        number &= (1 << 24) - 1
    return number.to_bytes(container // 8, order, signed=number < 0)


@pytest.mark.parametrize("name", SOUNDS)
def test_every_format_of_sound_is_written(name: str):
    def voice():
        cells = sg.Cells("levels", np.array(LEVELS))
        return sg.lut(cells, sg.map(lambda n: sg.choose(n < len(LEVELS), lambda: n, lambda: 0), sg.count()))

    player = sg.Player(voice(), format=name)
    found = player.play(len(LEVELS)).tobytes()
    assert found == b"".join(expected(name, x) for x in LEVELS)
    layout = pcm.pcm(name, 1)
    out = np.zeros(len(found), np.uint8)
    memory = pcm.memories(layout, "out", [out])
    for frame, level in enumerate(LEVELS):
        pcm.write(layout, layout.channels[0], memory, frame, level)
    assert out.tobytes() == found
    # And it is what the layout means.
    if "_f" not in name:
        channel = layout.channels[0]
        values = [pcm._nearest(channel, x) for x in LEVELS]
        assert pack({"S": [values]}, layout, len(LEVELS)) == found


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", SOUNDS)
@pytest.mark.parametrize(("channels", "planar"), [(1, False), (2, False), (3, True), (8, False)])
def test_every_format_of_sound_is_read(name: str, channels: int, planar: bool):
    frames = 5
    rng = np.random.default_rng(len(name))
    levels = rng.uniform(-1, 1, (frames, channels))
    ordered = levels.T.ravel() if planar else levels.ravel()
    data = b"".join(expected(name, x) for x in ordered)
    recording = sg.Recording(data, name, channels=channels, planar=planar)
    assert recording.frames == frames
    plain = np.array([c.take(frames) for c in recording.channels]).T
    sizes = {"u8": 8, "s16": 16, "s24": 24, "s32": 32, "f32": 24, "f64": 53}
    bits = next(n for s, n in sizes.items() if s in name)
    assert np.abs(plain - levels).max() <= 0.5**bits * 1.0001
    assert (sg.samples(recording, frames=frames, rate=recording.rate) == plain).all()
    # Back into the same format it is the same bytes, but for gaps, which are zero already.
    again = sg.Player(*recording.channels, format=name, planar=planar).play(frames)
    assert again.tobytes() == data


def test_a_recording_is_silent_behind_its_end_and_channels_may_be_longer():
    short = sg.Recording(struct.pack("<3h", 1000, 2000, 3000), "pcm_s16le")
    both = short.channels[0] + sg.Recording(struct.pack("<5h", *[-1000] * 5), "pcm_s16le").channels[0]
    assert both.left() == 5
    scaled = [round(x * 32768) for x in sg.samples(both, frames=7)[:, 0]]
    assert scaled == [0, 1000, 2000, -1000, -1000, 0, 0]
    assert [round(x * 32768) for x in both.take(5)] == scaled[:5]
    empty = sg.Recording(b"", "pcm_s16le")
    assert empty.seconds == 0
    assert sg.samples(empty, frames=2)[:, 0].tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda: sg.Player(sg.noise(), format="rgb24"), "rgb24 is not sound"),
        (lambda: sg.Player(sg.noise(), format="pcm_s17le"), "no format is called 'pcm_s17le'"),
        (lambda: sg.Player(sg.noise(), format="S:s12"), "samples of S:s12 do not fill whole bytes"),
        (lambda: sg.Player(sg.noise(), format="S:f16"), "S:f16 has floats of another size"),
        (lambda: sg.Player(*[sg.noise()] * 9), "9 channels are not supported"),
        (lambda: sg.Recording(bytes(3), "pcm_s16le"), "3 bytes are no whole number of frames of 2"),
        (lambda: sg.Player(7.5), None),
        (lambda: sg.Player("loud"), "'loud' is not a signal"),
    ],
)
def test_what_is_no_sound_is_refused(make, why):
    if why is None:
        make()
        return
    with pytest.raises(InputError, match=why):
        make()


def test_layouts_of_sound_have_words_that_frames_fill():
    for name in SOUNDS:
        for channels in (1, 2, 3):
            for planar in (False, True):
                layout = sound(name, channels, planar=planar)
                for k, plane in enumerate(layout.planes):
                    assert plane.bits % pcm.word_of(layout, k) == 0
