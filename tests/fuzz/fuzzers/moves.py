"""Random nests against every move: what is proved keeps the meaning, in the interpreter and in every back end.

A case is a program with a seed: every move with every option is tried at every place, and some chains of three. Each
program that comes out is verified, printed and read again, and run by the interpreter; where moves made places alone,
also with the places read as names. Some of them, with the first program and the ends of the chains, are compiled by
every back end. A shrunk case names its moves instead, which are
tried at all places: `; moves peel side='front' | unroll_all`.
"""

from __future__ import annotations

import ast
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tests.fuzz.applying import Application, Options, applications, written
from tests.fuzz.compiled import Part, Run, agree
from tests.fuzz.contract import NotACase
from tests.fuzz.naming import by_names
from tests.fuzz.nests import RANGES, memories, nest
from tests.fuzz.smaller import smaller

from pellucid.backends.conformance import same_bits
from pellucid.base.errors import PellucidError
from pellucid.ir.expr import Expr
from pellucid.ir.facts import Facts
from pellucid.ir.interp import run
from pellucid.ir.nest import Kernel, walk
from pellucid.ir.parse import parse_nest
from pellucid.ir.text import print_nest
from pellucid.ir.verify import verify_kernel
from pellucid.loops.core.options import options as own_options
from pellucid.loops.core.registry import moves

WEIGHT = 3
"""Each program is made, verified and run anew for every move at every place."""

RUNS = 3
"""Memories that programs are run on, of which one is drawn for each move."""
READ = 0.1
"""The part of all programs that is printed and read."""
COMPILED = 30
"""One program in so many is compiled."""
CHAINS = 2
"""Chains that are made from each program."""
LENGTH = 3
"""Moves in a chain."""
MAX_PARTS, MAX_COMPILED = 6, 30
"""Programs that are compiled at once, and statements of each: a C compiler takes most of the time."""
MAX_FIRST = 14
"""Statements of a first program: places and moves at them grow with it, and small ones show a fault as well."""
PLACING = frozenset(("place", "hoist", "share"))
"""Moves that make places, all of which may be read as names."""
MAX_ITERATIONS = 100_000
"""Iterations of all loops of a program, which has a few: a move that makes millions is a fault, also of idle ones."""
MAX_STATEMENTS = 60
"""Statements of a program that is still run: unrolled loops within unrolled loops would take all the time."""


Named = tuple[str, Options]
"""A move and its options."""


@dataclass
class Trial:
    """One program with what it means, and what has been done with it."""

    kernel: Kernel
    runs: list[Run]
    rng: random.Random
    counts: Counter[str] = field(default_factory=Counter[str])
    parts: list[Part] = field(default_factory=list[Part])
    made_by: list[list[Named]] = field(default_factory=list[list[Named]])
    trying: list[Named] = field(default_factory=list[Named])

    def tries(self, before: Sequence[Application]) -> Callable[[str, Options], None]:
        """What notes a move that is tried after others."""
        around = [(a.move, a.options) for a in before]

        def note(name: str, options: Options) -> None:
            self.trying = [*around, (name, options)]

        return note

    def look(self, made: Kernel, by: Sequence[Application], *, compiled: bool) -> None:
        """Fail unless a program that moves made means the same, and its text as well."""
        self.trying = [(a.move, a.options) for a in by]
        how = " | ".join(map(str, by))
        verify_kernel(made)
        text = print_nest(made) if compiled or self.rng.random() < READ else ""
        again = print_nest(parse_nest(text)) if text else ""
        assert again == text, f"{how}: printed, read and printed again,\n{text}becomes\n{again}"
        if by and _copies_of_copies(by):
            self.counts["programs with copies of copies"] += 1
            return
        meanings = [made]
        if by and PLACING.issuperset(a.move for a in by):
            meanings.append(by_names(made))
            self.counts["programs with places read as names"] += 1
        # One memory each time: more programs tell more than more memories.
        for arguments, given, expected in self.runs if compiled else [self.rng.choice(self.runs)]:
            for meant in meanings:
                memory = {b: data.copy() for b, data in given.items()}
                run(meant, arguments, memory, max_iterations=MAX_ITERATIONS)
                for b in made.outputs:
                    assert same_bits(memory[b], expected[b]), (
                        f"{how}: {b.name} is {memory[b]}, not {expected[b]}, for {dict(arguments)}:\n"
                        f"{print_nest(self.kernel)}became\n{print_nest(meant)}"
                    )
        few = len(self.parts) < MAX_PARTS and sum(1 for _ in walk(made.body)) <= MAX_COMPILED
        if compiled and few:
            self.parts.append(Part(made, how, self.runs))
            self.made_by.append(self.trying)

    def end(self) -> None:
        """Compile what was kept for it; what fails is tried again alone, so that it is known."""
        try:
            ran, refused = agree(self.parts, RANGES)
        except Exception:
            for part, named in zip(self.parts, self.made_by, strict=True):
                self.trying = named
                agree([part], RANGES)
            raise
        self.counts["compiled programs"] += ran
        self.counts["programs that back ends refuse"] += refused
        self.parts.clear()
        self.made_by.clear()


def _copies_of_copies(by: Sequence[Application]) -> bool:
    """Whether a buffer was privatized twice: a byte that ends a loop makes half a million elements of seven."""
    return sum(a.move == "privatize" for a in by) > 1


def generate(rng: random.Random) -> str:
    """One program and a seed."""
    kernel = nest(rng)
    while sum(1 for _ in walk(kernel.body)) > MAX_FIRST:
        kernel = nest(rng)
    return f"; seed {rng.randrange(1000)}\n{print_nest(kernel)}"


def read(case: str) -> tuple[Kernel, int, list[Named]]:
    """The program of a case, its seed, and the moves that it names."""
    seed, named = 0, list[Named]()
    for line in case.splitlines():
        if line.startswith("; seed "):
            seed = int(line.removeprefix("; seed "))
        if line.startswith("; moves "):
            named = [_move(text) for text in line.removeprefix("; moves ").split(" | ")]
    try:
        kernel = parse_nest(case)
        verify_kernel(kernel)
    except PellucidError as problem:
        raise NotACase(str(problem)) from None
    return kernel, seed, named


def _move(text: str) -> Named:
    name, *rest = text.split(" ")
    pairs = (word.partition("=")[::2] for word in rest if word)
    options = {key: ast.literal_eval(value) for key, value in pairs}
    if name not in moves() or not options.keys() <= own_options(moves()[name]).keys():
        raise NotACase(text)
    return name, options


def began(kernel: Kernel, seed: int) -> Trial:
    """A program with what it means."""
    runs: list[Run] = []
    for arguments, memory in memories(kernel, seed=seed, count=RUNS):
        after = {b: data.copy() for b, data in memory.items()}
        run(kernel, arguments, after)
        runs.append((arguments, memory, after))
    return Trial(kernel, runs, random.Random(seed))


def check(case: str) -> Mapping[str, int]:
    """Make every move at every place, then some chains."""
    kernel, seed, named = read(case)
    trial = began(kernel, seed)
    if named:
        _replay(trial, kernel, RANGES, named, [])
        trial.end()
    else:
        _explore(trial, seed)
    return trial.counts


def _explore(trial: Trial, seed: int) -> None:
    rng = random.Random(seed)
    trial.counts["programs"] += 1
    trial.look(trial.kernel, [], compiled=rng.random() < 0.5)
    first: list[Application] = []
    odd = rng.random() < 0.1
    for a in applications(trial.kernel, RANGES, odd=odd, trying=trial.tries([])):
        trial.counts["accepted moves"] += 1
        trial.look(a.kernel, [a], compiled=rng.random() < 1 / COMPILED)
        first.append(a)
    for _ in range(CHAINS if first else 0):
        made = [rng.choice(first)]
        while len(made) < LENGTH and sum(1 for _ in walk(made[-1].kernel.body)) <= MAX_STATEMENTS:
            names = rng.sample(list(moves()), 6)
            kernel, ranges = made[-1].kernel, made[-1].ranges
            further: list[Application] = []
            for a in applications(kernel, ranges, among=names, trying=trial.tries(made)):
                further.append(a)
                trial.counts["accepted moves"] += 1
                trial.look(a.kernel, [*made, a], compiled=False)
            if not further:
                break
            made.append(rng.choice(further))
        trial.counts["chains"] += 1
        if rng.random() < 0.3:
            trial.look(made[-1].kernel, made, compiled=True)
    trial.end()


def _replay(
    trial: Trial,
    kernel: Kernel,
    ranges: Mapping[Expr, Facts],
    named: Sequence[Named],
    before: list[Application],
) -> None:
    """Make the moves of a shrunk case at all places, one after the other."""
    if not named:
        return
    (name, options), *rest = named
    for a in applications(kernel, ranges, among=[name], only=options, trying=trial.tries(before)):
        trial.counts["accepted moves"] += 1
        trial.look(a.kernel, [*before, a], compiled=True)
        if len(trial.parts) >= MAX_PARTS:
            trial.end()
        _replay(trial, a.kernel, a.ranges, rest, [*before, a])


def shrink(case: str) -> Iterator[str]:
    """Name the moves; then leave out moves, statements and operators."""
    kernel, seed, named = read(case)
    if not named:
        trial = began(kernel, seed)
        try:
            _explore(trial, seed)
        except Exception:  # noqa: BLE001 - whatever is found
            named = trial.trying
            yield text_of(kernel, seed, named)
    for k in range(len(named) if len(named) > 1 else 0):
        yield text_of(kernel, seed, [*named[:k], *named[k + 1 :]])
    for less in smaller(kernel):
        yield text_of(less, seed, named)
    for other in range(min(seed, 5)):
        yield text_of(kernel, other, named)


def text_of(kernel: Kernel, seed: int, named: Sequence[Named]) -> str:
    """A case."""
    told = f"; moves {' | '.join(written(*one) for one in named)}\n" if named else ""
    return f"; seed {seed}\n{told}{print_nest(kernel)}"
