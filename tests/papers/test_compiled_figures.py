"""Figures of Draves (1996) as texts: root itself, closures, and what compilers leave of the kernels.

Residual programs are compared with files that a person has read, up to the names of variables and codes.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.staging.both_ways import GRAY, PROGRAMS, SAMPLES
from tests.staging.figures import APPEND, DYN_IF, FILTER, NYBBLES

from pellucid.base.errors import StagingError, TextError
from pellucid.driver.codes import compile_code
from pellucid.staging import Memory
from pellucid.staging.cogen import cogen, tidy
from pellucid.staging.root.machine import run
from pellucid.staging.root.program import Const, Jump, RootCode, RootIf, RootPrim, linked
from pellucid.staging.root.reading import read, read_sugar
from pellucid.staging.root.writing import reached, write, write_sugar

GOLDEN = Path(__file__).parent / "golden"
FIGURE_4 = """
(code append (k l m)
  ((prim t1 null? l) (if t1 ((prim t2 car k) (jump t2 k m)))
   (const t3 nil) (prim t4 cons m t3) (prim t5 cons l t4) (prim frame cons k t5)
   (const t6 cont) (prim cl close t6 frame)
   (prim t7 cdr l) (const t8 append) (jump t8 cl t7 m)))
(code cont (self r)
  ((prim t1 cdr self) (prim k car t1) (prim t2 cdr t1) (prim l car t2) (prim t3 cdr t2) (prim m car t3)
   (prim t4 car l) (prim nr cons t4 r) (prim t5 car k) (jump t5 k nr)))
"""


def shape(*codes: RootCode) -> list[Any]:
    """Programs with numbers for names, in the order in which they come."""
    order = {code: at for at, code in enumerate(reached(*codes))}

    def of(code: RootCode) -> Any:
        names: dict[str, int] = {}

        def number(name: str) -> int:
            return names.setdefault(name, len(names))

        def stream(body: tuple[Any, ...]) -> list[Any]:
            out: list[Any] = []
            for one in body:
                match one:
                    case RootPrim(name, primitive, args):
                        out.append((primitive, *map(number, args), number(name)))
                    case Const(name, value):
                        out.append(
                            (
                                "const",
                                order.get(value, value) if isinstance(value, RootCode) else value,
                                number(name),
                            )
                        )
                    case RootIf(test, inner):
                        out.append(("if", number(test), stream(inner)))
                    case Jump(target, args):
                        out.append(("jump", number(target), *map(number, args)))
            return out

        return [list(map(number, code.params)), stream(code.body)]

    return [of(code) for code in order]


def golden(name: str, residual: RootCode) -> None:
    """A residual program is that of the file."""
    text = (GOLDEN / f"{name}.root").read_text(encoding="utf-8")
    again = read_sugar(write_sugar(residual))
    assert shape(next(iter(again.values()))) == shape(next(iter(read_sugar(text).values())))


def test_N1_figure_3_says_what_root_is_written_as() -> None:
    text = (
        "(code f (k x) ((const one 1) (prim y + x one) (if x ((const z f) (jump z k y)))"
        " (prim go car k) (jump go k y)))"
    )
    code = read(text)["f"]
    assert [type(one) for one in code.body] == [Const, RootPrim, RootIf, RootPrim, Jump]
    assert write(code) == text
    for wrong in (
        "(code f (k) ())", "(code f ((jump k k)))", "(code f (k) ((prim)))", "(code f (k) ((if k) (jump k k)))",
        "(code f (k) ((jump k k) (const x 1)))",
    ):  # fmt: skip
        with pytest.raises((TextError, StagingError)):
            read(wrong)


def test_N1_figure_4_builds_a_closure_for_what_is_left_to_do() -> None:
    sugar = APPEND.replace("  lift cl stack dynamic\n", "").replace("  lift nr\n", "")
    first, second = read_sugar(sugar)["append"], read(FIGURE_4)["append"]
    assert shape(first) == shape(second)


def test_N9_figure_5_is_the_same_program_as_expressions() -> None:
    code = read_sugar(DYN_IF)["dyn-if"]
    assert shape(read(write(code))["dyn-if"]) == shape(code)
    # The print returns by `(car k)(rr)`, without the continuation.
    slip = read_sugar(DYN_IF.replace("(car k)(k rr)", "(car k)(rr)"))["dyn-if"]
    with pytest.raises(StagingError, match="1 values for 2 parameters"):
        run(slip, 40, 1)
    assert run(code, 40, 1) == 42


def test_N8_early_equality_of_root_goes_through_division() -> None:
    code = read_sugar("""
    f(k i) {
      a = (idiv i 32)
      b = (idiv (+ i 20) 32)
      c = (idiv (+ i 30) 32)
      (car k)(k (list (early= a b) (early= a c)))
    }""")["f"]
    residual = tidy(cogen(code, ["D", "cyc"])((32, 5)))
    assert [one.value for one in residual.body if isinstance(one, Const)][:2].count(True) == 1
    found = run(residual, 3)
    assert [found.car, found.cdr.car] == [True, False]


def test_N11_a_dynamic_index_of_root_becomes_cyclic_by_cases() -> None:
    row = PROGRAMS["a dynamic index that becomes cyclic"]
    code = next(iter(read_sugar(row.text).values()))
    residual = tidy(cogen(code, ["D", "D"], integers=True)())
    assert [run(residual, i) for i in range(-9, 9)] == [run(code, i) for i in range(-9, 9)]
    # One remainder is computed, where the cases are told apart; in each case it is known.
    assert sum(str(one.body).count("'imod'") for one in reached(residual)) == 1


def test_N12_division_of_root_rounds_down() -> None:
    code = read_sugar("f(k i) {\n  (car k)(k (idiv i 10))\n}")["f"]
    assert run(code, -1) == -1
    assert run(cogen(code, ["D", "S"])(-1)) == -1
    assert run(cogen(code, ["D", "cyc"])((10, -1)), 0) == -1
    assert compile_code(code, "integer", tier="llvm")(-1) == -1


def test_N13_a_figures_12_and_13_leave_one_load_a_word() -> None:
    code = read_sugar(NYBBLES)["nyb"]
    residual = tidy(cogen(code, ["D", "cyc", "S", "S", "S", "S"])((32, 0), 0, 8, -1, 0))
    golden("nybbles", residual)


def test_N13_b_figure_14_leaves_a_prologue_and_a_loop_of_three_turns() -> None:
    code = read_sugar(FILTER)["fir"]
    residual = tidy(cogen(code, ["D", "cyc", "D", "S", "nil"], integers=True)((3, 0), linked(2, 5, 2)))
    golden("filter", residual)


def test_N13_c_color_to_gray_of_root_is_three_loads_twelve_samples_one_store() -> None:
    code = read_sugar(GRAY + SAMPLES)["gray"]
    residual = tidy(cogen(code, ["D", "cyc", "S", "S", "S"], integers=True)((4, 0), 0, -1, 0))
    golden("gray", residual)
    (loop,) = reached(residual)
    text = str(loop.body)
    assert (text.count("'load@m'"), text.count("'store@out'"), text.count("primitive='*'")) == (3, 1, 12 + 1)
    image = np.random.default_rng(2).integers(0, 256, (16, 3), dtype=np.uint8)
    out = np.zeros(16, np.uint8)
    memories = {
        "m": Memory("m", 32, image.reshape(-1).view(np.uint32)),
        "out": Memory("out", 32, out.view(np.uint32)),
    }
    run(residual, 4, memories=memories)
    assert (out == (image.astype(int) @ [9, 20, 3]) // 32).all()


def test_T6_a_staged_program_runs_at_once_and_goes_on_with_optimized_code() -> None:
    code = read_sugar(NYBBLES)["nyb"]
    residual = tidy(cogen(code, ["D", "cyc", "S", "S", "S", "S"])((32, 0), 0, 8, -1, 0))
    words = np.random.default_rng(6).integers(0, 1 << 32, 20, dtype=np.uint32)
    made = compile_code(residual, "integer", memories={"m": Memory("m")})
    first, wanted = made.tier, int(words.view(np.uint8).sum())
    end = time.monotonic() + 60
    tiers = {first}
    while time.monotonic() < end and tiers == {first}:
        assert made(20, memories={"m": words}) == wanted
        tiers.add(made.tier)
        time.sleep(0.001)
    assert made(20, memories={"m": words}) == wanted
    assert (made.tier, made.problem) == ("llvm 2", "")
    assert first != made.tier
