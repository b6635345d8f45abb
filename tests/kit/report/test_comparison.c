/* Tests the comparison of several commands: simulated runs of fixed seeds. */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kit/report/run_comparison.h"
#include "kit/stats/random.h"

enum { COMMANDS = 12, ROUNDS = 20, REPORTS = 200 };

static struct tch_report_run runs[COMMANDS];
static struct tch_result_run made[COMMANDS][ROUNDS];

static double normal(uint64_t *seed)
{
    double u = (double)(tch_random_bits(seed) >> 11) * 0x1p-53;
    double v = (double)(tch_random_bits(seed) >> 11) * 0x1p-53;

    return sqrt(-2 * log(1 - u)) * cos(6.283185307179586 * v);
}

/* Makes interleaved runs of `count` equal programs; command 0 takes `first` times as long. */
static void make(size_t count, double first, uint64_t *seed)
{
    for (size_t c = 0; c < count; c++) {
        struct tch_result *r = &runs[c].result;

        assert_int_equal(tch_result_init(r, NULL), 0);
        r->name = strdup("command");
        assert_non_null(r->name);
        snprintf(r->group, sizeof r->group, "group");
        for (size_t i = 0; i < ROUNDS; i++) {
            double field[TCH_FIELDS] = {0};

            made[c][i] = (struct tch_result_run){.run = i + 1, .pair = i + 1};
            field[TCH_WALL] = 1e6 * (c == 0 ? first : 1) * exp(0.05 * normal(seed));
            assert_int_equal(tch_result_add_run(r, &made[c][i], NULL), 0);
            tch_result_set_fields(r, field);
        }
        assert_int_equal(tch_result_sum(r, NULL), 0);
    }
}

/* Returns how many commands are called slower than the fastest. */
static size_t count_slower(size_t count, double first, uint64_t *seed)
{
    struct tch_comparison c;
    size_t slower = 0;

    make(count, first, seed);
    assert_int_equal(tch_comparison_make(&c, runs, count, NULL), 0);
    for (size_t i = 0; i < count; i++) {
        slower += c.run[i].is == TCH_COMPARED_SLOWER;
        tch_result_release(&runs[i].result);
    }
    return slower;
}

/* The limit is 5 % and three standard errors of 200 reports. */
static void equal_commands_are_not_called_slower(void **state)
{
    static const size_t counts[] = {2, 6, COMMANDS};

    (void)state;
    for (size_t k = 0; k < 3; k++) {
        uint64_t seed = 44 + k;
        size_t wrong = 0;

        for (int i = 0; i < REPORTS; i++)
            wrong += count_slower(counts[k], 1, &seed) > 0;
        printf("%zu equal commands: one is called slower in %zu of %d reports\n", counts[k], wrong,
               REPORTS);
        assert_true(wrong <= 19);
    }
}

static void a_slower_command_is_found(void **state)
{
    uint64_t seed = 7;
    size_t found = 0;

    (void)state;
    for (int i = 0; i < 20; i++)
        found += count_slower(COMMANDS, 1.2, &seed) > 0;
    assert_true(found >= 19);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_commands_are_not_called_slower),
        cmocka_unit_test(a_slower_command_is_found),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
