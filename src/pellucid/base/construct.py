"""Finds the construct of the user's program being evaluated, so that an error can say what to write instead.

Ground floor, beside `source_location`, which finds the line. Python keeps the columns of every instruction; the syntax
tree of the file tells which expression stands there, and in which statement.
"""

from __future__ import annotations

import ast
import itertools
import linecache
import warnings
from types import FrameType

from .record import record
from .source_location import user_frame

_MAX_CHARACTERS = 1 << 20
"""Maximum characters of a source file that is parsed again for an error."""


@record
class Construct:
    """An expression of the user's program: its node, and the nodes around it, the innermost first."""

    node: ast.AST
    around: tuple[ast.AST, ...]

    def call(self) -> str | None:
        """The name of the function that is called here, with its dots; None if nothing is called."""
        return ast.unparse(self.node.func) if isinstance(self.node, ast.Call) else None

    def nearest(self, *kinds: type[ast.AST]) -> ast.AST | None:
        """The expression itself, or the node around it, if it is of one of these kinds."""
        return next((n for n in (self.node, *self.around[:1]) if isinstance(n, kinds)), None)

    def __str__(self) -> str:
        """The expression as Python text."""
        return ast.unparse(self.node)


def construct() -> Construct | None:
    """The construct that is being evaluated at the nearest place on the stack that is the user's own.

    None where the source is not at hand, as in a session without a file.

    >>> print(construct())
    construct()
    """
    frame = user_frame()
    span = _span(frame) if frame is not None else None
    if frame is None or span is None:
        return None
    name = frame.f_code.co_filename
    linecache.checkcache(name)
    text = "".join(linecache.getlines(name, frame.f_globals))
    if not 0 < len(text) <= _MAX_CHARACTERS:
        return None
    try:
        with warnings.catch_warnings():
            # Python has warned of them when it compiled the file.
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        # The file has changed since it was read.
        return None
    path = _path(tree, span)
    return Construct(path[-1], tuple(reversed(path[:-1]))) if path else None


_Span = tuple[int, int, int, int]
"""First line, first column, last line and last column of an expression; columns count bytes."""


def _span(frame: FrameType) -> _Span | None:
    positions = frame.f_code.co_positions()
    line, last, column, end = next(itertools.islice(positions, frame.f_lasti // 2, None))
    if line is None or last is None or column is None or end is None:
        return None
    return line, column, last, end


def _path(tree: ast.AST, span: _Span) -> list[ast.AST]:
    """The nodes from the outermost to the one that has exactly this span; none if there is no such node."""
    line, column, last, end = span
    path: list[ast.AST] = []
    here: ast.AST | None = tree
    found = 0
    while here is not None:
        path.append(here)
        inner: ast.AST | None = None
        for child in ast.iter_child_nodes(here):
            spot = _spot(child)
            if spot is None:
                continue
            if spot == span:
                found = len(path) + 1
            if spot[:2] <= (line, column) and (last, end) <= spot[2:]:
                inner = child
        here = inner
    return path[:found]


def _spot(node: ast.AST) -> _Span | None:
    if isinstance(node, ast.comprehension):
        # It has no place of its own.
        ends = [s for s in (_spot(part) for part in (node.target, node.iter, *node.ifs)) if s is not None]
        return (*min(ends)[:2], *max(s[2:] for s in ends)) if ends else None
    if not isinstance(node, ast.expr | ast.stmt | ast.keyword | ast.match_case):
        return None
    line, column = getattr(node, "lineno", None), getattr(node, "col_offset", None)
    last, end = getattr(node, "end_lineno", None), getattr(node, "end_col_offset", None)
    if line is None or column is None or last is None or end is None:
        return None
    return line, column, last, end
