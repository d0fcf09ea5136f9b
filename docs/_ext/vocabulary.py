"""Generates the page of words from the registry of the vocabulary: every word with its types, ranges and example.

Every example is run, and drawn if it is a picture; one that fails stops the build.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from sphinx.errors import ExtensionError

import pages
from pellucid.images import Word, words
from pellucid.images.signature import TYPES

if TYPE_CHECKING:
    from sphinx.application import Sphinx

SIZE = (180, 135)
SECONDS = 2.0
FRAMES = 30


def draw(
    made: object,
    stem: Path,
    size: tuple[int, int] = SIZE,
    seconds: float = SECONDS,
) -> Path:
    """Draw a picture in the view that it carries, and say into which file; what depends on time moves."""
    import pellucid

    stem.parent.mkdir(parents=True, exist_ok=True)
    kernel = pellucid.compile(made)  # pyright: ignore[reportArgumentType]
    if kernel.time_varying:
        path = stem.with_name(f"{stem.name}.webp")
        # Without a quality it would be lossless: five times the bytes to load, and nine times the work.
        pellucid.animate(kernel, path, size, seconds=seconds, fps=FRAMES / seconds, quality=90)
    else:
        path = stem.with_name(f"{stem.name}.png")
        pellucid.save(kernel, path, size, samples=4)
    return path


def drawable(made: object) -> bool:
    """Whether the value of an example is a picture."""
    from pellucid.canvas.source import is_picture

    return is_picture(made) and getattr(made, "kind", "color") != "structure"


def parameters(word: Word) -> Iterator[str]:
    """One line per parameter: its type, what that is, and what is allowed."""
    for each in word.parameters:
        about = each.slot.type.doc if each.slot.type is not None else ""
        allowed = [text for text in (about, each.range) if text]
        default = (
            "" if each.required or each.slot.many else f"; {pages.code(repr(each.default))} if not given"
        )
        yield f"- {pages.code(each.name)}: *{each.type}*{''.join(f', {text}' for text in allowed)}{default}"


def entry(word: Word, folder: Path) -> str:
    """The section of one word."""
    try:
        made = word.show()
        picture = draw(made, folder / word.name) if drawable(made) else None
    except Exception as error:
        raise ExtensionError(f"the example of the word {word.name!r} fails: {error}") from error
    given = ", ".join(each.name for each in word.parameters)
    lines = [f"### {word.name}", ""]
    if picture:
        lines += [
            f"```{{image}} /{pages.FOLDER}/words/{word.name}.png",
            f":alt: {word.example}",
            ":class: beside",
        ]
        lines += ["```", ""]
    lines += [
        f"{pages.code(f'{word.name}({given})' if given else word.name)}: *{word.signature}*",
        "",
        word.doc,
        "",
    ]
    lines += [*parameters(word), ""]
    lines += ["```python", word.example, "```", ""]
    if word.source:
        lines += [f"After *{word.source.strip('*')}*.", ""]
    return "\n".join(lines)


def page(folder: Path) -> str:
    """The page: one section for each file of the vocabulary, in it one for each word."""
    parts: list[str] = []
    every = sorted(words().values(), key=lambda word: (word.family, word.name))
    for family, members in groupby(every, key=lambda word: word.family):
        about = (
            (inspect.getdoc(importlib.import_module(family)) or family)
            .partition("\n\n")[0]
            .replace("\n", " ")
        )
        title, _, rest = about.partition(":")
        parts += [
            f"## {title.rstrip('.')}\n",
            f"{rest.strip()}\n",
            *(entry(word, folder) for word in members),
        ]
    return "\n".join(parts)


def types() -> str:
    """The types of parameters that are not images."""
    rows = [[pages.code(each.name), each.doc, str(each.range or "")] for each in TYPES.values()]
    return pages.table(["type", "is", "range"], rows)


def build(app: Sphinx) -> None:
    """Write the page and the table, and draw the examples."""
    pages.write(app.srcdir, "types.md", types())
    pages.write(app.srcdir, "words.md", page(Path(app.srcdir) / pages.FOLDER / "words"))


def setup(app: Sphinx) -> dict[str, bool]:
    """Have the page written before the documents are read."""
    app.connect("builder-inited", build)
    return {"parallel_read_safe": True}
