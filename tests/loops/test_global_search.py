"""The search finds White's derivation without being told, through programs that cost more; twice the same one."""

from itertools import pairwise

import pytest

from pellucid.base.errors import IrError
from pellucid.ir.nest import Kernel, same
from pellucid.ir.parse import parse_nest
from pellucid.ir.text import print_nest
from pellucid.loops.core.ledger import Ledger
from pellucid.loops.core.tactic import State
from pellucid.loops.scripts.search import Seen, identity, replayed, search
from pellucid.reasoning.timer import kernel_cost

HISTOGRAM = """\
kernel histogram():
  output h: i32[256]
  input a: u8[4096]
  alloc s: i32[1]:
    for i in 0 .. 256:
      s[0] := 0
      for j in 0 .. 4096:
        if convert.i32(a[j]) == i:
          s[0] := s[0] + 1
      h[i] := s[0]
"""
COUNTED = """\
kernel histogram():
  output h: i32[256]
  input a: u8[4096]
  for i in 0 .. 256:
    h[i] := 0
  for j in 0 .. 4096:
    s1 := convert.i32(a[j])
    h[s1] := h[s1] + 1
"""


def test_the_histogram_is_found_down_to_a_single_store():
    seen: list[Seen] = []
    kernel = parse_nest(HISTOGRAM)
    found = search(kernel, progress=seen.append)
    assert found.complete
    assert print_nest(found.state.kernel) == COUNTED
    made = [step.move for step in found.state.ledger.steps if step.move != "simplify"]
    assert {
        "interchange_with_back_substitution",
        "split_loop",
        "interchange_loops",
        "join_conditional",
    } <= set(made)
    assert found.cost[1] < found.cost[0] / 50
    # It went through programs that cost more than the one before.
    costs = [step.after for step in found.state.ledger.steps]
    assert any(later > earlier for earlier, later in pairwise(costs))
    assert [s.depth for s in seen] == list(range(1, len(seen) + 1))
    assert seen[-1].programs == found.programs
    assert seen[-1].cost == found.cost[1] == kernel_cost(found.state.kernel)


def test_a_search_is_the_same_each_time():
    first, second = (search(parse_nest(HISTOGRAM), programs=60) for _ in range(2))
    assert [(s.move, s.path) for s in first.state.ledger.steps] == [
        (s.move, s.path) for s in second.state.ledger.steps
    ]
    assert first.programs == second.programs == 60


def test_the_steps_can_be_replayed_and_only_where_they_were():
    kernel = parse_nest(
        "kernel k():\n  output a: i32[9]\n  for i in 0 .. 9:\n    if i < 2:\n      a[i] := 1\n"
    )
    found = search(kernel)
    steps = [(s.move, s.path) for s in found.state.ledger.steps if s.path is not None]
    again = replayed(State(kernel, {}, Ledger()), steps, {})
    assert same(again.kernel.body, found.state.kernel.body)
    with pytest.raises(IrError, match=r"join_conditional.*is not proved again"):
        replayed(State(again.kernel, {}, Ledger()), [("join_conditional", ((0, 0),))], {})


def test_a_search_ends_with_its_budget():
    kernel = parse_nest(HISTOGRAM)
    assert search(kernel, programs=30).programs == 30
    late = search(kernel, seconds=0.0)
    assert not late.complete
    assert late.programs <= 2
    assert [s.move for s in search(kernel, depth=1).state.ledger.steps] == ["simplify"]


def test_nothing_to_gain_is_nothing_done():
    kernel = parse_nest("kernel k(n: i32):\n  output a: i32[9]\n  a[0] := n\n")
    found = search(kernel)
    assert found.state.kernel is kernel
    assert found.cost[0] == found.cost[1]


def test_programs_are_told_apart_node_by_node():
    texts = [
        "  for i in 0 .. 9:\n    a[i] := 1\n",
        "  for i in 0 .. 9:\n    a[i] := 2\n",
        "  for i in 0 .. 9 by 4 lanes:\n    a[i] := 1\n",
        "  for i in 0 .. 9:\n    b[i] := 1\n",
        "  for j in 0 .. 9:\n    a[j] := 1\n",
        "  abstract S\n",
        "  abstract T\n",
        "  if n < 1:\n    a[0] := 1\n",
        "  if n < 1:\n    pass\n  else:\n    a[0] := 1\n",
    ]
    head = "kernel k(n: i32):\n  output a: i32[9]\n  output b: i32[9]\n"
    first = parse_nest(head + texts[0])
    memory = {b.name: b for b in first.outputs}
    kernels: list[Kernel] = [parse_nest(head + text, memory) for text in texts]
    assert len({identity(k) for k in kernels}) == len(texts)
    assert (
        identity(first) == identity(parse_nest(head + texts[0], memory))
        or first.outputs != kernels[0].outputs
    )
