"""A directive that shows an interpreter with its binding times, as the compiler generator finds them at this build.

``{times}`` names a file of the checkout that defines a `compiler`.
"""

from __future__ import annotations

import runpy
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective


class Times(SphinxDirective):
    """The source of an interpreter in colors, with a legend and the notes on lifts."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Run the file and explain its compiler."""
        from pellucid.staging import explain_times

        path = Path(self.env.srcdir).parent / self.arguments[0]
        self.env.note_dependency(str(path))
        times = explain_times(runpy.run_path(str(path))["compiler"])
        return [nodes.raw("", times.html(), format="html")]


def setup(app: Sphinx) -> dict[str, bool]:
    """Make the directive known."""
    app.add_directive("times", Times)
    return {"parallel_read_safe": True}
