"""Write places of random programs at which a theorem says "Proved", for Coq to compute what its lemma asks there.

Run `python -m tools.places > Places.v` in the root of the project; `scripts/prove` does. Every theorem that has a lemma
is asked at places of random programs. Where it says that the move is proved, each hypothesis of the lemma must hold in
the states that arrive there, and the lemma must be about what stands there; `proofs/Instances.v` computes both, and
its tests come from the statement of the lemma. Where it refuses, Coq counts how often the hypotheses hold all the same.
"""

from __future__ import annotations

import argparse
import itertools
import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tools.corpus import Maker, memory_of
from tools.instances import READERS, read
from tools.terms import BUFFERS, Beyond, block, called, cells

from pellucid.ir.nest import Kernel
from pellucid.ir.path import Path
from pellucid.loops.core.registry import moves, named
from pellucid.loops.core.theorem import Site, Theorem
from pellucid.reasoning.prove import Proved

SITES = 2
"""A theorem is taken at so many places of a program where it says "Proved", and at one where it does not."""
PROGRAMS = 30
OPTIONS: Mapping[str, tuple[Mapping[str, Any], ...]] = {
    "strip_mine": ({"size": 2},),
    "tile": ({"rows": 2, "columns": 2},),
    "split_range": ({"cuts": (2,)},),
    "unroll": ({}, {"end": "first"}, {"tested": True}),
    "roll": ({}, {"end": "first"}),
    "split_if": ({}, {"first": "else"}),
    "place": ({}, {"threshold": 0.0}),
    "tabulate": ({"dear": 1.0},),
    "look_up": ({"dear": 1.0},),
}
"""The options with which theorems of a move are asked, where there are any."""

HEAD = """\
(* Written by tools/places.py: where theorems of the optimizer say that a move is proved, their lemmas at work. *)

From Coq Require Import ZArith String List Bool.
From Hops Require Import Language Footprint Substitution Instances.
From Hops Require Values.
Import ListNotations.
Open Scope Z_scope.
Open Scope string_scope.

Definition memory (cells : list (loc * Z)) : state := fold_left (fun σ c => set (fst c) (snd c) σ) cells (fun _ => 0).
"""


def asked(kernel: Kernel, among: Iterable[str]) -> Iterator[tuple[Theorem, Site, bool]]:
    """Theorems with a lemma, places of a program that they speak of, and whether they say "Proved" there."""
    for name in among:
        move = named(name)
        for theorem in (t for t in move.theorems if t.lemma in READERS):
            for options in OPTIONS.get(name, ({},)):
                left = {True: SITES, False: 1}
                for path in move.find(kernel, **options):
                    site = Site(kernel, path, {}, options)
                    proved = isinstance(theorem.prove(site), Proved)
                    if left[proved] and theorem.fits(site):
                        left[proved] -= 1
                        yield theorem, site, proved


def with_places(kernel: Kernel) -> Kernel:
    """The program with places in its loops, for moves that take them out."""
    move = named("share")
    for path in reversed(list(move.find(kernel))):
        if len(path) > 1 and isinstance(move.check(kernel, path), Proved):
            kernel = move.apply(kernel, path).kernel
    return kernel


def path_term(path: Path) -> str:
    """A path as a term."""
    return f"[{'; '.join(f'({arm}, {k})' for arm, k in path)}]%nat"


class Places:
    """The lines of the file, and what was counted on the way."""

    def __init__(self) -> None:
        self.proved: Counter[str] = Counter()
        self.refused: list[str] = []
        self.beyond = 0

    def program(self, number: int) -> Iterator[str]:
        """All places of one random program."""
        maker = Maker(number, anywhere=number % 2 == 1)
        kernel, stages = maker.kernel(), maker.staged()
        moves_ = [m for m in moves() if m not in ("hoist", "compute_at")]
        usual = itertools.chain(asked(kernel, moves_), asked(with_places(kernel), ["hoist"]))
        rng = random.Random(number)  # noqa: S311
        yield from self.text(kernel, usual, f"{number}", rng)
        yield from self.text(stages, asked(stages, ["compute_at"]), f"{number}_staged", rng)

    def text(
        self, kernel: Kernel, sites: Iterable[tuple[Theorem, Site, bool]], number: str, rng: random.Random
    ) -> Iterator[str]:
        """A program, and its places."""
        places = list(self.places(sites, number))
        if not places:
            return
        yield f"Definition p{number} : stat := {block(kernel.body)}."
        memories = "; ".join(f"memory {cells(memory_of(rng))}" for _ in range(2))
        yield f"Definition m{number} : list state := [{memories}]."
        yield from places

    def places(self, sites: Iterable[tuple[Theorem, Site, bool]], number: str) -> Iterator[str]:
        """What Coq is to compute at each place."""
        for k, (theorem, site, proved) in enumerate(sites):
            try:
                found = read(theorem, site)
            except Beyond:
                self.beyond += 1
                continue
            back = "true" if found.back else "false"
            lemma = f"(fun U ρ => let σ := entry U in at_{theorem.lemma} U ρ {' '.join(found.arguments)})"
            where = f"p{number} m{number} {path_term(found.path)} {found.count} {back}"
            failing = f"failing all_names all_cells {where} {lemma}"
            if proved:
                self.proved[str(theorem.lemma)] += 1
                yield f"(* {theorem.name} *)"
                yield f"Example {theorem.lemma}_{number}_{k} : {failing} = [].\nProof. vm_compute; reflexivity. Qed."
            else:
                self.refused.append(f"refused_{number}_{k}")
                yield f"Definition refused_{number}_{k} := {failing}."


def main() -> None:
    """Print the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, default=PROGRAMS, help="how many programs")
    parser.add_argument("--first", type=int, default=0, help="the number of the first program")
    options = parser.parse_args()
    places = Places()
    programs = range(options.first, options.first + options.programs)
    lines = [line for number in programs for line in places.program(number)]
    print(HEAD)
    names = sorted({name for line in lines for name in re.findall(r"\bn_(\w+)", line)})
    for name in names:
        print(f'Definition {called(name)} : name := "{name}".')
    print(f"Definition all_names : list name := [{'; '.join(map(called, names))}].")
    arrays = [
        f"Cell {called(b.name)} ({n})"
        for b in BUFFERS
        if b.name in names and b.size != 1
        for n in range(-1, 8)
    ]
    scalars = [f"Scalar {called(name)}" for name in names]
    print(f"Definition all_cells : list loc := [{'; '.join((*scalars, *arrays))}].")
    print("\n".join(lines))
    refused = " :: ".join((*places.refused, "[]"))
    print(
        "(* How many refusals no hypothesis confirms: the optimizer asks for more there than the lemma does. *)"
    )
    print(
        f"Eval vm_compute in (length (filter (fun f => match f with [] => true | _ => false end) ({refused})))."
    )
    print(f"(* Proved: {', '.join(f'{name} {n}' for name, n in sorted(places.proved.items()))} *)")
    counts = (sum(places.proved.values()), len(places.refused), places.beyond)
    print("(* {} places with a proof, {} refused, {} beyond White's language *)".format(*counts))


if __name__ == "__main__":
    main()
