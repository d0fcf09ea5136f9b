/* Unsharp masking written by hand for one machine: blurred along columns into one row of scratch memory per thread,
   then along the row, and taken from the picture at once. Interleaved colors, single precision, borders reflected about
   the middle of the outermost pixel. What bench/unsharp.py measures against. */
#include <stddef.h>
#include <stdlib.h>

enum { CHANNELS = 3, MOST = 8 };

static int mirrored(int at, int count) {
  at = at < 0 ? -at : at;
  return at < count ? at : 2 * (count - 1) - at;
}

static inline __attribute__((always_inline)) void band(const float *restrict in, float *restrict out, float *restrict row,
                                                       int first, int beyond, int width, int height,
                                                       const float *taps, float amount, const int radius) {
  const int length = width * CHANNELS;
  for (int y = first; y < beyond; y++) {
    const float *above[MOST], *below[MOST];
    const float *here = in + (size_t)y * length;
    for (int k = 1; k <= radius; k++) {
      above[k - 1] = in + (size_t)mirrored(y - k, height) * length;
      below[k - 1] = in + (size_t)mirrored(y + k, height) * length;
    }
#pragma omp simd
    for (int i = 0; i < length; i++) {
      float sum = taps[0] * here[i];
#pragma GCC unroll 8
      for (int k = 1; k <= radius; k++) sum += taps[k] * (above[k - 1][i] + below[k - 1][i]);
      row[i] = sum;
    }
    for (int k = 1; k <= radius; k++)
      for (int c = 0; c < CHANNELS; c++) {
        row[c - k * CHANNELS] = row[c + k * CHANNELS];
        row[length - CHANNELS + c + k * CHANNELS] = row[length - CHANNELS + c - k * CHANNELS];
      }
    float *to = out + (size_t)y * length;
#pragma omp simd
    for (int i = 0; i < length; i++) {
      float sum = taps[0] * row[i];
#pragma GCC unroll 8
      for (int k = 1; k <= radius; k++) sum += taps[k] * (row[i - k * CHANNELS] + row[i + k * CHANNELS]);
      to[i] = here[i] + amount * (here[i] - sum);
    }
  }
}

/* taps[0] is the middle one, taps[k] those k pixels away on both sides. */
void unsharp(const float *in, float *out, int width, int height, const float *taps, int radius, float amount,
             int threads) {
  const int step = 16;
#pragma omp parallel num_threads(threads)
  {
    float *memory = aligned_alloc(64, (((size_t)width * CHANNELS + 2 * MOST * CHANNELS + 64) * 4 + 63) / 64 * 64);
    float *row = memory + 64;
#pragma omp for schedule(dynamic)
    for (int k = 0; k < (height + step - 1) / step; k++) {
      const int first = k * step, beyond = first + step < height ? first + step : height;
      if (radius == 1)
        band(in, out, row, first, beyond, width, height, taps, amount, 1);
      else
        band(in, out, row, first, beyond, width, height, taps, amount, 4);
    }
    free(memory);
  }
}
