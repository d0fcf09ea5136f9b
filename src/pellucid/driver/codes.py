"""Root programs in tiers: instructions put together at once, and optimized code in their place when it is ready.

All tiers are made of the same codes and give the same values as the machine, or one clear error: where an integer takes
more than 64 bits, and where more pairs live than an arena holds. Above `staging.root` and `backends.flow`.
"""

from __future__ import annotations

import struct
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias, cast

import numpy as np

from ..backends.flow.running import ARENA, Arena, FlowCode, by_llvm, by_templates
from ..backends.rows.running import RowCode, by_rows
from ..base.errors import BackendError, InputError, PellucidError, StagingError, brief
from ..base.kinds import whole
from ..ir.flow import BOOLEAN, CLOSURE, CODE, INTEGER, NIL, PAIR, REAL, TEXT, VECTOR, Graph
from ..staging import Memory
from ..staging.root.lowering import Lowered, lowered
from ..staging.root.machine import run
from ..staging.root.nests import nest, parameters
from ..staging.root.program import Pair, RootCode, linked
from ..staging.root.ranges import unchecked
from ..staging.root.sets import BOOLEANS, DATA, INTEGERS, REALS
from ..staging.specialize import bound_arrays
from .background import Background, Job
from .cache import cache
from .program import NativeProgram, compile_program
from .threads import available

Array = np.ndarray[Any, Any]
Given: TypeAlias = "str | Memory"
KINDS = {"integer": INTEGERS, "real": REALS, "boolean": BOOLEANS, "data": DATA}
"""The kinds of arguments, besides memories; data is an integer, a truth value, nil, or pairs of these."""
TIERS = ("machine", "quick", "llvm", "rows", "nest")
WHOLE_NUMBER = whole()
_LIMIT = 1 << 63
_MIN_ARENA = 1024


class CompiledCode:
    r"""A root program that is called with values for its parameters but the first, and arrays for memories.

    `tier` is how the next call runs it, and `problem` is why there is no machine code, or none that is optimized.

    >>> from pellucid.staging.root.reading import read_sugar
    >>> text = "total(k n s) {\nif (zero? n) (car k)(k s)\ntotal(k (- n 1) (+ s n))\n}"
    >>> total = compile_code(read_sugar(text)["total"], "integer", "integer")
    >>> total(100, 0)
    5050
    """

    def __init__(
        self,
        code: RootCode,
        given: Sequence[Given],
        memories: Mapping[str, Memory] | None = None,
        tier: str = "auto",
        arena: int = ARENA,
    ) -> None:
        if tier not in (*TIERS, *_CHANGING):
            raise InputError(
                f"no tier is called {tier!r}",
                place=code.name,
                fix=f"use one of {', '.join((*TIERS, *_CHANGING))}",
            )
        if arena < _MIN_ARENA:
            raise InputError(f"an arena of {arena} bytes", place=code.name, fix=f"give at least {_MIN_ARENA}")
        if len(given) != len(code.params) - 1:
            raise InputError(
                f"{len(given)} kinds for {len(code.params) - 1} parameters",
                place=code.name,
                fix="give one each",
            )
        self.code, self.given, self.arena, self.problem = code, tuple(given), arena, ""
        self.memories = dict(memories or {})
        self.calls = 0
        self.wanted = tier
        self._lowered: Lowered | None = None
        self._compiled: FlowCode | None = None
        self._rows: RowCode | None = None
        self.program: NativeProgram | None = None
        if tier != "machine":
            self._begin(tier)

    def _begin(self, tier: str) -> None:
        """Make the first code, or know why there is none."""
        kinds = [one if isinstance(one, Memory) else _kind(one, self.code.name) for one in self.given]
        try:
            self._lowered = lowered(self.code, kinds, memories=self.memories)
            if tier in ("rows", "arrays"):
                self._begin_by_rows(self._lowered.graph, tier)
            elif tier == "nest":
                self._finish_nest(self._lowered)
            elif tier == "llvm":
                self.finish()
            else:
                self._compiled = self._first(self._lowered.graph, tier)
        except (StagingError, BackendError) as error:
            if tier != "auto":
                raise
            self.problem = str(error)

    def _begin_by_rows(self, graph: Graph, tier: str) -> None:
        """Prepared kernels, or the nest at once where a program is no loop over rows and columns."""
        try:
            self._rows = by_rows(graph, cache(), threads=available())
        except BackendError as error:
            if tier == "rows":
                raise
            self.problem = str(error)
            self.finish()

    def _finish_nest(self, form: Lowered) -> NativeProgram:
        self.program = compile_program(nest(form, self.code.params[1:]), arrays=True)
        return self.program

    def _first(self, graph: Graph, tier: str) -> FlowCode:
        """Code that is there soonest: templates, or LLVM's without optimization where there are none for it."""
        try:
            return by_templates(graph, arena=self.arena)
        except BackendError:
            if tier == "quick":
                raise
            return by_llvm(graph, level=0, store=cache(), arena=self.arena)

    @property
    def tier(self) -> str:
        """The tier of the next call."""
        if self.program is not None:
            return "nest"
        if self._rows is not None:
            return "rows"
        return "machine" if self._compiled is None else self._compiled.tier

    def finish(self) -> None:
        """Compile by LLVM what runs by templates, by rows, or by the machine."""
        if self._lowered is not None and self.wanted == "arrays":
            self._finish_nest(self._lowered)
        elif self._lowered is not None:
            self._compiled = by_llvm(unchecked(self._lowered.graph), store=cache(), arena=self.arena)

    def __call__(self, *args: Any, memories: Mapping[str, Array] | None = None) -> Any:
        """The result; memories that are parameters are arrays of words among the arguments, others are given by name.

        Raises what the program raises by the machine, and StagingError for integers of more than 64 bits, or where
        more pairs live than an arena holds.
        """
        self.calls += 1
        if (
            self.wanted in _CHANGING
            and self._lowered is not None
            and self.calls == _OFTEN
            and self.program is None
        ):
            compiler.ask(self)
        if len(args) != len(self.given):
            raise InputError(
                f"{len(args)} arguments for {len(self.given)} parameters",
                place=self.code.name,
                fix="give one each",
            )
        arrays = self._arrays(args, memories or {})
        if self.program is not None:
            return self._by_nest(self.program, args, arrays)
        if self._rows is not None and self._lowered is not None:
            return self._by_rows(self._rows, self._lowered, args, arrays)
        compiled, form = self._compiled, self._lowered
        if compiled is None or form is None:
            return self._by_machine(args, arrays)
        arena = compiled.taken() if compiled.pairs else None
        try:
            words: list[int] = []
            for one, value in zip(self.given, args, strict=True):
                words += self._words(one, value, arena)
            word, tag = compiled.run(words, [arrays[name] for name in form.graph.memories], arena)
            return _value(
                form, word, tag, lambda pair: compiled.parts(arena, pair) if arena is not None else []
            )
        finally:
            if arena is not None:
                compiled.given_back(arena)

    def _arrays(self, args: Sequence[Any], named: Mapping[str, Array]) -> dict[str, Array]:
        """Arrays by the names of their memories, as they must be."""
        found: dict[str, Array] = {}
        for one, value in zip(self.given, args, strict=True):
            if isinstance(one, Memory):
                found[one.name] = _words_of(one, value)
        for name, one in self.memories.items():
            found[one.name] = _words_of(one, named.get(name))
        if self._lowered is not None:
            for name, memory in self._lowered.memories.items():
                if name not in found and memory.data is not None:
                    found[name] = memory.data
        return found

    def _by_machine(self, args: Sequence[Any], arrays: Mapping[str, Array]) -> Any:
        memories = {name: Memory(m.name, m.word, arrays[m.name]) for name, m in self.memories.items()}
        values = [
            Memory(one.name, one.word, arrays[one.name]) if isinstance(one, Memory) else value
            for one, value in zip(self.given, args, strict=True)
        ]
        return run(self.code, *values, memories=memories)

    def _by_rows(self, code: RowCode, form: Lowered, args: Sequence[Any], arrays: Mapping[str, Array]) -> Any:
        written = [form.memories[name].buffer for name in code.stored]
        bound_arrays(form.memories, {name: arrays[name] for name in form.memories}, written)
        given = [arrays[name] for name in form.graph.memories]
        if not code.fits(given):
            if self.wanted == "arrays":
                return self._by_nest(self._finish_nest(form), args, arrays)
            raise InputError(
                "an array ends before the last element that the program reads or writes",
                place=self.code.name,
                fix="give longer arrays, or use the tier nest",
            )
        word, tag = code.run(given)
        return _value(form, word, tag, lambda _: [])

    def _by_nest(self, program: NativeProgram, args: Sequence[Any], arrays: Mapping[str, Array]) -> Any:
        residual = program.residual
        values: dict[str, Any] = {}
        if residual.kernel.params:
            named = dict(zip(parameters(self.code.params[1:]), args, strict=True))
            values = {str(p.attr): named[str(p.attr)] for p in residual.kernel.params}
        for one, value in zip(self.given, args, strict=True):
            if not isinstance(one, Memory):
                self._words(one, value, None)
        return program({name: arrays[name] for name in residual.memories}, **values)

    def _words(self, kind: Given, value: Any, arena: Arena | None) -> tuple[int, ...]:
        """The words of an argument."""
        if isinstance(kind, Memory):
            return (1,)
        if kind == "data":
            return _imported(value, arena, self.code.name)
        if kind == "integer" and (type(value) is int or WHOLE_NUMBER.test(value)):
            return (_fitting(int(value), self.code.name),)
        if kind == "real" and isinstance(value, int | float):
            return (int(struct.unpack("<q", struct.pack("<d", value))[0]),)
        if kind == "boolean" and isinstance(value, bool):
            return (int(value),)
        raise InputError(
            f"{brief(value)} is no {kind}", place=self.code.name, fix="give one, or use kind data"
        )


def compile_code(
    code: RootCode,
    *given: Given,
    memories: Mapping[str, Memory] | None = None,
    tier: str = "auto",
    arena: int = ARENA,
) -> CompiledCode:
    """A root program to be called; `given` says of each parameter but the first what it is: a kind, or a memory.

    By itself a program begins with the quick tier, and goes on with LLVM's code when that is ready. Where it has no
    machine code, the machine runs it, and `problem` says why.

    A nest is never chosen by itself, since it means less than the other tiers, which refuse what the machine refuses.
    It is for loops of numbers over memories, and has lanes and threads. As in specialized programs, sums wrap beyond 64
    bits, a load outside of its memory is some word of it, and a store there is not done: no address leaves a memory.

    Of a loop over rows and columns, the tier `rows` gives what the nest gives: prepared kernels run on pieces of rows,
    without a compiler. `arrays` begins with rows and goes on with the nest when that is ready; what is no such loop is
    a nest at once, and `problem` says why.

    Parameters: `memories` are those that `load@name` and `store@name` mean, `tier` is one of `machine`, `quick`,
    `llvm`, `rows` and `nest`, to stay with it, or `auto` or `arrays`, and `arena` is the number of bytes for pairs
    that live.
    """
    return CompiledCode(code, given, memories, tier, arena)


_CHANGING = ("auto", "arrays")
"""Tiers that begin with what is there soonest, and go on with what is fastest."""
_OFTEN = 2
"""The call that asks for optimized code: what is called once is not worth compiling."""


class _Compiler:
    """Compiles in the background what is called most often."""

    def __init__(self) -> None:
        # A list, since one thread may append to it while another takes what is in it.
        self._asked: list[weakref.ref[CompiledCode]] = []
        self._background: Background | None = None

    def ask(self, code: CompiledCode) -> None:
        """Have LLVM's code made soon."""
        self._asked.append(weakref.ref(code))
        if self._background is None or self._background.closed:
            self._background = Background(self._plan, "pellucid compiler")
        self._background.wake()

    def _plan(self) -> Job | None:
        asked = [(one, one()) for one in self._asked.copy()]
        for one, code in asked:
            if code is None:
                self._asked.remove(one)
        wanted = [(one, code) for one, code in asked if code is not None]
        if not wanted:
            return None
        first, code = max(wanted, key=lambda pair: pair[1].calls)
        self._asked.remove(first)
        return lambda: self._compile(code)

    def _compile(self, code: CompiledCode) -> None:
        try:
            code.finish()
        except Exception as error:  # noqa: BLE001 - the program goes on as it runs, and others wait to be compiled
            words = str(error) if isinstance(error, PellucidError) else f"{error.__class__.__name__}: {error}"
            code.problem = f"it was not optimized: {words}"


compiler = _Compiler()


def _kind(name: str, place: str) -> int:
    if name not in KINDS:
        raise InputError(
            f"no kind is called {name!r}", place=place, fix=f"use one of {', '.join(KINDS)}, or a memory"
        )
    return KINDS[name]


def _words_of(memory: Memory, given: Any) -> Array:
    """An array of words of a memory."""
    if isinstance(given, np.ndarray):
        array = cast("Array", given)
        flags = array.flags
        if (
            array.ndim == 1
            and array.dtype == memory.buffer.type.dtype
            and flags.c_contiguous
            and flags.writeable
        ):
            return array
    raise InputError(
        f"is not a contiguous one-dimensional array of {memory.buffer.type} that can be written to",
        place=f"memory {memory.name}",
        fix="view it as words",
    )


def _fitting(value: int, place: str) -> int:
    if not -_LIMIT <= value < _LIMIT:
        raise StagingError(
            "an integer of more than 64 bits",
            place=place,
            fix="compute with smaller numbers, or by the machine",
        )
    return value


def _imported(value: Any, arena: Arena | None, place: str) -> tuple[int, int]:
    """The word and the tag of data; pairs are made from the inside out, each once."""
    known: dict[int, int] = {}
    entered: set[int] = set()

    def atom(one: Any) -> tuple[int, int] | None:
        if isinstance(one, Pair):
            return (known[id(one)], CLOSURE if one.closure else PAIR) if id(one) in known else None
        if one is None:
            return 0, NIL
        if isinstance(one, bool):
            return int(one), BOOLEAN
        if isinstance(one, int):
            return _fitting(one, place), INTEGER
        raise InputError(
            f"{brief(one)} is no data", place=place, fix="give integers, truth values, None and pairs"
        )

    waiting = [value]
    while waiting:
        one = waiting[-1]
        if not isinstance(one, Pair) or id(one) in known:
            waiting.pop()
            continue
        if one.closure:
            raise InputError(
                "a closure is no data", place=place, fix="give integers, truth values, None and pairs"
            )
        halves = [atom(one.car), atom(one.cdr)]
        missing = [each for each, half in zip((one.car, one.cdr), halves, strict=True) if half is None]
        if missing:
            entered.add(id(one))
            if any(id(each) in entered for each in missing):
                raise InputError("pairs that contain themselves", place=place, fix="give lists that end")
            waiting += missing
            continue
        waiting.pop()
        car, cdr = (half for half in halves if half is not None)
        if arena is not None:
            known[id(one)] = arena.pair(car[0], cdr[0], car[1] | cdr[1] << 8)
        else:
            known[id(one)] = 1
    found = atom(value)
    assert found is not None  # noqa: S101 - pairs are known now
    return found


_ATOMS: dict[int, Callable[[Lowered, int], Any]] = {
    INTEGER: lambda _, word: word,
    BOOLEAN: lambda _, word: bool(word),
    NIL: lambda _, __: None,
    REAL: lambda _, word: struct.unpack("<d", struct.pack("<q", word))[0],
    TEXT: lambda form, word: form.graph.texts[word - 1],
    CODE: lambda form, word: form.codes[word - 1],
    VECTOR: lambda form, word: form.tables.value(word),
}
"""The values of words by their tags."""


def _value(form: Lowered, word: int, tag: int, parts: Callable[[int], list[int]]) -> Any:
    """The value of a word and a tag; `parts` reads pairs."""
    known: dict[int, Pair] = {}
    waiting: list[tuple[Pair, int]] = []

    def of(word: int, tag: int) -> Any:
        if tag in _ATOMS:
            return _ATOMS[tag](form, word)
        if word not in known:
            known[word] = Pair(None, None, closure=tag == CLOSURE)
            waiting.append((known[word], word))
        return known[word]

    made = of(word, tag)
    while waiting:
        pair, place = waiting.pop()
        car, cdr, tags, *more = parts(place)
        pair.car, pair.cdr = of(car, tags & 255), of(cdr, tags >> 8 & 255)
        elements = tags >> 16 & 255
        if elements:
            # A record: its elements are a list again.
            rest = [of(word, tags >> 24 + 8 * k & 255) for k, word in enumerate(more)]
            pair.cdr = linked(pair.cdr, *rest)
    return made
