/*
 * The statistics of a column of numbers, and their document.
 */
#ifndef TCH_STATS_JSON_H
#define TCH_STATS_JSON_H

#include "base/buf.h"
#include "number_column.h"
#include "stream_stats.h"

enum { TCH_STATS_PERCENTILES = 64, TCH_STATS_BINS = 16 };

/* Exactly as typed: 99.999 is 99999 / 100000. */
struct tch_percentile {
    char text[32];
    uint64_t num;
    uint64_t den;
    double value;
    double low; /* of the 95 % interval; NaN: too few numbers for one */
    double high;
};

struct tch_stats_report {
    const char *file; /* NULL: standard input */
    const char *column;
    bool skip;
    bool no_histogram;
    double unit_ns; /* 0: not a time */
    const char *unit;
    uint64_t memory;
    uint64_t interval_ns; /* of --expected-interval; 0: none */
    uint64_t added;       /* numbers that it added */
    size_t count;
    struct tch_percentile percentiles[TCH_STATS_PERCENTILES];
    struct tch_numbers found;
    uint64_t intervals; /* of a log of histograms; 0: the file is none */
    double relative;    /* a value may be off by this share of it; 0: exact, or */
    double coarse;      /* by this, where a log counts in larger units */
    struct tch_stream stream;
    double median;
    double mad;
    double mad_error; /* at most, not relative; 0: exact */
    double sd_error;
    double edges[TCH_STATS_BINS + 1]; /* of the histogram drawn */
    uint64_t below[TCH_STATS_BINS + 1];
};

/** Adds tacho.stats.v1 and a line feed. */
void tch_stats_json(struct tch_buf *b, const struct tch_stats_report *r);

#endif
