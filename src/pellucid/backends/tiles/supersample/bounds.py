"""Pixel-mean bounds: bounds of the means of pixels, from the Taylor models of their samples' values.

The samples of a pixel are symmetric around its middle, so that odd terms of the polynomial cancel out and its mean is
exact. The sum of n samples is n times that mean, with n errors at most, and with roundings: each is relative to a sum
of the magnitudes added so far, which is half of all on average, and below 5/4 of that as long as n is less than a tenth
of the numbers with one exponent. The sums become bytes as those of intervals do.
"""

from __future__ import annotations

from functools import cache

from ....ir import types as T
from ....ir.expr import Expr
from ....ir.intervals.interval import Endpoints, Interval, all_of, at
from ....ir.intervals.notation import Term, choose, fma, maximum
from ....rewriting.expand import expand
from ...jit.engine import machine
from ...jit.spelling import SCALAR, typed
from ...port import CodeStore
from ..machine.emitter import VectorEmitter
from ..sizes import LANES
from ..tape.key import leaf
from ..taylor.kernels import PARTS
from ..taylor.models import MARGIN, ROUNDING, Enclosure, TaylorModel, off, product
from .resolve import SumForm, SumStep, function, pointers, size, values_of, weigh

MAX_STEPS = 8
"""Maximum steps of a sample for a sum."""
MAX_SAMPLES = 1 << 16
"""Maximum samples of a pixel; with `MAX_STEPS` they make 2**19 additions: a 32nd of 2**24."""


@cache
def pixel_means(form: SumForm, half: int, store: CodeStore | None) -> int:
    """The address of a function of (places, pool, count, slack, x, y, z, colors); 0 if there is none.

    x and y are the place of a pixel in its square, and z is the mean square of the distances of its samples, along
    either. The function gives a mask of those of 16 squares in which all bytes of the mean are at most `slack` apart,
    and stores the words in the middle.
    """
    if max(len(u) for u in form.updates) > MAX_STEPS:
        return 0
    source = text(form, half)
    this = machine()
    (place,) = this.kept(source, lambda: source, store, lambda code: this.addresses(code, ("pixel_means",)))
    return place


def text(form: SumForm, half: int) -> str:
    """The LLVM text of the function, and of those that it calls."""
    declared: dict[str, None] = {}
    parts = [weigh(form, half, declared), _pixel_means(form, half, declared)]
    return "\n".join([*declared, *parts])


def _pixel_means(form: SumForm, half: int, declared: dict[str, None]) -> str:
    t, real = form.real, SCALAR[form.real]
    vector, width = typed(t, LANES), LANES * t.bits // 8
    lines = VectorEmitter(half, declared)
    names: dict[Expr, str] = {}

    def named(name: str, value: str) -> Term:
        here = leaf(name, t)
        names[here] = value
        return Term(here)

    values: list[Enclosure] = []
    for k, pointer in enumerate(pointers(lines, "%places", values_of(form))):
        lo, hi, middle, *factors, error = (
            named(f"{n} of {k}", lines.vector(t, pointer, n * half)) for n in range(PARTS)
        )
        values.append(Enclosure(Interval(lo, hi), TaylorModel(middle, tuple(factors), error)))
    place: list[Term] = []
    for n in ("x", "y", "z"):
        one = lines.let(f"fptrunc double %{n} to {real}") if t is T.f32 else f"%{n}"
        place.append(named(n, lines.splat(t, one)))
    count = named("count", lines.splat(t, lines.let(f"uitofp i64 %count to {real}")))
    roots = [end.expr for update in form.updates for end in sum_endpoints(update, values, place, count)]
    found = lines.values(expand(roots, "exact"), names)
    bits = f"<{LANES} x i1>"
    finite = "splat (i1 true)"
    for k, value in enumerate(found):
        gone = lines.let(f"fsub {vector} {value}, {value}")
        known = lines.let(f"fcmp oeq {vector} {gone}, zeroinitializer")
        finite = lines.let(f"and {bits} {finite}, {known}")
        safe = lines.let(f"select {bits} {known}, {vector} {value}, {vector} zeroinitializer")
        lines.lines.append(f"store {vector} {safe}, ptr {lines.at('%sums', k * width)}, align 64")
    body = [
        "entry:", f"%sums = alloca [{2 * size(form) + 64} x i8], align 64", *lines.lines,
        f"%finite = bitcast {bits} {finite} to i16",
        "%near = call i16 @weigh(ptr %sums, ptr %pool, i32 %slack, ptr %colors)",
        "%found = and i16 %near, %finite", "ret i16 %found",
    ]  # fmt: skip
    parameters = (
        "ptr %places, ptr %pool, i64 %count, i32 %slack, double %x, double %y, double %z, ptr %colors"
    )
    return function("i16", "pixel_means", parameters, body)


def sum_endpoints(
    update: tuple[SumStep, ...], values: list[Enclosure], place: list[Term], count: Term
) -> Endpoints:
    """The endpoints of a sum over the samples of a pixel."""
    t = count.type
    zero = count.lift(0.0)
    middle, error, large, most = zero, zero, zero, zero
    for step in update:
        first, *rest = (values[k] for k in step.values)
        model, size_, high = first.model, first.size, _most(first)
        for second in rest:
            model, size_, high = product(first, second), size_ * second.size, high * _most(second)
        there = _mean(model, place)
        middle = middle - there if step.op == "sub" else middle + there
        error, large, most = error + model.error, large + size_, most + high
    total = count * middle
    pad = (
        off(error, large, 24 + 2 * len(update)) + most * ((count + 1.0) * (0.625 * len(update) * ROUNDING[t]))
    ) * count
    pad = fma(pad, 1 + MARGIN * ROUNDING[t], abs(total) * (4 * ROUNDING[t]))
    low, high = total - pad, total + pad
    if [step.op for step in update] != ["add"]:
        return low, high
    # Sums of small multiples of 1/64 are exact.
    lo, hi = values[update[0].values[0]].interval
    parts = lo * 64.0
    exact = all_of(lo.equals(hi), at("floor", parts).equals(parts), abs(lo) * count <= 2.0**16)
    return choose(exact, lo * count, low), choose(exact, lo * count, high)


def _most(form: Enclosure) -> Term:
    """A bound of the magnitude."""
    return maximum(abs(form.interval.lo), abs(form.interval.hi))


def _mean(model: TaylorModel, place: list[Term]) -> Term:
    """The mean of a polynomial over the samples of a pixel: U, V, and odd terms in X and Y cancel out."""
    x, y, z = place
    across, down, _, _, first, mixed, second = model.factors
    straight = fma(across, x, fma(down, y, model.middle))
    return fma(first, fma(x, x, z), fma(second, fma(y, y, z), fma(mixed, x * y, straight)))
