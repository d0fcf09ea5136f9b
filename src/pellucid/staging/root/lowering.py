"""Root programs as flow graphs over words: a block for each code, and a test only where `flow` does not know.

A code is written as soon as values reach it, so that a program of integers is gone through once. Where more reaches a
code than it was written for, as continuations do, `flow` finds all values first, and the program is written anew.

A variable becomes a word and, where its kind is not known, a word for its tag. A word is 0 for nil and false, and for
nothing else but the number; so a truth is asked of any kind alike. `pruning` takes away what nothing uses.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from pellucid.ir.flow import CLOSURE, CODE, PAIR, Block, Graph, Instruction, Stream
from pellucid.staging.memory import Memory
from pellucid.staging.root.flow import BOOLEANS, INTEGERS, NILS, REALS, TELLING, TEXTS, Flow, Narrowing, Set
from pellucid.staging.root.machine import HALT
from pellucid.staging.root.operations import Operations
from pellucid.staging.root.program import Code, Const, If, Jump, Pair, Prim, check
from pellucid.staging.root.pruning import pruned
from pellucid.staging.root.words import TAGGED, Value

_LIMIT = 1 << 63


class Lowered(NamedTuple):
    """A program as a graph, the codes of whose numbers from 1 up these are, and the memories it accesses by name."""

    graph: Graph
    codes: list[Code]
    memories: dict[str, Memory]


def lowered(
    entry: Code, given: Sequence[Set | Memory], name: str = "", memories: Mapping[str, Memory] | None = None
) -> Lowered:
    r"""The graph of a program for arguments in these sets, or for these memories, which get no register.

    Parameters: `memories` are those that `load@name` and `store@name` mean.

    >>> from pellucid.staging.root.flow import INTEGERS
    >>> from pellucid.staging.root.reading import read_sugar
    >>> code = read_sugar("inc(k n) {\n(car k)(k (+ n 1))\n}")["inc"]
    >>> lowered(code, [INTEGERS]).graph.blocks[2].body
    [('add', 4, 3, -1, 1), ('go', 1, (4,))]
    """
    flow = Flow(entry, given, memories)
    lowering = _Lowering(flow)
    graph = lowering.graph(name or entry.name)
    if graph is None:
        flow.settle()
        flow.waiting.update(dict.fromkeys(flow.params))
        lowering = _Lowering(flow)
        graph = lowering.graph(name or entry.name)
        assert graph is not None  # noqa: S101 - nothing grows after it settled
    return Lowered(pruned(graph), list(lowering.number), lowering.memories)


def _narrowed(names: dict[str, Value], known: dict[str, Set]) -> dict[str, Value]:
    """Variables that are known better, with what they may be."""
    return {name: Value(held, *names[name][1:]) for name, held in known.items()}


class _Lowering(Operations):
    """Writes streams and jumps."""

    def graph(self, name: str) -> Graph | None:
        """All blocks: the one that makes HALT's closure and enters, the one that ends, and one for each code.

        None where values grew that were written already.
        """
        flow = self.flow
        first = self._entered(name)
        made: dict[Code, Block] = {}
        while flow.waiting:
            code = flow.waiting.popitem()[0]
            try:
                made[code] = self._block(code)
            except KeyError:
                check(code)
                raise
            if flow.has_grown:
                return None
        codes = list(self.number)[1 : len(made) + 1]
        if not all(code in made for code in codes):
            # A code that is a value, and that nothing jumps to, has the number of a block.
            return None
        blocks = [first, self._halting(), *(made[code] for code in codes)]
        types = {name: memory.buffer.type for name, memory in self.memories.items()}
        return Graph(name, blocks, self.numbers, list(self.failures), types, list(self.texts), self.pairs)

    def _block(self, code: Code) -> Block:
        """The block of a code."""
        self.code, self.place = code, code.name
        params, roots, values = self._params(self.flow.params[code])
        names = dict(zip(code.params, values, strict=True))
        if len(names) < len(values):
            check(code)
        body: Stream = []
        self._streams(code, names, body)
        reals = frozenset([v.word for v in values if v.set == REALS])
        return Block(code.name, params, roots, body, reals)

    def _entered(self, name: str) -> Block:
        """The first block."""
        self.out = []
        entry = self.flow.entry
        params, roots, values = self._params(self.flow.given)
        halt = Value(self.flow.code(HALT), self.constant(self.number[HALT]))
        stop = self.pair(self.flow.stop, halt, Value(NILS, self.constant(0)))
        self.jump([entry], [stop, *values])
        reals = frozenset(v.word for v in values if v.set == REALS)
        return Block(name, params, roots, self.out, reals)

    def _halting(self) -> Block:
        params, roots, (result,) = self._params([self.flow.result])
        reals = frozenset(v.word for v in [result] if v.set == REALS)
        self.out = []
        self.out.append(("give", result.word, self.tag(result)))
        return Block(HALT.name, params, roots, self.out, reals)

    def _params(
        self, sets: Sequence[Set]
    ) -> tuple[tuple[int, ...], tuple[tuple[int, int | None], ...], list[Value]]:
        """Registers for parameters, those of them that may be pairs, and the values that they are."""
        params: list[int] = []
        roots: list[tuple[int, int | None]] = []
        values: list[Value] = []
        pairs = self.flow.pairs
        for held in sets:
            word, tag = self.register(), None
            params.append(word)
            if held != INTEGERS and self.shape(held) == TAGGED:
                tag = self.register()
                params.append(tag)
            if held & pairs:
                roots.append((word, tag))
            values.append(Value(held, word, tag))
        return tuple(params), tuple(roots), values

    # ---- streams ----

    def _streams(self, code: Code, names: dict[str, Value], body: Stream) -> None:
        """Write the body of a code."""
        waiting = [(code.body, names, Narrowing(), body)]
        while waiting:
            stream, names, tests, self.out = waiting.pop()
            if not stream or stream[-1].__class__ is not Jump:
                check(code)
            for instruction in stream:
                if isinstance(instruction, Prim):
                    made, primitive, args, _ = instruction
                    value = self.prim(instruction, [names[name] for name in args])
                    if value is None:
                        break
                    if made in names:
                        tests.forget(made)
                    names[made] = value
                    if primitive in TELLING:
                        tests.bind(instruction)
                elif isinstance(instruction, Const):
                    made, constant = instruction
                    value = self._const(constant)
                    if value is None:
                        break
                    if made in names:
                        tests.forget(made)
                    names[made] = value
                elif isinstance(instruction, If):
                    then, orelse = tests.split(
                        self.flow, instruction.test, lambda name, names=names: names[name].set
                    )
                    inner = self.out
                    if then is not None and orelse is not None:
                        inner = list[Instruction]()
                        self.out.append(("if", self.truth(names[instruction.test]), inner))
                    if then is not None:
                        waiting.append(
                            (instruction.stream, names | _narrowed(names, then), tests.copy(), inner)
                        )
                    if orelse is None:
                        break
                    names.update(_narrowed(names, orelse))
                elif isinstance(instruction, Jump):
                    if instruction is not stream[-1]:
                        check(code)
                    self._jump(instruction, names, tests)

    def _const(self, value: Any) -> Value | None:
        """A constant, or None where it is too large."""
        if type(value) is int and -_LIMIT <= value < _LIMIT:
            return self.integer(value)
        if isinstance(value, Pair):
            number = self._fixed(value)
            if number is None:
                return None
            made = self.register()
            self.out.append(("fixed", made, number))
            return Value(self.flow.constant(value), made)
        if isinstance(value, str) and value:
            return Value(TEXTS, self.constant(self.texts.setdefault(value, len(self.texts)) + 1))
        if isinstance(value, float):
            return Value(REALS, self.constant(int(struct.unpack("<q", struct.pack("<d", value))[0])))
        if isinstance(value, Memory):
            return Value(self.flow.memory(value), self.constant(1))
        if isinstance(value, Code):
            # A code that nothing jumps to is told from others, and no more.
            number = self.number.setdefault(value, len(self.number) + 1)
            return Value(self.flow.code(value), self.constant(number))
        if value is None or isinstance(value, bool):
            return Value(NILS if value is None else BOOLEANS, self.constant(int(value or 0)))
        self.flow.constant(value)
        self.out.append(("fail", self.too_large()))
        return None

    def _fixed(self, value: Pair) -> int | None:
        """The number of a pair that is a constant, or None where a number in it is too large."""
        # A list may be long: its pairs are made from the last to the first.
        chain = [value]
        while isinstance(chain[-1].cdr, Pair) and id(chain[-1]) not in self.fixed:
            chain.append(chain[-1].cdr)
        for pair in reversed(chain):
            if id(pair) in self.fixed:
                continue
            halves = [self._half_of(half) for half in (pair.car, pair.cdr)]
            if halves[0] is None or halves[1] is None:
                return None
            (car, first), (cdr, second) = halves[0], halves[1]
            self.fixed[id(pair)] = len(self.pairs)
            self.pairs.append((car, cdr, first | second << 8))
        return self.fixed[id(value)]

    def _half_of(self, value: Any) -> tuple[int, int] | None:
        """A half of a pair that is a constant, and its tag."""
        if isinstance(value, Pair):
            number = self._fixed(value)
            return None if number is None else (number, CLOSURE if value.closure else PAIR)
        made = self._const(value)
        return made and (self.number_of(made.word), self.number_of(self.tag(made)))

    def _jump(self, jump: Jump, names: dict[str, Value], tests: Narrowing) -> None:
        """Write the jump that ends a stream."""
        target = names[jump.target]
        args = [names[name] for name in jump.args]
        codes = self.flow.codes_of(target.set)
        self.flow.jumped(jump, codes, [value.set for value in args], tests)
        if target.set & ~self.flow.codes:
            failure = self.failure(
                "a jump to what is no code", "jump to a code, such as the car of a closure"
            )
            if not target.set & self.flow.codes:
                self.out.append(("fail", failure))
                return
            self.require(self.emit("eq", self.tag(target), self.constant(CODE)), failure)
        self.jump(codes, args, target)

    def jump(self, codes: Sequence[Code], args: list[Value], target: Value | None = None) -> None:
        """Write a jump to one of some codes, of which the target tells the number."""
        cases: list[tuple[int, tuple[int, ...]]] = []
        for code in codes:
            if len(args) != len(code.params):
                message = f"{len(args)} values for {len(code.params)} parameters"
                failure = self.failure(message, "match them")
                if len(codes) > 1 and target is not None:
                    other = self.emit("eq", target.word, self.constant(self.number[code]))
                    self.require(self.emit("is0", other), failure)
                    continue
                self.out.append(("fail", failure))
                return
            cases.append((self.number[code], self._passed(code, args)))
        if len(cases) == 1:
            self.out.append(("go", *cases[0]))
        elif target is not None:
            self.out.append(("switch", target.word, tuple(cases)))

    def _passed(self, code: Code, args: list[Value]) -> tuple[int, ...]:
        """The words that a code's block gets for arguments."""
        passed: list[int] = []
        sets, given = ([self.flow.result], args[1:]) if code is HALT else (self.flow.params[code], args)
        for held, value in zip(sets, given, strict=True):
            passed.append(value.word)
            if held != INTEGERS and self.shape(held) == TAGGED:
                passed.append(self.tag(value))
        return tuple(passed)
