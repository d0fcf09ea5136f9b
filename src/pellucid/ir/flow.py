"""Flow graphs over words of 64 bits: blocks that hand words to each other, also through a word; pairs in an arena.

Codes of `staging.root` become such graphs, and `backends.flow` machine code. An instruction is a tuple that begins with
its operator; registers are integers, bound once each, and those below 0 are constants. A failure is a number from 1 up.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

INTEGER, BOOLEAN, REAL, NIL, TEXT, CODE, MEMORY, VECTOR, PAIR, CLOSURE = 0, 1, 2, 4, 5, 6, 8, 9, 10, 11
"""Tags: they say what a word is; half of a tag is the class within which values are compared."""

Instruction: TypeAlias = tuple[Any, ...]
"""One of these; a failure of 0 cannot happen.

(add|sub|mul|div|mod|shl|shr d a b failure) exact and rounded down, (real_div|real_mod d a b) of the bits of reals,
as Python rounds them, (whole d a) a real rounded towards zero, (and|or|xor|eq|lt d a b), (is0 d a),
(select d c a b), (require c failure), (pair d car cdr tags word ...), (car|cdr|tags d p), (field d p number) of a
word from the fourth on, (within d memory a distance), (load d memory index failure), (store memory index value
failure), (row d row a ...), (fixed d number), (if c stream), (unless c block args), and at the end of a stream (go
block args), (switch w ((block args) ...)), (give value tag) or (fail failure). Shifts are by 0 to 63 bits, quotients
by what is not 0, and `whole` is of what fits in 64 bits: whoever writes a graph sees to that.
"""
Stream: TypeAlias = "list[Instruction]"


class BasicBlock(NamedTuple):
    """A code: `roots` are those of its parameters that may be pairs, each with its tag's register or None.

    `reals` are those of its parameters whose words are the bits of real numbers.
    """

    name: str
    params: tuple[int, ...]
    roots: tuple[tuple[int, int | None], ...]
    body: Stream
    reals: frozenset[int] = frozenset()


class FlowRow(NamedTuple):
    """A row of the operator table on values of types; `reals` tells of which operands the words are real numbers."""

    name: str
    types: tuple[Any, ...]
    result: Any
    attr: Any
    reals: tuple[bool, ...]


class Failure(NamedTuple):
    """The error of a failure: message, place and fix; of an input, or of the program."""

    message: str
    place: str
    fix: str
    is_input: bool = False


class Graph(NamedTuple):
    """A program: the first block gets the arguments; register ~k is constant k.

    `memories` are the types of arrays by name, and text k is the one of the number k + 1. `pairs` are constants: halves
    and tags, where a half that is a pair is its number. All registers are below the number `registers`.
    """

    name: str
    blocks: list[BasicBlock]
    constants: list[int]
    failures: list[Failure]
    memories: dict[str, Any]
    texts: list[str]
    pairs: list[tuple[int, int, int]]
    registers: int
