"""Compiled flow graphs: what a call needs, and what it gives; arenas are taken from a stock and put back.

Above `text` and `templates`, which write the code, and `collecting`, which makes room while it runs.
"""

from __future__ import annotations

import ctypes
from array import array
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import InitVar, dataclass, field
from functools import cache
from typing import Any, Generic, TypeVar

import numpy as np

from ...base.errors import BackendError, InputError, PellucidError, StagingError
from ...ir.flow import PAIR, Graph
from ..jit.engine import machine
from ..jit.executable import is_possible, placed
from ..jit.loading import loaded
from ..jit.polling import Poll
from ..port import CodeStore, address
from . import collecting
from .frame import FULL, PAIR_BYTES, STOPPED, FrameWord, Outline, arguments_at, frame_words, outlines
from .templates import assembled
from .text import ENTRY, text

ARENA = 64 << 20
"""The bytes of each half of an arena, of which the system gives what is written to."""
_KEPT = 16 << 20
"""The bytes of a half of an arena that may stay with the process."""
_SIGNATURE = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)
_COLLECTOR = (ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)
Array = np.ndarray[Any, Any]
_Thing = TypeVar("_Thing")


@cache
def _collector() -> int:
    """The address of the collector."""
    this = machine()
    functions = this.functions(this.whole(collecting.text()), {collecting.COLLECT: _COLLECTOR})
    return ctypes.cast(functions[collecting.COLLECT], ctypes.c_void_p).value or 0


class Arena:
    """Two halves of memory for pairs; `pair` makes one before a call, `parts` reads one after it."""

    def __init__(self, size: int) -> None:
        self.size = size // PAIR_BYTES * PAIR_BYTES
        words = np.empty(2 * self.size // 8, np.int64)
        self.words = words.data
        self.first = address(words)
        self.used = self.reached = 0

    def pair(self, car: int, cdr: int, tags: int) -> int:
        """The address of a new pair.

        Raises InputError where there is no room.
        """
        at = self.used
        if at + PAIR_BYTES > self.size:
            raise InputError(
                f"the arguments take more than the {self.size} bytes of an arena",
                place="arena",
                fix="give a larger arena, or shorter lists",
            )
        self.used = at + PAIR_BYTES
        first = at // 8
        self.words[first], self.words[first + 1], self.words[first + 2] = car, cdr, tags
        return self.first + at

    def parts(self, pair: int) -> list[int]:
        """The words of a pair, or of a record."""
        at = (pair - self.first) // 8
        elements = self.words[at + 2] >> 16 & 255
        return self.words[at : at + max(3, elements + 2)].tolist()


class _Stock(Generic[_Thing]):
    """Things that no call uses; several threads may take from it at once."""

    def __init__(self) -> None:
        self._things: list[_Thing] = []

    def get(self) -> _Thing | None:
        """One of them, or None where there is none."""
        try:
            return self._things.pop()
        except IndexError:
            return None

    def put(self, thing: _Thing) -> None:
        """Let others have it."""
        self._things.append(thing)


_NO_PAIRS = np.empty((0, 3), np.int64)
_askers = _Stock[Poll]()
"""Questions that no call asks; one whose answer was to stop does not come back."""
_arenas: defaultdict[int, _Stock[Arena]] = defaultdict(_Stock)
"""Arenas that no call uses, by size."""


@dataclass(slots=True, eq=False, weakref_slot=True)
class FlowCode:
    """A graph as machine code: `run` it with an arena that was `taken`."""

    graph: Graph
    tier: str
    function: Any = field(repr=False)
    owner: object = field(repr=False)
    known: InitVar[list[Outline]]
    slots: int = 0
    arena: int = ARENA
    pairs: bool = field(init=False)
    fixed: Array = field(init=False, repr=False)
    blank: array[int] = field(init=False, repr=False)
    arguments: int = field(init=False, repr=False)

    def __post_init__(self, known: list[Outline]) -> None:
        """Know whether anything makes or gets pairs, and make a frame that each call takes a copy of."""
        self.fixed = _NO_PAIRS
        if self.graph.pairs:
            words = self.fixed = np.array(self.graph.pairs, np.int64)
            for half, tags in ((0, words[:, 2] & 255), (1, words[:, 2] >> 8)):
                of_pairs = tags >= PAIR
                words[of_pairs, half] = address(words) + PAIR_BYTES * words[of_pairs, half]
        makes_pairs = any(outline.room for outline in known)
        self.pairs = makes_pairs or any(block.roots for block in self.graph.blocks)
        self.blank = array("q", bytes(8 * frame_words(self.graph)))
        self.blank[FrameWord.FIXED] = address(self.fixed)
        self.arguments = arguments_at(self.graph)

    def taken(self) -> Arena:
        """An arena for a call; `given_back` puts it back."""
        arena = _arenas[self.arena].get() or Arena(self.arena)
        arena.used = 0
        return arena

    def given_back(self, arena: Arena) -> None:
        """Let others have an arena, unless much of it was written to, which goes back to the system."""
        if arena.reached <= _KEPT:
            _arenas[self.arena].put(arena)

    def parts(self, arena: Arena, pair: int) -> list[int]:
        """The words of a pair, in the arena or among the constants."""
        at = (pair - self.blank[FrameWord.FIXED]) // PAIR_BYTES
        return self.fixed[at].tolist() if 0 <= at < len(self.fixed) else arena.parts(pair)

    def run(
        self, words: Sequence[int], arrays: Sequence[Array] = (), arena: Arena | None = None
    ) -> tuple[int, int]:
        """The result's word and tag; pairs are in the arena, which a program that has pairs needs.

        Raises the error that the program meets: StagingError for values that it cannot compute with or where it makes
        more pairs than the arena holds, InputError for an address outside of a memory.
        """
        asked = _askers.get() or Poll()
        frame = self.blank[:]
        frame[FrameWord.QUESTION] = asked.place
        if self.slots:
            slots = array("q", bytes(8 * self.slots))
            frame[FrameWord.SLOTS] = slots.buffer_info()[0]
        if arena is not None:
            first = arena.first
            frame[FrameWord.FREE] = first + arena.used
            frame[FrameWord.LIMIT] = first + min(arena.size, arena.used + collecting.NURSERY)
            frame[FrameWord.SPACE], frame[FrameWord.OTHER], frame[FrameWord.SIZE] = (
                first,
                first + arena.size,
                arena.size,
            )
            frame[FrameWord.COLLECT] = _collector()
        at: int = FrameWord.MEMORIES
        for each in arrays:
            frame[at] = address(each)
            frame[at + 1] = len(each)
            at += 2
        for at, word in enumerate(words, self.arguments):
            frame[at] = word
        failure = self.function(frame.buffer_info()[0])
        asked.check()
        _askers.put(asked)
        if arena is not None:
            arena.reached = max(arena.reached, frame[FrameWord.LIMIT] - frame[FrameWord.SPACE])
        if failure:
            raise self._error(failure)
        return frame[FrameWord.RESULT], frame[FrameWord.TAG]

    def _error(self, failure: int) -> PellucidError:
        if failure in (FULL, STOPPED):
            return StagingError(
                f"more pairs live than an arena of {self.arena} bytes holds",
                place=self.graph.name,
                fix="keep fewer of them, or give a larger arena",
            )
        message, place, fix, is_input = self.graph.failures[failure - 1]
        return (InputError if is_input else StagingError)(message, place=place, fix=fix)


def by_llvm(graph: Graph, *, level: int = 2, store: CodeStore | None = None, arena: int = ARENA) -> FlowCode:
    """A graph compiled by LLVM, with its passes of a level."""
    this = machine()
    known = outlines(graph)
    source = text(graph, known)

    def load(code: bytes) -> Any:
        return this.linked(code, (ENTRY,), _SIGNATURE)

    import hashlib

    key = hashlib.sha256(f"flow {level} {this.identity}\n{source}".encode()).hexdigest()
    library = loaded(store, key, lambda: this.whole(source, level), load)
    return FlowCode(graph, f"llvm {level}", library.calls[0], library, known, arena=arena)


def by_templates(graph: Graph, *, arena: int = ARENA) -> FlowCode:
    """A graph as instructions that are put together at once.

    Raises BackendError on another processor or system.
    """
    if not is_possible():
        raise BackendError("templates are for x86-64 and Linux", place=graph.name, fix="compile it by LLVM")
    known = outlines(graph)
    code, slots = assembled(graph, known)
    place, owner = placed(code)
    return FlowCode(graph, "templates", _SIGNATURE(place), owner, known, slots, arena)
