"""Codes that translated programs call: items, lengths and changes of sequences that are pairs.

A list has its last item first, so that `append` is one pair. Codes that make pairs are made for a cons point; of
dynamic pairs they make dynamic ones. What fails where there is no item is given the message, which has the line.
"""

from __future__ import annotations

from functools import cache

from pellucid.staging.front.kinds import ITEM
from pellucid.staging.root.program import RootCode
from pellucid.staging.root.reading import read_sugar

_TEXT = """
length(k pairs n) {
  lift n (n pairs) by as_known
  if (null? pairs) (car k)(k n)
  length(k (cdr pairs) (+ n 1))
}
counted(k pairs n) {
  lift n (n pairs) by as_known
  if (pair? pairs) counted(k (cdr pairs) (+ n 1))
  if (null? pairs) (car k)(k n)
  (car k)(k -1)
}
nth(k pairs index missing) {
  if (null? pairs) failed(missing)
  if (zero? index) (car k)(k (car pairs))
  nth(k (cdr pairs) (- index 1) missing)
}
failed(missing) {
  stop = (error missing)
  stop()
}
of_list(k pairs index missing) {
  if (< index 0) nth(k pairs (- -1 index) missing)
  cl = (close of_list2 (list k pairs index missing))
  length(cl pairs 0)
}
of_list2(self n) {
  (k pairs index missing) = (cdr self)
  nth(k pairs (- (- n 1) index) missing)
}
of_tuple(k pairs index missing) {
  if (< index 0) {
    cl = (close of_tuple2 (list k pairs index missing))
    length(cl pairs 0)
  }
  nth(k pairs index missing)
}
of_tuple2(self n) {
  (k pairs index missing) = (cdr self)
  nth(k pairs (+ n index) missing)
}
put(k pairs index value missing) {
  if (< index 0) replace(k pairs (- -1 index) value nil missing)
  cl = (close put2 (list k pairs index value missing))
  length(cl pairs 0)
}
put2(self n) {
  (k pairs index value missing) = (cdr self)
  replace(k pairs (- (- n 1) index) value nil missing)
}
replace(k pairs index value done missing) {
  if (null? pairs) failed(missing)
  if (zero? index) unwind(k (cons:POINT value (cdr pairs)) done)
  lift done (done pairs) by as_known
  replace(k (cdr pairs) (- index 1) value (cons:POINT.done (car pairs) done) missing)
}
unwind(k pairs done) {
  if (null? done) (car k)(k pairs)
  unwind(k (cons:POINT (car done) pairs) (cdr done))
}
fill(k pairs value n) {
  if (< n 1) (car k)(k pairs)
  fill(k (cons:POINT value pairs) value (- n 1))
}
find(k pairs key missing) {
  if (null? pairs) failed(missing)
  if (= (car (car pairs)) key) (car k)(k (cdr (car pairs)))
  find(k (cdr pairs) key missing)
}
among(k pairs key) {
  if (null? pairs) (car k)(k #f)
  if (= (car (car pairs)) key) (car k)(k #t)
  among(k (cdr pairs) key)
}
holds(k pairs item) {
  if (null? pairs) (car k)(k #f)
  if (= (car pairs) item) (car k)(k #t)
  holds(k (cdr pairs) item)
}
enter(k pairs key value) {
  assign(k pairs key value nil)
}
assign(k pairs key value done) {
  if (null? pairs) unwind(k (cons:POINT (cons:POINT.entry key value) nil) done)
  if (= (car (car pairs)) key) unwind(k (cons:POINT (cons:POINT.entry key value) (cdr pairs)) done)
  lift done (done pairs) by as_known
  assign(k (cdr pairs) key value (cons:POINT.done (car pairs) done))
}
turned(k pairs done) {
  lift done (done pairs) by as_known
  if (null? pairs) (car k)(k done)
  turned(k (cdr pairs) (cons:POINT (car pairs) done))
}
to_pairs(k vector n done) {
  if (zero? n) (car k)(k done)
  to_pairs(k vector (- n 1) (cons:POINT.item (item-at vector (- n 1)) done))
}
to_entries(k vector n done) {
  if (zero? n) (car k)(k done)
  key = (item-at vector (- n 1))
  to_entries(k vector (- n 1) (cons:POINT (cons:POINT.entry key (item vector key)) done))
}
get(k pairs key other) {
  if (null? pairs) (car k)(k other)
  if (= (car (car pairs)) key) (car k)(k (cdr (car pairs)))
  get(k (cdr pairs) key other)
}
alike(k one other) {
  if (pair? one) both(k one other)
  if (pair? other) (car k)(k #f)
  (car k)(k (= one other))
}
both(k one other) {
  if (not (pair? other)) (car k)(k #f)
  if (= (car one) (car other)) alike(k (cdr one) (cdr other))
  (car k)(k #f)
}
of_vector(k vector at done) {
  if (= at (vlen vector)) (car k)(k done)
  of_vector(k vector (+ at 1) (cons:POINT (item-at vector at) done))
}
"""


@cache
def routine(name: str, point: str = ITEM) -> RootCode:
    """A code that translated programs call, which makes pairs of a point.

    >>> routine("length").params
    ('k', 'pairs', 'n')
    """
    return _codes(point)[name]


@cache
def _codes(point: str) -> dict[str, RootCode]:
    """All codes for a point."""
    made = read_sugar(_TEXT.replace("POINT", point))
    if point != ITEM:
        for code in made.values():
            code.name += f"-{point}"
    return made
