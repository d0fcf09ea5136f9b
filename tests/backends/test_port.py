"""What all back ends share: the order of buffers, the check of arguments, scratch memory, and bands of rows."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from pellucid.backends.llvm import LlvmBackend
from pellucid.backends.port import MAX_BANDS, Backend, layout
from pellucid.base.errors import BackendError, InputError
from pellucid.ir import interp
from pellucid.ir import nest as N
from pellucid.ir import types as T
from pellucid.ir.expr import Buffer, param
from pellucid.ir.facts import Facts
from pellucid.ir.parse import parse_nest

ROWS = """
kernel rows(count: i32, gain: f32):
  output out: f32[6400]
  input a: f32[80]
  t1 = gain * 2.0
  for j in 0 .. count spread over bands of 3:
    for i in 0 .. 80 by 16 lanes:
      out[j * 80 + i] := a[i] * t1 + convert.f32(j)
"""


def memory_of(kernel: N.Kernel) -> dict[Buffer, np.ndarray]:
    generator = np.random.default_rng(3)
    outputs = {b: np.zeros(b.size, b.type.dtype) for b in kernel.outputs}
    return {**outputs, **{b: (100 * generator.random(b.size)).astype(b.type.dtype) for b in N.inputs(kernel)}}


def test_bands_cover_the_loop_once_and_each_is_a_multiple_of_what_was_asked():
    plan = layout(parse_nest(ROWS), {}).calling
    values = plan.values({"count": 1000, "gain": 1.0})
    band = plan.bands[0]
    bands = plan.parts(band, values, None)
    assert len(bands) <= MAX_BANDS
    assert [k for begin, end in bands for k in range(begin, end)] == list(range(1000))
    assert all((end - begin) % 3 == 0 for begin, end in bands[:-1])
    assert plan.parts(band, values, 1) == [(0, 1000)]
    assert plan.parts(band, plan.values({"count": 0, "gain": 1.0}), None) == [(0, 0)]


def test_every_order_of_bands_gives_the_same(backend: Backend):
    kernel = parse_nest(ROWS)
    expected = memory_of(kernel)
    interp.run(kernel, {"count": 80, "gain": 0.5}, expected)

    def backwards(count, task, threads):
        workers = [threading.Thread(target=task, args=(k,)) for k in reversed(range(count))]
        for w in workers:
            w.start()
        for w in workers:
            w.join()

    backend.thread_pool = backwards
    found = memory_of(kernel)
    backend.compile(kernel, {}).run({"count": 80, "gain": 0.5}, found)
    assert (found[kernel.outputs[0]] == expected[kernel.outputs[0]]).all()


@pytest.mark.parametrize(
    ("after", "banded"),
    [
        ("for j in 0 .. 4 spread over bands of 1:\n    out[j] := out[j] * t1\n", [True, True]),
        ("out[0] := out[1] + t1\n", [True, False]),
        ("out[0] := out[1]\n  out[1] := 2.0\n", [True, False]),
        ("if gain < 1.0:\n    out[0] := 1.0\n", [True, False]),
    ],
)
def test_what_comes_after_a_loop_that_is_handed_out_is_a_phase_of_its_own(after, banded, backend: Backend):
    kernel = parse_nest(ROWS + "  " + after)
    assert [phase.band is not None for phase in layout(kernel, {}).phases] == banded
    from pellucid.driver.threads import ThreadPool

    backend.thread_pool = ThreadPool()
    expected, found = memory_of(kernel), memory_of(kernel)
    interp.run(kernel, {"count": 7, "gain": 0.5}, expected)
    backend.compile(kernel, {}).run({"count": 7, "gain": 0.5}, found)
    assert (found[kernel.outputs[0]] == expected[kernel.outputs[0]]).all()


def test_bounds_that_are_read_from_memory_keep_the_loop_in_one_piece():
    kernel = parse_nest(
        """
kernel read_bound():
  output out: i32[9]
  input a: i32[1]
  for j in 0 .. a[0] spread over bands of 1:
    out[j] := j
"""
    )
    assert [phase.band for phase in layout(kernel, {}).phases] == [None]


def test_a_place_goes_with_every_phase_that_uses_it():
    kernel = parse_nest(ROWS + "  out[3] := t1\n  t2 = gain * 5.0\n  out[4] := t2\n")
    phases = layout(kernel, {}).phases
    counts = [[type(s).__name__ for s in p.body] for p in phases]
    assert counts == [["Let", "For"], ["Let", "Store", "Let", "Store"]]


def test_bands_gather_in_parts_of_a_scratch_that_is_merged_afterwards(backend: Backend):
    kernel = parse_nest(SUMS)
    from pellucid.driver.threads import ThreadPool

    backend.thread_pool = ThreadPool()
    code = backend.compile(kernel, {})
    expected = memory_of(kernel)
    interp.run(kernel, {}, expected)
    data = expected[N.inputs(kernel)[0]]
    assert (expected[kernel.outputs[0]] == np.bincount(data & 15, minlength=16)).all()
    for threads in (1, 2, 4):
        found = memory_of(kernel)
        code.run({}, found, threads=threads)
        assert (found[kernel.outputs[0]] == expected[kernel.outputs[0]]).all()


SUMS = """
kernel sums():
  output h: i32[16]
  input a: i32[1000]
  alloc part: i32[64]:
    for b in 0 .. 4 spread over bands of 1:
      for k in 0 .. 16:
        part[b * 16 + k] := 0
      for x in b * 256 .. min(b * 256 + 256, 1000):
        s1 := b * 16 + (a[x] & 15)
        part[s1] := part[s1] + 1
    for k in 0 .. 16:
      h[k] := 0
      for c in 0 .. 4:
        h[k] := h[k] + part[c * 16 + k]
"""


def test_threads_share_scratch_memory(backend: Backend):
    kernel = parse_nest(
        """
kernel scratch(count: i32):
  output out: i32[400]
  alloc line: i32[10]:
    for i in 0 .. 10:
      line[i] := i * count
    for j in 0 .. count spread over bands of 1:
      for i in 0 .. 10:
        out[j * 10 + i] := line[9 - i]
"""
    )
    from pellucid.driver.threads import ThreadPool

    backend.thread_pool = ThreadPool()
    code = backend.compile(kernel, {})
    _, i = np.mgrid[0:40, 0:10]
    for _ in range(20):
        found = memory_of(kernel)
        code.run({"count": 40}, found, threads=4)
        assert (found[kernel.outputs[0]].reshape(40, 10) == (9 - i) * 40).all()


# ---- refusals ----


def test_large_scratch_memory_in_a_loop_is_refused(backend: Backend):
    kernel = parse_nest(
        """
kernel inside():
  output out: i32[4]
  for i in 0 .. 4:
    alloc line: i32[40000]:
      out[i] := line[i]
"""
    )
    with pytest.raises(BackendError, match="inside a loop"):
        backend.compile(kernel, {})


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({"gain": 1.0}, "count: is missing"),
        ({"count": 4, "gain": float("nan")}, "gain: nan is not finite"),
        ({"count": 4, "gain": float("inf")}, "not finite"),
        ({"count": 90, "gain": 1.0}, "90 is not within 1 .. 80"),
    ],
)
def test_arguments_are_checked_against_what_was_assumed(backend: Backend, arguments, why: str):
    kernel = parse_nest(ROWS)
    code = backend.compile(kernel, {param("count", T.i32): Facts(1, 80)})
    with pytest.raises(InputError, match=why):
        code.run(arguments, memory_of(kernel))


@pytest.mark.parametrize(
    ("array", "why"),
    [
        (None, "buffer out: has no memory"),
        (np.zeros(6400, np.float64), "contiguous one-dimensional array of f32"),
        (np.zeros((80, 80), np.float32), "one-dimensional"),
        (np.zeros(12800, np.float32)[::2], "contiguous"),
    ],
)
def test_arrays_are_checked(backend: Backend, array, why: str):
    kernel = parse_nest(ROWS)
    memory = memory_of(kernel)
    if array is None:
        del memory[kernel.outputs[0]]
    else:
        memory[kernel.outputs[0]] = array
    with pytest.raises(InputError, match=why):
        backend.compile(kernel, {}).run({"count": 4, "gain": 1.0}, memory)


def test_an_array_that_cannot_be_written_to_is_refused(backend: Backend):
    kernel = parse_nest(ROWS)
    memory = memory_of(kernel)
    memory[kernel.outputs[0]].flags.writeable = False
    with pytest.raises(InputError, match="writable"):
        backend.compile(kernel, {}).run({"count": 4, "gain": 1.0}, memory)


def test_an_array_shorter_than_a_proof_counted_on_is_refused():
    kernel = parse_nest(
        """
kernel proved():
  output out: f32[16]
  input a: f32[16]
  for i in 0 .. 16 by 4 lanes:
    out[i] := a[15 - i]
"""
    )
    memory = memory_of(kernel)
    memory[N.inputs(kernel)[0]] = np.zeros(15, np.float32)
    with pytest.raises(InputError, match="15 elements where 16 are needed"):
        LlvmBackend().compile(kernel, {}).run({}, memory)


def test_a_buffer_may_bring_its_own_data(backend: Backend):
    out, table = Buffer("out", T.i32, 4), Buffer("table", T.i32, 4, np.int32([7, 8, 9, 10]))
    kernel = parse_nest(
        """
kernel own():
  output out: i32[4]
  input table: i32[4]
  for i in 0 .. 4:
    out[i] := table[3 - i]
""",
        {"out": out, "table": table},
    )
    memory = {out: np.zeros(4, np.int32)}
    backend.compile(kernel, {}).run({}, memory)
    assert memory[out].tolist() == [10, 9, 8, 7]


PARTIAL = """
kernel partial():
  output out: i32[8]
  input a: i32[8]
  for i in 0 .. 8:
    out[i] := shift_left_in(a[i], {amount})
"""


def test_a_partial_row_without_a_proof_is_refused(compiling_backend: Backend):
    backend = compiling_backend
    with pytest.raises(BackendError, match=r"shift_left_in: .* not proved"):
        backend.compile(parse_nest(PARTIAL.format(amount="a[i]")), {})
    backend.compile(parse_nest(PARTIAL.format(amount="a[i] & 31")), {})


def test_a_row_with_a_body_is_refused(compiling_backend: Backend):
    backend = compiling_backend
    kernel = parse_nest(PARTIAL.replace("shift_left_in", "shift_left").format(amount="a[i]"))
    with pytest.raises(BackendError, match="simpler rows"):
        backend.compile(kernel, {})


def test_an_abstract_statement_is_refused_by_every_back_end():
    kernel = parse_nest("kernel k():\n  output out: i32[3]\n  for i in 0 .. 3:\n    abstract S1\n")
    with pytest.raises(BackendError, match="k: the abstract statement S1 cannot be run; write a statement"):
        layout(kernel, {})


def test_scratch_memory_whose_size_is_loaded_is_refused():
    kernel = parse_nest(
        "kernel k(n: i32):\n  output out: i32[3]\n  input y: i32[1]\n  alloc a: i32[y[0] + n]:\n"
        "    for i in 0 .. 3:\n      a[i] := n\n      out[i] := a[2 - i]\n"
    )
    with pytest.raises(
        BackendError, match="k: the size of the scratch memory a is read from memory; give it by"
    ):
        layout(kernel, {})


COPY = (
    "kernel k():\n  output out: u8[4]\n  input source: u8[4]\n  for i in 0 .. 4:\n    out[i] := source[i]\n"
)


def test_memory_that_is_stored_to_has_one_name(backend: Backend):
    kernel = parse_nest(COPY)
    (out,), (source,) = kernel.outputs, N.inputs(kernel)
    code, memory = backend.compile(kernel, {}), np.arange(6, dtype=np.uint8)
    with pytest.raises(InputError, match="out and source overlap"):
        code.run({}, {out: memory[:4], source: memory[2:]})
    with pytest.raises(InputError, match="out and source overlap"):
        code.run({}, {out: memory[1:5], source: np.ndarray(6, np.uint8, memory)})
    code.run({}, {out: np.zeros(4, np.uint8), source: memory})


def test_memory_that_is_only_read_may_have_two_names(backend: Backend):
    kernel = parse_nest(
        "kernel k():\n  output out: u8[4]\n  input a: u8[4]\n  input b: u8[4]\n"
        "  for i in 0 .. 4:\n    out[i] := a[i] + b[i]\n"
    )
    (out,), (a, b) = kernel.outputs, N.inputs(kernel)
    code, memory, total = backend.compile(kernel, {}), np.arange(6, dtype=np.uint8), np.zeros(4, np.uint8)
    code.run({}, {out: total, a: memory, b: memory[1:]})
    assert total.tolist() == [1, 3, 5, 7]
    with pytest.raises(InputError, match="out and b overlap"):
        code.run({}, {out: memory[2:], a: np.arange(4, dtype=np.uint8), b: memory[:4]})


def test_an_array_shorter_than_declared_is_refused(backend: Backend):
    kernel = parse_nest(COPY)
    (out,), (source,) = kernel.outputs, N.inputs(kernel)
    with pytest.raises(InputError, match="3 elements where 4 are needed"):
        backend.compile(kernel, {}).run({}, {out: np.zeros(4, np.uint8), source: np.zeros(3, np.uint8)})
