/* Tests reports of a run folder in every format, also when memory runs out. */
#include "support/test.h"

#include "base/file.h"
#include "kit/report/report.h"
#include "support/system.h"

#define STATS(max)                                                                       \
    "{\"n\":3,\"min\":1,\"p50\":2,\"p90\":3,\"p95\":3,\"p99\":3,\"p999\":3,\"max\":" max \
    ",\"mad\":1,\"mean\":2,\"std\":0.8}"

/* Adds the text, with `more` inserted before each `at`. */
static void add_with(struct tch_buf *b, const char *text, const char *at, const char *more)
{
    for (const char *next; (next = strstr(text, at)); text = next + strlen(at)) {
        tch_buf_add(b, text, (size_t)(next - text));
        tch_buf_adds(b, more);
        tch_buf_adds(b, at);
    }
    tch_buf_adds(b, text);
}

/* Writes a run folder: the golden receipt with a program's records, and files of memory, power and
   latencies. */
static void make_folder(void)
{
    struct tch_buf text;
    struct tch_buf with;
    struct tch_buf all;

    tch_buf_init(&text, 1 << 20);
    tch_buf_init(&with, 1 << 20);
    tch_buf_init(&all, 1 << 20);
    assert_int_equal(tch_file_read(GOLDEN_RUN, 1 << 20, &text, NULL), 0);
    add_with(&with, text.data, "\"metrics\":{",
             "\"recorded\":{\"latency\":{\"p50\":1,\"p95\":2,\"p99\":3},\"kv_cache\":7,"
             "\"memory.own\":9},");
    add_with(
        &all, with.data, "\"statistics\":",
        "\"latency\":{\"exact\":true,\"wall_ns\":" STATS("765") ",\"kernel_ns\":" STATS("3") "},");
    test_put(test_at("run.json"), all.data);
    tch_buf_release(&text);
    tch_buf_release(&with);
    tch_buf_release(&all);
    test_put(test_at("latency-ns.csv"), "sample_id,wall_ns,kernel_ns,seq_len\n1,1,1,1\n2,2,2,1\n"
                                        "3,765,3,1\n");
    test_put(test_at("memory-program.csv"),
             "timestamp_us,peak_rss_bytes,kv_cache_bytes,activation_bytes,temp_buffer_bytes\n"
             "1000,5000000,1000,0,0\n2000,6000000,1000,0,0\n");
    test_put(test_at("memory-detail.csv"),
             "timestamp_us,pid,key,value\n1000,7,own,9000000\n1000,7,anon_bytes,1\n"
             "2000,7,own,9000000\n1000,8,own,1\n2000,8,own,2\n");
    test_put(test_at("memory.csv"),
             "timestamp_us,peak_rss_bytes,kv_cache_bytes,activation_bytes,temp_buffer_bytes\n"
             "1000,5000000,1000,2000,3000\n2000,6000000,1000,2000,3000\n"
             "3000,5500000,1500,2000,3000\n");
    test_put(test_at("power.csv"), "timestamp_us,source,watts,joules\n1000,rapl,12.5,0.1\n"
                                   "2000,rapl,13.5,0.2\n");
}

/* Opens the folder and writes its report in a format. */
static int write_as(const struct tch_report_format *format, struct tch_buf *b)
{
    struct tch_report_run run;
    int status = tch_report_open(&run, test_home, NULL);

    if (status == 0)
        status = format->write(b, &run, 1, NULL);
    if (status == 0 && b->failed)
        status = TACHO_ENOMEM;
    tch_report_close(&run);
    return status;
}

static void every_format_has_the_run(void **state)
{
    (void)state;
    make_folder();
    for (size_t i = 0; tch_report_formats[i]; i++) {
        struct tch_buf b;

        tch_buf_init(&b, TCH_REPORT_MAX);
        assert_int_equal(write_as(tch_report_formats[i], &b), 0);
        assert_true(b.len > 100);
        tch_buf_release(&b);
    }
}

static void the_page_has_its_parts(void **state)
{
    static const char *const parts[] = {
        "<!DOCTYPE html>", "class=\"dots\"", "class=\"bars\"",
        "Over time",       "kv_cache",       "Power during the runs",
        "were polled 11",  "Statistics",     "Machine, configuration",
        "<h2>Latencies",   "765 ns",         "Latencies of the runs in order",
        "</i>own</span>",  "<td>own</td>",   "Peaks of the memory categories",
    };
    struct tch_buf b;

    (void)state;
    make_folder();
    tch_buf_init(&b, TCH_REPORT_MAX);
    assert_int_equal(write_as(&tch_report_html, &b), 0);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (!strstr(b.data, parts[i]))
            fail_msg("'%s' is not in the page", parts[i]);
    assert_null(strstr(b.data, "=\"http")); /* nothing from the network */
    assert_null(strstr(b.data, "</i>anon_bytes"));
    tch_buf_release(&b);
}

/* Makes a run with one sample for each of `starts`, all of the same wall time except the last. */
static void make_runs(const double *starts_ms, size_t n)
{
    struct tch_buf text;

    tch_buf_init(&text, 1 << 16);
    tch_buf_adds(
        &text,
        "{\"schema\":\"tacho.run.v1\",\"name\":\"x\",\"id\":\"1\",\"command\":{\"line\":\"x\"},"
        "\"started_at\":\"2026-01-01T00:00:00Z\",\"started_unix_ns\":1000000000,"
        "\"started_monotonic_ns\":0,\"state\":\"complete\",\"samples\":[");
    for (size_t i = 0; i < n; i++)
        tch_buf_addf(&text,
                     "%s{\"run\":%zu,\"pair\":%zu,\"start_ns\":%.0f,\"wall_ns\":%d,"
                     "\"max_rss_bytes\":4096,\"exit_status\":0}",
                     i > 0 ? "," : "", i + 1, i + 1, starts_ms[i] * 1e6, i + 1 < n ? 5 : 6);
    tch_buf_adds(&text, "]}\n");
    test_put(test_at("run.json"), text.data);
    tch_buf_release(&text);
}

static size_t count_in(const struct tch_buf *b, const char *what)
{
    size_t n = 0;

    for (const char *at = strstr(b->data, what); at; at = strstr(at + 1, what))
        n++;
    return n;
}

/* The memory in large type is that of the tree, if children hold a part of it; a row says in how
   many runs the tree was seen. */
static void memory_is_that_of_the_tree(void **state)
{
    struct tch_buf b;

    (void)state;
    test_put(
        test_at("run.json"),
        "{\"schema\":\"tacho.run.v1\",\"name\":\"x\",\"id\":\"1\",\"command\":{\"line\":\"x\"},"
        "\"started_at\":\"2026-01-01T00:00:00Z\",\"started_unix_ns\":1000000000,"
        "\"started_monotonic_ns\":0,\"state\":\"complete\",\"samples\":["
        "{\"run\":1,\"pair\":1,\"start_ns\":0,\"wall_ns\":5,\"max_rss_bytes\":1048576,"
        "\"tree_rss_bytes\":2097152,\"exit_status\":0},"
        "{\"run\":2,\"pair\":2,\"start_ns\":9,\"wall_ns\":5,\"max_rss_bytes\":1048576,"
        "\"exit_status\":0}]}\n");
    tch_buf_init(&b, TCH_REPORT_MAX);
    assert_int_equal(write_as(&tch_report_html, &b), 0);
    assert_non_null(strstr(b.data,
                           "<div class=\"head\"><span>peak memory of the tree, seen in 1 of "
                           "2 runs</span><b>2.000 MiB</b>"));
    assert_null(strstr(b.data, "<div class=\"head\"><span>peak memory</span>"));
    tch_buf_release(&b);
}

/* A picture in the folder may come from somebody else, so its frame is a sandbox, and the page
   loads nothing. */
static void pictures_are_in_a_sandbox(void **state)
{
    struct tch_buf b;

    (void)state;
    make_folder();
    test_put(test_at("flamegraph-x.svg"), "<svg><script>alert(1)</script></svg>");
    tch_buf_init(&b, TCH_REPORT_MAX);
    assert_int_equal(write_as(&tch_report_html, &b), 0);
    assert_non_null(strstr(b.data, "http-equiv=\"Content-Security-Policy\" content=\"default-src "
                                   "'none'; "));
    assert_int_equal(count_in(&b, "<iframe"), 1);
    assert_int_equal(count_in(&b, "<iframe sandbox=\"allow-scripts\""), 1);
    assert_null(strstr(b.data, "alert(1)"));
    tch_buf_release(&b);
}

static void memory_is_not_joined_across_runs(void **state)
{
    const double starts_ms[] = {0, 10, 500};
    struct tch_buf b;

    (void)state;
    make_runs(starts_ms, 3);
    test_put(test_at("memory.csv"),
             "timestamp_us,peak_rss_bytes,kv_cache_bytes,activation_bytes,temp_buffer_bytes\n"
             "1000001,5000,0,0,0\n1000002,6000,0,0,0\n"
             "1010001,5000,0,0,0\n1010002,6000,0,0,0\n1500002,7000,0,0,0\n");
    tch_buf_init(&b, TCH_REPORT_MAX);
    assert_int_equal(write_as(&tch_report_html, &b), 0);
    assert_int_equal(count_in(&b, " 190Z"), 3); /* one area per run */
    tch_buf_release(&b);
}

static void one_run_has_no_distribution(void **state)
{
    const double starts_ms[] = {0, 10};
    struct tch_buf b;

    (void)state;
    for (size_t n = 1; n <= 2; n++) {
        make_runs(starts_ms, n);
        tch_buf_init(&b, TCH_REPORT_MAX);
        assert_int_equal(write_as(&tch_report_html, &b), 0);
        assert_int_equal(count_in(&b, "class=\"bars\""), n - 1);
        assert_int_equal(count_in(&b, "class=\"line"), n - 1);
        assert_int_equal(count_in(&b, "class=\"dots"), 2 * (n - 1)); /* wall time, memory */
        tch_buf_release(&b);
    }
}

/* A report is complete or fails. It leaves out nothing for lack of memory. */
struct wanted {
    const struct tch_report_format *format;
    size_t len;
};

static int write_once(void *arg)
{
    const struct wanted *wanted = arg;
    struct tch_buf b;
    int status;

    tch_buf_init(&b, TCH_REPORT_MAX);
    status = write_as(wanted->format, &b);
    if (status == 0)
        assert_int_equal(b.len, wanted->len);
    tch_buf_release(&b);
    return status;
}

static void survives_without_memory(void **state)
{
    (void)state;
    make_folder();
    for (size_t i = 0; tch_report_formats[i]; i++) {
        struct wanted wanted = {.format = tch_report_formats[i]};
        struct tch_buf b;

        tch_buf_init(&b, TCH_REPORT_MAX);
        assert_int_equal(write_as(wanted.format, &b), 0);
        wanted.len = b.len;
        tch_buf_release(&b);
        test_every_allocation_fails(write_once, &wanted);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_HOME(every_format_has_the_run),    TEST_IN_HOME(the_page_has_its_parts),
        TEST_IN_HOME(memory_is_that_of_the_tree),  TEST_IN_HOME(memory_is_not_joined_across_runs),
        TEST_IN_HOME(pictures_are_in_a_sandbox),   TEST_IN_HOME(memory_is_not_joined_across_runs),
        TEST_IN_HOME(one_run_has_no_distribution), TEST_IN_HOME(survives_without_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
