/*
 * Min-cut gated attention of a sample, phase by phase, with hysteresis over samples of one length.
 */
#ifndef EXAMPLE_GATED_H
#define EXAMPLE_GATED_H

#include <stddef.h>
#include <stdint.h>

#include "attention.h"
#include "hysteresis.h"
#include "meter.h"
#include "mincut.h"
#include "options.h"
#include "sample.h"

struct gated {
    const struct options *o;
    struct attention *attention;
    struct mincut mincut;
    float *logits;
    uint8_t *keep;          /* len x len, of the last sample */
    struct hysteresis held; /* of the current sequence */
};

/** The result of a sample. Times are in nanoseconds. */
struct gated_result {
    float cut_cost;
    size_t edges_kept; /* after the hysteresis */
    size_t edges_total;
    size_t columns_kept; /* columns with any kept entry, the needed part of the KV cache */
    uint64_t logits_ns, gate_ns, hysteresis_ns, attend_ns;
};

/** Allocates the state. attention is borrowed. Returns 0, or -1 when there is no memory. */
int gated_init(struct gated *g, const struct options *o, struct attention *attention);
void gated_release(struct gated *g);

/** Runs a sample into s->out. Returns 0, or -1 when there is no memory for the hysteresis. */
int gated_run(struct gated *g, const struct sample *s, struct meter *meter,
              struct gated_result *ret);

#endif
