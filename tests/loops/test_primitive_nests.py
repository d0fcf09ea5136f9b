"""The random nests themselves: they are programs, they do something, and a wrong move would be noticed."""

from dataclasses import replace

import pytest
from hypothesis import given
from tests.loops.nests import BUFFERS, agree, meaning, nests, program

from pellucid.ir.parse import parse_nest
from pellucid.ir.text import print_nest
from pellucid.ir.verify import verify_kernel


@given(nests())
def test_a_random_nest_is_a_program_that_can_be_read_back(kernel):
    verify_kernel(kernel)
    text = print_nest(kernel)
    assert print_nest(parse_nest(text, {b.name: b for b in BUFFERS})) == text
    agree(kernel, kernel)


def test_random_nests_change_memory_and_their_order_matters():
    changed: set[bool] = set()
    mattered: set[bool] = set()

    @given(nests())
    def look(kernel):
        changed.add(meaning(kernel) != meaning(program()))
        mattered.add(meaning(kernel) != meaning(replace(kernel, body=kernel.body[::-1])))

    look()
    assert True in changed
    assert True in mattered


def test_a_difference_in_one_bit_is_noticed():
    head = "kernel k(n: i32, m: i32):\n" + "".join(f"  output {b!r}\n" for b in BUFFERS)
    names = {b.name: b for b in BUFFERS}
    zero, minus = (parse_nest(f"{head}  f[0] := {v}\n", names) for v in ("0.0", "-0.0"))
    with pytest.raises(AssertionError, match="became"):
        agree(zero, minus)
