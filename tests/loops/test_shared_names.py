"""Loops with an index of one name have ranges of their own; a state means nothing outside of its iteration.

Moves that carry values from one place to another are tried on programs in which names meet.
"""

import numpy as np
import pytest
from tests.loops.test_modern_backends import memory_of

from pellucid.backends.c import CBackend
from pellucid.backends.llvm import LlvmBackend
from pellucid.backends.numpy import NumpyBackend
from pellucid.ir import expr as E
from pellucid.ir import nest as N
from pellucid.ir import types as T
from pellucid.ir.facts import Facts
from pellucid.ir.interp import run
from pellucid.ir.parse import parse_expr, parse_nest
from pellucid.ir.path import walk
from pellucid.ir.text import print_nest
from pellucid.ir.verify import verify_kernel
from pellucid.loops.core.elements import ranges_of
from pellucid.loops.core.options import REQUIRED, options
from pellucid.loops.core.registry import moves, named
from pellucid.reasoning.infer import FactsOf
from pellucid.reasoning.prove import Proved

DEAR = "((i * i % 7 + 3) // (i + 5) % (i + 3))"
TWO_RANGES = f"""
kernel k():
  output a: i32[9]
  output b: i32[9]
  for j in 0 .. 3:
    for i in 0 .. 2:
      a[i] := a[i] + {DEAR}
    for i in 0 .. 6:
      b[i] := b[i] + {DEAR}
"""
IN_A_CONDITION = """
kernel k():
  output a: f32[9]
  output b: i32[9]
  for j in 0 .. 40:
    for i in 0 .. 4:
      a[i] := sin(exp(sqrt(convert.f32(i))))
  for i in 0 .. 9:
    if sin(exp(sqrt(convert.f32(i)))) < 0.0:
      b[i] := 7
"""
ACCUMULATED = """
kernel k():
  output s: i32[1]
  for i in 0 .. 9:
    s[0] := (iterate 0 (s[0], 0) to (@0.0:i32 + i * @0.1:i32, @0.1:i32 + 1) until false limit 6 end).0
"""
TWO_ACCUMULATED = """
kernel k():
  output s: i32[1]
  output t: i32[1]
  input b: i32[9]
  alloc x: i32[9]:
    for i in 0 .. 9:
      x[i] := b[i]
    s[0] := (iterate 0 (s[0], 0) to (@0.0:i32 + x[@0.1:i32] * 3, @0.1:i32 + 1) until false limit 6 end).0
    t[0] := (iterate 0 (t[0], 0) to (@0.0:i32 + x[@0.1:i32] * 3, @0.1:i32 + 1) until false limit 6 end).0
"""
FILLED_BY_ITERATIONS = """
kernel k():
  output s: i32[1]
  alloc t: i32[8]:
    for i in 0 .. 8:
      t[i] := (iterate 0 (i) to (@0.0:i32 * 2 + i) until false limit 3 end).0
    s[0] := (iterate 0 (1) to (@0.0:i32 + t[min(max(@0.0:i32, 0), 7)]) until false limit 5 end).0
"""
OUTER_SHARED = """
kernel k():
  output a: i32[99]
  for k in 0 .. 3:
    for i in 0 .. 3:
      for j in 0 .. i + 1:
        a[j] := a[j] + 1
    for i in 0 .. 9:
      for j in 0 .. i + 1:
        a[j * 9 + i] := a[j * 9 + i] + DEAR
""".replace("DEAR", DEAR)
PROGRAMS = (TWO_RANGES, IN_A_CONDITION, ACCUMULATED, TWO_ACCUMULATED, FILLED_BY_ITERATIONS, OUTER_SHARED)


def outcome(kernel: N.Kernel) -> dict[str, bytes]:
    memory = memory_of(kernel)
    run(kernel, {p.attr: 5 for p in kernel.params}, memory)
    return {b.name: memory[b].tobytes() for b in kernel.outputs}


def made_everywhere(kernel: N.Kernel) -> list[tuple[str, N.Kernel]]:
    """What every move makes of a program wherever it is proved, with its options as they are or an array's name."""
    found: list[tuple[str, N.Kernel]] = []
    arrays = [b.name for b in N.scratch(kernel.body)]
    for name, move in moves().items():
        asked = options(move)
        chosen: list[dict[str, object]] = [{}]
        if asked.get("array") is REQUIRED:
            chosen = [{"array": a} for a in arrays]
        elif REQUIRED in asked.values():
            continue
        for given in chosen:
            sites = [(), *(p for p, _ in walk(kernel.body))]
            proved = [p for p in sites if isinstance(move.check(kernel, p, **given), Proved)]
            found += [(name, move.apply(kernel, p, **given).kernel) for p in proved]
    return found


@pytest.mark.parametrize("text", PROGRAMS)
def test_every_move_means_the_same_where_names_meet(text):
    kernel = parse_nest(text)
    expected, made = outcome(kernel), made_everywhere(kernel)
    for name, after in made:
        verify_kernel(after)
        assert outcome(after) == expected, name
    assert len(made) > 3


def test_a_table_is_read_only_in_loops_of_its_own_range():
    kernel = parse_nest(TWO_RANGES)
    after = named("tabulate").apply(kernel, ((0, 0),)).kernel
    text = print_nest(after)
    assert text.count("column1[i]") == 2, "once stored, once loaded"
    assert outcome(after) == outcome(kernel)


def test_a_table_of_lookups_is_as_long_as_every_use_asks_for():
    kernel = parse_nest(IN_A_CONDITION)
    assert isinstance(named("look_up").check(kernel, ()), Proved)
    assert "9]" in print_nest(named("look_up").apply(kernel, ()).kernel)


def test_the_state_of_an_iteration_is_no_product_of_a_loop():
    kernel = parse_nest(ACCUMULATED)
    assert not isinstance(named("strength_reduce").check(kernel, ((0, 0),)), Proved)


def test_an_iteration_is_not_put_into_the_steps_of_another():
    verdict = named("inline_array").check(parse_nest(FILLED_BY_ITERATIONS), (), array="t")
    assert not isinstance(verdict, Proved)
    assert verdict.clause == "states-apart"


def test_a_shared_index_has_the_ranges_of_all_its_loops():
    kernel = parse_nest(OUTER_SHARED)
    facts = ranges_of(kernel.body, {})
    assert (facts(E.index("i")).hi, facts(E.index("j")).hi) == (8, 8)
    assert facts(parse_expr("%i + 1")[0]).hi == 9


CLOSED = """
kernel k(n: i32):
  output x: i32[4]
  for i in 0 .. 4:
    s1 := iterate 0 (i, 1) to (@0.0:i32 * 2 + i, @0.1:i32 + @0.0:i32 * 2) until false limit n end
    x[i] := (iterate 0 (1) to (@0.0:i32 * 2 + s1.1) until false limit 3 end).0
"""
"""An iteration in the steps of another that has its states by the same name, and does not depend on them."""


@pytest.mark.parametrize("lanes", ["", " by 4 lanes"])
@pytest.mark.parametrize("backend", [LlvmBackend(), CBackend(), NumpyBackend()], ids=lambda b: b.name)
def test_iterations_of_one_depth_have_states_of_their_own(backend, lanes):
    kernel = parse_nest(CLOSED.replace("0 .. 4:", f"0 .. 4{lanes}:"))
    (x,) = kernel.outputs
    memory = {x: np.zeros(4, np.int32)}
    backend.compile(kernel, {E.param("n", T.i32): Facts(0, 9)}).run({"n": 3}, memory)
    assert memory[x].tolist() == [15, 169, 323, 477]


def test_facts_are_not_remembered_from_a_narrower_loop():
    """What is inferred of `i + 1` in a loop up to 3 does not hold in one up to 9."""
    assert FactsOf(ranges_of(parse_nest(OUTER_SHARED).body, {}).known)(parse_expr("%i + 1")[0]).hi == 9
