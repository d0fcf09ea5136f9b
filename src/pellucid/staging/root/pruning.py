"""Flow graphs without what nothing uses: instructions, parameters of blocks, and what is passed to them.

A mark goes backward from what has an effect; above `lowering`, which writes down all that a program says.
"""

from __future__ import annotations

from itertools import compress

from pellucid.ir.flow import Block, Graph, Stream
from pellucid.staging.root.graphs import jumps, operand_places, streams

_LASTING = frozenset(["require", "store", "if", "switch", "give", "fail", "go", "load"])
"""What has an effect, and loads. What else can fail is an integer that grows too large: unused, it need not be made."""
_GOING = frozenset(["go", "switch"])


def pruned(graph: Graph) -> Graph:
    """The graph without what nothing uses."""
    blocks = graph.blocks
    needs: dict[int, tuple[int, ...]] = {}
    given: dict[int, list[int]] = {}
    waiting: list[int] = []
    reached, order = {0}, [0]
    for number in order:
        block = blocks[number]
        for word, tag in block.roots:
            if tag is not None:
                given.setdefault(word, []).append(tag)
        for stream in streams(block.body):
            for instruction in stream:
                operator = instruction[0]
                if operator not in _LASTING:
                    needs[instruction[1]] = instruction[operand_places(operator)]
                    continue
                waiting += instruction[operand_places(operator)]
                for target, args in jumps(instruction) if operator in _GOING else ():
                    if target not in reached:
                        reached.add(target)
                        order.append(target)
                    for param, arg in zip(blocks[target].params, args, strict=True):
                        if arg >= 0:
                            given.setdefault(param, []).append(arg)
    used: set[int] = set(blocks[0].params)
    while waiting:
        register = waiting.pop()
        if register >= 0 and register not in used:
            used.add(register)
            waiting += needs.get(register, ())
            waiting += given.get(register, ())
    kept = [[p in used for p in block.params] for block in blocks]
    return graph._replace(
        blocks=[_block(block, used, kept) if k in reached else block for k, block in enumerate(blocks)]
    )


def _block(block: Block, used: set[int], kept: list[list[bool]]) -> Block:
    body: Stream = []
    waiting = [(block.body, body)]
    while waiting:
        stream, out = waiting.pop()
        for instruction in stream:
            operator = instruction[0]
            if operator not in _LASTING:
                if instruction[1] in used:
                    out.append(instruction)
            elif operator == "if":
                inner: Stream = []
                out.append((operator, instruction[1], inner))
                waiting.append((instruction[2], inner))
            elif operator == "go":
                ((target, args),) = jumps(instruction)
                out.append((operator, target, tuple(compress(args, kept[target]))))
            elif operator == "switch":
                cases = tuple([(to, tuple(compress(args, kept[to]))) for to, args in jumps(instruction)])
                out.append((operator, instruction[1], cases))
            else:
                out.append(instruction)
    params = tuple([p for p in block.params if p in used])
    roots = tuple([r for r in block.roots if r[0] in used])
    return Block(block.name, params, roots, body, block.reals)
