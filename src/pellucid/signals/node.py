"""Nodes of block diagrams, and their samples at one tick.

The bottom of `signals`. A node is static: its kind, and the nodes it is wired to. The numbers that it keeps from one
sample to the next are its state, which a `Signal` has beside the diagram. At one tick each node is evaluated once, for
all wires that lead from it, so that a diagram is a graph and never a tree.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable
from typing import Any

from ..base.errors import InputError
from ..base.source_location import caller
from ..staging import lift
from ..tracing.session import as_compiled
from .keys import number_key

States = dict["SignalNode", Any]


class SignalNode(ABC):
    """A node. `inputs` are the nodes it is wired to; `now` those whose present sample its own sample needs.

    Nodes are equal only to themselves, which makes them static for the specializer.
    """

    inputs: tuple[SignalNode, ...] = ()
    name = "node"
    owned = False
    """Whether its state is one thing in memory, of which there are no two copies."""
    leads_back = False
    """Whether it is wired only after what it leads to."""

    @property
    def now(self) -> tuple[SignalNode, ...]:
        """The inputs whose present sample is needed for this one's."""
        return self.inputs

    def __repr__(self) -> str:
        """The name of its kind."""
        return self.name

    @abstractmethod
    def sample(self, tick: Tick) -> Any:
        """The sample at a tick."""

    def needs(self) -> tuple[SignalNode, ...]:
        """The inputs whose present sample its next state needs."""
        return ()

    def next(self, tick: Tick) -> Any:
        """The state after a tick."""
        return tick.states[self]

    def ended(self, state: Any) -> Any:
        """Whether there are no more samples, as far as this node alone knows; nodes without an end say true."""
        return True

    def left(self, state: Any) -> int | None:
        """The number of samples that are left, or None without an end; needs a known state."""
        return None

    def reach(self, state: Any) -> int | None:
        """The number of samples until the memory of a source ends, or None for any number."""
        return None

    def spans(self, state: Any) -> Iterable[tuple[Any, Any]]:
        """The distances that must be whole numbers of steps, each with its step: those of signals in memory."""
        return ()

    def numbers(self, state: Any) -> tuple[Any, ...]:
        """The numbers of the state that change from sample to sample."""
        return ()

    def with_numbers(self, state: Any, numbers: tuple[Any, ...]) -> Any:
        """The state with other such numbers."""
        return state

    def known_end(self, state: Any) -> bool:
        """Whether it is known now after how many samples it ends."""
        return True

    def lifted(self, state: Any, gone: Any) -> Any:
        """The state, of whose numbers that move nothing is known; `gone` samples on where one count moves several."""
        return self.with_numbers(state, tuple(lift(x) for x in self.numbers(state)))

    def key(self, state: Any) -> Hashable | None:
        """What tells it from nodes of its kind on the same inputs whose samples may differ; None equals nothing."""
        return None

    def fresh(self, state: Any) -> Any:
        """The state with memory of its own, where it is one thing in memory."""
        return state

    def store(self, state: Any, value: Any) -> None:
        """Overwrite the sample; most nodes refuse."""
        place, _ = caller()
        raise InputError(
            f"a sample is put into a {self}", place=place, fix="only signals in memory are written to"
        )

    @abstractmethod
    def rewired(self, inputs: tuple[SignalNode, ...]) -> SignalNode:
        """A node of the same kind on other inputs."""


class Carrying(SignalNode):
    """A node whose state is one number, which moves from sample to sample."""

    def key(self, state: Any) -> Hashable:
        """The number."""
        return number_key(state)

    def numbers(self, state: Any) -> tuple[Any, ...]:
        """The number."""
        return (state,)

    def with_numbers(self, state: Any, numbers: tuple[Any, ...]) -> Any:
        """Another one."""
        return numbers[0]


class Later(SignalNode):
    """A node whose sample is an earlier one of its input, so that a diagram may have cycles."""

    @property
    def now(self) -> tuple[SignalNode, ...]:
        """Nothing."""
        return ()

    def needs(self) -> tuple[SignalNode, ...]:
        """The input whose sample is the next state."""
        return self.inputs


class Tick:
    """The samples of all nodes of a diagram for given states; each node is evaluated once."""

    __slots__ = ("_samples", "states")

    def __init__(self, states: States) -> None:
        self.states = states
        self._samples: dict[SignalNode, Any] = {}

    def sample(self, node: SignalNode) -> Any:
        """The sample of a node."""
        # Diagrams may be longer than Python calls may be deep.
        stack = [node]
        while stack:
            one = stack[-1]
            missing = [] if one in self._samples else [i for i in one.now if i not in self._samples]
            if missing:
                stack.extend(missing)
                continue
            stack.pop()
            if one not in self._samples:
                with as_compiled():
                    self._samples[one] = one.sample(self)
        return self._samples[node]

    def next(self) -> States:
        """The states of the next tick."""
        # All samples first: a node may write to memory that another reads.
        for node in self.states:
            for needed in node.needs():
                self.sample(needed)
        with as_compiled():
            return {node: node.next(self) for node in self.states}


def reached(roots: Iterable[SignalNode], *, now: bool = False) -> list[SignalNode]:
    """All nodes from which some are reached, in a fixed order, or only those whose present sample they need.

    >>> from pellucid.signals.signal import ConstantSignal
    >>> reached([ConstantSignal()])
    [constant]
    """
    found: dict[SignalNode, None] = {}
    stack = [*reversed([*roots])]
    while stack:
        node = stack.pop()
        if node not in found:
            found[node] = None
            stack.extend(reversed(node.now if now else node.inputs))
    return list(found)


def copied(roots: tuple[SignalNode, ...], states: States, what: str) -> tuple[tuple[SignalNode, ...], States]:
    """A copy of a diagram with its states.

    Raises InputError where something in it cannot be there twice.
    """
    for node in states:
        if node.owned:
            raise InputError(
                f"the {node} is needed at two different moments",
                place=what,
                fix="give each its own, or combine signals that have gone equally far",
            )
    new: dict[SignalNode, SignalNode] = {}
    order = reached(roots)
    loops = [n for n in order if n.leads_back]
    # Wires that lead back are wired last.
    new.update((n, n.rewired(())) for n in loops)

    def ready(node: SignalNode) -> bool:
        return all(i in new for i in node.inputs)

    waiting = [n for n in reversed(order) if n not in new]
    while waiting:
        rest = [n for n in waiting if not ready(n)]
        new.update((n, n.rewired(tuple(new[i] for i in n.inputs))) for n in waiting if ready(n))
        waiting = rest
    for node in loops:
        new[node].inputs = tuple(new[i] for i in node.inputs)
    return tuple(new[r] for r in roots), {new[n]: s for n, s in states.items()}
