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
    from pellucid.studio.server import serve

    path = Path(words.file)
    if path.suffix != ".py":
        raise InputError("is no file of Python", place=words.file, fix="name one that ends in .py")
    if not path.parent.is_dir():
        raise FileError("is no folder", place=str(path.parent), fix="make it first")
    if not path.exists():
        from pellucid.base.atomic import atomic_write

        with atomic_write(path, replace=False) as file:
            file.write(_FIRST.encode())

    def announce(address: str) -> None:
        print(
            f"The studio is at {address}\nThe address opens one browser, once. End the studio with Ctrl-C.",
            flush=True,
        )
        if not words.no_browser:
            import webbrowser

            webbrowser.open_new_tab(address)

    serve(path.parent, path.name, announce=announce, trust=words.trust, port=words.port)
    return 0
