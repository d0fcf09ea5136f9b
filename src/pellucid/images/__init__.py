"""The vocabulary: images, regions, colors, and the words that combine them (paper Pan).

Every file of this folder may register words; they are found by listing the folder, and each word is an attribute here:
``from pellucid import images as im; im.swirl(100, im.checkerboard(10, im.black, im.white))``. So is every color of CSS.
"""

from __future__ import annotations

import importlib
import pkgutil
from typing import Any

from .animation import Animation, Behavior, animation, behavior, seconds
from .color import Color
from .display import discrete, discrete_animation, displayable, packed_color
from .image import Image, image
from .word import WORDS, Word, value, vocabulary, word, words

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
_loading = False


def load_all() -> None:
    """Import every file of the folder once, so that all words are registered."""
    global _loading
    if _loading:
        return
    _loading = True
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{module.name}")
        # A file is no word: its name means the word of that name, or one that people look for.
        globals().pop(module.name, None)
    globals().update(_EXPORTS)


def __getattr__(name: str) -> Any:
    """A word, a color of CSS, or a function of numbers."""
    if name.startswith("__"):
        raise AttributeError(name)
    from .css import NAMED
    from .numeric import numeric_functions
    from .word import unknown

    if name in WORDS:
        return WORDS[name].meaning
    if name in NAMED:
        return NAMED[name]
    numeric = numeric_functions()
    if name in numeric:
        return numeric[name]
    raise unknown(name, "word", [*WORDS, *NAMED, *numeric])


def __dir__() -> list[str]:
    """What is exported, words, colors and functions of numbers."""
    from .css import NAMED
    from .numeric import numeric_functions

    return sorted({*_EXPORTS, *WORDS, *NAMED, *numeric_functions()})


load_all()

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
