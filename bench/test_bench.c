/* Tests the harness itself: the order of the rounds, quartiles, and contenders that fail. */
#include "support/test.h"

#include "bench.h"
#include "report.h"

static char order[64]; /* the contenders' letters, as they ran */
static int closed;

static void *open_one(void *work, void *arg)
{
    (void)work;
    return arg;
}

static void *open_none(void *work, void *arg)
{
    (void)work;
    (void)arg;
    return NULL;
}

static int note(void *work, void *state)
{
    char *end = (char *)work + strlen(work);

    *end = *(const char *)state;
    return 0;
}

static int wrong(void *work, void *state)
{
    (void)work;
    (void)state;
    return -1;
}

static void close_one(void *state)
{
    assert_non_null(state);
    closed++;
}

static int compare(const struct bench_contender *contenders, size_t count, size_t rounds)
{
    const struct bench_options options = {.rounds = rounds};
    const struct bench_case c = {
        .name = "a test",
        .work = order,
        .bytes = 1,
        .operations = 1,
        .operation = "letter",
        .contenders = contenders,
        .contender_count = count,
    };

    memset(order, 0, sizeof order);
    closed = 0;
    return bench_compare(&c, &options);
}

static void runs_all_in_rotated_order_after_a_warm_up(void **state)
{
    const struct bench_contender contenders[] = {
        {"a", BENCH_FLOOR, NULL, "a", open_one, NULL, NULL, note, close_one, 0},
        {"b", BENCH_OURS, NULL, "b", open_one, NULL, NULL, note, close_one, 0},
        {"c", BENCH_PEER, NULL, "c", NULL, NULL, NULL, note, NULL, 0},
    };

    (void)state;
    assert_int_equal(compare(contenders, 3, 3), 0);
    assert_string_equal(order, "abcbcacababc");
    assert_int_equal(closed, 2);
}

static void calls_what_comes_before_and_after_each_run(void **state)
{
    const struct bench_contender contenders[] = {
        {"a", BENCH_OURS, NULL, "a", open_one, note, note, note, close_one, 0},
        {"b", BENCH_PEER, NULL, "b", open_one, NULL, NULL, note, close_one, 0},
    };

    (void)state;
    assert_int_equal(compare(contenders, 2, 1), 0);
    assert_string_equal(order, "aaabbaaa");
}

static void leaves_out_what_cannot_run(void **state)
{
    const struct bench_contender contenders[] = {
        {"a", BENCH_OURS, NULL, "a", open_one, NULL, NULL, note, close_one, 0},
        {"b", BENCH_PEER, "not installed", "b", open_one, NULL, NULL, NULL, close_one, 0},
    };

    (void)state;
    assert_int_equal(compare(contenders, 2, 1), 0);
    assert_string_equal(order, "aa");
    assert_int_equal(closed, 1);
}

static void stops_at_a_wrong_result(void **state)
{
    const struct bench_contender contenders[] = {
        {"a", BENCH_OURS, NULL, "a", open_one, NULL, NULL, note, close_one, 0},
        {"b", BENCH_PEER, NULL, "b", open_one, NULL, NULL, wrong, close_one, 0},
    };

    (void)state;
    assert_int_equal(compare(contenders, 2, 5), -1);
    assert_string_equal(order, "a");
    assert_int_equal(closed, 2);
}

static void stops_when_one_cannot_be_set_up(void **state)
{
    const struct bench_contender contenders[] = {
        {"a", BENCH_OURS, NULL, "a", open_one, NULL, NULL, note, close_one, 0},
        {"b", BENCH_PEER, NULL, "b", open_none, NULL, NULL, note, close_one, 0},
    };

    (void)state;
    assert_int_equal(compare(contenders, 2, 5), -1);
    assert_string_equal(order, "");
    assert_int_equal(closed, 1);
}

static void interpolates_quartiles(void **state)
{
    const double values[] = {4, 1, 3, 2, 10};
    double scratch[5];
    struct bench_spread five = bench_spread(values, 5, scratch);
    struct bench_spread four = bench_spread(values, 4, scratch);
    struct bench_spread one = bench_spread(values, 1, scratch);

    (void)state;
    assert_true(five.q1 == 2 && five.median == 3 && five.q3 == 4);
    assert_true(four.q1 == 1.75 && four.median == 2.5 && four.q3 == 3.25);
    assert_true(one.q1 == 4 && one.median == 4 && one.q3 == 4);
}

static void takes_its_options_and_leaves_the_rest(void **state)
{
    char *argv[] = {"bench", "--quick", "x", "--rounds", "12", "--json", "y", NULL};
    char *bad[] = {"bench", "--rounds", "0", NULL};
    char *none[] = {"bench", "--rounds", NULL};
    struct bench_options options;
    int argc = 7;

    (void)state;
    assert_int_equal(bench_parse(&argc, argv, &options), 0);
    assert_true(options.quick && options.json && options.rounds == 12);
    assert_int_equal(argc, 3);
    assert_string_equal(argv[1], "x");
    assert_string_equal(argv[2], "y");
    assert_null(argv[3]);
    argc = 3;
    assert_int_equal(bench_parse(&argc, bad, &options), -1);
    argc = 2;
    assert_int_equal(bench_parse(&argc, none, &options), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_all_in_rotated_order_after_a_warm_up),
        cmocka_unit_test(calls_what_comes_before_and_after_each_run),
        cmocka_unit_test(leaves_out_what_cannot_run),
        cmocka_unit_test(stops_at_a_wrong_result),
        cmocka_unit_test(stops_when_one_cannot_be_set_up),
        cmocka_unit_test(interpolates_quartiles),
        cmocka_unit_test(takes_its_options_and_leaves_the_rest),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
