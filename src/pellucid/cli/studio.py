"""The command `studio`: a page in the browser, with a picture and the text of its file.

`studio.server` does the work. Nothing of a file is run, unless it is trusted.
"""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from pellucid.base.errors import FileError, InputError

_FIRST = '''"""A picture; change it, and it is drawn again."""

from pellucid import images as im

picture = im.swirl(3, im.checkerboard(0.5, im.midnightblue, im.gold)).framed(width=6)
'''


def studio(words: Namespace) -> int:
    """Serve the studio until it is interrupted."""
    path = Path(words.file)
    if path.suffix != ".py":
        raise InputError("is no file of Python", place=words.file, fix="name one that ends in .py")
    if not path.parent.is_dir():
        raise FileError("is no folder", place=str(path.parent), fix="make it first")
    if words.watch and not path.is_file():
        raise FileError("is no file to watch", place=words.file, fix="save it first, or leave out --watch")
    if not path.exists():
        from pellucid.base.atomic import atomic_write

        with atomic_write(path, replace=False) as file:
            file.write(_FIRST.encode())
    return served(path, trust=words.trust, watch=words.watch, port=words.port, browser=not words.no_browser)


def served(path: Path, *, trust: bool, watch: bool, port: int = 0, browser: bool = True) -> int:
    """Serve the page for a file until it is interrupted."""
    from pellucid.studio.server import serve

    def announce(address: str) -> None:
        print(
            f"The studio is at {address}\nThe address opens one browser, once. End the studio with Ctrl-C.",
            flush=True,
        )
        if browser:
            import webbrowser

            webbrowser.open_new_tab(address)

    serve(path.parent, path.name, announce=announce, trust=trust, watch=watch, port=port)
    return 0
