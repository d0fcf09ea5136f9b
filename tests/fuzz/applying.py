"""Every move with every option worth trying at every place of a program: what fuzzers and mutations of clauses share.

for a in applications(kernel, RANGES):
    print(a.move, a.path, a.options, a.kernel)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pellucid.ir.expr import Expr
from pellucid.ir.facts import Facts
from pellucid.ir.nest import Alloc, For, Kernel, Store, walk
from pellucid.ir.parse import parse_expr
from pellucid.ir.path import Path
from pellucid.ir.path import walk as paths
from pellucid.loops.core.move import Move
from pellucid.loops.core.options import options as own_options
from pellucid.loops.core.registry import moves, named
from pellucid.loops.core.tactic import extended
from pellucid.loops.core.theorem import Site
from pellucid.reasoning.prove import Proved

Options = Mapping[str, Any]
FIXED: Mapping[str, Sequence[Options]] = {
    "lanes": [{"count": n} for n in (1, 2, 3, 16)],
    "peel": [{"side": side} for side in ("front", "back")],
    "place": [{}, {"hoist": False}, {"threshold": 0.0}],
    "privatize": [{}],
    "roll": [{"end": end} for end in ("last", "first")],
    "roll_all": [{"period": n} for n in (1, 2)],
    "split_if": [{"first": arm} for arm in ("then", "else")],
    "split_range": [{"cuts": cuts} for cuts in ((1,), (0,), (1, 2), (2,), (3, 3), ())],
    "spread": [{"band": n} for n in (1, 3)],
    "strip_mine": [{"size": n} for n in (1, 2, 3, 16)],
    "tile": [{"rows": m, "columns": n} for m, n in ((2, 2), (1, 3), (16, 1))],
    "unroll": [{"end": end, "tested": tested} for end in ("last", "first") for tested in (False, True)],
    "unroll_all": [{}, {"most": 2}],
    "unroll_and_jam": [{"factor": n} for n in (2, 3)],
    "look_up": [{"dear": 2.0}, {}],
    "tabulate": [{"dear": 2.0}, {}],
}
"""The options of moves whose options are numbers and words."""
HOSTILE = (0, -1, 2**31 - 1, 2**31, -(2**31), 2**40, 2**63)
"""Numbers for options at which a move is refused, if it is, for a reason that it names."""
WHOLE = ("place", "inline_array", "eliminate_dead", "look_up")
"""Moves whose place is the whole kernel."""


@dataclass(frozen=True, slots=True)
class Application:
    """A move that was proved at a place, the program that it made, and what is known of that."""

    move: str
    path: Path
    options: Options
    kernel: Kernel
    ranges: Mapping[Expr, Facts]

    def __str__(self) -> str:
        """The move and its options, as `named_moves` reads them."""
        return written(self.move, self.options)


def written(move: str, options: Options) -> str:
    """A move with its options in a line without spaces in them.

    >>> written("tile", {"rows": 2, "columns": 3})
    'tile rows=2 columns=3'
    """
    return " ".join([move, *(f"{name}={value!r}".replace(" ", "") for name, value in options.items())])


def words(move: str, kernel: Kernel) -> list[Options]:
    """The options worth trying for a move on a kernel."""
    found: list[Options] = list(FIXED.get(move, [{}]))
    if move in ("eliminate_induction", "replace_scalar", "privatize", "contract_array"):
        name = "array" if move == "contract_array" else "buffer"
        found += [{name: b} for b in _stored(kernel)]
    if move == "eliminate_dead":
        outputs = [b.name for b in kernel.outputs]
        found += [{"live": (name,)} for name in outputs]
    if move == "inline_array":
        found = [{"array": b.name} for s in walk(kernel.body) if isinstance(s, Alloc) for b in s.sizes]
    if move == "privatize":
        for s in walk(kernel.body):
            if isinstance(s, For):
                i = repr(s.index)
                found += [{"by": (i,)}, {"by": (f"{i} % 2:{s.index.type}", i)}]
    if move == "eliminate_redundant":
        found.append({"count": 2})
    return found


def hostile(move: Move) -> Iterator[Options]:
    """Options with numbers that no place fits."""
    for name, default in own_options(move).items():
        if isinstance(default, int) and not isinstance(default, bool):
            for value in HOSTILE:
                yield {name: value}
    if move.name == "split_range":
        for value in HOSTILE:
            yield {"cuts": (value,)}


def applications(
    kernel: Kernel,
    ranges: Mapping[Expr, Facts],
    *,
    among: Sequence[str] | None = None,
    only: Options | None = None,
    odd: bool = False,
    trying: Callable[[str, Options], None] = lambda name, options: None,
) -> Iterator[Application]:
    """Every proved application; `odd` tries hostile options too, `only` is in the place of all options.

    `trying` is told each move before it is tried.
    """
    sites = [path for path, _ in paths(kernel.body)]
    for name in moves() if among is None else among:
        move = named(name)
        chosen: list[Options] = words(name, kernel) if only is None else [only]
        if odd and only is None:
            chosen += hostile(move)
        here = [(), *sites] if name not in WHOLE else [()]
        for options in chosen:
            trying(name, options)
            for path in move.find(kernel, **{k: v for k, v in options.items() if k != "by"}):
                assert path in sites or not path, f"{name} finds a place that there is not: {path}"
            for path in here:
                yield from applied(move, kernel, path, ranges, options)
            if name in FIXED:
                # Numbers and words do not change what stands at a place.
                fits = [
                    p for p in here if any(t.fits(Site(kernel, p, ranges, options)) for t in move.theorems)
                ]
                here = fits if options is chosen[0] else here


def applied(
    move: Move, kernel: Kernel, path: Path, ranges: Mapping[Expr, Facts], options: Options
) -> Iterator[Application]:
    """The application of a move at a place if it is proved there; expressions among the options are texts."""
    told = dict(options)
    if "by" in told:
        told["by"] = tuple(parse_expr(text)[0] for text in told["by"])
    if isinstance(move.check(kernel, path, ranges=ranges, **told), Proved):
        made = move.apply(kernel, path, ranges=ranges, **told)
        yield Application(move.name, path, options, made.kernel, extended(ranges, made.known))


def _stored(kernel: Kernel) -> list[str]:
    return list(dict.fromkeys(s.buffer.name for s in walk(kernel.body) if isinstance(s, Store)))
