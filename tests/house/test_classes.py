"""The classes of the source: how deep they inherit, and who writes their attributes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from .parsed import SOURCE, sources, tree

MAX_DEPTH = 3
"""Maximum classes of the project in a line of inheritance."""
DEEP = {"images.bitmap.Bitmap", "staging.front.statements._Function"}
"""Classes that are deeper: a picture, whose methods that no class names stand in one that editors see; a reader."""
SHARED = {f"staging.root.lowering._Lowering.{name}" for name in ("code", "out", "place")}
"""Attributes, as class.attribute, that a class and one that it inherits from in another file both write."""


def modules() -> dict[str, ast.Module]:
    """The syntax of every file, by its dotted name."""
    return {
        ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts).removesuffix(".__init__"): tree(path)
        for path in sources()
    }


def origins(module: str, file: ast.Module) -> Iterator[tuple[str, str]]:
    """The names that a file imports from the project, and where they come from."""
    package = (SOURCE.parent / Path(*module.split(".")) / "__init__.py").is_file()
    parts = module.split(".")
    for node in file.body:
        if isinstance(node, ast.ImportFrom):
            kept = parts[: len(parts) - node.level + package] if node.level else []
            origin = ".".join([*kept, *(node.module.split(".") if node.module else [])])
            for alias in node.names:
                yield alias.asname or alias.name, f"{origin}.{alias.name}"


def written(node: ast.ClassDef) -> set[str]:
    """The attributes of `self` that a class assigns."""
    return {
        each.attr
        for each in ast.walk(node)
        if isinstance(each, ast.Attribute)
        and isinstance(each.ctx, ast.Store)
        and isinstance(each.value, ast.Name)
        and each.value.id == "self"
    }


@cache
def classes() -> dict[str, tuple[list[str], set[str]]]:
    """The classes of the project by their dotted names: the dotted names of their bases, and what they assign."""
    found: dict[str, tuple[list[str], set[str]]] = {}
    for module, file in modules().items():
        known = dict(origins(module, file))
        for node in file.body:
            if isinstance(node, ast.ClassDef):
                bases: list[str] = []
                for base in node.bases:
                    parts = ast.unparse(base.value if isinstance(base, ast.Subscript) else base).split(".")
                    bases.append(".".join([known.get(parts[0], f"{module}.{parts[0]}"), *parts[1:]]))
                found[f"{module}.{node.name}"] = bases, written(node)
    return found


def line(name: str) -> list[str]:
    """The longest line of inheritance from a class on, within the project."""
    bases, _ = classes()[name]
    lines = [line(b) for b in bases if b in classes()]
    return [name, *max(lines, key=len, default=[])]


def ancestors(name: str) -> set[str]:
    """A class and all that it inherits from, within the project."""
    bases, _ = classes()[name]
    return {name}.union(*[ancestors(b) for b in bases if b in classes()])


def short(name: str) -> str:
    return name.removeprefix("pellucid.")


def writers(name: str) -> dict[str, set[str]]:
    """The attributes that a class has from itself and from its ancestors, with the files that write them."""
    found: dict[str, set[str]] = {}
    for each in ancestors(name):
        for attribute in classes()[each][1]:
            found.setdefault(attribute, set()).add(each.rpartition(".")[0])
    return found


def test_inheritance_is_followed_through_imports():
    found = classes()
    assert "pellucid.backends.jit.linking.Linking" in ancestors("pellucid.backends.llvm.LlvmBackend")
    assert sum(bool(bases) for bases, _ in found.values()) > 50


def test_no_class_inherits_through_more_than_three():
    deep = {short(name) for name in classes() if len(line(name)) > MAX_DEPTH}
    assert deep == DEEP, [" -> ".join(line(f"pellucid.{name}")) for name in sorted(deep ^ DEEP)]


def test_an_attribute_is_written_in_one_file():
    found = {
        short(f"{name}.{attribute}")
        for name in classes()
        for attribute, files in writers(name).items()
        if len(files) > 1
    }
    assert found == SHARED, sorted(found ^ SHARED)
