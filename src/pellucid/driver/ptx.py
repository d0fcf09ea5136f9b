"""Pictures as PTX: traced, taken through the script for grids, written by LLVM's writer, compiled by `backends.cuda`.

Nothing runs here: what is made is text for a program that has a GPU. Its pixels are the CPU's, bit for bit, in either
numerics and precision.
"""

from __future__ import annotations

from ..backends.cuda import BODY, complete, machine, type_name
from ..backends.llvm import written
from ..backends.port import CallingPlan, layout
from ..base.deep_stack import with_deep_stack
from ..base.view import View
from .frame import FrameVariant, PictureSource, build
from .kernel import own_values
from .options import Options
from .pipeline import grid_script, optimize

ENTRY = "draw"
"""The name of the function that is launched."""


def ptx(
    source: PictureSource,
    view: View,
    *,
    numerics: str = "relaxed",
    precision: str = "f32",
    title: str = "A picture",
) -> str:
    r"""The PTX of a picture, with a head that says how it is launched and framed.

    `view` says what is drawn if the host does not say otherwise, and whether pixels have several samples. Raises as
    `compile` does.

    >>> from pellucid import images as im
    >>> text = ptx(im.checkerboard(1, im.black, im.white), View(64))
    >>> ".visible .entry draw(" in text
    True
    """
    options = Options(numerics, precision)

    def work() -> str:
        frame = build(source, options.real, FrameVariant("straight", view.samples != 1))
        best = optimize(frame.kernel, frame.ranges, options, 1, grid_script(options))
        plan = layout(best.kernel, best.ranges)
        (body,), _ = written(plan, best.ranges, machine(), [f"{BODY}0"])
        head = _head(plan, view, title, own_values(view.params, frame.params))
        return "\n".join([*head, complete(body, plan, ENTRY)])

    return with_deep_stack(work)


def _head(plan: CallingPlan, view: View, title: str, own: dict[str, float]) -> list[str]:
    """The comment before the text: the arguments in order, as the picture is framed, and the grid."""
    known = {
        "time": view.time,
        "center_x": view.center[0],
        "center_y": view.center[1],
        "scale": 1 / view.zoom,
        "width": view.size[0],
        "height": view.size[1],
        "left": 0,
        "top": 0,
        "whole_width": view.size[0],
        "whole_height": view.size[1],
        "samples": view.samples,
        **own,
    }
    rows, columns = (loop.how.count for loop in plan.phases[0].grid)
    blocks = f"(width + {columns - 1}) / {columns} x (height + {rows - 1}) / {rows}"
    return [
        f"// {title}, for CUDA, made by pellucid. {ENTRY} is launched by blocks of {columns} x {rows} threads,",
        f"// {blocks} of them. Its arguments, as the picture is framed:",
        *(f"//   {type_name(p.type)} {p.attr} = {known[p.attr]}" for p in plan.kernel.params),
        "//   u64 out: pixels on the GPU, a word each, row after row from the top, red in the low byte, straight alpha",
        "//   u64 count = width * height",
    ]
