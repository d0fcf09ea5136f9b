"""recur: the recursive equations of Draves (1996), as a language with an interpreter in root.

A program is definitions `(f (x ...) body)`. A body is a number, a variable, `(if test then else)`,
`(let x value body)`, a call of a primitive of root, or one of a definition. `cogen` of the interpreter is a compiler of
recur. Its calls build frames on the heap where they must, and tail calls build none.
"""

from __future__ import annotations

from pellucid.base.errors import TextError
from pellucid.staging.root.forms import Form, expressions
from pellucid.staging.root.primitives import PRIMITIVES
from pellucid.staging.root.program import Code, Pair, linked
from pellucid.staging.root.reading import read_sugar

_INTERPRETER = """
call(k f args prog) {
  find(k f args prog prog)
}
find(k f args rest prog) {
  d = (car rest)
  if (= (car d) f) bind(k (car (cdr d)) args (car (cdr (cdr d))) nil prog)
  find(k f args (cdr rest) prog)
}
bind(k params args body env prog) {
  if (null? params) value(k body env prog)
  more = (cons:env (cons:entry (car params) (car args)) env)
  bind(k (cdr params) (cdr args) body more prog)
}
value(k e env prog) {
  tag = (car e)
  if (= tag 'const) (car k)(k (car (cdr e)))
  if (= tag 'var) lookup(k (car (cdr e)) env)
  if (= tag 'if) {
    cl = (close chosen (list k e env prog))
    lift cl stack dynamic
    value(cl (car (cdr e)) env prog)
  }
  if (= tag 'let) {
    cl = (close bound (list k e env prog))
    lift cl stack dynamic
    value(cl (car (cdr (cdr e))) env prog)
  }
  cl = (close called (list k e prog))
  lift cl stack (dynamic list)
  values(cl (car (cdr (cdr e))) env prog)
}
lookup(k name env) {
  if (= (car (car env)) name) (car k)(k (cdr (car env)))
  lookup(k name (cdr env))
}
chosen(self v) {
  (k e env prog) = (cdr self)
  arms = (cdr (cdr e))
  if (v) value(k (car arms) env prog)
  value(k (car (cdr arms)) env prog)
}
bound(self v) {
  (k e env prog) = (cdr self)
  more = (cons:env (cons:entry (car (cdr e)) v) env)
  value(k (car (cdr (cdr (cdr e)))) more prog)
}
called(self args) {
  (k e prog) = (cdr self)
  f = (car (cdr e))
  if (= (car e) 'prim) (car k)(k (apply f args))
  lift k
  $inline = #f
  call(k f args prog)
}
values(k es env prog) {
  if (null? es) (car k)(k nil)
  cl = (close first (list k es env prog))
  lift cl stack dynamic
  value(cl (car es) env prog)
}
first(self v) {
  (k es env prog) = (cdr self)
  cl = (close rest (list k v))
  lift cl stack (dynamic list)
  values(cl (cdr es) env prog)
}
rest(self vs) {
  (k v) = (cdr self)
  (car k)(k (cons:vs v vs))
}
"""


def interpreter() -> Code:
    """The interpreter: of a continuation, the name of a definition, its arguments as a list, and a program.

    >>> from pellucid.staging.root.machine import run
    >>> program = read_recur("(double (x) (+ x x))")
    >>> run(interpreter(), "double", linked(21), program)
    42
    """
    return read_sugar(_INTERPRETER)["call"]


def read_recur(text: str) -> Pair | None:
    """The program of a text, as the data that the interpreter takes."""
    found: list[Pair | None] = []
    defined = {form[0]: form for form in expressions(text) if isinstance(form, list) and form}
    for form in expressions(text):
        match form:
            case [str(name), list(params), body]:
                bound = [one for one in params if isinstance(one, str)]
                found.append(
                    linked(name, linked(*bound), _expression(body, set(bound), set(map(str, defined))))
                )
            case _:
                raise TextError(
                    f"no definition: {form!r}", place="recur", fix="write (name (parameter ...) body)"
                )
    return linked(*found)


def _expression(form: Form, bound: set[str], defined: set[str]) -> Pair | None:
    """An expression as data."""
    match form:
        case str(word) if word.lstrip("-").isdigit():
            return linked("const", int(word))
        case "nil":
            return linked("const", None)
        case str(word) if word.startswith("'"):
            return linked("const", word[1:])
        case str(word) if word in bound:
            return linked("var", word)
        case ["if", test, then, other]:
            return linked("if", *(_expression(one, bound, defined) for one in (test, then, other)))
        case ["let", str(name), value, body]:
            inner = _expression(body, bound | {name}, defined)
            return linked("let", name, _expression(value, bound, defined), inner)
        case [str(name), *args] if name in defined or name in PRIMITIVES:
            kind = "call" if name in defined else "prim"
            return linked(kind, name, linked(*(_expression(one, bound, defined) for one in args)))
        case _:
            raise TextError(
                f"no expression: {form!r}", place="recur", fix="bind the variable, or define the function"
            )
