"""One check for a sum of several: what is added to a word one by one is added up first, where that surely fits.

Words that are not below 0 let a sum only grow, so the last of its additions fits where all of them do. The loop that
accumulates then waits for one addition a turn. Run after `checks`, which takes away what else could fail in between.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from pellucid.ir.flow import BasicBlock, Graph, Instruction, Stream
from pellucid.staging.root.graphs import ANY, CHECKED, Growing, Range, reads, streams

_WITHOUT = frozenset(
    "mod shr and or xor eq lt is0 select car cdr tags field row fixed within".split()  # noqa: SIM905 - one line
)
"""Operators that do not fail, and change nothing."""


def summed(graph: Graph, known: Mapping[int, Range]) -> Graph:
    """The graph with such sums; `known` has the least and the greatest value of registers."""
    growing = Growing(graph)
    blocks: list[BasicBlock] = []
    for block in graph.blocks:
        uses = Counter(register for stream in streams(block.body) for i in stream for register in reads(i))
        body: Stream = []
        waiting = [(block.body, body)]
        while waiting:
            stream, out = waiting.pop()
            for instruction in _stream(stream, known, uses, growing):
                if instruction[0] == "if":
                    inner: Stream = []
                    waiting.append((instruction[2], inner))
                    out.append((*instruction[:2], inner))
                else:
                    out.append(instruction)
        blocks.append(block._replace(body=body))
    return growing.grown(graph, blocks)


class _Chain(NamedTuple):
    """Checked additions, by their places, of so many words to a base; none of the words is below 0."""

    base: int
    words: tuple[int, ...]
    places: tuple[int, ...]
    failure: int
    most: int


def _stream(stream: Stream, known: Mapping[int, Range], uses: Counter[int], growing: Growing) -> Stream:
    """A stream with its sums."""
    chains: dict[int, _Chain] = {}
    """Those that may go on, by their last register."""
    found: dict[int, _Chain] = {}
    """All of them by their first place."""

    def at_most(register: int) -> int | None:
        """The greatest value of a word that is not below 0; None of another."""
        if register < 0:
            number = growing.constants[~register]
            return number if number >= 0 else None
        low, high = known.get(register, ANY)
        return high if low >= 0 else None

    for at, instruction in enumerate(stream):
        failure = _failure(instruction)
        if failure:
            # What failed first must still fail first.
            chains = {last: chain for last, chain in chains.items() if chain.failure == failure}
        if instruction[0] != "add" or failure <= 0:
            continue
        _, made, *terms = instruction[:4]
        for one, other in (terms, reversed(terms)):
            most = at_most(other)
            if most is None:
                continue
            chain = chains.get(one) if uses[one] == 1 else None
            if chain is None or chain.most + most > ANY[1]:
                chain = _Chain(one, (), (), failure, 0)
            chain = _Chain(chain.base, (*chain.words, other), (*chain.places, at), failure, chain.most + most)
            chains[made] = found[chain.places[0]] = chain
            break
    return _written(stream, [chain for chain in found.values() if len(chain.words) > 1], growing)


def _written(stream: Stream, chains: list[_Chain], growing: Growing) -> Stream:
    """The stream with these sums, each made where its words are."""
    instead: dict[int, Stream] = {}
    for base, words, places, failure, _ in chains:
        total = words[0]
        instead[places[0]] = []
        for at, word in zip(places[1:], words[1:], strict=True):
            made = growing.register() if at == places[-1] else stream[at][1]
            instead[at] = [("add", made, total, word, 0)]
            total = made
        instead[places[-1]].append(("add", stream[places[-1]][1], base, total, failure))
    return [new for at, old in enumerate(stream) for new in instead.get(at, [old])]


def _failure(instruction: Instruction) -> int:
    """The failure of an instruction, 0 if it has none; -1 of one that nothing goes past."""
    op = instruction[0]
    if op in CHECKED or op == "load":
        return instruction[-1]
    return 0 if op in _WITHOUT else -1
