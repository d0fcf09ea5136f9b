"""The ten kernels of `bits.py` as nests: samples in lanes, read and written where they lie.

A stream says where samples are; here the nest says it, as anyone may write one. Blocks of whole cycles run by lanes, what
is left runs in order. Lanes and bands stand in the text, so that the optimizer only works the expressions out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from pellucid.driver.lending import make_backend
from pellucid.driver.options import Options
from pellucid.driver.pipeline import Optimized, array_script, expansion, optimize
from pellucid.ir.nest import Kernel, inputs
from pellucid.ir.parse import parse_nest
from pellucid.loops.core.tactic import attempt, everywhere

OPTIONS = Options("exact", "f64", "llvm")
BLOCK = 2048
"""Iterations of a block: several turns of the lanes, and few enough that bands are fine."""
MASK32 = 0xFFFFFFFF


@dataclass(frozen=True)
class Loop:
    """A loop of stores at an index, by lanes: what it declares, and how many samples an iteration has."""

    declared: Callable[[int], str]
    body: Callable[[str], str]
    lanes: int
    samples: int = 1
    block: int = BLOCK

    def text(self, name: str, count: int) -> str:
        """The nest for so many samples, a whole number of iterations."""
        turns = count // self.samples
        blocks = turns // self.block
        how = f" by {self.lanes} lanes" if self.lanes > 1 else ""
        lines = [
            f"  for r in 0 .. {blocks} spread over bands of 4:",
            f"    for j in 0 .. {self.block}{how}:",
            *(f"      {line}" for line in self.body(f"(r * {self.block} + j)").splitlines()),
        ]
        if turns % self.block:
            lines.append(f"  for i in {blocks * self.block} .. {turns}:")
            lines += [f"    {line}" for line in self.body("i").splitlines()]
        return "\n".join([f"kernel {name}():", self.declared(count), *lines, ""])


def maps(constants: Mapping[str, Any]) -> dict[str, Loop]:
    """The kernels that make samples of samples; `constants` has the taps, and the numbers of the oscillators."""
    taps = [int(t) for t in constants["taps"]]
    carrier, modulator = constants["carrier"], constants["modulator"]
    turn = 32

    def to6(i: str) -> str:
        a = [f"(a[{i} * 4 + {k}] & 63:u8)" for k in range(4)]
        cut = [
            f"shift_right_in({a[k]}, {2 * k}:u8) | shift_left_in({a[k + 1]}, {6 - 2 * k}:u8)"
            for k in range(3)
        ]
        return "\n".join(f"out[{i} * 3 + {k}] := {value}" for k, value in enumerate(cut))

    def from6(i: str) -> str:
        a = [f"a[{i} * 3 + {k}]" for k in range(3)]
        both = [
            f"shift_right_in({a[k]}, {6 - 2 * k}:u8) | shift_left_in({a[k + 1]}, {2 + 2 * k}:u8)"
            for k in (0, 1)
        ]
        cut = [a[0], *both, f"shift_right_in({a[2]}, 2:u8)"]
        return "\n".join(f"out[{i} * 4 + {k}] := ({value}) & 63:u8" for k, value in enumerate(cut))

    def fir5(i: str) -> str:
        terms = [f"convert.i32(a[{i} + {k}]) * {t}" for k, t in enumerate(taps)]
        return f"out[{i}] := convert.i16({' + '.join(terms)} >> 15)"

    def fm(i: str) -> str:
        """So many samples in order: their phases are constants apart, and tables give the rest."""

        def phase(step: int, k: int) -> str:
            return f"convert.u32({i}) * {step * turn & MASK32}:u32 + {step * k & MASK32}:u32"

        return "\n".join(
            f"out[{i} * {turn} + {k}] := wave[convert.i32(({phase(carrier, k)} + "
            f"convert.u32(moved[convert.i32({phase(modulator, k)} >> 22:u32)])) >> 22:u32)]"
            for k in range(turn)
        )

    def like(type_: str, *more: str, after: int = 0) -> Callable[[int], str]:
        """As many samples out as in, some of which come after the last one; and other inputs."""
        lines = ["  output out: {t}[{n}]", "  input a: {t}[{m}]", *more]
        return lambda n: "\n".join(lines).format(t=type_, n=n, m=n + after)

    def sized(out: Fraction, of: Fraction) -> Callable[[int], str]:
        """Bytes out and in, for each sample."""
        return lambda n: f"  output out: u8[{n * out}]\n  input a: u8[{n * of}]"

    byte, six = Fraction(1), Fraction(3, 4)
    average = "out[{0}] := (a[{0}] & b[{0}]) + ((a[{0}] ^ b[{0}]) >> 1:i16)"
    return {
        "spread16": Loop(sized(2 * byte, byte), "out[{0} * 2] := a[{0}]".format, 256),
        "from6": Loop(sized(byte, six), from6, 64, 4),
        "to6": Loop(sized(six, byte), to6, 64, 4),
        "lut8": Loop(
            like("u8", "  input table: u8[256]"), "out[{0}] := table[convert.i32(a[{0}])]".format, 64
        ),
        "add10": Loop(like("i16"), "out[{0}] := a[{0}] + 10:i16".format, 128),
        "mix": Loop(like("i16", "  input b: i16[{n}]"), average.format, 64),
        "fir5": Loop(like("i16", after=8), fir5, 32),
        "fm": Loop(
            lambda n: f"  output out: i16[{n}]\n  input wave: i16[1024]\n  input moved: i32[1024]",
            fm, 1, turn, 32,
        ),
    }  # fmt: skip


@dataclass(frozen=True)
class Sum:
    """A sum in bands: each adds up rows of lanes, at every step a few at once.

    `row` is what a lane takes of one of the `rows` of a step: text over the first byte of the step, and `q`, the lane.
    """

    part: str
    row: Callable[[str, int, int], str]
    one: str
    lanes: int
    rows: int
    bits: int

    def text(self, name: str, count: int) -> str:
        """The nest for so many samples."""
        lanes, inner = self.lanes, f"part[r * {self.lanes} + q]"
        turn, step = self.samples * self.rows, self.samples * self.rows * self.bits // 8
        turns = count // turn
        # Few samples are left to be taken in order.
        bands = min(range(8, 25), key=lambda n: turns % n)
        steps = turns // bands
        rows = " + ".join(self.row(f"(r * {steps} + k) * {step}", u, lanes) for u in range(self.rows))
        return f"""kernel {name}():
  output total: i64[1]
  input a: u8[{count * self.bits // 8}]
  alloc part: {self.part}[{max(1, bands * lanes)}]:
    for r in 0 .. {bands} spread over bands of 1:
      for q in 0 .. {lanes} by {lanes} lanes:
        {inner} := 0:{self.part}
      for k in 0 .. {steps}:
        for q in 0 .. {lanes} by {lanes} lanes:
          {inner} := {inner} + convert.{self.part}({rows})
    total[0] := 0:i64
    for p in 0 .. {bands * lanes}:
      total[0] := total[0] + convert.i64(part[p])
    for i in {bands * steps * turn} .. {count}:
      total[0] := total[0] + convert.i64({self.one})
"""

    @property
    def samples(self) -> int:
        """The samples of a row."""
        return self.lanes * (8 if self.bits == 8 else 1)


def eights(first: str, u: int, lanes: int) -> str:
    """Eight bytes for each lane: a processor adds them up at once."""
    return " + ".join(f"convert.i64(a[{first} + {8 * lanes * u + k} + q * 8])" for k in range(8))


def twelve(at: str, bit: str) -> str:
    """The sample of 12 bits that begins in a byte, at a bit."""
    both = f"convert.u16(a[{at}]) | shift_left_in(convert.u16(a[{at} + 1]), 8:u16)"
    return f"(shift_right_in({both}, convert.u16({bit})) & 4095:u16)"


def twelves(first: str, u: int, lanes: int) -> str:
    """A sample of 12 bits for each lane: sixteen of them are below 65,536."""
    return twelve(f"{first} + {12 * lanes // 8 * u} + (q * 12 >> 3)", "q * 12 & 7")


SUMS = {
    "sum8": Sum("i64", eights, "a[i]", 8, 16, 8),
    "sum12": Sum("u32", twelves, twelve("(i * 12 >> 3)", "i * 12 & 7"), 128, 16, 12),
}


def nest(name: str, count: int, constants: Mapping[str, Any]) -> Kernel:
    """The nest of a kernel for so many samples."""
    found = SUMS.get(name) or maps(constants)[name]
    return parse_nest(found.text(name, count))


def optimized(kernel: Kernel) -> Optimized:
    """A nest whose lanes and bands stand in its text, with its expressions worked out and its places."""
    first, *_ = array_script(OPTIONS, 1, {})
    stages = [
        first,
        ("accumulated", everywhere("accumulate", limit=2)),
        ("expanded", expansion(OPTIONS)),
        ("placed", attempt("place")),
    ]
    return optimize(kernel, {}, OPTIONS, 1, stages)


def peer(
    name: str,
    count: int,
    constants: Mapping[str, Any],
    sources: list[Any],
    out: np.ndarray[Any, Any],
    threads: int,
) -> Callable[[], Any]:
    """A kernel as a nest on arrays: `sources` in the order of their names, and the bytes it writes."""
    kernel = nest(name, count, constants)
    given = dict(zip("ab", sources, strict=False)) | dict(constants)
    memory: dict[Any, Any] = {b: given[b.name].view(b.type.dtype) for b in inputs(kernel)}
    (target,) = kernel.outputs
    memory[target] = out.view(target.type.dtype) if out.size else np.zeros(1, np.int64)
    best = optimized(kernel)
    code = make_backend(OPTIONS.backend).compile(best.kernel, best.ranges)

    def run() -> Any:
        code.run({}, memory, threads=threads)
        return out if out.size else int(memory[target][0])

    return run
