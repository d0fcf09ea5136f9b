"""Groups that lie K apart from lane to lane: wide loads, one store, lookups; the same bytes as by NumPy."""

import re
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pellucid.backends.jit.engine import machine
from pellucid.backends.llvm import LlvmBackend, function, register_reads
from pellucid.backends.numpy import NumpyBackend
from pellucid.ir import nest as N
from pellucid.ir import types as T
from pellucid.ir.parse import parse_nest
from pellucid.loops.core.tactic import attempt, run

DENSE = "%g"
"""What the names of single elements begin with in the text: where there are none, whole registers are read."""


def both(text: str, seed: int = 0) -> tuple[str, list[np.ndarray]]:
    """The LLVM text of a nest, once its places are made, and its output by LLVM and by NumPy."""
    kernel = run(attempt("place"), parse_nest(text)).kernel
    rng = np.random.default_rng(seed)
    (out,) = kernel.outputs
    given_ = {b: rng.integers(0, 250, b.size).astype(b.type.dtype) for b in N.inputs(kernel)}
    found: list[np.ndarray] = []
    for backend in (LlvmBackend(), NumpyBackend()):
        memory = {**given_, out: np.full(out.size, 77, out.type.dtype)}
        backend.compile(kernel, {}).run({}, memory)
        found.append(memory[out])
    return LlvmBackend().text(kernel, {}), found


@pytest.fixture
def in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """No table is small enough for registers: as on a processor that brings bytes in no order it is given."""
    monkeypatch.setattr(register_reads, "MAX_BYTES", 0)


def program(
    type_: str, step: int, count: int, lanes: int, places: list[int], order: list[int], first: int
) -> str:
    size = step * count + first
    lines = [
        f"    out[i * {step} + {first + c}] := a[i * {step} + {first + k}]"
        for c, k in zip(places, order, strict=True)
    ]
    head = [
        "kernel k():",
        f"  output out: {type_}[{size}]",
        f"  input a: {type_}[{size}]",
        f"  for i in 0 .. {count} by {lanes} lanes:",
    ]
    return "\n".join([*head, *lines]) + "\n"


@pytest.mark.parametrize("many", [function.PERMUTE_THRESHOLD, 0], ids=["short code", "long code"])
@given(st.data())
def test_groups_are_moved_as_a_whole(many: int, data: st.DataObject):
    type_, size = data.draw(st.sampled_from([("u8", 1), ("u16", 2), ("i32", 4), ("f32", 4), ("f64", 8)]))
    step = data.draw(st.integers(2, min(9, 64 // size)))
    lanes = data.draw(st.sampled_from([4, 8, 16, 32]))
    count = data.draw(st.integers(lanes, 3 * lanes + 1))
    places = data.draw(st.permutations(range(step)))[: data.draw(st.integers(1, step))]
    order = data.draw(st.lists(st.integers(0, step - 1), min_size=len(places), max_size=len(places)))
    with patch.object(function, "PERMUTE_THRESHOLD", many):
        text, (mine, wanted) = both(
            program(type_, step, count, lanes, places, order, data.draw(st.integers(0, 5)))
        )
    assert np.array_equal(mine, wanted)
    assert DENSE not in text


def test_a_copied_group_is_brought_into_order_at_once():
    def shuffles(text: str) -> int:
        return len(re.findall(r"shufflevector|@llvm\.x86\.\w+\.v?perm", text))

    nest = program("u8", 4, 64, 16, [0, 1, 2, 3], [2, 1, 0, 3], 0)
    copied, (mine, wanted) = both(nest)
    assert np.array_equal(mine, wanted)
    # What is computed is taken apart first, and put together afterwards.
    computed, _ = both(nest.replace("a[i * 4 + 3]", "max(a[i * 4 + 3], a[i * 4])"))
    assert 2 * shuffles(copied) < shuffles(computed)


def test_a_group_that_is_copied_from_two_is_put_together():
    rows = "".join(f"    out[i * 4 + {c}] := a[i * 4 + {k}]\n" for c, k in enumerate([1, 0, 100, 3]))
    head = "kernel k():\n  output out: u8[256]\n  input a: u8[400]\n  for i in 0 .. 64 by 16 lanes:\n"
    _, (mine, wanted) = both(head + rows)
    assert np.array_equal(mine, wanted)


@pytest.mark.parametrize("count", [1, 2, 15])
def test_fewer_iterations_than_lanes_are_moved_as_well(count: int):
    _, (mine, wanted) = both(program("u8", 3, count, 16, [2, 0, 1], [0, 1, 2], 1))
    assert np.array_equal(mine, wanted)


def test_two_rows_that_take_turns_become_two_stores():
    rows = "".join(
        f"    out[i * 4 + {c + r * 200}] := a[i * 4 + {3 - c + r * 200}]\n"
        for c in range(4)
        for r in range(2)
    )
    text, (mine, wanted) = both(
        f"kernel k():\n  output out: u8[400]\n  input a: u8[400]\n  for i in 0 .. 48 by 16 lanes:\n{rows}"
    )
    assert np.array_equal(mine, wanted)
    assert text.count("store <64 x i8>") == 2


@pytest.mark.parametrize(
    "turn",
    [
        pytest.param(
            "    out[i * 4] := a[i]\n    out[i * 4] := a[i + 1]\n    out[i * 4 + 1] := a[i + 2]\n",
            id="they may meet",
        ),
        pytest.param(
            "    out[i * 4] := a[i]\n    out[i * 4 + 1] := out[i * 4]\n",
            id="what was stored is read again",
        ),
        pytest.param(
            "    if a[i] < 100:u8:\n      out[i * 2] := a[i]\n      out[i * 2 + 1] := a[i * 2]\n",
            id="each lane for itself under a condition",
        ),
    ],
)
def test_stores_that_are_not_one_stay_in_their_order(turn: str):
    _, (mine, wanted) = both(
        f"kernel k():\n  output out: u8[200]\n  input a: u8[200]\n  for i in 0 .. 40 by 16 lanes:\n{turn}"
    )
    assert np.array_equal(mine, wanted)


@pytest.mark.usefixtures("in_memory")
@pytest.mark.parametrize("index", ["u8", "u16", "i32"])
def test_what_is_looked_up_goes_to_its_place_one_by_one(index: str):
    at = "a[i]" if index == "i32" else "convert.i32(a[i])"
    text = (
        f"kernel k():\n  output out: u8[300]\n  input a: {index}[100]\n  input table: u8[256]\n"
        f"  for i in 0 .. 100 by 16 lanes:\n    out[i * 3 + 2] := table[convert.i32(convert.u8({at} & 255))]\n"
        f"    out[i * 3] := table[convert.i32(convert.u8(({at} + 3) & 255))]\n    out[i * 3 + 1] := 9:u8\n"
    )
    _, (mine, wanted) = both(text)
    assert np.array_equal(mine, wanted)


@pytest.mark.usefixtures("in_memory")
@pytest.mark.parametrize("constant", [None, 0, 1])
@pytest.mark.parametrize("type_", ["u8", "u16", "f32", "f64"])
@pytest.mark.parametrize("step", [2, 3, 4, 6])
def test_what_is_looked_up_for_a_group_without_gaps_is_stored_in_words(
    type_: str, step: int, constant: int | None
):
    """Also with a constant at one of its places, as the alpha of opaque pixels is."""
    values = [f"table[convert.i32((a[i] * {c + 3}:u16 + {c}:u16) & 255:u16)]" for c in range(step)]
    if constant is not None:
        values[constant] = "77.0" if type_ == "f32" else "77.0:f64" if type_ == "f64" else f"77:{type_}"
    lines = [f"    out[i * {step} + {c}] := {values[c]}" for c in reversed(range(step))]
    head = ["kernel k():", f"  output out: {type_}[{40 * step}]", "  input a: u16[40]"]
    text = "\n".join([*head, f"  input table: {type_}[256]", "  for i in 0 .. 40 by 16 lanes:", *lines, ""])
    _, (mine, wanted) = both(text)
    assert np.array_equal(mine, wanted)


@pytest.mark.usefixtures("in_memory")
@pytest.mark.parametrize("index", ["u8", "u16", "i32"])
@pytest.mark.parametrize("type_", ["u8", "i16"])
def test_small_elements_are_looked_up_a_few_in_a_turn(type_: str, index: str):
    at = "convert.i32(a[i])" if index == "u8" else f"convert.i32(a[i] & 255:{index})"
    text, (mine, wanted) = both(
        f"kernel k():\n  output out: {type_}[100]\n  input a: {index}[100]\n  input table: {type_}[256]\n"
        f"  for i in 0 .. 100 by 16 lanes:\n    out[i] := table[{at}] + table[{at}] * 3:{type_}\n"
    )
    assert np.array_equal(mine, wanted)
    assert DENSE not in text


@pytest.mark.usefixtures("in_memory")
@pytest.mark.parametrize("lanes", [8, 16, 32])
def test_what_is_looked_up_in_one_table_is_so_by_one_loop(lanes: int):
    """Also where it is wanted at a number that was looked up, or under another name for the number."""
    at = [f"convert.i32(a[i * 3 + {k}])" for k in range(3)]
    text, (mine, wanted) = both(
        "kernel k():\n  output out: u8[256]\n  input a: u8[384]\n  input table: u8[256]\n  input other: u16[256]\n"
        f"  for i in 0 .. 128 by {lanes} lanes:\n"
        f"    out[i * 2] := table[{at[0]}] + table[{at[1]}] * 3:u8 + convert.u8(other[{at[2]}])\n"
        f"    out[i * 2 + 1] := table[convert.i32(table[{at[2]}])] + convert.u8(other[{at[0]}])\n"
    )
    assert np.array_equal(mine, wanted)
    # One for each table, one for what is looked up twice, and the one over all lanes.
    assert lanes == 8 or text.count(" = phi ") == 4


@pytest.mark.usefixtures("in_memory")
@pytest.mark.parametrize("apart", [0, 7])
def test_groups_that_look_up_alike_are_stored_by_one_loop(apart: int):
    """Rows of pixels, for example; also where some of a group is of other use."""
    rows = [
        f"    out[j * 400 + i * 3 + {200 * row + c}] := table[convert.i32(a[i * 6 + {3 * row + c}])]\n"
        for row in range(2)
        for c in range(3)
    ]
    rows.insert(apart, "    more[j * 64 + i] := table[convert.i32(a[i * 6 + 1])]\n" if apart else "")
    body = "".join("  " + row for row in rows if row).replace("more[j * 64 + i]", "out[j * 400 + i + 1000]")
    text, (mine, wanted) = both(
        "kernel k():\n  output out: u8[2000]\n  input a: u8[384]\n  input table: u8[256]\n"
        f"  for j in 0 .. 2:\n    for i in 0 .. 64 by 32 lanes:\n{body}"
    )
    assert np.array_equal(mine, wanted)
    # Over rows, over lanes, over groups, over the lanes of a group.
    assert apart or text.count(" = phi ") == 4


@pytest.mark.usefixtures("in_memory")
@pytest.mark.parametrize("gap", [0, 3])
def test_groups_alike_may_have_gaps(gap: int):
    """As pixels of four bytes of which one is of no use have."""
    rows = "".join(
        f"      out[j * 600 + i * 4 + {300 * row + c}] := table[convert.i32(a[i * 6 + {3 * row + c % 3}])]\n"
        for row in range(2)
        for c in range(4)
        if c != gap
    )
    text, (mine, wanted) = both(
        "kernel k():\n  output out: u8[2000]\n  input a: u8[384]\n  input table: u8[256]\n"
        f"  for j in 0 .. 2:\n    for i in 0 .. 64 by 32 lanes:\n{rows}"
    )
    assert np.array_equal(mine, wanted)
    assert text.count(" = phi ") == 4


@pytest.mark.usefixtures("in_memory")
@pytest.mark.parametrize("second", [9, 8])
def test_groups_alike_have_the_same_constants(second: int):
    """Pixels of two rows of which one place is not looked up; where it differs from row to row, each has its loop."""
    rows = "".join(
        f"      out[j * 600 + i * 4 + {300 * row + c}] := "
        + (f"table[convert.i32(a[i * 6 + {3 * row + c}])]" if c < 3 else f"{(9, second)[row]}:u8")
        + "\n"
        for row in range(2)
        for c in range(4)
    )
    text, (mine, wanted) = both(
        "kernel k():\n  output out: u8[2000]\n  input a: u8[384]\n  input table: u8[256]\n"
        f"  for j in 0 .. 2:\n    for i in 0 .. 64 by 32 lanes:\n{rows}"
    )
    assert np.array_equal(mine, wanted)
    # Over rows, over lanes, and over the lanes of each group: of groups alike, over these.
    assert text.count(" = phi ") == 4


@pytest.mark.parametrize("lanes", [8, 16, 32])
def test_a_value_of_several_places_is_in_a_register_once(lanes: int):
    """An alpha of many pixels, and a gray in three channels: fewer registers are brought together."""
    values = ["255:u8", "a[i] * 3:u8", "a[i] * 3:u8", "a[i] * 3:u8", "255:u8", "7:u8", "a[i]", "a[i] ^ 9:u8"]
    lines = "".join(f"    out[i * 8 + {k}] := {v}\n" for k, v in enumerate(values))
    text, (mine, wanted) = both(
        f"kernel k():\n  output out: u8[800]\n  input a: u8[100]\n  for i in 0 .. 100 by {lanes} lanes:\n{lines}"
    )
    assert np.array_equal(mine, wanted)
    assert DENSE not in text


@pytest.mark.parametrize("lanes", [8, 16, 32, 64])
@pytest.mark.parametrize("many", [function.PERMUTE_THRESHOLD, 0], ids=["short code", "long code"])
@pytest.mark.parametrize(
    "values", [(255, 255, 255, 255), (0, 255), (1, 2, 3), (255, None), (0, None, 7), (None, 0)]
)
def test_constants_of_a_group_are_no_matter_of_registers(
    monkeypatch: pytest.MonkeyPatch, lanes: int, many: int, values: tuple[int | None, ...]
):
    """All of a group, or some of it: code generators fail on shuffles of nothing but constants."""
    monkeypatch.setattr(function, "PERMUTE_THRESHOLD", many)
    step = len(values)
    for type_ in ("u8", "u16"):
        lines = "".join(
            f"    out[i * {step} + {k}] := " + ("a[i]" if v is None else f"{v}:{type_}") + "\n"
            for k, v in enumerate(values)
        )
        _, (mine, wanted) = both(
            f"kernel k():\n  output out: {type_}[{100 * step}]\n  input a: {type_}[100]\n"
            f"  for i in 0 .. 100 by {lanes} lanes:\n{lines}"
        )
        assert np.array_equal(mine, wanted)


def test_what_an_earlier_loop_stored_is_read_and_stored_in_groups():
    """Only what a loop itself stores to keeps its loads and stores apart."""
    first = "".join(f"        near[i * 2 + {k}] := a[j * 80 + i * 2 + {1 - k}]\n" for k in range(2))
    second = "".join(f"        out[j * 80 + i * 2 + {k}] := near[i * 2 + {1 - k}]\n" for k in range(2))
    text, (mine, wanted) = both(
        "kernel k():\n  output out: u8[320]\n  input a: u8[320]\n  for j in 0 .. 4:\n    alloc near: u8[80]:\n"
        f"      for i in 0 .. 40 by 16 lanes:\n{first}      for i in 0 .. 40 by 16 lanes:\n{second}"
    )
    assert np.array_equal(mine, wanted)
    assert DENSE not in text


@pytest.mark.parametrize("many", [function.PERMUTE_THRESHOLD, 0], ids=["short code", "long code"])
@given(st.data())
def test_bits_of_a_group_are_moved_wherever_they_go(many: int, data: st.DataObject):
    kind, wide = data.draw(st.sampled_from([("u8", 8), ("u16", 16), ("u32", 32)]))
    source, bits = data.draw(st.sampled_from([("u8", 8), ("u16", 16)]))
    step, reach = data.draw(st.integers(2, 128 // wide)), data.draw(st.integers(2, 128 // bits))
    lanes = data.draw(st.sampled_from([8, 16, 32]))

    def piece(low: int, beyond: int) -> str:
        """Bits from one to before another, from anywhere in an element."""
        size = data.draw(st.integers(1, min(beyond - low, bits)))
        first = data.draw(st.integers(0, bits - size))
        found = f"convert.{kind}(a[i * {reach} + {data.draw(st.integers(0, reach - 1))}])"
        if first and wide >= bits:
            found = f"shift_right_in({found}, {first}:{kind})"
        found = f"({found} & {(1 << size) - 1}:{kind})"
        return f"shift_left_in({found}, {low}:{kind})" if low else found

    def value() -> str:
        ends = sorted(data.draw(st.sets(st.integers(0, wide - 1), min_size=1, max_size=3)))
        return " | ".join(piece(low, beyond) for low, beyond in zip(ends, [*ends[1:], wide], strict=True))

    lines = [f"    out[i * {step} + {c}] := {value()}\n" for c in range(step)]
    head = [
        "kernel k():\n",
        f"  output out: {kind}[{step * 64}]\n",
        f"  input a: {source}[{reach * 64}]\n",
        f"  for i in 0 .. 64 by {lanes} lanes:\n",
    ]
    with patch.object(function, "PERMUTE_THRESHOLD", many):
        _, (mine, wanted) = both("".join([*head, *lines]))
    assert np.array_equal(mine, wanted)


def test_ten_bits_of_two_bytes_are_taken_as_windows():
    def line(c: int, shift: int) -> str:
        low, high = (f"convert.u16(a[i * 8 + {c + k}])" for k in (0, 1))
        both = f"shift_right_in({low} | shift_left_in({high}, 8:u16), {shift}:u16) & 1023:u16"
        return (
            f"    out[i * 4 + {c % 4}] := convert.u8({both})\n"
            f"    out[i * 4 + {c % 4 + 1}] := convert.u8(shift_right_in({both}, 8:u16))\n"
        )

    nest = (
        "kernel k():\n  output out: u8[256]\n  input a: u8[512]\n  for i in 0 .. 64 by 16 lanes:\n"
        + line(0, 2) + line(6, 4)
    )  # fmt: skip
    with patch.object(function, "PERMUTE_THRESHOLD", 0):
        text, (mine, wanted) = both(nest)
    assert np.array_equal(mine, wanted)
    if machine().permutes:
        assert "pmultishift" in text
        assert "lshr <" not in text


def test_a_register_has_no_more_windows_than_it_needs():
    """The last register of 8 times 17 bytes has the bytes 9 to 16 of a group, and nothing of its first."""
    rows = "".join(f"    out[i * 17 + {c}] := a[i * 17 + {16 - c}]\n" for c in range(1, 17))
    head = "kernel k():\n  output out: u8[272]\n  input a: u8[272]\n  for i in 0 .. 16 by 8 lanes:\n"
    first = "    out[i * 17] := a[i * 17] & 15:u8 | a[i * 17 + 1] & 240:u8\n"
    with patch.object(function, "PERMUTE_THRESHOLD", 0):
        _, (mine, wanted) = both(head + first + rows)
    assert np.array_equal(mine, wanted)


def test_an_index_of_the_same_name_may_have_other_bounds():
    """In the second loop positions wrap: its last iterations store again what the first has stored."""
    turn = "".join(f"    out[i * 4 + {c}] := a[i * 4 + {3 - c}] + {{}}:u8\n" for c in range(4))
    head = "kernel k():\n  output out: u8[64]\n  input a: u8[64]\n"
    loops = [
        f"  for i in {lo} .. {lo + 16} by 8 lanes:\n{turn.format(*[k] * 4)}"
        for k, lo in ((1, 0), (2, (1 << 30) - 8))
    ]
    for first, second in (loops, loops[::-1]):
        _, (mine, wanted) = both(head + first + second)
        assert np.array_equal(mine, wanted)


def packing(kind: str, field: int, count: int) -> str:
    """Stores of the low bits of elements, side by side, in bytes; a cycle of so many elements for each lane."""
    size = 8 * np.dtype(T.BY_NAME[kind].dtype).itemsize

    def byte(k: int) -> str:
        found: list[str] = []
        for n in range(count):
            left = n * field - 8 * k
            if not -field < left < 8:
                continue
            part = f"convert.u32(a[i * {count} + {n}] & {(1 << field) - 1}:{kind})"
            shift = (
                f"shift_left_in({part}, {left}:u32)" if left > 0 else f"shift_right_in({part}, {-left}:u32)"
            )
            found.append(shift if left else part)
        return f"convert.u8({' | '.join(found)})"

    bytes_ = count * field // 8
    rows = "".join(f"    out[i * {bytes_} + {k}] := {byte(k)}\n" for k in range(bytes_))
    assert 0 < field < size
    head = f"kernel k():\n  output out: u8[{bytes_ * 64}]\n  input a: {kind}[{count * 64}]\n"
    return f"{head}  for i in 0 .. 64 by 32 lanes:\n{rows}"


@pytest.mark.parametrize(
    ("kind", "field", "count"),
    [("u8", 6, 4), ("u8", 4, 4), ("u8", 1, 16), ("u8", 5, 8), ("u16", 12, 2), ("u16", 10, 4)],
)
def test_fields_of_neighbors_are_closed_up_before_they_are_stored(kind: str, field: int, count: int):
    text, (mine, wanted) = both(packing(kind, field, count))
    assert np.array_equal(mine, wanted)
    if machine().permutes:
        # Neighbors are put together by shifts, and bytes are no extracts of bits then.
        assert "lshr" in text
        assert "pmultishift" not in text


@pytest.mark.one_in(2)
@pytest.mark.parametrize("kind", ["u8", "i16", "u32", "f32", "f64"])
@pytest.mark.parametrize("index", ["u8", "u16", "i32"])
@pytest.mark.parametrize("lanes", [16, 32, 64])
@pytest.mark.parametrize("first", [0, 7, 300])
def test_a_table_of_a_few_registers_is_read_by_shuffles(kind: str, index: str, lanes: int, first: int):
    wide = T.named(kind).dtype.itemsize
    fitting = register_reads.MAX_SHUFFLES * machine().shuffled_bytes // wide**2
    most = min(register_reads.MAX_BYTES // wide, fitting)
    for size in (1, 5, most // 4, most // 2 + 3, most, most + 1):
        number = f"convert.{index}(a[i])" if index != "u8" else "a[i]"
        clamped = f"convert.i32(min({number}, {min(size - 1, 255)}:{index})) + {first}"
        text, (mine, wanted) = both(
            f"kernel k():\n  output out: {kind}[150]\n  input a: u8[150]\n  input t: {kind}[{size + first}]\n"
            f"  for i in 0 .. 150 by {lanes} lanes:\n    out[i] := t[{clamped}]\n"
        )
        assert np.array_equal(mine, wanted)
        if machine().ordered_bytes:
            by_shuffles = size <= most or most >= 256
            assert bool(re.search(r"v?perm\w*\.qi|pshuf\.b", text)) == by_shuffles
            assert ("%slot" in text or DENSE in text) != by_shuffles


def test_a_table_that_the_loop_before_filled_is_read_anew():
    head = "kernel k():\n  output out: u8[128]\n  input a: u8[64]\n  alloc t: u8[64]:\n"
    fill = "    for i in 0 .. 64 by 32 lanes:\n      t[i] := a[i] + {0}:u8\n"
    read = "    for i in 0 .. 64 by 32 lanes:\n      out[i + {0}] := t[convert.i32(a[i] & 63:u8)]\n"
    _, (mine, wanted) = both(head + fill.format(1) + read.format(0) + fill.format(9) + read.format(64))
    assert np.array_equal(mine, wanted)


@pytest.mark.parametrize("kind", ["u8", "u16", "f32"])
def test_a_store_to_every_second_place_leaves_the_others(kind: str):
    text, (mine, wanted) = both(
        f"kernel k():\n  output out: {kind}[300]\n  input a: {kind}[150]\n"
        "  for i in 0 .. 128 by 32 lanes:\n    out[i * 2 + 1] := a[i]\n"
    )
    assert np.array_equal(mine, wanted)
    if machine().cheap_masks:
        assert "masked.store" in text
        assert "%slot" not in text


def test_a_table_is_read_from_its_first_element_where_facts_alone_allow_earlier_ones():
    # The number may be below 0 as far as its operands tell; that it is clamped afterwards is what bounds it.
    text, (mine, wanted) = both(
        "kernel k():\n  output out: u8[150]\n  input a: u8[150]\n  input t: u8[60]\n"
        "  for i in 0 .. 150 by 32 lanes:\n"
        "    out[i] := t[max(convert.i32(min(a[i], 79:u8)) - 20, 0)]\n"
    )
    assert np.array_equal(mine, wanted)
    if machine().ordered_bytes:
        assert re.search(r"v?perm\w*\.qi|pshuf\.b", text)
