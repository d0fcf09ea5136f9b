"""The loop specializer: specializes one loop into the graph of its variants, and tries again with what it learned.

The heart of `control`. A loop is unrolled until its test is dynamic; there the state is looked up in the memo table by
its static part, and what is not found becomes a variant. Then the loop is specialized again, with what was learned:
what the program asked of residues is granted by cases at the loop's entry, and taken back if it was too much; what is
known more finely than it moves is known less finely. `structure` then makes loops and branches of the graph.
"""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable
from typing import Any, cast

from ..base.errors import StagingError
from ..base.source_location import caller
from ..ir import types as T
from ..ir.expr import Expr, const
from . import bitcache
from . import residual as R
from .folding import node, number
from .graph import PointGraph
from .growth import LEAVES_A_UNIT, SEEN, Exhausted, Unending, unending, weight
from .merges import cases, merged
from .points import (
    IDLE,
    MAX_CASES,
    MAX_STEPS,
    MAX_VARIANTS,
    REACH,
    DynamicCall,
    Fork,
    Header,
    Narrower,
    Path,
    State,
    Widening,
    as_state,
)
from .same import Canonical, Flat, canonical, flatten, restored
from .session import MAX_WORK, Fault, ResidueSplit, SpecializerSession, SplitRequest
from .structure import structured
from .value import Cyclic, Dynamic, expression, integer


class LoopSpecializer:
    """Specializes one loop."""

    def __init__(
        self, session: SpecializerSession, done: Callable[..., Any], step: Callable[..., Any], count: int
    ) -> None:
        self.session, self.done, self.step_function, self.count = session, done, step, count
        self.names = list(inspect.signature(step).parameters)
        self.place, _ = caller()
        self.places: tuple[str, ...] = ()
        self.graph = PointGraph(session)
        self.queue: list[Header] = []
        self.ways: list[tuple[Flat, R.Code]] = []
        self.widening = Widening()
        self.trying = False
        self.reached: State | None = None
        self.unrolled = 0
        self.narrowed: dict[Expr, tuple[int, Expr]] = {}
        self.tried: set[tuple[int, int, int]] = set()
        self.limits: dict[Expr, int] = {}
        self.splits: dict[Expr, int] = {}

    # ---- trying, and trying again ----

    def run(self, state: State) -> Any:
        """Specialize until no request to split can be granted; write the loop and return the state after it."""
        session = self.session
        self.places = flatten(state).places
        splits: dict[Expr, int] = {}
        before: list[dict[Expr, int]] = []
        # What an attempt that succeeded took is kept back, so that it can be made again as the last one.
        limit, taken, last = session.limit, 0, False
        while True:
            begin = session.work
            session.limit = max(limit, begin + 2 * taken) if last else limit - taken
            block, lines, known = len(session.block), session.lines, dict(session.splits)
            outer_requests, session.split_requests = session.split_requests, {}
            try:
                result = self.attempt(state, splits)
                granted, taken = (
                    self.granted(session.split_requests, splits, outer_requests),
                    session.work - begin,
                )
                if granted is None or last or session.work + 2 * taken > limit:
                    session.splits = known
                    return result if self.count > 1 else result[0]
                before.append(splits)
                splits = granted
            except Narrower as found:
                self.narrowed |= {q: self.multiple(q, found.times) for q in found.quotients}
            except (Unending, Exhausted) as found:
                # What was granted last was too much: without it the residues wait for run time.
                if not before:
                    raise
                last |= isinstance(found, Exhausted)
                asked, splits = splits, before.pop()
                self.limits |= {q: splits.get(q, 1) for q in asked if asked[q] != splits.get(q, 1)}
            finally:
                session.split_requests, session.limit = outer_requests, limit
            del session.block[block:]
            session.lines, session.splits = lines, known

    def multiple(self, q: Expr, times: int) -> tuple[int, Expr]:
        """How many times a value will be used instead of it, and the name for that."""
        session = self.session
        if q in self.narrowed:
            times *= self.narrowed[q][0]
        name = session.fresh("part")
        session.facts.known[name] = session.facts(node("mul", q, number(times)))
        self.graph.multiples[name] = q
        return times, name

    def granted(
        self,
        split_requests: dict[SplitRequest, None],
        splits: dict[Expr, int],
        outer: dict[SplitRequest, None],
    ) -> dict[Expr, int] | None:
        """The splits that requests ask for beyond those made; None if there are none.

        A request is about one value, and granted when all that the value stands on can be split before the loop and
        some of it advances with the loop; of data nothing is known, and what is older than the loops around is theirs.
        """
        session = self.session
        new = dict(splits)
        # In an order of their own, so that a program is specialized the same way each time: older values first.
        for request in sorted(
            split_requests, key=lambda w: (len(w), sorted((session.age_of(q), f) for q, f in w))
        ):
            origins = [x for q, factor in request for x in self.graph.origins(q, factor)]
            if not any(self.graph.header_of(q) for q, _ in request):
                if all(session.depth_of(q) < session.depth for q, _ in request):
                    outer[request] = None
                continue
            if any(origin is None for origin, _ in origins):
                continue
            wanted = dict(new)
            for origin, factor in origins:
                if origin is not None:
                    wanted[origin] = math.lcm(wanted.get(origin, 1), splits.get(origin, 1) * factor)
            allowed = all(wanted[q] <= limit for q, limit in self.limits.items() if q in wanted)
            if allowed and math.prod(wanted.values()) <= MAX_CASES:
                new = wanted
        return None if new == splits else new

    def attempt(self, state: State, splits: dict[Expr, int]) -> State:
        """Specialize the loop under some case analyses."""
        session, self.splits = self.session, splits
        for q, (times, name) in self.narrowed.items():
            session.emit(R.Set(name, node("mul", q, number(times))))
            session.splits[q] = ResidueSplit(1, name, 0, times)
        bitcache.split_anew(session)
        state = self.resolved(state)
        invariant = {q: k for q, k in splits.items() if not self.carried(state, q)}
        entering = {q: k for q, k in splits.items() if q not in invariant}
        return cases(session, list(invariant.items()), lambda: self.variants_of(state, entering))

    def carried(self, state: State, q: Expr) -> bool:
        """Whether the loop's own state stands on a value."""
        return any(isinstance(x, Cyclic) and any(t is q for t, _ in x.terms) for x in flatten(state).leaves)

    # ---- the graph of variants ----

    def variants_of(self, state: State, splits: dict[Expr, int]) -> State:
        """Specialize the loop from all its entries; write it, and return the state after it."""
        session = self.session
        self.graph.headers, self.graph.variants, self.queue, self.ways = {}, [], [], []
        self.widening = Widening()
        session.depth += 1
        try:
            entry = session.capture(lambda: self.enter(state, list(splits.items())))
            while self.queue:
                header = self.queue.pop(0)
                self.graph.variants[header.variant].code = session.capture(lambda h=header: self.turn(h))
        finally:
            session.depth -= 1
        flats = [flat for flat, _ in self.ways]
        if not flats:
            raise StagingError("the loop never ends", place=self.place, fix="its test is never true")
        joined, sets = merged(session, flats)
        session.lines = ()
        exits = [code + extra for (_, code), extra in zip(self.ways, sets, strict=True)]
        session.block.extend(structured(session, entry, self.graph.variants, exits, self.endless_fault()))
        return cast("State", flats[0].build(joined))

    def enter(self, state: State, splits: list[tuple[Expr, int]]) -> None:
        """Into the loop, by one prelude for each case."""
        if not splits:
            self.unrolled = 0
            self.advance(self.resolved(state), Path())
            return
        session = self.session
        (q, factor), *rest = splits
        if factor == 1:
            self.enter(state, rest)
            return
        known = session.residue(q, factor)
        quotient, residue = session.parted(q, factor)
        codes: list[R.Code] = []
        for r in range(factor):

            def arm(r: int = r) -> None:
                session.splits[q] = ResidueSplit(factor, quotient, r)
                bitcache.split_anew(session)
                self.enter(state, rest)

            if known == r:
                arm()
                return
            if known is None:
                codes.append(session.capture(arm))
        whole: R.Code = codes[-1]
        for r in range(factor - 2, -1, -1):
            whole = [R.ResidualBranch(node("eq", residue, number(r)), codes[r], whole)]
        session.block.extend(whole)

    def resolved(self, state: State) -> State:
        """The state with the cases around put into it."""
        flat = flatten(state)
        return flat.build(
            [integer(x.terms, x.remainder) if isinstance(x, Cyclic) else x for x in flat.leaves]
        )

    def advance(self, state: State, path: Path) -> None:
        """From a state on until the next memo point or the end, where `path` is the way from the last one to here."""
        session = self.session
        start = state, len(session.block), session.lines
        while True:
            block, lines = len(session.block), session.lines
            test = self.done(*state)
            if isinstance(test, Dynamic):
                # What the test has written is written again at the memo point, where it belongs.
                del session.block[block:]
                session.lines = lines
                self.jump(state)
                return
            if test:
                self.leave(state)
                return
            leaves = flatten(state).leaves
            key = canonical(leaves).key
            if path.straight_from(key):
                self.never(*start)
                return
            if path.passed(leaves):
                # Back by way of a branch: how often is for run time to say.
                self.jump(state)
                return
            path.add(leaves, key)
            self.unrolled += 1
            if self.unrolled > MAX_STEPS:
                raise self.unending(f"{MAX_STEPS} turns without a test at run time", path)
            following = self.follow(state, path)
            if following is None:
                return
            state = following

    def never(self, state: State, block: int, lines: bitcache.Lines) -> None:
        """A case for which the loop would go on for ever, such as a stride that steps over the end.

        The loop is left at once and the call is refused. Raises StagingError when there are no other cases.
        """
        session = self.session
        if not session.splits:
            raise StagingError(
                "the loop never ends: it comes back to where it was, and no test on the way waits for run time",
                place=self.place, fix="let its test become true",
            )  # fmt: skip
        session.notes.append(
            f"{self.place}: for some remainders of its start the loop would never end; there it is refused"
        )
        del session.block[block:]
        session.lines = lines
        session.block.extend(session.guard(const(value=True, type_=T.boolean), self.endless_fault()))
        self.leave(state)

    def endless_fault(self) -> Fault:
        """What a call of the residual program is told where the loop would go on for ever."""
        return Fault(
            "the loop never ends with these arguments: its test is stepped over", self.place,
            "give a length that is a multiple of its step",
        )  # fmt: skip

    def follow(self, state: State, path: Path) -> State | None:
        """One step; None if the step went on by itself."""
        self.session.work += 1 + weight(path.states[-1])
        if self.session.work > self.session.limit:
            raise self.exhausted(path)
        try:
            result = self.step_function(*state)
        except Exhausted:
            # A loop within the step came to the end of the work: this one is why, if it was there before.
            if len(path.states) < SEEN:
                raise
            raise self.exhausted(path) from None
        if isinstance(result, Fork):
            self.branch(result, path)
            return None
        if isinstance(result, DynamicCall):
            self.jump(as_state(result.state, self.count))
            return None
        return as_state(result, self.count)

    def branch(self, fork: Fork, path: Path) -> None:
        """Go on in both arms, each by itself."""
        self.session.work += len(path.states) // LEAVES_A_UNIT

        def arm(function: Callable[[], Any]) -> R.Code:
            def run() -> None:
                result = function()
                if isinstance(result, Fork):
                    self.branch(result, path)
                elif isinstance(result, DynamicCall):
                    self.jump(as_state(result.state, self.count))
                else:
                    self.advance(as_state(result, self.count), path.branch())

            return self.session.capture(run)

        condition = expression(fork.condition)
        then, orelse = arm(fork.then), arm(fork.orelse)
        self.session.emit(R.ResidualBranch(condition, then, orelse))

    def leave(self, state: State) -> None:
        """The end of the loop: everything is in memory."""
        session = self.session
        if self.trying:
            return
        code = session.capture(lambda: bitcache.write_back_all(session))
        self.ways.append((flatten(state), code))
        session.emit(R.Leave(len(self.ways) - 1))

    def jump(self, state: State) -> None:
        """To the variant of this state, which is made if there is none."""
        session = self.session
        if self.trying:
            self.reached = self.reached or state
            return
        flat = flatten(state)
        self.narrow(flat.leaves)
        state = cast("State", flat.build([*self.widening.widened(flat.leaves)]))
        self.keep_what_is_read_again(state)
        flat = flatten(state)
        leaves = (*flat.leaves, *bitcache.leaves(session.lines))
        session.work += len(leaves) // LEAVES_A_UNIT
        form = canonical(leaves)
        header = self.graph.headers.get(form.key)
        if header is None:
            header = self.new_header(flat, leaves, form)
        session.emit(R.Goto(header.variant, form.values))

    def narrow(self, leaves: State) -> None:
        """See whether a value is known more finely than the loop moves it and the program asks for.

        So are addresses of pixels, which are known modulo the length of a row, and move by a word.
        """
        for k, leaf in enumerate(leaves):
            if not isinstance(leaf, Cyclic) or len(leaf.terms) != 1:
                continue
            ((q, base),) = leaf.terms
            if self.graph.header_of(q) is None:
                continue
            step = math.gcd(base, leaf.remainder - self.widening.first.setdefault(k, leaf.remainder))
            asked = (by * base // math.gcd(by * base, b) for by, b in self.session.asked.get(q, ()))
            needed = math.gcd(base, math.lcm(step, *asked))
            names = self.graph.before(q)
            if needed != base and names and (k, base, needed) not in self.tried:
                # Where that does not change how finely it is known, it stays as it is.
                self.tried.add((k, base, needed))
                raise Narrower(names, base // needed)

    def new_header(self, flat: Flat, leaves: tuple[Any, ...], form: Canonical) -> Header:
        """A new memo point."""
        session = self.session
        if len(self.graph.headers) >= MAX_VARIANTS:
            raise self.unending(f"{MAX_VARIANTS} variants")
        names = tuple(session.fresh(self.called(flat, form, k), v.type) for k, v in enumerate(form.values))
        new = restored(form.key, leaves, names)
        count = len(flat.leaves)
        for line, value in zip(session.lines, new[count + 4 :: 5], strict=True):
            if isinstance(value, Cyclic) and value.remainder == 0 and line.memory.facts is not None:
                # Whatever is carried, it is a word.
                session.facts.known[value.expr] = line.memory.facts
        header = Header(
            len(self.graph.variants), names, form.origins, form.key,
            flat.build(new[:count]), bitcache.rebuilt(session.lines, new[count:]),
        )  # fmt: skip
        self.graph.headers[form.key] = header
        self.graph.variants.append(R.Variant(names))
        self.queue.append(header)
        return header

    def called(self, flat: Flat, form: Canonical, k: int) -> str:
        """What to call a dynamic value: as the last word of where it stands in the state."""
        for place, part in zip(flat.places, form.key, strict=False):
            if part[0] != "static" and part[2] == k:
                return re.findall(r"[A-Za-z_]\w*", f"value {self.told(place)}")[-1]
        return "word"

    def told(self, place: str) -> str:
        """A place in the state by the name of its parameter."""
        head, _, tail = place.removeprefix("[").partition("]")
        name = self.names[int(head)] if head.isdigit() and int(head) < len(self.names) else place
        return f"{name}{tail}"

    def turn(self, header: Header) -> None:
        """What follows a memo point: the test, and if it fails a step."""
        session = self.session
        session.lines = header.lines
        test = self.done(*header.state)
        if not isinstance(test, Dynamic):
            if test:
                self.leave(header.state)
            else:
                self.go_on(header.state)
            return
        end = session.capture(lambda: self.leave(header.state))
        on = session.capture(lambda: self.go_on(header.state))
        session.emit(R.ResidualBranch(expression(test), end, on))

    def go_on(self, state: State) -> None:
        """One step from a memo point, and from there to the next."""
        self.unrolled = 0
        path = Path()
        leaves = flatten(state).leaves
        path.add(leaves, canonical(leaves).key)
        following = self.follow(state, path)
        if following is not None:
            self.advance(following, path)

    # ---- the cache at memo points ----

    def keep_what_is_read_again(self, state: State) -> None:
        """Keep the lines that a coming turn touches, and bring the others into memory: the cache sizes itself."""
        session = self.session
        if not session.lines:
            return
        wanted = self.touched_ahead(state) if session.capacity is None else {x.number for x in session.lines}
        kept: list[bitcache.CachedLine] = []
        for line in session.lines:
            if line.number in wanted:
                kept.append(line)
            else:
                bitcache.write_back(session, line)
        session.lines = tuple(sorted(kept, key=lambda line: line.number))

    def touched_ahead(self, state: State) -> set[int]:
        """The lines that some of the coming turns touch, found by running them for nothing."""
        session = self.session
        numbers = {line.number for line in session.lines}
        touched, session.touched = session.touched, set()
        split_requests, unrolled = dict(session.split_requests), self.unrolled
        self.trying = True

        def ahead() -> None:
            now: State | None = state
            idle = 0
            for _ in range(REACH):
                before = len(session.touched & numbers)
                now = self.one_turn(now)
                idle = idle + 1 if len(session.touched & numbers) == before else 0
                if now is None or numbers <= session.touched or idle == IDLE:
                    return

        try:
            session.capture(ahead)
            return session.touched & numbers
        finally:
            self.trying, self.unrolled = False, unrolled
            session.touched, session.split_requests = touched | session.touched, split_requests

    def one_turn(self, state: State) -> State | None:
        """The state at the next memo point, whatever the test says here; None at an end."""
        self.reached = None
        self.done(*state)
        self.go_on(state)
        return self.reached

    # ---- errors ----

    def unending(
        self, how: str, path: Path | None = None, kind: type[Unending | Exhausted] = Unending
    ) -> Unending | Exhausted:
        """The error for a loop whose specialization does not end."""
        points = [h.key for h in self.graph.headers.values()]
        passed = [points] if path is None else [path.states, points]
        names = [self.told(place) for place in self.places] or self.names
        return unending(kind, how, self.place, passed, names, self.splits)

    def exhausted(self, path: Path) -> Unending | Exhausted:
        """The error for a loop that is still specialized when the program has had all its work."""
        return self.unending(f"{MAX_WORK} steps of the specializer", path, Exhausted)
