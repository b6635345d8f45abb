/* Runs a capture with one of tacho's own samplers: samples, unwinds and names while the command
   runs. */
#include "own_sampling.h"

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fail.h"
#include "kit/flame/sample/collect_names.h"
#include "kit/flame/sample/collect_origins.h"
#include "kit/flame/sample/collect_proc.h"
#include "kit/text/human_number.h"
#include "process/spawn.h"
#include "process/tree.h"

enum {
    INTERRUPT_MS = 500, /* time for a command that received our Ctrl-C to exit by itself */
    EXTRA_POLLS = 2,    /* the command's pidfd and the caller's stop_fd */
};

int tch_sampling_read_tree(struct tch_sampling *n, tacho_error *err)
{
    pid_t pid = n->c->request.pid;
    struct tch_tree tree = {0};
    int status = tch_collect_process(&n->collect, (uint32_t)pid, err);

    if (tch_capture_has(n->c, TACHO_FLAME_TREE))
        tch_tree_find(&tree, pid);
    for (size_t i = 0; i < tree.count && status == 0; i++)
        if (tch_tree_pid(&tree, i) != pid)
            status = tch_collect_process(&n->collect, (uint32_t)tch_tree_pid(&tree, i), err);
    tch_tree_release(&tree);
    return status;
}

int tch_sampling_spawn(struct tch_sampling *n, const char *const *env, tacho_error *err)
{
    const tacho_flame_request *r = &n->c->request;
    struct tch_spawn spawn = {.argv = r->argv,
                              .cwd = r->cwd,
                              .extra_env = env ? env : r->env,
                              .io = {[1] = tch_capture_output(n->c)}};
    tacho_error why;
    int status = tch_keep(&n->c->keeper, &spawn, &why);

    if (status < 0)
        return tch_flame_failed(err, TACHO_FLAME_COMMAND_FAILED, r->argv[0], &why);
    n->pid = n->c->keeper.pid;
    return 0;
}

/* Starts the command, or starts sampling running processes. */
static int start(struct tch_sampling *n, tacho_error *err)
{
    const tacho_flame_request *r = &n->c->request;
    int status = n->ops->start(n, err);

    if (status < 0)
        return status;
    if (n->pid > 0 || r->pid)
        n->pidfd = (int)syscall(SYS_pidfd_open, n->pid > 0 ? n->pid : r->pid, 0);
    if (r->duration_ns > 0)
        n->until = tch_now_ns() + r->duration_ns;
    return 0;
}

static int drain(struct tch_sampling *n, uint64_t until, tacho_error *err)
{
    int status = n->ops->drain(n, until, err);

    return status < 0
               ? status
               : tch_symbol_worker_feed(&n->worker, &n->collect.places, &n->collect.objects, err);
}

/* Returns whether the command has exited within limit_ns, and stores its status. The kernel kills
   it with its keeper. */
static bool await_command(struct tch_sampling *n, uint64_t limit_ns)
{
    struct tch_spawn_end end = {.status = SIGKILL};

    if (tch_keeper_wait(&n->c->keeper, limit_ns, &end, NULL) == 0)
        return false;
    n->c->result.wait_status = end.status;
    n->pid = 0;
    return true;
}

/* Returns whether the profiled process has exited. */
static bool has_exited(struct tch_sampling *n)
{
    const tacho_flame_request *r = &n->c->request;
    struct pollfd p = {.fd = n->pidfd, .events = POLLIN};

    if (r->argv && n->pid > 0)
        return await_command(n, 0);
    if (r->pid && n->pidfd >= 0) /* also detects a process that its parent has not waited for */
        return poll(&p, 1, 0) > 0;
    return r->pid && kill(r->pid, 0) < 0 && errno == ESRCH;
}

/* Waits for samples, the command's exit, or a request to stop. */
static void wait_more(struct tch_sampling *n)
{
    size_t rings = n->perf.poll_count;
    uint64_t now = tch_now_ns();
    uint64_t left = n->until > now ? (n->until - now) / 1000000 + 1 : 0;

    poll(n->polls, rings + EXTRA_POLLS, left < (uint64_t)n->drain_ms ? (int)left : n->drain_ms);
    for (size_t i = 0; i < rings; i++)
        if (n->polls[i].revents & (POLLHUP | POLLERR))
            n->polls[i].fd = -1; /* all threads of this event have exited */
    n->stopped |= n->polls[rings + 1].revents != 0 || tch_now_ns() >= n->until;
}

static int sample_all(struct tch_sampling *n, tacho_error *err)
{
    size_t rings = n->perf.poll_count;
    bool ended = false;
    int status = 0;

    n->polls = calloc(rings + EXTRA_POLLS, sizeof *n->polls);
    if (!n->polls)
        return tch_fail_memory(err);
    if (rings > 0)
        memcpy(n->polls, n->perf.polls, rings * sizeof *n->polls);
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
    n->ops->stop(n);
    return status;
}

/* Terminates a command that still runs when the capture ends, with all its descendants. A
   command that exited on Ctrl-C may have left processes that ignore it, such as a shell's
   background jobs. */
static void terminate_command(struct tch_sampling *n)
{
    struct tch_tree tree = {.keeper = tch_capture_adopter(n->c)};
    bool interrupted = tch_capture_stopped(n->c);
    bool running = n->pid > 0;

    if (n->pid == 0 && !(tree.keeper > 0 && (n->stopped || interrupted)))
        return;
    tch_tree_find(&tree, n->pid);
    /* A Ctrl-C from the keyboard has reached the command, too, so it may be about to exit. */
    tch_tree_end(&tree, interrupted ? INTERRUPT_MS : 0, TCH_TREE_GRACE_MS);
    tch_tree_release(&tree);
    if (n->pid > 0 && n->c->keeper.pid > 0)
        (void)await_command(n, UINT64_MAX);
    else if (n->pid > 0 && waitpid(n->pid, &n->c->result.wait_status, 0) == n->pid)
        n->pid = 0;
    if (running && !interrupted)
        n->c->result.wait_status = -1; /* we terminated it, so its status says nothing */
}

static int sample(struct tch_sampling *n, tacho_error *err)
{
    tacho_error why;
    int status = n->ops->open(n, &why);

    if (status == TACHO_ENOMEM || status == TACHO_EINVAL)
        return tch_fail(err, status, 0, "%s", why.message);
    if (status < 0)
        return tch_flame_failed(err, TACHO_FLAME_COMMAND_FAILED, n->ops->name, &why);
    n->collect.objects.budget.stop_fd = n->c->request.stop_fd;
    status = start(n, err);
    if (status == 0)
        status = sample_all(n, err);
    return status == 0 ? drain(n, UINT64_MAX, err) : status;
}

/* Stores the meaning of the counts with the stacks. */
static void set_counted(struct tch_capture *c)
{
    struct tch_counted *counted = &c->stacks.counted;
    double total = (double)tch_stacks_total(&c->stacks);
    bool weighed = c->count_name != NULL; /* otherwise each sample counts as 1 */
    const char *measure = c->measure ? c->measure : c->period_ns > 0 ? "cpu" : "";

    snprintf(counted->unit, sizeof counted->unit, "%s", weighed ? c->count_name : "samples");
    snprintf(counted->measure, sizeof counted->measure, "%s", measure);
    counted->period_ns = c->period_ns;
    if (weighed && total > 0) {
        counted->samples = c->result.samples;
        counted->quantum = c->stacks.squares / total;
    }
}

static void warn_of_refused(struct tch_sampling *n)
{
    if (n->collect.refused == 0)
        return;
    tch_buf_adds(&n->c->warnings,
                 "samples are missing, because the stacks of this capture need more than ");
    tch_add_value(&n->c->warnings, TCH_BYTES, (double)n->collect.most);
    tch_buf_adds(&n->c->warnings, "; sample for a shorter time, or less often with --rate");
    tch_buf_addc(&n->c->warnings, '\0');
}

static int run(struct tch_sampling *n, tacho_error *err)
{
    struct tch_symbol_options options = {
        .no_inline = tch_capture_has(n->c, TACHO_FLAME_NO_INLINE),
        .source = tch_capture_has(n->c, TACHO_FLAME_SOURCE),
        .lines = tch_capture_has(n->c, TACHO_FLAME_PPROF),
        .debuginfod = tch_capture_has(n->c, TACHO_FLAME_DEBUGINFOD),
    };
    struct tacho_flame *result = &n->c->result;
    int status;
    int named;

    tch_symbols_init(&n->symbols, &options, &n->c->stacks.names);
    /* The worker starts before the events are opened, because it and the programs that it starts
       would inherit them. */
    status = tch_symbol_worker_start(&n->worker, &n->symbols, err);
    if (status < 0)
        return status;
    status = sample(n, err);
    named = tch_symbol_worker_finish(&n->worker, status == 0 ? err : NULL);
    if (status == 0)
        status = named;
    if (status < 0)
        return status;
    tch_collect_end(&n->collect, n->c->ended_ns);
    result->samples = n->collect.samples;
    result->lost = n->collect.lost + n->collect.refused;
    warn_of_refused(n);
    result->truncated = n->collect.truncated;
    status = tch_collect_names(&n->collect, &n->symbols, &n->c->stacks, err);
    if (status == 0 && options.lines)
        status = tch_collect_origins(&n->collect, &n->symbols, &n->c->origins, err);
    tch_symbols_explain(&n->symbols, &n->c->warnings);
    if (status == 0)
        tch_programs_advise(&n->collect.programs, n->stack_bytes, &n->c->warnings);
    n->ops->finish(n);
    set_counted(n->c);
    /* A command that we stop later uses CPU time that is not sampled. */
    if (n->ops->compare && n->c->keeper.ended && !n->stopped)
        n->ops->compare(n, &n->c->keeper.end.usage);
    return status;
}

int tch_sampling_capture(struct tch_capture *c, const struct tch_sampling_ops *ops,
                         tacho_error *err)
{
    struct tch_sampling n = {.c = c, .ops = ops, .ring.fd = -1, .pidfd = -1, .until = UINT64_MAX};
    int status = run(&n, err);

    terminate_command(&n);
    tch_symbols_release(&n.symbols);
    tch_collect_release(&n.collect);
    ops->close(&n);
    free(n.polls);
    if (n.pidfd >= 0)
        close(n.pidfd);
    return status;
}
