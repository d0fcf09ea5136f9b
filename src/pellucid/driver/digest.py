"""The digest of a kernel: equal for programs of equal structure, in every process, and soon made.

Keys of the cache are made of it; `ir.text` is for people. Nodes are numbered as they are reached from the statements,
operands first, so that nothing depends on what was built before; and there is no recursion, so that long expressions
need no room.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping

from ..base.errors import IrError
from ..ir import nest as N
from ..ir.expr import Expr
from ..ir.facts import Facts


def digest(kernel: N.Kernel, ranges: Mapping[Expr, Facts]) -> str:
    """The digest of a kernel and of what is known of some of its nodes, as 64 hexadecimal digits.

    >>> from pellucid.ir.parse import parse_nest
    >>> text = '''
    ... kernel fill():
    ...   output out: i32[4]
    ...   for i in 0 .. 4:
    ...     out[i] := i + 1
    ... '''
    >>> digest(parse_nest(text), {}) == digest(parse_nest(text), {})
    True
    >>> digest(parse_nest(text), {}) == digest(parse_nest(text.replace("i + 1", "i + 2")), {})
    False
    """
    words = _Words()
    words.lines += [kernel.name, repr(kernel.outputs)]
    words.nodes(kernel.params)
    words.block(kernel.body)
    for node, facts in ranges.items():
        words.nodes((node,))
        words.lines.append(repr(facts))
    return hashlib.sha256("\n".join(words.lines).encode()).hexdigest()


class _Words:
    """Lines that say what there is: a node where it is reached first, and later by its number."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._numbers: dict[Expr, int] = {}

    def nodes(self, roots: Iterable[Expr]) -> None:
        """Expressions, in order."""
        for root in roots:
            self._reach(root)
            self.lines.append(f"= {self._numbers[root]}")

    def _reach(self, root: Expr) -> None:
        numbers = self._numbers
        stack = [root]
        while stack:
            node = stack[-1]
            missing = [] if node in numbers else [a for a in node.args if a not in numbers]
            if missing:
                stack += reversed(missing)
                continue
            stack.pop()
            if node not in numbers:
                operands = " ".join([str(numbers[a]) for a in node.args])
                self.lines.append(f"{node.op} {node.type.name} {node.attr!r} {operands}")
                numbers[node] = len(numbers)

    def block(self, block: N.Block) -> None:
        """Statements, in order."""
        self.lines.append(f"{len(block)} statements")
        for statement in block:
            self._statement(statement)

    def _statement(self, s: N.Statement) -> None:
        self.lines.append(type(s).__name__)
        match s:
            case N.Let(value):
                self.nodes((value,))
            case N.Repeat(value, body):
                self.nodes((value,))
                self.block(body)
            case N.Once(across, values, body):
                self.lines.append(repr(across))
                self.nodes(values)
                self.block(body)
            case N.If(condition, then, orelse, selects):
                self.nodes((condition, *selects))
                self.block(then)
                self.block(orelse)
            case N.For(index, lo, hi, body, how):
                self.lines.append(repr(how))
                self.nodes((index, lo, hi))
                self.block(body)
            case N.While(condition, body):
                self.nodes((condition,))
                self.block(body)
            case N.Store(buffer, position, value):
                self.lines.append(repr(buffer))
                self.nodes((position, value))
            case N.Alloc(sizes, body):
                self.lines.append(repr([*sizes]))
                self.nodes(sizes.values())
                self.block(body)
            case N.Abstract(name):
                raise IrError("an abstract statement has no digest", place=name)
