/*
 * What a sample holds in memory, by category, and the energy it takes: libtacho's trackers.
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
    uint64_t held[3];   /* of this sample, by category; gone when it ends */
    uint64_t peak;      /* the most that was held at one time */
};

/** source: "auto", "none", or what tacho_power_open() takes. 0, or -1 after saying on stderr what
   is wrong; that there is no power source is not. */
int meter_open(struct meter *m, const char *label, const char *source);
void meter_close(struct meter *m);

/** For this sample; category is one of tacho_memory_category. */
void meter_take(struct meter *m, int category, size_t bytes);
void meter_give(struct meter *m, int category, size_t bytes);

void meter_begin_sample(struct meter *m);

/** A snapshot; what the sample held goes. The peak stays until the next begins. */
void meter_end_sample(struct meter *m);

/** Joules so far over all sources; NaN without one. */
double meter_joules(struct meter *m);

#endif
