"""Draws the table of the README as a chart: how many times as long as pellucid its peers take, on a logarithmic axis.

Run by `scripts/bench --chart`, which writes `docs/images/measured.svg`. The table is the one place for the figures.
"""

from __future__ import annotations

import html
import math
import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
CHART = ROOT / "docs" / "images" / "measured.svg"

WIDTH, LEFT, RIGHT, TOP = 1000, 440, 300, 56
BAR, GAP = 20, 14
"""Units of the drawing: its width, the margins, the height of a bar, and the gap between rows."""
MAX_TIMES = 64
"""Times at the right end of the axis."""
_DETAIL = re.compile(r", (\d+ threads|\d+ × \d+( × 3 floats)?)")
"""The parts of a name for which there is no room beside a bar."""
_NUMBER = re.compile(r"([\d.]+)(?: or [\d.]+)? (ms|s)\b")


@dataclass(frozen=True)
class Row:
    """A row of the table: what is measured, pellucid's milliseconds, and those of each peer by name."""

    name: str
    own: float
    peers: tuple[tuple[str, float], ...]


def milliseconds(text: str) -> float:
    """The first of the figures of a cell.

    >>> milliseconds("2.1 or 14 ms"), milliseconds("0.67 or 0.66 s")
    (2.1, 670.0)
    """
    found = _NUMBER.search(text)
    if found is None:
        raise ValueError(f"there is no time in {text!r}")
    return round(float(found[1]) * (1000 if found[2] == "s" else 1), 6)


def rows(text: str) -> list[Row]:
    r"""The rows of the table under the heading "Measured".

    >>> rows("## Measured\n\n| | pellucid | beside |\n|---|---|---|\n| a | 1 ms | 2 ms, C; 4 ms, NumPy |\n")
    [Row(name='a', own=1.0, peers=(('C', 2.0), ('NumPy', 4.0)))]
    """
    table = text.partition("## Measured")[2].partition("\n## ")[0]
    found: list[Row] = []
    for line in table.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("|") and len(cells) == 3 and _NUMBER.search(cells[1]):
            peers = [peer.partition(", ") for peer in cells[2].split("; ")]
            named = tuple((name or cells[2], milliseconds(time)) for time, _, name in peers)
            found.append(Row(cells[0], milliseconds(cells[1]), named))
    return found


def drawn(found: list[Row]) -> str:
    """The chart as SVG."""
    scale = (WIDTH - LEFT - RIGHT) / math.log2(MAX_TIMES)
    parts: list[str] = []
    y = TOP
    for row in found:
        label = html.escape(_DETAIL.sub("", row.name))
        parts.append(f'<text x="{LEFT - 12}" y="{y + 14}" text-anchor="end">{label}</text>')
        for name, time in row.peers:
            times = time / row.own
            length = max(scale * math.log2(max(times, 1.0)), 2)
            parts.append(f'<rect x="{LEFT}" y="{y}" width="{length:.1f}" height="{BAR - 4}" rx="2"/>')
            said = html.escape(f"{times:.2g} × {name}")
            parts.append(f'<text x="{LEFT + length + 6:.1f}" y="{y + 13}" class="peer">{said}</text>')
            y += BAR
        y += GAP
    lines = "".join(
        f'<line x1="{LEFT + scale * k:.1f}" x2="{LEFT + scale * k:.1f}" y1="{TOP - 8}" y2="{y - GAP}"/>'
        f'<text x="{LEFT + scale * k:.1f}" y="{TOP - 14}" text-anchor="middle" class="peer">{2**k}</text>'
        for k in range(0, int(math.log2(MAX_TIMES)) + 1, 2)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y}" font-family="sans-serif" font-size="13">'
        "<title>How many times as long as pellucid others take</title>"
        "<style>text{fill:#1b1b2b}.peer{fill:#5b5b6b;font-size:12px}rect{fill:#7b4bd6}line{stroke:#ddd}</style>"
        f'<path d="M0 0H{WIDTH}V{y}H0Z" fill="#fff"/>'
        f'<text x="{LEFT}" y="20" font-weight="bold">times as long as pellucid (1 = as long)</text>'
        f"{lines}{''.join(parts)}</svg>\n"
    )


def main() -> None:
    """Write the chart."""
    CHART.write_text(drawn(rows(README.read_text(encoding="utf-8"))), encoding="utf-8")
    print(CHART.relative_to(ROOT))


if __name__ == "__main__":
    main()
