"""Small programs that move memory: runs, rests of loops, gathers, neighbors, positions outside of buffers."""

from __future__ import annotations

from .program import ConformanceProgram

MEMORY = (
    ConformanceProgram(
        "scratch memory of every iteration's own",
        """
kernel rows():
  output out: f32[60]
  input a: f32[90]
  for j in 0 .. 6 spread over bands of 2:
    alloc row: f32[10]:
      for i in 0 .. 10 by WIDTH lanes:
        row[i] := a[j * 15 + i] * 2.0
      for i in 0 .. 10 by WIDTH lanes:
        out[j * 10 + i] := row[i] + row[i + 1] + row[i - 1]
      out[j * 10 + 3] := row[j]
""",
    ),
    ConformanceProgram(
        "a run of constant length",
        """
kernel constant_run():
  output out: f32[37]
  input a: f32[37]
  for i in 0 .. 37 by WIDTH lanes:
    out[i] := a[i] * 2.0 + convert.f32(i)
""",
    ),
    ConformanceProgram(
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
    ConformanceProgram(
        "gathers of few lanes",
        """
kernel few_lanes():
  output two: i16[24]
  output three: i16[24]
  output six: i16[24]
  input b: bool[24]
  input s: i16[24]
  for i in 0 .. 24 by 2 lanes:
    two[i] := s[convert.i32(convert.i16(b[3] ^ b[i + (-1)])) + 3]
  for i in 0 .. 24 by 3 lanes:
    three[i] := s[convert.i32(convert.i16(b[3] ^ b[i + (-1)])) + 3]
  for i in 0 .. 24 by 6 lanes:
    six[i] := s[convert.i32(convert.i16(b[3] ^ b[i + (-1)])) + 3]
""",
    ),
    ConformanceProgram(
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
    ConformanceProgram(
        "a run that does not begin at zero",
        """
kernel late_run(count: i32):
  output out: i32[64]
  for i in 5 .. count by WIDTH lanes:
    out[i] := i * i
""",
        counts=(6, 64, 70),
    ),
    ConformanceProgram(
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
    ConformanceProgram(
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
    ConformanceProgram(
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
    ConformanceProgram(
        "positions of 64 bits",
        """
kernel wide_positions(count: i32):
  output out: f32[60]
  input a: f32[60]
  for i: i64 in -3:i64 .. convert.i64(count) by WIDTH lanes:
    out[i + 2:i64] := a[i - 1:i64] * a[2:i64 * i]
""",
    ),
    ConformanceProgram(
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
    ConformanceProgram(
        "sums of positions, one by one",
        """
kernel position_sums(count: i32):
  output out: i32[600]
  output far: u8[64]
  input a: u8[600]
  input at: i64[64]
  for j in 0 .. 5:
    t1 = j * 100 + 7
    for i in 0 .. min(count, 20):
      s1 := convert.i32(a[t1 + i * 4 + 3]) * 2 + j
      out[s1] := out[s1] + convert.i32(a[i + 2147483640])
      out[(t1 + 1) + (convert.i32(a[i]) - i + 20)] := i - j
      far[(i * 3 + 60) - j] := a[590 + i]
    for i: i64 in 0:i64 .. 9:i64:
      far[i * 7:i64 + (at[i] & 1:i64)] := a[i * 2:i64 + 1:i64]
""",
        counts=(21,),
    ),
    ConformanceProgram(
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
    ConformanceProgram(
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
    ConformanceProgram(
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
    ConformanceProgram(
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
    ConformanceProgram(
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
)
