/* The keeper of a program, and this process's side of it. */
#include "keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/fail.h"
#include "base/file.h"
#include "fork.h"
#include "orphans.h"
#include "tree.h"

/*
 * The keeper and this process send these messages, in this order:
 *
 * - keeper: struct started. If it contains a failure, no message follows.
 * - keeper: EXITED. The program has exited. It stays a zombie, so that its /proc folder can still
 *   be read and its pid is not reused.
 * - this process: REAP. Wait for the program.
 * - keeper: struct ended.
 * - this process: LEAVE. Exit and let the descendants live. If this process closes the socket
 *   instead, the keeper kills them.
 */
static const char EXITED = 'E';
static const char REAP = 'R';
static const char LEAVE = 'L';

struct started {
    pid_t pid;
    tacho_error err; /* why the start failed; code 0: it succeeded */
};

struct ended {
    struct tch_spawn_end end;
    bool left; /* descendants are still running */
};

/*
 * The keeper.
 */

/* Starts the program and stores its pid, or why it could not be started, in m. */
static void start(struct started *m, pid_t group, void (*child)(const void *ctx, int report),
                  const void *ctx)
{
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) < 0) {
        tch_fail_errno(&m->err, errno, "cannot create a pipe");
        return;
    }
    m->pid = tch_fork();
    if (m->pid == 0) {
        close(ends[0]);
        setpgid(0, group); /* only this group may read from the terminal */
        child(ctx, ends[1]);
        _exit(127);
    }
    close(ends[1]);
    if (m->pid < 0)
        tch_fail_errno(&m->err, errno, "cannot fork");
    else if (tch_read_some(ends[0], &m->err, sizeof m->err) != (ssize_t)sizeof m->err)
        m->err.code = 0;
    close(ends[0]);
}

/* Closes everything but the socket. An open end of a pipe or a lock would keep others waiting. */
static void close_others(int fd)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    for (int i = 0; i < 3; i++)
        if (i != fd && null >= 0)
            dup2(null, i);
    if (fd > 3)
        (void)close_range(3, (unsigned)fd - 1, 0);
    (void)close_range(fd < 3 ? 3 : (unsigned)fd + 1, UINT_MAX, 0);
}

/* A program and its state. */
struct kept {
    int fd;
    pid_t pid;
    bool exited; /* it has exited, and this was reported */
    bool reaped;
};

/* Lets a thread that stopped continue with the signal that stopped it. The program called
   ptrace(PTRACE_TRACEME), which makes its parent its tracer. An exec of such a program stops it by
   a SIGTRAP from itself, which would kill it. */
static void continue_traced(pid_t pid)
{
    siginfo_t why = {0};
    int status = 0;
    long number;

    if (waitpid(pid, &status, __WALL | WNOHANG) != pid || !WIFSTOPPED(status))
        return;
    number = WSTOPSIG(status);
    if (ptrace(PTRACE_GETSIGINFO, pid, NULL, &why) < 0 || status >> 16 != 0 ||
        (number == SIGTRAP && why.si_code == SI_USER && why.si_pid == pid))
        number = 0;
    (void)ptrace(PTRACE_CONT, pid, NULL, number);
}

static bool is_exit(const siginfo_t *info)
{
    return info->si_code == CLD_EXITED || info->si_code == CLD_KILLED ||
           info->si_code == CLD_DUMPED;
}

/* Reaps adopted descendants until the program is seen to exit, and reports its exit. */
static void see_exits(struct kept *k)
{
    siginfo_t info = {0};

    while (!k->exited && waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid > 0) {
        if (!is_exit(&info)) {
            continue_traced(info.si_pid);
        } else if (info.si_pid != k->pid) {
            waitpid(info.si_pid, NULL, 0);
        } else {
            (void)send(k->fd, &EXITED, sizeof EXITED, MSG_NOSIGNAL);
            k->exited = true;
        }
        info.si_pid = 0;
    }
    while (k->reaped && waitpid(-1, NULL, WNOHANG) > 0)
        ;
}

/* Reaps the program, which has exited, and reports its status. */
static void reap(struct kept *k)
{
    struct ended m = {0};

    if (k->reaped || wait4(k->pid, &m.end.status, 0, &m.end.usage) != k->pid)
        return;
    k->reaped = true;
    m.left = waitid(P_ALL, 0, &(siginfo_t){0}, WEXITED | WNOHANG | WNOWAIT) == 0;
    (void)send(k->fd, &m, sizeof m, MSG_NOSIGNAL);
}

/* Ends all descendants, and reports how the program ended. */
static void end_all(struct kept *k)
{
    struct tch_tree tree = {.keeper = getpid()};

    /* The pid of a program that was reaped may be that of another process by now. */
    tch_tree_find(&tree, k->reaped ? 0 : k->pid);
    tch_tree_end(&tree, 0, TCH_TREE_GRACE_MS);
    see_exits(k);
    if (k->exited)
        reap(k);
}

_Noreturn static void be_keeper(int fd, void (*child)(const void *ctx, int report), const void *ctx)
{
    struct started m = {0};
    pid_t group = getpgrp();
    struct signalfd_siginfo info;
    struct pollfd p[2] = {{.fd = fd, .events = POLLIN}, {.fd = -1, .events = POLLIN}};
    struct kept k = {.fd = fd};
    sigset_t all;
    char byte;

    /* Ctrl-C and timeout(1) signal a whole group, and must not kill the keeper. */
    setpgid(0, 0);
    prctl(PR_SET_NAME, "tacho-keeper");
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    signal(SIGCHLD, SIG_DFL); /* an ignored SIGCHLD would reap the program */
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    start(&m, group, child, ctx);
    if (send(fd, &m, sizeof m, MSG_NOSIGNAL) != (ssize_t)sizeof m || m.err.code != 0) {
        tch_children_kill(0);
        _exit(0);
    }
    close_others(fd);
    sigemptyset(&all);
    sigaddset(&all, SIGCHLD);
    p[1].fd = signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK);
    k.pid = m.pid;
    for (;;) {
        see_exits(&k);
        (void)poll(p, 2, p[1].fd < 0 ? 10 : -1);
        if (p[1].revents)
            (void)!read(p[1].fd, &info, sizeof info);
        if (!p[0].revents)
            continue;
        if (tch_read_some(fd, &byte, 1) != 1) {
            end_all(&k);
            _exit(0);
        }
        if (byte == LEAVE)
            _exit(0);
        reap(&k);
    }
}

/*
 * This process.
 */

/* Waits until the keeper has exited. If it was killed, kills its descendants, which are ours now. A
   second call has no effect. */
static void await_exit(struct tch_keeper *k)
{
    int status = 0;

    while (k->keeper > 0 && waitpid(k->keeper, &status, 0) < 0 && errno == EINTR)
        ;
    tch_orphans_forget(k->keeper);
    k->keeper = 0;
    if (WIFSIGNALED(status))
        tch_orphans_kill();
}

static void close_keeper(struct tch_keeper *k)
{
    close(k->fd);
    await_exit(k);
    *k = TCH_NO_KEEPER;
}

int tch_keep_call(struct tch_keeper *k, void (*child)(const void *ctx, int report), const void *ctx,
                  tacho_error *err)
{
    struct started m = {0};
    int fds[2];
    int status = 0;

    *k = TCH_NO_KEEPER;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) < 0)
        return tch_fail_errno(err, errno, "cannot make a socket");
    k->keeper = fork(); /* not tch_fork(): it outlives us to end the program */
    if (k->keeper == 0) {
        close(fds[0]);
        be_keeper(fds[1], child, ctx);
    }
    close(fds[1]);
    k->fd = fds[0];
    if (k->keeper < 0) {
        status = tch_fail_errno(err, errno, "cannot fork");
        close(k->fd);
        *k = TCH_NO_KEEPER;
        return status;
    }
    tch_orphans_except(k->keeper);
    if (tch_read_some(k->fd, &m, sizeof m) != (ssize_t)sizeof m)
        status = tch_fail(err, TACHO_EIO, 0, "the keeper of a program has exited; was it killed?");
    else if (m.err.code != 0)
        status = tch_fail_again(err, &m.err);
    if (status < 0)
        close_keeper(k);
    else
        k->pid = m.pid;
    return status;
}

static void become_program(const void *ctx, int report)
{
    tacho_error err = {0};

    if (tch_spawn_exec(ctx, &err) < 0)
        (void)tch_write_limited(report, &err, sizeof err);
}

int tch_keep(struct tch_keeper *k, const struct tch_spawn *s, tacho_error *err)
{
    return tch_keep_call(k, become_program, s, err);
}

/* Receives the exit of the program. */
static int receive_end(struct tch_keeper *k, tacho_error *err)
{
    struct ended m;
    char byte;

    if (tch_read_some(k->fd, &byte, 1) != 1 ||
        (send(k->fd, &REAP, sizeof REAP, MSG_NOSIGNAL) < 0 && errno != EPIPE) ||
        tch_read_some(k->fd, &m, sizeof m) != (ssize_t)sizeof m) {
        await_exit(k);
        return tch_fail(err, TACHO_EIO, 0, "the keeper of process %ld has exited; was it killed?",
                        (long)k->pid);
    }
    k->end = m.end;
    k->left = m.left;
    k->ended = true;
    return 1;
}

bool tch_keeper_ended(const struct tch_keeper *k)
{
    return k->ended || poll(&(struct pollfd){.fd = k->fd, .events = POLLIN}, 1, 0) > 0;
}

int tch_keeper_wait(struct tch_keeper *k, uint64_t limit_ns, struct tch_spawn_end *ret,
                    tacho_error *err)
{
    struct pollfd p = {.fd = k->fd, .events = POLLIN};
    uint64_t start_ns = tch_now_ns();
    int status = k->ended;

    while (status == 0) {
        uint64_t used = tch_now_ns() - start_ns;
        uint64_t left = used < limit_ns ? limit_ns - used : 0;
        struct timespec t = {.tv_sec = (time_t)(left / 1000000000u),
                             .tv_nsec = (long)(left % 1000000000u)};
        int n = ppoll(&p, 1, limit_ns == UINT64_MAX ? NULL : &t, NULL);

        if (n > 0)
            status = receive_end(k, err);
        else if (n == 0)
            return 0;
        else if (errno != EINTR)
            status = tch_fail_errno(err, errno, "cannot wait for process %ld", (long)k->pid);
    }
    if (status > 0)
        *ret = k->end;
    return status;
}

int tch_keeper_wait_or_stop(struct tch_keeper *k, const volatile sig_atomic_t *stop,
                            struct tch_spawn_end *ret, tacho_error *err)
{
    const uint64_t pause_ns = 10000000;
    int status = 0;

    while (status == 0 && !(stop && *stop))
        status = tch_keeper_wait(k, stop ? pause_ns : UINT64_MAX, ret, err);
    if (status == 0) {
        shutdown(k->fd, SHUT_WR);
        status = tch_keeper_wait(k, UINT64_MAX, ret, err);
    }
    return status < 0 ? status : 0;
}

void tch_keeper_stop(struct tch_keeper *k)
{
    if (k->pid > 0)
        close_keeper(k); /* the keeper reads end of file */
}

void tch_keeper_close(struct tch_keeper *k)
{
    if (k->pid <= 0)
        return;
    (void)send(k->fd, &LEAVE, sizeof LEAVE, MSG_NOSIGNAL);
    close_keeper(k);
}

static struct tch_keeper *at_exit;
static size_t at_exit_count;
static size_t at_exit_cap;

static void close_all(void)
{
    while (at_exit_count > 0)
        tch_keeper_close(&at_exit[--at_exit_count]);
    free(at_exit);
    at_exit = NULL;
    at_exit_cap = 0;
}

void tch_keeper_close_at_exit(struct tch_keeper *k)
{
    bool first = at_exit_cap == 0;

    if (k->pid <= 0)
        return;
    if (!k->left || tch_array_reserve(&at_exit, &at_exit_cap, at_exit_count + 1) < 0 ||
        (first && atexit(close_all) != 0)) {
        tch_keeper_close(k);
        return;
    }
    at_exit[at_exit_count++] = *k;
    *k = TCH_NO_KEEPER;
}
