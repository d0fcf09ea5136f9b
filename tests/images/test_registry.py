"""The registry: every word as a function, as a method, in the listing, with an example that works."""

from __future__ import annotations

import inspect
import subprocess
import sys
from types import ModuleType

import numpy as np
import pytest

from pellucid import images as im
from pellucid.base.errors import VocabularyError
from pellucid.images.homes import HOMES
from pellucid.images.signature import Range, positive, read
from pellucid.images.word import WORDS

ALL = list(im.words().values())
GRID = (np.arange(16) + 0.5) / 16 - 0.5


@pytest.mark.parametrize("word", ALL, ids=lambda w: w.name)
def test_the_example_of_a_word_is_a_picture_of_the_kind_that_its_signature_says(word):
    picture = word.show()
    assert isinstance(picture, im.Image | im.Animation)
    values = picture.at(GRID * word.width, GRID[:, None] * word.width, time=0.5)
    assert np.isfinite(np.asarray(values, float)).all()
    # The kind that the words promise is the kind that sampling finds.
    assert im.Image(picture.__call__).kind == picture.kind if isinstance(picture, im.Image) else True
    if picture.kind == "color":
        assert values.min() >= -1e-6
        assert values.max() <= 1 + 1e-6
        assert (values[..., :3] <= values[..., 3:] + 1e-6).all()


@pytest.mark.parametrize("word", ALL, ids=lambda w: w.name)
def test_a_word_is_documented(word):
    assert word.doc.endswith((".", ")"))
    assert len(word.doc) > 10
    assert getattr(im, word.name) is word.meaning
    assert word.name in dir(im)
    if word.constant is None:
        assert word.function.__doc__


@pytest.mark.parametrize("word", ALL, ids=lambda w: w.name)
def test_the_result_of_a_word_is_of_the_type_in_its_signature(word):
    """Found by running the example, which uses the word."""
    made = []
    original = word.function.__wrapped__
    if word.constant is not None:
        made.append(word.constant)
    else:

        def spy(*args, **named):
            result = original(*args, **named)
            made.append(result)
            return result

        word.function.__wrapped__ = spy
        try:
            picture = word.show()
            assert picture is not None
            picture.at(0.1, 0.2)
        finally:
            word.function.__wrapped__ = original
    assert made, f"the example of {word.name} does not use it"
    for result in made:
        if word.result.image:
            assert isinstance(result, im.Image)
            if word.result.kind:
                assert im.Image(result).kind == word.result.kind
        elif word.result.text == "Color":
            assert isinstance(result, im.Color)
        elif word.result.text == "Transform":
            assert callable(result)


RECEIVERS = {"color": im.const(im.red), "region": im.checker, "field": im.x}


def receiver_of(word):
    """A picture of the kind that the word is a method of, or None where that is a kind of its own."""
    if word.receiver is None:
        return None
    slot = next(p.slot for p in word.parameters if p.name == word.receiver)
    return RECEIVERS.get(slot.kind or "color")


METHODS = [w for w in ALL if receiver_of(w) is not None]


@pytest.mark.parametrize("word", METHODS, ids=lambda w: w.name)
def test_a_method_is_the_function_with_the_image_in_its_place(word):
    names = [p.name for p in word.parameters]
    at = names.index(word.receiver)
    receiver = receiver_of(word)
    assert word.name in dir(receiver)
    calls = []
    raw = word.function.__wrapped__
    try:
        word.function.__wrapped__ = lambda *a, **n: calls.append((a, n)) or im.checker
        others = [_plain(p) for k, p in enumerate(word.parameters) if k != at and p.required]
        before = [_plain(p) for p in word.parameters[:at]]
        getattr(receiver, word.name)(*others if at <= len(others) else before)
        whole = others if at <= len(others) else before
        word.function(*whole[:at], receiver, *whole[at:])
    finally:
        word.function.__wrapped__ = raw
    (first, _), (second, _) = calls
    assert len(first) == len(second)
    assert first[at] is receiver if not word.parameters[at].slot.many else first[at] == second[at]


def _plain(parameter):
    """Some argument that a parameter takes."""
    if parameter.slot.image:
        return {"color": im.red, "region": True, "field": 0.5}.get(parameter.slot.kind or "color")
    if isinstance(parameter.limits, tuple) and isinstance(parameter.limits[0], str):
        return parameter.limits[0]
    return {
        "Point": (1, 1),
        "Color": im.red,
        "Function": lambda i: i,
        "Transform": lambda p: p,
        "Stops": [im.red, im.blue],
        "Text": "x",
        "Count": 5,
        "Integer": 5,
        "Angle": 0.3,
        "Fraction": 0.5,
    }.get(parameter.type, 0.9)


def test_methods_chain():
    chained = im.checkerboard(10, im.black, im.white).swirl(100).fade(0.5)
    nested = im.fade(0.5, im.swirl(100, im.checkerboard(10, im.black, im.white)))
    assert repr(chained) == repr(nested) == "fade(0.5, swirl(100, checkerboard(10, black, white)))"
    assert np.array_equal(chained.at(GRID * 99, GRID), nested.at(GRID * 99, GRID))


def test_a_method_takes_its_other_arguments_by_name_too():
    assert repr(im.checker.move(offset=(1, 2))) == "move((1, 2), checker)"


def test_the_top_is_what_over_is_called_on():
    both = im.crop(im.udisk, im.red).over(im.blue)
    assert both.at([0, 2], 0).tolist() == [[1, 0, 0, 1], [0, 0, 1, 1]]


def test_pictures_tell_how_they_were_made():
    assert repr(im.warp(im.rotate(1), (im.x < 0.5) & ~im.checker)) == (
        "warp(rotate(1), ((x < 0.5) & ~(checker)))"
    )
    assert repr(im.turn(im.seconds, im.yb_rings)) == "turn(seconds, yb_rings)"


def test_a_word_can_be_added_at_run_time():
    from pellucid.images import word

    name = "spotlight"
    try:

        @word(
            "Length -> Image Color -> Image Color", ranges={"radius": positive}, example="spotlight(1, red)"
        )
        def spotlight(radius, image):
            """The image within that distance, black beyond."""
            return im.cond(im.disk(radius), image, im.black)

        assert getattr(im, name) is spotlight
        assert name in im.words()
        assert name in dir(im)
        assert name in dir(im.const(im.red))
        assert im.const(im.red).spotlight(1).at([0, 2], 0)[:, 0].tolist() == [1, 0]
        assert im.words()[name].show().at(0, 0).tolist() == [1, 0, 0, 1]
        with pytest.raises(VocabularyError, match="radius is -1; give a number above 0"):
            im.spotlight(-1, im.red)
    finally:
        del WORDS[name]
    with pytest.raises(AttributeError):
        im.spotlight  # noqa: B018 - the access is what is tested


IN_A_NEW_PROCESS = """
import sys, threading, time
from pellucid import images as im
home = sys.modules["pellucid.images.word"]
before = home.replace
home.replace = lambda *args, **named: time.sleep(0.05) or before(*args, **named)
found = []
threads = [threading.Thread(target=lambda: found.append(im.checker)) for _ in range(30)]
for thread in threads:
    thread.start()
    time.sleep(0.01)
for thread in threads:
    thread.join()
assert all(one is im.checker and isinstance(one, im.Image) for one in found), found
"""


def test_threads_may_ask_for_a_word_at_the_same_time():
    """A file that one thread imports, another one waits for."""
    subprocess.run([sys.executable, "-c", IN_A_NEW_PROCESS], check=True)


def test_each_file_of_the_vocabulary_can_be_the_first():
    for file in sorted({*HOMES.values()}):
        program = f"import sys, pellucid.images.{file}; print('pellucid.images.noise' in sys.modules)"
        done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
        assert done.stdout == f"{file == 'noise'}\n", file


def test_a_type_that_a_file_adds_is_found():
    program = (
        "from pellucid.images.signature import read; print(read('Stops -> Image Color')[0][0].type.name); "
        "import sys; print('pellucid.images.noise' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert done.stdout == "Stops\nTrue\n"


def test_a_word_younger_than_the_listing_of_files_is_found(monkeypatch):
    for name in ("swirl", "checker"):
        monkeypatch.delitem(HOMES, name)
    assert im.swirl(1, im.checker).kind == "region"
    assert im.checker.swirl(1).kind == "region"


def test_a_file_is_no_name():
    for file in {*HOMES.values()} - {*im.words()}:
        with pytest.raises(AttributeError, match=f"no word is called '{file}'"):
            getattr(im, file)
    for name in im.words():
        assert not isinstance(getattr(im, name), ModuleType), name


def test_the_listing_cannot_be_changed():
    with pytest.raises(TypeError):
        im.words()["checker"] = None


def test_signatures_are_read():
    parameters, result = read("Length -> Image a -> Image Bool... -> Transform")
    assert [p.text for p in parameters] == ["Length", "Image a", "Image Bool..."]
    assert parameters[1].letter == "a"
    assert parameters[2].kind == "region"
    assert parameters[2].many
    assert result.type.name == "Transform"


def test_ranges_are_told_in_words():
    said = {p.range for w in ALL for p in w.parameters}
    assert {"", "above 0", "other than 0", "from 0 to 1"} <= said
    assert str(Range(0, 5, open=True)) == "above 0, at most 5"
    assert str(Range(high=3)) == "at most 3"


def test_pan_in_the_registry_has_its_sources():
    named = {w.name for w in ALL if w.source.startswith("Pan")}
    pan = [
        "translate",
        "scale",
        "uscale",
        "rotate",
        "swirling",
        "move",
        "stretch",
        "ustretch",
        "turn",
        "swirl",
    ]
    more = ["empty", "const", "checker", "checkerboard", "over", "cond", "bilerp", "lerp_color", "over_color"]
    assert {*pan, *more} <= named


def test_defaults_pass_their_own_checks():
    for word in ALL:
        for parameter in word.parameters:
            value = parameter.default
            if value is not inspect.Parameter.empty and value is not None:
                parameter.slot.accept(value, parameter.limits, {})


def test_importing_the_vocabulary_loads_nothing_heavy():
    import subprocess

    code = "import sys, pellucid.images; print([m for m in ('PIL', 'llvmlite', 'av', 'rich') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
