/* Starts the tracer process, starts the command in it, and attaches to threads that run already. */
#include "tracer.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "base/fail.h"
#include "base/file.h"
#include "base/number.h"
#include "process/fork.h"
#include "process/tree.h"
#include "tracer_loop.h"

const long tch_tracer_flags =
    PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC;

int tch_tracer_refused(pid_t pid, int number, tacho_error *err)
{
    struct tch_buf scope;
    int status;

    if (number == ESRCH)
        return tch_fail(err, TACHO_EINVAL, 0, "there is no process %d", (int)pid);
    tch_buf_init(&scope, 64);
    if (tch_file_read("/proc/sys/kernel/yama/ptrace_scope", 32, &scope, NULL) == 0 &&
        scope.data[0] > '0')
        status = tch_fail(err, TACHO_EUNSUPPORTED, 0,
                          "no permission to trace process %d: kernel.yama.ptrace_scope is %c; run "
                          "'sudo sysctl kernel.yama.ptrace_scope=0', or run tacho as root",
                          (int)pid, scope.data[0]);
    else
        status =
            tch_fail(err, TACHO_EUNSUPPORTED, 0,
                     "no permission to trace process %d: it belongs to another user, a debugger "
                     "traces it, or the container forbids ptrace",
                     (int)pid);
    if (err)
        err->system_errno = number;
    tch_buf_release(&scope);
    return status;
}

static bool has_tid(const struct tch_tids *tids, pid_t tid)
{
    for (size_t i = 0; i < tids->count; i++)
        if (tids->list[i] == tid)
            return true;
    return false;
}

/* Attaches to the threads of a process that are not attached yet. Returns how many there were, or a
   negative code. A thread other than the first may exit at any time. */
static int attach_threads(pid_t pid, struct tch_tids *tids, tacho_error *err)
{
    struct dirent *entry;
    char path[64];
    int found = 0;
    DIR *dir;

    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    dir = opendir(path);
    if (!dir)
        return tch_tracer_refused(pid, ESRCH, err);
    while (found >= 0 && (entry = readdir(dir))) {
        uint64_t tid;

        if (tch_parse_u64(entry->d_name, INT32_MAX, &tid) < 0 || has_tid(tids, (pid_t)tid))
            continue;
        if (tch_array_reserve(&tids->list, &tids->cap, tids->count + 1) < 0)
            found = tch_fail_memory(err);
        else if (ptrace(PTRACE_SEIZE, (pid_t)tid, NULL, tch_tracer_flags) < 0)
            found = (pid_t)tid == pid ? tch_tracer_refused(pid, errno, err) : found;
        else {
            tids->list[tids->count++] = (pid_t)tid;
            found++;
        }
    }
    closedir(dir);
    return found;
}

/* Attaches to all threads of a process. Threads may start while we attach, so it repeats until it
   finds no new one. */
static int attach_process(pid_t pid, struct tch_tids *tids, tacho_error *err)
{
    int found;

    do
        found = attach_threads(pid, tids, err);
    while (found > 0);
    return found;
}

static int attach_tree(const struct tch_tracer_options *o, struct tch_tids *tids, tacho_error *err)
{
    struct tch_tree tree = {0};
    int status = attach_process(o->pid, tids, err);

    if (o->tree && status == 0)
        tch_tree_find(&tree, o->pid);
    for (size_t i = 0; i < tree.count; i++)
        if (tch_tree_pid(&tree, i) != o->pid && tch_tree_pid(&tree, i) != getpid())
            (void)attach_process(tch_tree_pid(&tree, i), tids, NULL);
    tch_tree_release(&tree);
    return status;
}

/* Waits in the child until its parent traces it, then executes the command. */
_Noreturn static void become_command(const struct tch_tracer_options *o, int go, int report)
{
    tacho_error err = {.message = ""};
    char byte;

    if (tch_read_some(go, &byte, 1) == 1)
        tch_spawn_exec(o->spawn, &err);
    (void)tch_write_limited(report, &err, sizeof err);
    _exit(127);
}

/* Starts the command and traces it before its exec. The kernel then runs a set-uid program without
   its privileges; after the exec it would refuse to trace such a program. */
static int start_command(const struct tch_tracer_options *o, int report, pid_t *ret,
                         tacho_error *err)
{
    int go[2];
    pid_t pid;

    if (pipe2(go, O_CLOEXEC) < 0)
        return tch_fail_errno(err, errno, "cannot create a pipe");
    pid = fork();
    if (pid == 0) {
        close(go[1]);
        become_command(o, go[0], report);
    }
    close(go[0]);
    if (pid < 0) {
        close(go[1]);
        return tch_fail_errno(err, errno, "cannot start a process");
    }
    if (ptrace(PTRACE_SEIZE, pid, NULL, tch_tracer_flags) < 0) {
        int number = errno;

        close(go[1]); /* the child sees the closed pipe and exits */
        return tch_tracer_refused(pid, number, err);
    }
    (void)tch_write_limited(go[1], "", 1);
    close(go[1]);
    *ret = pid;
    return 0;
}

/* Runs in the tracer process: starts or attaches, reports a failure as a tacho_error through the
   pipe, and traces. The command itself reports that its exec failed; a successful exec closes the
   pipe. */
static void trace(const void *ctx, int report)
{
    const struct tch_tracer_options *o = ctx;
    tacho_error err = {.message = ""};
    struct tch_tids tids = {0};
    pid_t command = 0;
    sigset_t all;
    int status;

    prctl(PR_SET_NAME, "tacho-tracer");
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL); /* only the command reacts to Ctrl-C */
    status = o->spawn ? start_command(o, report, &command, &err) : attach_tree(o, &tids, &err);
    if (status < 0) {
        (void)tch_write_limited(report, &err, sizeof err);
        _exit(127);
    }
    close(report);
    /* An inherited end of a pipe would keep its readers waiting. */
    (void)close_range(3, UINT_MAX, 0);
    tch_tracer_loop(o, command, &tids);
}

/* Starts the tracer of a command. Tracing ends with the command. */
static int start_kept(const struct tch_tracer_options *o, struct tch_keeper *keeper, pid_t *ret,
                      tacho_error *err)
{
    int status = tch_keep_call(keeper, trace, o, err);

    *ret = keeper->pid;
    return status;
}

int tch_tracer_start(const struct tch_tracer_options *o, struct tch_keeper *keeper, pid_t *ret,
                     tacho_error *err)
{
    tacho_error why;
    int ends[2];
    ssize_t got;
    pid_t pid;

    if (o->spawn)
        return start_kept(o, keeper, ret, err);
    if (pipe2(ends, O_CLOEXEC) < 0)
        return tch_fail_errno(err, errno, "cannot create a pipe");
    pid = tch_fork();
    if (pid == 0) {
        close(ends[0]);
        trace(o, ends[1]);
    }
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        return tch_fail_errno(err, errno, "cannot start the tracer");
    }
    got = tch_read_some(ends[0], &why, sizeof why);
    close(ends[0]);
    if (got != (ssize_t)sizeof why) {
        *ret = pid;
        return 0;
    }
    (void)waitpid(pid, NULL, 0);
    if (err)
        *err = why;
    return why.code;
}

int tch_tracer_probe(tacho_error *err)
{
    int number = 0;
    pid_t pid = tch_fork();

    if (pid < 0)
        return tch_fail_errno(err, errno, "cannot start a process");
    if (pid == 0) {
        pause();
        _exit(0);
    }
    if (ptrace(PTRACE_SEIZE, pid, NULL, 0L) < 0)
        number = errno;
    kill(pid, SIGKILL);
    (void)waitpid(pid, NULL, 0);
    return number ? tch_tracer_refused(pid, number, err) : 0;
}
