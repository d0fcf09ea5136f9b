/* Four pictures written by hand for a GPU, a thread for each pixel: a swirled checkerboard, five of them blended, spheres
   that rays are marched to, and a noise of many scales warped by itself. What bench/gpu.py measures against. */

#define PIXEL(width, height)                                                                              \
  const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;         \
  if (i >= width || j >= height) return;                                                                  \
  const float x = i - (width - 1) * 0.5f, y = (height - 1) * 0.5f - j

static __device__ unsigned packed(float red, float green, float blue) {
  return 0xff000000u | (unsigned)(int)(blue * 255.0f + 0.5f) << 16 | (unsigned)(int)(green * 255.0f + 0.5f) << 8 |
         (unsigned)(int)(red * 255.0f + 0.5f);
}

static __device__ float unit(float v) { return fminf(fmaxf(v, 0.0f), 1.0f); }

/* Whether the square that a point is swirled into is the odd one. */
static __device__ int parity(float x, float y, float r, float turns, float inverse_size) {
  const float angle = -turns * r, quarters = rintf(angle * 4.0f);
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

extern "C" __global__ void swirl(unsigned *out, int width, int height, float scale) {
  PIXEL(width, height);
  const float u = x * scale, v = y * scale;
  out[j * width + i] = parity(u, v, sqrtf(u * u + v * v), 0.01f, 0.1f) ? 0xffffffffu : 0xff000000u;
}

extern "C" __global__ void layers(unsigned *out, int width, int height, float scale) {
  PIXEL(width, height);
  const float colors[5][3] = {{1, 0, 0}, {0, 0.5019608f, 0}, {0, 0, 1}, {1, 1, 0}, {0, 0, 0}};
  const float u = x * scale, v = y * scale, r = sqrtf(u * u + v * v);
  float red = 1.0f, green = 1.0f, blue = 1.0f;
#pragma unroll
  for (int k = 0; k < 5; k++) {
    const float alpha = 0.3f + 0.1f * k, rest = 1.0f - alpha;
    const int white = parity(u, v, r, 1.0f / (100.0f + 20.0f * k), 1.0f / (10.0f + k));
    red = red * rest + (white ? alpha : colors[k][0] * alpha);
    green = green * rest + (white ? alpha : colors[k][1] * alpha);
    blue = blue * rest + (white ? alpha : colors[k][2] * alpha);
  }
  out[j * width + i] = packed(red, green, blue);
}

/* The distance to the ground, or to the nearest of the spheres that stand on a grid. */
static __device__ float distance_to(float x, float y, float z) {
  const float u = x - 3.0f * floorf(x * 0.33333334f + 0.5f), w = z - 3.0f * floorf(z * 0.33333334f + 0.5f);
  const float up = y - 0.9f;
  return fminf(sqrtf(u * u + up * up + w * w) - 0.9f, y);
}

extern "C" __global__ void spheres(unsigned *out, int width, int height, float scale) {
  PIXEL(width, height);
  const float a = x * scale, b = y * scale - 0.35f, size = 1.0f / sqrtf(a * a + b * b + 2.56f);
  const float dx = a * size, dy = b * size, dz = 1.6f * size;
  float t = 0.02f, d = distance_to(1.1f + dx * t, 2.3f + dy * t, -6.0f + dz * t);
  for (int step = 0; step < 90 && !(d < 0.002f || t > 40.0f); step++) {
    t += d;
    d = distance_to(1.1f + dx * t, 2.3f + dy * t, -6.0f + dz * t);
  }
  const float px = 1.1f + dx * t, py = 2.3f + dy * t, pz = -6.0f + dz * t;
  d = distance_to(px, py, pz);
  const float nx = distance_to(px + 0.004f, py, pz) - d, ny = distance_to(px, py + 0.004f, pz) - d;
  const float nz = distance_to(px, py, pz + 0.004f) - d, n = 1.0f / sqrtf(nx * nx + ny * ny + nz * nz);
  const float lit = 0.28f + 0.7f * fmaxf((nx * 0.55f + ny * 0.72f - nz * 0.42f) * n, 0.0f);
  const float seen = unit(t > 40.0f ? 0.4f + 0.5f * dy : lit);
  out[j * width + i] = packed(seen, seen, seen);
}

static __device__ unsigned mixed(unsigned h) {
  h = (h ^ h >> 16) * 0x7feb352du;
  h = (h ^ h >> 15) * 0x846ca68bu;
  return h ^ h >> 16;
}

static __device__ float fade(float t) { return t * t * t * (t * (t * 6.0f - 15.0f) + 10.0f); }

/* Random numbers at whole coordinates, and smoothly between, from -1 to 1. */
static __device__ float value(float x, float y) {
  const unsigned across = 0x1b2ba2d9u, up = 0x4229f603u, layer = 0x605a058fu;
  const float i = floorf(x), j = floorf(y), s = fade(x - i), t = fade(y - j);
  const unsigned base = (unsigned)(int)i * across + (unsigned)(int)j * up + layer;
  const float part = 1.0f / 16777216.0f;
  const float a = (mixed(base) >> 8) * part, b = (mixed(base + across) >> 8) * part;
  const float c = (mixed(base + up) >> 8) * part, d = (mixed(base + across + up) >> 8) * part;
  const float low = a + s * (b - a), high = c + s * (d - c);
  return (low + t * (high - low)) * 2.0f - 1.0f;
}

static __device__ float fbm(float x, float y) {
  float total = 0.0f, weight = 1.0f;
#pragma unroll
  for (int octave = 0; octave < 5; octave++) {
    total += weight * value(x, y);
    weight *= 0.5f;
    const float u = x * 1.5921676f - y * 1.2103728f + 17.3f, v = x * 1.2103728f + y * 1.5921676f - 8.9f;
    x = u;
    y = v;
  }
  return total * (1.0f / 1.9375f);
}

extern "C" __global__ void warped(unsigned *out, int width, int height, float scale) {
  PIXEL(width, height);
  const float u = x * scale, v = y * scale;
  const float across = fbm(u + 5.2f, v + 1.3f), up = fbm(u + 1.7f, v + 9.2f);
  const float seen = unit(0.5f + 0.5f * fbm(u + 2.0f * across, v + 2.0f * up));
  out[j * width + i] = packed(seen, seen, seen);
}
