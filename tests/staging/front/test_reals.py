"""Real numbers in compiled programs: quotients, remainders and whole parts as Python has them, and named operators."""

import math
import struct
from functools import cache

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.staging.front.agreeing import agrees

from pellucid.base.errors import StagingError
from pellucid.driver.codes import compile_code
from pellucid.staging import DYNAMIC, STATIC, apply, cogen, interpreter
from pellucid.staging.front.advice import CALLS
from pellucid.staging.root.primitives import types_of

REALS = st.floats() | st.sampled_from(
    [0.0, -0.0, 5e-324, 2.0**53, 2.0**63, -(2.0**63), 1.7976931348623157e308]
)
NUMBERS = REALS | st.integers(-60, 60)


@interpreter
def computed(name, x, y):
    if name == "%":
        return x % y
    if name == "//":
        return x // y
    return int(x)


@interpreter
def called(name, x, y):
    if y is None:
        return apply(name, x)
    return apply(name, x, y)


@cache
def compiled(function, name):
    return cogen(function, name=STATIC, x=DYNAMIC, y=DYNAMIC)(name)


@cache
def of_one(name):
    return cogen(called, name=STATIC, x=DYNAMIC, y=STATIC)(name, None)


def bits(value):
    """The value with its type, and for a real its bits; all that are no number are alike."""
    if isinstance(value, float):
        return "no number" if math.isnan(value) else struct.pack("d", value)
    return type(value), value


def outcome(function, *args):
    try:
        return bits(function(*args))
    except (ArithmeticError, ValueError, StagingError):
        return "refused"


@pytest.mark.parametrize("name", ["%", "//"])
@example(x=-0.0, y=1.0)
@example(x=1e308, y=5e-324)
@example(x=5e-324, y=-1.5e-323)
@example(x=-1e-320, y=1e300)
@example(x=math.inf, y=2.0)
@example(x=3.0, y=-math.inf)
@example(x=7, y=0.1)
@given(x=NUMBERS, y=NUMBERS)
def test_divisions_have_the_bits_of_pythons(name, x, y) -> None:
    program = compiled(computed, name)
    assert outcome(program, x, y) == outcome(computed, name, x, y)
    assert program.tier != "machine"


@given(x=NUMBERS)
@example(x=9.3e18)
@example(x=-(2.0**63))
@example(x=math.nextafter(2.0**63, 0))
@example(x=-0.5)
def test_whole_parts_are_those_of_python(x) -> None:
    program = compiled(computed, "int")
    wanted = outcome(computed, "int", x, 0)
    fits = wanted != "refused" and -(2**63) <= int(x) < 2**63
    assert outcome(program, x, 0) == (wanted if fits else "refused")
    assert program.tier != "machine"


@pytest.mark.parametrize(("x", "rule"), [
    (math.nan, "int: cannot convert float NaN to integer"),
    (-math.inf, "int: cannot convert float infinity to integer"),
    (1e19, "an integer of more than 64 bits"),
])  # fmt: skip
def test_what_has_no_whole_part_is_refused(x, rule) -> None:
    with pytest.raises(StagingError, match=rf"test_reals\.py:\d+: computed: {rule}"):
        compiled(computed, "int")(x, 0)


@pytest.mark.parametrize(
    ("name", "x", "y"), [("%", 1.5, 0.0), ("//", 1.5, -0.0), ("%", 7, 0), ("//", 7.5, 0)]
)
def test_a_division_by_zero_names_its_sign(name, x, y) -> None:
    with pytest.raises(StagingError, match=rf"test_reals\.py:\d+: computed: {name}: division by zero"):
        compiled(computed, name)(x, y)


NAMES = ["sin", "cos", "tan", "exp", "log", "log1p", "cbrt", "atan", "tanh", "floor", "round", "sqrt"]


@pytest.mark.parametrize("name", [f"{one}.{kind}" for one in NAMES for kind in ("f64", "f32")])
@example(x=math.inf)
@example(x=-0.0)
@example(x=1e200)
@given(x=REALS)
def test_operators_of_one_real_have_machine_code(name, x) -> None:
    program = of_one(name)
    assert outcome(program, x) == outcome(called, name, x, None)
    assert program.tier.startswith("llvm")


@pytest.mark.parametrize("name", ["pow.f64", "atan2.f64", "hypot.f32"])
@example(x=math.inf, y=-5e-9)
@given(x=REALS, y=REALS)
def test_operators_of_two_reals_have_machine_code(name, x, y) -> None:
    program = compiled(called, name)
    assert outcome(program, x, y) == outcome(called, name, x, y)
    assert program.tier.startswith("llvm")


@interpreter
def voices(score, t):
    sum_ = 0.0
    for kind, frequency, volume in score:
        phase = t * frequency % 1.0
        if kind == "saw":
            sum_ += volume * (2.0 * phase - 1.0)
        elif kind == "steps":
            sum_ += volume * (phase // 0.25)
        else:
            sum_ += volume if int(phase * 2.0) == 0 else -volume
    return sum_


def test_an_interpreter_of_sounds() -> None:
    score = (("saw", 3.5, 0.5), ("steps", 2.25, 0.125), ("square", 5.1, 0.25))
    program = agrees(voices, {"score": score}, [{"t": one / 7} for one in range(-9, 30)])
    assert program.tier.startswith("llvm")


def test_a_nest_has_no_remainders_of_reals() -> None:
    code = compiled(computed, "%").code
    with pytest.raises(StagingError, match="remainders of real numbers"):
        compile_code(code, "real", "real", tier="nest")


@pytest.mark.parametrize("one", [one for one in CALLS if "apply(" in CALLS[one]])
def test_what_to_write_for_a_function_of_python_is_there(one) -> None:
    name = CALLS[one].partition("apply('")[2].partition("'")[0]
    assert types_of(name) is not None
