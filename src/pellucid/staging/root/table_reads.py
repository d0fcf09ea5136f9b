"""Primitives that read static sequences, as instructions on words: items and lengths.

Above `words`, below `operations`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from pellucid.base.errors import StagingError
from pellucid.ir.flow import BOOLEAN, NIL, TEXT, VECTOR
from pellucid.staging.root.sets import NILS, NUMBERS, REALS, Set, alike
from pellucid.staging.root.tables import ADDRESSES, LENGTH, LISTED, PART, TAGS, WORDS, StaticData, TableMemory
from pellucid.staging.root.tables import REALS as REAL_ITEMS
from pellucid.staging.root.words import TAGGED, Words, WordValue


def vector(words: Words, value: StaticData) -> WordValue:
    """A static sequence or dictionary that is a constant."""
    held = words.flow.constant(value)
    return WordValue(held, words.constant(words.tables.word(value, words.texts, words.place)))


def length(words: Words, held: Set, args: list[WordValue]) -> WordValue:
    """The number of items."""
    (one,) = args
    _sequence(words, one, "vlen")
    return WordValue(held, _length(words, one))


def counted_item(words: Words, held: Set, args: list[WordValue]) -> WordValue:
    """An item at a position from 0 up."""
    return _item(words, held, args, "vref")


def item(words: Words, held: Set, args: list[WordValue]) -> WordValue:
    """An item at a position, as in Python: one below 0 counts from the end; of a dictionary, the value of a key."""
    return (_entry if args[0].set & words.flow.dictionaries else _item)(words, held, args, "item")


def has(words: Words, held: Set, args: list[WordValue]) -> WordValue:
    """Whether a sequence has an item, or a dictionary a key."""
    _sequence(words, args[0], "has")
    found = _found(words, *args)
    return WordValue(held, words.constant(0) if found is None else found.is_there)


def field(words: Words, held: Set, record: WordValue, name: str) -> WordValue:
    """A field of a static object: an item at the one position that it has in all objects that may be meant.

    Raises StagingError if these have it at several, or some of them lack it.
    """
    _sequence(words, record, "field")
    if record.set & words.flow.parts:
        raise StagingError(
            f"{name} may be read of a part of a sequence, which has no machine code",
            place=words.place,
            fix="let it be read of objects, or run the program by the machine",
        )
    levels = words.flow.things_of(record.set & words.flow.vectors)
    names: set[tuple[str, ...]] = {getattr(one, "names", ()) for level in levels for one in level}
    places = {one.index(name) if name in one else -1 for one in names}
    if len(places) > 1 or -1 in places:
        raise StagingError(
            f"{name} may be read of values of several classes, which has no machine code",
            place=words.place,
            fix="let it be read of objects of one class, or run the program by the machine",
        )
    return _loaded(words, held, _place(words, record, places.pop()))


def unpacked(words: Words, held: Set, args: list[WordValue]) -> WordValue:
    """A sequence that has as many items as are asked for, or more where the last operand says so."""
    vector, count, is_longer = args
    _sequence(words, vector, "unpacked")
    fits = _fits(words, _length(words, vector), count, is_longer)
    words.require(fits, words.failure("unpacked: another number of values"))
    return WordValue(held, vector.word)


def has_length(words: Words, held: Set, args: list[WordValue]) -> WordValue:
    """Whether a value is a sequence of so many items, or of more where the last operand says so."""
    vector, count, is_longer = args
    words.numeric(count, "has-length")
    if not vector.set & words.flow.sequences:
        return WordValue(held, words.constant(0))
    fits = _fits(words, _header_length(words, vector.word), count, is_longer)
    if vector.set & ~words.flow.vectors:
        fits = words.emit("and", fits, words.emit("eq", words.tag(vector), words.constant(VECTOR)))
    return WordValue(held, fits)


def _fits(words: Words, length: int, count: WordValue, is_longer: WordValue) -> int:
    """The register of whether a sequence has so many items, or more if it may be longer."""
    more = words.emit("and", words.emit("lt", count.word, length), is_longer.word)
    return words.emit("or", words.emit("eq", length, count.word), more)


def part(words: Words, held: Set, args: list[WordValue]) -> WordValue:
    """The items of a sequence between two positions; where one is None, from the first on or up to the last."""
    vector, first, end = args
    _sequence(words, vector, "slice")
    length = _length(words, vector)
    begin = _bound(words, first, length, words.constant(0))
    count = words.emit("sub", _bound(words, end, length, length), begin, 0)
    is_some = words.emit("lt", words.constant(0), count)
    return _cut(words, held, vector, begin, words.emit("select", is_some, count, words.constant(0)), PART)


def rest(words: Words, held: Set, args: list[WordValue]) -> WordValue:
    """The list of a sequence's items from a position on, which is in it or at its end."""
    vector, first = args
    _sequence(words, vector, "rest")
    words.numeric(first, "rest")
    count = words.emit("sub", _length(words, vector), first.word, 0)
    missing = words.failure("rest: another number of values")
    if first.word >= 0 or words.number_of(first.word) < 0:
        words.require(words.emit("lt", words.constant(-1), first.word), missing)
    words.require(words.emit("lt", words.constant(-1), count), missing)
    return _cut(words, held, vector, first.word, count, PART | LISTED)


def _bound(words: Words, bound: WordValue, length: int, default: int) -> int:
    """The register of a bound of a slice as a position in a sequence, as in Python."""
    if bound.set == NILS:
        return default
    is_none = words.emit("eq", words.tag(bound), words.constant(NIL)) if bound.set & NILS else None
    if bound.set & ~(NUMBERS | NILS):
        fits = words.emit("lt", words.tag(bound), words.constant(BOOLEAN + 1))
        fits = fits if is_none is None else words.emit("or", fits, is_none)
        words.require(fits, words.failure("slice: no number"))
    at, zero = bound.word, words.constant(0)
    if at >= 0 or words.number_of(at) < 0:
        # A length is added to what is below 0, so the sum has no more than 64 bits.
        at = words.emit("add", at, words.emit("select", words.emit("lt", at, zero), length, zero), 0)
        at = words.emit("select", words.emit("lt", at, zero), zero, at)
    at = words.emit("select", words.emit("lt", length, at), length, at)
    return at if is_none is None else words.emit("select", is_none, default, at)


def _cut(words: Words, held: Set, vector: WordValue, first: int, count: int, marks: int) -> WordValue:
    """A part of a sequence: the address of its first item, less 1, with its number of items and what marks it."""
    address = words.emit("add", _place(words, vector, -1), first, 0)
    kept = words.emit("and", vector.word, words.constant(LISTED)) if vector.set & words.flow.parts else None
    word = words.emit("or", words.emit("shl", count, words.constant(LENGTH), 0), address)
    word = words.emit("or", word, words.constant(marks))
    return WordValue(held, word if kept is None else words.emit("or", word, kept))


def is_some(words: Words, value: WordValue) -> int:
    """A word that is 0 where a value, which may be a sequence, is false: one without items is."""
    if not value.set & ~words.flow.vectors:
        return _length(words, value)
    is_vector = words.emit("eq", words.tag(value), words.constant(VECTOR))
    return words.emit("select", is_vector, _header_length(words, value.word), value.word)


def _item(words: Words, held: Set, args: list[WordValue], primitive: str) -> WordValue:
    vector, position = args
    _sequence(words, vector, primitive)
    words.numeric(position, primitive)
    at, count = position.word, _length(words, vector)
    missing = words.failure(f"{primitive}: no such item")
    is_counted_back = primitive == "item" and (at >= 0 or words.number_of(at) < 0)
    least = words.emit("sub", words.constant(-1), count, 0) if is_counted_back else words.constant(-1)
    words.require(words.emit("lt", least, at), missing)
    words.require(words.emit("lt", at, count), missing)
    if is_counted_back:
        before = words.emit("lt", at, words.constant(0))
        at = words.emit("add", at, words.emit("select", before, count, words.constant(0)), 0)
    return _loaded(words, held, _place(words, vector, 0, at))


def _entry(words: Words, held: Set, args: list[WordValue], primitive: str) -> WordValue:
    """The value of a key: it stands after all keys, at the place that the key has among them."""
    _sequence(words, args[0], primitive)
    found = _found(words, *args)
    missing = words.failure(f"{primitive}: no such entry")
    if found is None:
        words.require(words.constant(0), missing)
        return WordValue(held, words.constant(0), words.constant(0))
    words.require(found.is_there, missing)
    return _loaded(words, held, words.emit("add", found.place, found.keys, 0))


class _Found(NamedTuple):
    """Where a key is among those of a dictionary: whether it is one, its place, and the number of keys."""

    is_there: int
    place: int
    keys: int


def _found(words: Words, vector: WordValue, key: WordValue) -> _Found | None:
    """Look for a key in a dictionary, or for an item in a sequence; None where it is surely in none.

    Each step halves the keys among which it may be, without a jump: `place` is that of the first of them.
    """
    flow, tables = words.flow, words.tables
    kinds = alike(flow.sought_in(vector.set))
    held: list[StaticData] = [one for level in flow.things_of(vector.set & flow.vectors) for one in level]
    keyed = [tables.keys(one, words.texts, words.place) for one in held]
    counts = {tables.words[one] for one in keyed}
    if not key.set & kinds or not any(counts):
        return None
    if vector.word < 0:
        at = words.constant(tables.words[(words.number_of(vector.word) & ADDRESSES) - 1])
    elif vector.set & ~flow.dictionaries:
        at = _load(words, WORDS, _place(words, vector, -2))
    else:
        at = _place(words, vector, -1)
    count = _load(words, WORDS, at) if len(counts) > 1 else words.constant(next(iter(counts)))
    place = words.constant(words.number_of(at) + 1) if at < 0 else words.emit("add", at, words.constant(1), 0)
    for half in _halves(words, counts, count):
        middle = words.emit("add", place, half, 0)
        is_before = words.emit("lt", key.word, _load(words, WORDS, middle))
        place = words.emit("select", is_before, place, middle)
    is_there = words.emit("eq", _load(words, WORDS, place), key.word)
    if 0 in counts:
        is_there = words.emit("and", is_there, words.emit("lt", words.constant(0), count))
    if key.set & ~kinds:
        tag = words.tag(key)
        is_alike = (
            ("lt", tag, words.constant(BOOLEAN + 1))
            if kinds == NUMBERS
            else ("eq", tag, words.constant(TEXT))
        )
        is_there = words.emit("and", is_there, words.emit(*is_alike))
    return _Found(is_there, place, count)


def _halves(words: Words, counts: set[int], count: int) -> Iterator[int]:
    """The registers of half of the keys that are left, at each step: constants where the number of keys is known."""
    left = max(counts)
    for _ in range((left - 1).bit_length()):
        if len(counts) == 1:
            yield words.constant(left // 2)
            left -= left // 2
        else:
            half = words.emit("shr", count, words.constant(1), 0)
            yield half
            count = words.emit("sub", count, half, 0)


def _loaded(words: Words, held: Set, place: int) -> WordValue:
    """The word at a place in the memory of static sequences, with its tag where that is not known."""
    word = _load(words, REAL_ITEMS if held == REALS else WORDS, place)
    return WordValue(held, word, _load(words, TAGS, place) if words.shape(held) == TAGGED else None)


def _length(words: Words, vector: WordValue) -> int:
    """The register of the number of items: a constant where all sequences that it may be have as many."""
    length = words.flow.length_of(vector.set)
    return _header_length(words, vector.word) if length is None else words.constant(length)


def _header_length(words: Words, word: int) -> int:
    """The register of the number of items that the word of a sequence tells."""
    if word < 0:
        return words.constant(words.number_of(word) >> LENGTH)
    return words.emit("shr", word, words.constant(LENGTH), 0)


def _place(words: Words, vector: WordValue, number: int, at: int | None = None) -> int:
    """The register of the place of an item: `number` items, and as many as a register says, behind the first one."""
    word, more = vector.word, number + 1
    if word < 0:
        place = (words.number_of(word) & ADDRESSES) + more
        return words.constant(place) if at is None else words.emit("add", at, words.constant(place), 0)
    length = words.flow.length_of(vector.set)
    if length is None:
        word = words.emit("and", word, words.constant(ADDRESSES))
    else:
        more -= length << LENGTH
    if at is not None:
        word = words.emit("add", word, at, 0)
    return words.emit("add", word, words.constant(more), 0) if more else word


def _sequence(words: Words, value: WordValue, primitive: str) -> None:
    """Fail unless a value is a static sequence."""
    if value.set & ~words.flow.vectors:
        is_vector = words.emit("eq", words.tag(value), words.constant(VECTOR))
        words.require(is_vector, words.failure(f"{primitive}: no sequence"))


def _load(words: Words, name: str, place: int) -> int:
    """An element of one of the memories of static sequences, at a place that is in it."""
    memory = words.memories.setdefault(name, TableMemory(name))
    if not isinstance(memory, TableMemory):
        raise StagingError("two memories have this name", place=name, fix="rename one")
    return words.emit("load", list(words.memories).index(name), place, 0)
