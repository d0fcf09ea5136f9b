"""What global moves make runs alike everywhere, bit for bit: LLVM, C and the meaning."""

from pathlib import Path

import pytest
from tests.loops.test_global_goldens import BECOMES, FILES, site
from tests.loops.test_modern_backends import BACKENDS, memory_of

from pellucid.backends.conformance import same_bits
from pellucid.ir.interp import run
from pellucid.loops.core import tactic
from pellucid.loops.core.registry import named

SMALL = [f for f in FILES if "4096" not in f.read_text(encoding="utf-8")]
"""Programs that the interpreter runs in no time."""


@pytest.mark.parametrize("backend", BACKENDS.values(), ids=BACKENDS)
@pytest.mark.parametrize("file", SMALL, ids=lambda f: f.stem)
def test_back_ends_agree_with_the_meaning(file: Path, backend):
    move, before, path = site(file.read_text().partition(BECOMES)[0])
    after = named(move).apply(before, path).kernel
    arguments = {p.attr: 7 for p in after.params}
    expected, again = memory_of(before), memory_of(after)
    run(before, arguments, expected)
    run(after, arguments, again)
    placed = tactic.run(tactic.attempt("place"), after).kernel
    for kernel in (after, placed):
        found = memory_of(after)
        backend.compile(kernel, {}).run(arguments, found, threads=3)
        for b in after.outputs:
            assert same_bits(expected[b], again[b]), b.name
            assert same_bits(expected[b], found[b]), b.name
