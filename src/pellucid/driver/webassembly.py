"""Pictures as WebAssembly: traced, taken through the script for modules, written by LLVM, completed by `backends.wasm`.

Nothing runs here. In exact numerics its pixels are those of every other exact back end.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from ..backends.llvm.function import Function
from ..backends.port import layout
from ..backends.wasm import ENTRY, LANES, compiled, completed, machine, written
from ..base.deep_stack import with_deep_stack
from ..base.record import record
from ..base.view import View
from ..tracing import Param
from .frame import MAX_PIXELS, FrameVariant, PictureSource
from .kernel import own_values
from .options import Options
from .pipeline import Optimized, module_script, optimize
from .shading import frame_for_hosts


@record(slots=False)
class PictureModule:
    """A picture as a module: its bytes, what was done to it, its parameters, and whether it moves."""

    code: bytes
    optimized: Optimized
    params: Mapping[str, Param]
    time_varying: bool


def webassembly(
    source: PictureSource, view: View, *, numerics: str = "relaxed", precision: str = "f32"
) -> PictureModule:
    r"""The module of a picture, which says in its section "pellucid" how it is called and framed, in JSON.

    `view` says what is drawn if the host does not say otherwise, and whether pixels have several samples. Raises as
    `compile` does, and BackendError for code that WebAssembly cannot express.

    >>> from pellucid import images as im
    >>> webassembly(im.checkerboard(1, im.black, im.white), View(64)).code[:4]
    b'\x00asm'
    """
    options = Options(numerics, precision)

    def work() -> PictureModule:
        frame = frame_for_hosts(source, FrameVariant("straight", view.samples != 1), options.real)
        best = optimize(frame.kernel, frame.ranges, options, LANES, module_script(options, LANES))
        plan = layout(best.kernel, best.ranges)
        text = Function(plan, plan.phases[0], best.ranges, machine(), ENTRY).text()
        sections, places = completed(compiled(text, exact=numerics == "exact"), plan, ENTRY)
        own = own_values(view.params, frame.params)
        ranges = plan.calling.ranges
        told: dict[str, Any] = {
            "params": [
                {
                    "name": p.attr,
                    "type": p.type.name,
                    "low": _bound(ranges[p.attr].lo),
                    "high": _bound(ranges[p.attr].hi),
                }
                for p in plan.kernel.params
            ],
            "places": vars(places),
            "most": MAX_PIXELS,
            "view": _told(view, own),
        }
        code = written(sections, json.dumps(told).encode())
        return PictureModule(code, best, frame.params, frame.time_varying)

    return with_deep_stack(work)


def _told(view: View, own: Mapping[str, float]) -> dict[str, Any]:
    return {
        "size": view.size,
        "center": view.center,
        "zoom": view.zoom,
        "time": view.time,
        "samples": view.samples,
        "params": {name: float(value) for name, value in own.items()},
    }


def _bound(value: float) -> float | None:
    """A bound as JSON can write it; None if there is none."""
    return value if math.isfinite(value) else None
