"""Moves: where they are accepted, each clause by which they refuse, and that they preserve meaning."""

import subprocess
import sys

import numpy as np
import pytest

from pellucid.backends.llvm import LlvmBackend
from pellucid.base.errors import BackendError, IrError
from pellucid.ir import nest as N
from pellucid.ir import types as T
from pellucid.ir.expr import Buffer, param, topological
from pellucid.ir.facts import Facts
from pellucid.ir.interp import run
from pellucid.ir.parse import parse_nest
from pellucid.ir.path import walk
from pellucid.ir.text import print_nest
from pellucid.ir.verify import verify_kernel
from pellucid.loops.core import tactic
from pellucid.loops.core.ledger import Ledger
from pellucid.loops.core.registry import moves, named
from pellucid.loops.core.tactic import State
from pellucid.reasoning.infer import extent
from pellucid.reasoning.prove import Proved, Refuted, Unknown

OUT = Buffer("out", T.f32, 64)
SOURCE = Buffer("source", T.f32, 8, np.arange(8, dtype=np.float32))
SIZES = {param("w", T.i32): Facts(0, 1000), param("h", T.i32): Facts(0, 1000)}
HEAD = "kernel k(w: i32, h: i32, a: f32):\n  output out: f32[64]\n  input source: f32[8]\n"


def nest(body: str) -> N.Kernel:
    return parse_nest(HEAD + body, {"out": OUT, "source": SOURCE})


def loops_of(kernel: N.Kernel) -> dict[str, tuple]:
    return {s.index.attr: path for path, s in walk(kernel.body) if isinstance(s, N.For)}


def result(kernel: N.Kernel, w: int, h: int, a: float) -> np.ndarray:
    memory = {OUT: np.full(64, -1, np.float32)}
    run(kernel, {"w": w, "h": h, "a": a}, memory)
    return memory[OUT]


ROWS = """  for j in 0 .. h:
    for i in 0 .. w:
      s1 := convert.f32(j)
      out[j * w + i] := if a < 0.5 then sqrt(convert.f32(i)) * 3.0 + s1 else source[i] / (a + s1)
"""


@pytest.mark.parametrize(
    "script",
    [
        ["spread"],
        ["lanes"],
        ["unswitch"],
        ["tabulate"],
        ["place"],
        ["tabulate", "spread", "lanes", "place"],
        ["grid", "place"],
        ["unswitch", "lanes", "place"],
    ],
)
def test_moves_preserve_meaning(script):
    before = nest(ROWS)
    options = {"tabulate": {"dear": 1.0}, "lanes": {"count": 4}, "place": {"threshold": 1.0}}
    tactics = [tactic.everywhere(m, **options.get(m, {})) for m in script]
    state = tactic.run(tactic.sequence(*tactics), before, SIZES)
    assert [s.move for s in state.ledger.steps if s.applied], "nothing was applied"
    assert {s.move for s in state.ledger.steps if s.applied} == set(script)
    verify_kernel(state.kernel)
    state.ledger.recheck()
    for w, h, a in ((5, 3, 0.25), (5, 3, 0.75), (1, 1, 0.0), (0, 4, 1.0), (4, 0, 0.0)):
        np.testing.assert_array_equal(result(before, w, h, a), result(state.kernel, w, h, a))


def test_every_move_has_a_name_a_sentence_and_a_test():
    found = moves()
    assert {"place", "hoist", "share", "lanes", "spread", "unswitch", "tabulate"} <= set(found)
    for name, move in found.items():
        assert move.name == name
        assert move.doc.endswith(".")


REFUSALS = [
    ("lanes", "j", ROWS.replace("w:", "w by 4 lanes:"), "runs by lanes"),
    (
        "lanes",
        "j",
        "  for j in 0 .. h:\n    for i in 0 .. j:\n      out[i * h + j] := 1.0\n",
        "bounds of inner loops",
    ),
    ("lanes", "i", ROWS.replace("w:", "w by 4 lanes:"), "in order"),
    ("lanes", "i", "  for i in 0 .. w:\n    out[i] := out[i + 1] + 1.0\n", "loads what another"),
    ("lanes", "i", "  for i in 0 .. w:\n    out[3] := convert.f32(i)\n", "same place"),
    ("lanes", "i", "  for i in 0 .. w:\n    out[i // 2] := convert.f32(i)\n", "same place"),
    ("lanes", "i", "  for i in 0 .. w by 4 lanes:\n    out[i] := 1.0\n", "in order"),
    ("spread", "i", ROWS, "around it"),
    ("spread", "j", "  for j in 0 .. h:\n    for i in 0 .. w:\n      out[j + i] := 1.0\n", "same place"),
    ("spread", "j", "  for j in 0 .. h:\n    for i in 0 .. h:\n      out[j * w + i] := 1.0\n", "same place"),
    ("spread", "j", "  for j in 0 .. h:\n    out[j] := out[h - j]\n", "loads what another"),
    ("spread", "j", "  for j in 0 .. h spread over bands of 4:\n    out[j] := 1.0\n", "in order"),
    ("grid", "i", ROWS, "alone in a loop on the grid"),
    ("grid", "j", "  for j in 0 .. h:\n    for i in 0 .. w:\n      out[j + i] := 1.0\n", "same place"),
    ("grid", "j", "  for j in 0 .. h:\n    out[j] := out[h - j]\n", "loads what another"),
    ("grid", "j", "  for j in 0 .. h on a grid in blocks of 4:\n    out[j] := 1.0\n", "in order"),
    (
        "grid",
        "i",
        (
            "  for j in 0 .. h on a grid in blocks of 4:\n    out[j * w] := 1.0\n"
            "    for i in 1 .. w:\n      out[j * w + i] := 1.0\n"
        ),
        "alone in a loop on the grid",
    ),
    (
        "grid",
        "i",
        "  for j in 0 .. h on a grid in blocks of 4:\n    for i in 0 .. min(w, j):\n      out[j * w + i] := 1.0\n",
        "before the kernel runs",
    ),
    ("unswitch", "i", "  for i in 0 .. w:\n    out[i] := if i < 3 then 1.0 else a\n", "without the index"),
    (
        "unswitch",
        "j",
        "  for j in 0 .. h:\n    for i in 0 .. w:\n      out[j * w + i] := if i < 3 then 1.0 else a\n",
        "index of an inner loop",
    ),
    (
        "unswitch",
        "i",
        "  for i in 0 .. w:\n    out[i] := if out[0] < a then 1.0 else a\n",
        "stores to nothing",
    ),
    ("tabulate", "i", "  for i in 0 .. w:\n    out[i] := sqrt(convert.f32(i))\n", "a loop around another"),
    ("tabulate", "j", "  for j in 0 .. h:\n    for i in 0 .. w:\n      out[j * w + i] := a\n", "costs"),
    (
        "tabulate",
        "j",
        "  for j in 0 .. h:\n    for i in 0 .. j:\n      out[j * w + i] := sqrt(convert.f32(i)) / 3.0 + a\n",
        "occurs in the bounds",
    ),
    (
        "tabulate",
        "j",
        "  for j in 0 .. h:\n    for i in 1 .. w:\n      out[j * w + i] := sqrt(convert.f32(i)) / 3.0 + a\n",
        "starts at 0",
    ),
    (
        "tabulate",
        "j",
        "  for j in 0 .. h:\n    for i in 0 .. w:\n      out[j * w + i] := sqrt(out[i]) / 3.0 + a\n",
        "costs",
    ),
    (
        "tabulate",
        "j",
        "  for j in 0 .. h:\n    for i in 0 .. w + to_integer.i32(out[0]):\n      out[i] := sqrt(convert.f32(i))\n",
        "stores to nothing",
    ),
]


@pytest.mark.parametrize(("move", "index", "body", "words"), REFUSALS)
def test_refusals_name_the_clause(move, index, body, words):
    kernel = nest(body)
    verdict = named(move).check(kernel, loops_of(kernel)[index], ranges={}, dear=5.0)
    assert isinstance(verdict, Refuted | Unknown), verdict
    assert words in str(verdict)


def test_of_what_loads_memory_that_changes_the_rest_is_tabulated():
    body = "  for j in 0 .. h:\n    for i in 0 .. w:\n      out[j * w + i] := sqrt(out[i]) * sqrt(convert.f32(i))\n"
    state = tactic.run(tactic.attempt("tabulate", dear=5.0), nest(body), SIZES)
    assert "column1[i] := sqrt(convert.f32(i))" in print_nest(state.kernel)


def test_positions_that_may_wrap_are_not_told_apart():
    # 65536 rows of 65537: row 65536 would begin again at 65536, which is in row 0.
    kernel = nest(ROWS)
    verdict = named("spread").check(kernel, loops_of(kernel)["j"], ranges={})
    assert isinstance(verdict, Unknown)
    assert "does not wrap" in str(verdict)
    assert isinstance(named("spread").check(kernel, loops_of(kernel)["j"], ranges=SIZES), Proved)
    large = {**dict.fromkeys(SIZES, Facts(1, 1 << 20)), extent(SIZES): Facts(1, 1 << 31)}
    assert isinstance(named("spread").check(kernel, loops_of(kernel)["j"], ranges=large), Proved)


def test_positions_that_wrap_around_one_of_two_stores_are_not_told_apart():
    kernel = nest(
        "  for i in 0 .. w:\n"
        "    for k in 0 .. 2:\n      for j in 0 .. k:\n        out[j * w + i] := 1.0\n"
        "    for k in 0 .. 100000:\n      for j in 0 .. k:\n        out[j * w + i] := 1.0\n"
    )
    wide = {size: Facts(1, 1 << 20) for size in SIZES}
    assert "does not wrap" in str(named("spread").check(kernel, loops_of(kernel)["i"], ranges=wide))
    narrow = {size: Facts(1, 1 << 10) for size in SIZES}
    assert isinstance(named("spread").check(kernel, loops_of(kernel)["i"], ranges=narrow), Proved)


def test_a_nest_with_places_is_not_placed_again():
    placed = tactic.run(tactic.attempt("place"), nest(ROWS)).kernel
    assert not list(named("place").find(placed))
    assert isinstance(named("place").check(placed, (), ranges={}), Refuted)


def test_an_unproved_move_is_noted_and_not_made():
    kernel = nest("  for i in 0 .. w:\n    out[i] := out[3] + convert.f32(i)\n")
    state = tactic.run(tactic.everywhere("lanes"), kernel)
    assert state.kernel is kernel
    (step,) = state.ledger.steps
    assert not step.applied
    assert "loads what another" in str(step)


def test_ledger_exports():
    script = tactic.sequence(tactic.attempt("spread"), tactic.attempt("place"))
    state = tactic.run(script, nest(ROWS), SIZES)
    assert state.ledger.as_markdown().count("\n") == 2 + len(state.ledger)
    rows = state.ledger.as_json()
    assert [r["move"] for r in rows] == ["spread", "place"]
    assert rows[0]["verdict"] == Proved.__name__
    assert rows[1]["after"] < rows[1]["before"]
    assert any("out of i" in d for d in rows[1]["details"])


def test_combinators():
    kernel = nest(ROWS)
    twice = tactic.run(tactic.repeat(tactic.attempt("lanes")), kernel)
    assert sum(s.applied for s in twice.ledger.steps) == 1
    one = tactic.run(tactic.first(tactic.attempt("lanes"), tactic.attempt("spread")), kernel)
    assert [s.move for s in one.ledger.steps] == ["lanes"]
    never = tactic.run(tactic.when(lambda k: False, tactic.attempt("lanes")), kernel)
    assert never.kernel is kernel
    assert not never.ledger.steps


def test_recheck_finds_a_premise_that_no_longer_holds():
    from pellucid.base.errors import IrError
    from pellucid.loops.core.ledger import Step
    from pellucid.reasoning.prove import Premise

    kernel = nest(ROWS)
    ledger = Ledger(
        [
            Step(
                "lanes",
                "for i",
                Proved("t", (Premise("the moon is full", lambda: Refuted("the moon is full", "it is new")),)),
                kernel,
                kernel,
            )
        ]
    )
    with pytest.raises(IrError, match="the moon is full"):
        ledger.recheck()


def test_placed_text_parses_back():
    state = tactic.run(
        tactic.sequence(tactic.attempt("tabulate", dear=1.0), tactic.attempt("place")), nest(ROWS)
    )
    text = print_nest(state.kernel)
    tables = {b.name: b for b in N.scratch(state.kernel.body)}
    again = parse_nest(text, {"out": OUT, "source": SOURCE, **tables})
    assert N.same(again.body, state.kernel.body)
    assert print_nest(again) == text


def test_what_a_table_holds_is_known_as_before():
    # The shift is partial: code is written for it only where the number of places is proved to be small.
    kernel = nest(
        "  for j in 0 .. h:\n    for i in 0 .. w:\n"
        "      out[j * w + i] := convert.f32(shift_right_in(j, mod(i * i, 7) * 3 + 1))\n"
    )
    state = tactic.run(tactic.attempt("tabulate", dear=1.0), kernel, SIZES)
    assert any(isinstance(s, N.Alloc) for s in N.walk(state.kernel.body))
    LlvmBackend().compile(state.kernel, state.ranges)
    with pytest.raises(BackendError, match="not proved to be in its domain"):
        LlvmBackend().compile(state.kernel, SIZES)


def test_what_was_told_of_a_value_is_known_of_it_with_a_table_inside():
    kernel = nest(
        "  for j in 0 .. h:\n    for i in 0 .. w:\n      out[j * w + i] := sqrt(convert.f32(i)) + convert.f32(j)\n"
    )
    told = next(n for n in topological(N.all_roots(kernel.body)) if n.op == "add" and n.type is T.f32)
    state = State(kernel, {**SIZES, told: Facts(0.0, 1.0)}, Ledger())
    state = tactic.attempt("tabulate", dear=1.0)(state)
    [again] = [n for n in topological(N.all_roots(state.kernel.body)) if n.op == "add" and n.type is T.f32]
    assert again is not told
    assert state.ranges[again] == Facts(0.0, 1.0)


def test_state_is_a_value():
    kernel = nest(ROWS)
    assert State(kernel, {}, Ledger()).kernel is kernel


SHARED = """\
  for j in 0 .. h:
    for i in 0 .. w:
      s1 := sqrt(convert.f32(j) + a)
      s2 := convert.f32(i) * s1 + s1
      out[j * w + i] := s2 / (s2 + a)
"""


def test_single_steps_come_to_what_the_pass_does_at_once():
    kernel = nest(SHARED)
    steps = tactic.run(tactic.sequence(tactic.everywhere("share"), tactic.everywhere("hoist")), kernel)
    verify_kernel(steps.kernel)
    steps.ledger.recheck()
    assert [s.move for s in steps.ledger.steps] == ["share", "share", "hoist"]
    text = print_nest(steps.kernel)
    assert text.index("sqrt") < text.index("for i")
    np.testing.assert_array_equal(result(kernel, 5, 3, 1.0), result(steps.kernel, 5, 3, 1.0))
    at_once = tactic.run(tactic.attempt("place"), kernel).kernel

    def homes(k):
        return {(s.value, len(p)) for p, s in walk(k.body) if isinstance(s, N.Let)}

    # The pass also names j * w and a + ..., which are used once but leave a loop; every single step is among its own.
    assert homes(steps.kernel) <= homes(at_once)


@pytest.mark.parametrize(
    ("move", "body", "words"),
    [
        ("hoist", "  for i in 0 .. w:\n    t1 = sqrt(convert.f32(i))\n    out[i] := t1\n", "does not occur"),
        ("hoist", "  for i in 0 .. w:\n    t1 = sqrt(out[0])\n    out[i] := t1\n", "stores to nothing"),
        ("hoist", "  t1 = sqrt(a)\n  out[0] := t1\n", "directly inside a loop"),
    ],
)
def test_hoist_refuses(move, body, words):
    kernel = nest(body)
    path = next(p for p, s in walk(kernel.body) if isinstance(s, N.Let))
    verdict = named(move).check(kernel, path, ranges={})
    assert isinstance(verdict, Refuted)
    assert words in str(verdict)


def test_share_refuses_what_a_condition_may_skip():
    kernel = nest("  s1 := sqrt(a)\n  out[0] := if a < 0.5 then s1 * s1 + s1 else 1.0\n")
    assert not list(named("share").find(kernel))
    verdict = named("share").check(kernel, ((0, 0),), ranges={})
    assert isinstance(verdict, Refuted)
    assert "used several times" in str(verdict)


def test_a_move_has_the_name_of_its_file():
    assert len(moves()) > 40
    assert {name: move.name for name, move in moves().items()} == {name: name for name in moves()}


def test_a_move_is_read_alone():
    code = (
        "import sys; from pellucid.loops.core.registry import named; named('lanes');"
        "print('pellucid.loops.moves.tile' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "False\n"


def test_no_such_move():
    with pytest.raises(IrError, match=r"no move is called 'lane'; did you mean 'lanes'\?"):
        named("lane")
