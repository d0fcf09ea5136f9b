"""Flow graphs without the checks of sums that cannot grow too large: intervals of words, from memories and constants.

A parameter's interval that still grows after some rounds is any word's. An address that was accepted is in its memory,
and what it is a constant away from is near. Run only for code that is made to be fast, above `pruning`.
"""

from __future__ import annotations

from pellucid.ir.flow import Graph, Instruction, Stream
from pellucid.staging.root.checks import Checks
from pellucid.staging.root.graphs import ANY, CHECKED, Range, defines, jumps
from pellucid.staging.root.sums import summed

_TRUTH = (0, 1)
_MAX_WORDS = 1 << 48
"""No memory has more words."""
_WORD = 64
"""Bits of a word, which may be below 0; elements with fewer bits are not."""
_MAX_GROWTHS = 4
"""Maximum growths of a parameter's interval before it holds all words."""
_TRUTHS = frozenset(["eq", "lt", "is0"])


def unchecked(graph: Graph) -> Graph:
    """The graph, where a sum, product or shift that surely fits has the failure 0, and near accesses share a check."""
    return _Ranges(graph).result()


class _Ranges:
    """The intervals of all parameters, until none grows."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.bits = [type_.bits for type_ in graph.memories.values()]
        self.params: dict[int, list[Range]] = {0: [ANY] * len(graph.blocks[0].params)}
        self.grown: dict[tuple[int, int], int] = {}
        self.waiting = {0: None}
        self.narrowed: dict[int, list[Range]] | None = None
        """The intervals that come of those in `params`, while these stay."""

    def result(self) -> Graph:
        """Go through blocks until nothing grows, then let intervals shrink, and go through them to drop checks."""
        while self.waiting:
            self._through(self.waiting.popitem()[0], None)
        self._narrow()
        blocks = list(self.graph.blocks)
        made: dict[int, Range] = {}
        for number in self.params:
            body: Stream = []
            self._through(number, body, made)
            blocks[number] = blocks[number]._replace(body=body)
        least = {
            param: low
            for number, known in self.params.items()
            for param, (low, _) in zip(blocks[number].params, known, strict=True)
        }
        return summed(Checks(self.graph._replace(blocks=blocks), least).result(), made)

    def _narrow(self) -> None:
        """Join what blocks hand over once more: what grew without end may have been accepted as an address since."""
        stable, self.narrowed = self.params, {0: self.params[0]}
        for number in stable:
            self._through(number, None)
        self.params, self.narrowed = self.narrowed, None

    def _through(self, number: int, body: Stream | None, made: dict[int, Range] | None = None) -> None:
        """Go through a block; with a body, write there what it becomes, and in `made` the intervals of results."""
        block = self.graph.blocks[number]
        first = dict(zip(block.params, self.params[number], strict=True))
        waiting: list[tuple[Stream, dict[int, Range], dict[int, tuple[int, int]], Stream | None]] = [
            (block.body, first, {}, body)
        ]
        while waiting:
            stream, known, near, out = waiting.pop()
            for instruction in stream:
                if instruction[0] == "if":
                    inner: Stream | None = None if out is None else []
                    waiting.append((instruction[2], dict(known), dict(near), inner))
                    if out is not None:
                        out.append((*instruction[:2], inner))
                    continue
                kept = self._step(instruction, known, near)
                if out is not None:
                    out.append(kept)
                    if made is not None and defines(kept):
                        made[kept[1]] = self.of(kept[1], known)
                else:
                    for target, args in jumps(instruction):
                        self._join(target, [self.of(a, known) for a in args])

    def of(self, register: int, known: dict[int, Range]) -> Range:
        """The interval of a register."""
        if register < 0:
            number = self.graph.constants[~register]
            return (number, number)
        return known.get(register, ANY)

    def _step(
        self, instruction: Instruction, known: dict[int, Range], near: dict[int, tuple[int, int]]
    ) -> Instruction:
        """Note what an instruction says; the instruction without a check that it does not need."""
        op = instruction[0]
        if op in CHECKED:
            _, made, a, b, failure = instruction
            low, high = self._result(op, self.of(a, known), self.of(b, known))
            fits = ANY[0] <= low and high <= ANY[1]
            known[made] = (max(low, ANY[0]), min(high, ANY[1]))
            if b < 0 and op in ("add", "sub"):
                number = self.of(b, known)[0]
                near[made] = (a, number if op == "add" else -number)
            return (op, made, a, b, 0 if fits else failure)
        if op in _TRUTHS:
            known[instruction[1]] = _TRUTH
        elif op in ("and", "mod", "shr", "select", "or"):
            known[instruction[1]] = self._bounded(instruction, known)
        elif op in ("load", "store"):
            memory, index = (instruction[2], instruction[3]) if op == "load" else instruction[1:3]
            self._accepted(index, known, near)
            if op == "load" and self.bits[memory] < _WORD:
                known[instruction[1]] = (0, (1 << self.bits[memory]) - 1)
        return instruction

    def _accepted(self, index: int, known: dict[int, Range], near: dict[int, tuple[int, int]]) -> None:
        """An address is in a memory."""
        if index < 0:
            return
        known[index] = (0, _MAX_WORDS)
        base, more = near.get(index, (-1, 0))
        if base >= 0:
            low, high = self.of(base, known)
            known[base] = (max(low, -more), min(high, _MAX_WORDS - more))

    def _result(self, op: str, one: Range, other: Range) -> Range:
        if op == "add":
            return one[0] + other[0], one[1] + other[1]
        if op == "sub":
            return one[0] - other[1], one[1] - other[0]
        if op == "mul":
            ends = [a * b for a in one for b in other]
            return min(ends), max(ends)
        if op == "shl":
            if other[0] < 0 or other[1] > 63:
                return ANY[0] - 1, ANY[1] + 1
            ends = [a << b for a in one for b in other]
            return min(ends), max(ends)
        size = max(-one[0], one[1])
        return (-size, size) if one[0] >= 0 else (-size - 1, size)

    def _bounded(self, instruction: Instruction, known: dict[int, Range]) -> Range:
        """The interval of what cannot grow."""
        op, _, *rest = instruction
        values: list[Range] = [self.of(r, known) for r in rest[: 3 if op == "select" else 2]]
        if op == "select":
            return min(values[1][0], values[2][0]), max(values[1][1], values[2][1])
        one, other = values
        if op == "and":
            tops = [high for low, high in values if low >= 0]
            return (0, min(tops)) if tops else ANY
        if op == "or":
            top = max(one[1], other[1])
            return (0, (1 << top.bit_length()) - 1) if min(one[0], other[0]) >= 0 else ANY
        if op == "mod":
            return (0, other[1] - 1) if other[0] > 0 else ANY
        if other[0] < 0 or other[1] > 63:
            return ANY
        return min(a >> b for a in one for b in other), max(a >> b for a in one for b in other)

    def _join(self, target: int, args: list[Range]) -> None:
        if self.narrowed is not None:
            before = self.narrowed.get(target)
            self.narrowed[target] = (
                list(args)
                if before is None
                else [(min(a[0], b[0]), max(a[1], b[1])) for a, b in zip(before, args, strict=True)]
            )
            return
        known = self.params.get(target)
        if known is None:
            self.params[target] = list(args)
            self.waiting[target] = None
            return
        for k, (low, high) in enumerate(args):
            before = known[k]
            if low < before[0] or high > before[1]:
                times = self.grown[target, k] = self.grown.get((target, k), 0) + 1
                joined = (min(low, before[0]), max(high, before[1]))
                known[k] = joined if times < _MAX_GROWTHS else _widened(before, joined)
                self.waiting[target] = None


def _widened(before: Range, joined: Range) -> Range:
    """An interval that will not grow again where it just grew."""
    return (
        before[0] if joined[0] == before[0] else ANY[0],
        before[1] if joined[1] == before[1] else ANY[1],
    )
