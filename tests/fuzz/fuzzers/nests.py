"""Damaged texts against the readers of nests and of HOPS programs: a program, or an error that names the place.

A case is a text that a generator wrote or that a person would write, with a few characters, words or lines changed. A
reader may refuse it with an error of its own kind; a nest that it takes has to be valid, and to print to what reads and
prints as the same.
"""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path

from tests.fuzz.contract import demand_soon
from tests.fuzz.nests import nest

import pellucid
from pellucid.base.errors import PellucidError
from pellucid.ir.parse import parse_nest
from pellucid.ir.text import print_nest
from pellucid.ir.verify import verify_kernel
from pellucid.loops.hops import read

SLOW = 2.0
"""Seconds of processor time that no short text may take."""
MARK = "; hops\n"
"""The first line of a case that is a HOPS program."""
WORDS = (
    *(
        "for",
        "if",
        "else:",
        "while",
        "alloc",
        "repeat",
        "select",
        "kernel",
        "output",
        "input",
        "abstract",
        "pass",
    ),
    *(
        "iterate",
        "limit",
        "until",
        "end",
        "then",
        "to",
        "by 4 lanes",
        "spread over bands of 2",
        "nan",
        "inf",
        "-",
    ),
    *(
        "+",
        "*",
        "//",
        "%",
        "&",
        ":=",
        "=",
        "..",
        ":",
        "[",
        "]",
        "(",
        ")",
        "$",
        "@0.0:i32",
        "%i",
        "true",
        "0",
        "1.5",
    ),
    *(
        "-1",
        "99999999999999999999",
        "1e999",
        "2147483648",
        "s1",
        "t1",
        "s1 := n",
        "i32",
        "u8",
        "f32",
        ".0",
        ",",
        "\t",
    ),
    *(
        "(set x 1)",
        "(for i 0 3",
        "(if",
        "(while",
        "(call f 1)",
        "(def",
        "((",
        "))",
        "'",
        '"',
        "\x00",
        "\u0663",
        "²",
    ),
)
"""What is put into texts."""


@cache
def samples() -> tuple[str, ...]:
    """The HOPS programs of the source."""
    folder = Path(pellucid.__file__).parent / "loops/hops/samples"
    return tuple(path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.hops")))


def generate(rng: random.Random) -> str:
    """A text with some damage."""
    hops = rng.random() < 0.3
    text = rng.choice(samples()) if hops else print_nest(nest(rng))
    for _ in range(rng.choice((0, 1, 1, 1, 2, 3, 8))):
        text = rng.choice(DAMAGES)(rng, text)
    return MARK + text if hops else text


def _word(rng: random.Random, text: str) -> str:
    spots = [m.span() for m in re.finditer(r"\w+|[^\w\s]+", text)]
    if not spots:
        return rng.choice(WORDS)
    start, end = rng.choice(spots)
    return (
        text[:start]
        + rng.choice((rng.choice(WORDS), "", text[start:end] + " " + rng.choice(WORDS)))
        + text[end:]
    )


def _exchange(rng: random.Random, text: str) -> str:
    spots = [m.span() for m in re.finditer(r"[\w.:%$@]+", text)]
    if len(spots) < 2:
        return text
    (a, b), (c, d) = sorted(rng.sample(spots, 2))
    return text[:a] + text[c:d] + text[b:c] + text[a:b] + text[d:]


def _line(rng: random.Random, text: str) -> str:
    lines = text.split("\n")
    k = rng.randrange(len(lines))
    match rng.randrange(5):
        case 0:
            del lines[k]
        case 1:
            lines.insert(rng.randrange(len(lines) + 1), lines[k])
        case 2:
            lines[k] = "  " + lines[k]
        case 3:
            lines[k] = lines[k][2:]
        case _:
            other = rng.randrange(len(lines))
            lines[k], lines[other] = lines[other], lines[k]
    return "\n".join(lines)


def _character(rng: random.Random, text: str) -> str:
    k = rng.randrange(len(text) + 1)
    new = rng.choice(("", rng.choice("()[]:;.,+-*/%&|^<>=!$@ \n0123456789abij"), chr(rng.randrange(0x3000))))
    return text[:k] + new + text[k + rng.randrange(2) :]


def _nested(rng: random.Random, text: str) -> str:
    k, deep = rng.randrange(len(text) + 1), rng.choice((50, 3000))
    opening = rng.choice(("(", "[", "-", "if ", "not(", "(set x ", "1 + ("))
    return text[:k] + opening * deep + text[k:]


DAMAGES: tuple[Callable[[random.Random, str], str], ...] = (
    _word,
    _word,
    _word,
    _exchange,
    _exchange,
    _line,
    _line,
    _character,
    _nested,
)


def check(case: str) -> Mapping[str, int]:
    """Read a text; what is refused names a place, what is taken prints and reads as itself."""
    hops = case.startswith(MARK)
    began = time.process_time()
    refused: PellucidError | None = None
    try:
        kernel = read(case.removeprefix(MARK)) if hops else parse_nest(case)
        verify_kernel(kernel)
    except PellucidError as problem:
        refused = problem
    demand_soon(began, SLOW, "it is read too slowly")
    if refused is not None:
        assert refused.place or not case.removeprefix(MARK).strip(), f"an error without a place: {refused}"
        return {"texts that are refused": 1}
    text = print_nest(kernel)
    again = parse_nest(text)
    verify_kernel(again)
    assert print_nest(again) == text, (
        f"printed, read and printed again, it differs:\n{text}\n{print_nest(again)}"
    )
    return {"texts that are taken": 1}


def shrink(case: str) -> Iterator[str]:
    """Leave out lines, then words, then characters."""
    mark = MARK if case.startswith(MARK) else ""
    text = case.removeprefix(mark)
    lines = text.split("\n")
    for size in (len(lines) // 2, 1):
        for k in range(0, len(lines), max(size, 1)):
            yield mark + "\n".join([*lines[:k], *lines[k + max(size, 1) :]])
    for match in re.finditer(r"\w+|[^\w\s]", text):
        yield mark + text[: match.start()] + text[match.end() :]
    for k in range(len(text) if len(text) < 200 else 0):
        yield mark + text[:k] + text[k + 1 :]
