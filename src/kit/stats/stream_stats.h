/*
 * Order statistics of a stream of numbers: exact while they fit into the memory allowed, by a
 * log-linear histogram of any doubles beyond that. Mean and standard deviation never come from the
 * histogram: they are computed as the numbers arrive.
 */
#ifndef TCH_STREAM_STATS_H
#define TCH_STREAM_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tacho/error.h>

/* Each number is within this share of the middle of its bucket. */
#define TCH_STREAM_ERROR (1.0 / 256)

struct tch_stream {
    uint64_t n;
    double min;
    double max;
    uint64_t *counts; /* of the buckets */
    double *values;   /* NULL: they did not fit */
    size_t room;
    size_t most; /* values that may be kept */
    long double mean;
    long double squares;        /* sum of the squared distances from the mean */
    struct tch_weight *weights; /* of tch_stream_add_weight(), ascending; NULL: none */
    size_t weight_count;
    size_t weight_room;
};

/* A value that represents `count` numbers. */
struct tch_weight {
    double value;
    uint64_t count;
};

/** limit: bytes of memory for the values themselves. 0 or TACHO_ENOMEM. */
int tch_stream_init(struct tch_stream *s, size_t limit, tacho_error *err);
void tch_stream_release(struct tch_stream *s);

/** Takes numbers that are not NaN nor infinite. Memory that runs out makes it a histogram. */
void tch_stream_add_all(struct tch_stream *s, const double *values, size_t n);

static inline void tch_stream_add(struct tch_stream *s, double value)
{
    tch_stream_add_all(s, &value, 1);
}

/** Adds a bucket of another histogram: the value represents `count` numbers. Buckets come in
    ascending order, and a stream of buckets has no other numbers. min and max are the caller's to
    set. @return 0 or TACHO_ENOMEM */
int tch_stream_add_weight(struct tch_stream *s, double value, uint64_t count, tacho_error *err);

/**
 * Adds the numbers that coordinated omission left out (G. Tene, 2015): who sends a request every
 * `interval` and waits for a slow answer, does not send those that were due meanwhile. They would
 * have taken the answer's time less one interval, less two, and so on.
 *
 * @param added  how many
 * @return 0, TACHO_ENOMEM, or TACHO_ELIMIT when they would be more than 10^12
 */
int tch_stream_correct(struct tch_stream *s, double interval, uint64_t *added, tacho_error *err);

static inline bool tch_stream_exact(const struct tch_stream *s)
{
    return s->values != NULL;
}

/** Returns the mean; 0 when empty. */
double tch_stream_mean(const struct tch_stream *s);

/** Returns the standard deviation of a sample, divided by n - 1; 0 below two values. */
double tch_stream_stddev(const struct tch_stream *s);

/**
 * The values at `count` ranks, each from 1 to n, ascending or not.
 *
 * @return 0 or TACHO_ENOMEM
 */
int tch_stream_at(const struct tch_stream *s, const uint64_t *ranks, size_t count, double *ret,
                  tacho_error *err);

/** Finds the median as tch_median() defines it; n > 0. 0 or TACHO_ENOMEM. */
int tch_stream_median(const struct tch_stream *s, double *ret, tacho_error *err);

/** Finds the median of the distances from `from`; n > 0. 0 or TACHO_ENOMEM. */
int tch_stream_mad(const struct tch_stream *s, double from, double *ret, tacho_error *err);

/** How many values are < edges[0], < edges[1], …, edges ascending; a histogram answers by the
    middles of its buckets. */
void tch_stream_below(const struct tch_stream *s, const double *edges, size_t count, uint64_t *ret);

#endif
