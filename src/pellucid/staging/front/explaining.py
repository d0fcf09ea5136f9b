"""The source of an interpreter with its binding times, as the compiler generator found them.

The interpreter is translated once more, with a mark behind each expression. A mark does nothing; the generator tells of
it, as of every instruction of every pattern, so that nothing is analyzed here.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from pellucid.base.errors import InputError
from pellucid.base.page import escaped, page
from pellucid.staging.cogen.generator import Compiler
from pellucid.staging.front.inference import Inference
from pellucid.staging.front.interpreter import Interpreter, InterpreterCompiler, Translation
from pellucid.staging.front.source import Source
from pellucid.staging.front.statements import program_of
from pellucid.staging.integers import lift
from pellucid.staging.root.program import Jump, Lift, RootPrim
from pellucid.staging.times.lattice import CYCLIC, DYNAMIC, STATIC, Pointer, Time, TimeGraph, is_static

SHADES = ("static", "dynamic", "partly")
LEGEND = {
    "static": "known when the compiler runs; nothing of it is left in the program",
    "dynamic": "known when the program runs; the program computes it",
    "partly": "static in some parts or at some times, dynamic in others",
}
_ANSI = {"static": "\x1b[34m", "dynamic": "\x1b[31m", "partly": "\x1b[35m"}
_LETTERS = {"static": "s", "dynamic": "d", "partly": "p", "": " "}
STYLE = """\
.times pre { line-height: 1.5; overflow-x: auto; padding: 0.6em 1em; }
.times .static { color: #1257c9; }
.times .dynamic { color: #c91a1a; font-weight: 600; }
.times .partly { color: #8a2fb8; font-weight: 600; }
.times .line { color: #6a6a6a; user-select: none; }
@media (prefers-color-scheme: dark) {
  .times .static { color: #7fb0ff; }
  .times .dynamic { color: #ff8080; }
  .times .partly { color: #d79bff; }
  .times .line { color: #9a9a9a; }
}
"""


class Piece(NamedTuple):
    """A part of a line: its text, its shade, which is one of `SHADES` or empty, and its binding times."""

    text: str
    shade: str
    times: str


class ExplainedLine(NamedTuple):
    """A line of the interpreter's file."""

    number: int
    pieces: tuple[Piece, ...]


class Note(NamedTuple):
    """A decision of the generator at a line, and its reason."""

    line: int
    text: str


class BindingTimes:
    """The lines of an interpreter's functions with their binding times, and notes on lifts.

    `str` is the text with a row of letters under each line, `text(color=True)` is for a terminal, and `html` and `page`
    are for browsers.
    """

    def __init__(
        self, title: str, file: str, lines: tuple[ExplainedLine, ...], notes: tuple[Note, ...]
    ) -> None:
        self.title = title
        self.file = file
        self.lines = lines
        self.notes = notes

    def __str__(self) -> str:
        """The text without colors."""
        return self.text()

    def shade(self, line: int, text: str) -> str:
        """The shade of the first occurrence of a text on a line; raises InputError where there is none."""
        for number, pieces in self.lines:
            found = re.search(rf"(?<!\w){re.escape(text)}(?!\w)", "".join(one.text for one in pieces))
            if number == line and found:
                letters = [one.shade for one in pieces for _ in one.text]
                return letters[found.start()]
        raise InputError(f"line {line} has no {text!r}", place=self.file, fix="look at the lines")

    def text(self, *, color: bool = False) -> str:
        """The lines for a terminal: in colors, or with a row of letters under each line."""
        out = [self.title, ""]
        before = 0
        for number, pieces in self.lines:
            if before and number > before + 1:
                out.append("")
            before = number
            plain = "".join(piece.text for piece in pieces)
            if color:
                painted = (
                    f"{_ANSI[one.shade]}{one.text}\x1b[0m" if one.shade else one.text for one in pieces
                )
                out.append(f"{number:5}  {''.join(painted)}")
                continue
            out.append(f"{number:5}  {plain}".rstrip())
            row = "".join(
                " " if letter.isspace() else _LETTERS[one.shade] for one in pieces for letter in one.text
            )
            if row.strip():
                out.append(f"       {row}".rstrip())
        out.append("")
        for name, meaning in LEGEND.items():
            shown = f"{_ANSI[name]}{name}\x1b[0m" if color else f"{_LETTERS[name]} {name}"
            out.append(f"{shown}: {meaning}")
        if self.notes:
            out.append("")
        out += [f"line {line}: {text}" for line, text in self.notes]
        return "\n".join(out) + "\n"

    def html(self) -> str:
        """The lines as spans of the classes `static`, `dynamic` and `partly`, with a legend and the notes."""
        rows: list[str] = []
        before = 0
        for number, pieces in self.lines:
            if before and number > before + 1:
                rows.append("")
            before = number
            shown = "".join(
                f'<span class="{one.shade}" title="{escaped(one.times)}">{escaped(one.text)}</span>'
                if one.shade
                else escaped(one.text)
                for one in pieces
            )
            rows.append(f'<span class="line">{number:5}</span>  {shown}')
        legend = "<br>\n".join(
            f'<span class="{name}">{name}</span>: {meaning}' for name, meaning in LEGEND.items()
        )
        notes = "\n".join(f"<li>Line {line}: {escaped(text)}</li>" for line, text in self.notes)
        listed = f"\n<ul>\n{notes}\n</ul>" if notes else ""
        code = "\n".join(rows)
        return f'<div class="times">\n<pre>{code}</pre>\n<p>{legend}</p>{listed}\n</div>\n'

    def page(self) -> str:
        """A page of its own."""
        return page(self.title, f"<h1>{escaped(self.title)}</h1>\n{self.html()}", style=STYLE)


def is_explained(value: Any) -> bool:
    """Whether a value is an interpreter in Python, or a compiler of one."""
    return isinstance(value, InterpreterCompiler | Interpreter)


def explain_times(compiler: InterpreterCompiler) -> BindingTimes:
    """The source of an interpreter with the binding times of its expressions, as `cogen` found them.

    Raises InputError for what is no compiler of an interpreter in Python, and StagingError as `cogen` does.

    >>> from pellucid.staging import DYNAMIC, STATIC, cogen, interpreter
    >>> @interpreter
    ... def scaled(n, x):
    ...     return n + 1 if n < 3 else x * n
    >>> print(explain_times(cogen(scaled, n=STATIC, x=DYNAMIC)))
    binding times of scaled(n: S, x: D)
    <BLANKLINE>
        1  @interpreter
        2  def scaled(n, x):
                      s  d
        3      return n + 1 if n < 3 else x * n
                      s s s pp s s s pppp d d s
    <BLANKLINE>
    s static: known when the compiler runs; nothing of it is left in the program
    d dynamic: known when the program runs; the program computes it
    p partly: static in some parts or at some times, dynamic in others
    <BLANKLINE>
    line 3: n meets x, which is dynamic: it is lifted to a constant of the program
    <BLANKLINE>
    """
    if not isinstance(compiler, InterpreterCompiler):  # pyright: ignore[reportUnnecessaryIsInstance] - from outside
        raise InputError(
            f"{type(compiler).__name__} is no compiler of an interpreter in Python",
            place="explain_times",
            fix="give what cogen makes of a function that interpreter marks",
        )
    if compiler.translation is None:
        raise InputError(
            "a compiler that was loaded has no source",
            place="explain_times",
            fix="make it of its interpreter",
        )
    return _Report(compiler, compiler.translation).times()


class _Report:
    """One explanation."""

    def __init__(self, compiler: InterpreterCompiler, translation: Translation) -> None:
        self._compiler = compiler
        self._source = translation.source
        self._found: dict[str, dict[str, Time]] = {}
        self._notes: dict[Note, None] = {}
        source, times = translation.source, compiler.times
        static = [name for name, time in times.items() if time is STATIC]
        code, self._inference = program_of(source, static, marked=True)
        self._names = {one.name for one in self._inference.sources.values()}
        sizes = (DYNAMIC for _ in self._inference.sizes)
        Compiler(code, (DYNAMIC, *times.values(), *sizes), **translation.options, watch=self._watch)

    def times(self) -> BindingTimes:
        """The binding times."""
        source = self._source
        own = [one for one in self._inference.sources.values() if one.file == source.file]
        lines: dict[int, ExplainedLine] = {}
        for one in own:
            lines |= {line.number: line for line in self._lines(one, self._inference)}
            self._calls(one)
        times = ", ".join(f"{name}: {time}" for name, time in self._compiler.times.items())
        return BindingTimes(
            f"binding times of {source.name}({times})",
            source.file,
            tuple(lines[number] for number in sorted(lines)),
            tuple(sorted(self._notes)),
        )

    # ---- what the generator tells ----

    def _watch(self, name: str, instruction: RootPrim | Lift | Jump, times: list[Time], made: Time) -> None:
        """Take note of an instruction of a pattern."""
        if isinstance(instruction, RootPrim) and instruction.name.startswith("@"):
            self._found.setdefault(instruction.name, {})[repr(made)] = made
            return
        function = name.partition(":")[0].partition("'")[0]
        if isinstance(instruction, RootPrim) and function in self._names:
            self._operands(function, instruction, times, made)
        elif isinstance(instruction, Jump) and made is DYNAMIC and times != [DYNAMIC]:
            node = self._inference.made.get((function, instruction.args[1]))
            if node is not None and times[0] is not CYCLIC:
                text = f"{ast.unparse(node)} is lifted: what {function} returns is dynamic, since it calls itself"
                self._note(node, text)

    def _operands(self, function: str, prim: RootPrim, times: list[Time], made: Time) -> None:
        """Note the operands that are lifted since others are dynamic."""
        if made is not DYNAMIC or prim.primitive in _QUIET or not {DYNAMIC, CYCLIC} & set(times):
            return
        node = self._inference.made.get((function, prim.name))
        if node is None:
            return
        named = [self._inference.made.get((function, one)) for one in prim.args]
        for one, time in zip(named, times, strict=True):
            if time is STATIC and one is not None and not isinstance(one, ast.Constant):
                others = [each for each, when in zip(named, times, strict=True) if when in (DYNAMIC, CYCLIC)]
                other = next((ast.unparse(each) for each in others if each is not None), "what")
                text = f"{ast.unparse(one)} meets {other}, which is dynamic: it is lifted to a constant of the program"
                self._note(node, text)

    def _note(self, node: ast.AST, text: str) -> None:
        self._notes[Note(getattr(node, "lineno", 0), text)] = None

    def _calls(self, source: Source) -> None:
        """Note the lifts that are written, and those of counters."""
        for node in ast.walk(source.tree):
            if isinstance(node, ast.Call) and source.known(node.func) is lift:
                self._note(node, f"{ast.unparse(node)} is dynamic from here on, since lift says so")
            elif isinstance(node, ast.Call) and node in self._inference.unfolded:
                self._note(node, f"{ast.unparse(node)} is left to the program, since dynamic_call says so")
            elif isinstance(node, ast.For) and self._counts(source, node):
                text = ast.unparse(node.iter)
                self._note(node, f"the counter of {text} is lifted, since the loop ends at a dynamic number")

    def _counts(self, source: Source, node: ast.For) -> bool:
        """Whether a loop goes over a range that ends at a dynamic number."""
        if not (isinstance(node.iter, ast.Call) and source.known(node.iter.func) is range and node.iter.args):
            return False
        end = node.iter.args[0] if len(node.iter.args) == 1 else node.iter.args[1]
        marks = self._inference.marks or {}
        return any(
            DYNAMIC in self._found.get(mark, {}).values() for mark, (_, one) in marks.items() if one is end
        )

    # ---- lines ----

    def _lines(self, source: Source, inference: Inference) -> Iterable[ExplainedLine]:
        """The lines of a function: each letter has the shade of the smallest expression that it is in."""
        shades: list[list[tuple[str, str]]] = [[("", "")] * len(line) for line in source.lines]
        marks = [(node, mark) for mark, (owner, node) in (inference.marks or {}).items() if owner is source]
        spans = sorted((_span(source, node), mark) for node, mark in marks if hasattr(node, "end_lineno"))
        for (_, row, column, last, end), mark in spans:
            times = self._found.get(mark)
            if times is None:
                continue
            shown = (
                _shade(times.values()),
                " or ".join(list(times)[:3]) + (" ..." if len(times) > 3 else ""),
            )
            for at in range(row, last + 1):
                line = shades[at]
                first, after = column if at == row else 0, end if at == last else len(line)
                line[first:after] = [shown] * (after - first)
        for at, text in enumerate(source.lines):
            yield ExplainedLine(source.first + at, tuple(_pieces(text, shades[at])))


def _span(source: Source, node: Any) -> tuple[int, int, int, int, int]:
    """Where a node stands in the lines of its function, with its size first, the largest before others."""
    row: int = node.lineno - source.first
    last: int = node.end_lineno - source.first
    column = len(source.lines[row].encode()[: node.col_offset].decode())
    end = len(source.lines[last].encode()[: node.end_col_offset].decode())
    if isinstance(node, ast.arg):
        end = column + len(node.arg)
    size = sum(len(one) for one in source.lines[row : last + 1]) - column - len(source.lines[last]) + end
    return -size, row, column, last, end


def _pieces(text: str, shades: list[tuple[str, str]]) -> Iterable[Piece]:
    """The parts of a line that have one shade."""
    begin = 0
    for at in range(1, len(text) + 1):
        if at == len(text) or shades[at] != shades[begin]:
            yield Piece(text[begin:at], *shades[begin])
            begin = at


def _shade(times: Iterable[Time]) -> str:
    """The shade of some times."""
    found = {_shade_of(time) for time in times}
    return found.pop() if len(found) == 1 else "partly"


def _shade_of(time: Time) -> str:
    """The shade of one time."""
    if isinstance(time, TimeGraph):
        fields = [one for node in time.nodes for one in (node.car, node.cdr) if isinstance(one, Time)]
        return "static" if all(_shade_of(one) == "static" for one in fields) else "partly"
    return "static" if is_static(time) or isinstance(time, Pointer) else "dynamic"


_QUIET = frozenset(
    {"car", "cdr", "frame", "cons", "close", "identity", "load", "store", "error", "pair?", "null?"}
)
"""Primitives that say nothing of lifts."""
