"""The tree of a document: nodes with spans and kinds, names, diagnostics, and the document that holds them.

Made by `reading`, given identities by `matching`, and read by everything else; nobody changes a node later on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ..base.record import record
from ..images.signature import Limits
from ..images.word import Parameter
from .change import TextChange
from .kinds import SHOWN, UNKNOWN
from .vocabulary import KnownName


@record
class Diagnostic:
    """What is wrong at a span: `severity` is "error", "hole" or "opaque"; `fix` is a change that mends it, if any."""

    start: int
    end: int
    message: str
    severity: str = "error"
    hint: str = ""
    fix: TextChange | None = None
    identity: int = 0


@dataclass(eq=False, slots=True)
class Argument:
    """A place in a node: `name` of the parameter or role, what is expected there, and the `node` that stands there."""

    name: str
    node: DocumentNode
    role: str = "argument"
    parameter: Parameter | None = None
    expected: str | None = None
    start: int = 0
    end: int = 0


@dataclass(eq=False, slots=True)
class DocumentNode:
    """A part of the tree.

    `form` says how it is written: number, text, truth, none, hole, name, word, call, apply, method, attribute,
    operator, tuple, list, item, choice, function or opaque. `bound` are the parameters of functions around it that it
    uses; without any it is closed, and has a value of its own. `moves` says that it changes with time, `fixed` that its
    value is known before the picture is drawn.
    """

    form: str
    start: int
    end: int
    kind: str = UNKNOWN
    word: str = ""
    value: Any = None
    arguments: list[Argument] = field(default_factory=list["Argument"])
    known: KnownName | None = None
    definition: Definition | None = None
    steps: tuple[BodyLine, ...] = ()
    parameters: tuple[str, ...] = ()
    bound: frozenset[str] = frozenset()
    moves: bool = False
    fixed: bool = True
    identity: int = 0
    parent: DocumentNode | None = None
    place: Argument | None = None

    @property
    def closed(self) -> bool:
        """Whether it has a value of its own, outside of all functions."""
        return not self.bound

    @property
    def shows(self) -> bool:
        """Whether it can be drawn on its own."""
        return self.closed and self.kind in SHOWN

    @property
    def expected(self) -> str | None:
        """The kind that is expected where it stands; None if any will do."""
        return self.place.expected if self.place is not None else None

    @property
    def limits(self) -> Limits | None:
        """The limits of the parameter that it is given for."""
        parameter = self.place.parameter if self.place is not None else None
        return None if parameter is None else parameter.allowed

    def walk(self) -> Iterator[DocumentNode]:
        """This node and all below it, each before what is below it."""
        waiting: list[DocumentNode] = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(argument.node for argument in reversed(node.arguments))


@record
class BodyLine:
    """A line of a function: the names that the value of a node is given; none for what it returns."""

    targets: tuple[str, ...]
    node: DocumentNode


@dataclass(eq=False, slots=True)
class Definition:
    """A name of the document: the `node` of its value, or the part of it at `index`, and the span of the name."""

    name: str
    node: DocumentNode
    start: int
    end: int
    statement: Statement
    index: int | None = None
    uses: list[DocumentNode] = field(default_factory=list[DocumentNode])

    @property
    def kind(self) -> str:
        """The kind of its value."""
        return self.node.kind if self.index is None else UNKNOWN


@dataclass(eq=False, slots=True)
class Statement:
    """A statement of the document: its `sort` is import, assignment, function, expression, text or opaque."""

    sort: str
    start: int
    end: int
    node: DocumentNode | None = None
    definitions: list[Definition] = field(default_factory=list[Definition])


@dataclass(eq=False, slots=True)
class Document:
    """A Python text that is read as a tree.

    `definitions` are in the order of the text; a later one of a name takes its place from there on. `picture` is the
    node of the name `picture`, else of the last picture; None where there is none.
    """

    text: str
    statements: list[Statement] = field(default_factory=list[Statement])
    definitions: list[Definition] = field(default_factory=list[Definition])
    diagnostics: list[Diagnostic] = field(default_factory=list[Diagnostic])
    aliases: dict[str, str] = field(default_factory=dict[str, str])
    nodes: dict[int, DocumentNode] = field(default_factory=dict[int, DocumentNode])
    next_identity: int = 1
    values: Any = None

    @property
    def valid(self) -> bool:
        """Whether nothing is wrong; a document with holes is valid."""
        return not any(one.severity == "error" for one in self.diagnostics)

    @property
    def names(self) -> dict[str, Definition]:
        """The last definition of each name."""
        return {one.name: one for one in self.definitions}

    @property
    def picture(self) -> DocumentNode | None:
        """The node that the document shows."""
        named = self.names.get("picture")
        if named is not None and (named.index is None or named.node.form == "opaque"):
            return named.node
        shown = [s.node for s in self.statements if s.node is not None and s.node.shows]
        return shown[-1] if shown else None

    @property
    def parameters(self) -> list[DocumentNode]:
        """The calls of `pl.param`, in the order of the text."""
        return [n for n in self.walk() if n.form == "call" and n.word == "param"]

    def walk(self) -> Iterator[DocumentNode]:
        """All nodes, in the order of the text."""
        for statement in self.statements:
            if statement.node is not None:
                yield from statement.node.walk()

    def source(self, node: DocumentNode) -> str:
        """The text of a node."""
        return self.text[node.start : node.end]

    def statement_of(self, node: DocumentNode) -> Statement:
        """The statement that a node stands in."""
        return next(
            s for s in self.statements if s.start <= node.start and node.end <= s.end and s.node is not None
        )
