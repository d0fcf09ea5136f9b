/* The parity of the square of a swirled checkerboard at a place, by hand: polynomial sine and cosine in quarter turns, one
   shared reduction. */
#include <math.h>

static inline int swirled_parity(float x, float y, float distance, float turns, float inverse_size) {
  const float angle = -turns * distance;
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
