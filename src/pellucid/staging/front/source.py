"""The source of an interpreter: its functions as syntax trees, and the errors that name their lines."""

from __future__ import annotations

import ast
import builtins
import inspect
import textwrap
from collections.abc import Callable
from pathlib import Path
from types import FunctionType
from typing import Any

from pellucid.base.errors import StagingError


class Source:
    """A Python function as a syntax tree, with the place that it is from."""

    def __init__(self, function: Callable[..., Any]) -> None:
        if not isinstance(function, FunctionType):
            raise StagingError(
                f"{function!r} is no function", place="interpreter", fix="give a function that `def` makes"
            )
        self.function = function
        self.name = function.__name__
        self.file = Path(function.__code__.co_filename).name
        first = function.__code__.co_firstlineno
        try:
            lines, first = inspect.getsourcelines(function)
            tree = ast.parse(textwrap.dedent("".join(lines)))
        except (OSError, SyntaxError):
            raise StagingError(
                "its source cannot be read",
                place=f"{self.file}:{first}",
                fix="write the function with `def` in a file",
            ) from None
        ast.increment_lineno(tree, first - 1)
        found = tree.body[0]
        if not isinstance(found, ast.FunctionDef):
            raise StagingError(
                "is no plain function", place=f"{self.file}:{first}", fix="write it with `def`"
            )
        self.tree = found
        given = found.args
        for one in (*given.posonlyargs, *given.kwonlyargs, given.vararg, given.kwarg):
            if one is not None and one not in given.args:
                raise self.error(one, f"the parameter {one.arg} is special", "use plain parameters")
        self.params = tuple(one.arg for one in given.args)
        self.locals = set(self.params) | {
            one.id for one in ast.walk(found) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
        }
        self.constants = {
            name: cell.cell_contents
            for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
        }

    def error(self, node: ast.AST, message: str, fix: str) -> StagingError:
        """The error of a line."""
        line = getattr(node, "lineno", self.tree.lineno)
        return StagingError(message, place=f"{self.file}:{line}", fix=fix)

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
        return None

    def callee(self, call: ast.Call) -> FunctionType | None:
        """The function of the program that a call enters, or None."""
        found = self.known(call.func)
        found = getattr(found, "__wrapped__", found)
        is_own = isinstance(found, FunctionType) and not found.__module__.startswith("pellucid.")
        return found if is_own else None


def bound_arguments(source: Source, call: ast.Call, callee: Source) -> list[ast.expr]:
    """The arguments of a call in the order of the parameters, with constants for defaults."""
    defaults = callee.tree.args.defaults
    optional = callee.params[len(callee.params) - len(defaults) :]
    found: dict[str, ast.expr] = {
        name: one for name, one in zip(optional, defaults, strict=True) if isinstance(one, ast.Constant)
    }
    if len(call.args) > len(callee.params) or any(isinstance(one, ast.Starred) for one in call.args):
        raise source.error(call, f"{callee.name} takes {len(callee.params)} arguments", "give one for each")
    found |= dict(zip(callee.params, call.args, strict=False))
    keywords = {str(one.arg): one.value for one in call.keywords}
    for name in keywords:
        if name not in callee.params:
            raise source.error(call, f"{callee.name} has no parameter {name}", "name one that it has")
    found |= keywords
    missing = [name for name in callee.params if name not in found]
    if missing:
        raise source.error(call, f"{callee.name} lacks {missing[0]}", "give one argument for each parameter")
    return [found[name] for name in callee.params]
