"""One check for several accesses: where an address and those near it are in a memory, none of them is checked.

A block that accesses a memory at constant distances from one of its parameters asks once for the farthest, and is
written twice: without these checks, and with all of them, so that an error is the one that comes first. Run after
`ranges`, which knows that the nearest address is not below 0, and that no sum grows too large.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from pellucid.ir.flow import Block, Graph, Instruction, Stream
from pellucid.staging.root.graphs import Growing, defines, operand_places, streams

_LEAST_SAVED = 2
"""Checks that a second copy of a block must save."""
_LONGEST = 200
"""Instructions of a block that is written twice."""


class _Access(NamedTuple):
    """Where a stream accesses a memory: so far from a parameter."""

    at: int
    memory: int
    base: int
    distance: int


class Checks:
    """One graph; `least` are the smallest values of parameters of blocks."""

    def __init__(self, graph: Graph, least: Mapping[int, int]) -> None:
        self.graph, self.least = graph, least
        everything = [i for block in graph.blocks for stream in streams(block.body) for i in stream]
        known = [r for block in graph.blocks for r in block.params] + [i[1] for i in everything if defines(i)]
        self._growing = Growing(graph, max(known, default=-1) + 1)

    def result(self) -> Graph:
        """The graph with some blocks written twice."""
        blocks = [self._block(block) for block in self.graph.blocks]
        return self.graph._replace(blocks=blocks, constants=self._growing.constants)

    def _block(self, block: Block) -> Block:
        """A block, where one run of its instructions between branches has fewer checks if it can."""
        if sum(map(len, streams(block.body))) > _LONGEST:
            return block
        near = {param: (param, 0) for param in block.params if param in self.least}
        first = 0
        run: list[_Access] = []
        for at, instruction in enumerate(block.body):
            op = instruction[0]
            if op in ("add", "sub") and instruction[2] in near and instruction[3] < 0 and not instruction[4]:
                base, distance = near[instruction[2]]
                number: int = instruction[3]
                more = self._growing.constants[~number]
                near[instruction[1]] = (base, distance + (more if op == "add" else -more))
            elif op in ("load", "store") and instruction[-1]:
                memory, index = instruction[2:4] if op == "load" else instruction[1:3]
                if index in near:
                    run.append(_Access(at, memory, *near[index]))
            if op == "if" or at == len(block.body) - 1:
                farthest = self._farthest(run)
                saved = [access for access in run if access[1:3] in farthest]
                if len(saved) - len(farthest) >= _LEAST_SAVED:
                    return block._replace(
                        body=self._twice(block.body, first, farthest, {a.at for a in saved})
                    )
                first, run = at + 1, []
        return block

    def _farthest(self, run: list[_Access]) -> dict[tuple[int, int], int]:
        """The farthest of the accesses from each parameter, where none is below 0 and there are several."""
        found: dict[tuple[int, int], list[int]] = {}
        for _, memory, base, distance in run:
            found.setdefault((memory, base), []).append(distance)
        return {
            (memory, base): max(distances)
            for (memory, base), distances in found.items()
            if len(distances) > 1 and self.least[base] + min(distances) >= 0
        }

    def _twice(
        self, body: Stream, first: int, farthest: dict[tuple[int, int], int], saved: set[int]
    ) -> Stream:
        """A stream that asks, and from there on is written twice."""
        out = body[:first]
        asked = -1
        for (memory, base), distance in farthest.items():
            address = self._growing.emit(out, "add", base, self._growing.constant(distance), 0)
            inside = self._growing.emit(out, "within", memory, address)
            asked = inside if asked < 0 else self._growing.emit(out, "and", asked, inside)
        free = [(*i[:-1], 0) if at in saved else i for at, i in enumerate(body)][first:]
        out.append(("if", asked, self._copied(free)))
        return out + body[first:]

    def _copied(self, stream: Stream) -> Stream:
        """A stream with registers of its own."""
        copy: Stream = []
        waiting: list[tuple[Stream, Stream, dict[int, int]]] = [(stream, copy, {})]
        while waiting:
            given, out, names = waiting.pop()
            for instruction in given:
                op = instruction[0]
                if op == "if":
                    inner: Stream = []
                    out.append((op, names.get(instruction[1], instruction[1]), inner))
                    waiting.append((instruction[2], inner, dict(names)))
                elif op == "go":
                    out.append((op, instruction[1], _renamed(instruction[2], names)))
                elif op == "switch":
                    cases = tuple([(to, _renamed(args, names)) for to, args in instruction[2]])
                    out.append((op, names.get(instruction[1], instruction[1]), cases))
                else:
                    out.append(self._renamed(instruction, names))
        return copy

    def _renamed(self, instruction: Instruction, names: dict[int, int]) -> Instruction:
        """An instruction with other operands, and a result of its own."""
        first, beyond, _ = operand_places(instruction[0]).indices(len(instruction))
        made = [*instruction[:first], *_renamed(instruction[first:beyond], names), *instruction[beyond:]]
        if defines(instruction):
            names[instruction[1]] = made[1] = self._growing.register()
        return tuple(made)


def _renamed(registers: tuple[int, ...], names: Mapping[int, int]) -> tuple[int, ...]:
    return tuple([names.get(register, register) for register in registers])
