"""What editors and type checkers know: the stubs are current and complete, and jedi finds them."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import jedi
import pytest
from tools import stubs

import pellucid as pl
from pellucid import images as im
from pellucid.images.css import NAMED
from pellucid.images.word import WORDS

ROOT = Path(__file__).parents[2]
HEAD = (
    "import pellucid as pl\nfrom pellucid import images as im\nboard = im.checkerboard(10, im.red, im.blue)\n"
)


def stub(name: str) -> ast.Module:
    return ast.parse((stubs.PACKAGE / name).read_text(encoding="utf-8"))


def names(body: list[ast.stmt]) -> set[str]:
    """What a stub defines."""
    found: set[str] = set()
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            found.add(node.target.id)
        elif isinstance(node, ast.ImportFrom):
            found |= {alias.asname for alias in node.names if alias.asname}
    return found


def test_the_stubs_are_current():
    old = [str(path.relative_to(ROOT)) for path in stubs.stale()]
    assert not old, f"{', '.join(old)}: not what the registries say; run: .venv/bin/python -m tools.stubs"


def test_a_stub_that_is_out_of_date_is_found(monkeypatch):
    word = im.words()["swirl"]
    monkeypatch.setitem(WORDS, "whirl", word.__class__(*(getattr(word, f) for f in word.__slots__)))
    assert {path.name for path in stubs.stale()} == {"__init__.pyi", "methods.pyi", "homes.py"}


def test_every_name_that_is_found_when_it_is_asked_for_has_a_type():
    assert names(stub("__init__.pyi").body) >= {*pl.__all__, "sin", "floor", "images", "__version__"}
    known = names(stub("images/__init__.pyi").body)
    assert known >= {name for name in dir(im) if not name.startswith("_")} & {
        *im.words(), *NAMED, *im.__all__, "sin", "clamp"
    }  # fmt: skip
    (methods,) = (node for node in stub("images/methods.pyi").body if isinstance(node, ast.ClassDef))
    assert names(methods.body) == {w.name for w in im.words().values() if w.receiver is not None}


def script(text: str) -> jedi.Script:
    return jedi.Script(HEAD + text, project=jedi.Project(ROOT, added_sys_path=[str(ROOT / "src")]))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("im.checkerb", "checkerboard"),
        ("im.aquam", "aquamarine"),
        ("board.swi", "swirl"),
        ("im.turn(1, board).swi", "swirl"),
        ("im.seconds.spee", "speedup"),
        ("pl.rend", "render"),
        ("pl.smooths", "smoothstep"),
        ("pl.cosp", "cospi"),
    ],
)
def test_names_are_completed(text, name):
    assert name in [each.name for each in script(text).complete()]


def test_hovering_shows_what_a_word_does():
    (found, *_) = script("im.swirl").help()
    text = found.docstring()
    for part in (
        "swirl(radius: Length, image: ImageLike)",
        im.words()["swirl"].doc[:20],
        "Length -> Image a",
    ):
        assert part in text
    (signature, *_) = script("im.swirl(").get_signatures()
    assert [each.name for each in signature.params] == ["radius", "image"]


def test_a_misspelled_word_is_an_error_where_it_stands(tmp_path):
    wrong = [
        "im.swril(3, board)",
        "board.swril(3)",
        "pl.rendre(board)",
        "im.midnigthblue",
        "im.swirl('a', board)",
    ]
    path = tmp_path / "mine.py"
    path.write_text(HEAD + "".join(f"x{k} = {text}\n" for k, text in enumerate(["board.swirl(3)", *wrong])))
    command = [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = json.loads(done.stdout)["generalDiagnostics"]
    assert {each["range"]["start"]["line"] for each in found} == {4, 5, 6, 7, 8}, found
