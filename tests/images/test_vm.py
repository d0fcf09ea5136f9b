"""Programs of registers: each operation against Python's own, errors by line, and a picture known bit by bit."""

from __future__ import annotations

import hashlib
import math
import re
from pathlib import Path

import numpy as np
import pytest

from pellucid import driver
from pellucid import images as im
from pellucid.base.errors import FileError, InputError
from pellucid.images.vm import FUNCTIONS, OPERANDS, ROWS

VALUES = [-2.5, -1.5, -1.0, -0.25, -0.0, 0.0, 0.5, 0.75, 1.0, 1.5, 2.5, 7.25]


def run(operation: str, a: float, b: float) -> float:
    operands = "x y" if OPERANDS[operation] == 2 else "x"
    field = im.read_vm(f"x var-x\ny var-y\nr {operation} {operands}\n")
    return float(field.at(a, b, precision="f64"))


def quietly(function):
    def quiet(*args: float) -> float:
        try:
            return function(*args)
        except (ValueError, ZeroDivisionError):
            return math.nan

    return quiet


def pcg(word: int) -> int:
    state = (word * 747796405 + 2891336453) % 2**32
    mixed = ((state >> (state >> 28) + 4 ^ state) * 277803737) % 2**32
    return mixed >> 22 ^ mixed


def bits(a: float) -> int:
    return int(np.float32(a).view(np.uint32))


def of_bits(word: int) -> float:
    return float(np.uint32(word).view(np.float32))


MEANING = {
    "rand": lambda a: of_bits(pcg(bits(a)) >> 9 | 0x3F800000) - 1,
    "mix": lambda a, b: of_bits(pcg((bits(a) + pcg(bits(b))) % 2**32)),
    "neg": lambda a: -a,
    "abs": abs,
    "square": lambda a: a * a,
    "sqrt": math.sqrt,
    "recip": lambda a: 1 / a,
    "floor": math.floor,
    "ceil": math.ceil,
    "round": lambda a: math.copysign(math.floor(abs(a) + 0.5), a),
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "asin": math.asin,
    "acos": math.acos,
    "atan": math.atan,
    "exp": math.exp,
    "ln": math.log,
    "not": lambda a: float(a == 0),
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "min": min,
    "max": max,
    "mod": lambda a, b: a % abs(b),
    "atan2": math.atan2,
    "compare": lambda a, b: float((a > b) - (a < b)),
    "and": lambda a, b: b if a else a,
    "or": lambda a, b: a or b,
}


def test_every_operation_has_a_meaning():
    assert MEANING.keys() == {*ROWS, *FUNCTIONS}


@pytest.mark.parametrize("operation", [*ROWS, *FUNCTIONS])
def test_operation(operation: str):
    meaning = quietly(MEANING[operation])
    second = VALUES if OPERANDS[operation] == 2 else [0.0]
    for a in VALUES:
        for b in second:
            want = meaning(a, b) if len(second) > 1 else meaning(a)
            if math.isnan(want):
                # Where Python raises; here infinities and NaN are values.
                assert not math.isfinite(run(operation, a, b)) or operation == "atan2"
            else:
                assert run(operation, a, b) == pytest.approx(want, rel=1e-9, abs=1e-9)


def test_nan_compares_with_nothing():
    field = im.read_vm("x var-x\nn sqrt x\no const 1\nr compare n o")
    assert math.isnan(field.at(-1.0, 0))


def test_names_comments_and_the_last_line():
    text = """
    # A quarter of a circle, lower left.
    y var-y
    x var-x   # the order is free
    mxy max x y

    y2 square y
    x2 square x
    r2 add x2 y2
    f const 0.5
    circle sub r2 f
    out max mxy circle
    """
    x, y = np.meshgrid(np.linspace(-1, 1, 41), np.linspace(-1, 1, 41))
    want = np.maximum(np.maximum(x, y), x * x + y * y - 0.5)
    assert np.allclose(im.read_vm(text).at(x, y, precision="f64"), want)
    assert im.read_vm("a const 1\na const 2\nb neg a\nc const 7").at(0, 0) == 7


def test_a_register_may_be_given_a_new_value():
    assert im.read_vm("a const 1\na const 2\nb neg a").at(0, 0) == -2


def test_the_third_coordinate():
    program = "z var-z\nx var-x\nr add x z"
    assert im.read_vm(program).at(1, 0) == 1
    assert im.read_vm(program, 2.5).at(1, 0) == 3.5
    moving = im.read_vm(program, im.seconds)
    assert moving.time_varying
    assert moving.at(1, 0, 4.0) == 5


def test_numbers_are_rounded_as_the_program_would():
    field = im.read_vm("a const 0.1\nb const 0.2\nr add a b")
    assert field.at(0, 0) == np.float32(0.1) + np.float32(0.2)
    assert field.at(0, 0, precision="f64") == 0.1 + 0.2


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ("\n", "program: has no instructions"),
        ("# nothing\n\n", "program: has no instructions"),
        ("x var-x\ny", "program:2: 'y' has no operation"),
        ("x var-x\ny sqare x", "program:2: no operation is called 'sqare'; did you mean 'square'?"),
        (f"x var-x\n{'y' * 99}", f"program:2: '{'y' * 60}…' has no operation"),
        ("x var-x\n\ny add x", "program:3: add takes 2 operands, not 1"),
        ("x var-x\ny neg x x", "program:2: neg takes 1 operands, not 2"),
        ("x var-x 3\n", "program:1: var-x takes 0 operands, not 1"),
        ("x const one\n", "program:1: 'one' is not a number"),
        ("x const\n", "program:1: const takes 1 operands, not 0"),
        ("abc var-x\ny neg abd", "program:2: no earlier register is called 'abd'; did you mean 'abc'?"),
        ("x neg x\n", "program:1: no earlier register is called 'x'"),
    ],
    ids=lambda a: a.partition(": ")[2] or "-",
)
def test_a_wrong_line_is_named(program: str, message: str):
    with pytest.raises(FileError, match="^" + re.escape(message)):
        im.read_vm(program)


def test_files(tmp_path: Path):
    path = tmp_path / "a.vm"
    path.write_text("x var-x\nr neg x\n", encoding="utf-8")
    assert im.read_vm(path).at(2, 0) == -2
    assert im.read_vm(str(path)).kind == "field"
    path.write_text("x var-x\nr nag x\n", encoding="utf-8")
    with pytest.raises(FileError, match=rf"{path}:2: no operation is called 'nag'"):
        im.read_vm(path)
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(FileError, match=r"a\.vm: is not text"):
        im.read_vm(path)
    with pytest.raises(FileError, match="is not there"):
        im.read_vm(tmp_path / "b.vm")
    with pytest.raises(FileError, match="is not a file"):
        im.read_vm(tmp_path)
    with pytest.raises(InputError, match="int is not a file"):
        im.read_vm(3)


def test_a_long_chain_is_no_problem():
    lines = ["r var-x", "o const 1"] + ["r add r o"] * 20_000
    assert im.read_vm("\n".join(lines)).at(0.5, 0) == 20_000.5


# ---- programs of others ----


def test_a_quarter_circle(data_dir: Path):
    x, y = np.meshgrid(np.linspace(-1, 1, 201), np.linspace(-1, 1, 201))
    got = im.read_vm(data_dir / "quarter.vm").at(x, y) < 0
    assert np.array_equal(got, (x < 0) & (y < 0) & (x.astype("f") ** 2 + y.astype("f") ** 2 - 0.5 < 0))


def drawn(data_dir: Path, size: int, precision: str) -> np.ndarray:
    kernel = driver.compile(im.read_vm(data_dir / "prospero.vm") < 0, precision=precision)
    # Pixels at equal steps from -1 to 1, both included.
    return kernel.render((size, size), zoom=(size - 1) / 2)[..., 0] > 0


def test_a_monologue(data_dir: Path):
    small = drawn(data_dir, 256, "f32")
    assert small.sum() == 8150
    large = drawn(data_dir, 1024, "f32")
    assert large.sum() == 132_033
    digest = hashlib.sha256((large * np.uint8(255)).tobytes()).hexdigest()
    assert digest.startswith("33bed45929c3aa83")


@pytest.mark.slow
def test_a_monologue_in_twice_the_bits(data_dir: Path):
    assert np.array_equal(drawn(data_dir, 1024, "f64"), drawn(data_dir, 1024, "f32"))


@pytest.mark.slow
def test_a_monologue_without_compiling(data_dir: Path):
    line = np.linspace(-1, 1, 64)
    field = im.read_vm(data_dir / "prospero.vm")
    assert np.array_equal(field.at(line, line[::-1, None]) < 0, drawn(data_dir, 64, "f32"))


LINES = ["# a program", "x var-x", "h const 0.5", "", "k const 4", "m mul x h", "r add m k"]


@pytest.mark.parametrize(
    ("line", "new", "expected"),
    [
        (2, "h const 0.25", 6.0),
        (4, "k const -1.5", 2.5),
        (4, "k const 1e1 # ten", 14.0),
        (4, "h const 1", 9.0),
        (5, "m add x h", 12.5),
        (5, "m const 3", 7.0),
        (6, "r add m m", 8.0),
        (0, "y var-y", 8.0),
        (3, "k const 7", 8.0),
    ],
)
def test_a_program_of_which_one_line_was_edited_is_the_new_program(line, new, expected):
    edited = LINES.copy()
    edited[line] = new
    for lines in (LINES, edited, LINES):
        text = "\n".join(lines)
        # The name that `h const 1` takes from the other constant is not there any more.
        if "h const 1" in lines and "k const 4" not in lines:
            with pytest.raises(FileError, match="no earlier register is called 'k'"):
                im.read_vm(text)
            continue
        assert im.read_vm(text).at(8.0, 0.0) == (8.0 if lines is LINES else expected)


@pytest.mark.parametrize("new", ["h const half", "h const", "h", "h const 1 2"])
def test_a_line_that_was_edited_wrongly_is_named(new):
    im.read_vm("\n".join(LINES))
    with pytest.raises(FileError, match="program:3"):
        im.read_vm("\n".join([*LINES[:2], new, *LINES[3:]]))
    assert im.read_vm("\n".join(LINES)).at(8.0, 0.0) == 8.0
