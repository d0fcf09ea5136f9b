"""PNG files of 16 bits to a sample, in color or with alpha, with all of their bits (W3C, PNG third edition).

Beside `bitmap`, whose Pillow gives the upper 8 bits of such samples; gray without alpha it reads whole. Used by
`read_image`.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from .array2 import Raster
from .arrays import in_place_raster
from .deep_files import PictureFile, check_pixels, decoding, upright

Array = np.ndarray[Any, Any]

SIGNATURE = b"\x89PNG\r\n\x1a\n"
_SAMPLES = {0: 1, 2: 3, 4: 2, 6: 4}
"""The samples of a pixel for each type of color: gray, RGB, gray with alpha, RGB with alpha."""
_AVERAGE, _PAETH = 3, 4
_PASSES = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2))
"""Of each pass of Adam7 the first column and row, and the steps to the next (section 8.2)."""
_FIX = "save it again as PNG"


class _Header(NamedTuple):
    """The chunk IHDR."""

    width: int
    height: int
    bits: int
    color: int
    compression: int
    filtering: int
    interlace: int


def is_deep_png(data: bytes) -> bool:
    """Whether a PNG has 16 bits to a sample, and Pillow would leave out 8 of them or not know its alpha.

    >>> is_deep_png(b"GIF89a")
    False
    """
    if bytes(data[:8]) != SIGNATURE or len(data) < 33 or bytes(data[12:16]) != b"IHDR":
        return False
    bits, color = data[24], data[25]
    if bits != 16 or color not in _SAMPLES:
        return False
    return color != 0 or any(name == b"tRNS" for name, _ in _chunks(data, checked=False))


def read_png(asked: PictureFile) -> Raster:
    """The picture of a PNG for which `is_deep_png` holds, with its 16-bit words.

    Raises FileError for a file that is damaged.
    """
    with decoding(asked.place, _FIX):
        chunks: dict[bytes, list[bytes]] = {}
        for name, body in _chunks(asked.data, checked=True):
            chunks.setdefault(name, []).append(body)
        header = _Header(*struct.unpack(">IIBBBBB", chunks[b"IHDR"][0]))
        check_pixels(header.width, header.height, asked.place, asked.max_pixels)
        if 0 in header[:2] or header.interlace > 1 or header.compression or header.filtering:
            raise ValueError("its header says so")
        samples = _with_alpha(_samples(header, b"".join(chunks[b"IDAT"])), chunks)
        samples = upright(samples, _orientation(chunks))
    # Pictures that only could be transparent are sampled as opaque ones, which is quicker.
    opaque = samples.shape[2] == 4 and asked.alpha == "file" and bool((samples[..., 3] == 0xFFFF).all())
    if opaque or asked.alpha == "opaque":
        samples = samples[..., :3]
    layout = "rgb48" if samples.shape[2] == 3 else "rgba64"
    return in_place_raster(np.ascontiguousarray(samples, dtype=np.uint16), layout, asked.name)


def _chunks(data: bytes, *, checked: bool) -> Iterator[tuple[bytes, bytes]]:
    """The chunks up to the end; if they are `checked`, a file that ends before is an error, and so is a wrong sum."""
    at = len(SIGNATURE)
    while at + 12 <= len(data):
        (length,) = struct.unpack_from(">I", data, at)
        end = at + 8 + length
        name, body = bytes(data[at + 4 : at + 8]), bytes(data[at + 8 : end])
        if name == b"IEND":
            return
        if checked:
            if end + 4 > len(data):
                break
            (wanted,) = struct.unpack_from(">I", data, end)
            if zlib.crc32(body, zlib.crc32(name)) != wanted:
                raise ValueError(f"the checksum of {name!r}")
        yield name, body
        at = end + 4
    if checked:
        raise ValueError("it ends too early")


def _samples(header: _Header, packed: bytes) -> Array:
    """The words of all pixels, rows by columns by samples."""
    width, height, step = header.width, header.height, 2 * _SAMPLES[header.color]
    passes = _PASSES if header.interlace else ((0, 0, 1, 1),)
    sizes = [(max(0, -(-(width - x) // dx)), -(-(height - y) // dy)) for x, y, dx, dy in passes]
    # A pass without columns has no rows, and no byte for a filter.
    lengths = [max(0, rows) * (1 + columns * step) if columns else 0 for columns, rows in sizes]
    total = sum(lengths)
    # No more is unfolded than the header promises.
    plain = np.frombuffer(zlib.decompressobj().decompress(packed, total), np.uint8)
    if len(plain) != total:
        raise ValueError("too few pixels")
    words, at = np.empty((height, width, step // 2), np.uint16), 0
    for (x, y, dx, dy), (columns, _), length in zip(passes, sizes, lengths, strict=True):
        if length:
            lines = plain[at : at + length].reshape(-1, 1 + columns * step)
            words[y::dy, x::dx] = _unfiltered(lines, step).view(">u2")
            at += length
    return words


def _unfiltered(lines: Array, step: int) -> Array:
    """The bytes of rows by columns by bytes of a pixel; the first of a line says how it was filtered (section 9)."""
    kinds, width = lines[:, 0], (lines.shape[1] - 1) // step
    if kinds.max() > _PAETH:
        raise ValueError("a filter that is not known")
    # A row and a column of zeros come before the first.
    made = np.zeros((len(lines) + 1, width + 1, step), np.uint8)
    made[1:, 1:] = lines[:, 1:].reshape(len(lines), width, step)
    if kinds.max() < _AVERAGE:
        for row in range(1, len(made)):
            if kinds[row - 1] == 1:
                np.cumsum(made[row], axis=0, dtype=np.uint8, out=made[row])
            elif kinds[row - 1] == 2:
                made[row] += made[row - 1]
    else:
        _unfilter_diagonals(made, kinds)
    return np.ascontiguousarray(made[1:, 1:])


def _unfilter_diagonals(made: Array, kinds: Array) -> None:
    """Undo filters that look to the left and up: the pixels of a diagonal depend on those of the two before only."""
    height, width = made.shape[0] - 1, made.shape[1] - 1
    # In a flat array, the next pixel of a diagonal is a row further and a column back.
    flat = made.reshape(-1, made.shape[2])
    for diagonal in range(height + width - 1):
        first, end = max(0, diagonal - width + 1), min(height, diagonal + 1)
        at = (first + 1) * (width + 1) + diagonal - first + 1
        left, up, corner = (
            flat[at - before :: width][: end - first].astype(np.int16) for before in (1, width + 1, width + 2)
        )
        by_left, by_up = abs(up - corner), abs(left - corner)
        by_corner = abs(left + up - 2 * corner)
        nearest = np.where(by_up <= by_corner, up, corner)
        nearest = np.where((by_left <= by_up) & (by_left <= by_corner), left, nearest)
        ways = (np.zeros_like(left), left, up, (left + up) >> 1, nearest)
        flat[at::width][: end - first] += np.choose(kinds[first:end, None], ways).astype(np.uint8)


def _with_alpha(samples: Array, chunks: Mapping[bytes, list[bytes]]) -> Array:
    """RGB or RGBA: gray thrice, and alpha that is 0 for the one color that the chunk tRNS names."""
    count = samples.shape[2]
    clear = chunks.get(b"tRNS")
    if clear is not None and count in (1, 3):
        color = np.frombuffer(clear[0], ">u2")
        if len(color) != count:
            raise ValueError("its transparent color")
        opaque = np.where((samples == color).all(axis=2, keepdims=True), 0, 0xFFFF).astype(np.uint16)
        samples = np.concatenate([samples, opaque], axis=2)
    return samples if count >= 3 else samples[..., [0, 0, 0, *range(1, samples.shape[2])]]


def _orientation(chunks: Mapping[bytes, list[bytes]]) -> int:
    """The orientation that the chunk eXIf tells; 1, which is upright, without one."""
    found = chunks.get(b"eXIf")
    if found is None:
        return 1
    from PIL.Image import Exif

    exif = Exif()
    exif.load(b"Exif\0\0" + found[0])
    turn = exif.get(274, 1)
    return turn if isinstance(turn, int) else 1
