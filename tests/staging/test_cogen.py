"""Compilers from interpreters: the law, what the residual programs look like, what is refused."""

import random
import re
from collections import Counter
from functools import cache

import numpy as np
import pytest
from tests.staging.figures import APPEND, EVEN, FILTER, NYBBLES
from tests.staging.interpreters import RPN, STEPS, TREES, rpn, steps, tree, with_lifts
from tests.turns import fewer

from pellucid.base.errors import StagingError
from pellucid.staging.cogen import Compiler, cogen, session, tidy
from pellucid.staging.cogen.tidy import size
from pellucid.staging.memory import Memory
from pellucid.staging.root.machine import run
from pellucid.staging.root.program import Lift, Pair, RootCode, linked, unlinked
from pellucid.staging.root.reading import read_sugar
from pellucid.staging.root.writing import reached, write
from pellucid.staging.times.lattice import STATIC, pair

FACTORIAL = """
f(k d) {
  if (zero? d) (car k)(k 1)
  cl = (close g (list k d))
  f(cl (- d 1))
g(self r) {
  (k d) = (cdr self)
  (car k)(k (* r d))
"""


@cache
def compiled(text: str, name: str, times: str) -> tuple[RootCode, Compiler]:
    code = read_sugar(text)[name]
    return code, cogen(code, times.split())


def memory(seed: int) -> Memory:
    return Memory("m", 8, np.random.default_rng(seed).integers(0, 256, 8, dtype=np.uint8))


def agree(
    code: RootCode, args: list[object], residuals: list[tuple[RootCode, list[object]]], seed: int
) -> None:
    stored = memory(seed)
    counts: Counter[str] = Counter()
    want = run(code, *args, memories={"m": stored}, counts=counts)
    for residual, given in residuals:
        other = memory(seed)
        fewer: Counter[str] = Counter()
        assert run(residual, *given, memories={"m": other}, counts=fewer) == want
        assert other.data.tolist() == stored.data.tolist()
        assert fewer["if"] <= counts["if"]


@pytest.mark.parametrize(
    ("text", "name", "patterns", "draw_program"),
    [
        (RPN, "expr", ("D S nil D D", "D S nil S D", "D S nil D S", "D S nil cyc D"), rpn),
        (STEPS, "steps", ("D S S D D D", "D S S D D S", "D S S cyc D D", "D S S D cyc D"), steps),
        (TREES, "start", ("D S D D", "D S S D", "D S D cyc", "D S cyc cyc"), tree),
    ],
)
def test_the_law_on_random_programs(text, name, patterns, draw_program) -> None:
    draw = random.Random(name)
    for turn in range(fewer(120)):
        program = draw_program(draw)
        times = draw.choice(patterns)
        code, compiler = compiled(text, name, times)
        values = {
            "x": draw.randrange(-50, 50),
            "y": draw.randrange(-50, 50),
            "a": draw.randrange(9),
            "b": draw.randrange(99),
        }
        values |= {"n": draw.randrange(6), "pc": 0, "prog": program, "e": program, "stack": None}
        statics: list[object] = []
        dynamics: list[object] = []
        for param, time in zip(code.params[1:], times.split()[1:], strict=True):
            base = draw.choice([1, 2, 3, -4])
            if time == "S":
                statics.append(values[param])
            elif time == "cyc":
                statics.append((base, draw.randrange(-5, 9)))
                dynamics.append(draw.randrange(-9, 9))
                values[param] = base * dynamics[-1] + statics[-1][1]
            elif time == "D":
                dynamics.append(values[param])
        residual = compiler(*statics)
        agree(
            code,
            [values[one] for one in code.params[1:]],
            [(residual, dynamics), (tidy(residual), dynamics)],
            turn,
        )
        assert size(tidy(residual)) <= size(residual)


@pytest.mark.parametrize(
    ("text", "name", "times", "draw_program"),
    [
        (RPN, "expr", "D S nil D D", rpn),
        (STEPS, "steps", "D S S D D D", steps),
        (TREES, "start", "D S D D", tree),
    ],
)
def test_no_lift_changes_a_value(text, name, times, draw_program) -> None:
    draw = random.Random(name)
    code = read_sugar(text)[name]
    for turn in range(fewer(12)):
        compiler = cogen(with_lifts(text, name, draw), times.split())
        for _ in range(5):
            program = draw_program(draw)
            values: dict[str, object] = {"pc": 0, "prog": program, "e": program, "stack": None}
            values |= {one: draw.randrange(-50, 50) for one in "xyab"} | {"n": draw.randrange(6)}
            given = list(zip(code.params[1:], times.split()[1:], strict=True))
            residual = compiler(*(values[param] for param, time in given if time == "S"))
            dynamics = [values[param] for param, time in given if time == "D"]
            both = [(residual, dynamics), (tidy(residual), dynamics)]
            agree(code, [values[param] for param, _ in given], both, turn)


def test_a_residual_program_is_a_code_with_a_text() -> None:
    _, compiler = compiled(RPN, "expr", "D S nil D D")
    residual = tidy(compiler(linked("x", "y", "+", linked(3), "*")))
    assert len(reached(residual)) == 1
    assert write(residual).count("prim") == 3
    assert compiler.source.startswith("# expr(D S nil D D)\ndef B0(out, k_1, prog_2, x_3, y_4):\n")
    assert repr(compiler) == "Compiler of expr(D S nil D D)"


def test_the_filter_of_figure_14_and_its_interpreter_store_the_same() -> None:
    code = read_sugar(FILTER)["fir"]
    compiler = cogen(code, ["D", "cyc", "D", "S", "nil"], integers=True)
    for kernel in ([2, 5, 2], [1], [3, 1, 4, 1]):
        base = len(kernel)
        residual = tidy(compiler((base, 2), linked(*kernel)))
        assert all(str(one.body).count("load@m") <= base for one in reached(residual)[1:])
        outs = []
        for program, args in ((residual, (4, 0)), (code, (4 * base + 2, 0, linked(*kernel), None))):
            words = Memory("m", 16, np.arange(100, dtype=np.uint16) ** 2)
            out = Memory("out", 32, np.zeros(40, np.uint32))
            with pytest.raises(StagingError):
                run(program, *args[:-1], memories={"m": words, "out": out})
            outs.append(out.data.tolist())
        assert outs[0] == outs[1]


def test_nybbles_of_any_number_of_bits_are_reduced() -> None:
    code = read_sugar(NYBBLES)["nyb"]
    compiler = cogen(code, ["D", "cyc", "S", "S", "S", "S"])
    words = Memory("m", 32, np.random.default_rng(1).integers(0, 1 << 32, 12, dtype=np.uint32))
    for bits in (1, 2, 4, 8, 16):
        residual = compiler((32, 0), 0, bits, -1, 0)
        want = run(code, 320, 0, bits, -1, 0, memories={"m": words})
        assert run(residual, 10, memories={"m": words}) == want
        assert run(tidy(residual), 10, memories={"m": words}) == want


def test_statics_that_differ_in_kind_only_are_told_apart() -> None:
    code = read_sugar("""
    f(k s n) {
      if (zero? n) (car k)(k s)
      f(k s (- n 1))""")["f"]
    compiler = cogen(code, ["D", "S", "D"])
    for value in (True, 1, 1.0, 0.0, -0.0):
        found = run(compiler(value), 3)
        assert (found.__class__, repr(found)) == (value.__class__, repr(value))


def test_even_and_odd_by_cyclic_integers_need_no_second_test() -> None:
    compiler = cogen(read_sugar(EVEN)["even"], ["D", "cyc"])
    residual = tidy(compiler((2, 0)))
    assert len(reached(residual)) == 1
    assert [run(residual, number) for number in range(4)] == [1, 1, 1, 1]
    assert [run(compiler((2, 1)), number) for number in range(4)] == [0, 0, 0, 0]


def test_append_is_unfolded_over_its_static_list() -> None:
    compiler = cogen(read_sugar(APPEND)["append"], "DSD")
    residual = compiler(linked(*range(400)))
    assert unlinked(run(residual, linked(7))) == [*range(400), 7]


@pytest.mark.parametrize(
    ("text", "times", "statics", "says"),
    [
        (
            "f(k s d) {\n if (zero? d) (car k)(k s)\n f(k (* s 2) (- d 1))",
            "DSD",
            [1],
            "new values of s.*; lift s",
        ),
        ("f(k s d) {\n f(k (+ s 1) d)", "DSD", [1], "new values of s.*; lift s"),
        (
            FACTORIAL,
            "DD",
            [],
            "g: the control stack has more than 300 frames; lift the continuation of g",
        ),
        (
            "f(k s d) {\n if (zero? d) (car k)(k s)\n f(k (cons:p d s) (- d 1))",
            ["D", "nil", "D"],
            [],
            "values of s; lift s",
        ),
        (
            "f(k s d) {\n if (zero? d) (car k)(k s)\n f(k (cons:p 3 s) (- d 1))",
            "DSD",
            [None],
            "values of s; lift s",
        ),
        ("f(k s d) {\n f(k (cons:p s s) d)", "DSD", [None], "values of s; lift s"),
        ("f(k s d) {\n f(k (cons:p d s) d)", ["D", "nil", "D"], [], "values of s; lift s"),
        ("f(k s d) {\n f(k s d)", "DSD", [0], "give the loop a test"),
        ("f(k s d) {\n (car k)(k (error 'unknown-operation))", "DSD", [1], "unknown-operation"),
        ("f(k s d) {\n (car k)(k (idiv s 0))", "DSD", [1], "zero"),
        ("f(k s d) {\n (car k)(k (car s))", "DSD", [1], "no pair"),
        ("f(k s d) {\n lift d (list S S)\n (car k)(k d)", "DSD", [1], "of time D cannot be lifted"),
        ("f(k s d) {\n f(k s)", "DSD", [1], "2 values for the 3 parameters of f"),
        ("f(k s d) {\n (car k)(k s)", "DS", [1], "2 times for 3 parameters"),
        ("f(k s d) {\n (car k)(k s)", "DSD", [], "0 static values, where 1 are asked for; give s"),
        ("f(k s d) {\n (car k)(k s)", ["D", "cyc", "D"], [3], "k: s: 3 for a cyclic|f: s: 3 for a cyclic"),
    ],
)
def test_what_does_not_end_or_cannot_be_is_told_with_its_variable(text, times, statics, says) -> None:
    with pytest.raises(StagingError, match=says):
        cogen(read_sugar(text)["f"], times)(*statics)


def test_a_static_error_under_a_dynamic_test_is_raised_when_it_is_reached() -> None:
    code = read_sugar("""
    f(k s d) {
      if (zero? d) (car k)(k (idiv s 0))
      (car k)(k s)""")["f"]
    residual = tidy(cogen(code, "DSD")(7))
    assert run(residual, 1) == 7
    with pytest.raises(StagingError, match="zero"):
        run(residual, 0)


@pytest.mark.parametrize("value", [7, 8, 7.0, 7.5, None, "seven", True])
def test_a_cyclic_integer_is_compared_with_any_static_value(value) -> None:
    code = read_sugar("""
    f(k s n) {
      if (= s n) (car k)(k 1)
      (car k)(k 0)""")["f"]
    compiler = cogen(code, ["D", "S", "cyc"])
    for quotient in range(4):
        assert run(compiler(value, (3, 1)), quotient) == run(code, value, 3 * quotient + 1)


def test_a_compiler_counts_the_codes_of_one_program_and_not_of_all_that_it_made() -> None:
    code = read_sugar("""
    f(k s n) {
      if (zero? n) (car k)(k s)
      f(k s (- n 1))""")["f"]
    compiler = cogen(code, "DSD", most=5)
    assert [run(compiler(value), 2) for value in range(20)] == list(range(20))


@pytest.mark.parametrize("value", ["a", 1.5, None, (1, 2)])
def test_what_is_lifted_to_a_cyclic_integer_is_one(value) -> None:
    code = read_sugar("""
    f(k s d) {
      lift s cyc
      if (= s 'a) (car k)(k d)
      (car k)(k s)""")["f"]
    compiler = cogen(code, "DSD")
    assert run(compiler(3), 7) == run(code, 3, 7) == 3
    with pytest.raises(StagingError, match="is lifted to cyc, and is no integer: lift it to D"):
        compiler(value)


@pytest.mark.parametrize("lift", ["lift cl", "lift cl stack D"])
def test_a_continuation_is_not_lifted_after_its_code_is_taken(lift) -> None:
    text = """
    f(k s d) {{
      cl = (close cont (list k s d))
      {0}
      c = (car cl)
      {1}
      r = 5
      c(cl r)
    cont(self r) {{
      (k s d) = (cdr self)
      (car k)(k (+ s (+ r d)))"""
    with pytest.raises(
        StagingError, match=r"cont: self is a c.*, and its values are taken here; take its .*"
    ):
        cogen(read_sugar(text.format("", lift))["f"], "DSD")
    # What the message asks for is right, and so is a code that is lifted itself.
    for before, after in ((lift, ""), ("", "lift c")):
        program = read_sugar(text.format(before, after))["f"]
        assert run(tidy(cogen(program, "DSD")(7)), 100) == run(program, 7, 100) == 112


def test_parts_of_a_lifted_closure_are_refused() -> None:
    text = """
    f(k s d) {
      cl = (close cont (list k s d))
      r = 5
      cont(cl r)
    cont(self r) {
      {0}
      (k s d) = (cdr self)
      {1}
      (car k)(k (+ s (+ r d)))"""
    with pytest.raises(StagingError, match=r"self is a closure of cont that cont lifts, and its values are"):
        cogen(read_sugar(text.replace("{0}", "lift self").replace("{1}", ""))["f"], "DSD")
    program = read_sugar(text.replace("{0}", "").replace("{1}", "lift self"))["f"]
    assert run(tidy(cogen(program, "DSD")(7)), 100) == run(program, 7, 100) == 112


@pytest.mark.parametrize(
    "handed",
    [
        "h(k cl s)\nh(k x s) {\n cont(x s)\n}",
        "h(k s cl)\nh(k n x) {\n if (zero? n) cont(x n)\n h(k (- n 1) x)\n}",
        "cl2 = (close h (list k cl))\n (car cl2)(cl2 s)\nh(self n) {\n (k x) = (cdr self)\n cont(x n)\n}",
        "h(k (cons s cl))\nh(k p) {\n s = (car p)\n x = (cdr p)\n cont(x s)\n}",
    ],
)
def test_a_lifted_closure_is_not_taken_apart_by_another_code(handed) -> None:
    text = f"""
    f(k s d) {{
      cl = (close cont (list k s d))
      lift cl
      {handed}
    cont(self r) {{
      (k s d) = (cdr self)
      (car k)(k (+ s (+ r d)))"""
    with pytest.raises(
        StagingError, match=r"cont: self is a closure of cont that f lifts, and its values are"
    ):
        cogen(read_sugar(text)["f"], "DSD")
    # Its code is there to be jumped to, and it may be handed on as it is, lifted in what goes around with it or not.
    program = read_sugar(text.replace("cont(x", "(car x)(x"))["f"]
    assert run(tidy(cogen(program, "DSD")(7)), 100) == run(program, 7, 100)


def test_a_closure_that_is_lifted_late_comes_to_a_code_that_is_written() -> None:
    text = """
    f(k s d) {
      x = nil
      g(k x s d)
    g(k x s d) {
      if (zero? s) h(k x s d)
      cl = (close cont (list k d))
      lift cl
      g(k cl (- s 1) d)
    h(k x s d) {
      if (zero? d) (car k)(k d)
      cont(x s)
    cont(self r) {
      (k d) = (cdr self)
      (car k)(k (+ r d))"""
    with pytest.raises(StagingError, match=r"cont: self is a closure of cont that g lifts"):
        cogen(read_sugar(text)["f"], "DSD")


def test_a_static_pair_becomes_one_whose_halves_are_static() -> None:
    program = read_sugar("""
    f(k s d) {
      if (pair? s) (car k)(k (+ d (cdr s)))
      (car k)(k d)""")["f"]
    program.body = (Lift("s", pair(STATIC, STATIC, atom=True)), *program.body)
    compiler = cogen(program, "DSD")
    assert run(compiler(Pair("a", 5)), 7) == 12
    assert run(compiler(None), 7) == 7


def test_a_control_stack_is_not_taken_apart() -> None:
    text = """
    f(k s d) {
      cl = (close cont (list k s d))
      lift cl stack D
      (k2 s2 d2) = (cdr cl)
      (car cl)(cl d2)
    cont(self r) {
      (k s d) = (cdr self)
      (car k)(k (+ s (+ r d)))"""
    with pytest.raises(StagingError, match=r"f: cl is a control stack, and its values are taken here"):
        cogen(read_sugar(text)["f"], "DSD")


def test_patterns_that_do_not_settle_name_the_variables_that_change() -> None:
    names = "abceghijlm"
    arms = "".join(
        f" if (= s {at}) {{\n lift {name}\n f(k t {' '.join(names)} d)\n }}\n"
        for at, name in enumerate(names)
    )
    text = f"f(k s {' '.join(names)} d) {{\n t = (+ s 1)\n{arms} (car k)(k (+ a d))\n}}"
    with pytest.raises(
        StagingError, match=r"f: the binding times of j and l and m do not settle: .*; lift j to D"
    ):
        cogen(read_sugar(text)["f"], ["D", "S", *["S"] * 10, "D"])


def test_a_compiler_counts_the_codes_of_each_program_anew() -> None:
    code = read_sugar("""
    f(k s d) {
      if (= s 0) (car k)(k d)
      if (zero? d) (car k)(k s)
      f(k (- s 1) (- d 1))""")["f"]
    compiler = cogen(code, "DSD", most=20)
    for _ in range(10):
        assert run(compiler(15), 20) == 5
    with pytest.raises(StagingError, match="new values of s"):
        compiler(30)


def test_a_program_that_is_a_vector_is_walked_once_however_often_it_is_a_key(monkeypatch) -> None:
    walked: list[object] = []
    plain = session.key_of

    def counted(value):
        walked.append(value)
        return plain(value)

    monkeypatch.setattr(session, "key_of", counted)
    program = (*(("less", 1) for _ in range(40)), ("end", 0))
    code = cogen(read_sugar(STEPS)["steps"], ["D", "S", "S", "D", "D", "D"])(program, 0)
    assert len(reached(code)) >= 40
    assert len(walked) < 4 * len(program)


def test_equal_vectors_are_one_key_and_others_are_not() -> None:
    text = """
    start(k t x) {
      if (< x 0) g(k (vref t 0) x)
      if (< x 1) g(k (vref t 1) x)
      if (< x 2) g(k (vref t 2) x)
      g(k (vref t 3) x)
    }
    g(k v x) {
      if (zero? x) (car k)(k (vref v 0))
      (car k)(k x)
    }
    """
    items = [1, 1, True, 1.0]
    made = cogen(read_sugar(text)["start"], ["D", "S", "D"])(tuple((one, 2) for one in items))
    assert len([one for one in reached(made) if one.name.startswith("g")]) == 3
    assert [run(made, x) for x in (-3, 0, 1, 2)] == [-3, 1, 1, 2]


@pytest.mark.parametrize(
    ("text", "name", "times"), [(TREES, "start", "D S D D"), (FILTER, "fir", "D cyc D S nil")]
)
def test_calls_of_a_compiler_lead_on_so_that_their_chains_end(text: str, name: str, times: str) -> None:
    compiler = cogen(read_sugar(text)[name], times.split())
    depths = [one.depth for one in compiler.extensions]
    calls: list[tuple[int, int]] = []
    for line in compiler.source.splitlines():
        if head := re.match(r"def [BJMCT](\d+)", line):
            owner = int(head[1])
        elif call := re.match(r" +[BJ](\d+)\(", line):
            calls.append((depths[owner], depths[int(call[1])]))
    assert len(calls) > 50
    assert all(0 < before < after and after % 8 for before, after in calls)
