"""Sequences of an interpreter: how they are made, and their items. Below `expressions`."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from types import FunctionType
from typing import Any

from pellucid.base.errors import StagingError
from pellucid.staging.front.blocks import BlockBranch, Blocks, Go, PythonBlock
from pellucid.staging.front.inference import Inference
from pellucid.staging.front.kinds import ITEM, Kind, how_to_copy, point_of, several
from pellucid.staging.front.literals import is_end, position, written_key
from pellucid.staging.front.objects import fields_of, is_keyed, is_named_tuple, lacking, position_of
from pellucid.staging.front.returns import entire, of_routine
from pellucid.staging.front.routines import routine
from pellucid.staging.front.source import Source
from pellucid.staging.front.vectors import static_data
from pellucid.staging.memory import Memory
from pellucid.staging.root.program import Lift, RootCode
from pellucid.staging.times.lattice import STATIC

STRUCTURES = {"tuple", "list", "dict", "object"}


class Sequences(ABC):
    """Translates the sequences of one function."""

    def __init__(
        self, source: Source, inference: Inference, codes: Mapping[FunctionType, RootCode], blocks: Blocks
    ) -> None:
        self.source = source
        self.inference = inference
        self.codes = codes
        self.blocks = blocks
        self._indices: dict[ast.expr, str] = {}
        self.leaves = False
        """Whether the function ends here, so that its lists may be handed on."""

    @contextmanager
    def ending(self, *, leaves: bool) -> Generator[None]:
        """Within it, lists may be handed on if the function `leaves` with them."""
        self.leaves = leaves
        yield
        self.leaves = False

    def error(self, node: ast.AST, message: str, fix: str) -> StagingError:
        """The error of a line."""
        return self.source.error(node, message, fix)

    def mark(self, node: ast.AST, name: str) -> None:
        """Let whoever explains binding times know where the time of an expression is found."""
        if self.inference.marks is not None:
            mark = f"@{len(self.inference.marks)}"
            self.inference.marks[mark] = (self.source, node)
            self.inference.made[self.source.name, name] = node
            self.blocks.prim("identity", name, to=mark)

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
                f"{ast.unparse(node)} is {several(forms)}",
                "make it one of them: `list(x)` and `tuple(x)` copy",
            )
        if "given" in forms:
            return "either" if forms & {"tuple", "object"} else "given"
        return next(iter(forms), "tuple")

    @abstractmethod
    def place(self, node: ast.expr) -> str:
        """The variable of an expression whose value is only looked at."""

    def value(self, node: ast.expr) -> str:
        """The variable of an expression; what is changed in place may not get a second name."""
        kind = self.inference.of_node.get(node)
        if (
            kind is not None
            and kind.changes
            and isinstance(node, ast.Name | ast.Subscript | ast.Attribute)
            and not self.leaves
            and self.source.attribute(node) is None
        ):
            text = ast.unparse(node)
            raise self.error(
                node,
                f"{text} is changed, and would have two names",
                how_to_copy(text, kind),
            )
        return self.place(node)

    # ---- memories ----

    def memory(self, kind: Kind, words: str, size: str) -> str:
        """A memory as a value: with its length, where that is asked for."""
        return self.blocks.prim("cons", words, size, point=point_of(kind))

    def words(self, node: ast.expr, held: str) -> str:
        """The words of a memory."""
        return self.blocks.prim("car", held) if self.kind(node).with_size else held

    # ---- places ----

    def index(self, node: ast.expr) -> str:
        """The variable of the index of a place that is read and then changed: it is computed once."""
        if node not in self._indices:
            self._indices[node] = self.blocks.prim("identity", self.value(node))
        return self._indices[node]

    def read(self, node: ast.expr) -> str:
        """The variable of what a place holds that is changed next."""
        if isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Slice):
            form, held = self.form(node.value), self.read(node.value)
            return self.item(node, held, form, node.slice, self.index(node.slice))
        if isinstance(node, ast.Attribute) and self.source.attribute(node) is None:
            return self.field(node, self.read(node.value))
        return self.place(node)

    def rebind(self, node: ast.expr, value: str) -> None:
        """Change a place: a variable is bound anew, and so is what holds an item or a field."""
        if isinstance(node, ast.Name) and node.id in self.source.locals:
            if node.id in self.inference.changed[self.source.function] and node.id in self.source.rebound:
                raise self.error(
                    node,
                    f"the parameter {node.id} is changed, and is bound anew",
                    "give the copy a name of its own: copy = list(x)",
                )
            self.blocks.prim("identity", value, to=node.id)
        elif isinstance(node, ast.Subscript):
            self._put(node, value)
        elif isinstance(node, ast.Attribute):
            self._set(node, node.attr, value)
        else:
            raise self.error(node, f"{ast.unparse(node)} is changed in place", "change a local variable")

    def _put(self, node: ast.Subscript, value: str) -> None:
        """Change an item of a list, a dictionary or a memory."""
        held, form = node.value, self.form(node.value)
        if form == "memory":
            self.blocks.prim("store", self.words(held, self.place(held)), self.index(node.slice), value)
            return
        if form == "object" and is_keyed(self.kind(held).of):
            self._set(node, written_key(node.slice), value)
            return
        if form not in ("list", "dict"):
            raise self.error(
                node, f"an item of {ast.unparse(held)} is assigned", "copy it to a list: list(x)"
            )
        name = "put" if form == "list" else "enter"
        told = [self.missing()] if form == "list" else []
        args = [self.read(held), self.index(node.slice), value, *told]
        self.rebind(held, self.call(node, name, *args, kind=self.kind(held)))

    def _set(self, node: ast.Attribute | ast.Subscript, name: str, value: str) -> None:
        """Change a field of an object."""
        kind = self.kind(node.value)
        self.form(node.value)
        if kind.of is None or "given" in kind.forms or is_named_tuple(kind.of):
            raise self.error(
                node,
                f"the field {name} of {ast.unparse(node.value)} is assigned",
                "make the object in the interpreter, by a call of its class",
            )
        at = position_of(self.source, node, kind.of, name)
        rest = self.read(node.value)
        before: list[str] = []
        for _ in range(at):
            before.append(self.blocks.prim("car", rest))
            rest = self.blocks.prim("cdr", rest)
        rest = self.blocks.prim("cdr", rest)
        for place, one in reversed(list(enumerate([*before, value]))):
            rest = self.blocks.prim("cons", one, rest, point=f"{point_of(kind)}.{place}")
        self.rebind(node.value, rest)

    def attribute(self, node: Any) -> str:
        """A field of an object, or a constant of a module, a class or an enumeration."""
        known = self.source.attribute(node)
        if known is not None:
            return self.constant(node, known[0])
        return self.field(node, self.place(node.value))

    def constant(self, node: ast.expr, value: Any) -> str:
        """A value that the interpreter finds outside of its functions."""
        made = self.blocks.const(static_data(value, f"{self.source.file}:{node.lineno}"))
        if isinstance(value, Memory) and self.kind(node).with_size:
            return self.memory(self.kind(node), made, self.blocks.prim("vlen", made))
        return made

    def field(self, node: ast.Attribute, held: str) -> str:
        """The variable of a field."""
        return self.field_of(node, held, self.kind(node.value), node.attr)

    def field_of(self, node: ast.AST, held: str, kind: Kind, attr: str) -> str:
        """The variable of a field of an object of a kind."""
        text = ast.unparse(node).splitlines()[0]
        if kind.others:
            names = " and ".join(sorted(one.__name__ for one in {kind.of, *kind.others}))
            raise self.error(
                node,
                f"{text}: it is an object of {names}",
                "use one class with a field that tells them apart",
            )
        if kind.of is not None and not kind.forms & {"given"}:
            return self._of_pairs(held, position_of(self.source, node, kind.of, attr))
        if "given" not in kind.forms:
            raise self.error(
                node,
                f"{text} is a field of what is no known object",
                "keep values in tuples or dictionaries, or annotate the parameter with its class",
            )
        if kind.of is None:
            return self.blocks.prim(f"field@{attr}", held)
        if attr not in fields_of(kind.of):
            raise lacking(self.source, node, kind.of, attr, self._of_kind(self.source.captured(), kind))
        at = position_of(self.source, node, kind.of, attr)
        return self.either(
            node,
            held,
            lambda pairs: self._of_pairs(pairs, at),
            lambda vector: self.blocks.prim(f"field@{attr}", vector),
        )

    def _of_kind(self, names: list[str], kind: Kind) -> list[str]:
        """Those of some variables that are of a kind."""
        held = self.inference.kinds.variable
        return [name for name in names if held(self.source.function, name).root is kind.root]

    def _of_pairs(self, held: str, at: int) -> str:
        """The item of pairs at a position that is known."""
        for _ in range(at):
            held = self.blocks.prim("cdr", held)
        return self.blocks.prim("car", held)

    def either(
        self, node: ast.AST, held: str, pairs: Callable[[str], str], vector: Callable[[str], str]
    ) -> str:
        """What is made of a value that is pairs in some places and static data in others."""
        result, join = self.blocks.temporary(), PythonBlock(getattr(node, "lineno", 0))
        one, other = PythonBlock(join.line), PythonBlock(join.line)
        held = self.blocks.prim("identity", held)
        self.blocks.end(BlockBranch(self.blocks.prim("pair?", held), one, other), one)
        self.blocks.prim("identity", pairs(held), to=result)
        self.blocks.end(Go(join), other)
        self.blocks.prim("identity", vector(self.blocks.prim("atom-of", held)), to=result)
        self.blocks.end(Go(join), join)
        return result

    def ended(self, kind: Kind) -> str:
        """The end of a tuple; where static data come too it is static, so that static tuples are."""
        made = self.blocks.const(None)
        if "given" in kind.root.forms:
            self.blocks.put(Lift(made, STATIC))
        return made

    # ---- sequences ----

    def filled(self, node: Any) -> str:
        """A list of one item, repeated."""
        if len(node.left.elts) != 1:
            raise self.error(node, "a list of more than one item is repeated", "repeat a list of one item")
        value, count = self.value(node.left.elts[0]), self.value(node.right)
        return self.call(node, "fill", self.blocks.const(None), value, count, kind=self.kind(node))

    def among(self, item: str, held: ast.expr) -> str:
        """Whether an item is in a sequence, or a key in a dictionary."""
        if isinstance(held, ast.Tuple | ast.List | ast.Set):
            result, join = self.blocks.temporary(), PythonBlock(held.lineno)
            self.blocks.prim("identity", self.blocks.const(False), to=result)
            for one in held.elts:
                self.blocks.prim("=", item, self.value(one), to=result)
                more = PythonBlock(held.lineno)
                self.blocks.end(BlockBranch(result, join, more), more)
            self.blocks.end(Go(join), join)
            return result
        form, value = self.form(held), self.place(held)
        if form == "given":
            return self.blocks.prim("has", value, self.key(item))
        if form == "either":
            return self.either(
                held,
                value,
                lambda pairs: self.call(held, "holds", pairs, item),
                lambda vector: self.blocks.prim("has", vector, item),
            )
        return self.call(held, "among" if form == "dict" else "holds", value, item)

    def made_tuple(self, node: Any) -> str:
        """A tuple."""
        kind = self.kind(node)
        if any(isinstance(one, ast.Starred) for one in node.elts[:-1]):
            raise self.error(
                node, "items are unpacked in front of others", "put *x last, or append in a loop"
            )
        starred = node.elts and isinstance(node.elts[-1], ast.Starred)
        items = [self.value(one) for one in node.elts[: len(node.elts) - bool(starred)]]
        made = self.unlocked(node, node.elts[-1].value, kind) if starred else self.ended(kind)
        return self.tuple_of(kind, items, made)

    def tuple_of(self, kind: Kind, items: list[str], rest: str) -> str:
        """A tuple of some variables, and what follows them."""
        for at, one in reversed(list(enumerate(items))):
            place = "item" if ITEM in kind.root.parts else at
            rest = self.blocks.prim("cons", one, rest, point=f"{point_of(kind)}.{place}")
        return rest

    def unlocked(self, node: ast.AST, held: ast.expr, kind: Kind) -> str:
        """The items of a sequence as the pairs of a tuple."""
        form, value = self.form(held), self.value(held)
        if form == "list":
            return self.call(node, "turned", value, self.blocks.const(None), kind=kind)

        def turned(vector: str) -> str:
            return self.call(
                node, "to_pairs", vector, self.blocks.prim("vlen", vector), self.ended(kind), kind=kind
            )

        if form == "given":
            return turned(value)
        return self.either(node, value, lambda pairs: pairs, turned) if form == "either" else value

    def made_list(self, node: Any) -> str:
        """A list."""
        made = self.blocks.const(None)
        for at, one in enumerate(node.elts):
            if isinstance(one, ast.Starred):
                if at:
                    raise self.error(node, "items are unpacked behind others", "append them in a loop")
                made = self.listed(node, one.value, self.kind(node))
            else:
                made = self.blocks.prim("cons", self.value(one), made, point=point_of(self.kind(node)))
        return made

    def made_dict(self, node: Any) -> str:
        """A dictionary."""
        made, kind = self.blocks.const(None), self.kind(node)
        if is_keyed(kind.of):
            items = [self.value(one) for one in node.values]
            values = dict(zip(map(written_key, node.keys), items, strict=True))
            return self.tuple_of(kind, [values[name] for name in fields_of(kind.of)], self.ended(kind))
        for at, (key, one) in enumerate(zip(node.keys, node.values, strict=True)):
            if key is not None:
                made = self.call(node, "enter", made, self.value(key), self.value(one), kind=kind)
            elif at:
                raise self.error(node, "a dictionary is unpacked behind entries", "put **x first")
            else:
                made = self.entries(node, one, kind)
        return made

    def entries(self, node: ast.AST, held: ast.expr, kind: Kind) -> str:
        """A copy of a dictionary."""
        form, value = self.form(held), self.place(held)
        if form == "given":
            count = self.blocks.prim("vlen", value)
            return self.call(node, "to_entries", value, count, self.blocks.const(None), kind=kind)
        if form != "dict":
            raise self.error(node, f"a dictionary of {ast.unparse(held)}", "assign the entries in a loop")
        return value

    def subscript(self, node: Any) -> str:
        """An item."""
        held = self.place(node.value)
        form = self.form(node.value)
        if isinstance(node.slice, ast.Slice):
            return self._slice(node, held, form)
        return self.item(node, held, form, node.slice)

    def _slice(self, node: Any, held: str, form: str) -> str:
        """A part of a sequence: any of static data, the end of a tuple."""
        part = node.slice
        if part.step is not None:
            raise self.error(node, "a slice with a step", "take the items in a loop")

        def of_vector(vector: str) -> str:
            bounds = [self.value(one) if one else self.blocks.const(None) for one in (part.lower, part.upper)]
            return self.blocks.prim("slice", vector, *bounds)

        if form == "given" or (not self.kind(node.value).forms and not is_end(part)):
            return of_vector(held)
        first = 0 if part.lower is None else position(part.lower)
        if form not in ("tuple", "either") or first is None or first < 0 or part.upper is not None:
            raise self.error(node, "a slice", "take the items by their index, or the end of a tuple: x[1:]")

        def of_pairs(pairs: str) -> str:
            for _ in range(first):
                pairs = self.blocks.prim("cdr", pairs)
            return pairs

        return of_pairs(held) if form == "tuple" else self.either(node, held, of_pairs, of_vector)

    def item(self, node: ast.AST, held: str, form: str, index: ast.expr, known: str = "") -> str:
        """The variable of an item of a sequence; `known` is that of the index if there is one."""
        at = position(index)
        if isinstance(index, ast.UnaryOp) and isinstance(index.op, ast.USub) and form == "list":
            back = position(index.operand)
            at = None if back is None else back - 1
        elif form == "list":
            at = None
        if form in ("list", "tuple") and at is not None and at >= 0:
            return self._of_pairs(held, at)
        name = known or self.value(index)
        if form == "memory" and isinstance(node, ast.Subscript):
            return self.blocks.prim("load", self.words(node.value, held), name)
        if form == "given":
            return self.blocks.prim("item", held, self.key(name, index))
        if form == "dict":
            return self.call(node, "find", held, name, self.missing())
        if form == "either":
            return self.either(
                node,
                held,
                lambda pairs: (
                    self._of_pairs(pairs, at)
                    if at is not None and at >= 0
                    else self.call(node, "of_tuple", pairs, name, self.missing())
                ),
                lambda vector: self.blocks.prim("item", vector, name),
            )
        if form == "object":
            if isinstance(node, ast.Subscript) and is_keyed(self.kind(node.value).of):
                return self.field_of(node, held, self.kind(node.value), written_key(index))
            raise self.error(node, "an item of an object", "take a field by its name")
        return self.call(node, f"of_{form}", held, name, self.missing())

    def key(self, name: str, node: ast.expr | None = None) -> str:
        """A key of what is static: a tuple that is made of static parts is static too."""
        if isinstance(node, ast.Constant) or (node is not None and "tuple" not in self.kind(node).forms):
            return name
        made = self.blocks.prim("identity", name)
        self.blocks.put(Lift(made, entire, (made,)))
        return made

    def missing(self) -> str:
        """The message for an item that is not there."""
        return self.blocks.const(f"{self.source.file}:{self.blocks.line}: no such item or entry")

    def call(self, node: ast.AST, name: str, *args: str, kind: Kind | None = None) -> str:
        """The variable of what a code of the library returns."""
        point = point_of(kind) if kind is not None else ITEM
        code = routine(name, point)
        return self.blocks.call(code, *args, line=getattr(node, "lineno", 0), returns=of_routine(name, point))

    def length(self, node: Any) -> str:
        """The number of items."""
        (one,) = self.source.arguments(node, 1)
        form, held = self.form(one), self.place(one)
        if form == "memory":
            return self.blocks.prim("cdr", held)
        if form == "given" or not self.kind(one).forms:
            return self.blocks.prim("vlen", held)
        zero = self.blocks.const(0)
        if form == "either":
            return self.either(
                node,
                held,
                lambda pairs: self.call(node, "length", pairs, zero),
                lambda vector: self.blocks.prim("vlen", vector),
            )
        return self.call(node, "length", held, zero)

    def copied(self, node: Any) -> str:
        """A tuple, a list or a dictionary of the items of a sequence."""
        if not node.args:
            return self.blocks.const(None)
        (one,) = self.source.arguments(node, 1)
        kind = self.kind(node)
        if node.func.id == "dict":
            return self.entries(node, one, kind)
        return self.listed(node, one, kind) if node.func.id == "list" else self.unlocked(node, one, kind)

    def listed(self, node: ast.AST, held: ast.expr, kind: Kind) -> str:
        """The items of a sequence as a list."""
        form, value = self.form(held), self.place(held)
        if form == "list":
            return value

        def turned(vector: str) -> str:
            zero, none = self.blocks.const(0), self.blocks.const(None)
            return self.call(node, "of_vector", vector, zero, none, kind=kind)

        def reversed_(pairs: str) -> str:
            return self.call(node, "turned", pairs, self.blocks.const(None), kind=kind)

        if form == "given":
            return turned(value)
        if form == "either":
            return self.either(node, value, reversed_, turned)
        if form != "tuple":
            raise self.error(node, f"a copy of {ast.unparse(held)}", "copy tuples and lists")
        return reversed_(value)
