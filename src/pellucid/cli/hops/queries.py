"""Query commands: show the program, possible moves and refusals, the ledger, and runs."""

from __future__ import annotations

import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

import numpy as np

from pellucid.base.errors import FileError, InputError, did_you_mean
from pellucid.base.opening import contents
from pellucid.cli.hops import formatting
from pellucid.cli.hops.columns import beside
from pellucid.cli.hops.edits import split_options
from pellucid.cli.hops.repl import Part, ReplState, Reply, command, usage
from pellucid.ir.expr import Buffer
from pellucid.ir.nest import (
    SEQ,
    Alloc,
    Block,
    For,
    Kernel,
    all_roots,
    erase,
    inputs,
    rewrite,
    transform,
    walk,
)
from pellucid.ir.path import at, enclosing
from pellucid.loops.core.ledger import Step
from pellucid.loops.core.options import REQUIRED, option_of, options, value_of
from pellucid.loops.core.registry import theorems
from pellucid.loops.hops.listing import TextPosition
from pellucid.loops.hops.session import Session
from pellucid.reasoning.machine import PAPER, PROCESSOR, CostModel
from pellucid.reasoning.printed import printed_time
from pellucid.reasoning.prove import Proved
from pellucid.reasoning.timer import Timer
from pellucid.reasoning.vectors import vectorizable

GROUP = "look"
MAX_VISITS = 2_000_000_000
"""Iterations beyond which a run would try anyone's patience."""
MAX_ARRAY_BYTES = 1 << 32
"""The largest file of an array that is read."""
INTERPRETED = 20_000
"""Iterations up to which the interpreter is quick enough."""


@command("show", "[original] [plain|nest|hops]", "notation", group=GROUP)
def show(repl: ReplState, words: list[str]) -> Reply:
    """Print the program, its statements numbered.

    `plain` leaves out types and calls a variable by its name alone; `nest` is what the compiler prints; `hops` are
    White's s-expressions. The notation stays as it was chosen.
    """
    original = "original" in words
    rest = [w for w in words if w != "original"]
    if len(rest) > 1:
        raise usage("show")
    if rest:
        if rest[0] not in formatting.NOTATIONS:
            raise InputError(
                f"no notation is called {rest[0]!r}", fix=f"one of {', '.join(formatting.NOTATIONS)}"
            )
        repl.notation = rest[0]
    kernel = repl.session.original.kernel if original else repl.session.kernel
    program = Part("program", formatting.program(kernel, repl.notation))
    # White's notation has its own declarations.
    return [program] if repl.notation == "hops" else [Part("text", formatting.interface(kernel)), program]


@command("moves", "[MOVE|PLACE]", "move", group=GROUP)
def moves(repl: ReplState, words: list[str]) -> Reply:
    """List the moves that are licensed now, where, and what the timer says each would change.

    With the name of a move, only that one; with a place, only those there. The cheapest result comes first; a move that
    makes the program dearer may still be worth making, for what it makes possible.
    """
    from pellucid.loops.core.registry import moves as every

    if len(words) > 1:
        raise usage("moves")
    name = words[0] if words and words[0] in every() else None
    where = words[0] if words and name is None else None
    if where is not None and not where.isdigit():
        hint = did_you_mean(where, every())
        if hint:
            raise InputError(f"neither a move nor a place is called {where!r}", fix=hint)
    found = list(repl.session.offers(name, where))
    # A move that has to be told something cannot be tried without.
    asking = {m: options(m) for m in every().values() if name in (None, m.name) and repl.session.found(m)}
    needed = [f"{m.name} {word}=…" for m, own in asking.items() for word in own if own[word] is REQUIRED]
    parts = [Part("text", formatting.offers(found, repl.width))] if found else []
    if needed and where is None:
        parts.append(Part("text", f"not tried, as they have to be told something: {', '.join(needed)}"))
    if not parts:
        asked = f"{name} is" if name else "No move is"
        parts.append(
            Part("text", f"{asked} {'not ' if name else ''}licensed {'there' if where else 'anywhere'}.")
        )
    return parts


@command("why", "[not] MOVE [at] PLACE [OPTION=VALUE …]", "not", "move", "at", "place", group=GROUP)
def why(repl: ReplState, words: list[str]) -> Reply:
    """Say which condition keeps a move from being made somewhere, and what would help.

    If nothing is in the way, the conditions that hold are listed instead.
    """
    plain, chosen = split_options(words)
    if plain[:1] == ["not"]:
        plain = plain[1:]
    if len(plain) == 3 and plain[1] == "at":
        del plain[1]
    if len(plain) != 2:
        raise usage("why")
    answer = repl.session.why_not(plain[0], plain[1], **chosen)
    title = f"{answer.move.name} at {answer.place.number}: {answer.place.line}"
    kind = "good" if not answer.remedies and answer.verdict.__class__.__name__ == "Proved" else "bad"
    return [Part("title", title), Part(kind, formatting.why_not(answer, repl.width))]


@command("ledger", "[all]", group="history")
def ledger(repl: ReplState, words: list[str]) -> Reply:
    """List the steps that were made, each with its theorem and its cost.

    `all` prints the ledger in full, with every condition, and with what heuristics tried in vain. To keep it, save it
    as FILE.md or FILE.json.
    """
    if words not in ([], ["all"]):
        raise usage("ledger")
    steps = repl.session.steps
    if words:
        return [Part("text", str(repl.session.ledger) or "Nothing has been done yet.")]
    if not steps:
        return [Part("text", "Nothing has been done yet.")]
    return [
        Part("text", formatting.steps(steps)),
        Part("text", formatting.compared(steps[0].before, steps[-1].after)),
    ]


@command("explain", "STEP [all]", "step", group="history")
def explain(repl: ReplState, words: list[str]) -> Reply:
    """Tell a step at length: the theorem, each condition, before and after, and the small steps that it is made of.

    A move that is made of smaller ones is replayed here on an instance with a few iterations, small step by small step,
    each with a theorem of its own. Small steps of one kind are told together; `all` shows the program after each.
    """
    whole = words[1:] == ["all"]
    step = _step(repl, words[:1] if whole else words, "explain")
    theorem = theorems().get(getattr(step.verdict, "theorem", ""))
    parts = [Part("title", formatting.step_title(step))]
    if theorem is not None:
        parts.append(Part("text", formatting.wrapped(f"{theorem.name}: {theorem.title}", repl.width)))
    parts.append(Part("good", formatting.licensed(step, repl.width)))
    parts.append(Part("program", beside(*formatting.both(step.old, step.new), repl.width)))
    if step.details:
        parts.append(Part("text", "\n".join(["made of", *(f"  {d}" for d in step.details)])))
    if step.derive is not None:
        parts += _derivation([s for s in step.derive().steps if s.applied], repl.width, whole=whole)
    return parts


def _derivation(small: Sequence[Step], width: int, *, whole: bool) -> Reply:
    """The small steps of a derived move, replayed on an instance."""
    if not small:
        return []
    parts = [Part("title", f"the same in {len(small)} small steps, on an instance with a few iterations")]
    parts.append(Part("program", formatting.program(small[0].old)))
    groups = [[s] for s in small]
    if not whole:
        groups = [
            list(same) for _, same in groupby(small, key=lambda s: (s.move, str(s.verdict).partition(";")[0]))
        ]
    done = 0
    for group in groups:
        first, last = done + 1, done + len(group)
        done = last
        numbers = f"step {first}" if first == last else f"steps {first} to {last}"
        parts.append(Part("title", f"small {numbers}: {group[0].move}"))
        parts.append(Part("text", "\n".join("  at {}: {}".format(*formatting.place_of(s)) for s in group)))
        parts.append(Part("good", formatting.licensed(group[0], width)))
        parts.append(Part("program", formatting.program(group[-1].new)))
    return parts


@command("compare", "[STEP]", "step", group="history")
def compare(repl: ReplState, words: list[str]) -> Reply:
    """Show the program at first and now beside each other, or before and after a step."""
    step = _step(repl, words, "compare") if words else None
    old = step.old if step is not None else repl.session.original.kernel
    new = step.new if step is not None else repl.session.kernel
    titles = ("before", "after") if step is not None else ("at first", "now")
    return [Part("program", beside(*formatting.both(old, new), repl.width, titles))]


def _step(repl: ReplState, words: Sequence[str], name: str) -> Step:
    if len(words) != 1 or not words[0].isdigit():
        raise usage(name)
    return repl.session.step(int(words[0]))


@command("replay", "", group="history")
def replay(repl: ReplState, words: list[str]) -> Reply:
    """Make every step again from the original program, with every condition checked anew."""
    if words:
        raise usage("replay")
    count = repl.session.recheck()
    return [
        Part(
            "good",
            f"{count} step{'' if count == 1 else 's'} made again: every condition holds, same program.",
        )
    ]


# ---- what it costs and does ----


@command("times", "[paper|measured] [NAME=NUMBER …]", "size", group=GROUP)
def times(repl: ReplState, words: list[str]) -> Reply:
    """Tell what the program cost at first and what it costs now: as a formula in its sizes, and as a number.

    Sizes are those of parameters, n=100, or counts of loops whose bounds say nothing, j=20. Costs are cycles of a
    processor with vectors, roughly; `measured` takes the table that pellucid doctor --calibrate has measured here, and
    `paper` White's constants, each 1, and prints her formula too. The loops that could run in the lanes of a vector are
    named.
    """
    named = [w for w in words if "=" not in w]
    if len(named) > 1 or not {*named} <= {"paper", "measured"}:
        raise usage("times")
    paper = named == ["paper"]
    session = repl.session
    old, new = session.original.kernel, session.kernel
    machine = PAPER if paper else _measured() if named else PROCESSOR
    timer = _timer(session, machine, dict(option_of(w) for w in words if "=" in w))
    before, after = timer.cost(old), timer.cost(new)
    lines = [f"by the table: {machine.name}"]
    versions = [("at first", old, before)] if old is not new else []
    for name, kernel, cost in (*versions, ("now", new, after)):
        formula = timer.symbolic(kernel.body)
        means = f" = {formula}" if formula.names() else ""
        lines.append(formatting.wrapped(f"{name}: {formatting.amount(cost)}{means}", repl.width, "  "))
    if paper:
        lines += [
            "as White prints it, now",
            formatting.wrapped(printed_time(_assigned_alone(new.body)), repl.width, "  "),
        ]
    able = [p for p in session.places() if _can_run_in_lanes(session, p)]
    if able:
        lines.append(f"loops that can run in lanes: {', '.join(f'{p.number} ({_loop(p)})' for p in able)}")
    lines += [formatting.compared(before, after)] if old is not new else []
    return [Part("text", "\n".join(lines))]


def _measured() -> CostModel:
    from pellucid.driver.calibration import measured

    found = measured()
    if found is None:
        raise InputError("no table was measured on this processor", fix="run: pellucid doctor --calibrate")
    return found


def _timer(session: Session, machine: CostModel, given: Mapping[str, Any]) -> Timer:
    """A timer with the sizes and counts that are given.

    Raises InputError for what is neither a size of the program nor the variable of a loop.
    """
    kernels = (session.original.kernel, session.kernel)
    loops = {str(s.index.attr) for k in kernels for s in walk(k.body) if isinstance(s, For)}
    sizes = {str(p.attr) for p in session.kernel.params} | {
        b.name for k in kernels for b in (*k.outputs, *inputs(k)) if b.size == 1
    }
    for name, value in given.items():
        if name not in sizes | loops:
            fix = did_you_mean(name, sizes | loops) or f"give {', '.join(sorted(sizes | loops)) or 'nothing'}"
            raise InputError(f"{name!r} is neither a size nor a loop of this program", fix=fix)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise InputError(f"{value!r} is not a number", place=name)
    return Timer(
        machine,
        sizes={name: value for name, value in given.items() if name in sizes},
        counts={name: value for name, value in given.items() if name in loops},
    )


def _assigned_alone(block: Block) -> Block:
    """Statements as White has them, who declares variables elsewhere."""
    return transform(erase(block), lambda s: s.body if isinstance(s, Alloc) else (s,))


def _can_run_in_lanes(session: Session, place: TextPosition) -> bool:
    loop = at(session.kernel.body, place.path)
    if not isinstance(loop, For) or loop.how != SEQ:
        return False
    around = [s for s in enclosing(session.kernel.body, place.path) if isinstance(s, For)]
    return isinstance(vectorizable(loop, around, session.state.ranges), Proved)


def _loop(place: TextPosition) -> str:
    return place.line.removesuffix(":").partition(" in ")[0]


@command("run", "[NAME=VALUE …] [seed=N]", "input", group=GROUP)
def run(repl: ReplState, words: list[str]) -> Reply:
    """Run the program at first and the program now on the same inputs, and compare all outputs bit for bit.

    Inputs are made up, others for each seed, unless they are given: n=5, a=1,2,3 for an array, a=FILE.npy. The visits
    of each loop are counted. Theorems say that the outputs are the same; this lets you see it.
    """
    from pellucid.loops.hops import trial

    if any("=" not in w for w in words):
        raise usage("run")
    pairs = [w.partition("=")[::2] for w in words]
    seed = next((int(value) for name, value in pairs if name == "seed" and value.isdigit()), 1)
    given = {name: _input(value) for name, value in pairs if name != "seed"}
    session = repl.session
    ways: dict[str, None] = {}

    def runner(kernel: Kernel, arguments: Mapping[str, Any], memory: trial.Memory) -> None:
        ways[run_quickly(kernel, arguments, memory)] = None

    old, new = session.original.kernel, session.kernel
    result = trial.compare(old, new, ranges=session.state.ranges, given=given, seed=seed, runner=runner)
    parts = [Part("text", f"run by {' and '.join(ways)}"), Part("text", formatting.trial(result))]
    if old is new:
        return parts
    if result.differs is None:
        return [*parts, Part("good", "Both programs give the same outputs, bit for bit.")]
    name, at = result.differs
    text = f"{name}[{at}] was {result.before[name][at]}, and is {result.after[name][at]} now: please report this."
    return [*parts, Part("bad", text)]


def _input(text: str) -> Any:
    if not text.endswith(".npy"):
        return value_of(text)
    data = contents(text, "an array of NumPy", max_bytes=MAX_ARRAY_BYTES)
    file = io.BytesIO(data)
    try:
        version = np.lib.format.read_magic(file)
        read = (
            np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        )
        shape, columns_first, dtype = read(file)
        # Its own reader allocates what the header claims, before it looks at how long the file is.
        values = np.frombuffer(data, dtype, math.prod(shape), file.tell())
        return values.reshape(shape, order="F" if columns_first else "C")
    except Exception as problem:  # noqa: BLE001 - a damaged header makes NumPy raise anything at all
        raise FileError(f"is not an array of numbers ({problem})", place=text, fix="save it again") from None


def run_quickly(kernel: Kernel, arguments: Mapping[str, Any], memory: dict[Buffer, Any]) -> str:
    """Run by the interpreter, which is the meaning, or by machine code where that would take too long; says by which.

    Raises InputError for more iterations than anyone would wait for.
    """
    from pellucid.ir import interp
    from pellucid.loops.hops.trial import expected_visits

    visits = expected_visits(kernel, arguments)
    if visits > MAX_VISITS:
        raise InputError(f"about {visits:,} iterations would take too long", fix="give smaller sizes")
    if visits <= INTERPRETED:
        interp.run(kernel, arguments, memory)
        return "the interpreter"
    from pellucid.backends.llvm import LlvmBackend
    from pellucid.rewriting.expand import expand

    # Back ends spell simple rows only; expanding the others keeps every bit.
    old = all_roots(kernel.body)
    simple = dict(zip(old, expand(old, "exact"), strict=True))
    body = rewrite(kernel.body, lambda roots: tuple(simple[r] for r in roots))
    LlvmBackend().compile(replace(kernel, body=body), {}).run(arguments, memory)
    return "machine code"
