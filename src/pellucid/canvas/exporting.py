"""The verb `export`: a picture as a program for somewhere else, which the suffix of the file names.

A page for browsers, a shader, a module of WebAssembly, PTX, or C. Shaders are computed in f32 and relaxed numerics, as
GPUs do; all others in either numerics and precision.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Unpack, cast
from urllib.parse import quote

from pellucid.backends.shade import offsets
from pellucid.base.atomic import atomic_write
from pellucid.base.errors import BackendError, InputError, brief, did_you_mean
from pellucid.base.opening import text_of
from pellucid.base.record import record
from pellucid.base.tracebacks import door
from pellucid.base.view import View, ViewArguments, spelled_out
from pellucid.canvas.source import DrawArguments, drawing
from pellucid.driver import export_c
from pellucid.driver.frame import FrameVariant, PictureSource
from pellucid.driver.kernel import checked_source, own_values
from pellucid.driver.options import Options
from pellucid.driver.ptx import ptx
from pellucid.driver.shading import Shading, shading
from pellucid.driver.webassembly import webassembly


@record(slots=False)
class Exported:
    """A picture that is to be exported, checked, with what is told of it.

    picture, view  what is drawn, and how it is framed.
    title, name    for people, and of the file.
    source         in Python, to be shown.
    numerics       "relaxed" but for pages.
    precision      "f32" but for pages.
    """

    picture: PictureSource
    view: View
    title: str
    name: str
    source: str
    numerics: str
    precision: str

    @cached_property
    def shading(self) -> Shading:
        """The picture prepared for GPUs."""
        return shading(self.picture, FrameVariant("straight", self.view.samples != 1))

    @property
    def own(self) -> dict[str, float]:
        """The values of the picture's own parameters."""
        return own_values(self.view.params, self.shading.params)


def _page(asked: Exported) -> str:
    from pellucid.canvas.livepage import live_page

    told = {"precision": asked.precision, "title": asked.title, "name": asked.name, "source": asked.source}
    if asked.numerics == "exact":
        module = webassembly(asked.picture, asked.view, numerics="exact", precision=asked.precision)
        return live_page(module, asked.view, shader=None, module=module.code, **told)
    shader = asked.shading.fragment()
    try:
        module = webassembly(asked.picture, asked.view, precision=asked.precision).code
    except BackendError:
        if asked.precision == "f64":
            raise
        # The page says that it needs WebGL2, as nearly every browser has.
        module = None
    return live_page(asked.shading, asked.view, shader=shader, module=module, **told)


def _shadertoy(asked: Exported) -> str:
    view = asked.view
    width, height = view.size
    fit = f"min(iResolution.x / {width}.0, iResolution.y / {height}.0)"
    given = {
        "time": f"iTime + {view.time!r}",
        "center_x": repr(view.center[0]),
        "center_y": repr(view.center[1]),
        "scale": f"{1 / view.zoom!r} / {fit}",
        "width": "int(iResolution.x)",
        "height": "int(iResolution.y)",
        "samples": str(view.samples),
    }
    head = [f"// {asked.title}, for Shadertoy, made by pellucid."]
    if asked.shading.params:
        head.append("// Its parameters are constants; where the host defines PARAMETERS, they are uniforms:")
        head += [f"// p_{n}: {p.low:g} .. {p.high:g}" for n, p in asked.shading.params.items()]
    return "\n".join([*head, asked.shading.shadertoy(given, asked.own).text])


def _wgsl(asked: Exported) -> str:
    shader = asked.shading.compute()
    head = [
        f"// {asked.title}, for WebGPU, made by pellucid. A workgroup of `main` is 8 by 8 pixels.",
        "// Group 0, binding 0: the uniforms of View. zero is 0; the others, as the picture is framed:",
    ]
    view = asked.view
    known: dict[str, Any] = {
        "time": view.time,
        "center_x": view.center[0],
        "center_y": view.center[1],
        "scale": 1 / view.zoom,
        "width": view.size[0],
        "height": view.size[1],
        "samples": view.samples,
        **asked.own,
    }
    head += [f"//   {name} = {known[p.attr]}" for name, p in shader.params.items()]
    head.append(
        "// Binding 1: pixels, a word each, row after row from the top, red in the low byte, straight alpha."
    )
    if shader.buffers:
        head.append(
            "// Binding 2: data, in words; elements below 32 bits are packed, the first in the low bits:"
        )
    for b, begin in offsets([*shader.buffers.values()]).items():
        head.append(f"//   from word {begin} on: {b.name}, {b.size} elements of {b.type}")
    return "\n".join([*head, shader.text])


FORMS: Mapping[str, Callable[[Exported], str]] = {".html": _page, ".glsl": _shadertoy, ".wgsl": _wgsl}
"""What makes the text of each kind of file for GPUs."""
SUFFIXES = (*FORMS, ".wasm", ".ptx", ".c")
"""All that `export` writes."""


@spelled_out(ViewArguments)
@door
def export(
    picture: object,
    path: str | os.PathLike[str],
    size: tuple[int, int] | int | None = None,
    *,
    view: View | None = None,
    numerics: str = "relaxed",
    precision: str = "f32",
    title: str | None = None,
    source: str = "",
    lanes: int | None = None,
    **arguments: Unpack[ViewArguments],
) -> None:
    """Write a picture as a program for somewhere else; the suffix of the path says what.

    ``.html`` is a page that draws it in any browser, offline, with a slider for each parameter. ``.glsl`` is a
    shader for Shadertoy, ``.wgsl`` a compute shader for WebGPU, and ``.wasm`` a module of WebAssembly, with an ES
    module beside it that calls it, and ``.ptx`` a kernel for CUDA, with its data in it. These are framed as `show`
    frames the picture, if neither arguments nor the picture say otherwise; `title` and the Python `source` are for
    people to read. ``.c`` is a source for all views, with a header beside it; of it so many `lanes`, 16 if not told,
    make the steps of an iteration together, as in `export_c`. A page is drawn by a shader, or in exact
    numerics by the processor; in f64 the processor takes over where the numbers of a shader end. The other shaders are
    relaxed, in f32. Raises InputError for another
    suffix, and for numerics or a precision that there is not, BackendError for a picture that cannot be written so, and
    FileError if a file cannot be written.

    >>> import tempfile
    >>> from pellucid import images as im
    >>> path = Path(tempfile.mkdtemp(), "rings.html")
    >>> export(im.swirl(100, im.checkerboard(10, im.black, im.white)), path)
    >>> path.stat().st_size < 50_000
    True
    """
    if not isinstance(path, str | os.PathLike):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InputError(
            f"{brief(path)} is not a path", place="path", fix="give a string, such as 'page.html'"
        )
    where = Path(os.fsdecode(path))
    kind = where.suffix.lower()
    if kind not in SUFFIXES:
        fix = did_you_mean(kind, SUFFIXES) if kind else None
        raise InputError(
            f"no export is called {kind!r}" if kind else "a name without a suffix does not say what to write",
            place=str(where),
            fix=fix or f"end it in {', '.join(SUFFIXES)}",
        )
    for name, text in (("title", title), ("source", source)):
        if text is not None and not isinstance(text, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InputError(f"{brief(text)} is no text", place=name, fix="give a string")
    checked = checked_source(picture)
    if kind == ".c":
        _refuse_view(size, view, arguments)
        together = {} if lanes is None else {"lanes": lanes}
        _write_c(checked, where, numerics=numerics, precision=precision, **together)
        return
    if lanes is not None:
        raise InputError(f"{kind} has no lanes to choose", place="lanes", fix="leave it out, or export .c")
    if kind != ".ptx":
        _check_numbers(kind, numerics, precision)
    given = cast("DrawArguments", dict(arguments))
    seen = drawing(picture, size, view, given, fitted=True).view
    if kind == ".wasm":
        _write_module(where, webassembly(checked, seen, numerics=numerics, precision=precision).code)
        return
    # In a comment of a shader, a title has one line.
    shown = " ".join((title or where.stem.replace("_", " ")).split())
    if kind == ".ptx":
        with atomic_write(where) as file:
            file.write(ptx(checked, seen, numerics=numerics, precision=precision, title=shown).encode())
        return
    text = FORMS[kind](Exported(checked, seen, shown, where.stem, source, numerics, precision))
    with atomic_write(where) as file:
        file.write(text.encode())


def _check_numbers(kind: str, numerics: str, precision: str) -> None:
    """Raises InputError for a word that is not known, and for what shaders have not."""
    if kind in (".wasm", ".html"):
        Options(numerics, precision)
        return
    for name, word, only in (("precision", precision, "f32"), ("numerics", numerics, "relaxed")):
        if word != only:
            raise InputError(f"a shader has only {only}, not {brief(word)}", place=name, fix="leave it out")


def _refuse_view(size: object, view: object, arguments: ViewArguments) -> None:
    if size is not None or view is not None or arguments:
        name = "size" if size is not None else "view" if view is not None else next(iter(arguments))
        raise InputError("a function in C draws all views", place=name, fix="leave it out")


def _write_module(where: Path, code: bytes) -> None:
    """The module, and beside it the ES module that calls it by its name."""
    beside = where.with_suffix(".mjs")
    caller = "".join([text_of(Path(__file__).with_name(f"module.{kind}")) for kind in ("mjs", "js")])
    for mark, path in (("MODULE", where), ("CALLER", beside)):
        caller = caller.replace(mark, quote(path.name))
    with atomic_write(beside) as first, atomic_write(where) as second:
        first.write(caller.encode())
        second.write(code)
        first.flush()


def _write_c(picture: Any, where: Path, **options: Any) -> None:
    name = re.sub(r"\W", "_", where.stem, flags=re.ASCII)
    header, source = export_c(picture, name, **options)
    # The source includes the header by the function's name.
    with atomic_write(where.with_name(f"{name}.h")) as first, atomic_write(where) as second:
        first.write(header.encode())
        second.write(source.encode())
        first.flush()
