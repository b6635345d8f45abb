/*
 * The statistics of a column of numbers, and their document.
 */
#ifndef TCH_STATS_JSON_H
#define TCH_STATS_JSON_H

#include "base/buf.h"
#include "number_column.h"
#include "stream_stats.h"

enum { TCH_STATS_PERCENTILES = 64, TCH_STATS_BINS = 16 };

/* A percentile exactly as typed: 99.999 is 99999 / 100000. */
struct tch_percentile {
    char text[32];
    uint64_t num;
    uint64_t den;
    double value;
    double low; /* lower end of the 95 % interval; NaN: too few numbers for one */
    double high;
};

/* How p50 and the standard deviation are defined. */
enum tch_stats_definition {
    TCH_STATS_TACHO,     /* mean of the two middle numbers, divisor n - 1 */
    TCH_STATS_REFERENCE, /* nearest rank, divisor n: as ruvector-profiler and tacho_latency_stats */
};

/** Names of the definitions, by value; NULL after the last. */
extern const char *const tch_stats_definitions[];

struct tch_stats_report {
    const char *file; /* NULL: standard input */
    int definition;
    const char *column;
    bool skip;
    bool no_histogram;
    double unit_ns; /* 0: not a time */
    const char *unit;
    uint64_t memory;
    uint64_t interval_ns; /* value of --expected-interval; 0: not given */
    uint64_t added;       /* numbers that the correction added */
    size_t count;
    struct tch_percentile percentiles[TCH_STATS_PERCENTILES];
    struct tch_numbers found;
    uint64_t intervals; /* intervals of a histogram log; 0: the file is not one */
    double relative;    /* largest relative error of a value; 0: exact, unless `coarse` is set */
    double coarse;      /* largest absolute error, if a log counts in larger units */
    struct tch_stream stream;
    double rho;          /* dependence of the numbers on the one before, by tch_dependence() */
    const char *assumes; /* what the intervals assume: "independent numbers" … ; NULL: nothing */
    double median;
    double sd;
    double mad;
    double mad_error; /* largest absolute error of the median distance; 0: exact */
    double sd_error;
    double edges[TCH_STATS_BINS + 1]; /* bin edges of the drawn histogram */
    uint64_t below[TCH_STATS_BINS + 1];
};

/** Appends tacho.stats.v1 and a line feed. */
void tch_stats_json(struct tch_buf *b, const struct tch_stats_report *r);

#endif
