"""Pictures in a terminal: two pixels per character cell as colored half blocks, or gray letters.

Used by `show`. How much color a terminal has is decided from its environment: `NO_COLOR` means none, and the
encoding must know the half block. Where a picture is transparent, the terminal shows through.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from typing import TextIO

import numpy as np

from pellucid.base.errors import InputError
from pellucid.canvas.compose import Pixels, laid_on, opaque

#: From no color to all of them.
MODES = ("ascii", "256", "truecolor")
#: Letters by the light they give, on a dark ground.
_LETTERS = " .:-=+*#%@"
_RESET = "\x1b[0m"
_CUBE = np.array([0, 95, 135, 175, 215, 255], dtype=np.int32)


def color_mode(stream: TextIO, environment: Mapping[str, str] | None = None) -> str:
    """`truecolor`, `256` or `ascii`: what the terminal behind `stream` can show.

    >>> import io
    >>> color_mode(io.StringIO(), {"NO_COLOR": "1", "COLORTERM": "truecolor"})
    'ascii'
    """
    known = os.environ if environment is None else environment
    kind = known.get("TERM", "")
    if known.get("NO_COLOR") or kind == "dumb" or not _encodes_blocks(stream):
        return "ascii"
    programs = ("iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper", "mintty")
    if (
        known.get("COLORTERM", "").lower() in ("truecolor", "24bit")
        or kind.endswith(("-direct", "-truecolor", "-kitty"))
        or known.get("TERM_PROGRAM") in programs
        or "WT_SESSION" in known
    ):
        return "truecolor"
    return "256"


def fitting_size(size: tuple[int, int], mode: str, cells: tuple[int, int] | None = None) -> tuple[int, int]:
    """The size in pixels at which a picture of `size` fills a terminal of columns and lines `cells`.

    The shape is kept, a line is left for the prompt, and pictures are never enlarged.

    >>> fitting_size((512, 256), "truecolor", (80, 24))
    (80, 40)
    >>> fitting_size((512, 256), "ascii", (80, 24))
    (80, 20)
    """
    columns, lines = cells or shutil.get_terminal_size()
    # A cell is about twice as high as wide: two square pixels in half blocks, one tall letter.
    high = 2 * max(lines - 1, 1)
    scale = min(columns / size[0], high / size[1], 1.0)
    width = max(int(size[0] * scale), 1)
    height = max(int(size[1] * scale), 2)
    return (width, max(height // 2, 1)) if mode == "ascii" else (width, height + height % 2)


def as_text(pixels: Pixels, mode: str) -> str:
    r"""A picture of shape (height, width, 4) as lines of text, each ended by a newline.

    Raises `InputError` for an unknown mode.

    >>> as_text(np.full((2, 3, 4), 255, np.uint8), "ascii")
    '@@@\n@@@\n'
    >>> as_text(np.full((2, 1, 4), 255, np.uint8), "truecolor")
    '\x1b[38;2;255;255;255;48;2;255;255;255m▀\x1b[0m\n'
    """
    if mode not in MODES:
        raise InputError(f"{mode!r} is unknown", place="mode", fix=f"choose one of {', '.join(MODES)}")
    if mode == "ascii":
        return _letters(pixels)
    if pixels.shape[0] % 2:
        pixels = np.concatenate([pixels, np.zeros_like(pixels[:1])])
    there = opaque(pixels)
    colors = pixels[..., :3]
    paints = _truecolor(colors) if mode == "truecolor" else _palette(colors)
    return "".join(
        _line(paints[row], paints[row + 1], there[row], there[row + 1]) for row in range(0, len(paints), 2)
    )


def _line(
    upper: list[str], lower: list[str], upper_there: np.ndarray[tuple[int], np.dtype[np.bool_]],
    lower_there: np.ndarray[tuple[int], np.dtype[np.bool_]],
) -> str:  # fmt: skip
    parts: list[str] = []
    last = ""
    for top, bottom, has_top, has_bottom in zip(
        upper, lower, upper_there.tolist(), lower_there.tolist(), strict=True
    ):
        if has_top and has_bottom:
            style, sign = f"\x1b[38;{top};48;{bottom}m", "▀"
        elif has_top:
            style, sign = f"{_RESET}\x1b[38;{top}m", "▀"
        elif has_bottom:
            style, sign = f"{_RESET}\x1b[38;{bottom}m", "▄"
        else:
            style, sign = _RESET, " "
        parts.append(sign if style == last else style + sign)
        last = style
    return "".join(parts) + _RESET + "\n"


def _truecolor(colors: Pixels) -> list[list[str]]:
    return [[f"2;{red};{green};{blue}" for red, green, blue in row] for row in colors.tolist()]


def _palette(colors: Pixels) -> list[list[str]]:
    """The nearest of the 6x6x6 cube and of the 24 grays that every such terminal has at the same places."""
    wide = colors.astype(np.int32)
    steps = np.abs(wide[..., None] - _CUBE).argmin(axis=-1)
    cube = _CUBE[steps]
    gray = np.clip((wide.mean(axis=-1) - 8 + 5) // 10, 0, 23).astype(np.int32)
    cube_error = ((cube - wide) ** 2).sum(axis=-1)
    gray_error = (((8 + 10 * gray)[..., None] - wide) ** 2).sum(axis=-1)
    numbers = (16 + 36 * steps[..., 0] + 6 * steps[..., 1] + steps[..., 2]).astype(np.int32)
    numbers = np.choose(gray_error < cube_error, [numbers, 232 + gray]).astype(np.int32)
    return [[f"5;{number}" for number in row] for row in numbers.tolist()]


def _letters(pixels: Pixels) -> str:
    light = laid_on(pixels, (0, 0, 0)) @ np.array([0.2126, 0.7152, 0.0722])
    index = np.rint(light / 255 * (len(_LETTERS) - 1)).astype(np.int32)
    return "".join("".join(_LETTERS[number] for number in row) + "\n" for row in index.tolist())


def _encodes_blocks(stream: TextIO) -> bool:
    try:
        "▀▄".encode(getattr(stream, "encoding", None) or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
