/*
 * Latencies, collected to compute their statistics.
 */
#ifndef TCH_LATENCIES_H
#define TCH_LATENCIES_H

#include <stddef.h>
#include <stdint.h>

#include <tacho/error.h>
#include <tacho/latency.h>

/** Latencies in nanoseconds. More than 2^25 of them are counted in a histogram, accurate to
    TACHO_HISTOGRAM_ERROR. Initialise it with zeros. */
struct tch_latencies {
    uint64_t *value;
    size_t count;
    size_t room;
    tacho_histogram *histogram;
};

/** Adds a latency. Returns 0 or TACHO_ENOMEM. */
int tch_latencies_add(struct tch_latencies *l, uint64_t ns, tacho_error *err);

/** Adds all latencies of another list. Returns 0 or TACHO_ENOMEM. */
int tch_latencies_add_all(struct tch_latencies *to, const struct tch_latencies *from,
                          tacho_error *err);

/** Computes their statistics: nearest-rank percentiles. Returns 0 or TACHO_ENOMEM. */
int tch_latencies_stats(const struct tch_latencies *l, tacho_latency_stats *ret, tacho_error *err);

/** Returns the median as tch_median() defines it, given the nearest-rank p50. Returns that p50 if
    only a histogram is left. */
double tch_latencies_median(const struct tch_latencies *l, uint64_t p50);
void tch_latencies_release(struct tch_latencies *l);

/** Converts a column of latency.csv to nanoseconds. */
static inline uint64_t tch_latency_ns(uint64_t us)
{
    return us < UINT64_MAX / 1000 ? us * 1000 : UINT64_MAX;
}

#endif
