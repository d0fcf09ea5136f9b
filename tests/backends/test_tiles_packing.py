"""Words packed by one instruction a channel: which chains become so, and that the bits stay."""

from __future__ import annotations

import numpy as np
import pytest

import pellucid as pl
from pellucid import images as im
from pellucid.backends.conformance import same_bits, spicy
from pellucid.backends.tiles.tape.packing import packed
from pellucid.ir import expr as E
from pellucid.ir import types as T
from pellucid.ir.expr import Expr
from pellucid.ir.interp import evaluate
from pellucid.ir.parse import parse_expr

NUMBERS = {name: E.param(name, T.f32) for name in "xyz"}
VARYING = {name: E.index(name, T.f32) for name in "xyz"}


def rows(root: Expr) -> list[str]:
    """The rows of an expression, operands first."""
    return [n.op for n in E.topological([root]) if n.args]


def checked(text: str, varying: str = "") -> Expr:
    """The packed form of a word, which has the same bits of numbers of every kind that truncation allows."""
    (root,) = E.substitute(parse_expr(text), {NUMBERS[name]: VARYING[name] for name in varying})
    found = packed(root)
    values = spicy(T.f32)
    draw = np.random.default_rng(4)
    values = np.concatenate([values, draw.uniform(-300, 600, 500).astype(np.float32)])
    given = {p: draw.permutation(values) for p in NUMBERS.values()}
    given |= {E.param("n", T.i32): draw.integers(-99, 99, values.size, np.int32)}
    given |= {E.param("b", T.boolean): draw.integers(0, 2, values.size).astype(bool)}
    given |= {VARYING[name]: given[NUMBERS[name]] for name in varying}
    given = {p: given[p] for p in E.topological([root]) if p in given}
    assert same_bits(
        *(np.ascontiguousarray(v) for v in (*evaluate([root], given), *evaluate([found], given)))
    )
    return found


def channel(x: str, clamp: str) -> str:
    """A number truncated, clamped as told."""
    clamped = f"max({x}, 0.0)" if "0" in clamp else x
    return f"truncate_in.i32({f'min({clamped}, 255.0)' if '255' in clamp else clamped})"


CLAMPS = [("", "pack"), ("255", "pack_below"), ("0 255", "pack_byte"), ("0", "pack")]
FRACTION = "fma(${}:f32, 255.0, 0.5)"


def word(alpha: int, *channels: str) -> str:
    """Red, green and blue beside an alpha."""
    red, green, blue = channels
    return f"convert.u32({red} | shift_left_in({green}, 8) | shift_left_in({blue}, 16) | {alpha})"


@pytest.mark.parametrize("number", ["${}:f32", FRACTION])
@pytest.mark.parametrize(("clamp", "row"), CLAMPS)
def test_each_clamp_has_its_row(clamp: str, row: str, number: str):
    text = word(1 << 24, *(channel(number.format(x), clamp) for x in "xyz"))
    found = rows(checked(text))
    scaled = "fma" in number and clamp != "0"
    row += "_scaled" if scaled else ""
    assert found.count(row) == 3
    assert set(found) <= {row, "max", "fma"}
    assert found.count("max") == (3 if clamp == "0" else 0)
    assert found.count("fma") == (3 if "fma" in number and not scaled else 0)


@pytest.mark.parametrize("number", ["${}:f32", FRACTION])
@pytest.mark.parametrize(("clamp", "row"), CLAMPS[:3])
def test_an_opaque_color_is_packed_by_one_row(clamp: str, row: str, number: str):
    text = word(-1 << 24, *(channel(number.format(x), clamp) for x in "xyz"))
    row += "_scaled" if "fma" in number else ""
    assert rows(checked(text, varying="xyz")) == [f"{row}_opaque"]
    assert rows(checked(text, varying="xz")) == [f"{row}_opaque"]
    # What is the same for all pixels is worked out once.
    assert rows(checked(text, varying="y")) == [row] * 3


def test_channels_that_are_clamped_otherwise_have_a_row_each():
    text = word(-1 << 24, channel("$x:f32", ""), channel("$y:f32", "255"), channel("$z:f32", ""))
    assert sorted(rows(checked(text, varying="xyz"))) == ["pack", "pack", "pack_below"]


def test_a_gray_word_is_packed_of_one_number():
    gray = channel("$x:f32", "0 255")
    found = checked(f"convert.u32({gray} | shift_left_in({gray}, 8) | shift_left_in({gray}, 16))")
    assert rows(found) == ["pack_byte"] * 3


def test_both_arms_of_a_choice_are_packed():
    arm = f"convert.u32(-16777216 | {channel('$x:f32', '255')})"
    other = f"convert.u32({channel('$y:f32', '')})"
    found = checked(f"choose($b:bool, {arm}, choose($b:bool, {other}, 4278190080:u32))")
    assert sorted(rows(found)) == ["choose", "choose", "pack", "pack_below"]


def test_what_is_no_channel_stays():
    found = checked(f"convert.u32($n:i32 | {channel('$x:f32', '')} | 7 | ($n:i32 & 12))")
    assert sorted(rows(found)) == ["and", "convert", "or", "or", "pack"]


@pytest.mark.parametrize(
    "text",
    [
        "$w:u32 | 3:u32",
        "convert.u32($n:i32 | 3)",
        "convert.u32(truncate_in.i64($x:f32))",
        "choose($b:bool, 1:u32, 2:u32)",
        "choose($b:bool, 1.0, 2.0)",
    ],
)
def test_nothing_else_is_changed(text: str):
    (root,) = parse_expr(text)
    assert packed(root) is root


def test_a_minimum_with_its_bound_first_is_no_clamp():
    """Of NaN it would leave NaN."""
    found = checked("convert.u32(truncate_in.i32(min(255.0, $x:f32)) | 5)")
    assert rows(found) == ["min", "pack"]


def test_terms_shared_many_times_are_seen_once():
    word = E.apply("truncate_in", NUMBERS["x"], attr=T.i32)
    for k in range(64):
        word = E.apply("or", word, E.apply("or", word, E.param(f"n{k}", T.i32)))
    assert rows(packed(E.apply("convert", word, attr=T.u32))).count("pack") == 1


@pl.image
def colorful(p: object) -> im.Color:
    """Colors beyond both ends of a byte, with holes of no number."""
    x, y = p.x, p.y
    return im.Color(x * y, pl.sqrt(x), 1.0 / y, x + 0.5)


@pytest.mark.parametrize("numerics", ["exact", "relaxed"])
@pytest.mark.parametrize("precision", ["f32", "f64"])
def test_frames_have_the_same_bits(numerics: str, precision: str):
    options = {"numerics": numerics, "precision": precision}
    tiles, other = (pl.compile(colorful, backend=b, **options) for b in ("tiles", "llvm"))
    for zoom in (9.0, 31.0):
        assert np.array_equal(tiles.render((97, 65), zoom=zoom), other.render((97, 65), zoom=zoom))
