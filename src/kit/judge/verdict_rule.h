/*
 * The rule that says PASS, WARN, FAIL or INCONCLUSIVE, over everything that one report judges.
 *
 * A row is one question: is this metric, on side b, worse than on side a by more than its
 * tolerance? Or: is it above its maximum? The p-values of all rows that have a budget go through
 * Holm's correction together, so that a report of rows that are all fine holds a FAIL with
 * probability alpha at most, however many rows it has.
 *
 * - FAIL: the adjusted p of "at most 1 + tolerance" is at most alpha, and the estimate is at least
 *   the minimum effect.
 * - PASS: the interval ends below 1 + tolerance, or below 1 + minimum effect where that is more:
 *   what is smaller does not matter.
 * - WARN: the interval begins above 1, and the estimate is at least the minimum effect.
 * - INCONCLUSIVE: all else; `settle` says how many runs would tell.
 *
 * No randomness, no state: the same values give the same verdicts.
 */
#ifndef TCH_VERDICT_RULE_H
#define TCH_VERDICT_RULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tacho/error.h>

#include "kit/stats/ratio.h"

/** Ordered by how bad they are: the verdict of several rows is the worst. */
enum tch_verdict { TCH_NO_VERDICT, TCH_PASS, TCH_INCONCLUSIVE, TCH_WARN, TCH_FAIL };

/** "PASS" and so on; "-" without a verdict. */
extern const char *const tch_verdict_names[];

enum {
    TCH_JUDGE_EXACT = 4000,    /* values of a side that are compared one by one; above, so many
                                  evenly spaced order statistics stand for all: the interval is then
                                  wider than it could be, never too narrow */
    TCH_SETTLE_MOST = 1000000, /* more runs than that settle nothing */
    TCH_JUDGE_WHY = 120,
};

/** The limits of a metric. NAN: no such limit. */
struct tch_budget {
    double tolerance;  /**< share by which b may be worse than a */
    double min_effect; /**< a smaller share never matters */
    double max;      /**< what the quantile of b may be at most, or at least where more is better */
    double quantile; /**< of b's values for `max`: 0.5 is the median */
    bool higher;     /**< more is better */
};

enum tch_ask { TCH_ASK_NOTHING, TCH_ASK_RATIO, TCH_ASK_MAX };

struct tch_verdict_row {
    /* The question. */
    const double *a; /**< not for TCH_ASK_MAX */
    size_t a_count;
    const double *b;
    size_t b_count;
    bool paired;   /**< a[i] and b[i] were measured together */
    double spread; /**< of logarithms, between the occasions of a and b; 0: one occasion */
    struct tch_budget budget;
    enum tch_ask ask; /**< TCH_ASK_NOTHING: a ratio, but no verdict */

    /* The answer. */
    double a_median;
    double b_median;
    struct tch_ratio
        ratio;      /**< b / a, widened by the spread; of TCH_ASK_MAX: b's quantile by max */
    bool has_ratio; /**< there is an estimate: not where values are 0 or below */
    bool thinned;   /**< more than TCH_JUDGE_EXACT values */
    double p;       /**< that the budget is kept; without a budget two-sided: no change */
    double p_adjusted;
    enum tch_verdict verdict;
    uint64_t settle;         /**< runs of each side, in all, that would tell; 0: not known */
    char why[TCH_JUDGE_WHY]; /**< "" or what else is to be said */
};

/**
 * Judges all rows as one report.
 *
 * @param alpha  chance of a wrong FAIL in the whole report, and 1 - confidence of each interval
 * @return 0, TACHO_ENOMEM, TACHO_EINVAL
 */
int tch_judge(struct tch_verdict_row *rows, size_t count, double alpha, tacho_error *err);

/** The worst of all. TCH_NO_VERDICT when nothing was judged. */
enum tch_verdict tch_judge_worst(const struct tch_verdict_row *rows, size_t count);

/** The fewest runs of each side with which one of `family` rows can fail at all. */
uint64_t tch_judge_least_runs(bool paired, double alpha, size_t family);

#endif
