"""Primitives on partly known values: Figure 8 of Draves (1996) as a table, and what else keeps something static.

A rule names a primitive, the times of its operands and that of its result, and writes the static code for it. The
first rule that fits is taken; a primitive on static values is computed, and any other is emitted.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

from pellucid.staging.cogen.frames import FrameError
from pellucid.staging.cogen.lifting import dynamic, lifted, packed, static, unpacked
from pellucid.staging.cogen.values import CodePointer, ControlPointer, StaticAtom, TimedValue, is_split
from pellucid.staging.cogen.writing import Writer
from pellucid.staging.root.primitives import primitive
from pellucid.staging.root.program import RootCode, RootPrim
from pellucid.staging.times.lattice import (
    CYCLIC,
    DYNAMIC,
    STATIC,
    Constant,
    Pointer,
    Stack,
    Time,
    TimeGraph,
    is_static,
    pair,
)


class TimeSplit(NamedTuple):
    """A result whose time depends on static values: a Python test, and the value under each outcome."""

    test: str
    yes: Callable[[], TimedValue]
    no: Callable[[], TimedValue]


Result: TypeAlias = "TimedValue | TimeSplit | None"
"""The result of a rule; None if it does not fit."""
Write: TypeAlias = Callable[[Writer, RootPrim, list[TimedValue]], Result]


class GeneratedRule(NamedTuple):
    """One row: the primitive, the kinds of its operands, the time of the result as Figure 8 has it, its note."""

    primitive: str
    operands: tuple[str, ...]
    result: str
    note: str
    write: Write


RULES: dict[str, list[GeneratedRule]] = {}
"""The rules of each primitive, in the order in which they are tried."""


def rule(names: str, operands: str, result: str, note: str = "") -> Callable[[Write], Write]:
    """Add a row for each of some primitives."""

    def add(write: Write) -> Write:
        for name in names.split():
            RULES.setdefault(name, []).append(
                GeneratedRule(name, tuple(operands.split()), result, note, write)
            )
        return write

    return add


def kind(time: Time) -> str:
    """The word for a time in the table."""
    if isinstance(time, TimeGraph):
        return "pair"
    if isinstance(time, Stack):
        return "stack"
    return "S" if is_static(time) or isinstance(time, Pointer) else "cyc" if time is CYCLIC else "D"


def _fits(rule_: GeneratedRule, kinds: list[str]) -> bool:
    """Whether a rule takes operands of some kinds."""
    return len(kinds) == len(rule_.operands) and all(
        want in ("_", have) for want, have in zip(rule_.operands, kinds, strict=True)
    )


def result_of(to: Writer, instruction: RootPrim, values: list[TimedValue]) -> TimedValue | TimeSplit:
    """The value of a primitive, or what it depends on."""
    kinds = [kind(value.time) for value in values]
    for one in RULES.get(instruction.primitive, ()):
        if _fits(one, kinds):
            found = one.write(to, instruction, values)
            if found is not None:
                return found
    row = primitive(instruction.primitive)
    if not row.effect and all(one == "S" for one in kinds):
        return _computed(to, instruction, values)
    names = [dynamic(to, value) for value in values]
    made = to.emit(instruction.name, instruction.primitive, names, to.point)
    if instruction.primitive in ("car", "cdr"):
        told = f"{instruction.primitive == 'car'}, {to.place!r}, {instruction.args[0]!r}"
        to.put(f"if {names[0]} in known: follow_half(known, {made}, {names[0]}, {told})")
    elif instruction.primitive in ("cons", "close"):
        to.put(f"if known: follow_pair(known, {made}, {names[0]}, {names[1]})")
    return TimedValue(DYNAMIC, (made,))


# ---- pairs ----


@rule("identity", "_", "x", "a")
def _identity(to: Writer, instruction: RootPrim, values: list[TimedValue]) -> Result:
    return values[0]


@rule("cons close", "_ _", "(cons x y)", "c")
def _cons(to: Writer, instruction: RootPrim, values: list[TimedValue]) -> Result:
    one, other = values
    closure = instruction.primitive == "close"
    if not closure and one.time is STATIC and other.time is STATIC:
        return TimedValue(STATIC, (to.assigned(instruction.name, f"rt.cons({one.own[0]}, {other.own[0]})"),))
    point = f"{to.owner.code.name}.{instruction.name}" if instruction.point is None else instruction.point
    time = pair(one.time, other.time, point, closure=closure)
    if not isinstance(time, TimeGraph):
        return None
    made = TimedValue(time, (), (lifted(to, one, time.car), lifted(to, other, time.cdr)))
    if is_split(time):
        return made
    return TimedValue(time, (to.assigned(instruction.name, packed(to, made)),))


@rule("car cdr frame", "pair", "x")
def _half(to: Writer, instruction: RootPrim, values: list[TimedValue]) -> Result:
    value, first = values[0], instruction.primitive == "car"
    if first and isinstance(value.time, TimeGraph) and value.time.code is not None:
        return CodePointer(value.time.car, value)
    code = value.time.code if isinstance(value.time, TimeGraph) else None
    if code is not None and code.owns_frame and instruction.primitive == "cdr":
        raise FrameError(to.place, instruction.args[0], code.name).told()
    if value.halves is not None:
        return value.halves[0 if first else 1]
    if not isinstance(value.time, TimeGraph):
        return None
    source = f"{value.own[0]}[{0 if first else 1}]"
    if value.time.nodes[0].atom:
        source += f" if {value.own[0]}.__class__ is tuple else no_pair({value.own[0]})"
    time = value.time.car if first else value.time.cdr
    return unpacked(to, time, to.assigned(instruction.name, source))


@rule("car", "stack", "S")
def _return(to: Writer, instruction: RootPrim, values: list[TimedValue]) -> Result:
    return ControlPointer(values[0])


@rule("pair? null? atom?", "pair", "S", "d")
def _is(to: Writer, instruction: RootPrim, values: list[TimedValue]) -> Result:
    value, asked = values[0], instruction.primitive
    if isinstance(value.time, TimeGraph) and not value.time.nodes[0].atom:
        return TimedValue(Constant(asked == "pair?"))
    if asked == "null?":
        test = f"{value.own[0]} is None"
    else:
        test = f"{value.own[0]}.__class__ {'is' if asked == 'pair?' else 'is not'} tuple"
    return TimedValue(STATIC, (to.assigned("b", test),))


@rule("pair? null? atom?", "stack", "S")
def _is_stack(to: Writer, instruction: RootPrim, values: list[TimedValue]) -> Result:
    return TimedValue(Constant(instruction.primitive == "pair?"))


@rule("apply", "S pair", "D", "e")
def _apply(to: Writer, instruction: RootPrim, values: list[TimedValue]) -> Result:
    args: list[TimedValue] = []
    rest = values[1]
    while rest.halves is not None:
        args.append(rest.halves[0])
        rest = rest.halves[1]
    time = rest.time
    if isinstance(time, TimeGraph) and time.car is DYNAMIC and time.cdr == time:
        names = "".join(f"{dynamic(to, one)}, " for one in args)
        source = f"rt.applied({to.out}, named, {static(to, values[0])}, ({names}), {rest.own[0]}, point={to.point!r})"
        return TimedValue(DYNAMIC, (to.assigned(instruction.name, source),))
    if time != Constant(None):
        return None
    if all(is_static(one.time) for one in args):
        return TimedValue(
            STATIC,
            (to.assigned(instruction.name, f"applied({static(to, values[0])}, {_list(to, args)})"),),
        )
    names = [dynamic(to, one) for one in args]
    function = static(to, values[0])
    given = ", ".join([*names, f"point={to.point!r}"])
    variable = to.assigned(
        instruction.name, f"rt.prim({to.out}, 'v', named({function}, {len(args)}), {given})"
    )
    return TimedValue(DYNAMIC, (variable,))


def _list(to: Writer, args: list[TimedValue]) -> str:
    """The Python expression of the static values of some arguments."""
    return f"[{', '.join(static(to, one) for one in args)}]"


@rule("atom-of", "_", "S")
def _atom(to: Writer, instruction: RootPrim, values: list[TimedValue]) -> Result:
    value = values[0]
    if isinstance(value.time, Constant):
        return value
    if value.time is STATIC or (isinstance(value.time, TimeGraph) and value.time.packed):
        return StaticAtom(STATIC, (value.own[0],))
    return None


@rule("=", "pair _", "S")
@rule("=", "_ pair", "S")
def _equal_atom(to: Writer, instruction: RootPrim, values: list[TimedValue]) -> Result:
    one, other = values if isinstance(values[0].time, TimeGraph) else (values[1], values[0])
    if isinstance(one.time, TimeGraph) and not one.time.nodes[0].atom:
        return TimedValue(Constant(False)) if is_static(other.time) else None
    if not is_static(other.time):
        return None
    test = f"{one.own[0]}.__class__ is not tuple and {one.own[0]} == {static(to, other)}"
    return TimedValue(STATIC, (to.assigned("b", test),))


# ---- memories ----


@rule("load", "S _", "D")
def _load(to: Writer, instruction: RootPrim, values: list[TimedValue]) -> Result:
    address = dynamic(to, values[1])
    source = f"rt.access({to.out}, 'w', 'load', {static(to, values[0])}, {address}, point={to.point!r})"
    return TimedValue(DYNAMIC, (to.assigned(instruction.name, source),))


@rule("store", "S _ _", "D")
def _store(to: Writer, instruction: RootPrim, values: list[TimedValue]) -> Result:
    address, stored = (dynamic(to, one) for one in values[1:])
    source = (
        f"rt.access({to.out}, 'x', 'store', {static(to, values[0])}, {address}, {stored}, point={to.point!r})"
    )
    return TimedValue(DYNAMIC, (to.assigned(instruction.name, source),))


# ---- cyclic integers ----


def _is_number(value: TimedValue) -> bool:
    """Whether a static value may be a number."""
    return value.time is STATIC


def _triple(value: TimedValue) -> tuple[str, str, str]:
    """Base, quotient and remainder of a dynamic integer: of one that is not divided, 1, itself and 0."""
    if value.time is CYCLIC:
        base, quotient, remainder = value.own
        return base, quotient, remainder
    return "1", value.own[0], "0"


@rule("+ *", "cyc S", "cyc")
@rule("+ *", "S cyc", "cyc")
@rule("-", "cyc S", "cyc")
@rule("+ *", "D S", "cyc", "b")
@rule("+ *", "S D", "cyc", "b")
@rule("-", "D S", "cyc", "b")
@rule("<<", "cyc S", "cyc")
def _linear(to: Writer, instruction: RootPrim, values: list[TimedValue]) -> Result:
    whole, number = values if _is_number(values[1]) else (values[1], values[0])
    if not _is_number(number) or (whole.time is DYNAMIC and not to.generator.integers):
        return None
    base, quotient, remainder = _triple(whole)
    amount = static(to, number)
    if not _LITERAL.match(amount):
        amount = to.assigned("n", f"whole({amount})")
    if instruction.primitive in "+-":
        moved = to.assigned("r", f"{remainder} {instruction.primitive} {amount}")
        return TimedValue(CYCLIC, (base, quotient, moved))
    factor = f"shift(1, {amount})" if instruction.primitive == "<<" else amount
    names = tuple(to.variable(one) for one in "bqr")
    to.put(f"{', '.join(names)} = rt.scaled({to.out}, {factor}, {base}, {quotient}, {remainder})")
    return TimedValue(CYCLIC, names)


@rule("-", "S cyc", "cyc")
def _reversed(to: Writer, instruction: RootPrim, values: list[TimedValue]) -> Result:
    if not _is_number(values[0]):
        return None
    base, quotient, remainder = values[1].own
    negative = to.assigned("b", f"-{base}")
    return TimedValue(
        CYCLIC, (negative, quotient, to.assigned("r", f"{static(to, values[0])} - {remainder}"))
    )


def _quotient_is_zero(to: Writer, value: TimedValue, remainder: str) -> TimedValue:
    """Emit the test whether the part of a cyclic integer that is dynamic is zero, with a remainder."""
    base, quotient, _ = value.own
    shifted = to.assigned("q", f"rt.plus({to.out}, {quotient}, {remainder} // {base})")
    return TimedValue(DYNAMIC, (to.emit("z", "zero?", [shifted]),))


@rule("zero?", "cyc", "both", "f")
def _zero(to: Writer, instruction: RootPrim, values: list[TimedValue]) -> Result:
    base, _, remainder = values[0].own
    return TimeSplit(
        f"{remainder} % {base} == 0",
        lambda: _quotient_is_zero(to, values[0], remainder),
        lambda: TimedValue(Constant(False)),
    )


@rule("=", "cyc S", "both")
@rule("=", "S cyc", "both")
def _equal(to: Writer, instruction: RootPrim, values: list[TimedValue]) -> Result:
    whole, number = values if values[0].time is CYCLIC else (values[1], values[0])
    if not _is_number(number):
        return TimedValue(Constant(False))
    base, _, remainder = whole.own
    moved = to.assigned("r", f"apart({remainder}, {static(to, number)})")
    return TimeSplit(
        f"{moved} is not None and {moved} % {base} == 0",
        lambda: _quotient_is_zero(to, whole, moved),
        lambda: TimedValue(Constant(False)),
    )


@rule("imod", "cyc S", "S", "g")
@rule("&", "cyc S", "S")
def _modulo(to: Writer, instruction: RootPrim, values: list[TimedValue]) -> Result:
    if not _is_number(values[1]):
        return None
    base, _, remainder = values[0].own
    number = static(to, values[1])
    modulus = number if instruction.primitive == "imod" else f"({number} + 1)"
    low = "" if instruction.primitive == "imod" else f"{number} >= 0 and {modulus} & {number} == 0 and "
    return TimeSplit(
        f"{low}{base} % {modulus} == 0",
        lambda: TimedValue(STATIC, (to.assigned(instruction.name, f"{remainder} % {modulus}"),)),
        lambda: _emitted(to, instruction, values),
    )


@rule("idiv", "cyc S", "cyc", "h")
@rule(">>", "cyc S", "cyc")
def _divided(to: Writer, instruction: RootPrim, values: list[TimedValue]) -> Result:
    if not _is_number(values[1]):
        return None
    base, quotient, remainder = values[0].own
    number = static(to, values[1])
    divisor = number if instruction.primitive == "idiv" else f"shift(1, min({number}, 4096))"

    def exact() -> TimedValue:
        parts = (
            to.assigned("b", f"{base} // {divisor}"),
            quotient,
            to.assigned("r", f"{remainder} // {divisor}"),
        )
        return TimedValue(CYCLIC, parts)

    return TimeSplit(f"{base} % {divisor} == 0", exact, lambda: _emitted(to, instruction, values))


def _emitted(to: Writer, instruction: RootPrim, values: list[TimedValue]) -> TimedValue:
    """A primitive that is left to the residual program."""
    names = [dynamic(to, one) for one in values]
    return TimedValue(DYNAMIC, (to.emit(instruction.name, instruction.primitive, names, to.point),))


# ---- early equality ----


@rule("early=", "_ _", "S", "i")
def _early(to: Writer, instruction: RootPrim, values: list[TimedValue]) -> Result:
    one, other = values
    if is_static(one.time) and is_static(other.time):
        return None
    if one.time in (DYNAMIC, CYCLIC) and other.time in (DYNAMIC, CYCLIC):
        left, right = (f"({', '.join(_triple(value))})" for value in values)
        if one.time is DYNAMIC and other.time is DYNAMIC:
            left, right = one.own[0], other.own[0]
        return TimedValue(STATIC, (to.assigned(instruction.name, f"{left} == {right}"),))
    return TimedValue(Constant(False))


# ---- what is known ----

_EXPRESSIONS = {
    "+": "{} + {}",
    "-": "{} - {}",
    "idiv": "{} // {}",
    "imod": "{} % {}",
    "<": "{} < {}",
    "&": "{} & {}",
    "|": "{} | {}",
    "^": "{} ^ {}",
    ">>": "{} >> {}",
    "zero?": "{} == 0",
    "not": "not {}",
    "car": "{}.car",
    "cdr": "{}.cdr",
    "null?": "{} is None",
    "pair?": "{}.__class__ is Pair",
    "atom?": "{}.__class__ is not Pair",
}
"""Python for primitives on static values, where it means the same as their rows of the table."""


_LITERAL = re.compile(r"[\d('\"]")
"""The first letter of an atom among the leaves of static values."""


def _computed(to: Writer, instruction: RootPrim, values: list[TimedValue]) -> TimedValue:
    """A primitive on values that are known when the compiler runs."""
    row = primitive(instruction.primitive)
    if all(value.time.is_fixed for value in values):
        found = _folded(row.meaning, values)
        if found is not None:
            return found
    args = [static(to, value) for value in values]
    if instruction.primitive in {"null?", "pair?", "atom?"} and _LITERAL.match(args[0]):
        return TimedValue(Constant(instruction.primitive == "atom?"))
    expression = _EXPRESSIONS.get(instruction.primitive)
    if instruction.primitive == "=" and any(
        one.time is not STATIC or _LITERAL.match(one.own[0]) for one in values
    ):
        expression = "{} == {}"
    if expression is None:
        name = to.global_of(row.meaning)
        expression = f"{name}({', '.join(args)})"
    else:
        expression = expression.format(*args)
    return TimedValue(STATIC, (to.assigned(instruction.name, expression),))


def _folded(meaning: Callable[..., Any], values: list[TimedValue]) -> TimedValue | None:
    """A primitive on constants that is one itself; None if it is none, or fails."""
    try:
        made = meaning(*(one.time.value for one in values if isinstance(one.time, Constant)))
    except (TypeError, ValueError, LookupError, ArithmeticError):
        return None
    return TimedValue(Constant(made)) if made is None or isinstance(made, bool | RootCode) else None
