"""Cellular automata that evolve: each rule is an expression, and a program of its own, compiled when it is born.

A cell has a state of three bits, and a rule makes the next one of those of nine cells (Draves 1998, introduction). A
table for any rule has 2^27 entries; an expression has a dozen operators, can be mutated and crossed over, and is
compiled by the compiler of `step`, a plain interpreter of expressions.

Cells are packed, 32 of them in three words, one word for each bit of the state: so all operators are those of bits, and
work on 32 cells at a time. Tiles of 32 by 8 cells lie one after another.
"""

import random
from functools import cache
from typing import Any

import numpy as np

from pellucid.staging import DYNAMIC, STATIC, cogen, interpreter, lift

COLUMNS, ROWS = 32, 8
TILE = 3 * ROWS
"""Words of a tile."""
ONES = 0xFFFFFFFF
ARITIES = {"+": 2, "-": 2, "&": 2, "|": 2, "^": 2, "min": 2, "max": 2, "=": 2, "<": 2, "if": 3}
Rule = tuple[Any, ...]
"""An operator and its operands, which are rules again, or a number or a cell by its name."""
CELLS = tuple(("cell", dy, dx) for dy in (-1, 0, 1) for dx in (-1, 0, 1))


# ---- the interpreter ----


@interpreter
def step(rule, wraps, old, new, across, down):
    """Store the next state of each cell; the tiles of a border, where it does not wrap around, stay as they are."""
    first = 0 if wraps else 1
    for row in range(first, down - first):
        for column in range(first, across - first):
            left, right = column - 1, column + 1
            if wraps:
                left, right = left % across, right % across
            columns = (left * TILE, column * TILE, right * TILE)
            for y in range(lift(ROWS)):
                line = row * ROWS + y
                above, below = line - 1, line + 1
                if wraps:
                    above, below = above % (down * ROWS), below % (down * ROWS)
                lines = (place(above, across), place(line, across), place(below, across))
                made = value(rule, old, lines, columns)
                here = lines[1] + columns[1]
                new.store(here, made[0])
                new.store(here + 1, made[1])
                new.store(here + 2, made[2])
    return 0


def place(line, across):
    """The first word of a line of cells."""
    return (line >> 3) * (across * TILE) + (line & 7) * 3


def value(rule, old, lines, columns):
    """The three bits of an expression, each in 32 cells."""
    kind = rule[0]
    if kind == "number":
        number = rule[1]
        return (lift(-(number & 1) & ONES), lift(-(number >> 1 & 1) & ONES), lift(-(number >> 2) & ONES))
    if kind == "cell":
        line = lines[rule[1] + 1]
        return (
            shifted(old, line, columns, rule[2]),
            shifted(old, line + 1, columns, rule[2]),
            shifted(old, line + 2, columns, rule[2]),
        )
    a = value(rule[1], old, lines, columns)
    b = value(rule[2], old, lines, columns)
    if kind == "+":
        carry = a[0] & b[0]
        more = (a[1] & b[1]) | (carry & (a[1] ^ b[1]))
        return (a[0] ^ b[0], a[1] ^ b[1] ^ carry, a[2] ^ b[2] ^ more)
    if kind == "&":
        return (a[0] & b[0], a[1] & b[1], a[2] & b[2])
    if kind == "|":
        return (a[0] | b[0], a[1] | b[1], a[2] | b[2])
    if kind == "^":
        return (a[0] ^ b[0], a[1] ^ b[1], a[2] ^ b[2])
    if kind == "=":
        return (ONES ^ ((a[0] ^ b[0]) | (a[1] ^ b[1]) | (a[2] ^ b[2])), lift(0), lift(0))
    if kind == "if":
        return chosen(a[0] | a[1] | a[2], b, value(rule[3], old, lines, columns))
    borrow = (ONES ^ a[0]) & b[0]
    more = ((ONES ^ a[1]) & (b[1] | borrow)) | (b[1] & borrow)
    if kind == "-":
        return (a[0] ^ b[0], a[1] ^ b[1] ^ borrow, a[2] ^ b[2] ^ more)
    less = ((ONES ^ a[2]) & (b[2] | more)) | (b[2] & more)
    if kind == "<":
        return (less, lift(0), lift(0))
    if kind == "min":
        return chosen(less, a, b)
    if kind == "max":
        return chosen(less, b, a)
    raise ValueError(f"no operator {kind!r}")


def shifted(old, line, columns, dx):
    """A word of one bit of 32 cells, or of their neighbors to one side."""
    word = old.load(line + columns[1])
    if dx < 0:
        return (word << 1 & ONES) | old.load(line + columns[0]) >> 31
    if dx > 0:
        return word >> 1 | (old.load(line + columns[2]) & 1) << 31
    return word


def chosen(mask, a, b):
    """One value where a mask has ones, and the other elsewhere."""
    other = ONES ^ mask
    return ((a[0] & mask) | (b[0] & other), (a[1] & mask) | (b[1] & other), (a[2] & mask) | (b[2] & other))


@cache
def compiler():
    """The compiler of rules, made once."""
    return cogen(step, rule=STATIC, wraps=STATIC, old=DYNAMIC, new=DYNAMIC, across=DYNAMIC, down=DYNAMIC)


# ---- cells ----


def packed(states, border=None):
    """States of rows and columns, multiples of 8 and of 32, in tiles; a border is a state around them."""
    if border is not None:
        states = np.pad(states, ((ROWS, ROWS), (COLUMNS, COLUMNS)), constant_values=border)
    rows, columns = states.shape
    tiles = states.astype(np.uint8).reshape(rows // ROWS, ROWS, columns // COLUMNS, COLUMNS)
    bits = [np.packbits(tiles >> k & 1, axis=-1, bitorder="little").view("<u4")[..., 0] for k in range(3)]
    return np.stack(bits, -1).transpose(0, 2, 1, 3).astype(np.uint32).ravel()


def unpacked(words, rows, columns, border=None):
    """The states in tiles, by row and column."""
    around = 0 if border is None else 1
    shape = (rows // ROWS + 2 * around, columns // COLUMNS + 2 * around, ROWS, 3)
    bits = words.reshape(shape).transpose(0, 2, 1, 3)[..., None] >> np.arange(COLUMNS, dtype=np.uint32) & 1
    states = (bits << np.arange(3, dtype=np.uint32)[:, None]).sum(-2).reshape(shape[0] * ROWS, -1)
    return states[around * ROWS :][:rows, around * COLUMNS :][:, :columns].astype(np.uint8)


def run(rule, states, turns, border=None, program=None):
    """The states after some turns, and before the last one."""
    program = program or compiler()(rule, border is None)
    rows, columns = states.shape
    around = 0 if border is None else 2
    old = packed(states, border)
    new = old.copy()
    for _ in range(turns):
        program(old, new, columns // COLUMNS + around, rows // ROWS + around)
        old, new = new, old
    return unpacked(old, rows, columns, border), unpacked(new, rows, columns, border)


# ---- evolution ----


def grown(draw, depth=4):
    """A random expression."""
    if depth == 0 or draw.random() < 0.15:
        return draw.choice(CELLS) if draw.random() < 0.8 else ("number", draw.randrange(8))
    kind = draw.choice(list(ARITIES))
    return (kind, *(grown(draw, depth - 1) for _ in range(ARITIES[kind])))


def parts(rule):
    """The places of all parts of an expression: the indices on the way to each."""
    found = [()]
    if rule[0] in ARITIES:
        found += [(at, *rest) for at in range(1, len(rule)) for rest in parts(rule[at])]
    return found


def part(rule, place):
    """The part at a place."""
    return part(rule[place[0]], place[1:]) if place else rule


def replaced(rule, place, by):
    """The expression with another part at a place."""
    if not place:
        return by
    at = place[0]
    return (*rule[:at], replaced(rule[at], place[1:], by), *rule[at + 1 :])


def child(draw, one, other, most=40):
    """A mutant of one rule, or a cross of two; large ones are grown anew."""
    place = draw.choice(parts(one))
    by = grown(draw, 2) if draw.random() < 0.4 else part(other, draw.choice(parts(other)))
    made = replaced(one, place, by)
    return made if len(parts(made)) <= most else grown(draw)


def entropy(values):
    """Bits of information in a value."""
    shares = np.bincount(values.ravel()) / values.size
    return float(-(shares[shares > 0] * np.log2(shares[shares > 0])).sum())


def fitness(rule, seed, turns=40):
    """How far a rule stays between order and noise, from 0 to 1.

    It uses all states, a cell tells half of what its neighbors are, and some cells still change, but not all.
    """
    states = np.random.default_rng(seed).integers(0, 8, (64, 64), dtype=np.uint8)
    after, before = run(rule, states, turns)
    alone = entropy(after)
    if alone == 0:
        return 0.0
    told = [2 * alone - entropy(8 * after + np.roll(after, 1, axis)) for axis in (0, 1)]
    share = min(1.0, max(0.0, sum(told) / 2 / alone))
    changed = float((after != before).mean())
    return alone / 3 * 4 * share * (1 - share) * min(1.0, changed / 0.05) * min(1.0, (1 - changed) / 0.2)


def evolved(seed, size=16, generations=8):
    """The best rules of a population after some generations, best first, with their fitness."""
    draw = random.Random(seed)  # noqa: S311 - nothing is kept secret
    rules: list[Rule] = list(dict.fromkeys(grown(draw) for _ in range(size)))
    known: dict[Rule, float] = {}
    for generation in range(generations + 1):
        known |= {rule: fitness(rule, seed) for rule in rules if rule not in known}
        rules = sorted(dict.fromkeys(rules), key=lambda rule: -known[rule])[: size // 2]
        if generation < generations:
            rules += [child(draw, draw.choice(rules), draw.choice(rules)) for _ in range(size // 2)]
    return [(rule, known[rule]) for rule in rules]


def written(rule):
    """An expression as people write it; a cell is named by its row and column, N W C E S."""
    if rule[0] == "number":
        return str(rule[1])
    if rule[0] == "cell":
        return ("N", "", "S")[rule[1] + 1] + ("W", "", "E")[rule[2] + 1] or "C"
    inner = [written(one) for one in rule[1:]]
    if rule[0] in ("min", "max", "if"):
        return f"{rule[0]}({', '.join(inner)})"
    return f"({inner[0]} {rule[0]} {inner[1]})"


COLORS = np.array([0x0B1021, 0x1D3B6F, 0x2A7F9E, 0x3FB68B, 0xA8D86E, 0xF6E27F, 0xF2994A, 0xD7263D], np.uint32)
"""Red, green and blue of each state."""


def shown(*grids, scale=2, gap=4):
    """States side by side as an array of colors, each cell as a square of pixels."""
    rows = []
    for states in grids:
        colors = COLORS[states][..., None] >> np.array([16, 8, 0], np.uint32) & 255
        large = colors.astype(np.uint8).repeat(scale, 0).repeat(scale, 1)
        rows += [large, np.full((large.shape[0], gap, 3), 255, np.uint8)]
    return np.concatenate(rows[:-1], 1)


def main():
    """Evolve some rules, and tell of the best."""
    for rule, worth in evolved(4, size=8, generations=3)[:3]:
        print(f"{worth:.2f}  {written(rule)}")


if __name__ == "__main__":
    main()
