"""Random nests and memories for them: what fuzzers of moves, of their theorems and of back ends stand on.

`nest(rng)` makes a program, `memories(kernel)` what it is run on; `RANGES` is what callers promise of its parameters.
A program is statements of a free grammar among *motifs*: fragments of the shape that some move speaks of (an update, a
scratch array that is filled and loaded, statements that are instances of one another). Motifs stand anywhere, so that
what they are about meets everything else. Every loop makes few iterations, whatever the memory holds.

    kernel = nest(random.Random(1))
    for arguments, memory in memories(kernel):
        run(kernel, arguments, memory)
"""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
from tests.fuzz.maker import BUFFERS, COUNT, STEP, WILD, Maker
from tests.fuzz.motifs import MOTIFS

from pellucid.ir import nest as N
from pellucid.ir import types as T
from pellucid.ir.expr import Buffer
from pellucid.ir.facts import Facts

RANGES = {COUNT: Facts(0, 5), STEP: Facts(-3, 4)}
"""What callers promise of parameters; the third, w, may be anything."""
ARGUMENTS = (
    {"n": 3, "m": 1, "w": 2},
    {"n": 0, "m": -3, "w": -(2**31)},
    {"n": 5, "m": 0, "w": 2**31 - 1},
    {"n": 1, "m": 4, "w": -1},
    {"n": 4, "m": 2, "w": 0},
)


def program(body: N.Block) -> N.Kernel:
    """A kernel of statements: what they store to is an output, unless it is scratch memory."""
    own = set(N.scratch(body))
    stored = {s.buffer for s in N.walk(body) if isinstance(s, N.Store)} - own
    return N.Kernel("k", (COUNT, STEP, WILD), tuple(b for b in BUFFERS if b in stored), body)


def nest(rng: random.Random, size: int | None = None) -> N.Kernel:
    """A random program: small mostly, since small ones show a fault as well and thousands can be run.

    >>> nest(random.Random(1)).name
    'k'
    """
    m = Maker(rng, MOTIFS)
    if size is None:
        size = rng.choice((1, 1, 2, 2, 3))
    if m.coin(0.35):
        return program(rng.choice(MOTIFS)(m))
    return program((*m.block(size), *(m.block(size) if m.coin(0.4) else ())))


# ---- what programs are run on ----


def memories(
    kernel: N.Kernel, *, seed: int = 0, count: int = len(ARGUMENTS)
) -> Iterator[tuple[dict[str, int], dict[Buffer, np.ndarray]]]:
    """Arguments and filled memory for a program, the same for the same seed; small numbers and extreme ones."""
    for k in range(seed, seed + count):
        arguments = ARGUMENTS[k % len(ARGUMENTS)]
        generator = np.random.default_rng(k)
        memory = {b: filled(b, generator, extreme=k % 3 == 2) for b in (*kernel.outputs, *N.inputs(kernel))}
        yield {str(p.attr): arguments[str(p.attr)] for p in kernel.params}, memory


def filled(buffer: Buffer, generator: np.random.Generator, *, extreme: bool) -> np.ndarray:
    """Memory of small numbers, among them those on which sums wrap or are lost if it is extreme."""
    type_ = buffer.type
    low = 0 if type_ is T.u8 else -2
    found = generator.integers(low, 6, buffer.size).astype(type_.dtype)
    if type_.is_float:
        odd = [0.5, -0.0, -1.5]
        odd += (
            [np.inf, -np.inf, np.nan, 1e30, float(np.finfo(type_.dtype).smallest_subnormal)]
            if extreme
            else []
        )
    elif extreme:
        odd = [int(type_.low), int(type_.high), int(type_.low) + 1, int(type_.high) - 1]
    else:
        return found
    replaced = generator.random(buffer.size) < 0.4
    with np.errstate(all="ignore"):
        return np.where(
            replaced, np.array(odd, type_.dtype)[generator.integers(0, len(odd), buffer.size)], found
        )
