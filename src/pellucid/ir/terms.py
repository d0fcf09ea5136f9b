"""Reads the expressions in the text of nests: the tokens of a line, and the names that have a meaning in it.

A recursive-descent parser with precedences from the operator table, so a new infix row is readable at once. Above it,
`parse` reads statements.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TypeVar

from ..base.errors import PellucidError, TextError, beginning, did_you_mean
from . import expr as E
from . import prim as table
from . import types as T
from .expr import Buffer, Expr
from .verify import verify_iteration

_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+(?:\.\d+)?(?:e[+-]?\d+)?)|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<symbol>:=|<<|>>|<=|>=|==|!=|//|\.\.|[-+*/%<>&|^()\[\],.:=$@]))"
)
Made = TypeVar("Made")
_LITERALS = {"nan": float("nan"), "inf": float("inf")}
_MAX_SHOWN = 100
"""Characters of a line that errors show."""
MAX_DIGITS = 400
"""Digits of a number: the largest f64 has 309."""
MAX_TERMS = 5000
"""Terms within terms that are read."""


class NameScope:
    """The meaning of names while one program is read."""

    def __init__(self, memory: Mapping[str, Buffer]) -> None:
        self.names: dict[str, Expr] = {}
        # Abbreviations, with what their names meant before: a block forgets its own.
        self.brief: list[tuple[str, Expr | None]] = []
        self.buffers: dict[str, Buffer] = dict(memory)
        self.terms = 0

    def leave(self, mark: int) -> None:
        """Forget the abbreviations made since there were so many."""
        while len(self.brief) > mark:
            name, before = self.brief.pop()
            if before is None:
                self.names.pop(name, None)
            else:
                self.names[name] = before


class TokenLine:
    """The tokens of one line, read from left to right."""

    def __init__(self, text: str, number: int, scope: NameScope) -> None:
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
        """Make an error that names the line and shows its beginning."""
        shown = beginning(self.text.strip(), _MAX_SHOWN)
        return TextError(f"{message} in {shown!r}", place=f"line {self.number}", fix=fix)

    def peek(self, ahead: int = 0) -> str:
        """Look at a token without taking it; empty behind the last one."""
        return self.tokens[self.at + ahead][1] if self.at + ahead < len(self.tokens) else ""

    def kind(self) -> str:
        """Kind of the next token: number, name, symbol or end."""
        return self.tokens[self.at][0] if self.at < len(self.tokens) else "end"

    def take(self, expected: str | None = None) -> str:
        """Take the next token, which must be the expected one."""
        token = self.peek()
        if not token or (expected is not None and token != expected):
            raise self.error(f"expected {expected or 'more'!r}, found {token or 'the end'!r}")
        self.at += 1
        return token

    def accept(self, token: str) -> bool:
        """Take the next token if it is that one; true if it was."""
        if self.peek() == token:
            self.at += 1
            return True
        return False

    def done(self) -> None:
        """Refuse whatever is left."""
        if self.peek():
            raise self.error(f"unexpected {self.peek()!r}")

    # ---- expressions ----

    def expression(self, level: int = 0, *, whole: bool = False) -> Expr:
        """A value; `whole` allows an iterate with all its components, for a name that stands for it."""
        self.scope.terms += 1
        if self.scope.terms > MAX_TERMS:
            raise self.error(
                f"more than {MAX_TERMS} terms stand in one another", "name parts of it with ':='"
            )
        found = self.value(level)
        self.scope.terms -= 1
        if found.op == "iterate" and not whole:
            raise self.error("an iterate has components", "write '.0' behind it for the first")
        return found

    def value(self, level: int) -> Expr:
        """Read a choice, or operands joined by operators of that precedence or a higher one."""
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
        """Apply an operator of the table."""
        if any(a.op == "iterate" for a in args):
            raise self.error("an iterate has components", "write '.0' behind it for the first")
        return self.build(lambda: E.apply(name, *args, attr=attr))

    def build(self, make: Callable[[], Made]) -> Made:
        """The result of `make`, or its error with the line."""
        try:
            return make()
        except PellucidError as problem:
            raise self.error(str(problem)) from None

    def name(self) -> str:
        """A name."""
        if self.kind() != "name":
            raise self.error(f"expected a name, found {self.peek() or 'the end'!r}")
        return self.take()

    def whole(self) -> int:
        """A whole number."""
        if not re.fullmatch(r"[0-9]{1,18}", self.peek()):
            raise self.error(f"expected a whole number, found {self.peek() or 'the end'!r}")
        return int(self.take())

    def unary(self) -> Expr:
        """Read a negative number, or a primary with its component."""
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
        """Read the name of a type."""
        name = self.take()
        if name not in T.BY_NAME:
            raise self.error(f"no type is called {name!r}", did_you_mean(name, T.BY_NAME))
        return T.BY_NAME[name]

    def literal(self, *, negative: bool = False) -> Expr:
        """Read a number, with its type perhaps."""
        text = self.take()
        number: float | int
        if text in _LITERALS:
            number, usual = _LITERALS[text], T.f32
        elif len(text) > MAX_DIGITS:
            raise self.error(f"a number of {len(text)} digits fits no type")
        elif re.fullmatch(r"[0-9]+", text):
            number, usual = int(text), T.i32
        elif re.fullmatch(r"[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?", text):
            number, usual = float(text), T.f32
        else:
            raise self.error(f"{text!r} is not a number")
        # A colon may also end the statement.
        type_ = self.type() if self.peek(1) in T.BY_NAME and self.accept(":") else usual
        if type_ is T.boolean or (isinstance(number, float) and not type_.is_float):
            raise self.error(f"{text!r} is no {type_}")
        return E.const(-number if negative else number, type_)

    def primary(self) -> Expr:
        """Read a leaf, a call, an element or what stands in parentheses."""
        if self.accept("("):
            inner = self.expression(whole=True)
            self.take(")")
            return inner
        if self.accept("$"):
            name = self.name()
            self.take(":")
            return E.param(name, self.type())
        if self.accept("%"):
            name = self.name()
            return E.index(name, self.type() if self.accept(":") else T.i32)
        if self.accept("@"):
            depth, _, position = self.take().partition(".")
            if not re.fullmatch(r"[0-9]{1,9}", depth) or not re.fullmatch(r"[0-9]{1,9}", position):
                raise self.error(f"no state is called '@{depth}'")
            self.take(":")
            return E.state(int(depth), int(position), self.type())
        if self.kind() == "number" or self.peek() in _LITERALS:
            return self.literal()
        if self.kind() != "name":
            raise self.error(f"expected a value, found {self.peek() or 'the end'!r}")
        return self.named(self.take())

    def named(self, name: str) -> Expr:
        """Read what begins with a name."""
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
        """Read an iterate behind its first word."""
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
        node = self.build(lambda: E.iterate(init, step, stop, limit, depth))[0].args[0]
        self.build(lambda: verify_iteration(node))
        return node


def _infix() -> dict[str, tuple[str, int]]:
    return {row.symbol[0]: (row.name, row.symbol[1]) for row in table.table().values() if row.symbol}
