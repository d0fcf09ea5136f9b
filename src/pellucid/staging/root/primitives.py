"""The open table of primitives of root: their meaning on values, their effects, and their rows of the operator table.

`machine` runs them and the compiler generator emits them. Three names need no row here. `add.f64` is the row `add` of
the operator table on values of type f64, and `convert.f64.i32` converts. `load@m` and `store@m` read and write the
memory that a run knows as `m`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from pellucid.base.errors import InputError, PellucidError, StagingError, brief, did_you_mean
from pellucid.base.kinds import TEXT, takes
from pellucid.ir import prim as table
from pellucid.ir import types as T
from pellucid.ir.expr import const
from pellucid.ir.facts import Facts
from pellucid.ir.interp import fold
from pellucid.staging.memory import Memory
from pellucid.staging.root.program import Pair, RootCode, reflected, reified, unlinked
from pellucid.staging.value import INTEGER

_MAX_SHIFT = 1 << 12
_MAX_BITS = 1 << 14

Memories = Mapping[str, Memory]


class Primitive(NamedTuple):
    """A primitive.

    arity     how many values it takes.
    meaning   what it makes of them; it raises TypeError, ValueError, LookupError or ArithmeticError for wrong ones.
    operator  the row of the operator table that means the same on 64-bit integers, if there is one.
    effect    "reads" a memory, "writes" one, "stops" the program; "" for none. Effects keep their order.
    """

    arity: int
    meaning: Callable[..., Any]
    operator: str | None = None
    effect: str = ""


def _close(code: Any, frame: Any) -> Pair:
    """A closure."""
    return Pair(code, frame, closure=True)


def _divided(one: Any, other: Any) -> Any:
    """The quotient, rounded down."""
    return one // _divisor(other)


def _remainder(one: Any, other: Any) -> Any:
    """What is left of a quotient that is rounded down, with the sign of the divisor."""
    return one % _divisor(other)


def _divisor(value: Any) -> Any:
    """A value that is not zero; Python's own words for that differ by its kinds of numbers and by its versions."""
    if value == 0:
        raise ZeroDivisionError("division by zero")
    return value


def _same(value: Any) -> Any:
    """The value."""
    return value


def _equal(one: Any, other: Any) -> bool:
    """Whether two atoms are equal; a pair equals no atom."""
    if isinstance(one, Pair) and isinstance(other, Pair):
        raise TypeError("two pairs are compared; compare their parts")
    return bool(one == other)


def _is_zero(value: Any) -> bool:
    """Whether a value is zero."""
    return bool(value == 0)


def _is_nil(value: Any) -> bool:
    """Whether a value is the empty list."""
    return value is None


def _is_pair(value: Any) -> bool:
    """Whether a value is a pair, or a closure."""
    return isinstance(value, Pair)


def _is_atom(value: Any) -> bool:
    """Whether a value is no pair."""
    return not isinstance(value, Pair)


def _atom(value: Any) -> Any:
    """A value that is no pair."""
    if isinstance(value, Pair):
        raise TypeError("a pair where an atom is expected")
    return value


def _first(pair: Any) -> Any:
    """The first half of a pair, or the code of a closure."""
    if not isinstance(pair, Pair):
        raise TypeError(f"no pair: {pair!r}")
    return pair.car


def _values(pair: Any) -> Any:
    """The other half of a pair: a closure's values, refused if its code owns its frame."""
    if not isinstance(pair, Pair):
        raise TypeError(f"no pair: {pair!r}")
    if pair.closure and isinstance(pair.car, RootCode) and pair.car.owns_frame:
        raise TypeError(f"{pair.car} was lifted, and the values of its closure are taken elsewhere")
    return pair.cdr


def _frame(closure: Any) -> Any:
    """The values of a closure that was lifted, for its own code."""
    if not (isinstance(closure, Pair) and isinstance(closure.car, RootCode) and closure.car.owns_frame):
        raise TypeError(f"no lifted closure: {closure!r}")
    return closure.cdr


def _over(one: Any, other: Any) -> Any:
    """The quotient, as a real."""
    return one / other


def _and(one: Any, other: Any) -> Any:
    """The common bits."""
    return one & other


def _or(one: Any, other: Any) -> Any:
    """The bits of either."""
    return one | other


def _xor(one: Any, other: Any) -> Any:
    """The bits of one only."""
    return one ^ other


def _shifted_down(one: Any, other: Any) -> Any:
    """A value with its bits moved down, and copies of its sign."""
    return one >> other


def _product(one: Any, other: Any) -> Any:
    """The product; one of integers is bounded, since products of products grow without end."""
    made = one * other
    if isinstance(made, int) and made.bit_length() > _MAX_BITS:
        raise ArithmeticError(f"a product of more than {_MAX_BITS} bits")
    return made


def _shifted(one: Any, other: Any) -> Any:
    """A value with its bits moved up; the amount is bounded, since the result has that many bits."""
    if other > _MAX_SHIFT:
        raise ValueError(f"a shift by {other}, more than {_MAX_SHIFT}")
    made = one << other
    if made.bit_length() > _MAX_BITS:
        raise ArithmeticError(f"a shift to more than {_MAX_BITS} bits")
    return made


def _element(vector: Any, index: Any) -> Any:
    """An element of a vector."""
    found: tuple[Any, ...] = vector
    if not isinstance(vector, tuple):
        raise TypeError(f"no vector: {vector!r}")
    if not 0 <= index < len(found):
        raise IndexError(f"no element {index} of {len(found)}")
    return found[index]


def _stop(message: Any) -> Any:
    """Raise the error of the program itself."""
    raise StagingError(str(message), fix="change the program that is interpreted")


def _loaded(memory: Any, address: Any) -> Any:
    """The word at an address of a memory."""
    return memory_of(memory).load(address)


def _stored(memory: Any, address: Any, value: Any) -> Any:
    """Nothing; the word at an address of a memory is replaced."""
    if not INTEGER.test(value):
        raise TypeError(f"no number to store: {'a pair' if isinstance(value, Pair) else brief(value)}")
    return memory_of(memory).store(address, value)


def memory_of(value: Any) -> Memory:
    """A value as a memory."""
    if not isinstance(value, Memory):
        raise TypeError(f"no memory: {'a pair' if isinstance(value, Pair) else brief(value)}")
    return value


def _apply(name: Any, values: Any) -> Any:
    """The primitive of that name on a list of values."""
    found = unlinked(values)
    row = primitive(str(name))
    if len(found) != row.arity:
        raise TypeError(f"{name} takes {row.arity} values, not {len(found)}")
    return row.meaning(*found)


PRIMITIVES: dict[str, Primitive] = {
    "+": Primitive(2, operator.add, "add"),
    "-": Primitive(2, operator.sub, "sub"),
    "*": Primitive(2, _product, "mul"),
    "idiv": Primitive(2, _divided, "floor_div"),
    "imod": Primitive(2, _remainder, "mod"),
    "/": Primitive(2, _over),
    "min": Primitive(2, min, "min"),
    "max": Primitive(2, max, "max"),
    "&": Primitive(2, _and, "and"),
    "|": Primitive(2, _or, "or"),
    "^": Primitive(2, _xor, "xor"),
    "<<": Primitive(2, _shifted, "shift_left"),
    ">>": Primitive(2, _shifted_down, "shift_right"),
    "=": Primitive(2, _equal, "eq"),
    "<": Primitive(2, operator.lt, "lt"),
    "zero?": Primitive(1, _is_zero),
    "not": Primitive(1, operator.not_),
    "early=": Primitive(2, _equal),
    "identity": Primitive(1, _same),
    "cons": Primitive(2, Pair),
    "close": Primitive(2, _close),
    "car": Primitive(1, _first),
    "cdr": Primitive(1, _values),
    "frame": Primitive(1, _frame),
    "null?": Primitive(1, _is_nil),
    "pair?": Primitive(1, _is_pair),
    "atom?": Primitive(1, _is_atom),
    "atom-of": Primitive(1, _atom),
    "vref": Primitive(2, _element),
    "vlen": Primitive(1, len),
    "apply": Primitive(2, _apply),
    "reify": Primitive(1, reified),
    "reflect": Primitive(1, reflected),
    "load": Primitive(2, _loaded, effect="reads"),
    "store": Primitive(3, _stored, effect="writes"),
    "error": Primitive(1, _stop, effect="stops"),
}
"""The primitives with a row of their own; a program may add others."""
LABELED: dict[str, Primitive] = {}
"""The primitives `name@label`, by name: the meaning is given the label after the values."""


def primitive(name: str, memories: Memories | None = None) -> Primitive:
    """The row of a primitive.

    Parameters: `memories` are those that `load@name` and `store@name` mean.

    >>> primitive("add.i8").meaning(127, 1)
    -128
    >>> primitive("load@m").effect
    'reads'
    """
    found = PRIMITIVES.get(name)
    if found is None and "@" in name:
        found = _access(name, memories or {}) or _labeled(name)
    if found is None and "." in name:
        found = _typed(name)
    if found is None:
        raise StagingError("unknown primitive", fix=_what_is_meant(name))
    return found


def _what_is_meant(name: str) -> str:
    """What to write for a name that is no primitive."""
    word, dot, types = name.partition(".")
    operators = list(table.table())
    if not dot:
        named = f"name its types, as in {word}.i64" if word in operators else "add a row to PRIMITIVES"
        return did_you_mean(word, PRIMITIVES) or named
    if word in operators:
        wrong = next(one for one in types.split(".") if one not in T.BY_NAME)
        return f"{wrong or 'nothing'} is no type; there are {', '.join(T.BY_NAME)}"
    alike = sorted(one for one in operators if one[:2] == word[:2])
    return did_you_mean(word, operators) or f"there are {', '.join(alike or sorted(operators))}"


def _access(name: str, memories: Memories) -> Primitive | None:
    """The row of a load from a named memory, or a store."""
    access, _, label = name.partition("@")

    def memory() -> Memory:
        if label not in memories:
            raise KeyError(f"no memory is called {label!r}")
        return memories[label]

    def load(address: Any) -> Any:
        return memory().load(address)

    def store(address: Any, value: Any) -> None:
        _stored(memory(), address, value)

    rows = {"load": Primitive(1, load, effect="reads"), "store": Primitive(2, store, effect="writes")}
    return rows.get(access)


@lru_cache(1024)
def _labeled(name: str) -> Primitive | None:
    """The row of a primitive whose last operand is the label in its name."""
    kind, _, label = name.partition("@")
    row = LABELED.get(kind)
    if row is None:
        return None

    def meaning(*values: Any) -> Any:
        return row.meaning(*values, label)

    return row._replace(meaning=meaning)


@takes(name=TEXT)
def apply(name: str, *values: Any) -> Any:
    """The result of a primitive on values: also a row of the operator table, on values of stated types.

    Interpreters in Python use it for operators that Python has no sign for. Raises StagingError for an unknown
    primitive and for values that it does not take.

    >>> apply("sqrt.f32", 2), apply("to_integer.f32.i32", -2.5)
    (1.4142135381698608, -2)
    """
    return applied("apply", name, list(values))


def types_of(name: str) -> tuple[table.Prim, tuple[T.Type, ...], T.Type, Any] | None:
    """The operator, the types of operands and result, and the attribute that a dotted name stands for."""
    return _types_of(name, table.version())


@lru_cache(maxsize=4096)
def _types_of(name: str, _: int) -> tuple[table.Prim, tuple[T.Type, ...], T.Type, Any] | None:
    word, *types = name.split(".")
    prim = table.table().get(word)
    if prim is None or not types or not all(one in T.BY_NAME for one in types):
        return None
    attr = T.named(types.pop()) if prim.result == "@" and types else None
    letters = [one for one in dict.fromkeys(prim.letters) if one != "B"]
    if len(letters) != len(types):
        raise StagingError(
            f"{word} has the signature {prim.signature}", place=name, fix="name a type for each class in it"
        )
    bound = {"B": T.boolean} | {letter: T.named(one) for letter, one in zip(letters, types, strict=True)}
    operands = tuple(bound[letter] for letter in prim.letters)
    return prim, operands, prim.result_type(operands, attr), attr


@lru_cache(maxsize=1024)
def _typed(name: str) -> Primitive | None:
    """The row of an operator of the table on values of stated types."""
    found = types_of(name)
    if found is None:
        return None
    prim, types, result, attr = found

    def meaning(*values: Any) -> Any:
        return fold(prim.name, [const(one, of) for one, of in zip(values, types, strict=True)], result, attr)

    return Primitive(prim.arity, meaning, prim.name)


def facts(name: str, *known: Facts) -> Facts | None:
    """The facts of a result from those of the operands, by the row of the operator table; None without one.

    >>> facts("+", Facts(0, 9), Facts(1, 1)).hi
    10
    """
    row = primitive(name)
    if row.operator is None:
        return None
    types = types_of(name)
    if types is None:
        prim = table.row(row.operator)
        operands = (T.i64,) * prim.arity
        return prim.transfer(prim.result_type(operands), operands, *known)
    prim, operands, result, _ = types
    return prim.transfer(result, operands, *known)


def applied(place: str, name: str, values: list[Any], memories: Memories | None = None) -> Any:
    """The result of a primitive on values; its errors name the place."""
    try:
        row = primitive(name, memories)
    except PellucidError as error:
        raise StagingError(f"{name}: {error.message}", place=place, fix=error.fix) from None
    if len(values) != row.arity:
        raise StagingError(
            f"{name} takes {row.arity} values, not {len(values)}", place=place, fix="match them"
        )
    try:
        if memories and name in ("load", "store") and isinstance(values[0], Memory):
            values = [memories.get(values[0].name, values[0]), *values[1:]]
        return row.meaning(*values)
    except InputError:
        raise
    except StagingError as error:
        raise StagingError(error.message, place=error.place or place, fix=error.fix) from error
    except (TypeError, ValueError, LookupError, ArithmeticError) as error:
        message = error.args[0] if isinstance(error, LookupError) and error.args else error
        raise StagingError(f"{name}: {message}", place=place, fix="check the values before") from error
