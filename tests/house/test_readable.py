"""What a reader meets: functions that can be read at once, and public classes whose names mean one thing."""

from __future__ import annotations

import ast
import re
from collections import defaultdict

from .parsed import SOURCE, nodes, sources, tree

MAX_FUNCTION = 100
"""Lines of a function, its decorators and its docstring included."""

NO_BOUND = re.compile(r"(^|_)(MOST|LEAST|LONGEST|LARGEST|DEEPEST|WIDEST|DEAR|CHEAP|FEW|WORTH)(_|$)")
"""Words for bounds and costs in the names of numbers, in place of MAX, MIN and THRESHOLD."""

SHARED_NAMES = {
    "Function": "emitters of LLVM code: of a nest; of what is no nest",
    "Kernel": "a picture that is ready to run, here and in the canvas; a nest with its buffers",
    "Session": "of a picture; of HOPS",
    "Value": "of assembly; of a tracer",
}
"""Names of public classes that two rooms define, and what they are in each. It only gets shorter."""


def length(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    begin = min([function.lineno, *(d.lineno for d in function.decorator_list)])
    return (function.end_lineno or begin) - begin + 1


def test_a_function_can_be_read_at_once():
    long = [
        f"{path.relative_to(SOURCE)}: {node.name} has {length(node)} lines"
        for path in sources()
        for node in nodes(path)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and length(node) > MAX_FUNCTION
    ]
    assert not long, "\n".join(long)


def test_decorators_and_docstrings_count():
    text = "@cache\ndef f():\n    '''One.\n\n    Two.'''\n    return 1\n"
    (function,) = ast.parse(text).body
    assert isinstance(function, ast.FunctionDef)
    assert length(function) == 6


def test_a_public_class_has_a_name_of_its_own():
    homes: dict[str, list[str]] = defaultdict(list)
    for path in sources():
        for node in tree(path).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].append(str(path.relative_to(SOURCE)))
    shared = {name: paths for name, paths in homes.items() if len(paths) > 1}
    new = {name: paths for name, paths in shared.items() if name not in SHARED_NAMES}
    assert not new, f"two classes of one name; call one of them something else: {new}"
    assert not (gone := SHARED_NAMES.keys() - shared.keys()), f"no longer shared; leave it out: {gone}"


def test_numbers_say_whether_they_are_the_most_or_the_least():
    odd = [
        f"{path.relative_to(SOURCE)}: {target.id}"
        for path in sources()
        for node in tree(path).body
        if isinstance(node, ast.Assign) and not isinstance(node.value, ast.Call)
        for target in node.targets
        if isinstance(target, ast.Name) and NO_BOUND.search(target.id)
    ]
    assert not odd, "\n".join(odd)
