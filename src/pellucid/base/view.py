"""Views: which part of a picture is looked at, at which time and how finely.

Ground floor, so that pictures may carry one and every verb takes one. A `View` is complete and right in itself; what
depends on the precision and on the memory is checked in `driver.view` when it is used. The arguments of a view are
listed once, in `ViewArguments`: a verb takes them as keywords, and `spelled_out` lists them in its signature.
"""

from __future__ import annotations

import inspect
import math
import operator
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from functools import partial
from itertools import islice
from types import MappingProxyType
from typing import Any, TypedDict, TypeVar, Unpack, cast, get_type_hints

from .errors import ArgumentError, InputError, brief, did_you_mean
from .record import record
from .source_location import caller

#: Each pixel is the mean of at most so many by so many samples.
MAX_SAMPLES = 64
#: The largest number of threads that may be asked for.
MAX_THREADS = 1024

F = TypeVar("F", bound=Callable[..., Any])


class ViewArguments(TypedDict, total=False):
    """The arguments of a `View` beside its size. An argument that is not given stays as it is in the view."""

    center: tuple[float, float]
    zoom: float
    time: float
    samples: int
    threads: int | None
    params: Mapping[str, float] | None


class _AsInView:
    """The default of an argument of a view: what the view says."""

    def __repr__(self) -> str:
        return "..."


def spelled_out(arguments: type) -> Callable[[F], F]:
    """Decorate a function that takes ``**arguments: Unpack[...]``: its signature lists each of them by name.

    Only what `help`, editors at run time and the reference show is changed, not the call. Their default is shown as
    ``...``, which stands for what the view says.

    >>> @spelled_out(ViewArguments)
    ... def look(**arguments: Unpack[ViewArguments]) -> None: ...
    >>> list(inspect.signature(look).parameters)
    ['center', 'zoom', 'time', 'samples', 'threads', 'params']
    """

    def decorate(function: F) -> F:
        signature = inspect.signature(function)
        kept = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
        more = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=_AS_IN_VIEW, annotation=type_)
            for name, type_ in get_type_hints(arguments).items()
        ]
        function.__signature__ = signature.replace(parameters=[*kept, *more])
        return function

    return decorate


_AS_IN_VIEW = _AsInView()


@record
class View:
    """A view of a picture: what `render` and every other verb take as `view`, or as keywords of the same names.

    `size` is in pixels, a number stands for a square; `center` is in units, `zoom` in pixels per unit, `time` in
    seconds. The vertical axis grows upward, row 0 is the top row, and colors are taken at pixel centers; each pixel is
    the mean light of `samples` by `samples` points. `params` gives values of the picture's parameters by name, and at
    most `threads` threads draw. A view never changes; views with equal fields are equal.
    Raises InputError for a value of the wrong kind, not finite or out of range.

    >>> close = View((4, 3), zoom=2.0)
    >>> close.corner()
    (-1.0, 0.75)
    >>> close.replace(time=0.5)
    View(size=(4, 3), zoom=2.0, time=0.5)
    """

    size: tuple[int, int]
    center: tuple[float, float]
    zoom: float
    time: float
    samples: int
    threads: int | None
    params: Mapping[str, float] = field(hash=False)

    def __init__(
        self,
        size: tuple[int, int] | int = (512, 512),
        *,
        center: tuple[float, float] = (0.0, 0.0),
        zoom: float = 1.0,
        time: float = 0.0,
        samples: int = 1,
        threads: int | None = None,
        params: Mapping[str, float] | None = None,
    ) -> None:
        given = size, center, zoom, time, samples, threads, params
        for (name, check), value in zip(_CHECKS.items(), given, strict=True):
            object.__setattr__(self, name, check(value))

    @spelled_out(ViewArguments)
    def replace(self, size: tuple[int, int] | int | None = None, **arguments: Unpack[ViewArguments]) -> View:
        """This view with other values for some of its fields; `params` are replaced as a whole.

        Raises InputError as `View` does, and ArgumentError for an argument that no view has.

        >>> View(64, zoom=2.0).replace((8, 4), center=(1.0, 0.0))
        View(size=(8, 4), center=(1.0, 0.0), zoom=2.0)
        """
        if size is not None:
            changed: dict[str, Any] = {"size": size, **arguments}
        elif arguments:
            changed = {**arguments}
        else:
            return self
        made = object.__new__(View)
        put = object.__setattr__
        for name, value in self.arguments().items():
            # What does not change has been checked.
            put(made, name, _CHECKS[name](changed.pop(name)) if name in changed else value)
        for name in changed:
            fix = (
                did_you_mean(name, _CHECKS) or f"a view has {', '.join(_CHECKS)}; see help() of what you call"
            )
            raise ArgumentError(f"got an unexpected keyword argument {name!r}", place=caller()[0], fix=fix)
        return made

    def arguments(self) -> dict[str, Any]:
        """All fields by name: ``View(**view.arguments()) == view``.

        >>> View(8).arguments()["size"]
        (8, 8)
        """
        return {
            "size": self.size, "center": self.center, "zoom": self.zoom, "time": self.time,
            "samples": self.samples, "threads": self.threads, "params": self.params,
        }  # fmt: skip

    def resized(self, size: tuple[int, int] | int) -> View:
        """This view in another size: the zoom is such that nothing is cut, and the center stays.

        Raises InputError as `View` does.

        >>> View((600, 400), zoom=100.0).resized((300, 300))
        View(size=(300, 300), zoom=50.0)
        """
        width, height = _checked_sides(size)
        return self.replace(
            (width, height), zoom=self.zoom * min(width / self.size[0], height / self.size[1])
        )

    def corner(self) -> tuple[float, float]:
        """The point, in units, at the top left corner of the top left pixel."""
        width, height = self.size
        return (
            self.center[0] - width / (2 * self.zoom),
            self.center[1] + height / (2 * self.zoom),
        )

    def __repr__(self) -> str:
        """The call that makes it, without what is as usual."""
        told: list[str] = []
        for name, value in self.arguments().items():
            shown = dict(value) if name == "params" else value
            if name == "size" or value != getattr(DEFAULT, name):
                told.append(f"{name}={shown!r}")
        return f"View({', '.join(told)})"

    def __reduce__(self) -> tuple[Any, ...]:
        """How to pickle and copy it: the mapping that no one can change cannot be pickled itself."""
        return _rebuilt, ({**self.arguments(), "params": dict(self.params)},)


def _rebuilt(arguments: dict[str, Any]) -> View:
    return View(**arguments)


def looked_at(view: object, size: object, arguments: Mapping[str, Any], framed: View | None = None) -> View:
    """The view that a verb is asked for: `view`, or else that which the picture is `framed` by, with what is given.

    Where a picture is framed and another size is given without a zoom, all of the frame is shown. Raises InputError
    for a `view` that is none, and as `View.replace`.

    >>> looked_at(View(64, zoom=2.0), (4, 2), {"time": 1.0})
    View(size=(4, 2), zoom=2.0, time=1.0)
    >>> looked_at(None, (4, 2), {}, View(64, zoom=2.0))
    View(size=(4, 2), zoom=0.0625)
    >>> looked_at("near", None, {})
    Traceback (most recent call last):
        ...
    pellucid.base.errors.InputError: view: 'near' is not a view; give one, such as pl.View(zoom=4.0)
    """
    if view is None:
        found = DEFAULT if framed is None else framed
        if framed is not None and size is not None and "zoom" not in arguments:
            found, size = framed.resized(cast("Any", size)), None
    elif isinstance(view, View):
        found = view
    else:
        raise InputError(
            f"{brief(view)} is not a view", place="view", fix="give one, such as pl.View(zoom=4.0)"
        )
    return found.replace(cast("Any", size), **cast("ViewArguments", arguments))


def checked_whole(place: str, value: object, low: int, high: int) -> int:
    """A whole number from `low` to `high`.

    Raises `InputError` that names `place` for anything else.

    >>> checked_whole("offset", 1.5, 0, 9)
    Traceback (most recent call last):
        ...
    pellucid.base.errors.InputError: offset: 1.5 is not a whole number; give a whole number from 0 to 9
    """
    if type(value) is int and low <= value <= high:
        return value
    fix = f"give a whole number from {low} to {high}"
    number = _whole(place, value, fix)
    if not low <= number <= high:
        raise InputError(f"{number} is out of range", place=place, fix=fix)
    return number


def checked_real(place: str, value: object) -> float:
    """A finite number.

    Raises `InputError` that names `place` for anything else.

    >>> checked_real("zoom", "2")
    Traceback (most recent call last):
        ...
    pellucid.base.errors.InputError: zoom: '2' is not a number; give a finite number
    """
    if type(value) is float and math.isfinite(value):
        return value
    fix = "give a finite number"
    if not is_number(value):
        raise InputError(f"{brief(value)} is not a number", place=place, fix=fix)
    try:
        number = float(value)  # pyright: ignore[reportArgumentType]
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{brief(value)} is not a finite number", place=place, fix=fix) from None
    if not math.isfinite(number):
        raise InputError(f"{number} is not a finite number", place=place, fix=fix)
    return number


def is_number(value: object) -> bool:
    """Whether something is one number: no truth, no text and no array.

    >>> is_number(2), is_number(True), is_number("2")
    (True, False, False)
    """
    if isinstance(value, (bool, str, bytes, type)) or getattr(value, "ndim", 0):
        return False
    return hasattr(value, "__index__") or hasattr(value, "__float__")


def _checked_sides(size: object) -> tuple[int, int]:
    fix = "give pixels, such as (640, 480) or 512"
    a, b = _pair("size", size, fix, square=True)
    width, height = _whole("size", a, fix), _whole("size", b, fix)
    if width < 1 or height < 1:
        raise InputError(
            f"{width}x{height} has no pixels", place="size", fix="give a width and a height of at least 1"
        )
    return width, height


def _checked_center(center: object) -> tuple[float, float]:
    x, y = _pair("center", center, "give x and y in units, such as (0.0, 0.0)")
    return checked_real("center", x), checked_real("center", y)


def _checked_zoom(zoom: object) -> float:
    number = checked_real("zoom", zoom)
    if number <= 0:
        raise InputError(f"{number:g} pixels per unit", place="zoom", fix="give a positive number")
    return number


def _checked_samples(samples: object) -> int:
    return checked_whole("samples", samples, 1, MAX_SAMPLES)


def _checked_threads(threads: object) -> int | None:
    return None if threads is None else checked_whole("threads", threads, 1, MAX_THREADS)


def _pair(place: str, value: object, fix: str, *, square: bool = False) -> tuple[object, object]:
    if (given := _plain_pair(value)) is not None:
        return given
    if square and (is_number(value) or isinstance(value, bool)):
        return value, value
    # An array of one number says that it can be gone through, and cannot.
    alone = getattr(value, "ndim", 1) == 0
    if isinstance(value, (str, bytes, Mapping)) or alone or not isinstance(value, Iterable):
        raise InputError(f"{brief(cast('object', value))} is not a pair of numbers", place=place, fix=fix)
    # Three are enough to know that they are not two, and some iterables never end.
    items = list(islice(cast("Iterable[object]", value), 3))
    if len(items) != 2:
        count = f"more than {len(items) - 1}" if len(items) > 2 else len(items)
        raise InputError(f"{brief(cast('object', value))} has {count} numbers, not two", place=place, fix=fix)
    return items[0], items[1]


def _plain_pair(value: object) -> tuple[object, object] | None:
    given = cast("tuple[object, ...]", value) if isinstance(value, tuple) else ()
    return (given[0], given[1]) if len(given) == 2 else None


def _whole(place: str, value: object, fix: str) -> int:
    if type(value) is int:
        return value
    try:
        if not isinstance(value, bool):
            return operator.index(value)  # pyright: ignore[reportArgumentType]
    except TypeError:
        pass
    raise InputError(f"{brief(value)} is not a whole number", place=place, fix=fix)


def checked_params(value: object) -> Mapping[str, float]:
    """Names of parameters and finite numbers; None stands for none.

    Raises `InputError` for anything else.

    >>> checked_params([1])
    Traceback (most recent call last):
        ...
    pellucid.base.errors.InputError: params: [1] is not a mapping; give names and numbers, such as {'twist': 2.0}
    """
    if value is None:
        return _NO_PARAMS
    if not isinstance(value, Mapping):
        raise InputError(
            f"{brief(value)} is not a mapping",
            place="params",
            fix="give names and numbers, such as {'twist': 2.0}",
        )
    given: Mapping[object, object] = value  # pyright: ignore[reportUnknownVariableType]
    return MappingProxyType(
        {str(name): checked_real(f"params[{str(name)!r}]", given[name]) for name in given}
    )


_NO_PARAMS: Mapping[str, float] = MappingProxyType({})
_CHECKS: Mapping[str, Callable[[Any], Any]] = {
    "size": _checked_sides,
    "center": _checked_center,
    "zoom": _checked_zoom,
    "time": partial(checked_real, "time"),
    "samples": _checked_samples,
    "threads": _checked_threads,
    "params": checked_params,
}
"""The checks of a view's fields, in their order."""
DEFAULT = View()
"""The view of a verb that is told nothing."""
