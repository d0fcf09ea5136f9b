"""Statements that are instances of one another: the one statement of which they are, with an index in it.

``a[3] := b[7]; a[4] := b[9]`` are ``a[i] := b[2*i + 1]`` at 3 and 4: where they differ, there are constants in
arithmetic progression. Used by `roll_all`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...ir.expr import Expr, apply, const, rebuild
from ...ir.nest import Abstract, Alloc, Block, For, If, Statement, Store, While, blocks, roots, with_blocks
from ...reasoning.linear import folded

Progression = tuple[int, int]
"""The first number and the step."""


class Common:
    """Finds what some statements have in common; `steps` collects the progressions in which they differ."""

    def __init__(self, index: Expr, start: int, copies: int) -> None:
        self.index, self.start, self.copies = index, start, copies
        self.steps: list[Progression] = []
        self._done: dict[tuple[Expr, ...], Expr | None] = {}

    def block(self, instances: Sequence[Block]) -> Block | None:
        """The block of which these are instances."""
        if len({len(b) for b in instances}) != 1:
            return None
        found: list[Statement] = []
        for together in zip(*instances, strict=True):
            s = self.statement(together)
            if s is None:
                return None
            found.append(s)
        return tuple(found)

    def statement(self, instances: Sequence[Statement]) -> Statement | None:
        """The statement of which these are instances."""
        first = instances[0]
        if isinstance(first, Abstract) and all(
            isinstance(s, Abstract) and s.name == first.name for s in instances
        ):
            return first
        if not all(_alike(first, s) for s in instances) or not isinstance(
            first, Store | For | If | Alloc | While
        ):
            return None
        own = [self.expression(es) for es in zip(*(roots(s) for s in instances), strict=True)]
        inner = [self.block(bs) for bs in zip(*(blocks(s) for s in instances), strict=True)]
        new = [e for e in own if e is not None]
        bodies = tuple(b for b in inner if b is not None)
        if len(new) < len(own) or len(bodies) < len(inner):
            return None
        return with_blocks(_with_roots(first, new), bodies)

    def expression(self, instances: tuple[Expr, ...]) -> Expr | None:
        """The expression of which these are instances."""
        if instances not in self._done:
            self._done[instances] = self._expression(instances)
        return self._done[instances]

    def _expression(self, instances: tuple[Expr, ...]) -> Expr | None:
        first = instances[0]
        if all(e is first for e in instances):
            return first
        if any(
            e.op != first.op or e.type is not first.type or len(e.args) != len(first.args) for e in instances
        ):
            return None
        if first.op == "const":
            return self._progression(instances)
        if not first.args or any(e.attr != first.attr for e in instances):
            return None
        args = [self.expression(es) for es in zip(*(e.args for e in instances), strict=True)]
        known = tuple(a for a in args if a is not None)
        return rebuild(first, known) if len(known) == len(args) else None

    def _progression(self, instances: tuple[Expr, ...]) -> Expr | None:
        """Constants ``first + step * k`` as an expression of the index ``start + k``."""
        type_ = instances[0].type
        if not type_.is_integer:
            return None
        first, step = instances[0].attr, instances[1].attr - instances[0].attr
        if any(e.attr != first + step * k for k, e in enumerate(instances)):
            return None
        self.steps.append((first, step))
        index = self.index if type_ is self.index.type else apply("convert", self.index, attr=type_)
        scaled = folded("mul", index, const(step, type_))
        return folded("add", scaled, const(first - step * self.start, type_))


def _alike(a: Statement, b: Statement) -> bool:
    """Whether two statements differ in their expressions and blocks alone."""
    if type(a) is not type(b) or len(roots(a)) != len(roots(b)):
        return False
    if isinstance(a, For) and isinstance(b, For):
        return a.index is b.index and a.how == b.how
    if isinstance(a, Store) and isinstance(b, Store):
        return a.buffer is b.buffer
    if isinstance(a, Alloc) and isinstance(b, Alloc):
        return list(a.sizes) == list(b.sizes)
    return not (isinstance(a, If) and a.selects)


def _with_roots(s: Store | For | If | Alloc | While, new: Sequence[Expr]) -> Statement:
    match s:
        case Store():
            return replace(s, position=new[0], value=new[1])
        case For():
            return replace(s, lo=new[0], hi=new[1])
        case If() | While():
            return replace(s, condition=new[0])
        case Alloc():
            return replace(s, sizes=dict(zip(s.sizes, new, strict=True)))


def common(instances: Sequence[Block], index: Expr) -> tuple[int, Block] | None:
    r"""The first index, and the block of which some blocks are the instances at that and the following indices.

    The indices are those numbers in the blocks that go up by one, if there are any, so that the block has the index
    itself in their place; else they begin with 0. None if the blocks are no such instances.

    >>> from pellucid.ir.parse import parse_nest
    >>> text = "kernel k():\n  output a: i32[9]\n  a[3] := 7\n  a[4] := 9\n"
    >>> from pellucid.ir.expr import index
    >>> start, block = common([(s,) for s in parse_nest(text).body], index("i")) or (None, ())
    >>> start, [roots(s) for s in block]
    (3, [(%i, %i * 2 + 1)])
    """
    trial = Common(index, 0, len(instances))
    if trial.block(instances) is None:
        return None
    start = next((first for first, step in trial.steps if step == 1), 0)
    block = Common(index, start, len(instances)).block(instances)
    return None if block is None else (start, block)
