"""Deep Zoom: a picture as a pyramid of small PNG files, with a page that shows them in a browser without a network.

Below `store`: a worker cuts a shard into tiles as it draws it, and the store serves to make the levels above. The
description of the picture and the page come last, so that what is not finished does not look so. The page shows tiles
with OpenSeadragon, which is built into the package by `tools/page.py`.
"""

from __future__ import annotations

import html
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from pellucid.base.atomic import atomic_write
from pellucid.base.errors import BackendError, FileError, InputError
from pellucid.base.opening import contents
from pellucid.canvas.compose import Pixels, is_opaque
from pellucid.canvas.folders import check_same
from pellucid.canvas.formats import Look, format_of
from pellucid.canvas.shards import Manifest, ShardPlace
from pellucid.canvas.sinks import write_still

PAGE = Path(__file__).with_name("page")
"""The scripts of the page: OpenSeadragon, and the one that starts it."""
SCRIPTS = ("openseadragon.js", "viewer.js")
SUFFIX = ".dzi"
_MANIFEST = "manifest.json"
_PNG = Look(format_of("tile.png"))
_END = b"IEND\xaeB`\x82"
"""The last bytes of a PNG."""


class Tile(NamedTuple):
    """A file of a pyramid, and its pixels in the level: left, top, width, height."""

    path: Path
    part: tuple[int, int, int, int]


def files_of(target: Path) -> Path:
    """The folder of the tiles of a description, as viewers find it."""
    return target.with_name(target.name.removesuffix(SUFFIX) + "_files")


def tiles_of(folder: Path, manifest: Manifest, place: ShardPlace) -> Iterator[Tile]:
    """The tiles that lie in a shard. Deep Zoom counts levels from the one of a single pixel."""
    left, top, width, height = manifest.part(place)
    side = manifest.chunk
    level = folder / str(manifest.levels - 1 - place.level)
    for y in range(top, top + height, side):
        for x in range(left, left + width, side):
            part = x, y, min(side, left + width - x), min(side, top + height - y)
            yield Tile(level / f"{x // side}_{y // side}.png", part)


def is_finished(target: Path, manifest: Manifest, *, resume: bool) -> bool:
    """Whether a description is there, of the same picture; nothing may be there of something else.

    Raises InputError otherwise, and BackendError where this installation has no page.
    """
    require_page()
    folder = files_of(target)
    if not target.exists() and not folder.exists():
        return False
    try:
        known = json.loads(contents(folder / _MANIFEST, "the manifest of a picture"))
        differences = manifest.differences(known)
    except (FileError, ValueError, TypeError, AttributeError):
        other = target if target.exists() else folder
        raise InputError(
            "is there, and was not stored by pellucid", place=str(other), fix="choose another name"
        ) from None
    if differences or target.exists():
        check_same(target, manifest, known, resume=resume)
    return target.exists()


def require_page() -> None:
    """Nothing, if this installation has the scripts of the page; else raises BackendError."""
    if missing := [name for name in SCRIPTS if not (PAGE / name).is_file()]:
        fix = "run scripts/setup, or install a wheel"
        raise BackendError(f"this installation has no {missing[0]}", place=str(PAGE), fix=fix)


def begin(target: Path, manifest: Manifest) -> Path:
    """The folder of the tiles of a description, with a folder for each level, and what tells whose they are."""
    folder = files_of(target)
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder / _MANIFEST, json.dumps(manifest.text(), indent=1))
    for level in range(manifest.levels):
        (folder / str(level)).mkdir(exist_ok=True)
    return folder


def finish(target: Path, manifest: Manifest) -> None:
    """Write the page and the description of tiles that are all there."""
    folder = files_of(target)
    for name in SCRIPTS:
        shutil.copyfile(PAGE / name, folder / name)
    stem = target.name.removesuffix(SUFFIX)
    _write(target.with_name(f"{stem}.html"), page(stem, quote(folder.name), manifest.size, manifest.chunk))
    _write(target, _description(manifest))


def write_tiles(folder: str, manifest: Manifest, place: ShardPlace, pixels: Pixels) -> None:
    """Write the tiles of a shard, each aside first."""
    left, top, _, _ = manifest.part(place)
    for path, (x, y, width, height) in tiles_of(Path(folder), manifest, place):
        tile = pixels[y - top : y - top + height, x - left : x - left + width]
        with atomic_write(path) as file:
            write_still(file, without_alpha(tile), _PNG)


def without_alpha(pixels: Pixels) -> Pixels:
    """The colors alone, if all pixels are opaque: a file of them is smaller."""
    return pixels[..., :3] if is_opaque(pixels) else pixels


def page(title: str, tiles: str, size: tuple[int, int], side: int, *, scripts: str | None = None) -> str:
    """The text of a page that shows tiles of so many pixels a side.

    `tiles` is the address of their folder, and `scripts` that of the scripts, which is the same by default.
    """
    width, height = size
    scripts = tiles if scripts is None else scripts
    data = (
        f'data-tiles="{html.escape(tiles)}/" data-width="{width}" data-height="{height}" data-side="{side}"'
    )
    return f"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>{html.escape(title)}</title>
<style>html, body, #picture {{ margin: 0; height: 100%; background: #1b1b1f }}</style>
<div id="picture" {data}></div>
<script src="{html.escape(scripts)}/openseadragon.js"></script>
<script src="{html.escape(scripts)}/viewer.js"></script>
</html>
"""


def _description(manifest: Manifest) -> str:
    width, height = manifest.size
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<Image xmlns="http://schemas.microsoft.com/deepzoom/2008" '
        f'Format="png" Overlap="0" TileSize="{manifest.chunk}">\n'
        f'  <Size Width="{width}" Height="{height}"/>\n</Image>\n'
    )


def are_there(folder: Path, manifest: Manifest, place: ShardPlace) -> bool:
    """Whether all tiles of a shard are there; one that ends early, as after a power cut, is not."""
    for path, _ in tiles_of(folder, manifest, place):
        try:
            with path.open("rb") as file:
                file.seek(-min(len(_END), file.seek(0, 2)), 2)
                if file.read() != _END:
                    return False
        except FileNotFoundError:
            return False
    return True


def _write(path: Path, text: str) -> None:
    with atomic_write(path) as file:
        file.write(text.encode())
