// Cellular automata of three bits, a byte a cell: a table of all neighborhoods, and an interpreter of expressions.
#include <stdint.h>
enum { CELL, NUMBER, ADD, SUB, AND, OR, XOR, MIN, MAX, EQ, LT, IF };
static int value(const int32_t *code, int64_t length, const uint8_t *n) {
  int stack[64], *top = stack;
  for (int64_t i = 0; i < length; i += 2) {
    const int op = code[i], k = code[i + 1];
    if (op == CELL) { *top++ = n[k]; continue; }
    if (op == NUMBER) { *top++ = k; continue; }
    if (op == IF) { top -= 2; top[-1] = top[-1] ? top[0] : top[1]; continue; }
    const int b = *--top, a = top[-1];
    switch (op) {
    case ADD: top[-1] = (a + b) & 7; break;
    case SUB: top[-1] = (a - b) & 7; break;
    case AND: top[-1] = a & b; break;
    case OR: top[-1] = a | b; break;
    case XOR: top[-1] = a ^ b; break;
    case MIN: top[-1] = a < b ? a : b; break;
    case MAX: top[-1] = a > b ? a : b; break;
    case EQ: top[-1] = a == b; break;
    default: top[-1] = a < b;
    }
  }
  return stack[0];
}
void fill(const int32_t *code, int64_t length, uint8_t *table) {
  for (int64_t i = 0; i < 1 << 27; i++) {
    uint8_t n[9];
    for (int k = 0; k < 9; k++) n[k] = i >> 3 * k & 7;
    table[i] = value(code, length, n);
  }
}
// Three bits an entry: 48 MiB, and three bytes more so that two bytes can always be read.
void pack(const uint8_t *table, uint8_t *packed) {
  for (int64_t i = 0; i < 1 << 27; i++) {
    const uint32_t bits = (uint32_t)table[i] << (3 * i & 7);
    packed[3 * i >> 3] |= bits;
    packed[(3 * i >> 3) + 1] |= bits >> 8;
  }
}
#define EACH(made)                                                                                                \
  for (int64_t y = 0; y < h; y++) {                                                                               \
    const uint8_t *a = old + (y + h - 1) % h * w, *b = old + y * w, *c = old + (y + 1) % h * w;                   \
    for (int64_t x = 0; x < w; x++) {                                                                             \
      const int64_t l = x ? x - 1 : w - 1, r = x < w - 1 ? x + 1 : 0;                                             \
      const uint8_t n[9] = {a[l], a[x], a[r], b[l], b[x], b[r], c[l], c[x], c[r]};                                \
      new[y * w + x] = made;                                                                                      \
    }                                                                                                             \
  }
static uint32_t index_of(const uint8_t *n) {
  uint32_t i = 0;
  for (int k = 0; k < 9; k++) i |= (uint32_t)n[k] << 3 * k;
  return i;
}
static int three(const uint8_t *packed, uint32_t i) {
  const uint64_t bit = 3 * (uint64_t)i;
  return (packed[bit >> 3] | packed[(bit >> 3) + 1] << 8) >> (bit & 7) & 7;
}
void by_table(const uint8_t *table, const uint8_t *old, uint8_t *new, int64_t h, int64_t w) { EACH(table[index_of(n)]) }
void by_packed(const uint8_t *table, const uint8_t *old, uint8_t *new, int64_t h, int64_t w) {
  EACH(three(table, index_of(n)))
}
void by_interpreter(const int32_t *code, int64_t length, const uint8_t *old, uint8_t *new, int64_t h, int64_t w) {
  EACH(value(code, length, n))
}
