"""Flow graphs of scalars as nests: by the residual form of `staging`, so that they get moves, proofs and lanes.

A continuation that is only handed on is gone from the graph. What is left are jumps between blocks of numbers, which
`structure` makes loops of. As in all specialized programs, a load outside of a memory reads some word of it, a store
there is not done, and sums wrap beyond 64 bits; a division by zero is refused after the call.
"""

from __future__ import annotations

import re
import struct
from collections import Counter
from collections.abc import Sequence
from typing import Any

from pellucid.base.errors import StagingError
from pellucid.ir import types as T
from pellucid.ir.expr import Buffer, Expr, const, param
from pellucid.ir.flow import BOOLEAN, INTEGER, NIL, REAL, BasicBlock, FlowRow, Graph, Instruction, Stream
from pellucid.ir.nest import inputs
from pellucid.staging import residual as R
from pellucid.staging.folding import WHOLE, node, number, opposite
from pellucid.staging.lower import lower
from pellucid.staging.memory import Memory
from pellucid.staging.root.graphs import jumps, streams
from pellucid.staging.root.lowering import Lowered
from pellucid.staging.session import Fault, SpecializerSession, staging
from pellucid.staging.specialize import Residual
from pellucid.staging.structure import structured
from pellucid.staging.value import of

_OPERATORS = {
    "add": "add", "sub": "sub", "mul": "mul", "div": "floor_div", "mod": "mod", "shl": "shift_left",
    "shr": "shift_right",
}  # fmt: skip
_BITS = frozenset(["and", "or", "xor"])
_ARM_THRESHOLD = 24
"""Instructions of two arms that are both computed, where that makes them one stream."""
_HALT = 1


def nest(form: Lowered, names: Sequence[str]) -> Residual:
    r"""The residual program of a graph of scalars, whose arguments have these names.

    Raises StagingError for a graph with pairs, or with jumps to what is not known.

    >>> from pellucid.staging.root.sets import INTEGERS
    >>> from pellucid.staging.root.lowering import lowered
    >>> from pellucid.staging.root.reading import read_sugar
    >>> text = "total(k n s) {\nif (zero? n) (car k)(k s)\ntotal(k (- n 1) (+ s n))\n}"
    >>> nest(lowered(read_sugar(text)["total"], [INTEGERS, INTEGERS]), ["n", "s"])(n=4, s=0)
    10
    """
    return _Nest(form, names).residual()


def parameters(names: Sequence[str]) -> list[str]:
    """Names of variables as those of parameters: of letters and digits, each once.

    >>> parameters(["a?", "a!", "n"])
    ['a_', 'a__', 'n']
    """
    found: list[str] = []
    for name in names:
        made = re.sub(r"\W", "_", name)
        while made in found:
            made += "_"
        found.append(made)
    return found


class _Nest:
    """One graph; `exits` are what is done at the ends of the program."""

    def __init__(self, form: Lowered, names: Sequence[str]) -> None:
        self.graph: Graph = form.graph
        if len(names) != len(self.graph.blocks[0].params):
            raise self._unfit("arguments that are data")
        self.session = SpecializerSession()
        self.memories: list[Memory] = [form.memories[name] for name in form.graph.memories]
        self.exits: list[R.Code] = []
        self.arguments = dict(zip(self.graph.blocks[0].params, parameters(names), strict=True))
        self.result = Buffer("result", T.f64 if self._tag() == REAL else WHOLE, 1)
        self.session.labels.update(
            dict.fromkeys([*form.memories, "result", self.session.fault.name, *self.arguments.values()], 1)
        )
        self.into = Counter(
            target
            for block in self.graph.blocks
            for stream in streams(block.body)
            for instruction in stream
            for target, _ in jumps(instruction)
        )
        self.variants: dict[int, R.Variant] = {}
        self._later: list[int] = []

    def residual(self) -> Residual:
        """Write all blocks, and what is left of them."""
        session = self.session
        with staging(session):
            reals = self.graph.blocks[0].reals
            known = {p: param(name, T.f64 if p in reals else WHOLE) for p, name in self.arguments.items()}
            entry = self.stream(self.graph.blocks[0].body, known)
            session.depth = 1
            while self._later:
                block = self._later.pop()
                variant = self.variants[block]
                names = dict(zip(self.graph.blocks[block].params, variant.names, strict=True))
                variant.code.extend(self.stream(self.graph.blocks[block].body, names))
            session.depth = 0
            endless = Fault("the program never ends", self.graph.name, "give values with which it does")
            code = structured(session, entry, list(self.variants.values()), self.exits, endless, closed=True)
            fault = Buffer(session.fault.name, T.u8, max(1, len(session.faults)))
            kernel = lower(code, self.graph.name, session.label, {session.fault: fault})
        used = {*kernel.outputs, *inputs(kernel)}
        found = {m.name: m for m in self.memories if m.buffer in used}
        tag = self._tag()

        def build(values: list[Any]) -> Any:
            return None if tag == NIL else bool(values[0]) if tag == BOOLEAN else values[0]

        faults = tuple(session.faults)
        return Residual(
            kernel, found, (self.result,), build, tuple(session.notes), faults, fault if fault in used else None
        )  # fmt: skip

    def _tag(self) -> int:
        """The tag of all results."""
        tag: int = self.graph.blocks[_HALT].body[-1][2]
        kind = self.graph.constants[~tag] if tag < 0 else -1
        if kind not in (INTEGER, BOOLEAN, NIL, REAL):
            raise self._unfit("results that are no numbers")
        return kind

    def _unfit(self, what: str) -> StagingError:
        return StagingError(f"{what} have no nest", place=self.graph.name, fix="compile the program by LLVM")

    # ---- values ----

    def value(self, known: dict[int, Expr], register: int) -> Expr:
        """A register as an expression: an integer, or a truth."""
        if register < 0:
            return number(self.graph.constants[~register])
        return known[register]

    def whole(self, known: dict[int, Expr], register: int) -> Expr:
        """A register as an integer."""
        found = self.value(known, register)
        return node("choose", found, number(1), number(0)) if found.type is T.boolean else found

    def passed(self, known: dict[int, Expr], target: int, registers: Sequence[int]) -> tuple[Expr, ...]:
        """What a block gets for registers: integers and reals."""
        block = self.block(target)
        return tuple(
            [
                self.real(known, r) if p in block.reals else self.whole(known, r)
                for p, r in zip(block.params, registers, strict=True)
            ]
        )

    def real(self, known: dict[int, Expr], register: int) -> Expr:
        """A register that holds the bits of a real number, as that number."""
        if register >= 0:
            return known[register]
        bits = self.graph.constants[~register]
        return const(struct.unpack("<d", struct.pack("<q", bits))[0], T.f64)

    def row(self, row: FlowRow, registers: Sequence[int], known: dict[int, Expr]) -> Expr:
        """A row of the operator table; what is narrower than a word is widened again."""
        operands: list[Expr] = []
        for type_, is_real, r in zip(row.types, row.reals, registers, strict=True):
            if type_ is T.boolean:
                operands.append(self.truth(known, r))
                continue
            value = self.real(known, r) if is_real else self.whole(known, r)
            if type_ is T.f32 and not is_real:
                value = node("convert", value, attr=T.f64)
            operands.append(node("convert", value, attr=type_))
        made = node(row.name, *operands, attr=row.attr)
        return (
            made
            if made.type is T.boolean
            else node("convert", made, attr=T.f64 if made.type.is_float else WHOLE)
        )

    def block(self, number: int) -> BasicBlock:
        """A block of the graph."""
        return self.graph.blocks[number]

    def memory(self, number: int) -> Memory:
        """A memory of the graph, noted as used."""
        self.session.use(self.memories[number])
        return self.memories[number]

    def truth(self, known: dict[int, Expr], register: int) -> Expr:
        """Whether a register is not 0."""
        found = self.value(known, register)
        return found if found.type is T.boolean else node("ne", found, number(0))

    # ---- streams ----

    def stream(self, stream: Stream, known: dict[int, Expr]) -> R.Code:
        """The residual code of a stream; blocks that are reached from one place are put there."""
        out: R.Code = []
        at = 0
        while True:
            instruction: Instruction = stream[at]
            at += 1
            match instruction:
                case ("if", test, inner):
                    self._arms(test, inner, stream[at:], known, out)
                    return out
                case ("go", target, args):
                    if target != _HALT and self.into[target] == 1:
                        block = self.block(target)
                        known.update(zip(block.params, self.passed(known, target, args), strict=True))
                        stream, at = block.body, 0
                    else:
                        out.append(self._jump(target, self.passed(known, target, args)))
                        return out
                case ("fail", failure):
                    out.extend(self.session.guard(const(value=True, type_=T.boolean), self._fault(failure)))
                    out.append(self._jump(_HALT, (number(0),)))
                    return out
                case ("require", test, failure):
                    refused = opposite(self.truth(known, test))
                    out.extend(self.session.guard(refused, self._fault(failure)))
                case ("store", memory, index, value, _):
                    place, word = self.whole(known, index), self.whole(known, value)
                    out.append(self.memory(memory).put(of(place), of(word)))
                case ("load", made, memory, index, _):
                    element = self.memory(memory).element(self.whole(known, index))
                    name = self.session.fresh("word", element.type)
                    out.append(R.Set(name, element))
                    known[made] = name
                case ("switch", _, _):
                    raise self._unfit("jumps through closures")
                case _:
                    known[instruction[1]] = self._operation(instruction, known)

    def _fault(self, failure: int) -> Fault:
        message, place, fix, _ = self.graph.failures[failure - 1]
        return Fault(message, place, fix)

    def _jump(self, target: int, values: tuple[Expr, ...]) -> R.Statement:
        """A jump to a block, which gets names when it is first met; or the end of the program."""
        if target == _HALT:
            value = values[0] if values else const(0, self.result.type)
            self.exits.append([R.Put(self.result, number(0), value)])
            return R.Leave(len(self.exits) - 1)
        if target not in self.variants:
            depth, self.session.depth = self.session.depth, 1
            block = self.block(target)
            fresh = tuple(
                [self.session.fresh("v", T.f64 if p in block.reals else WHOLE) for p in block.params]
            )
            self.session.depth = depth
            self.variants[target] = R.Variant(fresh)
            self._later.append(target)
        return R.Goto(list(self.variants).index(target), values)

    def _arms(self, test: int, inner: Stream, rest: Stream, known: dict[int, Expr], out: R.Code) -> None:
        """A branch; or both arms at once, where they are cheap and go to one block."""
        condition = self.truth(known, test)
        then, orelse = self.stream(inner, dict(known)), self.stream(rest, dict(known))
        if len(inner) + len(rest) <= _ARM_THRESHOLD and _is_plain(then) and _is_plain(orelse):
            one, other = then[-1], orelse[-1]
            if isinstance(one, R.Goto) and isinstance(other, R.Goto) and one.variant == other.variant:
                values = tuple(
                    [
                        a if a is b else node("choose", condition, a, b)
                        for a, b in zip(one.values, other.values, strict=True)
                    ]
                )
                out += [*then[:-1], *orelse[:-1], R.Goto(one.variant, values)]
                return
        out.append(R.ResidualBranch(condition, then, orelse))

    def _operation(self, instruction: Instruction, known: dict[int, Expr]) -> Expr:
        """The value of an instruction without an effect."""
        match instruction:
            case ("is0", _, a):
                return opposite(self.truth(known, a))
            case ("row", _, row, *operands):
                return self.row(row, operands, known)
            case ("eq" | "lt" as op, _, a, b):
                return node(op, self.whole(known, a), self.whole(known, b))
            case ("select", _, c, a, b):
                arms = [self.whole(known, r) for r in (a, b)]
                if any(e.type is T.f64 for e in arms):
                    arms = [self.real(known, r) for r in (a, b)]
                return node("choose", self.truth(known, c), *arms)
            case (op, _, a, b) if op in _BITS:
                both = [self.value(known, r) for r in (a, b)]
                if any(e.type is not T.boolean for e in both):
                    both = [self.whole(known, r) for r in (a, b)]
                return node(op, *both)
            case (op, _, a, b, _) if op in _OPERATORS:
                return node(_OPERATORS[op], self.whole(known, a), self.whole(known, b))
            case ("real_div" | "real_mod" | "whole", *_):
                raise self._unfit("remainders of real numbers, or their whole parts,")
            case _:
                raise self._unfit("pairs, or jumps through them,")


def _is_plain(code: R.Code) -> bool:
    return all(isinstance(s, R.Set) for s in code[:-1])
