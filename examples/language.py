"""A little language for what to do with samples, three ways: interpreted, with buffers, and specialized.

An interpreter is the short program, and reads the code again for every sample. A batch interpreter reads it once and
passes over a buffer for every operator. Specialized to its code, the short program is one loop without either (Draves,
introduction of the thesis).
"""

import numpy as np

from pellucid import signals as sg
from pellucid.driver.program import compile_program
from pellucid.driver.streams import compile_stream
from pellucid.ir.text import print_nest
from pellucid.staging import (
    Memory,
    Samples,
    choose,
    cyclic,
    loop,
    negate,
    require,
    specialize,
    stream,
    unknown,
)

NUMBER, SAMPLE, ADD, MULTIPLY = range(4)
FAULT = {"place": "code", "fix": "give the code of an expression, deepest side first"}


def code(e):
    """An expression as code for a machine with a stack: pairs of an operation and a number."""
    match e:
        case int():
            return [NUMBER, e]
        case "x":
            return [SAMPLE, 0]
        case ("+", a, b):
            return [*code(a), *code(b), ADD, 0]
        case ("*", a, b):
            return [*code(a), *code(b), MULTIPLY, 0]
    raise ValueError(f"no expression: {e!r}")


def evaluate(fetch, start, end, x):
    """Run code on a sample, with a stack of four; what does not fit it, or is no expression, is refused."""

    def step(at, depth, a, b, c, d):
        operation, operand = fetch(at), fetch(at + 1)
        pushes = operation < ADD
        require(negate(pushes) | (depth < 4), "the stack has no room for a fifth value", **FAULT)
        require(pushes | (depth >= 2), "an operation has fewer than two values", **FAULT)

        def combined():
            return depth - 1, choose(operation == ADD, lambda: b + a, lambda: b * a), c, d, 0

        pushed = choose(operation == NUMBER, lambda: operand, lambda: x)
        return at + 2, *choose(pushes, lambda: (depth + 1, pushed, a, b, c), combined)

    _, depth, a, *_ = loop(lambda at, depth, a, b, c, d: at == end, step, start, 0, 0, 0, 0, 0)
    require(depth == 1, "the code leaves another number of values than one", **FAULT)
    return a


def interpreted(fetch, start, end, source, target):
    """Run code on every sample of 8 bits, and store 32 bits."""
    samples = sg.memory(*source, size=8, stride=8)
    results = sg.map(lambda x: evaluate(fetch, start, end, x), samples)
    sg.copy(results, sg.memory(*target, size=32, stride=32))


def buffered(instructions, samples):
    """The same with the code outside: a pass, and a buffer, for every operation."""
    stack = []
    for operation, operand in zip(instructions[::2], instructions[1::2], strict=True):
        if operation == NUMBER:
            stack.append(np.full(len(samples), operand, np.uint32))
        elif operation == SAMPLE:
            stack.append(samples.astype(np.uint32))
        else:
            a, b = stack.pop(), stack.pop()
            stack.append(b + a if operation == ADD else b * a)
    return stack.pop()


def signal(name):
    """Where samples begin and end, at words that are known only at run time."""
    return Memory(name), cyclic(32, f"{name}_from"), cyclic(32, f"{name}_to")


def general():
    """The interpreter for any code, which it reads from a memory."""
    program = Memory("code")
    return specialize(
        interpreted, program.load, unknown("start"), unknown("end"), signal("source"), signal("target")
    )


def special(instructions):
    """The interpreter specialized to some code."""
    return specialize(
        interpreted, instructions.__getitem__, 0, len(instructions), signal("source"), signal("target")
    )


def wide(instructions):
    """The interpreter specialized to some code, in wide registers."""
    return stream(
        lambda x: evaluate(instructions.__getitem__, 0, len(instructions), x),
        [Samples(1, 0, 8, 8)], [Samples(0, 0, 32, 32)],
    )  # fmt: skip


PROGRAM = ("+", ("*", 3, "x"), ("+", ("*", "x", "x"), 7))


def main():
    """Run 3 x + x x + 7 in all ways, and show what is left of the interpreter."""
    instructions = code(PROGRAM)
    samples = np.random.default_rng(1).integers(0, 256, 4096, dtype=np.uint8)
    ends = {"source_from": 0, "source_to": len(samples) // 4, "target_from": 0, "target_to": len(samples)}
    one, three = np.zeros(len(samples), np.uint32), np.zeros(len(samples), np.uint32)
    words = np.array(instructions, np.uint32)
    compile_program(general())(
        {"code": words, "source": samples.view(np.uint32), "target": one},
        start=0, end=len(words), **ends,
    )  # fmt: skip
    two = buffered(instructions, samples)
    residual = special(instructions)
    print(print_nest(residual.kernel))
    compile_program(residual)({"source": samples.view(np.uint32), "target": three}, **ends)
    four = np.zeros(len(samples), np.uint32)
    compile_stream(wide(instructions))([four.view(np.uint8), samples], len(samples))
    print("all alike:", all(bool((one == other).all()) for other in (two, three, four)))


if __name__ == "__main__":
    main()
