/* The swirled checkerboard with n x n samples a pixel, by hand: light is counted, and the curve taken once a pixel. What
   bench/supersampling.py measures against. */
#include "swirled.h"

#include <stddef.h>
#include <stdint.h>

/* log2 and exp2 by polynomials, so that the loop over columns stays in vectors. */
static inline float curve(float x) {

  union { float f; int32_t i; } bits = {x};
  const int32_t exponent = (bits.i - 0x3f2aaaab) >> 23;
  bits.i -= exponent << 23;
  const float m = bits.f - 1.0f;
  float l = -0.12880057f;
  l = l * m + 0.13984579f; l = l * m - 0.12187478f; l = l * m + 0.14005736f; l = l * m - 0.16680196f;
  l = l * m + 0.20010427f; l = l * m - 0.24999806f; l = l * m + 0.33333215f; l = l * m - 0.5f;
  const float power = (1.442695f * (m + m * m * l) + exponent) * 0.41666666f;
  const float whole = rintf(power), p = power - whole;
  float e = 0.00015326469f;
  e = e * p + 0.0013390806f; e = e * p + 0.009618506f; e = e * p + 0.0555036f; e = e * p + 0.24022648f;
  e = e * p + 0.6931472f; e = e * p + 1.0f;
  bits.f = e;
  bits.i += (int32_t)whole << 23;
  return x <= 0.0031308f ? 12.92f * x : 1.055f * bits.f - 0.055f;
}

enum { BLOCK = 64 };

/* Sums of a block of columns are kept together, so that each loop over them is one of vectors. */
void swirl(uint32_t *out, int width, int height, int n, float turns, float inverse_size, int threads) {
  const float step = 1.0f / n, mean = 1.0f / (n * n);
#pragma omp parallel for num_threads(threads) schedule(dynamic, 8)
  for (int j = 0; j < height; j++) {
    uint32_t *row = out + (size_t)j * width;
    for (int first = 0; first < width; first += BLOCK) {
      float sum[BLOCK] = {0};
      const int count = width - first < BLOCK ? width - first : BLOCK;
      for (int b = 0; b < n; b++) {
        const float y = height * 0.5f - (j + (b + 0.5f) * step), yy = y * y;
        for (int a = 0; a < n; a++) {
          const float left = first + (a + 0.5f) * step - width * 0.5f;
#pragma omp simd
          for (int i = 0; i < count; i++) {
            const float x = i + left;
            sum[i] += (float)swirled_parity(x, y, sqrtf(x * x + yy), turns, inverse_size);
          }
        }
      }
#pragma omp simd
      for (int i = 0; i < count; i++) {
        const uint32_t gray = (uint32_t)(int32_t)(curve(sum[i] * mean) * 255.0f + 0.5f);
        row[first + i] = 0xff000000u | gray << 16 | gray << 8 | gray;
      }
    }
  }
}
