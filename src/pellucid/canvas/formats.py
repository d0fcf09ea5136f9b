"""The kinds of files that can be written, one row each, found by suffix.

Between `view` (what to compute) and `sinks` (how to write it): a request that a format cannot serve, such as
a moving JPEG, is refused here before the first pixel is computed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import cast

from pellucid.base.errors import InputError, brief, did_you_mean
from pellucid.base.record import record


@record
class Format:
    """One kind of file: what it can hold and how large a picture may be."""

    name: str
    suffixes: tuple[str, ...]
    still: bool = True
    moving: bool = False
    #: `full`: any alpha; `associated`: any, and colors are multiplied with it; `mask`: a pixel is there or not;
    #: `none`: pictures are laid on a background.
    alpha: str = "full"
    quality: bool = False
    largest_side: int = (1 << 31) - 1
    #: Bits of a sample, the default first; 32 are floats, and 16 of EXR half floats.
    depths: tuple[int, ...] = (8,)


#: Every format, in the order in which errors and help list them.
FORMATS = (
    Format("PNG", (".png", ".apng"), moving=True, depths=(8, 16)),
    Format("JPEG", (".jpg", ".jpeg"), alpha="none", quality=True, largest_side=65_500),
    Format("WebP", (".webp",), moving=True, quality=True, largest_side=16_383),
    Format("TIFF", (".tif", ".tiff"), depths=(8, 16, 32)),
    Format("GIF", (".gif",), moving=True, alpha="mask", largest_side=65_535),
    Format("NPY", (".npy",), moving=True, depths=(8, 16, 32)),
    Format("EXR", (".exr",), alpha="associated", depths=(32, 16)),
    Format("BMP", (".bmp",), alpha="none", largest_side=32_767),
    Format("PPM", (".ppm",), alpha="none"),
    Format("TGA", (".tga",), largest_side=65_535),
    Format(
        "MP4",
        (".mp4", ".m4v", ".mov"),
        still=False,
        moving=True,
        alpha="none",
        quality=True,
        largest_side=16_384,
    ),
    Format("WebM", (".webm",), still=False, moving=True, alpha="none", quality=True, largest_side=16_384),
)


@record
class Look:
    """How pixels become a file: the format and the options that it is given.

    `quality` is 1 to 100 for lossy formats; `background` is red, green and blue in 0..255, under the whole
    picture; `alpha` is `straight` or `premultiplied`; `loop` makes a moving picture start again at its end.
    """

    format: Format
    quality: int | None = None
    background: tuple[int, int, int] | None = None
    alpha: str = "straight"
    loop: bool = True

    def backed(self) -> tuple[int, int, int] | None:
        """The background to lay the picture on: the given one, or white where the format needs one."""
        if self.background is None and self.format.alpha == "none":
            return (255, 255, 255)
        return self.background


def format_of(path: str | os.PathLike[str]) -> Format:
    """The format that the suffix of `path` names.

    Raises `InputError` that lists the known suffixes.

    >>> format_of("picture.jpeg").name
    'JPEG'
    >>> format_of("picture.pngg")
    Traceback (most recent call last):
        ...
    pellucid.base.errors.InputError: picture.pngg: unknown suffix '.pngg'; did you mean '.png'? Known are .png, ...
    """
    path = checked_path(path)
    suffix = Path(path).suffix.lower()
    by_suffix = {known: row for row in FORMATS for known in row.suffixes}
    if suffix in by_suffix:
        return by_suffix[suffix]
    known = f"nown are {', '.join(by_suffix)}"
    # Suffixes are so short that many look alike to `did_you_mean`; letters in another order are a slip.
    import difflib

    near = difflib.get_close_matches(suffix, by_suffix, n=1, cutoff=0.8)
    near = near or [each for each in by_suffix if sorted(each) == sorted(suffix)]
    hint = f"did you mean {near[0]!r}?" if near else None
    raise InputError(
        f"unknown suffix {suffix!r}" if suffix else "the file name has no suffix, so its format is unknown",
        place=path or "path",
        fix=f"{hint} K{known}" if hint else f"k{known}",
    )


def format_named(name: object) -> Format:
    """The format of a name, which is that of the format or a suffix of it, in any case.

    Raises `InputError` that lists the names.

    >>> format_named("png").name, format_named("JPEG").name, format_named(".tif").name
    ('PNG', 'JPEG', 'TIFF')
    """
    by_name = {word: row for row in FORMATS for word in (row.name.lower(), *(s[1:] for s in row.suffixes))}
    if isinstance(name, str) and (found := by_name.get(name.lower().removeprefix("."))):
        return found
    fix = did_you_mean(name.lower(), by_name) if isinstance(name, str) else None
    known = ", ".join(row.name for row in FORMATS)
    raise InputError(f"{brief(name)} is no kind of file", place="format", fix=fix or f"give one of {known}")


def checked_path(path: object) -> str:
    """A path as a string that the file system can take.

    Raises `InputError` for what is no path, and for characters that no file name can have.

    >>> checked_path(Path("a") / "b.png"), checked_path(b"c.png")
    ('a/b.png', 'c.png')
    """
    fix = "give the name of a file, such as 'picture.png'"
    try:
        text = os.fsdecode(path)  # pyright: ignore[reportArgumentType]
        os.fsencode(text)
    except (TypeError, UnicodeError):
        if getattr(type(path), "__pellucid_picture__", False):
            fix = "the picture comes first, then the path"
        raise InputError(f"{brief(path)} is not a path", place="path", fix=fix) from None
    if "\0" in text:
        raise InputError(f"{brief(path)} has a character that no file name has", place="path", fix=fix)
    return text


def checked_look(
    kind: Format,
    size: tuple[int, int],
    *,
    moving: bool = False,
    quality: object = None,
    background: object = None,
    alpha: object = None,
    loop: bool = True,
) -> Look:
    """A `Look` that `kind` can serve.

    Raises `InputError` for a moving picture in a still format and the other way round, for a picture too large
    for the format and for an option that is out of range or that the format does not have. Without an `alpha`, colors
    are straight, but in EXR.

    >>> checked_look(format_of("a.jpg"), (64, 64), quality=90).backed()
    (255, 255, 255)
    >>> checked_look(format_of("a.jpg"), (64, 64), moving=True)
    Traceback (most recent call last):
        ...
    pellucid.base.errors.InputError: JPEG holds no moving pictures; choose PNG, WebP, GIF, NPY, MP4, WebM
    """
    if moving and not kind.moving:
        able = ", ".join(row.name for row in FORMATS if row.moving)
        raise InputError(f"{kind.name} holds no moving pictures", fix=f"choose {able}")
    if not moving and not kind.still:
        raise InputError(f"{kind.name} holds moving pictures only", fix="use animate, or choose PNG")
    if max(size) > kind.largest_side:
        raise InputError(
            f"{size[0]}x{size[1]} is too large for {kind.name}",
            place="size",
            fix=f"a side has at most {kind.largest_side} pixels; choose PNG or TIFF",
        )
    if kind.name == "MP4" and (size[0] % 2 or size[1] % 2):
        even = f"{size[0] + size[0] % 2}x{size[1] + size[1] % 2}"
        raise InputError(
            f"MP4 needs an even width and height, not {size[0]}x{size[1]}", place="size", fix=f"use {even}"
        )
    if quality is not None:
        if not kind.quality:
            able = ", ".join(row.name for row in FORMATS if row.quality)
            raise InputError(
                f"{kind.name} is lossless", place="quality", fix=f"leave it out, or choose {able}"
            )
        if isinstance(quality, bool) or not isinstance(quality, int) or not 1 <= quality <= 100:
            raise InputError(
                f"{brief(quality)} is out of range", place="quality", fix="give a whole number from 1 to 100"
            )
    colors = None if background is None else checked_background(background)
    associated = kind.alpha == "associated" and colors is None
    if alpha is None:
        alpha = "premultiplied" if associated else "straight"
    check_alpha(alpha)
    if alpha == "straight" and associated:
        raise InputError(
            f"the colors of {kind.name} are multiplied with alpha", place="alpha", fix="leave it out"
        )
    no_alpha = kind.alpha not in ("full", "associated")
    if alpha == "premultiplied" and (no_alpha or colors is not None):
        raise InputError(
            f"there is no alpha to multiply with in {kind.name if no_alpha else 'an opaque picture'}",
            place="alpha",
            fix="leave it out, or choose PNG, WebP, TIFF, NPY, EXR without a background",
        )
    return Look(kind, quality, colors, str(alpha), loop)


def check_alpha(alpha: object) -> None:
    """Check that a word says how alpha is written.

    Raises `InputError` for anything but "straight" and "premultiplied".

    >>> check_alpha("straight")
    """
    if not isinstance(alpha, str) or alpha not in ("straight", "premultiplied"):
        fix = "choose 'straight' or 'premultiplied'"
        raise InputError(f"{brief(alpha)} is unknown", place="alpha", fix=fix)


def checked_depth(depth: object, kind: Format, *, near: bool = False) -> int:
    """The bits of a sample in a file: those asked for, or else those that the format has first.

    Raises `InputError` for bits that the format does not have, and for other than 8 where pixels are `near` only: off
    by a little.

    >>> checked_depth(16, format_of("a.png")), checked_depth(None, format_of("a.exr"))
    (16, 32)
    """
    bits = kind.depths[0] if depth is None else depth
    if type(bits) is not int or bits not in (8, 16, 32):
        raise InputError(f"{brief(bits)} is no depth", place="depth", fix="give 8, 16 or 32 bits")
    if bits not in kind.depths:
        known = " or ".join(map(str, sorted(kind.depths)))
        able = [row.name for row in FORMATS if bits in row.depths]
        fix = f"choose {', '.join(able)} for {bits}"
        raise InputError(f"{kind.name} is written with {known} bits", place="depth", fix=fix)
    if bits != 8 and near:
        raise InputError(
            "only pixels of 8 bits may be off by a little", place="depth", fix="leave out tolerance and error"
        )
    return bits


#: The words that stand for backgrounds.
_WORDS = {
    "white": (255, 255, 255),
    "black": (0, 0, 0),
    "gray": (128, 128, 128),
    "red": (255, 0, 0),
    "green": (0, 255, 0),
    "blue": (0, 0, 255),
    "yellow": (255, 255, 0),
}


def checked_background(value: object) -> tuple[int, int, int]:
    """Red, green and blue in 0..255 from a word, from `#rgb`, `#rrggbb` or from three whole numbers.

    Raises `InputError` if it is none of these.

    >>> checked_background("#fc0"), checked_background("white"), checked_background((1, 2, 3))
    ((255, 204, 0), (255, 255, 255), (1, 2, 3))
    """
    if isinstance(value, str):
        text = value.strip().lower()
        if text in _WORDS:
            return _WORDS[text]
        if re.fullmatch(r"#([0-9a-f]{3}|[0-9a-f]{6})", text):
            digits = text[1:] if len(text) == 7 else "".join(digit * 2 for digit in text[1:])
            return int(digits[:2], 16), int(digits[2:4], 16), int(digits[4:], 16)
    elif isinstance(value, Sequence):
        items: list[object] = list(value)  # pyright: ignore[reportUnknownArgumentType]
        numbers = [item for item in items if isinstance(item, int) and 0 <= item <= 255]
        if len(items) == len(numbers) == 3:
            return numbers[0], numbers[1], numbers[2]
    raise InputError(
        f"{brief(cast('object', value))} is not a color",
        place="background",
        fix=f"give '#rrggbb', three whole numbers in 0..255 or one of {', '.join(_WORDS)}",
    )
