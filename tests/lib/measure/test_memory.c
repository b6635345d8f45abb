/* Tests the memory of this process, by category, and the parsers of /proc. test_tree.c tests
   process trees. */
#include "support/test.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include <tacho/csv.h>
#include <tacho/memory.h>

#include "lib/measure/memory_tracker.h"
#include "lib/measure/proc_text.h"
#include "lib/measure/timestamp.h"
#include "resident.h"
#include "support/system.h"
#include "support/vectors.h"

static void check_vmrss(const struct test_case *c, void *arg)
{
    char *text = test_text(test_member(c->input, "text"), NULL);
    struct tch_status status;

    (void)arg;
    tch_status_parse(text, &status);
    if (status.rss != test_u64(test_member(c->expect, "rss_bytes")))
        fail_msg("case %s: got %llu", c->id, (unsigned long long)status.rss);
    free(text);
}

static void reads_the_resident_size_as_the_reference_does(void **state)
{
    (void)state;
    test_each_case("vmrss_parse.jsonl", 10, check_vmrss, NULL);
}

static void check_report(const struct test_case *c, void *arg)
{
    struct test_json snapshots = test_member(c->input, "snapshots");
    size_t n = test_count(snapshots);
    struct tch_memory_sums sums = {0};
    tacho_memory_report report = TACHO_MEMORY_REPORT_INIT;
    char *label = test_text(test_member(c->input, "label"), NULL);
    char *expected = test_text(test_member(c->expect, "report_json"), NULL);
    struct tch_buf b;

    (void)arg;
    for (size_t i = 0; i < n; i++) {
        struct test_json s = test_element(snapshots, i);

        tch_memory_sums_add(&sums,
                            &(tacho_memory_snapshot){
                                .rss_bytes = test_u64(test_member(s, "peak_rss_bytes")),
                                .kv_cache_bytes = test_u64(test_member(s, "kv_cache_bytes")),
                                .activation_bytes = test_u64(test_member(s, "activation_bytes"))});
    }
    tch_memory_sums_report(&sums, &report);
    tch_buf_init(&b, 1 << 16);
    tch_memory_report_write(&b, label, &report);
    if (strcmp(c->tag, "sum_wraps_u64") == 0) /* the reference wraps around to 0 */
        assert_non_null(strstr(b.data, "\"mean_rss\":9223372036854775808,"));
    else
        assert_string_equal(b.data, expected);
    tch_buf_release(&b);
    free(label);
    free(expected);
}

static void reports_as_the_reference_does(void **state)
{
    (void)state;
    test_each_case("memory_report.jsonl", 12, check_report, NULL);
}

static void reads_the_resident_size_in_kib(void **state)
{
    static const struct {
        const char *text;
        uint64_t rss;
    } cases[] = {{"Name:\tx\nVmHWM:\t   20 kB\nVmRSS:\t   12 kB\nThreads:\t1\n", 12288},
                 {"VmRSS:\t0 kB\n", 0},
                 {"Name:\tVmRSS: 5 kB\n", 0},
                 {"", 0}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tch_status status;

        tch_status_parse(cases[i].text, &status);
        assert_int_equal(status.rss, cases[i].rss);
    }
}

static void reports_two_snapshots(void **state)
{
    static const tacho_memory_snapshot snapshots[] = {
        {.rss_bytes = 100, .kv_cache_bytes = 7, .activation_bytes = 1},
        {.rss_bytes = 301, .kv_cache_bytes = 5, .activation_bytes = 2}};
    struct tch_memory_sums sums = {0};
    tacho_memory_report report = TACHO_MEMORY_REPORT_INIT;
    struct tch_buf b;

    (void)state;
    for (size_t i = 0; i < 2; i++)
        tch_memory_sums_add(&sums, &snapshots[i]);
    tch_memory_sums_report(&sums, &report);
    tch_buf_init(&b, 1 << 16);
    tch_memory_report_write(&b, "two \"parts\"", &report);
    assert_string_equal(b.data,
                        "{\"label\":\"two \\\"parts\\\"\",\"peak_rss\":301,\"mean_rss\":200,"
                        "\"kv_cache_total\":12,\"activation_total\":3}");
    tch_buf_release(&b);
}

static void sums_saturate(void **state)
{
    struct tch_memory_sums sums = {0};
    tacho_memory_report report = TACHO_MEMORY_REPORT_INIT;
    tacho_memory_snapshot s = {.rss_bytes = UINT64_MAX, .kv_cache_bytes = UINT64_MAX - 1};

    (void)state;
    for (int i = 0; i < 3; i++)
        tch_memory_sums_add(&sums, &s);
    tch_memory_sums_report(&sums, &report);
    assert_true(report.mean_rss == UINT64_MAX && report.kv_cache_total == UINT64_MAX);
}

static void reads_stat_whatever_the_process_name(void **state)
{
    struct tch_stat s;
    const char *text = "42 (a) b) S 7 42 42 0 -1 4194304 100 20 3 4 50 60 70 80 20 0 1 0 12345 "
                       "1000 200 18446744073709551615 1 1";

    (void)state;
    assert_true(tch_stat_parse(text, &s));
    assert_true(s.ppid == 7 && s.state == 'S' && s.minor_faults == 120 && s.major_faults == 7);
    assert_true(s.cpu_ticks == 260 && s.start == 12345);
    assert_false(tch_stat_parse("", &s));
    assert_false(tch_stat_parse("42 (a", &s));
    assert_false(tch_stat_parse("42 (a) S 7", &s));
    assert_false(tch_stat_parse("42 (a)", &s));
}

static tacho_memory *new_memory(void)
{
    tacho_memory *m = NULL;

    assert_int_equal(tacho_memory_new("test", &m, NULL), 0);
    return m;
}

static void sees_allocated_and_freed_memory(void **state)
{
    tacho_memory *m = new_memory();
    tacho_memory_snapshot before = TACHO_MEMORY_SNAPSHOT_INIT;
    tacho_memory_snapshot during = TACHO_MEMORY_SNAPSHOT_INIT;
    tacho_memory_snapshot basic = TACHO_MEMORY_SNAPSHOT_INIT;
    tacho_memory_snapshot after = TACHO_MEMORY_SNAPSHOT_INIT;
    char *p;

    (void)state;
    assert_int_equal(tacho_memory_snapshot_take(m, TACHO_MEMORY_FULL, &before, NULL), 0);
    p = take(100 * MIB);
    assert_int_equal(tacho_memory_snapshot_take(m, TACHO_MEMORY_FULL, &during, NULL), 0);
    assert_int_equal(tacho_memory_snapshot_take(m, TACHO_MEMORY_BASIC, &basic, NULL), 0);
    munmap(p, 100 * MIB);
    assert_int_equal(tacho_memory_snapshot_take(m, TACHO_MEMORY_FULL, &after, NULL), 0);
    assert_true(within(during.rss_bytes - before.rss_bytes, 100 * MIB, 0.01));
    assert_true(within(during.anon_bytes - before.anon_bytes, 100 * MIB, 0.01));
    assert_true(within(basic.rss_bytes, during.rss_bytes, 0.01));
    assert_true(within(after.rss_bytes, before.rss_bytes, 0.2));
    assert_true(after.peak_rss_bytes >= during.rss_bytes - MIB);
    assert_true(during.minor_faults > before.minor_faults);
    assert_true(during.timestamp_us >= before.timestamp_us);
    tacho_memory_free(m);
    tacho_memory_free(NULL);
}

static void a_tracker_that_samples_can_be_freed(void **state)
{
    tacho_memory *m = new_memory();
    size_t len;
    char *json;

    (void)state;
    assert_int_equal(tacho_memory_start(m, TACHO_MEMORY_FULL, 3600000000000, NULL), 0);
    assert_int_equal(tacho_memory_summary_to_json(m, &json, &len, NULL), 0);
    assert_int_equal(len, strlen(json));
    assert_true(strncmp(json, "{\"label\":\"test\",\"peak_rss\":", 27) == 0);
    free(json);
    tacho_memory_free(m); /* does not wait until the hour has passed */
}

static int count_row(const tacho_csv_row *row, void *ctx, tacho_error *err)
{
    (void)row;
    (void)err;
    ++*(size_t *)ctx;
    return 0;
}

static void writes_into_the_run_folder(void **state)
{
    char path[160];
    tacho_memory *m;
    size_t rows = 0;

    (void)state;
    setenv("TACHO_RUN_DIR", test_home, 1);
    m = new_memory();
    unsetenv("TACHO_RUN_DIR");
    assert_int_equal(tacho_memory_category(m, "weights", NULL), 3);
    tacho_memory_add(m, 3, 10);
    assert_int_equal(tacho_memory_snapshot_take(m, TACHO_MEMORY_FULL, NULL, NULL), 0);
    assert_int_equal(tacho_memory_snapshot_take(m, TACHO_MEMORY_BASIC, NULL, NULL), 0);
    tacho_memory_free(m);
    snprintf(path, sizeof path, "%s/memory.%ld.csv", test_home, (long)getpid());
    assert_int_equal(tacho_csv_read(path, TACHO_CSV_MEMORY, count_row, &rows, NULL), 0);
    assert_int_equal(rows, 2);
    rows = 0;
    snprintf(path, sizeof path, "%s/memory-detail.%ld.csv", test_home, (long)getpid());
    assert_int_equal(tacho_csv_read(path, TACHO_CSV_MEMORY_DETAIL, count_row, &rows, NULL), 0);
    assert_int_equal(rows, 5); /* weights twice; anonymous, file and swap once */
}

static int check_row(const tacho_csv_row *row, void *ctx, tacho_error *err)
{
    uint64_t i = (*(size_t *)ctx)++;

    (void)err;
    assert_int_equal(row->as.memory.timestamp_us, 10 + i);
    assert_int_equal(row->as.memory.peak_rss_bytes, 100 + i);
    assert_int_equal(row->as.memory.kv_cache_bytes, 200 + i);
    assert_int_equal(row->as.memory.activation_bytes, 300 + i);
    assert_int_equal(row->as.memory.temp_buffer_bytes, 400 + i);
    return 0;
}

static void add_own(tacho_memory *m, uint64_t i)
{
    const tacho_memory_snapshot s = {.size = sizeof s,
                                     .timestamp_us = 10 + i,
                                     .rss_bytes = 100 + i,
                                     .kv_cache_bytes = 200 + i,
                                     .activation_bytes = 300 + i,
                                     .temp_buffer_bytes = 400 + i};

    assert_int_equal(tacho_memory_snapshot_add(m, &s, NULL), 0);
}

static void keeps_and_writes_its_snapshots(void **state)
{
    tacho_memory *m = new_memory();
    tacho_memory_snapshot s = TACHO_MEMORY_SNAPSHOT_INIT;
    tacho_memory_snapshot taken = TACHO_MEMORY_SNAPSHOT_INIT;
    tacho_memory_report report = TACHO_MEMORY_REPORT_INIT;
    char path[160];
    size_t rows = 0;

    (void)state;
    assert_string_equal(tacho_memory_label(m), "test");
    snprintf(path, sizeof path, "%s/not/yet/memory.csv", test_home);
    assert_int_equal(tacho_memory_write_csv(m, path, NULL), 0); /* no rows yet: writes the header */
    for (uint64_t i = 0; i < 3; i++)
        add_own(m, i);
    assert_int_equal(tacho_memory_write_csv(m, path, NULL), 0);
    assert_int_equal(tacho_csv_read(path, TACHO_CSV_MEMORY, check_row, &rows, NULL), 0);
    assert_int_equal(rows, 3);
    assert_int_equal(tacho_memory_snapshot_take(m, TACHO_MEMORY_FULL, &taken, NULL), 0);
    assert_int_equal(tacho_memory_snapshot_count(m), 4);
    assert_int_equal(tacho_memory_snapshot_dropped(m), 0);
    assert_int_equal(tacho_memory_snapshot_at(m, 2, &s, NULL), 0);
    assert_int_equal(s.temp_buffer_bytes, 402);
    assert_int_equal(tacho_memory_snapshot_at(m, 3, &s, NULL), 0);
    assert_memory_equal(&s, &taken, sizeof s);
    assert_int_equal(tacho_memory_snapshot_at(m, 4, &s, NULL), TACHO_EINVAL);
    assert_int_equal(tacho_memory_summary(m, &report, NULL), 0);
    assert_int_equal(report.snapshots, 4);
    assert_int_equal(report.kv_cache_total, 200 + 201 + 202);
    tacho_memory_free(m);
}

static void says_which_snapshots_are_not_kept(void **state)
{
    tacho_memory *m = new_memory();
    tacho_memory_report report = TACHO_MEMORY_REPORT_INIT;
    tacho_error err;
    char path[160];
    size_t rows = 0;

    (void)state;
    for (uint64_t i = 0; i < TACHO_MEMORY_KEPT + 2; i++)
        add_own(m, i);
    assert_int_equal(tacho_memory_snapshot_count(m), TACHO_MEMORY_KEPT);
    assert_int_equal(tacho_memory_snapshot_dropped(m), 2);
    assert_int_equal(tacho_memory_summary(m, &report, NULL), 0);
    assert_int_equal(report.snapshots, TACHO_MEMORY_KEPT + 2);
    assert_int_equal(report.peak_rss, 100 + TACHO_MEMORY_KEPT + 1);
    snprintf(path, sizeof path, "%s/memory.csv", test_home);
    assert_int_equal(tacho_memory_write_csv(m, path, &err), TACHO_ELIMIT);
    assert_non_null(strstr(err.message, "the first 1048576 snapshots; 2 more were not kept"));
    assert_int_equal(tacho_csv_read(path, TACHO_CSV_MEMORY, check_row, &rows, NULL), 0);
    assert_int_equal(rows, TACHO_MEMORY_KEPT);
    tacho_memory_free(m);
}

static void a_file_that_cannot_be_written_is_reported(void **state)
{
    tacho_memory *m = new_memory();
    tacho_error err;
    char path[160];

    (void)state;
    snprintf(path, sizeof path, "%s/file", test_home);
    assert_int_equal(tacho_memory_write_csv(m, path, NULL), 0);
    snprintf(path, sizeof path, "%s/file/memory.csv", test_home);
    assert_int_equal(tacho_memory_write_csv(m, path, &err), TACHO_EIO);
    assert_non_null(strstr(err.message, "/file'"));
    tacho_memory_free(m);
}

/* In a forked child the tracker measures the child. */
static int snapshot_in_child(void *arg)
{
    tacho_memory *m = arg;
    tacho_memory_snapshot before = TACHO_MEMORY_SNAPSHOT_INIT;
    tacho_memory_snapshot after = TACHO_MEMORY_SNAPSHOT_INIT;

    if (tacho_memory_snapshot_take(m, TACHO_MEMORY_BASIC, &before, NULL) < 0 || !take(64 * MIB) ||
        tacho_memory_snapshot_take(m, TACHO_MEMORY_BASIC, &after, NULL) < 0)
        return 1;
    return after.rss_bytes > before.rss_bytes + 60 * MIB ? 0 : 2;
}

static void follows_a_fork(void **state)
{
    tacho_memory *m;

    (void)state;
    if (TEST_EMULATED) {
        print_message("skipped: the emulator accepts MADV_WIPEONFORK and ignores it\n");
        skip();
    }
    m = new_memory();
    assert_int_equal(test_in_child(snapshot_in_child, m), 0);
    tacho_memory_free(m);
}

static void changes_of_the_wall_clock_have_no_effect(void **state)
{
    struct tch_stamp s = {.wall_ns = 5000000000000, .mono_ns = tch_now_ns()};
    uint64_t first = tch_stamp_us(&s);
    uint64_t second =
        tch_stamp_us(&s); /* the wall clock is not read again, so a change of it has no effect */

    (void)state;
    assert_true(first >= 5000000000 && first < 5000000000 + 60000000);
    assert_true(second >= first);
}

/* The linker replaces every clock_gettime() of this program by this function. */
static int64_t wall_offset_s;

int __real_clock_gettime(clockid_t id, struct timespec *t);
int __wrap_clock_gettime(clockid_t id, struct timespec *t);

int __wrap_clock_gettime(clockid_t id, struct timespec *t)
{
    int status = __real_clock_gettime(id, t);

    if (id == CLOCK_REALTIME)
        t->tv_sec += (time_t)wall_offset_s;
    return status;
}

static void a_wall_clock_set_back_does_not_set_timestamps_back(void **state)
{
    tacho_memory *m = new_memory();
    tacho_memory_snapshot before = TACHO_MEMORY_SNAPSHOT_INIT;
    tacho_memory_snapshot after = TACHO_MEMORY_SNAPSHOT_INIT;

    (void)state;
    assert_int_equal(tacho_memory_snapshot_take(m, TACHO_MEMORY_BASIC, &before, NULL), 0);
    wall_offset_s = -3600;
    assert_int_equal(tacho_memory_snapshot_take(m, TACHO_MEMORY_BASIC, &after, NULL), 0);
    assert_true(tch_wall_ns() / 1000 < before.timestamp_us); /* the clock really was set back */
    wall_offset_s = 0;
    assert_true(after.timestamp_us >= before.timestamp_us);
    assert_true(after.timestamp_us < before.timestamp_us + 60000000);
    tacho_memory_free(m);
}

static int track_once(void *arg)
{
    tacho_memory *m = NULL;
    char *json = NULL;
    int status = -1;

    (void)arg;
    if (tacho_memory_new("x", &m, NULL) == 0 &&
        tacho_memory_summary_to_json(m, &json, NULL, NULL) == 0)
        status = 0;
    free(json);
    tacho_memory_free(m);
    return status;
}

static void survives_every_failing_allocation(void **state)
{
    (void)state;
    test_every_allocation_fails(track_once, NULL);
}

/* The first full snapshot reads /proc/self/status. Those after the program grew need not. */
static void full_snapshots_agree_however_they_are_read(void **state)
{
    enum { MORE = 8 << 20 };
    tacho_memory_snapshot first = TACHO_MEMORY_SNAPSHOT_INIT;
    tacho_memory_snapshot grown = TACHO_MEMORY_SNAPSHOT_INIT;
    tacho_memory_snapshot after = TACHO_MEMORY_SNAPSHOT_INIT;
    tacho_memory *m = NULL;
    char *more;

    (void)state;
    assert_int_equal(tacho_memory_new(NULL, &m, NULL), 0);
    assert_int_equal(tacho_memory_snapshot_take(m, TACHO_MEMORY_FULL, &first, NULL), 0);
    more = mmap(NULL, MORE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(more != MAP_FAILED);
    memset(more, 1, MORE);
    for (int i = 0; i < 2; i++)
        assert_int_equal(tacho_memory_snapshot_take(m, TACHO_MEMORY_FULL, &grown, NULL), 0);
    assert_true(grown.anon_bytes + grown.swap_bytes >= first.anon_bytes + MORE / 2);
    assert_true(grown.peak_rss_bytes >= grown.rss_bytes);
    assert_int_equal(grown.anon_bytes + grown.file_bytes, grown.rss_bytes);
    munmap(more, MORE);
    assert_int_equal(tacho_memory_snapshot_take(m, TACHO_MEMORY_FULL, &after, NULL), 0);
    assert_true(after.anon_bytes < grown.anon_bytes);
    assert_true(after.peak_rss_bytes >= grown.peak_rss_bytes);
    tacho_memory_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(full_snapshots_agree_however_they_are_read),
        cmocka_unit_test(reads_the_resident_size_as_the_reference_does),
        cmocka_unit_test(reports_as_the_reference_does),
        cmocka_unit_test(reads_the_resident_size_in_kib),
        cmocka_unit_test(reports_two_snapshots),
        cmocka_unit_test(sums_saturate),
        cmocka_unit_test(reads_stat_whatever_the_process_name),
        cmocka_unit_test(a_tracker_that_samples_can_be_freed),
        TEST_IN_HOME(writes_into_the_run_folder),
        TEST_IN_HOME(keeps_and_writes_its_snapshots),
        TEST_IN_HOME(says_which_snapshots_are_not_kept),
        TEST_IN_HOME(a_file_that_cannot_be_written_is_reported),
        cmocka_unit_test(changes_of_the_wall_clock_have_no_effect),
        cmocka_unit_test(a_wall_clock_set_back_does_not_set_timestamps_back),
        cmocka_unit_test(survives_every_failing_allocation),
    };
    const struct CMUnitTest resident[] = {
        cmocka_unit_test(sees_allocated_and_freed_memory),
        cmocka_unit_test(follows_a_fork),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);

    if (!TEST_TSAN)
        failed += cmocka_run_group_tests(resident, NULL, NULL);
    return failed;
}
