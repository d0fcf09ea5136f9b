"""Pictures of more than 8 bits to a sample: how they are drawn, laid on a background, and written as EXR.

Beside `sinks`, which writes their bands as PNG, TIFF and NPY. Samples are those of the packed formats of four 16-bit
words, of four floats, or of four half floats.
"""

from __future__ import annotations

import io
from typing import Any, BinaryIO

import numpy as np

from pellucid.base.errors import installed
from pellucid.canvas.formats import Format, Look

Samples = np.ndarray[Any, Any]
_LIGHT = "premultiplied linear"


def require_writer(kind: Format) -> None:
    """Nothing, if files of a kind can be written.

    Raises `MissingExtraError` if the package that writes them is not installed.

    >>> from pellucid.canvas.formats import format_of
    >>> require_writer(format_of("a.png"))
    """
    if kind.name == "EXR":
        _openexr()


def _openexr() -> Any:
    with installed("OpenEXR", "or save a TIFF, a PNG or an NPY", extra="exr"):
        import OpenEXR
    return OpenEXR


def deep_layout(look: Look, depth: int) -> tuple[str, str]:
    """The layout that a picture of more than 8 bits is drawn in, and the type of its samples.

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


def write_exr(file: BinaryIO, samples: Samples, look: Look, depth: int) -> None:
    """Write samples of shape (height, width, 4) that were drawn in the layout that `deep_layout` gives.

    The file has one part, and its scan lines are deflated; no word about primaries means those of sRGB.
    """
    background = look.backed()
    shown = samples if background is None else _as_light(laid_on_deep(samples, background), depth)
    exr, buffer = _openexr(), io.BytesIO()
    header = {"compression": exr.ZIP_COMPRESSION, "type": exr.scanlineimage}
    exr.File(header, {"RGBA"[: shown.shape[2]]: np.ascontiguousarray(shown)}).write(buffer)
    file.write(buffer.getbuffer())


def _as_light(colors: Samples, depth: int) -> Samples:
    """Opaque floats of sRGB as amounts of light."""
    from pellucid.canvas.convert import convert

    height, width, _ = colors.shape
    target = f"R:f{depth} G:f{depth} B:f{depth} | linear"
    data = np.ascontiguousarray(colors).view(np.uint8).reshape(-1)
    flat = convert(data, "R:f32 G:f32 B:f32", target, (width, height), numerics="exact", precision="f64")
    return flat.view(f"<f{depth // 8}").reshape(height, width, 3)
