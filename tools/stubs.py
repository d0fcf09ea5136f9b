"""Write the stubs that editors and type checkers read, from registries whose names Python finds when it is asked.

Run `python -m tools.stubs` in the root of the project after a word, a color, a row of the operator table or a public
name was added or changed. There are three, and a module:

- `pellucid/__init__.pyi`: public names by their homes, and a function for each row of the operator table;
- `pellucid/images/__init__.pyi`: words, colors of CSS, and functions of numbers that take fields;
- `pellucid/images/methods.pyi`: the words that take an image as methods of `Image` and `Animation`;
- `pellucid/images/homes.py`: the file that each word stands in, which is imported when the word is asked for.

A word has two types: of what stands still it makes what stands still, and if something may move, so may the result.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

import pellucid
from pellucid import images
from pellucid.images import methods
from pellucid.images.annotations import GIVEN, RESULTS
from pellucid.images.css import NAMED
from pellucid.images.numeric import MADE, numeric_functions
from pellucid.images.word import Parameter, Word, words
from pellucid.ir import prims
from pellucid.ir.prim import Prim

PACKAGE = Path(pellucid.__file__).parent
HEAD = """\
# Written by `python -m tools.stubs` from the registries: change those.
# Of what is Any, either type of a word may be meant; the one that comes first then is part of the other.
# pyright: reportOverlappingOverload=false, reportUnsupportedDunderAll=false
# mypy: disable-error-code="overload-overlap,misc"
"""
HOMES_HEAD = '''\
"""The file of this folder that each word stands in, so that a file is imported when one of its words is asked for.

Written by `python -m tools.stubs` from the registry: change that.
"""

from __future__ import annotations
'''
ALIASES = sorted(
    {name for pair in GIVEN.values() for name in pair if name != "Any"} | {"Picture", "Transform"}
)
CLASSES = {
    "Animation": "animation",
    "Behavior": "animation",
    "Bitmap": "bitmap",
    "Color": "color",
    "Image": "image",
}
WIDTH = 118
STILL, MOVING = 0, 1


@cache
def rows() -> Mapping[str, Prim]:
    """The rows of the operator table, without those that packages bring along while they are imported."""
    families = [
        importlib.import_module(f"{prims.__name__}.{m.name}") for m in pkgutil.iter_modules(prims.__path__)
    ]
    return {row.name: row for family in families for row in getattr(family, "ROWS", ())}


def stubs() -> dict[Path, str]:
    """The text of every stub by its path."""
    return {
        PACKAGE / "__init__.pyi": of_package(),
        PACKAGE / "images/__init__.pyi": of_images(),
        PACKAGE / "images/methods.pyi": of_methods(),
        PACKAGE / "images/homes.py": of_homes(),
    }


def stale() -> dict[Path, str]:
    """The stubs that are missing or differ from the registries: by path, the text that they should have."""
    return {
        path: text
        for path, text in stubs().items()
        if not path.is_file() or path.read_text(encoding="utf-8") != text
    }


# ---- the three ----


def of_package() -> str:
    """The stub of `pellucid`."""
    homes: Mapping[str, tuple[str, ...]] = vars(pellucid)["_HOMES"]
    folders: tuple[str, ...] = vars(pellucid)["_FOLDERS"]
    taken = {name for names in homes.values() for name in names}
    lines = [f'"""{inspect.getdoc(pellucid)}\n"""', "", "from typing import Any", ""]
    lines += [f"from . import {name} as {name}" for name in sorted(folders)]
    lines += [
        f"from {home.removeprefix('pellucid')} import {name} as {name}"
        for home, names in sorted(homes.items())
        for name in sorted(names)
    ]
    lines += ["", "__version__: str", f"__all__: list[str] = {sorted(taken)!r}", ""]
    for name, row in sorted(rows().items()):
        if name.isidentifier() and name not in taken | set(folders) | {"and", "or", "not"}:
            lines += function(name, [f"{x}: Any" for x in operands(len(row.letters))] + ["/"], "Any", row.doc)
    return whole(lines)


def of_images() -> str:
    """The stub of `pellucid.images`."""
    exported: dict[str, str] = {}
    for name in images.__all__:
        if name not in words():
            home = "animation" if name == "seconds" else getattr(images, name).__module__.rpartition(".")[2]
            exported[name] = f"from .{home} import {name} as {name}"
    body: list[str] = []
    for entry in words().values():
        body += of_value(entry) if entry.constant is not None else of_function(entry)
    for name in sorted(NAMED.keys() - words().keys()):
        body += [f"{name}: Color", f'"""The color {name} of CSS."""']
    for name, numeric in sorted(numeric_functions().items()):
        if name in {*MADE, *rows()} and name not in NAMED and name not in words():
            body += function(name, [*numeric_parameters(name), "/"], "Any", inspect.getdoc(numeric) or "")
    head = [f'"""{inspect.getdoc(images)}\n"""', "", *imports(body, set(exported)), *exported.values(), ""]
    return whole([*head, f"__all__: list[str] = {sorted(images.__all__)!r}", "", *body])


def of_methods() -> str:
    """The stub of `pellucid.images.methods`."""
    body = ["class Methods:", '    """Every word of the vocabulary that takes an image, as a method."""', ""]
    for entry in words().values():
        if entry.receiver is not None and not is_own(entry.name):
            body += textwrap.indent("\n".join(of_method(entry)), "    ").split("\n")
    return whole([f'"""{inspect.getdoc(methods)}\n"""', "", *imports(body, set()), "", *body])


def of_homes() -> str:
    """The module that tells the file of each word."""
    files: dict[str, list[str]] = {}
    for entry in words().values():
        if entry.family.startswith(f"{images.__name__}."):
            files.setdefault(entry.family.rpartition(".")[2], []).append(entry.name)
    lines = [HOMES_HEAD, "_WORDS = {"]
    for file, names in sorted(files.items()):
        lines += [f'    "{file}": """', *textwrap.wrap(" ".join(names), WIDTH), '""",']
    lines += ["}", "HOMES = {word: file for file, words in _WORDS.items() for word in words.split()}"]
    return "\n".join([*lines, '"""The file of each word of the vocabulary."""', ""])


def imports(body: Iterable[str], taken: set[str]) -> Iterator[str]:
    """The imports of the names that definitions use, but for those that are imported anyway."""
    code = "\n".join(line for line in body if re.match(r"\s*(def |class |@|\w+: )", line))
    used = set(re.findall(r"\w+", re.sub(r"'[^']*'", "", code)))
    yield "from collections.abc import Callable"
    yield "from typing import Any, Literal, overload"
    yield ""
    yield from (f"from .annotations import {name}" for name in ALIASES if name in used)
    yield from (f"from .{home} import {name}" for name, home in CLASSES.items() if name in used - taken)


def is_own(name: str) -> bool:
    """Whether pictures have an attribute of their own of this name, which a word does not hide."""
    return any(name in vars(kind) for picture in (images.Image, images.Animation) for kind in picture.__mro__)


# ---- one word ----


def of_value(entry: Word) -> list[str]:
    """A word without parameters."""
    return [f"{entry.name}: {type(entry.constant).__name__}", docstring(described(entry))]


def of_function(entry: Word) -> list[str]:
    """A word as a function."""
    still, moving = (parameters(entry, entry.parameters, which) for which in (STILL, MOVING))
    if still == moving:
        return function(entry.name, still, result(entry, STILL), described(entry))
    return [
        *function(entry.name, still, result(entry, STILL), described(entry), ("@overload",)),
        *function(entry.name, moving, result(entry, MOVING), described(entry), ("@overload",)),
    ]


def of_method(entry: Word) -> list[str]:
    """A word as a method: of an image, and of an animation, where all that it gives moves."""
    others = [p for p in entry.parameters if p.name != entry.receiver or p.slot.many]
    still, moving = (parameters(entry, others, which) for which in (STILL, MOVING))
    gives = result(entry, MOVING)
    moved = {"Picture": "Animation", "Color | Behavior": "Behavior"}.get(gives, gives)
    arms = [("Image", still, result(entry, STILL)), ("Animation", moving, moved)]
    if moving != still:
        arms.append(("Image", moving, gives))
    return [
        line
        for kind, given, made in arms
        for line in function(entry.name, [f"self: {kind}", *given], made, described(entry), ("@overload",))
    ]


def parameters(entry: Word, given: Iterable[Parameter], which: int) -> list[str]:
    """Parameters as they stand between the parentheses of a definition."""
    return [one for p in given for one in parameter(entry, p, which)]


def parameter(entry: Word, p: Parameter, which: int) -> Iterator[str]:
    """One parameter, with its default."""
    written = entry.python.parameters[p.name]
    kind = "Image" if p.slot.image else p.type.removesuffix("...").strip()
    annotation = GIVEN[kind][which]
    if isinstance(p.limits, tuple) and isinstance(p.limits[0], str):
        annotation = f"Literal[{', '.join(map(repr, p.limits))}]"
    elif kind == "Function":
        # The Python function says more of it than the signature does.
        annotation = str(written.annotation)
    if written.kind is written.VAR_POSITIONAL:
        yield f"*{p.name}: {annotation}"
    elif written.default is written.empty:
        yield f"{p.name}: {annotation}"
    else:
        default = f"{annotation} | None" if written.default is None else annotation
        yield f"{p.name}: {default} = {written.default!r}"


def result(entry: Word, which: int) -> str:
    """The type of a word's result."""
    declared = str(entry.python.return_annotation)
    if entry.result.image:
        return RESULTS["Image"][which] if declared in ("Any", "Image") else declared
    name = entry.result.text
    if name in RESULTS:
        return RESULTS[name][which]
    return f"{name} | Behavior" if which == MOVING else name


def described(entry: Word) -> str:
    """The text that editors show for a word: its sentence, its signature, its ranges, an example and its source."""
    ranges = [f"{p.name}: {p.range}" for p in entry.parameters if p.range]
    parts = [
        entry.doc,
        f"`{entry.signature}`" + (f"; {'; '.join(ranges)}" if ranges else ""),
        f"Example: `{entry.example}`",
        *([f"Source: {entry.source}"] if entry.source else []),
    ]
    return "\n\n".join(parts)


# ---- text ----


def operands(count: int) -> str:
    """Names of so many operands of a row."""
    return "xyzw"[:count]


def numeric_parameters(name: str) -> list[str]:
    """The parameters of a function of numbers: those of Python's function, or one for each operand of the row."""
    row = rows().get(name)
    names = operands(len(row.letters)) if row else inspect.signature(numeric_functions()[name]).parameters
    return [f"{x}: Any" for x in names]


def function(
    name: str, given: list[str], gives: str, doc: str, decorators: tuple[str, ...] = ()
) -> list[str]:
    """The lines of a definition."""
    head = f"def {name}({', '.join(given)}) -> {gives}:"
    return (
        [*decorators, head, textwrap.indent(docstring(doc), "    ")] if doc else [*decorators, f"{head} ..."]
    )


def docstring(text: str) -> str:
    """A text as a docstring."""
    escaped = text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    wrapped = "\n".join(textwrap.fill(part, WIDTH, break_long_words=False) for part in escaped.split("\n"))
    return f'"""{wrapped}"""' if "\n" not in wrapped and not wrapped.endswith('"') else f'"""{wrapped}\n"""'


def whole(lines: Iterable[str]) -> str:
    """The text of a stub."""
    return HEAD + "\n" + "\n".join(lines).rstrip() + "\n"


def main() -> None:
    """Write the stubs that differ, and print their paths."""
    found = stale()
    for path, text in found.items():
        path.write_text(text, encoding="utf-8")
        print(f"written: {path.relative_to(PACKAGE.parent)}")
    if not found:
        print("all stubs are as the registries say")


if __name__ == "__main__":
    main()
