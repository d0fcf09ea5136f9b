"""The looper: specializes one loop into the graph of its variants, and tries again with what it learned.

The heart of `control`. A loop is unrolled until its test is dynamic; there the state is looked up in the memo table by
its static part, and what is not found becomes a variant. What the program asked of residues on the way is granted by
cases at the loop's entry, and the loop is specialized again. `structure` then makes loops and branches of the graph.
"""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable
from typing import Any, cast

from ..base.errors import StagingError
from ..base.where import caller
from ..ir.expr import Expr
from . import bitcache
from . import residual as R
from .joins import cases, known_split, merged
from .points import CASES, IDLE, REACH, STEPS, VARIANTS, Call, Fork, Header, State, Widening, as_state
from .same import Canonical, Flat, canonical, flatten, restored
from .session import Session, Split, Wish
from .structure import advanced, structured
from .value import Cyclic, Dynamic, expression, integer, node, number


class Looper:
    """Specializes one loop."""

    def __init__(
        self, session: Session, done: Callable[..., Any], step: Callable[..., Any], count: int
    ) -> None:
        self.session, self.done, self.step_function, self.count = session, done, step, count
        self.names = list(inspect.signature(step).parameters)
        self.place, _ = caller()
        self.places: tuple[str, ...] = ()
        self.headers: dict[tuple[Any, ...], Header] = {}
        self.variants: list[R.Variant] = []
        self.queue: list[Header] = []
        self.ways: list[tuple[Flat, R.Code]] = []
        self.widening = Widening()
        self.trying = False
        self.reached: State | None = None

    # ---- trying, and trying again ----

    def run(self, state: State) -> Any:
        """Specialize until no wish can be granted any more; write the loop and return the state after it."""
        session = self.session
        self.places = flatten(state).places
        splits: dict[Expr, int] = {}
        while True:
            block, lines, known = len(session.block), session.lines, dict(session.splits)
            outer_wishes, session.wishes = session.wishes, set()
            try:
                result = self.attempt(state, splits)
            finally:
                wishes, session.wishes = session.wishes, outer_wishes
            granted = self.granted(wishes, splits)
            if granted is None:
                session.splits = known
                return result if self.count > 1 else result[0]
            splits = granted
            del session.block[block:]
            session.lines, session.splits = lines, known

    def granted(self, wishes: set[Wish], splits: dict[Expr, int]) -> dict[Expr, int] | None:
        """The splits that wishes ask for beyond those made; None if there are none.

        A wish is about one value, and granted when all that the value stands on can be split before the loop and some
        of it advances with the loop; of data nothing is known, and what is older than the loops around is theirs.
        """
        session = self.session
        new = dict(splits)
        # In an order of their own, so that a program is specialized the same way each time.
        for wish in sorted(wishes, key=lambda w: (len(w), sorted((q.id, f) for q, f in w))):
            origins = [(self.origin(q), factor) for q, factor in wish]
            if not any(self.header_of(q) for q, _ in wish):
                if all(session.depth_of(q) < session.depth for q, _ in wish):
                    session.wishes.add(wish)
                continue
            if any(origin is None for origin, _ in origins):
                continue
            wanted = dict(new)
            for origin, factor in origins:
                if origin is not None:
                    wanted[origin] = math.lcm(wanted.get(origin, 1), splits.get(origin, 1) * factor)
            if math.prod(wanted.values()) <= CASES:
                new = wanted
        return None if new == splits else new

    def header_of(self, q: Expr) -> tuple[Header, int] | None:
        """The memo point that a name belongs to, and its number there."""
        for header in self.headers.values():
            for k, name in enumerate(header.names):
                if name is q:
                    return header, k
        return None

    def origin(self, q: Expr) -> Expr | None:
        """The value before the loop that a quotient stands on; None if it is data."""
        session = self.session
        found = self.header_of(q)
        if found is not None:
            header, k = found
            return self.origin(header.origins[k]) if self.advances(header.variant, k) else None
        if q in session.parts:
            return self.origin(session.parts[q])
        return q if session.depth_of(q) <= session.depth else None

    def advances(self, variant: int, k: int) -> bool:
        """Whether a name goes from turn to turn by static steps only."""
        names = {n for v in self.variants for n in v.names}
        jumps = [s for v in self.variants for s in R.walk(v.code) if isinstance(s, R.Goto)]
        given = [s.values[k] for s in jumps if s.variant == variant]
        # Where no turn comes back to, nothing is known of turns.
        return bool(given) and all(advanced(value)[0] in names for value in given)

    def attempt(self, state: State, splits: dict[Expr, int]) -> State:
        """Specialize the loop under some case analyses."""
        session = self.session
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
        self.headers, self.variants, self.queue, self.ways = {}, [], [], []
        self.widening = Widening()
        session.depth += 1
        try:
            entry = session.capture(lambda: self.enter(state, list(splits.items())))
            while self.queue:
                header = self.queue.pop(0)
                self.variants[header.variant].code = session.capture(lambda h=header: self.turn(h))
        finally:
            session.depth -= 1
        flats = [flat for flat, _ in self.ways]
        if not flats:
            raise StagingError("the loop never ends", place=self.place, fix="its test is never true")
        joined, sets = merged(session, flats)
        session.lines = ()
        exits = [code + extra for (_, code), extra in zip(self.ways, sets, strict=True)]
        session.block.extend(structured(session, entry, self.variants, exits))
        return cast("State", flats[0].build(joined))

    def enter(self, state: State, splits: list[tuple[Expr, int]]) -> None:
        """Into the loop, by one prelude for each case."""
        if not splits:
            self.advance(self.resolved(state))
            return
        session = self.session
        (q, factor), *rest = splits
        if factor == 1:
            self.enter(state, rest)
            return
        known = session.constants.get(q)
        if known is not None:
            session.splits[q] = known_split(session, q, known, factor)
            bitcache.split_anew(session)
            self.enter(state, rest)
            return
        quotient, residue = session.parted(q, factor)
        codes: list[R.Code] = []
        for r in range(factor):

            def arm(r: int = r) -> None:
                session.splits[q] = Split(factor, quotient, r)
                bitcache.split_anew(session)
                self.enter(state, rest)

            codes.append(session.capture(arm))
        whole: R.Code = codes[-1]
        for r in range(factor - 2, -1, -1):
            whole = [R.Branch(node("eq", residue, number(r)), codes[r], whole)]
        session.block.extend(whole)

    def resolved(self, state: State) -> State:
        """The state with the cases around put into it."""
        flat = flatten(state)
        return flat.build(
            [integer(x.terms, x.remainder) if isinstance(x, Cyclic) else x for x in flat.leaves]
        )

    def advance(self, state: State) -> None:
        """From a state on until the next memo point or the end."""
        session = self.session
        start = state, len(session.block), session.lines
        seen: list[State] = []
        keys: set[tuple[Any, ...]] = set()
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
            seen.append(flatten(state).leaves)
            key = canonical(seen[-1]).key
            if key in keys:
                self.never(*start)
                return
            keys.add(key)
            if len(seen) > STEPS:
                raise self.endless(seen, f"{STEPS} turns without a test at run time")
            following = self.follow(state)
            if following is None:
                return
            state = following

    def never(self, state: State, block: int, lines: bitcache.Lines) -> None:
        """A case for which the loop would go on for ever, such as a stride that steps over the end: it is left at once.

        Raises StagingError when there are no other cases.
        """
        session = self.session
        if not session.splits:
            raise StagingError(
                "the loop never ends: it comes back to where it was, and no test on the way waits for run time",
                place=self.place, fix="let its test become true",
            )  # fmt: skip
        session.notes.append(
            f"{self.place}: for some remainders of its start the loop would never end; there it does nothing"
        )
        del session.block[block:]
        session.lines = lines
        self.leave(state)

    def follow(self, state: State) -> State | None:
        """One step; None if the step went on by itself."""
        result = self.step_function(*state)
        if isinstance(result, Fork):
            self.branch(result)
            return None
        if isinstance(result, Call):
            self.jump(as_state(result.state, self.count))
            return None
        return as_state(result, self.count)

    def branch(self, fork: Fork) -> None:
        """Go on in both arms, each by itself."""

        def arm(function: Callable[[], Any]) -> R.Code:
            def run() -> None:
                result = function()
                if isinstance(result, Fork):
                    self.branch(result)
                elif isinstance(result, Call):
                    self.jump(as_state(result.state, self.count))
                else:
                    self.advance(as_state(result, self.count))

            return self.session.capture(run)

        condition = expression(fork.condition)
        then, orelse = arm(fork.then), arm(fork.orelse)
        self.session.emit(R.Branch(condition, then, orelse))

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
        state = self.widening.widened(state)
        self.keep_what_is_read_again(state)
        flat = flatten(state)
        leaves = (*flat.leaves, *bitcache.leaves(session.lines))
        form = canonical(leaves)
        header = self.headers.get(form.key)
        if header is None:
            header = self.new_header(flat, leaves, form)
        session.emit(R.Goto(header.variant, form.values))

    def new_header(self, flat: Flat, leaves: tuple[Any, ...], form: Canonical) -> Header:
        """A new memo point."""
        session = self.session
        if len(self.headers) >= VARIANTS:
            raise self.endless([h.key for h in self.headers.values()], f"{VARIANTS} variants")
        names = tuple(session.fresh(self.called(flat, form, k), v.type) for k, v in enumerate(form.values))
        new = restored(form.key, leaves, names)
        count = len(flat.leaves)
        for line, value in zip(session.lines, new[count + 4 :: 5], strict=True):
            if isinstance(value, Cyclic) and value.remainder == 0 and line.memory.facts is not None:
                # Whatever is carried, it is a word.
                session.facts.known[value.expr] = line.memory.facts
        header = Header(
            len(self.variants), names, form.origins, form.key,
            flat.build(new[:count]), bitcache.rebuilt(session.lines, new[count:]),
        )  # fmt: skip
        self.headers[form.key] = header
        self.variants.append(R.Variant(names))
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
                following = self.follow(header.state)
                if following is not None:
                    self.advance(following)
            return
        end = session.capture(lambda: self.leave(header.state))

        def on() -> None:
            following = self.follow(header.state)
            if following is not None:
                self.advance(following)

        session.emit(R.Branch(expression(test), end, session.capture(on)))

    # ---- the cache at memo points ----

    def keep_what_is_read_again(self, state: State) -> None:
        """Keep the lines that a coming turn touches, and bring the others into memory: the cache sizes itself."""
        session = self.session
        if not session.lines:
            return
        wanted = self.touched_ahead(state) if session.capacity is None else {x.number for x in session.lines}
        kept: list[bitcache.Line] = []
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
        wishes = set(session.wishes)
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
            self.trying = False
            session.touched, session.wishes = touched | session.touched, wishes

    def one_turn(self, state: State) -> State | None:
        """The state at the next memo point, whatever the test says here; None at an end."""
        self.reached = None
        self.done(*state)
        following = self.follow(state)
        if following is not None:
            self.advance(following)
        return self.reached

    # ---- errors ----

    def endless(self, states: list[tuple[Any, ...]], how: str) -> StagingError:
        """The error for a loop whose specialization does not end; names the static value that grows."""
        last = states[:4]
        for k, place in enumerate(self.places):
            values = [s[k] if k < len(s) else None for s in last]
            plain = [_plain(v) for v in values]
            if len({repr(v) for v in plain}) == len(plain) > 1 and all(isinstance(v, int) for v in plain):
                shown = ", ".join(str(v) for v in plain)
                name = self.told(place)
                return StagingError(
                    f"specializing the loop does not end ({how}): {name} goes on as {shown}",
                    place=self.place, fix=f"make it dynamic with lift({name}) before the loop",
                )  # fmt: skip
        return StagingError(
            f"specializing the loop does not end ({how})", place=self.place, fix="lift what grows"
        )


def _plain(leaf: Any) -> Any:
    """A static leaf of a state or of a key."""
    match leaf:
        case ("static", (_, value)):
            return value
        case _:
            return leaf
