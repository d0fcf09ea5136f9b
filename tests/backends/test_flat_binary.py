"""Flat binaries: what is loaded without LLVM computes what LLVM's own linker makes of the same object."""

import ctypes
import gc
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pellucid.backends.jit import flat_binary, host
from pellucid.backends.jit.engine import machine
from pellucid.backends.jit.executable import is_possible
from pellucid.base.errors import BackendError

pytestmark = pytest.mark.skipif(not is_possible(), reason="flat binaries are for x86-64 and Linux")

TABLE = """
@table = private constant [4 x i64] [i64 5, i64 7, i64 11, i64 13], align 64
define internal i64 @twice(i64 %n) noinline {
  %m = mul i64 %n, 2
  ret i64 %m
}
define i64 @chosen(i64 %n) {
  %k = and i64 %n, 3
  %p = getelementptr [4 x i64], ptr @table, i64 0, i64 %k
  %v = load i64, ptr %p
  %t = call i64 @twice(i64 %v)
  ret i64 %t
}
define i64 @way(i64 %n) {
  switch i64 %n, label %other [i64 0, label %a  i64 1, label %b  i64 2, label %c  i64 3, label %d  i64 4, label %e]
a: ret i64 3
b: ret i64 1
c: ret i64 4
d: ret i64 10
e: ret i64 5
other: ret i64 -1
}
"""
WRITTEN = (
    "@state = global i64 3\ndefine i64 @state_of(i64 %n) {\n  %v = load i64, ptr @state\n  ret i64 %v\n}"
)
CALLING = "declare i64 @labs(i64)\ndefine i64 @far(i64 %n) {\n  %v = call i64 @labs(i64 %n)\n  ret i64 %v\n}"
SIGNATURE = (ctypes.c_int64, ctypes.c_int64)


def functions(code, names):
    return machine().functions(code, dict.fromkeys(names, SIGNATURE))


def test_a_flat_binary_and_its_object_are_one_program() -> None:
    made = machine().object_code(TABLE)
    placed = flat_binary.flattened(made)
    assert flat_binary.is_flat(placed)
    assert not flat_binary.is_flat(made)
    one, other = functions(placed, ("chosen", "way")), functions(made, ("chosen", "way"))
    for name in ("chosen", "way"):
        assert [one[name](n) for n in range(-3, 9)] == [other[name](n) for n in range(-3, 9)]
    assert [one["chosen"](n) for n in range(4)] == [10, 14, 22, 26]


@pytest.mark.parametrize(("text", "name"), [(WRITTEN, "state_of"), (CALLING, "far")])
def test_what_is_not_placed_here_is_linked_by_llvm(text, name) -> None:
    code = machine().compile(text)
    assert not flat_binary.is_flat(code)
    assert functions(code, (name,))[name](-3) == 3


def test_constants_are_where_their_instructions_expect_them() -> None:
    code = machine().compile("@wide = constant [64 x i8] zeroinitializer, align 64")
    for _ in range(9):
        (place,) = machine().addresses(code, ("wide",))
        assert place % 64 == 0


def test_memory_is_given_back_with_its_functions() -> None:
    code = machine().compile("define i64 @one(i64 %n) { ret i64 1 }")
    large = flat_binary.HEAD + code.removeprefix(flat_binary.HEAD) + bytes(1 << 21)

    def regions() -> int:
        return Path("/proc/self/maps").read_text(encoding="utf-8").count("memfd:pellucid")

    before = regions()
    kept = [flat_binary.addresses(large) for _ in range(5)]
    assert regions() >= before + 8
    del kept
    gc.collect()
    flat_binary.addresses(large)
    assert regions() <= before + 4


def test_threads_load_at_the_same_time() -> None:
    code = machine().compile("define i64 @same(i64 %n) { ret i64 %n }")
    found: list[int] = []

    def load() -> None:
        found.extend(functions(code, ("same",))["same"](n) - n for n in range(50))

    threads = [threading.Thread(target=load) for _ in range(8)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert found == [0] * 400


@given(st.data())
def test_a_damaged_object_is_an_object_still_or_refused(data) -> None:
    code = bytearray(machine().object_code(TABLE))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(code) - 1))
        code[at] = data.draw(st.integers(0, 255))
    made = flat_binary.flattened(bytes(code))
    if flat_binary.is_flat(made):
        found, _ = flat_binary.addresses(made)
        assert len(found) <= 4


@pytest.mark.parametrize("code", [
    b"", b"pellucid flat binary 1 ", b"pellucid flat binary 1 {}\nabc",
    b'pellucid flat binary 1 {"alignment": 16, "names": {"f": 9}}\nabc',
    b'pellucid flat binary 1 {"alignment": 16, "names": {"f": -1}}\nabc', b"pellucid flat binary 1 [1]\nabc",
    b'pellucid flat binary 1 {"alignment": 0, "names": {}}\nabc',
    b'pellucid flat binary 1 {"alignment": 1e9, "names": {}}\nabc',
])  # fmt: skip
def test_what_is_no_flat_binary_is_refused(code) -> None:
    with pytest.raises((ValueError, KeyError, TypeError)):
        flat_binary.addresses(code)


def test_a_name_that_is_not_there_is_refused() -> None:
    with pytest.raises(BackendError, match="has no function 'gone'"):
        functions(machine().compile(TABLE), ("chosen", "gone"))


PROGRAM = """
import sys
import numpy as np
import pellucid as pl
from pellucid import images as im
picture = im.swirl(1, im.checkerboard(10, im.black, im.white))
made = pl.render(picture, 300, backend="llvm", threads=2)
print(int(made.astype(np.int64).sum()), "llvmlite" in sys.modules)
"""


def test_a_picture_whose_code_is_kept_needs_no_llvm(tmp_path) -> None:
    environment = {key: value for key, value in os.environ.items() if key != "PELLUCID_CACHE"}
    environment["PELLUCID_CACHE_DIR"] = str(tmp_path)
    told = [
        subprocess.run(
            [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=True
        ).stdout.split()
        for _ in range(2)
    ]
    assert [one[1] for one in told] == ["True", "False"]
    assert told[0][0] == told[1][0]


FORKED = """
import ctypes, os
from pellucid.backends.jit.engine import machine
def number(n):
    code = machine().compile(f"define i64 @f(i64 %n) {{ ret i64 {n} }}")
    return machine().functions(code, {"f": (ctypes.c_int64, ctypes.c_int64)})["f"]
one = number(1)
told, tell = os.pipe()
child = os.fork()
if child == 0:
    two = number(2)
    os.read(told, 1)
    os._exit(0 if (one(0), two(0)) == (1, 2) else 1)
three = number(3)
os.write(tell, b"!")
print(os.waitpid(child, 0)[1], one(0), three(0))
"""


def test_a_process_and_its_copy_do_not_write_over_each_other() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FORKED], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.split() == ["0", "1", "3"]


def test_what_is_kept_of_a_processor_is_for_that_one(monkeypatch) -> None:
    # An emulator has another processor than the one that the system tells of.
    features = sys.modules["numpy._core._multiarray_umath"].__cpu_features__
    key = host._key()
    name = next(iter(features))
    monkeypatch.setitem(features, name, not features[name])
    assert key
    assert host._key() != key
