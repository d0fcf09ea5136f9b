"""Write random programs with the optimizer's own results as a file that Coq recomputes: `scripts/prove` runs it.

Run `python -m tools.corpus > Corpus.v` in the root of the project. Each program is a nest over whole numbers that means
the same in White's language. Written down for it are what the interpreter leaves in memory, which names it sets and
uses, what substitution makes of it, and what the nest is after each move that was proved for it. Coq executes,
substitutes and collects names by the definitions that the proofs are about, and compares. The seed is fixed.
"""

from __future__ import annotations

import argparse
import itertools
import random
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np
from tools.terms import (
    ARRAYS,
    BUFFERS,
    RELATIONS,
    SCALARS,
    Beyond,
    block,
    called,
    cells,
    expression,
    statement,
)

from pellucid.ir import expr as E
from pellucid.ir import types as T
from pellucid.ir.expr import Buffer, Expr
from pellucid.ir.interp import run
from pellucid.ir.nest import Alloc, Block, For, If, Kernel, Statement, Store, erase
from pellucid.loops.core.build import with_values
from pellucid.loops.core.registry import moves, theorems
from pellucid.loops.core.theorem import Site
from pellucid.reasoning.effects import effects
from pellucid.reasoning.prove import Proved

SITES = 1
"""Of each move, so many sites of a program are tried."""
ZERO, THREE = E.const(0, T.i64), E.const(3.0, T.f32)
LIMIT = 97
"""What is stored is taken modulo this number, so that nothing wraps and both languages mean the same."""

HEAD = """\
(* Written by tools/corpus.py: random programs, with the optimizer's results, to be computed once more. *)

From Coq Require Import ZArith String List Bool.
From Hops Require Import Language Footprint Substitution.
Import ListNotations.
Open Scope Z_scope.
Open Scope string_scope.

Definition memory (cells : list (loc * Z)) : state := fold_left (fun σ c => set (fst c) (snd c) σ) cells (fun _ => 0).
Definition leaves (A : stat) (σ : state) (cells : list (loc * Z)) : bool :=
  let τ := exec nowhere A σ in forallb (fun c => Z.eqb (τ (fst c)) (snd c)) cells.
Definition mentions (names : list name) (expected : list (name * bool)) : bool :=
  forallb (fun e => Bool.eqb (existsb (String.eqb (fst e)) names) (snd e)) expected.
Definition share (X Y : list name) : bool := existsb (fun n => existsb (String.eqb n) Y) X.
Definition no_name_in_common (A B : stat) : bool :=
  negb (share (sets A) (uses B)) && negb (share (sets B) (uses A)) && negb (share (sets A) (sets B)).
"""


# ---- random programs ----


class Maker:
    """Writes programs in which everything stays in range, unless positions may be `anywhere`."""

    def __init__(self, seed: int, *, anywhere: bool = False) -> None:
        self.rng, self.loops = random.Random(seed), 0  # noqa: S311
        self.anywhere = anywhere

    def const(self, *values: int) -> Expr:
        """One of the constants."""
        return E.const(self.rng.choice(values), T.i64)

    def leaf(self, indices: tuple[Expr, ...]) -> Expr:
        """An index, a constant or a load."""
        pick = self.rng.random()
        if indices and pick < 0.4:
            return self.rng.choice(indices)
        if pick < 0.55:
            return self.const(-1, 0, 1, 2, 3, 7)
        buffer = self.rng.choice(BUFFERS)
        return E.load(buffer, self.position(buffer, indices))

    def value(self, indices: tuple[Expr, ...], depth: int = 2) -> Expr:
        """An integer expression."""
        pick = self.rng.random()
        if depth == 0 or pick < 0.4:
            return self.leaf(indices)
        a, b = self.value(indices, depth - 1), self.value(indices, depth - 1)
        if pick < 0.9:
            return E.apply(self.rng.choice(("add", "add", "sub", "mul", "min", "max", "floor_div")), a, b)
        return E.apply("choose", self.truth(indices), a, b)

    def truth(self, indices: tuple[Expr, ...]) -> Expr:
        """A comparison, often of an index."""
        if self.rng.random() < 0.2:
            return E.apply(self.rng.choice(("and", "or")), self.comparison(indices), self.comparison(indices))
        return self.comparison(indices)

    def comparison(self, indices: tuple[Expr, ...]) -> Expr:
        """One comparison; the index may come with a factor."""
        left = self.rng.choice(indices) if indices and self.rng.random() < 0.6 else self.leaf(indices)
        if left in indices and self.rng.random() < 0.2:
            left = E.apply("mul", left, self.const(2))
        sides = (left, self.leaf(indices))
        return E.apply(self.rng.choice(tuple(RELATIONS)), *self.rng.choice((sides, sides, sides[::-1])))

    def position(self, buffer: Buffer, indices: tuple[Expr, ...]) -> Expr:
        """A position inside of the buffer: an index, which is never out of range, or something modulo the size."""
        size = buffer.size or 1
        pick = self.rng.random()
        if size == 1:
            return E.const(0, T.i64)
        if indices and pick < 0.6:
            return self.rng.choice(indices)
        if pick < 0.8:
            return self.const(*range(size))
        scalar = E.load(self.rng.choice(SCALARS), E.const(0, T.i64))
        if self.anywhere:
            return self.far(indices, scalar)
        base = E.apply("add", self.rng.choice(indices), self.const(1, 2)) if indices else scalar
        return E.apply("mod", base, E.const(size, T.i64))

    def far(self, indices: tuple[Expr, ...], scalar: Expr) -> Expr:
        """A position that may be out of range: something and a small number."""
        base = self.rng.choice((*indices, scalar, scalar, E.load(ARRAYS[1], self.const(0, 1))))
        return E.apply(self.rng.choice(("add", "sub")), base, self.const(0, 1, 2))

    def store(self, indices: tuple[Expr, ...]) -> Store:
        """An assignment whose value stays small."""
        buffer = self.rng.choice(BUFFERS)
        value = self.value(indices)
        if value.op in ("mul", "add", "sub"):
            value = E.apply("mod", value, E.const(LIMIT, T.i64))
        return Store(buffer, self.position(buffer, indices), value)

    def statement(self, indices: tuple[Expr, ...], size: int) -> Statement:
        """Any statement of about that size."""
        pick = self.rng.random()
        if size <= 1 or pick < 0.45 or (pick < 0.75 and len(indices) > 1):
            return self.store(indices)
        if pick < 0.75:
            return self.loop(indices, size - 1)
        arms = [self.block(indices, size - 1), self.block(indices, size - 2) if pick < 0.9 else ()]
        return If(self.truth(indices), arms[0], arms[1])

    def loop(self, indices: tuple[Expr, ...], size: int, hi: Expr | None = None) -> For:
        """A loop of a few iterations, at times over another loop alone."""
        self.loops += 1
        index = E.index(f"i{self.loops}", T.i64)
        if hi is None:
            scalar = E.load(self.rng.choice(SCALARS), E.const(0, T.i64))
            symbolic = E.apply("max", E.apply("min", scalar, self.const(3, 4)), self.const(0, 1))
            hi = symbolic if self.rng.random() < 0.3 else self.const(0, 1, 2, 3, 4, 5)
        inner = (*indices, index)
        body = (
            (self.loop(inner, size - 1),) if size > 1 and self.rng.random() < 0.3 else self.block(inner, size)
        )
        return For(index, self.const(0, 0, 1), hi, body)

    def block(self, indices: tuple[Expr, ...], size: int) -> Block:
        """Statements of about that size together."""
        found: list[Statement] = []
        while size > 0:
            found.append(self.statement(indices, size))
            size -= self.rng.choice((1, 2))
        return tuple(found)

    def update(self, target: Store, old: Expr) -> Store:
        """An assignment of a function of the old value."""
        value = E.apply(self.rng.choice(("add", "add", "min", "max", "mul")), old, self.leaf(()))
        return replace(target, value=value)

    def kernel(self) -> Kernel:
        """A program."""
        body = list(self.block((), 4))
        if self.rng.random() < 0.3:
            # A conditional whose arms begin and end alike.
            first, last = self.store(()), self.store(())
            arms = ((first, self.store(()), last) for _ in range(2))
            body.append(If(self.truth(()), *arms))
        if self.rng.random() < 0.3:
            # A loop before its next iteration, to be rolled up.
            s = self.loop((), 1, self.const(1, 2, 3))
            body += [s, *with_values(s.body, {s.index: s.hi})]
        if self.rng.random() < 0.3:
            # A loop over a test on its index, and one over another loop.
            over, around = self.loop((), 1), self.loop((), 1, self.const(2, 3))
            bound = E.load(self.rng.choice(SCALARS), E.const(0, T.i64))
            test = If(E.apply(self.rng.choice(("lt", "le", "eq")), over.index, bound), over.body, ())
            inner = self.loop((around.index,), 1, self.const(2, 3))
            body += [replace(over, body=(test,)), replace(around, body=(inner,))]
        if self.rng.random() < 0.2:
            # A statement twice, arms that are equal, a copy of a scalar, two updates of a variable.
            s, target = self.store(()), self.store(())
            x = E.load(self.rng.choice(SCALARS), E.const(0, T.i64))
            old = E.load(target.buffer, target.position)
            updates = (self.update(target, old) for _ in range(2))
            body += [s, s, If(self.truth(()), (s,), (s,)), s, replace(target, value=x), *updates]
        if self.rng.random() < 0.4:
            # Two loops over one range, to be joined.
            first = self.loop((), 2)
            body += [first, replace(self.loop((), 2, first.hi), lo=first.lo)]
        if self.rng.random() < 0.3:
            body.append(self.tables())
        return Kernel("corpus", (), BUFFERS, tuple(body))

    def staged(self) -> Kernel:
        """Two loops over the same iterations: one fills parts of an array for the other, as a rule."""
        array, count = ARRAYS[0], self.rng.choice((2, 3))
        length = (array.size or 1) // count
        first, k = self.loop((), 0, E.const(count, T.i64)), E.index("part", T.i64)
        begin = E.apply("mul", first.index, E.const(length, T.i64))
        place = E.apply("add", begin, k)
        value = E.apply("add", E.load(ARRAYS[1], self.const(0, 1, 2, 3)), E.apply("mul", k, first.index))
        fill = For(k, ZERO, E.const(length, T.i64), (Store(array, place, value),))
        own = E.load(
            array, E.apply("add", begin, self.const(0, 1) if self.rng.random() < 0.8 else first.index)
        )
        target = self.rng.choice(((SCALARS[0], ZERO), (ARRAYS[1], first.index), (SCALARS[1], ZERO)))
        store = Store(*target, E.apply("mod", E.apply("add", own, E.load(*target)), E.const(LIMIT, T.i64)))
        loops = (replace(first, lo=ZERO, body=(fill,)), replace(first, lo=ZERO, body=(store,)))
        outputs = tuple(b for b in BUFFERS if b is not array)
        return Kernel("staged", (), outputs, (Alloc({array: E.const(array.size, T.i32)}, loops),))

    def tables(self) -> For:
        """A loop over another one with a value of the inner index alone, and one that a small number decides."""
        outer, inner = (self.loop((), 0, self.const(4, 5)) for _ in range(2))
        i, j = outer.index, inner.index
        small = E.apply("mod", E.apply("add", i, j), self.const(2, 3))
        dear = E.apply(
            "mul", E.apply("add", E.apply("convert", small, attr=T.f32), E.const(2.0, T.f32)), THREE
        )
        column = E.apply("mul", E.apply("add", j, self.const(1, 2)), E.apply("add", j, self.leaf(())))
        whole = E.apply("to_integer", dear, attr=T.i64)
        stores = (
            Store(ARRAYS[1], E.apply("mod", j, E.const(5, T.i64)), E.apply("add", v, i))
            for v in (column, whole)
        )
        return replace(outer, lo=ZERO, body=(replace(inner, lo=ZERO, body=tuple(stores)),))


def memory_of(rng: random.Random) -> dict[Buffer, np.ndarray]:
    """Random contents of memory, small numbers."""
    return {b: np.array([rng.randrange(-3, 9) for _ in range(b.size or 1)], np.int64) for b in BUFFERS}


# ---- what is asked of Coq ----


def after_moves(kernel: Kernel) -> Iterator[tuple[str, Kernel]]:
    """The kernel after each move that is proved at its first sites, by a theorem that has a lemma."""
    for name, move in moves().items():
        for path in itertools.islice(move.find(kernel), SITES):
            verdict = move.check(kernel, path)
            if isinstance(verdict, Proved) and verdict.lemma:
                yield name, move.apply(kernel, path).kernel


def names(found: Iterable[Buffer]) -> str:
    """Which of all names are in a set, as a list of pairs."""
    present = set(found)
    pairs = (f"({called(b.name)}, {'true' if b in present else 'false'})" for b in BUFFERS)
    return f"[{'; '.join(pairs)}]"


def example(name: str, truth: str) -> str:
    """A statement that Coq decides by computing."""
    return f"Example {name} : {truth}.\nProof. vm_compute; reflexivity. Qed."


def program(number: int, counts: dict[str, int]) -> Iterator[str]:
    """All that is to be recomputed of one random program."""
    maker = Maker(number)
    kernel = maker.kernel()
    before = memory_of(maker.rng)
    after = {b: a.copy() for b, a in before.items()}
    run(kernel, {}, after)
    yield f"Definition p{number} : stat := {block(kernel.body)}."
    yield f"Definition m{number} : state := memory {cells(before)}."
    yield f"Definition r{number} : list (loc * Z) := {cells(after)}."
    yield example(f"meaning_{number}", f"leaves p{number} m{number} r{number} = true")
    found = effects(kernel.body)
    yield example(f"sets_{number}", f"mentions (sets p{number}) {names(a.buffer for a in found.sets)} = true")
    yield example(f"uses_{number}", f"mentions (uses p{number}) {names(a.buffer for a in found.uses)} = true")
    x = maker.rng.choice(SCALARS)
    value = maker.leaf(())
    inside = with_values(kernel.body, {E.load(x, E.const(0, T.i64)): value})
    yield example(
        f"subst_{number}", f"subst {called(x.name)} {expression(value)} p{number} = {block(inside)}"
    )
    for k, (a, b) in enumerate(itertools.pairwise(kernel.body)):
        # What names tell apart, the optimizer must tell apart; it may know more.
        if not isinstance(theorems()["White 4.1.2"].prove(Site(kernel, ((0, k),))), Proved):
            pair = f"{statement(a)} {statement(b)}"
            yield example(f"together_{number}_{k}", f"no_name_in_common {pair} = false")
    for k, (name, moved) in enumerate(after_moves(kernel)):
        try:
            text = block(erase(moved.body))
        except Beyond:
            counts["beyond"] = counts.get("beyond", 0) + 1
            continue
        counts[name] = counts.get(name, 0) + 1
        yield example(f"{name}_{number}_{k}", f"leaves {text} m{number} r{number} = true")


def main() -> None:
    """Print the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, default=100, help="how many programs")
    options = parser.parse_args()
    counts: dict[str, int] = {}
    lines = [line for number in range(options.programs) for line in program(number, counts)]
    print(HEAD)
    for name in sorted({name for line in lines for name in re.findall(r"\bn_(\w+)", line)}):
        print(f'Definition {called(name)} : name := "{name}".')
    print("\n".join(lines))
    print("(* Moves:", ", ".join(f"{name} {n}" for name, n in sorted(counts.items())), "*)")


if __name__ == "__main__":
    main()
