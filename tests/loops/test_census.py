"""A census kept from version to version is that of the last version counted afresh."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from pellucid.ir import types as T
from pellucid.ir.expr import const, index
from pellucid.ir.nest import Abstract, Alloc, For, Kernel, Statement
from pellucid.ir.parse import parse_nest
from pellucid.ir.path import walk
from pellucid.loops.core.build import fresh_buffer, fresh_index, index_between
from pellucid.loops.core.census import Census
from pellucid.loops.core.elements import touching

NAMED = [Abstract(name) for name in ("ab", "ba", "bb", "c", "d", "da")]


def letters(s: Abstract) -> set[tuple[str, int]]:
    return {(letter, len(s.name)) for letter in s.name}


def counted(block: tuple[Abstract, ...]) -> dict[str, Counter[int]]:
    found: dict[str, Counter[int]] = {}
    for s in block:
        for letter, length in letters(s):
            found.setdefault(letter, Counter())[length] += 1
    return found


@given(st.lists(st.lists(st.sampled_from(NAMED), max_size=7).map(tuple), max_size=12))
def test_a_census_is_what_counting_afresh_gives(versions: list[tuple[Abstract, ...]]):
    census = Census(letters)
    for version in versions:
        assert census(version) == counted(version)


def test_only_what_has_changed_is_looked_at_again():
    looked: list[str] = []

    def of(s: Abstract) -> set[tuple[str, None]]:
        looked.append(s.name)
        return {(s.name, None)}

    block = tuple(Abstract(f"s{k}") for k in range(100))
    census = Census(of)
    census(block)
    looked.clear()
    assert "t" in census((*block[:40], Abstract("t"), *block[41:]))
    assert sorted(looked) == ["s40", "t"]


TEXT = """kernel k():
  output a: i32[8]
  alloc t: i32[8]
  alloc u: i32[8]:
    for x in 0 .. 8:
      t[x] := x
    for x2 in 1 .. 7:
      u[x2] := t[x2]
    for y in 0 .. 2:
      for x2 in 1 .. 7:
        a[x2] := t[x2] + u[x2]
"""


def loop_at(kernel: Kernel, number: int) -> tuple[tuple[tuple[int, int], ...], Statement]:
    return list(walk(kernel.body))[number]


def test_names_that_are_taken_are_those_of_loops_and_of_all_arrays():
    kernel = parse_nest(TEXT)
    assert fresh_index(kernel, "x").attr == "x3"
    assert fresh_index(kernel, "z").attr == "z"
    for name in ("a", "t", "u"):
        assert fresh_buffer(kernel, name, T.i32, 8).name == f"{name}2"
    assert fresh_buffer(kernel, "t_row", T.i32, 8).name == "t_row"


def test_loops_apart_with_the_same_bounds_share_an_index():
    kernel, one, seven = parse_nest(TEXT), const(1, T.i32), const(7, T.i32)
    path, first = loop_at(kernel, 1)
    assert isinstance(first, For)
    assert index_between(kernel, path, "x", one, seven).attr == "x2"
    assert index_between(kernel, path, "x", const(2, T.i32), seven).attr == "x3"
    beside = For(index("x2"), one, seven, ())
    assert index_between(kernel, path, "x", one, seven, [beside]).attr == "x3"


def test_an_index_is_not_shared_with_a_loop_around_or_inside():
    kernel, one, seven = parse_nest(TEXT), const(1, T.i32), const(7, T.i32)
    around, _ = loop_at(kernel, 5)
    inside, _ = loop_at(kernel, 6)
    assert index_between(kernel, around, "x", one, seven).attr == "x3"
    assert index_between(kernel, inside, "x", one, seven).attr == "x3"
    assert index_between(kernel, inside, "y", const(0, T.i32), const(2, T.i32)).attr == "y2"


def test_the_users_of_an_array_are_found_wherever_they_stand():
    kernel = parse_nest(
        TEXT.replace("    for y", "    alloc v: i32[1]:\n     for y")
        .replace("\n      for x2", "\n       for x2")
        .replace("\n        a[", "\n         a[")
    )
    (around,) = kernel.body
    assert isinstance(around, Alloc)
    t, u = around.sizes
    path = ((0, 0),)
    assert [p[len(path) :] for p, _ in sorted(touching(around, path, u), key=lambda f: f[0])] == [
        ((0, 1),),
        ((0, 2), (0, 0)),
    ]
    assert len(touching(around, path, t)) == 3


def test_a_statement_that_stands_twice_is_found_twice():
    kernel = parse_nest(
        "kernel k():\n  output a: i32[8]\n  alloc t: i32[8]:\n    t[0] := 1\n    a[0] := t[0]\n"
    )
    (around,) = kernel.body
    assert isinstance(around, Alloc)
    (t,) = around.sizes
    twice = Alloc(around.sizes, (around.body[0], *around.body))
    assert [p for p, _ in touching(twice, (), t)] == [((0, 0),), ((0, 1),), ((0, 2),)]
