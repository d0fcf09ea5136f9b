"""Pictures of 16 bits to a sample: laid on a background, and written as PNG or NPY.

Beside `sinks`, whose Pillow writes colors of 8 bits only. Samples are those of the packed format of four 16-bit words.
"""

from __future__ import annotations

import struct
import zlib
from typing import Any, BinaryIO

import numpy as np

from pellucid.canvas.formats import Look

Samples = np.ndarray[Any, np.dtype[np.uint16]]
_STRIP = 1 << 22
"""Bytes that are filtered and compressed at a time, about."""


def laid_on_deep(samples: Samples, background: tuple[int, int, int]) -> Samples:
    """The colors, of shape (height, width, 3), of 16-bit samples with straight alpha on a background in 0..255.

    >>> laid_on_deep(np.array([[[65535, 0, 0, 32768]]], np.uint16), (255, 255, 255)).tolist()
    [[[65535, 32767, 32767]]]
    """
    weight = samples[..., 3:].astype(np.uint64)
    # A level of 8 bits is the same light as 257 times it of 16.
    under = np.asarray(background, np.uint64) * np.uint64(257)
    mixed = samples[..., :3] * weight + under * (np.uint64(65535) - weight) + np.uint64(32767)
    return (mixed // np.uint64(65535)).astype(np.uint16)


def write_deep(file: BinaryIO, samples: Samples, look: Look) -> None:
    """Write 16-bit samples of shape (height, width, 4) with straight or premultiplied alpha, as `look` says.

    >>> import io
    >>> from pellucid.canvas.formats import format_of
    >>> file = io.BytesIO()
    >>> write_deep(file, np.zeros((2, 3, 4), np.uint16), Look(format_of("a.png")))
    >>> file.getvalue()[24], file.getvalue()[1:4]
    (16, b'PNG')
    """
    background = look.backed()
    shown = samples if background is None else laid_on_deep(samples, background)
    if look.format.name == "NPY":
        np.save(file, shown, allow_pickle=False)
    else:
        _write_png(file, shown)


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
