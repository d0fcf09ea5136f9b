"""The law of signals: compiled in one block, compiled in many, and computed by plain Python are one and the same."""

from __future__ import annotations

import itertools
import operator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.turns import fewer

import pellucid as pl
from pellucid import signals as sg
from pellucid.base.errors import InputError
from pellucid.driver.program import compile_program
from pellucid.ir import nest as N
from pellucid.staging import cyclic, specialize

FRAMES = 24
SAMPLES = np.random.default_rng(5).integers(0, 1 << 16, 64, dtype=np.uint16)
TABLE = sg.Cells("table", np.random.default_rng(6).integers(-99, 99, 16))
WAVE = sg.Cells("wave", np.random.default_rng(7).random(16))

# ---- random diagrams: a tree of words, in which "y" is the signal itself, one sample ago ----

INTEGERS = st.recursive(
    st.one_of(st.sampled_from(["x", "y", "n"]), st.integers(-9, 9)),
    lambda inner: st.one_of(
        st.tuples(st.sampled_from(["+", "-", "*", ">>"]), inner, inner),
        st.tuples(st.sampled_from(["delay1", "delay", "scan", "lut", "shared", "later"]), inner),
        st.tuples(st.just("filter"), inner, st.lists(st.integers(-4, 4), min_size=1, max_size=3)),
    ),
    max_leaves=6,
)
REALS = st.recursive(
    st.one_of(st.sampled_from(["x", "y", "noise"]), st.sampled_from([0.5, -0.25, 1.0, 0.1])),
    lambda inner: st.one_of(
        st.tuples(st.sampled_from(["+", "-", "*", "max"]), inner, inner),
        st.tuples(st.sampled_from(["delay1", "delay", "scan", "lut", "shared", "floor", "choose"]), inner),
        st.tuples(st.just("filter"), inner, st.lists(st.floats(-1, 1, width=16), min_size=1, max_size=3)),
    ),
    max_leaves=6,
)


def diagram(e, leaves, real):
    """A signal of the little language."""
    zero = 0.0 if real else 0
    match e:
        case str():
            return leaves[e]
        case int() | float():
            return sg.constant(e)
        case (">>", a, b):
            return diagram(a, leaves, real) >> (diagram(b, leaves, real) & 3)
        case ("max", a, b):
            return sg.map2(pl.max, diagram(a, leaves, real), diagram(b, leaves, real))
        case ("*", a, b) if not real:
            # So that nothing grows beyond 64 bits.
            product = sg.map2(operator.mul, diagram(a, leaves, real), diagram(b, leaves, real))
            return sg.map(lambda x: (x & 0xFFFFFFF) - 999, product)
        case ("+" | "-" | "*" as op, a, b):
            f = {"+": operator.add, "-": operator.sub, "*": operator.mul}[op]
            return sg.map2(f, diagram(a, leaves, real), diagram(b, leaves, real))
        case ("filter", a, kernel):
            return sg.filter(diagram(a, leaves, real), kernel, [1 + zero] * len(kernel))
        case (word, a):
            s = diagram(a, leaves, real)
            if word == "delay1":
                return sg.delay1(s, 1 + zero)
            if word == "delay":
                return sg.delay(s, 3, 2 + zero)
            if word == "scan":
                return sg.scan(s, zero, lambda r, x: x - r)
            if word == "shared":
                return s + sg.delay1(s, zero) + s
            if word == "later":
                return sg.scan(s, 7, lambda r, x: (r * 5 + x) % 31)
            if word == "floor":
                return sg.map(lambda x: x - pl.floor(x), s)
            if word == "choose":
                return sg.map(lambda x: sg.choose(x < 0.25, lambda: x, lambda: -x), s)
            if real:
                place = sg.map(lambda x: sg.to_integer(x * 8.0) & 15, s)
                return sg.lut(WAVE, place)
            return sg.lut(TABLE, s & 15)


def integers(e, source):
    """Integers that feed back, and never grow beyond 16 bits on the way round."""

    def body(y):
        last = sg.map(lambda v: v & 0x7FFF, sg.delay1(y, 1))
        return diagram(e, {"x": source, "y": last, "n": sg.count()}, real=False)

    return sg.rec(body)


def reals(e, source):
    """Real numbers that feed back."""

    def body(y):
        last = sg.map(lambda v: pl.max(-2.0, pl.min(v, 2.0)), sg.delay1(y, 0.5))
        return diagram(e, {"x": source, "y": last, "noise": sg.noise(3)}, real=True)

    return sg.rec(body)


def in_memory(words, bits=16 * FRAMES):
    return sg.memory(words, 0, bits, 16, 16, signed=True)


@settings(max_examples=fewer(25), deadline=None)
@given(INTEGERS)
def test_integers_copied_to_memory(e):
    def program(source, target, bits):
        sg.copy(integers(e, in_memory(source, bits)), in_memory(target, bits))

    plain, found = np.zeros(64, np.uint16), np.zeros(64, np.uint16)
    program(sg.Memory("in", 16, SAMPLES), sg.Memory("out", 16, plain), 16 * FRAMES)
    residual = specialize(program, sg.Memory("in", 16), sg.Memory("out", 16), cyclic(16, "count"))
    arrays = {n: m.data.copy() for n, m in residual.memories.items() if m.data is not None}
    arrays |= {"in": SAMPLES} if "in" in residual.memories else {}
    compile_program(residual)({**arrays, "out": found}, count=FRAMES)
    assert (found == plain).all()


@settings(max_examples=15, deadline=None)
@given(INTEGERS, st.integers(1, FRAMES - 1))
def test_integers_in_blocks_and_plain(e, cut):
    def make():
        return integers(e, in_memory(sg.Memory("in", 16, SAMPLES)))

    plain = [float(x) for x in make().take(FRAMES)]
    player = sg.Player(make(), format="pcm_f64le")
    found = [player.play(n).view(np.float64) for n in (cut, FRAMES - cut)]
    assert np.concatenate(found).tolist() == plain


@settings(max_examples=fewer(25), deadline=None)
@given(REALS, st.lists(st.integers(1, FRAMES), max_size=4))
def test_real_numbers_in_one_block_in_many_and_plain(e, cuts):
    def make():
        (source,) = sg.Recording(SAMPLES[:FRAMES], "pcm_s16le").channels
        return reals(e, source)

    plain = make().take(FRAMES) if make().left() is None or make().left() >= FRAMES else None
    whole = sg.samples(make(), frames=FRAMES)[:, 0]
    player = sg.Player(make(), format="pcm_f64le")
    ends = sorted({0, *cuts, FRAMES})
    blocks = [player.play(b - a).view(np.float64) for a, b in itertools.pairwise(ends)]
    assert np.concatenate(blocks).tobytes() == whole.tobytes()
    if plain is not None:
        assert np.array(plain, np.float64).tobytes() == whole.tobytes()
    assert player.position == FRAMES


@pytest.mark.parametrize("backend", ["numpy", "llvm", "c"])
def test_every_back_end_sounds_the_same(backend):
    def voice():
        phase = sg.scan(sg.constant(0.013), 0.0, lambda p, step: pl.fraction(p + step))
        own = sg.rec(lambda y: sg.map2(lambda p, m: pl.sin(6.25 * p + m), phase, 0.5 * sg.delay1(y, 0.0)))
        return own * sg.rec(lambda e: 0.99 * sg.delay1(e, 1.0)) + 0.1 * sg.delay(sg.noise(), 5)

    plain = np.array(voice().take(30))
    for frames in ([30], [1, 9, 20]):
        player = sg.Player(voice(), format="pcm_f64le", meter=True, backend=backend)
        found = np.concatenate([player.play(n).view(np.float64) for n in frames])
        assert found.tobytes() == plain.tobytes()
        assert player.peak == np.abs(plain).max()


def test_a_long_line_and_many_blocks():
    def voice():
        return sg.rec(lambda y: sg.noise(2) * 0.5 + 0.7 * sg.delay(y, 1000) - 0.2 * sg.delay(y, 129))

    whole = sg.samples(voice(), frames=5000)
    player = sg.Player(voice(), format="pcm_f64le")
    blocks = [player.play(n).view(np.float64) for n in (1, 127, 128, 872, 3872)]
    assert np.concatenate(blocks).tobytes() == whole.tobytes()
    # By hand, in the order in which the diagram adds.
    noise, y = np.array(sg.noise(2).take(5000)), np.zeros(6000)
    for k in range(5000):
        y[1000 + k] = noise[k] * 0.5 + 0.7 * y[k] - 0.2 * y[1000 + k - 129]
    assert (whole[:, 0] == y[1000:]).all()


def test_an_effect_takes_its_input_block_by_block():
    data = SAMPLES.tobytes()
    recording = sg.Recording(data, "pcm_s16le", channels=2)

    def effect(left, right):
        return sg.rec(lambda a, b: (left + 0.5 * sg.delay(b, 7), right - 0.5 * sg.delay1(a, 0.0)))

    whole = sg.Player(*effect(*recording.channels), format="pcm_s24be").play(32)
    player = sg.Player(*effect(*sg.live("pcm_s16le", channels=2).channels), format="pcm_s24be")
    blocks = [player.play(n, input=data[4 * a : 4 * (a + n)]) for a, n in ((0, 5), (5, 1), (6, 26))]
    assert np.concatenate(blocks).tobytes() == whole.tobytes()
    plain = sg.signal.together(*effect(*recording.channels)).take(32)
    half = 1 << 23
    saturated = [[min(max(int(np.floor(x * half + 0.5)), -half), half - 1) for x in xs] for xs in plain]
    assert whole.tobytes() == b"".join(n.to_bytes(3, "big", signed=True) for xs in saturated for n in xs)


def test_a_control_is_set_between_blocks():
    player = sg.Player(sg.control("gain", 0.5) * sg.constant(1.0) + sg.control("more", 0), format="pcm_f64le")
    assert dict(player.controls) == {"gain": 0.5, "more": 0}
    assert player.play(2).view(np.float64).tolist() == [0.5, 0.5]
    player.set("gain", 0.25)
    assert player.play(1).view(np.float64).tolist() == [0.25]
    with pytest.raises(InputError, match="no control is called 'gian'; did you mean 'gain'"):
        player.set("gian", 1)
    with pytest.raises(
        InputError, match=r"set more: 0\.5 is no whole number of 64 bits; begin it with 0\.0 for real ones"
    ):
        player.set("more", 0.5)
    with pytest.raises(InputError, match="set gain: 'loud' is no finite number; give a number"):
        player.set("gain", "loud")
    player.set("more", 2.0)
    assert player.play(1).view(np.float64).tolist() == [2.25]
    with pytest.raises(InputError, match="no control is called 'gain'; it has none"):
        sg.Player(sg.noise()).set("gain", 1)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf"), 10**400])
def test_a_control_is_set_to_finite_numbers(value):
    player = sg.Player(sg.control("gain", 0.5) + sg.control("more", 0), format="pcm_f64le")
    for name in ("gain", "more"):
        with pytest.raises(InputError, match=f"set {name}: .* is no (finite|whole) number"):
            player.set(name, value)
    with pytest.raises(InputError, match="set more: 9223372036854775808 is no whole number of 64 bits"):
        player.set("more", 1 << 63)
    assert player.play(1).view(np.float64).tolist() == [0.5]
    with pytest.raises(InputError, match=r"is not (finite|a number of 64 bits)"):
        sg.control("gain", value)


UNUSUAL = st.sampled_from([2.0, -3.0, 1e308, -1e308, 5e-324, -0.0, float("inf"), -float("inf"), float("nan")])


@settings(max_examples=fewer(20), deadline=None)
@given(
    UNUSUAL,
    UNUSUAL,
    st.lists(st.integers(1, FRAMES), max_size=3),
    st.sampled_from(["pcm_f64le", "pcm_s16le"]),
)
def test_states_that_are_not_finite_play_on(gain, first, cuts, format):
    def make():
        return sg.rec(lambda y: gain * sg.delay1(y, first)), sg.scan(
            sg.constant(first), 0.0, lambda r, x: r - x
        )

    whole = sg.Player(*make(), format=format, meter=True)
    expected = whole.play(FRAMES).tobytes()
    player = sg.Player(*make(), format=format, meter=True)
    ends = sorted({0, *cuts, FRAMES})
    found = b"".join(player.play(b - a).tobytes() for a, b in itertools.pairwise(ends))
    assert found == expected
    assert np.array(player.peak).tobytes() == np.array(whole.peak).tobytes()


def test_a_sound_that_overflows_plays_as_one_call_would():
    player = sg.Player(sg.rec(lambda y: 2.0 * sg.delay1(y, 1.0)), format="pcm_s16le")
    blocks = player.play(1500).tobytes() + player.play(1500).tobytes()
    assert (
        blocks
        == sg.Player(sg.rec(lambda y: 2.0 * sg.delay1(y, 1.0)), format="pcm_s16le").play(3000).tobytes()
    )
    assert player.position == 3000


def test_a_table_is_changed_between_blocks():
    wave = sg.Cells("turned", np.array([0.0, 1.0]))
    player = sg.Player(sg.lut(wave, sg.count() & 1), format="pcm_f64le")
    first = player.play(3).view(np.float64).tolist()
    wave.data[:] = [0.25, -1.0]
    assert [*first, *player.play(3).view(np.float64)] == [0.0, 1.0, 0.0, -1.0, 0.25, -1.0]


def test_a_sound_is_one_loop_with_its_state_in_registers():
    def body(y):
        phase = sg.scan(sg.constant(0.01), 0.0, lambda p, step: pl.fraction(p + step))
        return sg.map2(lambda p, m: pl.sinpi(2.0 * p + m), phase, sg.delay1(y, 0.0)) + sg.delay(y, 999)

    player = sg.Player(sg.filter(sg.rec(body), [0.5, 0.25], [0.0, 0.0]), sg.noise())
    statements = list(N.walk(player.residual.kernel.body))
    (loop,) = (s for s in statements if isinstance(s, N.For | N.While))
    assert isinstance(loop, N.For)
    assert not any(isinstance(s, N.If | N.Alloc) for s in N.walk(loop.body))
    # What the nodes keep: a phase, two delays, of which one is wired to two places, the noise; and the place in the
    # line goes with the frames.
    scratch = N.scratch(player.residual.kernel.body)
    assert {b.size for b in scratch} == {1}
    assert len(player.state.numbers) == 5


def test_what_begins_as_an_integer_and_becomes_real_is_real():
    y = sg.rec(lambda y: 0.5 * sg.delay1(y, 1) + sg.delay1(sg.delay1(y, 0), 0))
    plain = y.take(9)
    assert sg.samples(y, frames=9)[:, 0].tolist() == plain


def test_truths_are_samples_too():
    def voice():
        loud = sg.map(lambda x: x > 0.3, sg.noise(5))
        changed = sg.map2(lambda a, b: a != b, loud, sg.delay1(loud, False))
        return sg.map(lambda c: sg.choose(c, lambda: 0.5, lambda: -0.5), changed), loud

    plain = [[float(x) for x in c.take(20)] for c in voice()]
    player = sg.Player(*voice(), format="pcm_f64le", meter=True)
    found = np.concatenate([player.play(n) for n in (7, 13)]).view(np.float64).reshape(20, 2)
    assert found.T.tolist() == plain
    assert player.peak == 1.0


@pytest.mark.parametrize(
    ("make", "who"),
    [
        (lambda s: s, "sound"),
        (lambda s: sg.delay1(s, 0), "a delay"),
        (lambda s: sg.delay(s, 5, 0), "a delay"),
        (lambda s: sg.scan(s, 0, lambda r, x: x), "a scan"),
    ],
)
@pytest.mark.parametrize("sample", [None, (1, 2), "loud"])
def test_samples_are_numbers(make, who, sample):
    with pytest.raises(InputError, match=f"and {who} takes numbers; give a number, or return one"):
        sg.Player(make(sg.map(lambda n: sample, sg.count())) if who == "sound" else sg.map(
            lambda x: 0.0, make(sg.map(lambda n: sample, sg.count()))))  # fmt: skip


def test_two_players_of_one_signal_do_not_share_their_delay_lines():
    echo = sg.rec(lambda y: sg.noise() + 0.5 * sg.delay(y, 4))
    one, other = sg.Player(echo), sg.Player(echo)
    first = one.play(50)
    assert (other.play(50) == first).all()
    assert echo.take(3) == echo.take(3)


@pytest.mark.parametrize(
    ("ask", "why"),
    [
        (lambda p: p.play(-1, input=b""), "play: -1 frames; give 0 to"),
        (lambda p: p.play(2.5, input=b""), r"play: 2\.5 frames"),
        (lambda p: p.play(4), "play: input: is missing; give its bytes by its name"),
        (lambda p: p.play(4, input=bytes(3)), "play: input: 3 bytes are not 4 frames of 1"),
        (lambda p: p.play(1, input=b"0", inptu=b"0"), "nothing live is called 'inptu'; did you mean 'input'"),
    ],
)
def test_a_block_that_cannot_be_played_is_refused(ask, why):
    player = sg.Player(sg.live("pcm_u8").channels[0], format="pcm_u8")
    with pytest.raises(InputError, match=why):
        ask(player)
    assert player.position == 0
    assert player.play(0, input=b"").size == 0


@pytest.mark.parametrize(("size", "stride", "word"), [(12, 12, 32), (16, 16, 32), (5, 7, 16), (3, 24, 32)])
def test_memory_of_any_layout_is_played_in_blocks(size, stride, word):
    kind = {16: np.uint16, 32: np.uint32}[word]
    count = SAMPLES.nbytes * 8 // stride - 1

    def voice():
        memory = sg.Memory("in", word, SAMPLES.view(kind))
        return sg.memory(memory, 3, 3 + stride * count, size, stride, signed=True) * 2.0**-size

    plain = voice().take(count)
    player = sg.Player(voice(), format="pcm_f64le")
    found = [player.play(n).view(np.float64) for n in (1, 7, count - 8)]
    assert np.concatenate(found).tolist() == plain


def test_a_diagram_may_be_longer_than_calls_are_deep():
    signal = sg.noise()
    for _ in range(1500):
        signal = sg.map(lambda x: 0.5 * x + 0.25, signal)
    assert sg.samples(signal, frames=3)[:, 0].tolist() == signal.take(3)


def test_memory_that_ends_is_not_read_beyond():
    player = sg.Player(in_memory(sg.Memory("in", 16, SAMPLES)) * 2.0**-15, format="pcm_s16le")
    assert player.play(20).tobytes() == SAMPLES[:20].tobytes()
    with pytest.raises(InputError, match="5 frames from 20 on, and a signal in memory has 24; play fewer"):
        player.play(5)
    assert player.play(4).tobytes() == SAMPLES[20:24].tobytes()
    # From its second sample on, and in tiles.
    later = sg.Player(in_memory(sg.Memory("in", 16, SAMPLES)).next() * 2.0**-15, format="pcm_s16le")
    assert later.play(23).tobytes() == SAMPLES[1:24].tobytes()
    with pytest.raises(InputError, match="1 frames from 23 on, and a signal in memory has 23"):
        later.play(1)
    tiles = sg.Player(sg.sum_tile(0, in_memory(sg.Memory("in", 16, SAMPLES), 16 * 20), 5), format="pcm_f64le")
    assert tiles.play(4).view(np.float64).tolist() == [
        float(SAMPLES[k : k + 5].view(np.int16).astype(int).sum()) for k in range(0, 20, 5)
    ]
    with pytest.raises(InputError, match="a signal in memory has 4"):
        tiles.play(1)
