"""A kernel on a GPU: its arguments by value, its buffers copied there and back, a launch for each phase.

Above `driver` and `target`. A phase whose band is on a grid has a thread for each iteration; any other is run by one.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...base.errors import BackendError
from ...base.record import record
from ...ir.expr import Buffer
from ..port import Arguments, Array, Band, CallingPlan, DeviceMemory, Memory, address
from .driver import DeviceBlock, Driver, Module

MAX_BLOCKS = 65_535
"""Maximum blocks of a grid in direction y: more rows take several launches."""
MAX_THREADS = 1024
"""Maximum threads of a block: a larger one that a nest asks for has fewer rows."""
MAX_ARGUMENTS = 4096
"""Maximum bytes of the arguments of a launch, which the PTX of this version may have."""
VALUES: Mapping[str, Any] = {
    "bool": ctypes.c_uint8, "i8": ctypes.c_int8, "i16": ctypes.c_int16, "i32": ctypes.c_int32, "i64": ctypes.c_int64,
    "u8": ctypes.c_uint8, "u16": ctypes.c_uint16, "u32": ctypes.c_uint32, "u64": ctypes.c_uint64,
    "f32": ctypes.c_float, "f64": ctypes.c_double,
}  # fmt: skip


def checked_arguments(plan: CallingPlan) -> None:
    """Check that a launch can have the arguments of a kernel; raises BackendError if not."""
    size = 8 * (len(plan.kernel.params) + 2 * len(plan.buffers) + 2)
    if size > MAX_ARGUMENTS:
        raise BackendError(
            f"{size} bytes of arguments, where a launch has {MAX_ARGUMENTS}",
            place=plan.kernel.name,
            fix="use llvm",
        )


@record
class Launch:
    """A phase as it is launched: its entry, the loop over rows that is divided, the loop over columns, a block."""

    function: ctypes.c_void_p
    rows: Band | None
    columns: Band | None
    on_grid: bool


class CudaCode:
    """Compiled code; `needs` is how many elements buffers must have for its proofs."""

    def __init__(
        self,
        driver: Driver,
        module: Module,
        plan: CallingPlan,
        names: Sequence[str],
        needs: Mapping[Buffer, int],
    ) -> None:
        self.calling, self._driver, self._module, self._needs = plan.calling, driver, module, needs
        self._tables: dict[Buffer, DeviceBlock] = {}
        self._launches: list[Launch] = []
        for phase, band, name in zip(plan.phases, plan.calling.bands, names, strict=True):
            rows, columns = band, None
            if len(phase.grid) == 2:
                inner = phase.grid[1]
                columns = Band(inner.lo, inner.hi, inner.how.count)
            self._launches.append(Launch(driver.function(module, name), rows, columns, bool(phase.grid)))

    def run(self, arguments: Arguments, memory: Memory, *, threads: int | None = None) -> None:
        """Run once; see `port.Code`. The GPU has its own threads, whatever `threads` says."""
        self.run_on(arguments, memory, {})

    def run_on(
        self,
        arguments: Arguments,
        memory: Memory,
        device: Mapping[Buffer, DeviceMemory],
        stream: int = 0,
    ) -> None:
        """Run once on a stream, with some buffers where they are on the device; these may be ready later.

        Raises InputError as `run` does. Device memory is not checked for being there: that only the driver can tell.
        """
        calling = self.calling
        values = calling.values(arguments)
        arrays = calling.beside(memory, device, self._needs)
        counts = calling.sizes(values)
        with self._driver.current():
            placed = {b: self._placed(b, a, memory) for b, a in arrays.items()}
            scratch = [
                DeviceBlock(self._driver, n * b.type.dtype.itemsize)
                for b, n in zip(calling.scratch, counts, strict=True)
            ]
            places = [device[b].address if b in device else placed[b].address for b in calling.bound]
            lengths = [device[b].size if b in device else len(arrays[b]) for b in calling.bound]
            given = [VALUES[p.type.name](v.item()) for p, v in zip(calling.params, values, strict=True)]
            given += [ctypes.c_uint64(n) for n in (*places, *(m.address for m in scratch))]
            given += [ctypes.c_int64(n) for n in (*lengths, *counts)]
            for launch in self._launches:
                self._launch(launch, values, given, stream)
            back = [b for b in calling.bound[: calling.written] if b in arrays]
            if stream and (back or scratch):
                # Copies, and memory that goes back to the pool, do not wait for other streams.
                self._driver.synchronize(stream)
            for b in back:
                self._driver.download(address(arrays[b]), placed[b].address, arrays[b].nbytes)

    def _placed(self, buffer: Buffer, array: Array, memory: Memory) -> DeviceBlock:
        """The memory of a buffer on the device; a table that is part of the program is copied once."""
        own = buffer not in memory
        found = self._tables.get(buffer) if own else None
        if found is None:
            found = DeviceBlock(self._driver, array.nbytes)
            self._driver.upload(found.address, address(array), array.nbytes)
            if own:
                self._tables[buffer] = found
        return found

    def _launch(self, launch: Launch, values: Sequence[np.generic], given: list[Any], stream: int) -> None:
        begin, end, _ = self.calling.span(launch.rows, values, 1, 1)
        if not launch.on_grid or launch.rows is None:
            self._part(launch, (1, 1), (1, 1), begin, end, given, stream)
            return
        if launch.columns is None:
            block = min(launch.rows.least, MAX_THREADS)
            if end > begin:
                self._part(launch, (-(-(end - begin) // block), 1), (block, 1), begin, end, given, stream)
            return
        left, right, _ = self.calling.span(launch.columns, values, 1, 1)
        wide = min(launch.columns.least, MAX_THREADS)
        block = wide, min(launch.rows.least, MAX_THREADS // wide)
        step = MAX_BLOCKS * block[1]
        if right <= left:
            return
        for k in range(begin, end, step):
            after = min(k + step, end)
            blocks = -(-(right - left) // block[0]), -(-(after - k) // block[1])
            self._part(launch, blocks, block, k, after, given, stream)

    def _part(
        self,
        launch: Launch,
        blocks: tuple[int, int],
        block: tuple[int, int],
        begin: int,
        end: int,
        given: list[Any],
        stream: int,
    ) -> None:
        rows = [ctypes.c_int64(begin), ctypes.c_int64(end)]
        self._driver.launch(launch.function, blocks, block, [*given, *rows], stream)
