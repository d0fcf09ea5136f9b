"""Names that a document may use from outside: words, colors and functions of pellucid, and numbers of Python's own.

Whatever is not listed here has no meaning in a document, and is never called. The words come from the registry.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from .. import images, tracing
from ..base.record import record
from ..images.css import NAMED
from ..images.numeric import MADE, numeric_functions
from ..images.word import WORDS, Word, load_all, words
from ..ir import prim
from ..tracing import functions
from . import kinds

IMAGES, PELLUCID, NUMPY, MATH, BUILTINS = "images", "pellucid", "numpy", "math", "builtins"
MODULES = {"pellucid": PELLUCID, "pellucid.images": IMAGES, "numpy": NUMPY, "math": MATH}
"""Modules that a document may import, by the name that it writes."""

FILES = frozenset(("read_image", "read_vm"))
"""Words whose picture is a file."""
PATHS = {"read_image": "source", "read_vm": "source", "text": "font"}
"""Words that read files, with the parameter that names the file."""
ARRAYS = frozenset(("bitmap", "from_buffer", "reconstruct"))
"""Words that take memory, which no document can hold."""


@record
class KnownName:
    """A name from outside: `sort` is "word", "color", "value" or "function", `kind` that of the value or result."""

    name: str
    home: str
    sort: str
    kind: str
    meaning: Any
    word: Word | None = None


_CONSTRUCTORS = {
    "Point": "point",
    "Complex": "complex",
    "Vector3": "vector",
    "Color": "color",
    "param": "number",
    "image": "picture",
    "animation": "picture",
    "behavior": "time",
    "iterate": kinds.UNKNOWN,
    "where": kinds.UNKNOWN,
    "to_integer": "number",
}
_SCALAR = """
sin cos tan asin acos atan atan2 arcsin arccos arctan arctan2 sinh cosh tanh exp log log2 log10 sqrt hypot radians
degrees deg2rad rad2deg floor ceil round fabs abs absolute minimum maximum sign
""".split()  # noqa: SIM905 - a list to be read
_BUILTINS: Mapping[str, Callable[..., Any]] = {
    "abs": abs, "min": min, "max": max, "round": round, "float": float, "int": int, "complex": complex,
}  # fmt: skip


def known(home: str, name: str) -> KnownName | None:
    """The meaning of a name in a module; None if it has none in a document.

    >>> known("images", "swirl").kind, known("numpy", "load") is None
    ('picture', True)
    """
    return names(home).get(name)


def names(home: str) -> Mapping[str, KnownName]:
    """Every name of a module that has a meaning in a document."""
    prim.table()
    load_all()
    return _names(home, prim.version(), len(WORDS))


@functools.lru_cache(maxsize=32)
def _names(home: str, version: int, count: int) -> Mapping[str, KnownName]:
    if home == IMAGES:
        return _of_images()
    if home == PELLUCID:
        found = {
            n: KnownName(n, home, "function", "number", getattr(functions, n))
            for n, row in prim.table().items()
            if row.symbol is None and not {"B", "L", "T"} & {*row.letters, row.result}
        }
        found.update({n: KnownName(n, home, "function", "number", getattr(tracing, n)) for n in MADE})
        for n in ("Point", "Complex", "Vector3", "param", "iterate", "where", "to_integer"):
            found[n] = KnownName(n, home, "function", _CONSTRUCTORS[n], getattr(tracing, n))
        for n in ("image", "animation"):
            found[n] = KnownName(n, home, "function", _CONSTRUCTORS[n], getattr(images, n))
        return found
    if home == BUILTINS:
        return {n: KnownName(n, home, "function", "number", f) for n, f in _BUILTINS.items()}
    module: Any = np if home == NUMPY else math
    found = {
        n: KnownName(n, home, "function", "number", getattr(module, n)) for n in _SCALAR if hasattr(module, n)
    }
    constants = (
        {"pi": math.pi, "e": math.e, "tau": math.tau} if home == MATH else {"pi": math.pi, "e": math.e}
    )
    return found | {n: KnownName(n, home, "value", "number", x) for n, x in constants.items()}


def _of_images() -> Mapping[str, KnownName]:
    found = {n: KnownName(n, IMAGES, "function", "number", f) for n, f in numeric_functions().items()}
    found.update({n: KnownName(n, IMAGES, "color", "color", color) for n, color in NAMED.items()})
    for n, word in words().items():
        kind = kinds.of_slot(word.result)
        sort = "word" if word.constant is None else "value"
        found[n] = KnownName(n, IMAGES, sort, kind, word.meaning, word)
    for n in ("image", "animation", "behavior", "Color"):
        found[n] = KnownName(n, IMAGES, "function", _CONSTRUCTORS[n], getattr(images, n))
    found["seconds"] = KnownName("seconds", IMAGES, "value", "time", images.seconds)
    return found


PARTS: Mapping[str, Mapping[str, str]] = {
    "point": {"x": "number", "y": "number", "r": "number", "theta": "number"},
    "color": {"r": "number", "g": "number", "b": "number", "a": "number"},
    "complex": {"re": "number", "im": "number", "abs2": "number", "arg": "number", "point": "point"},
    "vector": {"x": "number", "y": "number", "z": "number", "length": "number"},
}
"""Parts of values by kind, with the kind of each."""

METHODS: Mapping[str, Mapping[str, str]] = {
    "point": {"dot": "number", "cross": "number", "rotate": "point"},
    "color": {"over": "color", "map": "color", "map_straight": "color"},
    "complex": {"conjugate": "complex", "exp": "complex", "log": "complex", "sqrt": "complex"},
    "vector": {
        "dot": "number",
        "cross": "vector",
        "normalize": "vector",
        "reflect": "vector",
        "map": "vector",
    },
    "time": {"speedup": "time"},
}
"""Methods of values that are no pictures, with the kind of what each gives."""

ALL_PARTS = frozenset(part for table in PARTS.values() for part in table)
ALL_METHODS = frozenset(name for table in METHODS.values() for name in table)
