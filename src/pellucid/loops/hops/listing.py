"""A program as a numbered list of statements, and the sites that the numbers name.

Numbers go down the page, outer statements first; 0 is the whole program. People and saved scripts name sites by them,
or by the name of a loop's index or of a stored buffer where only one statement has it.
"""

from __future__ import annotations

from ...base.errors import InputError, did_you_mean
from ...base.record import record
from ...ir.nest import For, Kernel, Statement, Store
from ...ir.path import Path, describe, walk
from ...ir.text import Printer, nest_lines

WHOLE = 0
"""The number of the whole program."""


@record
class TextPosition:
    """A statement of a listing: its number, its path, where it stands in words, and its line."""

    number: int
    path: Path
    words: str
    line: str


@record
class ListingRow:
    """A line of a listing, with the number of the statement that starts on it."""

    number: int | None
    text: str


def rows(kernel: Kernel, *, plain: bool = True) -> list[ListingRow]:
    r"""The lines of a program, without the header, each with the number of the statement that starts on it.

    >>> from ...ir.parse import parse_nest
    >>> rows(parse_nest("kernel k():\n  output a: i32[9]\n  for i in 0 .. 9:\n    a[i] := 0\n"))
    [ListingRow(number=1, text='for i in 0 .. 9:'), ListingRow(number=2, text='  a[i] := 0')]
    """
    printer = Printer(plain=plain)
    lines = nest_lines(kernel, printer)
    numbers = {start: k for k, start in enumerate(printer.starts, 1)}
    first = min(numbers, default=len(lines))
    # Abbreviations of the first statement stand before it, after the header.
    head = sum(line.startswith(("kernel ", "  output ", "  input ")) for line in lines)
    return [ListingRow(numbers.get(k), line[2:]) for k, line in enumerate(lines) if k >= min(head, first)]


def header(kernel: Kernel) -> list[str]:
    r"""The parameters and buffers of a program, one line each.

    >>> from ...ir.parse import parse_nest
    >>> header(parse_nest("kernel k(n: i32):\n  output a: i32[9]\n  for i in 0 .. n:\n    a[i] := 0\n"))
    ['parameter n: i32', 'output a: i32[9]']
    """
    lines = nest_lines(kernel, Printer(plain=True))
    declared = [line.strip() for line in lines if line.startswith(("  output ", "  input "))]
    return [*(f"parameter {p.attr}: {p.type}" for p in kernel.params), *declared]


def places(kernel: Kernel) -> list[TextPosition]:
    """Every statement of a program, in the order of its numbers."""
    lines = {row.number: row.text.strip() for row in rows(kernel) if row.number is not None}
    return [
        TextPosition(k, path, describe(kernel.body, path), lines[k])
        for k, (path, _) in enumerate(walk(kernel.body), 1)
    ]


def whole(kernel: Kernel) -> TextPosition:
    """The place of the whole program."""
    return TextPosition(WHOLE, (), f"kernel {kernel.name}", "the whole program")


def place(kernel: Kernel, which: int | str | Path, among: frozenset[Path] | None = None) -> TextPosition:
    """The statement that a number, a name or a path means.

    A name that several statements have means the one that is `among` given paths, if only one is.
    Raises InputError that lists what there is.
    """
    known = places(kernel)
    if isinstance(which, tuple):
        found = [p for p in (whole(kernel), *known) if p.path == which]
        if not found:
            raise InputError("there is no statement at this path", place=str(which))
        return found[0]
    if isinstance(which, int) or (which.isascii() and which.isdigit()):
        number = int(which)
        if number > len(known):
            raise InputError(f"there is no statement {number}", fix=f"statements are 1 to {len(known)}")
        return whole(kernel) if number == WHOLE else known[number - 1]
    statements: list[Statement] = [s for _, s in walk(kernel.body)]
    found = [p for p, s in zip(known, statements, strict=True) if _name(s) == which]
    if len(found) > 1 and among is not None:
        found = [p for p in found if p.path in among] or found
    if len(found) == 1:
        return found[0]
    if found:
        numbers = ", ".join(str(p.number) for p in found)
        raise InputError(
            f"several statements are called {which!r}", fix=f"say which by its number: {numbers}"
        )
    names = dict.fromkeys(name for s in statements if (name := _name(s)) is not None)
    fix = did_you_mean(which, names) or f"give a number from 0 (the whole program) to {len(known)}"
    raise InputError(f"no statement is called {which!r}", fix=fix)


def _name(s: Statement) -> str | None:
    """The name of a statement: a loop's index, a store's buffer."""
    if isinstance(s, For):
        return str(s.index.attr)
    return s.buffer.name if isinstance(s, Store) else None
