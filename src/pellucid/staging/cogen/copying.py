"""The instructions around a call of a lifter: what is taken from a variable, kept in a closure, and put back."""

from __future__ import annotations

from collections.abc import Iterator

from pellucid.staging.cogen.values import TimedValue
from pellucid.staging.root.program import Const, Instruction, RootCode, RootPrim
from pellucid.staging.times.lattice import TimeGraph


def taken(name: str, path: tuple[str, ...]) -> Iterator[Instruction]:
    """Instructions that bind `$p` to a part of a variable."""
    yield RootPrim("$p", "identity", (name,))
    for half in path:
        yield RootPrim("$p", half, ("$p",))


def closed(code: RootCode, live: list[str]) -> Iterator[Instruction]:
    """Instructions that bind `$k` to a closure of some variables."""
    yield Const("$f", None)
    for at, name in reversed(list(enumerate(live))):
        yield RootPrim("$f", "cons", (name, "$f"), f"{code.name}.{at}")
    yield Const("$c", code)
    yield RootPrim("$k", "close", ("$c", "$f"), f"{code.name}.k")


def opened(live: list[str]) -> Iterator[Instruction]:
    """Instructions that bind variables to the parts of a closure's frame."""
    yield RootPrim("$f", "cdr", ("$self",))
    for name in live:
        yield RootPrim(name, "car", ("$f",))
        yield RootPrim("$f", "cdr", ("$f",))


def rebuilt(name: str, path: tuple[str, ...], value: TimedValue) -> Iterator[Instruction]:
    """Instructions that replace a part of a variable by `$r`; its pairs keep their points."""
    if not path:
        yield RootPrim(name, "identity", ("$r",))
        return
    points: list[tuple[str, str]] = []
    yield RootPrim("$0", "identity", (name,))
    for at, half in enumerate(path):
        node = value.time.nodes[0] if isinstance(value.time, TimeGraph) else None
        points.append(("close" if node and node.closure else "cons", "|".join(node.points) if node else ""))
        yield RootPrim(f"${at + 1}", half, (f"${at}",))
        if value.halves is not None:
            value = value.halves[half == "cdr"]
    new = "$r"
    for at in reversed(range(len(path))):
        primitive, point = points[at]
        other = f"$o{at}"
        yield RootPrim(other, "cdr" if path[at] == "car" else "car", (f"${at}",))
        args = (new, other) if path[at] == "car" else (other, new)
        new = name if at == 0 else f"$n{at}"
        yield RootPrim(new, primitive, args, point)
