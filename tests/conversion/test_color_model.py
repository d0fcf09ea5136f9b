"""What samples mean: matrices and ranges against the standards' own numbers, half floats against NumPy, mosaics."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pellucid.conversion import color_model
from pellucid.ir import expr as E
from pellucid.ir import interp
from pellucid.ir import types as T
from pellucid.pixels import FORMATS, Layout
from pellucid.tracing import Value, tracing
from pellucid.tracing.tracer import lift


def value_of(x) -> np.ndarray:
    [found] = interp.evaluate([lift(x)], {})
    return found


def color(layout: Layout, **samples: int) -> list[float]:
    with tracing(T.f64):
        words = {k: E.const(v, T.i32 if v < 0 else T.u32) for k, v in samples.items()}
        levels = {k: color_model.level(layout, layout[k], word) for k, word in words.items()}
        return [float(value_of(c)) for c in color_model.components(layout, levels)]


def back(layout: Layout, *components: float) -> dict[str, int]:
    with tracing(T.f64):
        rgba = tuple(Value(E.const(c, T.f64)) for c in components)
        return {k: int(value_of(Value(v))) for k, v in color_model.stored(layout, rgba).items()}


# Primaries at full intensity as they are in the tables of BT.601 and BT.709, 8 bits, limited range.
@pytest.mark.parametrize(
    ("matrix", "rgb", "ycbcr"),
    [
        ("bt601", (1, 1, 1), (235, 128, 128)),
        ("bt601", (0, 0, 0), (16, 128, 128)),
        ("bt601", (1, 0, 0), (81, 90, 240)),
        ("bt601", (0, 1, 0), (145, 54, 34)),
        ("bt601", (0, 0, 1), (41, 240, 110)),
        ("bt709", (1, 0, 0), (63, 102, 240)),
        ("bt709", (0, 1, 0), (173, 42, 26)),
        ("bt709", (0, 0, 1), (32, 240, 118)),
    ],
)
def test_primaries(matrix: str, rgb: tuple[int, ...], ycbcr: tuple[int, ...]):
    layout = Layout(f"Y:8 Cb:8 Cr:8 | limited {matrix}")
    y, cb, cr = ycbcr
    assert back(layout, *rgb, 1.0) == {"Y": y, "Cb": cb, "Cr": cr}
    assert color(layout, Y=y, Cb=cb, Cr=cr) == pytest.approx([*rgb, 1], abs=0.012)


def test_polarity_and_signed_chroma():
    assert color(Layout("Y:8 | negative"), Y=0) == color(Layout("Y:8"), Y=255) == [1, 1, 1, 1]
    assert back(Layout("Y:8 A:8 | negative"), 0.2, 0.2, 0.2, 0.2) == {"Y": 204, "A": 51}
    assert back(Layout("Y:8 | limited negative"), 1, 1, 1, 1) == {"Y": 16}
    signed, plain = (Layout(f"Y:8 Cb:{k}8 Cr:{k}8 | limited") for k in ("s", "u"))
    assert color(signed, Y=81, Cb=90 - 128, Cr=240 - 128) == color(plain, Y=81, Cb=90, Cr=240)
    assert back(signed, 1, 0, 0, 1) == {"Y": 81, "Cb": 90 - 128 + 256, "Cr": 240 - 128}


def test_full_range_and_more_bits():
    assert color(Layout("Y:8 Cb:8 Cr:8 | bt601"), Y=255, Cb=128, Cr=128) == pytest.approx([1, 1, 1, 1])
    assert color(FORMATS["p010"], Y=940, Cb=512, Cr=512) == pytest.approx([1, 1, 1, 1])
    assert color(FORMATS["rgb565"], R=31, G=0, B=31) == [1, 0, 1, 1]
    assert color(FORMATS["rgb10a2"], R=1023, G=0, B=0, A=2) == pytest.approx([1, 0, 0, 2 / 3])
    assert back(FORMATS["rgb565"], 1.0, 0.5, -3.0, 1.0) == {"R": 31, "G": 32, "B": 0}
    assert back(Layout("S:s16"), -1.0, 0, 0, 1)["S"] == 0x8000
    assert back(Layout("S:s16"), 1.0, 0, 0, 1)["S"] == 0x7FFF


@pytest.mark.parametrize("bits", [24, 31, 32, 33, 63, 64])
@pytest.mark.parametrize("real", [T.f32, T.f64])
def test_full_intensity_never_overflows(bits: int, real: T.Type):
    for kind in "us":
        layout = Layout(f"S:{kind}{bits}")
        with tracing(real):
            found = int(value_of(Value(color_model.bits(layout, layout["S"], Value(E.const(2.0, real))))))
        high = layout["S"].high
        assert high - (high >> 22) <= found <= high


@given(st.integers(0, 0xFFFF))
def test_half_floats_are_read_exactly(word: int):
    layout = Layout("R:f16 G:f16 B:f16")
    with tracing(T.f32):
        found = value_of(color_model.level(layout, layout["R"], E.const(word, T.u32)))
    want = np.uint16(word).view(np.float16).astype(np.float32)
    assert np.isnan(found) if np.isnan(want) else found.tobytes() == want.tobytes()


@given(st.floats(width=32) | st.floats(-70000, 70000, width=32) | st.floats(-(2.0**-13), 2.0**-13, width=32))
def test_half_floats_are_rounded_to_even(number: float):
    layout = Layout("R:f16 G:f16 B:f16")
    with tracing(T.f32):
        found = int(value_of(Value(color_model.bits(layout, layout["R"], Value(E.const(number, T.f32))))))
    with np.errstate(over="ignore"):
        want = np.float32(number).astype(np.float16)
    assert (
        np.isnan(np.uint16(found).view(np.float16)) if np.isnan(want) else found == int(want.view(np.uint16))
    )


@pytest.mark.parametrize("order", ["rggb", "bggr", "grbg", "gbrg"])
def test_a_mosaic_of_one_color_becomes_that_color(order: str):
    layout = Layout(f"M:8 | {order} linear")
    rgb = {"r": 51, "g": 128, "b": 230}
    with tracing(T.f64):
        for j in range(2, 4):
            for i in range(2, 4):

                def at(across: int, down: int, i: int = i, j: int = j) -> E.Expr:
                    return E.const(rgb[order[2 * ((j + down) % 2) + (i + across) % 2]], T.u32)

                where = [Value(E.const(k, T.i32)) for k in (i, j)]
                sums = color_model.sums(layout, at, *where)
                found = [float(value_of(color_model.of_sum(layout, c))) for c in sums]
                assert found == pytest.approx([51 / 255, 128 / 255, 230 / 255])
