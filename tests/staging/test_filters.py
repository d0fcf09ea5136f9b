"""Packet filters: the compiler of the example, and an interpreter in C, give the same verdicts."""

import ctypes
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from pellucid.base.errors import InputError
from pellucid.driver.codes import compile_code
from pellucid.staging import Memory

from .packet_filters import WEB, random_filter, random_packets, realistic

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "examples"))
import packets as P  # noqa: E402

sys.path.pop(0)


@pytest.fixture(scope="module")
def library(tmp_path_factory) -> ctypes.CDLL:
    made = tmp_path_factory.mktemp("filters") / "filters.so"
    source = ROOT / "bench/reference/filters.c"
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", str(source), "-o", str(made)], check=True)
    return ctypes.CDLL(str(made))


def by_c(library: ctypes.CDLL, text: str, packets: np.ndarray, records: np.ndarray) -> list[int]:
    rows = [tuple(int(one, 0) for one in line.strip("{}, ").split(",")) for line in text.splitlines()]
    filters = np.array(rows, np.dtype([("code", "u2"), ("jt", "u1"), ("jf", "u1"), ("k", "u4")]))
    kept = records.copy()
    pointers = [ctypes.c_void_p(each.ctypes.data) for each in (filters, packets, kept)]
    library.by_interpreter(*pointers, ctypes.c_int64(kept.size))
    return kept[:, 3].tolist()


def test_filters_decide_as_a_c_interpreter_does(library: ctypes.CDLL) -> None:
    draw = random.Random(1)
    packets = random_packets(draw, 1500)
    # What was captured is often less than what was on the wire.
    memory, records = P.records_of(packets, [len(one) + draw.choice([0, 0, 100]) for one in packets])
    texts = [*realistic().values(), *(random_filter(draw) for _ in range(40))]
    accepted = 0
    for text in texts:
        expected = by_c(library, text, memory, records)
        sift = P.Filter(text)
        assert sift(memory, records).tolist() == expected, text
        assert sift.compiled.tier == "templates" or sift.compiled.tier.startswith("llvm")
        accepted += 0 < np.count_nonzero(expected) < len(expected)
    assert accepted > len(texts) // 2


def test_filters_decide_alike_in_every_tier(library: ctypes.CDLL) -> None:
    draw = random.Random(2)
    memory, records = P.records_of(random_packets(draw, 300))
    for text in [WEB, *(random_filter(draw) for _ in range(3))]:
        code = P.Filter(text).compiled.code
        expected = by_c(library, text, memory, records)
        for tier, count in (("llvm", 300), ("machine", 20)):
            kept = records[:count].copy()
            given = (Memory("packets", 8), Memory("records", 32), "integer")
            compile_code(code, *given, tier=tier)(memory, kept.reshape(-1), kept.size)
            assert kept[:, 3].tolist() == expected[:count], (tier, text)


def test_the_interpreter_itself_decides_alike() -> None:
    draw = random.Random(3)
    memory, records = P.records_of(random_packets(draw, 40))
    for text in [WEB, *(random_filter(draw) for _ in range(20))]:
        by_python = records.copy()
        words = Memory("records", 32, by_python.reshape(-1))
        P.sift(P.read_filter(text), Memory("packets", 8, memory), words, by_python.size)
        assert P.Filter(text)(memory, records).tolist() == by_python[:, 3].tolist(), text


def test_numbers_of_ddd_are_the_same_filter() -> None:
    rows = [[int(one, 0) for one in line.strip("{}, ").split(",")] for line in WEB.splitlines()]
    decimal = "\n".join([str(len(rows)), *(" ".join(map(str, row)) for row in rows)])
    assert P.read_filter(decimal) == P.read_filter(WEB)


def test_what_lies_around_a_packet_decides_nothing() -> None:
    draw = random.Random(5)
    packets = random_packets(draw, 200)
    memory, records = P.records_of(packets)
    around, moved = P.records_of([one for each in packets for one in (each, b"\xff" * 70)])
    for text in [*realistic().values(), *(random_filter(draw) for _ in range(10))]:
        sift = P.Filter(text)
        assert sift(memory, records).tolist() == sift(around, moved)[::2].tolist(), text


def test_records_outside_of_the_memory_are_refused() -> None:
    memory, records = P.records_of([P.frame(6, 1, 80)])
    records[0, 1] = 1000
    with pytest.raises(InputError, match="not in the memory"):
        P.Filter(WEB)(memory, records)


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("", 1, "0 instructions"),
        ("{ 0x6, 0, 0 },", 1, "no instruction"),
        ("\n{ 0x6, 0, 0, 0xfffffffff },", 2, "no instruction"),
        ("{ 0x6, 256, 0, 0x0 },", 1, "too large"),
        ("2\n6 0 0 0\n", 1, "2 instructions are told, 1 follow"),
        ("{ 0x99, 0, 0, 0x0 },\n{ 0x6, 0, 0, 0x0 },", 1, "no instruction has the code 0x99"),
        ("{ 0x15, 0, 1, 0x0 },\n{ 0x6, 0, 0, 0x0 },", 1, "a jump over 1 of the 1 instructions"),
        ("{ 0x5, 0, 0, 0xffffffff },\n{ 0x6, 0, 0, 0x0 },", 1, "a jump over 4294967295"),
        ("{ 0x34, 0, 0, 0x0 },\n{ 0x6, 0, 0, 0x0 },", 1, "division by zero"),
        ("{ 0x94, 0, 0, 0x0 },\n{ 0x6, 0, 0, 0x0 },", 1, "division by zero"),
        ("{ 0x64, 0, 0, 0x20 },\n{ 0x6, 0, 0, 0x0 },", 1, "a shift by 32"),
        ("{ 0x2, 0, 0, 0x10 },\n{ 0x6, 0, 0, 0x0 },", 1, "no cell 16"),
        ("{ 0x60, 0, 0, 0x3 },\n{ 0x6, 0, 0, 0x0 },", 1, "cell 3 is read before"),
        ("{ 0x28, 0, 0, 0xfffff000 },\n{ 0x6, 0, 0, 0x0 },", 1, "no part of a packet"),
        ("{ 0x6, 0, 0, 0x0 },\n{ 0x4, 0, 0, 0x1 },", 2, "no return"),
        ("{ 0x6, 0, 0, 0x0 },\n" * 4097, 1, "4097 instructions"),
    ],
)
def test_bad_filters_are_refused_at_their_line(text: str, line: int, says: str) -> None:
    with pytest.raises(InputError) as told:
        P.read_filter(text)
    assert says in str(told.value)
    assert told.value.place == f"filter, line {line}"
    assert told.value.fix


def test_a_store_on_one_way_only_is_no_store() -> None:
    rows = ["{ 0x15, 0, 1, 0x1 },", "{ 0x2, 0, 0, 0x0 },", "{ 0x60, 0, 0, 0x0 },", "{ 0x16, 0, 0, 0x0 },"]
    with pytest.raises(InputError, match="line 3: the cell 0 is read"):
        P.read_filter("\n".join(rows))


def test_the_example_prints_verdicts() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", str(ROOT / "examples/packets.py")],
        input=WEB, check=True, capture_output=True, text=True,
    )  # fmt: skip
    assert done.stdout == "[262144, 262144, 0, 0, 0]\n"
