"""Reductions in parallel: a tactic that cuts a loop which gathers into bands, each with copies of its own.

Several copies for one band as well: neighboring iterations then add to different ones, so that no sum has to wait for
the one before it to come back from memory.
"""

from __future__ import annotations

from ...ir import types as T
from ...ir.expr import Buffer, apply, const
from ...ir.nest import For, Kernel, Store, walk
from ...ir.path import Path, at, enclosing
from ...ir.path import walk as paths
from ...reasoning.prove import Proved
from ..analysis.reductions import reduction_at
from ..core.registry import named
from ..core.tactic import State, Tactic, make

BANDS = 16
"""Parts of a loop: enough for many threads, and so that none waits long for another."""
COPIES = 8
"""Copies of a band, and iterations that are taken at once."""
MIN_COPY = 128
"""Bytes that the copies of a band have at least: threads that write to one line of a cache wait for each other."""
MIN_ITERATIONS = 1 << 14
"""Iterations below which it does not pay to clear and merge copies."""


def gathered_in_parts(bands: int = BANDS, copies: int = COPIES, numerics: str = "exact") -> Tactic:
    """Every outermost loop of known length that gathers: in bands with copies of their own, unrolled, on threads.

    A loop that can be spread as it is, or for which a step is refused, stays as it is. Where neighboring iterations
    do not meet, a band has one copy, and lanes are for later.
    """

    def tactic(state: State) -> State:
        for path in _sites(state.kernel):
            state = _in_parts(state, path, bands, copies, numerics)
        return state

    return tactic


def _sites(kernel: Kernel) -> list[Path]:
    """Outermost loops that gather and are long, the last first, so that those before stay where they are."""
    found: list[Path] = []
    for path, s in paths(kernel.body):
        if not isinstance(s, For) or any(isinstance(x, For) for x in enclosing(kernel.body, path)):
            continue
        if reduction_at(kernel, path) is None or _length(s) < MIN_ITERATIONS:
            continue
        if not isinstance(named("spread").check(kernel, path), Proved):
            found.append(path)
    return found[::-1]


def _trips(loop: For) -> int:
    """The iterations of a loop, if its bounds are constants; else 0."""
    return loop.hi.attr - loop.lo.attr if loop.lo.op == loop.hi.op == "const" else 0


def _length(loop: For) -> int:
    """The iterations of a loop and of those that are its whole body."""
    inner = loop.body[0] if len(loop.body) == 1 else None
    return _trips(loop) * (_length(inner) if isinstance(inner, For) else 1)


def _innermost(kernel: Kernel, path: Path) -> Path | None:
    """The loop inside of a loop inside of which there is no other, if there is only one such."""
    loops = [p for p, s in paths(kernel.body) if p[: len(path)] == path and isinstance(s, For)]
    return loops[-1] if all(loops[-1][: len(p)] == p for p in loops) else None


def _in_parts(state: State, path: Path, bands: int, copies: int, numerics: str) -> State:
    kernel = state.kernel
    loop, inside = at(kernel.body, path), _innermost(kernel, path)
    inner = at(kernel.body, inside) if inside is not None else None
    if not isinstance(loop, For) or not isinstance(inner, For) or inside is None:
        return state
    buffers = _gathered(kernel, path)
    elements = max(b.size for b in buffers)
    copies = max(copies, MIN_COPY // min(b.size * b.type.dtype.itemsize for b in buffers))
    alone = (
        inner.index.type is T.i32
        and bands * copies * elements <= _length(loop)
        and not isinstance(named("lanes").check(kernel, inside), Proved)
    )
    if bands * elements > _length(loop):
        return state
    size = -(-_trips(loop) // bands)
    if inner is loop and alone:
        # A band begins with the first copy, so that unrolling finds out which copy is whose.
        size += -size % copies
    start, steps = state, len(state.ledger.steps)
    state, done = make(state, named("strip_mine"), path, size=size)
    band = at(state.kernel.body, path)
    assert isinstance(band, For)  # noqa: S101 - the loop, or the one over its blocks
    by = (band.index, apply("mod", inner.index, const(copies, T.i32))) if alone else (band.index,)
    for b in buffers:
        if done:
            state, done = make(state, named("privatize"), path, by=by, buffer=b.name, numerics=numerics)
            path = _path_of(state.kernel, band)
    if done and alone:
        state = _unrolled(state, path, inner, copies)
    if done:
        state, done = make(state, named("spread"), path, band=1)
    if not done:
        # The reason is worth a line, the steps that are undone are not.
        del state.ledger.steps[steps:-1]
    return state if done else start


def _path_of(kernel: Kernel, loop: For) -> Path:
    """The present path of the loop of an index."""
    return next(p for p, s in paths(kernel.body) if isinstance(s, For) and s.index is loop.index)


def _gathered(kernel: Kernel, path: Path) -> list[Buffer]:
    """The buffers that a loop gathers into, each once."""
    loop = at(kernel.body, path)
    names = dict.fromkeys(s.buffer.name for s in walk((loop,)) if isinstance(s, Store))
    found = (reduction_at(kernel, path, name) for name in names)
    return [g.buffer for g in found if g is not None]


def _unrolled(state: State, path: Path, inner: For, copies: int) -> State:
    """The innermost loop by as many iterations as there are copies."""
    for place, s in paths(state.kernel.body):
        if place[: len(path)] == path and isinstance(s, For) and s.index is inner.index:
            return make(state, named("unroll_and_jam"), place, factor=copies)[0]
    return state
