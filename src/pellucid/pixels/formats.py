"""The built-in formats: one row each, its name, its layout in one line, and what it is.

A format of your own is one more line: ``Layout("R:5 G:6 B:5")``. Names follow FFmpeg where it has the format, else
the standard that defines it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..base.errors import InputError, did_you_mean
from .layout import Layout

_RAW10 = " ".join([*(f"M{k}[9:2]" for k in range(4)), *(f"M{k}[1:0]" for k in range(4))])
_RAW12 = "M0[11:4] M1[11:4] M0[3:0] M1[3:0]"
_RAW14 = " ".join([*(f"M{k}[13:6]" for k in range(4)), *(f"M{k}[5:0]" for k in range(4))])
_V210 = "Cb0:10 Y0:10 Cr0:10 _:2 Y1:10 Cb2:10 Y2:10 _:2 Cr2:10 Y3:10 Cb4:10 _:2 Y4:10 Cr4:10 Y5:10 _:2"
_VIDEO = "| limited bt709"

_ROWS = (
    ("gray1", "msb: Y:1", "Black and white, the first pixel in the highest bit (PBM, PNG)."),
    ("gray1lsb", "Y:1", "Black and white, the first pixel in the lowest bit (XBM)."),
    ("gray2", "msb: Y:2", "Four grays, the first pixel in the highest bits (PNG)."),
    ("gray4", "msb: Y:4", "Sixteen grays, the first pixel in the highest bits (PNG)."),
    ("gray8", "Y:8", "A byte of gray."),
    ("gray10", "Y:10 _:6", "Gray of 10 bits in the low bits of a 16-bit word."),
    ("gray12", "Y:12 _:4", "Gray of 12 bits in the low bits of a 16-bit word."),
    ("gray14", "Y:14 _:2", "Gray of 14 bits in the low bits of a 16-bit word."),
    ("gray16", "Y:16", "A 16-bit word of gray."),
    ("gray16be", "msb: Y:16", "A big-endian 16-bit word of gray (PNG)."),
    ("mono10p", "Y:10 | linear", "Gray of 10 bits without gaps (PFNC Mono10p)."),
    ("mono12p", "Y:12 | linear", "Gray of 12 bits without gaps (PFNC Mono12p)."),
    (
        "mono10packed",
        "Y0[9:2] Y0[1:0] _:2 Y1[1:0] _:2 Y1[9:2] | linear",
        "Two pixels in three bytes (GigE Vision Mono10Packed).",
    ),
    (
        "mono12packed",
        "Y0[11:4] Y0[3:0] Y1[3:0] Y1[11:4] | linear",
        "Two pixels in three bytes (GigE Vision Mono12Packed).",
    ),
    ("raw8", "M:8 | rggb linear", "A sensor's mosaic, a byte each (MIPI CSI-2 RAW8)."),
    ("raw10", f"{_RAW10} | rggb linear", "A sensor's mosaic, four pixels in five bytes (MIPI CSI-2 RAW10)."),
    ("raw12", f"{_RAW12} | rggb linear", "A sensor's mosaic, two pixels in three bytes (MIPI CSI-2 RAW12)."),
    ("raw14", f"{_RAW14} | rggb linear", "A sensor's mosaic, four pixels in seven bytes (MIPI CSI-2 RAW14)."),
    ("raw16", "M:16 | rggb linear", "A sensor's mosaic, a 16-bit word each."),
    ("rgb332", "B:2 G:3 R:3", "A byte with red in its high bits."),
    ("rgb444", "B:4 G:4 R:4 _:4", "A 16-bit word with red in the higher bits."),
    ("rgb555", "B:5 G:5 R:5 _:1", "A 16-bit word with red in the higher bits."),
    ("rgb565", "B:5 G:6 R:5", "A 16-bit word with red in the high bits."),
    ("rgb565be", "msb: R:5 G:6 B:5", "A big-endian 16-bit word with red in the high bits."),
    ("bgr565", "R:5 G:6 B:5", "A 16-bit word with blue in the high bits."),
    ("rgb24", "R:8 G:8 B:8", "Bytes of red, green, blue."),
    ("bgr24", "B:8 G:8 R:8", "Bytes of blue, green, red."),
    ("rgbx", "R:8 G:8 B:8 _:8", "Bytes of red, green, blue, and one unused."),
    ("bgrx", "B:8 G:8 R:8 _:8", "Bytes of blue, green, red, and one unused."),
    ("rgba", "R:8 G:8 B:8 A:8", "Bytes of red, green, blue, alpha."),
    ("bgra", "B:8 G:8 R:8 A:8", "Bytes of blue, green, red, alpha."),
    ("argb", "A:8 R:8 G:8 B:8", "Bytes of alpha, red, green, blue."),
    ("rgb48", "R:16 G:16 B:16", "16-bit words of red, green, blue."),
    ("rgba64", "R:16 G:16 B:16 A:16", "16-bit words of red, green, blue, alpha."),
    ("rgb10a2", "R:10 G:10 B:10 A:2", "A 32-bit word with red in the low bits (10:10:10:2)."),
    ("bgr10a2", "B:10 G:10 R:10 A:2", "A 32-bit word with blue in the low bits (2:10:10:10)."),
    (
        "r210",
        "msb: _:2 R:10 G:10 B:10 rows 256",
        "A big-endian 32-bit word, rows of 64 pixels (QuickTime r210).",
    ),
    (
        "rgbaf16",
        "R:f16 G:f16 B:f16 A:f16 | premultiplied linear",
        "Half floats of red, green, blue, alpha, linear.",
    ),
    ("rgbf32", "R:f32 G:f32 B:f32 | linear", "Floats of red, green, blue, linear."),
    ("gbrp", "G:8; B:8; R:8", "Planes of green, blue, red."),
    (
        "yuv420p",
        f"Y:8; Cb:8 /2x2; Cr:8 /2x2 {_VIDEO}",
        "Planes of Y, Cb, Cr, a chroma sample for 2 x 2 pixels (I420).",
    ),
    (
        "yuv422p",
        f"Y:8; Cb:8 /2x1; Cr:8 /2x1 {_VIDEO}",
        "Planes of Y, Cb, Cr, a chroma sample for 2 x 1 pixels.",
    ),
    ("yuv444p", f"Y:8; Cb:8; Cr:8 {_VIDEO}", "Planes of Y, Cb, Cr."),
    ("nv12", f"Y:8; Cb:8 Cr:8 /2x2 {_VIDEO}", "A plane of Y, one of Cb and Cr by turns."),
    ("nv21", f"Y:8; Cr:8 Cb:8 /2x2 {_VIDEO}", "A plane of Y, one of Cr and Cb by turns."),
    ("p010", f"_:6 Y:10; _:6 Cb:10 _:6 Cr:10 /2x2 {_VIDEO}", "As NV12, 10 bits at the top of 16-bit words."),
    ("uyvy422", f"Cb0:8 Y0:8 Cr0:8 Y1:8 {_VIDEO}", "Cb, Y, Cr, Y: two pixels in four bytes."),
    ("yuyv422", f"Y0:8 Cb0:8 Y1:8 Cr0:8 {_VIDEO}", "Y, Cb, Y, Cr: two pixels in four bytes."),
    ("v210", f"{_V210} rows 128 {_VIDEO}", "Six pixels of 10 bits in sixteen bytes (QuickTime v210)."),
    ("y410", f"Cb:10 Y:10 Cr:10 A:2 {_VIDEO}", "A 32-bit word of Cb, Y, Cr and alpha."),
    ("pcm_u8", "S:u8", "Sound, a byte each, silence at 128."),
    ("pcm_s16le", "S:s16", "Sound, signed 16-bit words."),
    ("pcm_s16be", "msb: S:s16", "Sound, big-endian signed 16-bit words."),
    ("pcm_s24le", "S:s24", "Sound, signed, three bytes each."),
    ("pcm_s24be", "msb: S:s24", "Sound, signed, three bytes each, the highest first."),
    ("pcm_s24in32le", "_:8 S:s24", "Sound, 24 bits at the top of a 32-bit word."),
    ("pcm_s24in32be", "msb: S:s24 _:8", "Sound, 24 bits at the top of a big-endian 32-bit word."),
    ("pcm_s32le", "S:s32", "Sound, signed 32-bit words."),
    ("pcm_f32le", "S:f32", "Sound, floats."),
    ("pcm_f32be", "msb: S:f32", "Sound, big-endian floats."),
)


class _Formats(Mapping[str, Layout]):
    """The rows as layouts, each worked out when it is first asked for."""

    def __init__(self) -> None:
        self._rows = {name: (text, name, doc) for name, text, doc in _ROWS}
        self._made: dict[str, Layout] = {}

    def __getitem__(self, name: str) -> Layout:
        if name not in self._made:
            self._made[name] = Layout(*self._rows[name])
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)


FORMATS: Mapping[str, Layout] = _Formats()
"""The built-in formats by name."""
_SPEAKERS = ("FL", "FR", "FC", "LFE", "BL", "BR", "SL", "SR")


def layout_of(given: str | Layout) -> Layout:
    """A built-in format by its name, or the layout that a line of notation describes.

    Raises InputError for a name that is none, or for text that is wrong.

    >>> layout_of("rgb565").channels[0].name, layout_of("Y:3 _:5").planes[0].bits
    ('B', 8)
    >>> layout_of("rgb566")
    Traceback (most recent call last):
        ...
    pellucid.base.errors.InputError: no format is called 'rgb566'; did you mean 'rgb565'?
    """
    if isinstance(given, Layout):
        return given
    found = FORMATS.get(given)
    if found is not None:
        return found
    if ":" not in given:
        fix = (
            did_you_mean(given, FORMATS)
            or "give a name of pellucid.pixels.FORMATS, or a line such as R:5 G:6 B:5"
        )
        raise InputError(f"no format is called {given!r}", fix=fix)
    return Layout(given)


def sound(name: str, channels: int, *, planar: bool = False) -> Layout:
    """The layout of several channels of sound, by turns, or one after another if `planar`.

    Raises InputError for more than eight channels or a name that is no format of sound.

    >>> sound("pcm_s16be", 2).text, sound("pcm_f32le", 2, planar=True).text
    ('msb: FL:s16 FR:s16', 'FL:f32; FR:f32')
    """
    one = layout_of(name)
    if one.names != ("S",):
        raise InputError(f"{name} is not sound", place="sound", fix="give a format such as pcm_s16le")
    if not 1 <= channels <= len(_SPEAKERS):
        fix = f"give 1 to {len(_SPEAKERS)}"
        raise InputError(f"{channels} channels are not supported", place="sound", fix=fix)
    if channels == 1:
        return one
    order, fields = ("msb: ", one.text[5:]) if one.text.startswith("msb:") else ("", one.text)
    texts = [fields.replace("S:", f"{speaker}:") for speaker in _SPEAKERS[:channels]]
    text = "; ".join(order + t for t in texts) if planar else order + " ".join(texts)
    return Layout(text, f"{name} x {channels}", one.doc)
