/* Our side of the spawner. Its own is spawner_serve.c. */
#include "spawner.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "spawner_talk.h"

struct tch_spawner {
    pid_t pid;
    int fd; /* our end of the socket */
    struct tch_spawner_shared *shared;
};

static int read_reply(struct tch_spawner *s, struct tch_spawner_reply *r, tacho_error *err)
{
    ssize_t n;

    do
        n = read(s->fd, r, sizeof *r);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return tch_fail_errno(err, errno, "cannot hear from the spawner");
    if (n != (ssize_t)sizeof *r)
        return tch_fail(err, TACHO_EIO, 0, "the spawner has ended; was it killed?");
    if (r->code < 0 && err)
        *err = r->err;
    return r->code;
}

static struct tch_spawner_shared *map_shared(void)
{
    void *p = mmap(NULL, sizeof(struct tch_spawner_shared), PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    return p == MAP_FAILED ? NULL : p;
}

static int fork_spawner(struct tch_spawner *s, const struct tch_run_plan *plan,
                        const struct tch_target *targets, tacho_error *err)
{
    pid_t parent = getpid();
    struct tch_spawner_reply r;
    int fds[2];

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) < 0)
        return tch_fail_errno(err, errno, "cannot make a socket");
    s->pid = fork();
    if (s->pid == 0) {
        close(fds[0]);
        tch_spawner_serve(fds[1], parent, s->shared, plan, targets);
    }
    close(fds[1]);
    s->fd = fds[0];
    if (s->pid < 0)
        return tch_fail_errno(err, errno, "cannot fork");
    return read_reply(s, &r, err);
}

int tch_spawner_open(const struct tch_run_plan *plan, const struct tch_target *targets,
                     struct tch_spawner **ret, tacho_error *err)
{
    struct tch_spawner *s = calloc(1, sizeof *s);
    int status;

    if (!s)
        return tch_fail(err, TACHO_ENOMEM, 0, "out of memory");
    s->fd = -1;
    s->shared = map_shared();
    if (!s->shared)
        status = tch_fail_errno(err, errno, "cannot share memory");
    else
        status = fork_spawner(s, plan, targets, err);
    if (status < 0)
        tch_spawner_close(s);
    else
        *ret = s;
    return status;
}

static void end_process(struct tch_spawner *s)
{
    if (s->fd >= 0)
        close(s->fd);
    s->fd = -1;
    if (s->pid > 0) {
        kill(s->pid, SIGTERM); /* a command that still runs is ended */
        while (waitpid(s->pid, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    s->pid = 0;
}

void tch_spawner_close(struct tch_spawner *s)
{
    if (!s)
        return;
    end_process(s);
    if (s->shared)
        munmap(s->shared, sizeof *s->shared);
    free(s);
}

int tch_spawner_begin(struct tch_spawner *s, const struct tch_job *jobs, size_t count,
                      tacho_error *err)
{
    struct tch_spawner_request q = {.count = count};

    memcpy(q.jobs, jobs, count * sizeof *jobs);
    if (send(s->fd, &q, sizeof q, MSG_NOSIGNAL) != (ssize_t)sizeof q)
        return tch_fail_errno(err, errno, "cannot ask the spawner for a run; was it killed?");
    return 0;
}

static double timeval_ns(struct timeval t)
{
    return (double)t.tv_sec * 1e9 + (double)t.tv_usec * 1e3;
}

static void fill_sample(struct tch_run_sample *sample, const struct tch_spawner_reply *r)
{
    const struct rusage *u = &r->usage;

    for (int i = TCH_CYCLES; i <= TCH_CACHE_MISSES; i++)
        sample->field[i] = r->counters[i];
    sample->start_ns = r->start_ns;
    sample->status = r->status;
    sample->timed_out = r->timed_out;
    sample->left_running = r->left_running;
    sample->field[TCH_WALL] = (double)r->wall_ns;
    sample->field[TCH_USER] = timeval_ns(u->ru_utime);
    sample->field[TCH_SYSTEM] = timeval_ns(u->ru_stime);
    sample->field[TCH_MAX_RSS] = (double)u->ru_maxrss * 1024;
    sample->field[TCH_MINOR_FAULTS] = (double)u->ru_minflt;
    sample->field[TCH_MAJOR_FAULTS] = (double)u->ru_majflt;
    sample->field[TCH_VOLUNTARY] = (double)u->ru_nvcsw;
    sample->field[TCH_INVOLUNTARY] = (double)u->ru_nivcsw;
    sample->field[TCH_BLOCK_READS] = (double)u->ru_inblock;
    sample->field[TCH_BLOCK_WRITES] = (double)u->ru_oublock;
}

int tch_spawner_wait(struct tch_spawner *s, uint64_t timeout_ns, struct tch_run_sample *ret,
                     tacho_error *err)
{
    struct pollfd p = {.fd = s->fd, .events = POLLIN};
    struct timespec t = {.tv_sec = (time_t)(timeout_ns / 1000000000u),
                         .tv_nsec = (long)(timeout_ns % 1000000000u)};
    struct tch_spawner_reply r;
    int n = ppoll(&p, 1, timeout_ns == UINT64_MAX ? NULL : &t, NULL);
    int status;

    if (n < 0)
        return tch_fail_errno(err, errno, "waiting for the command");
    if (n == 0)
        return 0;
    status = read_reply(s, &r, err);
    if (status < 0)
        return status;
    fill_sample(ret, &r);
    return 1;
}

pid_t tch_spawner_child(const struct tch_spawner *s)
{
    return atomic_load(&s->shared->child);
}

int tch_spawner_fd(const struct tch_spawner *s)
{
    return s->fd;
}

void tch_spawner_guard(struct tch_spawner *s, pid_t group)
{
    atomic_store(&s->shared->server, group);
}

void tch_spawner_abort(struct tch_spawner *s)
{
    if (s->pid > 0)
        kill(s->pid, SIGTERM);
}

uint64_t tch_spawner_cpu_ns(struct tch_spawner *s)
{
    end_process(s);
    return atomic_load(&s->shared->cpu_ns);
}
