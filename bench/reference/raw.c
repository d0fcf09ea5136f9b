/* A sensor's samples of 10 or 12 bits (MIPI), red first, to bytes of red, green and blue through a curve: rows unpacked
   into a ring of three, the mean of neighbors four times over, and the curve as a table of four times as many entries.
   Written by hand for the compiler's vectors. What bench/raw.py measures against. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

static void unpack(const uint8_t *restrict from, uint16_t *restrict to, int width, int bits) {
  if (bits == 12)
    for (int g = 0; g < width / 2; g++) {
      const uint8_t *p = from + 3 * g;
      to[2 * g] = (uint16_t)(p[0] << 4 | (p[2] & 15));
      to[2 * g + 1] = (uint16_t)(p[1] << 4 | p[2] >> 4);
    }
  else
    for (int g = 0; g < width / 4; g++) {
      const uint8_t *p = from + 5 * g;
      for (int k = 0; k < 4; k++) to[4 * g + k] = (uint16_t)(p[k] << 2 | (p[4] >> 2 * k & 3));
    }
  to[-1] = to[1];
  to[width] = to[width - 2];
}

static void blend(const uint16_t *restrict a, const uint16_t *restrict b, const uint16_t *restrict c,
                  uint16_t *restrict red, uint16_t *restrict green, uint16_t *restrict blue, int width, int odd) {
  uint16_t *restrict mine = odd ? blue : red, *restrict other = odd ? red : blue;
  const int own = odd; /* the columns of the parity that have this row's color */
  for (int i = 0; i < width; i++) {
    const uint16_t sides = (uint16_t)(b[i - 1] + b[i + 1]), ends = (uint16_t)(a[i] + c[i]);
    const uint16_t corners = (uint16_t)(a[i - 1] + a[i + 1] + c[i - 1] + c[i + 1]), here = (uint16_t)(4 * b[i]);
    const int at = (i & 1) == own;
    mine[i] = at ? here : (uint16_t)(2 * sides);
    green[i] = at ? (uint16_t)(sides + ends) : here;
    other[i] = at ? corners : (uint16_t)(2 * ends);
  }
}

void develop(const uint8_t *from, uint8_t *to, int width, int height, int bits, const uint8_t *restrict curve,
             int threads) {
  const size_t pitch = (size_t)width * bits / 8;
  const int band = 32, stride = width + 128;
#pragma omp parallel num_threads(threads)
  {
    uint16_t *room = aligned_alloc(64, (size_t)stride * 6 * sizeof *room + 64);
    uint16_t *row[6];
    for (int k = 0; k < 6; k++) row[k] = room + (size_t)k * stride + 64;
#pragma omp for schedule(dynamic, 1)
    for (int first = 0; first < height; first += band) {
      const int beyond = first + band < height ? first + band : height;
      for (int y = first - 1; y <= beyond; y++) {
        const int line = y < 0 ? 1 : y >= height ? height - 2 : y;
        unpack(from + (size_t)line * pitch, row[(y + 3) % 3], width, bits);
        if (y <= first) continue;
        const int here = y - 1;
        blend(row[(here + 2) % 3], row[(here + 3) % 3], row[(here + 4) % 3], row[3], row[4], row[5], width, here & 1);
        uint8_t *out = to + (size_t)here * width * 3;
        for (int i = 0; i < width; i++) {
          out[3 * i] = curve[row[3][i]];
          out[3 * i + 1] = curve[row[4][i]];
          out[3 * i + 2] = curve[row[5][i]];
        }
      }
    }
    free(room);
  }
}
