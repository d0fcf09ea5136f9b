"""The command `help`: a lesson, every command, every move with its theorem, its conditions and an example."""

from __future__ import annotations

import functools

from pellucid.base.errors import InputError, did_you_mean
from pellucid.cli.hops import formatting
from pellucid.cli.hops.columns import beside
from pellucid.cli.hops.repl import Command, LeaveError, Part, ReplState, Reply, command, commands, usage
from pellucid.loops.core.move import Move
from pellucid.loops.core.registry import moves
from pellucid.loops.hops.examples import example
from pellucid.loops.scripts.heuristics import heuristics

LESSON = """\
You see a program, and make it faster in small steps. Each step is a move: a
change of the text that keeps what the program computes, licensed by a theorem
whose conditions are checked at the place that you name. Nothing else can be
done, so you cannot break the program. Try things.

  show            the program; every statement has a number, and that is its place
  moves           what could be done now, and what the timer says of it
  try MOVE PLACE  do it: before and after, the conditions that hold, the cost
  why not MOVE at PLACE
                  which condition is in the way
  undo, redo      go back and forth
  run             run both programs on the same inputs, and compare
"""
GROUPS = ("look", "change the program", "history", "files", "help")
NOTATION = """\
  for i in 0 .. 256:     i is 0, 1, ... 255 in turn; both bounds are fixed when the loop begins
  a[i] := a[i] + 1       the element of a at position i gets a new value
  s := 0                 the variable s gets a new value
  if i == a[j]:          what is below is done only if they are equal; after else: if they are not
  if c then x else y     a value: x where c holds, y elsewhere
"""


@command("help", "[COMMAND|MOVE|HEURISTIC|CONDITION|notation|moves]", "topic", group="help")
def help_(repl: ReplState, words: list[str]) -> Reply:
    """Teach: an overview, or one command, move, heuristic or condition at length.

    `help notation` tells how programs are written, `help moves` names every move there is.
    """
    if not words:
        return _overview(repl.width)
    if len(words) > 1:
        raise usage("help")
    topic = words[0]
    if topic == "notation":
        return [Part("title", "how programs are written"), Part("text", NOTATION.rstrip())]
    if topic == "moves":
        lines = [formatting.wrapped(f"{m.name}: {m.doc}", repl.width, "  ") for m in moves().values()]
        return [_command(commands()["moves"]), Part("title", "every move"), Part("text", "\n".join(lines))]
    if topic in moves():
        return _move(moves()[topic], repl.width)
    if topic in heuristics():
        return [Part("title", topic), Part("text", formatting.wrapped(heuristics()[topic].doc, repl.width))]
    if topic in commands():
        return [_command(commands()[topic])]
    if topic in _clauses():
        return [Part("title", f"{topic}, a condition"), Part("text", "\n".join(_clauses()[topic]))]
    known = [*commands(), *moves(), *heuristics(), *_clauses(), "notation"]
    raise InputError(f"there is no help on {topic!r}", fix=did_you_mean(topic, known) or "see help")


def _overview(width: int) -> Reply:
    parts = [Part("text", LESSON.rstrip())]
    for group in GROUPS:
        inside = [c for c in commands().values() if c.group == group]
        lines = [formatting.wrapped(f"{c.name:<8} {c.doc}", width, "  ") for c in inside]
        parts += [Part("title", group), Part("text", "\n".join(lines))]
    return [*parts, Part("text", "More: help COMMAND, help MOVE, help moves, help notation.")]


@functools.cache
def _clauses() -> dict[str, list[str]]:
    """Every condition by name: the moves and theorems that have it, with its words at the place of their examples."""
    found: dict[str, list[str]] = {}
    for move in moves().values():
        site = example(move.name).site
        for theorem in move.theorems:
            for clause in theorem.clauses if theorem.shape is None else (theorem.shape, *theorem.clauses):
                fits = isinstance(clause.text, str) or theorem.fits(site)
                words = f": {clause.words(site)}" if fits else ""
                found.setdefault(clause.name, []).append(f"  {move.name}, {theorem.name}{words}")
        for limit in move.limits:
            found.setdefault(limit.name, []).append(f"  {move.name}, a limit: {limit.words(site)}")
    return found


def _command(c: Command) -> Part:
    return Part("text", "\n".join([c.usage, "", c.doc, *(["", c.more] if c.more else [])]))


def _move(move: Move, width: int) -> Reply:
    """A move at length: what it does, what licenses it, its options, an example that was made this moment."""
    parts = [Part("title", move.name), Part("text", formatting.wrapped(move.doc, width))]
    shown = example(move.name)
    site = shown.site
    for theorem in move.theorems:
        how = f"proved by machine: {theorem.lemma}" if theorem.lemma else "tested, not yet proved by machine"
        lines = [
            formatting.wrapped(f"{theorem.name} ({how})", width),
            formatting.wrapped(theorem.title, width, "  "),
        ]
        fits = theorem.fits(site)
        named = [(c.name, c.words(site) if fits or isinstance(c.text, str) else "…") for c in theorem.clauses]
        parts.append(Part("good", "\n".join([*lines, formatting.clauses(named, width, "  ")])))
    if move.limits:
        limits = formatting.clauses([(c.name, c.words(site)) for c in move.limits], width, "  ")
        parts.append(Part("good", f"within these limits\n{limits}"))
    if chosen := formatting.chosen(move):
        parts.append(Part("text", f"options: {chosen}"))
    parts.append(Part("text", formatting.wrapped(f"example: {shown.call}: {shown.caption}", width)))
    parts.append(Part("program", beside(*formatting.both(shown.before, shown.after), width)))
    return parts


@command("quit", "", group="help")
def quit_(repl: ReplState, words: list[str]) -> Reply:
    """Leave; so does Ctrl-D."""
    if words:
        raise usage("quit")
    raise LeaveError
