/*
 * What a sample leaves behind: a row of the CSV, a witness entry, a profile event, a latency.
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

/** Measured of one sample; the last two only of a gated one. */
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
    FILE *csv; /* under another name until it is whole */
    char *csv_temp;
    tacho_witness *witness;
    tacho_latency *latencies;
};

/** Each returns 0, or -1 after saying on stderr what is wrong. */
int record_open(struct record *r, const struct options *o);
int record_sample(struct record *r, const struct sample *s, const uint8_t *keep,
                  const struct measured *m);

/** The CSV takes its name, the witness log is closed. */
int record_close(struct record *r);

/** After a failure: the CSV goes. Fine after a close. */
void record_release(struct record *r);

#endif
