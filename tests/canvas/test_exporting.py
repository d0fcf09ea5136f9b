"""The verb `export`: the suffix says what is written, and what cannot be written is refused in one line."""

from __future__ import annotations

import base64
import json
import re
import zlib
from pathlib import Path

import numpy as np
import pytest

import pellucid as pl
from pellucid import images as im
from pellucid.base.errors import FileError, InputError

RINGS = im.swirl(100, im.checkerboard(10, im.black, im.white))
TWIST = pl.param("twist", 100.0, 20.0, 400.0)


def twisted():
    return im.swirl(TWIST, im.checkerboard(10, im.black, im.white))


def program_of(page: Path) -> dict:
    """What a page holds for its script."""
    packed = re.search(r'id="program">([^<]+)<', page.read_text())[1]
    return json.loads(zlib.decompress(base64.b64decode(packed)))


def test_a_page_needs_nothing_else_and_is_small(tmp_path):
    pl.export(twisted(), tmp_path / "page.html", (64, 48), zoom=2.0, params={"twist": 50.0})
    text = (tmp_path / "page.html").read_text()
    assert len(text) < 50_000
    assert not re.findall(r'(?:src|href)="(?!data:)', text)
    assert "http:" not in text
    assert "https:" not in text
    found = program_of(tmp_path / "page.html")
    assert found["view"] == {"size": [64, 48], "center": [0.0, 0.0], "zoom": 2.0, "time": 0.0, "samples": 1}
    assert found["sliders"] == [{"name": "twist", "low": 20.0, "high": 400.0, "value": 50.0}]


def test_what_a_page_shows_is_escaped(tmp_path):
    pl.export(RINGS, tmp_path / "a.html", title="<b>&</b>", source="x = '</script><b>'")
    text = (tmp_path / "a.html").read_text()
    assert "<b>" not in text
    assert "&lt;b&gt;&amp;&lt;/b&gt;" in text


def test_bitmaps_stand_deflated_in_the_page(tmp_path):
    pl.export(im.bitmap(np.zeros((600, 500, 4), np.uint8)), tmp_path / "b.html")
    assert (tmp_path / "b.html").stat().st_size < 60_000
    assert program_of(tmp_path / "b.html")["buffers"]


def test_a_shader_for_shadertoy_has_its_view_and_its_parameters(tmp_path):
    pl.export(twisted(), tmp_path / "t.glsl", (64, 48), zoom=2.0, params={"twist": 50.0}, title="two\nlines")
    text = (tmp_path / "t.glsl").read_text()
    assert text.startswith("// two lines, for Shadertoy")
    assert "void mainImage(out vec4 color, in vec2 place) {" in text
    assert "uniform float p_twist;\n#else\nconst float p_twist = 50.0;" in text
    assert "p_scale = 0.5 / min(iResolution.x / 64.0, iResolution.y / 48.0);" in text


def test_a_shader_for_webgpu_says_what_its_host_sets(tmp_path):
    pl.export(im.bitmap(np.zeros((2, 2, 4), np.uint8)), tmp_path / "t.wgsl", 8, zoom=4.0)
    text = (tmp_path / "t.wgsl").read_text()
    assert "//   p_scale = 0.25\n" in text
    assert re.search(r"//   from word 0 on: \w+, \d+ elements of u", text)
    assert "@compute @workgroup_size(8, 8)" in text


def test_c_comes_with_its_header(tmp_path):
    pl.export(RINGS, tmp_path / "rings.c")
    assert '#include "rings.h"' in (tmp_path / "rings.c").read_text()
    assert (tmp_path / "rings.h").exists()


# ---- bad input ----


@pytest.mark.parametrize(
    ("path", "arguments", "message"),
    [
        ("a.htm", {}, r"a\.htm: no export is called '\.htm'; did you mean '\.html'\?"),
        (
            "a",
            {},
            (
                r"a: a name without a suffix does not say what to write; "
                r"end it in \.html, \.glsl, \.wgsl, \.wasm, \.ptx, \.c"
            ),
        ),
        ("a.png", {}, r"a\.png: no export is called '\.png'"),
        (3, {}, r"path: 3 is not a path"),
        ("a.glsl", {"numerics": "exact"}, r"numerics: a shader has only relaxed, not 'exact'"),
        ("a.html", {"precision": "f16"}, r"precision: 'f16' is not known"),
        ("a.html", {"numerics": "exactly"}, r"numerics"),
        ("a.wgsl", {"precision": "f64"}, r"precision: a shader has only f32, not 'f64'"),
        ("a.c", {"zoom": 2.0}, r"zoom: a function in C draws all views"),
        ("a.c", {"size": 8}, r"size: a function in C draws all views"),
        ("a.c", {"lanes": 24}, r"lanes: 24 is no number of lanes"),
        ("a.glsl", {"lanes": 16}, r"lanes: \.glsl has no lanes to choose; leave it out, or export \.c"),
        ("a.html", {"params": {"twsit": 1.0}}, r"twsit"),
        ("a.html", {"zoom": -1.0}, r"zoom"),
        ("a.html", {"title": 3}, r"title: 3 is no text"),
        ("a.html", {"source": 3}, r"source: 3 is no text"),
    ],
)
def test_what_cannot_be_exported_is_refused(tmp_path, monkeypatch, path, arguments, message):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=message):
        pl.export(twisted(), path, **arguments)
    assert not [*tmp_path.iterdir()]


def test_what_is_no_picture_is_refused(tmp_path):
    with pytest.raises(InputError, match="not a picture"):
        pl.export(3, tmp_path / "a.html")
    with pytest.raises(InputError, match="compiled already"):
        pl.export(pl.compile(RINGS), tmp_path / "a.html")


def test_a_folder_that_is_not_there_is_an_error_of_the_file(tmp_path):
    with pytest.raises(FileError, match="make the folder"):
        pl.export(RINGS, tmp_path / "none" / "a.html")
