"""A back end for processors that are not here: LLVM's code for one of them, run by an emulator of the processor.

A kernel's object code is linked to a shared library, which a small program in C loads and calls; the emulator runs
that program. Arguments and memory go in and out as bytes. Each buffer stands between two pages that nobody may
touch, at the end of its own pages but for a margin. So an access beyond the buffer ends the program, and a margin that
was written to is found out.
"""

from __future__ import annotations

import functools
import itertools
import shutil
import struct
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pellucid.backends.jit.binding import llvm_binding
from pellucid.backends.jit.calling import Slots, entry
from pellucid.backends.jit.engine import Machine
from pellucid.backends.llvm import LlvmBackend
from pellucid.backends.port import Arguments, Calling, Memory, Ranges, layout
from pellucid.ir.nest import Kernel

DRIVER = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef void (*phase)(const void *, void *const *, const int64_t *, int64_t, int64_t);

static int32_t go_on(void) { return 0; }

static void get(void *to, size_t bytes) { if (bytes && fread(to, 1, bytes, stdin) != bytes) exit(3); }

static int64_t number(void) { int64_t n; get(&n, sizeof n); return n; }

static size_t margin;

static void *guarded(size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), pages = (bytes + 2 * margin + page - 1) / page;
    char *all = mmap(0, (pages + 2) * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED || (pages && mprotect(all + page, pages * page, PROT_READ | PROT_WRITE))) exit(4);
    char *found = all + (pages + 1) * page - bytes - margin;
    if (margin) { memset(found - margin, 0xA5, margin); memset(found + bytes, 0xA5, margin); }
    return found;
}

static int spoiled(const unsigned char *place, size_t bytes)
{
    int bad = 0;
    for (size_t k = 0; k < margin; k++) bad |= place[-1 - (ptrdiff_t)k] != 0xA5 || place[bytes + k] != 0xA5;
    return bad;
}

int main(int count, char **words)
{
    void *library = count > 1 ? dlopen(words[1], RTLD_NOW) : 0;
    if (!library) { fputs(dlerror(), stderr); return 5; }
    margin = (size_t)number();
    int64_t params = number(), buffers = number(), written = number(), phases = number();
    char *slots = calloc((size_t)params + 1, 8);
    void **places = calloc((size_t)buffers + 1, sizeof *places);
    int64_t *bytes = calloc((size_t)buffers + 1, 8), *sizes = calloc((size_t)buffers + 1, 8);
    get(slots, (size_t)params * 8);
    for (int64_t b = 0; b < buffers; b++) {
        sizes[b] = number();
        bytes[b] = number();
        int64_t given = number();
        places[b] = guarded((size_t)bytes[b]);
        if (given) get(places[b], (size_t)bytes[b]);
    }
    int32_t (*question)(void) = go_on;
    memcpy(&places[buffers], &question, sizeof question);
    for (int64_t p = 0; p < phases; p++) {
        char name[64];
        get(name, sizeof name);
        phase call;
        void *found = dlsym(library, name);
        if (!found) { fputs(dlerror(), stderr); return 6; }
        memcpy(&call, &found, sizeof call);
        for (int64_t parts = number(); parts; parts--) {
            int64_t first = number(), end = number();
            call(slots, places, sizes, first, end);
        }
    }
    for (int64_t b = 0; b < buffers; b++) if (spoiled(places[b], (size_t)bytes[b])) return 7;
    for (int64_t b = 0; b < written; b++) fwrite(places[b], 1, (size_t)bytes[b], stdout);
    return fflush(stdout) != 0;
}
"""


@dataclass(frozen=True, slots=True)
class Processor:
    """A processor to be emulated: its names for LLVM, how C is compiled for it, and what runs its programs.

    `margin` is how many bytes around a buffer its emulator may read, though the processor would not.
    """

    name: str
    triple: str
    cpu: str
    features: str
    compiler: str
    emulator: tuple[str, ...]
    margin: int = 0

    def missing(self) -> list[str]:
        """Programs that it needs and that are not installed."""
        return [each for each in (self.compiler, self.emulator[0]) if shutil.which(each) is None]


PROCESSORS = {
    p.name: p
    for p in (
        Processor(
            "aarch64", "aarch64-unknown-linux-gnu", "generic", "", "aarch64-linux-gnu-gcc",
            ("qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"),
        ),
        Processor("sse2", "x86_64-unknown-linux-gnu", "x86-64", "", "gcc", ("qemu-x86_64", "-cpu", "qemu64")),
        Processor(
            "avx2", "x86_64-unknown-linux-gnu", "x86-64-v3", "+avx2,+fma", "gcc",
            # It reads all lanes of a masked load before it leaves out those that the mask excludes.
            ("qemu-x86_64", "-cpu", "Haswell"), margin=64,
        ),
    )
}  # fmt: skip
"""Processors by name: what `scripts/matrix` runs the suite of back ends on."""


@functools.cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="pellucid-emulated-")


_numbers = itertools.count()


@functools.cache
def driver(processor: Processor) -> Path:
    """The program that loads and calls libraries, compiled for a processor."""
    source = Path(_folder().name, "driver.c")
    source.write_text(DRIVER, encoding="utf-8")
    program = Path(_folder().name, f"driver-{processor.name}")
    subprocess.run([processor.compiler, "-O1", "-o", program, source], check=True, capture_output=True)
    return program


class Emulated(LlvmBackend):
    """LLVM's code for another processor, run by an emulator."""

    def __init__(self, processor: Processor) -> None:
        super().__init__(cpu=processor.cpu, features=processor.features)
        self.processor = processor
        self.name = f"llvm on {processor.name}"

    @functools.cached_property
    def machine(self) -> Machine:
        """The emulated processor."""
        llvm, p = llvm_binding(), self.processor
        llvm.initialize_all_targets()
        llvm.initialize_all_asmprinters()
        target = llvm.Target.from_triple(p.triple)
        options = {"cpu": p.cpu, "features": p.features, "opt": 1, "reloc": "pic", "codemodel": "small"}
        version = ".".join(map(str, llvm.llvm_version_info))
        return Machine(p.cpu, p.features, p.triple, version, lambda: target.create_target_machine(**options))

    def compile(self, kernel: Kernel, ranges: Ranges) -> EmulatedCode:
        """The code of a placed nest."""
        plan = layout(kernel, ranges)
        text, needs = self._module(plan, ranges)
        for b in plan.calling.bound:
            _ = b.data
        return EmulatedCode(self.processor, plan.calling, needs, self.linked(text))

    def linked(self, text: str) -> Path:
        """A shared library of LLVM text."""
        made = Path(_folder().name, f"kernel-{next(_numbers)}.o")
        made.write_bytes(self.machine.object_code(text))
        library = made.with_suffix(".so")
        command = [self.processor.compiler, "-shared", "-o", library, made, "-lm"]
        subprocess.run(command, check=True, capture_output=True)
        made.unlink()
        return library


@dataclass(frozen=True, slots=True)
class EmulatedCode:
    """A library for another processor: what runs it is a program of that processor."""

    processor: Processor
    calling: Calling
    needs: dict[Any, int]
    linked: Path

    def run(self, arguments: Arguments, memory: Memory, *, threads: int | None = None) -> None:
        """Run once; see `port.Code`."""
        calling = self.calling
        slots, values = Slots(calling)(arguments)
        arrays = calling.arrays(memory, self.needs)
        scratch = [
            (n, b.type.dtype.itemsize) for n, b in zip(calling.sizes(values), calling.scratch, strict=True)
        ]
        counts = (
            self.processor.margin,
            len(calling.params),
            len(arrays) + len(scratch),
            calling.written,
            len(calling.bands),
        )
        job = [struct.pack("<5q", *counts), slots]
        for array in arrays:
            job += [struct.pack("<3q", len(array), array.nbytes, 1), array.tobytes()]
        job += [struct.pack("<3q", n, n * each, 0) for n, each in scratch]
        for k, band in enumerate(calling.bands):
            parts = [(0, 0)] if band is None else calling.parts(band, values, threads)
            job.append(entry(k).encode().ljust(64, b"\0") + struct.pack("<q", len(parts)))
            job += [struct.pack("<2q", *part) for part in parts]
        command = [*self.processor.emulator, driver(self.processor), self.linked]
        done = subprocess.run(command, input=b"".join(job), capture_output=True, check=False)
        assert done.returncode == 0, f"{self.processor.name}: ended by {done.returncode}: {done.stderr!r}"
        at = 0
        for array in arrays[: calling.written]:
            array[:] = np.frombuffer(done.stdout, array.dtype, len(array), at)
            at += array.nbytes
        assert at == len(done.stdout)
