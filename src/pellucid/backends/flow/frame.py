"""How the code of a flow graph is called: ``code(frame)``, with words of a frame for all that goes in and out.

The code returns 0, or the number of a failure. Pairs are three words: halves and tags. A record is a pair with more
words after these: byte 2 of its tags is one more than their number, and their tags are the bytes after it. Blocks that
allocate ask first for room for all their pairs; where there is none, the collector gets what their parameters hold, and
nothing else lives, since control and all frames of a program are such values. Heads of other loops ask now and then if
they go on.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import NamedTuple

from ...ir.flow import Graph, Stream

PAIR_BYTES = 24
FULL, STOPPED = -1, -2
"""Failures of any program: there is no room for pairs; a signal's handler raised an error."""


class FrameWord(IntEnum):
    """Words of a frame; after them come its memories, address and length, then the arguments, then room for roots."""

    RESULT = 0
    TAG = 1
    FREE = 2
    LIMIT = 3
    QUESTION = 4
    COLLECT = 5
    SPACE = 6
    OTHER = 7
    SIZE = 8
    SLOTS = 9
    FIXED = 10
    MEMORIES = 11


def arguments_at(graph: Graph) -> int:
    """The first word of arguments."""
    return FrameWord.MEMORIES + 2 * len(graph.memories)


def roots_at(graph: Graph) -> int:
    """The first word for roots."""
    return arguments_at(graph) + len(graph.blocks[0].params)


def frame_words(graph: Graph) -> int:
    """The number of words of a frame."""
    return roots_at(graph) + 2 * max(len(block.roots) for block in graph.blocks)


class Outline(NamedTuple):
    """The facts of a block before it is written: the bytes of all pairs that it may make, and where it may go."""

    room: int
    targets: list[int]


def outlines(graph: Graph) -> list[Outline]:
    """The outlines of all blocks, in one walk."""
    return [_outline(block.body) for block in graph.blocks]


def _outline(body: Stream) -> Outline:
    targets: list[int] = []
    # Streams with the bytes of pairs that are made before them; the most that one way makes is what a block needs.
    found, most = [(body, 0)], 0
    for stream, before in found:
        made = before
        for instruction in stream:
            op = instruction[0]
            if op == "pair":
                made += 8 * (len(instruction) - 2)
            elif op == "if":
                found.append((instruction[2], made))
            elif op == "go":
                targets.append(instruction[1])
            elif op == "unless":
                targets.append(instruction[2])
            elif op == "switch":
                targets.extend([target for target, _ in instruction[2]])
        most = max(most, made)
    return Outline(most, targets)


def heads(known: Sequence[Outline]) -> set[int]:
    """The blocks where cycles are entered, of a search in depth."""
    found: set[int] = set()
    state = {0: 1}
    waiting = [(0, iter(known[0].targets))]
    while waiting:
        block, rest = waiting[-1]
        target = next(rest, None)
        if target is None:
            state[block] = 2
            waiting.pop()
        elif target not in state:
            state[target] = 1
            waiting.append((target, iter(known[target].targets)))
        elif state[target] == 1:
            found.add(target)
    return found
