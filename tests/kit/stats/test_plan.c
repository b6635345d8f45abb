/* Number of pairs that a comparison needs: the spread against tables, the plan by simulation. */
#include "support/test.h"

#include <math.h>

#include "kit/stats/flip.h"
#include "kit/stats/plan.h"
#include "kit/stats/random.h"

static double normal(uint64_t *seed)
{
    double u = ((double)(tch_random_bits(seed) >> 11) + 0.5) / 9007199254740992.0;
    double v = (double)(tch_random_bits(seed) >> 11) / 9007199254740992.0;

    return sqrt(-2 * log(u)) * cos(2 * acos(-1) * v);
}

/* Draws differences of log-normal runs with noise of 5 %. */
static void draw(uint64_t *seed, double *d, size_t n, double shift)
{
    for (size_t i = 0; i < n; i++)
        d[i] = shift + 0.05 * (normal(seed) - normal(seed));
}

/* The spread and its bound, with chi-square quantiles from tables: 10 % of 1, 4, 6, 9, 29 and 99
   degrees of freedom. */
static void bounds_the_spread(void **state)
{
    static const struct {
        size_t pairs;
        double chi2;
    } table[] = {{2, 0.015791},  {5, 1.063623},   {7, 2.204131},
                 {10, 4.168159}, {30, 19.767744}, {100, 81.449255}};
    double d[100];
    struct tch_pilot pilot;

    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        size_t n = table[i].pairs;
        double sum = 0;
        double squares = 0;

        for (size_t k = 0; k < n; k++) {
            d[k] = 0.01 * (double)(k * k % 17);
            sum += d[k];
            squares += d[k] * d[k];
        }
        squares -= sum * sum / (double)n;
        assert_int_equal(tch_pilot_measure(d, n, &pilot, NULL), 0);
        assert_true(pilot.pairs == n);
        assert_true(fabs(pilot.spread - sqrt(squares / (double)(n - 1))) < 1e-12);
        assert_true(fabs(pilot.most / sqrt(squares / table[i].chi2) - 1) < 2e-5);
    }
}

static void counts_outliers(void **state)
{
    /* Median 3, median distance 2: 13 is at the limit, 13.1 beyond. */
    double d[] = {1, 2, 3, 4, 5, -1, 7, 13, 3};
    struct tch_pilot pilot;

    (void)state;
    assert_int_equal(tch_pilot_measure(d, 9, &pilot, NULL), 0);
    assert_true(pilot.outliers == 0);
    d[7] = 13.1;
    assert_int_equal(tch_pilot_measure(d, 9, &pilot, NULL), 0);
    assert_true(pilot.outliers == 1);
}

static double power_of(size_t n, double effect, uint64_t *seed)
{
    double d[64];
    struct tch_flip_tails tails;
    size_t found = 0;

    for (int i = 0; i < 4000; i++) {
        draw(seed, d, n, log1p(effect));
        assert_int_equal(tch_flip_test(d, n, &tails, NULL), 0);
        found += tails.above <= 0.05;
    }
    return (double)found / 4000;
}

/* Over many pilots of 10 pairs, the plan finds the change as often as was asked for. */
static void is_enough_on_average(void **state)
{
    uint64_t seed = 20261117;
    size_t needed = 12;
    double found = 0;
    double total = 0;

    (void)state;
    while (power_of(needed, 0.05, &seed) < 0.9)
        needed++;
    assert_in_range(needed, 18, 24);
    for (int i = 0; i < 2000; i++) {
        struct tch_flip_tails tails;
        struct tch_pilot pilot;
        double d[200];
        uint64_t pairs;

        draw(&seed, d, 10, 0.3); /* the sides of a pilot may differ */
        assert_int_equal(tch_pilot_measure(d, 10, &pilot, NULL), 0);
        pairs = tch_plan_pairs(&pilot, 0.05, 0.9, 0.05);
        total += (double)pairs / 2000;
        pairs = pairs < 200 ? pairs : 200;
        draw(&seed, d, pairs, log1p(0.05));
        assert_int_equal(tch_flip_test(d, pairs, &tails, NULL), 0);
        found += tails.above <= 0.05;
    }
    assert_in_range(found, 2000 * 85 / 100, 2000 * 95 / 100);
    assert_true(total < 1.6 * (double)needed);
}

static int measure_one(void *arg)
{
    static const double d[] = {0.1, -0.1, 0.2, 0, 0.1};
    struct tch_pilot pilot;

    (void)arg;
    return tch_pilot_measure(d, 5, &pilot, NULL);
}

static void survives_failed_allocations(void **state)
{
    (void)state;
    test_every_allocation_fails(measure_one, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_the_spread),
        cmocka_unit_test(counts_outliers),
        cmocka_unit_test(is_enough_on_average),
        cmocka_unit_test(survives_failed_allocations),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
