"""Search: the best program that moves lead to, found without being told which (White, section 7.2).

A beam: of all programs that one more move makes of those in the beam, the cheapest by the timer stay, even where all of
them cost more than what they came from, for many a good thing is on the far side of something worse. What comes out is
a path of moves, each with its proof, that can be made again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ...base.errors import IrError
from ...base.record import record
from ...ir.expr import Expr
from ...ir.facts import Facts
from ...ir.nest import Abstract, Alloc, Block, For, Kernel, Statement, Store, blocks, roots, walk
from ...ir.path import Path
from ...reasoning.prove import Proved
from ...reasoning.timer import kernel_cost
from ..core.ledger import Ledger
from ..core.registry import moves, named
from ..core.tactic import State, make
from .strategies import simplify_expressions, statement_simplify

ARRANGING = frozenset(
    {
        *("place", "hoist", "share", "tabulate"),
        *(
            "lanes",
            "spread",
            "grid",
            "strip_mine",
            "tile",
            "unroll_and_jam",
            "split_range",
            "peel",
            "coalesce",
            "privatize",
        ),
    }
)
"""Moves that say where and how things run and not what, or cut loops for it; they come after everything else."""
BULK = 1.02
"""Factor of the cost of a program for each further statement: code has its price, and copies of a body gain little."""
Timer = Callable[[Kernel], float]
Progress = Callable[["Seen"], None]


@record
class Seen:
    """The progress of a search: moves deep, programs looked at, seconds gone, and the cost of the best by the timer."""

    depth: int
    programs: int
    seconds: float
    cost: float


@record
class Found:
    """The best program that a search came upon, and the moves that lead there.

    state     the program with its ledger, which can be replayed.
    cost      by the timer, of the program that it began with and of the best.
    programs  how many different programs were looked at.
    complete  that the time did not run out, which is the only thing that could make two searches differ.
    """

    state: State
    cost: tuple[float, float]
    programs: int
    complete: bool


@record
class _Node:
    """A program of the search, how good it is, when it was found, and the moves that made it."""

    kernel: Kernel
    cost: float
    order: int
    steps: tuple[tuple[str, Path], ...] = ()

    def rank(self) -> tuple[float, int]:
        """Better programs come first."""
        return (self.cost * BULK ** sum(1 for _ in walk(self.kernel.body)), self.order)


def search(
    kernel: Kernel,
    ranges: Mapping[Expr, Facts] | None = None,
    *,
    timer: Timer = kernel_cost,
    among: Sequence[str] | None = None,
    options: Mapping[str, Mapping[str, Any]] | None = None,
    width: int = 4,
    depth: int = 16,
    patience: int = 5,
    programs: int = 5000,
    seconds: float = 30.0,
    progress: Progress | None = None,
) -> Found:
    r"""The best program that moves make of a kernel, as far as a beam of `width` programs shows it.

    Parameters: `among` names the moves to try, all but those that only arrange things if not given, with `options` for
    some of them. The search ends `depth` moves deep, or after so many moves without anything better as `patience` says,
    so many different `programs`, or so many `seconds`. `progress` is told after each level.

    >>> from pellucid.ir.parse import parse_nest
    >>> text = "kernel k():\n  output a: i32[9]\n  for i in 0 .. 9:\n    if i < 2:\n      a[i] := 1\n"
    >>> found = search(parse_nest(text), among=["join_conditional", "split_loop"])
    >>> [step.move for step in found.state.ledger.steps]
    ['join_conditional', 'simplify']
    """
    names = sorted(moves().keys() - ARRANGING) if among is None else list(among)
    begin = time.monotonic()
    start = statement_simplify(State(kernel, ranges or {}, Ledger()))
    root = _Node(start.kernel, timer(start.kernel), 0)
    best, beam, known = root, [root], {identity(root.kernel)}
    late = False
    for level in range(1, depth + 1):
        found: list[_Node] = []
        for node in beam:
            for made, step in _after(node.kernel, start.ranges, names, options or {}):
                key = identity(made)
                if key not in known and not late and len(known) < programs:
                    known.add(key)
                    found.append(_Node(made, timer(made), len(known), (*node.steps, step)))
                late = late or time.monotonic() - begin > seconds
                if late or len(known) >= programs:
                    break
        beam = sorted(found, key=_Node.rank)[:width]
        best = min((best, *beam), key=_Node.rank)
        if progress is not None:
            progress(Seen(level, len(known), time.monotonic() - begin, best.cost))
        if not beam or late or len(known) >= programs or level - len(best.steps) >= patience:
            break
    state = replayed(start, best.steps, options or {})
    return Found(state, (root.cost, best.cost), len(known), not late)


def _after(
    kernel: Kernel,
    ranges: Mapping[Expr, Facts],
    names: Sequence[str],
    options: Mapping[str, Mapping[str, Any]],
) -> Iterator[tuple[Kernel, tuple[str, Path]]]:
    """Every program that one move makes, in simplest form, with the move and its path."""
    for name in names:
        move, words = named(name), options.get(name, {})
        for path in move.find(kernel, **words):
            if isinstance(move.check(kernel, path, ranges=ranges, **words), Proved):
                made = move.apply(kernel, path, ranges=ranges, **words).kernel
                yield simplify_expressions(State(made, ranges, Ledger())).kernel, (name, path)


def replayed(
    state: State, steps: Sequence[tuple[str, Path]], options: Mapping[str, Mapping[str, Any]]
) -> State:
    """The state after the moves of a path, each checked again, with expressions simplified after each.

    Raises IrError when a move is not proved where it was.
    """
    for name, path in steps:
        new, done = make(state, named(name), path, **options.get(name, {}))
        if not done:
            raise IrError("is not proved again", place=f"{name} at {path}", fix="search again")
        state = simplify_expressions(new)
    return state


def identity(kernel: Kernel) -> tuple[Any, ...]:
    """A key that two kernels share if they are the same program, node for node.

    >>> identity(Kernel("one", (), (), ())) == identity(Kernel("other", (), (), ()))
    True
    """
    return (kernel.outputs, _block(kernel.body))


def _block(block: Block) -> tuple[Any, ...]:
    return tuple(_statement(s) for s in block)


def _statement(s: Statement) -> tuple[Any, ...]:
    own: tuple[Any, ...] = ()
    match s:
        case For(index, _, _, _, how):
            own = (index, how)
        case Store(buffer):
            own = (buffer,)
        case Alloc(sizes):
            own = tuple(sizes)
        case Abstract(name):
            own = (name,)
        case _:
            pass
    return (type(s), *own, *roots(s), *(_block(b) for b in blocks(s)))
