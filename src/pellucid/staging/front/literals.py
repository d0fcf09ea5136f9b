"""What is written in an interpreter: positions, keys, steps and constants, as they are read off its syntax."""

from __future__ import annotations

import ast
from typing import Any

from pellucid.staging.front.kinds import Kind
from pellucid.staging.memory import Memory


def position(index: ast.expr) -> int | None:
    """The position that a literal index names."""
    return index.value if isinstance(index, ast.Constant) and type(index.value) is int else None


def written_key(index: ast.expr | None) -> str:
    """The text that a key is; empty if it is computed, or no text."""
    return index.value if isinstance(index, ast.Constant) and isinstance(index.value, str) else ""


def is_end(part: ast.Slice) -> bool:
    """Whether a slice is the end of a sequence from a written position on."""
    return part.upper is None and (part.lower is None or (position(part.lower) or 0) > 0)


def number_of(node: ast.expr) -> int:
    """The number that is written, or 0."""
    try:
        found = ast.literal_eval(node)
    except ValueError:
        return 0
    return found if type(found) is int else 0


def outside_kind(value: Any) -> Kind:
    """The kind of a constant of the interpreter."""
    if isinstance(value, tuple | list | dict | str):
        return Kind("given")
    return Kind("memory") if isinstance(value, Memory) else Kind()
