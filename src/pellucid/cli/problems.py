"""Whatever goes wrong, as one line and an exit status.

Wraps every command. Errors that pellucid raises on purpose are printed as they are; an error that comes from the
user's own function is told with its file and line; anything else is a mistake of pellucid and says so.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from pellucid.base.errors import InputError, PellucidError
from pellucid.base.tracebacks import show_all
from pellucid.cli.stopping import stoppable

FAILED = 1
USAGE = 2
INTERRUPTED = 130


def guarded(work: Callable[[], int], *, debug: bool = False) -> int:
    """The exit status of `work`; errors become one line on standard error, with a traceback if `debug`.

    >>> guarded(lambda: 0)
    0
    """
    before = show_all() if debug else None
    try:
        with stoppable(), _short_warnings():
            status = work()
            sys.stdout.flush()
            return status
    except SystemExit as error:
        return error.code if isinstance(error.code, int) else int(error.code is not None)
    except KeyboardInterrupt:
        _say("interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        # The next program has seen enough; Python must not complain about it again at exit.
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except Exception as error:  # noqa: BLE001 - the last stop of all errors
        if debug:
            import traceback

            traceback.print_exc()
        _say(_told(error))
        return USAGE if isinstance(error, InputError) else FAILED
    finally:
        if before is not None:
            show_all(before)


def _told(error: Exception) -> str:
    place = place_in_user_code(error)
    if isinstance(error, PellucidError):
        return located(place, str(error)) if place and not isinstance(error, InputError) else str(error)
    text = in_one_line(error)
    if place:
        return f"{place}: {text}"
    if isinstance(error, MemoryError):
        return "out of memory; draw it smaller or in parts"
    return f"a mistake in pellucid: {text}; please report it with the output of --debug"


def in_one_line(error: Exception) -> str:
    r"""An error that nobody has worded for people: its kind and its text.

    >>> in_one_line(ValueError("two\n  lines")), in_one_line(KeyError())
    ('ValueError: two lines', 'KeyError')
    """
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


#: The folders from which `loading` has run files.
_user_folders: set[Path] = set()
_HOME = Path(__file__).resolve().parent.parent


def owns_errors(folder: Path) -> None:
    """Remember that errors from the Python files in `folder` are the user's."""
    _user_folders.add(folder.resolve())


def place_in_user_code(error: BaseException) -> str | None:
    """`file:line` of the innermost call in a file of the user on the way to `error`, if there is one."""
    import traceback

    place: str | None = None
    for frame, line in traceback.walk_tb(error.__traceback__):
        path = Path(frame.f_code.co_filename)
        if path.suffix == ".py" and _is_of_the_user(path.resolve()):
            place = f"{_shown(path)}:{line}"
    return place


def located(place: str, text: str) -> str:
    """A message with its `file:line` in front, once.

    >>> located("pictures/a.py:3", "too hot"), located("pictures/a.py:3", "a.py:3: too hot")
    ('pictures/a.py:3: too hot', 'pictures/a.py:3: too hot')
    """
    name = Path(place).name
    if text.startswith(name):
        return place + text.removeprefix(name)
    return text if place in text else f"{place}: {text}"


def _is_of_the_user(path: Path) -> bool:
    if path.is_relative_to(_HOME) or "site-packages" in path.parts:
        return False
    return any(path.is_relative_to(folder) for folder in _user_folders)


def _shown(path: Path) -> str:
    with suppress(ValueError):
        return str(path.resolve().relative_to(Path.cwd()))
    return str(path)


def _say(text: str) -> None:
    with suppress(OSError, ValueError):
        print(f"pellucid: {text}", file=sys.stderr, flush=True)


@contextmanager
def _short_warnings() -> Generator[None]:
    """Warnings are one line each, without the place in our sources that gave them."""

    def line(message: Warning | str, *_: object) -> str:
        return f"pellucid: warning: {message}\n"

    before = warnings.formatwarning
    warnings.formatwarning = line
    try:
        yield
    finally:
        warnings.formatwarning = before
