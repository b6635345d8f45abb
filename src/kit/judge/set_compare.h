/*
 * Compares sets of benchmarks: two result files of another tool, or two folders with many runs.
 *
 *     tch_compare_sets(&f, a, a_count, b, b_count, budgets, budget_count, &err);
 *     tch_findings_judge(&f, alpha, &err);
 *     tch_sets_finish(&f, &err);
 *
 * Benchmarks are matched by their full names, which contain their parameters. The rows are ordered
 * from worst to best, and a change is called one if its p-value, corrected by Holm (1979) for the
 * number of rows, is at most alpha.
 *
 * The geometric mean of a metric has an interval from the geometric mean of the lower ends of its
 * rows to that of the upper ends. It assumes the worst case: all benchmarks of a session err in the
 * same direction, because the machine was fast or slow for all of them. The interval therefore does
 * not get narrower with more benchmarks.
 */
#ifndef TCH_SET_COMPARE_H
#define TCH_SET_COMPARE_H

#include "run_compare.h"

/** The geometric mean of the ratios b / a of a metric, over the benchmarks of both sets. */
struct tch_set_mean {
    struct tch_metric metric;
    size_t count; /**< benchmarks */
    double estimate;
    double low; /**< NAN: no interval, because no benchmark has one */
    double high;
    size_t unsure_count; /**< benchmarks left out, because they have no interval */
    double unsure;       /**< sum of their logarithms */
};

/** Summary of a comparison of sets, besides its rows. All memory is owned. */
struct tch_set_summary {
    size_t benches; /**< on both sides */
    size_t changed; /**< rows */
    size_t hidden;  /**< rows that did not change and were removed */
    size_t shown;   /**< rows to print on a terminal; 0: all */
    char **only_a;
    size_t only_a_count;
    char **only_b;
    size_t only_b_count;
    struct tch_set_mean *means;
    size_t mean_count;
};

/**
 * Adds the rows of all benchmarks that both sets have, and lists the others. If each set has one
 * benchmark, these two are compared whatever their names are. If a set has several results of a
 * name, the newest is compared.
 *
 * @return 0, TACHO_ENOMEM, or TACHO_EINVAL: the sets have no benchmark in common
 */
int tch_compare_sets(struct tch_findings *f, const struct tch_result *a, size_t a_count,
                     const struct tch_result *b, size_t b_count,
                     const struct tch_named_budget *budgets, size_t count, tacho_error *err);

/** Completes the summary after tch_findings_judge(): marks the changed rows, computes the means and
    orders the rows. Returns 0 or TACHO_ENOMEM. */
int tch_sets_finish(struct tch_findings *f, tacho_error *err);

/** Removes all rows that did not change. */
void tch_sets_keep_changed(struct tch_findings *f);

void tch_set_summary_free(struct tch_set_summary *s);

#endif
