/* A log-linear histogram: buckets double in width, with a fixed number of buckets per doubling. */
#include "histogram.h"

#include <stdbool.h>

#include "base/fail.h"
#include "base/sized.h"

int tacho_histogram_new(tacho_histogram **ret, tacho_error *err)
{
    tacho_histogram *h = calloc(1, sizeof *h);

    if (!h)
        return tch_fail_memory(err);
    h->min = UINT64_MAX;
    *ret = h;
    return 0;
}

void tacho_histogram_free(tacho_histogram *h)
{
    free(h);
}

void tacho_histogram_reset(tacho_histogram *h)
{
    *h = (tacho_histogram){.min = UINT64_MAX};
}

void tacho_histogram_record_count(tacho_histogram *h, uint64_t value, uint64_t count)
{
    if (count == 0)
        return;
    if (value > TACHO_HISTOGRAM_MAX)
        value = TACHO_HISTOGRAM_MAX;
    h->counts[tacho_histogram_index(value)] += count;
    h->min = value < h->min ? value : h->min;
    h->max = value > h->max ? value : h->max;
}

void tacho_histogram_record_all(tacho_histogram *h, const uint64_t *values, size_t n)
{
    for (size_t i = 0; i < n; i++)
        tacho_histogram_record(h, values[i]);
}

void tacho_histogram_record_corrected(tacho_histogram *h, uint64_t value, uint64_t interval)
{
    uint64_t missing;

    tacho_histogram_record(h, value);
    if (interval == 0 || value > TACHO_HISTOGRAM_MAX)
        return;
    /* Add one bucket at a time: there may be billions of missing values, but few buckets. */
    for (missing = value; missing >= interval && missing - interval >= interval;) {
        uint64_t low;
        uint64_t steps;

        missing -= interval;
        low = tch_bucket_low(tacho_histogram_index(missing));
        low = low > interval ? low : interval;
        steps = (missing - low) / interval;
        tacho_histogram_record_count(h, missing, steps + 1);
        missing -= steps * interval;
        if (missing < h->min)
            h->min = missing;
    }
}

void tacho_histogram_merge(tacho_histogram *h, const tacho_histogram *from)
{
    for (unsigned i = 0; i < TACHO_HISTOGRAM_BUCKETS; i++)
        h->counts[i] += from->counts[i];
    h->min = from->min < h->min ? from->min : h->min;
    h->max = from->max > h->max ? from->max : h->max;
}

uint64_t tacho_histogram_count(const tacho_histogram *h)
{
    uint64_t count = 0;

    for (unsigned i = 0; i < TACHO_HISTOGRAM_BUCKETS; i++)
        count += h->counts[i];
    return count;
}

uint64_t tacho_histogram_min(const tacho_histogram *h)
{
    return h->min <= h->max ? h->min : 0;
}

uint64_t tacho_histogram_max(const tacho_histogram *h)
{
    return h->max;
}

/* Returns the middle of a bucket, limited to the values that were recorded. */
static uint64_t value_of(const tacho_histogram *h, unsigned bucket)
{
    uint64_t value = tch_bucket_middle(bucket);

    return value < h->min ? h->min : value > h->max ? h->max : value;
}

uint64_t tch_histogram_at_rank(const tacho_histogram *h, uint64_t rank)
{
    uint64_t seen = 0;

    for (unsigned i = 0; i < TACHO_HISTOGRAM_BUCKETS; i++) {
        seen += h->counts[i];
        if (seen >= rank && h->counts[i] > 0)
            return value_of(h, i);
    }
    return h->max;
}

uint64_t tch_percent_rank(double percent, uint64_t n)
{
    /* 99.9 is not exact in binary, so an excess over a whole rank that is below the rounding
       error does not count. */
    double exact = percent / 100 * (double)n;
    double reached = exact - exact * 1e-14;
    uint64_t rank;

    if (!(reached > 1))
        return 1;
    if (reached >= (double)n)
        return n;
    rank = (uint64_t)reached;
    return rank + ((double)rank < reached);
}

uint64_t tacho_histogram_percentile(const tacho_histogram *h, double percent)
{
    uint64_t n = tacho_histogram_count(h);

    return n == 0 ? 0 : tch_histogram_at_rank(h, tch_percent_rank(percent, n));
}

double tacho_histogram_mean(const tacho_histogram *h)
{
    double sum = 0;
    double n = 0;

    for (unsigned i = 0; i < TACHO_HISTOGRAM_BUCKETS; i++) {
        sum += (double)h->counts[i] * (double)value_of(h, i);
        n += (double)h->counts[i];
    }
    return n > 0 ? sum / n : 0;
}

double tacho_histogram_std(const tacho_histogram *h)
{
    double mean = tacho_histogram_mean(h);
    double sum = 0;
    double n = 0;

    for (unsigned i = 0; i < TACHO_HISTOGRAM_BUCKETS; i++) {
        double off = (double)value_of(h, i) - mean;

        sum += (double)h->counts[i] * off * off;
        n += (double)h->counts[i];
    }
    return n > 0 ? __builtin_sqrt(sum / n) : 0;
}

/*
 * Returns the median absolute deviation: adds up the buckets on both sides of p50 in the order of
 * their distance from it.
 */
static uint64_t median_distance(const tacho_histogram *h, uint64_t median, uint64_t n)
{
    unsigned down = tacho_histogram_index(median);
    unsigned up = down + 1;
    uint64_t seen = 0;
    uint64_t distance = 0;

    for (bool has_down = true; seen < (n + 1) / 2;) {
        uint64_t below = has_down ? value_of(h, down) : 0;
        uint64_t left = has_down ? (below < median ? median - below : 0) : UINT64_MAX;
        uint64_t right = up < TACHO_HISTOGRAM_BUCKETS ? value_of(h, up) - median : UINT64_MAX;

        if (left <= right && has_down) {
            seen += h->counts[down];
            distance = h->counts[down] > 0 ? left : distance;
            has_down = down-- > 0;
        } else if (up < TACHO_HISTOGRAM_BUCKETS) {
            seen += h->counts[up];
            distance = h->counts[up] > 0 ? right : distance;
            up++;
        } else {
            break;
        }
    }
    return distance;
}

static void compute_stats(const tacho_histogram *h, tacho_latency_stats *ret)
{
    uint64_t n = tacho_histogram_count(h);

    ret->n = n;
    if (n == 0)
        return;
    ret->min = h->min;
    ret->p50 = tch_histogram_at_rank(h, tch_percent_rank(50, n));
    ret->p90 = tch_histogram_at_rank(h, tch_percent_rank(90, n));
    ret->p95 = tch_histogram_at_rank(h, tch_percent_rank(95, n));
    ret->p99 = tch_histogram_at_rank(h, tch_percent_rank(99, n));
    ret->p999 = tch_histogram_at_rank(h, tch_percent_rank(99.9, n));
    ret->max = h->max;
    ret->mad = median_distance(h, ret->p50, n);
    ret->mean = tacho_histogram_mean(h);
    ret->std = tacho_histogram_std(h);
}

int tacho_histogram_stats(const tacho_histogram *h, tacho_latency_stats *ret, tacho_error *err)
{
    tacho_latency_stats stats = TACHO_LATENCY_STATS_INIT;

    if (tch_sized_check(ret, sizeof stats, "TACHO_LATENCY_STATS_INIT", err) < 0)
        return TACHO_EINVAL;
    compute_stats(h, &stats);
    tch_sized_write(ret, &stats, sizeof stats);
    return 0;
}

int tacho_histogram_next(const tacho_histogram *h, size_t *at, tacho_histogram_bucket *ret)
{
    while (*at < TACHO_HISTOGRAM_BUCKETS) {
        unsigned bucket = (unsigned)(*at)++;

        if (h->counts[bucket] > 0) {
            *ret = (tacho_histogram_bucket){.low = tch_bucket_low(bucket),
                                            .high = tch_bucket_high(bucket),
                                            .count = h->counts[bucket]};
            return 1;
        }
    }
    return 0;
}
