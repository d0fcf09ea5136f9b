"""Reads values: s-expressions become expressions of the core, with every bare number typed by its neighbors.

Used by `reading`. A loop's variable hides everything else of its name; a simple variable is the load of its buffer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from ...base.errors import IrError, did_you_mean
from ...ir import expr as E
from ...ir import types as T
from ...ir.expr import Buffer, Expr
from ...ir.verify import verify_iteration
from . import words as W
from .forms import HopsForm, HopsSource
from .names import Names
from .numbers import HopsNumber, literal, typed

Made = TypeVar("Made")
Scope = Mapping[str, Expr]
ZERO = E.const(0, T.i64)
_STATE = re.compile(r"@(\d{1,9})\.(\d{1,9}):(\w+)", re.ASCII)


@dataclass(slots=True)
class ValueReader:
    """Reads expressions over declared names, and notes the buffers that they load from."""

    names: Names
    used: dict[Buffer, None] = field(default_factory=dict[Buffer, None])
    states: int = 0
    """The bits of the states that statements around let values depend on."""

    @property
    def source(self) -> HopsSource:
        """The text that is read."""
        return self.names.source

    def build(self, form: HopsForm, make: Callable[[], Made]) -> Made:
        """The result of `make`, or its error with the place."""
        try:
            return make()
        except IrError as problem:
            raise self.source.error(form, str(problem)) from None

    def position(self, form: HopsForm, scope: Scope) -> Expr:
        """The position of a variable: 0 of a simple one, the index of an array reference."""
        if form.items is None:
            if form.atom in self.names.arrays:
                raise self.source.error(
                    form, f"{form.atom!r} is an array", f"say which element: ({form.atom} 0)"
                )
            return ZERO
        if form.head not in self.names.arrays:
            raise self.source.error(
                form, f"{form.head!r} is a simple variable", "write it without parentheses"
            )
        if len(form.items) != 2:
            raise self.source.error(form, f"an array takes one index, not {len(form.items) - 1}")
        found = self.typed_expression(form.items[1], scope, T.i64)
        if found.type not in (T.i32, T.i64):
            raise self.source.error(form.items[1], f"an index is an i64 or an i32, not a {found.type}")
        return found

    def typed_expression(self, form: HopsForm, scope: Scope, hint: T.Type) -> Expr:
        """An expression; a bare number takes the type that is wanted."""
        found = typed(self.source, self.expression(form, scope, hint), hint)
        self.whole(form, [found])
        return found

    def expression(self, form: HopsForm, scope: Scope, hint: T.Type | None) -> Expr | HopsNumber:
        """An expression, or a bare number whose type its neighbors decide.

        An explicit stack, since expressions nest deeply.
        """
        done: list[Expr | HopsNumber] = []
        stack: list[tuple[HopsForm, T.Type | None, Callable[[list[Expr | HopsNumber]], Any] | None, int]] = [
            (form, hint, None, 0)
        ]
        while stack:
            f, wanted, finish, count = stack.pop()
            if finish is not None:
                args = done[len(done) - count :]
                del done[len(done) - count :]
                self.whole(f, args)
                done.append(self.build(f, lambda finish=finish, args=args: finish(args)))
                continue
            if f.items is None:
                done.append(self.atom(f, scope))
                continue
            operands, hints, make = self.compound(f, f.items, wanted)
            stack.append((f, wanted, make, len(operands)))
            stack += [(o, h, None, 0) for o, h in zip(reversed(operands), reversed(hints), strict=True)]
        found = done[0]
        if isinstance(found, Expr) and E.in_iteration(found, self.states):
            raise self.source.error(form, "a state stands outside of its iteration")
        return found

    def whole(self, form: HopsForm, args: Sequence[Expr | HopsNumber]) -> None:
        """Refuse an iteration as an operand of anything but `get`."""
        if form.head != "get" and any(isinstance(a, Expr) and a.op == "iterate" for a in args):
            raise self.source.error(form, "an iteration has components", "write (get 0 (iterate ...))")

    def atom(self, form: HopsForm, scope: Scope) -> Expr | HopsNumber:
        """A number, a truth value or a name."""
        word = form.atom
        if word in ("true", "false"):
            return E.const(word == "true", T.boolean)
        if word in scope:
            return scope[word]
        if word in self.names.constants:
            return self.names.constants[word]
        if word in self.names.uniforms:
            return self.names.uniforms[word]
        if word in self.names.variables:
            self.position(form, scope)
            self.used[self.names.variables[word]] = None
            return E.load(self.names.variables[word], ZERO)
        number = literal(self.source, form)
        if number is not None:
            return number
        state = _STATE.fullmatch(word)
        if state is not None and state[3] in T.BY_NAME:
            return E.state(int(state[1]), int(state[2]), T.BY_NAME[state[3]])
        if word in self.names.abstract:
            raise self.source.error(form, f"{word!r} stands for a statement, not for a value")
        raise self.names.undeclared(form, word)

    def compound(
        self, form: HopsForm, items: Sequence[HopsForm], wanted: T.Type | None
    ) -> tuple[Sequence[HopsForm], Sequence[T.Type | None], Callable[[list[Expr | HopsNumber]], Expr]]:
        """The operands of a list, what types bare numbers in them take, and what makes an expression of them."""
        head = form.head
        operands = items[1:]
        if head in self.names.arrays:
            buffer = self.names.variables[head]
            self.used[buffer] = None
            if len(operands) != 1:
                raise self.source.error(form, f"an array takes one index, not {len(operands)}")
            return operands, [T.i64], lambda a: E.load(buffer, typed(self.source, a[0], T.i64))
        if head == "in":
            if len(operands) != 2 or len(operands[1].items or ()) != 2:
                raise self.source.error(form, "'in' has a value and a subrange", "write (in s (s1 s2))")
            return (operands[0], *(operands[1].items or ())), [None] * 3, self.inside
        if head in W.ITERATIONS:
            return (self.iteration if head == "iterate" else self.component)(form, operands)
        found = W.operator(head, len(operands), None)
        if found is None:
            return self.no_operator(form, items)
        row = found[0]
        if row.arity != len(operands):
            raise self.source.error(form, f"{head!r} takes {row.arity} operands, not {len(operands)}")
        hints = [wanted if row.result == letter else None for letter in row.letters]
        return operands, hints, lambda a: self.apply(head, a, wanted)

    def iteration(self, form: HopsForm, operands: Sequence[HopsForm]) -> Any:
        """``(iterate depth (s ...) (s ...) b limit)``: its starts, its steps, its test, and how many steps at most."""
        if len(operands) != 5 or not operands[1].items or not operands[2].items:
            raise self.source.error(
                form, "an iteration has five parts", "write (iterate 0 (s ...) (s ...) b limit)"
            )
        depth = self.small(operands[0])
        init, step = operands[1].items, operands[2].items

        def make(args: list[Expr | HopsNumber]) -> Expr:
            values = [typed(self.source, a, None) for a in args[: len(init)]]
            steps = [
                typed(self.source, a, v.type) for a, v in zip(args[len(init) : -2], values, strict=False)
            ]
            stop, limit = typed(self.source, args[-2], T.boolean), typed(self.source, args[-1], T.i32)
            node = E.iterate(values, steps, stop, limit, depth)[0].args[0]
            verify_iteration(node)
            return node

        if len(init) != len(step):
            raise self.source.error(form, "an iteration needs as many steps as values that it starts with")
        return (*init, *step, *operands[3:]), [*[None] * (2 * len(init)), T.boolean, T.i32], make

    def component(self, form: HopsForm, operands: Sequence[HopsForm]) -> Any:
        """``(get k (iterate ...))``: a component of what an iteration ends with."""
        if len(operands) != 2 or operands[1].head != "iterate":
            raise self.source.error(
                form, "'get' has a number and an iteration", "write (get 0 (iterate ...))"
            )
        position = self.small(operands[0])

        def make(args: list[Expr | HopsNumber]) -> Expr:
            (node,) = args
            assert isinstance(node, Expr)  # noqa: S101 - an iteration
            if position >= node.attr[1]:
                raise self.source.error(operands[0], f"there is no component {position}")
            return E.get(node, position)

        return operands[1:], [None], make

    def small(self, form: HopsForm) -> int:
        """A whole number of few digits."""
        if not re.fullmatch(r"\d{1,9}", form.atom, re.ASCII):
            raise self.source.error(form, "a whole number is expected here")
        return int(form.atom)

    def no_operator(self, form: HopsForm, items: Sequence[HopsForm]) -> Any:
        """The error for a list that is no expression."""
        head = form.head
        if head in self.names.variables:
            raise self.source.error(form, f"{head!r} is a simple variable", "write it without parentheses")
        if not head:
            raise self.source.error(form, "an operator or an array is expected after the parenthesis")
        if head in W.STATEMENTS:
            raise self.source.error(form, "a statement stands where a value is expected")
        hint = (
            did_you_mean(head, [*W.words(), *self.names.arrays])
            or f"an array is declared by (MakeVariable ({head} size))"
        )
        raise self.source.error(items[0], f"{head!r} is neither an operator nor an array", hint)

    def inside(self, args: list[Expr | HopsNumber]) -> Expr:
        """``(in s (s1 s2))``: s1 <= s and s <= s2."""
        known = next((a.type for a in args if isinstance(a, Expr)), None)
        s, low, high = (typed(self.source, a, known) for a in args)
        return E.apply("and", E.apply("le", low, s), E.apply("le", s, high))

    def apply(self, word: str, args: list[Expr | HopsNumber], wanted: T.Type | None) -> Expr:
        """An operator on operands, once the types of bare numbers are decided."""
        kinds = [a.type if isinstance(a, Expr) else None for a in args]
        kind = next((k for k in kinds if k is not None), wanted)
        if kind is None and any(isinstance(a, HopsNumber) and isinstance(a.value, float) for a in args):
            kind = T.f32
        found = W.operator(word, len(args), kind)
        assert found is not None  # noqa: S101 - `compound` has looked
        row, attr, swapped = found
        made = [
            typed(self.source, a, W.literal_type(letter, row, kinds, wanted))
            for a, letter in zip(args, row.letters, strict=True)
        ]
        return E.apply(row.name, *(reversed(made) if swapped else made), attr=attr)

    def condition(self, form: HopsForm, scope: Scope) -> Expr:
        """A boolean expression."""
        found = self.typed_expression(form, scope, T.boolean)
        if found.type is not T.boolean:
            raise self.source.error(
                form, f"a condition is a bool, not a {found.type}", "compare it: (<> s 0)"
            )
        return found
