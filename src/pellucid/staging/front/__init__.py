"""Interpreters in Python for the compiler generator: a function is read by its syntax and becomes a program of root.

`source` reads functions; `inference` finds the `kinds` of values, with `objects`, `literals` and `effects`.
`sequences`, `comparisons`, `expressions`, `loops`, `patterns` and `statements` translate them to `blocks`, which become
codes, and call `routines`. `returns` says what calls give, `shapes` what they may change. `vectors` are static data.
`interpreter` is the door, `placing` its errors, in the words of `advice`, `explaining` what shows binding times.
"""

from pellucid.staging.front.explaining import BindingTimes, explain_times, is_explained
from pellucid.staging.front.interpreter import CompiledProgram, Interpreter, InterpreterCompiler, interpreter
from pellucid.staging.front.saving import load_compiler

__all__ = [
    "BindingTimes",
    "CompiledProgram",
    "Interpreter",
    "InterpreterCompiler",
    "explain_times",
    "interpreter",
    "is_explained",
    "load_compiler",
]
