/* Two warped bitmaps over a checkerboard, written by hand for AVX-512: sixteen pixels at a time, the four neighbors of a
   point as two 64-bit loads per lane, tests once per sixteen pixels. What bench/warp.py measures against. */
#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
  const uint32_t *pixels;
  int width, height;
  float ux, uy, u0, vx, vy, v0; /* texel = u0 + ux column + uy row, v0 + vx column + vy row */
} Bitmap;

typedef struct {
  __m512 channel[4];
} Colors;

static inline Colors unpack(__m512i p) {
  const __m512i low = _mm512_set1_epi32(255);
  Colors c;
  c.channel[0] = _mm512_cvtepi32_ps(_mm512_and_si512(p, low));
  c.channel[1] = _mm512_cvtepi32_ps(_mm512_and_si512(_mm512_srli_epi32(p, 8), low));
  c.channel[2] = _mm512_cvtepi32_ps(_mm512_and_si512(_mm512_srli_epi32(p, 16), low));
  c.channel[3] = _mm512_cvtepi32_ps(_mm512_srli_epi32(p, 24));
  return c;
}

static inline Colors blend(const Colors t[4], __m512 a, __m512 b) {
  Colors c;
  for (int k = 0; k < 4; k++) {
    const __m512 upper = _mm512_fmadd_ps(a, _mm512_sub_ps(t[1].channel[k], t[0].channel[k]), t[0].channel[k]);
    const __m512 lower = _mm512_fmadd_ps(a, _mm512_sub_ps(t[3].channel[k], t[2].channel[k]), t[2].channel[k]);
    c.channel[k] = _mm512_fmadd_ps(b, _mm512_sub_ps(lower, upper), upper);
  }
  return c;
}

static inline long long two_pixels(const uint32_t *p) {
  long long v;
  memcpy(&v, p, 8);
  return v;
}

static inline void pairs(const uint32_t *p, __m512i index, __m512i *left, __m512i *right) {
  int k[16];
  _mm512_storeu_si512(k, index);
#define EIGHT(o) \
  _mm512_setr_epi64(two_pixels(p + k[o]), two_pixels(p + k[o + 1]), two_pixels(p + k[o + 2]), two_pixels(p + k[o + 3]), \
                    two_pixels(p + k[o + 4]), two_pixels(p + k[o + 5]), two_pixels(p + k[o + 6]), two_pixels(p + k[o + 7]))
  const __m512i a = EIGHT(0), b = EIGHT(8);
  const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
  *left = _mm512_permutex2var_epi32(a, even, b);
  *right = _mm512_permutex2var_epi32(a, _mm512_add_epi32(even, _mm512_set1_epi32(1)), b);
}

/* The colors of sixteen pixels; returns 0 where the bitmap does not reach any of them. */
static inline int sample(const Bitmap *m, __m512 column, float row, Colors *out) {
  const __m512 u = _mm512_fmadd_ps(column, _mm512_set1_ps(m->ux), _mm512_set1_ps(m->uy * row + m->u0));
  const __m512 v = _mm512_fmadd_ps(column, _mm512_set1_ps(m->vx), _mm512_set1_ps(m->vy * row + m->v0));
  const __m512 fu = _mm512_roundscale_ps(u, 9), fv = _mm512_roundscale_ps(v, 9);
  const __m512i i = _mm512_cvtps_epi32(fu), j = _mm512_cvtps_epi32(fv), one = _mm512_set1_epi32(1);
  const __m512i w = _mm512_set1_epi32(m->width), h = _mm512_set1_epi32(m->height);
  const __m512 a = _mm512_sub_ps(u, fu), b = _mm512_sub_ps(v, fv);
  const __m512i at = _mm512_add_epi32(_mm512_mullo_epi32(j, w), i), below = _mm512_add_epi32(at, w);
  const __mmask16 inside = _mm512_cmplt_epu32_mask(i, _mm512_sub_epi32(w, one)) & _mm512_cmplt_epu32_mask(j, _mm512_sub_epi32(h, one));
  Colors t[4];
  if (inside == 0xffff) {
    __m512i p, q, r, s;
    pairs(m->pixels, at, &p, &q);
    pairs(m->pixels, below, &r, &s);
    t[0] = unpack(p), t[1] = unpack(q), t[2] = unpack(r), t[3] = unpack(s);
  } else {
    const __m512i i1 = _mm512_add_epi32(i, one), j1 = _mm512_add_epi32(j, one), zero = _mm512_setzero_si512();
    const __mmask16 left = _mm512_cmplt_epu32_mask(i, w), right = _mm512_cmplt_epu32_mask(i1, w);
    const __mmask16 upper = _mm512_cmplt_epu32_mask(j, h), lower = _mm512_cmplt_epu32_mask(j1, h);
    if (!((left | right) & (upper | lower))) return 0;
    t[0] = unpack(_mm512_mask_i32gather_epi32(zero, left & upper, at, m->pixels, 4));
    t[1] = unpack(_mm512_mask_i32gather_epi32(zero, right & upper, _mm512_add_epi32(at, one), m->pixels, 4));
    t[2] = unpack(_mm512_mask_i32gather_epi32(zero, left & lower, below, m->pixels, 4));
    t[3] = unpack(_mm512_mask_i32gather_epi32(zero, right & lower, _mm512_add_epi32(below, one), m->pixels, 4));
  }
  *out = blend(t, a, b);
  return 1;
}

static inline void lay_over(Colors *below, const Colors *above) {
  const __m512 rest = _mm512_fnmadd_ps(above->channel[3], _mm512_set1_ps(1 / 255.0f), _mm512_set1_ps(1.0f));
  for (int k = 0; k < 4; k++) below->channel[k] = _mm512_fmadd_ps(rest, below->channel[k], above->channel[k]);
}

/* `board` holds two rows of checkerboard, one for each parity; `parity` says which belongs to a row. */
void warp(uint32_t *out, int width, int height, const Bitmap *top, const Bitmap *middle, const uint32_t *board,
          const uint8_t *parity, int threads) {
#pragma omp parallel for num_threads(threads) schedule(dynamic, 8)
  for (int j = 0; j < height; j++) {
    const uint32_t *squares = board + (size_t)parity[j] * (width + 16);
    for (int i = 0; i < width; i += 16) {
      const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
      const __m512 column = _mm512_cvtepi32_ps(_mm512_add_epi32(_mm512_set1_epi32(i), lanes));
      Colors c = unpack(_mm512_loadu_si512(squares + i)), s;
      if (sample(middle, column, j, &s)) lay_over(&c, &s);
      if (sample(top, column, j, &s)) lay_over(&c, &s);
      __m512i packed = _mm512_cvtps_epi32(c.channel[0]);
      for (int k = 1; k < 4; k++) packed = _mm512_or_si512(packed, _mm512_slli_epi32(_mm512_cvtps_epi32(c.channel[k]), 8 * k));
      const __mmask16 there = i + 16 <= width ? 0xffff : (__mmask16)((1 << (width - i)) - 1);
      _mm512_mask_storeu_epi32(out + (size_t)j * width + i, there, packed);
    }
  }
}
