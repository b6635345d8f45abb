/*
 * Rows of a report for tests of the rule, over two arrays of values.
 */
#ifndef TEST_JUDGE_ROWS_H
#define TEST_JUDGE_ROWS_H

#include <math.h>

#include "kit/judge/verdict_rule.h"
#include "kit/stats/session.h"
#include "support/test.h"

enum { MOST = 100000 };

static double a[MOST];
static double b[MOST];

/* Fills in values around 100 and 100 * ratio, with the same pattern of noise on both sides,
   shifted. */
static inline void fill(size_t n, double ratio, double noise)
{
    for (size_t i = 0; i < n; i++) {
        a[i] = 100 * (1 + noise * ((double)(i * 7 % 11) / 5 - 1));
        b[i] = 100 * ratio * (1 + noise * ((double)(i * 5 % 13) / 6 - 1));
    }
}

static inline struct tch_verdict_row row_of(size_t n, double tolerance)
{
    return (struct tch_verdict_row){
        .a = a,
        .a_count = n,
        .b = b,
        .b_count = n,
        .paired = true,
        .ask = TCH_ASK_RATIO,
        .budget = {.tolerance = tolerance, .min_effect = 0.02, .max = NAN, .quantile = 0.5},
    };
}

/* Makes a row of the same values, not interleaved: two sessions that differ by 2.6 %. */
static inline struct tch_verdict_row sessions_of(size_t n, double tolerance)
{
    struct tch_verdict_row row = row_of(n, tolerance);

    row.paired = false;
    row.spread = TCH_SESSION_SPREAD;
    return row;
}

static inline enum tch_verdict verdict_of(struct tch_verdict_row *row)
{
    assert_int_equal(tch_judge(row, 1, 0.05, NULL), 0);
    return row->verdict;
}

#endif
