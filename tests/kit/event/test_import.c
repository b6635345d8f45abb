/* Tests of making events from log lines. */
#include "support/test.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/lines.h"
#include "kit/event/event_import.h"
#include "support/reference.h"

static struct tch_import how;

/* Returns shape and stage_us of the event that a line gives; or "", with the reason in *why. */
static const char *import(const char *line, const char **why)
{
    static char out[4000];
    struct tch_buf b;
    tacho_event_view event = TACHO_EVENT_VIEW_INIT;
    int status;

    how.config = (tacho_event_config)TACHO_EVENT_CONFIG_INIT;
    tch_buf_init(&b, 1 << 20);
    *why = NULL;
    status = tch_import_line(&how, line, strlen(line), &b, why, NULL);
    out[0] = '\0';
    if (status == 1) {
        assert_int_equal(tacho_event_parse(b.data, b.len, &event, NULL), 0);
        snprintf(out, sizeof out, "%.*s %.*s %.*s", (int)event.event.len, event.event.text,
                 (int)event.shape.len, event.shape.text, (int)event.stage_us.len,
                 event.stage_us.text);
    } else {
        assert_int_equal(status, 0);
        assert_non_null(*why);
    }
    tch_buf_release(&b);
    return out;
}

static void assert_import(const char *line, const char *expected)
{
    const char *why;

    assert_string_equal(import(line, &why), expected);
}

static void assert_no_event(const char *line, const char *reason)
{
    const char *why;

    assert_string_equal(import(line, &why), "");
    assert_string_equal(why, reason);
}

static void reads_timings_by_unit_and_by_group(void **state)
{
    (void)state;
    assert_import("[unified-prof] iter#1 items=32 prefill=0 decode=32 total=28000us model=27600us "
                  "decode_post=300us | sample=20 sched=0 stream=280 stop=0 complete=0 (us)",
                  "\"unified_prof\" {\"decode\":32,\"items\":32,\"iter\":1,\"prefill\":0} "
                  "{\"complete\":0,\"decode_post\":300,\"model\":27600,\"sample\":20,\"sched\":0,"
                  "\"stop\":0,\"stream\":280,\"total\":28000}");
    assert_import(
        "[bucket-prof] layers=48 bk_total=9 ms | gemm1=5860 gemm3=0.5 "
        "(us, summed across layers)",
        "\"bucket_prof\" {\"layers\":48} {\"bk_total\":9000,\"gemm1\":5860,\"gemm3\":0.5}");
    assert_import("[x] a=5 b=1 (ms)", "\"x\" {} {\"a\":5000,\"b\":1000}");
}

static void turns_every_unit_into_microseconds(void **state)
{
    (void)state;
    assert_import(
        "[x] a=1500ns b=2us c=1.5ms d=2s e=3\xC2\xB5s f=2000ns g=0.25 ms",
        "\"x\" {} {\"a\":1.5,\"b\":2,\"c\":1500,\"d\":2000000,\"e\":3,\"f\":2,\"g\":250}");
}

static void counts_and_other_values_go_to_the_shape(void **state)
{
    (void)state;
    assert_import(
        "[op-profile] m=9 total=30us  matmul=8us(125) ok=true bad=false who=me=you a=0x7 "
        "neg=-3 f=1.50",
        "\"op_profile\" {\"a\":\"0x7\",\"bad\":false,\"f\":1.5,\"m\":9,\"matmul_calls\":125,"
        "\"neg\":-3,\"ok\":true,\"who\":\"me=you\"} {\"matmul\":8,\"total\":30}");
    assert_import("[prefill-profile] flash_attn: 62 calls 5 ms (avg 88 us)",
                  "\"prefill_profile\" {\"flash_attn_calls\":62} {\"flash_attn\":5000}");
}

static void a_tag_may_follow_other_words(void **state)
{
    (void)state;
    assert_import("2026-06-15T19:05:36Z INFO [32m [iter-prof] iter#0 total=7us\r",
                  "\"iter_prof\" {\"iter\":0} {\"total\":7}");
}

static void says_why_a_line_is_not_an_event(void **state)
{
    (void)state;
    assert_no_event("", "no [tag]");
    assert_no_event("plain words a=1us", "no [tag]");
    assert_no_event("[UPPER] a=1us", "no [tag]");
    assert_no_event("[x", "no [tag]");
    assert_no_event("[auto-size] gpu=24.0 GB total", "no timing");
    assert_no_event("[x] =5us a= #3 b# (us", "no timing");
}

static void keeps_the_line_and_the_given_settings(void **state)
{
    static const char line[] = "[x] a=1us \"q\" \xFF";
    struct tch_buf b;
    const char *why;
    tacho_error err;

    (void)state;
    how.config = (tacho_event_config)TACHO_EVENT_CONFIG_INIT;
    how.config.model = "m";
    how.config.runtime_flags = "{\"z\":1}";
    how.graph_enabled = true;
    tch_buf_init(&b, 10000);
    assert_int_equal(tch_import_line(&how, line, strlen(line), &b, &why, NULL), 1);
    assert_string_equal(
        b.data,
        "{\"event\":\"x\",\"commit_sha\":null,\"env_hash\":\"sha256:unknown\",\"model\":"
        "\"m\",\"concurrency\":1,\"shape\":{},\"stage_us\":{\"a\":1},\"graph_enabled\":true,"
        "\"runtime_flags\":{\"z\":1},\"source\":\"server_log\",\"source_line\":"
        "\"[x] a=1us \\\"q\\\" \xEF\xBF\xBD\"}\n");
    how.config.concurrency = 0;
    assert_int_equal(tch_import_line(&how, line, strlen(line), &b, &why, &err), TACHO_EINVAL);
    assert_string_equal(err.message, "concurrency must be > 0");
    tch_buf_release(&b);
}

static void a_line_with_too_many_fields_is_reported_not_truncated(void **state)
{
    struct tch_buf b;
    const char *why;

    (void)state;
    tch_buf_init(&b, 1 << 20);
    tch_buf_adds(&b, "[x]");
    for (int i = 0; i < 600; i++)
        tch_buf_addf(&b, " k%d=1us", i);
    assert_string_equal(import(b.data, &why), "");
    assert_string_equal(why, "too many fields");
    tch_buf_release(&b);
}

/* Imports every line and returns the number of events. A line of a profile must give one. */
static size_t import_log(struct tch_lines *lines)
{
    struct tch_line line;
    struct tch_buf b;
    size_t events = 0;

    how.config = (tacho_event_config)TACHO_EVENT_CONFIG_INIT;
    tch_buf_init(&b, 1 << 20);
    while (tch_lines_next(lines, &line, NULL) > 0) {
        const char *why;
        tacho_event_view event = TACHO_EVENT_VIEW_INIT;

        tch_buf_clear(&b);
        if (tch_import_line(&how, line.text, line.len, &b, &why, NULL) == 1) {
            assert_int_equal(tacho_event_parse(b.data, b.len, &event, NULL), 0);
            events++;
        } else {
            assert_null(memmem(line.text, line.len, "-prof] ", 7));
        }
    }
    tch_lines_release(lines);
    tch_buf_release(&b);
    return events;
}

static void a_log_gives_an_event_for_each_line_with_timings(void **state)
{
    static const char text[] = "2026-01-02T03:04:05Z INFO listening on port 8000\n"
                               "[load] weights=12 files\n"
                               "[iter-prof] iter#1 items=2 total=900us model=850us\n"
                               "\x1b[32m[batch-prof]\x1b[0m no timing\n"
                               "WARN [step-prof] n=1 a=1.5ms | b=20 c=30 (us)\r\n"
                               "\n"
                               "[last-prof] t=1s";
    struct tch_lines lines;

    (void)state;
    tch_lines_init_mem(&lines, text, sizeof text - 1, 0);
    assert_int_equal(import_log(&lines), 3);
}

static void a_real_log_gives_the_events_of_the_engine(void **state)
{
    const char *path = test_reference("corpus/ferrum/server-marlin.log", TEST_REFERENCE_DATA);
    struct tch_lines lines;
    int fd;

    (void)state;
    if (!path)
        skip();
    fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    tch_lines_init_fd(&lines, fd, "log", 0);
    assert_int_equal(import_log(&lines), 595);
    close(fd);
}

static int import_once(void *arg)
{
    static const char line[] = "[x] a=1us(5) b=text";
    struct tch_buf b;
    const char *why;
    int status;

    (void)arg;
    how.config = (tacho_event_config)TACHO_EVENT_CONFIG_INIT;
    tch_buf_init(&b, 10000);
    status = tch_import_line(&how, line, strlen(line), &b, &why, NULL);
    tch_buf_release(&b);
    return status == 1 ? 0 : status;
}

static void survives_every_allocation_failing(void **state)
{
    (void)state;
    test_every_allocation_fails(import_once, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_timings_by_unit_and_by_group),
        cmocka_unit_test(turns_every_unit_into_microseconds),
        cmocka_unit_test(counts_and_other_values_go_to_the_shape),
        cmocka_unit_test(a_tag_may_follow_other_words),
        cmocka_unit_test(says_why_a_line_is_not_an_event),
        cmocka_unit_test(keeps_the_line_and_the_given_settings),
        cmocka_unit_test(a_line_with_too_many_fields_is_reported_not_truncated),
        cmocka_unit_test(a_log_gives_an_event_for_each_line_with_timings),
        cmocka_unit_test(a_real_log_gives_the_events_of_the_engine),
        cmocka_unit_test(survives_every_allocation_failing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
