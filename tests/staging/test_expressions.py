"""The example of pixel expressions: its compiler gives what plain NumPy gives, bit for bit."""

from __future__ import annotations

import random
import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.turns import fewer

from pellucid.base.errors import InputError
from pellucid.ir.nest import For, walk
from pellucid.staging import Memory

Array = np.ndarray[Any, Any]
EXAMPLE = runpy.run_path(str(Path(__file__).parents[2] / "examples/expressions.py"))
Expression, read = EXAMPLE["Expression"], EXAMPLE["read"]
WIDTH, HEIGHT = 21, 9
F = np.float32
EXACT_ONE = ("abs", "sqrt", "trunc", "round", "floor", "not")
EXACT_TWO = ("+", "-", "*", "/", "max", "min", ">", "<", "=", ">=", "<=", "and", "or", "xor")
ONE = {
    "abs": np.abs,
    "sqrt": lambda v: np.sqrt(np.where(v > 0, v, F(0))),
    "trunc": np.trunc,
    "round": np.rint,
    "floor": np.floor,
    "not": lambda v: F(v <= 0),
}
TWO = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "max": lambda v, w: np.where(v > w, v, w),
    "min": lambda v, w: np.where(v < w, v, w),
    ">": lambda v, w: F(v > w),
    "<": lambda v, w: F(v < w),
    "=": lambda v, w: F(v == w),
    ">=": lambda v, w: F(v >= w),
    "<=": lambda v, w: F(v <= w),
    "and": lambda v, w: F((v > 0) & (w > 0)),
    "or": lambda v, w: F((v > 0) | (w > 0)),
    "xor": lambda v, w: F((v > 0) ^ (w > 0)),
}


def neighbors(plane: Array, dx: int, dy: int) -> Array:
    """The plane moved, with its border repeated."""
    rows = np.clip(np.arange(plane.shape[0]) + dy, 0, plane.shape[0] - 1)
    columns = np.clip(np.arange(plane.shape[1]) + dx, 0, plane.shape[1] - 1)
    return plane[rows][:, columns]


def by_numpy(text: str, planes: list[Array], to: str) -> Array:
    """The values of an expression, by a stack of arrays."""
    stack: list[Array] = []
    shape = planes[0].shape
    y, x = (a.astype(F) for a in np.indices(shape))
    names = {"X": x, "Y": y, "width": np.full(shape, F(shape[1])), "height": np.full(shape, F(shape[0]))}
    with np.errstate(all="ignore"):
        for name, one, other in read(text):
            if name == "number":
                stack.append(np.full(shape, F(one)))
            elif name == "load":
                stack.append(neighbors(planes[one], *other).astype(F))
            elif name == "named":
                stack.append(names[one])
            elif name == "dup":
                stack.append(stack[-1 - one])
            elif name == "swap":
                stack[-1], stack[-1 - one] = stack[-1 - one], stack[-1]
            elif name == "drop":
                stack.pop()
            elif name in ONE:
                stack.append(ONE[name](stack.pop()))
            elif name in TWO:
                second = stack.pop()
                stack.append(TWO[name](stack.pop(), second))
            else:
                third, second, first = stack.pop(), stack.pop(), stack.pop()
                low = np.where(first > second, first, second)
                stack.append(
                    np.where(first > 0, second, third) if name == "?" else np.where(low < third, low, third)
                )
        (value,) = stack
        if to == "f32":
            return value
        most = {"u8": 255, "u16": 65535}[to]
        return np.nan_to_num(np.rint(value), nan=0.0).clip(0, most).astype(to.replace("u", "uint"))


def words_of(draw: random.Random) -> str:
    """A random expression of some twenty words."""
    words: list[str] = []
    depth, length = 0, draw.randint(3, 24)
    while len(words) < length or depth != 1:
        is_long = len(words) >= length
        kind = draw.random()
        if depth == 0 or (not is_long and kind < 0.45):
            where = f"[{draw.randint(-3, 3)},{draw.randint(-3, 3)}]" if draw.random() < 0.3 else ""
            words.append(
                draw.choice([f"x{where}", f"y{where}", "z", draw.choice(["3", "0.5", "-2", "128", "X", "Y"])])
            )
            depth += 1
        elif depth >= 3 and kind < 0.55:
            words.append(draw.choice(["?", "clip"]))
            depth -= 2
        elif depth >= 2 and (is_long or kind < 0.8):
            words.append(draw.choice(EXACT_TWO))
            depth -= 1
        elif kind < 0.9:
            words.append(draw.choice(EXACT_ONE))
        else:
            below = draw.randrange(depth)
            words.append(draw.choice([f"dup{below}", f"swap{draw.randrange(depth)}"]))
            depth += words[-1].startswith("dup")
    return " ".join(words)


def planes_of(seed: int) -> list[Array]:
    """Planes of 8 and 16 bits, and of floats."""
    draw = np.random.default_rng(seed)
    shape = (HEIGHT, WIDTH)
    return [
        draw.integers(0, 256, shape, dtype=np.uint8),
        draw.integers(0, 1 << 16, shape, dtype=np.uint16),
        draw.normal(0, 50, shape).astype(F),
    ]


def agree(seeds: range, tier: str) -> None:
    """Compare a tier's values with NumPy's, bit for bit; what is no number may have any bits."""
    for seed in seeds:
        draw = random.Random(seed)
        text, to, planes = words_of(draw), draw.choice(["u8", "u16", "f32"]), planes_of(seed)
        expression = Expression(text, (WIDTH, HEIGHT), ("u8", "u16", "f32"), to, tier=tier)
        found = expression(*planes)
        assert expression.code.tier == tier, expression.code.problem
        meant = by_numpy(text, planes, to)
        if to == "f32":
            assert (np.isnan(found) == np.isnan(meant)).all(), text
            found, meant = (np.nan_to_num(v, nan=0.0).view(np.uint32) for v in (found, meant))
        assert (found == meant).all(), (text, to)


def test_random_expressions_are_those_of_numpy() -> None:
    agree(range(8), "nest")


def test_random_expressions_are_the_same_by_rows() -> None:
    agree(range(60), "rows")


def test_a_new_expression_runs_by_rows_until_its_nest_is_compiled() -> None:
    x = planes_of(5)[0]
    first = Expression("x[2,-1] 3 * x max X +", (WIDTH, HEIGHT))
    assert first.code.tier == "rows"
    frames = [first(x)]
    first.code.finish()
    frames.append(first(x))
    assert first.code.tier == "nest"
    assert (frames[0] == frames[1]).all()


def test_planes_that_overlap_are_refused_by_each_tier() -> None:
    x = planes_of(5)[0]
    for tier in ("rows", "nest"):
        with pytest.raises(InputError, match="overlap"):
            Expression("x[1,0]", (WIDTH, HEIGHT), tier=tier)(x, out=x)


def test_frames_larger_than_a_piece_are_the_same_by_rows_on_threads() -> None:
    draw = np.random.default_rng(2)
    for width in (511, 1041):
        x = draw.integers(0, 256, (37, width), dtype=np.uint8)
        text = "x[-9,0] x[9,1] max X Y + 3 * min x 100 > x sqrt x ? +"
        found = Expression(text, (width, 37), ("u8",), tier="rows")(x)
        assert (found == by_numpy(text, [x], "u8")).all()


@pytest.mark.slow
def test_two_hundred_random_expressions_are_those_of_numpy() -> None:
    agree(range(100, 100 + fewer(200)), "nest")
    agree(range(100, 300), "rows")


@pytest.mark.parametrize(
    ("word", "meant"),
    [("exp", np.exp), ("log", np.log), ("sin", np.sin), ("cos", np.cos), ("y pow", np.power)],
)
def test_elementary_functions_are_near(word: str, meant: Any) -> None:
    draw = np.random.default_rng(1)
    x, y = (draw.uniform(0.01, 8, (HEIGHT, WIDTH)).astype(F) for _ in range(2))
    found = Expression(f"x {word}", (WIDTH, HEIGHT), ("f32", "f32"), "f32")(x, y)
    exact = meant(*[v.astype(np.float64) for v in ([x, y] if "pow" in word else [x])])
    assert (np.abs(found - exact) <= np.spacing(np.abs(exact).astype(F)) * 1.5).all()


def test_the_interpreter_itself_gives_the_same() -> None:
    text, planes = "x y 256 / - abs z[1,-1] 0 max + X +", planes_of(3)
    kinds = ("u8", "u16", "f32", "u8", "u8")
    memories = [
        Memory(n, 8 * p.itemsize, p.reshape(-1).view(f"u{p.itemsize}"))
        for n, p in zip("xyz", planes, strict=True)
    ]
    out = np.zeros(WIDTH * HEIGHT, np.uint8)
    unused = Memory("a", 8, np.zeros(1, np.uint8))
    EXAMPLE["frame"](read(text), (WIDTH, HEIGHT), kinds, *memories, unused, Memory("out", 8, out))
    assert (out.reshape(HEIGHT, WIDTH) == by_numpy(text, planes, "u8")).all()


def test_a_frame_is_two_loops_without_a_branch() -> None:
    found = Expression("x 128 > x[-1,0] y ? x y max swap - 0 >", (WIDTH, HEIGHT), ("u8", "u8"), tier="nest")
    kernel = found.code.program.residual.kernel
    (outer, _) = kernel.body
    assert [type(s) for s in walk((outer,))][:2] == [For, For]
    assert len(list(walk((outer,)))) == 3


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("x +", "'\\+' takes 2 values, and there are 1"),
        ("x q +", "'q' is no number"),
        ("x x", "leaves 2 values"),
        ("a", "reads plane a"),
        ("x dup3 +", "takes 4 values"),
    ],
)
def test_what_is_no_expression_is_refused(text: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        Expression(text, (WIDTH, HEIGHT))
