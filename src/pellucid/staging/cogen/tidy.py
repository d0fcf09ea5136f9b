"""Residual programs made small: dead values and parameters dropped, codes that do the same united, jumps spliced.

The steps come in this order. Codes that differ in what is dead are alike only after it is dropped; and a code that two
others jump to, which turn out to be one, is jumped to once.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

from pellucid.staging.cogen.extension import key_of
from pellucid.staging.root.primitives import primitive
from pellucid.staging.root.program import Code, Const, If, Instruction, Jump, Lift, Prim
from pellucid.staging.root.writing import reached

_DEEPEST = 20
"""Tests inside of tests that splicing makes; what is deeper stays a jump."""


class Go(NamedTuple):
    """A jump to a code that is known."""

    code: Code
    args: tuple[str, ...]


Step: TypeAlias = "Instruction | Go"
Steps: TypeAlias = tuple[Any, ...]


def tidy(code: Code) -> Code:
    """The same program with less in it; the parameters of its entry stay.

    >>> from pellucid.staging.root.reading import read_sugar
    >>> from pellucid.staging.root.writing import write_sugar
    >>> text = '''
    ... f(k x y) {
    ...   z = (+ x y)
    ...   g(k x z)
    ... g(k x y) {
    ...   (car k)(k x)'''
    >>> print(write_sugar(tidy(read_sugar(text)["f"])))
    f(k x y) {
      (car k)(k x)
    }
    """
    codes = reached(code)
    bodies = {one: _Named(one).steps() for one in codes}
    params = {one: one.params for one in codes}
    bodies, params = _without_dead(code, bodies, params)
    bodies, params, code = _united(code, bodies, params)
    bodies = _spliced(code, bodies, params)
    return _built(code, bodies, params)


class _Named:
    """Takes a body to steps in which each variable is bound once, copies are gone, and jumps name their codes."""

    def __init__(self, code: Code) -> None:
        self._code = code
        self._seen = set(code.params)
        self._count = 0

    def steps(self) -> Steps:
        """The steps of the body."""
        return self._stream(self._code.body, {name: name for name in self._code.params}, {}, {})

    def _new(self, name: str) -> str:
        """A variable that is not bound yet."""
        while name in self._seen:
            self._count += 1
            name = f"{name.rstrip('0123456789')}{self._count}"
        self._seen.add(name)
        return name

    def _stream(
        self, stream: Steps, names: dict[str, str], codes: dict[str, Code], constants: dict[Any, str]
    ) -> Steps:
        """The steps of a stream; `codes` are the variables that hold one, `constants` those that hold a constant."""
        names, codes, constants = dict(names), dict(codes), dict(constants)
        out: list[Any] = []
        for instruction in stream:
            match instruction:
                case Const(name, value):
                    key = (value.__class__, key_of(value))
                    if key not in constants:
                        constants[key] = self._new(name)
                        out.append(Const(constants[key], value))
                    names[name] = constants[key]
                    if isinstance(value, Code):
                        codes[constants[key]] = value
                case Prim(name, "identity", (one,)):
                    names[name] = names[one]
                case Prim(name, word, args, point):
                    read = tuple(names[one] for one in args)
                    names[name] = self._new(name)
                    out.append(Prim(names[name], word, read, point))
                case If(test, inner):
                    out.append(If(names[test], self._stream(inner, names, codes, constants)))
                case Jump(target, args):
                    read = tuple(names[one] for one in args)
                    found = codes.get(names[target])
                    out.append(Go(found, read) if found is not None else Jump(names[target], read))
                case Lift(name, to, args, delay):
                    # What is known of a variable changes here, and not of those that are equal to it.
                    read = tuple(names[one] for one in args)
                    before = names[name]
                    names[name] = self._new(name)
                    out += [Prim(names[name], "identity", (before,)), Lift(names[name], to, read, delay)]
                case _:
                    pass
        return tuple(out)


Bodies: TypeAlias = dict[Code, Steps]
Params: TypeAlias = dict[Code, tuple[str, ...]]


def _walk(steps: Steps) -> list[Any]:
    """All steps of a stream and of those in it."""
    found: list[Any] = []
    waiting = [steps]
    while waiting:
        for step in waiting.pop():
            found.append(step)
            if isinstance(step, If):
                waiting.append(step.stream)
    return found


def _values(bodies: Bodies) -> set[Code]:
    """The codes that are values, whose parameters are not ours to change."""
    found: set[Code] = set()
    for steps in bodies.values():
        for step in _walk(steps):
            if isinstance(step, Const):
                found |= set(reached_in(step.value))
            elif isinstance(step, Lift) and isinstance(step.to, Code):
                found.add(step.to)
    return found


def reached_in(value: Any) -> list[Code]:
    """The codes in a constant."""
    if isinstance(value, Code):
        return [value]
    return reached(Code("", (), (Const("", value),)))[1:]


# ---- what is dead ----


def _without_dead(entry: Code, bodies: Bodies, params: Params) -> tuple[Bodies, Params]:
    """The codes without values that nothing needs, and without parameters for them."""
    # A constant that only direct jumps use is none of the code's values.
    fixed = {entry}
    for one in bodies:
        used = _needed(bodies[one], {code: set(params[code]) for code in bodies}, set(bodies))
        bodies[one] = _kept(bodies[one], used, {}, set(bodies))
    fixed |= _values(bodies)
    live: dict[Code, set[str]] = {code: set() for code in bodies}
    callers: dict[Code, set[Code]] = {code: set() for code in bodies}
    for code, steps in bodies.items():
        for step in _walk(steps):
            if isinstance(step, Go):
                callers[step.code].add(code)
    waiting = dict.fromkeys(reversed(list(bodies)))
    while waiting:
        code = next(iter(waiting))
        del waiting[code]
        used = _needed(bodies[code], live, fixed) & set(params[code])
        if used != live[code]:
            live[code] = used
            waiting.update(dict.fromkeys(callers[code]))
    kept = {
        code: _kept(steps, _needed(steps, live, fixed), live, fixed, params) for code, steps in bodies.items()
    }
    left = {
        code: names if code in fixed else tuple(name for name in names if name in live[code])
        for code, names in params.items()
    }
    return kept, left


def _needed(steps: Steps, live: dict[Code, set[str]], fixed: set[Code]) -> set[str]:
    """The variables that a stream needs."""
    used: set[str] = set()
    for step in reversed(steps):
        match step:
            case Go(code, args):
                keep = live[code]
                if code in fixed:
                    used |= set(args)
                else:
                    used |= {one for name, one in zip(code.params, args, strict=True) if name in keep}
            case Jump(target, args):
                used |= {target, *args}
            case If(test, inner):
                used |= {test} | _needed(inner, live, fixed)
            case Lift(name, _, args):
                if name in used:
                    used |= set(args)
            case Prim(name, _, args):
                if name in used or _stays(step):
                    used |= set(args)
            case _:
                pass
    return used


def _stays(prim: Prim) -> bool:
    """Whether a primitive has an effect that remains without its value."""
    return primitive(prim.primitive).effect in ("writes", "stops")


def _kept(
    steps: Steps, used: set[str], live: dict[Code, set[str]], fixed: set[Code], params: Params | None = None
) -> Steps:
    """A stream without what is not used."""
    out: list[Any] = []
    for step in steps:
        match step:
            case Prim(name) if name not in used and not _stays(step):
                continue
            case Const(name) | Lift(name) if name not in used:
                continue
            case If(test, inner):
                out.append(If(test, _kept(inner, used, live, fixed, params)))
            case Go(code, args) if code not in fixed:
                names = code.params
                out.append(
                    Go(code, tuple(one for name, one in zip(names, args, strict=True) if name in live[code]))
                )
            case _:
                out.append(step)
    return tuple(out)


# ---- what is alike ----


def _united(entry: Code, bodies: Bodies, params: Params) -> tuple[Bodies, Params, Code]:
    """One code of each class of the coarsest partition that jumps respect."""
    forms: dict[Code, tuple[Any, tuple[Code, ...]]] = {}
    numbers: dict[Any, int] = {}
    for code, steps in bodies.items():
        form, codes = _form(steps, params[code])
        forms[code] = (numbers.setdefault((len(params[code]), form), len(numbers)), codes)
    kinds = {code: form for code, (form, _) in forms.items()}
    count = 0
    while True:
        table: dict[Any, int] = {}
        kinds = {
            code: table.setdefault((kinds[code], form, tuple(kinds[one] for one in codes)), len(table))
            for code, (form, codes) in forms.items()
        }
        if len(table) == count:
            break
        count = len(table)
    chosen: dict[int, Code] = {kinds[entry]: entry}
    for code in bodies:
        chosen.setdefault(kinds[code], code)
    replaced = {code: chosen[kinds[code]] for code in bodies}
    return (
        {code: _renamed(bodies[code], replaced) for code in chosen.values()},
        {code: params[code] for code in chosen.values()},
        entry,
    )


def _form(steps: Steps, names: tuple[str, ...]) -> tuple[Any, tuple[Code, ...]]:
    """A stream without the names of its variables and codes, and its codes in order."""
    codes: list[Code] = []
    numbers = {name: at for at, name in enumerate(names)}

    def of(stream: Steps) -> tuple[Any, ...]:
        out: list[Any] = []
        for step in stream:
            match step:
                case Prim(name, word, args, point):
                    out.append((word, point, tuple(numbers[one] for one in args)))
                    numbers[name] = len(numbers)
                case Const(name, value):
                    if isinstance(value, Code):
                        codes.append(value)
                        out.append("code")
                    else:
                        out.append((value.__class__, key_of(value)))
                    numbers[name] = len(numbers)
                case If(test, inner):
                    out.append((numbers[test], of(inner)))
                case Go(code, args):
                    codes.append(code)
                    out.append(("go", tuple(numbers[one] for one in args)))
                case Jump(target, args):
                    out.append(("jump", numbers[target], tuple(numbers[one] for one in args)))
                case Lift(name, to, args, delay):
                    lift = to if not callable(to) or isinstance(to, Code) else id(to)
                    out.append(("lift", numbers[name], lift, tuple(numbers[one] for one in args), delay))
                case _:
                    pass
        return tuple(out)

    return of(steps), tuple(codes)


def _renamed(steps: Steps, replaced: dict[Code, Code]) -> Steps:
    """A stream with other codes for some."""
    out: list[Any] = []
    for step in steps:
        match step:
            case Const(name, value) if isinstance(value, Code):
                out.append(Const(name, replaced.get(value, value)))
            case If(test, inner):
                out.append(If(test, _renamed(inner, replaced)))
            case Go(code, args):
                out.append(Go(replaced.get(code, code), args))
            case _:
                out.append(step)
    return tuple(out)


# ---- what is jumped to once ----


def _spliced(entry: Code, bodies: Bodies, params: Params) -> Bodies:
    """The codes with those that one jump leads to in its place."""
    fixed = _values(bodies) | {entry}
    jumps = Counter(step.code for steps in bodies.values() for step in _walk(steps) if isinstance(step, Go))
    once = {code for code, number in jumps.items() if number == 1 and code not in fixed}
    made: Bodies = {}

    def of(steps: Steps, names: dict[str, str], taken: set[str], depth: int) -> Steps:
        """A stream with other names for its variables, and the codes in it that it alone jumps to."""
        out: list[Any] = []
        while True:
            last: Go | None = None
            for step in steps:
                match step:
                    case Prim(name, word, args, point):
                        read = tuple(names[one] for one in args)
                        names[name] = _apart(name, taken)
                        out.append(Prim(names[name], word, read, point))
                    case Const(name, value):
                        names[name] = _apart(name, taken)
                        out.append(Const(names[name], value))
                    case If(test, inner):
                        out.append(If(names[test], of(inner, dict(names), taken, depth + 1)))
                    case Go(code, args):
                        last = Go(code, tuple(names[one] for one in args))
                    case Jump(target, args):
                        out.append(Jump(names[target], tuple(names[one] for one in args)))
                    case Lift(name, to, args, delay):
                        out.append(Lift(names[name], to, tuple(names[one] for one in args), delay))
                    case _:
                        pass
            if last is None:
                return tuple(out)
            if last.code not in once or depth > _DEEPEST:
                waiting.append(last.code)
                return (*out, last)
            steps = bodies[last.code]
            names = dict(zip(params[last.code], last.args, strict=True))

    waiting = [entry, *(code for code in fixed if code in bodies)]
    while waiting:
        code = waiting.pop()
        if code not in made:
            made[code] = ()
            taken = set(params[code])
            made[code] = of(bodies[code], {name: name for name in params[code]}, taken, 0)
    return made


@lru_cache(maxsize=1 << 12)
def _stem(name: str) -> str:
    """A name without its number."""
    return re.sub(r"_?\d+$", "", name) or "v"


def _apart(name: str, taken: set[str]) -> str:
    """A name like another one that is not taken yet."""
    stem = _stem(name)
    found, at = stem, 1
    while found in taken:
        at += 1
        found = f"{stem}{at}"
    taken.add(found)
    return found


# ---- the result ----


def _built(entry: Code, bodies: Bodies, params: Params) -> Code:
    """New codes of steps, with names in the order in which they are reached."""
    made: dict[Code, Code] = {}
    taken: set[str] = set()
    for code in bodies:
        names = [_apart(name, taken_names) for taken_names in [set[str]()] for name in params[code]]
        made[code] = Code(code.name if code is entry else _apart(code.name, taken), tuple(names))
        if code is entry:
            taken.add(code.name)
    for code, steps in bodies.items():
        names = dict(zip(params[code], made[code].params, strict=True))
        taken_names = set(made[code].params)
        made[code].body = _body(steps, names, taken_names, made)
    return made[entry]


def _body(
    steps: Steps, names: dict[str, str], taken: set[str], made: dict[Code, Code]
) -> tuple[Instruction, ...]:
    """The instructions of steps."""
    out: list[Instruction] = []
    for step in steps:
        match step:
            case Prim(name, word, args, point):
                read = tuple(names[one] for one in args)
                names[name] = _apart(name, taken)
                out.append(Prim(names[name], word, read, point))
            case Const(name, value):
                names[name] = _apart(name, taken)
                out.append(Const(names[name], made.get(value, value) if isinstance(value, Code) else value))
            case If(test, inner):
                out.append(If(names[test], _body(inner, dict(names), taken, made)))
            case Jump(target, args):
                out.append(Jump(names[target], tuple(names[one] for one in args)))
            case Lift(name, to, args, delay):
                goal = made.get(to, to) if isinstance(to, Code) else to
                out.append(Lift(names[name], goal, tuple(names[one] for one in args), delay))
            case Go(code, args):
                name = _apart("j", taken)
                out += [Const(name, made[code]), Jump(name, tuple(names[one] for one in args))]
            case _:
                pass
    return tuple(out)


def size(code: Code) -> int:
    """The number of instructions of a program."""

    def of(stream: Steps) -> int:
        return sum(1 + (of(step.stream) if isinstance(step, If) else 0) for step in stream)

    return sum(of(one.body) for one in reached(code))
