"""The built-in formats: one row each, its name, its layout in one line, and what it is.

A format of your own is one more line: ``Layout("R:5 G:6 B:5")``. Names follow FFmpeg where it has the format, else
the standard that defines it. What a row says of its samples can be said otherwise: ``raw10 | bggr``, ``nv12 | full``.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping

from ..base.errors import InputError, brief, did_you_mean
from .layout import Layout
from .names import AMBIGUOUS, NAMES
from .notation import WORDS, read_variant

_RAW10 = " ".join([*(f"M{k}[9:2]" for k in range(4)), *(f"M{k}[1:0]" for k in range(4))])
_RAW12 = "M0[11:4] M1[11:4] M0[3:0] M1[3:0]"
_RAW14 = " ".join([*(f"M{k}[13:6]" for k in range(4)), *(f"M{k}[5:0]" for k in range(4))])
_V210 = "Cb0:10 Y0:10 Cr0:10 _:2 Y1:10 Cb2:10 Y2:10 _:2 Cr2:10 Y3:10 Cb4:10 _:2 Y4:10 Cr4:10 Y5:10 _:2"
_VIDEO = "| limited bt709"

_ROWS = (
    ("gray1", "msb: Y:1", "Black and white, the first pixel in the highest bit (PNG)."),
    ("gray1lsb", "Y:1", "Black and white, the first pixel in the lowest bit."),
    (
        "white1",
        "msb: Y:1 | negative",
        "White and black: 1 is black, the first pixel in the highest bit (PBM).",
    ),
    ("white1lsb", "Y:1 | negative", "White and black: 1 is black, the first pixel in the lowest bit (XBM)."),
    ("gray2", "msb: Y:2", "Four grays, the first pixel in the highest bits (PNG)."),
    ("gray4", "msb: Y:4", "Sixteen grays, the first pixel in the highest bits (PNG)."),
    ("gray8", "Y:8", "A byte of gray."),
    ("gray10", "Y:10 _:6", "Gray of 10 bits in the low bits of a 16-bit word."),
    ("gray12", "Y:12 _:4", "Gray of 12 bits in the low bits of a 16-bit word."),
    ("gray14", "Y:14 _:2", "Gray of 14 bits in the low bits of a 16-bit word."),
    ("gray16", "Y:16", "A 16-bit word of gray."),
    ("gray16be", "msb: Y:16", "A big-endian 16-bit word of gray (PNG)."),
    ("grayf32", "Y:f32", "A float of gray, 0 to 1."),
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
    ("bayer10p", "M:10 | rggb linear", "A sensor's mosaic of 10 bits without gaps (PFNC BayerRG10p)."),
    ("bayer12p", "M:12 | rggb linear", "A sensor's mosaic of 12 bits without gaps (PFNC BayerRG12p)."),
    (
        "bayer10packed",
        "M0[9:2] M0[1:0] _:2 M1[1:0] _:2 M1[9:2] | rggb linear",
        "A sensor's mosaic, two pixels in three bytes (GigE Vision BayerRG10Packed).",
    ),
    (
        "bayer12packed",
        "M0[11:4] M0[3:0] M1[3:0] M1[11:4] | rggb linear",
        "A sensor's mosaic, two pixels in three bytes (GigE Vision BayerRG12Packed).",
    ),
    ("raw8", "M:8 | rggb linear", "A sensor's mosaic, a byte each (MIPI CSI-2 RAW8)."),
    ("raw10", f"{_RAW10} | rggb linear", "A sensor's mosaic, four pixels in five bytes (MIPI CSI-2 RAW10)."),
    ("raw12", f"{_RAW12} | rggb linear", "A sensor's mosaic, two pixels in three bytes (MIPI CSI-2 RAW12)."),
    ("raw14", f"{_RAW14} | rggb linear", "A sensor's mosaic, four pixels in seven bytes (MIPI CSI-2 RAW14)."),
    ("raw16", "M:16 | rggb linear", "A sensor's mosaic, a 16-bit word each."),
    ("mask1", "msb: A:1", "What is there and what is not, the first pixel in the highest bit."),
    ("alpha8", "A:8", "A byte of alpha, for white."),
    *(
        (
            f"pal{n}",
            f"{'msb: ' if n < 8 else ''}I:{n}; palette: B:8 G:8 R:8 A:8",
            f"An index of {n} bit{'s' * (n > 1)}, and after the pixels {1 << n} colors of four bytes.",
        )
        for n in (1, 2, 4, 8)
    ),
    ("rgb332", "B:2 G:3 R:3", "A byte with red in its high bits."),
    ("bgr332", "R:3 G:3 B:2", "A byte with blue in its high bits."),
    ("rgb444", "B:4 G:4 R:4 _:4", "A 16-bit word with red in the higher bits."),
    ("rgb444be", "msb: _:4 R:4 G:4 B:4", "A big-endian 16-bit word with red in the higher bits."),
    ("bgr444", "R:4 G:4 B:4 _:4", "A 16-bit word with blue in the higher bits."),
    ("bgr444be", "msb: _:4 B:4 G:4 R:4", "A big-endian 16-bit word with blue in the higher bits."),
    ("rgb555", "B:5 G:5 R:5 _:1", "A 16-bit word with red in the higher bits."),
    ("rgb555be", "msb: _:1 R:5 G:5 B:5", "A big-endian 16-bit word with red in the higher bits."),
    ("bgr555", "R:5 G:5 B:5 _:1", "A 16-bit word with blue in the higher bits."),
    ("bgr555be", "msb: _:1 B:5 G:5 R:5", "A big-endian 16-bit word with blue in the higher bits."),
    ("rgb565", "B:5 G:6 R:5", "A 16-bit word with red in the high bits."),
    ("rgb565be", "msb: R:5 G:6 B:5", "A big-endian 16-bit word with red in the high bits."),
    ("bgr565", "R:5 G:6 B:5", "A 16-bit word with blue in the high bits."),
    ("bgr565be", "msb: B:5 G:6 R:5", "A big-endian 16-bit word with blue in the high bits."),
    ("argb4444", "B:4 G:4 R:4 A:4", "A 16-bit word with alpha in the high bits."),
    ("argb1555", "B:5 G:5 R:5 A:1", "A 16-bit word with alpha in the highest bit."),
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
    ("rgbf32", "R:f32 G:f32 B:f32", "Floats of red, green, blue, 0 to 1."),
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
    (
        "yuv420p10",
        f"Y:10 _:6; Cb:10 _:6 /2x2; Cr:10 _:6 /2x2 {_VIDEO}",
        "As yuv420p, 10 bits at the bottom of 16-bit words.",
    ),
    (
        "yuv422p10",
        f"Y:10 _:6; Cb:10 _:6 /2x1; Cr:10 _:6 /2x1 {_VIDEO}",
        "As yuv422p, 10 bits at the bottom of 16-bit words.",
    ),
    ("nv12", f"Y:8; Cb:8 Cr:8 /2x2 {_VIDEO}", "A plane of Y, one of Cb and Cr by turns."),
    ("nv21", f"Y:8; Cr:8 Cb:8 /2x2 {_VIDEO}", "A plane of Y, one of Cr and Cb by turns."),
    ("nv16", f"Y:8; Cb:8 Cr:8 /2x1 {_VIDEO}", "As NV12, a chroma sample for 2 x 1 pixels."),
    ("p010", f"_:6 Y:10; _:6 Cb:10 _:6 Cr:10 /2x2 {_VIDEO}", "As NV12, 10 bits at the top of 16-bit words."),
    ("uyvy422", f"Cb0:8 Y0:8 Cr0:8 Y1:8 {_VIDEO}", "Cb, Y, Cr, Y: two pixels in four bytes."),
    ("yuyv422", f"Y0:8 Cb0:8 Y1:8 Cr0:8 {_VIDEO}", "Y, Cb, Y, Cr: two pixels in four bytes."),
    ("yvyu422", f"Y0:8 Cr0:8 Y1:8 Cb0:8 {_VIDEO}", "Y, Cr, Y, Cb: two pixels in four bytes."),
    ("v210", f"{_V210} rows 128 {_VIDEO}", "Six pixels of 10 bits in sixteen bytes (QuickTime v210)."),
    ("y410", f"Cb:10 Y:10 Cr:10 A:2 {_VIDEO}", "A 32-bit word of Cb, Y, Cr and alpha."),
    ("pcm_u8", "S:u8", "Sound, a byte each, silence at 128."),
    ("pcm_s16le", "S:s16", "Sound, signed 16-bit words."),
    ("pcm_s16be", "msb: S:s16", "Sound, big-endian signed 16-bit words."),
    ("pcm_s24le", "S:s24", "Sound, signed, three bytes each."),
    ("pcm_s24be", "msb: S:s24", "Sound, signed, three bytes each, the highest first."),
    ("pcm_s24in32le", "_:8 S:s24", "Sound, 24 bits at the top of a 32-bit word (24 in 32 of WAV)."),
    ("pcm_s24in32be", "msb: S:s24 _:8", "Sound, 24 bits at the top of a big-endian 32-bit word."),
    ("pcm_s24low32le", "S:s24 _:8", "Sound, 24 bits at the bottom of a 32-bit word (ALSA S24_LE)."),
    ("pcm_s24low32be", "msb: _:8 S:s24", "Sound, 24 bits at the bottom of a big-endian 32-bit word."),
    ("pcm_s32le", "S:s32", "Sound, signed 32-bit words."),
    ("pcm_s32be", "msb: S:s32", "Sound, big-endian signed 32-bit words."),
    ("pcm_f32le", "S:f32", "Sound, floats."),
    ("pcm_f32be", "msb: S:f32", "Sound, big-endian floats."),
    ("pcm_f64le", "S:f64", "Sound, floats of 64 bits."),
    ("pcm_f64be", "msb: S:f64", "Sound, big-endian floats of 64 bits."),
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
_FIX = "give a name of pellucid.pixels.FORMATS, or a line such as R:5 G:6 B:5"
_SPEAKERS = ("FL", "FR", "FC", "LFE", "BL", "BR", "SL", "SR")


def layout_of(given: str | Layout, place: str = "format") -> Layout:
    """A built-in format by its name, a variant of one, or the layout that a line of notation describes.

    The names of other systems stand for layouts too (see `pellucid.pixels.names`): those of PFNC, the FourCC of V4L2,
    whose last space may be left out, those of FFmpeg and of GStreamer. All names are exact, capitals included. A
    variant is a name, a bar, and what is to be said otherwise of the samples. Raises InputError for a name that is
    none, or that two systems give to different layouts, or for text that is wrong; for what is no text it names the
    `place`, such as a parameter.

    >>> layout_of("rgb565").channels[0].name, layout_of("Y:3 _:5").planes[0].bits
    ('B', 8)
    >>> layout_of("raw10 | bggr").said["mosaic"], layout_of("nv12 | full").text
    ('bggr', 'Y:8; Cb:8 Cr:8 /2x2 | full bt709')
    >>> layout_of("BayerRG10p").text, layout_of("P010_10LE").planes == layout_of("p010").planes
    ('M:10 | rggb linear', True)
    >>> layout_of("rgb566")
    Traceback (most recent call last):
        ...
    pellucid.base.errors.InputError: no format is called 'rgb566'; did you mean 'rgb565'?
    """
    if isinstance(given, Layout):
        return given
    if not isinstance(given, str):  # pyright: ignore[reportUnnecessaryIsInstance] - callers may err
        raise InputError(f"{brief(given)} is no format", place=place, fix=_FIX)
    return FORMATS[given] if given in FORMATS else _written(given)


@functools.lru_cache(maxsize=256)
def _written(text: str) -> Layout:
    """The layout of a line of notation, or of a name with a bar and words."""
    if ":" in text:
        return Layout(text)
    name, said = read_variant(text) if "|" in text else (text.rstrip(" "), {})
    if name in NAMES and name not in FORMATS:
        known, systems = NAMES[name]
        of = layout_of(known)
        base = Layout(of.text, name, f"{of.doc or 'The layout'} ({', '.join(systems)} {name})")
    elif name in FORMATS:
        base = FORMATS[name]
    elif name in AMBIGUOUS:
        each = [f"{known!r} ({system})" for system, known in AMBIGUOUS[name].items()]
        fix = f"write {' or '.join(each)}"
        raise InputError(f"{brief(name)} is a name of different layouts", fix=fix)
    else:
        names = [*FORMATS, *NAMES]
        same = [f"did you mean {other!r}?" for other in names if other.lower() == name.lower()]
        fix = same[0] if same else did_you_mean(name[:80], names) or _FIX
        raise InputError(f"no format is called {brief(name)}", fix=fix)
    if not said:
        return base
    fields, _, words = base.text.partition(" | ")
    kinds = {word: kind for kind, known in WORDS.items() for word in known}
    every = {**{kinds[word]: word for word in words.split()}, **said}
    return Layout(f"{fields} | {' '.join(every.values())}", text, base.doc)


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
