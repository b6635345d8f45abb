/* The dip of known samples, and how often the test is wrong and right. */
#include "support/test.h"

#include <math.h>

#include "base/order.h"
#include "kit/stats/dip.h"
#include "kit/stats/random.h"

enum { MOST = 100 };

static double uniform(uint64_t *seed)
{
    return (double)(tch_random_bits(seed) >> 11) * 0x1p-53;
}

static double normal(uint64_t *seed)
{
    return sqrt(-2 * log(1 - uniform(seed))) * cos(6.283185307179586 * uniform(seed));
}

static double dip_of(const double *x, size_t n)
{
    size_t scratch[2 * MOST];

    return tch_dip(x, n, scratch);
}

static void is_exact_for_small_samples(void **state)
{
    const double one[] = {7};
    const double even[] = {1, 2, 3, 4, 5};
    const double masses[] = {0, 0, 0, 0, 1, 1, 1, 1};
    const double groups[] = {0, 1, 2, 100, 101, 102};
    const double growing[] = {1, 2, 4, 8, 16, 32};

    (void)state;
    assert_true(fabs(dip_of(one, 1) - 1.0 / 2) < 1e-15);
    assert_true(fabs(dip_of(even, 5) - 1.0 / 10) < 1e-15);
    assert_true(fabs(dip_of(growing, 6) - 1.0 / 12) < 1e-15); /* a falling density has one mode */
    assert_true(fabs(dip_of(masses, 8) - 1.0 / 4) < 1e-15);
    /* The best unimodal curve runs between the two groups: 3 - (2 + 1/102) + ... */
    assert_true(dip_of(groups, 6) > 0.2 && dip_of(groups, 6) < 0.25);
}

/* Neither an affine change of the values nor reversing them changes the dip. */
static void depends_on_the_shape_alone(void **state)
{
    uint64_t seed = 3;

    (void)state;
    for (int round = 0; round < 200; round++) {
        size_t n = 2 + tch_random_below(&seed, MOST - 1);
        double x[MOST];
        double turned[MOST];
        double dip;

        for (size_t i = 0; i < n; i++)
            x[i] = normal(&seed);
        tch_sort(x, n);
        for (size_t i = 0; i < n; i++)
            turned[i] = 5 - 3 * x[n - 1 - i];
        dip = dip_of(x, n);
        assert_true(dip >= 1 / (2 * (double)n) - 1e-12 && dip <= 0.25);
        assert_true(fabs(dip - dip_of(turned, n)) < 1e-12);
    }
}

enum noise { UNIFORM, NORMAL, EXPONENTIAL, TIED, MODES };

static double draw(enum noise noise, uint64_t *seed)
{
    switch (noise) {
    case UNIFORM:
        return uniform(seed);
    case NORMAL:
        return normal(seed);
    case EXPONENTIAL:
        return -log(1 - uniform(seed));
    case TIED:
        return rint(exp(0.05 * normal(seed)) / 0.025);
    case MODES:
        return normal(seed) + (tch_random_bits(seed) & 1 ? 10 : 0);
    }
    return 0;
}

/* Returns the percentage of 1,000 samples in which the test finds more than one mode. */
static double found(enum noise noise, size_t n)
{
    uint64_t seed = 17;
    int hits = 0;

    for (int round = 0; round < 1000; round++) {
        double x[MOST];
        bool two;

        for (size_t i = 0; i < n; i++)
            x[i] = draw(noise, &seed);
        tch_sort(x, n);
        assert_int_equal(tch_dip_test(x, n, &two, NULL), 0);
        hits += two;
    }
    return hits / 10.0;
}

static void keeps_its_level(void **state)
{
    static const size_t sizes[] = {10, 20, 35, 100};

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        double level = found(UNIFORM, sizes[i]);

        printf("n = %zu: uniform %.1f %%, two modes %.1f %%\n", sizes[i], level,
               found(MODES, sizes[i]));
        assert_true(level > 3 && level < 7); /* by the critical values; 0.7 is one standard error */
        assert_true(found(NORMAL, sizes[i]) < 3);
        assert_true(found(EXPONENTIAL, sizes[i]) < 3);
        assert_true(found(TIED, sizes[i]) < 3);
    }
    assert_true(found(MODES, 20) > 90);
    assert_true(found(MODES, 100) > 99);
}

static void few_or_equal_values_have_one_mode(void **state)
{
    const double few[] = {0, 0, 0, 0, 9, 9, 9, 9, 9};
    const double equal[12] = {0};
    bool two = true;

    (void)state;
    assert_int_equal(tch_dip_test(few, 9, &two, NULL), 0);
    assert_false(two);
    two = true;
    assert_int_equal(tch_dip_test(equal, 12, &two, NULL), 0);
    assert_false(two);
}

static int test_once(void *arg)
{
    const double x[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    bool two;

    (void)arg;
    return tch_dip_test(x, 12, &two, NULL);
}

static void survives_every_failing_allocation(void **state)
{
    (void)state;
    test_every_allocation_fails(test_once, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_exact_for_small_samples),
        cmocka_unit_test(depends_on_the_shape_alone),
        cmocka_unit_test(keeps_its_level),
        cmocka_unit_test(few_or_equal_values_have_one_mode),
        cmocka_unit_test(survives_every_failing_allocation),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
