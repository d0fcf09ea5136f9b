"""The commands that write about a picture: `explain` prints its program, `export` writes it for somewhere else.

Thin: `canvas` and the driver make the reports, the pages and the sources.
"""

from __future__ import annotations

import keyword
import os
import re
import sys
from argparse import Namespace
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from pellucid.base.errors import InputError, did_you_mean
from pellucid.cli.drawing import listed, view_of
from pellucid.cli.loading import EXPLAINED, INTERPRETER, Chosen, chosen

if TYPE_CHECKING:
    from pellucid.canvas.source import Picture


def explain(words: Namespace) -> int:
    """Print the program of a picture, a conversion or a sound after every stage, with the reason of every step."""
    if words.list:
        return listed(words.file, INTERPRETER if words.times else EXPLAINED)
    if words.times:
        return _times(words)
    if words.static is not None:
        raise InputError("is for binding times alone", place="--static", fix="give --times as well")
    if words.html is not None:
        for name in ("json", "markdown", "stage", "list_stages", "tiles"):
            if getattr(words, name) not in (None, False):
                raise InputError(
                    "is a form of its own", place=f"--{name.replace('_', '-')}", fix="leave out --html"
                )
    if words.tiles:
        return _tiles(words)
    if words.out is not None:
        raise InputError("is for tiles alone", place="-o", fix="give --tiles as well, or a page by --html")
    from pellucid.base.atomic import atomic_write
    from pellucid.canvas.explaining import explain

    found = chosen(words.file, EXPLAINED)
    report = replace(
        explain(_uncompiled(found), **view_of(words)),
        title=f"{found.name} of {found.path.name}, explained",
    )
    if words.html is not None:
        with atomic_write(words.html) as file:
            file.write(report.page(words.command).encode())
    elif words.list_stages:
        print("\n".join(report.stages))
    elif words.stage is not None:
        if words.stage not in report.stages:
            fix = did_you_mean(words.stage, report.stages) or f"it has {', '.join(report.stages)}"
            raise InputError(f"there is no stage {words.stage!r}", place="--stage", fix=fix)
        print(report.stages[words.stage])
    elif words.json:
        print(report.json())
    elif words.markdown:
        print(report.markdown())
    else:
        print(report)
    return 0


def _tiles(words: Namespace) -> int:
    """Print into which tiles a picture is divided, and draw them if a file is named."""
    from pellucid.base.atomic import atomic_write
    from pellucid.canvas.formats import checked_look, format_of
    from pellucid.canvas.sinks import write_still
    from pellucid.driver.fit import fit
    from pellucid.driver.tiling import explain_tiles
    from pellucid.driver.view import carried

    if words.backend not in (None, "auto", "tiles"):
        raise InputError(f"{words.backend} has no tiles", place="--backend", fix="leave it out")
    given = view_of(words)
    given.pop("backend", None)
    out: str | None = words.out
    picture = _picture(chosen(words.file))
    if out is not None:
        format_of(out)
    if "zoom" not in given and carried(picture) is None:
        looked_at = {name: value for name, value in given.items() if name != "numerics"}
        given["zoom"] = fit(picture, **looked_at).zoom
    tiles = explain_tiles(picture, **given)
    height, width = tiles.pixels.shape[:2]
    look = None if out is None else checked_look(format_of(out), (width, height))
    if out is not None and look is not None:
        with atomic_write(out) as file:
            write_still(file, tiles.image(), look)
    print(tiles, end="")
    return 0


def _times(words: Namespace) -> int:
    """Print the source of an interpreter with its binding times, or write them as a page."""
    from pellucid.base.atomic import atomic_write
    from pellucid.staging import DYNAMIC, STATIC, cogen, explain_times
    from pellucid.staging.front import Interpreter

    spelled = {"params": "--param"}
    given = [] if words.out is None else ["-o"]
    given += [spelled.get(name, f"--{name}") for name in view_of(words)]
    if given:
        fix = "leave it out: --times is for interpreters"
        raise InputError("is for pictures alone", place=given[0], fix=fix)
    found = chosen(words.file, INTERPRETER)
    made: Any = found.thing
    if isinstance(made, Interpreter):
        own = made.source
        asked = (
            [] if words.static is None else [one.strip() for one in words.static.split(",") if one.strip()]
        )
        for name in asked:
            if name not in own.params:
                hint = did_you_mean(name, own.params) or f"it has {', '.join(own.params)}"
                raise InputError(f"{own.name} has no parameter {name!r}", place="--static", fix=hint)
        if not asked:
            raise InputError(
                "does not say which parameters are static",
                place=f"{found.path}:{found.name}",
                fix=f"give --static {own.params[0] if own.params else 'NAME'}, or define compiler = cogen(...)",
            )
        made = cogen(cast("Any", found.thing), [STATIC if name in asked else DYNAMIC for name in own.params])
    elif words.static is not None:
        raise InputError(
            "is for an interpreter without a compiler",
            place="--static",
            fix="leave it out, or name the function",
        )
    times = explain_times(made)
    if words.html is not None:
        with atomic_write(words.html) as file:
            file.write(times.page().encode())
        return 0
    is_watched = sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    print(times.text(color=is_watched), end="")
    return 0


def export(words: Namespace) -> int:
    """Write a picture as a C header and a C source, as a shader, or as a page for browsers."""
    if words.list:
        return listed(words.file)
    if words.language == "c":
        return _export_c(words)
    from pellucid.base.opening import text_of
    from pellucid.canvas.exporting import export

    if words.name is not None:
        raise InputError("names a function in C", place="--name", fix="leave it out")
    if words.lanes is not None:
        raise InputError("only C has lanes to choose", place="--lanes", fix="leave it out")
    suffix = f".{words.language}"
    asked: str = words.out or "./"
    is_folder = asked.endswith(("/", os.sep)) or Path(asked).is_dir()
    if not is_folder and Path(asked).suffix.lower() != suffix:
        fix = f"name it {Path(asked).stem}{suffix}"
        raise InputError(f"a file of this kind ends in {suffix}", place="-o", fix=fix)
    found = chosen(words.file)
    out = Path(asked, found.path.stem + suffix) if is_folder else Path(asked)
    export(_picture(found), out, source=text_of(found.path), **view_of(words))
    return 0


def _export_c(words: Namespace) -> int:
    """Write the header and the source, both or neither."""
    from pellucid import driver
    from pellucid.base.atomic import atomic_write

    for name in ("size", "center", "zoom", "time", "samples"):
        if getattr(words, name) is not None:
            raise InputError("a function in C draws all views", place=f"--{name}", fix="leave it out")
    if words.params:
        raise InputError("a function in C takes all parameters", place="--param", fix="leave it out")
    found = chosen(words.file)
    name = _c_name(words.name, found.path.stem)
    lanes = {} if words.lanes is None else {"lanes": words.lanes}
    header, source = driver.export_c(_picture(found), name, **_compile(words), **lanes)
    stem = _stem(words.out, name)
    # Both or neither: they are moved to their places when both are written.
    with atomic_write(f"{stem}.h") as first, atomic_write(f"{stem}.c") as second:
        first.write(header.encode())
        second.write(source.encode())
        first.flush()
    return 0


#: The words of C that Python does not have; a function cannot be called like one.
_C_WORDS = frozenset({
    "auto", "case", "char", "const", "default", "do", "double", "enum", "extern", "float", "goto", "inline", "int",
    "long", "main", "register", "restrict", "short", "signed", "sizeof", "static", "struct", "switch", "typedef",
    "union", "unsigned", "void", "volatile",
})  # fmt: skip


def _picture(found: Chosen) -> Picture:
    return cast("Picture", _uncompiled(found))


def _uncompiled(found: Chosen) -> object:
    """What was chosen; a kernel is refused, of which only the code is left."""
    from pellucid.canvas.source import is_drawable, is_picture

    if is_drawable(found.thing) and not is_picture(found.thing):
        raise InputError(
            "is compiled already", place=f"{found.path}:{found.name}", fix="name the picture it was made of"
        )
    return found.thing


def _c_name(given: str | None, stem: str) -> str:
    name = given if given is not None else re.sub(r"\W", "_", stem, flags=re.ASCII)
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) or name in _C_WORDS or keyword.iskeyword(name):
        raise InputError(
            f"{name!r} cannot name a C function", place="--name", fix="give letters, digits and _"
        )
    return name


def _stem(out: str | None, name: str) -> Path:
    if out is None:
        return Path(name)
    if out.endswith(("/", os.sep)) or Path(out).is_dir():
        return Path(out) / name
    return Path(out).with_suffix("") if Path(out).suffix in (".c", ".h") else Path(out)


def _compile(words: Namespace) -> dict[str, Any]:
    known = {"numerics", "precision", "backend"}
    return {name: value for name, value in vars(words).items() if name in known and value is not None}
