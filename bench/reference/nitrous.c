// The kernels of bench/nitrous.py, by hand: for any size or kernel, and for one. Each is called many times in a row.
#include <stdint.h>
#define KERNEL __attribute__((noipa)) static int64_t
#define REPEATED(name, parameters, ...)                      \
  int64_t name##_repeated(int64_t times, parameters) {       \
    int64_t found = 0;                                       \
    while (times--) found = name(__VA_ARGS__);               \
    return found;                                            \
  }
#define COMMA ,

KERNEL nybbles(const uint32_t *m, int64_t count, int64_t bits) {
  int64_t sum = 0;
  for (int64_t i = count * bits; i;) {
    i -= bits;
    int64_t offset = i & 31;
    uint64_t word = m[i >> 5] >> offset;
    if (offset + bits > 32) word |= (uint64_t)m[(i >> 5) + 1] << (32 - offset);
    sum += word & ((1u << bits) - 1);
  }
  return sum;
}
REPEATED(nybbles, const uint32_t *m COMMA int64_t count COMMA int64_t bits, m, count, bits)

KERNEL nybbles4(const uint32_t *m, int64_t words) {
  int64_t sum = 0;
  while (words) {
    uint32_t w = m[--words];
    for (int k = 0; k < 32; k += 4) sum += (w >> k) & 15;
  }
  return sum;
}
REPEATED(nybbles4, const uint32_t *m COMMA int64_t words, m, words)

KERNEL nybbles12(const uint32_t *m, int64_t words) {
  int64_t sum = 0;
  while (words) {
    words -= 3;
    uint32_t a = m[words], b = m[words + 1], c = m[words + 2];
    sum += (a & 4095) + ((a >> 12) & 4095) + ((a >> 24) | ((b & 15) << 8)) + ((b >> 4) & 4095) + ((b >> 16) & 4095);
    sum += ((b >> 28) | ((c & 255) << 4)) + ((c >> 8) & 4095) + (c >> 20);
  }
  return sum;
}
REPEATED(nybbles12, const uint32_t *m COMMA int64_t words, m, words)

KERNEL filter(const uint32_t *m, uint32_t *out, int64_t n, const int64_t *kernel, int64_t size) {
  for (int64_t p = n, q = 0; p; p--, q++) {
    int64_t sum = 0;
    for (int64_t k = 0; k < size; k++) sum += kernel[k] * m[p + 6 - k];
    out[q] = (uint32_t)sum;
  }
  return n;
}
REPEATED(filter, const uint32_t *m COMMA uint32_t *out COMMA int64_t n COMMA const int64_t *kernel COMMA int64_t size, m,
         out, n, kernel, size)

KERNEL filter3(const uint32_t *m, uint32_t *out, int64_t n) {
  for (int64_t p = n, q = 0; p; p--, q++) out[q] = 2 * m[p + 6] + 5 * m[p + 5] + 2 * m[p + 4];
  return n;
}
REPEATED(filter3, const uint32_t *m COMMA uint32_t *out COMMA int64_t n, m, out, n)

KERNEL filter7(const uint32_t *m, uint32_t *out, int64_t n) {
  for (int64_t p = n, q = 0; p; p--, q++)
    out[q] = m[p + 6] + 2 * m[p + 5] + 3 * m[p + 4] + 4 * m[p + 3] + 3 * m[p + 2] + 2 * m[p + 1] + m[p];
  return n;
}
REPEATED(filter7, const uint32_t *m COMMA uint32_t *out COMMA int64_t n, m, out, n)
