"""The loops of the tables of 1997, in both groups, as programs on signals. Not a benchmark itself: see specializing.py.

The audio group is on buffers of 2000 bytes of 16-bit samples, the video group on 4000 bytes of mostly 8-bit samples
(Draves 1997, sections "Benchmarks" and "benche"; names that are not in the text are inferred).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pellucid import signals as sg
from pellucid.staging import Memory, Residual, cyclic, specialize

AUDIO, VIDEO = 2000, 4000
FRACTION, SIZE, DEPTH = 8, 8, 4
"""Oscillators: 256 places of a wave, which are counted in 1/256, moved by a sixteenth of the modulator."""


@dataclass(frozen=True)
class Loop:
    """One loop: its program on signals by name, their sizes and strides in bits, how many samples, and its tables."""

    program: Callable[..., Any]
    signals: Mapping[str, tuple[int, int]]
    count: int
    tables: tuple[str, ...] = ()

    def words(self, name: str) -> int:
        """How many words of 32 bits a signal is."""
        return self.count * self.signals[name][1] // 32


def voice(table: Memory, frequency: int, modulator: Any) -> Any:
    """An oscillator of a wave table."""
    return sg.fm_osc(sg.constant(frequency), FRACTION, table, SIZE, modulator, DEPTH)


def iota(out: Any) -> Any:
    """Bytes 0, 1, 2, and so on."""
    return sg.copy(sg.count(), out)


def total(a: Any) -> Any:
    """The sum of a signal."""
    return sg.reduce(a, 0, lambda r, x: r + x)


SIXTEEN, EIGHT = (16, 16), (8, 8)
IN_OUT = {"a": SIXTEEN, "out": SIXTEEN}
LOOPS: dict[str, Loop] = {
    "add 10": Loop(lambda a, out: sg.copy(a + 10, out), IN_OUT, AUDIO // 2),
    "mix": Loop(
        lambda a, b, out: sg.copy(a + b, out), {"a": SIXTEEN, "b": SIXTEEN, "out": SIXTEEN}, AUDIO // 2
    ),
    "filter 2": Loop(lambda a, out: sg.copy(sg.filter(a, [3, 5], [1, 2]), out), IN_OUT, AUDIO // 2),
    "filter 5": Loop(
        lambda a, out: sg.copy(sg.filter(a, [2, 5, 7, 5, 2], [1, 2, 3, 4, 5]), out), IN_OUT, AUDIO // 2
    ),
    "fm 1": Loop(
        lambda a, out, table: sg.copy(voice(table, 700, a), out), IN_OUT, AUDIO // 2, ("table",)
    ),
    "fm 2": Loop(
        lambda out, table: sg.copy(voice(table, 700, voice(table, 300, sg.constant(0))), out),
        {"out": SIXTEEN}, AUDIO // 2, ("table",),
    ),
    "lut": Loop(
        lambda a, out, table: sg.copy(sg.lut(table, a), out), {"a": EIGHT, "out": SIXTEEN}, AUDIO // 2,
        ("table",),
    ),
    "sum 16": Loop(total, {"a": SIXTEEN}, AUDIO // 2),
    "wavrec": Loop(
        lambda out, table: sg.copy(sg.wavrec(sg.constant(700), FRACTION, table, SIZE, DEPTH), out),
        {"out": SIXTEEN}, AUDIO // 2, ("table",),
    ),
    "copy": Loop(sg.copy, {"a": EIGHT, "out": EIGHT}, VIDEO),
    "gaps": Loop(sg.copy, {"a": EIGHT, "out": (8, 16)}, VIDEO),
    "encode": Loop(sg.copy, {"a": (6, 6), "out": EIGHT}, 5328),
    "decode": Loop(sg.copy, {"a": EIGHT, "out": (6, 6)}, 4000),
    "iota": Loop(iota, {"out": EIGHT}, VIDEO),
    "sum": Loop(total, {"a": EIGHT}, VIDEO),
    "sum 12": Loop(total, {"a": (12, 12)}, 2664),
}  # fmt: skip
AUDIO_GROUP = tuple(LOOPS)[:9]
VIDEO_GROUP = tuple(LOOPS)[9:]


def run(program: Callable[..., Any], signals: Mapping[str, Any], tables: Mapping[str, Memory]) -> Any:
    """Make the signals and run a loop's program on them."""
    return program(*(sg.memory(*layout) for layout in signals.values()), *tables.values())


def arguments(loop: Loop, bound: Callable[[str, int], Any]) -> tuple[Any, ...]:
    """The arguments of `run` for a loop; `bound` makes a bit address of a name and the number of a word."""
    signals = {
        name: (
            Memory(name, least=loop.words(name)),
            bound(f"{name}_from", 0),
            bound(f"{name}_to", loop.words(name)),
            *layout,
        )
        for name, layout in loop.signals.items()
    }
    return loop.program, signals, {name: Memory(name, 16, least=256) for name in loop.tables}


def special(loop: Loop, bits: int = 32) -> Residual:
    """A loop specialized to its layouts, in buffers that begin and end at words, or at multiples of so many bits."""
    return specialize(run, *arguments(loop, lambda name, _: cyclic(bits, name)))


def bounds(loop: Loop, bits: int = 32) -> dict[str, int]:
    """The arguments of the specialized loop."""
    return {
        name: 32 * word // bits
        for signal in loop.signals
        for name, word in ((f"{signal}_from", 0), (f"{signal}_to", loop.words(signal)))
    }
