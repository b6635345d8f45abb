/*
 * Exact percentiles without sorting: count the values by their leading bits, see in which bucket
 * each percentile falls, and between which distances from the median the median distance lies;
 * collect those buckets alone, and select within them. Two passes, of which none moves the values.
 */
#include "latency_stats.h"

#include <inttypes.h>
#include <stdbool.h>

#include "base/fail.h"
#include "base/order.h"

__extension__ typedef unsigned __int128 u128; /* sums of 64-bit values */

enum {
    FEW =
        32768, /* up to here they are sorted, and summed in ascending order as the reference does */
    FINE_BITS = 10, /* leading bits behind the first: 54 doublings of 1,024 buckets */
    FINE_BUCKETS = (64 - FINE_BITS + 1) << FINE_BITS,
    RANKS = 7,
    MEDIAN = 1,
    TARGET = 7, /* bits of what is wanted of a bucket */
    APART = 8,
    BLOCK = 2048,
};

/* What is looked for by its rank: the ends and the percentiles, in ascending order. */
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

/* The rank, from 1, of a share of n values: the smallest that covers it. */
static uint64_t rank_of(uint64_t n, unsigned share)
{
    u128 product = (u128)n * shares[share].num + shares[share].den - 1;
    uint64_t rank = (uint64_t)(product / shares[share].den);

    return rank > 0 ? rank : 1;
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
    uint64_t ranked[RANKS];

    for (size_t i = 0; i < n; i++)
        sum += x[i];
    s->mean = (double)sum / (double)n;
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
    s->mad = tch_select_u64(scratch, n, rank_of(n, MEDIAN) - 1);
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

/*
 * Buckets, by leading bits.
 */

static inline unsigned fine_bucket(uint64_t value)
{
    unsigned top = 63u ^ (unsigned)__builtin_clzll(value | ((2u << FINE_BITS) - 1));
    unsigned shift = top - FINE_BITS;

    return (shift << FINE_BITS) + (unsigned)(value >> shift);
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

/* Those from first on, before end. */
struct range {
    unsigned first, end;
};

/* The buckets that hold any of the values low to high. */
static struct range touched(uint64_t low, uint64_t high)
{
    return (struct range){fine_bucket(low), fine_bucket(high) + 1};
}

/* The buckets that hold no others. */
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

/* A value that is looked for. */
struct target {
    unsigned bucket;
    uint64_t rank;  /* in its bucket, from 1 */
    uint64_t count; /* of the values in its bucket */
    size_t start;   /* of these in what is collected */
};

struct select {
    const struct tch_piece *pieces;
    size_t piece_count;
    uint64_t n;
    uint64_t *below; /* how many values are in lower buckets; FINE_BUCKETS + 1 of them */
    uint8_t *wanted; /* of each bucket: 1 + the first target in it, APART, both or 0 */
    struct target targets[RANKS];
    uint64_t nearer; /* how many are nearer to the median than the median distance, at least */
    uint64_t *near;  /* what is collected: of the targets' buckets, and of those marked APART */
    size_t apart;    /* where the latter start */
    size_t end;
};

/* First pass: the counts by bucket, each at its successor's place; the mean. */
static double survey(struct select *s)
{
    u128 sum = 0;

    for (size_t p = 0; p < s->piece_count; p++) {
        const uint64_t *x = s->pieces[p].values;
        uint64_t *counts = s->below + 1;

        for (size_t i = 0; i < s->pieces[p].n; i++) {
            counts[fine_bucket(x[i])]++;
            sum += x[i];
        }
    }
    for (unsigned b = 0; b < FINE_BUCKETS; b++)
        s->below[b + 1] += s->below[b];
    return (double)sum / (double)s->n;
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
        if (s->wanted[b] == 0)
            s->wanted[b] = (uint8_t)(i + 1);
    }
}

/* The buckets of values that are no farther from the median than that, for all that is known of it:
   its bucket. */
static struct range maybe_within(const struct target *median, uint64_t reach)
{
    uint64_t low = bucket_low(median->bucket);
    uint64_t high = bucket_high(median->bucket);

    return touched(low > reach ? low - reach : 0,
                   high < UINT64_MAX - reach ? high + reach : UINT64_MAX);
}

static struct range surely_within(const struct target *median, uint64_t reach)
{
    uint64_t low = bucket_low(median->bucket);
    uint64_t high = bucket_high(median->bucket);

    return covered(high > reach ? high - reach : 0,
                   low < UINT64_MAX - reach ? low + reach : UINT64_MAX);
}

/* The smallest distance within which half of the values maybe, or surely, are. */
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

/* Marks the buckets whose values may be as far from the median as the median distance; how many
   values that are. */
static uint64_t mark_apart(struct select *s)
{
    const struct target *median = &s->targets[MEDIAN];
    uint64_t least = find_reach(s, maybe_within);
    struct range all = maybe_within(median, find_reach(s, surely_within));
    struct range inner = {0, 0};

    if (least > 0)
        inner = surely_within(median, least - 1);
    for (unsigned b = all.first; b < all.end; b++)
        if (b < inner.first || b >= inner.end)
            s->wanted[b] |= APART;
    s->nearer = count_in(s, inner);
    return count_in(s, all) - s->nearer;
}

/* Where what is collected goes: first the targets' buckets that are not marked APART, then those
   that are, then the rest of these. */
static int lay_out(struct select *s, size_t fill[RANKS + 1], tacho_error *err)
{
    size_t apart_count = mark_apart(s);
    size_t at = 0;

    for (unsigned apart = 0; apart <= APART; apart += APART) {
        s->apart = at;
        for (unsigned i = 0; i < RANKS; i++) {
            struct target *t = &s->targets[i];
            unsigned first = (s->wanted[t->bucket] & TARGET) - 1u;

            if ((s->wanted[t->bucket] & APART) != apart)
                continue;
            if (first < i) {
                t->start = s->targets[first].start;
                continue;
            }
            t->start = fill[1 + i] = at;
            at += t->count;
        }
    }
    fill[0] = at;
    s->end = s->apart + apart_count;
    s->near = malloc((s->end > 0 ? s->end : 1) * sizeof *s->near);
    return s->near ? 0
                   : tch_fail(err, TACHO_ENOMEM, 0,
                              "out of memory for the percentiles of %" PRIu64 " values", s->n);
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

/* Second pass: what is wanted is collected, and the squares of the distances from the mean are
   added up. */
static double collect(struct select *s, size_t fill[RANKS + 1], double mean)
{
    bool small = bucket_high(s->targets[RANKS - 1].bucket) <= INT64_MAX;
    double squares = 0;

    for (size_t p = 0; p < s->piece_count; p++)
        for (size_t start = 0; start < s->pieces[p].n; start += BLOCK) {
            const uint64_t *x = s->pieces[p].values + start;
            size_t left = s->pieces[p].n - start;
            size_t n = left < BLOCK ? left : BLOCK; /* twice over what is in the first cache */

            squares += sum_squares(x, n, mean, small);
            for (size_t i = 0; i < n; i++) {
                unsigned wanted = s->wanted[fine_bucket(x[i])];

                if (__builtin_expect(wanted > 0, 0))
                    s->near[fill[wanted & TARGET]++] = x[i];
            }
        }
    return squares;
}

static int select_all(struct select *s, tacho_latency_stats *stats, tacho_error *err)
{
    uint64_t ranked[RANKS];
    size_t fill[RANKS + 1];

    stats->mean = survey(s);
    find_targets(s);
    if (lay_out(s, fill, err) < 0)
        return TACHO_ENOMEM;
    stats->std = __builtin_sqrt(collect(s, fill, stats->mean) / (double)s->n);
    for (unsigned i = 0; i < RANKS; i++) {
        const struct target *t = &s->targets[i];

        ranked[i] = tch_select_u64(s->near + t->start, t->count, t->rank - 1);
    }
    set_ranked(stats, ranked);
    for (size_t i = s->apart; i < s->end; i++)
        s->near[i] = distance(s->near[i], stats->p50);
    stats->mad = tch_select_u64(s->near + s->apart, s->end - s->apart,
                                rank_of(s->n, MEDIAN) - s->nearer - 1);
    free(s->near);
    return 0;
}

static int stats_of_many(const struct tch_piece *pieces, size_t count, tacho_latency_stats *stats,
                         tacho_error *err)
{
    struct select s = {.pieces = pieces, .piece_count = count, .n = stats->n};
    int status;

    s.below = calloc(FINE_BUCKETS + 1, sizeof *s.below + 1);
    if (!s.below)
        return tch_fail(err, TACHO_ENOMEM, 0, "out of memory for latency statistics");
    s.wanted = (uint8_t *)(s.below + FINE_BUCKETS + 1);
    status = select_all(&s, stats, err);
    free(s.below);
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
