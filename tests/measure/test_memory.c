/* Memory of this process, by category; memory of a process tree; the texts of /proc. */
#include "support/test.h"

#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <tacho/csv.h>
#include <tacho/memory.h>

#include "base/file.h"
#include "measure/memory.h"
#include "measure/proc_text.h"
#include "measure/stamp.h"
#include "support/reference.h"
#include "support/system.h"
#include "support/vectors.h"

static const size_t MIB = 1024 * 1024;

static void check_vmrss(const struct test_case *c, void *arg)
{
    char *text = test_text(test_member(c->input, "text"), NULL);
    uint64_t got = tch_status_bytes(text, "VmRSS");

    (void)arg;
    if (got != test_u64(test_member(c->expect, "rss_bytes")))
        fail_msg("case %s: got %llu", c->id, (unsigned long long)got);
    free(text);
}

static void reads_the_resident_size_as_the_reference_does(void **state)
{
    (void)state;
    assert_int_equal(test_each_case("vmrss_parse.jsonl", check_vmrss, NULL), 10);
}

static void check_report(const struct test_case *c, void *arg)
{
    struct test_json snapshots = test_member(c->input, "snapshots");
    size_t n = test_count(snapshots);
    struct tch_memory_sums sums = {0};
    tacho_memory_report report;
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
    assert_int_equal(test_each_case("memory_report.jsonl", check_report, NULL), 12);
}

static void sums_stay_at_the_largest(void **state)
{
    struct tch_memory_sums sums = {0};
    tacho_memory_report report;
    tacho_memory_snapshot s = {.rss_bytes = UINT64_MAX, .kv_cache_bytes = UINT64_MAX - 1};

    (void)state;
    for (int i = 0; i < 3; i++)
        tch_memory_sums_add(&sums, &s);
    tch_memory_sums_report(&sums, &report);
    assert_true(report.mean_rss == UINT64_MAX && report.kv_cache_total == UINT64_MAX);
}

static void reads_stat_whatever_the_name(void **state)
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

/* Pages that are really there, and go back to the kernel at once. */
static char *take(size_t bytes)
{
    char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (p == MAP_FAILED)
        return NULL;
    memset(p, 1, bytes);
    return p;
}

static bool within(uint64_t got, uint64_t expected, double share)
{
    double off = (double)got - (double)expected;

    return (off < 0 ? -off : off) <= share * (double)expected;
}

static void sees_what_is_allocated_and_freed(void **state)
{
    tacho_memory *m = new_memory();
    tacho_memory_snapshot before;
    tacho_memory_snapshot during;
    tacho_memory_snapshot basic;
    tacho_memory_snapshot after;
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
    char *json;

    (void)state;
    assert_int_equal(tacho_memory_start(m, TACHO_MEMORY_FULL, 3600000000000, NULL), 0);
    assert_int_equal(tacho_memory_report_json(m, &json, NULL), 0);
    assert_true(strncmp(json, "{\"label\":\"test\",\"peak_rss\":", 27) == 0);
    free(json);
    tacho_memory_free(m); /* does not wait for the hour to pass */
}

static int count_row(const tacho_csv_row *row, void *ctx, tacho_error *err)
{
    (void)row;
    (void)err;
    ++*(size_t *)ctx;
    return 0;
}

static void writes_into_the_run_folder_unasked(void **state)
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

/* In a forked child the tracker tells of the child. */
static int snapshot_in_child(void *arg)
{
    tacho_memory *m = arg;
    tacho_memory_snapshot before;
    tacho_memory_snapshot after;

    if (tacho_memory_snapshot_take(m, TACHO_MEMORY_BASIC, &before, NULL) < 0 || !take(64 * MIB) ||
        tacho_memory_snapshot_take(m, TACHO_MEMORY_BASIC, &after, NULL) < 0)
        return 1;
    return after.rss_bytes > before.rss_bytes + 60 * MIB ? 0 : 2;
}

static void follows_a_fork(void **state)
{
    tacho_memory *m = new_memory();

    (void)state;
    assert_int_equal(test_in_child(snapshot_in_child, m), 0);
    tacho_memory_free(m);
}

static void the_wall_clock_plays_no_part(void **state)
{
    struct tch_stamp s = {.wall_ns = 5000000000000, .mono_ns = tch_now_ns()};
    uint64_t first = tch_stamp_us(&s);
    uint64_t second = tch_stamp_us(&s); /* whatever the wall clock did, which is not read again */

    (void)state;
    assert_true(first >= 5000000000 && first < 5000000000 + 60000000);
    assert_true(second >= first);
}

/* The linker hands every clock_gettime() of this program to this one. */
static int64_t wall_offset_s;

int __real_clock_gettime(clockid_t id, struct timespec *t);
int __wrap_clock_gettime(clockid_t id, struct timespec *t);

int __wrap_clock_gettime(clockid_t id, struct timespec *t)
{
    int status = __real_clock_gettime(id, t);

    if (id == CLOCK_REALTIME)
        t->tv_sec += wall_offset_s;
    return status;
}

static void a_clock_set_back_does_not_turn_time_around(void **state)
{
    tacho_memory *m = new_memory();
    tacho_memory_snapshot before;
    tacho_memory_snapshot after;

    (void)state;
    assert_int_equal(tacho_memory_snapshot_take(m, TACHO_MEMORY_BASIC, &before, NULL), 0);
    wall_offset_s = -3600;
    assert_int_equal(tacho_memory_snapshot_take(m, TACHO_MEMORY_BASIC, &after, NULL), 0);
    assert_true(tch_wall_ns() / 1000 < before.timestamp_us); /* it was set back indeed */
    wall_offset_s = 0;
    assert_true(after.timestamp_us >= before.timestamp_us);
    assert_true(after.timestamp_us < before.timestamp_us + 60000000);
    tacho_memory_free(m);
}

/* A process that takes 512 MB, gives it back, then forks two children of 64 MB each, one of which
   is left behind by its parent. It waits at each step for a byte. */
static int next_step(int in, int out)
{
    char c;

    return write(out, "x", 1) == 1 && read(in, &c, 1) == 1 ? 0 : -1;
}

static void orphan_and_wait(int in, int out)
{
    pid_t between = fork();

    if (between == 0) {
        if (fork() == 0) {
            take(64 * MIB);
            next_step(in, out);
            _exit(0);
        }
        _exit(0);
    }
    waitpid(between, NULL, 0);
}

static void live(int in, int out)
{
    pid_t child;
    char *p;

    next_step(in, out);
    p = take(512 * MIB);
    next_step(in, out);
    munmap(p, 512 * MIB);
    next_step(in, out);
    child = fork();
    if (child == 0) {
        take(64 * MIB);
        next_step(in, out);
        _exit(0);
    }
    orphan_and_wait(in, out);
    waitpid(child, NULL, 0);
    _exit(0);
}

struct life {
    pid_t pid;
    int in;
    int out;
};

static struct life start_life(void)
{
    int to[2];
    int from[2];
    struct life life;

    assert_int_equal(pipe(to), 0);
    assert_int_equal(pipe(from), 0);
    life.pid = fork();
    if (life.pid == 0) {
        close(to[1]);
        close(from[0]);
        live(to[0], from[1]);
    }
    close(to[0]);
    close(from[1]);
    life.in = to[1];
    life.out = from[0];
    return life;
}

static void wait_for_step(const struct life *life, int steps)
{
    char c;

    while (steps-- > 0)
        assert_int_equal(read(life->out, &c, 1), 1);
}

static void go_on(const struct life *life, int steps)
{
    while (steps-- > 0)
        assert_int_equal(write(life->in, "x", 1), 1);
}

static tacho_tree_sample look(tacho_tree *tree)
{
    tacho_tree_sample s = {0};

    assert_int_equal(tacho_tree_look(tree, &s, NULL), 0);
    return s;
}

static void follows_a_tree_that_grows_and_shrinks(void **state)
{
    struct life life = start_life();
    tacho_tree *tree = NULL;
    tacho_tree_sample base;
    tacho_tree_sample s;
    int status;

    (void)state;
    wait_for_step(&life, 1);
    assert_int_equal(tacho_tree_open("", life.pid, &tree, NULL), 0);
    base = look(tree);
    assert_int_equal(base.processes, 1);
    go_on(&life, 1);
    wait_for_step(&life, 1);
    s = look(tree);
    assert_true(within(s.rss_bytes - base.rss_bytes, 512 * MIB, 0.01));
    assert_true(within(s.anon_bytes - base.anon_bytes, 512 * MIB, 0.01));
    go_on(&life, 1);
    wait_for_step(&life, 1);
    s = look(tree);
    assert_true(s.rss_bytes < base.rss_bytes + 8 * MIB);
    assert_true(within(s.peak_rss_bytes, base.rss_bytes + 512 * MIB, 0.01));
    go_on(&life, 1);
    wait_for_step(&life, 2);
    s = look(tree);
    assert_true(s.processes >= 2); /* the orphan is a member if it was seen with its parent */
    assert_true(s.anon_bytes >= base.anon_bytes + 63 * MIB);
    assert_true(within(s.peak_rss_bytes, base.rss_bytes + 512 * MIB, 0.01));
    go_on(&life, 2);
    waitpid(life.pid, &status, 0);
    s = look(tree);
    assert_true(s.peak_rss_bytes > 512 * MIB);
    assert_true(s.cpu_ns > 0 && s.minor_faults > 0);
    tacho_tree_close(tree);
    tacho_tree_close(NULL);
    close(life.in);
    close(life.out);
}

static void put_process(const char *pid, const char *stat, const char *status)
{
    char path[160];

    snprintf(path, sizeof path, "%s/proc/%s", test_home, pid);
    assert_int_equal(tch_mkdirs(path, NULL), 0);
    snprintf(path, sizeof path, "%s/proc/%s/stat", test_home, pid);
    test_put(path, stat);
    snprintf(path, sizeof path, "%s/proc/%s/status", test_home, pid);
    test_put(path, status);
}

static void remove_process(const char *pid)
{
    char path[160];

    snprintf(path, sizeof path, "%s/proc/%s/stat", test_home, pid);
    unlink(path);
    snprintf(path, sizeof path, "%s/proc/%s/status", test_home, pid);
    unlink(path);
}

#define STAT(pid, ppid, start) \
#pid " (p) S " #ppid " 0 0 0 -1 0 1 0 0 0 2 1 0 0 20 0 1 0 " #start " 0 0 0\n"

static void members_stay_when_their_parent_ends(void **state)
{
    tacho_tree *tree = NULL;
    tacho_tree_sample s;
    tacho_error err;

    (void)state;
    put_process("100", STAT(100, 1, 5), "VmHWM:\t90 kB\nVmRSS:\t10 kB\n");
    put_process("50", STAT(50, 100, 6), "VmRSS:\t20 kB\n");
    put_process("60", STAT(60, 50, 7), "VmRSS:\t40 kB\n");
    put_process("200", STAT(200, 1, 5), "VmRSS:\t1000 kB\n");
    assert_int_equal(tacho_tree_open(test_home, 7, &tree, &err), TACHO_EINVAL);
    assert_string_equal(err.message, "there is no process 7");
    assert_int_equal(tacho_tree_open(test_home, 100, &tree, NULL), 0);
    s = look(tree);
    assert_true(s.processes == 3 && s.rss_bytes == 70 * 1024);
    assert_true(s.peak_rss_bytes == 90 * 1024);
    remove_process("50");
    put_process("60", STAT(60, 1, 7), "VmRSS:\t40 kB\n");
    put_process("100", STAT(100, 1, 99), "VmRSS:\t10 kB\n"); /* the number was used again */
    s = look(tree);
    assert_true(s.processes == 1 && s.rss_bytes == 40 * 1024);
    assert_true(s.peak_rss_bytes == 90 * 1024);
    remove_process("60");
    s = look(tree);
    assert_true(s.processes == 0 && s.rss_bytes == 0);
    tacho_tree_close(tree);
}

static void put_children(const char *pid, const char *tid, const char *children)
{
    char path[160];

    snprintf(path, sizeof path, "%s/proc/%s/task/%s", test_home, pid, tid);
    assert_int_equal(tch_mkdirs(path, NULL), 0);
    snprintf(path, sizeof path, "%s/proc/%s/task/%s/children", test_home, pid, tid);
    test_put(path, children);
}

/* Where the kernel lists children nobody else is read: 320 says that it is a child, but is not. */
static void follows_the_children_that_the_kernel_lists(void **state)
{
    tacho_tree *tree = NULL;
    tacho_tree_sample s;

    (void)state;
    put_process("300", "300 (p) S 1 0 0 0 -1 0 1 0 0 0 2 1 0 0 20 0 2 0 5 0 0 0\n",
                "VmRSS:\t10 kB\n"); /* two threads */
    put_process("310", STAT(310, 300, 6), "VmRSS:\t20 kB\n");
    put_process("311", STAT(311, 300, 6), "VmRSS:\t40 kB\n");
    put_process("305", STAT(305, 311, 7), "VmRSS:\t80 kB\n");
    put_process("320", STAT(320, 300, 7), "VmRSS:\t1000 kB\n");
    put_children("300", "300", "310 ");
    put_children("300", "301", "311 99999 ");
    put_children("310", "310", "");
    put_children("311", "311", "305 310 ");
    assert_int_equal(tacho_tree_open(test_home, 300, &tree, NULL), 0);
    s = look(tree);
    assert_true(s.processes == 4 && s.rss_bytes == 150 * 1024);
    remove_process("311");
    s = look(tree); /* 305 stays a member */
    assert_true(s.processes == 3 && s.rss_bytes == 110 * 1024);
    put_process("300", STAT(300, 1, 99), "VmRSS:\t10 kB\n"); /* the number was used again */
    s = look(tree);
    assert_true(s.processes == 2 && s.rss_bytes == 100 * 1024);
    tacho_tree_close(tree);
}

static int track_once(void *arg)
{
    tacho_memory *m = NULL;
    char *json = NULL;
    int status = -1;

    (void)arg;
    if (tacho_memory_new("x", &m, NULL) == 0 && tacho_memory_report_json(m, &json, NULL) == 0)
        status = 0;
    free(json);
    tacho_memory_free(m);
    return status;
}

static int look_once(void *arg)
{
    tacho_tree *tree = NULL;
    tacho_tree_sample s;
    int status = -1;

    (void)arg;
    if (tacho_tree_open(test_home, 100, &tree, NULL) == 0 && tacho_tree_look(tree, &s, NULL) == 0)
        status = 0;
    tacho_tree_close(tree);
    return status;
}

static void survives_every_failing_allocation(void **state)
{
    (void)state;
    put_process("100", STAT(100, 1, 5), "VmHWM:\t90 kB\nVmRSS:\t10 kB\n");
    test_every_allocation_fails(track_once, NULL);
    test_every_allocation_fails(look_once, NULL);
    put_process("50", STAT(50, 100, 5), "VmRSS:\t10 kB\n");
    put_children("100", "100", "50 ");
    test_every_allocation_fails(look_once, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_the_resident_size_as_the_reference_does),
        cmocka_unit_test(reports_as_the_reference_does),
        cmocka_unit_test(sums_stay_at_the_largest),
        cmocka_unit_test(reads_stat_whatever_the_name),
        cmocka_unit_test(a_tracker_that_samples_can_be_freed),
        TEST_IN_HOME(writes_into_the_run_folder_unasked),
        cmocka_unit_test(the_wall_clock_plays_no_part),
        cmocka_unit_test(a_clock_set_back_does_not_turn_time_around),
        TEST_IN_HOME(members_stay_when_their_parent_ends),
        TEST_IN_HOME(follows_the_children_that_the_kernel_lists),
        TEST_IN_HOME(survives_every_failing_allocation),
    };

    const struct CMUnitTest resident[] = {
        cmocka_unit_test(sees_what_is_allocated_and_freed),
        cmocka_unit_test(follows_a_fork),
        cmocka_unit_test(follows_a_tree_that_grows_and_shrinks),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);

    if (!TEST_SHADOWED)
        failed += cmocka_run_group_tests(resident, NULL, NULL);
    return test_reference_result(failed);
}
