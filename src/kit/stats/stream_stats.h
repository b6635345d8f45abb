/*
 * Order statistics of a stream of numbers. They are exact while the numbers fit into the memory
 * limit. Beyond that they come from a log-linear histogram of doubles. Mean and standard deviation
 * never come from the histogram; they are updated as the numbers arrive (T. F. Chan, G. H. Golub
 * and R. J. LeVeque, 1983).
 */
#ifndef TCH_STREAM_STATS_H
#define TCH_STREAM_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tacho/error.h>

/* Largest relative distance of a number from the middle of its bucket. */
#define TCH_STREAM_ERROR (1.0 / 256)

struct tch_stream {
    uint64_t n;
    double min;
    double max;
    uint64_t *counts; /* one per bucket */
    double *values;   /* NULL: they did not fit */
    size_t room;
    size_t most; /* limit of the values kept */
    long double mean;
    long double squares;        /* sum of the squared distances from the mean */
    struct tch_weight *weights; /* from tch_stream_add_weight(), ascending; NULL: not used */
    size_t weight_count;
    size_t weight_room;
};

/* A value that represents `count` numbers. */
struct tch_weight {
    double value;
    uint64_t count;
};

/** Initializes a stream. limit: bytes of memory for the values. Returns 0 or TACHO_ENOMEM. */
int tch_stream_init(struct tch_stream *s, size_t limit, tacho_error *err);
void tch_stream_release(struct tch_stream *s);

/** Adds numbers, none of them NaN or infinite. If memory runs out, the stream becomes a
    histogram. */
void tch_stream_add_all(struct tch_stream *s, const double *values, size_t n);

static inline void tch_stream_add(struct tch_stream *s, double value)
{
    tch_stream_add_all(s, &value, 1);
}

/** Adds a bucket of another histogram: `value` represents `count` numbers. Buckets must come in
    ascending order, and such a stream may contain no other numbers. The caller sets min and max.
    @return 0 or TACHO_ENOMEM */
int tch_stream_add_weight(struct tch_stream *s, double value, uint64_t count, tacho_error *err);

/**
 * Adds the numbers that coordinated omission left out (G. Tene, 2015). A client that sends a
 * request every `interval` but waits for a slow answer does not send the requests due in the
 * meantime. They would have taken the answer's time less one interval, less two, and so on.
 *
 * @param added  set to how many numbers were added
 * @return 0, TACHO_ENOMEM, or TACHO_ELIMIT if they would be more than 10^12
 */
int tch_stream_correct(struct tch_stream *s, double interval, uint64_t *added, tacho_error *err);

static inline bool tch_stream_exact(const struct tch_stream *s)
{
    return s->values != NULL;
}

/** Returns the mean; 0 when empty. */
double tch_stream_mean(const struct tch_stream *s);

/** Returns the standard deviation of the sample, divided by n - 1; 0 for fewer than two values. */
double tch_stream_stddev(const struct tch_stream *s);

/**
 * Finds the values at `count` ranks, each from 1 to n, in any order.
 *
 * @return 0 or TACHO_ENOMEM
 */
int tch_stream_at(const struct tch_stream *s, const uint64_t *ranks, size_t count, double *ret,
                  tacho_error *err);

/** Finds the median as tch_median() defines it; n > 0. Returns 0 or TACHO_ENOMEM. */
int tch_stream_median(const struct tch_stream *s, double *ret, tacho_error *err);

/** Finds the median of the distances from `from`; n > 0. Returns 0 or TACHO_ENOMEM. */
int tch_stream_mad(const struct tch_stream *s, double from, double *ret, tacho_error *err);

/** Counts the values < edges[0], < edges[1], …, edges ascending. A histogram counts each bucket at
    its middle. */
void tch_stream_below(const struct tch_stream *s, const double *edges, size_t count, uint64_t *ret);

#endif
