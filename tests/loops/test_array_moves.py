"""Moves on whole arrays: goldens in `tests/loops/array_moves`, refusals, meaning on random nests, clauses left out.

A golden says in its first line which move is made at which statement, counted from 1 down the page (0 is the whole
kernel), and with which options. To write the second half of a file, delete it and run the test with
PELLUCID_WRITE_GOLDENS=1; then read it.
"""

import os
import random
import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pellucid.backends.llvm import LlvmBackend
from pellucid.base.errors import BackendError
from pellucid.ir import expr as E
from pellucid.ir import nest as N
from pellucid.ir import types as T
from pellucid.ir.expr import Buffer, Expr, apply, const
from pellucid.ir.interp import run
from pellucid.ir.nest import Alloc, For, Kernel, Store
from pellucid.ir.parse import parse_nest
from pellucid.ir.path import walk
from pellucid.ir.text import print_nest
from pellucid.ir.verify import verify_kernel
from pellucid.loops.core.move import Move
from pellucid.loops.core.registry import named
from pellucid.reasoning.prove import Proved

FILES = sorted((Path(__file__).parent / "array_moves").glob("*.nest"))
BECOMES = "\nbecomes\n\n"
MOVES = ("coalesce", "compute_at", "contract_array", "inline_array", "separate_window", "split_range")


def option(word: str) -> tuple[str, object]:
    name, _, text = word.partition("=")
    return name, tuple(map(int, text.split(","))) if name == "cuts" else text


def asked(text: str) -> tuple[Kernel, Move, tuple, dict[str, object]]:
    """The program of a text, and the move that its first line names: where, and how."""
    found = re.match(r"# (\w+) at (\d+)((?: \w+=\S+)*): ", text)
    assert found, "the first line says '# move at number options: why'"
    kernel = parse_nest(text.split("\n", 1)[1])
    path = [(), *(p for p, _ in walk(kernel.body))][int(found[2])]
    return kernel, named(found[1]), path, dict(option(w) for w in found[3].split())


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_golden(file: Path):
    before, _, after = file.read_text().partition(BECOMES)
    kernel, move, path, options = asked(before)
    assert path in list(move.find(kernel, **options))
    verdict = move.check(kernel, path, **options)
    assert isinstance(verdict, Proved), verdict
    made = move.apply(kernel, path, **options).kernel
    found = print_nest(made)
    if not after and os.environ.get("PELLUCID_WRITE_GOLDENS"):
        file.write_text(before.rstrip("\n") + "\n" + BECOMES + found)
        after = found
    assert found == after
    assert same(kernel, made)


def test_every_move_has_a_golden():
    assert {re.match(r"# (\w+)", f.read_text())[1] for f in FILES} == set(MOVES)


# ---- refusals ----

FILL = """  alloc t: f32[12]:
    for y in 0 .. 3:
      for x in 0 .. 4:
        t[y * 4 + x] := a[y * 4 + x] * 2.0
"""
TAKE = """    for y in 0 .. 3:
      for x in 0 .. 4:
        out[y * 4 + x] := t[y * 4 + x]
"""
HEAD = "kernel k():\n  output out: f32[12]\n  input a: f32[12]\n"
WINDOW = "  for y in 0 .. 3:\n    for x in 0 .. 4:\n      out[y * 4 + x] := "
PAIRS = "a[y * 4 + x] * {} + a[y * 4 + {}] + a[max(y - 1, 0) * 4 + x] + a[max(y - 1, 0) * 4 + {}]\n"
PEAKS = (
    "max(max(max({} + a[max(y - 1, 0) * 4 + max(x - 1, 0)], {} + a[max(y - 1, 0) * 4 + x]), "
    "{} + a[y * 4 + max(x - 1, 0)]), {} + a[y * 4 + x])\n"
)
ITERATIONS = """kernel k():
  output s: i32[1]
  alloc t: i32[8]:
    for i in 0 .. 8:
      t[i] := (iterate 0 (i) to (@0.0:i32 * 2 + i) until false limit 3 end).0
    s[0] := (iterate 0 (1) to (@0.0:i32 + t[min(max(@0.0:i32, 0), 7)]) until false limit 5 end).0
"""

REFUSED = [
    ("inline_array", HEAD + FILL + TAKE, 0, {"array": "u"}, "filled"),
    ("inline_array", HEAD + FILL.replace("0 .. 4", "1 .. 4") + TAKE, 0, {"array": "t"}, "filled"),
    ("inline_array", HEAD + FILL.replace("y * 4 + x]", "x * 3 + y]", 1) + TAKE, 0, {"array": "t"}, "filled"),
    ("inline_array", HEAD + FILL + "    t[3] := 1.0\n" + TAKE, 0, {"array": "t"}, "filled"),
    ("inline_array", HEAD + FILL + TAKE, 0, {"array": "out"}, "scratch"),
    ("inline_array", HEAD + FILL + TAKE.replace("x]\n", "(x + 1)]\n"), 0, {"array": "t"}, "loaded-inside"),
    ("inline_array", HEAD + FILL + TAKE.replace("t[y * 4 + x]", "t[5]"), 0, {"array": "t"}, "loaded-inside"),
    (
        "inline_array",
        HEAD + FILL.replace(":\n", ":\n    out[0] := t[1 * 4 + 2]\n", 1) + TAKE,
        0,
        {"array": "t"},
        "loaded-after",
    ),
    (
        "inline_array",
        HEAD + FILL.replace("a[", "out[") + "    out[1] := 3.0\n" + TAKE,
        0,
        {"array": "t"},
        "memory-stays",
    ),
    ("inline_array", ITERATIONS, 0, {"array": "t"}, "states-apart"),
    ("separate_window", HEAD + WINDOW + "a[y * 4 + x]\n", 1, {}, "window"),
    (
        "separate_window",
        HEAD + WINDOW + "2.0 * " + PAIRS.format("1.0", "0", "0"),
        1,
        {"numerics": "relaxed"},
        "window",
    ),
    (
        "separate_window",
        HEAD + WINDOW + "3.0 * a[y * 4 + x] + a[y * 4 + 0] + a[0 * 4 + x] + a[0 * 4 + 0]\n",
        1,
        {"numerics": "relaxed"},
        "rank-one",
    ),
    (
        "separate_window",
        HEAD + WINDOW + "a[y * 4 + x] + a[y * 4 + 0] + a[0 * 4 + x] + a[0 * 4 + 0]\n",
        1,
        {},
        "any-order",
    ),
    # A sum of a weight in two steps rounds otherwise, and wraps otherwise where a maximum is between them.
    ("separate_window", HEAD + WINDOW + PEAKS.format(*(f"{k}.0" for k in (3, 4, 5, 6))), 1, {}, "any-order"),
    ("separate_window", (HEAD + WINDOW).replace("f32", "i32") + PEAKS.format(3, 4, 5, 6), 1, {}, "any-order"),
    (
        "separate_window",
        HEAD + WINDOW + "a[y * 4 + x] + a[y * 4 + (x + 1)] + a[0 * 4 + x] + a[0 * 4 + (x + 1)]\n",
        1,
        {"numerics": "relaxed"},
        "inside",
    ),
    (
        "separate_window",
        HEAD + (WINDOW + "a[y * 4 + x] + a[y * 4 + 0] + a[0 * 4 + x] + a[0 * 4 + 0]\n").replace("a[", "out["),
        1,
        {"numerics": "relaxed"},
        "apart",
    ),
    ("contract_array", HEAD + FILL + TAKE, 1, {}, "one-loop"),
    (
        "contract_array",
        HEAD + FILL + "      out[y * 4 + 0] := t[max(y - 1, 0) * 4 + 0]\n",
        1,
        {},
        "own-row",
    ),
    ("contract_array", HEAD + FILL + "      out[y * 4 + 0] := t[y * 4 + 4]\n", 1, {}, "own-row"),
    ("compute_at", HEAD + FILL + TAKE.replace("out[", "a["), 1, {}, "memory-unchanged"),
    ("compute_at", HEAD + FILL + "      a[0] := 1.0\n" + TAKE, 1, {}, "fills-only"),
    ("compute_at", HEAD + FILL + TAKE.replace("t[y", "t[max(y - 1, 0)"), 1, {}, "own-part"),
    ("compute_at", HEAD + FILL + TAKE + TAKE, 1, {}, "two-stages"),
    ("split_range", HEAD + FILL + TAKE, 1, {"cuts": (1,)}, "in-order"),
    ("split_range", HEAD + FILL + TAKE, 2, {"cuts": (4,)}, "in-range"),
    ("split_range", HEAD + FILL + TAKE, 2, {"cuts": (2, 1)}, "in-range"),
    ("split_range", HEAD + FILL + TAKE, 2, {"cuts": (-1,)}, "in-range"),
    (
        "split_range",
        "kernel k():\n  output n: i32[1]\n  for y in 0 .. min(max(n[0], 2), 5):\n    n[0] := 0\n",
        1,
        {"cuts": (1,)},
        "bounds-unchanged",
    ),
    ("coalesce", HEAD + FILL + TAKE, 1, {}, "nested"),
    ("coalesce", HEAD + FILL + TAKE, 3, {}, "nested"),
    ("coalesce", HEAD + WINDOW.replace("0 .. 4", "1 .. 4") + "a[y * 4 + x]\n", 1, {}, "from-zero"),
    ("coalesce", HEAD + WINDOW + "a[y * 5 + x]\n", 1, {}, "one-number"),
    ("coalesce", HEAD + WINDOW + "a[max(y * 4 + x, 3)]\n", 1, {}, "one-number"),
    ("coalesce", HEAD + WINDOW + "convert.f32(x)\n", 1, {}, "one-number"),
    (
        "coalesce",
        HEAD + "  for y in 0 .. 100000:\n    for x in 0 .. 50000:\n      out[0] := a[0]\n",
        1,
        {},
        "no-overflow",
    ),
]


@pytest.mark.parametrize(("move", "text", "at", "options", "clause"), REFUSED)
def test_refused(move: str, text: str, at: int, options: dict[str, object], clause: str):
    kernel = parse_nest(text)
    path = [(), *(p for p, _ in walk(kernel.body))][at]
    verdict = named(move).check(kernel, path, **options)
    assert not isinstance(verdict, Proved)
    assert verdict.clause == clause, verdict


def test_every_clause_has_a_refusal():
    clauses = {
        (name, c.name)
        for name in MOVES
        for t in named(name).theorems
        for c in (*t.clauses, *([t.shape] if t.shape else []))
    }
    assert clauses == {(move, clause) for move, _, _, _, clause in REFUSED}


# ---- random nests ----

HEIGHT, WIDTH = 3, 4
P, Q = Buffer("p", T.f32, HEIGHT * WIDTH), Buffer("q", T.i16, HEIGHT * WIDTH)
T1, T2 = Buffer("t1", T.f32, HEIGHT * WIDTH), Buffer("t2", T.i16, HEIGHT * WIDTH)
Y, X, Z = E.index("y"), E.index("x"), E.index("z")


class Pictures:
    """Writes random programs over two pictures and two scratch arrays: nests that fill them, and what disturbs that."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)

    def whole(self, n: int) -> Expr:
        return const(n, T.i32)

    def coordinate(self, x: Expr, size: int) -> Expr:
        return self.near(x, self.rng.choice((-1, 0, 0, 0, 1)), size)

    def near(self, x: Expr, step: int, size: int) -> Expr:
        moved = apply("add", x, self.whole(step)) if step else x
        if self.rng.random() < 0.85:
            return apply("max", apply("min", moved, self.whole(size - 1)), self.whole(0)) if step else x
        return moved

    def position(self, y: Expr, x: Expr) -> Expr:
        if self.rng.random() < 0.06:
            return self.whole(self.rng.randrange(HEIGHT * WIDTH))
        width = WIDTH if self.rng.random() < 0.95 else WIDTH - 1
        return apply("add", apply("mul", y, self.whole(width)), x)

    def load(self, buffer: Buffer, y: Expr, x: Expr) -> Expr:
        return E.load(buffer, self.position(self.coordinate(y, HEIGHT), self.coordinate(x, WIDTH)))

    def value(self, type_: T.Type, y: Expr, x: Expr, depth: int = 2) -> Expr:
        if depth == 0 or self.rng.random() < 0.3:
            if self.rng.random() < 0.1:
                return apply("convert", self.rng.choice((x, y)), attr=type_)
            return self.load(self.rng.choice([b for b in (P, Q, T1, T2) if b.type is type_]), y, x)
        row = self.rng.choice(("add", "add", "sub", "mul", "max"))
        return apply(row, self.value(type_, y, x, depth - 1), self.value(type_, y, x, depth - 1))

    def window(self, buffer: Buffer, y: Expr, x: Expr) -> Expr:
        """Four to six loads in rows and columns, usually with weights that are a product."""
        steps = [self.rng.sample((-1, 0, 1), k) for k in (2, self.rng.choice((2, 3)))]
        rows, columns = (
            [self.near(at, step, size) for step in some]
            for at, some, size in zip((y, x), steps, (HEIGHT, WIDTH), strict=True)
        )
        u, v = [self.rng.choice((1, 2, 3)) for _ in rows], [self.rng.choice((1, 2, -1)) for _ in columns]
        odd = self.rng.random() < 0.3
        maximum = self.rng.random() < 0.3
        total: Expr | None = None
        for a, r in zip(u, rows, strict=True):
            for b, q in zip(v, columns, strict=True):
                load = E.load(buffer, apply("add", apply("mul", r, self.whole(WIDTH)), q))
                weight = self.rng.choice((1, 2, 3)) if odd else a + b if maximum else a * b
                row = "add" if maximum else "mul"
                term = apply(row, const(weight, buffer.type), load)
                total = term if total is None else apply("max" if maximum else "add", total, term)
        assert total is not None
        return total

    def nest(self, buffer: Buffer, y: Expr = Y, x: Expr = X) -> For:
        window = self.rng.random() < 0.35
        source = self.rng.choice([b for b in (P, Q, T1, T2) if b.type is buffer.type])
        value = self.window(source, y, x) if window else self.value(buffer.type, y, x)
        where = apply("add", apply("mul", y, self.whole(WIDTH)), x)
        if self.rng.random() < 0.1:
            where = self.position(y, x)
        inner = For(
            x, self.whole(int(self.rng.random() < 0.05)), self.whole(WIDTH), (Store(buffer, where, value),)
        )
        return For(y, self.whole(0), self.whole(HEIGHT), (inner,))

    def statement(self) -> N.Statement:
        buffer = self.rng.choice((P, Q, T1, T2, T1, T2))
        pick = self.rng.random()
        if pick < 0.12:
            return Store(
                buffer,
                self.whole(self.rng.randrange(4)),
                self.value(buffer.type, self.whole(1), self.whole(2)),
            )
        if pick < 0.2:
            body = tuple(self.nest(self.rng.choice((P, Q, T1, T2))) for _ in range(2))
            return For(Z, self.whole(0), self.whole(2), body)
        if pick < 0.4:
            # Rows of two nests in one loop, as after joining.
            nests = [self.nest(self.rng.choice((P, Q, T1, T2))) for _ in range(2)]
            return replace(nests[0], body=tuple(n.body[0] for n in nests))
        return self.nest(buffer)

    def stages(self) -> Kernel:
        """Two nests over the same rows: one fills an array for the other, which as a rule loads from its own row."""
        array, out = self.rng.choice(((T1, P), (T2, Q)))
        first, second = self.nest(array), self.nest(out)
        inner, filling = second.body[0], first.body[0]
        assert isinstance(inner, For)
        assert isinstance(filling, For)
        if self.rng.random() < 0.7:
            source = self.rng.choice((P, Q) if array is T1 else (Q,))
            value = apply("convert", self.load(source, Y, X), attr=array.type)
            store = Store(array, apply("add", apply("mul", Y, self.whole(WIDTH)), X), value)
            first = replace(first, body=(replace(filling, body=(store,)),))
        y = self.coordinate(Y, HEIGHT) if self.rng.random() < 0.2 else Y
        own = E.load(array, apply("add", apply("mul", y, self.whole(WIDTH)), self.coordinate(X, WIDTH)))
        inner = replace(inner, body=(Store(out, self.position(Y, X), apply("add", own, own)),))
        return Kernel(
            "k",
            (),
            (P, Q),
            (Alloc({array: self.whole(array.size)}, (first, replace(second, body=(inner,)))),),
        )

    def kernel(self) -> Kernel:
        if self.rng.random() < 0.25:
            return self.stages()
        body = tuple(self.statement() for _ in range(self.rng.randrange(1, 5)))
        sizes = {b: self.whole(b.size) for b in (T1, T2)}
        if self.rng.random() < 0.5:
            return Kernel("k", (), (P, Q), (Alloc(sizes, body),))
        for b, size in reversed(list(sizes.items())):
            body = (Alloc({b: size}, body),)
        return Kernel("k", (), (P, Q), body)


def outcome(kernel: Kernel) -> list[bytes]:
    rng = np.random.default_rng(1)
    memory = {b: rng.integers(-4, 5, b.size).astype(b.type.dtype) for b in (P, Q)}
    used = {
        b: memory[b] if b in memory else rng.integers(0, 9, b.size).astype(b.type.dtype)
        for b in (*kernel.outputs, *N.inputs(kernel))
    }
    run(kernel, {}, used)
    return [used[b].tobytes() for b in kernel.outputs]


def same(before: Kernel, after: Kernel) -> bool:
    verify_kernel(after)
    return outcome(before) == outcome(after)


def sites(move: Move, kernel: Kernel) -> list[tuple[tuple, dict[str, object]]]:
    """Where and how a move may be asked for, sensible or not."""
    paths = [p for p, _ in walk(kernel.body)]
    match move.name:
        case "inline_array":
            return [((), {"array": b.name}) for b in (T1, T2, P)]
        case "split_range":
            return [(p, {"cuts": cuts}) for p in paths for cuts in ((1,), (1, 2), (2, 1), (4,))]
        case "separate_window":
            # The numbers are small and whole: even floats add up in any order.
            return [(p, {"numerics": "relaxed"}) for p in paths]
        case _:
            return [(p, {}) for p in paths]


@cache
def cases(count: int) -> list[Kernel]:
    return [Pictures(seed).kernel() for seed in range(count)]


@pytest.mark.parametrize("name", MOVES)
def test_random_programs_meet_the_move(name: str):
    # A generator that no longer fits its move would test nothing.
    move = named(name)
    proved = sum(isinstance(move.check(k, p, **o), Proved) for k in cases(120) for p, o in sites(move, k))
    assert proved >= 8, proved


@pytest.mark.parametrize("name", MOVES)
@given(st.integers(0, 1 << 30))
def test_a_move_preserves_meaning(name: str, seed: int):
    move, kernel = named(name), Pictures(seed).kernel()
    asked_for = sites(move, kernel)
    for path, options in random.Random(seed).sample(asked_for, min(8, len(asked_for))):
        if isinstance(move.check(kernel, path, **options), Proved):
            after = move.apply(kernel, path, **options).kernel
            assert same(kernel, after), f"{print_nest(kernel)}\nbecame\n{print_nest(after)}"


# ---- limits ----

MOVED = """kernel k():
  output q: i32[{size}]
  input c: u8[8]
  for j in 0 .. 3:
    for i in 0 .. 8:
      q[convert.i32(c[i])] := q[convert.i32(c[i])] + 1
"""
ROWS = """kernel k():
  output q: i32[99]
  alloc s: i32[{all}]:
    for j in 0 .. 3:
      for i in 0 .. {row}:
        s[j * {row} + i] := i
      q[j] := s[j * {row} + 5]
"""
STAGES = ROWS.replace("      q[j]", "    for j in 0 .. 3:\n      q[j]")


@pytest.mark.parametrize(
    ("move", "few", "many", "at"),
    [
        ("privatize", MOVED.format(size=256), MOVED.format(size=8000), 2),
        ("contract_array", ROWS.format(all=96, row=32), ROWS.format(all=120000, row=40000), 1),
        ("compute_at", STAGES.format(all=96, row=32), STAGES.format(all=120000, row=40000), 1),
    ],
)
def test_memory_inside_of_loops_is_offered_where_back_ends_take_it(move: str, few: str, many: str, at: int):
    for text, offered in ((few, True), (many, False)):
        kernel = parse_nest(text)
        path = [(), *(p for p, _ in walk(kernel.body))][at]
        verdict = named(move).check(kernel, path)
        assert isinstance(verdict, Proved) == offered, verdict
        LlvmBackend().compile(kernel, {})
        made = named(move).apply(kernel, path).kernel
        if offered:
            LlvmBackend().compile(made, {})
            continue
        assert verdict.clause == "fits"
        with pytest.raises(BackendError, match="scratch memory inside a loop"):
            LlvmBackend().compile(made, {})
