"""Files to begin with, and what is done to them, for fuzzers of readers: all of it follows from a seed."""

from __future__ import annotations

import functools
import io
import random
import struct
import zlib
from collections.abc import Iterator

import numpy as np
import OpenEXR
import tifffile
from PIL import Image as Pillow
from tests.deep_pngs import deep_png

INTERESTING = tuple(sorted({max(0, (1 << k) + d) for k in (0, 3, 4, 7, 8, 15, 16, 31, 32) for d in (-1, 0)}))
PICTURES = (
    "bmp",
    "png",
    "deep png",
    "tiff",
    "deep tiff",
    "exr",
    "gif",
    "webp",
    "jpeg",
    "jpeg2000",
    "ico",
    "ppm",
    "tga",
    "avif",
)
VM = """# a ring
x var-x
y var-y
z var-z
c const 0.5
xx square x
yy square y
s add xx yy
r sqrt s
t sub r c
u abs t
v max u z
w mix x y c
n rand v
m min v n
"""
LAYOUTS = (
    "Y:8",
    "msb: R:5 G:6 B:5",
    "Y0[9:2] Y1[9:2] Y0[1:0] Y1[1:0] _:4 | linear",
    "Y:8; Cb:8 Cr:8 /2x2 | limited bt709",
    "I:4; palette: B:8 G:8 R:8 A:8",
    "R:f16 G:f16 B:f16 A:f16 | premultiplied linear",
    "M:10 | rggb linear",
    "Cb0:10 Y0:10 Cr0:10 _:2 Y1:10 Cb2:10 Y2:10 _:2 Cr2:10 Y3:10 Cb4:10 _:2 Y4:10 Cr4:10 Y5:10 _:2 rows 128",
    "lsb: S:s24 _:8",
)
WORDS = (
    *(
        " ",
        ":",
        ";",
        "|",
        "/",
        "[",
        "]",
        "0",
        "00000000",
        "8",
        "64",
        "99999",
        "2x2",
        "\u0663",
        "\0",
        "\n",
        "#",
        "_:3",
    ),
    *(
        "rows",
        "palette:",
        "msb:",
        "lsb:",
        "Y",
        "Y0",
        "Cb",
        "A:1",
        "limited",
        "negative",
        "premultiplied",
        "s",
        "f32",
    ),
    *("rand", "mix", "const", "nan", "inf", "1e999", "var-x"),
)


@functools.cache
def seeds(reader: str) -> tuple[bytes, ...]:
    """Small valid inputs of a reader."""
    if reader == "vm":
        return (VM.encode(), b"x var-x\ny square x\n")
    if reader == "layout":
        return tuple(text.encode() for text in LAYOUTS)
    if reader == "wav":
        return tuple(_wav(*kind) for kind in ((1, 1, 16), (1, 2, 8), (3, 1, 32), (0xFFFE, 2, 24)))
    if reader in _DEEP:
        return tuple(_DEEP[reader]())
    array = np.random.default_rng(1).integers(0, 256, (7, 9), np.uint8)
    whole = Pillow.fromarray(array)
    kinds = [whole.convert(mode) for mode in ("L", "RGB", "P", "RGBA", "1", "LA")]
    kinds += [Pillow.fromarray(x) for x in (array.astype(np.uint16) * 257, (array / 255).astype(np.float32))]
    found = []
    for picture in kinds:
        buffer = io.BytesIO()
        try:
            picture.save(buffer, reader)
        except Exception:  # noqa: BLE001 - Pillow does not write every mode in every format
            continue
        found.append(buffer.getvalue())
    if reader == "tiff":
        for way in ("tiff_lzw", "tiff_deflate", "packbits"):
            buffer = io.BytesIO()
            whole.convert("RGB").save(buffer, "tiff", compression=way)
            found.append(buffer.getvalue())
    return tuple(found)


def _deep_tiffs() -> Iterator[bytes]:
    """TIFF files of 16-bit words and of floats."""
    whole = np.random.default_rng(1).random((7, 9, 4))
    for samples in (np.uint16(whole * 65535), np.float32(whole)):
        for count, options in ((3, {}), (4, {"compression": "zlib"}), (3, {"bigtiff": True})):
            file = io.BytesIO()
            tifffile.imwrite(file, samples[..., :count], photometric="rgb", **options)
            yield file.getvalue()


def _exrs() -> Iterator[bytes]:
    """OpenEXR files of floats and of half floats."""
    whole = np.random.default_rng(1).random((7, 9, 4))
    for kind in (np.float16, np.float32):
        for name in ("NO", "RLE", "ZIP", "PIZ"):
            file = io.BytesIO()
            header = {"compression": getattr(OpenEXR, f"{name}_COMPRESSION"), "type": OpenEXR.scanlineimage}
            OpenEXR.File(header, {"RGBA": np.ascontiguousarray(whole, kind)}).write(file)
            yield file.getvalue()


def _deep_pngs() -> Iterator[bytes]:
    """PNG files of 16-bit words."""
    whole = np.random.default_rng(1).integers(0, 1 << 16, (7, 9, 4), np.uint16)
    for count in (2, 3, 4):
        for interlaced in (False, True):
            yield deep_png(whole[..., :count], interlaced=interlaced)
    yield deep_png(whole[..., :3], more=[(b"tRNS", bytes(6))])
    yield deep_png(whole[..., :1], more=[(b"tRNS", bytes(2))])


_DEEP = {"deep png": _deep_pngs, "deep tiff": _deep_tiffs, "exr": _exrs}
"""Of readers of samples of more than 8 bits, what makes their files: other packages than Pillow."""


def _wav(tag: int, channels: int, bits: int) -> bytes:
    block = channels * bits // 8
    fmt = struct.pack("<HHIIHH", tag, channels, 8000, 8000 * block, block, bits)
    if tag == 0xFFFE:
        fmt += (
            struct.pack("<HHI", 22, bits, 3)
            + struct.pack("<H", 1)
            + bytes.fromhex("000000001000800000aa00389b71")
        )
    data = bytes(range(block * 9))
    chunks = b"fmt " + struct.pack("<I", len(fmt)) + fmt + b"data" + struct.pack("<I", len(data)) + data
    return b"RIFF" + struct.pack("<I", 4 + len(chunks)) + b"WAVE" + chunks


def mutated(reader: str, rng: random.Random) -> bytes:
    """One of the reader's seeds, changed in a few places."""
    known = seeds(reader)
    data = bytearray(rng.choice(known))
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        _change(data, known, reader, rng)
    return _with_sums(data) if reader in ("png", "deep png") and rng.random() < 0.8 else bytes(data)


def _change(data: bytearray, known: tuple[bytes, ...], reader: str, rng: random.Random) -> None:
    # What is at the beginning says what follows.
    near = min(len(data), rng.choice((16, 64, 200, 1 << 20)))
    at = rng.randrange(near) if near else 0
    match rng.randrange(9 if reader not in ("vm", "layout") else 11):
        case 0 | 1:
            data[at : at + 1] = bytes([rng.randrange(256)])
        case 2:
            data[at : at + 1] = bytes([data[at] ^ 1 << rng.randrange(8)] if near else b"")
        case 3:
            size, order = rng.choice((1, 2, 4)), rng.choice(("little", "big"))
            data[at : at + size] = (rng.choice(INTERESTING) % 256**size).to_bytes(size, order)
        case 4:
            del data[at : at + rng.choice((1, 2, 4, 16))]
        case 5:
            data[at:at] = rng.randbytes(rng.choice((1, 2, 4, 16)))
        case 6:
            del data[rng.randrange(len(data) + 1) :]
        case 7:
            other = rng.choice(known)
            cut = rng.randrange(len(other))
            data[at:] = other[cut : cut + 4000]
        case 8:
            part = data[at : at + rng.choice((4, 12, 40))]
            data[at:at] = part * rng.choice((1, 2, 30))
        case _:
            data[at:at] = rng.choice(WORDS).encode()


def _with_sums(data: bytearray) -> bytes:
    """A PNG whose chunks have the sums that they should, as far as there are chunks."""
    at = 8
    while at + 12 <= len(data):
        end = at + 8 + int.from_bytes(data[at : at + 4], "big")
        if end + 4 > len(data):
            break
        data[end : end + 4] = struct.pack(">I", zlib.crc32(data[at + 4 : end]))
        at = end + 4
    return bytes(data)
