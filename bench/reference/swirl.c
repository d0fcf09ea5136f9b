/* The swirled checkerboard written by hand for one machine: polynomial sine and cosine in quarter turns, one shared
   reduction, rows over threads. What bench/swirl.py measures against. */
#include <math.h>
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
      const float angle = -turns * sqrtf(x * x + y * y);
      const float quarters = rintf(angle * 4.0f);
      const int quadrant = (int)quarters;
      const float t = angle - quarters * 0.25f, s = t * t;
      const float sine = t * (6.2831853f + s * (-41.341702f + s * (81.605249f + s * (-76.70586f + s * 42.058694f))));
      const float cosine = 1.0f + s * (-19.739209f + s * (64.939394f + s * (-85.456817f + s * 60.244641f)));
      float a = (quadrant & 1) ? cosine : sine, b = (quadrant & 1) ? sine : cosine;
      a = (quadrant & 2) ? -a : a;
      b = ((quadrant + 1) & 2) ? -b : b;
      const float u = x * b - y * a, v = y * b + x * a;
      const int parity = (int)floorf(u * inverse_size) + (int)floorf(v * inverse_size);
      row[i] = (parity & 1) ? 0xffffffffu : 0xff000000u;
    }
  }
}
