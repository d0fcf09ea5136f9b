"""Generates the page of operators from the operator table: what the compiler knows is what the reader sees."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Mapping
from typing import TYPE_CHECKING

import pages
from pellucid.backends.tiles.tape import rows as tape_rows
from pellucid.ir import prim, prims

if TYPE_CHECKING:
    from sphinx.application import Sphinx


def laws(row: prim.Prim) -> str:
    """The algebraic laws of a row, in words."""
    said = [
        f"{verb} ({', '.join(kinds)})"
        for verb, kinds in (
            ("commutes", row.laws.commutes),
            ("associates", row.laws.associates),
            ("idempotent", row.laws.idempotent),
        )
        if kinds
    ]
    for what, values in (("identity", row.laws.identity), ("absorbs", row.laws.absorbing)):
        said += [f"{what} {pages.code(str(value))} ({kind})" for kind, value in values.items()]
    return "; ".join(said)


def accuracy(row: prim.Prim) -> str:
    """The stated error of a row."""
    return ", ".join(f"{bound:g} ULP ({type_})" for type_, bound in row.ulp.items()) or "exact"


def bounds(row: prim.Prim) -> str:
    """Where the bounds of the result over an interval of operands come from (see `reasoning.intervals`)."""
    if row.interval is not None:
        return "a rule"
    if row.monotone:
        return "the ends"
    return "points" if row.body is None else "the body"


def spelled(row: prim.Prim, language: str) -> str:
    """How a back end's language writes the operator; rows with a body are expanded before."""
    if row.body is not None:
        return "by expansion"
    templates: Mapping[str, str] = getattr(row, language)
    return ", ".join(brief(each) for each in dict.fromkeys(templates.values()))


def brief(template: str) -> str:
    """A short template as it is; a longer one by its length."""
    lines = template.splitlines()
    if len(lines) > 1:
        return f"{len(lines)} lines"
    return pages.code(template) if len(template) <= 64 else "a longer expression"


def page() -> str:
    """The page, one table for each family of rows."""
    header = ["operator", "types", "gives", "laws", "accuracy", "bounds", "sign of zero", "cost", "LLVM", "C"]
    parts: list[str] = []
    listed = [
        importlib.import_module(f"{prims.__name__}.{m.name}") for m in pkgutil.iter_modules(prims.__path__)
    ]
    for family in [*sorted(listed, key=lambda family: family.__name__), tape_rows]:
        rows: tuple[prim.Prim, ...] = getattr(family, "ROWS", ())
        if not rows:
            continue
        title, _, text = (inspect.getdoc(family) or family.__name__).partition(":")
        parts += [f"## {title}\n", f"{text.strip()}\n"]
        parts.append(
            pages.table(
                header,
                [
                    [
                        pages.code(row.name),
                        pages.code(row.signature),
                        row.doc,
                        laws(row),
                        accuracy(row),
                        bounds(row),
                        row.zero_sign,
                        f"{row.cost:g}",
                        spelled(row, "llvm"),
                        spelled(row, "c"),
                    ]
                    for row in rows
                ],
            )
        )
    return "\n".join(parts)


def setup(app: Sphinx) -> dict[str, bool]:
    """Have the page written before the documents are read."""
    app.connect("builder-inited", lambda app: pages.write(app.srcdir, "operators.md", page()))
    return {"parallel_read_safe": True}
