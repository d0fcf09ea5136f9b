/* The swirled checkerboard written by hand for a GPU, as swirl.c is for a processor: a thread for each pixel. What
   bench/gpu.py measures against. */
extern "C" __global__ void swirl(unsigned *out, int width, int height, float turns, float inverse_size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= width || j >= height) return;
  const float x = i - (width - 1) * 0.5f, y = (height - 1) * 0.5f - j;
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
  out[(size_t)j * width + i] = (parity & 1) ? 0xffffffffu : 0xff000000u;
}
