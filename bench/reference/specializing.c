// The loops of the tables of 1997 as one writes them by hand: sound by pointers to shorts, one sample a turn; pictures
// by whole words, shifts and masks.
#include <stddef.h>
#include <stdint.h>

#define LOOP(name) uint64_t name(const uint32_t *a, const uint32_t *b, uint32_t *out, const uint16_t *table, int64_t n)
#define SHORTS const uint16_t *x = (const uint16_t *)a, *y = (const uint16_t *)b; uint16_t *o = (uint16_t *)out; (void)x; (void)y; (void)o; (void)table
#define EACH for (int64_t i = 0; i < n; i++)

// Sound: n samples of 16 bits.
LOOP(add_10) { SHORTS; EACH o[i] = x[i] + 10; return 0; }
LOOP(mix) { SHORTS; EACH o[i] = x[i] + y[i]; return 0; }

LOOP(filter_2) {
    SHORTS;
    uint16_t p = 1, q = 2;
    EACH { o[i] = 3 * p + 5 * q; q = p; p = x[i]; }
    return 0;
}

LOOP(filter_5) {
    SHORTS;
    static const uint16_t kernel[5] = {2, 5, 7, 5, 2};
    uint16_t window[5] = {1, 2, 3, 4, 5};
    EACH {
        uint32_t sum = 0;
        for (int k = 0; k < 5; k++) sum += kernel[k] * window[k];
        o[i] = sum;
        for (int k = 4; k > 0; k--) window[k] = window[k - 1];
        window[0] = x[i];
    }
    return 0;
}

LOOP(fm_1) {
    SHORTS;
    uint16_t phase = 0;
    EACH { o[i] = table[((phase >> 8) + (x[i] >> 4)) & 255]; phase += 700; }
    return 0;
}

LOOP(fm_2) {
    SHORTS;
    uint16_t phase = 0, inner = 0;
    EACH { o[i] = table[((phase >> 8) + (table[inner >> 8] >> 4)) & 255]; phase += 700; inner += 300; }
    return 0;
}

LOOP(lut) {
    SHORTS;
    const uint8_t *p = (const uint8_t *)a;
    EACH o[i] = table[p[i]];
    return 0;
}

LOOP(sum_16) {
    SHORTS;
    uint64_t sum = 0;
    EACH sum += x[i];
    return sum;
}

LOOP(wavrec) {
    SHORTS;
    uint16_t phase = 0, last = 0;
    EACH { o[i] = last = table[((phase >> 8) + (last >> 4)) & 255]; phase += 700; }
    return 0;
}

// Pictures: n words of what is read, or written where nothing is.
LOOP(copy) { EACH out[i] = a[i]; return 0; }

LOOP(gaps) {
    EACH {
        uint32_t v = a[i];
        out[2 * i] = (out[2 * i] & 0xff00ff00u) | (v & 255) | (v >> 8 & 255) << 16;
        out[2 * i + 1] = (out[2 * i + 1] & 0xff00ff00u) | (v >> 16 & 255) | (v >> 24) << 16;
    }
    return 0;
}

LOOP(encode) {
    for (int64_t i = 0, j = 0; i < n; i += 3, j += 4) {
        uint32_t u = a[i], v = a[i + 1], w = a[i + 2];
        out[j] = (u & 63) | (u >> 6 & 63) << 8 | (u >> 12 & 63) << 16 | (u >> 18 & 63) << 24;
        out[j + 1] = (u >> 24 & 63) | (u >> 30 | (v & 15) << 2) << 8 | (v >> 4 & 63) << 16 | (v >> 10 & 63) << 24;
        out[j + 2] = (v >> 16 & 63) | (v >> 22 & 63) << 8 | (v >> 28 | (w & 3) << 4) << 16 | (w >> 2 & 63) << 24;
        out[j + 3] = (w >> 8 & 63) | (w >> 14 & 63) << 8 | (w >> 20 & 63) << 16 | (w >> 26) << 24;
    }
    return 0;
}

LOOP(decode) {
    for (int64_t i = 0, j = 0; i < n; i += 4, j += 3) {
        uint32_t g[4];
        for (int k = 0; k < 4; k++) {
            uint32_t v = a[i + k];
            g[k] = (v & 63) | (v >> 8 & 63) << 6 | (v >> 16 & 63) << 12 | (v >> 24 & 63) << 18;
        }
        out[j] = g[0] | g[1] << 24;
        out[j + 1] = g[1] >> 8 | g[2] << 16;
        out[j + 2] = g[2] >> 16 | g[3] << 8;
    }
    return 0;
}

LOOP(iota) {
    uint32_t v = 0;
    EACH {
        out[i] = (v & 255) | (v + 1 & 255) << 8 | (v + 2 & 255) << 16 | (v + 3 & 255) << 24;
        v += 4;
    }
    return 0;
}

LOOP(sum) {
    uint64_t sum = 0;
    EACH { uint32_t v = a[i]; sum += (v & 255) + (v >> 8 & 255) + (v >> 16 & 255) + (v >> 24); }
    return sum;
}

LOOP(sum_12) {
    uint64_t sum = 0;
    for (int64_t i = 0; i < n; i += 3) {
        uint32_t u = a[i], v = a[i + 1], w = a[i + 2];
        sum += (u & 4095) + (u >> 12 & 4095) + (u >> 24 | (v & 15) << 8) + (v >> 4 & 4095);
        sum += (v >> 16 & 4095) + (v >> 28 | (w & 255) << 4) + (w >> 8 & 4095) + (w >> 20);
    }
    return sum;
}

// The bytes of `sum` by pointers to char, so many to a turn as words are: n words.
LOOP(sum_char_4) {
    const uint8_t *p = (const uint8_t *)a;
    uint64_t sum = 0;
    for (int64_t i = 0; i < 4 * n; i += 4) sum += p[i] + p[i + 1] + p[i + 2] + p[i + 3];
    return sum;
}

LOOP(sum_char_8) {
    const uint8_t *p = (const uint8_t *)a;
    uint64_t sum = 0;
    for (int64_t i = 0; i < 4 * n; i += 8) {
        sum += p[i] + p[i + 1] + p[i + 2] + p[i + 3] + p[i + 4] + p[i + 5] + p[i + 6] + p[i + 7];
    }
    return sum;
}

// And by words, of which two make a turn: n is even.
LOOP(sum_word_8) {
    uint64_t sum = 0;
    for (int64_t i = 0; i < n; i += 2) {
        uint32_t v = a[i], w = a[i + 1];
        sum += (v & 255) + (v >> 8 & 255) + (v >> 16 & 255) + (v >> 24);
        sum += (w & 255) + (w >> 8 & 255) + (w >> 16 & 255) + (w >> 24);
    }
    return sum;
}

// The program over bit addresses as it is, whose layout is four numbers.
uint64_t sum_general(const uint32_t *memory, int64_t from, int64_t to, int64_t size, int64_t stride) {
    uint64_t sum = 0;
    for (int64_t p = from; p != to; p += stride) {
        uint64_t v = memory[p / 32];
        if (p % 32 + size > 32) v |= (uint64_t)memory[p / 32 + 1] << 32;
        sum += v >> p % 32 & (((uint64_t)1 << size) - 1);
    }
    return sum;
}

// 3 x + x x + 7 of bytes, in words.
LOOP(polynomial) {
    const uint8_t *p = (const uint8_t *)a;
    EACH out[i] = 3 * p[i] + p[i] * p[i] + 7;
    return 0;
}

// Base 64 by a table of letters: n groups of three bytes.
void base64(const uint8_t *in, uint8_t *out, int64_t n) {
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    EACH {
        uint32_t v = in[3 * i] << 16 | in[3 * i + 1] << 8 | in[3 * i + 2];
        for (int k = 0; k < 4; k++) out[4 * i + k] = letters[v >> 6 * (3 - k) & 63];
    }
}

typedef uint64_t hand(const uint32_t *, const uint32_t *, uint32_t *, const uint16_t *, int64_t);
typedef void machine(const void *, const void *, const void *, int64_t, int64_t);

uint64_t repeat_hand(hand *f, const uint32_t *a, const uint32_t *b, uint32_t *out, const uint16_t *table, int64_t n, int64_t times) {
    uint64_t last = 0;
    for (int64_t t = 0; t < times; t++) last = f(a, b, out, table, n);
    return last;
}

void repeat_machine(machine *f, const void *params, const void *buffers, const void *sizes, int64_t first, int64_t beyond, int64_t times) {
    for (int64_t t = 0; t < times; t++) f(params, buffers, sizes, first, beyond);
}
