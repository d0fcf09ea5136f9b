"""Rows N1 to N13 of the lineage that are about compilers from interpreters (Draves 1996): the figures as goldens."""

import random
from collections import Counter
from functools import cache

import numpy as np
import pytest
from tests.staging.figures import APPEND, DYN_IF, EVEN, FILTER, NYBBLES
from tests.staging.interpreters import RPN, rpn

from pellucid.backends.jit.executable import is_possible
from pellucid.base.errors import StagingError, TextError
from pellucid.driver.codes import compile_code
from pellucid.staging.cogen import Compiler, cogen, tidy
from pellucid.staging.cogen.extension import Extension
from pellucid.staging.cogen.generator import Generator
from pellucid.staging.cogen.lifts import lift_compiler, lifter
from pellucid.staging.cogen.rules import RULES, TimeSplit, result_of
from pellucid.staging.cogen.values import fresh
from pellucid.staging.cogen.writing import Writer
from pellucid.staging.memory import Memory
from pellucid.staging.root.machine import run
from pellucid.staging.root.program import (
    Const,
    Lift,
    Pair,
    RootCode,
    RootIf,
    RootPrim,
    linked,
    reflected,
    reified,
    unlinked,
)
from pellucid.staging.root.reading import read, read_sugar
from pellucid.staging.root.recur import interpreter, read_recur
from pellucid.staging.root.writing import reached, write, write_sugar
from pellucid.staging.times.lattice import CYCLIC, DYNAMIC, STATIC, Constant, Stack, listed, pair, tuple_of
from pellucid.staging.times.text import read_time

DYN_IF_40 = """
dyn-if(k d) {
  if (d) {
    c = 42
    (car k)(k c)
  }
  c2 = 43
  (car k)(k c2)
}
"""
DO_CALL = """
do-call(k fn exp env) {
  frame = (list k fn)
  cl = (close cont frame)
  lift cl stack dynamic
  eval(cl exp env)
cont(self arg) {
  (k fn) = (cdr self)
  lift k
  $inline = #f
  apply-it(k fn arg)
eval(k exp env) {
  if (pair? exp) do-call(k (car exp) (cdr exp) env)
  (car k)(k env)
apply-it(k fn arg) {
  (car k)(k (apply fn (list arg 1)))
"""


RECUR = """
(even (n) (if (zero? n) 1 (odd (- n 1))))
(odd (n) (if (zero? n) 0 (even (- n 1))))
(append (a b) (if (null? a) b (cons (car a) (append (cdr a) b))))
(atree (n) (if (zero? n) 1 (+ (atree (- n 1)) (* 2 (atree (- n 1))))))
(poly (x) (let y (+ x 1) (* y (+ y 3))))
(chain (x) (let y (+ x 1) z (* y y) y (- z x) (+ y z)))
"""
FUNCTIONS = """
(map (f l) (if (null? l) nil (cons (f (car l)) (map f (cdr l)))))
(fold (f a l) (if (null? l) a (fold f (f a (car l)) (cdr l))))
(adder (n) (lambda (x) (+ x n)))
(double (x) (* 2 x))
(sums (l n) (fold + 0 (map (adder n) (map double l))))
(twice (f) (lambda (x) (f (f x))))
(tower (x) (((twice twice) (lambda (y) (let x (+ y 1) (+ x (* 10 y))))) x))
(chosen (n) ((if (< n 3) double (lambda (n) (- n 7))) n))
"""
EVALUATOR = """
(ev (e x) (if (atom? e) (if (= e 'x) x e)
  (if (= (car e) 'add) (+ (ev (car (cdr e)) x) (ev (car (cdr (cdr e))) x))
  (if (= (car e) 'mul) (* (ev (car (cdr e)) x) (ev (car (cdr (cdr e))) x))
  (if (ev (car (cdr e)) x) (ev (car (cdr (cdr e))) x) (ev (car (cdr (cdr (cdr e)))) x))))))
"""


def primitives(*codes: RootCode) -> Counter[str]:
    found: Counter[str] = Counter()

    def count(stream) -> None:
        for one in stream:
            if isinstance(one, RootPrim):
                found[one.primitive] += 1
            elif isinstance(one, RootIf):
                count(one.stream)

    for code in codes:
        count(code.body)
    return found


def test_N1_root_is_codes_with_prim_const_if_and_jump() -> None:
    code = read_sugar(APPEND)["append"]
    text = write(code)
    assert text.startswith("(code append (k l m) ((prim t1 null? l) (if t1 ((prim t2 car k) (jump t2 k m)))")
    assert write(read(text)["append"]) == text
    assert unlinked(run(code, linked(1, 2), linked(3))) == [1, 2, 3]


def test_N2_the_text_of_any_code_can_be_had_also_of_a_residual_one() -> None:
    code = read_sugar(RPN)["expr"]
    residual = tidy(cogen(code, ["D", "S", "nil", "D", "D"])(linked("x", "y", "+")))
    assert run(reflected(reified(residual)), 3, 4) == 7
    assert run(read(write(residual))["expr"], 3, 4) == 7


def test_N3_a_compiler_is_an_object_that_maps_procedures_to_procedures() -> None:
    code = read_sugar(APPEND)["append"]
    compilers = {times: cogen(code, times) for times in ("DSD", "DSS", ("D", "S", "cyc"))}
    for times, compiler in compilers.items():
        one, other = linked(1, 2), linked(3)
        if "cyc" in times:
            assert run(compiler(one, (4, 1)), 5).cdr.cdr == 21
            continue
        statics = [value for value, time in zip((one, other), times[1:], strict=True) if time == "S"]
        dynamics = [value for value, time in zip((one, other), times[1:], strict=True) if time == "D"]
        assert unlinked(run(compiler(*statics), *dynamics)) == [1, 2, 3]
        assert compiler.source.count("def B") == len(compiler.extensions)


def test_N4_figure_7_times_are_printed_as_in_the_paper() -> None:
    entry = pair(STATIC, DYNAMIC)
    assert repr(listed(entry)) == "(S * D) list"
    assert repr(listed(DYNAMIC)) == "D list"
    assert repr(Stack((DYNAMIC,))) == "stack-bt"
    built = Constant(None)
    for _ in range(3):
        built = pair(entry, built, "alist")
    assert repr(built) == "(S * D) list"


@pytest.mark.parametrize(
    ("row", "primitive", "operands", "want"),
    [
        ("(identity x) x", "identity", [CYCLIC], CYCLIC),
        ("(cons S S) S", "cons", [STATIC, STATIC], STATIC),
        ("(cons S D) (cons S D)", "cons", [STATIC, DYNAMIC], pair(STATIC, DYNAMIC, "f.v")),
        ("(cons D D) (cons D D)", "cons", [DYNAMIC, DYNAMIC], pair(DYNAMIC, DYNAMIC, "f.v")),
        ("(car (cons x y)) x", "car", [pair(CYCLIC, DYNAMIC)], CYCLIC),
        ("(pair? (cons _ _)) S", "pair?", [pair(STATIC, DYNAMIC)], Constant(True)),
        ("(pair? sum) S", "pair?", [listed(DYNAMIC)], STATIC),
        ("(apply S (D list)) D", "apply", [STATIC, tuple_of(DYNAMIC, DYNAMIC)], DYNAMIC),
        ("(+ cyc S) cyc", "+", [CYCLIC, STATIC], CYCLIC),
        ("(* cyc S) cyc", "*", [CYCLIC, STATIC], CYCLIC),
        ("(+ D S) cyc", "+", [DYNAMIC, STATIC], CYCLIC),
        ("(* D S) cyc", "*", [DYNAMIC, STATIC], CYCLIC),
        ("(zero? cyc) both", "zero?", [CYCLIC], (DYNAMIC, Constant(False))),
        ("(imod cyc S) S", "imod", [CYCLIC, STATIC], (STATIC, DYNAMIC)),
        ("(idiv cyc S) cyc", "idiv", [CYCLIC, STATIC], (CYCLIC, DYNAMIC)),
        ("(early= D D) S", "early=", [DYNAMIC, DYNAMIC], STATIC),
    ],
)
def test_N4_figure_8_says_what_primitives_keep(row, primitive, operands, want) -> None:
    code = RootCode("f", tuple("abc"[: len(operands)]))
    writer = Writer(Generator(integers=True, most=1, deepest=1), Extension(code, (), 0), "B0")
    values = [fresh(time, writer.variable) for time in operands]
    found = result_of(writer, RootPrim("v", primitive, code.params), values)
    if isinstance(found, TimeSplit):
        assert (found.yes().time, found.no().time) == want, row
    else:
        assert found.time == want, row
    assert primitive in RULES


def test_N5_normalization_is_late_and_keeps_what_is_shared() -> None:
    program = read_sugar("""
    f(k p) {
      q = (- p 7)
      g(k p q)
    g(k p q) {
      if (zero? p) (car k)(k q)
      f2(k p q)
    f2(k p q) {
      g(k (- p 4) (- q 4))""")
    compiler = cogen(program["f"], ["D", "cyc"])
    residual = tidy(compiler((4, 0)))
    # One quotient is carried for both, and one subtraction a turn.
    loop = reached(residual)[-1]
    assert primitives(loop)["+"] == 2
    assert len(loop.params) == 2
    assert [run(residual, number) for number in range(4)] == [
        run(program["f"], 4 * number) for number in range(4)
    ]


def multiplied(code: RootCode) -> set[int]:
    """The numbers that something is multiplied by in a code."""
    numbers = {one.name: one.value for one in code.body if isinstance(one, Const)}
    return {numbers[arg] for one in code.body if isinstance(one, RootPrim) and one.primitive == "*" for arg in one.args
            if arg in numbers}  # fmt: skip


def test_N5_the_filter_keeps_addresses_premultiplied() -> None:
    code = read_sugar(FILTER)["fir"]
    residual = tidy(cogen(code, ["D", "cyc", "D", "S", "nil"], integers=True)((3, 0), linked(2, 5, 2)))
    entry, loop = reached(residual)
    # Products with the weights are left. An address is one sum, which fits into the load.
    assert (multiplied(entry), multiplied(loop)) == ({2, 3, 5}, {2, 5})


@pytest.mark.parametrize(
    ("value", "factors"),
    [
        ("p", set()),
        ("(* p 2)", set()),
        ("(+ p 7)", set()),
        # The quotient itself is wanted, so that it is multiplied where the number is.
        ("(+ (idiv p 3) (identity p))", {3}),
        # Two multiples of 3: the one is kept, the other takes a product still.
        ("(+ (identity p) (* p 2))", {2}),
        ("(imod p 3)", set()),
    ],
)
def test_N5_premultiplication_is_chosen_by_the_constraints_of_uses(value, factors) -> None:
    program = read_sugar(f"""
    f(k p s) {{
      if (zero? p) (car k)(k s)
      v = {value}
      lift v
      f(k (- p 3) (+ s v))""")["f"]
    compiler = cogen(program, ["D", "cyc", "D"])
    for base in (3, -3, 6):
        residual = compiler((base, 0))
        if base == 3:
            assert multiplied(reached(tidy(residual))[-1]) == factors
        for quotient in range(0, 5 if base > 0 else -5, 1 if base > 0 else -1):
            want = run(program, base * quotient, 4)
            assert run(residual, quotient, 4) == run(tidy(residual), quotient, 4) == want


def test_N5_no_product_is_made_in_each_turn_for_what_comes_after_the_loop() -> None:
    program = read_sugar("""
    f(k p n) {
      if (zero? n) {
        v = (identity p)
        lift v
        (car k)(k v)
      }
      if (= n 7) {
        v = (identity p)
        lift v
        (car k)(k v)
      }
      q = (* (load@m n) 3)
      f(k q (- n 1))""")["f"]
    residual = tidy(cogen(program, ["D", "cyc", "D"], integers=True)((3, 0)))
    loop = reached(residual)[-1]
    assert "*" not in {one.primitive for one in loop.body if isinstance(one, RootPrim)}
    memory = Memory("m", 32, np.arange(20, 40, dtype=np.uint32))
    for n, want in ((0, 15), (3, 63), (7, 15), (9, 84)):
        assert run(residual, 5, n, memories={"m": memory}) == want


def test_N6_calls_that_differ_in_aliasing_only_are_different_and_no_value_is_moved_twice() -> None:
    program = read_sugar("""
    start(k n x y) {
      loop(k n x y x)
    loop(k n a b c) {
      if (zero? n) (car k)(k (+ a (* b c)))
      loop(k (- n 1) b a c)""")
    residual = cogen(program["start"], ["D", "D", "D", "D"])()
    codes = [code for code in reached(residual) if code.name.startswith("loop")]
    assert sorted(len(code.params) for code in codes) == [4, 4]
    assert run(residual, 3, 5, 7) == run(program["start"], 3, 5, 7)


def test_N7_the_lift_compiler_is_made_by_cogen_and_its_lifters_are_read_by_cogen() -> None:
    time = read_time("(S * D) list")
    made = lifter(time, DYNAMIC)
    assert lift_compiler().code.name == "copy"
    assert any(isinstance(one, Lift) for code in reached(made) for one in code.body)
    program = read_sugar("""
    f(k e) {
      lift e
      (car k)(k e)""")
    compiler = cogen(program["f"], ["D", time])
    assert "(S * D) list --> D" in compiler.trace
    assert any(one.startswith("copy(stack-bt (S * D) list)") for one in compiler.trace)
    residual = compiler(linked(Pair("x", 0), Pair("y", 0)))
    assert [(one.car, one.cdr) for one in unlinked(run(residual, 10, 20))] == [("x", 10), ("y", 20)]
    assert primitives(residual)["cons"] == 4


@pytest.mark.parametrize("target", ["", " cyc", " (cyc list)", " stack D"])
def test_N7_what_is_lifted_changes_no_value(target) -> None:
    lines = {"": "x", " cyc": "x", " (cyc list)": "xs", " stack D": "cl"}
    program = read_sugar(f"""
    f(k s x n) {{
      xs = (cons:p x (cons:p s (cons:p x nil)))
      cl = (close g (list k xs s))
      lift {lines[target]}{target}
      if (zero? n) h(cl xs x)
      (car cl)(cl (+ x n))
    g(self r) {{
      (k xs s) = (cdr self)
      (car k)(k (+ (car (cdr xs)) (* r s)))
    h(cl xs x) {{
      (car cl)(cl (+ x (car xs)))""")
    for times in ("DSDD", "DSSD", "DDDD", "DDSD", "DSDS"):
        compiler = cogen(program["f"], times)
        values = [3, 4, 5]
        for values in ([3, 4, 5], [3, 4, 0]):
            statics = [value for value, time in zip(values, times[1:], strict=True) if time == "S"]
            dynamics = [value for value, time in zip(values, times[1:], strict=True) if time == "D"]
            assert run(tidy(compiler(*statics)), *dynamics) == run(program["f"], *values)


def test_N7_closures_inside_of_structures_are_lifted() -> None:
    program = read_sugar("""
    f(k n fs) {
      if (= n 0) g(k fs)
      f(k (- n 1) (cons:fs (close add (list n)) fs))
    g(k fs) {
      lift fs
      $inline = #f
      h(k fs 10)
    h(k fs x) {
      if (null? fs) (car k)(k x)
      fun = (car fs)
      (car fun)(fun k fs x)
    add(self k fs x) {
      (n) = (cdr self)
      h(k (cdr fs) (+ x n))""")
    compiler = cogen(program["f"], ["D", "S", "nil"])
    for number in (0, 1, 4):
        assert run(compiler(number), *[]) == run(program["f"], number, None)
        assert run(tidy(compiler(number))) == run(program["f"], number, None)


@pytest.mark.parametrize("values", [(3, 4), (5, 0), (0, 2)])
def test_N7_a_lift_may_compute_its_time_from_those_of_others(values) -> None:
    program = read_sugar("""
    f(k s d) {
      p = (cons:p d s)
      q = (cons:p s s)
      lift q (p) same
      if (zero? d) g(k q)
      g(k p)
    same(k t) {
      (car k)(k t)
    g(k x) {
      (car k)(k (+ (car x) (* 10 (cdr x))))""")["f"]
    compiler = cogen(program, "DSD")
    # Both pairs have one time, so that they go to one extension.
    assert sum(one.startswith("g(") for one in compiler.trace) == 1
    assert run(tidy(compiler(values[0])), values[1]) == run(program, *values)
    with pytest.raises(StagingError, match="a lift to 7; give a procedure that makes a time"):
        cogen(
            read_sugar("f(k s) {\n lift k (s) seven\n (car k)(k s)\nseven(k t) {\n (car k)(k 7)")["f"], "DS"
        )


def test_N7_a_stack_says_the_time_of_each_value_that_is_returned() -> None:
    program = read_sugar("""
    f(k n d) {
      cl = (close got (list k d))
      lift cl stack S (D list)
      build(cl n nil d)
    build(k n xs d) {
      if (= n 0) (car k)(k 7 xs)
      build(k (- n 1) (cons:xs (+ d n) xs) d)
    got(self s xs) {
      (k d) = (cdr self)
      sum(k xs s)
    sum(k xs s) {
      if (null? xs) (car k)(k s)
      sum(k (cdr xs) (+ s (car xs)))""")["f"]
    compiler = cogen(program, "DSD")
    assert any(one.startswith("got(") and one.endswith("S D list)") for one in compiler.trace)
    for number in (0, 1, 4):
        residual = tidy(compiler(number))
        assert len(reached(residual)) == 1
        assert run(residual, 5) == run(program, number, 5)
    with pytest.raises(
        StagingError, match="got is given 2 values, not 1; lift to a stack with a time for each"
    ):
        cogen(read_sugar(write_sugar(program).replace("stack S (D list)", "stack S"))["f"], "DSD")


def test_N8_early_equality_goes_through_idiv_and_is_true_only_of_what_is_equal() -> None:
    program = read_sugar("""
    f(k p q n) {
      r = (+ p n)
      a = (idiv p 8)
      b = (idiv r 8)
      if (early= a b) (car k)(k 1)
      if (early= p q) (car k)(k 2)
      (car k)(k 0)""")["f"]
    compiler = cogen(program, ["D", "cyc", "cyc", "S"])
    for remainder in range(8):
        for more in (0, 3, 7, 8, -1):
            residual = tidy(compiler((8, remainder), (8, remainder), more))
            assert len(residual.body) == 3
            # The quotients of p and q are of two variables, of which nothing is known.
            assert run(residual, 5, 5) == int((remainder + more) // 8 == 0)


@pytest.mark.parametrize("primitive", ["imod", "idiv"])
def test_N9_what_does_not_divide_takes_the_dynamic_path(primitive) -> None:
    program = read_sugar(f"""
    f(k p s) {{
      (car k)(k ({primitive} p s))""")["f"]
    compiler = cogen(program, ["D", "cyc", "S"])
    for base, number, left in ((12, 4, 0), (12, 5, 1), (-12, 6, 0), (1, 3, 1), (6, 12, 1)):
        residual = tidy(compiler((base, 7), number))
        assert primitives(residual)[primitive] == left
        for quotient in (-3, 0, 4):
            assert run(residual, quotient) == run(program, base * quotient + 7, number)
    with pytest.raises(StagingError, match="zero"):
        compiler((4, 1), 0)


def test_N9_zero_is_static_where_the_remainder_says_no_and_dynamic_otherwise() -> None:
    program = read_sugar("""
    f(k p) {
      if (zero? p) (car k)(k 1)
      (car k)(k 0)""")["f"]
    compiler = cogen(program, ["D", "cyc"])
    for base in (1, 3, -4):
        for remainder in range(-5, 6):
            residual = tidy(compiler((base, remainder)))
            assert primitives(residual)["zero?"] == (remainder % base == 0)
            for quotient in range(-6, 7):
                assert run(residual, quotient) == int(base * quotient + remainder == 0)


def test_N9_a_code_is_made_on_demand_and_inline_says_otherwise() -> None:
    text = """
    f(k n d) {
      if (= n 0) (car k)(k d)
      e = (+ d n)
      $inline = HOW
      f(k (- n 1) e)
    g(k n d) {
      if (= n 0) (car k)(k d)
      if (< d 10) {
        $inline = HOW
        g(k (- n 1) (+ d n))
      }
      $inline = HOW
      g(k (- n 1) (- d 1))"""
    demand = read_sugar("\n".join(line for line in text.splitlines() if "HOW" not in line))
    programs = {how: read_sugar(text.replace("HOW", how)) for how in ("#f", "#t")} | {"": demand}
    # Without a dynamic test nothing is a code of its own; under one, what is met again is; `$inline` says either.
    for name, codes, tests in (
        ("f", {"": 1, "#f": 5, "#t": 1}, {}),
        ("g", {"": 4, "#t": 1}, {"": 4, "#f": 4, "#t": 15}),
    ):
        for how, program in programs.items():
            residual = cogen(program[name], "DSD")(4)
            assert len(reached(residual)) == codes.get(how, len(reached(residual)))
            assert primitives(*reached(residual))["<"] == tests.get(how, 0)
            for number in (5, 8, 9, 10, 12):
                assert run(residual, number) == run(tidy(residual), number) == run(program[name], 4, number)


def test_N9_figure_5_a_static_context_is_propagated_past_a_dynamic_conditional() -> None:
    code = read_sugar(DYN_IF)["dyn-if"]
    compiler = cogen(code, "DSD")
    assert compiler.trace == ["dyn-if(D S D)", "cont((close cont (list D S D)) S)"]
    assert write_sugar(tidy(compiler(40))) == DYN_IF_40.strip()


def test_N9_figure_9_builds_a_static_recursion() -> None:
    compiler = cogen(read_sugar(APPEND)["append"], "DSD")
    # The print has `stack-bt D S` at the end, where the frame is k, l and m: a slip.
    assert compiler.trace == [
        "append(D S D)",
        "(close cont (list D S D)) --> stack-bt",
        "cont((close S (list D S D)) D)",
        "append(stack-bt S D)",
        "(close cont (list stack-bt S D)) --> stack-bt",
        "cont((close S (list stack-bt S D)) D)",
    ]
    assert primitives(compiler(linked(1, 2, 3)))["cons"] == 3


def test_N9_figure_10_builds_a_dynamic_stack_frame() -> None:
    code = read_sugar(DO_CALL)["do-call"]
    compiler = cogen(code, ["D", "S", "S", "D"])
    residual = compiler("+", linked("*", "-"))
    assert run(residual, 5) == run(code, "+", linked("*", "-"), 5) == (5 - 1) * 1 + 1
    # Each call of the program is a code of its own, and its continuation a frame on the heap.
    assert primitives(*reached(residual))["close"] == 2
    assert sum(code.name.startswith("apply-it") for code in reached(residual)) == 3


def test_N10_even_is_decided_by_the_least_common_multiple() -> None:
    compiler = cogen(read_sugar(EVEN)["even"], ["D", "cyc"])
    for base in (1, 2, 3, 4, 6):
        residual = tidy(compiler((base, 0)))
        turns = primitives(*reached(residual))["zero?"]
        assert turns == (2 if base % 2 else 1)
        assert [run(residual, n) for n in range(5)] == [int(base * n % 2 == 0) for n in range(5)]


def test_N13_a_figure_12_nybbles_are_one_load_and_four_shifts_masks_and_sums() -> None:
    code = read_sugar(NYBBLES)["nyb"]
    residual = tidy(cogen(code, ["D", "cyc", "S", "S", "S", "S"])((32, 0), 0, 8, -1, 0))
    loop = reached(residual)[-1]
    assert primitives(loop) == {"zero?": 1, "car": 1, "+": 5, "load@m": 1, ">>": 4, "&": 4}
    words = Memory("m", 32, np.array([0x04030201, 0xFF000000], np.uint32))
    assert run(residual, 2, memories={"m": words}) == 10 + 255


def test_N13_b_figure_14_the_filter_is_rotated_three_times_after_its_prologue() -> None:
    code = read_sugar(FILTER)["fir"]
    residual = tidy(cogen(code, ["D", "cyc", "D", "S", "nil"], integers=True)((3, 0), linked(2, 5, 2)))
    codes = reached(residual)
    loads = [primitives(one)["load@m"] for one in codes]
    stores = [primitives(one)["store@out"] for one in codes]
    assert loads[-1] == stores[-1] == 3
    assert len(codes) == 2
    assert loads[0] == 5


def test_N13_d_an_interpreter_of_expressions_is_compiled_away() -> None:
    code = read_sugar(RPN)["expr"]
    compiler = cogen(code, ["D", "S", "nil", "D", "D"])
    draw = random.Random(13)
    for _ in range(20):
        program = rpn(draw)
        before: Counter[str] = Counter()
        after: Counter[str] = Counter()
        want = run(code, program, None, 3, 4, counts=before)
        assert run(tidy(compiler(program)), 3, 4, counts=after) == want
        assert 3 * after.total() < 2 * before.total()
    with pytest.raises(StagingError, match="unknown primitive"):
        compiler(linked("x", "y", "no-such-operation"))


@cache
def recur_compiler() -> Compiler:
    return cogen(interpreter(), ["D", "S", "D list", "S"])


@pytest.mark.parametrize(
    ("name", "args", "want", "most"),
    [
        ("even", (9,), 0, 60),
        ("even", (10,), 1, 60),
        ("atree", (6,), 729, 2800),
        ("poly", (5,), 54, 8),
        ("chain", (3,), 29, 9),
        ("append", (linked(1, 2, 3), linked(4)), [1, 2, 3, 4], 70),
    ],
)
def test_N13_d_recur_is_compiled_by_the_generated_compiler(name, args, want, most) -> None:
    program = read_recur(RECUR)
    residual = tidy(recur_compiler()(name, linked(*args), program))
    counts: Counter[str] = Counter()
    before: Counter[str] = Counter()
    results = [
        run(residual, *args, counts=counts),
        run(interpreter(), name, linked(*args), program, counts=before),
    ]
    assert [unlinked(one) if isinstance(want, list) else one for one in results] == [want, want]
    assert counts.total() <= most < before.total()
    # Tail calls build no frames.
    assert (primitives(*reached(residual))["close"] == 0) == (name in {"even", "poly", "chain"})


@pytest.mark.parametrize(
    ("name", "args", "want"),
    [("sums", (linked(1, 2, 3), 10), 42), ("tower", (3,), 45387), ("chosen", (2,), 4), ("chosen", (9,), 2)],
)
def test_N13_d_functions_of_recur_are_closures_of_the_residual_program(name, args, want) -> None:
    program = read_recur(FUNCTIONS)
    residual = tidy(recur_compiler()(name, linked(*args), program))
    counts: list[Counter[str]] = [Counter(), Counter()]
    assert run(interpreter(), name, linked(*args), program, counts=counts[0]) == want
    assert run(residual, *args, counts=counts[1]) == want
    assert counts[0].total() > 15 * counts[1].total()
    # Nothing is left of the program's names.
    assert "'" not in write_sugar(residual)
    kinds = ["data" if isinstance(one, Pair) else "integer" for one in args]
    for tier in ("quick", "llvm") if is_possible() else ("llvm",):
        assert compile_code(residual, *kinds, tier=tier)(*args) == want


def test_texts_that_are_no_recur_are_refused() -> None:
    for text, message in [
        ("(f (x) (lambda x x))", "no expression.*bind the variable"),
        ("(f (x) (lambda (x 3 (y)) x))", "no parameters.*write"),
        ("(f (x) (y x))", "no expression"),
        ("(f x)", "no definition"),
        ("(f (x) (let y 1 z y))", r"no let: \['let', 'y', '1', 'z', 'y'\]; write"),
        ("(f (x) (let y 1 (z) 2 y))", "no let.*write"),
        ("(f (x) (let y))", "no let.*write"),
    ]:
        with pytest.raises(TextError, match=message):
            read_recur(text)


def expression(draw: random.Random, depth: int = 3) -> Pair | int | str:
    kind = draw.randrange(5) if depth else draw.randrange(2)
    if kind < 2:
        return draw.choice(["x", draw.randrange(-3, 9)])
    word = ["add", "mul", "if"][kind - 2]
    return linked(word, *(expression(draw, depth - 1) for _ in range(3 if kind == 4 else 2)))


def test_N13_d_layers_of_interpretation_are_removed_twice_without_annotations() -> None:
    program = read_recur(EVALUATOR)
    first = tidy(recur_compiler()("ev", linked(None, None), program))
    second = cogen(first, ["D", "S", "D"])
    draw = random.Random(2)
    for _ in range(30):
        tree, x = expression(draw), draw.randrange(-4, 5)
        counts: list[Counter[str]] = [Counter(), Counter(), Counter()]
        want = run(interpreter(), "ev", linked(tree, x), program, counts=counts[0])
        assert run(first, tree, x, counts=counts[1]) == want
        residual = tidy(second(tree))
        assert run(residual, x, counts=counts[2]) == want
        assert not primitives(*reached(residual)).keys() & {"cons", "close", "cdr"}
        totals = [one.total() for one in counts]
        assert totals[0] > 10 * totals[1] > 10 * totals[2]
