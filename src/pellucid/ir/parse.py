"""Parses the text of expressions and nests back to the identical nodes that `text` printed.

Statements are read by their indentation, here; their expressions in `terms`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial

from ..base.deep_stack import with_deep_stack
from ..base.errors import TextError, TraceError
from . import expr as E
from . import nest as N
from . import types as T
from .expr import Buffer, Expr
from .terms import NameScope, TokenLine

MAX_BLOCKS = 4000
"""Blocks within blocks that are read: the stack of `with_deep_stack` has space for them."""


def _lines(text: str) -> list[tuple[int, int, str]]:
    """Indentation, line number and text of each line that is not blank or a comment (``;`` or ``#``)."""
    found: list[tuple[int, int, str]] = []
    for number, line in enumerate(text.splitlines(), 1):
        bare = line.strip()
        if bare and not bare.startswith((";", "#")):
            found.append((len(line) - len(line.lstrip()), number, bare))
    return found


def parse_expr(text: str, memory: Mapping[str, Buffer] | None = None) -> list[Expr]:
    """The expressions of a text, one per line that is not a definition; buffers may be given by name.

    Raises TextError, which names the line.

    >>> parse_expr("$x:f32 * $x:f32 + 1.0")
    [$x:f32 * $x:f32 + 1.0]
    """
    try:
        return with_deep_stack(lambda: _roots(text, NameScope(memory or {})))
    except TraceError:
        raise _too_deep() from None


def _too_deep() -> TextError:
    return TextError("it is nested too deeply to be read", fix="name parts of it with ':='")


def _roots(text: str, scope: NameScope) -> list[Expr]:
    roots: list[Expr] = []
    for _, number, bare in _lines(text):
        line = TokenLine(bare, number, scope)
        if line.accept("buffer"):
            _declare(line)
        elif line.peek(1) == ":=":
            name = line.name()
            line.take(":=")
            scope.names[name] = line.expression(whole=True)
        else:
            roots.append(line.expression(whole=True))
        line.done()
    return roots


def _declare(line: TokenLine) -> Buffer:
    name = line.name()
    line.take(":")
    type_ = line.type()
    line.take("[")
    size = line.whole()
    line.take("]")
    known = line.scope.buffers.get(name)
    if known is None or known.type is not type_ or known.size != size:
        known = line.scope.buffers[name] = line.build(lambda: Buffer(name, type_, size))
    return known


def parse_nest(text: str, memory: Mapping[str, Buffer] | None = None) -> N.Kernel:
    """The kernel of a text; `memory` gives buffers by name, so that the very same ones are used.

    Raises TextError, which names the line.
    """
    try:
        return with_deep_stack(lambda: _NestParser(text, NameScope(memory or {})).kernel())
    except TraceError:
        raise _too_deep() from None


class _NestParser:
    """Reads statements by indentation."""

    def __init__(self, text: str, scope: NameScope) -> None:
        self.lines, self.scope, self.at, self.depth = _lines(text), scope, 0, 0

    def kernel(self) -> N.Kernel:
        if not self.lines:
            raise TextError("there is no kernel in an empty text", fix="start with 'kernel NAME(...):'")
        head = self.line()
        head.take("kernel")
        name = head.name()
        head.take("(")
        params: list[Expr] = []
        while not head.accept(")"):
            p = head.name()
            head.take(":")
            params.append(E.param(p, head.type()))
            self.scope.names[p] = params[-1]
            if head.peek() != ")":
                head.take(",")
        head.take(":")
        head.done()
        outputs: list[Buffer] = []
        while self.at < len(self.lines) and self.lines[self.at][2].startswith(("output ", "input ")):
            line = self.line()
            kind = line.take()
            buffer = _declare(line)
            if kind == "output":
                outputs.append(buffer)
            line.done()
        body = self.block(0)
        if self.at < len(self.lines):
            raise self.line().error("this line is not indented like a statement")
        return N.Kernel(name, tuple(params), tuple(outputs), body)

    def line(self) -> TokenLine:
        _, number, bare = self.lines[self.at]
        self.at += 1
        return TokenLine(bare, number, self.scope)

    def allocation(self, line: TokenLine, indent: int) -> N.Alloc:
        """Scratch arrays side by side, a line each, of which the last opens the block."""
        sizes: dict[Buffer, Expr] = {}
        while True:
            name = line.name()
            line.take(":")
            type_ = line.type()
            line.take("[")
            size = line.expression()
            line.take("]")
            # How much a size that only the run knows may be is left open.
            most = size.attr if size.op == "const" and size.attr >= 1 else int(T.i32.high)
            buffer = self.scope.buffers.setdefault(name, Buffer(name, type_, most))
            if buffer in sizes:
                raise line.error(f"{name} is allocated twice", "give each its own name")
            sizes[buffer] = size
            if line.accept(":"):
                return N.Alloc(sizes, self.block(indent))
            line.done()
            if self.at == len(self.lines) or self.lines[self.at][0] != indent:
                raise line.error("the last array of some has ':', and behind it what uses them", "write ':'")
            line = self.line()
            line.take("alloc")

    def block(self, outer: int, ending: Callable[[], None] = lambda: None) -> N.Block:
        """The statements further in than `outer`; `ending` reads what calls things by the names given among them."""
        found: list[N.Statement] = []
        mark = len(self.scope.brief)
        if self.at >= len(self.lines) or self.lines[self.at][0] <= outer:
            ending()
            return ()
        indent = self.lines[self.at][0]
        self.depth += 1
        if self.depth > MAX_BLOCKS:
            raise self.line().error(
                f"statements are nested more than {MAX_BLOCKS} deep", "move them outwards"
            )
        while self.at < len(self.lines) and self.lines[self.at][0] == indent:
            statement = self.statement(indent)
            if statement is not None:
                found.append(statement)
        self.depth -= 1
        ending()
        self.scope.leave(mark)
        return tuple(found)

    def statement(self, indent: int) -> N.Statement | None:
        line = self.line()
        first = line.peek()
        if first == "pass":
            return None
        if first == "for":
            return self.loop(line, indent)
        if first == "if":
            return self.branch(line, indent)
        if line.accept("while"):
            condition = line.expression()
            line.take(":")
            line.done()
            return N.While(condition, self.block(indent))
        if first == "once" and line.peek(1) == "in":
            line.take("once")
            return self.once(line, indent)
        if line.accept("abstract"):
            name = line.name()
            line.done()
            return N.Abstract(name)
        if line.accept("alloc"):
            return self.allocation(line, indent)
        if line.accept("repeat"):
            return self.repeat(line, indent)
        if line.peek(1) in ("=", ":="):
            name, mark = line.name(), line.take()
            value = line.expression(whole=mark == ":=")
            if mark == ":=":
                self.scope.brief.append((name, self.scope.names.get(name)))
            self.scope.names[name] = value
            line.done()
            return N.Let(value) if mark == "=" else None
        buffer = self.scope.buffers.get(line.take())
        if buffer is None:
            raise line.error(f"{first!r} is neither a statement nor a buffer")
        line.take("[")
        position = line.expression()
        line.take("]")
        line.take(":=")
        value = line.expression()
        line.done()
        return N.Store(buffer, position, value)

    def once(self, line: TokenLine, indent: int) -> N.Once:
        line.take("in")
        across = line.whole()
        line.take("loop" if across == 1 else "loops")
        names: list[str] = []
        while line.accept(","):
            if not names:
                line.take("keep")
            names.append(line.name())
        line.take(":")
        line.done()
        body = self.block(indent)
        for name in names:
            if name not in self.scope.names:
                raise line.error(f"{name!r} is no value of the block", "keep what is computed in it")
        return N.Once(across, tuple([self.scope.names[name] for name in names]), body)

    def repeat(self, line: TokenLine, indent: int) -> N.Repeat:
        """The place of an iterate, whose line is read behind its body: it calls the step by the names given there."""
        name = line.name()
        line.take("=")
        found: list[Expr] = []

        def head() -> None:
            value = line.expression(whole=True)
            if value.op != "iterate":
                raise line.error("'repeat' is the place of an iterate", "write '=' without it")
            line.take(":")
            line.done()
            self.scope.names[name] = value
            found.append(value)

        body = self.block(indent, head)
        return N.Repeat(found[0], body)

    def loop(self, line: TokenLine, indent: int) -> N.For:
        line.take("for")
        name = line.name()
        index = E.index(name, line.type() if line.accept(":") else T.i32)
        line.take("in")
        lo = line.expression()
        line.take("..")
        hi = line.expression()
        how = N.SEQ
        if line.accept("by"):
            how = line.build(partial(N.lanes, line.whole()))
            line.take("lanes")
        elif line.accept("spread"):
            for word in ("over", "bands", "of"):
                line.take(word)
            how = line.build(partial(N.spread, line.whole()))
        elif line.accept("on"):
            for word in ("a", "grid", "in", "blocks", "of"):
                line.take(word)
            how = line.build(partial(N.How, "grid", line.whole()))
        line.take(":")
        outer = self.scope.names.get(name)
        self.scope.names[name] = index
        body = self.block(indent)
        if outer is None:
            del self.scope.names[name]
        else:
            self.scope.names[name] = outer
        return N.For(index, lo, hi, body, how)

    def branch(self, line: TokenLine, indent: int) -> N.If:
        line.take("if")
        condition = line.expression()
        line.take(":")
        then = self.block(indent)
        orelse: N.Block = ()
        if (
            self.at < len(self.lines)
            and self.lines[self.at][0] == indent
            and self.lines[self.at][2] == "else:"
        ):
            self.at += 1
            orelse = self.block(indent)
        selects: list[Expr] = []
        while self.at < len(self.lines) and self.lines[self.at][0] == indent:
            if self.lines[self.at][2].startswith("select "):
                next_line = self.line()
                next_line.take("select")
                name = next_line.name()
                next_line.take("=")
                selects.append(next_line.expression())
                self.scope.names[name] = selects[-1]
            elif (
                selects
                or not re.match(r"s\d+ := ", self.lines[self.at][2])
                or not self._selects_follow(indent)
            ):
                break
            else:
                self.statement(indent)
        return N.If(condition, then, orelse, tuple(selects))

    def _selects_follow(self, indent: int) -> bool:
        for depth, _, bare in self.lines[self.at :]:
            if depth != indent:
                return False
            if not re.match(r"s\d+ := ", bare):
                return bare.startswith("select ")
        return False
