// Packed samples as one writes them by hand, for one layout each, on so many threads: `plain`, sample by sample, as
// compilers like it, and `wide`, in registers of 512 bits.
#include <immintrin.h>
#include <stdint.h>

#define PARALLEL _Pragma("omp parallel for num_threads(threads) schedule(static)")
#define EACH(i, n) PARALLEL for (int64_t i = 0; i < (n); i++)

// ---- plain ----

uint64_t sum8_plain(const uint8_t *restrict in, int64_t n, int threads) {
    uint64_t total = 0;
#pragma omp parallel for num_threads(threads) schedule(static) reduction(+ : total)
    for (int64_t i = 0; i < n; i++) total += in[i];
    return total;
}

// Two samples in three bytes.
static inline uint32_t both12(const uint8_t *in) {
    uint32_t a = in[0], b = in[1], c = in[2];
    return (a | (b & 15) << 8) + (b >> 4 | c << 4);
}

uint64_t sum12_plain(const uint8_t *restrict in, int64_t count, int threads) {
    uint64_t total = 0;
#pragma omp parallel for num_threads(threads) schedule(static) reduction(+ : total)
    for (int64_t i = 0; i < count / 2; i++) total += both12(in + 3 * i);
    return total;
}

void spread16_plain(const uint8_t *restrict in, uint8_t *restrict out, int64_t n, int threads) {
    EACH(i, n) out[2 * i] = in[i];
}

// Four samples in three bytes.
static inline void four_from6(const uint8_t *restrict in, uint8_t *restrict out) {
    uint32_t v = in[0] | in[1] << 8 | in[2] << 16;
    for (int k = 0; k < 4; k++) out[k] = v >> 6 * k & 63;
}

static inline void four_to6(const uint8_t *restrict in, uint8_t *restrict out) {
    uint32_t v = 0;
    for (int k = 0; k < 4; k++) v |= (in[k] & 63u) << 6 * k;
    for (int k = 0; k < 3; k++) out[k] = v >> 8 * k;
}

void from6_plain(const uint8_t *restrict in, uint8_t *restrict out, int64_t count, int threads) {
    EACH(i, count / 4) four_from6(in + 3 * i, out + 4 * i);
}

void to6_plain(const uint8_t *restrict in, uint8_t *restrict out, int64_t count, int threads) {
    EACH(i, count / 4) four_to6(in + 4 * i, out + 3 * i);
}

void lut8_plain(const uint8_t *restrict in, uint8_t *restrict out, int64_t n, const uint8_t *restrict table, int threads) {
    EACH(i, n) out[i] = table[in[i]];
}

void add10_plain(const int16_t *restrict in, int16_t *restrict out, int64_t n, int threads) {
    EACH(i, n) out[i] = in[i] + 10;
}

void mix_plain(const int16_t *restrict a, const int16_t *restrict b, int16_t *restrict out, int64_t n, int threads) {
    EACH(i, n) out[i] = (a[i] + b[i]) >> 1;
}

void fir5_plain(const int16_t *restrict in, int16_t *restrict out, int64_t n, const int16_t *restrict c, int threads) {
    int32_t c0 = c[0], c1 = c[1], c2 = c[2], c3 = c[3], c4 = c[4];
    EACH(i, n) out[i] = (c0 * in[i] + c1 * in[i + 1] + c2 * in[i + 2] + c3 * in[i + 3] + c4 * in[i + 4]) >> 15;
}

// Two oscillators, one of which moves the phase of the other; phases are 32 bits, of which a table has the first ten.
void fm_plain(int16_t *restrict out, int64_t n, const int16_t *restrict wave, const int32_t *by, int threads) {
    uint32_t carrier = by[0], modulator = by[1], index = by[2];
    EACH(i, n) {
        uint32_t moved = (uint32_t)(int32_t)wave[(uint32_t)i * modulator >> 22] * index;
        out[i] = wave[((uint32_t)i * carrier + moved) >> 22];
    }
}

// ---- wide ----

#ifdef __AVX512VBMI__
#define LOAD(at) _mm512_loadu_si512((const void *)(at))
#define STORE(at, value) _mm512_storeu_si512((void *)(at), value)

// Byte k of a register is byte (k / group * step + k % group) of another, as far as it is one of the first `used`.
static __m512i moves(int group, int step, int used) {
    uint8_t order[64];
    for (int k = 0; k < 64; k++) order[k] = k % group < used ? k / group * step + k % group : 0;
    return LOAD(order);
}

uint64_t sum8_wide(const uint8_t *restrict in, int64_t n, int threads) {
    uint64_t total = 0;
    int64_t blocks = n / 256;
#pragma omp parallel num_threads(threads) reduction(+ : total)
    {
        __m512i zero = _mm512_setzero_si512(), a = zero, b = zero, c = zero, d = zero;
#pragma omp for schedule(static)
        for (int64_t i = 0; i < blocks; i++) {
            const uint8_t *at = in + 256 * i;
            a = _mm512_add_epi64(a, _mm512_sad_epu8(LOAD(at), zero));
            b = _mm512_add_epi64(b, _mm512_sad_epu8(LOAD(at + 64), zero));
            c = _mm512_add_epi64(c, _mm512_sad_epu8(LOAD(at + 128), zero));
            d = _mm512_add_epi64(d, _mm512_sad_epu8(LOAD(at + 192), zero));
        }
        total += _mm512_reduce_add_epi64(_mm512_add_epi64(_mm512_add_epi64(a, b), _mm512_add_epi64(c, d)));
    }
    for (int64_t i = 256 * blocks; i < n; i++) total += in[i];
    return total;
}

// Pairs of samples in 32 bits, both halves added up there; a run of blocks cannot overflow them.
uint64_t sum12_wide(const uint8_t *restrict in, int64_t count, int threads) {
    enum { RUN = 1 << 15 };
    uint64_t total = 0;
    int64_t pairs = count / 2, blocks = pairs / 16 ? pairs / 16 - 1 : 0;
    __m512i order = moves(4, 3, 3), low = _mm512_set1_epi32(4095);
#pragma omp parallel for num_threads(threads) schedule(static) reduction(+ : total)
    for (int64_t part = 0; part < threads; part++) {
        int64_t i = blocks * part / threads, beyond = blocks * (part + 1) / threads;
        while (i < beyond) {
            int64_t stop = i + RUN < beyond ? i + RUN : beyond;
            __m512i sum = _mm512_setzero_si512();
            for (; i < stop; i++) {
                __m512i v = _mm512_permutexvar_epi8(order, LOAD(in + 48 * i));
                __m512i second = _mm512_and_si512(_mm512_srli_epi32(v, 12), low);
                sum = _mm512_add_epi32(sum, _mm512_add_epi32(_mm512_and_si512(v, low), second));
            }
            total += _mm512_reduce_add_epi64(_mm512_and_si512(sum, _mm512_set1_epi64(0xFFFFFFFF)));
            total += _mm512_reduce_add_epi64(_mm512_srli_epi64(sum, 32));
        }
    }
    for (int64_t i = 16 * blocks; i < pairs; i++) total += both12(in + 3 * i);
    return total;
}

void spread16_wide(const uint8_t *restrict in, uint8_t *restrict out, int64_t n, int threads) {
    EACH(i, n / 32) {
        __m512i new = _mm512_cvtepu8_epi16(_mm256_loadu_si256((const void *)(in + 32 * i)));
        STORE(out + 64 * i, _mm512_mask_mov_epi8(LOAD(out + 64 * i), 0x5555555555555555, new));
    }
    for (int64_t i = n / 32 * 32; i < n; i++) out[2 * i] = in[i];
}

// Eight samples in 64 bits, each byte of which chooses where its eight bits begin.
void from6_wide(const uint8_t *restrict in, uint8_t *restrict out, int64_t count, int threads) {
    int64_t groups = count / 4, blocks = groups / 16 ? groups / 16 - 1 : 0;
    __m512i order = moves(8, 6, 6), starts = _mm512_set1_epi64(0x2A241E18120C0600);
    EACH(i, blocks) {
        __m512i v = _mm512_multishift_epi64_epi8(starts, _mm512_permutexvar_epi8(order, LOAD(in + 48 * i)));
        STORE(out + 64 * i, _mm512_and_si512(v, _mm512_set1_epi8(63)));
    }
    for (int64_t i = 16 * blocks; i < groups; i++) four_from6(in + 3 * i, out + 4 * i);
}

// Neighbors are put together by multiplications, which shift and add at once.
void to6_wide(const uint8_t *restrict in, uint8_t *restrict out, int64_t count, int threads) {
    int64_t groups = count / 4, blocks = groups / 16;
    uint8_t bytes[64] = {0};
    for (int k = 0; k < 48; k++) bytes[k] = k / 3 * 4 + k % 3;
    __m512i order = LOAD(bytes), pairs = _mm512_set1_epi16(64 << 8 | 1), fours = _mm512_set1_epi32(4096 << 16 | 1);
    EACH(i, blocks) {
        __m512i v = _mm512_and_si512(LOAD(in + 64 * i), _mm512_set1_epi8(63));
        v = _mm512_madd_epi16(_mm512_maddubs_epi16(v, pairs), fours);
        _mm512_mask_storeu_epi8(out + 48 * i, 0xFFFFFFFFFFFF, _mm512_permutexvar_epi8(order, v));
    }
    for (int64_t i = 16 * blocks; i < groups; i++) four_to6(in + 4 * i, out + 3 * i);
}

void lut8_wide(const uint8_t *restrict in, uint8_t *restrict out, int64_t n, const uint8_t *restrict table, int threads) {
    __m512i a = LOAD(table), b = LOAD(table + 64), c = LOAD(table + 128), d = LOAD(table + 192);
    EACH(i, n / 64) {
        __m512i v = LOAD(in + 64 * i);
        __m512i low = _mm512_permutex2var_epi8(a, v, b), high = _mm512_permutex2var_epi8(c, v, d);
        STORE(out + 64 * i, _mm512_mask_mov_epi8(low, _mm512_movepi8_mask(v), high));
    }
    for (int64_t i = n / 64 * 64; i < n; i++) out[i] = table[in[i]];
}
#endif
