"""Addresses that are sums of two dynamic values: all tiers give what the machine gives, and none leaves a memory."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

import pellucid
from pellucid.base.errors import PellucidError
from pellucid.staging import Memory
from pellucid.staging.root.machine import run
from pellucid.staging.root.reading import read_sugar

PROGRAMS = {
    "a load": """
f(k x y) {
  v = (load@m (+ x y))
  (car k)(k v)
}""",
    "a store": """
f(k x y) {
  z = (store@out (+ x y) 5)
  (car k)(k x)
}""",
    "a load at what was loaded": """
f(k x y) {
  w = (load@m x)
  v = (load@m (+ w y))
  (car k)(k v)
}""",
    "a loop from x": """
f(k x y) {
  turn(k x y 0 0)
}
turn(k x y i s) {
  if (= i 5) (car k)(k s)
  v = (load@m (+ (+ x i) y))
  z = (store@out (+ i y) (& (+ v s) 255))
  t = (+ s v)
  turn(k x y (+ i 1) t)
}""",
    "a loop down to y": """
f(k x y) {
  turn(k x y 4 0)
}
turn(k x y i s) {
  v = (load@m (+ x i))
  z = (store@out (+ (- i y) 1) v)
  t = (+ s (* v i))
  if (< i y) (car k)(k t)
  turn(k x y (- i 1) t)
}""",
    "sums of words": """
f(k x y) {
  turn(k x y 0)
}
turn(k x y i) {
  if (= i 6) (car k)(k 0)
  u = (load@m (+ i x))
  w = (load@m (+ i y))
  c = (load@out (+ u w))
  z = (store@out (+ u w) (& (+ c 1) 255))
  turn(k x y (+ i 1))
}""",
}
FAR = ((1 << 62, 1 << 62), (-(1 << 62), -(1 << 63)), (1 << 32, 0), ((1 << 63) - 1, 1), (1 << 31, 1 << 31))
NEAR = tuple((x, y) for x in (-3, -1, 0, 1, 3) for y in (-2, 0, 2, 3, 9))
EDGE = 4
"""Words around each memory, which no program may change."""


def _ran(call: Any, words: Mapping[str, np.ndarray]) -> tuple[Any, ...]:
    """What a call gives for copies of memories, and what it leaves in them; None where it fails."""
    held = {name: np.pad(one, EDGE, constant_values=99) for name, one in words.items()}
    inner = {name: one[EDGE:-EDGE] for name, one in held.items()}
    try:
        found = call(inner)
    except PellucidError:
        found = None
    assert all((one[[*range(EDGE), *range(-EDGE, 0)]] == 99).all() for one in held.values())
    return found, {name: one.tolist() for name, one in inner.items()}


@pytest.mark.parametrize("word", [8, 32])
@pytest.mark.parametrize("name", PROGRAMS)
def test_sums_of_dynamic_values_are_addresses_in_all_tiers(name, word) -> None:
    code = read_sugar(PROGRAMS[name])["f"]
    kinds = {one: Memory(one, word) for one in ("m", "out")}
    compiled = {
        tier: pellucid.compile_code(code, "integer", "integer", memories=kinds, tier=tier)
        for tier in ("quick", "llvm", "nest")
    }
    random = np.random.default_rng(1)
    inside = outside = 0
    for x, y in (*NEAR, *FAR):
        words = {one: random.integers(0, 4, 9).astype(kinds[one].buffer.type.dtype) for one in kinds}
        wanted = _ran(
            lambda given, x=x, y=y: run(
                code, x, y, memories={one: Memory(one, word, given[one]) for one in given}
            ),
            words,
        )
        for tier, one in compiled.items():
            if tier == "nest" and (x, y) in FAR and name == "a loop down to y":
                continue  # It refuses nothing, and would count that far.
            found = _ran(lambda given, one=one, x=x, y=y: one(x, y, memories=given), words)
            # A nest refuses nothing: what it gives for an address outside is some word.
            if tier != "nest" or wanted[0] is not None:
                assert found == wanted, (tier, x, y)
        inside += wanted[0] is not None
        outside += wanted[0] is None
    assert inside
    assert outside
