"""Loops over rows and columns by prepared kernels: the values of the machine and of the nest, and what is refused."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import pytest

from pellucid.backends.rows import kernels
from pellucid.backends.rows.kernels import KernelKey
from pellucid.backends.rows.positions import Cut, Position, combined
from pellucid.backends.rows.tape import tape
from pellucid.base.errors import BackendError, InputError
from pellucid.driver.codes import CompiledCode, compile_code
from pellucid.ir import types as T
from pellucid.staging import Memory
from pellucid.staging.root.lowering import lowered
from pellucid.staging.root.reading import read_sugar

WIDTH, HEIGHT = 37, 6
LOOPS = """
picture(k m out) {{
rows(k m out 0)
rows(k m out y) {{
if (< y {height}) columns(k m out y 0)
(car k)(k 7)
columns(k m out y x) {{
if (< x {width}) pixel(k m out y x)
rows(k m out (+ y 1))
pixel(k m out y x) {{
{body}
done = (store out (+ x (* y {width})) (& v 65535))
columns(k m out y (+ x 1))
}}
"""


def picture(body: str, tier: str, width: int = WIDTH) -> CompiledCode:
    code = read_sugar(LOOPS.format(body=body, width=width, height=HEIGHT))["picture"]
    least = width * HEIGHT
    return compile_code(code, Memory("m", 8, least=least), Memory("out", 16, least=least), tier=tier)


def pixel(draw: random.Random) -> str:
    """Loads of neighbors, and operators on them and on the place."""
    lines: list[str] = []
    values = ["x", "y", "3", "-5", "200"]
    for k in range(draw.randint(1, 3)):
        reach = [draw.randint(-3, 3) for _ in range(2)]
        lines += [
            f"c{k} = (min.i64 (max.i64 (+ x {reach[0]}) 0) {WIDTH - 1})",
            f"r{k} = (min.i64 (max.i64 (+ y {reach[1]}) 0) {HEIGHT - 1})",
            f"w{k} = (load m (+ c{k} (* r{k} {WIDTH})))",
        ]
        values.append(f"w{k}")
    for k in range(draw.randint(1, 8)):
        op = draw.choice(["+", "-", "&", "|", "^", "min", "max", "*"])
        one, other = draw.choice(values), draw.choice(values)
        if op == "*":
            one = draw.choice(["x", "y", "w0"])
            other = draw.choice(["3", "w0"]) if one == "w0" else "3"
        lines.append(f"v{k} = ({op} {one} {other})")
        values.append(f"v{k}")
    return "\n".join([*lines, f"v = (+ {values[-1]} w0)"])


@pytest.fixture
def given() -> np.ndarray:
    return np.random.default_rng(1).integers(0, 256, WIDTH * HEIGHT, dtype=np.uint8)


def test_random_pixels_are_those_of_the_machine(given):
    for seed in range(40):
        body = pixel(random.Random(seed))
        found = []
        for tier in ("machine", "rows", *(["nest"] if seed % 20 == 0 else [])):
            out = np.zeros(WIDTH * HEIGHT, np.uint16)
            code = picture(body, tier)
            assert code(given, out) == 7
            assert code.tier == tier
            found.append(out)
        for other in found[1:]:
            assert (other == found[0]).all(), body


def test_a_border_is_cut_where_the_choice_changes():
    column = Position(1, 0)
    with pytest.raises(Cut) as cut:
        combined("min", combined("add", column, Position(0, 4), (0, 20)), Position(0, 19), (0, 20))
    assert cut.value.column == 16
    with pytest.raises(Cut) as cut:
        combined("max", combined("mul", column, Position(0, -1), (0, 20)), Position(0, -9), (0, 20))
    assert cut.value.column == 10


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("v = (load m (* 2 x))", "not beside each other"),
        ("w = (load m x)\nv = (load m w)", "no positions|arguments that are numbers"),
        ("w = (load m x)\nv = (imod w 3)", "pixels with"),
        ("v = (load out x)", "read and written"),
    ],
)
def test_what_is_no_such_loop_says_why(body, says):
    with pytest.raises(BackendError, match=says):
        picture(body, "rows")


def test_what_is_no_such_loop_is_a_nest_at_once(given):
    code = picture("w = (load m x)\nv = (imod w 3)", "arrays")
    assert code.tier == "nest"
    assert "not run by rows" in code.problem
    out = np.zeros(WIDTH * HEIGHT, np.uint16)
    code(given, out)
    assert (out.reshape(HEIGHT, WIDTH) == given[:WIDTH] % 3).all()


def test_a_single_loop_is_not_run_by_rows():
    text = "total(k n s) {\nif (zero? n) (car k)(k s)\ntotal(k (- n 1) (+ s n))\n}"
    with pytest.raises(BackendError):
        tape(lowered(read_sugar(text)["total"], [1, 1]).graph)


def test_arrays_that_end_early_have_a_nest_or_an_error(given):
    body = f"v = (load m (+ (+ x 5) (* y {WIDTH})))"
    out = np.zeros(WIDTH * HEIGHT, np.uint16)
    with pytest.raises(InputError, match="ends before"):
        picture(body, "rows")(given, out)
    code = picture(body, "arrays")
    code(given, out)
    assert code.tier == "nest"
    assert (out[:-5] == given[5:]).all()


def test_the_second_call_asks_for_the_nest_and_later_calls_use_it(given):
    code = picture(pixel(random.Random(3)), "arrays")
    frames = []
    for _ in range(3):
        out = np.zeros(WIDTH * HEIGHT, np.uint16)
        code(given, out)
        frames.append(out)
    code.finish()
    out = np.zeros(WIDTH * HEIGHT, np.uint16)
    code(given, out)
    assert code.tier == "nest"
    assert all((out == frame).all() for frame in frames)


def test_each_kernel_is_found_in_the_store_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    kept: dict[str, bytes] = {}
    written: list[list[str]] = []
    module = kernels.module

    class Kept:
        get = staticmethod(kept.get)
        put = staticmethod(kept.__setitem__)

    def noted(keys: Sequence[KernelKey]) -> str:
        written.append([key.op for key in keys])
        return module(keys)

    one, other, third = (KernelKey(op, (T.f32, T.f32), T.f32) for op in ("add", "sub", "mul"))
    monkeypatch.setattr(kernels, "module", noted)
    for asked in ([one, other], [third, other], [third, one, other]):
        monkeypatch.setattr(kernels, "_known", {})
        found = kernels.kernels(asked, Kept())
        assert len(set(found.values())) == len(asked)
    assert written == [["add", "sub"], ["mul"]]
    # What cannot be linked is compiled again.
    kept.update(dict.fromkeys(kept, b"no object"))
    monkeypatch.setattr(kernels, "_known", {})
    assert kernels.kernels([one], Kept())[one]
    assert written[2:] == [["add"]]
