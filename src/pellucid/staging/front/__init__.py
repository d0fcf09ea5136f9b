"""Interpreters in Python for the compiler generator: a function is read by its syntax and becomes a program of root.

`source` reads functions, `kinds` finds which values are sequences and memories, `sequences`, `expressions` and
`statements` translate them to `blocks`, which become codes. `interpreter` is the door.
"""

from pellucid.staging.front.interpreter import CompiledProgram, Interpreter, InterpreterCompiler, interpreter
from pellucid.staging.front.saving import load_compiler

__all__ = ["CompiledProgram", "Interpreter", "InterpreterCompiler", "interpreter", "load_compiler"]
