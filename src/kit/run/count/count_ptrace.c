/*
 * Counts system calls with ptrace: for programs that use seccomp's notification themselves, and
 * where seccomp is not permitted. It costs two to four times as much per call, and a debugger
 * cannot attach.
 *
 * The child waits at a pipe until it is traced. Counting starts at its exec, which counts as one
 * call. Descendants are traced from their first instruction on.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/ptrace.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fail.h"
#include "count_backend.h"

enum {
    OPTIONS = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEEXEC | PTRACE_O_TRACECLONE |
              PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_EXITKILL,
    SYSCALL_STOP = SIGTRAP | 0x80,
};

/* <sys/ptrace.h> and <linux/ptrace.h> cannot both be included. */
static long trace(long request, pid_t pid, unsigned long addr, void *data)
{
    return syscall(SYS_ptrace, request, pid, addr, data);
}

static void await_tracer(void *ctx)
{
    const int *pipe_fd = ctx;
    char byte;

    close(pipe_fd[1]);
    while (read(pipe_fd[0], &byte, 1) < 0 && errno == EINTR)
        ;
}

/* Counts the call that a thread is about to make. */
static void count_entry(pid_t pid, struct tch_tally *tally)
{
    struct ptrace_syscall_info info = {0};
    size_t part = TCH_COUNT_PARTS - 1;

    if (trace(PTRACE_GET_SYSCALL_INFO, pid, sizeof info, &info) < 0 ||
        info.op != PTRACE_SYSCALL_INFO_ENTRY)
        return;
    if (info.arch == AUDIT_ARCH_X86_64 && info.entry.nr < TCH_COUNT_PARTS - 1)
        part = (size_t)info.entry.nr;
    tally->part[part]++;
    tally->value[TCH_COUNT_SYSCALLS]++;
}

/* Lets a stopped thread continue to its next call. */
static void resume(pid_t pid, int status)
{
    int sig = WSTOPSIG(status);
    int event = status >> 16;
    bool group_stop = event == PTRACE_EVENT_STOP && sig != SIGTRAP;

    if (group_stop)
        trace(PTRACE_LISTEN, pid, 0, NULL);
    else if (event != 0 || sig == SYSCALL_STOP)
        trace(PTRACE_SYSCALL, pid, 0, NULL);
    else
        trace(PTRACE_SYSCALL, pid, 0, (void *)(long)sig);
}

static void count_calls(pid_t command, struct tch_tally *tally)
{
    bool started = false;
    int status;

    for (;;) {
        pid_t pid = waitpid(-1, &status, __WALL);

        if (pid < 0 && errno == EINTR)
            continue;
        if (pid < 0)
            return;
        if (WIFSTOPPED(status)) {
            if (!started && status >> 16 == PTRACE_EVENT_EXEC) {
                started = true;
                tally->part[SYS_execve]++;
                tally->value[TCH_COUNT_SYSCALLS]++;
            } else if (started && WSTOPSIG(status) == SYSCALL_STOP) {
                count_entry(pid, tally);
            }
            resume(pid, status);
        } else if (pid == command) {
            tally->status = status;
            return;
        }
    }
}

static void count(const struct tch_count_target *t, struct tch_tally *tally)
{
    int pipe_fd[2];
    struct tch_count_start start = {.path = t->path,
                                    .argv = t->argv,
                                    .env = t->env,
                                    .before_exec = await_tracer,
                                    .ctx = pipe_fd};
    pid_t pid;

    if (pipe2(pipe_fd, O_CLOEXEC) < 0) {
        tch_tally_fail(tally, TACHO_EIO, "cannot make a pipe: %s", strerrordesc_np(errno));
        return;
    }
    pid = tch_count_start(&start, tally);
    if (pid < 0)
        return;
    if (trace(PTRACE_SEIZE, pid, 0, (void *)(long)OPTIONS) < 0) {
        tch_tally_fail(tally, TACHO_EUNSUPPORTED, "ptrace is not permitted: %s",
                       strerrordesc_np(errno));
        kill(pid, SIGKILL);
        tch_count_wait(pid, tally);
        return;
    }
    close(pipe_fd[1]); /* the child waits for this */
    count_calls(pid, tally);
}

static bool check(const struct tch_count_target *t, char source[TCH_COUNT_TEXT],
                  char why[TCH_COUNT_TEXT])
{
    (void)t;
    (void)why;
    snprintf(source, TCH_COUNT_TEXT, "ptrace, from exec on, with descendants");
    return true;
}

const struct tch_count_backend tch_count_ptrace = {
    .counts = 1u << TCH_COUNT_SYSCALLS,
    .check = check,
    .count = count,
    .part_names = tch_syscall_names,
};
