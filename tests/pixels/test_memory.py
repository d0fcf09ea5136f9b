"""Memory that callers give, and every other parameter of what takes memory, by kinds that are wrong."""

from __future__ import annotations

import array
import decimal
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import pellucid as pl
from pellucid import images as im
from pellucid.base.errors import PellucidError
from pellucid.pixels import Layout, layout_of, pack, unpack

BYTES = np.zeros(12, np.uint8)


class Strange:
    """What cannot even be shown."""

    def __repr__(self) -> str:
        raise RuntimeError("no text")


class Endless:
    """What never stops giving numbers."""

    def __iter__(self):
        while True:
            yield 2


WRONG: dict[str, Any] = {
    # Numbers.
    "None": None, "true": True, "negative": -3, "zero": 0, "three": 3, "half": 1.5, "nan": math.nan,
    "infinity": math.inf, "huge": 10**30, "huge float": 1e300, "complex": 2j, "decimal": decimal.Decimal("1.5"),
    # Texts.
    "text": "abc", "digits": "4", "zero text": "\0", "empty text": "", "bytes": b"ab", "surrogate": "\udc80",
    "long": "x" * 100_000,
    # What holds others.
    "list": [1, 2], "deep list": [[1], [2, 3]], "empty": (), "pair": (2, 2), "nested": ((2, 2), 2), "set": {1, 2},
    "mapping": {"a": 1}, "mapping of objects": {3: None}, "endless": Endless(), "generator": (n for n in range(9)),
    "range": range(12),
    # Objects.
    "type": int, "function": len, "object": object(), "strange": Strange(), "module": np, "error": ValueError("x"),
    "layout": Layout("Y:8"), "picture": im.const(im.red), "picture class": im.Image,
    # Arrays.
    "words": np.zeros(6, np.uint16), "floats": np.zeros(12), "objects": np.array([None] * 12),
    "truths": np.zeros(12, bool), "texts": np.array(["a"] * 12), "times": np.zeros(12, "M8[s]"),
    "records": np.zeros(12, [("a", "u1")]), "signed": np.zeros(12, "i1"), "scalar": np.uint8(3), "point": np.array(3),
    "apart": np.zeros(24, np.uint8)[::2], "backward": np.zeros(12, np.uint8)[::-1],
    "read-only": np.broadcast_to(np.uint8(0), 12), "square": np.zeros((3, 4), np.uint8),
    "plane": np.zeros((2, 2, 4), np.uint8), "cube": np.zeros((2, 2, 2, 2)), "nothing": np.zeros(0, np.uint8),
    "numbers": array.array("I", [1] * 12), "view": memoryview(b"x" * 24)[::2],
    "wide view": memoryview(np.zeros(12, np.float32)), "swapped": np.zeros(12, ">u2"),
}  # fmt: skip

CONVERT = {"data": BYTES, "source": "rgb24", "target": "gray8", "size": (2, 2)}
PICTURE = im.checkerboard(1, im.red, im.blue)
LOOK = [
    "center",
    "zoom",
    "time",
    "samples",
    "numerics",
    "precision",
    "backend",
    "threads",
    "params",
    "alpha",
    "format",
    "out",
    "tolerance",
    "error",
]
CALLS: dict[str, tuple[Callable[..., Any], dict[str, Any], Sequence[str]]] = {
    "convert": (pl.convert, CONVERT, ["op", "offset", "numerics", "precision", "backend", "threads", "out"]),
    "render": (pl.render, {"picture": PICTURE, "size": (2, 2)}, LOOK),
    "render in a format": (
        pl.render,
        {"picture": PICTURE, "size": (2, 2), "format": "rgb24"},
        ["out", "samples", "alpha"],
    ),
    "from_buffer": (im.from_buffer, {"data": BYTES, "format": "rgb24", "size": (2, 2)}, ["offset"]),
    "bitmap": (im.bitmap, {"array": np.zeros((2, 2), np.uint8)}, ["alpha"]),
    "reconstruct": (im.reconstruct, {"array": np.zeros((2, 2), np.uint8)}, ["filter", "edge", "space"]),
    "layout": (Layout, {"text": "Y:8"}, []),
    "layout_of": (layout_of, {"given": "Y:8"}, []),
    "unpack": (unpack, {"data": BYTES, "layout": Layout("Y:8"), "width": 2, "height": 2}, []),
    "pack": (pack, {"samples": {"Y": 3}, "layout": Layout("Y:8"), "width": 2, "height": 2}, ["onto"]),
    "read_image": (im.read_image, {"source": b"P3 1 1 255  255 0 0"}, ["alpha", "max_pixels"]),
    "read_vm": (im.read_vm, {"source": "x var-x\n"}, ["z"]),
}


def problem(call: Callable[[], object]) -> PellucidError | None:
    """The error of a call, if it is one of ours; others are not caught."""
    try:
        call()
    except PellucidError as error:
        return error
    return None


@pytest.mark.parametrize(
    ("call", "parameter"),
    [(name, p) for name, (_, given, more) in CALLS.items() for p in dict.fromkeys((*given, *more))],
    ids=lambda x: x,
)
def test_a_parameter_of_a_wrong_kind_is_one_clear_error(call: str, parameter: str):
    function, given, _ = CALLS[call]
    refused = 0
    for kind, wrong in WRONG.items():
        if parameter == "op" and callable(wrong):
            # What a function of the caller raises is the caller's.
            continue
        try:
            found = problem(lambda wrong=wrong: function(**given | {parameter: wrong}))
        except Exception as error:
            raise AssertionError(f"{call}({parameter}={kind}): {type(error).__name__}") from error
        assert found is None or (found.fix and len(str(found)) < 2000), kind
        refused += found is not None
    assert refused > len(WRONG) // 4


SAVED = ["size", "center", "zoom", "time", "samples", "params", "quality", "background", "alpha"]


@pytest.mark.parametrize("parameter", SAVED)
def test_a_parameter_of_save_of_a_wrong_kind_is_one_clear_error(tmp_path, parameter: str):
    for kind, wrong in WRONG.items():
        given = {"size": (2, 2)} | {parameter: wrong}
        try:
            found = problem(lambda given=given: pl.save(PICTURE, tmp_path / "a.png", **given))
        except Exception as error:
            raise AssertionError(f"save({parameter}={kind}): {type(error).__name__}") from error
        assert found is None or found.fix, kind


NO_BYTES = [
    *(
        [
            "words",
            "floats",
            "objects",
            "truths",
            "texts",
            "times",
            "records",
            "signed",
            "apart",
            "backward",
            "numbers",
            "view",
            "swapped",
        ]
    ),
    "wide view",
]


@pytest.mark.parametrize("kind", NO_BYTES)
def test_what_is_not_bytes_is_never_taken_for_them(kind: str):
    for call in (
        lambda: pl.convert(WRONG[kind], "gray8", "gray8", (2, 2)),
        lambda: im.from_buffer(WRONG[kind], "gray8", (2, 2)),
        lambda: unpack(WRONG[kind], Layout("Y:8"), 2, 2),
        lambda: pack({"Y": 3}, Layout("Y:8"), 2, 2, onto=WRONG[kind]),
    ):
        with pytest.raises(
            PellucidError, match=r"(data|onto): its .*give bytes or a contiguous array of uint8"
        ):
            call()


def test_what_holds_bytes_is_taken():
    seven, square = b"\x07" * 4, np.full((2, 2), 7, np.uint8)
    for data in (
        seven,
        bytearray(seven),
        memoryview(seven),
        array.array("B", seven),
        square,
        memoryview(square),
    ):
        assert pl.convert(data, "gray8", "gray8", (2, 2)).tolist() == [7] * 4


def test_more_bytes_than_whole_pictures_are_refused():
    frames = bytes(range(24))
    assert pl.convert(frames, "gray8", "gray8", (3, 2), offset=6).tolist() == [6, 7, 8, 9, 10, 11]
    for size in ((5, 1), (7, 2)):
        with pytest.raises(PellucidError, match=r"data: .* and 4 are left over|and 10 are left over"):
            pl.convert(frames, "gray8", "gray8", size)
    with pytest.raises(PellucidError, match="data: 3 x 2 in gray8 take 6 bytes, and 5 are left over"):
        pl.convert(frames, "gray8", "gray8", (3, 2), offset=1)


def test_floats_have_one_meaning():
    heights = np.linspace(0, 1, 12, dtype=np.float32).reshape(3, 4)
    for name in ("grayf32", "Y:f32"):
        found = pl.convert(heights.view(np.uint8), name, "gray16", (4, 3)).view(np.uint16)
        # A slope stays a slope.
        assert found.tolist() == np.floor(heights.ravel().astype(float) * 65535 + 0.5).tolist()
    colors = np.repeat(heights[..., None], 3, axis=2)
    assert np.array_equal(
        pl.convert(colors.copy().view(np.uint8), "rgbf32", "rgba", (4, 3)).reshape(3, 4, 4),
        pl.render(im.bitmap(colors), (4, 3)),
    )


@pytest.mark.parametrize("size", [(1 << 31, 1), (1 << 16, 1 << 16), (40_000, 40_000)])
def test_more_bytes_than_there_are_addresses_are_refused(size: tuple[int, int]):
    for call in (
        lambda: pl.render(im.const(im.red), size, format="rgb48"),
        lambda: pl.convert(b"", "rgb48", "rgb48", size),
        lambda: im.from_buffer(b"", "rgb48", size),
    ):
        with pytest.raises(PellucidError):
            call()


def test_rows_of_megabytes_are_refused():
    with pytest.raises(PellucidError, match="take 8589934592 bytes, more than 2147483647"):
        pl.render(im.const(im.red), (1, 512), format="Y:8 rows 16777216")
