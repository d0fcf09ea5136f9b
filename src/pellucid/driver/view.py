"""Views that can be drawn: checked against the precision and the memory, before anything is computed.

Every drawing begins with a `View`, in `canvas` before it compiles and in a kernel before it runs. A wrong value ends
there, in one error that names it, so that no back end ever meets a size of zero, a NaN or a picture larger than the
memory. Values that are right as they come pass in microseconds.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any, NamedTuple, Unpack, cast

import numpy as np

from ..backends.port import address
from ..base.errors import InputError, brief, did_you_mean
from ..base.memory import available_memory, readable_bytes
from ..base.view import View, ViewArguments, checked_whole, is_number, looked_at
from .frame import FINEST, MAX_PIXELS, MAX_SIDE, MAX_WHOLE, REACH

#: So many bytes are always there: no need to ask the system.
_SMALL = 16 << 20

#: Mantissa bits and largest finite value of the two precisions.
_PRECISIONS = {"f32": (24, 3.4028234663852886e38), "f64": (53, sys.float_info.max)}


class FramePart(NamedTuple):
    """A rectangle of a whole picture: its left column, its top row, its width and its height in pixels."""

    left: int
    top: int
    width: int
    height: int

    @property
    def size(self) -> tuple[int, int]:
        """Width and height."""
        return self.width, self.height


def part_of(view: View, part: object = None) -> FramePart:
    """A part of the picture that a view shows: the one given, checked, or all of it.

    Raises InputError for what is not four whole numbers, or not inside of the whole.

    >>> part_of(View((640, 480))), part_of(View(64), (60, 0, 4, 8)).size
    (FramePart(left=0, top=0, width=640, height=480), (4, 8))
    >>> part_of(View(64), (60, 0, 8, 8))
    Traceback (most recent call last):
        ...
    pellucid.base.errors.InputError: part: 60+8 columns are beyond the 64 of the whole; give at most 4 from there on
    """
    if part is None:
        return FramePart(0, 0, *view.size)
    if not isinstance(part, tuple | list) or len(cast("tuple[object, ...]", part)) != len(FramePart._fields):
        fix = "give left, top, width and height in pixels of the whole, such as (0, 0, 256, 256)"
        raise InputError(f"{brief(cast('object', part))} is not a rectangle", place="part", fix=fix)
    most = MAX_WHOLE["f64"]
    given = zip(FramePart._fields, cast("tuple[object, ...]", part), strict=True)
    found = FramePart(
        *[checked_whole(f"part {n}", x, 0 if n in ("left", "top") else 1, most) for n, x in given]
    )
    ends = (("columns", found.left, found.width), ("rows", found.top, found.height))
    for (word, first, count), side in zip(ends, view.size, strict=True):
        if first + count > side:
            left = max(side - first, 0)
            fix = f"give at most {left} from there on" if left else f"begin at most at {side - 1}"
            raise InputError(
                f"{first}+{count} {word} are beyond the {side} of the whole", place="part", fix=fix
            )
    return found


class Smooth(NamedTuple):
    """The tolerance of a pixel, in parts of a channel's range: guaranteed, and estimated. None is no tolerance."""

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
    size: tuple[int, int] | int | None = None,
    *,
    view: View | None = None,
    framed: View | None = None,
    part: object = None,
    precision: str = "f32",
    frames: int = 1,
    **arguments: Unpack[ViewArguments],
) -> View:
    """The view that is asked for, as `looked_at`, of which every value is in the range of the precision.

    `frames` is how many pictures, or parts of that size, are held in memory at once. Raises `InputError` for a value of
    the wrong kind, not finite or out of range, for a picture that does not fit into the memory, and where neighboring
    pixels would have equal coordinates.

    >>> checked_view(64).size
    (64, 64)
    >>> checked_view((64, 0))
    Traceback (most recent call last):
        ...
    pellucid.base.errors.InputError: size: 64x0 has no pixels; give a width and a height of at least 1
    """
    found = looked_at(view, size, arguments, framed)
    _check_whole(found.size, precision)
    check_size(part_of(found, part).size, frames=frames)
    reach, (_, largest) = REACH[precision], _PRECISIONS[precision]
    x, y = found.center
    _check_reach("center", max(x, y, key=abs), reach, precision)
    _check_reach("zoom", found.zoom, largest, precision)
    _check_reach("time", found.time, reach, precision)
    for name, value in found.params.items():
        _check_reach(f"params[{name!r}]", value, largest, precision)
    _check_resolution(found, precision)
    return found


def carried(picture: object) -> View | None:
    """The view that a picture carries, or the picture that a kernel was made of.

    >>> carried("no picture") is None
    True
    """
    view = getattr(picture, "view", None)
    return view if isinstance(view, View) else None


def of_one_sample(view: View) -> View:
    """The view, if it asks for one sample of each pixel, as sessions draw.

    Raises `InputError` otherwise.

    >>> of_one_sample(View(8, samples=2))
    Traceback (most recent call last):
        ...
    pellucid.base.errors.InputError: samples: a session draws one sample for each pixel; leave it out, or draw with ...
    """
    if view.samples != 1:
        fix = "leave it out, or draw with `render`"
        raise InputError("a session draws one sample for each pixel", place="samples", fix=fix)
    return view


def moved_to(old: View, carried: View, precision: str) -> View:
    """A session's view, moved so that it shows the frame of a picture; size and threads belong to the viewer.

    Raises `InputError` as `checked_view` does.

    >>> moved_to(View(8, zoom=2.0), View(64, zoom=16.0, time=3.0), "f32")
    View(size=(8, 8), zoom=2.0, time=3.0)
    """
    seen = carried.resized(old.size)
    there = old.replace(center=seen.center, zoom=seen.zoom, time=seen.time, params=seen.params)
    return checked_view(view=there, precision=precision)


def edited(old: View, size: Any, view: View | None, arguments: ViewArguments, precision: str) -> View:
    """The view of a session that is asked for something else; None stands for what is not given.

    Raises `InputError` as `checked_view` and `of_one_sample` do.

    >>> edited(View(8), None, None, {"zoom": 2.0}, "f32")
    View(size=(8, 8), zoom=2.0)
    """
    # Viewers hand on whatever they have.
    given = cast("ViewArguments", {name: value for name, value in arguments.items() if value is not None})
    if size is None and view is None and not given:
        return old
    return of_one_sample(checked_view(size, view=old if view is None else view, precision=precision, **given))


def _check_whole(size: tuple[int, int], precision: str) -> None:
    """A side of the whole must not have more pixels than a precision tells apart, with their samples."""
    most = MAX_WHOLE[precision]
    if max(size) > most:
        wide = MAX_WHOLE["f64"]
        fix = "give precision='f64'" if max(size) <= wide else f"a side has at most {wide} pixels in f64"
        raise InputError(
            f"{size[0]}x{size[1]} is too large: {precision} tells {most} pixels of a side apart",
            place="size",
            fix=fix,
        )


def check_size(size: tuple[int, int], *, frames: int = 1) -> None:
    """Nothing, if so many pixels can be drawn at once and held in memory.

    Raises `InputError` if a side is above `MAX_SIDE` or there are too many for the memory or to be counted.

    >>> check_size((1 << 21, 4))
    Traceback (most recent call last):
        ...
    pellucid.base.errors.InputError: size: 2097152x4 is too large; at once 1048576 pixels of a side are drawn; ...
    """
    width, height = size
    shown = f"{width}x{height}"
    if max(width, height) > MAX_SIDE:
        raise InputError(
            f"{shown} is too large",
            place="size",
            fix=f"at once {MAX_SIDE} pixels of a side are drawn; draw it in parts (part=...)",
        )
    needed = width * height * 4 * frames
    available = available_memory() if needed > _SMALL else None
    if available is not None and needed > available:
        raise InputError(
            f"{shown} needs {readable_bytes(needed)} of memory and {readable_bytes(available)} are available",
            place="size",
            fix="draw it smaller or in parts (part=...)",
        )
    check_count(width, height)


def check_count(width: int, height: int) -> None:
    """Nothing, if so many pixels can be counted.

    Raises `InputError` if they are more than `MAX_PIXELS`.

    >>> check_count(1 << 16, 1 << 16)
    Traceback (most recent call last):
        ...
    pellucid.base.errors.InputError: size: 65536x65536 has more than 2147483647 pixels; draw it in parts (part=...)
    """
    if width * height > MAX_PIXELS:
        raise InputError(
            f"{width}x{height} has more than {MAX_PIXELS} pixels",
            place="size",
            fix="draw it in parts (part=...)",
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
    """The memory of a frame of so many columns and rows: `out`, checked, or a new array of shape (rows, columns, 4).

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


def _checked_part(place: str, value: object) -> float | None:
    if value is None:
        return None
    fix = "give a number from 0 to 1, such as 1/255, or None"
    if not is_number(value):
        raise InputError(f"{brief(value)} is not a number", place=place, fix=fix)
    # Compared before it is a float: a whole number may be beyond all floats.
    if not 0 <= value <= 1:  # pyright: ignore[reportOperatorIssue]
        raise InputError(f"{brief(value)} is out of range", place=place, fix=fix)
    return float(value)  # pyright: ignore[reportArgumentType]


def _check_reach(place: str, value: float, most: float, precision: str) -> None:
    if abs(value) > most:
        raise InputError(
            f"{value:g} is too large for {precision}", place=place, fix="precision='f64' holds it"
        )


def _reach(view: View) -> float:
    """The largest coordinate of a view."""
    return max(abs(c) + side / 2 / view.zoom for c, side in zip(view.center, view.size, strict=True))


def is_resolved(view: View, precision: str) -> bool:
    """Whether neighboring pixels have different coordinates.

    >>> [is_resolved(View(64, center=(1e6, 0.0), zoom=zoom), "f32") for zoom in (4.0, 4096.0)]
    [True, False]
    """
    bits, _ = _PRECISIONS[precision]
    return _reach(view) * 2.0 ** (1 - bits) <= 1 / view.zoom


def _check_resolution(view: View, precision: str) -> None:
    """The pixel grid must be coarser than the spacing of representable numbers out there."""
    coarsest, finest = 1 / REACH[precision], FINEST[precision]
    if not coarsest <= view.zoom <= finest:
        raise InputError(
            f"{view.zoom:g} is out of range for {precision}",
            place="zoom",
            fix=f"give a number from {coarsest:g} to {finest:g}",
        )
    reach = _reach(view)
    if reach > REACH[precision]:
        raise InputError(
            f"at {view.zoom:g} pixels per unit the coordinates leave the range of {precision}",
            place="zoom",
            fix="give a larger zoom",
        )
    if not is_resolved(view, precision):
        finer = "give precision='f64'" if precision == "f32" else "look closer to the origin"
        raise InputError(
            f"at a zoom of {view.zoom:g} around {view.center}, neighboring pixels have equal coordinates"
            f" in {precision}",
            place="center",
            fix=f"{finer} or a smaller zoom",
        )
