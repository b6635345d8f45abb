/* Runs a function in a child process with limited CPU time and memory. */
#include "limited_child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fail.h"
#include "base/number.h"
#include "fork.h"

enum {
    POLL_MS = 50,          /* how often *stop is checked */
    WALL_PER_CPU = 20,     /* wall time per CPU time allowed: on a busy machine the child waits */
    WALL_BASE = 60 * 1000, /* ms; added to that limit */
};

void tch_child_limit(int resource, uint64_t value)
{
    struct rlimit limit;

    if (getrlimit((__rlimit_resource_t)resource, &limit) == 0 && value < limit.rlim_max) {
        limit.rlim_cur = value;
        setrlimit((__rlimit_resource_t)resource, &limit);
    }
}

uint64_t tch_child_memory(void)
{
    enum { DATA = 5 }; /* the index of the field, from 0 */
    char text[128] = "";
    const char *at = text;
    uint64_t pages = 0;
    int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);

    if (fd >= 0)
        close(fd);
    for (int i = 0; n > 0 && i < DATA && *at; i++)
        at += strcspn(at, " ") + 1;
    if (n <= 0 || tch_parse_u64_n(at, strcspn(at, " "), UINT64_MAX >> 20, &pages) < 0)
        return 0;
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void enter_child(const struct tch_child_limits *limits)
{
    signal(SIGXCPU, SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
    tch_child_limit(RLIMIT_CORE, 0);
    tch_child_limit(RLIMIT_CPU, limits->cpu_seconds);
    tch_child_limit(RLIMIT_DATA, tch_child_memory() + limits->memory_bytes);
}

static int read_answer(int fd, const struct tch_child_limits *limits, struct tch_buf *answer,
                       tacho_error *err)
{
    const volatile sig_atomic_t *stop = limits->stop;
    uint64_t until =
        tch_now_ns() + (WALL_BASE + limits->cpu_seconds * 1000 * WALL_PER_CPU) * 1000000;
    char data[16384];

    for (;;) {
        struct pollfd p = {.fd = fd, .events = POLLIN};
        int ready = poll(&p, 1, POLL_MS);
        ssize_t n = ready > 0 ? read(fd, data, sizeof data) : -1;

        if (stop && *stop)
            return tch_fail_errno(err, ECANCELED, "it was stopped");
        if (n == 0)
            return 0;
        if (n > 0)
            tch_buf_add(answer, data, (size_t)n);
        else if (ready != 0 && errno != EINTR)
            return tch_fail_errno(err, errno, "its answer cannot be read");
        if (answer->failed)
            return tch_fail_memory(err);
        if (tch_now_ns() > until)
            return tch_fail(err, TACHO_ELIMIT, 0, "it did not end");
    }
}

int tch_child_call(const struct tch_child_limits *limits, void (*work)(int fd, void *ctx),
                   void *ctx, struct tch_buf *answer, tacho_error *err)
{
    int how = 0;
    int fds[2];
    int status;
    pid_t pid;

    if (pipe2(fds, O_CLOEXEC) < 0)
        return tch_fail_errno(err, errno, "cannot make a pipe");
    pid = tch_fork();
    if (pid == 0) {
        close(fds[0]);
        enter_child(limits);
        work(fds[1], ctx);
        _exit(0);
    }
    close(fds[1]);
    status = pid < 0 ? tch_fail_errno(err, errno, "cannot fork")
                     : read_answer(fds[0], limits, answer, err);
    close(fds[0]);
    if (pid < 0)
        return status;
    if (status < 0)
        kill(pid, SIGKILL);
    while (waitpid(pid, &how, 0) < 0 && errno == EINTR)
        ;
    if (status < 0 || how == 0)
        return status;
    if (WIFSIGNALED(how) && WTERMSIG(how) == SIGXCPU)
        return tch_fail(err, TACHO_ELIMIT, 0, "it took more than %llu s of CPU time",
                        (unsigned long long)limits->cpu_seconds);
    return tch_fail(err, TACHO_ELIMIT, 0, "it needed more than %llu MB of memory, or crashed",
                    (unsigned long long)limits->memory_bytes >> 20);
}
