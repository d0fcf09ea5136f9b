"""The main job: a photograph, turned, swirled and laid over a checkerboard and a text, still and moving.

Every frame is compared with the same picture written down again in NumPy, in double precision, with a bilinear filter,
a swirl and an over of its own. The letters are drawn again by Pillow, in another size. What is compared: every byte of
every pixel may be off by one; a pixel on the outline of a letter may instead show what is there without the letter, or
with it.
"""

from __future__ import annotations

import io
import math
from dataclasses import dataclass

import numpy as np
import pytest
from PIL import Image as Pillow
from PIL import ImageDraw, ImageFont

import pellucid as pl
from pellucid import images as im

SIZE = (1920, 1080)
ZOOM = 3.0
CENTER = (3.37, -2.21)
RADIUS, ANGLE, PLACE = 900.0, 0.4, (40.0, 10.0)
LETTERS, HEIGHT, WORDS_AT = "clear through", 90.0, (-70.0, -60.0)
CELL = 23.0
INK, LIGHT, DARK = (20, 33, 61), (247, 243, 233), (188, 71, 73)


def picture_of(path, angle=ANGLE):
    """The picture, as it is written with pellucid."""
    photo = im.move(PLACE, im.swirl(RADIUS, im.turn(angle, im.read_image(path))))
    words = im.fill(color_of(INK), im.move(WORDS_AT, im.text(LETTERS, HEIGHT)))
    board = im.checkerboard(CELL, color_of(LIGHT), color_of(DARK))
    return im.over(photo, im.over(words, board))


def color_of(bytes_):
    return im.color("#" + bytes(bytes_).hex())


# ---- the same again, in NumPy ----


@dataclass(frozen=True)
class Grid:
    """The points of the pixels of a frame."""

    x: np.ndarray
    y: np.ndarray


def grid(size, zoom):
    (width, height), (cx, cy) = size, CENTER
    across = cx + (np.arange(width) + 0.5 - width / 2) / zoom
    down = cy - (np.arange(height) + 0.5 - height / 2) / zoom
    return Grid(*np.meshgrid(across, down))


def turned(g, angle):
    cos, sin = np.cos(angle), np.sin(angle)
    return Grid(g.x * cos - g.y * sin, g.x * sin + g.y * cos)


def photograph_at(path, g):
    """Premultiplied red, green, blue and alpha between the pixels of a file, which lie in a sea of nothing."""
    with Pillow.open(path) as opened:
        stored = np.asarray(opened.convert("RGB"))
    height, width = stored.shape[:2]
    sea = np.zeros((height + 2, width + 2, 4))
    sea[1:-1, 1:-1, :3] = stored / 255
    sea[1:-1, 1:-1, 3] = 1
    column = np.clip(g.x + width / 2 + 0.5, 0, width + 1)
    row = np.clip(height / 2 - g.y + 0.5, 0, height + 1)
    i = np.minimum(column.astype(int), width)
    j = np.minimum(row.astype(int), height)
    s, t = (column - i)[..., None], (row - j)[..., None]
    upper = (1 - s) * sea[j, i] + s * sea[j, i + 1]
    lower = (1 - s) * sea[j + 1, i] + s * sea[j + 1, i + 1]
    return (1 - t) * upper + t * lower


def letters_at(g, zoom, finer=8):
    """Whether points are in letters, and whether that is doubtful: within a pixel of an outline.

    The letters are drawn by Pillow as one line, black and white, `finer` times as large as they show.
    """
    font_file = ImageFont.load_default(10).path
    pixels = round(HEIGHT * zoom * finer)
    font = ImageFont.truetype(io.BytesIO(font_file.getvalue()), pixels, layout_engine=ImageFont.Layout.BASIC)
    ascent, descent = font.getmetrics()
    wide, high = math.ceil(font.getlength(LETTERS)) + pixels, 2 * (ascent + descent)
    sheet = Pillow.new("1", (wide, high))
    start = (wide - font.getlength(LETTERS)) / 2
    base = high / 2 + (ascent + descent) / 2 - descent
    ImageDraw.Draw(sheet).text((start, base), LETTERS, fill=1, font=font, anchor="ls")
    drawn = np.asarray(sheet)
    scale = zoom * finer
    i = np.floor((g.x - WORDS_AT[0]) * scale + wide / 2).astype(int)
    j = np.floor((WORDS_AT[1] - g.y) * scale + high / 2).astype(int)

    def looked_up(di, dj):
        inside = (0 <= i + di) & (i + di < wide) & (0 <= j + dj) & (j + dj < high)
        return inside & drawn[np.clip(j + dj, 0, high - 1), np.clip(i + di, 0, wide - 1)]

    here = looked_up(0, 0)
    around = [(finer * a, finer * b) for a in (-1, 0, 1) for b in (-1, 0, 1)]
    doubtful = np.any([looked_up(*each) != here for each in around], axis=0)
    return here, doubtful


def board_at(g):
    even = (np.floor(g.x / CELL) + np.floor(g.y / CELL)) % 2 == 0
    return np.where(even[..., None], np.array(LIGHT), np.array(DARK)) / 255


def laid_over(top, below):
    return top[..., :3] + (1 - top[..., 3:]) * below


def bytes_of(colors):
    return np.floor(255 * np.clip(colors, 0, 1) + 0.5).astype(int)


def formula(path, size, zoom, angle=ANGLE):
    """Bytes without letters and with letters everywhere, whether letters are there, and where that is in doubt."""
    g = grid(size, zoom)
    moved = Grid(g.x - PLACE[0], g.y - PLACE[1])
    unwound = turned(moved, -2 * np.pi / RADIUS * np.hypot(moved.x, moved.y))
    photo = photograph_at(path, turned(unwound, -angle))
    bare = bytes_of(laid_over(photo, board_at(g)))
    inked = bytes_of(laid_over(photo, np.array(INK) / 255))
    return (bare, inked, *letters_at(g, zoom))


def apart(pixels, colors):
    return abs(pixels[..., :3].astype(int) - colors).max(axis=-1)


def assert_is_the_formula(pixels, bare, inked, letters, doubtful):
    wanted = np.where(letters[..., None], inked, bare)
    assert (pixels[..., 3] == 255).all()
    assert apart(pixels, wanted)[~doubtful].max() <= 1
    either = np.minimum(apart(pixels, bare), apart(pixels, inked))
    assert either.max() <= 1
    # Doubt is the exception, and even there the other drawing of the letters is mostly right.
    assert doubtful.mean() < 0.1
    assert (apart(pixels, wanted) > 1)[doubtful].mean() < 0.1


# ---- still ----


@pytest.fixture(scope="module")
def meant(photograph):
    return formula(photograph, SIZE, ZOOM)


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    "options",
    [
        pytest.param({}, marks=pytest.mark.smoke),
        {"numerics": "exact", "precision": "f64"},
        {"backend": "c"},
        {"backend": "numpy", "threads": 1},
    ],
    ids=str,
)
def test_a_photograph_turned_and_swirled_lies_over_a_checkerboard_and_a_text(photograph, meant, options):
    pixels = pl.render(picture_of(photograph), SIZE, center=CENTER, zoom=ZOOM, **options)
    assert pixels.shape == (1080, 1920, 4)
    bare, inked, letters, _ = meant
    # The parts of the picture are all in view.
    assert 0.1 < (bare == inked).all(axis=-1).mean() < 0.9
    assert 0.01 < letters.mean() < 0.5
    assert_is_the_formula(pixels, *meant)


def test_the_formula_can_tell(photograph, meant):
    """A picture that is a hundredth of a pixel off is another one."""
    moved = (CENTER[0] + 0.01 / ZOOM, CENTER[1])
    pixels = pl.render(picture_of(photograph), SIZE, center=moved, zoom=ZOOM)
    with pytest.raises(AssertionError):
        assert_is_the_formula(pixels, *meant)


# ---- moving ----

FILM_SIZE, FILM_ZOOM, FPS, SECONDS = (480, 270), 0.75, 10, 1.2


def film_of(path):
    return im.animation(lambda t: picture_of(path, ANGLE + t))


@pytest.fixture(scope="module")
def frames(photograph):
    """The frames of the film, after the formula."""
    count = round(SECONDS * FPS)
    return [formula(photograph, FILM_SIZE, FILM_ZOOM, ANGLE + n / FPS) for n in range(count)]


def saved(photograph, path):
    film = film_of(photograph)
    pl.animate(film, path, FILM_SIZE, seconds=SECONDS, fps=FPS, center=CENTER, zoom=FILM_ZOOM)
    return path


def shown(path):
    """The frames of a moving picture file as they are seen, and how long each is, in milliseconds."""
    found, times = [], []
    with Pillow.open(path) as opened:
        for n in range(opened.n_frames):
            opened.seek(n)
            found.append(np.asarray(opened.convert("RGBA")))
            times.append(opened.info["duration"])
    return found, times


def assert_shows(found, frames, most):
    """Each frame differs by so much in the mean, and less from its own moment than from any other."""
    wanted = [np.where(letters[..., None], inked, bare) for bare, inked, letters, _ in frames]
    assert len(found) == len(wanted)
    table = np.array([[abs(have[..., :3].astype(int) - want).mean() for want in wanted] for have in found])
    assert table.diagonal().max() < most
    assert (table.argmin(axis=1) == np.arange(len(wanted))).all()


def test_the_animation_without_loss_is_the_formula_at_every_moment(photograph, frames, tmp_path):
    found, times = shown(saved(photograph, tmp_path / "film.png"))
    assert times == [1000 / FPS] * len(frames)
    for have, meant_then in zip(found, frames, strict=True):
        assert_is_the_formula(have, *meant_then)


def test_the_animation_as_a_gif(photograph, frames, tmp_path):
    found, times = shown(saved(photograph, tmp_path / "film.gif"))
    assert times == [1000 / FPS] * len(frames)
    assert found[0].shape == (270, 480, 4)
    assert_shows(found, frames, most=6)


def test_the_animation_as_a_video(photograph, frames, tmp_path):
    av = pytest.importorskip("av")
    path = saved(photograph, tmp_path / "film.mp4")
    with av.open(str(path)) as file:
        stream = file.streams.video[0]
        assert (stream.width, stream.height, stream.average_rate) == (480, 270, FPS)
        assert file.duration / av.time_base == pytest.approx(SECONDS, abs=0.01)
        decoded = list(file.decode(stream))
    assert [float(frame.time) for frame in decoded] == pytest.approx([n / FPS for n in range(len(frames))])
    found = [f.reformat(format="rgb24", src_colorspace="ITU709").to_ndarray() for f in decoded]
    assert_shows(found, frames, most=6)
