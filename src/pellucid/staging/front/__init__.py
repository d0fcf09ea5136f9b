"""Interpreters in Python for the compiler generator: a function is read by its syntax and becomes a program of root.

`source` reads functions, `kinds` finds which values are sequences and memories, `sequences`, `expressions` and
`statements` translate them to `blocks`, which become codes. `interpreter` is the door.
"""

from pellucid.staging.front.explaining import BindingTimes, explain_times, is_explained
from pellucid.staging.front.interpreter import CompiledProgram, Interpreter, InterpreterCompiler, interpreter

__all__ = [
    "BindingTimes",
    "CompiledProgram",
    "Interpreter",
    "InterpreterCompiler",
    "explain_times",
    "interpreter",
    "is_explained",
]
