"""Pixel expressions in reverse Polish notation, as video filters have them, by an interpreter that is a compiler.

`x y + 2 /` is the mean of two planes, `x[-1,0] x[1,0] - abs` looks at neighbors, and `x 128 > 255 0 ?` chooses. All
values are floats of 32 bits, and every operator rounds once. A value above 0 is true, and tests give 1 or 0. Planes
hold integers of 8 or 16 bits, or floats of 32; what is stored in integers is rounded to the nearest, halves to even,
and kept in range, and what is no number becomes 0. Beyond the border stands the nearest pixel.
"""

from __future__ import annotations

import re
from functools import cache

import numpy as np

import pellucid as pl
from pellucid.staging import DYNAMIC, STATIC, Memory, apply, cogen, interpreter, lift

ONE = ("abs", "sqrt", "exp", "log", "sin", "cos", "trunc", "round", "floor")
TWO = {"+": "add", "-": "sub", "*": "mul", "/": "div", "max": "max", "min": "min", "pow": "pow"}
TESTS = (">", "<", "=", ">=", "<=", "and", "or", "xor")
TAKES = {**dict.fromkeys(ONE, 1), **dict.fromkeys([*TWO, *TESTS], 2), "not": 1, "?": 3, "clip": 3, "clamp": 3}
NAMES = ("X", "Y", "width", "height")
PLANES = "xyza"
TYPES = {"u8": np.uint8, "u16": np.uint16, "f32": np.float32}
LOAD = re.compile(r"([xyza])(?:\[(-?\d+),(-?\d+)\])?")
MOVE = re.compile(r"(dup|swap)(\d*)")


# ---- from text to a program ----


def read(text):
    """The program of an expression: for each word its name and two operands. Refuses what it does not know."""
    found, depth = [], 0
    for at, word in enumerate(text.split()):
        load, move = LOAD.fullmatch(word), MOVE.fullmatch(word)
        name, one, other, takes, gives = word, TAKES.get(word, 0), 0, TAKES.get(word, 0), 1
        if load:
            name, one, other = "load", PLANES.index(load[1]), (int(load[2] or 0), int(load[3] or 0))
        elif move:
            name, one = move[1], int(move[2] or move[1] == "swap")
            takes, gives = one + 1, one + 1 + (name == "dup")
        elif word in NAMES:
            name, one = "named", word
        elif word == "drop":
            takes, gives = 1, 0
        elif word not in TAKES:
            name, one = "number", constant(word, at)
        if depth < takes:
            raise ValueError(f"word {at + 1}: {word!r} takes {takes} values, and there are {depth}")
        depth += gives - takes
        found.append((name, one, other))
    if depth != 1:
        raise ValueError(f"{text!r} leaves {depth} values; an expression leaves one")
    return tuple(found)


def constant(word, at):
    """The number that a word is, as a float of 32 bits."""
    try:
        with np.errstate(over="ignore"):
            return float(np.float32(float(word)))
    except ValueError:
        raise ValueError(f"word {at + 1}: {word!r} is no number, plane or operator") from None


# ---- the interpreter ----


@interpreter
def frame(program, size, types, x, y, z, a, out):
    """Run the code on every pixel."""
    for row in range(lift(size[1])):
        for column in range(lift(size[0])):
            value = pixel(program, size, types, (x, y, z, a), row, column)
            out.store(row * size[0] + column, stored(types[4], value))
    return 0


def pixel(program, size, types, planes, row, column):
    """The value of the code for a pixel."""
    stack = []
    for name, one, other in program:
        if name == "number":
            stack.append(one)
        elif name == "load":
            stack.append(loaded(planes[one], types[one], place(size, other, row, column)))
        elif name == "named":
            stack.append(named(one, size, row, column))
        elif name == "dup":
            stack.append(stack[-1 - one])
        elif name == "swap":
            held = stack[-1]
            stack[-1] = stack[-1 - one]
            stack[-1 - one] = held
        elif name == "drop":
            stack.pop()
        elif one == 1:
            stack.append(of_one(name, stack.pop()))
        elif one == 2:
            second = stack.pop()
            stack.append(of_two(name, stack.pop(), second))
        else:
            third, second = stack.pop(), stack.pop()
            stack.append(of_three(name, stack.pop(), second, third))
    return stack.pop()


def place(size, by, row, column):
    """Where a neighbor is in its plane."""
    if by[1] != 0:
        row = apply("min.i64", apply("max.i64", row + by[1], 0), size[1] - 1)
    if by[0] != 0:
        column = apply("min.i64", apply("max.i64", column + by[0], 0), size[0] - 1)
    return row * size[0] + column


def named(name, size, row, column):
    """A coordinate of the pixel, or a size of the frame."""
    if name == "X":
        return apply("convert.i64.f32", column)
    if name == "Y":
        return apply("convert.i64.f32", row)
    return apply("convert.i64.f32", size[0] if name == "width" else size[1])


def of_one(name, v):
    """An operator on one value."""
    if name == "not":
        return number(apply("le.f32", v, 0.0))
    if name == "sqrt":
        v = apply("max.f32", v, 0.0)
    return apply(name + ".f32", v)


def of_two(name, v, w):
    """An operator on two values."""
    if name in TWO:
        return apply(TWO[name] + ".f32", v, w)
    if name == ">":
        return number(apply("lt.f32", w, v))
    if name == "<":
        return number(apply("lt.f32", v, w))
    if name == ">=":
        return number(apply("le.f32", w, v))
    if name == "<=":
        return number(apply("le.f32", v, w))
    if name == "=":
        return number(apply("eq.f32", v, w))
    return number(apply(name + ".bool", apply("lt.f32", 0.0, v), apply("lt.f32", 0.0, w)))


def of_three(name, v, w, u):
    """A choice, or a value within bounds."""
    if name == "?":
        return apply("choose.f32", apply("lt.f32", 0.0, v), w, u)
    return apply("min.f32", apply("max.f32", v, w), u)


def number(truth):
    """A truth as 1 or 0."""
    return apply("choose.f32", truth, 1.0, 0.0)


def loaded(plane, kind, at):
    """The sample at a place."""
    if kind == "f32":
        return apply("bitcast.u32.f32", plane.load(at))
    return apply("convert.i64.f32", plane.load(at))


def stored(kind, value):
    """The word of a value."""
    if kind == "f32":
        return apply("bitcast.f32.u32", value)
    return apply("to_integer.f32." + kind, apply("round.f32", value))


# ---- the compiler ----


@cache
def compiler():
    """The compiler that the interpreter is."""
    return cogen(frame, [STATIC] * 3 + [DYNAMIC] * (len(PLANES) + 1))


class Expression:
    """An expression, compiled for frames of a size: called with its planes it gives the plane of its values.

    `types` are those of the planes x, y, z and a, as far as there are some, and `to` is the result's.
    """

    def __init__(self, text, size, types=("u8",), to="u8", tier="arrays"):
        self.text, self.shape, self.program = text, (size[1], size[0]), read(text)
        used = {one for name, one, _ in self.program if name == "load"}
        if max(used, default=0) >= len(types):
            raise ValueError(
                f"{text!r} reads plane {PLANES[max(used)]}, and types are given for {len(types)}"
            )
        self.types = (*types, *["u8"] * (len(PLANES) - len(types)), to)
        code = compiler()(self.program, tuple(size), self.types).code
        memories = [self._memory(*one, size) for one in zip([*PLANES, "out"], self.types, strict=True)]
        self.code = pl.compile_code(code, *memories, tier=tier)
        self.unused = [np.empty(0, memory.buffer.type.dtype) for memory in memories[:-1]]

    @staticmethod
    def _memory(name, kind, size):
        """The memory of a plane."""
        return Memory(name, 8 * np.dtype(TYPES[kind]).itemsize, least=size[0] * size[1])

    def __call__(self, *planes, out=None):
        """The values for planes, arrays of rows; into `out` if it is given."""
        out = np.empty(self.shape, TYPES[self.types[-1]]) if out is None else out
        given = [words(*one) for one in zip(planes, self.types, strict=False)]
        self.code(*given, *self.unused[len(given) :], words(out, self.types[-1]))
        return out


def words(plane, kind):
    """A plane as the words that a memory has."""
    if plane.dtype != TYPES[kind] or not plane.flags.c_contiguous:
        raise TypeError(f"a plane of {plane.dtype}, where {kind} is declared, in contiguous rows")
    flat = plane.reshape(-1)
    return flat.view(np.uint32) if kind == "f32" else flat


def main():
    """Find the edges of a picture, and show what is left of the interpreter."""
    from pellucid.ir.text import print_nest

    size = (64, 48)
    edges = Expression("x[-1,0] x[1,0] - abs x[0,-1] x[0,1] - abs max 3 *", size, tier="nest")
    picture = np.fromfunction(lambda y, x: (x * x + y * y) // 16 % 256, (size[1], size[0])).astype(np.uint8)
    if edges.code.program is not None:
        print(print_nest(edges.code.program.residual.kernel))
    print("brightest edge:", edges(picture).max())


if __name__ == "__main__":
    main()
