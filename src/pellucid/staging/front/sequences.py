"""Sequences of an interpreter: how they are made, and their items. Below `expressions`."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Mapping
from types import FunctionType
from typing import Any

from pellucid.base.errors import StagingError
from pellucid.staging.front.blocks import Block, Blocks, Branch, Go
from pellucid.staging.front.inference import Inference, position
from pellucid.staging.front.kinds import Kind
from pellucid.staging.front.library import library
from pellucid.staging.front.source import Source
from pellucid.staging.root.program import Code

_INSTEAD: Mapping[type[ast.AST], str] = {
    ast.Lambda: "write a function with `def`",
    ast.ListComp: "write a loop that appends",
    ast.SetComp: "write a loop",
    ast.DictComp: "write a loop that assigns entries",
    ast.GeneratorExp: "write a loop",
    ast.Await: "write plain calls",
    ast.Yield: "return a tuple or a list",
    ast.YieldFrom: "return a tuple or a list",
    ast.NamedExpr: "assign the variable on a line before",
    ast.Starred: "name the items one by one",
    ast.Set: "write a tuple",
    ast.Attribute: "keep values in tuples or dictionaries",
    ast.Slice: "take the items by their index",
}
STRUCTURES = {"tuple", "list", "dict"}


class Sequences(ABC):
    """Translates the sequences of one function."""

    def __init__(
        self, source: Source, inference: Inference, codes: Mapping[FunctionType, Code], blocks: Blocks
    ) -> None:
        self.source = source
        self.inference = inference
        self.codes = codes
        self.blocks = blocks
        self.leaves = False
        """Whether the function ends here, so that its lists may be handed on."""

    def error(self, node: ast.AST, message: str, fix: str) -> StagingError:
        """The error of a line."""
        return self.source.error(node, message, fix)

    def refused(self, node: ast.AST) -> StagingError:
        """The error of a construct that is outside of the subset."""
        text = ast.unparse(node).splitlines()[0]
        instead = _INSTEAD.get(type(node), "write it with if, while, for, calls, numbers and tuples")
        return self.error(node, f"{text!r} is outside of what interpreters may use", instead)

    def kind(self, node: ast.expr) -> Kind:
        """The kind of an expression."""
        return self.inference.of_node[node].root

    def form(self, node: ast.expr) -> str:
        """The form of a sequence; one that is static in some places and made in others is `either`."""
        forms = self.kind(node).forms - {"none"}
        if "memory" in forms:
            return "memory"
        if len(forms & STRUCTURES) > 1 or ("given" in forms and forms & {"list", "dict"}):
            raise self.error(
                node,
                f"{ast.unparse(node)} is a {' in some places and a '.join(sorted(forms))} in others".replace(
                    "given", "static sequence"
                ),
                "make it one of them: `list(x)` and `tuple(x)` copy",
            )
        if "given" in forms:
            return "either" if "tuple" in forms else "given"
        return next(iter(forms), "tuple")

    @abstractmethod
    def place(self, node: ast.expr) -> str:
        """The variable of an expression whose value is only looked at."""

    def value(self, node: ast.expr) -> str:
        """The variable of an expression; a list that changes may not get a second name."""
        kind = self.inference.of_node.get(node)
        if (
            kind is not None
            and kind.root.mutated
            and isinstance(node, ast.Name | ast.Subscript)
            and not self.leaves
        ):
            raise self.error(
                node,
                f"{ast.unparse(node)} is changed, and would have two names",
                "copy it: tuple(x) or list(x)",
            )
        return self.place(node)

    def filled(self, node: Any) -> str:
        """A list of one item, repeated."""
        if len(node.left.elts) != 1:
            raise self.error(node, "a list of more than one item is repeated", "repeat a list of one item")
        value, count = self.value(node.left.elts[0]), self.value(node.right)
        return self.call(node, "fill", self.blocks.const(None), value, count, kind=self.kind(node))

    def among(self, item: str, held: ast.expr) -> str:
        """Whether an item is in a sequence, or a key in a dictionary."""
        if isinstance(held, ast.Tuple | ast.List | ast.Set):
            result, join = self.blocks.temporary(), Block(held.lineno)
            self.blocks.prim("identity", self.blocks.const(False), to=result)
            for one in held.elts:
                self.blocks.prim("=", item, self.value(one), to=result)
                more = Block(held.lineno)
                self.blocks.end(Branch(result, join, more), more)
            self.blocks.end(Go(join), join)
            return result
        form, value = self.form(held), self.place(held)
        if form == "given":
            return self.blocks.prim("has", value, item)
        if form == "either":
            raise self.error(held, "`in` a sequence that is static in some places only", "write a loop")
        return self.call(held, "among" if form == "dict" else "holds", value, item)

    def made_tuple(self, node: Any) -> str:
        """A tuple."""
        kind = self.kind(node)
        items = [self.value(one) for one in node.elts]
        made = self.blocks.const(None)
        for at, one in reversed(list(enumerate(items))):
            made = self.blocks.prim("cons", one, made, point=f"{point_of(kind)}.{at}")
        return made

    def made_list(self, node: Any) -> str:
        """A list."""
        made = self.blocks.const(None)
        for one in node.elts:
            made = self.blocks.prim("cons", self.value(one), made, point=point_of(self.kind(node)))
        return made

    def made_dict(self, node: Any) -> str:
        """A dictionary."""
        made, kind = self.blocks.const(None), self.kind(node)
        for key, one in zip(node.keys, node.values, strict=True):
            if key is None:
                raise self.error(node, "a dictionary is unpacked into another one", "assign the entries")
            made = self.call(node, "enter", made, self.value(key), self.value(one), kind=kind)
        return made

    def subscript(self, node: Any) -> str:
        """An item."""
        if isinstance(node.slice, ast.Slice):
            raise self.error(node, "a slice", "take the items by their index")
        held = self.place(node.value)
        form = self.form(node.value)
        return self.item(node, held, form, node.slice)

    def item(self, node: ast.AST, held: str, form: str, index: ast.expr) -> str:
        """The variable of an item of a sequence."""
        if form == "memory":
            return self.blocks.prim("load", held, self.value(index))
        if form == "given":
            return self.blocks.prim("item", held, self.value(index))
        if form == "dict":
            return self.call(node, "find", held, self.value(index))
        if form == "either":
            return self._either(node, held, index)
        at = position(index)
        if isinstance(index, ast.UnaryOp) and isinstance(index.op, ast.USub) and form == "list":
            back = position(index.operand)
            at = None if back is None else back - 1
        elif form == "list":
            at = None
        if at is not None:
            for _ in range(at):
                held = self.blocks.prim("cdr", held)
            return self.blocks.prim("car", held)
        return self.call(node, f"of_{form}", held, self.value(index))

    def _either(self, node: ast.AST, held: str, index: ast.expr) -> str:
        """An item of a sequence that is static data, or pairs."""
        result, join = self.blocks.temporary(), Block(getattr(node, "lineno", 0))
        pairs, vector = Block(join.line), Block(join.line)
        self.blocks.end(Branch(self.blocks.prim("pair?", held), pairs, vector), pairs)
        for form, then in (("tuple", vector), ("given", join)):
            self.blocks.prim("identity", self.item(node, held, form, index), to=result)
            self.blocks.end(Go(join), then)
        return result

    def call(self, node: ast.AST, name: str, *args: str, kind: Kind | None = None) -> str:
        """The variable of what a code of the library returns."""
        code = library(name, point_of(kind)) if kind is not None else library(name)
        return self.blocks.call(code, *args, line=getattr(node, "lineno", 0))

    def length(self, node: Any) -> str:
        """The number of items."""
        (one,) = self.arguments(node, 1)
        form, held = self.form(one), self.place(one)
        if form in ("given", "either") or not self.kind(one).forms:
            if form == "either":
                raise self.error(node, "the length of a sequence that is static in some places", "count it")
            return self.blocks.prim("vlen", held)
        return self.call(node, "length", held, self.blocks.const(0))

    def copied(self, node: Any) -> str:
        """A tuple or a list of the items of a sequence."""
        if not node.args:
            return self.blocks.const(None)
        (one,) = self.arguments(node, 1)
        form, held, kind = self.form(one), self.place(one), self.kind(node)
        to = "list" if node.func.id == "list" else "tuple"
        if form == "given":
            made = self.call(
                node, "of_vector", held, self.blocks.const(0), self.blocks.const(None), kind=kind
            )
            return (
                made if to == "list" else self.call(node, "turned", made, self.blocks.const(None), kind=kind)
            )
        if form not in ("list", "tuple"):
            raise self.error(node, f"a copy of {ast.unparse(one)}", "copy tuples and lists")
        if form == to:
            return held
        return self.call(node, "turned", held, self.blocks.const(None), kind=kind)

    def arguments(self, node: Any, count: int) -> list[ast.expr]:
        """The arguments of a built-in function that takes so many."""
        if len(node.args) != count:
            raise self.error(node, f"{ast.unparse(node.func)} takes {count} arguments here", "give as many")
        return node.args


def point_of(kind: Kind) -> str:
    """The cons point of a kind: a name of its own."""
    own = kind.root
    if not own.point:
        own.point = f"{own.name or 'made'}-{next(own.numbers)}"
    return own.point
