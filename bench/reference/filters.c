// Classic BPF: an interpreter of any filter, and some filters by hand. Records hold begin, end, wire length, verdict.
#include <stdint.h>
typedef struct { uint16_t code; uint8_t jt, jf; uint32_t k; } instruction;
#define NOINLINE __attribute__((noinline))
static int load(const uint8_t *p, uint32_t n, uint64_t at, int size, uint32_t *a) {
  if (at + size > n) return 0;
  uint32_t v = 0;
  for (int i = 0; i < size; i++) v = v << 8 | p[at + i];
  *a = v;
  return 1;
}
static NOINLINE uint32_t interpret(const instruction *pc, const uint8_t *p, uint32_t n, uint32_t wire) {
  uint32_t a = 0, x = 0, cells[16] = {0};
  for (;; pc++) {
    const uint32_t k = pc->k, other = pc->code & 8 ? x : k;
    switch (pc->code) {
    case 0x06: return k;
    case 0x16: return a;
    case 0x20: if (!load(p, n, k, 4, &a)) return 0; break;
    case 0x28: if (!load(p, n, k, 2, &a)) return 0; break;
    case 0x30: if (!load(p, n, k, 1, &a)) return 0; break;
    case 0x40: if (!load(p, n, (uint64_t)x + k, 4, &a)) return 0; break;
    case 0x48: if (!load(p, n, (uint64_t)x + k, 2, &a)) return 0; break;
    case 0x50: if (!load(p, n, (uint64_t)x + k, 1, &a)) return 0; break;
    case 0xb1: if (!load(p, n, k, 1, &x)) return 0; x = (x & 15) << 2; break;
    case 0x00: a = k; break;
    case 0x01: x = k; break;
    case 0x60: a = cells[k]; break;
    case 0x61: x = cells[k]; break;
    case 0x80: a = wire; break;
    case 0x81: x = wire; break;
    case 0x02: cells[k] = a; break;
    case 0x03: cells[k] = x; break;
    case 0x07: x = a; break;
    case 0x87: a = x; break;
    case 0x05: pc += k; break;
    case 0x15: case 0x1d: pc += a == other ? pc->jt : pc->jf; break;
    case 0x25: case 0x2d: pc += a > other ? pc->jt : pc->jf; break;
    case 0x35: case 0x3d: pc += a >= other ? pc->jt : pc->jf; break;
    case 0x45: case 0x4d: pc += a & other ? pc->jt : pc->jf; break;
    case 0x04: case 0x0c: a += other; break;
    case 0x14: case 0x1c: a -= other; break;
    case 0x24: case 0x2c: a *= other; break;
    case 0x34: case 0x3c: if (!other) return 0; a /= other; break;
    case 0x44: case 0x4c: a |= other; break;
    case 0x54: case 0x5c: a &= other; break;
    case 0x64: case 0x6c: a = other > 31 ? 0 : a << other; break;
    case 0x74: case 0x7c: a = other > 31 ? 0 : a >> other; break;
    case 0x84: a = -a; break;
    case 0x94: case 0x9c: if (!other) return 0; a %= other; break;
    case 0xa4: case 0xac: a ^= other; break;
    default: return 0;
    }
  }
}
void by_interpreter(const instruction *filter, const uint8_t *m, uint32_t *r, int64_t stop) {
  for (int64_t i = 0; i < stop; i += 4) r[i + 3] = interpret(filter, m + r[i], r[i + 1] - r[i], r[i + 2]);
}

// ---- by hand ----
#define TWO(at) ((uint32_t)p[at] << 8 | p[(at) + 1])
#define FOUR(at) (TWO(at) << 16 | TWO((at) + 2))
#define BY_HAND(name)                                                                                             \
  void name##_by_hand(const uint8_t *m, uint32_t *r, int64_t stop) {                                              \
    for (int64_t i = 0; i < stop; i += 4) r[i + 3] = name(m + r[i], r[i + 1] - r[i]);                             \
  }
static uint32_t arp(const uint8_t *p, uint32_t n) { return n >= 14 && TWO(12) == 0x806 ? 262144 : 0; }
static uint32_t web(const uint8_t *p, uint32_t n) {
  if (n < 14 || TWO(12) != 0x800 || n < 24 || p[23] != 6 || TWO(20) & 0x1fff) return 0;
  uint32_t x = (p[14] & 15) * 4;
  if (x + 16 > n) return 0;
  if (TWO(x + 14) == 80) return 262144;
  return x + 18 <= n && TWO(x + 16) == 80 ? 262144 : 0;
}
static uint32_t net(const uint8_t *p, uint32_t n) {
  if (n < 14 || TWO(12) != 0x800 || n < 30) return 0;
  if ((FOUR(26) & 0xffffff00) == 0x0a010200) return 262144;
  return n >= 34 && (FOUR(30) & 0xffffff00) == 0x0a010200 ? 262144 : 0;
}
static uint32_t ports(const uint8_t *p, uint32_t n) {
  if (n < 14 || TWO(12) != 0x800 || n < 24 || p[23] != 17 || TWO(20) & 0x1fff) return 0;
  uint32_t x = (p[14] & 15) * 4;
  if (x + 18 > n) return 0;
  uint32_t port = TWO(x + 16);
  return port >= 1000 && port <= 2000 ? 262144 : 0;
}
BY_HAND(arp)
BY_HAND(web)
BY_HAND(net)
BY_HAND(ports)
