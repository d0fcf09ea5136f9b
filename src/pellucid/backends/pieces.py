"""Spellings of rows as pieces, for back ends that print text: what stands between operands, and the operands.

Below the back ends. A spelling has holes: `{0}` is the first operand, `{T}` a word that the language fills in.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from ..base.errors import BackendError

Piece: TypeAlias = "str | tuple[int, bool]"
"""Text, or the number of an operand and whether it stands alone between commas or parentheses."""
HOLE = re.compile(r"\{([^{}]*)\}")


def pieces_of(spelling: str, words: Mapping[str, str], place: str) -> tuple[Piece, ...]:
    """The pieces of a spelling; `words` fill the holes that are no operands.

    Raises BackendError that names the place for a hole without a word.

    >>> pieces_of("f({0}, {1} + {T}(1))", {"T": "int"}, "row")
    ('f(', (0, True), ', ', (1, False), ' + ', 'int', '(1))')
    """
    found: list[Piece] = []
    parts = HOLE.split(spelling)
    for k, part in enumerate(parts):
        if k % 2 == 0:
            found.append(part)
        elif part.isdigit():
            alone = parts[k - 1].rstrip()[-1:] in "(," and parts[k + 1].lstrip()[:1] in ",)"
            found.append((int(part), alone))
        elif part in words:
            found.append(words[part])
        else:
            raise BackendError(f"its spelling has an unknown hole {{{part}}}", place=place)
    return tuple(found)


def counts_of(pieces: Sequence[Piece], arity: int) -> tuple[int, ...]:
    """How often each operand occurs.

    >>> counts_of([(1, True), " + ", (1, False)], 2)
    (0, 2)
    """
    used = [piece[0] for piece in pieces if not isinstance(piece, str)]
    return tuple(used.count(k) for k in range(arity))


def joined(pieces: Sequence[Piece], alone: Sequence[str], operands: Sequence[str]) -> str:
    """The text with its operands: what stands for each where it is alone, and where it is not.

    >>> joined([(0, False), " * 2"], ["a + b"], ["(a + b)"])
    '(a + b) * 2'
    """
    return "".join([p if isinstance(p, str) else alone[p[0]] if p[1] else operands[p[0]] for p in pieces])
