"""Three interpreters in root, and random programs for them: what the law is tried on."""

import random

from pellucid.staging.root.program import Const, Jump, Lift, Pair, RootCode, RootIf, RootPrim, linked
from pellucid.staging.root.reading import read_sugar
from pellucid.staging.root.writing import reached
from pellucid.staging.times.lattice import CYCLIC

RPN = """
expr(k prog stack x y) {
  if (null? prog) (car k)(k (car stack))
  op = (car prog)
  rest = (cdr prog)
  if (pair? op) expr(k rest (cons:stack (car op) stack) x y)
  if (= op 'x) expr(k rest (cons:stack x stack) x y)
  if (= op 'y) expr(k rest (cons:stack y stack) x y)
  if (= op 'dup) expr(k rest (cons:stack (car stack) stack) x y)
  a = (car (cdr stack))
  b = (car stack)
  below = (cdr (cdr stack))
  if (= op 'swap) expr(k rest (cons:stack a (cons:stack b below)) x y)
  if (= op '?) {
    if (< 0 (car below)) expr(k rest (cons:stack a (cdr below)) x y)
    expr(k rest (cons:stack b (cdr below)) x y)
  }
  expr(k rest (cons:stack (apply op (list a b)) below) x y)
}
"""
"""Expressions on a stack of static depth: numbers are lists of one."""

STEPS = """
steps(k prog pc a b n) {
  now = (vref prog pc)
  op = (vref now 0)
  c = (vref now 1)
  next = (+ pc 1)
  if (= op 'add) steps(k prog next (+ a c) b n)
  if (= op 'plus) steps(k prog next (+ a b) b n)
  if (= op 'times) steps(k prog next (imod (* a b) 1009) b n)
  if (= op 'swap) steps(k prog next b a n)
  if (= op 'set) {
    lift c
    steps(k prog next c b n)
  }
  if (= op 'load) steps(k prog next (load@m (imod a 8)) b n)
  if (= op 'store) {
    x = (store@m (imod a 8) b)
    steps(k prog next a b n)
  }
  if (= op 'less) {
    if (< a b) steps(k prog (+ next c) a b n)
    steps(k prog next a b n)
  }
  if (= op 'loop) {
    if (< n 1) steps(k prog next a b n)
    steps(k prog (+ pc c) a b (- n 1))
  }
  (car k)(k (+ (* a 1009) b))
}
"""
"""A machine of two registers: tests skip forward, and loops go back as often as a dynamic number says."""

TREES = """
value(k e env) {
  op = (car e)
  if (= op 'const) (car k)(k (car (cdr e)))
  if (= op 'var) lookup(k (car (cdr e)) env)
  one = (car (cdr e))
  other = (cdr (cdr e))
  if (= op 'let) {
    cl = (close bound (list k one other env))
    value(cl (car other) env)
  }
  if (= op 'if) {
    cl = (close chosen (list k other env))
    value(cl one env)
  }
  cl = (close first (list k op other env))
  value(cl one env)
}
lookup(k name env) {
  if (= (car (car env)) name) (car k)(k (cdr (car env)))
  lookup(k name (cdr env))
}
bound(self v) {
  (k name rest env) = (cdr self)
  value(k (car (cdr rest)) (cons:env (cons:entry name v) env))
}
chosen(self v) {
  (k arms env) = (cdr self)
  if (< 0 v) value(k (car arms) env)
  value(k (car (cdr arms)) env)
}
first(self v) {
  (k op rest env) = (cdr self)
  cl = (close second (list k op v))
  value(cl (car rest) env)
}
second(self w) {
  (k op v) = (cdr self)
  (car k)(k (apply op (list v w)))
}
start(k e x y) {
  value(k e (cons:env (cons:entry 'x x) (cons:env (cons:entry 'y y) nil)))
}
"""
"""Expression trees with let and if, over an association list from static names to dynamic values."""

BINARY = ["+", "-", "*", "min", "max", "&", "|", "^"]


def rpn(draw: random.Random) -> Pair | None:
    """A program of RPN that leaves something."""
    out: list[object] = []
    depth = 0
    for _ in range(draw.randrange(1, 25)):
        kind = draw.randrange(9)
        if depth >= 3 and kind == 0:
            out.append("?")
            depth -= 2
        elif depth >= 2 and kind < 4:
            out.append(draw.choice(BINARY))
            depth -= 1
        elif depth >= 2 and kind == 4:
            out.append("swap")
        else:
            out.append(draw.choice(["x", "y", linked(draw.randrange(-9, 99)), *(["dup"] if depth else [])]))
            depth += 1
    return linked(*out)


def steps(draw: random.Random) -> tuple[tuple[str, int], ...]:
    """A program of the machine."""
    size = draw.randrange(2, 14)
    out: list[tuple[str, int]] = []
    for at in range(size):
        op = draw.choice(["add", "plus", "times", "swap", "set", "load", "store", "less", "loop"])
        number = draw.randrange(100)
        if op == "less":
            number = draw.randrange(size - at)
        if op == "loop":
            number = -draw.randrange(at + 1)
        out.append((op, number))
    return (*out, ("end", 0))


def tree(draw: random.Random, names: tuple[str, ...] = ("x", "y"), depth: int = 4) -> Pair | None:
    """An expression."""
    kind = draw.randrange(7) if depth else draw.randrange(2)
    if kind == 0:
        return linked("const", draw.randrange(-9, 99))
    if kind == 1:
        return linked("var", draw.choice(names))
    if kind == 2:
        name = draw.choice("abxy")
        return linked("let", name, tree(draw, names, depth - 1), tree(draw, (*names, name), depth - 1))
    if kind == 3:
        return linked("if", *(tree(draw, names, depth - 1) for _ in range(3)))
    return linked(draw.choice(BINARY), tree(draw, names, depth - 1), tree(draw, names, depth - 1))


STATICS = {
    "prog",
    "op",
    "rest",
    "e",
    "pc",
    "now",
    "next",
    "one",
    "other",
    "name",
    "arms",
    "c",
    "self",
    "frame",
}
"""What the interpreters need to know when they are compiled."""


def with_lifts(text: str, name: str, draw: random.Random, often: float = 0.15) -> RootCode:
    """An interpreter with lifts of its other variables at random places."""
    code = read_sugar(text)[name]

    def of(stream, bound):
        out = []
        bound = set(bound)
        for one in stream:
            free = sorted(each for each in bound - STATICS if not each.startswith("t"))
            # A lift between taking a continuation's code and jumping there would change its frame.
            if free and not isinstance(one, Jump) and draw.random() < often:
                chosen = draw.choice(free)
                out.append(Lift(chosen, CYCLIC if chosen in set("xyabnvw") and draw.random() < 0.3 else None))
            if isinstance(one, RootPrim | Const):
                bound.add(one.name)
            out.append(RootIf(one.test, of(one.stream, bound)) if isinstance(one, RootIf) else one)
        return tuple(out)

    for one in reached(code):
        one.body = of(one.body, one.params)
    return code
