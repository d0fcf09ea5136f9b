"""Picture files whose colors have more than 8 bits to a sample: TIFF of 16-bit words and of floats, and OpenEXR.

Beside `bitmap`, whose Pillow gives the upper 8 bits of such colors. Used by `read_image`; the packages that decode the
files are the extras `pellucid[tiff]` and `pellucid[exr]`.
"""

from __future__ import annotations

import io
import logging
import struct
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple, cast

import numpy as np

from ..base.errors import FileError, installed
from ..pixels import Layout
from .array2 import Raster
from .arrays import in_place_raster

Array = np.ndarray[Any, Any]

EXR_MARK = b"v/1\x01"
"""The bytes by which OpenEXR files are known."""
MAX_SAID = 200
"""Letters of what a decoder says that an error repeats."""
_RGB, _BITS, _PHOTOMETRIC, _ORIENTATION = 2, 258, 262, 274
_ASSOCIATED, _STRAIGHT = 1, 2
"""Kinds of ExtraSamples of TIFF; others are no alpha."""
_PRIMARIES = (0.64, 0.33, 0.30, 0.60, 0.15, 0.06, 0.3127, 0.3290)
"""Red, green, blue and white of sRGB (ITU-R BT.709), as x and y: those of an OpenEXR file that names none."""


class PictureFile(NamedTuple):
    """A file to be decoded: its bytes, what errors call it, the name of its buffer, and what the caller says of it."""

    data: bytes
    place: str
    name: str
    alpha: str
    max_pixels: int


def check_pixels(width: int, height: int, place: str, most: int) -> None:
    """Check that a picture of so many pixels may be unfolded.

    Raises FileError if it may not.
    """
    if width * height > most:
        raise FileError(
            f"has {width} by {height} pixels, more than {most}",
            place=place,
            fix="give a larger max_pixels if you trust it",
        )


@contextmanager
def decoding(place: str, fix: str) -> Generator[None]:
    """Around a decoder, which raises anything at all for a damaged file: a FileError says that it is, and no log."""
    log = logging.getLogger("tifffile")
    before = log.disabled
    log.disabled = True
    try:
        yield
    except FileError:
        raise
    except MemoryError as error:
        raise FileError("does not fit into memory", place=place, fix="make it smaller") from error
    except Exception as error:
        # Decoders put parts of the file into what they say.
        said = "".join(c if c.isprintable() else " " for c in str(error))[:MAX_SAID]
        problem = f"is damaged, or of a kind that is not supported ({said})"
        raise FileError(problem, place=place, fix=fix) from error
    finally:
        log.disabled = before


# ---- TIFF ----


def is_deep_tiff(data: bytes) -> bool:
    """Whether the first picture of a TIFF is of red, green and blue with more than 8 bits each.

    >>> is_deep_tiff(b"GIF89a")
    False
    """
    try:
        tags = _first_tags(bytes(data[:4]), data)
    except (struct.error, KeyError, OverflowError):
        # An address of 64 bits may be one that no memory has.
        return False
    bits = tags.get(_BITS, ())
    return tags.get(_PHOTOMETRIC) == (_RGB,) and len(bits) >= 3 and max(bits) > 8


def _first_tags(mark: bytes, data: bytes) -> Mapping[int, tuple[int, ...]]:
    """The tags of the first directory of a TIFF that are 16-bit numbers; with addresses of 32 bits or of 64."""
    order = {b"II": "<", b"MM": ">"}[mark[:2]]
    (version,) = struct.unpack(f"{order}H", mark[2:])
    # Where the first directory's address is, the forms of an address and of a number of entries, bytes of an entry.
    start, address, count, step = {42: (4, "I", "H", 12), 43: (8, "Q", "Q", 20)}[version]
    (at,) = struct.unpack_from(order + address, data, start)
    (entries,) = struct.unpack_from(order + count, data, at)
    width, at = struct.calcsize(address), at + struct.calcsize(count)
    tags: dict[int, tuple[int, ...]] = {}
    # A directory that is longer than its file ends with an error of `struct`.
    for entry in range(at, at + step * entries, step):
        tag, kind, length = struct.unpack_from(f"{order}HH{address}", data, entry)
        if kind == 3 and length <= 16:
            place = entry + 4 + width
            if 2 * length > width:
                (place,) = struct.unpack_from(order + address, data, place)
            tags[tag] = struct.unpack_from(f"{order}{length}H", data, place)
    return tags


def read_tiff(asked: PictureFile) -> Raster:
    """The first picture of a TIFF for which `is_deep_tiff` holds, with its 16-bit words, or its floats from 0 to 1.

    Raises FileError for a file that is damaged, and for samples of other kinds; MissingExtraError without tifffile.
    """
    with installed("tifffile", "or save the picture with 8 bits to a sample", extra="tiff"):
        import tifffile

    place = asked.place
    with (
        decoding(place, "save it again, deflated or not compressed"),
        tifffile.TiffFile(io.BytesIO(asked.data)) as file,
    ):
        page: Any = file.pages[0]
        # In a damaged file each may be a sequence.
        check_pixels(int(page.imagewidth), int(page.imagelength), place, asked.max_pixels)
        pixels: Array = page.asarray()
        if page.planarconfig == 2:
            pixels = np.moveaxis(pixels, 0, -1)
        extra = [int(kind) for kind in page.extrasamples]
        turn = page.tags.get(_ORIENTATION)
        pixels = upright(pixels, 1 if turn is None else int(turn.value))
    alpha = bool(extra) and extra[0] in {_ASSOCIATED, _STRAIGHT} and asked.alpha != "opaque"
    if pixels.ndim != 3 or pixels.shape[2] < (4 if alpha else 3):
        raise FileError(
            f"has an array of shape {pixels.shape}, which is none of red, green and blue",
            place=place,
            fix="save one picture of three or four samples to a pixel",
        )
    pixels = pixels[..., : 4 if alpha else 3]
    if pixels.dtype.kind == "f":
        # What is too large for the narrower type is infinite in it.
        with np.errstate(over="ignore"):
            pixels = pixels.astype(np.float32)
        fix = "read the numbers with tifffile, and give them scaled to that range to bitmap(array)"
        check_range(pixels, place, fix, premultiplied=alpha and extra[0] == _ASSOCIATED)
    elif pixels.dtype.kind != "u" or pixels.dtype.itemsize != 2:
        raise FileError(
            f"has colors of {pixels.dtype.name}", place=place, fix="save it with 8 or 16 bits, or as floats"
        )
    kind = "f4" if pixels.dtype.kind == "f" else "u2"
    layout = {"u2": ("rgb48", "rgba64"), "f4": ("rgbf32", "rgbaf32")}[kind][alpha]
    whole = np.ascontiguousarray(pixels, dtype=kind)
    return in_place_raster(whole, layout, asked.name, premultiplied=alpha and extra[0] == _ASSOCIATED)


def upright(pixels: Array, orientation: int) -> Array:
    """Pixels whose first row and column are where the tag Orientation of TIFF says, turned upright."""
    if orientation in {5, 6, 7, 8}:
        pixels = pixels.swapaxes(0, 1)
    down = -1 if orientation in {3, 4, 7, 8} else 1
    right = -1 if orientation in {2, 3, 6, 7} else 1
    return pixels[::down, ::right]


def check_range(levels: Array, place: str, fix: str, *, premultiplied: bool = False) -> None:
    """Check that floats are from 0 to 1, and premultiplied ones at most their alpha.

    Raises FileError if one is not, or is no number.
    """
    most = np.minimum(levels[..., 3:], 1.0) if premultiplied else 1.0
    if ((levels >= 0.0) & (levels <= most)).all():
        return
    low, high = float(levels.min()), float(levels.max())
    problem = f"has floats from {low:g} to {high:g}, and those of a picture are from 0 to 1"
    if 0.0 <= low and high <= 1.0:
        problem = "has colors that are more than alpha, which are none"
    raise FileError(problem, place=place, fix=fix)


# ---- OpenEXR ----


def read_exr(asked: PictureFile) -> Raster:
    """The pixels of an OpenEXR file, in its data window: amounts of light, from which numbers of sRGB are made here.

    Raises FileError for a file that is damaged, for one without red, green and blue or Y, for other primaries than
    those of sRGB, and for light that is more than 1; MissingExtraError without OpenEXR.
    """
    with installed("OpenEXR", "or save the picture as TIFF", extra="exr"):
        import OpenEXR

    exr: Any = OpenEXR
    place, fix = asked.place, "save it again as scan lines of red, green, blue and alpha"
    with decoding(place, fix):
        header = exr.File(io.BytesIO(asked.data), header_only=True).header()
        (left, top), (right, bottom) = (map(int, corner) for corner in header["dataWindow"])
        check_pixels(right - left + 1, bottom - top + 1, place, asked.max_pixels)
        channels: Mapping[str, Any] = exr.File(io.BytesIO(asked.data), separate_channels=True).channels()
        primaries = header.get("chromaticities", _PRIMARIES)
        if not np.allclose(np.asarray(primaries, np.float64).ravel(), _PRIMARIES, atol=1e-3):
            raise FileError("has other primaries than sRGB", place=place, fix="convert its colors to sRGB")
    rgb = ["Y"] * 3 if "Y" in channels and not {"RY", "BY"} & set(channels) else ["R", "G", "B"]
    names = [*rgb, "A"] if "A" in channels and asked.alpha != "opaque" else rgb
    usable = {
        name: channel.pixels
        for name, channel in channels.items()
        if channel.xSampling == channel.ySampling == 1 and channel.pixels.dtype.kind == "f"
    }
    if not set(names) <= set(usable):
        told = ", ".join(channels)
        raise FileError(f"has no floats R, G and B, but {told}", place=place, fix=fix)
    pixels = np.stack([usable[name].astype(np.float32) for name in names], axis=2)
    premultiplied = len(names) == 4 and asked.alpha != "straight"
    scaled = (
        "read the numbers with OpenEXR, and give their bytes, scaled, to from_buffer, as 'rgbf32 | linear'"
    )
    check_range(pixels, place, scaled, premultiplied=premultiplied)
    layout = "rgbaf32" if len(names) == 4 else "rgbf32"
    return in_place_raster(
        _stored(pixels, premultiplied=premultiplied), layout, asked.name, premultiplied=premultiplied
    )


def _stored(light: Array, *, premultiplied: bool) -> Array:
    """Numbers of sRGB for amounts of light, the nearest that floats of 32 bits have."""
    height, width, count = light.shape
    samples = " ".join(f"{name}:f32" for name in "RGBA"[:count])
    alpha = " premultiplied" if premultiplied else ""
    source, target = (Layout(f"{samples} |{alpha} {curve}") for curve in ("linear", "srgb"))
    given = np.ascontiguousarray(light).view(np.uint8).reshape(-1)
    out = np.empty_like(given)
    # Most files need no conversion.
    from ..conversion.nests import code_between
    from ..conversion.plan import conversion
    from ..conversion.planes import aligned, parts
    from ..driver.options import Options

    asked = conversion(source, target, (width, height), read=aligned(given), written=aligned(out))
    memory = parts(source, (width, height), given, asked.given) | parts(
        target, (width, height), out, asked.planes
    )
    code_between(asked, Options("exact", "f64")).run({}, memory, threads=None)
    return cast("Array", out.view(np.float32).reshape(light.shape))
