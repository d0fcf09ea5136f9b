"""Flow graphs without what nothing uses: instructions, parameters of blocks, and what is passed to them.

A mark goes backward from what has an effect; above `lowering`, which writes down all that a program says.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import compress

from pellucid.ir.flow import BasicBlock, Graph, Instruction, Stream
from pellucid.staging.root.graphs import jumps, operand_places

_LASTING = frozenset(["require", "store", "if", "switch", "give", "fail", "go", "load"])
"""What has an effect, and loads. What else can fail is an integer that grows too large: unused, it need not be made."""
_GOING = frozenset(["go", "switch"])


def pruned(graph: Graph) -> Graph:
    """The graph without what nothing uses; its streams are changed, and no longer those of the given one."""
    blocks = graph.blocks
    marks = _Marks(graph)
    order = [0]
    for number in order:
        order += marks.block(blocks[number])
    used = marks.used()
    kept = [[p in used for p in block.params] for block in blocks]
    marks.drop(kept)
    left = list(blocks)
    for number in order:
        if not all(kept[number]):
            left[number] = _with_fewer(blocks[number], used)
    return graph._replace(blocks=left)


def _with_fewer(block: BasicBlock, used: set[int]) -> BasicBlock:
    """A block without the parameters that nothing uses."""
    params = tuple([p for p in block.params if p in used])
    return block._replace(params=params, roots=tuple([r for r in block.roots if r[0] in used]))


class _Marks:
    """What is used, of blocks that are gone through backward: what is read was marked before it is met."""

    def __init__(self, graph: Graph) -> None:
        self._blocks = graph.blocks
        self._reached = {0}
        self._used: set[int] = set(graph.blocks[0].params)
        self._unread: dict[int, tuple[Instruction, Stream]] = {}
        """Instructions whose results nothing read that comes after them, with their streams."""
        self._given: dict[int, list[int]] = {}
        """Of parameters, what they are given."""
        self._ends: list[Stream] = []
        """The streams that end with a jump."""

    def block(self, block: BasicBlock) -> list[int]:
        """Go through a block; the blocks that it is the first one to go to."""
        used, unread = self._used, self._unread
        for word, tag in block.roots:
            if tag is not None:
                self._given.setdefault(word, []).append(tag)
        found: list[int] = []
        waiting = [(block.body, reversed(block.body))]
        while waiting:
            stream, rest = waiting[-1]
            for instruction in rest:
                operator = instruction[0]
                if operator not in _LASTING:
                    if instruction[1] in used:
                        used.update(instruction[operand_places(operator)])
                    else:
                        unread[instruction[1]] = instruction, stream
                elif operator == "if":
                    used.add(instruction[1])
                    waiting.append((instruction[2], reversed(instruction[2])))
                    break
                else:
                    used.update(instruction[operand_places(operator)])
                    if operator in _GOING:
                        self._ends.append(stream)
                        found += self._jump(instruction)
            else:
                waiting.pop()
        return found

    def _jump(self, instruction: Instruction) -> list[int]:
        """Note what a jump gives; the blocks that nothing else went to before."""
        found: list[int] = []
        given = self._given
        for target, args in jumps(instruction):
            if target not in self._reached:
                self._reached.add(target)
                found.append(target)
            for param, arg in zip(self._blocks[target].params, args, strict=True):
                if arg >= 0:
                    given.setdefault(param, []).append(arg)
        return found

    def used(self) -> set[int]:
        """All registers that are used, and constants among them."""
        used = self._used
        waiting = [r for r in (*self._given, *self._unread) if r in used]
        while waiting:
            register = waiting.pop()
            for one in (*self._given.pop(register, ()), *self._read_by(register)):
                if one not in used:
                    used.add(one)
                    waiting.append(one)
        return used

    def _read_by(self, register: int) -> Iterable[int]:
        """What a register is made of that was not known to be used."""
        found = self._unread.pop(register, None)
        return found[0][operand_places(found[0][0])] if found is not None else ()

    def drop(self, kept: list[list[bool]]) -> None:
        """Take what nothing uses out of streams and jumps."""
        for stream in self._ends:
            passed = [(to, tuple(compress(args, kept[to]))) for to, args in jumps(stream[-1])]
            stream[-1] = ("go", *passed[0]) if stream[-1][0] == "go" else (*stream[-1][:2], tuple(passed))
        unused = {id(stream): stream for _, stream in self._unread.values()}
        for stream in unused.values():
            stream[:] = [i for i in stream if i[0] in _LASTING or i[1] not in self._unread]
