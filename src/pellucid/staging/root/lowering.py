"""Root programs as flow graphs over words: a block for each code, and a test only where `flow` does not know.

A variable becomes a word and, where its kind is not known, a word for its tag. A word is 0 for nil and false, and for
nothing else but the number; so a truth is asked of any kind alike. `pruning` takes away what nothing uses.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from pellucid.base.errors import StagingError
from pellucid.ir import types as T
from pellucid.ir.flow import (
    BOOLEAN,
    CLOSURE,
    CODE,
    NIL,
    PAIR,
    Block,
    Failure,
    Graph,
    Instruction,
    Row,
    Stream,
)
from pellucid.staging.memory import Memory
from pellucid.staging.root.flow import (
    ARITHMETIC,
    BITS,
    BOOLEANS,
    INTEGERS,
    NILS,
    NUMBERS,
    REALS,
    TEXTS,
    Flow,
    Set,
    Tests,
    kind_of,
)
from pellucid.staging.root.machine import HALT
from pellucid.staging.root.primitives import primitive, types_of
from pellucid.staging.root.program import Code, Const, If, Jump, Pair, Prim
from pellucid.staging.root.pruning import pruned

_LIMIT = 1 << 63
_OPERATORS = {
    "+": "add", "-": "sub", "*": "mul", "idiv": "div", "imod": "mod", "<<": "shl", ">>": "shr", "&": "and", "|": "or",
    "^": "xor",
}  # fmt: skip
_ON_REALS = {"+": "add", "-": "sub", "*": "mul", "/": "div", "<": "lt", "=": "eq", "early=": "eq", "min": "", "max": ""}
_SCALARS = NUMBERS | REALS
_TAGGED, _NULLABLE = -1, -2


class Value(NamedTuple):
    """A value while lowering: what it may be, its word, and its tag's register where its set does not tell the tag."""

    set: Set
    word: int
    tag: int | None = None


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
    [('add', 5, 4, -1, 1), ('go', 1, (5,))]
    """
    lowering = _Lowering(Flow(entry, given, memories))
    graph = pruned(lowering.graph(name or entry.name))
    return Lowered(graph, list(lowering.number), lowering.memories)


def _narrowed(names: dict[str, Value], sets: dict[str, Set] | None) -> dict[str, Value] | None:
    """Variables with what they may be in an arm; None where that is never run."""
    if sets is None:
        return None
    return {name: value._replace(set=sets[name]) for name, value in names.items()}


class _Lowering:
    """One program; `out` is the stream that is being written."""

    def __init__(self, flow: Flow) -> None:
        self.flow = flow
        self.codes = [HALT, *flow.params]
        self.number = {code: k + 1 for k, code in enumerate(self.codes)}
        self.place = ""
        self.out: Stream = []
        self._constants: dict[int, int] = {}
        self._numbers: list[int] = []
        self._failures: dict[Failure, int] = {}
        self._shapes: dict[Set, int] = {}
        self._registers = 0
        self._texts: dict[str, int] = {}
        self.memories: dict[str, Memory] = {}

    def graph(self, name: str) -> Graph:
        """All blocks: the one that makes HALT's closure and enters, the one that ends, and one for each code."""
        blocks = [self._entered(name), self._halting()]
        for code, sets in self.flow.params.items():
            self.place = code.name
            params, roots, values = self._params(sets)
            body: Stream = []
            self._streams(code, dict(zip(code.params, values, strict=True)), body)
            reals = frozenset(v.word for v in values if v.set == REALS)
            blocks.append(Block(code.name, params, roots, body, reals))
        types = {name: memory.buffer.type for name, memory in self.memories.items()}
        return Graph(name, blocks, self._numbers, list(self._failures), types, list(self._texts))

    def _entered(self, name: str) -> Block:
        """The first block."""
        self.out = []
        entry = self.flow.entry
        params, roots, values = self._params(self.flow.given)
        halt = Value(self.flow.code(HALT), self.constant(self.number[HALT]))
        stop = self._pair(self.flow.stop, halt, Value(NILS, self.constant(0)))
        self.jump([entry], [stop, *values])
        reals = frozenset(v.word for v in values if v.set == REALS)
        return Block(name, params, roots, self.out, reals)

    def _halting(self) -> Block:
        params, roots, (result,) = self._params([self.flow.result])
        reals = frozenset(v.word for v in [result] if v.set == REALS)
        return Block(HALT.name, params, roots, [("give", result.word, self.tag(result))], reals)

    def _params(
        self, sets: Sequence[Set]
    ) -> tuple[tuple[int, ...], tuple[tuple[int, int | None], ...], list[Value]]:
        """Registers for parameters, those of them that may be pairs, and the values that they are."""
        params: list[int] = []
        roots: list[tuple[int, int | None]] = []
        values: list[Value] = []
        for held in sets:
            value = Value(held, self.register(), self.register() if self.shape(held) == _TAGGED else None)
            params += [r for r in value[1:] if r is not None]
            if held & self.flow.pairs:
                roots.append((value.word, value.tag))
            values.append(value)
        return tuple(params), tuple(roots), values

    # ---- registers ----

    def register(self) -> int:
        """A new register."""
        self._registers += 1
        return self._registers - 1

    def constant(self, number: int) -> int:
        """The register of a constant."""
        found = self._constants.get(number)
        if found is None:
            found = self._constants[number] = ~len(self._numbers)
            self._numbers.append(number)
        return found

    def number_of(self, register: int) -> int:
        """The number that a register below 0 stands for."""
        return self._numbers[~register]

    def emit(self, operator: str, *operands: int) -> int:
        """The result of a new instruction."""
        made = self.register()
        self.out.append((operator, made, *operands))
        return made

    def failure(self, message: str, fix: str = "check the values before", *, is_input: bool = False) -> int:
        """The number of an error in the code at hand."""
        key = Failure(message, self.place, fix, is_input)
        return self._failures.setdefault(key, len(self._failures) + 1)

    def require(self, condition: int, failure: int) -> None:
        """Fail unless a condition holds."""
        self.out.append(("require", condition, failure))

    # ---- tags ----

    def shape(self, held: Set) -> int:
        """The tag of all values of a set, or whether it is told by the word or by a register."""
        found = self._shapes.get(held)
        if found is None:
            tags = self.flow.tags(held)
            nullable = len(tags) == 2 and tags[0] == NIL and tags[1] in (PAIR, CLOSURE)
            found = tags[0] if len(tags) == 1 else _NULLABLE if nullable else _TAGGED if tags else 0
            self._shapes[held] = found
        return found

    def tag(self, value: Value) -> int:
        """The register of a value's tag."""
        shape = self.shape(value.set)
        if shape == _NULLABLE:
            other = CLOSURE if value.set & self.flow.closures else PAIR
            none = self.emit("is0", value.word)
            return self.emit("select", none, self.constant(NIL), self.constant(other))
        if shape == _TAGGED:
            assert value.tag is not None  # noqa: S101 - `_params` and `_half` give it one
            return value.tag
        return self.constant(shape)

    def numeric(self, value: Value, primitive: str, *, is_input: bool = False) -> None:
        """Fail unless a value is a number."""
        if value.set & ~NUMBERS:
            is_number = self.emit("lt", self.tag(value), self.constant(BOOLEAN + 1))
            self.require(is_number, self.failure(f"{primitive}: no number", is_input=is_input))

    # ---- streams ----

    def _streams(self, code: Code, names: dict[str, Value], body: Stream) -> None:
        """Write the body of a code."""
        waiting = [(code.body, names, Tests(), body)]
        while waiting:
            stream, names, tests, self.out = waiting.pop()
            for instruction in stream:
                if isinstance(instruction, Prim):
                    value = self._prim(instruction, [names[name] for name in instruction.args])
                    if value is None:
                        break
                    names[instruction.name] = value
                    tests.bind(instruction)
                elif isinstance(instruction, Const):
                    value = self._const(instruction.value)
                    if value is None:
                        break
                    names[instruction.name] = value
                    tests.forget(instruction.name)
                elif isinstance(instruction, If):
                    sets = {name: value.set for name, value in names.items()}
                    then, orelse = (
                        _narrowed(names, arm) for arm in tests.split(self.flow, instruction.test, sets)
                    )
                    inner = self.out
                    if then is not None and orelse is not None:
                        inner = list[Instruction]()
                        self.out.append(("if", self._truth(names[instruction.test]), inner))
                    if then is not None:
                        waiting.append((instruction.stream, then, tests.copy(), inner))
                    if orelse is None:
                        break
                    names = orelse
                elif isinstance(instruction, Jump):
                    self._jump(names[instruction.target], [names[name] for name in instruction.args])

    def _const(self, value: Any) -> Value | None:
        """A constant, or None where it is too large."""
        if isinstance(value, Pair):
            car, cdr = self._const(value.car), self._const(value.cdr)
            return car and cdr and self._pair(self.flow.constant(value), car, cdr)
        if isinstance(value, str):
            return Value(TEXTS, self.constant(self._texts.setdefault(value, len(self._texts)) + 1))
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
        if isinstance(value, int) and -_LIMIT <= value < _LIMIT:
            return Value(INTEGERS, self.constant(value))
        self.out.append(("fail", self.failure(*_TOO_LARGE)))
        return None

    def _jump(self, target: Value, args: list[Value]) -> None:
        """Write the jump that ends a stream."""
        if target.set & ~self.flow.codes:
            failure = self.failure(
                "a jump to what is no code", "jump to a code, such as the car of a closure"
            )
            if not target.set & self.flow.codes:
                self.out.append(("fail", failure))
                return
            self.require(self.emit("eq", self.tag(target), self.constant(CODE)), failure)
        self.jump(self.flow.codes_of(target.set), args, target)

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
            if self.shape(held) == _TAGGED:
                passed.append(self.tag(value))
        return tuple(passed)

    # ---- primitives ----

    def _prim(self, prim: Prim, args: list[Value]) -> Value | None:
        """What a primitive makes, or None where it surely fails."""
        held = self.flow.made(prim, [value.set for value in args])
        if not held:
            self.out.append(("fail", self._refusal(prim, [value.set for value in args])))
            return None
        name = prim.primitive
        found = None if name in KNOWN else self.flow.accessed(prim, [value.set for value in args])
        if found is not None:
            return self._access(name, held, found[0], args[-len(found[1]) :])
        row = None if name in KNOWN else types_of(name)
        if row is not None:
            return self._row(Row(row[0].name, row[1], row[2], row[3], ()), args)
        if name in _ON_REALS and any(value.set & REALS for value in args) or name == "/":
            return self._on_reals(name, held, args)
        if name in ARITHMETIC or name in BITS or name == "<":
            for value in args:
                self.numeric(value, name)
        if name in ("min", "max"):
            one, other = (v.word for v in args)
            smaller = self.emit("lt", *((one, other) if name == "max" else (other, one)))
            return Value(held, self.emit("select", smaller, other, one))
        if name in _OPERATORS:
            return self._operation(name, held, args)
        return self.OTHERS[name](self, held, args)

    def _refusal(self, prim: Prim, args: Sequence[Set]) -> int:
        """The failure of a primitive that cannot succeed."""
        try:
            row = primitive(prim.primitive, self.flow.named)
        except StagingError as error:
            return self.failure(f"{prim.primitive}: {error.message}", error.fix or "")
        if prim.primitive not in KNOWN and types_of(prim.primitive) is None and prim.primitive.partition("@")[0] not in ("load", "store"):
            raise StagingError(
                f"{prim.primitive} has no machine code",
                place=self.place,
                fix="run the program by the machine",
            )
        if row.arity != len(args):
            message = f"{prim.primitive} takes {row.arity} values, not {len(args)}"
            return self.failure(message, "match them")
        if prim.primitive in ("car", "cdr"):
            return self.failure(f"{prim.primitive}: no pair")
        # What is stored is looked at first, and refused as an input.
        is_input = prim.primitive.startswith("store") and not args[-1] & NUMBERS
        return self.failure(f"{prim.primitive}: no value for these kinds", is_input=is_input)

    def _access(self, name: str, held: Set, memory: Memory, args: list[Value]) -> Value:
        """A word of a memory, or nil after one is stored."""
        for value in args[:0:-1]:
            self.numeric(value, name, is_input=True)
        self.numeric(args[0], name)
        index = list(self.memories).index(memory.name) if memory.name in self.memories else len(self.memories)
        self.memories[memory.name] = memory
        outside = f"an address is not in the memory {memory.name}"
        failure = self.failure(outside, "end before it, or give a longer array", is_input=True)
        whole = memory.word == memory.buffer.type.bits
        words = [value.word for value in args]
        if len(words) == 1:
            made = self.emit("load", index, words[0], failure)
            return Value(held, made if whole else self.emit("and", made, self.constant(memory.mask)))
        if not whole:
            words[1] = self.emit("and", words[1], self.constant(memory.mask))
        self.out.append(("store", index, *words, failure))
        return Value(held, self.constant(0))

    def _operation(self, name: str, held: Set, args: list[Value]) -> Value:
        """An operator on two numbers."""
        words = [value.word for value in args]
        operator = _OPERATORS[name]
        if name in BITS:
            tag = self.emit("and", *map(self.tag, args)) if self.shape(held) == _TAGGED else None
            return Value(held, self.emit(operator, *words), tag)
        if name in ("idiv", "imod"):
            zero = self.failure(f"{name}: division by zero")
            self.require(self.emit("is0", self.emit("is0", words[1])), zero)
        if name in ("<<", ">>"):
            words[1] = self._amount(name, words[1])
        return Value(held, self.emit(operator, *words, self.failure(*_TOO_LARGE)))

    # ---- real numbers ----

    def _mixed(self, name: str) -> StagingError:
        return StagingError(
            f"{name} on numbers of several kinds has no machine code",
            place=self.place,
            fix="use integers or reals only, or run the program by the machine",
        )

    def _row(self, row: Row, args: list[Value]) -> Value:
        """A row of the operator table."""
        for value, type_ in zip(args, row.types, strict=True):
            if value.set & REALS and (value.set != REALS or not type_.is_float):
                raise self._mixed(row.name)
            self.numeric(value, row.name)
        made = self.register()
        reals = tuple([value.set == REALS for value in args])
        self.out.append(("row", made, row._replace(reals=reals), *(value.word for value in args)))
        return Value(kind_of(row.result), made)

    def _on_reals(self, name: str, held: Set, args: list[Value]) -> Value:
        """A primitive on numbers of which one is real."""
        integers = [v for v in args if v.set & NUMBERS and not (v.word < 0 and abs(self.number_of(v.word)) < 1 << 53)]
        exact = name in ("<", "=", "early=", "min", "max") or (name == "/" and not any(v.set & REALS for v in args))
        if (integers and exact) or name not in _ON_REALS or (name in ("min", "max") and held != REALS):
            raise self._mixed(name)
        if any(v.set & REALS and v.set != REALS for v in args):
            raise self._mixed(name)
        if name in ("min", "max"):
            one, other = args
            order = [one, other] if name == "max" else [other, one]
            smaller = self._row(Row("lt", (T.f64, T.f64), T.boolean, None, ()), order)
            return Value(held, self.emit("select", smaller.word, other.word, one.word))
        operator = _ON_REALS[name]
        if name == "/":
            zero = self._real_zero(args[1])
            self.require(self.emit("is0", zero), self.failure("/: division by zero"))
        return self._row(Row(operator, (T.f64, T.f64), T.boolean if operator in ("lt", "eq") else T.f64, None, ()), args)

    def _real_zero(self, value: Value) -> int:
        """Whether a real is zero."""
        zero = Value(REALS, self.constant(0))
        return self._row(Row("eq", (T.f64, T.f64), T.boolean, None, ()), [value, zero]).word

    def _truth(self, value: Value) -> int:
        """A word that is 0 where a value is false."""
        if not value.set & REALS:
            return value.word
        if value.set != REALS:
            raise self._mixed("a test")
        return self.emit("is0", self._real_zero(value))

    # ---- other primitives ----

    def _amount(self, name: str, word: int) -> int:
        """An amount to shift by, from 0 to 63; more is as 63 to the right, and makes too large a number to the left."""
        most = self.constant(63)
        negative = self.failure(f"{name}: a shift by less than 0")
        if word < 0:
            amount = self.number_of(word)
            if amount < 0 or (amount > 63 and name == "<<"):
                self.require(self.constant(0), negative if amount < 0 else self.failure(*_TOO_LARGE))
            return self.constant(max(0, min(amount, 63)))
        self.require(self.emit("lt", self.constant(-1), word), negative)
        small = self.emit("lt", word, self.constant(64))
        if name == "<<":
            self.require(small, self.failure(*_TOO_LARGE))
            return word
        return self.emit("select", small, word, most)

    def _less(self, held: Set, args: list[Value]) -> Value:
        return Value(held, self.emit("lt", args[0].word, args[1].word))

    def _equal(self, held: Set, args: list[Value]) -> Value:
        one, other = args
        if (one.set | other.set) & REALS and one.set & _SCALARS and other.set & _SCALARS:
            return self._on_reals("=", held, args)
        classes = [{t >> 1 for t in self.flow.tags(value.set)} for value in args]
        if not classes[0] & classes[1]:
            return Value(held, self.constant(0))
        if PAIR >> 1 in classes[0] & classes[1]:
            atoms = [self._is_atom(held, [value]).word for value in args]
            self.require(
                self.emit("or", *atoms), self.failure("=: two pairs are compared", "compare their parts")
            )
        same = self.emit("eq", one.word, other.word)
        if len(classes[0] | classes[1]) > 1:
            by = self.constant(1)
            alike = self.emit("eq", *(self.emit("shr", self.tag(value), by, 0) for value in args))
            same = self.emit("and", same, alike)
        return Value(held, same)

    def _is_zero(self, held: Set, args: list[Value]) -> Value:
        (one,) = args
        if one.set & REALS:
            if one.set != REALS:
                raise self._mixed("zero?")
            return Value(held, self._real_zero(one))
        if not one.set & NUMBERS:
            return Value(held, self.constant(0))
        none = self.emit("is0", one.word)
        if one.set & ~NUMBERS:
            none = self.emit("and", none, self.emit("lt", self.tag(one), self.constant(BOOLEAN + 1)))
        return Value(held, none)

    def _not(self, held: Set, args: list[Value]) -> Value:
        return Value(held, self.emit("is0", self._truth(args[0])))

    def _is_nil(self, held: Set, args: list[Value]) -> Value:
        (one,) = args
        if not one.set & NILS or one.set == NILS:
            return Value(held, self.constant(int(one.set == NILS)))
        if one.set & _SCALARS:
            return Value(held, self.emit("eq", self.tag(one), self.constant(NIL)))
        return Value(held, self.emit("is0", one.word))

    def _is_pair(self, held: Set, args: list[Value]) -> Value:
        (one,) = args
        others = one.set & ~self.flow.pairs
        if not one.set & self.flow.pairs or not others:
            return Value(held, self.constant(int(not others)))
        if others == NILS:
            return Value(held, self.emit("is0", self.emit("is0", one.word)))
        return Value(held, self.emit("lt", self.constant(PAIR - 1), self.tag(one)))

    def _is_atom(self, held: Set, args: list[Value]) -> Value:
        return Value(held, self.emit("is0", self._is_pair(held, args).word))

    def _identity(self, held: Set, args: list[Value]) -> Value:
        return args[0]

    def _made_pair(self, held: Set, args: list[Value]) -> Value:
        return self._pair(held, *args)

    def _pair(self, held: Set, car: Value, cdr: Value) -> Value:
        first, second = self.tag(car), self.tag(cdr)
        if second < 0:
            second = self.constant(self.number_of(second) << 8)
        else:
            second = self.emit("shl", second, self.constant(8), 0)
        if first < 0 and second < 0:
            tags = self.constant(self.number_of(first) | self.number_of(second))
        else:
            tags = self.emit("or", first, second)
        return Value(held, self.emit("pair", car.word, cdr.word, tags))

    def _car(self, held: Set, args: list[Value]) -> Value:
        return self._half("car", held, args[0])

    def _cdr(self, held: Set, args: list[Value]) -> Value:
        return self._half("cdr", held, args[0])

    def _half(self, which: str, held: Set, pair: Value) -> Value:
        """A half of a pair; what can be one thing only is not read."""
        if pair.set & ~self.flow.pairs:
            is_pair = self._is_pair(BOOLEANS, [pair])
            self.require(is_pair.word, self.failure(f"{which}: no pair"))
        if held == NILS:
            return Value(held, self.constant(0))
        codes = self.flow.codes_of(held) if held & ~self.flow.codes == 0 else []
        if len(codes) == 1:
            return Value(held, self.constant(self.number[codes[0]]))
        tag = None
        if self.shape(held) == _TAGGED:
            tags = self.emit("tags", pair.word)
            by = self.constant(8)
            tag = (
                self.emit("shr", tags, by, 0)
                if which == "cdr"
                else self.emit("and", tags, self.constant(255))
            )
        return Value(held, self.emit(which, pair.word), tag)

    OTHERS: ClassVar[dict[str, Callable[[_Lowering, Set, list[Value]], Value]]] = {
        "<": _less, "=": _equal, "early=": _equal, "zero?": _is_zero, "not": _not, "null?": _is_nil, "pair?": _is_pair,
        "atom?": _is_atom, "identity": _identity, "cons": _made_pair, "close": _made_pair, "car": _car, "cdr": _cdr,
    }  # fmt: skip


KNOWN = frozenset(["/", *ARITHMETIC, *BITS, *_Lowering.OTHERS])
"""The primitives that have machine code, besides accesses to memories."""
_TOO_LARGE = ("an integer of more than 64 bits", "compute with smaller numbers, or by the machine")
