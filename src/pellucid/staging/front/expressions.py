"""Expressions of an interpreter as instructions of root; what branches or calls becomes blocks."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any, ClassVar

from pellucid.base.errors import StagingError
from pellucid.staging.front.blocks import Block, Blocks, Go, Test
from pellucid.staging.front.inference import CHANGES, Inference, is_transparent, position
from pellucid.staging.front.kinds import Kind
from pellucid.staging.front.library import library
from pellucid.staging.front.source import Source, bound_arguments
from pellucid.staging.front.vectors import static_data
from pellucid.staging.integers import lift
from pellucid.staging.memory import Memory
from pellucid.staging.root.program import Code, Lift

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


class Expressions:
    """Translates the expressions of one function."""

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

    # ---- values ----

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

    def place(self, node: ast.expr) -> str:
        """As `value`, where the value is only looked at."""
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
            return self._filled(node)
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

    def _filled(self, node: Any) -> str:
        if len(node.left.elts) != 1:
            raise self.error(node, "a list of more than one item is repeated", "repeat a list of one item")
        value, count = self.value(node.left.elts[0]), self.value(node.right)
        return self.call(node, "fill", self.blocks.const(None), value, count, kind=self.kind(node))

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
                self.blocks.end(Test(result, more, join), more)
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
            made = self._among(left, right)
            return made if isinstance(operator, ast.In) else blocks.prim("not", made)
        name, is_exchanged, is_negated = _COMPARISONS[type(operator)]
        is_zero = isinstance(right, ast.Constant) and type(right.value) is int and right.value == 0
        if name == "=" and is_zero:
            made = blocks.prim("zero?", left)
        else:
            made = blocks.prim(name, *((other, left) if is_exchanged else (left, other)))
        return blocks.prim("not", made) if is_negated else made

    def _among(self, item: str, held: ast.expr) -> str:
        if isinstance(held, ast.Tuple | ast.List | ast.Set):
            result, join = self.blocks.temporary(), Block(held.lineno)
            self.blocks.prim("identity", self.blocks.const(False), to=result)
            for one in held.elts:
                self.blocks.prim("=", item, self.value(one), to=result)
                more = Block(held.lineno)
                self.blocks.end(Test(result, join, more), more)
            self.blocks.end(Go(join), join)
            return result
        form, value = self.form(held), self.place(held)
        if form == "given":
            return self.blocks.prim("has", value, item)
        if form == "either":
            raise self.error(held, "`in` a sequence that is static in some places only", "write a loop")
        return self.call(held, "among" if form == "dict" else "holds", value, item)

    def _boolean(self, node: Any) -> str:
        result, join = self.blocks.temporary(), Block(node.lineno)
        for at, one in enumerate(node.values):
            self.blocks.prim("identity", self.value(one), to=result)
            if at < len(node.values) - 1:
                more = Block(one.lineno)
                yes, no = (more, join) if isinstance(node.op, ast.And) else (join, more)
                self.blocks.end(Test(result, yes, no), more)
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
        self.blocks.end(Test(self.place(test), yes, no), then)

    # ---- sequences ----

    def _tuple(self, node: Any) -> str:
        kind = self.kind(node)
        items = [self.value(one) for one in node.elts]
        made = self.blocks.const(None)
        for at, one in reversed(list(enumerate(items))):
            made = self.blocks.prim("cons", one, made, point=f"{point_of(kind)}.{at}")
        return made

    def _list(self, node: Any) -> str:
        made = self.blocks.const(None)
        for one in node.elts:
            made = self.blocks.prim("cons", self.value(one), made, point=point_of(self.kind(node)))
        return made

    def _dict(self, node: Any) -> str:
        made, kind = self.blocks.const(None), self.kind(node)
        for key, one in zip(node.keys, node.values, strict=True):
            if key is None:
                raise self.error(node, "a dictionary is unpacked into another one", "assign the entries")
            made = self.call(node, "enter", made, self.value(key), self.value(one), kind=kind)
        return made

    def _subscript(self, node: Any) -> str:
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
        self.blocks.end(Test(self.blocks.prim("pair?", held), pairs, vector), pairs)
        for form, then in (("tuple", vector), ("given", join)):
            self.blocks.prim("identity", self.item(node, held, form, index), to=result)
            self.blocks.end(Go(join), then)
        return result

    # ---- calls ----

    def call(self, node: ast.AST, name: str, *args: str, kind: Kind | None = None) -> str:
        """The variable of what a code of the library returns."""
        code = library(name, point_of(kind)) if kind is not None else library(name)
        return self.blocks.call(code, *args, line=getattr(node, "lineno", 0))

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
        write = self._BUILT_IN.get(known) if isinstance(known, type | type(len)) else None
        if write is None:
            raise self.error(
                node,
                f"{ast.unparse(node.func)} is no function of the interpreter",
                "call functions that `def` makes, or abs, bool, len, list, max, min, tuple",
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

    def _length(self, node: Any) -> str:
        (one,) = self._arguments(node, 1)
        form, held = self.form(one), self.place(one)
        if form in ("given", "either") or not self.kind(one).forms:
            if form == "either":
                raise self.error(node, "the length of a sequence that is static in some places", "count it")
            return self.blocks.prim("vlen", held)
        return self.call(node, "length", held, self.blocks.const(0))

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
            self.blocks.end(Test(self.blocks.prim("<", *order), change, join), change)
            self.blocks.prim("identity", other, to=result)
            self.blocks.end(Go(join), join)
            made = result
        return made

    def _absolute(self, node: Any) -> str:
        (one,) = self._arguments(node, 1)
        value, result, join = self.value(one), self.blocks.temporary(), Block(node.lineno)
        less = Block(node.lineno)
        self.blocks.prim("identity", value, to=result)
        self.blocks.end(Test(self.blocks.prim("<", value, self.blocks.const(0)), less, join), less)
        self.blocks.prim("*", value, self.blocks.const(-1), to=result)
        self.blocks.end(Go(join), join)
        return result

    def _truth(self, node: Any) -> str:
        (one,) = self._arguments(node, 1)
        return self.blocks.prim("not", self.blocks.prim("not", self.place(one)))

    def _copied(self, node: Any) -> str:
        if not node.args:
            return self.blocks.const(None)
        (one,) = self._arguments(node, 1)
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

    def _arguments(self, node: Any, count: int) -> list[ast.expr]:
        if len(node.args) != count:
            raise self.error(node, f"{ast.unparse(node.func)} takes {count} arguments here", "give as many")
        return node.args

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
        ast.Tuple: _tuple,
        ast.List: _list,
        ast.Dict: _dict,
        ast.Subscript: _subscript,
        ast.Call: _called,
        ast.JoinedStr: _joined,
    }
    _BUILT_IN: ClassVar[dict[Any, Callable[[Expressions, Any], str]]] = {
        len: _length,
        min: _extreme,
        max: _extreme,
        abs: _absolute,
        bool: _truth,
        tuple: _copied,
        list: _copied,
    }


def point_of(kind: Kind) -> str:
    """The cons point of a kind: a name of its own."""
    own = kind.root
    if not own.point:
        own.point = f"{own.name or 'made'}-{next(own.numbers)}"
    return own.point
