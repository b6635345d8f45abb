/* Tests that results are read, written again unchanged, and refused if they are invalid. */
#include "support/test.h"

#include <math.h>

#include <stdlib.h>

#include "kit/run/run_result.h"

static const char text[] =
    "{\"schema\":\"tacho.run.v1\",\"name\":\"a\",\"id\":\"x\",\"group\":null,"
    "\"command\":{\"line\":\"a \\\"b\\\"\",\"argv\":[\"a\"]},\"plan\":{\"alpha\":0.01,"
    "\"precision\":0.5},\"later\":{\"kept\":[1.50]},\"work\":{\"amount\":2.0,\"unit\":\"u\"},"
    "\"metrics\":[{\"name\":\"m\",\"regex\":\".\",\"all\":false}],\"state\":\"complete\","
    "\"warnings\":[{\"code\":\"c\",\"text\":\"t\",\"advice\":\"d\",\"more\":1}],"
    "\"samples\":[{\"wall_ns\":1000000000,\"metrics\":{\"m\":5}},{\"wall_ns\":3000000000}]}";

static int parse(struct tch_result *r, const char *json, tacho_error *err)
{
    int status = tch_result_parse(r, json, strlen(json), err);

    return status == 0 ? tch_result_sum(r, err) : status;
}

static void reads_all_that_reports_need(void **state)
{
    struct tch_result r;

    (void)state;
    assert_int_equal(parse(&r, text, NULL), 0);
    assert_string_equal(r.name, "a");
    assert_string_equal(r.group, "");
    assert_string_equal(r.command.line, "a \"b\"");
    assert_true(r.alpha == 0.01 && r.plan.precision == 0.5 && r.work.amount == 2);
    assert_int_equal(r.run_count, 2);
    assert_int_equal(r.column_count, TCH_FIELDS + 1);
    assert_int_equal(r.warnings.count, 1);
    assert_string_equal(r.warnings.item[0].advice, "d");
    assert_int_equal(r.row_count, 3); /* wall time, the metric, throughput */
    assert_true(r.rows[0].summary.median == 2e9);
    tch_result_release(&r);
}

/* Writing a result a second time changes nothing. Unknown members are kept. */
static void writes_the_same_again(void **state)
{
    const struct tch_result_end end = {.state = "recovered",
                                       .stopped = "killed",
                                       .power = {.status = "unavailable", .why_not = "no"}};
    struct tch_result first;
    struct tch_result second;
    struct tch_buf once;
    struct tch_buf twice;

    (void)state;
    assert_int_equal(parse(&first, text, NULL), 0);
    tch_buf_init(&once, 1 << 20);
    assert_int_equal(tch_result_end(&first, &end, NULL), 0);
    tch_result_write(&once, &first);
    assert_non_null(strstr(once.data, "\"later\":{\"kept\":[1.50]}"));
    assert_int_equal(tch_result_parse(&second, once.data, once.len, NULL), 0);
    tch_buf_init(&twice, 1 << 20);
    assert_int_equal(tch_result_end(&second, &end, NULL), 0);
    tch_result_write(&twice, &second);
    assert_string_equal(twice.data, once.data);
    tch_buf_release(&once);
    tch_buf_release(&twice);
    tch_result_release(&first);
    tch_result_release(&second);
}

static const char *const argv[] = {"prog", "x\xFF", NULL};
static struct tch_run_command commands[] = {
    {.name = "first", .argv = argv, .line = "first"},
    {.name = "b", .argv = argv, .line = "prog x\xFF", .path = "/bin/prog"},
};
static struct tch_metric_rule metrics[] = {
    {.name = (char *)"m", .source = TCH_FROM_OUTPUT, .text = (char *)"m=(.)"},
    {.name = (char *)"each", .all = true, .source = TCH_FROM_OUTPUT, .text = (char *)"e"},
};

/* Begins the result of the second command. */
static int begin(struct tch_result *r)
{
    const char *const labels[] = {"k=1", "k=2", NULL};
    const struct tch_surroundings s = {.environment = (char *)"{\"a\":[1]}",
                                       .environment_len = 9,
                                       .environment_hash = "sha256:1",
                                       .machine_class = (char *)"m",
                                       .vcs = {.sha = "c0ffee", .dirty = 1}};
    const struct tch_folder folder = {.id = "20261117-120000-abcdef"};
    struct tch_run_plan plan;

    tch_run_plan_init(&plan);
    plan.commands = commands;
    plan.command_count = 2;
    plan.metrics = metrics;
    plan.metric_count = 2;
    plan.labels = labels;
    plan.work = 3;
    plan.work_unit = "u\xFE";
    return tch_run_result_begin(r, &plan, 1, &folder, "group-1", 0.01, &s, NULL);
}

/* Every member of run.json must be the same. */
static void expect_same(const struct tch_result *a, const struct tch_result *b)
{
    struct tch_buf x;
    struct tch_buf y;

    tch_buf_init(&x, 1 << 20);
    tch_buf_init(&y, 1 << 20);
    tch_result_write(&x, a);
    tch_result_write(&y, b);
    assert_string_equal(x.data, y.data);
    assert_string_equal(a->command.line, b->command.line);
    assert_string_equal(a->work.unit, b->work.unit);
    assert_true(a->alpha == b->alpha);
    assert_int_equal(a->column_count, b->column_count);
    for (size_t i = 0; i < a->column_count; i++) {
        assert_string_equal(a->columns[i].metric.name, b->columns[i].metric.name);
        assert_int_equal(a->columns[i].metric.several, b->columns[i].metric.several);
    }
    tch_buf_release(&x);
    tch_buf_release(&y);
}

/* A result in memory equals the one that a report reads from the file, before the run ends and
   after. */
static void a_new_result_reads_back_the_same(void **state)
{
    const struct tch_result_end end = {.state = "complete",
                                       .stopped = "runs",
                                       .server = {.ready_s = 0.5, .energy_j = NAN},
                                       .power = {.status = "unavailable", .why_not = "none"}};
    struct tch_result r;
    struct tch_result read;
    struct tch_buf b;

    (void)state;
    assert_int_equal(begin(&r), 0);
    assert_string_equal(r.command.line, "prog x\xEF\xBF\xBD");
    assert_string_equal(r.state, "running");
    tch_buf_init(&b, 1 << 20);
    tch_result_write(&b, &r);
    assert_int_equal(tch_result_parse(&read, b.data, b.len, NULL), 0);
    expect_same(&r, &read);
    tch_result_release(&read);
    assert_int_equal(tch_result_add_run(&r, &(struct tch_result_run){0}, NULL), 0);
    r.columns[TCH_WALL].value[0] = 5;
    assert_int_equal(tch_result_end(&r, &end, NULL), 0);
    assert_string_equal(r.state, "complete");
    tch_buf_clear(&b);
    tch_result_write(&b, &r);
    assert_non_null(strstr(b.data, "\"labels\":{\"k\":\"2\"}"));
    assert_int_equal(tch_result_parse(&read, b.data, b.len, NULL), 0);
    assert_int_equal(tch_result_sum(&read, NULL), 0);
    expect_same(&r, &read);
    assert_int_equal(read.run_count, 1);
    assert_true(read.server.ready_s == 0.5);
    tch_result_release(&read);
    tch_result_release(&r);
    tch_buf_release(&b);
}

static int begin_once(void *arg)
{
    struct tch_result r;
    int status = begin(&r);

    (void)arg;
    tch_result_release(&r);
    return status;
}

static void refuses_invalid_results(void **state)
{
    static const char *const bad[] = {
        "",
        "[]",
        "{}",
        "{\"schema\":\"tacho.run.v2\"}",
        "{\"schema\":\"tacho.run.v1\"",
        "{\"schema\":\"tacho.run.v1\",\"samples\":{}}",
        "{\"schema\":\"tacho.run.v1\",\"samples\":[{}]}",
        "{\"schema\":\"tacho.run.v1\",\"metrics\":1}",
        "{\"schema\":\"tacho.run.v1\",\"warnings\":[1]}",
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct tch_result r;
        tacho_error err;

        assert_int_equal(parse(&r, bad[i], &err), TACHO_EPARSE);
        assert_true(err.message[0] != '\0');
        tch_result_release(&r);
    }
}

static int parse_once(void *arg)
{
    struct tch_result r;
    int status = parse(&r, text, NULL);

    (void)arg;
    tch_result_release(&r);
    return status;
}

static void survives_without_memory(void **state)
{
    (void)state;
    test_every_allocation_fails(parse_once, NULL);
    test_every_allocation_fails(begin_once, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_all_that_reports_need),
        cmocka_unit_test(writes_the_same_again),
        cmocka_unit_test(a_new_result_reads_back_the_same),
        cmocka_unit_test(refuses_invalid_results),
        cmocka_unit_test(survives_without_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
