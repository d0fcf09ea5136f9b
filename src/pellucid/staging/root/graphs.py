"""Flow graphs to be read and changed: what instructions read and make, and new registers and constants.

Below all that goes through the graphs that `lowering` makes.
"""

from __future__ import annotations

from typing import TypeAlias

from pellucid.ir.flow import BasicBlock, Graph, Instruction, Stream

Range: TypeAlias = "tuple[int, int]"
"""The least and the greatest value of a word."""
ANY: Range = (-(1 << 63), (1 << 63) - 1)
CHECKED = frozenset(["add", "sub", "mul", "shl", "div"])
"""Operators of arithmetic that may fail."""

_EFFECTS = frozenset(["require", "store", "if", "unless", "switch", "give", "fail", "go"])
_READ = {
    **dict.fromkeys(["add", "sub", "mul", "div", "mod", "shl", "shr", "store"], slice(2, 4)),
    **dict.fromkeys(["require", "if", "unless", "switch"], slice(1, 2)),
    "field": slice(2, 3), "within": slice(3, 4), "row": slice(3, None), "give": slice(1, None), "load": slice(3, 4),
    "go": slice(0), "fixed": slice(0), "fail": slice(0),
}  # fmt: skip
_REST = slice(2, None)


def operand_places(operator: str) -> slice:
    """Where the registers are that an instruction reads, but for what it passes to blocks."""
    return _READ.get(operator, _REST)


def operands(instruction: Instruction) -> tuple[int, ...]:
    """The registers that an instruction reads, but for what it passes to blocks."""
    return instruction[_READ.get(instruction[0], _REST)]


def defines(instruction: Instruction) -> bool:
    """Whether an instruction has a result, which is its first register."""
    return instruction[0] not in _EFFECTS


def jumps(instruction: Instruction) -> tuple[tuple[int, tuple[int, ...]], ...]:
    """The blocks that an instruction may go to, with what they get."""
    match instruction[0]:
        case "go":
            return ((instruction[1], instruction[2]),)
        case "switch":
            return instruction[2]
        case _:
            return ()


def reads(instruction: Instruction) -> tuple[int, ...]:
    """The registers that an instruction reads or passes to blocks."""
    passed = [register for _, args in jumps(instruction) for register in args]
    return (*operands(instruction), *passed, *(instruction[3] if instruction[0] == "unless" else ()))


def streams(body: Stream) -> list[Stream]:
    """A stream and those inside of it."""
    found = [body]
    for stream in found:
        found.extend(i[2] for i in stream if i[0] == "if")
    return found


class Growing:
    """A graph that gets new registers and constants."""

    def __init__(self, graph: Graph) -> None:
        self.constants = list(graph.constants)
        self._known = {number: ~k for k, number in enumerate(self.constants)}
        self.registers = graph.registers

    def register(self) -> int:
        """A new register."""
        self.registers += 1
        return self.registers - 1

    def grown(self, graph: Graph, blocks: list[BasicBlock]) -> Graph:
        """The graph with other blocks, which have what is new."""
        return graph._replace(blocks=blocks, constants=self.constants, registers=self.registers)

    def constant(self, number: int) -> int:
        """The register of a constant."""
        found = self._known.get(number)
        if found is None:
            found = self._known[number] = ~len(self.constants)
            self.constants.append(number)
        return found

    def emit(self, out: Stream, operator: str, *operands: int) -> int:
        """The result of a new instruction at the end of a stream."""
        made = self.register()
        out.append((operator, made, *operands))
        return made
