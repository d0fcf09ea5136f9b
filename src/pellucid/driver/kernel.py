"""The callable kernel: a compiled picture, and the one function that makes it, `compile`.

A kernel compiles its variants (straight or premultiplied alpha, with or without supersampling) when they are first
asked for. Equal programs share their code: the key is the traced pixel itself, which hash-consing makes one object.
"""

from __future__ import annotations

import functools
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..backends.port import Backend, Code
from ..base.errors import InputError, did_you_mean
from ..ir.expr import Expr
from ..ir.nest import all_roots
from .frame import COLUMN, OUT, ROW, TIME, Frame, Source, Variant, build
from .options import Options
from .pipeline import Optimized, optimize
from .report import Report

Bytes = NDArray[np.uint8]

_KEPT = 128
_codes: OrderedDict[tuple[tuple[Expr, ...], Options], Code] = OrderedDict()


class Kernel:
    """A compiled picture: size, view, time and parameters are its arguments, and changing one never recompiles.

    >>> from pellucid import images as im
    >>> kernel = compile(im.checkerboard(1, im.black, im.white))
    >>> kernel.render((4, 2))[..., 0]
    array([[  0, 255,   0, 255],
           [255,   0, 255,   0]], dtype=uint8)
    """

    def __init__(self, source: Source, options: Options) -> None:
        """Trace and compile the usual variant at once, so that errors show here."""
        self.source, self.options = source, options
        self._frames: dict[Variant, Frame] = {}
        self._codes: dict[Variant, Code] = {}
        self._code(Variant())

    @property
    def params(self) -> Mapping[str, Any]:
        """The picture's own parameters by name, with default, low and high."""
        return self.frame().params

    @property
    def time_varying(self) -> bool:
        """Whether the picture depends on time."""
        return self.source.time_varying

    def frame(self, variant: Variant = Variant()) -> Frame:
        """The traced nest of a variant."""
        if variant not in self._frames:
            self._frames[variant] = build(self.source, self.options.real, variant)
        return self._frames[variant]

    def _code(self, variant: Variant) -> Code:
        code = self._codes.get(variant)
        if code is None:
            code = self._codes[variant] = _compiled(self.frame(variant), self.options)
        return code

    def render(
        self,
        size: tuple[int, int],
        center: tuple[float, float] = (0.0, 0.0),
        zoom: float = 1.0,
        time: float = 0.0,
        samples: int = 1,
        threads: int | None = None,
        params: Mapping[str, float] | None = None,
        out: Bytes | None = None,
    ) -> Bytes:
        """Pixels of shape (height, width, 4): red, green, blue and straight alpha, row 0 on top.

        Raises InputError for a parameter that is unknown or out of its range.
        """
        return self._draw(
            Variant("straight", samples > 1), size, center, zoom, time, samples, threads, params, out
        )

    def premultiplied(
        self,
        size: tuple[int, int],
        center: tuple[float, float] = (0.0, 0.0),
        zoom: float = 1.0,
        time: float = 0.0,
        samples: int = 1,
        threads: int | None = None,
        params: Mapping[str, float] | None = None,
        out: Bytes | None = None,
    ) -> Bytes:
        """As `render`, with colors multiplied by alpha."""
        variant = Variant("premultiplied", samples > 1)
        return self._draw(variant, size, center, zoom, time, samples, threads, params, out)

    def film(
        self,
        size: tuple[int, int],
        frames: int,
        time_step: float,
        center: tuple[float, float] = (0.0, 0.0),
        zoom: float = 1.0,
        time: float = 0.0,
        samples: int = 1,
        threads: int | None = None,
        params: Mapping[str, float] | None = None,
        out: Bytes | None = None,
    ) -> Bytes:
        """Consecutive frames, of shape (frames, height, width, 4), straight alpha.

        What does not change with time is computed once per pixel, not once per pixel and frame (Pan, section 5.3).
        """
        variant = Variant("straight", samples > 1, film=True)
        return self._draw(variant, size, center, zoom, time, samples, threads, params, out, frames, time_step)

    def _draw(
        self,
        variant: Variant,
        size: tuple[int, int],
        center: tuple[float, float],
        zoom: float,
        time: float,
        samples: int,
        threads: int | None,
        params: Mapping[str, float] | None,
        out: Bytes | None,
        frames: int = 1,
        time_step: float = 0.0,
    ) -> Bytes:
        width, height = size
        code = self._code(variant)
        if out is None:
            out = np.empty((*([frames] if variant.film else []), height, width, 4), np.uint8)
        arguments: dict[str, float | int] = {
            "time": time,
            "center_x": center[0],
            "center_y": center[1],
            "time_step": time_step,
            "scale": 1.0 / zoom,
            "width": width,
            "height": height,
            "samples": samples,
            "frames": frames,
            **self._arguments(params or {}),
        }
        memory = {OUT: out.reshape(-1).view(np.uint32)}
        code.run(arguments, memory, threads=threads)
        return out

    def _arguments(self, given: Mapping[str, float]) -> dict[str, float]:
        known = self.params
        for name, value in given.items():
            if name not in known:
                fix = did_you_mean(name, known) or f"it has {', '.join(known) or 'none'}"
                raise InputError("the picture has no such parameter", place=f"params {name}", fix=fix)
            if not known[name].low <= value <= known[name].high:
                p = known[name]
                raise InputError(
                    f"{value} is not in {p.low} .. {p.high}", place=f"params {name}", fix="give one in range"
                )
        return {name: float(given.get(name, p.default)) for name, p in known.items()}


def compile(
    picture: Source, *, numerics: str = "relaxed", precision: str = "f32", backend: str = "auto"
) -> Kernel:
    """Compile a picture to a callable kernel.

    Raises InputError for an unknown option, TraceError or VocabularyError for a picture that cannot be traced.
    """
    return Kernel(picture, Options(numerics, precision, backend))


def _compiled(frame: Frame, options: Options) -> Code:
    key = (tuple(all_roots(frame.kernel.body)), options)
    code = _codes.get(key)
    if code is not None:
        _codes.move_to_end(key)
        return code
    backend = make_backend(options.backend)
    best = optimized(frame, options, backend)
    code = backend.compile(best.kernel, best.ranges)
    _codes[key] = code
    if len(_codes) > _KEPT:
        _codes.popitem(last=False)
    return code


def forget() -> None:
    """Drop all code that is kept in memory, so that the next compilation is one (for measurements)."""
    _codes.clear()


def optimized(frame: Frame, options: Options, backend: Backend) -> Optimized:
    """The frame's nest after the default script, for a back end's lanes."""
    order = (ROW.free, COLUMN.free, TIME.free)
    return optimize(frame.kernel, frame.ranges, options, lanes_of(backend, options), order)


def lanes_of(backend: Backend, options: Options) -> int:
    """How many lanes fill the widest vector register of a back end; 1 where loops are left to a C compiler."""
    bits: int = getattr(backend, "vector_bits", 1)
    return max(1, bits // options.real.bits)


@functools.cache
def make_backend(name: str) -> Backend:
    """The back end of that name ("auto" is llvm), with the driver's cache and threads.

    Raises BackendError where it cannot run.
    """
    from .cache import cache
    from .threads import crew

    if name == "numpy":
        from ..backends.numpy import NumpyBackend

        return NumpyBackend(crew=crew)
    if name == "c":
        from ..backends.c import CBackend

        return CBackend(store=cache(), crew=crew)
    from ..backends.llvm import LlvmBackend

    return LlvmBackend(store=cache(), crew=crew)


def explain(
    picture: Source, *, numerics: str = "relaxed", precision: str = "f32", backend: str = "auto"
) -> Report:
    """The report of a compilation: the program after each stage, and the ledger. Nothing is run."""
    options = Options(numerics, precision, backend)
    frame = build(picture, options.real)
    best = optimized(frame, options, make_backend(options.backend))
    return Report(best.stages, best.ledger)


def export_c(
    picture: Source,
    name: str = "picture",
    *,
    numerics: str = "relaxed",
    precision: str = "f32",
    backend: str = "c",
) -> tuple[str, str]:
    """A header and a source in C that draw the picture, depending on nothing but the C library."""
    from ..backends.c import export

    options = Options(numerics, precision, "c")
    frame = build(picture, options.real, name=name)
    best = optimized(frame, options, make_backend("c"))
    return export(best.kernel, name)
