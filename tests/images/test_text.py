"""Text: letters where a font puts them, with sharp edges; curves counted right; errors that name what is missing."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image as Pillow
from PIL import ImageDraw, ImageFont

from pellucid import driver
from pellucid import images as im
from pellucid.base.errors import FileError, InputError, MissingExtraError, VocabularyError
from pellucid.images.outline import count_above
from pellucid.ir import expr as E
from pellucid.ir import types as T
from pellucid.tracing import Point, Value

WORD = "Pg"


def drawn(region: im.Image, width: int, height: int, zoom: float) -> np.ndarray:
    return driver.compile(region).render((width, height), zoom=zoom)[..., 0] > 0


def by_pillow(letters: str, pixels: int, width: int, height: int) -> np.ndarray:
    """The same line by Pillow at the size it is looked at, its block in the middle of the picture."""
    font = ImageFont.load_default(pixels)
    ascent, descent = font.getmetrics()
    picture = Pillow.new("L", (width, height))
    left, top = (width - font.getlength(letters)) / 2, (height - ascent - descent) / 2
    ImageDraw.Draw(picture).text((left, top + ascent), letters, fill=255, font=font, anchor="ls")
    return np.asarray(picture) >= 128


@pytest.mark.parametrize("outlines", [False, True], ids=["drawn", "outlines"])
@pytest.mark.parametrize("pixels", [100, 256, 700])
def test_letters_are_where_pillow_puts_them(pixels: int, outlines: bool):
    if outlines:
        pytest.importorskip("fontTools")
    width, height = 2 * pixels, 2 * pixels
    region = im.text(WORD, outlines=outlines)
    want = by_pillow(WORD, pixels, width, height)
    got = drawn(region, width, height, float(pixels))
    assert 0.05 < want.mean() < 0.3
    # Only along edges: by rounding, and by what a font does to fit its letters to the pixels of either drawing.
    edge = np.abs(np.diff(want.astype(int), axis=1)).sum() + np.abs(np.diff(want.astype(int), axis=0)).sum()
    assert (want != got).sum() < (0.5 + 0.5 * pixels / 512) * edge


def test_both_ways_agree_but_for_edges():
    pytest.importorskip("fontTools")
    a = drawn(im.text("Sphinx of\nblack quartz"), 1200, 600, 180.0)
    b = drawn(im.text("Sphinx of\nblack quartz", outlines=True), 1200, 600, 180.0)
    assert a.mean() > 0.05
    assert (a != b).mean() < 0.004


def test_kinds_and_method():
    assert im.text("a").kind == "region"
    assert im.text("a").fill("red").kind == "color"


@pytest.mark.parametrize("outlines", [False, True], ids=["drawn", "outlines"])
def test_size_scales(outlines: bool):
    if outlines:
        pytest.importorskip("fontTools")
    small, large = im.text(WORD, outlines=outlines), im.text(WORD, 3.0, outlines=outlines)
    x, y = np.random.default_rng(0).uniform(-0.7, 0.7, (2, 500))
    inside = small.at(x, y)
    assert 20 < inside.sum() < 480
    assert (large.at(3 * x, 3 * y) != inside).mean() < 0.01
    growing = im.text(WORD, 1 + im.seconds, outlines=outlines)
    assert (growing.at(3 * x, 3 * y, 2.0) != inside).mean() < 0.01


def columns_of(region: im.Image, y: np.ndarray) -> tuple[float, float]:
    x = np.linspace(-6, 6, 2401)
    inside = region.at(x, y[:, None]).any(axis=0)
    return x[inside][0], x[inside][-1]


def test_alignment_and_lines():
    rows = "iiiiiiii\nii"
    upper, lower = np.linspace(0.2, 1.0, 21), np.linspace(-1.0, -0.2, 21)
    spans = {a: columns_of(im.text(rows, align=a), lower) for a in ("left", "center", "right")}
    first = {a: columns_of(im.text(rows, align=a), upper) for a in spans}
    assert first["left"] == first["center"] == first["right"]
    assert spans["left"][0] == pytest.approx(first["left"][0], abs=0.01)
    assert spans["right"][1] == pytest.approx(first["right"][1], abs=0.01)
    middle = sum(spans["center"]) / 2
    assert middle == pytest.approx(sum(first["center"]) / 2, abs=0.01)
    # Lines stand 1.2 apart.
    y = np.linspace(-3, 3, 1201)
    inside = im.text("-\n-").at(np.linspace(-0.3, 0.3, 41), y[:, None]).any(axis=1)
    starts = y[np.flatnonzero(np.diff(inside.astype(int)) == 1)]
    assert len(starts) == 2
    assert starts[1] - starts[0] == pytest.approx(1.2, abs=0.011)


def test_no_letters_are_nowhere():
    assert not im.text("").at(np.linspace(-1, 1, 9), 0).any()
    assert not im.text(" ").at(np.linspace(-1, 1, 9), 0).any()


def test_no_letters_have_no_outlines():
    pytest.importorskip("fontTools")
    assert not im.text(" ", outlines=True).at(np.linspace(-1, 1, 9), 0).any()


def test_detail_sharpens_corners():
    # The corner of a stem: how far the cut misses it.
    def missing(detail: int) -> float:
        region = im.text("l", detail=detail)
        x = np.linspace(-0.2, 0.2, 801)
        y = np.linspace(0.0, 0.6, 1201)[:, None]
        inside = region.at(x, y)
        rows, columns = np.flatnonzero(inside.any(1)), np.flatnonzero(inside.any(0))
        box = inside[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
        return (~box[-60:, :60]).mean()

    assert missing(24) > 4 * missing(512)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"letters": "a☃"}, InputError, "the font of Pillow has no letter '☃'"),
        ({"letters": "a" * 1000}, InputError, "pixels of letters are too many"),
        ({"letters": "a", "font": "nowhere.ttf"}, FileError, "nowhere.ttf: is not there"),
        ({"letters": "a", "font": "."}, FileError, "is not a file"),
        ({"letters": "a", "font": __file__}, FileError, "is not a font"),
        ({"letters": "a", "size": 0}, VocabularyError, "size is 0"),
        ({"letters": "a", "align": "middle"}, VocabularyError, "align is 'middle'"),
        ({"letters": 3}, VocabularyError, "letters is 3, not a text"),
    ],
    ids=lambda a: a if isinstance(a, str) else "",
)
def test_wrong_arguments(arguments: dict, error: type[Exception], message: str):
    with pytest.raises(error, match=message):
        im.text(**arguments)


def test_outlines_without_fonttools(monkeypatch: pytest.MonkeyPatch):
    for name in [n for n in sys.modules if n.partition(".")[0] == "fontTools"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "fontTools", None)
    with pytest.raises(MissingExtraError, match=r"pellucid\[text\]"):
        im.text("a", outlines=True)
    assert im.text("a").kind == "region"


# ---- fonts of others ----


def circle_font(path: Path, *, cubic: bool) -> Path:
    """A font whose letter O is a circle of radius 400 about (500, 400), and V a triangle with a triangle cut out."""
    builder_of = pytest.importorskip("fontTools.fontBuilder").FontBuilder
    builder = builder_of(1000, isTTF=not cubic)
    names = [".notdef", "space", "O", "V"]
    builder.setupGlyphOrder(names)
    builder.setupCharacterMap({32: "space", 79: "O", 86: "V"})
    k = 0.5522847498 * 400

    def draw(pen, name: str) -> None:
        if name == "O" and cubic:
            pen.moveTo((900, 400))
            pen.curveTo((900, 400 + k), (500 + k, 800), (500, 800))
            pen.curveTo((500 - k, 800), (100, 400 + k), (100, 400))
            pen.curveTo((100, 400 - k), (500 - k, 0), (500, 0))
            pen.curveTo((500 + k, 0), (900, 400 - k), (900, 400))
            pen.closePath()
        elif name == "O":
            # Eight points off the curve and none on it.
            angles = np.pi / 8 + np.arange(8) * np.pi / 4
            pulls = [(500 + 433 * np.cos(a), 400 + 433 * np.sin(a)) for a in angles]
            pen.qCurveTo(*pulls, None)
            pen.closePath()
        elif name == "V":
            for corners in (((100, 0), (500, 800), (900, 0)), ((400, 100), (600, 100), (500, 400))):
                pen.moveTo(corners[0])
                for corner in corners[1:]:
                    pen.lineTo(corner)
                pen.closePath()

    glyphs = {}
    for name in names:
        if cubic:
            from fontTools.pens.t2CharStringPen import T2CharStringPen

            pen = T2CharStringPen(1000, None)
            draw(pen, name)
            glyphs[name] = pen.getCharString()
        else:
            from fontTools.pens.ttGlyphPen import TTGlyphPen

            pen = TTGlyphPen(None)
            draw(pen, name)
            glyphs[name] = pen.glyph()
    if cubic:
        builder.setupCFF("Circle", {}, glyphs, {})
    else:
        builder.setupGlyf(glyphs)
    builder.setupHorizontalMetrics({name: (1000, 100 if name in "OV" else 0) for name in names})
    builder.setupHorizontalHeader(ascent=800, descent=-200)
    builder.setupNameTable({"familyName": "Circle", "styleName": "Regular"})
    builder.setupOS2(sTypoAscender=800, usWinAscent=800, usWinDescent=200)
    builder.setupPost()
    builder.save(path)
    return path


@pytest.mark.parametrize("cubic", [False, True], ids=["quadratic", "cubic"])
@pytest.mark.parametrize("outlines", [False, True], ids=["drawn", "outlines"])
def test_a_circle_is_a_circle(tmp_path: Path, cubic: bool, outlines: bool):
    font = circle_font(tmp_path / "circle.otf", cubic=cubic)
    region = im.text("O", font=str(font), outlines=outlines)
    angle = np.linspace(0, 2 * np.pi, 721)
    # The block is 1 wide and 1 high; the circle stands 0.2 above its bottom.
    for radius, inside in ((0.39, True), (0.41, False)):
        x, y = radius * np.cos(angle), 0.1 + radius * np.sin(angle)
        assert (region.at(x, y) == inside).all()
    if outlines:
        for radius, inside in ((0.3985, True), (0.4015, False)):
            x, y = radius * np.cos(angle), 0.1 + radius * np.sin(angle)
            assert (region.at(x, y) == inside).all()


@pytest.mark.parametrize("outlines", [False, True], ids=["drawn", "outlines"])
def test_a_hole_is_a_hole(tmp_path: Path, outlines: bool):
    font = circle_font(tmp_path / "circle.ttf", cubic=False)
    region = im.text("V V", font=str(font), outlines=outlines)
    # Three letters of width 1, the middle one a space; the base line is 0.3 below the middle.
    for x in (-1.0, 1.0):
        assert region.at(x, [-0.25, -0.15, 0.25, 0.55]).tolist() == [True, False, True, False]
    assert not region.at(0.0, np.linspace(-0.5, 0.5, 9)).any()


def test_outlines_hold_at_any_magnification(tmp_path: Path):
    font = circle_font(tmp_path / "circle.ttf", cubic=False)
    region = im.text("V", font=str(font), outlines=True)
    # The right side of the triangle, from (0, 0.5) to (0.4, -0.3): hundred thousandths on either side of it.
    t = np.random.default_rng(0).uniform(0.01, 0.99, 300)
    x, y = 0.4 * t, 0.5 - 0.8 * t
    assert region.at(x - 1e-5, y, precision="f64").all()
    assert not region.at(x + 1e-5, y, precision="f64").any()


def test_a_damaged_font(tmp_path: Path):
    whole = ImageFont.load_default(10).path.getvalue()
    path = tmp_path / "half.ttf"
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(FileError, match=r"half\.ttf: "):
        im.text("a", font=str(path), outlines=True)


# ---- counting curves ----


def winding(outline: np.ndarray, x: float, y: float) -> int:
    angle = np.unwrap(np.arctan2(outline[:, 1] - y, outline[:, 0] - x))
    return round((angle[-1] - angle[0]) / (2 * np.pi))


@pytest.mark.parametrize("seed", range(6))
def test_curves_against_the_angle_they_turn(seed: int):
    from pellucid.images.outline import _rising

    draw = np.random.default_rng(seed)
    # Closed outlines of random parabolas, also of those that stand upright or are straight.
    points = draw.uniform(-1, 1, (9, 2)).round(1)
    pulls = draw.uniform(-1.5, 1.5, (9, 2)).round(1)
    pulls[0] = (points[0] + points[1]) / 2
    points[4, 0] = points[3, 0]
    pulls[3, 0] = points[3, 0]
    ends = np.roll(points, -1, axis=0)
    curves = [tuple(map(tuple, c)) for c in np.stack([points, pulls, ends], axis=1)]
    t = np.linspace(0, 1, 2001)[:, None]
    outline = np.concatenate(
        [(1 - t) ** 2 * a + 2 * t * (1 - t) * b + t**2 * c for a, b, c in map(np.array, curves)]
    )
    inside = im.Image(count_above([part for c in curves for part in _rising(c)]))
    x, y = draw.uniform(-1.6, 1.6, (2, 400))
    # Also exactly at the x of ends, where two curves meet.
    x[:60] = draw.choice(points[:, 0], 60)
    clear = np.array([np.hypot(*(outline - p).T).min() > 2e-3 for p in np.stack([x, y], -1)])
    want = np.array([winding(outline, a, b) != 0 for a, b in zip(x, y, strict=True)])
    got = inside.at(x, y)
    assert 10 < want[clear].sum() < 390
    assert np.array_equal(got[clear], want[clear])


def test_the_program_does_not_grow_with_the_text():
    pytest.importorskip("fontTools")
    p = Point(Value(E.param("x", T.f32)), Value(E.param("y", T.f32)))
    sizes = {E.size([im.text(word, outlines=True)(p).expr]) for word in ("a", "abcdefghijklm", "ab\ncd")}
    assert len(sizes) == 1
    assert sizes.pop() < 120


def test_letters_drawn_are_one_load_of_four_neighbors():
    p = Point(Value(E.param("x", T.f32)), Value(E.param("y", T.f32)))
    nodes = E.topological([im.text("a")(p).expr])
    assert sum(n.op == "load" for n in nodes) == 4
