/*
 * The part of the rule of verdict_rule.h that is about maxima: for verdict_rule.c alone.
 */
#ifndef TCH_VERDICT_MAX_H
#define TCH_VERDICT_MAX_H

#include "verdict_rule.h"

/** Fills in what is known of the quantile. y: a copy of b's n values, which is sorted. */
int tch_ask_max(struct tch_verdict_row *row, double alpha, double *y, size_t n);

/** The verdict on it, once p is adjusted. */
void tch_decide_max(struct tch_verdict_row *row, double alpha);

/** How many runs in all would narrow an interval of n runs, from estimate to end, until it ends at
    bound: its width shrinks as the root. 0: too many. */
uint64_t tch_runs_to_settle(size_t n, double estimate, double end, double bound);

#endif
