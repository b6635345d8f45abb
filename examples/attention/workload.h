/*
 * The workload: runs synthetic sequences one after the other, times, checks, records and summarises
 * them.
 */
#ifndef EXAMPLE_WORKLOAD_H
#define EXAMPLE_WORKLOAD_H

#include <stdint.h>

#include "coherence.h"
#include "options.h"

/** The largest difference from the reference that --check accepts; outputs are below 2. */
#define WORKLOAD_TOLERANCE 1e-5

struct workload_result {
    uint64_t checksum;   /* over the bits of every output, in order */
    double *seconds;     /* one time per sample, in order; the caller frees it */
    double operations;   /* multiplications and additions of the two products, all samples */
    double largest_diff; /* from the reference; 0 without a check */

    /* Only for the mode mincut: means over the samples. */
    struct coherence_batch coherence;
    double edges_kept;         /* share */
    double kv_cache_reduction; /* 1 - columns with any kept entry / length */
    double cut;                /* share of samples in which the cut was cheap enough */
};

enum workload_status {
    WORKLOAD_OK,
    WORKLOAD_NO_MEMORY,
    WORKLOAD_TOO_LARGE,
    WORKLOAD_WRONG,
    WORKLOAD_FAILED /* a message was printed on stderr */
};

/** Runs the workload of the options. ret->seconds is NULL unless the result is OK or WRONG. */
enum workload_status workload_run(const struct options *o, struct workload_result *ret);

#endif
