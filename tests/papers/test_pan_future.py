"""What Pan left for later, and we have (sections 2.6 and 5): one test per row of docs/lineage.md."""

import itertools
import random
import time

import numpy as np
import pytest
from tests.evaluations import evaluated, meaning_of

import pellucid as pl
from pellucid import images as im
from pellucid.base.errors import IrError, TraceError
from pellucid.driver import tiers
from pellucid.driver.frame import OUT, Variant, build
from pellucid.driver.kernel import make_backend, optimized
from pellucid.driver.options import Options
from pellucid.driver.pipeline import optimize
from pellucid.driver.session import Session
from pellucid.ir import expr as E
from pellucid.ir import nest as N
from pellucid.ir import types as T
from pellucid.ir.expr import topological
from pellucid.ir.interp import evaluate
from pellucid.ir.parse import parse_expr
from pellucid.ir.text import print_expr
from pellucid.loops.placement import THRESHOLD, place
from pellucid.loops.splitting import PAYS
from pellucid.reasoning.prove import Proved
from pellucid.reasoning.timer import kernel_cost
from pellucid.rewriting import strategies as S
from pellucid.rewriting.rule import Rule
from pellucid.rewriting.simplify import simplify

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
    guards = [s for s in N.walk(best.body) if isinstance(s, N.If) and not s.picks]
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


def test_P22_strategies_decide_where_rules_are_tried():
    double = S.by_rule(Rule("double", "exact", "add(x, x)", "mul(x, 2)", "integer"))
    open_ = S.by_rule(Rule("open", "exact", "mul(add(x, y), z)", "add(mul(x, z), mul(y, z))", "integer"))
    i = [E.param(n, T.i32) for n in "abc"]
    inner = E.apply("add", i[0], i[0])
    root = E.apply("add", inner, inner)
    # The same rule, four ways: at the root alone, and in the order of each traversal.
    two = E.const(2, T.i32)
    assert double(root) is E.apply("mul", inner, two)
    assert S.top_down(double)(root) is E.apply("mul", E.apply("mul", i[0], two), two)
    assert S.bottom_up(double)(root) is S.top_down(double)(root)
    # Only a traversal that comes back opens what was opened.
    product = E.apply("mul", E.apply("add", E.apply("add", *i[:2]), i[2]), two)
    once, whole = S.bottom_up(open_)(product), S.innermost(open_)(product)
    assert sum(n.op == "mul" for n in topological([once])) == 2
    assert sum(n.op == "mul" for n in topological([whole])) == 3
    assert S.top_down(open_)(product) is whole
    # Sequence stops where a part does not apply; an attempt never does.
    assert S.sequence(double, open_)(inner) is None
    assert S.sequence(S.attempt(open_), double)(inner) is double(inner)
    assert S.choice(open_, double)(inner) is double(inner)
    assert S.choice(open_)(inner) is None
    # Sharing: 60 levels are 60 nodes, and not 2 to the power of 60.
    for _ in range(60):
        root = E.apply("add", root, root)
    for way in (S.top_down, S.bottom_up, S.innermost):
        assert E.size([way(double)(root)]) <= 64
    grid = {p: np.int32([-7, 0, 3, 2**30]) for p in i}
    for before, after in ((product, whole), (product, once)):
        assert np.array_equal(*[evaluate([e], grid)[0] for e in (before, after)])
    turned = S.by_rule(Rule("turn", "exact", "sub(x, y)", "sub(y, x)", "integer"))
    with pytest.raises(IrError, match="do not come to an end"):
        S.innermost(turned)(E.apply("sub", i[0], i[1]))


def waves(number):
    """A picture of which boxes decide nothing, so that machine code wins."""

    @pl.image
    def picture(p):
        value = 0.3
        for k in range(6):
            value = value * 0.7 + pl.sin(p.x * (number + k) + p.y * k) * 0.9
        return value

    return picture


def test_P23_a_small_edit_compiles_nothing(monkeypatch: pytest.MonkeyPatch):
    size = (640, 480)
    # Which of the two draws faster is measured, and a busy machine may measure anything.
    monkeypatch.setattr(tiers.Timing, "fastest", lambda self, names: names[-1])
    with Session(size) as session:
        session.update(waves(1.5), zoom=9.0)
        # Each frame that is asked for is one more reason to compile the shape, in which numbers are parameters.
        for k in range(200):
            session.update(waves(1.625 + 0.001 * k))
            assert session.settled()
            if session._scene.family.lifted is not None:
                break
        lifted = session._scene.family.lifted
        assert lifted is not None
        for k in range(5):
            shown = session.update(waves(2.0 + 0.3 * k))
            assert shown.tier == "llvm", "the code of the shape is there at once"
            whole = pl.render(waves(2.0 + 0.3 * k), size, zoom=9.0, numerics="exact")
            assert np.array_equal(shown.pixels, whole), "a little slower, never different"
            assert session._scene.family.lifted is lifted, "one code serves all edits"


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


def in_lanes(picture):
    frame = build(pl.image(picture), T.f32)
    return optimize(frame.kernel, frame.ranges, Options("exact", "f32", "auto"), 16)


def crop(p):
    return pl.where((p.x < 1.0) & (p.x > -1.0) & (p.y < 0.5) & (p.y > -0.5), p.x * p.x + p.y, 0.25)


def box(p):
    return pl.where((abs(p.x) < 1.0) & (abs(p.y) < 0.5), p.x * p.x + p.y, 0.25)


def half_plane(p):
    return pl.where(p.y * 0.7 < 0.3 + p.y * 0.1, pl.sin(p.x * p.y), 0.25 * p.x)


def test_P24_conditions_of_rows_leave_the_loop_where_that_pays():
    for picture in (crop, box, half_plane):
        best = in_lanes(picture)
        steps = [s for s in best.ledger.steps if s.move == "unswitch"]
        assert len(steps) == 1
        assert isinstance(steps[0].verdict, Proved)
        before, after = (kernel_cost(place(k)[0]) for k in (steps[0].old, steps[0].new))
        assert after <= PAYS * before, "the timer says that it pays"
        (test,) = [s for s in N.walk(best.kernel.body) if isinstance(s, N.If) and not s.picks]
        assert test.condition.free & E.index("j").free
        assert not test.condition.free & E.index("i").free
        for arm in (test.then, test.orelse):
            inside = topological(N.all_roots(arm))
            assert test.condition not in inside
            assert not any(n.op == "lt" and n.free == E.index("j").free for n in inside)
        report = str(pl.explain(pl.image(picture), backend="llvm", numerics="exact"))
        assert "unswitch   for j / for i  Proved" in report


def test_P24_what_does_not_pay_stays_whole():
    dear = im.image(lambda p: pl.sin(p.x * p.y) + pl.where(p.y < 0.3, 0.01, 0.0))
    disk = im.image(lambda p: pl.where(p.x * p.x + p.y * p.y < 0.5, p.x * 0.3, 0.25))
    for picture in (dear, disk):
        best = in_lanes(picture)
        assert not [s for s in best.ledger.steps if s.move == "unswitch"]


def test_P24_split_pictures_have_the_bits_of_whole_ones():
    draw = random.Random(24)
    split = 0
    for _ in range(8):
        a, b, c = (draw.choice([-1.5, -1.0, 0.0, 0.3, 1.0]) for _ in range(3))
        shape = draw.choice(
            [
                lambda p, b=b, c=c: p.y * b < c,
                lambda p, a=a, b=b, c=c: p.x * a + p.y * b <= c,
                lambda p, a=a, c=c: (abs(p.y - a) < 0.7) & (p.x > c),
                lambda p, a=a, c=c: (abs(p.y - a) < 0.7) | (abs(p.x - c) < 0.4),
                lambda p, c=c: p.x * p.x + p.y * p.y < abs(c),
            ]
        )
        picture = pl.image(lambda p, a=a, shape=shape: pl.where(shape(p), p.x * p.y + a, pl.sqrt(abs(p.x))))
        split += any(s.move == "unswitch" for s in in_lanes(picture).ledger.steps)
        for size in ((33, 17), (5, 3)):
            view = {"zoom": 7.3, "numerics": "exact"}
            wanted = pl.render(picture, size, backend="numpy", **view)
            assert np.array_equal(pl.render(picture, size, backend="llvm", **view), wanted)
    assert split >= 2


@pytest.mark.parametrize("picture", [im.fill(im.red, im.disk(1.0)), im.checkerboard(0.5, im.black, im.white)])
def test_P25_antialiasing_spends_samples_where_there_is_contrast(picture):
    kernel = pl.compile(picture, backend="tiles")
    code = kernel._code(Variant("straight", True))
    view = {"zoom": 30.3, "samples": 8}
    before = code.counts.samples
    every = kernel.render(SIZE, **view).astype(int)
    between = code.counts.samples
    smooth = kernel.render(SIZE, error=2 / 255, **view).astype(int)
    assert between - before < 0.2 * 64 * every[..., 0].size, "boxes decide most of the picture"
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
