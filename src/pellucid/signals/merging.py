"""Merging: nodes of a diagram that surely have equal samples for ever become one node.

Value numbering on the diagram, as for what has no cycle (Cocke and Schwartz 1970): two nodes are one where their kinds,
their numbers or functions, and the nodes they are wired to are. A wire that leads back is equal only to itself, so that
equal loops stay apart.
"""

from __future__ import annotations

from collections.abc import Hashable

from .node import SignalNode, States, reached
from .signal import Signal


def merged(signal: Signal) -> Signal:
    """The same signal, in whose diagram equal nodes are one; the diagram that was given stays as it is.

    >>> from pellucid import signals as sg
    >>> noise = sg.noise()
    >>> len(merged(sg.delay(noise, 9) + 0.5 * sg.delay(noise, 9)).states)
    4
    """
    found: dict[SignalNode, SignalNode] = {}
    known: dict[Hashable, SignalNode] = {}
    states: States = {}
    loops = [n for n in reached([signal.node]) if n.leads_back]
    for node in loops:
        found[node] = node.rewired(())
    for node in _in_order(signal.node):
        inputs = tuple(found[i] for i in node.inputs)
        own = node.key(signal.states.get(node))
        key = None if own is None else (type(node), own, inputs)
        new = known.get(key) if key is not None else None
        if new is None:
            new = node if inputs == node.inputs else node.rewired(inputs)
            if key is not None:
                known[key] = new
            if node in signal.states:
                states[new] = signal.states[node]
        found[node] = new
    for node in loops:
        found[node].inputs = tuple(found[i] for i in node.inputs)
        if node in signal.states:
            states[found[node]] = signal.states[node]
    return Signal(found[signal.node], states)


def _in_order(root: SignalNode) -> list[SignalNode]:
    """All nodes but the wires that lead back, each after those it is wired to."""
    order: dict[SignalNode, None] = {}
    for start in (root, *(i for n in reached([root]) if n.leads_back for i in n.inputs)):
        # Diagrams may be longer than Python calls may be deep.
        stack = [start]
        while stack:
            node = stack[-1]
            missing = [i for i in node.inputs if i not in order and not i.leads_back]
            if node in order or node.leads_back or not missing:
                stack.pop()
                if not node.leads_back:
                    order[node] = None
                continue
            stack.extend(missing)
    return list(order)
