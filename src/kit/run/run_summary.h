/*
 * What a list of numbers amounts to: the median, how sure it is, and how they spread.
 */
#ifndef TCH_RUN_SUMMARY_H
#define TCH_RUN_SUMMARY_H

#include <stddef.h>

#include <tacho/error.h>

#include "base/buf.h"
#include "run_sample.h"

struct tch_run_summary {
    size_t n;
    double median;
    double low; /**< of the median's interval; min and max where level is 0 */
    double high;
    double level; /**< its confidence; 0: too few values for the one asked for */
    double mean;
    double stddev;
    double min;
    double q1;
    double q3;
    double p95;
    double max;
    size_t outliers; /**< farther than 3 times q3 - q1 from these */
};

/** n may be 0: then all is 0. Values that are NAN are left out. 0 or TACHO_ENOMEM. */
int tch_run_summary_of(const double *values, size_t n, double alpha, struct tch_run_summary *ret,
                       tacho_error *err);

/** Half the interval's width by the median; INFINITY without an interval. */
double tch_run_summary_precision(const struct tch_run_summary *s);

/** One field of all samples that ended well, or of all where none did, into values (room for
    count); those not measured are left out. Returns how many. */
size_t tch_run_samples_field(const struct tch_run_samples *samples, enum tch_field field,
                             double *values);

/** All values of a metric, in order. 0 or TACHO_ENOMEM. */
int tch_run_samples_metric(const struct tch_run_samples *samples, size_t metric,
                           struct tch_values *values, tacho_error *err);

/** What is summed up: fields that were measured, then metrics, then throughput. */
struct tch_run_row {
    const char *name;  /**< "wall_ns" */
    const char *title; /**< "wall time" */
    enum tch_unit unit;
    struct tch_run_summary summary;
};

enum { TCH_ROWS_MAX = TCH_FIELDS + 64 + 1 };

struct tch_run_rows {
    struct tch_run_row row[TCH_ROWS_MAX];
    size_t count;
};

/**
 * Sums all up.
 *
 * @param work  units a run, for a row of units a second called "throughput"; 0: none
 * @return 0 or TACHO_ENOMEM
 */
int tch_run_rows_of(const struct tch_run_samples *samples, double alpha, double work,
                    struct tch_run_rows *ret, tacho_error *err);

/** The "statistics" of run.json. */
void tch_run_rows_write(struct tch_buf *b, const struct tch_run_rows *rows);

#endif
