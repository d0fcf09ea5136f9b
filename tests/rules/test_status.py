"""The status of rules: the table is right for every rule as it stands, and what it rests on is sound."""

from __future__ import annotations

import random

import numpy as np
import pytest
import z3
from tests.rules.instances import values
from tools import program_laws, solver
from tools.rule_status import CLAIMS, row, solved, stale, subjects
from tools.statements import decide, operators

from pellucid.ir import expr as E
from pellucid.ir import interp
from pellucid.ir import prim as table
from pellucid.ir import types as T
from pellucid.ir.facts import Facts
from pellucid.rewriting.builder import Builder
from pellucid.rewriting.guards import GUARDS
from pellucid.rewriting.laws import LAWS, PROGRAMS
from pellucid.rewriting.rule import Computed, Rule
from pellucid.rewriting.ruleset import all_rules
from pellucid.rewriting.status import TABLE, Status, read, status_of, weakest

ROWS = read(TABLE.read_text(encoding="utf-8"))
EXACT = [r for r in all_rules() if isinstance(r, Rule) and r.label == "exact"]
SIMPLE = {
    "and",
    "or",
    "xor",
    "not",
    "neg",
    "abs",
    "min",
    "max",
    "lt",
    "le",
    "eq",
    "ne",
    "choose",
    "add",
    "sub",
}
QUICK = sorted(
    r.name
    for r in (*all_rules(), *LAWS)
    if isinstance(r, Rule) and set(operators(r)) <= SIMPLE and ROWS[r.name].status.word == "proved"
)
"""Rules that a solver decides in no time, even if it is interrupted a lot."""


def test_the_table_has_a_row_for_every_rule_as_it_stands_and_no_other():
    assert stale(ROWS) == [], "run python -m tools.rule_status --update"
    assert set(ROWS) == {r.name for r in (*all_rules(), *LAWS)} | set(PROGRAMS)


def test_a_changed_rule_has_no_row():
    assert stale({n: r for n, r in ROWS.items() if n != "and-and"}) == ["and-and"]
    changed = {**ROWS, "and-and": ROWS["or-or"]}
    assert stale(changed) == ["and-and"]
    assert status_of("a rule that nobody wrote").word == "tested"


@pytest.mark.parametrize("name", random.Random(36).sample(QUICK, 24))
def test_a_row_is_computed_again(name: str):
    assert row(name).status == ROWS[name].status


TOO_LONG = {
    "shift-right-multiple-and-rest",
    "floor-div-multiple",
    "floor-div-multiple-and-rest",
    "floor-div-multiple-less-rest",
}
"""Products and quotients with any constants at once: too much for a solver even at eight bits."""


def test_few_exact_rules_on_words_are_only_tested():
    words = {"integer", "signed", "unsigned", "bool", "word"}
    tested = {r.name for r in EXACT if r.on in words and ROWS[r.name].status.word == "tested"}
    assert tested <= TOO_LONG


def test_rules_that_may_round_otherwise_are_tested():
    assert {ROWS[r.name].status.word for r in all_rules() if r.label != "exact"} == {"tested"}


def test_most_rules_are_proved():
    words = [ROWS[r.name].status.word for r in all_rules() if r.label == "exact"]
    assert words.count("proved") > 0.65 * len(words)
    assert words.count("tested") < 0.06 * len(words)


@pytest.mark.parametrize(
    "rule",
    [
        Rule("wrong-absorption", "exact", "and(x, or(y, x))", "y", "integer"),
        Rule("wrong-mask", "exact", "mod(x, K)", "and(x, K)", "integer", "power_of_two(K)"),
        Rule("wrong-zero", "exact", "add(x, 0.0)", "x", "float"),
        Rule("wrong-sign", "exact", "abs(neg(x))", "x", "float"),
        Rule("wrong-nan", "exact", "not(lt(x, y))", "le(y, x)", "bool"),
        Rule("wrong-order", "exact", "min(x, y)", "min(y, x)", "float"),
    ],
    ids=lambda r: r.name,
)
def test_a_wrong_rule_is_refuted(rule: Rule):
    with pytest.raises(SystemExit, match="is wrong for"):
        solved(rule)


def test_a_step_is_as_strong_as_its_weakest_rule():
    assert weakest([]) is None
    assert weakest(["and-and", "or-or"]) == status_of("and-and") or status_of("or-or").word == "proved"
    found = weakest(["and-and", "sin-neg", "sqrt-squared"])
    assert found == Status("tested", "no row in status.txt")


# ---- what the statements rest on ----


def random_constants(type_: T.Type, rng: random.Random) -> list[float | int | bool]:
    drawn = values(type_, None, np.random.default_rng(rng.randrange(1 << 30)), tame=False)
    return [v.item() for v in rng.sample(list(drawn), 6)]


OPERATORS = sorted({op for r in EXACT for op in operators(r)} & table.table().keys() - solver.ELEMENTARY)


def same(term, value: float | int | bool, type_: T.Type) -> bool:
    wanted = solver.constant(value, type_)
    return z3.is_true(z3.simplify(term == wanted))


@pytest.mark.parametrize("name", OPERATORS)
def test_the_solver_means_by_an_operator_what_the_interpreter_does(name: str):
    rng = random.Random(name)
    prim = table.row(name)
    for first in table.CLASSES[prim.letters[-1]]:
        same_width = [t for t in T.ALL if t.bits == first.bits]
        numbers = [t for t in T.ALL if prim.targets is None or prim.targets(first, t)]
        targets = same_width if name == "bitcast" else numbers
        target = rng.choice([t for t in targets if t is not T.boolean]) if prim.result == "@" else None
        if name == "bitcast" and target is T.boolean:
            continue
        for _ in range(6):
            types = [T.boolean if letter == "B" else first for letter in prim.letters]
            args = [E.const(rng.choice(random_constants(t, rng)), t) for t in types]
            if name.startswith("shift") and name.endswith("_in"):
                args[1] = E.const(rng.randrange(first.bits), first)
            if name == "truncate_in":
                args[0] = E.const(float(rng.randrange(100)), first)
            node = E.apply(name, *args, attr=target)
            expected = interp.evaluate([node], {})[0].item()
            if node.type.is_float and expected != expected and name == "bitcast":  # noqa: PLR0124 - NaN
                continue
            assert same(solver.values([node])[0], expected, node.type), node


def test_a_predicate_is_granted_only_where_it_holds():
    rng = random.Random(3)
    granted = dict.fromkeys(solver.PREDICATES, 0)
    for name in solver.PREDICATES:
        count = GUARDS[name].__code__.co_argcount - 1 - (name == "whole")
        for type_ in (T.i8, T.u8, T.i32, T.f32, T.f64):
            if not fits(name, type_):
                continue
            for _ in range(400):
                kinds = [operand(name, k, type_, rng) for k in range(count)]
                ranges = {x: f for x, f in kinds if f is not None}
                if not GUARDS[name](Builder("exact", ranges), *(x for x, _ in kinds)):
                    continue
                granted[name] += 1
                drawn = [inside(x, f, rng) for x, f in kinds]
                terms = [solver.constant(v, type_) for v in drawn]
                assert z3.is_true(z3.simplify(solver.PREDICATES[name](type_, *terms))), (name, drawn)
    assert min(granted.values()) > 0, granted


FLOATS_ONLY = {"at_most_half", "whole", "fraction_kept", "nonzero_constant", "cut_by_truncation"}
WORDS_ONLY = {"power_of_two", "in_width", "out_of_width", "fits_mask", "misses_mask", "in_residues"}


def fits(name: str, type_: T.Type) -> bool:
    return type_.is_float if name in FLOATS_ONLY else not (name in WORDS_ONLY and type_.is_float)


def operand(name: str, k: int, type_: T.Type, rng: random.Random):
    """An operand of a predicate, with what is known of it: a constant where it takes one."""
    names = GUARDS[name].__code__.co_varnames[1:]
    if names[k] in ("k", "m"):
        pool = (
            [0, 1, 2, 4, 7, 8, 15, 64, 100, 127, -3]
            if not type_.is_float
            else [0.0, 0.5, 0.25, 1.0, 3.0, -2.0]
        )
        return E.const(rng.choice(pool), type_), None
    x = E.param(f"x{k}", type_)
    if type_.is_float:
        lo = rng.choice((0.0, 1.0, -4.0, 2.0))
        hi = lo + rng.choice((0.0, 1.0, 5.0))
        if name in ("whole", "fraction_kept"):
            x = E.apply("floor", x) if name == "whole" else x
            return x, (
                None if name == "whole" else Facts(lo, hi, False, lo <= 0 <= hi and rng.random() < 0.5)
            )
        return x, Facts(lo, hi, rng.random() < 0.3, lo <= 0 <= hi and rng.random() < 0.5)
    lo = max(int(type_.low), rng.choice((0, 1, 5, -3)))
    return x, Facts(lo, lo + rng.choice((0, 1, 3, 90)))


def inside(x: E.Expr, facts: Facts | None, rng: random.Random) -> float | int | bool:
    if x.op == "const":
        return x.attr
    if facts is None:
        return float(rng.randrange(-9, 9))
    options = [facts.lo, facts.hi]
    if x.type.is_float:
        options += [facts.lo + rng.random() * (facts.hi - facts.lo)]
        options = [float(x.type.dtype.type(v)) for v in options] + ([-0.0] if facts.minus_zero else [])
        options += [float("nan")] if facts.nan else []
        if not facts.minus_zero:
            options = [v + 0.0 if v else abs(v) for v in options]
    else:
        options += [rng.randint(int(facts.lo), int(facts.hi))]
    return rng.choice(options)


def test_every_program_has_a_law_or_says_that_it_is_tested():
    programs = {r.name for r in all_rules() if isinstance(r, Computed) and r.label == "exact"}
    assert programs <= set(CLAIMS)
    assert set(subjects()) == set(ROWS)


def test_a_wrong_law_is_refuted():
    (known, claim), *_ = program_laws.distributed()
    x, y = z3.BitVecs("x y", 8)
    assert decide(known, claim) == z3.unsat
    assert decide([], x + y == x) == z3.sat
