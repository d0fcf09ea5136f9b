"""Cycles and lookups: what repeats along a loop is taken at once, what one small number decides is a table."""

import numpy as np
import pytest

from pellucid.backends.numpy import NumpyBackend
from pellucid.ir import nest as N
from pellucid.ir import types as T
from pellucid.ir.nest import Alloc, For, Kernel, walk
from pellucid.ir.parse import parse_nest
from pellucid.loops.analysis.lookups import lookups
from pellucid.loops.core.ledger import Ledger
from pellucid.loops.core.registry import named
from pellucid.loops.core.tactic import State, attempt, make, run
from pellucid.loops.scripts.cycles import cycle, edges, take_cycles
from pellucid.loops.scripts.widths import MIN_NARROW, by_lanes, order_of, usual
from pellucid.reasoning.prove import Proved

HEAD = """kernel k(n: i32):
  output out: i32[90]
  output shade: f32[90]
  input a: i32[90]
  input c: u8[90]
"""


def nest(*lines: str, head: str = "  for i in 0 .. 90:") -> Kernel:
    return parse_nest(f"{HEAD}{head}\n" + "".join(f"    {line}\n" for line in lines))


def loop(kernel: Kernel) -> For:
    return next(s for s in walk(kernel.body) if isinstance(s, For))


def memory(kernel: Kernel) -> list[bytes]:
    """What a kernel leaves in its outputs."""
    placed = run(attempt("place"), kernel).kernel
    rng = np.random.default_rng(2)
    given = {
        b: rng.integers(0, 90, b.size).astype(b.type.dtype)
        for b in sorted(N.inputs(kernel), key=lambda b: b.name)
        if b.data is None
    }
    given |= {b: np.zeros(b.size, b.type.dtype) for b in kernel.outputs}
    NumpyBackend().compile(placed, {}).run({"n": 90}, given)
    return [given[b].tobytes() for b in kernel.outputs]


@pytest.mark.parametrize(
    ("value", "many"),
    [
        ("i & 1", 2),
        ("mod(i, 3) + shift_right_in(i, 1)", 6),
        ("(2 * i + 1) & 7", 4),
        ("i // 5", 5),
        ("i & 6", 1),
        ("a[i] & 1", 1),
        ("(i * i) & 3", 1),
        ("mod(i, 7) + mod(i, 5)", 1),
    ],
)
def test_a_cycle_is_what_all_quotients_and_remainders_share(value: str, many: int):
    kernel = nest(f"out[i] := {value}")
    assert cycle(loop(kernel)) == many
    state = take_cycles(State(kernel, {}, Ledger()))
    assert (state.kernel is not kernel) == (many > 1)
    assert memory(state.kernel) == memory(kernel)


@pytest.mark.parametrize(
    ("position", "cuts"),
    [
        ("abs(i - 1)", [1]),
        ("89 - abs(88 - i)", [89]),
        ("min(i + 3, 89)", [86]),
        ("max(2 * i - 9, 0)", [5]),
        ("abs(i - 1) + max(i - 4, 0)", [1, 4]),
        ("abs(i + 1)", []),
        ("abs(a[i])", []),
    ],
)
def test_edges_are_where_magnitudes_and_bounds_turn(position: str, cuts: list[int]):
    kernel = nest(f"out[i] := a[{position}]")
    assert edges(loop(kernel)) == cuts
    state = take_cycles(State(kernel, {}, Ledger()))
    assert memory(state.kernel) == memory(kernel)
    assert sum(isinstance(s, For) for s in walk(state.kernel.body)) == len(cuts) + 1


def test_loops_of_unknown_length_are_left_alone():
    kernel = nest("out[i] := i & 1", head="  for i in 0 .. n:")
    assert take_cycles(State(kernel, {}, Ledger())).kernel is kernel


def test_rows_are_taken_together_with_the_loop_inside():
    kernel = nest("for i in 0 .. 9:", "  out[9 * j + i] := j & 1", head="  for j in 0 .. 10:")
    state = take_cycles(State(kernel, {}, Ledger()))
    assert memory(state.kernel) == memory(kernel)
    (rows,) = state.kernel.body
    assert isinstance(rows, For)
    (columns,) = rows.body
    assert isinstance(columns, For)
    assert len(columns.body) == 2


def test_the_order_of_loops_is_that_of_their_depth():
    kernel = nest("for i in 0 .. 9:", "  out[9 * j + i] := j", head="  for j in 0 .. 10:")
    rows = loop(kernel)
    (columns,) = rows.body
    assert isinstance(columns, For)
    assert order_of(kernel) == (rows.index.free, columns.index.free)


@pytest.mark.parametrize(
    ("line", "bits"),
    [
        ("out[i] := a[i]", 32),
        ("shade[i] := convert.f32(c[i])", 32),
        ("out[i] := a[convert.i32(c[i])]", 32),
    ],
)
def test_the_widest_value_decides_the_lanes(line: str, bits: int):
    assert usual(loop(nest(line))) == bits


@pytest.mark.parametrize(("more", "bits"), [(-1, 32), (0, 8)])
def test_a_few_wide_values_do_not(more: int, bits: int):
    # Two elements and all sums are bytes, and one value has 32 bits.
    terms = " + ".join(f"{k + 1}:u8" for k in range(MIN_NARROW - 4 + more))
    line = f"shade[i] := convert.f32(c[i] + c[i + 1] + {terms})"
    assert usual(loop(nest(line))) == bits


def test_the_number_of_an_element_is_as_wide_as_what_it_is_made_of():
    for position in ("convert.i64(c[i])", "convert.i64(c[i]) + 7:i64"):
        assert usual(loop(nest(f"c[i] := c[{position}]"))) == 8


def test_bytes_run_by_more_lanes_than_words():
    text = "kernel k():\n  output out: u8[300]\n  input a: u8[300]\n  for i in 0 .. 300:\n    out[i] := a[299 - i]\n"
    state = by_lanes(16, 32)(State(parse_nest(text), {}, Ledger()))
    assert loop(state.kernel).how.count == 64


@pytest.mark.parametrize(("count", "lanes"), [(1, 1), (2, 2), (7, 4), (16, 16), (17, 16), (40, 16)])
def test_a_loop_of_few_iterations_has_few_lanes(count: int, lanes: int):
    text = f"kernel k():\n  output out: f32[300]\n  for i in 0 .. {count}:\n    out[i] := convert.f32(i)\n"
    state = by_lanes(16, 32)(State(parse_nest(text), {}, Ledger()))
    how = loop(state.kernel).how
    assert (how.count if how.kind == "lanes" else 1) == lanes


CURVE = "shade[i] := sqrt(convert.f32(convert.i32(c[i]) & 3) * 0.3)"


def looked_up(kernel: Kernel) -> Kernel | None:
    state, done = make(State(kernel, {}, Ledger()), named("look_up"), (), dear=4.0)
    return state.kernel if done else None


def test_a_curve_of_a_small_number_is_a_table():
    kernel = nest(CURVE)
    (table,) = lookups(kernel, {}, 4.0)
    assert (table.size, table.uses) == (4, 90)
    after = looked_up(kernel)
    assert after is not None
    assert memory(after) == memory(kernel)
    assert sum(isinstance(s, Alloc) for s in walk(after.body)) == 1


def test_one_curve_is_one_table_wherever_it_is():
    kernel = nest(CURVE, "shade[89 - i] := sqrt(convert.f32(convert.i32(c[89 - i]) & 1) * 0.3)")
    (table,) = lookups(kernel, {}, 4.0)
    assert (table.size, len(table.places)) == (4, 2)


def test_bits_of_one_number_are_one_table_of_the_number():
    whole = "truncate_in.i32(sqrt(convert.f32(convert.i32(c[i]) & 3) * 100.0))"
    kernel = nest(f"out[i] := {whole} & 7", f"out[89 - i] := shift_right_in({whole}, 3)")
    (table,) = lookups(kernel, {}, 4.0)
    assert (table.value.type, len(table.places)) == (T.u8, 1)
    after = looked_up(kernel)
    assert after is not None
    assert memory(after) == memory(kernel)


def test_multiples_of_one_curve_are_one_table_of_the_curve():
    curve = "sqrt(convert.f32(convert.i32(c[{}]) & 3) * 0.3)"
    one, other = (curve.format(at) for at in ("i", "89 - i"))
    kernel = nest(f"shade[i] := {one} * 0.25", f"shade[89 - i] := {other} * 0.5 + {one}")
    (table,) = lookups(kernel, {}, 4.0)
    assert (table.value.op, table.size, len(table.places)) == ("sqrt", 4, 2)
    after = looked_up(kernel)
    assert after is not None
    assert memory(after) == memory(kernel)
    # One multiple by itself is the table.
    (table,) = lookups(nest(f"shade[i] := {one} * 0.25"), {}, 4.0)
    assert table.value.op == "mul"


@pytest.mark.parametrize(
    "line",
    [
        "shade[i] := sqrt(convert.f32(c[i]))",
        "shade[i] := convert.f32(convert.i32(c[i]) & 3) * 2.0",
        "shade[i] := sqrt(convert.f32(a[i]))",
        "shade[i] := sqrt(convert.f32(convert.i32(c[i]) & 3) + convert.f32(i))",
    ],
    ids=["more entries than turns", "cheap", "any number", "two numbers"],
)
def test_what_does_not_pay_or_hangs_on_more_gets_no_table(line: str):
    assert looked_up(nest(line)) is None


def test_the_move_says_what_it_proved():
    verdict = named("look_up").check(nest(CURVE), (), dear=4.0)
    assert isinstance(verdict, Proved)
