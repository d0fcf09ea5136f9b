"""Lifts of structures by the lift compiler: `cogen` of an interpreter that copies (Draves 1996, Section 4.2).

The interpreter walks a value and two binding times, from which to which it is lifted. It marks lifts of the leaves as
later ones, so that its compiler, given the times, makes a program with lifts in it. That program is the lifter: `cogen`
calls it where a structure is lifted, and goes on with its text, in which the value is partially static again.
"""

from __future__ import annotations

from functools import cache, lru_cache

from pellucid.staging.cogen.generator import Compiler, cogen
from pellucid.staging.cogen.tidy import tidy
from pellucid.staging.cogen.values import repacks
from pellucid.staging.root.primitives import PRIMITIVES, Primitive
from pellucid.staging.root.program import RootCode
from pellucid.staging.root.reading import read_sugar
from pellucid.staging.times.lattice import DYNAMIC, STATIC, Time, TimeGraph

COPY = """
copy(k v from to) {
  if (time-same? from to) leaf(k v to)
  if (time-pair? from) {
    if (time-atom? from) sum(k v from to)
    both(k v from to)
  }
  if (time-pair? to) {
    if (time-atom? to) sum(k v from to)
    both(k v from to)
  }
  leaf(k v to)
}
leaf(k v to) {
  later lift v (to) it
  (car k)(k v)
}
it(k to) {
  (car k)(k to)
}
sum(k v from to) {
  if (pair? v) both(k v from to)
  a = (atom-of v)
  leaf(k a to)
}
both(k v from to) {
  cl = (close first (list k v from to))
  f = (time-half from 'car)
  t = (time-half to 'car)
  half = (car v)
  if (time-grows? f t) call(cl half f t)
  copy(cl half f t)
}
first(self a) {
  (k v from to) = (cdr self)
  cl = (close second (list k a to))
  f = (time-half from 'cdr)
  t = (time-half to 'cdr)
  half = (cdr v)
  if (time-grows? f t) call(cl half f t)
  copy(cl half f t)
}
second(self d) {
  (k a to) = (cdr self)
  n = (cons a d)
  later lift n (to) it
  (car k)(k n)
}
call(cl v from to) {
  lift cl
  later lift cl (to) stack-of
  $inline = #f
  copy(cl v from to)
}
stack-of(k to) {
  (car k)(k (time-stack to))
}
"""
"""The interpreter: it returns what it copied; what grows with the value is a call of the lifter."""


def _is_pair(time: Time) -> bool:
    """Whether values of a time are pairs that are copied; closures are lifted as they are."""
    return isinstance(time, TimeGraph) and not time.closure


def _half(time: Time, name: str) -> Time:
    """The time of one half of a value."""
    return getattr(time, name) if isinstance(time, TimeGraph) else time


def _stack(time: Time) -> Time:
    """A control stack that is given a value of a time."""
    from pellucid.staging.times.lattice import Stack

    return Stack((time,))


def _has_atoms(time: Time) -> bool:
    """Whether a value may be an atom as well as a pair."""
    return isinstance(time, TimeGraph) and time.nodes[0].atom


def _grows(one: Time, other: Time) -> bool:
    """Whether a value of one of two times has no fixed size."""
    return any(isinstance(time, TimeGraph) and time.packed for time in (one, other))


PRIMITIVES.update(
    {
        "time-same?": Primitive(2, repacks),
        "time-pair?": Primitive(1, _is_pair),
        "time-atom?": Primitive(1, _has_atoms),
        "time-grows?": Primitive(2, _grows),
        "time-half": Primitive(2, _half),
        "time-stack": Primitive(1, _stack),
    }
)


@cache
def lift_compiler() -> Compiler:
    """The lift compiler: given two times, it makes a lifter."""
    return cogen(read_sugar(COPY)["copy"], [DYNAMIC, DYNAMIC, STATIC, STATIC])


@lru_cache(maxsize=1 << 10)
def lifter(time: Time, to: Time) -> RootCode:
    """The code that lifts a value of a time: of a continuation and the value.

    >>> from pellucid.staging.root.writing import reached
    >>> from pellucid.staging.times.text import read_time
    >>> [code.name for code in reached(lifter(read_time("D list"), DYNAMIC))]
    ['copy', 'second']
    """
    return tidy(lift_compiler()(time, to))
