"""What a reader meets: functions that can be read at once, and public classes whose names mean one thing."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[2] / "src/pellucid"
LONGEST_FUNCTION = 100
"""Lines of a function, its decorators and its docstring included."""

SHARED_NAMES = {
    "Array": "a value of the image algebra; a scratch array of a kernel",
    "Asked": "a deadline of a call; a request of a kernel",
    "Atom": "a factor of a linear form; a value of the compiler generator",
    "Bits": "two layouts of bits in vectors",
    "Block": "a workspace; a basic block of the flow graph; a basic block of Python code",
    "Body": "a loop of a tape; a function of the compiler generator",
    "Bounds": "the parts of LLVM text that prove, test and clamp; the bounds of a form",
    "Branch": "a region of a nest; an end of a block of Python code; a residual statement",
    "Call": "a request of a session; a call in a rule; an instruction; a point of specialization",
    "Channel": "a channel of an image; a channel of a packed pixel",
    "Code": "compiled code; the code of a root program",
    "Compiler": "a C compiler; a generated compiler",
    "Constant": "a leaf of the image algebra; of signals; of the lattice of times",
    "Conversion": "a conversion of pixels; of a tracer's argument",
    "Counts": "the work of a tape; of a nest",
    "Effects": "what a statement reads and writes; what a Python instruction does",
    "Entries": "a palette; the entries of a dictionary",
    "Form": "a spelling in C; two Taylor forms; a form of HOPS; a linear form",
    "Frame": "the nest of an array program; the nest of a picture",
    "Function": "emitters of LLVM code; a function of a tape; a function of HOPS",
    "Graph": "control flow; calls of specialization points; constraints of times",
    "Guard": "a cold branch of a tape; a condition around an access",
    "Hands": "two views of the pool of threads",
    "If": "a statement of a nest; of a root program",
    "Iterations": "an emitter of loops; the accesses of a loop",
    "Kept": "a value in C; a value in a register",
    "Kernel": "a picture that is ready to run, here and in the canvas; a nest with its buffers",
    "Kind": "checked arguments; a picture file; an access; a Python value",
    "Layout": "a calling plan; an image's arrays; a packed pixel",
    "Line": "of a tape, a progress display, text, a parser, a format, a delay, a cache, an explanation",
    "Lines": "an allocation of a tape; rows of packed pixels",
    "Loops": "an emitter of LLVM loops; loops of an interpreter",
    "Lookup": "a table in a register; a value that a table may hold",
    "Machine": "the processor of LLVM; the costs of a processor",
    "Memory": "an emitter of accesses; packed memory; the memory of an interpreter",
    "Node": "of a graph of signals; of the lattice of times",
    "Number": "a number of HOPS; a number of a rule",
    "Pair": "two accesses; two values of a root program",
    "Piece": "of a container, of a notation, of an explanation",
    "Place": "a leaf of a tape; a line of a program; a row of packed pixels",
    "Prim": "a row of the table of operators; a primitive of a root program",
    "Program": "of the image algebra, of conformance, of a driver, of a session",
    "Record": "a frame of a tape; a dataclass of an interpreter",
    "Row": "of a flow graph, a listing, a table of rules, a table of primitives",
    "Rows": "a scratch array by rows; packed rows",
    "Rule": "a rewriting rule; a rule of a generated compiler",
    "Run": "a run of a film; of bits in a layout",
    "Scope": "values of a tape; names of a parser",
    "Session": "of a picture, of HOPS, of a generated compiler, of specialization",
    "Source": "of C, of a picture, of HOPS, of Python",
    "Span": "iterations of a loop; a stretch of a signal",
    "Split": "a rule of times; a request of specialization",
    "State": "of a stream; of an optimization",
    "Step": "of a mean; of a ledger",
    "Store": "a store of a calling plan; a statement of a nest",
    "Table": "of the image algebra; of a stream",
    "Target": "of a shuffle; of an effect",
    "Tiles": "of a frame; of a delay line",
    "Trace": "of rules that fired; of a traced function",
    "Value": "of a tape, of times, of a root program, of a tracer",
    "Values": "an emitter of arithmetic; a reader of HOPS",
    "Variant": "of a frame; of a residual program",
    "Way": "of a stream, of a tape, of a store",
    "While": "a statement of a nest; of a residual program",
    "Window": "of the image algebra; of bits; of loads around a point",
    "Word": "of a frame, of bits, of a tape, of the vocabulary",
    "Writer": "of LLVM text, of a tape, of a generated compiler",
}
"""Names of public classes that two rooms define, and what they are in each. It only gets shorter."""


def trees() -> list[tuple[str, ast.Module]]:
    return [
        (str(path.relative_to(ROOT)), ast.parse(path.read_text(encoding="utf-8")))
        for path in sorted(ROOT.rglob("*.py"))
    ]


def length(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    begin = min([function.lineno, *(d.lineno for d in function.decorator_list)])
    return (function.end_lineno or begin) - begin + 1


def test_a_function_can_be_read_at_once():
    long = [
        f"{path}: {node.name} has {length(node)} lines"
        for path, tree in trees()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and length(node) > LONGEST_FUNCTION
    ]
    assert not long, "\n".join(long)


def test_decorators_and_docstrings_count():
    text = "@cache\ndef f():\n    '''One.\n\n    Two.'''\n    return 1\n"
    (function,) = ast.parse(text).body
    assert isinstance(function, ast.FunctionDef)
    assert length(function) == 6


def test_a_public_class_has_a_name_of_its_own():
    homes: dict[str, list[str]] = defaultdict(list)
    for path, tree in trees():
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].append(path)
    shared = {name: paths for name, paths in homes.items() if len(paths) > 1}
    new = {name: paths for name, paths in shared.items() if name not in SHARED_NAMES}
    assert not new, f"two classes of one name; call one of them something else: {new}"
