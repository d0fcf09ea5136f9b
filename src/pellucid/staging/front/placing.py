"""Errors of the compiler generator in the words of a Python function: its line, its variable, and what to write.

Codes are named by function and line, so a code that an error is about leads to a place in the file.
"""

from __future__ import annotations

import re

from pellucid.base.errors import InputError, StagingError
from pellucid.staging.cogen.growths import EndlessError, Growth, UnsettledError
from pellucid.staging.front.inference import Inference
from pellucid.staging.front.loops import RANGE
from pellucid.staging.front.source import Source

_CODE = re.compile(r"([A-Za-z_][\w.]*):(\d+)")
_NO_ITEM = "no such item, or an item of what has none"
_WORDS = {
    "$k": "the continuation", "a half of what is no pair": _NO_ITEM, "no pair: None": _NO_ITEM, "imod: ": "%: ",
    "idiv: ": "//: ", "integer-of: ": "int: ",
}  # fmt: skip
"""What the generator says, in the words of Python."""
_CONTINUATIONS = {"$k", "$self"}
"""What a code goes on with, or is the rest of."""
_PREFIX = re.compile(r"(\S+:\d+): (.*)", re.DOTALL)


def placed(error: StagingError, entry: Source, inference: Inference) -> StagingError:
    """An error of the generator for the one who wrote the interpreter."""
    own = _by_name(inference)
    if isinstance(error, EndlessError):
        told = _deep(error, own) if error.stack else _endless(error, own, inference)
        if told is not None:
            return told
    place, message = error.place or "", error.message
    if place.startswith(f"{entry.name}: "):
        # The place of a static value ends with its parameter.
        name = place.rpartition(": ")[2]
        return StagingError(f"{name}: {message}", place=f"{entry.file}:{entry.tree.lineno}", fix=error.fix)
    prefix = _PREFIX.fullmatch(message)
    if prefix and prefix[1].rpartition(":")[0] == entry.file:
        return StagingError(prefix[2], place=prefix[1], fix=error.fix)
    found = _CODE.match(place or message)
    name = found[1] if found else (place or message.partition(":")[0]).partition("'")[0]
    source = own.get(name, entry)
    line = int(found[2]) if found and name in own else source.tree.lineno
    if found and not place:
        message = message[found.end() :].removeprefix(":").strip()
    for word, instead in _WORDS.items():
        message = message.replace(word, instead)
    shown = f"{name}: {message}" if name in own and place else message
    fix = _lifted(error.names, source) if isinstance(error, UnsettledError) and name in own else error.fix
    return StagingError(shown, place=f"{source.file}:{line}", fix=fix)


def placed_input(error: InputError, inference: Inference) -> InputError:
    """An error of what the program is given, at the line of the interpreter that reads it, where that is known."""
    found = _split(error.place or "", _by_name(inference))
    if found is None:
        return error
    source, line = found
    return InputError(f"{source.name}: {error.message}", place=f"{source.file}:{line}", fix=error.fix)


def _by_name(inference: Inference) -> dict[str, Source]:
    return {source.name: source for source in inference.sources.values()}


def _lifted(names: tuple[str, ...], source: Source) -> str:
    """What to write where the binding times of some variables do not settle: the first one of them is lifted."""
    first = next((one for one in names if "$" not in one), "")
    if not first:
        return "lift what the line tests"
    where = f"as the first line of {source.name}" if first in source.params else "where it is bound"
    return f"lift {first}: write {first} = lift({first}) {where}"


def placed_loaded(error: StagingError, file: str, line: int) -> StagingError:
    """An error of a compiler that was loaded: the line is that of the code whose name begins the message."""
    found = _CODE.match(error.message)
    place, message = f"{file}:{found[2] if found else line}", error.message
    prefix = _PREFIX.fullmatch(message)
    if prefix and prefix[1].rpartition(":")[0] == file:
        place, message = prefix[1], prefix[2]
    elif found:
        message = message[found.end() :].removeprefix(":").strip()
    return StagingError(message, place=place, fix=error.fix)


def _split(code: str, own: dict[str, Source]) -> tuple[Source, int] | None:
    """The function and the line that a code is named by, the first line for its entry; None for one of the library."""
    if code in own:
        return own[code], own[code].tree.lineno
    found = _CODE.match(code)
    if found is None or found[1] not in own:
        return None
    return own[found[1]], int(found[2])


def _deep(error: EndlessError, own: dict[str, Source]) -> StagingError | None:
    """The error of a recursion that is unfolded too deep."""
    found = _split(error.stack, own)
    if found is None:
        return None
    source, line = found
    return StagingError(
        f"{source.name}: the call in {_text(source, line)!r} is unfolded without end, since a dynamic test "
        "ends the recursion",
        place=f"{source.file}:{line}",
        fix="write dynamic_call(...) around that call, so that the program makes it, or make the test static",
    )


def _text(source: Source, line: int) -> str:
    """A line of a function."""
    return source.lines[line - source.first].strip()


def _endless(error: EndlessError, own: dict[str, Source], inference: Inference) -> StagingError | None:
    """The error of a loop that is unrolled without end: what grows is said of the code that is made most often."""
    empty: tuple[Source, int] | None = None
    after: tuple[Source, int] | None = None
    counts = goes_on = False
    for growth in error.growths:
        found = _split(growth.code, own)
        names = [one for one in growth.names if "$" not in one]
        if found is not None and names:
            return _grown(growth, names, *found, inference)
        if after is None and growth.names == ("$self",):
            after = found
        if empty is None and found is not None:
            empty, counts = found, any(one.startswith(RANGE) for one in growth.names)
            goes_on = bool(growth.names) and not {*growth.names} - _CONTINUATIONS
    if empty is None:
        return _searched(own, inference)
    source, line = empty
    if counts:
        return StagingError(
            f"{source.name}: the loop over a range is unrolled, and the range is too long for that",
            place=f"{source.file}:{line}",
            fix="lift its end, so that the program counts: range(lift(n))",
        )
    if goes_on and after is not None:
        source, line = after
        return StagingError(
            f"{source.name}: the call in {_text(source, line)!r} is unfolded without end or too often, each time with "
            "other code after it",
            place=f"{source.file}:{line}",
            fix="give a smaller program, or write dynamic_call(...) around that call, so that the calls share one code",
        )
    if goes_on:
        return StagingError(
            f"{source.name}: calls of it are unfolded without end or too often, each with other code after it",
            place=f"{source.file}:{line}",
            fix=f"give a smaller program, or write dynamic_call({source.name}(...)), so that the calls share one code",
        )
    return StagingError(
        f"{source.name}: the loop is unrolled without end, and nothing changes in it",
        place=f"{source.file}:{line}",
        fix="give the loop a test that ends it, or lift what it tests",
    )


def _searched(own: dict[str, Source], inference: Inference) -> StagingError | None:
    """The error of items that are looked for without end: it names the first lists that are changed."""
    for source in own.values():
        kinds = {name: inference.kinds.variable(source.function, name).root for name in sorted(source.locals)}
        names = [name for name, kind in kinds.items() if kind.mutated and "list" in kind.forms]
        first, shown = "".join(names[:1]), " and ".join(names[:3])
        if first:
            return StagingError(
                f"{source.name}: the loop is unrolled without end: there are ever new items of {shown}",
                place=f"{source.file}:{source.tree.lineno}",
                fix=f"end the loop at something static, or lift what grows: {first} = lift({first}) before the loop",
            )
    return None


def _grown(growth: Growth, names: list[str], source: Source, line: int, inference: Inference) -> StagingError:
    """The error of variables that have ever new values at a line."""
    first, shown = names[0], " and ".join(names[:3])
    seen = f" (such as {', '.join(growth.samples)})" if growth.samples else ""
    forms = inference.kinds.variable(source.function, first).root.forms
    if forms & {"list", "tuple", "dict", "object"}:
        fix = f"end the loop at something static, or lift {first}: write {first} = lift({first}) before the loop"
    else:
        fix = f"lift {first}: write {first} = lift({first}) before the loop"
        if source.times_set(first) > 1:
            fix = f"lift {first} where it is set, before the loop and in it: {first} = lift(...)"
    return StagingError(
        f"{source.name}: the loop is unrolled without end: there are ever new values of {shown}{seen}",
        place=f"{source.file}:{line}",
        fix=fix,
    )
