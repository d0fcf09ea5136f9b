"""Field extraction and insertion, as LLVM text: samples into lanes and out of them, by constant shuffles and shifts.

Above `covers`. There are a few forms, chosen by where the samples are: whole lanes as they lie in
memory; bits as truths; fields of common words; neighbors taken apart or put together by halves, which shifts all
lanes alike; and any samples whatever, with a shift for each lane.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from ...ir.stream import Samples
from ...rewriting.lane_types import container
from .covers import Covers
from .scope import Scope


@dataclass(slots=True)
class Bits:
    """Fields of `size` bits, each in the low bits of a lane of `width` bits, and the bit at which each begins."""

    name: str
    width: int
    size: int
    starts: list[int]


@dataclass(slots=True)
class Bytes:
    """Bytes to be stored: for each, the sources of its bits, and which bits they are."""

    registers: list[str]
    sources: list[list[tuple[int, int]]]
    dirty: list[int]


def ones(count: int) -> int:
    """A mask of `count` low bits."""
    return (1 << count) - 1


class Fields:
    """Unpacks samples into lanes of a `width` and packs them."""

    def __init__(self, scope: Scope, covers: Covers, width: int) -> None:
        self.out, self.scope, self.covers, self.width = scope.out, scope, covers, width
        self.shuffles = covers.shuffles
        self._words: dict[tuple[int, str], str] = {}
        """The words of a buffer that are loaded."""

    def begin(self) -> None:
        """Begin a block, of which nothing is loaded."""
        self._words = {}

    def op(self, line: str, name: str, lanes: int, width: int, amount: int | Sequence[int]) -> str:
        """An operation on all lanes with a constant, or with one for each lane."""
        word = f"i{width}"
        if isinstance(amount, int):
            right = f"splat ({word} {amount})"
        else:
            right = "<" + ", ".join([f"{word} {x}" for x in amount]) + ">"
        return self.out.let(f"{line} <{lanes} x {word}> {name}, {right}")

    def shifted(self, line: str, name: str, lanes: int, width: int, by: Sequence[int]) -> str:
        """Each lane shifted by its own constant."""
        if not any(by):
            return name
        return self.op(line, name, lanes, width, by[0] if len(set(by)) == 1 else by)

    def either(self, mask: int, a: str, b: str, lanes: int, width: int) -> str:
        """The bits of one vector in a mask, and those of another outside of it."""
        kept = self.op("and", a, lanes, width, mask)
        other = self.op("and", b, lanes, width, ~mask & ones(width))
        return self.out.let(f"or <{lanes} x i{width}> {kept}, {other}")

    def cast(self, name: str, lanes: int, old: int, new: int, *, signed: bool = False) -> str:
        """Lanes of another width."""
        if old == new:
            return name
        word = "trunc" if new < old else "sext" if signed else "zext"
        return self.out.let(f"{word} <{lanes} x i{old}> {name} to <{lanes} x i{new}>")

    def seen(self, name: str, lanes: int, width: int, goal: int) -> str:
        """The same bits as lanes of another width."""
        if width == goal:
            return name
        return self.out.let(f"bitcast <{lanes} x i{width}> {name} to <{lanes * width // goal} x i{goal}>")

    # ---- in ----

    def unpacked(self, s: Samples, span: tuple[int, int]) -> str:
        """The samples of a block, in lanes; `span` is what the samples of its buffer reach over in bytes."""
        n = self.scope.lanes
        starts = [s.start(j) for j in range(n)]
        whole = s.size == s.stride and len(s.offsets) == 1
        if whole and s.order == "little" and starts[0] % 8 == 0 and s.size in (1, 8, 16, 32) and n % 8 == 0:
            return self.as_they_lie(s, starts[0] // 8)
        return (
            self.from_words(s, starts, span)
            or self.from_neighbors(s, starts, span)
            or self.from_anywhere(s, starts, span)
        )

    def as_they_lie(self, s: Samples, first: int) -> str:
        """Samples that are lanes in memory already."""
        n, w = self.scope.lanes, self.width
        at = self.covers.pointer(s.buffer, first)
        if s.size > 1:
            name = self.out.let(f"load <{n} x i{s.size}>, ptr {at}, align 1")
            return self.cast(name, n, s.size, w, signed=s.signed)
        # Not by way of an integer: LLVM 22 mixes up the lanes of one of 128 bits or more on processors with AVX2 alone.
        return self.cast(self.out.let(f"load <{n} x i1>, ptr {at}, align 1"), n, 1, w, signed=s.signed)

    def from_words(self, s: Samples, starts: list[int], span: tuple[int, int]) -> str | None:
        """Samples that are fields of words, each at the same place: the words are loaded once for all of them."""
        n, word, base = self.scope.lanes, s.stride, 8 * span[0]
        inside = 0 <= starts[0] - base and starts[0] - base + s.size <= word
        if len(s.offsets) > 1 or word not in (16, 32, 64) or not inside or s.size == word or n % 8:
            return None
        if word > max(self.width, 32):
            return None
        key = (s.buffer, s.order)
        if key not in self._words:
            if s.order == "little":
                at = self.covers.pointer(s.buffer, span[0])
                found = self.out.let(f"load <{n} x i{word}>, ptr {at}, align 1")
                self.covers.reaches(s.buffer, span[0] + n * word // 8)
            else:
                order = [span[0] + k * word // 8 + t for k in range(n) for t in reversed(range(word // 8))]
                found = self.seen(self.covers.fetched(s.buffer, order, span), n * word // 8, 8, word)
            self._words[key] = found
        low = starts[0] - base if s.order == "little" else word - (starts[0] - base) - s.size
        return self.cut(self._words[key], n, word, s, [low] * n)

    def from_neighbors(self, s: Samples, starts: list[int], span: tuple[int, int]) -> str | None:
        """Several samples that follow one another in one lane, then halved until each has a lane of its own."""
        n, field = self.scope.lanes, container(s.size)
        wide = container(s.size + max(self.within(s, b)[1] for b in starts))
        if wide <= self.width and (wide in self.shuffles.target.shifts or wide == 8):
            return None
        group = 2
        while group * field <= 64:
            if n % group or not _follow(starts, s.size, group):
                return None
            ends = [starts[k : k + group] for k in range(0, n, group)]
            places = [self.within(s, e[0] if s.order == "little" else e[-1]) for e in ends]
            width = group * field
            even = not any(shift for _, shift in places)
            if even or (2 * width > 64 and max(x for _, x in places) + group * s.size <= width):
                break
            group *= 2
        else:
            return None
        name = self.taken(s, [at for at, _ in places], [x for _, x in places], width, group * s.size, span)
        name = self.shifted("lshr", name, n // group, width, [x for _, x in places])
        while width > field:
            half, count = width // 2, n * field // width
            have = s.size * width // field // 2
            if have < half or s.order == "big":
                if s.order == "little":
                    low, high = name, self.op("shl", name, count, width, half - have)
                else:
                    low, high = (
                        self.op("lshr", name, count, width, have),
                        self.op("shl", name, count, width, half),
                    )
                # A mask of whole bytes would take a register for masks, where one of bits takes none.
                name = self.either(ones(have if have % 8 else half), low, high, count, width)
            name = self.seen(name, count, width, half)
            width = half
        return self.cut(name, n, field, s, [0] * n)

    def from_anywhere(self, s: Samples, starts: list[int], span: tuple[int, int]) -> str:
        """Samples wherever they are: the bytes of each into its lane, and a shift for each lane."""
        places = [self.within(s, b) for b in starts]
        shifts = [x for _, x in places]
        wide = container(max(shifts) + s.size)
        if wide < self.width and not s.signed:
            wide = self.width
        name = self.taken(s, [at for at, _ in places], shifts, wide, s.size, span)
        return self.cut(name, self.scope.lanes, wide, s, shifts)

    def within(self, s: Samples, start: int) -> tuple[int, int]:
        """The byte that has a sample's least significant bit, and which bit of it that is."""
        if s.order == "little":
            return start >> 3, start & 7
        last = start + s.size - 1
        return last >> 3, 7 - (last & 7)

    def taken(
        self,
        s: Samples,
        places: list[int],
        shifts: list[int],
        width: int,
        size: int,
        span: tuple[int, int],
    ) -> str:
        """Lanes with the bytes that so many bits are in, from the least significant one; others are any."""
        step = 1 if s.order == "little" else -1
        wanted = [
            at + step * min(t, (x + size - 1) // 8)
            for at, x in zip(places, shifts, strict=True)
            for t in range(width // 8)
        ]
        return self.seen(self.covers.fetched(s.buffer, wanted, span), len(wanted), 8, width)

    def cut(self, name: str, lanes: int, width: int, s: Samples, low: Sequence[int]) -> str:
        """The samples whose least significant bits are at some bits of their lanes, in lanes as values have them."""
        size = s.size
        if not s.signed:
            if width > self.width and len(set(low)) == 1 and low[0] + size <= self.width and low[0] == 0:
                name, width = self.cast(name, lanes, width, self.width), self.width
            name = self.shifted("lshr", name, lanes, width, low)
            if any(x + size < width for x in low):
                name = self.op("and", name, lanes, width, ones(size))
            return self.cast(name, lanes, width, self.width)
        if width > 8:
            name = self.shifted("shl", name, lanes, width, [width - size - x for x in low])
            name = self.shifted("ashr", name, lanes, width, [width - size] * lanes)
        elif size < 8:
            # There is no arithmetic shift of bytes.
            name = self.op("and", self.shifted("lshr", name, lanes, width, low), lanes, width, ones(size))
            sign = 1 << (size - 1)
            name = self.op("sub", self.op("xor", name, lanes, width, sign), lanes, width, sign)
        return self.cast(name, lanes, width, self.width, signed=True)

    # ---- out ----

    def packed(self, s: Samples, name: str, *, fits: bool) -> Bits:
        """Values as fields: cut to their size, and neighbors put together as far as that helps."""
        n, starts = self.scope.lanes, [s.start(j) for j in range(self.scope.lanes)]
        width = container(s.size)
        if width > self.width or width < self.width:
            name = self.cast(name, n, self.width, width)
        if not fits and s.size < width:
            name = self.op("and", name, n, width, ones(s.size))
        fields = Bits(name, width, s.size, starts)
        lanes = n
        while not self.settled(s, fields) and 2 * fields.width <= 64 and lanes % 2 == 0:
            if not _follow(fields.starts, fields.size, 2):
                break
            firsts = fields.starts[::2]
            merged = Samples(s.buffer, 0, 1, 1, order=s.order)
            over = max(self.bit_of(merged, b, 2 * fields.size) for b in firsts)
            if over + 2 * fields.size > 64:
                break
            lanes //= 2
            wide, size = 2 * fields.width, fields.size
            both = self.seen(fields.name, 2 * lanes, fields.width, wide)
            if s.order == "little":
                moved = (
                    self.op("lshr", both, lanes, wide, fields.width - size) if size < fields.width else both
                )
                joined = self.either(ones(size), both, moved, lanes, wide) if size < fields.width else both
            else:
                first = self.op("and", both, lanes, wide, ones(size))
                first = self.op("shl", first, lanes, wide, size)
                second = self.op("lshr", both, lanes, wide, fields.width)
                joined = self.out.let(f"or <{lanes} x i{wide}> {first}, {second}")
            fields = Bits(joined, wide, 2 * size, firsts)
        return fields

    def bit_of(self, s: Samples, start: int, size: int) -> int:
        """The number, within its byte, of the least significant bit of a field."""
        return start & 7 if s.order == "little" else -(start + size) & 7

    def settled(self, s: Samples, fields: Bits) -> bool:
        """Whether all fields begin with a byte."""
        return not any(self.bit_of(s, b, fields.size) for b in fields.starts)

    def into_words(
        self, outputs: Sequence[tuple[Samples, str, bool]], first: int
    ) -> tuple[str, int, int] | None:
        """Values that are fields of common words, put together there.

        Gives the words, their width, and which bits are meant.
        """
        n, word = self.scope.lanes, outputs[0][0].stride
        if word not in (8, 16, 32, 64) or n % 8 or len({s.order for s, _, _ in outputs}) > 1:
            return None
        base = 8 * first
        if any(len(s.offsets) > 1 or s.start(0) - base + s.size > word for s, _, _ in outputs):
            return None
        total, meant = "zeroinitializer", 0
        for s, name, fits in outputs:
            at = s.start(0) - base
            low = at if s.order == "little" else word - at - s.size
            value = self.cast(name, n, self.width, word)
            if not fits and low + s.size < word:
                value = self.op("and", value, n, word, ones(s.size))
            value = self.shifted("shl", value, n, word, [low] * n)
            total = self.out.let(f"or <{n} x i{word}> {total}, {value}") if meant else value
            meant |= ones(s.size) << low
        if outputs[0][0].order == "big" and word > 8:
            swapped = f"<{n} x i{word}>"
            total = self.out.let(f"call {swapped} @llvm.bswap.v{n}i{word}({swapped} {total})")
            meant = int.from_bytes(meant.to_bytes(word // 8, "big"), "little")
        return total, word, meant

    def as_bytes(self, outputs: Sequence[tuple[Samples, str, bool]], size: int) -> Bytes:
        """The bytes of a block that some outputs of one buffer have bits of."""
        found = Bytes([], [[] for _ in range(size)], [0] * size)
        for s, name, fits in outputs:
            fields = self.packed(s, name, fits=fits)
            shifts = [self.bit_of(s, b, fields.size) for b in fields.starts]
            wide = container(max(shifts) + fields.size)
            lanes = len(fields.starts)
            value = self.cast(fields.name, lanes, fields.width, wide)
            value = self.shifted("shl", value, lanes, wide, shifts)
            base = len(found.registers)
            reach = self.shuffles.target.reach
            found.registers += self.shuffles.registers(self.seen(value, lanes, wide, 8), lanes * wide // 8)
            for j, (start, shift) in enumerate(zip(fields.starts, shifts, strict=True)):
                lowest = start >> 3 if s.order == "little" else (start + fields.size - 1) >> 3
                step = 1 if s.order == "little" else -1
                meant = ones(fields.size) << shift
                for t in range((shift + fields.size + 7) // 8):
                    at = j * wide // 8 + t
                    found.dirty[lowest + step * t] |= meant >> 8 * t & 255
                    found.sources[lowest + step * t].append((base + at // reach, at % reach))
        return found


def _follow(starts: Sequence[int], size: int, group: int) -> bool:
    """Whether samples follow one another without gaps within each group of so many."""
    return all(b - a == size for k, (a, b) in enumerate(pairwise(starts)) if (k + 1) % group)
