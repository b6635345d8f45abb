/*
 * Counts system calls with seccomp's user notification (Linux 5.0): the kernel stops each call of
 * the command and of its descendants, and the counter counts it and lets it continue.
 *
 * The child installs the filter and then calls execve(), which is the first call that is counted.
 * Until then parent and child share one table of file descriptors, so the notification descriptor
 * is also open in the counter. The child cannot use a system call to send its number, because that
 * call would be stopped. It stores the number in shared memory.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/fail.h"
#include "count_backend.h"

/* Flags of Linux 5.19 and 6.6, which older headers do not have. */
#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif
#ifndef SECCOMP_IOCTL_NOTIF_SET_FLAGS
#define SECCOMP_IOCTL_NOTIF_SET_FLAGS      SECCOMP_IOW(4, __u64)
#define SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP (1UL << 0)
#endif

static long install(unsigned long flags)
{
    struct sock_filter filter[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF)};
    struct sock_fprog program = {.len = 1, .filter = filter};

    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags | SECCOMP_FILTER_FLAG_NEW_LISTENER,
                   &program);
}

/* Installs the filter. Runs in the child. With the flag WAIT_KILLABLE_RECV, where the kernel has
   it, a signal does not restart a call that was already counted. Without CAP_SYS_ADMIN the kernel
   requires a promise that the command gains no rights. */
static void install_filter(void *ctx)
{
    struct tch_tally *tally = ctx;
    long fd = install(SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV);

    if (fd < 0 && errno == EINVAL)
        fd = install(0);
    if (fd < 0 && errno == EACCES) {
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        fd = install(SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV);
        if (fd < 0 && errno == EINVAL)
            fd = install(0);
    }
    if (fd < 0) {
        tch_tally_fail(tally, TACHO_EUNSUPPORTED, "seccomp cannot be used: %s",
                       strerrordesc_np(errno));
        _exit(127);
    }
    atomic_store(&tally->listener, (int)fd + 1);
}

/* Waits for the descriptor. Returns it, or -1 if the child has exited. */
static int await_listener(pid_t pid, struct tch_tally *tally)
{
    const struct timespec nap = {.tv_nsec = 20000};
    siginfo_t info = {0};

    while (atomic_load(&tally->listener) == 0) {
        if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0 || info.si_pid != 0)
            break;
        nanosleep(&nap, NULL);
    }
    return atomic_load(&tally->listener) - 1;
}

/* Returns whether a call asks for a listener. A process can have only one, so with ours the
   command's own call would fail. */
static bool wants_listener(const struct seccomp_data *call)
{
    return call->nr == SYS_seccomp && call->args[0] == SECCOMP_SET_MODE_FILTER &&
           (call->args[1] & SECCOMP_FILTER_FLAG_NEW_LISTENER) != 0;
}

/* Counts one call and lets it continue. Returns false if counting is impossible. */
static bool count_call(int listener, struct tch_tally *tally)
{
    struct seccomp_notif request = {0};
    struct seccomp_notif_resp answer = {.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};
    size_t part;

    if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &request) < 0)
        return true; /* the caller was killed */
    if (request.data.arch == AUDIT_ARCH_X86_64 && wants_listener(&request.data)) {
        tch_tally_fail(tally, TACHO_EUNSUPPORTED, "the program uses seccomp notifications itself");
        return false;
    }
    part = request.data.arch == AUDIT_ARCH_X86_64 && request.data.nr >= 0 &&
                   request.data.nr < TCH_COUNT_PARTS - 1
               ? (size_t)request.data.nr
               : TCH_COUNT_PARTS - 1;
    tally->part[part]++;
    tally->value[TCH_COUNT_SYSCALLS]++;
    answer.id = request.id;
    if (ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer) < 0 && errno != ENOENT) {
        tch_tally_fail(tally, TACHO_EUNSUPPORTED, "seccomp cannot let a call continue: %s",
                       strerrordesc_np(errno));
        return false;
    }
    return true;
}

/* Counts until the command has exited. */
static void count_calls(pid_t pid, int listener, struct tch_tally *tally)
{
    int ended = (int)syscall(SYS_pidfd_open, pid, 0);
    struct pollfd wait[] = {{.fd = listener, .events = POLLIN}, {.fd = ended, .events = POLLIN}};
    bool fine = ended >= 0;

    if (!fine)
        tch_tally_fail(tally, TACHO_EUNSUPPORTED, "pidfd_open() failed: %s",
                       strerrordesc_np(errno));
    (void)ioctl(listener, SECCOMP_IOCTL_NOTIF_SET_FLAGS, SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP);
    while (fine) {
        if (poll(wait, 2, -1) < 0 && errno != EINTR)
            break;
        if (wait[0].revents & POLLIN)
            fine = count_call(listener, tally);
        else if (wait[1].revents & POLLIN)
            break;
    }
    if (!fine) {
        kill(-pid, SIGKILL);
        kill(pid, SIGKILL);
    }
    if (ended >= 0)
        close(ended);
}

static void count(const struct tch_count_target *t, struct tch_tally *tally)
{
    struct tch_count_start start = {.path = t->path,
                                    .argv = t->argv,
                                    .env = t->env,
                                    .flags = CLONE_FILES,
                                    .before_exec = install_filter,
                                    .ctx = tally};
    pid_t pid = tch_count_start(&start, tally);
    int listener;

    if (pid < 0)
        return;
    listener = await_listener(pid, tally);
    if (listener >= 0)
        count_calls(pid, listener, tally);
    tch_count_wait(pid, tally);
    if (listener >= 0)
        close(listener);
}

const struct tch_count_backend tch_count_seccomp = {
    .counts = 1u << TCH_COUNT_SYSCALLS,
    .source = "seccomp notifications, from exec on, with descendants",
    .count = count,
    .part_names = tch_syscall_names,
};
