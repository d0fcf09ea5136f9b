"""The folder that the studio was started in: the files that a page may name, and no others.

Used by `server` and `connection`. A name is relative to the folder; `..`, absolute names and links that lead out of it
are refused, whatever is behind them.
"""

from __future__ import annotations

import os
from pathlib import Path

from pellucid.base.errors import FileError

#: Files that are listed: more than a person looks through.
MAX_LISTED = 400
_MAX_VISITED = 4000
_MAX_NAME = 1024


class Folder:
    """A folder whose Python files may be read and written.

    >>> import tempfile
    >>> folder = Folder(Path(tempfile.mkdtemp()))
    >>> folder.file("../secret.py")
    Traceback (most recent call last):
        ...
    pellucid.base.errors.FileError: ../secret.py: is outside of the folder of the studio; start the studio there
    """

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()

    def file(self, name: object) -> Path:
        """The path of a Python file in the folder, by its relative name; it need not exist.

        Raises `FileError` for names that lead elsewhere or are none of a Python file.
        """
        if not isinstance(name, str) or not 0 < len(name) <= _MAX_NAME or not name.isprintable():
            raise FileError(
                "is no name of a file", place=repr(name)[:60], fix="name a file of Python, such as a.py"
            )
        if not name.endswith(".py"):
            raise FileError("is no file of Python", place=name, fix="name one that ends in .py")
        path = Path(os.path.realpath(self.root / name))
        if not path.is_relative_to(self.root):
            raise FileError(
                "is outside of the folder of the studio", place=name, fix="start the studio there"
            )
        if path.exists() and not path.is_file():
            raise FileError("is no regular file", place=name, fix="name another one")
        return path

    def name_of(self, path: Path) -> str:
        """The name of a file relative to the folder."""
        return path.relative_to(self.root).as_posix()

    def names(self) -> list[str]:
        """The names of Python files in the folder and below it, in order; hidden folders and links are left out."""
        found: list[str] = []
        visited = 0
        for here, folders, files in os.walk(self.root):
            folders[:] = sorted(each for each in folders if not each.startswith((".", "__")))
            visited += 1 + len(files)
            if visited > _MAX_VISITED:
                break
            for each in sorted(files):
                path = Path(here) / each
                if each.endswith(".py") and not each.startswith((".", "__")) and not path.is_symlink():
                    found.append(self.name_of(path))
        return found[:MAX_LISTED]
