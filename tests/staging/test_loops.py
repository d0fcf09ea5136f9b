"""How loops are specialized: how finely they know what they move, when they come back, and when they give up."""

from __future__ import annotations

import pytest

from pellucid import signals as sg
from pellucid.base.errors import StagingError
from pellucid.ir import nest as N
from pellucid.staging import Memory, choose, cyclic, dynamic_call, fork, lift, loop, specialize, unknown

from .programs import Late, everywhere, inner_loop, loads, operations, stores, words


def rows(memory, pitch, left, width, height):
    """The sum of the bytes of a rectangle, whose rows are `pitch` bits apart."""

    def row(y, r):
        start = y * pitch + left
        pixels = sg.memory(memory, start, start + lift(width) * 8, 8, 8)
        return y + 1, sg.reduce(pixels, r, lambda r, x: r + x)

    return loop(lambda y, r: y == height, row, lift(0), lift(0))[1]


@pytest.mark.parametrize("pitch", [32 * 4, 32 * 65, 32 * 1000])
def test_an_address_that_moves_by_words_is_known_modulo_a_word_and_not_a_row(pitch):
    count = pitch // 8 - 5
    residual, found, _ = everywhere(
        rows, Memory("m"), pitch, 24, count, 2, arrays={"m": words(2 * pitch // 32)}
    )
    (inner,) = [
        s
        for s in N.walk(residual.kernel.body)
        if isinstance(s, N.For | N.While) and not any(isinstance(x, N.For | N.While) for x in N.walk(s.body))
    ]
    assert isinstance(inner, N.For)
    assert loads(inner.body, residual.kernel) == 1
    assert operations(inner.body, "add") >= 4
    bytes_ = words(2 * pitch // 32).view("uint8").reshape(2, -1)
    assert found == int(bytes_[:, 3 : 3 + count].sum())


def test_a_base_that_the_program_uses_stays():
    # The weight depends on the address modulo 96, while it moves by 32.
    def program(memory, start, count):
        def step(k, p, r):
            return k + 1, p + 32, r + memory.load(p // 32) * (5, 7, 11)[p % 96 // 32]

        return loop(lambda k, p, r: k == count, step, lift(0), start, lift(0))[2]

    for first in (0, 32, 64):
        residual, *_ = everywhere(
            program, Memory("m"), Late("p", 960 + first, 960), Late("n", 7), arrays={"m": words(64)}
        )
        assert not any(n.op == "mod" for s in N.walk(residual.kernel.body) for n in N.roots(s))


def escape(memory, start, to, step):
    """Values of one byte, or of two where the first is 128 and more."""

    def turn(p, r):
        v = sg.memory(memory, p, to, 8, 8).get()
        return fork(v < 128, lambda: (p + 8, r + v), lambda: step(p + 16, r * 3))

    return loop(lambda p, r: p == to, turn, start, lift(0))[1]


def test_what_comes_back_by_a_branch_is_a_loop():
    # The paper needs a dynamic call here; the state comes back after a word, and that closes the loop.
    def go_on(*state):
        return state

    data = words(9) & 0x7F7F7F7F | 0x00800080
    for step in (go_on, dynamic_call):
        residual, *_ = everywhere(
            escape, Memory("m"), Late("a", 0, 32), Late("b", 9 * 32, 32), step, arrays={"m": data}
        )
        assert len([s for s in N.walk(residual.kernel.body) if isinstance(s, N.While)]) == 1


def test_a_chain_of_branches_may_be_long():
    def find(x):
        return loop(
            lambda k, r: k == 300, lambda k, r: fork(x == k, lambda: (300, k * k), lambda: (k + 1, r)), 0, -1
        )[1]

    residual = specialize(find, unknown("x"))
    assert [residual(x=k) for k in (0, 17, 299, 300)] == [0, 289, 299 * 299, -1]


@pytest.mark.parametrize(
    ("step", "why"),
    [
        (lambda x, k, r: fork(x == k, lambda: (k + 1, r), lambda: (k + 1, r + 1)), "k goes on as 0, 1"),
        (
            lambda x, k, r: fork(x == k, lambda: (k, r), lambda: dynamic_call(k + 3, r)),
            "k goes on as 0, 3, 6",
        ),
        (lambda x, k, r: (k + 1, r), "k goes on as 0, 1, 2, 3"),
    ],
)
def test_branches_that_never_come_back_are_refused(step, why):
    def program(x):
        return loop(lambda k, r: k < 0, lambda k, r: step(x, k, r), 0, lift(0))

    with pytest.raises(StagingError, match=f"does not end .*{why}"):
        specialize(program, unknown("x"))


def test_what_would_be_unrolled_too_far_waits_for_run_time():
    # Sixteen words by four turns are 64 turns, each with a test: more variants than a loop may have.
    def program(memory, n):
        def step(i, r):
            memory.store(i // 4 % 16, i)
            return i + 1, r + memory.load(11)

        return loop(lambda i, r: i == n, step, lift(0), lift(0))[1]

    residual, *_ = everywhere(program, Memory("m"), Late("n", 90), arrays={"m": words(16)})
    loop_ = inner_loop(residual.kernel)
    assert stores(loop_.body, residual.kernel) <= 4


def test_a_program_that_calls_itself_without_end_is_refused():
    def endless(n):
        return endless(n + 1)

    def deep(n, x):
        return x if n == 0 else deep(n - 1, x) + 1

    with pytest.raises(StagingError, match="calls itself without end") as refused:
        specialize(endless, unknown("x"))
    assert "test_loops.py" in str(refused.value)
    assert specialize(deep, 3000, unknown("x"))(x=4) == 3004


def test_a_choice_within_a_choice_is_chosen_by_value():
    def program(x):
        return choose(x < 3, lambda: choose(x < 1, lambda: 5, lambda: x * 2), lambda: x + 1)

    residual, *_ = everywhere(program, Late("x", 2), arrays={})
    assert [residual(x=k) for k in range(5)] == [5, 2, 4, 4, 5]
    assert specialize(lambda x: x % 4, cyclic(8, "x", 3))() == 3
