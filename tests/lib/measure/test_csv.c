/* Tests CSV files: exact bytes are written, the same values are read back, errors name the line. */
#include "support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tacho/csv.h>

#include "base/file.h"
#include "lib/measure/csv_write.h"
#include "support/system.h"
#include "support/vectors.h"

static char path[80]; /* in the test's own folder */

static int make_home(void **state)
{
    int status = test_home_make(state);

    snprintf(path, sizeof path, "%s/file.csv", test_home);
    return status;
}

#define IN_HOME(test) cmocka_unit_test_setup_teardown(test, make_home, test_home_remove)

static tacho_csv *open_csv(enum tacho_csv_kind kind)
{
    tacho_csv *csv = NULL;

    assert_int_equal(tacho_csv_open(path, kind, TACHO_CSV_WHOLE, &csv, NULL), 0);
    return csv;
}

static void expect_file(const char *id, const char *content, size_t len)
{
    struct tch_buf b;

    tch_buf_init(&b, 1 << 24);
    assert_int_equal(tch_file_read(path, 1 << 24, &b, NULL), 0);
    if (b.len != len || memcmp(b.data, content, len) != 0)
        fail_msg("case %s: got '%s', expected '%s'", id, b.data, content);
    tch_buf_release(&b);
}

static void expect_case(const struct test_case *c, tacho_csv *csv)
{
    /* A single CR is quoted here, unlike in the reference: many readers treat it as a line end. */
    static const char cr[] = "setting,coherence_delta,kv_cache_reduction,peak_mem_reduction,"
                             "energy_reduction,p95_latency_us,accuracy\n"
                             "\"cr\ronly\",0.5,0.25,0.125,0,1200,1\n";
    size_t len;
    char *file = test_text(test_member(c->expect, "file"), &len);

    assert_int_equal(tacho_csv_close(csv, NULL), 0);
    if (strcmp(c->id, "escape-004") == 0)
        expect_file(c->id, cr, sizeof cr - 1);
    else
        expect_file(c->id, file, len);
    free(file);
}

static void check_latency(const struct test_case *c, void *arg)
{
    struct test_json rows = test_member(c->input, "rows");
    tacho_csv *csv = open_csv(TACHO_CSV_LATENCY);

    (void)arg;
    for (size_t i = 0; i < test_count(rows); i++) {
        struct test_json row = test_element(rows, i);
        tacho_csv_latency r = {
            test_u64(test_member(row, "sample_id")), test_u64(test_member(row, "wall_time_us")),
            test_u64(test_member(row, "kernel_time_us")), test_u64(test_member(row, "seq_len"))};

        assert_int_equal(tacho_csv_add_latency(csv, &r, NULL), 0);
    }
    expect_case(c, csv);
}

static void check_memory(const struct test_case *c, void *arg)
{
    struct test_json rows = test_member(c->input, "rows");
    tacho_csv *csv = open_csv(TACHO_CSV_MEMORY);

    (void)arg;
    for (size_t i = 0; i < test_count(rows); i++) {
        struct test_json row = test_element(rows, i);
        tacho_csv_memory r = {test_u64(test_member(row, "timestamp_us")),
                              test_u64(test_member(row, "peak_rss_bytes")),
                              test_u64(test_member(row, "kv_cache_bytes")),
                              test_u64(test_member(row, "activation_bytes")),
                              test_u64(test_member(row, "temp_buffer_bytes"))};

        assert_int_equal(tacho_csv_add_memory(csv, &r, NULL), 0);
    }
    expect_case(c, csv);
}

static void check_result(const struct test_case *c, void *arg)
{
    struct test_json rows = test_member(c->input, "rows");
    tacho_csv *csv = open_csv(TACHO_CSV_RESULTS);

    (void)arg;
    for (size_t i = 0; i < test_count(rows); i++) {
        struct test_json row = test_element(rows, i);
        size_t len;
        char *setting = test_text(test_member(row, "setting"), &len);
        tacho_csv_result r = {setting,
                              len,
                              test_f64_bits(test_member(row, "coherence_delta_bits")),
                              test_f64_bits(test_member(row, "kv_cache_reduction_bits")),
                              test_f64_bits(test_member(row, "peak_mem_reduction_bits")),
                              test_f64_bits(test_member(row, "energy_reduction_bits")),
                              test_u64(test_member(row, "p95_latency_us")),
                              test_f64_bits(test_member(row, "accuracy_bits"))};

        assert_int_equal(tacho_csv_add_result(csv, &r, NULL), 0);
        free(setting);
    }
    expect_case(c, csv);
}

static void writes_the_bytes_of_the_reference(void **state)
{
    (void)state;
    test_each_case("csv_latency.jsonl", 6, check_latency, NULL);
    test_each_case("csv_memory.jsonl", 6, check_memory, NULL);
    test_each_case("csv_results.jsonl", 35, check_result, NULL);
}

static void writes_rows_of_each_kind(void **state)
{
    static const char latency[] = "sample_id,wall_time_us,kernel_time_us,seq_len\n1,20,3,400\n"
                                  "2,18446744073709551615,0,0\n";
    static const char memory[] = "timestamp_us,peak_rss_bytes,kv_cache_bytes,activation_bytes,"
                                 "temp_buffer_bytes\n5,4,3,2,1\n";
    static const char results[] = "setting,coherence_delta,kv_cache_reduction,peak_mem_reduction,"
                                  "energy_reduction,p95_latency_us,accuracy\n"
                                  "\"a \"\"b\"\", c\",0.5,-0.25,0.1,0,1200,1\n";
    tacho_csv_result r = {.setting = "a \"b\", c",
                          .setting_len = 8,
                          .coherence_delta = 0.5,
                          .kv_cache_reduction = -0.25,
                          .peak_mem_reduction = 0.1,
                          .p95_latency_us = 1200,
                          .accuracy = 1};
    tacho_csv *csv = open_csv(TACHO_CSV_LATENCY);

    (void)state;
    assert_int_equal(tacho_csv_add_latency(csv, &(tacho_csv_latency){1, 20, 3, 400}, NULL), 0);
    assert_int_equal(tacho_csv_add_latency(csv, &(tacho_csv_latency){2, UINT64_MAX, 0, 0}, NULL),
                     0);
    assert_int_equal(tacho_csv_close(csv, NULL), 0);
    expect_file("latency", latency, sizeof latency - 1);
    csv = open_csv(TACHO_CSV_MEMORY);
    assert_int_equal(tacho_csv_add_memory(csv, &(tacho_csv_memory){5, 4, 3, 2, 1}, NULL), 0);
    assert_int_equal(tacho_csv_close(csv, NULL), 0);
    expect_file("memory", memory, sizeof memory - 1);
    csv = open_csv(TACHO_CSV_RESULTS);
    assert_int_equal(tacho_csv_add_result(csv, &r, NULL), 0);
    assert_int_equal(tacho_csv_close(csv, NULL), 0);
    expect_file("results", results, sizeof results - 1);
}

static int take_memory(const tacho_csv_row *row, void *ctx, tacho_error *err)
{
    (void)err;
    *(tacho_csv_memory *)ctx = row->as.memory;
    return 0;
}

static void add_memory(enum tch_csv_columns columns, const tacho_csv_memory *row)
{
    tacho_csv *csv = NULL;

    assert_int_equal(tch_csv_open_memory(path, columns, TACHO_CSV_APPEND, &csv, NULL), 0);
    assert_int_equal(tacho_csv_add_memory(csv, row, NULL), 0);
    assert_int_equal(tacho_csv_close(csv, NULL), 0);
}

static void memory_has_short_or_all_columns(void **state)
{
    static const char shorter[] = "timestamp_us,peak_rss_bytes\n5,4\n6,7\n";
    static const char whole[] = "timestamp_us,peak_rss_bytes,kv_cache_bytes,activation_bytes,"
                                "temp_buffer_bytes\n5,4,3,2,1\n6,7,0,0,0\n";
    tacho_csv_memory read = {0};
    tacho_error err;

    (void)state;
    add_memory(TCH_CSV_SHORT, &(tacho_csv_memory){5, 4, 3, 2, 1});
    /* A file keeps the columns that it has. */
    add_memory(TCH_CSV_REFERENCE, &(tacho_csv_memory){6, 7, 0, 0, 0});
    expect_file("short", shorter, sizeof shorter - 1);
    read.kv_cache_bytes = 9;
    assert_int_equal(tacho_csv_read(path, TACHO_CSV_MEMORY, take_memory, &read, NULL), 0);
    assert_int_equal(read.peak_rss_bytes, 7);
    assert_int_equal(read.kv_cache_bytes, 0);
    assert_int_equal(unlink(path), 0);
    add_memory(TCH_CSV_REFERENCE, &(tacho_csv_memory){5, 4, 3, 2, 1});
    add_memory(TCH_CSV_SHORT, &(tacho_csv_memory){6, 7, 0, 0, 0});
    expect_file("reference", whole, sizeof whole - 1);
    assert_int_equal(tacho_csv_parse("timestamp_us,peak_rss_bytes\r\n1,2,3\n", 35, TACHO_CSV_MEMORY,
                                     take_memory, &read, &err),
                     TACHO_EPARSE);
    assert_string_equal(err.message, "more than the 2 fields of memory.csv");
    assert_int_equal(
        tacho_csv_parse("timestamp_us\n1\n", 15, TACHO_CSV_MEMORY, take_memory, &read, &err),
        TACHO_EPARSE);
}

static void writes_power_and_detail(void **state)
{
    tacho_csv *csv = open_csv(TACHO_CSV_POWER);
    static const char power[] = "timestamp_us,source,watts,joules\n5,\"rapl, package-0\",99.5,0\n"
                                "6,rapl,NaN,inf\n";
    static const char detail[] = "timestamp_us,pid,key,value\n1,42,weights,18446744073709551615\n";

    (void)state;
    assert_int_equal(
        tacho_csv_add_power(csv, &(tacho_csv_power){5, "rapl, package-0", 15, 99.5, 0}, NULL), 0);
    assert_int_equal(
        tacho_csv_add_power(csv, &(tacho_csv_power){6, "rapl", 4, NAN, INFINITY}, NULL), 0);
    assert_int_equal(tacho_csv_close(csv, NULL), 0);
    expect_file("power", power, sizeof power - 1);
    csv = open_csv(TACHO_CSV_MEMORY_DETAIL);
    assert_int_equal(tacho_csv_add_memory_detail(
                         csv, &(tacho_csv_memory_detail){1, 42, "weights", 7, UINT64_MAX}, NULL),
                     0);
    assert_int_equal(tacho_csv_close(csv, NULL), 0);
    expect_file("detail", detail, sizeof detail - 1);
}

struct seen {
    size_t rows;
    tacho_csv_result result;
    char setting[64];
    uint64_t line;
};

static int see_result(const tacho_csv_row *row, void *ctx, tacho_error *err)
{
    struct seen *seen = ctx;

    (void)err;
    seen->rows++;
    seen->result = row->as.result;
    seen->line = row->line;
    snprintf(seen->setting, sizeof seen->setting, "%.*s", (int)row->as.result.setting_len,
             row->as.result.setting);
    return 0;
}

static void comes_back_as_it_went_out(void **state)
{
    static const char text[] = "a \"quoted\",\r\ntext";
    tacho_csv *csv = open_csv(TACHO_CSV_RESULTS);
    tacho_csv_result r = {text, sizeof text - 1, -0.0, NAN, INFINITY, 5e-324, UINT64_MAX, 0.1};
    struct seen seen = {0};

    (void)state;
    assert_int_equal(tacho_csv_add_result(csv, &(tacho_csv_result){.setting = "x"}, NULL), 0);
    assert_int_equal(tacho_csv_add_result(csv, &r, NULL), 0);
    assert_int_equal(tacho_csv_close(csv, NULL), 0);
    assert_int_equal(tacho_csv_read(path, TACHO_CSV_RESULTS, see_result, &seen, NULL), 0);
    assert_int_equal(seen.rows, 2);
    assert_int_equal(seen.line, 3);
    assert_string_equal(seen.setting, text);
    assert_true(signbit(seen.result.coherence_delta) && isnan(seen.result.kv_cache_reduction));
    assert_true(isinf(seen.result.peak_mem_reduction) && seen.result.energy_reduction == 5e-324);
    assert_true(seen.result.p95_latency_us == UINT64_MAX && seen.result.accuracy == 0.1);
}

static void an_empty_float_was_not_measured(void **state)
{
    static const char text[] =
        "setting,coherence_delta,kv_cache_reduction,peak_mem_reduction,energy_reduction,"
        "p95_latency_us,accuracy\nx,-0.5,0.25,0.125,,1200,1\n";
    struct seen seen = {0};

    (void)state;
    assert_int_equal(
        tacho_csv_parse(text, sizeof text - 1, TACHO_CSV_RESULTS, see_result, &seen, NULL), 0);
    assert_true(isnan(seen.result.energy_reduction) && seen.result.peak_mem_reduction == 0.125);
}

static int count_row(const tacho_csv_row *row, void *ctx, tacho_error *err)
{
    (void)row;
    (void)err;
    ++*(size_t *)ctx;
    return 0;
}

static void says_which_line_is_wrong(void **state)
{
    static const struct {
        const char *text;
        uint64_t line;
        const char *message;
    } cases[] = {
        {"", 1,
         "the first line must be the header of latency.csv, "
         "'sample_id,wall_time_us,kernel_time_us,seq_len'"},
        {"a,b\n", 1,
         "the first line must be the header of latency.csv, "
         "'sample_id,wall_time_us,kernel_time_us,seq_len'"},
        {"H1,2,3\n", 2, "3 fields where latency.csv has 4"},
        {"H1,2,3,4\n1,2,3,4,5\n", 3, "more than the 4 fields of latency.csv"},
        {"H1,2,x,4\n", 2, "'x' is not a whole number of 'kernel_time_us'"},
        {"H1,2,,4\n", 2, "'' is not a whole number of 'kernel_time_us'"},
        {"H1,-2,3,4\n", 2, "'-2' is not a whole number of 'wall_time_us'"},
        {"H1,18446744073709551616,3,4", 2,
         "'18446744073709551616' is not a whole number of 'wall_time_us'"},
        {"H\"1,2,3,4\n", 2, "a quote is not closed"},
        {"H\"1\"x,2,3,4\n", 2, "text after the closing quote of 'sample_id'"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *tail = cases[i].text[0] == 'H' ? cases[i].text + 1 : cases[i].text;
        char text[256];
        size_t rows = 0;
        tacho_error err;

        snprintf(text, sizeof text, "%s%s",
                 tail != cases[i].text ? "sample_id,wall_time_us,kernel_time_us,seq_len\n" : "",
                 tail);
        assert_int_equal(
            tacho_csv_parse(text, strlen(text), TACHO_CSV_LATENCY, count_row, &rows, &err),
            TACHO_EPARSE);
        assert_int_equal(err.line, cases[i].line);
        assert_string_equal(err.message, cases[i].message);
    }
}

static void reads_what_windows_and_quoting_programs_write(void **state)
{
    static const char text[] = "sample_id,wall_time_us,kernel_time_us,seq_len\r\n"
                               "1,\"2\",3,4\r\n\r\n5,6,7,8";
    size_t rows = 0;

    (void)state;
    assert_int_equal(
        tacho_csv_parse(text, sizeof text - 1, TACHO_CSV_LATENCY, count_row, &rows, NULL), 0);
    assert_int_equal(rows, 2);
}

static void appends_behind_a_row_that_was_cut_off(void **state)
{
    static const char expected[] = "sample_id,wall_time_us,kernel_time_us,seq_len\n1,2\n3,4,5,6\n";
    tacho_csv *csv = NULL;

    (void)state;
    assert_int_equal(tacho_csv_open(path, TACHO_CSV_LATENCY, TACHO_CSV_APPEND, &csv, NULL), 0);
    assert_int_equal(tacho_csv_close(csv, NULL), 0);
    assert_int_equal(tacho_csv_open(path, TACHO_CSV_LATENCY, TACHO_CSV_APPEND, &csv, NULL), 0);
    assert_int_equal(tacho_csv_close(csv, NULL), 0);
    {
        int fd = open(path, O_WRONLY | O_APPEND);

        assert_int_equal(write(fd, "1,2", 3), 3);
        close(fd);
    }
    assert_int_equal(tacho_csv_open(path, TACHO_CSV_LATENCY, TACHO_CSV_APPEND, &csv, NULL), 0);
    assert_int_equal(tacho_csv_add_latency(csv, &(tacho_csv_latency){3, 4, 5, 6}, NULL), 0);
    assert_int_equal(tacho_csv_close(csv, NULL), 0);
    expect_file("append", expected, sizeof expected - 1);
}

static void a_discarded_file_is_not_there(void **state)
{
    tacho_csv *csv = open_csv(TACHO_CSV_LATENCY);

    (void)state;
    tacho_csv_discard(csv);
    tacho_csv_discard(NULL);
    assert_int_equal(test_folder_count(test_home), 0);
}

static void a_stream_is_there_after_a_flush(void **state)
{
    static const char expected[] = "sample_id,wall_time_us,kernel_time_us,seq_len\n1,2,3,4\n";
    tacho_csv *csv = NULL;

    (void)state;
    assert_int_equal(tacho_csv_open(path, TACHO_CSV_LATENCY, TACHO_CSV_STREAM, &csv, NULL), 0);
    assert_int_equal(tacho_csv_add_latency(csv, &(tacho_csv_latency){1, 2, 3, 4}, NULL), 0);
    assert_int_equal(tacho_csv_flush(csv, NULL), 0);
    expect_file("stream", expected, sizeof expected - 1);
    assert_int_equal(tacho_csv_close(csv, NULL), 0);
}

static void makes_the_folders_above_the_file(void **state)
{
    static const enum tacho_csv_mode modes[] = {TACHO_CSV_WHOLE, TACHO_CSV_STREAM,
                                                TACHO_CSV_APPEND};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        char deep[160];
        tacho_csv *csv;

        snprintf(deep, sizeof deep, "%s/a%zu/b/results.csv", test_home, i);
        assert_int_equal(tacho_csv_open(deep, TACHO_CSV_RESULTS, modes[i], &csv, NULL), 0);
        assert_int_equal(tacho_csv_close(csv, NULL), 0);
        assert_int_equal(access(deep, F_OK), 0);
    }
}

static void rows_of_another_kind_are_refused(void **state)
{
    tacho_csv *csv = open_csv(TACHO_CSV_MEMORY);
    tacho_error err;

    (void)state;
    assert_int_equal(tacho_csv_add_latency(csv, &(tacho_csv_latency){1, 2, 3, 4}, &err),
                     TACHO_EINVAL);
    assert_non_null(strstr(err.message, "has rows of memory.csv"));
    tacho_csv_discard(csv);
    assert_int_equal(tacho_csv_open(path, 99, TACHO_CSV_WHOLE, &csv, &err), TACHO_EINVAL);
    assert_int_equal(tacho_csv_open("/dev/null/x", TACHO_CSV_MEMORY, TACHO_CSV_STREAM, &csv, &err),
                     TACHO_EIO);
    assert_int_equal(err.system_errno, EEXIST);
}

static int write_again(const tacho_csv_row *row, void *ctx, tacho_error *err)
{
    return tacho_csv_add_result(ctx, &row->as.result, err);
}

static void a_text_without_a_length_ends_at_its_nul(void **state)
{
    static const char expected[] = "setting,coherence_delta,kv_cache_reduction,peak_mem_reduction,"
                                   "energy_reduction,p95_latency_us,accuracy\n"
                                   "dense,0,0,0,0,0,0\n,0,0,0,0,0,0\n,0,0,0,0,0,0\n";
    tacho_csv *csv = open_csv(TACHO_CSV_RESULTS);
    char first[sizeof path];

    (void)state;
    snprintf(first, sizeof first, "%.200s/first.csv", test_home);
    assert_int_equal(tacho_csv_add_result(csv, &(tacho_csv_result){.setting = "dense"}, NULL), 0);
    assert_int_equal(tacho_csv_add_result(csv, &(tacho_csv_result){.setting = ""}, NULL), 0);
    assert_int_equal(tacho_csv_add_result(csv, &(tacho_csv_result){.setting = NULL}, NULL), 0);
    assert_int_equal(tacho_csv_close(csv, NULL), 0);
    assert_int_equal(rename(path, first), 0);
    csv = open_csv(TACHO_CSV_RESULTS);
    assert_int_equal(tacho_csv_read(first, TACHO_CSV_RESULTS, write_again, csv, NULL), 0);
    assert_int_equal(tacho_csv_close(csv, NULL), 0);
    expect_file("no length", expected, sizeof expected - 1);
}

static void the_longest_text_fits(void **state)
{
    enum { LONGEST = 64 * 1024 };
    char *text = malloc(LONGEST + 1);
    tacho_csv *csv = open_csv(TACHO_CSV_RESULTS);
    tacho_csv_result r = {text, LONGEST, -5e-324, -5e-324, -5e-324, -5e-324, UINT64_MAX, -5e-324};

    (void)state;
    memset(text, '"', LONGEST + 1);
    for (int i = 0; i < 5; i++)
        assert_int_equal(tacho_csv_add_result(csv, &r, NULL), 0);
    r.setting_len++;
    assert_int_equal(tacho_csv_add_result(csv, &r, NULL), TACHO_ELIMIT);
    assert_int_equal(tacho_csv_close(csv, NULL), 0);
    free(text);
}

static int fill_a_disk(void)
{
    tacho_csv *csv = NULL;
    tacho_error err = {0};
    int status = 0;

    if (tacho_csv_open(path, TACHO_CSV_LATENCY, TACHO_CSV_WHOLE, &csv, &err) < 0)
        return 1;
    for (uint64_t i = 0; i < 100000 && status == 0; i++)
        status = tacho_csv_add_latency(csv, &(tacho_csv_latency){i, i, i, i}, &err);
    if (status != TACHO_EIO || err.system_errno != ENOSPC)
        return 2;
    if (tacho_csv_add_latency(csv, &(tacho_csv_latency){0}, &err) != TACHO_EIO)
        return 3;
    if (tacho_csv_close(csv, &err) != TACHO_EIO || test_folder_count(test_home) != 0)
        return 4;
    return 0;
}

static void a_full_disk_leaves_nothing_half_written(void **state)
{
    (void)state;
    test_on_small_disk(64, fill_a_disk);
}

static int write_once(void *arg)
{
    tacho_csv *csv;
    size_t rows = 0;

    (void)arg;
    if (tacho_csv_open(path, TACHO_CSV_RESULTS, TACHO_CSV_WHOLE, &csv, NULL) < 0)
        return -1;
    tacho_csv_add_result(csv, &(tacho_csv_result){.setting = "a\nb", .setting_len = 3}, NULL);
    if (tacho_csv_close(csv, NULL) < 0)
        return -1;
    return tacho_csv_read(path, TACHO_CSV_RESULTS, count_row, &rows, NULL);
}

static void survives_every_failing_allocation(void **state)
{
    (void)state;
    test_every_allocation_fails(write_once, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_HOME(a_discarded_file_is_not_there),
        IN_HOME(writes_the_bytes_of_the_reference),
        IN_HOME(writes_rows_of_each_kind),
        IN_HOME(memory_has_short_or_all_columns),
        IN_HOME(writes_power_and_detail),
        IN_HOME(comes_back_as_it_went_out),
        cmocka_unit_test(an_empty_float_was_not_measured),
        IN_HOME(says_which_line_is_wrong),
        IN_HOME(reads_what_windows_and_quoting_programs_write),
        IN_HOME(appends_behind_a_row_that_was_cut_off),
        IN_HOME(a_stream_is_there_after_a_flush),
        IN_HOME(rows_of_another_kind_are_refused),
        TEST_IN_HOME(makes_the_folders_above_the_file),
        IN_HOME(a_text_without_a_length_ends_at_its_nul),
        IN_HOME(the_longest_text_fits),
        IN_HOME(a_full_disk_leaves_nothing_half_written),
        IN_HOME(survives_every_failing_allocation),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
