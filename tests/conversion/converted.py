"""What conversions of pictures give, in plain NumPy: levels of light as the standards have them.

Bits are no matter here but of `test_layouts`, whose arithmetic says what samples bytes hold.
"""

from __future__ import annotations

import numpy as np

from pellucid.pixels import Channel, Layout

Samples = dict[str, np.ndarray]
MATRIX = {"bt601": (0.299, 0.114), "bt709": (0.2126, 0.0722)}
CLOSE = 1e-6
"""By how much of its range a sample may be off before it is rounded."""


def plain(layout: Layout) -> Layout:
    """The same samples in words of their own, one plane after another; for each pixel one of each color."""
    mosaic = layout.model == "mosaic"
    parts = []
    for name in "RGB" if mosaic else [n for n in layout.names if n != "I"]:
        channel = layout["M" if mosaic else name]
        spare = word_bits(channel) - channel.bits
        kind = "f" if channel.kind == "f" else ""
        parts.append(f"{name}:{kind}{channel.bits}" + (f" _:{spare}" if spare else ""))
    words = [
        w for w in layout.text.partition(" | ")[2].split() if not (mosaic and w == layout.said["mosaic"])
    ]
    return Layout("; ".join(parts) + (f" | {' '.join(words)}" if words else ""))


def word_bits(channel: Channel) -> int:
    """The bits of the word that holds a sample."""
    return next(n for n in (8, 16, 32, 64) if n >= channel.bits)


def bounds(
    source: Layout, samples: Samples, target: Layout, size: tuple[int, int]
) -> tuple[Samples, Samples]:
    """The least and the greatest samples of the target that are right: they differ next to halfway between two."""
    level = _levels(source, samples, size)
    if alike(source, target):
        # Nothing becomes a color: neither one that there is not, nor one that nobody sees, is changed.
        level.setdefault("A", np.ones(size[::-1]))
        level |= {name: level["Y"] for name in "RGB" if "Y" in level and "Cb" not in level}
    else:
        level = _of_colors(target, *_colors(source, level, size))
    low, high = {}, {}
    for c in target.channels:
        number, whole = _numbers(target, c, level[c.name])
        if c.kind == "f":
            low[c.name] = high[c.name] = number
        else:
            ends = [np.clip(np.floor(number + 0.5 + e), 0, whole) for e in (-CLOSE * whole, CLOSE * whole)]
            low[c.name], high[c.name] = (x.astype(np.int64) for x in ends)
    return low, high


def alike(source: Layout, target: Layout) -> bool:
    """Whether the samples of two layouts have the same meaning, and none of the former is left out."""
    names = {n for n in source.names if n != "I"}
    if names - {"A"} == {"Y"} and {*target.names} - {"A"} == {*"RGB"}:
        # Gray is each color of a pixel.
        names = names - {"Y"} | {*"RGB"}
    words = ["transfer", "alpha"] if "A" in names else ["transfer"]
    if "Y" in names and "Cb" in names:
        words.append("matrix")
    return (
        names | {"A"} == {*target.names} | {"A"}
        and names <= {*target.names}
        and all(source.said[w] == target.said[w] for w in words)
        and source.said.get("mosaic") == target.said.get("mosaic")
    )


def _scale(layout: Layout, c: Channel) -> tuple[float, float]:
    """The number of no light, and by how much that of full light is greater."""
    if c.kind == "f":
        return 0.0, 1.0
    if layout.said["range"] == "limited" and c.name != "A":
        unit = 1 << (c.bits - 8)
        return (128.0 * unit, 224.0 * unit) if c.name in ("Cb", "Cr") else (16.0 * unit, 219.0 * unit)
    whole = float((1 << c.bits) - 1)
    return (whole, -whole) if layout.said["polarity"] == "negative" else (0.0, whole)


def _levels(layout: Layout, samples: Samples, size: tuple[int, int]) -> Samples:
    """The level of each channel at each pixel."""
    width, height = size
    level: Samples = {}
    for c in layout.channels:
        zero, span = _scale(layout, c)
        values = (samples[c.name].astype(np.float64) - zero) / span
        # A sample of several pixels is that of each.
        level[c.name] = (
            values.repeat(c.down, 0).repeat(c.across, 1)[:height, :width] if not c.entries else values
        )
    if layout.palette:
        level |= {name: level[name][0][samples["I"]] for name in "RGBA"}
    return level


def _colors(layout: Layout, level: Samples, size: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    """Red, green and blue at each pixel as stored, and alpha."""
    alpha = level.get("A", np.ones(size[::-1]))
    if layout.model == "mosaic":
        colors = _filled_in(level["M"], layout.said["mosaic"])
    elif layout.model == "ycbcr":
        red, blue = MATRIX[layout.said["matrix"]]
        r = level["Y"] + (2 - 2 * red) * level["Cr"]
        b = level["Y"] + (2 - 2 * blue) * level["Cb"]
        g = (level["Y"] - red * r - blue * b) / (1 - red - blue)
        colors = np.clip([r, g, b], 0.0, 1.0)
    else:
        gray = level.get("Y", alpha)
        colors = np.array([level.get(name, gray) for name in "RGB"])
    if "A" in level and layout.said["alpha"] == "straight":
        # What nobody sees has no color.
        colors = np.where(alpha > 0, colors, 0.0)
    return colors, alpha


def _filled_in(mosaic: np.ndarray, order: str) -> np.ndarray:
    """Each color of a mosaic at each pixel: the mean of the nearest that have it, mirrored at the edges."""
    height, width = mosaic.shape
    wide = mosaic
    for axis, count in enumerate((height, width)):
        around = [(1, 1) if k == axis else (0, 0) for k in (0, 1)]
        wide = np.pad(wide, around, mode="reflect" if count > 1 else "edge")
    at = {(j, i): wide[1 + j : 1 + j + height, 1 + i : 1 + i + width] for j in (-1, 0, 1) for i in (-1, 0, 1)}
    beside, above = (at[0, -1] + at[0, 1]) / 2, (at[-1, 0] + at[1, 0]) / 2
    corners = (at[-1, -1] + at[-1, 1] + at[1, -1] + at[1, 1]) / 4
    found = np.zeros((3, height, width))
    for place, own in enumerate(order):
        here = (slice(place // 2, None, 2), slice(place % 2, None, 2))
        for k, color in enumerate("rgb"):
            if color == own:
                values = mosaic
            elif color == "g":
                values = (beside + above) / 2
            elif own == "g":
                values = beside if order[place ^ 1] == color else above
            else:
                values = corners
            found[k][here] = values[here]
    return found


def _of_colors(layout: Layout, colors: np.ndarray, alpha: np.ndarray) -> Samples:
    """The level of each channel at each pixel, for colors."""
    red, blue = MATRIX[layout.said["matrix"] if layout.model == "ycbcr" else "bt709"]
    r, g, b = colors
    y = red * r + (1 - red - blue) * g + blue * b
    level = {
        "R": r,
        "G": g,
        "B": b,
        "A": alpha,
        "Y": y,
        "Cb": (b - y) / (2 - 2 * blue),
        "Cr": (r - y) / (2 - 2 * red),
    }
    if layout.model == "mosaic":
        level["M"] = np.zeros_like(y)
        for place, color in enumerate(layout.said["mosaic"]):
            here = (slice(place // 2, None, 2), slice(place % 2, None, 2))
            level["M"][here] = colors["rgb".index(color)][here]
    return level


def _numbers(layout: Layout, c: Channel, values: np.ndarray) -> tuple[np.ndarray, int]:
    """The samples of a channel before they are rounded, and the greatest that there is."""
    height, width = values.shape
    # At the edges the last pixel goes on.
    values = np.pad(values, ((0, -height % c.down), (0, -width % c.across)), mode="edge")
    values = values.reshape(values.shape[0] // c.down, c.down, -1, c.across).mean((1, 3))
    zero, span = _scale(layout, c)
    return values * span + zero, (1 << c.bits) - 1
