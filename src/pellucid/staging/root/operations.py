"""Primitives of root as instructions on words; what `flow` does not know of operands is asked at run time.

Above `words`, below `lowering`. Integers, pairs and memories have instructions; real numbers and operators of a stated
type are rows of the operator table.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import ClassVar, NoReturn

from pellucid.base.errors import StagingError
from pellucid.ir import types as T
from pellucid.ir.flow import BOOLEAN, NIL, PAIR, FlowRow
from pellucid.staging.root.flow import ARITHMETIC, BITS
from pellucid.staging.root.primitives import primitive, types_of
from pellucid.staging.root.program import RootPrim
from pellucid.staging.root.records import MadePair, ReadHalf
from pellucid.staging.root.sets import BOOLEANS, INTEGERS, NILS, NUMBERS, REALS, TEXTS, Set, kind_of
from pellucid.staging.root.table_reads import (
    counted_item,
    field,
    has,
    has_length,
    is_some,
    item,
    length,
    part,
    rest,
    unpacked,
)
from pellucid.staging.root.words import TAGGED, MemoryAccess, Words, WordValue, named

_OPERATORS = {
    "+": "add", "-": "sub", "*": "mul", "idiv": "div", "imod": "mod", "<<": "shl", ">>": "shr", "&": "and", "|": "or",
    "^": "xor",
}  # fmt: skip
_ON_REALS = {
    "+": "add",
    "-": "sub",
    "*": "mul",
    "/": "div",
    "<": "lt",
    "=": "eq",
    "early=": "eq",
    "min": "",
    "max": "",
}
_DIVISIONS = {"idiv": "real_div", "imod": "real_mod"}
"""Instructions on the bits of reals."""
_FOR_REALS = frozenset([*_ON_REALS, *_DIVISIONS])
"""The primitives that take reals."""
_TWO_REALS = (T.f64, T.f64)
_BELOW_WORDS, _ABOVE_WORDS = math.nextafter(-(2.0**63), -math.inf), 2.0**63
"""The real numbers next to those of which the whole part fits into a word."""
_SCALARS = NUMBERS | REALS
_GROWING = frozenset(["add", "sub", "mul"])
_COMPARING = frozenset(["eq", "lt"])


class Operations(Words):
    """Writes primitives."""

    def on_integers(self, op: str, one: WordValue, other: WordValue) -> WordValue | None:
        """An operator on two values, if both are integers."""
        if one[0] != INTEGERS or other[0] != INTEGERS:
            return None
        made = self.register()
        if op in _GROWING:
            failure = self._too_large.get(self.place) or self.too_large()
            self.out.append((op, made, one[1], other[1], failure))
        else:
            self.out.append((op, made, one[1], other[1]))
            if op in _COMPARING:
                return named(WordValue, (BOOLEANS, made, None))
        return named(WordValue, (INTEGERS, made, None))

    def prim(self, prim: RootPrim, sets: list[Set], args: list[WordValue]) -> WordValue | None:
        """What a primitive makes of values that are in sets, or None where it surely fails."""
        name = prim.primitive
        if name not in KNOWN:
            value = self._access(prim, sets, args)
            if value is not None:
                return value
        held = self.flow.made(prim, sets, self.code)
        if name.startswith("field@") and held:
            return field(self, held, args[0], name.partition("@")[2])
        if prim.primitive == "error" and sets == [TEXTS] and args[0].word < 0:
            # As the machine says it; a text that is made at run time has no machine code.
            text = list(self.texts)[self.number_of(args[0].word) - 1]
            self.out.append(("fail", self.failure(text, "change the program that is interpreted")))
            return None
        if not held:
            self.out.append(("fail", self._refusal(prim, sets)))
            return None
        row = None if name in KNOWN else types_of(name)
        if row is not None:
            return self._row(named(FlowRow, (row[0].name, *row[1:], ())), args)
        if (name in _FOR_REALS and any(value.set & REALS for value in args)) or name == "/":
            return self._on_reals(name, held, args)
        if name in ARITHMETIC or name in BITS or name == "<":
            for value in args:
                self.numeric(value, name)
        if name in ("min", "max"):
            one, other = args
            words = (one.word, other.word) if name == "max" else (other.word, one.word)
            is_other = self.emit("lt", *words)
            tag = None
            if self.shape(held) == TAGGED:
                # As in Python, the result is one of the two: a truth value stays one.
                tag = self.emit("select", is_other, self.tag(other), self.tag(one))
            return WordValue(held, self.emit("select", is_other, other.word, one.word), tag)
        if name in _OPERATORS:
            return self._operation(name, held, args)
        return self.OTHERS[name](self, held, args)

    def _refusal(self, prim: RootPrim, args: Sequence[Set]) -> int:
        """The failure of a primitive that cannot succeed."""
        try:
            row = primitive(prim.primitive, self.flow.named)
        except StagingError as error:
            return self.failure(f"{prim.primitive}: {error.message}", error.fix or "")
        if (
            prim.primitive not in KNOWN
            and types_of(prim.primitive) is None
            and prim.primitive.partition("@")[0] not in ("load", "store")
        ):
            raise StagingError(
                f"{prim.primitive} has no machine code",
                place=self.place,
                fix="run the program by the machine",
            )
        if row.arity != len(args):
            message = f"{prim.primitive} takes {row.arity} values, not {len(args)}"
            return self.failure(message, "match them")
        if prim.primitive in ("car", "cdr", "frame"):
            return self.failure(f"{prim.primitive}: no pair")
        if prim.primitive == "*" and TEXTS in args and any(held & NUMBERS for held in args):
            return self.failure(
                "*: a text is repeated by a number of the run", "repeat it where the number is static"
            )
        return self.failure(f"{prim.primitive}: no value for these kinds")

    def _access(self, prim: RootPrim, sets: list[Set], args: list[WordValue]) -> WordValue | None:
        """A word of a memory, or nil after one is stored; None for another primitive."""
        found = self.flow.accessed(prim, sets)
        if found is None or not all(held & NUMBERS for held in found[1]):
            return None
        memory, given = found
        first = len(args) - len(given)
        for value in args[:first:-1]:
            self.numeric(value, prim.primitive)
        self.numeric(args[first], prim.primitive)
        if self.memories.setdefault(memory.name, memory) is not memory:
            raise StagingError("two memories have this name", place=memory.name, fix="rename one")
        mask = 0 if memory.word == memory.buffer.type.bits else self.constant(memory.mask)
        outside = f"an address is not in the memory {memory.name}"
        access = MemoryAccess(first, list(self.memories).index(memory.name), mask, outside, {})
        if not any(held & ~NUMBERS for held in given):
            self._accesses[prim.primitive, *sets] = access
        return self.accessed(access, args)

    def accessed(self, access: MemoryAccess, args: list[WordValue]) -> WordValue:
        """A word of a memory, or nil after one is stored, where an address and what is stored are numbers."""
        first, number, mask, outside, failures = access
        failure = failures.get(self.place)
        if failure is None:
            failure = self.failure(outside, "end before it, or give a longer array", is_input=True)
            failures[self.place] = failure
        address = args[first][1]
        if first == len(args) - 1:
            made = self.register()
            self.out.append(("load", made, number, address, failure))
            return named(WordValue, (INTEGERS, self.emit("and", made, mask) if mask else made, None))
        stored = args[-1][1]
        self.out.append(
            ("store", number, address, self.emit("and", stored, mask) if mask else stored, failure)
        )
        return named(WordValue, (NILS, self.constant(0), None))

    def _operation(self, name: str, held: Set, args: list[WordValue]) -> WordValue:
        """An operator on two numbers."""
        words = [value.word for value in args]
        operator = _OPERATORS[name]
        if name in BITS:
            tag = self.emit("and", *map(self.tag, args)) if self.shape(held) == TAGGED else None
            return WordValue(held, self.emit(operator, *words), tag)
        if name in ("idiv", "imod"):
            zero = self.failure(f"{name}: division by zero")
            self.require(self.emit("is0", self.emit("is0", words[1])), zero)
        if name in ("<<", ">>"):
            words[1] = self._amount(name, words[1])
        return WordValue(held, self.emit(operator, *words, self.too_large()))

    # ---- real numbers ----

    def _mixed(self, name: str) -> StagingError:
        return StagingError(
            f"{name} on numbers of several kinds has no machine code",
            place=self.place,
            fix="use integers or reals only, or run the program by the machine",
        )

    def _row(self, row: FlowRow, args: list[WordValue]) -> WordValue:
        """A row of the operator table."""
        name, types, result, attr, _ = row
        for value, type_ in zip(args, types, strict=True):
            if value.set & REALS and (value.set != REALS or not type_.is_float):
                raise self._mixed(name)
            if value.set != REALS:
                self.numeric(value, name)
        made = self.register()
        reals = tuple([value.set == REALS for value in args])
        self.out.append(
            ("row", made, named(FlowRow, (name, types, result, attr, reals)), *(value.word for value in args))
        )
        return WordValue(kind_of(result), made)

    def _on_reals(self, name: str, held: Set, args: list[WordValue]) -> WordValue:
        """A primitive on numbers of which one is real."""
        integers = [
            v for v in args if v.set & NUMBERS and not (v.word < 0 and abs(self.number_of(v.word)) < 1 << 53)
        ]
        exact = name in ("<", "=", "early=", "min", "max") or (
            name == "/" and not any(v.set & REALS for v in args)
        )
        if (integers and exact) or (name in ("min", "max") and held != REALS):
            raise self._mixed(name)
        if any(v.set & REALS and v.set != REALS for v in args):
            raise self._mixed(name)
        if name in _DIVISIONS:
            zero = self._real_zero(args[1]) if args[1].set == REALS else self.emit("is0", args[1].word)
            self.require(self.emit("is0", zero), self.failure(f"{name}: division by zero"))
            return WordValue(held, self.emit(_DIVISIONS[name], *map(self._real, args)))
        if name in ("min", "max"):
            one, other = args
            order = [one, other] if name == "max" else [other, one]
            smaller = self._row(FlowRow("lt", _TWO_REALS, T.boolean, None, ()), order)
            return WordValue(held, self.emit("select", smaller.word, other.word, one.word))
        operator = _ON_REALS[name]
        if name == "/":
            zero = self._real_zero(args[1])
            self.require(self.emit("is0", zero), self.failure("/: division by zero"))
        return self._row(
            FlowRow(operator, _TWO_REALS, T.boolean if operator in ("lt", "eq") else T.f64, None, ()),
            args,
        )

    def _real(self, value: WordValue) -> int:
        """The bits of a number as a real."""
        if value.set == REALS:
            return value.word
        self.numeric(value, "a real number")
        return self._row(FlowRow("convert", (T.i64,), T.f64, T.f64, ()), [value]).word

    def _integer_of(self, held: Set, args: list[WordValue]) -> WordValue:
        """A number without its fraction."""
        (one,) = args
        if one.set & NUMBERS == one.set:
            return WordValue(held, one.word)
        if one.set != REALS:
            raise self._mixed("integer-of")
        least, most = self.real(_BELOW_WORDS), self.real(_ABOVE_WORDS)
        low, high = self.real(-math.inf), self.real(math.inf)
        no_number = self.failure("integer-of: cannot convert float NaN to integer")
        infinite = self.failure("integer-of: cannot convert float infinity to integer")
        for name, less, more, failure in (
            ("eq", one, one, no_number),
            ("lt", low, one, infinite),
            ("lt", one, high, infinite),
            ("lt", least, one, self.too_large()),
            ("lt", one, most, self.too_large()),
        ):
            self.require(
                self._row(FlowRow(name, _TWO_REALS, T.boolean, None, ()), [less, more]).word, failure
            )
        return WordValue(held, self.emit("whole", one.word))

    def _real_zero(self, value: WordValue) -> int:
        """Whether a real is zero."""
        zero = self.real(0.0)
        return self._row(FlowRow("eq", _TWO_REALS, T.boolean, None, ()), [value, zero]).word

    def truth(self, value: WordValue) -> int:
        """A word that is 0 where a value is false."""
        if value.set & self.flow.vectors:
            if value.set & REALS:
                raise self._mixed("a test")
            return is_some(self, value)
        if not value.set & REALS:
            return value.word
        if value.set != REALS:
            raise self._mixed("a test")
        return self.emit("is0", self._real_zero(value))

    # ---- other primitives ----

    def _amount(self, name: str, word: int) -> int:
        """An amount to shift by, from 0 to 63; more is as 63 to the right, and makes too large a number to the left."""
        if word < 0 and 0 <= self.number_of(word) <= 63:
            return word
        most = self.constant(63)
        negative = self.failure(f"{name}: a shift by less than 0")
        if word < 0:
            amount = self.number_of(word)
            if amount < 0 or name == "<<":
                self.require(self.constant(0), negative if amount < 0 else self.too_large())
            return self.constant(0) if amount < 0 else most
        self.require(self.emit("lt", self.constant(-1), word), negative)
        small = self.emit("lt", word, self.constant(64))
        if name == "<<":
            self.require(small, self.too_large())
            return word
        return self.emit("select", small, word, most)

    def _less(self, held: Set, args: list[WordValue]) -> WordValue:
        return WordValue(held, self.emit("lt", args[0].word, args[1].word))

    def _equal(self, held: Set, args: list[WordValue]) -> WordValue:
        one, other = args
        if (one.set | other.set) & REALS and one.set & _SCALARS and other.set & _SCALARS:
            return self._on_reals("=", held, args)
        classes = [{t >> 1 for t in self.flow.tags(value.set)} for value in args]
        if not classes[0] & classes[1]:
            return WordValue(held, self.constant(0))
        if one.set & self.flow.vectors and other.set & self.flow.vectors:
            raise StagingError(
                "a comparison of two static sequences has no machine code",
                place=self.place,
                fix="compare their items, or run the program by the machine",
            )
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
        return WordValue(held, same)

    def _is_zero(self, held: Set, args: list[WordValue]) -> WordValue:
        (one,) = args
        if one.set & REALS:
            if one.set != REALS:
                raise self._mixed("zero?")
            return WordValue(held, self._real_zero(one))
        if not one.set & NUMBERS:
            return WordValue(held, self.constant(0))
        none = self.emit("is0", one.word)
        if one.set & ~NUMBERS:
            none = self.emit("and", none, self.emit("lt", self.tag(one), self.constant(BOOLEAN + 1)))
        return WordValue(held, none)

    def _not(self, held: Set, args: list[WordValue]) -> WordValue:
        return WordValue(held, self.emit("is0", self.truth(args[0])))

    def _is_nil(self, held: Set, args: list[WordValue]) -> WordValue:
        (one,) = args
        if not one.set & NILS or one.set == NILS:
            return WordValue(held, self.constant(int(one.set == NILS)))
        if one.set & _SCALARS:
            return WordValue(held, self.emit("eq", self.tag(one), self.constant(NIL)))
        return WordValue(held, self.emit("is0", one.word))

    def _is_pair(self, held: Set, args: list[WordValue]) -> WordValue:
        (one,) = args
        others = one.set & ~self.flow.pairs
        if not one.set & self.flow.pairs or not others:
            return WordValue(held, self.constant(int(not others)))
        if others == NILS:
            return WordValue(held, self.emit("is0", self.emit("is0", one.word)))
        return WordValue(held, self.emit("lt", self.constant(PAIR - 1), self.tag(one)))

    def _is_atom(self, held: Set, args: list[WordValue]) -> WordValue:
        return WordValue(held, self.emit("is0", self._is_pair(held, args).word))

    def _atom_of(self, held: Set, args: list[WordValue]) -> WordValue:
        (one,) = args
        if one.set & self.flow.pairs:
            is_atom = self._is_atom(held, args).word
            self.require(is_atom, self.failure("atom-of: a pair where an atom is expected"))
        return WordValue(held, one.word, one.tag)

    def _index_of(self, held: Set, args: list[WordValue]) -> WordValue:
        (one,) = args
        self.numeric(one, "index-of")
        return WordValue(held, one.word, one.tag)

    def _identity(self, held: Set, args: list[WordValue]) -> WordValue:
        return args[0]

    def _made_pair(self, held: Set, args: list[WordValue]) -> WordValue:
        return self.pair(held, *args)

    def pair(self, held: Set, car: WordValue, cdr: WordValue) -> WordValue:
        """A new pair, with a word for both tags."""
        first, second = self.tag(car), self.tag(cdr)
        if second < 0:
            second = self.constant(self.number_of(second) << 8)
        else:
            second = self.emit("shl", second, self.constant(8), 0)
        if first < 0 and second < 0:
            tags = self.constant(self.number_of(first) | self.number_of(second))
        else:
            tags = self.emit("or", first, second)
        made = self.emit("pair", car.word, cdr.word, tags)
        self.pairs_made[made] = MadePair(held, first, cdr.set == NILS)
        return WordValue(held, made)

    def _car(self, held: Set, args: list[WordValue]) -> WordValue:
        return self._half("car", held, args[0])

    def _cdr(self, held: Set, args: list[WordValue]) -> WordValue:
        if self._owned(args[0].set):
            self._refuse_owned("cdr may take the values of a closure that was lifted")
        return self._half("cdr", held, args[0])

    def _frame(self, held: Set, args: list[WordValue]) -> WordValue:
        pairs = args[0].set & self.flow.pairs
        if self._owned(pairs) != pairs:
            self._refuse_owned("frame may be given what is no lifted closure")
        return self._half("cdr", held, args[0])

    def _owned(self, values: Set) -> Set:
        """Those of a set of pairs that may be closures of a code that owns its frame."""
        owners = self.flow.owners
        return self.flow.closures_of(owners, values & self.flow.closures) if owners else 0

    def _refuse_owned(self, message: str) -> NoReturn:
        """Refuse what only the machine can tell, since words do not say whose frame a closure has."""
        raise StagingError(message, place=self.place, fix="run the program by the machine")

    def _half(self, which: str, held: Set, pair: WordValue) -> WordValue:
        """A half of a pair; what can be one thing only is not read."""
        if pair.set & ~self.flow.pairs:
            is_pair = self._is_pair(BOOLEANS, [pair])
            self.require(is_pair.word, self.failure(f"{which}: no pair"))
        if held == NILS:
            return WordValue(held, self.constant(0))
        codes = self.flow.things_of(held) if held & ~self.flow.codes == 0 else []
        if len(codes) == 1:
            return WordValue(held, self.constant(self.number_of_code(codes[0])))
        tag, note = None, ReadHalf(pair.set & self.flow.pairs, which)
        if self.shape(held) == TAGGED:
            tags = self.emit("tags", pair.word)
            self.halves_read[tags] = note
            by = self.constant(8)
            tag = (
                self.emit("shr", tags, by, 0)
                if which == "cdr"
                else self.emit("and", tags, self.constant(255))
            )
        made = self.emit(which, pair.word)
        self.halves_read[made] = note
        return WordValue(held, made, tag)

    OTHERS: ClassVar[dict[str, Callable[[Operations, Set, list[WordValue]], WordValue]]] = {
        "<": _less, "=": _equal, "early=": _equal, "zero?": _is_zero, "not": _not, "null?": _is_nil, "pair?": _is_pair,
        "atom?": _is_atom, "identity": _identity, "cons": _made_pair, "close": _made_pair, "car": _car, "cdr": _cdr,
        "frame": _frame, "atom-of": _atom_of, "item": item, "item-at": item, "vref": counted_item, "vlen": length,
        "unpacked": unpacked, "has": has, "has-length": has_length, "slice": part, "rest": rest,
        "index-of": _index_of, "integer-of": _integer_of,
    }  # fmt: skip


KNOWN = frozenset(["/", *ARITHMETIC, *BITS, *Operations.OTHERS])
"""The primitives that have machine code, besides accesses to memories."""
