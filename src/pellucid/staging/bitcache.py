"""The bit cache: what words of memory hold is kept in names, so that each is loaded once and stored once.

A cache as hardware has it - lines, dirty masks, write-back, least recently used first out - but looked up while the
program is specialized, by early equality of addresses (Draves 1997, section "Sharing and Caching" and appendix A).
Nothing of it is left at run time. A line is static but for its word; a line whose bits are all overwritten is never
loaded; one that is overwritten in part is loaded, masked and merged when it is written back.

Two addresses that may be equal and are not known to be are kept in the order of the program: what was written to one is
in memory before the other is read or written.
"""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING, Any

from ..base.record import record
from ..ir.expr import Expr
from .same import early_distinct
from .session import SpecializerSession
from .value import expression, of

if TYPE_CHECKING:
    from .memory import Memory

MAX_LINES = 64
"""Maximum lines that loops keep for the next iteration when they decide themselves."""


Key = tuple[int, frozenset[tuple[Expr, int]]]
"""An address by its linear form: two addresses with one key are early equal."""


def _key(address: Any) -> Key:
    if isinstance(address, int):
        return address, frozenset()
    return address.remainder, frozenset(address.terms)


@record(eq=False, slots=False)
class CachedLine:
    """One word: where it is, its value, which of its bits are known, and which of those are not in memory yet."""

    number: int
    memory: Memory
    address: Any
    value: Any
    present: int
    dirty: int
    key: Key = field(init=False)

    def __post_init__(self) -> None:
        """Name the address."""
        object.__setattr__(self, "key", _key(self.address))


Lines = tuple[CachedLine, ...]


def load(session: SpecializerSession, memory: Memory, address: Any, needed: int) -> Any:
    """The word at an address, of which the bits of `needed` will be used."""
    session.use(memory)
    line = _find(session, memory, address)
    if line is not None and not needed & ~line.present:
        _use(session, line)
        return line.value
    _write_back_others(session, memory, address, forget=False)
    whole = memory.mask
    if line is None:
        value = _fetch(session, memory, address)
        line = CachedLine(session.number(), memory, address, value, whole, 0)
    else:
        rest = _fetch(session, memory, address) & (whole & ~line.present)
        line = replace(line, value=rest | line.value, present=whole)
    _use(session, line)
    return line.value


def store(session: SpecializerSession, memory: Memory, address: Any, value: Any, mask: int) -> None:
    """Overwrite the bits of `mask` of the word at an address; `value` has no others."""
    session.use(memory)
    _write_back_others(session, memory, address, forget=True)
    line = _find(session, memory, address)
    if line is None:
        line = CachedLine(session.number(), memory, address, value, mask, mask)
    else:
        kept = line.present & ~mask
        if kept:
            value = (line.value if kept == line.present else line.value & kept) | value
        line = replace(line, value=value, present=line.present | mask, dirty=line.dirty | mask)
    _use(session, line)


def write_back(session: SpecializerSession, line: CachedLine) -> CachedLine:
    """Bring what is new in a line into memory; returns the clean line."""
    if not line.dirty:
        return line
    whole = line.memory.mask
    value = line.value
    if line.present != whole:
        value = value | (_fetch(session, line.memory, line.address) & (whole & ~line.present))
    session.emit(line.memory.put(line.address, value))
    return replace(line, value=value, present=whole, dirty=0)


def write_back_these(session: SpecializerSession, lines: Lines) -> None:
    """Bring some lines into memory, in order."""
    for line in lines:
        write_back(session, line)


def write_back_all(session: SpecializerSession, *, keep: bool = True) -> None:
    """Bring everything into memory, in order; keep the clean lines or forget them."""
    lines = tuple(write_back(session, line) for line in session.lines)
    session.lines = lines if keep else ()


def _find(session: SpecializerSession, memory: Memory, address: Any) -> CachedLine | None:
    key = _key(address)
    for line in session.lines:
        if line.key == key and line.memory is memory:
            return line
    return None


def _use(session: SpecializerSession, line: CachedLine) -> None:
    """Put a line in as the one used last; beyond the capacity the one unused for longest goes."""
    session.touched.add(line.number)
    session.lines = (*(x for x in session.lines if x.number != line.number), line)
    capacity = session.capacity if session.capacity is not None else MAX_LINES
    while len(session.lines) > capacity:
        oldest, *rest = session.lines
        write_back(session, oldest)
        session.lines = tuple(rest)


def _write_back_others(session: SpecializerSession, memory: Memory, address: Any, *, forget: bool) -> None:
    """Before a word is touched, write back the lines that may be the same word; forget them if it is overwritten."""
    kept: list[CachedLine] = []
    session.work += len(session.lines) // MAX_LINES
    key = _key(address)
    for line in session.lines:
        # Of one linear form, addresses are equal or differ by what is static; the equal one is found by who asks.
        if not memory.meets(line.memory) or line.key[1] == key[1] or early_distinct(line.address, address):
            kept.append(line)
            continue
        clean = write_back(session, line)
        if not forget:
            kept.append(clean)
    session.lines = tuple(kept)


def _fetch(session: SpecializerSession, memory: Memory, address: Any) -> Any:
    return of(session.named("word", memory.element(expression(address))))


def split_anew(session: SpecializerSession) -> None:
    """Write the addresses of the lines with what a case analysis has just told of them."""
    found: list[CachedLine] = []
    for line in session.lines:
        known = line.address + 0
        found.append(line if _key(known) == line.key else replace(line, address=known))
    session.lines = tuple(found)


def leaves(lines: Lines) -> tuple[Any, ...]:
    """The parts of the lines that make up the state of a program."""
    return tuple(
        x for line in lines for x in (line.memory, line.present, line.dirty, line.address, line.value)
    )


def rebuilt(lines: Lines, parts: list[Any]) -> Lines:
    """The lines with other addresses and values."""
    return tuple(
        replace(line, address=parts[5 * k + 3], value=parts[5 * k + 4]) for k, line in enumerate(lines)
    )
