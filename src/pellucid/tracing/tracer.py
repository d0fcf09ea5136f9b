"""Symbolic values: Python objects that stand for a number per pixel and write down what is done to them.

Running a Python function on a `Value` instead of a number leaves behind an expression (`Value.expr`). Python numbers
stay Python numbers, so closures, loops and recursion over static values unroll by themselves. The level above gives
pictures; the level below is `ir.expr`.
"""

from __future__ import annotations

import contextlib
import math
import numbers
from collections.abc import Iterator
from typing import Any, NoReturn, cast

import numpy as np

from ..base.errors import IrError, TraceError, brief
from ..base.operators import Arithmetic, Comparison, Equality
from ..base.source_location import caller, in_line
from ..ir import expr as E
from ..ir import prim as table
from ..ir import types as T
from ..ir.expr import Expr
from ..ir.interp import fold
from . import instead, ufuncs
from .meeting import common_type, natural_type
from .session import gives_compiled_bits, real_type

Number = bool | int | float


def _refuse(what: str, fix: str) -> NoReturn:
    __tracebackhide__ = True
    place, line = caller()
    raise TraceError(in_line(what, line), place=place, fix=fix)


class Value(Arithmetic[Any], Comparison[Any], Equality[Any]):
    """A symbolic scalar. Supports the operators of Python's numbers; comparisons give symbolic booleans.

    >>> x = Value(E.param("x", T.f32))
    >>> (2 * x + 1).expr
    2.0 * $x:f32 + 1.0
    """

    __slots__ = ("_expr",)

    __pellucid_parts__ = ()

    def __init__(self, expr: Expr) -> None:
        self._expr = expr

    @property
    def expr(self) -> Expr:
        """The expression written down so far."""
        return self._expr

    @property
    def type(self) -> T.Type:
        """The scalar type."""
        return self.expr.type

    def __repr__(self) -> str:
        """The expression's text."""
        return f"Value({self.expr!r})"

    # ---- arithmetic ----

    def _combined(self, row: str, one: Any, other: Any) -> Any:
        return _binary(row, one, other)

    def __floordiv__(self, other: Any) -> Any:
        return _floor_divide(self, other)

    def __rfloordiv__(self, other: Any) -> Any:
        return _floor_divide(other, self)

    def __mod__(self, other: Any) -> Any:
        return _modulo(self, other)

    def __rmod__(self, other: Any) -> Any:
        return _modulo(other, self)

    def __divmod__(self, other: Any) -> Any:
        return _floor_divide(self, other), _modulo(self, other)

    def __pow__(self, other: Any) -> Any:
        return _power(self, other)

    def __rpow__(self, other: Any) -> Any:
        return _power(other, self)

    def __neg__(self) -> Any:
        return Value(_apply("neg", _arithmetic(self.expr)))

    def __pos__(self) -> Any:
        return self

    def __abs__(self) -> Any:
        e = _arithmetic(self.expr)
        return self if e.type.kind == "unsigned" else Value(_apply("abs", e))

    def __round__(self, digits: int = 0) -> Any:
        if not isinstance(digits, int) or abs(digits) > 300:  # pyright: ignore[reportUnnecessaryIsInstance]
            place, _ = caller()
            raise TraceError(
                f"{brief(digits)} is no number of digits",
                place=place,
                fix="give a whole number from -300 to 300",
            )
        if digits:
            scale = 10.0**digits
            return round(self * scale) / scale
        return self if self.type.is_integer else call("round", self)

    def __floor__(self) -> Any:
        return self if self.type.is_integer else call("floor", self)

    def __ceil__(self) -> Any:
        return self if self.type.is_integer else call("ceil", self)

    def __trunc__(self) -> Any:
        return self if self.type.is_integer else call("trunc", self)

    # ---- bits and booleans ----

    def __and__(self, other: Any) -> Any:
        return _binary("and", self, other)

    def __rand__(self, other: Any) -> Any:
        return _binary("and", other, self)

    def __or__(self, other: Any) -> Any:
        return _binary("or", self, other)

    def __ror__(self, other: Any) -> Any:
        return _binary("or", other, self)

    def __xor__(self, other: Any) -> Any:
        return _binary("xor", self, other)

    def __rxor__(self, other: Any) -> Any:
        return _binary("xor", other, self)

    def __lshift__(self, other: Any) -> Any:
        return _binary("shift_left", self, other)

    def __rlshift__(self, other: Any) -> Any:
        return _binary("shift_left", other, self)

    def __rshift__(self, other: Any) -> Any:
        return _binary("shift_right", self, other)

    def __rrshift__(self, other: Any) -> Any:
        return _binary("shift_right", other, self)

    def __invert__(self) -> Any:
        return Value(_apply("not", self.expr))

    # ---- what a symbolic value cannot be ----

    def __bool__(self) -> bool:
        __tracebackhide__ = True
        _refuse("a symbolic value has no truth of its own", instead.of_truth())

    def __float__(self) -> float:
        __tracebackhide__ = True
        _refuse("a symbolic value is not yet a number", instead.of_real())

    def __int__(self) -> int:
        __tracebackhide__ = True
        _refuse("a symbolic value is not yet a number", instead.of_whole())

    def __index__(self) -> int:
        __tracebackhide__ = True
        _refuse("a symbolic value cannot index a Python sequence", instead.of_index())

    def __iter__(self) -> Iterator[Any]:
        __tracebackhide__ = True
        _refuse("a symbolic number cannot be taken apart", instead.of_parts())

    def __format__(self, spec: str) -> str:
        """The expression's text; digits it has none yet."""
        __tracebackhide__ = True
        if spec:
            _refuse(
                "a symbolic value has no digits yet", "look at the numbers of a picture with picture.at(x, y)"
            )
        return repr(self)

    def __getattr__(self, name: str) -> Any:
        """Refuse what a number does not have."""
        __tracebackhide__ = True
        if name.startswith("_"):
            raise AttributeError(name)
        place, line = caller()
        fix = (
            f"write pl.{name}(x)"
            if name in table.table()
            else "only points, colors and complex numbers have parts"
        )
        raise NoSuchPartError(in_line(f"a number has no {name!r}", line), place=place, fix=fix)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **more: Any) -> Any:
        """NumPy's functions of the same meaning work on symbolic values too."""
        __tracebackhide__ = True
        name: str = ufuncs.ROWS.get(ufunc.__name__, str(ufunc.__name__))
        if method == "__call__" and not more and (name in table.table() or name in ufuncs.OPERATORS):
            # NumPy makes an array without axes of its own number on the left of an operator.
            given = [_operand(x) for x in inputs]
            if name in table.table():
                return call(name, *given)
            return ufuncs.OPERATORS[name](*given)
        _refuse(f"numpy.{ufunc.__name__} does not take a symbolic value", "use pellucid's own function")

    def __array_function__(self, function: Any, *_: Any) -> Any:
        """Refuse functions of whole arrays: a symbolic number stands for that of each pixel."""
        __tracebackhide__ = True
        own = {"where": "pl.where", "clip": "pl.clamp", "interp": "pl.lerp"}.get(function.__name__)
        _refuse(
            f"numpy.{function.__name__} does not take a symbolic value",
            f"use {own}" if own else "write it with pellucid's own functions of numbers",
        )


_OF_NUMPY: Any = np.generic | np.ndarray


def _operand(x: Any) -> Any:
    """An operand of NumPy as a number of Python or a symbolic value; raises TraceError for anything else."""
    given: Any = x.item() if isinstance(x, _OF_NUMPY) and x.ndim == 0 else x
    lift(given)
    return given


class NoSuchPartError(TraceError, AttributeError):
    """An attribute that a number or a structure of numbers does not have."""


# ---- from Python to nodes ----


def is_symbolic(x: Any) -> bool:
    """Whether a scalar is symbolic (as against a Python number)."""
    return isinstance(x, Value)


def static(x: Any) -> Number | None:
    """A Python number for a static scalar (NumPy scalars included), or None."""
    kind = cast("type[Any]", type(x))
    if kind is float or kind is int or kind is bool:
        return x
    if kind is Value:
        return None
    if isinstance(x, bool | np.bool_):
        return bool(x)  # pyright: ignore[reportUnknownArgumentType]
    if isinstance(x, numbers.Integral):
        return int(x)
    if isinstance(x, numbers.Real):
        return float(x)
    return None


def lift(x: Any, type_: T.Type | None = None) -> Expr:
    """The node of a scalar: a symbolic value's own, or a constant (of `type_`, or the natural type of the number).

    Raises TraceError for anything that is not a scalar.
    """
    if isinstance(x, Value):
        return x.expr
    number = static(x)
    if number is None:
        place, _ = caller()
        fix = (
            f"write color({x!r}) for the color of that name"
            if isinstance(x, str)
            else "give a number or a symbolic value"
        )
        raise TraceError(f"{brief(x)} is not a number", place=place, fix=fix)
    return E.const(number, natural_type(number) if type_ is None else type_)


def _convert(e: Expr, type_: T.Type) -> Expr:
    if e.type is type_:
        return e
    if e.op == "const":
        if e.type.is_float and type_.is_integer:
            return E.const(fold("to_integer", [e], type_, type_), type_)
        return E.const(e.attr, type_)
    if type_ is T.boolean:
        return E.make("ne", (e, E.const(0, e.type)), T.boolean)
    if e.type.is_float and type_.is_integer:
        return E.make("to_integer", (e,), type_, type_)
    return E.make("convert", (e,), type_, type_)


def _arithmetic(e: Expr) -> Expr:
    return _convert(e, real_type()) if e.type is T.boolean else e


def pair(a: Any, b: Any) -> tuple[Expr, Expr]:
    """Two scalars as nodes of their common type; a Python number takes the type of its partner where it fits."""
    if isinstance(a, Value) and isinstance(b, Value):
        x, y = a.expr, b.expr
        if x.type is y.type:
            return x, y
        t = common_type(x.type, y.type)
        return _convert(x, t), _convert(y, t)
    value, other = (a, b) if isinstance(a, Value) else (b, a)
    node = value.expr
    number = static(other)
    if number is None:
        lift(other)
    if isinstance(number, float) and not node.type.is_float:
        node = _convert(node, real_type())
    elif isinstance(number, int) and not isinstance(number, bool) and node.type is T.boolean:
        node = _convert(node, T.i32)
    if node.type.is_integer and not node.type.low <= int(number or 0) <= node.type.high:
        place, _ = caller()
        raise TraceError(
            f"{number} does not fit {node.type}", place=place, fix="convert the value to a wider type"
        )
    # Not `number or 0`: -0.0 is a number of its own.
    constant = E.const(0 if number is None else number, node.type)
    return (node, constant) if isinstance(a, Value) else (constant, node)


def _apply(op: str, *args: Expr) -> Expr:
    row = table.row(op)
    try:
        type_ = row.result_type(tuple([a.type for a in args]))
    except IrError as error:
        place, line = caller()
        raise TraceError(
            in_line(f"{row.symbol[0] if row.symbol else op} takes no {args[0].type}", line),
            place=place,
            fix="compare numbers to get truths, and convert them with to_integer(x) to get bits",
        ) from error
    return E.make(op, args, type_)


_LOGICAL = frozenset({"and", "or", "xor"})
_EQUALITY = frozenset({"eq", "ne"})


def _is_scalar(x: Any) -> bool:
    return isinstance(x, Value) or static(x) is not None


def _binary(op: str, a: Any, b: Any) -> Any:
    if type(a) is Value and type(b) is Value and a.expr.type is b.expr.type and a.expr.type.is_float:
        # Two floats alike: by far the most frequent, with nothing to convert.
        return Value(_apply(op, a.expr, b.expr))
    if not (_is_scalar(a) and _is_scalar(b)):
        return NotImplemented
    x, y = pair(a, b)
    if op == "div" and not x.type.is_float:
        x, y = _convert(x, real_type()), _convert(y, real_type())
    elif x.type is T.boolean and op not in _LOGICAL and op not in _EQUALITY:
        x, y = _arithmetic(x), _arithmetic(y)
    return Value(_apply(op, x, y))


def _floor_divide(a: Any, b: Any) -> Any:
    x, y = (_arithmetic(e) for e in pair(a, b))
    return Value(_apply("floor", _apply("div", x, y)) if x.type.is_float else _apply("floor_div", x, y))


def _modulo(a: Any, b: Any) -> Any:
    x, y = (_arithmetic(e) for e in pair(a, b))
    if x.type.is_float:
        # x - y floor(x / y), as in GLSL: the sign of y, and periodic.
        return Value(_apply("sub", x, _apply("mul", y, _apply("floor", _apply("div", x, y)))))
    return Value(_apply("mod", x, y))


def _power(a: Any, b: Any) -> Any:
    exponent = static(b)
    if exponent is not None and isinstance(a, Value) and abs(exponent) <= 64 and float(exponent).is_integer():
        return _integer_power(a, int(exponent))
    x, y = (_arithmetic(e) for e in pair(a, b))
    if not x.type.is_float:
        x, y = _convert(x, real_type()), _convert(y, real_type())
    return Value(_apply("pow", x, y))


def _integer_power(base: Value, exponent: int) -> Any:
    if exponent < 0:
        return 1 / _integer_power(base, -exponent)
    result: Any = None
    square: Any = base
    while exponent:
        if exponent & 1:
            result = square if result is None else result * square
        exponent >>= 1
        if exponent:
            square = square * square
    return _one(base) if result is None else result


def _one(like: Value) -> Value:
    """One, in the type of a value."""
    return Value(E.const(1, like.type))


def convert(x: Any, type_: T.Type) -> Any:
    """A scalar as another type: integers wrap, floats truncate and saturate.

    >>> convert(Value(E.param("x", T.f32)), T.u8)
    Value(to_integer.u8($x:f32))
    """
    if not isinstance(x, Value):
        return Value(_convert(lift(x), type_))
    return Value(_convert(x.expr, type_))


def call(name: str, *args: Any) -> Any:
    """A row of the operator table on scalars: numbers if all operands are, else a symbolic value.

    Raises TraceError for operands the row does not take.

    >>> call("sqrt", 2.25)
    1.5
    """
    row = table.row(name)
    if len(args) != row.arity:
        place, _ = caller()
        many = f"{row.arity} operand{'s' * (row.arity != 1)}"
        raise TraceError(f"{name} takes {many}, not {len(args)}", place=place, fix=f"it is: {row.doc}")
    first = args[0]
    if type(first) is Value and first.expr.type.is_float:
        nodes = [a.expr for a in args if type(a) is Value and a.expr.type is first.expr.type]
        if len(nodes) == len(args):
            # Floats alike: by far the most frequent, with nothing to convert.
            return Value(_apply(name, *nodes))
    if not any(isinstance(a, Value) for a in args):
        return _static_call(row, args)
    types = [a.type for a in args if isinstance(a, Value)]
    together: T.Type = types[0]
    for t in types[1:]:
        together = common_type(together, t)
    if not together.is_float and (
        "F" in row.letters
        or any(isinstance(static(a), float) for a in args)
        or (together is T.boolean and not {"B", "L", "T"} & set(row.letters))
    ):
        together = real_type()
    nodes = [_convert(lift(a), together) if isinstance(a, Value) else lift(a, together) for a in args]
    return Value(E.make(name, tuple(nodes), row.result_type(tuple(n.type for n in nodes))))


def _static_call(row: table.Prim, args: tuple[Any, ...]) -> Any:
    values = [static(a) for a in args]
    # Interpreting the polynomial of a sine takes milliseconds, and Python's own differs in the last place of f64 at
    # most.
    quick = getattr(math, row.name, None) if row.body is not None and not gives_compiled_bits() else None
    if quick is not None and None not in values:
        with contextlib.suppress(ValueError, OverflowError):
            return quick(*values)
    if None in values:
        for a in args:
            # Numbers of another stage know what to do.
            if (staged := getattr(a, "__call_row__", None)) is not None:
                return staged(row.name, args)
        for a in args:
            lift(a)
    whole = all(isinstance(v, int) for v in values) and "F" not in row.letters
    type_ = (
        T.boolean
        if all(isinstance(v, bool) for v in values) and "L" in row.letters
        else T.i64
        if whole
        else T.f64
    )
    nodes = [E.const(0 if v is None else v, type_) for v in values]
    return fold(row.name, nodes, row.result_type(tuple(n.type for n in nodes)))
