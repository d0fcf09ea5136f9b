"""Signals: sound and any other run of samples, as a diagram of nodes that is specialized and compiled (Draves 1997).

The library under the paper's names, and what it wished for: general recursion. On the floor of the vocabularies, beside
pictures: `node`, `signal` and `feedback` are the diagram, `keys` and `merging` find what is equal in it; `sources`,
`delays`, `fractional`, `filters`, `envelopes` and `vocabulary` are the nodes; `pcm`, `frames`, `wav` and `recording`
the arrays and files; `block`, `player`, `render` and `effects` what makes sound of a diagram; `hints`
says what to write for other names.
"""

from typing import Any

from ..staging import Cells, Memory, choose, to_integer
from .delays import delay, delay1, scan, sum_tile
from .effects import Effect, effect, filter_audio
from .envelopes import adsr, envelope_follower, ramp, smooth
from .feedback import rec
from .filters import biquad, biquad_coefficients, onepole, sosfilt
from .fractional import variable_delay
from .hints import unknown as _unknown
from .player import Player
from .recording import Recording, live
from .render import Voice, render_audio, samples, voice
from .signal import Signal, copy, reduce
from .sources import constant, control, count, memory, noise
from .vocabulary import endp, filter, fm_osc, get, lut, map, map2, next, put, wavrec, where
from .wav import read_audio

__all__ = [
    "Cells",
    "Effect",
    "Memory",
    "Player",
    "Recording",
    "Signal",
    "Voice",
    "adsr",
    "biquad",
    "biquad_coefficients",
    "choose",
    "constant",
    "control",
    "copy",
    "count",
    "delay",
    "delay1",
    "effect",
    "endp",
    "envelope_follower",
    "filter",
    "filter_audio",
    "fm_osc",
    "get",
    "live",
    "lut",
    "map",
    "map2",
    "memory",
    "next",
    "noise",
    "onepole",
    "put",
    "ramp",
    "read_audio",
    "rec",
    "reduce",
    "render_audio",
    "samples",
    "scan",
    "smooth",
    "sosfilt",
    "sum_tile",
    "to_integer",
    "variable_delay",
    "voice",
    "wavrec",
    "where",
]


def __getattr__(name: str) -> Any:
    """Say what to write for a name that is no word."""
    if name.startswith("__"):
        raise AttributeError(name)
    raise _unknown(name, __all__)
