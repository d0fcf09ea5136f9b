"""The LLVM back end beside its results: what it keeps, what it shares, what it proves, and how large its text is."""

from __future__ import annotations

import gc
import itertools
import re
import subprocess
import sys
import weakref

import numpy as np
import pytest

import pellucid as pl
from pellucid.backends.conformance.programs import PROGRAMS
from pellucid.backends.jit import engine
from pellucid.backends.jit.binding import llvm_binding
from pellucid.backends.llvm import LlvmBackend, register_reads
from pellucid.base.errors import BackendError
from pellucid.driver import Options
from pellucid.driver.frame import FrameVariant
from pellucid.driver.pipeline import optimize
from pellucid.ir import expr as E
from pellucid.ir import nest as N
from pellucid.ir import types as T
from pellucid.ir.expr import Buffer
from pellucid.ir.parse import parse_nest

ADD = """
kernel add():
  output out: i32[40]
  for i in 0 .. 40 by 16 lanes:
    out[i] := i + {k}
"""


class Dictionary(dict):
    """A store that counts."""

    def put(self, key, value):
        self[key] = value


def run(code, kernel: N.Kernel) -> list[int]:
    memory = {b: np.zeros(b.size, b.type.dtype) for b in kernel.outputs}
    code.run({}, memory)
    return memory[kernel.outputs[0]].tolist()


def test_object_code_is_kept_and_used_again(monkeypatch: pytest.MonkeyPatch):
    store = Dictionary()
    kernel = parse_nest(ADD.format(k=5))
    first = LlvmBackend(store).compile(kernel, {})
    assert len(store) == 1
    monkeypatch.setattr(engine.Machine, "compile", None)
    second = LlvmBackend(store).compile(kernel, {})
    assert run(first, kernel) == run(second, kernel) == [k + 5 for k in range(40)]


def test_equal_text_is_linked_once():
    backend = LlvmBackend()
    a, b = (backend.compile(parse_nest(ADD.format(k=6)), {}) for _ in range(2))
    assert a.linked is b.linked


def test_the_key_depends_on_the_processor():
    store = Dictionary()
    for cpu in (None, "x86-64"):
        if cpu is None or engine.machine().target.triple.startswith("x86_64"):
            LlvmBackend(store, cpu=cpu).compile(parse_nest(ADD.format(k=7)), {})
    assert len(store) == (2 if engine.machine().target.triple.startswith("x86_64") else 1)


def test_code_outlives_its_linker_and_its_neighbors(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(engine, "LINKS_PER_LINKER", 3)
    backend = LlvmBackend()
    kernels = [parse_nest(ADD.format(k=1000 + k)) for k in range(20)]
    codes = [backend.compile(k, {}) for k in kernels]
    kept = codes[::4]
    del codes
    gc.collect()
    later = [parse_nest(ADD.format(k=2000 + k)) for k in range(20)]
    fresh = [backend.compile(k, {}) for k in later]
    for at, code in zip(range(0, 20, 4), kept, strict=True):
        assert run(code, kernels[at]) == [1000 + at + k for k in range(40)]
    assert run(fresh[7], later[7])[0] == 2007


def test_damaged_text_and_object_code_give_one_clear_error():
    backend = LlvmBackend()
    with pytest.raises(BackendError, match="does not accept"):
        backend.machine.compile("define void @f() { nonsense }")
    with pytest.raises(BackendError, match="cannot link"):
        backend.machine.link(b"no object code")


def test_options_are_set_back_after_a_compilation():
    # Other users of LLVM in this process must find its options as they were.
    loop = """define i64 @f(ptr %p, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %j, %loop ]
  %s = phi i64 [ 0, %entry ], [ %t, %loop ]
  %m = mul i64 %i, 24
  %a = getelementptr i8, ptr %p, i64 %m
  %v = load i64, ptr %a
  %t = add i64 %s, %v
  %j = add i64 %i, 1
  %c = icmp eq i64 %j, %n
  br i1 %c, label %done, label %loop
done:
  ret i64 %t
}
"""
    target, llvm = engine.machine().target, llvm_binding()
    before = target.emit_assembly(llvm.parse_assembly(loop))
    inside = engine.machine().assembly(loop)
    LlvmBackend().compile(parse_nest(ADD.format(k=8)), {})
    assert target.emit_assembly(llvm.parse_assembly(loop)) == before
    assert inside != before, "the options no longer do anything"


def text(name: str, width: int = 16, **options) -> str:
    program = next(p for p in PROGRAMS if p.name == name)
    kernel = parse_nest(program.text.replace("WIDTH", str(width)))
    return LlvmBackend(**options).text(kernel, {})


def test_two_neighbors_are_one_wide_load_per_lane(monkeypatch):
    monkeypatch.setattr(register_reads, "MAX_BYTES", 0)
    words = text("neighbors surely inside")
    assert len(re.findall(r"= load double", words)) == 16
    # On a processor whose own gather is slow, the positions are read lane by lane too: those are aligned words.
    assert len(re.findall(r"= load i32, ptr %g[^,]*, align 2", words)) == 16
    assert not re.search(r"= load i16, ptr %g", words)


def test_the_channels_of_two_pixels_are_one_load_per_lane(monkeypatch):
    monkeypatch.setattr(register_reads, "MAX_BYTES", 0)
    source = """
kernel channels():
  output out: f32[64]
  input rgb: u8[300]
  input at: u8[64]
  for i in 0 .. 64 by 16 lanes:
    t1 = convert.i32(at[i] & 63:u8) * 3
    out[i] := convert.f32({a}) - convert.f32({b})
"""
    a, b = (" + ".join(f"rgb[t1 + {k}]" for k in ks) for ks in ((0, 1, 2), (3, 4, 5)))
    words = LlvmBackend().text(parse_nest(source.format(a=a, b=b)), {})
    assert len(re.findall(r"= load double", words)) == 16
    assert "load i8, ptr %g" not in words


def test_a_proved_position_is_not_clamped():
    source = """
kernel proved():
  output out: f32[64]
  input a: f32[64]
  for i in 0 .. 64 by 16 lanes:
    out[i] := a[{position}]
"""
    clamped, proved = (
        LlvmBackend().text(parse_nest(source.format(position=p)), {}) for p in ("63 - i + 1", "63 - i")
    )
    assert "smin" in clamped
    assert "smin" not in proved


def test_a_sum_of_the_index_is_spread_as_one_number():
    source = """
kernel shifted(left: i32):
  output out: i32[40]
  for i in 0 .. 40 by 16 lanes:
    out[i] := left + i
"""
    kernel = parse_nest(source)
    backend = LlvmBackend()
    assert backend.text(kernel, {}).count("zeroinitializer") == 1
    memory = {kernel.outputs[0]: np.zeros(40, np.int32)}
    backend.compile(kernel, {}).run({"left": 2**31 - 20}, memory)
    expected = np.arange(2**31 - 20, 2**31 + 20).astype(np.uint32).view(np.int32)
    assert np.array_equal(memory[kernel.outputs[0]], expected)


def test_constant_lengths_need_no_masks():
    words = text("a run of constant length")
    assert "masked" not in words
    assert "store <16 x float>" in words


def test_no_fast_math_and_no_calls_of_libraries():
    for program in PROGRAMS:
        words = LlvmBackend().text(parse_nest(program.text.replace("WIDTH", "16")), {})
        assert not re.search(r"\b(fast|nnan|ninf|nsz|arcp|contract|afn|reassoc)\b", words)
        assert set(re.findall(r"call .*?@([\w.]+)", words)) == {
            n for n in re.findall(r"call .*?@([\w.]+)", words) if n.startswith("llvm.")
        }


def test_text_grows_with_the_program_and_no_faster():
    def lines(steps: int) -> int:
        i = E.index("i")
        x = E.apply("convert", i, attr=T.f32)
        for k in range(steps):
            x = E.apply("min", E.apply("add", x, E.const(k, T.f32)), E.apply("mul", x, x))
        out = Buffer("out", T.f32, 64)
        loop = N.For(i, E.const(0, T.i32), E.const(64, T.i32), (N.Store(out, i, x),), N.lanes(16))
        return LlvmBackend().text(N.Kernel("long", (), (out,), (loop,)), {}).count("\n")

    one, two, three = (lines(k) for k in (500, 1000, 2000))
    assert three - two == pytest.approx(2 * (two - one), rel=0.01)


def test_a_deep_expression_does_not_exhaust_the_stack():
    i = E.index("i")
    x = E.apply("convert", i, attr=T.f32)
    for _ in range(5000):
        x = E.apply("add", x, E.const(1, T.f32))
    out = Buffer("out", T.f32, 16)
    loop = N.For(i, E.const(0, T.i32), E.const(16, T.i32), (N.Store(out, i, x),), N.lanes(16))
    kernel = N.Kernel("deep", (), (out,), (loop,))
    assert run(LlvmBackend().compile(kernel, {}), kernel)[0] == 5000


def test_lanes_within_lanes_are_refused():
    kernel = parse_nest(
        """
kernel twice():
  output out: i32[64]
  for j in 0 .. 8 by 4 lanes:
    for i in 0 .. 8 by 4 lanes:
      out[j * 8 + i] := i
"""
    )
    with pytest.raises(BackendError, match="inside of another"):
        LlvmBackend().compile(kernel, {})


def test_bounds_that_differ_by_lane_are_refused():
    kernel = parse_nest(
        """
kernel triangle():
  output out: i32[64]
  for j in 0 .. 8 by 4 lanes:
    for i in 0 .. j:
      out[j * 8 + i] := i
"""
    )
    with pytest.raises(BackendError, match="differ from lane to lane"):
        LlvmBackend().compile(kernel, {})


def test_lanes_have_no_scratch_memory_of_their_own():
    kernel = parse_nest(
        """
kernel own():
  output out: i32[16]
  for i in 0 .. 16 by 4 lanes:
    alloc s: i32[1]:
      s[0] := i
      out[i] := s[0]
"""
    )
    with pytest.raises(BackendError, match="scratch memory inside of a loop by lanes"):
        LlvmBackend().compile(kernel, {})


GROWTH = """
import resource, sys
from pellucid.backends.jit.engine import machine

def most() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)

def optimize(numbers: range) -> None:
    for k in numbers:
        machine().whole(f"define i32 @f(i32 %x) {{\\n  %y = mul i32 %x, {k}\\n  ret i32 %y\\n}}")

optimize(range(50))
before = most()
optimize(range(50, 300))
print(most() - before)
"""
"""Prints by how many bytes a process grows while it optimizes 250 modules."""


def test_what_optimizes_a_module_is_freed():
    """llvmlite's pass managers do not free themselves: 75 KB each."""
    done = subprocess.run([sys.executable, "-c", GROWTH], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 4 << 20


def test_code_that_was_called_ends_with_its_last_user() -> None:
    """Calls are prepared once and kept by the code that they call; neither waits for the garbage collector."""
    kernel = parse_nest(ADD.format(k=12345))
    code = LlvmBackend().compile(kernel, {})
    memory = {b: np.zeros(b.size, b.type.dtype) for b in code.calling.bound}
    for threads in (1, 1, 2):
        code.run({}, memory, threads=threads)
    alive = weakref.ref(code.linked)
    gc.disable()
    try:
        del code
        assert alive() is None
    finally:
        gc.enable()


def test_many_places_are_computed_where_they_are_used():
    """Sixty waves, of each of which some values have places, keep few values alive at a time."""

    def waves(p):
        value = 0.3
        for k in range(60):
            value = value * 0.7 + pl.sin(p.x * (0.1 + 0.03 * k) + p.y * (0.5 + k)) * 0.9
        return value

    kernel, options = pl.compile(pl.image(waves), backend="tiles"), Options(backend="llvm")
    frame, backend = kernel.frame(FrameVariant()), LlvmBackend()
    best = optimize(frame.kernel, frame.ranges, options, 8)
    lines = backend.text(best.kernel, best.ranges).splitlines()
    made = {
        found[1]: at for at, line in enumerate(lines) if (found := re.match(r"\s*(%[\w.]+) = .*<8 x", line))
    }
    last = {name: at for at, line in enumerate(lines) for name in re.findall(r"%[\w.]+", line)}
    changes = [0] * (len(lines) + 1)
    for name, at in made.items():
        changes[at] += 1
        changes[last[name]] -= 1
    assert max(itertools.accumulate(changes)) < 24
    size = (70, 40)
    pixels = pl.render(pl.image(waves), size, zoom=20, backend="llvm")
    assert np.array_equal(pixels, kernel.render(size, zoom=20))
