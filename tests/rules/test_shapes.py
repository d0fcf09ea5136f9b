"""What comes out, in text: the rules that Pan lists, if-floating, sums modulo order, grouping, fusing."""

from __future__ import annotations

import pytest

from pellucid.ir import expr as E
from pellucid.ir import types as T
from pellucid.ir.facts import Facts
from pellucid.ir.parse import parse_expr
from pellucid.ir.text import print_expr
from pellucid.rewriting.builder import Trace
from pellucid.rewriting.expand import expand
from pellucid.rewriting.fuse import fuse
from pellucid.rewriting.simplify import simplify

ROW, COLUMN = E.index("j"), E.index("i")
ORDER = (ROW.free, COLUMN.free)


def shown(text: str, **options) -> str:
    return print_expr(*simplify(parse_expr(text), **options))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        # Pan, section 3.2.
        ("0.0 + $x:f32", "$x:f32"),
        ("0.0 * $x:f32", "0.0"),
        ("1.0 * $x:f32", "$x:f32"),
        ("not(not($a:bool))", "$a:bool"),
        ("if true then $x:f32 else $y:f32", "$x:f32"),
        ("if false then $x:f32 else $y:f32", "$y:f32"),
        ("$b:i32 | 0", "$b:i32"),
        ("$b:i32 & 0", "0"),
        ("$b:i32 << 0", "$b:i32"),
        ("0 >> $b:i32", "0"),
        ("($b:i32 << 3) << 4", "shift_left_in($b:i32, 7)"),
        ("($b:i32 << 30) << 4", "0"),
        ("2.0 * 3.14159 / 100.0", "0.062831804"),
        # If-floating, section 3.5.
        ("to_integer.i32((if $a:bool then 0.0 else 1.0) * 255.0)", "if $a:bool then 0 else 255"),
        ("floor(if $a:bool then $x:f32 else $x:f32)", "floor($x:f32)"),
        ("(if $a:bool then 1 else 2) + (if $a:bool then 10 else 20)", "if $a:bool then 11 else 22"),
        ("if not($a:bool) then 1 else 2", "if $a:bool then 2 else 1"),
        ("if $a:bool then true else false", "$a:bool"),
        (
            "if $a:bool then (if $a:bool then $x:f32 else $y:f32) else $z:f32",
            "if $a:bool then $x:f32 else $z:f32",
        ),
        ("(if $a:bool then 3 else 4) == 3", "$a:bool"),
        # Sums and products modulo order: P20 at any depth.
        ("$a:f32 + ($b:f32 - $a:f32)", "$b:f32"),
        ("$a:i32 + ($b:i32 - $a:i32)", "$b:i32"),
        ("$a:f32 + ($c:f32 + ($b:f32 - ($d:f32 + $a:f32))) + $d:f32", "$b:f32 + $c:f32"),
        ("2.0 * $x:f32 + 3.0 * $x:f32", "$x:f32 * 5.0"),
        ("$x:f32 - $x:f32 * 3.0 + $x:f32 * 2.0", "0.0"),
        ("$x:f32 + 1.0 + $y:f32 + 2.0", "$x:f32 + $y:f32 + 3.0"),
        ("$x:f32 * 2.0 * $y:f32 * 3.0", "$x:f32 * $y:f32 * 6.0"),
        ("$x:u8 * 3:u8 - $x:u8 * 4:u8 + $x:u8", "0:u8"),
        ("$a:f32 * $b:f32 + $a:f32 * $c:f32", "$a:f32 * ($b:f32 + $c:f32)"),
        ("neg($x:f32 - $y:f32)", "$y:f32 - $x:f32"),
        # Powers.
        ("pow($x:f32, 2.0)", "$x:f32 * $x:f32"),
        ("pow($x:f32, 0.5)", "sqrt($x:f32)"),
        ("sin(neg($x:f32)) + sin($x:f32)", "0.0"),
        ("sin($x:f32) * sin($x:f32) + cos($x:f32) * cos($x:f32)", "1.0"),
        # Words.
        ("mod($i:i32, 8)", "$i:i32 & 7"),
        ("$i:i32 // 8", "shift_right_in($i:i32, 3)"),
        ("(convert.u32($u:u8) | $v:u32 << 8:u32) & 255:u32", "convert.u32($u:u8)"),
        ("convert.u8(convert.i32($u:u8))", "$u:u8"),
        ("$x:f32 / 4.0", "$x:f32 * 0.25"),
    ],
)
def test_shape(before: str, after: str):
    assert shown(before) == print_expr(*parse_expr(after))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("0.0 + $x:f32", "$x:f32 + 0.0"),
        ("0.0 * $x:f32", "$x:f32 * 0.0"),
        ("$a:f32 + ($b:f32 - $a:f32)", "$a:f32 + ($b:f32 - $a:f32)"),
        ("abs($x:f32) + 0.0", "abs($x:f32)"),
        ("$x:f32 / 3.0", "$x:f32 / 3.0"),
        ("$x:f32 / 4.0", "$x:f32 * 0.25"),
        ("$a:i32 + ($b:i32 - $a:i32)", "$b:i32"),
    ],
)
def test_exact_keeps_what_rounding_would_change(before: str, after: str):
    assert shown(before, numerics="exact") == print_expr(*parse_expr(after))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        # P21: constants and what changes per frame first, then rows, then columns.
        (
            "convert.f32(%i) + ($a:f32 + convert.f32(%j)) + ($b:f32 + 1.0)",
            "$a:f32 + $b:f32 + 1.0 + convert.f32(%j) + convert.f32(%i)",
        ),
        (
            "convert.f32(%i) * $a:f32 * convert.f32(%j) * $b:f32",
            "$a:f32 * $b:f32 * convert.f32(%j) * convert.f32(%i)",
        ),
        ("%i * 4 + (%j * $w:i32 * 4 + $o:i32)", "$o:i32 + $w:i32 * 4 * %j + %i * 4"),
        ("(%i - $w:i32) + (%j - $h:i32)", "%j - ($h:i32 + $w:i32) + %i"),
    ],
)
def test_parts_are_grouped_by_how_often_they_change(before: str, after: str):
    assert shown(before, order=ORDER) == print_expr(*parse_expr(after))


def test_a_sum_that_others_use_is_not_torn_apart():
    text = "sin($a:f32 + $b:f32) * (($a:f32 + $b:f32) + $c:f32)"
    assert E.size(simplify(parse_expr(text))) == E.size(parse_expr(text))


def test_fusing_leaves_what_can_leave_the_loop():
    (row,) = simplify(parse_expr("$a:f32 * convert.f32(%j) + convert.f32(%i)"), order=ORDER)
    assert "fma" not in repr(fuse([row], ORDER))
    (pixel,) = simplify(parse_expr("$a:f32 * convert.f32(%i) + convert.f32(%j)"), order=ORDER)
    assert fuse([pixel], ORDER)[0].op == "fma"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("$x:f32 * $y:f32 + $z:f32", "fma($x:f32, $y:f32, $z:f32)"),
        ("$x:f32 * $y:f32 - $z:f32", "fma($x:f32, $y:f32, neg($z:f32))"),
        ("$z:f32 - $x:f32 * $y:f32", "fma(neg($x:f32), $y:f32, $z:f32)"),
        ("$z:f32 - $x:f32 * 3.0", "fma($x:f32, -3.0, $z:f32)"),
        ("$x:f32 * $y:f32 - 1.5", "fma($x:f32, $y:f32, -1.5)"),
    ],
)
def test_fused_forms(before: str, after: str):
    assert print_expr(*fuse(parse_expr(before))) == after


def test_exact_expansion_fuses_nothing():
    text = "$x:f32 * $y:f32 + $z:f32"
    assert print_expr(*expand(parse_expr(text), "exact")) == text


# ---- facts ----


def test_clamps_and_conversions_vanish_where_the_facts_allow():
    x = E.param("x", T.f32)
    text = "to_integer.u8(min(max($x:f32, 0.0), 1.0) * 255.0 + 0.5)"
    free = expand(simplify(parse_expr(text)))
    known = expand(simplify(parse_expr(text), ranges={x: Facts(0.0, 1.0)}), ranges={x: Facts(0.0, 1.0)})
    assert print_expr(*known) == "truncate_in.u8(fma($x:f32, 255.0, 0.5))"
    assert E.size(free) == E.size(known) + 4


def test_a_blend_of_colors_needs_no_clamp():
    ranges = {E.param(name, T.f32): Facts(0.0, 1.0) for name in "wab"}
    text = "min(max(lerp($w:f32, $a:f32, $b:f32), 0.0), 1.0)"
    assert shown(text, ranges=ranges) == "lerp($w:f32, $a:f32, $b:f32)"


def test_residues_decide_comparisons():
    assert shown("mod($i:i32 * 4 + 1, 2) == 0") == "false"
    assert shown("mod($i:u8 * 6:u8, 3:u8)") != "0:u8", "a product that wraps loses its residue"


# ---- the trace ----


def test_the_trace_names_what_fired():
    trace = Trace()
    simplify(parse_expr("not(not($a:bool)) & true"), trace=trace)
    assert trace.fired == {"not-not": 1, "and-identity-bool": 1}
    before, after = trace.examples["not-not"]
    assert print_expr(before) == "not(not($a:bool))"
    assert print_expr(after) == "$a:bool"
