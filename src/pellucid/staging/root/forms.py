"""S-expressions: lists of lists and words, from text. `reading` makes codes of them, `times.text` binding times."""

from __future__ import annotations

import re
from typing import TypeAlias

from pellucid.base.errors import TextError

_TOKEN = re.compile(r"""[()]|"(?:[^"\\]|\\.)*"?|[^\s()"]+""")
_CLOSED = re.compile(r"""[^"].*|"(?:[^"\\]|\\.)*\"""", re.DOTALL)
_MAX_DEPTH = 100

Form: TypeAlias = "str | list[Form]"


def expressions(text: str) -> list[Form]:
    """The S-expressions in a text: lists of lists and words.

    >>> expressions("(car k)(k m)")
    [['car', 'k'], ['k', 'm']]
    """
    stack: list[list[Form]] = [[]]
    for word in _TOKEN.findall(text):
        if word == "(":
            stack.append([])
            if len(stack) > _MAX_DEPTH:
                raise TextError(
                    "too many parentheses inside of each other", place=text, fix="name the inner values"
                )
        elif word == ")":
            if len(stack) == 1:
                raise TextError("a parenthesis closes nothing", place=text, fix="remove it")
            done = stack.pop()
            stack[-1].append(done)
        elif not _CLOSED.fullmatch(word):
            raise TextError("a text is not closed", place=word, fix='close it with "')
        else:
            stack[-1].append(word)
    if len(stack) > 1:
        raise TextError("a parenthesis is not closed", place=text, fix="close it")
    return stack[0]
