/*
 * Quantities of a run that can be judged, by name, with one value per run.
 *
 * They are the fields of a sample, CPU time, throughput, the user's own metrics, and values that
 * the program recorded itself: latencies, peaks of memory categories, stages of its profile events
 * (run/recorded.h).
 */
#ifndef TCH_QUANTITY_H
#define TCH_QUANTITY_H

#include <stdbool.h>
#include <stddef.h>

#include <tacho/error.h>

#include "kit/run/receipt.h"
#include "kit/run/recorded.h"

enum { TCH_QUANTITY_TEXT = TCH_RECORDED_TEXT };

enum tch_quantity_kind {
    TCH_QUANTITY_FIELD,
    TCH_QUANTITY_CPU, /* user and system time together */
    TCH_QUANTITY_METRIC,
    TCH_QUANTITY_RECORDED,
    TCH_QUANTITY_THROUGHPUT,
    TCH_QUANTITY_COUNT, /* made in extra runs: kit/run/count/count.h */
};

struct tch_quantity {
    char name[TCH_QUANTITY_TEXT];  /**< "wall" */
    char title[TCH_QUANTITY_TEXT]; /**< "wall time" */
    enum tch_unit unit;
    enum tch_quantity_kind kind;
    size_t index;  /**< index within its kind; SIZE_MAX: no run has it */
    bool several;  /**< has several values per run; a quantile of them represents the run */
    bool higher;   /**< more is better */
    bool directed; /**< the better direction is known */
    bool gated;    /**< a tolerance without a name applies to this quantity, too */
    double spread; /**< session spread assumed if nothing is known: sd of the log of the ratio of
                      two sessions */
};

/** Finds a quantity by its name here or in run.json. Returns false if this run cannot have it. r
    may be NULL: any run. Any run can have "memory.NAME", "stage:EVENT.STAGE" and the metrics of
    run/recorded_metric.h, whose statistic may be left out. */
bool tch_quantity_find(const struct tch_receipt *r, const char *name, struct tch_quantity *ret);

/** Returns whether a quantity that tacho measures in every run has this name, so that a metric of
    the same name could not be judged. */
bool tch_quantity_is_reserved(const char *name);

/** Checks before a run that its plan can measure a quantity of that name: one of tacho's own, a
    metric of the plan, or a value that the program may record. Returns 0 or TACHO_EINVAL. */
int tch_quantity_check(const struct tch_run_plan *plan, const char *name, tacho_error *err);

/** Finds the quantity `of` in another run. Returns false if it has no quantity of that name and
    kind. */
bool tch_quantity_same(const struct tch_receipt *r, const struct tch_quantity *of,
                       struct tch_quantity *ret);

/** Returns the next quantity that a run has values of, in a fixed order. *at starts at 0. @return
    false after the last */
bool tch_quantity_next(const struct tch_receipt *r, size_t *at, struct tch_quantity *ret);

/** Returns whether this quantile of several values per run is available. For values that a program
    recorded, only the median, p95 and p99 are kept. */
bool tch_quantity_has_quantile(const struct tch_quantity *q, double quantile);

/** Returns whether a run has so few values of a metric that this quantile is the largest of them,
    or, below the median, the smallest. Also returns false if the number of values is not known. */
bool tch_quantity_is_extreme(const struct tch_receipt *r, const struct tch_quantity *q,
                             double quantile);

/** Returns whether the program was linked with several layouts. Then a layout is the unit, and its
    value is the median of its runs. */
bool tch_quantity_by_layout(const struct tch_receipt *r);

/** Returns the number of units: layouts, or runs. */
size_t tch_quantity_units(const struct tch_receipt *r);

/** One value per run that succeeded, or per layout. */
struct tch_quantity_series {
    double *value;
    uint64_t *pair; /**< round of each value, or its layout */
    size_t count;
};

/**
 * Collects the values of a quantity.
 *
 * @param quantile  for a quantity with several values per run: the quantile that represents the run
 * @return 0 or TACHO_ENOMEM; call tch_quantity_series_release() in any case
 */
int tch_quantity_series_of(const struct tch_receipt *r, const struct tch_quantity *q,
                           double quantile, struct tch_quantity_series *ret, tacho_error *err);
void tch_quantity_series_release(struct tch_quantity_series *s);

/** Keeps the rounds that both series have, so that a->value[i] and b->value[i] belong to one
    round. */
void tch_quantity_series_match(struct tch_quantity_series *a, struct tch_quantity_series *b);

/** Returns whether the two runs were interleaved. */
bool tch_runs_paired(const struct tch_receipt *a, const struct tch_receipt *b);

#endif
