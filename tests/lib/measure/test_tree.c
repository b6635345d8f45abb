/* Tests the memory of a process tree, on this machine and on made-up ones. */
#include "support/test.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <tacho/memory.h>

#include "base/file.h"
#include "lib/measure/under_root.h"
#include "resident.h"
#include "support/system.h"

/* A process that allocates 512 MB, frees it, then forks two children of 64 MB each, one of which
   outlives its parent. At each step it waits for a byte. */
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

static tacho_tree_sample poll_tree(tacho_tree *tree)
{
    tacho_tree_sample s = TACHO_TREE_SAMPLE_INIT;

    assert_int_equal(tacho_tree_poll(tree, &s, NULL), 0);
    return s;
}

static void follows_a_tree_that_grows_and_shrinks(void **state)
{
    struct life life = start_life();
    tacho_tree *tree = NULL;
    tacho_tree_sample base = TACHO_TREE_SAMPLE_INIT;
    tacho_tree_sample s = TACHO_TREE_SAMPLE_INIT;
    int status;

    (void)state;
    wait_for_step(&life, 1);
    assert_int_equal(tacho_tree_open(life.pid, &tree, NULL), 0);
    base = poll_tree(tree);
    assert_int_equal(base.processes, 1);
    go_on(&life, 1);
    wait_for_step(&life, 1);
    s = poll_tree(tree);
    assert_true(within(s.rss_bytes - base.rss_bytes, 512 * MIB, 0.01));
    assert_true(within(s.anon_bytes - base.anon_bytes, 512 * MIB, 0.01));
    go_on(&life, 1);
    wait_for_step(&life, 1);
    s = poll_tree(tree);
    assert_true(s.rss_bytes < base.rss_bytes + 8 * MIB);
    assert_true(within(s.peak_rss_bytes, base.rss_bytes + 512 * MIB, 0.01));
    go_on(&life, 1);
    wait_for_step(&life, 2);
    s = poll_tree(tree);
    assert_true(s.processes >= 2); /* the orphan is a member if it was sampled with its parent */
    assert_true(s.anon_bytes >= base.anon_bytes + 63 * MIB);
    assert_true(within(s.peak_rss_bytes, base.rss_bytes + 512 * MIB, 0.01));
    go_on(&life, 2);
    waitpid(life.pid, &status, 0);
    s = poll_tree(tree);
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

static void members_stay_when_their_parent_exits(void **state)
{
    tacho_tree *tree = NULL;
    tacho_tree_sample s = TACHO_TREE_SAMPLE_INIT;
    tacho_error err;

    (void)state;
    put_process("100", STAT(100, 1, 5), "VmHWM:\t90 kB\nVmRSS:\t10 kB\n");
    put_process("50", STAT(50, 100, 6), "VmRSS:\t20 kB\n");
    put_process("60", STAT(60, 50, 7), "VmRSS:\t40 kB\n");
    put_process("200", STAT(200, 1, 5), "VmRSS:\t1000 kB\n");
    assert_int_equal(tch_tree_open(test_home, 7, &tree, &err), TACHO_EINVAL);
    assert_string_equal(err.message, "there is no process 7");
    assert_int_equal(tch_tree_open(test_home, 100, &tree, NULL), 0);
    s = poll_tree(tree);
    assert_true(s.processes == 3 && s.rss_bytes == 70 * 1024);
    assert_true(s.peak_rss_bytes == 90 * 1024);
    remove_process("50");
    put_process("60", STAT(60, 1, 7), "VmRSS:\t40 kB\n");
    put_process("100", STAT(100, 1, 99), "VmRSS:\t10 kB\n"); /* the process id was reused */
    s = poll_tree(tree);
    assert_true(s.processes == 1 && s.rss_bytes == 40 * 1024);
    assert_true(s.peak_rss_bytes == 90 * 1024);
    remove_process("60");
    s = poll_tree(tree);
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

/* Where the kernel lists children, no other process is read: 320 claims to be a child, but is
   not listed. */
static void follows_the_children_that_the_kernel_lists(void **state)
{
    tacho_tree *tree = NULL;
    tacho_tree_sample s = TACHO_TREE_SAMPLE_INIT;

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
    assert_int_equal(tch_tree_open(test_home, 300, &tree, NULL), 0);
    s = poll_tree(tree);
    assert_true(s.processes == 4 && s.rss_bytes == 150 * 1024);
    remove_process("311");
    s = poll_tree(tree); /* 305 stays a member */
    assert_true(s.processes == 3 && s.rss_bytes == 110 * 1024);
    put_process("300", STAT(300, 1, 99), "VmRSS:\t10 kB\n"); /* the process id was reused */
    s = poll_tree(tree);
    assert_true(s.processes == 2 && s.rss_bytes == 100 * 1024);
    tacho_tree_close(tree);
}

/* When a file of a member cannot be read, the sample fails instead of reporting a smaller sum.
   The next sample has all members again. */
static void a_sample_is_complete_or_fails(void **state)
{
    tacho_tree *tree = NULL;
    tacho_tree_sample s = TACHO_TREE_SAMPLE_INIT;
    tacho_error err;
    char path[160];

    (void)state;
    put_process("400", STAT(400, 1, 5), "VmRSS:\t10 kB\n");
    put_process("410", STAT(410, 400, 6), "VmRSS:\t20 kB\n");
    put_children("400", "400", "410 ");
    put_children("410", "410", "");
    assert_int_equal(tch_tree_open(test_home, 400, &tree, NULL), 0);
    s = poll_tree(tree);
    assert_true(s.processes == 2 && s.rss_bytes == 30 * 1024);
    remove_process("410");
    put_children("400", "400", "");
    for (int i = 0; i < 2; i++) { /* a folder cannot be read */
        snprintf(path, sizeof path, "%s/proc/410/%s", test_home, i == 0 ? "stat" : "status");
        assert_int_equal(tch_mkdirs(path, NULL), 0);
        assert_int_equal(tacho_tree_poll(tree, &s, &err), TACHO_EIO);
        assert_non_null(strstr(err.message, path));
        assert_int_equal(rmdir(path), 0);
        put_process("410", STAT(410, 400, 6), "VmRSS:\t20 kB\n");
        s = poll_tree(tree);
        assert_true(s.processes == 2 && s.rss_bytes == 30 * 1024);
        snprintf(path, sizeof path, "%s/proc/410/status", test_home);
        unlink(path);
    }
    tacho_tree_close(tree);
}

static int poll_once(void *arg)
{
    tacho_tree *tree = NULL;
    tacho_tree_sample s = TACHO_TREE_SAMPLE_INIT;
    int status = -1;

    (void)arg;
    if (tch_tree_open(test_home, 100, &tree, NULL) == 0 && tacho_tree_poll(tree, &s, NULL) == 0)
        status = 0;
    tacho_tree_close(tree);
    return status;
}

static void survives_every_failing_allocation(void **state)
{
    (void)state;
    put_process("100", STAT(100, 1, 5), "VmHWM:\t90 kB\nVmRSS:\t10 kB\n");
    test_every_allocation_fails(poll_once, NULL);
    put_process("50", STAT(50, 100, 5), "VmRSS:\t10 kB\n");
    put_children("100", "100", "50 ");
    test_every_allocation_fails(poll_once, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_HOME(members_stay_when_their_parent_exits),
        TEST_IN_HOME(follows_the_children_that_the_kernel_lists),
        TEST_IN_HOME(a_sample_is_complete_or_fails),
        TEST_IN_HOME(survives_every_failing_allocation),
    };
    const struct CMUnitTest resident[] = {
        cmocka_unit_test(follows_a_tree_that_grows_and_shrinks),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);

    if (!TEST_TSAN)
        failed += cmocka_run_group_tests(resident, NULL, NULL);
    return failed;
}
