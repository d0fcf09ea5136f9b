"""Residual programs made small: dead values and parameters dropped, codes that do the same united, jumps spliced.

The steps come in this order. Codes that differ in what is dead are alike only after it is dropped; and a code that two
others jump to, which turn out to be one, is jumped to once. Each step goes through the program once: variables are
numbers in it, and instructions are tuples that begin with their class.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, TypeAlias

from pellucid.staging.cogen.session import key_of, new
from pellucid.staging.root.primitives import primitive
from pellucid.staging.root.program import Const, Instruction, Jump, Lift, RootCode, RootIf, RootPrim
from pellucid.staging.root.writing import reached

_MAX_DEPTH = 20
"""Tests inside of tests that splicing makes; what is deeper stays a jump."""
_SCALARS = frozenset({int, str, type(None)})
"""Classes of constants that are keys beside each other: no two of different classes are equal."""

Step: TypeAlias = "tuple[Any, ...]"
"""A class and what an instruction has, with numbers for variables. A jump to a code that is known begins with Code."""


def tidy(code: RootCode) -> RootCode:
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
    program = _Program(code)
    program.unite()
    return _Writer(program).result()


class _Body:
    """A code with numbers for variables, each of which is bound once: its parameters come first."""

    __slots__ = (
        "callers", "code", "codes", "goes", "held", "is_value", "jumped", "kind", "made", "names", "params",
        "reads", "stems", "steps", "unites", "used", "values",
    )  # fmt: skip

    def __init__(self, code: RootCode) -> None:
        count = len(code.params)
        self.code = code
        self.stems: list[str] = list(code.params)
        self.reads: list[tuple[int, ...]] = [()] * count
        """The definition of each variable."""
        self.values: dict[int, Any] = {}
        """The constants among the variables."""
        self.codes: dict[int, RootCode] = {}
        """The codes that are constants or named by lifts, by the variables that these bind."""
        self.used = [False] * count
        self.steps: list[Step] = []
        self.callers: list[tuple[_Body, tuple[int, ...]]] = []
        self.is_value = False
        """Whether the code is a value, so that its parameters are not ours to change."""
        self.params: list[int] = []
        """The parameters that are left."""
        self.goes: list[_Body] = []
        """The codes that it jumps to."""
        self.held: list[_Body] = []
        """The codes that are values in it."""
        self.kind = 0
        self.unites: _Body = self
        """The code that stands for all that are alike."""
        self.jumped = 0
        self.made: RootCode | None = None
        self.names: list[str] = []


class _Program:
    """A program while it is made small: codes are numbered as they are reached, and what they need is marked."""

    def __init__(self, entry: RootCode) -> None:
        self.bodies: dict[RootCode, _Body] = {}
        self._marks: list[tuple[_Body, Iterable[int]]] = []
        self._unread: list[_Body] = []
        self.entry = self._body(entry)
        self._fix(self.entry)
        while self._unread or self._marks:
            while self._unread:
                self._number(self._unread.pop())
            self._mark()

    def _body(self, code: RootCode) -> _Body:
        """The body of a code."""
        body = self.bodies.get(code)
        if body is None:
            body = self.bodies[code] = _Body(code)
            self._unread.append(body)
        return body

    def _fix(self, body: _Body) -> None:
        """Keep all parameters of a code that is a value."""
        if not body.is_value:
            body.is_value = True
            self._marks += body.callers

    # ---- numbers for variables, copies gone, jumps to codes that are known ----

    def _number(self, body: _Body) -> None:
        """Take the instructions of a code to steps, and mark what they surely need."""
        reads, stems, values = body.reads, body.stems, body.values
        surely: list[int] = []
        first: dict[str, int] = {name: at for at, name in enumerate(body.code.params)}
        waiting: list[Any] = [(body.code.body, first, {}, body.steps)]
        while waiting:
            stream, names, known, out = waiting.pop()
            for step in stream:
                kind: Any = step.__class__
                if kind is RootPrim:
                    name, word, args, point = step
                    read = tuple([names[one] for one in args])
                    if word == "identity" and len(read) == 1:
                        names[name] = read[0]
                        continue
                    number = names[name] = len(reads)
                    reads.append(read)
                    stems.append(name)
                    out.append((RootPrim, number, word, read, point))
                    if _stays(word):
                        surely.append(number)
                elif kind is Const:
                    name, value = step
                    key = _key(value)
                    number = known.get(key)
                    if number is None:
                        number = known[key] = len(reads)
                        reads.append(())
                        stems.append(name)
                        values[number] = value
                        if key is not value and value.__class__ is RootCode:
                            body.codes[number] = value
                        out.append((Const, number, value))
                    names[name] = number
                elif kind is Jump:
                    surely += self._jump(body, names[step[0]], tuple([names[one] for one in step[1]]), out)
                elif kind is RootIf:
                    test, inner = step
                    steps: list[Step] = []
                    out.append((RootIf, names[test], steps))
                    surely.append(names[test])
                    waiting.append((inner, names.copy(), known.copy(), steps))
                else:
                    # What is known of a variable changes here, and not of those that are equal to it.
                    name, to, args, delay = step
                    read = tuple([names[one] for one in args])
                    number = len(reads)
                    out.append((Lift, number, names[name], to, read, delay))
                    reads.append((names[name], *read))
                    stems.append(name)
                    if isinstance(to, RootCode):
                        body.codes[number] = to
                    names[name] = number
        body.used += [False] * (len(reads) - len(body.used))
        self._marks.append((body, surely))

    def _jump(self, body: _Body, target: int, args: tuple[int, ...], out: list[Step]) -> Iterable[int]:
        """Append a jump; what it surely needs."""
        code: Any = body.values.get(target)
        if code.__class__ is not RootCode or len(code.params) != len(args):
            out.append((Jump, target, args))
            return (target, *args)
        to = self._body(code)
        out.append((RootCode, to, args))
        to.callers.append((body, args))
        body.goes.append(to)
        return args if to.is_value else [one for one, used in zip(args, to.used, strict=False) if used]

    # ---- what is dead ----

    def _mark(self) -> None:
        """Mark what is needed, from what is known to be."""
        marks = self._marks
        while marks:
            body, numbers = marks.pop()
            used, reads = body.used, body.reads
            params = len(body.code.params)
            waiting = list(numbers)
            while waiting:
                number = waiting.pop()
                if used[number]:
                    continue
                used[number] = True
                if number < params:
                    if not body.is_value:
                        marks += [(caller, (args[number],)) for caller, args in body.callers]
                    continue
                waiting += reads[number]
                code = body.codes.get(number)
                if code is not None:
                    self._fix(self._body(code))

    # ---- what is alike ----

    def unite(self) -> None:
        """Find the classes of the coarsest partition that jumps respect, and one code for each."""
        bodies = list(self.bodies.values())
        groups: dict[Any, list[_Body]] = {}
        for body in bodies:
            params, used = range(len(body.code.params)), body.used
            body.params = list(params) if body.is_value else [at for at in params if used[at]]
            body.held = [self.bodies[code] for number, code in body.codes.items() if used[number]]
            groups.setdefault((len(body.params), used.count(True), len(body.goes)), []).append(body)
        # Most programs have few codes of one size: what these do is compared.
        for size, sized in list(groups.items()):
            if len(sized) > 1:
                del groups[size]
                for body in sized:
                    groups.setdefault(self._form(body), []).append(body)
        crowds = _numbered(groups, 0)
        count = len(groups)
        while True:
            # A class of one code stays as it is.
            split: list[list[_Body]] = []
            before = count
            for crowd in crowds:
                parts: dict[Any, list[_Body]] = {}
                for body in crowd:
                    parts.setdefault(tuple([one.kind for one in body.goes + body.held]), []).append(body)
                split.append(crowd) if len(parts) == 1 else split.extend(_numbered(parts, count))
                count += len(parts) if len(parts) > 1 else 0
            crowds = split
            if count == before:
                break
        for crowd in crowds:
            first = self.entry if self.entry in crowd else crowd[0]
            for body in crowd:
                body.unites = first

    def _form(self, body: _Body) -> tuple[Any, ...]:
        """The form of a code, without the names of its variables and codes."""
        numbers = [0] * len(body.reads)
        for at, param in enumerate(body.params):
            numbers[param] = at
        count = len(body.params)
        used = body.used
        form: list[Any] = [count]
        waiting: list[Iterator[Step]] = [iter(body.steps)]
        while waiting:
            for step in waiting[-1]:
                kind: Any = step[0]
                if kind is RootPrim:
                    _, number, word, args, point = step
                    if used[number]:
                        numbers[number] = count
                        count += 1
                        form += (word, point, *[numbers[one] for one in args])
                elif kind is Const:
                    _, number, value = step
                    if used[number]:
                        numbers[number] = count
                        count += 1
                        form += (
                            (RootCode,) if value.__class__ is RootCode else (value.__class__, key_of(value))
                        )
                elif kind is RootCode:
                    _, to, args = step
                    form.append(RootCode)
                    form += [numbers[args[at]] for at in to.params]
                elif kind is Jump:
                    form += (Jump, numbers[step[1]], *[numbers[one] for one in step[2]])
                elif kind is RootIf:
                    form += (RootIf, numbers[step[1]])
                    waiting.append(iter(step[2]))
                    break
                else:
                    _, number, before, to, args, delay = step
                    if used[number]:
                        numbers[number] = count
                        count += 1
                        shown = RootCode if isinstance(to, RootCode) else id(to) if callable(to) else to
                        form += (Lift, numbers[before], shown, *[numbers[one] for one in args], delay)
            else:
                waiting.pop()
        return tuple(form)


def _numbered(groups: dict[Any, list[_Body]], count: int) -> list[list[_Body]]:
    """Give the codes of each group a number; the groups of more than one code."""
    for number, group in enumerate(groups.values(), count):
        for body in group:
            body.kind = number
    return [group for group in groups.values() if len(group) > 1]


def _key(value: Any) -> Any:
    """A key of a constant."""
    return value if value.__class__ in _SCALARS else (value.__class__, key_of(value))


@lru_cache(maxsize=1 << 10)
def _stays(word: str) -> bool:
    """Whether a primitive has an effect that remains without its value."""
    return primitive(word).effect in ("writes", "stops")


# ---- what is jumped to once, and the result ----


class _Writer:
    """Writes codes of steps, with those that one jump leads to in its place, and names in order."""

    def __init__(self, program: _Program) -> None:
        self._bodies = program.bodies
        self._entry = program.entry
        self._waiting: list[_Body] = []
        self._taken = {program.entry.code.name}
        self._stems: dict[str, int] = {}
        self._count()

    def result(self) -> RootCode:
        """The code of the entry."""
        made = self._code(self._entry)
        while self._waiting:
            body = self._waiting.pop()
            stems: dict[str, int] = {}
            body.names = [""] * len(body.reads)
            for at in body.params:
                body.names[at] = _apart(body.stems[at], stems)
            code = self._code(body)
            code.params = tuple([body.names[at] for at in body.params])
            code.body = self._stream(body, body.steps, stems, {}, 0)
        return made

    def _count(self) -> None:
        """Count the jumps to codes; one that is a value is never put in a jump's place."""
        self._entry.jumped = 2
        found, waiting = {self._entry}, [self._entry]
        while waiting:
            body = waiting.pop()
            for many, codes in ((1, body.goes), (2, body.held)):
                for one in codes:
                    to = one.unites
                    to.jumped += many
                    if to not in found:
                        found.add(to)
                        waiting.append(to)

    def _code(self, body: _Body) -> RootCode:
        """The code of a body, which is written later."""
        if body.made is None:
            name = body.code.name
            if body is not self._entry:
                stem = name
                name = _apart(stem, self._stems)
                while name in self._taken:
                    name = _apart(stem, self._stems)
                self._taken.add(name)
            body.made = RootCode(name, ())
            self._waiting.append(body)
        return body.made

    def _value(self, value: Any) -> Any:
        """A constant, or what a lift leads to."""
        return self._code(self._bodies[value].unites) if value.__class__ is RootCode else value

    def _stream(
        self, body: _Body, steps: list[Step], stems: dict[str, int], known: dict[Any, str], depth: int
    ) -> tuple[Instruction, ...]:
        """The instructions of steps, and of those that they alone lead to; `known` are the constants that are bound."""
        out: list[Instruction] = []
        while True:
            self._steps(body, steps, stems, known, depth, out)
            target: Any
            kind, target, args = steps[-1]
            given: list[str] = [body.names[at] for at in args]
            if kind is Jump:
                out.append(new(Jump, (body.names[target], tuple(given))))
                return tuple(out)
            to: _Body = target.unites
            given = [given[at] for at in target.params]
            if to.jumped > 1 or depth > _MAX_DEPTH:
                link = _apart("j", stems)
                out.append(new(Const, (link, self._code(to))))
                out.append(new(Jump, (link, tuple(given))))
                return tuple(out)
            to.names = [""] * len(to.reads)
            for at, one in zip(to.params, given, strict=True):
                to.names[at] = one
            body, steps = to, to.steps

    def _steps(
        self,
        body: _Body,
        steps: list[Step],
        stems: dict[str, int],
        known: dict[Any, str],
        depth: int,
        out: list[Instruction],
    ) -> None:
        """Append the instructions of steps but the jump."""
        names: list[str] = body.names
        used: list[bool] = body.used
        own: list[str] = body.stems
        number: int
        args: tuple[int, ...]
        for step in steps:
            kind: Any = step[0]
            if kind is RootPrim:
                _, number, word, args, point = step
                if used[number]:
                    name = names[number] = _apart(own[number], stems)
                    out.append(new(RootPrim, (name, word, tuple([names[one] for one in args]), point)))
            elif kind is Const:
                _, number, value = step
                if used[number]:
                    key = _key(value)
                    found = known.get(key)
                    if found is None:
                        found = known[key] = _apart(own[number], stems)
                        out.append(new(Const, (found, self._value(value))))
                    names[number] = found
            elif kind is RootIf:
                inner = self._stream(body, step[2], stems, known.copy(), depth + 1)
                out.append(new(RootIf, (names[step[1]], inner)))
            elif kind is Lift:
                _, number, before, to, args, delay = step
                if used[number]:
                    name = names[number] = _apart(own[number], stems)
                    out.append(RootPrim(name, "identity", (names[before],)))
                    out.append(Lift(name, self._value(to), tuple([names[one] for one in args]), delay))


def _apart(name: str, stems: dict[str, int]) -> str:
    """A name like another one that is not taken yet: its letters, and their number but the first."""
    stem = name.rstrip("0123456789_") or "v"
    count = stems[stem] = stems.get(stem, 0) + 1
    return stem if count == 1 else f"{stem}{count}"


def size(code: RootCode) -> int:
    r"""The number of instructions of a program.

    >>> from pellucid.staging.root.reading import read_sugar
    >>> size(read_sugar("f(k x) {\n(car k)(k x)\n}")["f"])
    2
    """

    def of(stream: tuple[Instruction, ...]) -> int:
        return sum(1 + (of(step.stream) if isinstance(step, RootIf) else 0) for step in stream)

    return sum(of(one.body) for one in reached(code))
