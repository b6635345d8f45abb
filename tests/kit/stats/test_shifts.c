/* Changes of level in a series: what is found, where, how large, and what is not. */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kit/stats/random.h"
#include "kit/stats/rank_test.h"
#include "kit/stats/shifts.h"
#include "kit/stats/split_test.h"

enum { MOST = 400 };

static double uniform(uint64_t *seed)
{
    return ((double)(tch_random_bits(seed) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(uint64_t *seed)
{
    return sqrt(-2 * log(uniform(seed))) * cos(2 * acos(-1) * uniform(seed));
}

static struct tch_shifts find(const double *y, size_t n, double alpha, double min_change)
{
    struct tch_shift_options options = {.alpha = alpha, .min_change = min_change};
    struct tch_shifts found;
    tacho_error err;

    assert_int_equal(tch_shifts_find(y, n, &options, &found, &err), 0);
    return found;
}

/* Steps up after 40 values and down again after 70, in noise of a fifth of the step. */
static void make_steps(double *y)
{
    uint64_t seed = 5;

    for (size_t i = 0; i < 100; i++)
        y[i] = (i >= 40 && i < 70 ? 1 : 0) + normal(&seed) / 5;
}

static void finds_steps_at_their_places(void **state)
{
    double y[100];
    struct tch_shifts found;

    (void)state;
    make_steps(y);
    found = find(y, 100, 0.01, 0.02);
    assert_int_equal(found.count, 2);
    assert_int_equal(found.items[0].at, 40);
    assert_int_equal(found.items[1].at, 70);
    for (size_t i = 0; i < 2; i++) {
        const struct tch_shift *s = &found.items[i];
        double size = i == 0 ? 1 : -1;

        assert_true(s->first <= s->at && s->at <= s->last && s->last - s->first <= 6);
        assert_true(s->low < size && size < s->high && s->high - s->low < 0.5);
        assert_true(s->p < 1e-9 && fabs(s->after - s->before - size) < 0.2);
    }
    assert_false(found.drift);
    tch_shifts_release(&found);
    found = find(y, 100, 0.01, 1.5);
    assert_int_equal(found.count, 0); /* smaller than what matters */
    tch_shifts_release(&found);
}

static void finds_nothing_where_nothing_can_be_found(void **state)
{
    double same[50] = {0};
    double few[] = {1, 1, 1, 2, 2};
    struct tch_shifts found = find(same, 50, 0.2, 0);

    (void)state;
    assert_int_equal(found.count, 0);
    tch_shifts_release(&found);
    found = find(few, 5, 0.2, 0);
    assert_int_equal(found.count, 0);
    tch_shifts_release(&found);
    found = find(NULL, 0, 0.2, 0);
    assert_int_equal(found.count, 0);
    tch_shifts_release(&found);
}

/* A count that changes by one has no spread at all. */
static void finds_a_change_of_a_count(void **state)
{
    double y[30];
    struct tch_shifts found;

    (void)state;
    for (size_t i = 0; i < 30; i++)
        y[i] = i < 13 ? 12345 : 12346;
    found = find(y, 30, 0.001, 0);
    assert_int_equal(found.count, 1);
    assert_int_equal(found.items[0].at, 13);
    assert_int_equal(found.items[0].first, 13);
    assert_int_equal(found.items[0].last, 13);
    assert_true(found.items[0].low == 1 && found.items[0].high == 1);
    tch_shifts_release(&found);
}

static void calls_a_ramp_a_drift(void **state)
{
    double y[100];
    struct tch_shifts found;
    uint64_t seed = 9;

    (void)state;
    for (size_t i = 0; i < 100; i++)
        y[i] = (double)i / 50 + normal(&seed) / 10;
    found = find(y, 100, 0.01, 0);
    assert_true(found.count > 0 && found.drift);
    tch_shifts_release(&found);
}

/* Five kinds of noise that a rank test must not mind, and one that depends on the value before. */
static double draw(int kind, uint64_t *seed, double *last)
{
    double x = normal(seed);

    switch (kind) {
    case 1:
        return exp(0.8 * x);
    case 2:
        return uniform(seed) < 0.05 ? 10 + 8 * x : x;
    case 3:
        return 0.3 * x + (uniform(seed) < 0.5 ? -1 : 1);
    case 4:
        return rint(1.2 * x);
    case 5:
        return *last = 0.3 * *last + x;
    default:
        return x;
    }
}

/* Finds something in at most 2 of 100 series where 1 is asked for; 400 series allow 12. */
static void seldom_finds_what_is_not_there(void **state)
{
    enum { SERIES = 400, N = 60 };

    (void)state;
    for (int kind = 0; kind < 6; kind++) {
        uint64_t seed = 100 + (uint64_t)kind;
        size_t wrong = 0;

        for (size_t i = 0; i < SERIES; i++) {
            double y[N];
            double last = 0;
            struct tch_shifts found;

            for (size_t j = 0; j < N; j++)
                y[j] = draw(kind, &seed, &last);
            found = find(y, N, 0.01, 0);
            wrong += found.count > 0;
            tch_shifts_release(&found);
        }
        assert_in_range(wrong, 0, 12);
    }
}

/* Ranks n values and sums the ranks of the first ones, doubled. */
static double rank(const double *y, size_t n, size_t before, unsigned *rank2,
                   struct tch_split_ranks *ranks)
{
    double sum2 = 0;

    *ranks = (struct tch_split_ranks){.value = y, .rank2 = rank2, .n = n};
    for (size_t i = 0; i < n; i++) {
        double off;

        rank2[i] = 1;
        for (size_t j = 0; j < n; j++) {
            rank2[i] += y[j] < y[i] ? 2 : y[j] > y[i] ? 0 : 1;
            ranks->tied |= i != j && !(y[j] < y[i]) && !(y[j] > y[i]);
        }
        off = (double)rank2[i] - (double)(n + 1);
        ranks->squares += off * off;
        sum2 += i < before ? rank2[i] : 0;
    }
    return sum2;
}

/* The exact distribution is that of rank_test.c. p is never much smaller. Where two large sides
   differ far out, or ties leave few sums, it may be larger. */
static void p_agrees_with_the_exact_one(void **state)
{
    uint64_t seed = 1;
    size_t compared = 0;
    size_t close = 0;

    (void)state;
    for (int i = 0; i < 300; i++) {
        size_t n = 12 + tch_random_below(&seed, i % 2 ? 50 : 110);
        size_t before = 3 + tch_random_below(&seed, n - 5);
        double levels = i % 3 ? 6 : 1e6; /* with ties in two of three cases */
        double step = 0.15 * (double)(i % 7) * (i % 2 ? 1 : -1);
        double y[MOST];
        unsigned rank2[MOST];
        struct tch_split_ranks ranks;
        struct tch_rank_tails tails;
        double sum2;
        double p;
        double exact;

        for (size_t j = 0; j < n; j++)
            y[j] = floor(levels * (uniform(&seed) + (j >= before ? step : 0)));
        sum2 = rank(y, n, before, rank2, &ranks);
        assert_int_equal(tch_rank_sum_test(y, before, y + before, n - before, NULL, &tails, NULL),
                         0);
        exact = 2 * fmin(tails.above, tails.below);
        p = tch_split_p(&ranks, before, sum2);
        if (exact > 0.05) /* no p of this size decides anything */
            assert_true(p > 0.03);
        else if (tails.exact && exact > 1e-8) {
            assert_true(p > 0.7 * exact && p < 1e-3 + 6 * exact);
            compared++;
            close += p < 1.5 * exact;
        } else if (exact <= 1e-8) {
            assert_true(p < 1e-5);
        }
        assert_true(tch_split_p_quick(&ranks, before, sum2) <= 1);
    }
    assert_true(compared > 50 && close * 5 >= compared * 4);
}

/* The share of series with so small a p rises with p, and inverts the level. */
static void levels_and_shares_agree(void **state)
{
    (void)state;
    for (size_t n = 6; n < 3000; n += n / 3 + 1) {
        double last = 0;

        for (double alpha = 1e-5; alpha < 0.3; alpha *= 1.7) {
            double level = tch_shifts_level(n, alpha);

            assert_true(level >= last && level < alpha);
            last = level;
            if (level > 0)
                assert_true(tch_shifts_chance(n, level) <= alpha * 1.001);
        }
    }
    assert_true(tch_shifts_level(5, 0.2) <= 0 && tch_shifts_chance(100, 0.5) >= 1);
}

static void knows_how_values_depend_on_each_other(void **state)
{
    double y[MOST];
    double last = 0;
    uint64_t seed = 3;

    (void)state;
    for (size_t i = 0; i < MOST; i++)
        y[i] = last = 0.6 * last + normal(&seed);
    assert_true(fabs(tch_shifts_correlation(y, MOST) - 0.6) < 0.2);
    for (size_t i = 0; i < MOST; i++)
        y[i] = normal(&seed) + (i > 200 ? 50 : 0); /* a step does not count as dependence */
    assert_true(tch_shifts_correlation(y, MOST) < 0.1);
}

static void refuses_bad_options(void **state)
{
    struct tch_shift_options options = {.alpha = 0};
    struct tch_shifts found;
    double y[] = {1, 2, 3};
    tacho_error err;

    (void)state;
    assert_int_equal(tch_shifts_find(y, 3, &options, &found, &err), TACHO_EINVAL);
    options.alpha = 0.01;
    assert_int_equal(tch_shifts_find(y, TCH_SHIFT_MOST + 1, &options, &found, &err), TACHO_ELIMIT);
}

static int find_steps(void *arg)
{
    struct tch_shift_options options = {.alpha = 0.01};
    struct tch_shifts found;
    tacho_error err;
    int status = tch_shifts_find(arg, 100, &options, &found, &err);

    tch_shifts_release(&found);
    return status;
}

static void survives_failing_allocations(void **state)
{
    double y[100];

    (void)state;
    make_steps(y);
    test_every_allocation_fails(find_steps, y);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_steps_at_their_places),
        cmocka_unit_test(finds_nothing_where_nothing_can_be_found),
        cmocka_unit_test(finds_a_change_of_a_count),
        cmocka_unit_test(calls_a_ramp_a_drift),
        cmocka_unit_test(seldom_finds_what_is_not_there),
        cmocka_unit_test(p_agrees_with_the_exact_one),
        cmocka_unit_test(levels_and_shares_agree),
        cmocka_unit_test(knows_how_values_depend_on_each_other),
        cmocka_unit_test(refuses_bad_options),
        cmocka_unit_test(survives_failing_allocations),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
