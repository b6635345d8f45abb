/*
 * Reads the samples of a sample_ring.h: creates the shared memory, and passes the records that
 * producers wrote to a struct tch_collect in the order of time.
 */
#ifndef TCH_RING_READER_H
#define TCH_RING_READER_H

#include <stdint.h>

#include <tacho/error.h>

#include "collect_records.h"
#include "sample_ring.h"

/** A reader. Closed is all zero with fd -1. */
struct tch_ring_reader {
    int fd; /**< descriptor of the memory; -1: closed */
    struct tch_ring_head *ring;
    /** Our copy; a sampled program may overwrite the sizes in the ring. */
    struct tch_ring_head sizes;
    size_t bytes;
    uint8_t *record;    /* buffer for a perf record */
    uint64_t weight_ns; /**< CPU time of all samples so far */
    uint64_t samples;
    uint64_t opened_ns;
    uint64_t cpus;
    uint64_t damaged; /**< records that the program overwrote, which are dropped */
};

/** Creates the memory. @return 0, TACHO_ENOMEM, TACHO_EIO */
int tch_ring_open(struct tch_ring_reader *r, uint32_t stack_bytes, uint32_t rate, tacho_error *err);
void tch_ring_close(struct tch_ring_reader *r);

/** Passes the records older than `until` to c. @return 0 or TACHO_ENOMEM */
int tch_ring_drain(struct tch_ring_reader *r, uint64_t until, struct tch_collect *c,
                   tacho_error *err);

/** Asks the producers to stop. */
void tch_ring_stop(struct tch_ring_reader *r);

/** Returns the samples taken so far per second of CPU time. */
double tch_ring_rate(const struct tch_ring_reader *r);

#endif
