"""Bitmaps: picture files and arrays as images, with their pixels left where they are.

A bitmap file is sampled from its own bytes, and an array where it is. Compressed files are decoded by Pillow, here and
nowhere else, into the layout that is quickest to sample. Paper Pan, sections 2.4 and 2.4.2.
"""

from __future__ import annotations

import io
import itertools
import math
import os
import re
import warnings
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from ..base.errors import FileError, InputError, brief, installed
from ..base.opening import contents
from ..ir import types as T
from ..ir.expr import Buffer
from ..pixels import Layout
from .array2 import Array2, Raster
from .arrays import ALPHAS, in_place_raster, raster_of
from .bmp import read_bmp
from .deep_files import EXR_MARK, PictureFile, check_pixels, check_range, is_deep_tiff, read_exr, read_tiff
from .deep_png import is_deep_png, read_png
from .image import Image
from .reconstruct import EDGES, FILTERS, SPACES, sampler
from .texel import layout_named
from .word import word

if TYPE_CHECKING:
    from PIL.Image import Image as Picture

Array = np.ndarray[Any, Any]

MAX_PIXELS = 1 << 27
"""Maximum pixels of a compressed file, unless the caller says otherwise; Pillow has a limit of its own."""
MAX_BYTES = 1 << 32
"""The largest picture file that is read: the fields of a bitmap file hold no larger number."""
# Formats that run programs or have no pixels of their own are left out.
_FORMATS = ("BMP", "GIF", "ICO", "JPEG", "JPEG2000", "PNG", "PPM", "TGA", "TIFF", "WEBP", "AVIF")


class Bitmap(Image):
    """An image made of pixels: `width` by `height` of them, centered on the origin, one unit each, row 0 on top.

    Between pixels it is bilinear, outside invisible; `reconstruct` gives the same pixels as another image.
    """

    __slots__ = ("array",)

    def __init__(self, array: Array2) -> None:
        super().__init__(sampler(array), "color")
        self.array = array

    @property
    def width(self) -> int:
        """The number of columns."""
        return self.array.width

    @property
    def height(self) -> int:
        """The number of rows."""
        return self.array.height

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels, which are units."""
        return self.array.width, self.array.height

    @property
    def layout(self) -> Layout | None:
        """The layout of the pixels in memory; None if they are computed."""
        return self.array.layout if isinstance(self.array, Raster) else None

    @property
    def buffer(self) -> Buffer | None:
        """The memory that holds the pixels, file or array; None if they are computed."""
        return self.array.buffer if isinstance(self.array, Raster) else None

    def reconstruct(self, filter: str = "bilinear", edge: str = "transparent", space: str = "srgb") -> Image:
        """The image of these pixels with another filter, edge or space; see the word `reconstruct`."""
        return reconstruct(self, filter, edge, space)

    def crop_rect(self, left: int, top: int, width: int, height: int) -> Bitmap:
        """The bitmap of a rectangle of these pixels, which stay where they are; counted from the top left.

        Raises InputError for a rectangle that is empty or not inside.

        >>> bitmap([[0.0, 0.25], [0.5, 1.0]]).crop_rect(1, 0, 1, 2).size
        (1, 2)
        """
        inside = 0 <= left and 0 <= top and left + width <= self.width and top + height <= self.height
        if not inside or width < 1 or height < 1:
            raise InputError(
                f"{width} by {height} pixels from ({left}, {top}) are not inside {self.width} by {self.height}",
                place="crop_rect",
                fix="give left, top, width and height of a rectangle inside",
            )
        old = self.array
        if not isinstance(old, Raster):
            return Bitmap(Array2(width, height, lambda i, j: old.subscript(i + left, j + top)))
        return Bitmap(
            Raster(
                width,
                height,
                old.layout,
                old.buffer,
                origin=old.origin + left * old.column + top * old.row,
                column=old.column,
                row=old.row,
                palette=old.palette,
                premultiplied=old.premultiplied,
            )
        )


# ---- files ----


@word(
    "Any -> Text -> Count -> Image Color",
    ranges={"alpha": ("file", *ALPHAS), "max_pixels": (1, math.inf)},
    example='read_image(b"P3 2 2 255  255 0 0  255 255 0  0 0 255  0 160 0")',
    source="Pan, section 2.4.2",
)
def read_image(source: Any, alpha: str = "file", max_pixels: int = MAX_PIXELS) -> Bitmap:
    """The picture in a file, centered on the origin, one pixel to the unit; `source` is a path, or the bytes of a file.

    Of several pictures in a file, such as an animation, it is the first. Gray keeps the bits of the file, up to 16, or
    its floats from 0 to 1. A PNG of 16 bits keeps them too, and so does a TIFF of red, green and blue, with the extra
    `pellucid[tiff]`. Other colors of more than 8 bits are read with the upper 8 of them. The floats of OpenEXR, with
    the extra `pellucid[exr]`, are amounts of light, and become numbers of sRGB. Anything else, such as floats beyond
    that range, is refused.

    A bitmap file (BMP) is sampled from its own bytes; others are decoded, turned upright as their camera says, and
    refused beyond `max_pixels`. A file is read whole, so that a later change of it changes no picture. `alpha` tells
    how the fourth byte is meant, against what the file says: opaque (not at all), straight or premultiplied, which is
    the quickest. Raises FileError, which names the file and what is wrong with it.

    >>> read_image(b"P3 2 1 255  255 0 0  0 0 255").at([-0.5, 0.0, 0.5], 0.0)
    array([[1. , 0. , 0. , 1. ],
           [0.5, 0. , 0.5, 1. ],
           [0. , 0. , 1. , 1. ]], dtype=float32)
    """
    if isinstance(source, bytes | bytearray | memoryview):
        place, name, data = "the given bytes", "picture", cast("bytes", source)
    elif isinstance(source, str | os.PathLike):
        path = Path(os.fspath(cast("str", source)))
        place, name = str(path), path.stem
        data = contents(path, "a picture file", max_bytes=MAX_BYTES)
        if not data:
            raise FileError("is empty", place=place, fix="give the path of a picture file")
    else:
        raise InputError(
            f"{type(source).__name__} is not a file",
            place="read_image",
            fix="give a path or the bytes of a file",
        )
    raster = None
    asked = PictureFile(data, place, unique_name(name), alpha, max_pixels)
    if bytes(data[:2]) == b"BM":
        raster = read_bmp(np.frombuffer(data, np.uint8), place, asked.name)
    elif bytes(data[:4]) == EXR_MARK:
        raster = read_exr(asked)
    elif is_deep_tiff(data):
        raster = read_tiff(asked)
    elif is_deep_png(data):
        raster = read_png(asked)
    if raster is None:
        raster = _decoded(asked)
    return Bitmap(raster if alpha == "file" else _meant(raster, alpha, place))


_used: dict[str, itertools.count[int]] = {}


def unique_name(stem: str) -> str:
    """A name for a buffer that none has yet, from one that people know: the text of kernels shows it."""
    name = re.sub(r"\W", "_", stem, flags=re.ASCII)
    name = name if name[:1].isalpha() else f"picture_{name}"
    again = _used.setdefault(name, itertools.count(1))
    number = next(again)
    return name if number == 1 else f"{name}_{number}"


def _meant(raster: Raster, alpha: str, place: str) -> Raster:
    """The same pixels with their alpha understood as the caller says."""
    layout = raster.layout
    if alpha == "opaque":
        meant = {"bgra": "bgrx", "rgba": "rgbx"}.get(layout.name)
    else:
        meant = {"bgrx": "bgra", "rgbx": "rgba"}.get(layout.name)
    layout = layout_named(meant) if meant else layout
    if ("A" not in layout.names) != (alpha == "opaque"):
        fix = "leave out alpha"
        raise FileError(f"has no pixels that can be {alpha}: they are {layout.name}", place=place, fix=fix)
    return Raster(
        raster.width,
        raster.height,
        layout,
        raster.buffer,
        origin=raster.origin,
        column=raster.column,
        row=raster.row,
        palette=raster.palette,
        premultiplied=alpha == "premultiplied",
    )


# ---- decoding ----


def _formats() -> tuple[str, ...]:
    # Pillow has AVIF since 11.3, and opens nothing where it is asked for a format that it does not know.
    if find_spec("PIL.AvifImagePlugin") is None:
        return tuple(name for name in _FORMATS if name != "AVIF")
    return _FORMATS


def _decoded(asked: PictureFile) -> Raster:
    data, place = asked.data, asked.place
    with installed("Pillow", "or give a BMP file"):
        from PIL import Image, ImageOps, UnidentifiedImageError

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with Image.open(io.BytesIO(data), formats=_formats()) as picture:
                # Before anything is unfolded.
                check_pixels(picture.width, picture.height, place, asked.max_pixels)
                gray = _declared(picture, data)
                return _raster(ImageOps.exif_transpose(picture), gray, place, asked.name)
    except FileError:
        raise
    except UnidentifiedImageError:
        kind = next((k for k, (at, mark) in _MARKS.items() if data[at : at + len(mark)] == mark), None)
        problem, fix = "is no picture of a known format", f"give one of {', '.join(_formats())}"
        if kind is not None:
            problem, fix = (
                f"is {kind} that is damaged, or of a kind that is not supported",
                "save it again as PNG",
            )
    except Image.DecompressionBombError as error:
        problem, fix = f"unfolds to too many pixels ({error})", "make it smaller"
    except MemoryError:
        problem, fix = "does not fit into memory", "make it smaller"
    except Exception as error:  # noqa: BLE001 - a damaged file makes a decoder raise anything at all
        problem, fix = f"is damaged, or of a kind that is not supported ({error})", "save it again as PNG"
    raise FileError(problem, place=place, fix=fix)


_MARKS = {
    "PNG": (0, b"\x89PNG"),
    "JPEG": (0, b"\xff\xd8\xff"),
    "GIF": (0, b"GIF8"),
    "TIFF": (0, b"II"),
    "TIFF of big-endian numbers": (0, b"MM"),
    "WebP": (8, b"WEBP"),
    "JPEG 2000": (4, b"jP  "),
    "AVIF": (4, b"ftyp"),
    "ICO": (0, b"\0\0\1\0"),
    "BMP": (0, b"BM"),
}
"""The bytes by which files of a format are known, and where they are."""


class _Gray(NamedTuple):
    """The range of gray that a file declares.

    bits      of a number.
    shift     by which a decoder moved numbers up.
    signed    whether a number has a sign.
    inverted  whether 0 is white, and the decoder left it so.
    """

    bits: int = 16
    shift: int = 0
    signed: bool = False
    inverted: bool = False


def _declared(picture: Picture, data: bytes) -> _Gray:
    """The range of gray that a file declares; if it declares none, decoders have scaled it to 16 bits."""
    tags: Any = getattr(picture, "tag_v2", None)
    if tags is not None:
        return _Gray(_tag(tags, 258, 1), signed=_tag(tags, 339, 1) == 2, inverted=_tag(tags, 262, 1) == 0)
    # The codestream of JPEG 2000 begins with sizes; then the first component has a byte: its bits less one, and a sign.
    at = data.find(b"\xff\x4f\xff\x51") + 42
    if picture.format == "JPEG2000" and 42 <= at < len(data):
        bits = 1 + (data[at] & 0x7F)
        return _Gray(bits, max(0, 16 - bits), signed=data[at] > 0x7F)
    return _Gray()


def _tag(tags: Mapping[int, Any], number: int, default: int) -> int:
    """The first number of a tag of TIFF, such as 258 BitsPerSample, 339 SampleFormat, 262 PhotometricInterpretation."""
    found: Any = tags.get(number, default)
    if isinstance(found, tuple):
        found = next(iter(cast("tuple[Any, ...]", found)), default)
    return found if isinstance(found, int) else default


def _raster(picture: Picture, gray: _Gray, place: str, name: str) -> Raster:
    mode = picture.mode
    if "transparency" in picture.info and mode in ("1", "L", "P", "RGB"):
        picture, mode = picture.convert("RGBA"), "RGBA"
    if mode == "P":
        return _mapped(picture, place, name)
    if mode in ("1", "L"):
        return in_place_raster(np.asarray(picture.convert("L")), "gray8", name)
    if mode.startswith("I;16") or mode == "I":
        return in_place_raster(_whole_grays(picture, gray, place), "gray16", name)
    if mode == "F":
        return in_place_raster(_real_grays(picture, gray, place), "grayf32", name)
    if mode == "La":
        picture = picture.convert("LA")
    if mode == "RGBa":
        return in_place_raster(_words(picture, "RGBa"), "rgba", name, premultiplied=True)
    if mode in ("RGBA", "LA", "PA", "La"):
        colors = picture.convert("RGBA")
        # Pictures that only could be transparent are sampled as opaque ones, which is quicker.
        opaque = colors.getchannel(3).getextrema() == (255, 255)
        return in_place_raster(_words(colors, "RGBA"), "rgbx" if opaque else "rgba", name)
    return in_place_raster(_words(picture.convert("RGB"), "RGBX"), "rgbx", name)


def _whole_grays(picture: Picture, gray: _Gray, place: str) -> Array:
    """Whole numbers of gray as 16 bits each: the nearest to their part of what the file's own bits can hold."""
    levels = np.asarray(picture)
    if gray.signed or levels.min() < 0:
        raise FileError("has gray with a sign, which is not supported", place=place, fix="save it without")
    if gray.bits > 16 or levels.max() > 0xFFFF:
        problem = f"has gray of {max(gray.bits, 17)} bits, and at most 16 are supported"
        raise FileError(problem, place=place, fix="save it with 8 or 16 bits")
    white = (1 << gray.bits) - 1
    codes = levels.astype(np.uint32) >> np.uint32(gray.shift)
    if gray.inverted:
        codes = white - codes
    if white < 0xFFFF:
        codes = (codes.astype(np.uint64) * 2 * 0xFFFF + white) // (2 * white)
    return codes.astype(np.uint16)


def _real_grays(picture: Picture, gray: _Gray, place: str) -> Array:
    """Floats of gray, all of them from 0 to 1."""
    levels = np.asarray(picture)
    fix = "read the numbers with Pillow, and give them scaled to that range to bitmap(array)"
    check_range(levels, place, fix)
    return np.float32(1.0) - levels if gray.inverted else levels


def _words(picture: Picture, order: str) -> Array:
    raw = picture.tobytes("raw", order)
    return np.frombuffer(raw, np.uint32).reshape(picture.height, picture.width)


def _mapped(picture: Picture, place: str, name: str) -> Raster:
    colors = np.array(picture.getpalette("RGB") or [], np.uint32).reshape(-1, 3)
    indices = np.asarray(picture)
    if len(colors) == 0 or int(indices.max()) >= len(colors):
        raise FileError(
            f"has a pixel of color {indices.max()} in a palette of {len(colors)} colors",
            place=place,
            fix="the file is damaged; save it again",
        )
    words = colors[:, 0] << 16 | colors[:, 1] << 8 | colors[:, 2] | np.uint32(0xFF000000)
    palette = Buffer(f"{name}_palette", T.u32, len(words), words)
    return in_place_raster(indices, "pal8x", name, palette=palette)


# ---- arrays ----


@word(
    "Any -> Text -> Image Color",
    ranges={"alpha": ALPHAS},
    example="bitmap([[0.0, 0.5, 1.0], [1.0, 0.25, 0.0]])",
)
def bitmap(array: Any, alpha: str = "straight") -> Bitmap:
    """The picture in an array of shape (height, width), (height, width, 3) or (height, width, 4), row 0 on top.

    Elements are bytes, 16-bit numbers, or floats from 0 to 1; an array of truths is black and white. Arrays of these
    types are read in place, so that a change in them shows the next time the picture is drawn. `alpha` tells how the
    fourth channel is meant: straight, premultiplied (quicker) or opaque (not at all). Raises InputError for another
    shape or type.

    >>> bitmap(np.uint8([[0, 255]])).at([-0.5, 0.5], 0.0)[:, 0]
    array([0., 1.], dtype=float32)
    """
    if isinstance(array, str | bytes | os.PathLike):
        raise InputError(
            "a file is no array",
            place="bitmap",
            fix=f"read it: im.read_image({brief(cast('object', array))})",
        )
    return Bitmap(raster_of(array, alpha, unique_name("array")))


@word(
    "Any -> Text -> Text -> Text -> Image Color",
    ranges={"filter": tuple(FILTERS), "edge": tuple(EDGES), "space": tuple(SPACES)},
    example='reconstruct(bitmap([[0.0, 0.5], [1.0, 0.25]]), "nearest", edge="wrap")',
    source="Pan, section 2.4",
)
def reconstruct(
    array: Any, filter: str = "bilinear", edge: str = "transparent", space: str = "srgb"
) -> Image:
    """The image of an array of colors, centered on the origin, one unit to the pixel, row 0 on top.

    `array` is an `Array2` (columns, rows, and a function of both), a bitmap, or a NumPy array as `bitmap` takes it.
    `filter` is nearest, bilinear or bicubic; `edge` is transparent (fading over one pixel), crop (cut off sharply),
    clamp, wrap or mirror; `space` tells whether to mix stored numbers (srgb) or intensities of light (linear).

    >>> reconstruct(np.float32([[0, 1]]), edge="wrap").at([0.5, 1.0, 1.5], 0.0)[:, 0]
    array([1. , 0.5, 0. ], dtype=float32)
    """
    if isinstance(array, Bitmap):
        array = array.array
    elif not isinstance(array, Array2):
        array = bitmap(array).array
    return Image(sampler(array, filter, edge, space), "color")
