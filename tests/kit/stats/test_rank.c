/* The rank-sum test against printed tables, textbook examples, and counting every possibility. */
#include "support/test.h"

#include <math.h>

#include "kit/stats/rank_null.h"
#include "kit/stats/rank_test.h"

static void critical_values_agree_with_printed_tables(void **state)
{
    /* Critical U, two-sided 5 %: Mann and Whitney 1947, Auble 1953. */
    static const size_t table[][3] = {{4, 4, 0},    {5, 5, 2},    {5, 10, 8},   {8, 8, 13},
                                      {10, 10, 23}, {10, 20, 55}, {15, 15, 64}, {20, 20, 127},
                                      {20, 10, 55}, {12, 17, 57}};

    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct tch_rank_null null;
        double level;

        assert_int_equal(tch_rank_sum_null(&null, table[i][0], table[i][1], NULL), 0);
        assert_int_equal(tch_rank_null_cut(&null, 0.05, &level), table[i][2] + 1);
        assert_true(level >= 0.95 && level < 0.98);
        tch_rank_null_release(&null);
    }
}

static void has_no_cut_with_too_few_values(void **state)
{
    struct tch_rank_null null;
    double level = 1;

    (void)state;
    assert_int_equal(tch_rank_sum_null(&null, 3, 3, NULL), 0);
    assert_int_equal(tch_rank_null_cut(&null, 0.05, &level), 0);
    assert_true(level == 0);
    tch_rank_null_release(&null);
}

/*
 * Computes P(U = u) for all m <= most, n <= most by recursion over which sample has the largest
 * value. It is simple, and nothing can cancel. Access: plain(m, n)[u].
 */
enum { MOST = 51, MOST_U = 51 * 51 + 1 };

static double *plain(double *table, size_t m, size_t n)
{
    return table + (m * (MOST + 1) + n) * MOST_U;
}

static double *plain_table(void)
{
    double *table = calloc((size_t)(MOST + 1) * (MOST + 1) * MOST_U, sizeof *table);

    assert_non_null(table);
    for (size_t m = 0; m <= MOST; m++)
        for (size_t n = 0; n <= MOST; n++) {
            double *p = plain(table, m, n);

            if (m == 0 || n == 0) {
                p[0] = 1;
                continue;
            }
            for (size_t u = 0; u <= m * n; u++)
                p[u] = ((double)n * plain(table, m, n - 1)[u] +
                        (u >= n ? (double)m * plain(table, m - 1, n)[u - n] : 0)) /
                       (double)(m + n);
        }
    return table;
}

/* Every size from 4 to 50, at the levels of printed tables. */
static void critical_values_agree_with_counting_up_to_50(void **state)
{
    static const double alphas[] = {0.10, 0.05, 0.02, 0.01};
    double *table = plain_table();

    (void)state;
    for (size_t m = 4; m <= 50; m++)
        for (size_t n = 4; n <= 50; n++) {
            const double *p = plain(table, m, n);
            struct tch_rank_null null;
            double level;

            assert_int_equal(tch_rank_sum_null(&null, m, n, NULL), 0);
            for (size_t i = 0; i < sizeof alphas / sizeof *alphas; i++) {
                double below = 0; /* P(U <= k - 1) */
                size_t k = 0;

                while (2 * (below + p[k]) <= alphas[i])
                    below += p[k++];
                assert_int_equal(tch_rank_null_cut(&null, alphas[i], &level), k);
                assert_true(fabs(level - (k > 0 ? 1 - 2 * below : 0)) < 1e-12);
            }
            tch_rank_null_release(&null);
        }
    free(table);
}

static void loses_nothing_to_cancellation(void **state)
{
    double *table = plain_table();
    struct tch_rank_null null;
    double sum = 0;

    (void)state;
    assert_int_equal(tch_rank_sum_null(&null, 50, 51, NULL), 0);
    for (size_t u = 0; u <= null.last; u++) {
        sum += plain(table, 50, 51)[u];
        assert_true(fabs(null.below[u] / sum - 1) < 1e-12);
    }
    tch_rank_null_release(&null);
    free(table);
}

static void is_accurate_at_the_largest_exact_size(void **state)
{
    struct tch_rank_null null;

    (void)state;
    assert_int_equal(tch_rank_sum_null(&null, TCH_RANK_EXACT / 2, TCH_RANK_EXACT / 2, NULL), 0);
    for (size_t u = 1; u <= null.last; u++)
        assert_true(null.below[u] >= null.below[u - 1]);
    assert_true(fabs(null.below[null.last] - 0.5) < 1e-3);
    assert_true(fabs(tch_rank_null_above(&null, null.largest / 2 + 1.96 * null.sd) - 0.025) < 1e-3);
    tch_rank_null_release(&null);
}

static void changes_to_the_normal_approximation_without_a_jump(void **state)
{
    struct tch_rank_null exact;
    struct tch_rank_null normal;
    double level;

    (void)state;
    assert_int_equal(tch_rank_sum_null(&exact, TCH_RANK_EXACT / 2, TCH_RANK_EXACT / 2, NULL), 0);
    normal = exact;
    normal.below = NULL;
    for (double z = -4; z <= 4; z += 0.25) {
        double t = floor(exact.largest / 2 + z * exact.sd);

        assert_true(fabs(tch_rank_null_above(&exact, t) - tch_rank_null_above(&normal, t)) < 3e-4);
    }
    assert_true(llabs((long long)tch_rank_null_cut(&exact, 0.05, &level) -
                      (long long)tch_rank_null_cut(&normal, 0.05, &level)) <= 10);
    tch_rank_null_release(&exact);
}

/* Hollander and Wolfe 1973, page 69: permeability of a membrane. */
static void agrees_with_a_textbook_on_two_samples(void **state)
{
    static const double x[] = {0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46};
    static const double y[] = {1.15, 0.88, 0.90, 0.74, 1.21};
    struct tch_rank_tails tails;

    (void)state;
    assert_int_equal(tch_rank_sum_test(y, 5, x, 10, NULL, &tails, NULL), 0);
    assert_true(fabs(tails.above - 0.12720613) < 1e-7); /* W = 35 */
}

/* Returns twice the mean rank of value v among x. */
static long rank2(const double *x, size_t n, double v)
{
    long below = 0;
    long same = 0;

    for (size_t i = 0; i < n; i++) {
        below += x[i] < v;
        same += x[i] == v;
    }
    return 2 * below + same + 1;
}

static unsigned bit_count(unsigned x)
{
    return (unsigned)__builtin_popcount(x);
}

static void agrees_with_trying_all_draws_of_tied_samples(void **state)
{
    static const double all[] = {1, 1, 2, 2, 2, 3, 4, 4, 5};
    const unsigned sets = 1u << 9;

    (void)state;
    for (unsigned chosen = 0; chosen < sets; chosen++) {
        double a[9];
        double b[9];
        size_t m = 0;
        size_t n = 0;
        long w = 0;
        double above = 0;
        double below = 0;
        double count = 0;
        struct tch_rank_tails tails;

        for (unsigned i = 0; i < 9; i++) {
            if (chosen >> i & 1) {
                b[n++] = all[i];
                w += rank2(all, 9, all[i]);
            } else {
                a[m++] = all[i];
            }
        }
        if (m == 0 || n == 0)
            continue;
        for (unsigned set = 0; set < sets; set++) {
            long v = 0;

            if (bit_count(set) != n)
                continue;
            for (unsigned i = 0; i < 9; i++)
                v += set >> i & 1 ? rank2(all, 9, all[i]) : 0;
            count++;
            above += v >= w;
            below += v <= w;
        }
        assert_int_equal(tch_rank_sum_test(a, m, b, n, NULL, &tails, NULL), 0);
        assert_true(fabs(tails.above - above / count) < 1e-12);
        assert_true(fabs(tails.below - below / count) < 1e-12);
    }
}

/*
 * Counts ties at sizes too large to enumerate: for each group of equal values, how many are drawn,
 * in binomially many ways. ways[k][s]: k drawn so far, with the doubled rank sum s.
 */
static void tied_by_groups(const size_t *group, size_t groups, size_t n, long w, double *above,
                           double *below)
{
    enum { DRAWN = 51, SUMS = 50 * 201 };
    double *ways = calloc((size_t)DRAWN * SUMS, sizeof *ways);
    double *next = calloc((size_t)DRAWN * SUMS, sizeof *next);
    size_t before = 0;
    double all = 0;

    assert_true(ways && next);
    ways[0] = 1;
    for (size_t g = 0; g < groups; g++) {
        size_t rank = 2 * before + group[g] + 1;

        memset(next, 0, (size_t)DRAWN * SUMS * sizeof *next);
        for (size_t k = 0; k <= n; k++)
            for (size_t s = 0; s < SUMS; s++) {
                double choose = ways[k * SUMS + s];

                for (size_t c = 0; choose > 0 && c <= group[g] && k + c <= n; c++) {
                    next[(k + c) * SUMS + s + c * rank] += choose;
                    choose *= (double)(group[g] - c) / (double)(c + 1);
                }
            }
        memcpy(ways, next, (size_t)DRAWN * SUMS * sizeof *ways);
        before += group[g];
    }
    *above = *below = 0;
    for (size_t s = 0; s < SUMS; s++) {
        all += ways[n * SUMS + s];
        *above += (long)s >= w ? ways[n * SUMS + s] : 0;
        *below += (long)s <= w ? ways[n * SUMS + s] : 0;
    }
    *above /= all;
    *below /= all;
    free(ways);
    free(next);
}

static void counts_tied_samples_up_to_50(void **state)
{
    static const size_t sizes[][2] = {{4, 4},   {6, 9},   {10, 10}, {20, 20},
                                      {13, 31}, {35, 50}, {50, 50}};

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        size_t m = sizes[i][0];
        size_t n = sizes[i][1];
        double a[50];
        double b[50];
        double both[100];
        size_t group[11] = {0};
        double above;
        double below;
        long w = 0;
        struct tch_rank_tails tails;

        for (size_t j = 0; j < m; j++)
            group[(size_t)(both[j] = a[j] = (double)(j * j % 10))]++;
        for (size_t j = 0; j < n; j++)
            group[(size_t)(both[m + j] = b[j] = (double)(j * j % 10 + (j % 4 == 0)))]++;
        for (size_t j = 0; j < n; j++)
            w += rank2(both, m + n, b[j]);
        tied_by_groups(group, 11, n, w, &above, &below);
        assert_int_equal(tch_rank_sum_test(a, m, b, n, NULL, &tails, NULL), 0);
        assert_true(tails.exact);
        assert_true(fabs(tails.above - above) < 1e-10);
        assert_true(fabs(tails.below - below) < 1e-10);
    }
}

static void equal_values_are_no_evidence(void **state)
{
    static const double same[] = {3, 3, 3, 3, 3, 3};
    struct tch_rank_tails tails;

    (void)state;
    assert_int_equal(tch_rank_sum_test(same, 6, same, 6, NULL, &tails, NULL), 0);
    assert_true(fabs(tails.above - 1) < 1e-12 && fabs(tails.below - 1) < 1e-12);
}

/* Many ties among many values: the approximation agrees with the count just below the limit. */
static void approximates_many_ties_well(void **state)
{
    static double a[600];
    static double b[600];
    struct tch_rank_tails few;
    struct tch_rank_tails many;

    (void)state;
    for (size_t i = 0; i < 600; i++) {
        a[i] = (double)(i % 7);
        b[i] = (double)(i % 7) + (i % 6 == 0);
    }
    assert_int_equal(tch_rank_sum_test(a, 42, b, 42, NULL, &few, NULL), 0);
    assert_true(few.exact);
    assert_true(fabs(few.above + few.below - 1) < 0.05);
    assert_int_equal(tch_rank_sum_test(a, 600, b, 600, NULL, &many, NULL), 0);
    assert_false(many.exact);
    assert_true(many.above < 0.1 && many.above > 0.001);
    assert_int_equal(tch_rank_sum_test(b, 600, a, 600, NULL, &few, NULL), 0);
    assert_true(fabs(few.below - many.above) < 1e-12);
}

static void steps_down_as_holm_does(void **state)
{
    double p[] = {0.01, 0.04, 0.03, 0.005};
    double adjusted[4];
    tacho_error err;

    (void)state;
    assert_int_equal(tch_adjust_holm(p, 4, adjusted, NULL), 0);
    assert_true(fabs(adjusted[0] - 0.03) < 1e-15);
    assert_true(fabs(adjusted[1] - 0.06) < 1e-15);
    assert_true(fabs(adjusted[2] - 0.06) < 1e-15);
    assert_true(fabs(adjusted[3] - 0.02) < 1e-15);
    assert_int_equal(tch_adjust_holm(p, 4, p, NULL), 0); /* in place */
    assert_memory_equal(p, adjusted, sizeof p);
    assert_int_equal(tch_adjust_holm(NULL, 0, NULL, NULL), 0);
    p[2] = NAN;
    assert_int_equal(tch_adjust_holm(p, 4, p, &err), TACHO_EINVAL);
    assert_string_equal(err.message, "p-value 3 is not between 0 and 1");
}

/* Groups of one give Holm's procedure. A larger group counts once, and passes its share on when all
   of it is rejected. */
static void steps_down_over_groups(void **state)
{
    static const double p[] = {0.005, 0.01, 0.03, 0.04};
    static const uint32_t alone[] = {0, 1, 2, 3};
    static const uint32_t pairs[] = {0, 0, 1, 1};
    double plain[4];
    double adjusted[4];

    (void)state;
    assert_int_equal(tch_adjust_holm(p, 4, plain, NULL), 0);
    assert_int_equal(tch_adjust_holm_groups(p, alone, 4, adjusted, NULL), 0);
    for (int i = 0; i < 4; i++)
        assert_true(fabs(adjusted[i] - plain[i]) < 1e-15);
    assert_int_equal(tch_adjust_holm_groups(p, pairs, 4, adjusted, NULL), 0);
    assert_true(fabs(adjusted[0] - 0.01) < 1e-15 && fabs(adjusted[1] - 0.02) < 1e-15);
    assert_true(fabs(adjusted[2] - 0.03) < 1e-15 && fabs(adjusted[3] - 0.04) < 1e-15);
    assert_int_equal(tch_adjust_holm_groups(NULL, NULL, 0, NULL, NULL), 0);
}

static void knows_the_smallest_p(void **state)
{
    (void)state;
    assert_true(fabs(tch_rank_sum_least(4, 4) - 1.0 / 70) < 1e-15);
}

static int test_once(void *arg)
{
    static const double a[] = {1, 2, 2, 3};
    static const double b[] = {2, 3, 4, 5};
    struct tch_rank_tails tails;

    (void)arg;
    return tch_rank_sum_test(a, 4, b, 4, NULL, &tails, NULL);
}

static void survives_every_failing_allocation(void **state)
{
    (void)state;
    test_every_allocation_fails(test_once, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(critical_values_agree_with_printed_tables),
        cmocka_unit_test(critical_values_agree_with_counting_up_to_50),
        cmocka_unit_test(has_no_cut_with_too_few_values),
        cmocka_unit_test(loses_nothing_to_cancellation),
        cmocka_unit_test(is_accurate_at_the_largest_exact_size),
        cmocka_unit_test(changes_to_the_normal_approximation_without_a_jump),
        cmocka_unit_test(agrees_with_a_textbook_on_two_samples),
        cmocka_unit_test(agrees_with_trying_all_draws_of_tied_samples),
        cmocka_unit_test(counts_tied_samples_up_to_50),
        cmocka_unit_test(equal_values_are_no_evidence),
        cmocka_unit_test(approximates_many_ties_well),
        cmocka_unit_test(steps_down_as_holm_does),
        cmocka_unit_test(steps_down_over_groups),
        cmocka_unit_test(knows_the_smallest_p),
        cmocka_unit_test(survives_every_failing_allocation),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
