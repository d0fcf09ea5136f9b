"""What the Pan paper asks of the compiler (sections 3 and 5), one test per row of docs/lineage.md."""

import math

import numpy as np
import pytest

from pellucid import images as im
from pellucid.driver.frame import COLUMN, HEIGHT, ROW, WIDTH, build
from pellucid.driver.kernel import Kernel
from pellucid.driver.lending import make_backend
from pellucid.driver.options import Options
from pellucid.driver.pipeline import optimize
from pellucid.ir import expr as E
from pellucid.ir import nest as N
from pellucid.ir import types as T
from pellucid.ir.expr import Buffer, apply, const, param, topological
from pellucid.ir.facts import Facts
from pellucid.ir.interp import run
from pellucid.ir.parse import parse_expr
from pellucid.ir.text import print_expr, print_nest
from pellucid.loops.analysis.placement import place
from pellucid.reasoning.timer import kernel_cost
from pellucid.rewriting.builder import Trace
from pellucid.rewriting.simplify import simplify
from pellucid.tracing import Point, Value, convert, tracing, where
from pellucid.tracing import functions as F

SWIRL = im.swirl(100, im.checkerboard(10, im.black, im.white))


def simple(text, **options):
    return print_expr(*simplify(parse_expr(text), **options))


def pan_display(picture, two_pi=2 * 3.14159):
    """Pan's own display function: zoom times the pixel's offset from the middle, plus the pan; packed 24-bit colors."""
    with tracing(T.f32):
        names = ("time", "panX", "panY", "zoom")
        time, pan_x, pan_y, zoom = (Value(param(n, T.f32)) for n in names)
        i, j, w, h = (Value(e) for e in (COLUMN, ROW, WIDTH, HEIGHT))
        x = zoom * convert(i + -(w // 2), T.f32) + pan_x
        y = zoom * convert(j + -(h // 2), T.f32) + pan_y
        r, g, b = (F.to_integer(c * 255.0) for c in picture(time, Point(x, y)))
        packed = ((0 | r) << 8 | g) << 8 | b
        node = convert(packed, T.i32).expr
    out = Buffer("output", T.i32, 1)
    position = apply("add", apply("mul", ROW, WIDTH), COLUMN)
    zero = const(0, T.i32)
    inner = N.For(COLUMN, zero, WIDTH, (N.Store(out, position, node),))
    loops = N.For(ROW, zero, HEIGHT, (inner,))
    nonempty = apply("and", apply("lt", zero, HEIGHT), apply("lt", zero, WIDTH))
    params = (*(param(n, T.f32) for n in names), WIDTH, HEIGHT)
    used = set(E.params(N.all_roots((loops,))))
    return N.Kernel("display", tuple(p for p in params if p in used), (out,), (N.If(nonempty, (loops,)),))


def pan_swirl(time, p):
    """swirl 100 (checkerBoard 10 black white), with the paper's value of pi."""
    q = p.rotate(-p.r * (2.0 * 3.14159 / 100.0))
    whole = F.floor(q.x / 10.0) + F.floor(q.y / 10.0)
    shade = where(whole % 2.0 == 0.0, 0.0, 1.0)
    return shade, shade, shade


def test_P12_inlining_leaves_only_scalars():
    frame = build(SWIRL, T.f32)
    roots = N.all_roots(frame.kernel.body)
    for node in topological(roots):
        assert node.type in T.ALL
        assert all(isinstance(a, E.Expr) for a in node.args)
    # First-order and without data structures: the nest holds loops and stores alone, and nothing is allocated.
    assert {type(s) for s in N.walk(frame.kernel.body)} == {N.For, N.Store}
    # Repeated subterms are one node, and each is visited a few times however often it is used.
    visits = []
    for depth in (30, 60, 120):
        e = param("x", T.f32)
        for _ in range(depth):
            e = apply("add", apply("mul", e, e), e)
        trace = Trace()
        simplify([e], trace=trace)
        assert E.size([e]) == 2 * depth + 1, "as a tree it would be 3 to the depth"
        visits.append(trace.visits / E.size([e]))
    assert max(visits) <= min(visits) + 1
    assert max(visits) <= 10


@pytest.mark.parametrize(
    ("before", "after"),
    [
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
        ("2.0:f64 * 3.14159:f64 / 100.0:f64", "0.0628318:f64"),
        ("$x:f32 + (0.0 * ($y:f32 + 1.0))", "$x:f32"),
    ],
)
def test_P13_smart_constructors_and_folding(before, after):
    assert simple(before) == after
    again = simplify(simplify(parse_expr(before)))
    assert print_expr(*again) == after, "a fixed point"


def test_P13_zero_times_x_is_not_exact():
    assert simple("0.0 * $x:f32", numerics="exact") == "$x:f32 * 0.0"


def test_P14_conversion_floats_into_the_choice():
    assert simple("to_integer.i32((if $c:bool then 0.0 else 1.0) * 255.0)") == "if $c:bool then 0 else 255"


def test_P15_sharing_adds_no_evaluation():
    out = Buffer("out", T.f32, 4)
    a, b, c, d, e = (param(n, T.f32) for n in "abcde")
    zero = const(0.0, T.f32)
    quotient = apply("div", b, c)

    def text(value):
        kernel = N.Kernel("k", (a, b, c, d, e), (out,), (N.Store(out, const(0, T.i32), value),))
        return print_nest(place(kernel, threshold=1.0)[0])

    inner = apply("choose", apply("lt", d, zero), quotient, e)
    one = text(apply("choose", apply("lt", a, zero), quotient, inner))
    assert "\n  t1 = b / c" not in one, "when neither condition holds nothing may be divided"
    assert one.count("b / c") == 2
    both = text(apply("choose", apply("lt", a, zero), apply("add", quotient, d), apply("mul", quotient, e)))
    assert "\n  t1 = b / c" in both, "both arms demand it"
    assert both.count("b / c") == 1


def stages_of_pan_swirl():
    from pellucid.driver.pipeline import rules
    from pellucid.loops.core import tactic
    from pellucid.loops.core.tactic import attempt, sequence
    from pellucid.rewriting.fuse import fuse

    kernel = pan_display(pan_swirl)
    order = (ROW.free, COLUMN.free)
    inside = Facts(0, (1 << 20) - 1)
    ranges = {ROW: inside, COLUMN: inside}
    script = sequence(
        rules("simplify", lambda roots, ranges, *_: simplify(roots, ranges=ranges, order=order), "rules"),
        rules("fuse", lambda roots, *_: fuse(roots, order), "one rounding instead of two"),
        attempt("place"),
    )
    return kernel, tactic.run(script, kernel, ranges)


def test_P16_hoisting_of_swirl():
    before, state = stages_of_pan_swirl()
    text = print_nest(state.kernel)
    # Figure 3, with the constant of the text: two values per frame, then those of the row, the rest per pixel.
    head, row, pixel = (
        text.partition("for j")[0],
        text.partition("for j")[2].partition("for i")[0],
        text.rpartition("for i")[2],
    )
    assert "shift_right_in(height, 1)" in head, "height div 2"
    assert "shift_right_in(width, 1)" in head, "width div 2"
    assert head.count(" = ") == 2
    assert "panY" in row
    assert "panX" not in row
    assert row.count(" = ") <= 4
    for word in ("panX", "sqrt", "sin", "cos"):
        assert word in pixel
    assert "0.0628318" in pixel
    assert pixel.rstrip().endswith("then 0 else 16777215")
    assert text.splitlines()[2].startswith("  if "), "guarded by both bounds"
    assert state.ledger.steps[-1].after < 0.8 * kernel_cost(before)


def test_P16_hoisting_keeps_the_picture():
    before, state = stages_of_pan_swirl()
    arguments = {"panX": 3.0, "panY": -2.0, "zoom": 1.5, "width": 40, "height": 30, "time": 0.0}
    results = []
    for kernel in (before, state.kernel):
        memory = {kernel.outputs[0]: np.zeros(1200, np.int32)}
        run(kernel, {p.attr: arguments[p.attr] for p in kernel.params}, memory)
        results.append(memory[kernel.outputs[0]])
    assert (results[0] != results[1]).mean() < 0.005, "edges may round differently"
    i, j = np.meshgrid(np.arange(40), np.arange(30))
    x, y = 1.5 * (i - 20) + 3, 1.5 * (j - 15) - 2
    angle = -np.hypot(x, y) * 2 * math.pi / 100
    u, v = x * np.cos(angle) - y * np.sin(angle), y * np.cos(angle) + x * np.sin(angle)
    expected = np.where((np.floor(u / 10) + np.floor(v / 10)) % 2 == 0, 0, 16777215)
    assert (results[1].reshape(30, 40) != expected).mean() < 0.005


@pytest.mark.parametrize(("width", "height"), [(0, 5), (5, 0), (0, 0)])
def test_P16_nothing_runs_on_an_empty_frame(width, height):
    _, state = stages_of_pan_swirl()
    memory = {state.kernel.outputs[0]: np.full(8, 7, np.int32)}
    run(state.kernel, {"panX": 0, "panY": 0, "zoom": 1, "width": width, "height": height}, memory)
    assert (memory[state.kernel.outputs[0]] == 7).all()


def test_P17_back_ends_agree():
    pixels = [
        Kernel(SWIRL, Options(numerics="exact", backend=name)).render((33, 21))
        for name in ("numpy", "llvm", "c")
    ]
    np.testing.assert_array_equal(pixels[0], pixels[1])
    np.testing.assert_array_equal(pixels[0], pixels[2])


def dear_columns(p):
    return F.sin(p.x * 3.0) * F.cos(p.x * F.sqrt(F.abs(p.x))) + p.y


def test_P18_dear_columns_go_into_a_table():
    picture = im.image(dear_columns)
    options = Options()
    frame = build(picture, T.f32)
    best = optimize(frame.kernel, frame.ranges, options, 16)
    text = print_nest(best.kernel)
    assert "alloc column1: f32[width]" in text
    inner = text[text.rindex("for i") :]
    assert "column1[i]" in inner
    assert "sqrt" not in inner
    assert "bitcast" not in inner, "no sine is left in the inner loop"
    plain = build(im.image(lambda p: p.x * 2 + p.y), T.f32)
    cheap = optimize(plain.kernel, plain.ranges, options, 16)
    assert "alloc" not in print_nest(cheap.kernel), "only where it pays"
    direct = Kernel(picture, Options(backend="numpy")).render((40, 8), zoom=9)
    np.testing.assert_array_equal(Kernel(picture, options).render((40, 8), zoom=9), direct)


def test_P19_what_does_not_change_with_time_is_computed_once():
    from pellucid.driver.film import Film
    from pellucid.driver.view import checked_view

    @im.animation
    def moving(t):
        return im.image(lambda p: F.sin(F.exp(p.x) * p.y) * 0.5 + F.sin(t) * 0.5)

    kernel = Kernel(moving, Options())
    film = Film(kernel, checked_view((17, 9), zoom=4))
    assert film.parts is not None
    once, each = film.parts.nests
    assert not [p for p in once.params if p.attr == "time"]
    both = ROW.free | COLUMN.free
    still, varying = ([e for e in topological(N.all_roots(n.body)) if e.free == both] for n in (once, each))
    # What is left are the place, the sum of picture and time, and the byte.
    assert 2 * len(varying) < len(still), "the picture is outside of what runs for every frame"
    for k in range(4):
        np.testing.assert_array_equal(film.frame(0.25 * k), kernel.render((17, 9), zoom=4, time=0.25 * k))


@pytest.mark.parametrize(
    "text",
    [
        "$a:f32 + ($b:f32 - $a:f32)",
        "($b:f32 - $a:f32) + $a:f32",
        "$a:f32 + (($b:f32 + $c:f32) - ($a:f32 + $c:f32))",
        "($a:f32 + $c:f32) + (($b:f32 - $c:f32) - $a:f32)",
    ],
)
def test_P20_matching_modulo_associativity_and_commutativity(text):
    assert simple(text) == "$b:f32"
    assert simple(text, numerics="exact") != "$b:f32", "rounding forbids it there"
    assert simple(text.replace("f32", "i32"), numerics="exact") == "$b:i32", "integers wrap exactly"


def test_P21_grouping_by_frequency_of_change():
    # row + column + other row + frame, as written: the invariant parts stand apart.
    text = "convert.f32(%j) * $a:f32 + convert.f32(%i) + convert.f32(%j) * $b:f32 + $c:f32 + convert.f32(%i) * $d:f32"
    (e,) = simplify(parse_expr(text), order=(ROW.free, COLUMN.free))
    out = Buffer("out", T.f32, 1)
    zero = const(0, T.i32)
    inner = N.For(COLUMN, zero, WIDTH, (N.Store(out, COLUMN, e),))
    kernel = N.Kernel(
        "k",
        (*(param(n, T.f32) for n in "abcd"), WIDTH, HEIGHT),
        (out,),
        (N.For(ROW, zero, HEIGHT, (inner,)),),
    )
    placed = print_nest(place(kernel)[0])
    pixel = placed[placed.rindex("for i") :]
    assert "j" not in pixel, "all that the row decides was computed before"
    assert "c" not in pixel.replace("convert", "")
    assert pixel.count("+") <= 2


def test_P22_sharing_survives_substitution():
    x, y = param("x", T.f32), param("y", T.f32)
    shared = apply("sqrt", apply("add", x, const(1.0, T.f32)))
    e = apply("mul", apply("add", shared, y), apply("sub", shared, y))
    (new,) = E.substitute([e], {x: apply("mul", y, y)})
    assert E.size([new]) == E.size([e]) + 1 - 1 + 1 - 1
    assert sum(n.op == "sqrt" for n in topological([new])) == 1
    # A strategy that is not bottom-up: a script of tactics chosen by hand.
    from pellucid.loops.core.tactic import attempt, first, run, when

    frame = build(SWIRL, T.f32)
    tactic = first(when(lambda k: False, attempt("spread")), attempt("lanes", count=8))
    assert [s.move for s in run(tactic, frame.kernel, frame.ranges).ledger.steps] == ["lanes"]


def chain(n):
    x, y = param("x", T.f32), param("y", T.f32)
    e = x
    for k in range(n):
        e = apply("min", apply("add", e, const(float(k), T.f32)), apply("mul", e, y))
    return e


def test_P27_work_is_linear_in_the_shared_program():
    counts = []
    for n in (100, 1000, 3000):
        trace = Trace()
        simplify([chain(n)], trace=trace)
        counts.append(trace.visits / n)
    assert max(counts) <= 1.5 * min(counts)


def test_P27_sharing_never_explodes_the_code():
    x, y = param("x", T.f32), param("y", T.f32)
    e = x
    for _ in range(40):
        e = apply("choose", apply("lt", e, y), apply("sqrt", apply("add", e, y)), apply("div", e, y))
    out = Buffer("out", T.f32, 1)
    kernel = N.Kernel("k", (x, y), (out,), (N.Store(out, const(0, T.i32), e),))
    placed, _ = place(kernel, threshold=5.0)
    assert sum(1 for _ in N.walk(placed.body)) <= 4 * 40
    assert len(print_nest(placed).splitlines()) < 600
    backend = make_backend("llvm")
    assert len(backend.text(placed, {}).splitlines()) < 4000


def test_P27_simplification_ends_where_it_began():
    for picture in (SWIRL, im.gasket, im.yb_rings):
        roots = N.all_roots(build(picture, T.f32).kernel.body)
        once = simplify(roots)
        assert simplify(once) == once
