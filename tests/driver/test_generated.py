"""What generated compilers leave runs by every tier as by the machine."""

import random
from functools import partial
from itertools import product

import numpy as np
import pytest
from tests.fuzz.tiers import outcome, small_numbers
from tests.staging.figures import NYBBLES
from tests.staging.interpreters import RPN, STEPS, TREES, rpn, steps, tree
from tests.staging.test_cogen import compiled, memory

from pellucid.backends.jit.executable import is_possible
from pellucid.base.errors import StagingError
from pellucid.driver.codes import compile_code
from pellucid.staging import Memory
from pellucid.staging.cogen import cogen, tidy
from pellucid.staging.root.machine import run
from pellucid.staging.root.reading import read_sugar

TIERS = ["quick", "llvm", "nest"] if is_possible() else ["llvm", "nest"]


@pytest.mark.parametrize(
    ("text", "name", "times", "draw_program"),
    [
        (RPN, "expr", "D S nil D D", rpn),
        (STEPS, "steps", "D S S D D D", steps),
        (TREES, "start", "D S D D", tree),
    ],
)
def test_the_law_through_every_tier(text, name, times, draw_program) -> None:
    draw = random.Random(name)
    code, compiler = compiled(text, name, times)
    ran = dict.fromkeys(TIERS, 0)
    for turn in range(25):
        program = draw_program(draw)
        values = {"pc": 0, "prog": program, "e": program, "stack": None, "n": draw.randrange(6)}
        values |= {one: draw.randrange(-50, 50) for one in "xy"} | {one: draw.randrange(9) for one in "ab"}
        parts = list(zip(code.params[1:], times.split()[1:], strict=True))
        residual = compiler(*[values[one] for one, time in parts if time == "S"])
        args = [values[one] for one, time in parts if time == "D"]
        named = Memory("m", 8)
        stored = memory(turn)
        with small_numbers():
            want = outcome(partial(run, residual, *args, memories={"m": stored}))
        for form, tier in product((residual, tidy(residual)), TIERS):
            try:
                made = compile_code(form, *["integer"] * len(args), memories={"m": named}, tier=tier)
            except StagingError:
                if tier != "nest":
                    raise
                continue
            other = memory(turn)
            found = outcome(partial(made, *args, memories={"m": other.data}))
            if found[0] == "large" or (tier == "nest" and want[0] != "value"):
                continue
            assert found == want
            assert other.data.tolist() == stored.data.tolist()
            ran[tier] += 1
    assert min(ran.values()) > 10, ran


@pytest.mark.parametrize("tier", TIERS)
def test_nybbles_of_a_generated_compiler(tier: str) -> None:
    code = read_sugar(NYBBLES)["nyb"]
    compiler = cogen(code, ["D", "cyc", "S", "S", "S", "S"])
    words = np.random.default_rng(1).integers(0, 1 << 32, 12, dtype=np.uint32)
    for bits in (1, 4, 16):
        residual = tidy(compiler((32, 0), 0, bits, -1, 0))
        made = compile_code(residual, "integer", memories={"m": Memory("m")}, tier=tier)
        want = run(code, 320, 0, bits, -1, 0, memories={"m": Memory("m", 32, words)})
        assert made(10, memories={"m": words}) == want
