"""One check for several: where the farthest address is in a memory and a counter is far from its end, others hold.

A block that goes on with itself is written twice: without the checks that one implies, and with all of them, so that an
error is the one that comes first. What a loop counts down then needs no test for its end either, until that is near.
Run after `ranges`, which knows that the nearest address is not below 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from pellucid.ir.flow import BasicBlock, Graph, Instruction, Stream
from pellucid.staging.root.graphs import Growing, defines, jumps, operand_places, streams

_MIN_SAVED = 2
"""Checks and tests that a second copy of a block must save."""
_MAX_LENGTH = 200
"""Instructions of a block that is written twice."""


_MAX_DISTANCE = 1 << 31
"""The largest number by which a register is near a parameter."""


class _Place(NamedTuple):
    """The value of a register: a parameter, and a number that was added to it."""

    base: int
    more: int


class Checks:
    """One graph; `least` are the smallest values of parameters of blocks."""

    def __init__(self, graph: Graph, least: Mapping[int, int]) -> None:
        self.graph, self.least = graph, least
        self._growing = Growing(graph)
        self._blocks = list(graph.blocks)

    def result(self) -> Graph:
        """The graph with some blocks written twice."""
        for number in range(len(self._blocks)):
            self._write_twice(number)
        return self._growing.grown(self.graph, self._blocks)

    def _write_twice(self, number: int) -> None:
        """Write a block that goes on with itself twice, where that saves enough."""
        block = self._blocks[number]
        everything = [i for stream in streams(block.body) for i in stream]
        # A block that makes pairs would ask for room twice.
        if len(everything) > _MAX_LENGTH or any(i[0] == "pair" for i in everything):
            return
        if all(to != number for i in everything for to, _ in jumps(i)):
            return
        accesses, steps, tests = self._about_parameters(block)
        reach: dict[tuple[int, int], list[int]] = {}
        for memory, base, more in accesses.values():
            reach.setdefault((memory, base), []).append(more)
        reach = {group: distances for group, distances in reach.items() if len(distances) > 1}
        # From its end on, a parameter that is counted down can take all steps, and no address is below 0.
        ends = {base: max(-p.more for p in steps.values() if p.base == base) for base, _ in steps.values()}
        for (_, base), distances in reach.items():
            if base in ends:
                ends[base] = max(ends[base], -min(distances))
        farthest = {
            group: max(distances)
            for group, distances in reach.items()
            if ends.get(group[1], self.least[group[1]]) + min(distances) >= 0
        }
        dropped = {*steps, *(at for at, group in accesses.items() if group[:2] in farthest)}
        spared = sum(-place.more < ends.get(place.base, 0) for place in tests)
        if len(dropped) + spared - len(ends) - len(farthest) < _MIN_SAVED:
            return
        body: Stream = []
        for base, end in ends.items():
            self._ask(block, body, "lt", self._growing.constant(end - 1), base)
        for at, instruction in enumerate(block.body):
            # LLVM makes one branch of several that are beside each other, so each stands where it is needed first; but
            # nothing is stored before the last of them, since the copy begins anew.
            asked = [*farthest] if instruction[0] == "store" else [accesses[at][:2]] if at in accesses else []
            for group in asked:
                if group in farthest:
                    self._ask(block, body, "within", *group, farthest.pop(group))
            body.append((*instruction[:-1], 0) if at in dropped else instruction)
        self._blocks[number] = block._replace(body=body)
        self._blocks.append(self._copied(block))

    def _about_parameters(
        self, block: BasicBlock
    ) -> tuple[dict[int, tuple[int, int, int]], dict[int, _Place], list[_Place]]:
        """Checks by their place in the stream: accesses, with memory, parameter and distance, and steps down; tests."""
        accesses: dict[int, tuple[int, int, int]] = {}
        steps: dict[int, _Place] = {}
        tests: list[_Place] = []
        near = {param: _Place(param, 0) for param in block.params if param in self.least}
        for at, instruction in enumerate(block.body):
            op = instruction[0]
            if op in ("add", "sub") and instruction[2] in near and instruction[3] < 0:
                base, more = near[instruction[2]]
                number: int = instruction[3]
                by = self._growing.constants[~number] if op == "add" else -self._growing.constants[~number]
                if abs(more + by) > _MAX_DISTANCE:
                    continue
                near[instruction[1]] = place = _Place(base, more + by)
                if instruction[4] and place.more < 0:
                    steps[at] = place
            elif op == "is0" and instruction[2] in near:
                tests.append(near[instruction[2]])
            elif op in ("load", "store") and instruction[-1]:
                memory, index = instruction[2:4] if op == "load" else instruction[1:3]
                if index in near:
                    accesses[at] = (memory, near[index].base, near[index].more)
        return accesses, steps, tests

    def _ask(self, block: BasicBlock, body: Stream, operator: str, *operands: int) -> None:
        """Go on with the copy of a block unless something holds."""
        hold = self._growing.emit(body, operator, *operands)
        body.append(("unless", hold, len(self._blocks), block.params))

    def _copied(self, block: BasicBlock) -> BasicBlock:
        """A block with registers of its own."""
        copy: Stream = []
        params = {param: self._growing.register() for param in block.params}
        reals = frozenset([params[param] for param in block.reals if param in params])
        waiting: list[tuple[Stream, Stream, dict[int, int]]] = [(block.body, copy, dict(params))]
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
                    out.append(self._with_own_result(instruction, names))
        roots = tuple(
            [(params[word], None if tag is None else params.get(tag, tag)) for word, tag in block.roots]
        )
        return BasicBlock(block.name, tuple(params.values()), roots, copy, reals)

    def _with_own_result(self, instruction: Instruction, names: dict[int, int]) -> Instruction:
        begin, end, _ = operand_places(instruction[0]).indices(len(instruction))
        made = [*instruction[:begin], *_renamed(instruction[begin:end], names), *instruction[end:]]
        if defines(instruction):
            names[instruction[1]] = made[1] = self._growing.register()
        return tuple(made)


def _renamed(registers: tuple[int, ...], names: Mapping[int, int]) -> tuple[int, ...]:
    return tuple([names.get(register, register) for register in registers])
