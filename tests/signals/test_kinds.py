"""Every public function of signals and staging, given the wrong kind of thing, says which parameter is wrong."""

from __future__ import annotations

import functools

import numpy as np
import pytest

from pellucid import signals as sg
from pellucid import staging
from pellucid.base.errors import PellucidError
from pellucid.staging import Memory, Samples, load_sample, specialize, store_sample, stream, unknown

WRONG = {
    "None": None, "text": "loud", "bytes": b"ab", "list": [None], "object": object(), "half": 0.5, "truth type": bool,
    "complex": 1j, "nan": float("nan"), "huge": 10**400, "negative": -(10**30), "zero": 0, "set": {1}, "dict": {},
    "objects": np.array([None, 1], object), "strided": np.arange(12, dtype=np.uint8)[::3], "table": np.zeros((2, 3)),
    "scalar": np.array(3), "empty": np.zeros(0), "complex array": np.zeros(3, complex), "function": lambda: None,
    "words": np.array(["a"]), "surrogate": "\udc80", "class": Memory, "memory": Memory("m"), "numpy": np.float32(2.5),
}  # fmt: skip


def words():
    return Memory("m", 32, np.arange(4, dtype=np.uint32))


def player():
    return sg.Player(sg.control("gain", 0.5) * sg.live("pcm_u8").channels[0], format="pcm_u8")


def residual():
    return specialize(lambda m, x: m.load(x), Memory("m"), unknown("x"))


@staging.interpreter
def raised(x, n):
    """The n-th power of x."""
    y = 1
    for _ in range(n):
        y = y * x
    return y


def rooted(name, x):
    return staging.apply(name, x)


S = sg.count()
ONE = lambda x: x  # noqa: E731
TWO = lambda a, b: a + b  # noqa: E731
#: A call that is right, as a function and its arguments by name; `*` stands for the arguments without names.
CALLS = {
    "adsr": (sg.adsr, {"gate": S, "attack": 1, "decay": 1, "sustain": 1, "release": 1, "rate": 8000}),
    "biquad": (sg.biquad, {"signal": S, "kind": "peaking", "frequency": 100, "rate": 8000, "Q": 1, "gain": 1}),
    "biquad_coefficients": (sg.biquad_coefficients, {"kind": "peaking", "frequency": 100, "rate": 8000, "Q": 1,
                                                     "gain": 1}),
    "effect": (sg.effect, {"function": lambda signal, rate: signal}),
    "envelope_follower": (sg.envelope_follower, {"signal": S, "attack": 1, "release": 1, "rate": 8000}),
    "filter_audio": (sg.filter_audio, {"effect": sg.effect(lambda signal, rate: signal), "source": "nothing.wav",
                                       "path": "/nowhere/at/all.wav", "tail": 1.0, "format": "pcm_u8",
                                       "params": {}, "backend": "numpy", "progress": None}),
    "onepole": (sg.onepole, {"signal": S, "frequency": 100, "rate": 8000, "kind": "lowpass"}),
    "ramp": (sg.ramp, {"signal": S, "samples": 3, "first": 0}),
    "smooth": (sg.smooth, {"signal": S, "seconds": 1, "rate": 8000, "first": 0}),
    "sosfilt": (sg.sosfilt, {"signal": S, "sos": [[1, 0, 0, 1, 0, 0]]}),
    "variable_delay": (sg.variable_delay, {"signal": S, "samples": 3, "maximum": 9, "interpolation": "linear"}),
    "where": (sg.where, {"condition": S, "then": S, "orelse": 3}),
    "choose": (staging.choose, {"condition": True, "then": int, "orelse": int}),
    "fork": (staging.fork, {"condition": True, "then": int, "orelse": int}),
    "set_base": (staging.set_base, {"value": 7, "base": 4, "then": ONE}),
    "loop": (lambda done, step, x: staging.loop(done, step, *(x,)), {"done": lambda n: True, "step": ONE, "x": 3}),
    "constant": (sg.constant, {"value": 3}),
    "control": (sg.control, {"name": "gain", "value": 3, "ramp": 3}),
    "copy": (sg.copy, {"source": sg.memory(words(), 0, 32, 8, 8), "target": sg.memory(words(), 64, 96, 8, 8)}),
    "count": (sg.count, {"start": 3}),
    "delay": (sg.delay, {"signal": S, "samples": 3, "first": 0}),
    "delay1": (sg.delay1, {"signal": S, "first": 0}),
    "endp": (sg.endp, {"signal": S}),
    "filter": (sg.filter, {"signal": S, "kernel": [1], "prefix": [0]}),
    "fm_osc": (sg.fm_osc, {"frequency": S, "fraction": 2, "table": sg.Cells("t", np.arange(16)), "size": 4,
                           "modulator": S, "depth": 0}),
    "get": (sg.get, {"signal": S}),
    "live": (sg.live, {"format": "pcm_u8", "channels": 1, "rate": 8000, "planar": False, "name": "input"}),
    "lut": (sg.lut, {"table": sg.Cells("t", np.arange(16)), "signal": S}),
    "map": (sg.map, {"function": ONE, "signal": S}),
    "map2": (sg.map2, {"function": TWO, "one": S, "other": S}),
    "memory": (sg.memory, {"words": words(), "start": 0, "stop": 32, "size": 8, "stride": 8, "signed": False}),
    "next": (sg.next, {"signal": S}),
    "noise": (sg.noise, {"seed": 1}),
    "put": (sg.put, {"signal": sg.memory(words(), 0, 32, 8, 8), "sample": 3}),
    "read_audio": (sg.read_audio, {"path": "nothing.raw", "format": "pcm_u8", "channels": 1, "rate": 1,
                                   "planar": False}),
    "rec": (sg.rec, {"body": lambda y: sg.delay1(y, 0)}),
    "reduce": (sg.reduce, {"signal": sg.memory(words(), 0, 32, 8, 8), "value": 0, "operation": TWO}),
    "render_audio": (sg.render_audio, {"sound": S, "path": "/nowhere/at/all.wav", "seconds": 1.0, "rate": 8000,
                                       "channels": 1, "format": "pcm_u8", "planar": False, "params": {},
                                       "backend": "numpy", "progress": None}),
    "samples": (sg.samples, {"sound": S, "frames": 1, "rate": 8000, "backend": "numpy"}),
    "scan": (sg.scan, {"signal": S, "first": 0, "operation": TWO}),
    "sum_tile": (sg.sum_tile, {"first": 0, "signal": S, "size": 2}),
    "voice": (sg.voice, {"function": lambda rate: S}),
    "wavrec": (sg.wavrec, {"frequency": S, "fraction": 2, "table": sg.Cells("t", np.arange(16)), "size": 4, "depth": 1,
                           "first": 0}),
    "Recording": (sg.Recording, {"data": b"ab", "format": "pcm_u8", "channels": 1, "rate": 8000, "planar": False,
                                 "name": "r"}),
    "Player": (sg.Player, {"*": (S,), "format": "pcm_u8", "planar": False, "meter": False, "backend": "numpy"}),
    "play": (lambda **k: player().play(**k), {"frames": 2, "out": None, "input": b"ab"}),
    "set": (lambda **k: player().set(**k), {"name": "gain", "value": 1}),
    "take": (S.take, {"count": 1}),
    "Memory": (Memory, {"name": "m", "word": 8, "data": None, "least": 1}),
    "view": (words().view, {"name": "v"}),
    "load": (words().load, {"address": 1}),
    "store": (words().store, {"address": 1, "value": 1, "mask": 3}),
    "Cells": (sg.Cells, {"name": "c", "data": np.zeros(3)}),
    "Table": (staging.Table, {"values": np.arange(3, dtype=np.uint8)}),
    "unknown": (unknown, {"name": "x"}),
    "cyclic": (staging.cyclic, {"base": 4, "name": "x", "remainder": 1}),
    "specialize": (specialize, {"program": lambda: 1, "name": "p", "cache": None}),
    "residual": (residual(), {"arrays": {"m": np.arange(4, dtype=np.uint32)}, "x": 1}),
    "array": (lambda m: residual()({"m": m}, x=1), {"m": np.arange(4, dtype=np.uint32)}),
    "load_sample": (load_sample, {"memory": words(), "position": 3, "size": 4}),
    "store_sample": (store_sample, {"memory": words(), "position": 3, "size": 4, "value": 1}),
    "signed": (staging.signed, {"bits": 3, "size": 4}),
    "stream": (stream, {"function": ONE, "inputs": [Samples(1, 0, 8, 8)], "outputs": [Samples(0, 0, 8, 8)],
                        "counted": False, "states": ()}),
    "to_integer": (sg.to_integer, {"x": 0.5}),
    "require": (staging.require, {"condition": True, "message": "m", "place": "p", "fix": "f"}),
    "divides": (staging.divides, {"by": 2, "value": 4}),
    "equals": (staging.equals, {"a": 2, "b": 4}),
    "negate": (staging.negate, {"condition": True}),
    "lift": (staging.lift, {"value": 3}),
    "early_equal": (staging.early_equal, {"a": 3, "b": 3}),
    "dynamic_call": (staging.dynamic_call, {"*": (3,)}),
    "cogen": (staging.cogen, {"*": (raised,), "x": "D", "n": "S", "integers": False, "most": 100, "deepest": 10}),
    "apply": (rooted, {"name": "sqrt.f32", "x": 4.0}),
    "explain_times": (staging.explain_times, {"compiler": staging.cogen(raised, x="D", n="S")}),
    "load_compiler": (staging.load_compiler, {"path": "nothing.compiler"}),
    "interpreter": (staging.interpreter, {"function": raised.function}),
}  # fmt: skip


def call(function, given):
    return function(*given.get("*", ()), **{n: v for n, v in given.items() if n != "*"})


def test_every_public_function_is_here():
    own = {n for m in (sg, staging) for n in m.__all__} - {
        "Signal",
        "Voice",
        "Effect",
        "Residual",
        "Real",
        "Cyclic",
        "Dynamic",
        "Samples",
        "STATIC",
        "CYCLIC",
        "DYNAMIC",
    }
    assert own <= set(CALLS)


@pytest.mark.parametrize("name", CALLS)
def test_a_wrong_kind_is_told_by_one_error(name):
    function, right = CALLS[name]
    if name not in ("read_audio", "render_audio", "filter_audio", "load_compiler"):
        call(function, right)
    for parameter in right:
        for kind, wrong in WRONG.items():
            given = {**right, parameter: (wrong,) if parameter == "*" else wrong}
            try:
                call(function, given)
            except PellucidError as error:
                assert str(error)  # noqa: PT017 - most kinds are refused, and some are right
            except TypeError as error:
                # A function of the user's own that takes other arguments is told by Python.
                if not callable(wrong) or "argument" not in str(error):
                    error.add_note(f"{name}({parameter}={kind})")
                    raise
            except Exception as error:
                error.add_note(f"{name}({parameter}={kind})")
                raise


@pytest.mark.parametrize(
    "function", [np.sin, np.maximum.reduce, functools.partial(np.add, 1.0), np.float64(2).__mul__]
)
def test_a_function_of_numpy_in_a_diagram_is_a_number_or_told(function):
    try:
        found = sg.samples(sg.map(function, sg.constant(0.5)), frames=2)
    except PellucidError as error:
        assert "use pl." in str(error)  # noqa: PT017 - it may also be computed
    else:
        assert found[0, 0] == function(0.5)


def test_live_input_may_have_gaps():
    data = np.arange(8, dtype=np.uint8)
    assert (
        player().play(4, input=data[::2]).tobytes() == player().play(4, input=data[::2].tobytes()).tobytes()
    )
