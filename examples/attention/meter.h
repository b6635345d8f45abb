/*
 * Measures the memory of a sample by category, and its energy, by libtacho's trackers.
 */
#ifndef EXAMPLE_METER_H
#define EXAMPLE_METER_H

#include <stddef.h>
#include <stdint.h>

#include <tacho/memory.h>
#include <tacho/power.h>

struct meter {
    tacho_memory *memory;
    tacho_power *power; /* NULL: there is no source, or none is wanted */
    uint64_t held[3];   /* of this sample, by category; released at its end */
    uint64_t peak;      /* largest sum of the categories */
};

/** Starts the trackers. source is "auto", "none" or a source of tacho_power_open(). Returns 0, or
    -1 after a message on stderr. A machine without a power source is not an error. */
int meter_open(struct meter *m, const char *label, const char *source);
void meter_close(struct meter *m);

/** Counts bytes of this sample; category is one of tacho_memory_category. */
void meter_take(struct meter *m, int category, size_t bytes);
void meter_give(struct meter *m, int category, size_t bytes);

void meter_begin_sample(struct meter *m);

/** Takes a snapshot and releases the bytes of the sample. The peak stays until the next sample
    begins. */
void meter_end_sample(struct meter *m);

/** Returns the joules so far of all sources; NaN without a source. */
double meter_joules(struct meter *m);

#endif
