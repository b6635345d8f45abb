/* Tests programs below a keeper: their status, and which of their descendants are killed. That they
   do not outlive this process is tested by tests/hostile/processes.sh. */
#include "support/test.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process/keeper.h"
#include "process/orphans.h"

#define ARGV(...)  ((const char *const[]){__VA_ARGS__, NULL})
#define SH(script) ARGV("sh", "-c", script)

/* Starts a daemon, whose parent has exited, and prints its pid. */
#define DAEMON "(setsid sh -c 'echo $$; exec sleep 97' &); "

static void reports_the_status(void **state)
{
    struct tch_keeper k;
    struct tch_spawn_end end;

    (void)state;
    assert_int_equal(tch_keep(&k, &(struct tch_spawn){.argv = SH("exit 7")}, NULL), 0);
    assert_int_equal(tch_keeper_wait(&k, UINT64_MAX, &end, NULL), 1);
    assert_true(WIFEXITED(end.status) && WEXITSTATUS(end.status) == 7);
    assert_true(tch_keeper_ended(&k));
    assert_int_equal(tch_keeper_wait(&k, 0, &end, NULL), 1); /* again */
    tch_keeper_close(&k);
    tch_keeper_close(&k);
}

static void a_missing_program_is_an_error(void **state)
{
    struct tch_keeper k;
    tacho_error err;

    (void)state;
    assert_int_equal(tch_keep(&k, &(struct tch_spawn){.argv = ARGV("no-such-program")}, &err),
                     TACHO_EIO);
    assert_non_null(strstr(err.message, "cannot run 'no-such-program'"));
    assert_int_equal(k.pid, 0);
    tch_keeper_stop(&k); /* has no effect */
}

static void an_exited_program_keeps_its_pid_until_it_is_waited_for(void **state)
{
    struct tch_keeper k;
    struct tch_spawn_end end;

    (void)state;
    assert_int_equal(tch_keep(&k, &(struct tch_spawn){.argv = ARGV("true")}, NULL), 0);
    assert_int_equal(poll(&(struct pollfd){.fd = k.fd, .events = POLLIN}, 1, -1), 1);
    assert_int_equal(kill(k.pid, 0), 0);
    assert_int_equal(tch_keeper_wait(&k, UINT64_MAX, &end, NULL), 1);
    assert_int_equal(end.status, 0);
    tch_keeper_close(&k);
}

/* Runs a script below a keeper and reads the pid that it prints. */
static pid_t keep_and_read(struct tch_keeper *k, const char *script)
{
    struct tch_spawn s = {.argv = SH(script)};
    char text[32] = "";
    int fds[2];
    long pid;

    assert_int_equal(pipe(fds), 0);
    s.io[1] = (struct tch_io){.kind = TCH_IO_FD, .fd = fds[1]};
    assert_int_equal(tch_keep(k, &s, NULL), 0);
    assert_true(read(fds[0], text, sizeof text - 1) > 0);
    assert_int_equal(sscanf(text, "%9ld", &pid), 1);
    close(fds[0]);
    close(fds[1]);
    return (pid_t)pid;
}

static void stop_kills_daemons_too(void **state)
{
    static const volatile sig_atomic_t now = 1;
    struct tch_keeper k;
    struct tch_spawn_end end;
    pid_t daemon_pid = keep_and_read(&k, DAEMON "trap '' TERM; while :; do sleep 0.05; done");

    (void)state;
    assert_int_equal(tch_keeper_wait(&k, 1000000, &end, NULL), 0);
    assert_int_equal(tch_keeper_wait_or_stop(&k, &now, &end, NULL), 0);
    assert_true(WIFSIGNALED(end.status) && WTERMSIG(end.status) == SIGKILL);
    tch_keeper_close(&k);
    assert_int_equal(kill(daemon_pid, 0), -1);
    assert_int_equal(errno, ESRCH);
}

static void close_lets_daemons_run(void **state)
{
    struct tch_keeper k;
    struct tch_spawn_end end;
    pid_t daemon_pid = keep_and_read(&k, DAEMON);

    (void)state;
    assert_int_equal(tch_keeper_wait(&k, UINT64_MAX, &end, NULL), 1);
    assert_int_equal(end.status, 0);
    assert_true(k.left);
    tch_keeper_close(&k);
    assert_int_equal(kill(daemon_pid, 0), 0);
    kill(daemon_pid, SIGKILL);
}

static void a_killed_keeper_is_an_error(void **state)
{
    struct tch_keeper k;
    struct tch_spawn_end end;
    tacho_error err;
    pid_t daemon_pid;

    (void)state;
    tch_orphans_adopt();
    daemon_pid = keep_and_read(&k, DAEMON "sleep 97");
    kill(k.keeper, SIGKILL);
    assert_int_equal(tch_keeper_wait(&k, UINT64_MAX, &end, &err), TACHO_EIO);
    assert_non_null(strstr(err.message, "was it killed?"));
    assert_int_equal(kill(daemon_pid, 0), -1);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* the program was killed and reaped, too */
    tch_keeper_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reports_the_status),
        cmocka_unit_test(a_missing_program_is_an_error),
        cmocka_unit_test(an_exited_program_keeps_its_pid_until_it_is_waited_for),
        cmocka_unit_test(stop_kills_daemons_too),
        cmocka_unit_test(close_lets_daemons_run),
        cmocka_unit_test(a_killed_keeper_is_an_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
