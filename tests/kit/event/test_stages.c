/* Tests of stages: names, nesting, counts, percentiles, merging, comparing. */
#include "support/test.h"

#include <math.h>

#include "base/buf.h"
#include "kit/event/event_compare.h"
#include "kit/event/event_settings.h"
#include "kit/event/event_stages_sum.h"
#include "kit/stats/random.h"
#include "lib/event/sample.h"

static struct tch_stages stages;

static int setup(void **state)
{
    (void)state;
    tch_stages_init(&stages, NULL, NULL);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    tch_stages_release(&stages);
    return 0;
}

static int add_to(struct tch_stages *to, const char *text)
{
    tacho_event_view event = TACHO_EVENT_VIEW_INIT;

    assert_int_equal(tacho_event_parse(text, strlen(text), &event, NULL), 0);
    return tch_stages_add(to, &event, NULL);
}

static void add(const char *text)
{
    assert_int_equal(add_to(&stages, text), 0);
}

static struct tch_stage *stage_of(struct tch_stages *in, size_t group, const char *name)
{
    struct tch_stage_group *g = &in->groups[group];

    for (size_t i = 0; i < g->count; i++)
        if (strcmp(g->stages[i].name, name) == 0)
            return &g->stages[i];
    fail_msg("no stage '%s'", name);
    return NULL;
}

static void separates_stages_by_event_and_nested_name(void **state)
{
    (void)state;
    add(EVENT_OF("a", "{}", "{\"x\":1,\"m\":{\"q\":{\"k_us\":2,\"k_calls\":3},\"r\":4}}", "{}"));
    add(EVENT_OF("a", "{}", "{\"m\":{\"q\":{\"k_us\":6}},\"x\":0.5,\"s\":\"text\",\"l\":[1]}",
                 "{}"));
    add(EVENT_OF("b", "{}", "{\"x\":100}", "{}"));
    assert_int_equal(stages.count, 2);
    tch_stages_sort(&stages);
    assert_string_equal(stages.groups[0].event, "b"); /* the most expensive */
    assert_int_equal(stages.groups[1].events, 2);
    assert_int_equal(stages.groups[1].passed_over, 2);
    assert_int_equal(stage_of(&stages, 1, "m.q.k_us")->count, 2);
    assert_true(tch_stage_total(stage_of(&stages, 1, "m.q.k_us")) == 8);
    assert_true(tch_stage_total(stage_of(&stages, 1, "x")) == 1.5);
    assert_true(stage_of(&stages, 1, "m.q.k_calls")->is_count);
    assert_false(stage_of(&stages, 1, "m.q.k_us")->is_count);
    assert_string_equal(stages.groups[1].stages[0].name, "m.q.k_us");
}

static void the_last_of_two_values_of_a_stage_counts(void **state)
{
    (void)state;
    add(EVENT_OF("a", "{}", "{\"x\":1,\"y\":5,\"x\":2}", "{}"));
    assert_int_equal(stage_of(&stages, 0, "x")->count, 1);
    assert_true(tch_stage_total(stage_of(&stages, 0, "x")) == 2);
}

static void the_total_is_the_stage_of_that_name_or_the_sum(void **state)
{
    bool is_stage;

    (void)state;
    add(EVENT_OF("a", "{}", "{\"total\":10,\"x\":4,\"y\":5}", "{}"));
    add(EVENT_OF("b", "{}", "{\"x\":4,\"y\":5,\"n_calls\":99,\"in\":{\"z\":100}}", "{}"));
    assert_true(tch_stage_group_total(&stages.groups[0], &is_stage) == 10);
    assert_true(is_stage);
    assert_true(tch_stage_group_total(&stages.groups[1], &is_stage) == 9);
    assert_false(is_stage);
}

static void one_event_or_one_key_of_shape_can_be_chosen(void **state)
{
    (void)state;
    stages.only = "a";
    stages.by = "batch";
    add(EVENT_OF("a", "{\"batch\":1}", "{\"x\":1}", "{}"));
    add(EVENT_OF("a", "{\"batch\":\"one\"}", "{\"x\":1}", "{}"));
    add(EVENT_OF("a", "{\"batch\":8,\"batch\":1}", "{\"x\":1}", "{}"));
    add(EVENT_OF("a", "{}", "{\"x\":1}", "{}"));
    add(EVENT_OF("b", "{\"batch\":1}", "{\"x\":1}", "{}"));
    assert_int_equal(stages.count, 3);
    assert_string_equal(stages.groups[0].by, "1");
    assert_int_equal(stages.groups[0].events, 2);
    assert_string_equal(stages.groups[1].by, "one");
    assert_string_equal(stages.groups[2].by, "");
}

static void add_values(struct tch_stages *to, unsigned from, unsigned count)
{
    for (unsigned i = from; i < from + count; i++) {
        char text[400];

        snprintf(text, sizeof text, EVENT_OF("a", "{}", "{\"x\":%u.25}", "{}"), i);
        assert_int_equal(add_to(to, text), 0);
    }
}

static void percentiles_are_exact_while_values_are_few(void **state)
{
    struct tch_stage_summary sum;

    (void)state;
    add_values(&stages, 1, 100);
    tch_stage_summarise(stage_of(&stages, 0, "x"), &sum);
    assert_true(sum.exact);
    assert_true(sum.p50 == 50.75 && sum.p95 == 95.25 && sum.p99 == 99.25 && sum.max == 100.25);
    assert_true(sum.mean == 50.75);
}

/* The result does not depend on which reader read which event, exact or not. */
static void merging_gives_the_result_of_one_reader(void **state)
{
    enum { MANY = TCH_STAGE_EXACT + 5000 };
    struct tch_stages parts[2];
    struct tch_stage_summary whole;
    struct tch_stage_summary merged;

    (void)state;
    for (unsigned many = 1000; many <= MANY; many += MANY - 1000) {
        teardown(NULL);
        setup(NULL);
        add_values(&stages, 1, many);
        for (int i = 0; i < 2; i++)
            tch_stages_init(&parts[i], NULL, NULL);
        add_values(&parts[0], 1 + many / 3, many - many / 3);
        add_values(&parts[1], 1, many / 3);
        assert_int_equal(tch_stages_merge(&parts[0], &parts[1], NULL), 0);
        tch_stage_summarise(stage_of(&stages, 0, "x"), &whole);
        tch_stage_summarise(stage_of(&parts[0], 0, "x"), &merged);
        assert_int_equal(whole.exact, many <= TCH_STAGE_EXACT);
        assert_int_equal(merged.exact, whole.exact);
        assert_true(merged.total == whole.total && merged.p50 == whole.p50 &&
                    merged.p95 == whole.p95 && merged.p99 == whole.p99 && merged.max == whole.max);
        assert_true(fabs(whole.p95 / (0.95 * many) - 1) < 0.005);
        for (int i = 0; i < 2; i++)
            tch_stages_release(&parts[i]);
    }
}

static void stages_beyond_the_limit_are_counted(void **state)
{
    (void)state;
    for (int i = 0; i < TCH_STAGES_MOST + 10; i++) {
        char text[400];

        snprintf(text, sizeof text, EVENT_OF("a", "{}", "{\"s%d\":1}", "{}"), i);
        add(text);
    }
    assert_int_equal(stages.groups[0].count, TCH_STAGES_MOST);
    assert_int_equal(stages.left_out, 10);
}

/* --- comparing --- */

static struct tch_event_side sides[2];

static void add_side(size_t side, const char *text)
{
    tacho_event_view event = TACHO_EVENT_VIEW_INIT;

    assert_int_equal(tacho_event_parse(text, strlen(text), &event, NULL), 0);
    assert_int_equal(tch_event_side_add(&sides[side], &event, NULL), 0);
}

static void note_setting(void *ctx, const char *name, const char *a, const char *b)
{
    tch_buf_addf(ctx, "%s %s %s\n", name, a ? a : "-", b ? b : "-");
}

static void names_the_settings_that_differ(void **state)
{
    struct tch_buf b;

    (void)state;
    tch_buf_init(&b, 10000);
    for (size_t i = 0; i < 2; i++)
        tch_event_side_init(&sides[i], NULL, NULL);
    add_side(0, EVENT_OF("e", "{}", "{}",
                         "{\"same\":1.0,\"n\":{\"x\":1,\"gone\":2},\"l\":[1,{\"k\":2}],\"e\":{}}"));
    add_side(1, EVENT_OF("e", "{}", "{}",
                         "{\"l\":[1,{\"k\":3},4],\"n\":{\"x\":true},\"same\":1e0,\"e\":{}}"));
    assert_int_equal(tch_compare_settings(&sides[0], &sides[1], note_setting, &b, NULL), 0);
    assert_string_equal(b.data, "runtime_flags.l[1].k 2 3\n"
                                "runtime_flags.l[2] - 4\n"
                                "runtime_flags.n.gone 2 -\n"
                                "runtime_flags.n.x 1 true\n");
    for (size_t i = 0; i < 2; i++)
        tch_event_side_release(&sides[i]);
    tch_buf_release(&b);
}

static void finds_slower_stages_and_only_those(void **state)
{
    struct tch_event_comparison c;

    (void)state;
    for (size_t i = 0; i < 2; i++)
        tch_event_side_init(&sides[i], NULL, NULL);
    for (unsigned i = 0; i < 40; i++) {
        char text[400];
        unsigned noise = i * 17 % 40; /* large differences between neighbours */

        for (size_t side = 0; side < 2; side++) {
            snprintf(
                text, sizeof text,
                EVENT_OF("e", "{}", "{\"slow\":%u,\"same\":%u,\"zero\":%u,\"only%zu\":1}", "{}"),
                (side ? 1200 : 1000) + noise, 500 + (noise + (side ? 13 : 0)) % 40,
                i % 2 ? 0 : noise, side);
            add_side(side, text);
        }
    }
    assert_int_equal(tch_compare_stages(&sides[0], &sides[1], &c, NULL), 0);
    assert_int_equal(c.count, 3); /* stages that both have */
    assert_string_equal(c.pairs[0].a->name, "slow");
    assert_true(c.pairs[0].has_ratio && c.pairs[0].p_adjusted < 0.01);
    assert_true(c.pairs[0].ratio.low > 1.1 && c.pairs[0].ratio.high < 1.3);
    assert_string_equal(tch_stage_verdict(&c.pairs[0]), "slower");
    assert_string_equal(c.pairs[1].a->name, "same");
    assert_true(c.pairs[1].p_adjusted > 0.05);
    assert_true(c.pairs[1].ratio.low <= 1 && c.pairs[1].ratio.high >= 1);
    assert_string_equal(c.pairs[2].a->name, "zero");
    assert_false(c.pairs[2].has_ratio);
    assert_true(c.pairs[2].p_adjusted == 1);
    assert_int_equal(c.tested, 2);
    assert_true(c.pairs[0].effect == 1 && c.pairs[1].effect == 0.5 && c.pairs[2].effect == 0.5);
    tch_event_comparison_release(&c);
    for (size_t i = 0; i < 2; i++)
        tch_event_side_release(&sides[i]);
}

/* --- memory --- */

/* The medians are 8 and 245, but most ratios are below 1: the effect shows what the ratio does not.
   If there are more values than are kept, the first ones count, which are not in order. */
static void says_how_often_b_is_above_a(void **state)
{
    static const unsigned a[] = {300, 8, 300, 8, 8, 8, 300, 8, 300, 300, 8};
    static const unsigned b[] = {6, 245, 6, 245, 245, 8, 6, 245, 245, 6, 245};
    struct tch_event_comparison c;
    char text[400];

    (void)state;
    for (size_t i = 0; i < 2; i++)
        tch_event_side_init(&sides[i], NULL, NULL);
    for (unsigned i = 0; i < TCH_STAGE_EXACT + 100; i++)
        for (size_t side = 0; side < 2; side++) {
            unsigned value = i < 11 ? (side ? b : a)[i] : 1000 + (unsigned)side - i % 3;

            snprintf(text, sizeof text, EVENT_OF("%s", "{}", "{\"t\":%u}", "{}"),
                     i < 11 ? "few" : "many", value);
            add_side(side, text);
        }
    assert_int_equal(tch_compare_stages(&sides[0], &sides[1], &c, NULL), 0);
    assert_int_equal(c.count, 2);
    assert_string_equal(c.pairs[1].a_group->event, "few");
    assert_true(c.pairs[1].ratio.estimate < 1 && c.pairs[1].b_median > 20 * c.pairs[1].a_median);
    /* 6 of 245 and 8 against 6 of 8: 36 and 3 of 121. */
    assert_true(fabs(c.pairs[1].effect - 39.0 / 121) < 1e-12);
    assert_non_null(c.pairs[0].a->histogram);
    assert_true(fabs(c.pairs[0].effect - 7.0 / 9) < 1e-4);
    tch_event_comparison_release(&c);
    for (size_t i = 0; i < 2; i++)
        tch_event_side_release(&sides[i]);
}

static double normal(uint64_t *seed)
{
    double u = ((double)(tch_random_bits(seed) >> 11) + 0.5) / 9007199254740992.0;
    double v = (double)(tch_random_bits(seed) >> 11) / 9007199254740992.0;

    return sqrt(-2 * log(u)) * cos(2 * acos(-1) * v);
}

/* Adds the events of one run. They share an offset, so that two runs differ by 2.3 %, and have
   noise of 5 %, half of which carries over from the previous event. */
static void add_run(size_t side, uint64_t *seed)
{
    double offset = 0.023 / sqrt(2) * normal(seed);
    double noise = 0.05 * normal(seed);

    tch_event_side_init(&sides[side], NULL, NULL);
    for (int i = 0; i < 100; i++) {
        char text[400];

        noise = noise / 2 + 0.05 * sqrt(0.75) * normal(seed);
        snprintf(text, sizeof text, EVENT_OF("e", "{}", "{\"t\":%.6f}", "{}"),
                 1000 * exp(offset + noise));
        add_side(side, text);
    }
}

/* If events were treated as independent runs, an unchanged program would differ in more than half
   of these comparisons. */
static void events_of_a_run_are_not_independent_runs(void **state)
{
    uint64_t seed = 32;
    int wrong = 0;

    (void)state;
    for (int i = 0; i < 400; i++) {
        struct tch_event_comparison c;

        for (size_t side = 0; side < 2; side++)
            add_run(side, &seed);
        assert_int_equal(tch_compare_stages(&sides[0], &sides[1], &c, NULL), 0);
        wrong += strcmp(tch_stage_verdict(&c.pairs[0]), "cannot tell") != 0;
        tch_event_comparison_release(&c);
        for (size_t side = 0; side < 2; side++)
            tch_event_side_release(&sides[side]);
    }
    assert_in_range(wrong, 0, 20);
}

static int add_and_compare(void *arg)
{
    static const char text[] =
        EVENT_OF("e", "{\"b\":\"x\\n\"}", "{\"a\":{\"b\":1},\"c\":2}", "{\"f\":[1,{\"g\":2}]}");
    struct tch_event_comparison c = {0};
    struct tch_event_side two[2];
    struct tch_buf b;
    tacho_event_view event = TACHO_EVENT_VIEW_INIT;
    int status = tacho_event_parse(text, strlen(text), &event, NULL);

    (void)arg;
    tch_buf_init(&b, 10000);
    for (size_t i = 0; i < 2; i++)
        tch_event_side_init(&two[i], NULL, "b");
    for (size_t i = 0; i < 12 && status == 0; i++)
        status = tch_event_side_add(&two[i % 2], &event, NULL);
    if (status == 0)
        status = tch_stages_merge(&two[0].stages, &two[1].stages, NULL);
    if (status == 0)
        status = tch_compare_stages(&two[0], &two[1], &c, NULL);
    if (status == 0)
        status = tch_compare_settings(&two[0], &two[1], note_setting, &b, NULL);
    tch_event_comparison_release(&c);
    for (size_t i = 0; i < 2; i++)
        tch_event_side_release(&two[i]);
    tch_buf_release(&b);
    return status;
}

static void survives_every_allocation_failing(void **state)
{
    (void)state;
    test_every_allocation_fails(add_and_compare, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(separates_stages_by_event_and_nested_name, setup, teardown),
        cmocka_unit_test_setup_teardown(the_last_of_two_values_of_a_stage_counts, setup, teardown),
        cmocka_unit_test_setup_teardown(the_total_is_the_stage_of_that_name_or_the_sum, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(one_event_or_one_key_of_shape_can_be_chosen, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(percentiles_are_exact_while_values_are_few, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(merging_gives_the_result_of_one_reader, setup, teardown),
        cmocka_unit_test_setup_teardown(stages_beyond_the_limit_are_counted, setup, teardown),
        cmocka_unit_test(names_the_settings_that_differ),
        cmocka_unit_test(finds_slower_stages_and_only_those),
        cmocka_unit_test(says_how_often_b_is_above_a),
        cmocka_unit_test(events_of_a_run_are_not_independent_runs),
        cmocka_unit_test(survives_every_allocation_failing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
