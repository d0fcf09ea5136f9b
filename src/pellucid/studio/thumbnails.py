"""Small pictures of many things at once: the nodes of a document, and the words of the library.

Used by `opened` and `server`. All of them are in one PNG, row by row, so that a page asks once. They are drawn by
the tile machine, which needs no compiler, and are kept by what they show.
"""

from __future__ import annotations

import ast
import io
import math
import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.base.errors import InputError, PellucidError
from pellucid.canvas.draw import render
from pellucid.canvas.formats import Look, format_of
from pellucid.canvas.sinks import write_still
from pellucid.canvas.source import drawing, is_picture
from pellucid.document import evaluate, read, words_for
from pellucid.images import Word, words

#: Pixels of a small picture.
SIZE = (96, 72)
#: Pictures in a row.
COLUMNS = 16
#: Pictures of one document, and pictures that are kept: more than a person looks at.
MAX_SHOWN, MAX_KEPT = 400, 2000

_Pixels = NDArray[np.uint8]


def thumbnail(picture: Any, size: tuple[int, int] = SIZE) -> _Pixels | None:
    """The pixels of a small picture, framed as it says itself or as `fit` finds; None for what cannot be drawn.

    >>> from pellucid import images as im
    >>> thumbnail(im.udisk).shape
    (72, 96, 4)
    """
    try:
        asked = drawing(picture, size, None, {"backend": "tiles"}, frames=1, fitted=True)
        return render(asked.picture, view=asked.view, **asked.options)
    except PellucidError:
        return None


def sheet(pictures: Sequence[_Pixels]) -> bytes:
    """One PNG of small pictures of one size, `COLUMNS` in a row.

    >>> sheet([np.zeros((72, 96, 4), np.uint8)])[1:4]
    b'PNG'
    """
    height, width = pictures[0].shape[:2] if pictures else SIZE[::-1]
    rows = max(1, math.ceil(len(pictures) / COLUMNS))
    columns = min(max(1, len(pictures)), COLUMNS)
    whole = np.zeros((rows * height, columns * width, 4), np.uint8)
    for k, pixels in enumerate(pictures):
        row, column = divmod(k, COLUMNS)
        whole[row * height : (row + 1) * height, column * width : (column + 1) * width] = pixels
    buffer = io.BytesIO()
    write_still(buffer, whole, Look(format_of("sheet.png")))
    return buffer.getvalue()


class Thumbnails:
    """The small pictures of a document; those of parts that an edit left alone are kept."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, _Pixels | None] = OrderedDict()

    def of(self, pictures: Mapping[int, tuple[str, Any]]) -> tuple[list[int], bytes]:
        """The identities of what could be drawn, in the order of the sheet, and the sheet.

        `pictures` are by identity, each with a digest of what it shows, which is empty for what must not be kept.
        """
        drawn: dict[int, _Pixels] = {}
        for identity, (digest, picture) in list(pictures.items())[:MAX_SHOWN]:
            pixels = self._kept[digest] if digest in self._kept else thumbnail(picture)
            if digest:
                self._kept[digest] = pixels
                self._kept.move_to_end(digest)
            if pixels is not None:
                drawn[identity] = pixels
        while len(self._kept) > MAX_KEPT:
            self._kept.popitem(last=False)
        return list(drawn), sheet(list(drawn.values()))


class PicturedWords:
    """The words of the library as the page reads them, and a sheet of their pictures, each made when it is asked for.

    >>> told = PicturedWords().told()
    >>> swirl = next(word for word in told["words"] if word["name"] == "swirl")
    >>> "swirl" in told["fits"]["image"], "swirl" in told["fits"]["color"]
    (True, False)
    >>> swirl["kind"], swirl["start"].splitlines()[-1]
    ('picture', 'picture = im.swirl(100, im.checkerboard(10, im.black, im.white)).framed(width=200)')
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._told: dict[str, Any] = {}
        self._sheet = b""
        self._closed = False

    def told(self) -> dict[str, Any]:
        """All `words` with their kinds and sentences, the names that `fits` where a kind is expected, and `columns`.

        `at` is the place of a word in the sheet, and `start` a document that shows its example; None where there is
        none.
        """
        with self._lock:
            if not self._told:
                entries = words_for()
                known = frozenset(entry["name"] for entry in entries)
                shown = {name: k for k, (name, _) in enumerate(self._shown())}
                told = [_word(entry, shown.get(entry["name"]), known) for entry in entries]
                expected = {parameter["expected"] for entry in entries for parameter in entry["parameters"]}
                fits = {kind: [each["name"] for each in words_for(kind)] for kind in sorted(expected)}
                self._told = {"words": told, "fits": fits, "columns": COLUMNS}
            return self._told

    def sheet(self) -> bytes:
        """The pictures of the words, each of its example, as one PNG."""
        with self._lock:
            if not self._sheet:
                drawn = [thumbnail(picture) for _, picture in self._shown()]
                blank = np.zeros((SIZE[1], SIZE[0], 4), np.uint8)
                self._sheet = sheet([blank if pixels is None else pixels for pixels in drawn])
            return self._sheet

    def _shown(self) -> Iterator[tuple[str, Any]]:
        for name, word in words().items():
            if self._closed:
                raise InputError("the studio ends", place="library", fix="start it again")
            picture = word.show()
            if is_picture(picture) and picture.kind != "structure":
                yield name, picture

    def close(self) -> None:
        """End what is being made: nobody waits for it any longer."""
        self._closed = True


def _word(entry: dict[str, Any], at: int | None, known: frozenset[str]) -> dict[str, Any]:
    """A word as the page reads it: what it is, what it `takes`, and the `receiver` of its method."""
    found = {key: entry[key] for key in ("name", "sort", "kind", "doc", "signature", "example", "family")}
    takes = [{key: each[key] for key in ("name", "expected", "many")} for each in entry["parameters"]]
    word = words().get(entry["name"])
    start = _start(word, known) if word is not None and at is not None else None
    receiver = word.receiver if word is not None else None
    return {**found, "takes": takes, "receiver": receiver, "at": at, "start": start}


def _start(word: Word, known: frozenset[str]) -> str | None:
    """A document that shows the example of a word; None if that needs more than words."""
    code = word.example
    places = _outside(ast.parse(code, mode="eval").body, frozenset())
    for at, name in sorted(places, reverse=True):
        code = code[:at] + ("im." if name in known else "") + code[at:]
    more = "from math import pi\n" if any(name == "pi" for _, name in places) else ""
    framed = f"({code}).framed(width={word.width:g})"
    if isinstance(ast.parse(code, mode="eval").body, ast.Call | ast.Attribute):
        framed = f"{code}.framed(width={word.width:g})"
    text = f"{more}from pellucid import images as im\n\npicture = {framed}\n"
    return text if evaluate(read(text)).picture is not None else None


def _outside(node: ast.AST, bound: frozenset[str]) -> list[tuple[int, str]]:
    """Where names stand that are no parameters of the functions around them."""
    if isinstance(node, ast.Name):
        return [] if node.id in bound else [(node.col_offset, node.id)]
    if isinstance(node, ast.Lambda):
        bound |= {each.arg for each in node.args.args}
    return [found for each in ast.iter_child_nodes(node) for found in _outside(each, bound)]
