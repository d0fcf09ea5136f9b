"""Sample resolve: recognizes the mean of a pixel's samples, and compiles three native functions for it.

A supersampled pixel is an iteration that adds up the channels of its samples, row after row, and a word made of the
sums. The tape computes the samples. Pictures share a few forms of sums and words, each compiled once: `sum` adds up
samples of 16 pixels, `finish` makes words of the sums, and `bounds` decides which intervals of samples make one word.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from ....ir import expr as E
from ....ir import prim as table
from ....ir import types as T
from ....ir.expr import Expr
from ....ir.facts import Facts, top
from ....ir.intervals.interval import Interval
from ....ir.intervals.notation import Term
from ....reasoning.intervals import endpoints
from ....rewriting.expand import expand
from ...jit.engine import machine
from ...jit.spelling import SCALAR, typed
from ...port import CodeStore
from ..abi import MAX_VALUES
from ..machine.emitter import VectorEmitter
from ..sizes import LANES
from ..tape.key import leaf

COUNTERS = 2
"""The counters at the beginning of the iteration's state: samples of a row, and rows of samples."""


class SumStep(NamedTuple):
    """A step of a sum: "add" or "sub" and the number of a value, or "fma" and those of two, whose product is fused.

    It is monotone in the sum, because rounding is.
    """

    op: str
    values: tuple[int, ...]


class SumForm(NamedTuple):
    """The form of a mean: sums over samples, and a word made of them.

    real      the type of the values of a sample, and of their sums.
    updates   the steps of a sample for each sum, in order.
    word      the packed pixel over `sum_leaf` and `uniform_leaf`.
    uniforms  the types of its uniforms.
    """

    real: T.Type
    updates: tuple[tuple[SumStep, ...], ...]
    word: Expr
    uniforms: tuple[T.Type, ...]


class Mean(NamedTuple):
    """A supersampled pixel: the values of a sample, and the form of their mean.

    `across` and `down` count the samples of a pixel, `side` by `side`; `uniforms` are the values of the form's
    uniforms.
    """

    across: Expr
    down: Expr
    side: Expr
    values: tuple[Expr, ...]
    form: SumForm
    uniforms: tuple[Expr, ...]


def sum_leaf(k: int, type_: T.Type) -> Expr:
    """The leaf of `SumForm.word` for the sum of that number; `weigh` and `_finish` replace it."""
    return leaf(f"sum {k}", type_)


def uniform_leaf(k: int, type_: T.Type) -> Expr:
    """The leaf of `SumForm.word` for the uniform of that number, which is an entry of the pool."""
    return leaf(f"uniform {k}", type_)


def mean_of(value: Expr) -> Mean | None:
    """The mean that a pixel is; None if it is no word made of sums over its samples."""
    loops = [n for n in E.topological([value]) if n.op == "iterate"]
    if not loops:
        return None
    loop = max(loops, key=lambda n: n.attr[0])
    init, steps, stop, limit = E.parts(loop)
    depth = loop.attr[0]
    across, down = (E.state(depth, k, T.i32) for k in range(COUNTERS))
    side = _side(init, steps, across, down)
    if side is None or side.free or stop is not E.FALSE or limit is not E.apply("mul", side, side):
        return None
    values: dict[Expr, int] = {}
    updates: list[tuple[SumStep, ...]] = []
    sums: dict[Expr, Expr] = {}
    for k in range(COUNTERS, len(steps)):
        zero, step = init[k], steps[k]
        sum_ = E.state(depth, k, zero.type)
        if not zero.type.is_float or zero is not E.const(0.0, zero.type):
            return None
        if step is sum_:
            sums[E.get(loop, k)] = zero
            continue
        chain = _chain(step, sum_)
        terms = [x for _, given in chain or () for x in given]
        inside = {n for n in E.topological(terms) if n.op == "state" and n.attr[0] == depth}
        if chain is None or not inside <= {across, down}:
            return None
        sums[E.get(loop, k)] = sum_leaf(len(updates), zero.type)
        numbers = {t: values.setdefault(t, len(values)) for t in terms}
        updates.append(tuple([SumStep(op, tuple([numbers[x] for x in given])) for op, given in chain]))
    (word,) = E.substitute([value], sums)
    used = [n for n in E.topological([word]) if n.free]
    own = set(sums.values())
    if any(not n.args and n not in own for n in used):
        return None
    uniforms = dict.fromkeys(a for n in used for a in n.args if not a.free and a.op != "const")
    leaves = {x: uniform_leaf(k, x.type) for k, x in enumerate(uniforms)}
    (word,) = E.substitute([word], dict(leaves))
    if not 0 < len(values) <= MAX_VALUES:
        return None
    types = tuple([x.type for x in uniforms])
    form = SumForm(init[-1].type, tuple(updates), word, types)
    return Mean(across, down, side, tuple(values), form, tuple(uniforms))


def _side(init: Sequence[Expr], steps: Sequence[Expr], across: Expr, down: Expr) -> Expr | None:
    """The samples in a row, if the first two components count them and their rows; else None."""
    if len(steps) <= COUNTERS or steps[0].op != "choose":
        return None
    zero, one = E.const(0, T.i32), E.const(1, T.i32)
    more = E.apply("add", across, one)
    wrapped = steps[0].args[0]
    if wrapped.op != "le" or wrapped.args[1] is not more or tuple(init[:COUNTERS]) != (zero, zero):
        return None
    expected = (
        E.apply("choose", wrapped, zero, more),
        E.apply("choose", wrapped, E.apply("add", down, one), down),
    )
    return wrapped.args[0] if tuple(steps[:COUNTERS]) == expected else None


def _chain(step: Expr, sum_: Expr) -> list[tuple[str, tuple[Expr, ...]]] | None:
    """The steps of a sum in order, with their terms; None if it has another form."""
    found: list[tuple[str, tuple[Expr, ...]]] = []
    while step is not sum_:
        deep = [sum_ in E.topological([a]) for a in step.args]
        if step.op == "add" and sum(deep) == 1:
            found.append(("add", (step.args[deep.index(False)],)))
        elif (step.op == "sub" and deep == [True, False]) or (
            step.op == "fma" and deep == [False, False, True]
        ):
            found.append((step.op, tuple([a for a, d in zip(step.args, deep, strict=True) if not d])))
        else:
            return None
        step = step.args[deep.index(True)]
    return found[::-1]


# ---- native functions ----


class Functions(NamedTuple):
    """Addresses of a form's functions.

    sum     (sums, places, strides, first, count): adds samples first .. first + count - 1 to 16 pixels' sums.
    finish  (sums, pool, colors): stores the words of 16 pixels.
    bounds  (places, pool, count, slack, colors): from intervals of samples, gives a mask of the lanes in which the
            bytes of any mean of so many are at most `slack` apart, and stores the words in the middle.
    """

    sum: int
    finish: int
    bounds: int


@cache
def functions(form: SumForm, half: int, store: CodeStore | None) -> Functions:
    """A form's functions for vectors of `half` bytes."""
    source = text(form, half)
    this = machine()
    places = this.kept(source, lambda: source, store, lambda code: this.addresses(code, Functions._fields))
    return Functions(*places)


def text(form: SumForm, half: int) -> str:
    """The LLVM text of a form's functions."""
    declared: dict[str, None] = {}
    parts = [build(form, half, declared) for build in (_sum, _finish, weigh, _bounds)]
    return "\n".join([*declared, *parts])


def size(form: SumForm) -> int:
    """Bytes of the sums of 16 pixels."""
    return len(form.updates) * LANES * form.real.bits // 8


def _plain(form: SumForm) -> tuple[str, int]:
    """The LLVM type of 16 sums, and its bytes."""
    return typed(form.real, LANES), LANES * form.real.bits // 8


def pointers(lines: VectorEmitter, name: str, count: int) -> list[str]:
    """Load pointers from an array."""
    return [lines.let(f"load ptr, ptr {lines.at(name, 8 * k)}") for k in range(count)]


def values_of(form: SumForm) -> int:
    """The number of values of a sample."""
    return 1 + max(k for u in form.updates for step in u for k in step.values)


def _sum(form: SumForm, half: int, declared: dict[str, None]) -> str:
    vector, width = _plain(form)
    head, body = VectorEmitter(half, declared, "u"), VectorEmitter(half, declared)
    places = pointers(head, "%places", values_of(form))
    strides = [head.let(f"load i64, ptr {head.at('%strides', 8 * k)}") for k in range(len(places))]
    places_of_sums = [head.at("%sums", k * width) for k in range(len(form.updates))]
    first = [head.let(f"load {vector}, ptr {c}, align 64") for c in places_of_sums]
    last = head.let("add i64 %first, %count")
    values = [
        body.vector(form.real, p, body.let(f"mul i64 %k, {s}")) for p, s in zip(places, strides, strict=True)
    ]
    new: list[str] = []
    for k, update in enumerate(form.updates):
        sum_ = f"%s{k}"
        for step in update:
            sum_ = _stepped(form, body, step.op, sum_, [values[v] for v in step.values])
        new.append(sum_)
    phis = [
        f"%s{k} = phi {vector} [ {a}, %entry ], [ {b}, %loop ]"
        for k, (a, b) in enumerate(zip(first, new, strict=True))
    ]
    stores = [f"store {vector} {b}, ptr {c}, align 64" for b, c in zip(new, places_of_sums, strict=True)]
    lines = [
        "entry:", *head.lines, "br label %loop",
        "loop:", "%k = phi i64 [ %first, %entry ], [ %next, %loop ]", *phis, *body.lines,
        "%next = add i64 %k, 1", f"%more = icmp slt i64 %next, {last}", "br i1 %more, label %loop, label %out",
        "out:", *stores, "ret void",
    ]  # fmt: skip
    parameters = "ptr %sums, ptr %places, ptr %strides, i64 %first, i64 %count"
    return function("void", "sum", parameters, lines)


def function(result: str, name: str, parameters: str, lines: Sequence[str]) -> str:
    """The LLVM text of a function."""
    body = "\n".join(lines)
    return f"define {result} @{name}({parameters}) {{\n{body}\n}}"


def _stepped(form: SumForm, lines: VectorEmitter, op: str, sum_: str, terms: Sequence[str]) -> str:
    """A sum after a step, as the row spells it."""
    t = form.real
    leaves = tuple(leaf(str(k), t) for k in range(len(terms) + 1))
    operands = (*terms, sum_) if op == "fma" else (sum_, *terms)
    return lines.values([E.apply(op, *leaves)], dict(zip(leaves, operands, strict=True)))[0]


def _uniforms(form: SumForm, lines: VectorEmitter) -> dict[Expr, str]:
    """The uniforms, which are the last entries of the pool."""
    found: dict[Expr, str] = {}
    for k, t in enumerate(form.uniforms):
        found[uniform_leaf(k, t)] = lines.uniform(t, lines.at("%pool", -(k + 1) * 2 * lines.half))
    return found


def _finish(form: SumForm, half: int, declared: dict[str, None]) -> str:
    vector, width = _plain(form)
    lines = VectorEmitter(half, declared)
    names = _uniforms(form, lines)
    for k in range(len(form.updates)):
        names[sum_leaf(k, form.real)] = lines.let(
            f"load {vector}, ptr {lines.at('%sums', k * width)}, align 64"
        )
    (word,) = lines.values(expand([form.word], "exact"), names)
    return function(
        "void",
        "finish",
        "ptr %sums, ptr %pool, ptr %colors",
        ["entry:", *lines.lines, f"store {typed(T.u32, LANES)} {word}, ptr %colors, align 4", "ret void"],
    )


def _cuts(word: Expr) -> list[Expr]:
    """The nodes at which numbers become integers or truths; the word is made of these alone."""
    found: dict[Expr, None] = {}
    rest = [word]
    while rest:
        node = rest.pop()
        if not node.type.is_float and any(a.type.is_float for a in node.args):
            found[node] = None
        else:
            rest += node.args
    return list(found)


def weigh(form: SumForm, half: int, declared: dict[str, None]) -> str:
    """Write `weigh`: from intervals of sums, a mask of lanes in which bytes are within the slack, and middle words."""
    vector, width = _plain(form)
    lines = VectorEmitter(half, declared)
    names = _uniforms(form, lines)
    intervals: dict[Expr, Interval] = {x: Interval(Term(x), Term(x)) for x in names}
    known: dict[Expr, Facts] = {}
    for k in range(len(form.updates)):
        pair = [leaf(f"{end} {k}", form.real) for end in ("low", "high")]
        for n, x in enumerate(pair):
            names[x] = lines.let(f"load {vector}, ptr {lines.at('%sums', (2 * k + n) * width)}, align 64")
            known[x] = top(form.real)._replace(nan=False)
        intervals[sum_leaf(k, form.real)] = Interval(Term(pair[0]), Term(pair[1]))
    cuts = _cuts(form.word)
    for node in E.topological(cuts):
        if node.op == "const":
            intervals[node] = Interval(Term(node), Term(node))
        elif node.args:
            intervals[node] = Interval(
                *endpoints(table.row(node.op), node.type, *[intervals[a] for a in node.args])
            )
    pairs = [end.expr for cut in cuts for end in intervals[cut]]
    found = lines.values(expand(pairs, "exact", ranges=known), names)
    mask = "splat (i1 true)"
    bits = f"<{LANES} x i1>"
    middles: dict[Expr, str] = {}
    for k, cut in enumerate(cuts):
        low, high = found[2 * k : 2 * k + 2]
        if cut.type is T.boolean:
            same = lines.let(f"icmp eq {bits} {low}, {high}")
            mask = lines.let(f"and {bits} {mask}, {same}")
            middles[leaf(f"byte {k}", cut.type)] = low
            continue
        type_ = typed(cut.type, LANES)
        one = lines.let(f"insertelement {type_} poison, {SCALAR[cut.type]} %slack, i64 0")
        slack = lines.let(f"shufflevector {type_} {one}, {type_} poison, <{LANES} x i32> zeroinitializer")
        apart = lines.let(f"sub {type_} {high}, {low}")
        near = lines.let(f"icmp ule {type_} {apart}, {slack}")
        mask = lines.let(f"and {bits} {mask}, {near}")
        step = lines.let(f"lshr {type_} {apart}, splat ({SCALAR[cut.type]} 1)")
        middles[leaf(f"byte {k}", cut.type)] = lines.let(f"add {type_} {low}, {step}")
    (word,) = E.substitute([form.word], dict(zip(cuts, middles, strict=True)))
    (color,) = lines.values(expand([word], "exact"), {**names, **middles})
    body = [
        "entry:", *lines.lines, f"store {typed(T.u32, LANES)} {color}, ptr %colors, align 4",
        f"%bits = bitcast {bits} {mask} to i16", "ret i16 %bits",
    ]  # fmt: skip
    return function("i16", "weigh", "ptr %sums, ptr %pool, i32 %slack, ptr %colors", body)


def _bounds(form: SumForm, half: int, declared: dict[str, None]) -> str:
    """Write `bounds`: by an estimate of the sums first, and if it is within the slack, by the sums of the endpoints.

    Rounding is monotone: the sum of values between endpoints is between the sums of the endpoints.
    """
    vector, width = _plain(form)
    t, real = form.real, SCALAR[form.real]
    bits = f"<{LANES} x i1>"
    head, guess, body = (VectorEmitter(half, declared, p) for p in "ugv")
    places = pointers(head, "%places", values_of(form))
    low = [head.vector(t, p) for p in places]
    high = [head.vector(t, p, half) for p in places]
    finite = "splat (i1 true)"
    for x in dict.fromkeys([*low, *high]):
        gone = head.let(f"fsub {vector} {x}, {x}")
        whole = head.let(f"fcmp oeq {vector} {gone}, zeroinitializer")
        finite = head.let(f"and {bits} {finite}, {whole}")
    head.lines.append(f"%finite = bitcast {bits} {finite} to i16")
    number = guess.let(f"uitofp i64 %count to {real}")
    many = guess.splat(t, number)
    phis: list[str] = []
    stores: list[str] = []
    for k, update in enumerate(form.updates):
        for n in range(2):
            place = 2 * k + n
            near, new = "zeroinitializer", f"%s{place}"
            for step in update:
                corners = _corners(step, low, high, most=bool(n))
                near = _extreme(
                    guess, t, [_stepped(form, guess, step.op, near, c) for c in corners], most=bool(n)
                )
                new = _extreme(
                    body, t, [_stepped(form, body, step.op, new, c) for c in corners], most=bool(n)
                )
            total = guess.let(f"fmul {vector} {near}, {many}")
            guess.lines.append(f"store {vector} {total}, ptr {guess.at('%sums', place * width)}, align 64")
            phis.append(f"%s{place} = phi {vector} [ zeroinitializer, %exact ], [ {new}, %loop ]")
            stores.append(f"%at{place} = getelementptr i8, ptr %sums, i64 {place * width}")
            stores.append(f"store {vector} {new}, ptr %at{place}, align 64")
    weigh = "call i16 @weigh(ptr %sums, ptr %pool, i32 %slack, ptr %colors)"
    lines = [
        "entry:", f"%sums = alloca [{2 * size(form) + 64} x i8], align 64",
        *head.lines, *guess.lines,
        f"%guess = {weigh}", "%hope = and i16 %guess, %finite",
        "%none = icmp eq i16 %hope, 0", "br i1 %none, label %out, label %exact",
        "exact:", "br label %loop",
        "loop:", "%k = phi i64 [ 0, %exact ], [ %next, %loop ]", *phis, *body.lines,
        "%next = add i64 %k, 1", "%more = icmp slt i64 %next, %count",
        "br i1 %more, label %loop, label %done",
        "done:", *stores, f"%sure = {weigh}", "%found = and i16 %sure, %finite", "br label %out",
        "out:", "%result = phi i16 [ 0, %entry ], [ %found, %done ]", "ret i16 %result",
    ]  # fmt: skip
    parameters = "ptr %places, ptr %pool, i64 %count, i32 %slack, ptr %colors"
    return function("i16", "bounds", parameters, lines)


def _corners(step: SumStep, low: Sequence[str], high: Sequence[str], *, most: bool) -> list[tuple[str, ...]]:
    """The choices of endpoints one of which gives the least, or the most, of a step: four for a product."""
    first, *rest = step.values
    if not rest:
        return [(high[first] if most is (step.op == "add") else low[first],)]
    (second,) = rest
    both = [(low[first], low[second]), (high[first], high[second]), (low[first], high[second])]
    return both if first == second else [*both, (high[first], low[second])]


def _extreme(lines: VectorEmitter, t: T.Type, values: Sequence[str], *, most: bool) -> str:
    """The least or the greatest of some numbers, as LLVM text."""
    vector = typed(t, LANES)
    best = values[0]
    for x in values[1:]:
        better = lines.let(f"fcmp {'ogt' if most else 'olt'} {vector} {x}, {best}")
        best = lines.let(f"select <{LANES} x i1> {better}, {vector} {x}, {vector} {best}")
    return best
