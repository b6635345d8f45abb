/*
 * Records a sample: a row of the CSV, a witness entry, a profile event, a latency.
 */
#ifndef EXAMPLE_RECORD_H
#define EXAMPLE_RECORD_H

#include <stdint.h>
#include <stdio.h>

#include <tacho/latency.h>
#include <tacho/witness.h>

#include "coherence.h"
#include "gated.h"
#include "options.h"
#include "sample.h"

/** The measurements of one sample; only a gated one has the last two. */
struct measured {
    size_t number;
    uint64_t wall_ns;
    uint64_t peak_bytes;
    double joules; /* NaN: no power source */
    struct coherence coherence;
    struct gated_result gated;
};

struct record {
    const struct options *o;
    FILE *csv; /* under a temporary name until it is complete */
    char *csv_temp;
    tacho_witness *witness;
    tacho_latency *latencies;
};

/** Open the files and add a sample. Return 0, or -1 after a message on stderr. */
int record_open(struct record *r, const struct options *o);
int record_sample(struct record *r, const struct sample *s, const uint8_t *keep,
                  const struct measured *m);

/** Renames the CSV to its final name and closes the witness log. Returns like record_open(). */
int record_close(struct record *r);

/** Removes the incomplete CSV after a failure. Does nothing after record_close(). */
void record_release(struct record *r);

#endif
