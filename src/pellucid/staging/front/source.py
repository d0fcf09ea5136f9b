"""The source of an interpreter: its functions as syntax trees, and the errors that name their lines."""

from __future__ import annotations

import ast
import builtins
import inspect
import textwrap
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from pellucid.base.errors import StagingError
from pellucid.staging.front.advice import INSTEAD

_DEFINITIONS: Mapping[type[ast.AST], str] = {
    ast.FunctionDef: "define functions at the top of the file, and give what it reads as arguments",
    ast.AsyncFunctionDef: "write `def`, at the top of the file",
    ast.ClassDef: "define classes outside of the interpreter",
}
"""What a function may not define, and what to write instead."""


class Source:
    """A Python function as a syntax tree, with the place that it is from."""

    def __init__(self, function: Callable[..., Any]) -> None:
        if not isinstance(function, FunctionType):
            raise StagingError(
                f"{function!r} is no function", place="interpreter", fix="give a function that `def` makes"
            )
        self.function = function
        self.name = function.__qualname__.rpartition("<locals>.")[2]
        self.file = Path(function.__code__.co_filename).name
        first = function.__code__.co_firstlineno
        try:
            lines, first = inspect.getsourcelines(function)
            text = textwrap.dedent("".join(lines))
            tree = ast.parse(text)
        except (OSError, SyntaxError):
            raise StagingError(
                "its source cannot be read",
                place=f"{self.file}:{first}",
                fix="write the function with `def` in a file",
            ) from None
        self.first = first
        """The number of its first line in the file."""
        self.lines = text.splitlines()
        ast.increment_lineno(tree, first - 1)
        found = tree.body[0]
        if not isinstance(found, ast.FunctionDef):
            raise StagingError(
                "is no plain function", place=f"{self.file}:{first}", fix="write it with `def`"
            )
        self.tree = found
        for one in ast.walk(found):
            if one is not found and type(one) in _DEFINITIONS:
                text = ast.unparse(one).splitlines()[0]
                raise self.error(one, f"{text!r} is within {found.name}", _DEFINITIONS[type(one)])
        given = found.args
        for one in (*given.posonlyargs, *given.kwonlyargs, given.vararg, given.kwarg):
            if one is not None and one not in given.args:
                raise self.error(one, f"the parameter {one.arg} is special", "use plain parameters")
        self.params = tuple(one.arg for one in given.args)
        self.locals = set(self.params) | {
            one.id for one in ast.walk(found) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
        }
        self.locals |= {
            one.name for one in ast.walk(found) if isinstance(one, ast.MatchAs | ast.MatchStar) and one.name
        }
        self.rebound = {
            one.id
            for one in ast.walk(found)
            if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store) and one.id in self.params
        }
        """The parameters that are assigned."""
        self.tested = set(_tests(found))
        """The expressions of which only the truth is asked."""
        self.returned = {one for node in ast.walk(found) for one in _handed_on(node)} & set(self.params)
        """The parameters that are returned or kept as they are."""
        self.constants = {
            name: cell.cell_contents
            for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
        }

    def error(self, node: ast.AST, message: str, fix: str) -> StagingError:
        """The error of a line."""
        line = getattr(node, "lineno", self.tree.lineno)
        return StagingError(message, place=f"{self.file}:{line}", fix=fix)

    def refused(self, node: ast.AST) -> StagingError:
        """The error of a construct that is outside of the subset."""
        text = ast.unparse(node).splitlines()[0]
        instead = INSTEAD.get(type(node), "write it with if, while, for, calls, numbers and tuples")
        return self.error(node, f"{text!r} is outside of what interpreters may use", instead)

    def arguments(self, node: Any, count: int) -> list[ast.expr]:
        """The arguments of a built-in function that takes so many."""
        if len(node.args) != count:
            raise self.error(node, f"{ast.unparse(node.func)} takes {count} arguments here", "give as many")
        return node.args

    def outside(self, node: ast.Name) -> Any:
        """The value of a name that the function does not bind."""
        name = node.id
        if name in self.constants:
            return self.constants[name]
        if name in self.function.__globals__:
            return self.function.__globals__[name]
        if hasattr(builtins, name):
            return getattr(builtins, name)
        raise self.error(node, f"{name!r} is not defined", "define it before the compiler is made")

    def times_set(self, name: str) -> int:
        """The number of lines that set a variable to a value that does not depend on it."""
        found = 0
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Assign):
                read = {one.id for one in ast.walk(node.value) if isinstance(one, ast.Name)}
                targets = {one.id for one in node.targets if isinstance(one, ast.Name)}
                found += name in targets - read
        return found

    def captured(self) -> list[str]:
        """The variables that patterns bind, and assignments too."""
        nodes = list(ast.walk(self.tree))
        held = [one.name for one in nodes if isinstance(one, ast.MatchAs | ast.MatchStar) and one.name]
        stored = {one.id for one in nodes if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
        return [name for name in dict.fromkeys(held) if name in stored]

    def first_use(self, name: str) -> ast.AST:
        """The first line that reads a variable."""
        for one in ast.walk(self.tree):
            if isinstance(one, ast.Name) and one.id == name:
                return one
        return self.tree

    def known(self, node: ast.AST) -> Any:
        """The object that a name means outside of the function, or None for anything else."""
        if isinstance(node, ast.Name) and node.id not in self.locals:
            return self.outside(node)
        found = self.attribute(node) if isinstance(node, ast.Attribute) else None
        return found[0] if found is not None else None

    def annotation(self, name: str) -> Any:
        """The object that an annotation names, if that is known."""
        return self.constants.get(name, self.function.__globals__.get(name))

    def attribute(self, node: ast.expr) -> tuple[Any] | None:
        """The value of an attribute of what is outside of the function, such as a constant of a module or an enum."""
        held = node
        while isinstance(held, ast.Attribute):
            held = held.value
        if held is node or not isinstance(held, ast.Name) or held.id in self.locals:
            return None
        is_named = isinstance(self.outside(held), ModuleType | type)
        return (self._attribute(node),) if is_named else None

    def _attribute(self, node: ast.expr) -> Any:
        if isinstance(node, ast.Name):
            return self.outside(node)
        if not isinstance(node, ast.Attribute):
            return None
        held = self._attribute(node.value)
        if not hasattr(held, node.attr):
            raise self.error(
                node, f"{ast.unparse(node)} is not defined", "define it before the compiler is made"
            )
        return getattr(held, node.attr)

    def callee(self, call: ast.Call) -> FunctionType | None:
        """The function of the program that a call enters, or None."""
        found = self.known(call.func)
        found = getattr(found, "__wrapped__", found)
        is_own = isinstance(found, FunctionType) and not (found.__module__ or "").startswith("pellucid.")
        return found if is_own else None


def _tests(function: ast.FunctionDef) -> Iterator[ast.expr]:
    """The expressions of a function of which only the truth is asked."""
    waiting: list[ast.expr] = []
    for node in ast.walk(function):
        match node:
            case ast.If(test) | ast.While(test) | ast.Assert(test) | ast.IfExp(test):
                waiting.append(test)
            case ast.UnaryOp(ast.Not(), operand):
                waiting.append(operand)
            case ast.match_case(guard=guard) if guard is not None:
                waiting.append(guard)
            case ast.comprehension(ifs=tests):
                waiting += tests
            case _:
                pass
    while waiting:
        one = waiting.pop()
        yield one
        if isinstance(one, ast.BoolOp):
            waiting += one.values


def parallel(target: ast.expr, value: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
    """The targets of an assignment and the value of each: of `a, b = x, y`, a and x, b and y."""
    match target, value:
        case ((ast.Tuple(targets) | ast.List(targets)), (ast.Tuple(values) | ast.List(values))):
            starred = any(isinstance(one, ast.Starred) for one in (*targets, *values))
            if targets and len(targets) == len(values) and not starred:
                pairs = zip(targets, values, strict=True)
                return [each for one, part in pairs for each in parallel(one, part)]
        case _:
            pass
    return [(target, value)]


def _handed_on(node: ast.AST) -> Iterator[str]:
    """The variables that a statement returns, or keeps in a structure."""
    waiting: list[ast.expr | None] = []
    match node:
        case ast.Return(value):
            waiting = [value]
        case ast.Assign(targets, value) if any(
            isinstance(one, ast.Attribute | ast.Subscript) for one in targets
        ):
            waiting = [value]
        case _:
            pass
    while waiting:
        match waiting.pop():
            case ast.Name(name):
                yield name
            case ast.Tuple(elts) | ast.List(elts):
                waiting += elts
            case ast.Dict(_, values) | ast.BoolOp(_, values):
                waiting += values
            case ast.IfExp(_, one, other):
                waiting += [one, other]
            case _:
                pass


def bound_arguments(
    source: Source, call: ast.Call, callee: Source, own: ast.expr | None = None
) -> list[ast.expr]:
    """The arguments of a call in the order of the parameters, with constants for defaults.

    Parameters: `own` is the object of a method.
    """
    defaults = callee.tree.args.defaults
    optional = callee.params[len(callee.params) - len(defaults) :]
    found = {name: one for name, one in zip(optional, defaults, strict=True) if _is_constant(one)}
    args = call.args if own is None else [own, *call.args]
    return matched(source, call, callee.name, callee.params, found, args)


def _is_constant(default: ast.expr) -> bool:
    """Whether a default is a constant, also one with a sign."""
    return isinstance(default.operand if isinstance(default, ast.UnaryOp) else default, ast.Constant)


def matched(
    source: Source,
    call: ast.Call,
    name: str,
    params: tuple[str, ...],
    optional: dict[str, ast.expr],
    args: list[ast.expr],
) -> list[ast.expr]:
    """The arguments of a call in the order of some parameters."""
    if len(args) > len(params) or any(isinstance(one, ast.Starred) for one in args):
        raise source.error(call, f"{name} takes {len(params)} arguments", "give one for each")
    found = optional | dict(zip(params, args, strict=False))
    keywords = {str(one.arg): one.value for one in call.keywords}
    for word in keywords:
        if word not in params:
            raise source.error(call, f"{name} has no parameter {word}", "name one that it has")
    found |= keywords
    missing = [one for one in params if one not in found]
    if missing:
        fix = (
            "give one argument for each parameter, also where a default is more than a number, a text or None"
        )
        raise source.error(call, f"{name} lacks {missing[0]}", fix)
    return [found[one] for one in params]
