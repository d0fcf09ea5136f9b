"""Random pictures as expressions of the vocabulary: words of the registry, and functions of a point.

An expression is made by types: the signature of a word says what stands in each of its places. What comes out is text
that `picture` evaluates again with nothing but the vocabulary and the few names of `names`.
"""

from __future__ import annotations

import functools
import random
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from tests.fuzz.contract import NotACase

import pellucid as pl
from pellucid.images.signature import Range
from pellucid.images.word import Parameter, Word, vocabulary, words

FILE = "<picture>"
"""Where the text of a picture stands, as its functions say it."""
KINDS = ("Image Color", "Image Bool", "Image Number")
LEFT_OUT = {"const", "displayable", "from_buffer", "lift", "read_image", "read_vm", "text"}
"""Words that take functions, files or memory, and one that takes fonts."""
NUMBERS = (0.0, 1.0, -1.0, 0.5, 0.25, 2.0, 3.0, -0.75, 7.5, 1e-3, 0.1)
ODD = (-0.0, 1e-30, 1e30, -1e9, 16777217.0, 1e-45, 3.4e38)
"""Numbers at which floats are short of digits or of range; written by people now and then."""
ONE = (
    "sin",
    "cos",
    "sqrt",
    "exp",
    "log",
    "floor",
    "ceil",
    "round",
    "trunc",
    "abs",
    "atan",
    "fraction",
    "sign",
    "neg",
)
TWO = ("min", "max", "atan2", "hypot", "pow")
COLORS = (
    "red",
    "white",
    "black",
    "invisible",
    "gold",
    "midnightblue",
    "rgba(0.2, 0.4, 0.6, 0.5)",
    "hsv(1.0)",
)


@functools.cache
def names() -> dict[str, Any]:
    """What an expression may name: the vocabulary, two parameters, and two small arrays of pixels."""
    generator = np.random.default_rng(3)
    return {
        **vocabulary(),
        "image": pl.image,
        "k1": pl.param("k1", 0.5, low=0.0, high=2.0),
        "k2": pl.param("k2", 3.0, low=-5.0, high=10.0),
        "small": generator.integers(0, 256, (3, 5, 4), np.uint8),
        "gray": generator.integers(0, 256, (4, 3), np.uint8),
    }


def picture(text: str) -> Any:
    """The picture that an expression stands for."""
    # A name bound inside, such as that of a lambda, must not stay.
    return eval(compile(text, FILE, "eval"), dict(names()))


@contextmanager
def faults_of_its_own() -> Iterator[None]:
    """What the text itself raises, such as a function that divides Python's numbers by zero, is no case."""
    try:
        yield
    except (ArithmeticError, AttributeError, NameError, TypeError, ValueError) as problem:
        *_, (frame, _) = traceback.walk_tb(problem.__traceback__)
        if frame.f_code.co_filename != FILE:
            raise
        raise NotACase(str(problem)) from problem


@functools.cache
def _words(kind: str) -> list[Word]:
    pl.images.words()
    letter = [w for w in words().values() if w.result.text in (kind, "Image a") and w.name not in LEFT_OUT]
    return [w for w in letter if all(p.slot.text != "Function" for p in w.parameters)]


class Maker:
    """Makes one expression; `room` is how many more words it may hold."""

    def __init__(self, rng: random.Random, room: int) -> None:
        self.rng, self.room, self.inside = rng, room, False

    def coin(self, chance: float) -> bool:
        """True with that chance."""
        return self.rng.random() < chance

    # --- pictures

    def image(self, kind: str) -> str:
        """A picture of that kind."""
        self.room -= 1
        if self.room <= 0:
            return {"Image Color": "checkerboard(1, red, white)", "Image Bool": "checker"}.get(kind, "r")
        if self.coin(0.25):
            return self.function(kind)
        word = self.rng.choice(_words(kind))
        if not word.parameters:
            return word.name
        given = [self.argument(word, p, kind) for p in word.parameters if p.required or self.coin(0.5)]
        if word.name == "bitmap":
            return f"bitmap({self.rng.choice(('small', 'gray'))})"
        if word.name == "reconstruct":
            return (
                f"reconstruct(bitmap(small), filter={self.rng.choice(('nearest', 'bilinear', 'bicubic'))!r})"
            )
        positional = [x for x in given if "=" not in x.partition("(")[0]]
        return f"{word.name}({', '.join(positional + [x for x in given if x not in positional])})"

    def argument(self, word: Word, parameter: Parameter, kind: str) -> str:
        """An argument of a word, by name if it may be left out."""
        if parameter.slot.many:
            return ", ".join(self.of_type(parameter, kind) for _ in range(self.rng.randint(2, 3)))
        text = self.of_type(parameter, kind)
        return text if parameter.required else f"{parameter.name}={text}"

    def of_type(self, parameter: Parameter, kind: str) -> str:
        """Something of the type of a parameter."""
        type_, limits = parameter.slot.text.removesuffix("..."), parameter.limits
        if type_ == "Image a":
            return self.image(kind)
        if type_ in KINDS:
            return self.image(type_) if type_ != "Image Number" or self.coin(0.5) else self.within(limits)
        match type_:
            case "Color":
                return self.rng.choice(COLORS)
            case "Point":
                return f"({self.within(limits)}, {self.within(limits)})"
            case "Transform":
                return self.transform()
            case "Stops":
                return self.rng.choice(
                    ("[red, blue]", "[(0, red), (0.3, invisible), (1, 'white')]", "[(0, gold), (0, black)]")
                )
            case "Text":
                return repr(self.rng.choice(limits)) if isinstance(limits, tuple) else "'nearest'"
            case "Truth":
                return self.rng.choice(("True", "False"))
            case "Count" | "Integer":
                low, high = _ends(limits)
                return str(self.rng.randint(int(max(low, 0)), int(min(high, 9))))
            case "Any":
                return "small"
            case _:
                return self.within(
                    limits if limits is not None else parameter.slot.type and parameter.slot.type.range
                )

    def transform(self) -> str:
        """A function from points to points."""
        a = self.within(None)
        return self.rng.choice(
            (f"rotate({a})", f"translate(({a}, 0.3))", f"swirling({self.within(Range(nonzero=True))})",
             "lambda p: Point(p.y, -p.x)", f"lambda p: Point(p.x * p.x - p.y, {a})")
        )  # fmt: skip

    def within(self, limits: Any) -> str:
        """A number in limits: constant, a parameter, or one that moves."""
        low, high = _ends(limits)
        if low <= 0 and high >= 2 and self.coin(0.08):
            return "k1"
        if low <= -5 and high >= 10 and self.coin(0.12):
            # A function of a point takes numbers of its own moment only.
            return "k2" if self.inside or self.coin(0.5) else "seconds"
        odd = ODD if self.coin(0.06) else NUMBERS
        fit = [x for x in odd if low <= x <= high and not (isinstance(limits, Range) and not limits.holds(x))]
        return repr(self.rng.choice(fit)) if fit else repr(min(max(0.5, low), high))

    # --- functions of a point

    def function(self, kind: str) -> str:
        """A picture of that kind by a function of a point."""
        outside, self.inside = self.inside, True
        body = {"Image Bool": self.truth, "Image Number": self.number}.get(kind, self.color)(3, "p")
        self.inside = outside
        return f"image(lambda p: {body})"

    def color(self, depth: int, point: str) -> str:
        """A color of a point."""
        if self.coin(0.3):
            return (
                f"where({self.truth(depth - 1, point)}, {self.rng.choice(COLORS)}, {self.rng.choice(COLORS)})"
            )
        a, b, c = (self.number(depth - 1, point) for _ in range(3))
        return (
            f"rgb({a}, {b}, {c})" if self.coin(0.7) else f"lerp_color({a}, gold, {self.rng.choice(COLORS)})"
        )

    def number(self, depth: int, point: str) -> str:
        """A number of a point."""
        if depth <= 0 or self.coin(0.15):
            return self.rng.choice(
                (f"{point}.x", f"{point}.y", "k1", "k2", self.within(None), self.within(None))
            )
        a, b = self.number(depth - 1, point), self.number(depth - 1, point)
        choice = self.rng.random()
        if choice < 0.35:
            return f"({a} {self.rng.choice(('+', '-', '*', '*', '/', '%', '//'))} {b})"
        if choice < 0.6:
            return f"{self.rng.choice(ONE)}({a})"
        if choice < 0.72:
            return f"{self.rng.choice(TWO)}({a}, {b})"
        if choice < 0.88:
            return f"where({self.truth(depth - 1, point)}, {a}, {b})"
        steps = self.rng.choice((0, 1, 2, 5, 9))
        until = f", until=lambda s: s[1] > {self.within(None)}" if self.coin(0.6) else ""
        step = f"lambda s: (s[0] * s[1] + {point}.x, s[1] + {self.number(0, point)})"
        return f"iterate({step}, ({a}, {b}){until}, limit={steps})[{self.rng.choice((0, 1))}]"

    def truth(self, depth: int, point: str) -> str:
        """A condition on a point."""
        if depth > 0 and self.coin(0.3):
            return f"({self.truth(depth - 1, point)} {self.rng.choice('&|^')} {self.truth(depth - 1, point)})"
        test = self.rng.choice(("<", "<=", ">", ">=", "==", "!="))
        a = self.number(depth - 1, point) if depth > 0 else f"{point}.{self.rng.choice('xy')}"
        return f"({point}.{self.rng.choice('xy')} * {self.within(None)} {test} {a})"


def _ends(limits: Any) -> tuple[float, float]:
    if isinstance(limits, Range):
        return limits.low, limits.high
    if isinstance(limits, tuple) and not isinstance(limits[0], str):
        return limits
    return -np.inf, np.inf
