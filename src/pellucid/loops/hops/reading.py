"""Reads White's s-expressions (White, section 6.1, Table 6.1): forms become a kernel of `ir.nest`.

Integers are i64 unless a type is said. A simple variable becomes a buffer of one element, an inclusive upper bound a
half-open one. A loop variable is unique and never assigned: the paper allows a program to assign it and gives that no
effect on the loop (definition 3.5.3), so here the assigned one is a variable and the loop's own gets another name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ...base.deep_stack import with_deep_stack
from ...base.errors import did_you_mean
from ...ir import expr as E
from ...ir import nest as N
from ...ir import types as T
from ...ir.bits import state_bits
from ...ir.expr import Buffer, Expr
from . import words as W
from .forms import HopsForm, HopsSource
from .names import Names
from .numbers import number_of, typed
from .values import Scope, ValueReader

MAX_BLOCKS = 2000
"""Statements within statements that are read; values nest to any depth."""


def read(
    text: str,
    *,
    name: str = "hops",
    live: Iterable[str] | None = None,
    memory: Mapping[str, Buffer] | None = None,
) -> N.Kernel:
    """The kernel of a program: its outputs are the variables that it assigns, in the order of their declarations.

    Parameters: `live` names the variables whose final values are wanted, if not all are; the others become local.
    `memory` gives buffers by name, so that the very same ones are used; they need no declaration.
    Raises TextError, which names line and column and shows the place.

    >>> kernel = read("(MakeVariable x) (MakeVariable y) (for x 1 10 ((:= y 1) (:= x (+ y x))))")
    >>> from pellucid.ir.text import print_nest
    >>> print(print_nest(kernel))
    kernel hops():
      output x: i64[1]
      output y: i64[1]
      for x__2: i64 in 1:i64 .. 11:i64:
        y[0:i64] := 1:i64
        x[0:i64] := y[0:i64] + x__2
    """
    source = HopsSource(text)
    return with_deep_stack(lambda: kernel_of(source.forms(), lambda: Names(source, memory or {}), name, live))


def kernel_of(
    forms: Sequence[HopsForm], names: Callable[[], Names], name: str, live: Iterable[str] | None = None
) -> N.Kernel:
    """The kernel of forms over names that are declared already, or by the forms."""
    reader = _Reader(names())
    kernel = reader.kernel(forms, name, live)
    clashing = {b.name for b in reader.values.used} & reader.loops
    return _Reader(names(), clashing).kernel(forms, name, live) if clashing else kernel


@dataclass(slots=True)
class _Reader:
    """One pass over a program; `taken` are names that no loop variable may have."""

    names: Names
    taken: set[str] = field(default_factory=set[str])
    stored: set[Buffer] = field(default_factory=set[Buffer])
    loops: set[str] = field(default_factory=set[str])
    again: dict[str, int] = field(default_factory=dict[str, int])
    depth: int = 0
    values: ValueReader = field(init=False)

    def __post_init__(self) -> None:
        """Values are read over the same names."""
        self.values = ValueReader(self.names)

    @property
    def source(self) -> HopsSource:
        """The text that is read."""
        return self.names.source

    def kernel(self, forms: Sequence[HopsForm], name: str, live: Iterable[str] | None) -> N.Kernel:
        """The whole program: declarations first, wherever they stand."""
        statements: list[HopsForm] = []
        for form in forms:
            if form.head in W.DECLARATIONS:
                self.names.declare(form)
            else:
                statements.append(form)
        body = tuple(s for form in statements for s in self.statement(form, {}))
        wanted = None if live is None else set(live)
        for word in sorted((wanted or set()) - set(self.names.variables)):
            raise self.source.error(
                0, f"the live variable {word!r} is not declared", f"write (MakeVariable {word})"
            )
        outputs: list[Buffer] = []
        private: list[Buffer] = []
        for word, buffer in self.names.variables.items():
            if buffer in self.stored:
                own = word in self.names.local or (wanted is not None and word not in wanted)
                (private if own else outputs).append(buffer)
            elif word in self.names.local and buffer in self.values.used:
                raise self.source.error(
                    self.names.local[word], f"the local variable {word!r} never gets a value"
                )
        if private:
            body = (N.Alloc({b: E.const(b.size, T.i64) for b in private}, body),)
        found = set(E.params(N.all_roots(body)))
        return N.Kernel(
            name, tuple(p for p in self.names.uniforms.values() if p in found), tuple(outputs), body
        )

    def statement(self, form: HopsForm, scope: Scope) -> N.Block:
        """The statements of one form."""
        if self.depth == MAX_BLOCKS:
            raise self.source.error(form, f"statements are nested more than {MAX_BLOCKS} deep")
        self.depth += 1
        found = self.shallow(form, scope)
        self.depth -= 1
        return found

    def shallow(self, form: HopsForm, scope: Scope) -> N.Block:
        """The statements of one form, whose depth was counted."""
        items = form.items
        if items is None:
            if form.atom in self.names.abstract:
                return (N.Abstract(form.atom),)
            raise self.source.error(
                form,
                f"{form.atom!r} is no statement",
                f"to stand for one, write (MakeAbstractStatement {form.atom})",
            )
        if not items:
            return ()
        head = form.head
        if not head or head in self.names.abstract:
            return tuple(s for item in items for s in self.statement(item, scope))
        if head in W.DECLARATIONS:
            raise self.source.error(
                form, "a declaration stands outside of all statements", "move it to the top"
            )
        reads = {
            ":=": self.assignment,
            "for": self.loop,
            "if": self.branch,
            "while": self.turns,
            "local": self.allocation,
            "lanes": self.way,
            "spread": self.way,
            "grid": self.way,
            "place": self.place,
            "repeat": self.repeated,
            "select": self.selected,
            "once": self.once,
        }
        if head not in reads:
            hint = did_you_mean(head, reads) or f"a statement begins with one of {', '.join(W.STATEMENTS)}"
            raise self.source.error(items[0], f"{head!r} begins no statement", hint)
        shape, least, most = _STATEMENT_SHAPES[head]
        if not least <= len(items) - 1 <= most:
            raise self.source.error(form, f"{head!r} has {len(items) - 1} parts", f"write {shape}")
        return (reads[head](form, items[1:], scope),)

    def assignment(self, form: HopsForm, items: Sequence[HopsForm], scope: Scope) -> N.Store:
        """``(:= v s)``; assigning a loop variable assigns the variable of that name."""
        target = items[0]
        word = target.atom or target.head
        if word not in self.names.variables:
            if word in scope:
                fix = f"if a variable of that name is meant, write (MakeVariable {word})"
                raise self.source.error(target, f"{word!r} belongs to its loop and cannot be assigned", fix)
            if word in self.names.given:
                raise self.source.error(target, f"{word!r} is no variable and cannot be assigned")
            raise self.names.undeclared(target, word)
        buffer = self.names.variables[word]
        position = self.values.position(target, scope)
        value = self.values.typed_expression(items[1], scope, buffer.type)
        if value.type is not buffer.type:
            raise self.source.error(
                items[1], f"a {value.type} does not go into {buffer!r}", f"write (convert.{buffer.type} ...)"
            )
        self.values.used[buffer] = None
        self.stored.add(buffer)
        return N.Store(buffer, position, value)

    def loop(self, form: HopsForm, items: Sequence[HopsForm], scope: Scope) -> N.For:
        """``(for x s1 s2 S)``, where s2 is the last value of x."""
        word = items[0].atom
        why = "a loop variable is a name" if not word else W.why_no_name(word)
        if why is None and (
            word in self.names.arrays or word in self.names.uniforms or word in self.names.constants
        ):
            why = f"{word!r} is no simple variable"
        if why is not None:
            raise self.source.error(items[0], why, "choose another name")
        bounds = [self.values.expression(f, scope, T.i64) for f in items[1:3]]
        known = next((b.type for b in bounds if isinstance(b, Expr) and b.type.is_integer), T.i64)
        lo, last = (typed(self.source, b, known) for b in bounds)
        for e, f in ((lo, items[1]), (last, items[2])):
            if not e.type.is_integer:
                raise self.source.error(
                    f, f"a bound is an integer, not a {e.type}", "write (to_integer.i64 ...)"
                )
        if last.type is not lo.type:
            raise self.source.error(
                items[2], f"the bounds differ in type: {lo.type} and {last.type}", "convert one"
            )
        if last.op == "const" and last.attr == last.type.high:
            raise self.source.error(
                items[2], f"the last value of a loop is below {last.type.high}", "use a smaller one"
            )
        index = E.index(self.index_name(word), lo.type)
        body = self.statement(items[3], {**scope, word: index})
        return N.For(index, lo, W.beyond(last), body)

    def index_name(self, word: str) -> str:
        """A name for a loop's own variable that no other loop has."""
        count = self.again.get(word, 1)
        name = word if count == 1 else f"{word}__{count}"
        while name in self.loops or name in self.taken:
            count += 1
            name = f"{word}__{count}"
        self.again[word] = count
        self.loops.add(name)
        return name

    def branch(self, form: HopsForm, items: Sequence[HopsForm], scope: Scope) -> N.If:
        """``(if b S1 S2)``, where S2 may be left out."""
        condition = self.values.condition(items[0], scope)
        return N.If(
            condition,
            self.statement(items[1], scope),
            self.statement(items[2], scope) if len(items) > 2 else (),
        )

    def turns(self, form: HopsForm, items: Sequence[HopsForm], scope: Scope) -> N.While:
        """``(while b S)``: a loop of which nobody knows at entry when it ends."""
        return N.While(self.values.condition(items[0], scope), self.statement(items[1], scope))

    def allocation(self, form: HopsForm, items: Sequence[HopsForm], scope: Scope) -> N.Alloc:
        """``(local x S)`` or ``(local (a size type) S)``: memory for a statement only."""
        parts = list(items[0].items or [items[0]])
        if len(parts) > 3:
            raise self.source.error(
                items[0], "a local array has a name, a size and a type", "write (local (t 16 f32) S)"
            )
        word = self.names.new_name(parts[0])
        size = self.values.typed_expression(parts[1], scope, T.i64) if len(parts) > 1 else E.const(1, T.i64)
        if not size.type.is_integer:
            raise self.source.error(parts[1], f"a size is an integer, not a {size.type}")
        known = size.op == "const"
        if known and size.attr < 1:
            raise self.source.error(parts[1], "the size of an array is a whole number of at least 1")
        type_ = self.names.type_of(parts[1:])
        # Memory of a size that only the run knows is checked where it is asked for.
        buffer = Buffer(word, type_, size.attr if known else int(T.i32.high))
        self.names.variables[word] = buffer
        if len(parts) > 1:
            self.names.arrays.add(word)
        body = self.statement(items[1], scope)
        del self.names.variables[word]
        self.names.arrays.discard(word)
        self.names.given.discard(word)
        return N.Alloc({buffer: size}, body)

    def value(self, form: HopsForm, scope: Scope) -> Expr:
        """A value by itself."""
        return typed(self.source, self.values.expression(form, scope, None), None)

    def place(self, form: HopsForm, items: Sequence[HopsForm], scope: Scope) -> N.Let:
        """``(place s)``: where a value is computed."""
        found = self.value(items[0], scope)
        self.values.whole(items[0], [found])
        return N.Let(found)

    def repeated(self, form: HopsForm, items: Sequence[HopsForm], scope: Scope) -> N.Repeat:
        """``(repeat (iterate ...) S)``: where an iteration is computed, with places for what its steps need."""
        found = self.value(items[0], scope)
        if found.op != "iterate":
            raise self.source.error(items[0], "'repeat' is followed by an iteration")
        around = self.values.states
        self.values.states |= state_bits(found.attr[0])
        body = self.statement(items[1], scope)
        self.values.states = around
        return N.Repeat(found, body)

    def once(self, form: HopsForm, items: Sequence[HopsForm], scope: Scope) -> N.Once:
        """``(once n (s ...) S)``: places that are computed when they are first reached, in the n innermost loops."""
        across = self.values.small(items[0])
        kept = tuple(self.value(f, scope) for f in items[1].items or ())
        return N.Once(across, kept, self.statement(items[2], scope))

    def selected(self, form: HopsForm, items: Sequence[HopsForm], scope: Scope) -> N.If:
        """``(select b S1 S2 (if b s1 s2))``: places for the sides of choices on one condition."""
        condition = self.values.condition(items[0], scope)
        then, orelse = (self.statement(f, scope) for f in items[1:3])
        selects = tuple(self.value(f, scope) for f in items[3:])
        for p, f in zip(selects, items[3:], strict=True):
            if p.op != "choose" or p.args[0] is not condition:
                raise self.source.error(
                    f, "'select' is about choices on its own condition", "write (if b s1 s2)"
                )
        return N.If(condition, then, orelse, selects)

    def way(self, form: HopsForm, items: Sequence[HopsForm], scope: Scope) -> N.For:
        """``(lanes n S)``, ``(spread n S)`` or ``(grid n S)``: how a loop runs."""
        number = number_of(self.source, items[0])
        inner = self.statement(items[1], scope)
        if number is None or isinstance(number.value, float) or not 1 <= number.value < 1 << 31:
            raise self.source.error(items[0], "a whole number of at least 1 is expected here")
        if len(inner) != 1 or not isinstance(inner[0], N.For):
            raise self.source.error(items[1], f"{form.head!r} is followed by a loop")
        loop = inner[0]
        return N.For(loop.index, loop.lo, loop.hi, loop.body, N.How(form.head, number.value))


_STATEMENT_SHAPES = {
    ":=": ("(:= v s)", 2, 2),
    "for": ("(for x s1 s2 S), with several statements as (S1 S2)", 4, 4),
    "if": ("(if b S1 S2)", 2, 3),
    "while": ("(while b S)", 2, 2),
    "local": ("(local x S)", 2, 2),
    "lanes": ("(lanes 16 (for x s1 s2 S))", 2, 2),
    "spread": ("(spread 8 (for x s1 s2 S))", 2, 2),
    "grid": ("(grid 32 (for x s1 s2 S))", 2, 2),
    "place": ("(place s)", 1, 1),
    "repeat": ("(repeat (iterate ...) S)", 2, 2),
    "once": ("(once 1 (s ...) S)", 3, 3),
    "select": ("(select b S1 S2 (if b s1 s2))", 4, 1 << 30),
}
