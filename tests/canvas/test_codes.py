"""Codes of packed pixels: against the reference, which reads bit by bit, and back; and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import pellucid as pl
from pellucid.base.errors import InputError
from pellucid.pixels import FORMATS, Layout, layout_of
from pellucid.pixels import pack as pack_by_reference
from pellucid.pixels import unpack as unpack_by_reference

SIZE = (13, 5)
ORDER = ["R", "G", "B", "Y", "Cb", "Cr", "A"]


def is_one_array(layout: Layout) -> bool:
    """Whether a format has a sample of each channel for each pixel."""
    return all(c.across == c.down == 1 and not c.entries for c in layout.channels) and not layout.palette


WHOLE = [name for name, layout in FORMATS.items() if is_one_array(layout)]
PARTED = [name for name, layout in FORMATS.items() if not is_one_array(layout)]
MADE_UP = [
    "Y:24",
    "Y:64",
    "msb: A:3 Y:5",
    "R:s7 G:s9 B:s16",
    "Y0[4:1] Y1:5 Y0[0:0] _:6",
    "depth:17 mask:7",
    "B:f32 G:f32 R:f32",
    "R:1; G:2 rows 8; B:3",
]


def random_bytes(layout: Layout, seed: int = 0) -> np.ndarray:
    data = np.random.default_rng(seed).integers(0, 256, layout.size(*SIZE), dtype=np.uint8)
    if any(c.kind == "f" for c in layout.channels):
        # No float that is no number: those compare as nothing.
        data = np.where(data & 0x7F >= 0x78, data & 0x87, data).astype(np.uint8)
    return data


def expected(data: np.ndarray, layout: Layout) -> np.ndarray:
    found = unpack_by_reference(data, layout, *SIZE)
    names = sorted(found, key=lambda n: ORDER.index(n) if n in ORDER else 0)
    return found[names[0]] if len(names) == 1 else np.stack([found[n] for n in names], axis=-1)


@pytest.mark.parametrize("name", [*WHOLE, *MADE_UP])
def test_codes_are_those_of_the_reference_and_go_back(name: str):
    layout = layout_of(name)
    data = random_bytes(layout)
    codes, want = pl.unpack(data, name, SIZE), expected(data, layout)
    assert codes.shape == want.shape
    assert codes.dtype == want.dtype
    assert np.array_equal(codes, want)
    packed = pl.pack(codes, name)
    assert len(packed) == len(data)
    assert np.array_equal(pl.unpack(packed, name, SIZE), codes)
    assert packed.tobytes() == pack_by_reference(unpack_by_reference(data, layout, *SIZE), layout, *SIZE)


@pytest.mark.parametrize("name", ["mono12p", "rgb565", "r210", "gbrp", "gray1", "raw10"])
@pytest.mark.parametrize("more", [0, 1, 13])
def test_rows_lie_a_stride_apart(name: str, more: int):
    layout = layout_of(name)
    tight = Layout(";".join(part.split(" rows ")[0] for part in layout.text.partition(" |")[0].split(";")))
    row = tight.planes[0].row_bytes(SIZE[0])
    data = random_bytes(tight)
    rows = data.reshape(-1, row)
    apart = np.pad(rows, ((0, 0), (0, more)), constant_values=170)
    codes = pl.unpack(apart.tobytes(), name, SIZE, stride=row + more)
    assert np.array_equal(codes, expected(data, tight))
    back = pl.pack(codes, name, stride=row + more).reshape(-1, row + more)
    assert np.array_equal(pl.unpack(back[:, :row].tobytes(), tight, SIZE), codes)
    assert not back[:, row:].any()


@pytest.mark.parametrize("name", PARTED)
def test_a_format_without_a_sample_for_each_pixel_is_refused(name: str):
    with pytest.raises(InputError, match=r"no sample of .* for each pixel; write pellucid\.pixels\.unpack"):
        pl.unpack(b"", name, SIZE)


def test_what_does_not_fit_is_refused():
    with pytest.raises(InputError, match="4 x 1 in mono12p take 6 bytes, and there are 5"):
        pl.unpack(bytes(5), "mono12p", (4, 1))
    with pytest.raises(InputError, match="with rows 8 bytes apart take 16 bytes, and there are 12"):
        pl.unpack(bytes(12), "mono12p", (4, 2), stride=8)
    with pytest.raises(InputError, match="no format is called 'mono12'; did you mean 'Mono12'"):
        pl.unpack(bytes(6), "mono12", (4, 1))
    with pytest.raises(InputError, match="stride: 5 is too small: 4 pixels of mono12p take 6 bytes"):
        pl.unpack(bytes(6), "mono12p", (4, 1), stride=5)
    with pytest.raises(InputError, match="stride: 'x' is not a whole number"):
        pl.unpack(bytes(6), "mono12p", (4, 1), stride="x")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="size"):
        pl.unpack(bytes(6), "mono12p", (4, 0))
    with pytest.raises(InputError, match="data: its elements are uint16"):
        pl.unpack(np.zeros(3, np.uint16), "mono12p", (4, 1))  # type: ignore[arg-type]


def test_codes_that_a_format_cannot_hold_are_refused():
    with pytest.raises(InputError, match="codes: Y of mono12p holds no 4096; give 0 to 4095"):
        pl.pack([[0, 4096]], "mono12p")
    with pytest.raises(InputError, match="codes: A of rgb10a2 holds no 4; give 0 to 3"):
        pl.pack([[[1023, 0, 0, 4]]], "rgb10a2")
    with pytest.raises(InputError, match="codes: Y of gray8 holds no -1"):
        pl.pack([[-1]], "gray8")
    with pytest.raises(InputError, match=r"the shape is \(2,\); give \(height, width\) for gray8"):
        pl.pack([1, 2], "gray8")
    with pytest.raises(InputError, match=r"the shape is \(1, 1, 4\); give \(height, width, 3\)"):
        pl.pack([[[1, 2, 3, 4]]], "rgb24")
    with pytest.raises(InputError, match="the elements are float64; give integers"):
        pl.pack([[0.5]], "gray8")
    with pytest.raises(InputError, match="the elements are int64; give floats"):
        pl.pack([[1]], "grayf32")
    with pytest.raises(InputError, match="no array"):
        pl.pack([[1], [1, 2]], "gray8")


def test_codes_of_video_have_no_range_and_no_matrix():
    data = bytes([16, 235, 128, 100, 240, 0])
    assert pl.unpack(data, "yuv444p", (2, 1)).tolist() == [[[16, 128, 240], [235, 100, 0]]]
