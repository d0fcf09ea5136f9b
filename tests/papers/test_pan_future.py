"""What Pan left for later, and we have (sections 2.6 and 5): one test per row of docs/lineage.md."""

import itertools
import math
import random
import time

import numpy as np
import pytest
from tests.evaluations import evaluated, meaning_of
from tests.timings import last_is_fastest

import pellucid as pl
from pellucid import images as im
from pellucid.backends.conformance import same_bits
from pellucid.base.errors import TraceError
from pellucid.driver.frame import OUT, FrameVariant, build
from pellucid.driver.kernel import optimized
from pellucid.driver.lending import make_backend
from pellucid.driver.options import Options
from pellucid.driver.pipeline import optimize
from pellucid.driver.session import Session
from pellucid.ir import expr as E
from pellucid.ir import nest as N
from pellucid.ir import types as T
from pellucid.ir.expr import topological
from pellucid.ir.facts import Facts
from pellucid.ir.interp import evaluate
from pellucid.ir.parse import parse_expr
from pellucid.ir.text import print_expr
from pellucid.loops.analysis import deciding
from pellucid.loops.analysis.placement import THRESHOLD, place
from pellucid.reasoning.prove import Proved
from pellucid.rewriting.builder import Trace
from pellucid.rewriting.simplify import simplify
from pellucid.rewriting.status import status_of

SIZE = (96, 64)


def placed(picture):
    frame = build(picture, T.f32)
    return optimized(frame, Options("exact", "f32", "auto"), make_backend("numpy"))


def counts(kernel):
    view = {
        "time": 0.0,
        "center_x": 0.0,
        "center_y": 0.0,
        "scale": 0.25,
        "width": 8,
        "height": 6,
        "left": 0,
        "top": 0,
        "whole_width": 8,
        "whole_height": 6,
        "samples": 1,
    }
    arguments = {p.attr: view[p.attr] for p in kernel.params}
    memory = {OUT: np.zeros(48, np.uint32)}
    return meaning_of(kernel, arguments, memory), evaluated(kernel, arguments, memory)


def test_P15_hoisting_out_of_an_arm_adds_no_evaluation():
    def long(v):
        return pl.iterate(lambda s: (s[0] * 0.5 + 0.3,), (v,), limit=1000)[0]

    for bound, rows in ((1e6, 0), (0.0, 6), (-1e6, 6)):
        best = placed(pl.image(lambda p, bound=bound: pl.where(p.x > bound, long(p.y), 0.25)))
        before, after = counts(best.kernel)
        assert sum(t for n, t in after.times.items() if n.op == "iterate") == rows, "at most once a row"
        assert after.cycles <= before.cycles + 6 * THRESHOLD


def test_P16_what_leaves_a_loop_is_guarded_in_what_is_compiled():
    # Frames have a pixel: their width and height are checked. A nest whose loops may be empty asks.
    i, j, n, m = E.index("i"), E.index("j"), E.param("n", T.i32), E.param("m", T.i32)
    zero = E.const(0, T.i32)
    value = E.apply("add", E.param("x", T.f32), E.const(1.0, T.f32))
    for _ in range(4):
        value = E.apply("sin", E.apply("sqrt", value))
    out = E.Buffer("out", T.f32, 64)
    body = (N.Store(out, E.apply("add", E.apply("mul", j, n), i), value),)
    nest = (N.For(j, zero, m, (N.For(i, zero, n, body),)),)
    kernel = N.Kernel("k", (n, m, E.param("x", T.f32)), (out,), nest)
    best, _ = place(kernel)
    guards = [s for s in N.walk(best.body) if isinstance(s, N.If) and not s.selects]
    assert [g.condition for g in guards] == [E.apply("lt", zero, n)]
    for width, height in ((0, 5), (5, 0), (0, 0)):
        memory = {out: np.zeros(64, np.float32)}
        after = evaluated(best, {"n": width, "m": height, "x": 1.0}, memory)
        assert not any(times for node, times in after.times.items() if node.op == "sin")


def test_P20_chains_of_every_operator_without_coefficients():
    same = [
        ("xor(xor($a:i32, $b:i32), xor($c:i32, xor($b:i32, $a:i32)))", "$c:i32"),
        ("xor(xor($a:i32, $b:i32), xor($b:i32, $a:i32))", "0"),
        ("min(min($a:i32, $b:i32), min($b:i32, $a:i32))", "min($a:i32, $b:i32)"),
        ("max($a:i32, max($b:i32, max($a:i32, $b:i32)))", "max($a:i32, $b:i32)"),
        ("min($a:i32, min($c:i32, max($b:i32, $a:i32)))", "min($a:i32, $c:i32)"),
        ("($a:i32 & $b:i32) & ($c:i32 & $a:i32)", "$a:i32 & $b:i32 & $c:i32"),
        ("($a:i32 | $b:i32) | ($a:i32 & $c:i32)", "$a:i32 | $b:i32"),
        ("min(min($a:f32, $b:f32), min($b:f32, $a:f32))", "min($a:f32, $b:f32)"),
    ]
    for before, after in same:
        assert simplify(parse_expr(before)) == simplify(parse_expr(after)), before


def test_P20_chains_keep_every_value():
    draw = random.Random(20)
    leaves = [E.param(name, T.i8) for name in "abc"]
    grid = np.int8([-128, -3, 0, 1, 85, 127])
    points = np.array(list(itertools.product(grid, repeat=3)), np.int8).T
    known = dict(zip(leaves, points, strict=True))
    smaller = 0
    for _ in range(400):
        terms = list(leaves)
        for _ in range(8):
            op = draw.choice(["xor", "and", "or", "min", "max"])
            terms.append(E.apply(op, *draw.choices(terms[-5:], k=2)))
        root = terms[-1]
        (found,) = simplify([root], numerics="exact")
        smaller += E.size([found]) < E.size([root])
        wanted, got = (np.broadcast_to(evaluate([e], known)[0], points.shape[1:]) for e in (root, found))
        assert np.array_equal(wanted, got), print_expr(root)
    assert smaller > 200


VALUES = {
    T.i64: [-(2**63), -(2**63) + 1, -1, 0, 1, 2**31, 2**63 - 1],
    T.u64: [0, 1, 2**31, 2**63 - 1, 2**63, 2**64 - 1],
    T.i8: [-128, -3, 0, 1, 85, 127],
    T.boolean: [False, True],
    T.f32: [-math.inf, -1.5, -0.0, 0.0, 2.5, math.inf, math.nan],
}
"""The values at which types have their surprises."""
LINKS = {"float": ["min", "max"], "bool": ["and", "or", "xor"]}


def a_chain(draw, op, operands):
    """The operands joined by one operator in a random order, nested in a random way."""
    rest = draw.sample(operands, len(operands))
    while len(rest) > 1:
        k = draw.randrange(len(rest) - 1)
        rest[k : k + 2] = [E.apply(op, *rest[k : k + 2])]
    return rest[0]


def agreeing(roots, names, *, nan=False):
    """The values of two expressions on all combinations of the values of their type."""
    values = [v for v in VALUES[names[0].type] if nan or not math.isnan(v)]
    grid = np.array(list(itertools.product(values, repeat=len(names))), names[0].type.dtype).T
    known = dict(zip(names, grid, strict=True))
    return [np.broadcast_to(v, grid.shape[1:]) for v in evaluate(roots, known)]


@pytest.mark.parametrize("type_", VALUES, ids=str)
def test_P20_chains_have_one_order_and_their_constants_meet(type_):
    draw = random.Random(200)
    names = [E.param(name, type_) for name in "abc"]
    numerics = "relaxed" if type_.is_float else "exact"
    # Which operand comes out of a NaN depends on the order, so there is one only where no operand is NaN.
    ranges = {x: Facts(-math.inf, math.inf, minus_zero=True) for x in names} if type_.is_float else {}
    for op in LINKS.get(type_.kind, ["min", "max", "and", "or", "xor"]):
        for _ in range(12):
            usual = [v for v in VALUES[type_] if not math.isnan(v)]
            constants = [E.const(v, type_) for v in draw.sample(usual, 2)]
            one, two = (a_chain(draw, op, [*names, *constants]) for _ in range(2))
            (found,), (again,) = (simplify([e], numerics=numerics, ranges=ranges) for e in (one, two))
            assert found is again, f"{print_expr(one)} and {print_expr(two)}"
            assert sum(n.op == "const" for n in topological([found])) <= 1
            wanted, got = agreeing([one, found], names)
            assert np.array_equal(wanted, got), f"{print_expr(one)} became {print_expr(found)}"


def test_P20_what_may_be_nan_keeps_its_order():
    draw = random.Random(201)
    names = [E.param(name, T.f32) for name in "abc"]
    ranges = dict.fromkeys(names, Facts(-math.inf, math.inf, nan=True, minus_zero=True))
    for numerics, op in itertools.product(("exact", "relaxed"), ("min", "max")):
        for _ in range(12):
            one = a_chain(draw, op, names)
            (found,) = simplify([one], numerics=numerics, ranges=ranges)
            assert same_bits(*agreeing([one, found], names, nan=True)), print_expr(one)
    both = [a_chain(random.Random(k), "min", [*names, E.const(2.0, T.f32)]) for k in range(9)]
    assert len({simplify([e], numerics="exact")[0] for e in both}) > 1, (
        "without knowledge there is no one order"
    )


def test_P20_a_part_decides_with_its_complement():
    x, y = "$a:i64", "$b:i64"
    assert simplify(parse_expr(f"({x} & {y}) & not({x})"), numerics="exact") == [E.const(0, T.i64)]
    assert simplify(parse_expr(f"not({x}) | ({y} | {x})"), numerics="exact") == [E.const(-1, T.i64)]


def test_P20_the_ledger_says_how_far_chains_are_proved():
    trace = Trace()
    simplify(parse_expr("min(min($a:i32, 3), min($b:i32, 5))"), numerics="exact", trace=trace)
    assert trace.fired["chain"] >= 1
    assert status_of("chain").word == "proved"
    assert any("constants meet" in line for line in trace.lines())
    floats = [E.param(n, T.f32) for n in "ab"]
    chain = parse_expr("min(min($b:f32, 3.0), min($a:f32, 5.0))")
    simplify(chain, ranges={x: Facts(0.0, 9.0) for x in floats}, trace=trace)
    assert trace.fired["chain-real"] >= 1
    assert status_of("chain-real").word == "tested"


@pytest.mark.parametrize(
    ("text", "numerics", "op"),
    [
        ("%j * $a:i32 + %i + (%j * $b:i32 + $c:i32) + %i * $d:i32", "exact", "add"),
        ("convert.f32(%j) * $a:f32 * convert.f32(%i) * (%r * $b:f32)", "relaxed", "mul"),
        ("min(min(%i, %j * $a:i32), min(%j * $b:i32, min($c:i32, 9)))", "exact", "min"),
        ("((%i & %j) & ($a:i32 & %i * 3)) & (255 & %j * 5)", "exact", "and"),
        ("(%i < $a:i32 & %j < $b:i32) & (3 < %i & (5 < %j & 0 < $c:i32))", "exact", "and"),
    ],
)
def test_P21_what_is_invariant_stands_together_in_chains_of_every_operator(text, numerics, op):
    j, i = E.index("j"), E.index("i")
    (e,) = simplify(
        parse_expr(text.replace("%r", "convert.f32(%j)")), numerics=numerics, order=(j.free, i.free)
    )
    # The operator is applied to what changes along the row once for each such operand but one, and once to the rest.
    links = [n for n in topological([e]) if n.op == op and n.free & i.free]
    assert sum(not all(a.free & i.free for a in n.args) for n in links) == 1, print_expr(e)
    (row,) = (a for n in links for a in n.args if not a.free & i.free)
    inside = [n for n in topological([row]) if n.op == op and n.free & j.free]
    assert sum(not all(a.free & j.free for a in n.args) for n in inside) <= 1, print_expr(e)


def test_P22_choices_are_rewritten_on_demand(monkeypatch: pytest.MonkeyPatch):
    # Outermost first: the condition, and then the arm that is taken. The other arm is never rewritten.
    seen = []

    def watched(node, args):
        seen.append(node)
        return E.rebuild(node, args)

    monkeypatch.setattr(deciding, "rebuild", watched)
    c, x = E.param("c", T.boolean), E.param("x", T.f32)
    dead = x
    for _ in range(60):
        dead = E.apply("sin", E.apply("add", dead, dead))
    live = E.apply("mul", x, x)
    root = E.apply("choose", E.apply("not", E.apply("and", c, c)), dead, E.apply("neg", live))
    for _ in range(60):
        # Shared: 60 levels are 60 nodes, and not 2 to the power of 60.
        root = E.apply("choose", c, E.apply("add", root, root), dead)
    (found,) = deciding.resolved([root], {c: E.TRUE})
    assert E.size([found]) == 63
    assert not {n for n in seen if n.op == "sin"}, "an arm that is not taken is never rewritten"
    assert len(seen) == len(set(seen)), "a shared node is rewritten once"
    (whole,) = simplify(E.substitute([root], {c: E.TRUE}), numerics="exact")
    value = {x: np.float32([0.5, -2.0])}
    assert np.array_equal(*[evaluate([e], value)[0] for e in (found, whole)]), (
        "as the strategy that is bottom-up"
    )


def waves(number):
    """A picture of which intervals decide nothing, so that machine code wins."""

    @pl.image
    def picture(p):
        value = 0.3
        for k in range(6):
            value = value * 0.7 + pl.sin(p.x * (number + k) + p.y * k) * 0.9
        return value

    return picture


def test_P23_a_small_edit_compiles_nothing(monkeypatch: pytest.MonkeyPatch):
    size = (640, 480)
    last_is_fastest(monkeypatch)
    with Session(size) as session:
        session.update(waves(1.5), zoom=9.0)
        # Each frame that is asked for is one more reason to compile the shape, in which numbers are parameters.
        for k in range(200):
            session.update(waves(1.625 + 0.001 * k))
            assert session.settled()
            if session._state.group.lifted is not None:
                break
        lifted = session._state.group.lifted
        assert lifted is not None
        for k in range(5):
            shown = session.update(waves(2.0 + 0.3 * k))
            assert shown.tier == "llvm", "the code of the shape is there at once"
            whole = pl.render(waves(2.0 + 0.3 * k), size, zoom=9.0, numerics="exact")
            assert np.array_equal(shown.pixels, whole), "a little slower, never different"
            assert session._state.group.lifted is lifted, "one code serves all edits"


def test_P24_conditions_are_decided_region_by_region():
    size = (256, 192)

    @pl.image
    def boxes(p):
        return pl.where((abs(p.x) < 1.0) & (abs(p.y) < 0.5), 1.0, 0.25)

    found = pl.explain_tiles(boxes, size, zoom=100.0)
    false_or_true = found.tiles[found.tiles[:, 3] == 0]
    mixed = found.tiles[found.tiles[:, 3] > 0]
    assert (false_or_true[:, 2] ** 2).sum() > 0.7 * size[0] * size[1], (
        "in most regions the condition is constant"
    )
    shades = set()
    for x, y, side, _ in false_or_true:
        part = found.pixels[y : y + side, x : x + side].reshape(-1, 4)
        assert (part == part[0]).all()
        shades.add(tuple(part[0].tolist()))
    assert len(shades) == 2, "regions where it is false, and regions where it is true"
    assert mixed[:, 2].max() <= 32, "where it is mixed, a region is divided until it is small"
    assert np.array_equal(found.pixels, pl.render(boxes, size, zoom=100.0, backend="llvm"))


def in_lanes(picture, numerics="exact"):
    frame = build(pl.image(picture), T.f32)
    return optimize(frame.kernel, frame.ranges, Options(numerics, "f32", "auto"), 16)


def crop(p):
    return pl.where((p.x < 1.0) & (p.x > -1.0) & (p.y < 0.5) & (p.y > -0.5), p.x * p.x + p.y, 0.25)


def box(p):
    return pl.where((abs(p.x) < 1.0) & (abs(p.y) < 0.5), p.x * p.x + p.y, 0.25)


def rows(p):
    return pl.where(p.y * 0.7 < 0.3 + p.y * 0.1, p.x * p.x, 0.25)


def columns(p):
    return pl.where((p.x < 1.0) & (p.x > -1.0), p.x * p.x + p.y, 0.25)


def half_plane(p):
    return pl.where(p.x * 0.7 + p.y * 0.4 < 0.3, p.x * p.x + p.y, 0.25)


def strip(p):
    return pl.where(abs(p.x - 0.5 * p.y) <= 0.5, p.x * p.x + p.y, 0.25)


SPLITS = ("unswitch", "branch_store", "join_conditional")
CUT, OUT_OF_ROWS = ["branch_store", "join_conditional"], ["unswitch"]


@pytest.mark.parametrize("numerics", ["exact", "relaxed"])
@pytest.mark.parametrize(
    ("picture", "moves"),
    [
        (rows, OUT_OF_ROWS),
        (columns, CUT),
        (half_plane, CUT),
        (strip, CUT),
        # The columns of a box, and the rows of what is between them.
        (crop, CUT + OUT_OF_ROWS),
        (box, CUT + OUT_OF_ROWS),
    ],
)
def test_P24_affine_conditions_leave_the_loops_where_that_pays(picture, moves, numerics):
    best = in_lanes(picture, numerics)
    steps = [s for s in best.ledger.steps if s.move in SPLITS]
    assert [s.move for s in steps] == moves
    assert all(isinstance(s.verdict, Proved) and s.verdict.lemma for s in steps)
    (loop,) = [s for s in N.walk(best.kernel.body) if isinstance(s, N.For) and s.index is E.index("j")]
    assert loop.how.kind == "spread"
    parts = [s for s in N.walk(loop.body) if isinstance(s, N.For)]
    assert len(parts) > 1
    for part in parts:
        assert part.how.kind == "lanes", "every part of a row is drawn in lanes"
        inside = topological(N.all_roots(part.body))
        assert not any(n.op in ("choose", "lt", "le") for n in inside), "without a condition"
    report = str(pl.explain(pl.image(picture), backend="llvm", numerics=numerics))
    assert all(f"{move:<11}" in report for move in moves)


def test_P24_what_does_not_pay_stays_whole():
    dear = im.image(lambda p: pl.sin(p.x * p.y) + pl.where(p.y < 0.3, 0.01, 0.0))
    disk = im.image(lambda p: pl.where(p.x * p.x + p.y * p.y < 0.5, p.x * 0.3, 0.25))
    # Lanes skip dear arms together, and so there is little left to gain.
    arms = im.image(lambda p: pl.where(p.x < 0.3, pl.sin(p.x * p.y), pl.sqrt(abs(p.x + p.y))))
    # Code that finds two bounds is not repaid by arms that are constants.
    flat = im.image(lambda p: pl.where(abs(p.x) <= 0.5, 1.0, 0.0))
    for picture in (dear, disk, arms, flat):
        assert not [s for s in in_lanes(picture).ledger.steps if s.move in SPLITS]


def test_P24_what_rows_are_said_to_be_survives_a_split():
    # A sine lies within -1 and 1, which nothing in its body says: it is not taken apart.
    inside = im.image(lambda p: pl.sin(pl.where(p.x < 0.3, p.x * 3.0, p.y)) * 0.5 + 0.5)
    view = {"zoom": 7.3, "numerics": "exact"}
    assert np.array_equal(
        pl.render(inside, (33, 17), backend="llvm", **view),
        pl.render(inside, (33, 17), backend="numpy", **view),
    )


def test_P24_split_pictures_have_the_bits_of_whole_ones():
    draw = random.Random(24)
    split: set[str] = set()
    for _ in range(12):
        a, b, c = (draw.choice([-1.5, -1.0, 0.0, 0.3, 1.0]) for _ in range(3))
        shape = draw.choice(
            [
                lambda p, b=b, c=c: p.y * b < c,
                lambda p, a=a, b=b, c=c: p.x * a + p.y * b <= c,
                lambda p, a=a, b=b, c=c: (p.x * a + p.y * b <= c) & (p.x * b > p.y * a),
                lambda p, a=a, c=c: (abs(p.y - a) < 0.7) & (p.x > c),
                lambda p, a=a, c=c: (abs(p.y - a) < 0.7) | (abs(p.x - c) < 0.4),
                lambda p, c=c: p.x * p.x + p.y * p.y < abs(c),
            ]
        )
        picture = pl.image(lambda p, a=a, shape=shape: pl.where(shape(p), p.x * p.y + a, 0.25))
        split |= {s.move for s in in_lanes(picture).ledger.steps} & {*SPLITS}
        # Every row of the second ends within a vector; in the others points are far out, or close together.
        for size, zoom, center in (
            ((33, 17), 7.3, 0.0),
            ((5, 3), 7.3, 0.0),
            ((37, 2), 1e-10, 0.0),
            ((35, 2), 1e30, 0.0),
        ):
            view = {"zoom": zoom, "center": (center, 0.0), "numerics": "exact"}
            wanted = pl.render(picture, size, backend="numpy", **view)
            assert np.array_equal(pl.render(picture, size, backend="llvm", **view), wanted)
    assert split == {*SPLITS}


@pytest.mark.parametrize("picture", [im.fill(im.red, im.disk(1.0)), im.checkerboard(0.5, im.black, im.white)])
def test_P25_antialiasing_spends_samples_where_there_is_contrast(picture):
    kernel = pl.compile(picture, backend="tiles")
    code = kernel.code(FrameVariant("straight", True))
    view = {"zoom": 30.3, "samples": 8}
    before = code.counts.samples
    every = kernel.render(SIZE, **view).astype(int)
    between = code.counts.samples
    smooth = kernel.render(SIZE, error=2 / 255, **view).astype(int)
    assert between - before < 0.2 * 64 * every[..., 0].size, "intervals decide most of the picture"
    assert code.counts.samples - between < 0.3 * 64 * every[..., 0].size, "edges alone get all samples"
    assert np.abs(smooth - every).mean() < 1.0
    plain = kernel.render(SIZE, zoom=30.3).astype(int)
    assert np.abs(smooth - every).mean() < 0.3 * np.abs(plain - every).mean(), "it is antialiased"
    sure = kernel.render(SIZE, tolerance=3 / 255, **view).astype(int)
    assert np.abs(sure - every).max() <= 3, "a tolerance is a promise"


@pytest.mark.parametrize(("uses", "depth", "where"), [(4, 12, False), (2, 40, False), (2, 30, True)])
def test_P27_a_picture_that_grows_without_end_is_refused_in_time(uses: int, depth: int, where: bool):
    def around(inner):
        def value(p):
            used = [inner(pl.Point(p.x * 1.01 + k, p.y - 0.1 * k)) for k in range(uses)]
            return pl.where(p.x < p.y, *used) if where else sum(used) * 0.25

        return pl.image(value)

    picture = im.image(lambda p: pl.sin(p.x) * p.y)
    for _ in range(depth):
        picture = around(picture)
    began = time.process_time()
    with pytest.raises(TraceError, match="has grown beyond") as caught:
        pl.compile(picture)
    assert "test_pan_future.py:" in str(caught.value)
    assert time.process_time() - began < 20.0, "on a busy machine; about a second on a quiet one"
