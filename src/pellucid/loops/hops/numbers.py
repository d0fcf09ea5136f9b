"""Numbers as they are written: bare ones wait for a type, which their neighbors decide.

Used by `reading` and, the other way round, by `writing`.
"""

from __future__ import annotations

import math
import re

from ...base.record import record
from ...ir import types as T
from ...ir.expr import Expr, const
from .forms import HopsForm, HopsSource

_WHOLE = re.compile(r"[+-]?\d+", re.ASCII)
_FLOAT = re.compile(r"[+-]?(\d+\.\d*|\.\d+|\d+)(e[+-]?\d+)?|[+-]?(inf|nan)", re.ASCII)
_MAX_DIGITS = 40


@record
class HopsNumber:
    """A number without a type, and where it stands."""

    value: float | int
    form: HopsForm


def number_of(source: HopsSource, form: HopsForm) -> HopsNumber | None:
    """The bare number that an atom writes; None if it is something else.

    Raises TextError for one with more digits than any type has.
    """
    word = form.atom
    whole = _WHOLE.fullmatch(word)
    if whole is None and not _FLOAT.fullmatch(word):
        return None
    if whole is not None and len(word) > _MAX_DIGITS:
        raise source.error(form, f"a number of {len(word)} digits fits no type")
    return HopsNumber(int(word) if whole is not None else float(word), form)


def literal(source: HopsSource, form: HopsForm) -> HopsNumber | Expr | None:
    """The number that an atom writes: bare, or typed as in ``1:i32``; None if it is something else."""
    word, colon, name = form.atom.partition(":")
    if not colon or name not in T.BY_NAME:
        return number_of(source, form)
    number = number_of(source, HopsForm(form.at, word))
    return None if number is None else typed(source, number, T.BY_NAME[name])


def typed(source: HopsSource, value: Expr | HopsNumber, type_: T.Type | None) -> Expr:
    """An expression as it is; a bare number as a constant of a type: i64 or f32 where nothing is known.

    Raises TextError for a number that the type does not have.
    """
    if isinstance(value, Expr):
        return value
    number, form = value.value, value.form
    if type_ is None:
        type_ = T.f32 if isinstance(number, float) else T.i64
    if type_.is_float:
        return const(number, type_)
    if type_ is T.boolean:
        raise source.error(form, f"{form.atom!r} is a number where a bool is wanted", "write true or false")
    if isinstance(number, float):
        raise source.error(form, f"{form.atom!r} is not an {type_}", "write a whole number")
    if not type_.low <= number <= type_.high:
        raise source.error(form, f"{number} is not within {type_.low} .. {type_.high}", f"an {type_} is")
    return const(number, type_)


def written(node: Expr, expected: T.Type | None) -> str:
    """The text of a constant: bare if it is read back with that type, else with its type."""
    value, type_ = node.attr, node.type
    if type_ is T.boolean:
        return "true" if value else "false"
    if type_.is_integer:
        text, usual = str(value), T.i64
    else:
        usual = T.f32
        if math.isfinite(value):
            text = str(type_.dtype.type(value)) if type_ is T.f32 else repr(value)
        else:
            text = repr(float(value))
    return text if type_ is (expected or usual) else f"{text}:{type_.name}"
