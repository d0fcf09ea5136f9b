"""Pictures of more than 8 bits to a sample: laid on a background, and written as PNG, TIFF, NPY or EXR.

Beside `sinks`, whose Pillow writes colors of 8 bits only. Samples are those of the packed formats of four 16-bit words,
of four floats, or of four half floats.
"""

from __future__ import annotations

import io
import struct
import zlib
from typing import Any, BinaryIO

import numpy as np

from pellucid.base.errors import installed
from pellucid.canvas.formats import Format, Look

Samples = np.ndarray[Any, Any]
_STRIP = 1 << 22
"""Bytes that are filtered and compressed at a time, about."""
_BIG_TIFF = (1 << 32) - (1 << 25)
"""Bytes of pixels from which on a TIFF has addresses of 64 bits: those of 32 bits reach no end of a larger one."""
_LIGHT = "premultiplied linear"


def require_writer(kind: Format, depth: int) -> None:
    """Nothing, if samples of so many bits can be written.

    Raises `MissingExtraError` if the package that writes them is not installed.

    >>> from pellucid.canvas.formats import format_of
    >>> require_writer(format_of("a.png"), 16)
    """
    if kind.name == "TIFF" and depth > 8:
        _tifffile()
    elif kind.name == "EXR":
        _openexr()


def _tifffile() -> Any:
    with installed("tifffile", "or save a TIFF of 8 bits, a PNG or an NPY", extra="tiff"):
        import tifffile
    return tifffile


def _openexr() -> Any:
    with installed("OpenEXR", "or save a TIFF, a PNG or an NPY", extra="exr"):
        import OpenEXR
    return OpenEXR


def deep_layout(look: Look, depth: int) -> tuple[str, str]:
    """The layout that a picture is drawn in before `write_deep`, and the type of its samples.

    >>> from pellucid.canvas.formats import format_of
    >>> deep_layout(Look(format_of("a.png")), 16)
    ('R:16 G:16 B:16 A:16 | straight', '<u2')
    """
    exr = look.format.name == "EXR"
    if depth == 16 and not exr:
        return f"R:16 G:16 B:16 A:16 | {look.alpha}", "<u2"
    if look.backed() is not None:
        # Laid on a background as numbers of sRGB, and as exact as can be.
        return "R:f32 G:f32 B:f32 A:f32 | premultiplied", "<f4"
    return f"R:f{depth} G:f{depth} B:f{depth} A:f{depth} | {_LIGHT if exr else look.alpha}", f"<f{depth // 8}"


def laid_on_deep(samples: Samples, background: tuple[int, int, int]) -> Samples:
    """The colors, of shape (height, width, 3), of straight words or premultiplied floats on a background in 0..255.

    >>> laid_on_deep(np.array([[[65535, 0, 0, 32768]]], np.uint16), (255, 255, 255)).tolist()
    [[[65535, 32767, 32767]]]
    >>> laid_on_deep(np.float32([[[0.5, 0.0, 0.0, 0.5]]]), (255, 255, 255)).tolist()
    [[[1.0, 0.5, 0.5]]]
    """
    if samples.dtype.kind == "f":
        light = np.asarray(background, np.float32) / np.float32(255)
        return samples[..., :3] + (np.float32(1) - samples[..., 3:]) * light
    weight = samples[..., 3:].astype(np.uint64)
    # A level of 8 bits is the same light as 257 times it of 16.
    under = np.asarray(background, np.uint64) * np.uint64(257)
    mixed = samples[..., :3] * weight + under * (np.uint64(65535) - weight) + np.uint64(32767)
    return (mixed // np.uint64(65535)).astype(np.uint16)


def write_deep(file: BinaryIO, samples: Samples, look: Look, depth: int) -> None:
    """Write samples of shape (height, width, 4) that were drawn in the layout that `deep_layout` gives.

    >>> from pellucid.canvas.formats import format_of
    >>> file = io.BytesIO()
    >>> write_deep(file, np.zeros((2, 3, 4), np.uint16), Look(format_of("a.png")), 16)
    >>> file.getvalue()[24], file.getvalue()[1:4]
    (16, b'PNG')
    """
    background = look.backed()
    shown = samples if background is None else laid_on_deep(samples, background)
    match look.format.name:
        case "NPY":
            np.save(file, shown, allow_pickle=False)
        case "TIFF":
            _write_tiff(file, shown, look)
        case "EXR":
            _write_exr(file, shown if background is None else _as_light(shown, depth))
        case _:
            _write_png(file, shown)


def _as_light(colors: Samples, depth: int) -> Samples:
    """Opaque floats of sRGB as amounts of light."""
    from pellucid.canvas.convert import convert

    height, width, _ = colors.shape
    target = f"R:f{depth} G:f{depth} B:f{depth} | linear"
    data = np.ascontiguousarray(colors).view(np.uint8).reshape(-1)
    flat = convert(data, "R:f32 G:f32 B:f32", target, (width, height), numerics="exact", precision="f64")
    return flat.view(f"<f{depth // 8}").reshape(height, width, 3)


def _write_tiff(file: BinaryIO, samples: Samples, look: Look) -> None:
    """A TIFF of RGB or RGBA, deflated; words are stored as differences to those on their left."""
    alpha = "assocalpha" if look.alpha == "premultiplied" else "unassalpha"
    # Into memory first: the writer goes back and forth, which not all files can.
    buffer = io.BytesIO()
    _tifffile().imwrite(
        buffer,
        samples,
        bigtiff=samples.nbytes > _BIG_TIFF,
        photometric="rgb",
        extrasamples=[alpha] if samples.shape[2] == 4 else None,
        compression="zlib",
        predictor=2 if samples.dtype.kind == "u" else None,
        metadata=None,
        software=False,
    )
    file.write(buffer.getbuffer())


def _write_exr(file: BinaryIO, samples: Samples) -> None:
    """An OpenEXR file of one part, its scan lines deflated; no word about primaries means those of sRGB."""
    exr, buffer = _openexr(), io.BytesIO()
    header = {"compression": exr.ZIP_COMPRESSION, "type": exr.scanlineimage}
    exr.File(header, {"RGBA"[: samples.shape[2]]: np.ascontiguousarray(samples)}).write(buffer)
    file.write(buffer.getbuffer())


def _write_png(file: BinaryIO, samples: Samples) -> None:
    """A PNG (W3C, third edition) of RGB or RGBA, each sample the difference to that of the pixel on its left."""
    height, width, channels = samples.shape
    file.write(b"\x89PNG\r\n\x1a\n")
    kind = 2 if channels == 3 else 6
    file.write(_chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 16, kind, 0, 0, 0)))
    packer, step = zlib.compressobj(4), 2 * channels
    rows = max(1, _STRIP // (width * step))
    for top in range(0, height, rows):
        plain = samples[top : top + rows].astype(">u2").view(np.uint8).reshape(-1, width * step)
        filtered = np.ones((len(plain), 1 + width * step), np.uint8)
        filtered[:, 1 : 1 + step] = plain[:, :step]
        np.subtract(plain[:, step:], plain[:, :-step], out=filtered[:, 1 + step :])
        if packed := packer.compress(filtered.tobytes()):
            file.write(_chunk(b"IDAT", packed))
    file.write(_chunk(b"IDAT", packer.flush()))
    file.write(_chunk(b"IEND", b""))


def _chunk(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
