/* Five swirled checkerboards over each other and over white, by hand: premultiplied, in one loop, with the distance from
   the center shared. What bench/layers.py measures against. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
  float turns, inverse_size, red, green, blue, alpha;
} layer;

static inline int odd(float x, float y, float r, float turns, float inverse_size) {
  const float angle = -turns * r;
  const float quarters = rintf(angle * 4.0f);
  const int quadrant = (int)quarters;
  const float t = angle - quarters * 0.25f, s = t * t;
  const float sine = t * (6.2831853f + s * (-41.341702f + s * (81.605249f + s * (-76.70586f + s * 42.058694f))));
  const float cosine = 1.0f + s * (-19.739209f + s * (64.939394f + s * (-85.456817f + s * 60.244641f)));
  float a = (quadrant & 1) ? cosine : sine, b = (quadrant & 1) ? sine : cosine;
  a = (quadrant & 2) ? -a : a;
  b = ((quadrant + 1) & 2) ? -b : b;
  const float u = x * b - y * a, v = y * b + x * a;
  return ((int)floorf(u * inverse_size) + (int)floorf(v * inverse_size)) & 1;
}

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
        const int white = odd(x, y, r, l.turns, l.inverse_size);
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
