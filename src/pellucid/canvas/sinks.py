"""Pixels into files: still pictures by bands or with Pillow, the pieces of moving ones with Pillow, video with PyAV.

The only file of `canvas` that imports Pillow and PyAV, both lazily. What a format can hold was settled in
`formats`; where the bytes go is settled in `aside`.
"""

from __future__ import annotations

import io
from contextlib import suppress
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from pellucid.base.errors import BackendError, MissingExtraError, installed
from pellucid.canvas.bands import Bands
from pellucid.canvas.compose import (
    Pixels,
    changed_rectangle,
    compact,
    cropped,
    laid_on,
    opaque,
    whole,
)
from pellucid.canvas.formats import Look
from pellucid.canvas.png import write_png

if TYPE_CHECKING:
    from fractions import Fraction

    from PIL.Image import Image

    from pellucid.canvas.containers import FrameRectangle

#: Quality where none was asked for: close to the original, on hard edges too.
_JPEG_QUALITY = 92
_VIDEO_QUALITY = {"MP4": 65, "WebM": 50}
#: Palette sizes of GIF, without and with an entry for holes.
_COLORS = 256


def write_still(file: BinaryIO, pixels: Pixels, look: Look) -> None:
    """Write a picture of shape (height, width, 4) in the format of `look`.

    >>> from pellucid.canvas.formats import format_of
    >>> file = io.BytesIO()
    >>> write_still(file, np.zeros((2, 3, 4), np.uint8), Look(format_of("a.png")))
    >>> file.getvalue()[1:4]
    b'PNG'
    """
    if look.format.name in BANDED:
        write_bands(file, Bands.of(_shown(pixels, look)), look)
    elif look.format.name == "GIF":
        _save_gif(file, pixels, look)
    else:
        buffer = io.BytesIO()
        options = _still_options(look)
        _picture(_shown(pixels, look)).save(buffer, format=look.format.name.upper(), **options)
        file.write(buffer.getbuffer())


BANDED = ("PNG", "TIFF", "NPY")
"""The formats that are written from the top to the bottom."""


def write_bands(file: BinaryIO, bands: Bands, look: Look) -> None:
    """Write a picture in one of the formats of `BANDED`; only a few of its bands are in memory at once."""
    match look.format.name:
        case "PNG":
            write_png(file, bands)
        case "TIFF":
            from pellucid.canvas.tiff import write_tiff

            write_tiff(file, bands, look.alpha)
        case _:
            shape = bands.height, bands.width, bands.channels
            header = {"descr": bands.dtype.str, "fortran_order": False, "shape": shape}
            np.lib.format.write_array_header_1_0(file, header)
            file.writelines(rows.data for rows in bands.packed(np.ascontiguousarray))


def quick_jpeg(pixels: Pixels, quality: int) -> bytes:
    """The bytes of a JPEG of an opaque picture that is soon replaced: a quarter of the time of `write_still`.

    >>> quick_jpeg(np.full((2, 3, 4), 255, np.uint8), 90)[:2].hex()
    'ffd8'
    """
    height, width, _ = pixels.shape
    buffer = io.BytesIO()
    # The fourth byte of each pixel is skipped, and nothing is copied.
    picture = _pillow().frombuffer("RGBX", (width, height), np.ascontiguousarray(pixels), "raw", "RGBX", 0, 1)
    picture.save(buffer, format="JPEG", quality=quality, subsampling=0)
    return buffer.getvalue()


def piece_of(look: Look, before: Pixels | None, frame: Pixels, after: Pixels | None) -> FrameRectangle:
    """The part of a frame that must be stored, given the frames shown before and after it.

    >>> from pellucid.canvas.formats import format_of
    >>> black = np.zeros((8, 8, 4), np.uint8); dotted = black.copy(); dotted[5, 6] = 255
    >>> piece = piece_of(Look(format_of("a.png")), black, dotted, None)
    >>> piece.x, piece.y
    (6, 5)
    """
    from pellucid.canvas.containers import FrameRectangle

    name = look.format.name
    buffer = io.BytesIO()
    if name == "NPY":
        return FrameRectangle(_rgba(_shown(frame, look)).tobytes())
    if name == "GIF":
        return _gif_piece(look, before, frame, after)
    step = 2 if name == "WebP" else 1
    part = whole(frame) if before is None else changed_rectangle(before, frame, step)
    pixels = _shown(cropped(frame, part), look)
    _picture(pixels).save(buffer, format=name.upper(), **_still_options(look))
    return FrameRectangle(buffer.getvalue(), part[0], part[1])


class Video:
    """A video file being written frame by frame; a broken one is for its owner to remove."""

    def __init__(
        self, path: str, look: Look, size: tuple[int, int], rate: Fraction, *, threads: int | None
    ) -> None:
        av = _av()
        webm = look.format.name == "WebM"
        self._av = av
        self._file = av.open(
            path, "w", format="webm" if webm else "mp4", options={} if webm else {"movflags": "faststart"}
        )
        self._stream = self._file.add_stream(
            _codec(av, ["libvpx-vp9"] if webm else ["libx264", "libopenh264"]), rate=rate
        )
        stream = self._stream
        stream.width, stream.height = size
        stream.pix_fmt = "yuv420p"
        quality = _VIDEO_QUALITY[look.format.name] if look.quality is None else look.quality
        worst = 63 if webm else 51
        stream.options = {"crf": str(max(1, round((100 - quality) / 100 * worst))), "preset": "medium"}
        if webm:
            stream.options = {"crf": stream.options["crf"], "b": "0", "row-mt": "1", "cpu-used": "4"}
        stream.codec_context.thread_count = threads or 0
        # Say which yellow is meant: without these players guess from the height of the picture.
        stream.codec_context.color_primaries = stream.codec_context.color_trc = (
            stream.codec_context.colorspace
        ) = 1
        stream.codec_context.color_range = 1
        self._frames = 0

    def add(self, colors: Pixels) -> None:
        """Store a frame of shape (height, width, 3)."""
        frame = self._av.VideoFrame.from_ndarray(colors, format="rgb24")
        frame = frame.reformat(format="yuv420p", dst_colorspace="ITU709", dst_color_range="MPEG")
        frame.pts = self._frames
        self._frames += 1
        self._file.mux(self._stream.encode(frame))

    def close(self) -> None:
        """Write what the encoder still holds and the end."""
        self._file.mux(self._stream.encode(None))
        self._file.close()

    def abandon(self) -> None:
        """Release the file without finishing it."""
        with suppress(Exception):
            self._file.close()


def require_video() -> None:
    """Nothing, if video can be written.

    Raises `MissingExtraError` if PyAV is not installed.
    """
    _av()


def _av() -> Any:
    try:
        import av
    except ImportError as error:
        raise MissingExtraError(
            "writing video needs PyAV", fix="run: pip install 'pellucid[video]', or write .png, .webp or .gif"
        ) from error
    return av


def _codec(av: Any, names: list[str]) -> str:
    for name in names:
        if name in av.codecs_available:
            return name
    raise BackendError(f"PyAV was built without {' and '.join(names)}", fix="write .png, .webp or .gif")


# --- still pictures ------------------------------------------------------------------------------------------------


def _shown(pixels: Pixels, look: Look) -> Pixels:
    """The pixels of the file: colors on a background, or colors and alpha."""
    background = look.backed()
    if background is not None:
        return laid_on(pixels, background)
    return pixels


def _rgba(pixels: Pixels) -> Pixels:
    if pixels.shape[2] == 4:
        return pixels
    return np.concatenate([pixels, np.full((*pixels.shape[:2], 1), 255, np.uint8)], axis=2)


def _pillow() -> Any:
    with installed("Pillow", "or write .npy"):
        from PIL import Image
    return Image


def _picture(pixels: Pixels) -> Image:
    return _pillow().fromarray(np.ascontiguousarray(pixels))


def _still_options(look: Look) -> dict[str, Any]:
    match look.format.name:
        case "PNG":
            # A third of the time of the usual level 6, for files about a fifth larger.
            return {"compress_level": 4}
        case "JPEG":
            # Full color resolution: halving it would smear the edges of drawn pictures. Not optimized: Pillow has too
            # little room then for a busy picture, and fails.
            return {"quality": look.quality or _JPEG_QUALITY, "subsampling": 0}
        case "WebP":
            if look.quality is None:
                return {"lossless": True, "exact": True}
            return {"quality": look.quality, "alpha_quality": look.quality}
        case _:
            return {}


# --- GIF: palettes and holes ---------------------------------------------------------------------------------------


def _save_gif(file: BinaryIO, pixels: Pixels, look: Look) -> None:
    picture, hole = _indexed(pixels, look)
    options = {} if hole is None else {"transparency": hole}
    picture.save(file, format="GIF", optimize=False, **options)


def _gif_piece(look: Look, before: Pixels | None, frame: Pixels, after: Pixels | None) -> FrameRectangle:
    from pellucid.canvas.containers import FrameRectangle

    # A frame drawn over another can add pixels but not take any away: where some vanish, the earlier
    # frame is stored whole and emptied after it was shown.
    holes = look.backed() is None
    clear = holes and after is not None and _vanish(frame, after)
    blank = before is None or (holes and _vanish(before, frame))
    part = whole(frame) if clear or blank or before is None else changed_rectangle(before, frame)
    picture, hole = _indexed(cropped(frame, part), look)
    buffer = io.BytesIO()
    # Rows from top to bottom, as the container says: Pillow would interlace them.
    picture.save(buffer, format="GIF", optimize=False, interlace=False)
    return FrameRectangle(buffer.getvalue(), part[0], part[1], clear, hole)


def _vanish(frame: Pixels, after: Pixels) -> bool:
    return bool((opaque(frame) & ~opaque(after)).any())


def _indexed(pixels: Pixels, look: Look) -> tuple[Image, int | None]:
    """A picture with a palette, and the entry that stands for holes, if there are any."""
    background = look.backed()
    there = opaque(pixels) if background is None else np.ones(pixels.shape[:2], np.bool_)
    colors = compact(pixels[..., :3]) if background is None else laid_on(pixels, background)
    holes = not bool(there.all())
    if holes:
        colors = np.where(there[..., None], colors, np.uint8(0))
    room = _COLORS - 1 if holes else _COLORS
    picture = _exactly(colors, there, room) or _nearly(colors, room)
    if not holes:
        return picture, None
    palette = bytes(picture.getpalette() or b"")
    hole = min(len(palette) // 3, room)
    index = np.where(there, np.asarray(picture), np.uint8(hole)).astype(np.uint8)
    return _with_palette(index, palette[: 3 * hole] + bytes(3)), hole


def _exactly(colors: Pixels, there: np.ndarray[Any, np.dtype[np.bool_]], room: int) -> Image | None:
    """The picture with its own colors, if there are few enough of them."""
    wide = colors.astype(np.uint32)
    packed = wide[..., 0] << 16 | wide[..., 1] << 8 | wide[..., 2]
    used = np.unique(packed[there])
    if used.size > room:
        return None
    if used.size == 0:
        used = np.zeros(1, np.uint32)
    index = np.minimum(np.searchsorted(used, packed), used.size - 1).astype(np.uint8)
    palette = np.stack([used >> 16, used >> 8 & 255, used & 255], axis=1).astype(np.uint8)
    return _with_palette(index, palette.tobytes())


def _nearly(colors: Pixels, room: int) -> Image:
    """The picture with the best palette of `room` colors, the difference spread over the neighbors."""
    pillow = _pillow()
    full = _picture(colors)
    palette = full.quantize(room, method=pillow.Quantize.MEDIANCUT, kmeans=1)
    return full.quantize(palette=palette, dither=pillow.Dither.FLOYDSTEINBERG)


def _with_palette(index: Pixels, palette: bytes) -> Image:
    picture = _pillow().frombytes("P", (index.shape[1], index.shape[0]), index.tobytes())
    picture.putpalette(palette)
    return picture
