"""Sliders for the parameters of a picture, and for time, drawn again as they move.

Uses ipywidgets, the extra `pellucid[notebook]`. The picture is compiled once; a slider changes only what it is given.
"""

from __future__ import annotations

from typing import Any, Protocol, Unpack, cast

from pellucid.base.errors import MissingExtraError
from pellucid.base.view import View, spelled_out
from pellucid.canvas.source import DrawArguments
from pellucid.notebook.display import in_cell, png_bytes


class _Range(Protocol):
    default: float
    low: float
    high: float


@spelled_out(DrawArguments)
def sliders(
    picture: object,
    size: tuple[int, int] | int | None = None,
    *,
    view: View | None = None,
    seconds: float = 10.0,
    **arguments: Unpack[DrawArguments],
) -> Any:
    """A widget with the picture and a slider for each parameter, and for the time if it moves.

    `seconds` is the range of the time; otherwise as `png_bytes`. Raises `MissingExtraError` if ipywidgets is not
    installed, `InputError` for a value out of its range.

    >>> import pellucid as pl
    >>> from pellucid import images as im
    >>> twist = pl.param("twist", 100.0, low=20.0, high=400.0)
    >>> [type(child).__name__ for child in sliders(im.swirl(twist, im.checkerboard(10, im.red, im.blue))).children]
    ['Image', 'FloatSlider']
    """
    try:
        import ipywidgets  # pyright: ignore[reportMissingTypeStubs]
    except ImportError as error:
        raise MissingExtraError(
            "sliders need ipywidgets", fix="run: pip install 'pellucid[notebook]'"
        ) from error
    asked = in_cell(picture, size, view, arguments)
    first, near = asked.view, asked.near._asdict()
    kernel = asked.kernel()
    handles: dict[str, Any] = {}
    for name, known in kernel.params.items():
        span = cast("_Range", known)
        handles[name] = _slider(ipywidgets, name, first.params.get(name, span.default), span.low, span.high)
    moment = _slider(ipywidgets, "time", first.time, 0.0, seconds) if kernel.time_varying else None

    def drawn() -> bytes:
        params = {**first.params, **{name: handle.value for name, handle in handles.items()}}
        time = first.time if moment is None else moment.value
        return png_bytes(kernel, view=first.replace(params=params, time=time), **near)

    shown = ipywidgets.Image(value=drawn(), format="png")

    def redraw(_: object) -> None:
        shown.value = drawn()

    movable = [*handles.values(), *([moment] if moment is not None else [])]
    for handle in movable:
        handle.observe(redraw, names="value")
    return ipywidgets.VBox([shown, *movable])


def _slider(ipywidgets: Any, name: str, value: float, low: float, high: float) -> Any:
    return ipywidgets.FloatSlider(
        value=value,
        min=low,
        max=high,
        step=(high - low) / 200,
        description=name,
        continuous_update=True,
        readout_format=".3g",
    )
