"""From `FILE.py:NAME` to a picture or a sound: run the user's file, find what it defines, choose one.

Used by every command that takes a Python file. The file runs as a module of its own with its folder on the import
path, as `python FILE.py` would have it, except that its name is not `__main__`.
"""

from __future__ import annotations

import ast
import contextlib
import importlib
import os
import sys
import types
from pathlib import Path

from pellucid.base.errors import InputError, PellucidError, brief, did_you_mean
from pellucid.base.opening import contents
from pellucid.base.record import record
from pellucid.cli.problems import in_one_line, located, owns_errors, place_in_user_code


@record
class ObjectKind:
    """The kind of object that a command looks for in a file.

    `preferred` names are chosen without being asked for, the first one found; `wanted` tells as `module:function` what
    is one; `decorators` make one of a function, and `example` is a line that does; `suffix` is that of the file that
    goes to standard output.
    """

    noun: str
    preferred: tuple[str, ...]
    wanted: str
    decorators: str
    example: str
    suffix: str

    def found(self, module: types.ModuleType) -> dict[str, object]:
        """Every one that a module defines, by name, in its order."""
        home, _, name = self.wanted.partition(":")
        wanted = getattr(importlib.import_module(home), name)
        found: dict[str, object] = {}
        for name, value in vars(module).items():
            # A module is none, and one that finds its names when it is asked would load all it has.
            if name.startswith("_") or isinstance(value, types.ModuleType) or not wanted(value):
                continue
            # The same thing under a second name is not a second one, unless the name is asked for by habit.
            if name in self.preferred or not any(value is known for known in found.values()):
                found[name] = value
        return found


PICTURE = ObjectKind(
    "picture",
    ("picture", "animation", "main"),
    "pellucid.canvas.source:is_drawable",
    "@pl.image or @pl.animation",
    "picture = im.checkerboard(10, im.red, im.blue)",
    ".png",
)
EXPLAINED = ObjectKind(
    "picture",
    ("picture", "animation", "plan", "sound", "voice", "main"),
    "pellucid.canvas.explaining:is_explained",
    "@pl.image, @pl.animation or @pl.voice",
    "picture = im.checkerboard(10, im.red, im.blue)",
    ".html",
)
SOUND = ObjectKind(
    "sound",
    ("sound", "voice", "main"),
    "pellucid.signals.render:is_sound",
    "@pl.voice",
    "sound = 0.1 * sg.noise()",
    ".wav",
)
EFFECT = ObjectKind(
    "effect",
    ("effect", "main"),
    "pellucid.signals.effects:is_effect",
    "@pl.effect",
    "effect = pl.effect(lambda x, rate: 0.5 * x)",
    ".wav",
)
INTERPRETER = ObjectKind(
    "interpreter",
    ("compiler", "interpreter", "run", "main"),
    "pellucid.staging.front:is_explained",
    "@interpreter",
    "compiler = cogen(run, program=STATIC, x=DYNAMIC)",
    ".html",
)


class UserFileError(PellucidError):
    """A file of the user that cannot be run: its own error, with file and line."""


@record
class Chosen:
    """A picture or a sound of a file, under the name that it has there."""

    path: Path
    name: str
    thing: object


def chosen(word: str, kind: ObjectKind = PICTURE) -> Chosen:
    """The picture, or the sound, that `FILE.py` or `FILE.py:NAME` means.

    Raises `FileError` if the file cannot be read, `UserFileError` if it cannot be run, `InputError` if there is none.
    """
    path, name = _split(word, kind)
    module = _run(path, kind)
    things = kind.found(module)
    if name is None:
        name = next((preferred for preferred in kind.preferred if preferred in things), None)
    if name is None:
        # What is only imported under that name, such as the decorator of interpreters, is not meant.
        is_own = kind.noun in vars(module) and kind.noun not in _functions(module)
        if is_own and (lines := _lines_of(kind.noun, path)):
            raise _mistaken(kind, vars(module)[kind.noun], f"{path}:{lines[-1]}")
        if not things:
            functions = _functions(module)
            few = f"has functions ({_some(functions)}) but no {kind.noun}s"
            code = getattr(vars(module).get(functions[0]), "__code__", None) if functions else None
            raise InputError(
                few if functions else f"has no {kind.noun}s",
                place=f"{path}:{code.co_firstlineno}" if code is not None else str(path),
                fix=f"write {kind.decorators} above one"
                if functions
                else f"define one, such as: {kind.example}",
            )
        if len(things) > 1:
            raise InputError(
                f"has {len(things)} {kind.noun}s ({_some(list(things))})",
                place=str(path),
                fix=f"choose one: {path}:{next(iter(things))}",
            )
        name = next(iter(things))
    if name not in things:
        if name in _functions(module):
            raise InputError(
                f"{name} is a function, not a {kind.noun}",
                place=str(path),
                fix=f"write {kind.decorators} above it",
            )
        fix = did_you_mean(name, things) or f"it has {_some(list(things)) or 'none'}"
        raise InputError(f"has no {kind.noun} {name!r}", place=str(path), fix=fix)
    return Chosen(path, name, things[name])


def _mistaken(kind: ObjectKind, thing: object, place: str) -> InputError:
    """The error for what has the name of what is looked for, and is none."""
    fix = f"write one, such as: {kind.example}"
    if kind.noun == PICTURE.noun:
        from pellucid.driver.kernel import no_picture

        fix = no_picture(thing).fix
    return InputError(f"{kind.noun} is {brief(thing)}, which is no {kind.noun}", place=place, fix=fix)


def _lines_of(name: str, path: Path) -> list[int]:
    """The lines of a file that give a name a value."""
    names = (node for node in ast.walk(ast.parse(contents(path))) if isinstance(node, ast.Name))
    return [node.lineno for node in names if node.id == name and isinstance(node.ctx, ast.Store)]


def names_of(path: Path, kind: ObjectKind = PICTURE) -> list[str]:
    """The names of every picture, or sound, that a Python file defines, in the order of the file.

    Raises `FileError` if the file cannot be read, `UserFileError` if it cannot be run.
    """
    return list(kind.found(_run(path, kind)))


def _functions(module: types.ModuleType) -> list[str]:
    """The functions that a file itself defines."""
    own = ((name, value) for name, value in vars(module).items() if isinstance(value, types.FunctionType))
    return [name for name, value in own if value.__module__ == module.__name__]


def _split(word: str, kind: ObjectKind) -> tuple[Path, str | None]:
    """The part after the last colon is a name if it looks like one; the colon of a drive is not meant."""
    before, colon, after = word.rpartition(":")
    if colon and after.isidentifier() and not os.path.lexists(word):
        return Path(before), after
    if colon and not after and before.endswith(".py"):
        raise InputError(
            "a name is missing after the colon", place=word, fix=f"write {before} or {before}:{kind.noun}"
        )
    return Path(word), None


def _run(path: Path, kind: ObjectKind) -> types.ModuleType:
    source = contents(path, f"a Python file with a {kind.noun}")
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


def _some(names: list[str]) -> str:
    return ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
