/* Waits for programs, stops them, and reads their output. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fail.h"
#include "spawn.h"
#include "tree.h"

int tch_spawn_wait(pid_t pid, struct tch_spawn_end *ret, tacho_error *err)
{
    struct tch_spawn_end end;
    pid_t got;

    do
        got = wait4(pid, &end.status, 0, &end.usage);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return tch_fail_errno(err, errno, "cannot wait for process %ld", (long)pid);
    *ret = end;
    return 0;
}

/* Most children exit at once, so the first naps are short. */
int tch_spawn_wait_for(pid_t pid, uint64_t limit_ns, struct tch_spawn_end *ret, tacho_error *err)
{
    struct timespec nap = {.tv_nsec = 20000};
    uint64_t start = tch_now_ns();
    struct tch_spawn_end end;

    for (;;) {
        pid_t got = wait4(pid, &end.status, WNOHANG, &end.usage);

        if (got > 0) {
            *ret = end;
            return 1;
        }
        if (got < 0 && errno != EINTR)
            return tch_fail_errno(err, errno, "cannot wait for process %ld", (long)pid);
        if (tch_now_ns() - start >= limit_ns)
            return 0;
        nanosleep(&nap, NULL);
        if (nap.tv_nsec < 10000000)
            nap.tv_nsec *= 2;
    }
}

/* Ends a child that leads a process group, and its descendants. */
static void end_child(pid_t pid, int grace_ms)
{
    struct tch_tree tree = {.group = pid};

    tch_tree_find(&tree, pid);
    tch_tree_end(&tree, 0, grace_ms);
    tch_tree_release(&tree);
}

int tch_spawn_wait_or_stop(pid_t pid, const volatile sig_atomic_t *stop, uint64_t grace_ns,
                           struct tch_spawn_end *ret, tacho_error *err)
{
    const uint64_t pause_ns = 10000000;
    int status = 0;

    while (status == 0 && !*stop)
        status = tch_spawn_wait_for(pid, pause_ns, ret, err);
    if (status == 0) {
        end_child(pid, (int)(grace_ns / 1000000));
        status = tch_spawn_wait(pid, ret, err);
    }
    return status < 0 ? status : 0;
}

/* Reading the output, with a limit in bytes and in time. */

enum { READ_CHUNK = 64 * 1024 };

/* A child and its output while it is read. */
struct reading {
    const char *name;
    pid_t pid;
    int fd;
    uint64_t timeout_ns;
    uint64_t deadline; /* CLOCK_MONOTONIC; UINT64_MAX: none */
};

static uint64_t time_left(const struct reading *r)
{
    uint64_t now = tch_now_ns();

    return now < r->deadline ? r->deadline - now : 0;
}

static int fail_late(const struct reading *r, tacho_error *err)
{
    return tch_fail(err, TACHO_ELIMIT, 0, "killed '%s', which had not ended after %llu ms", r->name,
                    (unsigned long long)(r->timeout_ns / 1000000));
}

/* Waits until there is something to read, or the end. */
static int await_output(const struct reading *r, tacho_error *err)
{
    struct pollfd p = {.fd = r->fd, .events = POLLIN};

    for (;;) {
        uint64_t left = time_left(r);
        struct timespec t = {.tv_sec = (time_t)(left / 1000000000),
                             .tv_nsec = (long)(left % 1000000000)};
        int n;

        if (left == 0)
            return fail_late(r, err);
        n = ppoll(&p, 1, r->deadline == UINT64_MAX ? NULL : &t, NULL);
        if (n > 0)
            return 0;
        if (n < 0 && errno != EINTR)
            return tch_fail_errno(err, errno, "cannot read from '%s'", r->name);
    }
}

/* Reads once. Returns 1 when there may be more, 0 at the end, or a negative code. */
static int read_output(const struct reading *r, struct tch_buf *out, tacho_error *err)
{
    size_t left = out->limit - out->len;
    size_t chunk = left < READ_CHUNK ? left : READ_CHUNK;
    char one;
    char *room = chunk > 0 ? tch_buf_room(out, chunk) : &one;
    ssize_t n;

    if (!room)
        return tch_fail(err, TACHO_ENOMEM, 0, "out of memory reading from '%s'", r->name);
    n = read(r->fd, room, chunk > 0 ? chunk : 1);
    if (chunk > 0)
        tch_buf_grew(out, n > 0 ? (size_t)n : 0);
    if (n < 0 && errno == EINTR)
        return 1;
    if (n < 0)
        return tch_fail_errno(err, errno, "cannot read from '%s'", r->name);
    if (n > 0 && chunk == 0)
        return tch_fail(err, TACHO_ELIMIT, 0, "killed '%s', which printed more than %zu bytes",
                        r->name, out->limit);
    return n > 0;
}

static int await_end(const struct reading *r, struct tch_spawn_end *end, tacho_error *err)
{
    int status;

    if (r->deadline == UINT64_MAX)
        return tch_spawn_wait(r->pid, end, err);
    status = tch_spawn_wait_for(r->pid, time_left(r), end, err);
    if (status == 0)
        return fail_late(r, err);
    return status < 0 ? status : 0;
}

int tch_spawn_read(const struct tch_spawn *s, uint64_t timeout_ns, struct tch_buf *out,
                   struct tch_spawn_end *ret, tacho_error *err)
{
    struct tch_spawn spec = *s;
    struct reading r = {.timeout_ns = timeout_ns, .deadline = UINT64_MAX};
    struct tch_spawn_end end;
    int fds[2];
    int result;

    if (pipe2(fds, O_CLOEXEC) < 0)
        return tch_fail_errno(err, errno, "cannot make a pipe");
    spec.new_group = true;
    spec.io[STDOUT_FILENO] = (struct tch_io){.kind = TCH_IO_FD, .fd = fds[1]};
    if (timeout_ns > 0 && timeout_ns < UINT64_MAX - tch_now_ns())
        r.deadline = tch_now_ns() + timeout_ns;
    result = tch_spawn(&spec, &r.pid, err);
    close(fds[1]); /* while it is open here, the output never ends */
    if (result == 0) {
        r.name = s->argv[0];
        r.fd = fds[0];
        do {
            result = await_output(&r, err);
            if (result == 0)
                result = read_output(&r, out, err);
        } while (result > 0);
        if (result == 0)
            result = await_end(&r, &end, err);
        if (result < 0) {
            end_child(r.pid, 0);
            (void)tch_spawn_wait(r.pid, &end, NULL);
        }
    }
    close(fds[0]);
    if (result == 0 && ret)
        *ret = end;
    return result;
}
