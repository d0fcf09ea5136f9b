"""Programs run by every back end, several in one kernel, so that a compiler is called once for all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from pellucid.backends.c import CBackend
from pellucid.backends.conformance import same_bits
from pellucid.backends.llvm import LlvmBackend
from pellucid.backends.numpy import NumpyBackend
from pellucid.backends.port import Backend, layout
from pellucid.base.errors import BackendError
from pellucid.ir import expr as E
from pellucid.ir import nest as N
from pellucid.ir.expr import Buffer, Expr
from pellucid.ir.facts import Facts
from pellucid.ir.text import print_nest
from pellucid.loops.analysis.placement import place
from pellucid.rewriting.expand import expand

Run = tuple[Mapping[str, int], Mapping[Buffer, np.ndarray], Mapping[Buffer, np.ndarray]]
"""Arguments, the memory that a program begins with, and what it shall leave in its outputs."""


@dataclass(frozen=True, slots=True)
class Part:
    """A program, what made it, and its runs."""

    kernel: N.Kernel
    made: str
    runs: Sequence[Run]


@cache
def backends() -> tuple[Backend, ...]:
    """One of each kind that takes any nest."""
    return LlvmBackend(), CBackend(), NumpyBackend()


def renamed(kernel: N.Kernel, number: int) -> tuple[N.Kernel, dict[Buffer, Buffer]]:
    """The kernel over buffers of its own, and which of them stands for which."""
    roots = N.all_roots(kernel.body)
    known = dict.fromkeys([*kernel.outputs, *N.inputs(kernel), *N.scratch(kernel.body), *E.buffers(roots)])
    own = {b: Buffer(f"{b.name}_{number}", b.type, b.size) for b in known}
    done: dict[Expr, Expr] = {}
    for node in E.topological(roots):
        args = tuple(done[a] for a in node.args)
        done[node] = E.load(own[node.attr], *args) if node.op == "load" else E.rebuild(node, args)

    def change(s: N.Statement) -> N.Block:
        match s:
            case N.Store(buffer):
                return (replace(s, buffer=own[buffer]),)
            case N.Alloc(sizes):
                return (replace(s, sizes={own[b]: n for b, n in sizes.items()}),)
            case _:
                return (s,)

    body = N.rewrite(kernel.body, lambda roots: tuple(done[r] for r in roots))
    outputs = tuple(own[b] for b in kernel.outputs)
    return N.Kernel(kernel.name, kernel.params, outputs, N.transform(body, change)), own


def lowered(kernel: N.Kernel) -> N.Kernel:
    """The kernel without places, with every row that has a body replaced by it."""
    body = N.erase(kernel.body)
    roots = N.all_roots(body)
    done = dict(zip(roots, expand(roots, "exact"), strict=True))
    return replace(kernel, body=N.rewrite(body, lambda own: tuple(done[r] for r in own)))


def agree(parts: Sequence[Part], ranges: Mapping[Expr, Facts]) -> tuple[int, int]:
    """Fail unless every back end does what is expected; returns how many programs ran and how many were refused.

    All parts have the arguments of their runs in common.
    """
    taken: list[Part] = []
    for part in parts:
        try:
            layout(part.kernel, ranges)
        except BackendError:
            continue
        taken.append(part)
    refused = len(parts) - len(taken)
    if taken:
        try:
            _together(taken, ranges)
        except BackendError:
            for part in taken:
                try:
                    _together([part], ranges)
                except BackendError:
                    refused += 1
    return len(parts) - refused, refused


def _together(parts: Sequence[Part], ranges: Mapping[Expr, Facts]) -> None:
    numbered = [renamed(lowered(part.kernel), k) for k, part in enumerate(parts)]
    kernels = [kernel for kernel, _ in numbered]
    outputs = tuple(b for k in kernels for b in k.outputs)
    body = tuple(s for k in kernels for s in k.body)
    whole = N.Kernel("several", parts[0].kernel.params, outputs, body)
    placed = place(whole)[0]
    for backend in backends():
        forms = (whole, placed) if backend.name == "llvm" and len(parts) % 2 else (placed,)
        for form in forms:
            code = backend.compile(form, ranges)
            for which in range(len(parts[0].runs)):
                memory = {
                    own[b]: data.copy()
                    for part, (_, own) in zip(parts, numbered, strict=True)
                    for b, data in part.runs[which][1].items()
                    if b in own
                }
                code.run(parts[0].runs[which][0], memory)
                for part, (_, own) in zip(parts, numbered, strict=True):
                    arguments, _, expected = part.runs[which]
                    for b in part.kernel.outputs:
                        assert same_bits(memory[own[b]], expected[b]), (
                            f"{backend.name} by {part.made}: {b.name} is {memory[own[b]]}, not {expected[b]}, "
                            f"for {dict(arguments)}, in\n{print_nest(part.kernel)}"
                        )
