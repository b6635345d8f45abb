/*
 * Quantities of a run that can be judged: by name, with one value per run.
 *
 * The fields of a sample, CPU time, throughput, the user's own metrics, and what the program
 * recorded of itself: latencies, peaks of memory categories, stages of its profile events
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
    TCH_QUANTITY_CPU, /* user and system */
    TCH_QUANTITY_METRIC,
    TCH_QUANTITY_RECORDED,
    TCH_QUANTITY_THROUGHPUT,
    TCH_QUANTITY_COUNT, /* made in runs of its own: kit/run/count/count.h */
};

struct tch_quantity {
    char name[TCH_QUANTITY_TEXT];  /**< "wall" */
    char title[TCH_QUANTITY_TEXT]; /**< "wall time" */
    enum tch_unit unit;
    enum tch_quantity_kind kind;
    size_t index;  /**< of its kind; SIZE_MAX: of one that no run has */
    bool several;  /**< several values a run: a quantile of them stands for the run */
    bool higher;   /**< more is better */
    bool directed; /**< it is known which way is better */
    bool gated;    /**< a tolerance that names no quantity is for this one, too */
    double
        spread; /**< of two sessions where nothing is known of it: sd of the log of their ratio */
};

/** Finds a quantity by its name here or in run.json; false: this run cannot have it. r may be NULL:
    any run. Any run can have "memory.NAME", "stage:EVENT.STAGE" and the metrics of
    run/recorded_metric.h, whose statistic may be left out. */
bool tch_quantity_find(const struct tch_receipt *r, const char *name, struct tch_quantity *ret);

/** Finds the quantity `of` in another run; false: it has none of that name and kind. */
bool tch_quantity_same(const struct tch_receipt *r, const struct tch_quantity *of,
                       struct tch_quantity *ret);

/** Steps through the quantities that a run has values of, in a fixed order. *at starts at 0.
    @return false after the last */
bool tch_quantity_next(const struct tch_receipt *r, size_t *at, struct tch_quantity *ret);

/** Says whether runs with several values can have this quantile of them: of what a program recorded
   only the median, p95 and p99 are kept. */
bool tch_quantity_has_quantile(const struct tch_quantity *q, double quantile);

/** Says whether a run has so few values of a metric that this quantile is the largest of them, or
    the smallest below the median. false also where the number of values is not known. */
bool tch_quantity_is_extreme(const struct tch_receipt *r, const struct tch_quantity *q,
                             double quantile);

/** Says whether the program was linked with several layouts: then a layout is the unit, and its
   value is the median of its runs. */
bool tch_quantity_by_layout(const struct tch_receipt *r);

/** Returns how many units there are: layouts, or runs. */
size_t tch_quantity_units(const struct tch_receipt *r);

/** One value per run that succeeded, or per layout. */
struct tch_quantity_series {
    double *value;
    uint64_t *pair; /**< the round it was part of, or its layout */
    size_t count;
};

/**
 * Collects the values of a quantity.
 *
 * @param quantile  of a quantity with several values per run: which of them represents the run
 * @return 0 or TACHO_ENOMEM; tch_quantity_series_release() in any case
 */
int tch_quantity_series_of(const struct tch_receipt *r, const struct tch_quantity *q,
                           double quantile, struct tch_quantity_series *ret, tacho_error *err);
void tch_quantity_series_release(struct tch_quantity_series *s);

/** Keeps the rounds that both have, so that a->value[i] and b->value[i] are of one round. */
void tch_quantity_series_match(struct tch_quantity_series *a, struct tch_quantity_series *b);

/** Returns true if the two runs were interleaved. */
bool tch_runs_paired(const struct tch_receipt *a, const struct tch_receipt *b);

#endif
