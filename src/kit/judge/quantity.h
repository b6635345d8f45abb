/*
 * What can be judged of a run: quantities by name, and one value of each a run.
 *
 * The fields of a sample, CPU time, throughput, the user's own metrics, and what the program
 * recorded of itself: peaks of memory categories, stages of its profile events (run/recorded.h).
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
};

struct tch_quantity {
    char name[TCH_QUANTITY_TEXT];  /**< "wall" */
    char title[TCH_QUANTITY_TEXT]; /**< "wall time" */
    enum tch_unit unit;
    enum tch_quantity_kind kind;
    size_t index;  /**< of its kind; SIZE_MAX: of a recorded one that no run has */
    bool several;  /**< several values a run: a quantile of them stands for the run */
    bool higher;   /**< more is better */
    bool directed; /**< it is known which way is better */
    bool gated;    /**< a tolerance that names no quantity is for this one, too */
    double spread; /**< between occasions, of the logarithm, where nothing is known of it */
};

/** The quantity called name, or by its name in run.json; false: this run cannot have it. r may be
   NULL: any run. "memory.NAME" and "stage:EVENT.STAGE" any run can have. */
bool tch_quantity_find(const struct tch_receipt *r, const char *name, struct tch_quantity *ret);

/** What is `of` in another run: of the same kind, too. */
bool tch_quantity_same(const struct tch_receipt *r, const struct tch_quantity *of,
                       struct tch_quantity *ret);

/** Those that this run has values of, in a fixed order: 0, 1, ...; false after the last. */
bool tch_quantity_next(const struct tch_receipt *r, size_t *at, struct tch_quantity *ret);

/** One value a run, of those that ended well. */
struct tch_quantity_series {
    double *value;
    uint64_t *pair; /**< the round it was part of */
    size_t count;
};

/**
 * @param quantile  of a quantity with several values a run: which of them stands for the run
 * @return 0 or TACHO_ENOMEM; tch_quantity_series_release() in any case
 */
int tch_quantity_series_of(const struct tch_receipt *r, const struct tch_quantity *q,
                           double quantile, struct tch_quantity_series *ret, tacho_error *err);
void tch_quantity_series_release(struct tch_quantity_series *s);

/** Keeps of both the rounds that both have: value[i] belongs to value[i] then. */
void tch_quantity_series_match(struct tch_quantity_series *a, struct tch_quantity_series *b);

/** Were the two interleaved? */
bool tch_runs_paired(const struct tch_receipt *a, const struct tch_receipt *b);

#endif
