"""Names that people of sound look for: each is a word or gives a sentence, and what the sentence names is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import pellucid as pl
from pellucid import signals as sg
from pellucid.base.errors import UnknownWordError
from pellucid.signals.hints import HINTS, unknown

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize("name", sorted(HINTS))
def test_what_a_hint_names_is_there(name: str):
    told = unknown(name, []).fix or ""
    for home, word in re.findall(r"\b(sg|pl)\.(\w+)", told):
        assert hasattr({"sg": sg, "pl": pl}[home], word), f"{home}.{word}"
    for example in re.findall(r"(\w+\.py) ", told):
        assert (EXAMPLES / example).is_file()
    for kind in re.findall(r'sg.biquad\(signal, "(\w+)"', told):
        assert len(sg.biquad_coefficients(kind, 1000, rate=48000)) == 5


@pytest.mark.parametrize("name", sorted(HINTS))
def test_a_name_that_is_looked_for_is_a_word_or_gives_the_sentence(name: str):
    if name not in sg.__all__:
        with pytest.raises(UnknownWordError, match="signals have no") as refused:
            getattr(sg, name)
        assert refused.value.fix == unknown(name, []).fix


def test_the_nearest_word_is_named():
    with pytest.raises(AttributeError, match="did you mean 'biquad'"):
        _ = sg.biqad
    assert not hasattr(sg, "__nothing__")
