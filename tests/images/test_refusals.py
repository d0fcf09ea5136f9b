"""Bad input: each clause gets one clear error that names the word, the parameter, the rule and the fix."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pellucid
from pellucid import images as im
from pellucid.base.errors import InputError, PellucidError, TraceError, VocabularyError

half = im.const(0.5)

REFUSED = {
    # numbers
    "too small": (
        lambda: im.checkerboard(0, im.red, im.blue),
        "checkerboard: size is 0; give a number above 0",
    ),
    "negative": (lambda: im.disk(-2), "disk: radius is -2; give a number above 0"),
    "zero factor": (lambda: im.ustretch(0, im.checker), "ustretch: factor is 0; give a number other than 0"),
    "zero in a pair": (
        lambda: im.stretch((1, 0), im.checker),
        "stretch: factors is 0; give a number other than 0",
    ),
    "above its range": (lambda: im.rgb(1.5, 0, 0), "rgb: red is 1.5; give a number from 0 to 1"),
    "amount above its range": (lambda: im.fade(2, im.red), "fade: opacity is 2; give a number from 0 to 1"),
    "not a number": (lambda: im.disk("1"), "disk: radius is '1', not a number; give a number"),
    "nan": (lambda: im.turn(math.nan, im.checker), "turn: angle is nan; give a finite number"),
    "infinite": (lambda: im.swirl(math.inf, im.checker), "swirl: radius is inf; give a finite number"),
    "nan in a pair": (
        lambda: im.move((0, math.nan), im.checker),
        "move: offset is nan; give a finite number",
    ),
    "nan of numpy": (lambda: im.disk(np.float32("nan")), "disk: radius is nan; give a finite number"),
    "nan as an image": (
        lambda: im.lerp(math.nan, im.red, im.blue),
        "lerp: weight is nan; give a finite number",
    ),
    "truth for a number": (lambda: im.disk(True), "disk: radius is True, not a number; give a number"),
    "none for a number": (lambda: im.disk(None), "disk: radius is None, not a number"),
    "fraction for a count": (lambda: im.rad_reg(2.5), "rad_reg: count is 2.5; give a whole number"),
    "too few": (lambda: im.polar_checker(0), "polar_checker: count is 0; give a number at least 1"),
    "a gradient to where it starts": (
        lambda: im.linear_gradient((1, 2), (1, 2), [im.red, im.blue]),
        "to divide by their distance; give two points that differ",
    ),
    "a gradient over less than numbers can hold": (
        lambda: im.linear_gradient((0, 0), (0, 1e-200), [im.red, im.blue]),
        "linear_gradient: start and end are one point, or too near",
    ),
    "count not known": (
        lambda: im.xorgon(im.seconds, 1, im.checker),
        "xorgon: copies is not known in advance; give a Python integer",
    ),
    "default out of range": (
        lambda: im.disk(pellucid.param("tests_radius", -1.0)),
        "disk: radius is -1; give a number above 0",
    ),
    # points, colors, transforms, functions, names
    "one number for a point": (
        lambda: im.move(3, im.checker),
        "move: offset is 3, not a point; give a pair of numbers",
    ),
    "three numbers for a point": (lambda: im.move((1, 2, 3), im.checker), "offset is (1, 2, 3), not a point"),
    "text in a point": (lambda: im.move(("a", 1), im.checker), "move: offset is 'a', not a number"),
    "tuple for a color": (
        lambda: im.tint(0.5, (1, 0, 0), im.red),
        "tint: tone is (1, 0, 0), not a color; write rgb(1, 0, 0)",
    ),
    "tuple of parts below 0 for a color": (
        lambda: im.tint(0.5, (-1, 0, 0), im.red),
        "tint: tone is (-1, 0, 0), not a color; give one such as red",
    ),
    "unknown color": (lambda: im.color("rde"), "color: name is 'rde', not a color; did you mean 'red'?"),
    "bad digits": (
        lambda: im.color("#12"),
        "color: name is '#12', not a color; write a name of CSS, or #rgb",
    ),
    "unknown color as an image": (
        lambda: im.over("orangge", im.red),
        "over: top is 'orangge', not a color; did you mean 'orange'?",
    ),
    "image for a transform": (
        lambda: im.warp(im.checker, im.checker),
        "warp: transform is Image Bool, not a transform",
    ),
    "number for a function": (
        lambda: im.lift(3, im.checker),
        "lift: function is 3, not a function; give a function",
    ),
    "unknown mode": (
        lambda: im.blend("multipy", im.red, im.blue),
        "blend: mode is 'multipy'; did you mean 'multiply'?",
    ),
    "number for a mode": (
        lambda: im.blend(3, im.red, im.blue),
        "blend: mode is 3, not a text; give a string",
    ),
    "unknown space": (
        lambda: im.ramp([im.red, im.blue], im.x, "cmyk"),
        "ramp: space is 'cmyk'; choose one of srgb",
    ),
    # stops
    "one stop": (lambda: im.ramp([im.red], im.x), "ramp: stops is not a list of at least two stops"),
    "mixed stops": (
        lambda: im.ramp([im.red, (1, im.blue)], im.x),
        "a list of colors and of pairs; give a position with every",
    ),
    "falling stops": (
        lambda: im.ramp([(0.7, im.red), (0.2, im.blue)], im.x),
        "positions [0.7, 0.2]; give positions from 0 to 1 that never fall",
    ),
    # kinds of images
    "over of a region": (
        lambda: im.over(im.checker, im.red),
        "over: top is Image Bool, not Image Color; color it, as in region.fill(red)",
    ),
    "field for a color": (
        lambda: im.fade(0.5, im.x),
        "fade: image is Image Number, not Image Color; color it, as in field.ramp",
    ),
    "color for a region": (
        lambda: im.crop(im.const(im.red), im.blue),
        "crop: region is Image Color, not Image Bool; make a region",
    ),
    "field for a region": (
        lambda: im.crop(im.x, im.blue),
        "crop: region is Image Number, not Image Bool; compare it",
    ),
    "region for a field": (
        lambda: im.ramp([im.red, im.blue], im.checker),
        "field is Image Bool, not Image Number; make it a field",
    ),
    "color for a field": (
        lambda: im.ramp([im.red, im.blue], im.const(im.red)),
        "field is Image Color, not Image Number; take a field of it",
    ),
    "two kinds in a choice": (
        lambda: im.cond(im.checker, im.red, 0.5),
        "cond: orelse is Image Number beside Image Color; give images of one kind",
    ),
    "lerp of regions": (lambda: im.lerp(0.5, im.checker, im.udisk), "lerp: first is an image of kind region"),
    "function for an image": (
        lambda: im.turn(1, lambda p: p.x),
        "not an image; make it an image with @pl.image",
    ),
    "list for an image": (lambda: im.turn(1, []), "turn: image is [], not an image; give an image"),
    "number of many": (lambda: im.union(im.checker, 3), "union: regions is Image Number, not Image Bool"),
    # arity and names of arguments
    "too few arguments": (
        lambda: im.swirl(100),
        "swirl: takes radius, image (missing a required argument: 'image'); it is Length -> Image a -> Image a",
    ),
    "too many arguments": (
        lambda: im.swirl(1, im.checker, 3),
        "swirl: takes radius, image (too many positional arguments)",
    ),
    "unknown argument": (lambda: im.swirl(1, imag=im.checker), "swirl: takes radius, image"),
    "method given too much": (lambda: im.checker.swirl(1, 2), "swirl: takes radius, image"),
    # words that are not
    "unknown word": (lambda: im.chekerboard, "no word is called 'chekerboard'; did you mean 'checkerboard'?"),
    "unknown method": (lambda: im.checker.swril(1), "no method is called 'swril'; did you mean 'swirl'?"),
    "word that takes no image": (lambda: im.checker.disk(1), "no method is called 'disk'"),
    # operators
    "sum of regions": (lambda: im.checker + im.udisk, "+ takes Image Number, not Image Bool"),
    "conjunction of fields": (lambda: im.x & im.y, "& takes Image Bool, not Image Number"),
    "product of colors": (lambda: im.const(im.red) * 2, "* takes Image Number, not Image Color"),
    "truth of an image": (lambda: bool(im.checker), "an image has no truth of its own"),
    "truth of a behavior": (lambda: bool(im.seconds < 3), "no truth of its own; choose with cond(...)"),
    # functions that are no pictures
    "picture without a result": (
        lambda: im.image(lambda p: None).at(0, 0),
        "returns nothing; return a color",
    ),
    "picture of text": (
        lambda: im.image(lambda p: "red").kind,
        "its function returns 'red', which is no number; write color('red')",
    ),
    "picture of a function": (lambda: im.image(lambda p: im.swirl).kind, "returns function; call it"),
    "picture of three arguments": (
        lambda: im.image(lambda x, y, t: x),
        "a function of 3 arguments is not a picture",
    ),
    "picture of no arguments": (lambda: im.image(lambda: 3), "a function of 0 arguments is not a picture"),
    "picture of a number": (lambda: im.image(3), "3 is not a function; write @pl.image above a function"),
    "animation of two arguments": (lambda: im.animation(lambda t, p: p), "is not a function of time"),
    "animation of a number": (lambda: im.animation(3), "3 is not a function of time"),
    "transform to a number": (
        lambda: im.warp(lambda p: p.x, im.checker).at(0, 0),
        "returns a number; return a point or a pair of numbers",
    ),
    "polar transform to a number": (
        lambda: im.warp(im.polar_transform(lambda r, t: r), im.checker).at(0, 0),
        "polar_transform: the function gives Value; return (r, theta)",
    ),
    "centered without a picture": (
        lambda: im.centered((0, 0), lambda i: 3, im.checker),
        "centered: the function gives int",
    ),
    "tiling of the sphere": (
        lambda: im.hyperbolic_checker(4, 4),
        "do not fit the hyperbolic plane; give more sides",
    ),
    "speedup by a picture": (lambda: im.seconds.speedup(im.checker), "speedup: Image is not a number"),
    # display
    "discrete of one argument": (lambda: im.discrete(lambda i: i), "is not a function of two whole numbers"),
    "discrete animation of two": (
        lambda: im.discrete_animation(lambda i, j: i),
        "is not a function of a time",
    ),
    "displaying pairs": (
        lambda: im.displayable(im.image(lambda p: (p.x, p.y))),
        "a picture of kind Image cannot be shown",
    ),
}  # fmt: skip


@pytest.mark.parametrize("clause", REFUSED)
def test_bad_input_gets_one_clear_error(clause):
    attempt, text = REFUSED[clause]
    with pytest.raises(VocabularyError) as caught:
        attempt()
    assert text in str(caught.value)
    assert isinstance(caught.value, PellucidError)
    assert "\n" not in str(caught.value)


def test_an_error_names_the_line_of_the_program():
    with pytest.raises(VocabularyError, match=r"^test_refusals\.py:\d+: swirl: "):
        im.swirl(0, im.checker)


def test_an_error_in_an_animation_shows_where_the_word_is_written():
    with pytest.raises(VocabularyError, match="over: top is Image Bool"):
        im.over(im.turn(im.seconds, im.checker), im.red)


def test_what_is_no_picture_cannot_be_displayed():
    for thing, fix in (
        (lambda p: p.x, "mark it with @pl.image"),
        (3, r"give one made with pellucid\.images"),
    ):
        with pytest.raises(InputError, match=f"is not a picture; {fix}"):
            im.displayable(thing)


def test_a_wrong_precision_or_parameter_is_refused():
    with pytest.raises(InputError, match="precision: 'f16' is not known"):
        im.checker.at(0, 0, precision="f16")
    with pytest.raises(InputError, match="params: the picture has no parameter 'nothing'"):
        im.checker.at(0, 0, params={"nothing": 1})


def test_branching_on_a_point_is_refused_with_the_fix():
    with pytest.raises(TraceError, match=r"write pl\.where\(p\.x > 0, im\.red, im\.blue\)"):
        im.image(lambda p: im.red if p.x > 0 else im.blue).at(0, 0)


@pytest.mark.parametrize(
    ("register", "text"),
    [
        (lambda: im.word("Length -> Imag a -> Image a", example=""), "no type is called 'Imag a'"),
        (lambda: im.word("Image Colour -> Image a", example=""), "no image is an Image Colour"),
        (lambda: im.word("Length -> Image Bool -> Image Bool", example=""), "does not fit the 1 parameters"),
        (
            lambda: im.word("Length -> Image Bool", example="", ranges={"y": (0, 1)}),
            "no parameter is called 'y'",
        ),
    ],
)
def test_a_word_that_does_not_fit_its_signature_is_refused(register, text):
    with pytest.raises(VocabularyError) as caught:

        @register()
        def tests_word(x):
            """Nothing."""

    assert text in str(caught.value)
    assert "tests_word" not in im.words()


def test_a_name_that_is_taken_is_refused():
    with pytest.raises(VocabularyError, match=r"swirl: the word is taken by pellucid\.images\.warp"):

        @im.word("Length -> Image Bool", example="")
        def swirl(radius):
            """Another one."""
