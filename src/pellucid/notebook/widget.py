"""A live view of a picture in a notebook: drag, zoom, sliders, play, drawn by a session in the kernel.

`Explorer` answers requests for frames; the widget of anywidget, the extra `pellucid[notebook]`, hands them to the front
end in `explore.js`, which sets the pace.
"""

from __future__ import annotations

import functools
import io
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Unpack, cast

from pellucid.base.errors import InputError, MissingExtraError, PellucidError
from pellucid.base.opening import text_of
from pellucid.base.tracebacks import door
from pellucid.base.view import View, ViewArguments, checked_real, spelled_out
from pellucid.canvas import render
from pellucid.canvas.formats import Look, format_of
from pellucid.canvas.sinks import quick_jpeg, write_still
from pellucid.canvas.source import precision_of
from pellucid.driver import Kernel, Options
from pellucid.driver.kernel import Bytes, checked_source
from pellucid.driver.session import Session
from pellucid.driver.view import check_known_params, checked_view
from pellucid.notebook.display import in_cell

Answer = tuple[dict[str, Any], list[bytes]]
_MOVING_QUALITY = 88
_STILL = Look(format_of("frame.png"))


class Explorer:
    """Draws the frames that front ends ask for, by a session of its own, which there is while somebody looks.

    While something moves, frames are JPEG, or plain pixels where they are not opaque; an exact one is plain pixels of
    straight alpha, with the samples of the view.

    >>> from pellucid import images as im
    >>> with_red = Explorer(im.const(im.red), View((4, 2)))
    >>> asked = {"viewer": "a", "id": 1, "exact": True, "size": [2, 1], "center": [0, 0], "zoom": 1, "time": 0}
    >>> told, (pixels,) = with_red.answer(asked)
    >>> told["kind"], told["format"], list(pixels)
    ('frame', 'raw', [255, 0, 0, 255, 255, 0, 0, 255])
    >>> with_red.close()
    """

    def __init__(
        self,
        picture: object,
        view: View,
        *,
        seconds: float = 10.0,
        numerics: str = "exact",
        precision: str = "f32",
    ) -> None:
        self.picture = checked_source(picture)
        self.view = checked_view(view=view, precision=precision)
        self.seconds = checked_real("seconds", seconds)
        if self.seconds <= 0:
            raise InputError(f"{self.seconds:g} is no duration", place="seconds", fix="give one above 0")
        self.options = Options(numerics, precision)
        self._known = Kernel(self.picture, self.options, now=False)
        # A picture that cannot be traced is refused here: this traces it.
        check_known_params(self.view.params, self._known.params)
        self._home = self.view
        self._session: Session | None = None
        self._closed = False

    def setup(self) -> dict[str, Any]:
        """What a front end begins with: the last view at rest, the first one, and the parameters with their ranges."""
        view, home = self.view, self._home
        params: list[dict[str, Any]] = []
        for name, known in self._known.params.items():
            low, high = _span(known.default, known.low, known.high)
            value = view.params.get(name, known.default)
            params.append({"name": name, "low": low, "high": high, "value": value})
        return {
            "size": list(view.size),
            "center": list(view.center),
            "zoom": view.zoom,
            "home": {"center": list(home.center), "zoom": home.zoom},
            "time": view.time,
            "seconds": self.seconds,
            "moves": self._known.time_varying,
            "params": params,
        }

    def answer(self, request: Mapping[str, Any]) -> Answer:
        """The answer to a request, as a message and its buffers.

        The `size` of a request is that of the frame, which shows what the view does in as many pixels as the screen has
        for it; the `zoom` is that of the view. What cannot be drawn is told in words, and the front end keeps the frame
        that it has.
        """
        told = {name: request.get(name) for name in ("viewer", "id", "exact", "size")}
        try:
            size, center = (cast("Sequence[Any]", request[name]) for name in ("size", "center"))
            seen = self.view.replace(
                center=(center[0], center[1]),
                zoom=request["zoom"],
                time=request["time"],
                params=request.get("params") or {},
            )
            exact = request["exact"] is True
            sized = seen.replace((size[0], size[1]))
            frame = sized.replace(zoom=seen.zoom * (sized.size[0] / seen.size[0]))
            pixels = self._pixels(frame, exact)
        except PellucidError as problem:
            return {**told, "kind": "trouble", "text": str(problem)}, []
        except (KeyError, TypeError, IndexError) as problem:
            return {**told, "kind": "trouble", "text": f"the request is not whole: {problem!r}"}, []
        if exact:
            self.view = seen
        if exact or pixels[..., 3].min() < 255:
            return {**told, "kind": "frame", "format": "raw"}, [pixels.tobytes()]
        return {**told, "kind": "frame", "format": "jpeg"}, [quick_jpeg(pixels, _MOVING_QUALITY)]

    def still(self) -> bytes:
        """The bytes of a PNG of the last view at rest."""
        buffer = io.BytesIO()
        write_still(buffer, self._pixels(self.view, exact=True), _STILL)
        return buffer.getvalue()

    def _pixels(self, view: View, exact: bool) -> Bytes:
        options = self.options
        if exact and view.samples != 1:
            return render(self.picture, view=view, numerics=options.numerics, precision=options.precision)
        if self._closed:
            raise InputError("the live view is closed", place="explore", fix="run the cell again")
        view = view.replace(samples=1)
        if self._session is None:
            self._session = Session(view=view, numerics=options.numerics, precision=options.precision)
        return self._session.update(self.picture, view=view).pixels

    def leave(self) -> None:
        """End the session, since nobody looks; the next request begins another one."""
        if self._session is not None:
            self._session.close()
        self._session = None

    def close(self) -> None:
        """End the session for good."""
        self._closed = True
        self.leave()


def _span(default: float, low: float, high: float) -> tuple[float, float]:
    """The range of a slider: that of the parameter, or one about its default where it has no end."""
    around = 2 * max(1.0, abs(default))
    return (
        low if math.isfinite(low) else min(default, high) - around,
        high if math.isfinite(high) else max(default, low) + around,
    )


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
