/*
 * The rule that decides PASS, WARN, FAIL or INCONCLUSIVE for everything that one report judges.
 *
 * A row is one question. Is this metric worse on side b than on side a by more than its tolerance?
 * Or: is it above its maximum?
 *
 * Methods and what each assumes:
 *
 * - Interleaved runs: sign flips (Fisher 1935, Pitman 1937; kit/stats/flip.h). A coin decided the
 *   order of each pair.
 * - Other runs: Hodges-Lehmann (1963) with a session term (kit/stats/session.h). Sessions differ by
 *   no more than the session spread.
 * - Maxima: sign test (verdict_max.c). Each run depends on the run before, if at all.
 * - Rows that share their coins: joint distribution (Westfall and Young 1993). No further
 *   assumption.
 * - Groups of such rows, and all other rows: step-down (Holm 1979). No further assumption.
 * - Interim analyses: error spending (Lan and DeMets 1983; kit/stats/spending.h). They were
 *   planned.
 *
 * The p-values of all rows with a budget are corrected together. A report whose rows are all within
 * their budgets contains a FAIL with probability alpha at most, however many rows it has.
 *
 * - FAIL: the adjusted p of "at most 1 + tolerance" is at most alpha, and the estimate is at least
 *   the minimum effect.
 * - PASS: the interval ends below 1 + tolerance, or below 1 + minimum effect if that is larger.
 * - WARN: the adjusted p of "at most 1" is at most alpha, and the estimate is at least the minimum
 *   effect. A report in which nothing changed contains a WARN or FAIL with probability alpha at
 *   most.
 * - INCONCLUSIVE: everything else, and FAIL and WARN of runs that were not interleaved and depend
 *   on each other or drift. `advised` says how many runs would be enough.
 *
 * A row whose session spread was not measured is WARN in place of FAIL, unless it is worse by a
 * factor that no machine explains (`obvious`).
 *
 * A row in which values are 0 has no logarithms. Its pairs are tested by b - ratio * a instead, by
 * the same sign flips (verdict_zeros.c).
 *
 * A row of exact counts is judged by the counts alone (verdict_exact.c) and uses no share of alpha.
 *
 * A row about equivalence asks in both directions (verdict_equivalent.c). FAIL means beyond one of
 * its bounds, PASS an interval within both, and everything else is INCONCLUSIVE.
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

/** Ordered by severity: the verdict of several rows is the worst. */
enum tch_verdict { TCH_NO_VERDICT, TCH_PASS, TCH_INCONCLUSIVE, TCH_WARN, TCH_FAIL };

/** "PASS" and so on; "-" for no verdict. */
extern const char *const tch_verdict_names[];

enum {
    TCH_JUDGE_EXACT = 4000, /* limit per side for comparing values one by one; of more, this number
                               of evenly spaced order statistics represents all. The interval is
                               then wider than necessary, never too narrow */
    TCH_RUNS_ADVISED_MOST = 1000000,
    TCH_JUDGE_WHY = 200,
};

/** The limits of a metric. NAN: no such limit. */
struct tch_budget {
    double tolerance;  /**< how much worse b may be than a, as a share */
    double min_effect; /**< a smaller share never matters */
    double max;        /**< largest allowed quantile of b, or the smallest if more is better */
    double quantile;   /**< quantile of b's values for `max`: 0.5 is the median */
    bool higher;       /**< more is better */
    bool equivalent;   /**< b may not be better by more than the tolerance either */
};

/** Interim analyses of a growing row: the share of all planned runs at each, up to the current
    one. */
struct tch_analyses {
    double share[TCH_ANALYSES_MAX];
    size_t at; /**< index of the current analysis */
};

enum tch_ask { TCH_ASK_NOTHING, TCH_ASK_RATIO, TCH_ASK_MAX };

struct tch_verdict_row {
    /* The question. */
    const double *a; /**< not for TCH_ASK_MAX */
    size_t a_count;
    const double *b;
    size_t b_count;
    bool paired;          /**< a[i] and b[i] were measured together */
    const uint64_t *pair; /**< the round of each, ascending; NULL: 0, 1, 2 … */
    size_t coins;         /**< paired rows with the same number share their coins */
    double spread;  /**< not paired: session spread, the sd of the logarithm of the ratio of two
                       sessions */
    double obvious; /**< not paired: the spread is only assumed, so that a row that is worse by a
                       smaller factor than this one is WARN in place of FAIL; 0: it was measured */
    const struct tch_analyses *analyses; /**< NULL: this is the only analysis */
    struct tch_budget budget;
    enum tch_ask ask; /**< TCH_ASK_NOTHING: a ratio, but no verdict */
    bool exact;       /**< counts that are equal in all runs of each side: any difference is real */

    /* The answer. */
    double a_median;
    double b_median;
    struct tch_ratio ratio; /**< b / a; for TCH_ASK_MAX: b's quantile divided by max */
    bool has_ratio;         /**< there is an estimate; not if too many values are 0 */
    bool thinned;           /**< more than TCH_JUDGE_EXACT values */
    double p; /**< p of "the budget is kept"; without a budget, two-sided p of "no change" */
    double p_adjusted;
    double p_worse;  /**< adjusted p of "b is not worse at all" */
    double rho;      /**< not paired, and maxima: how much neighbouring runs depend on each other */
    double side_rho; /**< not paired: how much those of the more dependent side do */
    double trend;    /**< not paired: trend of both sides, positive if it is towards worse */
    bool runs_useless; /**< not paired, open: no number of runs would decide at this estimate */
    bool doubtful;     /**< not paired, WARN: FAIL but for `obvious` */
    bool changed;      /**< in a comparison of sets: changed, after correction for all rows */
    enum tch_verdict verdict;
    uint64_t advised; /**< INCONCLUSIVE: total runs of each side with which a verdict is possible,
                         and PASS likely if nothing changed; 0: not known */
    char why[TCH_JUDGE_WHY]; /**< reason or remark for the reader, or "" */
};

/**
 * Judges all rows as one report.
 *
 * @param alpha  probability of a wrong FAIL in the whole report, and 1 - confidence of each
 * interval
 * @return 0, TACHO_ENOMEM, TACHO_EINVAL
 */
int tch_judge(struct tch_verdict_row *rows, size_t count, double alpha, tacho_error *err);

/** Judges all rows as tch_judge() does, each in the direction of budget.higher alone. */
int tch_judge_one_sided(struct tch_verdict_row *rows, size_t count, double alpha, tacho_error *err);

/** Returns the worst verdict of all rows, or TCH_NO_VERDICT if nothing was judged. */
enum tch_verdict tch_judge_worst(const struct tch_verdict_row *rows, size_t count);

/** Returns the smallest number of runs of each side with which one of `family` groups of rows can
    FAIL. */
uint64_t tch_judge_least_runs(bool paired, double alpha, size_t family);

/** Returns the ratio that is worse by a share, above 1 whichever direction is better: 1.05 for 5 %,
    and 1 / 0.95 if more is better. */
double tch_budget_worse(const struct tch_budget *budget, double share);

/** Sets the smallest and the largest ratio b / a that a tolerance allows; NAN: there is no such
    bound. */
void tch_budget_bounds(const struct tch_budget *budget, double *low, double *high);

/** Returns how far the interval of two sessions reaches upwards, as a share, if the standard error
    is 0, as with infinitely many runs. A smaller tolerance cannot PASS with nothing changed. */
double tch_session_reach(const struct tch_budget *budget, double spread, double alpha);

/** Returns whether the current analysis includes all planned runs. */
bool tch_analyses_last(const struct tch_analyses *analyses);

/** Returns the ratio that p tests, above 1 whichever direction is better: 1 + tolerance, or 1. */
double tch_row_bound(const struct tch_verdict_row *row);

/** Converts a ratio in the direction of "worse" to b / a, or back. */
struct tch_ratio tch_ratio_inverse(const struct tch_ratio *r);

/** Returns whether all values have a logarithm. */
bool tch_all_positive(const double *x, size_t n);

/** Compares values of which some are 0 (verdict_zeros.c). interval_alpha: 1 - confidence of the
    interval. room: 2 (a_count + b_count) doubles. */
int tch_row_ask_zeros(struct tch_verdict_row *row, double interval_alpha, double *room,
                      tacho_error *err);

/** Sets the verdict on values of 0 that have no ratio. */
void tch_row_decide_zeros(struct tch_verdict_row *row, double alpha, double interval_alpha);

/** Adds to `why` that values are 0, and what that means for the verdict. */
void tch_row_explain_zeros(struct tch_verdict_row *row);

/** Computes how far each pair of a row is from b = worse * a: as a difference of logarithms, or of
    values, as shares of the largest, if some are 0. Above 0 is worse. e: room for a_count
    doubles. */
void tch_row_differences(const struct tch_verdict_row *row, double worse, double *e);

/** Compares the quantile of b with its maximum. The ratio is the quantile divided by the maximum.
    y: a copy of the n values, which is sorted here. room: 2 n doubles. */
void tch_row_ask_max(struct tch_verdict_row *row, double alpha, double *y, size_t n, double *room);

/** Sets the verdict on a maximum from its adjusted p. family: from tch_family_adjust(). */
void tch_row_decide_max(struct tch_verdict_row *row, double alpha, size_t family);

/** Judges a row of exact counts, without interval, probability or minimum effect. Sets its
    ratio. */
void tch_row_judge_exact(struct tch_verdict_row *row);

/** Returns whether a row looks worse, so that the fresh runs of a gate have to decide about it: it
    FAILs, or it is of pairs and is WARN or has a p of at most TCH_SIGHT_SCREEN. alpha: of the
    report. */
bool tch_row_is_suspect(const struct tch_verdict_row *row, double alpha);

/** Sets p_adjusted and p_worse of all rows from their p and p_more. @return the number of groups,
    or TACHO_ENOMEM */
int tch_family_adjust(struct tch_verdict_row *rows, size_t count, double alpha, tacho_error *err);

#endif
