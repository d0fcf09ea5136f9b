"""The text of a document before it is read: limits that hostile texts meet, and Python's own parser.

Nothing is executed. Offsets of Python's tree count bytes of lines; `Places` makes code points of the text of them.
"""

from __future__ import annotations

import ast
import re
import threading
import unicodedata
import warnings

from .tree import Diagnostic

MAX_CHARACTERS = 100_000
"""Maximum characters of a document."""
MAX_TOKENS = 8_000
"""Maximum names, numbers and signs of a document."""
MAX_NESTING = 60
"""Maximum brackets within brackets."""
MAX_DEPTH = 100
"""Maximum depth of an expression's tree, such as operators in a row."""
MAX_DIGITS = 400
"""Maximum digits of a number."""

_BIDI = re.compile("[\u202a-\u202e\u2066-\u2069]")
_TOKENS = re.compile(r"\w+|[^\w\s]")
_RUN = re.compile(r"(?:[-+~]\s*){100}|(?:\bnot\s+){100}|(?:\blambda\b[^:\n]*:\s*){50}")
_parsing = threading.Lock()


class Places:
    """Offsets in a text of the places that Python's tree tells: lines from 1, and bytes of a line in UTF-8.

    `skipped` characters stand before the text that was parsed, such as a mark of the byte order.
    """

    def __init__(self, text: str, skipped: int = 0) -> None:
        self._lines = re.split(r"(?<=\n)|(?<=\r)(?!\n)", text)
        self._starts = [skipped]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line))

    def offset(self, line: int, column: int) -> int:
        """The offset of a place."""
        line = min(max(line, 1), len(self._lines))
        text = self._lines[line - 1]
        if not text.isascii():
            column = len(text.encode("utf-8", "surrogatepass")[:column].decode("utf-8", "ignore"))
        return self._starts[line - 1] + min(column, len(text))

    def span(self, node: ast.AST) -> tuple[int, int]:
        """The span of a node that has a place."""
        at: ast.expr = node  # pyright: ignore[reportAssignmentType]
        return self.offset(at.lineno, at.col_offset), self.offset(
            at.end_lineno or at.lineno, at.end_col_offset or 0
        )


def hostile(text: str) -> Diagnostic | None:
    """The limit that a text exceeds, before it is parsed; None for a text that may be."""
    if len(text) > MAX_CHARACTERS:
        return Diagnostic(
            0, 0, f"the document has {len(text)} characters", hint=f"keep it below {MAX_CHARACTERS}"
        )
    found = _BIDI.search(text)
    if found is not None:
        hint = "delete it: text around it reads otherwise than it runs"
        return Diagnostic(
            found.start(), found.end(), "a character that changes the direction of text", hint=hint
        )
    tokens = len(_TOKENS.findall(text))
    if tokens > MAX_TOKENS:
        return Diagnostic(
            0, 0, f"the document has {tokens} names and signs", hint=f"keep it below {MAX_TOKENS}"
        )
    found = _RUN.search(text)
    if found is not None:
        return Diagnostic(
            found.start(), found.end(), "too many signs in a row", hint="give parts of it a name"
        )
    depth = 0
    for found in re.finditer(r"[(\[{)\]}]", text):
        depth += 1 if found.group() in "([{" else -1
        if depth > MAX_NESTING:
            return Diagnostic(
                found.start(), found.end(), f"more than {MAX_NESTING} brackets within brackets",
                hint="give parts of it a name",
            )  # fmt: skip
    return None


def parsed(text: str) -> ast.Module | Diagnostic:
    """Python's tree of a text, or what keeps it from being read."""
    refused = hostile(text)
    if refused is not None:
        return refused
    try:
        with _parsing, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except SyntaxError as error:
        places = Places(text)
        line, column = error.lineno or 1, max((error.offset or 1) - 1, 0)
        start = min(places.offset(line, 0) + column, len(text))
        return Diagnostic(
            start, min(start + 1, len(text)), f"this is no Python: {error.msg}", hint="mend the text"
        )
    except (ValueError, MemoryError, RecursionError) as error:
        told = "a character that no text has" if isinstance(error, ValueError) else "it is nested too deeply"
        return Diagnostic(0, 0, f"this cannot be read: {told}", hint="undo the last change")


def depth_of(node: ast.AST, limit: int = MAX_DEPTH) -> bool:
    """Whether the tree below a node is deeper than the limit."""
    level = [node]
    for _ in range(limit):
        level = [child for parent in level for child in ast.iter_child_nodes(parent)]
        if not level:
            return False
    return True


def letters_of_others(name: str) -> str:
    """A hint about letters that look like those of another alphabet; empty where there are none.

    >>> letters_of_others("dіsk"), letters_of_others("disk")
    ("'і' is CYRILLIC SMALL LETTER BYELORUSSIAN-UKRAINIAN I", '')
    """
    odd = next((c for c in name if not c.isascii()), None)
    return f"{odd!r} is {unicodedata.name(odd, 'a letter without a name')}" if odd is not None else ""
