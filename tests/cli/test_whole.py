"""The commands on real pictures, through the compiler: the examples, the reports, C, and the gallery."""

from __future__ import annotations

import ctypes
import json
import os
import shlex
import subprocess
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from tests.loops.pages import PageReader

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def opened(path):
    with Image.open(path) as picture:
        return np.asarray(picture)


@pytest.mark.smoke
@pytest.mark.parametrize("name", ["swirl", "mine", "slider"])
def test_examples_are_drawn_alike_by_every_back_end(pellucid, name):
    for backend in ("llvm", "numpy"):
        words = ["--size", "64x48", "--backend", backend, "--zoom", "0.7"]
        assert pellucid("render", str(EXAMPLES / f"{name}.py"), "-o", f"{backend}.png", *words) == (0, "", "")
    pixels = opened("llvm.png")
    np.testing.assert_array_equal(pixels, opened("numpy.png"))
    assert len(np.unique(pixels.reshape(-1, 4), axis=0)) > 1


def test_the_swirl_is_a_checkerboard_far_inside_and_turns_halfway_at_half_its_size(pellucid):
    assert (
        pellucid("render", str(EXAMPLES / "swirl.py"), "-o", "a.png", "--size", "301", "--zoom", "1")[0] == 0
    )
    pixels = opened("a.png")[..., 0].astype(int)
    x, y = np.meshgrid(np.arange(301) - 150.0, 150.0 - np.arange(301))
    angle = -2 * np.pi / 100 * np.hypot(x, y)
    u, v = x * np.cos(angle) - y * np.sin(angle), x * np.sin(angle) + y * np.cos(angle)
    board = (np.floor(u / 10) + np.floor(v / 10)) % 2 == 0
    sure = np.minimum(abs(u / 10 - np.round(u / 10)), abs(v / 10 - np.round(v / 10))) > 1e-3
    assert ((pixels == 0) == board)[sure].all()


def test_checkturn_moves(pellucid):
    words = ["--seconds", "1", "--fps", "4", "--size", "48"]
    assert pellucid("animate", str(EXAMPLES / "checkturn.py"), "-o", "a.gif", *words) == (0, "", "")
    with Image.open("a.gif") as film:
        assert film.n_frames == 4


def test_a_slider_changes_the_picture_without_a_new_file(pellucid):
    for value in ("30", "300"):
        words = ["--param", f"twist={value}", "--size", "64"]
        assert pellucid("render", str(EXAMPLES / "slider.py"), "-o", f"{value}.png", *words)[0] == 0
    assert (opened("30.png") != opened("300.png")).any()
    status, _, err = pellucid("render", str(EXAMPLES / "slider.py"), "-o", "a.png", "--param", "twist=5")
    assert status == 2
    assert "twist" in err
    assert not Path("a.png").exists()


def test_explain_in_every_form(pellucid):
    swirl = str(EXAMPLES / "swirl.py")
    status, page, err = pellucid("explain", swirl)
    assert (status, err) == (0, "")
    assert "Ledger" in page
    names = pellucid("explain", swirl, "--list-stages")[1].split()
    assert names[0] == "inlined"
    assert names[-1] == "placed"
    assert list(json.loads(pellucid("explain", swirl, "--json")[1])["stages"]) == names
    assert pellucid("explain", swirl, "--stage", "placed")[1].startswith("kernel ")
    assert pellucid("explain", swirl, "--markdown")[1].startswith("## ")
    status, _, err = pellucid("explain", swirl, "--stage", "place")
    assert (status, err) == (2, "pellucid: --stage: there is no stage 'place'; did you mean 'placed'?\n")


def test_a_picture_that_cannot_be_traced_is_told_with_its_line(pellucid, tmp_path):
    (tmp_path / "bad.py").write_text(
        "import pellucid as pl\nfrom pellucid import images as im\n\n@pl.image\ndef picture(p):\n"
        "    if p.x > 3:\n        return im.red\n    return im.blue\n"
    )
    status, _, err = pellucid("render", "bad.py", "-o", "a.png")
    assert status == 1
    assert err.startswith("pellucid: bad.py:6: ")
    assert "where(" in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("language", ["html", "glsl", "wgsl", "wasm", "ptx"])
def test_export_writes_pages_shaders_and_modules(pellucid, tmp_path, language):
    swirl = str(EXAMPLES / "slider.py")
    Path("out").mkdir()
    assert pellucid("export", language, swirl, "--param", "twist=50") == (0, "", "")
    assert pellucid("export", language, swirl, "-o", "out/", "--zoom", "4") == (0, "", "")
    assert Path(f"slider.{language}").stat().st_size > 1000
    assert Path(f"out/slider.{language}").exists()


def test_export_writes_c_that_a_compiler_accepts(pellucid, tmp_path):
    swirl = str(EXAMPLES / "swirl.py")
    assert pellucid("export", "c", swirl, "-o", "out/") == (
        1,
        "",
        "pellucid: out/swirl.h: cannot be written (no such file or directory); make the folder 'out' first\n",
    )
    (tmp_path / "out").mkdir()
    assert pellucid("export", "c", swirl, "-o", "out/", "--name", "draw_swirl") == (0, "", "")
    assert pellucid("export", "c", swirl, "-o", "stem.c") == (0, "", "")
    assert sorted(item.name for item in tmp_path.iterdir()) == ["out", "stem.c", "stem.h"]
    assert sorted(item.name for item in (tmp_path / "out").iterdir()) == ["draw_swirl.c", "draw_swirl.h"]
    words = [
        os.environ.get("CC") or "cc",
        "-O1",
        "-shared",
        "-fPIC",
        "-o",
        "swirl.so",
        "out/draw_swirl.c",
        "-lm",
    ]
    subprocess.run(words, check=True, capture_output=True)
    assert ctypes.CDLL(str(tmp_path / "swirl.so")).draw_swirl


@pytest.mark.slow
def test_the_gallery_shows_every_word_that_makes_pictures(pellucid, tmp_path):
    from pellucid.images import words

    status, out, err = pellucid("gallery", "--size", "48")
    assert (status, err) == (0, "")
    page = (tmp_path / "gallery" / "index.html").read_text()
    pictures = sorted(path.stem for path in (tmp_path / "gallery").glob("*.png"))
    assert out == f"{Path('gallery') / 'index.html'}: {len(pictures)} pictures\n"
    assert {"swirl", "checkerboard"} <= set(pictures) <= set(words())
    for name in pictures:
        assert f'src="{name}.png"' in page
        assert opened(tmp_path / "gallery" / f"{name}.png").shape[:2] == (48, 48)


def test_the_gallery_goes_on_after_a_broken_example(pellucid, monkeypatch):
    from pellucid.base.errors import VocabularyError
    from pellucid.cli import gallery

    def broken():
        raise VocabularyError("no such thing")

    found = list(gallery.entries())
    chosen = [row for row in found if row[0] == "checkerboard"]
    monkeypatch.setattr(gallery, "entries", lambda: [("broken", broken), *chosen])
    status, out, err = pellucid("gallery", "-o", "here", "--size", "16")
    assert (status, err) == (1, "pellucid: broken: no such thing\n")
    assert out == f"{Path('here') / 'index.html'}: 1 pictures\n"


def test_explain_shows_the_binding_times_of_an_interpreter(pellucid, tmp_path):
    evaluator = str(EXAMPLES / "evaluator.py")
    status, text, err = pellucid("explain", "--times", evaluator)
    assert (status, err) == (0, "")
    assert text.startswith("binding times of run(tree: S, x: D)")
    assert "s static: known when the compiler runs" in text
    assert pellucid("explain", "--times", f"{evaluator}:run", "--static", "tree")[1] == text
    assert pellucid("explain", "--times", evaluator, "--html", str(tmp_path / "times.html"))[0] == 0
    assert '<span class="dynamic"' in (tmp_path / "times.html").read_text("utf-8")
    assert pellucid("explain", "--times", evaluator, "--list")[1].split() == ["run", "compiler"]
    for words, told in (
        ([f"{evaluator}:run"], "give --static tree, or define compiler = cogen"),
        ([f"{evaluator}:run", "--static", "three"], "has no parameter 'three'; did you mean 'tree'?"),
        ([evaluator, "--static", "tree"], "leave it out, or name the function"),
        ([evaluator, "--size", "9x9"], "--times is for interpreters"),
        ([evaluator, "--param", "x=1"], "--param: is for pictures alone"),
        ([str(EXAMPLES / "swirl.py")], "has no interpreters; define one"),
        # Under the name `interpreter` it has the decorator.
        ([str(EXAMPLES / "forests.py")], "frame: does not say which parameters are static; give --static"),
    ):
        status, _, err = pellucid("explain", "--times", *words)
        assert status == 2
        assert told in err


def test_explain_makes_a_page_of_a_picture(pellucid, tmp_path):
    swirl = str(EXAMPLES / "swirl.py")
    target = tmp_path / "swirl.html"
    words = ("explain", swirl, "--html", str(target), "--size", "90x60", "--zoom", "2")
    assert pellucid(*words) == (0, "", "")
    read = PageReader(target.read_text("utf-8"))
    content = json.loads(pellucid("explain", swirl, "--json")[1])
    assert read.programs() == list(content["stages"].values())
    assert len(read.steps) == len(content["ledger"])
    assert "picture of swirl.py, explained" in read.text
    assert shlex.join(["pellucid", *words]) in read.text
    assert [a["alt"] for tag, a in read.tags if tag == "img"] == ["the picture that the program draws"]


def test_explain_takes_parameters(pellucid, tmp_path):
    slider = str(EXAMPLES / "slider.py")
    drawn: list[str] = []
    for twist in ("40", "300"):
        target = tmp_path / f"{twist}.html"
        words = ("--size", "60x60", "--param", f"twist={twist}")
        assert pellucid("explain", slider, "--html", str(target), *words) == (0, "", "")
        drawn += [
            a["src"] for tag, a in PageReader(target.read_text("utf-8")).tags if tag == "img" and "src" in a
        ]
    assert len(set(drawn)) == 2
    status, out, err = pellucid("explain", slider, "--param", "twits=4")
    assert (status, out) == (2, "")
    assert "did you mean 'twist'" in err


VOICE = """import pellucid as pl
from pellucid import signals as sg

@pl.voice
def voice(rate):
    return sg.noise()
"""


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("import pellucid as pl\nplan = pl.plan_conversion('gray1', 'v210', (96, 4))\n", "staged"),
        ("from pellucid import signals as sg\nsound = 0.5 * sg.noise()\n", "inlined"),
        ("from pellucid import signals as sg\nsound = sg.noise(1), sg.noise(2)\n", "inlined"),
        (VOICE, "inlined"),
    ],
    ids=["plan", "signal", "channels", "voice"],
)
def test_explain_makes_a_page_of_a_plan_and_of_a_sound(pellucid, tmp_path, text, first):
    (tmp_path / "thing.py").write_text(text)
    assert pellucid("explain", "thing.py", "--html", "thing.html") == (0, "", "")
    read = PageReader((tmp_path / "thing.html").read_text("utf-8"))
    content = json.loads(pellucid("explain", "thing.py", "--json")[1])
    assert read.programs() == list(content["stages"].values())
    assert next(iter(content["stages"])) == first
    assert content["plan"] in read.text
    assert not [tag for tag, _ in read.tags if tag == "img"]
    status, _, err = pellucid("explain", "thing.py", "--size", "9x9")
    assert status == 2
    assert "only a picture has a view" in err


def test_a_page_that_cannot_be_made_is_told_and_leaves_nothing(pellucid, tmp_path):
    (tmp_path / "none.py").write_text("x = 3\n")
    swirl = str(EXAMPLES / "swirl.py")
    for words, status, told in (
        ((swirl, "--html", "nowhere/swirl.html"), 1, "nowhere/swirl.html"),
        ((swirl, "--html", "."), 1, "is a folder"),
        (("none.py", "--html", "none.html"), 2, "none.py: has no pictures; define one"),
        ((swirl, "--html", "a.html", "--json"), 2, "--json: is a form of its own; leave out --html"),
        ((swirl, "--html", "a.html", "--tiles"), 2, "--tiles: is a form of its own; leave out --html"),
        ((swirl, "--html", "a.html", "--samples", "0"), 2, "samples"),
        ((swirl, "-o", "a.png"), 2, "give --tiles as well, or a page by --html"),
        ((swirl, "--static", "x"), 2, "give --times as well"),
    ):
        found, out, err = pellucid("explain", *words)
        assert (found, out) == (status, "")
        assert told in err
        assert err.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir() if path.suffix in (".html", ".part")] == []
