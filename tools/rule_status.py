"""Compute the status of every rule, and keep it in `src/pellucid/rewriting/status.txt`, which the ledger reads.

Run `python -m tools.rule_status --update` in the root of the project after a rule, a predicate or a builder was
changed: rows whose digest is still right are kept, the others computed anew, in seconds to minutes. A rule is

- proved if z3 finds no operands, of any type that the rule is for, which tell its two sides apart, or if it is an
  instance of a lemma in `proofs/`;
- checked if that is so at 8 bits and for half floats, or if the interpreter gives the same on every half float;
- tested if there is neither: rules that may round otherwise among them.

Predicates stand for what they say of values. A computed rule is a program: its law is proved for any operator, and that
the program follows the law is tested.
"""

from __future__ import annotations

import argparse
import hashlib
import inspect
import sys
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np
import z3
from tools import program_laws, solver
from tools.solver import Term, f16, symbol
from tools.statements import EVEN, ODD, Beyond, decide, functions, operators, statements

from pellucid.ir import expr as E
from pellucid.ir import interp
from pellucid.ir import prim as table
from pellucid.ir import types as T
from pellucid.ir.facts import Facts, top
from pellucid.rewriting import chains, expand, narrow, regions, sums, truths, unfused
from pellucid.rewriting.builder import Builder
from pellucid.rewriting.guards import GUARDS
from pellucid.rewriting.laws import LAWS, NARROWED, PROGRAMS, REGIONS, TRUTHS
from pellucid.rewriting.right_sides import BUILDERS
from pellucid.rewriting.rule import AnyRule, Call, Computed, Name, Number, Pattern, Rule, parse
from pellucid.rewriting.rules import choose
from pellucid.rewriting.ruleset import all_rules
from pellucid.rewriting.status import TABLE, Status, StatusRow, read

HEAD = """\
# The status of every rule: name | proved, checked or tested | where that is shown | digest | text [types].
# Written by `python -m tools.rule_status --update`; what the words mean stands there.
"""
KNOWN = solver.PREDICATES.keys() | solver.BUILDERS.keys()
SMALL = (T.boolean, T.i8, T.u8, f16)


def by_cases(rule: Rule, known: list[Term], claim: Term, type_: T.Type) -> z3.CheckSatResult:
    """As `decide`; a constant that is a power of two is each of them in turn."""
    if "power_of_two(K)" not in rule.when:
        return decide(known, claim)
    k = symbol("K", type_)
    cases = (
        decide([*known, k == z3.BitVecVal(1 << place, type_.bits)], claim) for place in range(type_.bits)
    )
    return next((c for c in cases if c != z3.unsat), z3.unsat)


def solved(rule: Rule) -> Status | None:
    """What the solver says: proved for all types, or for the small ones."""
    right: dict[T.Type, bool] = {}
    if set(operators(rule)) - BUILDERS.keys() == {"bitcast"}:
        return Status("proved", "by definition: bits stay what they are")
    if not set(functions(rule)) <= KNOWN:
        return None
    for known, claim, types in statements(rule):
        widest = max(types, key=lambda t: t.bits)
        if any(not right[t] for t in right if t.kind == widest.kind and t.bits <= widest.bits):
            # What is too much for a width is too much for those beyond it.
            right[widest] = False
            continue
        found = by_cases(rule, known, claim, widest)
        if found == z3.sat and set(operators(rule)) & solver.ELEMENTARY:
            # For any function it is wrong, for this one it may be right.
            return None
        if found == z3.sat:
            raise SystemExit(f"{rule.name}: {rule} is wrong for {types}")
        right[widest] = right.get(widest, True) and found == z3.unsat
    if not right:
        return None
    proved = [t for t in right if right[t] and t is not f16]
    wide = [t for t in right if t is not f16]
    if set(proved) == set(wide):
        return Status("proved", f"z3: {_listed(proved)}")
    small = [t for t in right if t in SMALL]
    if small and all(right[t] for t in small):
        return Status("checked", f"z3: {_listed(t for t in right if right[t])}")
    return None


def _listed(types: Iterable[T.Type]) -> str:
    names = sorted(types, key=lambda t: (t.kind, t.bits))
    return " ".join(t.name for t in names)


HALVES = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
"""Every half float, all NaN among them."""
NAN = 0x7E00
"""The one NaN among all that is enough where operands are paired."""


def exhausted(rule: Rule) -> Status | None:
    """Checked on every half float, as f32 and as f64, by the interpreter itself; for rules with one operand."""
    names = {a.text for p in (rule.lhs,) for a in _names(parse(p))}
    if (
        len(names) != 1
        or any(n[0].isupper() for n in names)
        or rule.when
        or set(operators(rule)) & BUILDERS.keys()
    ):
        return None
    for type_ in (T.f32, T.f64):
        x = E.param("x", type_)
        before, after = (_expression(parse(side), x, type_) for side in (rule.lhs, rule.rhs))
        with np.errstate(invalid="ignore"):
            found, expected = interp.evaluate([after, before], {x: HALVES.astype(type_.dtype)})
        found, expected = np.broadcast_arrays(found, expected)
        same = found == expected
        if found.dtype.kind == "f":
            same &= np.signbit(found) == np.signbit(expected)
        if not (same | (np.isnan(found) & np.isnan(expected))).all():
            raise SystemExit(f"{rule.name}: {rule} is wrong for half floats as {type_}")
    return Status("checked", "f32 and f64 at every half float")


def exhausted_pairs(rule: Rule) -> Status | None:
    """Checked on every pair of half floats, as f32, by the interpreter; for rules with an operand and a constant."""
    names = {a.text for a in _names(parse(rule.lhs))}
    if names != {"x", "K"} or rule.when not in ("", "never_negative(x)"):
        return None
    x = E.param("x", T.f32)
    facts = Facts(0.0, np.inf, nan=True, minus_zero=True) if rule.when else top(T.f32)
    halves = HALVES[~(HALVES < 0)] if rule.when else HALVES
    where = {x: halves.astype(np.float32)}
    builder = Builder("exact", {x: facts})
    fires = rule.compiled("float")
    for k in HALVES[np.isfinite(HALVES)].tolist():
        before = _expression(parse(rule.lhs), x, T.f32, k)
        made = (fire(builder, before) for fire in fires)
        after = next((m for m in made if m is not None), None)
        if after is None:
            continue
        found, expected = interp.evaluate([after, before], where)
        if before.type is not T.boolean or not np.array_equal(*np.broadcast_arrays(found, expected)):
            raise SystemExit(f"{rule.name}: {rule} is wrong for half floats with K = {k}")
    return Status("checked", "f32 at every pair of half floats")


TWO_OPERANDS = ("fma",)
"""Rows that are too much for a solver: rules on them are tried on every pair of operands, in minutes."""


def exhausted_twos(rule: Rule) -> Status | None:
    """Checked on every pair of half floats, as f32, by the interpreter; for rules with two operands."""
    if {a.text for a in _names(parse(rule.lhs))} != {"x", "y"} or rule.when:
        return None
    x, y = E.param("x", T.f32), E.param("y", T.f32)
    before, after = (_expression(parse(side), x, T.f32, 0.0, y) for side in (rule.lhs, rule.rhs))
    second = HALVES[~np.isnan(HALVES) | (np.arange(1 << 16) == NAN)].astype(np.float32)
    for first in second:
        found, expected = (np.asarray(v) for v in interp.evaluate([after, before], {x: first, y: second}))
        unlike = found.view(np.uint32) != expected.view(np.uint32)
        if unlike.any() and not (np.isnan(found[unlike]) & np.isnan(expected[unlike])).all():
            raise SystemExit(f"{rule.name}: {rule} is wrong for half floats with x = {first}")
    return Status("checked", "f32 at every pair of half floats")


def _names(pattern: Pattern) -> Iterator[Name]:
    if isinstance(pattern, Name):
        yield pattern
    elif isinstance(pattern, Call):
        for a in pattern.args:
            yield from _names(a)


def _expression(
    pattern: Pattern, x: E.Expr, type_: T.Type, k: float = 0.0, y: E.Expr | None = None
) -> E.Expr:
    if isinstance(pattern, Name):
        return E.const(k, type_) if pattern.constant else y if pattern.text == "y" and y is not None else x
    if isinstance(pattern, Number):
        return E.const(pattern.value, type_)
    return E.apply(pattern.name, *(_expression(a, x, type_, k, y) for a in pattern.args))


def bodies() -> Status:
    """The interpreter evaluates a row with a body by its body, and has nothing else for it."""
    own = [row.name for row in table.table().values() if row.body is not None and row.ref is not None]
    if own:
        raise SystemExit(f"{own} have a body and a meaning beside it")
    return Status("proved", "by definition; lemma row_means_its_body, proofs/Values.v")


LEMMAS = {
    "fold": Status("proved", "by definition; lemma equals_for_equals, proofs/Values.v"),
    "gather": Status("proved", "lemma one_polynomial, proofs/Values.v"),
    "gather-real": Status("tested", "tests/rules/test_simplify.py"),
    "chain-real": Status("tested", "tests/rules/test_simplify.py"),
    "unloop": Status("tested", "tests/rules/test_simplify.py"),
    "join-components": Status("tested", "tests/rules/test_simplify.py"),
    "count-steps": Status("tested", "tests/rules/test_simplify.py"),
    "fuse": Status("tested", "tests/rules/test_simplify.py"),
    # Each rounds otherwise where a tie or the last bit of a rest is concerned.
    **dict.fromkeys(
        ("unfuse-round", "unfuse-multiple", "unfuse-rest"), Status("tested", "tests/backends/test_shade.py")
    ),
}
CLAIMS: dict[str, tuple[Any, str]] = {
    "pinned": (program_laws.one_value, "z3: every type"),
    "decided-arm": (program_laws.decided, "z3: any values"),
    "float-choice": (program_laws.any_operator, "z3: any operator"),
    "sink-choice": (program_laws.any_operator, "z3: any operator"),
    "distribute": (program_laws.distributed, "z3: 8 to 64 bits"),
    "chain": (program_laws.chained, "z3: every type"),
    "total": (program_laws.domains, "z3: every type"),
    "narrow-convert": (program_laws.by_way_of_16_bits, "z3: every type"),
    **{
        f"narrow-{op}": (partial(program_laws.narrowed, op), "z3: 16 and 32 bits")
        for op in (*NARROWED, *narrow.COMPARED)
    },
}


def program_status(name: str, label: str) -> Status:
    """The status of what is a program."""
    if name == "body":
        return bodies()
    if name in LEMMAS:
        return LEMMAS[name]
    if label != "exact":
        return Status("tested", "tests/rules/test_rules.py")
    make, where = CLAIMS[name]
    found = [decide(known, claim) for known, claim in make()]
    if any(f == z3.sat for f in found):
        raise SystemExit(f"the law of {name} is wrong")
    return Status("proved", where) if all(f == z3.unsat for f in found) else Status("tested", "tests/rules")


def status(rule: AnyRule) -> Status:
    """The status of a rule, computed."""
    if isinstance(rule, Computed):
        return program_status(rule.name, rule.label)
    if rule.label == "exact":
        try:
            found = solved(rule) or exhausted(rule)
        except Beyond:
            found = exhausted(rule)
        if found is None and "root" in rule.name:
            found = exhausted_pairs(rule)
        if found is None and rule.head in TWO_OPERANDS:
            found = exhausted_twos(rule)
        if found is not None:
            return _given(rule, found)
    return Status("tested", "tests/rules/test_rules.py")


def _given(rule: Rule, found: Status) -> Status:
    """A rule that counts on the symmetry of a function is as strong as that."""
    op = rule.lhs.partition("(")[0]
    if op in ODD | EVEN and rule.name != f"{op}-neg" and found.word == "proved":
        return Status("checked", f"{found.where}, given {op}-neg at every half float")
    return found


# ---- the table ----


MODULES = {
    "body": interp,
    "total": expand,
    "gather": sums,
    "gather-real": sums,
    "chain": chains,
    "chain-real": chains,
    "unfuse-round": unfused,
    "unfuse-multiple": unfused,
    "unfuse-rest": unfused,
}
"""The programs that follow a law, by its name."""


def digest(rule: AnyRule | str) -> str:
    """What a row was computed from: the rule's text, with the sources of what it names, or the source of a program."""
    if isinstance(rule, str):
        module = MODULES.get(rule)
        if rule.startswith("narrow-"):
            module = narrow
        text = rule + (inspect.getsource(module) if module else "")
    elif isinstance(rule, Computed):
        text = rule.name + inspect.getsource(inspect.getmodule(rule.fire) or choose)
    else:
        parts = [rule.name, rule.label, rule.on, str(rule)]
        own = [*BUILDERS.items(), *GUARDS.items()]
        named = set(functions(rule))
        parts += [inspect.getsource(f) for name, f in own if name in named]
        parts += [inspect.getsource(m) for laws, m in ((TRUTHS, truths), (REGIONS, regions)) if rule in laws]
        text = "\n".join(parts)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def subjects() -> dict[str, tuple[AnyRule | str, str]]:
    """All that has a row: what it is, and its text."""
    found: dict[str, tuple[AnyRule | str, str]] = {
        r.name: (r, f"{r} [{r.on}]") for r in (*all_rules(), *LAWS)
    }
    found.update((name, (name, text)) for name, text in PROGRAMS.items())
    return found


def row(name: str) -> StatusRow:
    """A row, computed."""
    subject, text = subjects()[name]
    found = program_status(subject, "exact") if isinstance(subject, str) else status(subject)
    return StatusRow(name, found, digest(subject), text)


def stale(rows: dict[str, StatusRow]) -> list[str]:
    """The names that a table lacks, has for nothing, or has for another text."""
    wanted = {name: (digest(s), text) for name, (s, text) in subjects().items()}
    wrong = [n for n, key in wanted.items() if n not in rows or (rows[n].digest, rows[n].text) != key]
    return wrong + [n for n in rows if n not in wanted]


def _write(rows: Iterable[StatusRow]) -> None:
    TABLE.write_text(HEAD + "".join(f"{r}\n" for r in rows), encoding="utf-8")


def main() -> None:
    """Compare, or write the table anew."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--update", action="store_true", help="compute rows that are stale, and write the table"
    )
    parser.add_argument("--all", action="store_true", help="with --update: compute every row")
    options = parser.parse_args()
    old = read(TABLE.read_text(encoding="utf-8")) if TABLE.exists() else {}
    wrong = stale(old)
    if not options.update:
        sys.exit(f"stale: {', '.join(wrong)}; run python -m tools.rule_status --update" if wrong else 0)
    rows = []
    for name in subjects():
        kept = name in old and name not in wrong and not options.all
        rows.append(old[name] if kept else row(name))
        if not kept:
            print(f"{name}: {rows[-1].status}", flush=True)
            # What is computed is kept, should the rest take too long.
            later = [old[n] for n in list(subjects())[len(rows) :] if n in old]
            _write([*rows, *later])
    _write(rows)


if __name__ == "__main__":
    main()
