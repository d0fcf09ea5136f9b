"""Writes the generated pages: files under `_generated`, touched only when their content has changed."""

from __future__ import annotations

from pathlib import Path

FOLDER = "_generated"


def write(source: str | Path, name: str, content: str | bytes) -> Path:
    """Put content into a file of the folder of generated pages, and say where that is.

    An unchanged file keeps its date, so that an incremental build does not read its pages again.
    """
    path = Path(source) / FOLDER / name
    data = content.encode() if isinstance(content, str) else content
    if not path.is_file() or path.read_bytes() != data:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return path


def table(header: list[str], rows: list[list[str]]) -> str:
    """A Markdown table; bars within cells are escaped."""
    cells = [header, ["---"] * len(header), *rows]
    return (
        "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in cells)
        + "\n"
    )


def code(text: str) -> str:
    """A run of code in a line of Markdown, whatever quotes it contains; nothing for nothing.

    >>> code("a `b`")
    '`` a `b` ``'
    """
    if not text:
        return ""
    return f"`` {text} ``" if "`" in text else f"`{text}`"
