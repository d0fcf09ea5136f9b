"""The text of expressions and nests reads back to the identical thing, and mistakes in it are named by line."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.diff.programs import Program, joined, programs

from pellucid.backends.conformance.programs import PROGRAMS
from pellucid.base.errors import PellucidError, TextError
from pellucid.ir import expr as E
from pellucid.ir import nest as N
from pellucid.ir import types as T
from pellucid.ir.expr import Buffer
from pellucid.ir.parse import parse_expr, parse_nest
from pellucid.ir.text import Printer, nest_lines, print_expr, print_nest
from pellucid.loops.analysis.placement import place


@given(programs(count=1))
def test_expressions_read_back_to_the_same_nodes(parts: list[Program]):
    kernel, _, _ = joined(parts)
    buffers = {b.name: b for b in N.inputs(kernel)}
    for root in N.all_roots(kernel.body):
        assert parse_expr(print_expr(root), buffers) == [root]
    roots = N.all_roots(kernel.body)
    assert parse_expr(print_expr(*roots), buffers) == roots


def known(kernel: N.Kernel) -> dict[str, Buffer]:
    return {b.name: b for b in (*kernel.outputs, *N.inputs(kernel), *N.scratch(kernel.body))}


def check(kernel: N.Kernel) -> None:
    text = print_nest(kernel)
    again = parse_nest(text, known(kernel))
    assert again.name == kernel.name
    assert again.params == kernel.params
    assert again.outputs == kernel.outputs
    assert N.same(again.body, kernel.body), text
    assert print_nest(again) == text


@given(programs(count=2))
def test_nests_read_back_to_the_same_statements(parts: list[Program]):
    kernel, _, _ = joined(parts)
    check(kernel)
    check(place(kernel)[0])


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name)
def test_programs_of_the_suite_read_back(program):
    check(parse_nest(program.text.replace("WIDTH", "16")))


@pytest.mark.parametrize("type_", T.FLOATS, ids=str)
@given(value=st.floats(allow_nan=True))
def test_floats_read_back_exactly(type_: T.Type, value: float):
    node = E.const(value, type_)
    assert parse_expr(print_expr(node)) == [node]


@pytest.mark.parametrize("type_", [*T.INTEGERS, T.boolean], ids=str)
@given(value=st.integers(-(1 << 63), 1 << 64))
def test_integers_read_back_exactly(type_: T.Type, value: int):
    node = E.const(value, type_)
    assert parse_expr(print_expr(node)) == [node]


@given(st.integers(0, 40))
def test_shared_nodes_are_printed_once(depth: int):
    x = E.param("x", T.f32)
    for _ in range(depth):
        x = E.apply("add", x, x)
    text = print_expr(x)
    assert len(text.splitlines()) <= depth + 1
    assert parse_expr(text) == [x]


@given(st.integers(1, 40), st.booleans())
def test_shared_nodes_of_a_repeat_are_printed_once(depth: int, placed: bool):
    out = Buffer("out", T.f32, 1)
    value = x = E.state(0, 0, T.f32)
    for _ in range(depth):
        value = E.apply("add", value, value)
    final = E.iterate([E.const(1.0, T.f32)], [E.apply("mul", x, value)], E.FALSE, E.const(3, T.i32), 0)[0]
    store = N.Store(out, E.const(0, T.i32), final)
    kernel = N.Kernel("k", (), (out,), (store,) if placed else (N.Repeat(final.args[0], ()), store))
    kernel = place(kernel)[0] if placed else kernel
    assert len(print_nest(kernel).splitlines()) <= depth + 6
    check(kernel)


def test_precedences_are_those_of_arithmetic():
    a, b, c = (E.param(n, T.i32) for n in "abc")
    assert parse_expr("$a:i32 + $b:i32 * $c:i32") == [E.apply("add", a, E.apply("mul", b, c))]
    assert parse_expr("($a:i32 + $b:i32) * $c:i32") == [E.apply("mul", E.apply("add", a, b), c)]
    assert parse_expr("$a:i32 - $b:i32 - $c:i32") == [E.apply("sub", E.apply("sub", a, b), c)]
    assert parse_expr("$a:i32 - ($b:i32 - $c:i32)") == [E.apply("sub", a, E.apply("sub", b, c))]
    assert parse_expr("$a:i32 + $b:i32 < $c:i32 & true") == [
        E.apply("and", E.apply("lt", E.apply("add", a, b), c), E.TRUE)
    ]


def test_comments_and_blank_lines_are_skipped():
    text = "; a comment\n\n# another\nkernel k():\n  ; inside\n  output out: i32[1]\n\n  out[0] := 1\n"
    assert len(parse_nest(text).body) == 1


# ---- mistakes ----


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("$a:f32 +", "line 1: expected a value, found 'the end'"),
        ("$a:f33", "line 1: no type is called 'f33'"),
        ("$a:f32 + $b:i32", "line 1: .*operands differ"),
        ("\n\nnope(1)", "line 3: .*no operator is called 'nope'"),
        ("sqrtt(1.0)", "did you mean 'sqrt'"),
        ("x + 1", "'x' has no meaning here"),
        ("a ~ b", "is not a token"),
        ("1 2", "unexpected '2'"),
        ("(1", r"expected '\)'"),
        ("@0:f32", "no state is called '@0'"),
        ("$a:f32.1", "line 1: there is no component 1"),
        ("buffer b: f32[0]", "line 1: .*at least one element"),
        ("buffer b: f32[3]\nb[1.0]", "line 2: .*a position is i32 or i64"),
        ("iterate 0 (1) to (2.0) until true limit 3 end", "line 1: .*starts as i32"),
    ],
)
def test_a_mistake_in_an_expression_is_named_with_its_line(text: str, why: str):
    with pytest.raises(TextError, match=why):
        parse_expr(text)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "no kernel in an empty text"),
        ("kernel k(:\n", "line 1"),
        ("kernel k():\n  output out: i32[1]\n  out[0] = 1\n", "line 3"),
        ("kernel k():\n  output out: i32[1]\n  nowhere[0] := 1\n", "line 3: 'nowhere' is neither"),
        ("kernel k():\n  output out: i32[1]\n  for i in 0 .. 3 by lanes:\n    out[i] := i\n", "line 3"),
        (
            "kernel k():\n  output out: i32[1]\n  for i in 0 .. 3:\n    out[j] := i\n",
            "line 4: 'j' has no meaning",
        ),
        (
            "kernel k():\n  alloc t: i32[1]\n  alloc t: i32[1]:\n    t[0] := 1\n",
            "line 3: t is allocated twice",
        ),
        ("kernel k():\n  alloc t: i32[1]\n", "line 2: the last array of some has ':'"),
        ("kernel k():\n  alloc t: i32[1]\n    t[0] := 1\n", "line 2: the last array of some has ':'"),
        ("kernel k():\n  output a: i32[1]\n  alloc t: i32[1]\n  a[0] := 1\n", "line 4: expected 'alloc'"),
    ],
)
def test_a_mistake_in_a_nest_is_named_with_its_line(text: str, why: str):
    with pytest.raises(TextError, match=why):
        parse_nest(text)


def test_abstract_statements_read_back():
    text = "kernel k():\n  output out: i32[3]\n  for i in 0 .. 3:\n    abstract S1\n    out[i] := i\n  abstract S2\n"
    kernel = parse_nest(text)
    check(kernel)
    (loop, last) = kernel.body
    assert isinstance(loop, N.For)
    assert not N.same(loop.body[:1], (last,))
    assert N.same(N.rewrite(kernel.body, lambda roots: roots), kernel.body)
    with pytest.raises(TextError, match="line 7: unexpected 'more'"):
        parse_nest(text + "  abstract S3 more\n")


def test_arrays_side_by_side_read_back():
    text = (
        "kernel k(n: i32):\n  output out: i32[3]\n  alloc t: i32[3]\n  alloc u: f32[n + 1]:\n"
        "    t[0] := 1\n    alloc v: i32[1]:\n      v[0] := t[0]\n      out[0] := v[0]\n  out[1] := 2\n"
    )
    kernel = parse_nest(text)
    check(kernel)
    assert print_nest(kernel) == text
    around, _ = kernel.body
    assert isinstance(around, N.Alloc)
    assert [(b.name, b.type) for b in around.sizes] == [("t", T.i32), ("u", T.f32)]
    assert not N.same((around,), (N.Alloc(dict(list(around.sizes.items())[::-1]), around.body),))


def test_a_line_that_belongs_nowhere_is_refused():
    for odd in ("out[1] := 2\n", "      out[1] := 2\n"):
        with pytest.raises(TextError, match=r"line 4.*not indented"):
            parse_nest("kernel k():\n  output out: i32[2]\n  out[0] := 1\n" + odd)


def test_what_is_too_deep_is_refused():
    with pytest.raises(TextError, match="line 1: more than 5000 terms stand in one another"):
        parse_expr("(" * 100_000 + "1" + ")" * 100_000)


@given(st.text(alphabet="kernel out:=[]()+-*/<>.,0123456789 \nifthenelsefor@$%", max_size=80))
def test_any_text_is_read_or_refused_in_one_sentence(text: str):
    # Anything but an error of the package's own is not caught here, and fails.
    for read in (parse_expr, parse_nest):
        with contextlib.suppress(PellucidError):
            read(text)


@given(programs(count=1), st.data())
def test_a_nest_with_a_letter_changed_is_read_or_refused(parts: list[Program], data: st.DataObject):
    text = print_nest(joined(parts)[0])
    at = data.draw(st.integers(0, len(text) - 1))
    letter = data.draw(st.sampled_from(" \n:=()[]@$%.0x-"))
    with contextlib.suppress(PellucidError):
        parse_nest(text[:at] + letter + text[at + 1 :])


def test_a_plain_text_leaves_out_what_goes_without_saying_and_says_where_statements_start():
    kernel = parse_nest(
        "kernel k(c: i64):\n  output t: i64[1]\n  output h: i64[8]\n"
        "  for i: i64 in 0:i64 .. c:\n    t[0] := h[i] + h[i]\n    if t[0] < 2:i64:\n      pass\n"
        "    else:\n      alloc s: i64[1]:\n        h[i] := t[0]\n"
    )
    printer = Printer(plain=True)
    lines = nest_lines(kernel, printer)
    assert lines[3:] == [
        "  for i in 0 .. c:",
        "    t := h[i] + h[i]",
        "    if t < 2:",
        "      pass",
        "    else:",
        "      local s:",
        "        h[i] := t",
    ]
    assert printer.starts == [3, 4, 5, 8, 9]
