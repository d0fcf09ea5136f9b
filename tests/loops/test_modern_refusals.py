"""Modern moves refuse: one program for each clause of each theorem, and the verdict names the clause that failed."""

import pytest
from tests.loops.test_modern_goldens import MODERN

from pellucid.ir import types as T
from pellucid.ir.expr import param
from pellucid.ir.facts import Facts
from pellucid.ir.parse import parse_expr, parse_nest
from pellucid.ir.path import walk
from pellucid.loops.core.registry import named
from pellucid.reasoning.prove import Proved

HEAD = """kernel k(n: i32, m: i32):
  output a: i32[100]
  output b: i32[100]
  output t: i32[1]
  output f: f32[100]
  input c: u8[100]
"""


def loop(*lines: str, head: str = "for i in 0 .. 50:") -> str:
    return f"  {head}\n" + "".join(f"    {line}\n" for line in lines)


def by(*texts: str) -> dict[str, object]:
    return {"by": tuple(parse_expr(text)[0] for text in texts)}


BY_LANES = loop("a[i] := 1", head="for i in 0 .. 50 by 4 lanes:")
MOVING = loop("t[0] := i", head="for i in 0 .. t[0]:")
ANY = loop("a[i] := 1", head="for i in m .. n:")
GATHER = "a[convert.i32(c[i]) & 15] := a[convert.i32(c[i]) & 15] + 1"
ITERATE = "(iterate 0 ({}) to (@0.0:i32 + 3) until 20 < @0.0:i32 limit 40 end.0)"
STEPS = f"a[i] := {ITERATE.format('i')}"
SIDED = "(if i < 5 then {} * 3 + 1 else 2)"
SIDES = f"a[i] := {SIDED.format('i')}"
DEAR = {"dear": 1}
SQUARE = loop("for j in 0 .. 9:", "  a[i * 9 + j] := 1", head="for i in 0 .. 9:")
EVEN = "t[0] := t[0] + 3"

REFUSALS = [
    # move, statement counted from 1 (0: the kernel), options, clause, program
    ("strip_mine", 1, {}, "in-order", BY_LANES),
    ("strip_mine", 1, {"size": 0}, "positive-size", loop("a[i] := 1")),
    ("strip_mine", 1, {}, "bounds-unchanged", MOVING),
    ("strip_mine", 1, {}, "no-overflow", ANY),
    ("strip_mine", 1, {}, "no-overflow", loop("a[i] := 1", head="for i in 2147483640 .. 2147483647:")),
    ("peel", 1, {}, "in-order", BY_LANES),
    ("peel", 1, {"side": "top"}, "side", loop("a[i] := 1")),
    ("peel", 1, {}, "bounds-unchanged", MOVING),
    ("unroll_and_jam", 1, {}, "in-order", BY_LANES),
    ("unroll_and_jam", 1, {"factor": 1}, "at-least-two", loop("a[i] := 1")),
    ("unroll_and_jam", 1, {}, "bounds-unchanged", MOVING),
    ("unroll_and_jam", 1, {}, "counted", ANY),
    ("unroll_and_jam", 1, {}, "independent", loop("for j in 0 .. t[0]:", "  t[0] := j")),
    # The second row takes what the first has stored further on.
    (
        "unroll_and_jam",
        1,
        {},
        "independent",
        loop("for j in 1 .. 9:", "  a[i * 9 + j] := a[i * 9 + j - 8]", head="for i in 1 .. 9:"),
    ),
    ("unroll_and_jam", 1, {}, "independent", loop("for j in 0 .. 9:", "  a[j] := i")),
    ("tile", 1, {}, "nested", loop("a[i] := 1")),
    ("tile", 1, {}, "nested", loop("for j in 0 .. 9:", "  a[j] := 1", "b[i] := 1")),
    ("tile", 1, {"rows": 0}, "positive-size", SQUARE),
    ("tile", 1, {"columns": 0}, "positive-size", SQUARE),
    ("tile", 1, {}, "bounds-unchanged", loop("for j in 0 .. t[0]:", "  t[0] := j")),
    ("tile", 1, {}, "no-overflow", loop("for j in m .. n:", "  a[j] := 1")),
    ("tile", 1, {}, "rectangular", loop("for j in 0 .. i:", "  a[9 * i + j] := 1", head="for i in 0 .. 9:")),
    (
        "tile",
        1,
        {},
        "iterations-interchangeable",
        loop("for j in 0 .. 8:", "  a[i * 9 + j] := a[i * 9 + j - 8]", head="for i in 1 .. 9:"),
    ),
    ("privatize", 1, {}, "gathers", loop("a[i] := 1")),
    ("privatize", 2, by("%i * 9"), "fits", loop("for i in 0 .. 50:", f"  {GATHER}", head="for j in 0 .. 3:")),
    ("privatize", 1, {"buffer": "b"}, "gathers", loop(GATHER)),
    ("privatize", 1, {}, "only-gathers", loop(GATHER, "b[i] := a[3]")),
    ("privatize", 1, {}, "only-gathers", loop(GATHER, "a[i] := 3")),
    ("privatize", 1, {}, "only-gathers", loop(GATHER, "a[i] := max(a[i], 3)")),
    ("privatize", 1, {}, "order-free", loop("a[3] := a[3] - i")),
    ("privatize", 1, {}, "order-free", loop("f[3] := f[3] + convert.f32(i)")),
    ("privatize", 1, {}, "inside", loop("a[i * 3] := a[i * 3] + 1")),
    ("privatize", 1, by("%j"), "in-scope", loop(GATHER)),
    ("privatize", 1, by("%i - 1"), "few-copies", loop(GATHER)),
    ("privatize", 1, by("%i * 100000"), "few-copies", loop(GATHER)),
    ("privatize", 1, {}, "few-copies", loop(GATHER, head="for i in 0 .. n:")),
    ("replace_scalar", 1, {}, "fixed-element", loop("a[i] := 1")),
    ("replace_scalar", 1, {}, "fixed-element", loop("a[3] := i", head="for i in 0 .. 50 by 4 lanes:")),
    ("replace_scalar", 1, {}, "position-unchanged", loop("a[t[0] & 3] := i", "t[0] := i")),
    ("replace_scalar", 1, {}, "inside", loop("a[n] := i")),
    ("replace_scalar", 1, {}, "others-separate", loop("a[3] := i", "b[i] := a[i]")),
    ("replace_scalar", 1, {}, "others-separate", loop("a[3] := i", "a[i] := 1")),
    ("accumulate", 1, {}, "one-store", loop("a[i] := a[i] + 1")),
    ("accumulate", 1, {}, "one-store", loop("a[3] := a[3] + i", "b[i] := 1")),
    ("accumulate", 1, {}, "one-element", loop("a[3] := a[3] + a[i]")),
    ("accumulate", 1, {}, "one-element", loop("t[t[0]] := t[t[0]] + i")),
    ("accumulate", 1, {}, "counted", loop("a[3] := a[3] + i", head="for i in m .. n:")),
    ("strength_reduce", 1, {}, "even-product", loop("a[i] := i + 1")),
    ("strength_reduce", 1, {}, "even-product", loop("a[i] := i * i")),
    ("strength_reduce", 1, {}, "memory-unchanged", loop("a[i] := i * t[0]", "t[0] := i")),
    ("eliminate_induction", 1, {}, "even-scalar", loop("a[i] := a[i] + 1")),
    ("eliminate_induction", 1, {}, "step-fixed", loop("t[0] := t[0] + i", "a[i] := t[0]")),
    ("eliminate_induction", 1, {}, "step-fixed", loop("t[0] := t[0] + a[3]", "a[i] := t[0]")),
    ("eliminate_induction", 1, {}, "only-update", loop(EVEN, "t[0] := i")),
    ("eliminate_induction", 1, {}, "one-name", loop(EVEN, "a[i] := t[i]")),
    ("eliminate_induction", 1, {}, "bounds-unchanged", loop(EVEN, head="for i in 0 .. t[0]:")),
    ("eliminate_induction", 1, {}, "counted", loop(EVEN, head="for i in m .. n:")),
    ("eliminate_redundant", 2, {}, "computed-twice", loop("a[i] := b[i] + 1", "b[i] := i")),
    ("eliminate_redundant", 2, {}, "available", loop("t[0] := a[i] * 2", "a[i] := 3", "b[i] := a[i] * 2")),
    (
        "eliminate_redundant",
        2,
        {"count": 3},
        "available",
        loop("t[0] := a[i] * 2", "a[i] := a[i] * 2", "b[i] := a[i] * 2"),
    ),
    ("eliminate_dead", 0, {}, "a-buffer", loop("a[i] := 1")),
    ("eliminate_dead", 1, {}, "a-buffer", loop("a[i] := 1")),
    ("eliminate_dead", 0, {"live": ("d",)}, "declared", loop("a[i] := 1")),
    ("eliminate_dead", 0, {"buffer": "a"}, "not-live", loop("a[i] := 1")),
    (
        "eliminate_dead",
        0,
        {"buffer": "a", "live": ("b",)},
        "feeds-nothing",
        loop("a[i] := 1", "b[i] := a[3]"),
    ),
    ("guard_store", 2, {}, "a-choice", loop("a[i] := if i < 3 then 1 else 2")),
    ("guard_store", 2, {}, "a-choice", loop("a[i] := a[i] + i")),
    ("guard_store", 2, {}, "stays", loop("a[i] := a[i] + (if i < 3 then 1 else 2)")),
    # Adding zero makes a positive zero of a negative one.
    ("guard_store", 2, {}, "stays", loop("f[i] := f[i] + (if i < 3 then 1.0 else 0.0)")),
    ("guard_store", 2, {}, "stays", loop("a[i] := if i < 3 then a[i + 1] else a[i] * 2")),
    ("branch_store", 2, {}, "a-choice-inside", loop("a[i] := a[i] + i")),
    (
        "branch_store",
        2,
        {"by": parse_expr("%i < 4")},
        "a-choice-inside",
        loop("a[i] := if i < 3 then 1 else 2"),
    ),
    ("unswitch", 1, {}, "a-fixed-choice", loop("a[i] := if i < 3 then 1 else 2")),
    ("unswitch", 1, {"by": parse_expr("%i < 3")}, "a-fixed-choice", loop("a[i] := if n < 3 then 1 else 2")),
    (
        "unswitch",
        1,
        {},
        "no-inner-index",
        loop("for j in 0 .. 9:", "  a[i] := if j < 3 then 1 else 2"),
    ),
    ("unswitch", 1, {}, "memory-unchanged", loop("if t[0] < 3:", "  t[0] := i")),
    ("lanes", 1, {}, "in-order", BY_LANES),
    ("lanes", 1, {"count": 0}, "positive-count", loop("a[i] := 1")),
    ("lanes", 1, {}, "one-way", loop("for j in 0 .. 9 by 4 lanes:", "  a[j] := 1")),
    ("lanes", 1, {}, "rectangular", loop("for j in 0 .. i:", "  b[i] := j")),
    ("lanes", 1, {}, "no-scratch", loop("alloc s: i32[1]:", "  s[0] := i", "  a[i] := s[0]")),
    ("lanes", 1, {}, "no-flow", loop("a[i] := a[i + 1]")),
    ("lanes", 1, {}, "no-flow", loop("a[i * 3] := a[i * 3] + 1")),
    ("lanes", 1, {}, "apart", loop("a[3] := i")),
    ("lanes", 1, {}, "apart", loop("a[i] := 1", "a[i + 1] := 2")),
    ("lockstep", 1, {}, "iterates", loop("a[i] := 1")),
    ("lockstep", 1, {}, "iterates", loop(STEPS, head="for i in 0 .. 50 by 4 lanes:")),
    ("lockstep", 1, {}, "iterates", loop(f"a[i] := {ITERATE.format('n')}")),
    ("lockstep", 1, {}, "iterates", loop("if i < 3:", f"  {STEPS}")),
    ("lockstep", 1, {"size": 0}, "positive-size", loop(STEPS)),
    ("lockstep", 1, {}, "bounds-unchanged", loop(STEPS, "t[0] := 9", head="for i in 0 .. t[0]:")),
    ("lockstep", 1, {}, "no-overflow", loop(STEPS, head="for i in m .. n:")),
    ("lockstep", 1, {}, "memory-unchanged", loop(f"a[i + 1] := {ITERATE.format('a[i]')}")),
    (
        "lockstep",
        1,
        {"size": 24},
        "in-domain",
        loop(f"a[i] := {ITERATE.format('shift_left_in(1, i)')}", head="for i in 0 .. 32:"),
    ),
    ("skip_arm", 1, {}, "dear-arm", loop(SIDES)),
    ("skip_arm", 1, DEAR, "dear-arm", loop("a[i] := if n < 5 then i * 3 else 1")),
    ("skip_arm", 1, DEAR, "dear-arm", loop(SIDES, head="for i in 0 .. 50 by 4 lanes:")),
    ("skip_arm", 1, DEAR, "dear-arm", loop("if i < 3:", f"  {SIDES}")),
    # What the side needs, another store needs as well.
    ("skip_arm", 1, DEAR, "dear-arm", loop("a[i] := if i < 5 then i * 3 else 1", "b[i] := i * 3")),
    ("skip_arm", 1, {"size": 0, **DEAR}, "positive-size", loop(SIDES)),
    ("skip_arm", 1, DEAR, "bounds-unchanged", loop(SIDES, "t[0] := 9", head="for i in 0 .. t[0]:")),
    ("skip_arm", 1, DEAR, "no-overflow", loop(SIDES, head="for i in m .. n:")),
    ("skip_arm", 1, DEAR, "memory-unchanged", loop(f"a[i + 1] := {SIDED.format('a[i]')}")),
    (
        "skip_arm",
        1,
        {"size": 24, **DEAR},
        "in-domain",
        loop(f"a[i] := {SIDED.format('shift_left_in(1, i)')}", head="for i in 0 .. 32:"),
    ),
    ("spread", 1, {}, "in-order", BY_LANES),
    ("spread", 1, {"band": 0}, "positive-band", loop("a[i] := 1")),
    ("spread", 2, {}, "outermost", loop("for j in 0 .. 9:", "  a[j] := 1")),
    ("spread", 1, {}, "no-flow", loop("a[i] := a[i + 1]")),
    ("spread", 1, {}, "apart", loop("a[i * 2 + (convert.i32(c[i]) & 3)] := i", head="for i in 0 .. 9:")),
    ("spread", 1, {}, "apart", loop("a[n + convert.i32(c[i])] := i")),
    ("grid", 1, {}, "in-order", BY_LANES),
    ("grid", 1, {"block": 0}, "positive-block", loop("a[i] := 1")),
    ("grid", 1, {"block": 1025}, "positive-block", loop("a[i] := 1")),
    ("grid", 2, {}, "outermost", loop("for j in 0 .. 9:", "  a[j] := 1")),
    ("grid", 1, {}, "known-bounds", loop("a[i] := 1", head="for i in 0 .. convert.i32(c[0]):")),
    ("grid", 1, {}, "no-flow", loop("a[i] := a[i + 1]")),
    ("grid", 1, {}, "apart", loop("a[n + convert.i32(c[i])] := i")),
]


def asked(move: str, number: int, options: dict, text: str):
    kernel = parse_nest(HEAD + text)
    path = [(), *(p for p, _ in walk(kernel.body))][number]
    return named(move).check(kernel, path, **options)


@pytest.mark.parametrize(("move", "number", "options", "clause", "text"), REFUSALS)
def test_the_clause_that_fails_is_named(move, number, options, clause, text):
    verdict = asked(move, number, options, text)
    assert not isinstance(verdict, Proved)
    assert verdict.clause == clause, str(verdict)


def test_every_clause_refuses_something():
    met = {(move, clause) for move, _, _, clause, _ in REFUSALS}
    for move in sorted(MODERN):
        for theorem in named(move).theorems:
            for clause in (theorem.shape, *theorem.clauses, *named(move).limits):
                assert (move, clause.name) in met, (move, clause.name)


ROWS = """kernel k(n: i32):
  output out: i32[2000]
  for j in 0 .. 10:
    for i in 0 .. {}:
      out[n * j + i] := j
    for i in {} .. {}:
      out[n * j + i] := j + 1
"""


@pytest.mark.parametrize(
    ("bounds", "apart"),
    [
        (("n", "0", "n"), True),
        (("min(n, 5)", "min(n, 5)", "n"), True),
        (("max(min(n, 5), 0)", "0", "min(n, 7)"), True),
        # The index is the same, and its second loop reaches into the next row.
        (("n", "0", "2 * n"), False),
        (("n", "0", "max(n, 7)"), False),
        (("n", "-1", "n"), False),
    ],
)
def test_rows_are_apart_if_every_loop_over_the_digit_stays_below_the_radix(bounds, apart):
    kernel = parse_nest(ROWS.format(*bounds))
    verdict = named("spread").check(kernel, ((0, 0),), ranges={param("n", T.i32): Facts(1, 100)})
    assert isinstance(verdict, Proved) is apart
    assert apart or verdict.clause == "apart"
