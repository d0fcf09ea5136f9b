"""How the code of a flow graph is called: ``code(frame)``, with words of a frame for all that goes in and out.

The code returns 0, or the number of a failure. Pairs are three words: halves and tags. Blocks that allocate ask first
for room for all their pairs; where there is none, the collector gets what their parameters hold, and nothing else
lives, since control and all frames of a program are such values. Heads of other loops ask now and then if they go on.
"""

from __future__ import annotations

from enum import IntEnum

from ...ir.flow import Block, Graph, Stream

PAIR_BYTES = 24
FULL, STOPPED = -1, -2
"""Failures of any program: there is no room for pairs; a signal's handler raised an error."""


class Word(IntEnum):
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
    return Word.MEMORIES + 2 * len(graph.memories)


def roots_at(graph: Graph) -> int:
    """The first word for roots."""
    return arguments_at(graph) + len(graph.blocks[0].params)


def frame_words(graph: Graph) -> int:
    """The number of words of a frame."""
    return roots_at(graph) + 2 * max(len(block.roots) for block in graph.blocks)


def room(block: Block) -> int:
    """The bytes of all pairs that a block may make."""
    return PAIR_BYTES * sum(i[0] == "pair" for stream in streams(block.body) for i in stream)


def streams(body: Stream) -> list[Stream]:
    """A stream and those inside of it."""
    found = [body]
    for stream in found:
        found.extend(i[2] for i in stream if i[0] == "if")
    return found


def targets(body: Stream) -> list[int]:
    """The blocks that a body may go to."""
    found: list[int] = []
    for stream in streams(body):
        last = stream[-1]
        if last[0] == "go":
            found.append(last[1])
        elif last[0] == "switch":
            found.extend(target for target, _ in last[2])
    return found


def heads(graph: Graph) -> set[int]:
    """The blocks where cycles are entered, of a search in depth."""
    found: set[int] = set()
    state = {0: 1}
    waiting = [(0, iter(targets(graph.blocks[0].body)))]
    while waiting:
        block, rest = waiting[-1]
        target = next(rest, None)
        if target is None:
            state[block] = 2
            waiting.pop()
        elif target not in state:
            state[target] = 1
            waiting.append((target, iter(targets(graph.blocks[target].body))))
        elif state[target] == 1:
            found.add(target)
    return found
