"""Small programs that branch and iterate: masks, choices, loops that read what they wrote, scratch memory."""

from __future__ import annotations

from .program import ConformanceProgram

CONTROL = (
    ConformanceProgram(
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
    ConformanceProgram(
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
    select t4 = if t1 then t2 + 1.0 else t3
    select t5 = if t1 then i else count
    out[i] := t4 + convert.f32(t5)
""",
        counts=(64,),
    ),
    ConformanceProgram(
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
    select t4 = if t1 then t2 + 1.0 else t3
    select t5 = if t1 then 5 else i * 2
    out[i] := t4
    ints[i] := t5
""",
        counts=(64,),
    ),
    ConformanceProgram(
        "a choice that no lane wants",
        """
kernel unwanted():
  output out: f32[64]
  for i in 0 .. 64 by WIDTH lanes:
    t1 = i < 0
    if t1:
      t2 = 1.0 / convert.f32(i)
    select t3 = if t1 then t2 else 4.0
    t4 = 0 <= i
    if t4:
      t5 = convert.f32(i) * 3.0
    else:
      t6 = convert.f32(i) * 5.0
    select t7 = if t4 then t5 else t6
    out[i] := t3 + t7
""",
    ),
    ConformanceProgram(
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
      select t5 = if t2 then t3 else t4
    else:
      t6 = a[a[i]]
    select t7 = if t1 then t5 else t6
    out[i] := t7
""",
        counts=(64,),
    ),
    ConformanceProgram(
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
    ConformanceProgram(
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
    ConformanceProgram(
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
    ConformanceProgram(
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
    select t3 = if t1 then t2 else -1
    out[i] := t3
""",
        counts=(64,),
    ),
    ConformanceProgram(
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
    ConformanceProgram(
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
    ConformanceProgram(
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
    ConformanceProgram(
        "a loop by lanes that changes its own memory",
        """
kernel in_place(count: i32):
  output out: i32[70]
  for i in 0 .. count by WIDTH lanes:
    out[i] := out[i] * 3 + i
""",
        counts=(70, 75),
    ),
    ConformanceProgram(
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
    ConformanceProgram(
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
    ConformanceProgram(
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
    ConformanceProgram(
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
    ConformanceProgram(
        "turns as long as the data ask for",
        """
kernel runs(count: i32):
  output out: i32[64]
  output steps: i32[1]
  input a: i32[64]
  alloc at: i32[1]:
    at[0] := 0
    while at[0] < count & steps[0] < 40:
      steps[0] := steps[0] + 1
      out[at[0]] := out[at[0]] + a[at[0]]
      if a[at[0]] % 2 == 0:
        at[0] := at[0] + 2
      else:
        at[0] := at[0] + 1
    while at[0] < 0:
      out[0] := 1
""",
    ),
)
