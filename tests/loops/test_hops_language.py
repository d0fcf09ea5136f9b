"""White's s-expressions: every printed program is read, printed and read back; errors show the place."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pellucid.base.errors import IrError, TextError
from pellucid.ir import expr as E
from pellucid.ir import nest as N
from pellucid.ir import types as T
from pellucid.ir.expr import Buffer
from pellucid.ir.interp import run
from pellucid.ir.parse import parse_expr, parse_nest
from pellucid.ir.verify import verify_kernel
from pellucid.loops.hops import read, write, write_block, write_expression

from .nests import agree, nests

PROGRAMS = Path(__file__).parent / "programs"
ALL = sorted(p.stem for p in PROGRAMS.glob("*.hops"))


def program(name: str, **changes: str) -> str:
    text = (PROGRAMS / f"{name}.hops").read_text(encoding="utf-8")
    for old, new in changes.items():
        assert old in text
        text = text.replace(f"(setq {old}", f"(setq {old} {new}) ; ")
    return text


def buffers(kernel: N.Kernel) -> dict[str, Buffer]:
    return {b.name: b for b in (*kernel.outputs, *N.inputs(kernel), *N.scratch(kernel.body))}


def final(text: str, memory: dict[str, list[int]] | None = None, **arguments: float) -> dict[str, list[int]]:
    """The values of all variables after a program."""
    kernel = read(text)
    verify_kernel(kernel)
    arrays = {b: np.zeros(b.size, b.type.dtype) for b in buffers(kernel).values()}
    for b, array in arrays.items():
        if memory and b.name in memory:
            array[:] = memory[b.name]
    run(kernel, arguments, arrays)
    return {b.name: a.tolist() for b, a in arrays.items()}


# ---- the programs of the dissertation ----


@pytest.mark.parametrize("name", ALL)
def test_a_printed_program_is_read_and_printed(name: str):
    kernel = read(program(name), name=name)
    verify_kernel(kernel)
    printed = write(kernel)
    assert printed == (PROGRAMS / "printed" / f"{name}.hops").read_text(encoding="utf-8")
    again = read(printed, name=name, memory=buffers(kernel))
    assert again.params == kernel.params
    assert again.outputs == kernel.outputs
    assert N.same(again.body, kernel.body)


def test_the_page_about_the_notation_says_what_is_so():
    page = (PROGRAMS.parents[2] / "docs" / "notation.md").read_text(encoding="utf-8")
    first, error = re.findall(r"^```text\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert write(read(first)) == first.partition("\n")[2]
    with pytest.raises(TextError) as caught:
        read("(MakeVariable x)\n\n(:= x (+ x zz))")
    assert f"{caught.value}\n" == error
    written = re.findall(r"`(\([^`]*\))`", "".join(re.findall(r"^\| (.*?) \|", page, re.MULTILINE)))
    assert len(written) > 20
    names = (PROGRAMS / "table_6_1.hops").read_text(encoding="utf-8").partition("(:= v x)")[0]
    names += "(MakeAbstractExpression n) (MakeAbstractStatement S) "
    for text in written:
        whole = text.replace("(for ...)", "(for i 0 9 S)")
        if text.startswith(("(<", "(not", "(in")):
            whole = f"(if {text} S1)"
        elif text.startswith(("(+", "(if b s1", "(a s)", "(get")):
            whole = f"(:= v {text})"
        read(whole if text.startswith(("(Make", "(setq")) else names + whole)


def test_there_is_a_golden_for_each_program_and_no_other():
    assert ALL == sorted(p.stem for p in (PROGRAMS / "printed").iterdir())
    assert len(ALL) > 20


def test_bounds_are_inclusive():
    assert final("(MakeVariable s) (for i 3 7 (:= s (+ (* 10 s) i)))")["s"] == [34567]
    assert final("(MakeVariable s) (for i 3 2 (:= s 1))")["s"] == [0]
    assert final("(MakeVariable s) (for i -2 -2 (:= s i))")["s"] == [-2]


def test_bounds_are_fixed_at_entry():
    text = "(MakeVariable n) (MakeVariable s) (:= n 3) (for i 1 n ((:= n 100) (:= s (+ s 1))))"
    assert final(text) == {"n": [100], "s": [3]}


def test_assigning_a_control_variable_is_legal_and_meaningless():
    whole, unrolled = (final(program(f"section_3_5_{name}")) for name in ("loop", "unrolled"))
    assert whole == unrolled == {"x": [100], "sum": [55]}


def test_what_a_loop_assigns_to_the_variable_of_its_name_is_there_afterwards():
    text = "(MakeVariable x) (MakeVariable y) (:= x 7) (for x 1 3 (:= y x)) (:= y (+ (* 10 y) x))"
    assert final(text) == {"x": [7], "y": [37]}


def test_the_nullable_statement_of_section_3_5_is_not_nullable():
    # By definition 3.5.3 the loop assigns its last value to y: y := y means y := s2 there.
    state = final(program("section_3_5_nullable"), {"y": [5]}, b=False, s1=1, s2=9)
    assert state["y"] == [9]


def test_a_loop_variable_may_be_used_again():
    text = "(MakeVariable s) (for i 0 3 (for i 10 11 (:= s (+ s i))))"
    assert final(text) == {"s": [84]}
    assert write(read(text)).endswith("(for i 0 3\n  (for i__2 10 11 (:= s (+ s i__2))))\n")
    indices = [s.index for s in N.walk(read(program("figure_6_4")).body) if isinstance(s, N.For)]
    assert len(set(indices)) == len(indices) == 3


def test_figures_6_3_and_6_4_compute_the_histogram():
    gray = [3, 0, 9, 3, 7, -1, 3, 0]
    small = program("figure_6_3", HighPixel="7").replace("4096", "8")
    fast = program("figure_6_4").replace("4095", "7").replace("4096", "8")
    wanted = np.bincount([g for g in gray if g >= 0], minlength=256).tolist()
    assert final(small, {"a": gray})["h"] == wanted
    assert final(fast, {"a": gray})["h"] == wanted


def test_subranges_include_their_ends():
    text = "(MakeVariable s) (MakeAbstractExpression n) (if (in n (2 5)) (:= s 1) (:= s 2))"
    assert [final(text, n=n)["s"][0] for n in (1, 2, 5, 6)] == [2, 1, 1, 2]


def test_division_is_total_and_floors():
    text = "(MakeVariable s) (MakeAbstractExpression n) (:= s (/ -7 n))"
    assert [final(text, n=n)["s"][0] for n in (2, -2, 0)] == [-4, 3, 0]


def test_integers_wrap():
    assert final(f"(MakeVariable s) (:= s (+ {2**63 - 1} 1))")["s"] == [-(2**63)]


def test_a_loop_up_to_the_largest_integer_is_empty():
    text = "(MakeVariable s) (MakeAbstractExpression n) (for i (- n 2) n (:= s (+ s 1)))"
    assert final(text, n=2**63 - 1) == {"s": [0]}
    assert final(text, n=2**63 - 2) == {"s": [3]}


# ---- what goes beyond the paper ----


def test_variables_have_types_and_bare_numbers_take_them():
    text = """
    (MakeVariable (f 4) f32) (MakeVariable g f64) (MakeVariable (k 4) u8) (MakeAbstractExpression n i32)
    (for i 0:i32 (- n 1)
      ((:= (f i) (if (< (f i) 0) 0 (+ 0.5 (sqrt (f i)))))
       (:= g (* 2 g))
       (:= (k i) (convert.u8 (min n i)))))
    """
    kernel = read(text)
    verify_kernel(kernel)
    printed = write(kernel)
    assert N.same(read(printed, memory=buffers(kernel)).body, kernel.body), printed
    state = final(text, {"f": [4, -1, 9, 16], "g": [1.5]}, n=3)
    assert state == {"f": [2.5, 0.0, 3.5, 16.0], "g": [12.0], "k": [0, 1, 2, 0]}


def test_local_variables_are_scratch_memory():
    text = "(MakeVariable s)\n(MakeLocal t)\n(:= t 3)\n(local (u 4 f32) (:= (u 1) 2.5))\n(:= s (+ t 1))\n"
    kernel = read(text)
    assert [b.name for b in kernel.outputs] == ["s"]
    assert write(kernel) == text
    assert final(text)["s"] == [4]
    inner = read("(MakeVariable s) (for i 0 3 (local t ((:= t i) (:= s t))))")
    assert write_block(inner.body) == "(for i 0 3\n  (local t\n    ((:= t i)\n     (:= s t))))"


def test_only_live_variables_are_outputs():
    kernel = read(program("figure_6_3"), live=["h"])
    assert [b.name for b in kernel.outputs] == ["h"]
    assert isinstance(kernel.body[0], N.Alloc)
    assert "(MakeLocal s)" in write(kernel)
    with pytest.raises(TextError, match="the live variable 'hh' is not declared"):
        read(program("figure_6_3"), live=["hh"])


def test_loops_may_run_in_lanes_and_bands():
    text = "(MakeVariable (h 64))\n(spread 8 (for j 0 7 (lanes 4 (for i 0 7 (:= (h (+ (* 8 j) i)) i)))))\n"
    kernel = read(text)
    (outer,) = kernel.body
    assert isinstance(outer, N.For)
    assert outer.how == N.spread(8)
    assert N.same(read(write(kernel), memory=buffers(kernel)).body, kernel.body)


def test_loops_without_bounds_run_as_long_as_a_condition_holds():
    text = "(MakeVariable s)\n(while (< s 100) (:= s (+ 1 (* 3 s))))\n"
    assert write(read(text)) == text
    assert final(text) == {"s": [121]}


def test_a_loop_never_hides_what_it_uses():
    kernel = parse_nest("""
kernel k(n: i64):
  output x: i64[1]
  output i: i64[4]
  for x: i64 in 0:i64 .. 3:i64:
    x[0:i64] := x[0:i64] + x
  for i: i64 in 0:i64 .. n:
    for n: i64 in 0:i64 .. 2:i64:
      i[i] := n
""")
    text = write(kernel)
    assert "(for x__2 0 2 (:= x (+ x x__2)))" in text
    assert "(for i__2 0 (- n 1)\n  (for n__2 0 1 (:= (i i__2) n__2)))" in text
    for start in (0, 5):
        states: list[list[list[int]]] = []
        for k in (kernel, read(text)):
            arrays = {b: np.full(b.size, start) for b in k.outputs}
            run(k, {"n": 3}, arrays)
            states.append([a.tolist() for a in arrays.values()])
        assert states[0] == states[1]


def test_values_print_by_themselves():
    assert write_expression(parse_expr("if $b:bool then $n:i64 else 3:i64")[0]) == "(if b n 3)"
    assert write_expression(parse_expr("0:i64 <= $n:i64 & $n:i64 <= 9:i64")[0]) == "(in n (0 9))"
    assert write_expression(parse_expr("$n:i32 < %i")[0]) == "(> i n)"
    assert write_expression(parse_expr("floor_div($n:i64, 2:i64)")[0]) == "(/ n 2)"
    assert write_expression(parse_expr("$x:f32 / 2.0")[0]) == "(/ x 2.0)"
    assert write_expression(parse_expr("neg($x:f64) + 0.1:f64")[0]) == "(+ (- x) 0.1)"
    assert write_expression(parse_expr("convert.u8(1:i32 + 2:i32)")[0]) == "(convert.u8 (+ 1:i32 2:i32))"
    assert write_block(()) == "()"


def test_the_buffers_of_a_caller_are_used():
    data = Buffer("a", T.u8, 9)
    kernel = read("(MakeVariable s u8) (:= s (a 3))", memory={"a": data})
    assert N.inputs(kernel) == [data]
    assert N.inputs(read("(MakeVariable (a 9) u8) (MakeVariable s u8) (:= s (a 3))", memory={"a": data})) == [
        data
    ]
    assert N.inputs(read("(MakeVariable (a 8) u8) (MakeVariable s u8) (:= s (a 3))", memory={"a": data})) != [
        data
    ]


@given(nests())
def test_random_nests_read_back(kernel: N.Kernel):
    text = write(kernel)
    again = read(text, memory=buffers(kernel))
    assert write(again) == text
    agree(kernel, N.Kernel(kernel.name, kernel.params, kernel.outputs, again.body))


# ---- depth and size ----


def test_values_nest_to_any_depth():
    depth = 30_000
    text = "(MakeVariable s)\n(:= s " + "(+ 1 " * depth + "s" + ")" * depth + ")\n"
    kernel = read(text)
    (store,) = kernel.body
    assert isinstance(store, N.Store)
    assert E.size([store.value]) == depth + 3
    assert read(write(kernel), memory=buffers(kernel)).body[0].value is store.value


def test_statements_nest_deeply():
    depth = 1500
    text = "(MakeVariable s) " + "(if (= s 0) " * depth + "(:= s 1)" + ")" * depth
    kernel = read(text)
    printed = write(kernel)
    assert printed.count("(if (= s 0)\n") == depth - 1
    assert write(read(printed)) == printed


def test_statements_nested_without_measure_are_refused():
    depth = 20_000
    with pytest.raises(TextError, match="line 1, column 18018: statements are nested more than 2000 deep"):
        read("(MakeVariable s) " + "(if true " * depth + "()" + ")" * depth)


def test_terms_that_share_too_much_are_refused():
    x = E.param("x", T.i64)
    for _ in range(40):
        x = E.apply("add", x, x)
    with pytest.raises(IrError, match="more than 100000 terms when nothing is shared"):
        write_expression(x)


def test_places_and_iterations_are_written():
    text = """(MakeVariable out)
(MakeAbstractExpression x)
(place (- x))
(repeat (iterate 0 (x 1) ((+ @0.0:i64 (- x)) @0.0:i64) (> @0.1:i64 5) 9)
  (place (> @0.1:i64 5)))
(select (< x 0)
  (place (* x x))
  ()
  (if (< x 0) (* x x) 3))
(:= out (get 1 (iterate 0 (x 1) ((+ @0.0:i64 (- x)) @0.0:i64) (> @0.1:i64 5) 9)))
"""
    kernel = read(text)
    verify_kernel(kernel)
    assert write(kernel) == text
    assert {type(s) for s in N.walk(kernel.body)} == {N.Let, N.Repeat, N.If, N.Store}
    assert [final(text, x=x)["out"][0] for x in (-3, 2)] == [6, -14]


def test_a_name_that_is_a_word_of_the_language_is_not_written():
    with pytest.raises(IrError, match="'min' is a word of the language; give it another name"):
        write(parse_nest("kernel k():\n  output min: i64[3]\n  min[0:i64] := 1:i64\n"))


# ---- errors ----

DECLARED = "(MakeVariable x) (MakeVariable (a 8)) (MakeVariable f f32) (MakeAbstractStatement S)\n"
MISTAKES = {
    # parentheses
    "(:= x 1": "line 2, column 1: this parenthesis is never closed",
    "(:= x 1))": "line 2, column 9: nothing is open that could be closed",
    "(:= x ')": "line 2, column 8: nothing is open",
    "(:= x 1) '": "line 2, column 10: nothing follows the quote",
    '(:= x "1")': "line 2, column 7: a string has no meaning here",
    # names
    "(:= x (+ y 1))": r"line 2, column 10: 'y' is not declared; write \(MakeVariable y\)",
    "(:= y 1)": "line 2, column 5: 'y' is not declared",
    "(:= x (b 1))": "'b' is neither an operator nor an array; an array is declared by",
    "(:= (b 1) 1)": r"'b' is not declared; write \(MakeVariable \(b size\)\)",
    "(:= x xx)": "line 2, column 7: 'xx' is not declared",
    "(:= x S)": "line 2, column 7: 'S' stands for a statement, not for a value",
    "(:= S 1)": "'S' is no variable and cannot be assigned",
    "(:= x a)": r"'a' is an array; say which element: \(a 0\)",
    "(:= a 1)": "'a' is an array",
    "(:= x (x 1))": "line 2, column 7: 'x' is a simple variable; write it without parentheses",
    "(:= (x 1) 1)": "'x' is a simple variable",
    "x": r"'x' is no statement; to stand for one, write \(MakeAbstractStatement x\)",
    "(for i 0 9 (:= i 1))": r"'i' belongs to its loop and cannot be assigned; .* write \(MakeVariable i\)",
    "(MakeVariable x)": "line 2, column 15: 'x' is declared a second time",
    "(MakeAbstractBoolean a)": "'a' is declared a second time",
    "(MakeVariable min)": "'min' is a word of the language; choose another name",
    "(MakeVariable (for 3))": "'for' is a word of the language",
    "(MakeVariable gray-level)": "'gray-level' is not a name of letters, digits and _",
    "(MakeVariable (b c d))": r"an array is declared by its name and size; write \(a 4096\)",
    "(MakeVariable ((b 1) 2))": "a name is expected here",
    "(MakeVariable (b 0))": "the size of an array is a whole number of at least 1",
    "(MakeVariable (b x))": "the size of an array is a whole number",
    "(MakeVariable (b 1.5))": "the size of an array is a whole number",
    "(MakeVariable b float)": "no type is called 'float'",
    "(MakeVariable b (f32))": "a type is a word",
    "(MakeVariable)": "MakeVariable takes a variable and perhaps a type",
    "(MakeAbstractStatement S1 S2)": r"MakeAbstractStatement takes a name; write \(MakeAbstractStatement S1\)",
    "(setq n)": r"setq takes a name and a number; write \(setq LowGray 0\)",
    "(setq n x)": "a constant is a number",
    "(for i 0 1 (MakeVariable b))": "a declaration stands outside of all statements",
    "(MakeLocal b) (:= x b)": "the local variable 'b' never gets a value",
    # bounds
    "(for i 0 f S)": "line 2, column 10: a bound is an integer, not a f32",
    "(for i 0.5 9 S)": "line 2, column 8: '0.5' is not an i64; write a whole number",
    "(for i true 9 S)": "a bound is an integer, not a bool",
    "(for i 0:i32 x S)": "the bounds differ in type: i32 and i64",
    f"(for i 0 {2**63 - 1} S)": f"the last value of a loop is below {2**63 - 1}",
    "(for 3 0 9 S)": "'3' is not a name",
    "(for (a 1) 0 9 S)": "a loop variable is a name",
    "(for a 0 9 S)": "'a' is no simple variable",
    # numbers of parts
    "(for i 0 9)": r"'for' has 3 parts; write \(for x s1 s2 S\), with several statements as \(S1 S2\)",
    "(for i 0 9 S S)": "'for' has 5 parts",
    "(:= x)": r"':=' has 1 parts; write \(:= v s\)",
    "(while true)": r"'while' has 1 parts; write \(while b S\)",
    "(while x S)": "a condition is a bool, not a i64",
    "(if true)": r"'if' has 1 parts; write \(if b S1 S2\)",
    "(:= x (+ 1 2 3))": r"line 2, column 7: '\+' takes 2 operands, not 3",
    "(:= x (sqrt))": "'sqrt' takes 1 operands, not 0",
    "(:= x (if true 1))": "'if' takes 3 operands, not 2",
    "(if (in x 1 2) S)": r"'in' has a value and a subrange; write \(in s \(s1 s2\)\)",
    "(:= x (a 1 2))": "an array takes one index, not 2",
    "(:= (a) 2)": "an array takes one index, not 0",
    # kinds
    "(fro i 0 9 S)": "'fro' begins no statement; did you mean 'for'?",
    "(x S)": "'x' begins no statement; a statement begins with one of",
    "(:= x (mni 1 2))": "'mni' is neither an operator nor an array; did you mean 'min'?",
    "(:= x ())": "an operator or an array is expected after the parenthesis",
    "(:= x (:= x 1))": "a statement stands where a value is expected",
    "(if x S)": r"a condition is a bool, not a i64; compare it: \(<> s 0\)",
    "(:= x (if 1 2 3))": "line 2, column 11: '1' is a number where a bool is wanted",
    "(if 1 S)": "'1' is a number where a bool is wanted; write true or false",
    "(:= f x)": r"line 2, column 7: a i64 does not go into f: f32\[1\]; write \(convert.f32 ...\)",
    "(:= x (+ x f))": r"line 2, column 7: add: operands differ in type: i64 and f32; convert one",
    "(:= x (+ x 1.5))": "'1.5' is not an i64",
    "(:= x (a f))": "a position is i32 or i64, not f32",
    "(:= (a f) 1)": "an index is an i64 or an i32, not a f32",
    "(:= x (convert x))": "'convert' is neither an operator nor an array",
    "(:= x (convert.float x))": "'convert.float' is neither an operator nor an array",
    "(:= () 1)": "a variable is expected here",
    # numbers
    f"(:= x {2**63})": f"line 2, column 7: {2**63} is not within",
    f"(:= x {'9' * 5000})": "a number of 5000 digits fits no type",
    "(MakeVariable u u8) (:= u 256)": "256 is not within 0 .. 255; an u8 is",
    # memory and loops
    "(local (t 0) S)": "the size of an array is a whole number of at least 1",
    "(local (t f) S)": "a size is an integer, not a f32",
    "(local (t 1 f32 2) S)": "a local array has a name, a size and a type",
    "(local x S)": "'x' is declared a second time",
    "(lanes x (for i 0 9 S))": "a whole number of at least 1 is expected here",
    "(lanes 0 (for i 0 9 S))": "a whole number of at least 1 is expected here",
    "(lanes 4 S)": "'lanes' is followed by a loop",
}


@pytest.mark.parametrize("text", MISTAKES, ids=lambda t: t[:40])
def test_a_mistake_is_named_with_its_place(text: str):
    with pytest.raises(TextError, match=MISTAKES[text]) as caught:
        read(DECLARED + text)
    # The last line is a caret under the place.
    *_, line, caret = str(caught.value).splitlines()
    column = caret.index("^")
    assert caret.strip() == "^"
    assert line[column : column + 1] not in ("", " ")


def test_the_place_is_shown():
    with pytest.raises(TextError) as caught:
        read("(MakeVariable x)\n\t(:= x\n\t   (+ x zz)) ; too bad")
    assert str(caught.value) == (
        "line 3, column 10: 'zz' is not declared; write (MakeVariable zz)\n"
        "  \t   (+ x zz)) ; too bad\n"
        "  \t        ^"
    )


def test_of_a_long_line_the_surroundings_are_shown():
    with pytest.raises(TextError) as caught:
        read("(MakeVariable x) " + "(:= x 1) " * 5000 + "(:= x zz)")
    assert len(str(caught.value)) < 400
    *_, line, caret = str(caught.value).splitlines()
    assert line[caret.index("^") :].startswith("zz")


@given(st.text(alphabet="()':;= \nxaSif0123456789.+-<>\"", max_size=60))
def test_any_text_is_read_or_refused_with_its_place(text: str):
    try:
        kernel = read(DECLARED + text)
    except TextError as error:
        assert error.place  # noqa: PT017 - either outcome is fine, but not without a place
    else:
        assert write(read(write(kernel))) == write(kernel)
