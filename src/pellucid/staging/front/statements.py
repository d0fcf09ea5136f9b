"""Statements of an interpreter as blocks."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping
from types import FunctionType
from typing import Any, ClassVar

from pellucid.staging.front.blocks import BlockBranch, Blocks, Go, K, PythonBlock, Return
from pellucid.staging.front.effects import root_of
from pellucid.staging.front.expressions import BINARY
from pellucid.staging.front.inference import Inference, size_of
from pellucid.staging.front.kinds import point_of
from pellucid.staging.front.loops import LoopExpressions
from pellucid.staging.front.patterns import Patterns
from pellucid.staging.front.source import Source, parallel
from pellucid.staging.integers import lift
from pellucid.staging.root.program import Const, Instruction, Jump, RootCode, RootPrim, check

_INSTEAD: Mapping[type[ast.AST], str] = {
    ast.Try: "test before, and raise",
    ast.With: "write plain calls",
    ast.Delete: "leave the variable",
    ast.Global: "pass the value as an argument",
    ast.Nonlocal: "pass the value as an argument",
    ast.AsyncFor: "write `for`",
    ast.AsyncWith: "write plain calls",
    ast.Import: "import at the top of the file",
    ast.ImportFrom: "import at the top of the file",
}


def program_of(
    entry: Source, static: Iterable[str] = (), *, marked: bool = False
) -> tuple[RootCode, Inference]:
    """The code of an entry, with those of all functions that it calls; `static` are parameters of static data.

    In what is `marked`, the time of each expression can be found.
    """
    inference = Inference(entry, static)
    inference.marks = {} if marked else None
    for name in inference.changed[entry.function]:
        raise entry.error(
            inference.places[entry.function, name],
            f"the parameter {name} of the interpreter itself is changed",
            f"begin with a copy under another name: own = list({name})",
        )
    codes = {
        function: RootCode(source.name, (K, *source.params)) for function, source in inference.sources.items()
    }
    for function, source in inference.sources.items():
        _Function(source, inference, codes).write(codes[function])
    for code in codes.values():
        check(code)
    return _sized(codes[entry.function], inference, set(static)), inference


def _sized(code: RootCode, inference: Inference, static: set[str]) -> RootCode:
    """The code of an entry with a parameter more for the length of each memory whose length is asked for.

    A memory that is static knows its own.
    """
    if not inference.sized:
        return code
    kinds, function = inference.kinds, inference.entry.function
    body: list[Instruction] = []
    for name in inference.sized:
        size = size_of(name)
        if name in static:
            body.append(RootPrim(size, "vlen", (name,)))
        else:
            inference.sizes.append(size)
        body.append(RootPrim(name, "cons", (name, size), point_of(kinds.variable(function, name))))
    made = RootCode(code.name, (*code.params, *inference.sizes))
    code.name += "'1"
    made.body = (*body, Const("$entry", code), Jump("$entry", code.params))
    return made


class _Function(LoopExpressions):
    """Translates one function."""

    def __init__(self, source: Source, inference: Inference, codes: Mapping[FunctionType, RootCode]) -> None:
        super().__init__(source, inference, codes, Blocks(source, codes[source.function]))
        self._patterns = Patterns(self)
        self._loops: list[tuple[PythonBlock, PythonBlock]] = []

    def write(self, code: RootCode) -> None:
        """Write the body of the function's code."""
        for one in self.source.tree.args.args:
            self.mark(one, one.arg)
        self._statements(self.source.tree.body)
        if self.blocks.now is not None:
            self.end_with(self.blocks.const(None))
        self.blocks.finish()

    def _statements(self, statements: list[ast.stmt]) -> None:
        for one in statements:
            if self.blocks.now is None:
                return
            self.blocks.line = one.lineno
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
            # What is changed may be handed on where the function ends; a field stays in its object, which may go on.
            held = [root_of(one) for one in ast.walk(node.value) if isinstance(one, ast.Attribute)]
            with self.ending(leaves=not any(one in self.source.params for one in held)):
                value = self.value(node.value)
        self.end_with(value)

    def end_with(self, value: str) -> None:
        """Return a variable, and the parameters that are changed in place."""
        self.blocks.end(Return(value, self.inference.changed[self.source.function]), None)

    def _raise(self, node: Any) -> None:
        error = node.exc
        if error is None:
            raise self.error(node, "an error is raised again", "raise one with a message")
        if isinstance(error, ast.Call) and len(error.args) == 1:
            message = self.place(error.args[0])
        else:
            message = self.blocks.const(ast.unparse(error))
        self.fail(node.lineno, message, None)

    def _assert(self, node: Any) -> None:
        good, bad = PythonBlock(node.lineno), PythonBlock(node.lineno)
        self.branch(node.test, good, bad, bad)
        message = self.place(node.msg) if node.msg else self.blocks.const(ast.unparse(node))
        self.fail(node.lineno, message, good)

    # ---- assignments ----

    def _assign(self, node: Any) -> None:
        if len(node.targets) > 1:
            self._assign_several(node)
            return
        pairs = parallel(node.targets[0], node.value)
        # What is lifted keeps its one name.
        with self.ending(leaves=self._lifts(node)):
            values = [self.value(value) for _, value in pairs]
        if len(pairs) > 1:  # a target may be read in the value of another one
            values = [self.blocks.prim("identity", value) for value in values]
        for (target, value), held in zip(pairs, values, strict=True):
            self._patterns.bind(target, held, self.kind(value))

    def _assign_several(self, node: ast.Assign) -> None:
        """Bind several targets to one value: `a = b = x`."""
        value, kind = self.value(node.value), self.kind(node.value)
        if kind.changes:
            raise self.error(node, "a list that is changed gets two names", "make a list for each")
        for target in node.targets:
            self._patterns.bind(target, value, kind)

    def _lifts(self, node: ast.Assign) -> bool:
        """Whether a variable is bound to itself, lifted."""
        match node:
            case ast.Assign([ast.Name(name)], ast.Call(function, [ast.Name(held)])):
                return name == held and self.source.known(function) is lift
            case _:
                return False

    def _annotated(self, node: Any) -> None:
        if node.value is not None:
            self._patterns.bind(node.target, self.value(node.value), self.kind(node.value))

    def _augmented(self, node: ast.AugAssign) -> None:
        name = BINARY.get(type(node.op))
        if name is None:
            raise self.error(node, f"{ast.unparse(node)!r} has no primitive", "multiply in a loop")
        target = node.target
        if isinstance(node.value, ast.Tuple | ast.List) or self.kind(node.value).forms in (
            {"list"},
            {"dict"},
        ):
            raise self.error(node, f"{ast.unparse(node)!r} joins sequences", "append the items one by one")
        if isinstance(target, ast.Name):
            made = self.blocks.prim(name, target.id, self.value(node.value))
            self.blocks.prim("identity", made, to=target.id)
            self.mark(target, target.id)
            return
        old = self.blocks.prim("identity", self.read(target))
        self.rebind(target, self.blocks.prim(name, old, self.value(node.value)))

    # ---- control ----

    def _if(self, node: Any) -> None:
        yes, no, join = PythonBlock(node.lineno), PythonBlock(node.lineno), PythonBlock(_last(node))
        if node.body:
            yes.line = node.body[0].lineno
        self.branch(node.test, yes, no, yes)
        self._statements(node.body)
        self.blocks.end(Go(join), no)
        self._statements(node.orelse)
        self.blocks.end(Go(join), join)

    def _while(self, node: Any) -> None:
        head, body, after = (
            PythonBlock(node.lineno),
            PythonBlock(node.body[0].lineno),
            PythonBlock(_last(node)),
        )
        ends = PythonBlock(node.orelse[0].lineno) if node.orelse else after
        self.blocks.end(Go(head), head)
        if isinstance(node.test, ast.Constant) and node.test.value:
            self.blocks.end(Go(body), body)
        else:
            self.branch(node.test, body, ends, body)
        self._loop(node, head, after, ends)

    def _loop(self, node: Any, again: PythonBlock, after: PythonBlock, ends: PythonBlock) -> None:
        """Write the body of a loop, which goes on with a block, and what comes when it ends by itself."""
        self._loops.append((again, after))
        self._statements(node.body)
        self._loops.pop()
        self.blocks.end(Go(again), ends)
        if ends is not after:
            self._statements(node.orelse)
            self.blocks.end(Go(after), after)

    def _break(self, node: Any) -> None:
        self.blocks.end(Go(self._loops[-1][1]), None)

    def _continue(self, node: Any) -> None:
        self.blocks.end(Go(self._loops[-1][0]), None)

    def _for(self, node: Any) -> None:
        self.refuse_change(node)
        cursor, blocks = self.cursor(node.iter), self.blocks
        head, body = PythonBlock(node.lineno), PythonBlock(node.body[0].lineno)
        again, after = PythonBlock(node.lineno), PythonBlock(_last(node))
        ends = PythonBlock(node.orelse[0].lineno) if node.orelse else after
        blocks.end(Go(head), head)
        blocks.end(BlockBranch(cursor.more(), body, ends), body)
        self._patterns.bind_item(node.target, cursor.item(), only_looks=self.only_looks(node))
        self._loops.append((again, after))
        self._statements(node.body)
        self._loops.pop()
        blocks.end(Go(again), again)
        cursor.step()
        blocks.end(Go(head), ends)
        if ends is not after:
            self._statements(node.orelse)
            blocks.end(Go(after), after)

    # ---- patterns ----

    def _match(self, node: ast.Match) -> None:
        subject = self.blocks.prim("identity", self.value(node.subject))
        join = PythonBlock(_last(node))
        for case in node.cases:
            body, other = PythonBlock(case.body[0].lineno), PythonBlock(case.pattern.lineno)
            self._patterns.fits(case.pattern, subject, self.kind(node.subject), other)
            if case.guard is not None:
                guarded = PythonBlock(case.guard.lineno)
                self.branch(case.guard, guarded, other, guarded)
            self.blocks.end(Go(body), body)
            self._statements(case.body)
            self.blocks.end(Go(join), other)
        self.blocks.end(Go(join), join)

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
        ast.Match: _match,
    }


def _last(node: ast.stmt) -> int:
    """The last line of a statement."""
    return node.end_lineno or node.lineno
