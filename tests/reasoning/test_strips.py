"""Iterations that are strips of a longer loop meet only if the strips overlap."""

import pytest

from pellucid.ir.parse import parse_nest
from pellucid.loops.core.registry import named
from pellucid.reasoning.prove import Proved

TEXT = """kernel k():
  output a: i32[4096]
  input b: i32[4096]
  for y in 0 .. 20:
    for x in {bounds}:
      {store}
"""


@pytest.mark.parametrize(
    ("bounds", "store", "apart"),
    [
        ("y * 16 .. y * 16 + 16", "a[x] := b[x]", True),
        ("y * 16 .. min(y * 16 + 16, 317)", "a[x + 5] := b[x]", True),
        ("3 + y * 16 .. 3 + y * 16 + 16", "a[2 * x] := b[x]", True),
        ("3 - y * 16 .. 3 - y * 16 + 16", "a[400 - x] := b[x]", True),
        ("y * 16 .. y * 16 + 17", "a[x] := b[x]", False),
        ("y * 16 .. min(y * 16 + 17, 300)", "a[x] := b[x]", False),
        ("y * 16 .. max(y * 16 + 16, 40)", "a[x] := b[x]", False),
        ("y * 16 .. y * 16 + 16", "a[x + y] := b[x]", True),
        ("y * 16 .. y * 16 + 16", "a[x - y] := b[x]", False),
        ("y * 16 .. y * 16 + 16", "a[400 - x - y] := b[x]", True),
        ("b[y] .. b[y] + 16", "a[x] := b[x]", False),
    ],
)
def test_strips_that_do_not_overlap_are_apart(bounds: str, store: str, apart: bool):
    kernel = parse_nest(TEXT.format(bounds=bounds, store=store))
    verdict = named("spread").check(kernel, ((0, 0),))
    assert isinstance(verdict, Proved) is apart, verdict
    # What is believed is so: no element is stored to by two iterations.
    owners: dict[int, set[int]] = {}
    for y in range(20):
        words = {"y": y, "min": min, "max": max, "b": [7] * 20}
        for x in range(*(eval(bound, words) for bound in bounds.split(" .. "))):
            place = eval(store[2 : store.index("]")], {**words, "x": x})
            if 0 <= place < 4096:
                owners.setdefault(place, set()).add(y)
    assert not apart or all(len(ys) == 1 for ys in owners.values())
