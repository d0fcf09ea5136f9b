"""Flat binaries: object code of which the parts have their places, so that it runs wherever its bytes are.

LLVM gives object code in the format ELF: parts, and a list of the distances between them that a linker has to fill in.
Where all of these are known from the object alone, as in kernels, which call nobody, the distances are filled in once,
here. What is kept is then loaded by a copy of its bytes into memory that can be run, without LLVM. Everything else, and
the object code of other processors and systems, stays as it is, and is linked by LLVM.
"""

from __future__ import annotations

import json
import mmap
import struct
from collections.abc import Iterable
from typing import NamedTuple

from .executable import is_possible, placed

HEAD = b"pellucid flat binary 1 "
_FILE = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_RELOCATION = struct.Struct("<QQq")
_X86_64, _RELOCATABLE = 62, 1
_PROGRAM, _SYMBOLS, _RELOCATIONS, _ROOM, _OLD_RELOCATIONS, _UNWINDING = 1, 2, 4, 8, 9, 0x70000001
_WRITTEN, _IN_MEMORY, _OF_THREADS = 1, 2, 0x400
_DISTANCES = {2: struct.Struct("<i"), 4: struct.Struct("<i"), 24: struct.Struct("<q")}
"""The relocations that are the distance from their own place: PC32, PLT32 and PC64."""
_ALIGNMENTS = frozenset(1 << k for k in range(mmap.PAGESIZE.bit_length()))
_UNUSED = (b".eh_frame",)
"""Parts that only a debugger reads."""


class _Section(NamedTuple):
    """A part of an object: its number, kind, flags, where its bytes are, and numbers of other parts."""

    number: int
    name: bytes
    kind: int
    flags: int
    content: bytes
    size: int
    link: int
    about: int
    alignment: int


class _UnplacedError(Exception):
    """An object has distances to what is not in it."""


def is_flat(code: bytes) -> bool:
    """Whether code is a flat binary, and no object."""
    return code.startswith(HEAD)


def flattened(code: bytes) -> bytes:
    """The flat binary of an object, if there can be one here; else the object.

    >>> flattened(b"no object")
    b'no object'
    """
    if not is_possible() or not code.startswith(b"\x7fELF\x02\x01"):
        return code
    try:
        return _flat(code)
    except (_UnplacedError, struct.error, LookupError, ValueError):
        return code


def addresses(code: bytes) -> tuple[dict[str, int], object]:
    """The places of what a flat binary has names for, once it is in memory, and what that memory lives as long as.

    Raises ValueError for what is none, and BackendError where there is no memory to run code in.
    """
    if not is_flat(code):
        raise ValueError("no flat binary")
    line, _, content = code.removeprefix(HEAD).partition(b"\n")
    told = json.loads(line)
    alignment, names = int(told["alignment"]), {str(name): int(at) for name, at in told["names"].items()}
    if alignment not in _ALIGNMENTS or not all(0 <= at < len(content) for at in names.values()):
        raise ValueError("a flat binary that is damaged")
    first, owner = placed(content, alignment)
    return {name: first + at for name, at in names.items()}, owner


def _flat(code: bytes) -> bytes:
    """The flat binary of an object."""
    sections = _sections(code)
    used = [each for each in sections if each.flags & _IN_MEMORY and each.size and each.name not in _UNUSED]
    used = [each for each in used if each.kind != _UNWINDING]
    if any(each.kind != _PROGRAM or each.flags & (_WRITTEN | _OF_THREADS) for each in used):
        raise _UnplacedError
    alignment = max([16, *(each.alignment for each in used)])
    if alignment not in _ALIGNMENTS:
        raise _UnplacedError
    places: dict[int, int] = {}
    made = bytearray()
    for each in used:
        # Zeros between parts are never run.
        made += bytes(-len(made) % max(1, each.alignment))
        places[each.number] = len(made)
        made += each.content
    symbols = next((each for each in sections if each.kind == _SYMBOLS), None)
    table = list(_SYMBOL.iter_unpack(symbols.content)) if symbols is not None else []
    for each in sections:
        if each.about in places and each.kind == _OLD_RELOCATIONS:
            raise _UnplacedError
        if each.about in places and each.kind == _RELOCATIONS:
            _fill_in(made, places[each.about], _RELOCATION.iter_unpack(each.content), table, places)
    names = {
        _text(sections[symbols.link].content, name).decode(): places[part] + value
        for name, kind, _, part, value, _ in table
        if symbols is not None and kind >> 4 and part in places
    }
    line = json.dumps({"alignment": alignment, "names": names})
    return b"".join([HEAD, line.encode(), b"\n", made])


def _fill_in(
    made: bytearray,
    first: int,
    relocations: Iterable[tuple[int, int, int]],
    symbols: list[tuple[int, int, int, int, int, int]],
    places: dict[int, int],
) -> None:
    """Fill in the distances in a part of a flat binary that begins at `first`."""
    for offset, about, more in relocations:
        form = _DISTANCES.get(about & 0xFFFFFFFF)
        _, _, _, part, value, _ = symbols[about >> 32]
        if form is None or part not in places:
            raise _UnplacedError
        at = first + offset
        form.pack_into(made, at, places[part] + value + more - at)


def _sections(code: bytes) -> list[_Section]:
    """The parts of an object."""
    header = _FILE.unpack_from(code)
    kind, processor, where, size, count, names_in = header[1], header[2], header[6], *header[11:14]
    if kind != _RELOCATABLE or processor != _X86_64 or size != _SECTION.size:
        raise _UnplacedError
    found: list[_Section] = []
    rows = [_SECTION.unpack_from(code, where + size * k) for k in range(count)]
    names = code[rows[names_in][4] :]
    for k, (name, kind, flags, _, offset, length, link, about, alignment, _) in enumerate(rows):
        content = b"" if kind == _ROOM else code[offset : offset + length]
        found.append(_Section(k, _text(names, name), kind, flags, content, length, link, about, alignment))
    return found


def _text(strings: bytes, at: int) -> bytes:
    """The text in a table of texts."""
    return strings[at : strings.index(b"\0", at)]
