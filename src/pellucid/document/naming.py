"""Edits that make and take away names: extract, inline, abstract, make a parameter, animate.

Above `placing`, beside `editing`; what holds there holds here.
"""

from __future__ import annotations

import math
import re

from ..tracing.params import RESERVED
from . import kinds, vocabulary
from .change import Replacement, TextChange
from .placing import (
    above,
    checked,
    free_name,
    marks,
    newline_of,
    node_of,
    of_pellucid,
    placed,
    prefix,
    refused,
    stands_alone,
)
from .tree import Definition, Document, DocumentNode

_FUNCTIONS_OF = frozenset(("image", "animation"))
"""Functions that make pictures of functions."""
_STEADY = frozenset(("**", "//", "<<", ">>", "&", "|", "^", "~"))
"""Operators whose operands must stay plain numbers."""


def _names(node: DocumentNode) -> list[DocumentNode]:
    return [one for one in node.walk() if one.form == "name" and one.definition is not None]


def _functions(node: DocumentNode) -> list[DocumentNode]:
    """The functions around a node, the innermost first."""
    found: list[DocumentNode] = []
    around = node.parent
    while around is not None:
        found += [around] if around.form == "function" else []
        around = around.parent
    return found


def _movable(document: Document, node: DocumentNode) -> None:
    """Refuse a node that would mean something else above its statement."""
    statement = document.statement_of(node)
    late = [
        n for n in _names(node) if n.definition is not None and n.definition.statement.end > statement.start
    ]
    callee = node.place is not None and node.place.role == "callee"
    if not node.closed or late or callee or statement.node is node or node.form in {"hole", "unknown"}:
        raise refused("this has no value of its own", "select a part that uses no parameter of a function")
    if node.form == "function" and node.place is not None and node.place.role == "body":
        raise refused("this is the whole function", "select a part of it")


def extract(document: Document, identity: int, name: str = "part") -> TextChange:
    """Give the value of a node a name, on a line above, and write the name in its place."""
    node = node_of(document, identity)
    _movable(document, node)
    statement = document.statement_of(node)
    called = free_name(document, name)
    text = document.source(node)
    before, after = marks(text, "value")
    change = TextChange.of(
        above(document, statement, f"{called} = {before}{text}{after}"),
        Replacement(node.start, node.end, called),
        label=f"extract {called}",
    )
    return checked(document, change)


def inline(document: Document, identity: int) -> TextChange:
    """Write what a name means in its place; the definition goes when nothing uses it any more."""
    node = node_of(document, identity)
    definition = node.definition
    if node.form != "name" or definition is None or definition.index is not None:
        raise refused("this is no name of the document", "select one")
    value = definition.node
    if value.form in {"function", "opaque"} or definition.statement.sort != "assignment":
        raise refused("what it means cannot be written here", "select the name of a picture or a number")
    text = document.source(value)
    local = {
        name for f in _functions(node) for name in (*f.parameters, *(t for s in f.steps for t in s.targets))
    }
    later = {
        d.name
        for d in document.definitions
        if definition.start <= d.start < node.start and d is not definition
    }
    if set(re.findall(r"\w+", text)) & (local | later):
        raise refused("a name in it means something else here", "rename one of them")
    parts = [Replacement(node.start, node.end, placed(node, text))]
    if (
        len(definition.uses) == 1
        and len(definition.statement.definitions) == 1
        and definition.name != "picture"
    ):
        parts += _without(document, definition)
    return checked(document, TextChange.of(*parts, label=f"inline {definition.name}"))


def _without(document: Document, definition: Definition) -> list[Replacement]:
    """The deletion of a definition with its line, if it has a line of its own."""
    statement = definition.statement
    text = document.text
    begin = max(text.rfind("\n", 0, statement.start), text.rfind("\r", 0, statement.start)) + 1
    rest = re.compile(r"[ \t]*(\r\n|\r|\n|$)").match(text, statement.end)
    if text[begin : statement.start].strip() or begin < statement.start or rest is None:
        return []
    return [Replacement(begin, rest.end(), "")]


def abstract(
    document: Document, identity: int, inner: int, name: str = "shape", parameter: str | None = None
) -> TextChange:
    """Make a node a function of one below it: the function is defined above, and called with what stood there."""
    node, part = node_of(document, identity), node_of(document, inner)
    _movable(document, node)
    statement = document.statement_of(node)
    if part is node or not (node.start <= part.start and part.end <= node.end) or not part.closed:
        raise refused(
            "the parameter is not inside", "select a part of it that uses no parameter of a function"
        )
    if part.place is not None and part.place.role == "callee":
        raise refused("a function cannot be the parameter", "select a number or a picture")
    if not stands_alone(document, statement):
        raise refused("the statement shares its line", "write it on a line of its own")
    called = free_name(document, name)
    label = parameter or (part.place.name if part.place is not None else "value")
    given = free_name(document, label if label.isidentifier() and label.isascii() else "value")
    newline = newline_of(document)
    body = document.text[node.start : part.start] + placed(part, given) + document.text[part.end : node.end]
    before, after = marks(body, "value")
    text = document.source(part)
    inner_mark, outer_mark = marks(text, "argument")
    line = f"def {called}({given}):{newline}    return {before}{body}{after}{newline}{newline}"
    change = TextChange.of(
        above(document, statement, line),
        Replacement(node.start, node.end, f"{called}({inner_mark}{text}{outer_mark})"),
        label=f"abstract to {called}",
    )
    return checked(document, change)


def _may_change(
    document: Document, node: DocumentNode, *, moving: bool, seen: frozenset[int] = frozenset()
) -> bool:
    """Whether a number may become a parameter, or if `moving` a number that changes with time."""
    if node.identity in seen:
        return False
    parent, place = node.parent, node.place
    if parent is None or place is None:
        return False
    word = parent.known.word if parent.known is not None else None
    if parent.form == "operator":
        return parent.word not in _STEADY and _may_change_or_shown(document, parent, moving=moving, seen=seen)
    if parent.form == "tuple":
        outer = parent.place.parameter if parent.place is not None else None
        return (
            outer is not None
            and outer.type == "Point"
            and _may_change(document, parent, moving=moving, seen=seen)
        )
    if parent.form == "call" and word is not None:
        type_ = place.parameter.type if place.parameter is not None else "Any"
        fits = type_ in {"Number", "Length", "Angle", "Fraction", "Integer", "Point", "Image Number"}
        return fits and (not moving or _is_still(document, parent, seen))
    if parent.form == "call" and parent.known is not None and parent.known.home == vocabulary.IMAGES:
        return parent.kind in {"number", "time", "field"} and _may_change_or_shown(
            document, parent, moving=moving, seen=seen
        )
    return False


def _may_change_or_shown(
    document: Document, node: DocumentNode, *, moving: bool, seen: frozenset[int]
) -> bool:
    if node.kind in kinds.PICTURES:
        return not moving or _is_still(document, node, seen)
    return _may_change(document, node, moving=moving, seen=seen)


def _is_still(document: Document, node: DocumentNode, seen: frozenset[int]) -> bool:
    """Whether a node, and what is made of it, is used outside of functions only, so that it may begin to move."""
    if node.identity in seen:
        return False
    top = node
    while top.parent is not None:
        if top.parent.form in {"function", "apply", "item", "attribute", "list", "choice"}:
            return False
        place = top.place
        if (
            place is not None
            and place.parameter is not None
            and place.parameter.type in {"Any", "Function", "Count", "Stops"}
        ):
            return False
        known = top.parent.known
        if known is not None and known.word is None and known.name in _FUNCTIONS_OF | {"where"}:
            return False
        if known is not None and known.word is None and known.home != vocabulary.IMAGES:
            return False
        top = top.parent
    uses = [use for one in document.definitions if one.node is top for use in one.uses]
    return all(_is_still(document, use, seen | {node.identity}) for use in uses)


def _changeable(document: Document, identity: int, *, moving: bool) -> DocumentNode:
    node = node_of(document, identity)
    if node.form != "number" or node.kind != "number" or not _may_change(document, node, moving=moving):
        raise refused("this must be a plain number", "select a number that a word takes")
    if moving and _functions(node):
        raise refused("this is inside a function of a point", "select a number outside of it")
    return node


def _nice(value: float) -> str:
    text = f"{value:.4g}"
    return text if "." in text or "e" in text else f"{text}.0"


def _interval(node: DocumentNode) -> tuple[float, float]:
    """A range for a slider: that of the parameter, as far as it is finite, or one around the value."""
    value = float(node.value)
    parameter = node.place.parameter if node.place is not None else None
    allowed = kinds.interval(node.limits)
    if parameter is not None and parameter.type == "Angle":
        reach = math.ceil(max(math.pi, abs(value)))
        return -reach, reach
    reach = 2 * abs(value) or 1.0
    low, high = (0.0, reach) if value >= 0 else (-reach, 0.0)
    if allowed is not None:
        low, high = max(low, allowed.low), min(high, allowed.high)
        if math.isfinite(allowed.low) and math.isfinite(allowed.high):
            low, high = allowed.low, allowed.high
        if (allowed.open and low <= allowed.low) or (allowed.nonzero and low == 0):
            low = value / 10
        if allowed.nonzero and high == 0:
            high = value / 10
    return low, high


def make_parameter(
    document: Document,
    identity: int,
    name: str | None = None,
    low: float | None = None,
    high: float | None = None,
) -> TextChange:
    """Make a number a parameter of the picture, with a name and a range, on a line above."""
    node = _changeable(document, identity, moving=False)
    place = node.place.name if node.place is not None else "value"
    wanted = name or (
        place if place.isidentifier() and place not in {"left", "right", "operand"} else "amount"
    )
    if wanted in RESERVED or wanted in {"x", "y"}:
        wanted = f"the_{wanted}"
    called = free_name(document, wanted)
    least, most = _interval(node)
    least, most = (least if low is None else low), (most if high is None else high)
    if not least <= node.value <= most:
        raise refused(f"{node.value} is not in {least} .. {most}", "give a range that holds it")
    before, more = of_pellucid(document)
    line = f'{called} = {before}param("{called}", {document.source(node)}, low={_nice(least)}, high={_nice(most)})'
    change = TextChange.of(
        *more,
        above(document, document.statement_of(node), line),
        Replacement(node.start, node.end, called),
        label=f"make {called} a parameter",
    )
    return checked(document, change)


def animate(document: Document, identity: int) -> TextChange:
    """Make a number an expression of the time that swings about it, or turns from it if it is an angle."""
    node = _changeable(document, identity, moving=True)
    before, more = prefix(document)
    value = document.source(node)
    parameter = node.place.parameter if node.place is not None else None
    allowed = kinds.interval(node.limits)
    wave = f"{before}sin({before}seconds)"
    if parameter is not None and parameter.type == "Angle":
        text = f"{value} + {before}seconds"
    elif allowed is not None and math.isfinite(allowed.low) and math.isfinite(allowed.high):
        reach = min(allowed.high - node.value, node.value - allowed.low)
        text = f"{value} + {_nice(reach / 2)} * {wave}"
    else:
        text = f"{value} * (1 + 0.25 * {wave})"
    if parameter is not None and parameter.type == "Integer":
        raise refused("a whole number cannot swing", "select another number")
    change = TextChange.of(*more, Replacement(node.start, node.end, placed(node, text)), label="animate")
    return checked(document, change)
