"""Derivations: the primitive steps of a global move lead to what the move itself makes of the same instance."""

from pathlib import Path

import pytest
from tests.loops.test_global_goldens import BECOMES, FILES, site

from pellucid.ir.nest import Kernel, same
from pellucid.ir.text import print_nest
from pellucid.loops.core import tactic
from pellucid.loops.core.registry import named
from pellucid.loops.scripts.strategies import simplify_expressions

GLOBAL = ("join_loops", "split_loop", "interchange_loops", "move_code", "join_conditional")
BEYOND = {"move_code_figure_6_1", "move_code_guarded", "interchange_gathering"}
"""Where the rest uses what is moved, and where whole blocks gather: the theorems go beyond the small steps there."""


def simplified(kernel: Kernel) -> Kernel:
    return tactic.run(simplify_expressions, kernel).kernel


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_the_steps_lead_to_what_the_move_makes(file: Path):
    move, kernel, path = site(file.read_text().partition(BECOMES)[0])
    ledger = named(move).derive(kernel, path)
    assert not any(step.move in GLOBAL for step in ledger.steps)
    instance = ledger.steps[0].old

    if file.stem in BEYOND:
        assert not ledger.steps[-1].applied
        assert ledger.steps[-1].move == "interchange"
        return
    assert all(step.applied for step in ledger.steps), str(ledger)
    assert ledger.replay() == len(ledger)
    made = named(move).apply(instance, path).kernel
    assert same(simplified(ledger.steps[-1].new).body, simplified(made).body), print_nest(
        ledger.steps[-1].new
    ) + print_nest(made)


def test_the_ledger_of_a_tactic_expands_on_demand():
    move, kernel, _ = site(FILES[0].read_text().partition(BECOMES)[0])
    state = tactic.run(tactic.attempt(move), kernel)
    (step,) = [s for s in state.ledger.steps if s.applied]
    assert step.derive is not None
    assert {s.move for s in step.derive().steps} <= {
        "unroll_all",
        "interchange",
        "roll_all",
        "simplify_if",
        "compress",
    }
