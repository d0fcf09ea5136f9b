"""A trial: two versions of a program run on the same inputs, their outputs compared, their steps counted.

Not a proof, which is what theorems are for, but a safety net, and a way to see what a program does. Sessions use it to
compare a program with the one they began with.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...base.errors import InputError, brief, did_you_mean
from ...base.record import record
from ...ir import expr as E
from ...ir import interp
from ...ir import types as T
from ...ir.expr import Buffer, Expr, topological
from ...ir.facts import Facts
from ...ir.nest import SEQ, Block, For, Kernel, Store, all_roots, blocks, inputs, walk, with_blocks

Array = np.ndarray[Any, Any]
Memory = dict[Buffer, Array]
Runner = Callable[[Kernel, Mapping[str, Any], Memory], None]
"""A function that runs a kernel: arguments by name, memory by buffer, stores in place. `interp.run` is the meaning."""

UNKNOWN_COUNT = 256
"""Expected iterations of a loop whose bounds depend on data."""
OPEN = 4096
"""The elements of an output whose size is left to the caller."""
MAX_ARGUMENT = 40
"""The largest argument that is made up for a parameter about which nothing is known."""


@record
class Visits:
    """The visits of one loop's body: the loops around it, outermost first, and the count."""

    loops: tuple[str, ...]
    count: int


@record
class Trial:
    """The results of two programs on the same inputs.

    arguments  by parameter name; `given` the memory they began with, `before` and `after` the memory they left, by
               buffer name; `differs` the first output and position where these are not the same bits, or None.
    visits     how often each loop's body ran, before and after; empty without loops, or if one does not run in order.
    """

    arguments: Mapping[str, float | int | bool]
    given: Mapping[str, Array]
    before: Mapping[str, Array]
    after: Mapping[str, Array]
    differs: tuple[str, int] | None
    visits: tuple[tuple[Visits, ...], tuple[Visits, ...]]


def compare(
    before: Kernel,
    after: Kernel,
    *,
    ranges: Mapping[Expr, Facts] | None = None,
    given: Mapping[str, Any] | None = None,
    seed: int = 1,
    runner: Runner = interp.run,
) -> Trial:
    """Run both on the same inputs, `given` by name of parameter or buffer, or else made up from the seed.

    Outputs are compared that both have: a move may have left out those of which it was told that nobody wants them.
    Raises InputError for an input that is no parameter or buffer, or that does not fit it.
    """
    arguments, memory = made_up(before, ranges or {}, given or {}, np.random.default_rng(seed))
    starts = {b.name: data.copy() for b, data in memory.items()}
    outcomes = [_run(kernel, arguments, starts, runner) for kernel in (before, after)]
    (first, first_visits), (second, second_visits) = outcomes
    wanted = [b.name for b in before.outputs if b.name in second]
    places = ((name, _difference(first[name], second[name])) for name in wanted)
    differs = next(((name, at) for name, at in places if at is not None), None)
    return Trial(arguments, starts, first, second, differs, (first_visits, second_visits))


def _run(
    kernel: Kernel, arguments: Mapping[str, Any], starts: Mapping[str, Array], runner: Runner
) -> tuple[dict[str, Array], tuple[Visits, ...]]:
    counted, counter, loops = with_counters(kernel)
    memory = {b: starts[b.name].copy() for b in (*kernel.outputs, *inputs(kernel))}
    if counter is not None:
        memory[counter] = np.zeros(counter.size, np.int64)
    runner(counted, arguments, memory)
    counts: list[int] = [] if counter is None else [int(n) for n in memory[counter]]
    visits = tuple(Visits(around, count) for around, count in zip(loops, counts, strict=True))
    return {b.name: memory[b] for b in kernel.outputs}, visits


def _difference(a: Array, b: Array) -> int | None:
    """The first position where two arrays hold different bits, any NaN being as good as another."""
    same = a == b
    if a.dtype.kind == "f":
        same = (same & (np.signbit(a) == np.signbit(b))) | (np.isnan(a) & np.isnan(b))
    return None if same.all() else int(np.argmin(same))


# ---- inputs ----


def made_up(
    kernel: Kernel, ranges: Mapping[Expr, Facts], given: Mapping[str, Any], random: np.random.Generator
) -> tuple[dict[str, float | int | bool], Memory]:
    """Arguments and memory for a kernel: what is given, and for the rest values near those that it mentions."""
    buffers = [*kernel.outputs, *inputs(kernel)]
    known = [*(p.attr for p in kernel.params), *(b.name for b in buffers)]
    for name in given:
        if name not in known:
            fix = did_you_mean(name, known) or f"it has {', '.join(known)}"
            raise InputError(f"the program has no input {name!r}", fix=fix)
    mentioned, unsized = _mentioned(kernel), _unsized(kernel)
    chosen = {
        str(p.attr): _fitting(p.attr, given[p.attr], p.type, 1).item()
        for p in kernel.params
        if p.attr in given
    }
    arguments: dict[str, float | int | bool] = {}
    for few in (MAX_ARGUMENT, MAX_ARGUMENT // 2, MAX_ARGUMENT // 4, MAX_ARGUMENT // 8, 1, 0):
        drawn = {str(p.attr): _argument(p, ranges.get(p), few, random) for p in kernel.params}
        arguments = {**drawn, **chosen}
        broken = _broken(kernel, ranges, arguments)
        if broken is None:
            break
    else:
        raise InputError(f"inputs break what is promised: {broken}", fix="give others")
    memory: Memory = {}
    for b in buffers:
        if b.name in given:
            memory[b] = _fitting(b.name, given[b.name], b.type, OPEN if b in unsized else b.size).copy()
        elif b.data is not None:
            memory[b] = b.data.copy()
        else:
            memory[b] = _values(b.type, OPEN if b in unsized else b.size, mentioned, random)
    return arguments, memory


def _fitting(name: str, value: Any, type_: T.Type, size: int) -> Array:
    """A given value as an array of that type and size; a single one is repeated."""
    array = np.asarray(value).reshape(-1)
    if array.dtype.kind not in "bif" and array.dtype.kind != "u":
        raise InputError(f"{brief(value)} is not made of numbers", place=name)
    if len(array) not in (1, size):
        raise InputError(f"{len(array)} values are given, where it holds {size}", place=name)
    with np.errstate(all="ignore"):
        typed = array.astype(type_.dtype)
    if not type_.is_float and not (typed == array).all():
        raise InputError(f"not all values are of type {type_}", place=name, fix=f"give {type_} values")
    return np.broadcast_to(typed, (size,))


def _mentioned(kernel: Kernel) -> list[int]:
    """The whole numbers that a program mentions, as sizes of what its values may be like."""
    nodes = topological(all_roots(kernel.body))
    found = {
        abs(int(n.attr)) for n in nodes if n.op == "const" and n.type.is_integer and abs(n.attr) < 1 << 40
    }
    return sorted(found | {1, 8})


def _unsized(kernel: Kernel) -> set[Buffer]:
    """Outputs whose size only the caller knows, as that of a picture: declared as one element, stored to as many."""
    stores = [s for s in walk(kernel.body) if isinstance(s, Store)]
    return {s.buffer for s in stores if s.buffer.size == 1 and s.position.op != "const"}


def _values(type_: T.Type, size: int, mentioned: Sequence[int], random: np.random.Generator) -> Array:
    if type_ is T.boolean:
        return random.integers(0, 2, size).astype(np.bool_)
    if type_.is_integer:
        # Around zero and up to each of the mentioned numbers, and a little beyond: both sides of every bound.
        caps = np.asarray([c for c in mentioned if c <= type_.high] or [1])
        top = random.choice(caps, size) + 2
        drawn = np.floor(random.random(size) * (top + 3)).astype(np.int64) - 2
        return np.clip(drawn, max(type_.low, -(1 << 62)), min(type_.high, 1 << 62)).astype(type_.dtype)
    drawn = random.normal(scale=8.0, size=size)
    odd = random.random(size) < 0.05
    return np.where(odd, random.choice([0.0, -0.0, np.inf, -np.inf, np.nan], size), drawn).astype(type_.dtype)


def _broken(kernel: Kernel, ranges: Mapping[Expr, Facts], arguments: Mapping[str, Any]) -> str | None:
    """The promise about parameters that does not hold of some arguments, in words; None if all hold."""
    values = {p: np.asarray(arguments[p.attr], p.type.dtype) for p in kernel.params}
    for what, facts in ranges.items():
        leaves = [n for n in topological([what]) if not n.args]
        if all(n in values or n.op == "const" for n in leaves):
            (value,) = interp.evaluate([what], values)
            if not facts.contains(value.item()):
                names = " * ".join(str(n.attr) for n in leaves if n.op == "param")
                return f"{facts.lo} <= {names} <= {facts.hi}"
    return None


def _argument(p: Expr, facts: Facts | None, few: int, random: np.random.Generator) -> float | int | bool:
    if p.type is T.boolean:
        return bool(random.integers(0, 2))
    low, high = (facts.lo, facts.hi) if facts is not None else (p.type.low, p.type.high)
    near = min(max(low, -2), high)
    near = max(low, min(near, high))
    far = min(high, near + few)
    if p.type.is_integer:
        return int(random.integers(int(near), int(far), endpoint=True))
    return float(np.asarray(random.uniform(near, far), p.type.dtype))


# ---- counting ----


def with_counters(kernel: Kernel) -> tuple[Kernel, Buffer | None, list[tuple[str, ...]]]:
    """The kernel with one more output that counts the iterations of each loop, and the loops around each count.

    A kernel with a loop that does not run in order, or without loops, is left alone.
    """
    loops = [s for s in walk(kernel.body) if isinstance(s, For)]
    if not loops or any(s.how != SEQ for s in loops):
        return kernel, None, []
    counter = Buffer("visits", T.i64, len(loops))
    names: list[tuple[str, ...]] = []

    def block(inner: Block, around: tuple[str, ...]) -> Block:
        result: list[Any] = []
        for s in inner:
            if isinstance(s, For):
                here = (*around, str(s.index.attr))
                at = E.const(len(names), T.i32)
                names.append(here)
                more = E.apply("add", E.load(counter, at), E.const(1, T.i64))
                result.append(replace(s, body=(Store(counter, at, more), *block(s.body, here))))
            else:
                result.append(with_blocks(s, tuple(block(b, around) for b in blocks(s))))
        return tuple(result)

    body = block(kernel.body, ())
    return replace(kernel, outputs=(*kernel.outputs, counter), body=body), counter, names


def expected_visits(kernel: Kernel, arguments: Mapping[str, Any]) -> int:
    """About how many iterations a run will take, all loops together."""
    values = {p: np.asarray(arguments[p.attr], p.type.dtype) for p in kernel.params}

    def count(s: For) -> int:
        if s.lo.free | s.hi.free or E.buffers([s.lo, s.hi]):
            return UNKNOWN_COUNT
        lo, hi = interp.evaluate([s.lo, s.hi], values)
        return max(0, int(hi) - int(lo))

    def total(block: Block) -> int:
        visits = 0
        for s in block:
            inside = sum(total(b) for b in blocks(s))
            visits += count(s) * (1 + inside) if isinstance(s, For) else inside
        return visits

    return total(kernel.body)
