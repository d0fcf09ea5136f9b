"""What tests say of variables: after `(pair? x)`, x is a pair where that is true. Used by `flow` and by `lowering`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from pellucid.staging.root.program import RootPrim
from pellucid.staging.root.sets import NILS, SCALARS, Set

if TYPE_CHECKING:
    from pellucid.staging.root.flow import Flow

TELLING = frozenset(["null?", "pair?", "atom?", "not", "car", "has-length"])
"""Primitives whose results say of their operands what they are."""


class Narrowing:
    """Variables that say of another one what it is, in one stream."""

    def __init__(self, known: dict[str, tuple[str, str]] | None = None) -> None:
        self._known = known or {}

    def copy(self) -> Narrowing:
        """The same, to go on with in another stream."""
        return Narrowing(self._known.copy())

    def __contains__(self, test: str) -> bool:
        """Whether a variable says of another one what it is."""
        return test in self._known

    def forget(self, name: str) -> None:
        """Forget what was said of a variable, since it is bound anew."""
        for key in [k for k, (_, subject) in self._known.items() if name in (k, subject)]:
            del self._known[key]

    def bind(self, prim: RootPrim) -> None:
        """Note what an instruction says, if it is a test."""
        if prim.args[0] != prim.name:
            self._known[prim.name] = (prim.primitive, prim.args[0])

    def closure(self, target: str) -> str | None:
        """The variable that a target is the car of."""
        kind, subject = self._known.get(target, ("", ""))
        return subject if kind == "car" else None

    def split(
        self, flow: Flow, test: str, held: Callable[[str], Set]
    ) -> tuple[dict[str, Set] | None, dict[str, Set] | None]:
        """Variables that are known better where a test is true, and where it is not; None where that cannot be."""
        return self._arm(flow, test, held, truth=True), self._arm(flow, test, held, truth=False)

    def _arm(
        self, flow: Flow, test: str, held: Callable[[str], Set], *, truth: bool
    ) -> dict[str, Set] | None:
        known: dict[str, Set] = {}
        for name, values in self._said(flow, test, truth=truth):
            known[name] = (known[name] if name in known else held(name)) & values
            if not known[name]:
                return None
        return known

    def _said(self, flow: Flow, test: str, *, truth: bool) -> Iterator[tuple[str, Set]]:
        """Sets that variables are in where a test has a truth."""
        yield test, ~NILS if truth else SCALARS | NILS | flow.vectors
        kind, subject = self._known.get(test, ("", ""))
        if kind == "null?":
            yield subject, NILS if truth else ~NILS
        elif kind in ("pair?", "atom?"):
            yield subject, flow.pairs if truth == (kind == "pair?") else ~flow.pairs
        elif kind == "has-length" and truth:
            yield subject, flow.sequences
        elif kind == "not":
            yield from self._said(flow, subject, truth=not truth)
