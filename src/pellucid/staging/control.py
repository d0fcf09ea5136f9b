"""Control that waits for run time: `loop`, `choose`, `fork`, `dynamic_call`, `set_base`, `require`.

Unstaged each of them is a line of Python. Staged, a loop is unrolled until its test is dynamic, and what comes back to
the same static part closes it (Draves 1997, the `loop` of Simple; 1996, the dynamic-conditional heuristic). What a
program asks of the residues of its dynamic integers, such as positions within a word, is found out by trying.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ..base.kinds import FUNCTION, TEXT, refuse, takes, whole
from ..ir import types as T
from ..ir.expr import const
from .folding import opposite
from .loop_specializer import LoopSpecializer
from .merges import cases, join
from .points import DynamicCall, Fork, as_state
from .session import Fault, current
from .value import INTEGER, NUMBER, Cyclic, Dynamic, integer


def choose(condition: Any, then: Callable[[], Any], orelse: Callable[[], Any]) -> Any:
    """The result of one of two functions; where the condition is dynamic both are specialized, and the results joined.

    >>> choose(3 > 2, lambda: "yes", lambda: "no")
    'yes'
    """
    _check_choice("choose", condition, then, orelse)
    session = current()
    if not isinstance(condition, Dynamic):
        return then() if condition else orelse()
    assert session is not None  # noqa: S101 - only sessions make dynamic values
    return join(session, [(condition, then), (True, orelse)])


def fork(condition: Any, then: Callable[[], Any], orelse: Callable[[], Any]) -> Any:
    """As `choose`, as the last thing that a step of a loop does: the arms go on apart, each with its own static part.

    >>> fork(False, lambda: 1, lambda: 2)
    2
    """
    _check_choice("fork", condition, then, orelse)
    if not isinstance(condition, Dynamic):
        return then() if condition else orelse()
    return Fork(condition, then, orelse)


def _check_choice(word: str, condition: object, then: object, orelse: object) -> None:
    if not NUMBER.test(condition):
        refuse(NUMBER, condition, f"{word}: condition")
    for name, arm in (("then", then), ("orelse", orelse)):
        if not callable(arm):
            refuse(FUNCTION, arm, f"{word}: {name}")


def dynamic_call(*state: Any) -> Any:
    """The next state of a loop, from which it goes on by a jump: what follows is not specialized in place.

    It stops the unrolling of what never comes to the same static part again (1997, "Irregular Data Layout", ``d@``).

    >>> dynamic_call(8, 0)
    (8, 0)
    """
    bare = state[0] if len(state) == 1 else state
    return bare if current() is None else DynamicCall(bare)


@takes(value=INTEGER, base=whole(1), then=FUNCTION)
def set_base(value: Any, base: int, then: Callable[[Any], Any]) -> Any:
    """Go on with an integer whose remainder modulo `base` is static, by cases where it is not yet.

    Loops do this by themselves; this is for bases that only the programmer knows to be good.

    >>> set_base(7, 4, lambda i: i % 4)
    3
    """
    session = current()
    if session is None or isinstance(value, int):
        return then(value)
    splits = [(q, base // math.gcd(b, base)) for q, b in value.terms]

    def known() -> Any:
        found = integer(value.terms, value.remainder)
        if isinstance(found, Cyclic):
            session.kept.update(q for q, _ in found.terms)
        return then(found)

    return cases(session, splits, known)


@takes(condition=NUMBER, message=TEXT, place=TEXT, fix=TEXT)
def require(condition: Any, message: str, *, place: str, fix: str) -> None:
    """Refuse to go on where a condition does not hold: now, or at the call of the residual program if it is dynamic.

    Raises InputError of that message, place and fix.

    >>> require(7 % 2 == 0, "7 is odd", place="halves", fix="give an even number")
    Traceback (most recent call last):
        ...
    pellucid.base.errors.InputError: halves: 7 is odd; give an even number
    """
    session, fault = current(), Fault(message, place, fix)
    if isinstance(condition, Dynamic):
        assert session is not None  # noqa: S101 - only sessions make dynamic values
        session.block.extend(session.guard(opposite(condition.expr), fault))
    elif not condition:
        if session is None or not session.nested:
            raise fault.error()
        # Whether the program comes here is known at run time.
        session.block.extend(session.guard(const(value=True, type_=T.boolean), fault))


@takes(done=FUNCTION, step=FUNCTION)
def loop(done: Callable[..., Any], step: Callable[..., Any], *state: Any) -> Any:
    """The first state for which `done` holds, from `state` on by `step`; one value, or a tuple of several.

    `done` and `step` take the state as their arguments; `step` returns as many. Parameters of `step` name the state in
    errors. Raises StagingError when specializing it does not end.

    >>> loop(lambda n, s: n == 0, lambda n, s: (n - 1, s + n), 4, 0)
    (0, 10)
    """
    session = current()
    if session is None:
        while not done(*state):
            state = as_state(step(*state), len(state))
        return state if len(state) != 1 else state[0]
    return LoopSpecializer(session, done, step, len(state)).run(state)
