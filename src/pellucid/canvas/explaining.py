"""The verb `explain`: the report of a compilation, of a picture, a conversion or a sound.

Beside `draw` and `show`, which it uses for the picture on top of a page.
"""

from __future__ import annotations

import math
from typing import Any, Protocol, Unpack, cast

from pellucid.base.deep_stack import with_deep_stack
from pellucid.base.errors import InputError
from pellucid.base.tracebacks import door
from pellucid.base.view import View, ViewArguments, spelled_out
from pellucid.canvas.show import png_of
from pellucid.canvas.source import DrawArguments, drawing, is_drawable
from pellucid.driver import Options
from pellucid.driver.choosing import plan_of
from pellucid.driver.frame import FrameVariant, PictureSource, build
from pellucid.driver.kernel import checked_source, optimized
from pellucid.driver.lending import make_backend
from pellucid.driver.view import carried, check_known_params, checked_view
from pellucid.loops.report import Report

MAX_SIDE = 480
"""Pixels of the longer side of the picture on top of a page."""


class Planned(Protocol):
    """An object that explains its own compilation, such as the plan of a conversion."""

    def explained(self, options: Options) -> Report:
        """The report of its compilation."""
        ...


@spelled_out(ViewArguments)
@door
def explain(
    picture: object,
    size: tuple[int, int] | int | None = None,
    *,
    view: View | None = None,
    numerics: str = "relaxed",
    precision: str = "f32",
    backend: str = "auto",
    **arguments: Unpack[ViewArguments],
) -> Report:
    """The report of a compilation: the program after each stage, and the ledger. Nothing is run.

    The program is that which draws the view: one for all views, but for `samples`, which are a loop of their own.
    Of a plan that `plan_conversion` made, it is that which converts; of a sound, the loop over frames by which
    `render_audio` renders it, in its own numerics and precision. Neither has a view. ``report.save("page.html")``
    writes a page for browsers, with the picture on top, drawn as `show` draws it. Raises as `compile` does, and
    InputError for a view that could not be drawn.

    >>> from pellucid import images as im
    >>> ["samples" in explain(im.udisk, samples=n).stages["inlined"] for n in (1, 4)]
    [False, True]
    """
    options = Options(numerics, precision, backend)
    if not is_drawable(picture):
        has_view = size is not None or view is not None or bool(arguments)
        if (report := _without_view(picture, options, has_view=has_view)) is not None:
            return report
    source = checked_source(picture)
    seen = checked_view(size, view=view, framed=carried(source), precision=precision, frames=0, **arguments)

    def thumbnail() -> bytes:
        given: dict[str, Any] = {
            **arguments,
            "numerics": numerics,
            "precision": precision,
            "backend": backend,
        }
        return _thumbnail(source, size, view, cast("DrawArguments", given))

    def work() -> Report:
        frame = build(source, options.real, FrameVariant("straight", seen.samples != 1))
        check_known_params(seen.params, frame.params)
        best = optimized(frame, options, make_backend(options.backend))
        plan = plan_of(frame, options) if options.backend == "auto" else ""
        return Report(best.stages, best.ledger, frame.ranges, plan, "A picture, explained", thumbnail)

    return with_deep_stack(work)


def is_explained(thing: object) -> bool:
    """Whether `explain` has something to say of a thing: a picture, the plan of a conversion, or a sound."""
    return is_drawable(thing) or hasattr(type(thing), "explained") or _is_sound(thing)


def _is_sound(thing: object) -> bool:
    # Signals are loaded only by those who may have some.
    from pellucid.signals.render import is_sound

    return is_sound(thing)


def _without_view(thing: object, options: Options, *, has_view: bool) -> Report | None:
    """The report of a plan or a sound; None of anything else."""
    is_plan = hasattr(type(thing), "explained")
    if not is_plan and not _is_sound(thing):
        return None
    if has_view:
        fix = "give the size to plan_conversion" if is_plan else "leave it out, and center, zoom and so on"
        raise InputError("only a picture has a view", place="size", fix=fix)
    if is_plan:
        return cast("Planned", thing).explained(options)
    from pellucid.signals.render import player_of

    return player_of(thing, backend=options.backend).explain()


def _thumbnail(
    source: PictureSource, size: tuple[int, int] | int | None, view: View | None, arguments: DrawArguments
) -> bytes:
    """The PNG of a view, made smaller where it is large."""
    asked = drawing(source, size, view, arguments, fitted=True)
    seen = asked.view
    smaller = max(1.0, max(seen.size) / MAX_SIDE)
    width, height = (max(1, round(side / smaller)) for side in seen.size)
    # Drawn smaller, a picture loses its fine parts to chance unless each pixel is a mean.
    samples = max(seen.samples, min(math.ceil(smaller), 4))
    shown = seen.replace((width, height), zoom=seen.zoom / smaller, samples=samples)
    return png_of(asked.picture, view=shown, **cast("DrawArguments", dict(asked.options)))
