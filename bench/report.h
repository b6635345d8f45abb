/*
 * Prints the measurements of bench_compare().
 */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include "bench.h"

/** Seconds of every round of one contender. */
struct bench_times {
    double *cpu;
    double *wall;
};

struct bench_spread {
    double q1, median, q3;
};

/** times[i] belongs to contender i; both arrays of one that could not run are NULL. */
struct bench_result {
    const struct bench_case *of;
    struct bench_times *times;
    size_t rounds;
};

/** Returns quartiles, interpolated between ranks. scratch has room for count. */
struct bench_spread bench_spread(const double *values, size_t count, double *scratch);

/** Print the result. Return 0, or -1 when there is no memory or standard output cannot be
    written. */
int bench_report_text(const struct bench_result *r);
int bench_report_json(const struct bench_result *r);

#endif
