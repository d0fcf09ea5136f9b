"""Random expressions against the rewriting: exact means bit for bit, and what is simple stays as it is.

A case is several graphs of expressions as text, apart by lines of `---`. Each goes through `simplify`, `expand`,
`narrow`, `truths` and `regions`; what comes out is compared with the interpreter on extreme values. In relaxed mode,
graphs without floats have the same bits as well, since nothing about integers is relaxed.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping

from tests.fuzz.contract import NotACase
from tests.fuzz.expressions import INDICES, environment, graph
from tests.fuzz.smaller import fewer_nodes

from pellucid.backends.conformance import same_bits
from pellucid.base.errors import PellucidError
from pellucid.ir import expr as E
from pellucid.ir.expr import Expr
from pellucid.ir.facts import Facts
from pellucid.ir.interp import evaluate
from pellucid.ir.parse import parse_expr
from pellucid.ir.text import print_expr
from pellucid.ir.verify import verify_exprs
from pellucid.rewriting.expand import expand
from pellucid.rewriting.narrow import narrow
from pellucid.rewriting.regions import regions
from pellucid.rewriting.simplify import simplify
from pellucid.rewriting.truths import truths

GRAPHS = 12
"""Graphs in a case: one alone is too quick to count."""
ORDER = tuple(i.free for i in INDICES)
DENSE = "; dense\n"
"""The first line of a dense graph: its rules make chains within what they make, which the next time are shortened."""
Ranges = Mapping[Expr, Facts]
Rewrite = Callable[[list[Expr], Ranges], list[Expr]]
EXACT: Mapping[str, Rewrite] = {
    "simplify": lambda roots, ranges: simplify(roots, numerics="exact", ranges=ranges, order=ORDER),
    "expand": lambda roots, ranges: expand(roots, "exact", ranges=ranges, order=ORDER),
    "narrow": lambda roots, ranges: narrow(roots, ranges=ranges),
    "truths": lambda roots, ranges: truths(roots, ranges=ranges, numerics="exact"),
    "regions": lambda roots, ranges: regions(roots, ORDER, ranges=ranges),
}
"""Rewritings that keep every bit."""
RELAXED: Mapping[str, Rewrite] = {
    "simplify, relaxed": lambda roots, ranges: simplify(roots, ranges=ranges, order=ORDER),
    "expand, relaxed": lambda roots, ranges: expand(roots, ranges=ranges, order=ORDER),
    "truths, relaxed": lambda roots, ranges: truths(roots, ranges=ranges),
}


def generate(rng: random.Random) -> str:
    """Several graphs; half of them are dense."""
    dense = [rng.random() < 0.5 for _ in range(GRAPHS)]
    sizes = [rng.choice((1, 2, 3, 3, 5, 8, 13)) for _ in range(GRAPHS)]
    return "---\n".join(
        DENSE * many + written(*graph(rng, size, dense=many)) for many, size in zip(dense, sizes, strict=True)
    )


def written(roots: list[Expr], ranges: Ranges) -> str:
    """A graph as text."""
    told = [f"; range {p!r} {f.lo!r} {f.hi!r} {f.minus_zero}\n" for p, f in ranges.items()]
    return "".join(told) + print_expr(*roots) + "\n"


def read(text: str) -> tuple[list[Expr], dict[Expr, Facts]]:
    """A graph of a text."""
    ranges: dict[Expr, Facts] = {}
    try:
        for line in re.findall(r"^; range (.*)$", text, re.MULTILINE):
            name, low, high, zero = line.split(" ")
            (p,) = parse_expr(name)
            number = float if p.type.is_float else int
            ranges[p] = Facts(number(low), number(high), minus_zero=zero == "True")
        roots = parse_expr(text)
        verify_exprs(roots)
    except (PellucidError, ValueError) as problem:
        raise NotACase(str(problem)) from None
    if not roots:
        raise NotACase("no expressions")
    return roots, ranges


def check(case: str) -> Mapping[str, int]:
    """Rewrite each graph in every way."""
    counts: Counter[str] = Counter()
    for text in case.split("---\n"):
        roots, ranges = read(text)
        counts.update(_checked(roots, ranges, again=DENSE not in text))
    return counts


def _checked(roots: list[Expr], ranges: Ranges, *, again: bool) -> Counter[str]:
    """Rewrite a graph in every way, and `again` where nothing may be left to do."""
    counts: Counter[str] = Counter()
    values, memory = environment(roots, ranges, 0)
    expected = evaluate(roots, values, memory)
    whole = not any(n.type.is_float for n in E.topological(roots))
    simple = EXACT["simplify"](roots, ranges)
    for name, rewrite in (*EXACT.items(), *RELAXED.items()):
        for start in (roots, simple) if name in ("narrow", "regions", "expand") else (roots,):
            found = rewrite(list(start), ranges)
            verify_exprs(found)
            counts["rewritten expressions"] += len(roots)
            if name in EXACT or whole:
                results = evaluate(found, values, memory)
                for old, new, want, got in zip(roots, found, expected, results, strict=True):
                    assert old.type is new.type, f"{name}: {new!r} is {new.type}, {old!r} is {old.type}"
                    assert _same(want, got), (
                        f"{name}: {print_expr(old)}\nbecame\n{print_expr(new)}\nwhich is {got}, not {want}"
                    )
            if again and name.startswith("simplify"):
                more = rewrite(found, ranges)
                assert more == found, (
                    f"{name} twice: {print_expr(*roots)}\nbecame\n{print_expr(*found)}\nand then\n{print_expr(*more)}"
                )
    return counts


def _same(want: object, got: object) -> bool:
    import numpy as np

    a, b = np.broadcast_arrays(np.asarray(want), np.asarray(got))
    return same_bits(np.ascontiguousarray(a), np.ascontiguousarray(b))


def shrink(case: str) -> Iterator[str]:
    """One graph alone; then fewer roots, promises and operators."""
    texts = case.split("---\n")
    if len(texts) > 1:
        yield from texts
        return
    if DENSE in case:
        yield from (DENSE + text for text in shrink(case.replace(DENSE, "")))
        return
    roots, ranges = read(case)
    for k in range(len(roots) if len(roots) > 1 else 0):
        yield written([*roots[:k], *roots[k + 1 :]], ranges)
    for p in ranges:
        yield written(roots, {q: f for q, f in ranges.items() if q is not p})
    for new in fewer_nodes(roots):
        known = set(E.topological(new))
        yield written(new, {p: f for p, f in ranges.items() if p in known})
