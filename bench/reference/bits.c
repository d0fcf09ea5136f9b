// Packed samples as one writes them by hand: byte by byte, for one layout each, on so many threads.
#include <stdint.h>

#define EACH _Pragma("omp parallel for num_threads(threads) schedule(static)") for (int64_t i = 0; i < n; i++)
#define SUM _Pragma("omp parallel for num_threads(threads) schedule(static) reduction(+ : total)") for (int64_t i = 0; i < n; i++)

uint64_t sum8(const uint8_t *restrict in, int64_t n, int threads) {
    uint64_t total = 0;
    SUM total += in[i];
    return total;
}

// Two samples in three bytes.
uint64_t sum12(const uint8_t *restrict in, int64_t count, int threads) {
    uint64_t total = 0;
    int64_t n = count / 2;
    SUM {
        uint32_t a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2];
        total += (a | (b & 15) << 8) + (b >> 4 | c << 4);
    }
    return total;
}

void spread16(const uint8_t *restrict in, uint8_t *restrict out, int64_t n, int threads) {
    EACH out[2 * i] = in[i];
}

// Four samples in three bytes.
void from6(const uint8_t *restrict in, uint8_t *restrict out, int64_t count, int threads) {
    int64_t n = count / 4;
    EACH {
        uint32_t v = in[3 * i] | in[3 * i + 1] << 8 | in[3 * i + 2] << 16;
        for (int k = 0; k < 4; k++) out[4 * i + k] = v >> 6 * k & 63;
    }
}

void to6(const uint8_t *restrict in, uint8_t *restrict out, int64_t count, int threads) {
    int64_t n = count / 4;
    EACH {
        uint32_t v = 0;
        for (int k = 0; k < 4; k++) v |= (in[4 * i + k] & 63u) << 6 * k;
        for (int k = 0; k < 3; k++) out[3 * i + k] = v >> 8 * k;
    }
}

void add10(const int16_t *restrict in, int16_t *restrict out, int64_t n, int threads) {
    EACH out[i] = in[i] + 10;
}
