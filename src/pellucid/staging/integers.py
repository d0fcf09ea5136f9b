"""Questions about integers that ask for no cases: whether one divides another, whether two are equal; and `lift`.

Beside `value`, whose `%` and `==` make a loop split residues where that would make the answer static.
"""

from __future__ import annotations

from typing import Any

from ..base.kinds import refuse, takes
from .folding import node, number
from .session import current
from .value import INTEGER, NUMBER, Dynamic, expression, of


@takes(by=INTEGER, value=INTEGER)
def divides(by: Any, value: Any) -> Any:
    """Whether one integer divides another, static or not; unlike `%` it asks for no cases.

    >>> divides(4, 12), divides(5, 12), divides(0, 12)
    (True, False, False)
    """
    if isinstance(by, int):
        if by == 0 or isinstance(value, int):
            return by != 0 and value % by == 0
        if all(b % by == 0 for _, b in value.terms):
            return value.remainder % by == 0
    one, other = expression(by), expression(value)
    rest = node("eq", node("mod", other, one), number(0))
    return Dynamic(rest if isinstance(by, int) else node("and", node("ne", one, number(0)), rest))


@takes(a=INTEGER, b=INTEGER)
def equals(a: Any, b: Any) -> Any:
    """Whether two integers are equal, static or not; unlike `==` it asks for no cases.

    >>> equals(3, 3), equals(3, 4)
    (True, False)
    """
    difference = a - b
    if isinstance(difference, int):
        return difference == 0
    return Dynamic(node("eq", expression(a), expression(b)))


def lift(value: Any) -> Any:
    """Forget what is known of a number: it becomes a dynamic value with a place of its own. Unstaged, the value itself.

    What a loop changes from turn to turn and that is not to be unrolled is lifted before it (1997, `power`). An
    interpreter in Python may lift any value.

    >>> lift(3)
    3
    """
    session = current()
    if session is None or (isinstance(value, Dynamic) and not value.expr.type.is_float):
        return value
    if not NUMBER.test(value):
        refuse(NUMBER, value, "lift: value")
    return of(session.named("lifted", expression(value)))
