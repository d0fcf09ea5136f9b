"""Loops of an interpreter: cursors that go over ranges, sequences, dictionaries, and several of them at once."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import NamedTuple

from pellucid.staging.front.blocks import BlockBranch, Go, PythonBlock
from pellucid.staging.front.effects import root_of
from pellucid.staging.front.expressions import Expressions
from pellucid.staging.front.inference import VIEWS
from pellucid.staging.front.kinds import ITEM, Kind
from pellucid.staging.front.literals import number_of
from pellucid.staging.front.returns import as_known
from pellucid.staging.root.program import Lift

RANGE = "range"
"""The prefix of a range's counter."""


class Item(NamedTuple):
    """What a cursor stands at: a variable and its kind, or several that a target unpacks."""

    name: str
    kind: Kind
    parts: tuple[Item, ...] = ()


class Cursor(NamedTuple):
    """A way through a sequence: the test for more, the item, and the step, each of which writes instructions.

    A loop is the program's where one of the variables `ends` is dynamic, and counters are too then.
    """

    more: Callable[[], str]
    item: Callable[[], Item]
    step: Callable[[], None]
    ends: tuple[str, ...] = ()


class LoopExpressions(Expressions):
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
        if form == "memory":
            return self._memory(node, backwards=backwards)
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
        return self._pairs(held, part, "" if self.kind(node).forms else ast.unparse(node))

    def _counted(
        self, start: str, step: int | str, ends: tuple[str, ...] = (), stem: str = "at"
    ) -> tuple[str, Callable[[], None]]:
        """A variable that counts, and its step, which is a number or a variable."""
        blocks = self.blocks
        counter = blocks.prim("identity", start, to=f"{stem}{blocks.temporary()}")
        if ends:
            blocks.put(Lift(counter, as_known, (counter, *ends)))

        def go() -> None:
            by = blocks.const(step) if isinstance(step, int) else step
            blocks.prim("+", counter, by, to=counter)

        return counter, go

    def _range(self, node: ast.Call) -> Cursor:
        args, blocks = node.args, self.blocks
        if not 1 <= len(args) <= 3 or any(isinstance(one, ast.Starred) for one in args):
            raise self.error(node, "such a loop over a range", "write `for i in range(begin, end, step)`")
        start = self._end(args[0]) if len(args) > 1 else blocks.prim("identity", blocks.const(0))
        stop = self._end(args[1] if len(args) > 1 else args[0])
        step = number_of(args[2]) if len(args) > 2 else 1
        by = step or self._end(args[2])
        if isinstance(by, str):
            self._refuse_zero(by)
        ends = (stop,) if isinstance(by, int) else (stop, by)
        counter, go = self._counted(start, by, ends, RANGE)

        def more() -> str:
            if isinstance(by, str):
                return self._goes_on(counter, stop, by)
            return blocks.prim("<", *((counter, stop) if by > 0 else (stop, counter)))

        return Cursor(more, lambda: Item(counter, Kind()), go, ends)

    def _end(self, node: ast.expr) -> str:
        """The variable of an end of a range, or of its step: an integer."""
        value = self.value(node)
        is_written = number_of(node) != 0 or (isinstance(node, ast.Constant) and type(node.value) is int)
        is_integer = is_written or (isinstance(node, ast.Call) and self.source.known(node.func) is len)
        return self.blocks.prim("identity" if is_integer else "index-of", value)

    def _refuse_zero(self, step: str) -> None:
        """Raise Python's error of a range with a step of zero when the program runs."""
        zero, other = PythonBlock(self.blocks.line), PythonBlock(self.blocks.line)
        self.blocks.end(BlockBranch(self.blocks.prim("zero?", step), zero, other), zero)
        self.fail(self.blocks.line, self.blocks.const("range() arg 3 must not be zero"), other)

    def _goes_on(self, counter: str, stop: str, step: str) -> str:
        """Whether a counter is before the end, for a step whose sign is not known."""
        blocks, line = self.blocks, self.blocks.line
        result = blocks.temporary()
        up, down, join = PythonBlock(line), PythonBlock(line), PythonBlock(line)
        blocks.end(BlockBranch(blocks.prim("<", blocks.const(0), step), up, down), up)
        blocks.prim("<", counter, stop, to=result)
        blocks.end(Go(join), down)
        blocks.prim("<", stop, counter, to=result)
        blocks.end(Go(join), join)
        return result

    def _memory(self, node: ast.expr, *, backwards: bool) -> Cursor:
        """The words of a memory."""
        blocks, held = self.blocks, self.blocks.prim("identity", self.place(node))
        words, size = self.words(node, held), blocks.prim("cdr", held)
        first, by, end = blocks.const(0), 1, size
        if backwards:
            first, by, end = blocks.prim("-", size, blocks.const(1)), -1, blocks.const(-1)
        counter, go = self._counted(first, by, (size,))
        order = (end, counter) if backwards else (counter, end)
        return Cursor(
            lambda: blocks.prim("<", *order),
            lambda: Item(blocks.prim("load", words, counter), Kind()),
            go,
            (size,),
        )

    def _vector(self, held: str, part: Kind, *, backwards: bool = False) -> Cursor:
        """The items of a sequence that is known; of one that the program chooses, by a loop of the program."""
        blocks = self.blocks
        held = blocks.prim("identity", held)
        if backwards:
            last = blocks.prim("-", blocks.prim("vlen", held), blocks.const(1))
            counter, go = self._counted(last, -1, (held,))
            return Cursor(
                lambda: blocks.prim("<", blocks.const(-1), counter),
                lambda: Item(blocks.prim("item-at", held, counter), part),
                go,
                (held,),
            )
        counter, go = self._counted(blocks.const(0), 1, (held,))
        return Cursor(
            lambda: blocks.prim("<", counter, blocks.prim("vlen", held)),
            lambda: Item(blocks.prim("item-at", held, counter), part),
            go,
            (held,),
        )

    def _pairs(self, held: str, part: Kind, doubtful: str = "") -> Cursor:
        """The items of pairs; what is `doubtful` may be no list, as what the program is given."""
        blocks, line = self.blocks, self.blocks.line
        rest = blocks.prim("identity", held, to=f"rest{blocks.temporary()}")

        def more() -> str:
            test = blocks.prim("pair?", rest)
            if doubtful:
                end, bad, join = PythonBlock(line), PythonBlock(line), PythonBlock(line)
                blocks.end(BlockBranch(test, join, end), end)
                blocks.end(BlockBranch(blocks.prim("null?", rest), join, bad), bad)
                told = f"{doubtful} is no tuple; where it is an array, annotate the parameter with Memory"
                self.fail(line, blocks.const(told), join)
            return test

        def go() -> None:
            blocks.prim("cdr", rest, to=rest)

        return Cursor(more, lambda: Item(blocks.prim("car", rest), part), go, (rest,))

    def _entries(self, node: ast.expr, held: ast.expr, view: str, *, backwards: bool) -> Cursor:
        """The keys, the values, or both, of a dictionary."""
        form, value, blocks = self.form(held), self.place(held), self.blocks
        part = self.kind(held).part(ITEM)
        if backwards or form not in ("given", "dict"):
            raise self.error(
                node, f"a loop over {ast.unparse(node)}", "loop over a dictionary, from its begin"
            )
        key_kind = Kind("given") if form == "given" else Kind()
        if form == "given":
            keys = self._vector(value, key_kind)

            def both() -> tuple[str, Callable[[], str]]:
                key = keys.item().name
                return key, lambda: blocks.prim("item", value, key)

            cursor = keys
        else:
            cursor = self._pairs(value, key_kind)

            def both() -> tuple[str, Callable[[], str]]:
                entry = cursor.item().name
                return blocks.prim("car", entry), lambda: blocks.prim("cdr", entry)

        def item() -> Item:
            key, found = both()
            if view == "keys":
                return Item(key, key_kind)
            if view == "values":
                return Item(found(), part)
            return Item("", Kind(), (Item(key, key_kind), Item(found(), part)))

        return Cursor(cursor.more, item, cursor.step, cursor.ends)

    def _enumerated(self, node: ast.Call) -> Cursor:
        inner = self.cursor(node.args[0])
        start = self.value(node.args[1]) if len(node.args) > 1 else self.blocks.const(0)
        counter, go = self._counted(start, 1, inner.ends)

        def both() -> None:
            inner.step()
            go()

        return Cursor(
            inner.more, lambda: Item("", Kind(), (Item(counter, Kind()), inner.item())), both, inner.ends
        )

    def _zipped(self, cursors: list[Cursor]) -> Cursor:
        blocks = self.blocks

        def more() -> str:
            result, join = blocks.temporary(), PythonBlock(0)
            for one in cursors[:-1]:
                blocks.prim("identity", one.more(), to=result)
                then = PythonBlock(0)
                blocks.end(BlockBranch(result, then, join), then)
            blocks.prim("identity", cursors[-1].more(), to=result)
            blocks.end(Go(join), join)
            return result

        def step() -> None:
            for one in cursors:
                one.step()

        ends = tuple(end for one in cursors for end in one.ends)
        return Cursor(more, lambda: Item("", Kind(), tuple(one.item() for one in cursors)), step, ends)

    def refuse_change(self, node: ast.For) -> None:
        """Refuse a loop over a list whose body changes that list."""
        roots = {root_of(one) for one in self._iterated(node.iter)} - {None}
        for one in self.inference.changed_in(node.body):
            if root_of(one) in roots:
                text = ast.unparse(one)
                raise self.error(one, f"{text} is changed while a loop goes over it", "loop over tuple(x)")

    def _iterated(self, node: ast.expr) -> Iterator[ast.expr]:
        """What a loop goes over: a place, those in calls of zip and others, and the dictionary of a view."""
        if not isinstance(node, ast.Call):
            yield node
        elif isinstance(node.func, ast.Attribute) and node.func.attr in VIEWS:
            yield node.func.value
        elif self.source.known(node.func) in (enumerate, reversed, zip):
            for one in node.args:
                yield from self._iterated(one)

    def only_looks(self, node: ast.For) -> bool:
        """Whether the items that a loop goes over may get a name: none is changed there, and it is not used behind."""
        names = {one.id for one in ast.walk(node.target) if isinstance(one, ast.Name)}
        inside = [one for one in ast.walk(node) if isinstance(one, ast.Name) and one.id in names]
        everywhere = [
            one for one in ast.walk(self.source.tree) if isinstance(one, ast.Name) and one.id in names
        ]
        changed = {root_of(one) for one in self.inference.changed_in(node.body)}
        return len(inside) == len(everywhere) and not changed & names
