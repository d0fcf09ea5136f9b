"""Writes kernels as White's s-expressions, such that `reading` gives the same kernel back.

Loop variables are shown under the names that they were given, bounds are inclusive, a comparison begins with the side
that changes with a loop, and ``(in s (s1 s2))`` is found again in the two comparisons that it means.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain, count, starmap

from ...base.deep_stack import with_deep_stack
from ...base.errors import IrError
from ...ir import expr as E
from ...ir import nest as N
from ...ir import prim as rows
from ...ir import types as T
from ...ir.expr import Buffer, Expr, topological
from . import words as W
from .forms import WIDTH, Tree, layout
from .numbers import written

MAX_NODES = 100_000
"""The nodes of an expression that is still written: a shared one grows with every use."""
_PLACE = "s-expressions"
_RENAMED = re.compile(r"(.+)__\d+")


def write(kernel: N.Kernel, width: int = WIDTH) -> str:
    """The program of a kernel: its declarations, then its statements.

    Raises IrError for what the language cannot say: names that are no names in it, and terms that share so much that
    they would not end.

    >>> from .reading import read
    >>> print(write(read("(MakeVariable (h 256)) (for i 0 255 (:= (h i) 0))")), end="")
    (MakeVariable (h 256))
    (for i 0 255 (:= (h i) 0))
    """

    def work() -> str:
        writer = _Writer(kernel.body)
        body = kernel.body
        private: list[Buffer] = []
        while len(body) == 1 and isinstance(body[0], N.Alloc) and all(starmap(_whole, body[0].sizes.items())):
            private += body[0].sizes
            body = body[0].body
        # What a program assigns is its output, in the order of declarations; what it only reads comes behind.
        stored = {s.buffer for s in N.walk(body) if isinstance(s, N.Store)}
        inner = set(N.scratch(kernel.body))
        assigned = [b for b in kernel.outputs if b in stored]
        read = [b for b in E.buffers(N.all_roots(body)) if b not in stored and b not in inner]
        lines = [f"(MakeVariable {writer.declared(b)})" for b in (*assigned, *read)]
        lines += [f"(MakeLocal {writer.declared(b)})" for b in private]
        named = set(E.params(N.all_roots(body)))
        for p in kernel.params:
            if p not in named:
                continue
            if p.type is T.boolean:
                lines.append(f"(MakeAbstractBoolean {_name(p.attr)})")
            else:
                lines.append(
                    f"(MakeAbstractExpression {_name(p.attr)}{'' if p.type is T.i64 else f' {p.type}'})"
                )
        names = dict.fromkeys(s.name for s in N.walk(body) if isinstance(s, N.Abstract))
        lines += [f"(MakeAbstractStatement {_name(name)})" for name in names]
        lines += [layout(writer.statement(s), width) for s in body]
        return "\n".join(lines) + "\n"

    return with_deep_stack(work)


def write_block(block: N.Block, width: int = WIDTH) -> str:
    """The text of statements by themselves, without declarations; an empty block is ``()``.

    Raises IrError as `write` does.
    """
    return with_deep_stack(lambda: layout(_Writer(block).block(block), width))


def write_expression(node: Expr, width: int = WIDTH) -> str:
    """The text of an expression by itself.

    >>> from pellucid.ir.parse import parse_expr
    >>> write_expression(parse_expr("max($a:i64, 0:i64) + 1:i64")[0])
    '(+ (max a 0) 1)'
    """
    return layout(_Writer((N.Let(node),)).expression(node, {}, None), width)


def _name(word: str) -> str:
    why = W.why_no_name(word)
    if why is not None:
        raise IrError(why, place=_PLACE, fix="give it another name")
    return word


def _whole(buffer: Buffer, size: Expr) -> bool:
    return size is E.const(buffer.size, T.i64)


class _Writer:
    """Writes the statements of one block, knowing which buffers are simple variables."""

    def __init__(self, block: N.Block) -> None:
        roots = N.all_roots(block)
        loads = [n for n in topological(roots) if n.op == "load"]
        self.sizes = _sizes(roots)
        self.simple = {b for b in self._buffers(block) if b.size == 1}
        self.simple -= {n.attr for n in loads if not _is_zero(n.args[0])}
        self.simple -= {
            s.buffer for s in N.walk(block) if isinstance(s, N.Store) and not _is_zero(s.position)
        }
        for s in N.walk(block):
            if isinstance(s, N.Alloc):
                self.simple -= {b for b, size in s.sizes.items() if not _is_one(size)}
        self.words = {b.name for b in self._buffers(block) if b not in self.simple}
        self.words |= {n.attr for n in topological(roots) if n.op == "param"}
        self.scalars = {b.name for b in self.simple}

    @staticmethod
    def _buffers(block: N.Block) -> set[Buffer]:
        found = {s.buffer for s in N.walk(block) if isinstance(s, N.Store)}
        return found | set(N.scratch(block)) | set(E.buffers(N.all_roots(block)))

    def declared(self, buffer: Buffer) -> str:
        """A variable as its declaration names it."""
        type_ = "" if buffer.type is T.i64 else f" {buffer.type}"
        if buffer in self.simple:
            return f"{_name(buffer.name)}{type_}"
        return f"({_name(buffer.name)} {buffer.size}){type_}"

    # ---- statements ----

    def block(self, block: N.Block, shown: dict[Expr, str] | None = None) -> Tree:
        """The statements of a block as one form."""
        trees = [self.statement(s, shown) for s in block]
        return trees[0] if len(trees) == 1 else Tree(trees)

    def statement(self, s: N.Statement, shown: dict[Expr, str] | None = None) -> Tree:
        """The form of a statement; `shown` are the names under which the loops around are shown."""
        shown = shown or {}
        match s:
            case N.Abstract(name):
                return Tree(_name(name))
            case N.Store(buffer, position, value):
                target = self.variable(buffer, position, shown)
                return Tree([Tree(":="), target, self.expression(value, shown, buffer.type)])
            case N.Let(value):
                return Tree([Tree("place"), self.expression(value, shown, None)])
            case N.Repeat(value, body):
                return Tree([Tree("repeat"), self.expression(value, shown, None), self.block(body, shown)])
            case N.Once(across, values, body):
                kept = Tree([self.expression(v, shown, None) for v in values])
                return Tree([Tree("once"), Tree(str(across)), kept, self.block(body, shown)])
            case N.If(condition, then, orelse, selects):
                word = "select" if selects else "if"
                parts = [Tree(word), self.expression(condition, shown, None), self.block(then, shown)]
                if orelse or selects:
                    parts.append(self.block(orelse, shown))
                return Tree([*parts, *(self.expression(p, shown, None) for p in selects)])
            case N.For():
                return self.loop(s, shown)
            case N.While(condition, body):
                return Tree([Tree("while"), self.expression(condition, shown, None), self.block(body, shown)])
            case N.Alloc(sizes, body):
                tree = self.block(body, shown)
                for buffer, size in reversed(list(sizes.items())):
                    tree = Tree([Tree("local"), self.local(buffer, size, shown), tree])
                return tree

    def local(self, buffer: Buffer, size: Expr, shown: dict[Expr, str]) -> Tree:
        """Memory for a statement only, as it is declared."""
        type_ = [] if buffer.type is T.i64 else [Tree(str(buffer.type))]
        if buffer in self.simple:
            return Tree([Tree(buffer.name), Tree("1"), *type_]) if type_ else Tree(self.declared(buffer))
        return Tree([Tree(_name(buffer.name)), self.expression(size, shown, T.i64), *type_])

    def loop(self, s: N.For, shown: dict[Expr, str]) -> Tree:
        """The form of a loop."""
        last = W.last_of(s.hi)
        known = next((b.type for b in (s.lo, last) if b.op != "const"), None)
        expected = known or T.i64
        lo, hi = (self.expression(b, shown, expected if b.op == "const" else T.i64) for b in (s.lo, last))
        name = self.shown_name(s, shown)
        body = self.block(s.body, {**shown, s.index: name})
        tree = Tree([Tree("for"), Tree(name), lo, hi, body])
        return tree if s.how.kind == "seq" else Tree([Tree(s.how.kind), Tree(str(s.how.count)), tree])

    def shown_name(self, s: N.For, shown: dict[Expr, str]) -> str:
        """The name that a loop was given, if nothing else that is used in it has that; otherwise a new one."""
        name = str(s.index.attr)
        match = _RENAMED.fullmatch(name)
        given = match[1] if match else name
        taken = self.words | set(shown.values())
        if given in self.scalars:
            # A variable of that name may be assigned in the loop, but then its value is not to be seen there.
            taken |= {n.attr.name for n in topological(N.all_roots(s.body)) if n.op == "load"}
        others = (f"{given}__{k}" for k in count(2))
        return _name(next(word for word in chain((given, name), others) if word not in taken))

    def variable(self, buffer: Buffer, position: Expr, shown: dict[Expr, str]) -> Tree:
        """A simple variable or an array reference."""
        if buffer in self.simple:
            return Tree(_name(buffer.name))
        return Tree([Tree(_name(buffer.name)), self.expression(position, shown, T.i64)])

    # ---- expressions ----

    def expression(self, node: Expr, shown: dict[Expr, str], expected: T.Type | None) -> Tree:
        """The tree of an expression in a place that expects a type; an explicit stack, since these nest deeply."""
        if self.sizes.get(node, 0) > MAX_NODES:
            raise IrError(
                f"an expression has more than {MAX_NODES} terms when nothing is shared",
                place=_PLACE,
                fix="print it by print_nest, which names what is shared",
            )
        done: list[Tree] = []
        stack: list[tuple[Expr, T.Type | None, str | None, int]] = [(node, expected, None, 0)]
        while stack:
            n, wanted, head, arity = stack.pop()
            if head is not None:
                items = done[len(done) - arity :]
                del done[len(done) - arity :]
                if head == "in":
                    items = [items[0], Tree(items[1:])]
                elif n.op == "get":
                    items = [Tree(str(n.attr)), *items]
                elif n.op == "iterate":
                    depth, many = n.attr
                    items = [Tree(str(depth)), Tree(items[:many]), Tree(items[many:-2]), *items[-2:]]
                done.append(Tree([Tree(head), *items]))
            elif not n.args:
                done.append(Tree(self.leaf(n, shown, wanted)))
            elif n.op == "load" and n.attr in self.simple:
                done.append(Tree(_name(n.attr.name)))
            else:
                word, operands, hints = _compound(n, wanted)
                stack.append((n, None, word, len(operands)))
                stack += [(o, h, None, 0) for o, h in zip(reversed(operands), reversed(hints), strict=True)]
        return done[0]

    def leaf(self, node: Expr, shown: dict[Expr, str], expected: T.Type | None) -> str:
        """The word of a leaf."""
        if node.op == "const":
            return written(node, expected)
        if node.op == "state":
            depth, position = node.attr
            return f"@{depth}.{position}:{node.type}"
        return _name(shown.get(node, str(node.attr)))


def _compound(node: Expr, wanted: T.Type | None) -> tuple[str, Sequence[Expr], Sequence[T.Type | None]]:
    """The head, the operands and the types that the operands' places expect, of a node that is no leaf."""
    args = node.args
    if node.op == "load":
        return _name(node.attr.name), args, [T.i64]
    if node.op == "get":
        return "get", args, [None]
    if node.op == "iterate":
        return "iterate", args, [*[None] * (len(args) - 1), T.i32]
    inside = _subrange(node)
    if inside is not None:
        known = next((a.type for a in inside if a.op != "const"), None)
        return "in", inside, [known if a.op == "const" else None for a in inside]
    row = rows.row(node.op)
    known = [None if a.op == "const" else a.type for a in args]
    # A number takes the type of its neighbors; an operand passes on to its own numbers what is wanted of the whole.
    hints: list[T.Type | None] = []
    for letter, a in zip(row.letters, args, strict=True):
        passed = wanted if row.result == letter else None
        hints.append(W.literal_type(letter, row, known, wanted) if a.op == "const" else passed)
    word = W.SYMBOLS.get(node.op, node.op)
    if row.result == "@":
        word = f"{word}.{node.type}"
    for symbol, (name, swapped) in W.COMPARISONS.items():
        if name == node.op and swapped == (_comes_first(args[1], args[0]) and node.op in ("lt", "le")):
            word = symbol
            if swapped:
                args, hints = args[::-1], hints[::-1]
            break
    return word, args, hints


def _comes_first(a: Expr, b: Expr) -> bool:
    """Whether a comparison reads better with `a` on the left than with `b`: what changes comes first."""
    return (bool(a.free), a.op != "const") > (bool(b.free), b.op != "const")


def _subrange(node: Expr) -> tuple[Expr, Expr, Expr] | None:
    """The value and the limits of ``low <= s and s <= high``."""
    if node.op != "and" or any(a.op != "le" for a in node.args):
        return None
    (low, s), (again, high) = (a.args for a in node.args)
    return (s, low, high) if s is again else None


def _sizes(roots: Sequence[Expr]) -> dict[Expr, int]:
    found: dict[Expr, int] = {}
    for n in topological(roots):
        found[n] = min(1 + sum(found[a] for a in n.args), 10 * MAX_NODES)
    return found


def _is_zero(e: Expr) -> bool:
    return e.op == "const" and e.attr == 0 and e.type is T.i64


def _is_one(e: Expr) -> bool:
    return e.op == "const" and e.attr == 1 and e.type is T.i64
