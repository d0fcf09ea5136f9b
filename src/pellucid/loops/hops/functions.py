"""White's transforming functions by their names (White, section 6.1), each one or two of the moves of `loops.moves`.

A function takes a program and gives one back; the program it was given stays as it is, and what is not legal changes
nothing and says why.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from ...base.errors import IrError, did_you_mean
from ...base.record import record
from ...ir.expr import Expr
from ...ir.facts import Facts
from ...ir.nest import Alloc, Kernel
from ...ir.path import Path
from ..core.ledger import Ledger
from ..core.move import Move
from ..core.registry import named
from ..core.tactic import State, make
from ..scripts.strategies import statement_simplify

MAX_STATEMENTS = 1000
"""Statements that one call takes out of loops, at most."""


@record
class Outcome:
    """The result of a function: the program after it, or the same program, and the ledger of the attempts."""

    kernel: Kernel
    ledger: Ledger

    @property
    def applied(self) -> bool:
        """Whether anything was changed."""
        return any(step.applied for step in self.ledger.steps)

    @property
    def why(self) -> str:
        """Why nothing was changed; empty if something was."""
        if self.applied:
            return ""
        return str(self.ledger.steps[0].verdict) if self.ledger.steps else "there was nothing to be done"


@record
class HopsFunction:
    """One of White's functions.

    moves    the moves that it makes: the first that is proved.
    pair     whether it is about the first two statements, and about no others.
    inside   whether its place is a statement in a loop, and not one of the program's own.
    again    whether it is made as often as it can be.
    options  what its moves are told.

    Call it with a kernel, and with a path to have it made at that place alone:

    >>> from . import read, write_block
    >>> before = read("(MakeVariable x) (MakeVariable y) (for x 1 10 ((:= y 1) (:= x (+ y x))))")
    >>> after = function("MoveCode")(before)
    >>> print(write_block(after.kernel.body))
    ((:= y 1)
     (for x 1 10 (:= x (+ y x))))
    >>> same = function("LCJoin")(after.kernel)
    >>> same.kernel is after.kernel, bool(same.why)
    (True, True)
    """

    name: str
    doc: str
    moves: tuple[str, ...]
    pair: bool = False
    inside: bool = False
    again: bool = False
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def __call__(
        self,
        kernel: Kernel,
        path: Path | None = None,
        *,
        ranges: Mapping[Expr, Facts] | None = None,
        **more: Any,
    ) -> Outcome:
        """The program after it; `more` are options of its moves."""
        state = State(kernel, ranges or {}, Ledger())
        if not self.moves:
            state = statement_simplify(state)
            return Outcome(
                state.kernel if Outcome(state.kernel, state.ledger).applied else kernel, state.ledger
            )
        for _ in range(MAX_STATEMENTS if self.again else 1):
            after = self._once(state, path, {**self.options, **more})
            if after is None:
                break
            state = after
        return Outcome(state.kernel, state.ledger)

    def _once(self, state: State, path: Path | None, options: Mapping[str, Any]) -> State | None:
        found = [
            (move, site) for move in map(named, self.moves) for site in self._sites(move, state.kernel, path)
        ]
        if not found and state.kernel.body:
            # Asked about some statement, a move says what it is missing.
            found = [(named(self.moves[0]), _first(state.kernel))]
        for move, site in found:
            after, done = make(state, move, site, **options)
            if done:
                return after
        return None

    def _sites(self, move: Move, kernel: Kernel, path: Path | None) -> list[Path]:
        """The sites at which it may be made: the program's own statements, or those of its loops."""
        if path is not None:
            return [path]
        first = _first(kernel)
        depth = len(first) + self.inside
        found = sorted(
            p for p in move.find(kernel, **self.options) if len(p) == depth and p[:-1] >= first[:-1]
        )
        return [p for p in found if p == first] if self.pair else found


def _first(kernel: Kernel) -> Path:
    """The first statement, inside of the memory that is the program's own."""
    path: Path = ((0, 0),)
    body = kernel.body
    while len(body) == 1 and isinstance(body[0], Alloc):
        path, body = (*path, (0, 0)), body[0].body
    return path


def function(name: str) -> HopsFunction:
    """The function of that name.

    Raises IrError if there is none.
    """
    if name not in FUNCTIONS:
        raise IrError(
            f"no function is called {name!r}",
            fix=did_you_mean(name, FUNCTIONS) or f"one of {', '.join(FUNCTIONS)}",
        )
    return FUNCTIONS[name]


_TABLE = (
    HopsFunction("Interchange", "Interchange the first two statements.", ("interchange",), pair=True),
    HopsFunction(
        "InterchangeWithSubstitution",
        "Interchange the first two statements, substituting what the first assigns.",
        ("interchange_with_substitution",),
        pair=True,
    ),
    HopsFunction(
        "InterchangeWithBackSubstitution",
        "Interchange the first two statements, the second of which copies a variable.",
        ("interchange_with_back_substitution",),
        pair=True,
    ),
    HopsFunction("LoopUnroll", "Unroll the last iteration of a loop.", ("unroll",), options={"end": "last"}),
    HopsFunction(
        "AbsorbIn", "Absorb a statement after or before an if into it.", ("absorb_after", "absorb_before")
    ),
    HopsFunction("AbsorbIn1", "Absorb a statement after an if into it.", ("absorb_after",)),
    HopsFunction("AbsorbIn2", "Absorb a statement before an if into it.", ("absorb_before",)),
    HopsFunction(
        "ExtractOut", "Take a statement out of both branches of an if.", ("extract_after", "extract_before")
    ),
    HopsFunction(
        "ExtractOut1", "Take a statement out of both branches, to after the if.", ("extract_after",)
    ),
    HopsFunction(
        "ExtractOut2", "Take a statement out of both branches, to before the if.", ("extract_before",)
    ),
    HopsFunction(
        "AbsorbWithSubstitution",
        "Absorb an assignment before an if, substituting in the condition.",
        ("absorb_with_substitution",),
    ),
    HopsFunction("IfSplit", "Divide an if-then-else into two if-thens.", ("split_if",)),
    HopsFunction("LoopInterchange", "Interchange two nested loops.", ("interchange_loops",)),
    HopsFunction("LoopJoin", "Join two loops with the same range.", ("join_loops",)),
    HopsFunction("LoopSplit", "Split a loop into two with the same range.", ("split_loop",), inside=True),
    HopsFunction(
        "MoveCode", "Move what a loop does not change to before it.", ("move_code",), inside=True, again=True
    ),
    HopsFunction(
        "LCJoin", "Join a loop with the conditional in it, altering its bounds.", ("join_conditional",)
    ),
    HopsFunction("StatementSimplify", "Simplify wherever a look at one statement shows how.", ()),
)
FUNCTIONS: Mapping[str, HopsFunction] = {f.name: f for f in _TABLE}
"""White's functions by name."""
