"""eliminate_dead: what is stored to a buffer that nobody needs is not stored, nor is done what was done for it alone.

Needed are the declared outputs, or those named by `live` (White, section 7.2, asks for this: equality of what is live
at the end, not of everything).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from ...base.errors import did_you_mean
from ...ir.expr import Buffer, topological
from ...ir.nest import Alloc, Block, For, If, Kernel, Statement, Store, roots, scratch, transform, walk
from ...ir.path import Path
from ...reasoning.prove import Proved, Refuted, Verdict, decided
from ..core.elements import allocated
from ..core.move import Applied, Move
from ..core.theorem import Clause, Site, Theorem


def _live(kernel: Kernel, live: Sequence[str] | None) -> set[Buffer]:
    """The outputs that are needed at the end."""
    return {b for b in kernel.outputs if live is None or b.name in live}


def _feeds(kernel: Kernel, buffer: Buffer) -> Statement | None:
    """The first statement that loads a buffer, other than a store to it."""
    for s in walk(kernel.body):
        if isinstance(s, Store) and s.buffer is buffer:
            continue
        if any(n.op == "load" and n.attr is buffer for n in topological(roots(s))):
            return s
    return None


def _buffers(kernel: Kernel) -> list[Buffer]:
    """The buffers that a kernel may store to, outputs first."""
    return [*kernel.outputs, *scratch(kernel.body)]


def unneeded(kernel: Kernel, buffer: str | None = None, live: Sequence[str] | None = None) -> Buffer | None:
    """The buffer of that name; without a name, the first that nobody needs."""
    for b in _buffers(kernel):
        if buffer is None and (b in _live(kernel, live) or _feeds(kernel, b) is not None):
            continue
        if buffer in (None, b.name):
            return b
    return None


def find(
    kernel: Kernel, *, buffer: str | None = None, live: Sequence[str] | None = None, **_: Any
) -> Iterable[Path]:
    """The whole kernel, while there is such a buffer."""
    if unneeded(kernel, buffer, live) is not None:
        yield ()


def _buffer(site: Site) -> Buffer:
    found = unneeded(site.kernel, site.options.get("buffer"), site.options.get("live"))
    assert found is not None  # noqa: S101 - the theorem's shape
    return found


def _has_buffer(site: Site) -> Verdict:
    premise = "the kernel stores to a buffer that is to go"
    if site.path:
        return Refuted(premise, f"{site} is a part of it")
    found = unneeded(site.kernel, site.options.get("buffer"), site.options.get("live"))
    return decided(found is not None, premise, "every buffer is needed")


def _declared(site: Site) -> Verdict:
    names = [b.name for b in site.kernel.outputs]
    for name in site.options.get("live") or ():
        if name not in names:
            fix = did_you_mean(name, names) or f"they are {', '.join(names)}"
            return Refuted("what is live is an output", f"no output is called {name!r}; {fix}")
    return Proved("what is live is an output")


def _not_live(site: Site) -> Verdict:
    needed = _buffer(site) in _live(site.kernel, site.options.get("live"))
    return decided(not needed, "it is not needed at the end", f"{_buffer(site).name} is an output")


def _feeds_nothing(site: Site) -> Verdict:
    user = _feeds(site.kernel, _buffer(site))
    words = "" if user is None else type(user).__name__.lower()
    if isinstance(user, Store):
        words = f"store to {user.buffer.name}"
    return decided(user is None, "nothing else loads it", f"a {words} does")


DEAD = Theorem(
    "what nobody loads need not be stored",
    "Stores to a buffer that is no live output and feeds nothing but itself may be left out.",
    (
        Clause("not-live", lambda s: f"{_buffer(s).name} is not needed at the end", _not_live),
        Clause(
            "feeds-nothing", lambda s: f"nothing but its own stores loads {_buffer(s).name}", _feeds_nothing
        ),
    ),
    shape=Clause("a-buffer", "the site is a kernel with a buffer that is to go", _has_buffer),
)

DECLARED = Clause("declared", "what is called live is an output of the kernel", _declared)


def apply(
    kernel: Kernel, path: Path, *, buffer: str | None = None, live: Sequence[str] | None = None, **_: Any
) -> Applied:
    """The kernel without the buffer; loops and branches that do nothing any more go with it."""
    dead = unneeded(kernel, buffer, live)
    assert dead is not None  # noqa: S101 - checked

    def change(s: Statement) -> Block:
        match s:
            case Store(b) if b is dead:
                return ()
            case Alloc(sizes, body) if dead in sizes:
                return allocated({b: n for b, n in sizes.items() if b is not dead}, body)
            case For(body=()) | If(then=(), orelse=(), selects=()) | Alloc(body=()):
                return ()
            case _:
                return (s,)

    outputs = tuple(b for b in kernel.outputs if b is not dead)
    return Applied(replace(kernel, outputs=outputs, body=transform(kernel.body, change)))


DOC = "Leave out what is stored to a buffer that nobody needs."
MOVE = Move("eliminate_dead", DOC, find, apply, (DEAD,), limits=(DECLARED,))
