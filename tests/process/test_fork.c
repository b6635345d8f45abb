/* Tests children that the kernel kills with their parent, and the signals of a new program. */
#include "support/test.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process/fork.h"

/* The child of a child becomes ours, so that its end can be seen here. */
static void a_child_dies_with_its_parent(void **state)
{
    int fds[2];
    pid_t parent;
    pid_t child;
    int status;

    (void)state;
    assert_int_equal(pipe(fds), 0);
    parent = fork();
    if (parent == 0) {
        child = tch_fork();
        if (child == 0)
            for (;;)
                pause();
        (void)!write(fds[1], &child, sizeof child);
        _exit(0);
    }
    assert_int_equal(read(fds[0], &child, sizeof child), sizeof child);
    assert_int_equal(waitpid(parent, &status, 0), parent);
    assert_int_equal(status, 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    /* 127: its parent died before it could ask the kernel to be killed. */
    assert_true(WIFSIGNALED(status) ? WTERMSIG(status) == SIGKILL : WEXITSTATUS(status) == 127);
    close(fds[0]);
    close(fds[1]);
}

static void action_of(int sig, void (**ret)(int))
{
    struct sigaction action;

    assert_int_equal(sigaction(sig, NULL, &action), 0);
    *ret = action.sa_handler;
}

static void signals_are_reset_but_nohup_stays(void **state)
{
    void (*handler)(int);
    sigset_t mask;

    (void)state;
    signal(SIGHUP, SIG_IGN);
    signal(SIGUSR1, SIG_IGN);
    sigfillset(&mask);
    sigprocmask(SIG_SETMASK, &mask, NULL);
    tch_reset_signals();
    action_of(SIGHUP, &handler);
    assert_ptr_equal(handler, SIG_IGN);
    action_of(SIGUSR1, &handler);
    assert_ptr_equal(handler, SIG_DFL);
    sigprocmask(SIG_SETMASK, NULL, &mask);
    assert_int_equal(sigismember(&mask, SIGUSR1), 0);
    signal(SIGHUP, SIG_DFL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_child_dies_with_its_parent),
        cmocka_unit_test(signals_are_reset_but_nohup_stays),
    };

    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
