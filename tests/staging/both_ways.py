"""Programs that both specializers take: the online one as functions of Python, the compiler generator as texts of root.

A row of the table has both texts, what is known when it is specialized, and two lengths to run it at, so that what is
done a turn can be told from what is done once.

Not in the table are programs that root has no words for: stores to parts of words, which the online way collects in a
cache and writes back (copies between layouts, windows, brushes); memories that may be one another; words whose bits are
real numbers; cells. A signal is no value of root either. What it does to an address is written out here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from tests.staging.figures import FILTER

from pellucid.ir import types as T
from pellucid.staging import (
    Memory,
    Residual,
    choose,
    cyclic,
    fork,
    lift,
    load_sample,
    loop,
    set_base,
    specialize,
    store_sample,
    unknown,
)
from pellucid.staging.cogen import cogen, tidy
from pellucid.staging.root.lowering import lowered
from pellucid.staging.root.nests import nest
from pellucid.staging.root.program import linked
from pellucid.staging.root.reading import read_sugar
from pellucid.staging.root.sets import INTEGERS, REALS

SAMPLES = """
sample(k p size ca cw) {
  addr = (idiv p 32)
  off = (imod p 32)
  if (< 32 (+ off size)) {
    cl = (close high (list k size off))
    word(cl (+ addr 1) ca cw)
  }
  cl = (close whole (list k size off))
  word(cl addr ca cw)
}
whole(self addr w) {
  (k size off) = (cdr self)
  if (= (+ off size) 32) (car k)(k (>> w off) addr w)
  (car k)(k (& (>> w off) (- (<< 1 size) 1)) addr w)
}
high(self addr w) {
  (k size off) = (cdr self)
  cl = (close joined (list k size off w))
  word(cl (- addr 1) addr w)
}
joined(self addr w) {
  (k size off above) = (cdr self)
  (car k)(k (| (>> w off) (<< (& above (- (<< 1 (- (+ off size) 32)) 1)) (- 32 off))) addr w)
}
word(k addr ca cw) {
  if (early= addr ca) (car k)(k ca cw)
  w = (load@m addr)
  (car k)(k addr w)
}
"""
"""Reads a sample of any size at a bit address; the last word that was loaded is at hand, as addresses go down."""
OTHER = re.sub(r"\b(sample|whole|high|joined|word)\b", r"\1-n", SAMPLES).replace("load@m", "load@n")
"""The same of another memory."""
SUM = """
sum(k p size stride r ca cw) {
  if (zero? p) (car k)(k r)
  i = (- p stride)
  cl = (close summed (list k i size stride r))
  sample(cl i size ca cw)
}
summed(self v ca cw) {
  (k p size stride r) = (cdr self)
  s = (+ r v)
  sum(k p size stride s ca cw)
}
"""
GRAY = """
gray(k p acc ca cw) {
  if (zero? p) (car k)(k 0)
  i = (- p 1)
  cl = (close green (list k i acc))
  sample(cl (+ (* i 24) 16) 8 ca cw)
}
green(self b ca cw) {
  (k i acc) = (cdr self)
  cl = (close red (list k i acc b))
  sample(cl (+ (* i 24) 8) 8 ca cw)
}
red(self g ca cw) {
  (k i acc b) = (cdr self)
  cl = (close mixed (list k i acc g b))
  sample(cl (* i 24) 8 ca cw)
}
mixed(self r ca cw) {
  (k i acc g b) = (cdr self)
  y = (>> (+ (* 9 r) (+ (* 20 g) (* 3 b))) 5)
  bit = (imod (* i 8) 32)
  more = (+ acc (<< y bit))
  if (zero? bit) {
    x = (store@out (idiv (* i 8) 32) more)
    gray(k i 0 ca cw)
  }
  gray(k i more ca cw)
}
"""
ADD = """
add(k i) {
  if (zero? i) (car k)(k 0)
  j = (- i 1)
  x = (store@out j (+ (load@m j) (load@n j)))
  add(k j)
}
"""
POWER = """
power(k x e r) {
  if (zero? e) (car k)(k r)
  s = (* r x)
  power(k x (- e 1) s)
}
"""
HORNER = """
horner(k x y i r) {
  if (= i x) (car k)(k r)
  s = (+ (* r y) i)
  horner(k x y (+ i 1) s)
}
"""
PHASE = """
phase(k n turn weights r) {
  if (zero? n) (car k)(k r)
  s = (+ r (vref weights turn))
  phase(k (- n 1) (imod (+ turn 1) 3) weights s)
}
"""
LATE = """
late(k n i r) {
  if (< i 5) {
    s = (* r 2)
    late(k n (+ i 1) s)
  }
  if (< n r) (car k)(k r)
  s = (* r 2)
  late(k n i s)
}
"""
TRICK = """
trick(k i) {
  q = (idiv i 4)
  r = (imod i 4)
  base = (* q 4)
  if (= r 0) use(k base)
  if (= r 1) use(k (+ base 1))
  if (= r 2) use(k (+ base 2))
  use(k (+ base 3))
}
use(k i) {
  (car k)(k (+ (* (imod i 4) 100) (idiv i 4)))
}
"""
ESCAPES = """
escapes(k p r ca cw) {
  if (zero? p) (car k)(k r)
  i = (- p 8)
  cl = (close last (list k i r))
  sample(cl i 8 ca cw)
}
last(self v ca cw) {
  (k i r) = (cdr self)
  if (< v 128) {
    s = (+ (* 31 r) v)
    escapes(k i s ca cw)
  }
  j = (- i 8)
  cl = (close both (list k j r v))
  sample(cl j 8 ca cw)
}
both(self w ca cw) {
  (k j r v) = (cdr self)
  s = (+ (* 31 r) (| (<< (& v 127) 8) w))
  escapes(k j s ca cw)
}
"""
LANGUAGE = """
each(k e i r) {
  if (zero? i) (car k)(k r)
  j = (- i 1)
  w = (load@m j)
  cl = (close taken (list k e j r))
  value(cl e w)
}
taken(self v) {
  (k e j r) = (cdr self)
  s = (& (+ (* r 3) v) 65535)
  each(k e j s)
}
value(k e x) {
  if (atom? e) {
    if (= e 'x) (car k)(k x)
    (car k)(k e)
  }
  cl = (close first (list k e x))
  value(cl (car (cdr e)) x)
}
first(self v) {
  (k e x) = (cdr self)
  cl = (close second (list k (car e) v))
  value(cl (car (cdr (cdr e))) x)
}
second(self w) {
  (k op v) = (cdr self)
  (car k)(k (apply op (list v w)))
}
"""
TREE = ("+", ("*", "x", 5), ("&", ("+", "x", 7), 255))
TWO = """
two(k p q r ca cw da dw) {
  if (zero? p) (car k)(k r)
  i = (- p 8)
  cl = (close second (list k i q r da dw))
  sample(cl i 8 ca cw)
}
second(self v ca cw) {
  (k p q r da dw) = (cdr self)
  j = (- q 12)
  cl = (close product (list k p j r v ca cw))
  sample-n(cl j 12 da dw)
}
product(self w da dw) {
  (k p q r v ca cw) = (cdr self)
  s = (+ (* r 3) (* v w))
  two(k p q s ca cw da dw)
}
"""
WEIGHTS = """
weights(k p ws r) {
  if (zero? p) (car k)(k r)
  q = (- p 32)
  s = (+ r (* (load@m (idiv q 32)) (vref ws (idiv (imod q 96) 32))))
  weights(k q ws s)
}
"""
SEARCH = """
search(k x i) {
  if (= i 12) (car k)(k -1)
  if (= x i) (car k)(k (* i i))
  search(k x (+ i 1))
}
"""
CHOICES = """
choices(k x) {
  if (< x 3) {
    if (< x 1) (car k)(k 5)
    (car k)(k (* x 2))
  }
  (car k)(k (+ x 1))
}
"""
DIGITS = """
digits(k i) {
  (car k)(k (+ (* (idiv i 10) 7) (imod i 10)))
}
"""
CLOSURES = """
closures(k n x r) {
  y = (* x 2)
  f = (close add (list y))
  turns(k n f r)
}
turns(k n f r) {
  if (zero? n) (car k)(k r)
  cl = (close next (list k n f))
  (car f)(f cl r)
}
add(self k v) {
  (y) = (cdr self)
  (car k)(k (+ v y))
}
next(self v) {
  (k n f) = (cdr self)
  turns(k (- n 1) f v)
}
"""
DEEP = """
deep(k n x) {
  if (zero? n) (car k)(k x)
  cl = (close one (list k))
  lift cl stack cyc
  deep(cl (- n 1) x)
}
one(self v) {
  (k) = (cdr self)
  (car k)(k (+ v 1))
}
"""
REAL = """
reals(k x factors) {
  r = (* x 0.25)
  horner(k x factors r)
}
horner(k x factors r) {
  if (null? factors) (car k)(k r)
  s = (+ (* r x) (car factors))
  horner(k x (cdr factors) s)
}
"""
FACTORS = (0.5, -1.25, 3.0)


def _sum(memory: Memory, p: Any, size: int, stride: int) -> Any:
    def step(p: Any, r: Any) -> Any:
        return p - stride, r + load_sample(memory, p - stride, size)

    return loop(lambda p, r: p == 0, step, p, lift(0))[1]


def _filter(memory: Memory, out: Memory, p: Any, q: Any, kernel: tuple[int, ...]) -> Any:
    def step(p: Any, q: Any) -> Any:
        out.store(q, sum(k * memory.load(p + 4 - i) for i, k in enumerate(kernel)))
        return p - 1, q + 1

    return loop(lambda p, q: p == 0, step, p, q)[1]


def _gray(memory: Memory, out: Memory, p: Any) -> Any:
    def step(p: Any) -> Any:
        r, g, b = (load_sample(memory, p * 24 - 24 + 8 * k, 8) for k in range(3))
        store_sample(out, p * 8 - 8, 8, 9 * r + 20 * g + 3 * b >> 5)
        return p - 1

    loop(lambda p: p == 0, step, p)
    return 0


def _add(memory: Memory, other: Memory, out: Memory, i: Any) -> Any:
    def step(i: Any) -> Any:
        out.store(i - 1, memory.load(i - 1) + other.load(i - 1))
        return i - 1

    loop(lambda i: i == 0, step, i)
    return 0


def _power(x: Any, e: Any) -> Any:
    return loop(lambda e, r: e == 0, lambda e, r: (e - 1, r * x), e, lift(1))[1]


def _horner(x: Any, y: Any) -> Any:
    return loop(lambda i, r: i == x, lambda i, r: (i + 1, r * y + i), 0, lift(1))[1]


def _phase(n: Any) -> Any:
    def step(n: Any, phase: int, r: Any) -> Any:
        return n - 1, (phase + 1) % 3, r + (5, 7, 11)[phase]

    return loop(lambda n, phase, r: n == 0, step, n, 0, lift(0))[2]


def _late(n: Any) -> Any:
    return loop(lambda i, r: (i >= 5) & (r > n), lambda i, r: (i + (1 if i < 5 else 0), r * 2), 0, lift(1))[1]


def _trick(i: Any) -> Any:
    return set_base(i, 4, lambda i: (i % 4) * 100 + i // 4)


def _escapes(memory: Memory, p: Any) -> Any:
    def step(p: Any, r: Any) -> Any:
        v = load_sample(memory, p - 8, 8)
        return fork(
            v < 128,
            lambda: (p - 8, r * 31 + v),
            lambda: (p - 16, r * 31 + ((v & 127) << 8 | load_sample(memory, p - 16, 8))),
        )

    return loop(lambda p, r: p == 0, step, p, lift(7))[1]


def _language(memory: Memory, e: Any, i: Any) -> Any:
    def value(e: Any, x: Any) -> Any:
        if not isinstance(e, tuple):
            return x if e == "x" else e
        one, other = (value(part, x) for part in e[1:])
        return {"+": lambda: one + other, "*": lambda: one * other, "&": lambda: one & other}[e[0]]()

    def step(i: Any, r: Any) -> Any:
        return i - 1, r * 3 + value(e, memory.load(i - 1)) & 65535

    return loop(lambda i, r: i == 0, step, i, lift(0))[1]


def _two(memory: Memory, other: Memory, p: Any, q: Any) -> Any:
    def step(p: Any, q: Any, r: Any) -> Any:
        return p - 8, q - 12, r * 3 + load_sample(memory, p - 8, 8) * load_sample(other, q - 12, 12)

    return loop(lambda p, q, r: p == 0, step, p, q, lift(1))[2]


def _weights(memory: Memory, p: Any) -> Any:
    def step(p: Any, r: Any) -> Any:
        return p - 32, r + memory.load((p - 32) // 32) * (5, 7, 11)[(p - 32) % 96 // 32]

    return loop(lambda p, r: p == 0, step, p, lift(0))[1]


def _search(x: Any) -> Any:
    def step(k: int, r: Any) -> Any:
        return fork(x == k, lambda: (12, k * k), lambda: (k + 1, r))

    return loop(lambda k, r: k == 12, step, 0, -1)[1]


def _choices(x: Any) -> Any:
    return choose(x < 3, lambda: choose(x < 1, lambda: 5, lambda: x * 2), lambda: x + 1)


def _closures(n: Any, x: Any) -> Any:
    def adding(y: Any) -> Callable[[Any], Any]:
        return lambda v: v + y

    def step(n: Any, f: Callable[[Any], Any], r: Any) -> Any:
        return n - 1, f, f(r)

    return loop(lambda n, f, r: n == 0, step, n, adding(x * 2), lift(5))[2]


def _deep(n: int, x: Any) -> Any:
    return x if n == 0 else _deep(n - 1, x) + 1


def _reals(x: Any) -> Any:
    r = x * 0.25
    for factor in FACTORS:
        r = r * x + factor
    return r


def _linked(tree: Any) -> Any:
    return linked(*map(_linked, tree)) if isinstance(tree, tuple) else tree


class Both(NamedTuple):
    """A program in both forms.

    online    what specializes the function.
    text      the text in root, whose first code is the entry, with the times and static values of its parameters.
    runs      two sets of dynamic values, a short and a longer run; their names are those of the online program.
    memories  those that the program uses.
    integers  the promise that sums and products are of integers.
    states    whether it branches within a turn, so that its residual programs are of different states.
    reals     whether its dynamic values are real numbers.
    """

    online: Callable[[], Residual]
    text: str
    times: tuple[str, ...]
    statics: tuple[Any, ...]
    runs: tuple[Mapping[str, float], Mapping[str, float]]
    memories: tuple[str, ...] = ("m",)
    integers: bool = True
    states: bool = False
    reals: bool = False

    def generated(self) -> Residual:
        """The residual program of the compiler that `cogen` makes, as a nest."""
        code = next(iter(read_sugar(self.text).values()))
        made = tidy(cogen(code, ["D", *self.times], integers=self.integers)(*self.statics))
        given = [REALS if self.reals else INTEGERS] * (len(made.params) - 1)
        form = lowered(made, given, memories={name: Memory(name) for name in self.memories})
        return nest(form, made.params[1:])


def _samples(size: int, stride: int) -> Both:
    return Both(
        lambda: specialize(_sum, Memory("m"), cyclic(32, "p"), size, stride), SUM + SAMPLES,
        ("cyc", "S", "S", "D", "S", "S"), ((32, 0), size, stride, -1, 0),
        ({"p": stride, "r": 0}, {"p": 3 * stride, "r": 0}),
    )  # fmt: skip


def _kernel(*kernel: int) -> Both:
    base = len(kernel)
    text = FILTER.replace("dot(cl 0 p kern", "dot(cl 0 (+ p 4) kern").replace(
        "cache cache 3", f"cache cache {base}"
    )
    return Both(
        lambda: specialize(_filter, Memory("m"), Memory("out"), cyclic(base, "p"), unknown("q"), kernel), text,
        ("cyc", "D", "S", "nil"), ((base, 0), linked(*kernel)), ({"p": 2, "q": 0}, {"p": 6, "q": 0}), ("m", "out"),
    )  # fmt: skip


_LAYOUTS = ((8, 8), (12, 12), (4, 4), (5, 24), (1, 1), (16, 16), (24, 24))
PROGRAMS = {
    **{f"samples of {size} bits, one in {stride}": _samples(size, stride) for size, stride in _LAYOUTS},
    "the filter 2 5 2": _kernel(2, 5, 2),
    "the filter 1 2 3 2 1": _kernel(1, 2, 3, 2, 1),
    "color to gray": Both(
        lambda: specialize(_gray, Memory("m"), Memory("out"), cyclic(4, "p")), GRAY + SAMPLES,
        ("cyc", "S", "S", "S"), ((4, 0), 0, -1, 0), ({"p": 1}, {"p": 4}), ("m", "out"),
    ),
    "a sum of two memories": Both(
        lambda: specialize(_add, Memory("m"), Memory("n"), Memory("out"), unknown("i")), ADD,
        ("D",), (), ({"i": 2}, {"i": 9}), ("m", "n", "out"), False,
    ),
    "a power of any exponent": Both(
        lambda: specialize(_power, 3, unknown("e")), POWER, ("S", "D", "D"), (3,),
        ({"e": 2, "r": 1}, {"e": 9, "r": 1}), (), False,
    ),
    "a power of any base": Both(
        lambda: specialize(_power, unknown("x"), 9), POWER, ("D", "S", "D"), (9,),
        ({"x": 2, "r": 1}, {"x": -3, "r": 1}), (),
    ),
    "a polynomial of any number": Both(
        lambda: specialize(_horner, 6, unknown("y")), HORNER,
        ("S", "D", "S", "D"), (6, 0), ({"y": 2, "r": 1}, {"y": -3, "r": 1}), (),
    ),
    "a phase that comes back": Both(
        lambda: specialize(_phase, unknown("n")), PHASE,
        ("D", "S", "S", "D"), (0, (5, 7, 11)), ({"n": 4, "r": 0}, {"n": 10, "r": 0}), (), False,
    ),
    "a loop whose test is dynamic late": Both(
        lambda: specialize(_late, unknown("n")), LATE, ("D", "S", "D"), (0,),
        ({"n": 99, "r": 1}, {"n": 9999, "r": 1}), (), False,
    ),
    "a dynamic index that becomes cyclic": Both(
        lambda: specialize(_trick, unknown("i")), TRICK, ("D",), (), ({"i": -5}, {"i": 7}), (),
    ),
    "values with escapes": Both(
        lambda: specialize(_escapes, Memory("m"), cyclic(32, "p")), ESCAPES + SAMPLES,
        ("cyc", "D", "S", "S"), ((32, 0), -1, 0), ({"p": 2, "r": 7}, {"p": 6, "r": 7}), states=True,
    ),
    "samples that begin within a word": Both(
        lambda: specialize(_sum, Memory("m"), cyclic(32, "p"), 12, 12), SUM + SAMPLES,
        ("cyc", "S", "S", "D", "S", "S"), ((32, 0), 12, 12, -1, 0), ({"p": 3, "r": 0}, {"p": 9, "r": 0}),
    ),
    "samples of 8 and of 12 bits": Both(
        lambda: specialize(_two, Memory("m"), Memory("n"), cyclic(32, "p"), cyclic(32, "q")), TWO + SAMPLES + OTHER,
        ("cyc", "cyc", "D", "S", "S", "S", "S"), ((32, 0), (32, 0), -1, 0, -1, 0),
        ({"p": 2, "q": 3, "r": 1}, {"p": 4, "q": 6, "r": 1}), ("m", "n"),
    ),
    "weights by the address": Both(
        lambda: specialize(_weights, Memory("m"), cyclic(96, "p")), WEIGHTS, ("cyc", "S", "D"),
        ((96, 0), (5, 7, 11)), ({"p": 2, "r": 0}, {"p": 6, "r": 0}),
    ),
    "a search": Both(
        lambda: specialize(_search, unknown("x")), SEARCH, ("D", "S"), (0,), ({"x": 2}, {"x": 9}), (),
    ),
    "choices within choices": Both(
        lambda: specialize(_choices, unknown("x")), CHOICES, ("D",), (), ({"x": 1}, {"x": 2}), (),
    ),
    "quotients and remainders": Both(
        lambda: specialize(lambda i: i // 10 * 7 + i % 10, unknown("i")), DIGITS,
        ("D",), (), ({"i": -13}, {"i": 96}), (),
    ),
    "closures": Both(
        lambda: specialize(_closures, unknown("n"), unknown("x")), CLOSURES, ("D", "D", "D"), (),
        ({"n": 2, "x": 10, "r": 5}, {"n": 9, "x": 10, "r": 5}), (), False,
    ),
    "a recursion": Both(
        lambda: specialize(_deep, 200, unknown("x")), DEEP, ("S", "D"), (200,), ({"x": 4}, {"x": -7}), (),
    ),
    "a polynomial of real numbers": Both(
        lambda: specialize(_reals, unknown("x", T.f64)), REAL, ("D", "S"), (linked(*FACTORS),),
        ({"x": 1.75}, {"x": -0.1}), (), False, reals=True,
    ),
    "a little language": Both(
        lambda: specialize(_language, Memory("m"), TREE, unknown("i")), LANGUAGE,
        ("S", "D", "D"), (_linked(TREE),), ({"i": 2, "r": 0}, {"i": 9, "r": 0}), ("m",), False,
    ),
}  # fmt: skip
