"""Loops: a flow graph as a loop over rows and one over columns, with what a pixel is in between.

In `rows` between `positions` and `tape`. Nothing is computed here but positions; everything else about a graph that is
no such loop is told, so that it becomes a nest.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...ir import types as T
from ...ir.flow import FlowRow, Graph, Instruction, Stream
from .positions import Position, combined, ends, unfit

HALT = 1
POSITIONS = {"add": "add", "sub": "sub", "mul": "mul"}
_WHOLE = T.i64


class RowLoops(NamedTuple):
    """Two loops: the pixel's stream, what is known in it, what parameters stand for, and what comes out at the end."""

    rows: int
    columns: tuple[int, int]
    column: int
    known: dict[int, Position]
    body: Stream
    same: dict[int, int]
    result: tuple[int, int]


def loops(graph: Graph) -> RowLoops:
    """The loop over rows and the one over columns that a graph is.

    Raises BackendError where it is something else.
    """
    known: dict[int, Position] = {}
    stream, outer = _walk(graph, graph.blocks[0].body, known)
    for _ in graph.blocks:
        if not any(i[0] == "if" for i in stream):
            stream, outer = _walk(graph, stream, known)
    row, begin, end, inner, after = _loop(graph, stream, known, outer)
    count = _number(end) - _number(begin)
    if count <= 0 or type(begin.part) is not int:
        raise unfit("loops that turn never")
    known[row] = Position(0, np.arange(begin.part, begin.part + count))
    ending = dict(known)
    del ending[row]
    give = _ends(graph, after, ending)
    stream, target = _walk(graph, inner, known)
    column, begin, end, body, after = _loop(graph, stream, known, target)
    left = dict(known)
    del left[column]
    rest, args = _straight(after, left, graph)
    if rest != outer:
        raise unfit("loops that do not go on with the next row")
    _turns(graph, outer, args, left, row)
    known[column] = Position(1, 0)
    pixel, same = _pixel(graph, body, target, column)
    return RowLoops(count, (_number(begin), _number(end)), column, known, pixel, same, give)


def _number(position: Position) -> int:
    if position.step or type(position.part) is not int:
        raise unfit("bounds that are not known")
    return position.part


def _walk(graph: Graph, stream: Stream, known: dict[int, Position]) -> tuple[Stream, int]:
    """Go through what is computed before a jump, and give its block its parameters."""
    target, args = _straight(stream, known, graph)
    if target == HALT:
        raise unfit("programs without a loop")
    values = [position(graph, known, a) for a in args]
    known.update(zip(graph.blocks[target].params, values, strict=True))
    return graph.blocks[target].body, target


def _straight(stream: Stream, known: dict[int, Position], graph: Graph) -> tuple[int, tuple[int, ...]]:
    """Compute positions up to a jump, and give its block and what is handed on."""
    for instruction in stream:
        if instruction[0] == "go":
            return instruction[1], instruction[2]
        known[instruction[1]] = computed(graph, instruction, known, (0, 1))
    raise unfit("streams without a jump")


def _loop(
    graph: Graph, stream: Stream, known: dict[int, Position], block: int
) -> tuple[int, Position, Position, Stream, Stream]:
    """The counter of a loop, its first value and the one beyond, what is done in a turn, and what is done after all."""
    for at, instruction in enumerate(stream):
        if (
            instruction[0] == "lt"
            and stream[at + 1 : at + 2]
            and stream[at + 1][:2] == ("if", instruction[1])
        ):
            _, _, counter, end = instruction
            if counter not in graph.blocks[block].params:
                break
            return (
                counter,
                known[counter],
                position(graph, known, end),
                stream[at + 1][2],
                stream[at + 2 :],
            )
        if instruction[0] in ("if", "go", "switch"):
            break
        known[instruction[1]] = computed(graph, instruction, known, (0, 1))
    raise unfit("loops that do not count")


def _turns(graph: Graph, block: int, args: tuple[int, ...], known: dict[int, Position], counter: int) -> None:
    """See that a loop goes on with the next number, and changes nothing else."""
    for param, arg in zip(graph.blocks[block].params, args, strict=True):
        found, before = position(graph, known, arg), known[param]
        by = combined("sub", found, before, (0, 1))
        if by.step or ends(by.part) != ((1, 1) if param == counter else (0, 0)):
            raise unfit("loops that hand something on")


def _pixel(graph: Graph, body: Stream, block: int, column: int) -> tuple[Stream, dict[int, int]]:
    """The stream of a pixel without its jump, which must go on with the next column; and what parameters are."""
    same: dict[int, int] = {}
    seen = {block}
    while body and body[-1][0] == "go" and body[-1][1] not in seen:
        # Blocks that hand on to each other are one stream.
        target: int = body[-1][1]
        args: tuple[int, ...] = body[-1][2]
        seen.add(target)
        same.update(zip(graph.blocks[target].params, [same.get(a, a) for a in args], strict=True))
        body = [*body[:-1], *graph.blocks[target].body]
    if not body or body[-1][:2] != ("go", block):
        raise unfit("pixels that are not one stream")
    made = {i[1]: i for i in body[:-1] if i[0] == "add"}
    for param, given in zip(graph.blocks[block].params, body[-1][2], strict=True):
        arg = same.get(given, given)
        if param == arg:
            continue
        operands: tuple[int, ...] = made[arg][2:4] if arg in made else ()
        others = [r for r in (same.get(r, r) for r in operands) if r != column]
        if param != column or len(others) != 1 or others[0] >= 0 or graph.constants[~others[0]] != 1:
            raise unfit("loops that hand something on")
    return body[:-1], same


def _ends(graph: Graph, stream: Stream, known: dict[int, Position]) -> tuple[int, int]:
    """The result's word and tag."""
    target, args = _straight(stream, known, graph)
    (give,) = graph.blocks[HALT].body if len(graph.blocks[HALT].body) == 1 else (None,)
    if target != HALT or give is None or give[0] != "give" or give[2] >= 0:
        raise unfit("programs that go on after the loops")
    known.update(zip(graph.blocks[HALT].params, [position(graph, known, a) for a in args], strict=True))
    tag: int = give[2]
    return _number(position(graph, known, give[1])), graph.constants[~tag]


def position(graph: Graph, known: dict[int, Position], register: int) -> Position:
    """A register as a position.

    Raises BackendError where it is none.
    """
    if register < 0:
        number = graph.constants[~register]
        if not -(1 << 31) < number < 1 << 31:
            raise unfit("positions of more than 31 bits")
        return Position(0, number)
    if register not in known:
        raise unfit("arguments that are numbers")
    return known[register]


def computed(
    graph: Graph, instruction: Instruction, known: dict[int, Position], columns: tuple[int, int]
) -> Position:
    """The position that an instruction on positions computes."""
    op = operator(instruction)
    if op is None:
        raise unfit(f"{instruction[0]} outside of a pixel")
    one, other = (position(graph, known, r) for r in operands(instruction))
    return combined(op, one, other, columns)


def read(instruction: Instruction) -> tuple[int, ...]:
    """The registers that an instruction of a pixel reads, but for stores."""
    if instruction[0] in ("row", "load"):
        return instruction[3:] if instruction[0] == "row" else instruction[3:4]
    return instruction[2:]


def operator(instruction: Instruction) -> str | None:
    """The operator on positions that an instruction is."""
    if instruction[0] == "row":
        row: FlowRow = instruction[2]
        return (
            row.name
            if row.name in ("min", "max", "add", "sub", "mul") and row.types == (_WHOLE,) * 2
            else None
        )
    return POSITIONS.get(instruction[0])


def operands(instruction: Instruction) -> tuple[int, int]:
    """The registers that an operator on positions reads."""
    one, other = instruction[3:5] if instruction[0] == "row" else instruction[2:4]
    return one, other
