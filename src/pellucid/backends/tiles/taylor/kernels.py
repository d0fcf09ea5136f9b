"""Kernels of Taylor models: for every operator, the code of one instruction on 16 squares of pixels.

The kernels of `machine.kernels` compute intervals; these compute enclosures, which are an interval and a Taylor model.
The kernel of a row is the rule of `taylor.rules`. An enclosure consists of two endpoints, the value in the middle, the
factors, and the error, each of them 16 elements.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np

from ....ir import prim as table
from ....ir import types as T
from ....ir.expr import Expr, const, topological
from ....ir.facts import top
from ....ir.intervals.interval import Interval
from ....ir.intervals.notation import Term
from ....rewriting.expand import expand
from ...jit.engine import machine
from ...jit.spelling import SCALAR, literal, typed
from ...port import CodeStore
from ..machine.emitter import VectorEmitter
from ..machine.kernels import MAX_KERNELS, looked_up, words
from ..sizes import LANES
from ..tape.key import BROADCASTS, LINKAGE, VARIANTS, Key, leaf
from .models import PLACES
from .rules import model_rule, model_type, settled

MIDDLE, FACTORS = 2, 3
ERROR = FACTORS + PLACES
PARTS = ERROR + 1
"""The parts of an enclosure, each as long as a vector, of which the endpoints are the first two."""
WITHOUT_MODELS = LINKAGE | BROADCASTS | {"keep"}
"""Instructions without a kernel; tapes with linkage are not run."""


class ModelKernels:
    """The kernels of this process for one width of elements; `table` has addresses by opcode divided by `VARIANTS`."""

    def __init__(self, half: int, store: CodeStore | None) -> None:
        self.half = half
        self._store = store
        self.table = np.zeros(MAX_KERNELS, np.uint64)
        self._lock = threading.Lock()

    def want(self, opcodes: Mapping[Key, int]) -> None:
        """Compile the missing kernels of some keys, whose opcodes are given."""
        with self._lock:
            missing = {
                key: code // VARIANTS
                for key, code in opcodes.items()
                if key.op not in WITHOUT_MODELS and not self.table[code // VARIANTS]
            }
            if missing:
                keys = list(missing)
                this = machine()
                (found,) = this.kept(
                    f"factors {self.half} {keys}",
                    lambda: module(keys, self.half),
                    self._store,
                    lambda code: this.addresses(code, ("factors",)),
                )
                for place, address in zip(missing.values(), words(found, len(keys)), strict=True):
                    self.table[place] = address


@cache
def model_kernels(half: int, store: CodeStore | None) -> ModelKernels:
    """The kernels of this process for vectors of so many bytes."""
    return ModelKernels(half, store)


def module(keys: Sequence[Key], half: int) -> str:
    """The text of the kernels of some keys, and the table of their addresses."""
    declared: dict[str, None] = {}
    parts = [_kernel(key, f"model_{k}", half, declared) for k, key in enumerate(keys)]
    entries = ", ".join(f"ptr @model_{k}" for k in range(len(keys)))
    return "\n".join([*declared, f"@factors = constant [{len(keys)} x ptr] [{entries}]", *parts])


def real_of(half: int) -> T.Type:
    """The type of the Taylor models of integers."""
    return T.f64 if half == 8 * LANES else T.f32


def _kernel(key: Key, name: str, half: int, declared: dict[str, None]) -> str:
    lines = VectorEmitter(half, declared)
    result, real = key.result, real_of(half)
    given: dict[Expr, str] = {}
    if key.op in ("load", "splat"):
        (type_,) = key.types
        interval = _endpoints(lines, type_, "%a")
        if key.op == "load":
            interval = looked_up(key, interval, lines)
        pair = leaf("lo", result), leaf("hi", result)
        given = dict(zip(pair, interval, strict=True))
        roots = [*pair]
        if result.is_float:
            model = settled(Interval(*map(Term, pair))).model
            roots += [x.expr for x in (model.middle, *model.factors, model.error)]
        roots = _expanded(roots, pair)
    else:
        rule = model_rule(table.row(key.op), key.types, result, real, twice=key.twice)
        roots = [rule.lo, rule.hi]
        if rule.middle is not None and rule.error is not None:
            roots += [rule.middle, *rule.factors, rule.error]
        leaves = [x for own in rule.leaves for x in own]
        roots = _expanded(roots, leaves)
        used = {n for n in topological(roots) if not n.args}
        for type_, own, pointer in zip(key.types, rule.leaves, ("%a", "%b", "%c"), strict=False):
            found = _enclosure(lines, type_, pointer, real, used, own)
            given |= {x: y for x, y in zip(own, found, strict=True) if y}
    values = lines.values(roots, given)
    if key.op == "splat" and result is not T.boolean:
        # A word whose type only its user knows: its enclosure is that of an entry of the pool.
        values += [values[0], *["zeroinitializer"] * (PARTS - 3)]
    for k, value in enumerate(values):
        # The endpoints of an integer are integers, and its Taylor model is one of floats.
        of = result if k < MIDDLE or key.op == "splat" else real
        lines.store(of, value, "%o", k * half)
    if len(values) == MIDDLE and not result.is_float and model_type(result, real) is not None:
        lines.store(real, f"splat ({SCALAR[real]} {_number(np.inf, real)})", "%o", ERROR * half)
    body = "\n".join(lines.lines)
    return f"define void @{name}(ptr %o, ptr %a, ptr %b, ptr %c) {{\nentry:\n{body}\nret void\n}}"


def _number(value: float, type_: T.Type) -> str:
    return literal(const(value, type_))


def _expanded(roots: Sequence[Expr], leaves: Sequence[Expr]) -> list[Expr]:
    known = {x: top(x.type)._replace(nan=False) for x in leaves}
    return list(expand(roots, "exact", ranges=known))


def _endpoints(lines: VectorEmitter, type_: T.Type, pointer: str) -> tuple[str, str]:
    """The endpoints of an operand; if it is NaN, which only a uniform may be, those of all numbers."""
    found = [lines.vector(type_, pointer), lines.vector(type_, pointer, lines.half)]
    if type_.is_float:
        vector = typed(type_, LANES)
        for k, open_ in enumerate((-np.inf, np.inf)):
            wrong = lines.let(f"fcmp uno {vector} {found[k]}, {found[k]}")
            end = f"splat ({SCALAR[type_]} {_number(open_, type_)})"
            found[k] = lines.let(f"select <{LANES} x i1> {wrong}, {vector} {end}, {vector} {found[k]}")
    return found[0], found[1]


def _enclosure(
    lines: VectorEmitter, type_: T.Type, pointer: str, real: T.Type, used: set[Expr], leaves: Sequence[Expr]
) -> list[str]:
    """The parts of an operand's enclosure that are used.

    The middle of a uniform is its bits, and its error is zero. So nothing is known of a value whose middle is not
    finite; and the middle of an integer that is a point is not used, because its endpoints are its value.
    """
    parts = [*(_endpoints(lines, type_, pointer) if used & set(leaves[:2]) else ("", ""))]
    of = model_type(type_, real)
    if of is None:
        return parts
    if not used & set(leaves[MIDDLE:]):
        return [*parts, *[""] * (PARTS - MIDDLE)]
    middle, *factors, error = (
        lines.vector(of, pointer, k * lines.half) if leaves[k] in used or k in (MIDDLE, ERROR) else ""
        for k in range(MIDDLE, PARTS)
    )
    vector = typed(of, LANES)
    gone = lines.let(f"fsub {vector} {middle}, {middle}")
    wrong = lines.let(f"fcmp uno {vector} {gone}, {gone}")
    if type_ is not of:
        low, high = _endpoints(lines, type_, pointer)
        known = lines.let(f"icmp eq {typed(type_, LANES)} {low}, {high}")
        wrong = lines.let(f"or <{LANES} x i1> {wrong}, {known}")
    for value, instead in ((middle, 0.0), (error, np.inf)):
        other = f"splat ({SCALAR[of]} {_number(instead, of)})"
        chosen = lines.let(f"select <{LANES} x i1> {wrong}, {vector} {other}, {vector} {value}")
        parts.append(chosen)
    return [*parts[:3], *factors, parts[3]]
