"""The timer: what a nest costs, as a polynomial in its sizes and as a number (White, section 6.2).

One pass over the statements, in which every value counts once in each place where it is computed, and every loop
multiplies by its iterations: exactly, where its bounds are polynomials in sizes and in the indices around it, and by
a guess - of the loop's own or of the machine's - where they are not. It judges moves by sign and rough size; it does
not predict milliseconds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field, replace
from functools import lru_cache

from ..base.record import record
from ..ir.expr import Buffer, Expr, parts, topological
from ..ir.nest import Alloc, Block, For, If, Kernel, Let, Once, Repeat, Store, While, walk
from .effects import loaded, stored
from .machine import PROCESSOR, CostModel
from .poly import ZERO, Number, Poly, maximum, minimum, name, number, total
from .work import Work, is_simple

GUESSED = "#"
"""The prefix of the name of an unknown iteration count: ``#i`` is that of the loop i."""


@record
class Timer:
    """Times nests on a machine.

    sizes     numbers for the names in symbolic times: parameters, and simple variables that nothing assigns.
    counts    how many iterations a loop makes whose bounds say nothing, by the loop's index (White, chapter 7); those
              of loops without an index by the name "while".
    vectorize whether innermost loops are timed as if each one that can be vectorized were.

    >>> from pellucid.ir.parse import parse_nest
    >>> kernel = parse_nest('''
    ... kernel k(n: i32):
    ...   output out: i32[100]
    ...   for i in 0 .. n:
    ...     for j in 0 .. i:
    ...       out[j] := i + j
    ... ''')
    >>> Timer().symbolic(kernel.body)
    3/2*max(0, n)^2 + 3/2*max(0, n) + 2
    >>> Timer(sizes={"n": 10}).cost(kernel), Timer().only("assignment").symbolic(kernel.body)
    (167.0, 1/2*max(0, n)^2 - 1/2*max(0, n))
    """

    machine: CostModel = PROCESSOR
    sizes: Mapping[str, Number] = field(default_factory=dict[str, Number])
    counts: Mapping[str, float] = field(default_factory=dict[str, float])
    vectorize: bool = False

    def only(self, *words: str) -> Timer:
        """The timer that counts some kinds of work or operators, and nothing else."""
        return replace(self, machine=self.machine.only(*words))

    def symbolic(self, block: Block) -> Poly:
        """The cost of running a block once, as a polynomial in its sizes and in counts that are guessed."""
        return _Pass(self, stored(block)).block(block, set(), ())

    def cost(self, program: Kernel | Block) -> float:
        """The cost as a number: sizes that are not given leave a loop with its guessed count."""
        body = program.body if isinstance(program, Kernel) else program
        found = _Pass(self, stored(body), known=True).block(body, set(), ())
        return float(found.at({word: self.guess(word) for word in found.names()}))

    def guess(self, word: str) -> Number:
        """The value of a name in a symbolic time."""
        if word in self.sizes:
            return self.sizes[word]
        return self.counts.get(word.removeprefix(GUESSED), self.machine.count)


USUAL = Timer()
"""Usual processor, nothing known of sizes."""


def kernel_cost(kernel: Kernel) -> float:
    """The cost of a whole kernel on the usual machine, with guessed sizes."""
    return USUAL.cost(kernel)


@record
class _Pass:
    """One pass over a program; `assigned` are the buffers that it stores to, `known` asks for numbers."""

    timer: Timer
    assigned: set[Buffer]
    known: bool = False

    @property
    def machine(self) -> CostModel:
        return self.timer.machine

    def block(self, block: Block, placed: set[Expr], around: tuple[For, ...], wide: int = 0) -> Poly:
        """The cost of running a block once, where some nodes were already computed."""
        work = Work(self.machine, wide)
        found: list[Poly | Number] = []
        if len(block) > 1:
            found.append(self.machine.charges["compound"])
        here: list[Expr] = []
        for s in block:
            match s:
                case Let(value):
                    found.append(work.computed([value], placed))
                    here += _new([value], placed)
                case Repeat(value, body):
                    init, step, stop, limit = parts(value)
                    found.append(work.computed((*init, limit), placed))
                    inner = self.block(body, placed, around, wide)
                    rest = work.computed((*step, stop), placed, _places(body))
                    found.append((inner + rest) * self.machine.steps)
                    here += _new([value], placed)
                case Once(values=values, body=body):
                    # Whether it is the first time is asked each time; how often the answer is yes, nobody knows.
                    found.append(self.machine.charges["branch"])
                    found.append(self.block(body, placed, around, wide) * (1 / self.machine.steps))
                    here += _new(values, placed)
                case If(condition, then, orelse, selects):
                    found.append(work.computed([condition], placed) + self.machine.charges["branch"])
                    arms: list[Poly | Number] = []
                    decided = condition.op == "const"
                    for k, b in enumerate((then, orelse)):
                        if not decided or condition.attr == (k == 0):
                            arms.append(self.block(b, placed, around, wide))
                            arms.append(work.computed([p.args[1 + k] for p in selects], placed, _places(b)))
                    found.append(total(arms) * (1 if decided else 0.5))
                    here += _new(selects, placed)
                case For() if self.timer is USUAL and self.known and not (placed or around or wide):
                    found.append(_alone(s, frozenset(_scalars(s) & self.assigned)))
                case For():
                    found.append(self.loop(s, placed, around, wide, work))
                case Store(buffer, position, value):
                    target = [] if position.op == "const" and buffer.size == 1 else [position]
                    found.append(self.machine.charges["assignment"] + work.computed([*target, value], placed))
                case While(condition, body):
                    turn = self.block(body, placed, around, wide) + work.computed([condition], placed)
                    found.append((turn + self.machine.charges["check"]) * name(f"{GUESSED}while"))
                    found.append(self.machine.charges["loop"])
                case Alloc(sizes, body):
                    found.append(work.computed(list(sizes.values()), placed))
                    found.append(self.block(body, placed, around, wide))
                case _:
                    # What an abstract statement costs is its own business.
                    found.append(ZERO)
        # What was computed here is not computed behind the block.
        placed.difference_update(here)
        return total(found)

    def loop(self, s: For, placed: set[Expr], around: tuple[For, ...], wide: int, work: Work) -> Poly:
        """The cost of a loop: its bounds, its beginning, its checks, and its body once for each iteration."""
        width = s.how.count if s.how.kind == "lanes" else 1
        if self.timer.vectorize and s.how.kind == "seq" and not wide and self.vectorizable(s, around):
            width = self.machine.lanes
        if width > 1:
            wide |= s.index.free
        body = self.block(s.body, placed, (*around, s), wide)
        lo, hi = (self.polynomial(b, around) for b in (s.lo, s.hi))
        count = self.count(s, lo, hi, around)
        word = _word(s)
        if word not in body.names():
            turns = body * count
        elif lo is not None:
            turns = body.summed(word, lo, lo + count)
        else:
            # Nothing is known of the index: what depends on it is taken at half its way.
            turns = body.where({word: count * 0.5}) * count
        check = self.machine.charges["check"]
        begin = self.machine.charges["loop"]
        if s.how.kind == "spread":
            width *= self.machine.threads
            begin += self.machine.wake
        # In White's table the bounds are a part of the loop's beginning.
        bounds = work.computed([s.lo, s.hi], placed) if self.machine.shares else 0.0
        return total(((turns + count * check) * (1 / width), begin + check + bounds))

    def vectorizable(self, s: For, around: tuple[For, ...]) -> bool:
        """Whether the loop is an innermost one that can run in lanes."""
        if any(isinstance(x, For) for x in walk(s.body)):
            return False
        from .prove import Proved
        from .vectors import vectorizable

        return isinstance(vectorizable(s, around), Proved)

    # ---- iterations ----

    def count(self, s: For, lo: Poly | None, hi: Poly | None, around: tuple[For, ...]) -> Poly:
        """The number of iterations, if it is known; else a number that its bounds tell, or the name of a guess."""
        if lo is not None and hi is not None:
            gap = hi - lo
            if gap.constant is not None:
                return number(max(gap.constant, 0))
            if not self.known or not self.missing(gap, around):
                return gap if self.positive(gap, around) else maximum(ZERO, gap)
        guess = f"{GUESSED}{_word(s)}"
        if self.timer.counts.get(_word(s)) is None:
            most = _most(s)
            if most is not None:
                return number(most)
        return name(guess)

    def missing(self, found: Poly, around: tuple[For, ...]) -> set[str]:
        """The names of a polynomial of which no value is known."""
        return found.names() - {_word(s) for s in around} - set(self.timer.sizes)

    def positive(self, gap: Poly, around: tuple[For, ...]) -> bool:
        """Whether a number of iterations is not negative, whatever the iterations of the loops around."""
        for s in reversed(around):
            lo, hi = (self.polynomial(b, around) for b in (s.lo, s.hi))
            word = _word(s)
            slope = dict(gap.terms).get(((word, 1),))
            if slope is None or lo is None or hi is None or word in (gap - name(word) * slope).names():
                continue
            # The smallest value is that of the first or of the last iteration.
            gap = gap.where({word: lo if slope > 0 else hi - 1})
        return gap.constant is not None and gap.constant >= 0

    def polynomial(self, node: Expr, around: tuple[For, ...]) -> Poly | None:
        """A bound as a polynomial in sizes and in the indices of the loops around; None if it is something else."""
        found: dict[Expr, Poly | None] = {}
        indices = {s.index for s in around}
        for n in topological([node]):
            args = [found[a] for a in n.args]
            match n.op:
                case "const" if n.type.is_integer:
                    found[n] = number(n.attr)
                case "param":
                    found[n] = name(n.attr)
                case "index" if n in indices:
                    found[n] = name(n.attr)
                case "load" if is_simple(n) and n.attr not in self.assigned:
                    found[n] = name(n.attr.name)
                case "add" | "sub" | "mul" | "min" | "max":
                    a, b = args
                    found[n] = None if a is None or b is None else _OPERATIONS[n.op](a, b)
                case "neg":
                    found[n] = None if args[0] is None else -args[0]
                case _:
                    found[n] = None
        return found[node]


# A session asks for the cost of every program one move away, which is the same program in all but a few statements.
@lru_cache(maxsize=1 << 13)
def _alone(s: For, assigned: frozenset[Buffer]) -> Poly:
    """The cost of an outermost loop; of what the program assigns, only single elements in it count."""
    return _Pass(USUAL, set(assigned), known=True).loop(s, set(), (), 0, Work(USUAL.machine))


@lru_cache(maxsize=1 << 13)
def _scalars(s: For) -> frozenset[Buffer]:
    return frozenset(b for b in loaded((s,)) if b.size == 1)


_OPERATIONS: Mapping[str, Callable[[Poly, Poly], Poly]] = {
    "add": Poly.__add__,
    "sub": Poly.__sub__,
    "mul": Poly.__mul__,
    "min": minimum,
    "max": maximum,
}


def _word(s: For) -> str:
    return str(s.index.attr)


def _new(values: Iterable[Expr], placed: set[Expr]) -> list[Expr]:
    """Those of some values that were not computed before; now they are."""
    found = [v for v in values if v not in placed]
    placed.update(found)
    return found


def _places(block: Block) -> set[Expr]:
    return {s.value for s in block if isinstance(s, Let | Repeat)}


def _most(s: For) -> float | None:
    """The bounds of an iteration count by differences of bounds: ``max(0, a) .. min(255, a) + 1`` has at most one.

    Where one limit is known and another may cut it short, half of it is expected.
    """
    uppers, lowers = _alternatives(s.hi, "min"), _alternatives(s.lo, "max")
    known: list[float] = []
    fixed: list[float] = []
    open_ = False
    for high, plus in uppers:
        for low, minus in lowers:
            if high is low:
                (known if high is not None else fixed).append(plus - minus)
            else:
                open_ = True
    if known:
        return max(0, min([*known, *fixed]))
    if fixed:
        return max(0, min(fixed)) * (0.5 if open_ else 1)
    return None


def _alternatives(bound: Expr, word: str) -> list[tuple[Expr | None, int]]:
    """The bounds of which one is the smallest or largest, each as a node (None: zero) plus a number."""
    found: list[tuple[Expr | None, int]] = []
    stack = [(bound, 0)]
    while stack:
        n, plus = stack.pop()
        if n.op == word:
            stack += [(a, plus) for a in n.args]
        elif n.op == "const":
            found.append((None, plus + int(n.attr)))
        elif n.op == "add" and n.args[1].op == "const":
            stack.append((n.args[0], plus + int(n.args[1].attr)))
        elif n.op == "sub" and n.args[1].op == "const":
            stack.append((n.args[0], plus - int(n.args[1].attr)))
        else:
            found.append((n, plus))
    return found
