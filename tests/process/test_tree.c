/* Tests which processes of a tree get which signals when it ends. Keepers, which end trees by the
   same function, are tested by test_keeper.c. */
#include "support/test.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process/spawn.h"
#include "process/tree.h"

enum { LONG_MS = 600 * 1000 }; /* longer than any test takes */

#define SH(script) ((const char *const[]){"sh", "-c", script, NULL})

/* A child that ignores SIGTERM. It prints its pid when it does, in one line with its parent's. */
#define STUBBORN "sh -c 'trap \"\" TERM; echo '$$' $$; while :; do sleep 0.05; done' & "

/* Runs a script in a group of its own until it has printed its pid and that of a child. */
static void start(const char *script, pid_t *ret, pid_t *child)
{
    struct tch_spawn s = {.argv = SH(script), .new_group = true};
    char text[64] = "";
    size_t len = 0;
    long pids[2];
    int fds[2];

    assert_int_equal(pipe(fds), 0);
    s.io[1] = (struct tch_io){.kind = TCH_IO_FD, .fd = fds[1]};
    assert_int_equal(tch_spawn(&s, ret, NULL), 0);
    close(fds[1]);
    while (!strchr(text, '\n')) {
        ssize_t n = read(fds[0], text + len, sizeof text - 1 - len);

        assert_true(n > 0);
        len += (size_t)n;
    }
    close(fds[0]);
    assert_int_equal(sscanf(text, "%9ld %9ld", &pids[0], &pids[1]), 2);
    assert_int_equal(pids[0], *ret);
    *child = (pid_t)pids[1];
}

/* Waits until a process that is not our child has exited and was reaped. This process adopts
   orphans, so it reaps them. */
static void assert_gone(pid_t pid)
{
    while (kill(pid, 0) == 0)
        if (waitpid(pid, NULL, WNOHANG) == 0)
            usleep(1000);
    assert_int_equal(errno, ESRCH);
}

static int wait_status(pid_t pid)
{
    struct tch_spawn_end end;

    assert_int_equal(tch_spawn_wait(pid, &end, NULL), 0);
    return end.status;
}

static void end_tree(pid_t root, pid_t group, int patience_ms, int grace_ms)
{
    struct tch_tree tree = {.group = group};

    tch_tree_find(&tree, root);
    tch_tree_end(&tree, patience_ms, grace_ms);
    tch_tree_release(&tree);
    tch_tree_release(&tree); /* has no effect */
}

static void asks_before_it_kills(void **state)
{
    pid_t root;
    pid_t child;
    int status;

    (void)state;
    start("sleep 1000 & trap 'exit 7' TERM; echo $$ $!; wait", &root, &child);
    end_tree(root, 0, 0, LONG_MS);
    status = wait_status(root);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 7);
    assert_gone(child);
}

static void kills_what_ignores_the_request(void **state)
{
    pid_t root;
    pid_t child;
    int status;

    (void)state;
    start(STUBBORN "wait", &root, &child);
    end_tree(root, 0, 0, 10);
    status = wait_status(root);
    assert_true(WIFSIGNALED(status));
    assert_gone(child);
}

static void without_grace_nobody_is_asked(void **state)
{
    pid_t root;
    pid_t child;
    int status;

    (void)state;
    start("sleep 1000 & trap 'exit 7' TERM; echo $$ $!; wait", &root, &child);
    end_tree(root, 0, 0, 0);
    status = wait_status(root);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    assert_gone(child);
}

static void patience_lets_a_program_finish(void **state)
{
    pid_t root;
    pid_t child;
    int status;

    (void)state;
    start("sleep 0.1 & echo $$ $!; wait; exit 3", &root, &child);
    end_tree(root, 0, LONG_MS, 0);
    status = wait_status(root);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 3);
    assert_gone(child);
}

static void orphans_of_the_group_are_killed(void **state)
{
    pid_t root;
    pid_t child;

    (void)state;
    start(STUBBORN "exit 0", &root, &child);
    /* Only when the root has exited, its child has left the tree. */
    assert_int_equal(waitid(P_PID, (id_t)root, &(siginfo_t){0}, WEXITED | WNOWAIT), 0);
    end_tree(root, root, 0, LONG_MS);
    assert_int_equal(wait_status(root), 0);
    assert_gone(child);
}

/* The keeper of this tree is the test itself: no orphan is left, and the root is still its own. */
static void a_keeper_ends_its_orphans_and_keeps_the_root(void **state)
{
    struct tch_tree tree = {.keeper = getpid()};
    pid_t root;
    pid_t child;
    int status;

    (void)state;
    start("trap 'exit 5' TERM; (setsid " STUBBORN ") & while :; do sleep 0.05; done", &root,
          &child);
    tch_tree_find(&tree, root);
    tch_tree_end(&tree, 0, 100);
    tch_tree_release(&tree);
    status = wait_status(root);
    assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) == 5);
    assert_int_equal(kill(child, 0), -1);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

static void a_root_that_is_unknown_leaves_the_keepers_children(void **state)
{
    struct tch_tree tree = {.keeper = getpid()};
    pid_t root;
    pid_t child;

    (void)state;
    start(STUBBORN "wait", &root, &child);
    tch_tree_find(&tree, 0);
    assert_true(tree.count >= 2);
    tch_tree_end(&tree, 0, 0);
    tch_tree_release(&tree);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

static void stop_ends_the_tree_of_a_child(void **state)
{
    static const volatile sig_atomic_t now = 1;
    struct tch_spawn_end end;
    pid_t root;
    pid_t child;

    (void)state;
    start(STUBBORN "trap 'exit 7' TERM; wait", &root, &child);
    assert_int_equal(tch_spawn_wait_or_stop(root, &now, 100000000, &end, NULL), 0);
    assert_true(WIFEXITED(end.status) ? WEXITSTATUS(end.status) == 7 : WIFSIGNALED(end.status));
    assert_gone(child);
}

static void without_stop_the_status_is_the_childs(void **state)
{
    static const volatile sig_atomic_t never;
    struct tch_spawn s = {.argv = SH("exit 9"), .new_group = true};
    struct tch_spawn_end end;
    pid_t pid;

    (void)state;
    assert_int_equal(tch_spawn(&s, &pid, NULL), 0);
    assert_int_equal(tch_spawn_wait_or_stop(pid, &never, 0, &end, NULL), 0);
    assert_true(WIFEXITED(end.status) && WEXITSTATUS(end.status) == 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(asks_before_it_kills),
        cmocka_unit_test(kills_what_ignores_the_request),
        cmocka_unit_test(without_grace_nobody_is_asked),
        cmocka_unit_test(patience_lets_a_program_finish),
        cmocka_unit_test(orphans_of_the_group_are_killed),
        cmocka_unit_test(a_keeper_ends_its_orphans_and_keeps_the_root),
        cmocka_unit_test(a_root_that_is_unknown_leaves_the_keepers_children),
        cmocka_unit_test(stop_ends_the_tree_of_a_child),
        cmocka_unit_test(without_stop_the_status_is_the_childs),
    };

    /* Orphans become children of this process, so that the tests can see them exit. */
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    alarm(LONG_MS / 1000); /* a process that is not killed would be waited for without end */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
