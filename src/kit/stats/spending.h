/*
 * Looking several times at the same growing data without raising the chance of an error.
 *
 * The looks are planned: look k has the share t of all runs. Up to it an error of g t^2 may be
 * spent in all (K. K. G. Lan and D. L. DeMets, 1983; the power family of K. Kim and D. L. DeMets,
 * 1987). The p of look k is compared with a level that spends just that, given that no look before
 * it crossed its own: sums of scores at the looks are normal with independent increments, and the
 * crossings are integrated look by look (P. Armitage, C. K. McPherson and B. C. Rowe, 1969).
 */
#ifndef TCH_SPENDING_H
#define TCH_SPENDING_H

#include <stddef.h>

enum {
    TCH_LOOKS_MOST = 24,
    TCH_SPENDING_TABLE = 20,
};

/** Levels of one look for errors of 1/2, 1/8, 1/32 … in all. */
struct tch_spending {
    double level[TCH_SPENDING_TABLE];
};

/**
 * Returns the level of look `look` (from 0), one-sided.
 *
 * @param share  of all runs at each look, rising to 1; at most TCH_LOOKS_MOST
 * @param g      the error that all looks may spend, below 1
 */
double tch_spending_level(const double *share, size_t look, double g);

/** Prepares tch_spending_error() for a look. */
void tch_spending_init(struct tch_spending *s, const double *share, size_t look);

/** Returns the smallest error in all with which a p of this look is low enough: p itself where
 * there is one look. */
double tch_spending_error(const struct tch_spending *s, double p);

#endif
