/* Sorting and selecting. */
#include "order.h"

enum {
    SMALL = 24, /* up to here insertion sort is fastest */
    RADIX = 256,
};

/* The number of bad splits, by chance or on purpose, after which heap sort takes over. */
static unsigned depth_of(size_t n)
{
    unsigned depth = 2;

    for (; n > 0; n >>= 1)
        depth += 2;
    return depth;
}

#define VALUE    uint64_t
#define SELECT   tch_select_u64
#define NAMED(x) x##_u64
#include "order_template.h"

#define VALUE    double
#define SELECT   tch_select
#define NAMED(x) x##_f64
#include "order_template.h"

static void sort_within(double *x, size_t n, unsigned depth)
{
    while (n > SMALL) {
        size_t left;

        if (depth-- == 0) {
            heap_sort_f64(x, n);
            return;
        }
        left = partition_f64(x, n) + 1;
        if (left < n - left) {
            sort_within(x, left, depth);
            x += left;
            n -= left;
        } else {
            sort_within(x + left, n - left, depth);
            n = left;
        }
    }
    insertion_sort_f64(x, n);
}

void tch_sort(double *x, size_t n)
{
    sort_within(x, n, depth_of(n));
}

void tch_sort_u64(uint64_t *x, uint64_t *scratch, size_t n)
{
    uint64_t *from = x;
    uint64_t *to = scratch;

    for (unsigned shift = 0; shift < 64; shift += 8) {
        size_t start[RADIX] = {0};
        size_t sum = 0;
        uint64_t *t = from;

        for (size_t i = 0; i < n; i++)
            start[from[i] >> shift & (RADIX - 1)]++;
        if (n == 0 || start[from[0] >> shift & (RADIX - 1)] == n)
            continue; /* all values are equal in this byte */
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
    if (from != x)
        memcpy(x, from, n * sizeof *x);
}
