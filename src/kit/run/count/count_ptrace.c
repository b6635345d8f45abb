/*
 * Counts system calls with ptrace: for programs that use seccomp's notification themselves, and
 * where seccomp is not permitted. It costs two to four times as much per call, and a debugger
 * cannot attach.
 *
 * The child waits at a pipe until it is traced. Counting starts at its exec, which counts as one
 * call. Descendants are traced from their first instruction on.
 */
#include <errno.h>
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

/* A function that is called at each system call, and its argument. */
struct watcher {
    bool (*on_call)(void *ctx, const struct tch_traced_call *call);
    void *ctx;
};

/* Reports the call that a stopped thread is about to make. Returns whether to continue. */
static bool report_entry(const struct watcher *w, pid_t pid)
{
    struct ptrace_syscall_info info = {0};
    struct tch_traced_call call = {.tid = pid, .part = TCH_COUNT_PARTS - 1, .nr = UINT64_MAX};
    uint64_t args[6];

    if (trace(PTRACE_GET_SYSCALL_INFO, pid, sizeof info, &info) < 0 ||
        info.op != PTRACE_SYSCALL_INFO_ENTRY)
        return true;
    if (info.arch == AUDIT_ARCH_X86_64)
        call.nr = info.entry.nr;
    if (call.nr < TCH_COUNT_PARTS - 1)
        call.part = (size_t)call.nr;
    for (size_t i = 0; i < 6; i++)
        args[i] = info.entry.args[i];
    call.args = args;
    return w->on_call(w->ctx, &call);
}

/* Reports the call that a thread was stopped at, if there is one. Returns whether to continue. */
static bool report_stop(const struct watcher *w, pid_t pid, int status, bool *started)
{
    const uint64_t no_args[6] = {0};
    bool is_exec = status >> 16 == PTRACE_EVENT_EXEC;

    if (!*started && is_exec) {
        struct tch_traced_call call = {
            .tid = pid, .first = true, .part = SYS_execve, .nr = SYS_execve, .args = no_args};

        *started = true;
        return w->on_call(w->ctx, &call);
    }
    return !*started || WSTOPSIG(status) != SYSCALL_STOP || report_entry(w, pid);
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

static void watch_calls(pid_t command, const struct watcher *w, struct tch_tally *tally)
{
    bool started = false;
    bool fine = true;
    int status;

    for (;;) {
        pid_t pid = waitpid(-1, &status, __WALL);

        if (pid < 0 && errno == EINTR)
            continue;
        if (pid < 0)
            return;
        if (WIFSTOPPED(status)) {
            if (fine && !report_stop(w, pid, status, &started)) {
                fine = false;
                kill(command, SIGKILL);
            }
            resume(pid, status);
        } else if (pid == command) {
            tally->status = status;
            return;
        }
    }
}

void tch_count_trace(struct tch_count_start *start, struct tch_tally *tally,
                     bool (*on_call)(void *ctx, const struct tch_traced_call *call), void *ctx)
{
    const struct watcher w = {on_call, ctx};
    int hold;
    pid_t pid = tch_count_start_held(start, &hold, tally);

    if (pid < 0)
        return;
    if (trace(PTRACE_SEIZE, pid, 0, (void *)(long)OPTIONS) < 0) {
        tch_tally_fail(tally, TACHO_EUNSUPPORTED, "ptrace is not permitted: %s",
                       strerrordesc_np(errno));
        kill(pid, SIGKILL);
        tch_count_wait(pid, tally);
        return;
    }
    close(hold); /* the child waits for this */
    watch_calls(pid, &w, tally);
}

static bool count_call(void *ctx, const struct tch_traced_call *call)
{
    struct tch_tally *tally = ctx;

    tally->part[call->part]++;
    tally->value[TCH_COUNT_SYSCALLS]++;
    return true;
}

static void count(const struct tch_count_target *t, struct tch_tally *tally)
{
    struct tch_count_start start = {.path = t->path, .argv = t->argv, .env = t->env};

    tch_count_trace(&start, tally, count_call, tally);
}

const struct tch_count_backend tch_count_ptrace = {
    .counts = 1u << TCH_COUNT_SYSCALLS,
    .source = "ptrace, from exec on, with descendants",
    .count = count,
    .part_names = tch_syscall_names,
};
