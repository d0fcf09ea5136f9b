"""Outlining: sides of branches that compute alike become one function, so that LLVM compiles them once.

Under `branches`. A picture with forty exact sines has forty ways for large angles, each with fifty instructions that
hardly any pixel takes. The first side of a form is written in its place. Where a second one is met, the first becomes
a function of what it reads, and calls of it stand in both places.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ...ir import prim as table
from ...ir.expr import Expr
from ..jit.spelling import typed
from ..obligations import require_domain
from .values import Values

MIN_OUTLINED = 40
"""Nodes of a side that is outlined. A call costs less than computing so much, though it saves all registers."""

_NAME = re.compile(r"%[\w.]+")
_MADE = re.compile(r"^(%[\w.]+) =", re.MULTILINE)


class _Form(NamedTuple):
    """What a side computes, whatever the names of what it reads, and the nodes that it reads."""

    key: Hashable
    read: tuple[Expr, ...]


@dataclass(slots=True)
class _Side:
    """A side that is written in its place, or is a function, `called` with the values of the nodes of some numbers."""

    begin: int
    lines: list[str]
    names: dict[str, int]
    """The number of a node that is read, for its name."""
    read: list[str]
    """The types of what is read."""
    results: list[str]
    """The names of the results."""
    types: list[str]
    called: str = ""
    params: tuple[int, ...] = ()


class Outlining:
    """The sides that one function of a kernel has; `functions` are the texts of those that became functions."""

    def __init__(self, values: Values, prefix: str) -> None:
        self.out, self.scope, self.values = values.out, values.scope, values
        self.functions: list[str] = []
        self._prefix = prefix
        self._sides: dict[Hashable, _Side | None] = {}

    def side(self, nodes: Sequence[Expr], write: Callable[[], list[str]]) -> list[str]:
        """The names of the values of nodes in lanes, which `write` writes the lines of and returns."""
        form = self._form(nodes)
        if form is None:
            return write()
        if form.key not in self._sides:
            scope, begin = self.scope, len(self.out.lines)
            names = {scope.names[node]: k for k, node in enumerate(form.read)}
            found = write()
            lines = self.out.lines[begin:]
            types = [typed(p.type, scope.lanes) for p in nodes]
            read = [scope.type(node) for node in form.read]
            self._sides[form.key] = _Side(begin, lines, names, read, found, types)
            return found
        side = self._sides[form.key]
        if side is not None and (side.called or self._outline(side)):
            return self._call(side, form.read)
        # It reads what is no value of a node.
        self._sides[form.key] = None
        return write()

    def _form(self, nodes: Sequence[Expr]) -> _Form | None:
        """The form of what is computed for nodes; None where that is little, or more than rows of the table."""
        scope, leaves = self.scope, self.values.leaves
        numbers: dict[Expr, int] = {}
        steps: list[Hashable] = [scope.lanes]
        read: list[Expr] = []
        stack = list(nodes)
        while stack:
            node = stack[-1]
            if node in numbers:
                stack.pop()
                continue
            if node.op == "const":
                step: Hashable = node
            elif node in scope.names:
                step = (node.type, scope.is_wide(node))
                read.append(node)
            else:
                if node.op in ("load", "iterate", "get", "index", "state", "param"):
                    return None
                if leaves.operands(node) is not node.args:
                    return None
                require_domain(table.row(node.op), node, scope.facts)
                waiting = [a for a in node.args if a not in numbers]
                if waiting:
                    stack += waiting
                    continue
                operands = [numbers[a] for a in node.args]
                step = (node.op, node.type, node.attr, scope.is_wide(node), *operands)
            stack.pop()
            numbers[node] = len(numbers)
            steps.append(step)
        if len(numbers) < MIN_OUTLINED:
            return None
        return _Form((*steps, *[numbers[node] for node in nodes]), tuple(read))

    def _outline(self, side: _Side) -> bool:
        """Make a function of a side, and call it where that was written; False if it reads more than values."""
        lines, place = self.out.lines, slice(side.begin, side.begin + len(side.lines))
        text = "\n".join(side.lines)
        made = set(_MADE.findall(text))
        read = [name for name in dict.fromkeys(_NAME.findall(text)) if name not in made]
        # Two nodes of one name here may have two names where it is called; and a constant has none.
        apart = len(side.names) == len(side.read) and all(name.startswith("%") for name in side.names)
        known = side.names.keys() >= set(read) and made >= set(side.results)
        if not apart or not known or lines[place] != side.lines:
            return False
        side.called = f"@{self._prefix}.side{len(self.functions)}"
        side.params = tuple([side.names[name] for name in read])
        word, made_by = f"{{ {', '.join(side.types)} }}", "poison"
        function = [text]
        for k, name in enumerate(side.results):
            function.append(f"%result{k} = insertvalue {word} {made_by}, {side.types[k]} {name}, {k}")
            made_by = f"%result{k}"
        head = f"define internal {word} {side.called}({self._given(side, read)}) noinline nounwind {{\nentry:"
        self.functions.append("\n".join([head, *function, f"ret {word} {made_by}", "}\n"]))
        lines[place] = [self._text(side, read, side.results), *[""] * (len(side.lines) - 1)]
        return True

    def _call(self, side: _Side, read: Sequence[Expr]) -> list[str]:
        """Call the function of a side on what another one reads; the names of the results."""
        given = [self.scope.names[read[k]] for k in side.params]
        new = [self.out.fresh() for _ in side.results]
        self.out.emit(self._text(side, given, new))
        return new

    def _text(self, side: _Side, given: Sequence[str], results: Sequence[str]) -> str:
        """The lines of a call, and of its results by their names."""
        word, call = f"{{ {', '.join(side.types)} }}", self.out.fresh()
        lines = [f"{call} = call {word} {side.called}({self._given(side, given)})"]
        # Two results may be one value.
        numbers = {name: k for k, name in enumerate(results)}
        lines += [f"{name} = extractvalue {word} {call}, {k}" for name, k in numbers.items()]
        return "\n".join(lines)

    def _given(self, side: _Side, names: Sequence[str]) -> str:
        """What is handed to a function, with types."""
        return ", ".join([f"{side.read[k]} {name}" for k, name in zip(side.params, names, strict=True)])
