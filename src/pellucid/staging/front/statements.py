"""Statements of an interpreter as blocks."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping
from types import FunctionType
from typing import Any, ClassVar

from pellucid.staging.front.blocks import Block, Blocks, Branch, Fail, Go, K, Return
from pellucid.staging.front.expressions import BINARY, Expressions
from pellucid.staging.front.inference import Inference, is_range
from pellucid.staging.front.kinds import Kind
from pellucid.staging.front.sequences import STRUCTURES
from pellucid.staging.front.source import Source
from pellucid.staging.root.program import Code, Lift, check
from pellucid.staging.times.lattice import DYNAMIC, Time, is_static

_INSTEAD: Mapping[type[ast.AST], str] = {
    ast.Try: "test before, and raise",
    ast.With: "write plain calls",
    ast.Delete: "leave the variable",
    ast.Global: "pass the value as an argument",
    ast.Nonlocal: "pass the value as an argument",
    ast.FunctionDef: "define functions at the top of the file",
    ast.AsyncFunctionDef: "write `def`",
    ast.AsyncFor: "write `for`",
    ast.AsyncWith: "write plain calls",
    ast.ClassDef: "define classes outside of the interpreter",
    ast.Import: "import at the top of the file",
    ast.ImportFrom: "import at the top of the file",
    ast.Match: "write `if` and `elif`",
}


def program_of(entry: Source, static: Iterable[str] = ()) -> tuple[Code, Inference]:
    """The code of an entry, with those of all functions that it calls; `static` are parameters of static data."""
    inference = Inference(entry, static)
    codes = {
        function: Code(source.name, (K, *source.params)) for function, source in inference.sources.items()
    }
    for function, source in inference.sources.items():
        _Function(source, inference, codes).write(codes[function])
    for code in codes.values():
        check(code)
    return codes[entry.function], inference


def as_known(start: Time, stop: Time) -> Time:
    """The time of a counter: dynamic where the loop ends at a dynamic number."""
    return start if is_static(stop) else DYNAMIC


class _Function(Expressions):
    """Translates one function."""

    def __init__(self, source: Source, inference: Inference, codes: Mapping[FunctionType, Code]) -> None:
        super().__init__(source, inference, codes, Blocks(source, codes[source.function]))
        self._loops: list[tuple[Block, Block]] = []

    def write(self, code: Code) -> None:
        """Write the body of the function's code."""
        self._statements(self.source.tree.body)
        if self.blocks.now is not None:
            self.blocks.end(Return(self.blocks.const(None)), None)
        self.blocks.finish()

    def _statements(self, statements: list[ast.stmt]) -> None:
        for one in statements:
            if self.blocks.now is None:
                return
            write = self._STATEMENTS.get(type(one))
            if write is None:
                text = ast.unparse(one).splitlines()[0]
                fix = _INSTEAD.get(type(one), "write it with if, while, for, assignments and calls")
                raise self.error(one, f"{text!r} is outside of what interpreters may use", fix)
            write(self, one)

    def _expression(self, node: Any) -> None:
        if not isinstance(node.value, ast.Constant):
            self.place(node.value)

    def _pass(self, node: Any) -> None:
        """Write nothing."""

    def _return(self, node: Any) -> None:
        if node.value is None:
            value = self.blocks.const(None)
        else:
            methods = [one for one in ast.walk(node.value) if isinstance(one, ast.Attribute)]
            self.leaves = not methods
            value = self.value(node.value)
            self.leaves = False
        self.blocks.end(Return(value), None)

    def _raise(self, node: Any) -> None:
        error = node.exc
        if error is None:
            raise self.error(node, "an error is raised again", "raise one with a message")
        if isinstance(error, ast.Call) and len(error.args) == 1:
            message = self.place(error.args[0])
        else:
            message = self.blocks.const(ast.unparse(error))
        self.blocks.end(Fail(message), None)

    def _assert(self, node: Any) -> None:
        good, bad = Block(node.lineno), Block(node.lineno)
        self.branch(node.test, good, bad, bad)
        message = self.place(node.msg) if node.msg else self.blocks.const(ast.unparse(node))
        self.blocks.end(Fail(message), good)

    # ---- assignments ----

    def _assign(self, node: Any) -> None:
        value = self.value(node.value)
        for target in node.targets:
            self._bind(target, value, self.kind(node.value) if node.value in self.inference.of_node else None)
        if len(node.targets) > 1 and self.kind(node.value).mutated:
            raise self.error(node, "a list that is changed gets two names", "make a list for each")

    def _annotated(self, node: Any) -> None:
        if node.value is not None:
            self._bind(node.target, self.value(node.value), self.kind(node.value))

    def _bind(self, target: ast.expr, value: str, kind: Kind | None) -> None:
        """Bind a target to a variable."""
        match target:
            case ast.Name(name):
                self.blocks.prim("identity", value, to=name)
            case ast.Tuple(elts) | ast.List(elts):
                self._unpack(target, elts, value, kind)
            case ast.Subscript(held, index):
                self._store(target, held, self.value(index), value)
            case _:
                raise self.refused(target)

    def _unpack(self, target: ast.expr, elts: list[ast.expr], value: str, kind: Kind | None) -> None:
        kind = Kind() if kind is None else kind
        forms = kind.root.forms - {"none"}
        form = "either" if {"given", "tuple"} <= forms else "given" if "given" in forms else "tuple"
        if "list" in forms:
            raise self.error(target, "a list is unpacked", "take its items by their index")
        names: list[str] = []
        for at, _ in enumerate(elts):
            index = ast.copy_location(ast.Constant(at), target)
            self.inference.of_node.setdefault(index, kind.part(at))
            names.append(self.item(target, value, form, index))
        for at, (one, name) in enumerate(zip(elts, names, strict=True)):
            self._owned(one, kind.part(at))
            self._bind(one, name, kind.part(at))

    def _owned(self, target: ast.expr, kind: Kind) -> None:
        """Refuse a second name for an item that is changed."""
        if kind.mutated and "given" not in kind.forms:
            raise self.error(
                target,
                f"{ast.unparse(target)} is changed, and is an item too",
                "copy it: tuple(x) or list(x)",
            )

    def _store(self, target: ast.expr, held: ast.expr, index: str, value: str) -> None:
        form = self.form(held)
        if form == "memory":
            self.blocks.prim("store", self.place(held), index, value)
            return
        if form not in ("list", "dict"):
            raise self.error(
                target, f"an item of {ast.unparse(held)} is assigned", "copy it to a list: list(x)"
            )
        if not (isinstance(held, ast.Name) and held.id in self.source.locals):
            raise self.error(target, f"{ast.unparse(held)} is changed in place", "change a local variable")
        if held.id in self.source.params:
            raise self.error(
                target, f"the parameter {held.id} is changed", "begin with a copy, and return it: list(x)"
            )
        name = "put" if form == "list" else "enter"
        made = self.call(target, name, held.id, index, value, kind=self.kind(held))
        self.blocks.prim("identity", made, to=held.id)

    def _augmented(self, node: ast.AugAssign) -> None:
        name = BINARY.get(type(node.op))
        if name is None:
            raise self.error(node, f"{ast.unparse(node)!r} has no primitive", "multiply in a loop")
        target = node.target
        if self.kind(node.value).forms & STRUCTURES:
            raise self.error(node, f"{ast.unparse(node)!r} joins sequences", "append the items one by one")
        if isinstance(target, ast.Name):
            self.blocks.prim(name, target.id, self.value(node.value), to=target.id)
            return
        if not isinstance(target, ast.Subscript):
            raise self.refused(target)
        index = self.blocks.prim("identity", self.value(target.slice))
        old = self.item_at(target, target.value, index)
        self._store(target, target.value, index, self.blocks.prim(name, old, self.value(node.value)))

    def item_at(self, node: ast.AST, held: ast.expr, index: str) -> str:
        """The item of a list, a dictionary or a memory at an index that is a variable."""
        form, value = self.form(held), self.place(held)
        if form == "memory":
            return self.blocks.prim("load", value, index)
        return self.call(node, "find" if form == "dict" else f"of_{form}", value, index)

    # ---- control ----

    def _if(self, node: Any) -> None:
        yes, no, join = Block(node.lineno), Block(node.lineno), Block(_last(node))
        if node.body:
            yes.line = node.body[0].lineno
        self.branch(node.test, yes, no, yes)
        self._statements(node.body)
        self.blocks.end(Go(join), no)
        self._statements(node.orelse)
        self.blocks.end(Go(join), join)

    def _while(self, node: Any) -> None:
        if node.orelse:
            raise self.error(node, "`else` of a loop", "set a variable before `break`, and test it")
        head, body, after = Block(node.lineno), Block(node.body[0].lineno), Block(_last(node))
        self.blocks.end(Go(head), head)
        if isinstance(node.test, ast.Constant) and node.test.value:
            self.blocks.end(Go(body), body)
        else:
            self.branch(node.test, body, after, body)
        self._loop(node, head, after)

    def _loop(self, node: Any, again: Block, after: Block) -> None:
        """Write the body of a loop, which goes on with a block."""
        self._loops.append((again, after))
        self._statements(node.body)
        self._loops.pop()
        self.blocks.end(Go(again), after)

    def _break(self, node: Any) -> None:
        self.blocks.end(Go(self._loops[-1][1]), None)

    def _continue(self, node: Any) -> None:
        self.blocks.end(Go(self._loops[-1][0]), None)

    def _for(self, node: Any) -> None:
        if node.orelse:
            raise self.error(node, "`else` of a loop", "set a variable before `break`, and test it")
        if is_range(self.source, node.iter):
            self._range(node)
        else:
            self._each(node)

    def _range(self, node: Any) -> None:
        args = list(node.iter.args)
        if not 1 <= len(args) <= 3 or not isinstance(node.target, ast.Name):
            raise self.error(node, "such a loop over a range", "write `for i in range(begin, end, step)`")
        step = _literal(args[2]) if len(args) > 2 else 1
        if not step:
            raise self.error(node, "a range with a step that is no number", "write `while`")
        blocks, counter = self.blocks, f"{node.target.id}$"
        start = self.value(args[0]) if len(args) > 1 else blocks.const(0)
        start = blocks.prim("identity", start, to=counter)
        stop = blocks.prim("identity", self.value(args[1] if len(args) > 1 else args[0]))
        blocks.put(Lift(counter, as_known, (counter, stop)))
        head, body = Block(node.lineno), Block(node.body[0].lineno)
        again, after = Block(node.lineno), Block(_last(node))
        blocks.end(Go(head), head)
        order = (counter, stop) if step > 0 else (stop, counter)
        blocks.end(Branch(blocks.prim("<", *order), body, after), body)
        blocks.prim("identity", counter, to=node.target.id)
        self._loop(node, again, after)
        blocks.now = again
        blocks.prim("+", counter, blocks.const(step), to=counter)
        blocks.end(Go(head), after)

    def _each(self, node: Any) -> None:
        form, kind, blocks = self.form(node.iter), self.kind(node.iter), self.blocks
        if kind.mutated and form == "list" and isinstance(node.iter, ast.Name):
            for one in ast.walk(ast.Module(node.body, [])):
                if isinstance(one, ast.Name) and one.id == node.iter.id:
                    raise self.error(one, f"{one.id} is used while a loop goes over it", "loop over tuple(x)")
        rest = f"rest${node.lineno}"
        head, body, after = Block(node.lineno), Block(node.body[0].lineno), Block(_last(node))
        held = self.place(node.iter)
        if form == "given":
            held = blocks.prim("identity", held)
            blocks.prim("identity", blocks.const(0), to=rest)
            blocks.end(Go(head), head)
            blocks.end(Branch(blocks.prim("<", rest, blocks.prim("vlen", held)), body, after), body)
            item = blocks.prim("item-at", held, rest)
            blocks.prim("+", rest, blocks.const(1), to=rest)
        elif form in ("tuple", "list"):
            if form == "list":
                held = self.call(node, "turned", held, blocks.const(None), kind=kind)
            blocks.prim("identity", held, to=rest)
            blocks.end(Go(head), head)
            blocks.end(Branch(blocks.prim("pair?", rest), body, after), body)
            item = blocks.prim("car", rest)
            blocks.prim("cdr", rest, to=rest)
        else:
            raise self.error(
                node, f"a loop over {ast.unparse(node.iter)}", "loop over a range, a tuple or a list"
            )
        self._owned(node.target, kind.part("item"))
        self._bind(node.target, item, kind.part("item"))
        self._loop(node, head, after)

    _STATEMENTS: ClassVar[dict[type[ast.stmt], Callable[[_Function, Any], None]]] = {
        ast.Expr: _expression,
        ast.Pass: _pass,
        ast.Return: _return,
        ast.Raise: _raise,
        ast.Assert: _assert,
        ast.Assign: _assign,
        ast.AnnAssign: _annotated,
        ast.AugAssign: _augmented,
        ast.If: _if,
        ast.While: _while,
        ast.For: _for,
        ast.Break: _break,
        ast.Continue: _continue,
    }


def _last(node: ast.stmt) -> int:
    """The last line of a statement."""
    return node.end_lineno or node.lineno


def _literal(node: ast.expr) -> int:
    """The number that is written, or 0."""
    try:
        found = ast.literal_eval(node)
    except ValueError:
        return 0
    return found if type(found) is int else 0
