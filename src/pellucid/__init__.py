"""Pellucid: a run-time compiler for pixels and samples that you can see through.

Images are functions of continuous space and time; every picture is compiled for exactly the case at hand.

>>> import pellucid as pl
>>> from pellucid import images as im
>>> pl.render(im.checkerboard(10, im.black, im.white), size=(40, 20)).shape
(20, 40, 4)
"""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.1.0"

_HOMES = {
    "pellucid.base.errors": ("PellucidError",),
    "pellucid.base.view": ("View",),
    "pellucid.canvas.codes": ("pack", "unpack"),
    "pellucid.canvas.convert": ("convert",),
    "pellucid.canvas.draw": ("animate", "render", "save"),
    "pellucid.canvas.explaining": ("explain",),
    "pellucid.canvas.blocks": ("to_dask",),
    "pellucid.canvas.show": ("show",),
    "pellucid.canvas.store": ("store",),
    "pellucid.canvas.exporting": ("export",),
    "pellucid.conversion.plan": ("plan_conversion",),
    "pellucid.driver": ("compile", "export_c"),
    "pellucid.driver.codes": ("compile_code",),
    "pellucid.driver.fit": ("fit",),
    "pellucid.driver.session": ("Session",),
    "pellucid.driver.tiling": ("explain_tiles",),
    "pellucid.images": ("animation", "image"),
    "pellucid.images.evaluation": ("sample",),
    "pellucid.notebook.widget": ("explore",),
    "pellucid.signals": ("effect", "filter_audio", "read_audio", "render_audio", "voice"),
    "pellucid.studio.tiles": ("serve",),
    "pellucid.tracing": (
        "Complex",
        "Point",
        "Vector3",
        "clamp",
        "fraction",
        "iterate",
        "load",
        "param",
        "sign",
        "smoothstep",
        "to_integer",
        "where",
    ),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}
_FOLDERS = (
    "images",
    "pixels",
    "conversion",
    "algebra",
    "signals",
    "driver",
    "canvas",
    "document",
    "tracing",
    "ir",
    "loops",
    "backends",
    "rewriting",
    "reasoning",
    "staging",
    "notebook",
)

__all__ = sorted(_HOME)  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:
    """Load a name's home when it is first asked for, so that importing pellucid stays cheap.

    Every row of the operator table is a function here too: ``pl.sin``, ``pl.sqrt``, ``pl.floor``.
    """
    if name in _HOME:
        value = getattr(importlib.import_module(_HOME[name]), name)
        globals()[name] = value
        return value
    if name in _FOLDERS:
        return importlib.import_module(f"pellucid.{name}")
    if name.startswith("_"):
        raise AttributeError(name)
    from .tracing import functions

    try:
        return getattr(functions, name)
    except AttributeError:
        raise _unknown(name) from None


def _unknown(name: str) -> AttributeError:
    """The error for a name that is nobody's: what to write instead, or the name that is nearest."""
    from .base.errors import UnknownWordError, did_you_mean
    from .base.source_location import caller
    from .images import words
    from .images.hints import hint
    from .ir.prim import table

    fix = f"it is a word of pellucid.images: write im.{name}" if name in words() else hint(name)
    fix = fix or did_you_mean(name, [*_HOME, *table()])
    if fix is None and (near := did_you_mean(name, words())):
        fix = f"{near} It is a word of pellucid.images"
    return UnknownWordError(
        f"pellucid has no {name!r}", place=caller()[0], fix=fix or "see help(pellucid) for what there is"
    )


def __dir__() -> list[str]:
    """The public names."""
    return [*__all__, *_FOLDERS, "__version__"]
