"""Exports of the studio: stills, films and programs, with progress, a cancel, and words where there is none."""

from __future__ import annotations

import asyncio
import io
import zipfile
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import expect

import pellucid as pl
from pellucid import images as im
from pellucid.base.errors import InputError
from pellucid.studio.exporting import FRAME, CancelledError, Exporter, Exports

from .hands import in_thread, until

VIEW = {"width": 40, "height": 30, "center": [0, 0], "zoom": 96, "time": 0.0}
MOVING = im.animation(lambda t: im.turn(t, im.checkerboard(0.5, im.red, im.blue)))


def made(picture: object, message: dict[str, object]) -> tuple[str, bytes, list[tuple[int, int]]]:
    """The name and the bytes of an export, and what was told of its progress."""
    exports, told = Exports(), list[tuple[int, int]]()

    async def work() -> tuple[str, bytes]:
        exporter = Exporter(exports)
        try:
            found = await exporter.make(picture, "a", "", {**VIEW, **message}, lambda *now: told.append(now))
            path = exports.taken(found["key"])
            assert path is not None
            assert exports.taken(found["key"]) is None
            return found["name"], path.read_bytes()
        finally:
            exporter.close()

    return *in_thread(work), told


def test_a_still_shows_what_the_page_shows_in_other_pixels():
    name, data, _ = made(MOVING, {"format": "png", "time": 0.25})
    view = pl.View((40, 30), zoom=96 * 40 / FRAME[0], time=0.25, samples=2)
    assert name == "a.png"
    assert np.array_equal(
        np.asarray(Image.open(io.BytesIO(data))), pl.render(MOVING, view=view, numerics="exact")
    )


def test_parameters_that_are_slid_are_exported():
    disk = im.disk(pl.param("radius", 0.1, low=0.0, high=1.0))
    small, large = (made(disk, {"format": "png", "params": {"radius": r}})[1] for r in (0.1, 0.9))
    assert small == made(disk, {"format": "png"})[1] != large
    with pytest.raises(InputError, match="wide"):
        made(disk, {"format": "png", "params": {"wide": 1}})


@pytest.mark.parametrize(
    ("format", "name"), [("gif", "a.gif"), ("movingwebp", "a.webp"), ("apng", "a.png"), ("mp4", "a.mp4")]
)
def test_a_film_tells_its_frames(format, name):
    found, data, told = made(MOVING, {"format": format, "seconds": 1, "fps": 6})
    assert found == name
    assert told[-1] == (6, 6)
    if format != "mp4":
        assert Image.open(io.BytesIO(data)).n_frames == 6  # pyright: ignore[reportAttributeAccessIssue]
    else:
        assert b"moov" in data


def test_c_comes_with_its_header_and_a_page_is_whole():
    name, data, _ = made(im.disk(1), {"format": "c"})
    assert name == "a.zip"
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.namelist() == ["a.c", "a.h"]
        assert b'#include "a.h"' in archive.read("a.c")
    assert made(im.disk(1), {"format": "html"})[1].startswith(b"<!DOCTYPE html>")


@pytest.mark.parametrize(
    "change",
    [{"format": "gif", "seconds": 100}, {"format": "png", "width": 4000, "height": 8000}],
    ids=["film", "still"],
)
def test_what_is_cancelled_leaves_nothing(tmp_path, monkeypatch, change):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)

    async def work() -> None:
        exporter = Exporter(Exports())
        asked = {**VIEW, **change}
        with pytest.raises(CancelledError):
            await exporter.make(MOVING, "a", "", asked, lambda *_: exporter.cancel())
        assert not [*tmp_path.glob("**/a*")]
        # Another one can be made after it.
        assert (await exporter.make(MOVING, "b", "", {**VIEW, "format": "png"}, print))["name"] == "b.png"
        with pytest.raises(InputError, match="another one is being made"):
            await asyncio.gather(
                *(exporter.make(MOVING, "a", "", asked, lambda *_: exporter.cancel()) for _ in "ab")
            )
        exporter.close()

    in_thread(work)
    # The thread that makes exports deletes their folder after what it was making.
    until(lambda: not [*tmp_path.glob("pellucid-export-*")])


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"format": "exe"}, "'exe' is none"),
        ({"width": 0}, "0x30 cannot be exported"),
        ({"width": 1 << 20, "height": 1 << 20}, "cannot be exported"),
        ({"center": [1]}, "the view is not whole"),
        ({"zoom": "x"}, "the view is not whole"),
        ({"params": [1]}, "params"),
        ({"format": "mp4", "width": 41}, "even width"),
        ({"format": "gif", "seconds": -1}, "not a positive"),
    ],
)
def test_what_cannot_be_exported_is_told(change, told):
    with pytest.raises(InputError, match=told):
        made(MOVING, {"format": "png", **change})


def ask(page, format):
    page.get_by_role("button", name="Export", exact=True).click()
    page.get_by_role("combobox", name="File").select_option(format)


@pytest.mark.parametrize(
    ("format", "name", "begins", "at"),
    [
        ("png", "picture.png", b"PNG", 1),
        ("webp", "picture.webp", b"WEBP", 8),
        ("jpeg", "picture.jpg", b"JFIF", 6),
        # The bits of a sample stand behind the size in the first part of a PNG.
        ("png16", "picture.png", b"\x10", 24),
        ("c", "picture.zip", b"PK", 0),
        ("python", "picture.py", b"from pellucid import", 0),
    ],
)
def test_a_file_is_exported_by_hand(page, format, name, begins, at):
    ask(page, format)
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Make the file").click()
    assert waiting.value.suggested_filename == name
    assert Path(waiting.value.path()).read_bytes()[at : at + len(begins)] == begins
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_a_film_shows_its_progress_and_is_cancelled(page):
    ask(page, "gif")
    page.get_by_label("Seconds").fill("60000")
    page.get_by_role("button", name="Make the file").click()
    expect(page.get_by_text("of 1500000 frames")).to_be_visible()
    # While frames are drawn on all processors, the page is drawn too rarely to be found at rest.
    page.get_by_role("button", name="Cancel", exact=True).dispatch_event("click")
    page.get_by_label("Seconds").fill("0.2")
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Make the file").click()
    with Image.open(waiting.value.path()) as film:
        assert film.format == "GIF"


def test_a_refusal_is_told_in_the_dialog(page):
    ask(page, "mp4")
    page.get_by_label("Width in pixels").fill("101")
    page.get_by_role("button", name="Make the file").click()
    expect(page.get_by_role("alert")).to_contain_text("MP4 needs an even width")
