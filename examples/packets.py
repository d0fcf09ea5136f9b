"""Packet filters: an interpreter of classic BPF, of which the compiler generator makes a compiler of filters.

`tcpdump -dd "ip and tcp port 80"` prints a filter as C, and `-ddd` as numbers. `read_filter` reads either, and refuses
what a kernel would refuse. `verdict` is the interpreter: a few lines for each group of instructions (McCanne and
Jacobson 1993). Compiled to a filter, it is the tests that one would have written by hand for it.
"""

import re
import sys
from functools import cache

import numpy as np

from pellucid.base.errors import InputError
from pellucid.staging import DYNAMIC, STATIC, cogen, interpreter, lift

ALL = 0xFFFFFFFF
CELLS = 16
MOST = 4096
"""Instructions of a filter, as in Linux."""
BEYOND = 0xFFE00000
"""From here on, addresses are what Linux knows beside the packet, and no part of it."""
SIZES = {0x00: 4, 0x08: 2, 0x10: 1}
ARITHMETIC = ("add", "sub", "mul", "div", "or", "and", "lsh", "rsh", "neg", "mod", "xor")
TESTS = ("ja", "jeq", "jgt", "jge", "jset")
INSTRUCTIONS = {
    **{0x20 | code: ("abs", size) for code, size in SIZES.items()},
    **{0x40 | code: ("ind", size) for code, size in SIZES.items()},
    **{0x04 | k << 4: (name, "k") for k, name in enumerate(ARITHMETIC)},
    **{0x0C | k << 4: (name, "x") for k, name in enumerate(ARITHMETIC) if name != "neg"},
    **{0x05 | k << 4: (name, "k") for k, name in enumerate(TESTS)},
    **{0x0D | k << 4: (name, "x") for k, name in enumerate(TESTS) if name != "ja"},
    0x00: ("imm", "a"), 0x01: ("imm", "x"), 0x60: ("mem", "a"), 0x61: ("mem", "x"),
    0x80: ("len", "a"), 0x81: ("len", "x"), 0xB1: ("msh", "x"), 0x02: ("st", "a"), 0x03: ("st", "x"),
    0x06: ("ret", "k"), 0x16: ("ret", "a"), 0x07: ("tax", ""), 0x87: ("txa", ""),
}  # fmt: skip
"""What each code of an instruction is: an operation, and the size that it loads or the operand that it takes."""

NUMBER = r"(0[xX][0-9a-fA-F]{1,8}|\d{1,10})"
ITEM = re.compile(r"\s*,\s*".join([NUMBER] * 4))
ROW = re.compile(r"\s+".join([NUMBER] * 4))
"""The four numbers of an instruction, as -dd and as -ddd print them."""


# ---- reading ----


def read_filter(text):
    """The instructions of a filter, from what `tcpdump -dd` or `-ddd` prints; each is code, jump if true, if false, k.

    Raises InputError for text that is no filter, and for filters that Linux refuses.
    """
    rows = [(n, line.strip()) for n, line in enumerate(text.splitlines(), 1) if line.strip()]
    lines, found = [], []
    decimal = bool(rows) and rows[0][1].isdigit()
    for n, line in rows[1:] if decimal else rows:
        parts = ROW.fullmatch(line) if decimal else ITEM.fullmatch(line.rstrip(",").strip("{} "))
        if parts is None:
            raise _fault(
                n, f"no instruction: {line[:60]!r}", "write { code, jt, jf, k }, or four numbers as -ddd does"
            )
        code, jt, jf, k = numbers = tuple(
            [int(one, 16 if one[1:2] in ("x", "X") else 10) for one in parts.groups()]
        )
        if code > 0xFFFF or jt > 255 or jf > 255 or k > ALL:
            raise _fault(n, "a number is too large", "give 16 bits for the code, 8 for each jump, 32 for k")
        lines.append(n)
        found.append(numbers)
    if decimal and int(rows[0][1]) != len(found):
        raise _fault(
            rows[0][0], f"{rows[0][1]} instructions are told, {len(found)} follow", "copy the whole output"
        )
    if not 0 < len(found) <= MOST:
        raise _fault(1, f"{len(found)} instructions", f"give 1 to {MOST}")
    _check(found, lines)
    return tuple((*INSTRUCTIONS[code], jt, jf, k) for code, jt, jf, k in found)


def _fault(line, message, fix):
    return InputError(message, place=f"filter, line {line}", fix=fix)


def _check(found, lines):
    """Refuse what Linux refuses: no instruction, a jump out of the filter, a division by 0, a cell that none wrote."""
    count = len(found)
    stored = [0] + [(1 << CELLS) - 1] * (count - 1)
    for pc, (code, jt, jf, k) in enumerate(found):
        line, rest = lines[pc], count - pc - 1
        if code not in INSTRUCTIONS:
            raise _fault(line, f"no instruction has the code {code:#x}", "use instructions of classic BPF")
        name, what = INSTRUCTIONS[code]
        after = (0,)
        if name in TESTS:
            jumps = (k,) if name == "ja" else (jt, jf)
            if max(jumps) >= rest:
                raise _fault(
                    line,
                    f"a jump over {max(jumps)} of the {rest} instructions after it",
                    "stay in the filter",
                )
            after = jumps
        if name in ("div", "mod") and what == "k" and k == 0:
            raise _fault(line, "a division by zero", "divide by another number")
        if name in ("lsh", "rsh") and what == "k" and k > 31:
            raise _fault(line, f"a shift by {k}", "shift by 0 to 31")
        if name in ("mem", "st") and k >= CELLS:
            raise _fault(line, f"there is no cell {k}", f"use cells 0 to {CELLS - 1}")
        if name == "mem" and not stored[pc] >> k & 1:
            raise _fault(line, f"the cell {k} is read before it is written on some way", "store there first")
        if name == "abs" and k >= BEYOND:
            raise _fault(
                line,
                f"address {k:#x} is no part of a packet",
                "print the filter for a file: tcpdump -r FILE -dd",
            )
        now = stored[pc] | (1 << k if name == "st" else 0)
        for jump in after:
            if pc + 1 + jump < count:
                stored[pc + 1 + jump] &= now
    if INSTRUCTIONS[found[-1][0]][0] != "ret":
        raise _fault(lines[-1], "the last instruction is no return", "end with ret")


# ---- the interpreter ----


def verdict(program, packets, begin, end, wire):
    """What a filter returns for the packet from `begin` to `end`, which had `wire` bytes on the wire: 0 for no."""
    pc = 0
    a = lift(0)
    x = lift(0)
    cells = [lift(0)] * 16
    while True:
        operation, what, jt, jf, k = program[pc]
        pc = pc + 1
        if operation in ("abs", "ind"):
            at = begin + k + x if operation == "ind" else begin + k
            if at + what > end:
                return 0
            a = packets.load(at)
            for n in range(1, what):
                a = a << 8 | packets.load(at + n)
        elif operation == "msh":
            if begin + k >= end:
                return 0
            x = (packets.load(begin + k) & 15) << 2
        elif operation in ("imm", "mem", "len"):
            value = lift(k if operation == "imm" else cells[k] if operation == "mem" else wire)
            if what == "a":
                a = value
            else:
                x = value
        elif operation == "st":
            cells[k] = a if what == "a" else x
        elif operation == "tax":
            x = a
        elif operation == "txa":
            a = x
        elif operation == "ret":
            return k if what == "k" else a
        elif operation == "ja":
            pc = pc + k
        elif operation in ("jeq", "jgt", "jge", "jset"):
            pc = pc + (jt if holds(operation, a, k if what == "k" else x) else jf)
        else:
            other = k if what == "k" else x
            if operation in ("div", "mod") and other == 0:
                return 0
            a = computed(operation, a, other)


def holds(test, a, other):
    """Whether a test of a jump holds."""
    if test == "jeq":
        return a == other
    if test == "jgt":
        return a > other
    if test == "jge":
        return a >= other
    return a & other != 0


def computed(operation, a, other):
    """The 32 bits of an operation of arithmetic."""
    if operation == "add":
        return a + other & ALL
    if operation == "sub":
        return a - other & ALL
    if operation == "mul":
        # In halves: the product of two words of 32 bits may have 64, and an integer here has a sign.
        return a * (other & 0xFFFF) + ((a * (other >> 16) & 0xFFFF) << 16) & ALL
    if operation == "div":
        return a // other
    if operation == "mod":
        return a % other
    if operation == "or":
        return a | other
    if operation == "and":
        return a & other
    if operation == "xor":
        return a ^ other
    if operation == "neg":
        return -a & ALL
    if other > 31:
        return 0
    return a << other & ALL if operation == "lsh" else a >> other


@interpreter
def sift(program, packets, records, stop):
    """Store the verdict on each packet in its record: where it begins and ends, its length on the wire, the verdict.

    The first byte of `packets` belongs to none, as in a capture file.
    """
    for at in range(0, stop, 4):
        records.load(at + 3)
        begin = records.load(at)
        end = records.load(at + 1)
        # What begins, and ends in the memory, is in the memory: so it is not asked again for what lies between.
        packets.load(end - 1)
        records.store(at + 3, verdict(program, packets, begin, end, records.load(at + 2)))
    return stop


@cache
def compiler():
    """The compiler of filters, made once."""
    return cogen(sift, program=STATIC, packets=DYNAMIC, records=DYNAMIC, stop=DYNAMIC)


def records_of(packets, wires=None):
    """A memory of packets that are bytes, and their records; `wires` are their lengths on the wire.

    Raises InputError for 4 GiB or more.
    """
    sizes = np.array([len(one) for one in packets], np.uint64)
    ends = np.cumsum(sizes) + 1
    if sizes.sum() >= ALL:
        raise InputError(
            f"{sizes.sum()} bytes of packets", place="records", fix="sift fewer than 4 GiB at a time"
        )
    records = np.zeros((len(packets), 4), np.uint32)
    records[:, 0], records[:, 1], records[:, 2] = ends - sizes, ends, sizes if wires is None else wires
    return np.frombuffer(b"\0" + b"".join(packets), np.uint8).copy(), records


class Filter:
    """A filter as a program: called on packets and their records, it gives the verdict on each, 0 for no."""

    def __init__(self, text):
        self.program = read_filter(text)
        self.compiled = compiler()(self.program)

    def __call__(self, packets, records):
        """The verdicts; raises InputError for a record that ends outside of the memory."""
        self.compiled(packets, records.reshape(-1), records.size)
        return records[:, 3].copy()


WEB = """
{ 0x28, 0, 0, 0x0000000c },
{ 0x15, 0, 10, 0x00000800 },
{ 0x30, 0, 0, 0x00000017 },
{ 0x15, 0, 8, 0x00000006 },
{ 0x28, 0, 0, 0x00000014 },
{ 0x45, 6, 0, 0x00001fff },
{ 0xb1, 0, 0, 0x0000000e },
{ 0x48, 0, 0, 0x0000000e },
{ 0x15, 2, 0, 0x00000050 },
{ 0x48, 0, 0, 0x00000010 },
{ 0x15, 0, 1, 0x00000050 },
{ 0x6, 0, 0, 0x00040000 },
{ 0x6, 0, 0, 0x00000000 },
"""
"""ip and tcp port 80"""


def frame(protocol, source, target, fragment=0, size=60):
    """A packet of IP version 4 on Ethernet."""
    head = (
        bytes(12)
        + b"\x08\x00\x45"
        + bytes(5)
        + fragment.to_bytes(2, "big")
        + bytes([64, protocol])
        + bytes(10)
    )
    return (head + source.to_bytes(2, "big") + target.to_bytes(2, "big")).ljust(size, b"\0")[:size]


def main():
    """Sift some packets, by the filter that is given as text on the standard input, or by one for the web."""
    accepted = Filter(WEB if sys.stdin.isatty() else sys.stdin.read() or WEB)
    packets, records = records_of(
        [
            frame(6, 40000, 80),
            frame(6, 80, 40000),
            frame(17, 40000, 80),
            frame(6, 1, 80, 9),
            frame(6, 1, 80, size=37),
        ]
    )
    print(accepted(packets, records).tolist())


if __name__ == "__main__":
    main()
