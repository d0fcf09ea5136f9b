"""What holds of every document: edits keep it valid, undone they give its bytes, and it draws what Python draws."""

from __future__ import annotations

import runpy
from pathlib import Path
from random import Random

import numpy as np
import pytest
from tests.document.writing import edited_and_undone, written
from tests.turns import fewer

import pellucid as pl
from pellucid.document import evaluate, read

GALLERY = sorted(p for p in Path("examples/gallery").rglob("*.py") if not p.name.startswith("_"))


@pytest.mark.parametrize("seed", range(20))
def test_a_random_document_is_valid(seed: int):
    document = read(written(seed))
    assert document.valid, (document.text, document.diagnostics)
    assert not [node for node in document.walk() if node.form == "opaque"]


@pytest.mark.parametrize("seed", range(6))
def test_edits_of_a_random_document_keep_it_valid_and_are_undone_to_the_same_bytes(seed: int):
    assert edited_and_undone(written(seed), 8, Random(seed)) > 3


@pytest.mark.slow
def test_edits_of_thousands_of_random_documents_are_undone_to_the_same_bytes():
    made = sum(
        edited_and_undone(written(seed), 3, Random(seed)) for seed in range(100, 100 + fewer(fewer(2000)))
    )
    assert made > fewer(fewer(4000))


@pytest.mark.slow
def test_pictures_of_the_gallery_are_edited_at_random_and_undone_to_the_same_bytes():
    for seed, path in enumerate(Random(3).sample(GALLERY, fewer(20))):
        assert edited_and_undone(path.read_text(encoding="utf-8"), 50, Random(seed)) > 20, path


def drawn_alike(text: str, path: Path, *, trust: bool = False) -> bool:
    found = evaluate(read(text), trust=trust)
    assert found.picture is not None, (path, found.diagnostics)
    wanted = runpy.run_path(str(path))["picture"]
    return np.array_equal(pl.render(found.picture, (24, 16)), pl.render(wanted, (24, 16)))


@pytest.mark.parametrize("seed", range(4))
def test_a_random_document_is_drawn_as_python_draws_it(seed: int, tmp_path: Path):
    path = tmp_path / "picture.py"
    path.write_text(written(seed), encoding="utf-8")
    assert drawn_alike(written(seed), path)


@pytest.mark.parametrize("name", ["stained_glass", "moire", "bump_swirl", "swirled_crop", "tunnel"])
def test_a_picture_of_the_gallery_is_drawn_as_python_draws_it(name: str):
    path = next(p for p in GALLERY if p.stem == name)
    text = path.read_text(encoding="utf-8")
    assert drawn_alike(text, path, trust=name == "tunnel")


@pytest.mark.slow
@pytest.mark.one_in(4)
@pytest.mark.parametrize("path", GALLERY, ids=lambda path: path.stem)
def test_the_gallery_is_drawn_as_python_draws_it(path: Path):
    text = path.read_text(encoding="utf-8")
    assert drawn_alike(text, path, trust=evaluate(read(text)).picture is None)


def test_most_of_the_gallery_has_no_opaque_node():
    documents = [read(path.read_text(encoding="utf-8")) for path in GALLERY]
    assert all(document.valid for document in documents)
    opaque = [d for d in documents if any(node.form == "opaque" for node in d.walk())]
    assert len(opaque) <= 43
