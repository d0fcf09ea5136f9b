"""Loops of an interpreter: cursors that go over ranges, sequences, dictionaries, and several of them at once."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import NamedTuple

from pellucid.staging.front.blocks import Block, Branch, Go
from pellucid.staging.front.effects import root_of
from pellucid.staging.front.expressions import Expressions
from pellucid.staging.front.inference import VIEWS, is_range
from pellucid.staging.front.kinds import ITEM, Kind
from pellucid.staging.front.returns import as_known
from pellucid.staging.root.program import Lift


class Item(NamedTuple):
    """What a cursor stands at: a variable and its kind, or several that a target unpacks."""

    name: str
    kind: Kind
    parts: tuple[Item, ...] = ()


class Cursor(NamedTuple):
    """A way through a sequence: the test for more, the item, and the step, each of which writes instructions."""

    more: Callable[[], str]
    item: Callable[[], Item]
    step: Callable[[], None]


class Loops(Expressions):
    """Translates the loops of one function."""

    def cursor(self, node: ast.expr, *, backwards: bool = False) -> Cursor:
        """The cursor of what a loop goes over; its variables are set here."""
        known = self.source.known(node.func) if isinstance(node, ast.Call) else None
        keywords = [one.arg for one in node.keywords] if isinstance(node, ast.Call) else []
        if isinstance(node, ast.Call) and (not keywords or (known is zip and keywords == ["strict"])):
            if known is range and not backwards:
                return self._range(node)
            if known is enumerate and not backwards and len(node.args) in (1, 2):
                return self._enumerated(node)
            if known is zip and not backwards and node.args:
                return self._zipped([self.cursor(one) for one in node.args])
            if known is reversed and not backwards and len(node.args) == 1:
                return self.cursor(node.args[0], backwards=True)
            if isinstance(node.func, ast.Attribute) and node.func.attr in VIEWS and not node.args:
                return self._entries(node, node.func.value, node.func.attr, backwards=backwards)
        if known in (range, enumerate, zip, reversed):
            raise self.error(
                node,
                f"such a loop over {ast.unparse(node)}",
                "write range, enumerate, zip or reversed of a sequence",
            )
        form = self.form(node)
        if form == "dict":
            return self._entries(node, node, "keys", backwards=backwards)
        if form not in ("given", "tuple", "list", "either") or (form == "either" and backwards):
            raise self.error(
                node, f"a loop over {ast.unparse(node)}", "loop over a range, a tuple, a list or a dictionary"
            )
        part = self.kind(node).part(ITEM)
        if form == "given":
            return self._vector(self.place(node), part, backwards=backwards)
        held = self.unlocked(node, node, self.kind(node)) if form == "either" else self.place(node)
        if (form == "list") != backwards:
            held = self.call(node, "turned", held, self.blocks.const(None), kind=self.kind(node))
        return self._pairs(held, part)

    def _counted(self, start: str, step: int) -> tuple[str, Callable[[], None]]:
        """A variable that counts, and its step."""
        blocks = self.blocks
        counter = blocks.prim("identity", start, to=f"at{blocks.temporary()}")

        def go() -> None:
            blocks.prim("+", counter, blocks.const(step), to=counter)

        return counter, go

    def _range(self, node: ast.Call) -> Cursor:
        args, blocks = node.args, self.blocks
        if not 1 <= len(args) <= 3 or any(isinstance(one, ast.Starred) for one in args):
            raise self.error(node, "such a loop over a range", "write `for i in range(begin, end, step)`")
        step = _literal(args[2]) if len(args) > 2 else 1
        if not step:
            raise self.error(node, "a range with a step that is no number", "write `while`")
        start = self.value(args[0]) if len(args) > 1 else blocks.const(0)
        start = blocks.prim("identity", start)
        stop = blocks.prim("identity", self.value(args[1] if len(args) > 1 else args[0]))
        counter, go = self._counted(start, step)
        blocks.put(Lift(counter, as_known, (counter, stop)))
        order = (counter, stop) if step > 0 else (stop, counter)
        return Cursor(lambda: blocks.prim("<", *order), lambda: Item(counter, Kind()), go)

    def _vector(self, held: str, part: Kind, *, backwards: bool = False) -> Cursor:
        blocks = self.blocks
        held = blocks.prim("identity", held)
        if backwards:
            last = blocks.prim("-", blocks.prim("vlen", held), blocks.const(1))
            counter, go = self._counted(last, -1)
            return Cursor(
                lambda: blocks.prim("<", blocks.const(-1), counter),
                lambda: Item(blocks.prim("item-at", held, counter), part),
                go,
            )
        counter, go = self._counted(blocks.const(0), 1)
        return Cursor(
            lambda: blocks.prim("<", counter, blocks.prim("vlen", held)),
            lambda: Item(blocks.prim("item-at", held, counter), part),
            go,
        )

    def _pairs(self, held: str, part: Kind) -> Cursor:
        blocks = self.blocks
        rest = blocks.prim("identity", held, to=f"rest{blocks.temporary()}")

        def go() -> None:
            blocks.prim("cdr", rest, to=rest)

        return Cursor(lambda: blocks.prim("pair?", rest), lambda: Item(blocks.prim("car", rest), part), go)

    def _entries(self, node: ast.expr, held: ast.expr, view: str, *, backwards: bool) -> Cursor:
        """The keys, the values, or both, of a dictionary."""
        form, value, blocks = self.form(held), self.place(held), self.blocks
        part = self.kind(held).part(ITEM)
        if backwards or form not in ("given", "dict"):
            raise self.error(
                node, f"a loop over {ast.unparse(node)}", "loop over a dictionary, from its begin"
            )
        if form == "given":
            keys = self._vector(value, Kind())

            def both() -> tuple[str, Callable[[], str]]:
                key = keys.item().name
                return key, lambda: blocks.prim("item", value, key)

            cursor = keys
        else:
            cursor = self._pairs(value, Kind())

            def both() -> tuple[str, Callable[[], str]]:
                entry = cursor.item().name
                return blocks.prim("car", entry), lambda: blocks.prim("cdr", entry)

        def item() -> Item:
            key, found = both()
            if view == "keys":
                return Item(key, Kind())
            if view == "values":
                return Item(found(), part)
            return Item("", Kind(), (Item(key, Kind()), Item(found(), part)))

        return Cursor(cursor.more, item, cursor.step)

    def _enumerated(self, node: ast.Call) -> Cursor:
        inner = self.cursor(node.args[0])
        start = self.value(node.args[1]) if len(node.args) > 1 else self.blocks.const(0)
        counter, go = self._counted(start, 1)

        def both() -> None:
            inner.step()
            go()

        return Cursor(inner.more, lambda: Item("", Kind(), (Item(counter, Kind()), inner.item())), both)

    def _zipped(self, cursors: list[Cursor]) -> Cursor:
        blocks = self.blocks

        def more() -> str:
            result, join = blocks.temporary(), Block(0)
            for one in cursors[:-1]:
                blocks.prim("identity", one.more(), to=result)
                then = Block(0)
                blocks.end(Branch(result, then, join), then)
            blocks.prim("identity", cursors[-1].more(), to=result)
            blocks.end(Go(join), join)
            return result

        def step() -> None:
            for one in cursors:
                one.step()

        return Cursor(more, lambda: Item("", Kind(), tuple(one.item() for one in cursors)), step)

    def refuse_change(self, node: ast.For) -> None:
        """Refuse a loop over a list whose body changes that list."""
        root = root_of(node.iter)
        if root is None or not self.kind(node.iter).changes or is_range(self.source, node.iter):
            return
        text = ast.unparse(node.iter)
        for one in ast.walk(ast.Module(node.body, [])):
            if isinstance(one, ast.Name | ast.Attribute | ast.Subscript) and ast.unparse(one) == text:
                raise self.error(one, f"{text} is used while a loop goes over it", "loop over tuple(x)")


def _literal(node: ast.expr) -> int:
    """The number that is written, or 0."""
    try:
        found = ast.literal_eval(node)
    except ValueError:
        return 0
    return found if type(found) is int else 0
