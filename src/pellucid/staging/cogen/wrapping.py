"""The functions M and C of an extension: the memo table, with late normalization, and residual closures.

A key has the static values and the numbers of the residual variables as they appear, so that two calls have one key if
they are alike in aliasing too. The first use of a quotient decides by how much it is shifted; what shares it is shifted
by as much. A residual variable is passed once, however often it appears.
"""

from __future__ import annotations

from pellucid.staging.cogen.extension import Extension
from pellucid.staging.cogen.generator import Generator
from pellucid.staging.cogen.values import TimedValue, holds
from pellucid.staging.times.lattice import (
    CYCLIC,
    DYNAMIC,
    STATIC,
    Constant,
    Pointer,
    Stack,
    Time,
    TimeGraph,
)


def wrapped(generator: Generator, owner: Extension, values: list[TimedValue], frame: int) -> str:
    """The functions M and, if it may be called as a closure, C; `frame` is the number of values in the closure."""
    texts = [_memo(generator, owner, values)]
    first = owner.times[0] if owner.times else DYNAMIC
    if isinstance(first, TimeGraph) and isinstance(first.nodes[0].car, Pointer) and not first.packed:
        returns = owner.times[1:]
        if owner in generator.closed or (generator.closes_all and set(returns) <= {DYNAMIC, CYCLIC}):
            texts.append(_closing(generator, owner, values[:frame]))
    return "\n".join(texts)


def _memo(generator: Generator, owner: Extension, values: list[TimedValue]) -> str:
    """The function M."""
    number = owner.number
    args = "".join(f", {leaf}" for value in values for leaf in value.own)
    lines = [f"def M{number}(out{args}):", *_key(generator, number, values)]
    lines += [
        " c = table.get(key)",
        " if c is None:",
        f"  c, o = rt.code(key, {generator.global_of(owner)}, d)",
        f"  waiting.append((B{number}, (o{args},)))",
        " j = f'j{next(rt.fresh)}'",
        " out.append(new(Const, (j, c)))",
        " out.append(new(Jump, (j, tuple(d))))",
    ]
    return "\n".join(lines)


def _closing(generator: Generator, owner: Extension, values: list[TimedValue]) -> str:
    """The function C (lift cases 5 and 6)."""
    number = owner.number
    args = "".join(f", {leaf}" for value in values for leaf in value.own)
    given = "".join(
        f", 1, given[{at}], 0" if time is CYCLIC else f", given[{at}]"
        for at, time in enumerate(owner.times[1:])
    )
    count = _count(owner.times[0])
    lines = [f"def C{number}(out{args}):", *_key(generator, -number - 1, values)]
    lines += [
        " if key not in table:",
        f"  o, given = rt.entered(key, {generator.global_of(owner)}, d, {count})",
        f"  waiting.append((B{number}, (o{args}{given},)))",
        f" return rt.saved(out, key, d, {owner.code.name!r}, {count})",
    ]
    return "\n".join(lines)


def _count(closure: Time) -> int:
    """The number of values in a closure's frame, if it is a list of dynamic ones; -1 for any other."""
    count, rest = 0, closure.cdr if isinstance(closure, TimeGraph) else closure
    while isinstance(rest, TimeGraph) and not rest.packed and rest.car is DYNAMIC:
        count, rest = count + 1, rest.cdr
    return count if isinstance(rest, Constant) and rest.value is None else -1


def _key(generator: Generator, number: int, values: list[TimedValue]) -> list[str]:
    """Lines that normalize values and compute their key."""
    normal: list[str] = []
    key = [str(number)]
    for value in values:
        time = value.time
        if time is DYNAMIC:
            key.append(f"m({value.own[0]}, len(d))")
        elif time is STATIC:
            name = value.own[0]
            key.append(f"({name} if {name}.__class__ in PLAIN else rt.key({name}))")
        elif time is CYCLIC:
            base, quotient, remainder = value.own
            normal.append(f" {', '.join(value.own)} = rt.shifted(out, s, {', '.join(value.own)})")
            key += [base, f"m({quotient}, len(d))", remainder]
        elif isinstance(time, TimeGraph | Stack):
            name = value.own[0]
            nodes = generator.global_of(time.nodes) if isinstance(time, TimeGraph) else "()"
            field = "0" if isinstance(time, TimeGraph) else generator.global_of(time)
            if generator.cyclic and holds(time, CYCLIC, Stack):
                normal.append(f" {name} = rt.normal({field}, {nodes}, {name}, s, out)")
            key.append(f"rt.walk({nodes}, {field}, {name}, d)")
    lines = [" s = {}", *normal] if normal else []
    return [*lines, " d = {}; m = d.setdefault", f" key = ({', '.join(key)},)"]
