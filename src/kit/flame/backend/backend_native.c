/* Captures with tacho's own sampler on the kernel's perf events. */
#include "base/clock.h"
#include "base/cpu.h"
#include "base/fail.h"
#include "kit/flame/sample/collect_proc.h"
#include "kit/flame/sample/perf_rings.h"
#include "own_sampling.h"

static int open_sampler(struct tch_sampling *n, tacho_error *err)
{
    const tacho_flame_request *r = &n->c->request;
    bool fp = r->call_graph == TACHO_CALL_GRAPH_FP;
    struct tch_flame_sampler_options o = {
        .target = tch_capture_has(n->c, TACHO_FLAME_ALL) ? TCH_FLAME_TARGET_ALL
                  : r->pid                               ? TCH_FLAME_TARGET_PROCESS
                                                         : TCH_FLAME_TARGET_CHILD,
        .pid = r->pid,
        .tree = tch_capture_has(n->c, TACHO_FLAME_TREE),
        .event = r->event,
        .rate = r->rate,
        .stack_bytes = fp ? 0 : r->stack_bytes,
        .space = tch_capture_has(n->c, TACHO_FLAME_USER)     ? TCH_SPACE_USER
                 : tch_capture_has(n->c, TACHO_FLAME_KERNEL) ? TCH_SPACE_KERNEL
                                                             : TCH_SPACE_BOTH,
        .off_cpu = tch_capture_has(n->c, TACHO_FLAME_OFF_CPU),
    };
    struct tch_collect_options collect = {
        .per_thread = tch_capture_has(n->c, TACHO_FLAME_PER_THREAD),
        .off_cpu = o.off_cpu,
    };
    int status;

    if (o.stack_bytes > 0 && !TCH_CPU_X86_64)
        return tch_fail(err, TACHO_EUNSUPPORTED, 0,
                        "copies of stacks cannot be unwound on this CPU; use --call-graph fp");
    /* An event of the whole machine is not enabled by the command's exec, so start() enables it. */
    status = tch_flame_sampler_open(&n->perf, &o, err);
    if (status < 0)
        return status;
    n->drain_ms = n->perf.drain_ms;
    n->stack_bytes = n->perf.stack_bytes;
    collect.user_stack = n->perf.stack_bytes > 0 && n->perf.user;
    collect.weigh = !n->perf.clock;
    return tch_collect_init(&n->collect, &collect, err);
}

static int start(struct tch_sampling *n, tacho_error *err)
{
    const tacho_flame_request *r = &n->c->request;
    bool all = tch_capture_has(n->c, TACHO_FLAME_ALL);
    int status = 0;

    if (all)
        status = tch_collect_processes(&n->collect, err);
    else if (r->pid)
        status = tch_sampling_read_tree(n, err);
    if (status < 0)
        return status;
    if (r->pid || all)
        tch_flame_sampler_start(&n->perf);
    if (r->argv)
        status = tch_sampling_spawn(n, NULL, err);
    /* Only now: the child of a fork() must not inherit a lock that the working thread holds. */
    if (n->perf.kernel && status == 0)
        tch_symbol_worker_kernel(&n->worker, n->collect.objects.list[TCH_OBJECT_THE_KERNEL]);
    return status;
}

static int drain(struct tch_sampling *n, uint64_t until, tacho_error *err)
{
    return tch_flame_sampler_drain(&n->perf, until, tch_collect_record, &n->collect, err);
}

static void stop(struct tch_sampling *n)
{
    tch_flame_sampler_stop(&n->perf);
}

static void finish(struct tch_sampling *n)
{
    struct tacho_flame *result = &n->c->result;
    uint64_t lost = tch_flame_sampler_lost(&n->perf);

    if (lost > result->lost)
        result->lost = lost;
    result->kernel = n->perf.kernel;
    snprintf(result->event, sizeof result->event, "%s", n->perf.event);
    if (n->perf.off_cpu) {
        n->c->count_name = "microseconds";
        n->c->measure = "off-cpu";
    } else if (n->perf.clock) {
        n->c->period_ns = 1000000000 / n->c->request.rate;
    } else {
        n->c->count_name = n->perf.event;
    }
}

/* Compares the samples with the CPU time in the code that was sampled. Does not for events that do
   not follow CPU time, for samples of other processes, and if a sample costs about as much as a
   period, because the rate is then not reached. */
static void compare(struct tch_sampling *n, const struct rusage *usage)
{
    enum { RATE_SURE = 20000 };
    const struct tch_flame_sampler *s = &n->perf;
    uint32_t rate = n->c->request.rate;

    if (s->off_cpu || !(s->clock || strcmp(s->event, "cycles") == 0) || rate > RATE_SURE ||
        tch_capture_has(n->c, TACHO_FLAME_ALL))
        return;
    n->c->used_ns = (double)((s->user ? tch_timeval_ns(usage->ru_utime) : 0) +
                             (s->kernel ? tch_timeval_ns(usage->ru_stime) : 0));
    n->c->covered_ns = (double)(n->c->result.samples + n->c->result.lost) * 1e9 / rate;
}

static void close_sampler(struct tch_sampling *n)
{
    tch_flame_sampler_close(&n->perf);
}

static const struct tch_sampling_ops ops = {
    .name = "native",
    .open = open_sampler,
    .start = start,
    .drain = drain,
    .stop = stop,
    .finish = finish,
    .compare = compare,
    .close = close_sampler,
};

static int capture(struct tch_capture *c, tacho_error *err)
{
    return tch_sampling_capture(c, &ops, err);
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
