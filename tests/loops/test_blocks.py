"""What is known of the values of a loop is known in its blocks, and true of the elements behind its end as well."""

from __future__ import annotations

import numpy as np
import pytest

from pellucid.ir.expr import topological
from pellucid.ir.facts import Facts
from pellucid.ir.interp import run
from pellucid.ir.nest import all_roots, inputs
from pellucid.ir.parse import parse_nest
from pellucid.ir.text import print_nest
from pellucid.loops.core.registry import named
from pellucid.reasoning.prove import Proved, Refuted

ROOT = "sqrt(sqrt(sqrt(sqrt(sqrt(sqrt(sqrt(sqrt(a[i]))))))))"
PROGRAMS = {
    "skip_arm": f"""
      s1 := {ROOT}
      b[i] := if a[i] < 1.0 then truncate_in.i32(s1) else 3
""",
    "lockstep": f"""
      s1 := iterate 0 (a[i]) to (@0.0:f32 * 0.5) until @0.0:f32 < 1.0 limit 40 end
      b[i] := truncate_in.i32({ROOT} + min(max(s1.0, 0.0), 1.0))
""",
}


def program(move: str, count: int):
    body = PROGRAMS[move].strip("\n")
    return parse_nest(f"""
kernel k():
  output b: i32[{count}]
  input a: f32[{count}]
  for i in 0 .. {count}:
{body[2:].replace(chr(10) + "  ", chr(10))}
""")


def told(kernel) -> dict:
    """What a caller knows of the roots: that no a is below zero, of which nothing can be seen."""
    nodes = topological(all_roots(kernel.body))
    outer = next(n for n in nodes if n.op == "sqrt" and all(n not in u.args or u.op != "sqrt" for u in nodes))
    return {outer: Facts(0.0, 2.0, nan=False, minus_zero=False)}


@pytest.mark.parametrize("count", [10, 12])
@pytest.mark.parametrize("move", PROGRAMS)
def test_what_is_told_of_a_value_is_known_in_blocks(move, count):
    kernel = program(move, count)
    path = ((0, 0),)
    ranges = told(kernel)
    refused = named(move).check(kernel, path, size=4, dear=1, ranges={})
    assert isinstance(refused, Refuted)
    assert refused.clause == "in-domain"
    assert isinstance(named(move).check(kernel, path, size=4, dear=1, ranges=ranges), Proved)
    applied = named(move).apply(kernel, path, size=4, dear=1, ranges=ranges)
    # Of elements behind the end nothing is told, so they are those of the last iteration.
    assert "min(i_lane, min(" in print_nest(applied.kernel)
    given = np.linspace(0.0, 1.9, count, dtype=np.float32)
    ends = []
    for one in (kernel, applied.kernel):
        memory = {
            b: given.copy() if b.name == "a" else np.zeros(count, np.int32)
            for b in (*one.outputs, *inputs(one))
        }
        run(one, {}, memory)
        ends.append(memory[one.outputs[0]])
    np.testing.assert_array_equal(*ends)
