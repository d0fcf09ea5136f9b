/* The swirled checkerboard written by hand for one machine, rows over threads. What bench/swirl.py measures against. */
#include "swirled.h"

#include <stddef.h>
#include <stdint.h>

void swirl(uint32_t *out, int width, int height, float turns, float inverse_size, int threads) {
#pragma omp parallel for num_threads(threads) schedule(dynamic, 16)
  for (int j = 0; j < height; j++) {
    uint32_t *row = out + (size_t)j * width;
    const float y = (height - 1) * 0.5f - j;
#pragma omp simd
    for (int i = 0; i < width; i++) {
      const float x = i - (width - 1) * 0.5f;
      const int odd = swirled_parity(x, y, sqrtf(x * x + y * y), turns, inverse_size);
      row[i] = odd ? 0xffffffffu : 0xff000000u;
    }
  }
}
