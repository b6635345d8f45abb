/*
 * Computes exact statistics of latencies without sorting them.
 *
 * Percentiles are the values at the nearest rank: definition 1 of Hyndman and Fan, "Sample
 * Quantiles in Statistical Packages", 1996. The spread is the median absolute deviation: Hampel,
 * "The Influence Curve and Its Role in Robust Estimation", 1974.
 *
 * Up to FEW values are copied and sorted. More values are selected by two passes that do not move
 * them, after Munro and Paterson, "Selection and Sorting with Limited Storage", 1980:
 *
 *     1. survey() counts the values by bucket. A bucket holds the values with the same leading
 *        bits, so buckets are ordered as values are. By these counts, find_targets() finds the
 *        bucket of each percentile and of the smallest and largest value.
 *     2. mark_band() finds the band: the buckets whose values may be as far from the median as
 *        the median deviation is. At this point only the bucket of the median is known.
 *     3. collect() copies only the values of the buckets found so far, and sums up the squares.
 *     4. select_all() selects each percentile within its bucket, and the median deviation
 *        within the band.
 */
#include "latency_stats.h"

#include <stdbool.h>

#include "base/fail.h"
#include "base/order.h"
#include "base/sized.h"
#include "base/u128.h"

enum {
    FEW = 32768,    /* up to this many values are sorted and summed in ascending order, as the
                       reference does */
    FINE_BITS = 10, /* leading bits after the first: 54 doublings of 1,024 buckets */
    FINE_BUCKETS = (64 - FINE_BITS + 1) << FINE_BITS,
    RANKS = 7,
    MEDIAN = 1,
    /* Number of values that stay in the first-level cache between two loops over them. */
    BLOCK = 2048,
};

/* Marks of a bucket whose values are collected: the group of its values, and whether it is in
   the band. Group 1 + i is the bucket of target i. Targets that share a bucket share the group
   of the first of them. Group 0 is the rest of the band. */
enum {
    GROUP = 7,
    BAND = 8,
    GROUPS = RANKS + 1,
};

/* The minimum, the maximum and the percentiles, as shares of the values in ascending order. */
static const struct {
    uint64_t num, den;
} shares[RANKS] = {{0, 1}, {1, 2}, {9, 10}, {19, 20}, {99, 100}, {999, 1000}, {1, 1}};

static void set_ranked(tacho_latency_stats *s, const uint64_t values[RANKS])
{
    s->min = values[0];
    s->p50 = values[MEDIAN];
    s->p90 = values[2];
    s->p95 = values[3];
    s->p99 = values[4];
    s->p999 = values[5];
    s->max = values[6];
}

/* Returns the rank, from 1, of a share of n values: the smallest rank that covers the share. */
static uint64_t rank_of(uint64_t n, unsigned share)
{
    tch_u128 product = tch_u128_add(tch_u128_mul(n, shares[share].num), shares[share].den - 1);
    uint64_t rank = tch_u128_div(product, shares[share].den);

    return rank > 0 ? rank : 1;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

static int stats_of_few(const struct tch_latency_piece *pieces, size_t count,
                        tacho_latency_stats *s, tacho_error *err)
{
    size_t n = (size_t)s->n;
    uint64_t *x = malloc(2 * n * sizeof *x);
    uint64_t *scratch;
    uint64_t ranked[RANKS];
    double squares = 0;
    tch_u128 sum = {0, 0};
    size_t at = 0;

    if (!x)
        return tch_fail_memory(err);
    for (size_t i = 0; i < count; i++) {
        memcpy(x + at, pieces[i].values, pieces[i].n * sizeof *x);
        at += pieces[i].n;
    }
    scratch = x + n;
    tch_sort_u64(x, scratch, n);
    for (size_t i = 0; i < n; i++)
        sum = tch_u128_add(sum, x[i]);
    s->mean = tch_u128_f64(sum) / (double)n;
    for (size_t i = 0; i < n; i++) {
        double off = (double)x[i] - s->mean;

        squares += off * off;
    }
    s->std = __builtin_sqrt(squares / (double)n);
    for (unsigned r = 0; r < RANKS; r++)
        ranked[r] = x[rank_of(n, r) - 1];
    set_ranked(s, ranked);
    for (size_t i = 0; i < n; i++)
        scratch[i] = distance(x[i], s->p50);
    s->mad = tch_select_u64(scratch, n, (size_t)rank_of(n, MEDIAN) - 1);
    free(x);
    return 0;
}

/*
 * Buckets, by leading bits.
 */

static inline unsigned fine_bucket(uint64_t value)
{
    unsigned top = 63u ^ (unsigned)__builtin_clzll(value | ((2u << FINE_BITS) - 1));
    unsigned shift = top - FINE_BITS;

    return (shift << FINE_BITS) + (unsigned)(value >> shift);
}

/* Returns the smallest value of a bucket; bucket_high() returns the largest. */
static uint64_t bucket_low(unsigned bucket)
{
    unsigned shift = bucket < 2u << FINE_BITS ? 0 : (bucket >> FINE_BITS) - 1;

    return ((uint64_t)bucket - ((uint64_t)shift << FINE_BITS)) << shift;
}

static uint64_t bucket_high(unsigned bucket)
{
    return bucket + 1 < FINE_BUCKETS ? bucket_low(bucket + 1) - 1 : UINT64_MAX;
}

/* The buckets from `first` up to and without `end`. */
struct range {
    unsigned first, end;
};

/* Returns the buckets that hold any of the values low to high. */
static struct range touched(uint64_t low, uint64_t high)
{
    return (struct range){fine_bucket(low), fine_bucket(high) + 1};
}

/* Returns the buckets that hold only values low to high. */
static struct range covered(uint64_t low, uint64_t high)
{
    struct range r = {0, 0};

    if (low > high)
        return r;
    r = touched(low, high);
    r.first += bucket_low(r.first) < low;
    r.end -= bucket_high(r.end - 1) > high;
    return r.first < r.end ? r : (struct range){0, 0};
}

/*
 * Many values.
 */

/* A value to find: one of `shares`. */
struct target {
    unsigned bucket;
    uint64_t rank;  /* rank within its bucket, from 1 */
    uint64_t count; /* number of values in its bucket */
    size_t start;   /* index of these values in `collected` */
};

struct select {
    const struct tch_latency_piece *pieces;
    size_t piece_count;
    uint64_t n;
    uint64_t *below; /* number of values in lower buckets; FINE_BUCKETS + 1 of them */
    uint8_t *marks;  /* GROUP and BAND of each bucket; 0: not collected */
    struct target targets[RANKS];
    uint64_t nearer; /* number of values that are surely nearer to the median than the median
                        deviation */
    uint64_t *collected;
    size_t band, band_end; /* the values of the band in `collected` */
};

/* First pass: counts the values by bucket. The count of a bucket is stored at the index after
   it, so that the sums become `below`. Returns the mean. */
static double survey(struct select *s)
{
    tch_u128 sum = {0, 0};

    for (size_t p = 0; p < s->piece_count; p++) {
        const uint64_t *x = s->pieces[p].values;
        uint64_t *counts = s->below + 1;

        for (size_t i = 0; i < s->pieces[p].n; i++) {
            counts[fine_bucket(x[i])]++;
            sum = tch_u128_add(sum, x[i]);
        }
    }
    for (unsigned b = 0; b < FINE_BUCKETS; b++)
        s->below[b + 1] += s->below[b];
    return tch_u128_f64(sum) / (double)s->n;
}

static uint64_t count_in(const struct select *s, struct range r)
{
    return s->below[r.end] - s->below[r.first];
}

static void find_targets(struct select *s)
{
    unsigned b = 0;

    for (unsigned i = 0; i < RANKS; i++) {
        struct target *t = &s->targets[i];
        uint64_t rank = rank_of(s->n, i);

        while (s->below[b + 1] < rank)
            b++;
        t->bucket = b;
        t->rank = rank - s->below[b];
        t->count = count_in(s, (struct range){b, b + 1});
        if (s->marks[b] == 0)
            s->marks[b] = (uint8_t)(i + 1);
    }
}

/* Returns the buckets of values that may be within `reach` of the median, of which only the
   bucket is known. */
static struct range maybe_within(const struct target *median, uint64_t reach)
{
    uint64_t low = bucket_low(median->bucket);
    uint64_t high = bucket_high(median->bucket);

    return touched(low > reach ? low - reach : 0,
                   high < UINT64_MAX - reach ? high + reach : UINT64_MAX);
}

/* Returns the buckets of values that are within `reach` of the median, wherever the median is in
   its bucket. */
static struct range surely_within(const struct target *median, uint64_t reach)
{
    uint64_t low = bucket_low(median->bucket);
    uint64_t high = bucket_high(median->bucket);

    return covered(high > reach ? high - reach : 0,
                   low < UINT64_MAX - reach ? low + reach : UINT64_MAX);
}

/* Returns the smallest distance from the median within which half of the values may be, or
   surely are. */
static uint64_t find_reach(const struct select *s,
                           struct range (*within)(const struct target *, uint64_t))
{
    uint64_t rank = rank_of(s->n, MEDIAN);
    uint64_t low = 0;
    uint64_t high = UINT64_MAX;

    while (low < high) {
        uint64_t middle = low + (high - low) / 2;

        if (count_in(s, within(&s->targets[MEDIAN], middle)) >= rank)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Marks the buckets whose values may be as far from the median as the median deviation. Returns
   the number of these values. */
static uint64_t mark_band(struct select *s)
{
    const struct target *median = &s->targets[MEDIAN];
    uint64_t least = find_reach(s, maybe_within);
    struct range all = maybe_within(median, find_reach(s, surely_within));
    struct range inner = {0, 0};

    if (least > 0)
        inner = surely_within(median, least - 1);
    for (unsigned b = all.first; b < all.end; b++)
        if (b < inner.first || b >= inner.end)
            s->marks[b] |= BAND;
    s->nearer = count_in(s, inner);
    return count_in(s, all) - s->nearer;
}

/* Assigns places in `collected`, from `at` on, to the groups of targets that are in the band or
   to those that are not. Returns the end of the last one. */
static size_t place_groups(const struct select *s, unsigned band, size_t at, size_t starts[GROUPS])
{
    for (unsigned i = 0; i < RANKS; i++) {
        const struct target *t = &s->targets[i];

        if (s->marks[t->bucket] == (band | (i + 1))) { /* the first target of its bucket */
            starts[i + 1] = at;
            at += (size_t)t->count;
        }
    }
    return at;
}

/* Assigns each group a place in `collected`. The median deviation is selected from the whole
   band, so the band must be contiguous: the groups outside of it come first. */
static int place_collected(struct select *s, size_t starts[GROUPS], tacho_error *err)
{
    uint64_t band_count = mark_band(s);

    s->band = place_groups(s, 0, 0, starts);
    s->band_end = s->band + (size_t)band_count;
    starts[0] = place_groups(s, BAND, s->band, starts);
    for (unsigned i = 0; i < RANKS; i++)
        s->targets[i].start = starts[s->marks[s->targets[i].bucket] & GROUP];
    s->collected = malloc((s->band_end > 0 ? s->band_end : 1) * sizeof *s->collected);
    return s->collected ? 0 : tch_fail_memory(err);
}

/* Returns the sum of squared distances from the mean. Uses four independent sums, so that
   additions overlap. A value below 2^63 is treated as signed, because that converts to a double
   in one instruction. */
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

/* Second pass: copies the values of marked buckets, each to the next place of its group. Returns
   the sum of the squared distances from the mean. */
static double collect(struct select *s, size_t next[GROUPS], double mean)
{
    bool small = bucket_high(s->targets[RANKS - 1].bucket) <= INT64_MAX;
    double squares = 0;

    for (size_t p = 0; p < s->piece_count; p++)
        for (size_t start = 0; start < s->pieces[p].n; start += BLOCK) {
            const uint64_t *x = s->pieces[p].values + start;
            size_t left = s->pieces[p].n - start;
            size_t n = left < BLOCK ? left : BLOCK;

            squares += sum_squares(x, n, mean, small);
            for (size_t i = 0; i < n; i++) {
                unsigned mark = s->marks[fine_bucket(x[i])];

                if (__builtin_expect(mark > 0, 0))
                    s->collected[next[mark & GROUP]++] = x[i];
            }
        }
    return squares;
}

static int select_all(struct select *s, tacho_latency_stats *stats, tacho_error *err)
{
    uint64_t ranked[RANKS];
    size_t next[GROUPS];

    stats->mean = survey(s);
    find_targets(s);
    if (place_collected(s, next, err) < 0)
        return TACHO_ENOMEM;
    stats->std = __builtin_sqrt(collect(s, next, stats->mean) / (double)s->n);
    for (unsigned i = 0; i < RANKS; i++) {
        const struct target *t = &s->targets[i];

        ranked[i] = tch_select_u64(s->collected + t->start, (size_t)t->count, (size_t)t->rank - 1);
    }
    set_ranked(stats, ranked);
    for (size_t i = s->band; i < s->band_end; i++)
        s->collected[i] = distance(s->collected[i], stats->p50);
    stats->mad = tch_select_u64(s->collected + s->band, s->band_end - s->band,
                                (size_t)(rank_of(s->n, MEDIAN) - s->nearer - 1));
    free(s->collected);
    return 0;
}

static int stats_of_many(const struct tch_latency_piece *pieces, size_t count,
                         tacho_latency_stats *stats, tacho_error *err)
{
    struct select s = {.pieces = pieces, .piece_count = count, .n = stats->n};
    int status;

    s.below = calloc(FINE_BUCKETS + 1, sizeof *s.below + 1);
    if (!s.below)
        return tch_fail_memory(err);
    s.marks = (uint8_t *)(s.below + FINE_BUCKETS + 1);
    status = select_all(&s, stats, err);
    free(s.below);
    return status;
}

int tch_latency_stats(const struct tch_latency_piece *pieces, size_t count,
                      tacho_latency_stats *ret, tacho_error *err)
{
    tacho_latency_stats stats = TACHO_LATENCY_STATS_INIT;
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

int tch_latency_stats_give(const struct tch_latency_piece *pieces, size_t count,
                           tacho_latency_stats *ret, tacho_error *err)
{
    tacho_latency_stats stats;
    int status = tch_sized_check(ret, sizeof stats, "TACHO_LATENCY_STATS_INIT", err);

    if (status == 0)
        status = tch_latency_stats(pieces, count, &stats, err);
    if (status == 0)
        tch_sized_write(ret, &stats, sizeof stats);
    return status;
}

int tacho_latency_stats_of(const uint64_t *values, size_t n, tacho_latency_stats *ret,
                           tacho_error *err)
{
    return tch_latency_stats_give(&(struct tch_latency_piece){.values = values, .n = n}, 1, ret,
                                  err);
}
