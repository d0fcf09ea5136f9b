"""A directive that explains a picture: a link to the page that `pellucid explain --html` makes of it at this build.

``{explained}`` names a file of the checkout that defines a `picture`.
"""

from __future__ import annotations

import html
import shlex
from dataclasses import replace
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective


class Explained(SphinxDirective):
    """A link to the page of a picture; the page is written beside those of the documents."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Explain the picture of the file."""
        from examples import gallery

        import pellucid

        path = Path(self.env.srcdir).parent / self.arguments[0]
        self.env.note_dependency(str(path))
        shown = gallery.load(path)
        target = Path(self.env.app.outdir) / "_static" / f"explained-{shown.name}.html"
        target.parent.mkdir(parents=True, exist_ok=True)
        command = shlex.join(["pellucid", "explain", self.arguments[0], "--html", target.name])
        report = pellucid.explain(shown.picture)
        replace(report, title=f"{shown.title}, explained").save(target, command=command)
        up = "../" * self.env.docname.count("/")
        link = f'<a href="{up}_static/{target.name}">{html.escape(shown.title)}, explained</a>'
        text = f"<p>Here is such a page: {link}.</p>"
        return [nodes.raw("", text, format="html")]


def setup(app: Sphinx) -> dict[str, bool]:
    """Make the directive known; what is there from an earlier build is made again."""
    app.add_directive("explained", Explained)
    return {"parallel_read_safe": True}
