/*
 * What can be judged of a run: quantities by name, and one value of each a run.
 *
 * The fields of a sample, CPU time, throughput, the user's own metrics, and the peaks of the memory
 * categories that the program told of.
 */
#ifndef TCH_JUDGE_QUANTITY_H
#define TCH_JUDGE_QUANTITY_H

#include <stdbool.h>
#include <stddef.h>

#include <tacho/error.h>

#include "run/receipt.h"

enum { TCH_QUANTITY_TEXT = 80, TCH_CATEGORIES = 3 };

enum tch_quantity_kind {
    TCH_QUANTITY_FIELD,
    TCH_QUANTITY_CPU, /* user and system */
    TCH_QUANTITY_CATEGORY,
    TCH_QUANTITY_METRIC,
    TCH_QUANTITY_THROUGHPUT,
};

struct tch_quantity {
    char name[TCH_QUANTITY_TEXT];  /**< "wall" */
    char title[TCH_QUANTITY_TEXT]; /**< "wall time" */
    enum tch_unit unit;
    enum tch_quantity_kind kind;
    size_t index;  /**< of its kind */
    bool higher;   /**< more is better */
    bool directed; /**< it is known which way is better */
    bool gated;    /**< a tolerance that names no quantity is for this one, too */
    double spread; /**< between occasions, of the logarithm, where nothing is known of it */
};

/** A run, and what is in its folder beside the receipt. */
struct tch_measured {
    const struct tch_receipt *receipt;
    double *category[TCH_CATEGORIES]; /**< peak of each run, NAN: not told; or NULL */
};

/** folder may be NULL: then there are no categories. 0, TACHO_ENOMEM, or what is wrong with a file;
    tch_measured_release() in any case. */
int tch_measured_init(struct tch_measured *m, const struct tch_receipt *receipt, const char *folder,
                      tacho_error *err);
void tch_measured_release(struct tch_measured *m);

/** The quantity called name, or by its name in run.json; false: this run cannot have it. */
bool tch_quantity_find(const struct tch_measured *m, const char *name, struct tch_quantity *ret);

/** Those that this run has values of, in a fixed order: 0, 1, ...; false after the last. */
bool tch_quantity_next(const struct tch_measured *m, size_t *at, struct tch_quantity *ret);

/** One value a run, of those that ended well. */
struct tch_series {
    double *value;
    uint64_t *pair; /**< the round it was part of */
    size_t count;
};

/**
 * @param quantile  of a metric with several values a run: which of them stands for the run
 * @return 0 or TACHO_ENOMEM; tch_series_release() in any case
 */
int tch_series_of(const struct tch_measured *m, const struct tch_quantity *q, double quantile,
                  struct tch_series *ret, tacho_error *err);
void tch_series_release(struct tch_series *s);

/** Keeps of both the rounds that both have: value[i] belongs to value[i] then. */
void tch_series_match(struct tch_series *a, struct tch_series *b);

/** Were the two interleaved? */
bool tch_measured_paired(const struct tch_receipt *a, const struct tch_receipt *b);

#endif
