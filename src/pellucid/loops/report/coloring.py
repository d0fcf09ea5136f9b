"""The words of a printed program by their kinds, for pages that show them in colors."""

from __future__ import annotations

import re
from typing import NamedTuple

KEYWORDS = frozenset((
    "abstract", "alloc", "bands", "blocks", "by", "else", "end", "for", "grid", "if", "in", "input", "iterate", "keep",
    "kernel", "lanes", "limit", "local", "loop", "loops", "of", "on", "once", "output", "over", "pass", "select",
    "repeat", "spread", "then", "to", "until", "while",
))  # fmt: skip
_WORDS = re.compile(
    r"(?P<space>\s+)"
    r"|(?P<number>(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?|\b(?:inf|nan|true|false)\b)(?::(?:[iuf]\d+|bool))?)"
    r"|(?P<type>\b(?:[iuf](?:8|16|32|64)|bool)\b)"
    r"|(?P<value>\b[st]\d+\b)"
    r"|(?P<call>[^\W\d]\w*(?:\.\w+)?(?=\())"
    r"|(?P<word>\w+)"
    r"|(?P<sign>:=|[=!<>]=|\.\.|.)",
    re.DOTALL,
)


class Token(NamedTuple):
    """A word of a line: its text, and its kind: space, number, type, value, call, keyword, word or sign."""

    text: str
    kind: str


def tokens(line: str) -> list[Token]:
    """The words of a line, spaces included.

    >>> [token.text for token in tokens("s1 := sqrt(x) * 0.5") if token.kind != "space"]
    ['s1', ':=', 'sqrt', '(', 'x', ')', '*', '0.5']
    """
    found: list[Token] = []
    for word in _WORDS.finditer(line):
        kind = word.lastgroup or "sign"
        found.append(Token(word[0], "keyword" if kind == "word" and word[0] in KEYWORDS else kind))
    return found
