/* tch_spawn_read(): the output of a program, with a limit in bytes and in time. */
#include "spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "fail.h"

enum { READ_CHUNK = 64 * 1024 };

/* The child while it is read. */
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

/* Until there is something to read, or the end. */
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

/* One read. 1: there may be more, 0: the end, or a negative code. */
static int take_output(const struct reading *r, struct tch_buf *out, tacho_error *err)
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

static int read_all(const struct reading *r, struct tch_buf *out, tacho_error *err)
{
    int result = 1;

    while (result > 0) {
        result = await_output(r, err);
        if (result == 0)
            result = take_output(r, out, err);
    }
    return result;
}

/* A program that closes its output mostly ends at once: the naps begin short. */
static int await_end(const struct reading *r, struct tch_spawn_end *end, tacho_error *err)
{
    struct timespec nap = {.tv_nsec = 20000};

    if (r->deadline == UINT64_MAX)
        return tch_spawn_wait(r->pid, end, err);
    for (;;) {
        pid_t got = wait4(r->pid, &end->status, WNOHANG, &end->usage);

        if (got > 0)
            return 0;
        if (got < 0 && errno != EINTR)
            return tch_fail_errno(err, errno, "cannot wait for '%s'", r->name);
        if (time_left(r) == 0)
            return fail_late(r, err);
        nanosleep(&nap, NULL);
        if (nap.tv_nsec < 10000000)
            nap.tv_nsec *= 2;
    }
}

static void kill_all(const struct reading *r)
{
    struct tch_spawn_end end;

    kill(-r->pid, SIGKILL);
    kill(r->pid, SIGKILL); /* should it have left its group */
    (void)tch_spawn_wait(r->pid, &end, NULL);
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
    close(fds[1]); /* or the end would never come */
    if (result == 0) {
        r.name = s->argv[0];
        r.fd = fds[0];
        result = read_all(&r, out, err);
        if (result == 0)
            result = await_end(&r, &end, err);
        if (result < 0)
            kill_all(&r);
    }
    close(fds[0]);
    if (result == 0 && ret)
        *ret = end;
    return result;
}
