"""A layout as people see it: every byte of a group drawn with the samples whose bits it holds.

For documents and terminals; made from the layout alone, so that it cannot disagree with the reader and the writer.
"""

from __future__ import annotations

from itertools import pairwise

from ..base.record import record
from .layout import Layout, Plane

_WIDE = 5
"""Columns for a bit: room for such as Y[3]."""


@record
class _Bit:
    """A bit of a sample: of which, and which one; `whole` is how many bits that has."""

    sample: str
    number: int
    whole: int


def byte_map(layout: Layout) -> str:
    """The bytes of a group of each plane, lowest address first, highest bit on the left; unused bits are empty.

    Samples are numbered where a group has several pixels, and bits where a sample does not lie in one piece.

    >>> print(byte_map(Layout("B:5 G:6 R:5")))
         7    6    5    4    3    2    1    0
       ┌──────────────┬────────────────────────┐
     0 │    G[2:0]    │           B            │
       ├──────────────┴─────────┬──────────────┤
     1 │           R            │    G[5:3]    │
       └────────────────────────┴──────────────┘
    """
    parts: list[str] = []
    for number, plane in enumerate(layout.planes):
        if len(layout.planes) > 1:
            parts.append(_title(number, plane))
        parts.append(_drawn(_bits(layout, number)))
    return "\n".join(parts)


def _title(number: int, plane: Plane) -> str:
    if plane.entries:
        of = "each" if plane.pixels == 1 else str(plane.pixels)
        return f"plane {number}, for {of} of {plane.entries} colors"
    across, down = plane.pixels * plane.across, plane.down
    return f"plane {number}, for {f'{across} x {down} pixels' if across * down > 1 else 'each pixel'}"


def _bits(layout: Layout, number: int) -> list[_Bit | None]:
    """The sample's bit in each bit of a group of a plane."""
    plane = layout.planes[number]
    found: list[_Bit | None] = [None] * plane.bits
    for channel in layout.channels:
        if channel.plane != number:
            continue
        step = plane.pixels // len(channel.places)
        for k, runs in enumerate(channel.places):
            name = f"{channel.name}{k * step}" if plane.pixels > 1 else channel.name
            for run in runs:
                for j in range(run.width):
                    found[run.start + j] = _Bit(name, run.low + j, channel.bits)
    return found


def _drawn(bits: list[_Bit | None]) -> str:
    """The bytes as rows of cells, with lines between them."""
    rows = [_cells(bits[at : at + 8][::-1]) for at in range(0, len(bits), 8)]
    edges = [_edges(cells) for cells in rows]
    margin = len(str(len(rows) - 1)) + 1
    lines = [" " * (margin + 1) + "".join(f"{b:>{_WIDE}}" for b in range(7, -1, -1)).rstrip()]
    lines.append(" " * margin + " " + _rule(set(), edges[0], "┌┐"))
    for number, cells in enumerate(rows):
        if number:
            lines.append(" " * margin + " " + _rule(edges[number - 1], edges[number], "├┤"))
        inside = "│".join(f"{label:^{_WIDE * width - 1}}" for label, width in cells)
        lines.append(f"{number:>{margin}} │{inside}│")
    lines.append(" " * margin + " " + _rule(edges[-1], set(), "└┘"))
    return "\n".join(lines)


def _cells(byte: list[_Bit | None]) -> list[tuple[str, int]]:
    """The pieces of samples in a byte, from its highest bit down: what to write, and how many bits."""
    cuts = [0]
    for at, (one, next_) in enumerate(pairwise(byte), 1):
        together = one is next_ is None or (
            one is not None
            and next_ is not None
            and (one.sample, one.number - 1) == (next_.sample, next_.number)
        )
        if not together:
            cuts.append(at)
    return [(_label(byte[a], b - a), b - a) for a, b in pairwise([*cuts, len(byte)])]


def _label(high: _Bit | None, width: int) -> str:
    if high is None:
        return ""
    if width == high.whole:
        return high.sample
    low = high.number - width + 1
    return f"{high.sample}[{high.number}:{low}]" if width > 1 else f"{high.sample}[{low}]"


def _edges(cells: list[tuple[str, int]]) -> set[int]:
    """The columns of the lines between the cells."""
    found: set[int] = set()
    at = 0
    for _, width in cells[:-1]:
        at += _WIDE * width
        found.add(at)
    return found


def _rule(above: set[int], below: set[int], ends: str) -> str:
    """A line between two rows, joined to the lines of both."""
    marks = {(False, False): "─", (True, False): "┴", (False, True): "┬", (True, True): "┼"}
    inside = "".join(marks[at in above, at in below] for at in range(1, 8 * _WIDE))
    return f"{ends[0]}{inside}{ends[1]}"
