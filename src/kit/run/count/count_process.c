/*
 * The counter: the process in which a back end makes one counted run.
 *
 * tacho forks it for each run and waits for it. The counter and the command each have their own
 * process group. The counter is a subreaper: processes that the command leaves running become its
 * children, and it kills them when the command has exited. On SIGTERM it kills the command. The
 * back end's loop then ends as it does when the command exits by itself.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fail.h"
#include "count_backend.h"
#include "kit/run/plan/run_plan.h"
#include "process/fork.h"
#include "process/orphans.h"
#include "process/spawn.h"

static volatile sig_atomic_t command_pid; /* global, as the signal handler needs it */

void tch_tally_fail(struct tch_tally *tally, int code, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    vsnprintf(tally->why, sizeof tally->why, fmt, args);
    va_end(args);
    tally->code = code;
}

static void on_term(int sig)
{
    (void)sig;
    if (command_pid > 0) {
        kill(-command_pid, SIGKILL);
        kill(command_pid, SIGKILL);
    }
}

static void become_command(const struct tch_count_start *start, struct tch_tally *tally)
{
    signal(SIGTERM, SIG_DFL);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (start->before_exec)
        start->before_exec(start->ctx);
    syscall(SYS_execve, start->path, start->argv, start->env);
    atomic_store(&tally->exec_errno, errno);
    syscall(SYS_exit_group, 127);
}

pid_t tch_count_start(const struct tch_count_start *start, struct tch_tally *tally)
{
    pid_t pid = (pid_t)syscall(SYS_clone, start->flags | SIGCHLD, 0, 0, 0, 0);

    if (pid == 0)
        become_command(start, tally);
    if (pid < 0)
        tch_tally_fail(tally, TACHO_EIO, "cannot start the command: %s", strerrordesc_np(errno));
    command_pid = pid;
    return pid;
}

static void await_release(void *ctx)
{
    const int *pipe_fd = ctx;
    char byte;

    close(pipe_fd[1]);
    while (read(pipe_fd[0], &byte, 1) < 0 && errno == EINTR)
        ;
}

pid_t tch_count_start_held(struct tch_count_start *start, int *hold, struct tch_tally *tally)
{
    int pipe_fd[2];
    pid_t pid;

    if (pipe2(pipe_fd, O_CLOEXEC) < 0) {
        tch_tally_fail(tally, TACHO_EIO, "cannot make a pipe: %s", strerrordesc_np(errno));
        return -1;
    }
    start->before_exec = await_release;
    start->ctx = pipe_fd;
    pid = tch_count_start(start, tally);
    close(pipe_fd[0]);
    *hold = pipe_fd[1];
    return pid;
}

void tch_count_wait(pid_t pid, struct tch_tally *tally)
{
    while (waitpid(pid, &tally->status, __WALL) < 0 && errno == EINTR)
        ;
}

/* Redirects the standard streams. They are the same in every counted run, because programs print
   differently to different kinds of files. */
static bool redirect(const struct tch_count_target *t, struct tch_tally *tally)
{
    const char *input = t->plan->input ? t->plan->input : "/dev/null";
    int in = open(input, O_RDONLY | O_CLOEXEC);
    int out = open("/dev/null", O_WRONLY | O_CLOEXEC);

    if (in < 0 || out < 0) {
        tch_tally_fail(tally, TACHO_EIO, "cannot open '%s': %s", in < 0 ? input : "/dev/null",
                       strerrordesc_np(errno));
        return false;
    }
    dup2(in, 0);
    dup2(out, 1);
    dup2(out, 2);
    return true;
}

static bool set_up(const struct tch_count_target *t, struct tch_tally *tally)
{
    int persona = personality(0xffffffff);

    setpgid(0, 0);
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    tch_reset_signals();
    signal(SIGTERM, on_term);
    if (!redirect(t, tally))
        return false;
    tally->aslr = persona < 0 || personality((unsigned long)persona | ADDR_NO_RANDOMIZE) < 0;
    if (t->plan->cpus && sched_setaffinity(0, sizeof t->plan->cpu_set, &t->plan->cpu_set) < 0)
        tch_tally_fail(tally, TACHO_EIO, "cannot use the CPUs %s: %s", t->plan->cpus,
                       strerrordesc_np(errno));
    else if (t->cwd && chdir(t->cwd) < 0)
        tch_tally_fail(tally, TACHO_EIO, "cannot change to folder '%s': %s", t->cwd,
                       strerrordesc_np(errno));
    else
        return true;
    return false;
}

/* Runs in the forked process, the counter. */
static void be_counter(const struct tch_count_backend *backend, const struct tch_count_target *t,
                       struct tch_tally *tally)
{
    uint64_t begin;
    int why;

    if (!set_up(t, tally))
        _exit(0);
    begin = tch_now_ns();
    backend->count(t, tally);
    tally->wall_ns = tch_now_ns() - begin;
    why = atomic_load(&tally->exec_errno);
    if (why != 0)
        tch_tally_fail(tally, TACHO_EIO, "cannot run '%s': %s", t->argv[0], strerrordesc_np(why));
    tch_children_kill(0); /* kills processes that the command left running */
    _exit(0);
}

int tch_count_run(const struct tch_count_backend *backend, const struct tch_count_target *t,
                  const volatile sig_atomic_t *stop, struct tch_tally *tally, tacho_error *err)
{
    static const volatile sig_atomic_t never;
    struct tch_tally *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct tch_spawn_end end = {0};
    pid_t pid;
    int status;

    if (shared == MAP_FAILED)
        return tch_fail_memory(err);
    pid = tch_fork();
    if (pid == 0)
        be_counter(backend, t, shared);
    if (pid > 0)
        setpgid(pid, pid); /* the counter does so too, perhaps later */
    status = pid < 0
                 ? tch_fail_errno(err, errno, "cannot start a counted run")
                 : tch_spawn_wait_or_stop(pid, stop ? stop : &never, TCH_RUN_GRACE_NS, &end, err);
    if (status == 0 && (!WIFEXITED(end.status) || WEXITSTATUS(end.status) != 0))
        tch_tally_fail(shared, TACHO_EIO, "the process that counts was killed");
    *tally = *shared;
    munmap(shared, sizeof *shared);
    return status;
}
