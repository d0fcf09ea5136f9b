"""Expressions of Python's tree read as nodes, with their kinds; what is outside of the subset becomes an opaque node.

Called by `reading`, statement by statement; calls are read in `calls`.
"""

from __future__ import annotations

import ast
import builtins
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from ..base.errors import did_you_mean
from ..images.word import method_names, unknown
from . import kinds, vocabulary
from .change import Replacement, TextChange
from .source import MAX_DIGITS, Places, letters_of_others
from .tree import Argument, BodyLine, Definition, Diagnostic, DocumentNode
from .vocabulary import KnownName

OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Mod: "%", ast.Pow: "**", ast.FloorDiv: "//",
    ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>",
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
    ast.USub: "neg", ast.UAdd: "pos", ast.Invert: "~",
}  # fmt: skip
COMPARISONS = frozenset(("<", "<=", ">", ">=", "==", "!="))


@dataclass
class Reading:
    """A document while it is read: what names mean so far, and the parameters of functions around the present place."""

    text: str
    places: Places
    meanings: dict[str, KnownName | Definition | str] = field(
        default_factory=dict[str, "KnownName | Definition | str"]
    )
    assigned: frozenset[str] = frozenset()
    locals: list[dict[str, str]] = field(default_factory=list[dict[str, str]])
    late: list[DocumentNode] = field(default_factory=list[DocumentNode])
    diagnostics: list[Diagnostic] = field(default_factory=list[Diagnostic])

    def tell(self, node: DocumentNode, message: str, hint: str = "", fix: TextChange | None = None) -> None:
        """Report an error at a node."""
        self.diagnostics.append(Diagnostic(node.start, node.end, message, "error", hint, fix))

    def module(self, expr: ast.expr) -> str | None:
        """The module that an expression names, as `im` or `pl.images`; None for anything else."""
        if isinstance(expr, ast.Name):
            found = None if any(expr.id in scope for scope in self.locals) else self.meanings.get(expr.id)
            return found if isinstance(found, str) else None
        if isinstance(expr, ast.Attribute) and expr.attr == "images":
            return vocabulary.IMAGES if self.module(expr.value) == vocabulary.PELLUCID else None
        return None


def expression(reading: Reading, expr: ast.expr) -> DocumentNode:
    """The node of an expression."""
    start, end = reading.places.span(expr)
    node = _READERS.get(type(expr), opaque)(reading, expr, start, end)
    for argument in node.arguments:
        argument.node.parent, argument.node.place = node, argument
        if not argument.end:
            argument.start, argument.end = argument.node.start, argument.node.end
        node.bound |= argument.node.bound
        node.moves |= argument.node.moves
        node.fixed &= argument.node.fixed
    if node.form == "function":
        node.bound -= {*node.parameters, *(t for step in node.steps for t in step.targets)}
    return node


def opaque(reading: Reading, expr: ast.AST, start: int, end: int, why: str = "") -> DocumentNode:
    """The node of what the studio does not read: it is shown as code, and never executed."""
    why = why or "this is shown as code: it is outside of what a document can be made of"
    reading.diagnostics.append(
        Diagnostic(start, end, why, "opaque", "it runs only in a file that is trusted")
    )
    used = {n.id for n in ast.walk(expr) if isinstance(n, ast.Name)}
    bound = frozenset(name for scope in reading.locals for name in scope if name in used)
    return DocumentNode("opaque", start, end, fixed=False, bound=bound)


def _constant(reading: Reading, expr: ast.expr, start: int, end: int) -> DocumentNode:
    value = cast("ast.Constant", expr).value
    if value is ...:
        reading.diagnostics.append(
            Diagnostic(start, end, "a hole", "hole", "choose what stands here from the library")
        )
        return DocumentNode("hole", start, end)
    if value is None or isinstance(value, bool):
        return DocumentNode(
            "none" if value is None else "truth",
            start,
            end,
            kind="any" if value is None else "truth",
            value=value,
        )
    if isinstance(value, str):
        return DocumentNode("text", start, end, kind="text", value=value)
    if isinstance(value, complex):
        return DocumentNode("number", start, end, kind="complex", value=value)
    if isinstance(value, int | float):
        node = DocumentNode("number", start, end, kind="number", value=value)
        if (isinstance(value, float) and not math.isfinite(value)) or end - start > MAX_DIGITS:
            node.value = 0
            reading.tell(node, "this number is too large", "write one that has fewer digits")
        return node
    return opaque(reading, expr, start, end)


def _name(reading: Reading, expr: ast.expr, start: int, end: int) -> DocumentNode:
    name = cast("ast.Name", expr).id
    written = reading.text[start:end]
    for scope in reversed(reading.locals):
        if name in scope and written == name:
            return DocumentNode(
                "name", start, end, kind=scope[name], value=name, bound=frozenset((name,)), fixed=False
            )
    return of_meaning(reading, name, start, end)


def of_meaning(reading: Reading, name: str, start: int, end: int) -> DocumentNode:
    """The node of a name that no function around it binds."""
    node = DocumentNode("name", start, end, value=name)
    written = reading.text[start:end]
    meaning = reading.meanings.get(name) or vocabulary.known(vocabulary.BUILTINS, name)
    if written != name:
        fix = TextChange((Replacement(start, end, name),), f"write {name}")
        reading.tell(node, f"{written!r} has letters that only look like {name!r}", f"write {name}", fix)
        node.form = "unknown"
    elif isinstance(meaning, Definition):
        _refer(node, meaning)
        if reading.locals:
            reading.late.append(node)
    elif isinstance(meaning, KnownName):
        return _of_known(meaning, start, end)
    elif name in reading.assigned and reading.locals:
        # A function may use what is defined below it.
        reading.late.append(node)
        node.fixed = False
    elif hasattr(builtins, name):
        return opaque(reading, ast.Name(name), start, end)
    else:
        told = "a module is no value" if isinstance(meaning, str) else f"nothing is called {written!r}"
        odd = letters_of_others(written)
        near = did_you_mean(name, [*reading.meanings, *(n for scope in reading.locals for n in scope)])
        node.form = "unknown"
        reading.tell(
            node, told, odd or near or "define it above, or choose a word", _nearest(near, start, end)
        )
    return node


def _refer(node: DocumentNode, definition: Definition) -> None:
    node.definition, node.kind = definition, definition.kind
    node.moves, node.fixed = definition.node.moves, definition.node.fixed
    definition.uses.append(node)


def settle(reading: Reading, last: dict[str, Definition]) -> None:
    """Let names within functions mean what is defined last, as they do when the functions run."""
    for node in reading.late:
        definition = last[node.value]
        if node.definition is not definition:
            if node.definition is not None:
                node.definition.uses.remove(node)
            _refer(node, definition)


def _nearest(hint: str | None, start: int, end: int) -> TextChange | None:
    if hint is None:
        return None
    name = hint.split("'")[1]
    return TextChange((Replacement(start, end, name),), f"write {name}")


def _of_known(known: KnownName, start: int, end: int) -> DocumentNode:
    kind = "function" if known.sort in {"word", "function"} else known.kind
    if known.sort == "word" and known.word is not None and known.word.result.text == "Transform":
        kind = "function"
    return DocumentNode(
        "word", start, end, kind=kind, word=known.name, known=known, moves=known.name == "seconds"
    )


def _attribute(reading: Reading, expr: ast.expr, start: int, end: int) -> DocumentNode:
    attribute = cast("ast.Attribute", expr)
    module = reading.module(attribute.value)
    name = attribute.attr
    if module is not None:
        known = vocabulary.known(module, name)
        if known is not None:
            return _of_known(known, start, end)
        if module in {vocabulary.NUMPY, vocabulary.MATH}:
            return opaque(reading, expr, start, end)
        node = DocumentNode("unknown", start, end, word=name)
        unknown_word(reading, node, module, name, end - len(name))
        return node
    if name.startswith("_"):
        return opaque(reading, expr, start, end, "names that begin with an underscore are Python's own")
    receiver = expression(reading, attribute.value)
    parts = vocabulary.PARTS.get(receiver.kind)
    if name in (parts if parts is not None else vocabulary.ALL_PARTS):
        kind = parts[name] if parts is not None else kinds.UNKNOWN
        return DocumentNode(
            "attribute", start, end, kind, name, arguments=[Argument("of", receiver, "receiver")]
        )
    if receiver.kind in kinds.PICTURES:
        # A method without its call has no use in a document.
        node = DocumentNode("unknown", start, end, word=name)
        hint = f"write .{name}() with its arguments"
        reading.tell(node, f"{name} is not called", hint)
        return node
    return opaque(reading, expr, start, end)


def unknown_word(
    reading: Reading, node: DocumentNode, module: str, name: str, at: int, *, method: bool = False
) -> None:
    """Report a name that a module or an image has not, with what to write instead, or the one that is nearest."""
    among = method_names() if method else list(vocabulary.names(module))
    refused = unknown(name, "method" if method else "word", among)
    near = did_you_mean(name, among)
    written = reading.text[at : at + len(name)] == name
    change = _nearest(near, at, at + len(name)) if written and refused.fix == near else None
    elsewhere = vocabulary.known(vocabulary.IMAGES, name) if module == vocabulary.PELLUCID else None
    told = f"it is a word of pellucid.images: write im.{name}" if elsewhere is not None else refused.fix or ""
    reading.tell(node, refused.message, letters_of_others(reading.text[at : node.end]) or told, change)


def _operator(reading: Reading, expr: ast.expr, start: int, end: int) -> DocumentNode:
    if isinstance(expr, ast.BinOp):
        parts, operator = (expr.left, expr.right), expr.op
    elif isinstance(expr, ast.UnaryOp):
        parts, operator = (expr.operand,), expr.op
        operand = expr.operand
        if isinstance(operator, ast.USub) and isinstance(operand, ast.Constant):
            node = expression(reading, operand)
            if node.form == "number":
                node.start, node.value = start, -node.value
                return node
            return _combined(reading, "neg", [node], start, end)
    else:
        compare = cast("ast.Compare", expr)
        if len(compare.ops) != 1:
            return opaque(reading, expr, start, end)
        parts, operator = (compare.left, compare.comparators[0]), compare.ops[0]
    sign = OPERATORS.get(type(operator))
    if sign is None:
        return opaque(reading, expr, start, end)
    return _combined(reading, sign, [expression(reading, part) for part in parts], start, end)


def _combined(reading: Reading, sign: str, nodes: list[DocumentNode], start: int, end: int) -> DocumentNode:
    kind, expected = _result(sign, [node.kind for node in nodes])
    roles = ("left", "right") if len(nodes) == 2 else ("operand",)
    made = DocumentNode(
        "operator", start, end, kind, sign,
        arguments=[
            Argument(role, node, "operand", expected=expected)
            for role, node in zip(roles, nodes, strict=True)
        ],
    )  # fmt: skip
    if kind == "":
        made.kind = kinds.UNKNOWN
        told = " and ".join(node.kind for node in nodes)
        reading.tell(
            made, f"{sign} does not take {told}", "& | ^ ~ - take regions; + - * / ** fields and numbers"
        )
    return made


def _result(sign: str, given: Sequence[str]) -> tuple[str, str | None]:
    """The kind of what an operator gives, empty if it takes no such operands, and what it expects of each."""
    known = [kind for kind in given if kind != kinds.UNKNOWN]
    if "region" in known:
        if sign not in {"&", "|", "^", "~", "-"} or any(kind not in {"region", "truth"} for kind in known):
            return "", None
        return "region", "region"
    if any(kind in {"image", "text", "function", "warp", "stops"} for kind in known):
        return ("", None) if set(known) <= {"image", "field", "number", "time"} else (kinds.UNKNOWN, None)
    if "field" in known:
        if sign in {"&", "|", "^", "~", "==", "!=", "<<", ">>"} or any(
            kind not in {"field", "number", "time"} for kind in known
        ):
            return "", None
        return ("region" if sign in COMPARISONS else "field"), "field"
    if set(known) <= {"number", "time", "truth"} and len(known) == len(given):
        if sign in COMPARISONS:
            return "truth", "number"
        if "truth" in known and sign in {"&", "|", "^", "~"}:
            return "truth", "truth"
        return ("time" if "time" in known else "number"), "number"
    if known and known[0] in {"point", "color", "complex", "vector"} and sign in {"+", "-", "*", "/", "neg"}:
        return known[0], None
    return kinds.UNKNOWN, None


def _tuple(reading: Reading, expr: ast.expr, start: int, end: int) -> DocumentNode:
    items = [expression(reading, item) for item in cast("ast.Tuple", expr).elts]
    pair = len(items) == 2 and all(kinds.fits(item.kind, "number") for item in items)
    names = ("x", "y") if pair else [str(k) for k in range(len(items))]
    expected = "number" if pair else None
    arguments = [
        Argument(name, item, "item", expected=expected) for name, item in zip(names, items, strict=True)
    ]
    return DocumentNode("tuple", start, end, "point" if pair else "tuple", arguments=arguments)


def _list(reading: Reading, expr: ast.expr, start: int, end: int) -> DocumentNode:
    items = [expression(reading, item) for item in cast("ast.List", expr).elts]
    colors = all(kinds.fits(item.kind, "color") for item in items)
    stops = len(items) > 1 and (colors or all(item.form == "tuple" for item in items))
    return DocumentNode(
        "list", start, end, "stops" if stops else "list",
        arguments=[
            Argument(str(k), item, "item", expected="color" if colors and stops else None)
            for k, item in enumerate(items)
        ],
    )  # fmt: skip


def _item(reading: Reading, expr: ast.expr, start: int, end: int) -> DocumentNode:
    subscript = cast("ast.Subscript", expr)
    if isinstance(subscript.slice, ast.Slice):
        return opaque(reading, expr, start, end)
    arguments = [
        Argument("of", expression(reading, subscript.value), "receiver"),
        Argument("index", expression(reading, subscript.slice), "index", expected="number"),
    ]
    return DocumentNode("item", start, end, arguments=arguments)


def _choice(reading: Reading, expr: ast.expr, start: int, end: int) -> DocumentNode:
    choice = cast("ast.IfExp", expr)
    parts = {"test": choice.test, "then": choice.body, "orelse": choice.orelse}
    made = [Argument(name, expression(reading, part), "operand") for name, part in parts.items()]
    return DocumentNode("choice", start, end, kinds.joined(a.node.kind for a in made[1:]), arguments=made)


def _lambda(reading: Reading, expr: ast.expr, start: int, end: int) -> DocumentNode:
    function = cast("ast.Lambda", expr)
    parameters = plain_parameters(function.args)
    if parameters is None:
        return opaque(reading, expr, start, end)
    return of_function(reading, parameters, [((), function.body)], start, end)


def plain_parameters(arguments: ast.arguments) -> tuple[str, ...] | None:
    """The names of parameters without defaults or stars; None where there is more to them."""
    more = (
        arguments.vararg,
        arguments.kwarg,
        *arguments.kwonlyargs,
        *arguments.posonlyargs,
        *arguments.defaults,
    )
    return None if any(more) else tuple(a.arg for a in arguments.args)


def of_function(
    reading: Reading,
    parameters: tuple[str, ...],
    lines: Sequence[tuple[tuple[str, ...], ast.expr]],
    start: int,
    end: int,
) -> DocumentNode:
    """The node of a function: `lines` are the names that are assigned, none in the last, and what they are given."""
    # Most functions of a document are functions of a point, and p is how people call it.
    scope = {
        name: "point" if name in {"p", "q"} and len(parameters) == 1 else kinds.UNKNOWN for name in parameters
    }
    reading.locals.append(scope)
    steps: list[BodyLine] = []
    try:
        for targets, value in lines:
            node = expression(reading, value)
            steps.append(BodyLine(targets, node))
            for name in targets:
                scope[name] = node.kind if len(targets) == 1 else kinds.UNKNOWN
    finally:
        reading.locals.pop()
    arguments = [Argument(", ".join(step.targets) or "result", step.node, "body") for step in steps]
    return DocumentNode(
        "function", start, end, "function", arguments=arguments, steps=tuple(steps), parameters=parameters
    )


def _call(reading: Reading, expr: ast.expr, start: int, end: int) -> DocumentNode:
    from .calls import call

    return call(reading, cast("ast.Call", expr), start, end)


_READERS: dict[type[ast.expr], Any] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.BinOp: _operator,
    ast.UnaryOp: _operator,
    ast.Compare: _operator,
    ast.Tuple: _tuple,
    ast.List: _list,
    ast.Subscript: _item,
    ast.IfExp: _choice,
    ast.Lambda: _lambda,
    ast.Call: _call,
}
