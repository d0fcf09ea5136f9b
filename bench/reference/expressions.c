/* The expressions of bench/expressions.py by hand: floats of 32 bits, rounded to the nearest and kept in a byte. */
#include <math.h>
#include <stdint.h>

static inline uint8_t stored(float v) {
  v = rintf(v);
  return v > 0 ? (v < 255 ? (uint8_t)v : 255) : 0;
}

#define LOOP(name, value)                                                                              \
  void name(const uint8_t *restrict x, const uint8_t *restrict y, uint8_t *restrict out, int w, int h) { \
    _Pragma("omp parallel for num_threads(2)") for (int j = 0; j < h; j++) {                           \
      const uint8_t *up = x + (j > 0 ? j - 1 : 0) * w, *row = x + j * w, *down = x + (j < h - 1 ? j + 1 : j) * w; \
      const uint8_t *other = y + j * w;                                                                \
      (void)up, (void)down, (void)other;                                                               \
      for (int i = 0; i < w; i++) {                                                                    \
        int l = i > 0 ? i - 1 : 0, r = i < w - 1 ? i + 1 : i;                                          \
        (void)l, (void)r;                                                                              \
        out[j * w + i] = stored(value);                                                                \
      }                                                                                                \
    }                                                                                                  \
  }

LOOP(mean, ((float)row[i] + other[i]) / 2.0f)
LOOP(levels, row[i] > 128.0f ? other[i] : row[i] * 2.0f)
LOOP(edges, fmaxf(fabsf((float)row[l] - row[r]), fabsf((float)up[i] - down[i])) * 3.0f)
LOOP(length_of, sqrtf((float)row[i] * row[i] + (float)other[i] * other[i]) * 0.7f)
