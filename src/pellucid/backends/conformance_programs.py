"""Small programs that every back end must run as the interpreter does: loops, branches, iterations, loads and stores.

Each is a kernel in text, with WIDTH for the number of lanes, and the arguments to run it with. They are chosen for what
back ends get wrong: rests of loops, masks, positions outside of buffers, loops that read what they wrote.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Program:
    """A kernel in text; `counts` are lengths relative to the lanes; random memory is within `spread` and `whole`."""

    name: str
    text: str
    counts: tuple[int, ...] = ()
    spread: float = 4.0
    whole: int = 60

    def cases(self, width: int) -> Iterator[dict[str, Any]]:
        """The arguments of each run: lengths below, at and above multiples of the lanes; none if it takes none."""
        if "count: i32" not in self.text:
            yield {}
            return
        yield from (
            {"count": n} for n in sorted({0, 1, width - 1, width, width + 1, 2 * width, 40, *self.counts})
        )


PROGRAMS = (
    Program(
        "a run of constant length",
        """
kernel constant_run():
  output out: f32[37]
  input a: f32[37]
  for i in 0 .. 37 by WIDTH lanes:
    out[i] := a[i] * 2.0 + convert.f32(i)
""",
    ),
    Program(
        "runs shorter than the lanes",
        """
kernel short_runs():
  output out: u8[40]
  output halves: i16[40]
  output wide: f64[40]
  input a: i32[40]
  for i in 0 .. 1 by WIDTH lanes:
    out[i] := convert.u8(a[i + 2])
    halves[i] := convert.i16(a[i + 3])
    wide[i] := convert.f64(a[i])
  for i in 20 .. 22 by WIDTH lanes:
    out[i] := convert.u8(a[i])
    halves[i + 1] := convert.i16(i * a[i - 7])
    wide[i] := convert.f64(a[i + 1])
""",
    ),
    Program(
        "a run of any length",
        """
kernel any_run(count: i32):
  output out: f32[50]
  input a: f32[50]
  for i in 0 .. count by WIDTH lanes:
    out[i] := a[i] + 1.0
""",
        counts=(49, 50, 51, 90),
    ),
    Program(
        "a run that does not begin at zero",
        """
kernel late_run(count: i32):
  output out: i32[64]
  for i in 5 .. count by WIDTH lanes:
    out[i] := i * i
""",
        counts=(6, 64, 70),
    ),
    Program(
        "a run below zero and beyond the end",
        """
kernel outside(count: i32):
  output out: i32[24]
  input a: i32[24]
  for i in -7 .. count by WIDTH lanes:
    out[i] := a[i + 3] + a[i - 3] + a[i]
""",
        counts=(24, 30),
    ),
    Program(
        "rows and columns",
        """
kernel grid(count: i32):
  output out: u32[400]
  for j in 0 .. 7 spread over bands of 2:
    t1 = j * count
    for i in 0 .. count by WIDTH lanes:
      t2 = i * 3 + j
      out[t1 + i] := convert.u32(if t2 < 20 then t2 else i)
""",
    ),
    Program(
        "every type",
        """
kernel types(count: i32):
  output ob: bool[70]
  output o8: u8[70]
  output o16: i16[70]
  output o64: i64[70]
  output od: f64[70]
  input ib: bool[70]
  input i8: u8[70]
  input i16: i16[70]
  input i64: i64[70]
  input id: f64[70]
  for i in 0 .. count by WIDTH lanes:
    ob[i] := not(ib[i]) ^ (i8[i] < 30:u8)
    o8[i] := i8[i] + i8[69 - i]
    o16[i] := if ib[i + 1] then i16[i] else i16[i] * 3:i16
    o64[i] := i64[i] - i64[i * 2]
    od[i] := id[i] / id[i + 1]
""",
        counts=(70, 75),
    ),
    Program(
        "positions of 64 bits",
        """
kernel wide_positions(count: i32):
  output out: f32[60]
  input a: f32[60]
  for i: i64 in -3:i64 .. convert.i64(count) by WIDTH lanes:
    out[i + 2:i64] := a[i - 1:i64] * a[2:i64 * i]
""",
    ),
    Program(
        "positions that wrap",
        """
kernel wrapping(count: i32):
  output out: i32[20]
  input a: i32[20]
  for i in 0 .. count by WIDTH lanes:
    out[2147483640 + i] := 1
    out[(2147483640 + i) - 2147483640] := a[2147483640 + i] + a[2147483647 + i]
""",
    ),
    Program(
        "gathers",
        """
kernel gathers(count: i32):
  output out: i32[64]
  output bytes: u8[64]
  input a: i32[64]
  input at: i32[64]
  input small: u8[64]
  for i in 0 .. count by WIDTH lanes:
    t1 = at[i]
    out[i] := a[t1] + a[t1 * 3]
    bytes[i] := small[t1] ^ small[63 - i]
""",
        counts=(64,),
        whole=90,
    ),
    Program(
        "neighbors by gathers",
        """
kernel pairs(count: i32):
  output out: f32[64]
  output mixed: u32[64]
  output bytes: u8[64]
  input a: f32[64]
  input b: u32[2]
  input at: i32[64]
  input far: i32[64]
  input c: u8[64]
  for i in 0 .. count by WIDTH lanes:
    t1 = at[i]
    t2 = far[i] * 100000000
    out[i] := a[t1] - a[t1 + 1]
    mixed[i] := b[t2 - 1] ^ b[t2]
    bytes[i] := c[t1 + 2] + c[t1] + c[t1 + 1]
""",
        counts=(64,),
        whole=90,
    ),
    Program(
        "neighbors surely inside",
        """
kernel sure_pairs(count: i32):
  output out: u16[64]
  output words: u32[64]
  input a: u16[65]
  input b: u32[65]
  input at: i32[64]
  for i in 0 .. count by WIDTH lanes:
    t1 = min(max(at[i], 0), 63)
    out[i] := a[t1] * a[t1 + 1]
    words[i] := b[t1 + 1] - b[t1]
""",
        counts=(64,),
        whole=90,
    ),
    Program(
        "the channels of pixels",
        """
kernel channels(count: i32):
  output out: f32[64]
  output words: u16[64]
  output first: u8[64]
  output floats: f32[64]
  input rgb: u8[99]
  input deep: u16[70]
  input tiny: u8[5]
  input reals: f32[66]
  input at: i32[64]
  for i in 0 .. count by WIDTH lanes:
    t1 = min(max(at[i], 0), 31)
    t2 = t1 * 3
    t3 = convert.f32(rgb[t2]) + convert.f32(rgb[t2 + 1]) * 2.0 + convert.f32(rgb[t2 + 2]) * 3.0
    t4 = convert.f32(rgb[t2 + 3]) + convert.f32(rgb[t2 + 4]) * 5.0 + convert.f32(rgb[t2 + 5]) * 7.0
    out[i] := t3 * 11.0 + t4
    t5 = t1 * 2
    words[i] := deep[t5] + deep[t5 + 2] * 3:u16 + deep[t5 + 5] * 5:u16
    first[i] := rgb[t2 + 2] + tiny[t1 & 3] * 2:u8 + tiny[(t1 & 3) + 1] * 9:u8
    floats[i] := reals[t5 + 1] - reals[t5 + 3] * reals[t5 + 2]
""",
        counts=(64,),
        whole=90,
    ),
    Program(
        "a permutation of positions",
        """
kernel scatter(count: i32):
  output out: f32[100]
  output last: i32[1]
  input a: f32[64]
  for i in 0 .. count by WIDTH lanes:
    out[3 * i - 4] := a[i]
    last[0] := i
""",
        counts=(64,),
    ),
    Program(
        "masked stores",
        """
kernel masked(count: i32):
  output out: i32[64]
  output twice: i32[64]
  output other: u8[64]
  input a: i32[64]
  for i in 0 .. count by WIDTH lanes:
    if a[i] < 10:
      out[i] := a[i]
      if a[i] < 0:
        twice[2 * i] := i
    else:
      other[i] := 7:u8
      other[0] := 9:u8
""",
        counts=(64,),
    ),
    Program(
        "a choice of the same side for all",
        """
kernel uniform_choice(count: i32):
  output out: f32[64]
  input a: f32[64]
  for i in 0 .. count by WIDTH lanes:
    t1 = count < 20
    if t1:
      t2 = a[i] * a[i]
    else:
      t3 = sqrt(abs(a[i])) + convert.f32(count)
    pick t4 = if t1 then t2 + 1.0 else t3
    pick t5 = if t1 then i else count
    out[i] := t4 + convert.f32(t5)
""",
        counts=(64,),
    ),
    Program(
        "a choice by lane",
        """
kernel choice(count: i32):
  output out: f32[64]
  output ints: i32[64]
  input a: f32[64]
  for i in 0 .. count by WIDTH lanes:
    t1 = a[i] < 0.5
    if t1:
      t2 = a[i] * a[i]
    else:
      t3 = sqrt(a[i]) - floor(a[i])
    pick t4 = if t1 then t2 + 1.0 else t3
    pick t5 = if t1 then 5 else i * 2
    out[i] := t4
    ints[i] := t5
""",
        counts=(64,),
    ),
    Program(
        "a choice that no lane wants",
        """
kernel unwanted():
  output out: f32[64]
  for i in 0 .. 64 by WIDTH lanes:
    t1 = i < 0
    if t1:
      t2 = 1.0 / convert.f32(i)
    pick t3 = if t1 then t2 else 4.0
    t4 = 0 <= i
    if t4:
      t5 = convert.f32(i) * 3.0
    else:
      t6 = convert.f32(i) * 5.0
    pick t7 = if t4 then t5 else t6
    out[i] := t3 + t7
""",
    ),
    Program(
        "choices within choices",
        """
kernel nested_choice(count: i32):
  output out: i32[64]
  input a: i32[64]
  for i in 0 .. count by WIDTH lanes:
    t1 = a[i] < 0
    if t1:
      t2 = a[i] < -30
      if t2:
        t3 = a[i] * 7
      else:
        t4 = a[i] * 11
      pick t5 = if t2 then t3 else t4
    else:
      t6 = a[a[i]]
    pick t7 = if t1 then t5 else t6
    out[i] := t7
""",
        counts=(64,),
    ),
    Program(
        "an iteration by lane",
        """
kernel escape(count: i32):
  output out: i32[64]
  output re: f32[64]
  input a: f32[64]
  input b: f32[64]
  for i in 0 .. count by WIDTH lanes:
    s1 := a[i]
    s2 := b[i]
    s3 := @0.0:f32 * @0.0:f32
    s4 := @0.1:f32 * @0.1:f32
    s5 := 2.0 * @0.0:f32 * @0.1:f32 + s2
    repeat t1 = iterate 0 (0.0, 0.0, 0) to (s3 - s4 + s1, s5, @0.2:i32 + 1) until 4.0 < s3 + s4 limit 30 end:
      t2 = @0.0:f32 * @0.0:f32
      t3 = @0.1:f32 * @0.1:f32
    out[i] := t1.2
    re[i] := t1.0
""",
        counts=(64,),
        spread=1.5,
    ),
    Program(
        "an iteration without a place, and limits by lane",
        """
kernel limits(count: i32):
  output out: i32[64]
  output same: i32[64]
  input a: i32[64]
  for i in 0 .. count by WIDTH lanes:
    s1 := iterate 0 (a[i], 1) to (@0.0:i32 - 3, @0.1:i32 * 2 + i) until @0.0:i32 < 0 limit i - 4 end
    out[i] := s1.0 + s1.1
    same[i] := (iterate 0 (count) to (@0.0:i32 // 2) until @0.0:i32 == 1 limit 100 end).0
""",
        counts=(64,),
    ),
    Program(
        "iterations within iterations",
        """
kernel nested_iterate(count: i32):
  output out: i32[40]
  input a: i32[40]
  for i in 0 .. count by WIDTH lanes:
    s1 := iterate 0 (@1.0:i32, 0) to (@0.0:i32 // 3, @0.1:i32 + 1) until @0.0:i32 < 2 limit 50 end
    s2 := iterate 0 (7, 0) to (@0.0:i32 - 1, @0.1:i32 + @0.0:i32) until @0.0:i32 == 0 limit 50 end
    s3 := iterate 1 (a[i], 0) to (@1.0:i32 - s1.1 * 5 - 1, @1.1:i32 + s1.1 + s2.1) until @1.0:i32 < -10 limit 9 end
    out[i] := s3.0 * 1000 + s3.1
""",
    ),
    Program(
        "an iteration in a choice",
        """
kernel chosen_iterate(count: i32):
  output out: i32[64]
  input a: i32[64]
  for i in 0 .. count by WIDTH lanes:
    t1 = a[i] < 10
    if t1:
      s1 := iterate 0 (a[i]) to (@0.0:i32 + 3) until 20 < @0.0:i32 limit 1000 end
      t2 = s1.0
    pick t3 = if t1 then t2 else -1
    out[i] := t3
""",
        counts=(64,),
    ),
    Program(
        "an iteration over memory",
        """
kernel chase(count: i32):
  output out: i32[64]
  input next: i32[64]
  for i in 0 .. count by WIDTH lanes:
    out[i] := (iterate 0 (i) to (next[@0.0:i32]) until @0.0:i32 == 0 limit 12 end).0
""",
        counts=(64,),
    ),
    Program(
        "a loop that reads what it wrote",
        """
kernel running_sum(count: i32):
  output out: i32[64]
  input a: i32[64]
  for i in 0 .. count:
    out[i] := out[i - 1] + a[i]
""",
        counts=(64,),
    ),
    Program(
        "a value read before a store and needed after it",
        """
kernel reread(count: i32):
  output out: i32[8]
  for i in 0 .. count:
    t1 = out[i] + 1
    out[i] := t1
    out[i + 1] := out[i] * 2
    out[i + 2] := t1 - 5
""",
    ),
    Program(
        "a loop by lanes that changes its own memory",
        """
kernel in_place(count: i32):
  output out: i32[70]
  for i in 0 .. count by WIDTH lanes:
    out[i] := out[i] * 3 + i
""",
        counts=(70, 75),
    ),
    Program(
        "a sum in order inside of lanes",
        """
kernel sums(count: i32):
  output out: i32[40]
  input a: i32[100]
  for i in 0 .. count by WIDTH lanes:
    out[i] := 0
    for k in 0 .. 5:
      out[i] := out[i] + a[i * 2 + k]
""",
    ),
    Program(
        "scratch memory",
        """
kernel column_table(count: i32):
  output out: f32[200]
  alloc column: f32[count]:
    for i in 0 .. count by WIDTH lanes:
      column[i] := convert.f32(i) * 0.25
    for j in 0 .. 4 spread over bands of 1:
      t1 = convert.f32(j) * 10.0
      for i in 0 .. count by WIDTH lanes:
        out[j * count + i] := column[i] + t1 * column[i + 1]
""",
        counts=(49, 50),
    ),
    Program(
        "an if around loops",
        """
kernel if_loops(count: i32):
  output out: i32[50]
  if count < 17:
    for i in 0 .. count by WIDTH lanes:
      out[i] := i
  else:
    for i in 0 .. count by WIDTH lanes:
      out[i] := neg(i)
    out[0] := 100
""",
    ),
    Program(
        "floats that are hard to print",
        """
kernel odd_constants():
  output out: f32[12]
  output wide: f64[12]
  for i in 0 .. 12 by WIDTH lanes:
    s1 := convert.f32(i)
    out[i] := if i < 3 then 1e-45 else if i < 5 then -0.0 else if i < 6 then inf else if i < 7 then nan else 0.1 * s1
    wide[i] := if i < 3 then 5e-324:f64 else if i < 5 then -inf:f64 else 0.1:f64 * convert.f64(i)
""",
    ),
)
