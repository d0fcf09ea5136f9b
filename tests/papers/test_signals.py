"""What Draves's papers ask of signals, by row of docs/lineage.md: 1997 is S, the thesis is T."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.staging.programs import alike, conditionals, inner_loop, loads, operations, stores

import pellucid as pl
from pellucid import signals as sg
from pellucid.driver.program import compile_program
from pellucid.ir import nest as N
from pellucid.ir.text import print_nest
from pellucid.staging import cyclic, lift, loop, specialize, unknown

COUNT = 64
SAMPLES = np.random.default_rng(13).integers(-2000, 2000, COUNT, dtype=np.int16)
SINE = sg.Cells("sine", np.round(2000 * np.sin(2 * np.pi * np.arange(256) / 256)).astype(np.int64))


def sig16(memory: sg.Memory, name: str = "") -> sg.Signal:
    """A signal of 16-bit samples, one after another: of a memory that is there, or one at run time."""
    ends = (cyclic(32, f"{name}0"), cyclic(32, f"{name}1")) if name else (0, 16 * COUNT)
    return sg.memory(memory, *ends, 16, 16, signed=True)


def checked(make: Any, source: np.ndarray = SAMPLES, **arguments: int) -> Any:
    """A diagram copied from memory to memory, as it is, specialized and as machine code; the residual program."""

    def program(words: sg.Memory, out: sg.Memory, names: tuple[str, str], numbers: dict[str, Any]) -> None:
        sg.copy(make(sig16(words, names[0]), **numbers), sig16(out, names[1]))

    plain, found, fast = (np.zeros(COUNT // 2, np.uint32) for _ in range(3))
    words = source.view(np.uint32)
    program(sg.Memory("in", 32, words), sg.Memory("out", 32, plain), ("", ""), arguments)
    dynamic = {n: unknown(n) for n in arguments}
    residual = specialize(program, sg.Memory("in"), sg.Memory("out"), ("a", "b"), dynamic)
    ends = {"a0": 0, "a1": COUNT // 2, "b0": 0, "b1": COUNT // 2}
    given = {n: x for n, x in {**ends, **arguments}.items() if n in {p.attr for p in residual.kernel.params}}
    tables = {n: m.data for n, m in residual.memories.items() if m.data is not None}
    inputs = {"in": words} if "in" in residual.memories else {}
    residual({**tables, **inputs, "out": found}, **given)
    compile_program(residual)({**tables, **inputs, "out": fast}, **given)
    assert (found == plain).all()
    assert (fast == plain).all()
    return residual, plain.view(np.int16)


# ---- S13: the library ----


def test_S13_the_library_is_there_by_its_names():
    four = ("get", "put", "next", "endp")
    makers = ("memory", "constant", "map", "map2", "delay1", "scan", "lut", "sum_tile")
    others = ("copy", "reduce", "filter", "fm_osc", "wavrec")
    for name in (*four, *makers, *others):
        assert callable(getattr(sg, name)), name


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda x: sg.map(lambda v: v + 10, x), SAMPLES + 10),
        (lambda x: sg.map2(lambda v, w: v - 3 * w, x, sg.constant(7)), SAMPLES - 21),
        (lambda x: sg.delay1(x, 99), np.concatenate([[99], SAMPLES[:-1]])),
        (lambda x: sg.scan(x, 5, lambda r, v: r + v), 5 + np.cumsum(SAMPLES.astype(int))),
        (lambda x: sg.lut(SINE, x & 255), SINE.data[SAMPLES & 255]),
        (
            lambda x: sg.filter(x, [3, -2], [10, 20]),
            3 * np.concatenate([[10], SAMPLES[:-1]]) - 2 * np.concatenate([[20, 10], SAMPLES[:-2]]),
        ),
    ],
)
def test_S13_each_box_is_a_loop_of_one_load_and_one_store_for_two_samples(make, expected):
    residual, found = checked(make)
    assert (found == np.asarray(expected).astype(np.int16)).all()
    body = inner_loop(residual.kernel).body
    tables = sum(1 for n in residual.memories if n == "sine")
    assert loads(body, residual.kernel) == 1 + 2 * tables
    assert stores(body, residual.kernel) == 1
    assert not any(isinstance(s, N.If) for s in N.walk(body))


def test_S13_signals_without_an_end_say_true_so_that_the_conjunction_asks_the_others():
    assert sg.endp(sg.constant(1)) is True
    assert sg.endp(sg.rec(lambda y: sg.delay1(y, 0) + 1)) is True
    residual, _ = checked(lambda x: x + sg.count())
    (conditional,) = conditionals(residual.kernel.body)
    assert isinstance(conditional, N.For)


def test_S13_delays_keep_the_length_and_lose_the_last_sample():
    memory = sg.Memory("in", 32, SAMPLES.view(np.uint32))
    delayed = sg.delay1(sg.delay1(sig16(memory), 1), 2)
    assert delayed.left() == COUNT
    assert delayed.take(COUNT) == [2, 1, *SAMPLES[:-2]]


def test_S13_tiles_are_summed_and_signals_reduced():
    def program(words, start, stop):
        tiles = sg.sum_tile(0, sg.memory(words, start, stop, 16, 16), 4)
        return sg.reduce(tiles, 0, lambda r, x: r * 3 + x & 0xFFFFFF)

    words = SAMPLES.view(np.uint32)
    residual = specialize(program, sg.Memory("in"), cyclic(32, "a"), cyclic(32, "b"))
    plain = program(sg.Memory("in", 32, words), 0, 16 * COUNT)
    assert alike(residual)({"in": words}, a=0, b=COUNT // 2) == plain
    tiles = SAMPLES.view(np.uint16).reshape(-1, 4).sum(axis=1)
    total = 0
    for x in tiles:
        total = total * 3 + int(x) & 0xFFFFFF
    assert plain == total
    body = inner_loop(residual.kernel).body
    assert loads(body, residual.kernel) == 2


def test_S13_a_filter_is_delays_maps_and_sums():
    signal = sg.filter(sg.count(), [1, 2, 3], [0, 0, 0])
    names = sorted(n.name for n in sg.node.reached([signal.node]))
    assert names == ["constant", "delay", "delay", "delay", *["map"] * 5, "scan"]


@pytest.mark.parametrize(
    "make",
    [
        lambda step: sg.fm_osc(sg.constant(step), 6, SINE, 8, sg.constant(0), 0),
        lambda step: sg.fm_osc(
            sg.constant(step), 6, SINE, 8, sg.fm_osc(sg.constant(900), 6, SINE, 8, sg.constant(0), 0), 4
        ),
        lambda step: sg.wavrec(sg.constant(step), 6, SINE, 8, 5),
    ],
)
def test_S13_oscillators_are_one_loop_with_their_phase_in_a_register(make):
    residual, found = checked(lambda _, step: make(step), step=1234)
    body = inner_loop(residual.kernel).body
    assert len(set(found)) > 20
    assert not any(isinstance(s, N.If | N.While) for s in N.walk(body))
    assert stores(body, residual.kernel) == 1


def test_S13_recursion_is_general():
    # Two poles, and an echo behind them, as the block diagram has them.
    def diagram(x):
        def poles(y):
            last = sg.delay1(y, 0)
            return x + ((3 * last - 2 * sg.delay1(last, 0)) >> 2)

        filtered = sg.rec(poles)
        return sg.rec(lambda z: filtered + (sg.delay(z, 5, 0) >> 1))

    residual, found = checked(diagram)
    y, z = [0, 0], [0] * 5
    for x in SAMPLES.tolist():
        y.append(x + ((3 * y[-1] - 2 * y[-2]) >> 2))
        z.append(y[-1] + (z[-5] >> 1))
    assert found.tolist() == np.array(z[5:]).astype(np.int16).tolist()
    assert sum(isinstance(s, N.For | N.While) for s in N.walk(residual.kernel.body)) == 1
    # Strings and feedback in real numbers are in tests/signals.
    period = 9
    line = sg.noise().take(period)
    string = sg.rec(lambda y: 0.498 * (sg.delay(y, period, line) + sg.delay1(sg.delay(y, period, line), 0.0)))
    assert sg.samples(string, frames=40)[:, 0].tolist() == string.take(40)


# ---- T7, T8: the figures of the thesis ----


def test_T7_filter5_of_the_thesis():
    kernel = [2, 5, 7, 5, 2]

    def filter5(x, **prefix):
        return sg.filter(x, kernel, [prefix[n] for n in "abcde"])

    numbers = dict(zip("abcde", (10, -20, 30, -40, 50), strict=True))
    residual, found = checked(filter5, **numbers)
    text = print_nest(residual.kernel)
    assert text == (Path(__file__).parent / "golden" / "filter5.nest").read_text(encoding="utf-8")
    before = np.concatenate([list(numbers.values())[::-1], SAMPLES.astype(int)])
    expected = [np.dot(kernel, before[k : k + 5][::-1]) for k in range(COUNT)]
    assert (found == np.array(expected).astype(np.int16)).all()
    # The prefix is dynamic, the kernel is not: products by constants, and two samples for a word in and a word out.
    assert {"a", "b", "c", "d", "e"} <= {p.attr for p in residual.kernel.params}
    body = inner_loop(residual.kernel).body
    assert (loads(body, residual.kernel), stores(body, residual.kernel)) == (1, 1)
    assert not any(isinstance(s, N.If) for s in N.walk(body))
    assert operations(body, "mul") <= 2 * 5 + 2


def oscillator(step: int, modulator: sg.Signal) -> sg.Signal:
    return sg.fm_osc(sg.constant(step), 6, SINE, 8, modulator, 3)


def two_in_one(x: sg.Signal) -> sg.Signal:
    """The voice on the left of figure "fm": a and b sum to modulate c, and feed back into a."""
    b = oscillator(711, sg.constant(0))
    both = sg.rec(lambda both: oscillator(523, sg.delay1(both, 0)) + b)
    return oscillator(1201, both)


def wired_otherwise(x: sg.Signal) -> sg.Signal:
    """Another possibility: a modulates b and c, c is fed back into a, and both are heard."""
    a, b = sg.rec(
        lambda a, c: (oscillator(523, sg.delay1(c, 0)), oscillator(1201, a) + sg.delay(c, 3, 0) // 4)
    )
    return (b + oscillator(711, a)) >> 1


@pytest.mark.parametrize("voice", [two_in_one, wired_otherwise])
def test_T8_voices_are_wired_by_their_users(voice):
    residual, found = checked(voice)
    assert len(set(found.tolist())) > 20
    assert sum(isinstance(s, N.For | N.While) for s in N.walk(residual.kernel.body)) == 1


def test_T8_the_voice_on_the_left_is_what_its_picture_says():
    table = SINE.data.tolist()

    def place(phase, modulator):
        return table[(phase >> 6) + (modulator >> 3) & 255]

    _, found = checked(two_in_one)
    both, expected = 0, []
    for k in range(COUNT):
        both = place(523 * k, both) + place(711 * k, 0)
        expected.append(place(1201 * k, both))
    assert found.tolist() == expected


def test_T8_a_voice_in_real_numbers_has_parameters_to_turn():
    def voice():
        ratio = sg.control("ratio", 1.5)
        phase = sg.scan(sg.constant(0.01), 0.0, lambda p, step: pl.fraction(p + step))
        other = sg.scan(0.01 * ratio, 0.0, lambda p, step: pl.fraction(p + step))
        modulator = sg.map(lambda p: pl.sinpi(2.0 * p), other)
        return sg.map2(lambda p, m: pl.sinpi(2.0 * p + m), phase, modulator)

    player = sg.Player(voice(), format="pcm_f64le")
    first = player.play(50).view(np.float64).tolist()
    assert first == voice().take(50)
    player.set("ratio", 2.0)
    assert player.play(50).view(np.float64).tolist() != sg.samples(voice(), frames=100)[50:, 0].tolist()


def test_T8_loops_of_users_hold_signals_too():
    # The little interpreter of a user: a loop over any signals, with its own state beside them.
    def program(words, start, stop, least):
        signal = sg.delay1(sg.memory(words, start, stop, 16, 16, signed=True), 0)

        def step(s, loud):
            x, s = s.step()
            return s, loud + sg.choose(x > least, lambda: 1, lambda: 0)

        return loop(lambda s, loud: s.endp(), step, signal.lifted(), lift(0))[1]

    words = SAMPLES.view(np.uint32)
    residual = specialize(program, sg.Memory("in"), cyclic(32, "a"), cyclic(32, "b"), unknown("least"))
    plain = program(sg.Memory("in", 32, words), 0, 16 * COUNT, 100)
    found = alike(residual)({"in": words}, a=0, b=COUNT // 2, least=100)
    assert found == plain == int((SAMPLES[:-1] > 100).sum())
