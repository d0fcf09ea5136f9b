"""A session: a program, the moves made on it so far, and what can be asked of it. No terminal in here.

`pellucid hops` is the face of this model, and a saved session is a Python program that calls it. A change is made
whole or not at all: whatever is refused raises an error and leaves the session as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ...base.errors import InputError, IrError
from ...base.record import record
from ...ir.expr import Expr
from ...ir.facts import Facts
from ...ir.nest import Kernel, same
from ...ir.path import Path
from ...ir.text import print_nest
from ...reasoning.infer import extent
from ...reasoning.prove import Proved, Verdict
from ...reasoning.timer import kernel_cost
from ..core.ledger import Ledger, Step
from ..core.move import Move
from ..core.options import REQUIRED, checked, options, written
from ..core.registry import moves, named
from ..core.tactic import State, Tactic, make
from ..scripts.heuristics import heuristic
from ..scripts.search import Found, Seen, search
from .listing import TextPosition, place, places, whole

MAX_LOOKS = 60
"""Maximum moves that are tried in search of one that would make another possible."""


class RefusedError(IrError):
    """A step that is not licensed: the verdict says which clause failed."""

    def __init__(self, message: str, verdict: Verdict | None = None, *, place: str | None = None) -> None:
        super().__init__(message, place=place)
        self.verdict = verdict


@record
class MoveCall:
    """A request for a change: `try` a move at a statement, `do` a heuristic, `assume` something, or `search`."""

    verb: str
    name: str = ""
    where: int | None = None
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def __str__(self) -> str:
        """The line that asks for it."""
        where = [] if self.where is None else [str(self.where)]
        chosen = [f"{name}={written(value)}" for name, value in self.options.items()]
        if self.verb == "assume":
            chosen = ["..".join(map(written, self.options.values()))]
        return " ".join(word for word in (self.verb, self.name, *where, *chosen) if word)


@record
class Change:
    """One entry of the history: what asked for it, the states around it, the steps that were tried for it."""

    call: MoveCall
    old: State
    new: State
    steps: tuple[Step, ...]

    @property
    def applied(self) -> tuple[Step, ...]:
        """The steps that were made."""
        return tuple(s for s in self.steps if s.applied)

    @property
    def calls(self) -> tuple[MoveCall, ...]:
        """The requests for the same change again: itself, or the moves that a search has found."""
        if self.call.verb != "search":
            return (self.call,)
        return tuple(
            MoveCall("do", s.move)
            if s.path is None
            else MoveCall("try", s.move, place(s.old, s.path).number, s.options)
            for s in self.applied
        )


@record
class Offer:
    """A move that is licensed at a place, and what the timer says of the program before and after."""

    move: str
    place: TextPosition
    verdict: Proved
    before: float
    after: float

    @property
    def gain(self) -> float:
        """The cost before, divided by the cost after: above 1 is better."""
        return self.before / self.after if self.after else 1.0


@record
class WhyNot:
    """The answer to "why not": the verdict, where else the move is licensed, and what would license it here.

    `remedies` are moves after any one of which the asked one would be licensed at that statement.
    """

    move: Move
    place: TextPosition
    verdict: Verdict
    elsewhere: tuple[TextPosition, ...] = ()
    remedies: tuple[tuple[str, TextPosition], ...] = ()


@dataclass(slots=True)
class Session:
    r"""A program on its way, with its history.

    >>> from ...ir.parse import parse_nest
    >>> session = Session.of(parse_nest(
    ...     "kernel k(n: i32):\n  output a: i32[9]\n  for i in 0 .. n:\n    a[i] := 0\n"))
    >>> print(session.make("spread", "i", band=4).call)
    try spread 1 band=4
    >>> session.undo()
    1
    """

    original: State
    done: list[Change] = field(default_factory=list[Change])
    undone: list[Change] = field(default_factory=list[Change])

    @classmethod
    def of(cls, kernel: Kernel, ranges: Mapping[Expr, Facts] | None = None) -> Session:
        """A session that begins with a program; `ranges` is what its caller promises of its parameters."""
        return cls(State(kernel, ranges or {}, Ledger()))

    @property
    def state(self) -> State:
        """The program as it is now, with what is known of its parameters."""
        return self.done[-1].new if self.done else self.original

    @property
    def kernel(self) -> Kernel:
        """The program as it is now."""
        return self.state.kernel

    @property
    def ledger(self) -> Ledger:
        """Every step of the history, with those that heuristics tried in vain."""
        return Ledger([s for change in self.done for s in change.steps])

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps that were made; people count them from 1."""
        return tuple(s for change in self.done for s in change.applied)

    def step(self, number: int) -> Step:
        """A step that was made, counted from 1.

        Raises InputError if there is none of that number.
        """
        steps = self.steps
        if not 1 <= number <= len(steps):
            raise InputError(f"there is no step {number}", fix=_numbered("steps", len(steps)))
        return steps[number - 1]

    # ---- places and moves ----

    def places(self) -> list[TextPosition]:
        """Every statement of the program, numbered."""
        return places(self.kernel)

    def place(self, which: int | str | Path, move: Move | None = None) -> TextPosition:
        """The statement that a number, a name or a path means; with a move, preferably where that may be made."""
        among = frozenset(self.found(move)) if move is not None else None
        return place(self.kernel, which, among)

    def found(self, move: Move, **chosen: Any) -> list[Path]:
        """The sites at which a move is worth asking for."""
        return list(dict.fromkeys(move.find(self.kernel, ranges=self.state.ranges, **chosen)))

    def offers(self, move: str | None = None, where: int | str | Path | None = None) -> Iterator[Offer]:
        """The moves that are licensed, and where; all of them, or those of a name, or those at a place."""
        chosen = [named(move)] if move is not None else list(moves().values())
        path = None if where is None else self.place(where).path
        known = {p.path: p for p in (whole(self.kernel), *self.places())}
        before = kernel_cost(self.kernel)
        for m in chosen:
            if any(default is REQUIRED for default in options(m).values()):
                continue
            for found in self.found(m):
                if path is None or found == path:
                    state, step = self._tried(m, found)
                    if isinstance(step.verdict, Proved) and not same(state.kernel.body, self.kernel.body):
                        yield Offer(m.name, known[found], step.verdict, before, kernel_cost(state.kernel))

    def _tried(self, move: Move, path: Path, **chosen: Any) -> tuple[State, Step]:
        """The state after a move, and its step; this session is not changed."""
        state = replace(self.state, ledger=Ledger())
        new, _ = make(state, move, path, **chosen)
        return new, new.ledger.steps[-1]

    # ---- changes ----

    def make(self, move: str, where: int | str | Path | None = None, **chosen: Any) -> Change:
        """Make a move at a place, or at the first place where it is licensed.

        Raises RefusedError, with the verdict, if it is not licensed; InputError for a place or an option it does not
        know.
        """
        m = named(move)
        chosen = checked(m, self.kernel, chosen)
        if where is not None:
            at = self.place(where, m)
            state, step = self._tried(m, at.path, **chosen)
        else:
            at, state, step = self._first(m, **chosen)
        if not step.applied:
            raise RefusedError(str(step.verdict), step.verdict, place=f"{move} at {at.number} ({at.words})")
        return self._add(Change(MoveCall("try", move, at.number, chosen), self.state, state, (step,)))

    def _first(self, move: Move, **chosen: Any) -> tuple[TextPosition, State, Step]:
        refused: tuple[TextPosition, State, Step] | None = None
        for path in self.found(move, **chosen):
            state, step = self._tried(move, path, **chosen)
            if step.applied:
                return place(self.kernel, path), state, step
            refused = refused or (place(self.kernel, path), state, step)
        if refused is None:
            raise RefusedError(f"{move.name} finds no place in this program that is of its form")
        return refused

    def let(self, tactic: Tactic, call: MoveCall) -> Change:
        """Let a heuristic or a search do as it likes; `call` is what asks for it again.

        Raises RefusedError if it changes nothing.
        """
        state = tactic(replace(self.state, ledger=Ledger()))
        steps = tuple(state.ledger.steps)
        if _same(state.kernel, self.kernel):
            last = next((s for s in reversed(steps) if not s.applied), None)
            tried = (
                f"; of what it tried, the last was {last.move} at {last.site}: {last.verdict}" if last else ""
            )
            raise RefusedError(f"{call} finds nothing to change{tried}")
        return self._add(Change(call, self.state, state, steps))

    def do(self, name: str, where: int | str | Path | None = None, **chosen: Any) -> Change:
        """Let a heuristic choose moves; one that is about a statement is told where that is.

        Raises InputError for a name, a place or an option it does not know, RefusedError if it finds nothing to change.
        """
        at = None if where is None else self.place(where)
        tactic = heuristic(name).tactic(self.kernel, None if at is None else at.path, **chosen)
        return self.let(tactic, MoveCall("do", name, None if at is None else at.number, chosen))

    def search(
        self, *, progress: Callable[[Seen], None] | None = None, **limits: Any
    ) -> tuple[Change, Found]:
        """Look for the cheapest program that moves lead to; `limits` are those of `search.search`.

        Raises InputError for a limit that is none, RefusedError if nothing cheaper is found.
        """
        whole_ones = ("width", "depth", "programs")
        known = (*whole_ones, "seconds", "growth")
        for name, value in limits.items():
            if name not in known:
                raise InputError(f"a search has no limit {name!r}", fix=f"its limits: {', '.join(known)}")
            kind = int if name in whole_ones else int | float
            if isinstance(value, bool) or not isinstance(value, kind) or not value > 0:
                what = "a whole number" if name in whole_ones else "a number"
                raise InputError(f"{value!r} is no limit", place=name, fix=f"give {what} above 0")
        found = search(self.kernel, self.state.ranges, progress=progress, **limits)
        return self.let(
            lambda state: replace(found.state, ranges=state.ranges), MoveCall("search", options=limits)
        ), found

    def assume(self, name: str, low: float, high: float) -> Change:
        """Promise that a parameter, or a product of some such as ``w*h``, stays within [low, high].

        Raises InputError for a name that is no parameter, or for an empty range.
        """
        known = {str(p.attr): p for p in self.kernel.params}
        found = [known.get(word.strip()) for word in name.split("*")]
        sizes = [p for p in found if p is not None]
        if len(sizes) < len(found):
            raise InputError(
                f"the program has no parameter {name!r}", fix=f"it has {', '.join(known) or 'none'}"
            )
        if len(sizes) > 1 and not all(p.type.is_integer for p in sizes):
            raise InputError("a promise about a product is one about whole numbers", place=name)
        what = sizes[0] if len(sizes) == 1 else extent(sizes)
        if not (low <= high and what.type.low <= low and high <= what.type.high):
            raise InputError(f"{low} .. {high} is no range of {what.type} values", place=name)
        new = replace(self.state, ranges={**self.state.ranges, what: Facts(low, high)})
        call = MoveCall("assume", name, options={"low": low, "high": high})
        return self._add(Change(call, self.state, new, ()))

    def _add(self, change: Change) -> Change:
        self.done.append(change)
        self.undone.clear()
        return change

    # ---- time travel ----

    def undo(self, count: int = 1) -> int:
        """Take back the last changes, at most as many as there are; gives how many.

        Raises InputError if there is nothing to take back.
        """
        if not self.done:
            raise InputError("there is nothing to undo")
        for taken in range(count):
            if not self.done:
                return taken
            self.undone.append(self.done.pop())
        return count

    def redo(self, count: int = 1) -> int:
        """Make changes again that were taken back, at most as many as there are; gives how many.

        Raises InputError if there is nothing to make again.
        """
        if not self.undone:
            raise InputError("there is nothing to redo")
        for made in range(count):
            if not self.undone:
                return made
            self.done.append(self.undone.pop())
        return count

    def recheck(self) -> int:
        """Run every premise of the history again, and make every step again; gives how many steps.

        Raises IrError that names the step whose premise fails or whose result is not the one in the ledger.
        """
        ledger = self.ledger
        ledger.recheck()
        ledger.replay()
        return len(self.steps)

    # ---- questions ----

    def why_not(self, move: str, where: int | str | Path, **chosen: Any) -> WhyNot:
        """The verdict on a move at a place; if it is refused, also where else it is licensed, and what would help."""
        m = named(move)
        chosen = checked(m, self.kernel, chosen)
        at = self.place(where, m)
        verdict = m.check(self.kernel, at.path, ranges=self.state.ranges, **chosen)
        if isinstance(verdict, Proved):
            return WhyNot(m, at, verdict)
        elsewhere = tuple(
            place(self.kernel, path)
            for path in self.found(m, **chosen)
            if path != at.path
            and isinstance(m.check(self.kernel, path, ranges=self.state.ranges, **chosen), Proved)
        )
        return WhyNot(m, at, verdict, elsewhere, tuple(self._remedies(m, at.path, chosen)))

    def _remedies(
        self, move: Move, path: Path, chosen: Mapping[str, Any]
    ) -> Iterator[tuple[str, TextPosition]]:
        """The moves that would make a move possible at the statement that stands at a path now."""
        # Simplifying expressions leaves every statement where it is.
        simple = heuristic("simplify").tactic(self.kernel, None)(replace(self.state, ledger=Ledger())).kernel
        if isinstance(_check_quietly(move, simple, path, self.state.ranges, chosen), Proved):
            yield "simplify", whole(self.kernel)
            return
        left = MAX_LOOKS
        for m in moves().values():
            if m is move or any(default is REQUIRED for default in options(m).values()):
                continue
            for found in self.found(m):
                if left == 0:
                    return
                left -= 1
                if not isinstance(m.check(self.kernel, found, ranges=self.state.ranges), Proved):
                    continue
                applied = m.apply(self.kernel, found, ranges=self.state.ranges)
                new = applied.forward(path)
                if new is not None and isinstance(
                    _check_quietly(move, applied.kernel, new, self.state.ranges, chosen), Proved
                ):
                    yield m.name, place(self.kernel, found)


def _check_quietly(
    move: Move, kernel: Kernel, path: Path, ranges: Mapping[Expr, Facts], chosen: Mapping[str, Any]
) -> Verdict | None:
    """The verdict, or None where the forwarded path does not even lead to a statement."""
    try:
        return move.check(kernel, path, ranges=ranges, **chosen)
    except IrError:
        return None


def _same(a: Kernel, b: Kernel) -> bool:
    return a is b or print_nest(a) == print_nest(b)


def _numbered(what: str, count: int) -> str:
    return f"{what} are 1 to {count}" if count else f"there are no {what} yet"
