/* The histogram of bytes: what the benchmark of that name is measured against.
 *
 * one_pass  every thread counts its part of the bytes into eight tables in turn, so that no count waits for the one
 *           before it, and takes eight bytes from memory at a time; then all tables are added up.
 * naive     the image algebra taken by its word: for each gray level, all pixels are compared with it.
 */
#include <omp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { LEVELS = 256, TABLES = 8 };

typedef uint32_t Tables[TABLES][LEVELS];

static void count(const uint8_t *bytes, size_t first, size_t beyond, Tables tables)
{
    size_t k = first;
    for (; k + TABLES <= beyond; k += TABLES) {
        uint64_t eight;
        memcpy(&eight, bytes + k, sizeof eight);
        for (int j = 0; j < TABLES; j++)
            tables[j][(eight >> (8 * j)) & 0xff]++;
    }
    for (; k < beyond; k++)
        tables[0][bytes[k]]++;
}

void one_pass(const uint8_t *bytes, size_t size, uint32_t *histogram, int threads)
{
    Tables *tables = calloc((size_t)threads, sizeof *tables);
#pragma omp parallel num_threads(threads)
    {
        size_t me = (size_t)omp_get_thread_num();
        count(bytes, size * me / (size_t)threads, size * (me + 1) / (size_t)threads, tables[me]);
    }
    for (int level = 0; level < LEVELS; level++) {
        uint32_t sum = 0;
        for (int t = 0; t < threads; t++)
            for (int j = 0; j < TABLES; j++)
                sum += tables[t][j][level];
        histogram[level] = sum;
    }
    free(tables);
}

void naive(const uint8_t *bytes, size_t size, uint32_t *histogram, int threads)
{
#pragma omp parallel for num_threads(threads)
    for (int level = 0; level < LEVELS; level++) {
        uint32_t sum = 0;
        for (size_t k = 0; k < size; k++)
            sum += bytes[k] == level;
        histogram[level] = sum;
    }
}
