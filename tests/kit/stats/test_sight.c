/* Smallest visible change of a number of pairs: the cuts of draws against gates that are simulated
   whole. */
#include "support/test.h"

#include <math.h>

#include "kit/stats/flip.h"
#include "kit/stats/random.h"
#include "kit/stats/sight.h"

enum { PAIRS = 400, GATES = 1000 };

static double uniform(uint64_t *seed)
{
    return ((double)(tch_random_bits(seed) >> 11) + 0.5) / 9007199254740992.0;
}

/* Returns the logarithm of a run's time, with noise of 5 % and occasional disturbances of up to 50
   %. */
static double noise(uint64_t *seed)
{
    double r = sqrt(-2 * log(uniform(seed)));
    double normal = r * cos(2 * acos(-1) * uniform(seed));
    double disturbed = uniform(seed) < 0.1 ? 0.5 * uniform(seed) : 0;

    return 0.05 * normal + disturbed;
}

static void measure(uint64_t *seed, double *d, size_t n, double change)
{
    for (size_t i = 0; i < n; i++)
        d[i] = noise(seed) - noise(seed) + log1p(change);
}

static bool says_fail(const double *d, size_t n, double level)
{
    struct tch_flip_tails tails;

    assert_int_equal(tch_flip_test(d, n, &tails, NULL), 0);
    return tails.above <= level;
}

/* Simulates a gate of new runs: interim analyses after 10, 20 and 40 pairs, then a fresh block of
   as many. */
static bool gate_fails(uint64_t *seed, double change)
{
    static const double share[] = {0.25, 0.5, 1};
    static double level[3];
    double d[40];

    for (size_t k = 0; k < 3 && level[2] == 0; k++)
        level[k] = tch_spending_level(share, k, 0.05);
    measure(seed, d, 40, change);
    for (size_t k = 0; k < 3; k++) {
        size_t n = (size_t)(40 * share[k]);

        if (says_fail(d, n, level[k])) {
            measure(seed, d, n, change);
            return says_fail(d, n, 0.05);
        }
    }
    return false;
}

static void the_change_it_names_is_seen_in_nine_of_ten_gates(void **state)
{
    double d[PAIRS];
    uint64_t seed = 7;
    size_t found = 0;
    size_t wrong = 0;
    struct tch_sight s;
    double change;

    (void)state;
    measure(&seed, d, PAIRS, 0);
    assert_int_equal(tch_sight_init(&s, d, PAIRS, 10, 40, 0.05, NULL), 0);
    assert_true(s.analyses == 3);
    change = tch_sight_change(&s, 0.9);
    assert_true(change > 0.02 && change < 0.12);
    for (int i = 0; i < GATES; i++) {
        found += gate_fails(&seed, change);
        wrong += gate_fails(&seed, 0);
    }
    assert_in_range(found, 0.86 * GATES, 0.94 * GATES);
    assert_in_range(wrong, 0, 0.01 * GATES); /* both have to err */
    assert_true(tch_sight_share(&s, 0) == 0);
    assert_true(fabs(tch_sight_share(&s, change) - 0.9) < 0.005);
    tch_sight_release(&s);
}

/* Returns the share of draws that see exactly this change, by the rule of the gate. */
static double share_of(const struct tch_sight *s, double change)
{
    double shift = log1p(change);
    size_t seen = 0;

    for (size_t i = 0; i < TCH_SIGHT_DRAWS; i++)
        for (size_t k = 0; k < s->analyses; k++)
            if (s->cut[i * s->analyses + k] <= shift) { /* the first analysis that FAILs decides */
                seen += s->fresh[i * s->analyses + k] <= shift;
                break;
            }
    return (double)seen / TCH_SIGHT_DRAWS;
}

/* With few different pairs and large outliers the raw shares fall here and there. The curve does
   not, and is the smallest share of all larger changes. */
static void the_curve_never_falls(void **state)
{
    enum { STEPS = 3000 };
    double d[14];
    double raw[STEPS];
    uint64_t seed = 3;
    struct tch_sight s;
    double before = 0;
    double least = 1;
    bool fell = false;

    (void)state;
    measure(&seed, d, 14, 0);
    d[3] = 0.9;
    d[8] = -1.1;
    assert_int_equal(tch_sight_init(&s, d, 14, 10, 40, 0.05, NULL), 0);
    for (int i = 0; i < STEPS; i++) {
        double share = tch_sight_share(&s, 0.0005 * (i + 1));

        raw[i] = share_of(&s, 0.0005 * (i + 1));
        fell |= i > 0 && raw[i] < raw[i - 1];
        assert_true(share >= before && share <= raw[i]);
        before = share;
    }
    assert_true(fell);
    for (int i = STEPS; i-- > 0;) {
        least = fmin(least, raw[i]);
        assert_true(tch_sight_share(&s, 0.0005 * (i + 1)) <= least);
    }
    assert_true(tch_sight_share(&s, 0.0005 * STEPS) == raw[STEPS - 1]);
    tch_sight_release(&s);
}

static void more_pairs_see_smaller_changes(void **state)
{
    double d[PAIRS];
    uint64_t seed = 8;
    double before = INFINITY;

    (void)state;
    measure(&seed, d, PAIRS, 0);
    for (size_t pairs = 10; pairs <= 80; pairs *= 2) {
        struct tch_sight s;
        double change;

        assert_int_equal(tch_sight_init(&s, d, PAIRS, 10, pairs, 0.05, NULL), 0);
        change = tch_sight_change(&s, 0.9);
        assert_true(change < 0.85 * before);
        assert_true(change == tch_sight_change(&s, 0.9));
        before = change;
        tch_sight_release(&s);
    }
}

static void the_same_pairs_give_the_same_cuts(void **state)
{
    double d[30];
    uint64_t seed = 9;
    struct tch_sight s[2];

    (void)state;
    measure(&seed, d, 30, 0);
    for (int i = 0; i < 2; i++)
        assert_int_equal(tch_sight_init(&s[i], d, 30, 10, 40, 0.05, NULL), 0);
    assert_memory_equal(s[0].cut, s[1].cut, 2 * TCH_SIGHT_DRAWS * 3 * sizeof *s[0].cut);
    for (int i = 0; i < 2; i++)
        tch_sight_release(&s[i]);
}

static void without_noise_any_change_is_seen(void **state)
{
    static const double d[20];
    struct tch_sight s;

    (void)state;
    assert_int_equal(tch_sight_init(&s, d, 20, 10, 10, 0.05, NULL), 0);
    assert_true(tch_sight_share(&s, 1e-6) == 1);
    assert_true(tch_sight_share(&s, 0) == 0);
    tch_sight_release(&s);
}

static void too_few_pairs_see_nothing(void **state)
{
    static const double d[] = {0.1, -0.2, 0.05};
    struct tch_sight s;

    (void)state;
    assert_int_equal(tch_sight_init(&s, d, 3, 4, 4, 0.05, NULL), 0);
    assert_true(isinf(tch_sight_change(&s, 0.9)));
    tch_sight_release(&s);
}

static int sight_one(void *arg)
{
    static const double d[5]; /* pairs without noise need one test per cut */
    struct tch_sight s;
    int status = tch_sight_init(&s, d, 5, 6, 6, 0.05, NULL);

    (void)arg;
    tch_sight_release(&s);
    return status;
}

static void survives_failed_allocations(void **state)
{
    (void)state;
    test_every_allocation_fails(sight_one, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_change_it_names_is_seen_in_nine_of_ten_gates),
        cmocka_unit_test(the_curve_never_falls),
        cmocka_unit_test(more_pairs_see_smaller_changes),
        cmocka_unit_test(the_same_pairs_give_the_same_cuts),
        cmocka_unit_test(without_noise_any_change_is_seen),
        cmocka_unit_test(too_few_pairs_see_nothing),
        cmocka_unit_test(survives_failed_allocations),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
