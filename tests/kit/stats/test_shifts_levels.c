/*
 * Checks the table of shifts_levels.c with series from other seeds, or computes it again:
 *
 *     test_kit_stats_shifts_levels --print
 */
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "kit/stats/random.h"
#include "kit/stats/shifts.h"

enum { LONGEST = 1000 };

/* Values whose ranks are all that matters. */
static double smallest(size_t n, uint64_t *seed)
{
    double y[LONGEST];

    for (size_t i = 0; i < n; i++)
        y[i] = (double)(tch_random_bits(seed) >> 11);
    return tch_shifts_smallest(y, n, 0);
}

static void the_share_is_what_was_asked_for(void **state)
{
    static const size_t lengths[] = {8, 15, 35, 100, 250};
    static const double shares[] = {0.1, 0.05, 0.01};

    (void)state;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        enum { SERIES = 4000 };
        uint64_t seed = 77 + i;
        size_t below[3] = {0};

        for (size_t s = 0; s < SERIES; s++) {
            double p = smallest(lengths[i], &seed);

            for (size_t a = 0; a < 3; a++)
                below[a] += p <= tch_shifts_level(lengths[i], shares[a]);
        }
        for (size_t a = 0; a < 3; a++) {
            double expected = shares[a] * SERIES;

            /* Four standard errors of the count here, and three of that of the table. */
            assert_true((double)below[a] <= expected + 7 * sqrt(expected));
        }
    }
}

static void print_row(size_t n, size_t series)
{
    static const double shares[] = {0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001};
    double *p = malloc(series * sizeof *p);
    uint64_t seed = n * 7919;

    assert_non_null(p);
    for (size_t i = 0; i < series; i++)
        p[i] = smallest(n, &seed);
    tch_sort(p, series);
    printf("    {%zu, {", n);
    for (size_t a = 0; a < sizeof shares / sizeof *shares; a++) {
        size_t at = (size_t)(shares[a] * (double)series);

        /* The largest p that is below the quantile: with few values many series share one p. */
        while (at > 0 && p[at] <= p[at - 1])
            at--;
        if (at > 0)
            printf("%s%.2f", a > 0 ? ", " : "", log10(p[at - 1]));
        else
            printf("%sNONE", a > 0 ? ", " : "");
    }
    printf("}},\n");
    free(p);
}

static void print_table(void)
{
    static const size_t lengths[] = {6,  7,  8,  9,   10,  12,  14,  16,  20,  25,  30,
                                     40, 50, 70, 100, 140, 200, 300, 400, 700, 1000};

    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        size_t n = lengths[i];

        print_row(n, n <= 50    ? 60000
                     : n <= 100 ? 40000
                     : n <= 200 ? 20000
                     : n <= 400 ? 10000
                                : 4000);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_share_is_what_was_asked_for)};

    if (argc == 2 && strcmp(argv[1], "--print") == 0) {
        print_table();
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
