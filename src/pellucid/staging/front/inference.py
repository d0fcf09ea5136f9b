"""Finds the kinds of an interpreter's values: one walk over each function, from the entry to what it calls."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from types import FunctionType
from typing import Any

from pellucid.staging.front.kinds import Kind, Kinds
from pellucid.staging.front.source import Source, bound_arguments
from pellucid.staging.memory import Memory

RESULT = "return"
"""The variable that stands for what a function returns."""
CHANGES = ("append", "pop")


class Inference:
    """The kinds of all functions that an entry reaches; `static` are its parameters that hold static data."""

    def __init__(self, entry: Source, static: Iterable[str]) -> None:
        self.kinds = Kinds()
        self.sources: dict[FunctionType, Source] = {entry.function: entry}
        self.of_node: dict[ast.AST, Kind] = {}
        for name in static:
            self.kinds.variable(entry.function, name).add("given")
        waiting = [entry]
        while waiting:
            source = waiting.pop()
            walk = _Walk(self, source)
            for one in source.tree.body:
                walk.statement(one)
            waiting += walk.found

    def source(self, function: FunctionType) -> tuple[Source, bool]:
        """The source of a function, and whether it is new."""
        is_new = function not in self.sources
        if is_new:
            self.sources[function] = Source(function)
        return self.sources[function], is_new


class _Walk:
    """One function."""

    def __init__(self, inference: Inference, source: Source) -> None:
        self._inference = inference
        self._source = source
        self.found: list[Source] = []

    def _variable(self, name: str) -> Kind:
        return self._inference.kinds.variable(self._source.function, name)

    def statement(self, node: ast.stmt) -> None:
        """Unite what a statement makes flow together, also in those inside of it."""
        match node:
            case ast.Assign(targets, value):
                for target in targets:
                    self._assign(target, self.kind(value))
            case ast.AnnAssign(target, _, value) if value is not None:
                self._assign(target, self.kind(value))
            case ast.AugAssign(target, _, value):
                self.kind(value)
                if isinstance(target, ast.Subscript):
                    self._assign(target, Kind())
            case ast.Return(value):
                self._variable(RESULT).unite(self.kind(value) if value else Kind("none"))
            case ast.For(target, iterated):
                over = self.kind(iterated)
                if not is_range(self._source, iterated):
                    self._assign(target, over.part("item"))
                elif isinstance(target, ast.Name):
                    self._variable(target.id)
            case _:
                pass
        for one in ast.iter_child_nodes(node):
            if isinstance(one, ast.stmt):
                self.statement(one)
            elif isinstance(one, ast.expr) and not isinstance(node, ast.Assign | ast.AugAssign | ast.For):
                self.kind(one)

    def _assign(self, target: ast.expr, kind: Kind) -> None:
        match target:
            case ast.Name(name):
                self._variable(name).unite(kind)
            case ast.Tuple(elts) | ast.List(elts):
                for at, one in enumerate(elts):
                    self._assign(one, kind.part(at))
            case ast.Subscript(value, key):
                held = self.kind(value)
                held.mutated = True
                self.kind(key)
                held.root.mutated = True
                held.part("item").unite(kind)
            case _:
                pass

    def kind(self, node: ast.expr) -> Kind:
        """The kind of an expression."""
        found = self._inference.of_node.get(node)
        if found is None:
            found = self._inference.of_node[node] = self._kind(node)
        return found.root

    def _kind(self, node: ast.expr) -> Kind:
        match node:
            case ast.Name(name):
                if name in self._source.locals:
                    return self._variable(name)
                return outside_kind(self._source.outside(node))
            case ast.Constant(value):
                return Kind("none") if value is None else Kind()
            case ast.Tuple(elts):
                made = Kind("tuple")
                for at, one in enumerate(elts):
                    made.part(at).unite(self.kind(one))
                return made
            case ast.List(elts):
                made = Kind("list")
                for one in elts:
                    made.part("item").unite(self.kind(one))
                return made
            case ast.Dict(keys, values):
                made = Kind("dict")
                for key, one in zip(keys, values, strict=True):
                    if key is not None:
                        self.kind(key)
                    made.part("item").unite(self.kind(one))
                return made
            case ast.BinOp(ast.List() as held, ast.Mult(), count):
                self.kind(count)
                return self.kind(held)
            case ast.Subscript(value, index):
                self.kind(index)
                literal = position(index)
                return self.kind(value).part("item" if literal is None else literal)
            case ast.IfExp(test, one, other):
                self.kind(test)
                made = self.kind(one)
                made.unite(self.kind(other))
                return made
            case ast.BoolOp(_, values):
                made = self.kind(values[0])
                for one in values[1:]:
                    made.unite(self.kind(one))
                return made
            case ast.Call():
                return self._call(node)
            case ast.Lambda():
                return Kind()
            case _:
                for one in ast.iter_child_nodes(node):
                    if isinstance(one, ast.expr):
                        self.kind(one)
                return Kind()

    def _call(self, node: ast.Call) -> Kind:
        function = self._source.callee(node)
        if function is not None:
            callee, is_new = self._inference.source(function)
            if is_new:
                self.found.append(callee)
            kinds = self._inference.kinds
            for name, one in zip(callee.params, bound_arguments(self._source, node, callee), strict=True):
                kinds.variable(callee.function, name).unite(self.kind(one))
            return kinds.variable(callee.function, RESULT)
        if isinstance(node.func, ast.Attribute):
            held = self.kind(node.func.value)
            args = [self.kind(one) for one in node.args]
            if node.func.attr in CHANGES and not {"given"} & held.forms:
                held.mutated = True
                held.add("list")
            if node.func.attr == "append" and args:
                held.part("item").unite(args[0])
            if node.func.attr in ("load", "store"):
                held.add("memory")
            return held.root.part("item") if node.func.attr == "pop" else Kind()
        args = [self.kind(one) for one in node.args]
        known: Any = self._source.known(node.func)
        if known in (tuple, list) and args:
            made = Kind("tuple" if known is tuple else "list")
            made.part("item").unite(args[0].part("item"))
            return made
        if is_transparent(known) and args:
            return args[0]
        return Kind()


def position(index: ast.expr) -> int | None:
    """The position that a literal index names."""
    return index.value if isinstance(index, ast.Constant) and type(index.value) is int else None


def outside_kind(value: Any) -> Kind:
    """The kind of a constant of the interpreter."""
    if isinstance(value, tuple | list | dict):
        return Kind("given")
    return Kind("memory") if isinstance(value, Memory) else Kind()


def is_transparent(function: Any) -> bool:
    """Whether a function returns its argument, and only says something to the compiler generator."""
    from pellucid.staging.control import dynamic_call
    from pellucid.staging.integers import lift

    return function in (lift, dynamic_call)


def is_range(source: Source, node: ast.expr) -> bool:
    """Whether an expression is a call of `range`."""
    return isinstance(node, ast.Call) and source.known(node.func) is range
