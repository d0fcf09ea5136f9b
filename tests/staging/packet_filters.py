"""Filters of packets for tests and benchmarks: realistic ones and random ones, as text; and packets for them."""

import random
from collections.abc import Sequence

Row = tuple[int, int, int, int]
Test = tuple[list[Row], int, int]
"""Instructions before a jump, its code, and its constant."""
ALL = 0xFFFFFFFF
_BYTE, _TWO, _FOUR = 0x30, 0x28, 0x20
_ALU = [0x04 | k << 4 for k in range(11)] + [0x0C | k << 4 for k in range(11) if k != 8]
_TESTS = [0x15, 0x25, 0x35, 0x45, 0x1D, 0x2D, 0x3D, 0x4D]
_RET = (0x06, 0, 0, 262144)
_NO = (0x06, 0, 0, 0)


def text(rows: Sequence[Row]) -> str:
    """Rows as `tcpdump -dd` prints them."""
    return "".join(f"{{ {code:#x}, {jt}, {jf}, {k:#010x} }},\n" for code, jt, jf, k in rows)


def all_of(*tests: Test) -> str:
    """The filter of packets for which all tests hold; a code below 0 is a test that must not hold."""
    rows: list[Row] = []
    lengths = [len(before) + 1 for before, _, _ in tests]
    for at, (before, code, k) in enumerate(tests):
        over = sum(lengths[at + 1 :]) + 1
        rows += [*before, (abs(code), over, 0, k) if code < 0 else (code, 0, over, k)]
    return text([*rows, _RET, _NO])


def _load(code: int, at: int) -> list[Row]:
    return [(code, 0, 0, at)]


def _masked(code: int, at: int, mask: int) -> list[Row]:
    return [(code, 0, 0, at), (0x54, 0, 0, mask)]


IP: Test = (_load(_TWO, 12), 0x15, 0x800)
WHOLE: Test = (_load(_TWO, 20), -0x45, 0x1FFF)


def protocol(number: int) -> Test:
    """IP's next protocol."""
    return (_load(_BYTE, 23), 0x15, number)


def port(at: int, code: int, number: int) -> Test:
    """A test of a port, after the header of IP, which has any length."""
    return ([(0xB1, 0, 0, 14), (0x48, 0, 0, at)], code, number)


WEB = text(
    [
        (0x28, 0, 0, 12), (0x15, 0, 10, 0x800), (0x30, 0, 0, 23), (0x15, 0, 8, 6), (0x28, 0, 0, 20),
        (0x45, 6, 0, 0x1FFF), (0xB1, 0, 0, 14), (0x48, 0, 0, 14), (0x15, 2, 0, 80), (0x48, 0, 0, 16),
        (0x15, 0, 1, 80), _RET, _NO,
    ]
)  # fmt: skip
"""ip and tcp port 80"""
ARP = all_of((_load(_TWO, 12), 0x15, 0x806))
NET = text(
    [
        (0x28, 0, 0, 12), (0x15, 0, 7, 0x800), (0x20, 0, 0, 26), (0x54, 0, 0, 0xFFFFFF00), (0x15, 3, 0, 0x0A010200),
        (0x20, 0, 0, 30), (0x54, 0, 0, 0xFFFFFF00), (0x15, 0, 1, 0x0A010200), _RET, _NO,
    ]
)  # fmt: skip
"""net 10.1.2.0/24"""
PORTS = all_of(IP, protocol(17), WHOLE, port(16, 0x35, 1000), ([], -0x25, 2000))
"""udp dst portrange 1000-2000"""


def realistic() -> dict[str, str]:
    """Filters as people write them, by what tcpdump calls them."""
    found = {
        "ip and tcp port 80": WEB,
        "arp": ARP,
        "net 10.1.2.0/24": NET,
        "udp dst portrange 1000-2000": PORTS,
        "ip": all_of(IP),
        "icmp": all_of(IP, protocol(1)),
        "icmp echo": all_of(IP, protocol(1), WHOLE, ([(0xB1, 0, 0, 14), (0x50, 0, 0, 14)], 0x15, 8)),
        "vlan 7": all_of((_load(_TWO, 12), 0x15, 0x8100), (_masked(_TWO, 14, 0xFFF), 0x15, 7)),
        "vlan and ip": all_of((_load(_TWO, 12), 0x15, 0x8100), (_load(_TWO, 16), 0x15, 0x800)),
        "fragments": all_of(IP, (_load(_TWO, 20), 0x45, 0x3FFF)),
        "broadcast": all_of((_load(_FOUR, 2), 0x15, ALL), (_load(_TWO, 0), 0x15, 0xFFFF)),
        "multicast": all_of((_load(_BYTE, 0), 0x45, 1)),
        "tcp syn": all_of(IP, protocol(6), WHOLE, ([(0xB1, 0, 0, 14), (0x50, 0, 0, 27)], 0x45, 2)),
        "greater 200": all_of(([(0x80, 0, 0, 0)], 0x35, 200)),
        "less 100": all_of(([(0x80, 0, 0, 0)], -0x25, 100)),
        "ttl below 5": all_of(IP, (_load(_BYTE, 22), -0x35, 5)),
        "length by cells": all_of(
            IP, ([(0x80, 0, 0, 0), (0x14, 0, 0, 14), (0x02, 0, 0, 3), (0x28, 0, 0, 16), (0x61, 0, 0, 3)], 0x1D, 0)
        ),
        "everything": text([_RET]),
        "nothing": text([_NO]),
    }  # fmt: skip
    for number in (22, 53, 443, 8080):
        found[f"tcp dst port {number}"] = all_of(IP, protocol(6), WHOLE, port(16, 0x15, number))
        found[f"udp src port {number}"] = all_of(IP, protocol(17), WHOLE, port(14, 0x15, number))
    for low in range(3):
        found[f"src host 10.1.2.{low}"] = all_of(IP, (_load(_FOUR, 26), 0x15, 0x0A010200 + low))
    return found


def random_filter(draw: random.Random) -> str:
    """Any instructions, with jumps that stay, and returns at the end."""
    count = draw.randrange(3, 24)
    rows: list[Row] = [(0x02, 0, 0, draw.randrange(16)), (0x03, 0, 0, draw.randrange(16))]
    cells = [rows[0][3], rows[1][3]]
    number = [0, 1, 2, 7, 14, 31, 0xFF, 0x800, 0xFFFF, 0x7FFFFFFF, 0x80000000, ALL]
    for at in range(2, count):
        rest = count - at - 1
        kind = draw.randrange(10)
        if kind < 3:
            code = draw.choice([0x20, 0x28, 0x30, 0x40, 0x48, 0x50, 0xB1])
            rows.append((code, 0, 0, draw.choice([draw.randrange(70), draw.randrange(20)])))
        elif kind < 6:
            code, k = draw.choice(_ALU), draw.choice(number)
            k = (k % 32 if code in (0x64, 0x74) else max(k, 1)) if not code & 8 else 0
            rows.append((code, 0, 0, k))
        elif kind < 8 and rest:
            code = draw.choice(_TESTS)
            k = 0 if code & 8 else draw.choice(number)
            rows.append((code, draw.randrange(min(rest, 5) + 1), draw.randrange(min(rest, 5) + 1), k))
        elif kind < 9:
            rows.append(draw.choice([(0x60, 0, 0, draw.choice(cells)), (0x61, 0, 0, draw.choice(cells)),
                                     (0x80, 0, 0, 0), (0x81, 0, 0, 0), (0x07, 0, 0, 0), (0x87, 0, 0, 0)]))  # fmt: skip
        else:
            rows.append(draw.choice([(0x02, 0, 0, draw.choice(cells)), (0x03, 0, 0, draw.choice(cells)),
                                     (0x00, 0, 0, draw.choice(number)), (0x01, 0, 0, draw.randrange(60)),
                                     (0x05, 0, 0, draw.randrange(min(rest, 3) + 1)),
                                     draw.choice([(0x06, 0, 0, draw.choice(number)), (0x16, 0, 0, 0)])]))  # fmt: skip
    return text([*rows, draw.choice([(0x16, 0, 0, 0), _RET])])


def random_packets(draw: random.Random, count: int) -> list[bytes]:
    """Packets that often pass the tests of the filters, some of them cut short."""
    ports = [80, 22, 53, 443, 8080, 1000, 1500, 2000, 2001, 40000]
    found: list[bytes] = []
    for _ in range(count):
        head = bytearray(draw.randbytes(12)) if draw.random() < 0.9 else bytearray(b"\xff" * 12)
        if draw.random() < 0.1:
            head += b"\x81\x00" + draw.choice([7, 8]).to_bytes(2, "big")
        kind = draw.choice([0x800] * 7 + [0x806, 0x86DD])
        head += kind.to_bytes(2, "big") + bytes([0x40 | draw.choice([5, 5, 5, 6, 15])]) + draw.randbytes(5)
        head += draw.choice([0, 0, 0, 0x2000, 0x4000, 0x1234]).to_bytes(2, "big") + bytes(
            [draw.choice([3, 64])]
        )
        head += bytes([draw.choice([1, 6, 6, 17, 17])]) + draw.randbytes(2)
        head += b"".join(
            draw.choice([b"\x0a\x01\x02", b"\x0a\x01\x03"]) + bytes([draw.randrange(4)]) for _ in "ab"
        )
        head += b"".join(draw.choice(ports).to_bytes(2, "big") for _ in "ab") + draw.randbytes(
            draw.randrange(80)
        )
        found.append(bytes(head)[: draw.choice([len(head)] * 9 + [draw.randrange(60)])])
    return found
