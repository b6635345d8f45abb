/* Captures without perf events, by a tracer process that stops threads with ptrace(2). */
#include <signal.h>
#include <sys/wait.h>

#include "base/fail.h"
#include "kit/flame/sample/tracer.h"
#include "own_sampling.h"
#include "process/spawn.h"
#include "ring_sampling.h"

enum { RATE = 250 }; /* each stop takes the program about 0.1 ms */

/* Starts the tracer and waits for it in place of the command: it is the command's parent and exits
   after it. */
static int start(struct tch_sampling *n, tacho_error *err)
{
    const tacho_flame_request *r = &n->c->request;
    struct tch_spawn spawn = {.argv = r->argv,
                              .cwd = r->cwd,
                              .extra_env = r->env,
                              .io = {[1] = tch_capture_output(n->c)}};
    struct tch_tracer_options o = {
        .ring = n->ring.ring,
        .spawn = r->argv ? &spawn : NULL,
        .pid = r->pid,
        .tree = tch_capture_has(n->c, TACHO_FLAME_TREE),
    };
    tacho_error why;
    int status = r->pid ? tch_sampling_read_tree(n, err) : 0;

    if (status < 0)
        return status;
    n->ring.ring->wait_status =
        SIGKILL; /* the status if the tracer is killed, and the command with it */
    status = tch_tracer_start(&o, &n->c->keeper, &n->pid, &why);
    if (status == TACHO_EINVAL)
        return tch_fail(err, status, 0, "%s", why.message);
    if (status < 0)
        return tch_flame_failed(err, TACHO_FLAME_COMMAND_FAILED, r->argv ? r->argv[0] : "ptrace",
                                &why);
    return 0;
}

/* Stops sampling. The tracer of a process that keeps running exits soon after the ring says stop.
   The tracer of a command only stops sampling, because a parent must not exit before its child. */
static void stop(struct tch_sampling *n)
{
    tch_ring_sampling_stop(n);
    if (n->c->request.pid && n->pid > 0 && waitpid(n->pid, NULL, 0) == n->pid)
        n->pid = 0;
}

static void finish(struct tch_sampling *n)
{
    tch_ring_sampling_finish(n);
    if (n->ring.ring->trouble & TCH_TROUBLE_NO_MEMORY) {
        tch_buf_adds(&n->c->warnings,
                     "some stacks could not be read, because their program forbids it "
                     "(PR_SET_DUMPABLE) or the container does; they have one frame");
        tch_buf_addc(&n->c->warnings, '\0');
    }
}

/* Closes the ring. The tracer has been waited for; the command's exit status is in the ring. */
static void close_sampler(struct tch_sampling *n)
{
    if (WIFSIGNALED(n->c->keeper.end.status))
        tch_keeper_stop(&n->c->keeper); /* the tracer was killed; the command would run on */
    if (n->c->request.argv && n->c->result.wait_status >= 0)
        n->c->result.wait_status = n->ring.ring->wait_status;
    tch_ring_sampling_close(n);
}

static const struct tch_sampling_ops ops = {
    .name = "ptrace",
    .open = tch_ring_sampling_open,
    .start = start,
    .drain = tch_ring_sampling_drain,
    .stop = stop,
    .finish = finish,
    .close = close_sampler,
};

static int capture(struct tch_capture *c, tacho_error *err)
{
    return tch_sampling_capture(c, &ops, err);
}

const struct tch_backend tch_backend_ptrace = {
    .name = "ptrace",
    .used = "ptrace",
    .needs = "the right to trace processes",
    .own_event = true,
    .copies = true,
    .cannot = TACHO_FLAME_ALL | TACHO_FLAME_OFF_CPU | TACHO_FLAME_KERNEL,
    .rate = RATE,
    .probe = tch_tracer_probe,
    .capture = capture,
};
