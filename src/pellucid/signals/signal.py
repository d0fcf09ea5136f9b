"""Signals: a diagram and the state it is in; what comes out of it, what comes next, whether it has ended.

A signal is a value: `next` gives another one. It is made of numbers and nodes only, so that a loop over signals can be
specialized, and what is left of it are the numbers that move (Draves 1997, figure "sig").
"""

from __future__ import annotations

import functools
import itertools
import operator
from collections.abc import Callable, Hashable
from dataclasses import field
from typing import Any, cast

import numpy as np

from ..base.errors import InputError, brief
from ..base.kinds import FUNCTION, instance, refuse, takes, whole
from ..base.operators import Arithmetic, Comparison, Equality
from ..base.record import record
from ..base.source_location import caller
from ..ir import prim
from ..ir import types as T
from ..staging import Dynamic, Real, equals, lift, loop, require
from ..staging.ufuncs import by_operator
from ..staging.value import NUMBER, Staged
from ..tracing import tracer
from .keys import function_key, number_key
from .node import SignalNode, States, Tick, copied, reached

_python: Any = operator
MAX_TAKEN = 1 << 31
"""Samples that plain Python computes at once, which would take an hour."""
_ROWS = {
    "add": _python.add, "sub": _python.sub, "mul": _python.mul, "div": _python.truediv,
    "lt": _python.lt, "le": _python.le, "eq": _python.eq, "ne": _python.ne,
}  # fmt: skip
MAX_POWER = 64
"""The exponents up to which a power is a product."""


@record(eq=False, slots=False)
class Signal(Arithmetic["Signal"], Comparison["Signal"], Equality["Signal"]):
    """Samples, one after another: integers or real numbers. Arithmetic on signals is arithmetic on their samples.

    So are order and equality, `abs`, `**` and the operators of pellucid: `x > 0.5`, `x == 3`, `abs(x)`, `x ** 2`,
    `pl.min(x, y)`, `pl.sin(x)`.

    >>> from pellucid import signals as sg
    >>> (sg.count() * 2 + 1).take(3)
    [1, 3, 5]
    >>> import pellucid as pl
    >>> pl.min(abs(sg.count(-2)) ** 2, 3).take(4)
    [3, 1, 0, 1]
    """

    node: SignalNode
    states: States = field(default_factory=dict[SignalNode, Any])

    # ---- the four of the paper ----

    def get(self) -> Any:
        """The first sample."""
        return Tick(self.states).sample(self.node)

    def put(self, value: Any) -> None:
        """Store the first sample.

        Raises InputError for a signal that is not in memory.
        """
        self.node.store(self.states.get(self.node), value)

    def next(self) -> Signal:
        """The signal without its first sample.

        A delay line is one thing in memory: a signal that has one must not be used any more after its `next`.
        """
        return Signal(self.node, Tick(self.states).next())

    def endp(self) -> Any:
        """Whether there are no samples. True of signals without an end, so that a conjunction asks the others."""
        ended: Any = True
        for node, state in self.states.items():
            ended = node.ended(state) & ended
        return ended

    # ---- and a few more ----

    def step(self) -> tuple[Any, Signal]:
        """The first sample, and the signal without it."""
        tick = Tick(self.states)
        return tick.sample(self.node), Signal(self.node, tick.next())

    @takes(count=whole(0, MAX_TAKEN))
    def take(self, count: int) -> list[Any]:
        """The first `count` samples, computed by plain Python; the signal itself stays where it is.

        Raises InputError where it ends before, or a signal in memory that it is made of.
        """
        signal, found = self.fresh(), list[Any]()
        while len(found) < count:
            left = min((n for n in (signal.left(), signal.reach()) if n is not None), default=None)
            if left is not None and left <= 0:
                place, _ = caller()
                raise InputError(
                    f"the signal has {len(found)} samples, not {count}", place=place, fix="take fewer"
                )
            x, signal = signal.step()
            found.append(x)
        return found

    def left(self) -> int | None:
        """The number of samples until all of its sources have ended; None if none of them ends."""
        return max((n for k, s in self.states.items() if (n := k.left(s)) is not None), default=None)

    def reach(self) -> int | None:
        """The number of samples until a signal in memory ends; None if there is none."""
        return min((n for k, s in self.states.items() if (n := k.reach(s)) is not None), default=None)

    def fresh(self) -> Signal:
        """The same signal with memory of its own for its delay lines."""
        return Signal(self.node, {n: n.fresh(s) for n, s in self.states.items()})

    def lifted(self) -> Signal:
        """The same signal, of which nothing is known that moves from sample to sample but how it lies in memory."""
        return _lifted(self)[0]

    # ---- arithmetic ----

    def _combined(self, row: str, one: Any, other: Any) -> Signal:
        """A row of the samples, as Python has it."""
        return _combined(_ROWS[row], one, other)

    def __floordiv__(self, other: Any) -> Signal:
        """The quotient of integers, rounded down."""
        return _combined(_python.floordiv, self, other)

    def __mod__(self, other: Any) -> Signal:
        """The remainder of integers."""
        return _combined(_python.mod, self, other)

    def __rshift__(self, other: Any) -> Signal:
        """Integers shifted down."""
        return _combined(_python.rshift, self, other)

    def __lshift__(self, other: Any) -> Signal:
        """Integers shifted up."""
        return _combined(_python.lshift, self, other)

    def __and__(self, other: Any) -> Signal:
        """Bits of both."""
        return _combined(_python.and_, self, other)

    def __neg__(self) -> Signal:
        """The opposite."""
        return mapped(_python.neg, self)

    def __abs__(self) -> Signal:
        """The magnitude."""
        return self.__call_row__("abs", (self,))

    def __pow__(self, other: Any) -> Signal:
        """The power: a product for a whole exponent of 0 to 64, which integers have too, otherwise `pl.pow`."""
        if isinstance(other, int) and not isinstance(other, bool) and 0 <= other <= MAX_POWER:
            return mapped(_power(other), self)
        return _combined(_row("pow"), self, other)

    def __rpow__(self, other: Any) -> Signal:
        """The power, by `pl.pow`."""
        return _combined(_row("pow"), other, self)

    def __call_row__(self, name: str, args: tuple[Any, ...]) -> Signal:
        """A row of the operator table on the samples: so `pl.sin` takes signals."""
        return mapped(_row(name), *args)

    def __bool__(self) -> bool:
        """Refuse: a signal is no truth, which Python's own `if`, `min` and `max` ask for."""
        place, line = caller()
        raise InputError(
            f"a signal decides Python's own control flow in {line!r}",
            place=place,
            fix="use sg.where, pl.min or pl.max",
        )

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        """Python's own operator where one side is a number of NumPy; other functions of NumPy are refused."""
        found = by_operator(ufunc, method, inputs, options)
        if found is NotImplemented:
            place, _ = caller()
            name = ufunc.__name__
            raise InputError(
                f"numpy.{name} is asked of a signal",
                place=place,
                fix=f"use pl.{name}"
                if name in prim.table()
                else "use operators of Python, and a Recording for an array",
            )
        return found


SIGNAL = instance("a signal", Signal)


class ConstantSignal(SignalNode):
    """A source of one sample for ever, which is its state."""

    name = "constant"

    def sample(self, tick: Tick) -> Any:
        """The sample."""
        return tick.states[self]

    def key(self, state: Any) -> Hashable:
        """The sample."""
        return number_key(state)

    def rewired(self, inputs: tuple[SignalNode, ...]) -> SignalNode:
        """Another source."""
        return ConstantSignal()


class Mapped(SignalNode):
    """A function of the samples of some signals."""

    name = "map"

    def __init__(self, function: Callable[..., Any], inputs: tuple[SignalNode, ...]) -> None:
        self.function, self.inputs = function, inputs

    def sample(self, tick: Tick) -> Any:
        """The result of the function on the samples."""
        return self.function(*(tick.sample(i) for i in self.inputs))

    def key(self, state: Any) -> Hashable:
        """The function."""
        return function_key(self.function)

    def rewired(self, inputs: tuple[SignalNode, ...]) -> SignalNode:
        """The same function of others."""
        return Mapped(self.function, inputs)


def as_signal(given: Any) -> Signal:
    """A signal itself, or the signal without an end of one number.

    Raises InputError for anything else.
    """
    if isinstance(given, Signal):
        return given
    number = _python_number(given)
    if not isinstance(number, int | float | Staged):
        place, _ = caller()
        raise InputError(
            f"{brief(given)} is not a signal",
            place=place,
            fix="give a signal, or a number for a constant one",
        )
    node = ConstantSignal()
    return Signal(node, {node: _in_64_bits(number)})


def as_number(sample: Any, what: str) -> Any:
    """A sample that is a number or a truth.

    Raises InputError for anything else; `what` tells who asks.
    """
    if not isinstance(sample, int | float | Staged):
        place, _ = caller()
        raise InputError(
            f"a sample is {brief(sample)}, and {what} takes numbers",
            place=place,
            fix="give a number, or return one from the function that is mapped",
        )
    return sample


def as_initial(number: Any, what: str) -> Any:
    """A number that a node begins with, which `what` is given.

    Raises InputError for anything else, and for an integer of more than 64 bits.
    """
    return _in_64_bits(as_number(_python_number(number), what))


def _python_number(given: Any) -> Any:
    return cast("Any", given).item() if isinstance(given, np.generic) else given


def _in_64_bits(number: Any) -> Any:
    if isinstance(number, int) and not T.i64.low <= number <= T.i64.high:
        place, _ = caller()
        raise InputError(f"{brief(number)} is not a number of 64 bits", place=place, fix="give a smaller one")
    return number


def type_of(number: Any) -> T.Type:
    """The type of a number, staged or not.

    >>> type_of(0.5), type_of(True), type_of(3)
    (f64, bool, i64)
    """
    if isinstance(number, float | Real):
        return T.f64
    return T.boolean if isinstance(number, bool | Dynamic) else T.i64


def mapped(function: Callable[..., Any], *signals: Any) -> Signal:
    """A function of the samples of some signals, as a signal."""
    nodes, states = joined(*(as_signal(s) for s in signals))
    node = Mapped(function, nodes)
    return Signal(node, states)


@functools.cache
def _row(name: str) -> Callable[..., Any]:
    """A row of the operator table as a function of samples: one function for each, so that equal nodes are found."""
    return lambda *samples: tracer.call(name, *samples)


def _power(exponent: int) -> Callable[[Any], Any]:
    def power(x: Any) -> Any:
        # By squaring, from the lowest bit of the exponent up.
        found: Any = None
        for k in range(exponent.bit_length()):
            x = x * x if k else x
            if exponent >> k & 1:
                found = x if found is None else found * x
        return 1 if found is None else found

    return power


def _combined(function: Callable[..., Any], a: Any, b: Any) -> Any:
    if not all(isinstance(x, Signal | int | float | Staged) for x in (a, b)):
        return NotImplemented
    return mapped(function, a, b)


def joined(*signals: Signal) -> tuple[tuple[SignalNode, ...], States]:
    """Some signals as parts of one diagram: what they have in common is there once.

    What is in two different states is there twice; raises InputError where it cannot be.
    """
    states: States = {}
    nodes: list[SignalNode] = []
    for signal in signals:
        roots, own = (signal.node,), signal.states
        if any(n in states and states[n] is not s and not _alike(states[n], s) for n, s in own.items()):
            place, _ = caller()
            roots, own = copied(roots, own, place)
        nodes.extend(roots)
        states.update(own)
    return tuple(nodes), states


def _alike(a: Any, b: Any) -> bool:
    """Whether two states are surely one and the same."""
    from ..staging.same import canonical, flatten

    x, y = canonical(flatten(a).leaves), canonical(flatten(b).leaves)
    return x.key == y.key and x.origins == y.origins and x.values == y.values


def together(*signals: Signal) -> Signal:
    """Some signals as one, whose samples are tuples of theirs."""
    return mapped(_as_tuple, *signals)


def _as_tuple(*samples: Any) -> tuple[Any, ...]:
    return samples


# ---- what empties signals ----


@takes(source=SIGNAL, target=SIGNAL)
def copy(source: Signal, target: Signal) -> None:
    """Store the samples of one signal as those of another, in memory; it ends when both do, and both are as long.

    Raises InputError for signals that are not: at the call of the residual program if that is known then.

    >>> import numpy as np
    >>> from pellucid import signals as sg
    >>> data, out = np.array([1, 2, 3], np.uint32), np.zeros(3, np.uint32)
    >>> words, others = sg.Memory("words", 32, data), sg.Memory("others", 32, out)
    >>> copy(sg.memory(words, 0, 96, 32, 32) + 10, sg.memory(others, 0, 96, 32, 32))
    >>> out
    array([11, 12, 13], dtype=uint32)
    """

    def done(s: Signal, t: Signal) -> Any:
        return s.endp() & t.endp()

    def step(s: Signal, t: Signal) -> Any:
        x, s = s.step()
        t.put(x)
        return s, t.next()

    _of_one_length(source, target)
    loop(done, step, *_lifted(source, target))


def _lifted(*signals: Signal) -> tuple[Signal, ...]:
    """Signals that go on together, of which nothing is known that moves but how they lie in memory.

    Where one of them ends at run time all do, so that what is known of an end does not lead beyond it.
    """
    known = all(n.known_end(state) for s in signals for n, state in s.states.items())
    gone = None if known else lift(0)
    return tuple(Signal(s.node, {n: n.lifted(x, gone) for n, x in s.states.items()}) for s in signals)


def _of_one_length(*signals: Signal) -> None:
    """Refuse signals in memory that do not end at one tick."""
    spans = [span for s in signals for node, state in s.states.items() for span in node.spans(state)]
    for (one, stride), (other, step) in itertools.pairwise(spans):
        require(
            equals(one * step, other * stride),
            "the signals in memory have different numbers of samples",
            place=f"{caller()[0]}: signals",
            fix="let all of them stop after as many",
        )


@takes(signal=SIGNAL, operation=FUNCTION)
def reduce(signal: Signal, value: Any, operation: Callable[[Any, Any], Any]) -> Any:
    """The samples of a signal combined from the left, beginning with a value.

    Raises InputError for a signal that has no end, or of parts in memory that do not end together.

    >>> import numpy as np
    >>> from pellucid import signals as sg
    >>> reduce(sg.memory(sg.Memory("m", 32, np.array([0x04030201], np.uint32)), 0, 32, 8, 8), 0, lambda a, b: a + b)
    10
    """
    if all(type(n).ended is SignalNode.ended for n in reached([signal.node])):
        place, _ = caller()
        raise InputError("the signal has no end", place=place, fix="combine it with one that has")

    def done(s: Signal, r: Any) -> Any:
        return s.endp()

    def step(s: Signal, r: Any) -> Any:
        x, s = s.step()
        return s, operation(r, x)

    _of_one_length(signal)
    if not isinstance(value, tuple) and not NUMBER.test(value):
        refuse(NUMBER, value, "reduce: value")
    # A structure, such as a tuple of samples, is known as it is.
    start = cast("Any", value if isinstance(value, tuple) else lift(value))
    return loop(done, step, signal.lifted(), start)[1]
