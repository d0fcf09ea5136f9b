"""Filters: against SciPy, against recurrences by hand, and against what the cookbook promises of each kind."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from pellucid import signals as sg
from pellucid.base.errors import InputError

scipy_signal = pytest.importorskip("scipy.signal")
RATE = 48000
NOISE = np.random.default_rng(8).standard_normal(64)


def source():
    return sg.Recording(NOISE, "float64").channels[0]


def response(coefficients, frequency):
    """How much a section changes a sine, as a complex factor."""
    b0, b1, b2, a1, a2 = coefficients
    z = np.exp(-2j * math.pi * frequency / RATE)
    return (b0 + b1 * z + b2 * z * z) / (1 + a1 * z + a2 * z * z)


def db(coefficients, frequency):
    return 20 * math.log10(abs(response(coefficients, frequency)))


@pytest.mark.parametrize(("frequency", "Q"), [(1000, 0.7), (60, 4.3), (20000, 0.5)])
def test_a_biquad_does_what_its_kind_promises(frequency, Q):
    def made(kind, gain=0.0):
        return sg.biquad_coefficients(kind, frequency, rate=RATE, Q=Q, gain=gain)

    nyquist, none = RATE / 2, 1e-4
    assert db(made("lowpass"), none) == pytest.approx(0, abs=1e-6)
    assert abs(response(made("lowpass"), nyquist)) < 1e-9
    assert abs(response(made("highpass"), nyquist)) == pytest.approx(1)
    assert abs(response(made("highpass"), none)) < 1e-6
    for kind in ("lowpass", "highpass"):
        assert abs(response(made(kind), frequency)) == pytest.approx(Q)
    assert response(made("bandpass"), frequency) == pytest.approx(1)
    assert abs(response(made("notch"), frequency)) < 1e-9
    assert all(abs(response(made("allpass"), f)) == pytest.approx(1) for f in (10, frequency, 9000))
    assert response(made("allpass"), frequency) == pytest.approx(-1)
    for gain in (6.0, -9.0):
        assert db(made("peaking", gain), frequency) == pytest.approx(gain)
        assert db(made("peaking", gain), none) == pytest.approx(0, abs=1e-6)
        assert db(made("lowshelf", gain), none) == pytest.approx(gain)
        assert db(made("lowshelf", gain), nyquist) == pytest.approx(0, abs=1e-6)
        assert db(made("highshelf", gain), nyquist) == pytest.approx(gain)
        assert db(made("highshelf", gain), none) == pytest.approx(0, abs=1e-6)
        for kind in ("lowshelf", "highshelf"):
            assert db(made(kind, gain), frequency) == pytest.approx(gain / 2)


def test_a_biquad_of_butterworth_is_that_of_scipy():
    b, a = scipy_signal.butter(2, 1500, fs=RATE)
    found = sg.biquad_coefficients("lowpass", 1500, rate=RATE)
    np.testing.assert_allclose(found, [*b, *a[1:]], rtol=1e-12)
    b, a = scipy_signal.iirnotch(700, 5.0, fs=RATE)
    # SciPy's is of -3 dB at the same width, by another formula: nearly the same at low frequencies.
    np.testing.assert_allclose(
        sg.biquad_coefficients("notch", 700, rate=RATE, Q=5.0), [*b, *a[1:]], rtol=1e-3
    )


def test_sections_are_those_of_scipy_and_the_recurrence_bit_for_bit():
    sos = scipy_signal.butter(6, 5000, fs=RATE, output="sos")
    found = np.array(sg.sosfilt(source(), sos).take(64))
    np.testing.assert_allclose(found, scipy_signal.sosfilt(sos, NOISE), rtol=1e-12, atol=1e-14)
    x = NOISE.copy()
    for b0, b1, b2, _, a1, a2 in sos:
        z0 = z1 = 0.0
        for k, v in enumerate(x.tolist()):
            y = b0 * v + z0
            z0, z1 = b1 * v - a1 * y + z1, b2 * v - a2 * y
            x[k] = y
    assert found.tobytes() == x.tobytes()
    player = sg.Player(sg.sosfilt(sg.live("float64").channels[0], sos), format="float64")
    blocks = [player.play(input=NOISE[a:b]) for a, b in itertools.pairwise((0, 1, 30, 64))]
    assert np.concatenate(blocks).tobytes() == found.tobytes()
    # Two numbers for each section, and the live recording's own.
    assert len(player.state.numbers) == 2 * len(sos) + 2


@pytest.mark.parametrize(
    "kind", ["lowpass", "highpass", "bandpass", "notch", "allpass", "peaking", "lowshelf", "highshelf"]
)
def test_a_biquad_whose_numbers_are_signals_is_one_whose_numbers_are_known(kind):
    known = sg.biquad(source(), kind, 3000.0, rate=RATE, Q=2.0, gain=4.0).take(64)
    moving = sg.biquad(
        source(), kind, sg.constant(3000.0), rate=RATE, Q=sg.constant(2), gain=sg.constant(4.0)
    )
    np.testing.assert_allclose(moving.take(64), known, rtol=1e-12, atol=1e-13)


def test_a_filter_is_swept_sample_by_sample():
    frequency = sg.count(1) * 300.0
    swept = sg.biquad(source(), "lowpass", frequency, rate=RATE, Q=3.0)
    z0 = z1 = 0.0
    expected = []
    for k, x in enumerate(NOISE.tolist()):
        b0, b1, b2, a1, a2 = sg.biquad_coefficients("lowpass", 300.0 * (k + 1), rate=RATE, Q=3.0)
        y = b0 * x + z0
        z0, z1 = b1 * x - a1 * y + z1, b2 * x - a2 * y
        expected.append(y)
    plain = swept.take(64)
    np.testing.assert_allclose(plain, expected, rtol=1e-10)
    assert sg.samples(swept, frames=64)[:, 0].tolist() == plain
    # Beyond half of the rate it is limited, and what is no number is as low as can be.
    wild = sg.biquad(source(), "lowpass", sg.constant(1e9), rate=RATE, Q=sg.constant(-1.0)).take(64)
    assert np.isfinite(wild).all()
    loud, known = (
        sg.biquad(source(), "peaking", 3000, rate=RATE, gain=gain).take(64)
        for gain in (sg.constant(math.inf), 1000)
    )
    np.testing.assert_allclose(loud, known, rtol=1e-9)


def test_one_pole_is_its_recurrence_and_its_half_is_the_rest():
    low, high = (sg.onepole(source(), 900, rate=RATE, kind=k) for k in ("lowpass", "highpass"))
    p = math.exp(-2 * math.pi * 900 / RATE)
    expected = scipy_signal.lfilter([1 - p], [1, -p], NOISE)
    np.testing.assert_allclose(low.take(64), expected, rtol=1e-10)
    np.testing.assert_allclose(high.take(64), NOISE - expected, rtol=1e-9)
    moving = sg.onepole(source(), sg.constant(900.0), rate=RATE)
    np.testing.assert_allclose(moving.take(64), expected, rtol=1e-10)


X = sg.constant(0.0)


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda: sg.biquad(X, "lowpas", 100, rate=RATE), "no filter is called 'lowpas'; did you mean 'lowpass'"),
        (lambda: sg.biquad(X, "lowpass", 24000, rate=RATE), "24000 is not a frequency above 0 and below 24000; give"),
        (lambda: sg.biquad(X, "lowpass", float("nan"), rate=RATE), "nan is not a frequency"),
        (lambda: sg.biquad(X, "lowpass", "high", rate=RATE), "'high' is not a frequency"),
        (lambda: sg.biquad(X, "lowpass", 100, rate=0), "rate: 0 is not a sample rate; give hertz, such as 48000"),
        (lambda: sg.biquad(X, "lowpass", X, rate=None), "rate: None is not a sample rate"),
        (lambda: sg.biquad(X, "lowpass", 100, rate=RATE, Q=0), "Q: 0 is not a quality above 0; give a number"),
        (lambda: sg.biquad(X, "peaking", X, rate=RATE, gain=5000), "gain: 5000 is not a gain of -1000 to 1000 dB"),
        (lambda: sg.biquad(3, "lowpass", 100, rate=RATE), "biquad: signal: 3 is not a signal"),
        (lambda: sg.biquad_coefficients(None, 100, rate=RATE), "kind: None is not text"),
        (lambda: sg.biquad_coefficients("band", 100, rate=RATE), "no filter is called 'band'; "),
        (lambda: sg.biquad_coefficients("peaking", 100, rate=RATE, gain=-1001), "gain: -1001 is not a gain of -1000"),
        (lambda: sg.biquad(X, "lowpass", 0, rate=RATE, Q=X), "0 is not a frequency above 0"),
        (lambda: sg.biquad(X, "lowpas", X, rate=RATE), "did you mean 'lowpass'"),
        (lambda: sg.onepole(X, X, rate=-1), "onepole: rate: -1 is not a sample rate"),
        (lambda: sg.sosfilt(X, [1, 2, 3]), "is not an array of shape .n, 6.; design it with scipy.signal"),
        (lambda: sg.sosfilt(X, "low"), "'low' is not an array of shape"),
        (lambda: sg.sosfilt(X, [[1, 0, 0, 2, 0, 0]]), "or its a0 is not 1; divide each row by its fourth number"),
        (lambda: sg.sosfilt(X, [[1, 0, float("inf"), 1, 0, 0]]), "a section is not finite"),
        (lambda: sg.onepole(X, 100, rate=RATE, kind="low"), "no filter is called 'low'; "),
        (lambda: sg.onepole(X, 0, rate=RATE), "0 is not a frequency above 0"),
    ],
)  # fmt: skip
def test_what_is_no_filter_is_refused(make, why):
    with pytest.raises(InputError, match=why):
        make()
