/* Baselines: saving, reading back, and how much occasions differ. */
#include "kit/judge/baseline.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "support/test.h"

/* Makes a receipt with n runs around `wall` nanoseconds, a year after the one before. */
static void make_result(struct tch_result *r, const char *id, size_t n, double wall)
{
    static unsigned year = 2000;
    struct tch_buf b;

    tch_buf_init(&b, 1 << 24);
    tch_buf_addf(&b,
                 "{\"schema\":\"tacho.run.v1\",\"name\":\"x\",\"id\":\"%s\","
                 "\"started_at\":\"%u-01-01T00:00:00Z\","
                 "\"command\":{\"line\":\"./x \\\"y\\\"\"},\"commit\":\"abc\","
                 "\"vcs\":{\"sha\":\"abc\",\"dirty\":true},"
                 "\"environment\":{\"cpu\":1},\"machine_class\":\"m\",\"metrics\":"
                 "[{\"name\":\"lat\",\"all\":true}],\"samples\":[",
                 id, year++);
    for (size_t i = 0; i < n; i++)
        tch_buf_addf(&b,
                     "%s{\"run\":%zu,\"pair\":%zu,\"wall_ns\":%.0f,\"max_rss_bytes\":4096,"
                     "\"exit_status\":0,\"metrics\":{\"lat\":[1,2,%zu]}}",
                     i > 0 ? "," : "", i + 1, i + 1, wall * (1 + 0.001 * (double)(i % 5)), i + 3);
    tch_buf_adds(&b, "]}");
    assert_int_equal(tch_result_parse(r, b.data, b.len, NULL), 0);
    tch_buf_release(&b);
}

static void add(struct tch_baseline *b, const char *id, size_t n, double wall, size_t keep)
{
    struct tch_result r;

    make_result(&r, id, n, wall);
    assert_int_equal(tch_baseline_add(b, &r, keep, NULL), 0);
    tch_result_release(&r);
}

static void reads_back_what_it_wrote(void **state)
{
    struct tch_baseline b;
    struct tch_baseline again;
    struct tch_buf one;
    struct tch_buf two;
    const struct tch_occasion *o;

    (void)state;
    assert_int_equal(tch_baseline_init(&b, "x", "m", NULL), 0);
    add(&b, "20260101-a", 7, 1e6, 10);
    add(&b, "20260102-b", 500, 1.1e6, 10);
    tch_buf_init(&one, TCH_BASELINE_MAX);
    tch_buf_init(&two, TCH_BASELINE_MAX);
    tch_baseline_format(&one, &b);
    assert_int_equal(tch_baseline_parse(&again, one.data, one.len, NULL), 0);
    tch_baseline_format(&two, &again);
    assert_string_equal(one.data, two.data);
    assert_int_equal(again.count, 2);
    assert_string_equal(again.reference, "20260101-a");
    o = tch_baseline_find(&again, "reference");
    assert_string_equal(o->command, "./x \"y\"");
    assert_string_equal(o->commit, "abc");
    assert_true(o->dirty);
    assert_string_equal(o->environment, "{\"cpu\":1}");
    assert_int_equal(tch_occasion_values(o, "wall", 0.5)->count, 7);
    assert_true(tch_occasion_values(o, "wall", 0.5)->value[0] == 1e6);
    assert_non_null(tch_occasion_values(o, "lat", 0.95));
    assert_null(tch_occasion_values(o, "wall", 0.95));
    assert_null(tch_occasion_values(o, "energy", 0.5));
    /* Runs beyond the number kept are thinned. */
    o = tch_baseline_find(&again, "latest");
    assert_int_equal(tch_occasion_values(o, "wall", 0.5)->count, TCH_BASELINE_VALUES);
    tch_buf_release(&one);
    tch_buf_release(&two);
    tch_baseline_release(&b);
    tch_baseline_release(&again);
}

static void keeps_the_last_and_the_reference(void **state)
{
    struct tch_baseline b;
    char id[16];

    (void)state;
    assert_int_equal(tch_baseline_init(&b, "x", "m", NULL), 0);
    for (int i = 0; i < 8; i++) {
        snprintf(id, sizeof id, "o%d", i);
        add(&b, id, 5, 1e6, 3);
    }
    assert_int_equal(b.count, 3);
    assert_string_equal(b.occasions[0].id, "o0"); /* the reference is kept */
    assert_string_equal(b.occasions[2].id, "o7");
    assert_null(tch_baseline_find(&b, "o5"));
    assert_int_equal(tch_baseline_promote(&b, tch_baseline_find(&b, "latest"), NULL), 0);
    assert_string_equal(b.reference, "o7");
    add(&b, "o8", 5, 1e6, 3);
    assert_null(tch_baseline_find(&b, "o0"));
    assert_non_null(tch_baseline_find(&b, "o7"));
    tch_baseline_release(&b);
}

static double spread_of(const double *walls, size_t n, double assumed)
{
    struct tch_baseline b;
    double spread;

    assert_int_equal(tch_baseline_init(&b, "x", "m", NULL), 0);
    for (size_t i = 0; i < n; i++) {
        char id[32];

        snprintf(id, sizeof id, "o%zu", i);
        add(&b, id, 9, walls[i], 100);
    }
    spread = tch_baseline_spread(&b, "wall", 0.5, assumed);
    tch_baseline_release(&b);
    return spread;
}

static void occasions_give_the_session_spread(void **state)
{
    static const double calm[] = {1e6, 1.001e6, 1e6, 0.999e6, 1e6, 1.001e6, 1e6, 1.0005e6};
    static const double wild[] = {1e6, 1.1e6, 0.95e6, 1.08e6, 0.93e6, 1.05e6, 0.9e6, 1e6};
    static const double step[] = {1e6, 1.001e6, 1e6, 0.999e6, 1.5e6, 1.501e6, 1.5e6, 1.4995e6};

    (void)state;
    assert_true(fabs(spread_of(calm, 1, 0.02) - 0.02) < 1e-9); /* assumed */
    assert_true(spread_of(calm, 8, 0.02) < 0.015);
    assert_true(spread_of(wild, 8, 0.02) > 0.1);
    /* A change of the program does not count as spread. */
    assert_true(spread_of(step, 8, 0.02) < 0.015);
}

/* Two days with three saves on each give one occasion per day, represented by its first save. */
static void saves_of_one_day_are_one_occasion(void **state)
{
    static const char *const at[] = {"2026-11-15T22:05:11Z", "2026-11-15T23:30:00Z",
                                     "2026-11-16T18:00:00Z", "2026-11-17T08:00:00Z",
                                     "2026-11-17T10:00:00Z", "2026-11-18T04:00:00Z"};
    static const double walls[] = {1e6, 1.2e6, 1.1e6, 1.3e6, 1.1e6, 1.2e6};
    struct tch_baseline b;
    double step;

    (void)state;
    assert_int_equal(tch_baseline_init(&b, "x", "m", NULL), 0);
    for (size_t i = 0; i < 6; i++) {
        char id[32];

        snprintf(id, sizeof id, "o%zu", i);
        add(&b, id, 9, walls[i], 100);
        free(b.occasions[i].at);
        b.occasions[i].at = strdup(at[i]);
    }
    assert_int_equal(tch_baseline_occasions(&b), 3);
    free(b.occasions[5].at);
    b.occasions[5].at = strdup("2026-11-18T03:59:59Z");
    assert_int_equal(tch_baseline_occasions(&b), 2);
    step = log(1.3e6 / 1e6);
    assert_true(fabs(tch_baseline_spread(&b, "wall", 0.5, 0) - 1.4826 * step / sqrt(3)) < 1e-6);
    tch_baseline_release(&b);
}

static void refuses_files_that_are_not_baselines(void **state)
{
    static const struct {
        const char *text;
        const char *says;
    } cases[] = {
        {"", ""},
        {"[]", "there is no JSON object"},
        {"{\"schema\":\"x\"}", "its schema is 'x'"},
        {"{\"bench\":\"a\"}", "'schema' is missing"},
        {"{\"schema\":\"tacho.baseline.v1\"}", "'bench' is missing"},
        {"{\"schema\":\"tacho.baseline.v1\",\"bench\":\"a\",\"machine_class\":\"m\","
         "\"reference\":\"r\"}",
         "'occasions' is missing"},
        {"{\"schema\":\"tacho.baseline.v1\",\"bench\":1}", "'bench' must be a string"},
        {"{\"schema\":\"tacho.baseline.v1\",\"bench\":\"a\",\"machine_class\":\"m\","
         "\"reference\":\"r\",\"occasions\":[{}]}",
         "'id' is missing"},
        {"{\"schema\":\"tacho.baseline.v1\",\"occasions\":[{\"id\":\"x\","
         "\"at\":\"2026-01-01T00:00:00Z\",\"commit\":\"\",\"command\":\"\",\"metrics\":{}}]}",
         "'environment' is missing"},
        {"{\"schema\":\"tacho.baseline.v1\",\"occasions\":[{\"id\":\"x\","
         "\"at\":\"2026-01-01T00:00:00Z\",\"commit\":\"\",\"command\":\"\","
         "\"environment\":null}]}",
         "'metrics' is missing"},
        {"{\"schema\":\"tacho.baseline.v1\",\"bench\":\"a\",\"machine_class\":\"m\","
         "\"reference\":\"r\",\"occasions\":[{\"id\":\"x\",\"at\":\"2026-01-01T00:00:00Z\","
         "\"commit\":\"\","
         "\"command\":\"\",\"environment\":null,\"metrics\":{}}]}",
         "its reference is not one"},
        {"{\"schema\":\"tacho.baseline.v1\",\"occasions\":[{\"metrics\":{\"a\":[1,\"b\"]}}]}",
         "must be numbers"},
        {"{\"schema\":\"tacho.baseline.v1\",\"occasions\":7}", "must be one list"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tch_baseline b;
        tacho_error err = {0};

        assert_int_equal(tch_baseline_parse(&b, cases[i].text, strlen(cases[i].text), &err),
                         TACHO_EPARSE);
        if (!strstr(err.message, cases[i].says))
            fail_msg("%s: %s", cases[i].text, err.message);
        tch_baseline_release(&b);
    }
}

static int parse_once(void *arg)
{
    static const char text[] =
        "{\"schema\":\"tacho.baseline.v1\",\"bench\":\"a\",\"machine_class\":\"m\","
        "\"reference\":\"x\",\"occasions\":[{\"id\":\"x\",\"at\":\"2026-01-01T00:00:00Z\","
        "\"commit\":\"\","
        "\"command\":\"\",\"environment\":{},\"metrics\":{\"wall\":[1,2,3]}}]}";
    struct tch_baseline b;
    int status = tch_baseline_parse(&b, text, sizeof text - 1, NULL);

    (void)arg;
    tch_baseline_release(&b);
    return status;
}

static const struct tch_baseline_save how = {.bench = "x", .machine_class = "m", .keep = 10};

struct saving {
    char path[PATH_MAX];
    struct tch_result result;
};

static int save_once(void *arg)
{
    struct saving *s = arg;
    struct tch_baseline b = {0};
    int status;

    unlink(s->path);
    status = tch_baseline_save(&b, s->path, &s->result, &how, NULL);
    if (status == 0)
        status = tch_baseline_save(&b, s->path, &s->result, &how, NULL);
    if (status == 0)
        assert_int_equal(b.count, 2);
    tch_baseline_release(&b);
    return status;
}

static void survives_every_allocation_failing(void **state)
{
    char folder[] = "/tmp/test_baseline.XXXXXX";
    struct saving s;

    (void)state;
    test_every_allocation_fails(parse_once, NULL);
    assert_non_null(mkdtemp(folder));
    snprintf(s.path, sizeof s.path, "%s/m.json", folder);
    make_result(&s.result, "20260101-a", 7, 1e6);
    test_every_allocation_fails(save_once, &s);
    tch_result_release(&s.result);
    unlink(s.path);
    rmdir(folder);
}

/* A file copied from elsewhere is refused and not changed. */
static void saves_to_its_own_file_alone(void **state)
{
    char folder[] = "/tmp/test_baseline.XXXXXX";
    struct tch_baseline_save other = how;
    struct tch_baseline b = {0};
    struct saving s;
    struct tch_buf before;
    struct tch_buf after;
    tacho_error err;

    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(s.path, sizeof s.path, "%s/m.json", folder);
    make_result(&s.result, "20260101-a", 7, 1e6);
    assert_int_equal(tch_baseline_save(&b, s.path, &s.result, &how, NULL), 0);
    tch_buf_init(&before, TCH_BASELINE_MAX);
    tch_buf_init(&after, TCH_BASELINE_MAX);
    assert_int_equal(tch_file_read(s.path, TCH_BASELINE_MAX, &before, NULL), 0);
    other.bench = "y";
    assert_int_equal(tch_baseline_save(&b, s.path, &s.result, &other, &err), TACHO_EINVAL);
    assert_non_null(strstr(err.message, "it is the baseline of 'x' on m, not of 'y' on m"));
    other = how;
    other.machine_class = "n";
    assert_int_equal(tch_baseline_save(&b, s.path, &s.result, &other, &err), TACHO_EINVAL);
    assert_int_equal(tch_file_read(s.path, TCH_BASELINE_MAX, &after, NULL), 0);
    assert_string_equal(before.data, after.data);
    other.replace = true;
    assert_int_equal(tch_baseline_save(&b, s.path, &s.result, &other, &err), 0);
    assert_string_equal(b.machine_class, "n");
    assert_int_equal(b.count, 1);
    assert_string_equal(b.reference, "20260101-a");
    tch_buf_release(&before);
    tch_buf_release(&after);
    tch_baseline_release(&b);
    tch_result_release(&s.result);
    unlink(s.path);
    rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_back_what_it_wrote),
        cmocka_unit_test(keeps_the_last_and_the_reference),
        cmocka_unit_test(occasions_give_the_session_spread),
        cmocka_unit_test(saves_of_one_day_are_one_occasion),
        cmocka_unit_test(refuses_files_that_are_not_baselines),
        cmocka_unit_test(saves_to_its_own_file_alone),
        cmocka_unit_test(survives_every_allocation_failing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
