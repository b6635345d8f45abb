/* Code shared by the samplers that write into a sample_ring.h. They see all code of the program and
   none of the kernel. Samples are weighted by CPU time. */
#include "ring_sampling.h"

#include "base/fail.h"

enum { DRAIN_MS = 10 }; /* in 10 ms a tenth of the slots is filled */

int tch_ring_sampling_open(struct tch_sampling *n, tacho_error *err)
{
    const tacho_flame_request *r = &n->c->request;
    struct tch_collect_options collect = {
        .user_stack = true,
        .weigh = true,
        .by_hand = true,
        .per_thread = tch_capture_has(n->c, TACHO_FLAME_PER_THREAD),
    };
    int status = tch_ring_open(&n->ring, r->stack_bytes, r->rate, err);

    if (status < 0)
        return status;
    n->drain_ms = DRAIN_MS;
    n->stack_bytes = r->stack_bytes;
    return tch_collect_init(&n->collect, &collect, err);
}

int tch_ring_sampling_drain(struct tch_sampling *n, uint64_t until, tacho_error *err)
{
    return tch_ring_drain(&n->ring, until, &n->collect, err);
}

void tch_ring_sampling_stop(struct tch_sampling *n)
{
    tch_ring_stop(&n->ring);
}

/* Adds to the result how it differs from perf events, and the rate that was reached. */
void tch_ring_sampling_finish(struct tch_sampling *n)
{
    struct tacho_flame *result = &n->c->result;

    result->lost += n->ring.ring->lost + n->ring.damaged;
    result->kernel = false;
    snprintf(result->event, sizeof result->event, "cpu-time");
    n->c->count_name = "microseconds";
    n->c->measure = "cpu";
    n->c->rate_reached = tch_ring_rate(&n->ring);
}

void tch_ring_sampling_close(struct tch_sampling *n)
{
    tch_ring_close(&n->ring);
}
