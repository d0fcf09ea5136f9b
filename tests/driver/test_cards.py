"""Cards: pictures as plain data that draw the same bits, and hostile ones that are refused in one sentence."""

from __future__ import annotations

import base64
import contextlib
import copy
import json
import multiprocessing
import pickle
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from examples import gallery

import pellucid as pl
from pellucid import images as im
from pellucid.base.errors import InputError, PellucidError
from pellucid.driver.card import MAX_NAMES, VARIANTS, Card, card_of
from pellucid.driver.digest import digest
from pellucid.driver.frame import build
from pellucid.driver.options import Options
from pellucid.ir import types as T

PIXELS = np.random.default_rng(1).integers(0, 256, (12, 20, 4), np.uint8)
PICTURES = {
    "swirl": im.swirl(100, im.checkerboard(10, im.black, im.white)),
    "bitmap": im.bitmap(PIXELS),
    "two bitmaps": im.over(im.bitmap(PIXELS[:5]), im.bitmap(PIXELS)),
    "noise": im.fbm(3),
    "param": im.disk(pl.param("radius", 20, 1, 100)),
    "moving": im.animation(lambda t: im.turn(t, im.checkerboard(5, im.red, im.blue))),
}
SOME = sorted(gallery.files())[::12]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("path", SOME, ids=lambda path: path.stem)
@pytest.mark.parametrize("real", [T.f32, T.f64], ids=str)
def test_frames_of_a_card_are_the_programs_of_the_picture(path: Path, real: T.Type):
    picture: Any = gallery.load(path).picture
    card = Card(card_of(picture).text)
    for variant in VARIANTS:
        mine, other = card.frame(real, variant), build(picture, real, variant)
        assert [p.attr for p in mine.kernel.params] == [p.attr for p in other.kernel.params]
        if not _tables(other):
            assert digest(mine.kernel, mine.ranges) == digest(other.kernel, other.ranges)


def _tables(frame: Any) -> list[Any]:
    from pellucid.ir.nest import inputs

    return inputs(frame.kernel)


@pytest.mark.parametrize("name", PICTURES)
@pytest.mark.parametrize("numerics", ["exact", "relaxed"])
def test_a_picture_out_of_a_pickle_draws_the_same_bits(name: str, numerics: str):
    there = pickle.loads(pickle.dumps(PICTURES[name]))
    for more in ({}, {"samples": 2}, {"precision": "f64", "alpha": "premultiplied"}):
        view = {"zoom": 3.0, "time": 0.7, "numerics": numerics, **more}
        np.testing.assert_array_equal(
            pl.render(there, (40, 30), **view), pl.render(PICTURES[name], (40, 30), **view)
        )
    assert there.kind == PICTURES[name].kind
    assert there.time_varying == PICTURES[name].time_varying


def test_a_kernel_out_of_a_pickle_has_its_options_and_parameters():
    kernel = pl.compile(PICTURES["param"], numerics="exact", precision="f64")
    there = pickle.loads(pickle.dumps(kernel))
    assert (there.options, dict(there.params).keys()) == (kernel.options, dict(kernel.params).keys())
    view = {"params": {"radius": 7.0}}
    np.testing.assert_array_equal(there.render(32, **view), kernel.render(32, **view))
    with pytest.raises(InputError, match="radius"):
        there.render(32, params={"radius": 101.0})


def test_other_data_of_a_table_is_another_digest():
    changed = PIXELS.copy()
    changed[3, 4, 2] ^= 1
    one, other = (card_of(im.bitmap(x)) for x in (PIXELS, changed))
    assert one.digest != other.digest
    assert [*one.table_digests.values()] != [*other.table_digests.values()]


def test_a_card_keeps_what_a_bitmap_in_place_was():
    array = PIXELS.copy()
    picture = im.bitmap(array)
    before = pl.render(picture, 32)
    card = Card(card_of(picture).text)
    array[:] = 0
    np.testing.assert_array_equal(pl.render(card, 32), before)


def test_a_framed_picture_keeps_its_view_and_copies_compose():
    framed = PICTURES["swirl"].framed(64, zoom=20.0)
    assert pickle.loads(pickle.dumps(framed)).view == framed.view
    for same in (copy.copy(framed), copy.deepcopy(framed)):
        assert same.view == framed.view
        np.testing.assert_array_equal(pl.render(im.swirl(2, same), 32), pl.render(im.swirl(2, framed), 32))


def _drawn(picture: Any) -> bytes:
    return pl.render(picture, (32, 16), zoom=2.0).tobytes()


def test_processes_take_pictures_as_arguments():
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.map(_drawn, [PICTURES["swirl"]]) == [_drawn(PICTURES["swirl"])]


def test_a_picture_from_a_card_is_no_part_of_others():
    with pytest.raises(PellucidError):
        pl.render(im.swirl(1, card_of(PICTURES["swirl"])), 8)


# ---- hostile cards ----

GOOD = json.loads(card_of(PICTURES["bitmap"]).text)
KEY = "f32 straight one"


def _with(**changes: Any) -> bytes:
    return json.dumps({**GOOD, **changes}).encode()


def _pixel(text: str) -> bytes:
    return _with(frames={KEY: text})


HOSTILE = {
    "no bytes": "text",
    "no JSON": b"\x80\x04pickle",
    "deep": b"[" * 100_000,
    "a list": b"[]",
    "another form": _with(card=99),
    "more fields": _with(run="os.system"),
    "no frames": _with(frames={}),
    "unknown frames": _with(frames={"f16 straight one": "1:u32"}),
    "frames that are numbers": _with(frames={KEY: 3}),
    "no pixel": _pixel(""),
    "two pixels": _pixel("1:u32\n2:u32"),
    "a real pixel": _pixel("1.0"),
    "no text of the core": _pixel("__import__('os').system('true')"),
    "deep text": _pixel("(" * 50_000 + "1:u32"),
    "an undeclared parameter": _pixel("$secret:u32"),
    "another index": _pixel("convert.u32(%k)"),
    "another table": _pixel("buffer other: u32[4]\nother[0]"),
    "an unknown operator": _pixel("frob(1:u32)"),
    "wrong types": _pixel("1:u32 + 1.0"),
    "a table of objects": _with(tables={"t": {"type": "O", "data": ""}}),
    "a table in part": _with(tables={"t": {"type": "u32", "data": base64.b64encode(b"abc").decode()}}),
    "no base64": _with(tables={"t": {"type": "u8", "data": "%%%"}}),
    "a strange name": _with(tables={"../t": {"type": "u8", "data": "AAAA"}}),
    "many parameters": _with(params={f"p{k}": [0, 0, 1] for k in range(MAX_NAMES + 1)}),
    "no range": _with(params={"p": [2, 0, 1]}),
    "NaN": _with(params={"p": [float("nan"), 0, 1]}),
    "a parameter of every picture": _with(params={"width": [1, 0, 2]}),
    "a view that is none": _with(view={"size": [0, 0]}),
    "options that are none": _with(options={"numerics": "quick"}),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_cards_are_refused_in_one_sentence(case: str):
    def used() -> None:
        Card(HOSTILE[case]).frame(T.f32, VARIANTS[0])

    with pytest.raises(InputError, match=r"^card: ") as caught:
        used()
    assert len(str(caught.value)) < 600
    assert "\n" not in str(caught.value)


def test_loads_beyond_a_table_read_nothing_outside():
    name = next(iter(GOOD["tables"]))
    size = len(base64.b64decode(GOOD["tables"][name]["data"]))
    for index in ("2147483647", "-1", "%i * 1000003", str(size)):
        text = f"buffer {name}: u8[{size}]\nconvert.u32({name}[{index}])"
        card = Card(_pixel(text))
        for backend in ("auto", "tiles"):
            try:
                pixels = pl.render(card, 8, backend=backend)
            except PellucidError:
                continue
            assert set(pixels[..., 0].ravel().tolist()) <= set(PIXELS.ravel().tolist())


def test_mutated_cards_are_drawn_or_refused():
    draw = random.Random(5)
    texts = [card_of(PICTURES[name], Options("exact")).text for name in ("param", "bitmap")]
    for number in range(300):
        data = bytearray(texts[number % 2])
        for _ in range(draw.choice((1, 1, 3, 20))):
            at = draw.randrange(len(data))
            match draw.randrange(3):
                case 0:
                    data[at] = draw.choice(b'0123456789{}[]",:abc\\%$@+-*/()<>')
                case 1:
                    del data[at : at + draw.randrange(1, 9)]
                case _:
                    data[at:at] = data[draw.randrange(len(data)) :][: draw.randrange(1, 30)]
        # Any other error fails the test.
        with contextlib.suppress(InputError):
            Card(bytes(data)).frame(T.f32, VARIANTS[0])
