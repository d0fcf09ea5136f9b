"""Where old paths go: after a primitive move each leads to a statement of its kind, or nowhere."""

import pytest
from hypothesis import given
from tests.loops.nests import RANGES, makers, nests
from tests.loops.primitive import PRIMITIVE
from tests.loops.test_primitive_conditionals import SHAPED as CONDITIONALS
from tests.loops.test_primitive_loops import SHAPED as LOOPS
from tests.loops.test_primitive_loops import variants
from tests.loops.test_primitive_substitution import SHAPED as SUBSTITUTIONS

from pellucid.ir.nest import same
from pellucid.ir.path import at, walk
from pellucid.loops.core.registry import named
from pellucid.reasoning.prove import Proved

SHAPES = dict((*CONDITIONALS, *LOOPS, *SUBSTITUTIONS))


def check(kernel, move, **options):
    for path, _ in walk(kernel.body):
        if not isinstance(named(move).check(kernel, path, ranges=RANGES, **options), Proved):
            continue
        applied = named(move).apply(kernel, path, ranges=RANGES, **options)
        for old, s in walk(kernel.body):
            new = applied.forward(old)
            if new is None:
                # Only what was replaced may be gone, and it stood in the block of the site.
                assert old[: len(path) - 1] == path[:-1]
                continue
            found = at(applied.kernel.body, new)
            assert type(found) is type(s), f"{move} at {path}: {old} went to {new}"
            if old[: len(path) - 1] != path[:-1] and path[: len(old)] != old:
                assert same((found,), (s,))


@pytest.mark.parametrize("move", PRIMITIVE)
def test_old_paths_lead_to_statements_of_their_kind(move):
    @given(nests(), makers())
    def look(kernel, maker):
        for options in variants(move):
            check(kernel, move, **options)
            if move in SHAPES:
                check(SHAPES[move](maker), move, **options)

    look()
