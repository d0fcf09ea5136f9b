/* The median of three by three bytes written by hand for one machine: every column of three is put in order, then the
   greatest of the least, the middle of the middle and the least of the greatest have the median in their middle. Borders
   repeat the outermost pixel. What bench/median.py measures against. */
#include <stddef.h>
#include <stdint.h>

#define LESSER(a, b) ((a) < (b) ? (a) : (b))
#define GREATER(a, b) ((a) > (b) ? (a) : (b))

static inline uint8_t middle(uint8_t a, uint8_t b, uint8_t c) {
  return GREATER(LESSER(a, b), LESSER(GREATER(a, b), c));
}

static inline uint8_t least(uint8_t a, uint8_t b, uint8_t c) { return LESSER(LESSER(a, b), c); }

static inline uint8_t greatest(uint8_t a, uint8_t b, uint8_t c) { return GREATER(GREATER(a, b), c); }

static inline uint8_t median_of(const uint8_t *p, const uint8_t *q, const uint8_t *r, int left, int here, int right) {
  const uint8_t low = greatest(least(p[left], q[left], r[left]), least(p[here], q[here], r[here]),
                               least(p[right], q[right], r[right]));
  const uint8_t mid = middle(middle(p[left], q[left], r[left]), middle(p[here], q[here], r[here]),
                             middle(p[right], q[right], r[right]));
  const uint8_t high = least(greatest(p[left], q[left], r[left]), greatest(p[here], q[here], r[here]),
                             greatest(p[right], q[right], r[right]));
  return middle(low, mid, high);
}

void median(const uint8_t *restrict in, uint8_t *restrict out, int width, int height, int threads) {
#pragma omp parallel for num_threads(threads) schedule(dynamic, 16)
  for (int y = 0; y < height; y++) {
    const uint8_t *q = in + (size_t)y * width;
    const uint8_t *p = y > 0 ? q - width : q, *r = y < height - 1 ? q + width : q;
    uint8_t *to = out + (size_t)y * width;
    to[0] = median_of(p, q, r, 0, 0, width > 1);
#pragma omp simd
    for (int x = 1; x < width - 1; x++) to[x] = median_of(p, q, r, x - 1, x, x + 1);
    if (width > 1) to[width - 1] = median_of(p, q, r, width - 2, width - 1, width - 1);
  }
}
