"""A picture as a page that draws it: one HTML file with a shader of WebGL2, which needs no other file and no network.

Below `exporting`. What the page does is in `live.js`; the shader, and the data of bitmaps, stand in it deflated. So
does a module of WebAssembly, which draws where there is no WebGL2 or the GPU refuses the shader, where every bit counts
and there is no shader, and, in f64, where a shader's numbers do not reach.
"""

from __future__ import annotations

import base64
import json
import re
import zlib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Protocol

import numpy as np

from pellucid.backends.shade import Shader, row_length
from pellucid.base.opening import text_of
from pellucid.base.page import escaped, page
from pellucid.base.view import View
from pellucid.driver.kernel import own_values
from pellucid.driver.pipeline import Optimized
from pellucid.driver.shading import MAX_CENTER, MAX_TIME, SCALES
from pellucid.ir.expr import Buffer, Expr
from pellucid.loops.report.report import summary
from pellucid.tracing import Param

MAX_SLIDER = 1e6
"""The widest range of a slider: of a wider one, nobody could set a value, so it is a field for a number."""

ZOOMS = {"f32": 1 / SCALES[0], "f64": 2.0**300}
"""How far a page goes into a picture whose center is at the origin, in pixels a unit."""
STEPS = {"f32": 2.0**-21, "f64": 2.0**-50}
"""The least size of a pixel for each unit that the center is away from the origin: eight steps between numbers."""


class Prepared(Protocol):
    """A picture that was prepared for a host: what was done to it, its parameters, and whether it moves."""

    @property
    def optimized(self) -> Optimized:
        """Its nest, and the ledger of the steps to it."""
        ...

    @property
    def params(self) -> Mapping[str, Param]:
        """Its own parameters by name."""
        ...

    @property
    def time_varying(self) -> bool:
        """Whether it depends on time."""
        ...


def live_page(
    prepared: Prepared,
    view: View,
    *,
    shader: Shader | None,
    module: bytes | None,
    precision: str,
    title: str,
    name: str,
    source: str = "",
) -> str:
    """The page of a picture: its title, the name of files made from it, and the Python source that it shows on a key.

    The shader draws it, or else the module, which is of that precision.
    """
    own = own_values(view.params, prepared.params)
    uniforms: Mapping[str, Expr] = {} if shader is None else shader.params
    buffers: Mapping[str, Buffer] = {} if shader is None else shader.buffers
    program = {
        "name": name,
        "fragment": None if shader is None else shader.text,
        "module": module is not None,
        "params": [{"name": word, "value": p.attr, "type": p.type.name} for word, p in uniforms.items()],
        "buffers": [
            {"name": word, "type": b.type.name, "size": b.size, "across": min(b.size, row_length(b.size))}
            for word, b in buffers.items()
        ],
        "sliders": [
            {"name": n, "low": p.low, "high": p.high, "value": float(own[n])}
            for n, p in _bounded(prepared.params)
        ],
        "view": {
            "size": view.size,
            "center": view.center,
            "zoom": view.zoom,
            "time": view.time,
            "samples": view.samples,
        },
        "moving": prepared.time_varying,
        "deep": precision == "f64",
        "limits": {
            "center": MAX_CENTER,
            "time": MAX_TIME,
            "zoom": [1 / SCALES[1], ZOOMS[precision]],
            "scale": SCALES[0],
            "step": STEPS[precision],
        },
    }
    body = "".join(
        [
            f'<canvas id="picture" role="img" tabindex="0" aria-label="{escaped(title)}"></canvas>\n',
            "<noscript>This picture is drawn by JavaScript, which is turned off here.</noscript>\n",
            '<p id="status" role="status" hidden></p>\n',
            *_panel(prepared, title, own),
            *_info(prepared, title, source),
            _data("program", json.dumps(program).encode()),
            *_buffers(buffers),
            _data("module", module) if module is not None else "",
        ]
    )
    script = _file("live.js") if module is None else _file("module.js") + _file("live.js")
    return page(title, body, style=_file("live.css"), script=script, assembly=module is not None)


def _bounded(params: Mapping[str, Param]) -> Iterator[tuple[str, Param]]:
    """The parameters with finite bounds, as JSON can write them."""
    largest = float(np.finfo(np.float32).max)
    for name, p in params.items():
        low, high = max(p.low, -largest), min(p.high, largest)
        yield name, Param(name, p.default, low, high, p.place)


_COMMENT = re.compile(r"^ *(/\*.*?\*/|//[^\n]*)\n", re.MULTILINE | re.DOTALL)


@cache
def _file(name: str) -> str:
    """A file of ours without indentation and lines of comments: a fifth of it, which every page would carry."""
    return re.sub(r"^ +", "", _COMMENT.sub("", text_of(Path(__file__).with_name(name))), flags=re.MULTILINE)


def _data(name: str, data: bytes) -> str:
    """Bytes as the page holds them: deflated, in letters."""
    packed = base64.b64encode(zlib.compress(data, 9)).decode()
    return f'<script type="text/plain" id="{name}">{packed}</script>\n'


def _buffers(buffers: Mapping[str, Buffer]) -> Iterator[str]:
    for name, b in buffers.items():
        yield _data(name, np.ascontiguousarray(b.data, b.type.dtype.newbyteorder("<")).tobytes())


def _panel(prepared: Prepared, title: str, own: Mapping[str, float]) -> Iterator[str]:
    """The controls: what moves has a button, and each parameter a slider."""
    moving = "" if prepared.time_varying else " hidden"
    yield f'<section id="panel" aria-label="controls">\n<h1>{escaped(title)}</h1>\n'
    for name, p in _bounded(prepared.params):
        span = p.high - p.low
        kind = 'type="range" step="any"' if span <= MAX_SLIDER else 'type="number" step="any"'
        value = f"{float(own[name])!r}"
        yield (
            f"<label>{escaped(name)} <output>{value}</output>"
            f'<input {kind} name="{escaped(name)}" min="{p.low!r}" max="{p.high!r}" value="{value}"></label>\n'
        )
    yield (
        f'<button type="button" id="play"{moving}>Play</button> <span id="time"{moving}></span>\n'
        '<button type="button" id="home">Reset</button> <button type="button" id="save">PNG</button>\n'
        '<button type="button" id="more" aria-haspopup="dialog">How</button>\n'
        '<p id="note" hidden></p>\n</section>\n'
    )


def _info(prepared: Prepared, title: str, source: str) -> Iterator[str]:
    """What the page tells on a key: the keys, what the compiler did, and both programs."""
    yield (
        f'<dialog id="info" aria-labelledby="about">\n<h2 id="about">{escaped(title)}</h2>\n'
        "<p>Drag to move, turn the wheel or pinch to zoom. <kbd>←</kbd> <kbd>→</kbd> <kbd>↑</kbd> <kbd>↓</kbd> move, "
        "<kbd>+</kbd> <kbd>-</kbd> zoom, <kbd>0</kbd> resets, <kbd>space</kbd> plays, <kbd>s</kbd> saves a PNG, "
        "<kbd>h</kbd> hides the controls, <kbd>i</kbd> opens this text.</p>\n"
        f"<p>{escaped(summary(prepared.optimized.ledger.rows()))}</p>\n"
    )
    if source:
        yield f'<h3>In Python</h3>\n<pre tabindex="0"><code>{escaped(source)}</code></pre>\n'
    yield (
        '<h3>The shader</h3>\n<pre tabindex="0"><code id="shader"></code></pre>\n'
        f'<button type="button" id="close">Close</button>\n<p>Made by pellucid {escaped(_version())}.</p></dialog>\n'
    )


def _version() -> str:
    from pellucid import __version__

    return __version__
