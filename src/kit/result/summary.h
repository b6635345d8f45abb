/*
 * Summaries of numbers: the median, its confidence interval, and the spread.
 */
#ifndef TCH_SUMMARY_H
#define TCH_SUMMARY_H

#include <stddef.h>
#include <stdint.h>

#include <tacho/error.h>

#include "base/buf.h"
#include "metric.h"

#define TCH_RESULT_ALPHA 0.05 /* 1 - confidence of all intervals together */

struct tch_summary {
    uint64_t n;
    uint64_t values; /**< for a metric with several values per run, and for runs with several
                      layouts: the number of all values. n, the median and its interval are then
                      computed from the medians of the runs, or of the layouts, because the values
                      of one run or layout depend on each other. The other members are computed from
                      all values. 0: one value per run, without layouts */
    double median;
    double low; /**< ends of the median's interval; min and max if level is 0 */
    double high;
    double level;     /**< confidence of the interval; 0: too few values for one */
    double effective; /**< how many independent values the values are worth, if each depends on the
                         one before; NAN: as many as there are. Fewer than TCH_DEPENDENCE_SURE do
                         not show it reliably, and are then assumed to be independent */
    double mean;
    double stddev;
    double min;
    double q1;
    double q3;
    double p95;
    double max;
    uint64_t outliers; /**< values more than 3 (q3 - q1) below q1 or above q3 */
};

/** A row of a table of results. */
struct tch_row {
    struct tch_metric metric;
    struct tch_summary summary;
};

/** Summarises the values that are not NAN, in the order in which they were measured. The interval
    allows for values that depend on each other (kit/stats/dependence.h). Everything is 0 if there
   are none. Returns 0 or TACHO_ENOMEM. */
int tch_summary_of(const double *values, size_t n, double alpha, struct tch_summary *ret,
                   tacho_error *err);

/** Returns the half-width of the interval divided by the median; INFINITY without an interval. */
double tch_summary_precision(const struct tch_summary *s);

/** Takes the median and its interval from `units`, the summary of the medians of runs or
    layouts. */
void tch_summary_by_units(struct tch_summary *s, const struct tch_summary *units);

/** Writes the "statistics" of run.json. */
void tch_rows_write(struct tch_buf *b, const struct tch_row *rows, size_t count);

/**
 * Replaces the values of runs by the medians of their layouts, in the order of layouts. Does
 * nothing if there are no layouts.
 *
 * @param layout  layout of each value, ascending; receives the layout of each median
 * @return the number of medians
 */
size_t tch_layout_medians(double *values, uint64_t *layout, size_t n);

#endif
