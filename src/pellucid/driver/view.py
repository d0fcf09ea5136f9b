"""What to look at: size, center, zoom, time, samples and parameters, checked before anything is computed.

Every drawing begins by making a `View`, in `canvas` before it compiles and in a kernel before it runs. A wrong value
ends here, in one error that names it, so that no back end ever meets a size of zero, a NaN or a picture larger than the
memory. Values that are right as they come pass in microseconds.
"""

from __future__ import annotations

import math
import operator
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, NamedTuple, cast

import numpy as np

from ..backends.port import address
from ..base.errors import InputError, brief, did_you_mean
from ..base.memory import available_memory, readable_bytes
from .frame import FINEST, LARGEST_SIDE, MOST_PIXELS, REACH

#: Each pixel is the mean of at most so many by so many samples.
MOST_SAMPLES = 64
#: The largest number of threads that may be asked for.
MOST_THREADS = 1024
#: So many bytes are always there: no need to ask the system.
_SMALL = 16 << 20

#: Mantissa bits and largest finite value of the two precisions.
_PRECISIONS = {"f32": (24, 3.4028234663852886e38), "f64": (53, sys.float_info.max)}


@dataclass(frozen=True)
class View:
    """One look at a picture: `size` in pixels, `center` in units, `zoom` in pixels per unit, `time` in seconds.

    The vertical axis grows upward, row 0 is the top row, and colors are taken at pixel centers.

    >>> View((4, 3), zoom=2.0).corner()
    (-1.0, 0.75)
    """

    size: tuple[int, int]
    center: tuple[float, float] = (0.0, 0.0)
    zoom: float = 1.0
    time: float = 0.0
    samples: int = 1
    threads: int | None = None
    params: Mapping[str, float] = field(default_factory=dict[str, float])

    def corner(self) -> tuple[float, float]:
        """The point, in units, at the top left corner of the top left pixel."""
        width, height = self.size
        return (
            self.center[0] - width / (2 * self.zoom),
            self.center[1] + height / (2 * self.zoom),
        )


class Smooth(NamedTuple):
    """How far a pixel may be off, in parts of a channel's range: for sure, and by estimate. None asks for nothing."""

    tolerance: float | None = None
    error: float | None = None


EXACT = Smooth()


def checked_smooth(tolerance: object, error: object, samples: object) -> Smooth:
    """A tolerance from 0 to 1, and an error above 0 and at most 1, or None for either.

    Raises InputError for anything else, and for an error without samples to choose from.

    >>> checked_smooth(1 / 255, None, 4).tolerance * 255
    1.0
    >>> checked_smooth(-0.5, None, 4)
    Traceback (most recent call last):
        ...
    pellucid.base.errors.InputError: tolerance: -0.5 is out of range; give a number from 0 to 1, such as 1/255, or None
    """
    found = Smooth(_checked_part("tolerance", tolerance), _checked_part("error", error))
    if found.error == 0:
        raise InputError("an estimate is never exact", place="error", fix="leave it out, or give 1/255")
    if found.error is not None and samples == 1:
        fix = "give the most samples that a row of a pixel may have, such as samples=16"
        raise InputError("one sample leaves no choice", place="error", fix=fix)
    return found


def checked_view(
    size: object = (512, 512),
    *,
    center: object = (0.0, 0.0),
    zoom: object = 1.0,
    time: object = 0.0,
    samples: object = 1,
    threads: object = None,
    params: object = None,
    precision: str = "f32",
    frames: int = 1,
) -> View:
    """A `View` of which every value is in range; `frames` is how many pictures are held in memory at once.

    Raises `InputError` for a value of the wrong kind, not finite or out of range, for a picture that does
    not fit into the memory, and for a center so far out that neighboring pixels would have equal coordinates.

    >>> checked_view(64).size
    (64, 64)
    >>> checked_view((64, 0))
    Traceback (most recent call last):
        ...
    pellucid.base.errors.InputError: size: 64x0 has no pixels; give a width and a height of at least 1
    """
    width, height = checked_size(size, frames=frames)
    view = View(
        size=(width, height),
        center=_checked_point(center, precision),
        zoom=_checked_real("zoom", zoom, precision),
        time=_checked_real("time", time, precision, REACH[precision]),
        samples=checked_whole("samples", samples, 1, MOST_SAMPLES),
        threads=None if threads is None else checked_whole("threads", threads, 1, MOST_THREADS),
        params=_checked_params(params, precision),
    )
    if view.zoom <= 0:
        raise InputError(f"{view.zoom:g} pixels per unit", place="zoom", fix="give a positive number")
    _check_resolution(view, precision)
    return view


def checked_size(size: object, *, frames: int = 1) -> tuple[int, int]:
    """Width and height in pixels from a pair or from one number for a square.

    Raises `InputError` if they are not whole, below 1, above `LARGEST_SIDE` or too large for the memory.

    >>> checked_size(16)
    (16, 16)
    >>> checked_size((640, 480.5))
    Traceback (most recent call last):
        ...
    pellucid.base.errors.InputError: size: 480.5 is not a whole number; give pixels, such as (640, 480) or 512
    """
    fix = "give pixels, such as (640, 480) or 512"
    width, height = (_whole("size", side, fix) for side in _pair("size", size, fix, square=True))
    shown = f"{width}x{height}"
    if width < 1 or height < 1:
        raise InputError(
            f"{shown} has no pixels", place="size", fix="give a width and a height of at least 1"
        )
    if max(width, height) > LARGEST_SIDE:
        raise InputError(
            f"{shown} is too large",
            place="size",
            fix=f"a side has at most {LARGEST_SIDE} pixels; draw it in parts",
        )
    needed = width * height * 4 * frames
    available = available_memory() if needed > _SMALL else None
    if available is not None and needed > available:
        raise InputError(
            f"{shown} needs {readable_bytes(needed)} of memory and {readable_bytes(available)} are available",
            place="size",
            fix="draw it smaller or in parts (center=...)",
        )
    check_count(width, height)
    return width, height


def check_count(width: int, height: int) -> None:
    """Nothing, if so many pixels can be counted.

    Raises `InputError` if they are more than `MOST_PIXELS`.

    >>> check_count(1 << 16, 1 << 16)
    Traceback (most recent call last):
        ...
    pellucid.base.errors.InputError: size: 65536x65536 has more than 2147483647 pixels; draw it in parts (center=...)
    """
    if width * height > MOST_PIXELS:
        raise InputError(
            f"{width}x{height} has more than {MOST_PIXELS} pixels",
            place="size",
            fix="draw it in parts (center=...)",
        )


def check_known_params(given: Iterable[str], known: Iterable[str]) -> None:
    """Nothing, if all names in `given` are parameters of the picture.

    Raises `InputError` that names the unknown one and the closest known one.

    >>> check_known_params(["twst"], ["twist", "radius"])
    Traceback (most recent call last):
        ...
    pellucid.base.errors.InputError: params: the picture has no parameter 'twst'; did you mean 'twist'?
    """
    known = sorted(known)
    for name in given:
        if name not in known:
            fix = did_you_mean(name, known)
            if fix is None:
                fix = f"it has {', '.join(known)}" if known else "it has none; make one with pl.param(...)"
            raise InputError(f"the picture has no parameter {name!r}", place="params", fix=fix)


def pixels_of(size: tuple[int, int], out: object = None) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """Where a frame of so many columns and rows goes: `out`, checked, or a new array of shape (rows, columns, 4).

    A new one begins with a line of the processor's cache. NumPy's large arrays begin in the middle of one, and a vector
    as long as a line that lies across two takes twice as long to store. Raises InputError as `checked_out`.

    >>> pixels_of((3, 2)).shape, address(pixels_of((640, 480))) % 64
    ((2, 3, 4), 0)
    """
    width, height = size
    shape = height, width, 4
    if out is not None:
        return checked_out(out, shape)
    count = 4 * width * height
    room = np.empty(count + _LINE, np.uint8)
    first = -address(room) % _LINE
    return room[first : first + count].reshape(shape)


_LINE = 64
_BYTE = np.dtype(np.uint8)


def checked_out(out: object, shape: tuple[int, ...]) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """`out`, if pixels of that shape can be written to it as they are: no copy would reach the caller.

    Raises `InputError` for anything but a writable, contiguous array of bytes of exactly that shape.

    >>> checked_out(np.zeros((2, 3, 4)), (2, 3, 4))
    Traceback (most recent call last):
        ...
    pellucid.base.errors.InputError: out: its elements are float64; give a writable, contiguous array of uint8 and ...
    """
    problem, more = None, ""
    array: np.ndarray[Any, Any] = out  # pyright: ignore[reportAssignmentType]
    if not isinstance(out, np.ndarray):
        problem = f"{type(out).__name__} is not an array"
    elif array.dtype != _BYTE:
        problem = f"its elements are {array.dtype}"
    elif array.shape != shape:
        problem = f"its shape is {array.shape}"
    elif not (flags := array.flags).c_contiguous:
        problem = "it is not contiguous"
    elif not flags.writeable:
        problem = "it is read-only"
    elif address(array) % 4:
        # Pixels are stored as words of four bytes.
        problem, more = "it does not begin at a multiple of 4 bytes", ", as NumPy makes it"
    if problem is not None:
        wanted = f"give a writable, contiguous array of uint8 and shape {shape}{more}"
        raise InputError(problem, place="out", fix=wanted)
    return array


def _pair(place: str, value: object, fix: str, *, square: bool = False) -> tuple[object, object]:
    if (given := _plain_pair(value)) is not None:
        return given
    if square and (_is_number(value) or isinstance(value, bool)):
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


def _is_number(value: object) -> bool:
    if isinstance(value, (bool, str, bytes, type)) or getattr(value, "ndim", 0):
        return False
    return hasattr(value, "__index__") or hasattr(value, "__float__")


def _whole(place: str, value: object, fix: str) -> int:
    if type(value) is int:
        return value
    try:
        if not isinstance(value, bool):
            return operator.index(value)  # pyright: ignore[reportArgumentType]
    except TypeError:
        pass
    raise InputError(f"{brief(value)} is not a whole number", place=place, fix=fix)


def checked_whole(place: str, value: object, low: int, high: int) -> int:
    """A whole number from `low` to `high`.

    Raises `InputError` that names `place` for anything else.

    >>> checked_whole("offset", 1.5, 0, 9)
    Traceback (most recent call last):
        ...
    pellucid.base.errors.InputError: offset: 1.5 is not a whole number; give a whole number from 0 to 9
    """
    fix = f"give a whole number from {low} to {high}"
    number = _whole(place, value, fix)
    if not low <= number <= high:
        raise InputError(f"{number} is out of range", place=place, fix=fix)
    return number


def _checked_real(place: str, value: object, precision: str, largest: float | None = None) -> float:
    if largest is None:
        _, largest = _PRECISIONS[precision]
    if type(value) is float and -largest <= value <= largest:
        return value
    if not _is_number(value):
        raise InputError(f"{brief(value)} is not a number", place=place, fix="give a finite number")
    try:
        number = float(value)  # pyright: ignore[reportArgumentType]
    except (TypeError, ValueError, OverflowError):
        raise InputError(
            f"{brief(value)} is not a finite number", place=place, fix="give a finite number"
        ) from None
    if not math.isfinite(number):
        raise InputError(f"{number} is not a finite number", place=place, fix="give a finite number")
    if abs(number) > largest:
        raise InputError(
            f"{number:g} is too large for {precision}", place=place, fix="precision='f64' holds it"
        )
    return number


def _checked_part(place: str, value: object) -> float | None:
    if value is None:
        return None
    fix = "give a number from 0 to 1, such as 1/255, or None"
    if not _is_number(value):
        raise InputError(f"{brief(value)} is not a number", place=place, fix=fix)
    # Compared before it is a float: a whole number may be beyond all floats.
    if not 0 <= value <= 1:  # pyright: ignore[reportOperatorIssue]
        raise InputError(f"{brief(value)} is out of range", place=place, fix=fix)
    return float(value)  # pyright: ignore[reportArgumentType]


def _checked_point(value: object, precision: str) -> tuple[float, float]:
    x, y = _pair("center", value, "give x and y in units, such as (0.0, 0.0)")
    reach = REACH[precision]
    return _checked_real("center", x, precision, reach), _checked_real("center", y, precision, reach)


def _checked_params(value: object, precision: str) -> dict[str, float]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise InputError(
            f"{brief(value)} is not a mapping",
            place="params",
            fix="give names and numbers, such as {'twist': 2.0}",
        )
    given: Mapping[object, object] = value  # pyright: ignore[reportUnknownVariableType]
    return {str(name): _checked_real(f"params[{str(name)!r}]", given[name], precision) for name in given}


def _check_resolution(view: View, precision: str) -> None:
    """The pixel grid must be finer than the spacing of representable numbers out there."""
    bits, _ = _PRECISIONS[precision]
    coarsest, finest = 1 / REACH[precision], FINEST[precision]
    if not coarsest <= view.zoom <= finest:
        raise InputError(
            f"{view.zoom:g} is out of range for {precision}",
            place="zoom",
            fix=f"give a number from {coarsest:g} to {finest:g}",
        )
    pitch = 1 / view.zoom
    reach = max(abs(c) + side / 2 * pitch for c, side in zip(view.center, view.size, strict=True))
    if reach > REACH[precision]:
        raise InputError(
            f"at {view.zoom:g} pixels per unit the coordinates leave the range of {precision}",
            place="zoom",
            fix="give a larger zoom",
        )
    if reach * 2.0 ** (1 - bits) > pitch:
        finer = "give precision='f64'" if precision == "f32" else "look closer to the origin"
        raise InputError(
            f"at a zoom of {view.zoom:g} around {view.center}, neighboring pixels have equal coordinates"
            f" in {precision}",
            place="center",
            fix=f"{finer} or a smaller zoom",
        )
