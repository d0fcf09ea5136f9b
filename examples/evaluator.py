"""An evaluator of expressions, and its compiler: see the binding times with `pellucid explain --times evaluator.py`.

A program is an expression in nested tuples, with `let` for names. Run it: python evaluator.py
"""

from pellucid.staging import DYNAMIC, STATIC, cogen, interpreter


@interpreter
def run(tree, x):
    """The value of an expression of `x`."""
    return value(tree, {"x": x})


def value(tree, names):
    match tree:
        case ("number", number):
            return number
        case ("name", name):
            return names[name]
        case ("let", name, bound, body):
            inner = dict(names)
            inner[name] = value(bound, names)
            return value(body, inner)
        case ("+", one, other):
            return value(one, names) + value(other, names)
        case ("*", one, other):
            return value(one, names) * value(other, names)
        case ("if", test, one, other):
            if value(test, names) > 0:
                return value(one, names)
            return value(other, names)
    raise ValueError(f"no operator {tree[0]!r}")


compiler = cogen(run, tree=STATIC, x=DYNAMIC)

X = ("name", "x")
SQUARES = ("let", "y", ("*", X, X), ("if", X, ("+", ("name", "y"), ("number", 1)), ("name", "y")))

if __name__ == "__main__":
    f = compiler(SQUARES)
    print(f.code.params, [f(x) for x in (-3, 0, 3)], [run(SQUARES, x) for x in (-3, 0, 3)])
