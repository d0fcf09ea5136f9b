"""Names of other systems: the bytes of a frame of each, names that mean the same, and names that mean too much."""

from __future__ import annotations

import numpy as np
import pytest

import pellucid as pl
from pellucid.base.errors import InputError
from pellucid.pixels import FORMATS, layout_of
from pellucid.pixels.names import AMBIGUOUS, NAMES, SYSTEMS

SIZES = {
    16: "Mono1p monow monob",
    32: "Mono2p",
    64: "Mono4p",
    128: """Mono8 BayerRG8 BayerGR8 BayerGB8 BayerBG8 GREY RGB1 RGGB GRBG GBRG BA81 gray rgb8 bgr8 GRAY8
        bayer_rggb8 bayer_grbg8 bayer_gbrg8 bayer_bggr8""",
    144: "YUV9 YVU9 yuv410p",
    160: """Mono10p BayerRG10p BayerGR10p BayerGB10p BayerBG10p Y10P pRAA pgAA pGAA pBAA""",
    192: """Mono10Packed Mono12p Mono12Packed BayerRG10Packed BayerGR10Packed BayerGB10Packed BayerBG10Packed
        BayerRG12p BayerGR12p BayerGB12p BayerBG12p BayerRG12Packed BayerGR12Packed BayerGB12Packed BayerBG12Packed
        pRCC pgCC pGCC pBCC NV12 NV21 YU12 YV12 411P yuvj420p yuv411p uyyvyy411 I420 Y41B""",
    224: "Mono14p BayerRG14p BayerGR14p BayerGB14p BayerBG14p pREE pgEE pGEE pBEE",
    256: """Mono10 Mono12 Mono14 Mono16 RGB565p BGR565p YCbCr601_422_8 YCbCr709_422_8 YCbCr601_422_8_CbYCrY
        YCbCr709_422_8_CbYCrY BayerRG10 BayerGR10 BayerGB10 BayerBG10 BayerRG12 BayerGR12 BayerGB12 BayerBG12
        BayerRG14 BayerGR14 BayerGB14 BayerBG14 BayerRG16 BayerGR16 BayerGB16 BayerBG16 Y10 Y12 Y14 Y16 AR12 XR12
        AR15 XR15 RGBR YUYV UYVY YVYU VYUY NV16 NV61 422P RG10 BA10 GB10 BG10 RG12 BA12 GB12 BG12 RG14 GR14 GB14 BG14
        RG16 GR16 GB16 BYR2 gray10le gray12le gray14le gray16le ya8 rgb444le bgr444le rgb555le bgr555le rgb565le
        bgr565le yuvj422p yuv440p bayer_rggb16le bayer_grbg16le bayer_gbrg16le bayer_bggr16le GRAY16_LE GRAY16_BE
        RGB15 BGR15 YUY2 Y42B""",
    320: "yuva420p A420",
    384: """RGB8 BGR8 RGB8_Planar YCbCr601_8_CbYCr YCbCr709_8_CbYCr RGB3 BGR3 NV24 NV42 P010 yuvj444p nv24 nv42
        yuv420p9le yuv420p10le yuv420p12le yuv420p14le yuv420p16le p010le p012le p016le RGB BGR BGRP GBR Y444 P010_10LE
        P012_LE P016_LE I420_10LE I420_12LE""",
    480: "RGB10p BGR10p",
    512: """RGBa8 BGRa8 RGB10p32 AR24 XR24 BA24 BX24 AB24 XB24 RA24 RX24 grayf32le ya16le rgb0 bgr0 0rgb 0bgr abgr
        x2rgb10le x2bgr10le gbrap yuva444p vuya xv30le y210le yuv422p9le yuv422p10le yuv422p12le yuv422p14le yuv422p16le
        p210le p212le p216le RGBx BGRx xRGB xBGR RGBA BGRA ARGB ABGR RGB10A2_LE BGR10A2_LE GBRA AYUV VUYA Y410 Y210
        I422_10LE I422_12LE""",
    576: "RGB12p BGR12p",
    768: """RGB10 RGB12 RGB14 BGR10 BGR12 BGR14 rgb48le rgb48be bgr48le gbrp10le gbrp12le gbrp16le yuv444p9le
        yuv444p10le
        yuv444p12le yuv444p14le yuv444p16le p410le p412le p416le GBR_10LE Y444_10LE Y444_12LE Y444_16LE""",
    1024: "rgba64le rgba64be bgra64le",
    1536: "gbrpf32le",
}
"""The names by the bytes of a frame of 16 by 8 pixels: sixteen times the bits that a pixel takes in all planes."""
BYTES = {name: size for size, names in SIZES.items() for name in names.split()}

ALIKE = [
    "yuyv422 YUYV YUY2 YCbCr709_422_8",
    "uyvy422 UYVY YCbCr709_422_8_CbYCrY",
    "yuv420p YU12 I420",
    "nv12 NV12",
    "nv24 NV24",
    "p010 P010 p010le P010_10LE",
    "yuv420p10 yuv420p10le I420_10LE",
    "yuv422p10 yuv422p10le I422_10LE",
    "yuv422p 422P Y42B",
    "yuv411p 411P Y41B",
    "y410 Y410",
    "y210le Y210",
    "vuya VUYA",
    "rgba AB24 RGBA RGBa8",
    "bgra AR24 BGRA BGRa8",
    "argb BA24 ARGB",
    "abgr RA24 ABGR",
    "0rgb BX24 xRGB",
    "0bgr RX24 xBGR",
    "rgb24 RGB3 RGB RGB8",
    "bgr24 BGR3 BGR BGR8",
    "rgb10a2 RGB10A2_LE",
    "BayerRG10 RG10",
    "BayerBG12 BG12",
    "BayerGR10 BA10",
    "BayerGB16 GB16 bayer_gbrg16le",
    "raw10 pRAA",
    "raw8 BayerRG8 RGGB bayer_rggb8",
]
"""Names of the same bytes in several systems."""


@pytest.mark.parametrize("name", NAMES)
def test_a_frame_takes_the_bytes_that_its_system_says(name: str):
    assert layout_of(name).size(16, 8) == BYTES[name]
    assert layout_of(name).name == name
    assert all(system in layout_of(name).doc for system in NAMES[name].systems)


def test_every_name_has_its_bytes_written_down():
    assert BYTES.keys() == NAMES.keys()
    assert not NAMES.keys() & FORMATS.keys()


@pytest.mark.parametrize("names", ALIKE)
def test_names_of_one_layout_have_the_same_samples_at_the_same_places(names: str):
    first, *others = map(layout_of, names.split())
    for other in others:
        assert (other.planes, other.channels, other.said) == (first.planes, first.channels, first.said)


@pytest.mark.parametrize("name", SYSTEMS["FFmpeg"])
def test_ffmpeg_agrees_on_bytes_and_channels(name: str):
    av = pytest.importorskip("av")
    there, here = av.VideoFormat(name, 16, 8), layout_of(name)
    assert there.padded_bits_per_pixel * 16 == here.size(16, 8)
    assert len(there.components) == len(here.channels) or here.model == "mosaic"
    if here.model != "mosaic":
        assert sorted(c.bits for c in there.components) == sorted(c.bits for c in here.channels)
    planar = {c.plane for c in there.components}
    assert len(planar) == len(here.planes)


def test_the_orders_of_mosaics_are_those_of_the_names():
    for name, order in {
        "BayerRG8": "rggb",
        "BayerGR12p": "grbg",
        "BayerGB10": "gbrg",
        "BayerBG16": "bggr",
    }.items():
        assert layout_of(name).said["mosaic"] == order
    for name, order in {
        "RG10": "rggb",
        "BA10": "grbg",
        "pGAA": "gbrg",
        "BYR2": "bggr",
        "BA81": "bggr",
    }.items():
        assert layout_of(name).said["mosaic"] == order
        assert layout_of(name).said["transfer"] == "linear"


def test_a_name_serves_wherever_a_format_is_asked_for():
    data = np.random.default_rng(0).integers(0, 256, 192, dtype=np.uint8)
    assert np.array_equal(
        pl.convert(data, "NV12", "RGB3", (16, 8)), pl.convert(data, "nv12", "rgb24", (16, 8))
    )
    assert pl.unpack(bytes([0x21, 0x43, 0x65]), "BayerBG12p", (2, 1)).tolist() == [[801, 1620]]
    assert layout_of("NV12 | full").said["range"] == "full"
    assert layout_of("P010_10LE | bt2020").said["matrix"] == "bt2020"
    assert layout_of("0rgb | linear").said["transfer"] == "linear"
    assert layout_of("Y10 ") == layout_of("Y10")


def test_a_name_that_is_not_known_suggests_one_that_is():
    for wrong, near in {
        "BayerRG10P": "BayerRG10p",
        "yuyv": "YUYV",
        "P010_10BE": "P010_10LE",
    }.items():
        with pytest.raises(InputError, match=f"no format is called '{wrong}'; did you mean '{near}'"):
            layout_of(wrong)
    with pytest.raises(InputError, match="no format is called 'NV12_4L4'"):
        layout_of("NV12_4L4 | full")


def test_a_name_of_different_layouts_is_refused_with_each():
    assert set(AMBIGUOUS) == {"RGB16", "BGR16", "RGBP"}
    with pytest.raises(
        InputError, match=r"'RGB16' is a name of .*; write 'R:16 G:16 B:16' \(PFNC\) or 'rgb565' \(GSt"
    ):
        layout_of("RGB16")
    with pytest.raises(InputError, match="is a name of different layouts"):
        layout_of("RGBP | linear")
    for texts in AMBIGUOUS.values():
        assert len({layout_of(text).planes for text in texts.values()}) == len(texts)
