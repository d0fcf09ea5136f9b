"""Every row of the operator table has every column: a row that says less than the others is found here."""

from __future__ import annotations

import inspect

import pytest

from pellucid.backends.tiles.tape import rows as rows_of_tapes
from pellucid.base.errors import IrError
from pellucid.ir import prim, types

ROWS = list(prim.table().values())
assert set(rows_of_tapes.ROWS) <= set(ROWS)
LAWS = {"commutes", "associates", "identity", "absorbing", "idempotent"}


def kinds(row: prim.Prim) -> set[str]:
    """The kinds of type that the first operand may have, as spellings tell them apart."""
    return {each.kind for each in prim.CLASSES[row.letters[0]]} if row.letters else set()


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_row_says_everything(row: prim.Prim):
    assert row.name.isidentifier()
    assert row.doc.endswith(".")
    assert row.cost > 0
    # Whoever evaluates whole regions knows more of a result than its type.
    assert row.interval is not None
    # Of bits read as another type nothing is known.
    assert row.facts is not None or row.name == "bitcast"
    assert set(row.letters) <= set(prim.CLASSES)
    assert row.result in {*row.letters, "@", "B"}


@pytest.mark.parametrize("row", [row for row in ROWS if row.body is None], ids=lambda row: row.name)
@pytest.mark.parametrize("language", ["llvm", "c", "glsl", "wgsl"])
def test_a_row_is_spelled_for_every_type(row: prim.Prim, language: str):
    missing: list[str] = []
    for kind in sorted(kinds(row)):
        try:
            assert row.spelling(language, kind).strip()
        except IrError:
            missing.append(kind)
    assert not missing


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_row_has_a_meaning_of_its_arity(row: prim.Prim):
    meaning = row.ref or row.body
    assert meaning is not None
    try:
        signature = inspect.signature(meaning)
    except ValueError:
        # A ufunc of NumPy has no signature; it knows how many arrays it takes.
        assert getattr(meaning, "nin", row.arity) == row.arity
        return
    takes = row.arity + (row.result == "@")
    signature.bind(*range(takes))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_laws_are_stated_of_binary_operators_on_kinds_there_are(row: prim.Prim):
    stated = {kind for law in LAWS for kind in getattr(row.laws, law)}
    known = {"float", "integer", "bool"}
    assert stated <= known
    assert not stated or row.arity == 2


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_an_error_bound_names_types_of_the_row(row: prim.Prim):
    floats = {each.name for each in types.FLOATS}
    assert set(row.ulp) <= floats
    assert all(bound > 0 for bound in row.ulp.values())
