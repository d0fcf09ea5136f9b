"""Reads a Python text as a document, without executing any of it: statements, names, and what is wrong where.

The door of `document`. Expressions are read in `expressions` and `calls`, identities are given in `matching`.
"""

from __future__ import annotations

import ast

from . import vocabulary
from .change import TextChange
from .expressions import Reading, expression, of_function, opaque, plain_parameters, settle
from .matching import identify
from .source import Places, depth_of, parsed
from .tree import Argument, Definition, Diagnostic, Document, DocumentNode, Statement
from .vocabulary import KnownName


def read(text: str, before: Document | None = None, change: TextChange | None = None) -> Document:
    r"""The document of a text; whatever is wrong with it becomes a diagnostic, and nothing is raised.

    `before` is the document that the text was, and `change` what was changed, if that is known: nodes that stay the
    same keep their identities and their values.

    >>> document = read("from pellucid import images as im\npicture = im.disk(1)")
    >>> document.picture.word, document.picture.kind, document.valid
    ('disk', 'region', True)
    """
    document = Document(text)
    skipped = 1 if text.startswith("\ufeff") else 0
    tree = parsed(text[skipped:])
    if isinstance(tree, Diagnostic):
        document.diagnostics.append(tree)
    else:
        reading = Reading(text, Places(text[skipped:], skipped))
        _statements(reading, tree, document)
    identify(document, before, change)
    return document


def _statements(reading: Reading, tree: ast.Module, document: Document) -> None:
    reading.assigned = frozenset(
        n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    ) | {n.name for n in tree.body if isinstance(n, ast.FunctionDef)}
    for one in tree.body:
        start, end = reading.places.span(one)
        if isinstance(one, ast.FunctionDef) and one.decorator_list:
            start = reading.text.rindex("@", 0, reading.places.span(one.decorator_list[0])[0])
        statement = Statement("opaque", start, end)
        if depth_of(one):
            statement.node = DocumentNode("opaque", start, end, fixed=False)
            reading.diagnostics.append(
                Diagnostic(start, end, "this expression is nested too deeply", hint="give parts of it a name")
            )
        else:
            _statement(reading, one, statement, document)
        document.statements.append(statement)
        document.definitions += statement.definitions
        for definition in statement.definitions:
            reading.meanings[definition.name] = definition
    settle(reading, document.names)
    document.diagnostics = sorted(reading.diagnostics, key=lambda d: (d.start, d.end))
    document.aliases = {name: home for name, home in reading.meanings.items() if isinstance(home, str)}


def _statement(reading: Reading, one: ast.stmt, statement: Statement, document: Document) -> None:
    start, end = statement.start, statement.end
    if isinstance(one, ast.Import | ast.ImportFrom) and _imports(reading, one):
        statement.sort = "import"
    elif (
        isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant) and isinstance(one.value.value, str)
    ):
        statement.sort = "text"
    elif isinstance(one, ast.Expr):
        statement.sort, statement.node = "expression", expression(reading, one.value)
    elif isinstance(one, ast.Assign) and (names := _targets(one.targets)) is not None:
        statement.sort, statement.node = "assignment", expression(reading, one.value)
        _define(reading, statement, statement.node, names, single=isinstance(one.targets[-1], ast.Name))
    elif isinstance(one, ast.AnnAssign) and one.value is not None and isinstance(one.target, ast.Name):
        statement.sort, statement.node = "assignment", expression(reading, one.value)
        _define(reading, statement, statement.node, [one.target], single=True)
    elif isinstance(one, ast.FunctionDef) and (node := _function(reading, one, start, end)) is not None:
        statement.sort, statement.node = "function", node
        at = reading.text.index(one.name, reading.places.span(one)[0] + 3)
        statement.definitions = [Definition(one.name, node, at, at + len(one.name), statement)]
    else:
        statement.node = opaque(reading, one, start, end)
        for name in _stored(one):
            statement.definitions.append(Definition(name, statement.node, start, start, statement, index=-1))


def _stored(one: ast.stmt) -> list[str]:
    """The names that a statement outside of the subset gives a value, as far as can be told without running it."""
    if isinstance(one, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
        return [one.name]
    if isinstance(one, ast.Import | ast.ImportFrom):
        return [(alias.asname or alias.name).split(".")[0] for alias in one.names]
    found = [n.id for n in ast.walk(one) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    return list(dict.fromkeys(found))


def _targets(targets: list[ast.expr]) -> list[ast.Name] | None:
    if len(targets) != 1:
        return None
    target = targets[0]
    items = target.elts if isinstance(target, ast.Tuple) else [target]
    names = [item for item in items if isinstance(item, ast.Name)]
    return names if len(names) == len(items) else None


def _define(
    reading: Reading, statement: Statement, node: DocumentNode, names: list[ast.Name], *, single: bool
) -> None:
    parts = [a.node for a in node.arguments] if node.form in {"tuple", "list"} else []
    for k, name in enumerate(names):
        start, end = reading.places.span(name)
        if single:
            made = Definition(name.id, node, start, end, statement)
        elif len(parts) == len(names):
            made = Definition(name.id, parts[k], start, end, statement)
        else:
            made = Definition(name.id, node, start, end, statement, index=k)
        statement.definitions.append(made)


def _imports(reading: Reading, one: ast.Import | ast.ImportFrom) -> bool:
    """Give imported names their meanings; False for a module that a document cannot import."""
    found: dict[str, KnownName | str] = {}
    for alias in one.names:
        if isinstance(one, ast.Import):
            home = vocabulary.MODULES.get(alias.name)
            if home is None or ("." in alias.name and alias.asname is None):
                return False
            found[alias.asname or alias.name] = home
            continue
        if one.module == "__future__":
            continue
        home = vocabulary.MODULES.get(one.module or "") if one.level == 0 else None
        if home is None:
            return False
        if home == vocabulary.PELLUCID and alias.name == "images":
            found[alias.asname or alias.name] = vocabulary.IMAGES
            continue
        known = vocabulary.known(home, alias.name)
        if known is None:
            return False
        found[alias.asname or alias.name] = known
    reading.meanings.update(found)
    return True


def _function(reading: Reading, one: ast.FunctionDef, start: int, end: int) -> DocumentNode | None:
    """The node of a function whose lines assign names and return an expression; None for any other."""
    parameters = plain_parameters(one.args)
    body = list(one.body)
    if body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
        body = body[1:]
    lines: list[tuple[tuple[str, ...], ast.expr]] = []
    for line in body[:-1]:
        names = _targets(line.targets) if isinstance(line, ast.Assign) else None
        if names is None or not isinstance(line, ast.Assign):
            return None
        lines.append((tuple(name.id for name in names), line.value))
        if isinstance(line.targets[0], ast.Tuple) and len(names) == 1:
            return None
    last = body[-1] if body else None
    if (
        parameters is None
        or not isinstance(last, ast.Return)
        or last.value is None
        or len(one.decorator_list) > 1
    ):
        return None
    decorator = one.decorator_list[0] if one.decorator_list else None
    known = _decorator(reading, decorator)
    if decorator is not None and known is None:
        return None
    lines.append(((), last.value))
    inner = reading.places.span(one)[0]
    node = of_function(reading, parameters, lines, inner, end)
    _adopt(node)
    node.bound = frozenset()
    if known is None:
        return node
    from .calls import of_body

    made = DocumentNode(
        "call", start, end, of_body(node), known.name, known=known, moves=known.name == "animation"
    )
    made.arguments = [Argument("function", node, "body", expected="function", start=inner, end=end)]
    node.parent, node.place = made, made.arguments[0]
    return made


def _adopt(node: DocumentNode) -> None:
    for argument in node.arguments:
        argument.node.parent, argument.node.place = node, argument
        argument.start, argument.end = argument.node.start, argument.node.end


def _decorator(reading: Reading, decorator: ast.expr | None) -> KnownName | None:
    if decorator is None:
        return None
    if isinstance(decorator, ast.Attribute):
        module = reading.module(decorator.value)
        found = vocabulary.known(module, decorator.attr) if module is not None else None
    elif isinstance(decorator, ast.Name):
        meaning = reading.meanings.get(decorator.id)
        found = meaning if isinstance(meaning, KnownName) else None
    else:
        found = None
    return found if found is not None and found.name in {"image", "animation", "behavior"} else None
