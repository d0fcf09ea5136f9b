"""What the names of a program stand for: the declarations of White's HOPS (White, section 6.1), extended by types.

Used by `values` and `reading`. An array is declared in the form in which it is used, with its size for an index.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ...base.errors import TextError, did_you_mean
from ...ir import expr as E
from ...ir import types as T
from ...ir.expr import Buffer, Expr
from . import words as W
from .forms import HopsForm, HopsSource
from .numbers import HopsNumber, number_of


@dataclass(slots=True)
class Names:
    """Everything that is declared, and every name that was given; `memory` are buffers that need no declaration."""

    source: HopsSource
    memory: Mapping[str, Buffer]
    variables: dict[str, Buffer] = field(default_factory=dict[str, Buffer])
    arrays: set[str] = field(default_factory=set[str])
    local: dict[str, HopsForm] = field(default_factory=dict[str, HopsForm])
    uniforms: dict[str, Expr] = field(default_factory=dict[str, Expr])
    constants: dict[str, HopsNumber] = field(default_factory=dict[str, HopsNumber])
    abstract: set[str] = field(default_factory=set[str])
    given: set[str] = field(default_factory=set[str])

    def __post_init__(self) -> None:
        """Take over the buffers that are known."""
        self.variables = {**self.memory, **self.variables}
        self.arrays.update(word for word, buffer in self.memory.items() if buffer.size > 1)

    def declare(self, form: HopsForm) -> None:
        """Note one declaration."""
        items = tuple(_unquoted(f) for f in (form.items or ())[1:])
        kind = form.head
        most = 1 if kind in ("MakeAbstractStatement", "MakeAbstractBoolean") else 2
        if not items or len(items) > most or (kind == "setq" and len(items) != 2):
            raise self.source.error(form, f"{kind} takes {_SHAPES[kind]}", f"write {_EXAMPLES[kind]}")
        if kind == "setq":
            word = self.new_name(items[0])
            number = number_of(self.source, items[1])
            if number is None:
                raise self.source.error(
                    items[1],
                    "a constant is a number",
                    "give its value, or declare a variable with MakeVariable",
                )
            self.constants[word] = number
            return
        if kind == "MakeAbstractStatement":
            self.abstract.add(self.new_name(items[0]))
        elif kind == "MakeAbstractBoolean":
            word = self.new_name(items[0])
            self.uniforms[word] = E.param(word, T.boolean)
        elif kind == "MakeAbstractExpression":
            word = self.new_name(items[0])
            self.uniforms[word] = E.param(word, self.type_of(items))
        else:
            buffer = self.variable(items)
            if kind == "MakeLocal":
                self.local[buffer.name] = items[0]

    def type_of(self, items: Sequence[HopsForm]) -> T.Type:
        """The type that a declaration names; i64 if it names none."""
        if len(items) < 2:
            return T.i64
        word = items[1].atom
        if word not in T.BY_NAME:
            hint = did_you_mean(word, T.BY_NAME) if word else None
            raise self.source.error(
                items[1],
                f"no type is called {word!r}" if word else "a type is a word",
                hint or f"one of {_TYPES}",
            )
        return T.BY_NAME[word]

    def variable(self, items: Sequence[HopsForm]) -> Buffer:
        """Declare a simple variable, or an array written as ``(a size)``."""
        first = items[0]
        if first.items is None:
            word, size = self.new_name(first), 1
        else:
            if len(first.items) != 2:
                raise self.source.error(first, "an array is declared by its name and size", "write (a 4096)")
            word = self.new_name(first.items[0])
            size = self.size(first.items[1])
            self.arrays.add(word)
        type_ = self.type_of(items)
        buffer = self.memory.get(word)
        if buffer is None or buffer.type is not type_ or buffer.size != size:
            buffer = Buffer(word, type_, size)
        self.variables[word] = buffer
        return buffer

    def size(self, form: HopsForm) -> int:
        """The size of an array: a whole number or a constant."""
        number = self.constants.get(form.atom) or number_of(self.source, form)
        if number is None or isinstance(number.value, float) or not 1 <= number.value < 1 << 48:
            raise self.source.error(form, "the size of an array is a whole number of at least 1")
        return number.value

    def new_name(self, form: HopsForm) -> str:
        """The name that a declaration gives; it must be one, and new."""
        word = form.atom
        why = W.why_no_name(word) if form.items is None else "a name is expected here"
        if why is not None:
            raise self.source.error(form, why, "choose another name")
        if word in self.given:
            raise self.source.error(form, f"{word!r} is declared a second time", "remove one declaration")
        self.given.add(word)
        return word

    def undeclared(self, form: HopsForm, word: str) -> TextError:
        """The error for a name that nothing declares."""
        why = W.why_no_name(word)
        if why is not None:
            return self.source.error(form, why if word else "a variable is expected here")
        array = form.items is not None
        hint = did_you_mean(word, [*self.variables, *self.uniforms, *self.constants])
        declare = f"write (MakeVariable {f'({word} size)' if array else word})"
        return self.source.error(
            form, f"{word!r} is not declared", f"{hint} or {declare}" if hint else declare
        )


def _unquoted(form: HopsForm) -> HopsForm:
    return form.items[1] if form.items and form.head == "quote" else form


_TYPES = ", ".join(T.BY_NAME)
_SHAPES = {
    "MakeVariable": "a variable and perhaps a type",
    "MakeLocal": "a variable and perhaps a type",
    "MakeAbstractStatement": "a name",
    "MakeAbstractBoolean": "a name",
    "MakeAbstractExpression": "a name and perhaps a type",
    "setq": "a name and a number",
}
_EXAMPLES = {
    "MakeVariable": "(MakeVariable x), (MakeVariable (a 4096)) or (MakeVariable (a 4096) f32)",
    "MakeLocal": "(MakeLocal x)",
    "MakeAbstractStatement": "(MakeAbstractStatement S1)",
    "MakeAbstractBoolean": "(MakeAbstractBoolean b1)",
    "MakeAbstractExpression": "(MakeAbstractExpression n)",
    "setq": "(setq LowGray 0)",
}
