"""Comparisons of an interpreter: of numbers, with None, of sequences, of items, of classes."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from enum import Enum
from typing import Any

from pellucid.staging.front.blocks import BlockBranch, Go, PythonBlock
from pellucid.staging.front.kinds import Kind
from pellucid.staging.front.sequences import STRUCTURES, Sequences

_COMPARISONS: Mapping[type[ast.cmpop], tuple[str, bool, bool]] = {
    ast.Eq: ("=", False, False),
    ast.NotEq: ("=", False, True),
    ast.Lt: ("<", False, False),
    ast.Gt: ("<", True, False),
    ast.GtE: ("<", False, True),
    ast.LtE: ("<", True, True),
}
"""The primitive, whether its operands are exchanged, and whether its result is negated."""


class Comparisons:
    """Writes the comparisons of one function."""

    def __init__(self, function: Sequences) -> None:
        self._function = function
        self._blocks = function.blocks

    def compared(self, node: Any) -> str:
        """The truth of a comparison, or of several in a row."""
        result = self._blocks.temporary()
        join = PythonBlock(node.lineno)
        left = self._function.place(node.left)
        pairs = list(zip(node.ops, node.comparators, strict=True))
        for at, (operator, right) in enumerate(pairs):
            other = self._function.place(right) if not isinstance(operator, ast.In | ast.NotIn) else ""
            before = node.left if not at else node.comparators[at - 1]
            made = self._compared(node, operator, left, other, right, self._function.kind(before))
            if len(pairs) == 1:
                return made
            self._blocks.prim("identity", made, to=result)
            if at < len(pairs) - 1:
                more = PythonBlock(node.lineno)
                self._blocks.end(BlockBranch(result, more, join), more)
            left = other
        self._blocks.end(Go(join), join)
        return result

    def _compared(
        self,
        node: ast.AST,
        operator: ast.cmpop,
        left: str,
        other: str,
        right: ast.expr,
        kind: Kind,
    ) -> str:
        blocks = self._blocks
        if isinstance(operator, ast.Is | ast.IsNot):
            known = self._function.source.attribute(right)
            if known is not None and isinstance(known[0], Enum):
                made = blocks.prim("=", left, other)
            elif isinstance(right, ast.Constant) and right.value is None:
                made = self.is_none(node, left, kind)
            else:
                raise self._function.error(
                    node,
                    "`is` compares with None and members of enumerations only",
                    "write == for other values",
                )
            return made if isinstance(operator, ast.Is) else blocks.prim("not", made)
        if isinstance(operator, ast.In | ast.NotIn):
            made = self._function.among(left, right)
            return made if isinstance(operator, ast.In) else blocks.prim("not", made)
        name, is_exchanged, is_negated = _COMPARISONS[type(operator)]
        forms = self._function.kind(right).forms | kind.forms
        if forms & STRUCTURES:
            return self._alike(node, name, left, other, forms, is_negated=is_negated)
        is_zero = isinstance(right, ast.Constant) and type(right.value) is int and right.value == 0
        if name == "=" and is_zero:
            made = blocks.prim("zero?", left)
        else:
            made = blocks.prim(name, *((other, left) if is_exchanged else (left, other)))
        return blocks.prim("not", made) if is_negated else made

    def is_none(self, node: ast.AST, held: str, kind: Kind) -> str:
        """Whether a value is None; a sequence without items is too in the program, so it must be told apart."""
        forms = kind.root.forms
        if forms & STRUCTURES and not forms & {"given", "none"}:
            return self._blocks.const(False)
        self.check_none(node, kind)
        return self._blocks.prim("null?", held)

    def check_none(self, node: ast.AST, kind: Kind) -> None:
        """Refuse what may be None and may be a sequence without items, which is None in the program."""
        if kind.may_be_empty and "none" in kind.root.forms:
            raise self._function.error(
                node,
                "what is compared with None may be an empty sequence too, and the program cannot tell them apart",
                "keep a flag beside it, or use a number or a text for none",
            )

    def _alike(
        self, node: ast.AST, name: str, left: str, other: str, forms: set[str], *, is_negated: bool
    ) -> str:
        """Whether two sequences are equal: static ones by their parts, others item by item."""
        if name != "=" or forms & {"dict", "object"}:
            raise self._function.error(node, "sequences are compared", "compare their items")
        if "list" in forms and forms & {"given", "tuple"}:
            what = "static sequence" if "given" in forms else "tuple"
            raise self._function.error(
                node,
                f"a list is compared with a {what}",
                "compare with a tuple that is written, or item by item",
            )
        is_given = "given" in forms
        blocks = self._blocks
        made = (
            blocks.prim("same-data", left, other)
            if is_given
            else self._function.call(node, "alike", left, other)
        )
        return self._blocks.prim("not", made) if is_negated else made

    def is_a(self, node: ast.AST, held: str, kind: Kind, classes: tuple[Any, ...]) -> str:
        """Whether a value is of one of some classes."""
        what = self._blocks.const(classes)
        if kind.forms & {"list", "dict"}:
            text = ast.unparse(node).splitlines()[0]
            raise self._function.error(
                node, f"{text}: the class of a list or a dictionary", "keep a tag beside it"
            )
        if not kind.forms & {"tuple", "object"}:
            return self._blocks.prim("is-a", held, what)
        is_made = any(issubclass(kind.of or tuple, each) for each in classes)
        return self._function.either(
            node,
            held,
            lambda _: self._blocks.const(is_made),
            lambda atom: self._blocks.prim("is-a" if "none" in kind.forms else "is-a-or-empty", atom, what),
        )
