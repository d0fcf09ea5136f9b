"""The law of compilers that were generated: what they make of a program means what the interpreter means for it.

A case is an interpreter of `languages.py` with a random program, or a random root program by itself (`roots.py`), with
times and values for its parameters and lifts at random places. What comes out is run raw and tidied, by every tier.
"""

from __future__ import annotations

import json
import random
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

import numpy as np
from tests.fuzz.contract import LateError, NotACase, demand_soon
from tests.fuzz.languages import LANGUAGES
from tests.fuzz.roots import program as random_root
from tests.fuzz.tiers import UNTOLD, Call, Result, compare, meant, outcome

from pellucid.base.errors import PellucidError, StagingError, TextError
from pellucid.staging import Memory
from pellucid.staging.cogen import Compiler, cogen, tidy
from pellucid.staging.front.vectors import dynamic_data
from pellucid.staging.root.program import Const, Instruction, Lift, RootCode, RootIf, RootPrim, linked
from pellucid.staging.root.reading import read_sugar
from pellucid.staging.root.writing import reached
from pellucid.staging.times.lattice import CYCLIC

WEIGHT = 2
SECONDS = 10.0
"""Processor time after which a compiler counts as one that does not end, on any machine."""
_MAX_VARIANTS = 300
"""Residual codes of one extension: what needs more is refused, and soon."""
_MANY_VARIANTS = 10 * _MAX_VARIANTS
"""Residual codes that suffice for a program whose static values cannot grow without end."""
_ARENA = 1 << 20
_WORDS = np.arange(8, dtype=np.uint8) * 77


class RefusedError(AssertionError):
    """A program or an interpreter is refused that should not be."""


def generate(rng: random.Random) -> str:
    """Make an interpreter's program, or a root program, with times, values and lifts."""
    names = [*LANGUAGES, "root", "root"]
    language = rng.choice(names)
    if language == "root":
        case = _random_root(rng)
    else:
        made = LANGUAGES[language]
        times = {name: rng.choice(one.times) for name, one in made.params.items()}
        values = {name: one.value(rng) for name, one in made.params.items()}
        case = {"language": language, "program": made.draw(rng), "times": times, "values": values}
        case["lifts"] = _places(rng, made.code(), made.static, made.numbers) if rng.random() < 0.3 else []
    cyclic = [name for name, word in case["times"].items() if word == "cyc"]
    case["cyclic"] = {name: [rng.choice([1, 2, 3, 8, -4]), rng.randint(-5, 9)] for name in cyclic}
    return json.dumps(case)


def _random_root(rng: random.Random) -> dict[str, Any]:
    """A random root program: where its loops end at a dynamic number, most of what changes in them is lifted."""
    text = random_root(rng)
    code = read_sugar(text)["f0"]
    scalars = [name for name in code.params if name.startswith("x")]
    fuel = rng.choice(["S", "S", "D"])
    times = {"m": "D", "n": fuel} | {name: rng.choice(["D", "D", "S", "S", "cyc"]) for name in scalars}
    values: dict[str, Any] = {name: rng.choice([0, 1, -1, 5, 255, rng.randint(-99, 99)]) for name in scalars}
    values |= {"m": None, "n": rng.choice([1, 3, 10] if fuel == "D" else [1, 2, 4])}
    only_numbers = "(cons" not in text and "(close" not in text
    times["l"] = rng.choice(["D", "S"])
    values["l"] = (
        rng.randint(0, 3) if only_numbers else [rng.randint(-5, 5) for _ in range(rng.randint(0, 3))]
    )
    lifts = _places(rng, code, frozenset(), frozenset(["n", "less", *scalars])) if rng.random() < 0.5 else []
    if fuel == "D" and rng.random() < 0.9:
        for at, one in enumerate(reached(code)):
            lifts += [[at, 0, name, ""] for name in one.params if name[0] in "xl"]
    integers = "f64" not in text and rng.random() < 0.3
    return {
        "language": "root",
        "text": text,
        "times": times,
        "values": values,
        "lifts": lifts,
        "integers": integers,
    }


# ---- lifts at random places ----


def _places(
    rng: random.Random, code: RootCode, static: frozenset[str], numbers: frozenset[str]
) -> list[list[Any]]:
    """Lifts: the number of a code, the place in it, the variable, and to what it is lifted; numbers may be cyclic."""
    places: list[tuple[int, int, list[str]]] = []
    for at, one in enumerate(reached(code)):
        inner: list[list[str]] = []
        _walk(one.body, list(one.params), inner)
        places += [
            (at, place, free) for place, bound in enumerate(inner) if (free := sorted(set(bound) - static))
        ]
    found: list[list[Any]] = []
    for at, place, free in rng.sample(places, min(rng.choice([1, 1, 2, 4, 8]), len(places))):
        name = rng.choice(free)
        found.append([at, place, name, "cyc" if name in numbers and rng.random() < 0.3 else ""])
    return found


def _walk(stream: tuple[Instruction, ...], bound: list[str], places: list[list[str]]) -> None:
    """What is bound at each place between instructions, in order."""
    bound = list(bound)
    for instruction in stream:
        places.append(list(bound))
        if isinstance(instruction, RootIf):
            _walk(instruction.stream, bound, places)
        if isinstance(instruction, RootPrim | Const):
            bound.append(instruction.name)


def _lifted(code: RootCode, lifts: list[list[Any]]) -> RootCode:
    """A code, changed to one with lifts in it."""
    for at, one in enumerate(reached(code)):
        here = [
            (place, Lift(name, CYCLIC if to else None)) for number, place, name, to in lifts if number == at
        ]
        count = iter(range(1 << 30))

        def of(stream: tuple[Instruction, ...], here=here, count=count) -> tuple[Instruction, ...]:
            out: list[Instruction] = []
            for instruction in stream:
                place = next(count)
                out += [lift for where, lift in here if where == place]
                out.append(
                    RootIf(instruction.test, of(instruction.stream))
                    if isinstance(instruction, RootIf)
                    else instruction
                )
            return tuple(out)

        one.body = of(one.body)
    return code


# ---- the law ----


@lru_cache(maxsize=50)
def _interpreter(language: str, text: str, lifts: str) -> RootCode:
    """The interpreter with lifts in it."""
    code = read_sugar(text)["f0"] if language == "root" else LANGUAGES[language].code()
    return _lifted(code, json.loads(lifts))


@lru_cache(maxsize=50)
def _compiler(
    language: str, text: str, lifts: str, times: tuple[str, ...], integers: bool, most: int
) -> Compiler | StagingError:
    """Its compiler, or why there is none."""
    try:
        return cogen(_interpreter(language, text, lifts), ["D", *times], most=most, integers=integers)
    except StagingError as error:
        # What is kept must not keep all that the generator had made.
        return error.with_traceback(None)


def check(case: str) -> Mapping[str, int]:
    """Compile the program, and run it by every tier."""
    given = json.loads(case)
    try:
        call, residual_call, statics = _calls(given)
        key = (given["language"], given.get("text", ""), json.dumps(given["lifts"]))
        code = _interpreter(*key)
        begin = time.process_time()
        most = _MAX_VARIANTS if _may_grow(given) else _MANY_VARIANTS
        compiler = _compiler(*key, tuple(given["times"].values()), given.get("integers", False), most)
    except (KeyError, IndexError, ValueError, TypeError, TextError):
        raise NotACase(case) from None
    expected = meant(code, call)
    counts = Counter([given["language"]])
    if expected.outcome[0] in UNTOLD:
        return {expected.outcome[0]: 1}
    _demand_plain(given, expected)
    refused: StagingError | None = None
    if isinstance(compiler, StagingError):
        refused = compiler
    else:
        try:
            residual = compiler(*statics)
        except StagingError as error:
            refused = error
    try:
        demand_soon(begin, SECONDS, "compiling takes too long")
    except LateError:
        _compiler.cache_clear()  # or the second time would find it made
        raise
    if refused is not None:
        if refused.fix == "change the program that is compiled":
            if expected.outcome[0] == "value":
                raise RefusedError(f"a program with a value is refused: {refused}")
            return counts + Counter(["refused early"])
        if not _may_grow(given):
            raise RefusedError(f"a compiler that always ends is refused: {refused}")
        return counts + Counter([_why(refused)])
    for form, made in (("raw", residual), ("tidy", tidy(residual))):
        found = meant(made, residual_call)
        assert found.outcome[0] not in UNTOLD, f"{form}: {found.outcome}"
        _demand(expected, found, form, integers=given.get("integers", False))
        counts[f"{form} {found.outcome[0]}"] += 1
        tiers = ("quick",) if form == "raw" else ("quick", "llvm", "nest")
        counts += compare(made, residual_call, found, _ARENA, tiers)
    return counts


def _demand(expected: Result, found: Result, form: str, *, integers: bool) -> None:
    """The law.

    A primitive that would be refused, and whose value nobody needs, is gone when the program is tidy, and where sums
    are promised to be of integers.
    """
    if expected.outcome[0] == "value" or (form == "raw" and not integers):
        expected.demand(found, form)


def _may_grow(given: Mapping[str, Any]) -> bool:
    """Whether what is static may grow without end: by lifts, or in loops that dynamic numbers end."""
    language, times = given["language"], given["times"]
    return language == "root" or bool(given["lifts"]) or (LANGUAGES[language].grows and times["n"] == "D")


def _why(error: StagingError) -> str:
    """The class of a refusal of the generator."""
    words = {"does not end": "grows", "do not settle": "unsettled", "frames": "frames", "lift": "no lift"}
    return next((words[one] for one in words if one in str(error)), str(error))


def _demand_plain(given: Mapping[str, Any], expected: Result) -> None:
    """The interpreter in root is that in Python."""
    if given["language"] == "root":
        return
    made = LANGUAGES[given["language"]]
    if made.plain is None:
        return
    words = _WORDS.copy()
    args = [
        given["program"]
        if value is None and name == "program"
        else Memory("m", 8, words)
        if value is None
        else value
        for name, value in _values(given).items()
    ]
    try:
        found = Result(outcome(lambda: dynamic_data(made.plain(*args), "lines")), words)
    except (PellucidError, ArithmeticError, LookupError, TypeError, ValueError):
        found = Result(("refused", None), words)
    expected.demand(found, "Python")


def _values(given: Mapping[str, Any]) -> dict[str, Any]:
    """The values of parameters; those of cyclic ones are quotients so far."""
    out = dict(given["values"])
    for name, (base, remainder) in given["cyclic"].items():
        out[name] = out[name] * base + remainder
    return out


def _calls(given: Mapping[str, Any]) -> tuple[Call, Call, list[Any]]:
    """The interpreter's call, that of what is compiled, and the static values."""
    memory = Memory("m", 8)
    values, times = _values(given), given["times"]
    if values.keys() != times.keys():
        raise NotACase(given)
    program = LANGUAGES[given["language"]].data(given["program"]) if given["language"] != "root" else None
    args, kinds, dynamics, late, statics = [], [], [], [], []
    for name, time_ in times.items():
        value = values[name]
        if name in ("m", "packet"):
            value, kind = None, memory
        elif value is None:
            value, kind = (program if name in ("e", "prog", "program") else None), "data"
        else:
            kind = "data" if isinstance(value, list) else "integer"
            value = linked(*value) if isinstance(value, list) else value
        args.append(value)
        kinds.append(kind)
        if time_ == "cyc":
            statics.append(tuple(given["cyclic"][name]))
            dynamics.append(given["values"][name])
            late.append("integer")
        elif time_ == "D list":
            statics.append(value)
            dynamics += given["values"][name]
            late += ["integer"] * len(given["values"][name])
        elif time_ == "D":
            dynamics.append(value)
            late.append(kind)
        elif time_ == "S":
            statics.append(value)
    return Call(args, kinds, memory, _WORDS), Call(dynamics, late, memory, _WORDS), statics


# ---- smaller cases ----


def shrink(case: str) -> Iterator[str]:
    """Fewer lines, lifts and instructions, smaller values, and what is dynamic for what is not."""
    given = json.loads(case)

    def other(**changed: Any) -> str:
        return json.dumps({**given, **changed})

    for at in range(len(given["lifts"])):
        yield other(lifts=given["lifts"][:at] + given["lifts"][at + 1 :])
    if "text" in given:
        lines = given["text"].split("\n")
        for size in (8, 4, 2, 1):
            for at in range(0, len(lines), size):
                yield other(text="\n".join(lines[:at] + lines[at + size :]))
    elif isinstance(given["program"], list):
        for smaller in _smaller(given["program"]):
            yield other(program=smaller)
    for name, one in given["times"].items():
        may = given["language"] == "root" or "D" in LANGUAGES[given["language"]].params[name].times
        if may and one in ("S", "cyc") and isinstance(given["values"][name], int):
            yield other(
                times={**given["times"], name: "D"},
                cyclic={k: v for k, v in given["cyclic"].items() if k != name},
            )
    for name, value in given["values"].items():
        for less in (
            [0, 1, value // 2] if isinstance(value, int) else [value[1:]] if isinstance(value, list) else []
        ):
            if less != value:
                yield other(values={**given["values"], name: less})


def _smaller(program: list[Any]) -> Iterator[list[Any]]:
    """Programs with an element less, or with an element's part in its place."""
    for at, one in enumerate(program):
        yield program[:at] + program[at + 1 :]
        if isinstance(one, list):
            for part in one:
                if isinstance(part, list):
                    yield [*program[:at], part, *program[at + 1 :]]
            for less in _smaller(one):
                yield [*program[:at], less, *program[at + 1 :]]
        elif isinstance(one, int) and one:
            yield [*program[:at], 0, *program[at + 1 :]]
