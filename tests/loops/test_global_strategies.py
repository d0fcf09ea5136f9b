"""White's heuristics, each for what it is there for; all of them preserve meaning on random programs."""

import pytest
from hypothesis import given, settings
from tests.loops.nests import RANGES, agree, nests

from pellucid.ir.nest import For, If, Kernel, walk
from pellucid.ir.parse import parse_nest
from pellucid.ir.text import print_nest
from pellucid.loops.core import tactic
from pellucid.loops.core.elements import index_facts
from pellucid.loops.core.tactic import Tactic
from pellucid.loops.core.theorem import Theorem
from pellucid.loops.scripts.strategies import (
    HEURISTICS,
    back_propagate,
    compound_optimize,
    do_all_prop,
    extract_for_stat,
    for_optimize,
    force_lc_join,
    force_move_code,
    propagate_and_simplify,
    remove_dead_vars,
    simplify_expressions,
    split_compound_around_if,
    statement_simplify,
)

HEAD = """kernel k(n: i32):
  output a: i32[100]
  output b: i32[100]
  output s: i32[1]
  output t: i32[1]
"""


def kernel(body: str) -> Kernel:
    return parse_nest(HEAD + body)


def after(strategy: Tactic, body: str) -> str:
    """The statements that a strategy makes of some; the steps that lead there can be made again."""
    before = kernel(body)
    state = tactic.run(strategy, before)
    assert all(step.applied for step in state.ledger.steps)
    if not any(step.move == "simplify" for step in state.ledger.steps):
        state.ledger.replay()
    return "\n".join(line for line in print_nest(state.kernel).splitlines()[1:] if "put " not in line) + "\n"


def test_they_have_the_names_of_the_dissertation():
    assert set(HEURISTICS) == {
        *("StatementSimplify", "DoAllProp", "PropagateAndSimplify", "BackPropagate", "RemoveDeadVars"),
        *("CompoundOptimize", "ForOptimize", "ExtractForStat", "SplitCompoundAroundIf", "ForceLCJoin"),
        "ForceMoveCode",
    }
    for name, function in HEURISTICS.items():
        assert name in (function.__doc__ or "")


def test_expressions_are_simplified_by_what_the_loops_say():
    body = "  for i in 0 .. 9:\n    for j in 0 .. i + 1:\n      a[min(i * 10 + j, 99)] := max(j, 0) + 0\n"
    assert after(simplify_expressions, body) == (
        "  for i in 0 .. 9:\n    for j in 0 .. i + 1:\n      a[j + i * 10] := j\n"
    )


def test_an_index_of_two_loops_is_known_by_both():
    k = kernel("  for i in 0 .. 9:\n    a[i] := 0\n  for i in 50 .. 60:\n    a[i] := 0\n")
    (loop, *_) = k.body
    facts = index_facts(k, {})
    assert (facts[loop.index].lo, facts[loop.index].hi) == (0, 59)


def test_statement_simplify():
    body = """\
  if 1 < 2:
    s[0] := s[0] + 0
  for i in 5 .. 3:
    a[i] := 1
  for i in 3 .. 4:
    a[i] := 0 + 1
  for i in 0 .. n:
    if a[i] < 3:
      pass
"""
    assert after(statement_simplify, body) == "  a[3] := 1\n"


def test_do_all_prop():
    """Copies go down, and their values stay."""
    body = "  s[0] := a[5]\n  t[0] := 7\n  b[3] := s[0] + t[0]\n  if s[0] < n:\n    b[4] := t[0]\n"
    found = after(do_all_prop, body)
    assert found == "  b[3] := a[5] + 7\n  if a[5] < n:\n    b[4] := 7\n  t[0] := 7\n  s[0] := a[5]\n"


def test_do_all_prop_stops_where_the_value_changes():
    body = "  s[0] := a[5]\n  a[5] := 1\n  b[3] := s[0]\n"
    assert after(do_all_prop, body) == body


def test_propagate_and_simplify():
    body = "  s[0] := 0\n  t[0] := s[0] + 3\n  if t[0] < 4:\n    b[3] := s[0] + t[0]\n"
    found = after(propagate_and_simplify, body)
    assert "t[0] := 3" in found
    assert "s[0] + " not in found


def test_back_propagate():
    """The sum moves into the element that it was copied to."""
    body = """\
  for i in 0 .. 9:
    s[0] := 0
    for j in 0 .. 9:
      s[0] := s[0] + b[j]
    a[i] := s[0]
"""
    found = after(back_propagate(), body)
    assert "a[i] := a[i] + b[j]" in found
    assert "s[0] := s[0]" not in found
    assert after(back_propagate("j"), body) == body
    # Only elements that the index is in, as White has it.
    assert after(back_propagate(), body.replace("a[i] :=", "a[3] :=")) == body.replace("a[i] :=", "a[3] :=")


def test_remove_dead_vars():
    body = "  for i in 0 .. n:\n    s[0] := 1\n    s[0] := i\n    t[0] := s[0]\n    a[i] := i\n"
    assert after(remove_dead_vars(["a"]), body) == "  for i in 0 .. n:\n    a[i] := i\n"
    assert after(remove_dead_vars(), body) == body.replace("    s[0] := 1\n", "")


def test_extract_for_stat():
    k = kernel("  s[0] := 1\n  for i in 0 .. n:\n    a[i] := 1\n  for j in 0 .. n:\n    b[j] := 1\n")
    assert extract_for_stat(k.body) is k.body[1]
    assert extract_for_stat(k.body[:1]) is None


AROUND = """\
  for i in 0 .. 9:
    a[i] := 0
    for j in 0 .. 9:
      b[10 * i + j] := 1
      if i < s[0]:
        b[10 * i + j] := b[10 * i + j] + 2
    a[i + 10] := 1
"""


def test_split_compound_around_if():
    k = kernel(AROUND)
    test = next(s for s in walk(k.body) if isinstance(s, If))
    outer = k.body[0]
    assert isinstance(outer, For)
    found = tactic.run(split_compound_around_if(outer.index, test), k).kernel
    alone = found.body[1]
    assert isinstance(alone, For)
    assert isinstance(alone.body[0], For)
    assert alone.body == (alone.body[0],)
    assert alone.body[0].body == (test,)
    assert len(found.body) == 3


def test_split_compound_around_if_changes_nothing_if_it_cannot():
    k = kernel(AROUND.replace("a[i] := 0", "t[0] := i").replace("if i < s[0]:", "if i < t[0]:"))
    test = next(s for s in walk(k.body) if isinstance(s, If))
    state = tactic.run(split_compound_around_if(k.body[0].index, test), k)
    assert state.kernel is k
    assert not state.ledger.steps


def test_force_lc_join():
    """Split, interchange, join: the test is gone, and the loop that it cut is the inner one."""
    found = after(force_lc_join, AROUND)
    assert "if" not in found
    assert "  for j in 0 .. 9:\n    for i in 0 .. min(9, s[0]):\n" in found


def test_force_lc_join_leaves_nothing_behind_where_it_fails():
    body = "  for i in 0 .. 9:\n    a[i] := 1\n    if a[i + 10] < 3:\n      b[i] := 1\n"
    k = kernel(body)
    state = tactic.run(force_lc_join, k)
    assert state.kernel is k
    assert not state.ledger.steps


def test_force_move_code():
    body = "  for i in 0 .. 9:\n    for j in 0 .. 9:\n      s[0] := b[5]\n      a[10 * i + j] := s[0]\n"
    found = after(force_move_code, body)
    assert found.startswith("  s[0] := b[5]\n  for i in 0 .. 9:\n")


def test_compound_optimize():
    body = "  s[0] := 3\n  t[0] := s[0]\n  a[t[0]] := s[0] + t[0]\n"
    assert after(compound_optimize(["a"]), body) == "  a[3] := 6\n"


def test_for_optimize_counts_what_is_left():
    body = """\
  for i in 0 .. 10:
    s[0] := 0
    for j in 0 .. 100:
      if b[j] == i:
        s[0] := s[0] + 1
    a[i] := s[0]
"""
    found = after(for_optimize(["a"]), body)
    assert "for i in max(s1, 0) .. min(s1, 9) + 1:" in found
    assert "if" not in found


@pytest.mark.parametrize("name", sorted(set(HEURISTICS) - {"ExtractForStat", "SplitCompoundAroundIf"}))
@settings(max_examples=12)
@given(nests(3))
def test_heuristics_preserve_meaning(name, kernel):
    function = HEURISTICS[name]
    strategy = (
        function()
        if name in ("BackPropagate", "RemoveDeadVars", "CompoundOptimize", "ForOptimize")
        else function
    )
    agree(kernel, tactic.run(strategy, kernel, RANGES).kernel)


def test_the_work_grows_with_the_program_and_not_with_its_square(monkeypatch):
    """Counted in theorems that are asked, for the clock is nobody's friend."""
    asked = 0
    prove = Theorem.prove

    def counted(theorem, site):
        nonlocal asked
        asked += 1
        return prove(theorem, site)

    monkeypatch.setattr(Theorem, "prove", counted)
    part = """\
  t[0] := 1
  for i in 0 .. 10:
    s[0] := 0
    for j in 0 .. 10:
      if b[j] == i:
        s[0] := s[0] + 1
    a[i] := s[0]
    t[0] := 3
"""
    work = []
    for count in (5, 20):
        asked = 0
        tactic.run(for_optimize(["a"]), kernel(part * count))
        work.append(asked)
    assert work[1] < 5 * work[0]
