/* Dilation and erosion by five by five bytes written by hand for one machine: columns into one row of scratch memory
   per thread, then the row. Borders repeat the outermost pixel. What bench/morphology.py measures against. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define LESSER(a, b) ((a) < (b) ? (a) : (b))
#define GREATER(a, b) ((a) > (b) ? (a) : (b))

static inline int held(int at, int count) { return at < 0 ? 0 : at < count ? at : count - 1; }

#define DEFINE(NAME, BEST)                                                                                            \
  void NAME(const uint8_t *restrict in, uint8_t *restrict out, int width, int height, int threads) {                  \
    _Pragma("omp parallel num_threads(threads)") {                                                                    \
      uint8_t *memory = malloc((size_t)width + 4), *row = memory + 2;                                                 \
      _Pragma("omp for schedule(dynamic, 16)") for (int y = 0; y < height; y++) {                                     \
        const uint8_t *p[5];                                                                                          \
        for (int k = 0; k < 5; k++) p[k] = in + (size_t)held(y + k - 2, height) * width;                              \
        _Pragma("omp simd") for (int x = 0; x < width; x++) {                                                         \
          const uint8_t a = BEST(p[0][x], p[1][x]), b = BEST(p[3][x], p[4][x]), c = BEST(a, b);                       \
          row[x] = BEST(c, p[2][x]);                                                                                  \
        }                                                                                                             \
        row[-2] = row[-1] = row[0];                                                                                   \
        row[width] = row[width + 1] = row[width - 1];                                                                 \
        uint8_t *to = out + (size_t)y * width;                                                                        \
        _Pragma("omp simd") for (int x = 0; x < width; x++) {                                                         \
          const uint8_t a = BEST(row[x - 2], row[x - 1]), b = BEST(row[x + 1], row[x + 2]), c = BEST(a, b);           \
          to[x] = BEST(c, row[x]);                                                                                    \
        }                                                                                                             \
      }                                                                                                               \
      free(memory);                                                                                                   \
    }                                                                                                                 \
  }

DEFINE(dilate, GREATER)
DEFINE(erode, LESSER)
