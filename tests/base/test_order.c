/* Sorting and selecting. */
#include "support/test.h"

#include "base/order.h"

static uint64_t next_random(uint64_t *state)
{
    uint64_t x = *state += 0x9E3779B97F4A7C15u;

    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

enum { MANY = 20000, SOME = 3000, KINDS = 6 };

/* Fills x with orders that are bad for a quicksort: sorted, reversed, equal, few values, a saw,
   random. */
static void fill(double *x, size_t n, int kind)
{
    uint64_t state = 7;

    for (size_t i = 0; i < n; i++) {
        double k = (double)i;

        x[i] = kind == 0   ? k
               : kind == 1 ? -k
               : kind == 2 ? 1
               : kind == 3 ? (double)(i % 3)
               : kind == 4 ? (double)(i < n / 2 ? i : n - i)
                           : (double)(next_random(&state) % 100000) - 50000;
    }
}

static void fill_u64(uint64_t *x, size_t n, int kind)
{
    static double from[MANY];

    fill(from, n, kind);
    for (size_t i = 0; i < n; i++)
        x[i] = (uint64_t)(from[i] + MANY * 5) * (kind == 5 ? 0x100000001u : 1);
}

static void sorts_any_order(void **state)
{
    static double x[MANY];

    (void)state;
    for (int kind = 0; kind < KINDS; kind++)
        for (size_t n = 0; n <= MANY; n = n < 60 ? n + 1 : n * 3) {
            double sum = 0;

            fill(x, n, kind);
            for (size_t i = 0; i < n; i++)
                sum += x[i];
            tch_sort(x, n);
            for (size_t i = 0; i < n; i++) {
                sum -= x[i];
                assert_true(i == 0 || x[i - 1] <= x[i]);
            }
            assert_true(sum == 0); /* exact, because the values are whole numbers */
        }
}

static void sorts_whole_numbers_too(void **state)
{
    static uint64_t x[MANY];
    static uint64_t scratch[MANY];

    (void)state;
    for (int kind = 0; kind < KINDS; kind++)
        for (size_t n = 0; n <= MANY; n = n < 60 ? n + 1 : n * 3) {
            uint64_t sum = 0;

            fill_u64(x, n, kind);
            for (size_t i = 0; i < n; i++)
                sum += x[i];
            tch_sort_u64(x, scratch, n);
            for (size_t i = 0; i < n; i++) {
                sum -= x[i];
                assert_true(i == 0 || x[i - 1] <= x[i]);
            }
            assert_true(sum == 0);
        }
}

static void selects_the_same_value_as_sorting(void **state)
{
    static double x[SOME];
    static double sorted[SOME];

    (void)state;
    for (int kind = 0; kind < KINDS; kind++)
        for (size_t k = 0; k < SOME; k += 113) {
            fill(x, SOME, kind);
            fill(sorted, SOME, kind);
            tch_sort(sorted, SOME);
            assert_true(tch_select(x, SOME, k) == sorted[k]);
            for (size_t i = 0; i < SOME; i++)
                assert_true(i < k ? x[i] <= x[k] : x[i] >= x[k]);
        }
}

static void selects_whole_numbers_too(void **state)
{
    static uint64_t x[SOME];
    static uint64_t sorted[SOME];
    static uint64_t scratch[SOME];

    (void)state;
    for (int kind = 0; kind < KINDS; kind++)
        for (size_t n = 1; n <= SOME; n = n < 60 ? n + 1 : n + 977)
            for (size_t k = 0; k < n; k += 1 + n / 20) {
                fill_u64(x, n, kind);
                fill_u64(sorted, n, kind);
                tch_sort_u64(sorted, scratch, n);
                assert_true(tch_select_u64(x, n, k) == sorted[k]);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sorts_any_order),
        cmocka_unit_test(sorts_whole_numbers_too),
        cmocka_unit_test(selects_the_same_value_as_sorting),
        cmocka_unit_test(selects_whole_numbers_too),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
