"""Bytes of a group that are wanted together, as LLVM text: as one word in each lane, or as their sum.

Above `interleaved`. Samples that lie across bytes are read so: a word has all bytes of a lane after one shuffle, and
shifts cut it. A processor that adds up eight bytes at once does so in place, before any of them is widened.
"""

from __future__ import annotations

from ...base.record import record
from ...ir import types as T
from ...ir.expr import Expr
from ..jit.spelling import typed
from .bitfields import bit_fields
from .interleaved import InterleavedLoads, Stride

WORD = 8
"""Bytes that are added up at once."""
_ADDING = {16: "sse2.psad.bw", 32: "avx2.psad.bw", 64: "avx512.psad.bw.512"}
"""The instruction that adds up eight bytes, by the bytes of the register that it takes."""
MAX_TERMS = 256
"""Maximum terms of a sum that is looked through for bytes."""


@record
class Joined:
    """A word by the loads of its bytes (None: zero), or a sum by loads of eight bytes each and the other terms."""

    bytes: tuple[tuple[Expr | None, ...], ...]
    rest: tuple[Expr, ...] = ()


class JoinedBytes:
    """Finds words and sums of bytes, and writes them; `summed` is `Machine.summed_bytes`."""

    def __init__(self, loads: InterleavedLoads, *, summed: int) -> None:
        self.out, self.scope, self.values = loads.out, loads.scope, loads.addressing.values
        self.loads, self.strides, self.shuffles, self._summed = loads, loads.strides, loads.shuffles, summed
        self._found: dict[tuple[Expr, int], Joined | None] = {}
        """By node, and by the line where the vector loop begins."""

    def find(self, node: Expr) -> Joined | None:
        """The bytes that a node joins, if it does; asked for each node once in a loop."""
        if node.op not in ("or", "add") or self.scope.loop.index is None or not self.scope.is_wide(node):
            return None
        key = node, self.scope.loop.entry
        if key not in self._found:
            self._found[key] = self._word(node) if node.op == "or" else self._sum(node)
        return self._found[key]

    def write(self, node: Expr, found: Joined) -> None:
        """Compute a node that joins bytes."""
        if node.op == "or":
            self.scope.define(node, self._gathered(found.bytes[0], typed(node.type, self.scope.lanes)))
            return
        word = typed(node.type, self.scope.lanes)
        names = [self._added_up(each) for each in found.bytes]
        names += [self.values.wide(n) for n in found.rest]
        total = names[0]
        for name in names[1:]:
            total = self.out.let(f"add {word} {total}, {name}")
        self.scope.define(node, total)

    # ---- finding ----

    def _stride(self, node: Expr) -> Stride | None:
        """The stride of a load of bytes that can be read with its group."""
        if node.op != "load" or node.attr.type is not T.u8 or node in self.scope.names:
            return None
        return self.loads.stride(node)

    def _word(self, node: Expr) -> Joined | None:
        if node.type.kind != "unsigned" or node.type.bits < 16:
            return None
        size = node.type.bits // 8
        bytes_: list[Expr | None] = [None] * size
        groups: set[object] = set()
        constants: list[int] = []
        reach = 0
        for value, shift, mask in bit_fields(node, set()):
            at, odd = divmod(shift, 8)
            if odd or not 0 <= at < size or mask != 255 << shift or bytes_[at]:
                return None
            stride = self._stride(value)
            if stride is None:
                return None
            groups.add((value.attr, *stride.form))
            constants.append(stride.constant)
            reach = stride.reach
            bytes_[at] = value
        if len(groups) > 1 or len(constants) < 2 or max(constants) - min(constants) >= reach:
            return None
        return Joined((tuple(bytes_),))

    def _sum(self, node: Expr) -> Joined | None:
        if not self._summed or node.type.bits != 64 or not node.type.is_integer:
            return None
        terms = _terms(node)
        groups: dict[object, tuple[int, dict[int, Expr]]] = {}
        rest: list[Expr] = []
        for n in terms:
            load = n.args[0] if n.op == "convert" else n
            stride = self._stride(load)
            if stride is None:
                rest.append(n)
                continue
            mine = groups.setdefault((load.attr, *stride.form), (stride.reach, {}))[1]
            if stride.constant in mine:
                rest.append(n)
            else:
                mine[stride.constant] = n
        eights: list[tuple[Expr | None, ...]] = []
        for reach, mine in groups.values():
            order = sorted(mine)
            while order:
                some = order[:WORD]
                if len(some) == WORD and some[-1] - some[0] < reach:
                    eights.append(tuple(mine[c].args[0] for c in some))
                    del order[:WORD]
                else:
                    rest.append(mine[order.pop(0)])
        return Joined(tuple(eights), tuple(rest)) if eights else None

    # ---- writing ----

    def _gathered(self, bytes_: tuple[Expr | None, ...], type_: str) -> str:
        """Lanes with some bytes each, as a vector of a type."""
        first = next(b for b in bytes_ if b is not None)
        stride = self.loads.stride(first)
        assert stride is not None  # noqa: S101 - it was found
        constants = [None if b is None else self._constant(b) for b in bytes_]
        held = self.loads.hold(first, stride, [c for c in constants if c is not None])
        places = [None if c is None else c - held.first for c in constants]
        lanes = stride.places(self.scope.lanes)
        wanted = [None if p is None else p + at for at in lanes for p in places]
        pieces: list[tuple[str, int]] = []
        for start in range(0, len(wanted), self.shuffles.near):
            part = wanted[start : start + self.shuffles.near]
            windows = self.loads.around(held, [p for p in part if p is not None])
            pieces.append((self.shuffles.gather(windows, part), len(part)))
        return self.out.let(f"bitcast <{len(wanted)} x i8> {self.shuffles.row_of(pieces)} to {type_}")

    def _constant(self, load: Expr) -> int:
        stride = self.loads.stride(load)
        assert stride is not None  # noqa: S101 - it was found
        return stride.constant

    def _added_up(self, bytes_: tuple[Expr | None, ...]) -> str:
        """The sums of eight bytes of each lane, in words of eight bytes."""
        let, lanes = self.out.let, self.scope.lanes
        name = self._gathered(bytes_, f"<{lanes * WORD} x i8>")
        size = self._summed
        word, zero = f"<{size // WORD} x i64>", f"<{size} x i8> zeroinitializer"
        pieces: list[tuple[str, int]] = []
        for start in range(0, lanes * WORD, size):
            count = min(size, lanes * WORD - start)
            part = self.shuffles.resized(self.shuffles.slice(name, lanes * WORD, start, count), count, size)
            words = let(f"call {word} @llvm.x86.{_ADDING[size]}(<{size} x i8> {part}, {zero})")
            whole = let(f"bitcast {word} {words} to <{size} x i8>")
            pieces.append((self.shuffles.slice(whole, size, 0, count), count))
        return let(f"bitcast <{lanes * WORD} x i8> {self.shuffles.row_of(pieces)} to <{lanes} x i64>")


def _terms(node: Expr) -> list[Expr]:
    """The terms of a sum, and of the sums in it; just the two of a long one.

    >>> from pellucid.ir.parse import parse_expr
    >>> _terms(parse_expr("%i + 3 + %j")[0])
    [%i, 3, %j]
    """
    found: list[Expr] = []
    stack = [node]
    while stack:
        n = stack.pop()
        if n.op == "add":
            stack += reversed(n.args)
        else:
            found.append(n)
        if len(found) > MAX_TERMS:
            return list(node.args)
    return found
