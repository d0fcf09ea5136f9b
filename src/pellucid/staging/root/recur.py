"""recur: the recursive equations of Draves (1996), as a language with an interpreter in root.

A program is definitions `(f (x ...) body)`. A body is a number, a variable, `(if test then else)`, `(let x value ...
body)`, a call of a primitive of root, or one of a definition. A `let` binds any number of variables, each of which the
values after it may read. Functions are values: `(lambda (x ...)
body)` makes one, the name of a definition or a primitive is one, and any other that stands in front is applied.

`cogen` of the interpreter is a compiler of recur. Its calls build frames on the heap where they must, and tail calls
build none. A function that is a value is a closure of the residual program, which holds what its body reads of numbers;
the rest is in its code.
"""

from __future__ import annotations

from pellucid.base.errors import TextError
from pellucid.staging.root.forms import Form, expressions
from pellucid.staging.root.primitives import PRIMITIVES
from pellucid.staging.root.program import Pair, RootCode, linked
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
  if (= tag 'lambda) {
    cl = (close applied (list (cdr e) env prog))
    lift cl
    (car k)(k cl)
  }
  if (= tag 'apply) {
    cl = (close function (list k e env prog))
    lift cl stack dynamic
    value(cl (car (cdr e)) env prog)
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
function(self f) {
  (k e env prog) = (cdr self)
  cl = (close given (list k f))
  lift cl stack (dynamic list)
  values(cl (car (cdr (cdr e))) env prog)
}
given(self args) {
  (k f) = (cdr self)
  (car f)(f k args)
}
applied(self k args) {
  (e env prog) = (cdr self)
  bind(k (car e) args (car (cdr e)) env prog)
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


def interpreter() -> RootCode:
    """The interpreter: of a continuation, the name of a definition, its arguments as a list, and a program.

    >>> from pellucid.staging.root.machine import run
    >>> program = read_recur("(double (x) (+ x x))")
    >>> run(interpreter(), "double", linked(21), program)
    42
    """
    return read_sugar(_INTERPRETER)["call"]


def read_recur(text: str) -> Pair | None:
    """The program of a text, as the data that the interpreter takes."""
    definitions: list[tuple[str, list[Form], Form]] = []
    for form in expressions(text):
        match form:
            case [str(name), list(params), body]:
                definitions.append((name, params, body))
            case _:
                raise TextError(
                    f"no definition: {form!r}", place="recur", fix="write (name (parameter ...) body)"
                )
    defined = {name: len(params) for name, params, _ in definitions}
    return linked(
        *(linked(name, *_function(params, body, frozenset(), defined)) for name, params, body in definitions)
    )


def _function(
    params: list[Form], body: Form, bound: frozenset[str], defined: dict[str, int]
) -> tuple[Pair | None, Pair | None]:
    """The parameters and the body of a function as data."""
    names = [one for one in params if isinstance(one, str)]
    if len(names) < len(params):
        raise TextError(f"no parameters: {params!r}", place="recur", fix="write (name ...)")
    return linked(*names), _expression(body, bound.union(names), defined)


def _expression(form: Form, bound: frozenset[str], defined: dict[str, int]) -> Pair | None:
    """An expression as data."""

    def data(one: Form) -> Pair | None:
        return _expression(one, bound, defined)

    match form:
        case str(word) if word.lstrip("-").isdigit():
            return linked("const", int(word))
        case "nil":
            return linked("const", None)
        case str(word) if word.startswith("'"):
            return linked("const", word[1:])
        case str(word) if word in bound:
            return linked("var", word)
        case str(word) if word in defined or word in PRIMITIVES:
            arity = defined[word] if word in defined else PRIMITIVES[word].arity
            given = [f"$ {at}" for at in range(arity)]
            return linked("lambda", *_function([*given], [word, *given], bound, defined))
        case ["if", test, then, other]:
            return linked("if", data(test), data(then), data(other))
        case ["lambda", list(params), body]:
            return linked("lambda", *_function(params, body, bound, defined))
        case ["let", str(name), value, *more, body]:
            if len(more) % 2 or not all(isinstance(one, str) for one in more[::2]):
                raise _no_let(form)
            rest: Form = ["let", *more, body] if more else body
            return linked("let", name, data(value), _expression(rest, bound | {name}, defined))
        case ["let", *_]:
            raise _no_let(form)
        case [str(name), *args] if name not in bound and (name in defined or name in PRIMITIVES):
            kind = "call" if name in defined else "prim"
            return linked(kind, name, linked(*map(data, args)))
        case [function, *args] if isinstance(function, list) or function in bound:
            return linked("apply", data(function), linked(*map(data, args)))
        case _:
            raise TextError(
                f"no expression: {form!r}", place="recur", fix="bind the variable, or define the function"
            )


def _no_let(form: Form) -> TextError:
    """The error of a `let` that is none."""
    return TextError(f"no let: {form!r}", place="recur", fix="write (let name value name value ... body)")
