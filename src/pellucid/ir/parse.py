"""Parses the text of expressions and nests back to the identical nodes that `text` printed.

A recursive-descent parser with precedences from the operator table, so a new infix row is readable at once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TypeVar

from ..base.errors import PellucidError, TextError, TraceError, did_you_mean
from ..base.room import with_room
from . import expr as E
from . import nest as N
from . import prim as table
from . import types as T
from .expr import Buffer, Expr

_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+(?:\.\d+)?(?:e[+-]?\d+)?)|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<symbol>:=|<<|>>|<=|>=|==|!=|//|\.\.|[-+*/%<>&|^()\[\],.:=$@]))"
)
Made = TypeVar("Made")
_LITERALS = {"nan": float("nan"), "inf": float("inf")}


class _Scope:
    """What names mean while one program is read."""

    def __init__(self, memory: Mapping[str, Buffer]) -> None:
        self.names: dict[str, Expr] = {}
        self.buffers: dict[str, Buffer] = dict(memory)


class _Line:
    """The tokens of one line, read from left to right."""

    def __init__(self, text: str, number: int, scope: _Scope) -> None:
        self.scope, self.number, self.text, self.at = scope, number, text, 0
        self.tokens: list[tuple[str, str]] = []
        place = 0
        text = text.rstrip()
        while place < len(text):
            match = _TOKEN.match(text, place)
            if match is None:
                raise self.error(f"{text[place:].strip()[:10]!r} is not a token")
            self.tokens.append((str(match.lastgroup), match.group(str(match.lastgroup))))
            place = match.end()

    def error(self, message: str, fix: str | None = None) -> TextError:
        return TextError(f"{message} in {self.text.strip()!r}", place=f"line {self.number}", fix=fix)

    def peek(self, ahead: int = 0) -> str:
        return self.tokens[self.at + ahead][1] if self.at + ahead < len(self.tokens) else ""

    def kind(self) -> str:
        return self.tokens[self.at][0] if self.at < len(self.tokens) else "end"

    def take(self, expected: str | None = None) -> str:
        token = self.peek()
        if not token or (expected is not None and token != expected):
            raise self.error(f"expected {expected or 'more'!r}, found {token or 'the end'!r}")
        self.at += 1
        return token

    def accept(self, token: str) -> bool:
        if self.peek() == token:
            self.at += 1
            return True
        return False

    def done(self) -> None:
        if self.peek():
            raise self.error(f"unexpected {self.peek()!r}")

    # ---- expressions ----

    def expression(self, level: int = 0) -> Expr:
        if self.accept("if"):
            condition = self.expression(1)
            self.take("then")
            then = self.expression(1)
            self.take("else")
            return self.apply("choose", condition, then, self.expression(1))
        left = self.unary()
        while (row := _infix().get(self.peek())) is not None and row[1] >= level:
            name, own = row
            self.take()
            left = self.apply(name, left, self.expression(own + 1))
        return left

    def apply(self, name: str, *args: Expr, attr: T.Type | None = None) -> Expr:
        return self.build(lambda: E.apply(name, *args, attr=attr))

    def build(self, make: Callable[[], Made]) -> Made:
        """What is made, or the maker's complaint with the line."""
        try:
            return make()
        except PellucidError as problem:
            raise self.error(str(problem)) from None

    def whole(self) -> int:
        """A whole number."""
        if not re.fullmatch(r"\d{1,18}", self.peek()):
            raise self.error(f"expected a whole number, found {self.peek() or 'the end'!r}")
        return int(self.take())

    def unary(self) -> Expr:
        if self.accept("-"):
            return self.literal(negative=True)
        node = self.primary()
        while self.peek() == "." and self.peek(1).isdigit():
            self.take()
            position = self.whole()
            if node.op != "iterate" or position >= node.attr[1]:
                raise self.error(f"there is no component {position}")
            node = E.get(node, position)
        return node

    def type(self) -> T.Type:
        name = self.take()
        if name not in T.BY_NAME:
            raise self.error(f"no type is called {name!r}", did_you_mean(name, T.BY_NAME))
        return T.BY_NAME[name]

    def literal(self, *, negative: bool = False) -> Expr:
        text = self.take()
        number: float | int
        if text in _LITERALS:
            number, usual = _LITERALS[text], T.f32
        elif re.fullmatch(r"\d+", text):
            number, usual = int(text), T.i32
        elif re.fullmatch(r"[\d.e+-]+", text):
            number, usual = float(text), T.f32
        else:
            raise self.error(f"{text!r} is not a number")
        # A colon may also end the statement.
        type_ = self.type() if self.peek(1) in T.BY_NAME and self.accept(":") else usual
        return E.const(-number if negative else number, type_)

    def primary(self) -> Expr:
        if self.accept("("):
            inner = self.expression()
            self.take(")")
            return inner
        if self.accept("$"):
            name = self.take()
            self.take(":")
            return E.param(name, self.type())
        if self.accept("%"):
            name = self.take()
            return E.index(name, self.type() if self.accept(":") else T.i32)
        if self.accept("@"):
            depth, _, position = self.take().partition(".")
            if not re.fullmatch(r"\d{1,9}", depth) or not re.fullmatch(r"\d{1,9}", position):
                raise self.error(f"no state is called '@{depth}'")
            self.take(":")
            return E.state(int(depth), int(position), self.type())
        if self.kind() == "number" or self.peek() in _LITERALS:
            return self.literal()
        return self.named(self.take())

    def named(self, name: str) -> Expr:
        if name in ("true", "false"):
            return E.const(name == "true", T.boolean)
        if name == "iterate":
            return self.iterate()
        if name in self.scope.buffers and self.accept("["):
            position = self.expression()
            self.take("]")
            return self.build(lambda: E.load(self.scope.buffers[name], position))
        attr = None
        if self.peek() == "." and not self.peek(1).isdigit():
            self.take()
            attr = self.type()
        if self.accept("("):
            args: list[Expr] = []
            while not self.accept(")"):
                args.append(self.expression())
                if self.peek() != ")":
                    self.take(",")
            return self.apply(name, *args, attr=attr)
        if name not in self.scope.names:
            raise self.error(f"{name!r} has no meaning here", did_you_mean(name, self.scope.names))
        return self.scope.names[name]

    def iterate(self) -> Expr:
        depth = self.whole()

        def group() -> list[Expr]:
            self.take("(")
            found = [self.expression()]
            while self.accept(","):
                found.append(self.expression())
            self.take(")")
            return found

        init = group()
        self.take("to")
        step = group()
        self.take("until")
        stop = self.expression()
        self.take("limit")
        limit = self.expression()
        self.take("end")
        return self.build(lambda: E.iterate(init, step, stop, limit, depth))[0].args[0]


def _infix() -> dict[str, tuple[str, int]]:
    return {row.symbol[0]: (row.name, row.symbol[1]) for row in table.table().values() if row.symbol}


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
        return with_room(lambda: _roots(text, _Scope(memory or {})))
    except TraceError:
        raise _too_deep() from None


def _too_deep() -> TextError:
    return TextError("it is nested too deeply to be read", fix="name parts of it with ':='")


def _roots(text: str, scope: _Scope) -> list[Expr]:
    roots: list[Expr] = []
    for _, number, bare in _lines(text):
        line = _Line(bare, number, scope)
        if line.accept("buffer"):
            _declare(line)
        elif line.peek(1) == ":=":
            name = line.take()
            line.take(":=")
            scope.names[name] = line.expression()
        else:
            roots.append(line.expression())
        line.done()
    return roots


def _declare(line: _Line) -> Buffer:
    name = line.take()
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
        return with_room(lambda: _NestParser(text, _Scope(memory or {})).kernel())
    except TraceError:
        raise _too_deep() from None


class _NestParser:
    """Reads statements by indentation."""

    def __init__(self, text: str, scope: _Scope) -> None:
        self.lines, self.scope, self.at = _lines(text), scope, 0

    def kernel(self) -> N.Kernel:
        if not self.lines:
            raise TextError("there is no kernel in an empty text", fix="start with 'kernel NAME(...):'")
        head = self.line()
        head.take("kernel")
        name = head.take()
        head.take("(")
        params: list[Expr] = []
        while not head.accept(")"):
            p = head.take()
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

    def line(self) -> _Line:
        _, number, bare = self.lines[self.at]
        self.at += 1
        return _Line(bare, number, self.scope)

    def allocation(self, line: _Line, indent: int) -> N.Alloc:
        """Scratch arrays side by side, a line each, of which the last opens the block."""
        sizes: dict[Buffer, Expr] = {}
        while True:
            name = line.take()
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

    def block(self, outer: int) -> N.Block:
        found: list[N.Statement] = []
        if self.at >= len(self.lines) or self.lines[self.at][0] <= outer:
            return ()
        indent = self.lines[self.at][0]
        while self.at < len(self.lines) and self.lines[self.at][0] == indent:
            statement = self.statement(indent)
            if statement is not None:
                found.append(statement)
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
            name = line.take()
            line.done()
            return N.Abstract(name)
        if line.accept("alloc"):
            return self.allocation(line, indent)
        if line.accept("repeat"):
            name = line.take()
            line.take("=")
            self.scope.names[name] = line.expression()
            line.take(":")
            return N.Repeat(self.scope.names[name], self.block(indent))
        if line.peek(1) in ("=", ":="):
            name, mark = line.take(), line.take()
            value = self.scope.names[name] = line.expression()
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

    def once(self, line: _Line, indent: int) -> N.Once:
        line.take("in")
        across = line.whole()
        line.take("loop" if across == 1 else "loops")
        names: list[str] = []
        while line.accept(","):
            if not names:
                line.take("keep")
            names.append(line.take())
        line.take(":")
        line.done()
        body = self.block(indent)
        for name in names:
            if name not in self.scope.names:
                raise line.error(f"{name!r} is no value of the block", "keep what is computed in it")
        return N.Once(across, tuple([self.scope.names[name] for name in names]), body)

    def loop(self, line: _Line, indent: int) -> N.For:
        line.take("for")
        name = line.take()
        index = E.index(name, line.type() if line.accept(":") else T.i32)
        line.take("in")
        lo = line.expression()
        line.take("..")
        hi = line.expression()
        how = N.SEQ
        if line.accept("by"):
            count = line.whole()
            how = line.build(lambda: N.lanes(count))
            line.take("lanes")
        elif line.accept("spread"):
            for word in ("over", "bands", "of"):
                line.take(word)
            count = line.whole()
            how = line.build(lambda: N.spread(count))
        line.take(":")
        outer = self.scope.names.get(name)
        self.scope.names[name] = index
        body = self.block(indent)
        if outer is None:
            del self.scope.names[name]
        else:
            self.scope.names[name] = outer
        return N.For(index, lo, hi, body, how)

    def branch(self, line: _Line, indent: int) -> N.If:
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
        picks: list[Expr] = []
        while self.at < len(self.lines) and self.lines[self.at][0] == indent:
            if self.lines[self.at][2].startswith("pick "):
                next_line = self.line()
                next_line.take("pick")
                name = next_line.take()
                next_line.take("=")
                picks.append(next_line.expression())
                self.scope.names[name] = picks[-1]
            elif picks or not re.match(r"s\d+ := ", self.lines[self.at][2]) or not self._picks_follow(indent):
                break
            else:
                self.statement(indent)
        return N.If(condition, then, orelse, tuple(picks))

    def _picks_follow(self, indent: int) -> bool:
        for depth, _, bare in self.lines[self.at :]:
            if depth != indent:
                return False
            if not re.match(r"s\d+ := ", bare):
                return bare.startswith("pick ")
        return False
