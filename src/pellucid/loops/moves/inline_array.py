"""inline_array: what fills a scratch array is computed where it is loaded, and the array is gone.

White's interchange with substitution (Theorem 4.1.4) for a whole array: the nest that fills it moves behind everything
up to the loads, which then take the value itself. In the image algebra every operation fills an array of its own, so a
chain of them becomes one loop. The site is the kernel, the option `array` a name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ...ir.expr import ITERATIONS, Buffer, held, in_iteration, topological
from ...ir.nest import Kernel
from ...ir.path import Path
from ...reasoning.prove import Proved, Refuted, Verdict, decided
from ..analysis.forwarding import Arrays, ScratchArray, arrays, inlined
from ..core.elements import coordinates, within
from ..core.move import Applied, Move
from ..core.theorem import Clause, Site, Theorem


def _array(site: Site) -> tuple[Arrays, ScratchArray]:
    found = arrays(site.kernel)
    array = found.named(site.options.get("array"))
    assert array is not None  # noqa: S101 - the theorem's shape
    return found, array


def _filled(site: Site) -> Verdict:
    found, name = arrays(site.kernel), site.options.get("array")
    array = found.named(name)
    if array is None:
        return Refuted("the array is one of the kernel's", f"none is called {name}")
    return decided(
        array.filling is not None, "one nest fills the array", f"{len(array.stores)} stores go to {name}"
    )


def _scratch(site: Site) -> Verdict:
    _, array = _array(site)
    return decided(array.scratch, "it is scratch memory", f"{array.buffer.name} is seen by the caller")


def _loaded_after(site: Site) -> Verdict:
    _, array = _array(site)
    number, at = array.stores[0][0]
    for here, _ in array.users:
        if not any(n == number and k > at for n, k in here):
            return Refuted("loads come after", f"a statement that is not behind it loads {array.buffer.name}")
    return Proved("all loads come after")


def _loaded_inside(site: Site) -> Verdict:
    found, array = _array(site)
    nest = array.filling
    assert nest is not None  # noqa: S101 - the theorem's shape
    for load in array.loads:
        point = coordinates(load.args[0], nest.extents)
        if point is None or not within(point, nest.extents, found.facts):
            return Refuted("loads are inside", f"{array.buffer.name}[{load.args[0]!r}] may not be")
    return Proved("all loads are inside")


def _states_apart(site: Site) -> Verdict:
    _, array = _array(site)
    nest = array.filling
    assert nest is not None  # noqa: S101 - the theorem's shape
    if not held([nest.store.value]) & ITERATIONS:
        return Proved("the value is no iteration")
    inside = next((load for load in array.loads if in_iteration(load)), None)
    loaded = "" if inside is None else f"{array.buffer.name}[{inside.args[0]!r}] is in the steps of one"
    return decided(inside is None, "no iteration gets into another's steps", loaded)


def _memory_stays(site: Site) -> Verdict:
    found, array = _array(site)
    nest = array.filling
    assert nest is not None  # noqa: S101 - the theorem's shape
    number, at = array.stores[0][0]
    later = found.stored[number]
    for node in topological([nest.store.value]):
        if node.op == "load" and later.get(node.attr, -1) >= at:
            return Refuted("what it loads stays", f"{node.attr.name} is stored to afterwards")
    return Proved("what it loads stays")


def _of(words: str) -> Callable[[Site], str]:
    """A condition in words, with the array's name in its place."""
    return lambda site: words.format(site.options.get("array"))


INLINE = Theorem(
    "White 4.1.4, for an array",
    "A nest that fills an array may move behind what follows, and its value be taken where the array is loaded.",
    (
        Clause("scratch", _of("nobody else sees {}"), _scratch),
        Clause(
            "loaded-after", _of("what loads from {} stands behind its nest, or in what does"), _loaded_after
        ),
        Clause("loaded-inside", _of("the coordinates of every load are inside of {}"), _loaded_inside),
        Clause(
            "states-apart",
            _of("no value of {} that is an iteration is loaded where the state of another says"),
            _states_apart,
        ),
        Clause(
            "memory-stays", _of("nothing from there on stores to what the value of {} loads"), _memory_stays
        ),
    ),
    shape=Clause("filled", "one nest of loops stores every element of the array once", _filled),
)


def verdicts(kernel: Kernel) -> Iterable[tuple[Buffer, Verdict]]:
    """Every scratch array that is filled, in order, with the verdict."""
    found = arrays(kernel)
    for buffer in found.order:
        if found.known[buffer].scratch:
            yield buffer, INLINE.prove(Site(kernel, (), options={"array": buffer.name}))


def find(kernel: Kernel, *, array: str = "", **_: Any) -> Iterable[Path]:
    """The whole kernel, if the array is filled; any, if none is named."""
    found = arrays(kernel)
    if any(array in ("", b.name) and found.known[b].scratch for b in found.order):
        yield ()


def apply(kernel: Kernel, path: Path, *, array: str, **_: Any) -> Applied:
    """Take the value in place of every load."""
    found = arrays(kernel).named(array)
    assert found is not None  # noqa: S101 - checked
    return Applied(inlined(kernel, (found.buffer,)))


MOVE = Move("inline_array", "Compute what fills a scratch array where it is loaded.", find, apply, (INLINE,))
