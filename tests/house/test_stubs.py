"""The hand-kept types of llvmlite say only what the installed library also says."""

from __future__ import annotations

import ast
import importlib
import inspect
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

STUBS = Path(__file__).parents[2] / "typings"


def parameters(function: ast.FunctionDef) -> list[str]:
    arguments = function.args
    return [each.arg for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]


def statements() -> Iterator[tuple[str, str, ast.stmt]]:
    """Every statement of every stub, with its module and its dotted place within it."""
    for path in sorted(STUBS.rglob("*.pyi")):
        module = ".".join(path.relative_to(STUBS).with_suffix("").parts).removesuffix(".__init__")
        for statement in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(statement, ast.ClassDef):
                yield module, statement.name, statement
                for inner in statement.body:
                    yield module, f"{statement.name}.{stated(inner)}", inner
            elif not isinstance(statement, ast.ImportFrom):
                yield module, stated(statement), statement


def stated(statement: ast.stmt) -> str:
    match statement:
        case ast.FunctionDef(name=name):
            return name
        case ast.AnnAssign(target=ast.Name(id=name)):
            return name
        case _:
            return ""


def find(module: ModuleType, place: str) -> object:
    # ObjectRef is the one class that the public module does not export: its users inherit from it.
    found: object = module
    for part in place.split("."):
        if part == "ObjectRef":
            found = importlib.import_module("llvmlite.binding.ffi").ObjectRef
        else:
            found = inspect.getattr_static(found, part) if isinstance(found, type) else getattr(found, part)
    return found


STATED = [each for each in statements() if stated(each[2]) or isinstance(each[2], ast.ClassDef)]


@pytest.mark.parametrize(("module", "place", "statement"), STATED, ids=[f"{m}.{p}" for m, p, _ in STATED])
def test_a_stub_tells_the_truth(module: str, place: str, statement: ast.stmt):
    try:
        found = find(importlib.import_module(module), place)
    except AttributeError:
        # Instance attributes and inherited methods: look along the classes.
        owner, _, name = place.rpartition(".")
        kind = find(importlib.import_module(module), owner)
        assert isinstance(kind, type)
        found = getattr(kind, name)
    if isinstance(statement, ast.FunctionDef) and not isinstance(found, property):
        function = found.__func__ if isinstance(found, classmethod) else found
        assert callable(function)
        assert parameters(statement) == list(inspect.signature(function).parameters)
