"""Players: arrays of floats in and out, `reset`, and nodes that are equal are one."""

from __future__ import annotations

import numpy as np
import pytest

from pellucid import signals as sg
from pellucid.base.errors import InputError
from pellucid.signals.merging import merged

NOISE = np.random.default_rng(3).standard_normal((50, 2))


def crossed(format, **options):
    left, right = sg.live(format, channels=2, planar=options.get("planar", False)).channels
    return sg.Player(left + 0.5 * sg.delay1(right, 0.0), right - left, format=format, **options)


def by_hand(x):
    before = np.concatenate([[0.0], x[:-1, 1]])
    return np.stack([x[:, 0] + 0.5 * before, x[:, 1] - x[:, 0]], 1)


@pytest.mark.parametrize("format", ["float32", "float64"])
def test_arrays_of_floats_go_in_and_come_out(format):
    given = NOISE.astype(format)
    expected = by_hand(given.astype(np.float64)).astype(format)
    player = crossed(format)
    # Any floats are taken, as rows of frames; the number of frames is theirs.
    blocks = [
        player.play(input=given[:7]),
        player.play(input=given[7:20].astype(np.float64)),
        player.play(np.int64(30), input=given[20:]),
    ]
    assert [b.dtype for b in blocks] == [np.dtype(format)] * 3
    assert np.concatenate(blocks).tobytes() == expected.tobytes()
    out = np.zeros((50, 2), format)
    player.reset()
    assert player.play(50, out, input=given) is out
    assert (out == expected).all()
    # In place, and planes apart.
    player.reset()
    player.play(50, given, input=given)
    assert (given == expected).all()
    planar = crossed(format, planar=True).play(input=np.ascontiguousarray(NOISE.T.astype(format)))
    assert (planar.T == expected).all()


def test_one_channel_is_an_array_of_one_dimension_too():
    (x,) = sg.live("float64").channels
    player = sg.Player(x * 2.0, format="float64")
    assert player.play(input=np.array([0.5, 0.25])).tolist() == [[1.0], [0.5]]
    recording = sg.Recording(NOISE, "float64", channels=2)
    assert recording.frames == 50
    assert recording.channels[1].take(3) == NOISE[:3, 1].tolist()


@pytest.mark.parametrize(
    ("ask", "why"),
    [
        (lambda p: p.play(), "play: input: is missing; give its bytes by its name"),
        (lambda p: sg.Player(sg.noise()).play(), "play: frames: is missing; give a number of frames, such as 128"),
        (lambda p: p.play(input=[[1.0, 2.0], [3.0]]), "array of object and shape .2,. is not floats of shape"),
        (lambda p: p.play(input=np.zeros((3, 4))), "shape .3, 4. is not floats of shape .frames, channels. with 2"),
        (lambda p: p.play(input=np.zeros((3, 2), np.int16)), "array of int16 and shape .3, 2. is not floats"),
        (lambda p: p.play(input=b"abc"), "play: input: .* is not floats"),
        (lambda p: p.play(2, input=np.zeros((3, 2))), "shape .3, 2. is not 2 frames; give as many frames"),
        (lambda p: p.play(2, np.zeros((2, 2)), input=np.zeros((2, 2))),
         "out: is not a writable float32 array of shape .2, 2.; give numpy.zeros..2, 2., 'float32'."),
        (lambda p: p.play(True, input=np.zeros((1, 2))), "play: True frames; give 0 to 2147483648"),
        (lambda p: p.play(-1, input=np.zeros((1, 2))), "play: -1 frames; give 0 to"),
        (lambda p: p.play(2), "play: input: is missing; give its bytes by its name"),
        (lambda p: p.play(2, input=np.zeros((2, 2)), inptu=1), "nothing live is called 'inptu'; did you mean 'input'"),
        (lambda p: p.play(2, "loud", input=np.zeros((2, 2))), "out: is not a writable float32 array"),
    ],
)  # fmt: skip
def test_arrays_that_do_not_fit_are_refused(ask, why):
    player = crossed("float32")
    with pytest.raises(InputError, match=why):
        ask(player)
    assert player.position == 0


def test_after_reset_a_player_plays_what_a_new_one_would():
    def make():
        gain = sg.control("gain", 0.5)
        echo = sg.rec(lambda y: gain * sg.noise() + 0.5 * sg.delay(y, 9, np.arange(9) / 9))
        return sg.Player(echo + sg.count() * 0.001, format="float64", meter=True)

    used, new = make(), make()
    used.play(40)
    used.set("gain", 0.25)
    used.play(11)
    used.reset()
    new.set("gain", 0.25)
    assert (used.position, used.peak) == (0, 0.0)
    assert used.play(50).tobytes() == new.play(50).tobytes()
    assert (used.position, used.peak) == (new.position, new.peak)


def test_equal_nodes_are_one_and_sound_as_before():
    x = sg.noise()
    several = (
        sg.delay(x, 200) + sg.delay(x, 200) * 0.5,
        sg.delay1(0.5 * x, 0.0) - sg.delay1(0.5 * x, 0.0) + sg.noise() - sg.noise(),
    )
    player = sg.Player(*several, format="float64")
    assert sum("line" in name for name in player.residual.memories) == 1
    # The line's place, the noise, one delay.
    assert len([n for n in player.signal.states if n.name in ("delay line", "delay", "scan")]) == 3
    plain = sg.signal.together(*several).take(230)
    assert player.play(230).tolist() == [list(x) for x in plain]


def test_what_is_not_surely_equal_stays_apart():
    x = sg.noise()

    def times(k):
        return lambda v: v * k

    def plus(k, default):
        def function(v, c=default):
            return v + c + k

        return function

    def late():
        # A variable of the closure is not set yet.
        yield lambda v: v if v < 9 else unset
        unset = 0.0

    pairs = [
        (sg.delay1(x, 0.0), sg.delay1(x, -0.0)),
        (sg.delay1(x, 0), sg.delay1(x, False)),
        (sg.map(times(0.0), x), sg.map(times(bytes(8)), x)),
        (sg.map(next(late()), x), sg.map(next(late()), x)),
        (sg.delay(x, 200), sg.delay(x, 201)),
        (sg.delay(x, 200), sg.delay(x, 200, 0.5)),
        (sg.map(times(0.0), x), sg.map(times(-0.0), x)),
        (sg.map(plus(1.0, 2.0), x), sg.map(plus(1.0, 3.0), x)),
        (sg.control("a", 0.5), sg.control("b", 0.5)),
        (sg.control("a", 0.5), sg.constant(0.5)),
        (sg.noise(1), sg.noise(2)),
        (sg.scan(x, 0.0, lambda a, b: a + b), sg.scan(x, 0.0, lambda a, b: a - b)),
        (sg.Recording(bytes(4), "pcm_u8", channels=2).channels),
    ]
    for one, other in pairs:
        both = merged(sg.signal.together(one, other))
        first, second = both.node.inputs
        assert first is not second, (one, other)
        both = merged(sg.signal.together(one, one + 0.0))
        assert both.node.inputs[1].inputs[0] is both.node.inputs[0]


def test_diagrams_that_are_merged_stay_as_they_are():
    def body(y):
        return sg.noise() + 0.5 * sg.delay1(y, 0.0) + 0.25 * sg.delay1(y, 0.0)

    signal = sg.rec(body)
    count = len(signal.states)
    first = signal.take(9)
    both = merged(signal.fresh())
    assert len(both.states) < count == len(signal.states)
    assert both.take(9) == first == signal.take(9)
    assert sg.samples(signal, frames=9)[:, 0].tolist() == first


def test_samples_of_a_recording_have_its_rate():
    recording = sg.Recording(NOISE, "float64", channels=2, rate=44100)
    assert (sg.samples(recording, frames=50) == NOISE).all()
    with pytest.raises(InputError, match="rate: the recording has 44100 frames a second, not 8000"):
        sg.samples(recording, frames=50, rate=8000)
