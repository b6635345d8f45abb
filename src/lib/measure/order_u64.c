/* Sorting whole numbers, and selecting one of them. Those of doubles: src/kit/stats/order_stats.c.
 */
#include "order_u64.h"

#include <stdint.h>
#include <string.h>

enum {
    SMALL = 24, /* up to here insertion sort is quickest */
    RADIX = 256,
};

void tch_sort_u64(uint64_t *values, uint64_t *scratch, size_t n)
{
    uint64_t *from = values;
    uint64_t *to = scratch;

    for (unsigned shift = 0; shift < 64; shift += 8) {
        size_t start[RADIX] = {0};
        size_t sum = 0;
        uint64_t *t = from;

        for (size_t i = 0; i < n; i++)
            start[from[i] >> shift & (RADIX - 1)]++;
        if (n == 0 || start[from[0] >> shift & (RADIX - 1)] == n)
            continue; /* all the same in this byte */
        for (unsigned d = 0; d < RADIX; d++) {
            size_t count = start[d];

            start[d] = sum;
            sum += count;
        }
        for (size_t i = 0; i < n; i++)
            to[start[from[i] >> shift & (RADIX - 1)]++] = from[i];
        from = to;
        to = t;
    }
    if (from != values)
        memcpy(values, from, n * sizeof *values);
}

static void swap(uint64_t *a, uint64_t *b)
{
    uint64_t t = *a;

    *a = *b;
    *b = t;
}

static void insertion_sort(uint64_t *x, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        uint64_t v = x[i];
        size_t j = i;

        for (; j > 0 && x[j - 1] > v; j--)
            x[j] = x[j - 1];
        x[j] = v;
    }
}

/* The highest bit that is not the same in all; 0 when all are equal. */
static uint64_t top_difference(const uint64_t *x, size_t n)
{
    uint64_t differ = 0;

    for (size_t i = 1; i < n; i++)
        differ |= x[i] ^ x[0];
    return differ > 0 ? (uint64_t)1 << (63 - __builtin_clzll(differ)) : 0;
}

/* Bit by bit from the top, as quicksort does with pivots: at most 64 rounds, however bad the luck.
 */
uint64_t tch_select_u64(uint64_t *x, size_t n, size_t k)
{
    for (uint64_t bit = top_difference(x, n); bit > 0 && n > SMALL; bit >>= 1) {
        size_t zeros = 0;
        size_t end = n;

        while (zeros < end) {
            if ((x[zeros] & bit) == 0)
                zeros++;
            else
                swap(&x[zeros], &x[--end]);
        }
        if (k < zeros) {
            n = zeros;
        } else {
            x += zeros;
            n -= zeros;
            k -= zeros;
        }
    }
    insertion_sort(x, n <= SMALL ? n : 0); /* more than that are all equal */
    return x[k];
}
