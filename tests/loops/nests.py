"""Random nests, and whether two nests mean the same: what the tests of every move stand on.

A `Maker` writes statements over a few small arrays and one-element scalars, so that they meet in memory often; `nests`
is the strategy. `agree` runs two kernels by the interpreter on several memories and compares every declared output
bit for bit, the whole of it, NaN and the sign of zero included.

    @given(nests())
    def test_a_move_preserves(kernel):
        for after in everywhere(named("compress"), kernel):
            agree(kernel, after)
"""

import functools
import random
from collections.abc import Iterator

import numpy as np
from hypothesis import strategies as st

from pellucid.ir import expr as E
from pellucid.ir import nest as N
from pellucid.ir import types as T
from pellucid.ir.expr import Buffer, Expr
from pellucid.ir.facts import Facts
from pellucid.ir.interp import run
from pellucid.ir.path import walk
from pellucid.ir.text import print_nest
from pellucid.ir.verify import verify_kernel
from pellucid.loops.core.move import Move
from pellucid.reasoning.prove import Proved

X, Y = Buffer("x", T.i32, 1), Buffer("y", T.i64, 1)
A, B = Buffer("a", T.i32, 7), Buffer("b", T.i32, 5)
C, H, F = Buffer("c", T.i64, 6), Buffer("h", T.u8, 6), Buffer("f", T.f32, 7)
BUFFERS = (X, Y, A, B, C, H, F)
"""Two scalars, three arrays of whole numbers, bytes and floats; all are outputs."""
COUNT, STEP = E.param("n", T.i32), E.param("m", T.i32)
"""The sizes that bounds and positions mention."""
RANGES = {COUNT: Facts(0, 4), STEP: Facts(-2, 3)}
ARGUMENTS = ({"n": 3, "m": 1}, {"n": 0, "m": -2}, {"n": 1, "m": 0}, {"n": 4, "m": 3})


class Maker:
    """Writes random expressions and statements; `indices` are those of the loops around."""

    def __init__(self, rng: random.Random, buffers: tuple[Buffer, ...] = BUFFERS) -> None:
        self.rng, self.buffers, self.names = rng, buffers, 0

    # ---- expressions ----

    def whole(self, indices: tuple[Expr, ...], depth: int = 2, *, loads: bool = True) -> Expr:
        """An i32."""
        pick = self.rng.random()
        if depth <= 0 or pick < 0.45:
            return self.leaf(indices, loads=loads)
        a = self.whole(indices, depth - 1, loads=loads)
        b = self.whole(indices, depth - 1, loads=loads)
        if pick < 0.9:
            return E.apply(self.rng.choice(("add", "add", "sub", "mul", "min", "max")), a, b)
        return E.apply("choose", self.truth(indices, depth - 1, loads=loads), a, b)

    def leaf(self, indices: tuple[Expr, ...], *, loads: bool = True) -> Expr:
        """An i32 constant, index, size or load."""
        kinds = ["const", "size"] + ["index"] * 3 * bool(indices) + ["scalar", "array"] * loads
        match self.rng.choice(kinds):
            case "index":
                return self.rng.choice(indices)
            case "size":
                return self.rng.choice((COUNT, STEP))
            case "scalar":
                return self.load(X, indices)
            case "array":
                return self.load(self.rng.choice((A, B)), indices)
            case _:
                return E.const(self.rng.choice((-1, 0, 1, 1, 2, 3)), T.i32)

    def truth(self, indices: tuple[Expr, ...], depth: int = 1, *, loads: bool = True) -> Expr:
        """A comparison, or a constant now and then."""
        if self.rng.random() < 0.08:
            return self.rng.choice((E.TRUE, E.FALSE))
        a = self.whole(indices, depth, loads=loads)
        b = self.whole(indices, depth, loads=loads)
        return E.apply(self.rng.choice(("lt", "le", "eq", "ne")), a, b)

    def value(self, type_: T.Type, indices: tuple[Expr, ...]) -> Expr:
        """A value of the type of some buffer."""
        if type_ is T.i32:
            return self.whole(indices)
        if self.rng.random() < 0.4:
            buffer = self.rng.choice([b for b in BUFFERS if b.type is type_])
            a = self.load(buffer, indices)
            b = E.apply("convert", self.whole(indices, 1), attr=type_)
            return self.rng.choice((a, E.apply(self.rng.choice(("add", "mul")), a, b)))
        return E.apply("convert", self.whole(indices, 1), attr=type_)

    def load(self, buffer: Buffer, indices: tuple[Expr, ...]) -> Expr:
        """An element, of a scalar the only one."""
        return E.load(buffer, self.position(buffer, indices))

    def position(self, buffer: Buffer, indices: tuple[Expr, ...]) -> Expr:
        """Affine mostly, sometimes another array's element or a scalar."""
        if buffer.size == 1:
            return E.const(0, T.i32)
        pick = self.rng.random()
        if pick < 0.2 or not indices:
            where = self.rng.randrange(-1, buffer.size + 1) if pick < 0.05 else self.rng.randrange(3)
            return E.const(where, T.i32)
        if pick < 0.3:
            return E.load(self.rng.choice((X, B)), self.rng.choice((E.const(0, T.i32), indices[-1])))
        base = self.rng.choice(indices)
        other = self.rng.choice((*indices, COUNT, *(E.const(k, T.i32) for k in (0, 1, 1, 2, 3))))
        if pick < 0.55:
            return base
        if pick < 0.7:
            base = E.apply("mul", base, E.const(2, T.i32))
        return E.apply(self.rng.choice(("add", "add", "sub")), base, other)

    # ---- statements ----

    def index(self, indices: tuple[Expr, ...]) -> Expr:
        """An index that is not in use; loops one after the other may share one."""
        if self.rng.random() < 0.3:
            return E.index(f"i{len(indices) + 1}")
        self.names += 1
        return E.index(f"k{self.names}")

    def store(self, indices: tuple[Expr, ...] = ()) -> N.Store:
        """An assignment to an element or a scalar."""
        buffer = self.rng.choice(self.buffers)
        return N.Store(buffer, self.position(buffer, indices), self.value(buffer.type, indices))

    def loop(self, indices: tuple[Expr, ...] = (), size: int = 2) -> N.For:
        """A loop of few iterations; its bounds may be fixed, sizes, other indices or loads."""
        index = self.index(indices)
        lo = E.const(self.rng.choice((0, 0, 0, 1, -1, 2)), T.i32)
        hi = self.rng.choice((E.const(self.rng.randrange(5), T.i32), COUNT, *indices[-1:]))
        if self.rng.random() < 0.15:
            hi = E.apply("min", self.leaf(indices), E.const(3, T.i32))
            lo = E.apply("max", self.leaf(indices), E.const(-2, T.i32))
        return N.For(index, lo, hi, self.block((*indices, index), size))

    def branch(self, indices: tuple[Expr, ...] = (), size: int = 2) -> N.If:
        """A conditional, often without its second arm."""
        orelse = self.block(indices, size - 1) if self.rng.random() < 0.5 else ()
        return N.If(self.truth(indices), self.block(indices, size), orelse)

    def statement(self, indices: tuple[Expr, ...] = (), size: int = 2) -> N.Statement:
        """Any statement of at most about so many stores."""
        pick = self.rng.random()
        if size <= 1 or pick < 0.5 or len(indices) > 2:
            return self.store(indices)
        return self.loop(indices, size - 1) if pick < 0.78 else self.branch(indices, size - 1)

    def block(self, indices: tuple[Expr, ...] = (), size: int = 2) -> N.Block:
        """One to three statements."""
        return tuple(self.statement(indices, size) for _ in range(self.rng.choice((1, 1, 2, 2, 3))))

    def kernel(self, size: int = 4) -> N.Kernel:
        """A whole program."""
        return program(*self.block((), size), *self.block((), size))


def program(*statements: N.Statement) -> N.Kernel:
    """A kernel of these statements over the buffers of this file."""
    return N.Kernel("k", (COUNT, STEP), BUFFERS, statements)


def makers() -> st.SearchStrategy[Maker]:
    """A maker with its own luck, for programs of a shape that the test writes itself."""
    return st.integers(0, 2**32 - 1).map(lambda seed: Maker(random.Random(seed)))


def nests(largest: int = 4) -> st.SearchStrategy[N.Kernel]:
    """Random programs; a failing one is made smaller by its depth."""
    return st.builds(Maker.kernel, makers(), st.integers(1, largest))


# ---- meaning ----


def memories() -> Iterator[tuple[dict[str, int], dict[Buffer, np.ndarray]]]:
    """Arguments and filled memories to run a program on, the same each time."""
    for seed, arguments in enumerate(ARGUMENTS):
        rng = np.random.default_rng(seed)
        memory = {
            b: rng.integers(-2 if b.type is not T.u8 else 0, 6, b.size).astype(b.type.dtype) for b in BUFFERS
        }
        if seed % 2:
            memory[F][:3] = (np.nan, -0.0, np.inf)
        yield arguments, memory


@functools.lru_cache(maxsize=8)
def meaning(kernel: N.Kernel) -> list[bytes]:
    """The bits of every declared output after each run."""
    found: list[bytes] = []
    for arguments, memory in memories():
        run(kernel, arguments, memory)
        found += [memory[b].tobytes() for b in kernel.outputs]
    return found


def agree(before: N.Kernel, after: N.Kernel) -> None:
    """Fail, with both programs, unless they leave the same bits in all outputs."""
    verify_kernel(after)
    assert meaning(before) == meaning(after), f"{print_nest(before)}\nbecame\n{print_nest(after)}"


def everywhere(move: Move, kernel: N.Kernel, **options: object) -> Iterator[N.Kernel]:
    """The kernel after the move, for every statement where it is proved, not only where `find` looks."""
    for path, _ in walk(kernel.body):
        if isinstance(move.check(kernel, path, ranges=RANGES, **options), Proved):
            yield move.apply(kernel, path, ranges=RANGES, **options).kernel
