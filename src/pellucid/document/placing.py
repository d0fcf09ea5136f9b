"""How text is put into a document: where parentheses are needed, where arguments begin and end, which names are free.

Below `editing` and `naming`.
"""

from __future__ import annotations

import ast
import keyword
import re
import warnings

from ..base.errors import InputError
from . import vocabulary
from .change import Replacement, TextChange
from .reading import read
from .source import Places, hostile
from .tree import Document, DocumentNode, Statement

_TIGHT = frozenset(("operand", "receiver", "callee"))
"""Roles in which an expression stands beside signs that would take a part of it."""
_LEXEME = re.compile(
    r"'''(?:[^\\]|\\.)*?'''|\"\"\"(?:[^\\]|\\.)*?\"\"\"|'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\"|#[^\r\n]*|[()\[\]{},]",
    re.DOTALL,
)


def refused(message: str, fix: str) -> InputError:
    """The error of an edit that cannot be made."""
    return InputError(message, place="edit", fix=fix)


def node_of(document: Document, identity: int) -> DocumentNode:
    """The node of an identity.

    Raises InputError if there is none.
    """
    node = document.nodes.get(identity)
    if node is None:
        raise refused(f"no node has the identity {identity}", "select one that is there")
    return node


def checked(document: Document, change: TextChange) -> TextChange:
    """The change itself.

    Raises InputError if it would add an error to the document.
    """
    after = read(change.apply(document.text))
    before = sum(one.severity == "error" for one in document.diagnostics)
    errors = [one for one in after.diagnostics if one.severity == "error"]
    if len(errors) > before:
        raise refused(
            f"the document would be wrong: {errors[0].message}", errors[0].hint or "choose another edit"
        )
    return change


def _tree(text: str) -> ast.expr | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None


def given(text: str) -> str:
    """A text from outside as one expression, without what stands around it.

    Raises InputError for a text that is none.
    """
    limit = hostile(text)
    tree = _tree(text.strip()) if limit is None else None
    if tree is None:
        raise refused(f"{text[:40]!r} is no expression", "give one, such as im.disk(1)")
    start, end = Places(text.strip()).span(tree)
    return text.strip()[start:end]


def _is_closed(text: str) -> bool:
    """Whether nothing beside an expression can take a part of it."""
    tree = _tree(text)
    match tree:
        case ast.Name() | ast.Call() | ast.Attribute() | ast.Subscript() | ast.List() | ast.Dict():
            return True
        case ast.Tuple():
            return text.startswith("(")
        case ast.Constant():
            return isinstance(tree.value, str)
        case _:
            return False


def marks(text: str, role: str) -> tuple[str, str]:
    """What must stand before and after an expression in a role: parentheses, or nothing."""
    tree = _tree(text)
    bare = isinstance(tree, ast.Tuple) and not text.startswith("(")
    # An expression may go on to the next line only within brackets.
    loose = tree is None or bare
    plain = isinstance(tree, ast.Constant) and role == "operand"
    return ("(", ")") if loose or (role in _TIGHT and not plain and not _is_closed(text)) else ("", "")


def role_of(node: DocumentNode) -> str:
    """The role in which a node stands; "value" for the value of a statement."""
    return node.place.role if node.place is not None else "value"


def placed(node: DocumentNode, text: str) -> str:
    """A text as it can stand in the place of a node."""
    before, after = marks(text, role_of(node))
    return f"{before}{text}{after}"


def pieces(document: Document, node: DocumentNode) -> list[tuple[int, int]]:
    """The spans of what is between the commas of a call, a list or a tuple in brackets, in order."""
    at = node.start
    if node.form in {"call", "apply", "method"}:
        inner = [
            a.node for a in node.arguments if a.role in {"callee", "receiver"} and a.node.start == node.start
        ]
        at = max([at, *(one.end for one in inner)])
    found: list[tuple[int, int]] = []
    depth, begin = 0, -1
    opened = document.text.find("(" if node.form != "list" else "[", at, node.end)
    if inner_parentheses(document, node):
        opened = document.text.find("(", document.text.find(".", at), node.end)
    for lexeme in _LEXEME.finditer(document.text, max(opened, at), node.end):
        sign = lexeme.group()
        if sign in "([{":
            depth += 1
            begin = lexeme.end() if depth == 1 else begin
        elif sign in ")]}" or (sign == "," and depth == 1):
            depth -= sign in ")]}"
            if depth == (1 if sign == "," else 0):
                found.append(_trimmed(document.text, begin, lexeme.start()))
                begin = lexeme.end()
    return [span for span in found if span[0] < span[1]]


def inner_parentheses(document: Document, node: DocumentNode) -> bool:
    """Whether the receiver of a method stands in parentheses of its own."""
    first = next((a.node for a in node.arguments if a.role == "receiver"), None)
    return (
        first is not None
        and node.form in {"call", "method"}
        and document.text[node.start : first.start].strip() != ""
    )


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    part = text[start:end]
    return start + len(part) - len(part.lstrip()), end - (len(part) - len(part.rstrip()))


def piece_of(document: Document, node: DocumentNode) -> tuple[int, list[tuple[int, int]]] | None:
    """The number of the piece that a node is in, and all pieces of the node around it; None if it is in none."""
    if node.parent is None:
        return None
    spans = pieces(document, node.parent)
    number = next(
        (k for k, (start, end) in enumerate(spans) if start <= node.start and node.end <= end), None
    )
    return (number, spans) if number is not None else None


def prefix(document: Document) -> tuple[str, tuple[Replacement, ...]]:
    """What stands before the name of a word, such as ``im.``, and what must be inserted so that it has a meaning."""
    name = next((n for n, home in document.aliases.items() if home == vocabulary.IMAGES), None)
    if name is not None:
        return f"{name}.", ()
    whole = next((n for n, home in document.aliases.items() if home == vocabulary.PELLUCID), None)
    if whole is not None:
        return f"{whole}.images.", ()
    return "im.", (imported(document, "from pellucid import images as im"),)


def of_pellucid(document: Document) -> tuple[str, tuple[Replacement, ...]]:
    """What stands before the name of a function of pellucid, such as ``pl.``, and what must be inserted for it."""
    name = next((n for n, home in document.aliases.items() if home == vocabulary.PELLUCID), None)
    return (f"{name}.", ()) if name is not None else ("pl.", (imported(document, "import pellucid as pl"),))


def imported(document: Document, line: str) -> Replacement:
    """The insertion of an import, behind those that there are."""
    newline = newline_of(document)
    imports = [s for s in document.statements if s.sort == "import"]
    opening = [s for s in document.statements[:1] if s.sort == "text"]
    before = (imports or opening)[-1:]
    if before:
        return Replacement(before[0].end, before[0].end, newline + line)
    start = 1 if document.text.startswith("\ufeff") else 0
    return Replacement(start, start, line + newline)


def newline_of(document: Document) -> str:
    """The end of a line, as the document writes it."""
    return "\r\n" if "\r\n" in document.text else "\n"


def above(document: Document, statement: Statement, line: str) -> Replacement:
    """The insertion of a line before a statement."""
    begin = (
        max(document.text.rfind("\n", 0, statement.start), document.text.rfind("\r", 0, statement.start)) + 1
    )
    alone = not document.text[begin : statement.start].strip("\ufeff \t\f")
    return Replacement(statement.start, statement.start, line + (newline_of(document) if alone else "; "))


def stands_alone(document: Document, statement: Statement) -> bool:
    """Whether nothing stands before a statement on its line."""
    return not above(document, statement, "").text.startswith(";")


def free_name(document: Document, wanted: str) -> str:
    """A name that the document does not use yet: the one that is wanted, or with a number.

    Raises InputError for what is no name.
    """
    if not wanted.isidentifier() or keyword.iskeyword(wanted) or not wanted.isascii():
        raise refused(f"{wanted!r} is no name", "write letters, digits and underscores, a letter first")
    used = set(re.findall(r"\w+", document.text)) | set(vocabulary.names(vocabulary.BUILTINS))
    name, number = wanted, 2
    while name in used:
        name, number = f"{wanted}{number}", number + 1
    return name
