"""The conditional expression: the one operator that is lazy in meaning, only the chosen arm being evaluated."""

from __future__ import annotations

import numpy as np

from ..facts import Facts
from ..intervals.interval import Choice, Endpoints, Interval, whole
from ..intervals.notation import choose, maximum, minimum
from ..prim import Prim
from ..types import Type, boolean


def _choose_facts(_: Type, __: tuple[Type, ...], condition: Facts, then: Facts, orelse: Facts) -> Facts:
    if condition.lo == 1:
        return then
    return orelse if condition.hi == 0 else then.union(orelse)


def _choose_interval(t: Type, condition: Interval, then: Interval, orelse: Interval) -> Endpoints:
    must, may = condition
    if t is boolean:
        return (then.lo | ~may) & (orelse.lo | must), (then.hi & may) | (orelse.hi & ~must)
    # What is surely not chosen stands at the other end of everything.
    low, high = whole(t)
    return (
        minimum(choose(may, then.lo, high), choose(must, high, orelse.lo)),
        maximum(choose(may, then.hi, low), choose(must, low, orelse.hi)),
    )


def _choose_choices(condition: Interval, _: Interval, __: Interval) -> tuple[Choice | None, ...]:
    return None, Choice(condition.lo, True), Choice(~condition.hi, True)


ROWS = (
    Prim(
        "choose",
        "x if the condition holds, else y; the other is not evaluated.",
        "B T T -> T",
        ref=np.where,
        facts=_choose_facts,
        llvm={"any": "select {B} {0}, {R} {1}, {R} {2}"},
        c={"any": "({0} ? {1} : {2})"},
        glsl={"any": "({0} ? {1} : {2})"},
        wgsl={"any": "select({2}, {1}, {0})"},
        interval=_choose_interval,
        choices=_choose_choices,
        zero_sign="pass",
    ),
)
