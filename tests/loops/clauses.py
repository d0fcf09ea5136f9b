"""The harness for leaving out clauses: what harm a move does, or cannot do, where one clause of its theorem is deleted.

A clause is needed if there is a program at which the theorem refuses for that clause alone, and at which the move, once
the clause is left out, makes another program (`CHANGED`), none at all (`INVALID`: an index outside of its loop), or
cannot be made (`STOPPED`: it does not know how to go on). `nothing` of this means that the clause is idle there.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from pellucid.base.errors import IrError
from pellucid.ir import types as T
from pellucid.ir.expr import Buffer
from pellucid.ir.interp import run
from pellucid.ir.nest import Kernel, inputs
from pellucid.ir.path import Path
from pellucid.ir.verify import verify_kernel
from pellucid.loops.move import Move, Proved
from pellucid.loops.theorem import Site, Theorem

CHANGED, INVALID, STOPPED, IDLE = "it changes what is computed", "it makes no program", "it stops", "nothing"
ARGUMENTS = ({"n": 3, "m": 1}, {"n": 0, "m": -2}, {"n": 20, "m": 0}, {"n": 4, "m": 3})


def memories(kernel: Kernel) -> Iterator[tuple[dict[str, int], dict[Buffer, np.ndarray]]]:
    """Arguments and small random numbers in all buffers, the same each time."""
    for seed, arguments in enumerate(ARGUMENTS):
        rng = np.random.default_rng(seed)
        memory = {
            b: rng.integers(0 if b.type is T.u8 else -2, 6, b.size or 9).astype(b.type.dtype)
            for b in (*kernel.outputs, *inputs(kernel))
        }
        yield {str(p.attr): arguments[str(p.attr)] for p in kernel.params}, memory


def meaning(kernel: Kernel, live: tuple[str, ...]) -> list[bytes]:
    """The bits that are left in all outputs, or in those that are live, after each run."""
    found: list[bytes] = []
    for arguments, memory in memories(kernel):
        run(kernel, arguments, memory)
        found += [memory[b].tobytes() for b in kernel.outputs if not live or b.name in live]
    return found


def harm(
    move: Move, theorem: Theorem, clause: str, kernel: Kernel, path: Path, options: Mapping[str, Any]
) -> str:
    """What comes of leaving out a clause at a place that it alone protects; fails if it is not that clause alone."""
    site = Site(kernel, path, {}, options)
    verdict = theorem.prove(site)
    assert not isinstance(verdict, Proved), "the theorem speaks for the move here"
    assert verdict.clause == clause, str(verdict)
    rest = theorem.without(clause).prove(site)
    assert isinstance(rest, Proved), f"another clause protects it too: {rest}"
    try:
        after = move.apply(kernel, path, **options).kernel
    except (AssertionError, KeyError, IrError):
        return STOPPED
    try:
        verify_kernel(after)
        live = options.get("live", ())
        return CHANGED if meaning(kernel, live) != meaning(after, live) else IDLE
    except IrError:
        return INVALID
