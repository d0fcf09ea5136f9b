"""Two directives that keep the documents honest: they run the code that they show.

``{picture}`` shows code and the picture it makes; ``{prints}`` shows code and what it prints. The code blocks of a page
share their names, from the top down, as if typed into one session. An error in the code fails the build.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import io
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective

import pages


def run(source: str, names: dict[str, Any], place: str) -> object:
    """Run a block of code; give the value of its last statement if that is an expression or an assignment.

    >>> run("a = 2", {}, "here"), run("1 + 1 < 3", {}, "here")
    (2, True)
    """
    tree = ast.parse(source, place)
    last = tree.body[-1]
    if isinstance(last, ast.Expr):
        tree.body.pop()
        exec(compile(tree, place, "exec"), names)  # noqa: S102  the documents are programs
        return eval(compile(ast.Expression(last.value), place, "eval"), names)  # noqa: S307  likewise
    exec(compile(tree, place, "exec"), names)  # noqa: S102  likewise
    match last:
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.FunctionDef(name=name):
            return names[name]
        case _:
            return None


def pair(text: str) -> tuple[float, float]:
    """Two numbers with a comma between."""
    first, second = text.split(",")
    return float(first), float(second)


class Runs(SphinxDirective):
    """What both directives have in common: the code, the names of the page, the place of the block."""

    has_content = True
    sessions: ClassVar[dict[str, dict[str, Any]]] = {}

    def run_content(self) -> object:
        """Run the block within the session of its page."""
        names = self.sessions.setdefault(self.env.docname, {"__name__": self.env.docname})
        place = f"{self.env.docname}, line {self.lineno}"
        try:
            return run("\n".join(self.content), names, place)
        except Exception as error:
            raise ExtensionError(f"{place}: {type(error).__name__}: {error}") from error

    def shown(self, text: str, language: str) -> nodes.literal_block:
        """A block of text, with the colors of a language."""
        return nodes.literal_block(text, text, language=language)


class Picture(Runs):
    """Shows code and the picture that its last line makes."""

    option_spec: ClassVar[dict[str, Any]] = {
        "size": pair,
        "center": pair,
        "zoom": float,
        "samples": int,
        "time": float,
        "alt": directives.unchanged,
    }

    def run(self) -> list[nodes.Node]:
        """Render into the folder of generated files; the name is made of what determines the picture."""
        import pellucid
        from pellucid.canvas.source import drawing

        made = self.run_content()
        wide, high = self.options.get("size", (360, 240))
        key = hashlib.sha256(repr((list(self.content), sorted(self.options.items()))).encode()).hexdigest()[
            :12
        ]
        name = f"{Path(self.env.docname).name}-{key}.png"
        target = Path(self.env.srcdir) / pages.FOLDER / name
        target.parent.mkdir(parents=True, exist_ok=True)
        given = {name: self.options[name] for name in ("center", "zoom", "time") if name in self.options}
        given["samples"] = self.options.get("samples", 6)
        asked = drawing(made, (int(wide), int(high)), None, given, fitted=True)  # pyright: ignore[reportArgumentType]
        pellucid.save(asked.picture, target, view=asked.view)
        alt = self.options.get("alt", "the picture that this code makes")
        return [
            self.shown("\n".join(self.content), "python"),
            nodes.image(uri=f"/{pages.FOLDER}/{name}", alt=alt, candidates={"*": f"{pages.FOLDER}/{name}"}),
        ]


class Prints(Runs):
    """Shows code and what it prints."""

    def run(self) -> list[nodes.Node]:
        """Run with what is printed caught; a value at the end is printed too, as in a session."""
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            value = self.run_content()
            if isinstance(ast.parse("\n".join(self.content)).body[-1], ast.Expr) and value is not None:
                print(value)  # noqa: T201  it is caught and shown on the page
        return [self.shown("\n".join(self.content), "python"), self.shown(out.getvalue().rstrip(), "text")]


def setup(app: Sphinx) -> dict[str, bool]:
    """Make the directives known; a page that is read again starts a new session."""
    app.add_directive("picture", Picture)
    app.add_directive("prints", Prints)
    app.connect("source-read", lambda app, docname, source: Runs.sessions.pop(docname, None))
    return {"parallel_read_safe": True}
