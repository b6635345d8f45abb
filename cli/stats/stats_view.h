/*
 * What tacho stats found out, and how it is shown: as JSON, or as a table and a drawing.
 */
#ifndef CLI_STATS_VIEW_H
#define CLI_STATS_VIEW_H

#include "cli/core/opt.h"
#include "kit/stats/number_column.h"
#include "kit/stats/stream_stats.h"

enum { STATS_PERCENTILES = 64, STATS_BINS = 16 };

/* Exactly as typed: 99.999 is 99999 / 100000. */
struct percentile {
    char text[32];
    uint64_t num;
    uint64_t den;
    double value;
    double low; /* of the 95 % interval; NaN: too few numbers for one */
    double high;
};

struct stats_job {
    const char *file; /* NULL: standard input */
    const char *column;
    bool skip;
    bool histogram;
    double unit_ns; /* 0: not a time */
    const char *unit;
    uint64_t memory;
    size_t count;
    struct percentile percentiles[STATS_PERCENTILES];
    struct tch_numbers found;
    uint64_t intervals; /* of a log of histograms; 0: the file is none */
    double coarse;      /* what such a log may be off by on its own */
    struct tch_stream stream;
    double median;
    double mad;
    double edges[STATS_BINS + 1]; /* of the histogram drawn */
    uint64_t below[STATS_BINS + 1];
};

void cli_stats_add_json(struct tch_buf *b, const struct stats_job *job);
void cli_stats_add_text(struct tch_buf *b, const struct stats_job *job, const struct args *args);

#endif
