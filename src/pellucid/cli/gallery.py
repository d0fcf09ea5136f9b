"""The command `gallery`: the example of every word of the vocabulary, drawn, on one page.

The examples come from the registry of words, so that a new word is in the gallery as soon as it is one.
"""

from __future__ import annotations

import html
import sys
from argparse import Namespace
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from pellucid.base.errors import FileError, PellucidError
from pellucid.base.record import record

if TYPE_CHECKING:
    from pellucid.images import Word


#: How long an example that moves is shown before it starts again, and how smoothly.
_SECONDS = 2.0
_FPS = 12.0


@record(slots=False)
class Entry:
    """A word with the picture of its example, which is framed: `code` makes it; `about` is one sentence."""

    name: str
    about: str
    code: str
    picture: object


def entries() -> Iterator[tuple[str, Callable[[], Entry | None]]]:
    """Every word with a function that makes its entry, or None if its example is no picture.

    >>> names = [name for name, make in entries()]
    >>> names == sorted(names)
    True
    """
    from pellucid.canvas.source import is_picture
    from pellucid.images import words

    for name, word in words().items():

        def entry(word: Word = word) -> Entry | None:
            picture = word.show()
            if not is_picture(picture) or picture.kind == "structure":
                return None
            return Entry(word.name, word.doc, word.example, picture)

        yield name, entry


def gallery(words: Namespace) -> int:
    """Draw every example into a folder, with a page that shows them all; 1 if some could not be drawn."""
    folder = Path(words.out)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(
            f"cannot be made ({error.strerror})", place=str(folder), fix="name another folder"
        ) from error
    drawn: list[Entry] = []
    broken = 0
    for name, make in entries():
        try:
            entry = make()
            if entry is not None:
                _draw(entry, folder / f"{name}.png", words.size)
                drawn.append(entry)
        except FileError:
            raise
        except PellucidError as error:
            broken += 1
            print(f"pellucid: {name}: {error}", file=sys.stderr)
    _write(folder / "index.html", sheet(drawn, words.size))
    print(f"{folder / 'index.html'}: {len(drawn)} pictures")
    return 1 if broken else 0


def sheet(drawn: list[Entry], size: tuple[int, int]) -> str:
    """A page of pictures, each with its word, its sentence and its code; it needs nothing but the pictures.

    >>> "<b>a &lt; b</b>" in sheet([Entry("a < b", "About.", "code", None)], (64, 64))
    True
    """
    figures = "\n".join(_figure(entry, size) for entry in drawn)
    return f"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>pellucid: the gallery</title>
<style>
  :root {{ color-scheme: light dark; font: 15px/1.4 system-ui, sans-serif; }}
  body {{ margin: 2rem auto; max-width: 80rem; padding: 0 1rem; }}
  main {{ display: grid; gap: 1.5rem; grid-template-columns: repeat(auto-fill, minmax({size[0]}px, 1fr)); }}
  figure {{ margin: 0; }}
  img {{ display: block; max-width: 100%; height: auto;
         background: repeating-conic-gradient(#8882 0 25%, #0000 0 50%) 0 0 / 16px 16px; }}
  code {{ display: block; overflow-wrap: anywhere; font-size: 12px; opacity: .75; }}
</style>
<h1>The gallery</h1>
<main>
{figures}
</main>
</html>
"""


def _draw(entry: Entry, path: Path, size: tuple[int, int]) -> None:
    from pellucid.canvas.draw import animate, save
    from pellucid.canvas.source import compiled

    kernel = compiled(entry.picture)
    if kernel.time_varying:
        animate(kernel, path, size, seconds=_SECONDS, fps=_FPS)
    else:
        save(kernel, path, size, samples=2)


def _figure(entry: Entry, size: tuple[int, int]) -> str:
    name, about, code = (html.escape(text) for text in (entry.name, entry.about, entry.code))
    return (
        f'<figure id="{name}"><img src="{name}.png" alt="{name}: {about}" width="{size[0]}" height="{size[1]}">'
        f"<figcaption><b>{name}</b> {about}<code>{code}</code></figcaption></figure>"
    )


def _write(path: Path, text: str) -> None:
    from pellucid.base.atomic import atomic_write

    with atomic_write(path) as file:
        file.write(text.encode())
