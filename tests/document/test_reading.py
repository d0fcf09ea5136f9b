"""Reading: spans, kinds, names, identities, diagnostics with their fixes; hostile texts are refused and never run."""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from PIL import Image as Pillow

import pellucid as pl
from pellucid.document import Replacement, TextChange, change_data, change_of, data, evaluate, read, words_for

START = "import pellucid as pl\nfrom pellucid import images as im\n"


def problems(body: str) -> list[str]:
    return [one.message for one in read(START + body).diagnostics if one.severity == "error"]


def test_a_node_knows_its_span_kind_and_range():
    document = read(START + "picture = im.udisk.fill(im.gold).swirl(2.5)\n")
    picture = document.picture
    assert document.source(picture) == "im.udisk.fill(im.gold).swirl(2.5)"
    assert (picture.kind, picture.word) == ("image", "swirl")
    radius = next(a for a in picture.arguments if a.name == "radius")
    told = data(document)["nodes"][str(picture.identity)]["arguments"]
    assert document.source(radius.node) == "2.5"
    assert next(a for a in told if a["name"] == "radius")["range"]["nonzero"]


def test_spans_count_letters_of_any_alphabet_and_the_page_counts_units_of_utf_16():
    document = read(START + 'note = "😀é"; picture = im.disk(1)\n')
    assert document.source(document.picture) == "im.disk(1)"
    told = data(document)
    assert told["nodes"][str(told["picture"])]["start"] == document.picture.start + 1
    change = TextChange((Replacement(document.picture.start, document.picture.end, "im.r"),), "try")
    assert change_of(change_data(change, document.text), document.text) == change


@pytest.mark.parametrize("ends", ["\r\n", "\r"])
def test_lines_may_end_as_on_other_systems(ends: str):
    document = read(f"\ufefffrom pellucid import images as im{ends}# é{ends}picture = im.disk(1){ends}")
    assert document.source(document.picture) == "im.disk(1)"


def test_shared_names_are_one_node_that_is_referred_to():
    document = read(START + "a = im.udisk\npicture = im.union(a, a.move((1, 0)))\n")
    assert [len(one.uses) for one in document.definitions] == [2, 0]


def test_a_parameter_has_its_range():
    told = data(
        read(START + 'turns = pl.param("turns", 0.6, low=0.0, high=2.0)\npicture = im.udisk.turn(turns)\n')
    )
    assert told["parameters"][0]["variable"] == "turns"
    assert (told["parameters"][0]["low"], told["parameters"][0]["high"]) == (0.0, 2.0)
    json.dumps(told, allow_nan=False)


@pytest.mark.parametrize(
    ("body", "message", "mended"),
    [
        ("picture = im.swrl(2, im.checker)", "no word is called 'swrl'", "im.swirl(2, im.checker)"),
        ("disc = im.udisk\npicture = dics", "nothing is called 'dics'", "disc"),
        ("picture = im.annulus(2)", "annulus: inner is 2", "im.annulus(1)"),
        ("picture = im.swirl(2)", "swirl needs image", "im.swirl(2, image=...)"),
        (
            "picture = im.hyperbolic_checker(5.4, 4)",
            "hyperbolic_checker: sides is 5.4",
            "im.hyperbolic_checker(5, 4)",
        ),
    ],
)
def test_an_error_has_a_fix(body: str, message: str, mended: str):
    document = read(START + body)
    found = next(one for one in document.diagnostics if one.message == message)
    assert found.fix is not None
    after = read(found.fix.apply(document.text))
    assert after.valid
    assert after.text.endswith(mended)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("picture = im.crop(im.gold, im.udisk)", "crop: region is a color, not a region"),
        ("picture = im.udisk + 1", "+ does not take region and number"),
        ("picture = im.lerp(0.5, im.udisk, im.r)", "a field beside a region"),
        ("picture = im.disk(1, 2)", "disk takes no more arguments"),
        ("picture = im.disk(radios=1)", "disk takes no argument 'radios'"),
        ("picture = im.fill('gould', im.udisk)", "'gould', not a color"),
        ("picture = im.blend('ad', im.gold, im.red)", "'ad' is no choice"),
        ("picture = im.disk(1e999)", "this number is too large"),
        ('n = pl.param("n", 5)\npicture = im.hyperbolic_checker(n, 4)', "must be known in advance"),
    ],
)
def test_what_does_not_fit_is_told_at_its_place(body: str, message: str):
    assert any(message in one for one in problems(body)), problems(body)


@pytest.mark.parametrize(
    ("body", "hint"),
    [
        ("picture = im.noise(3)", "write im.perlin_noise()"),
        ("picture = im.udisk.rotate(45)", "write im.turn(angle, image)"),
        ("picture = im.udisk.trun(45)", "did you mean 'turn'?"),
        ("picture = pl.swirl(1, im.checker)", "it is a word of pellucid.images: write im.swirl"),
        ("picture = im.checkerboard", "call it, as in im.checkerboard(...)"),
        ("picture = im.stack([im.checker])", "give them one after another"),
        ("picture = im.invert(im.udisk)", "color it, as in region.fill(im.red)"),
        (
            "picture = pl.image(lambda p: 1 if p.x > 0 else 0)",
            "write pl.where(p.x > 0, 1, 0) instead of `if` and `else`",
        ),
        ("picture = pl.image(lambda p: p.x & 1)", "compare numbers to get truths"),
    ],
)
def test_what_to_write_instead_is_told(body: str, hint: str):
    # As in a server, no line of a program is near.
    with ThreadPoolExecutor(1) as thread:
        told = thread.submit(evaluate, read(START + body)).result().diagnostics
    assert hint in told[0].hint
    assert "`" not in told[0].message


HOSTILE = {
    "nesting": "x = " + "(" * 5000 + "1" + ")" * 5000,
    "signs": "x = " + "-" * 5000 + "1",
    "a chain": "x = " + "+".join(["1"] * 3000),
    "attributes": "x = a" + ".b" * 3000,
    "a million letters": "x=1\n" * 250_000,
    "digits": "x = " + "9" * 5000,
    "lambdas": "x = " + "lambda: " * 2000 + "1",
    "choices": "x = " + "1 if 1 else " * 1500 + "1",
    "a letter of another alphabet": "from pellucid import images as im\npicture = \u0456m.disk(1)",
    "no text": 'x = "\ud800"',
    "nothing": 'x = "\0"',
    "direction": "x = 1 # \u202e",
    "a class": "from pellucid import images as im\npicture = im.udisk.__class__.__mro__",
    "stars": "from pellucid import images as im\npicture = im.union(*[im.udisk])",
    "a string with holes": 'from pellucid import images as im\npicture = im.text(f"{1}")',
    "eval": 'picture = eval("1")',
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_text_is_refused_soon_with_one_diagnostic(name: str):
    read(START)
    taken: list[float] = []
    # What else this process had to do at that moment, such as collecting garbage, is not the reader's.
    for _ in range(3):
        begin = time.process_time()
        document = read(HOSTILE[name])
        taken.append(time.process_time() - begin)
    assert min(taken) < 0.1
    assert len(document.diagnostics) == 1
    assert evaluate(document).picture is None


@pytest.mark.parametrize(
    "size",
    ["9**9**9", "1 << 10**9", '"a" * 10**9', '"%999999999d" % 1', "(1, 2) * 10**9", "1 / 0", "10.0**400"],
)
def test_arithmetic_has_bounds(size: str):
    begin = time.process_time()
    found = evaluate(read(f"{START}picture = im.disk({size})"))
    assert found.picture is None
    assert time.process_time() - begin < 5, "what has no bound takes minutes"


def test_nothing_outside_of_the_subset_is_executed_without_trust(tmp_path):
    target = tmp_path / "made"
    text = (
        f"{START}open({str(target)!r}, 'w').close()\nsize = float('1')\nfor k in range(3):\n    size += 1\n"
    )
    document = read(text + "picture = im.disk(size)\n")
    assert evaluate(document).picture is None
    assert evaluate(document).diagnostics[0].severity == "opaque"
    assert not target.exists()
    assert repr(evaluate(document, trust=True).picture) == "disk(4.0)"
    assert target.exists()


def test_files_outside_of_the_folder_are_not_read(tmp_path):
    Pillow.new("RGB", (2, 2)).save(tmp_path / "a.png")
    (tmp_path / "inner").mkdir()
    document = read(f"{START}picture = im.read_image({str(tmp_path / 'a.png')!r})")
    assert evaluate(document).picture is None
    assert evaluate(document, folder=tmp_path / "inner").picture is None
    assert evaluate(document, folder=tmp_path).picture is not None


@pytest.mark.parametrize("path", ["{}/secret", "../secret", "link", "sub/../../secret"])
@pytest.mark.parametrize(
    "call",
    [
        "read_image('{}')", "read_image(source='{}')", "read_vm('{}')", "text('a', 1.0, '{}')",
        "text('a', font='{}')",
    ],
)  # fmt: skip
def test_no_path_leads_out_of_the_folder(tmp_path: Path, call: str, path: str):
    inside = tmp_path / "inside"
    (inside / "sub").mkdir(parents=True)
    (tmp_path / "secret").write_text("secret")
    (inside / "link").symlink_to(tmp_path / "secret")
    document = read(f"{START}picture = im.{call.format(path.format(tmp_path))}")
    evaluated = evaluate(document, folder=inside)
    assert evaluated.picture is None
    assert "is not open to this document" in evaluated.diagnostics[0].message


def test_a_file_is_looked_for_in_the_folder_of_the_document(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    inside, elsewhere = tmp_path / "inside", tmp_path / "elsewhere"
    for folder, color in ((inside, "red"), (elsewhere, "blue")):
        folder.mkdir()
        Pillow.new("RGB", (2, 2), color).save(folder / "a.png")
    monkeypatch.chdir(elsewhere)
    evaluated = evaluate(read(f'{START}picture = im.read_image("a.png")'), folder=inside)
    assert pl.render(evaluated.picture, (1, 1), zoom=1)[0, 0].tolist() == [255, 0, 0, 255]
    program = read(f'{START}picture = im.read_vm("""_0 var-x\n_1 mul _0 _0\n""")')
    assert evaluate(program, folder=inside).picture is not None


def test_every_template_of_the_library_is_a_valid_document_of_its_kind():
    for entry in words_for():
        document = read(f"{START}picture = {entry['template']}\n")
        assert document.valid, (entry["template"], document.diagnostics)
