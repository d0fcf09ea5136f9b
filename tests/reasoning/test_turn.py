"""Nested loops that change places count no further than the old ones could, also where these do nothing."""

from dataclasses import replace

import numpy as np
import pytest

from pellucid.ir.interp import run
from pellucid.ir.nest import Kernel
from pellucid.ir.parse import parse_nest
from pellucid.reasoning.known import Known
from pellucid.reasoning.turn import turned

TRIANGLES = {
    "below": "for j in 0 .. i",
    "above": "for j in i .. 9",
    "beside": "for j in i + 2 .. i + 4",
    "falling": "for j in 0 .. 9 - i",
}
LOW = -(2**31)


def changed(outer: str, inner: str) -> tuple[Kernel, Kernel] | None:
    """A nest, and the same with its loops the other way around."""
    kernel = parse_nest(
        f"kernel k(n: i32, m: i32):\n  output a: i32[99]\n  {outer}:\n    {inner}:\n"
        "      a[max(0, min(98, i * 9 + j))] := a[max(0, min(98, i * 9 + j))] + 1\n"
    )
    (first,) = kernel.body
    (second,) = first.body
    found = turned(first, second, Known().facts, Known(around=[first, second]).facts)
    if found is None:
        return None
    around, inside = found
    body = (replace(around, body=(replace(inside, body=second.body),)),)
    return kernel, replace(kernel, body=body)


@pytest.mark.parametrize("inner", TRIANGLES)
def test_a_loop_that_ends_before_it_begins_stays_empty(inner: str) -> None:
    old, new = changed("for i in 0 .. min(n, 9)", TRIANGLES[inner])
    for n in (LOW, LOW + 1, -5, -1, 0, 1, 2, 5, 9, 2**31 - 1):
        wanted, found = np.zeros(99, np.int32), np.zeros(99, np.int32)
        run(old, {"n": n, "m": 0}, dict.fromkeys(old.outputs, wanted))
        run(new, {"n": n, "m": 0}, dict.fromkeys(new.outputs, found), max_iterations=200)
        np.testing.assert_array_equal(found, wanted)


def test_a_begin_that_may_be_beyond_the_last_index_is_refused() -> None:
    assert changed("for i in m .. min(n, 9)", TRIANGLES["below"]) is None


def test_loops_over_a_rectangle_only_change_places() -> None:
    old, new = changed("for i in m .. n", "for j in 2 .. m")
    assert [(loop.lo, loop.hi) for loop in (new.body[0], new.body[0].body[0])] == [
        (loop.lo, loop.hi) for loop in (old.body[0].body[0], old.body[0])
    ]
