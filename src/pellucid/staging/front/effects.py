"""What functions do beside returning a value: the parameters that they change in place, the memories that they read."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping
from types import FunctionType
from typing import Any, NamedTuple

from pellucid.staging.control import dynamic_call
from pellucid.staging.front.kinds import Kind
from pellucid.staging.front.source import Source
from pellucid.staging.integers import lift

CHANGES = ("append", "pop")
"""The methods of lists that change them."""


class EffectTarget(NamedTuple):
    """The function that a call enters: a function with its arguments, of which the first is the object of a method.

    With `what`, the call makes an object of that class, by `__init__` if there is a function.
    """

    source: Source | None
    args: list[ast.expr]
    what: type | None = None


class Effects:
    """The effects of all functions that an entry reaches, once their calls and kinds are known."""

    def __init__(self, entry: Source) -> None:
        self.sources: dict[FunctionType, Source] = {entry.function: entry}
        self.of_node: dict[ast.AST, Kind] = {}
        self.calls: dict[ast.Call, EffectTarget] = {}
        self.changed: dict[FunctionType, tuple[str, ...]] = {}
        """The parameters that a function changes in place, in order: it returns them too."""
        self.places: dict[tuple[FunctionType, str], ast.expr] = {}
        """The places where they are changed first."""
        self._memories: dict[FunctionType, bool] = {}
        self._recursive: dict[FunctionType, bool] = {}
        self._dynamic: dict[FunctionType, set[Kind]] = {}
        self._reached: dict[FunctionType, tuple[set[FunctionType], bool]] = {}

    def reached(self, source: Source) -> tuple[set[FunctionType], bool]:
        """The functions that one calls, itself included, also indirectly; and whether any of them reads a memory.

        What only computes with its arguments makes something static of what is static.
        """
        known = self._reached.get(source.function)
        if known is not None:
            return known
        seen: set[FunctionType] = set()
        waiting = [source]
        while waiting:
            one = waiting.pop()
            if one.function in seen:
                continue
            seen.add(one.function)
            for node in ast.walk(one.tree):
                target = self.calls.get(node) if isinstance(node, ast.Call) else None
                if target is not None and target.source is not None:
                    waiting.append(target.source)
        made = self._reached[source.function] = seen, any(self._memories[one] for one in seen)
        return made

    def changed_dynamically(self, source: Source) -> set[Kind]:
        """The kinds of what dynamic calls change, in a function and those that it calls: it comes back dynamic."""
        known = self._dynamic.get(source.function)
        if known is None:
            known = self._dynamic[source.function] = {
                self.of_node[one].root
                for function in self.reached(source)[0]
                for node in ast.walk(self.sources[function].tree)
                if isinstance(node, ast.Call)
                and node.args
                and self.sources[function].known(node.func) is dynamic_call
                for one in self._changes(node.args[0], self.changed)
            }
        return known

    def calls_itself(self, source: Source) -> bool:
        """Whether a function calls itself, also indirectly."""
        known = self._recursive.get(source.function)
        if known is None:
            targets = (self.calls.get(node) for node in ast.walk(source.tree) if isinstance(node, ast.Call))
            called = [one.source for one in targets if one is not None and one.source is not None]
            known = any(source.function in self.reached(one)[0] for one in called)
            self._recursive[source.function] = known
        return known

    def _reads(self, source: Source) -> bool:
        """Whether a function itself reads a memory, or lifts a value."""
        for node in ast.walk(source.tree):
            kind = self.of_node.get(node)
            if kind is not None and "memory" in kind.root.forms:
                return True
            if isinstance(node, ast.Call) and is_transparent(source.known(node.func)):
                return True
        return False

    # ---- what is changed in place ----

    def find_effects(self) -> None:
        """Find which functions read memories, and the parameters that each one changes, also by what it calls."""
        self._memories = {function: self._reads(one) for function, one in self.sources.items()}
        found: dict[FunctionType, set[str]] = {function: set() for function in self.sources}
        changing = True
        while changing:
            changing = False
            for function, source in self.sources.items():
                for one in self._changes(source.tree, found):
                    root = root_of(one)
                    if root in source.params and root not in found[function]:
                        found[function].add(root)
                        self.places[function, root] = one
                        changing = True
        for function, source in self.sources.items():
            self.changed[function] = tuple(one for one in source.params if one in found[function])

    def changed_in(self, statements: list[ast.stmt]) -> Iterator[ast.expr]:
        """The places that some statements change, also by what they call."""
        return self._changes(ast.Module(statements, []), self.changed)

    def _changes(self, tree: ast.AST, found: Mapping[FunctionType, Collection[str]]) -> Iterator[ast.expr]:
        """The places that a function, or a part of one, changes."""
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Store):
                held = self.of_node.get(node.value)
                if held is not None and "memory" not in held.root.forms:
                    yield node.value
            elif isinstance(node, ast.Call):
                target = self.calls.get(node)
                if target is None:
                    if isinstance(node.func, ast.Attribute) and node.func.attr in CHANGES:
                        yield node.func.value
                elif target.source is not None:
                    params = target.source.params[target.what is not None :]
                    for name, one in zip(params, target.args, strict=True):
                        if name in found[target.source.function]:
                            yield one


def root_of(node: ast.expr) -> str | None:
    """The variable that holds a place."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def is_transparent(function: Any) -> bool:
    """Whether a function returns its argument, and only says something to the compiler generator."""
    return function in (lift, dynamic_call)
