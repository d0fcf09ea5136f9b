"""LLVM text compiled to PTX: entries that take their arguments by value, and the numbers of threads.

Below the package. Text comes from the LLVM back end, written for `machine`, one function for each phase of a kernel. An
entry lays its arguments out as these functions expect them, which LLVM then dissolves into registers.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np

from ...base.errors import BackendError
from ...ir import types as T
from ...ir.expr import Buffer
from ..jit.engine import Machine, foreign
from ..jit.spelling import STORED
from ..port import CallingPlan

TRIPLE = "nvptx64-nvidia-cuda"
PROCESSOR, FEATURES = "sm_75", "+ptx63"
"""GPUs since 2018; a driver compiles PTX for its own GPU, and every driver that knows these GPUs reads this version."""
BODY = "body"
"""The beginning of the names of the functions that the LLVM back end writes for the phases of a kernel."""
ALIGNMENT = 64
"""Alignment of data in a module in bytes."""

_LETTERS = np.frombuffer(b"".join(b"%-3d," % k for k in range(256)), np.uint8).reshape(256, 4)
"""Each byte as text, which a bitmap has millions of."""

_THREADS = "".join(
    f"""
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.{axis}()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.{axis}()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.{axis}()
define internal i64 @thread_{axis}() alwaysinline nounwind {{
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.{axis}()
  %size = call i32 @llvm.nvvm.read.ptx.sreg.ntid.{axis}()
  %place = call i32 @llvm.nvvm.read.ptx.sreg.tid.{axis}()
  %block.x = zext i32 %block to i64
  %size.x = zext i32 %size to i64
  %place.x = zext i32 %place to i64
  %first = mul i64 %block.x, %size.x
  %number = add i64 %first, %place.x
  ret i64 %number
}}
"""
    for axis in "xy"
)


@cache
def machine() -> Machine:
    """The GPU that PTX is written for.

    Raises BackendError if LLVM was built without NVPTX.
    """
    return foreign(TRIPLE, PROCESSOR, FEATURES, place="cuda")


def compiled(bodies: Sequence[str], plan: CallingPlan, names: Sequence[str]) -> str:
    """The PTX of the phases of a kernel, an entry of a name for each.

    An entry takes the params, the addresses of all buffers, their sizes, and the first and the last row but one, by
    value. Raises BackendError if LLVM does not accept the text.
    """
    pointers = [f"%b{k}" for k in range(len(plan.buffers))]
    sizes = [f"%s{k}" for k in range(len(plan.buffers))]
    written = plan.calling.written
    given = [
        # What the kernel stores to has one name; the rest is read only, but for scratch memory.
        *(
            f"ptr addrspace(1) noalias {'readonly ' if written <= k < len(plan.calling.bound) else ''}{name}"
            for k, name in enumerate(pointers)
        ),
        *(f"i64 {name}" for name in (*sizes, "%begin", "%end")),
    ]
    entries = [
        _entry(plan, name, f"{BODY}{k}", given, pointers, sizes, ("%begin", "%end"))
        for k, name in enumerate(names)
    ]
    return _assembled(bodies, entries)


def complete(body: str, plan: CallingPlan, name: str) -> str:
    """The PTX of a kernel of one phase and one output, with its data in it.

    Its entry takes the params, the address of the output, and the number of its elements. Raises BackendError for a
    kernel in several phases or with scratch memory, and if LLVM does not accept the text.
    """
    if len(plan.phases) != 1 or plan.calling.scratch or plan.calling.written != 1:
        raise BackendError("a module has one phase, one output and no scratch memory", place=plan.kernel.name)
    inputs = plan.buffers[1:]
    sizes_of_data = [b.size * b.type.dtype.itemsize for b in inputs]
    data = [
        f"@data{k} = external addrspace(1) constant [{size} x i8], align {ALIGNMENT}\n"
        for k, size in enumerate(sizes_of_data, 1)
    ]
    pointers = ["%out", *(f"@data{k}" for k, _ in enumerate(inputs, 1))]
    sizes = ["%count", *(str(b.size) for b in inputs)]
    given = ["ptr addrspace(1) noalias %out", "i64 %count"]
    entry = _entry(plan, name, f"{BODY}0", given, pointers, sizes, ("0", str(int(T.i32.high))))
    text = _assembled([body], [*data, entry])
    # LLVM takes seconds to print what takes milliseconds here.
    for k, (buffer, size) in enumerate(zip(inputs, sizes_of_data, strict=True), 1):
        declared = f".global .align {ALIGNMENT} .b8 data{k}[{size}]"
        text = text.replace(f".extern {declared};", f"{declared} = {{{_numbers(buffer)}}};")
    return text


def _entry(
    plan: CallingPlan,
    name: str,
    body: str,
    given: Sequence[str],
    pointers: Sequence[str],
    sizes: Sequence[str],
    rows: tuple[str, str],
) -> str:
    """A function that is launched: it lays out params, pointers and sizes, and calls the function of a phase."""
    params = [(STORED[p.type], f"%p{k}") for k, p in enumerate(plan.kernel.params)]
    slots = [("params", k, *param) for k, param in enumerate(params)]
    slots += [("buffers", k, "ptr", f"%buffer{k}") for k, _ in enumerate(pointers)]
    slots += [("sizes", k, "i64", size) for k, size in enumerate(sizes)]
    counts = {"params": len(params), "buffers": len(pointers), "sizes": len(sizes)}
    lines = [f"%{what} = alloca [{max(1, count)} x i64], align 8" for what, count in counts.items()]
    lines += [
        f"%buffer{k} = addrspacecast ptr addrspace(1) {pointer} to ptr" for k, pointer in enumerate(pointers)
    ]
    for what, k, type_, value in slots:
        lines.append(f"%{what}{k}.at = getelementptr i64, ptr %{what}, i64 {k}")
        lines.append(f"store {type_} {value}, ptr %{what}{k}.at, align 8")
    lines.append(
        f"call void @{body}(ptr %params, ptr %buffers, ptr %sizes, i64 {rows[0]}, i64 {rows[1]})\nret void"
    )
    arguments = ", ".join([*(f"{type_} {name}" for type_, name in params), *given])
    text = "\n".join(lines)
    return f"define ptx_kernel void @{name}({arguments}) nounwind {{\n{text}\n}}\n"


def _numbers(buffer: Buffer) -> str:
    """The bytes of a buffer's data, with commas between them."""
    content = np.ascontiguousarray(buffer.data, buffer.type.dtype.newbyteorder("<")).view(np.uint8)
    letters = _LETTERS[content.reshape(-1)].reshape(-1)
    return letters[letters != ord(" ")].tobytes()[:-1].decode("ascii")


def _assembled(bodies: Sequence[str], entries: Sequence[str]) -> str:
    made = machine()
    head = f'target triple = "{TRIPLE}"\ntarget datalayout = "{made.target.target_data}"\n'
    inlined = [
        body.replace(f"define void @{BODY}", f"define internal void @{BODY}").replace(
            ") nounwind {", ") alwaysinline nounwind {"
        )
        for body in bodies
    ]
    return made.whole_assembly("".join([head, _THREADS, *inlined, *entries]))


def type_name(type_: T.Type) -> str:
    """The type of a param as PTX spells it.

    >>> type_name(T.f32), type_name(T.boolean)
    ('f32', 'u8')
    """
    if type_ is T.boolean:
        return "u8"
    kind = "f" if type_.is_float else "s" if type_.kind == "signed" else "u"
    return f"{kind}{type_.bits}"
