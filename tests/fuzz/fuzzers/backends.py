"""Random nests at every back end, as they are and with places: each must leave the bits that the meaning leaves.

Half of the nests load nearly all their bounds, conditions, limits and positions from what they store to (`feedback`),
and a fifth want dear values late (`late`). Their nodes are made in an order drawn at random, on which nothing hangs.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache

import numpy as np
from tests.fuzz.contract import NotACase
from tests.fuzz.feedback import feedback
from tests.fuzz.late import late
from tests.fuzz.nests import RANGES, memories, nest, program
from tests.fuzz.smaller import smaller
from tests.orders import reordered
from tests.systems import levels

from pellucid.backends.c import CBackend
from pellucid.backends.conformance import same_bits
from pellucid.backends.llvm import LlvmBackend
from pellucid.backends.numpy import NumpyBackend
from pellucid.backends.port import Backend
from pellucid.base.errors import BackendError, IrError, PellucidError
from pellucid.ir import expr as E
from pellucid.ir import nest as N
from pellucid.ir import types as T
from pellucid.ir.expr import Expr
from pellucid.ir.facts import Facts
from pellucid.ir.interp import run
from pellucid.ir.parse import parse_nest
from pellucid.ir.path import walk
from pellucid.ir.text import print_nest
from pellucid.ir.verify import verify_kernel
from pellucid.loops.analysis.placement import place
from pellucid.loops.core.registry import named
from pellucid.reasoning.prove import Proved
from pellucid.rewriting.expand import expand

EVERY = 16
"""One case in so many also goes through the C compiler, which takes a tenth of a second."""

MAX_ITERATIONS = 100_000
"""Iterations of all loops of a case: an inner loop may end at an index whose bounds are loaded."""


def generate(rng: random.Random) -> str:
    """Make a nest, as text, and say whether the C compiler is to see it."""
    kind = rng.random()
    kernel = program(feedback(rng) if kind < 0.5 else late(rng)) if kind < 0.7 else nest(rng)
    return f"; {'c' if rng.randrange(EVERY) == 0 else 'llvm'}\n{print_nest(kernel)}"


@cache
def backends() -> tuple[tuple[str, Backend], ...]:
    """The back ends, each made once."""
    lesser = ((level, LlvmBackend(cpu=level)) for level in levels())
    return (("llvm", LlvmBackend()), ("numpy", NumpyBackend()), ("c", CBackend()), *lesser)


def variants(kernel: N.Kernel, rng: random.Random) -> Iterator[N.Kernel]:
    """The nest as it is, with places, and with its loops in lanes where that is proved."""
    with reordered(_lowered(kernel), rng) as again:
        yield from _forms(again, rng)


def _forms(kernel: N.Kernel, rng: random.Random) -> Iterator[N.Kernel]:
    yield kernel
    wide, move = kernel, named("lanes")
    for path, s in walk(kernel.body):
        if isinstance(s, N.For) and isinstance(move.check(wide, path, ranges=RANGES), Proved):
            wide = move.apply(wide, path, count=rng.choice((2, 4, 4, 8)), ranges=RANGES).kernel
    for k in (kernel,) if wide is kernel else (kernel, wide):
        yield place(k)[0]


def check(case: str) -> Mapping[str, int]:
    """Compare every back end with the interpreter, on a few memories."""
    try:
        kernel = parse_nest(case)
        verify_kernel(kernel)
    except PellucidError as problem:
        raise NotACase(str(problem)) from None
    if not all(_counts(s) for s in N.walk(kernel.body) if isinstance(s, N.While)):
        raise NotACase("a loop may go on for ever")
    counts: Counter[str] = Counter()
    ranges: dict[Expr, Facts] = {p: RANGES[p] for p in kernel.params if p in RANGES}
    runs: list[tuple[dict[str, int], dict, dict]] = []
    for arguments, memory in memories(kernel, count=3):
        expected = {b: a.copy() for b, a in memory.items()}
        try:
            run(kernel, arguments, expected, max_iterations=MAX_ITERATIONS)
        except IrError as problem:
            raise NotACase(str(problem)) from None
        runs.append((arguments, memory, expected))
    # Code for a lesser processor is other code; one of them a case is enough.
    level = random.Random(case).choice(levels() or ("",))
    for k, variant in enumerate(variants(kernel, random.Random(case))):
        for name, backend in backends():
            if (name == "c" and (k == 0 or not case.startswith("; c"))) or (
                name in levels() and name != level
            ):
                continue
            try:
                code = backend.compile(variant, ranges)
            except BackendError:
                counts["refused"] += 1
                continue
            for arguments, memory, expected in runs:
                found = {b: a.copy() for b, a in memory.items()}
                code.run(arguments, found)
                for b in kernel.outputs:
                    assert same_bits(expected[b], found[b]), (
                        f"{name}, variant {k}, {arguments}: {b.name} is {_shown(found[b])}, "
                        f"not {_shown(expected[b])}\n{print_nest(variant)}"
                    )
                counts[name] += 1
    return counts


def _counts(s: N.While) -> bool:
    """Whether a loop counts up to a constant in memory that only its last statement stores to."""
    *before, last = s.body or (None,)
    if not isinstance(last, N.Store) or last.value.op != "add" or last.value.args[1] is not E.const(1, T.i32):
        return False
    own, tests = last.value.args[0], [s.condition, *(s.condition.args if s.condition.op == "and" else ())]
    return (
        own is E.load(last.buffer, last.position)
        and not any(isinstance(x, N.Store) and x.buffer is last.buffer for b in before for x in N.walk((b,)))
        and any(t.op == "lt" and t.args[0] is own and t.args[1].op == "const" for t in tests)
    )


def _lowered(kernel: N.Kernel) -> N.Kernel:
    """The kernel with every row that has a body replaced by it."""
    roots = N.all_roots(kernel.body)
    done = dict(zip(roots, expand(roots, "exact"), strict=True))
    return replace(kernel, body=N.rewrite(kernel.body, lambda own: tuple(done[r] for r in own)))


def _shown(array: np.ndarray) -> str:
    return np.array2string(array, threshold=16)


def shrink(case: str) -> Iterator[str]:
    """Leave out or simplify statements and expressions."""
    head, _, _ = case.partition("\n")
    for kernel in smaller(parse_nest(case)):
        yield f"{head}\n{print_nest(kernel)}"
