"""What moves may be told, as people write it: options by name, their values as text, and whether a move takes them.

Between `session`, which makes moves, and the signature of each move's `apply`, which is the one place where its options
stand.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from typing import Any

from ...base.errors import InputError
from ...ir.expr import Expr
from ...ir.nest import For, Kernel, walk
from ...ir.parse import parse_expr
from .move import Move


class _Required:
    """The default of an option that has none."""

    def __repr__(self) -> str:
        return "required"


REQUIRED = _Required()


def options(move: Move) -> dict[str, Any]:
    """A move's own options by name, with their defaults, or REQUIRED.

    >>> from .registry import named
    >>> options(named("spread"))
    {'band': 16}
    """
    found = inspect.signature(move.apply).parameters.values()
    return {
        p.name: REQUIRED if p.default is p.empty else p.default
        for p in found
        if p.kind is p.KEYWORD_ONLY and p.name != "ranges"
    }


def checked(move: Move, kernel: Kernel, chosen: Mapping[str, Any]) -> dict[str, Any]:
    """Options as the move takes them: single values as sequences, texts as expressions, where that is asked for."""
    known = options(move)
    for name in chosen:
        if name not in known:
            fix = f"its options: {', '.join(known)}" if known else "it takes none"
            raise InputError(f"{move.name} has no option {name!r}", fix=fix)
    missing = [name for name, default in known.items() if default is REQUIRED and name not in chosen]
    if missing:
        raise InputError(f"{move.name} needs {missing[0]}=…", fix=f"say {move.name} PLACE {missing[0]}=VALUE")
    kinds = {p.name: str(p.annotation) for p in inspect.signature(move.apply).parameters.values()}
    return {name: _fitted(name, kinds[name], kernel, value) for name, value in chosen.items()}


_KINDS: dict[str, tuple[str, Any]] = {
    "int": ("a whole number", int),
    "int | None": ("a whole number", int),
    "float": ("a number", int | float),
    "bool": ("true or false", bool),
    "str": ("a word", str),
    "str | None": ("a word", str),
}


def _fitted(name: str, kind: str, kernel: Kernel, value: Any) -> Any:
    """An option's value as the kind of parameter wants it: a tuple of it, or of the expressions that it names."""
    if kind in _KINDS:
        words, types = _KINDS[kind]
        if not isinstance(value, types) or (isinstance(value, bool) and kind != "bool"):
            raise InputError(f"{written(value)} is not {words}", place=name, fix=f"write {name}={words}")
        return value
    if not any(word in kind for word in ("Sequence", "tuple", "Iterable", "Collection")):
        return value
    values: list[Any] = [*value] if isinstance(value, tuple) else [value]
    return tuple(_expression(kernel, v) for v in values) if "Expr" in kind else tuple(values)


def _expression(kernel: Kernel, value: Any) -> Any:
    """An expression that is written over the loop variables and parameters of a kernel."""
    if isinstance(value, Expr):
        return value
    leaves: dict[str, Expr] = {str(s.index.attr): s.index for s in walk(kernel.body) if isinstance(s, For)}
    leaves |= {str(p.attr): p for p in kernel.params}
    text = re.sub(
        r"(?<![%$\w])[A-Za-z_]\w*", lambda m: repr(leaves[m[0]]) if m[0] in leaves else m[0], str(value)
    )
    (found,) = parse_expr(text)
    return found


def written(value: Any) -> str:
    """An option's value as it is typed.

    >>> written(True), written((8, 8)), written("rows")
    ('true', '8,8', 'rows')
    """
    if isinstance(value, tuple):
        return ",".join(map(written, value))  # pyright: ignore[reportUnknownArgumentType]
    return str(value).lower() if isinstance(value, bool) else str(value).replace(" ", "")


def value_of(text: str) -> Any:
    """The value that is written for an option; `session.written` is the other way.

    >>> value_of("8"), value_of("8,8"), value_of("true"), value_of("rows"), value_of("0.5")
    (8, (8, 8), True, 'rows', 0.5)
    >>> value_of("y,mod(x,8)")
    ('y', 'mod(x,8)')
    """
    parts = re.findall(r"[^,(]*(?:\([^)]*\)[^,(]*)*", text)
    parts = [part for part in parts if part]
    if len(parts) > 1:
        return tuple(value_of(part) for part in parts)
    if text in ("true", "false"):
        return text == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def option_of(word: str) -> tuple[str, Any]:
    """An option written as NAME=VALUE.

    Raises InputError for anything else.
    """
    name, equals, value = word.partition("=")
    if not equals or not name.isidentifier() or not value:
        raise InputError(f"{word!r} is no option", fix="write it as NAME=VALUE")
    return name, value_of(value)
