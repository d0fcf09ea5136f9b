"""Ramps, envelopes, delays that move, and operators on signals: against recurrences in plain Python."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pellucid as pl
from pellucid import signals as sg
from pellucid.base.errors import InputError

NOISE = np.random.default_rng(9).uniform(-1, 1, 80)


def source(values=NOISE):
    return sg.Recording(np.asarray(values, np.float64), "float64").channels[0]


def compiled(signal, frames):
    """The samples as machine code computes them, in two blocks."""
    player = sg.Player(signal, format="float64")
    return [*player.play(7)[:, 0].tolist(), *player.play(frames - 7)[:, 0].tolist()]


def test_smooth_approaches_by_a_time_constant():
    level, expected = 0.25, []
    p = math.exp(-1 / 20)
    for x in NOISE.tolist():
        level = x + p * (level - x)
        expected.append(level)
    signal = sg.smooth(source(), 0.02, rate=1000, first=0.25)
    assert signal.take(80) == expected == compiled(signal, 80)


def test_a_ramp_reaches_each_value_in_time():
    values = [0.0] * 3 + [1.0] * 8 + [0.5] * 2 + [-1.0] * 9
    signal = sg.ramp(source(values), 4, 0.0)
    found = signal.take(22)
    assert found[:3] == [0, 0, 0]
    assert found[3:11] == [0.25, 0.5, 0.75, 1, 1, 1, 1, 1]
    # Halfway to 0.5 it is sent elsewhere.
    assert found[11:13] == [0.875, 0.75]
    assert found[13:] == [0.3125, -0.125, -0.5625, -1, -1, -1, -1, -1, -1]
    assert compiled(signal, 22) == found
    odd = sg.ramp(sg.constant(0.1), 3, 0.0).take(4)
    assert odd[2:] == [0.1, 0.1]


def test_a_control_is_ramped_over_the_ends_of_blocks():
    player = sg.Player(sg.control("gain", 0.5, ramp=4) * 1.0, format="float64")
    assert player.play(2)[:, 0].tolist() == [0.5, 0.5]
    player.set("gain", 1.5)
    found = [*player.play(3)[:, 0].tolist(), *player.play(3)[:, 0].tolist()]
    assert found == [0.75, 1.0, 1.25, 1.5, 1.5, 1.5]
    assert dict(player.controls) == {"gain": 1.5}
    player.reset()
    assert player.play(5)[:, 0].tolist() == [0.75, 1.0, 1.25, 1.5, 1.5]


def test_an_envelope_has_its_four_parts_and_may_begin_again():
    gates = [0, 1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0]
    signal = sg.adsr(source(gates), attack=0.002, decay=0.004, sustain=0.5, release=0.008, rate=1000)
    found = signal.take(19)
    assert found[:8] == [0, 0.5, 1, 0.875, 0.75, 0.625, 0.5, 0.5]
    assert found[8:10] == [0.375, 0.25]
    assert found[10:13] == [0.75, 1.0, 0.875]
    assert found[13:] == [0.75, 0.625, 0.5, 0.375, 0.25, 0.125]
    assert compiled(signal, 19) == found
    opened = sg.adsr(source(gates) > 0.0, attack=0.002, decay=0.004, sustain=0.5, release=0.008, rate=1000)
    assert compiled(opened, 19) == opened.take(19) == found
    # Times of nothing are one sample.
    assert sg.adsr(source(gates), attack=0, decay=0, sustain=0.25, release=0, rate=1000).take(10) == [
        0, 1, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0, 0]  # fmt: skip
    # Times of more samples than a float holds never pass.
    assert sg.smooth(source(), 10**308, rate=48000).take(80) == [0.0] * 80
    assert (
        sg.adsr(source(gates), attack=10**308, decay=0, sustain=1, release=0, rate=48000).take(9) == [0.0] * 9
    )


def test_an_envelope_follows_up_and_down_at_its_own_paces():
    up, down = math.exp(-1 / 2), math.exp(-1 / 30)
    level, expected = 0.0, []
    for x in np.abs(NOISE).tolist():
        level = x + (up if x > level else down) * (level - x)
        expected.append(level)
    signal = sg.envelope_follower(source(), attack=0.002, release=0.03, rate=1000)
    assert signal.take(80) == expected == compiled(signal, 80)


# ---- delays that move ----


def lagrange(points, f):
    """The polynomial through values at -1, 0, 1 and 2, at f."""
    return sum(
        y * math.prod((f - q) / (p - q) for q in (-1, 0, 1, 2) if q != p)
        for p, y in zip((-1, 0, 1, 2), points, strict=True)
    )


def delayed(x, times, maximum, interpolation):
    found = []
    least = 2 if interpolation == "cubic" else 1
    padded = np.concatenate([np.zeros(maximum + 4), x])
    for k, asked in enumerate(times):
        ago = min(max(asked, least), maximum)
        at = k + maximum + 4
        if interpolation == "nearest":
            found.append(padded[at - math.floor(ago + 0.5)])
            continue
        whole, f = math.floor(ago), ago - math.floor(ago)
        points = [padded[at - whole - d] for d in (-1, 0, 1, 2)]
        found.append(
            points[1] + f * (points[2] - points[1]) if interpolation == "linear" else lagrange(points, f)
        )
    return found


@pytest.mark.parametrize("interpolation", ["nearest", "linear", "cubic"])
@pytest.mark.parametrize("maximum", [5, 200])
def test_a_delay_moves_and_is_read_between_samples(interpolation, maximum):
    times = 3.0 + 2.9 * np.sin(np.arange(80) / 3) + np.arange(80) * (maximum / 60)
    signal = sg.variable_delay(source(), source(times), maximum, interpolation)
    found = signal.take(80)
    np.testing.assert_allclose(found, delayed(NOISE, times, maximum, interpolation), atol=1e-12)
    assert compiled(signal, 80) == found


def test_a_delay_of_a_fraction_keeps_a_line_and_a_cubic_one_a_cubic():
    ramp = sg.count() * 1.0
    assert sg.variable_delay(ramp, 2.5, 8).take(9)[3:] == [0.5, 1.5, 2.5, 3.5, 4.5, 5.5]
    cube = ramp**3
    found = sg.variable_delay(cube, 3.25, 8, "cubic").take(20)[6:]
    np.testing.assert_allclose(found, [(k - 3.25) ** 3 for k in range(6, 20)], rtol=1e-12)


def test_a_diagram_leads_back_through_a_delay_that_moves():
    signal = sg.rec(lambda y: source() + 0.5 * sg.variable_delay(y, 9.5, 20))
    expected = [0.0] * 80
    for k, x in enumerate(NOISE.tolist()):
        a, b = (expected[k - d] if k >= d else 0.0 for d in (9, 10))
        expected[k] = x + 0.5 * (a + 0.5 * (b - a))
    assert signal.take(80) == expected == compiled(signal, 80)
    with pytest.raises(InputError, match="a loop of the diagram has no delay"):
        sg.rec(lambda y: sg.variable_delay(source(), y, 20))


def test_a_delay_that_is_no_number_is_as_short_as_can_be():
    for asked, ago in ((float("nan"), 1), (-5.0, 1), (float("inf"), 9)):
        found = sg.variable_delay(source(), sg.constant(asked), 9).take(20)
        assert found[ago:] == NOISE[: 20 - ago].tolist()


# ---- operators ----


def test_operators_are_those_of_the_samples():
    x, y = source(), source(NOISE[::-1])
    a, b = NOISE, NOISE[::-1]
    cases = [
        (abs(x), np.abs(a)),
        (x > y, a > b),
        (x <= 0.25, a <= 0.25),
        (0.25 <= x, a >= 0.25),
        (x == y, a == b),
        (x != 0.25, a != 0.25),
        (np.float32(0.5) * x, 0.5 * a),
        (sg.where(pl.floor(x), x, 0.5), np.where(np.floor(a), a, 0.5)),
        (sg.where(x < y, x, 0.5), np.where(a < b, a, 0.5)),
        (pl.min(x, y), np.minimum(a, b)),
        (pl.max(0.1, x), np.maximum(a, 0.1)),
        (pl.clamp(x, -0.5, 0.5), np.clip(a, -0.5, 0.5)),
        (pl.floor(4.0 * x), np.floor(4 * a)),
        (x**2, a * a),
        (x**5, a * ((a * a) * (a * a))),
        (x**0, np.ones(80)),
    ]
    for k, (signal, expected) in enumerate(cases):
        assert np.array(signal.take(80), np.float64).tobytes() == expected.astype(np.float64).tobytes(), k
    several = np.concatenate(
        [sg.Player(*(s for s, _ in cases[k::2]), format="float64").play(80) for k in (0, 1)], 1
    )
    assert (several == np.stack([e for k in (0, 1) for _, e in cases[k::2]], 1)).all()
    np.testing.assert_allclose((abs(x) ** 0.3).take(80), np.abs(a) ** 0.3, rtol=1e-12)
    np.testing.assert_allclose((2.0**x).take(80), 2.0**a, rtol=1e-12)
    np.testing.assert_allclose(pl.sin(x).take(80), np.sin(a), rtol=1e-12)
    assert (sg.count(-2) ** 3).take(4) == [-8, -1, 0, 1]
    assert abs(sg.count(-2)).take(4) == [2, 1, 0, 1]


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda x: min(x, 0.5), "a signal decides Python's own control flow in .*; use sg.where, pl.min or pl.max"),
        (lambda x: 1 if x > 0 else 2, "a signal decides Python's own control flow"),
        (lambda x: sg.where(x > 0, "loud", x), "'loud' is not a signal; give a signal, or a number"),
        (lambda x: sg.ramp(x, 0, 0.0), "ramp: samples: 0 is not a whole number from 1"),
        (lambda x: sg.control("gain", 0.5, ramp=-1), "control: ramp: -1 is not a whole number from 0"),
        (lambda x: sg.smooth(x, -1, rate=48000), "seconds: -1 is not a time of 0 or more; give seconds, such as 0.01"),
        (lambda x: sg.smooth(x, 1, rate=0), "rate: 0 is not a sample rate"),
        (lambda x: sg.adsr(x, attack=1, decay=1, sustain=2, release=1, rate=1), "sustain: 2 is not 0 to 1"),
        (lambda x: sg.adsr(x, attack=1, decay="slow", sustain=1, release=1, rate=1), "decay: 'slow' is not a time"),
        (lambda x: sg.envelope_follower(x, attack=float("inf"), release=1, rate=1), "attack: inf is not a time"),
        (lambda x: sg.variable_delay(x, 0.5, 9), "a delay of 0.5 samples; give 1 to 9, or a signal"),
        (lambda x: sg.variable_delay(x, 1.5, 9, "cubic"), "a delay of 1.5 samples; give 2 to 9"),
        (lambda x: sg.variable_delay(x, float("nan"), 9), "a delay of nan samples"),
        (lambda x: sg.variable_delay(x, x, 9, "cubik"), "no interpolation is called 'cubik'; did you mean 'cubic'"),
        (lambda x: sg.variable_delay(x, x, 1), "variable_delay: maximum: 1 is not a whole number from 2"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(make, why):
    with pytest.raises(InputError, match=why):
        make(source())
