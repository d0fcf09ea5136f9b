"""Row T4 of the lineage (Draves's thesis, after Futamura): the equations of specializers, compilers and generators.

Brackets are meaning, `spec` is a specializer, `f` an interpreter. The third projection is `cogen` itself, which is
written directly, as in the paper, and not made by applying a specializer to itself.
"""

from __future__ import annotations

import random
from collections import Counter
from functools import cache
from typing import Any

from tests.staging.interpreters import RPN, rpn

from pellucid.staging import DYNAMIC, STATIC, cogen, dynamic_call, interpreter, loop, specialize, unknown
from pellucid.staging.cogen import Compiler, tidy
from pellucid.staging.root.machine import run
from pellucid.staging.root.program import Pair, RootCode, RootIf, RootPrim, linked, unlinked
from pellucid.staging.root.reading import read_sugar
from pellucid.staging.root.recur import interpreter as recur_interpreter
from pellucid.staging.root.recur import read_recur
from pellucid.staging.root.writing import reached

SPECIALIZER = """
(spec (e x) (if (atom? e) (if (= e 'x) x e)
  (fold (car e) (spec (car (cdr e)) x) (spec (car (cdr (cdr e))) x))))
(fold (op a b) (if (known a) (if (known b) (apply2 op a b) (kept op a b)) (kept op a b)))
(known (a) (if (pair? a) 0 (if (= a 'y) 0 1)))
(kept (op a b) (cons op (cons a (cons b nil))))
(apply2 (op a b) (if (= op 'add) (+ a b) (* a b)))
"""
"""A specializer in recur, of expressions over x, which is known, and y, which is not: it folds what is known."""


def primitives(code: RootCode) -> Counter[str]:
    """The primitives in all that a code reaches."""
    found: Counter[str] = Counter()

    def count(stream: tuple[Any, ...]) -> None:
        for one in stream:
            if isinstance(one, RootPrim):
                found[one.primitive] += 1
            elif isinstance(one, RootIf):
                count(one.stream)

    for one in reached(code):
        count(one.body)
    return found


def test_T4_the_first_projection_is_a_program_without_its_interpreter() -> None:
    # [[f]] p d = [[ [[spec]] f p ]] d, by either way of specializing.
    code = read_sugar(RPN)["expr"]
    compiler = cogen(code, ["D", "S", "nil", "D", "D"])
    draw = random.Random(4)
    for _ in range(20):
        program = rpn(draw)
        target = tidy(compiler(program))
        for _ in range(3):
            x, y = draw.randrange(-50, 50), draw.randrange(-50, 50)
            assert run(target, x, y) == run(code, program, None, x, y)

    def powers(program: tuple[int, ...], x: Any) -> Any:
        return sum(loop(lambda n, r: n == 0, lambda n, r: (n - 1, r * x), n, 1)[1] for n in program)

    target = specialize(powers, (3, 1, 2), unknown("x"))
    assert [target(x=x) for x in range(-3, 4)] == [powers((3, 1, 2), x) for x in range(-3, 4)]


@cache
def specializer() -> tuple[RootCode, Compiler]:
    """The specializer in root, and what `cogen` makes of it."""
    made = cogen(recur_interpreter(), ["D", "S", "D list", "S"])
    code = tidy(made("spec", linked(None, None), read_recur(SPECIALIZER)))
    return code, cogen(code, ["D", "S", "D"])


def expression(draw: random.Random, depth: int = 3) -> Any:
    """An expression over x and y."""
    if depth == 0 or draw.random() < 0.2:
        return draw.choice(["x", "y", draw.randrange(-3, 9)])
    return linked(draw.choice(["add", "mul"]), expression(draw, depth - 1), expression(draw, depth - 1))


def value(e: Any, names: dict[str, int]) -> int:
    """The value of an expression."""
    if not isinstance(e, Pair):
        return names.get(e, e)
    op, one, other = unlinked(e)
    a, b = value(one, names), value(other, names)
    return a + b if op == "add" else a * b


def plain(e: Any) -> Any:
    """An expression that compares by its parts."""
    return [plain(one) for one in unlinked(e)] if isinstance(e, Pair) else e


def test_T4_the_second_projection_specializes_a_specializer() -> None:
    # [[ [[spec]] spec f ]] p = [[spec]] f p: a specializer that knows its program is that program's compiler.
    code, generate = specializer()
    draw = random.Random(2)
    for _ in range(20):
        e = expression(draw)
        compiler = tidy(generate(e))
        for x in range(-2, 3):
            residual = run(code, e, x)
            assert plain(run(compiler, x)) == plain(residual)
            assert [value(residual, {"y": y}) for y in range(3)] == [
                value(e, {"x": x, "y": y}) for y in range(3)
            ]
        # Nothing is left of the specializer: it takes no expression apart.
        assert "cdr" not in primitives(compiler)


def test_T4_the_third_projection_is_cogen_itself() -> None:
    # [[ [[spec]] spec spec ]] f = [[spec]] spec f: `cogen` maps an interpreter to its compiler. Its compilers are
    # objects, so that `cogen` of a specializer is a generator of compilers in its turn.
    code, generate = specializer()
    assert isinstance(generate, Compiler)
    e = linked("add", linked("mul", "x", "x"), linked("mul", linked("add", "x", 1), "y"))
    compiler = generate(e)
    assert isinstance(compiler, RootCode)
    residual = run(compiler, 3)
    assert plain(residual) == plain(run(code, e, 3)) == ["add", 9, ["mul", 4, "y"]]


# ---- a language in a language in Python ----


def fold_value(program: Any, tree: Any, steps: Any, acc: Any, x: Any) -> Any:
    """The value of an expression of `folds`."""
    op = tree[0]
    if op == "acc":
        return acc
    if op == "x":
        return x
    if op == "number":
        return tree[1]
    if op == "argument":
        return steps[1]
    if op == "case":
        if steps[0] == tree[1]:
            return fold_value(program, tree[2], steps, acc, x)
        return fold_value(program, tree[3], steps, acc, x)
    one = fold_value(program, tree[1], steps, acc, x)
    if op == "next":
        return dynamic_call(fold_value(program, program, steps[2], one, x))
    other = fold_value(program, tree[2], steps, acc, x)
    return one + other if op == "+" else one * other


@interpreter
def folds(program: Any, steps: Any, acc: Any, x: Any) -> Any:
    """A language for interpreters: a program says what to do with the first of some steps, and how to go on."""
    return fold_value(program, program, steps, acc, x)


MACHINE = (
    "case", 1, ("next", ("+", ("acc",), ("argument",))),
    ("case", 2, ("next", ("*", ("acc",), ("argument",))),
     ("case", 3, ("next", ("+", ("acc",), ("x",))),
      ("case", 4, ("next", ("*", ("acc",), ("acc",))), ("acc",)))),
)  # fmt: skip
"""An interpreter in `folds`: of steps that add or multiply a number, add x, or square."""


def steps(draw: random.Random) -> tuple[Any, ...]:
    """A program of the machine: a step, its number and the rest."""
    made: Any = (0, 0, None)
    for _ in range(draw.randrange(1, 9)):
        made = (draw.randrange(1, 4), draw.randrange(-3, 5), made)
    return made


def machine(program: Any, acc: int, x: int) -> int:
    """What a program of the machine means."""
    while program[0]:
        op, number, program = program
        acc = acc + number if op == 1 else acc * number if op == 2 else acc + x if op == 3 else acc * acc
    return acc


def data(program: Any) -> Any:
    """A program of the machine as pairs."""
    return linked(*map(data, program)) if isinstance(program, tuple) else program


def test_T4_layers_of_languages_vanish() -> None:
    # The interpreter of the machine is compiled by the compiler of `folds`, and is an interpreter in root then: its own
    # compiler needs no annotation, and leaves one operation for each step.
    first = cogen(folds, program=STATIC, steps=DYNAMIC, acc=DYNAMIC, x=DYNAMIC)(MACHINE)
    compiler = cogen(first.code, ["D", "S", "D", "D"])
    draw = random.Random(9)
    for _ in range(20):
        program = steps(draw)
        target = tidy(compiler(data(program)))
        counts: list[Counter[str]] = [Counter(), Counter(), Counter()]
        acc, x = draw.randrange(-9, 9), draw.randrange(-9, 9)
        want = machine(program, acc, x)
        assert folds(MACHINE, program, acc, x) == first(program, acc, x) == want
        assert run(first.code, data(program), acc, x, counts=counts[1]) == want
        assert run(target, acc, x, counts=counts[2]) == want
        assert primitives(target).keys() <= {"+", "*", "car"}
        assert sum(primitives(target)[name] for name in "+*") < str(program).count("(")
        assert 3 * counts[2].total() < counts[1].total()
