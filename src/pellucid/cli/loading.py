"""From `FILE.py:NAME` to a picture: run the user's file, find its pictures, choose one.

Used by every command that takes a picture. The file runs as a module of its own with its folder on the import
path, as `python FILE.py` would have it, except that its name is not `__main__`.
"""

from __future__ import annotations

import contextlib
import sys
import types
from dataclasses import dataclass
from pathlib import Path

from pellucid.base.errors import FileError, InputError, PellucidError, did_you_mean
from pellucid.cli.problems import in_one_line, located, owns_errors, place_in_user_code

#: Names that are chosen without being asked for, the first one found.
_PREFERRED = ("picture", "animation", "main")


class UserFileError(PellucidError):
    """A file of the user that cannot be run: its own error, with file and line."""


@dataclass(frozen=True)
class Chosen:
    """A picture of a file, under the name that it has there."""

    path: Path
    name: str
    picture: object


def chosen_picture(word: str) -> Chosen:
    """The picture that `FILE.py` or `FILE.py:NAME` means.

    Raises `FileError` if the file cannot be read, `UserFileError` if it cannot be run, `InputError` if it has no such
    picture.
    """
    path, name = _split(word)
    module = _run(path)
    pictures = _pictures(module)
    if name is None:
        name = next((preferred for preferred in _PREFERRED if preferred in pictures), None)
    if name is None:
        if not pictures:
            functions = _functions(module)
            raise InputError(
                f"has functions ({_some(functions)}) but no pictures" if functions else "has no pictures",
                place=str(path),
                fix="write @pl.image or @pl.animation above one"
                if functions
                else "define one, such as: picture = im.checkerboard(10, im.red, im.blue)",
            )
        if len(pictures) > 1:
            raise InputError(
                f"has {len(pictures)} pictures ({_some(list(pictures))})",
                place=str(path),
                fix=f"choose one: {path}:{next(iter(pictures))}",
            )
        name = next(iter(pictures))
    if name not in pictures:
        if name in _functions(module):
            raise InputError(
                f"{name} is a function, not a picture",
                place=str(path),
                fix="write @pl.image or @pl.animation above it",
            )
        fix = did_you_mean(name, pictures) or f"it has {_some(list(pictures)) or 'none'}"
        raise InputError(f"has no picture {name!r}", place=str(path), fix=fix)
    return Chosen(path, name, pictures[name])


def pictures_of(path: Path) -> dict[str, object]:
    """Every picture that a Python file defines, by name, in the order of the file.

    Raises `FileError` if the file cannot be read, `UserFileError` if it cannot be run.
    """
    return _pictures(_run(path))


def _functions(module: types.ModuleType) -> list[str]:
    """The functions that a file itself defines."""
    own = ((name, value) for name, value in vars(module).items() if isinstance(value, types.FunctionType))
    return [name for name, value in own if value.__module__ == module.__name__]


def _pictures(module: types.ModuleType) -> dict[str, object]:
    from pellucid.canvas import is_drawable

    found: dict[str, object] = {}
    for name, value in vars(module).items():
        if name.startswith("_") or not is_drawable(value):
            continue
        # The same picture under a second name is not a second picture, unless the name is asked for by habit.
        if name in _PREFERRED or not any(value is known for known in found.values()):
            found[name] = value
    return found


def _split(word: str) -> tuple[Path, str | None]:
    """The part after the last colon is a name if it looks like one; the colon of a drive is not meant."""
    before, colon, after = word.rpartition(":")
    if colon and after.isidentifier() and not Path(word).exists():
        return Path(before), after
    if colon and not after and before.endswith(".py"):
        raise InputError(
            "a name is missing after the colon", place=word, fix=f"write {before} or {before}:picture"
        )
    return Path(word), None


def _run(path: Path) -> types.ModuleType:
    source = _source(path)
    module = types.ModuleType(path.stem)
    module.__file__ = str(path.resolve())
    folder = str(path.resolve().parent)
    owns_errors(Path(folder))
    sys.path.insert(0, folder)
    # Data classes and pickles look their module up by name.
    before = sys.modules.get(module.__name__)
    if before is None:
        sys.modules[module.__name__] = module
    try:
        # Standard output may be a picture on its way to another program.
        with contextlib.redirect_stdout(sys.stderr):
            exec(compile(source, str(path), "exec", dont_inherit=True), vars(module))  # noqa: S102
    except SyntaxError as error:
        place = f"{error.filename or path}" + (f":{error.lineno}" if error.lineno else "")
        raise UserFileError(f"{type(error).__name__}: {error.msg}", place=place) from error
    except SystemExit as error:
        raise UserFileError(f"the file ended the program (exit {error.code})", place=str(path)) from error
    except Exception as error:
        raise UserFileError(located(place_in_user_code(error) or str(path), _told(error))) from error
    finally:
        with contextlib.suppress(ValueError):
            sys.path.remove(folder)
    return module


def _told(error: Exception) -> str:
    """Errors raised on purpose speak for themselves, others need their kind."""
    if isinstance(error, PellucidError):
        return str(error)
    return in_one_line(error)


def _source(path: Path) -> bytes:
    if path.is_dir():
        raise FileError("is a folder", place=str(path), fix="name a Python file in it")
    try:
        return path.read_bytes()
    except FileNotFoundError:
        near = [item.name for item in path.parent.glob("*.py")] if path.parent.is_dir() else []
        hint = did_you_mean(path.name, near)
        raise FileError(
            "no such file", place=str(path), fix=hint or "name a Python file with a picture"
        ) from None
    except OSError as error:
        raise FileError(
            f"cannot be read ({error.strerror})", place=str(path), fix="check its permissions"
        ) from error


def _some(names: list[str]) -> str:
    return ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
