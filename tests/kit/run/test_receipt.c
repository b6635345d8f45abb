/* Receipts: read, written again the same, refused when they are not what they should be. */
#include "support/test.h"

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

/* Once what came out is written, writing it again changes nothing; what is not known stays. */
static void writes_the_same_again(void **state)
{
    const struct tch_run_end end = {.state = "recovered", .stopped = "killed", .power_why = "no"};
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

static void refuses_what_is_no_receipt(void **state)
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
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_all_that_reports_need),
        cmocka_unit_test(writes_the_same_again),
        cmocka_unit_test(refuses_what_is_no_receipt),
        cmocka_unit_test(survives_without_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
