"""To add an operator touches one row, and to add a word of the vocabulary one function: the rest finds them.

`test_new_row` runs a new row through the suite of the back ends; here it is found by everyone else, from the text of
programs to the pages of the manual.
"""

from __future__ import annotations

import importlib
import shutil
import sys
from dataclasses import replace

import numpy as np
import pytest

import operators as page_of_operators
import pellucid as pl
import vocabulary as page_of_words
from pellucid import images as im
from pellucid.base.errors import TraceError, VocabularyError
from pellucid.images.signature import positive
from pellucid.images.word import WORDS, vocabulary, word
from pellucid.ir import expr as E
from pellucid.ir import interp, prim, prims
from pellucid.ir import types as T
from pellucid.ir.facts import Facts, top
from pellucid.ir.parse import parse_expr
from pellucid.ir.prim import Laws, Prim
from pellucid.ir.text import print_expr
from pellucid.rewriting.simplify import simplify
from pellucid.tracing import Value

# ---- an operator ----

ROW = Prim(
    "offness",
    "How far x is from the nearest integer.",
    "F -> F",
    ref=lambda x: np.abs(x - np.rint(x)),
    facts=lambda t, _, a: Facts(0.0, 0.5) if a.finite else top(t),
    llvm={
        "float": "{r}.n = call {T} @llvm.roundeven.{M}({T} {0})\n{r}.d = fsub {T} {0}, {r}.n\n"
        "call {T} @llvm.fabs.{M}({T} {r}.d)"
    },
    c={"float": "fabs{f}({0} - rint{f}({0}))"},
    cost=3,
)


@pytest.fixture
def row():
    """The row, while the test runs."""
    prim.table()
    prim.register(ROW)
    yield ROW
    prim.unregister(ROW.name)


@pytest.fixture
def picture():
    """A picture that uses it."""
    return pl.image(lambda p: 2.0 * pl.offness(p.x * p.y * 0.01))


def test_a_row_is_a_function_of_numbers_and_of_symbolic_values(row):
    assert pl.offness(2.75) == 0.25
    assert pl.offness.__doc__ == row.doc
    x = Value(E.param("x", T.f64))
    assert pl.offness(x).expr is E.apply("offness", E.param("x", T.f64))
    # Its signature is enforced, and an integer becomes the float that it asks for.
    assert pl.offness(Value(E.param("k", T.i32))).type is T.f32
    with pytest.raises(TraceError, match="takes 1 operand, not 2; it is: How far x is"):
        pl.offness(x, x)
    with pytest.raises(AttributeError, match="did you mean 'offness'"):
        pl.offnes  # noqa: B018 - the access is what is tested


def test_a_row_is_a_function_of_fields_and_behaviors(row):
    assert im.offness(im.x).at([0.25, 0.75, 2.0], 0).tolist() == [0.25, 0.25, 0]
    assert im.offness(im.seconds)(1.125) == 0.125
    assert eval("offness(x)", vocabulary()).at(1.5, 0) == 0.5
    assert "offness" in dir(im)


def test_a_row_is_read_as_it_is_printed(row):
    node = E.apply("offness", E.apply("add", E.param("a", T.f32), E.const(0.5, T.f32)))
    text = print_expr(node)
    assert text == "offness($a:f32 + 0.5)"
    assert parse_expr(text) == [node]


def test_a_row_is_folded_and_its_facts_are_used(row):
    (folded,) = simplify(parse_expr("offness(3.75) + $a:f32 * 0.0 + offness(-0.125)"), numerics="relaxed")
    assert folded is E.const(0.375, T.f32)
    assert interp.fold("offness", [E.const(2.5, T.f64)], T.f64) == 0.5
    # A param is finite, so the row's own facts decide; a quotient of two need not be.
    assert simplify(parse_expr("offness($a:f32) < 0.75")) == [E.TRUE]
    undecided = parse_expr("offness($a:f32 / $b:f32) < 0.75")
    assert simplify(undecided) == undecided


def test_a_row_runs_on_every_back_end_with_equal_bits(row, picture):
    view = {"size": (40, 30), "center": (0.3, 0.7), "zoom": 2.0}
    x = (0.3 + (np.arange(40) + 0.5 - 20) / 2)[None, :]
    y = (0.7 - (np.arange(30) + 0.5 - 15) / 2)[:, None]
    off = x * y * 0.01 - np.rint(x * y * 0.01)
    wanted = np.floor(255 * 2 * abs(off) + 0.5)
    backends = ["llvm", "numpy", *(["c"] if shutil.which("cc") else [])]
    for precision in ("f32", "f64"):
        drawn = {b: pl.render(picture, **view, backend=b, precision=precision) for b in backends}
        for pixels in drawn.values():
            np.testing.assert_array_equal(pixels, drawn["llvm"])
        assert abs(drawn["llvm"][..., 0] - wanted).max() <= 1
    assert np.ptp(wanted) > 100


def test_a_row_is_in_the_report(row, picture):
    assert "offness(" in pl.explain(picture).stages["placed"]


def test_a_row_taken_out_is_gone(row, picture):
    assert "offness" in prim.table()
    prim.unregister("offness")
    try:
        for module in (pl, im):
            with pytest.raises(AttributeError):
                module.offness  # noqa: B018 - the access is what is tested
        assert "offness" not in dir(im)
    finally:
        prim.register(row)


def test_a_row_that_changes_changes_the_picture(row, picture):
    """While someone works on a row, nothing compiled of its earlier form is shown."""
    before = pl.render(picture, 16)
    ceiling = "call {T} @llvm.ceil.{M}({T} {0})"
    prim.unregister(row.name)
    prim.register(replace(row, ref=np.ceil, llvm={"float": ceiling}, c={"float": "ceil{f}({0})"}, facts=None))
    for backend in ("llvm", "numpy"):
        after = pl.render(picture, 16, backend=backend)
        assert set(np.unique(after[..., 0])) == {0, 255}
        assert (after != before).any()


def test_the_laws_of_a_row_become_rules():
    """Of a row with an identity, it is dropped; nobody writes the rule."""
    nearer = Prim(
        "nearer",
        "Whichever of x and y is nearer to zero, or y.",
        "F F -> F",
        ref=lambda x, y: np.where(np.abs(x) < np.abs(y), x, y),
        laws=Laws(idempotent=("float",)),
        llvm={"float": "fadd {T} {0}, {1}"},
        c={"float": "{0}"},
    )
    twice = "nearer($a:f32, $a:f32)"
    prim.table()
    prim.register(nearer)
    try:
        assert simplify(parse_expr(twice)) == [E.param("a", T.f32)]
    finally:
        prim.unregister("nearer")


FILE = '''
"""Distances: how far numbers are from others."""

import numpy as np

from pellucid.ir.prim import Prim

ROWS = (
    Prim(
        "farness",
        "How far x is from one.",
        "F -> F",
        ref=lambda x: np.abs(x - x.dtype.type(1)),
        llvm={"float": "{r}.d = fsub {T} {0}, {#1}\\ncall {T} @llvm.fabs.{M}({T} {r}.d)"},
        c={"float": "fabs{f}({0} - 1)"},
    ),
)
'''


def test_a_row_in_a_file_is_found_by_the_table_and_by_the_page_of_operators(tmp_path, monkeypatch):
    (tmp_path / "distances.py").write_text(FILE, encoding="utf-8")
    monkeypatch.setattr(prims, "__path__", [*prims.__path__, str(tmp_path)])
    monkeypatch.setattr(prim, "_known", {})
    monkeypatch.setattr(prim, "_listed", {})
    importlib.invalidate_caches()
    try:
        assert pl.farness(0.25) == 0.75
        assert set(prim.table()) >= {"add", "farness"}
        page = page_of_operators.page()
    finally:
        sys.modules.pop(f"{prims.__name__}.distances", None)
    title, text, *table = page.partition("## Distances\n")[2].strip().splitlines()[0:5]
    assert (title, text) == ("how far numbers are from others.", "")
    assert "| `farness` | `F -> F` | How far x is from one. |" in table[-1]
    assert "exact" in table[-1]


# ---- a word ----


@pytest.fixture
def blinds():
    """A word, while the test runs."""

    @word(
        "Length -> Image Color -> Image Color",
        ranges={"height": positive},
        example="blinds(1, checkerboard(0.5, gold, navy))",
        source="nobody",
    )
    def blinds(height, image):
        """The image behind blinds, of which every second slat is missing."""
        return im.crop(pl.image(lambda p: pl.fraction(p.y / (2 * height)) < 0.5), image)

    yield blinds
    del WORDS["blinds"]


def test_a_word_is_a_function_a_method_and_in_the_listing(blinds):
    assert im.blinds is blinds
    assert im.const(im.red).blinds(1).at(0, [0.5, 1.5])[:, 3].tolist() == [1, 0]
    entry = im.words()["blinds"]
    assert (entry.signature, entry.receiver) == ("Length -> Image Color -> Image Color", "image")
    assert entry.doc.startswith("The image behind blinds")
    for names in (dir(im), dir(im.const(im.red)), vocabulary()):
        assert "blinds" in names


def test_a_word_checks_its_arguments_and_moves_with_time(blinds):
    with pytest.raises(VocabularyError, match="height is -1; give a number above 0"):
        im.blinds(-1, im.red)
    moving = im.blinds(1 + im.seconds, im.red)
    assert isinstance(moving, im.Animation)
    assert moving.at(0, 1.5, time=0.0)[3] == 0
    assert moving.at(0, 1.5, time=1.0)[3] == 1


def test_a_word_is_drawn_on_the_page_of_words(blinds, tmp_path):
    shown = page_of_words.entry(im.words()["blinds"], tmp_path)
    assert "### blinds" in shown
    assert "*Length -> Image Color -> Image Color*" in shown
    assert "The image behind blinds" in shown
    assert "above 0" in shown
    assert im.words()["blinds"].example in shown
    assert (tmp_path / "blinds.png").read_bytes()[1:4] == b"PNG"


def test_a_word_taken_out_is_gone(blinds):
    entry = WORDS.pop("blinds")
    try:
        with pytest.raises(AttributeError):
            im.blinds  # noqa: B018 - the access is what is tested
    finally:
        WORDS["blinds"] = entry
