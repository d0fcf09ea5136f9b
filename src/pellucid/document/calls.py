"""Calls of words, functions and methods read as nodes: arguments are bound to parameters, kinds and ranges checked.

Beside `expressions`. The words, their parameters and ranges come from the registry of `pellucid.images`.
"""

from __future__ import annotations

import ast

from ..base.errors import VocabularyError, did_you_mean
from ..images.css import parse_color
from ..images.signature import Range
from ..images.word import Parameter, Word
from ..tracing import Point
from . import kinds, vocabulary
from .change import Replacement, TextChange
from .expressions import Reading, expression, opaque, unknown_word
from .tree import Argument, DocumentNode
from .vocabulary import KnownName

FRAME = {
    "size": "any",
    "width": "number",
    "zoom": "number",
    "center": "point",
    "time": "number",
    "samples": "number",
}
"""Arguments of `framed` that a document may give, and the kind of each."""
_FUNCTION_PARAMETERS: dict[str, tuple[tuple[str, str], ...]] = {
    "param": (("name", "text"), ("default", "number"), ("low", "any"), ("high", "number")),
    "image": (("function", "function"),),
    "animation": (("function", "function"),),
    "behavior": (("function", "function"),),
    "where": (("condition", "any"), ("then", "any"), ("orelse", "any")),
    "Point": (("x", "number"), ("y", "number")),
    "Color": (("r", "number"), ("g", "number"), ("b", "number"), ("a", "number")),
    "iterate": (("function", "function"), ("start", "any"), ("until", "function"), ("limit", "number")),
}


def call(reading: Reading, expr: ast.Call, start: int, end: int) -> DocumentNode:
    """The node of a call."""
    if any(isinstance(a, ast.Starred) for a in expr.args) or any(k.arg is None for k in expr.keywords):
        return opaque(reading, expr, start, end)
    function = expr.func
    if isinstance(function, ast.Attribute) and reading.module(function.value) is None:
        return _method(reading, expr, function, start, end)
    callee = expression(reading, function)
    if callee.form == "word" and callee.known is not None and callee.known.sort in {"word", "function"}:
        known = callee.known
        return (
            _of_word(reading, expr, known, None, start, end)
            if known.word is not None
            else _of_function(reading, expr, known, start, end)
        )
    given = _given(reading, expr)
    if callee.form == "opaque":
        return DocumentNode("opaque", start, end, fixed=False, bound=callee.bound)
    arguments = [Argument("function", callee, "callee")]
    arguments += [
        Argument(name or str(k), node, "keyword" if name else "argument")
        for k, (name, node) in enumerate(given)
    ]
    kind = kinds.UNKNOWN
    if callee.form == "name" and callee.definition is not None and callee.definition.node.form == "function":
        steps = callee.definition.node.steps
        kind = steps[-1].node.kind if steps and steps[-1].node.kind != "text" else kind
        for argument, name in zip(arguments[1:], callee.definition.node.parameters, strict=False):
            argument.name = name
    elif callee.kind in kinds.PICTURES:
        kind = {"image": "color", "region": "truth", "field": "number"}.get(callee.kind, kind)
        for argument in arguments[1:]:
            argument.name, argument.expected = "point", "point"
    elif callee.form != "unknown" and callee.kind not in {kinds.UNKNOWN, "function", "warp", "time"}:
        reading.tell(callee, f"a {callee.kind} cannot be called", "write an operator, or the name of a word")
    return DocumentNode("apply", start, end, kind, arguments=arguments)


def _given(reading: Reading, expr: ast.Call) -> list[tuple[str | None, DocumentNode]]:
    given: list[tuple[str | None, DocumentNode]] = [(None, expression(reading, a)) for a in expr.args]
    return given + [(k.arg, expression(reading, k.value)) for k in expr.keywords]


def _method(reading: Reading, expr: ast.Call, function: ast.Attribute, start: int, end: int) -> DocumentNode:
    name = function.attr
    if name.startswith("_"):
        return opaque(reading, expr, start, end, "names that begin with an underscore are Python's own")
    inner = function.value
    if (
        isinstance(inner, ast.Attribute)
        and inner.attr == "Point"
        and name == "polar"
        and reading.module(inner.value)
    ):
        known = KnownName("polar", vocabulary.PELLUCID, "function", "point", Point.polar)
        return _of_function(reading, expr, known, start, end)
    receiver = expression(reading, inner)
    if name == "framed" and (receiver.kind in kinds.PICTURES or receiver.kind == kinds.UNKNOWN):
        arguments = [Argument("picture", receiver, "receiver")]
        for k, (named, node) in enumerate(_given(reading, expr)):
            called = named or ("size" if k == 0 else "")
            if called not in FRAME:
                near = did_you_mean(called, FRAME) or f"it takes {', '.join(FRAME)}"
                reading.tell(node, f"framed takes no {called or 'second argument without a name'}", near)
            arguments.append(
                Argument(called, node, "keyword" if named else "argument", expected=FRAME.get(called))
            )
        return DocumentNode("method", start, end, receiver.kind, name, arguments=arguments)
    methods = vocabulary.METHODS.get(receiver.kind)
    if (methods is not None and name in methods) or (
        receiver.kind == kinds.UNKNOWN and name in vocabulary.ALL_METHODS
    ):
        given = _given(reading, expr)
        arguments = [Argument("of", receiver, "receiver")]
        arguments += [Argument(n or str(k), node, "argument") for k, (n, node) in enumerate(given)]
        return DocumentNode(
            "method", start, end, methods[name] if methods else kinds.UNKNOWN, name, arguments=arguments
        )
    known = vocabulary.known(vocabulary.IMAGES, name)
    if receiver.kind in kinds.PICTURES or receiver.kind == kinds.UNKNOWN:
        if known is not None and known.word is not None and known.word.receiver is not None:
            return _of_word(reading, expr, known, receiver, start, end)
        if receiver.kind in kinds.PICTURES:
            node = DocumentNode(
                "unknown", start, end, word=name, arguments=[Argument("of", receiver, "receiver")]
            )
            at = reading.places.offset(function.end_lineno or 1, function.end_col_offset or 0) - len(name)
            named = DocumentNode("unknown", at, at + len(name))
            unknown_word(reading, named, vocabulary.IMAGES, name, at, method=True)
            return node
    if receiver.form == "unknown":
        return DocumentNode(
            "unknown", start, end, word=name, arguments=[Argument("of", receiver, "receiver")]
        )
    return opaque(reading, expr, start, end)


def _of_function(reading: Reading, expr: ast.Call, known: KnownName, start: int, end: int) -> DocumentNode:
    given = _given(reading, expr)
    expected = _FUNCTION_PARAMETERS.get(known.name, ())
    arguments: list[Argument] = []
    for k, (name, node) in enumerate(given):
        by_name = dict(expected)
        label, kind = (
            (name, by_name.get(name)) if name else expected[k] if k < len(expected) else (str(k), None)
        )
        made = Argument(label, node, "keyword" if name else "argument", expected=kind)
        _check_kind(reading, known.name, made)
        arguments.append(made)
    made = DocumentNode("call", start, end, known.kind, known.name, arguments=arguments, known=known)
    of = [a.node.kind for a in arguments]
    if known.name == "where":
        made.kind = kinds.joined(of[1:])
    elif known.name in {"image", "animation"}:
        made.kind = of_body(arguments[0].node) if arguments else kinds.UNKNOWN
        made.moves = known.name == "animation"
    elif known.name == "param":
        made.fixed = False
    elif known.name == "complex":
        made.kind = "complex"
    elif known.kind == "number":
        made.kind = next(
            (k for k in ("field", "time") if k in of), kinds.UNKNOWN if kinds.UNKNOWN in of else "number"
        )
    return made


def of_body(function: DocumentNode) -> str:
    """The kind of picture that a function of a point is."""
    if not function.steps:
        return "picture"
    kind = kinds.as_picture(function.steps[-1].node.kind)
    return kind if kind in kinds.PICTURES else "picture"


def _of_word(
    reading: Reading, expr: ast.Call, known: KnownName, receiver: DocumentNode | None, start: int, end: int
) -> DocumentNode:
    word = known.word
    assert word is not None  # noqa: S101 - the caller has looked
    given = _given(reading, expr)
    made = DocumentNode("call", start, end, known.kind, known.name, known=known)
    if receiver is not None:
        names = [p.name for p in word.parameters]
        at = names.index(word.receiver or "")
        positional = sum(name is None for name, _ in given)
        given.insert(at, (None, receiver)) if positional >= at else given.append((word.receiver, receiver))
    made.arguments = _bound(reading, made, word, given)
    for argument in made.arguments:
        if argument.node is receiver:
            argument.role = "receiver"
    made.kind = _check(reading, word, made)
    return made


def _bound(
    reading: Reading, made: DocumentNode, word: Word, given: list[tuple[str | None, DocumentNode]]
) -> list[Argument]:
    parameters = {p.name: p for p in word.parameters}
    order = list(word.parameters)
    taken: set[str] = set()
    found: list[Argument] = []
    position = 0
    for name, node in given:
        parameter: Parameter | None
        if name is None:
            parameter = order[position] if position < len(order) else None
            position += parameter is not None and not parameter.slot.many
        else:
            parameter = parameters.get(name)
        label = name or (parameter.name if parameter is not None else "")
        if parameter is None:
            hint = (name and did_you_mean(name, parameters)) or f"it is {word.signature}"
            reading.tell(
                node, f"{word.name} takes no {f'argument {name!r}' if name else 'more arguments'}", hint
            )
        elif parameter.name in taken and not parameter.slot.many:
            reading.tell(node, f"{label} is given twice", "delete one of them")
        taken.add(label)
        expected = kinds.of_slot(parameter.slot) if parameter is not None else None
        found.append(Argument(label, node, "keyword" if name else "argument", parameter, expected))
    missing = [p.name for p in order if p.required and p.name not in taken]
    if missing:
        fix = None
        if reading.text[made.end - 1 : made.end] == ")":
            holes = ", ".join(f"{name}=..." for name in missing)
            before = reading.text[: made.end - 1].rstrip()[-1:]
            comma = "" if before in {"(", ","} else ", "
            fix = TextChange((Replacement(made.end - 1, made.end - 1, comma + holes),), "add holes")
        reading.tell(made, f"{word.name} needs {', '.join(missing)}", f"it is {word.signature}", fix)
    return found


def _check(reading: Reading, word: Word, made: DocumentNode) -> str:
    """Check the arguments of a word; the kind of what it gives."""
    letters: dict[str, str] = {}
    for argument in made.arguments:
        parameter, node = argument.parameter, argument.node
        if parameter is None or not _check_kind(reading, word.name, argument):
            continue
        slot = parameter.slot
        if slot.letter is not None and node.kind != kinds.UNKNOWN and node.form != "hole":
            kind = kinds.as_picture(node.kind)
            before = letters.setdefault(slot.letter, kind)
            if "picture" in (before, kind):
                letters[slot.letter] = kind if before == "picture" else before
            elif before != kind:
                reading.tell(
                    node, f"{kinds.named(kind)} beside {kinds.named(before)}", "give images of one kind"
                )
        _check_value(reading, word, argument, parameter)
    result = word.result
    if result.letter is not None:
        return letters.get(result.letter, "picture")
    return kinds.of_slot(result)


def _check_kind(reading: Reading, name: str, argument: Argument) -> bool:
    node = argument.node
    if node.form in {"hole", "opaque", "unknown"} or kinds.fits(node.kind, argument.expected):
        return True
    parameter = argument.parameter
    if node.form == "none" and parameter is not None and parameter.default is None:
        return False
    hints = {
        ("region", "image"): "color it, as in region.fill(im.red)",
        ("field", "image"): "color it, as in field.ramp([im.black, im.white])",
        ("image", "region"): "make a region of it, as in image.alpha() > 0.5",
        ("image", "field"): "take a field of it, as in image.luminance()",
        ("field", "region"): "compare it, as in field > 0.5",
        ("number", "point"): "a point is one argument: write (x, y)",
    }
    wanted = kinds.named(argument.expected or kinds.UNKNOWN)
    hint = hints.get((node.kind, argument.expected or ""), f"give {wanted}")
    if node.form in {"list", "tuple"} and parameter is not None and parameter.slot.many:
        hint = "give them one after another"
    reading.tell(node, f"{name}: {argument.name} is {kinds.named(node.kind)}, not {wanted}", hint)
    return False


def _check_value(reading: Reading, word: Word, argument: Argument, parameter: Parameter) -> None:
    node = argument.node
    type_ = parameter.slot.type
    limits = parameter.allowed
    if node.form == "text":
        if type_ is not None and isinstance(limits, tuple) and isinstance(limits[0], str):
            if node.value not in limits:
                choices = [str(one) for one in limits]
                near = did_you_mean(node.value, choices)
                reading.tell(
                    node, f"{node.value!r} is no choice", near or f"choose one of {', '.join(choices)}"
                )
        elif argument.expected in {"image", "color", "picture"}:
            check_color(reading, node)
        return
    if (
        type_ is not None
        and type_.name == "Count"
        and not node.fixed
        and node.form not in {"hole", "opaque"}
        and node.closed
    ):
        reading.tell(node, f"{word.name}: {parameter.name} must be known in advance", "give a whole number")
    if (
        type_ is not None
        and type_.name in {"Integer", "Count"}
        and isinstance(node.value, float)
        and not node.value.is_integer()
    ):
        fix = TextChange((Replacement(node.start, node.end, str(round(node.value))),), "round it")
        reading.tell(node, f"{word.name}: {parameter.name} is {node.value:g}", "give a whole number", fix)
    if argument.expected == "stops":
        stops = node.arguments if node.form == "list" else []
        if node.form == "list" and len(stops) < 2:
            reading.tell(node, "fewer than two stops", "give colors, or pairs (position, color)")
        for one in stops:
            if one.node.form == "text":
                check_color(reading, one.node)
    allowed = kinds.interval(limits)
    parts = [a.node for a in node.arguments] if node.form == "tuple" else [node]
    for part in parts:
        if allowed is not None and part.form == "number" and isinstance(part.value, int | float):
            _check_range(reading, word, parameter, part, allowed)


def _check_range(
    reading: Reading, word: Word, parameter: Parameter, node: DocumentNode, allowed: Range
) -> None:
    if allowed.holds(node.value):
        return
    nearest = min(max(node.value, allowed.low), allowed.high)
    fix = None
    if allowed.holds(nearest):
        fix = TextChange((Replacement(node.start, node.end, f"{nearest:g}"),), f"write {nearest:g}")
    reading.tell(node, f"{word.name}: {parameter.name} is {node.value:g}", f"give a number {allowed}", fix)


def check_color(reading: Reading, node: DocumentNode) -> None:
    """Report a string that names no color."""
    try:
        parse_color(node.value)
    except VocabularyError as error:
        reading.tell(node, error.message, error.fix or "")
