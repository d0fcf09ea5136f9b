"""Films: time-invariant hoisting for the frames of one view.

The top of the driver beside `kernel`. If a picture has expensive parts that vary over the frame and not with time, the
kernel of a frame is split in two: one stores each such part to a plane of memory, once; the other loads the planes for
every frame. Values that vary with rows or columns only are computed once per frame by either. The split comes after
all stages that could change a bit, so that films show what frames show.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ..backends.port import Code
from ..base.deep_stack import with_deep_stack
from ..base.gc_pause import gc_paused
from ..base.view import View
from ..ir import expr as E
from ..ir import nest as N
from ..ir import prim as table
from ..ir.expr import Buffer, Expr
from ..ir.facts import Facts
from ..loops.core.elements import index_facts
from ..loops.core.ledger import Ledger
from ..loops.core.tactic import State
from ..reasoning.infer import infer
from .frame import COLUMN, HEIGHT, OUT, ROW, WIDTH, Frame, FrameVariant
from .kernel import Bytes, Kernel
from .lanes import pixel_lanes
from .lending import make_backend
from .options import Options
from .view import pixels_of

MIN_COST = 8.0
"""Minimum cost of a part that is worth a plane of memory, which is read for every frame."""
MAX_PLANES = 6
"""Maximum planes of one film."""
CUT = "expanded"
"""The stage after which no bit changes anymore."""


class Film:
    """The frames of one view of a kernel's picture, by their time.

    >>> from pellucid import images as im
    >>> from pellucid.driver import compile
    >>> from pellucid.driver.view import checked_view
    >>> turning = im.animation(lambda t: im.turn(t, im.swirl(3.0, im.checkerboard(1, im.black, im.white))))
    >>> film = Film(compile(turning), checked_view((4, 2)))
    >>> film.frame(0.5).shape
    (2, 4, 4)
    """

    def __init__(self, kernel: Kernel, view: View, form: str = "straight") -> None:
        self.kernel, self.view, self.form = kernel, view, form
        self.parts: Parts | None = None
        variant = FrameVariant(form, view.samples != 1)
        if kernel.time_varying and not variant.supersample and not _draws_from_tapes(kernel, variant):
            with gc_paused():
                self.parts = with_deep_stack(lambda: cut(kernel.frame(variant), kernel.options, view.size))
        self._values = kernel.values(view)
        self._planes: dict[Buffer, Any] | None = None

    def frame(self, time: float) -> Bytes:
        """The frame of a time, in memory of its own. Raises as `Kernel.render` does."""
        view, parts = self.view, self.parts
        if parts is None:
            draw = self.kernel.premultiplied if self.form == "premultiplied" else self.kernel.render
            return draw(view=view.replace(time=time))
        # What does not change was checked once.
        values = {**self._values, "time": time}
        if self._planes is None:
            self._planes = {b: np.empty(b.size, b.type.dtype) for b in parts.planes}
            parts.still.run(values, self._planes, threads=view.threads)
        pixels = pixels_of(view.size)
        memory = {OUT: pixels.reshape(-1).view(np.uint32), **self._planes}
        parts.moving.run(values, memory, threads=view.threads)
        return pixels


def _draws_from_tapes(kernel: Kernel, variant: FrameVariant) -> bool:
    """Whether frames are drawn from tapes, at least at first, because machine code takes long to make."""
    options = kernel.options
    if options.backend == "auto":
        from .choosing import MAX_AHEAD_MS, cost_of

        return cost_of(kernel.frame(variant), options).compile_ms > MAX_AHEAD_MS
    return options.backend == "tiles"


class Parts(NamedTuple):
    """A frame's kernel in two: what fills the planes, and what fills a frame with their help."""

    still: Code
    moving: Code
    planes: tuple[Buffer, ...]
    nests: tuple[N.Kernel, N.Kernel]


def cut(frame: Frame, options: Options, size: tuple[int, int]) -> Parts | None:
    """A frame's kernel for frames of that size in two, or None where nothing dear stands still."""
    from .pipeline import script

    backend = make_backend(options.backend)
    stages = script(options, pixel_lanes(backend, options, frame.kernel))
    after = 1 + [name for name, _ in stages].index(CUT)
    state = State(*_sized(frame, size), Ledger())
    for _, tactic in stages[:after]:
        state = tactic(state)
    found = _store(state.kernel)
    still = time_invariant(found.value, _time_varying_tables(state.kernel)) if found is not None else []
    if found is None or not still:
        return None
    planes = tuple([Buffer(f"plane {k}", e.type, size[0] * size[1]) for k, e in enumerate(still)])
    loads = {e: E.load(b, found.position) for e, b in zip(still, planes, strict=True)}
    facts = infer(still, state.ranges)
    stores = tuple([N.Store(b, found.position, e) for e, b in zip(still, planes, strict=True)])
    nodes = E.topological([found.value])
    changed = dict(zip(nodes, E.substitute(nodes, dict(loads)), strict=True))
    moving = (replace(found, value=changed[found.value]),)
    # What was proved of a node holds for what has taken its place.
    known = {**state.ranges, **{new: state.ranges[e] for e, new in changed.items() if e in state.ranges}}
    known |= {loads[e]: facts[e] for e in still}
    nests: list[N.Kernel] = []
    codes: list[Code] = []
    for name, body, outputs in (("still", stores, planes), ("moving", moving, state.kernel.outputs)):
        nest = N.transform(state.kernel.body, lambda s, new=body: new if s is found else (s,))
        params = tuple([p for p in state.kernel.params if p in E.params(N.all_roots(nest))])
        part = State(N.Kernel(f"{state.kernel.name} {name}", params, outputs, nest), known, Ledger())
        nests.append(part.kernel)
        for _, tactic in stages[after:]:
            part = tactic(part)
        codes.append(backend.compile(part.kernel, part.ranges))
    return Parts(codes[0], codes[1], planes, (nests[0], nests[1]))


def _sized(frame: Frame, size: tuple[int, int]) -> tuple[N.Kernel, Mapping[Expr, Facts]]:
    """The kernel of a frame for one size, so that it is known that planes are large enough."""
    fixed = {p: E.const(n, p.type) for p, n in zip((WIDTH, HEIGHT), size, strict=True)}
    body = N.rewrite(frame.kernel.body, lambda roots: tuple(E.substitute(roots, dict(fixed))))
    params = tuple([p for p in frame.kernel.params if p not in fixed])
    kernel = replace(frame.kernel, params=params, body=body)
    return kernel, index_facts(kernel, {e: f for e, f in frame.ranges.items() if e.op == "param"})


def _store(kernel: N.Kernel) -> N.Store | None:
    """The one store of a pixel, if there is nothing else than loops that fill tables for it."""
    statements = list(N.walk(kernel.body))
    if not all(isinstance(s, N.For | N.Store | N.Alloc) for s in statements):
        return None
    found = [s for s in statements if isinstance(s, N.Store) and s.buffer is OUT]
    return found[0] if len(found) == 1 else None


def _time_varying_tables(kernel: N.Kernel) -> set[Buffer]:
    """The tables whose elements depend on time."""
    found: set[Buffer] = set()
    # A table is filled before it is used, so once through is enough.
    for s in N.walk(kernel.body):
        if isinstance(s, N.Store) and any(_is_time_varying(e, found) for e in E.topological(N.roots(s))):
            found.add(s.buffer)
    return found


def _is_time_varying(e: Expr, tables: set[Buffer]) -> bool:
    return (e.op == "param" and e.attr == "time") or (e.op == "load" and e.attr in tables)


def time_invariant(root: Expr, tables: set[Buffer]) -> list[Expr]:
    """The most expensive time-invariant parts of a pixel that vary over the frame and that time-varying parts use.

    Loads from `tables` vary with time.
    """
    moves: set[Expr] = set()
    used: dict[Expr, None] = {}
    for node in E.topological([root]):
        if _is_time_varying(node, tables) or any(a in moves for a in node.args):
            moves.add(node)
            used.update(dict.fromkeys([a for a in node.args if a not in moves]))
    both = ROW.free | COLUMN.free
    fit = [e for e in used if e.free == both and e.args and e.op not in ("get", "iterate")]
    costs = {e: _cost(e, both) for e in fit}
    expensive = sorted([e for e in fit if costs[e] >= MIN_COST], key=lambda e: -costs[e])
    return expensive[:MAX_PLANES]


def _cost(root: Expr, both: int) -> float:
    """The cost of the operators that are computed for each pixel."""
    rows = table.table()
    seen: Sequence[Expr] = E.topological([root])
    return float(sum(rows[e.op].cost for e in seen if e.op in rows and e.free == both))
