"""The names that other systems give to layouts: one table, from a name to a format of ours or to a line of notation.

Below `formats`, whose `layout_of` takes these names as it takes its own. A name stands here if its bytes are a layout;
one by which two systems mean different bytes is refused. Rows are without gaps, except where the format itself fills
them up. The names are those of the GenICam Pixel Format Naming Convention, of the FourCC in `videodev2.h` of Linux, of
`libavutil/pixfmt.h` of FFmpeg, and of `video-format.h` of GStreamer.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple


class SystemName(NamedTuple):
    """What a name stands for: a name of `FORMATS`, a variant of one, or a line; and the systems that have the name."""

    text: str
    systems: tuple[str, ...]


_ORDERS = ("rggb", "grbg", "gbrg", "bggr")
_VIDEO = "limited bt709"


def _rows(table: str) -> dict[str, str]:
    """A table with a line for each name, which ends where its layout begins."""
    lines = (line.split(maxsplit=1) for line in table.strip().splitlines())
    return {name: text.replace("VIDEO", _VIDEO) for name, text in lines}


def _mosaics(names: str, text: str) -> dict[str, str]:
    """Four names of one layout, for the orders of colors that begin with red, green (twice) and blue."""
    return {n: f"{text} | {order} linear" for n, order in zip(names.split(), _ORDERS, strict=True)}


def _word(name: str, bits: int, *, top: bool = False) -> str:
    """A sample in the low bits of a 16-bit word, or at its top."""
    gap = f"_:{16 - bits}" if bits < 16 else ""
    return f"{gap} {name}:{bits}".strip() if top else f"{name}:{bits} {gap}".strip()


def _words(names: str, bits: int) -> str:
    return " ".join(_word(name, bits) for name in names)


def _planar(bits: int, shape: str) -> str:
    """Planes of Y, Cb and Cr in the low bits of 16-bit words; `shape` is the subsampling of chroma, such as " /2x2"."""
    return f"{_word('Y', bits)}; {_word('Cb', bits)}{shape}; {_word('Cr', bits)}{shape} | {_VIDEO}"


def _semiplanar(bits: int, shape: str) -> str:
    """A plane of Y, one of Cb and Cr by turns, at the top of 16-bit words."""
    y, cb, cr = (_word(name, bits, top=True) for name in ("Y", "Cb", "Cr"))
    return f"{y}; {cb} {cr}{shape} | {_VIDEO}"


_SHAPES = {"420": " /2x2", "422": " /2x1", "444": ""}

_PFNC = {
    **_rows("""
        Mono1p              Y:1 | linear
        Mono2p              Y:2 | linear
        Mono4p              Y:4 | linear
        Mono8               gray8 | linear
        Mono10              gray10 | linear
        Mono10p             mono10p
        Mono10Packed        mono10packed
        Mono12              gray12 | linear
        Mono12p             mono12p
        Mono12Packed        mono12packed
        Mono14              gray14 | linear
        Mono14p             Y:14 | linear
        Mono16              gray16 | linear
        RGB8                rgb24
        BGR8                bgr24
        RGBa8               rgba
        BGRa8               bgra
        RGB8_Planar         R:8; G:8; B:8
        RGB10p              R:10 G:10 B:10
        BGR10p              B:10 G:10 R:10
        RGB12p              R:12 G:12 B:12
        BGR12p              B:12 G:12 R:12
        RGB10p32            R:10 G:10 B:10 _:2
        RGB565p             bgr565
        BGR565p             rgb565
        YCbCr601_8_CbYCr    Cb:8 Y:8 Cr:8 | limited bt601
        YCbCr709_8_CbYCr    Cb:8 Y:8 Cr:8 | limited bt709
        YCbCr601_422_8      yuyv422 | bt601
        YCbCr709_422_8      yuyv422
        YCbCr601_422_8_CbYCrY   uyvy422 | bt601
        YCbCr709_422_8_CbYCrY   uyvy422
        """),
    **{f"{names}{bits}": _words(names, bits) for names in ("RGB", "BGR") for bits in (10, 12, 14, 16)},
    **_mosaics("BayerRG8 BayerGR8 BayerGB8 BayerBG8", "raw8"),
    **_mosaics("BayerRG10 BayerGR10 BayerGB10 BayerBG10", "M:10 _:6"),
    **_mosaics("BayerRG10p BayerGR10p BayerGB10p BayerBG10p", "bayer10p"),
    **_mosaics("BayerRG10Packed BayerGR10Packed BayerGB10Packed BayerBG10Packed", "bayer10packed"),
    **_mosaics("BayerRG12 BayerGR12 BayerGB12 BayerBG12", "M:12 _:4"),
    **_mosaics("BayerRG12p BayerGR12p BayerGB12p BayerBG12p", "bayer12p"),
    **_mosaics("BayerRG12Packed BayerGR12Packed BayerGB12Packed BayerBG12Packed", "bayer12packed"),
    **_mosaics("BayerRG14 BayerGR14 BayerGB14 BayerBG14", "M:14 _:2"),
    **_mosaics("BayerRG14p BayerGR14p BayerGB14p BayerBG14p", "M:14"),
    **_mosaics("BayerRG16 BayerGR16 BayerGB16 BayerBG16", "raw16"),
}

_V4L2 = {
    **_rows("""
        GREY  gray8
        Y10   gray10
        Y12   gray12
        Y14   gray14
        Y16   gray16
        Y10P  Y0[9:2] Y1[9:2] Y2[9:2] Y3[9:2] Y0[1:0] Y1[1:0] Y2[1:0] Y3[1:0]
        RGB1  rgb332
        AR12  argb4444
        XR12  rgb444
        AR15  argb1555
        XR15  rgb555
        RGBP  rgb565
        RGBR  rgb565be
        RGB3  rgb24
        BGR3  bgr24
        AR24  bgra
        XR24  bgrx
        BA24  argb
        BX24  _:8 R:8 G:8 B:8
        AB24  rgba
        XB24  rgbx
        RA24  A:8 B:8 G:8 R:8
        RX24  _:8 B:8 G:8 R:8
        YUYV  yuyv422
        UYVY  uyvy422
        YVYU  yvyu422
        VYUY  Cr0:8 Y0:8 Cb0:8 Y1:8 | VIDEO
        NV12  nv12
        NV21  nv21
        NV16  nv16
        NV61  Y:8; Cr:8 Cb:8 /2x1 | VIDEO
        NV24  Y:8; Cb:8 Cr:8 | VIDEO
        NV42  Y:8; Cr:8 Cb:8 | VIDEO
        P010  p010
        YU12  yuv420p
        YV12  Y:8; Cr:8 /2x2; Cb:8 /2x2 | VIDEO
        422P  yuv422p
        411P  Y:8; Cb:8 /4x1; Cr:8 /4x1 | VIDEO
        YUV9  Y:8; Cb:8 /4x4; Cr:8 /4x4 | VIDEO
        YVU9  Y:8; Cr:8 /4x4; Cb:8 /4x4 | VIDEO
        """),
    **_mosaics("RGGB GRBG GBRG BA81", "raw8"),
    **_mosaics("RG10 BA10 GB10 BG10", "M:10 _:6"),
    **_mosaics("pRAA pgAA pGAA pBAA", "raw10"),
    **_mosaics("RG12 BA12 GB12 BG12", "M:12 _:4"),
    **_mosaics("pRCC pgCC pGCC pBCC", "raw12"),
    **_mosaics("RG14 GR14 GB14 BG14", "M:14 _:2"),
    **_mosaics("pREE pgEE pGEE pBEE", "raw14"),
    **_mosaics("RG16 GR16 GB16 BYR2", "raw16"),
}

_FFMPEG = {
    **_rows("""
        gray        gray8
        gray10le    gray10
        gray12le    gray12
        gray14le    gray14
        gray16le    gray16
        grayf32le   grayf32
        monow       white1
        monob       gray1
        ya8         Y:8 A:8
        ya16le      Y:16 A:16
        rgb8        rgb332
        bgr8        bgr332
        rgb444le    rgb444
        bgr444le    bgr444
        rgb555le    rgb555
        bgr555le    bgr555
        rgb565le    rgb565
        bgr565le    bgr565
        rgb0        rgbx
        bgr0        bgrx
        0rgb        _:8 R:8 G:8 B:8
        0bgr        _:8 B:8 G:8 R:8
        abgr        A:8 B:8 G:8 R:8
        rgb48le     rgb48
        rgb48be     msb: R:16 G:16 B:16
        bgr48le     B:16 G:16 R:16
        rgba64le    rgba64
        rgba64be    msb: R:16 G:16 B:16 A:16
        bgra64le    B:16 G:16 R:16 A:16
        x2rgb10le   B:10 G:10 R:10 _:2
        x2bgr10le   R:10 G:10 B:10 _:2
        gbrap       G:8; B:8; R:8; A:8
        gbrp10le    G:10 _:6; B:10 _:6; R:10 _:6
        gbrp12le    G:12 _:4; B:12 _:4; R:12 _:4
        gbrp16le    G:16; B:16; R:16
        gbrpf32le   G:f32; B:f32; R:f32
        yuvj420p    yuv420p | full
        yuvj422p    yuv422p | full
        yuvj444p    yuv444p | full
        yuv410p     Y:8; Cb:8 /4x4; Cr:8 /4x4 | VIDEO
        yuv411p     Y:8; Cb:8 /4x1; Cr:8 /4x1 | VIDEO
        yuv440p     Y:8; Cb:8 /1x2; Cr:8 /1x2 | VIDEO
        yuva420p    Y:8; Cb:8 /2x2; Cr:8 /2x2; A:8 | VIDEO
        yuva444p    Y:8; Cb:8; Cr:8; A:8 | VIDEO
        nv24        Y:8; Cb:8 Cr:8 | VIDEO
        nv42        Y:8; Cr:8 Cb:8 | VIDEO
        uyyvyy411   Cb0:8 Y0:8 Y1:8 Cr0:8 Y2:8 Y3:8 | VIDEO
        vuya        Cr:8 Cb:8 Y:8 A:8 | VIDEO
        xv30le      Cb:10 Y:10 Cr:10 _:2 | VIDEO
        y210le      _:6 Y0:10 _:6 Cb0:10 _:6 Y1:10 _:6 Cr0:10 | VIDEO
        """),
    **{f"yuv{s}p{n}le": _planar(n, shape) for s, shape in _SHAPES.items() for n in (9, 10, 12, 14, 16)},
    **{f"p0{n}le": _semiplanar(n, " /2x2") for n in (10, 12, 16)},
    **{f"p2{n}le": _semiplanar(n, " /2x1") for n in (10, 12, 16)},
    **{f"p4{n}le": _semiplanar(n, "") for n in (10, 12, 16)},
    **_mosaics("bayer_rggb8 bayer_grbg8 bayer_gbrg8 bayer_bggr8", "raw8"),
    **_mosaics("bayer_rggb16le bayer_grbg16le bayer_gbrg16le bayer_bggr16le", "raw16"),
}

_GSTREAMER = {
    **_rows("""
        GRAY8         gray8
        GRAY16_LE     gray16
        GRAY16_BE     gray16be
        RGB16         rgb565
        BGR16         bgr565
        RGB15         rgb555
        BGR15         bgr555
        RGB           rgb24
        BGR           bgr24
        RGBx          rgbx
        BGRx          bgrx
        xRGB          _:8 R:8 G:8 B:8
        xBGR          _:8 B:8 G:8 R:8
        RGBA          rgba
        BGRA          bgra
        ARGB          argb
        ABGR          A:8 B:8 G:8 R:8
        RGB10A2_LE    rgb10a2
        BGR10A2_LE    bgr10a2
        RGBP          R:8; G:8; B:8
        BGRP          B:8; G:8; R:8
        GBR           gbrp
        GBRA          G:8; B:8; R:8; A:8
        GBR_10LE      G:10 _:6; B:10 _:6; R:10 _:6
        AYUV          A:8 Y:8 Cb:8 Cr:8 | VIDEO
        VUYA          Cr:8 Cb:8 Y:8 A:8 | VIDEO
        YUY2          yuyv422
        UYVY          uyvy422
        YVYU          yvyu422
        VYUY          Cr0:8 Y0:8 Cb0:8 Y1:8 | VIDEO
        NV12          nv12
        NV21          nv21
        NV16          nv16
        NV61          Y:8; Cr:8 Cb:8 /2x1 | VIDEO
        NV24          Y:8; Cb:8 Cr:8 | VIDEO
        I420          yuv420p
        YV12          Y:8; Cr:8 /2x2; Cb:8 /2x2 | VIDEO
        Y41B          Y:8; Cb:8 /4x1; Cr:8 /4x1 | VIDEO
        Y42B          yuv422p
        Y444          yuv444p
        YUV9          Y:8; Cb:8 /4x4; Cr:8 /4x4 | VIDEO
        YVU9          Y:8; Cr:8 /4x4; Cb:8 /4x4 | VIDEO
        A420          Y:8; Cb:8 /2x2; Cr:8 /2x2; A:8 | VIDEO
        Y410          y410
        Y210          _:6 Y0:10 _:6 Cb0:10 _:6 Y1:10 _:6 Cr0:10 | VIDEO
        """),
    "P010_10LE": _semiplanar(10, " /2x2"),
    "P012_LE": _semiplanar(12, " /2x2"),
    "P016_LE": _semiplanar(16, " /2x2"),
    **{f"I420_{n}LE": _planar(n, " /2x2") for n in (10, 12)},
    **{f"I422_{n}LE": _planar(n, " /2x1") for n in (10, 12)},
    **{f"Y444_{n}LE": _planar(n, "") for n in (10, 12, 16)},
}

SYSTEMS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {"PFNC": _PFNC, "V4L2": _V4L2, "FFmpeg": _FFMPEG, "GStreamer": _GSTREAMER}
)
"""What each system's names stand for."""

_ALL = {
    name: {system: known[name] for system, known in SYSTEMS.items() if name in known}
    for names in SYSTEMS.values()
    for name in names
}

NAMES: Mapping[str, SystemName] = MappingProxyType(
    {
        name: SystemName(next(iter(texts.values())), tuple(texts))
        for name, texts in _ALL.items()
        if len({*texts.values()}) == 1
    }
)
"""The names of all systems that stand for one layout; exact, capitals included."""

AMBIGUOUS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {name: texts for name, texts in _ALL.items() if name not in NAMES}
)
"""The names that systems give to different layouts, and what each means by them: these are refused."""
