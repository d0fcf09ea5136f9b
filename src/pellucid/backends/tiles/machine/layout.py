"""Slot layout: assigns memory to the loop subprograms of a tape, and encodes their instructions for the machine.

The slots of subprograms follow those of the tape; a slot takes 8 units as a batch and one as an interval, in the same
place. Entries of the pool give `machine.linkage` their offsets in bytes, relative to the entries themselves, so that
one table serves all workspaces.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ....ir import types as T
from ....ir.facts import top
from ..sizes import LANES
from ..tape.key import Key
from ..tape.subprograms import Item, Subprogram, SubprogramInstruction, SubprogramLink, WholeType
from .kernels import Kernels
from .linkage import INSTRUCTION_BYTES, LinkWord, SubprogramWord

CODE = np.dtype([("code", "u8"), ("places", "i4", 4)])
"""An instruction of a subprogram as `machine.linkage` reads it."""
assert CODE.itemsize == INSTRUCTION_BYTES  # noqa: S101


class SubprogramLayout:
    """The subprograms of a tape's pool, laid out from an offset in the workspaces on; they take `units` units.

    `pool` holds the entries that are neither values nor memory, with their numbers.
    """

    def __init__(
        self, pool: Sequence[tuple[int, Item]], begin: int, opcodes: Mapping[Key, int], kernels: Kernels
    ) -> None:
        self._pool, self._opcodes, self._kernels = pool, opcodes, kernels
        self._begin: dict[Subprogram, int] = {}
        self._owners: list[Any] = []
        self.units = 0
        for _, item in pool:
            if isinstance(item, Subprogram):
                self._begin[item] = begin + self.units
                self.units += 8 * item.size

    def entries(self, unit: int) -> Iterator[tuple[int, Any]]:
        """The bytes of these entries, which never change, with their numbers."""
        for k, item in self._pool:
            if isinstance(item, WholeType):
                yield k, _whole(item.type, unit)
            elif isinstance(item, SubprogramLink):
                ways = {LinkWord.BATCH: 8, LinkWord.INTERVAL: 1}
                places = [self._place(item.body, item.reference, ways[way]) for way in LinkWord]
                yield k, np.array([(x + k + 1) * unit for x in places], np.int64).view(np.uint8)
            elif isinstance(item, Subprogram):
                yield k, np.array(self._words(item, k, unit), np.int64).view(np.uint8)

    def _place(self, body: Subprogram, reference: int, scale: int) -> int:
        """The place of a subprogram's reference, in units from the base."""
        return reference if reference < 0 else self._begin[body] + scale * body.slots[reference]

    def _words(self, body: Subprogram, number: int, unit: int) -> list[int]:
        tables = [
            self._code(body, [*body.stop, *body.step], 8),
            self._code(body, body.instructions, 1),
        ]
        self._owners += tables
        words = [0] * len(SubprogramWord)
        words[SubprogramWord.BASE], words[SubprogramWord.LIMIT] = (number + 1) * unit, body.limit * unit
        words[SubprogramWord.BATCH_CODE], words[SubprogramWord.INTERVAL_CODE] = (
            t.ctypes.data for t in tables
        )
        words[SubprogramWord.STOP], words[SubprogramWord.STEP] = len(body.stop), len(body.step)
        words[SubprogramWord.LOST] = len(body.lost)
        words[SubprogramWord.BATCH_RUNNING], words[SubprogramWord.INTERVAL_RUNNING] = (
            self._place(body, body.running, scale) * unit for scale in (8, 1)
        )
        return words

    def _code(self, body: Subprogram, instructions: Sequence[SubprogramInstruction], scale: int) -> Any:
        """Instructions with addresses and places; `scale` is 8 for batches, and 1 for intervals."""
        found = np.zeros(len(instructions), CODE)
        addresses = self._kernels.batches if scale > 1 else self._kernels.intervals
        for k, instruction in enumerate(instructions):
            opcode = self._opcodes[instruction.key] + uniform(instruction.key, instruction.operands)
            places = [self._place(body, x, scale) for x in (instruction.result, *instruction.operands)]
            found[k] = (addresses[opcode], (*places, 0, 0, 0)[:4])
        return found


def uniform(key: Key, operands: Sequence[int]) -> int:
    """A mask of the operands that are uniform; the memory of a load or the target of a link is no operand."""
    return sum(1 << k for k, x in enumerate(operands[: len(key.types)]) if x < 0)


def _whole(type_: T.Type, unit: int) -> Any:
    if type_ is T.boolean:
        return np.array([0] * (unit // 2) + [0xFF] * 2, np.uint8)
    facts = top(type_)
    width = unit // (2 * LANES)
    found = np.zeros((2 * LANES, width), np.uint8)
    for k, end in enumerate((facts.lo, facts.hi)):
        raw = np.array([end]).astype(type_.dtype).view(np.uint8)
        found[k * LANES : (k + 1) * LANES, : type_.dtype.itemsize] = raw
    return found.reshape(-1)
