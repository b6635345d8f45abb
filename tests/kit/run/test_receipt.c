/* Tests that receipts are read, written again unchanged, and refused if they are invalid. */
#include "support/test.h"

#include <math.h>

#include "kit/run/receipt.h"

static const char text[] =
    "{\"schema\":\"tacho.run.v1\",\"name\":\"a\",\"id\":\"x\",\"group\":null,"
    "\"command\":{\"line\":\"a \\\"b\\\"\",\"argv\":[\"a\"]},\"plan\":{\"alpha\":0.01,"
    "\"precision\":0.5},\"later\":{\"kept\":[1.50]},\"work\":{\"amount\":2.0,\"unit\":\"u\"},"
    "\"metrics\":[{\"name\":\"m\",\"regex\":\".\",\"all\":false}],\"state\":\"complete\","
    "\"warnings\":[{\"code\":\"c\",\"text\":\"t\",\"advice\":\"d\",\"more\":1}],"
    "\"samples\":[{\"wall_ns\":1000000000,\"metrics\":{\"m\":5}},{\"wall_ns\":3000000000}]}";

static int parse(struct tch_receipt *r, const char *json, tacho_error *err)
{
    struct tch_buf b;
    int status;

    tch_buf_init(&b, 1 << 20);
    tch_buf_adds(&b, json);
    status = tch_receipt_parse(r, &b, err);
    tch_buf_release(&b);
    return status == 0 ? tch_receipt_sum(r, err) : status;
}

static void reads_all_that_reports_need(void **state)
{
    struct tch_receipt r;

    (void)state;
    assert_int_equal(parse(&r, text, NULL), 0);
    assert_string_equal(r.name, "a");
    assert_string_equal(r.group, "");
    assert_string_equal(r.command, "a \"b\"");
    assert_true(r.alpha == 0.01 && r.precision == 0.5 && r.work == 2);
    assert_int_equal(r.samples.count, 2);
    assert_int_equal(r.samples.metric_count, 1);
    assert_int_equal(r.warnings.count, 1);
    assert_string_equal(r.warnings.item[0].advice, "d");
    assert_int_equal(r.rows.count, 3); /* wall time, the metric, throughput */
    assert_true(r.rows.row[0].summary.median == 2e9);
    tch_receipt_release(&r);
}

/* Writing a receipt a second time changes nothing. Unknown members are kept. */
static void writes_the_same_again(void **state)
{
    const struct tch_run_end end = {
        .state = "recovered", .stopped = "killed", .power = {.status = "unavailable", .why = "no"}};
    struct tch_receipt first;
    struct tch_receipt second;
    struct tch_buf once;
    struct tch_buf twice;
    char *copy;

    (void)state;
    assert_int_equal(parse(&first, text, NULL), 0);
    tch_buf_init(&once, 1 << 20);
    assert_int_equal(tch_receipt_end(&first, &end, NULL), 0);
    tch_receipt_write(&once, &first);
    assert_non_null(strstr(once.data, "\"later\":{\"kept\":[1.50]}"));
    copy = strdup(once.data);
    assert_int_equal(tch_receipt_parse(&second, &once, NULL), 0);
    tch_buf_init(&twice, 1 << 20);
    assert_int_equal(tch_receipt_end(&second, &end, NULL), 0);
    tch_receipt_write(&twice, &second);
    assert_string_equal(twice.data, copy);
    free(copy);
    tch_buf_release(&once);
    tch_buf_release(&twice);
    tch_receipt_release(&first);
    tch_receipt_release(&second);
}

static const char *const argv[] = {"prog", "x\xFF", NULL};
static struct tch_run_command commands[] = {
    {.name = "first", .argv = argv, .line = "first"},
    {.name = "b", .argv = argv, .line = "prog x\xFF", .path = "/bin/prog"},
};
static struct tch_metric metrics[] = {
    {.id = {(char *)"m", false}, .text = (char *)"m=(.)"},
    {.id = {(char *)"each", true}, .text = (char *)"e"},
};

/* Begins the receipt of the second command. */
static int begin(struct tch_receipt *r)
{
    const char *const labels[] = {"k=1", "k=2", NULL};
    const struct tch_surroundings s = {.environment = (char *)"{\"a\":[1]}",
                                       .environment_len = 9,
                                       .environment_hash = "sha256:1",
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
    return tch_receipt_begin(r, &plan, 1, &folder, "group-1", 0.01, &s, NULL);
}

static void expect_same_fields(const struct tch_receipt *a, const struct tch_receipt *b)
{
    assert_string_equal(a->name, b->name);
    assert_string_equal(a->command, b->command);
    assert_string_equal(a->work_unit, b->work_unit);
    assert_string_equal(a->id, b->id);
    assert_string_equal(a->group, b->group);
    assert_string_equal(a->state, b->state);
    assert_string_equal(a->started_at, b->started_at);
    assert_true(a->work == b->work && a->alpha == b->alpha && a->precision == b->precision);
    assert_int_equal(a->samples.metric_count, b->samples.metric_count);
    for (size_t i = 0; i < a->samples.metric_count; i++) {
        assert_string_equal(a->metrics[i].name, b->metrics[i].name);
        assert_int_equal(a->metrics[i].all, b->metrics[i].all);
    }
    assert_int_equal(a->member_count, b->member_count);
    for (size_t i = 0; i < a->member_count; i++) {
        char key[32];
        size_t len;
        size_t want;
        const char *raw;

        snprintf(key, sizeof key, "%.*s", (int)a->member[i].key_len,
                 a->text.data + a->member[i].key_at);
        raw = tch_receipt_raw(a, key, &want);
        assert_memory_equal(tch_receipt_raw(b, key, &len), raw, want);
        assert_int_equal(len, want);
    }
}

/* A receipt in memory equals the one that a report reads from the file, before the run ends and
   after. */
static void a_new_receipt_reads_back_the_same(void **state)
{
    const struct tch_run_end end = {.state = "complete",
                                    .stopped = "runs",
                                    .server = {.ready_s = 0.5, .energy_j = NAN},
                                    .power = {.status = "unavailable", .why = "none"}};
    struct tch_receipt r;
    struct tch_receipt read;
    struct tch_buf b;

    (void)state;
    assert_int_equal(begin(&r), 0);
    assert_string_equal(r.command, "prog x\xEF\xBF\xBD");
    assert_string_equal(r.state, "running");
    tch_buf_init(&b, 1 << 20);
    tch_receipt_write(&b, &r);
    assert_int_equal(tch_receipt_parse(&read, &b, NULL), 0);
    expect_same_fields(&r, &read);
    tch_receipt_release(&read);
    tch_run_samples_next(&r.samples)->field[TCH_WALL] = 5;
    r.samples.count++;
    assert_int_equal(tch_receipt_end(&r, &end, NULL), 0);
    assert_string_equal(r.state, "complete");
    tch_receipt_write(&b, &r);
    assert_non_null(strstr(b.data, "\"labels\":{\"k\":\"2\"}"));
    assert_int_equal(tch_receipt_parse(&read, &b, NULL), 0);
    read.member_count -= 3; /* statistics, warnings, samples */
    expect_same_fields(&r, &read);
    assert_int_equal(read.samples.count, 1);
    assert_true(tch_receipt_number(&read, "server", "ready_s", 0) == 0.5);
    tch_receipt_release(&read);
    tch_receipt_release(&r);
    tch_buf_release(&b);
}

static int begin_once(void *arg)
{
    struct tch_receipt r;
    int status = begin(&r);

    (void)arg;
    tch_receipt_release(&r);
    return status;
}

static void refuses_invalid_receipts(void **state)
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
        struct tch_receipt r;
        tacho_error err;

        assert_int_equal(parse(&r, bad[i], &err), TACHO_EPARSE);
        assert_true(err.message[0] != '\0');
        tch_receipt_release(&r);
    }
}

static int parse_once(void *arg)
{
    struct tch_receipt r;
    int status = parse(&r, text, NULL);

    (void)arg;
    tch_receipt_release(&r);
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
        cmocka_unit_test(a_new_receipt_reads_back_the_same),
        cmocka_unit_test(refuses_invalid_receipts),
        cmocka_unit_test(survives_without_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
