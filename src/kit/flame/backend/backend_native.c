/* Our own sampler: the kernel's perf events, unwound and named while the command runs. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend.h"
#include "base/clock.h"
#include "base/fail.h"
#include "base/spawn.h"
#include "kit/flame/sample/collect_records.h"
#include "kit/flame/sample/perf_rings.h"
#include "kit/flame/symbol/symbol.h"
#include "process_family.h"

enum {
    INTERRUPT_MS = 500, /* for a command that was interrupted as we were */
    EXTRA_POLLS = 2,    /* the command, and the caller's stop */
};

/* One capture. */
struct native {
    struct tch_capture *c;
    struct tch_flame_sampler sampler;
    struct tch_collect collect;
    struct tch_symbols symbols;
    struct tch_symbol_worker worker;
    struct pollfd *polls; /* the rings', then the command's, then the stop's */
    pid_t pid;            /* of the command; 0: there is none, or it has exited */
    int pidfd;
    uint64_t until; /* the end of its time, or UINT64_MAX */
    bool stopped;
};

static bool has(const struct tch_capture *c, uint32_t flag)
{
    return (c->request.flags & flag) != 0;
}

static int open_sampler(struct native *n, tacho_error *err)
{
    const tacho_flame_request *r = &n->c->request;
    bool fp = r->call_graph == TACHO_CALL_GRAPH_FP;
    struct tch_flame_sampler_options o = {
        .target = has(n->c, TACHO_FLAME_ALL) ? TCH_FLAME_TARGET_ALL
                  : r->pid                   ? TCH_FLAME_TARGET_PROCESS
                                             : TCH_FLAME_TARGET_CHILD,
        .pid = r->pid,
        .tree = has(n->c, TACHO_FLAME_TREE),
        .event = r->event,
        .rate = r->rate,
        .stack_bytes = fp ? 0 : r->stack_bytes,
        .space = has(n->c, TACHO_FLAME_USER)     ? TCH_SPACE_USER
                 : has(n->c, TACHO_FLAME_KERNEL) ? TCH_SPACE_KERNEL
                                                 : TCH_SPACE_BOTH,
        .off_cpu = has(n->c, TACHO_FLAME_OFF_CPU),
    };
    struct tch_collect_options collect = {
        .per_thread = has(n->c, TACHO_FLAME_PER_THREAD),
        .off_cpu = o.off_cpu,
    };
    int status;

    /* A machine-wide event of a command that is not started by exec is started by hand. */
    status = tch_flame_sampler_open(&n->sampler, &o, err);
    if (status < 0)
        return status;
    collect.user_stack = n->sampler.stack_bytes > 0 && n->sampler.user;
    collect.weigh = !n->sampler.clock;
    return tch_collect_init(&n->collect, &collect, err);
}

static int collect_tree(struct native *n, tacho_error *err)
{
    pid_t pid = n->c->request.pid;
    struct tch_family family = {0};
    int status = tch_collect_process(&n->collect, (uint32_t)pid, err);

    if (has(n->c, TACHO_FLAME_TREE))
        tch_family_find(&family, pid);
    for (size_t i = 0; i < family.count && status == 0; i++)
        if (tch_family_pid(&family, i) != pid)
            status = tch_collect_process(&n->collect, (uint32_t)tch_family_pid(&family, i), err);
    tch_family_release(&family);
    return status;
}

/* Begins with what runs already, or starts the command. */
static int start(struct native *n, tacho_error *err)
{
    const tacho_flame_request *r = &n->c->request;
    int status = 0;

    if (has(n->c, TACHO_FLAME_ALL))
        status = tch_collect_processes(&n->collect, err);
    else if (r->pid)
        status = collect_tree(n, err);
    if (status < 0)
        return status;
    if (r->pid || has(n->c, TACHO_FLAME_ALL))
        tch_flame_sampler_start(&n->sampler);
    if (r->argv) {
        struct tch_spawn spawn = {.argv = r->argv, .cwd = r->cwd, .extra_env = r->env};
        tacho_error why;

        status = tch_spawn(&spawn, &n->pid, &why);
        if (status < 0)
            return tch_flame_failed(err, TACHO_FLAME_COMMAND_FAILED, r->argv[0], &why);
        tch_guard_watch(&n->c->guard, n->pid);
        n->pidfd = (int)syscall(SYS_pidfd_open, n->pid, 0);
    }
    if (r->pid)
        n->pidfd = (int)syscall(SYS_pidfd_open, r->pid, 0);
    if (r->duration_ns > 0)
        n->until = tch_now_ns() + r->duration_ns;
    return 0;
}

static int drain(struct native *n, uint64_t until, tacho_error *err)
{
    int status = tch_flame_sampler_drain(&n->sampler, until, tch_collect_record, &n->collect, err);

    return status < 0 ? status : tch_symbol_worker_feed(&n->worker, &n->collect, err);
}

/* Waits for the command and for orphans that have exited; true: the command has. A command that
   cannot be waited for, because the program ignores SIGCHLD or waits itself, counts as exited. */
static bool reap(struct native *n)
{
    bool ended = false;
    int status;
    pid_t pid;

    while (n->c->orphans.taken && !ended && (pid = waitpid(-1, &status, WNOHANG)) > 0)
        ended = pid == n->pid;
    if (!ended && n->pid > 0) {
        pid = waitpid(n->pid, &status, WNOHANG);
        ended = pid > 0 || (pid < 0 && errno == ECHILD);
    }
    if (ended && pid > 0)
        n->c->result.wait_status = status;
    if (ended)
        n->pid = 0;
    return ended;
}

/* Whether the profiled process has exited; a command is then waited for. */
static bool has_exited(struct native *n)
{
    const tacho_flame_request *r = &n->c->request;
    struct pollfd p = {.fd = n->pidfd, .events = POLLIN};

    if (n->pid > 0)
        return reap(n);
    if (r->pid && n->pidfd >= 0) /* also of one whose parent does not wait for it */
        return poll(&p, 1, 0) > 0;
    return r->pid && kill(r->pid, 0) < 0 && errno == ESRCH;
}

/* Waits for samples, for the command's exit, or for a request to stop. */
static void wait_more(struct native *n)
{
    size_t rings = n->sampler.poll_count;
    uint64_t now = tch_now_ns();
    uint64_t left = n->until > now ? (n->until - now) / 1000000 + 1 : 0;
    uint64_t longest = (uint64_t)n->sampler.drain_ms;

    poll(n->polls, rings + EXTRA_POLLS, left < longest ? (int)left : (int)longest);
    for (size_t i = 0; i < rings; i++)
        if (n->polls[i].revents & (POLLHUP | POLLERR))
            n->polls[i].fd = -1; /* its threads have ended; the others', too, before long */
    n->stopped |= n->polls[rings + 1].revents != 0 || tch_now_ns() >= n->until;
}

static int sample_all(struct native *n, tacho_error *err)
{
    size_t rings = n->sampler.poll_count;
    bool ended = false;
    int status = 0;

    n->polls = calloc(rings + EXTRA_POLLS, sizeof *n->polls);
    if (!n->polls)
        return tch_fail_memory(err);
    memcpy(n->polls, n->sampler.polls, rings * sizeof *n->polls);
    n->polls[rings] = (struct pollfd){.fd = n->pidfd, .events = POLLIN};
    n->polls[rings + 1] = (struct pollfd){.fd = n->c->request.stop_fd, .events = POLLIN};
    while (status == 0 && !ended && !n->stopped) {
        wait_more(n);
        ended = has_exited(n);
        if (ended)
            n->c->ended_ns = tch_now_ns();
        status = drain(n, tch_now_ns() - TCH_FLAME_SAMPLER_SLACK, err);
    }
    if (!ended)
        n->c->ended_ns = tch_now_ns();
    tch_flame_sampler_stop(&n->sampler);
    return status;
}

/* Terminates a command that still runs when the capture ends, with all its descendants. A command
   that exited on an interrupt may have left processes that ignore it: a shell's background jobs. */
static void terminate_command(struct native *n)
{
    struct tch_family family = {.orphans = &n->c->orphans};
    bool interrupted = tch_capture_stopped(n->c);

    if (n->pid == 0 && !(n->c->orphans.taken && (n->stopped || interrupted)))
        return;
    tch_family_find(&family, n->pid);
    /* An interrupt from the keyboard has reached it, too: it may be about to exit. */
    tch_family_terminate(&family, interrupted ? INTERRUPT_MS : 0);
    tch_family_release(&family);
    if (n->pid > 0 && waitpid(n->pid, &n->c->result.wait_status, 0) == n->pid)
        n->pid = 0;
}

static int sample(struct native *n, tacho_error *err)
{
    tacho_error why;
    int status = open_sampler(n, &why);

    if (status == TACHO_ENOMEM || status == TACHO_EINVAL)
        return tch_fail(err, status, 0, "%s", why.message);
    if (status < 0)
        return tch_flame_failed(err, TACHO_FLAME_COMMAND_FAILED, "native", &why);
    if (n->sampler.kernel)
        tch_symbol_worker_kernel(&n->worker, n->collect.objects.list[TCH_OBJECT_THE_KERNEL]);
    status = start(n, err);
    if (status == 0)
        status = sample_all(n, err);
    return status == 0 ? drain(n, UINT64_MAX, err) : status;
}

static int run(struct native *n, tacho_error *err)
{
    struct tch_symbol_options options = {
        .no_inline = has(n->c, TACHO_FLAME_NO_INLINE),
        .source = has(n->c, TACHO_FLAME_SOURCE),
        .debuginfod = has(n->c, TACHO_FLAME_DEBUGINFOD),
    };
    struct tacho_flame *result = &n->c->result;
    uint64_t lost;
    int status;
    int named;

    tch_symbols_init(&n->symbols, &options, &n->c->stacks.names);
    /* Before there are events: the thread and the programs it starts would inherit them. */
    status = tch_symbol_worker_start(&n->worker, &n->symbols, err);
    if (status < 0)
        return status;
    status = sample(n, err);
    named = tch_symbol_worker_finish(&n->worker, status == 0 ? err : NULL);
    if (status == 0)
        status = named;
    if (status < 0)
        return status;
    lost = tch_flame_sampler_lost(&n->sampler);
    tch_collect_end(&n->collect, n->c->ended_ns);
    result->samples = n->collect.samples;
    result->lost = lost > n->collect.lost ? lost : n->collect.lost;
    result->truncated = n->collect.truncated;
    result->kernel = n->sampler.kernel;
    snprintf(result->event, sizeof result->event, "%s", n->sampler.event);
    if (n->sampler.off_cpu)
        n->c->count_name = "microseconds";
    else if (!n->sampler.clock)
        n->c->count_name = n->sampler.event;
    status = tch_symbols_stacks(&n->symbols, &n->collect, &n->c->stacks, err);
    tch_symbols_explain(&n->symbols, &n->c->warnings);
    if (status == 0)
        tch_programs_advise(&n->collect.programs, n->sampler.stack_bytes, &n->c->warnings);
    return status;
}

static int capture(struct tch_capture *c, tacho_error *err)
{
    struct native n = {.c = c, .pidfd = -1, .until = UINT64_MAX};
    int status = run(&n, err);

    terminate_command(&n);
    tch_symbols_release(&n.symbols);
    tch_collect_release(&n.collect);
    tch_flame_sampler_close(&n.sampler);
    free(n.polls);
    if (n.pidfd >= 0)
        close(n.pidfd);
    return status;
}

static int probe(tacho_error *err)
{
    struct tch_flame_sampler_options o = {.target = TCH_FLAME_TARGET_CHILD, .rate = 1};
    struct tch_flame_sampler s;
    int status = tch_flame_sampler_open(&s, &o, err);

    if (status == 0)
        tch_flame_sampler_close(&s);
    return status;
}

const struct tch_backend tch_backend_native = {
    .name = "native",
    .used = "native",
    .needs = "perf events of the Linux kernel",
    .probe = probe,
    .capture = capture,
};
