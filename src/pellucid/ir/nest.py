"""Nests: loops, conditionals, stores and places around expressions - White's language, typed.

An expression says what is computed; a nest says where and when. `Let(e)` is a *place* ("e is computed here"), not a
binding: it names a node of the DAG, so code moves without renaming, and a misplaced or missing `Let` costs time but
never changes a value. `erase` drops all places, and two nests with equal erasure compute the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from operator import attrgetter
from typing import Any

from ..base.errors import IrError
from ..base.record import record
from . import expr as E
from . import types as T
from .expr import Buffer, Expr


@record
class How:
    """A loop's execution: in order (seq), by `count` lanes, in bands for threads (spread), or in blocks (grid)."""

    kind: str = "seq"
    count: int = 1

    def __post_init__(self) -> None:
        """Check the kind and the count."""
        if self.kind not in ("seq", "lanes", "spread", "grid") or self.count < 1:
            raise IrError(
                f"no way of running a loop is {self.kind}({self.count})", fix="seq, lanes, spread, grid(n)"
            )


SEQ = How()


def lanes(count: int) -> How:
    """Iterations side by side in the lanes of a vector."""
    return How("lanes", count)


def spread(count: int) -> How:
    """Iterations over bands of that many, handed out to threads."""
    return How("spread", count)


@record(eq=False)
class Let:
    """The place where a value is computed."""

    value: Expr


@record(eq=False)
class If:
    """A branch; `selects` are the `choose` nodes on this very condition that it decides (none: White's own `if`)."""

    condition: Expr
    then: Block
    orelse: Block = ()
    selects: tuple[Expr, ...] = ()


@record(eq=False)
class Repeat:
    """The place where an `iterate` is computed; `body` places what its step and stop test need, once per step."""

    value: Expr
    body: Block = ()


@record(eq=False)
class Once:
    """Places that are computed when they are first reached: `values` then stay known for the rest of a run of a loop.

    Of the loops around (For, While and Repeat) the value is the same in the `across` innermost ones; it is forgotten
    when the outermost of them begins. Several statements may keep the same values: the first one that is reached
    computes them.
    """

    across: int
    values: tuple[Expr, ...]
    body: Block


@record(eq=False)
class For:
    """A loop over ``lo <= index < hi``, both fixed at entry."""

    index: Expr
    lo: Expr
    hi: Expr
    body: Block
    how: How = SEQ


@record(eq=False)
class While:
    """A loop as long as a condition holds, asked before each turn: for data that tell on the way how they go on.

    What its turns hand on to each other is in memory, usually scratch memory of one element.
    """

    condition: Expr
    body: Block


@record(eq=False)
class Store:
    """buffer[position] := value; a position outside of the buffer stores nothing."""

    buffer: Buffer
    position: Expr
    value: Expr


@record(eq=False)
class Alloc:
    """Scratch memory for the body, uninitialized: buffers side by side, each with an expression for its size."""

    sizes: Mapping[Buffer, Expr]
    body: Block


@record(eq=False)
class Abstract:
    """Some statement, of which only the name is known: it stands for code that an argument does not look into.

    It sets and uses no variables (White, section 6.1), so moves carry it around; nothing can run it.
    """

    name: str


Statement = Let | If | Repeat | Once | For | While | Store | Alloc | Abstract
Block = tuple[Statement, ...]


@record(eq=False)
class Kernel:
    """A named nest: `params` are its uniforms in order, `outputs` the buffers it stores to."""

    name: str
    params: tuple[Expr, ...]
    outputs: tuple[Buffer, ...]
    body: Block


def roots(statement: Statement) -> tuple[Expr, ...]:
    """The expressions written in the statement itself, not in its blocks."""
    return _ROOTS[type(statement)](statement)


def blocks(statement: Statement) -> tuple[Block, ...]:
    """The blocks inside a statement."""
    return _BLOCKS[type(statement)](statement)


def _no_blocks(_: Statement) -> tuple[Block, ...]:
    return ()


def _body(statement: Repeat | Once | For | While | Alloc) -> tuple[Block, ...]:
    return (statement.body,)


# By class: these two are asked by every walk of every pass.
_ROOTS: Mapping[type, Callable[[Any], tuple[Expr, ...]]] = {
    Let: lambda s: (s.value,),
    If: lambda s: (s.condition, *s.selects),
    Repeat: lambda s: (s.value,),
    Once: attrgetter("values"),
    For: attrgetter("lo", "hi"),
    While: lambda s: (s.condition,),
    Store: attrgetter("position", "value"),
    Alloc: lambda s: tuple(s.sizes.values()),
    Abstract: lambda s: (),
}
_BLOCKS: Mapping[type, Callable[[Any], tuple[Block, ...]]] = {
    **dict.fromkeys((Let, Store, Abstract), _no_blocks),
    **dict.fromkeys((Repeat, Once, For, While, Alloc), _body),
    If: attrgetter("then", "orelse"),
}


def with_blocks(statement: Statement, new: tuple[Block, ...]) -> Statement:
    """The statement with its blocks replaced, in the order of `blocks`."""
    match statement:
        case If():
            return replace(statement, then=new[0], orelse=new[1])
        case Repeat() | Once() | For() | While() | Alloc():
            return replace(statement, body=new[0])
        case _:
            return statement


def walk(block: Block) -> Iterator[Statement]:
    """Every statement of a block and of the blocks inside, outer first."""
    stack = list(reversed(block))
    while stack:
        s = stack.pop()
        yield s
        for inner in reversed(blocks(s)):
            stack.extend(reversed(inner))


def transform(block: Block, function: Callable[[Statement], Block]) -> Block:
    """The block with every statement, innermost first, replaced by what the function makes of it."""
    result: list[Statement] = []
    for s in block:
        inner = blocks(s)
        if inner:
            s = with_blocks(s, tuple(transform(b, function) for b in inner))  # noqa: PLW2901
        result.extend(function(s))
    return tuple(result)


def rewrite(block: Block, function: Callable[[tuple[Expr, ...]], tuple[Expr, ...]]) -> Block:
    """The block with every expression replaced; the function sees the expressions of one statement at a time.

    A place goes with what it is the place of: a `Repeat` whose value becomes something else than an iterate, and
    selects that become something else than choices on the condition.
    """

    def change(s: Statement) -> Block:
        new = function(roots(s))
        match s:
            case Let():
                return (Let(new[0]),)
            case Repeat():
                return (replace(s, value=new[0]),) if new[0].op == "iterate" else ()
            case Once():
                return (replace(s, values=new),)
            case If():
                selects = tuple(p for p in new[1:] if p.op == "choose" and p.args[0] is new[0])
                return (replace(s, condition=new[0], selects=selects),) if selects or not s.selects else ()
            case For():
                return (replace(s, lo=new[0], hi=new[1]),)
            case While():
                return (replace(s, condition=new[0]),)
            case Store():
                return (replace(s, position=new[0], value=new[1]),)
            case Alloc():
                return (replace(s, sizes=dict(zip(s.sizes, new, strict=True))),)
            case Abstract():
                return (s,)

    return transform(block, change)


def all_roots(block: Block) -> list[Expr]:
    """Every expression written anywhere in a block, each once."""
    return list(dict.fromkeys(r for s in walk(block) for r in roots(s)))


def erase(block: Block) -> Block:
    """The block without places: no `Let`, `Repeat` or `Once`, and no `If` that only decides choices.

    An `If` that only asks whether the one loop in it runs goes as well: it guards places.
    """

    def change(s: Statement) -> Block:
        if isinstance(s, Let | Repeat | Once) or (isinstance(s, If) and s.selects):
            return ()
        return s.then if isinstance(s, If) and _only_asks(s) else (s,)

    return transform(block, change)


def _only_asks(s: If) -> bool:
    """Whether a branch without places only asks whether the one loop in it runs."""
    loop = s.then[0] if len(s.then) == 1 and not s.orelse else None
    return isinstance(loop, For) and s.condition.op == "lt" and s.condition.args == (loop.lo, loop.hi)


def is_place(s: Statement) -> bool:
    """Whether a statement only says where values are computed."""
    return isinstance(s, Let | Repeat | Once) or (isinstance(s, If) and bool(s.selects))


def same(a: Block, b: Block) -> bool:
    """Whether two blocks are the same program, node for node."""
    stack = [(a, b)]
    while stack:
        one, other = stack.pop()
        if one is other:
            continue
        if len(one) != len(other):
            return False
        for x, y in zip(one, other, strict=True):
            if not _alike(x, y):
                return False
            stack += zip(blocks(x), blocks(y), strict=True)
    return True


def _alike(a: Statement, b: Statement) -> bool:
    """Whether two statements are the same but for what is in the blocks inside."""
    if type(a) is not type(b) or roots(a) != roots(b):
        return False
    if isinstance(a, Once) and isinstance(b, Once) and a.across != b.across:
        return False
    if isinstance(a, For) and isinstance(b, For) and (a.index is not b.index or a.how != b.how):
        return False
    if isinstance(a, Store) and isinstance(b, Store) and a.buffer is not b.buffer:
        return False
    if isinstance(a, Alloc) and isinstance(b, Alloc) and list(a.sizes) != list(b.sizes):
        return False
    if isinstance(a, Abstract) and isinstance(b, Abstract) and a.name != b.name:
        return False
    return len(blocks(a)) == len(blocks(b))


def uniform(kernel: Kernel, name: str) -> Expr:
    """The parameter of a kernel of that name."""
    for p in kernel.params:
        if p.attr == name:
            return p
    raise IrError(f"has no parameter {name!r}", place=kernel.name)


def inputs(kernel: Kernel) -> list[Buffer]:
    """The buffers that a kernel only loads from, in order of first appearance: what its caller must supply."""
    own = {*kernel.outputs, *scratch(kernel.body)}
    return [b for b in E.buffers(all_roots(kernel.body)) if b not in own]


def scratch(block: Block) -> list[Buffer]:
    """The scratch memory of a block and of the blocks inside, outer first."""
    return [b for s in walk(block) if isinstance(s, Alloc) for b in s.sizes]


def position_type(size: int) -> T.Type:
    """The type of positions in a buffer of that size."""
    return T.i32 if size <= T.i32.high else T.i64
