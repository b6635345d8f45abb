/* Levels of planned interim analyses, against published and independently integrated ones. */
#include "support/test.h"

#include <math.h>

#include "kit/stats/spending.h"

static const double three[] = {0.25, 0.5, 1};

static bool is_near(double x, double y, double digits)
{
    return fabs(x - y) <= digits * y;
}

static void spends_the_square_of_the_share(void **state)
{
    /* Total errors, then the levels of the analyses after 10, 20 and 40 runs. */
    static const double table[][4] = {{0.05, 0.00312, 0.0107, 0.0442},
                                      {0.0025, 0.000156, 0.000503, 0.00204},
                                      {0.00025, 1.56e-5, 4.90e-5, 0.000197}};

    (void)state;
    for (size_t i = 0; i < 3; i++)
        for (size_t analysis = 0; analysis < 3; analysis++)
            assert_true(is_near(tch_spending_level(three, analysis, table[i][0]),
                                table[i][analysis + 1], 0.004));
}

static void one_analysis_spends_all(void **state)
{
    static const double once[] = {1};
    struct tch_spending s;

    (void)state;
    assert_true(is_near(tch_spending_level(once, 0, 0.05), 0.05, 1e-9));
    tch_spending_init(&s, once, 0);
    for (double p = 1e-14; p < 1; p *= 3)
        assert_true(is_near(tch_spending_error(&s, p), p, 1e-12));
    assert_true(tch_spending_error(&s, 1) == 1 && tch_spending_error(&s, 0) == 0);
}

static void the_error_inverts_the_level(void **state)
{
    struct tch_spending s;

    (void)state;
    for (size_t analysis = 0; analysis < 3; analysis++) {
        tch_spending_init(&s, three, analysis);
        for (double g = 0.3; g > 1e-9; g /= 2.7)
            assert_true(
                is_near(tch_spending_error(&s, tch_spending_level(three, analysis, g)), g, 5e-3));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spends_the_square_of_the_share),
        cmocka_unit_test(one_analysis_spends_all),
        cmocka_unit_test(the_error_inverts_the_level),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
