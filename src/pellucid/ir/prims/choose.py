"""The conditional expression: the one operator that is lazy in meaning, only the chosen arm being evaluated."""

from __future__ import annotations

import numpy as np

from ..facts import Facts
from ..prim import Prim
from ..types import Type


def _choose_facts(_: Type, __: tuple[Type, ...], condition: Facts, then: Facts, orelse: Facts) -> Facts:
    if condition.lo == 1:
        return then
    return orelse if condition.hi == 0 else then.union(orelse)


ROWS = (
    Prim(
        "choose",
        "x if the condition holds, else y; the other is not evaluated.",
        "B T T -> T",
        ref=np.where,
        facts=_choose_facts,
        llvm={"any": "select {B} {0}, {R} {1}, {R} {2}"},
        c={"any": "({0} ? {1} : {2})"},
        zero_sign="pass",
    ),
)
