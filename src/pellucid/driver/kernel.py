"""The callable kernel: a compiled picture, and the one function that makes it, `compile`.

A kernel compiles its variants (straight or premultiplied alpha, with or without supersampling) when they are first
asked for. Equal programs share their code: the key is the traced pixel itself, which hash-consing makes one object.
"""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping
from dataclasses import replace
from inspect import getattr_static
from pathlib import PurePath
from types import FunctionType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, Unpack, cast

import numpy as np

from ..backends.port import Backend, Code, DeviceMemory
from ..base.deep_stack import with_deep_stack
from ..base.errors import InputError, brief
from ..base.gc_pause import gc_paused
from ..base.tracebacks import door
from ..base.transitions import once_positional
from ..base.view import View, ViewArguments, looked_at, spelled_out
from ..ir.nest import all_roots
from ..ir.prim import version
from ..ir.types import Type
from ..tracing import Param
from .compiled import codes, of_frame
from .frame import OUT, Frame, FrameVariant, PictureSource, build
from .lanes import C_LANES, pixel_lanes
from .lending import make_backend, within_reach
from .options import Options
from .tensors import Tensor, TensorMemory, array_at, memory_of, stream_of
from .view import (
    EXACT,
    FramePart,
    Smooth,
    carried,
    check_count,
    check_known_params,
    checked_smooth,
    checked_view,
    part_of,
    pixels_of,
)

if TYPE_CHECKING:
    from ..backends.cuda.code import CudaCode
    from .choosing import ChosenCode
    from .pipeline import Optimized
    from .smoothing import SmoothCode

Bytes = np.ndarray[Any, np.dtype[np.uint8]]
V = TypeVar("V")


class RenderArguments(ViewArguments, total=False):
    """The arguments of `Kernel.render` beside the size."""

    view: View | None
    part: tuple[int, int, int, int] | None
    out: Bytes | Tensor | None
    stream: object
    tolerance: float | None
    error: float | None


FORMER_ORDER = ("center", "zoom", "time", "samples", "threads", "params", "out", "tolerance", "error")
"""The arguments of `Kernel.render` that could be given by position, after the size."""


class Asked(NamedTuple):
    """The request of a drawing, before any of it is checked; `fresh` asks for memory as well."""

    form: str
    fresh: bool
    size: tuple[int, int] | int | None
    arguments: Mapping[str, Any]


class Ready(NamedTuple):
    """A request, if it can be repeated, and the values that follow from it."""

    asked: Asked | None
    view: View
    size: tuple[int, int]
    values: dict[str, Any]
    variant: FrameVariant
    near: Smooth


class ReadPicture(ABC):
    """A picture whose frames are not traced: it was read with them."""

    @abstractmethod
    def frame(self, real: Type, variant: FrameVariant) -> Frame:
        """The frame of a variant."""


class Kernel:
    """A compiled picture: size, view, time and parameters are its arguments, and changing one never recompiles.

    >>> from pellucid import images as im
    >>> kernel = compile(im.checkerboard(1, im.black, im.white))
    >>> kernel
    compile(checkerboard(1, black, white), numerics='relaxed', precision='f32', backend='auto')
    >>> kernel.render((4, 2))[..., 0]
    array([[  0, 255,   0, 255],
           [255,   0, 255,   0]], dtype=uint8)
    """

    def __init__(self, source: PictureSource, options: Options, *, now: bool = True) -> None:
        """Trace and compile the usual variant at once, so that errors show here; or not before it is asked for."""
        self.source, self.options = source, options
        self._frames: dict[FrameVariant, Frame] = {}
        self._versions: dict[Hashable, Any] = {}
        self._ready: Ready | None = None
        if now:
            code = self.code(FrameVariant())
            if options.backend == "auto":
                cast("ChosenCode", code).prepare()

    def __reduce__(self) -> tuple[Any, ...]:
        """How to pickle it: as a card."""
        from .card import card_of

        return kernel_of_card, (card_of(self.source, self.options).text,)

    def __repr__(self) -> str:
        """The picture, and how it is computed."""
        chosen = self.options
        how = f"numerics={chosen.numerics!r}, precision={chosen.precision!r}, backend={chosen.backend!r}"
        return f"compile({self.source!r}, {how})"

    @property
    def params(self) -> Mapping[str, Any]:
        """The picture's own parameters by name, with default, low and high."""
        return self.frame().params

    @property
    def time_varying(self) -> bool:
        """Whether the picture depends on time."""
        return self.source.time_varying

    @property
    def view(self) -> View | None:
        """The view that the picture carries, or None."""
        return carried(self.source)

    def frame(self, variant: FrameVariant = FrameVariant()) -> Frame:
        """The traced nest of a variant."""
        if variant not in self._frames:
            source, real = self.source, self.options.real
            if isinstance(source, ReadPicture):
                found = source.frame(real, variant)
            else:
                found = with_deep_stack(lambda: build(source, real, variant))
            self._frames[variant] = within_reach(found, self.options)
        return self._frames[variant]

    def version(self, key: Hashable, make: Callable[[], V]) -> V:
        """The code of this picture under a key, made when it is first asked for; it lives as long as the kernel."""
        found = self._versions.get(key)
        if found is None:
            with gc_paused():
                found = self._versions[key] = with_deep_stack(make)
        return found

    def code(self, variant: FrameVariant) -> Code:
        """The code that draws a variant."""

        def make() -> Code:
            frame, options = self.frame(variant), self.options
            if options.backend != "auto":
                return code_of(frame, options)
            from .choosing import ChosenCode

            return codes.get(key_of(frame, options), lambda: ChosenCode(frame, options))

        return self.version(variant, make)

    def _smooth_code(self, variant: FrameVariant) -> Code | SmoothCode:
        """The code that draws a variant whose pixels may be off by a little: how far, only intervals can tell."""
        from .smoothing import SmoothCode

        if self.options.backend != "auto":
            return self.code(variant)
        tiles = replace(self.options, backend="tiles")
        return self.version(
            (variant, "smooth"),
            lambda: SmoothCode(
                lambda: code_of(self.frame(variant), tiles), cast("ChosenCode", self.code(variant))
            ),
        )

    @once_positional(*FORMER_ORDER)
    @spelled_out(RenderArguments)
    @door
    def render(
        self, size: tuple[int, int] | int | None = None, **arguments: Unpack[RenderArguments]
    ) -> Bytes:
        """Pixels of shape (height, width, 4): red, green, blue and straight alpha, row 0 on top.

        Arguments that are given beside the `view` (or else that which the picture carries) override its fields
        of the same names. The pixels go to `out`, if given: an array, or a tensor of any library that speaks
        DLPack. With the back end "cuda" it may be on the GPU, and the pixels are there when its `stream` has
        come so far. Of a `part`, which is (left, top, width, height) in pixels of the whole `size`, they are
        those that the whole has there, bit for bit.
        A pixel may be off by a little, in parts of a channel's range: a `tolerance` such as 1/255 is kept for sure;
        an `error` is an estimate, and `samples` then are the most that a row of a pixel gets. The back ends "tiles"
        and "auto" know how.

        Raises InputError for a value out of its range, a picture too large for the memory, a parameter that is unknown
        or out of its range, or an `out` that is not a writable, contiguous array of that shape.
        """
        return self._draw("straight", size, **arguments)

    @once_positional(*FORMER_ORDER)
    @spelled_out(RenderArguments)
    @door
    def premultiplied(
        self, size: tuple[int, int] | int | None = None, **arguments: Unpack[RenderArguments]
    ) -> Bytes:
        """As `render`, with colors multiplied by alpha."""
        return self._draw("premultiplied", size, **arguments)

    def _draw(
        self, form: str, size: Any, out: Bytes | Tensor | None = None, stream: object = None, **arguments: Any
    ) -> Bytes:
        asked = Asked(form, out is None, size, arguments)
        # The same view again, as while something else moves, need not be checked again; what can change in place must.
        ready = self._ready
        try:
            known = ready is not None and asked == ready.asked and not arguments.get("params")
        except Exception:  # noqa: BLE001 - what cannot even be compared, such as an array, is refused by the check
            known = False
        if ready is None or not known:
            ready = self._ready = self._checked(asked)
        view = ready.view
        smooth = ready.near != EXACT
        on = stream_of(stream)
        tensor = None
        if out is not None and not isinstance(out, np.ndarray) and isinstance(out, Tensor):  # pyright: ignore[reportUnnecessaryIsInstance] - callers may err
            tensor, shape = out, (ready.size[1], ready.size[0], 4)
            found = memory_of(tensor, shape, on)
            if found.on_gpu:
                self._draw_on_gpu(ready, found, on, smooth=smooth)
                return cast("Bytes", tensor)
            out = array_at(found, shape)
        pixels = pixels_of(ready.size, cast("Bytes | None", out))
        if smooth:
            from .smoothing import draw

            draw(self._smooth_code(ready.variant), ready.values, pixels, ready.near, view.threads)
        else:
            memory = {OUT: pixels.reshape(-1).view(np.uint32)}
            self.code(ready.variant).run(ready.values, memory, threads=view.threads)
        return pixels if tensor is None else cast("Bytes", tensor)

    def _draw_on_gpu(self, ready: Ready, memory: TensorMemory, stream: int, *, smooth: bool) -> None:
        """Draw into a tensor where it is; raises InputError if the back end is another."""
        if self.options.backend != "cuda" or smooth:
            what = "pixels that may be off by a little are" if smooth else f"{self.options.backend!r} is"
            fix = (
                "leave out tolerance and error"
                if smooth
                else "compile with backend='cuda', or give memory of the CPU"
            )
            raise InputError(f"it is on a GPU, and {what} drawn by the CPU", place="out", fix=fix)
        code = cast("CudaCode", self.code(ready.variant))
        width, height = ready.size
        code.run_on(ready.values, {}, {OUT: DeviceMemory(memory.address, width * height)}, stream)

    def _checked(self, asked: Asked) -> Ready:
        """The view, every value of which is in range, and the kernel's arguments for it."""
        rest = dict(asked.arguments)
        names = ("view", "part", "tolerance", "error")
        view, part, tolerance, error = (rest.pop(name, None) for name in names)
        view = checked_view(
            view=looked_at(view, asked.size, rest, self.view),
            part=part,
            precision=self.options.precision,
            frames=int(asked.fresh),
        )
        near = checked_smooth(tolerance, error, view.samples)
        place = part_of(view, part)
        if part is not None and near != EXACT:
            fix = "leave out tolerance and error, or draw the whole"
            raise InputError("only a whole picture may be off by a little", place="part", fix=fix)
        # What may be off is a mean, also of one sample.
        variant = FrameVariant(asked.form, view.samples != 1 or near != EXACT)
        values = self.values(view, place)
        return Ready(asked if _is_fixed(asked) else None, view, place.size, values, variant, near)

    def values(
        self, view: View, part: FramePart | None = None, params: Mapping[str, Param] | None = None
    ) -> dict[str, Any]:
        """The arguments of the kernel for a part of a view, which is all of it by default.

        `params` are those of the picture, if the caller knows them.

        Raises InputError for too many pixels, and for a parameter that is unknown or out of its range.
        """
        left, top, width, height = part_of(view) if part is None else part
        check_count(width, height)
        return {
            "time": view.time,
            "center_x": view.center[0],
            "center_y": view.center[1],
            "scale": 1.0 / view.zoom,
            "width": width,
            "height": height,
            "left": left,
            "top": top,
            "whole_width": view.size[0],
            "whole_height": view.size[1],
            "samples": view.samples,
            **own_values(view.params, self.params if params is None else params),
        }


def kernel_of_card(text: bytes) -> Kernel:
    """The kernel that a card describes; its code is made when it is first asked for.

    Raises InputError for a text that is no card.

    >>> from pellucid import images as im
    >>> from pellucid.driver.card import card_of
    >>> kernel_of_card(card_of(im.udisk, Options("exact")).text).options.numerics
    'exact'
    """
    from .card import Card

    card = Card(text)
    return Kernel(card, card.options or Options(), now=False)


def _is_fixed(asked: Asked) -> bool:
    """Whether nothing that was asked can change in place."""
    if asked.arguments.get("params"):
        return False
    values = [asked.size, *(value for name, value in asked.arguments.items() if name != "params")]
    parts = [part for value in values for part in (cast("Any", value) if type(value) is tuple else (value,))]
    return all(isinstance(part, int | float | np.generic | View | None) for part in parts)


def own_values(given: Mapping[str, float], known: Mapping[str, Param]) -> dict[str, float]:
    """The values of a picture's own parameters: those given, and the defaults of the others.

    Raises InputError for a parameter that is unknown, or whose value is out of its range.
    """
    check_known_params(given, known)
    for name, value in given.items():
        if not known[name].low <= value <= known[name].high:
            p = known[name]
            raise InputError(
                f"{value} is not in {p.low} .. {p.high}", place=f"params {name}", fix="give one in range"
            )
    return {name: float(given.get(name, p.default)) for name, p in known.items()}


@door
def compile(
    picture: PictureSource, *, numerics: str = "relaxed", precision: str = "f32", backend: str = "auto"
) -> Kernel:
    """Compile a picture to a callable kernel.

    Raises InputError for an unknown option or for what is no picture, TraceError or VocabularyError for a picture that
    cannot be traced.
    """
    return Kernel(checked_source(picture), Options(numerics, precision, backend))


def checked_source(thing: object) -> PictureSource:
    """A picture that can be compiled.

    Raises InputError for anything else, among it functions that nobody has made a picture of, and kernels.

    >>> checked_source("swirl")
    Traceback (most recent call last):
        ...
    pellucid.base.errors.InputError: 'swirl' is not a picture; the picture comes first, then the file; ...
    """
    if isinstance(thing, Kernel):
        raise InputError("this picture is compiled already", fix="give the picture it was made of")
    # Asked without running anything of it: a picture may turn any name into a word of the vocabulary.
    if isinstance(thing, type) or not (_samples(type(thing)) or _has_samples(thing)):
        raise no_picture(thing)
    return cast("PictureSource", thing)


def no_picture(thing: object) -> InputError:
    """The error for what is given as a picture and is none, with what it was most likely meant to be.

    >>> print(no_picture([1, 2]))
    [1, 2] is not a picture; give one made with pellucid.images or a function marked with @pl.image or @pl.animation
    """
    told = brief(thing)
    fix = "give one made with pellucid.images or a function marked with @pl.image or @pl.animation"
    if type(thing).__module__ in ("pellucid.images.color", "pellucid.images.animation"):
        fix = "make a picture of it with pellucid.images.const(...)"
    elif isinstance(thing, FunctionType) and (thing.__module__ or "").startswith("pellucid.images."):
        fix = f"call it, as in im.{thing.__name__}(...)"
    elif callable(thing) and not isinstance(thing, type):
        fix = "mark it with @pl.image, or with @pl.animation if its argument is the time"
    elif isinstance(thing, np.ndarray):
        told, fix = "an array of NumPy", "make a picture of its pixels with pellucid.images.bitmap(array)"
    elif isinstance(thing, str | PurePath):
        fix = "the picture comes first, then the file; a file is read by pellucid.images.read_image(path)"
    return InputError(f"{told} is not a picture", fix=fix)


def _has_samples(thing: object) -> bool:
    return all(getattr_static(thing, name, None) is not None for name in ("sample", "time_varying"))


# What all pictures of a class have is looked for once.
_samples = functools.lru_cache(maxsize=64)(_has_samples)


def key_of(frame: Frame, options: Options) -> Hashable:
    """What tells the code of a frame from that of others in memory."""
    # What is known of a parameter is compiled in, and checked when the code runs.
    known = frozenset(frame.ranges.items())
    return frame.kernel.outputs, tuple(all_roots(frame.kernel.body)), known, options, version()


def code_of(frame: Frame, options: Options) -> Code:
    """The code of a frame, from memory if equal programs were compiled before."""
    backend = make_backend(options.backend)
    best = functools.partial(optimized, frame, options, backend)

    def make() -> Code:
        return of_frame(frame, options, backend, best)

    return codes.get(key_of(frame, options), make)


class _Absent(Exception):  # noqa: N818 - nothing is wrong
    """Code would have to be made."""


def at_hand(frame: Frame, options: Options) -> Code | None:
    """The code of a frame if it was made before, in this process or by one with the same cache; else None."""

    def best() -> Optimized:
        raise _Absent

    def make() -> Code:
        return of_frame(frame, options, make_backend(options.backend), best)

    try:
        return codes.get(key_of(frame, options), make)
    except _Absent:
        return None


def optimized(frame: Frame, options: Options, backend: Backend, lanes: int = 0) -> Optimized:
    """The frame's nest after the default script, for a back end's lanes or so many."""
    # Whoever finds code in the cache optimizes nothing.
    from .pipeline import optimize

    return optimize(frame.kernel, frame.ranges, options, lanes or pixel_lanes(backend, options, frame.kernel))


@door
def export_c(
    picture: PictureSource,
    name: str = "picture",
    *,
    numerics: str = "relaxed",
    precision: str = "f32",
    lanes: int = 16,
) -> tuple[str, str]:
    """A header and a source in C that draw the picture, depending on nothing but the C library.

    `name` becomes the function's. So many `lanes`, 4 to 64, make the steps of an iteration together: 16 are best with
    registers of 256 bits, 32 with 512. Raises as `compile` does, and InputError for what is no name or no such number.
    """
    from ..backends.c import export

    if not isinstance(name, str) or not name:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InputError(f"{brief(name)} is not a name", place="name", fix="give a string, such as 'picture'")
    if not isinstance(lanes, int) or lanes not in C_LANES:  # pyright: ignore[reportUnnecessaryIsInstance]
        fix = f"give one of {', '.join(map(str, C_LANES))}"
        raise InputError(f"{brief(lanes)} is no number of lanes", place="lanes", fix=fix)
    options = Options(numerics, precision, "c")
    source = checked_source(picture)

    def work() -> tuple[str, str]:
        frame = build(source, options.real, name=name)
        best = optimized(frame, options, make_backend("c"), lanes)
        return export(best.kernel, name, best.ranges)

    return with_deep_stack(work)
