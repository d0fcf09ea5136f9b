"""Reclaiming pairs: what the parameters of a block reach is copied to the other half of the arena (Cheney 1970).

Written once as LLVM text; the code of any graph calls it through its frame. A pair that was copied has a tags word of
-1, and its first half tells where it is now.
"""

from __future__ import annotations

from ...ir.flow import PAIR
from ..jit.assembly import POINTER, Assembly, Function, Value
from .frame import PAIR_BYTES, FrameWord

COLLECT = "pellucid_collect"
NURSERY = 1 << 22
"""Bytes of new pairs after which is collected, where little lives: they stay in the processor's cache."""
_TAG = 255


def text() -> str:
    """The LLVM module of ``collect(frame, roots, count, room) -> 1 where there is no room``."""
    asm = Assembly()
    with asm.function("moved", "i64", frame=POINTER, word="i64", tag="i64") as f:
        _moved(f)
    with asm.function(COLLECT, "i64", frame=POINTER, roots=POINTER, count_="i64", room="i64") as f:
        _collect(f)
    return asm.text()


def _at(f: Function, word: Value) -> Value:
    """A word as an address."""
    return f.let(f"inttoptr i64 {word.name} to ptr", POINTER)


def _moved(f: Function) -> None:
    """A word after the pair that it may stand for has moved; a tag below 0 is that of a pair or nil."""
    is_pair = (f.tag >= PAIR) | ((f.tag < 0) & f.word.differs(0))
    # Pairs that are constants stay where they are, and lead to such only.
    old = f.load("i64", f.frame, 8 * FrameWord.OTHER)
    is_pair = is_pair & (f.word >= old) & (f.word < old + f.load("i64", f.frame, 8 * FrameWord.SIZE))
    with f.when(is_pair ^ 1):
        f.give(f.word)
    pair = _at(f, f.word)
    tags = f.load("i64", pair, 16)
    with f.when(tags.same(-1)):
        f.give(f.load("i64", pair))
    free = f.load("i64", f.frame, 8 * FrameWord.FREE)
    to = _at(f, free)
    f.store(f.load("i64", pair), to)
    f.store(f.load("i64", pair, 8), to, 8)
    f.store(tags, to, 16)
    more = _more(f, tags)
    with f.count(more) as k:
        f.store(f.load("i64", pair + (k << 3), PAIR_BYTES), to + (k << 3), PAIR_BYTES)
    f.store(free, pair)
    f.store(f.number(-1), pair, 16)
    f.store(free + (more << 3) + PAIR_BYTES, f.frame, 8 * FrameWord.FREE)
    f.give(free)


def _more(f: Function, tags: Value) -> Value:
    """The number of words that a pair has after its tags."""
    elements = (tags >> 16) & _TAG
    return f.choose(elements.same(0), f.number(0), elements - 1)


def _collect(f: Function) -> None:
    old, new = f.load("i64", f.frame, 8 * FrameWord.SPACE), f.load("i64", f.frame, 8 * FrameWord.OTHER)
    f.store(new, f.frame, 8 * FrameWord.SPACE)
    f.store(old, f.frame, 8 * FrameWord.OTHER)
    f.store(new, f.frame, 8 * FrameWord.FREE)
    with f.count(f.count_) as k:
        place = f.roots + (k << 4)
        f.store(f.call("moved", f.frame, f.load("i64", place), f.load("i64", place, 8), result="i64"), place)
    scan = f.variable("i64", new)
    with f.repeat() as loop:
        now = scan()
        f.leave(loop, now.same(f.load("i64", f.frame, 8 * FrameWord.FREE)))
        pair = _at(f, now)
        tags = f.load("i64", pair, 16)
        for offset, tag in ((0, tags & _TAG), (8, (tags >> 8) & _TAG)):
            f.store(f.call("moved", f.frame, f.load("i64", pair, offset), tag, result="i64"), pair, offset)
        more = _more(f, tags)
        with f.count(more) as k:
            place, tag = pair + (k << 3), (tags >> ((k << 3) + 24)) & _TAG
            word = f.load("i64", place, PAIR_BYTES)
            f.store(f.call("moved", f.frame, word, tag, result="i64"), place, PAIR_BYTES)
        scan.set(now + (more << 3) + PAIR_BYTES)
    free = f.load("i64", f.frame, 8 * FrameWord.FREE)
    size = f.load("i64", f.frame, 8 * FrameWord.SIZE)
    # As much again as lives, so that the work of copying is shared by as many new pairs.
    more = free - new
    more = f.choose(more < NURSERY, f.number(NURSERY), more) + f.room
    limit = (free + more).least(new + size)
    f.store(limit, f.frame, 8 * FrameWord.LIMIT)
    f.give((free + f.room > limit).to("i64"))
