"""Streams as nests: loops over units of samples, in which every bit of an output is at a constant place.

Between `streams` and the driver. A unit is some samples after which the outputs are again at the same bit of an
element. It owns whole elements of each output: those bits of them that belong to a sample of the next unit are computed
twice, so that no two threads have bits of one element. Blocks of units run in lanes, and in threads. Samples that have
bits before the first whole element, and those that are no whole block, are stored in order, before and after.

Bits that are no output's stay: where an element has some, a block is computed in scratch memory first, and brought over
with a mask that is the same in each block.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ..base.record import record
from ..ir import expr as E
from ..ir import nest as N
from ..ir import types as T
from ..ir.expr import Buffer, Expr, const, load, substitute
from ..ir.facts import Facts
from ..ir.stream import Samples, Stream, position, sample, state
from ..rewriting.lane_types import Lookup, Plan, leaf, plan
from .packed_fields import (
    PackedArray,
    below,
    converted,
    joined,
    masked,
    number,
    packed,
    pieces,
    placed,
    plus,
    read,
    read_cyclic,
    shifted,
    start_of,
    times,
    without_skip,
)

REGISTER_BITS = 512
"""The bits of the lanes of a block: the widest registers; the back end takes narrower ones apart."""
MAX_UNIT = 64
"""Maximum samples of a unit, which are all written out. A stream of longer ones is left to the loop in order."""
MAX_MERGED_BYTES = 512
"""Maximum bytes of an element-wise block that keeps bits in between: it is one vector."""
LARGE_TABLE = 1024
"""Entries of a table from which on samples are looked up in order: `bench/packed.py` measured 1.4 times as fast."""
UNROLLED = 32
"""Samples of a unit in order, at least: its table reads overlap."""
ROWS = 16
"""Rows of units that a stream of sums alone adds up at once, in lanes as narrow as hold that."""
BYTES_TOGETHER = 8
"""Bytes that a processor adds up in one lane of 64 bits."""
BANDS = 16
"""Parts of a stream with sums, each with sums of its own."""
CHUNK = 64
"""Minimum blocks that a thread takes."""
MAX_COUNT = 1 << 40
"""A bound of the samples of a call, and of its blocks."""
COUNT, BLOCKS = E.param("count", T.i64), E.param("blocks", T.i64)
"""The parameters of every nest: samples, and whole blocks of them. The caller divides: a call evaluates nothing."""
ZERO, ONE = number(0), number(1)


@record
class StreamNest:
    """The nest of a stream: `buffers` are its buffers in order, `totals` has its sums.

    The array of a buffer begins where `PackedArray.skip` says. A block has so many `samples`, and reads `head` more.
    """

    kernel: N.Kernel
    buffers: tuple[PackedArray, ...]
    totals: Buffer | None
    samples: int
    head: int

    @property
    def ranges(self) -> dict[Expr, Facts]:
        """The ranges of its parameters."""
        return {COUNT: Facts(0, MAX_COUNT), BLOCKS: Facts(0, MAX_COUNT)}

    def arguments(self, count: int) -> dict[str, int]:
        """The arguments of the nest for so many samples."""
        return {"count": count, "blocks": max(0, count - self.head) // self.samples}


def stream_nest(stream: Stream) -> StreamNest:
    """The nest that computes a stream.

    Raises BackendError for values that have no lanes.

    >>> from pellucid.ir.stream import Samples
    >>> swap = Stream((Samples(1, 0, 4, 4),), (Samples(0, 0, 8, 8),), (sample(0),))
    >>> [b.memory for b in stream_nest(swap).buffers]
    [out0: u8[1], in1: u8[1]]
    """
    return _Writer(stream).nest()


@record
class _Element:
    """An element that a unit stores: its number in the unit, its value, and the bits of it that are no output's."""

    place: int
    value: Expr
    kept: int


class _Values:
    """The values of samples: a plan, with expressions in the place of its leaves."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        here = leaf(position(), plan.type)
        roots = [*plan.values, *plan.sums, *plan.states, *(k.index for k in plan.lookups)]
        self._multiples = [
            n
            for n in E.topological(roots)
            if n.op == "mul" and here in n.args and any(x.op == "const" for x in n.args)
        ]
        self._tables: dict[tuple[int, ...], Buffer] = {}

    def at(
        self, samples: Sequence[Expr], base: Expr, apart: int, states: Sequence[Expr]
    ) -> tuple[list[Expr], list[Expr], list[Expr]]:
        """The outputs, what is added up and the next states, of given samples, so far apart from a position."""
        type_ = self.plan.type
        known = {leaf(sample(k), type_): x for k, x in enumerate(samples)}
        known |= {leaf(state(k), type_): x for k, x in enumerate(states)}
        here, place = leaf(position(), type_), converted(base, type_)
        known[here] = E.apply("add", place, const(apart, type_)) if apart else place
        for node in self._multiples if apart else ():
            # All samples of a unit share the product.
            factor = next(x for x in node.args if x is not here)
            moved = const(apart * factor.attr, type_)
            known[node] = E.apply("add", E.apply("mul", place, factor), moved)
        for lookup in self._in_order():
            (at,) = substitute([lookup.index], known)
            entry = load(self._table(lookup.table), converted(at, T.i64))
            known[lookup.leaf] = converted(entry, type_)
        first = len(self.plan.values)
        after = first + len(self.plan.sums)
        found = substitute([*self.plan.values, *self.plan.sums, *self.plan.states], known)
        return found[:first], found[first:after], found[after:]

    def _in_order(self) -> list[Lookup]:
        """The reads of tables, after those that their indices depend on."""
        left, done = list(self.plan.lookups), list[Lookup]()
        while left:
            waiting = {k.leaf for k in left}
            ready = [k for k in left if not waiting & set(E.topological([k.index]))]
            done += ready
            left = [k for k in left if k not in ready]
        return done

    def _table(self, entries: tuple[int, ...]) -> Buffer:
        if entries not in self._tables:
            low, high = min(entries), max(entries)
            types = T.UNSIGNED if low >= 0 else T.SIGNED
            type_ = next(t for t in types if t.low <= low and high <= t.high)
            data = np.array(entries, type_.dtype)
            self._tables[entries] = Buffer(f"table{len(self._tables)}", type_, len(entries), data)
        return self._tables[entries]


class _Writer:
    """Writes the nest of one stream."""

    def __init__(self, stream: Stream) -> None:
        self.stream, self.plan = stream, plan(stream)
        self.values = _Values(self.plan)
        everything = (*stream.outputs, *stream.inputs)
        written = {s.buffer for s in stream.outputs}
        self.buffers = tuple(
            packed(f"{'out' if k in written else 'in'}{k}", [s for s in everything if s.buffer == k])
            for k in range(stream.buffers)
        )
        self.inputs = [without_skip(s, self.buffers[s.buffer].skip) for s in stream.inputs]
        self.outputs = [without_skip(s, self.buffers[s.buffer].skip) for s in stream.outputs]
        self.written = sorted(written)
        firsts = self.plan.firsts
        # A state, and the next one until all of them are known.
        self.states = [Buffer(f"state{k}", self.plan.type, min(2, len(firsts))) for k in range(len(firsts))]
        self.is_sequential = bool(self.states) or any(len(k.table) >= LARGE_TABLE for k in self.plan.lookups)
        sums_alone = not stream.outputs and not self.is_sequential
        self.rows = ROWS if sums_alone else 1
        adds_bytes = sums_alone and self._adds_bytes()
        self.unit = BYTES_TOGETHER if adds_bytes else self._unit()
        self.lanes = REGISTER_BITS // 64 if adds_bytes else self._lanes()
        self.first = {k: self._first(k) for k in self.written}
        self.head = max((self._before(k) for k in self.written), default=0)
        sums = len(stream.sums)
        self.totals = Buffer("totals", T.i64, sums) if sums else None
        bands = 1 if self.states else BANDS
        self.bands, self.parts = bands, [Buffer(f"part{k}", T.i64, bands * self.lanes) for k in range(sums)]

    # ---- sizes ----

    def bits(self, k: int) -> int:
        """The bits of an element of a buffer."""
        return self.buffers[k].bits

    def _unit(self) -> int:
        """The samples of a unit."""
        outputs = math.lcm(1, *(s.cycle for s in self.outputs))
        inputs = math.lcm(1, *(s.cycle for s in self.inputs))
        if self.is_sequential:
            unit = math.lcm(outputs, inputs)
            return unit * -(-UNROLLED // unit)
        # What is no power of two must divide the samples of a block, whose lanes are one.
        unit = math.lcm(outputs, inputs // (inputs & -inputs))
        if self.plan.type.bits == 8:
            unit = math.lcm(unit, inputs)
        return unit

    def _adds_bytes(self) -> bool:
        """Whether all that is added up is bytes side by side, which processors add up where they lie."""
        (s, *rest), type_ = self.inputs, self.plan.type
        plain = s.size == s.stride == self.bits(s.buffer) == 8 and not s.signed
        return not rest and plain and self.plan.sums == (leaf(sample(0), type_),)

    def _lanes(self) -> int:
        """The units side by side in a block; 1 where blocks run in order."""
        if self.is_sequential:
            return 1
        inputs = math.lcm(1, *(s.cycle for s in self.inputs))
        # A loop of little work has more of it in each iteration.
        alone = self.unit == 1 and bool(self.stream.outputs)
        registers = (4 if self.plan.type.bits < 32 else 2) if alone else 1
        return max(registers * REGISTER_BITS // self.plan.type.bits, inputs & -inputs)

    def size(self, s: Samples) -> int:
        """The elements from a unit to the next."""
        return int(s.pace * self.unit) // self.bits(s.buffer)

    def _first(self, k: int) -> int:
        """The first element of an output that units own: the one in which samples begin, or the next one.

        They own the next one if the last samples of a unit end in the element in which those of the next unit begin.
        """
        mine, bits = [s for s in self.outputs if s.buffer == k], self.bits(k)
        first = min(at for s in mine for at in s.offsets) // bits
        end = max(s.start(d) + s.size for s in mine for d in range(self.unit))
        return first + (end > bits * (first + self._stored(k)))

    def _before(self, k: int) -> int:
        """The number of samples of which some have bits before the first whole element."""
        end = self.first[k] * self.bits(k)
        mine = [s for s in self.outputs if s.buffer == k]
        return max((d + 1 for s in mine for d in range(self.unit) if s.start(d) < end), default=0)

    # ---- the nest ----

    def nest(self) -> StreamNest:
        """The nest: the first samples, whole blocks, and the samples that are left."""
        body: list[N.Statement] = self._start_states()
        samples, head = self.unit * self.lanes * self.rows, self.head
        if self.unit > MAX_UNIT:
            samples = head = MAX_COUNT
            body += [*self._start_parts(ZERO, self.bands), *self._start_totals()]
            body += self._in_order("t", ZERO, COUNT, add=True)
        else:
            if head:
                few = E.apply("min", COUNT, number(head))
                body += [*self._in_order("h", ZERO, few, add=False), *self._start_states()]
            body += [*self._main(BLOCKS), *self._start_totals()]
            body += self._in_order("t", times(BLOCKS, samples), COUNT, add=True)
        body += self._finish()
        scratch = [*self.states, *self.parts]
        block: N.Block = tuple(body)
        if scratch:
            block = (N.Alloc({b: number(b.size) for b in scratch}, block),)
        outputs = tuple(self.buffers[k].memory for k in self.written)
        if self.totals is not None:
            outputs = (*outputs, self.totals)
        return StreamNest(
            N.Kernel("stream", (BLOCKS, COUNT), outputs, block), self.buffers, self.totals, samples, head
        )

    def _start_totals(self) -> list[N.Statement]:
        totals = self.totals
        return [] if totals is None else [N.Store(totals, number(k), ZERO) for k in range(len(self.parts))]

    def _start_parts(self, first: Expr, bands: int) -> list[N.Statement]:
        """Clear the parts of sums of some bands: each clears its own, since a loop before theirs is one more call."""
        found: list[N.Statement] = []
        for part in self.parts:
            z, how = E.index("z", T.i64), N.lanes(self.lanes) if self.lanes > 1 else N.SEQ
            body = (N.Store(part, z if first is ZERO else E.apply("add", first, z), ZERO),)
            found.append(N.For(z, ZERO, number(bands * self.lanes), body, how))
        return found

    def _start_states(self) -> list[N.Statement]:
        pairs = zip(self.states, self.plan.firsts, strict=True)
        return [N.Store(b, ZERO, const(first, b.type)) for b, first in pairs]

    def _finish(self) -> list[N.Statement]:
        """Add up the parts of sums."""
        found: list[N.Statement] = []
        for k, part in enumerate(self.parts):
            p = E.index("p", T.i64)
            found.append(N.For(p, ZERO, number(part.size), (self._added(k, load(part, p)),)))
        return found

    def _added(self, k: int, value: Expr) -> N.Statement:
        """Add a value to a sum."""
        assert self.totals is not None  # noqa: S101 - it has a place for each
        total = E.apply("add", load(self.totals, number(k)), converted(value, T.i64))
        return N.Store(self.totals, number(k), total)

    def _state_loads(self) -> list[Expr]:
        return [load(b, ZERO) for b in self.states]

    def _state_stores(self, thens: Sequence[Expr]) -> list[N.Statement]:
        """Stores of the next states; of several, all are computed before the first is stored."""
        pairs = list(zip(self.states, thens, strict=True))
        if len(pairs) < 2:
            return [N.Store(b, ZERO, x) for b, x in pairs]
        waiting = [N.Store(b, ONE, x) for b, x in pairs]
        return [*waiting, *(N.Store(b, ZERO, load(b, ONE)) for b in self.states)]

    # ---- samples in order ----

    def _in_order(self, name: str, lo: Expr, hi: Expr, *, add: bool) -> list[N.Statement]:
        """A loop over samples: each bit of an output is stored, and every other one stays."""
        i, type_ = E.index(name, T.i64), self.plan.type
        samples = [read_cyclic(s, self.buffers[s.buffer].memory, ZERO, i, type_) for s in self.inputs]
        values, sums, thens = self.values.at(samples, i, 0, self._state_loads())
        body: list[N.Statement] = []
        for s, value in zip(self.outputs, values, strict=True):
            body += self._stored_alone(s, value, i)
        if add:
            for k, value in enumerate(sums):
                body.append(self._added(k, value))
        body += self._state_stores(thens)
        return [N.For(i, lo, hi, tuple(body))]

    def _stored_alone(self, s: Samples, value: Expr, i: Expr) -> list[N.Statement]:
        """Stores of one sample, by its number: the bits of its elements that are not its own stay."""
        where = self.buffers[s.buffer]
        bits, memory = where.bits, where.memory
        start = start_of(s, i)
        first = E.apply("shift_right_in", start, number(bits.bit_length() - 1))
        count = 1 if bits > 8 else -(-(bits - 1 + s.size) // bits)
        amount = converted(below(s, start, bits, count), T.u64)
        own = E.apply("shift_left_in", const((1 << s.size) - 1, T.u64), amount)
        new = E.apply("shift_left_in", masked(converted(value, T.u64), s.size), amount)
        found: list[N.Statement] = []
        for k in range(count):
            at = plus(first, k if s.order == "little" else count - 1 - k)
            mask = converted(shifted("shift_right_in", own, bits * k), memory.type)
            part = converted(shifted("shift_right_in", new, bits * k), memory.type)
            old = E.apply("and", load(memory, at), E.apply("not", mask))
            found.append(N.Store(memory, at, E.apply("or", old, part)))
        return found

    # ---- whole blocks ----

    def _main(self, blocks: Expr) -> list[N.Statement]:
        """The loop over whole blocks, handed out to threads unless states are carried through it."""
        r = E.index("r", T.i64)
        if not self.parts or self.states:
            how = N.SEQ if self.states else N.spread(CHUNK)
            return [*self._start_parts(ZERO, 1), N.For(r, ZERO, blocks, self._block(r, ZERO), how)]
        b = E.index("b", T.i64)
        step = E.apply("floor_div", plus(blocks, self.bands - 1), number(self.bands))
        first = E.apply("mul", b, step)
        end = E.apply("min", E.apply("add", first, step), blocks)
        part = times(b, self.lanes)
        body = (*self._start_parts(part, 1), N.For(r, first, end, self._block(r, part)))
        return [N.For(b, ZERO, number(self.bands), body, N.spread(1))]

    def _block(self, r: Expr, part: Expr) -> N.Block:
        """A block: units side by side, or one of them; `part` is where its sums are added up."""
        if self.lanes == 1:
            return self._unit_body(r, ZERO, r, part, {})[0]
        j = E.index("j", T.i64)
        apart = {
            k: Buffer(f"new{k}", self.buffers[k].memory.type, self._stored(k) * self.lanes)
            for k in self.written
        }
        unit = E.apply("add", times(r, self.lanes * self.rows), j)
        stores, merged = self._unit_body(r, j, unit, E.apply("add", part, j), apart)
        loop = N.For(j, ZERO, number(self.lanes), stores, N.lanes(self.lanes))
        if not merged:
            return (loop,)
        block = (loop, *(self._merged(k, apart[k], kept, r) for k, kept in merged.items()))
        return (N.Alloc({apart[k]: number(apart[k].size) for k in merged}, block),)

    def _stored(self, k: int) -> int:
        """The elements of a unit of an output buffer."""
        return self.size(next(s for s in self.outputs if s.buffer == k))

    def _unit_body(
        self, r: Expr, j: Expr, unit: Expr, part: Expr, apart: dict[int, Buffer]
    ) -> tuple[N.Block, dict[int, list[int]]]:
        """The stores of a unit, and the bits that stay in each element, of the buffers written apart."""
        states, after = self._state_loads(), self._state_loads()
        outputs: list[list[Expr]] = []
        sums: list[list[Expr]] = []
        row = self.unit * self.lanes
        numbers = [row * u + d for u in range(self.rows) for d in range(self.unit)]
        for d in [*numbers, *range(self.unit, self.unit + self.head)]:
            samples = [self._sample(s, r, j, unit, d) for s in self.inputs]
            values, added, states = self.values.at(samples, times(unit, self.unit), d, states)
            outputs.append(values)
            if len(sums) < len(numbers):
                sums.append(added)
                after = states
        body: list[N.Statement] = []
        merged: dict[int, list[int]] = {}
        for k in self.written:
            elements, size = self._elements(k, outputs), self._stored(k)
            memory = self.buffers[k].memory
            partly = any(e.kept for e in elements)
            if partly and k in apart and size * self.lanes * self.bits(k) // 8 <= MAX_MERGED_BYTES:
                full = (1 << self.bits(k)) - 1
                merged[k] = [full] * size
                found = {e.place: e for e in elements}
                for place in range(size):
                    value = found[place].value if place in found else const(0, memory.type)
                    merged[k][place] = found[place].kept if place in found else full
                    body.append(N.Store(apart[k], plus(times(j, size), place), value))
                continue
            base = (
                E.apply("add", times(r, size * self.lanes), times(j, size))
                if j is not ZERO
                else times(r, size)
            )
            for e in elements:
                at, value = plus(base, self.first[k] + e.place), e.value
                if e.kept:
                    old = E.apply("and", load(memory, at), const(e.kept, memory.type))
                    value = E.apply("or", old, value)
                body.append(N.Store(memory, at, value))
        for k, memory in enumerate(self.parts):
            total = self._total([each[k] for each in sums], self.plan.ranges[k])
            body.append(N.Store(memory, part, E.apply("add", load(memory, part), total)))
        return (*body, *self._state_stores(after)), merged

    def _total(self, values: Sequence[Expr], facts: Facts) -> Expr:
        """The sum of values of a range, in 64 bits: added up in the narrowest type of theirs that holds it."""
        signed = self.plan.type.kind == "signed"
        low, high = len(values) * min(0, int(facts.lo)), len(values) * max(0, int(facts.hi))
        if self.unit == BYTES_TOGETHER and self.rows > 1:
            type_ = T.i64
        else:
            types = [t for t in (T.SIGNED if signed else T.UNSIGNED) if t.bits >= self.plan.type.bits]
            type_ = next((t for t in types if t.low <= low and high <= t.high), T.i64)
        return converted(joined("add", [converted(x, type_) for x in values]), T.i64)

    def _sample(self, s: Samples, r: Expr, j: Expr, unit: Expr, d: int) -> Expr:
        """A sample of a unit: at a constant bit, or whole elements after a sample whose bits begin alike, if it can."""
        memory, bits = self.buffers[s.buffer].memory, self.bits(s.buffer)
        step = s.pace * self.unit
        if step % bits == 0 and self.unit % len(s.offsets) == 0:
            size = int(step) // bits
            base = times(r, size if j is ZERO else size * self.lanes * self.rows)
            base = base if j is ZERO else E.apply("add", base, times(j, size))
            return read(s, memory, base, s.start(d), self.plan.type)
        base = times(r, int(step * self.lanes * self.rows) // bits)
        ahead = s.start(d) - s.start(0)
        if d % len(s.offsets) == 0 and ahead % bits == 0:
            base, d = plus(base, ahead // bits), 0
        return read_cyclic(s, memory, base, plus(times(j, self.unit), d), self.plan.type)

    def _elements(self, k: int, outputs: Sequence[Sequence[Expr]]) -> list[_Element]:
        """The elements of a unit of an output that have bits of samples, the first whole one being number 0."""
        type_, size = self.buffers[k].memory.type, self._stored(k)
        found: dict[int, list[tuple[int, Expr]]] = {}
        for d, values in enumerate(outputs):
            for s, value in zip(self.outputs, values, strict=True):
                for piece in pieces(s, s.start(d), type_.bits) if s.buffer == k else ():
                    place = piece.element - self.first[k]
                    if 0 <= place < size:
                        found.setdefault(place, []).append((piece.mask, placed(piece, value, type_)))
        full = (1 << type_.bits) - 1
        return [
            _Element(place, joined("or", [x for _, x in parts]), full & ~sum(mask for mask, _ in parts))
            for place, parts in sorted(found.items())
        ]

    def _merged(self, k: int, new: Buffer, kept: list[int], r: Expr) -> N.Statement:
        """Bring a block over from scratch memory: bits that are no output's stay."""
        memory, size = self.buffers[k].memory, len(kept)
        e, many = E.index(f"e{k}", T.i64), size * self.lanes
        within, mask = E.apply("mod", e, number(size)), const(kept[-1], memory.type)
        for place in range(size - 2, -1, -1):
            here = E.apply("eq", within, number(place))
            mask = E.apply("choose", here, const(kept[place], memory.type), mask)
        at = plus(E.apply("add", times(r, many), e), self.first[k])
        value = E.apply("or", E.apply("and", load(memory, at), mask), load(new, e))
        return N.For(e, ZERO, number(many), (N.Store(memory, at, value),), N.lanes(many))
