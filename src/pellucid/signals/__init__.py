"""Signals: sound and any other run of samples, as a diagram of nodes that is specialized and compiled (Draves 1997).

The library under the paper's names, and what it wished for: general recursion. On the floor of the vocabularies, beside
pictures: `node`, `signal` and `feedback` are the diagram; `sources`, `delays` and `vocabulary` the nodes; `pcm`, `wav`
and `recording` the files; `player` and `render` what makes sound of a diagram.
"""

from ..staging import Cells, Memory, choose, to_integer
from .delays import delay, delay1, scan, sum_tile
from .feedback import rec
from .player import Player
from .recording import Recording, live
from .render import Voice, render_audio, samples, voice
from .signal import Signal, copy, reduce
from .sources import constant, control, count, memory, noise
from .vocabulary import endp, filter, fm_osc, get, lut, map, map2, next, put, wavrec
from .wav import read_audio

__all__ = [
    "Cells",
    "Memory",
    "Player",
    "Recording",
    "Signal",
    "Voice",
    "choose",
    "constant",
    "control",
    "copy",
    "count",
    "delay",
    "delay1",
    "endp",
    "filter",
    "fm_osc",
    "get",
    "live",
    "lut",
    "map",
    "map2",
    "memory",
    "next",
    "noise",
    "put",
    "read_audio",
    "rec",
    "reduce",
    "render_audio",
    "samples",
    "scan",
    "sum_tile",
    "to_integer",
    "voice",
    "wavrec",
]
