"""White's HOPS as she used it: ``(setq try1 (MoveCode testprog))``, ``(time try1)`` (White, section 6.1).

A transcript is evaluated form by form. A name stands for a program or a number; a quoted form is a program, over the
variables that were declared before; a call is one of her functions, one of her heuristics, or a timer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from ...base.deep_stack import with_deep_stack
from ...base.errors import IrError, did_you_mean
from ...ir.nest import Kernel
from ...reasoning.machine import PAPER, CostModel
from ...reasoning.printed import printed_time
from ...reasoning.timer import Timer
from ..core.tactic import Tactic, run
from ..scripts.strategies import HEURISTICS
from . import words as W
from .forms import HopsForm, HopsSource
from .functions import FUNCTIONS
from .names import Names
from .numbers import number_of
from .reading import kernel_of
from .writing import write_block

Value = Kernel | float | str
_LIVE = ("RemoveDeadVars", "CompoundOptimize", "ForOptimize")
_HEURISTICS = ("DoAllProp", "PropagateAndSimplify", "BackPropagate", *_LIVE, "ForceLCJoin", "ForceMoveCode")


class Transcript:
    """Evaluates what is typed, and remembers what it named.

    Parameters: `machine` is the table of the timer, White's own if none is given.

    >>> hops = Transcript()
    >>> text = '''
    ... (MakeVariable 'x) (MakeVariable 'y)
    ... (setq testprog '(for x 1 10 ((:= y 1) (:= x (+ y x)))))
    ... (time testprog)
    ... (time (MoveCode testprog))
    ... '''
    >>> for answer in hops.evaluate(text)[3:]:
    ...     print(answer)
    71
    44
    """

    def __init__(self, machine: CostModel = PAPER) -> None:
        self.machine = machine
        self.values: dict[str, Value] = {}
        self.said: list[str] = []
        self._names = Names(HopsSource(""), {})

    def evaluate(self, text: str) -> list[str]:
        """The value of each form of a text, as it is shown; a call that changes nothing says why in a comment.

        Raises TextError, which names line and column and shows the place.
        """
        source = HopsSource(text)
        self._names = replace(self._names, source=source)
        shown: list[str] = []
        for form in source.forms():
            self.said = []
            value = self.value(form)
            shown.append("\n".join([_shown(value), *self.said]))
        return shown

    def value(self, form: HopsForm) -> Value:
        """The value of one form."""
        source = self._names.source
        items = form.items
        if items is None:
            number = number_of(source, form)
            if number is not None:
                return number.value
            if form.atom not in self.values:
                hint = did_you_mean(form.atom, self.values) or "name a program by (setq name '(...))"
                raise source.error(form, f"{form.atom!r} has no value", hint)
            return self.values[form.atom]
        head = form.head
        if head == "quote":
            return with_deep_stack(lambda: kernel_of(items[1:], self._fresh, "hops"))
        if head == "setq":
            return self.assigned(form, items)
        if head in W.DECLARATIONS:
            self._names.declare(form)
            return _name(items[1])
        calls: dict[str, Callable[[HopsForm, Sequence[HopsForm]], Value]] = {
            **dict.fromkeys(FUNCTIONS, self.transformed),
            **dict.fromkeys(_HEURISTICS, self.optimized),
            "time": self.timed,
            "SymbolicTime": self.timed,
        }
        if head not in calls:
            hint = did_you_mean(head, [*calls, *W.DECLARATIONS, "setq"])
            raise source.error(form, f"{head or 'a list'!r} is no function", hint or "put ' before a program")
        return calls[head](form, items[1:])

    def _fresh(self) -> Names:
        """The declared names once more, for one reading."""
        names = self._names
        return replace(
            names, variables=dict(names.variables), arrays=set(names.arrays), given=set(names.given)
        )

    def assigned(self, form: HopsForm, items: Sequence[HopsForm]) -> Value:
        """``(setq name value)``; a number is a constant for programs, too."""
        source = self._names.source
        if len(items) != 3 or not items[1].atom:
            raise source.error(form, "setq takes a name and a value", "write (setq try1 (MoveCode testprog))")
        value = self.value(items[2])
        if isinstance(value, float | int) and number_of(source, items[2]) is not None:
            if items[1].atom in self._names.constants:
                self._names.given.discard(items[1].atom)
            self._names.declare(form)
        self.values[items[1].atom] = value
        return value

    def program(self, form: HopsForm, operands: Sequence[HopsForm], most: int = 1) -> Kernel:
        """The program that a call is about."""
        source = self._names.source
        if not 1 <= len(operands) <= most:
            raise source.error(form, f"{form.head!r} takes one program", f"write ({form.head} testprog)")
        found = self.value(operands[0])
        if not isinstance(found, Kernel):
            raise source.error(operands[0], "this is no program", "quote it: '(:= x 1)")
        return found

    def transformed(self, form: HopsForm, operands: Sequence[HopsForm]) -> Kernel:
        """A transforming function."""
        outcome = FUNCTIONS[form.head](self.program(form, operands))
        if not outcome.applied:
            self.said.append(f"; {form.head} changes nothing: {outcome.why}")
        return outcome.kernel

    def optimized(self, form: HopsForm, operands: Sequence[HopsForm]) -> Kernel:
        """A heuristic; those that remove what is dead may be given the live variables, as ``'(h)``."""
        source = self._names.source
        kernel = self.program(form, operands, 2 if form.head in _LIVE else 1)
        tactic: Tactic = HEURISTICS[form.head]
        if form.head in _LIVE:
            live = _unquoted(operands[1]).items if len(operands) > 1 else None
            if len(operands) > 1 and live is None:
                raise source.error(operands[1], "the live variables are a list", "write '(h)")
            tactic = HEURISTICS[form.head](None if live is None else [f.atom for f in live])
        elif form.head == "BackPropagate":
            tactic = HEURISTICS[form.head]()
        try:
            return run(tactic, kernel).kernel
        except IrError as problem:
            raise source.error(form, str(problem)) from None

    def timed(self, form: HopsForm, operands: Sequence[HopsForm]) -> Value:
        """``(time program)``, a number, or ``(SymbolicTime program)``, as Figure 6.1 prints it."""
        body = self.program(form, operands).body
        return Timer(self.machine).cost(body) if form.head == "time" else printed_time(body)


def _unquoted(form: HopsForm) -> HopsForm:
    return form.items[1] if form.items and form.head == "quote" else form


def _name(form: HopsForm) -> str:
    plain = _unquoted(form)
    return plain.atom or plain.head


def _shown(value: Value) -> str:
    if isinstance(value, Kernel):
        return write_block(value.body)
    return value if isinstance(value, str) else f"{value:g}"
