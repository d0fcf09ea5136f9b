/* Five swirled checkerboards over each other and over white, by hand: premultiplied, in one loop, with the distance from
   the center shared. What bench/layers.py measures against. */
#include "swirled.h"

#include <stddef.h>
#include <stdint.h>

typedef struct {
  float turns, inverse_size, red, green, blue, alpha;
} layer;

void layers(uint32_t *out, int width, int height, const layer *all, int threads) {
#pragma omp parallel for num_threads(threads) schedule(dynamic, 8)
  for (int j = 0; j < height; j++) {
    uint32_t *row = out + (size_t)j * width;
    const float y = (height - 1) * 0.5f - j;
#pragma omp simd
    for (int i = 0; i < width; i++) {
      const float x = i - (width - 1) * 0.5f, r = sqrtf(x * x + y * y);
      float red = 1.0f, green = 1.0f, blue = 1.0f;
#pragma GCC unroll 5
      for (int k = 0; k < 5; k++) {
        const layer l = all[k];
        const int white = swirled_parity(x, y, r, l.turns, l.inverse_size);
        const float rest = 1.0f - l.alpha;
        red = red * rest + (white ? l.alpha : l.red * l.alpha);
        green = green * rest + (white ? l.alpha : l.green * l.alpha);
        blue = blue * rest + (white ? l.alpha : l.blue * l.alpha);
      }
      row[i] = 0xff000000u | (uint32_t)(int)(blue * 255.0f + 0.5f) << 16 | (uint32_t)(int)(green * 255.0f + 0.5f) << 8 |
               (uint32_t)(int)(red * 255.0f + 0.5f);
    }
  }
}
