"""What every back end must pass: each row of the table on spicy values, and small programs, against the meaning.

A back end shows that it belongs by a few lines in a test file: ``backend_suite(MyBackend)`` gives named checks that
raise AssertionError where its results differ from `ir.interp` in a single bit (any NaN is as good as another).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...ir import expr as E
from ...ir import interp
from ...ir import nest as N
from ...ir import prim as table
from ...ir import types as T
from ...ir.expr import Buffer, Expr
from ...ir.facts import Facts, top
from ...ir.parse import parse_nest
from ...ir.prim import Prim
from ..port import Array, Backend, Memory, Ranges
from .program import ConformanceProgram
from .programs import PROGRAMS

Check = tuple[str, Callable[[], None]]
WIDTHS = (1, 2, 3, 15, 16, 17, 33)


def spicy(type_: T.Type) -> Array:
    """Values of a type on which programs go wrong: zeros of both signs, extremes, NaN, neighbors of round numbers.

    >>> len(spicy(T.boolean)), bool(np.isnan(spicy(T.f32)).any())
    (2, True)
    """
    if type_ is T.boolean:
        return np.array([False, True])
    if type_.is_integer:
        low, high, bits = int(type_.low), int(type_.high), type_.bits
        near = [0, 1, 2, 3, 5, 7, bits - 1, bits, bits + 1, 100, 1 << (bits // 2), (1 << (bits // 2)) - 1]
        values = {*near, *(-v for v in near), low, low + 1, high, high - 1, high // 2 + 1, high // 3}
        return np.array(sorted(v for v in values if low <= v <= high), dtype=type_.dtype)
    info = np.finfo(type_.dtype)
    base = [0.0, 1.0, 0.5, 1.5, 2.5, 0.1, 3.0, 100.0, 255.0, 65536.0, 2.0**31, 2.0**32, 2.0**63, 1e10]
    base += [
        float(info.tiny),
        float(info.smallest_subnormal),
        float(info.max),
        np.inf,
        np.pi,
        2.0**23,
        2.0**52,
    ]
    with np.errstate(all="ignore"):
        one = np.array(base, dtype=type_.dtype)
        round_ = one[np.isfinite(one)]
        near_ = np.concatenate([np.nextafter(round_, type_.dtype.type(d)) for d in (-np.inf, np.inf)])
    both = np.concatenate([one, near_])
    return np.concatenate([both, -both, np.array([np.nan], dtype=type_.dtype)])


def same_bits(a: Array, b: Array) -> bool:
    """Whether two arrays hold the same bits, any NaN being as good as another.

    >>> same_bits(np.float32([0.0]), np.float32([-0.0]))
    False
    """
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype.kind != "f":
        return bool((a == b).all())
    word = np.dtype(f"u{a.dtype.itemsize}")
    return bool(((a.view(word) == b.view(word)) | (np.isnan(a) & np.isnan(b))).all())


def agree(
    backend: Backend,
    kernel: N.Kernel,
    arguments: Mapping[str, Any],
    memory: Memory,
    ranges: Ranges | None = None,
    meaning: N.Kernel | None = None,
) -> None:
    """Run a kernel by a back end and by the interpreter on equal memory, and compare all of it.

    `meaning` is what the interpreter runs, if not the kernel itself. Raises AssertionError that names the first
    difference.
    """
    expected = {b: m.copy() for b, m in memory.items()}
    found = {b: m.copy() for b, m in memory.items()}
    interp.run(meaning or kernel, arguments, expected)
    backend.compile(kernel, ranges or {}).run(arguments, found)
    for b, want in expected.items():
        got = found[b]
        if not same_bits(want, got):
            at = next(k for k in range(len(want)) if not same_bits(want[k : k + 1], got[k : k + 1]))
            raise AssertionError(
                f"{backend.name}: {kernel.name}: {b.name}[{at}] is {got[at]!r}, not {want[at]!r}, for {dict(arguments)}"
            )


# ---- every row on every type ----


def signatures(prim: Prim) -> Iterator[tuple[tuple[T.Type, ...], T.Type | None]]:
    """The types that a row takes, with the type to convert to where it has one."""
    letters = list(dict.fromkeys(prim.letters))
    for choice in itertools.product(*(table.CLASSES[letter] for letter in letters)):
        types = tuple(dict(zip(letters, choice, strict=True))[letter] for letter in prim.letters)
        if prim.result != "@":
            yield types, None
            continue
        for target in T.ALL:
            if prim.targets is None or prim.targets(types[0], target):
                yield types, target


def domain_bounds(prim: Prim, types: tuple[T.Type, ...], attr: T.Type | None) -> list[Facts] | None:
    """Bounds of the operands within which a row may be used as it is; None if none were found.

    Rows without a `domain` take anything. Otherwise each operand is left free if it can be, or kept within the first
    of a few plain intervals that the row accepts.
    """
    unbounded = [top(t) for t in types]
    if prim.domain is None:
        return unbounded
    extra = (attr,) if attr is not None else ()

    def candidates(t: T.Type) -> Iterator[Facts]:
        yield top(t)
        for other in (attr, types[0]):
            if other is not None and other is not t:
                yield Facts(_fit(t, other.low), _fit(t, other.high))
        for lo, hi in ((-100, 100), (0, 100), (0, types[0].bits - 1), (0, 1)):
            if t.low <= lo and hi <= t.high:
                yield Facts(float(lo), float(hi)) if t.is_float else Facts(lo, hi)

    for bounds in itertools.product(*(list(candidates(t)) for t in types)):
        if prim.domain(types, *bounds, *extra):
            return list(bounds)
    return None


def _fit(type_: T.Type, value: float | int) -> float | int:
    """A number rounded towards zero into a type."""
    if not type_.is_float:
        return int(min(max(value, type_.low), type_.high))
    with np.errstate(over="ignore"):
        near = type_.dtype.type(value)
    if abs(int(near)) > abs(int(value)):
        near = np.nextafter(near, type_.dtype.type(0))
    return float(near)


def kept_within(x: Expr, bounds: Facts) -> Expr:
    """An expression clamped to bounds narrower than its type."""
    if bounds == top(x.type):
        return x
    low = E.apply("max", x, E.const(bounds.lo, x.type))
    return E.apply("min", low, E.const(bounds.hi, x.type))


def row_kernel(prim: Prim, *, lanes: int = 16, most: int = 2048) -> tuple[N.Kernel, dict[Buffer, Array]]:
    """A kernel that applies a row to spicy values, for all its types, in order and (if there are any) by lanes.

    Every combination of operands is there, or a sample of `most`.
    """
    memory: dict[Buffer, Array] = {}
    statements: list[N.Statement] = []
    i = E.index("i")
    generator = np.random.default_rng(7)
    for number, (types, attr) in enumerate(signatures(prim)):
        bounds = domain_bounds(prim, types, attr)
        if bounds is None:
            raise AssertionError(f"no operands are known on which {prim.name} may be used on {types}")
        columns = [c.ravel() for c in np.meshgrid(*(spicy(t) for t in types), indexing="ij")]
        if len(columns[0]) > most:
            picked = generator.choice(len(columns[0]), most, replace=False)
            columns = [c[picked] for c in columns]
        size = len(columns[0])
        inputs = [
            Buffer(f"in{number}_{k}", t, size, np.ascontiguousarray(c))
            for k, (t, c) in enumerate(zip(types, columns, strict=True))
        ]
        args = [kept_within(E.load(b, i), f) for b, f in zip(inputs, bounds, strict=True)]
        value = E.apply(prim.name, *args, attr=attr)
        for how in (N.SEQ, N.lanes(lanes)) if lanes else (N.SEQ,):
            out = Buffer(f"{how.kind}{number}", value.type, size)
            memory[out] = np.zeros(size, out.type.dtype)
            statements.append(
                N.For(i, E.const(0, T.i32), E.const(size, T.i32), (N.Store(out, i, value),), how)
            )
    return N.Kernel(f"row_{prim.name}", (), tuple(memory), tuple(statements)), memory


def _row_check(make_backend: Callable[[], Backend], prim: Prim, lanes: int) -> None:
    kernel, memory = row_kernel(prim, lanes=lanes)
    # Iterations are independent here, and whole arrays are quicker to interpret than one element after the other.
    loops = tuple(replace(s, how=N.lanes(1)) if isinstance(s, N.For) else s for s in kernel.body)
    agree(make_backend(), kernel, {}, memory, meaning=replace(kernel, body=loops))


# ---- programs ----


def _program_check(make_backend: Callable[[], Backend], program: ConformanceProgram, width: int) -> None:
    backend = make_backend()
    kernel = parse_nest(program.text.replace("WIDTH", str(width)))
    code = backend.compile(kernel, {})
    for arguments in program.cases(width):
        expected, found = (_program_memory(kernel, program) for _ in range(2))
        interp.run(kernel, arguments, expected)
        code.run(arguments, found)
        for b, want in expected.items():
            if not same_bits(want, found[b]):
                run = f"{program.name}, {width} lanes, {arguments}"
                raise AssertionError(f"{backend.name}: {run}: {b.name} is {found[b]}, not {want}")


def _program_memory(kernel: N.Kernel, program: ConformanceProgram) -> dict[Buffer, Array]:
    generator = np.random.default_rng(11)
    memory: dict[Buffer, Array] = {}
    for b in (*kernel.outputs, *N.inputs(kernel)):
        if b.type.is_float:
            data = generator.uniform(-program.spread, program.spread, b.size).astype(b.type.dtype)
        elif b.type is T.boolean:
            data = generator.integers(0, 2, b.size).astype(bool)
        else:
            low = 0 if b.type.kind == "unsigned" else -program.whole
            data = generator.integers(low, min(program.whole, int(b.type.high)), b.size).astype(b.type.dtype)
        memory[b] = data
    return memory


def backend_suite(
    make_backend: Callable[[], Backend], *, widths: Sequence[int] = WIDTHS, only: Sequence[str] = ()
) -> list[Check]:
    """The checks that a back end must pass, as pairs of a name and a function without arguments.

    `widths` are the numbers of lanes that programs are run with: ``(1,)`` for a back end without vectors of its own.
    `only` keeps the checks whose
    names contain one of the words. Rows that are expressions of simpler rows are left out: no back end sees them.
    """
    rows = [p for p in table.table().values() if p.body is None]
    lanes = 16 if max(widths) > 1 else 0
    checks = [(f"row {p.name}", _bind(_row_check, make_backend, p, lanes)) for p in rows]
    for program in PROGRAMS:
        vectors = "WIDTH" in program.text
        for width in widths if vectors else (1,):
            name = f"program {program.name}" + (f" by {width}" if vectors else "")
            checks.append((name, _bind(_program_check, make_backend, program, width)))
    return [c for c in checks if not only or any(word in c[0] for word in only)]


def _bind(function: Callable[..., None], *args: Any) -> Callable[[], None]:
    return lambda: function(*args)
