"""Expressions of an interpreter as instructions of root; what branches or calls becomes blocks."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any, ClassVar, cast

from pellucid.staging.front.advice import CALLABLE, CALLS, branched
from pellucid.staging.front.blocks import BlockBranch, Blocks, Fail, Go, PythonBlock
from pellucid.staging.front.comparisons import Comparisons
from pellucid.staging.front.effects import CHANGES, EffectTarget, is_transparent, root_of
from pellucid.staging.front.inference import Inference
from pellucid.staging.front.kinds import Kind, how_to_copy, point_of
from pellucid.staging.front.objects import fields_of
from pellucid.staging.front.returns import Returns, alone, alone_recursive, changing, opening, recursive
from pellucid.staging.front.sequences import STRUCTURES, Sequences
from pellucid.staging.front.shapes import shape_of
from pellucid.staging.front.source import Source
from pellucid.staging.front.vectors import TEXT_METHODS
from pellucid.staging.integers import lift
from pellucid.staging.memory import Memory
from pellucid.staging.root.primitives import apply
from pellucid.staging.root.program import Lift, RootCode

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


class Expressions(Sequences):
    """Translates the expressions of one function."""

    def __init__(
        self, source: Source, inference: Inference, codes: Mapping[FunctionType, RootCode], blocks: Blocks
    ) -> None:
        super().__init__(source, inference, codes, blocks)
        self.comparisons = Comparisons(self)

    # ---- values ----

    def place(self, node: ast.expr) -> str:
        """The variable of an expression whose value is only looked at."""
        write = self._WRITERS.get(type(node))
        if write is None:
            raise self.source.refused(node)
        before, self.blocks.line = self.blocks.line, node.lineno
        made = write(self, node)
        self.blocks.line = before
        self.mark(node, made)
        return made

    def _name(self, node: Any) -> str:
        if node.id in self.source.locals:
            return node.id
        found = self.source.outside(node)
        if isinstance(found, FunctionType | type) or (callable(found) and not isinstance(found, Memory)):
            raise self.error(
                node,
                f"{node.id} is a function where a value is expected: functions are no values of an interpreter",
                branched(node.id),
            )
        return self.constant(node, found)

    def _constant(self, node: Any) -> str:
        if node.value is Ellipsis or isinstance(node.value, bytes | complex):
            raise self.source.refused(node)
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
            if isinstance(one, ast.Tuple | ast.Dict | ast.List) or self.kind(one).forms in (
                {"list"},
                {"dict"},
            ):
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
        return self.comparisons.compared(node)

    def _boolean(self, node: Any) -> str:
        result, join = self.blocks.temporary(), PythonBlock(node.lineno)
        operand = self.place if node in self.source.tested else self.value
        for at, one in enumerate(node.values):
            self.blocks.prim("identity", operand(one), to=result)
            if at < len(node.values) - 1:
                more = PythonBlock(one.lineno)
                yes, no = (more, join) if isinstance(node.op, ast.And) else (join, more)
                self.blocks.end(BlockBranch(result, yes, no), more)
        self.blocks.end(Go(join), join)
        return result

    def _choice(self, node: Any) -> str:
        result, join = self.blocks.temporary(), PythonBlock(node.lineno)
        yes, no = PythonBlock(node.body.lineno), PythonBlock(node.orelse.lineno)
        self.branch(node.test, yes, no, yes)
        for one, then in ((node.body, no), (node.orelse, join)):
            self.blocks.prim("identity", self.value(one), to=result)
            self.blocks.end(Go(join), then)
        return result

    def branch(self, test: ast.expr, yes: PythonBlock, no: PythonBlock, then: PythonBlock) -> None:
        """End the block by a test, and go on with one of the two."""
        while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            test, yes, no = test.operand, no, yes
        self.blocks.end(BlockBranch(self.place(test), yes, no), then)

    def fail(self, line: int, message: str, then: PythonBlock | None) -> None:
        """End the block with an error of a line, and go on with another one."""
        place = self.blocks.const(f"{self.source.file}:{line}: ")
        self.blocks.end(Fail(self.blocks.prim("+", place, self.blocks.prim("text-of", message))), then)

    # ---- calls ----

    def _called(self, node: Any, *, dynamic: bool = False) -> str:
        target = self.inference.calls.get(node)
        if target is not None:
            return (
                self._constructed(node, target)
                if target.what
                else self._entered(node, target, dynamic=dynamic)
            )
        if node.keywords:
            raise self.error(node, "keywords for a function that is built in", "give the values in order")
        known = self.source.known(node.func)
        if known is None and isinstance(node.func, ast.Attribute):
            return self._method(node)
        if is_transparent(known):
            return self._told(node, known)
        if known is apply:
            return self._applied(node)
        write = self._BUILT_IN.get(known) if isinstance(known, type | type(len)) else None
        if write is None and isinstance(node.func, ast.Subscript):
            raise self.error(
                node,
                f"{ast.unparse(node.func)} is a function that is looked up",
                "write `if` and `elif` with calls",
            )
        if isinstance(node.func, ast.Lambda):
            raise self.source.refused(node.func)
        if isinstance(node.func, ast.Name) and node.func.id in self.source.locals:
            name = node.func.id
            raise self.error(
                node,
                f"{name} is a variable that is called: functions are no values of an interpreter",
                f"hand on a text that names the function, and branch: if {name} == 'f': y = f(x)",
            )
        if write is None:
            raise self.error(
                node,
                f"{ast.unparse(node.func)} is no function of the interpreter",
                CALLS.get(known, CALLABLE) if isinstance(known, type | type(len)) else CALLABLE,
            )
        return write(self, node)

    def _entered(self, node: Any, target: EffectTarget, *, dynamic: bool = False, own: str = "") -> str:
        """A call of a function of the interpreter; what it changes in place is bound anew. `own` is a new object."""
        callee = cast("Source", target.source)
        params = callee.params[bool(own) :]
        changed = self.inference.changed[callee.function]
        names: list[str] = [own] if own and callee.params[0] in changed else []
        after: list[tuple[ast.expr, str]] = []
        places = {
            name: one
            for name, one in zip(params, target.args, strict=True)
            if self.kind(one).changes and isinstance(one, ast.Name | ast.Attribute | ast.Subscript)
        }
        # What is changed is read last: the other arguments may change it before.
        found = {
            name: self.value(one) for name, one in zip(params, target.args, strict=True) if name not in places
        }
        found |= {name: self.read(one) for name, one in places.items()}
        for name, one in zip(params, target.args, strict=True):
            if name not in places:
                if name in changed:
                    names.append(self.blocks.temporary())
                continue
            self._lent(node, one, name, callee, target)
            if name in changed:
                found[name] = self._opened(callee, name, found[name])
                if (
                    isinstance(one, ast.Name) and one.id not in self.inference.changed[self.source.function]
                ) or (isinstance(one, ast.Name) and one.id not in self.source.rebound):
                    names.append(one.id)
                else:
                    names.append(self.blocks.temporary())
                    after.append((one, names[-1]))
        made = self.blocks.call(
            self.codes[callee.function],
            *([own] if own else []),
            *(found[name] for name in params),
            line=node.lineno,
            returns=None if dynamic else self._returns(callee),
            dynamic=dynamic,
            changed=tuple(names),
        )
        for one, name in after:
            self.rebind(one, name)
        return made

    def _opened(self, callee: Source, name: str, held: str) -> str:
        """What a function that calls itself is given and changes: with lists of any length, as it comes back.

        The first call is given such lists as well, or the function would have patterns of its own for it.
        """
        if not self.inference.calls_itself(callee):
            return held
        made = self.blocks.prim("identity", held)
        self.blocks.put(Lift(made, opening(self._shape(callee, name)), (made,)))
        return made

    def _shape(self, callee: Source, name: str) -> str:
        """The shape of a parameter."""
        whole = self.inference.changed_dynamically(callee)
        return shape_of(self.inference.kinds.variable(callee.function, name), whole)

    def _returns(self, callee: Source) -> Returns | None:
        """The time of what follows a call of a function."""
        reached, reads = self.inference.reached(callee)
        is_recursive = self.source.function in reached
        changed = self.inference.changed[callee.function]
        if is_recursive and changed:
            places = [f"{callee.params.index(one)}:{self._shape(callee, one)}" for one in changed]
            return changing("reads" if reads else "alone", *places)
        if reads:
            return recursive if is_recursive else None
        return alone_recursive if is_recursive else alone

    def _lent(self, node: ast.AST, one: ast.expr, name: str, callee: Source, target: EffectTarget) -> None:
        """Refuse to hand on what is changed, where it would get a second name."""
        text = ast.unparse(one)
        if name in callee.returned or target.what is not None:
            raise self.error(
                node,
                f"{text} is changed, and would have two names: {callee.name} keeps or returns it",
                how_to_copy(text, self.kind(one)),
            )
        roots = [root_of(each) for each in target.args if self.kind(each).changes]
        if roots.count(root_of(one)) > 1:
            raise self.error(
                node, f"{text} is changed, and handed on twice", how_to_copy(text, self.kind(one))
            )

    def _constructed(self, node: Any, target: EffectTarget) -> str:
        """A new object."""
        kind, what = self.kind(node), cast("type", target.what)
        if target.source is None:
            items = [self.value(one) for one in target.args]
            return self._object(kind, items)
        none = self.blocks.const(None)
        made = self.blocks.prim("identity", self._object(kind, [none] * len(fields_of(what))))
        self._entered(node, target, own=made)
        return made

    def _object(self, kind: Kind, items: list[str]) -> str:
        """The pairs of an object."""
        return self.tuple_of(kind, items, self.ended(kind))

    def _told(self, node: Any, function: Any) -> str:
        """A lift, or a call that is not unfolded."""
        if len(node.args) != 1:
            raise self.error(node, f"{ast.unparse(node.func)} of more than one value", "write it for each")
        if function is lift:
            made = self.blocks.prim("identity", self.value(node.args[0]))
            self.blocks.put(Lift(made))
            return made
        target = self.inference.calls.get(node.args[0]) if isinstance(node.args[0], ast.Call) else None
        if target is None or target.what is not None:
            raise self.error(node, "dynamic_call of no call", "write dynamic_call(f(x))")
        self.inference.unfolded.add(node)
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
        form, forms = self.form(held), self.kind(held).forms
        if form == "memory" and name in ("load", "store") and len(node.args) == 1 + (name == "store"):
            args = [self.words(held, self.place(held)), *(self.value(one) for one in node.args)]
            made = self.blocks.prim(name, *args)
            return self.blocks.const(None) if name == "store" else made
        if name == "get" and form in ("given", "dict") and len(node.args) in (1, 2):
            return self._get(node, form, held)
        if name in TEXT_METHODS and not forms & STRUCTURES and len(node.args) in TEXT_METHODS[name]:
            args = [self.place(held), *(self.value(one) for one in node.args)]
            return self.blocks.prim(f"{name}-{len(node.args)}", *args)
        if form != "list" or name not in CHANGES:
            fix = (
                "use append and pop of lists, get and items of dictionaries, load and store of memories; "
                "for a method of yours, annotate the parameter or the field with its class"
            )
            if name in ("items", "keys", "values"):
                fix = f"write `for ... in {ast.unparse(node)}`"
            raise self.error(node, f"the method {name} of {ast.unparse(held)}", fix)
        if name == "append" and len(node.args) == 1:
            item = self.value(node.args[0])
            made = self.blocks.prim("cons", item, self.read(held), point=point_of(self.kind(held)))
            self.rebind(held, made)
            return self.blocks.const(None)
        if name == "pop" and not node.args:
            pairs = self.blocks.prim("identity", self.read(held))
            made = self.blocks.prim("car", pairs)
            self.rebind(held, self.blocks.prim("cdr", pairs))
            return made
        raise self.error(node, f"{name} with such arguments", "write append(x) or pop()")

    def _get(self, node: Any, form: str, held: ast.expr) -> str:
        """An entry of a dictionary, or another value."""
        value, key = self.place(held), self.value(node.args[0])
        if form == "given":
            key = self.key(key, node.args[0])
        other = self.value(node.args[1]) if len(node.args) > 1 else self.blocks.const(None)
        if form == "dict":
            return self.call(node, "get", value, key, other)
        result, join = self.blocks.temporary(), PythonBlock(node.lineno)
        there = PythonBlock(node.lineno)
        self.blocks.prim("identity", other, to=result)
        self.blocks.end(BlockBranch(self.blocks.prim("has", value, key), there, join), there)
        self.blocks.prim("item", value, key, to=result)
        self.blocks.end(Go(join), join)
        return result

    def _is_a(self, node: Any) -> str:
        """Whether a value is of a class: known where it is static, or its kind is."""
        if len(node.args) != 2:
            raise self.error(node, "isinstance without a value and a class", "write isinstance(x, int)")
        one, classes = node.args
        asked = classes.elts if isinstance(classes, ast.Tuple) else _alternatives(classes)
        found = [self.source.known(each) for each in asked]
        if not all(isinstance(each, type) for each in found):
            raise self.error(
                classes, f"{ast.unparse(classes)} is no class", "write int, str, tuple or a class"
            )
        return self.comparisons.is_a(node, self.place(one), self.kind(one), tuple(found))

    def _as_real(self, node: Any) -> str:
        (one,) = self.source.arguments(node, 1)
        return self.blocks.prim("/", self.value(one), self.blocks.const(1))

    def _converted(self, node: Any) -> str:
        (one,) = self.source.arguments(node, 1)
        if node.func.id == "int" and isinstance(one, ast.Compare):
            return self.blocks.prim("+", self.place(one), self.blocks.const(0))
        return self.blocks.prim(_CONVERSIONS[node.func.id], self.value(one))

    def _extreme(self, node: Any) -> str:
        if len(node.args) < 2:
            raise self.error(node, "min or max of a sequence", "give two values or more")
        made = self.value(node.args[0])
        for one in node.args[1:]:
            other = self.value(one)
            # As in Python: of equal values the first.
            result, join = self.blocks.temporary(), PythonBlock(node.lineno)
            change = PythonBlock(node.lineno)
            self.blocks.prim("identity", made, to=result)
            order = (other, made) if node.func.id == "min" else (made, other)
            self.blocks.end(BlockBranch(self.blocks.prim("<", *order), change, join), change)
            self.blocks.prim("identity", other, to=result)
            self.blocks.end(Go(join), join)
            made = result
        return made

    def _absolute(self, node: Any) -> str:
        (one,) = self.source.arguments(node, 1)
        value, result, join = self.value(one), self.blocks.temporary(), PythonBlock(node.lineno)
        less = PythonBlock(node.lineno)
        self.blocks.prim("identity", value, to=result)
        self.blocks.end(BlockBranch(self.blocks.prim("<", value, self.blocks.const(0)), less, join), less)
        self.blocks.prim("*", value, self.blocks.const(-1), to=result)
        self.blocks.end(Go(join), join)
        return result

    def _truth(self, node: Any) -> str:
        (one,) = self.source.arguments(node, 1)
        return self.blocks.prim("not", self.blocks.prim("not", self.place(one)))

    def _joined(self, node: Any) -> str:
        made = self.blocks.const("")
        for one in node.values:
            if isinstance(one, ast.FormattedValue):
                if one.format_spec is not None or one.conversion == ord("a"):
                    raise self.error(node, "a format in a text", "write {x} or {x!r}")
                if self.kind(one.value).forms in ({"list"}, {"dict"}, {"object"}):
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
        ast.Attribute: Sequences.attribute,
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
        dict: Sequences.copied,
        isinstance: _is_a,
        float: _as_real,
        int: _converted,
        str: _converted,
        ord: _converted,
        chr: _converted,
    }


def _alternatives(node: ast.expr) -> list[ast.expr]:
    """The classes of a union such as `int | float`."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return [*_alternatives(node.left), *_alternatives(node.right)]
    return [node]


_CONVERSIONS = {"int": "integer-of", "str": "text-of", "ord": "code-of", "chr": "letter-of"}
