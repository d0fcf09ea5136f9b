"""An object of WebAssembly completed to a module: memory in place of imports, exports, and the data of a kernel.

LLVM's object of a single source is a module already, but for three things that a linker would add: it takes its memory
from outside, it exports nothing, and what it calls must be in it. Addresses within it are right as they stand, since
its data begin at 0. Format: WebAssembly Core Specification, chapter 5.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence

import numpy as np

from ...base.errors import BackendError
from ...base.record import record
from ..port import CallingPlan

PAGE = 1 << 16
"""Bytes by which memory grows."""
STACK = 1 << 18
"""Bytes of the stack: twice what a kernel may have there."""
_MAGIC = b"\0asm\1\0\0\0"
_TYPE, _IMPORT, _FUNCTION, _MEMORY, _GLOBAL, _EXPORT, _COUNT, _CODE, _DATA = 1, 2, 3, 5, 6, 7, 12, 10, 11
_SIGNATURE = bytes([0x60, 5, 0x7F, 0x7F, 0x7F, 0x7E, 0x7E, 0])
"""A function of three addresses and two numbers of 64 bits, without a result."""
_ORDER = (_TYPE, _FUNCTION, _MEMORY, _GLOBAL, _EXPORT, _CODE, _DATA)


@record(slots=False)
class ModuleAddresses:
    """The addresses in a module's memory: params in slots of 8 bytes, pointers to buffers, their sizes, the output."""

    params: int
    buffers: int
    sizes: int
    out: int


def completed(code: bytes, plan: CallingPlan, name: str) -> tuple[dict[int, bytes], ModuleAddresses]:
    """The sections of the module of a kernel with one output, which exports `name`, and its places.

    Raises BackendError for a kernel in several phases or with scratch memory, and for code that calls what is not in
    it.
    """
    if len(plan.phases) != 1 or plan.calling.scratch or plan.calling.written != 1:
        raise BackendError("a module has one phase, one output and no scratch memory", place=plan.kernel.name)
    sections, segments, end = closed(code, name)
    places, data = _laid_out(plan, end)
    sections[_DATA] = _vector([*segments, *(_segment(at, content) for at, content in data)])
    sections[_MEMORY] = bytes([1, 0, *_unsigned(-(-places.out // PAGE))])
    return {k: sections[k] for k in _ORDER if k in sections}, places


def closed(code: bytes, name: str) -> tuple[dict[int, bytes], list[bytes], int]:
    """The sections of a module that imports nothing, and exports its memory and its first function, by its name.

    Also the segments of its data, and the address after them and its stack. Raises as `completed` does.
    """
    found = dict(_sections(code))
    takes_stack = _check_imports(found.pop(_IMPORT, b"\0"))
    if odd := found.keys() - set(_ORDER):
        raise BackendError(f"LLVM wrote a section of kind {min(odd)}, which kernels need not", place="wasm")
    if not found[_TYPE][1:].startswith(_SIGNATURE) or found[_FUNCTION][1] != 0:
        raise BackendError("LLVM put another function first", place="wasm")
    segments, end = _segments(found.get(_DATA, b"\0"))
    if takes_stack:
        end = _aligned(end) + STACK
        found[_GLOBAL] = bytes([1, 0x7F, 1, 0x41, *_signed(end), 0x0B])
    found[_MEMORY] = bytes([1, 0, *_unsigned(-(-end // PAGE) or 1)])
    found[_EXPORT] = _vector([_name("memory") + bytes([2, 0]), _name(name) + bytes([0, 0])])
    return {k: found[k] for k in _ORDER if k in found}, segments, end


def written(sections: dict[int, bytes], told: bytes) -> bytes:
    """A module of sections, with a text that its host reads in a section of its own, called "pellucid"."""
    parts = [bytes([k, *_unsigned(len(body))]) + body for k, body in sections.items()]
    own = _name("pellucid") + told
    return b"".join([_MAGIC, *parts, bytes([0, *_unsigned(len(own))]), own])


def _laid_out(plan: CallingPlan, end: int) -> tuple[ModuleAddresses, list[tuple[int, bytes]]]:
    """The places from an address on, and what stands at which address from the beginning."""
    data: list[tuple[int, bytes]] = []
    pointers: list[int] = []
    found: dict[bytes, int] = {}
    for b in plan.buffers[1:]:
        content = np.ascontiguousarray(b.data, b.type.dtype.newbyteorder("<")).tobytes()
        # Buffers of the same data, such as letters that stand twice in a picture, are one.
        if content not in found:
            found[content] = end = _aligned(end)
            data.append((end, content))
            end += len(content)
        pointers.append(found[content])
    params = _aligned(end)
    buffers = _aligned(params + 8 * len(plan.kernel.params))
    sizes = _aligned(buffers + 4 * len(plan.buffers))
    out = _aligned(sizes + 8 * len(plan.buffers))
    data.append((buffers, struct.pack(f"<{len(plan.buffers)}I", out, *pointers)))
    data.append((sizes, struct.pack(f"<{len(plan.buffers)}q", 0, *(b.size for b in plan.buffers[1:]))))
    return ModuleAddresses(params, buffers, sizes, out), data


def _aligned(at: int) -> int:
    return (at + 63) & ~63


# ---- reading ----


def _sections(code: bytes) -> Iterator[tuple[int, bytes]]:
    """The sections but for those that only linkers read."""
    at = len(_MAGIC)
    while at < len(code):
        kind = code[at]
        size, at = _read(code, at + 1)
        # How many data there are is only for code that copies them, and no kernel does.
        if kind not in (0, _COUNT):
            yield kind, code[at : at + size]
        at += size


def _read(code: bytes, at: int) -> tuple[int, int]:
    """A number without a sign, and where it ends."""
    value = shift = 0
    while True:
        byte = code[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def _check_imports(body: bytes) -> bool:
    """Whether the stack is among what code takes from outside; the memory always is."""
    count, at = _read(body, 0)
    stack = False
    for _ in range(count):
        words: list[str] = []
        for _ in range(2):
            size, at = _read(body, at)
            words.append(body[at : at + size].decode())
            at += size
        match body[at], words[1]:
            case 2, _:
                is_bounded, at = _read(body, at + 1)
                for _ in range(1 + is_bounded):
                    _, at = _read(body, at)
            case 3, "__stack_pointer":
                stack, at = True, at + 3
            case _:
                raise BackendError(
                    f"needs {words[1]}, which WebAssembly has not",
                    place="wasm",
                    fix="export a shader, PTX or C",
                )
    return stack


def _segments(body: bytes) -> tuple[list[bytes], int]:
    """The data of an object as they stand, and the address after them."""
    count, at = _read(body, 0)
    found: list[bytes] = []
    end = 0
    for _ in range(count):
        begin = at
        if body[at] != 0 or body[at + 1] != 0x41:
            raise BackendError("LLVM wrote data without an address", place="wasm")
        # Addresses are small: the bit of the sign is never set.
        address, at = _read(body, at + 2)
        size, at = _read(body, at + 1)
        at += size
        found.append(body[begin:at])
        end = max(end, address + size)
    return found, end


# ---- writing ----


def _unsigned(value: int) -> bytes:
    """A number without a sign, 7 bits a byte.

    >>> list(_unsigned(300))
    [172, 2]
    """
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*found, value])


def _signed(value: int) -> bytes:
    """A number that is not negative, where a sign is read.

    >>> list(_signed(64))
    [192, 0]
    """
    found = _unsigned(value)
    return bytes([*found[:-1], found[-1] | 0x80, 0]) if found[-1] & 0x40 else found


def _vector(items: Sequence[bytes]) -> bytes:
    return _unsigned(len(items)) + b"".join(items)


def _name(word: str) -> bytes:
    return _unsigned(len(word)) + word.encode("ascii")


def _segment(at: int, content: bytes) -> bytes:
    return bytes([0, 0x41, *_signed(at), 0x0B]) + _unsigned(len(content)) + content
