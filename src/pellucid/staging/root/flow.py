"""What each variable of a root program may hold: kinds of values, and which pairs and codes they are.

A set of values is an integer of bits: some for kinds, one for each code that is a constant, one for each place that
makes pairs. So it is known which codes a jump may reach, and `lowering` asks at run time only what is not known here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from pellucid.base.errors import StagingError
from pellucid.ir.flow import BOOLEAN, CLOSURE, CODE, INTEGER, MEMORY, NIL, PAIR, REAL, TEXT, VECTOR
from pellucid.staging.memory import Memory
from pellucid.staging.root.machine import HALT
from pellucid.staging.root.narrowing import TELLING, Narrowing
from pellucid.staging.root.primitives import types_of
from pellucid.staging.root.program import Const, Jump, Pair, RootCode, RootIf, RootPrim, check
from pellucid.staging.root.sets import (
    BOOLEANS,
    DATA,
    GIVEN,
    INTEGERS,
    NILS,
    NUMBERS,
    REALS,
    SCALARS,
    TEXTS,
    Set,
    bits,
    kind_of,
)
from pellucid.staging.root.static_sets import READS, StaticSets
from pellucid.staging.root.tables import StaticData
from pellucid.staging.root.wordless import at_reader, wordless

_SHIFTS = frozenset(["<<", ">>"])
ARITHMETIC = frozenset(["+", "-", "*", "idiv", "imod", "min", "max"]) | _SHIFTS
BITS = frozenset(["&", "|", "^"])
_ON_INTEGERS_ALONE = _SHIFTS | BITS
"""The operators that fail on reals."""
_ACCESSES = {"load": 1, "store": 2}
"""Operands of accesses to memories, besides the memory."""
_TRUTHS = frozenset(["=", "early=", "zero?", "not", "null?", "pair?", "atom?"])


ON_INTEGERS = {"+": "add", "-": "sub", "*": "mul", "&": "and", "|": "or", "^": "xor", "=": "eq", "<": "lt"}
"""Instructions of primitives on integers that are known to be some; those of sums and products have a failure."""
_TWO_INTEGERS = [INTEGERS, INTEGERS]
_COMPARISONS = frozenset(["=", "<"])
_ARITY = {
    **dict.fromkeys([*ARITHMETIC, *BITS, "/", "<", "=", "early=", "cons", "close"], 2),
    **dict.fromkeys(["item", "item-at", "vref", "has", "rest"], 2),
    **dict.fromkeys(["unpacked", "has-length", "slice"], 3),
    **dict.fromkeys(
        [
            "zero?",
            "not",
            "null?",
            "pair?",
            "atom?",
            "car",
            "cdr",
            "frame",
            "identity",
            "vlen",
            "atom-of",
            "index-of",
            "integer-of",
        ],
        1,
    ),
}
_KINDS = ((INTEGER, INTEGERS), (BOOLEAN, BOOLEANS), (NIL, NILS), (REAL, REALS), (TEXT, TEXTS))


class Flow(StaticSets):
    r"""The values in a program, from an entry and the sets of its arguments, or memories; the continuation is HALT's.

    `lowering` tells it what each code makes while it writes that code, and takes the codes to write from `waiting`.
    Where a set that was asked for grows, `has_grown` tells so, and `settle` finds the sets before all is written anew.

    Parameters: `memories` are those that `load@name` and `store@name` mean.

    >>> from pellucid.staging.root.reading import read_sugar
    >>> code = read_sugar("inc(k n) {\n(car k)(k (+ n 1))\n}")["inc"]
    >>> flow = Flow(code, [INTEGERS])
    >>> flow.settle()
    >>> flow.result == INTEGERS
    True
    """

    def __init__(
        self, entry: RootCode, given: Sequence[Set | Memory], memories: Mapping[str, Memory] | None = None
    ) -> None:
        super().__init__(entry.name)
        self.entry = entry
        self.closures = 0
        self.named = dict(memories or {})
        self.halves: dict[Set, list[Set]] = {GIVEN: [DATA, DATA]}
        self.params: dict[RootCode, list[Set]] = {}
        self.result: Set = 0
        self._readers: dict[Set, set[RootCode]] = {GIVEN: set()}
        self.waiting: dict[RootCode, None] = {}
        """The codes whose parameters got values that did not go through them yet."""
        self.has_grown = False
        self.pairs = GIVEN
        self.stop = self.site(None, closure=True)
        self._join_halves(self.stop, self.code(HALT), NILS)
        self.given = [self.memory(one) if isinstance(one, Memory) else one for one in given]
        self.reach(entry, [self.stop, *self.given])

    def settle(self) -> None:
        """Let all values go through all codes that they reach."""
        while self.waiting:
            code = self.waiting.popitem()[0]
            try:
                self._walk(code)
            except KeyError:
                check(code)
                raise
        self.has_grown = False

    def site(self, thing: RootPrim | Pair | None, *, closure: bool) -> Set:
        """The set of the pairs that an instruction makes, or of a pair that is a constant."""
        bit = self._bits.get(id(thing))
        if bit is None:
            bit = self.new_set(id(thing), thing)
            self.halves[bit], self._readers[bit] = [0, 0], set()
            if closure:
                self.closures |= bit
            self.pairs |= bit
        return bit

    def tags(self, values: Set) -> list[int]:
        """The tags that values of a set have."""
        found = [t for t, kind in _KINDS if values & kind]
        if values & self.codes:
            found.append(CODE)
        if values & self.memories:
            found.append(MEMORY)
        if values & self.vectors:
            found.append(VECTOR)
        if values & self.pairs & ~self.closures:
            found.append(PAIR)
        if values & self.closures:
            found.append(CLOSURE)
        return found

    def half(self, values: Set, which: int, reader: RootCode | None = None) -> Set:
        """What a half of the pairs in a set may be."""
        found = 0
        for bit in bits(values & self.pairs):
            found |= self.halves[bit][which]
            if reader is not None:
                self._readers[bit].add(reader)
        return found

    def closures_of(self, code: Set, values: Set) -> Set:
        """Those of a set of pairs whose car may be a code: what that code gets where it is taken from one of them."""
        return sum(bit for bit in bits(values & self.pairs) if self.halves[bit][0] & code)

    def reach(self, code: RootCode, args: Sequence[Set]) -> None:
        """Let values reach the parameters of a code; other numbers of values reach nothing."""
        if len(args) != len(code.params):
            return
        if code is HALT:
            if self.result | args[1] != self.result:
                self.has_grown |= self.result != 0
                self.result |= args[1]
            return
        known = self.params.get(code)
        if known is None:
            self.params[code] = list(args)
            self.waiting[code] = None
            return
        if known == args:
            return
        for k, values in enumerate(args):
            if known[k] | values != known[k]:
                known[k] |= values
                self.waiting[code] = None
                self.has_grown = True

    def jumped(self, jump: Jump, targets: Sequence[RootCode], args: list[Set], tests: Narrowing) -> None:
        """Let the values that a jump hands on reach the codes that it may go to."""
        closure = tests.closure(jump.target)
        if closure not in jump.args:
            for target in targets:
                self.reach(target, args)
            return
        for target in targets:
            own = self.code(target)
            self.reach(
                target,
                [
                    held if name != closure else self.closures_of(own, held)
                    for name, held in zip(jump.args, args, strict=True)
                ],
            )

    def _join_halves(self, site: Set, car: Set, cdr: Set) -> None:
        known = self.halves[site]
        if known[0] | car != known[0] or known[1] | cdr != known[1]:
            known[0] |= car
            known[1] |= cdr
            if self._readers[site]:
                self.waiting.update(dict.fromkeys(self._readers[site]))
                self.has_grown = True

    def _walk(self, code: RootCode) -> None:
        """Let what the parameters of a code may be go through its body."""
        waiting = [(code.body, dict(zip(code.params, self.params[code], strict=True)), Narrowing())]
        while waiting:
            stream, names, tests = waiting.pop()
            for instruction in stream:
                if isinstance(instruction, RootPrim):
                    made, primitive, args, _ = instruction
                    values = self.made(instruction, [names[name] for name in args], code)
                    if not values:
                        break
                    if made in names:
                        tests.forget(made)
                    names[made] = values
                    if primitive in TELLING:
                        tests.bind(instruction)
                elif isinstance(instruction, Const):
                    made, value = instruction
                    if made in names:
                        tests.forget(made)
                    try:
                        names[made] = INTEGERS if type(value) is int else self.constant(value)
                    except StagingError as error:
                        raise at_reader(error, instruction, stream, code) from None
                elif isinstance(instruction, Jump):
                    args = [names[name] for name in instruction.args]
                    self.jumped(
                        instruction, self.things_of(names[instruction.target] & self.codes), args, tests
                    )
                elif isinstance(instruction, RootIf):
                    then, orelse = tests.split(self, instruction.test, names.__getitem__)
                    if then is not None:
                        waiting.append((instruction.stream, names | then, tests.copy()))
                    if orelse is None:
                        break
                    names.update(orelse)

    def constant(self, value: Any) -> Set:
        """The set of a constant.

        Raises StagingError for one that has no word.
        """
        if isinstance(value, Pair):
            # A list may be long: its pairs are known from the last to the first.
            chain = [value]
            while isinstance(chain[-1].cdr, Pair):
                chain.append(chain[-1].cdr)
            rest = self.constant(chain[-1].cdr)
            for pair in reversed(chain):
                site = self.site(pair, closure=pair.closure)
                if not self.halves[site][0]:
                    self._join_halves(site, self.constant(pair.car), rest)
                rest = site
            return rest
        if isinstance(value, RootCode):
            return self.code(value)
        if isinstance(value, Memory):
            return self.memory(value)
        if value is None or isinstance(value, int):
            return NILS if value is None else BOOLEANS if isinstance(value, bool) else INTEGERS
        if isinstance(value, float):
            return REALS
        if isinstance(value, str) and value:
            return TEXTS
        if isinstance(value, tuple | dict):
            return self.static_set(cast("StaticData", value))
        raise wordless(value, self.place)

    def accessed(self, prim: RootPrim, args: Sequence[Set]) -> tuple[Memory, Sequence[Set]] | None:
        """The memory that a primitive reads or writes, and its other operands; None if it does neither.

        Raises StagingError where that may be one of several.
        """
        access, _, label = prim.primitive.partition("@")
        if access not in _ACCESSES:
            return None
        if label:
            return (
                (self.named[label], args) if label in self.named and len(args) == _ACCESSES[access] else None
            )
        held = args[0] if len(args) == _ACCESSES[access] + 1 else 0
        if not held & self.memories:
            return None
        if held & (held - 1):
            raise StagingError(
                f"{access} may mean several memories",
                place=self.place,
                fix="let each place access one memory, or run the program by the machine",
            )
        return self.things_of(held)[0], args[1:]

    def made(self, prim: RootPrim, args: Sequence[Set], reader: RootCode | None = None) -> Set:
        """What a primitive may make of values; nothing if it surely fails."""
        name = prim.primitive
        if name in ON_INTEGERS and args == _TWO_INTEGERS:
            return BOOLEANS if name in _COMPARISONS else INTEGERS
        many = _ARITY.get(name)
        if many is None and name.startswith("field@"):
            return self.fields(args[0], name.partition("@")[2]) if len(args) == 1 else 0
        if many is None:
            found = self.accessed(prim, args)
            row = None if found is not None else types_of(name)
            if row is not None:
                fits = len(args) == len(row[1]) and all(
                    held & (NUMBERS | REALS if of.is_float else NUMBERS)
                    for held, of in zip(args, row[1], strict=True)
                )
                return kind_of(row[2]) if fits else 0
            if found is None or not all(held & NUMBERS for held in found[1]):
                return 0
            return INTEGERS if name.startswith("load") else NILS
        if many != len(args):
            return 0
        if name in _TRUTHS:
            return BOOLEANS
        if name in ("car", "cdr", "frame"):
            return self.half(args[0], name != "car", reader)
        if name in ("cons", "close"):
            site = self.site(prim, closure=name == "close")
            if reader is not None:
                self._join_halves(site, *args)
            return site
        if name == "identity":
            return args[0]
        if name == "atom-of":
            return args[0] & ~self.pairs
        if name == "index-of":
            return args[0] & NUMBERS
        if name == "integer-of":
            return INTEGERS if args[0] & SCALARS else 0
        if name in READS:
            return self.read(prim, args)
        one, other = args
        if name == "/" or ((one | other) & REALS and name not in _ON_INTEGERS_ALONE):
            if not one & SCALARS or not other & SCALARS:
                return 0
            return (
                BOOLEANS
                if name == "<"
                else REALS | (INTEGERS if one & other & NUMBERS and name != "/" else 0)
            )
        if not one & NUMBERS or not other & NUMBERS:
            return 0
        if name in ("min", "max"):
            return (one | other) & NUMBERS
        if name in ARITHMETIC:
            return INTEGERS
        if name in BITS:
            return one & other & BOOLEANS | (INTEGERS if (one | other) & INTEGERS else 0)
        return BOOLEANS
