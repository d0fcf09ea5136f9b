"""Expressions of an interpreter as instructions of root; what branches or calls becomes blocks."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any, ClassVar

from pellucid.staging.front.blocks import Block, Branch, Go
from pellucid.staging.front.inference import CHANGES, is_transparent
from pellucid.staging.front.sequences import STRUCTURES, Sequences, point_of
from pellucid.staging.front.source import bound_arguments
from pellucid.staging.front.vectors import static_data
from pellucid.staging.integers import lift
from pellucid.staging.memory import Memory
from pellucid.staging.root.primitives import apply
from pellucid.staging.root.program import Lift

BINARY: Mapping[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "idiv",
    ast.Mod: "imod",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.LShift: "<<",
    ast.RShift: ">>",
}
_COMPARISONS: Mapping[type[ast.cmpop], tuple[str, bool, bool]] = {
    ast.Eq: ("=", False, False),
    ast.NotEq: ("=", False, True),
    ast.Lt: ("<", False, False),
    ast.Gt: ("<", True, False),
    ast.GtE: ("<", False, True),
    ast.LtE: ("<", True, True),
}
"""The primitive, whether its operands are exchanged, and whether its result is negated."""


class Expressions(Sequences):
    """Translates the expressions of one function."""

    # ---- values ----

    def place(self, node: ast.expr) -> str:
        """The variable of an expression whose value is only looked at."""
        write = self._WRITERS.get(type(node))
        if write is None:
            raise self.refused(node)
        return write(self, node)

    def _name(self, node: Any) -> str:
        if node.id in self.source.locals:
            return node.id
        found = self.source.outside(node)
        if isinstance(found, FunctionType | type) or callable(found):
            raise self.error(
                node, f"{node.id} is a function where a value is expected", "call it, or branch on a text"
            )
        place = f"{self.source.file}:{node.lineno}"
        return self.blocks.const(found if isinstance(found, Memory) else static_data(found, place))

    def _constant(self, node: Any) -> str:
        if node.value is Ellipsis or isinstance(node.value, bytes | complex):
            raise self.refused(node)
        return self.blocks.const(node.value)

    def _binary(self, node: ast.BinOp) -> str:
        if isinstance(node.op, ast.Mult) and isinstance(node.left, ast.List):
            return self.filled(node)
        name = BINARY.get(type(node.op))
        if name is None:
            raise self.error(
                node, f"{ast.unparse(node)!r} has no primitive", "multiply in a loop, or write + - * / // %"
            )
        for one in (node.left, node.right):
            if self.kind(one).forms & {"tuple", "list", "dict"}:
                raise self.error(
                    one, f"{ast.unparse(one)} is a sequence", "append items, or make nested tuples: (x, rest)"
                )
        return self.blocks.prim(name, self.value(node.left), self.value(node.right))

    def _unary(self, node: Any) -> str:
        if isinstance(node.op, ast.Not):
            forms = self.kind(node.operand).forms
            name = "null?" if forms & STRUCTURES and "given" not in forms else "not"
            return self.blocks.prim(name, self.place(node.operand))
        if isinstance(node.op, ast.UAdd):
            return self.value(node.operand)
        if isinstance(node.operand, ast.Constant) and isinstance(node.operand.value, int | float):
            value = node.operand.value
            return self.blocks.const(-value if isinstance(node.op, ast.USub) else ~int(value))
        if isinstance(node.op, ast.USub):
            return self.blocks.prim("*", self.value(node.operand), self.blocks.const(-1))
        return self.blocks.prim("^", self.value(node.operand), self.blocks.const(-1))

    def _compare(self, node: Any) -> str:
        result = self.blocks.temporary()
        join = Block(node.lineno)
        left = self.place(node.left)
        pairs = list(zip(node.ops, node.comparators, strict=True))
        for at, (operator, right) in enumerate(pairs):
            other = self.place(right) if not isinstance(operator, ast.In | ast.NotIn) else ""
            made = self._compared(node, operator, left, other, right)
            if len(pairs) == 1:
                return made
            self.blocks.prim("identity", made, to=result)
            if at < len(pairs) - 1:
                more = Block(node.lineno)
                self.blocks.end(Branch(result, more, join), more)
            left = other
        self.blocks.end(Go(join), join)
        return result

    def _compared(self, node: ast.AST, operator: ast.cmpop, left: str, other: str, right: ast.expr) -> str:
        blocks = self.blocks
        if isinstance(operator, ast.Is | ast.IsNot):
            if not (isinstance(right, ast.Constant) and right.value is None):
                raise self.error(node, "`is` compares with None only", "write == for other values")
            made = blocks.prim("null?", left)
            return made if isinstance(operator, ast.Is) else blocks.prim("not", made)
        if isinstance(operator, ast.In | ast.NotIn):
            made = self.among(left, right)
            return made if isinstance(operator, ast.In) else blocks.prim("not", made)
        name, is_exchanged, is_negated = _COMPARISONS[type(operator)]
        is_zero = isinstance(right, ast.Constant) and type(right.value) is int and right.value == 0
        if name == "=" and is_zero:
            made = blocks.prim("zero?", left)
        else:
            made = blocks.prim(name, *((other, left) if is_exchanged else (left, other)))
        return blocks.prim("not", made) if is_negated else made

    def _boolean(self, node: Any) -> str:
        result, join = self.blocks.temporary(), Block(node.lineno)
        for at, one in enumerate(node.values):
            self.blocks.prim("identity", self.value(one), to=result)
            if at < len(node.values) - 1:
                more = Block(one.lineno)
                yes, no = (more, join) if isinstance(node.op, ast.And) else (join, more)
                self.blocks.end(Branch(result, yes, no), more)
        self.blocks.end(Go(join), join)
        return result

    def _choice(self, node: Any) -> str:
        result, join = self.blocks.temporary(), Block(node.lineno)
        yes, no = Block(node.body.lineno), Block(node.orelse.lineno)
        self.branch(node.test, yes, no, yes)
        for one, then in ((node.body, no), (node.orelse, join)):
            self.blocks.prim("identity", self.value(one), to=result)
            self.blocks.end(Go(join), then)
        return result

    def branch(self, test: ast.expr, yes: Block, no: Block, then: Block) -> None:
        """End the block by a test, and go on with one of the two."""
        while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            test, yes, no = test.operand, no, yes
        self.blocks.end(Branch(self.place(test), yes, no), then)

    # ---- sequences ----

    # ---- calls ----

    def _called(self, node: Any, *, dynamic: bool = False) -> str:
        function = self.source.callee(node)
        if function is not None:
            callee, _ = self.inference.source(function)
            given = [self.value(one) for one in bound_arguments(self.source, node, callee)]
            return self.blocks.call(self.codes[function], *given, line=node.lineno, dynamic=dynamic)
        if node.keywords:
            raise self.error(node, "keywords for a function that is built in", "give the values in order")
        if isinstance(node.func, ast.Attribute):
            return self._method(node)
        known = self.source.known(node.func)
        if is_transparent(known):
            return self._told(node, known)
        if known is apply:
            return self._applied(node)
        write = self._BUILT_IN.get(known) if isinstance(known, type | type(len)) else None
        if write is None:
            raise self.error(
                node,
                f"{ast.unparse(node.func)} is no function of the interpreter",
                "call functions that `def` makes, or abs, apply, bool, len, list, max, min, tuple",
            )
        return write(self, node)

    def _told(self, node: Any, function: Any) -> str:
        """A lift, or a call that is not unfolded."""
        if len(node.args) != 1:
            raise self.error(node, f"{ast.unparse(node.func)} of more than one value", "write it for each")
        if function is lift:
            made = self.blocks.prim("identity", self.value(node.args[0]))
            self.blocks.put(Lift(made))
            return made
        if not (isinstance(node.args[0], ast.Call) and self.source.callee(node.args[0])):
            raise self.error(node, "dynamic_call of no call", "write dynamic_call(f(x))")
        return self._called(node.args[0], dynamic=True)

    def _applied(self, node: Any) -> str:
        """An operator by its name."""
        if not node.args or any(isinstance(one, ast.Starred) for one in node.args):
            raise self.error(node, "apply without an operator's name", "write apply('sqrt.f32', x)")
        name, *values = [self.value(one) for one in node.args]
        made = self.blocks.const(None)
        for one in reversed(values):
            made = self.blocks.prim("cons", one, made)
        return self.blocks.prim("apply", name, made)

    def _method(self, node: Any) -> str:
        name, held = node.func.attr, node.func.value
        form = self.form(held)
        if form == "memory" and name in ("load", "store") and len(node.args) == 1 + (name == "store"):
            args = [self.place(held), *(self.value(one) for one in node.args)]
            made = self.blocks.prim(name, *args)
            return self.blocks.const(None) if name == "store" else made
        if form != "list" or name not in CHANGES:
            raise self.error(
                node,
                f"the method {name} of {ast.unparse(held)}",
                "use append and pop of lists, load and store of memories",
            )
        if not (isinstance(held, ast.Name) and held.id in self.source.locals):
            raise self.error(node, f"{ast.unparse(held)} is changed in place", "change a local variable")
        if held.id in self.source.params:
            raise self.error(
                node, f"the parameter {held.id} is changed", "begin with a copy, and return it: list(x)"
            )
        if name == "append" and len(node.args) == 1:
            item = self.value(node.args[0])
            self.blocks.prim("cons", item, held.id, to=held.id, point=point_of(self.kind(held)))
            return self.blocks.const(None)
        if name == "pop" and not node.args:
            made = self.blocks.prim("car", held.id)
            self.blocks.prim("cdr", held.id, to=held.id)
            return made
        raise self.error(node, f"{name} with such arguments", "write append(x) or pop()")

    def _extreme(self, node: Any) -> str:
        if len(node.args) < 2:
            raise self.error(node, "min or max of a sequence", "give two values or more")
        made = self.value(node.args[0])
        for one in node.args[1:]:
            other = self.value(one)
            # As in Python: of equal values the first.
            result, join = self.blocks.temporary(), Block(node.lineno)
            change = Block(node.lineno)
            self.blocks.prim("identity", made, to=result)
            order = (other, made) if node.func.id == "min" else (made, other)
            self.blocks.end(Branch(self.blocks.prim("<", *order), change, join), change)
            self.blocks.prim("identity", other, to=result)
            self.blocks.end(Go(join), join)
            made = result
        return made

    def _absolute(self, node: Any) -> str:
        (one,) = self.arguments(node, 1)
        value, result, join = self.value(one), self.blocks.temporary(), Block(node.lineno)
        less = Block(node.lineno)
        self.blocks.prim("identity", value, to=result)
        self.blocks.end(Branch(self.blocks.prim("<", value, self.blocks.const(0)), less, join), less)
        self.blocks.prim("*", value, self.blocks.const(-1), to=result)
        self.blocks.end(Go(join), join)
        return result

    def _truth(self, node: Any) -> str:
        (one,) = self.arguments(node, 1)
        return self.blocks.prim("not", self.blocks.prim("not", self.place(one)))

    def _joined(self, node: Any) -> str:
        made = self.blocks.const("")
        for one in node.values:
            if isinstance(one, ast.FormattedValue):
                if one.format_spec is not None or one.conversion == ord("a"):
                    raise self.error(node, "a format in a text", "write {x} or {x!r}")
                if self.kind(one.value).forms & STRUCTURES:
                    raise self.error(node, "a sequence in a text", "name what is in it")
                primitive = "repr-of" if one.conversion == ord("r") else "text-of"
                part = self.blocks.prim(primitive, self.place(one.value))
            else:
                part = self.place(one)
            made = self.blocks.prim("+", made, part)
        return made

    _WRITERS: ClassVar[dict[type[ast.expr], Callable[[Expressions, Any], str]]] = {
        ast.Name: _name,
        ast.Constant: _constant,
        ast.BinOp: _binary,
        ast.UnaryOp: _unary,
        ast.Compare: _compare,
        ast.BoolOp: _boolean,
        ast.IfExp: _choice,
        ast.Tuple: Sequences.made_tuple,
        ast.List: Sequences.made_list,
        ast.Dict: Sequences.made_dict,
        ast.Subscript: Sequences.subscript,
        ast.Call: _called,
        ast.JoinedStr: _joined,
    }
    _BUILT_IN: ClassVar[dict[Any, Callable[[Expressions, Any], str]]] = {
        len: Sequences.length,
        min: _extreme,
        max: _extreme,
        abs: _absolute,
        bool: _truth,
        tuple: Sequences.copied,
        list: Sequences.copied,
    }
