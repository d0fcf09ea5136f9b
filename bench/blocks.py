"""Filters in blocks of 128 frames, as sound cards ask for them: against SciPy's `sosfilt` in the same process."""

from __future__ import annotations

import numpy as np
from harness import Race
from scipy.signal import sosfilt

from pellucid import signals as sg

RATE, FRAMES, BLOCKS = 48000, 128, 64
REAL_TIME = 1e3 * FRAMES / RATE


def sections(count: int) -> np.ndarray:
    """A graphic equalizer: peaks a third of an octave apart, up and down by turns."""
    found = []
    for k in range(count):
        frequency = 20.0 * 2 ** (k / 3) if count > 3 else (200.0, 1000.0, 5000.0)[k]
        b0, b1, b2, a1, a2 = sg.biquad_coefficients(
            "peaking", frequency, rate=RATE, Q=4.3, gain=6.0 if k % 2 else -6.0
        )
        found.append((b0, b1, b2, 1.0, a1, a2))
    return np.array(found)


def race(title: str, bands: int, channels: int) -> None:
    """So many sections for each of some channels, block by block, with the states kept."""
    sos = sections(bands)
    live = sg.live("float64", channels=channels)
    player = sg.Player(*(sg.sosfilt(c, sos) for c in live.channels), format="float64")
    noise = np.random.default_rng(1).standard_normal((BLOCKS * FRAMES, channels))
    blocks = np.split(noise, BLOCKS)
    found = np.concatenate([player.play(FRAMES, input=b) for b in blocks])
    expected = sosfilt(sos, noise, axis=0)
    away = np.abs(found - expected).max() / np.abs(expected).max()
    out = np.zeros((FRAMES, channels))
    state = np.zeros((bands, 2, channels))
    block = blocks[0]

    def peer() -> None:
        nonlocal state
        _, state = sosfilt(sos, block, axis=0, zi=state)

    contest = Race(f"{title}, blocks of {FRAMES}, {REAL_TIME:.2f} ms of sound each")
    contest.add("SciPy", peer)
    contest.add(
        "player",
        lambda: player.play(FRAMES, out, input=block),
        f"within {away:.1g}" if away < 1e-9 else f"WRONG by {away:.2g}",
    )
    times = contest.run("SciPy", calls=200)
    for name, (least, middle) in times.items():
        print(f"  {name:<28} {REAL_TIME / least:9.1f} {REAL_TIME / middle:9.1f} times real time")


def main() -> None:
    """Check, measure, print."""
    race("Three biquads", 3, 1)
    race("A stereo equalizer of 31 bands", 31, 2)


if __name__ == "__main__":
    main()
