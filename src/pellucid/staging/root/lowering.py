"""Root programs as flow graphs over words: a block for each code, and a test only where `flow` does not know.

A code is written as soon as values reach it, so that a program of integers is gone through once. Where more reaches a
code than it was written for, as continuations do, `flow` finds all values first, and the program is written anew. A
code that one place names, to jump there, has no block of its own: the stream that jumps goes on with it.

A variable becomes a word and, where its kind is not known, a word for its tag. A word is 0 for nil and false, and for
nothing else but the number; so a truth is asked of any kind alike. `pruning` takes away what nothing uses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias, cast

from pellucid.base.errors import StagingError
from pellucid.ir.flow import CLOSURE, CODE, PAIR, BasicBlock, Graph, Stream
from pellucid.staging.memory import Memory
from pellucid.staging.root.flow import ON_INTEGERS, Flow
from pellucid.staging.root.machine import HALT
from pellucid.staging.root.narrowing import TELLING, Narrowing
from pellucid.staging.root.operations import Operations
from pellucid.staging.root.program import MAKING_PAIRS, Const, Jump, Pair, RootCode, RootIf, RootPrim, check
from pellucid.staging.root.program import Instruction as RootInstruction
from pellucid.staging.root.pruning import pruned
from pellucid.staging.root.records import Records
from pellucid.staging.root.sets import BOOLEANS, NILS, REALS, TEXTS, Set
from pellucid.staging.root.table_reads import vector
from pellucid.staging.root.tables import StaticData, StaticSequences
from pellucid.staging.root.wordless import at_reader
from pellucid.staging.root.words import TAGGED, WordValue

_LIMIT = 1 << 63
_MAX_JOINED = 64
"""Codes that a block may go on with, since what is known of its registers is copied for each of its arms."""


class Lowered(NamedTuple):
    """A program as a graph, and what its words stand for.

    `codes` are those of the numbers from 1 up, `memories` the ones that it accesses, by name, and `tables` its static
    sequences.
    """

    graph: Graph
    codes: list[RootCode]
    memories: dict[str, Memory]
    tables: StaticSequences


def lowered(
    entry: RootCode,
    given: Sequence[Set | Memory],
    name: str = "",
    memories: Mapping[str, Memory] | None = None,
) -> Lowered:
    r"""The graph of a program for arguments in these sets, or for these memories, which get no register.

    Parameters: `memories` are those that `load@name` and `store@name` mean.

    >>> from pellucid.staging.root.sets import INTEGERS
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
        lowering = _Lowering(flow)
        graph = lowering.graph(name or entry.name)
        assert graph is not None  # noqa: S101 - nothing grows after it settled
    if flow.closures & ~flow.stop:
        graph = Records(graph, lowering.pairs_made, lowering.halves_read).result(flow.closures)
    lowering.tables.fill(lowering.memories)
    return Lowered(pruned(graph), list(lowering.number), lowering.memories, lowering.tables)


def _narrowed(names: dict[str, WordValue], known: dict[str, Set]) -> dict[str, WordValue]:
    """Variables that are known better, with what they may be."""
    return {name: WordValue(held, *names[name][1:]) for name, held in known.items()}


def _sole_targets(entry: RootCode) -> set[RootCode]:
    """The codes that one place names, and that a jump right after it goes to."""
    named, found = {entry}, set[RootCode]()
    waiting = [entry]
    for code in waiting:
        streams: list[Any] = [code.body]
        for stream in streams:
            for instruction in stream:
                kind: Any = instruction.__class__
                if kind is Const:
                    target: Any = instruction[1]
                    if target.__class__ is not RootCode:
                        continue
                    if target in named:
                        found.discard(target)
                        continue
                    named.add(target)
                    waiting.append(target)
                    jump, name = stream[-1], instruction[0]
                    if instruction is not stream[-2] or not isinstance(jump, Jump):
                        continue
                    if jump.target == name and name not in jump.args:
                        found.add(target)
                elif kind is RootIf:
                    streams.append(instruction[1])
    return found


_Waiting: TypeAlias = "tuple[RootCode, Sequence[RootInstruction], dict[str, WordValue], Narrowing, Stream]"
"""A stream of a code, what is known where it begins, and where it is written to."""


class _Lowering(Operations):
    """Writes streams and jumps."""

    def __init__(self, flow: Flow) -> None:
        super().__init__(flow)
        self._sole = _sole_targets(flow.entry)
        self._joined = 0
        self._later: list[_Waiting] = []
        self.wanted: dict[RootCode, None] = {}
        """The codes that blocks go to, in the order in which they were met."""
        self._tagged: dict[RootCode, bool] = {}
        """Whether some parameter of a code has its tag in a register."""

    def graph(self, name: str) -> Graph | None:
        """All blocks: the one that makes HALT's closure and enters, the one that ends, and one for each code.

        None where values grew that were written already.
        """
        flow = self.flow
        first = self._entered(name)
        made: dict[RootCode, BasicBlock] = {}
        waiting = self.wanted
        while waiting:
            code = waiting.popitem()[0]
            if code in made or code is HALT:
                continue
            flow.waiting.pop(code, None)
            made[code] = self._block(code)
            if flow.has_grown:
                return None
        # A code that is a value, and that nothing jumps to, has the number of a block all the same.
        empty = BasicBlock("", (), (), [])
        blocks = [first, self._halting(), *(made.get(code, empty) for code in list(self.number)[1:])]
        types = {name: memory.buffer.type for name, memory in self.memories.items()}
        failures, texts = list(self.failures), list(self.texts)
        return Graph(name, blocks, self.numbers, failures, types, texts, self.pairs, self._registers)

    def _block(self, code: RootCode) -> BasicBlock:
        """The block of a code."""
        self.code = code
        params, roots, values = self._params(self.flow.params[code])
        body: Stream = []
        self._streams(code, values, body)
        reals = frozenset([v.word for v in values if v.set == REALS])
        return BasicBlock(code.name, params, roots, body, reals)

    def _entered(self, name: str) -> BasicBlock:
        """The first block."""
        self.out = []
        entry = self.flow.entry
        params, roots, values = self._params(self.flow.given)
        halt = WordValue(self.flow.code(HALT), self.constant(self.number_of_code(HALT)))
        stop = self.pair(self.flow.stop, halt, WordValue(NILS, self.constant(0)))
        self.jump([entry], [stop, *values])
        reals = frozenset(v.word for v in values if v.set == REALS)
        return BasicBlock(name, params, roots, self.out, reals)

    def _halting(self) -> BasicBlock:
        params, roots, (result,) = self._params([self.flow.result])
        reals = frozenset(v.word for v in [result] if v.set == REALS)
        self.out = []
        self.out.append(("give", result.word, self.tag(result)))
        return BasicBlock(HALT.name, params, roots, self.out, reals)

    def _params(
        self, sets: Sequence[Set]
    ) -> tuple[tuple[int, ...], tuple[tuple[int, int | None], ...], list[WordValue]]:
        """Registers for parameters, those of them that may be pairs, and the values that they are."""
        params: list[int] = []
        roots: list[tuple[int, int | None]] = []
        values: list[WordValue] = []
        pairs = self.flow.pairs
        for held in sets:
            word, tag = self.register(), None
            params.append(word)
            if self.shape(held) == TAGGED:
                tag = self.register()
                params.append(tag)
            if held & pairs:
                roots.append((word, tag))
            values.append(WordValue(held, word, tag))
        return tuple(params), tuple(roots), values

    # ---- streams ----

    def _streams(self, code: RootCode, values: Sequence[WordValue], body: Stream) -> None:
        """Write the body of a code, and of those that it goes on with."""
        self._joined = 0
        self._later = [(code, code.body, self._named(code, values), Narrowing(), body)]
        while self._later:
            code, stream, names, tests, self.out = self._later.pop()
            self.place = code.name
            if not stream or stream[-1].__class__ is not Jump:
                check(code)
            try:
                self._stream(code, stream, names, tests)
            except KeyError:
                check(code)
                raise

    def _stream(
        self, code: RootCode, stream: Sequence[Any], names: dict[str, WordValue], tests: Narrowing
    ) -> None:
        """Write one stream; the streams of its arms, and of the code that it goes on with, come later."""
        next_code: RootCode | None = None
        integers, accesses = self._integers, self._accesses
        for step in stream:
            kind: Any = step.__class__
            if kind is RootPrim:
                made, primitive, args, point = step
                self.place = code.name if point is None or primitive in MAKING_PAIRS else point
                op = ON_INTEGERS.get(primitive)
                value = None
                if op is not None and len(args) == 2:
                    # Most instructions are these.
                    value = self.on_integers(op, names[args[0]], names[args[1]])
                if value is None:
                    given = [names[name] for name in args]
                    sets = [one[0] for one in given]
                    access = accesses.get((primitive, *sets))
                    value = self.prim(step, sets, given) if access is None else self.accessed(access, given)
                if value is None:
                    return
                if made in names:
                    tests.forget(made)
                names[made] = value
                if primitive in TELLING:
                    tests.bind(step)
            elif kind is Const:
                made, constant = step
                of: Any = constant.__class__
                if of is RootCode and constant in self._sole and self._joined < _MAX_JOINED:
                    next_code = constant
                    continue
                value = integers.get(constant) if of is int else None
                if value is None:
                    try:
                        value = self._const(constant)
                    except StagingError as error:
                        raise at_reader(error, step, stream, code) from None
                if value is None:
                    return
                if made in names:
                    tests.forget(made)
                names[made] = value
            elif kind is RootIf:
                if not self._branch(code, step, names, tests):
                    return
            elif kind is Jump:
                if step is not stream[-1]:
                    check(code)
                self.place = code.name
                if next_code is None:
                    self._jump(step, names, tests)
                else:
                    self._go_on(next_code, [names[name] for name in step[1]])

    def _branch(self, code: RootCode, branch: RootIf, names: dict[str, WordValue], tests: Narrowing) -> bool:
        """Write a test, and let its arm be written later; whether the stream goes on."""
        test, stream = branch
        value = names[test]
        inner: Stream = []
        if value.set == BOOLEANS and test not in tests:
            # Most tests say of nothing what it is.
            self.out.append(("if", value.word, inner))
            self._later.append((code, stream, names.copy(), tests.copy(), inner))
            return True
        then, orelse = tests.split(self.flow, test, lambda name: names[name].set)
        if then is not None and orelse is not None:
            self.out.append(("if", self.truth(value), inner))
        else:
            inner = self.out
        if then is not None:
            self._later.append((code, stream, names | _narrowed(names, then), tests.copy(), inner))
        if orelse is None:
            return False
        names.update(_narrowed(names, orelse))
        return True

    def _go_on(self, code: RootCode, values: list[WordValue]) -> None:
        """Go on with the body of a code that nothing else jumps to."""
        self._sole.remove(code)
        if self._fits(code, values):
            self._joined += 1
            self._later.append((code, code.body, self._named(code, values), Narrowing(), self.out))

    def _named(self, code: RootCode, values: Sequence[WordValue]) -> dict[str, WordValue]:
        """The parameters of a code with the values that they are bound to."""
        names = dict(zip(code.params, values, strict=True))
        if len(names) < len(values):
            check(code)
        return names

    def _const(self, value: Any) -> WordValue | None:
        """A constant, or None where it is too large."""
        if type(value) is int and -_LIMIT <= value < _LIMIT:
            return self.integer(value)
        if isinstance(value, Pair):
            number = self._fixed(value)
            if number is None:
                return None
            made = self.register()
            self.out.append(("fixed", made, number))
            return WordValue(self.flow.constant(value), made)
        if isinstance(value, str) and value:
            return WordValue(TEXTS, self.constant(self.texts.setdefault(value, len(self.texts)) + 1))
        if isinstance(value, float):
            return self.real(value)
        if isinstance(value, Memory):
            return WordValue(self.flow.memory(value), self.constant(1))
        if isinstance(value, RootCode):
            return WordValue(self.flow.code(value), self.constant(self.number_of_code(value)))
        if value is None or isinstance(value, bool):
            return WordValue(NILS if value is None else BOOLEANS, self.constant(int(value or 0)))
        if isinstance(value, tuple | dict):
            return vector(self, cast("StaticData", value))
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

    def _jump(self, jump: Jump, names: dict[str, WordValue], tests: Narrowing) -> None:
        """Write the jump that ends a stream."""
        target = names[jump.target]
        args = [names[name] for name in jump.args]
        codes = self.flow.things_of(target.set & self.flow.codes)
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

    def jump(self, codes: Sequence[RootCode], args: list[WordValue], target: WordValue | None = None) -> None:
        """Write a jump to one of some codes, of which the target tells the number."""
        cases: list[tuple[int, tuple[int, ...]]] = []
        for code in codes:
            if not self._fits(code, args, target if len(codes) > 1 else None):
                if len(codes) > 1:
                    continue
                return
            self.wanted[code] = None
            cases.append((self.number_of_code(code), self._passed(code, args)))
        if len(cases) == 1:
            self.out.append(("go", *cases[0]))
        elif target is not None:
            self.out.append(("switch", target.word, tuple(cases)))

    def _fits(self, code: RootCode, args: Sequence[WordValue], target: WordValue | None = None) -> bool:
        """Whether a code takes so many values; what goes there fails otherwise, if a target tells that it does."""
        if len(args) == len(code.params):
            return True
        failure = self.failure(f"{len(args)} values for {len(code.params)} parameters", "match them")
        if target is None:
            self.out.append(("fail", failure))
        else:
            other = self.emit("eq", target.word, self.constant(self.number_of_code(code)))
            self.require(self.emit("is0", other), failure)
        return False

    def _passed(self, code: RootCode, args: list[WordValue]) -> tuple[int, ...]:
        """The words that a code's block gets for arguments."""
        sets, given = ([self.flow.result], args[1:]) if code is HALT else (self.flow.params[code], args)
        is_tagged = self._tagged.get(code)
        if is_tagged is None:
            is_tagged = self._tagged[code] = any(self.shape(held) == TAGGED for held in sets)
        if not is_tagged:
            return tuple([value[1] for value in given])
        passed: list[int] = []
        for held, value in zip(sets, given, strict=True):
            passed.append(value.word)
            if self.shape(held) == TAGGED:
                passed.append(self.tag(value))
        return tuple(passed)
