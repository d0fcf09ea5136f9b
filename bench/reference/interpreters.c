// The residual programs of bench/interpreters.py, by hand.
#include <stdint.h>
int64_t nybbles(const uint32_t *m, int64_t n) {
  int64_t sum = 0;
  while (n) {
    uint32_t w = m[--n];
    for (int k = 0; k < 32; k += 4) sum += (w >> k) & 15;
  }
  return sum;
}
int64_t filter(const uint32_t *m, uint32_t *out, int64_t n) {
  uint32_t one = m[0], two = m[1];
  for (int64_t p = 0; p < 3 * n; p++) {
    uint32_t three = m[p + 2];
    out[p] = 2 * three + 5 * two + 2 * one;
    one = two;
    two = three;
  }
  return 0;
}
__attribute__((noipa)) int64_t atree(int64_t n) {
  if (!n) return 1;
  int64_t one = atree(n - 1);
  return one + 2 * atree(n - 1);
}
__attribute__((noipa)) int64_t even(int64_t n) {
  for (;;) {
    if (!n) return 1;
    if (!--n) return 0;
    n--;
  }
}
typedef struct pair { int64_t car; struct pair *cdr; } pair;
static pair arena[1 << 16];
static pair *room = arena;
__attribute__((noipa)) static pair *append(pair *one, pair *other) {
  if (!one) return other;
  pair *rest = append(one->cdr, other);
  pair *made = room++;
  made->car = one->car;
  made->cdr = rest;
  return made;
}
int64_t appends(int64_t times, int64_t length) {
  static pair given[4096];
  for (int64_t k = 0; k < length; k++) given[k] = (pair){k, k + 1 < length ? &given[k + 1] : 0};
  int64_t sum = 0;
  for (; times; times--) {
    room = arena;
    sum += append(given, given)->car;
  }
  return sum;
}
