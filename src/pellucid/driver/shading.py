"""Pictures as shaders: traced, taken through the script for GPUs, and printed by `backends.shade`.

Nothing runs here: what is made is text for browsers and for programs that have a GPU. A shader computes in f32 and in
relaxed numerics; its view is kept within what f32 and 32-bit integers reach.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from ..backends.port import Ranges
from ..backends.shade import Pixel, Shader, compute, fragment, shadertoy
from ..base.deep_stack import with_deep_stack
from ..base.errors import BackendError
from ..base.record import record
from ..ir import types as T
from ..ir.expr import Expr
from ..ir.facts import Facts
from ..ir.nest import For, Kernel, walk
from ..tracing import Param
from .frame import COLUMN, HEIGHT, ROW, WIDTH, Frame, FrameVariant, PictureSource, build, whole
from .options import Options
from .pipeline import Optimized, optimize, shader_script

MAX_CENTER = 2.0**20
"""The largest coordinate of a center: beyond, a pixel of f32 is a twelfth of a unit."""
MAX_TIME = 86_400.0
"""The last second of a shader's time, a day: beyond, f32 skips frames."""
SCALES = (2.0**-40, 2.0**20)
"""The least and most units that a pixel is wide."""
_PIXEL = Pixel(COLUMN, ROW, WIDTH, HEIGHT)
_LIMITS: Mapping[str, tuple[float, float]] = {
    "center_x": (-MAX_CENTER, MAX_CENTER),
    "center_y": (-MAX_CENTER, MAX_CENTER),
    "time": (-MAX_TIME, MAX_TIME),
    "scale": SCALES,
}


@record(slots=False)
class Shading:
    """A picture ready to be printed as a shader: its nest and parameters, and the ledger of what was done."""

    optimized: Optimized
    params: Mapping[str, Param]
    time_varying: bool
    made_at: str | None

    def fragment(self) -> Shader:
        """The fragment shader of WebGL2; raises BackendError if the picture cannot be one."""
        return self._printed(lambda kernel, ranges: fragment(kernel, ranges, _PIXEL))

    def compute(self) -> Shader:
        """The compute shader in WGSL; raises BackendError if the picture cannot be one."""
        return self._printed(compute_shader)

    def shadertoy(self, given: Mapping[str, str], own: Mapping[str, float]) -> Shader:
        """The shader for Shadertoy; `given` has expressions for the view, `own` values of the picture's parameters.

        Raises BackendError if the picture cannot be one.
        """
        return self._printed(lambda kernel, ranges: shadertoy(kernel, ranges, _PIXEL, given, own))

    def _printed(self, printed: Callable[[Kernel, Ranges], Shader]) -> Shader:
        kernel = _with_size(self.optimized.kernel)
        try:
            return with_deep_stack(lambda: printed(kernel, self.optimized.ranges))
        except BackendError as error:
            place = ": ".join(part for part in (self.made_at, error.place) if part)
            raise BackendError(error.message, place=place, fix=error.fix) from None


def shading(source: PictureSource, variant: FrameVariant = FrameVariant()) -> Shading:
    """A picture through the script for GPUs; raises as `compile` does.

    >>> from pellucid import images as im
    >>> text = shading(im.checkerboard(1, im.black, im.white)).fragment().text
    >>> text.startswith("#version 300 es")
    True
    """

    def work() -> Shading:
        options = Options()
        frame = frame_for_hosts(source, variant)
        best = optimize(frame.kernel, narrowed(frame.ranges), options, 1, shader_script(options))
        place = getattr(source, "made_at", None)
        return Shading(best, frame.params, frame.time_varying, place if isinstance(place, str) else None)

    return with_deep_stack(work)


def frame_for_hosts(source: PictureSource, variant: FrameVariant, real: T.Type = T.f32) -> Frame:
    """The frame of a picture for hosts other than Python, which draw the whole of it.

    Its params are the words of a view, the size, and the picture's own: what hosts set by name, and nothing else.
    """
    return whole(build(source, real, variant))


def compute_shader(kernel: Kernel, ranges: Ranges) -> Shader:
    """The compute shader of the placed nest of a picture.

    Raises BackendError for what WGSL cannot express, and for other programs.
    """
    loops = [s.index for s in walk(kernel.body) if isinstance(s, For)]
    if loops != [ROW, COLUMN]:
        raise BackendError(
            "shaders draw pictures and nothing else", place=kernel.name, fix="use backend='llvm'"
        )
    return compute(_with_size(kernel), ranges, _PIXEL)


def _with_size(kernel: Kernel) -> Kernel:
    """A kernel whose params are also the size of the frame, which hosts set."""
    missing = [p for p in (WIDTH, HEIGHT) if p not in kernel.params]
    return replace(kernel, params=(*kernel.params, *missing))


def narrowed(ranges: Ranges) -> dict[Expr, Facts]:
    """What is known of parameters, within the limits of shaders: beyond them, f32 and 32-bit integers do not reach."""
    return {e: _within(f, _LIMITS.get(str(e.attr))) if e.op == "param" else f for e, f in ranges.items()}


def _within(facts: Facts, limits: tuple[float, float] | None) -> Facts:
    """The facts of a parameter of the view, within the limits of shaders."""
    if limits is None:
        return facts
    return facts._replace(lo=max(facts.lo, limits[0]), hi=min(facts.hi, limits[1]))
