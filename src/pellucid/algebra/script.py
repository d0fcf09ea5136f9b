"""The script that makes a naive nest fast: an ordinary list of tactics over the moves that a person can call.

Between `naive` and `program`. Every step is a move with its proof, or a pass over expressions with its label, and goes
into the ledger.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

from ..backends.port import Backend
from ..base.gc_pause import gc_paused
from ..driver.options import Options
from ..driver.pipeline import Optimized, Stage, expansion, simplification
from ..ir.expr import Buffer, Expr, topological
from ..ir.nest import Alloc, Block, For, Kernel, Statement, Store, all_roots, blocks, walk
from ..ir.path import Path, at
from ..ir.verify import checking
from ..loops.analysis.forwarding import Arrays, arrays, inlined, paying, trips
from ..loops.analysis.rows import rows_at
from ..loops.core.elements import ranges_of, used
from ..loops.core.ledger import Ledger, Step
from ..loops.core.registry import named
from ..loops.core.tactic import State, Tactic, attempt, make
from ..loops.moves.inline_array import INLINE, verdicts
from ..loops.scripts.borders import FOLDS, borders
from ..loops.scripts.reductions import gathered_in_parts
from ..reasoning.effects import loaded
from ..reasoning.infer import FactsOf
from ..reasoning.linear import exact_sum
from ..reasoning.prove import Proved
from ..reasoning.scratch import MAX_PRIVATE
from .tables import tables

WINDOW = 4
"""Loads of one array that make a value a window, which is looked at by itself."""


def script(options: Options, vector_bits: int) -> list[Stage]:
    """The stages in order, each under the name that `explain` shows, for vectors of so many bits."""
    return [
        ("by points", tables),
        ("pointwise", inline(_pointwise)),
        ("separated", separated(options)),
        ("in place", inline(lambda found, buffer: True)),
        ("joined", joined),
        ("contracted", contracted),
        ("split", borders),
        ("simplified", simplified(options)),
        ("coalesced", innermost("coalesce")),
        ("simplified again", simplified(options)),
        ("in parts", gathered_in_parts(numerics=options.numerics)),
        ("expanded", expanded(options)),
        ("spread", spread),
        ("vectorized", lanes(vector_bits)),
        ("placed", attempt("place")),
    ]


def inline(wanted: Callable[[Arrays, Buffer], bool]) -> Tactic:
    """`inline_array` for every array that is wanted, proved and paying, in one pass over the kernel."""

    def tactic(state: State) -> State:
        found = arrays(state.kernel)
        proofs = {b: v for b, v in verdicts(state.kernel) if isinstance(v, Proved) and wanted(found, b)}
        chosen = paying(found, proofs)
        if not chosen:
            return state
        new = inlined(state.kernel, chosen)
        premises = tuple(p for b in chosen for p in proofs[b].premises)
        site = f"kernel {new.name}, {len(chosen)} arrays"
        names = (", ".join(b.name for b in chosen),)
        step = Step("inline_array", site, Proved(INLINE.name, premises), state.kernel, new, lambda: names)
        state.ledger.steps.append(step)
        return replace(state, kernel=new)

    return tactic


def _pointwise(found: Arrays, buffer: Buffer) -> bool:
    """Whether an array is only loaded where it is stored, and is no window itself."""
    array = found.known[buffer]
    nest = array.filling
    if nest is None or any(load.args[0] is not nest.store.position for load in array.loads):
        return False
    loads = Counter(n.attr for n in topological([nest.store.value]) if n.op == "load")
    return all(count < WINDOW for count in loads.values())


def separated(options: Options) -> Tactic:
    """`separate_window` wherever it may be, the last window first, so that those before it stay where they are."""

    def tactic(state: State) -> State:
        move = named("separate_window")
        depth = len(_program(state.kernel))
        for path in reversed(list(move.find(state.kernel))):
            # The first may put scratch memory around the program, which takes all others one step deeper.
            where = ((0, 0),) * (len(_program(state.kernel)) - depth) + path
            state, _ = make(state, move, where, numerics=options.numerics)
        return state

    return tactic


def joined(state: State) -> State:
    """`join_loops` for neighbors that use the same arrays, the outer loops first."""
    join, outermost = named("join_loops"), len(_program(state.kernel))
    block: list[Path] = [_program(state.kernel)]
    while block:
        inside = block.pop()
        k = 0
        while (pair := _neighbors(state.kernel, inside, k)) is not None:
            done = False
            if all(isinstance(s, For) for s in pair) and _related(*pair, inner=len(inside) > outermost):
                state, done = make(state, join, (*inside, (0, k)))
            k += not done
        block += [
            (*inside, (0, n)) for n in range(k + 1) if isinstance(_statement(state.kernel, inside, n), For)
        ]
    return state


def _program(kernel: Kernel) -> Path:
    """The path of the program inside of its scratch memory."""
    path: Path = ()
    body = kernel.body
    while len(body) == 1 and isinstance(body[0], Alloc):
        path, body = (*path, (0, 0)), body[0].body
    return path


def _block(kernel: Kernel, path: Path) -> Block:
    return blocks(at(kernel.body, path))[0] if path else kernel.body


def _statement(kernel: Kernel, path: Path, k: int) -> Statement | None:
    block = _block(kernel, path)
    return block[k] if k < len(block) else None


def _neighbors(kernel: Kernel, path: Path, k: int) -> tuple[Statement, Statement] | None:
    block = _block(kernel, path)
    return (block[k], block[k + 1]) if k + 1 < len(block) else None


def _related(a: Statement, b: Statement, *, inner: bool) -> bool:
    """Whether two loops have the same bounds, and the second uses an array that the first does.

    Not if it looks at neighbors of what the first stores along the loop, which cannot be and need not be asked.
    """
    assert isinstance(a, For) and isinstance(b, For)  # noqa: S101, PT018 - asked before
    if a.lo is not b.lo or a.hi is not b.hi or used(a).isdisjoint(loaded((b,))):
        return False
    places = {(s.buffer, s.position) for s in walk((a,)) if isinstance(s, Store)}
    new = {b for b, _ in places}
    loads = [n for n in topological(all_roots((b,))) if n.op == "load" and n.attr in new]
    if inner:
        return all((n.attr, n.args[0]) in places for n in loads)
    folds = [n for n in topological([n.args[0] for n in loads]) if n.op in FOLDS]
    return not any(n.free & b.index.free for n in folds)


def contracted(state: State) -> State:
    """`contract_array` for every array of which a row is enough, as long as all rows fit on the stack together."""
    move, room = named("contract_array"), MAX_PRIVATE
    for path in reversed(list(move.find(state.kernel, most=room))):
        for rows in reversed(list(rows_at(state.kernel, path))):
            if rows.bytes <= room:
                state, done = make(state, move, path, array=rows.array.name)
                room -= rows.bytes * done
    return state


# ---- expressions ----


def simplified(options: Options) -> Tactic:
    """The rules on expressions, with what the ranges of the loops tell of their indices."""

    def tactic(state: State) -> State:
        known = ranges_of(state.kernel.body, state.ranges).known
        inner = simplification(options)
        return replace(inner(replace(state, ranges=known)), ranges=state.ranges)

    return tactic


def expanded(options: Options) -> Tactic:
    """Rows by their bodies, and products and sums in one step where the machine has it."""

    def tactic(state: State) -> State:
        known = ranges_of(state.kernel.body, state.ranges).known
        after = expansion(options)(replace(state, ranges=known))
        return replace(after, ranges={k: f for k, f in after.ranges.items() if k.op != "index"})

    return tactic


# ---- loops ----


def innermost(name: str) -> Tactic:
    """A move at all of its sites, those deepest inside first."""

    def tactic(state: State) -> State:
        move = named(name)
        for path in list(move.find(state.kernel)):
            if len(path) > len(_program(state.kernel)) + 1:
                state, _ = make(state, move, path)
        return state

    return tactic


LONG, STRIP = 1 << 18, 1 << 14
"""Iterations from which a loop by itself is worth threads, and how many of them one takes at a time."""


def spread(state: State) -> State:
    """`spread` for every outermost loop that has others inside, and for long ones in strips."""
    move, inside = named("spread"), _program(state.kernel)
    for k, s in enumerate(_block(state.kernel, inside)):
        if not isinstance(s, For):
            continue
        path = (*inside, (0, k))
        if any(isinstance(x, For) for x in walk(s.body)):
            state, _ = make(state, move, path, band=8)
        elif trips(s) >= LONG and isinstance(move.check(state.kernel, path, ranges=state.ranges), Proved):
            state = _in_strips(state, path)
    return state


def _in_strips(state: State, path: Path) -> State:
    before, steps = state, len(state.ledger.steps)
    state, done = make(state, named("strip_mine"), path, size=STRIP)
    if done:
        state, done = make(state, named("spread"), path, band=1)
    if not done:
        del state.ledger.steps[steps:]
    return state if done else before


def lanes(vector_bits: int) -> Tactic:
    """`lanes` for every innermost loop, as many as the widest of its values leaves room for."""

    def tactic(state: State) -> State:
        move = named("lanes")
        facts = ranges_of(state.kernel.body, state.ranges)
        for path in list(move.find(state.kernel)):
            loop = at(state.kernel.body, path)
            count = vector_bits // _widest(loop)
            if isinstance(loop, For) and count > 1 and _fills(loop, count, facts):
                state, _ = make(state, move, path, count=count)
        return state

    return tactic


def _fills(loop: For, count: int, facts: FactsOf) -> bool:
    """Whether lanes pay: the loop is long enough, or all of its loads are runs, which a mask cuts short."""
    if any(isinstance(s, For) for s in walk(loop.body)):
        return False
    if loop.lo.op != "const" or loop.hi.op != "const" or loop.hi.attr - loop.lo.attr >= count:
        return True
    for node in topological(all_roots(loop.body)):
        if node.op == "load" and node.free & loop.index.free:
            split = exact_sum(node.args[0], facts)
            if split is None or any(
                n.free & loop.index.free and (n, k) != (loop.index, 1) for n, k in split.terms
            ):
                return False
    return True


def _widest(loop: Statement) -> int:
    """The bits of the widest value that a loop computes, positions aside."""
    values = [s.value for s in walk((loop,)) if isinstance(s, Store)]
    widest, seen, stack = 8, set[Expr](), values
    while stack:
        node = stack.pop()
        if node not in seen:
            seen.add(node)
            widest = max(widest, node.type.bits)
            stack += () if node.op == "load" else node.args
    return widest


def optimized(kernel: Kernel, options: Options, backend: Backend, *, optimize: bool = True) -> Optimized:
    """The nest after each stage of the script; with `optimize=False` rows are replaced by their bodies, no more."""
    state = State(kernel, {}, Ledger())
    stages = {"naive": kernel}
    lanes_bits: int = getattr(backend, "vector_bits", 1)
    chosen = (
        script(options, lanes_bits)
        if optimize
        else [("expanded", expansion(replace(options, numerics="exact")))]
    )
    with gc_paused():
        for name, tactic in chosen:
            steps = len(state.ledger)
            state = tactic(state)
            state.ledger.mark(name, steps)
            stages[name] = state.kernel
    if checking() >= 2:
        state.ledger.recheck()
    return Optimized(stages, state.ledger, state.ranges)
