"""When two accesses are always separate: White's Table 6.2 as the floor, forms above it, never wrong."""

import itertools
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pellucid.ir import expr as E
from pellucid.ir import types as T
from pellucid.ir.expr import Buffer, Expr
from pellucid.ir.facts import Facts
from pellucid.ir.interp import evaluate
from pellucid.ir.nest import For, scratch
from pellucid.ir.parse import parse_expr, parse_nest
from pellucid.ir.path import walk
from pellucid.reasoning.effects import Access, Guard, effects
from pellucid.reasoning.kinds import AccessPattern, kind
from pellucid.reasoning.known import Known, known_at
from pellucid.reasoning.prove import Proved, Refuted, Unknown
from pellucid.reasoning.separate import interchangeable, location_independent, not_self_referencing, separate

ARRAY = Buffer("a", T.i32, 100)
MEMORY = {"a": ARRAY, "b": Buffer("b", T.i32, 100), "x": Buffer("x", T.i32, 1)}


def expression(text: str, type_: T.Type = T.i32) -> Expr:
    return parse_expr(text, MEMORY)[0]


def loop(name: str, lo: str, hi: str) -> For:
    return For(E.index(name), expression(lo), expression(hi), ())


def access(position: str, *loops: For, store: bool = True) -> Access:
    return Access(ARRAY, expression(position), loops, store=store)


# ---- Table 6.2 ----

CELLS = {
    AccessPattern.CONSTANT: access("7"),
    AccessPattern.VARIABLE: access("%v"),
    AccessPattern.EXPRESSION: access("%v + 1"),
    AccessPattern.CONSTANT_SUBRANGE: access("%i", loop("i", "0", "7")),
    AccessPattern.VARIABLE_SUBRANGE: access("%i", loop("i", "%v", "%v + 7")),
}
"""One access of each kind; below, the other access of each cell that White's table marks Maybe."""
MAYBE = {
    (AccessPattern.CONSTANT, AccessPattern.CONSTANT): access("8"),
    (AccessPattern.CONSTANT, AccessPattern.CONSTANT_SUBRANGE): access("%j", loop("j", "8", "20")),
    (AccessPattern.VARIABLE, AccessPattern.EXPRESSION): access("%v + 1"),
    (AccessPattern.EXPRESSION, AccessPattern.VARIABLE): access("%v"),
    (AccessPattern.EXPRESSION, AccessPattern.EXPRESSION): access("%v + 2"),
    (AccessPattern.CONSTANT_SUBRANGE, AccessPattern.CONSTANT): access("7"),
    (AccessPattern.CONSTANT_SUBRANGE, AccessPattern.CONSTANT_SUBRANGE): access("%j", loop("j", "7", "9")),
    (AccessPattern.VARIABLE_SUBRANGE, AccessPattern.VARIABLE_SUBRANGE): access(
        "%j", loop("j", "%v + 7", "%v + 9")
    ),
}
SMALL = Known({E.index("v"): Facts(0, 1000)})


@pytest.mark.parametrize("first", CELLS, ids=lambda k: k.name)
@pytest.mark.parametrize("second", CELLS, ids=lambda k: k.name)
def test_H6_table_6_2_is_the_floor(first, second):
    one = CELLS[first]
    assert kind(one) is first
    other = MAYBE.get((first, second))
    if other is not None:
        assert kind(other) is second
        assert isinstance(separate(one, other, SMALL), Proved)
        assert isinstance(separate(other, one, SMALL), Proved)
    # The same access twice is never separate, and a cell marked Never is not decided without facts.
    same = separate(one, one, SMALL)
    assert not isinstance(same, Proved)
    if other is None:
        assert not isinstance(separate(one, CELLS[second], Known()), Proved)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (access("7"), access("7")),
        (access("7"), access("%j", loop("j", "0", "8"))),
        (access("%v"), access("%v")),
        (access("%v + 1"), access("1 + %v")),
        (access("%i", loop("i", "0", "7")), access("%j", loop("j", "6", "9"))),
    ],
)
def test_a_common_element_is_a_witness(one, other):
    assert isinstance(separate(one, other, Known()), Refuted)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (access("%v"), access("7")),
        (access("%v"), access("%w")),
        (access("%v + 1"), access("%v * 2")),
        (access("%v"), access("%v + $n:i32")),
        (access("%i", loop("i", "0", "$n:i32")), access("%j", loop("j", "$n:i32 - 1", "$n:i32 + 9"))),
        (access("%i * 2", loop("i", "0", "7")), access("%j * 4", loop("j", "0", "7"))),
        (access("x[0]"), access("x[0] * x[0]")),
    ],
)
def test_what_would_decide_it_is_said(one, other):
    verdict = separate(one, other, Known())
    assert isinstance(verdict, Unknown)
    assert "must not be 0" in str(verdict)


# ---- above the floor ----

N = expression("$n:i32")
TRIANGLE = (loop("i", "0", "$n:i32"), loop("j", "0", "%i"))
ABOVE = [
    ("%i * 2", "%i * 2 + 1", (), (), {}),
    ("%i * 2", "%k * 2 + 1", (), (), {}),
    ("%i * 6 + 2", "%k * 4 + 1", (), (), {}),
    ("%i", "%i + $n:i32", (), (), {N: Facts(1, 50)}),
    ("%i", "%i + $n:i32", (), (), {N: Facts(-9, -1)}),
    ("%i", "%j", TRIANGLE[:1], TRIANGLE, None),
    ("%i", "%i + $n:i32", (loop("i", "0", "$n:i32"),), (loop("i", "0", "$n:i32"),), {N: Facts(0, 10**6)}),
    ("%j * $n:i32 + %i", "(%j + 1) * $n:i32 + %i", (), (), {N: Facts(1, 1000)}),
    ("%i * 3", "%k * 3 + 1", (), (), {E.index("i"): Facts(0, 9**6), E.index("k"): Facts(0, 9**6)}),
    ("convert.i64(%i) * 2:i64", "convert.i64(%i) * 2:i64 + 3:i64", (), (), {}),
    ("min(%v, 3)", "max(%w, 4)", (), (), {}),
    ("x[0] * 2", "x[0] * 2 + 1", (), (), {}),
]


@pytest.mark.parametrize(("p", "q", "loops", "others", "ranges"), ABOVE)
def test_forms_see_more(p, q, loops, others, ranges):
    if ranges is None:
        # Within one iteration of the outer loop, j stays below i.
        known = Known({}, loops)
        assert isinstance(separate(access(p), access(q, *others[1:]), known), Proved)
        return
    assert isinstance(separate(access(p, *loops), access(q, *others), Known(ranges)), Proved)


@pytest.mark.parametrize(
    ("p", "q", "ranges"),
    [
        ("%i * 3", "%k * 3 + 1", {}),
        ("%i * 65536", "%i * 65536 + $n:i32 * 65536", {N: Facts(1, 65536)}),
        ("%j * $n:i32 + %i", "%j * $n:i32 + %i + $n:i32 * $n:i32 * 4", {N: Facts(1, 32768)}),
    ],
)
def test_wrapping_is_seen(p, q, ranges):
    assert isinstance(separate(access(p), access(q), Known(ranges)), Unknown)


def test_a_load_beyond_an_end_loads_the_last_element():
    i = loop("i", "0", "99")
    assert isinstance(separate(access("%i"), access("%i + 1", store=False), Known({}, [i])), Proved)
    longer = loop("i", "0", "100")
    verdict = separate(access("%i"), access("%i + 1", store=False), Known({}, [longer]))
    assert isinstance(verdict, Unknown)
    assert "beyond the end" in str(verdict)
    verdict = separate(access("%i"), access("%i - 1", store=False), Known({}, [i]))
    assert isinstance(verdict, Unknown)
    assert "is not below" in str(verdict)
    assert isinstance(separate(access("%i"), access("%i + 1"), Known({}, [longer])), Proved)


def test_conditions_are_known_inside():
    n = E.param("n", T.i32)
    positive = Guard(E.apply("lt", E.const(0, T.i32), n), True)
    assert isinstance(separate(access("%v"), access("%v + $n:i32"), Known({}, [positive])), Proved)
    negative = Guard(positive.condition, False)
    assert isinstance(separate(access("%v"), access("%v + $n:i32"), Known({}, [negative])), Unknown)


def test_a_condition_on_memory_that_changes_tells_nothing():
    text = """kernel k(n: i32):
  output a: i32[100]
  output x: i32[1]
  if 0 < x[0]:
    x[0] := 0
    a[1] := 5
    a[1 + x[0]] := 6
"""
    kernel = parse_nest(text, MEMORY)
    path = [p for p, _ in walk(kernel.body)][-1]
    known = known_at(kernel.body, path)
    assert known.facts(expression("x[0]")).lo < 0
    quiet = parse_nest(text.replace("    x[0] := 0\n", ""), MEMORY)
    path = [p for p, _ in walk(quiet.body)][-1]
    assert known_at(quiet.body, path).facts(expression("x[0]")).lo == 1


# ---- never wrong ----

SMALLEST = Buffer("s", T.i32, 6)


class Chance:
    """Random positions over i, j, k and n, with bounds of their own."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)

    def position(self, own: Expr) -> Expr:
        leaves = [own, E.index("k"), N, *(E.const(k, T.i32) for k in (0, 1, 2, 3, -1, 1 << 30, 1 << 31))]
        node = self.rng.choice(leaves)
        for _ in range(self.rng.randrange(4)):
            node = E.apply(
                self.rng.choice(("add", "add", "sub", "mul", "min")), node, self.rng.choice(leaves)
            )
        return node

    def loop(self, name: str) -> For:
        lo = self.rng.choice((E.const(0, T.i32), E.const(1, T.i32), E.index("k"), N))
        hi = self.rng.choice((E.const(3, T.i32), E.const(5, T.i32), E.index("k"), N, E.apply("add", N, N)))
        return For(E.index(name), lo, hi, ())


@given(st.integers(0, 2**32 - 1))
def test_no_proof_is_wrong(seed):
    chance = Chance(seed)
    store = chance.rng.random() < 0.5
    pair = []
    # Loops one after the other may share the name of an index, and it is not the same number.
    for name in ("i", chance.rng.choice(("i", "j"))):
        around = chance.loop(name)
        pair.append(Access(SMALLEST, chance.position(around.index), (around,), store=store or not pair))
    outer = chance.loop("k") if chance.rng.random() < 0.5 else loop("k", "-1", "3")
    if outer.lo.op == "index" or outer.hi.op == "index":
        outer = loop("k", "0", "$n:i32")
    low = chance.rng.choice((-2, 0, 1))
    verdict = separate(*pair, Known({N: Facts(low, 4)}, [outer]))
    for n in range(low, 5):
        for k in values(outer, {N: n}):
            shared = {N: n, E.index("k"): k}
            first, second = (elements(a, shared) for a in pair)
            if isinstance(verdict, Proved):
                assert not first & second, f"{verdict}: n = {n}, k = {k}"


def values(around: For, environment: dict[Expr, int]) -> range:
    lo, hi = (int(e.item()) for e in evaluate([around.lo, around.hi], environment))
    return range(lo, hi)


def elements(a: Access, environment: dict[Expr, int]) -> set[int]:
    found = set()
    for v in values(a.scope[0], environment):
        p = int(evaluate([a.position], {**environment, a.scope[0].index: v})[0].item())
        if not a.store:
            found.add(int(np.clip(p, 0, SMALLEST.size - 1)))
        elif 0 <= p < SMALLEST.size:
            found.add(p)
    return found


def test_proofs_are_found_by_chance_too():
    found = set()
    for seed, store in itertools.product(range(150), (True, False)):
        chance = Chance(seed)
        loops = [chance.loop(name) for name in ("i", "j")]
        pair = [Access(SMALLEST, chance.position(s.index), (s,), store=store or s is loops[0]) for s in loops]
        found.add(type(separate(*pair, Known({N: Facts(1, 4)}, [loop("k", "0", "3")]))))
    assert found == {Proved, Refuted, Unknown}


# ---- statements ----

HEAD = "kernel k(n: i32):\n  output a: i32[100]\n  output b: i32[100]\n  output x: i32[1]\n"


def statements(body: str):
    return parse_nest(HEAD + body, MEMORY).body


@pytest.mark.parametrize(
    ("first", "second", "may"),
    [
        ("  a[1] := 2\n", "  b[1] := a[2]\n", True),
        ("  a[1] := 2\n", "  b[1] := a[1]\n", False),
        ("  a[1] := b[2]\n", "  b[2] := 7\n", False),
        ("  x[0] := 1\n", "  x[0] := 2\n", False),
        ("  for i in 0 .. 9:\n    a[i] := 1\n", "  for i in 0 .. 9:\n    b[i] := a[i + 9]\n", True),
        ("  for i in 0 .. 9:\n    a[i] := 1\n", "  for i in 0 .. 9:\n    b[i] := a[i + 8]\n", False),
        ("  for i in 0 .. 9:\n    a[i * 2] := 1\n", "  for i in 0 .. 9:\n    a[i * 2 + 1] := 2\n", True),
        ("  x[0] := 3\n", "  a[x[0]] := 2\n", False),
        ("  a[x[0]] := 1\n", "  a[x[0] + 1] := 2\n", True),
        ("  a[b[0]] := 1\n", "  b[0] := 2\n", False),
        ("  if 5 < n:\n    a[n] := 1\n", "  a[5] := 2\n", True),
        ("  if 4 < n:\n    a[n] := 1\n", "  a[5] := 2\n", False),
    ],
)
def test_interchangeable(first, second, may):
    verdict = interchangeable(statements(first), statements(second), Known())
    assert isinstance(verdict, Proved) is may, verdict


def test_the_moment_of_a_load_counts():
    # x[0] is not the same number on both sides, because one of them changes it.
    first = statements("  x[0] := x[0] + 1\n  a[x[0]] := 1\n")
    second = statements("  a[x[0] + 1] := 2\n")
    assert not isinstance(interchangeable(first, second, Known()), Proved)


def test_effects_are_syntactic():
    # Set and put back: White's semantic sets would leave x out (the first fault of her Theorem 4.1.4).
    found = effects(statements("  x[0] := x[0] + 1\n  b[0] := x[0]\n  x[0] := x[0] - 1\n"))
    assert {a.buffer.name for a in found.sets} == {"x", "b"}


def test_self_reference_and_location():
    own, plain = access("a[x[0]]"), access("x[0] + 1")
    scalar, other = Access(MEMORY["x"], expression("0"), store=True), access("3")
    assert not isinstance(not_self_referencing(own, Known()), Proved)
    assert isinstance(not_self_referencing(plain, Known()), Proved)
    # The element that is set is not the one that its position loads.
    assert isinstance(not_self_referencing(access("min(a[9], 8)"), Known()), Proved)
    assert not isinstance(location_independent(plain, [scalar], Known()), Proved)
    assert isinstance(location_independent(plain, [other], Known()), Proved)


def test_what_the_caller_declares_is_among_the_premises():
    apart = interchangeable(statements("  a[1] := 2\n"), statements("  b[1] := a[2]\n"), Known())
    assert isinstance(apart, Proved)
    assert {p.clause for p in apart.premises} == {"distinct-memory", "declared-sizes"}
    stores = interchangeable(statements("  a[1] := 2\n"), statements("  a[2] := 3\n"), Known())
    assert isinstance(stores, Proved)
    assert not stores.premises


def test_a_size_that_loads_what_has_changed_tells_nothing():
    text = """kernel k(n: i32):
  output x: i32[1]
  output a: i32[100]
  alloc t: i32[x[0]]:
    {}
    a[0] := t[x[0] - 1]
"""
    from pellucid.reasoning.bounds import inside

    for change, known in (("a[1] := 2", True), ("x[0] := 5", False)):
        kernel = parse_nest(text.format(change), {k: b for k, b in MEMORY.items() if k != "t"})
        path, last = list(walk(kernel.body))[-1]
        (array,) = scratch(kernel.body)
        ranges = {expression("x[0]"): Facts(1, 50)}
        verdict = inside(last.value.args[0], array, known_at(kernel.body, path, ranges))
        assert isinstance(verdict, Proved) is known
