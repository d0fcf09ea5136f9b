"""Primitives that read static sequences, as instructions on words: items and lengths.

Above `words`, below `operations`.
"""

from __future__ import annotations

from pellucid.base.errors import StagingError
from pellucid.ir.flow import VECTOR
from pellucid.staging.root.sets import REALS, Set
from pellucid.staging.root.tables import REALS as REAL_ITEMS
from pellucid.staging.root.tables import TAGS, WORDS, TableMemory
from pellucid.staging.root.words import TAGGED, Words, WordValue


def vector(words: Words, value: tuple[object, ...]) -> WordValue:
    """A static sequence that is a constant."""
    held = words.flow.constant(value)
    return WordValue(held, words.constant(words.tables.address(value, words.texts, words.place)))


def length(words: Words, held: Set, args: list[WordValue]) -> WordValue:
    """The number of items."""
    (one,) = args
    _sequence(words, one, "vlen")
    return WordValue(held, _length(words, one))


def counted_item(words: Words, held: Set, args: list[WordValue]) -> WordValue:
    """An item at a position from 0 up."""
    return _item(words, held, args, "vref")


def item(words: Words, held: Set, args: list[WordValue]) -> WordValue:
    """An item at a position, as in Python: one below 0 counts from the end."""
    return _item(words, held, args, "item")


def field(words: Words, held: Set, record: WordValue, name: str) -> WordValue:
    """A field of a static object: an item at the one position that it has in all objects that may be meant.

    Raises StagingError if these have it at several, or some of them lack it.
    """
    _sequence(words, record, "field")
    levels = words.flow.things_of(record.set & words.flow.vectors)
    names: set[tuple[str, ...]] = {getattr(one, "names", ()) for level in levels for one in level}
    places = {one.index(name) if name in one else -1 for one in names}
    if len(places) > 1 or -1 in places:
        raise StagingError(
            f"{name} may be read of values of several classes, which has no machine code",
            place=words.place,
            fix="let it be read of objects of one class, or run the program by the machine",
        )
    return _loaded(words, held, words.emit("add", record.word, words.constant(places.pop() + 1), 0))


def unpacked(words: Words, held: Set, args: list[WordValue]) -> WordValue:
    """A sequence that has as many items as are asked for, or more where the last operand says so."""
    vector, count, is_longer = args
    _sequence(words, vector, "unpacked")
    found = _length(words, vector)
    more = words.emit("and", words.emit("lt", count.word, found), is_longer.word)
    fits = words.emit("or", words.emit("eq", found, count.word), more)
    words.require(fits, words.failure("unpacked: another number of values"))
    return WordValue(held, vector.word)


def is_some(words: Words, value: WordValue) -> int:
    """A word that is 0 where a value, which may be a sequence, is false: one without items is."""
    if not value.set & ~words.flow.vectors:
        return _length(words, value)
    is_vector = words.emit("eq", words.tag(value), words.constant(VECTOR))
    # The first word of the memory is 0, so it may be read for what is no sequence.
    at = words.emit("select", is_vector, value.word, words.constant(0))
    return words.emit("select", is_vector, _load(words, WORDS, at), value.word)


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
    if vector.word < 0:
        place = words.emit("add", at, words.constant(words.number_of(vector.word) + 1), 0)
    else:
        place = words.emit("add", words.emit("add", vector.word, at, 0), words.constant(1), 0)
    return _loaded(words, held, place)


def _loaded(words: Words, held: Set, place: int) -> WordValue:
    """The word at a place in the memory of static sequences, with its tag where that is not known."""
    word = _load(words, REAL_ITEMS if held == REALS else WORDS, place)
    return WordValue(held, word, _load(words, TAGS, place) if words.shape(held) == TAGGED else None)


def _length(words: Words, vector: WordValue) -> int:
    """The register of the number of items: a constant where all sequences that it may be have as many."""
    lengths = words.flow.lengths_of(vector.set)
    return words.constant(lengths.pop()) if len(lengths) == 1 else _load(words, WORDS, vector.word)


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
