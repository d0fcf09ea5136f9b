"""Any text is a kernel or one error with its place: never an error of Python's own."""

import random
import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from pellucid.base.errors import TextError
from pellucid.ir.parse import parse_expr, parse_nest
from pellucid.loops.hops import read

MOVES = Path(__file__).parents[1] / "loops"
TEXTS = [f.read_text(encoding="utf-8") for f in sorted(MOVES.glob("*_moves/*.nest"))]
HOPS = [f.read_text(encoding="utf-8") for f in sorted((MOVES / "programs").glob("*.hops"))]
ODD = [
    *(
        "+",
        "-",
        "*",
        "(",
        ")",
        "[",
        "]",
        ":",
        ":=",
        "=",
        "==",
        "<",
        "<=",
        "@",
        "@0.0",
        "$",
        "%",
        ".",
        "..",
        ",",
    ),
    *(
        "nan",
        "inf",
        "1e5",
        "1.5",
        "1.5:i32",
        "nan:i32",
        "inf:u8",
        "1:bool",
        "9:u8",
        "iterate",
        "end",
        "to",
        "until",
    ),
    *(
        "limit",
        "if",
        "then",
        "else",
        "alloc",
        "pass",
        "select",
        "for",
        "while",
        "x",
        "i",
        "true",
        "0",
        "abstract",
    ),
]
ODD += ["9" * 5000, "\N{ARABIC-INDIC DIGIT THREE}", "repeat t ="]
LONE = ["+", "-", "1 + -", "- +", "nan:i32", "inf:u8", "1.5:i64", "1:bool", "9" * 5000, "$+:f32", ODD[-2]]
WHOLE = "iterate 0 (1) to (2) until true limit 3 end"


def mutated(text: str, rng: random.Random, odd: list[str]) -> str:
    words = re.findall(r"\s+|\w+|[^\w\s]+", text)
    for _ in range(rng.choice((1, 1, 2, 3))):
        k = rng.randrange(len(words))
        match rng.randrange(4):
            case 0:
                words[k] = rng.choice(odd)
            case 1:
                del words[k]
            case 2:
                words.insert(k, rng.choice(odd))
            case _:
                words[k] = rng.choice(words)
        words = words or ["x"]
    return "".join(words)


def refusal(reader: Callable[[str], object], text: str) -> TextError | None:
    try:
        reader(text)
    except TextError as problem:
        return problem
    return None


@pytest.mark.parametrize("reader", [parse_nest, parse_expr, read], ids=["nest", "expr", "hops"])
def test_changed_text_is_read_or_refused_with_its_line(reader):
    rng, refused = random.Random(5), 0
    odd = (
        [*ODD, "(", ")", "'", '"', "(iterate", "get", "@0.0:i32", "(place", "(select"]
        if reader is read
        else ODD
    )
    for _ in range(1500):
        text = mutated(rng.choice(HOPS if reader is read else TEXTS), rng, odd)
        if reader is parse_expr:
            text = rng.choice(text.splitlines() or [""]).strip()
        problem = refusal(reader, text)
        refused += problem is not None
        assert problem is None or problem.place or "in an empty text" in str(problem), text
    assert refused > 500


@pytest.mark.parametrize("text", LONE)
def test_a_lone_sign_or_an_odd_number_is_refused(text: str):
    with pytest.raises(TextError, match="line 1"):
        parse_expr(text)
    with pytest.raises(TextError, match="line 3"):
        parse_nest(f"kernel k():\n  output a: i32[1]\n  a[0] := {text}\n")


def test_an_abbreviation_ends_with_its_block():
    text = "kernel k():\n  output a: i32[9]\n  for i in 0 .. 3:\n    s1 := i * 2\n    a[s1] := s1\n  a[0] := s1\n"
    with pytest.raises(TextError, match="line 6: 's1' has no meaning here"):
        parse_nest(text)


@pytest.mark.parametrize("text", [f"({WHOLE}) + 1", f"abs({WHOLE})"])
def test_an_iterate_is_no_number(text: str):
    with pytest.raises(TextError, match="an iterate has components"):
        parse_expr(text)


def test_what_is_nested_without_measure_is_refused_at_once():
    """Far below the minute that it took; two seconds on an idle machine."""
    many = 100_000
    loops = "".join(f"{' ' * (k + 2)}while true:\n" for k in range(6000))
    began = time.process_time()
    with pytest.raises(TextError, match="line 1, column 22018: statements are nested more than 2000 deep"):
        read("(MakeVariable s) " + "(for i 0 1 " * many + "(:= s 1)" + ")" * many)
    with pytest.raises(TextError, match="line 4003: statements are nested more than 4000 deep"):
        parse_nest(f"kernel k():\n  output a: i32[1]\n{loops}")
    with pytest.raises(TextError, match="line 1: more than 5000 terms stand in one another"):
        parse_expr("(" * many + "1" + ")" * many)
    assert time.process_time() - began < 30
