"""Addresses as LLVM text: of single elements, and of runs of neighbors in the lanes of a vector loop.

Above `values` and `buffers`. Where the parts of a position add up without a wrap, they are added up as addresses, of
which a processor does most at once with the access.
"""

from __future__ import annotations

from ...ir import types as T
from ...ir.expr import Buffer, Expr
from ...reasoning.linear import Sum, as_sum, index_is_whole
from ..jit.spelling import SCALAR, STORED, moved_on
from .buffers import Buffers
from .scope import Scope
from .values import Values


class Addressing:
    """Computes addresses of positions that are in bounds."""

    def __init__(self, scope: Scope, values: Values, buffers: Buffers) -> None:
        self.out, self.scope, self.values, self.buffers = scope.out, scope, values, buffers
        self._sums: dict[tuple[Expr, int], Sum] = {}
        self._shapes: dict[Expr, Sum] = {}
        self._rows: dict[tuple[Buffer, tuple[tuple[str, int], ...]], str] = {}

    # ---- single elements ----

    def element(self, buffer: Buffer, at: str, type_: T.Type) -> str:
        """The address of the element at a position that has a name."""
        return self.out.let(
            f"getelementptr {STORED[buffer.type]}, ptr {self.buffers.pointer(buffer)}, {SCALAR[type_]} {at}"
        )

    def element_of(self, buffer: Buffer, position: Expr) -> str:
        """The address of the element at a position; what does not change in the loop around is added first."""
        at, type_ = self.values.value(position), position.type
        found = as_sum(position, stop=self._is_steady, whole=index_is_whole)
        if len(found.terms) + bool(found.constant) < 2 or not self.is_whole(found, type_):
            return self.element(buffer, at, type_)
        element, inner = STORED[buffer.type], self.scope.loop.inner
        where = self.buffers.pointer(buffer)
        *first, last = sorted(found.terms, key=lambda term: bool(term[0].free & inner))
        for n, count in first:
            where = self._added(element, where, n, count)
        return self._added(element, where, *last, found.constant)

    def _added(self, element: str, where: str, node: Expr, count: int, constant: int = 0) -> str:
        """The address that is a multiple of a number, and a constant, of elements on."""
        lines, found = self._adding(element, where, self.values.value(node), node.type, count, constant)
        self.out.lines.extend(lines)
        return found

    def _adding(
        self, element: str, where: str, name: str, type_: T.Type, count: int, constant: int = 0
    ) -> tuple[list[str], str]:
        """The lines of `_added`, and the name of the address."""
        lines: list[str] = []
        index = f"{SCALAR[type_]} {name}"
        # An index of fewer bits is taken as a signed number, and arrays have no size below zero.
        if type_.bits < 64 and (type_.kind != "signed" or count < 0):
            kind = "sext" if type_.kind == "signed" else "zext"
            wide = self.out.fresh()
            lines.append(f"{wide} = {kind} {index} to i64")
            index = f"i64 {wide}"
        if count < 0:
            opposite = self.out.fresh()
            lines.append(f"{opposite} = sub i64 0, {index.removeprefix('i64 ')}")
            index = f"i64 {opposite}"
        found = self.out.fresh()
        lines.append(f"{found} = {moved_on(where, element, abs(count), index, constant)}")
        return lines, found

    def _is_steady(self, node: Expr) -> bool:
        """Whether a value stays in the loop around, and is no sum with a constant, which an access adds at no cost."""
        plus = node.op in ("add", "sub") and any(a.op == "const" for a in node.args)
        return not node.free & self.scope.loop.inner and not plus

    # ---- positions as sums ----

    def is_whole(self, found: Sum, type_: T.Type) -> bool:
        """Whether a sum modulo the width of a type is the sum itself."""
        return found.fits(type_, self.scope.loop.facts)

    def shape(self, position: Expr) -> Sum:
        """A position as a sum of everything that can be taken apart."""
        found = self._shapes.get(position)
        if found is None:
            found = self._shapes[position] = as_sum(position, stop=lambda n: False, whole=index_is_whole)
        return found

    def in_lanes(self, position: Expr) -> Sum:
        """A position as a sum of terms that differ from lane to lane and of terms that do not."""
        key = position, self.scope.loop.varying
        found = self._sums.get(key)
        if found is None:
            is_wide = self.scope.is_wide
            found = as_sum(position, stop=lambda n: not is_wide(n), whole=index_is_whole)
            self._sums[key] = found
        return found

    def is_affine(self, node: Expr) -> bool:
        """Whether a value is a sum of multiples of the index of the lanes and of values that all lanes share."""
        if not self.scope.is_wide(node) or not node.type.is_integer:
            return False
        index = self.scope.loop.index
        return all(n is index or not self.scope.is_wide(n) for n, _ in self.in_lanes(node).terms)

    # ---- runs ----

    def is_run(self, position: Expr) -> bool:
        """Whether the position in lane k is k elements further than in lane 0."""
        index = self.scope.loop.index
        if index is None or not position.free & index.free:
            return False
        found = self.in_lanes(position)
        return all(k == 1 if n is index else not self.scope.is_wide(n) for n, k in found.terms) and any(
            n is index for n, _ in found.terms
        )

    def run_start(self, position: Expr) -> str:
        """The position of lane 0 of a run."""
        index, let = self.scope.loop.index, self.out.let
        assert index is not None  # noqa: S101 - there is a run
        found = self.in_lanes(position)
        word = SCALAR[position.type]

        def fit(name: str, type_: T.Type) -> str:
            return name if type_ is position.type else let(f"sext {SCALAR[type_]} {name} to {word}")

        total = fit(self.scope.loop.base, index.type)
        for n, k in found.terms:
            if n is index:
                continue
            term = fit(self.values.value(n), n.type)
            if k != 1:
                term = let(f"mul {word} {term}, {k}")
            total = let(f"add {word} {total}, {term}")
        return let(f"add {word} {total}, {found.constant}") if found.constant else total

    def run(self, buffer: Buffer, position: Expr) -> str:
        """The address of lane 0 of a run that is in bounds.

        Where the parts of the position add up without a wrap, the parts that do not change in the loop are added up
        before it, and the constant is left to the access.
        """
        found, loop = self.in_lanes(position), self.scope.loop
        if position.type is not T.i32 or loop.index is None or not self.is_whole(found, position.type):
            return self.element(buffer, self.run_start(position), position.type)
        where = self.row(buffer, [(n, k) for n, k in found.terms if n is not loop.index])
        return self.out.let(moved_on(where, STORED[buffer.type], 1, f"i64 {loop.wide_base}", found.constant))

    def row(self, buffer: Buffer, parts: list[tuple[Expr, int]]) -> str:
        """The address that the uniform parts of a position make, where the last of them was computed."""
        where = self.buffers.pointer(buffer)
        if not parts:
            return where
        names = [(self.values.value(n), n, k) for n, k in parts]
        key = (buffer, tuple((name, k) for name, _, k in names))
        found = self._rows.get(key)
        if found is None:
            lines: list[str] = []
            for name, n, k in names:
                more, where = self._adding(STORED[buffer.type], where, name, n.type, k)
                lines += more
            self.out.append(max(self.scope.lines[n] for _, n, _ in names), "\n".join(lines))
            found = self._rows[key] = where
        return found
