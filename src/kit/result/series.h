/*
 * The values of one metric of a result, one per run, ready to be judged.
 */
#ifndef TCH_SERIES_H
#define TCH_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tacho/error.h>

#include "metric.h"
#include "result.h"

/** Finds a metric by its name or its key. Returns false if this result cannot have it. Any result
    can have "memory.NAME", "stage:EVENT.STAGE" and the names with a source, whose statistic may be
    left out. */
bool tch_result_metric(const struct tch_result *r, const char *name, struct tch_metric *ret);

/** Finds the metric `of` in another result. Returns false if that result does not have a metric of
    that name and kind. */
bool tch_result_metric_like(const struct tch_result *r, const struct tch_metric *of,
                            struct tch_metric *ret);

/** Returns the next metric that a result has values of, in a fixed order. *at starts at 0. @return
    false after the last */
bool tch_result_next_metric(const struct tch_result *r, size_t *at, struct tch_metric *ret);

/** Returns whether this quantile of several values per run is available. For values that a program
    recorded, only the median, p95 and p99 are kept. */
bool tch_metric_has_quantile(const struct tch_metric *m, double quantile);

/** Returns whether a run has so few values of a metric that this quantile is the largest of them,
    or, below the median, the smallest. Also returns false if the number of values is not known. */
bool tch_series_is_extreme(const struct tch_result *r, const struct tch_metric *m, double quantile);

/** Returns the number of units: layouts, or runs. */
size_t tch_result_units(const struct tch_result *r);

/** One value per run that succeeded, or per layout. */
struct tch_series {
    double *value;
    uint64_t *pair; /**< round of each value, or its layout */
    size_t count;
};

/**
 * Collects the values of a metric.
 *
 * @param quantile  for a metric with several values per run: the quantile that represents the run
 * @return 0 or TACHO_ENOMEM; call tch_series_release() in any case
 */
int tch_series_of(const struct tch_result *r, const struct tch_metric *m, double quantile,
                  struct tch_series *ret, tacho_error *err);
void tch_series_release(struct tch_series *s);

/** Keeps the rounds that both series have, so that a->value[i] and b->value[i] belong to one
    round. */
void tch_series_match(struct tch_series *a, struct tch_series *b);

/** Returns whether the runs of two results were interleaved. */
bool tch_results_paired(const struct tch_result *a, const struct tch_result *b);

#endif
