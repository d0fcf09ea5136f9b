"""The compiler generator: a code and binding times to a compiler (Draves 1996).

`cogen` writes an extension for each code and pattern of times that is reached (polyvariance), until there is no new
one, and compiles the Python text of them all. What comes out is an ordinary object that is called on static values.
"""

from __future__ import annotations

import os
import re
import threading
import time as clock
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast, overload

from pellucid.base.errors import StagingError
from pellucid.base.gc_pause import gc_paused
from pellucid.base.kinds import TRUTH, ArgumentKind, takes, whole
from pellucid.staging.cogen.arguments import shaped
from pellucid.staging.cogen.extension import Extension
from pellucid.staging.cogen.frames import FrameError, follow_half, follow_pair
from pellucid.staging.cogen.growths import EndlessError, GrowthError, growths, unsettled
from pellucid.staging.cogen.session import PLAIN, CompilerSession, new
from pellucid.staging.cogen.values import TimedValue, Watch, lifted_closures
from pellucid.staging.root.primitives import PRIMITIVES, applied, primitive
from pellucid.staging.root.program import Const, Instruction, Jump, Pair, RootCode, RootIf, RootPrim, check
from pellucid.staging.times.lattice import CYCLIC, DYNAMIC, Time, TimeGraph
from pellucid.staging.times.text import times_of

if TYPE_CHECKING:
    from pellucid.staging.cogen.body import Body

_MAX_PATTERNS = 400
"""Patterns of one code. Those of the interpreters in the tests have up to 260; 400 take about a second."""
_MAX_WORK = 250_000
"""Parts of binding times that instructions take, in all patterns. What settles takes up to 200,000: a second."""
_UNPRINTABLE = re.compile(r"[^ -~]")
_FUNCTIONS = "BJMC"
"""The functions of an extension that others call."""
_CROWDED_THRESHOLD = 40
"""Patterns of one code, from which on its continuations are generalized: they would be permutations of each other."""


class Generator:
    """One run of `cogen`."""

    def __init__(self, *, integers: bool, most: int, deepest: int, watch: Watch | None = None) -> None:
        self.integers = integers
        self.watch = watch
        self.session = CompilerSession(most, deepest)
        self.trace: list[Extension | tuple[Time, Time]] = []
        """The extensions, and the lifts that made structures or stacks: from which time to which."""
        self.extensions: list[Extension] = []
        self.closed: set[Extension] = set()
        self.closes_all = False
        self.cyclic = False
        self.made: dict[Any, RootCode] = {}
        self.calls: dict[Any, tuple[Instruction, ...]] = {}
        self.copied: dict[RootCode, str] = {}
        """The codes that go on with a closure that a lifter has lifted, and what it was."""
        self._bodies: list[Body] = []
        self._again: dict[Extension, None] = {}
        """Extensions to write once more, since lifted closures came to them after they were written."""
        self._by_pattern: dict[tuple[RootCode, tuple[Time, ...]], Extension] = {}
        self._patterns: Counter[RootCode] = Counter()
        self._work = 0
        self._names: Counter[str] = Counter()
        self._globals: dict[int, str] = {}
        self._kept: list[Any] = []
        self.namespace: dict[str, Any] = {
            "rt": self.session,
            "table": self.session.table,
            "known": self.session.known,
            "follow_half": follow_half,
            "follow_pair": follow_pair,
            "waiting": self.session.waiting,
            "new": new,
            "applied": _applied,
            "named": _named,
            "no_pair": _no_pair,
            "whole": _whole,
            "integer": _integer,
            "shift": PRIMITIVES["<<"].meaning,
            "apart": _apart,
            "PLAIN": PLAIN,
            "Pair": Pair,
            "Prim": RootPrim,
            "Const": Const,
            "If": RootIf,
            "Jump": Jump,
        }

    def global_of(self, value: Any) -> str:
        """The name of an object among the globals of extensions."""
        name = self._globals.get(id(value))
        if name is None:
            name = self._globals[id(value)] = f"G_{len(self._globals)}"
            self.namespace[name] = value
            self._kept.append(value)
        return name

    def code_name(self, code: RootCode) -> str:
        """A name for a code that is made of another one."""
        stem = code.name.split("'")[0]
        self._names[stem] += 1
        return f"{stem}'{self._names[stem]}"

    def is_crowded(self, code: RootCode) -> bool:
        """Whether a code has so many patterns that continuations in continuations become control stacks for it."""
        return self._patterns[code] > _CROWDED_THRESHOLD

    def closes(self, owner: Extension) -> None:
        """Take note that an extension is called as a residual closure."""
        self.closed.add(owner)

    def extension(self, code: RootCode, times: tuple[Time, ...]) -> Extension:
        """The extension of a code for a pattern of times."""
        if (owner := self._by_pattern.get((code, times))) is not None:
            return owner
        if len(times) != len(code.params):
            text = f"{len(times)} times for {len(code.params)} parameters"
            raise StagingError(text, place=code.name, fix="give one for each")
        if not self._patterns[code]:
            check(code)
        owner = Extension(code, times, len(self.extensions))
        if code in self.copied:
            owner.lifted["$r",] = self.copied[code]
        self.extensions.append(owner)
        self._by_pattern[code, times] = owner
        self.trace.append(owner)
        self._patterns[code] += 1
        if self._patterns[code] > _MAX_PATTERNS:
            self._unsettled(code)
        return owner

    def hand(self, owner: Extension, args: Iterable[TimedValue]) -> None:
        """Take note of the closures that are lifted already among the first arguments of an extension."""
        for name, value in zip(owner.code.params, args, strict=False):
            for path, closure in lifted_closures(value):
                if (name, *path) not in owner.lifted:
                    owner.lifted[name, *path] = closure
                    if owner.number < len(self._bodies):
                        self._again[owner] = None

    def spend(self, values: Iterable[TimedValue]) -> None:
        """Count an instruction in a pattern by the parts of the binding times that it takes.

        Raises StagingError where there are so many that no end is near.
        """
        self._work += sum(len(one.time.nodes) if isinstance(one.time, TimeGraph) else 1 for one in values)
        if self._work > _MAX_WORK:
            self._unsettled(max(self._patterns, key=self._patterns.__getitem__))

    def _unsettled(self, code: RootCode) -> None:
        """Raise the error of a code whose patterns do not settle."""
        raise unsettled(code, [owner.times for owner in self.extensions if owner.code is code])

    def lifter(self, time: Time, to: Time) -> RootCode:
        """The code that lifts structures of a time, made by the lift compiler."""
        from pellucid.staging.cogen.lifts import lifter

        self.trace.append((time, to))
        return lifter(time, to)

    def finish(self) -> list[str]:
        """Write all extensions; the Python text of each, which is compiled as it is needed."""
        from pellucid.staging.cogen.body import Body, leaves_of
        from pellucid.staging.cogen.wrapping import wrapped

        bodies = self._bodies
        while len(bodies) < len(self.extensions) or self._again:
            if len(bodies) < len(self.extensions):
                bodies.append(Body(self, self.extensions[len(bodies)]))
                continue
            owner = self._again.popitem()[0]
            known = len(self.trace)
            bodies[owner.number] = Body(self, owner)
            # Its lifts are in the list already.
            self.trace[known:] = [one for one in self.trace[known:] if isinstance(one, Extension)]
        self.cyclic = any(CYCLIC in owner.times for owner in self.extensions) or any(
            CYCLIC in (node.car, node.cdr)
            for owner in self.extensions
            for time in owner.times
            if isinstance(time, TimeGraph)
            for node in time.nodes
        )
        texts: list[str] = []
        for owner, body in zip(self.extensions, bodies, strict=True):
            text = "\n".join((body.text(), wrapped(self, owner, *leaves_of(body))))
            if not owner.branches:
                text += f"\nJ{owner.number} = B{owner.number}"
            texts.append(text)
            for letter in _FUNCTIONS:
                self.namespace[f"{letter}{owner.number}"] = self._unread(owner, text, letter)
            self._bind(owner)
        return texts

    def _unread(self, owner: Extension, text: str, letter: str) -> Callable[..., Any]:
        """A function that compiles the text of its extension when it is first called, and is replaced then.

        Compiling takes most of the time, and many patterns are never met.
        """

        def read(*args: Any) -> Any:
            if self.namespace[name] is read:
                self.namespace.pop(f"C{owner.number}")
                exec(compile(text, f"<{owner!r}>", "exec"), self.namespace)  # noqa: S102 - the generator's own text
                self._bind(owner)
            return self.namespace[name](*args)

        name = f"{letter}{owner.number}"
        return read

    def _bind(self, owner: Extension) -> None:
        """Give an extension its functions."""
        number = owner.number
        owner.body, owner.jump, owner.memo = (self.namespace[f"{letter}{number}"] for letter in "BJM")
        owner.close = self.namespace.setdefault(f"C{number}", _no_closure)
        self.session.owners[owner.body] = self.session.owners[owner.jump] = owner


def _applied(name: Any, values: list[Any]) -> Any:
    """A primitive on static values, by its name."""
    return applied("apply", str(name), values)


@lru_cache(maxsize=1 << 10)
def _named(name: Any, count: int) -> str:
    """The name of a primitive that takes so many values."""
    row = primitive(str(name))
    if row.arity != count:
        raise TypeError(f"{name} takes {row.arity} values, not {count}")
    return str(name)


def _no_pair(value: Any) -> Any:
    """Raise the error of an atom whose half is asked for."""
    raise TypeError(f"no pair: {value!r}")


def _whole(value: Any) -> int:
    """A number that a cyclic integer is added to or multiplied by."""
    if not isinstance(value, int):
        raise TypeError(f"a cyclic integer with {value!r}: lift the integer first")
    return value


def _integer(value: Any) -> None:
    """Raise the error of a value that is lifted to a cyclic integer, and is none."""
    if not isinstance(value, int):
        raise TypeError(f"{value!r} is lifted to cyc, and is no integer: lift it to D")


def _apart(remainder: int, value: Any) -> int | None:
    """The difference of a remainder and a value; None for a value that no integer equals."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return remainder - value if isinstance(value, int) else None


def _no_closure(*_: Any) -> str:
    """Raise the error of a control stack that is lifted, but cannot be entered from residual code."""
    raise TypeError("a control stack that returns structures cannot be lifted to dynamic")


class Compiler:
    """A compiler that `cogen` made: call it on the static values of a program.

    It takes one value for each parameter that is not dynamic or constant: for a static one the value, for a cyclic one
    base and remainder, for a structure any value of that structure, whose dynamic parts do not matter. The result is
    a code whose parameters are the dynamic leaves in order, the quotient for a cyclic one.
    """

    def __init__(
        self,
        code: RootCode,
        times: tuple[Time, ...],
        *,
        integers: bool,
        most: int,
        deepest: int,
        watch: Watch | None = None,
    ) -> None:
        begin = clock.perf_counter()
        generator = Generator(integers=integers, most=most, deepest=deepest, watch=watch)
        self.code = code
        self.times = times
        self.options = {"integers": integers, "most": most, "deepest": deepest}
        """What `cogen` was told besides the times."""
        with gc_paused():
            self._entry = generator.extension(code, times)
            self._texts = generator.finish()
        self._trace = generator.trace
        self.extensions = generator.extensions
        self._session = generator.session
        self._lock = threading.Lock()
        self.seconds = clock.perf_counter() - begin
        """The time that `cogen` took."""

    @property
    def source(self) -> str:
        """The Python text of its extensions, each after its name."""
        # Points and codes may be named by any text, also by one that a file holds: a comment has one line.
        names = [_UNPRINTABLE.sub("?", repr(owner)) for owner in self.extensions]
        return "\n".join(f"# {name}\n{text}" for name, text in zip(names, self._texts, strict=True))

    @cached_property
    def trace(self) -> list[str]:
        """The extensions and the lifts that made structures or stacks, in order, as in Figure 9."""
        return [repr(one) if isinstance(one, Extension) else f"{one[0]} --> {one[1]}" for one in self._trace]

    def __repr__(self) -> str:
        """The extension that it enters."""
        return f"Compiler of {self._entry!r}"

    def __call__(self, *statics: Any) -> RootCode:
        """The residual code of a program.

        Raises StagingError for an error of the interpreter's own that the program surely leads to, and where
        generation does not end.
        """
        with self._lock, gc_paused():
            return self._made(statics)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it to a file, which `load_compiler` makes it of again, also in another process.

        Raises StagingError for an interpreter with a constant or a time that has no text.
        """
        from pellucid.staging.cogen.saving import save

        save(path, self)

    def _made(self, statics: Sequence[Any]) -> RootCode:
        session = self._session
        session.begin()
        leaves, names = self._leaves(statics)
        code = RootCode(self.code.name, tuple(names))
        stream: list[Instruction] = []
        session.streams[code] = stream
        session.waiting.append((self._entry.body, (stream, *leaves)))
        try:
            session.work()
        except GrowthError as error:
            raise EndlessError(error, growths(session)) from None
        except FrameError as error:
            raise error.told() from None
        except RecursionError:
            message = f"{self.code.name}: a static structure is nested too deep"
            raise EndlessError(GrowthError(message, "nest its lists along cdr"), growths(session)) from None
        session.finish(code)
        session.begin()
        _certain(code)
        return code

    def _leaves(self, statics: Sequence[Any]) -> tuple[list[Any], list[str]]:
        """The leaves of the entry's arguments, and the parameters of the residual code."""
        wanted = [name for name, time in zip(self.code.params, self.times, strict=True) if _asks(time)]
        if len(statics) != len(wanted):
            raise StagingError(
                f"{len(statics)} static values, where {len(wanted)} are asked for",
                place=self.code.name,
                fix=f"give {', '.join(wanted) or 'none'}",
            )
        names: list[str] = []
        leaves: list[Any] = []
        given = iter(statics)
        for param, time in zip(self.code.params, self.times, strict=True):

            def name(stem: str = param) -> str:
                names.append(self._session.name(f"{stem}_"))
                return names[-1]

            leaves += shaped(time, next(given) if _asks(time) else None, name, f"{self.code.name}: {param}")
        return leaves, names


def _asks(time: Time) -> bool:
    """Whether a compiler wants a value for a parameter."""
    return time is not DYNAMIC and not time.is_fixed


def _certain(code: RootCode) -> None:
    """Raise the error that a code leads to without a test before it."""
    seen: set[RootCode] = set()
    while code not in seen:
        seen.add(code)
        known: dict[str, Any] = {}
        for instruction in code.body:
            if isinstance(instruction, Const):
                known[instruction.name] = instruction.value
            elif isinstance(instruction, RootPrim):
                if instruction.primitive == "error" and instruction.args[0] in known:
                    message = str(known[instruction.args[0]])
                    raise StagingError(message, fix="change the program that is compiled")
            elif isinstance(instruction, RootIf):
                return
            elif isinstance(instruction, Jump) and isinstance(
                found := known.get(instruction.target), RootCode
            ):
                code = found


MadeCompiler_co = TypeVar("MadeCompiler_co", covariant=True)


class Generable(Protocol[MadeCompiler_co]):
    """An interpreter in another language than root, which knows how its compiler is made."""

    def compiler(
        self, times: Iterable[Time | str], named: Mapping[str, Time | str], **options: Any
    ) -> MadeCompiler_co:
        """The compiler for binding times."""
        ...


_INTERPRETER = ArgumentKind(
    "an interpreter",
    lambda thing: isinstance(thing, RootCode) or hasattr(thing, "compiler"),
    "give a code of root, or a function in Python that is marked by `interpreter`",
)
_TIMES = ArgumentKind(
    "a sequence of binding times",
    lambda thing: (
        isinstance(thing, Sequence)
        and all(isinstance(one, Time | str) for one in cast("Sequence[object]", thing))
    ),
    "give a time for each parameter, in order",
)


@overload
def cogen(
    code: RootCode,
    times: Iterable[Time | str],
    /,
    *,
    integers: bool = False,
    most: int = 10_000,
    deepest: int = 300,
) -> Compiler: ...
@overload
def cogen(
    code: Generable[MadeCompiler_co],
    times: Iterable[Time | str] = (),
    /,
    *,
    integers: bool = False,
    most: int = 10_000,
    deepest: int = 300,
    **named: Time | str,
) -> MadeCompiler_co: ...
@takes(code=_INTERPRETER, times=_TIMES, integers=TRUTH, most=whole(1), deepest=whole(1))
def cogen(
    code: RootCode | Generable[Any],
    times: Iterable[Time | str] = (),
    /,
    *,
    integers: bool = False,
    most: int = 10_000,
    deepest: int = 300,
    **named: Time | str,
) -> Any:
    """The compiler of an interpreter: a code, or a function in Python, with a binding time for each parameter.

    A function in Python is marked by `interpreter`, and its binding times are given by the names of its parameters:
    `cogen(run, program=STATIC, x=DYNAMIC)`.

    Parameters: `integers` promises that sums and products of dynamic and static values are of integers, which are
    cyclic then; `most` bounds the residual codes of one extension, `deepest` the frames of a control stack. Raises
    StagingError where times contradict each other, or do not settle.

    >>> from pellucid.staging.root.machine import run
    >>> from pellucid.staging.root.reading import read_sugar
    >>> power = read_sugar('''
    ... power(k n x y) {
    ...   if (zero? n) (car k)(k y)
    ...   power(k (- n 1) x (* x y))
    ... }''')["power"]
    >>> compiler = cogen(power, ["D", "S", "D", "D"])
    >>> run(compiler(5), 2, 1)
    32
    """
    if not isinstance(code, RootCode):
        return code.compiler(times, named, integers=integers, most=most, deepest=deepest)
    if named:
        raise StagingError(
            f"binding times by name: {', '.join(named)}",
            place=code.name,
            fix="give a list of times, in order",
        )
    found = times_of(times)
    if len(found) != len(code.params):
        raise StagingError(
            f"{len(found)} times for {len(code.params)} parameters", place=code.name, fix="give one for each"
        )
    return Compiler(code, found, integers=integers, most=most, deepest=deepest)
