"""The C back end beside its results: clean under strict compilers and sanitizers, readable, and whole when exported."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from pellucid.backends.c import CBackend, compiler, export
from pellucid.backends.c.compiler import find_compiler
from pellucid.backends.c.module import MAX_ZEROS
from pellucid.backends.conformance import same_bits, spicy
from pellucid.backends.conformance.programs import PROGRAMS
from pellucid.base.errors import BackendError
from pellucid.ir import expr as E
from pellucid.ir import interp
from pellucid.ir import nest as N
from pellucid.ir import types as T
from pellucid.ir.expr import Buffer, param
from pellucid.ir.facts import Facts
from pellucid.ir.parse import parse_nest

from .conftest import needs_compiler

pytestmark = needs_compiler

STRICT = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O2", "-ffp-contract=off"]

# Run apart, for what the sanitizer finds ends the process.
SANITIZED = """
import sys
from pellucid.backends.c import CBackend, compiler
from pellucid.backends.conformance import backend_suite

compiler.FLAGS = ("-O1", "-ffp-contract=off", "-fPIC", "-shared", *sys.argv[1].split())
for name, check in backend_suite(CBackend, widths=(1,)):
    print(name, flush=True)
    check()
print("done")
"""


def sanitizer_flags() -> str | None:
    """Flags that end the process at undefined behavior, if the compiler has them."""
    flags = "-fsanitize=undefined -fno-sanitize-recover=undefined"
    try:
        find_compiler().compile(
            "int more(int x);\nint more(int x) { return x + 1; }\n",
            flags=("-fPIC", "-shared", *flags.split()),
        )
    except BackendError:
        return None
    return flags


@pytest.mark.slow
def test_nothing_is_undefined():
    flags = sanitizer_flags()
    assert flags is not None, (
        "the compiler has no sanitizer of undefined behavior; install that of gcc or clang"
    )
    done = subprocess.run(
        [sys.executable, "-c", SANITIZED, flags], capture_output=True, text=True, check=False, timeout=600
    )
    assert done.stdout.endswith("done\n"), f"{done.stdout.splitlines()[-1:]} {done.stderr[-2000:]}"
    assert "runtime error" not in done.stderr


def compiled(tmp_path: Path, header: str, source: str, main: str, *, name: str = "picture") -> Path:
    """The program of an exported kernel and a main function."""
    (tmp_path / f"{name}.h").write_text(header)
    (tmp_path / f"{name}.c").write_text(source)
    (tmp_path / "main.c").write_text(main)
    command = [*find_compiler().command, *STRICT, "-o", "program", "main.c", f"{name}.c", "-lm"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return tmp_path / "program"


PICTURE = """
kernel picture(width: i32, height: i32, zoom: f32):
  output out: u32[1]
  input colors: u32[7]
  input weights: f32[3]
  alloc column: f32[width]:
    for i in 0 .. width by 16 lanes:
      column[i] := convert.f32(i) * zoom
    for j in 0 .. height spread over bands of 4:
      t1 = convert.f32(j) * zoom
      for i in 0 .. width by 16 lanes:
        t2 = sqrt(column[i] * column[i] + t1 * t1) * weights[1]
        t3 = t2 < 3.0
        if t3:
          t4 = truncate_in.i32(min(max(t2, 0.0), 5.0))
        select t5 = if t3 then colors[t4] else colors[6]
        out[j * width + i] := t5
"""

MAIN = """#include <stdio.h>
#include <stdlib.h>
#include "picture.h"

int main(void)
{
    static uint32_t out[37 * 11];
    const float weights[3] = {1.0f, 0.7f, 2.0f};
    if (!picture(out, 37 * 11, weights, 3, 37, 11, 0.25f)) return 1;
    if (picture(out, 37 * 11, weights, 3, 0, 11, 0.25f)) return 2;
    if (picture(out, 37 * 11, weights, 3, 37, 11, 0.0f / (float)(out[0] == 7))) return 3;
    fwrite(out, sizeof out, 1, stdout);
    return 0;
}
"""


def picture_kernel() -> tuple[N.Kernel, dict]:
    colors = Buffer("colors", T.u32, 7, np.uint32([0, 1, 2, 0xFFFFFFFF, 0x80000000, 12345, 0xFF00FF00]))
    kernel = parse_nest(PICTURE, {"colors": colors})
    ranges = {param("width", T.i32): Facts(1, 4096), param("height", T.i32): Facts(1, 4096)}
    return kernel, ranges


def test_an_exported_kernel_runs_on_its_own(tmp_path: Path):
    kernel, ranges = picture_kernel()
    program = compiled(tmp_path, *export(kernel, "picture", ranges), MAIN)
    done = subprocess.run([program], capture_output=True, check=False)
    assert done.returncode == 0
    weights = next(b for b in N.inputs(kernel) if b.name == "weights")
    colors = next(b for b in N.inputs(kernel) if b.name == "colors")
    memory = {
        kernel.outputs[0]: np.zeros(37 * 11, np.uint32),
        weights: np.float32([1, 0.7, 2]),
        colors: colors.data,
    }
    interp.run(kernel, {"width": 37, "height": 11, "zoom": 0.25}, memory)
    assert (np.frombuffer(done.stdout, np.uint32) == memory[kernel.outputs[0]]).all()


def test_an_export_says_what_it_needs():
    kernel, ranges = picture_kernel()
    header, source = export(kernel, "picture", ranges)
    assert "-ffp-contract=off" in header
    assert "width: 1 .. 4096" in header
    assert "static const uint32_t colors[7]" in source
    included = set(re.findall(r"#include <(.*?)>", header + source))
    assert included <= {"math.h", "stdbool.h", "stdint.h", "stdlib.h", "string.h"}


def test_an_exported_header_is_good_for_cpp(tmp_path: Path):
    kernel, ranges = picture_kernel()
    header, _ = export(kernel, "picture", ranges)
    (tmp_path / "picture.h").write_text(header)
    (tmp_path / "main.cpp").write_text('#include "picture.h"\nint main() { auto f = &picture; (void)f; }\n')
    command = ["c++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-c", "main.cpp"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name)
def test_every_program_exports_cleanly(tmp_path: Path, program):
    kernel = parse_nest(program.text.replace("WIDTH", "16"))
    header, source = export(kernel, "picture")
    compiled(tmp_path, header, source, '#include "picture.h"\nint main(void) { return 0; }\n')


@pytest.mark.parametrize("type_", T.ALL, ids=str)
def test_constants_are_exact(tmp_path: Path, type_: T.Type):
    few, many = np.zeros(MAX_ZEROS, type_.dtype), np.zeros(MAX_ZEROS + 1, type_.dtype)
    spices = spicy(type_)
    values = np.concatenate([many, spices, few, spices[-3:], many, spices[:3], many])
    out, data = Buffer("out", type_, len(values)), Buffer("data", type_, len(values), values)
    i = E.index("i")
    zero, count = E.const(0, T.i32), E.const(len(values), T.i32)
    copy = N.For(i, zero, count, (N.Store(out, i, E.load(data, i)),))
    direct = Buffer("direct", type_, len(values))
    stores = tuple(
        N.Store(direct, E.const(k, T.i32), E.const(v, type_)) for k, v in enumerate(values.tolist())
    )
    kernel = N.Kernel("constants", (), (out, direct), (copy, *stores))
    main = f"""#include <stdio.h>
#include "picture.h"
int main(void)
{{
    static {{}} out[{len(values)}], direct[{len(values)}];
    if (!picture(out, {len(values)}, direct, {len(values)})) return 1;
    fwrite(out, sizeof out, 1, stdout);
    fwrite(direct, sizeof direct, 1, stdout);
    return 0;
}}
""".replace("{}", spelled(type_))
    program = compiled(tmp_path, *export(kernel, "picture"), main)
    written = np.frombuffer(subprocess.run([program], capture_output=True, check=True).stdout, type_.dtype)
    assert same_bits(written[: len(values)], values)
    assert same_bits(written[len(values) :], values)


@pytest.mark.parametrize("type_", T.ALL, ids=str)
def test_constants_that_are_all_zero_are_written(tmp_path: Path, type_: T.Type):
    out = Buffer("out", type_, 1)
    load = E.load(Buffer("data", type_, 99, np.zeros(99, type_.dtype)), E.const(98, T.i32))
    kernel = N.Kernel("constants", (), (out,), (N.Store(out, E.const(0, T.i32), load),))
    header, source = export(kernel, "picture")
    # Bytes are loaded by the word that begins there, so the last one has others behind it.
    size = {8: 102, 16: 100}.get(type_.bits, 99) if type_.kind == "unsigned" else 99
    assert f"data[{size}] = {{\n    [0] = " in source or f"data[{size}] = {{\n    " in source
    main = f"""#include "picture.h"
int main(void)
{{
    {spelled(type_)} out[1] = {{1}};
    return picture(out, 1) && out[0] == 0 ? 0 : 1;
}}
"""
    subprocess.run([compiled(tmp_path, header, source, main)], check=True)


def test_long_runs_of_zeros_are_not_written():
    drawing = np.zeros(100_000, np.uint8)
    drawing[[7, 50_000, 50_002]] = 255
    out, data = Buffer("out", T.u8, 1), Buffer("drawing", T.u8, drawing.size, drawing)
    load = E.load(data, E.param("at", T.i32))
    _, source = export(
        N.Kernel("picture", (E.param("at", T.i32),), (out,), (N.Store(out, E.const(0, T.i32), load),)),
        "picture",
    )
    assert "drawing[100003] = {\n    [7] = 255, [50000] = 255, 0, 255,\n};\n" in source


def spelled(type_: T.Type) -> str:
    from pellucid.backends.c.spelling import typed

    return typed(type_)


@pytest.mark.parametrize("type_", T.FLOATS, ids=str)
@pytest.mark.parametrize("zero", ["0.0:{}", "abs(-0.0:{})", "sqrt(0.0:{})", "convert.{}(n & 0)"])
@pytest.mark.parametrize(
    "operand",
    [
        "convert.{}(n)",
        "abs(out[0])",
        "max(abs(out[0]), convert.{}(n))",
        "choose(n < 9, abs(out[0]), convert.{}(n))",
    ],
)
def test_zero_less_zero_is_the_positive_one(type_: T.Type, zero: str, operand: str):
    """GCC 12 takes 0.0 - (double)n for -(double)n, at any level."""
    difference = f"{zero.format(type_)} - {operand.format(type_)}"
    kernel = parse_nest(f"kernel k(n: i32):\n  output out: {type_}[1]\n  out[0] := {difference}\n")
    memory = {kernel.outputs[0]: np.zeros(1, type_.dtype)}
    CBackend().compile(kernel, {kernel.params[0]: Facts(-5, 5)}).run({"n": 0}, memory)
    assert not np.signbit(memory[kernel.outputs[0]][0])


@pytest.mark.parametrize("op", ["sub", "xor"])
@pytest.mark.parametrize("type_", ["u8", "u16", "u32", "u64", "i8", "i32"])
def test_what_is_below_something_less_itself_is_no_warning(type_: str, op: str):
    text = {"sub": "(x - x)", "xor": "(x ^ x)"}[op]
    kernel = parse_nest(
        f"kernel below(x: {type_}, y: {type_}):\n  output out: bool[2]\n"
        f"  out[0] := y < {text}\n  out[1] := {text} * y <= {text}\n"
    )
    values = {"x": 5, "y": 3}
    memory = {kernel.outputs[0]: np.zeros(2, bool)}
    expected = {b: m.copy() for b, m in memory.items()}
    interp.run(kernel, values, expected)
    CBackend().compile(kernel, {}).run(values, memory)
    assert np.array_equal(*memory.values(), *expected.values())


def test_names_that_c_forbids_are_changed(tmp_path: Path):
    out = Buffer("float", T.f32, 4)
    odd = [param(n, T.f32) for n in ("int", "t1", "2 x", "out", "inside", "i", "out_size", "naïve")]
    total = odd[0]
    for p in odd[1:]:
        total = E.apply("add", total, p)
    i = E.index("i")
    loop = N.For(i, E.const(0, T.i32), E.const(4, T.i32), (N.Let(total), N.Store(out, i, total)))
    kernel = N.Kernel("odd", tuple(odd), (out,), (loop,))
    memory = {out: np.zeros(4, np.float32)}
    CBackend().compile(kernel, {}).run({p.attr: k for k, p in enumerate(odd)}, memory)
    assert memory[out].tolist() == [28.0] * 4
    header, source = export(kernel, "picture")
    compiled(tmp_path, header, source, '#include "picture.h"\nint main(void) { return 0; }\n')


def test_the_text_reads_like_the_nest():
    kernel, ranges = picture_kernel()
    words = CBackend().text(kernel, ranges)
    assert "        column[i] = (float)i * zoom;\n" in words
    assert "const bool t3 = t2 < 3.0f;" in words


def test_without_a_compiler_there_is_one_clear_error(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("CC", "no-such-compiler")
    find_compiler.cache_clear()
    try:
        with pytest.raises(BackendError, match=r"there is no C compiler; install one, set CC"):
            CBackend().compile(picture_kernel()[0], picture_kernel()[1])
    finally:
        find_compiler.cache_clear()


def test_the_compiler_is_asked_once_for_equal_text(monkeypatch: pytest.MonkeyPatch):
    class Store(dict):
        def put(self, key, value):
            self[key] = value

    store, (kernel, ranges) = Store(), picture_kernel()
    CBackend(store).compile(kernel, ranges)
    assert len(store) == 1
    monkeypatch.setattr(compiler.CCompiler, "compile", None)
    CBackend(store).compile(kernel, ranges)


def test_temporary_files_are_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    kernel, ranges = picture_kernel()
    CBackend().compile(kernel, ranges)
    assert list(tmp_path.iterdir()) == []


def test_what_is_kept_for_a_place_that_is_not_written_is_no_complaint():
    # The second place of the same iteration is not written, and with it what the loop keeps for it.
    nest = parse_nest("""
kernel kept(count: i32):
  output out: i32[4]
  for i in 0 .. 4:
    repeat t1 = iterate 0 (0) to (@0.0:i32 + 1) until false limit 3 end:
      s1 := @0.0:i32
    out[i] := t1.0
    repeat t2 = iterate 0 (0) to (@0.0:i32 + 1) until false limit 3 end:
      once in 2 loops, keep t3:
        t3 = count * count
""")
    out = np.zeros(4, np.int32)
    (buffer,) = nest.outputs
    CBackend().compile(nest, {}).run({"count": 5}, {buffer: out})
    assert out.tolist() == [3, 3, 3, 3]


# Run apart, as above.
UNALIGNED = """
import sys
import numpy as np
from pellucid.backends.c import CBackend, compiler
from pellucid.ir import nest as N
from pellucid.ir.expr import topological
from pellucid.ir.parse import parse_nest

compiler.FLAGS = ("-O1", "-ffp-contract=off", "-fPIC", "-shared", *sys.argv[1].split())
for type_ in ("i16", "i32", "i64", "f32", "f64"):
    nest = parse_nest(f"kernel k():\\n  output out: {type_}[40]\\n  input a: {type_}[40]\\n"
                      "  for i in 0 .. 39:\\n    out[i] := a[i] + a[i]\\n")
    (out,) = nest.outputs
    (given,) = {n.attr for n in topological(N.all_roots(nest.body)) if n.op == "load"}
    code = CBackend().compile(nest, {})
    size = out.type.dtype.itemsize
    for at in range(size):
        arrays = [np.zeros(40 * size + 8, np.uint8)[k:][: 40 * size].view(out.type.dtype) for k in (at, -at % 8)]
        arrays[0][:], arrays[1][:] = 7, range(40)
        code.run({}, dict(zip((out, given), arrays)))
        assert arrays[0].tolist() == [*range(0, 78, 2), 7]
print("done")
"""


def test_arrays_may_begin_anywhere():
    flags = sanitizer_flags() or ""
    done = subprocess.run(
        [sys.executable, "-c", UNALIGNED, flags], capture_output=True, text=True, check=False, timeout=600
    )
    assert done.stdout == "done\n", done.stderr[-2000:]
    assert "runtime error" not in done.stderr
