"""Counts what a nest evaluates, by running it: each evaluation of a node weighs what the timer charges for it.

Loops are run on whole arrays: a mask says which iterations come by. `meaning_of` counts the nest without its places,
where each store asks for its value by itself and a choice asks for the arm that it takes; `evaluated` counts a placed
nest, in which each value is computed where its place is.
"""

from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from pellucid.ir import expr as E
from pellucid.ir import nest as N
from pellucid.ir.expr import parts, topological
from pellucid.ir.interp import evaluate
from pellucid.reasoning.kept import kept_by
from pellucid.reasoning.work import is_simple, node_cost


@dataclass
class Counted:
    """The cycles of all evaluations, the evaluations of each node, and of choices of which both arms are computed."""

    cycles: float = 0.0
    times: Counter = field(default_factory=Counter)
    selections: int = 0

    def add(self, node, mask):
        """Count a node once for each iteration in the mask."""
        times = int(mask.sum())
        self.times[node] += times
        self.cycles += node_cost(node) * times
        return times


class _Run:
    def __init__(self, memory, depth):
        self.memory, self.depth, self.counted, self.known_once = memory, depth, Counted(), {}

    def value(self, node, environment):
        return np.asarray(evaluate([node], environment, self.memory)[0])

    def axis(self, values, level):
        return values.reshape((-1,) + (1,) * (self.depth - 1 - level))

    def steps(self, node, mask, environment, step_by_step):
        """Run an iteration for the iterations in a mask; `step_by_step(mask, environment)` counts each step."""
        init, step, stop, limit = parts(node)
        names = [E.state(node.attr[0], k, a.type) for k, a in enumerate(init)]
        state = [np.broadcast_to(self.value(a, environment), mask.shape).copy() for a in init]
        bounds = np.broadcast_to(self.value(limit, environment), mask.shape)
        running, count = mask.copy(), 0
        while True:
            running &= bounds > count
            if not running.any():
                return
            scope = {**environment, **dict(zip(names, state, strict=True))}
            step_by_step(running, scope)
            going = running & ~np.broadcast_to(self.value(stop, scope), mask.shape)
            after = [np.broadcast_to(self.value(a, scope), mask.shape) for a in step]
            state = [np.where(going, b, a) for a, b in zip(state, after, strict=True)]
            running, count = going, count + 1


class _Meaning(_Run):
    def demand(self, roots, mask, environment):
        """Count what some iterations ask for: each node once in each of them."""
        asked = {r: mask.copy() for r in roots}
        reached, stack = set(), list(roots)
        while stack:
            node = stack.pop()
            if node in reached:
                continue
            reached.add(node)
            init, _, _, limit = parts(node) if node.op == "iterate" else ((), (), None, None)
            stack += [*init, limit] if node.op == "iterate" else node.args
        for node in reversed(topological(roots)):
            wanted = asked.get(node)
            if node not in reached or wanted is None or not wanted.any():
                continue
            self.counted.add(node, wanted)
            if node.op == "choose":
                truth = np.broadcast_to(self.value(node.args[0], environment), mask.shape)
                below = zip(node.args, (wanted, wanted & truth, wanted & ~truth), strict=True)
            elif node.op == "iterate":
                init, step, stop, limit = parts(node)
                below = [(a, wanted) for a in (*init, limit)]
                self.steps(node, wanted, environment, lambda m, e, r=(*step, stop): self.demand(r, m, e))
            else:
                below = [] if is_simple(node) else [(a, wanted) for a in node.args]
            for a, m in below:
                asked[a] = asked[a] | m if a in asked else m

    def block(self, block, mask, environment, level):
        for s in block:
            match s:
                case N.For(index, lo, hi, body, _):
                    self.demand((lo, hi), mask, environment)
                    first, last = (self.value(e, environment).item() for e in (lo, hi))
                    values = self.axis(np.arange(first, last, dtype=index.type.dtype), level)
                    inner = np.broadcast_to(mask, np.broadcast_shapes(mask.shape, values.shape))
                    self.block(body, inner, {**environment, index: values}, level + 1)
                case N.If(condition, then, orelse, ()):
                    self.demand((condition,), mask, environment)
                    truth = self.value(condition, environment)
                    self.block(then, mask & truth, environment, level)
                    self.block(orelse, mask & ~truth, environment, level)
                case N.Store(buffer, position, value):
                    self.demand((position, value), mask, environment)
                    self.store(buffer, position, value, mask, environment)
                case N.Alloc(sizes, body):
                    for b, n in sizes.items():
                        self.memory[b] = np.zeros(self.value(n, environment).item(), b.type.dtype)
                    self.block(body, mask, environment, level)

    def store(self, buffer, position, value, mask, environment):
        p, v, m = np.broadcast_arrays(self.value(position, environment), self.value(value, environment), mask)
        inside = m & (p >= 0) & (p < len(self.memory[buffer]))
        self.memory[buffer][p[inside]] = v[inside]


class _Placed(_Meaning):
    def __init__(self, memory, depth):
        super().__init__(memory, depth)
        self.known = set()

    def demand(self, roots, mask, environment):
        """Count what is computed right here: all that has no place, whether a choice takes it or not."""
        seen, stack = set(), list(roots)
        while stack:
            node = stack.pop()
            if node in seen or node in self.known:
                continue
            seen.add(node)
            times = self.counted.add(node, mask)
            if node.op == "choose":
                self.counted.selections += times
            if node.op == "iterate":
                self.iterate(node, (), mask, environment)
            elif not is_simple(node):
                stack += node.args

    def iterate(self, node, body, mask, environment):
        init, step, stop, limit = parts(node)
        self.demand((*init, limit), mask, environment)
        self.begin(body, mask)

        def one(running, scope):
            outer = set(self.known)
            self.block(body, running, scope, 0)
            self.demand((*step, stop), running, scope)
            self.known = outer

        self.steps(node, mask, environment, one)

    def begin(self, body, mask):
        for s in kept_by(body):
            self.known_once[s.values] = np.zeros(mask.shape, bool)

    def block(self, block, mask, environment, level):
        for s in block:
            match s:
                case N.Let(value):
                    self.demand((value,), mask, environment)
                    self.known.add(value)
                case N.Repeat(value, body):
                    self.counted.add(value, mask)
                    self.iterate(value, body, mask, environment)
                    self.known.add(value)
                case N.Once(_, values, body):
                    known = self.known_once[values]
                    axes = tuple(k for k, n in enumerate(known.shape) if n == 1)
                    first = mask.any(axis=axes, keepdims=True) & ~known
                    outer = set(self.known)
                    self.block(body, first, environment, level)
                    self.known = outer | set(values)
                    self.known_once[values] = known | first
                case N.If(condition, then, orelse, selects) if selects:
                    self.demand((condition,), mask, environment)
                    truth = np.broadcast_to(self.value(condition, environment), mask.shape)
                    for k, (arm, m) in enumerate(((then, mask & truth), (orelse, mask & ~truth)), 1):
                        outer = set(self.known)
                        self.block(arm, m, environment, level)
                        self.demand([p.args[k] for p in selects], m, environment)
                        self.known = outer
                    for p in selects:
                        self.counted.add(p, mask)
                        self.known.add(p)
                case N.For(body=body):
                    self.begin(body, mask)
                    outer = set(self.known)
                    super().block((s,), mask, environment, level)
                    self.known = outer
                case _:
                    super().block((s,), mask, environment, level)


def _depth(block):
    return max((_depth(b) + isinstance(s, N.For) for s in block for b in N.blocks(s)), default=0)


def _run(kind, kernel, arguments, memory):
    run = kind(dict(memory), max(1, _depth(kernel.body)))
    environment = {p: np.asarray(arguments[p.attr], p.type.dtype) for p in kernel.params}
    with np.errstate(all="ignore"):
        run.block(kernel.body, np.ones((1,) * run.depth, bool), environment, 0)
    return run.counted


def meaning_of(kernel, arguments, memory):
    """What running a nest evaluates by its meaning, without its places."""
    return _run(
        _Meaning,
        N.Kernel(kernel.name, kernel.params, kernel.outputs, N.erase(kernel.body)),
        arguments,
        memory,
    )


def evaluated(kernel, arguments, memory):
    """What running a placed nest evaluates."""
    return _run(_Placed, kernel, arguments, memory)
