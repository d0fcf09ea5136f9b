"""Each edit, and what it refuses; identities and values through edits."""

# ruff: noqa: E501 - tables to be read, a line for each edit
from __future__ import annotations

import pytest

from pellucid.base.errors import InputError
from pellucid.document import EDITS, apply, evaluate, offers, read

START = "from pellucid import images as im\n"


def at(document, source: str) -> int:
    return next(node.identity for node in document.walk() if document.source(node) == source)


@pytest.mark.parametrize(
    ("body", "edit", "where", "needs", "after"),
    [
        ("picture = im.disk(1)  # round", "replace", "im.disk(1)", {"text": "im.r < 2"}, "picture = im.r < 2  # round"),
        ("picture = im.disk(1).fill(im.red)", "replace", "im.disk(1)", {"text": "im.r < 2"}, "picture = (im.r < 2).fill(im.red)"),
        ("picture = im.turn(2, im.udisk)", "use", "im.turn(2, im.udisk)", {"word": "mirror"}, "picture = im.mirror(im.udisk)"),
        ("picture = im.disk(1)", "wrap", "im.disk(1)", {"word": "swirl"}, "picture = im.swirl(1, im.disk(1))"),
        ("picture = im.swirl(1, im.udisk | im.checker)", "unwrap", "im.swirl(1, im.udisk | im.checker)", {}, "picture = im.udisk | im.checker"),
        ("picture = im.over(im.red,  im.blue)", "swap", "im.red", {"other": "im.blue"}, "picture = im.over(im.blue,  im.red)"),
        ("picture = im.over(im.red, im.blue)", "delete", "im.red", {}, "picture = im.over(..., im.blue)"),
        ("picture = im.stack(im.red, im.tan, im.blue)", "delete", "im.tan", {}, "picture = im.stack(im.red, im.blue)"),
        ("picture = im.stack(im.red, im.blue)", "duplicate", "im.red", {}, "picture = im.stack(im.red, im.red, im.blue)"),
        ("picture = im.disk(1)", "duplicate", "im.disk(1)", {}, "picture = im.union(im.disk(1), im.disk(1))"),
        ("picture = im.turn(1, im.udisk)", "extract", "im.udisk", {"name": "round"}, "round2 = im.udisk\npicture = im.turn(1, round2)"),
        ("a = im.r < 2\npicture = a.turn(1)", "inline", "a", {}, "picture = (im.r < 2).turn(1)"),
        ("picture = im.mirror(im.disk(2))", "abstract", "im.disk(2)", {"inner": "2", "name": "ball"}, "def ball(radius):\n    return im.disk(radius)\n\n\npicture = im.mirror(ball(2))"),
        ("picture = im.turn(0.5, im.udisk)", "animate", "0.5", {}, "picture = im.turn(0.5 + im.seconds, im.udisk)"),
        ("picture = im.disk(1)", "set_literal", "1", {"value": 2.5}, "picture = im.disk(2.5)"),
        ("picture = im.perlin_noise()", "set_argument", "im.perlin_noise()", {"name": "seed", "text": "3"}, "picture = im.perlin_noise(seed=3)"),
    ],
)  # fmt: skip
def test_an_edit_changes_its_span_alone(body, edit, where, needs, after):
    document = read(START + body)
    needs = {k: at(document, v) if k in {"other", "inner"} else v for k, v in needs.items()}
    applied = apply(document, EDITS[edit](document, at(document, where), **needs))
    assert applied.document.text == START + after
    assert applied.document.valid
    assert apply(applied.document, applied.back).document.text == document.text


def test_a_number_becomes_a_parameter_with_the_import_that_it_needs():
    document = read(START + "picture = im.annulus(0.5)")
    applied = apply(document, EDITS["make_parameter"](document, at(document, "0.5")))
    lines = applied.document.text.splitlines()
    assert lines[1:] == [
        "import pellucid as pl",
        'inner = pl.param("inner", 0.5, low=0.0, high=1.0)',
        "picture = im.annulus(inner)",
    ]
    assert evaluate(applied.document).picture is not None


@pytest.mark.parametrize(
    ("body", "edit", "where", "needs"),
    [
        ("picture = im.disk(1)", "replace", "im.disk(1)", {"text": "im.disk("}),
        ("picture = im.fill(im.red, im.udisk)", "replace", "im.udisk", {"text": "im.blue"}),
        ("picture = im.disk(1)", "replace", "1", {"text": "1) + (2"}),
        ("picture = im.disk(1)", "use", "im.disk(1)", {"word": "nothing"}),
        ("picture = im.disk(1)", "wrap", "im.disk(1)", {"word": "luminance"}),
        ("picture = im.disk(1)", "unwrap", "im.disk(1)", {}),
        ("picture = im.fill(im.red, im.udisk)", "swap", "im.red", {"other": "im.udisk"}),
        ("picture = im.over(..., im.red)", "delete", "...", {}),
        ("picture = im.disk(1)", "duplicate", "1", {}),
        ("picture = im.warp(lambda p: p * 2, im.udisk)", "extract", "p * 2", {}),
        ("picture = im.disk(1)", "extract", "1", {"name": "no name"}),
        ("picture = im.disk(1)", "inline", "1", {}),
        ("picture = im.disk(1)", "abstract", "im.disk(1)", {"inner": "im.disk(1)"}),
        ("picture = im.hyperbolic_checker(7, 3)", "make_parameter", "7", {}),
        ("picture = im.hyperbolic_checker(7, 3)", "animate", "7", {}),
        ("picture = im.warp(lambda p: p * 2, im.udisk)", "animate", "2", {}),
        ("picture = im.annulus(0.5)", "set_literal", "0.5", {"value": 7.0}),
        ("picture = im.annulus(0.5)", "set_literal", "0.5", {"value": "red"}),
        ("picture = im.disk(1)", "set_argument", "im.disk(1)", {"name": "width", "text": "1"}),
    ],
)
def test_an_edit_that_does_not_fit_is_refused(body, edit, where, needs):
    document = read(START + body)
    needs = {k: at(document, v) if k in {"other", "inner"} else v for k, v in needs.items()}
    with pytest.raises(InputError):
        EDITS[edit](document, at(document, where), **needs)


def test_offers_are_made_only_where_kinds_fit():
    document = read(START + "picture = im.fill(im.red, im.disk(1))")
    found = {offer.edit: offer for offer in offers(document, at(document, "im.disk(1)"))}
    assert "union" in found["wrap"].needs["word"]
    assert "luminance" not in found["wrap"].needs["word"]
    assert "checker" in found["use"].needs["word"]
    assert "gold" not in found["use"].needs["word"]
    assert "inline" not in found


def test_identities_and_values_outlive_what_is_changed_elsewhere():
    document = read(
        START + "picture = im.over(im.fill(im.red, im.disk(1)), im.checkerboard(1, im.tan, im.blue))"
    )
    board = at(document, "im.checkerboard(1, im.tan, im.blue)")
    before = evaluate(document, board).picture
    wrapped = apply(document, EDITS["wrap"](document, at(document, "im.disk(1)"), word="swirl")).document
    assert at(wrapped, "im.checkerboard(1, im.tan, im.blue)") == board
    assert at(wrapped, "im.disk(1)") == at(document, "im.disk(1)")
    assert wrapped.picture.identity == document.picture.identity
    assert evaluate(wrapped, board).picture is before
    moved = read(document.text.replace("disk(1)", "disk(12)").replace("# x", ""), document)
    assert at(moved, "12") == next(
        a.node.identity for a in document.nodes[at(document, "im.disk(1)")].arguments
    )


def test_a_hole_is_valid_and_evaluating_tells_of_it_at_its_place():
    document = read(START + "picture = im.over(..., im.red)")
    assert document.valid
    found = evaluate(document)
    assert (found.picture, found.diagnostics[0].severity) == (None, "hole")
    assert document.text[found.diagnostics[0].start : found.diagnostics[0].end] == "..."
    assert document.nodes[found.diagnostics[0].identity].expected == "image"


def test_a_refusal_is_told_at_the_node_that_is_refused():
    document = read(START + "size = 3 - 4\npicture = im.mirror(im.disk(size))")
    found = evaluate(document).diagnostics[0]
    assert document.text[found.start : found.end] == "im.disk(size)"


def test_a_lifted_number_is_a_parameter_of_the_picture():
    document = read(START + "picture = im.disk(1.5)")
    import pellucid as pl

    lifted = evaluate(document, lifted={at(document, "1.5"): "dragged"}).picture
    assert "dragged" in pl.compile(lifted).params
    assert pl.compile(evaluate(document).picture).params == {}
