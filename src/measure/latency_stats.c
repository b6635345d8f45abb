/*
 * Exact percentiles without sorting: count the values by their leading bits, see in which bucket
 * each percentile falls, collect those buckets alone, and select within them. Three passes, of
 * which none moves the values.
 */
#include "latency_stats.h"

#include <stdbool.h>

#include "base/error.h"

__extension__ typedef unsigned __int128 u128; /* sums of 64-bit values */

enum {
    FEW =
        32768, /* up to here they are sorted, and summed in ascending order as the reference does */
    FINE_BITS = 10, /* leading bits behind the first: 54 doublings of 1,024 buckets */
    FINE_BUCKETS = (64 - FINE_BITS + 1) << FINE_BITS,
    RANKS = 5,
    SMALL = 24,
    RADIX = 256,
    BLOCK = 2048,
};

static inline unsigned fine_bucket(uint64_t value)
{
    unsigned top = 63u - (unsigned)__builtin_clzll(value | ((2u << FINE_BITS) - 1));
    unsigned shift = top - FINE_BITS;

    return (shift << FINE_BITS) + (unsigned)(value >> shift);
}

uint64_t tch_share_rank(uint64_t n, uint64_t num, uint64_t den)
{
    u128 product = (u128)n * num + den - 1;
    uint64_t rank = (uint64_t)(product / den);

    return rank > 0 ? rank : 1;
}

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

/* Bit by bit from the top, as quicksort does with pivots: at most 64 rounds, however bad the luck.
 */
uint64_t tch_select_u64(uint64_t *x, size_t n, size_t k)
{
    for (uint64_t bit = (uint64_t)1 << 63; bit > 0 && n > SMALL; bit >>= 1) {
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

/* What the percentiles are, in the order of the fields. */
static const struct {
    uint64_t num, den;
} shares[RANKS] = {{1, 2}, {9, 10}, {19, 20}, {99, 100}, {999, 1000}};

static void set_percentiles(tacho_latency_stats *s, const uint64_t p[RANKS])
{
    s->p50 = p[0];
    s->p90 = p[1];
    s->p95 = p[2];
    s->p99 = p[3];
    s->p999 = p[4];
}

static uint64_t distance(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

/* x is sorted. */
static void stats_of_sorted(const uint64_t *x, uint64_t *scratch, size_t n, tacho_latency_stats *s)
{
    u128 sum = 0;
    double squares = 0;
    uint64_t p[RANKS];

    for (size_t i = 0; i < n; i++)
        sum += x[i];
    s->mean = (double)sum / (double)n;
    for (size_t i = 0; i < n; i++) {
        double off = (double)x[i] - s->mean;

        squares += off * off;
    }
    s->std = __builtin_sqrt(squares / (double)n);
    for (unsigned r = 0; r < RANKS; r++)
        p[r] = x[tch_share_rank(n, shares[r].num, shares[r].den) - 1];
    set_percentiles(s, p);
    s->min = x[0];
    s->max = x[n - 1];
    for (size_t i = 0; i < n; i++)
        scratch[i] = distance(x[i], s->p50);
    s->mad = tch_select_u64(scratch, n, tch_share_rank(n, 1, 2) - 1);
}

static int stats_of_few(const struct tch_piece *pieces, size_t count, tacho_latency_stats *s,
                        tacho_error *err)
{
    size_t n = s->n;
    uint64_t *x = malloc(2 * n * sizeof *x);
    size_t at = 0;

    if (!x)
        return tch_fail(err, TACHO_ENOMEM, 0, "out of memory for %zu latencies", n);
    for (size_t i = 0; i < count; i++) {
        memcpy(x + at, pieces[i].values, pieces[i].n * sizeof *x);
        at += pieces[i].n;
    }
    tch_sort_u64(x, x + n, n);
    stats_of_sorted(x, x + n, n, s);
    free(x);
    return 0;
}

/* One percentile that is looked for. */
struct target {
    uint64_t rank; /* from 1, of all; then of its bucket */
    unsigned bucket;
    size_t start; /* of its bucket in what is collected */
};

struct select {
    const struct tch_piece *pieces;
    size_t count;
    uint64_t *buckets; /* counts, FINE_BUCKETS of them */
    uint8_t *wanted;   /* of each bucket: 1 + the first target in it, or 0 */
    uint64_t *near;    /* the values of the buckets wanted */
    struct target targets[RANKS];
    unsigned target_count;
};

/* Finds the bucket of each target; how many values are to be collected. */
static size_t find_buckets(struct select *s)
{
    uint64_t seen = 0;
    size_t collect = 0;
    unsigned t = 0;

    memset(s->wanted, 0, FINE_BUCKETS);
    for (unsigned b = 0; b < FINE_BUCKETS && t < s->target_count; b++) {
        uint64_t here = s->buckets[b];

        for (; t < s->target_count && s->targets[t].rank <= seen + here; t++) {
            s->targets[t].bucket = b;
            s->targets[t].rank -= seen;
            s->targets[t].start = collect;
            if (s->wanted[b] == 0)
                s->wanted[b] = (uint8_t)(t + 1);
        }
        if (s->wanted[b] > 0)
            collect += here;
        seen += here;
    }
    return collect;
}

static void collect(struct select *s, size_t fill[RANKS])
{
    for (size_t p = 0; p < s->count; p++) {
        const uint64_t *x = s->pieces[p].values;

        for (size_t i = 0; i < s->pieces[p].n; i++) {
            unsigned target = s->wanted[fine_bucket(x[i])];

            if (__builtin_expect(target > 0, 0))
                s->near[fill[target - 1]++] = x[i];
        }
    }
}

/* Counts are there; gives the targets' values. */
static int pick(struct select *s, uint64_t ret[RANKS], tacho_error *err)
{
    size_t fill[RANKS];
    size_t many = find_buckets(s);

    s->near = malloc((many > 0 ? many : 1) * sizeof *s->near);
    if (!s->near)
        return tch_fail(err, TACHO_ENOMEM, 0, "out of memory for the percentiles of %zu values",
                        many);
    for (unsigned t = 0; t < s->target_count; t++)
        fill[t] = s->targets[t].start;
    collect(s, fill);
    for (unsigned t = 0; t < s->target_count; t++) {
        const struct target *target = &s->targets[t];

        ret[t] =
            tch_select_u64(s->near + target->start, s->buckets[target->bucket], target->rank - 1);
    }
    free(s->near);
    return 0;
}

/* First pass: counts, sum, ends. */
static void survey(struct select *s, tacho_latency_stats *stats)
{
    u128 sum = 0;
    uint64_t min = UINT64_MAX;
    uint64_t max = 0;

    for (size_t p = 0; p < s->count; p++) {
        const uint64_t *x = s->pieces[p].values;

        for (size_t i = 0; i < s->pieces[p].n; i++) {
            s->buckets[fine_bucket(x[i])]++;
            sum += x[i];
            min = x[i] < min ? x[i] : min;
            max = x[i] > max ? x[i] : max;
        }
    }
    stats->min = min;
    stats->max = max;
    stats->mean = (double)sum / (double)stats->n;
}

/* The smallest and the largest value of a bucket. */
static uint64_t bucket_low(unsigned bucket)
{
    unsigned shift = bucket < 2u << FINE_BITS ? 0 : (bucket >> FINE_BITS) - 1;

    return ((uint64_t)bucket - ((uint64_t)shift << FINE_BITS)) << shift;
}

static uint64_t bucket_high(unsigned bucket)
{
    return bucket + 1 < FINE_BUCKETS ? bucket_low(bucket + 1) - 1 : UINT64_MAX;
}

/* Values that are surely no farther than `reach` from the median; or that may be. */
static uint64_t count_near(const struct select *s, uint64_t median, uint64_t reach, bool surely)
{
    uint64_t low = median > reach ? median - reach : 0;
    uint64_t high = median < UINT64_MAX - reach ? median + reach : UINT64_MAX;
    unsigned first = fine_bucket(low);
    unsigned last = fine_bucket(high);
    uint64_t count = 0;

    for (unsigned b = first; b <= last; b++)
        if (!surely || (bucket_low(b) >= low && bucket_high(b) <= high))
            count += s->buckets[b];
    return count;
}

/* The smallest distance at which that many values may be, or surely are, that near. */
static uint64_t find_reach(const struct select *s, uint64_t median, uint64_t rank, bool surely)
{
    uint64_t low = 0;
    uint64_t high = UINT64_MAX;

    while (low < high) {
        uint64_t middle = low + (high - low) / 2;

        if (count_near(s, median, middle, surely) >= rank)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Four sums that do not wait for each other. Below 2^63 a value is signed as well, and converts in
   one instruction. */
static double sum_squares(const uint64_t *x, size_t n, double mean, bool small)
{
    double sums[4] = {0};
    size_t i = 0;

    for (; small && i + 4 <= n; i += 4)
        for (size_t j = 0; j < 4; j++) {
            double off = (double)(int64_t)x[i + j] - mean;

            sums[j] += off * off;
        }
    for (; i < n; i++)
        sums[0] += ((double)x[i] - mean) * ((double)x[i] - mean);
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/*
 * Last pass: the spread and the median distance. The counts by bucket tell between which two
 * distances that is; those in between are collected.
 */
static int measure_spread(struct select *s, tacho_latency_stats *stats, tacho_error *err)
{
    uint64_t rank = tch_share_rank(stats->n, 1, 2);
    uint64_t least = find_reach(s, stats->p50, rank, false);
    uint64_t most = find_reach(s, stats->p50, rank, true);
    uint64_t room = count_near(s, stats->p50, most, false) -
                    (least > 0 ? count_near(s, stats->p50, least - 1, true) : 0);
    uint64_t nearer = 0;
    size_t between = 0;
    double squares = 0;

    s->near = malloc((room + 1) * sizeof *s->near);
    if (!s->near)
        return tch_fail(err, TACHO_ENOMEM, 0, "out of memory for the median distance");
    for (size_t p = 0; p < s->count; p++) {
        const uint64_t *x = s->pieces[p].values;

        for (size_t start = 0; start < s->pieces[p].n; start += BLOCK) {
            size_t left = s->pieces[p].n - start;
            size_t n = left < BLOCK ? left : BLOCK; /* twice over what is in the first cache */

            squares += sum_squares(x + start, n, stats->mean, stats->max <= INT64_MAX);
            for (size_t i = start; i < start + n; i++) {
                uint64_t far = distance(x[i], stats->p50);

                nearer += far < least;
                if (__builtin_expect(far - least <= most - least, 0))
                    s->near[between++] = far;
            }
        }
    }
    stats->std = __builtin_sqrt(squares / (double)stats->n);
    stats->mad = tch_select_u64(s->near, between, rank - nearer - 1);
    free(s->near);
    return 0;
}

static int select_all(struct select *s, tacho_latency_stats *stats, tacho_error *err)
{
    uint64_t p[RANKS];

    survey(s, stats);
    s->target_count = RANKS;
    for (unsigned t = 0; t < RANKS; t++)
        s->targets[t].rank = tch_share_rank(stats->n, shares[t].num, shares[t].den);
    if (pick(s, p, err) < 0)
        return TACHO_ENOMEM;
    set_percentiles(stats, p);
    return measure_spread(s, stats, err);
}

static int stats_of_many(const struct tch_piece *pieces, size_t count, tacho_latency_stats *stats,
                         tacho_error *err)
{
    struct select s = {.pieces = pieces, .count = count};
    int status;

    s.buckets = calloc(FINE_BUCKETS, sizeof *s.buckets + 1);
    if (!s.buckets)
        return tch_fail(err, TACHO_ENOMEM, 0, "out of memory for latency statistics");
    s.wanted = (uint8_t *)(s.buckets + FINE_BUCKETS);
    status = select_all(&s, stats, err);
    free(s.buckets);
    return status;
}

int tch_latency_stats(const struct tch_piece *pieces, size_t count, tacho_latency_stats *ret,
                      tacho_error *err)
{
    tacho_latency_stats stats = {0};
    int status = 0;

    for (size_t i = 0; i < count; i++)
        stats.n += pieces[i].n;
    if (stats.n > FEW)
        status = stats_of_many(pieces, count, &stats, err);
    else if (stats.n > 0)
        status = stats_of_few(pieces, count, &stats, err);
    if (status == 0)
        *ret = stats;
    return status;
}

int tacho_latency_stats_of(const uint64_t *values, size_t n, tacho_latency_stats *ret,
                           tacho_error *err)
{
    struct tch_piece all = {.values = values, .n = n};

    return tch_latency_stats(&all, 1, ret, err);
}
