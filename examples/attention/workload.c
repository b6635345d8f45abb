/* Makes, runs, measures and records sequences one at a time. Only the run itself is timed. */
#include "workload.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <tacho/trace.h>

#include "attention.h"
#include "gated.h"
#include "meter.h"
#include "record.h"
#include "reference.h"
#include "sample.h"

/* Limit for q, k, v and the output of the longest sequence together. */
static const size_t max_floats = (size_t)1 << 29;

/* The state of a run, made once. */
struct workload {
    const struct options *o;
    struct sample sample;
    struct attention attention;
    struct gated gated;
    struct meter meter;
    struct record record;
    struct coherence *coherence; /* one per sample */
    float *baseline;             /* output of softmax, to compare the gated output with */
    double *room;                /* for the reference */
};

static void run_softmax(struct workload *w, float *out)
{
    const struct sample *s = &w->sample;
    size_t head = s->len * s->dim;

    TACHO_SPAN("softmax", "attention");
    for (size_t h = 0; h < s->heads; h++)
        attention_softmax(&w->attention, s->q + h * head, s->k + h * head, s->v + h * head, s->len,
                          out + h * head);
}

/* Returns the largest difference from the reference. NaN counts as infinite. */
static double difference(const struct workload *w)
{
    const struct sample *s = &w->sample;
    const uint8_t *keep = w->o->gated ? w->gated.keep : NULL;
    size_t head = s->len * s->dim;
    double *row = w->room + s->len;
    double largest = 0;

    for (size_t at = 0; at < s->heads * head; at += s->dim) {
        size_t h = at / head;

        reference_row(s->q + h * head, s->k + h * head, s->v + h * head, keep, s->len, s->dim,
                      at % head / s->dim, w->room, row);
        for (size_t c = 0; c < s->dim; c++) {
            double diff = fabs((double)s->out[at + c] - row[c]);

            largest = fmax(largest, isnan(diff) ? (double)INFINITY : diff);
        }
    }
    return largest;
}

/* Adds values to an FNV-1a checksum, one float at a time. */
static uint64_t add_to_checksum(uint64_t sum, const float *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;

        memcpy(&bits, &values[i], sizeof bits);
        sum = (sum ^ bits) * 0x100000001B3u;
    }
    return sum;
}

/* Runs the timed part. Returns 0, or -1 when there is no memory. */
static int run_sample(struct workload *w, struct measured *m)
{
    const struct sample *s = &w->sample;
    size_t tensor = sample_floats(s) * sizeof(float);
    double joules = meter_joules(&w->meter);
    uint64_t start;
    int status = 0;

    TACHO_SPAN("sample", "attention");
    meter_begin_sample(&w->meter);
    meter_take(&w->meter, TACHO_MEMORY_KV_CACHE, 2 * tensor);
    meter_take(&w->meter, TACHO_MEMORY_ACTIVATIONS, 2 * tensor); /* q and the output */
    meter_take(&w->meter, TACHO_MEMORY_TEMP_BUFFERS, attention_bytes(s->len, s->dim));
    start = tacho_trace_now_ns();
    if (w->o->gated)
        status = gated_run(&w->gated, s, &w->meter, &m->gated);
    else
        run_softmax(w, s->out);
    m->wall_ns = tacho_trace_now_ns() - start;
    m->joules = meter_joules(&w->meter) - joules;
    meter_end_sample(&w->meter);
    m->peak_bytes = w->meter.peak;
    return status;
}

/* Compares the gated output with that of softmax for the same input. */
static void judge_sample(struct workload *w, struct measured *m, struct workload_result *ret)
{
    const struct gated_result *g = &m->gated;
    double share = (double)g->edges_kept / (double)g->edges_total;

    TACHO_SPAN("coherence", "attention");
    run_softmax(w, w->baseline);
    m->coherence =
        coherence_of(w->baseline, w->sample.out, sample_floats(&w->sample), COHERENCE_THRESHOLD);
    w->coherence[m->number] = m->coherence;
    ret->edges_kept += share / (double)w->o->samples;
    ret->kv_cache_reduction +=
        (1 - (double)g->columns_kept / (double)w->sample.len) / (double)w->o->samples;
    ret->cut += (g->cut_cost > 0) / (double)w->o->samples;
}

static int do_sample(struct workload *w, size_t number, struct workload_result *ret)
{
    struct measured m = {.number = number};
    struct sample *s = &w->sample;
    int status;

    sample_make(s, w->o, number);
    if (run_sample(w, &m) < 0) {
        fputs("attention: out of memory for the hysteresis\n", stderr);
        return -1;
    }
    ret->seconds[number] = (double)m.wall_ns * 1e-9;
    ret->operations += 4.0 * (double)sample_floats(s) * (double)s->len;
    ret->checksum = add_to_checksum(ret->checksum, s->out, sample_floats(s));
    if (w->o->gated)
        judge_sample(w, &m, ret);
    {
        TACHO_SPAN("record", "attention");
        status = record_sample(&w->record, s, w->gated.keep, &m);
    }
    if (w->o->check)
        ret->largest_diff = fmax(ret->largest_diff, difference(w));
    return status;
}

static enum workload_status open_workload(struct workload *w, const struct options *o,
                                          struct workload_result *ret)
{
    ret->seconds = calloc(o->samples, sizeof ret->seconds[0]);
    w->room = calloc(o->max_len + o->dim, sizeof w->room[0]);
    w->coherence = calloc(o->samples, sizeof w->coherence[0]);
    w->baseline = calloc(o->gated ? o->max_len * o->dim : 1, sizeof w->baseline[0]);
    if (!ret->seconds || !w->room || !w->coherence || !w->baseline ||
        sample_init(&w->sample, o) < 0 || attention_init(&w->attention, o->max_len, o->dim) < 0 ||
        (o->gated && gated_init(&w->gated, o, &w->attention) < 0))
        return WORKLOAD_NO_MEMORY;
    if (meter_open(&w->meter, o->mode, o->power) < 0 || record_open(&w->record, o) < 0)
        return WORKLOAD_FAILED;
    return WORKLOAD_OK;
}

static void close_workload(struct workload *w)
{
    record_release(&w->record);
    meter_close(&w->meter);
    gated_release(&w->gated);
    attention_release(&w->attention);
    sample_release(&w->sample);
    free(w->baseline);
    free(w->coherence);
    free(w->room);
}

enum workload_status workload_run(const struct options *o, struct workload_result *ret)
{
    struct workload w = {.o = o};
    enum workload_status status;

    *ret = (struct workload_result){.checksum = 0xCBF29CE484222325u};
    if (o->max_len * o->dim > max_floats / 4 / o->heads)
        return WORKLOAD_TOO_LARGE;
    status = open_workload(&w, o, ret);
    for (size_t i = 0; i < o->samples && status == WORKLOAD_OK; i++)
        if (do_sample(&w, i, ret) < 0)
            status = WORKLOAD_FAILED;
    if (status == WORKLOAD_OK && record_close(&w.record) < 0)
        status = WORKLOAD_FAILED;
    if (status == WORKLOAD_OK) {
        ret->coherence = coherence_batch_of(w.coherence, o->gated ? o->samples : 0, o->steps);
        status = ret->largest_diff <= WORKLOAD_TOLERANCE ? WORKLOAD_OK : WORKLOAD_WRONG;
    } else {
        free(ret->seconds);
        ret->seconds = NULL;
    }
    close_workload(&w);
    return status;
}
