"""Names of GLSL, Processing, Pillow and FFmpeg: each gives a sentence, and what the sentence names is there."""

from __future__ import annotations

import pkgutil
import re
from types import ModuleType

import pytest

import pellucid as pl
from pellucid import images as im
from pellucid.base.errors import VocabularyError
from pellucid.images.hints import HINTS, hint

OFTEN = """
mix step fract mod length dot cross normalize vec2 vec3 vec4 texture fragCoord iTime iResolution voronoi noise hsv2rgb
ellipse rect line triangle background stroke translate rotate map constrain lerpColor createCanvas loadImage saveFrame
open new paste resize rotate transpose save show getpixel filter blur invert grayscale flip mirror
hflip vflip overlay pad eq hue colorkey gblur drawtext drawbox fade vignette geq testsrc format
""".split()  # noqa: SIM905 - names to be read


@pytest.mark.parametrize("name", sorted(HINTS))
def test_what_a_hint_names_is_there(name: str):
    told = hint(name)
    assert told is not None
    for home, word in re.findall(r"\b(im|pl)\.(\w+)", told):
        assert hasattr({"im": im, "pl": pl}[home], word), f"{home}.{word}"


@pytest.mark.parametrize("name", sorted(HINTS))
def test_a_name_of_another_system_is_a_word_or_gives_the_sentence(name: str):
    for home in (im, pl):
        if not hasattr(home, name):
            with pytest.raises(VocabularyError) as refused:
                getattr(home, name)
            assert refused.value.fix in (hint(name), f"it is a word of pellucid.images: write im.{name}")


@pytest.mark.parametrize("module", sorted(module.name for module in pkgutil.iter_modules(im.__path__)))
def test_a_file_of_the_vocabulary_hides_no_name(module: str):
    assert not isinstance(getattr(im, module, None), ModuleType)
    assert (module in dir(im)) == hasattr(im, module)


@pytest.mark.parametrize("name", OFTEN)
def test_names_that_are_often_looked_for_are_words_or_have_a_hint(name: str):
    assert hint(name) or hasattr(im, name) or hasattr(pl, name)


def test_names_are_found_in_any_case():
    assert hint("lerp_color") == hint("lerpColor") == hint("LERPCOLOR") is not None


def test_a_word_that_is_no_method_is_told_as_it_is_written():
    for name, told in (("udisk", "write im.udisk"), ("rgb", "write im.rgb(red, green, blue)")):
        with pytest.raises(VocabularyError) as refused:
            getattr(im.checker, name)
        assert refused.value.fix == f"it is a word of pellucid.images: {told}"
