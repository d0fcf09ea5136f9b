"""Draws the table of the README as a chart: how many times as long as pellucid its peers take, on a logarithmic axis.

Each peer has a bar for the processor of the table and a thin one for the other processor, where it was measured there.
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
class Peer:
    """What a peer took: its name, how many times as long as pellucid, and the same on the other processor if known."""

    name: str
    times: float
    elsewhere: float | None


@dataclass(frozen=True)
class Row:
    """A row of the table: what is measured, and its peers."""

    name: str
    peers: tuple[Peer, ...]


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

    >>> table = "| | pellucid | beside | AVX2 |\n|---|---|---|---|\n| a | 1 ms | 2 ms, C; 4 ms, NumPy | 2.5; - |"
    >>> rows("## Measured\n\n" + table)[0].peers[0]
    Peer(name='C', times=2.0, elsewhere=2.5)
    """
    table = text.partition("## Measured")[2].partition("\n## ")[0]
    found: list[Row] = []
    for line in table.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("|") and len(cells) == 4 and _NUMBER.search(cells[1]):
            own = milliseconds(cells[1])
            peers = [peer.partition(", ") for peer in cells[2].split("; ")]
            other = [None if times == "-" else float(times) for times in cells[3].split("; ")]
            made = [
                Peer(name, milliseconds(time) / own, elsewhere)
                for (time, _, name), elsewhere in zip(peers, other, strict=True)
            ]
            found.append(Row(cells[0], tuple(made)))
    return found


def drawn(found: list[Row]) -> str:
    """The chart as SVG."""
    scale = (WIDTH - LEFT - RIGHT) / math.log2(MAX_TIMES)
    parts: list[str] = []
    y = TOP

    def length(times: float) -> float:
        return max(scale * math.log2(max(times, 1.0)), 2)

    for row in found:
        label = html.escape(_DETAIL.sub("", row.name))
        parts.append(f'<text x="{LEFT - 12}" y="{y + 14}" text-anchor="end">{label}</text>')
        for peer in row.peers:
            bar = length(peer.times)
            parts.append(f'<rect x="{LEFT}" y="{y}" width="{bar:.1f}" height="{BAR - 8}" rx="2"/>')
            said = f"{peer.times:.2g}"
            if peer.elsewhere is not None:
                thin = length(peer.elsewhere)
                parts.append(
                    f'<rect x="{LEFT}" y="{y + BAR - 7}" width="{thin:.1f}" height="3" rx="1" class="other"/>'
                )
                bar, said = max(bar, thin), f"{said}, {peer.elsewhere:.2g}"
            named = html.escape(f"{said} × {peer.name}")
            parts.append(f'<text x="{LEFT + bar + 6:.1f}" y="{y + 12}" class="peer">{named}</text>')
            y += BAR
        y += GAP
    lines = "".join(
        f'<line x1="{LEFT + scale * k:.1f}" x2="{LEFT + scale * k:.1f}" y1="{TOP - 8}" y2="{y - GAP}"/>'
        f'<text x="{LEFT + scale * k:.1f}" y="{TOP - 14}" text-anchor="middle" class="peer">{2**k}</text>'
        for k in range(0, int(math.log2(MAX_TIMES)) + 1, 2)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y}" font-family="sans-serif" font-size="13">'
        "<title>How many times as long as pellucid others take, on two processors</title>"
        "<style>text{fill:#1b1b2b}.peer{fill:#5b5b6b;font-size:12px}rect{fill:#7b4bd6}.other{fill:#c2a9f0}"
        "line{stroke:#ddd}</style>"
        f'<path d="M0 0H{WIDTH}V{y}H0Z" fill="#fff"/>'
        f'<text x="{LEFT}" y="20" font-weight="bold">times as long as pellucid (1 = as long): '
        "with AVX-512, and thin with AVX2</text>"
        f"{lines}{''.join(parts)}</svg>\n"
    )


def main() -> None:
    """Write the chart."""
    CHART.write_text(drawn(rows(README.read_text(encoding="utf-8"))), encoding="utf-8")
    print(CHART.relative_to(ROOT))


if __name__ == "__main__":
    main()
