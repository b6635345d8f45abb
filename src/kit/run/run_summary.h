/*
 * Summaries of numbers: the median, its confidence interval, and the spread.
 */
#ifndef TCH_RUN_SUMMARY_H
#define TCH_RUN_SUMMARY_H

#include <stddef.h>

#include <tacho/error.h>

#include "base/buf.h"
#include "run_sample.h"

struct tch_run_summary {
    size_t n;
    size_t values; /**< for a metric with several values per run, and for runs with several layouts:
                      the number of all values. n, the median and its interval are then computed
                      from the medians of the runs, or of the layouts, because the values of one run
                      or layout depend on each other. The other members are computed from all
                      values. 0: one value per run, without layouts */
    double median;
    double low; /**< ends of the median's interval; min and max if level is 0 */
    double high;
    double level; /**< confidence of the interval; 0: too few values for one */
    double mean;
    double stddev;
    double min;
    double q1;
    double q3;
    double p95;
    double max;
    size_t outliers; /**< values more than 3 (q3 - q1) below q1 or above q3 */
};

/** Summarises the values that are not NAN. Everything is 0 if there are none. Returns 0 or
    TACHO_ENOMEM. */
int tch_run_summary_of(const double *values, size_t n, double alpha, struct tch_run_summary *ret,
                       tacho_error *err);

/** Returns the half-width of the interval divided by the median; INFINITY without an interval. */
double tch_run_summary_precision(const struct tch_run_summary *s);

/** Copies one field of all successful samples to values, which has room for count. Leaves out
    values that were not measured. Returns their number. */
size_t tch_run_samples_field(const struct tch_run_samples *samples, enum tch_field field,
                             double *values);

/** Adds all values of a metric in successful samples, in order. Returns 0 or TACHO_ENOMEM. */
int tch_run_samples_metric(const struct tch_run_samples *samples, size_t metric,
                           struct tch_values *values, tacho_error *err);

/** The spread of runs within a layout, and between layouts: standard deviations of the
    logarithm. */
struct tch_layout_spread {
    size_t layouts; /**< 0: the program was not linked again */
    size_t runs;
    double within;  /**< NAN: not known */
    double between; /**< beyond what `within` explains */
};

void tch_run_layout_spread(const struct tch_run_samples *samples, enum tch_field field,
                           struct tch_layout_spread *ret);

/** Writes the "layouts" of run.json. */
void tch_layout_spread_write(struct tch_buf *b, const struct tch_layout_spread *s);

/** Adds a text such as "30 layouts, 90 runs; wall time differs by 2% within a layout and by 5%
    between layouts". */
void tch_layout_spread_describe(struct tch_buf *b, const struct tch_layout_spread *s);

/**
 * Replaces the values of runs by the medians of their layouts, in the order of layouts. Does
 * nothing if there are no layouts.
 *
 * @param layout  layout of each value, ascending; receives the layout of each median
 * @return the number of medians
 */
size_t tch_run_layout_medians(double *values, uint64_t *layout, size_t n);

/** A row of a table of results: a field, a metric, or the throughput. */
struct tch_run_row {
    const char *name;  /**< "wall_ns" */
    const char *title; /**< "wall time" */
    enum tch_unit unit;
    struct tch_run_summary summary;
};

enum { TCH_ROWS_MAX = TCH_FIELDS + TCH_METRICS_MOST + 1 };

struct tch_run_rows {
    struct tch_run_row row[TCH_ROWS_MAX];
    size_t count;
};

/**
 * Summarises the measured fields, then the metrics, then the throughput.
 *
 * @param work  units per run, for the row "throughput" in units per second; 0: no such row
 * @return 0 or TACHO_ENOMEM
 */
int tch_run_rows_of(const struct tch_run_samples *samples, double alpha, double work,
                    struct tch_run_rows *ret, tacho_error *err);

/** Writes the "statistics" of run.json. */
void tch_run_rows_write(struct tch_buf *b, const struct tch_run_rows *rows);

#endif
