/*
 * The rule that says PASS, WARN, FAIL or INCONCLUSIVE, over everything that one report judges.
 *
 * A row is one question: is this metric, on side b, worse than on side a by more than its
 * tolerance? Or: is it above its maximum? Interleaved runs are tested by sign flips
 * (kit/stats/flip.h), others with a session term (kit/stats/session.h). The p-values of all rows
 * that have a budget are corrected together, so that a report of rows that are all fine holds a
 * FAIL with probability alpha at most, however many rows it has: rows that share their coins by
 * their joint distribution, groups of such rows and all other rows by Holm's step-down. Several
 * looks share alpha (kit/stats/spending.h).
 *
 * - FAIL: the adjusted p of "at most 1 + tolerance" is at most alpha, and the estimate is at least
 *   the minimum effect.
 * - PASS: the interval ends below 1 + tolerance, or below 1 + minimum effect where that is more:
 *   what is smaller does not matter.
 * - WARN: the adjusted p of "at most 1" is at most alpha, and the estimate is at least the minimum
 *   effect. A report in which nothing changed holds a WARN or FAIL with probability alpha at most.
 * - INCONCLUSIVE: all else; also FAIL and WARN of runs that were not interleaved and depend on each
 *   other or drift. `advised` says how many runs would do.
 *
 * A row of exact counts is judged by the counts alone (verdict_exact.c), and has no share of alpha.
 *
 * A row about equivalence asks in both directions (verdict_equivalent.c): FAIL is beyond one of its
 * bounds, PASS is an interval within both, and all else is INCONCLUSIVE.
 *
 * The same values give the same verdicts.
 */
#ifndef TCH_VERDICT_RULE_H
#define TCH_VERDICT_RULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tacho/error.h>

#include "kit/stats/ratio.h"
#include "kit/stats/spending.h"

/** Ordered by how bad they are: the verdict of several rows is the worst. */
enum tch_verdict { TCH_NO_VERDICT, TCH_PASS, TCH_INCONCLUSIVE, TCH_WARN, TCH_FAIL };

/** "PASS" and so on; "-" without a verdict. */
extern const char *const tch_verdict_names[];

enum {
    TCH_JUDGE_EXACT = 4000, /* values of a side that are compared one by one; above, so many
                               evenly spaced order statistics stand for all: the interval is then
                               wider than it could be, never too narrow */
    TCH_RUNS_ADVISED_MOST = 1000000,
    TCH_JUDGE_WHY = 200,
};

/** The limits of a metric. NAN: no such limit. */
struct tch_budget {
    double tolerance;  /**< share by which b may be worse than a */
    double min_effect; /**< a smaller share never matters */
    double max;      /**< what the quantile of b may be at most, or at least where more is better */
    double quantile; /**< of b's values for `max`: 0.5 is the median */
    bool higher;     /**< more is better */
    bool equivalent; /**< b may not be better by more than the tolerance either */
};

/** The looks at a growing row: the share of all planned runs at each, up to the present one. */
struct tch_looks {
    double share[TCH_LOOKS_MOST];
    size_t at; /**< the present look */
};

enum tch_ask { TCH_ASK_NOTHING, TCH_ASK_RATIO, TCH_ASK_MAX };

struct tch_verdict_row {
    /* The question. */
    const double *a; /**< not for TCH_ASK_MAX */
    size_t a_count;
    const double *b;
    size_t b_count;
    bool paired;          /**< a[i] and b[i] were measured together */
    const uint64_t *pair; /**< the round of each, rising; NULL: 0, 1, 2 … */
    size_t coins;         /**< paired rows with the same number share their coins */
    double spread;        /**< not paired: sd of the logarithm of the ratio of two sessions */
    const struct tch_looks *looks; /**< NULL: this is the only one */
    struct tch_budget budget;
    enum tch_ask ask; /**< TCH_ASK_NOTHING: a ratio, but no verdict */
    bool exact;       /**< counts that every run of a side has: any difference is real */

    /* The answer. */
    double a_median;
    double b_median;
    struct tch_ratio ratio; /**< b / a; of TCH_ASK_MAX: b's quantile by max */
    bool has_ratio;         /**< there is an estimate: not where values are 0 or below */
    bool thinned;           /**< more than TCH_JUDGE_EXACT values */
    double p;               /**< that the budget is kept; without a budget two-sided: no change */
    double p_adjusted;
    double p_worse;    /**< adjusted, that b is not worse at all */
    double rho;        /**< not paired: how much neighbouring runs depend on each other */
    double trend;      /**< not paired: of both sides, upwards where that is worse */
    bool runs_useless; /**< not paired, open: no number of runs decides at this estimate */
    enum tch_verdict verdict;
    uint64_t advised; /**< INCONCLUSIVE: runs of each side, in all, with which a verdict is
                           possible, and PASS likely if nothing changed; 0: not known */
    double sees; /**< PASS, INCONCLUSIVE: the smallest change of b, as a share, that would have been
                    a FAIL in 9 of 10 reports of such runs; NAN: not known */
    char why[TCH_JUDGE_WHY]; /**< "" or what else is to be said */
};

/**
 * Judges all rows as one report.
 *
 * @param alpha  chance of a wrong FAIL in the whole report, and 1 - confidence of each interval
 * @return 0, TACHO_ENOMEM, TACHO_EINVAL
 */
int tch_judge(struct tch_verdict_row *rows, size_t count, double alpha, tacho_error *err);

/** Judges all rows as tch_judge() does, each in the direction of budget.higher alone. */
int tch_judge_one_sided(struct tch_verdict_row *rows, size_t count, double alpha, tacho_error *err);

/** The worst of all. TCH_NO_VERDICT when nothing was judged. */
enum tch_verdict tch_judge_worst(const struct tch_verdict_row *rows, size_t count);

/** The fewest runs of each side with which one of `family` groups of rows can fail at all. */
uint64_t tch_judge_least_runs(bool paired, double alpha, size_t family);

/** The ratio b / a, above 1 whichever way is better, that is worse by a share: 1.05 for 5 %, and
    1 / 0.95 where more is better. */
double tch_budget_worse(const struct tch_budget *budget, double share);

/** Sets the ratios b / a that a tolerance allows at least and at most; NAN: there is no such bound.
 */
void tch_budget_bounds(const struct tch_budget *budget, double *low, double *high);

/** Returns how far the interval of two sessions reaches upwards, however many runs there are, as a
    share: its standard error is 0 then. A smaller tolerance does not PASS if nothing changed. */
double tch_session_reach(const struct tch_budget *budget, double spread, double alpha);

/** Says whether the present look has seen all runs that were planned. */
bool tch_looks_last(const struct tch_looks *looks);

/** The differences of a paired row from b = worse a, as logarithms, or as values where some are 0:
    above 0 is worse. e: room for a_count. */
void tch_row_differences(const struct tch_verdict_row *row, double worse, double *e);

/** Compares the quantile of b with its maximum. The ratio is that of the quantile to the maximum.
    y: a copy of the n values, which is sorted. */
void tch_row_ask_max(struct tch_verdict_row *row, double alpha, double *y, size_t n);

/** Sets the verdict on a maximum from its adjusted p. family: of tch_judge_adjust(). */
void tch_row_decide_max(struct tch_verdict_row *row, double alpha, size_t family);

/** Judges a row of exact counts: no interval, no chance, no minimum effect. Sets its ratio. */
void tch_row_judge_exact(struct tch_verdict_row *row);

/** Sets `sees` of a row that has its verdict. worse: its ratio, above 1 whichever way is better.
    interval_alpha: 1 - confidence of its interval. level: of a FAIL of this row, over all looks. */
void tch_row_find_sight(struct tch_verdict_row *row, const struct tch_ratio *worse,
                        double interval_alpha, double level);

/** Sets p_adjusted and p_worse of all rows from their p and p_more. @return the number of groups,
    or TACHO_ENOMEM */
int tch_judge_adjust(struct tch_verdict_row *rows, size_t count, double alpha, tacho_error *err);

#endif
