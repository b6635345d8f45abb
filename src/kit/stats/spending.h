/*
 * Interim analyses: how to judge growing data several times without raising the probability of a
 * wrong FAIL.
 *
 * Method: error spending (K. K. G. Lan and D. L. DeMets, 1983) by the power family (K. Kim and D.
 * L. DeMets, 1987). Assumption: the sums of scores at the analyses are normal with independent
 * increments.
 *
 * The analyses are planned: analysis k takes place when the share t of all planned runs has been
 * made. By then an error of g t^2 in total may have been spent. Analysis k compares its p with the
 * level that spends exactly this much, given that no earlier analysis crossed its own level. The
 * crossing probabilities are integrated from one analysis to the next (P. Armitage, C. K. McPherson
 * and B. C. Rowe, 1969).
 */
#ifndef TCH_SPENDING_H
#define TCH_SPENDING_H

#include <stddef.h>

enum {
    TCH_ANALYSES_MAX = 24,
    TCH_SPENDING_TABLE = 20,
};

/** Levels of one analysis for total errors of 1/2, 1/8, 1/32 … */
struct tch_spending {
    double level[TCH_SPENDING_TABLE];
};

/**
 * Returns the one-sided level of analysis number `analysis`, from 0.
 *
 * @param share  share of all planned runs at each analysis, rising to 1; at most TCH_ANALYSES_MAX
 * @param g      error that all analyses together may spend, below 1
 */
double tch_spending_level(const double *share, size_t analysis, double g);

/** Prepares tch_spending_error() for an analysis. */
void tch_spending_init(struct tch_spending *s, const double *share, size_t analysis);

/**
 * Returns the smallest total error g at which p is at most the level of this analysis. With a
 * single analysis that is p itself.
 */
double tch_spending_error(const struct tch_spending *s, double p);

#endif
