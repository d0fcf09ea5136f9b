"""Closures as records: what a closure needs stands beside its code, instead of in a list of pairs.

A closure is a pair of a code and, as a rule, a new list. Where every reader only takes elements of that list, nobody
can tell whether there is one: the elements follow the code, and each is read by one load. The bytes of the word of tags
are the tags of the code and of the first element, the number of elements, and the tags of the other elements.

Between `lowering`, which notes what pairs are made and read, and `pruning`, which drops the pairs of the lists.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pellucid.ir.flow import BasicBlock, Graph, Instruction, Stream
from pellucid.staging.root.graphs import Growing, reads, streams
from pellucid.staging.root.sets import Set, bits

MAX_FIELDS = 6
"""Elements whose tags have room in one word."""
_BYTE = 8
_HIDDEN = MAX_FIELDS + 1
"""A depth that no list has: of what is seen by more than readers of elements."""


class MadePair(NamedTuple):
    """A pair that an instruction makes: its site, the tag of its first half, and whether its second half is nil."""

    site: Set
    tag: int
    ends: bool


class ReadHalf(NamedTuple):
    """What reads a half of pairs, or its tag: the sites of the pairs, and which half."""

    sites: Set
    which: str


class _Place(NamedTuple):
    """A pair of the list of a closure: the closure's sites and register, and the number of its element from 1 up."""

    sites: Set
    closure: int
    depth: int


class Records:
    """One graph, with what `lowering` noted of its registers."""

    def __init__(self, graph: Graph, pairs: dict[int, MadePair], halves: dict[int, ReadHalf]) -> None:
        self.graph, self.pairs, self.halves = graph, pairs, halves
        self._growing = Growing(graph)
        self._made: dict[int, Instruction] = {}
        self._places: dict[int, _Place] = {}
        self._fields: dict[Set, int] = {}
        """The number of elements of each site that makes records."""

    def result(self, closures: Set) -> Graph:
        """The graph with records for those sites of closures whose lists nobody sees."""
        everything = [i for block in self.graph.blocks for stream in streams(block.body) for i in stream]
        self._made = {i[1]: i for i in everything if i[0] == "pair"}
        self._find_fields(closures)
        self._find_places(everything)
        self._keep_unseen(everything)
        if not self._fields:
            return self.graph
        blocks = [self._block(block) for block in self.graph.blocks]
        return self._growing.grown(self.graph, blocks)

    # ---- which sites ----

    def _list(self, register: int, closures: Set) -> list[int]:
        """The pairs of the list that a closure is made with; none where that is no new list, or a long one."""
        found: list[int] = []
        pair = register
        while not self.pairs[pair].ends:
            pair = self._made[pair][3]
            if pair not in self._made or self.pairs[pair].site & closures or len(found) == MAX_FIELDS:
                return []
            found.append(pair)
        return found

    def _find_fields(self, closures: Set) -> None:
        """The number of elements of each site of closures."""
        found: dict[Set, set[int]] = {}
        for register in self._made:
            site = self.pairs[register].site
            if site & closures:
                found.setdefault(site, set()).add(len(self._list(register, closures)))
        self._fields = {site: min(many) for site, many in found.items() if len(many) == 1 and min(many)}

    def _find_places(self, everything: Sequence[Instruction]) -> None:
        """The registers that are pairs of a closure's list."""
        candidates = sum(self._fields)
        for instruction in everything:
            if instruction[0] == "cdr":
                _, register, pair = instruction
                place = self._places.get(pair)
                if place is not None:
                    self._places[register] = place._replace(depth=place.depth + 1)
                elif self.halves[register].sites & candidates:
                    self._places[register] = _Place(self.halves[register].sites, pair, 1)

    def _keep_unseen(self, everything: Sequence[Instruction]) -> None:
        """Keep sites whose lists are read by elements only, where all that such a reader may get are such sites."""
        needs: set[tuple[Set, int]] = set()
        for instruction in everything:
            op = instruction[0]
            if op in ("car", "cdr", "tags"):
                _, register, pair = instruction
                place, note = self._places.get(pair), self.halves[register]
                if op == "tags" and note.which == "cdr":
                    needs.add((place.sites if place else note.sites, _HIDDEN))
                elif place is not None:
                    needs.add((place.sites, place.depth))
                continue
            for register in reads(instruction):
                if register in self._places:
                    needs.add((self._places[register].sites, _HIDDEN))
        has_changed = True
        while has_changed:
            has_changed = False
            for sites, depth in needs:
                if any(self._fields.get(site, 0) < depth for site in bits(sites)):
                    for site in bits(sites):
                        has_changed |= self._fields.pop(site, None) is not None

    # ---- blocks ----

    def _block(self, block: BasicBlock) -> BasicBlock:
        body: Stream = []
        waiting = [(block.body, body)]
        while waiting:
            stream, out = waiting.pop()
            for instruction in stream:
                op = instruction[0]
                if op == "if":
                    inner: Stream = []
                    out.append((op, instruction[1], inner))
                    waiting.append((instruction[2], inner))
                elif op == "pair" and self.pairs[instruction[1]].site in self._fields:
                    self._record(instruction, out)
                elif op in ("car", "tags") and instruction[2] in self._places:
                    self._element(instruction, out)
                else:
                    out.append(instruction)
        return block._replace(body=body)

    def _record(self, pair: Instruction, out: Stream) -> None:
        """A record instead of a pair; the pairs of its list are left for `pruning`."""
        _, register, code, *_ = pair
        elements = self._list(register, self.pairs[register].site)
        words = [self._made[element][2] for element in elements]
        told = [self.pairs[each].tag for each in (register, *elements)]
        known = len(elements) << 2 * _BYTE
        dynamic: list[int] = []
        for depth, tag in enumerate(told):
            if tag < 0:
                known |= self._growing.constants[~tag] << _shift(depth)
            else:
                dynamic.append(self._growing.emit(out, "shl", tag, self._growing.constant(_shift(depth)), 0))
        tags = self._growing.constant(known)
        for each in dynamic:
            tags = self._growing.emit(out, "or", tags, each)
        out.append(("pair", register, code, words[0], tags, *words[1:]))

    def _element(self, instruction: Instruction, out: Stream) -> None:
        """An element of a list, or its tag."""
        op, register, pair = instruction
        sites, closure, depth = self._places[pair]
        if next(bits(sites)) not in self._fields:
            out.append(instruction)
        elif op == "tags":
            tags = self._growing.emit(out, "tags", closure)
            out.append(("shr", register, tags, self._growing.constant(_shift(depth)), 0))
        elif depth == 1:
            out.append(("cdr", register, closure))
        else:
            out.append(("field", register, closure, depth + 1))


def _shift(depth: int) -> int:
    """Where in the word of tags the one of an element stands; of the code, whose depth is 0."""
    return _BYTE * (depth if depth < 2 else depth + 1)
