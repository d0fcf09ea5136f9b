"""The vocabulary: images, regions, colors, and the words that combine them (paper Pan).

Every file of this folder may register words, and each word is an attribute here:
``from pellucid import images as im; im.swirl(100, im.checkerboard(10, im.black, im.white))``. So is every color of CSS.
A file is imported when one of its words is first asked for; `homes` tells which file that is.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from .animation import Animation, Behavior, animation, behavior, seconds
from .color import Color
from .display import discrete, discrete_animation, displayable, packed_color
from .image import Image, image
from .word import Word, value, vocabulary, word, words
from .word import find as _find

_EXPORTS = {
    "Animation": Animation,
    "Behavior": Behavior,
    "Color": Color,
    "Image": Image,
    "Word": Word,
    "animation": animation,
    "behavior": behavior,
    "discrete": discrete,
    "discrete_animation": discrete_animation,
    "displayable": displayable,
    "image": image,
    "packed_color": packed_color,
    "seconds": seconds,
    "value": value,
    "vocabulary": vocabulary,
    "word": word,
    "words": words,
}


def _is_file(name: str, value: object) -> bool:
    return isinstance(value, ModuleType) and value.__name__ == f"{__name__}.{name}"


class _Vocabulary(ModuleType):
    """The folder as a module whose files are no attributes: a name is the word, or one that people look for."""

    def __setattr__(self, name: str, value: object) -> None:
        if not _is_file(name, value):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Vocabulary
for _file in [known for known, held in globals().items() if _is_file(known, held)]:
    del globals()[_file]
del annotations


def __getattr__(name: str) -> Any:
    """A word, a color of CSS, or a function of numbers."""
    if name.startswith("__"):
        raise AttributeError(name)
    from .css import NAMED

    if found := _find(name):
        return found.meaning
    if name in NAMED:
        return NAMED[name]
    from .numeric import numeric_functions
    from .word import unknown

    numeric = numeric_functions()
    if name in numeric:
        return numeric[name]
    if found := words().get(name):
        # A word that is younger than `homes`.
        return found.meaning
    raise unknown(name, "word", [*words(), *NAMED, *numeric])


def __dir__() -> list[str]:
    """What is exported, words, colors and functions of numbers."""
    from .css import NAMED
    from .numeric import numeric_functions

    return sorted({*_EXPORTS, *words(), *NAMED, *numeric_functions()})


__all__ = [
    "Animation",
    "Behavior",
    "Color",
    "Image",
    "Word",
    "animation",
    "behavior",
    "discrete",
    "discrete_animation",
    "displayable",
    "image",
    "packed_color",
    "seconds",
    "value",
    "vocabulary",
    "word",
    "words",
]
