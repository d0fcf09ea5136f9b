"""S-expressions: text to forms that know where they stand, and trees back to text that a person can read.

The lowest part of `loops.hops`: it knows parentheses and nothing of the language. Forms nest to any depth, so nothing
here recurses.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from ...base.errors import TextError
from ...base.record import record

_TOKEN = re.compile(r"\s+|;[^\n]*|(?P<word>[()']|[^\s()';\"]+)")
WIDTH = 88
_MAX_SHOWN = 100


@record(eq=False)
class HopsForm:
    """An atom (`items` is None) or a list, with the offset in the text where it starts."""

    at: int
    atom: str = ""
    items: tuple[HopsForm, ...] | None = None

    @property
    def head(self) -> str:
        """The first item of a list, if that is an atom; otherwise an empty text."""
        return self.items[0].atom if self.items else ""


class HopsSource:
    """A text that is being read, for errors that show the place."""

    def __init__(self, text: str) -> None:
        """Keep the text."""
        self.text = text

    def error(self, at: int | HopsForm, message: str, fix: str | None = None) -> TextError:
        """An error that names line and column, and shows the line with a caret under the place."""
        offset = at.at if isinstance(at, HopsForm) else at
        start = self.text.rfind("\n", 0, offset) + 1
        end = self.text.find("\n", offset)
        line, column = self.text[start : end if end >= 0 else None], offset - start
        place = f"line {self.text.count(chr(10), 0, offset) + 1}, column {column + 1}"
        # Of a very long line only the surroundings are shown.
        first = max(0, column - _MAX_SHOWN // 2) if len(line) > _MAX_SHOWN else 0
        shown = line[first : first + _MAX_SHOWN].rstrip()
        pad = "".join("\t" if c == "\t" else " " for c in line[first:column])
        return TextError(message, place=place, fix=f"{fix or 'see here'}\n  {shown}\n  {pad}^")

    def forms(self) -> list[HopsForm]:
        """The forms of the text, in order; ``'x`` is ``(quote x)``.

        Raises TextError for parentheses without a partner and for strings.
        """
        found: list[HopsForm] = []
        open_: list[tuple[int, list[HopsForm]]] = []
        quotes: list[tuple[int, int]] = []
        at = 0
        while at < len(self.text):
            match = _TOKEN.match(self.text, at)
            if match is None:
                raise self.error(at, "a string has no meaning here", "write names without quotation marks")
            word = match["word"]
            start, at = at, match.end()
            if word is None:
                continue
            if word == "(":
                open_.append((start, []))
                continue
            if word == "'":
                quotes.append((len(open_), start))
                continue
            if word == ")":
                if not open_ or (quotes and quotes[-1][0] == len(open_)):
                    raise self.error(start, "nothing is open that could be closed", "remove the parenthesis")
                began, items = open_.pop()
                form = HopsForm(began, items=tuple(items))
            else:
                form = HopsForm(start, word)
            while quotes and quotes[-1][0] == len(open_):
                began = quotes.pop()[1]
                form = HopsForm(began, items=(HopsForm(began, "quote"), form))
            (open_[-1][1] if open_ else found).append(form)
        if open_:
            raise self.error(open_[-1][0], "this parenthesis is never closed", "add ')'")
        if quotes:
            raise self.error(quotes[-1][1], "nothing follows the quote", "remove it")
        return found


# ---- back to text ----


class Tree:
    """A text to be printed: an atom, or a group with its width on one line and its number of statements."""

    __slots__ = ("items", "statements", "text", "width")

    def __init__(self, content: str | Iterable[Tree]) -> None:
        """Measure an atom or a group."""
        if isinstance(content, str):
            self.text, self.items, self.width, self.statements = content, (), len(content), 0
            return
        self.text, self.items = "", tuple(content)
        self.width = 2 + sum(i.width for i in self.items) + max(0, len(self.items) - 1)
        inside = sum(i.statements for i in self.items)
        header = bool(self.items) and self.items[0].text in _HEADERS
        # Several statements are easier to read one below the other.
        self.statements = inside + (header or inside > 1)

    def __str__(self) -> str:
        """The text on one line."""
        out: list[str] = []
        stack: list[Tree | str] = [self]
        while stack:
            t = stack.pop()
            if isinstance(t, str):
                out.append(t)
            elif t.text:
                out.append(t.text)
            else:
                stack.append(")")
                for k, item in enumerate(reversed(t.items)):
                    stack += [item, " "] if k + 1 < len(t.items) else [item]
                stack.append("(")
        return "".join(out)


_HEADERS = {":=": 2, "for": 4, "if": 2, "while": 2, "local": 2, "lanes": 2, "spread": 2, "grid": 2} | {
    "place": 2,
    "repeat": 2,
    "select": 2,
    "once": 3,
}
"""The statements, and how many of their items stand on the first line."""
_MAX_STATEMENTS = 2


def layout(tree: Tree, width: int = WIDTH) -> str:
    """The text of a tree: on one line if it fits and is simple, else a statement's parts on lines of their own.

    >>> assign = Tree([Tree(":="), Tree("s"), Tree("0")])
    >>> print(layout(Tree([Tree("if"), Tree("b"), assign, Tree([])])))
    (if b (:= s 0) ())
    >>> print(layout(Tree([assign, assign, assign])))
    ((:= s 0)
     (:= s 0)
     (:= s 0))
    """
    out: list[str] = []
    column = margin = 0
    stack: list[Tree | str | int] = [tree]

    def write(text: str) -> None:
        nonlocal column
        out.append(text)
        column += len(text)

    while stack:
        t = stack.pop()
        if isinstance(t, int):
            out.append("\n" + " " * t)
            column = margin = t
        elif isinstance(t, str):
            write(t)
        elif not t.items or (
            t.statements <= _MAX_STATEMENTS
            and (column + t.width <= max(width, margin + width // 2) or (not t.statements and column > width))
        ):
            write(str(t))
        else:
            start = column
            head = t.items[0].text
            first = _HEADERS.get(head, 2 if head and len(t.items) > 2 else 1)
            # A statement's blocks are indented by two, the items of a compound by one, operands stand below another.
            below = start + (2 if head in _HEADERS else 1 if not head else len(head) + 2)
            parts: list[Tree | str | int] = ["("]
            for k, item in enumerate(t.items):
                parts += [item] if not k else [" " if k < first else below, item]
            stack += reversed([*parts, ")"])
    return "".join(out)
