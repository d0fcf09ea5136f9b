"""Line editing: completion and history by the readline of the standard library, where Python has it."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from pellucid.base.errors import PellucidError
from pellucid.cli.hops.formatting import NOTATIONS
from pellucid.cli.hops.repl import ReplState, commands, split, understood

REMEMBERED = 1000
"""Lines that are remembered from one session to the next."""


def completions(repl: ReplState, line: str) -> list[str]:
    r"""The words that could stand at the end of a line, each whole.

    >>> from pellucid.loops.hops.saving import ProgramText
    >>> text = "kernel k():\n  output a: i32[9]\n  for i in 0 .. 9:\n    a[i] := 0\n"
    >>> repl = ReplState.of(ProgramText("k", text, "nest"))
    >>> completions(repl, "try spread "), completions(repl, "red")
    (['1', 'band=', 'i'], ['redo'])
    """
    from pellucid.loops.core.registry import moves
    from pellucid.loops.scripts.heuristics import heuristics

    words = line.split()
    last = words.pop() if words and not line[-1:].isspace() else ""
    if not words:
        known = [*commands(), *moves(), *heuristics()]
        return sorted(w for w in known if w.startswith(last))
    try:
        chosen, rest = understood(split(line[: len(line) - len(last)]))
    except PellucidError:
        return []
    optional = [w for w in chosen.wants if w not in ("not", "at") or w in rest]
    position = len([w for w in rest if "=" not in w])
    kinds = [optional[position]] if position < len(optional) else chosen.wants[-1:] if rest else []
    if chosen.name == "why" and not rest:
        kinds = ["not", "move"]
    found = {w for kind in kinds for w in _words(repl, kind, rest, last)}
    return sorted(
        (w for w in found if w.startswith(last)),
        key=lambda w: (not w.isdigit(), len(w) if w.isdigit() else 0, w),
    )


def _words(repl: ReplState, kind: str, rest: list[str], last: str) -> list[str]:
    """The words of a kind: moves, places of a move, options of a move, and so on."""
    from pellucid.loops.core.options import options
    from pellucid.loops.core.registry import moves
    from pellucid.loops.scripts.heuristics import heuristics

    session = repl.session
    move = next((moves()[w] for w in rest if w in moves()), None)
    match kind:
        case "move":
            return list(moves())
        case "heuristic":
            return list(heuristics())
        case "place" if move is not None:
            among = set(session.found(move))
            places = [p for p in session.places() if p.path in among]
            names = [w for p in places for w in [str(p.number), *_name(p.line)]]
            return [*names, *(["0"] if () in among else []), *(f"{name}=" for name in options(move))]
        case "option" if move is not None:
            return [f"{name}=" for name in options(move)]
        case "limit":
            return ["depth=", "seconds=", "width="]
        case "if":
            chosen = heuristics().get(rest[0]) if rest else None
            ifs = [str(p.number) for p in session.places() if p.line.startswith("if ")]
            if chosen is None:
                return []
            return [*(ifs if chosen.placed else []), *(f"{name}=" for name in chosen.options)]
        case "step":
            return [str(k) for k in range(1, len(session.steps) + 1)]
        case "parameter":
            return [str(p.attr) for p in session.kernel.params]
        case "input":
            from pellucid.ir.nest import inputs

            kernel = session.original.kernel
            names = [*(p.attr for p in kernel.params), *(b.name for b in (*kernel.outputs, *inputs(kernel)))]
            return [*(f"{name}=" for name in names), "seed="]
        case "size":
            return [*(f"{p.attr}=" for p in session.kernel.params), "paper", "measured"]
        case "notation":
            return ["original", *NOTATIONS]
        case "topic":
            return [*commands(), *moves(), *heuristics(), "notation"]
        case "file":
            return _files(last)
        case _:
            return [kind] if kind in ("not", "at") else []


def _name(line: str) -> list[str]:
    """The name that a statement's line gives it: that of a loop's variable."""
    words = line.split()
    return [words[1].rstrip(":")] if words[:1] == ["for"] else []


def _files(begun: str) -> list[str]:
    folder = Path(begun).parent if not begun.endswith(os.sep) else Path(begun)
    with suppress(OSError):
        prefix = "" if str(folder) == "." and not begun.startswith(".") else f"{folder}{os.sep}"
        return [f"{prefix}{p.name}{os.sep if p.is_dir() else ''}" for p in folder.iterdir()]
    return []


def history_file() -> Path | None:
    """The file of remembered lines: in XDG_STATE_HOME, or in ~/.local/state; None where there is no home."""
    state = os.environ.get("XDG_STATE_HOME")
    with suppress(RuntimeError):
        return Path(state) / "pellucid" / "hops" if state else Path.home() / ".local/state/pellucid/hops"
    return None


@contextmanager
def edited(repl: ReplState) -> Generator[None]:
    """Within it, lines typed at a prompt are edited, completed and remembered.

    Without readline, which some builds of Python lack, lines are read as they come. A history that cannot be read or
    written is no reason to stop.
    """
    try:
        import readline
    except ImportError:
        yield
        return
    choices: list[str] = []

    def complete(text: str, state: int) -> str | None:
        del text
        nonlocal choices
        if state == 0:
            try:
                choices = completions(repl, readline.get_line_buffer()[: readline.get_endidx()])
            except Exception:  # noqa: BLE001 - a mistake in here must not spoil the line
                choices = []
        return (
            choices[state] + ("" if choices[state].endswith(("=", os.sep)) else " ")
            if state < len(choices)
            else None
        )

    readline.set_completer(complete)
    readline.set_completer_delims(" \t")
    is_libedit = "libedit" in (readline.__doc__ or "")
    readline.parse_and_bind("bind ^I rl_complete" if is_libedit else "tab: complete")
    path = history_file()
    if path is not None:
        with suppress(OSError):
            readline.read_history_file(path)
    try:
        yield
    finally:
        readline.set_completer(None)
        if path is not None:
            with suppress(OSError):
                path.parent.mkdir(parents=True, exist_ok=True)
                readline.set_history_length(REMEMBERED)
                readline.write_history_file(path)
