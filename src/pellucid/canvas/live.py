"""Live views: `Explorer` answers requests for frames of a picture, as a person moves, zooms and slides.

A sibling of `draw`. The widget of notebooks and the server of the studio hand such requests over and the answers back;
their front end, `explore.js`, sets the pace.
"""

from __future__ import annotations

import io
import math
from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np

from pellucid.base.errors import InputError, PellucidError
from pellucid.base.view import View, checked_real
from pellucid.canvas.draw import render
from pellucid.canvas.formats import Look, format_of
from pellucid.canvas.sinks import quick_jpeg, write_still
from pellucid.driver import Kernel, Options
from pellucid.driver.kernel import Bytes, checked_source
from pellucid.driver.session import Session
from pellucid.driver.view import check_known_params, checked_view
from pellucid.tracing.params import Param

Answer = tuple[dict[str, Any], list[bytes]]
_MOVING_QUALITY = 88
_STILL = Look(format_of("frame.png"))


class Explorer:
    """Draws the frames that front ends ask for, by a session of its own, which there is while somebody looks.

    While something moves, frames are JPEG; that of a frame that is not opaque is twice as high, and its lower half is
    the alpha, as gray. An exact frame is plain pixels of straight alpha, with the samples of the view.

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

    def show(self, picture: object) -> None:
        """Draw another picture from now on, from where the last one was looked at.

        Raises what the picture raises when it is traced; the one before is then still shown.
        """
        source = checked_source(picture)
        known = Kernel(source, self.options, now=False)
        params = {name: value for name, value in self.view.params.items() if name in known.params}
        self.picture, self._known = source, known
        self.view = self.view.replace(params=params)

    def setup(self) -> dict[str, Any]:
        """What a front end begins with: the last view at rest, the first one, and the parameters with their ranges."""
        view, home = self.view, self._home
        params: list[dict[str, Any]] = []
        for name, known in self._known.params.items():
            params.append(slider(name, known, view.params.get(name, known.default)))
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
            return {**told, "kind": "frame", "format": "raw"}, [pixels.tobytes()]
        alpha = pixels[..., 3:]
        if alpha.min() == 255:
            return {**told, "kind": "frame", "format": "jpeg"}, [quick_jpeg(pixels, _MOVING_QUALITY)]
        both = np.concatenate([pixels, np.broadcast_to(alpha, pixels.shape)])
        return {**told, "kind": "frame", "format": "masked"}, [quick_jpeg(both, _MOVING_QUALITY)]

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


def slider(name: str, known: Param, value: float) -> dict[str, Any]:
    """A parameter as front ends slide it: its name, its value, and the `low` and `high` end of its slider."""
    low, high = _span(known.default, known.low, known.high)
    return {"name": name, "low": low, "high": high, "value": value}


def _span(default: float, low: float, high: float) -> tuple[float, float]:
    """The range of a slider: that of the parameter, or one about its default where it has no end."""
    around = 2 * max(1.0, abs(default))
    return (
        low if math.isfinite(low) else min(default, high) - around,
        high if math.isfinite(high) else max(default, low) + around,
    )
