"""Binding times: their order, their joins, structures that close on themselves, their text."""

import itertools
import random

import pytest

from pellucid.base.errors import StagingError
from pellucid.staging.root.program import RootCode
from pellucid.staging.times.lattice import (
    CYCLIC,
    DYNAMIC,
    STATIC,
    Constant,
    Pointer,
    Stack,
    Time,
    TimeGraph,
    below,
    join,
    listed,
    pair,
    tuple_of,
)
from pellucid.staging.times.text import extension, read_time, show

CONT = RootCode("cont", ("self", "r"))
OTHER = RootCode("other", ("self", "r"))


def drawn(draw: random.Random, depth: int = 3) -> Time:
    kind = draw.randrange(8 if depth else 5)
    if kind < 5:
        return [STATIC, CYCLIC, DYNAMIC, Constant(None), Constant(7)][kind]
    if kind == 5:
        return listed(drawn(draw, depth - 1), draw.choice("pq"))
    return pair(drawn(draw, depth - 1), drawn(draw, depth - 1), draw.choice("pqr"))


def test_figure_6_orders_the_times() -> None:
    chain = [Constant(3), STATIC, CYCLIC, DYNAMIC]
    assert all(
        below(one, other) == (at <= to)
        for (at, one), (to, other) in itertools.product(enumerate(chain), repeat=2)
    )
    assert below(tuple_of(STATIC, STATIC), tuple_of(DYNAMIC, STATIC))
    assert below(tuple_of(DYNAMIC), DYNAMIC)
    assert not below(CYCLIC, STATIC)
    assert join(Constant(1), Constant(2)) is STATIC
    assert Constant(1) != Constant(True)


def test_a_join_is_the_least_that_is_above_both() -> None:
    draw = random.Random(6)
    for _ in range(1500):
        one, other, third = (drawn(draw) for _ in range(3))
        both = join(one, other)
        assert both == join(other, one)
        assert join(both, one) == both
        assert join(both, other) == both
        assert join(one, one) == one
        assert join(both, join(both, third)) == join(both, third)


def test_a_pair_within_a_pair_of_its_point_is_that_pair() -> None:
    time: Time = Constant(None)
    seen = []
    for _ in range(4):
        time = pair(pair(STATIC, DYNAMIC, "entry"), time, "spine")
        seen.append(show(time))
    assert seen[1:] == ["(S * D) list"] * 3
    assert len(time.nodes) == 2
    assert time.packed
    assert not time.car.packed


def test_two_points_that_take_turns_make_a_graph_of_two_nodes() -> None:
    time: Time = Constant(None)
    times = []
    for at in range(12):
        time = pair(DYNAMIC if at % 3 else STATIC, time, "ab"[at % 2])
        times.append(time)
    assert len(set(times[5:])) == 2
    assert all(len(time.nodes) == 2 for time in times[5:])
    assert {point for node in times[-1].nodes for point in node.points} == {"a", "b"}


def test_patterns_of_any_program_settle() -> None:
    draw = random.Random(7)
    for _ in range(40):
        known: list[Time] = [STATIC, DYNAMIC, Constant(None)]
        for _ in range(60):
            known.append(pair(draw.choice(known), draw.choice(known), draw.choice("pqrs")))
        assert all(len(time.nodes) <= 64 for time in known if isinstance(time, TimeGraph))


def test_a_continuation_inside_of_its_own_frame_is_a_control_stack() -> None:
    frame = tuple_of(DYNAMIC, STATIC)
    closure = pair(Constant(CONT), pair(frame, Constant(None), "frame"), "cl", closure=True)
    again = pair(Constant(CONT), pair(closure, Constant(None), "frame"), "cl", closure=True)
    assert show(closure) == "(close cont (list (list D S)))"
    assert show(again) == "(close cont (list stack-bt))"
    assert join(closure, Stack((DYNAMIC,))) == Stack((DYNAMIC,))
    assert join(closure, pair(Constant(OTHER), Constant(None), closure=True)) == Stack((DYNAMIC,))
    assert show(pair(Pointer(CONT), frame, closure=True)) == "(close S (list D S))"


def test_times_are_printed_as_in_the_paper() -> None:
    append = RootCode("append", ("k", "l", "m"))
    assert extension(append, [DYNAMIC, STATIC, DYNAMIC]) == "append(D S D)"
    for text in (
        "S",
        "cyc",
        "(S * D) list",
        "D list",
        "(list stack-bt D S)",
        "(list (cons D S) (D list))",
        "(cons D S)",
    ):
        assert show(read_time(text)) == text
    with pytest.raises(StagingError, match="did you mean 'static'"):
        read_time("statik")


def test_a_pair_is_the_same_graph_whether_its_halves_share_points_or_not() -> None:
    draw = random.Random(58)
    sharing = {True: 0, False: 0}
    for _ in range(400):
        made, other = drawn(draw), drawn(draw)
        both = pair(made, other, draw.choice(["own", "", "p"]))
        if not isinstance(both, TimeGraph):
            continue
        # What is kept beside the nodes is what they say, and no two of them are alike.
        again = TimeGraph(both.nodes)
        assert (again.packed, again.points) == (both.packed, both.points)
        assert (again.car, again.cdr) == (both.car, both.cdr)
        assert len({(node.points, node.car, node.cdr, node.atom) for node in both.nodes}) == len(both.nodes)
        halves = [one.points for one in (made, other) if isinstance(one, TimeGraph)]
        sharing[len(halves) == 2 and not halves[0].isdisjoint(halves[1])] += 1
    assert min(sharing.values()) > 40
