/* tacho.yaml: accepted settings, inherited defaults, and the position of errors. */
#include "kit/gate/bench_settings.h"

#include <math.h>
#include <string.h>

#include "support/test.h"

static int parse(const char *text, struct tch_settings *s, tacho_error *err)
{
    return tch_settings_parse(s, text, strlen(text), err);
}

static void a_bench_needs_little(void **state)
{
    struct tch_settings s;
    tacho_error err = {0};

    (void)state;
    assert_int_equal(parse("benches:\n- name: a\n  command: ./a 'b c' d\n", &s, &err), 0);
    assert_int_equal(s.count, 1);
    assert_string_equal(s.benches[0].argv[1], "b c");
    assert_null(s.benches[0].argv[3]);
    assert_int_equal(s.benches[0].plan.runs, TCH_GATE_RUNS);
    assert_int_equal(s.benches[0].plan.max_runs, TCH_GATE_MOST);
    assert_int_equal(s.benches[0].budget_count, 2);
    assert_string_equal(s.benches[0].budgets[0].name, "wall");
    assert_true(s.benches[0].budgets[1].budget.tolerance == 0.05);
    assert_true(s.alpha == 0.05);
    assert_true(s.suspicious == 3);
    assert_string_equal(s.baselines, ".tacho/baselines");
    assert_int_equal(s.keep, 10);
    assert_int_equal(s.max_age_ns, 90 * 86400 * UINT64_C(1000000000));
    tch_settings_release(&s);
}

static const char everything[] = "alpha: 1%\n"
                                 "suspicious: 2.5x\n"
                                 "build: make -j\n"
                                 "baseline: {dir: perf, keep: 5, max_age: 7d}\n"
                                 "defaults:\n"
                                 "  runs: 20\n"
                                 "  max_runs: 80\n"
                                 "  warmup: 2\n"
                                 "  timeout: 30s\n"
                                 "  env: {LC_ALL: C}\n"
                                 "  budgets:\n"
                                 "    wall: {tolerance: 5%}\n"
                                 "    memory: {tolerance: 2%, max: 1GiB}\n"
                                 "sweep: {of: another}\n"
                                 "benches:\n"
                                 "- name: one\n"
                                 "  command: [./one, 'x y']\n"
                                 "  cwd: sub\n"
                                 "  work: 200 samples\n"
                                 "  metrics: {tps: '([0-9.]+) t/s', 'all:lat': 'lat ([0-9]+)'}\n"
                                 "  budgets:\n"
                                 "    wall: {max: 50ms, statistic: p95, min_effect: 1%}\n"
                                 "    energy: {tolerance: 10%, max: 5J, required: true}\n"
                                 "    tps: {tolerance: 3%, direction: higher}\n"
                                 "- name: two\n"
                                 "  command: ./two | cat\n"
                                 "  shell: true\n"
                                 "  precision: 1%\n"
                                 "  warmup: 0\n";

static void every_setting_is_read(void **state)
{
    struct tch_settings s;
    struct tch_bench *b;
    tacho_error err = {0};
    char text[sizeof everything + 100];

    (void)state;
    /* A p95 of one value per run cannot have a tolerance, so this bench must not inherit one. */
    assert_int_equal(parse(everything, &s, &err), TACHO_EPARSE);
    assert_non_null(strstr(err.message, "one value per run"));
    tch_settings_release(&s);
    snprintf(text, sizeof text, "%s", everything);
    memcpy(strstr(text, "statistic: p95, "), "statistic: median, min_effect: 1%}\n",
           strlen("statistic: median, min_effect: 1%}\n"));
    snprintf(strstr(text, "min_effect: 1%}\n") + strlen("min_effect: 1%}\n"), 400, "%s",
             strstr(everything, "    energy:"));
    assert_int_equal(parse(text, &s, &err), 0);
    assert_true(s.alpha == 0.01);
    assert_true(s.suspicious == 2.5);
    assert_string_equal(s.build, "make -j");
    assert_string_equal(s.baselines, "perf");
    assert_int_equal(s.keep, 5);
    assert_int_equal(s.max_age_ns, 7 * 86400 * UINT64_C(1000000000));
    b = tch_settings_bench(&s, "one");
    assert_string_equal(b->line, "./one x y");
    assert_string_equal(b->plan.cwd, "sub");
    assert_true(b->plan.work == 200);
    assert_string_equal(b->plan.work_unit, "samples");
    assert_int_equal(b->plan.runs, 20);
    assert_int_equal(b->plan.timeout_ns, 30000000000);
    assert_string_equal(b->plan.env[0], "LC_ALL=C");
    assert_int_equal(b->plan.metric_count, 2);
    assert_true(b->plan.metrics[1].all);
    assert_int_equal(b->budget_count, 4);
    assert_true(b->budgets[0].budget.max == 50e6);
    assert_true(b->budgets[0].budget.tolerance == 0.05); /* from the defaults */
    assert_true(b->budgets[0].budget.min_effect == 0.01);
    assert_true(b->budgets[1].budget.max == 1073741824);
    assert_true(b->budgets[2].required && b->budgets[2].budget.max == 5);
    assert_true(b->budgets[3].budget.higher);
    assert_true(b->budgets[3].budget.min_effect == 0.02);
    b = tch_settings_bench(&s, "two");
    assert_int_equal(b->plan.runs, 0);
    assert_true(b->plan.precision == 0.01);
    assert_int_equal(b->plan.warmup, 0);
    assert_string_equal(b->argv[2], "./two | cat");
    assert_null(tch_settings_bench(&s, "three"));
    tch_settings_release(&s);
}

static void a_small_tolerance_is_the_minimum_effect(void **state)
{
    static const char text[] = "defaults: {budgets: {memory: {tolerance: 1%, min_effect: 3%}}}\n"
                               "benches:\n- name: a\n  command: ./a\n"
                               "  budgets: {wall: {tolerance: 1%}, cpu: {tolerance: 0}}\n";
    struct tch_settings s;
    tacho_error err = {0};

    (void)state;
    assert_int_equal(parse(text, &s, &err), 0);
    assert_true(s.benches[0].budgets[0].budget.min_effect == 0.03);
    assert_true(s.benches[0].budgets[1].budget.min_effect == 0.01);
    assert_true(s.benches[0].budgets[2].budget.min_effect == 0.02);
    tch_settings_release(&s);
}

#define BENCH "benches:\n- name: a\n  command: ./a\n"

static void errors_point_to_line_and_column(void **state)
{
    static const struct {
        const char *text;
        uint64_t line;
        uint64_t column;
        const char *says;
    } cases[] = {
        {"bench: []\n", 1, 8, "'bench' is not a key of tacho.yaml"},
        {"alpha: 60%\n" BENCH, 1, 8, "at most 50%"},
        {"suspicious: 1x\n" BENCH, 1, 13, "a factor above 1"},
        {"suspicious: much\n" BENCH, 1, 13, "a factor above 1"},
        {"benches: []\n", 1, 10, "no list of benches"},
        {"benches: {}\n", 1, 10, "a list"},
        {"defaults: {}\n", 1, 1, "no list of benches"},
        {"defaults: {run: 1}\n" BENCH, 1, 17, "'run' is not a key of the defaults"},
        {"baseline: {keep: 0}\n" BENCH, 1, 11, "'keep'"},
        {BENCH "  run: 3\n", 4, 8, "'run' is not a key of a bench"},
        {BENCH "  runs: 3\n", 4, 9, "at least 6"},
        {BENCH "  runs: 30\n  precision: 1%\n", 5, 14, "cannot combine"},
        {BENCH "  timeout: 5\n", 4, 12, "a duration"},
        {BENCH "  work: much\n", 4, 9, "an amount"},
        {BENCH "  env: {A: [1]}\n", 4, 12, "environment variable"},
        {BENCH "  metrics: {x: '('}\n", 4, 16, "not NAME=REGEX"},
        {BENCH "  metrics: {x: 'y'}\n  budgets: {x: {tolerance: 1%}}\n", 5, 16, "direction"},
        {BENCH "  budgets: {wal: {tolerance: 1%}}\n", 4, 18, "no metric 'wal'"},
        {BENCH "  budgets: {wall: 5%}\n", 4, 19, "must be a map"},
        {BENCH "  budgets: {wall: {tolerence: 5%}}\n", 4, 31, "is not a key of a budget"},
        {BENCH "  budgets: {wall: {required: true}}\n", 4, 19, "a tolerance or a max"},
        {BENCH "  budgets: {wall: {max: 5MiB}}\n", 4, 25, "a duration such as"},
        {BENCH "  budgets: {memory: {max: 5ms}}\n", 4, 27, "a size such as"},
        {BENCH "  budgets: {wall: {max: 0s}}\n", 4, 25, "a duration such as"},
        {BENCH "  budgets: {wall: {max: 1s, direction: up}}\n", 4, 40, "lower or higher"},
        {BENCH "  budgets: {wall: {max: 1s, statistic: p50}}\n", 4, 40, "median, p95 or p99"},
        {BENCH "  budgets: {wall: {max: 1s, equivalent: true}}\n", 4, 19, "needs a tolerance"},
        {BENCH "  budgets: {wall: {max: 1s, equivalent: 5%}}\n", 4, 41, "true or false"},
        {BENCH "  budgets: {memory.kv_cache: {max: 5ms}}\n", 4, 36, "a size such as"},
        {BENCH "  budgets: {stage:a.b_us: {max: 5MB}}\n", 4, 33, "a duration such as"},
        {BENCH "  budgets: {stage:a: {max: 5ms}}\n", 4, 22, "stage:EVENT.STAGE"},
        {BENCH "  budgets: {memory.: {max: 5MB}}\n", 4, 22, "memory.CATEGORY"},
        {BENCH "  budgets: {stage:a.b_calls: {max: 5}}\n", 4, 30, "its 'direction'"},
        {"benches:\n- command: ./a\n", 2, 3, "needs a name"},
        {"benches:\n- name: a/b\n  command: x\n", 2, 9, "is not a valid name of a bench"},
        {"benches:\n- name: a\n", 2, 3, "needs a command"},
        {"benches:\n- name: a\n  command: ./a | b\n", 3, 12, "shell: true"},
        {"benches:\n- name: a\n  command: ''\n", 3, 12, "a text"},
        {BENCH "- name: a\n  command: b\n", 4, 9, "two benches"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tch_settings s;
        tacho_error err = {0};

        if (parse(cases[i].text, &s, &err) != TACHO_EPARSE || err.line != cases[i].line ||
            err.column != cases[i].column || !strstr(err.message, cases[i].says))
            fail_msg("%s: line %llu, column %llu: %s", cases[i].text, (unsigned long long)err.line,
                     (unsigned long long)err.column, err.message);
        tch_settings_release(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bench_needs_little),
        cmocka_unit_test(every_setting_is_read),
        cmocka_unit_test(a_small_tolerance_is_the_minimum_effect),
        cmocka_unit_test(errors_point_to_line_and_column),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
