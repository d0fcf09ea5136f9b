"""Targets and patterns of an interpreter: what binds variables to a value and to its parts."""

from __future__ import annotations

import ast
from collections.abc import Callable

from pellucid.staging.front.blocks import BlockBranch, Go, PythonBlock
from pellucid.staging.front.kinds import Kind, how_to_copy
from pellucid.staging.front.loops import Item, LoopExpressions
from pellucid.staging.front.objects import match_fields


class Patterns:
    """Writes what binds the targets of assignments and loops, and what tries patterns, for one function."""

    def __init__(self, function: LoopExpressions) -> None:
        self._function = function
        self._blocks = function.blocks

    # ---- targets ----

    def bind(self, target: ast.expr, value: str, kind: Kind | None) -> None:
        """Bind a target to a variable."""
        match target:
            case ast.Name(name):
                self._blocks.prim("identity", value, to=name)
                self._function.mark(target, name)
            case ast.Tuple(elts) | ast.List(elts):
                self._unpack(target, elts, value, kind)
            case ast.Subscript() | ast.Attribute():
                self._function.rebind(target, self._blocks.prim("identity", value))
            case _:
                raise self._function.source.refused(target)

    def _unpack(self, target: ast.expr, elts: list[ast.expr], value: str, kind: Kind | None) -> None:
        kind = Kind() if kind is None else kind
        forms = kind.root.forms - {"none"}
        if forms & {"list", "memory"}:
            what = "list" if "list" in forms else "memory"
            raise self._function.error(target, f"a {what} is unpacked", "take its items by their index")
        for one in elts[:-1]:
            if isinstance(one, ast.Starred):
                raise self._function.error(
                    one, "items are unpacked behind others", "put *rest last, or take items by their index"
                )
        form, starred = _form(kind), bool(elts) and isinstance(elts[-1], ast.Starred)
        value = self._as_many(target, self._blocks.prim("identity", value), kind, len(elts), starred=starred)
        names: list[str] = []
        for at, _ in enumerate(elts[: len(elts) - starred]):
            names.append(self._part(target, value, form, at))
        if starred:
            names.append(self._rest(target, value, kind, len(elts) - 1))
        for at, (one, name) in enumerate(zip(elts, names, strict=True)):
            if isinstance(one, ast.Starred):
                self.bind(one.value, name, kind)
                continue
            self._owned(one, kind.part(at))
            self.bind(one, name, kind.part(at))

    def _as_many(self, node: ast.AST, held: str, kind: Kind, count: int, *, starred: bool) -> str:
        """A sequence that has as many items as there are targets; one for the rest may be empty."""
        blocks = self._blocks

        def fixed(vector: str) -> str:
            return blocks.prim("unpacked", vector, blocks.const(count - starred), blocks.const(starred))

        def linked(pairs: str) -> str:
            if starred or kind.root.lengths == {count}:
                return pairs
            rest, good, bad = pairs, PythonBlock(blocks.line), PythonBlock(blocks.line)
            for _ in range(count):
                rest = blocks.prim("cdr", rest)
            blocks.end(BlockBranch(blocks.prim("null?", rest), good, bad), bad)
            self._function.fail(
                blocks.line, blocks.const(f"too many values to unpack (expected {count})"), good
            )
            return pairs

        return self._by_form(node, held, kind, linked, fixed)

    def _part(self, node: ast.AST, held: str, form: str, at: int) -> str:
        """The item at a position, which is not written in the interpreter."""
        return self._function.item(node, held, form, ast.Constant(at), self._blocks.const(at))

    def _rest(self, node: ast.AST, held: str, kind: Kind, first: int) -> str:
        """The items from a position on."""

        def fixed(vector: str) -> str:
            return self._blocks.prim("rest", vector, self._blocks.const(first))

        def linked(pairs: str) -> str:
            for _ in range(first):
                pairs = self._blocks.prim("cdr", pairs)
            return pairs

        return self._by_form(node, held, kind, linked, fixed)

    def _by_form(
        self, node: ast.AST, held: str, kind: Kind, linked: Callable[[str], str], fixed: Callable[[str], str]
    ) -> str:
        """What is made of a tuple of the program, or of static data, or of what may be either."""
        form = _form(kind)
        if form == "either":
            return self._function.either(node, held, linked, fixed)
        return fixed(held) if form == "given" else linked(held)

    def _owned(self, target: ast.expr, kind: Kind) -> None:
        """Refuse a second name for an item that is changed."""
        if kind.changes and "given" not in kind.root.forms:
            text = ast.unparse(target)
            raise self._function.error(
                target,
                f"{text} is changed, and is an item too",
                how_to_copy(text, kind),
            )

    def bind_item(self, target: ast.expr, item: Item, *, only_looks: bool) -> None:
        """Bind the target of a loop to an item, which may be changed elsewhere if the loop only looks at it."""
        if not item.parts:
            if not only_looks:
                self._owned(target, item.kind)
            self.bind(target, item.name, item.kind)
            return
        if isinstance(target, ast.Tuple | ast.List) and len(target.elts) == len(item.parts):
            for one, part in zip(target.elts, item.parts, strict=True):
                self.bind_item(one, part, only_looks=only_looks)
            return
        raise self._function.error(
            target, "items of several sequences get one name", "name one variable for each"
        )

    # ---- patterns ----

    def fits(self, pattern: ast.pattern, held: str, kind: Kind, other: PythonBlock) -> None:
        """Go on where a value fits a pattern, and with another block where it does not."""
        blocks = self._blocks
        match pattern:
            case ast.MatchAs(inner, name):
                if inner is not None:
                    self.fits(inner, held, kind, other)
                if name is not None:
                    blocks.prim("identity", held, to=name)
                    self._function.mark(pattern, name)
                return
            case ast.MatchValue(value):
                test = blocks.prim("=", held, self._function.place(value))
            case ast.MatchSingleton(None):
                test = self._function.comparisons.is_none(pattern, held, kind)
            case ast.MatchSingleton(value):
                test = blocks.prim("=", held, blocks.const(value))
            case ast.MatchOr(patterns):
                done = PythonBlock(pattern.lineno)
                for one in patterns:
                    more = PythonBlock(pattern.lineno)
                    self.fits(one, held, kind, more)
                    blocks.end(Go(done), more)
                blocks.end(Go(other), done)
                return
            case ast.MatchSequence(patterns) if not any(
                isinstance(one, ast.MatchStar) for one in patterns[:-1]
            ):
                self._sequence(pattern, patterns, held, kind, other)
                return
            case ast.MatchClass():
                self._class(pattern, held, kind, other)
                return
            case _:
                raise self._function.error(
                    pattern,
                    f"the pattern {ast.unparse(pattern)}",
                    "match literals, names, (tuple, of, them, *rest) and Class(of=them)",
                )
        fits = PythonBlock(pattern.lineno)
        blocks.end(BlockBranch(test, fits, other), fits)

    def _sequence(
        self, pattern: ast.pattern, patterns: list[ast.pattern], held: str, kind: Kind, other: PythonBlock
    ) -> None:
        """Go on where a value is a tuple whose items fit some patterns."""
        blocks, forms_of_all = self._blocks, kind.root.forms
        forms = forms_of_all - {"none"}
        if forms & {"list", "dict", "object", "memory"}:
            raise self._function.error(pattern, "a pattern for what is no tuple", "write `if` and `elif`")
        starred = bool(patterns) and isinstance(patterns[-1], ast.MatchStar)
        count, longer = blocks.const(len(patterns) - starred), blocks.const(starred)

        def linked(pairs: str) -> str:
            if len(patterns) == starred and "none" in forms_of_all:
                # Neither None nor a number is a sequence; one without items would be None, and is refused.
                self._function.comparisons.check_none(pattern, kind)
                return blocks.prim("pair?", pairs) if starred else blocks.const(False)
            made = self._function.call(pattern, "counted", pairs, blocks.const(0))
            if starred:
                return blocks.prim("not", blocks.prim("<", made, count))
            return blocks.prim("=", made, count)

        def fixed(vector: str) -> str:
            return blocks.prim("has-length", vector, count, longer)

        test = self._by_form(pattern, held, kind, linked, fixed)
        fits = PythonBlock(pattern.lineno)
        blocks.end(BlockBranch(test, fits, other), fits)
        for at, one in enumerate(patterns):
            if isinstance(one, ast.MatchStar):
                if one.name is not None:
                    blocks.prim("identity", self._rest(pattern, held, kind, at), to=one.name)
                    self._function.mark(one, one.name)
                continue
            if isinstance(one, ast.MatchAs) and one.name is None and one.pattern is None:
                continue
            self.fits(one, self._part(pattern, held, _form(kind), at), kind.part(at), other)

    def _class(self, pattern: ast.MatchClass, held: str, kind: Kind, other: PythonBlock) -> None:
        """Go on where a value is of a class, and its fields fit some patterns."""
        what = self._function.source.known(pattern.cls)
        fields = match_fields(self._function.source, pattern, what)
        fits = PythonBlock(pattern.lineno)
        self._blocks.end(
            BlockBranch(self._function.comparisons.is_a(pattern, held, kind, (what,)), fits, other), fits
        )
        parts = [*zip(fields, pattern.patterns, strict=True)]
        parts += zip(pattern.kwd_attrs, pattern.kwd_patterns, strict=True)
        for name, one in parts:
            value = self._function.field_of(pattern, held, kind, name) if name else held
            self.fits(one, value, kind.part(name) if name else kind, other)


def _form(kind: Kind) -> str:
    """The form of what is taken apart: a tuple that the program makes, static data, or either."""
    forms = kind.root.forms
    return "either" if {"given", "tuple"} <= forms else "given" if "given" in forms else "tuple"
