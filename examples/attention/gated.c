/* Runs the four phases: logits, gate, hysteresis, attend. */
#include "gated.h"

#include <stdlib.h>

#include <tacho/trace.h>

int gated_init(struct gated *g, const struct options *o, struct attention *attention)
{
    size_t most = o->max_len * o->max_len;

    *g = (struct gated){.o = o, .attention = attention};
    hysteresis_init(&g->held, o->tau);
    g->logits = calloc(most, sizeof *g->logits);
    g->keep = calloc(most, 1);
    if (g->logits && g->keep && mincut_init(&g->mincut, o->max_len) == 0)
        return 0;
    gated_release(g);
    return -1;
}

void gated_release(struct gated *g)
{
    hysteresis_release(&g->held);
    mincut_release(&g->mincut);
    free(g->logits);
    free(g->keep);
    *g = (struct gated){0};
}

/* With a tau of 0 or 1 the raw mask is used, and there is no state. */
static int hold(struct gated *g, const struct sample *s, struct meter *meter)
{
    size_t count = s->len * s->len;

    TACHO_SPAN("hysteresis", "gate");
    if (g->o->tau < 2)
        return 0;
    if (s->first)
        hysteresis_release(&g->held);
    meter_take(meter, TACHO_MEMORY_TEMP_BUFFERS, count * 5);
    return hysteresis_apply(&g->held, g->keep, count);
}

static void count_kept(const uint8_t *keep, size_t len, struct gated_result *ret)
{
    ret->edges_kept = 0;
    ret->columns_kept = 0;
    for (size_t j = 0; j < len; j++) {
        size_t kept = 0;

        for (size_t i = 0; i < len; i++)
            kept += keep[i * len + j];
        ret->edges_kept += kept;
        ret->columns_kept += kept > 0;
    }
}

static void gate(struct gated *g, const struct sample *s, struct gated_result *ret)
{
    struct mincut_result cut;

    TACHO_SPAN("min-cut", "gate");
    mincut_gate(&g->mincut, g->logits, s->len, g->o->lambda, g->o->eps, g->keep, &cut);
    ret->cut_cost = cut.cut_cost;
    ret->edges_total = cut.total;
}

static void find_logits(struct gated *g, const struct sample *s)
{
    TACHO_SPAN("logits", "attention");
    attention_logits(g->attention, s->q, s->k, s->len, g->logits);
}

static void attend(struct gated *g, const struct sample *s)
{
    TACHO_SPAN("gated softmax", "attention");
    attention_gated(g->attention, g->logits, g->keep, s->v, s->len, s->out);
}

int gated_run(struct gated *g, const struct sample *s, struct meter *meter,
              struct gated_result *ret)
{
    size_t n = s->len;
    size_t row = 2 * s->dim * sizeof(float); /* of k and v */
    uint64_t t[5];

    t[0] = tacho_trace_now_ns();
    meter_take(meter, TACHO_MEMORY_TEMP_BUFFERS, n * n * sizeof(float));
    find_logits(g, s);
    t[1] = tacho_trace_now_ns();
    meter_take(meter, TACHO_MEMORY_TEMP_BUFFERS, n * n + mincut_bytes(n));
    gate(g, s, ret);
    meter_give(meter, TACHO_MEMORY_TEMP_BUFFERS, mincut_bytes(n));
    t[2] = tacho_trace_now_ns();
    if (hold(g, s, meter) < 0)
        return -1;
    t[3] = tacho_trace_now_ns();
    attend(g, s);
    t[4] = tacho_trace_now_ns();
    count_kept(g->keep, n, ret);
    meter_give(meter, TACHO_MEMORY_KV_CACHE,
               (n - ret->columns_kept) * row); /* no row uses these columns */
    ret->logits_ns = t[1] - t[0];
    ret->gate_ns = t[2] - t[1];
    ret->hysteresis_ns = t[3] - t[2];
    ret->attend_ns = t[4] - t[3];
    return 0;
}
