"""Generates the page of formats from their table: each with its line, its figures, and a map of its bytes."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import pages
from pellucid.pixels import FORMATS, Layout, byte_map
from pellucid.pixels.names import SYSTEMS
from pellucid.pixels.notation import WORDS

if TYPE_CHECKING:
    from sphinx.application import Sphinx

TITLES = {
    "gray": "Gray",
    "alpha": "Masks",
    "mosaic": "Mosaics of sensors",
    "palette": "Palettes",
    "rgb": "Red, green, blue",
    "ycbcr": "Y, Cb, Cr",
    "samples": "Sound",
}
KINDS = {
    "range": "what the least and the greatest number mean; limited is that of video, 16 to 235 of 8 bits",
    "polarity": "whether 0 is black or white",
    "matrix": "the weights of red, green and blue in Y",
    "transfer": "whether numbers are as displays take them, or amounts of light",
    "alpha": "whether colors are multiplied by alpha",
    "siting": "where chroma lies that several pixels share",
    "mosaic": "the colors of the first two pixels and of the two below them",
}


def figures(layout: Layout) -> str:
    """How much room a pixel or a sample takes, what comes in one group, and what rows are filled up to.

    >>> figures(FORMATS["v210"])
    '21.33 bits a pixel, 6 pixels in 16 bytes, rows of multiples of 128 bytes.'
    """
    pixel = "sample" if layout.model == "samples" else "pixel"
    planes = [plane for plane in layout.planes if not plane.entries]
    bits = float(sum(Fraction(p.bits, p.pixels * p.across * p.down) for p in planes))
    parts = [f"{bits:.4g} {counted(bits, 'bit')} a {pixel}"]
    parts += [
        f"{p.pixels} {pixel}s in {p.bits // 8} {counted(p.bits // 8, 'byte')}" for p in planes if p.pixels > 1
    ]
    parts += [f"rows of multiples of {p.align} bytes" for p in planes if p.align > 1]
    return ", ".join(parts) + "."


def counted(number: float, noun: str) -> str:
    """The singular or the plural."""
    return noun if number == 1 else f"{noun}s"


def entry(layout: Layout) -> str:
    """The section of one format."""
    parts = [f"### {layout.name}", layout.doc, f"```text\n{layout.text}\n```"]
    return "\n\n".join([*parts, figures(layout), f"```text\n{byte_map(layout)}\n```"])


def page() -> str:
    """The page, one section for each kind of samples."""
    parts: list[str] = []
    for model, title in TITLES.items():
        parts.append(f"## {title}")
        parts += [entry(f) for f in FORMATS.values() if ("palette" if f.palette else f.model) == model]
    return "\n\n".join(parts) + "\n"


def names() -> str:
    """The names of other systems, by the layout that they stand for."""
    found: dict[str, dict[str, list[str]]] = {}
    for system, known in SYSTEMS.items():
        for name, text in known.items():
            found.setdefault(text, {}).setdefault(system, []).append(pages.code(name))
    rows = [
        [pages.code(text), *(" ".join(by.get(system, ())) for system in SYSTEMS)]
        for text, by in found.items()
    ]
    return pages.table(["layout", *SYSTEMS], rows)


def words() -> str:
    """What may be said of samples, by kind."""
    rows = [[", ".join(map(pages.code, WORDS[kind])), about] for kind, about in KINDS.items()]
    return pages.table(["words", "say"], rows)


def build(app: Sphinx) -> None:
    """Write the page, the table of words and that of names."""
    pages.write(app.srcdir, "formats.md", page())
    pages.write(app.srcdir, "format_words.md", words())
    pages.write(app.srcdir, "format_names.md", names())


def setup(app: Sphinx) -> dict[str, bool]:
    """Have the page written before the documents are read."""
    app.connect("builder-inited", build)
    return {"parallel_read_safe": True}
