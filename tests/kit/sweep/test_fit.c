/* Tests that fits recover known laws from data with noise and a constant part. */
#include "support/test.h"

#include <math.h>

#include "kit/stats/random.h"
#include "kit/sweep/growth_fit.h"

enum { POINTS = 10 };

/* Makes costs for n of 16 to 8192 in powers of two: a + b f(n), times 1 + up to `noise`. The noise
   is the same every time. */
static void make(double (*f)(double n), double a, double b, double noise, double *n, double *cost)
{
    uint32_t random = 12345;

    for (int i = 0; i < POINTS; i++) {
        random = random * 1664525 + 1013904223;
        n[i] = ldexp(16, i);
        cost[i] = (a + b * f(n[i])) * (1 + noise * ((double)random / UINT32_MAX * 2 - 1));
    }
}

static double f_1(double n)
{
    (void)n;
    return 1;
}

static double f_log(double n)
{
    return log(n);
}

static double f_n(double n)
{
    return n;
}

static double f_nlog(double n)
{
    return n * log(n);
}

static double f_2(double n)
{
    return n * n;
}

static double f_3(double n)
{
    return n * n * n;
}

static double f_1_5(double n)
{
    return pow(n, 1.5);
}

static double (*const laws[TCH_GROWTHS])(double n) = {f_1, f_log, f_n, f_nlog, f_2, f_3};

static void finds_each_law(void **state)
{
    static const double noises[] = {0, 0.01, 0.03};
    static const double constants[] = {
        0, 500}; /* like the start of a program: f(16) is far below it */
    double n[POINTS];
    double cost[POINTS];

    (void)state;
    for (int law = 0; law < TCH_GROWTHS; law++)
        for (size_t i = 0; i < 3; i++)
            for (size_t j = 0; j < 2; j++) {
                struct tch_fit fit;
                double scale = law == TCH_O_LOG ? 200 : 1;

                make(laws[law], constants[j], scale, noises[i], n, cost);
                tch_fit_growth(n, cost, NULL, POINTS, 0.01, &fit);
                if (fit.best != law)
                    fail_msg("%s with noise %g on %g: found %s", tch_growth_names[law], noises[i],
                             constants[j], tch_growth_names[fit.best]);
                assert_true(fit.model[law].open);
                assert_true(fit.model[law].rms < 0.04);
                for (int other = 0; other < TCH_GROWTHS; other++)
                    if (abs(other - law) > 1)
                        assert_false(fit.model[other].open);
            }
}

static void finds_exponents(void **state)
{
    static const struct {
        double (*f)(double n);
        double exponent;
    } known[] = {{f_n, 1}, {f_1_5, 1.5}, {f_2, 2}, {f_3, 3}};
    double n[POINTS];
    double cost[POINTS];

    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        struct tch_fit fit;

        make(known[i].f, 100, 1, 0.02, n, cost);
        tch_fit_growth(n, cost, NULL, POINTS, 0.01, &fit);
        assert_true(fabs(fit.exponent - known[i].exponent) < 0.05);
        assert_true(fit.exponent_low <= known[i].exponent + 1e-9);
        assert_true(fit.exponent_high >= known[i].exponent - 1e-9);
        assert_true(fit.exponent_high - fit.exponent_low < 0.2);
    }
}

static void recovers_the_constants(void **state)
{
    double n[POINTS];
    double cost[POINTS];
    struct tch_fit fit;

    (void)state;
    make(f_n, 700, 3, 0, n, cost);
    tch_fit_growth(n, cost, NULL, POINTS, 0.01, &fit);
    assert_true(fabs(fit.model[TCH_O_N].a - 700) < 1e-6);
    assert_true(fabs(fit.model[TCH_O_N].b - 3) < 1e-9);
    assert_true(fit.model[TCH_O_N].r2 > 1 - 1e-12);
}

/* If the constant part hides the growth, the growth is left open. */
static void leaves_a_hidden_growth_open(void **state)
{
    static const double n[] = {1, 10, 100, 1000};
    static const double cost[] = {1000, 1003, 1008, 1100};
    struct tch_fit fit;

    (void)state;
    tch_fit_growth(n, cost, NULL, 4, 0.01, &fit);
    assert_true(fit.model[TCH_O_N].open && fit.model[TCH_O_NLOG].open && fit.model[TCH_O_N2].open);
    tch_fit_growth(n, cost, NULL, 3, 0.01, &fit);
    assert_int_equal(fit.best, -1);
    tch_fit_growth((const double[]){5, 5, 5, 5, 5}, (const double[]){1, 2, 3, 4, 5}, NULL, 5, 0.01,
                   &fit);
    assert_int_equal(fit.best, -1);
    tch_fit_growth(NULL, NULL, NULL, 0, 0.01, &fit);
    assert_int_equal(fit.best, -1);
}

static void falling_costs_have_no_growth(void **state)
{
    double n[POINTS];
    double cost[POINTS];
    struct tch_fit fit;

    (void)state;
    make(f_n, 100, 1, 0, n, cost);
    for (int i = 0; i < POINTS; i++)
        cost[i] = 1e6 / cost[i];
    tch_fit_growth(n, cost, NULL, POINTS, 0.01, &fit);
    for (int i = 0; i < TCH_GROWTHS; i++)
        assert_true(fit.model[i].a >= 0 && fit.model[i].b >= 0);
    assert_int_equal(fit.best, TCH_O_1);
}

static void reads_expectations(void **state)
{
    static const struct {
        const char *text;
        enum tch_growth growth;
        bool at_most;
    } fine[] = {
        {"n log n", TCH_O_NLOG, false}, {"O(n*log(n))", TCH_O_NLOG, false},
        {"NLOGN", TCH_O_NLOG, false},   {"n^2", TCH_O_N2, false},
        {"<= O(n)", TCH_O_N, true},     {"1", TCH_O_1, false},
        {"O(log n)", TCH_O_LOG, false}, {"<=n^3", TCH_O_N3, true},
    };
    static const char *const bad[] = {"", "n^4", "2^n", "n!", "<=", "n log", "O"};
    struct tch_expect expect;
    tacho_error err;

    (void)state;
    for (size_t i = 0; i < sizeof fine / sizeof fine[0]; i++) {
        assert_int_equal(tch_expect_parse(fine[i].text, &expect, NULL), 0);
        assert_int_equal(expect.growth, fine[i].growth);
        assert_int_equal(expect.at_most, fine[i].at_most);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(tch_expect_parse(bad[i], &expect, &err), TACHO_EINVAL);
        assert_non_null(strstr(err.message, "n log n"));
    }
}

static bool contradicts(const char *text, const struct tch_fit *fit)
{
    struct tch_expect expect;

    assert_int_equal(tch_expect_parse(text, &expect, NULL), 0);
    return tch_fit_contradicts(fit, &expect);
}

static void checks_expectations(void **state)
{
    double n[POINTS];
    double cost[POINTS];
    struct tch_fit fit;

    (void)state;
    make(f_nlog, 300, 2, 0.01, n, cost);
    tch_fit_growth(n, cost, NULL, POINTS, 0.01, &fit);
    assert_false(contradicts("n log n", &fit));
    assert_true(contradicts("n^2", &fit));
    assert_true(contradicts("1", &fit));
    assert_false(contradicts("<= n^2", &fit));
    assert_true(contradicts("<= log n", &fit));
    fit.best = -1; /* too few points contradict nothing */
    assert_false(contradicts("1", &fit));
}

static double normal(uint64_t *seed)
{
    double u = (double)(tch_random_bits(seed) >> 11) * 0x1p-53;
    double v = (double)(tch_random_bits(seed) >> 11) * 0x1p-53;

    return sqrt(-2 * log(1 - u)) * cos(6.283185307179586 * v);
}

/* The interval of the exponent and the growths that are not ruled out say the same. */
static void agrees_with_its_interval(const struct tch_fit *fit)
{
    static const struct {
        enum tch_growth growth;
        double exponent;
    } powers[] = {{TCH_O_N, 1}, {TCH_O_N2, 2}, {TCH_O_N3, 3}};

    if (isnan(fit->exponent))
        return;
    for (size_t i = 0; i < 3; i++)
        if (fit->model[powers[i].growth].open)
            assert_true(fit->exponent_low <= powers[i].exponent &&
                        powers[i].exponent <= fit->exponent_high);
        else
            assert_true(fit->exponent_low > powers[i].exponent ||
                        powers[i].exponent > fit->exponent_high);
    assert_true(fit->exponent_low <= fit->exponent && fit->exponent <= fit->exponent_high);
}

/* Returns how many of 100 noisy series of a law contradict the expectation. claimed: the errors
   that the fit is given. */
static int contradictions(enum tch_growth law, const char *expected, double a, double noise,
                          double claimed)
{
    enum { ROUNDS = 100 };
    uint64_t seed = 7;
    int found = 0;

    for (int round = 0; round < ROUNDS; round++) {
        double n[5];
        double cost[5];
        double error[5];
        struct tch_fit fit;

        for (int i = 0; i < 5; i++) {
            n[i] = ldexp(64, i);
            error[i] = claimed;
            cost[i] = (a + tch_growth_of(law, n[i])) * exp(noise * normal(&seed));
        }
        tch_fit_growth(n, cost, error, 5, 0.05, &fit);
        agrees_with_its_interval(&fit);
        for (int i = 0; i < TCH_GROWTHS; i++)
            assert_true(fit.model[i].r2 >= 0 && fit.model[i].r2 <= 1);
        found += contradicts(expected, &fit);
    }
    return found;
}

/* A true expectation is contradicted in at most 5 % of all sweeps, whatever the noise, and also if
   all errors are five times as large as the fit assumes. A false one is contradicted as soon as the
   noise allows. */
static void expectations_fail_on_evidence_only(void **state)
{
    static const double noises[] = {0.01, 0.05, 0.2};

    (void)state;
    for (size_t i = 0; i < 3; i++)
        for (int law = TCH_O_LOG; law < TCH_GROWTHS; law++)
            for (int constant = 0; constant < 4; constant++) {
                enum tch_growth growth = (enum tch_growth)law;
                double claimed = constant / 2 == 0 ? noises[i] : noises[i] / 5;
                double a = constant % 2 * tch_growth_of(growth, 64) * 3;

                /* 5 is the level; 11 is almost three standard errors above */
                assert_in_range(
                    contradictions(growth, tch_growth_names[law], a, noises[i], claimed), 0, 11);
            }
    assert_true(contradictions(TCH_O_NLOG, "n^2", 0, 0.05, 0.05) == 100);
    assert_true(contradictions(TCH_O_NLOG, "<= log n", 0, 0.05, 0.05) == 100);
    assert_true(contradictions(TCH_O_N, "1", 0, 0.05, 0.05) == 100);
}

/* Two series of 1000 + n with simulated noise, as on a busy machine. A growth is ruled out exactly
   if the interval of the exponent, which is printed beside it, excludes it. */
static void verdict_and_interval_agree(void **state)
{
    static const double n[] = {1000, 2000, 4000, 8000, 16000, 32000};
    static const double small_errors[] = {2.137, 2.889, 5.006, 8.852, 16.62, 35.19};
    static const double large_errors[] = {2.483, 3.342, 4.869, 6.87, 16.61, 39.77};
    static const double error[] = {0.006, 0.006, 0.006, 0.006, 0.006, 0.006};
    static const double nine[] = {0.09, 0.09, 0.09, 0.09, 0.09, 0.09};
    struct tch_fit fit;

    (void)state;
    tch_fit_growth(n, small_errors, error, 6, 0.05, &fit);
    assert_int_equal(fit.best, TCH_O_NLOG);
    assert_false(contradicts("n", &fit)); /* the noise is five times what the errors say */
    assert_true(fit.exponent_low <= 1 && fit.exponent_high < 1.2);
    agrees_with_its_interval(&fit);
    tch_fit_growth(n, large_errors, nine, 6, 0.05, &fit);
    assert_true(contradicts("n^2", &fit) && fit.exponent_high < 2);
    assert_false(contradicts("n", &fit));
    agrees_with_its_interval(&fit);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_each_law),
        cmocka_unit_test(finds_exponents),
        cmocka_unit_test(recovers_the_constants),
        cmocka_unit_test(leaves_a_hidden_growth_open),
        cmocka_unit_test(falling_costs_have_no_growth),
        cmocka_unit_test(reads_expectations),
        cmocka_unit_test(checks_expectations),
        cmocka_unit_test(expectations_fail_on_evidence_only),
        cmocka_unit_test(verdict_and_interval_agree),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
