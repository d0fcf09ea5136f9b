"""A root program by every tier: the machine says what it means, and the others give that value, memory or refusal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar, NamedTuple

import numpy as np

from pellucid.base.errors import BackendError, InputError, StagingError
from pellucid.driver.codes import compile_code
from pellucid.staging import Memory
from pellucid.staging.root.lowering import lowered
from pellucid.staging.root.machine import run
from pellucid.staging.root.nests import nest, parameters
from pellucid.staging.root.primitives import PRIMITIVES
from pellucid.staging.root.program import Pair, RootCode
from pellucid.staging.root.sets import INTEGERS
from pellucid.staging.root.tables import TableMemory

MAX_JUMPS = 3000
_REFUSALS = {"large": "more than 64 bits", "endless": "no end after", "full": "more pairs live"}
"""Refusals of their own, by what they say."""
UNTOLD = ("endless", "large")
"""Outcomes of the machine that other tiers need not have."""


class Call(NamedTuple):
    """What a program is called with: values, the kind of each, the memory `m`, and the words that it begins with."""

    args: Sequence[Any]
    kinds: Sequence[str | Memory]
    memory: Memory
    words: np.ndarray[Any, Any]


class Result(NamedTuple):
    """What a call gave or how it was refused, and the words that it left."""

    outcome: tuple[str, Any]
    words: np.ndarray[Any, Any]

    def demand(self, found: Result, tier: str) -> None:
        """Raise the error of a result that should be this one."""
        assert found.outcome == self.outcome, f"{tier}: {found.outcome} and not {self.outcome}"
        assert (found.words == self.words).all(), f"{tier}: other words in memory"


class Plain:
    """A value that compares by its parts; a part that many pairs share is looked at once."""

    _numbers: ClassVar[dict[Any, int]] = {}
    """Of what is in a value, the number that equal parts of all values have."""

    def __init__(self, value: Any) -> None:
        self.value = value
        self.number = self._number(value)

    def _number(self, value: Any) -> int:
        known: dict[int, int] = {}
        waiting = [value]
        while waiting:
            one = waiting[-1]
            halves = (one.car, one.cdr) if isinstance(one, Pair) else ()
            unknown = [half for half in halves if id(half) not in known]
            if unknown:
                waiting += unknown
                continue
            waiting.pop()
            if isinstance(one, Pair):
                key: Any = one.closure, known[id(one.car)], known[id(one.cdr)]
            else:
                key = type(one).__name__, one.name if isinstance(one, RootCode) else repr(one)
            known[id(one)] = self._numbers.setdefault(key, len(self._numbers))
        return known[id(value)]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Plain) and self.number == other.number

    def __hash__(self) -> int:
        return self.number

    def __repr__(self) -> str:
        return self._told(self.value, 6)

    def _told(self, value: Any, deep: int) -> str:
        if not isinstance(value, Pair):
            return value.name if isinstance(value, RootCode) else repr(value)
        if not deep:
            return "..."
        kind = "closure" if value.closure else "cons"
        return f"({kind} {self._told(value.car, deep - 1)} {self._told(value.cdr, deep - 1)})"


def outcome(call: Any) -> Any:
    """What a call gives, or the class of its refusal."""
    try:
        return "value", Plain(call())
    except InputError as error:
        return ("full" if "an arena" in str(error) else "outside"), None
    except StagingError as error:
        return next((word for word in _REFUSALS if _REFUSALS[word] in str(error)), "refused"), None


@contextmanager
def small_numbers() -> Generator[None]:
    """While the machine runs, products and shifts that are far too large for all others are refused at once."""
    usual = {name: PRIMITIVES[name] for name in ("*", "<<")}

    def bounded(meaning: Any) -> Any:
        def bounded_meaning(one: Any, other: Any) -> Any:
            made = meaning(one, other)
            if isinstance(made, int) and abs(made) >> 4000:
                raise StagingError("more than 64 bits")
            return made

        return bounded_meaning

    try:
        PRIMITIVES.update({name: row._replace(meaning=bounded(row.meaning)) for name, row in usual.items()})
        yield
    finally:
        PRIMITIVES.update(usual)


def meant(code: RootCode, call: Call) -> Result:
    """The result by the machine."""
    words = call.words.copy()
    data = Memory(call.memory.name, call.memory.word, words)
    args = [data if kind is call.memory else one for one, kind in zip(call.args, call.kinds, strict=True)]
    with small_numbers():
        return Result(outcome(lambda: run(code, *args, memories={"m": data}, most=MAX_JUMPS)), words)


def compare(
    code: RootCode, call: Call, expected: Result, arena: int, tiers: Sequence[str] = ("quick", "llvm", "nest")
) -> Counter[str]:
    """Run a program by each tier that it has: counts of these; raises where a result is not the expected one."""
    counts = Counter[str]()
    for tier in tiers:
        if tier == "nest":
            if (
                all(kind in ("integer", call.memory) for kind in call.kinds)
                and expected.outcome[0] == "value"
                and not counts["large"]
            ):
                counts += _by_nest(code, call, expected)
            continue
        try:
            made = compile_code(code, *call.kinds, memories={"m": call.memory}, tier=tier, arena=arena)
        except (StagingError, BackendError):
            counts[f"no {tier}"] += 1
            continue
        words = call.words.copy()
        args = [
            words if kind is call.memory else one for one, kind in zip(call.args, call.kinds, strict=True)
        ]
        found = Result(
            outcome(lambda made=made, args=args, words=words: made(*args, memories={"m": words})), words
        )
        if found.outcome[0] in ("large", "full"):
            counts[found.outcome[0]] += 1
            continue
        expected.demand(found, tier)
        counts[tier] += 1
    return counts


def _by_nest(code: RootCode, call: Call, expected: Result) -> Counter[str]:
    """Compare the nest, run by its interpreter, where there is one."""
    given = [INTEGERS if kind == "integer" else call.memory for kind in call.kinds]
    try:
        form = lowered(code, given, memories={"m": call.memory})
        residual = nest(form, code.params[1:])
    except StagingError:
        return Counter({"no nest": 1})
    words = call.words.copy()
    values = dict(zip(parameters(code.params[1:]), call.args, strict=True))
    arrays = {
        name: memory.data if isinstance(memory, TableMemory) else words
        for name, memory in residual.memories.items()
    }
    found = residual(arrays, **{p.attr: values[p.attr] for p in residual.kernel.params})
    expected.demand(Result(("value", Plain(found)), words), "nest")
    return Counter({"nest": 1})
