"""Pages that show tiles, in a browser as people open them."""

from __future__ import annotations

import http.client
import io
import json
import re
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Browser, Page

import pellucid as pl
from pellucid import images as im
from pellucid.base.errors import InputError
from pellucid.canvas.shards import halved
from pellucid.studio import tiles
from pellucid.studio.listening import listening
from pellucid.studio.tiles import MAX_SETTINGS, MAX_WAITING, SIDE, KeptTiles, Levels

# Dask leaves sockets to the collector of garbage.
pytestmark = pytest.mark.filterwarnings("ignore")

HALVES = im.cond(im.half_plane(0), im.red, im.blue)


def colors(page: Page) -> set[str]:
    """What is seen on the left and on the right of the middle."""
    with Image.open(io.BytesIO(page.screenshot())) as image:
        seen = np.asarray(image.convert("RGB"))
    height, width = seen.shape[:2]
    names = {(255, 0, 0): "red", (0, 0, 255): "blue"}
    row = seen[height // 2]
    return {names.get(tuple(row[width // 2 + step].tolist()), "other") for step in (-40, 40)}


def until(page: Page, condition: Callable[[], bool]) -> None:
    """Wait for something on the page, which may take long on a busy machine."""
    for _ in range(600):
        if condition():
            return
        page.wait_for_timeout(50)
    raise AssertionError("it did not come about")


def show_and_zoom(page: Page, address: str) -> list[int]:
    """Open a page of tiles, see both halves, zoom in and see them again; gives the levels that were asked for."""
    asked: list[int] = []
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)

    def note(address: str) -> None:
        if found := re.search(r"/(\d+)/\d+_\d+\.png$", address):
            asked.append(int(found[1]))

    page.on("request", lambda request: note(request.url))
    page.goto(address)
    until(page, lambda: colors(page) == {"red", "blue"})
    before = max(asked)
    page.mouse.move(250, 200)
    for _ in range(6):
        page.mouse.wheel(0, -400)
        # Turns that follow at once count as one.
        page.wait_for_timeout(60)
    until(page, lambda: max(asked) > before and colors(page) == {"red", "blue"})
    page.mouse.down()
    page.mouse.move(400, 200, steps=5)
    page.mouse.up()
    until(page, lambda: len(colors(page)) == 1)
    assert complaints == []
    return asked


def test_the_page_beside_deep_zoom_shows_it_without_a_server(browser: Browser, tmp_path: Path):
    import distributed

    target = tmp_path / "a 'b' & <c>.dzi"
    with distributed.Client(
        processes=False, n_workers=1, threads_per_worker=1, dashboard_address=None
    ) as client:
        pl.store(HALVES, target, (3000, 2000), client=client, shard=512, chunk=256)
    page = browser.new_page(viewport={"width": 500, "height": 400})
    asked = show_and_zoom(page, target.with_suffix(".html").as_uri())
    assert page.title() == "a 'b' & <c>"
    assert max(asked) <= 12
    page.close()


# ---- served ----

SIZE, VIEW = (1001, 703), {"zoom": 3.7, "center": (0.3, -0.2)}
PICTURE = im.swirl(pl.param("twist", 100, 1, 200), im.fill(im.tomato, im.disk(80)))


@pytest.fixture(scope="module")
def served() -> Iterator[Any]:
    """A picture that is served, to whoever has the cookie."""
    with pl.serve(PICTURE, SIZE, **VIEW) as made:
        made.port = urlsplit(made.address).port
        made.cookie = get(made, made.address, cookie=False)[1]["set-cookie"].partition(";")[0]
        yield made


def get(
    served: Any, address: str, *, cookie: bool = True, **headers: str
) -> tuple[int, dict[str, str], bytes]:
    """Status, headers and body of a request."""
    connection = http.client.HTTPConnection("127.0.0.1", urlsplit(served.address).port, timeout=60)
    parts = urlsplit(address)
    if cookie:
        headers["Cookie"] = served.cookie
    connection.request("GET", parts.path + (f"?{parts.query}" if parts.query else ""), headers=headers)
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer.status, {name.lower(): value for name, value in answer.getheaders()}, body


def picture_of(data: bytes) -> np.ndarray:
    with Image.open(io.BytesIO(data)) as image:
        return np.asarray(image.convert("RGBA"))


def test_the_tiles_of_the_finest_level_are_the_picture(served: Any):
    found = np.zeros((SIZE[1], SIZE[0], 4), np.uint8)
    for row in range(3):
        for column in range(4):
            status, headers, body = get(served, f"/tiles/-/10/{column}_{row}.png")
            assert (status, headers["content-type"]) == (200, "image/png")
            tile = picture_of(body)
            found[row * SIDE :, column * SIDE :][: tile.shape[0], : tile.shape[1]] = tile
    np.testing.assert_array_equal(found, pl.render(PICTURE, SIZE, **VIEW))


def test_levels_have_the_left_and_top_edges_of_the_picture():
    levels = Levels(pl.compile(im.cond(im.half_plane(0.7), im.red, im.blue)), pl.View(SIZE, **VIEW))
    assert (levels.count, levels.size(1), levels.size(10)) == (11, (501, 352), (1, 1))
    fine = pl.render(im.cond(im.half_plane(0.7), im.red, im.blue), SIZE, **VIEW)
    coarse = pl.render(levels.kernel, view=levels.view_of(2))
    # A pixel of the level lies in the middle of four by four, so that only those on the border of halves differ.
    assert (coarse != halved(halved(fine)))[..., 0].mean() < 0.01
    np.testing.assert_array_equal(levels.tile(2, 0, 0), coarse[:SIDE, :SIDE])


def test_settings_of_the_address_are_those_of_the_picture(served: Any):
    for settings, more in (
        ("twist=7", {"params": {"twist": 7.0}}),
        ("twist=7&time=2", {"params": {"twist": 7.0}}),
    ):
        body = get(served, f"/tiles/{quote(settings, safe='')}/10/1_1.png")[2]
        whole = pl.render(PICTURE, SIZE, **VIEW, **more)
        np.testing.assert_array_equal(picture_of(body), whole[SIDE : 2 * SIDE, SIDE : 2 * SIDE])
    page = get(served, "/?twist=7")[2].decode()
    assert 'data-tiles="tiles/twist%3D7/"' in page


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ("twist=1e9", "is not in 1"),
        ("twst=7", "has no parameter 'twst'; did you mean 'twist'?"),
        ("twist=nan", "'nan' is not a number"),
        ("twist=", "is not a number"),
        ("time=1e300", "time"),
        ("twist=" + "1" * MAX_SETTINGS, "letters"),
    ],
)
def test_settings_that_the_picture_has_not_are_refused_in_one_sentence(served: Any, settings: str, told: str):
    for address in (f"/tiles/{quote(settings, safe='')}/10/0_0.png", f"/?{settings}"):
        status, _, body = get(served, address)
        assert status == 400
        assert told in body.decode()
        assert body.count(b"\n") == 1


@pytest.mark.parametrize(
    "path",
    ["/tiles/-/11/0_0.png", "/tiles/-/10/4_0.png", "/tiles/-/10/0_3.png", "/tiles/-/10/-1_0.png", "/tiles/-/0/0_1.png",
     "/scripts/../server.py", "/scripts/manifest.json", "/zarr/-/picture.ome.zarr/99/zarr.json",
     "/zarr/-/picture.ome.zarr/0/c/0/9/9", "/zarr/-/picture.ome.zarr/.zgroup", "/etc/passwd"],
)  # fmt: skip
def test_there_is_nothing_else(served: Any, path: str):
    assert get(served, path)[0] == 404


def test_zarr_has_the_levels_of_the_picture(served: Any, tmp_path: Path):
    import zarr

    group = json.loads(get(served, f"{served.zarr}/zarr.json", cookie=False)[2])
    (scales,) = group["attributes"]["ome"]["multiscales"]
    assert [data["path"] for data in scales["datasets"]] == [str(level) for level in range(11)]
    for level, chunks in ((0, (3, 4)), (2, (1, 1))):
        folder = tmp_path / str(level)
        for name in ("zarr.json", *(f"c/0/{y}/{x}" for y in range(chunks[0]) for x in range(chunks[1]))):
            status, _, body = get(served, f"{served.zarr}/{level}/{name}", cookie=False)
            assert status == 200
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(body)
        found = np.moveaxis(np.asarray(zarr.open_array(str(folder), mode="r")[:]), 0, 2)
        view = Levels(pl.compile(PICTURE), pl.View(SIZE, **VIEW)).view_of(level)
        np.testing.assert_array_equal(found, pl.render(PICTURE, view=view))


def test_only_who_has_the_cookie_or_the_key_is_answered(served: Any):
    for path in ("/", "/tiles/-/10/0_0.png", "/zarr/-/picture.ome.zarr/zarr.json", "/x/tiles/-/10/0_0.png"):
        assert get(served, path, cookie=False)[0] == 403
    assert get(served, f"{served.zarr}/zarr.json", cookie=False, Origin="http://evil.example")[0] == 403
    assert get(served, f"{served.zarr}/zarr.json", cookie=False, Host="evil.example")[0] == 421
    assert get(served, served.address, cookie=False)[0] == 403, "the token opens one browser"
    assert "token" not in repr(served)


def test_tiles_that_were_drawn_are_kept_and_drawn_once_for_all_who_wait(monkeypatch: pytest.MonkeyPatch):
    from concurrent.futures import ThreadPoolExecutor

    drawn: list[Any] = []
    plain = Levels.tile
    monkeypatch.setattr(Levels, "tile", lambda *given: drawn.append(given[1:]) or plain(*given))
    with pl.serve(PICTURE, SIZE, **VIEW) as made, ThreadPoolExecutor(8) as pool:
        drawn.clear()
        address = made.zarr + "/0/c/0/1/2"
        answers = [*pool.map(lambda _: get(made, address, cookie=False)[2], range(16))]
    assert drawn == [(0, 2, 1)]
    assert len(set(answers)) == 1


def test_more_than_can_be_drawn_is_refused_and_not_queued(monkeypatch: pytest.MonkeyPatch):
    assert MAX_WAITING > 0
    with pl.serve(PICTURE, SIZE, **VIEW) as made:
        monkeypatch.setattr(tiles, "MAX_WAITING", 0)
        status, headers, _ = get(made, made.zarr + "/0/c/0/0/0", cookie=False)
        assert (status, headers["retry-after"]) == (503, "1")


def test_a_million_pixels_a_side_in_the_browser(browser: Browser):
    with pl.serve(HALVES, 1 << 20, zoom=4096.0) as made:
        page = browser.new_page(viewport={"width": 500, "height": 400})
        asked = show_and_zoom(page, made.address)
        page.close()
    assert max(asked) <= 20


def test_what_cannot_be_served_is_refused(served: Any):
    for more, told in (
        ({"port": served.port}, "cannot be used"),
        ({"port": 1 << 16}, "port: 65536 is out of range"),
        ({"tolerance": 0.1, "samples": 4}, "tolerance: tiles are exact"),
        ({"size": 1 << 21}, "give precision='f64'"),
    ):
        with pytest.raises(InputError, match=told):
            pl.serve(PICTURE, **{"size": SIZE, **more})


def test_answers_are_sent_at_once():
    with listening(0) as listener:
        # What asyncio asks for before it turns off waiting for more to send.
        assert listener.proto == socket.IPPROTO_TCP


def test_kept_tiles_are_bounded_by_their_bytes():
    kept = KeptTiles(100)
    for number in range(50):
        kept.add(number, bytes(10))
        kept.add(number, bytes(10))
    assert [n for n in range(50) if kept.get(n) is not None] == [*range(40, 50)]
