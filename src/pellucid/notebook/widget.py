"""A live view of a picture in a notebook: drag, zoom, sliders, play, drawn by a session in the kernel.

`Explorer` of `canvas.live` answers requests for frames; the widget of anywidget, the extra `pellucid[notebook]`, hands
them to the front end in `explore.js`, which sets the pace.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Unpack, cast

from pellucid.base.errors import MissingExtraError
from pellucid.base.opening import text_of
from pellucid.base.tracebacks import door
from pellucid.base.view import View, ViewArguments, spelled_out
from pellucid.canvas.live import Explorer
from pellucid.canvas.source import precision_of
from pellucid.driver import Kernel
from pellucid.notebook.display import in_cell


@spelled_out(ViewArguments)
@door
def explore(
    picture: object,
    size: tuple[int, int] | int | None = None,
    *,
    view: View | None = None,
    seconds: float = 10.0,
    numerics: str = "exact",
    precision: str | None = None,
    **arguments: Unpack[ViewArguments],
) -> Any:
    """A live view of a picture in a notebook: drag to move, wheel to zoom, a slider for each parameter, play and pause.

    It begins at the `view`, or that which the picture carries, and what is given beside it; `seconds` is the range of
    the time. While something moves, frames may be compressed or smaller; at rest there is an exact one, and `view` of
    the widget tells where it is. `precision` is f32 or f64, that of a kernel, or else f32. Close it by its method
    `close`. Raises `MissingExtraError` if anywidget is not installed, `InputError` for a value out of its range or for
    what is no picture.

    >>> from pellucid import images as im
    >>> widget = explore(im.swirl(100, im.checkerboard(10, im.red, im.blue)), 64)
    >>> widget.view.size
    (64, 64)
    >>> widget.close()
    """
    made = _widget_class()
    precision = precision_of(picture, precision)
    source = picture.source if isinstance(picture, Kernel) else picture
    seen = in_cell(source, size, view, {**arguments, "precision": precision}).view
    return made(Explorer(source, seen, seconds=seconds, numerics=numerics, precision=precision))


@functools.cache
def _widget_class() -> Any:
    try:
        import anywidget
        import traitlets
    except ImportError as error:
        raise MissingExtraError(
            "explore needs anywidget", fix="run: pip install 'pellucid[notebook]'"
        ) from error

    class ExplorerWidget(anywidget.AnyWidget):
        """The widget of an explorer; see `explore`."""

        _esm = text_of(Path(__file__).with_name("explore.js"))
        setup: Any = traitlets.Dict().tag(sync=True)

        def __init__(self, explorer: Explorer) -> None:
            super().__init__(setup=explorer.setup())
            self.explorer = explorer
            cast("Any", self).on_msg(self._heard)

        @property
        def view(self) -> View:
            """The last view at rest."""
            return self.explorer.view

        def _heard(self, _: Any, content: Mapping[str, Any], buffers: Any) -> None:
            if content.get("kind") == "leave":
                self.explorer.leave()
                return
            try:
                message, data = self.explorer.answer(content)
            except Exception as problem:
                # The front end waits for an answer; the traceback goes to the log of the notebook.
                told = {name: content.get(name) for name in ("viewer", "id", "exact")}
                text = f"the frame failed: {type(problem).__name__}: {problem}"
                cast("Any", self).send({**told, "kind": "trouble", "text": text}, [])
                raise
            cast("Any", self).send(message, data)
            if message["exact"]:
                # A front end that comes later, such as that of a page loaded again, begins where this one rests.
                self.setup = self.explorer.setup()

        def _repr_mimebundle_(self, **named: Any) -> Any:
            # Where no front end runs, such as on a page of a finished notebook, there is a still picture.
            bundle: tuple[dict[str, Any], dict[str, Any]]
            bundle = cast("Any", super())._repr_mimebundle_(**named) or ({}, {})
            data, metadata = bundle
            return {**data, "image/png": self.explorer.still()}, metadata

        def close(self) -> None:
            """End the session and the widget."""
            self.explorer.close()
            super().close()

    return ExplorerWidget
