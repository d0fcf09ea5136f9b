"""Tables of a stream, as LLVM text: a small one is kept in registers, and each byte of all lanes is one shuffle.

Above `fields`. The indices of the shuffle are computed. `Constants` are the tables in memory.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...rewriting.lane_types import MAX_REGISTER_TABLE, Lookup, container
from .fields import Fields


class Constants:
    """The constant tables of a function."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        """The lines in front of the function that declare them."""
        self._names: dict[tuple[tuple[int, ...], int], str] = {}

    def table(self, values: Sequence[int], width: int) -> str:
        """The name of a constant table."""
        key = (tuple(values), width)
        if key not in self._names:
            name = self._names[key] = f"@table{len(self._names)}"
            data = ", ".join([f"i{width} {v & ((1 << width) - 1)}" for v in values])
            self.lines.append(f"{name} = private constant [{len(values)} x i{width}] [{data}], align 64")
        return self._names[key]


class RegisterTables:
    """Reads small tables in all lanes at once."""

    def __init__(self, fields: Fields, constants: Constants) -> None:
        self.out, self.scope, self.shuffles = fields.out, fields.scope, fields.shuffles
        self.fields, self.constants, self._width = fields, constants, fields.width

    def in_registers(self, lookup: Lookup) -> bool:
        """Whether a table is small enough to be shuffled."""
        most = MAX_REGISTER_TABLE if self.shuffles.target.reach == 64 else MAX_REGISTER_TABLE // 4
        return len(lookup.table) <= most and self.bytes_of(lookup) <= 2

    def bytes_of(self, lookup: Lookup) -> int:
        """The number of bytes of each entry that matter."""
        low, high = min(lookup.table), max(lookup.table)
        if low < 0:
            return self._width // 8
        return container(max(1, high.bit_length())) // 8

    def read(self, lookup: Lookup) -> None:
        """Read a small table in all lanes at once."""
        n, w = self.scope.lanes, self._width
        at = self.fields.cast(self.scope.wide(lookup.index), n, w, 8)
        total: str | None = None
        for k in range(self.bytes_of(lookup)):
            part = [v >> 8 * k & 255 for v in lookup.table]
            found = self.fields.cast(self._permuted(part, at), n, 8, w)
            found = self.fields.shifted("shl", found, n, w, [8 * k] * n)
            total = found if total is None else self.out.let(f"or <{n} x i{w}> {total}, {found}")
        self.scope.define(lookup.leaf, total or "zeroinitializer")

    def _permuted(self, entries: list[int], at: str) -> str:
        """The bytes of a table at some indices, one of which is in each lane."""
        n, reach = self.scope.lanes, self.shuffles.target.reach
        # One register, or two or four or more of them, chosen among by the next bits of the index.
        count = -(-len(entries) // reach)
        padded = entries + [0] * (reach * (1 << (count - 1).bit_length()) - len(entries))
        name = self.constants.table(padded, 8)
        parts = [self.out.fresh() for _ in range(len(padded) // reach)]
        for p, part in enumerate(parts):
            # Before all loops, so that it stays in its register.
            self.out.enter(f"{part}.at = getelementptr i8, ptr {name}, i64 {p * reach}")
            self.out.enter(f"{part} = load <{reach} x i8>, ptr {part}.at, align 16")
        wide = max(reach, min(2 * reach, self.shuffles.target.width))
        spans = [(start, min(wide, n - start)) for start in range(0, n, wide)]
        pieces = [(self.shuffles.slice(at, n, start, count), count) for start, count in spans]
        lows = [self.fields.op("and", piece, count, 8, reach - 1) for piece, count in pieces]
        found: list[tuple[str, int]] = []
        for (piece, count), low in zip(pieces, lows, strict=True):
            self._cut_here()
            found.append((self._chosen(parts, piece, low, count), count))
        self._cut_here()
        return self.shuffles.row_of(found)

    def _cut_here(self) -> None:
        """Begin a block: the code generator finds one shuffle only where nothing around mixes with its lanes."""
        after = self.out.new_label()
        self.out.jump(after)
        self.out.start_block(after)

    def _chosen(self, parts: list[str], at: str, low: str, n: int) -> str:
        """The bytes of some registers at `n` indices into all of them; `low` are the indices within each register."""
        reach = self.shuffles.target.reach
        lines: list[str] = []
        before = ["poison"] * len(parts)
        g = self.out.fresh()
        # Written lane by lane, which the code generator recognizes as one shuffle of all lanes.
        for j in range(n):
            lines.append(f"{g}.i{j} = extractelement <{n} x i8> {low}, i32 {j}")
            for p, part in enumerate(parts):
                e, r = f"{g}.e{p}.{j}", f"{g}.r{p}.{j}"
                lines.append(f"{e} = extractelement <{reach} x i8> {part}, i8 {g}.i{j}")
                lines.append(f"{r} = insertelement <{n} x i8> {before[p]}, i8 {e}, i32 {j}")
                before[p] = r
        self.out.emit("\n".join(lines))
        bit = reach
        while len(before) > 1:
            test = self.fields.op("and", at, n, 8, bit)
            upper = self.out.let(f"icmp ne <{n} x i8> {test}, zeroinitializer")
            before = [
                self.out.let(f"select <{n} x i1> {upper}, <{n} x i8> {b}, <{n} x i8> {a}")
                for a, b in zip(before[::2], before[1::2], strict=True)
            ]
            bit *= 2
        return before[0]
