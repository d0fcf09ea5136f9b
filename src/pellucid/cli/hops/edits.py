"""Edit commands: change the program, undo changes, or save them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pellucid.base.atomic import atomic_write
from pellucid.base.errors import InputError
from pellucid.base.opening import text_of
from pellucid.cli.hops import formatting
from pellucid.cli.hops.columns import beside
from pellucid.cli.hops.repl import Part, ReplState, Reply, command, usage
from pellucid.loops.core.options import option_of, value_of
from pellucid.loops.hops.saving import ProgramText, as_lines, as_markdown, as_python, as_report
from pellucid.loops.hops.session import Change
from pellucid.loops.scripts.search import Seen

GROUP = "change the program"


def split_options(words: Sequence[str]) -> tuple[list[str], dict[str, object]]:
    """The words without an equals sign, and the options."""
    plain = [w for w in words if "=" not in w]
    return plain, dict(option_of(w) for w in words if "=" in w)


@command("try", "MOVE [PLACE] [OPTION=VALUE …]", "move", "place", "option", group=GROUP)
def try_(repl: ReplState, words: list[str]) -> Reply:
    """Make a move, if it is licensed there; without a place, at the first one where it is.

    A place is the number of a statement in the listing (0 is the whole program), the name of a loop's variable, or the
    name of what a statement stores. A move that is not licensed is not made, and the condition that failed is told.
    """
    plain, options = split_options(words)
    if not 1 <= len(plain) <= 2:
        raise usage("try")
    change = repl.session.make(plain[0], plain[1] if len(plain) == 2 else None, **options)
    return _changed(repl, change)


@command("do", "HEURISTIC [PLACE] [OPTION=VALUE …]", "heuristic", "if", group=GROUP)
def do(repl: ReplState, words: list[str]) -> Reply:
    """Let a heuristic choose moves; it makes only those that are licensed.

    Every move that it makes becomes a step of its own in the ledger; one undo takes back all of them. Some take
    options: live=h,b names the outputs that are wanted at the end.
    """
    plain, options = split_options(words)
    if not 1 <= len(plain) <= 2:
        raise usage("do")
    change = repl.session.do(plain[0], plain[1] if len(plain) == 2 else None, **options)
    return _changed(repl, change)


@command("search", "[seconds=30] [width=8] [depth=12]", "limit", group=GROUP)
def search(repl: ReplState, words: list[str]) -> Reply:
    """Look for a cheaper program by trying moves after moves, also through dearer programs, within limits.

    What is found is a list of ordinary moves, each licensed; they enter the ledger one by one, and a saved session
    makes the same moves without searching. `width` is how many programs are kept after each level of moves, `depth` how
    many levels there are.
    """
    plain, options = split_options(words)
    if plain:
        raise usage("search")

    def told(seen: Seen) -> None:
        cost = formatting.amount(seen.cost)
        repl.progress(
            f"{seen.depth} moves deep, {seen.programs:,} programs, {seen.seconds:.1f} s, cost {cost}"
        )

    try:
        change, found = repl.session.search(progress=told, **options)
    finally:
        repl.progress("")
    answer = _changed(repl, change)
    if found.complete:
        return answer
    late = f"the time ran out after {found.programs:,} programs; there may be better ones"
    return [*answer, Part("bad", late)]


def _changed(repl: ReplState, change: Change) -> Reply:
    """The report of a change: the step or steps, before and after, why it is allowed, what it costs."""
    applied = change.applied
    number = len(repl.session.steps)
    old, new = change.old.kernel, change.new.kernel
    parts: Reply = []
    if len(applied) == 1:
        parts.append(Part("title", f"step {number}: {formatting.step_title(applied[0])}"))
    else:
        first = number - len(applied) + 1
        parts.append(Part("title", f"steps {first} to {number}"))
        parts.append(Part("text", formatting.steps(applied, first)))
    parts.append(Part("program", beside(*formatting.both(old, new), repl.width)))
    if len(applied) == 1:
        parts.append(Part("good", formatting.licensed(applied[0], repl.width)))
    parts.append(Part("text", formatting.compared(applied[0].before, applied[-1].after)))
    return parts


@command("assume", "PARAMETER[*PARAMETER] LOW..HIGH", "parameter", group=GROUP)
def assume(repl: ReplState, words: list[str]) -> Reply:
    """Promise that a parameter, or a product of some, stays within a range, which may license more moves.

    The promise is written down with the moves, and can be taken back. Whoever runs the program has to keep it.
    """
    low, high = (
        (value_of(text) for text in words[1].split("..", 1))
        if len(words) == 2 and ".." in words[1]
        else ("", "")
    )
    if not (isinstance(low, int | float) and isinstance(high, int | float)):
        raise usage("assume")
    repl.session.assume(words[0], low, high)
    return [Part("text", f"from here on {low} <= {words[0]} <= {high}")]


@command("undo", "[COUNT]", group=GROUP)
def undo(repl: ReplState, words: list[str]) -> Reply:
    """Take back the last change, or the last few."""
    taken = repl.session.undo(_count("undo", words))
    return [Part("text", f"{_changes(taken)} taken back"), _listing(repl)]


@command("redo", "[COUNT]", group=GROUP)
def redo(repl: ReplState, words: list[str]) -> Reply:
    """Make changes again that were taken back."""
    made = repl.session.redo(_count("redo", words))
    return [Part("text", f"{_changes(made)} made again"), _listing(repl)]


@command("reset", "", group=GROUP)
def reset(repl: ReplState, words: list[str]) -> Reply:
    """Take back everything; redo brings it back."""
    if words:
        raise usage("reset")
    taken = repl.session.undo(len(repl.session.done))
    return [Part("text", f"{_changes(taken)} taken back"), _listing(repl)]


def _changes(count: int) -> str:
    return "1 change" if count == 1 else f"{count} changes"


def _count(name: str, words: Sequence[str]) -> int:
    if len(words) > 1 or (words and not (words[0].isdigit() and int(words[0]) > 0)):
        raise usage(name)
    return int(words[0]) if words else 1


def _listing(repl: ReplState) -> Part:
    return Part("program", formatting.program(repl.session.kernel, repl.notation))


# ---- files ----


@command("load", "FILE", "file", group="files")
def load(repl: ReplState, words: list[str]) -> Reply:
    """Begin anew with another program.

    What was done so far is gone; save it first.
    """
    if len(words) != 1:
        raise usage("load")
    program = opened(words[0])
    session = program.session()
    repl.program, repl.session, repl.saved = program, session, ()
    return [Part("title", program.name), Part("text", formatting.interface(session.kernel)), _listing(repl)]


def opened(name: str) -> ProgramText:
    """The program in a file, under the file's name; of a Python file, the program of one of its pictures.

    Raises FileError if it cannot be read.
    """
    path = Path(name)
    if path.suffix == ".py" or ".py:" in name:
        return _picture(name)
    return ProgramText.of(path.stem, text_of(path, "a program, such as one of .hops or .nest"))


def _picture(name: str) -> ProgramText:
    """The program of a picture, simplified, before anything is done to its loops."""
    from pellucid.canvas.explaining import explain
    from pellucid.canvas.source import is_picture
    from pellucid.cli.loading import chosen

    found = chosen(name)
    if not is_picture(found.thing):
        raise InputError("is compiled already", place=name, fix="name the picture that it was made of")
    report = explain(found.thing)
    return ProgramText(found.name, report.stages["simplified"], "nest", report.ranges)


@command("save", "FILE", "file", group="files")
def save(repl: ReplState, words: list[str]) -> Reply:
    """Write down what was done, so that it can be done again.

    FILE.py becomes a Python program that makes the same moves, checks each one, and prints the ledger; run it with
    python. Any other name becomes a list of lines for pellucid hops --script. FILE.md and FILE.json are the ledger
    itself, and FILE.html is a page that shows it with the program after each step. A file that is there already is
    overwritten.
    """
    if len(words) != 1:
        raise usage("save")
    path = Path(words[0])
    session = repl.session
    match path.suffix:
        case ".py":
            text = as_python(session, repl.program)
        case ".html":
            text = as_report(session, repl.program).page(as_lines(session))
        case ".md":
            text = as_markdown(session, repl.program)
        case ".json":
            import json

            text = json.dumps(session.ledger.as_json(texts=True), indent=1) + "\n"
        case ".hops" | ".nest":
            raise InputError(
                "that is the name of a program", place=words[0], fix="save the moves as .py or .steps"
            )
        case _:
            text = as_lines(session)
    with atomic_write(path) as file:
        file.write(text.encode("utf-8", "backslashreplace"))
    repl.saved = tuple(session.done)
    return [Part("text", f"written: {path}")]
