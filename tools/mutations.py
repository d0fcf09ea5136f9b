"""Show that no clause can be left out: for each clause of each move, a program that breaks if it always says "Proved".

A *mutation* replaces the test of one clause, or of a theorem's shape, by one that always answers "Proved". A program
*kills* it at a place and with options if the theorem refuses for that clause, the mutated theorem does not, and the
move then does one of these:

changes   the interpreter finds other bits in an output (of those that are live, if the move is told which are);
invalid   what comes out is refused by `verify_kernel`;
stops     the move cannot be made: it meets something that the clause says is not there; by which exception follows.
machine   the interpreter finds nothing, but LLVM takes the program and refuses what comes out;
unread    the interpreter finds nothing, but the text of what comes out cannot be read, and that of the program can;
named     what comes out computes something else if its places are read as names, which is what the proofs are about.

`proofs/killers` has a killer for each mutation, and `python -m tools.mutations` replays them. `--search SECONDS` makes
it look in random programs for those that have none, and write what it finds. A clause that nothing kills is implied by
the others and goes. What is about something else than what a program means is a limit of the move, and no clause.
"""

from __future__ import annotations

import argparse
import ast
import random
import re
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path as File
from typing import Any

import numpy as np
from tests.fuzz.naming import by_names
from tests.fuzz.nests import RANGES, nest

from pellucid.backends.llvm import LlvmBackend
from pellucid.base.errors import BackendError, PellucidError
from pellucid.ir import types as T
from pellucid.ir.expr import Buffer, Expr
from pellucid.ir.facts import Facts
from pellucid.ir.interp import run
from pellucid.ir.nest import Kernel, inputs
from pellucid.ir.parse import parse_expr, parse_nest
from pellucid.ir.path import Path, walk
from pellucid.ir.text import print_nest
from pellucid.ir.verify import verify_kernel
from pellucid.loops.core.move import Move
from pellucid.loops.core.registry import moves, named
from pellucid.loops.core.theorem import Clause, Site, Theorem
from pellucid.reasoning.prove import Proved

FOLDER = File(__file__).parents[1] / "proofs/killers"
CHANGES, INVALID, STOPS, MACHINE, UNREAD = "changes", "invalid", "stops", "machine", "unread"
NAMED = "named"
ARGUMENTS = ({"n": 3, "m": 1}, {"n": 0, "m": -2}, {"n": 20, "m": 0}, {"n": 4, "m": 3}, {"n": 1, "m": 4})
WORD = "word:"
"""Marks an expression in an option, which is in the text of nests."""

STOPPED = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    IndexError,
    KeyError,
    ValueError,
    PellucidError,
)
"""What a move that cannot be made is stopped by."""

Mutation = tuple[str, str, str]
"""The names of a move, of a theorem and of a clause or the shape."""


@dataclass(frozen=True, slots=True)
class Killer:
    """A program, a place in it and options, at which a mutation does harm."""

    mutation: Mutation
    kernel: Kernel
    path: Path
    options: Mapping[str, Any]
    ranges: Mapping[Expr, Facts]


def mutations() -> Iterator[Mutation]:
    """Every clause and every shape of every theorem of every move."""
    for name, move in moves().items():
        for t in move.theorems:
            for clause in (*((t.shape,) if t.shape else ()), *t.clauses):
                yield name, t.name, clause.name


def always(clause: Clause) -> Clause:
    """A clause that always says "Proved"."""
    return Clause(clause.name, lambda _: clause.name, lambda _: Proved(clause.name))


def mutated(theorem: Theorem, name: str) -> Theorem:
    """A theorem one of whose clauses, or whose shape, always says "Proved"."""
    shape = theorem.shape
    if shape is not None and shape.name == name:
        shape = always(shape)
    return replace(
        theorem, shape=shape, clauses=tuple(always(c) if c.name == name else c for c in theorem.clauses)
    )


def meaning(kernel: Kernel, live: tuple[str, ...], ranges: Mapping[Expr, Facts]) -> list[bytes]:
    """The bits in all outputs, or in those that are live, after runs on small numbers."""
    found: list[bytes] = []
    for seed, values in enumerate(ARGUMENTS):
        rng = np.random.default_rng(seed)
        memory: dict[Buffer, Any] = {
            b: (
                rng.integers(0 if b.type is T.u8 else -2, 6, b.size or 9) * (1.1 if b.type.is_float else 1)
            ).astype(b.type.dtype)
            for b in (*kernel.outputs, *inputs(kernel))
        }
        arguments: dict[str, int] = {}
        for p in kernel.params:
            value, known = values.get(str(p.attr), seed), ranges.get(p)
            arguments[str(p.attr)] = int(min(max(value, known.lo), known.hi)) if known else value
        run(kernel, arguments, memory)
        found += [memory[b].tobytes() for b in kernel.outputs if not live or b.name in live]
    return found


def theorem_of(mutation: Mutation) -> tuple[Move, Theorem]:
    """The move and the theorem of a mutation."""
    move = named(mutation[0])
    return move, next(t for t in move.theorems if t.name == mutation[1])


def harm(killer: Killer) -> str | None:
    """What the mutation does at the place; None if it does no harm there, or the clause did not protect it."""
    move, theorem = theorem_of(killer.mutation)
    name, site = killer.mutation[2], Site(killer.kernel, killer.path, killer.ranges, killer.options)
    verdict = theorem.prove(site)
    if isinstance(verdict, Proved) or verdict.clause != name:
        return None
    try:
        if not isinstance(mutated(theorem, name).prove(site), Proved):
            return None
        after = move.apply(killer.kernel, killer.path, ranges=killer.ranges, **killer.options).kernel
    except STOPPED as e:
        return f"{STOPS} {type(e).__name__}"
    try:
        verify_kernel(after)
    except PellucidError:
        return INVALID
    live = tuple(killer.options.get("live", ()))
    try:
        same = meaning(killer.kernel, live, killer.ranges) == meaning(after, live, killer.ranges)
    except PellucidError:
        return INVALID
    if not same:
        return CHANGES
    if reads(killer.kernel) and not reads(after):
        return UNREAD
    if meaning(by_names(after), live, killer.ranges) != meaning(after, live, killer.ranges):
        return NAMED
    return MACHINE if runs(killer.kernel, killer.ranges) and not runs(after, killer.ranges) else None


def reads(kernel: Kernel) -> bool:
    """Whether the text of a program can be read."""
    try:
        parse_nest(print_nest(kernel))
    except PellucidError:
        return False
    return True


def runs(kernel: Kernel, ranges: Mapping[Expr, Facts]) -> bool:
    """Whether LLVM takes a program."""
    try:
        LlvmBackend().compile(kernel, ranges)
    except BackendError:
        return False
    return True


# ---- as text ----


def file_of(mutation: Mutation) -> File:
    """Where the killer of a mutation is kept."""
    move, theorem, clause = mutation
    number = [t.name for t in named(move).theorems].index(theorem)
    return FOLDER / f"{move}-{number}-{clause}.nest"


def written(killer: Killer, outcome: str) -> str:
    """A killer as text."""
    paths = [(), *(p for p, _ in walk(killer.kernel.body))]
    lines = [" / ".join(("#", *killer.mutation)).replace("# / ", "# "), f"# {outcome}"]
    lines.append(f"# at {paths.index(killer.path)}")
    for key, value in killer.options.items():
        shown = WORD + repr(value) if isinstance(value, Expr) else value
        if isinstance(value, list):
            shown = [WORD + repr(e) for e in value]
        lines.append(f"# option {key} {shown!r}")
    lines += [
        f"# given {p.attr} {int(f.lo)} {int(f.hi)}"
        for p, f in killer.ranges.items()
        if p in killer.kernel.params
    ]
    return "\n".join((*lines, print_nest(killer.kernel)))


def option(value: Any) -> Any:
    """The value of an option: an expression, or what was written."""
    marked = isinstance(value, str) and value.startswith(WORD)
    return parse_expr(value.removeprefix(WORD))[0] if marked else value


def read(text: str) -> tuple[Killer, str]:
    """A killer from its text, and what it does."""
    head = [line.removeprefix("# ") for line in text.splitlines() if line.startswith("# ")]
    kernel = parse_nest("\n".join(line for line in text.splitlines() if not line.startswith("# ")) + "\n")
    move, theorem, clause = head[0].split(" / ")
    options: dict[str, Any] = {}
    ranges: dict[Expr, Facts] = {}
    number = 0
    for line in head[2:]:
        word, name, *rest = line.split(" ", 2)
        if word == "at":
            number = int(name)
        elif word == "option":
            value = ast.literal_eval(rest[0])
            options[name] = [option(v) for v in value] if isinstance(value, list) else option(value)
        else:
            low, high = map(int, rest[0].split())
            ranges.update({p: Facts(low, high) for p in kernel.params if p.attr == name})
    path = [(), *(p for p, _ in walk(kernel.body))][number]
    return Killer((move, theorem, clause), kernel, path, options, ranges), head[1]


def missing() -> list[Mutation]:
    """The mutations that have no killer."""
    return [m for m in mutations() if not file_of(m).exists()]


def wrong(file: File) -> str | None:
    """What is wrong with a killer that is kept, in a sentence; None if it kills."""
    killer, outcome = read(file.read_text(encoding="utf-8"))
    if killer.mutation not in set(mutations()) or file_of(killer.mutation) != file:
        return f"{file.name} is about no clause"
    found = harm(killer)
    return None if found == outcome else f"{file.name} should say {found or 'that nothing happens'!r}"


def search(seconds: float, seed: int) -> None:
    """Look in random programs for killers of the mutations that have none, and write them down."""
    rng, end = random.Random(seed), time.monotonic() + seconds  # noqa: S311
    left = missing()
    while left and time.monotonic() < end:
        kernel = nest(rng)
        paths = [(), *(p for p, _ in walk(kernel.body))]
        for mutation in list(left):
            if any(
                tried(Killer(mutation, kernel, path, options, RANGES))
                for path in paths
                for options in choices(mutation)
            ):
                left.remove(mutation)


def tried(killer: Killer) -> bool:
    """Whether a killer kills; then it is written down."""
    try:
        outcome = harm(killer)
        text = outcome and written(killer, outcome)
        good = bool(text) and harm(read(text or "")[0]) == outcome
    except STOPPED:
        return False
    if good and text:
        FOLDER.mkdir(exist_ok=True)
        file_of(killer.mutation).write_text(text, encoding="utf-8")
    return good


def choices(mutation: Mutation) -> tuple[Mapping[str, Any], ...]:
    """Options to try for a move."""
    given = {
        "tile": ({"rows": 2, "columns": 2},),
        "strip_mine": ({"size": 2},),
        "split_range": ({"cuts": (2,)},),
        "unroll": ({}, {"end": "first"}, {"tested": True}),
        "roll": ({}, {"end": "first"}),
        "split_if": ({}, {"first": "else"}),
        "peel": ({}, {"side": "back"}, {"side": "middle"}),
        "unroll_and_jam": ({}, {"factor": 0}),
        "tabulate": ({"dear": 1.0},),
        "look_up": ({"dear": 1.0},),
    }
    return given.get(mutation[0], ({},))


def main() -> None:
    """Replay the killers, and search for those that are missing if asked to."""
    parser = argparse.ArgumentParser(description=re.split(r"\n\n", __doc__ or "")[0])
    parser.add_argument(
        "--search", type=float, default=0.0, metavar="SECONDS", help="look for missing killers"
    )
    parser.add_argument("--seed", type=int, default=0, help="where the search starts")
    options = parser.parse_args()
    if options.search:
        search(options.search, options.seed)
    killers = sorted(FOLDER.glob("*.nest"))
    problems = [w for file in killers if (w := wrong(file))]
    problems += [f"nothing kills {' / '.join(m)}" for m in missing()]
    if problems:
        sys.exit("\n".join(problems))
    print(f"{len(killers)} killers: each kills its mutation, and there is one for each clause")


if __name__ == "__main__":
    main()
