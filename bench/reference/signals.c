// Sound as one writes it by hand: a loop over frames, its state in variables; floats out.
#include <math.h>
#include <stdint.h>

// A wave table read at a phase in fixed point that another one modulates.
void fm(const int16_t *restrict table, float *restrict out, int64_t n, uint32_t step, uint32_t other) {
    uint32_t a = 0, b = 0;
    for (int64_t i = 0; i < n; i++) {
        int m = table[b >> 8 & 1023];
        out[i] = table[(a >> 8) + (m >> 6) & 1023] * (1.0f / 32768);
        a += step, b += other;
    }
}

// The bell: a sine that moves the phase of another, both fading.
void bell(float *restrict out, int64_t n, double step, double other, double fade) {
    double p = 0, q = 0, e = 1;
    for (int64_t i = 0; i < n; i++) {
        p += step, p -= floor(p);
        q += other, q -= floor(q);
        e *= fade;
        out[i] = sin(6.283185307179586 * p + 3 * e * sin(6.283185307179586 * q)) * e;
    }
}

// Two poles and two zeros, in the first direct form, on samples of 16 bits.
void biquad(const int16_t *restrict in, float *restrict out, int64_t n, const double *restrict c) {
    double x1 = 0, x2 = 0, y1 = 0, y2 = 0;
    for (int64_t i = 0; i < n; i++) {
        double x = in[i] * (1.0 / 32768);
        double y = c[0] * x + c[1] * x1 + c[2] * x2 - c[3] * y1 - c[4] * y2;
        x2 = x1, x1 = x, y2 = y1, y1 = y;
        out[i] = y;
    }
}

// A string of `period` samples, which are in the line already.
void pluck(double *restrict line, int64_t period, float *restrict out, int64_t n) {
    double last = 0;
    int64_t at = 0;
    for (int64_t i = 0; i < n; i++) {
        double now = line[at], y = 0.498 * (now + last);
        out[i] = y;
        line[at] = y;
        last = now;
        at = at + 1 == period ? 0 : at + 1;
    }
}
