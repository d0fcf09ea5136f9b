"""Random programs give the same bits in NumPy, in LLVM and in C, with and without places."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from tests.diff.programs import Program, joined, programs
from tests.turns import fewer

from pellucid.backends.c import CBackend
from pellucid.backends.conformance import same_bits
from pellucid.backends.jit.engine import machine
from pellucid.backends.llvm import LlvmBackend
from pellucid.backends.numpy import NumpyBackend
from pellucid.backends.obligations import stored_buffers
from pellucid.backends.port import Backend
from pellucid.ir import expr as E
from pellucid.ir import interp
from pellucid.ir import nest as N
from pellucid.ir.parse import parse_nest
from pellucid.ir.text import print_nest
from pellucid.ir.verify import verify_exprs, verify_kernel
from pellucid.loops.analysis.placement import place

X86 = machine().target.triple.startswith("x86_64")


def check(kernel: N.Kernel, arguments: dict[str, float], memory: dict, backends: list[Backend]) -> None:
    expected = {b: m.copy() for b, m in memory.items()}
    interp.run(kernel, arguments, expected)
    verify_exprs(N.all_roots(kernel.body))
    verify_kernel(kernel)
    placed = place(kernel)[0]
    verify_kernel(placed)
    for backend in backends:
        for form in (kernel, placed) if backend.name == "llvm" else (placed,):
            found = {b: m.copy() for b, m in memory.items()}
            backend.compile(form, {}).run(arguments, found)
            for b in kernel.outputs:
                if not same_bits(expected[b], found[b]):
                    alone = next(s for s in form.body if b in stored_buffers((s,)))
                    text = print_nest(N.Kernel("one", kernel.params, (b,), (alone,)))
                    raise AssertionError(
                        f"{backend.name}: {b.name}: {found[b]} is not {expected[b]} in\n{text}"
                    )


@settings(max_examples=fewer(64))
@given(programs(count=8))
def test_back_ends_agree_on_random_programs(parts: list[Program]):
    backends: list[Backend] = [LlvmBackend(), CBackend()]
    check(*joined(parts), backends)


@settings(max_examples=fewer(24))
@given(programs(count=4, largest=30))
def test_lesser_processors_agree_on_larger_programs(parts: list[Program]):
    check(*joined(parts), [NumpyBackend(), *([LlvmBackend(cpu="x86-64")] if X86 else [])])


def test_programs_are_of_every_kind():
    # A generator that never makes an iteration tests no iterations.
    found: set[str] = set()
    counts = {"rows": 0, "places": 0}

    @settings(max_examples=fewer(25), database=None)
    @given(programs(count=8))
    def collect(parts: list[Program]) -> None:
        kernel, _, _ = joined(parts)
        nodes = E.topological(N.all_roots(kernel.body))
        found.update(n.op for n in nodes)
        found.update(type(s).__name__ for s in N.walk(kernel.body))
        found.update(s.how.kind for s in N.walk(kernel.body) if isinstance(s, N.For))
        found.update(str(n.type) for n in nodes)
        counts["rows"] += len(nodes)
        counts["places"] += sum(isinstance(s, N.Let) for s in N.walk(place(kernel)[0].body))

    collect()
    wanted = {"iterate", "load", "param", "If", "lanes", "seq", "spread", "f32", "f64", "bool", "u8", "i64"}
    assert wanted <= found
    assert counts["rows"] > 25 * 8 * 5
    assert counts["places"] > 100


def test_a_difference_is_reported_with_its_program():
    class Off:
        name = "off"

        def compile(self, kernel, ranges):
            class Code:
                def run(self, arguments, memory, *, threads=None):
                    for b in kernel.outputs:
                        memory[b][:] = np.ones(len(memory[b]), memory[b].dtype)

            return Code()

    kernel = parse_nest("kernel k():\n  output out: i32[4]\n  for i in 0 .. 4:\n    out[i] := i * 3\n")
    with pytest.raises(AssertionError, match=r"off: out: .* in\nkernel one"):
        check(kernel, {}, {kernel.outputs[0]: np.zeros(4, np.int32)}, [Off()])
