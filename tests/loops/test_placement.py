"""Placement: sharing adds no evaluation, code leaves every loop it can, dear branches are guarded."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pellucid.ir import expr as E
from pellucid.ir import nest as N
from pellucid.ir import types as T
from pellucid.ir.expr import Buffer, apply, const, index, param
from pellucid.ir.parse import parse_nest
from pellucid.ir.text import print_nest
from pellucid.ir.verify import verify_kernel
from pellucid.loops.analysis.placement import place

OUT = Buffer("out", T.f32, 64)
HEAD = "kernel k(w: i32, h: i32, a: f32, b: f32, c: f32, d: f32, e: f32):\n  output out: f32[64]\n"


def placed(body: str, **options) -> str:
    kernel = parse_nest(HEAD + body, {"out": OUT})
    after, _ = place(kernel, **options)
    verify_kernel(after)
    assert N.same(N.erase(after.body), kernel.body)
    return "\n".join(line[2:] for line in print_nest(after).splitlines()[2:])


def test_a_value_of_one_arm_only_stays_under_its_branch():
    text = placed(
        "  s1 := b / c\n  out[0] := if a < 0.0 then s1 else (if d < 0.0 then s1 else e)\n", threshold=1.0
    )
    assert text.splitlines() == [
        "t1 = a < 0.0",
        "if t1:",
        "  t2 = b / c",
        "else:",
        "  t3 = d < 0.0",
        "  if t3:",
        "    t2 = b / c",
        "  select t4 = if t3 then t2 else e",
        "select t5 = if t1 then t2 else t4",
        "out[0] := t5",
    ]


def test_a_value_of_both_arms_moves_above_the_branch():
    text = placed("  s1 := b / c\n  out[0] := if a < 0.0 then s1 + d else s1 * e\n", threshold=1.0)
    assert text.splitlines()[0] == "t1 = b / c"
    assert text.count("b / c") == 1


def test_both_arms_of_an_inner_branch_in_one_arm_of_the_outer():
    body = "  s1 := b / c\n  out[0] := if a < 0.0 then (if d < 0.0 then s1 + d else s1 * e) else e\n"
    text = placed(body, threshold=1.0)
    lines = text.splitlines()
    at = next(k for k, line in enumerate(lines) if "b / c" in line)
    assert lines[at].startswith("  "), "under the outer branch"
    assert not lines[at].startswith("    "), "above the inner one"
    assert text.count("b / c") == 1


def test_code_leaves_every_loop_it_does_not_depend_on():
    text = placed("""\
  for j in 0 .. h:
    for i in 0 .. w:
      out[j * w + i] := sqrt(a) + sqrt(convert.f32(j)) + sqrt(convert.f32(i))
""")
    assert (
        text
        == """\
t1 = sqrt(a)
for j in 0 .. h:
  t2 = t1 + sqrt(convert.f32(j))
  t3 = j * w
  for i in 0 .. w:
    out[t3 + i] := t2 + sqrt(convert.f32(i))"""
    )


def test_without_hoisting_values_are_only_shared():
    text = placed("  for i in 0 .. w:\n    out[i] := sqrt(a) * sqrt(a)\n", hoist=False)
    assert text == "for i in 0 .. w:\n  t1 = sqrt(a)\n  out[i] := t1 * t1"


def test_what_a_branch_wants_of_a_loop_around_it_is_computed_at_once_if_nothing_is_deferred():
    body = "  for i in 0 .. w:\n    out[i] := if convert.f32(i) < a then sqrt(sin(a)) * sin(convert.f32(i)) else 0.0\n"
    deferred, plain = placed(body), placed(body, defer=False)
    assert "once" in deferred
    assert "once" not in plain
    assert plain.index("sqrt(") < plain.index("for i")


def test_a_load_of_what_the_loop_stores_stays_where_it_is():
    text = placed("  for i in 0 .. w:\n    out[i] := out[0] + out[0] + sqrt(a)\n")
    assert text == "t1 = sqrt(a)\nfor i in 0 .. w:\n  s1 := out[0]\n  out[i] := s1 + s1 + t1"


def test_a_load_moves_up_to_the_statement_that_stores():
    table = Buffer("table", T.f32, 64)
    kernel = parse_nest(
        HEAD
        + """\
  alloc table: f32[w]:
    for i in 0 .. w:
      table[i] := a
    for j in 0 .. h:
      for i in 0 .. w:
        out[j * w + i] := sqrt(table[j]) + sqrt(table[j]) * convert.f32(i)
""",
        {"out": OUT, "table": table},
    )
    text = print_nest(place(kernel)[0])
    row = text[text.index("for j") : text.rindex("for i")]
    assert "sqrt(table[j])" in row, text


def test_choices_on_one_condition_are_decided_together():
    text = placed(
        """\
  s1 := a < b
  out[0] := (if s1 then sqrt(c) / d else e) + (if s1 then sqrt(c) / e else d)
""",
        threshold=10.0,
    )
    assert text.count("if t1:") == 1
    assert text.count("select") == 2


def test_cheap_arms_are_a_selection():
    text = placed("  out[0] := if a < b then c + d else e\n")
    assert text == "out[0] := if a < b then c + d else e"


def test_invariants_leave_an_iteration():
    kernel = parse_nest(
        HEAD
        + "  s1 := iterate 0 (a) to (@0.0:f32 * sqrt(b)) until sqrt(c) < @0.0:f32 limit 9 end\n"
        + "  out[0] := s1.0 + s1.0\n",
        {"out": OUT},
    )
    text = print_nest(place(kernel)[0])
    assert "t1 = sqrt(c)" in text or "t2 = sqrt(c)" in text
    assert text.index("sqrt(b)") < text.index("repeat")


COLUMN, ROW = index("i"), index("j")
LEAVES = [
    param("a", T.f32),
    param("b", T.f32),
    apply("convert", COLUMN, attr=T.f32),
    apply("convert", ROW, attr=T.f32),
    const(2.0, T.f32),
]


@st.composite
def dags(draw):
    nodes = list(LEAVES)
    for _ in range(draw(st.integers(3, 25))):
        pick = st.integers(max(0, len(nodes) - 8), len(nodes) - 1)
        op = draw(st.sampled_from(["add", "mul", "sqrt", "min", "choose", "div"]))
        x, y, z = (nodes[draw(pick)] for _ in range(3))
        if op == "sqrt":
            nodes.append(apply("sqrt", x))
        elif op == "choose":
            nodes.append(apply("choose", apply("lt", x, y), y, z))
        else:
            nodes.append(apply(op, x, y))
    return nodes[-1]


@given(dags(), st.sampled_from([1.0, 5.0, 20.0, 1e9]))
def test_random_programs_keep_their_scopes_and_their_erasure(root, threshold):
    zero = const(0, T.i32)
    position = apply("add", apply("mul", ROW, param("w", T.i32)), COLUMN)
    inner = N.For(COLUMN, zero, param("w", T.i32), (N.Store(OUT, position, root),), N.lanes(4))
    outer = N.For(ROW, zero, param("h", T.i32), (inner,))
    kernel = N.Kernel("k", (param("w", T.i32), param("h", T.i32), *LEAVES[:2]), (OUT,), (outer,))
    after, _ = place(kernel, threshold=threshold)
    verify_kernel(after)
    assert N.same(N.erase(after.body), kernel.body)
    text = print_nest(after)
    assert N.same(parse_nest(text, {"out": OUT}).body, after.body)
    computed = _evaluations(after.body)
    # No block computes a value twice, and nothing is computed in a block and again inside it.
    for seen in computed:
        assert len(seen) == len(set(seen))


def _evaluations(block, above=()):
    """The lists of values placed on each way down through the nest."""
    here = [*above]
    found = []
    for s in block:
        if isinstance(s, N.Let | N.Repeat):
            here.append(s.value)
        for inner in N.blocks(s):
            found += _evaluations(inner, here)
        if isinstance(s, N.If):
            here += s.selects
    return [*found, here]


def test_size_of_result_is_linear():
    sizes = []
    for n in (200, 400, 800):
        e = LEAVES[2]
        for k in range(n):
            e = apply("min", apply("add", e, const(float(k), T.f32)), apply("mul", e, LEAVES[3]))
        inner = N.For(COLUMN, const(0, T.i32), param("w", T.i32), (N.Store(OUT, COLUMN, e),))
        kernel = N.Kernel(
            "k", (param("w", T.i32),), (OUT,), (N.For(ROW, const(0, T.i32), param("w", T.i32), (inner,)),)
        )
        sizes.append(sum(1 for _ in N.walk(place(kernel)[0].body)))
    assert sizes[2] - sizes[1] == 2 * (sizes[1] - sizes[0])


def test_interning_is_by_identity():
    assert apply("add", LEAVES[0], LEAVES[1]) is apply("add", LEAVES[0], LEAVES[1])
    assert E.size([LEAVES[0]]) == 1


@pytest.mark.parametrize("w", [0, 1, 5])
def test_meaning_is_that_of_the_erased_nest(w):
    from pellucid.ir.interp import run

    kernel = parse_nest(
        HEAD + "  for i in 0 .. w:\n    out[i] := if a < b then sqrt(c) / d else e / d\n", {"out": OUT}
    )
    arguments = {"w": w, "h": 0, "a": 0, "b": 1, "c": 4, "d": 2, "e": 3}
    results = []
    for k in (kernel, place(kernel, threshold=1.0)[0]):
        memory = {OUT: np.zeros(64, np.float32)}
        run(k, arguments, memory)
        results.append(memory[OUT])
    np.testing.assert_array_equal(*results)
