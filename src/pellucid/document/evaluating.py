"""Evaluates a document, or one of its nodes, to a picture: by calling what `vocabulary` lists, and nothing else.

After `reading`. Values of closed nodes are kept by their content, so that an edit costs what it changes; a refusal
becomes a diagnostic at the node that is refused. Opaque nodes run only in a document that is trusted.
"""

from __future__ import annotations

import hashlib
import inspect
from collections import OrderedDict
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from ..base.deep_stack import with_deep_stack
from ..base.errors import InputError, PellucidError, VocabularyError, brief
from ..base.record import record
from ..images import Animation, Behavior, Color, Image
from ..images.animation import unknown_time
from ..images.image import unknown_point
from ..images.signature import Refused, to_image
from ..tracing import Complex, Point, Value, Vector3, flatten, param, tracing
from . import vocabulary
from .arithmetic import combined
from .tree import Definition, Diagnostic, Document, DocumentNode

MAX_VALUES = 4096
"""Maximum values that are kept between evaluations."""
MAX_STEPS = 20_000
"""Maximum nodes that one call of a function of the document evaluates."""
MAX_CALLS = 40
"""Maximum functions of the document within each other."""

_Locals = Mapping[str, Any]
_NOTHING: _Locals = {}


class RefusedNodeError(VocabularyError):
    """What a word or an operator refused, with the `identity` of the node where it did."""

    def __init__(self, identity: int, message: str, fix: str | None, severity: str = "error") -> None:
        super().__init__(message, place="document", fix=fix)
        self.identity = identity
        self.severity = severity


@record
class Evaluated:
    """The `picture` of a document or a node, None where there is none, and the `diagnostics` of evaluating it."""

    picture: Image | Animation | None
    diagnostics: tuple[Diagnostic, ...] = ()


def evaluate(
    document: Document,
    identity: int | None = None,
    *,
    trust: bool = False,
    lifted: Mapping[int, str] | None = None,
    folder: Path | None = None,
    check: bool = True,
) -> Evaluated:
    r"""The picture of a document, or that of one node.

    `trust` runs what is opaque too, as Python would. `lifted` gives numbers, by identity, the names of parameters, so
    that another value compiles nothing. Files are read below `folder` only, without one only in a trusted document.
    `check` runs the functions of the picture once, so that what they refuse is told here; without it, `diagnosis` tells
    where an error of drawing comes from. Nothing is raised for what a document says.

    >>> from pellucid.document import read
    >>> done = evaluate(read("from pellucid import images as im\npicture = im.annulus(2)"))
    >>> done.picture, done.diagnostics[0].message
    (None, 'annulus: inner is 2')
    """
    errors = tuple(one for one in document.diagnostics if one.severity == "error")
    node = document.picture if identity is None else document.nodes.get(identity)
    if errors and (identity is None or node is None):
        return Evaluated(None, errors)
    if node is None:
        return Evaluated(None, (Diagnostic(0, 0, "there is no picture", hint="write picture = ..."),))
    inside = [d for d in errors if node.start <= d.start and d.end <= node.end]
    if inside:
        return Evaluated(None, tuple(inside))
    running = _Evaluation(document, trust, lifted or {}, folder)
    try:
        value = with_deep_stack(lambda: running.picture(node, check=check))
    except Exception as error:  # noqa: BLE001 - it is told at its place
        return Evaluated(None, (diagnosis(document, error, node),))
    return Evaluated(value)


def pictures(
    document: Document, *, trust: bool = False, folder: Path | None = None
) -> dict[int, tuple[str, Image | Animation]]:
    r"""The picture of each node that has one of its own, by identity, with a digest of its content.

    Nodes of one digest have one picture; it is empty where the text does not say what is drawn, as for a file. Names
    are left out, since what they mean has its own node, and so are colors. What is refused is left out too; the other
    arguments are those of `evaluate`.

    >>> from pellucid.document import read
    >>> document = read("from pellucid import images as im\npicture = im.swirl(1, im.disk(2))")
    >>> [picture for _, picture in pictures(document).values()]
    [swirl(1, disk(2)), disk(2)]
    """
    running = _Evaluation(document, trust, {}, folder)
    found: dict[int, tuple[str, Image | Animation]] = {}

    def gather() -> None:
        for node in document.walk():
            if node.shows and node.form not in {"name", "hole"} and node.kind != "color":
                with suppress(Exception):
                    picture = running.picture(node, check=False)
                    found[node.identity] = running.digest(node), picture

    with_deep_stack(gather)
    return found


def diagnosis(document: Document, error: Exception, node: DocumentNode | None = None) -> Diagnostic:
    """The diagnostic of an error that evaluating or drawing a document raised; at `node` where it does not say."""
    found: BaseException | None = error
    while found is not None and not isinstance(found, RefusedNodeError):
        found = found.__cause__ or found.__context__
    if isinstance(found, RefusedNodeError):
        node = document.nodes.get(found.identity, node)
        message, hint, severity = found.message, found.fix or "", found.severity
    else:
        message = error.message if isinstance(error, PellucidError) else str(error) or type(error).__name__
        hint, severity = (error.fix or "" if isinstance(error, PellucidError) else ""), "error"
    node = node or document.picture
    if node is None:
        return Diagnostic(0, 0, message, severity, hint)
    return Diagnostic(node.start, node.end, message, severity, hint, identity=node.identity)


@dataclass
class _Evaluation:
    """One evaluation of a document."""

    document: Document
    trust: bool
    lifted: Mapping[int, str]
    folder: Path | None
    keys: dict[int, str] = field(default_factory=dict[int, str])
    volatile: set[int] = field(default_factory=set[int])
    steps: int = 0
    depth: int = 0

    def __post_init__(self) -> None:
        if self.document.values is None:
            self.document.values = OrderedDict[Any, Any]()
        self.values: OrderedDict[Any, Any] = self.document.values
        self.late = hashlib.blake2b(self.document.text.encode("utf-8", "surrogatepass")).hexdigest()

    def picture(self, node: DocumentNode, *, check: bool) -> Image | Animation:
        """The picture of a node."""
        for definition in self._needed(node):
            self.value(definition.node, _NOTHING)
        value = self.value(node, _NOTHING)
        if isinstance(value, Animation):
            made: Image | Animation = value
        else:
            try:
                made = to_image(value)
            except Refused as refused:
                uncalled = node.form == "word" and callable(value)
                fix = f"call it, as in im.{node.word}(...)" if uncalled else refused.fix
                raise RefusedNodeError(node.identity, f"this is {refused.problem}", fix) from None
        if check:
            self.steps = 0
            with tracing():
                flatten(made.sample(unknown_time(), unknown_point()))
        return made

    def digest(self, node: DocumentNode) -> str:
        """The key of what a node draws; empty where that is not only in the text."""
        key = self.key(node)
        return "" if id(node) in self.volatile else f"{key}{self.trust:d}"

    def _needed(self, node: DocumentNode) -> list[Definition]:
        """The definitions that a node uses, in the order of the text."""
        found: dict[int, Definition] = {}
        waiting = [node]
        while waiting:
            for one in waiting.pop().walk():
                if one.definition is not None and id(one.definition) not in found:
                    found[id(one.definition)] = one.definition
                    waiting.append(one.definition.node)
        return sorted(found.values(), key=lambda one: one.start)

    def key(self, node: DocumentNode) -> str:
        """The content of a node as a digest: equal for nodes that have equal values."""
        known = self.keys.get(id(node))
        if known is None:
            parts: list[str] = [node.form, node.word, repr(node.value), ",".join(node.parameters)]
            if node.identity in self.lifted:
                parts.append(f"lifted as {self.lifted[node.identity]}")
            if node.known is not None:
                parts.append(node.known.home)
            if node.form in {"opaque", "unknown"} or node.word in vocabulary.FILES:
                self.volatile.add(id(node))
            if node.definition is not None:
                early = node.definition.statement.end <= node.start
                parts.append(self.key(node.definition.node) if early else self.late)
                parts.append(str(node.definition.index))
                if early and id(node.definition.node) in self.volatile:
                    self.volatile.add(id(node))
            parts += [" ".join(step.targets) for step in node.steps]
            for argument in node.arguments:
                parts += [argument.role, argument.name, self.key(argument.node)]
                if id(argument.node) in self.volatile:
                    self.volatile.add(id(node))
            text = "\0".join(parts).encode("utf-8", "surrogatepass")
            known = self.keys[id(node)] = hashlib.blake2b(text, digest_size=16).hexdigest()
        return known

    def value(self, node: DocumentNode, local: _Locals) -> Any:
        """The value of a node, where functions around it have given their parameters the values `local`.

        Raises RefusedNodeError.
        """
        self.steps += 1
        if self.steps > MAX_STEPS:
            raise RefusedNodeError(node.identity, "this takes too many steps", "call functions less often")
        keep = node.closed and not self.depth and node.form not in {"number", "text"}
        key = (self.key(node), self.trust) if keep else None
        if keep and id(node) not in self.volatile and key in self.values:
            self.values.move_to_end(key)
            return self.values[key]
        try:
            value = self._made(node, local)
        except RefusedNodeError:
            raise
        except PellucidError as error:
            name = f"{node.word}: " if node.form in {"call", "method"} and node.word else ""
            raise RefusedNodeError(node.identity, f"{name}{error.message}", error.fix) from error
        except RecursionError:
            raise
        except Exception as error:
            told = str(error) or type(error).__name__
            raise RefusedNodeError(node.identity, told, "change what stands here") from error
        if keep and id(node) not in self.volatile:
            self.values[key] = value
            while len(self.values) > MAX_VALUES:
                self.values.popitem(last=False)
        return value

    def _made(self, node: DocumentNode, local: _Locals) -> Any:
        match node.form:
            case "number":
                name = self.lifted.get(node.identity)
                return param(name, node.value) if name is not None else node.value
            case "text" | "truth" | "none":
                return node.value
            case "word":
                return node.known.meaning if node.known is not None else None
            case "name":
                return self._named(node, local)
            case "tuple":
                return tuple(self.value(a.node, local) for a in node.arguments)
            case "list":
                return [self.value(a.node, local) for a in node.arguments]
            case "operator":
                return combined(node.word, *(self.value(a.node, local) for a in node.arguments))
            case "item":
                of, index = (self.value(a.node, local) for a in node.arguments)
                if not isinstance(of, tuple | list | Point | Vector3):
                    raise InputError(
                        "this has no parts by number", place="item", fix="take a part by its name"
                    )
                return cast("Any", of)[index]
            case "choice":
                test, then, orelse = (a.node for a in node.arguments)
                truth = self.value(test, local)
                if isinstance(truth, Value):
                    written = ", ".join(self.document.text[a.node.start : a.node.end] for a in node.arguments)
                    raise RefusedNodeError(
                        node.identity,
                        "a symbolic value has no truth of its own",
                        f"write pl.where({written}) instead of `if` and `else`",
                    )
                return self.value(then if truth else orelse, local)
            case "attribute":
                of = self.value(node.arguments[0].node, local)
                if not isinstance(of, Point | Color | Complex | Vector3):
                    raise InputError(
                        f"this has no part {node.word}", place=node.word, fix="give a point or a color"
                    )
                return getattr(of, node.word)
            case "function":
                return self._function(node, local)
            case "call" | "apply" | "method":
                return self._called(node, local)
            case "hole":
                raise RefusedNodeError(
                    node.identity, "a hole", "choose what stands here from the library", "hole"
                )
            case _:
                return self._trusted(node, local)

    def _named(self, node: DocumentNode, local: _Locals) -> Any:
        if node.value in local:
            return local[node.value]
        definition = node.definition
        if definition is None:
            raise RefusedNodeError(node.identity, f"{node.value} has no value yet", "define it above")
        if definition.node.form == "opaque":
            return self._executed().get((definition.start, definition.name))
        depth, self.depth = self.depth, 0
        try:
            value = self.value(definition.node, _NOTHING)
        finally:
            self.depth = depth
        return value if definition.index is None else tuple(value)[definition.index]

    def _called(self, node: DocumentNode, local: _Locals) -> Any:
        args: list[Any] = []
        named: dict[str, Any] = {}
        for argument in node.arguments:
            value = self.value(argument.node, local)
            if argument.role == "keyword" or (argument.role == "receiver" and node.form == "call" and named):
                named[argument.name] = value
            else:
                args.append(value)
        if node.form == "apply":
            return args[0](*args[1:], **named)
        if node.form == "method":
            of = args[0]
            allowed = (
                (Image, Animation)
                if node.word == "framed"
                else (Point, Color, Complex, Vector3, Behavior, complex)
            )
            if not isinstance(of, allowed):
                raise InputError(
                    f"this has no {node.word}", place=node.word, fix="call a word of the library"
                )
            return getattr(of, node.word)(*args[1:], **named)
        known = node.known
        assert known is not None  # noqa: S101 - what is called by its word has one
        if not self.trust and known.home == vocabulary.IMAGES and known.name in vocabulary.PATHS:
            given = inspect.signature(known.meaning).bind(*args, **named)
            parameter = vocabulary.PATHS[known.name]
            path = given.arguments.get(parameter)
            # A text of several lines is a program itself and no path.
            if path and not (known.name == "read_vm" and "\n" in str(path)):
                given.arguments[parameter] = self._file(path)
            return known.meaning(*given.args, **given.kwargs)
        return known.meaning(*args, **named)

    def _file(self, named: Any) -> str:
        """The path of a file below the folder of the document."""
        if self.folder is not None and isinstance(named, str | Path) and "\0" not in str(named):
            folder = self.folder.resolve()
            path = (folder / named).resolve()
            if path.is_relative_to(folder):
                return str(path)
        fix = "put the file into the folder of the document, or trust the document"
        raise InputError(f"the file {brief(named)} is not open to this document", place="document", fix=fix)

    def _function(self, node: DocumentNode, local: _Locals) -> Callable[..., Any]:
        outside = dict(local)

        def function(*args: Any) -> Any:
            if len(args) != len(node.parameters):
                raise RefusedNodeError(
                    node.identity,
                    f"this function is given {len(args)} arguments",
                    f"it takes {len(node.parameters)}",
                )
            if self.depth >= MAX_CALLS:
                raise RefusedNodeError(
                    node.identity, "functions within functions without end", "call it less deeply"
                )
            if not self.depth:
                self.steps = 0
            self.depth += 1
            try:
                scope = {**outside, **dict(zip(node.parameters, args, strict=True))}
                value: Any = None
                for step in node.steps:
                    value = self.value(step.node, scope)
                    if len(step.targets) == 1:
                        scope[step.targets[0]] = value
                    elif step.targets:
                        scope.update(zip(step.targets, value, strict=True))
                return value
            finally:
                self.depth -= 1

        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        signature = inspect.Signature([inspect.Parameter(name, kind) for name in node.parameters])
        function.__signature__ = signature
        return function

    def _trusted(self, node: DocumentNode, local: _Locals) -> Any:
        if not self.trust:
            fix = "trust the document, or write it with words of the library"
            raise RefusedNodeError(node.identity, "this is code, which is not run", fix, "opaque")
        executed = self._executed()
        statement = next((s for s in self.document.statements if s.node is node), None)
        if statement is not None and statement.sort == "opaque":
            made = {d.name: executed[d.start, d.name] for d in statement.definitions}
            return made.get("picture", next(reversed(made.values()), None))
        namespace = self.values["namespace", self.document.text]
        code = compile(f"({self.document.source(node)}\n)", "document.py", "eval")
        return eval(code, {**namespace, **local})  # noqa: S307 - the user trusts the document

    def _executed(self) -> Mapping[tuple[int, str], Any]:
        """The names that opaque statements define, where all statements run in order, as Python runs them."""
        if not self.trust:
            node = next(d.node for d in self.document.definitions if d.node.form == "opaque")
            fix = "trust the document, or write it with words of the library"
            raise RefusedNodeError(node.identity, "this is code, which is not run", fix, "opaque")
        key = ("executed", self.document.text)
        if key not in self.values:
            namespace: dict[str, Any] = {"__name__": "document"}
            found: dict[tuple[int, str], Any] = {}
            for statement in self.document.statements:
                # Lines before it keep its numbers in tracebacks.
                lines = "\n" * self.document.text.count("\n", 0, statement.start)
                source = lines + self.document.text[statement.start : statement.end]
                exec(compile(source, "document.py", "exec"), namespace)  # noqa: S102 - the user trusts the document
                for definition in statement.definitions:
                    found[definition.start, definition.name] = namespace.get(definition.name)
            self.values["namespace", self.document.text] = namespace
            self.values[key] = found
        return self.values[key]
