"""Tiles: a picture of any size in the browser, and as Zarr for programs, drawn where and when somebody looks.

Beside `server`, whose guard it shares. A tile is a part of its level, and a level is the picture drawn at that size,
with the same left and top edges. Nothing is written; tiles that were drawn are kept in memory up to a number of bytes.
"""

from __future__ import annotations

import asyncio
import io
import json
import math
import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import lru_cache
from types import TracebackType
from typing import Any, Self, Unpack
from urllib.parse import parse_qsl, quote, urlencode

import numpy as np

from pellucid.base.errors import InputError, PellucidError
from pellucid.base.record import record
from pellucid.base.tracebacks import door
from pellucid.base.view import View, checked_whole, spelled_out
from pellucid.canvas import deep_zoom
from pellucid.canvas.compose import Pixels
from pellucid.canvas.folders import ome_metadata
from pellucid.canvas.formats import Look, format_of
from pellucid.canvas.shards import CHANNELS
from pellucid.canvas.sinks import write_still
from pellucid.canvas.source import DrawArguments, drawing
from pellucid.driver import Kernel as Compiled
from pellucid.driver.threads import available
from pellucid.driver.view import EXACT, checked_view, part_of
from pellucid.studio.guard import PageGuard
from pellucid.studio.listening import listening, require, server_of

SIDE = 256
"""Pixels of a side of a tile, and of a chunk of Zarr."""
MAX_KEPT = 1 << 28
"""Bytes of the tiles that are kept."""
MAX_WAITING = 1024
"""Tiles that are drawn or wait for it, after which more are refused."""
MAX_SETTINGS = 2048
"""Letters of the settings in an address."""
_PNG = Look(format_of("tile.png"))
_NAME = "picture.ome.zarr"
_PLAIN = "-"
"""The settings of an address that has none."""


@record(slots=False)
class Levels:
    """A picture at half the size, a quarter, and so on down to one pixel, all with the same left and top edges."""

    kernel: Compiled
    view: View

    @property
    def count(self) -> int:
        """The number of levels."""
        return (max(self.view.size) - 1).bit_length() + 1

    def size(self, level: int) -> tuple[int, int]:
        """The width and the height of a level; 0 is the picture itself."""
        width, height = self.view.size
        return -(-width // (1 << level)), -(-height // (1 << level))

    def grid(self, level: int) -> tuple[int, int]:
        """The columns and the rows of tiles of a level."""
        width, height = self.size(level)
        return -(-width // SIDE), -(-height // SIDE)

    def view_of(self, level: int) -> View:
        """The view of a level."""
        view, (width, height) = self.view, self.size(level)
        if not level:
            return view
        step, zoom = 1 << level, view.zoom
        # The last column and row of a level may reach beyond those of the picture.
        right, below = (width * step - view.size[0]) / 2 / zoom, (height * step - view.size[1]) / 2 / zoom
        center = view.center[0] + right, view.center[1] - below
        return view.replace(size=(width, height), zoom=zoom / step, center=center)

    def tile(self, level: int, column: int, row: int) -> Pixels:
        """The pixels of a tile, of shape (height, width, 4); those at the right and at the bottom may be smaller."""
        width, height = self.size(level)
        left, top = column * SIDE, row * SIDE
        part = left, top, min(SIDE, width - left), min(SIDE, height - top)
        return self.kernel.render(view=self.view_of(level), part=part)

    def with_settings(self, text: str) -> Levels:
        """The levels at another time or with other parameters, as an address gives them: `twist=2&time=0.5`.

        Raises InputError for what is no setting of the picture, and for a value out of its range.
        """
        if text == _PLAIN:
            return self
        if len(text) > MAX_SETTINGS:
            raise InputError(
                f"they have more than {MAX_SETTINGS} letters", place="settings", fix="give fewer"
            )
        time, params = self.view.time, dict(self.view.params)
        for name, value in parse_qsl(text, keep_blank_values=True):
            try:
                number = float(value)
            except ValueError:
                number = math.nan
            if not math.isfinite(number):
                raise InputError(
                    f"{value[:40]!r} is not a number", place=name[:40], fix="give one, such as 0.5"
                )
            if name == "time":
                time = number
            else:
                params[name] = number
        view = checked_view(
            view=self.view.replace(time=time, params=params), part=(0, 0, 1, 1), frames=0,
            precision=self.kernel.options.precision,
        )  # fmt: skip
        # Names and ranges are those of the kernel's parameters.
        self.kernel.values(view, part_of(view, (0, 0, 1, 1)))
        return Levels(self.kernel, view)


class KeptTiles:
    """What was drawn lately, up to a number of bytes; what was not asked for the longest goes first.

    >>> kept = KeptTiles(5)
    >>> for name in "ab":
    ...     kept.add(name, b"123")
    >>> kept.get("a"), kept.get("b")
    (None, b'123')
    """

    def __init__(self, most: int = MAX_KEPT) -> None:
        self._most, self._bytes = most, 0
        self._tiles: OrderedDict[object, bytes] = OrderedDict()

    def get(self, key: object) -> bytes | None:
        """What is kept under a key, or None."""
        found = self._tiles.get(key)
        if found is not None:
            self._tiles.move_to_end(key)
        return found

    def add(self, key: object, data: bytes) -> None:
        """Keep something under a key that is not there."""
        if key not in self._tiles:
            self._tiles[key] = data
            self._bytes += len(data)
        while self._bytes > self._most:
            self._bytes -= len(self._tiles.popitem(last=False)[1])


class TileServer:
    """Answers requests for tiles, with threads that draw them."""

    def __init__(self, levels: Levels, title: str, threads: int) -> None:
        self.levels, self.title = levels, title
        self._kept = KeptTiles()
        self._waiting: dict[object, asyncio.Future[bytes]] = {}
        self.pool = ThreadPoolExecutor(threads, "pellucid-tiles")
        self.settings = lru_cache(maxsize=64)(levels.with_settings)

    def page(self, query: str) -> str:
        """The page, for the settings of its address."""
        chosen = urlencode(parse_qsl(query, keep_blank_values=True)) or _PLAIN
        levels = self.settings(chosen)
        return deep_zoom.page(
            self.title, f"tiles/{quote(chosen, safe='')}", levels.view.size, SIDE, scripts="scripts"
        )

    def is_busy(self) -> bool:
        """Whether so many tiles wait that more must be asked for later."""
        return len(self._waiting) >= MAX_WAITING

    async def png(self, settings: str, number: int, column: int, row: int) -> bytes | None:
        """The file of a tile; Deep Zoom counts levels from the one of a single pixel. None where there is none."""
        level = self.levels.count - 1 - number
        return await self._tile(settings, level, column, row, _as_png)

    async def chunk(self, settings: str, level: int, row: int, column: int) -> bytes | None:
        """A chunk of Zarr: planes of a tile, each of `SIDE` by `SIDE` bytes. None where there is none."""
        return await self._tile(settings, level, column, row, _as_planes)

    async def _tile(
        self, settings: str, level: int, column: int, row: int, form: Callable[[Pixels], bytes]
    ) -> bytes | None:
        levels = self.settings(settings)
        if not 0 <= level < levels.count:
            return None
        columns, rows = levels.grid(level)
        if column >= columns or row >= rows:
            return None
        key = settings, level, column, row, form
        found = self._kept.get(key)
        if found is not None:
            return found
        waiting = self._waiting.get(key)
        if waiting is None:
            loop = asyncio.get_running_loop()
            waiting = loop.run_in_executor(self.pool, lambda: form(levels.tile(level, column, row)))
            self._waiting[key] = waiting
            waiting.add_done_callback(lambda done: self._drawn(key, done))
        # Whoever goes away does not end what others wait for.
        return await asyncio.shield(waiting)

    def _drawn(self, key: object, done: asyncio.Future[bytes]) -> None:
        del self._waiting[key]
        if not done.cancelled() and done.exception() is None:
            self._kept.add(key, done.result())

    def metadata(self, settings: str, path: str) -> dict[str, Any] | None:
        """The metadata of the group or of the array of a level, as Zarr v3 and OME-Zarr 0.5 have it; else None."""
        levels = self.settings(settings)
        if path == "zarr.json":
            attributes = {"ome": ome_metadata(self.title, levels.count)}
            return {"zarr_format": 3, "node_type": "group", "attributes": attributes}
        number, _, name = path.partition("/")
        if name != "zarr.json" or not number.isdecimal() or int(number) >= levels.count:
            return None
        width, height = levels.size(int(number))
        return {
            "zarr_format": 3,
            "node_type": "array",
            "shape": [CHANNELS, height, width],
            "data_type": "uint8",
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [CHANNELS, SIDE, SIDE]}},
            "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
            "fill_value": 0,
            "codecs": [{"name": "bytes"}],
            "dimension_names": ["c", "y", "x"],
            "attributes": {},
        }


def _as_png(pixels: Pixels) -> bytes:
    buffer = io.BytesIO()
    write_still(buffer, deep_zoom.without_alpha(pixels), _PNG)
    return buffer.getvalue()


def _as_planes(pixels: Pixels) -> bytes:
    planes = np.zeros((CHANNELS, SIDE, SIDE), np.uint8)
    planes[:, : pixels.shape[0], : pixels.shape[1]] = np.moveaxis(pixels, 2, 0)
    return planes.tobytes()


def _application(tiles: TileServer) -> Any:
    from starlette.applications import Starlette
    from starlette.responses import FileResponse, HTMLResponse, PlainTextResponse, Response
    from starlette.routing import Route

    fresh = {"cache-control": "no-store"}

    async def page(request: Any) -> Any:
        return HTMLResponse(tiles.page(request.url.query), headers=fresh)

    async def script(request: Any) -> Any:
        name = request.path_params["name"]
        return FileResponse(deep_zoom.PAGE / name) if name in deep_zoom.SCRIPTS else _missing()

    async def tile(request: Any) -> Any:
        if tiles.is_busy():
            return _later()
        given = request.path_params
        data = await tiles.png(given["settings"], given["level"], given["column"], given["row"])
        return _missing() if data is None else Response(data, media_type="image/png", headers=fresh)

    async def chunk(request: Any) -> Any:
        if tiles.is_busy():
            return _later()
        given = request.path_params
        data = await tiles.chunk(given["settings"], given["level"], given["row"], given["column"])
        return _missing() if data is None else Response(data, headers=fresh)

    async def metadata(request: Any) -> Any:
        found = tiles.metadata(request.path_params["settings"], request.path_params["path"])
        return _missing() if found is None else Response(json.dumps(found), media_type="application/json")

    def _later() -> Any:
        return PlainTextResponse("Too many tiles wait already.\n", 503, {"retry-after": "1"})

    def _missing() -> Any:
        return PlainTextResponse("There is nothing of this name.\n", 404)

    async def refused(_: Any, error: Exception) -> Any:
        return PlainTextResponse(f"{error}\n", 400)

    zarr = f"/zarr/{{settings}}/{_NAME}"
    routes = [
        Route("/", page),
        Route("/scripts/{name}", script),
        Route("/tiles/{settings}/{level:int}/{column:int}_{row:int}.png", tile),
        Route(f"{zarr}/{{level:int}}/c/0/{{row:int}}/{{column:int}}", chunk),
        Route(f"{zarr}/{{path:path}}", metadata),
    ]
    handlers: Any = {PellucidError: refused}
    return Starlette(routes=routes, exception_handlers=handlers)


class Served:
    """A picture that is being served by a thread, until it is closed.

    `address` opens a browser, once; `zarr` is that of an OME-Zarr for programs of this machine, which must be kept
    secret from others.
    """

    def __init__(self, tiles: TileServer, port: int) -> None:
        self._tiles, self._open = tiles, ExitStack()
        listener = self._open.enter_context(listening(port))
        number = listener.getsockname()[1]
        guard = PageGuard(_application(tiles), number, what="picture", keyed=True)
        self.address = guard.address
        self.zarr = f"http://127.0.0.1:{number}/{guard.key}/zarr/{_PLAIN}/{_NAME}"
        self._server: Any = server_of(guard)
        self._thread = threading.Thread(
            target=self._server.run, kwargs={"sockets": [listener]}, name="pellucid-serve", daemon=True
        )
        self._thread.start()

    def wait(self) -> None:
        """Wait until it is closed, or until Ctrl-C."""
        while self._thread.is_alive():
            self._thread.join(0.5)

    def close(self) -> None:
        """Stop serving."""
        self._server.should_exit = True
        self._thread.join()
        self._tiles.pool.shutdown(cancel_futures=True)
        self._open.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        """The address without the token."""
        return f"Served({self.address.partition('?')[0]})"


@spelled_out(DrawArguments)
@door
def serve(
    picture: object,
    size: tuple[int, int] | int | None = None,
    *,
    port: int = 0,
    title: str = "picture",
    view: View | None = None,
    **arguments: Unpack[DrawArguments],
) -> Served:
    """Serve a picture of any size to this machine: Deep Zoom in the browser, and OME-Zarr for programs.

    Tiles are drawn when they are asked for, each level as the picture at that size, by `threads` threads. The time and
    parameters can be given in the address of the page, as in `/?twist=2`; for Zarr `twist=2` takes the place of the
    `-`. Port 0 is a free one. Otherwise as `render`. Needs the extra `pellucid[studio]`.

    Raises `InputError` for a value out of its range and a port that is taken, `MissingExtraError` without the extra,
    and `BackendError` if this installation has no page.

    >>> from pellucid import images as im
    >>> with serve(im.udisk, 1 << 20, zoom=4096.0) as served:
    ...     served.zarr.endswith("/zarr/-/picture.ome.zarr")
    True
    """
    asked = drawing(picture, size, view, arguments, frames=0, part=(0, 0, 1, 1))
    if asked.near != EXACT:
        raise InputError("tiles are exact", place="tolerance", fix="leave out tolerance and error")
    checked_whole("port", port, 0, 65535)
    require()
    deep_zoom.require_page()
    kernel = asked.kernel()
    if not isinstance(kernel, Compiled):
        raise InputError(
            "this kernel draws whole pictures", place="picture", fix="give the picture, or pl.compile it"
        )
    levels = Levels(kernel, asked.view.replace(threads=1))
    # What cannot be compiled is told here, and not to a browser.
    levels.tile(levels.count - 1, 0, 0)
    threads = available() if asked.view.threads is None else asked.view.threads
    return Served(TileServer(levels, title, threads), port)
