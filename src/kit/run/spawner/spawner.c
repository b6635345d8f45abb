/* tacho's side of the spawner. spawner_serve.c is the other side. */
#include "spawner.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fail.h"
#include "process/orphans.h"
#include "process/spawn.h"
#include "spawner_parts.h"

/* Enough for the spawner to stop a command by SIGTERM and, after TCH_RUN_GRACE_NS, by SIGKILL. */
#define END_LIMIT_NS (4 * (uint64_t)TCH_RUN_GRACE_NS)

struct tch_spawner {
    pid_t pid;
    int fd; /* our end of the socket */
    struct tch_spawner_shared *shared;
    uint32_t taken; /* samples of the request that were returned */
    bool owed;      /* the reply has not been read yet */
};

static int read_reply(struct tch_spawner *s, struct tch_spawner_reply *r, tacho_error *err)
{
    ssize_t n;

    do
        n = read(s->fd, r, sizeof *r);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return tch_fail_errno(err, errno, "cannot read from the spawner");
    if (n != (ssize_t)sizeof *r)
        return tch_fail(err, TACHO_EIO, 0, "the spawner has exited; was it killed?");
    if (r->code < 0 && err)
        *err = r->err;
    return r->code;
}

static int fork_spawner(struct tch_spawner *s, const struct tch_run_plan *plan,
                        const struct tch_target *targets, tacho_error *err)
{
    pid_t parent = getpid();
    struct tch_spawner_reply r;
    int fds[2];

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) < 0)
        return tch_fail_errno(err, errno, "cannot make a socket");
    tch_orphans_adopt(); /* adopts orphans of the commands if the spawner is killed */
    s->pid = fork();
    if (s->pid == 0) {
        close(fds[0]);
        tch_spawner_serve(fds[1], parent, s->shared, plan, targets);
    }
    close(fds[1]);
    s->fd = fds[0];
    if (s->pid < 0)
        return tch_fail_errno(err, errno, "cannot fork");
    tch_orphans_except(s->pid);
    return read_reply(s, &r, err);
}

int tch_spawner_open(const struct tch_run_plan *plan, const struct tch_target *targets,
                     struct tch_spawner **ret, tacho_error *err)
{
    struct tch_spawner *s = calloc(1, sizeof *s);
    void *shared;
    int status;

    if (!s)
        return tch_fail_memory(err);
    s->fd = -1;
    shared =
        mmap(NULL, sizeof *s->shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    s->shared = shared != MAP_FAILED ? shared : NULL;
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

/* Stops the spawner. Closing the socket makes an idle spawner exit. SIGTERM makes it stop a running
   command first. If it does not exit, it is killed, because waiting for it must not block us. */
static void stop_process(struct tch_spawner *s)
{
    struct tch_spawn_end end = {.status = 0};

    if (s->shared)
        atomic_store(&s->shared->closing, true);
    if (s->fd >= 0)
        close(s->fd);
    s->fd = -1;
    if (s->pid > 0) {
        kill(s->pid, SIGTERM);
        if (tch_spawn_wait_for(s->pid, END_LIMIT_NS, &end, NULL) == 0) {
            kill(s->pid, SIGKILL);
            (void)tch_spawn_wait(s->pid, &end, NULL);
        }
        tch_orphans_forget(s->pid);
        s->pid = 0;
        if (WIFSIGNALED(end.status))
            tch_orphans_kill();
    }
}

void tch_spawner_close(struct tch_spawner *s)
{
    if (!s)
        return;
    stop_process(s);
    if (s->shared)
        munmap(s->shared, sizeof *s->shared);
    free(s);
}

int tch_spawner_begin(struct tch_spawner *s, const struct tch_job *jobs, size_t count,
                      tacho_error *err)
{
    struct tch_spawner_request q = {.count = count};
    struct tch_spawner_reply r;
    int status = s->owed ? read_reply(s, &r, err) : 0;

    s->owed = false;
    if (status < 0)
        return status;
    s->taken = 0;
    atomic_store(&s->shared->done, 0);
    atomic_store(&s->shared->began_ns, tch_now_ns());
    memcpy(q.jobs, jobs, count * sizeof *jobs);
    if (send(s->fd, &q, sizeof q, MSG_NOSIGNAL) != (ssize_t)sizeof q)
        return tch_fail_errno(err, errno, "cannot send a request to the spawner; was it killed?");
    s->owed = true;
    return 0;
}

int tch_spawner_renew(struct tch_spawner *s, uint32_t index, int out_fd, int err_fd,
                      tacho_error *err)
{
    struct tch_spawner_request q = {.jobs = {{.index = index}},
                                    .renew = {out_fd >= 0, err_fd >= 0}};
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(2 * sizeof(int))] = {0};
    struct iovec data = {&q, sizeof q};
    struct msghdr m = {.msg_iov = &data,
                       .msg_iovlen = 1,
                       .msg_control = control,
                       .msg_controllen = sizeof control};
    struct cmsghdr *head = CMSG_FIRSTHDR(&m);
    int fds[2];
    size_t count = 0;

    if (out_fd >= 0)
        fds[count++] = out_fd;
    if (err_fd >= 0)
        fds[count++] = err_fd;
    if (count == 0)
        return 0;
    *head = (struct cmsghdr){.cmsg_level = SOL_SOCKET,
                             .cmsg_type = SCM_RIGHTS,
                             .cmsg_len = CMSG_LEN(count * sizeof *fds)};
    memcpy(CMSG_DATA(head), fds, count * sizeof *fds);
    m.msg_controllen = CMSG_SPACE(count * sizeof *fds);
    if (sendmsg(s->fd, &m, MSG_NOSIGNAL) != (ssize_t)sizeof q)
        return tch_fail_errno(err, errno, "cannot pass a file to the spawner; was it killed?");
    return 0;
}

/* Copies the next completed sample of the request. */
static bool next_sample(struct tch_spawner *s, struct tch_run_sample *ret)
{
    if (s->taken == atomic_load(&s->shared->done))
        return false;
    *ret = s->shared->samples[s->taken++];
    return true;
}

int tch_spawner_wait(struct tch_spawner *s, uint64_t timeout_ns, struct tch_run_sample *ret,
                     tacho_error *err)
{
    struct pollfd p = {.fd = s->fd, .events = POLLIN};
    struct timespec t = {.tv_sec = (time_t)(timeout_ns / 1000000000u),
                         .tv_nsec = (long)(timeout_ns % 1000000000u)};
    struct tch_spawner_reply r;
    int n;
    int status;

    if (next_sample(s, ret))
        return 1;
    n = ppoll(&p, 1, timeout_ns == UINT64_MAX ? NULL : &t, NULL);
    if (n < 0)
        return tch_fail_errno(err, errno, "waiting for the command");
    if (next_sample(s, ret)) /* the reply follows the last sample */
        return 1;
    if (n == 0)
        return 0;
    status = read_reply(s, &r, err);
    s->owed = false;
    if (status == 0)
        status = tch_fail_errno(err, ECANCELED, "the run was aborted");
    return status;
}

pid_t tch_spawner_child(const struct tch_spawner *s)
{
    return atomic_load(&s->shared->child);
}

uint64_t tch_spawner_began_ns(const struct tch_spawner *s)
{
    return atomic_load(&s->shared->began_ns);
}

/* Stores memory values, which the spawner reads when the process has exited. The pid is stored
   last, so that the spawner never finds values of the previous process under the new pid. */
void tch_spawner_note_memory(struct tch_spawner *s, pid_t pid, uint64_t tree_bytes,
                             uint64_t peak_bytes)
{
    struct tch_spawner_shared *shared = s->shared;

    if (atomic_load(&shared->polled_pid) != pid) {
        atomic_store(&shared->polled_pid, 0);
        atomic_store(&shared->polled_tree_bytes, 0);
    }
    if (tree_bytes > atomic_load(&shared->polled_tree_bytes))
        atomic_store(&shared->polled_tree_bytes, tree_bytes);
    atomic_store(&shared->polled_peak_bytes, peak_bytes);
    atomic_store(&shared->polled_pid, pid);
}

int tch_spawner_fd(const struct tch_spawner *s)
{
    return s->fd;
}

void tch_spawner_abort(struct tch_spawner *s)
{
    if (s->pid > 0)
        kill(s->pid, SIGTERM);
}

void tch_spawner_cancel(struct tch_spawner *s)
{
    struct tch_spawner_reply r;

    if (!s->owed)
        return;
    tch_spawner_abort(s);
    (void)read_reply(s, &r, NULL);
    s->owed = false;
    s->taken = atomic_load(&s->shared->done);
}

uint64_t tch_spawner_cpu_ns(struct tch_spawner *s)
{
    stop_process(s);
    return atomic_load(&s->shared->cpu_ns);
}
